/* SPDX-License-Identifier: MIT */
/* Rounds elements correctly: from double-double if Ziv's test is conclusive, else with multi-limb
 * integers. Tested by tests/checks/levels.sh and tests/unit/sincos/test_theorem.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../numbers/double_double.h"
#include "../numbers/exp_log.h"
#include "../numbers/real.h"
#include "../frequencies/geometric.h"
#include "double_double.h"
#include "round.h"

/* ---- 5.6 sine and cosine, correctly rounded -----------------------------------------------------
 * If Ziv's test in double-double is inconclusive, the element is computed from the config with
 * multi-limb integers, with as many bits as are needed to round it. An element is a double, the
 * amplitude, times a sine or cosine. So it is a midpoint of two numbers only if the sine or cosine
 * is rational. Except for an angle of 0, this is so only in the cases of point 3, which are
 * recognised. In all other cases, sufficient precision makes the rounding certain. The angle is an
 * algebraic number or, if half_turns is set, pi times such a number:
 *   1. The sine and cosine of an algebraic number other than 0 are transcendental (Lindemann).
 *   2. The sine and cosine of pi times an irrational algebraic number are also transcendental
 *      (Gelfond, Schneider).
 *   3. The sine or cosine of pi times a rational number is rational only if it is 0, +-1/2 or +-1
 *      (Niven). The rational number is then a multiple of 1/6.
 *
 * Frequencies that are the caller's doubles, in radians per position, need a third of this code.
 * For them the parameter `given` is 1, a constant at compile time: see pe__element_rounder. */

/* Returns whether x^m = y^q, for x > 0 and y > 0. If x^m = y^q and q >= m, then y divides x, and
   the equation is the same as (x / y)^m = y^(q - m). If q < m, the same holds with x and y, and m
   and q, exchanged. Each round of the loop reduces the equation in this way. */
PE__COLD int pe__powers_equal(uint64_t x, uint64_t m, uint64_t y, uint64_t q)
{
    while (m > 0 && q > 0 && x > 1 && y > 1) {
        if (q < m ? y % x : x % y) return 0;
        if (q < m) {
            y /= x;
            m -= q;
        } else {
            x /= y;
            q -= m;
        }
    }
    return (x == 1 || m == 0) && (y == 1 || q == 0);
}

/* Returns a b - c, rounded once. c must be so close to a b that the rounded product minus c is
   exact in double. */
PE__COLD double pe__product_minus(double a, double b, double c)
{
    pe__vd e;
    const double p = pe__first_lane(pe__two_prod(pe__splat(a), pe__splat(b), &e));
    return (p - c) + pe__first_lane(e);
}

/* For PE_COLUMNS_SUMS: adds up the products of a pair's frequency and the coordinate, over the
   coordinates of the row (plan->point). The frequencies are the caller's, not scaled. Returns 1 and
   sets *sum if every product and every partial sum is exact in double. Otherwise returns 0, and
   *sum is meaningless. */
PE__COLD int pe__exact_sum(const pe_plan *plan, size_t pair, double *sum)
{
    const double *m = plan->matrix + plan->first + pair;
    *sum = 0;
    for (size_t k = 0; k < plan->axes; k++, m += plan->matrix_step) {
        pe__vd low;
        const double product = *m * plan->point[k];
        *sum = pe__first_lane(pe__two_sum(pe__splat(*sum), pe__splat(product), &low));
        if (pe__first_lane(low) != 0 || pe__product_minus(*m, plan->point[k], product) != 0)
            return 0;
        if (product == 0 && *m != 0 && plan->point[k] != 0) return 0;
    }
    return 1;
}

