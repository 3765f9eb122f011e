/* SPDX-License-Identifier: MIT */
/* The proof of the rounding test, and its bounds.
 * Gives: PE__SLOW_RATIO, pe__bound, pe__bound_far, pe__bound_run, pe__bound_short_poly,
 *   pe__bound_full_poly.
 * Needs: simd.
 * Tests: tests/checks/gappa.sh, tests/unit/test_budget.c. */
#pragma once
#include "../pe_simd.h"

/* ---- 6.1 sines and cosines by double ------------------------------------------------------------
 * A single row comes from pe__sincos(), pair by pair. In a run, 17 rows are a block: the one in
 * the middle, its anchor, is rotated forth and back by the plan's rows 1 ... 8. Of 17 blocks the
 * one in the middle has the centre, which comes from pe__sincos() or, for more than 2 blocks, from
 * SLEEF, where it is there; the other anchors are the centre rotated by the plan's rows 17, 34, ...
 * 136, forth or back. */

/* Rounding test: what keeps floats correctly rounded
 *
 * Errors are in units of u = 2^-53, for amplitude 1, and of (sine, cosine) as a vector, for a
 * rotation mixes the errors of its components. What is rounded relatively adds 1 to a vector, what
 * is below 1 and rounded absolutely 1/2 to each component. pe__sincos() has at most
 *     1.00  the factor A (1 + eta), rounded: along the vector
 *     1.18  the rest z, |z| <= 1/4 + 2^-17, rounded twice: pi (2^-56 + 2^-55), across the vector;
 *           where nothing is fused, once, 0.79. And 0.01 for the phase, pi 2^-62 for positions up
 *           to plan->double_range (beyond, sincos is by double-double)
 *     2.69  sin(pi z) by its polynomial with rounded numbers, and 2.04 cos(pi z), where nothing is
 *           fused 2.35 (gappa.sh, by the factor's mantissa): as a vector 3.25, and 3.40
 *     0.04  what the polynomials lack (lacks.py)
 * together 4.85, and 4.74 where nothing is fused. Of one component these are 2.69 + 0.71 + 0.84 +
 * 0.04 for a sine, less for a cosine: a single row has 4.28 (pe__bound_full_poly: 4.375). With
 * SLEEF a centre has
 *     4.95  sine and cosine, 3.5 ulp each (u35)
 *     1.90  the phase and the rest, as above, and the correction by what is below x, rounded
 *     2.00  the factor and the products with it
 * together 8.85, and 8.46 where nothing is fused. Each rotation by a row of the plan adds
 *     0.71  the row, rounded
 *     2.00  a product and the sum; where nothing is fused, two products and the sum: 2 again for
 *           one component, |sC| + |cS| <= 1, and 2.42 as a vector, which the next rotation starts
 *           from: (1 + 4 |sc SC|)^(1/2) <= 2^(1/2), and 1
 * A row of a run is two rotations from its centre: 10.27 fused, 4.74 + 3.13 + 2.71 = 10.58 not
 * fused, with SLEEF 14.27 and 14.30: 10.75 and 14.375 (pe__bound_run). Beyond plan->double_range,
 * sincos by double-double takes the place of pe__sincos(), as long as its error is at most 44
 * units: 60 for either (pe__bound_far).
 *
 * pe__ziv_round() divides (1 + eta) out again, by a factor that is rounded (0.5), with a
 * product (1), and adds and subtracts e (1): e is 2.5 more for it.
 *
 * Where float(y - e) = float(y + e), that is the answer. The hot loop tests it for the price of a
 * few integer operations. It works on y' = y (1 + eta), for which e <= eta |y| as soon as |y| >=
 * 2^-12 |A|: then |y'| is never below the true |x|, and at most 2 eta |x| above, so float(y') is
 * wrong only if a midpoint of two floats lies at or just below |y'|. The 29 bits that rounding to
 * float drops say so: their value is then in [2^28, 2^28 + 2 eta 2^53]. With the first of them
 * flipped these are the smallest numbers of 29 bits (PE__DROPPED): the hot loop keeps one running
 * minimum of them, and one of the floats' absolute values, or of the upper halves of the doubles',
 * to guard |y| >= 2^-12 |A| and the end of the normal floats. A few elements in 10,000 raise the
 * alarm, and pe__round_flagged() looks at their neighbourhood closely.
 *
 * eta is the error before pe__ziv_round() / 2^-12, and a little for the (1 + eta) on it.
 *
 * A single row of floats has a narrower window, and a guard that shrinks with its position:
 * nothing is rotated after pe__sincos(), so its errors are relative but for that of the phase. In
 * units of 2^-48 these are
 *    22.00  what the short polynomials lack (lacks.py)
 *     0.25  roundings, at most 8 u: of the rest z 2, of sin(pi z) / z 4 and of the product with it
 *           1, of cos(pi z) 5 (gappa.sh)
 *     0.79  the phase, pi 2^-62 |t| / plan->double_range, where |y| >= 2^-12 |A t| /
 *     plan->double_range
 * together 23.04: pe__bound_short_poly has 24, and the window 2 eta 2^53 is 24 2^6. After an alarm
 * the doubles are computed again by the full polynomials, with pe__bound_full_poly's e.
 *
 * Nor do the slow pairs of a run need the guard. Let T be the farthest position on the way to a
 * row, that of the centre, of an anchor or of a row of the plan, and f T <= 1/4: none of these
 * sines is larger than pi f T, and the row's own is at least 0.9 pi f |t|. In units of u pi f T
 * the centre's sine is off by 11, for its errors are relative; a rotation adds 2 for the row and
 * its product, 12 for the centre's cosine, the row's and their product, and 2 for the sum; the
 * second, whose cosine is off by 15, adds 20. These 47 are 52 T / |t| units of the sine, and eta
 * is 2^12 (10.75 + 1/8) units: enough for T <= PE__SLOW_RATIO |t|. T is at most |t| + 144 + 8, so
 * that holds from |t| = 0.2 on (pe__slow_from()). */
enum { PE__SLOW_RATIO = 800 };

/* What the test needs to know of values, for amplitude 1: e of pe__ziv_round(), eta, and the
   window 2 eta 2^53 = (units + 1/8) 2^13, rounded up to a multiple of 2^12. */
typedef struct pe__bound {
    double error, eta;
    int32_t window;
} pe__bound;
#define PE__BOUND(units, window)                                                                   \
    {((units) + 2.5) / 9007199254740992.0, ((units) + 0.125) / 2199023255552.0, (window) << 12}
static const pe__bound pe__bound_full_poly = PE__BOUND(4.375, 9);
static const pe__bound pe__bound_short_poly = {6.875 / 9007199254740992.0, 24 / 281474976710656.0,
                                               24 << 6};
#if PE_SLEEF
static const pe__bound pe__bound_run = PE__BOUND(14.375, 29);
#else
static const pe__bound pe__bound_run = PE__BOUND(10.75, 22);
#endif
static const pe__bound pe__bound_far = PE__BOUND(60, 121);
#undef PE__BOUND
