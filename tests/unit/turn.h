/* SPDX-License-Identifier: MIT */
/*
 * Computes what RoPE has to give: numbers of three types and the rotation of one head. It uses only
 * their definitions, for tests of heads that are rotated.
 */
#ifndef PE_TESTS_TURN_H
#define PE_TESTS_TURN_H

#include "oracle.h"

/* ------------------------------------------------------------------------------------------------
 * Elements of the three types, read and written as floats
 * --------------------------------------------------------------------------------------------- */

typedef enum type { F32, F16, BF16, TYPES } type;
static const char *const type_names[] = {"f32", "f16", "bf16"};
static const char *const layout_names[] = {"interleaved", "halves"};

static inline size_t bytes_of(type t) { return t == F32 ? 4 : 2; }

static inline float get(type t, const void *x, size_t i)
{
    uint32_t bits = 0;
    float y;
    if (t == F32) return ((const float *)x)[i];
    bits = ((const uint16_t *)x)[i];
    if (t == F16) {
        const double size = (bits >> 10 & 31) == 0
                                ? ldexp(bits & 1023, -24)
                                : ldexp((bits & 1023) + 1024, (int)(bits >> 10 & 31) - 25);
        return (float)(bits >> 15 ? -size : size); /* no infinities or NaNs here */
    }
    bits <<= 16;
    memcpy(&y, &bits, sizeof y);
    return y;
}

/* Stores y as element i. If the type has 16 bits, y is rounded to nearest even by rint(), in units
   of the last place, and a NaN becomes a quiet NaN. */
static inline void put(type t, void *x, size_t i, float y)
{
    int e;
    double units;
    uint32_t bits;
    if (t == F32) {
        ((float *)x)[i] = y;
        return;
    }
    if (!isfinite(y)) {
        bits = t == F16 ? 0x7c00 : 0x7f80;
        if (isnan(y)) bits |= t == F16 ? 0x200 : 0x40;
        ((uint16_t *)x)[i] = (uint16_t)(bits | (signbit(y) ? 0x8000u : 0));
        return;
    }
    (void)frexp(fabs((double)y), &e); /* |y| is 0 or in [2^(e-1), 2^e) */
    if (t == F16) {
        if (y == 0 || e < -13) e = -13;
        units = rint(ldexp(fabs((double)y), 11 - e)); /* 2^10 ... 2^11, less if subnormal */
        bits = (uint32_t)units + ((uint32_t)(e + 13) << 10);
        if (bits > 0x7c00) bits = 0x7c00;
    } else {
        memcpy(&bits, &y, sizeof bits);
        if ((bits & 0x7f800000) == 0) { /* subnormal floats: bf16 has their exponents */
            units = rint(ldexp(fabs((double)y), 133));
            bits = (uint32_t)units;
        } else {
            units = rint(ldexp(fabs((double)y), 8 - e));
            bits = (uint32_t)units + ((uint32_t)(e + 125) << 7);
        }
    }
    ((uint16_t *)x)[i] = (uint16_t)(bits | (signbit(y) ? 0x8000u : 0));
}

static inline float random_value(rng *r)
{
    const double x = (rng_unit(r) - 0.5) * 8;
    return (float)(rng_below(r, 16) == 0 ? ldexp(x, -(int)rng_below(r, 30)) : x);
}

/* ------------------------------------------------------------------------------------------------
 * The reference: one head
 * --------------------------------------------------------------------------------------------- */

static inline size_t first_of(pe_layout layout, size_t i)
{
    return layout == PE_LAYOUT_HALVES ? i : 2 * i;
}
static inline size_t second_of(pe_layout layout, size_t i, size_t n)
{
    return layout == PE_LAYOUT_HALVES ? i + n / 2 : 2 * i + 1;
}
static inline size_t pair_of(pe_layout layout, size_t element, size_t n)
{
    return layout == PE_LAYOUT_HALVES ? element % (n / 2) : element / 2;
}

/* Rotates head (n elements) by n / 2 sines and cosines. sign is -1 for the inverse. */
static inline void turn(type t, pe_layout layout, const float *s, const float *c, float sign,
                        size_t n, void *head)
{
    for (size_t i = 0; i < n / 2; i++) {
        const size_t at = first_of(layout, i), bt = second_of(layout, i, n);
        const float a = get(t, head, at), b = get(t, head, bt);
        const float sine = sign < 0 ? 0 - s[i] : s[i]; /* 0 - s: a zero stays +0, -s would be -0 */
        put(t, head, at, product_f32(a, c[i]) - product_f32(b, sine));
        put(t, head, bt, product_f32(b, c[i]) + product_f32(a, sine));
    }
}

static inline pe_heads lie(size_t heads, size_t head_stride, size_t token_stride)
{
    const pe_heads where = {heads, head_stride, token_stride};
    return where;
}

static inline void fill_random(type t, void *x, size_t elements, rng *r)
{
    for (size_t i = 0; i < elements; i++) put(t, x, i, random_value(r));
}

#endif /* PE_TESTS_TURN_H */