/* Sets w so that the frequency of a pair, without the pi of half_turns, is exactly (w[0] + w[1]) /
 * w[2] with an odd w[2], and returns 1. Returns 0 if the frequency is not found to be exactly
 * rational. For PE_COLUMNS_SUMS, the frequency is the scale times the sum of pe__exact_sum().
 *
 * A frequency of a config is scale base^(-i / D). The power base^(i / D) is recognised as rational
 * as follows. The double `power` is its double-double value, rounded. Let base = b 2^e and
 * power = y 2^s, with odd integers b and y. If b^i = y^D, base^(i / D) is exactly power times
 * 2^(e i / D - s). Here i and D have been doubled until D is an integer, of at most 2^50. So this
 * factor is 1, or differs from 1 by about ln 2 / D or more. Such a difference is excluded if power
 * differs from the double-double value by at most 2^-90 of itself. */
PE__COLD int pe__rational_frequency(const pe_plan *plan, size_t pair, double *w)
{
    const double *const f = plan->frequency + pair;
    const pe__axis *axis;
    double i = pe__frequency_index(plan, pair, &axis), d = axis->denominator[0], quotient = 1;
    w[2] = 1;
    if (plan->point) {
        if (!pe__exact_sum(plan, pair, &quotient)) return 0;
    } else if (plan->exact_frequencies) {
        w[0] = f[0];
        w[1] = f[plan->padded];
        return 1;
    } else if (plan->base == 0 || (i != 0 && plan->base != 1)) {
        const pe__dd ratio = {pe__splat(f[0]), pe__splat(f[plan->padded])};
        const pe__dd radians = pe__dd_renormalize(pe__dd_mul(ratio, pe__dd_splat(pe__pi)));
        const pe__dd y = plan->half_turns ? ratio : radians;
        const double hi = pe__first_lane(y.hi), lo = pe__first_lane(y.lo), scale = plan->unit;
        if (plan->base == 0) { /* the caller's frequency: the double nearest to y / scale */
            quotient = hi / scale;
            quotient += (lo - pe__product_minus(quotient, scale, hi)) / scale;
        } else { /* base^(i / D) by a division and a Newton step */
            double power = scale / hi;
            power -= (pe__product_minus(power, hi, scale) + power * lo) / hi;
            const double rest = pe__product_minus(power, hi, scale) + power * lo;
            for (int k = 0; k < 20 && d != pe__round_to_integer(d); k++) {
                d *= 2;
                i *= 2;
            }
            if (d > pe__exp2i(50) || d != pe__round_to_integer(d) || axis->denominator[1] != 0 ||
                fabs(rest) > fabs(scale) * pe__exp2i(-90))
                return 0;
            const uint64_t odd = pe__odd_significand(power);
            if (!pe__powers_equal(pe__odd_significand(plan->base), (uint64_t)i, odd, (uint64_t)d))
                return 0;
            w[2] = (double)odd;
            quotient = w[2] / power;
        }
    }
    w[0] = plan->unit * quotient;
    w[1] = pe__product_minus(plan->unit, quotient, w[0]);
    return 1;
}

/* Returns a bound of the error that a sine or cosine of a pair inherits from the pair's frequency.
   `angle` is |angle| in half-turns. For PE_COLUMNS_SUMS, the sum of |frequency times coordinate|
   over the coordinates is used in place of `angle`. The bound is 0 if half_turns is set and the
   plan's two doubles are exactly the frequency, except with `given` or PE_ANGLE_FLOAT32. The
   factor 4 is pi, the radians in a half-turn, rounded up. */
PE__COLD double pe__inherited_error(const pe_plan *plan, size_t pair, double angle, int given)
{
    const double *const f = plan->frequency + pair;
    double w[3], size = 0;
    if (given) return 4 * angle * plan->error;
    if (plan->half_turns && !plan->float32 && pe__rational_frequency(plan, pair, w) && w[2] == 1 &&
        w[0] == f[0] && w[1] == f[plan->padded])
        return 0;
    if (!plan->point) return 4 * angle * plan->error;
    const double *m = plan->matrix + plan->first + pair;
    for (size_t k = 0; k < plan->axes; k++, m += plan->matrix_step)
        size += fabs(*m * plan->point[k]);
    size *= fabs(plan->unit) * (plan->half_turns ? 1 : pe__inverse_pi[0]);
    return 4 * size * plan->error;
}

