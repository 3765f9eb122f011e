/* SPDX-License-Identifier: MIT */
/* This file defines the operations of pe_simd.h that need intrinsics of AVX-512. The others are in
 * vectors.h and derived.h. Tested by tests/unit/simd/test_types.c. */
#pragma once
#include "choice.h"
#include "compiler.h"
#include "one.h"
#include "vectors.h"

/* ---- AVX-512 -------------------------------------------------------------------------------- */
#if PE_ISA == PE_ISA_AVX512

typedef __m256i pe__vh;

PE__INLINE pe__vd pe__splat(double x) { return _mm512_set1_pd(x); }
PE__INLINE pe__vd pe__fma(pe__vd a, pe__vd b, pe__vd c) { return _mm512_fmadd_pd(a, b, c); }
PE__INLINE pe__vd pe__fnma(pe__vd a, pe__vd b, pe__vd c) { return _mm512_fnmadd_pd(a, b, c); }
PE__INLINE pe__vd pe__fms(pe__vd a, pe__vd b, pe__vd c) { return _mm512_fmsub_pd(a, b, c); }
#define PE__SLEEF_TWO Sleef___m512d_2
#define PE__SLEEF_SINCOSPI Sleef_sincospid8_u35avx512f
/* Convert to float, then zip: one permutation of floats replaces two of doubles. */
PE__INLINE pe__vf pe__zip(pe__vd s, pe__vd c)
{
    const __m512i order = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    return _mm512_permutex2var_ps(_mm512_castps256_ps512(_mm512_cvtpd_ps(s)), order,
                                  _mm512_castps256_ps512(_mm512_cvtpd_ps(c)));
}
PE__INLINE pe__vf pe__join(pe__vd a, pe__vd b)
{
    return _mm512_castpd_ps(
        _mm512_insertf64x4(_mm512_castps_pd(_mm512_castps256_ps512(_mm512_cvtpd_ps(a))),
                           _mm256_castps_pd(_mm512_cvtpd_ps(b)), 1));
}
PE__INLINE pe__vd pe__to_float(pe__vd a)
{
    __m256 f = _mm512_cvtpd_ps(a);
    PE__OPAQUE(f); /* otherwise the compiler might return a, not rounded to float */
    return _mm512_cvtps_pd(f);
}
PE__INLINE void pe__zip_two(pe__vd s, pe__vd c, pe__vd *a, pe__vd *b)
{
    *a = _mm512_permutex2var_pd(s, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), c);
    *b = _mm512_permutex2var_pd(s, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), c);
}
PE__INLINE void pe__unzip(const double *p, pe__vd *s, pe__vd *c)
{
    const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    const __m512i odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    const __m512d a = _mm512_loadu_pd(p), b = _mm512_loadu_pd(p + 8);
    *s = _mm512_permutex2var_pd(a, even, b);
    *c = _mm512_permutex2var_pd(a, odd, b);
}
/* Rotate (s, c) by k quadrants, where k is an integer in the last bits of `quadrant`. The function
   of this name in vectors.h explains the sign changes. If k is odd, masked moves exchange s and
   c. */
PE__INLINE void pe__rotate_quadrant(pe__vd quadrant, pe__vd *s, pe__vd *c)
{
    const __m512i k = _mm512_castpd_si512(quadrant), sign = _mm512_set1_epi64(INT64_MIN);
    /* bit 63 of sign_s is bit 1 of k; bit 63 of sign_c is bit 1 of k + 1 */
    const __m512i sign_s = _mm512_slli_epi64(k, 62);
    const __m512i sign_c = _mm512_add_epi64(sign_s, _mm512_set1_epi64((int64_t)1 << 62));
    const __mmask8 odd = _mm512_test_epi64_mask(k, _mm512_set1_epi64(1));
    const __m512i a = _mm512_castpd_si512(_mm512_mask_mov_pd(*s, odd, *c));
    const __m512i b = _mm512_castpd_si512(_mm512_mask_mov_pd(*c, odd, *s));
    /* a ^ (sign_s & sign), then b ^ (sign_c & sign) */
    *s = _mm512_castsi512_pd(_mm512_ternarylogic_epi64(a, sign_s, sign, 0x78));
    *c = _mm512_castsi512_pd(_mm512_ternarylogic_epi64(b, sign_c, sign, 0x78));
}
/* Returns pe__zip() of s and c after pe__rotate_quadrant() of them, in 4 operations instead of 8.
   `quarters` has two numbers for each number of quadrants modulo 4: one for the sine and one for
   the cosine. The last 3 bits of `quadrant` choose them, so `quarters` has all of them twice. The
   most significant bit of a number is the change of sign. Bit 4 of a number (16) exchanges s and c:
   the exclusive or with an index of the permutation changes the index's bit 4, which chooses
   between s and c. */
