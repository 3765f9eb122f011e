/* SPDX-License-Identifier: MIT */
/* Sine and cosine of a pair in double-double, and their error.
 * Gives: pe__sincos_dd(), pe__frequency_index(), pe__max_abs(),
 *   pe__multiple(), pe__one_multiple(), pe__sincos_error().
 * Needs: simd, api, numbers, frequencies.
 * Tests: tests/unit/test_budget.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../numbers/base.h"
#include "../numbers/double_double.h"
#include "../numbers/exp_log.h"
#include "../frequencies/geometric.h"

/* ---- 5.5 sincos by double-double ----------------------------------------------------------------
 * The angle of pair i at position t is t w_i = pi t f_i: a turn of t f_i. */

/* What multiplies the frequencies: t, or the angles rounded to float, whose frequency is 1 / pi. */
PE__INLINE pe__vd pe__multiple(const pe_plan *plan, size_t pair, double t)
{
    if (!plan->float32) return pe__splat(t);
    return pe__to_float(pe__to_float(pe__splat(t)) * pe__load(plan->float32 + pair));
}

/* The i of w_i for a pair of a plan, and its axis; behind the pairs of an axis it is the last. */
PE__COLD double pe__frequency_index(const pe_plan *plan, size_t pair, const pe__axis **axis)
{
    size_t a = 0;
    if (plan->order) { /* the pair that lies there */
        const size_t slot = pe__min(pair, plan->pairs - 1), rank = slot % PE__SORT_PAIRS;
        for (pair = slot - rank; plan->order[pair] != rank;) pair++;
    }
    while (a + 1 < plan->axes && plan->axis[a + 1].pair <= pair) a++;
    *axis = &plan->axis[a];
    const size_t i = pair - (*axis)->pair, pairs = (*axis)->pairs;
    return (double)(plan->first + (i < pairs ? i : pairs ? pairs - 1 : 0));
}

/* sin and cos of the turn of position t, for the pairs pair ... pair + PE_LANES - 1, to about
   2^-98, below a quarter turn the sine to 2^-98 of its value, and what the plan's frequencies lack:
   together pe__sincos_error(). */
PE__OUTLINE void pe__sincos_dd(const pe_plan *plan, size_t pair, double t, pe__dd *sine,
                                pe__dd *cosine)
{
    const pe__vd tt = pe__multiple(plan, pair, t);
    const double *const f = plan->frequency + pair;
    pe__vd e;
    const pe__vd p = pe__two_prod(tt, pe__load(f), &e);
    pe__td rest = pe__td_splat(0);
    rest.a = pe__two_prod(tt, pe__load(f + plan->padded), &rest.b);

    /* the turn modulo 2, of all parts: where p is beyond 2^49, e has whole turns, too. Then
       less the nearest half: both are exact */
    pe__td sum =
        pe__td_renormalize(p - pe__round(p * pe__splat(0.5)) * pe__splat(2.0), e, pe__splat(0.0));
    sum = pe__td_add_inline(sum, rest); /* no call: what waits for it is long enough */
    const pe__vd shift = pe__splat(pe__quadrant_shift), quadrant = sum.a + shift;
    pe__dd z;
    z.hi = pe__two_sum(sum.a - (quadrant - shift), sum.b, &z.lo);
    z.lo = z.lo + sum.c;
    z = pe__dd_mul(z, pe__dd_splat(pe__pi));
    pe__dd zz = pe__dd_mul(z, z);
    zz.hi = -zz.hi;
    zz.lo = -zz.lo;
    /* what is left out is below 2^-100; so is what a double makes of terms below 2^-53 */
    *sine = pe__dd_renormalize(pe__dd_mul(z, pe__dd_series(1, 15, 27, zz)));
    *cosine = pe__dd_renormalize(pe__dd_series(0, 15, 26, zz));
    pe__rotate_quadrant(quadrant, &sine->hi, &cosine->hi);
    pe__rotate_quadrant(quadrant, &sine->lo, &cosine->lo);
}

PE__INLINE double pe__max_abs(double x, double y) /* in magnitude */
{
    return fabs(x) > fabs(y) ? fabs(x) : fabs(y);
}
PE__INLINE double pe__sincos_error(const pe_plan *plan, double t)
{
    return pe__exp2i(-98) + 4 * fabs(t) * plan->fastest * plan->error;
}

/* pe__multiple() of one pair, which need not have others behind it. */
PE__COLD double pe__one_multiple(const pe_plan *plan, size_t pair, double t)
{
    if (!plan->float32) return t;
    return (double)(float)((double)(float)t * plan->float32[pair]);
}
