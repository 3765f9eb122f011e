/* SPDX-License-Identifier: MIT */
/* This file defines the operations of pe_simd.h that need intrinsics of AVX2 and FMA. The others
 * are in vectors.h and derived.h. Tested by tests/unit/simd/test_types.c. */
#pragma once
#include "choice.h"
#include "compiler.h"
#include "one.h"
#include "vectors.h"

/* ---- AVX2 and FMA ---------------------------------------------------------------------------- */
#if PE_ISA == PE_ISA_AVX2

typedef __m128i pe__vh;

PE__INLINE pe__vd pe__splat(double x) { return _mm256_set1_pd(x); }
PE__INLINE pe__vd pe__fma(pe__vd a, pe__vd b, pe__vd c) { return _mm256_fmadd_pd(a, b, c); }
PE__INLINE pe__vd pe__fnma(pe__vd a, pe__vd b, pe__vd c) { return _mm256_fnmadd_pd(a, b, c); }
PE__INLINE pe__vd pe__fms(pe__vd a, pe__vd b, pe__vd c) { return _mm256_fmsub_pd(a, b, c); }
#define PE__SLEEF_TWO Sleef___m256d_2
#define PE__SLEEF_SINCOSPI Sleef_sincospid4_u35avx2
/* Convert to float, then zip: two shuffles of floats replace four of doubles. */
PE__INLINE pe__vf pe__zip(pe__vd s, pe__vd c)
{
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    const __m256 sines = _mm256_castps128_ps256(_mm256_cvtpd_ps(s));
    return _mm256_permutevar8x32_ps(_mm256_insertf128_ps(sines, _mm256_cvtpd_ps(c), 1), order);
}
PE__INLINE pe__vf pe__join(pe__vd a, pe__vd b)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(a)), _mm256_cvtpd_ps(b), 1);
}
PE__INLINE pe__vd pe__to_float(pe__vd a)
{
    __m128 f = _mm256_cvtpd_ps(a);
    PE__OPAQUE(f); /* otherwise the compiler might return a, not rounded to float */
    return _mm256_cvtps_pd(f);
}
PE__INLINE void pe__zip_two(pe__vd s, pe__vd c, pe__vd *a, pe__vd *b)
{
    const pe__vd even = _mm256_unpacklo_pd(s, c), odd = _mm256_unpackhi_pd(s, c);
    *a = _mm256_permute2f128_pd(even, odd, 0x20);
    *b = _mm256_permute2f128_pd(even, odd, 0x31);
}
PE__INLINE void pe__unzip(const double *p, pe__vd *s, pe__vd *c)
{
    /* unpacking works within each 128-bit half; 0xd8 then exchanges the two middle doubles */
    const __m256d a = _mm256_loadu_pd(p), b = _mm256_loadu_pd(p + 4);
    *s = _mm256_permute4x64_pd(_mm256_unpacklo_pd(a, b), 0xd8);
    *c = _mm256_permute4x64_pd(_mm256_unpackhi_pd(a, b), 0xd8);
}
/* Rotate (s, c) by k quadrants, where k is an integer in the last bits of `quadrant`. The function
   of this name in vectors.h explains the sign changes. If k is odd, blends exchange s and c. The
   instruction blendv selects by the most significant bit of each lane, so bit 0 of k is shifted
   there. */
