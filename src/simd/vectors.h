/* SPDX-License-Identifier: MIT */
/* GNU C's vectors: their types, and the operations that need only operators on vectors. pe_simd.h
 * lists what each operation does. Tested by tests/unit/simd/test_types.c. */
#pragma once
#include "choice.h"
#include "compiler.h"

/* ---- GNU C's vectors ------------------------------------------------------------------------- */
#if PE_ISA != PE_ISA_SCALAR

/* PE_LANES is the number of doubles in a vector; a vector of floats has twice as many numbers.
   PE__FUSES is 1 if pe__fma() rounds once, 0 if it rounds the product and the sum. Error bounds
   depend on PE__FUSES. */
enum { PE_LANES = PE_ISA == PE_ISA_AVX512 ? 8 : PE_ISA == PE_ISA_AVX2 ? 4 : 2 };
enum { PE__FUSES = PE_ISA != PE_ISA_SSE2 && PE_ISA != PE_ISA_WASM };
#if PE_ISA == PE_ISA_NEON
typedef float64x2_t pe__vd;
typedef float32x4_t pe__vf;
#else
typedef double pe__vd __attribute__((__vector_size__(8 * PE_LANES)));
typedef float pe__vf __attribute__((__vector_size__(8 * PE_LANES)));
#endif
typedef int32_t pe__vi __attribute__((__vector_size__(8 * PE_LANES)));
typedef uint32_t pe__vu __attribute__((__vector_size__(8 * PE_LANES)));
typedef int64_t pe__vl __attribute__((__vector_size__(8 * PE_LANES)));
/* Refuse -fpack-struct=8, and =16 where vectors are wider: they misalign vectors, but not doubles,
   and loads of misaligned vectors crash. */
struct pe__vector_laid_out {
    char first;
    pe__vd vector;
};
typedef char pe__vectors_without_fpack_struct_or_pragma_pack
    [sizeof(struct pe__vector_laid_out) == 2 * sizeof(pe__vd) ? 1 : -1];

/* These types are vectors that may be at any address. With memcpy() instead, gcc on ARM treats 16
   bytes as an integer and moves them through two integer registers. Rows of a block then took 20 %
   more cycles (make mca). */
#define PE__UNALIGNED __attribute__((__vector_size__(8 * PE_LANES), __aligned__(1), __may_alias__))
typedef double pe__vd_at PE__UNALIGNED;
typedef float pe__vf_at PE__UNALIGNED;
#undef PE__UNALIGNED
PE__INLINE pe__vd pe__load(const double *p)
{
    pe__vd a = *(const pe__vd_at *)(const void *)p;
    PE__OPAQUE(a); /* otherwise gcc loads a again for each use */
    return a;
}
PE__INLINE void pe__store(double *p, pe__vd a) { *(pe__vd_at *)(void *)p = a; }
PE__INLINE pe__vf pe__get(const float *p) { return *(const pe__vf_at *)(const void *)p; }
PE__INLINE void pe__put(float *p, pe__vf v) { *(pe__vf_at *)(void *)p = v; }
PE__INLINE pe__vi pe__splat_i32(int32_t x)
{
    const pe__vi zero = {0};
    return zero + x;
}
PE__INLINE pe__vd pe__abs(pe__vd a) { return (pe__vd)((pe__vl)a & INT64_MAX); }
PE__INLINE pe__vf pe__abs_f32(pe__vf a) { return (pe__vf)((pe__vi)a & INT32_MAX); }

PE__INLINE pe__vi pe__select(pe__vi if_so, pe__vi a, pe__vi b)
{
    return (a & if_so) | (b & ~if_so);
}
PE__INLINE pe__vf pe__if_positive(pe__vf a, pe__vf b, pe__vf c)
{
#if PE_ISA == PE_ISA_AVX512 /* one blend; gcc makes more instructions of pe__select() */
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, _mm512_setzero_ps(), _CMP_GT_OQ), c, b);
#elif PE_ISA == PE_ISA_AVX2
    return _mm256_blendv_ps(c, b, (pe__vf)((pe__vi)a > 0));
#else
    return (pe__vf)pe__select((pe__vi)a > 0, (pe__vi)b, (pe__vi)c);
#endif
}
/* Returns v, with each NaN replaced by the quiet NaN of its sign without payload: 0x7fc00000, or
   0xffc00000 if its sign is set. */
PE__INLINE pe__vf pe__quiet(pe__vf v)
{
    const pe__vi bits = (pe__vi)v, nan = (bits & INT32_MAX) > 0x7f800000;
    return (pe__vf)pe__select(nan, (bits & ~0x003fffff) | 0x00400000, bits);
}
/* Returns v minus the midpoint of the two numbers around v whose significands have `drop` bits
   fewer. The midpoint is v with the dropped bits replaced by 1 and then zeros. So it has the
   exponent of v, and the difference is exact. */
PE__INLINE pe__vf pe__midpoint_distance(pe__vf v, int drop)
{
    const int32_t last = (1 << drop) - 1, half = 1 << (drop - 1);
#if PE_ISA == PE_ISA_AVX2 /* this saves an operation: bf16 fills take 8 % longer without it */
    if (drop == 16)
        return v - (pe__vf)_mm256_blend_epi16((__m256i)v, (__m256i)pe__splat_i32(half), 0x55);
#endif
    return v - (pe__vf)(((pe__vi)v & ~last) | half);
}
/* Returns `a` with each lane rounded to odd, to 24 bits, as pe__odd24_one() does. */
PE__INLINE pe__vd pe__odd24(pe__vd a)
{
    const pe__vl bits = (pe__vl)a;
    return (pe__vd)((bits | ((bits & 0x1fffffff) + 0x1fffffff)) & ~0x1fffffff);
}

