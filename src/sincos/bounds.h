/* SPDX-License-Identifier: MIT */
/* The error budget of rows in double, the proof of the rounding test, and the bounds it uses.
 * tests/checks/gappa.sh proves the terms, tests/unit/numbers/test_budget.c measures them. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../numbers/exp_log.h"

/* ---- 5.7 sines and cosines by double ------------------------------------------------------------
 * A single row comes from pe__sincos(), pair by pair. In a run, 17 rows are a block. The middle row
 * of a block is its anchor. The rotation rows 1 ... 8 of the plan rotate the anchor to the rows
 * anchor + b and anchor - b. Up to 17 blocks share one centre, which is the anchor of the middle
 * block. The rotation rows 17, 34 ... 136 rotate the centre, forward or backward, to the other
 * anchors. The centre comes from pe__sincos(); with PE_SLEEF and more than 2 blocks, from SLEEF. */

/* Rounding test: why floats are correctly rounded
 *
 * 0. Symbols. x is the true element, y the computed one, and |y - x| <= e. A is the amplitude.
 * Kernels compute y' = y (1 + eta) with a small eta > 0, so that y' is never nearer to 0 than x
 * (step 7). Step 6 gives e, and step 8 gives eta.
 *
 * 1. Units. Errors are in units of u = 2^-53, for amplitude 1. An error is the length of the error
 * vector of (sine, cosine), because a rotation mixes the errors of the two components. A relative
 * rounding adds 1 to a vector. An absolute rounding of numbers below 1 adds 1/2 to each component.
 *
 * 2. pe__sincos(), by the full polynomials. "Unfused" means without fused multiply-add. The
 * terms are
 *     1.00  the rounding of the factor A (1 + eta): along the vector
 *     1.18  the residual z of the argument reduction, |z| <= 1/4 + 2^-17, rounded twice:
 *           pi (2^-56 + 2^-55), across the vector; unfused it is rounded once: 0.79
 *     0.01  the error of the angle, also across the vector: at most pi 2^-62 for positions up to
 *           plan->double_range
 *     3.25  the polynomials with rounded coefficients, as a vector; unfused 3.40. One component
 *           alone: sin(pi z) 2.69, cos(pi z) 2.04, unfused 2.35. gappa.sh proves them in each of
 *           three intervals of the factor's mantissa
 *     0.04  the approximation error of the polynomials (lacks.py)
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
 *     2.00  the rounding of the factor and of the products with the factor
 * The sum is 8.85, unfused 8.46.
 *
 * 4. One rotation of (s, c) by a rotation row (S, C) of the plan. The terms are
 *     0.71  the rounding of S and C
 *     2.00  the rounding of a product and of the sum. Unfused, two products and the sum are
 *           rounded: again 2 for one component, since |sC| + |cS| <= 1. The vector, from which the
 *           next rotation starts, has 2.42 unfused: (1 + 4 |sc SC|)^(1/2) <= 2^(1/2) from the
 *           products, 1 from the sum
 * The sum is 2.71; unfused 3.13 as a vector, 2.71 for one component of the result.
 *
 * 5. A row of a run is two rotations from its centre. The bound pe__bound_run is
 *     10.75   without SLEEF: 4.85 + 2.71 + 2.71 = 10.27, unfused 4.74 + 3.13 + 2.71 = 10.58
 *     14.375  with SLEEF: 14.27, unfused 14.30
 * For positions beyond plan->double_range, pe__sincos_dd() replaces pe__sincos() if its error is
 * below 44 units. Otherwise, correctly rounded elements replace it (pe__compute_centre_far()).
 * pe__bound_far is 60, fused or unfused.
 *
 * 6. pe__ziv_round() multiplies y' by 1 - eta + eta^2, which undoes 1 + eta. Three roundings add to
 * the error: of this factor (0.5), of the product (1), and of y - e and y + e (1). Hence e is 2.5
 * units more than the bounds of steps 2 and 5.
 *
 * 7. The test. Where float(y - e) = float(y + e), this float is the answer (Ziv's test). The hot
 * loop tests a condition that is sufficient for it and costs only a few integer operations. The
 * condition is on y' = y (1 + eta). If |y| >= 2^-12 |A|, the error of y is at most eta |y|. Then
 * |y'| is never below the true |x|, and at most 2 eta |x| above. So float(y') is wrong only if a
 * midpoint of two floats lies at |y'| or just below. The 29 bits that rounding to float drops
 * (PE__DROPPED) show this: their value is then in [2^28, 2^28 + 2 eta 2^53]. With the most
 * significant of the 29 bits flipped, this interval is [0, 2 eta 2^53]. So the hot loop keeps two
 * running minima:
 *     of the dropped bits, with the most significant one flipped: vectors are flagged if the
 *     minimum is within the window, 2 eta 2^53
 *     of the absolute values of floats, or of the upper halves of doubles: vectors are flagged if
 *     the minimum is below the guard, which stands for |y| >= 2^-12 |A| and a normal float
 * A few elements in 10,000 are flagged. pe__round_flagged() applies Ziv's test to their vectors.
 *
 * 8. eta is the bound of step 2 or 5 plus 1/8 unit, divided by 2^-12. The 1/8 is needed because the
 * factor 1 + eta also multiplies the error.
 *
 * 9. A single row of floats has a narrower window, and a guard that shrinks with the position.
 * Nothing is rotated after pe__sincos(), so all errors except the angle's are relative. The terms,
 * in units of 2^-48, are
 *    22.00  the approximation error of the short polynomials (lacks.py)
 *     0.25  the roundings, at most 8 u. The residual z has 2. sin(pi z) / z has 4, and its product
 *           with z has 1. cos(pi z) has 5 (gappa.sh)
 *     0.79  the error of the angle, pi 2^-62 |t| / plan->double_range, where
 *           |y| >= 2^-12 |A t| / plan->double_range
 * The sum is 23.04. pe__bound_short_poly has 24, so the window 2 eta 2^53 is 24 2^6. Flagged
 * vectors are computed again by the full polynomials and rounded with the e of pe__bound_full_poly.
 *
 * 10. In a run, slow pairs, those of low frequency, do not need the guard |y| >= 2^-12 |A|. Let t
 * be the position of the row. Let T be the largest |position| of the centre, the anchors and the
 * plan's rotation rows on the way to the row. A pair of frequency f, in half-turns, is slow if
 * f T <= 1/4. Then no sine on the way is larger than pi f T, and the row's own sine is at least
 * 0.9 pi f |t|. The terms of the sine's error, in units of u pi f T, are
 *     11  the centre, whose errors are relative
 *     16  the first rotation: 2 for the plan's sine and its product, 12 for the centre's cosine,
 *         the plan's cosine and their product, 2 for the sum
 *     20  the second rotation, whose cosine is off by 15
 * These 47 units are 52 T / |t| units relative to the row's sine. eta is 2^12 (10.75 + 1/8) units,
 * which is enough for T <= PE__SLOW_RATIO |t|. T is at most |t| + 144 + 8, so this holds for
 * |t| >= 0.2 (pe__slow_from()). */
enum { PE__SLOW_RATIO = 800 };

/* The bounds of the rounding test, for amplitude 1. PE__BOUND takes the error bound of step 2 or 5
   in units, and the window in multiples of 2^12: 2 (units + 1/8), rounded up. */
typedef struct pe__bound {
    double error, eta; /* e and eta of pe__ziv_round() */
    int32_t window;    /* 2 eta 2^53, by PE__BOUND rounded up to a multiple of 2^12 */
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
   are flagged. The guard is 2^-12 share |amplitude|, increased by 1 / 1024, because a float may be
   less than the double that it was rounded from. It is a normal float. If elements may be infinite,
   it is INT32_MAX, which flags all floats. */
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