/* Returns the error bound of pe__sincos_dd() for one sine (component 0) or cosine (1). It is
   tighter than pe__sincos_error() because the sine of an angle below 1/4 half-turn has a relative
   error. For angles up to 2^-800 half-turns it returns 1, which makes Ziv's test inconclusive,
   because products below 2^-900 lose bits. */
PE__COLD double pe__sincos_dd_error(const pe_plan *plan, size_t pair, double t, int component,
                                    int given)
{
    const double angle = fabs(pe__one_multiple(plan, pair, t) * plan->frequency[pair]);
    const double part = component == 0 && angle < 0.25 ? 4 * angle : 1;
    const double inherited = pe__inherited_error(plan, pair, angle, given);
    return angle > pe__exp2i(-800) ? part * pe__exp2i(-97) + inherited : 1;
}

/* Multiplies x by the exact frequency of a pair, in radians per position. If plan->half_turns is
   set, the frequency has a factor pi; x is not multiplied by this factor here. For PE_COLUMNS_SUMS,
   the frequency is the scale times the sum over all coordinates of the row. */
PE__COLD void pe__bigfloat_by_frequency(pe__bigfloat *x, const pe_plan *plan, size_t pair,
                                        int given)
{
    const int n = x->n;
    double rational[3] = {0, 0, 1};
    pe__bigfloat w = pe__bigfloat_of(plan->unit, n), y, z;
    if (given) {
        const double *const f = plan->frequency + pair;
        const pe__dd half_turns = {pe__splat(f[0]), pe__splat(f[plan->padded])};
        const pe__dd radians = pe__dd_renormalize(pe__dd_mul(half_turns, pe__dd_splat(pe__pi)));
        pe__bigfloat_mul_double(x, pe__first_lane(radians.hi)); /* hi is the caller's double */
        return;
    }
    if (plan->point) { /* the sums of PE_COLUMNS_SUMS */
        const double *m = plan->matrix + plan->first + pair;
        z = pe__bigfloat_of(0, n);
        for (size_t k = 0; k < plan->axes; k++, m += plan->matrix_step) {
            y = pe__bigfloat_of(*m, n);
            pe__bigfloat_mul_double(&y, plan->point[k]);
            pe__bigfloat_add(&z, &y, 1);
        }
        pe__bigfloat_mul(&w, &z);
    } else if (pe__rational_frequency(plan, pair, rational)) {
        w = pe__bigfloat_of(rational[0], n);
        pe__bigfloat_add_double(&w, rational[1]);
    } else {
        const pe__axis *axis;
        const double i = pe__frequency_index(plan, pair, &axis);
        y = pe__bigfloat_of(plan->base, n);
        z = pe__bigfloat_of(axis->denominator[0], n);
        pe__bigfloat_log(&y);
        pe__bigfloat_mul_double(&y, -i);
        pe__bigfloat_add_double(&z, axis->denominator[1]);
        pe__bigfloat_div(&y, &z);
        pe__bigfloat_exp(&y);
        pe__bigfloat_mul(&w, &y);
    }
    pe__bigfloat_mul(x, &w);
    /* The division comes last, so that the result is exact if it has at most n limbs. */
    if (rational[2] != 1) pe__bigfloat_div_double(x, rational[2]);
}

/* These are the values of 2 sin(k pi / 6) for k = 0 ... 11. The value 3 stands for an irrational
   number, +-3^(1/2). */
static const signed char pe__twice_sine[12] = {0, 1, 3, 2, 3, 1, 0, -1, 3, -2, 3, -1};