PE__INLINE void pe__rotate_quadrant(pe__vd quadrant, pe__vd *s, pe__vd *c)
{
    const __m256i k = _mm256_castpd_si256(quadrant);
    __m256d odd = _mm256_castsi256_pd(_mm256_slli_epi64(k, 63));
    PE__OPAQUE(odd); /* otherwise gcc compares odd with 0 before each blend */
    const __m256d half = _mm256_castsi256_pd(_mm256_slli_epi64(k, 62)), sign = pe__splat(-0.0);
    const __m256d a = _mm256_blendv_pd(*s, *c, odd), b = _mm256_blendv_pd(*c, *s, odd);
    *s = _mm256_xor_pd(a, _mm256_and_pd(half, sign));
    *c = _mm256_xor_pd(b, _mm256_and_pd(_mm256_xor_pd(half, odd), sign));
}
PE__INLINE void pe__put_n(float *p, pe__vf v, size_t n)
{
    const __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    _mm256_maskstore_ps(p, _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), index), v);
}
PE__INLINE void pe__stream(float *p, pe__vf v) { _mm256_stream_ps(p, v); }
PE__INLINE void pe__stream_vd(double *p, pe__vd a) { _mm256_stream_pd(p, a); }
PE__INLINE pe__vd pe__widen(const float *p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
PE__INLINE void pe__narrow(float *p, pe__vd a) { _mm_storeu_ps(p, _mm256_cvtpd_ps(a)); }
PE__INLINE pe__vf pe__splat_f32(float x) { return _mm256_set1_ps(x); }
PE__INLINE pe__vf pe__mad_f32(pe__vf a, pe__vf b, pe__vf c) { return _mm256_fmadd_ps(a, b, c); }
PE__INLINE pe__vf pe__nmad_f32(pe__vf a, pe__vf b, pe__vf c) { return _mm256_fnmadd_ps(a, b, c); }
PE__INLINE pe__vf pe__swap(pe__vf v) { return _mm256_permute_ps(v, 0xb1); }
/* Load the same four floats into both 128-bit halves of a vector, so that a permutation within the
   halves is enough to repeat each float. */
PE__INLINE pe__vf pe__get_repeated(const float *p)
{
    return _mm256_permutevar_ps(_mm256_broadcast_ps((const __m128 *)(const void *)p),
                                _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3));
}
PE__INLINE unsigned pe__signs(pe__vi a) { return (unsigned)_mm256_movemask_ps((__m256)a); }
/* This is assembly, because clang removes the intrinsic for this comparison under
   -ffinite-math-only: it assumes that no float is a NaN. Comparing the bits as integers instead
   took 7 to 11 % longer where 16-bit biases are written. */
PE__INLINE int pe__any_nan(pe__vf a, pe__vf b)
{
    __m256 unordered;
    __asm__("vcmpunordps {%2, %1, %0|%0, %1, %2}" : "=x"(unordered) : "x"(a), "x"(b));
    return _mm256_movemask_ps(unordered) != 0;
}
PE__INLINE __m256i pe__get_16(const uint16_t *p)
{
    return _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)p));
}
PE__INLINE pe__vf pe__get_bf16(const uint16_t *p)
{
    return _mm256_castsi256_ps(_mm256_slli_epi32(pe__get_16(p), 16));
}
PE__INLINE pe__vh pe__round_bf16(pe__vf v)
{
    const __m256i up = (__m256i)(pe__up_bf16(v) >> 16);
    return _mm_packus_epi32(_mm256_castsi256_si128(up), _mm256_extracti128_si256(up, 1));
}
PE__INLINE void pe__put_upper(uint16_t *p, pe__vu a, pe__vu b)
{
    const __m256i both = _mm256_blend_epi16((__m256i)(a >> 16), (__m256i)b, 0xaa);
    _mm256_storeu_si256((__m256i *)(void *)p, both);
}
/* Returns 1 if the lower 16 bits of any number in the four vectors are 0, else 0. The minimum of
   the four vectors' 16-bit words is 0 wherever a word is 0, so one comparison serves all four. The
   constant 0x33333333 selects the mask bits of the lower words. */
PE__INLINE int pe__any_ends_in_0(pe__vu a, pe__vu b, pe__vu c, pe__vu d)
{
    const __m256i ab = _mm256_min_epu16((__m256i)a, (__m256i)b);
    const __m256i minimum = _mm256_min_epu16(ab, _mm256_min_epu16((__m256i)c, (__m256i)d));
    const __m256i zero = _mm256_cmpeq_epi16(minimum, _mm256_setzero_si256());
    return ((unsigned)_mm256_movemask_epi8(zero) & 0x33333333u) != 0;
}
/* Returns v with its two middle quarters exchanged. This restores the order of numbers after
   _mm256_shuffle_ps(), which works within each 128-bit half. */
