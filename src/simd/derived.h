/* SPDX-License-Identifier: MIT */
/* This file has operations that are written with those of the other files in simd/, and operations
 * that several instruction sets share. Tested by tests/unit/simd/test_types.c and
 * tests/unit/numbers/test_budget.c. */
#pragma once
#include "choice.h"
#include "compiler.h"
#include "one.h"
#include "avx512.h"
#include "avx2.h"
#include "neon.h"
#include "sse2.h"
#include "scalar.h"

/* ---- derived operations, for all instruction sets -------------------------------------------- */

#if PE_SLEEF
PE__INLINE void pe__sincospi(pe__vd a, pe__vd *s, pe__vd *c)
{
    const PE__SLEEF_TWO r = PE__SLEEF_SINCOSPI(a);
    *s = r.x;
    *c = r.y;
}
#endif
#undef PE__SLEEF_TWO
#undef PE__SLEEF_SINCOSPI
#undef PE__PICK4
#undef PE__PICK2

PE__INLINE pe__vd pe__mul(pe__vd a, pe__vd b)
{
    pe__vd p = a * b;
    PE__PRODUCT(p);
    return p;
}
#if PE_ISA != PE_ISA_SCALAR
PE__INLINE pe__vf pe__add_f32(pe__vf a, pe__vf b) { return a + b; }
PE__INLINE pe__vf pe__sub_f32(pe__vf a, pe__vf b) { return a - b; }
PE__INLINE pe__vf pe__mul_f32(pe__vf a, pe__vf b)
{
    pe__vf p = a * b;
    PE__PRODUCT(p);
    return p;
}
PE__INLINE pe__vf pe__get_signed(const float *p)
{
    return (pe__vf)((pe__vl)pe__get_repeated(p) ^ 0x80000000); /* negates floats 0, 2, 4 ... */
}
PE__INLINE unsigned pe__differ(pe__vf a, pe__vf b)
{
    return pe__signs((pe__vi)a == (pe__vi)b) ^ ((1u << 2 * PE_LANES) - 1);
}
#if PE_ISA != PE_ISA_AVX512 || defined(__clang__) /* for gcc, avx512.h has a version with masks */
/* This uses operators, not intrinsics. pe's pragmas switch -ffast-math off for operators, but clang
   still applies the program's -ffast-math to intrinsics and then assumes that there are no NaNs. */
PE__INLINE uint32_t pe__within(pe__vf a, pe__vf x, pe__vf b, pe__vf y)
{
    const uint32_t beyond = pe__signs(a > x) | pe__signs(b > y) << 2 * PE_LANES;
    return beyond ^ ~0u >> (32 - 4 * PE_LANES);
}
#endif
#if PE_ISA != PE_ISA_AVX512 /* avx512.h has its own, with masks */
PE__INLINE int pe__unequal(pe__vd a, pe__vd b, pe__vd c, pe__vd d)
{
    return pe__signs((pe__vi)((a != b) | (c != d))) != 0;
}
#endif
#if PE_ISA == PE_ISA_NEON || PE_ISA == PE_ISA_WASM
/* Compares the bits as integers, because under -ffinite-math-only clang removes comparisons that
   are true only for NaNs, in spite of pe's pragmas. For other instruction sets, pe__any_nan() is
   beside their own operations. */
PE__INLINE int pe__any_nan(pe__vf a, pe__vf b)
{
    const pe__vi x = (pe__vi)a & INT32_MAX, y = (pe__vi)b & INT32_MAX;
    return pe__signs((x > 0x7f800000) | (y > 0x7f800000)) != 0;
}
#endif
#endif

#if PE_ISA != PE_ISA_NEON
PE__INLINE pe__vf pe__zip_odd(pe__vd s, pe__vd c) { return pe__zip(pe__odd24(s), pe__odd24(c)); }
#endif

#if PE_ISA != PE_ISA_AVX512 /* avx512.h has shorter code for these three functions */
PE__INLINE pe__vf pe__get_n(const float *p, size_t n)
{
    float f[2 * PE_LANES] = {0};
    memcpy(f, p, n * sizeof *f);
    return pe__get(f);
}
PE__INLINE pe__vf pe__zip_rotated(pe__vd quadrant, pe__vd s, pe__vd c)
{
    (void)quadrant; /* pe__rotate_quadrant() has already rotated s and c */
    return pe__zip(s, c);
}
PE__INLINE pe__vf pe__min_size(pe__vf a, pe__vf b)
{
    return pe__min_f32(pe__abs_f32(a), pe__abs_f32(b));
}
#endif

