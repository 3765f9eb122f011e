/* SPDX-License-Identifier: MIT */
/* This file has the error budget of rows whose sines and cosines are computed in double, the proof
 * of the rounding test, and the bounds that the test uses. The rounding errors of the polynomials
 * and of a rotation are proved by tests/checks/gappa.sh. Centres and rotated rows are measured by
 * tests/unit/numbers/test_budget.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../numbers/exp_log.h"

/* ---- 5.7 sines and cosines in double ------------------------------------------------------------
 * All elements of a single row come from pe__sincos(); none is rotated. In a run, 17 rows are a
 * block. The middle row of a block is its anchor. Rotation row b of the plan, 1 <= b <= 8, rotates
 * the anchor to the rows anchor + b and anchor - b. Up to 17 blocks share one centre, which is the
 * anchor of the middle block. The rotation rows 17, 34 ... 136 rotate the centre, forward or
 * backward, to the other anchors. The centre comes from pe__sincos() or, with PE_SLEEF and more
 * than 2 blocks, from SLEEF. Step 5 below says where positions beyond plan->double_range differ. */

/* Rounding test: why floats are correctly rounded
 *
 * 0. Symbols. x is the true element, y the computed one, and |y - x| <= e. A is the amplitude.
 * Kernels compute y' = y (1 + eta) with a small eta > 0, so that y' is not nearer to 0 than x,
 * unless y itself is near 0 (step 7). Step 6 gives e, and step 8 gives eta.
 *
 * 1. Units. Errors are in units of u = 2^-53, for amplitude 1. An error is the length of the error
 * vector of (sine, cosine), because a rotation mixes the errors of the two components. The relative
 * error of a rounding is at most 1 unit, so rounding both components adds at most 1 to the vector.
 * The absolute error of rounding a number below 1 is at most 1/2 unit.
 *
 * 2. pe__sincos(), with the full polynomials. "Unfused" means without fused multiply-add. The
 * terms are
 *     1.00  the rounding of the factor A (1 + eta): along the vector
 *     1.18  the residual z of the argument reduction, |z| <= 1/4 + 2^-17, rounded twice:
 *           pi (2^-56 + 2^-55), across the vector. Unfused, only the last rounding counts, which is
 *           pi 2^-55: 0.79
 *     0.01  the error of the angle, also across the vector: at most pi 2^-62 for positions up to
 *           plan->double_range
 *     3.25  the polynomials with rounded coefficients, as a vector; unfused 3.40. The error of
 *           sin(pi z) alone is 2.69, that of cos(pi z) alone is 2.04, unfused 2.35. gappa.sh proves
 *           the bounds of the two components, in each of three intervals of the factor's mantissa
 *     0.04  the approximation error of the polynomials (tests/tools/lacks.py)
 * Along and across are perpendicular, so the sum is (1.00^2 + 1.19^2)^(1/2) + 3.25 + 0.04: at most
 * 4.85, unfused 4.74.
 *
 * A single row needs the error of one component. For a sine the terms are 2.69 from the polynomial,
 * 0.71 from the term along the vector, 0.84 from the terms across it, and 0.04. Their sum is 4.28.
 * The values 0.71 and 0.84 are for 45 degrees, where their sum is about largest. The error of a
 * cosine is smaller. The bound pe__bound_full_poly is 4.375.
 *
 * 3. A centre from SLEEF. The terms are
 *     4.95  sine and cosine, 3.5 ulp each (u35)
 *     1.90  the angle and the residual z, as in step 2, and the rounding of the correction in
 *           pe__sincos_sleef(), which adds the derivative times `low`
 *     2.00  the rounding of the factor A (1 + eta) and of the products with it
 * The sum is 8.85, unfused 8.46.
 *
 * 4. One rotation of a pair (s, c) by the sine and cosine (S, C) in a rotation row. The terms are
 *     0.71  the rounding of S and C
 *     2.00  the rounding of a product and of the sum. Unfused, two products and the sum are
 *           rounded: again 2 for one component, since |sC| + |cS| <= 1. The vector, from which the
 *           next rotation starts, has 2.42 unfused: (1 + 4 |sc SC|)^(1/2) <= 2^(1/2) from the
 *           products, 1 from the sum
 * The sum is 2.71; unfused 3.13 as a vector, 2.71 for one component of the result.
 *
 * 5. A row of a run is at most two rotations from its centre. The bound pe__bound_run is
 *     10.75   without SLEEF: 4.85 + 2.71 + 2.71 = 10.27, unfused 4.74 + 3.13 + 2.71 = 10.58
 *     14.375  with SLEEF: 14.27, unfused 14.30
 * For positions beyond plan->double_range, pe__sincos_dd() replaces pe__sincos() if its error is
 * below 44 units. Otherwise, correctly rounded elements replace it (pe__compute_centre_far()).
 * pe__bound_far is 60, fused or unfused. It covers the 44 units, 0.71 for omitting the low doubles
 * of sines and cosines, and 2 for the factor A (1 + eta) and the products with it. It also covers
 * 3.13 + 2.71 for two rotations.
 *
 * 6. pe__ziv_round() multiplies y' by 1 - eta + eta^2, which undoes 1 + eta. Three roundings add to
 * the error. The factor 1 - eta + eta^2 adds 0.5, its product with y' adds 1, and the sum y + e or
 * y - e adds 1. Hence e is 2.5 units more than the bounds of steps 2 and 5.
 *
 * 7. The test. Where float(y - e) = float(y + e), this float is the answer (Ziv's test). The hot
 * loop tests a condition that is sufficient for it and costs only a few integer operations. The
 * condition is on y' = y (1 + eta). If |y| >= 2^-12 |A|, the error of y is at most eta |y|. Then
 * |y'| is never below the true |x|, and at most 2 eta |x| above. So float(y') is wrong only if a
 * midpoint of two floats is at |y'| or at most 2 eta |x| below. The 29 bits that rounding to float
 * drops (PE__DROPPED) show this: their value is then in [2^28, 2^28 + 2 eta 2^53]. With the most
 * significant of the 29 bits flipped, this interval is [0, 2 eta 2^53]. So the hot loop keeps two
 * running minima:
 *     The minimum of the dropped bits, with the most significant one flipped. If it is within the
 *     window, 2 eta 2^53, the vectors are flagged.
 *     The minimum of the floats' magnitudes (with AVX2, of the upper halves of the doubles). If it
 *     is below the guard, the vectors are flagged. At or above the guard, |y| >= 2^-12 |A|, and the
 *     float is normal.
 * A few elements in 10,000 are flagged. Ziv's test is then applied to their group, or to their
 * vector if that is the end of a row (pe__round_flagged(), pe__store_partial()).
 *
 * 8. eta is the bound of step 2 or 5 plus 1/8 unit, divided by 2^-12, because |y| may be as small
 * as 2^-12 |A|. The 1/8 is needed because the factor 1 + eta also multiplies the error.
 *
 * 9. A single row of floats, at position t, has a narrower window, and a guard in proportion to
 * |t|. Nothing is rotated after pe__sincos(), so all errors except the angle's are relative. The
 * terms, in units of 2^-48, are
 *    22.00  the approximation error of the short polynomials (tests/tools/lacks.py)
 *     0.25  the roundings, at most 8 u: 1 u for the factor A (1 + eta), 2 u for the residual z, 4 u
 *           for sin(pi z) / z and 1 u for its product with z. cos(pi z) has 5 u in place of the
 *           last two (gappa.sh)
 *     0.79  the error of the angle. It is at most pi 2^-62 |t| / plan->double_range, and above the
 *           guard |y| >= 2^-12 |A t| / plan->double_range
 * The sum is 23.04. pe__bound_short_poly has 24, so the window 2 eta 2^53 is 24 2^6. Flagged
 * vectors are computed again with the full polynomials, and rounded with the e of
 * pe__bound_full_poly.
 *
 * 10. In a run, slow pairs, those of low frequency, do not need the guard |y| >= 2^-12 |A|. Let t
 * be the position of the row. Let T be the largest |position| of the centre, the anchors and the
 * plan's rotation rows on the way to the row. Let f be the magnitude of a pair's frequency, in
 * half-turns per position. The pair is slow if f T <= 1/4. Then no sine on the way is larger than
 * pi f T, and the row's own sine is at least 0.9 pi f |t|. The terms of the sine's error, in units
 * of u pi f T, are
 *     11  the centre, whose errors are relative
 *     16  the first rotation: 2 for the plan's sine and its product, 12 for the centre's cosine,
 *         the plan's cosine and their product, 2 for the sum
 *     20  the second rotation, in which the cosine that is rotated is off by 15 units
 * These 47 units are 52 T / |t| units relative to the row's sine. For T <= PE__SLOW_RATIO |t| this
 * is less than eta, which is 2^12 (10.75 + 1/8) units, or more with SLEEF. T is at most
 * |t| + 144 + 8, so T <= PE__SLOW_RATIO |t| holds for |t| >= 0.2 (pe__slow_from()). */