/* Replaces the angle x by its sine or, for component 1, its cosine. `given` means that the
 * frequency is the caller's double in radians. The angle is in half-turns if half_turns is set and
 * `given` is not, else in radians. If a multiple of 1/6 half-turn has a rational sine or cosine, 0,
 * +-1/2 or +-1, x becomes that exact value (point 3 of section 5.6). Returns 0 if more limbs are
 * needed to distinguish x from a multiple of 1/6, else 1. `enough` says that n limbs suffice to
 * distinguish every rational x from all multiples of 1/6 other than itself, or that more limbs are
 * not available. Then an x that cannot be distinguished from a multiple is taken to be it. */
PE__COLD int pe__bigfloat_sine(pe__bigfloat *x, int component, int half_turns, int enough,
                               int given)
{
    const int n = x->n;
    const double k = pe__round_to_integer(pe__bigfloat_to_double(x) *
                                          (!given && half_turns ? 2 : 0.6366197723675814));
    int quarter = (int)((uint64_t)(int64_t)k & 3) + component;
    pe__bigfloat y, z = pe__bigfloat_pi(n);
    if (!given && half_turns) {
        pe__bigfloat_add_double(x, -k / 2);
        y = *x;
        pe__bigfloat_mul_double(&y, 6);
        const double sixths = pe__round_to_integer(pe__bigfloat_to_double(&y));
        pe__bigfloat_add_double(&y, -sixths);
        if (!pe__bigfloat_has_sign(&y)) {
            const int twelfth = (3 * quarter + (int)sixths + 12) % 12;
            if (!pe__bigfloat_is_exact(&y) && !enough) return 0;
            if (pe__twice_sine[twelfth] != 3) {
                *x = pe__bigfloat_of(pe__twice_sine[twelfth] / 2.0, n);
                return 1;
            }
        }
        pe__bigfloat_mul(x, &z);
    } else {
        pe__bigfloat_mul_double(&z, -k / 2);
        pe__bigfloat_add(x, &z, 1);
    }
    y = *x;
    pe__bigfloat_mul(&y, x);
    y.sign = -y.sign;
    if (k == 0 && x->exponent < -560 && !pe__bigfloat_is_0(x)) {
        /* |x| is below 2^-560, so cos x and sin x / x are below 1 by less than 2^-1120. All numbers
           between 1 - 2^-1120 and 1 lead to the same rounded element, so take 1 - 2^-1120. */
        z = pe__bigfloat_of(1, n);
        y = z;
        y.exponent = -1119;
        pe__bigfloat_add(&z, &y, -1);
    } else {
        z = pe__bigfloat_series(&y, PE__TRIG, quarter & 1 ? 1 : 2);
    }
    if (quarter & 1) *x = z;
    else pe__bigfloat_mul(x, &z);
    if (quarter & 2) x->sign = -x->sign;
    return 1;
}

/* These are the quantities of a pair that are computed. The frequency w is in radians per position,
   t is the position, and A is the amplitude. PE__SINE is A sin(t w) and PE__COSINE is A cos(t w);
   their values, 0 and 1, are also those of `component`. PE__FREQUENCY is w. PE__WAVELENGTH is 2 pi
   / w, in positions. */
typedef enum pe__quantity { PE__SINE, PE__COSINE, PE__FREQUENCY, PE__WAVELENGTH } pe__quantity;

/* Returns the quantity `what` of a pair at position t, rounded once to the type that `drop` names
   (0: double; else the value of pe__dropped_bits()). `less` is subtracted from A sin(t w) or
   A cos(t w) before the rounding, so that pe__sincos_exact() gets the rest beyond a double.
   Computes with multi-limb integers, and increases the number of limbs until the rounding is
   certain. With PE__LIMBS limbs, a number that cannot be distinguished from a midpoint is taken to
   be it. */
