// SPDX-License-Identifier: MIT
//
// fixed_shader [PAIRS]: compiles pe_fixed.glsl as C++, and checks that it has the bits
// of pe_fixed.h. It compares level 1 and level 2 separately, at random positions, with increments and amplitudes of any
// size.
#include "pe_fixed.h"

#include <cstdio>
#include <cstdlib>

namespace shader
{
typedef uint32_t uint;
struct uvec2 {
    uint x, y;
    uvec2(uint a, uint b) : x(a), y(b) {}
};
struct uvec3 {
    uint x, y, z;
    uvec3(uint a, uint b, uint c) : x(a), y(b), z(c) {}
};
struct uvec4 {
    uint x, y, z, w;
};
struct PeFixedPair;
struct PeFixedRounded;
static inline int findMSB(uint x)
{
    int bit = -1;
    for (; x; x >>= 1) bit++;
    return bit;
}
static inline void umulExtended(uint a, uint b, uint &high, uint &low)
{
    const uint64_t product = (uint64_t)a * b;
    high = (uint)(product >> 32);
    low = (uint)product;
}
/* In GLSL, the name of a struct is its constructor. These macros allow the same syntax here. */
#define PeFixedPair(...)                                                                           \
    PeFixedPair { __VA_ARGS__ }
#define PeFixedRounded(...)                                                                        \
    PeFixedRounded { __VA_ARGS__ }
#include "examples/gpu/pe_fixed.glsl"
} // namespace shader

static uint64_t state = 88172645463325252u;
static uint64_t next()
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1du;
}

static long wrong;
static void compare(const char *what, const pe__pair_bits &want, const shader::PeFixedPair &got,
                    int32_t p, uint32_t amplitude)
{
    if (want.undecided != (int)got.undecided ||
        (!want.undecided && (want.sine != got.sine || want.cosine != got.cosine))) {
        if (wrong++ < 5)
            printf("%s: position %d, amplitude %08x: %08x %08x %d, must be %08x %08x %d\n", what,
                   (int)p, (unsigned)amplitude, (unsigned)got.sine, (unsigned)got.cosine,
                   (int)got.undecided, (unsigned)want.sine, (unsigned)want.cosine, want.undecided);
    }
}

static void same(const char *what, const pe__word96 &want, const shader::uvec3 &got)
{
    if ((want.l != got.x || want.m != got.y || want.h != got.z) && wrong++ < 5)
        printf("%s: %08x %08x %08x, must be %08x %08x %08x\n", what, (unsigned)got.z,
               (unsigned)got.y, (unsigned)got.x, (unsigned)want.h, (unsigned)want.m,
               (unsigned)want.l);
}

/* Compares parts whose errors rarely show in a float: all bits of the series, and the rounding tests for values next to
   those where the verdict changes. */
static void compare_parts()
{
    const uint32_t belows[2] = {156000, 550000};
    for (int k = 0; k < 200000; k++) {
        const uint64_t a = next(), b = next();
        const pe__word96 v = pe__make96(a, (uint32_t)b);
        const shader::uvec3 u(v.l, v.m, v.h);
        same("sine_series", pe__sine_series(v), shader::pe_fixed_sine_series(u));
        same("cosine_series", pe__cosine_series(v), shader::pe_fixed_cosine_series(u));

        const uint32_t below = belows[k % 2],
                       edges[2] = {0x80000000u + 13001, 0x80000000u - below - 2};
        const uint32_t rest = edges[k / 2 % 2] + (uint32_t)(b % 5) - 2;
        const uint64_t n = 1ull << 63 | (a >> 40) << 40 | (uint64_t)rest << 8 | (b >> 56);
        const shader::uvec2 words((uint32_t)n, (uint32_t)(n >> 32));
        if (pe__flagged(n << 24, below, 24) != (int)shader::pe_fixed_flagged(words, below) &&
            wrong++ < 5)
            printf("flagged: rest %08x\n", (unsigned)rest);

        const int zeros = (int)(a % 60);
        const uint64_t error = (b | 1) >> (3 + b % 61), e = ((error + 128) >> 8) + 2;
        const uint64_t near =
            (1ull << 63) + (k % 2 ? e : 0 - e) + (b >> 8) % 5 - 2; /* a remainder of 64 bits */
        const pe__word96 y = {0x80000000u | (uint32_t)(a >> 40) << 8 | (uint32_t)(near >> 56),
                              (uint32_t)(near >> 24), (uint32_t)near << 8 | (uint32_t)(a & 255)};
        const pe__rounded one = pe__finish(y, zeros, error, 0x3f800000u, 24);
        const shader::uvec2 e_words((uint32_t)error, (uint32_t)(error >> 32));
        const shader::PeFixedRounded two = shader::pe_fixed_finish(
            shader::uvec3(y.l, y.m, y.h), (uint32_t)zeros, e_words, 0x3f800000u);
        if ((one.bits != two.bits || (one.rest != 0) != two.undecided) && wrong++ < 5)
            printf("finish: %08x %d, must be %08x %d\n", (unsigned)two.bits, (int)two.undecided,
                   (unsigned)one.bits, (int)one.rest);
    }
}

int main(int argc, char **argv)
{
    compare_parts();
    const long pairs = argc > 1 ? atol(argv[1]) : 1000000;
    long undecided[2] = {0, 0};
    for (long k = 0; k < pairs; k++) {
        /* Half of the increments are arbitrary, 1/4 are small, and 1/4 are near a multiple of 90 degrees. 0.5 % are 0.
           */
        const uint64_t a = next(), b = next();
        uint64_t high = next(), low = next();
        const int by = (int)(a % 64);
        if (k % 4 == 1) low = low >> by | (by ? high << (64 - by) : 0), high >>= by;
        if (k % 4 == 2)
            high = (high & 0xc000000000000000u) + (uint64_t)((int64_t)high >> (2 + by % 60));
        if (k % 200 == 3) high = low = 0;
        const pe_fixed_increment w = {
            {(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high, (uint32_t)(high >> 32)}};
        const shader::uvec4 v = {w.w[0], w.w[1], w.w[2], w.w[3]};
        int32_t p = (int32_t)(uint32_t)(b >> 32);
        if (k % 3 == 0) p >>= b % 32;
        if (k % 200 == 7) p = 0;
        uint32_t amplitude = 0x3f800000u;
        if (k % 5 == 0) amplitude = (uint32_t)next();
        if (k % 5 == 1) amplitude = (amplitude - (8u << 23)) + ((uint32_t)next() >> 5);
        const pe__pair_bits one = pe__level_1(p, w, amplitude, 24),
                            two = pe__level_2(p, w, amplitude, 24);
        compare("level 1", one, shader::pe_fixed_level_1(p, v, amplitude), p, amplitude);
        compare("level 2", two, shader::pe_fixed_level_2(p, v, amplitude), p, amplitude);
        compare("both", one.undecided ? two : one,
                shader::pe_fixed_sincos_scaled_f32(p, v, amplitude), p, amplitude);
        compare("amplitude 1", pe__level_2(p, w, 0x3f800000u, 24),
                shader::pe_fixed_sincos_f32(p, v), p, 0x3f800000u);
        undecided[0] += one.undecided;
        undecided[1] += two.undecided;
    }
    printf("%ld pairs, %ld and %ld undecided, %ld wrong\n", pairs, undecided[0], undecided[1],
           wrong);
    return wrong != 0 || undecided[0] < pairs / 100 || undecided[1] == 0;
}
