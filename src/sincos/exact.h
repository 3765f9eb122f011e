/* SPDX-License-Identifier: MIT */
/* Elements rounded exactly: from double-double where that decides, else from integers.
 * Gives: PE__FREQUENCY, PE__WAVELENGTH, pe__decide(), pe__exact_element(), pe__exact_turn(),
 *   pe__number(), pe__round_once(), pe__round_sum(), pe__what.
 * Needs: simd, api, numbers, frequencies.
 * Tests: tests/checks/levels.sh, tests/unit/test_theorem.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../numbers/base.h"
#include "../numbers/double_double.h"
#include "../numbers/exp_log.h"
#include "../numbers/real.h"
#include "../frequencies/geometric.h"
#include "close.h"

/* ---- 5.6 turns, exactly -------------------------------------------------------------------------
 * What double-double leaves open, by numbers of any precision, from the config itself. It ends: the
 * sine and cosine of an algebraic number but 0 are transcendental (Lindemann), and so are those of
 * pi times an irrational algebraic one (Gelfond, Schneider); of pi times a rational one, they are
 * rational for multiples of 1/6 and 1/4 only, and then 0, +-1/2 or +-1 (Niven): no other value is
 * the middle of two numbers. */

/* The frequency of a pair as the config has it, without the pi of half_turns. */
PE__COLD pe__real pe__real_frequency(const pe_plan *plan, size_t pair, int n)
{
    const double *const f = plan->frequency + pair;
    pe__real w = pe__real_of(plan->exact ? f[0] : plan->unit, n), x, d;
    double given;
    const pe__axis *axis;
    const double i = pe__index_of(plan, pair, &axis);
    if (plan->point) { /* the sums of PE_COLUMNS_SUMS */
        const double *m = plan->matrix + plan->first + pair;
        d = pe__real_of(0, n);
        for (size_t k = 0; k < plan->axes; k++, m += plan->matrix_step) {
            x = pe__real_of(*m, n);
            pe__real_by(&x, plan->point[k]);
            pe__real_plus(&d, &x, 1);
        }
        pe__real_times(&w, &d);
    } else if (plan->exact) {
        pe__real_more(&w, f[plan->padded]);
    } else if (plan->base == 0) {
        x = pe__real_of(f[0], n); /* w / pi: given was the double next to it */
        pe__real_more(&x, f[plan->padded]);
        d = pe__real_pi(n);
        if (!plan->half_turns) pe__real_times(&x, &d);
        pe__real_per(&x, plan->unit);
        (void)pe__real_round(&x, 0, 1, &given);
        pe__real_by(&w, given);
    } else if (i != 0 && plan->base != 1) {
        x = pe__real_of(plan->base, n), d = pe__real_of(axis->denominator[0], n);
        pe__real_log(&x);
        pe__real_by(&x, -i);
        pe__real_more(&d, axis->denominator[1]);
        pe__real_divide(&x, &d);
        pe__real_exp(&x);
        pe__real_times(&w, &x);
    }
    return w;
}

/* x, an angle, or the halves of a turn that it is, becomes its sine or, for component 1, cosine.
   Returns 0 where more limbs are to say whether x is a number of Niven's: a rational one has been
   told from these as soon as bits are enough. */
PE__COLD int pe__real_sine(pe__real *x, int component, int halves, int enough)
{
    const int n = x->n;
    const double k = pe__nearest(pe__real_double(x) * (halves ? 2 : 0.6366197723675814));
    int quarter = (int)((uint64_t)(int64_t)k & 3) + component;
    pe__real y, z = pe__real_pi(n);
    if (halves) {
        static const signed char twice[12] = {0, 1, 3, 2, 3, 1, 0, -1, 3, -2, 3, -1}; /* 3: root */
        pe__real_more(x, -k / 2);
        y = *x;
        pe__real_by(&y, 6);
        const double sixths = pe__nearest(pe__real_double(&y));
        pe__real_more(&y, -sixths);
        if (!pe__real_apart(&y)) {
            const int place = (3 * quarter + (int)sixths + 12) % 12;
            if (!pe__known(&y) && !enough) return 0;
            if (twice[place] != 3) {
                *x = pe__real_of(twice[place] / 2.0, n);
                return 1;
            }
        }
        pe__real_times(x, &z);
    } else {
        pe__real_by(&z, -k / 2);
        pe__real_plus(x, &z, 1);
    }
    y = *x;
    pe__real_times(&y, x);
    y.sign = -y.sign;
    if (k == 0 && x->exponent < -560 && !pe__real_is_0(x)) {
        /* less than 1 by ever so little: any such will do */
        z = pe__real_of(1, n), y = z;
        y.exponent = -1119;
        pe__real_plus(&z, &y, -1);
    } else {
        z = pe__real_series(&y, PE__CIRCLE, quarter & 1 ? 1 : 2);
    }
    if (quarter & 1) *x = z;
    else pe__real_times(x, &z);
    if (quarter & 2) x->sign = -x->sign;
    return 1;
}

