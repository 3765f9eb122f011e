/* SPDX-License-Identifier: MIT */
/* Sums of two doubles, rounded once to any type, and Ziv's test of a sum.
 * tests/checks/levels.sh and tests/unit/rows/test_exact.c test them. */
#pragma once
#include "../pe_simd.h"
#include "../numbers/double_double.h"
#include "../numbers/exp_log.h"

/* Returns, as a float, the number nearest to x, ties to even, of the type that `drop` names:
   PE__DROP_F16 or PE__DROP_BF16. The constant 0x38800000 is 2^-14, the least normal f16. The
   constant 0x47800000 is 2^16, which is beyond all f16 numbers and becomes infinity. */
static inline float pe__round_16(float x, int drop)
{
    uint32_t bits = (uint32_t)pe__float_bits(x);
    const uint32_t sign = bits & 0x80000000u, size = bits ^ sign;
    if (drop == PE__DROP_F16 && size < 0x38800000u) { /* f16 subnormals: multiples of 2^-24 */
        const float y = pe__float_of_bits(size);
        bits = sign | (uint32_t)pe__float_bits((y + 0.75f) - 0.75f);
    } else {
        bits += (1u << (drop - 1)) - 1u + (bits >> drop & 1u);
        bits &= ~((1u << drop) - 1u);
        if (drop == PE__DROP_F16 && (bits ^ sign) >= 0x47800000u) bits = sign | 0x7f800000u;
    }
    return pe__float_of_bits(bits);
}

/* Returns (hi + lo) scale rounded once to the type that `drop` names: PE__DROP_F32, PE__DROP_BF16
   or PE__DROP_F16. |lo| must be at most half an ulp of hi, and scale a power of two. The
   intermediate double, and for 16 bits the intermediate float, are rounded to odd. So only the last
   rounding, to nearest, determines the result. */
static inline float pe__round_once(double hi, double lo, double scale, int drop)
{
    hi = pe__to_odd(hi, lo) * scale;
    float y = (float)hi;
    if (drop == PE__DROP_F32) return y;
    uint32_t word = (uint32_t)pe__float_bits(y);
    if ((double)y != hi && (word & 1) == 0) {
        if (fabs((double)y) < fabs(hi)) word++;
        else word--;
        y = pe__float_of_bits(word);
    }
    return pe__round_16(y, drop);
}

/* Returns hi + lo rounded once to the type that `drop` names, as pe__round_once() does, but lo may
   be of any size. */
static inline float pe__round_sum(double hi, double lo, int drop)
{
    pe__vd low;
    const pe__vd sum = pe__two_sum(pe__splat(hi), pe__splat(lo), &low);
    return pe__round_once(pe__first_lane(sum), pe__first_lane(low), 1, drop);
}

/* Returns (hi + lo) factor, rounded once to a double, for a power of two as `factor`. A subnormal
   result must be a multiple of the least subnormal, so `big` is added and subtracted: the last bit
   of big, times `factor`, is the least subnormal. The sum of big, hi and lo is rounded once,
   because its low parts are first rounded to odd. */
PE__COLD double pe__round_double(double hi, double lo, double factor)
{
    const double sum = hi + lo;
    if (fabs(sum * factor) > pe__exp2i(-1021)) return sum * factor;
    const double minimum = pe__exp2i(-1022) / factor, big = hi < 0 ? -minimum : minimum;
    pe__vd low, rest, last;
    if (fabs(sum) > minimum) return sum * factor;
    const pe__vd high = pe__two_sum(pe__splat(hi), pe__splat(lo), &low);
    const pe__vd rounded = pe__two_sum(pe__splat(big), high, &rest);
    rest = pe__two_sum(rest, low, &last);
    const double odd = pe__to_odd(pe__first_lane(rest), pe__first_lane(last));
    const double size = fabs((pe__first_lane(rounded) + odd) - big) * factor;
    return hi < 0 ? -size : size;
}

/* Applies Ziv's test to hi + lo, whose error is at most e. Rounds (hi + lo + e) factor and
   (hi + lo - e) factor once each, and sets *y to the first. Returns whether both are the same
   number and the error interval does not contain 0. `factor` is a power of two. `drop` names the
   type: 0 for a double, else the value of pe__dropped_bits(). If it is not 0, and |hi| factor is at
   most 2^-200, both are 0 with the sign of hi.

   The second condition is tested as |hi| > 2 e. It is needed because both roundings get the sign of
   hi. If the interval contains 0, the sign of the exact value is unknown, and the exact value may
   be 0. With an amplitude of 2^-950, for example, an interval around 0 would round to 2^-1047 at
   both ends. All callers pass a lo that is far smaller than hi, so |hi| > 2 e implies |hi + lo| >
   e. */
PE__COLD int pe__ziv_test(double hi, double lo, double e, double factor, int drop, double *y)
{
    const double below = lo - e, above = lo + e;
    double other = hi < 0 ? -0.0 : 0.0;
    *y = other;
    if (drop == 0) {
        *y = pe__round_double(hi, above, factor);
        other = pe__round_double(hi, below, factor);
    } else if (fabs(hi) * factor > pe__exp2i(-200)) { /* else 0; products could underflow */
        *y = (double)pe__round_sum(hi * factor, above * factor, drop);
        other = (double)pe__round_sum(hi * factor, below * factor, drop);
    }
    return *y == other && fabs(hi) > 2 * e;
}

/* Does what pe__ziv_test() does, for a |hi| below 4 and with a factor 2^exponent that may be out of
   range of doubles. */
PE__COLD int pe__ziv_test_scaled(double hi, double lo, double e, int exponent, int drop, double *y)
{
    const double down = exponent < -900 ? pe__exp2i(-200) : 1;
    if (exponent < -1100) { /* |hi| 2^exponent is below half the least subnormal */
        *y = hi < 0 ? -0.0 : 0.0;
        return 1;
    }
    if (down < 1) exponent += 200;
    return pe__ziv_test(hi * down, lo * down, e * down, pe__exp2i(exponent), drop, y);
}
