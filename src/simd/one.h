/* SPDX-License-Identifier: MIT */
/* Operations on a single number, which are the same for all instruction sets. Tested by
 * tests/unit/simd/test_types.c. */
#pragma once
#include "compiler.h"

/* ---- single numbers, for all instruction sets ------------------------------------------------ */

/* PE__DROPPED is the number of bits that rounding a double to float drops, 53 - 24. PE__TO_TOP is
   the shift that moves the dropped bits to the top of a 32-bit integer. The most significant
   dropped bit is then the sign. So a midpoint, whose dropped bits are 1 and then zeros, becomes the
   least signed integer. */
enum { PE__DROPPED = 29, PE__TO_TOP = 32 - PE__DROPPED };

/* These constants say how many bits of the significand the last rounding of an element drops: from
   double to float (F32), or from float to bf16 or f16. For subnormal f16 numbers it drops more. */
enum { PE__DROP_F32 = PE__DROPPED, PE__DROP_BF16 = 16, PE__DROP_F16 = 13 };

/* Returns +0, of which the compiler does not know the value. Callers add it to turn -0 into +0.
   Under -fno-signed-zeros clang removes the addition of a constant 0, whatever the pragmas say. */
PE__INLINE float pe__zero(void)
{
    float zero = 0;
    PE__OPAQUE(zero);
    return zero;
}

/* The next four functions return the bits of a number, or the number that has the given bits. */
PE__INLINE uint64_t pe__double_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

PE__INLINE double pe__double_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

PE__INLINE int32_t pe__float_bits(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

PE__INLINE float pe__float_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Returns hi + lo rounded to odd: truncated, with the last bit set if anything was lost. Rounding
   the result again, to at least two bits fewer, gives the correctly rounded sum. |lo| must be at
   most ulp(hi) / 2. If lo is a NaN, as after an overflow, the result is hi. */
PE__INLINE double pe__to_odd(double hi, double lo)
{
    uint64_t bits = pe__double_bits(hi);
    if ((lo < 0 || lo > 0) && (bits & 1) == 0) {
        if ((lo < 0) == (hi < 0)) bits++;
        else bits--;
        hi = pe__double_of_bits(bits);
    }
    return hi;
}

/* Returns `a` with its significand rounded to odd, to the 24 bits of a float: truncated, with the
   last bit set if anything was lost. The constant 0x1fffffff is the mask of the PE__DROPPED bits.
   Adding 0x1fffffff to the dropped bits carries into the last bit that stays, unless all of them
   are 0. The carry is then combined with this bit by a bitwise or. */
PE__INLINE double pe__odd24_one(double a)
{
    const uint64_t bits = pe__double_bits(a);
    return pe__double_of_bits((bits | ((bits & 0x1fffffffu) + 0x1fffffffu)) &
                              ~(uint64_t)0x1fffffffu);
}

/* Returns x rounded to f16, with the same bits as pe__to_f16(). Two constants are the bits of
   floats. The first, 0x38800000, is 2^-14, the least normal f16. The second, 0x477fefff, is the
   largest float that rounds to 65504 and not to infinity. The difference of the exponent biases of
   float and f16 is 112 = 127 - 15. The shift by 13 drops 13 bits. Before it, 0xfff (2^13 / 2 - 1)
   and the last bit that stays are added, which rounds to nearest, ties to even. */
PE__INLINE uint16_t pe__one_to_f16(float x)
{
    const uint32_t bits = (uint32_t)pe__float_bits(x), a = bits & 0x7fffffffu;
    const uint32_t sign = bits >> 31 << 15, m = (a & 0x007fffffu) | 0x00800000u;
    if (a > 0x7f800000u) return (uint16_t)(sign | 0x7e00);
    if (a > 0x477fefffu) return (uint16_t)(sign | 0x7c00);
    if (a >= 0x38800000u)
        return (uint16_t)(sign | ((a - (112u << 23) + 0xfff + (a >> 13 & 1)) >> 13));
    /* a subnormal f16, a multiple of 2^-24. |x| is m 2^(e - 150), with the biased exponent e, so
       shift m right by 126 - e */
    const uint32_t shift = 126 - (a >> 23);
    if (shift > 24) return (uint16_t)sign;
    return (uint16_t)(sign | ((m + (1u << (shift - 1)) - 1 + (m >> shift & 1)) >> shift));
}

PE__INLINE size_t pe__min(size_t a, size_t b) { return a < b ? a : b; }
PE__INLINE size_t pe__max(size_t a, size_t b) { return a > b ? a : b; }
PE__INLINE double pe__max_abs(double x, double y) { return fabs(x) > fabs(y) ? fabs(x) : fabs(y); }

/* Returns the first cache line boundary (64 bytes) at or after p. */
PE__INLINE double *pe__aligned(void *p)
{
    return (double *)(void *)((unsigned char *)p + (64 - (uintptr_t)p % 64) % 64);
}

/* Return the product a * b, rounded to float or to double. PE__OPAQUE() keeps the compiler from
   fusing the product with an addition of the caller. */
PE__INLINE float pe__float_product(float a, float b)
{
    float p = a * b;
    PE__OPAQUE(p);
    return p;
}
PE__INLINE double pe__double_product(double a, double b)
{
    double p = a * b;
    PE__OPAQUE(p);
    return p;
}
