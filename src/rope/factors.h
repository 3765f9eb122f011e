/* SPDX-License-Identifier: MIT */
/* Factors that depend on the position, correctly rounded: the factor that scales a query
 * (pe_rope_query_scale_f32()), and the factors by which xPos multiplies sines and cosines. Tested
 * by tests/unit/plan/test_models.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/options.h"
#include "../api/types.h"
#include "contract_config.h"
#include "../numbers/sizes.h"
#include "../numbers/compare.h"
#include "../positions/read.h"
#include "../positions/check.h"
#include "../numbers/double_double.h"
#include "../numbers/exp_log.h"
#include "../sincos/exact.h"
#include "config.h"

/* ---- 8.5 RoPE: factors by position ----------------------------------------------------------- */

/* Returns whether all positions of a call are within minimum ... maximum. They have one coordinate,
   and pe__check_at() has found no error. All cells of a grid count, as in pe__check_at(), also
   those that no row uses. */
static inline int pe__positions_within(const pe_at *positions, size_t rows, double minimum,
                                       double maximum)
{
    double p[PE__POSITIONS];
    int ok = 1;
    if (positions->kind == (int)PE__AT_GRID) {
        p[0] = (double)(positions->size[0] - 1) * (positions->back ? -1 : 1);
        return minimum <= 0 && 0 <= maximum && pe__between(p[0], minimum, maximum);
    }
    for (size_t r = 0, n; r < rows; r += n) {
        n = pe__min(rows - r, PE__POSITIONS);
        pe__positions(positions, r, n, 0, p);
        for (size_t k = 0; k < n; k++) ok &= pe__between(p[k], minimum, maximum);
    }
    return ok;
}

/* Returns (a / b)^(p / s), or 1 + ln(a / b) p / s if `logarithm` is set, rounded to the nearest
   float. The computation uses multi-limb integers. */
PE__COLD float pe__round_factor(double a, double b, double p, double s, int logarithm)
{
    double y;
    for (int n = PE__LIMBS_FIRST;; n = pe__next_limbs(n)) {
        pe__bigfloat x = pe__bigfloat_of(a, n), z = pe__bigfloat_of(b, n);
        pe__bigfloat_log(&x);
        pe__bigfloat_log(&z);
        pe__bigfloat_add(&x, &z, -1);
        pe__bigfloat_mul_double(&x, p);
        pe__bigfloat_div_double(&x, s);
        if (logarithm) pe__bigfloat_add_double(&x, 1);
        else pe__bigfloat_exp(&x);
        if (pe__bigfloat_round(&x, 29, n == PE__LIMBS, &y)) return (float)y;
    }
}

/* Write factors[k] = 1 + beta ln(x[k] / per), correctly rounded, for k < n <= PE_LANES. x has
   PE_LANES numbers. per is the period for PE_QUERY_SCALE_LOG, and 1 for PE_QUERY_SCALE_FLOOR. Where
   x[k] = per or beta = 0, the factor is 1. No other factor is a midpoint of two floats, because the
   logarithm of a rational number other than 1 is transcendental. e bounds the error. Its first
   term, 2^-98 (|factor| + 1), covers the sums and the rounding of `low`. The second is twice |beta|
   2^-105: the logarithm is off by 2^-105, and beta multiplies that error. */
PE__COLD void pe__query_factors(const double *x, double per, double beta, size_t n, float *factors)
{
    double high[PE_LANES], low[PE_LANES];
    const pe__td log2 =
        pe__td_log2(pe__td_div_double(pe__td_from_double(pe__load(x)), pe__splat(per)));
    const pe__td log = pe__td_mul(log2, pe__td_const(pe__ln2));
    const pe__td y = pe__td_add(pe__td_mul_double(log, pe__splat(beta)), pe__td_splat(1.0));
    pe__store(high, y.a);
    pe__store(low, y.b + y.c);
    for (size_t k = 0; k < n; k++) {
        const double e = (fabs(high[k]) + 1) * pe__exp2i(-98) + fabs(beta) * pe__exp2i(-104);
        factors[k] = x[k] == per ? 1 : pe__round_sum(high[k], low[k], PE__DROP_F32);
        if (x[k] != per && PE__UNLIKELY(pe__is_hard_to_round(high[k], low[k], e)))
            factors[k] = pe__round_factor(x[k], per, beta, 1, 1);
    }
}

PE_API pe_status pe_rope_query_scale_f32(pe_query_scale kind, double beta, size_t period,
                                         double shift, pe_at positions, size_t rows, float *factors)
{
    const int is_floor = kind == PE_QUERY_SCALE_FLOOR;
    const double minimum = is_floor ? -pe__exp2i(100) : 0, per = is_floor ? 1 : (double)period;
    if (rows == 0) return PE_OK;
    if (!factors) return PE_ERR_NULL;
    if ((unsigned)kind > PE_QUERY_SCALE_LOG) return PE_ERR_ENUM;
    if (!pe__between(beta, minimum, pe__exp2i(100)) || period < 1 || !pe__rope_length_ok(period) ||
        !pe__between(shift, -pe__exp2i(31), pe__exp2i(31)))
        return PE_ERR_QUERY_SCALE;
    if (pe__exceeds(rows, sizeof *factors, PTRDIFF_MAX)) return PE_ERR_SIZE;
    const pe_status status = pe__check_at(&positions, rows, 1, shift);
    if (status != PE_OK) return status;
    if (!pe__positions_within(&positions, rows, -shift, pe__exp2i(32))) return PE_ERR_QUERY_SCALE;
    /* If all rows of a vector have the x of the row before the vector, that row's factor is copied,
       without a logarithm. This is common: with FLOOR, x changes once a period; with LOG, x is
       `period` while position + shift is at most period. */
    double last = per; /* x of the row before the vector; x = per gives 1 */
    float factor = 1;
    for (size_t r = 0, n; r < rows; r += n) {
        double x[PE_LANES], p[PE_LANES];
        int same = 1;
        n = pe__min(rows - r, PE_LANES);
        pe__positions(&positions, r, n, 0, p);
        for (size_t k = 0; k < PE_LANES; k++) {
            const double t = p[pe__min(k, n - 1)] + shift;
            x[k] = is_floor ? (double)((uint64_t)t / period + 1) : t > per ? t : per;
            same &= x[k] == last;
        }
        for (size_t k = 0; same && k < n; k++) factors[r + k] = factor;
        if (!same) pe__query_factors(x, per, beta, n, factors + r);
        last = x[n - 1];
        factor = factors[r + n - 1];
    }
    return PE_OK;
}

