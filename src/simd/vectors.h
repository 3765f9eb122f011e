/* SPDX-License-Identifier: MIT */
/* GNU C's vectors: their types, and the operations that operators alone can write.
 * Gives: PE_LANES, PE__FUSES, pe__vd, pe__vf, pe__vi, pe__vl, pe__vu, pe__rounding_test, pe__abs(),
 *   pe__abs_f32(), pe__get(), pe__get_bf16_evens(), pe__get_bf16_odds(), pe__load(), pe__put(),
 *   pe__quiet(), pe__splat_i32(), pe__store(), pe__rounding_test_begin(), pe__up_bf16().
 * Tests: tests/unit/test_types.c. */
#pragma once
#include "choice.h"
#include "compiler.h"

/* ---- GNU C's vectors ------------------------------------------------------------------------- */
#if PE_ISA != PE_ISA_SCALAR

/* Doubles in a vector; and whether pe__fma() rounds once, which error bounds ask. */
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
/* -fpack-struct=8, and =16 with wider vectors, misplace vectors alone: loads of them crash. */
struct pe__vector_laid_out {
    char first;
    pe__vd vector;
};
typedef char pe__vectors_without_fpack_struct_or_pragma_pack
    [sizeof(struct pe__vector_laid_out) == 2 * sizeof(pe__vd) ? 1 : -1];

/* Vectors at any address. With memcpy() gcc takes 16 bytes for an integer, and on ARM moves them
   through two integer registers: rows of a block took a fifth more cycles (make mca). */
#define PE__UNALIGNED __attribute__((__vector_size__(8 * PE_LANES), __aligned__(1), __may_alias__))
typedef double pe__vd_at PE__UNALIGNED;
typedef float pe__vf_at PE__UNALIGNED;
#undef PE__UNALIGNED
PE__INLINE pe__vd pe__load(const double *p)
{
    pe__vd a = (pe__vd)*(const pe__vd_at *)(const void *)p;
    PE__OPAQUE(a); /* loaded once, not for each use */
    return a;
}
PE__INLINE void pe__store(double *p, pe__vd a) { *(pe__vd_at *)(void *)p = a; }
PE__INLINE pe__vf pe__get(const float *p) { return (pe__vf)*(const pe__vf_at *)(const void *)p; }
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
#if PE_ISA == PE_ISA_AVX512 /* one instruction, which gcc does not find */
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, _mm512_setzero_ps(), _CMP_GT_OQ), c, b);
#elif PE_ISA == PE_ISA_AVX2
    return _mm256_blendv_ps(c, b, (pe__vf)((pe__vi)a > 0));
#else
    return (pe__vf)pe__select((pe__vi)a > 0, (pe__vi)b, (pe__vi)c);
#endif
}
/* Every NaN becomes sign | 0x7fc00000: quiet, without payload. */
PE__INLINE pe__vf pe__quiet(pe__vf v)
{
    const pe__vi bits = (pe__vi)v, nan = (bits & INT32_MAX) > 0x7f800000;
    return (pe__vf)pe__select(nan, (bits & ~0x003fffff) | 0x00400000, bits);
}
/* The middle next to v has the first of the dropped bits set and no other. Its exponent is v's, so
   the difference is exact. */
PE__INLINE pe__vf pe__midpoint_distance(pe__vf v, int drop)
{
    const int32_t last = (1 << drop) - 1, half = 1 << (drop - 1);
#if PE_ISA == PE_ISA_AVX2 /* an operation less: bf16 fills take 8 % longer without */
    if (drop == 16)
        return v - (pe__vf)_mm256_blend_epi16((__m256i)v, (__m256i)pe__splat_i32(half), 0x55);
#endif
    return v - (pe__vf)(((pe__vi)v & ~last) | half);
}
/* As pe__odd24_one(). */
PE__INLINE pe__vd pe__odd24(pe__vd a) /* a to 24 bits, to odd */
{
    const pe__vl bits = (pe__vl)a;
    return (pe__vd)((bits | ((bits & 0x1fffffff) + 0x1fffffff)) & ~0x1fffffff);
}

/* The upper 16 bits are v as a bf16, rounded to nearest even: 0x7fff is half of what is dropped,
   less one, and the last bit that stays makes up for it where that is odd. */
PE__INLINE pe__vu pe__up_bf16(pe__vf v)
{
    const pe__vu bits = (pe__vu)v;
    return bits + 0x7fff + (bits >> 16 & 1);
}
/* A bf16 is the upper half of a float. Of each two the first lies in the lower half of 32 bits. */
PE__INLINE pe__vf pe__get_bf16_evens(const uint16_t *p)
{
    return (pe__vf)((pe__vu)pe__get((const float *)(const void *)p) << 16);
}
PE__INLINE pe__vf pe__get_bf16_odds(const uint16_t *p)
{
    return (pe__vf)((pe__vu)pe__get((const float *)(const void *)p) & 0xffff0000u);
}

/* The least distance from a tie and the least size so far. They begin with the bits of FLT_MAX,
   which is above every window and guard. */
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
#else /* which gcc has only from 12 on */
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
/* To zip two vectors of two is to unzip them. */
PE__INLINE void pe__unzip(const double *p, pe__vd *s, pe__vd *c)
{
    pe__zip_two(pe__load(p), pe__load(p + 2), s, c);
}
/* A quarter turn exchanges s and c: an exclusive or with what differs, where k is odd. The sine is
   negative in the third and fourth quarter, where k's second bit is set, the cosine in the second
   and third, where that of k + 1 is: half ^ odd, at the top. */
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
