/* made from src/ by make headers: change that */
/* SPDX-License-Identifier: MIT
 *
 * pe_fixed.h - sine and cosine of position * frequency, correctly rounded, with only integers.
 *
 * One text for C99, C++11, CUDA C, HIP, OpenCL C 1.2 and Metal (untested: no Metal compiler has
 * seen it). It needs no other header. The results are the bits of pe_sincos_f32() on every device:
 * integer arithmetic has no fused products, no flush to zero and no fast-math.
 *
 *     pe_fixed_pair x = pe_fixed_sincos_f32(position, increment);
 * A frequency w is given as a phase increment, w / (2 pi) modulo 1 in 128 bits, as in a numerically
 * controlled oscillator. In pe.h, pe_fixed_increments() computes it on the host.
 *
 *     1. phase = position * increment modulo 1: the angle in turns. Argument reduction to the
 *        nearest quarter turn leaves g, an angle in eighths of a turn, 0 <= g <= 1.
 *     2. Level 1, 64 bits: sin(pi/4 g) / g and cos(pi/4 g) as polynomials in 1 - g^2, in which all
 *        coefficients are positive. The relative error of each value is below 2^-36.
 *     3. Ziv's rounding test: a value with no midpoint of two results within its error interval
 *        rounds as the exact value does. 1 pair in 5,900 goes on to level 2.
 *     4. Level 2, 96 bits: Taylor series. The relative error is below 2^-90, besides the error from
 *        the increment. A pair that the test flags again is reported as undecided, never guessed.
 * tests/checks/fixed_proof.py proves these errors from the constants below. */
#ifndef PE_FIXED_H
#define PE_FIXED_H

/* ==== src/fixed/sincos.h ==== */
/* The code of pe_fixed.h. tests/checks/fixed_proof.py and tests/unit/fixed/test_fixed.c test it. */
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__) || defined(__METAL_VERSION__)
typedef uint pe__u32;
typedef ulong pe__u64;
typedef int pe__i32;
typedef ushort pe__u16;
#define PE__DEVICE static inline
#define PE__DEVICE_RARE static __attribute__((noinline))
#if defined(__METAL_VERSION__) /* untested: no Metal compiler has seen it */
#define pe__mulhi(a, b) metal::mulhi((pe__u32)(a), (pe__u32)(b))
#define pe__leading_zeros(x) ((int)metal::clz(x))
#define pe__float_of(bits) as_type<float>(bits)
#define pe__bits_of(x) as_type<uint>(x)
#else
#define pe__mulhi(a, b) mul_hi((pe__u32)(a), (pe__u32)(b))
#define pe__leading_zeros(x) ((int)clz(x))
#define pe__float_of(bits) as_float(bits)
#define pe__bits_of(x) as_uint(x)
#endif
#else
#ifdef __CUDACC_RTC__ /* NVRTC has no system headers, and has memcpy() built in */
typedef unsigned int pe__u32;
typedef unsigned long long pe__u64;
typedef int pe__i32;
typedef unsigned short pe__u16;
#else
#include <stdint.h>
#include <string.h>
typedef uint32_t pe__u32;
typedef uint64_t pe__u64;
typedef int32_t pe__i32;
typedef uint16_t pe__u16;
#endif
#if defined(__CUDACC__) || defined(__HIP__) /* functions for device and host */
#define PE__DEVICE static __host__ __device__ __forceinline__
#define PE__DEVICE_RARE static __host__ __device__ __noinline__
#elif defined(__GNUC__)
#define PE__DEVICE static inline __attribute__((__unused__))
#ifdef __noinline__ /* CUDA's headers define it as a macro that is an attribute */
#define PE__DEVICE_RARE static __noinline__ __attribute__((__unused__))
#else
#define PE__DEVICE_RARE static __attribute__((__noinline__, __unused__))
#endif
#else
#define PE__DEVICE static inline
#define PE__DEVICE_RARE static inline
#endif