PE__INLINE pe__vf pe__unzip_halves(__m256 v)
{
    return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(v), 0xd8));
}
PE__INLINE pe__vf pe__unzip_evens(pe__vf a, pe__vf b)
{
    return pe__unzip_halves(_mm256_shuffle_ps(a, b, 0x88));
}
PE__INLINE pe__vf pe__unzip_odds(pe__vf a, pe__vf b)
{
    return pe__unzip_halves(_mm256_shuffle_ps(a, b, 0xdd));
}
PE__INLINE pe__vf pe__get_f16(const uint16_t *p)
{
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)p));
}
/* The argument 0 means: round to nearest even, whatever MXCSR says. */
PE__INLINE pe__vh pe__round_f16(pe__vf v) { return _mm256_cvtps_ph(v, 0); }
PE__INLINE void pe__put_zip_f16(uint16_t *p, pe__vf a, pe__vf b)
{
    const __m128i u = pe__round_f16(a), v = pe__round_f16(b);
    _mm_storeu_si128((__m128i *)(void *)p, _mm_unpacklo_epi16(u, v));
    _mm_storeu_si128((__m128i *)(void *)(p + 8), _mm_unpackhi_epi16(u, v));
}
PE__INLINE pe__vd pe__min_vd(pe__vd a, pe__vd b) { return _mm256_min_pd(a, b); }
PE__INLINE pe__vf pe__min_f32(pe__vf a, pe__vf b) { return _mm256_min_ps(a, b); }
PE__INLINE void pe__put_h(uint16_t *p, pe__vh h) { _mm_storeu_si128((__m128i *)(void *)p, h); }
/* Keep the minima, as signed integers, of the lower and the upper 32 bits of the doubles in a and
   b, after these shifts to the left. The lower 32 bits are shifted by PE__TO_TOP, which leaves the
   bits that rounding to float drops. The upper 32 bits are shifted by 1, which drops the sign, and
   leaves the exponent and 20 bits of the significand. For magnitudes of 2 and more this is a
   negative integer, so the vector is always flagged. The alternative is to shuffle the lower halves
   into one vector, and to keep minima of the magnitudes of the floats v. With it, fills took 12 %
   longer and sums 10 % longer. */
PE__INLINE void pe__rounding_test_add(pe__rounding_test *w, pe__vd a, pe__vd b, pe__vf v)
{
    const __m256i addend = _mm256_set1_epi64x(((int64_t)1 << 32) + PE__TO_TOP);
    const __m256i x = _mm256_sllv_epi32(_mm256_castpd_si256(a), addend);
    const __m256i y = _mm256_sllv_epi32(_mm256_castpd_si256(b), addend);
    (void)v;
    w->low = (pe__vi)_mm256_min_epi32(_mm256_min_epi32((__m256i)w->low, x), y);
}
/* Returns 1 if a minimum of dropped bits is less than `window` above a midpoint, or a minimum of
   magnitudes is below the guard, else 0. Both bounds are converted to the form of the minima. The
   guard has the bits of a float, and becomes the upper half of a double, shifted to the left by 1.
   Its significand loses 3 bits, rounded up. Its exponent grows by 896, the difference of the
   biases. Guards of 0x3ffffff8 (just below 2) and more flag every vector. */
PE__INLINE int pe__rounding_test_flagged(pe__rounding_test w, int32_t window, int32_t guard)
{
    const uint32_t tie = 0x80000000u + ((uint32_t)window << PE__TO_TOP);
    const int64_t size = guard < 0x3ffffff8 ? ((guard >> 3) + (896 << 20) + 1) << 1 : INT32_MAX;
    const pe__vi minimum = (pe__vi)_mm256_set1_epi64x((size << 32) + tie);
    return pe__signs(w.low < minimum) != 0;
}
#endif
