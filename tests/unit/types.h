/* SPDX-License-Identifier: MIT */
/*
 * Handles elements of three types, f32, f16 and bf16, for tests that go through all of them. It
 * computes the value of their bits, and what a number rounds to, using only the definitions of the
 * formats.
 */
#ifndef PE_TESTS_TYPES_H
#define PE_TESTS_TYPES_H

#include "oracle.h"
#include "half.h"

typedef enum type { F32, F16, BF16, TYPES } type;

typedef struct type_format {
    const char *name;
    int exponent_bits, fraction_bits;
    uint16_t infinity, nan; /* the bits of +infinity, and of a quiet NaN */
} type_format;

static const type_format type_formats[TYPES] = {
    {"f32", 8, 23, 0, 0}, /* 0 stands for its bits, which do not fit into a uint16_t */
    {"f16", 5, 10, 0x7c00, 0x7e00},
    {"bf16", 8, 7, 0x7f80, 0x7fc0},
};

/* Returns half_magnitude() of all codes up to that of infinity. They are computed once. */
static inline const double *values_16(const type_format *f)
{
    static double values[2][0x7f81];
    double *v = values[f->exponent_bits == 8];
    if (v[1] == 0)
        for (uint32_t code = 0; code <= f->infinity; code++)
            v[code] = half_magnitude(f->exponent_bits, code);
    return v;
}

/* Returns the code of the number nearest to x, found by bisection; of two that are equally near,
   the even one. x is no NaN. The result is also right for an x that was rounded to odd, to 26
   bits or more. */
static inline uint16_t nearest_16(const type_format *f, double x)
{
    const double size = fabs(x), *values = values_16(f);
    const uint16_t sign = signbit(x) ? 0x8000 : 0;
    uint32_t low = 0, high = f->infinity; /* the value of low <= size */
    double down, up;
    if (size >= values[high]) return (uint16_t)(sign | high);
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        if (values[middle] <= size) low = middle;
        else high = middle;
    }
    down = size - values[low], up = values[high] - size;
    if (up < down || (up == down && high % 2 == 0)) low = high;
    return (uint16_t)(sign | low);
}

static inline size_t size_of(type t) { return t == F32 ? sizeof(float) : sizeof(uint16_t); }

static inline uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Returns element i as bits. */
static inline uint32_t element(type t, const void *p, size_t i)
{
    const unsigned char *at = (const unsigned char *)p + i * size_of(t);
    uint32_t bits = 0;
    uint16_t half;
    if (t == F32) {
        memcpy(&bits, at, sizeof bits);
        return bits;
    }
    memcpy(&half, at, sizeof half);
    return half;
}

/* Returns the bits of x as a float or 16-bit number. x is exact, or rounded to odd. */
static inline uint32_t rounded(type t, double x)
{
    return t == F32 ? bits_of((float)x) : nearest_16(&type_formats[t], x);
}

/* Returns the value of element i. */
static inline double value(type t, const void *p, size_t i)
{
    const uint32_t bits = element(t, p, i);
    return t == F32 ? (double)float_of(bits) : half_value(t == BF16, (uint16_t)bits);
}

/* Writes element i, which is given by its bits. */
static inline void set_element(type t, void *p, size_t i, uint32_t bits)
{
    const uint16_t half = (uint16_t)bits;
    memcpy((unsigned char *)p + i * size_of(t),
           t == F32 ? (const void *)&bits : (const void *)&half, size_of(t));
}

#endif /* PE_TESTS_TYPES_H */