enum { PE__SLOW_RATIO = 800 };

/* The constants of the rounding test for one kind of rows, for amplitude 1. The steps are those of
   the comment above. PE__BOUND computes them from two numbers. `units` is the error bound of step 2
   or 5, in units of 2^-53. `window` is the window in multiples of 2^12: 2 (units + 1/8), rounded
   up. The divisors are 2^53 and 2^41; pe__bound_short_poly, from step 9, also has 2^48. */
typedef struct pe__bound {
    double error, eta; /* error is e of step 6; eta is eta of step 8 or 9 */
    int32_t window;    /* 2 eta 2^53; PE__BOUND rounds it up to a multiple of 2^12 */
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

/* Returns the guard of the rounding test, as the bits of a float: floats with a smaller magnitude
   are flagged. The guard is 2^-12 share |amplitude|, increased by the factor 1 + 1 / 1024, because
   a float may be less than the double that it was rounded from. `share` is 1 for the pairs of a
   run, |t| / plan->double_range for a single row at position t, and 0 for slow pairs. The guard is
   at least a normal float. If |amplitude| is above 2^127, elements may be infinite, and the guard
   is INT32_MAX, which flags all floats. */
PE__INLINE int32_t pe__guard(double amplitude, double share)
{
    const double size = fabs(amplitude);
    const float minimum = (float)(size * (1.0009765625 / 4096) * share);
    int32_t guard = pe__float_bits(minimum);
    if (guard < 0x00800001) guard = 0x00800001; /* just above the smallest normal float */
    return size > pe__exp2i(127) ? INT32_MAX : guard;
}

/* Returns whether position t is out of range of the double kernel; true for NaN. */
PE__INLINE int pe__is_far(const pe_plan *plan, double t)
{
    return !(fabs(t) <= plan->double_range);
}