PE__COLD double pe__round_quantity(const pe_plan *plan, size_t pair, double t, pe__quantity what,
                                   int given, double less, int drop)
{
    const int half_turns = !given && plan->half_turns && !plan->float32;
    const pe__axis *axis = plan->axis;
    const double i = given ? 0 : pe__frequency_index(plan, pair, &axis);
    for (int n = PE__LIMBS_FIRST;; n = pe__next_limbs(n)) {
        const int last = n == PE__LIMBS;
        const int enough =
            last || (!given && plan->base != 0 && 32.0 * n > 512 + 53 * i / axis->denominator[0]);
        const int number = !given && what >= PE__FREQUENCY;
        pe__bigfloat x = pe__bigfloat_of(number ? 1 : pe__one_multiple(plan, pair, t), n);
        pe__bigfloat w = pe__bigfloat_pi(n);
        double y;
        if (given || !plan->float32) pe__bigfloat_by_frequency(&x, plan, pair, given);
        else if (number) pe__bigfloat_mul_double(&x, plan->float32[pair]);
        if (number) {
            if (half_turns) pe__bigfloat_mul(&x, &w);
            w.exponent++;
            if (what == PE__WAVELENGTH) {
                pe__bigfloat_div(&w, &x);
                x = w;
            }
        } else {
            if (!pe__bigfloat_sine(&x, what == PE__COSINE, half_turns, enough, given)) continue;
            pe__bigfloat_mul_double(&x, plan->amplitude);
            pe__bigfloat_add_double(&x, -less);
        }
        if (pe__bigfloat_round(&x, drop, last, &y)) return x.sign == 0 ? 0 * plan->amplitude : y;
    }
}

/* Computes the values that pe__sincos_dd() approximates, with each lane correctly rounded: hi is
   the rounded sine or cosine, and lo is the exact value minus hi, rounded. */
PE__COLD void pe__sincos_exact(const pe_plan *plan, size_t pair, double t, pe__dd *sine,
                               pe__dd *cosine)
{
    pe_plan x = *plan;
    x.amplitude = 1;
    for (int k = 0; k < 2; k++) {
        double hi[PE_LANES], lo[PE_LANES];
        for (size_t lane = 0; lane < PE_LANES; lane++) {
            hi[lane] = pe__round_quantity(&x, pair + lane, t, (pe__quantity)k, 0, 0, 0);
            lo[lane] = pe__round_quantity(&x, pair + lane, t, (pe__quantity)k, 0, hi[lane], 0);
        }
        (k ? cosine : sine)->hi = pe__load(hi);
        (k ? cosine : sine)->lo = pe__load(lo);
    }
}

/* Returns a pair's frequency in radians per position (what: PE__FREQUENCY) or its wavelength in
   positions (PE__WAVELENGTH), rounded once to the type that `drop` names (0: double; else the value
   of pe__dropped_bits()). */
PE__DIVIDES_BY_ZERO /* with frequency 0 the wavelength is infinity: see pe_plan_wavelengths() */
PE__COLD double pe__plan_quantity(const pe_plan *plan, size_t pair, pe__quantity what, int drop)
{
    const double *const given = plan->frequency + pair;
    pe__dd f = {pe__splat(given[0]), pe__splat(given[plan->padded])}, y;
    double number;
    if (plan->float32) f = pe__dd_mul_double(f, plan->float32[pair]);
    if (pe__first_lane(f.hi) == 0) /* 0 or -0, as the caller gave it */
        return what == PE__FREQUENCY ? pe__first_lane(f.hi) : 2 / pe__first_lane(f.hi);
    y = pe__dd_renormalize(pe__dd_mul(f, pe__dd_splat(pe__pi)));
    if (what == PE__WAVELENGTH) {
        pe__vd e;
        y.hi = pe__splat(2.0) / f.hi;
        const pe__vd p = pe__two_prod(y.hi, f.hi, &e);
        y.lo = ((pe__splat(2.0) - p) - e - y.hi * f.lo) / f.hi;
    }
    const double hi = pe__first_lane(y.hi), e = fabs(hi) * (plan->error + pe__exp2i(-97));
    if (pe__ziv_test(hi, pe__first_lane(y.lo), e, 1, drop, &number)) return number;
    return pe__round_quantity(plan, pair, 1, what, 0, 0, drop);
}