/* Returns numbers whose upper 16 bits are v rounded to bf16, to nearest even. To the 16 bits that
   are dropped it adds one less than half of their range (0x7fff), and the last bit that stays. */
PE__INLINE pe__vu pe__up_bf16(pe__vf v)
{
    const pe__vu bits = (pe__vu)v;
    return bits + 0x7fff + (bits >> 16 & 1);
}
/* The first function returns the bf16 numbers 0, 2, 4 ... at p as floats, the second the numbers 1,
   3, 5 ... Each 32 bits hold two bf16 numbers, the first in the lower half. A bf16 is the upper
   half of the float with the same value. */
PE__INLINE pe__vf pe__get_bf16_evens(const uint16_t *p)
{
    return (pe__vf)((pe__vu)pe__get((const float *)(const void *)p) << 16);
}
PE__INLINE pe__vf pe__get_bf16_odds(const uint16_t *p)
{
    return (pe__vf)((pe__vu)pe__get((const float *)(const void *)p) & 0xffff0000u);
}

/* The running minima of the rounding test, in each lane. `low` is the minimum of the bits that
   rounding to float drops, as integers that are least at a midpoint. `size` is the minimum of the
   bits of the floats' magnitudes. The code for AVX2 keeps both minima in `low` and does not use
   `size`. At first both are the bits of FLT_MAX. This is not below any bound that
   pe__rounding_test_flagged() compares them with, except for INT32_MAX, the guard that flags every
   float. */
typedef struct pe__rounding_test {
    pe__vi low, size;
} pe__rounding_test;
PE__INLINE pe__rounding_test pe__rounding_test_begin(void)
{
    const pe__rounding_test w = {pe__splat_i32(0x7f7fffff), pe__splat_i32(0x7f7fffff)};
    return w;
}

/* ---- two doubles: NEON, SSE2, WASM ----------------------------------------------------------- */
#if PE_ISA == PE_ISA_NEON || PE_ISA == PE_ISA_SSE2 || PE_ISA == PE_ISA_WASM

#ifdef __clang__
#define PE__PICK4(a, b, i, j, k, l) ((pe__vf)__builtin_shufflevector(a, b, i, j, k, l))
#define PE__PICK2(a, b, i, j) ((pe__vd)__builtin_shufflevector(a, b, i, j))
#else /* gcc before version 12 has no __builtin_shufflevector() */
#define PE__PICK4(a, b, i, j, k, l) __builtin_shuffle(a, b, __extension__(pe__vi){i, j, k, l})
#define PE__PICK2(a, b, i, j) __builtin_shuffle(a, b, __extension__(pe__vl){i, j})
#endif

PE__INLINE pe__vd pe__splat(double x)
{
    const pe__vd a = {x, x};
    return a;
}
PE__INLINE pe__vf pe__splat_f32(float x)
{
    const pe__vf v = {x, x, x, x};
    return v;
}
PE__INLINE void pe__zip_two(pe__vd s, pe__vd c, pe__vd *a, pe__vd *b)
{
    *a = PE__PICK2(s, c, 0, 2);
    *b = PE__PICK2(s, c, 1, 3);
}
/* With two lanes, unzipping is the same permutation as zipping. */
PE__INLINE void pe__unzip(const double *p, pe__vd *s, pe__vd *c)
{
    pe__zip_two(pe__load(p), pe__load(p + 2), s, c);
}
/* Rotate (s, c) by k quadrants, where k is an integer in the last bits of `quadrant`, from
   pe__reduce(). If k is odd, s and c are exchanged, by an exclusive or of each with `other`, the
   bits in which they differ. The sine changes its sign for k = 2 and 3 modulo 4, where bit 1 of k
   is set. The cosine changes its sign for k = 1 and 2 modulo 4, where bit 1 of k + 1 is set. Bit 1
   of k is the most significant bit of `half`, and bit 1 of k + 1 is that of half ^ odd. */
PE__INLINE void pe__rotate_quadrant(pe__vd quadrant, pe__vd *s, pe__vd *c)
{
    const pe__vl k = (pe__vl)quadrant, odd = k << 63, half = k << 62;
    const pe__vl sign = (pe__vl)pe__splat(-0.0);
    const pe__vl other = ((pe__vl)*s ^ (pe__vl)*c) & -(k & 1);
    *s = (pe__vd)((pe__vl)*s ^ other ^ (half & sign));
    *c = (pe__vd)((pe__vl)*c ^ other ^ ((half ^ odd) & sign));
}
PE__INLINE void pe__put_n(float *p, pe__vf v, size_t n) { memcpy(p, &v, n * sizeof *p); }
PE__INLINE pe__vf pe__get_repeated(const float *p)
{
    const pe__vf v = {p[0], p[0], p[1], p[1]};
    return v;
}
PE__INLINE pe__vf pe__unzip_evens(pe__vf a, pe__vf b) { return PE__PICK4(a, b, 0, 2, 4, 6); }
PE__INLINE pe__vf pe__unzip_odds(pe__vf a, pe__vf b) { return PE__PICK4(a, b, 1, 3, 5, 7); }

#endif

#endif
