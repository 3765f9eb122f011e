/* SPDX-License-Identifier: MIT */
/* This file defines operations of pe_simd.h for SSE2 and WebAssembly's SIMD128. The others are in
 * vectors.h and derived.h. Tested by tests/unit/simd/test_types.c and tests/checks/wasm.sh. */
#pragma once
#include "choice.h"
#include "compiler.h"
#include "one.h"
#include "vectors.h"

/* ---- SSE2, WASM SIMD128: two doubles, nothing fused ------------------------------------------ */
#if PE_ISA == PE_ISA_SSE2 || PE_ISA == PE_ISA_WASM

#define PE__NOT_FUSED
/* Most operations use only GNU C's vectors, with their operators, comparisons and shuffles. The few
   that need intrinsics come first, once for SSE2 and once for WebAssembly. The error bounds are
   those for PE__FUSES = 0, also under -mfma, which would allow fused operations. */
typedef int16_t pe__vw __attribute__((__vector_size__(16)));
typedef pe__vi pe__vh; /* four 16-bit numbers, in the first 8 bytes */

#if PE_ISA == PE_ISA_SSE2
PE__INLINE pe__vf pe__floats_of(pe__vd a) { return _mm_cvtpd_ps(a); }  /* returns a0 a1 0 0 */
PE__INLINE pe__vd pe__doubles_of(pe__vf v) { return _mm_cvtps_pd(v); } /* returns v0 v1 */
PE__INLINE pe__vi pe__toward_0(pe__vf v) { return (pe__vi)_mm_cvttps_epi32(v); }
PE__INLINE unsigned pe__signs(pe__vi a) { return (unsigned)_mm_movemask_ps((__m128)a); }
/* This is assembly, because clang removes comparisons that are true only for NaNs under
   -ffinite-math-only, in spite of pe's pragmas. Comparing the bits as integers instead took 4 to
   5 % longer where 16-bit biases are written. If the flags allow AVX, the mnemonic begins with v,
   as those of the instructions that the compiler then generates. */
PE__INLINE int pe__any_nan(pe__vf a, pe__vf b)
{
#ifdef __AVX__
    pe__vf unordered;
    __asm__("vcmpunordps {%2, %1, %0|%0, %1, %2}" : "=x"(unordered) : "x"(a), "x"(b));
#else
    pe__vf unordered = a;
    __asm__("cmpunordps {%1, %0|%0, %1}" : "+x"(unordered) : "x"(b));
#endif
    return pe__signs((pe__vi)unordered) != 0;
}
PE__INLINE pe__vd pe__min_vd(pe__vd a, pe__vd b) { return _mm_min_pd(a, b); }
PE__INLINE pe__vf pe__min_f32(pe__vf a, pe__vf b) { return _mm_min_ps(a, b); }
PE__INLINE pe__vf pe__swap(pe__vf v) /* _mm_shuffle_ps() would need a copy of v */
{
    return (pe__vf)_mm_shuffle_epi32((__m128i)v, 0xb1);
}
PE__INLINE pe__vw pe__least(pe__vw a, pe__vw b)
{
    return (pe__vw)_mm_min_epi16((__m128i)a, (__m128i)b);
}
PE__INLINE pe__vh pe__pack_16(pe__vi a) /* 32 bits to 16; numbers within -2^15 ... 2^15 - 1 */
{
    return (pe__vh)_mm_packs_epi32((__m128i)a, (__m128i)a);
}
PE__INLINE pe__vi pe__unpack_16(pe__vh h) /* 16 bits to 32, unsigned */
{
    return (pe__vi)_mm_unpacklo_epi16((__m128i)h, _mm_setzero_si128());
}
PE__INLINE void pe__stream(float *p, pe__vf v) { _mm_stream_ps(p, v); }
PE__INLINE void pe__stream_vd(double *p, pe__vd a) { _mm_stream_pd(p, a); }
#define PE__SLEEF_TWO Sleef___m128d_2
#define PE__SLEEF_SINCOSPI Sleef_sincospid2_u35sse2
#else
PE__INLINE pe__vf pe__floats_of(pe__vd a)
{
    return (pe__vf)wasm_f32x4_demote_f64x2_zero((v128_t)a);
}
PE__INLINE pe__vd pe__doubles_of(pe__vf v)
{
    return (pe__vd)wasm_f64x2_promote_low_f32x4((v128_t)v);
}
PE__INLINE pe__vi pe__toward_0(pe__vf v) { return (pe__vi)wasm_i32x4_trunc_sat_f32x4((v128_t)v); }
PE__INLINE unsigned pe__signs(pe__vi a) { return (unsigned)wasm_i32x4_bitmask((v128_t)a); }
/* The arguments are exchanged, so that the result is b if a or b is a NaN, as on x86. */
PE__INLINE pe__vd pe__min_vd(pe__vd a, pe__vd b)
{
    return (pe__vd)wasm_f64x2_pmin((v128_t)b, (v128_t)a);
}
PE__INLINE pe__vf pe__min_f32(pe__vf a, pe__vf b)
{
    return (pe__vf)wasm_f32x4_pmin((v128_t)b, (v128_t)a);
}
PE__INLINE pe__vf pe__swap(pe__vf v)
{
    return (pe__vf)wasm_i32x4_shuffle((v128_t)v, (v128_t)v, 1, 0, 3, 2);
}
PE__INLINE pe__vw pe__least(pe__vw a, pe__vw b)
{
    return (pe__vw)wasm_i16x8_min((v128_t)a, (v128_t)b);
}
PE__INLINE pe__vh pe__pack_16(pe__vi a)
{
    return (pe__vh)wasm_i16x8_narrow_i32x4((v128_t)a, (v128_t)a);
}
PE__INLINE pe__vi pe__unpack_16(pe__vh h) { return (pe__vi)wasm_u32x4_extend_low_u16x8((v128_t)h); }
#endif