/* Returns 1 and sets *y to an element if its angle is found to be exactly a multiple of 1/6
   half-turn, with a rational sine or cosine. This is 0, +-1/2 or +-1. Without half_turns, only the
   angle 0 can be such a multiple. Returns 0 also where products are not exact in double; then
   pe__round_quantity() recognises the multiple. */
PE__COLD int pe__round_rational_angle(const pe_plan *plan, double t, size_t pair, int component,
                                      int drop, double *y)
{
    const double a = plan->amplitude;
    double w[3];
    if (plan->float32 || !pe__rational_frequency(plan, pair, w) || w[1] != 0) return 0;
    const double p = t * w[0], six = 6 * p, rounded = pe__round_to_integer(six / w[2]);
    const double right = rounded * w[2];
    if (pe__product_minus(t, w[0], p) != 0 || (p == 0 && w[0] != 0)) return 0; /* p is inexact */
    if (six != right || pe__product_minus(6, p, six) != pe__product_minus(rounded, w[2], right))
        return 0;
    if (!plan->half_turns && p != 0) return 0;
    const int twelfth = (int)(((int64_t)rounded % 12 + 12 + 3 * component) % 12);
    if (pe__twice_sine[twelfth] == 3) return 0;
    *y = a * (pe__twice_sine[twelfth] / 2.0);
    if (drop && *y != 0) *y = (double)pe__round_once(*y, 0, 1, drop);
    return 1;
}

/* Sets *y to A sin x for a tiny angle x and returns whether the rounding is certain. The number
   multiple 2^exponent is the position or, with PE_ANGLE_FLOAT32, the angle in radians. Powers of
   two are kept separate, so that all factors are near 1. Returns 0 if x may be pi 2^-59 radians or
   more. */
PE__COLD int pe__round_tiny_sine(const pe_plan *plan, size_t pair, double multiple, int exponent,
                                 int given, int drop, double *y)
{
    const double *const f = plan->frequency + pair;
    int of_w, of_a;
    (void)pe__frexp(plan->scale, &of_a);
    (void)pe__frexp(f[0], &of_w);
    if (exponent + of_w > -59) return 0;
    const double up = pe__exp2i(-of_w), size = fabs(f[0]);
    const double inherited = pe__inherited_error(plan, pair, size, given) / size;
    const pe__dd ratio = {pe__splat(f[0] * up), pe__splat(f[plan->padded] * up)};
    const pe__dd angle = pe__dd_mul_double(pe__dd_mul(ratio, pe__dd_splat(pe__pi)), multiple);
    const pe__dd x = pe__dd_mul_double(angle, plan->mantissa);
    const double hi = pe__first_lane(x.hi), e = fabs(hi) * (inherited + pe__exp2i(-97));
    return pe__ziv_test_scaled(hi, pe__first_lane(x.lo), e, exponent + of_w + of_a - 1, drop, y);
}

/* Sets *y to an element of a tiny angle, and returns whether the rounding is certain. A tiny angle
 * may be out of range of doubles, or its cosine too close to 1 for double-double. If the angle x
 * may be pi 2^-40 radians or more, the function returns 0. Otherwise:
 *
 *     A cos x is between A (1 - 2^-77) and A. Apart from A itself, no midpoint of two numbers is
 *         within 2^-54 |A| of A. So A cos x rounds as any number slightly nearer to 0 than A does.
 *     A sin x is A x (1 - d). If x is below pi 2^-59, d is below 2^-117. Then Ziv's test is applied
 *         to A x. A x is a product of numbers near 1 and a power of two, with a relative error of
 *         2^-100 plus the error inherited from the frequency. For larger x, returns 0. */
