/* SPDX-License-Identifier: MIT */
/* Operations on one number, the same for all.
 * Gives: PE__DROPPED, PE__TO_TOP, pe__float_bits(), pe__odd24_one(), pe__one_to_f16(),
 *   pe__to_odd(), pe__zero().
 * Tests: tests/unit/test_types.c. */
#pragma once
#include "compiler.h"

/* ---- one number, the same for all ------------------------------------------------------------ */

/* Bits that rounding a double to float drops, 53 - 24; and the shift that moves them to the top of
   32 bits. There the first of them is the sign, so a tie (1, then zeros) is the least number of
   all. */
enum { PE__DROPPED = 29, PE__TO_TOP = 32 - PE__DROPPED };

/* +0 that is not seen to be 0: clang leaves out additions of it under -fno-signed-zeros, whatever
   the pragmas say, and -0 + 0 stays -0. */
PE__INLINE float pe__zero(void)
{
    float zero = 0;
    PE__OPAQUE(zero);
    return zero;
}

/* hi + lo for |lo| <= ulp(hi) / 2, rounded to odd: cut, and the last bit set if that lost
   anything. What then rounds to fewer bits is rounded as if once. hi where lo is NaN, as after an
   overflow. */
PE__INLINE double pe__to_odd(double hi, double lo)
{
    uint64_t bits;
    memcpy(&bits, &hi, sizeof bits);
    if ((lo < 0 || lo > 0) && (bits & 1) == 0) {
        if ((lo < 0) == (hi < 0)) bits++;
        else bits--;
        memcpy(&hi, &bits, sizeof bits);
    }
    return hi;
}

/* 0x1fffffff masks the PE__DROPPED bits. Adding it carries into the last bit that stays if any of
   them is set. */
PE__INLINE double pe__odd24_one(double a) /* a to 24 bits, to odd */
{
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    bits = (bits | ((bits & 0x1fffffffu) + 0x1fffffffu)) & ~(uint64_t)0x1fffffffu;
    memcpy(&a, &bits, sizeof a);
    return a;
}
PE__INLINE int32_t pe__float_bits(float x)
{
    int32_t i;
    memcpy(&i, &x, sizeof i);
    return i;
}

/* Rounded to f16, as by pe__to_f16. As the bits of floats, 0x38800000 is 2^-14, f16's least normal
   number, and 0x477fefff the last float that rounds to 65504 and not to infinity. 112 is how much
   float's exponents are biased more than f16's, 127 - 15; 0xfff and the last bit that stays are
   half of 2^13, less one where a tie rounds down. */
PE__INLINE uint16_t pe__one_to_f16(float x)
{
    const uint32_t bits = (uint32_t)pe__float_bits(x), a = bits & 0x7fffffffu;
    const uint32_t sign = bits >> 31 << 15, m = (a & 0x007fffffu) | 0x00800000u;
    if (a > 0x7f800000u) return (uint16_t)(sign | 0x7e00);
    if (a > 0x477fefffu) return (uint16_t)(sign | 0x7c00);
    if (a >= 0x38800000u)
        return (uint16_t)(sign | ((a - (112u << 23) + 0xfff + (a >> 13 & 1)) >> 13));
    /* subnormal: m 2^(e - 150), e being the biased exponent, in units of 2^-24 */
    const uint32_t shift = 126 - (a >> 23);
    if (shift > 24) return (uint16_t)sign;
    return (uint16_t)(sign | ((m + (1u << (shift - 1)) - 1 + (m >> shift & 1)) >> shift));
}
