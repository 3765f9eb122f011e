/* SPDX-License-Identifier: MIT */
/* Functions that load, store or add to elements of f32, f16 or bf16: the type is an argument.
 * Tested by tests/unit/simd/test_types.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"

/* ---- 6.1 elements of 16 and 32 bits -------------------------------------------------------------
 * A kernel is written once for all three types. The type, a pe_type, is an argument; where the
 * kernel is inlined, it is a constant. */

/* Returns how many bits of the significand the last rounding to this type drops: PE__DROP_F32,
   PE__DROP_F16 or PE__DROP_BF16. */
PE__INLINE int pe__dropped_bits(pe_type kind)
{
    return kind == PE_TYPE_BF16 ? PE__DROP_BF16 : kind == PE_TYPE_F16 ? PE__DROP_F16 : PE__DROP_F32;
}

/* PE__FLOATS is the number of floats in a vector. */
enum { PE__FLOATS = 2 * PE_LANES };

PE__INLINE size_t pe__size_of(pe_type type)
{
    return type == PE_TYPE_F32 ? sizeof(float) : sizeof(uint16_t);
}

/* Return the address of element i of the array at p. */
PE__INLINE void *pe__at_element(pe_type type, void *p, size_t i)
{
    return (unsigned char *)p + i * pe__size_of(type);
}
PE__INLINE const void *pe__at_const(pe_type type, const void *p, size_t i)
{
    return (const unsigned char *)p + i * pe__size_of(type);
}

PE__INLINE pe__vf pe__get_as(pe_type type, const void *p)
{
    if (type == PE_TYPE_F32) return pe__get((const float *)p);
    return type == PE_TYPE_F16 ? pe__get_f16((const uint16_t *)p)
                               : pe__get_bf16((const uint16_t *)p);
}
PE__INLINE void pe__put_as(pe_type type, void *p, pe__vf v)
{
    if (type == PE_TYPE_F32) pe__put((float *)p, v);
    else if (type == PE_TYPE_F16) pe__put_f16((uint16_t *)p, v);
    else pe__put_bf16((uint16_t *)p, v);
}

/* Store the vector u at p and v at q, rounded to the type. For 16-bit types the test for NaNs takes
   most of the time, so one test serves both vectors. */
PE__INLINE void pe__put_two_as(pe_type type, void *p, pe__vf u, void *q, pe__vf v)
{
    uint16_t *const g = (uint16_t *)p, *const h = (uint16_t *)q;
    if (type == PE_TYPE_F32 || PE__UNLIKELY(pe__any_nan(u, v))) {
        pe__put_as(type, p, u);
        pe__put_as(type, q, v);
    } else {
        pe__put_h(g, type == PE_TYPE_BF16 ? pe__round_bf16(u) : pe__round_f16(u));
        pe__put_h(h, type == PE_TYPE_BF16 ? pe__round_bf16(v) : pe__round_f16(v));
    }
}

/* Store a0 b0 a1 b1 ... at p, rounded to f16 or bf16; the type may not be f32. No float may be a
   NaN or the midpoint of two numbers of the type. */
PE__INLINE void pe__put_zip_as(pe_type type, void *p, pe__vf a, pe__vf b)
{
    if (type == PE_TYPE_BF16) pe__put_zip_bf16((uint16_t *)p, a, b);
    else pe__put_zip_f16((uint16_t *)p, a, b);
}

/* pe__get_n_as() loads n elements at p, where n is at most PE__FLOATS; the other lanes are 0.
   pe__put_n_as() stores the first n lanes of v at p. */
PE__INLINE pe__vf pe__get_n_as(pe_type type, const void *p, size_t n)
{
    uint16_t h[PE__FLOATS] = {0};
    if (type == PE_TYPE_F32) return pe__get_n((const float *)p, n);
    memcpy(h, p, n * sizeof *h);
    return pe__get_as(type, h);
}
PE__INLINE void pe__put_n_as(pe_type type, void *p, pe__vf v, size_t n)
{
    uint16_t all[PE__FLOATS];
    if (type != PE_TYPE_F32) pe__put_as(type, all, v);
    if (type == PE_TYPE_F32) pe__put_n((float *)p, v, n);
    else memcpy(p, all, n * sizeof *all);
}

/* Return s x + row in f32, where s is *scale, or 1 if scale is NULL. The product and the sum are
   rounded. The scale is usually 1, whose bits are 0x3f800000. The branch then costs less than the
   multiplication. */
PE__INLINE pe__vf pe__scaled_sum(pe__vf x, const float *scale, pe__vf row)
{
    if (scale && pe__float_bits(*scale) != 0x3f800000) x = pe__mul_f32(pe__splat_f32(*scale), x);
    return pe__add_f32(x, row);
}

/* Add a row to n elements of x: x = s x + row, with s = *scale, or s = 1 if scale is NULL. Each
   product and each sum is rounded to f32. The sum is then rounded once more, to the type of x. */
PE__INLINE void pe__add_row_as(pe_type type, void *x, pe_type row_type, const void *row, size_t n,
                               const float *scale)
{
    size_t i = 0;
    for (; i + 2 * PE__FLOATS <= n; i += 2 * PE__FLOATS) {
        void *place = pe__at_element(type, x, i), *next = pe__at_element(type, x, i + PE__FLOATS);
        const pe__vf v = pe__get_as(row_type, pe__at_const(row_type, row, i));
        const pe__vf w = pe__get_as(row_type, pe__at_const(row_type, row, i + PE__FLOATS));
        pe__put_two_as(type, place, pe__scaled_sum(pe__get_as(type, place), scale, v), next,
                       pe__scaled_sum(pe__get_as(type, next), scale, w));
    }
    for (size_t m; i < n; i += m) {
        void *place = pe__at_element(type, x, i);
        m = pe__min(n - i, PE__FLOATS);
        const pe__vf v = pe__get_n_as(row_type, pe__at_const(row_type, row, i), m);
        pe__put_n_as(type, place, pe__scaled_sum(pe__get_n_as(type, place, m), scale, v), m);
    }
}

/* Add n floats of row to the elements of x. Each sum is rounded to f32, and then, if x has 16-bit
   elements, once more to their type. */
PE__OUTLINE void pe__add_row_floats(pe_type type, void *x, const float *row, size_t n)
{
    if (type == PE_TYPE_F32) pe__add_row_as(PE_TYPE_F32, x, PE_TYPE_F32, row, n, NULL);
    else if (type == PE_TYPE_F16) pe__add_row_as(PE_TYPE_F16, x, PE_TYPE_F32, row, n, NULL);
    else pe__add_row_as(PE_TYPE_BF16, x, PE_TYPE_F32, row, n, NULL);
}