PE__COLD int pe__round_tiny_angle(const pe_plan *plan, double t, size_t pair, int component,
                                  int given, int drop, double *y)
{
    const double f = plan->frequency[pair], multiple = pe__one_multiple(plan, pair, t);
    const double a = plan->amplitude;
    /* multiple may be subnormal, but pe__frexp() needs normal numbers */
    const double enlarged = fabs(multiple) < pe__exp2i(-900) ? pe__exp2i(120) : 1;
    int of_multiple, of_f;
    if (f == 0 || multiple * enlarged == 0) return 0;
    const double m = pe__frexp(multiple * enlarged, &of_multiple);
    (void)pe__frexp(f, &of_f);
    if (enlarged > 1) of_multiple -= 120;
    if (of_multiple + of_f > -40) return 0;
    if (pe__inherited_error(plan, pair, fabs(f), given) > fabs(f) * pe__exp2i(-80))
        return 0; /* the terms of PE_COLUMNS_SUMS cancel; the sum may be 0 */
    if (component == 0) return pe__round_tiny_sine(plan, pair, m, of_multiple, given, drop, y);
    *y = drop ? (double)pe__round_once(a, -a * pe__exp2i(-60), 1, drop) : a;
    return 1;
}

/* Returns an element correctly rounded: A times the sine (component 0) or cosine (1) of a pair at
 * position t, in the type that `drop` names (0: double; else the value of pe__dropped_bits()). The
 * argument `approx` is the sine or cosine from pe__sincos_dd(), times plan->mantissa, as a sum of
 * two doubles. It is NULL if the caller has not computed it, as for floats. Tries, in this order:
 *   1. an angle of exactly 0
 *   2. if approx is NULL, pe__round_tiny_angle()
 *   3. double-double with Ziv's test
 *   4. pe__round_tiny_angle()
 *   5. if `given` is 0, pe__round_rational_angle()
 *   6. pe__round_quantity() with multi-limb integers, which always decides */
PE__COLD double pe__round_element(const pe_plan *plan, double t, size_t pair, int component,
                                  int given, int drop, const double *approx)
{
    const double *const w = plan->float32 ? plan->float32 : plan->frequency;
    double own[2], y;
    if (!plan->point && (t == 0 || w[pair] == 0)) { /* a sum that is 0 is found below */
        if (component == 0) return 0 * plan->amplitude;
        return drop ? (double)pe__round_once(plan->amplitude, 0, 1, drop) : plan->amplitude;
    }
    if (!approx) {
        pe__dd angle[2];
        if (pe__round_tiny_angle(plan, t, pair, component, given, drop, &y)) return y;
        pe__sincos_dd(plan, pair, t, &angle[0], &angle[1]);
        angle[0] = pe__dd_mul_double(angle[component], plan->mantissa);
        own[0] = pe__first_lane(angle[0].hi);
        own[1] = pe__first_lane(angle[0].lo);
        approx = own;
    }
    const double e = pe__sincos_dd_error(plan, pair, t, component, given);
    if (pe__ziv_test(approx[0], approx[1], e, plan->scale, drop, &y)) return y;
    if (pe__round_tiny_angle(plan, t, pair, component, given, drop, &y)) return y;
    if (!given && pe__round_rational_angle(plan, t, pair, component, drop, &y)) return y;
    return pe__round_quantity(plan, pair, t, (pe__quantity)component, given, 0, drop);
}

/* This is the type of the two functions below, which call pe__round_element() with a constant
   `given`: 0 for any plan, 1 for frequencies that are the caller's doubles in radians. The argument
   `known` is `approx` of pe__round_element(). Row kernels call them through a pointer, so that a
   program that uses only given frequencies contains no code for the frequencies of a config. */
typedef double pe__element_rounder(const pe_plan *plan, double t, size_t pair, int component,
                                   int drop, const double *known);
PE__COLD double pe__round_element_any(const pe_plan *plan, double t, size_t pair, int component,
                                      int drop, const double *approx)
{
    return pe__round_element(plan, t, pair, component, 0, drop, approx);
}
PE__COLD double pe__round_element_given(const pe_plan *plan, double t, size_t pair, int component,
                                        int drop, const double *approx)
{
    return pe__round_element(plan, t, pair, component, 1, drop, approx);
}
