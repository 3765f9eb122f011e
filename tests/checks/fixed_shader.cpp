// SPDX-License-Identifier: MIT
//
// pe_fixed.glsl, and with it pe_fixed.wgsl, of which it is made, as C++: has it the bits of pe_fixed.h? Level 1 and
// level 2 each, at random positions, increments of any size and amplitudes. fixed_shader.cpp [PAIRS]
#include "pe_fixed.h"

#include <cstdio>
#include <cstdlib>

namespace shader {
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
/* GLSL makes a struct by its name: so does this. */
#define PeFixedPair(...) PeFixedPair{__VA_ARGS__}
#define PeFixedRounded(...) PeFixedRounded{__VA_ARGS__}
#include "pe_fixed.glsl"
}

static uint64_t state = 88172645463325252u;
static uint64_t next()
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1du;
}

static long wrong;
static void compare(const char *what, const pe__pair_bits &want, const shader::PeFixedPair &got, int32_t p,
                    uint32_t amplitude)
{
    if (want.undecided != (int)got.undecided ||
        (!want.undecided && (want.sine != got.sine || want.cosine != got.cosine))) {
        if (wrong++ < 5)
            printf("%s: position %d, amplitude %08x: %08x %08x %d, must be %08x %08x %d\n", what, (int)p,
                   (unsigned)amplitude, (unsigned)got.sine, (unsigned)got.cosine, (int)got.undecided, (unsigned)want.sine,
                   (unsigned)want.cosine, want.undecided);
    }
}

int main(int argc, char **argv)
{
    const long pairs = argc > 1 ? atol(argv[1]) : 1000000;
    long undecided[2] = {0, 0};
    for (long k = 0; k < pairs; k++) {
        /* any increment, small ones, ones near a quarter turn; half a percent are 0 */
        const uint64_t a = next(), b = next();
        uint64_t high = next(), low = next();
        const int by = (int)(a % 64);
        if (k % 4 == 1) low = low >> by | (by ? high << (64 - by) : 0), high >>= by;
        if (k % 4 == 2) high = (high & 0xc000000000000000u) + (uint64_t)((int64_t)high >> (2 + by % 60));
        if (k % 200 == 3) high = low = 0;
        const pe_fixed_increment w = {{(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high, (uint32_t)(high >> 32)}};
        const shader::uvec4 v = {w.w[0], w.w[1], w.w[2], w.w[3]};
        int32_t p = (int32_t)(uint32_t)(b >> 32);
        if (k % 3 == 0) p >>= b % 32;
        if (k % 200 == 7) p = 0;
        uint32_t amplitude = 0x3f800000u;
        if (k % 5 == 0) amplitude = (uint32_t)next();
        if (k % 5 == 1) amplitude = (amplitude - (8u << 23)) + ((uint32_t)next() >> 5);
        const pe__pair_bits one = pe__level_1(p, w, amplitude, 24), two = pe__level_2(p, w, amplitude, 24);
        compare("level 1", one, shader::pe_fixed_level_1(p, v, amplitude), p, amplitude);
        compare("level 2", two, shader::pe_fixed_level_2(p, v, amplitude), p, amplitude);
        compare("both", one.undecided ? two : one, shader::pe_fixed_sincos_scaled_f32(p, v, amplitude), p, amplitude);
        compare("amplitude 1", pe__level_2(p, w, 0x3f800000u, 24), shader::pe_fixed_sincos_f32(p, v), p, 0x3f800000u);
        undecided[0] += one.undecided;
        undecided[1] += two.undecided;
    }
    printf("%ld pairs, %ld and %ld undecided, %ld wrong\n", pairs, undecided[0], undecided[1], wrong);
    return wrong != 0 || undecided[0] < pairs / 100 || undecided[1] == 0;
}
