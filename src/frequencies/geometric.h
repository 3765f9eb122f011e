/* SPDX-License-Identifier: MIT */
/* Frequencies base^(-i / D) in double-double.
 * Gives: PE__CHAIN, pe__dd_splat(), pe__frequency_unit(), pe__geometric, pe__geometric_begin(),
 *   pe__geometric_next().
 * Needs: simd, api, numbers.
 * Tests: tests/unit/test_budget.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../numbers/double_double.h"
#include "../numbers/exp_log.h"
#include "../numbers/real.h"

/* Limbs to begin with, and where n did not decide. */
enum { PE__LIMBS_FIRST = 6 };
PE__COLD int pe__more_limbs(int n) { return n < 34 ? 2 * n - 2 : PE__LIMBS; }

/* The float nearest to (a / b)^(p / s), or, for a logarithm, to 1 + ln(a / b) p / s. */
PE__COLD float pe__exact_factor(double a, double b, double p, double s, int logarithm)
{
    double y;
    for (int n = PE__LIMBS_FIRST;; n = pe__more_limbs(n)) {
        pe__real x = pe__real_of(a, n), z = pe__real_of(b, n);
        pe__real_log(&x);
        pe__real_log(&z);
        pe__real_plus(&x, &z, -1);
        pe__real_by(&x, p);
        pe__real_per(&x, s);
        if (logarithm) pe__real_more(&x, 1);
        else pe__real_exp(&x);
        if (pe__real_round(&x, 29, n == PE__LIMBS, &y)) return (float)y;
    }
}

/* May hi + lo, off by less than e, lie on either side of the middle of two normal floats? Middles
   are doubles: hi is one. */
PE__INLINE int pe__near_tie(double hi, double lo, double e)
{
    uint64_t bits;
    memcpy(&bits, &hi, sizeof bits);
    return (bits & 0x1fffffffu) == 0x10000000u && fabs(lo) < e;
}

/* ---- 5.4 frequencies ----------------------------------------------------------------------------
 * f_i = w_i / pi for w_i = scale q^i, q = base^(-1 / D). A plan has them as sums of two doubles:
 * f_0 ... f_15 by powers of q, and those of 16 pairs further on by q^16, in triple-double. q is off
 * by 2^-140 (1 + 1 / D), by what a logarithm of up to 624 and products lack, so f_i by i times as
 * much, and by 2^-106 as two doubles; a q below 2^-930, whose third double is subnormal, by 2^-114
 * (1 + 1 / D), but then there is no f_2. What needs more digits computes them again, by
 * pe__real_by_frequency(). The order of the operations does not depend on the number of lanes. */

enum { PE__CHAIN = 8, PE__POWERS = 16 };

PE__INLINE pe__dd pe__dd_splat(const double *x)
{
    const pe__dd r = {pe__splat(x[0]), pe__splat(x[1])};
    return r;
}

/* The config's scale, in half turns. */
PE__COLD pe__td pe__frequency_unit(double scale, int half_turns)
{
    static const double one[3] = {1, 0, 0};
    return pe__td_scale(pe__td_const(half_turns ? one : pe__inverse_pi), pe__splat(scale));
}

/* base^(-1 / D). Where D is a whole number, as nearly always: a double q0 near it, and from r =
   base q0^D - 1, |r| < 2^-37, what is to be added, q0 (exp(-ln(1 + r) / D) - 1), in a third of the
   time of a logarithm and an exponential. */
PE__COLD pe__td pe__root(double base, const double *d)
{
    const double x = -pe__log2(base) / d[0], k = pe__nearest(x), rest = (x - k) * pe__ln2[0];
    pe__td q = pe__td_splat(base), p = pe__td_splat(-d[0]), z;
    if (d[1] != 0 || d[0] > 4096 || d[0] != pe__nearest(d[0])) {
        p.b = pe__splat(-d[1]);
        return pe__td_exp(pe__td_ratio(pe__td_log(q), p));
    }
    double y = 0;
    for (int n = 14; n >= 0; n--) y = y * rest + pe__inverse_factorial[n][0];
    z = pe__td_splat(y * pe__exp2i((int)k));
    const pe__td q0 = z;
    for (unsigned n = (unsigned)d[0]; n; n >>= 1) {
        if (n & 1) pe__td_times(&q, &z);
        pe__td_times(&z, &z);
    }
    z = pe__td_splat(-1);
    pe__td_plus(&q, &z);
    z = pe__td_shift(pe__td_mul(q, q), pe__splat(-0.5)); /* ln(1 + r) = r - r^2 / 2 + r^3 / 3 */
    pe__td_plus(&z, &q);
    q = pe__td_one(q.a * q.a * q.a * pe__splat(1.0 / 3));
    pe__td_plus(&z, &q);
    z = pe__td_ratio(z, p);
    q = pe__td_one(z.a * z.a * pe__splat(0.5));
    pe__td_plus(&z, &q);
    pe__td_times(&z, &q0);
    pe__td_plus(&z, &q0);
    return z;
}

typedef struct pe__geometric {
    pe__td f[PE__POWERS / (int)PE_LANES], ratio; /* the last 16, and q^16 */
} pe__geometric;

/* pairs: how many there are; what lies beyond them may be out of range. */
PE__COLD void pe__geometric_begin(pe__geometric *g, const pe_config *config,
                                  const double *denominator, size_t pairs)
{
    const pe__td unit = pe__frequency_unit(config->scale, config->half_turns);
    double x[3][PE__POWERS + (int)PE_LANES];
    const pe__td one = pe__td_splat(1);
    const pe__td q = denominator[0] == 1 ? pe__td_ratio(one, pe__td_splat(config->base)) /* exact */
                                         : pe__root(config->base, denominator);
    g->ratio = one;
    for (size_t i = 0; i < PE__POWERS; i++) {
        pe__store(x[0] + i, g->ratio.a);
        pe__store(x[1] + i, g->ratio.b);
        pe__store(x[2] + i, g->ratio.c);
        if (i + 1 < pairs) pe__td_times(&g->ratio, &q);
    }
    for (size_t v = 0, i = 0; i < PE__POWERS; v++, i += PE_LANES) {
        g->f[v].a = pe__load(x[0] + i);
        g->f[v].b = pe__load(x[1] + i);
        g->f[v].c = pe__load(x[2] + i);
        pe__td_times(&g->f[v], &unit);
    }
}

/* Write the next count frequencies to f and f + padded, up to 7 numbers more. first: how many
   have been written; a multiple of 16. */
PE__OUTLINE void pe__geometric_next(pe__geometric *g, size_t first, size_t count, double *f,
                                    size_t padded)
{
    for (size_t i = 0; i < count; i += PE_LANES) {
        pe__td *const y = &g->f[i % PE__POWERS / PE_LANES];
        if (first + i >= PE__POWERS) pe__td_times(y, &g->ratio);
        pe__store(f + i, y->a);
        pe__store(f + i + padded, y->b);
    }
}
