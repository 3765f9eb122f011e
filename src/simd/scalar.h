/* SPDX-License-Identifier: MIT */
/* This file defines the operations of pe_simd.h for vectors of one double or two floats, in C99 for
 * any compiler. Those that are the same for all instruction sets are in derived.h. Tested by
 * tests/unit/simd/test_types.c. */
#pragma once
#include "choice.h"
#include "compiler.h"
#include "one.h"

/* ---- scalar: one lane, any C99 compiler ------------------------------------------------------ */
#if PE_ISA == PE_ISA_SCALAR

enum { PE_LANES = 1 };
typedef double pe__vd;
typedef struct pe__vf {
    float s, c;
} pe__vf;
typedef struct pe__vh {
    uint16_t s, c;
} pe__vh;
typedef struct pe__rounding_test {
    int32_t low, size;
} pe__rounding_test;

PE__INLINE pe__vd pe__load(const double *p) { return *p; }
PE__INLINE void pe__store(double *p, pe__vd a) { *p = a; }
PE__INLINE pe__vd pe__splat(double x) { return x; }
PE__INLINE pe__vd pe__min_vd(pe__vd a, pe__vd b) { return a < b ? a : b; }
PE__INLINE pe__vd pe__abs(pe__vd a) { return a < 0 ? -a : a; }
#ifdef PE__HAVE_FMA
enum { PE__FUSES = 1 };
PE__INLINE pe__vd pe__fma(pe__vd a, pe__vd b, pe__vd c) { return __builtin_fma(a, b, c); }
PE__INLINE pe__vd pe__fms(pe__vd a, pe__vd b, pe__vd c) { return __builtin_fma(a, b, -c); }
PE__INLINE float pe__one_mad(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#else
#define PE__NOT_FUSED
enum { PE__FUSES = 0 };
PE__INLINE pe__vd pe__fma(pe__vd a, pe__vd b, pe__vd c) { return a * b + c; }
PE__INLINE float pe__one_mad(float a, float b, float c) { return a * b + c; }
#endif
PE__INLINE pe__vd pe__fnma(pe__vd a, pe__vd b, pe__vd c) { return pe__fma(-a, b, c); }
#define PE__SLEEF_TWO Sleef_double_2
#define PE__SLEEF_SINCOSPI Sleef_sincospid1_u35purec
PE__INLINE pe__vf pe__floats_of(float s, float c)
{
    const pe__vf v = {s, c};
    return v;
}
PE__INLINE pe__vf pe__zip(pe__vd s, pe__vd c) { return pe__floats_of((float)s, (float)c); }
PE__INLINE pe__vf pe__join(pe__vd a, pe__vd b) { return pe__zip(a, b); }
PE__INLINE pe__vd pe__to_float(pe__vd a)
{
    float f = (float)a;
    PE__OPAQUE(f); /* otherwise the compiler might return a, not rounded to float */
    return (double)f;
}
PE__INLINE void pe__zip_two(pe__vd s, pe__vd c, pe__vd *a, pe__vd *b)
{
    *a = s;
    *b = c;
}
PE__INLINE void pe__unzip(const double *p, pe__vd *s, pe__vd *c)
{
    *s = p[0];
    *c = p[1];
}
/* Rotate (s, c) by k quadrants, where k is an integer in the last bits of `quadrant`. The function
   of this name in vectors.h explains the exchange of s and c and the sign changes. */
PE__INLINE void pe__rotate_quadrant(pe__vd quadrant, pe__vd *s, pe__vd *c)
{
    const uint64_t k = pe__double_bits(quadrant);
    uint64_t a = pe__double_bits(*s), b = pe__double_bits(*c);
    const uint64_t sign = (uint64_t)1 << 63, other = (a ^ b) & (0 - (k & 1));
    a ^= other ^ (k << 62 & sign);
    b ^= other ^ ((k + 1) << 62 & sign);
    *s = pe__double_of_bits(a);
    *c = pe__double_of_bits(b);
}
PE__INLINE pe__vf pe__get(const float *p)
{
    const pe__vf v = {p[0], p[1]};
    return v;
}
PE__INLINE void pe__get_pairs(const void *p, const uint8_t *i, pe__vf *s, pe__vf *c)
{
    const pe__vf v = pe__get((const float *)p + 2 * i[0]), w = pe__get((const float *)p + 2 * i[1]);
    *s = pe__floats_of(v.s, w.s);
    *c = pe__floats_of(v.c, w.c);
}
PE__INLINE void pe__put(float *p, pe__vf v)
{
    p[0] = v.s;
    p[1] = v.c;
}
PE__INLINE void pe__put_n(float *p, pe__vf v, size_t n)
{
    if (n > 0) p[0] = v.s;
    if (n > 1) p[1] = v.c;
}
PE__INLINE int pe__unequal(pe__vd a, pe__vd b, pe__vd c, pe__vd d) { return (a != b) | (c != d); }
PE__INLINE pe__vd pe__widen(const float *p) { return (double)*p; }
PE__INLINE void pe__narrow(float *p, pe__vd a) { *p = (float)a; }
PE__INLINE pe__vf pe__splat_f32(float x) { return pe__floats_of(x, x); }
PE__INLINE pe__vf pe__add_f32(pe__vf a, pe__vf b) { return pe__floats_of(a.s + b.s, a.c + b.c); }
PE__INLINE pe__vf pe__sub_f32(pe__vf a, pe__vf b) { return pe__floats_of(a.s - b.s, a.c - b.c); }
PE__INLINE pe__vf pe__mul_f32(pe__vf a, pe__vf b)
{
    pe__vf p = pe__floats_of(a.s * b.s, a.c * b.c);
    PE__PRODUCT(p.s);
    PE__PRODUCT(p.c);
    return p;
}
PE__INLINE pe__vf pe__mad_f32(pe__vf a, pe__vf b, pe__vf c)
{
    return pe__floats_of(pe__one_mad(a.s, b.s, c.s), pe__one_mad(a.c, b.c, c.c));
}
PE__INLINE pe__vf pe__nmad_f32(pe__vf a, pe__vf b, pe__vf c)
{
    return pe__floats_of(pe__one_mad(-a.s, b.s, c.s), pe__one_mad(-a.c, b.c, c.c));
}
PE__INLINE pe__vd pe__odd24(pe__vd a) { return pe__odd24_one(a); }
PE__INLINE pe__vf pe__swap(pe__vf v) { return pe__floats_of(v.c, v.s); }
PE__INLINE pe__vf pe__get_repeated(const float *p) { return pe__floats_of(*p, *p); }
PE__INLINE pe__vf pe__get_signed(const float *p) { return pe__floats_of(-*p, *p); }
PE__INLINE pe__vf pe__if_positive(pe__vf a, pe__vf b, pe__vf c)
{
    return pe__floats_of(a.s > 0 ? b.s : c.s, a.c > 0 ? b.c : c.c);
}
PE__INLINE float pe__one_from_bf16(uint16_t h) { return pe__float_of_bits((uint32_t)h << 16); }
PE__INLINE uint16_t pe__one_to_bf16(float x)
{
    const uint32_t bits = (uint32_t)pe__float_bits(x), sign = bits & 0x80000000u;
    if ((bits ^ sign) > 0x7f800000u) return (uint16_t)((sign | 0x7fc00000u) >> 16);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
/* Returns the f16 number h as a float. 112 = 127 - 15 is the difference of the exponent biases of
   float and f16. For infinities and NaNs 224, twice the difference, is added to the exponent, so
   that 31 becomes 255. The bit 0x00400000 makes a NaN quiet, as hardware does. */
PE__INLINE float pe__one_from_f16(uint16_t h)
{
    const uint32_t sign = ((uint32_t)h & 0x8000) << 16, a = h & 0x7fffu;
    if (a < 0x0400) { /* h is subnormal: a multiple of 2^-24 */
        const float size = (float)a * (1.0f / 16777216);
        return sign ? -size : size;
    }
    if (a < 0x7c00) return pe__float_of_bits(sign | ((a << 13) + (112u << 23)));
    return pe__float_of_bits(sign | ((a << 13) + (224u << 23)) | (a > 0x7c00 ? 0x00400000u : 0));
}
PE__INLINE pe__vf pe__get_bf16(const uint16_t *p)
{
    return pe__floats_of(pe__one_from_bf16(p[0]), pe__one_from_bf16(p[1]));
}
PE__INLINE pe__vf pe__get_f16(const uint16_t *p)
{
    return pe__floats_of(pe__one_from_f16(p[0]), pe__one_from_f16(p[1]));
}
PE__INLINE pe__vh pe__round_bf16(pe__vf v)
{
    const pe__vh h = {pe__one_to_bf16(v.s), pe__one_to_bf16(v.c)};
    return h;
}
PE__INLINE pe__vh pe__round_f16(pe__vf v)
{
    const pe__vh h = {pe__one_to_f16(v.s), pe__one_to_f16(v.c)};
    return h;
}
/* Returns 0, also for NaNs: pe__round_bf16() and pe__round_f16() handle NaNs themselves here. */
PE__INLINE int pe__any_nan(pe__vf a, pe__vf b)
{
    (void)a;
    (void)b;
    return 0;
}
PE__INLINE pe__vf pe__quiet(pe__vf v) { return v; }
PE__INLINE pe__vf pe__get_bf16_evens(const uint16_t *p)
{
    return pe__floats_of(pe__one_from_bf16(p[0]), pe__one_from_bf16(p[2]));
}
PE__INLINE pe__vf pe__get_bf16_odds(const uint16_t *p)
{
    return pe__floats_of(pe__one_from_bf16(p[1]), pe__one_from_bf16(p[3]));
}
PE__INLINE void pe__put_h(uint16_t *p, pe__vh h)
{
    p[0] = h.s;
    p[1] = h.c;
}
PE__INLINE pe__vf pe__unzip_evens(pe__vf a, pe__vf b) { return pe__floats_of(a.s, b.s); }
PE__INLINE pe__vf pe__unzip_odds(pe__vf a, pe__vf b) { return pe__floats_of(a.c, b.c); }
PE__INLINE void pe__put_bf16_two(uint16_t *p, pe__vf a, pe__vf b)
{
    pe__put_h(p, pe__round_bf16(pe__unzip_evens(a, b)));
    pe__put_h(p + 2, pe__round_bf16(pe__unzip_odds(a, b)));
}
PE__INLINE void pe__put_zip_bf16(uint16_t *p, pe__vf a, pe__vf b) { pe__put_bf16_two(p, a, b); }
PE__INLINE void pe__put_zip_f16(uint16_t *p, pe__vf a, pe__vf b)
{
    pe__put_h(p, pe__round_f16(pe__unzip_evens(a, b)));
    pe__put_h(p + 2, pe__round_f16(pe__unzip_odds(a, b)));
}
PE__INLINE pe__vf pe__abs_f32(pe__vf a)
{
    return pe__floats_of(a.s < 0 ? -a.s : a.s, a.c < 0 ? -a.c : a.c);
}
PE__INLINE pe__vf pe__min_f32(pe__vf a, pe__vf b)
{
    return pe__floats_of(a.s < b.s ? a.s : b.s, a.c < b.c ? a.c : b.c);
}
PE__INLINE float pe__one_midpoint_distance(float v, int drop)
{
    const uint32_t last = (1u << drop) - 1u, half = 1u << (drop - 1);
    return v - pe__float_of_bits(((uint32_t)pe__float_bits(v) & ~last) | half);
}
PE__INLINE pe__vf pe__midpoint_distance(pe__vf v, int drop)
{
    return pe__floats_of(pe__one_midpoint_distance(v.s, drop),
                         pe__one_midpoint_distance(v.c, drop));
}
PE__INLINE uint32_t pe__within(pe__vf a, pe__vf x, pe__vf b, pe__vf y)
{
    return (uint32_t)!(a.s > x.s) | (uint32_t)!(a.c > x.c) << 1 | (uint32_t)!(b.s > y.s) << 2 |
           (uint32_t)!(b.c > y.c) << 3;
}
PE__INLINE unsigned pe__differ(pe__vf a, pe__vf b)
{
    return (unsigned)(pe__float_bits(a.s) != pe__float_bits(b.s)) |
           (unsigned)(pe__float_bits(a.c) != pe__float_bits(b.c)) << 1;
}
PE__INLINE pe__rounding_test pe__rounding_test_begin(void)
{
    const pe__rounding_test w = {INT32_MAX, INT32_MAX};
    return w;
}
PE__WRAPS
PE__INLINE void pe__rounding_test_one(pe__rounding_test *w, double y, float v)
{
    const int32_t size = pe__float_bits(v) & INT32_MAX;
    const int64_t top =
        (int64_t)(pe__double_bits(y) << PE__TO_TOP & 0xffffffffu); /* 0 ... 2^32 - 1 */
    const int32_t dropped = (int32_t)(top - ((top & 0x80000000) << 1));
    w->low = dropped < w->low ? dropped : w->low;
    w->size = size < w->size ? size : w->size;
}
PE__INLINE void pe__rounding_test_add(pe__rounding_test *w, pe__vd a, pe__vd b, pe__vf v)
{
    pe__rounding_test_one(w, a, v.s);
    pe__rounding_test_one(w, b, v.c);
}
PE__INLINE int pe__rounding_test_flagged(pe__rounding_test w, int32_t window, int32_t guard)
{
    return (w.low < INT32_MIN + (window << PE__TO_TOP)) | (w.size < guard);
}

#endif