PE__INLINE pe__vf pe__zip_rotated(pe__vd quadrant, pe__vd s, pe__vd c)
{
    const __m512i order = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const int minus = INT32_MIN, both = 16 + INT32_MIN;
    const __m512i quarters = _mm512_setr_epi32(0, 0, 16, both, minus, minus, both, 16, 0, 0, 16,
                                               both, minus, minus, both, 16);
    const __m512i change = _mm512_permutexvar_epi64(_mm512_castpd_si512(quadrant), quarters);
    const __m512 v = _mm512_permutex2var_ps(_mm512_castps256_ps512(_mm512_cvtpd_ps(s)),
                                            _mm512_xor_si512(order, change),
                                            _mm512_castps256_ps512(_mm512_cvtpd_ps(c)));
    return (pe__vf)((pe__vu)v ^ ((pe__vu)change & 0x80000000u));
}
PE__INLINE pe__vf pe__get_n(const float *p, size_t n)
{
    return _mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1u), p);
}
PE__INLINE void pe__put_n(float *p, pe__vf v, size_t n)
{
    _mm512_mask_storeu_ps(p, (__mmask16)((1u << n) - 1u), v);
}
PE__INLINE void pe__stream(float *p, pe__vf v) { _mm512_stream_ps(p, v); }
PE__INLINE void pe__stream_vd(double *p, pe__vd a) { _mm512_stream_pd(p, a); }
PE__INLINE int pe__unequal(pe__vd a, pe__vd b, pe__vd c, pe__vd d)
{
    const __m512i x = _mm512_xor_si512(_mm512_castpd_si512(a), _mm512_castpd_si512(b));
    const __m512i y = _mm512_xor_si512(_mm512_castpd_si512(c), _mm512_castpd_si512(d));
    return _mm512_test_epi64_mask(_mm512_or_si512(x, y), _mm512_or_si512(x, y)) != 0;
}
PE__INLINE pe__vd pe__widen(const float *p) { return _mm512_cvtps_pd(_mm256_loadu_ps(p)); }
PE__INLINE void pe__narrow(float *p, pe__vd a) { _mm256_storeu_ps(p, _mm512_cvtpd_ps(a)); }
PE__INLINE pe__vf pe__splat_f32(float x) { return _mm512_set1_ps(x); }
PE__INLINE pe__vf pe__mad_f32(pe__vf a, pe__vf b, pe__vf c) { return _mm512_fmadd_ps(a, b, c); }
PE__INLINE pe__vf pe__nmad_f32(pe__vf a, pe__vf b, pe__vf c) { return _mm512_fnmadd_ps(a, b, c); }
PE__INLINE pe__vf pe__swap(pe__vf v) { return _mm512_permute_ps(v, 0xb1); }
PE__INLINE pe__vf pe__get_repeated(const float *p)
{
    const __m512i order = _mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
    return _mm512_permutexvar_ps(order, _mm512_castps256_ps512(_mm256_loadu_ps(p)));
}
PE__INLINE unsigned pe__signs(pe__vi a)
{
    unsigned mask = _mm512_movepi32_mask((__m512i)a);
    __asm__("" : "+r"(mask)); /* otherwise gcc 12 may store 16 bits of the mask, then load 32 */
    return mask & 0xffffu;
}
PE__INLINE pe__vd pe__lookup_16(const double *p, pe__vd k)
{
    const pe__vd last = k + pe__splat(6755399441055744.0); /* k in the last bits, see pe__round() */
    const __m512i i = _mm512_castpd_si512(last);
    return _mm512_permutex2var_pd(pe__load(p), i, pe__load(p + 8));
}
/* This is assembly, because clang removes the intrinsic for this comparison under
   -ffinite-math-only: it assumes that no float is a NaN. Comparing the bits as integers instead
   took 3 to 7 % longer where 16-bit biases are written. */