#if PE_ISA == PE_ISA_AVX512 || PE_ISA == PE_ISA_AVX2 || PE_ISA == PE_ISA_SSE2
enum { PE__STREAMS = 1 };
PE__INLINE void pe__fence(void) { _mm_sfence(); }
#else
enum { PE__STREAMS = 0 };
PE__INLINE void pe__stream(float *p, pe__vf v) { pe__put(p, v); }
PE__INLINE void pe__stream_vd(double *p, pe__vd a) { pe__store(p, a); }
PE__INLINE void pe__fence(void) {}
#endif
/* Set *s to the first floats and *c to the second floats of 2 PE_LANES pairs, in the order of i.
   These are the pairs with indices i[0], i[1] ... in the array of pairs at p, which may be any
   address. Each pair is loaded as one double. With AVX2 and AVX-512 the pairs are loaded in another
   order, in which shuffles within 16-byte parts give both results. This saves an operation. */
#if PE_ISA != PE_ISA_SCALAR
typedef double pe__pair_at __attribute__((__aligned__(1), __may_alias__));
PE__INLINE void pe__get_pairs(const void *p, const uint8_t *i, pe__vf *s, pe__vf *c)
{
    const pe__pair_at *const x = (const pe__pair_at *)p;
#if PE_ISA == PE_ISA_AVX512
    const pe__vd v = {x[i[0]], x[i[1]], x[i[4]], x[i[5]], x[i[8]], x[i[9]], x[i[12]], x[i[13]]};
    const pe__vd w = {x[i[2]], x[i[3]], x[i[6]], x[i[7]], x[i[10]], x[i[11]], x[i[14]], x[i[15]]};
    *s = _mm512_shuffle_ps((__m512)v, (__m512)w, 0x88);
    *c = _mm512_shuffle_ps((__m512)v, (__m512)w, 0xdd);
#elif PE_ISA == PE_ISA_AVX2
    const pe__vd v = {x[i[0]], x[i[1]], x[i[4]], x[i[5]]};
    const pe__vd w = {x[i[2]], x[i[3]], x[i[6]], x[i[7]]};
    *s = _mm256_shuffle_ps((__m256)v, (__m256)w, 0x88);
    *c = _mm256_shuffle_ps((__m256)v, (__m256)w, 0xdd);
#else
    const pe__vd v = {x[i[0]], x[i[1]]}, w = {x[i[2]], x[i[3]]};
    *s = pe__unzip_evens((pe__vf)v, (pe__vf)w);
    *c = pe__unzip_odds((pe__vf)v, (pe__vf)w);
#endif
}
#endif
/* Copy n bytes, by non-temporal stores if `stream` is set and the instruction set has them. Such a
   store writes a complete vector at an address that is a multiple of the vector's size. So memcpy()
   copies the bytes before the first such address, and those after the last complete vector. */
PE__INLINE void pe__copy(void *to, const void *from, size_t n, int stream)
{
    unsigned char *const t = (unsigned char *)to;
    const unsigned char *const f = (const unsigned char *)from;
    const size_t vector = sizeof(pe__vd), unaligned = (vector - (uintptr_t)t % vector) % vector;
    size_t i = PE__STREAMS && stream && unaligned < n ? unaligned : n;
    if (i > 0) memcpy(t, f, i);
    for (; i + vector <= n; i += vector)
        pe__stream_vd((double *)(void *)(t + i), pe__load((const double *)(const void *)(f + i)));
    if (i < n) memcpy(t + i, f + i, n - i);
}

PE__INLINE pe__vh pe__to_bf16(pe__vf v)
{
    if (PE__UNLIKELY(pe__any_nan(v, v))) v = pe__quiet(v);
    return pe__round_bf16(v);
}
PE__INLINE pe__vh pe__to_f16(pe__vf v)
{
    if (PE__UNLIKELY(pe__any_nan(v, v))) v = pe__quiet(v);
    return pe__round_f16(v);
}
#if PE_ISA != PE_ISA_SCALAR
PE__INLINE void pe__put_bf16_two(uint16_t *p, pe__vf a, pe__vf b)
{
    pe__put_upper(p, pe__up_bf16(a), pe__up_bf16(b));
}
/* No number may be a NaN or a midpoint of two bf16 numbers. So adding half of a unit in the last
   place of a bf16 (0x8000) and dropping the lower 16 bits rounds to nearest. */