#if defined(__CUDA_ARCH__) /* nvcc turns the product below into 30 % more instructions */
#define pe__mulhi(a, b) __umulhi(a, b)
#define pe__leading_zeros(x) __clz((int)(x))
#else
PE__DEVICE pe__u32 pe__mulhi(pe__u32 a, pe__u32 b) /* returns the high word of a b */
{
    return (pe__u32)((pe__u64)a * b >> 32);
}
PE__DEVICE int pe__leading_zeros(pe__u32 x) /* of x > 0 */
{
#if defined(__GNUC__) && __SIZEOF_INT__ == 4
    return __builtin_clz(x);
#else
    int zeros = 0;
    for (; x < 0x80000000u; x <<= 1) zeros++;
    return zeros;
#endif
}
#endif
PE__DEVICE float pe__float_of(pe__u32 bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
PE__DEVICE pe__u32 pe__bits_of(float x)
{
    pe__u32 bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
#endif

typedef struct pe_fixed_increment {
    pe__u32 w[4]; /* frequency / (2 pi) modulo 1, times 2^128; the lowest bits are in w[0] */
} pe_fixed_increment;
typedef struct pe_fixed_pair { /* if undecided is 1, do not use sine and cosine */
    float sine, cosine;
    int undecided;
} pe_fixed_pair;
typedef struct pe_fixed_pair_16 { /* if undecided is 1, do not use sine and cosine */
    pe__u16 sine, cosine;         /* uint16_t: the bits of IEEE binary16 or of bfloat16 */
    int undecided;
} pe_fixed_pair_16;
typedef struct pe_fixed_rotated {
    float first, second;
} pe_fixed_rotated;

/* These functions split, join and multiply words of 32 bits. No product overflows. */
PE__DEVICE pe__u32 pe__high(pe__u64 x) { return (pe__u32)(x >> 32); }
PE__DEVICE pe__u32 pe__low(pe__u64 x) { return (pe__u32)x; }
PE__DEVICE pe__u64 pe__make_u64(pe__u32 high, pe__u32 low) { return (pe__u64)high << 32 | low; }
PE__DEVICE pe__u64 pe__mul32(pe__u32 a, pe__u32 b) { return (pe__u64)a * b; }
/* These two return a b / 2^32, rounded down, and a b / 2^64. The second one omits the product of
   the low words and rounds down twice, so its result is less than 3 units too small. */
PE__DEVICE pe__u64 pe__mul64_by_32(pe__u64 a, pe__u32 b)
{
    return pe__mul32(pe__high(a), b) + pe__mulhi(pe__low(a), b);
}
PE__DEVICE pe__u64 pe__mul64(pe__u64 a, pe__u64 b)
{
    return pe__mul64_by_32(a, pe__high(b)) + pe__mulhi(pe__high(a), pe__low(b));
}
typedef struct pe__word96 { /* the number (h 2^64 + m 2^32 + l) / 2^96 */
    pe__u32 h, m, l;
} pe__word96;
PE__DEVICE pe__word96 pe__make96(pe__u64 high, pe__u32 low)
{
    const pe__word96 x = {pe__high(high), pe__low(high), low};
    return x;
}

/* Returns a b or up to 5 units of 2^-96 less. With pe__mulhi(), nvcc never finished compiling. */
PE__DEVICE pe__word96 pe__mul96(pe__word96 a, pe__word96 b)
{
    const pe__u64 hm = pe__mul32(a.h, b.m), mh = pe__mul32(a.m, b.h);
    pe__u64 low = (pe__mul32(a.h, b.l) >> 32) + (pe__mul32(a.m, b.m) >> 32);
    low += (pe__mul32(a.l, b.h) >> 32) + pe__low(hm) + pe__low(mh);
    return pe__make96(pe__mul32(a.h, b.h) + pe__high(hm) + pe__high(mh) + pe__high(low),
                      pe__low(low));
}

/* The argument `format` says the type of results: its number of significant bits. */
enum { PE__IS_F32 = 24, PE__IS_F16 = 11, PE__IS_BF16 = 8 };
/* `amplitude` has the bits of a float. Its magnitude is mantissa / 2^32 times 2^exponent. If that
   is 2^-64 ... 2^64, pe__in_range() returns 1, and no f32 result overflows or is subnormal. */
PE__DEVICE pe__u32 pe__mantissa_of(pe__u32 amplitude) { return amplitude << 8 | 0x80000000u; }
PE__DEVICE int pe__exponent_of(pe__u32 amplitude) { return (int)(amplitude >> 23 & 255) - 126; }
PE__DEVICE int pe__in_range(pe__u32 amplitude)
{
    return (amplitude & 0x7fffffffu) - ((pe__u32)63 << 23) <= (pe__u32)128 << 23;
}

typedef struct pe__rounded {
    pe__u64 rest; /* the dropped bits, in units of 2^-64 of the last bit; 2^63 is a midpoint */
    pe__u32 bits; /* the bits of the rounded magnitude, in the type of `format` */
} pe__rounded;
/* Round (high 2^32 + low) / 2^96 times 2^exponent, where the highest bit of high is set. Midpoints
   round up. The leading bit adds 1 to the exponent field, as does a carry out of the fraction. */
PE__DEVICE pe__rounded pe__round_fixed(pe__u64 high, pe__u32 low, int exponent, int format)
{
    int field = exponent + (format == PE__IS_F16 ? 13 : 125); /* less 1 for the leading bit */
    int dropped = 64 - format;
    pe__rounded r;
    if (format == PE__IS_F16 && field < 0) { /* subnormal */
        dropped -= field;
        field = 0;
        for (; dropped > 64; dropped--) high >>= 1;
    }
    r.bits = ((pe__high(high) >> (dropped - 33)) + 1) >> 1;
    r.bits += (pe__u32)field << (format - 1);
    if (format == PE__IS_F16 && r.bits > 0x7c00u) r.bits = 0x7c00u; /* infinity */
    r.rest = high << (64 - dropped) | low >> (dropped - 33) >> 1;
    return r;
}

typedef struct pe__pair_bits { /* bit 31 is the sign, also of 16-bit types */
    pe__u32 sine, cosine;
    int undecided;
} pe__pair_bits;
/* Exchange sine and cosine and set their signs, as the nearest quarter turn (the two highest bits
   of quarter) and the signs of position and amplitude require. */
PE__DEVICE pe__pair_bits pe__to_quarter(pe__u32 quarter, pe__u32 sine, pe__u32 cosine,
                                        pe__u32 position, pe__u32 amplitude)
{
    const pe__u32 odd = quarter & 0x40000000u, top = 0x80000000u;
    pe__pair_bits x = {odd ? cosine : sine, odd ? sine : cosine, 0};
    x.sine ^= (quarter ^ position ^ amplitude) & top;
    x.cosine ^= ((quarter + 0x40000000u) ^ amplitude) & top;
    return x;
}

/* Returns whether a midpoint may be in the error interval (Ziv's rounding test). The computed
   value, whose dropped bits are `rest`, is at most `below` units below the exact one, and at most
   13000 units above it. The unit is 2^-56 for a value that is scaled to 1/2 ... 1. */
PE__DEVICE int pe__flagged(pe__u64 rest, pe__u32 below, int format)
{
    const pe__u32 above = (13000u >> (24 - format)) + 1;
    return 0x80000000u + above - pe__high(rest) <= above + (below >> (24 - format)) + 2;
}

/* Level 1 computes amplitude sin(position w) and amplitude cos(position w), and sets `undecided` if
   level 2 is needed. The polynomials are in u = 1 - g^2, with the g of step 1 in pe_fixed.h. Their
   coefficients 0 and 1 are over 2^64. Number 2 is over 2^40 (sine) or 2^38 (cosine), others
   over 2^46 or 2^43. The cosine's number 0 is lowered, so that no cosine exceeds 1. */
PE__DEVICE pe__pair_bits pe__level_1(pe__i32 position, pe_fixed_increment w, pe__u32 amplitude,
                                     int format)
{
    const pe__u32 n = position < 0 ? 0u - (pe__u32)position : (pe__u32)position;
    const pe__u64 phase = pe__mul32(n, w.w[2]) + pe__mulhi(n, w.w[1]);
    const pe__u32 high = pe__high(phase) + n * w.w[3];
    const pe__u32 quarter = (high + 0x20000000u) & 0xc0000000u; /* nearest quarter turn */
    const pe__u32 rest = high - quarter, sign = 0u - (rest >> 31);
    const pe__u64 g = pe__make_u64(rest ^ sign, pe__low(phase) ^ sign) << 3;
    const pe__u64 cross = pe__mulhi(pe__high(g), pe__low(g));
    const pe__u64 u = ~(pe__mul32(pe__high(g), pe__high(g)) + (cross << 1));
    const pe__u32 uh = pe__high(u);

    pe__u32 t = 0x1471f27u + pe__mulhi(uh, 0x1dd55u);
    t = 0x943a4136u + pe__mulhi(uh, t);
    t = 0x9c2432a9u + (pe__mulhi(uh, t) >> 6);
    pe__u64 y = 0x136c6d2e87c248a1u + (pe__mul32(uh, t) >> 8);
    pe__u64 sine = pe__mul64(g, 0xb504f333f9da08c1u + pe__mul64(u, y));

    t = 0x1d19e80u + pe__mulhi(uh, 0x341dcu);
    t = 0xa382d07fu + pe__mulhi(uh, t);
    t = 0xf4155a9cu + (pe__mulhi(uh, t) >> 5);
    y = 0x47160c6b7ac1d763u + (pe__mul32(uh, t) >> 6);
    pe__u64 cosine = 0xb504f333f9b4d0a5u + pe__mul64(u, y);

    const pe__u32 mantissa = pe__mantissa_of(amplitude);
    int exponent = pe__exponent_of(amplitude) - 1, shift = 0;
    if (mantissa != 0x80000000u) { /* a power of two needs no product */
        sine = pe__mul64_by_32(sine, mantissa);
        cosine = pe__mul64_by_32(cosine, mantissa);
        exponent++;
        shift = !(cosine >> 63);
    }
    const int zeros = pe__leading_zeros(pe__high(sine) | 1);
    const pe__rounded s = pe__round_fixed(sine << zeros, 0, exponent - zeros, format);
    const pe__rounded c = pe__round_fixed(cosine << shift, 0, exponent - shift, format);
    pe__pair_bits x = pe__to_quarter(quarter, s.bits ^ (sign & 0x80000000u), c.bits,
                                     (pe__u32)position, amplitude);
    x.undecided = pe__flagged(s.rest, 156000u, format) | pe__flagged(c.rest, 550000u, format) |
                  (zeros > 18) | !pe__in_range(amplitude);
    return x;
}

/* Returns the coefficient (h, m, l) minus v y: a step of Horner's scheme with alternating signs. */
PE__DEVICE pe__word96 pe__term(pe__u32 h, pe__u32 m, pe__u32 l, pe__word96 v, pe__word96 y)
{
    y = pe__mul96(v, y);
    return pe__make96(pe__make_u64(h, m) - pe__make_u64(y.h, y.m) - (l < y.l), l - y.l);
}

/* Returns sin(pi/4 g) / g from v = g^2. The coefficients are (pi/4)^j / j! for j = 25, 23 ... 1. */
PE__DEVICE_RARE pe__word96 pe__sine_series(pe__word96 v)
{
    pe__word96 y = {0, 0, 0};
    y = pe__term(0, 0, 0xcu, v, y);
    y = pe__term(0, 0, 0x2e43u, v, y);
    y = pe__term(0, 0, 0x943b81u, v, y);
    y = pe__term(0, 0x1u, 0x8a404212u, v, y);
    y = pe__term(0, 0x355u, 0xd8655f26u, v, y);
    y = pe__term(0, 0x5beb6u, 0xe7c555d1u, v, y);
    y = pe__term(0, 0x7a3d0d3u, 0x406358cdu, v, y);
    y = pe__term(0x7u, 0x8c1d3f7au, 0x21c7d88fu, v, y);
    y = pe__term(0x541u, 0xe0d21fb9u, 0xe06e41ebu, v, y);
    y = pe__term(0x265a5u, 0x99cc57b0u, 0xb7ccbdc3u, v, y);
    y = pe__term(0xa335e3u, 0x3bad570eu, 0x923f3422u, v, y);
    y = pe__term(0x14abbce6u, 0x25be52beu, 0xabb8e5eeu, v, y);
    return pe__term(0xc90fdaa2u, 0x2168c234u, 0xc4c6628cu, v, y);
}

/* Returns (1 - cos(pi/4 g)) / v. The coefficients are (pi/4)^j / j! for j = 24, 22 ... 2. */
PE__DEVICE_RARE pe__word96 pe__cosine_series(pe__word96 v)
{
    pe__word96 y = {0, 0, 0};
    y = pe__term(0, 0, 0x184u, v, y);
    y = pe__term(0, 0, 0x54ab9u, v, y);
    y = pe__term(0, 0, 0xf7b7184u, v, y);
    y = pe__term(0, 0x25u, 0x418b235fu, v, y);
    y = pe__term(0, 0x4831u, 0x8b0bcb60u, v, y);
    y = pe__term(0, 0x6db893u, 0xd12c4a3du, v, y);
    y = pe__term(0, 0x7e74e28du, 0xd8f30a37u, v, y);
    y = pe__term(0x69u, 0xb47ca881u, 0x2a2ea69fu, v, y);
    y = pe__term(0x3c3eu, 0xa0d12375u, 0x75e8c9d1u, v, y);
    y = pe__term(0x155d3cu, 0x7e3cbff9u, 0xfc54fadcu, v, y);
    y = pe__term(0x40f07c2u, 0x6d6b0ecu, 0xd4cc0780u, v, y);
    return pe__term(0x4ef4f326u, 0xf9177969u, 0x2b71366du, v, y);
}

/* Multiply y / 2^zeros by the amplitude and round the product. In the result, `rest` is 1 if the
   rounding test flags it, else 0. `error` is the error from the phase, in units of 2^-96 for a
   value scaled to 1/2 ... 1. The arithmetic adds at most 128 units. */
PE__DEVICE pe__rounded pe__finish(pe__word96 y, int zeros, pe__u64 error, pe__u32 amplitude,
                                  int format)
{
    const pe__word96 factor = {pe__mantissa_of(amplitude), 0, 0};
    y = pe__mul96(y, factor);
    const int shift = pe__leading_zeros(y.h | 1); /* 0, 1 or 2, if y is not 0 */
    const pe__u64 high = pe__make_u64(y.h, y.m) << shift | y.l >> 1 >> (31 - shift);
    const int exponent = pe__exponent_of(amplitude) - zeros - shift;
    pe__rounded r = pe__round_fixed(high, y.l << shift, exponent, format);
    error = ((error + 128) >> (32 - format)) + 2;
    r.rest = r.rest + ((pe__u64)1 << 63) + error <= 2 * error;
    return r;
}

/* Level 2 computes what level 1 does, but from 128 bits of phase and with Taylor series. */
PE__DEVICE_RARE pe__pair_bits pe__level_2(pe__i32 position, pe_fixed_increment w, pe__u32 amplitude,
                                          int format)
{
    const pe__u32 n = position < 0 ? 0u - (pe__u32)position : (pe__u32)position;
    const pe__u64 p0 = pe__mul32(n, w.w[0]), p1 = pe__mul32(n, w.w[1]) + pe__high(p0);
    const pe__u64 p2 = pe__mul32(n, w.w[2]) + pe__high(p1);
    const pe__u32 p3 = pe__high(p2) + n * w.w[3];
    const pe__u32 quarter = (p3 + 0x20000000u) & 0xc0000000u; /* nearest quarter turn */
    const pe__u32 rest = p3 - quarter, sign = 0u - (rest >> 31);
    pe__u64 low = pe__make_u64(pe__low(p1) ^ sign, pe__low(p0) ^ sign);
    pe__u64 g = pe__make_u64(rest ^ sign, pe__low(p2) ^ sign) << 3 | low >> 61;
    low <<= 3;
    const pe__word96 g96 = pe__make96(g, pe__high(low)), v = pe__mul96(g96, g96);
    const pe__word96 z = pe__mul96(v, pe__cosine_series(v));
    const pe__word96 cosine = {~z.h, ~z.m, ~z.l};
    int zeros = 0; /* leading zeros of g: shifted out, so that small sines keep full precision */
    if (pe__high(g) == 0) {
        g = g << 32 | low >> 32;
        low <<= 32;
        zeros = 32;
    }
    const int shift = pe__leading_zeros(pe__high(g) | 1);
    zeros += shift;
    g = g << shift | low >> 1 >> (63 - shift);
    const pe__word96 sine = pe__mul96(pe__make96(g, pe__high(low << shift)), pe__sine_series(v));
    /* The increment is off by half a unit of 2^-128, so the phase is off by n halves of a unit. */
    const int tiny = zeros > 60;
    const pe__u64 m = (pe__u64)n + 2; /* 2 more: negating by ^ sign is off by a unit */
    const pe__u64 error = tiny ? 0 : zeros < 30 ? m >> (30 - zeros) : m << (zeros - 30);
    pe__rounded s = pe__finish(sine, zeros, 2 * error, amplitude, format);
    pe__rounded c = pe__finish(cosine, 0, m >> 30, amplitude, format);
    pe__pair_bits x = pe__to_quarter(quarter, s.bits ^ (sign & 0x80000000u), c.bits,
                                     (pe__u32)position, amplitude);
    x.undecided = (s.rest | c.rest) != 0 || tiny;
    if (n == 0 || (w.w[0] | w.w[1] | w.w[2] | w.w[3]) == 0) /* angle 0: the cosine rounds to even */
        x = pe__to_quarter(0, 0, c.bits + (c.rest != 0 ? c.bits & 1 : 0), 0, amplitude);
    x.undecided |= !pe__in_range(amplitude);
    return x;
}

PE__DEVICE pe__pair_bits pe__fixed_pair(pe__i32 position, pe_fixed_increment w, float amplitude,
                                        int format)
{
    const pe__pair_bits x = pe__level_1(position, w, pe__bits_of(amplitude), format);
    return x.undecided ? pe__level_2(position, w, pe__bits_of(amplitude), format) : x;
}

/* Compute the sine and cosine of position * frequency times an amplitude, rounded once from the
 * exact value, to nearest even. The amplitude of pe_fixed_sincos_f32() is 1. The results of
 * pe_fixed_sincos_scaled_T() are f32, f16 (IEEE binary16) or bf16 (bfloat16). A constant
 * amplitude of 1.0f costs nothing. Results of 16 bits are rounded once, not first to float.
 *
 * increment    of the frequency, from pe_fixed_increments() or pe_fixed_increments_of() of pe.h
 * amplitude    2^-64 ... 2^64 in magnitude; outside this range, results are always undecided
 * Accuracy     correctly rounded, where not undecided. No pair of the tables of tests/theorem.txt
 *              is undecided, and about 1 pair in 2^44 with other frequencies of 2^-56 or more. A
 *              pair is also undecided if its angle is within 2^-33 radians of a multiple of pi / 2
 *              (2^-29 if an f16 result is subnormal) and its amplitude, or the amplitude times
 *              this difference, is a midpoint (tests/unit/fixed/test_fixed.c, and fixed_proof.py)
 * Threads      any */
PE__DEVICE pe_fixed_pair pe_fixed_sincos_scaled_f32(pe__i32 position, pe_fixed_increment increment,
                                                    float amplitude)
{
    const pe__pair_bits x = pe__fixed_pair(position, increment, amplitude, PE__IS_F32);
    const pe_fixed_pair y = {pe__float_of(x.sine), pe__float_of(x.cosine), x.undecided};
    return y;
}
PE__DEVICE pe_fixed_pair pe_fixed_sincos_f32(pe__i32 position, pe_fixed_increment increment)
{
    return pe_fixed_sincos_scaled_f32(position, increment, 1.0f);
}
PE__DEVICE pe__u16 pe__bits_16(pe__u32 x) { return (pe__u16)((x >> 16 & 0x8000u) | (x & 0x7fffu)); }
PE__DEVICE pe_fixed_pair_16 pe_fixed_sincos_scaled_f16(pe__i32 position,
                                                       pe_fixed_increment increment,
                                                       float amplitude)
{
    const pe__pair_bits x = pe__fixed_pair(position, increment, amplitude, PE__IS_F16);
    const pe_fixed_pair_16 y = {pe__bits_16(x.sine), pe__bits_16(x.cosine), x.undecided};
    return y;
}
PE__DEVICE pe_fixed_pair_16 pe_fixed_sincos_scaled_bf16(pe__i32 position,
                                                        pe_fixed_increment increment,
                                                        float amplitude)
{
    const pe__pair_bits x = pe__fixed_pair(position, increment, amplitude, PE__IS_BF16);
    const pe_fixed_pair_16 y = {pe__bits_16(x.sine), pe__bits_16(x.cosine), x.undecided};
    return y;
}

/* Rotate a pair of elements: first = a cosine - b sine, second = b cosine + a sine. Each product
 * and each sum is rounded to float, so the bits are those of pe_rope_f32(). This is floating point:
 * CUDA, gcc and clang, also for AMD's GPUs, fuse no product with a sum here, whatever the options.
 * Other OpenCL compilers may fuse with -cl-fast-relaxed-math and -cl-unsafe-math-optimizations.
 * MSVC fuses with /fp:contract and /fp:fast. Options that flush subnormals apply here.
 *
 * Accuracy     PyTorch's arithmetic (tests/unit/fixed/test_fixed.c)
 * Threads      any */
PE__DEVICE pe_fixed_rotated pe_fixed_rotate_f32(float a, float b, pe_fixed_pair x)
{
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#pragma OPENCL FP_CONTRACT OFF
#elif defined(__clang__)
#pragma clang fp contract(off)
#endif
    pe_fixed_rotated y;
#if defined(__CUDA_ARCH__)
    y.first = __fsub_rn(__fmul_rn(a, x.cosine), __fmul_rn(b, x.sine));
    y.second = __fadd_rn(__fmul_rn(b, x.cosine), __fmul_rn(a, x.sine));
#else
    float ac = a * x.cosine, bs = b * x.sine, bc = b * x.cosine, as = a * x.sine;
#if defined(__AMDGCN__) /* the empty asm hides the values, so no product is fused */
    __asm__("" : "+v"(ac), "+v"(bs), "+v"(bc), "+v"(as));
#elif defined(__GNUC__) && !defined(__HIP__) && !defined(__METAL_VERSION__) &&                     \
    !defined(__OPENCL_VERSION__) && !defined(__OPENCL_C_VERSION__)
    __asm__("" : "+m"(ac), "+m"(bs), "+m"(bc), "+m"(as));
#endif
    y.first = ac - bs;
    y.second = bc + as;
#endif
    return y;
}

/* ==== src/pe_fixed.h ==== */
#undef PE__DEVICE
#undef PE__DEVICE_RARE
#endif /* PE_FIXED_H */