/* Returns (a / b)^(p / s) rounded to the nearest float. The caller knows that the power is close or
 * equal to the double `tie`, which is a midpoint of two floats. This midpoint is 2^k N with an odd
 * N of 25 bits (`bits`). If the power equals it, it is rounded to even.
 *
 * Let p / s be m / q in lowest terms. The power equals tie if (a / b)^m = 2^(kq) N^q. Let x / y be
 * a / b in lowest terms, or b / a if m < 0. Then equality requires that y is a power of two. It
 * also requires an odd number c such that N = c^|m| and x is c^q times a power of two. c is at
 * least 3. The caller's a and b are at most 7 * pairs, and there are at most 2^28 pairs, so c^q <=
 * x <= 7 * 2^28 < 3^20. Hence q is below 20. The loop tries each q. It tests exactly whether
 * m = |p| q / s is an integer, and whether the odd part of x has the m-th power N^q. The powers of
 * two then agree, because the power is close to tie. */
PE__COLD float pe__round_xpos(uint64_t a, uint64_t b, double p, double s, double tie)
{
    /* N: the upper 25 bits of tie's significand; its other 28 bits are 0 in a midpoint */
    const uint64_t bits = (pe__double_bits(tie) & 0xfffffffffffffu) >> 28 | 0x1000000u;
    uint64_t x = p < 0 ? b : a, y = p < 0 ? a : b, up = x, down = y;
    while (down) {
        const uint64_t rest = up % down;
        up = down;
        down = rest;
    }
    for (x /= up; x % 2 == 0; x /= 2) {}
    for (y /= up; y % 2 == 0; y /= 2) {}
    for (int q = 1; q < 20 && y == 1; q++) {
        const double m = pe__round_to_integer(q * fabs(p) / s), left = q * fabs(p), right = m * s;
        if (left == right &&
            pe__product_minus(q, fabs(p), left) == pe__product_minus(m, s, right) &&
            pe__powers_equal(x, (uint64_t)m, bits, (uint64_t)q))
            return pe__round_sum(tie, 0, PE__DROP_F32);
    }
    return pe__round_factor((double)a, (double)b, p, s, 0);
}

PE_API pe_status pe_rope_xpos_f32(size_t pairs, double scale_base, pe_at positions, size_t rows,
                                  float *factors, size_t stride)
{
    if (rows == 0) return PE_OK;
    if (!factors) return PE_ERR_NULL;
    if (pairs == 0) return PE_ERR_EMPTY;
    if (pairs > (size_t)1 << 28) return PE_ERR_SIZE;
    pe_status status = pe__check_shape(pairs, rows, stride, sizeof *factors);
    if (status == PE_OK) status = pe__check_at(&positions, rows, 1, 0);
    if (status != PE_OK) return status;
    if (!pe__between(scale_base, pe__exp2i(-30), pe__exp2i(100))) return PE_ERR_XPOS;
    const double maximum = 60 * scale_base;
    if (!pe__positions_within(&positions, rows, -maximum, maximum)) return PE_ERR_XPOS;
    /* The outer loop is over the pairs, so that one logarithm serves all rows. |p| is at most
       60 scale_base, so every factor is within (7/2)^-60 ... (7/2)^60, and (7/2)^60 < 2^109: all
       factors are normal floats. */
    for (size_t i = 0; i < pairs; i += PE_LANES) {
        double numerator[PE_LANES], high[PE_LANES], low[PE_LANES];
        const size_t n = pe__min(PE_LANES, pairs - i);
        for (size_t k = 0; k < PE_LANES; k++) numerator[k] = (double)(5 * (i + k) + 2 * pairs);
        /* With D = 2 pairs, the factor's base (2i + 0.4 D) / 1.4 D is (5i + 2 pairs) / 7 pairs. */
        pe__td x = pe__td_log2(pe__td_from_double(pe__load(numerator)));
        x = pe__td_sub(x, pe__td_log2(pe__td_splat((double)(7 * pairs))));
        x = pe__td_div_double(x, pe__splat(scale_base));
        for (size_t r = 0; r < rows; r++) {
            const double p = pe__position(&positions, r, 0);
            /* the relative error is at most 2^-98: nearly all of it is 60 times the errors of two
               logarithms, 2^-106 each */
            const pe__td y = pe__td_exp2(pe__td_mul_double(x, pe__splat(p)));
            pe__store(high, y.a);
            pe__store(low, y.b + y.c);
            for (size_t k = 0; k < n; k++) {
                float *const factor = &factors[r * stride + i + k];
                *factor = pe__round_sum(high[k], low[k], PE__DROP_F32);
                if (PE__UNLIKELY(pe__is_hard_to_round(high[k], low[k], high[k] * pe__exp2i(-97))))
                    *factor = pe__round_xpos(5 * (i + k) + 2 * pairs, 7 * pairs, p, scale_base,
                                             high[k]); /* integers of at most 7 * 2^28 */
            }
        }
    }
    return PE_OK;
}