PE__INLINE void pe__put_zip_bf16(uint16_t *p, pe__vf a, pe__vf b)
{
    pe__put_upper(p, (pe__vu)a + 0x8000, (pe__vu)b + 0x8000);
}
#endif
PE__INLINE void pe__put_bf16_four(uint16_t *p, pe__vf a, pe__vf b, uint16_t *q, pe__vf c, pe__vf d)
{
#if PE_ISA == PE_ISA_AVX512 || PE_ISA == PE_ISA_AVX2
    /* Add half of a unit in the last place of a bf16 (0x8000) to each number. A sum ends in 16
       zeros only if the number is a midpoint of two bf16 numbers. If there is a midpoint, which is
       rare, use the slower functions below, which round ties to even. */
    const pe__vu x = (pe__vu)a + 0x8000, y = (pe__vu)b + 0x8000;
    const pe__vu z = (pe__vu)c + 0x8000, w = (pe__vu)d + 0x8000;
    if (!PE__UNLIKELY(pe__any_ends_in_0(x, y, z, w))) {
        pe__put_upper(p, x, y);
        pe__put_upper(q, z, w);
        return;
    }
#endif
    pe__put_bf16_two(p, a, b);
    pe__put_bf16_two(q, c, d);
}
PE__INLINE void pe__put_bf16(uint16_t *p, pe__vf v) { pe__put_h(p, pe__to_bf16(v)); }
PE__INLINE void pe__put_f16(uint16_t *p, pe__vf v) { pe__put_h(p, pe__to_f16(v)); }

#ifdef PE__NOT_FUSED
PE__INLINE pe__vd pe__veltkamp_high(pe__vd a) /* a rounded to 26 bits (Veltkamp); |a| < 2^996 */
{
    const pe__vd x = pe__splat(134217729.0) * a; /* 2^27 + 1 */
    return x - (x - a);
}
/* Returns p = a b, rounded, and sets *e with p + *e = a b exactly (Dekker), if nothing overflows or
   underflows. In vector code, `a` is not rounded to 26 bits but truncated to them, with the mask
   -134217728 = -2^27. Its low part, al, then has 27 bits. The parts bh and bl have at most 26 bits
   each. So each of the four products of the parts has at most 53 bits and is exact. */
PE__INLINE pe__vd pe__two_prod(pe__vd a, pe__vd b, pe__vd *e)
{
#if PE_ISA == PE_ISA_SCALAR
    const pe__vd ah = pe__veltkamp_high(a), bh = pe__veltkamp_high(b), al = a - ah, bl = b - bh;
    pe__vd p = a * b;
#else
    const pe__vd ah = (pe__vd)((pe__vl)a & -134217728), bh = pe__veltkamp_high(b);
    const pe__vd al = a - ah, bl = b - bh;
    pe__vd p = a * b;
    PE__OPAQUE(p); /* under -mfma, p must not be fused into the sum below */
#endif
    *e = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
    return p;
}
#else
PE__INLINE pe__vd pe__two_prod(pe__vd a, pe__vd b, pe__vd *e)
{
    pe__vd p = a * b;
    PE__OPAQUE(p);
    *e = pe__fms(a, b, p);
    return p;
}
#endif

/* Store s0 c0 s1 c1 ... at p, which may be any address. */
PE__INLINE void pe__zip_store(double *p, pe__vd s, pe__vd c)
{
    pe__vd a, b;
    pe__zip_two(s, c, &a, &b);
    pe__store(p, a);
    pe__store(p + PE_LANES, b);
}

/* Returns the integer nearest to a, ties to even, for |a| < 2^51. Adding 1.5 * 2^52 leaves no bits
   for a fraction. */
PE__INLINE pe__vd pe__round(pe__vd a)
{
    const pe__vd big = pe__splat(6755399441055744.0);
    return (a + big) - big;
}

/* The type pe__bits has the bits of each double of a pe__vd as an integer. */
#if PE_ISA == PE_ISA_SCALAR
typedef uint64_t pe__bits;
#else
typedef uint64_t pe__bits __attribute__((__vector_size__(8 * PE_LANES)));
#endif

/* Returns 2^k for an integer k within -1022 ... 1023, and a meaningless number for other k. Adding
   1.5 * 2^52 + 1023 puts k + 1023, the biased exponent of 2^k, into the last bits. The shift moves
   the exponent to its place. */
PE__INLINE pe__vd pe__power_of_2(pe__vd k)
{
    pe__vd y = k + pe__splat(6755399441055744.0 + 1023);
    pe__bits bits;
    memcpy(&bits, &y, sizeof bits);
    bits <<= 52;
    memcpy(&y, &bits, sizeof y);
    return y;
}

/* Returns m and sets *e with a = m 2^e, 0.5 <= m < 1, for a normal a > 0. */
PE__INLINE pe__vd pe__mantissa(pe__vd a, pe__vd *e)
{
    pe__bits bits, exponent;
    memcpy(&bits, &a, sizeof bits);
    exponent = bits >> 52 | 0x4330000000000000u; /* as a double: 2^52 + biased exponent */
    bits = (bits & 0xfffffffffffffu) | 0x3fe0000000000000u; /* a with the exponent of 0.5 */
    memcpy(&a, &exponent, sizeof a);
    *e = a - pe__splat(4503599627370496.0 + 1022);
    memcpy(&a, &bits, sizeof a);
    return a;
}