/* Of one pair: A sin(t w) - less and A cos(t w) - less, w in radians, 2 pi / w; rounded once. */
typedef enum pe__what { PE__SINE, PE__COSINE, PE__FREQUENCY, PE__WAVELENGTH } pe__what;
PE__COLD double pe__exact(const pe_plan *plan, size_t pair, double t, pe__what what,
                          double amplitude, double less, int drop)
{
    const int halves = plan->half_turns && !plan->float32;
    const pe__axis *axis;
    const double i = pe__index_of(plan, pair, &axis);
    for (int n = 6;; n = n < 34 ? 2 * n - 2 : PE__LIMBS) {
        const int last = n == PE__LIMBS;
        const int enough =
            last || (plan->base != 0 && 32.0 * n > 512 + 53 * i / axis->denominator[0]);
        pe__real w = plan->float32 ? pe__real_of(plan->float32[pair], n)
                                   : pe__real_frequency(plan, pair, n);
        pe__real x = pe__real_of(pe__time_of(plan, pair, t), n);
        double y;
        if (what >= PE__FREQUENCY) {
            x = pe__real_pi(n);
            if (halves) pe__real_times(&w, &x);
            x.exponent++;
            if (what == PE__WAVELENGTH) pe__real_divide(&x, &w);
            else x = w;
        } else {
            if (!plan->float32) pe__real_times(&x, &w);
            if (!pe__real_sine(&x, what == PE__COSINE, halves, enough)) continue;
            pe__real_by(&x, amplitude);
            pe__real_more(&x, -less);
        }
        if (pe__real_round(&x, drop, last, &y)) return x.sign == 0 ? 0 * amplitude : y;
    }
}

/* sin and cos in double-double, to the last bit. */
PE__COLD void pe__exact_turn(const pe_plan *plan, size_t pair, double t, pe__dd *sine,
                             pe__dd *cosine)
{
    for (int k = 0; k < 2; k++) {
        pe__dd *const turn = k ? cosine : sine;
        double hi[PE_LANES], lo[PE_LANES];
        for (size_t lane = 0; lane < PE_LANES; lane++) {
            hi[lane] = pe__exact(plan, pair + lane, t, (pe__what)k, 1, 0, 0);
            lo[lane] = pe__exact(plan, pair + lane, t, (pe__what)k, 1, hi[lane], 0);
        }
        turn->hi = pe__load(hi), turn->lo = pe__load(lo);
    }
}

