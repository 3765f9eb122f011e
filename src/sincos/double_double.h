/* SPDX-License-Identifier: MIT */
/* Sines and cosines of pairs in double-double, and the bound of their error.
 * tests/unit/numbers/test_budget.c measures the error. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../numbers/double_double.h"
#include "../numbers/exp_log.h"
#include "../frequencies/geometric.h"

/* ---- 5.5 sine and cosine in double-double -------------------------------------------------------
 * Pair i has the frequency w_i in radians per position. Its angle at position t is t w_i radians,
 * or t f_i half-turns, with f_i = w_i / pi. The array plan->frequency has f_i as a sum of two
 * doubles. PE_ANGLE_FLOAT32 is an exception: see pe__multiple(). */

/* Returns a vector m such that m * frequency is the vector of angles in half-turns, where
   `frequency` is loaded at index `pair` of plan->frequency. Usually m is t in every lane. With
   PE_ANGLE_FLOAT32, m is the vector of angles in radians, rounded to float, since all elements of
   plan->frequency are then 1 / pi. */
PE__INLINE pe__vd pe__multiple(const pe_plan *plan, size_t pair, double t)
{
    if (!plan->float32) return pe__splat(t);
    return pe__to_float(pe__to_float(pe__splat(t)) * pe__load(plan->float32 + pair));
}

/* PE__SORT_PAIRS is the number of pairs that pe__plan_sort_pairs() sorts together, by coordinate.
   The new place of a pair among them then fits into a byte of plan->order. */
enum { PE__SORT_PAIRS = 256 };

/* Returns i + plan->first, where i is the index within its axis of the pair at index `pair` of the
   plan's arrays, and sets *axis to this axis. This is the i of the frequency's exponent -i / D. For
   a padding pair, i is the index of the axis' last pair. */
PE__COLD double pe__frequency_index(const pe_plan *plan, size_t pair, const pe__axis **axis)
{
    size_t a = 0;
    if (plan->order) { /* the arrays are sorted: find the pair that was moved to `slot` */
        const size_t slot = pe__min(pair, plan->pairs - 1), rank = slot % PE__SORT_PAIRS;
        for (pair = slot - rank; plan->order[pair] != rank;) pair++;
    }
    while (a + 1 < plan->axes && plan->axis[a + 1].pair <= pair) a++;
    *axis = &plan->axis[a];
    const size_t i = pair - (*axis)->pair, pairs = (*axis)->pairs;
    return (double)(plan->first + (i < pairs ? i : pairs ? pairs - 1 : 0));
}

/* Computes *sine and *cosine of the angles at position t, without the amplitude, for the vector of
 * pairs that starts at index `pair`. The error has two parts, and pe__sincos_error() bounds their
 * sum:
 *   1. The computation adds about 2^-98. For sines of angles below 1/4 half-turn, this is the
 *      relative error.
 *   2. The plan's frequencies have errors, which the sines and cosines inherit. */
PE__OUTLINE void pe__sincos_dd(const pe_plan *plan, size_t pair, double t, pe__dd *sine,
                               pe__dd *cosine)
{
    const pe__vd tt = pe__multiple(plan, pair, t);
    const double *const f = plan->frequency + pair;
    pe__vd e;
    const pe__vd p = pe__two_prod(tt, pe__load(f), &e);
    pe__td rest = pe__td_splat(0);
    rest.a = pe__two_prod(tt, pe__load(f + plan->padded), &rest.b);

    /* The angle is p + e + rest half-turns. Reduce p modulo 2, then add e and rest before the
       quadrant is chosen, because e is too large to be ignored if |p| is above 2^49. Then subtract
       the nearest multiple of 1/2. Both reductions are exact. */
    pe__td sum =
        pe__td_renormalize(p - pe__round(p * pe__splat(0.5)) * pe__splat(2.0), e, pe__splat(0.0));
    sum = pe__td_add_inline(sum, rest); /* inlined: the chain of dependent operations is long */
    const pe__vd shift = pe__splat(pe__quadrant_shift), quadrant = sum.a + shift;
    pe__dd z;
    z.hi = pe__two_sum(sum.a - (quadrant - shift), sum.b, &z.lo);
    z.lo = z.lo + sum.c;
    z = pe__dd_mul(z, pe__dd_splat(pe__pi));
    const pe__dd zz = pe__dd_negate(pe__dd_mul(z, z));
    /* The terms that the series omit are below 2^-100. The terms with 1 / 16!, 1 / 17! and so on
       are below 2^-49 and computed in double, so their rounding errors are also below 2^-100. */
    *sine = pe__dd_renormalize(pe__dd_mul(z, pe__dd_series(1, 15, 27, zz)));
    *cosine = pe__dd_renormalize(pe__dd_series(0, 15, 26, zz));
    pe__rotate_quadrant(quadrant, &sine->hi, &cosine->hi);
    pe__rotate_quadrant(quadrant, &sine->lo, &cosine->lo);
}

/* Returns the error bound of pe__sincos_dd() at position t, for all pairs of the plan. The second
   term is inherited from the frequencies. Its factor 4 is pi, the radians in a half-turn, rounded
   up. */
PE__INLINE double pe__sincos_error(const pe_plan *plan, double t)
{
    return pe__exp2i(-98) + 4 * fabs(t) * plan->fastest * plan->error;
}

/* Returns the lane of pe__multiple() for one pair. pe__multiple() loads a vector, but this function
   reads no element after plan->float32[pair]. */
PE__COLD double pe__one_multiple(const pe_plan *plan, size_t pair, double t)
{
    if (!plan->float32) return t;
    return (double)(float)((double)(float)t * plan->float32[pair]);
}