/* Returns p[k mod 16] for an integer k with |k| < 2^51, lane by lane. The vector is built in
   registers: a load of an array would stall on the narrower stores that have just filled it. */
#if PE_ISA != PE_ISA_AVX512
PE__INLINE pe__vd pe__lookup_16(const double *p, pe__vd k)
{
    uint64_t n[PE_LANES];
    const pe__vd last = k + pe__splat(6755399441055744.0); /* k in the last bits, see pe__round() */
    memcpy(n, &last, sizeof n);
#if PE_ISA == PE_ISA_SCALAR
    return p[n[0] & 15];
#elif PE_ISA == PE_ISA_AVX2
    const pe__vd y = {p[n[0] & 15], p[n[1] & 15], p[n[2] & 15], p[n[3] & 15]};
    return y;
#else
    const pe__vd y = {p[n[0] & 15], p[n[1] & 15]};
    return y;
#endif
}
#endif

/* Returns, in each lane, b if a > 0, else c. */
PE__INLINE pe__vd pe__where_positive(pe__vd a, pe__vd b, pe__vd c)
{
#if PE_ISA == PE_ISA_SCALAR
    return a > 0 ? b : c;
#else
    const pe__bits mask = (pe__bits)(a > pe__splat(0.0));
    return (pe__vd)((mask & (pe__bits)b) | (~mask & (pe__bits)c));
#endif
}

/* Reduces an angle of t (f + g) half-turns: t (f + g) = k / 2 + remainder, where k is an integer
   near 2 t f, the number of quadrants. The frequency is the sum of two doubles f and g. The inputs
   must satisfy |t f| <= 2^47 and |g| <= 2^-53 |f|. Returns the remainder after two roundings, or
   three where nothing is fused. Sets *quadrant = k / 2 + shift. The argument `shift` is
   pe__quadrant_shift, so that k is in the last bits of *quadrant. With a shift of
   pe__quadrant_shift + n / 2, the last bits hold k + n, which rotates by n more quadrants. */
static const double pe__quadrant_shift = 3377699720527872.0; /* 1.5 * 2^51: its last bit is 1/2 */
PE__INLINE pe__vd pe__reduce(pe__vd t, pe__vd f, pe__vd g, pe__vd shift, pe__vd *quadrant)
{
#ifdef PE__NOT_FUSED
    pe__vd e;
    const pe__vd p = pe__two_prod(t, f, &e);
    *quadrant = p + shift;
    return (p - (*quadrant - shift)) + (t * g + e);
#else
    *quadrant = pe__fma(t, f, shift);
    return pe__fma(t, g, pe__fma(t, f, shift - *quadrant));
#endif
}

/* pe__rotate() rotates (a, b), a sine and a cosine, by an angle with sine ts and cosine tc. The
   results a[0] and b[0] are for the sum of both angles, a[1] and b[1] for their difference. If a is
   the cosine and b the sine, it is the other way round. */
typedef struct pe__rotated {
    pe__vd a[2], b[2];
} pe__rotated;
PE__INLINE pe__rotated pe__rotate(pe__vd a, pe__vd b, pe__vd ts, pe__vd tc)
{
    const pe__vd aC = a * tc, bC = b * tc;
    pe__rotated r;
    r.a[0] = pe__fma(b, ts, aC);
    r.b[0] = pe__fnma(a, ts, bC);
    r.a[1] = pe__fnma(b, ts, aC);
    r.b[1] = pe__fma(a, ts, bC);
    return r;
}

/* Returns the index of the lowest bit that is set in x, which is not 0. */
PE__INLINE unsigned pe__lowest_bit(uint64_t x)
{
#if PE__GNU
    return (unsigned)__builtin_ctzll(x);
#else
    unsigned n = 0;
    while (!(x >> n & 1)) n++;
    return n;
#endif
}

/* Returns s = a + b, rounded, and sets *e with s + *e = a + b exactly (Knuth). */
PE__INLINE pe__vd pe__two_sum(pe__vd a, pe__vd b, pe__vd *e)
{
    const pe__vd s = a + b, z = s - a;
    *e = (a - (s - z)) + (b - z);
    return s;
}

/* Does what pe__two_sum() does, with half of the operations. Needs |a| >= |b| or a = 0 (Dekker). */
PE__INLINE pe__vd pe__fast_two_sum(pe__vd a, pe__vd b, pe__vd *e)
{
    const pe__vd s = a + b;
    *e = b - (s - a);
    return s;
}

#undef PE__NOT_FUSED