PE__INLINE pe__vd pe__fma(pe__vd a, pe__vd b, pe__vd c) { return a * b + c; }
PE__INLINE pe__vd pe__fnma(pe__vd a, pe__vd b, pe__vd c) { return c - a * b; }
PE__INLINE pe__vf pe__join(pe__vd a, pe__vd b)
{
    return PE__PICK4(pe__floats_of(a), pe__floats_of(b), 0, 1, 4, 5);
}
PE__INLINE pe__vf pe__zip(pe__vd s, pe__vd c)
{
    return PE__PICK4(pe__floats_of(s), pe__floats_of(c), 0, 4, 1, 5);
}
PE__INLINE pe__vd pe__to_float(pe__vd a) { return pe__doubles_of(pe__floats_of(a)); }
PE__INLINE pe__vh pe__get_8_bytes(const void *p)
{
    pe__vl a = {0, 0};
    memcpy(&a, p, 8);
    return (pe__vh)a;
}
PE__INLINE pe__vd pe__widen(const float *p) { return pe__doubles_of((pe__vf)pe__get_8_bytes(p)); }
PE__INLINE void pe__narrow(float *p, pe__vd a)
{
    const pe__vf v = pe__floats_of(a);
    memcpy(p, &v, 8);
}
PE__INLINE pe__vf pe__mad_f32(pe__vf a, pe__vf b, pe__vf c) { return a * b + c; }
PE__INLINE pe__vf pe__nmad_f32(pe__vf a, pe__vf b, pe__vf c) { return c - a * b; }
PE__INLINE pe__vf pe__get_bf16(const uint16_t *p)
{
    return (pe__vf)((pe__vu)pe__unpack_16(pe__get_8_bytes(p)) << 16);
}
PE__INLINE pe__vh pe__round_bf16(pe__vf v) { return pe__pack_16((pe__vi)pe__up_bf16(v) >> 16); }
/* Store the upper 16 bits of each of a0, b0, a1, b1 ... at p, in this order. */
PE__INLINE void pe__put_upper(uint16_t *p, pe__vu a, pe__vu b)
{
    const pe__vu both = a >> 16 | (b & 0xffff0000u);
    memcpy(p, &both, sizeof both);
}
/* These two functions return f16 numbers as floats. pe__get_f16() handles the usual cases: all
   numbers are normal (0x0400 to 0x7bff without the sign), or all are 0. In other cases it calls
   pe__any_f16(), which handles any numbers and is out of line. A normal number gets 13 more bits,
   and 112, the difference of the exponent biases of float and f16, is added to its exponent. For
   infinities and NaNs 112 is added twice, as in pe__one_from_f16(). */
