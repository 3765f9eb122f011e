/* SPDX-License-Identifier: MIT */
/*
 * One hash of all bits that pe_fixed.h gives: both levels and each type, undecided or not, at random positions,
 * increments of any size and amplitudes. tests/checks/fixed.sh compares it between compilers, options and machines,
 * and with that of headers in which a number was changed.
 */
#include <pe_fixed.h>

#include <stdio.h>

static uint64_t state = 88172645463325252u, hash = 14695981039346656037u;

static uint64_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1du;
}

static void mix(uint32_t x) { hash = (hash ^ x) * 1099511628211u; }

static void mix_pair(pe__pair_bits x)
{
    mix(x.sine);
    mix(x.cosine);
    mix((uint32_t)x.undecided);
}

int main(void)
{
    static const int formats[3] = {24, 11, 8};
    static const uint32_t amplitudes[6] = {0x3f800000u, 0x3f801000u, 0x3f80f000u, 0x33000000u, 0x477fefffu, 0xbf808000u};
    for (int k = 0; k < 60000; k++) {
        const uint64_t any = next(), more = next();
        const int by = (int)(any % 124);
        uint64_t high = next(), low = next();
        uint32_t amplitude = (any >> 8 & 7) < 6 ? amplitudes[any >> 8 & 7] : (uint32_t)next();
        int32_t p = (int32_t)(uint32_t)(more >> 32);
        if ((any >> 12 & 3) == 0) amplitude = 0x5f000000u + (uint32_t)(any >> 40 & 0x1000000u) - (uint32_t)(any >> 60);
        if (k % 4 == 1) { /* 2^-by */
            low = by >= 64 ? high >> (by - 64) : by ? low >> by | high << (64 - by) : low;
            high = by >= 64 ? 0 : high >> by;
        }
        if (k % 4 == 2) high = (high & 0xc000000000000000u) + (0x2000000000000000u >> (by % 62)); /* 1/8 turn */
        if (k % 50 == 3) high = low = 0;
        if (k % 3 == 0) p = (int32_t)(more >> 32 & 0x7fffffff) >> (more % 32);
        if (k % 50 == 7) p = 0;
        if (k % 50 == 8) p = -2147483647 - 1;
        const pe_fixed_increment w = {{(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high, (uint32_t)(high >> 32)}};
        for (int f = 0; f < 3; f++) {
            mix_pair(pe__level_1(p, w, amplitude, formats[f]));
            mix_pair(pe__level_2(p, w, amplitude, formats[f]));
        }
        float a;
        memcpy(&a, &amplitude, sizeof a);
        const pe_fixed_pair x = pe_fixed_sincos_f32(p, w), y = pe_fixed_sincos_scaled_f32(p, w, a);
        const pe_fixed_pair_16 h = pe_fixed_sincos_scaled_f16(p, w, a), b = pe_fixed_sincos_scaled_bf16(p, w, a);
        uint32_t bits[4];
        memcpy(bits, &x.sine, 4), memcpy(bits + 1, &x.cosine, 4);
        memcpy(bits + 2, &y.sine, 4), memcpy(bits + 3, &y.cosine, 4);
        for (int i = 0; i < 4; i++) mix(bits[i]);
        mix(h.sine), mix(h.cosine), mix(b.sine), mix(b.cosine);
        mix((uint32_t)(x.undecided + 2 * y.undecided + 4 * h.undecided + 8 * b.undecided));
    }
    printf("%08x%08x\n", (unsigned)(hash >> 32), (unsigned)(hash & 0xffffffffu));
    return 0;
}