/* One float rounded once more, to nearest even, to a value of bf16 or f16. */
static inline float pe__round_16(float x, int drop)
{
    uint32_t bits = (uint32_t)pe__float_bits(x);
    const uint32_t sign = bits & 0x80000000u, size = bits ^ sign;
    if (drop == PE__DROP_F16 && size < 0x38800000u) { /* f16 subnormals: multiples of 2^-24 */
        float y;
        memcpy(&y, &size, sizeof y);
        bits = sign | (uint32_t)pe__float_bits((y + 0.75f) - 0.75f);
    } else {
        bits += (1u << (drop - 1)) - 1u + (bits >> drop & 1u);
        bits &= ~((1u << drop) - 1u);
        if (drop == PE__DROP_F16 && (bits ^ sign) >= 0x47800000u) bits = sign | 0x7f800000u;
    }
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* (hi + lo) * scale rounded once to float, bf16 or f16, for a power of two: to odd, then to
   nearest. */
static inline float pe__round_once(double hi, double lo, double scale, int drop)
{
    hi = pe__to_odd(hi, lo) * scale;
    float y = (float)hi;
    if (drop == PE__DROP_F32) return y;
    uint32_t word = (uint32_t)pe__float_bits(y);
    if ((double)y != hi && (word & 1) == 0) {
        if (fabs((double)y) < fabs(hi)) word++;
        else word--;
        memcpy(&y, &word, sizeof y);
    }
    return pe__round_16(y, drop);
}

/* hi + lo, however large lo is, rounded once. */
static inline float pe__round_sum(double hi, double lo, int drop)
{
    pe__vd low;
    const pe__vd sum = pe__two_sum(pe__splat(hi), pe__splat(lo), &low);
    return pe__round_once(pe__first_lane(sum), pe__first_lane(low), 1, drop);
}

/* (hi + lo) by, rounded once to the type that drops bits as in pe__drop(), or, if 0, to a double,
   into *y; returns whether lo - e and lo + e give the same, no subnormal double. */
PE__COLD int pe__same(double hi, double lo, double e, double by, int drop, double *y)
{
    const double below = lo - e, above = lo + e;
    *y = drop ? (double)pe__round_sum(hi * by, above * by, drop) : (hi + above) * by;
    return *y == (drop ? (double)pe__round_sum(hi * by, below * by, drop) : (hi + below) * by) &&
           fabs(*y) > (drop ? 0 : pe__exp2i(-1021));
}

/* The frequency of a pair in radians a position, or its wavelength. */
PE__DIVIDES_BY_ZERO /* 1 / 0 is infinity, as documented */
PE__COLD double pe__number(const pe_plan *plan, size_t pair, pe__what what, int drop)
{
    const double *const given = plan->frequency + pair;
    pe__dd f = {pe__splat(given[0]), pe__splat(given[plan->padded])}, y;
    double number;
    if (plan->float32) f = pe__dd_scaled(f, plan->float32[pair]);
    if (pe__first_lane(f.hi) == 0) /* -0, if it was given */
        return what == PE__FREQUENCY ? pe__first_lane(f.hi) : 2 / pe__first_lane(f.hi);
    y = pe__dd_normal(pe__dd_mul(f, pe__dd_splat(pe__pi)));
    if (what == PE__WAVELENGTH) {
        pe__vd e;
        y.hi = pe__splat(2.0) / f.hi;
        const pe__vd p = pe__two_prod(y.hi, f.hi, &e);
        y.lo = ((pe__splat(2.0) - p) - e - y.hi * f.lo) / f.hi;
    }
    const double hi = pe__first_lane(y.hi), e = fabs(hi) * (plan->error + pe__exp2i(-97));
    if (pe__same(hi, pe__first_lane(y.lo), e, 1, drop, &number)) return number;
    return pe__exact(plan, pair, 1, what, 1, 0, drop);
}

/* Does the pair stand still there, so that it is (0, A)? Sums of columns are not examined. */
PE__INLINE int pe__still(const pe_plan *plan, double t, size_t pair)
{
    const double *const w = plan->float32 ? plan->float32 : plan->frequency;
    return !plan->point && (t == 0 || w[pair] == 0);
}

/* An element, whose sine (component 0) or cosine times the mantissa of A is hi + lo by
   pe__close_turn(). */
PE__COLD double pe__decide(const pe_plan *plan, double t, size_t pair, int component, int drop,
                           double hi, double lo)
{
    const double e = pe__close_error(plan, pair, t, component), amplitude = plan->amplitude;
    double y;
    if (pe__still(plan, t, pair)) {
        if (component == 0) return 0 * amplitude;
        return drop ? (double)pe__round_once(amplitude, 0, 1, drop) : amplitude;
    }
    if (pe__same(hi, lo, e, plan->scale, drop, &y)) return y;
    return pe__exact(plan, pair, t, (pe__what)component, plan->amplitude, 0, drop);
}
PE__COLD float pe__exact_element(const pe_plan *plan, double t, size_t pair, int component,
                                 int drop)
{
    pe__dd turn[2];
    if (pe__still(plan, t, pair)) return (float)pe__decide(plan, t, pair, component, drop, 0, 0);
    pe__close_turn(plan, pair, t, &turn[0], &turn[1]);
    const pe__dd y = pe__dd_scaled(turn[component], plan->mantissa);
    return (float)pe__decide(plan, t, pair, component, drop, pe__first_lane(y.hi),
                             pe__first_lane(y.lo));
}
