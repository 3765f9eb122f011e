/* SPDX-License-Identifier: MIT */
/*
 * Treats f16 and bf16 as numbers, using only the definition of the formats: a sign, 5 or 8 bits of
 * exponent, and the remaining bits of fraction. Nothing of pe is needed. Tests, oracles and tools
 * use it.
 */
#ifndef PE_TESTS_HALF_H
#define PE_TESTS_HALF_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Returns the value of a code without its sign. For the code of infinity it returns the next
   power of two, because IEEE rounds as if the numbers continued there. */
static inline double half_magnitude(int exponent_bits, uint32_t code)
{
    const int fraction_bits = 15 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
    const int exponent = (int)(code >> fraction_bits), one = 1 << fraction_bits;
    const int fraction = (int)(code & (uint32_t)(one - 1));
    return exponent == 0 ? ldexp(fraction, 1 - bias - fraction_bits)
                         : ldexp(fraction + one, exponent - bias - fraction_bits);
}

/* Returns the exact midpoint between the values of a code and of the next code. */
static inline double half_middle(int exponent_bits, uint32_t code)
{
    return (half_magnitude(exponent_bits, code) + half_magnitude(exponent_bits, code + 1)) / 2;
}

static inline double half_value(int is_bf16, uint16_t code)
{
    const uint32_t size = code & 0x7fffu, infinity = is_bf16 ? 0x7f80 : 0x7c00;
    const double x = size > infinity    ? (double)NAN
                     : size == infinity ? HUGE_VAL
                                        : half_magnitude(is_bf16 ? 8 : 5, size);
    return code >> 15 ? -x : x;
}

/* Returns the nearest bfloat16 of a number that is no NaN; ties go to the even one. */
static inline float bf16_nearest(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif /* PE_TESTS_HALF_H */