PE__OUTLINE pe__vf pe__any_f16(pe__vi h)
{
    const pe__vi a = h & 0x7fff, infinite = a > 0x7bff, nan = a > 0x7c00;
    const pe__vf size = __builtin_convertvector(a, pe__vf) * (1.0f / 16777216);
    const pe__vi r = ((a << 13) + (112 << 23) + (infinite & 112 << 23)) | (nan & 0x00400000);
    return (pe__vf)(pe__select(a < 0x0400, (pe__vi)size, r) | (h & 0x8000) << 16);
}
PE__INLINE pe__vf pe__get_f16(const uint16_t *p)
{
    const pe__vi h = pe__unpack_16(pe__get_8_bytes(p)), a = h & 0x7fff;
    if (PE__UNLIKELY(pe__signs((a - 0x0400) | (0x7bff - a)) != 0))
        return pe__signs(-a) == 0 ? (pe__vf)(h << 16) : pe__any_f16(h);
    return (pe__vf)(((a << 13) + (112 << 23)) | (h & 0x8000) << 16);
}
/* These two functions return v rounded to f16, using the constants of pe__one_to_f16().
   pe__f16_bits() handles the usual cases: all results are normal, or all numbers in v are 0. In
   other cases it calls pe__any_to_f16(), which handles any numbers, and is out of line. Both return
   the 16 bits extended to 32 by copies of the sign, because pe__pack_16() saturates: it would
   change 32-bit integers above 2^15 - 1. */
PE__OUTLINE pe__vi pe__any_to_f16(pe__vf v)
{
    const pe__vi bits = (pe__vi)v, a = bits & INT32_MAX, is_tiny = a < 0x38800000;
    const pe__vi normal = (a + (0xfff - (112 << 23)) + (a >> 13 & 1)) >> 13;
    const pe__vi special = 0x7c00 | ((a > 0x7f800000) & 0x0200);
    /* Compute a subnormal f16 in units of 2^-24. It is truncated to an integer. Then 1 is added if
       the remainder is above 1/2, or if it is 1/2 and the integer is odd. */
    const pe__vf size = (pe__vf)(a & is_tiny) * 16777216.0f;
    const pe__vi truncated = pe__toward_0(size);
    const pe__vf rest = size - __builtin_convertvector(truncated, pe__vf);
    const pe__vi up = (rest > 0.5f) | ((rest == 0.5f) & truncated);
    const pe__vi r = pe__select(a > 0x477fefff, special, normal);
    return pe__select(is_tiny, truncated + (up & 1), r) | (bits >> 31 & ~0x7fff);
}
PE__INLINE pe__vi pe__f16_bits(pe__vf v)
{
    const pe__vi bits = (pe__vi)v, a = bits & INT32_MAX;
    if (PE__UNLIKELY(pe__signs((a - 0x38800000) | (0x477fefff - a)) != 0))
        return pe__signs(-a) == 0 ? bits >> 31 & ~0x7fff : pe__any_to_f16(v);
    return (a + (0xfff - (112 << 23)) + (a >> 13 & 1)) >> 13 | (bits >> 31 & ~0x7fff);
}
PE__INLINE pe__vh pe__round_f16(pe__vf v) { return pe__pack_16(pe__f16_bits(v)); }
PE__INLINE void pe__put_zip_f16(uint16_t *p, pe__vf a, pe__vf b)
{
    pe__put_upper(p, (pe__vu)pe__f16_bits(a) << 16, (pe__vu)pe__f16_bits(b) << 16);
}
PE__INLINE void pe__put_h(uint16_t *p, pe__vh h) { memcpy(p, &h, 8); }
/* SSE2 has no minimum of 32-bit integers, so this keeps minima of signed 16-bit words. Only
   the upper word of each 32 bits is then compared with its bound, so one twelfth more vectors are
   flagged. */
PE__INLINE void pe__rounding_test_add(pe__rounding_test *w, pe__vd a, pe__vd b, pe__vf v)
{
    const pe__vu low = (pe__vu)PE__PICK4((pe__vf)a, (pe__vf)b, 0, 2, 4, 6);
    w->low = (pe__vi)pe__least((pe__vw)w->low, (pe__vw)(low << (int)PE__TO_TOP));
    w->size = (pe__vi)pe__least((pe__vw)w->size, (pe__vw)pe__abs_f32(v));
}
PE__INLINE int pe__rounding_test_flagged(pe__rounding_test w, int32_t window, int32_t guard)
{
    const pe__vw tie = (pe__vw)pe__splat_i32(INT32_MIN + (window << PE__TO_TOP));
    /* An upper word that equals its bound is also flagged, because lower words are not compared:
       pe__signs() reads the upper words alone. */
    const pe__vw above_tie = (pe__vw)w.low > tie;
    const pe__vw above_guard = (pe__vw)w.size > (pe__vw)pe__splat_i32(guard);
    return pe__signs((pe__vi)(above_tie & above_guard)) != 15;
}

#endif