PE__INLINE int pe__any_nan(pe__vf a, pe__vf b)
{
    __mmask16 unordered;
    __asm__("vcmpunordps {%2, %1, %0|%0, %1, %2}" : "=k"(unordered) : "v"(a), "v"(b));
    return unordered != 0;
}
PE__INLINE pe__vf pe__get_bf16(const uint16_t *p)
{
    const __m256i h = _mm256_loadu_si256((const __m256i *)(const void *)p);
    /* one instruction moves the numbers to the odd 16-bit words, and sets the even ones to 0 */
    const __m512i order = _mm512_slli_epi32(
        _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), 16);
    return _mm512_castsi512_ps(
        _mm512_maskz_permutexvar_epi16(0xaaaaaaaau, order, _mm512_castsi256_si512(h)));
}
PE__INLINE pe__vf pe__get_f16(const uint16_t *p)
{
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)p));
}
PE__INLINE pe__vh pe__round_bf16(pe__vf v)
{
#ifdef __AVX512BF16__ /* its conversion flushes subnormals: use it only if no exponent is 0 */
    const __m512i exponent = _mm512_set1_epi32(0x7f800000);
    if (!PE__UNLIKELY(_mm512_testn_epi32_mask(_mm512_castps_si512(v), exponent) != 0))
        return (__m256i)_mm512_cvtneps_pbh(v);
#endif
    return _mm512_cvtepi32_epi16((__m512i)(pe__up_bf16(v) >> 16));
}
PE__INLINE void pe__put_upper(uint16_t *p, pe__vu a, pe__vu b)
{
    _mm512_storeu_si512((void *)p,
                        _mm512_ternarylogic_epi32(/* (a >> 16) | (b & mask) */
                                                  (__m512i)(a >> 16), (__m512i)b,
                                                  _mm512_set1_epi32((int)0xffff0000u), 0xf8));
}
PE__INLINE int pe__any_ends_in_0(pe__vu a, pe__vu b, pe__vu c, pe__vu d)
{
    const __m512i last = _mm512_set1_epi32(0xffff);
    return (_mm512_testn_epi32_mask((__m512i)a, last) | _mm512_testn_epi32_mask((__m512i)b, last) |
            _mm512_testn_epi32_mask((__m512i)c, last) |
            _mm512_testn_epi32_mask((__m512i)d, last)) != 0;
}
PE__INLINE pe__vf pe__unzip_evens(pe__vf a, pe__vf b)
{
    const __m512i order =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return _mm512_permutex2var_ps(a, order, b);
}
PE__INLINE pe__vf pe__unzip_odds(pe__vf a, pe__vf b)
{
    const __m512i order =
        _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    return _mm512_permutex2var_ps(a, order, b);
}
/* The argument 8 means: round to nearest even, whatever MXCSR says, and raise no exception flags.
   The mask 0xffff selects all lanes. The form without a mask is a macro in gcc at -O0, which
   -Wsign-conversion reports. */
PE__INLINE pe__vh pe__round_f16(pe__vf v) { return _mm512_maskz_cvtps_ph(0xffff, v, 0x08); }
PE__INLINE void pe__put_zip_f16(uint16_t *p, pe__vf a, pe__vf b)
{
    const __m256i u = pe__round_f16(a), v = pe__round_f16(b);
    const __m256i low = _mm256_unpacklo_epi16(u, v), high = _mm256_unpackhi_epi16(u, v);
    _mm256_storeu_si256((__m256i *)(void *)p, _mm256_permute2x128_si256(low, high, 0x20));
    _mm256_storeu_si256((__m256i *)(void *)(p + 16), _mm256_permute2x128_si256(low, high, 0x31));
}
PE__INLINE pe__vd pe__min_vd(pe__vd a, pe__vd b) { return _mm512_min_pd(a, b); }
PE__INLINE pe__vf pe__min_f32(pe__vf a, pe__vf b) { return _mm512_min_ps(a, b); }
PE__INLINE pe__vf pe__min_size(pe__vf a, pe__vf b)
{
/* _mm512_range_ps() with 0x0a returns the smaller of |a| and |b| in one instruction. In gcc at -O0
   it is a macro that -Wsign-conversion reports. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif
    return _mm512_range_ps(a, b, 0x0a);
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
}
#ifndef __clang__
PE__INLINE uint32_t pe__within(pe__vf a, pe__vf x, pe__vf b, pe__vf y)
{
    uint32_t first = _mm512_cmp_ps_mask(a, x, _CMP_NGT_UQ);
    __asm__("" : "+r"(first)); /* see pe__signs() */
    return (first & 0xffffu) | (uint32_t)_mm512_cmp_ps_mask(b, y, _CMP_NGT_UQ) << 16;
}
#endif
PE__INLINE void pe__put_h(uint16_t *p, pe__vh h) { _mm256_storeu_si256((__m256i *)(void *)p, h); }
PE__INLINE void pe__rounding_test_add(pe__rounding_test *w, pe__vd a, pe__vd b, pe__vf v)
{
    /* the lower halves of the doubles; minima do not depend on their order */
    const __m512 low = _mm512_shuffle_ps(_mm512_castpd_ps(a), _mm512_castpd_ps(b), 0x88);
    /* dropped = (low & mask) ^ tie are the bits that rounding to float drops, with the most
       significant one inverted. So a midpoint becomes 0, the least unsigned integer. Shifting the
       bits to the top instead, as the other instruction sets do, would compete with shuffles for
       the same ports of the CPU. */
    const __m512i mask = _mm512_set1_epi32((1 << PE__DROPPED) - 1);
    const __m512i tie = _mm512_set1_epi32(1 << (PE__DROPPED - 1));
    const __m512i dropped = _mm512_ternarylogic_epi32(_mm512_castps_si512(low), mask, tie, 0x6a);
    w->low = (pe__vi)_mm512_min_epu32((__m512i)w->low, dropped);
    w->size = (pe__vi)pe__min_size((pe__vf)w->size, v);
}
PE__INLINE int pe__rounding_test_flagged(pe__rounding_test w, int32_t window, int32_t guard)
{
    return (_mm512_cmplt_epu32_mask((__m512i)w.low, _mm512_set1_epi32(window)) |
            _mm512_cmplt_epi32_mask((__m512i)w.size, _mm512_set1_epi32(guard))) != 0;
}

#endif
