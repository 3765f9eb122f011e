/* SPDX-License-Identifier: MIT */
/*
 * Prints one hash of the bits that pe_fixed.h computes, at both levels and in each type, with the flag for undecided
 * pairs. The positions are random, and the increments and amplitudes have any size. The step fixed_point.sh compares
 * the hash between compilers, options and machines, and with the hash of headers in which a number was changed.
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

/* Adds the elements of tests/theorem.txt that are nearest to a midpoint between two floats: 2^-62 to 2^-66 away. */
static void mix_hard(void)
{
    static const struct {
        pe_fixed_increment w;
        int32_t position;
    } hard[] = {
        {{{0xfe1ab19bu, 0x31e017afu, 0x1e5fd64bu, 0x1fac361du}},
         1042496952}, /* sinusoidal-10000-512 */
        {{{0x0aa187eeu, 0x82f9bfeeu, 0x11771a85u, 0x0be80bf8u}}, 1784474233}, /* rope-500000-128 */
        {{{0xf21a3463u, 0x0f341e05u, 0x56cc8723u, 0x066fb757u}},
         2141301464}, /* sinusoidal-500000-128 */
        {{{0xf2e13fe5u, 0xe06b9e3cu, 0x3042a98cu, 0x091ccd74u}},
         1318276990}, /* longrope-10000-96 */
        {{{0x6e7698afu, 0x59705d79u, 0x31a8dd3fu, 0x0b284679u}}, 1696689057}, /* rope-1000000-128 */
        {{{0xadb9ec38u, 0x018c6237u, 0x162add80u, 0x24c60ecau}},
         2139973492}, /* sinusoidal-500000-512 */
    };
    for (size_t k = 0; k < sizeof hard / sizeof hard[0]; k++) {
        mix_pair(pe__level_2(hard[k].position, hard[k].w, 0x3f800000u, 24));
        mix_pair(pe__level_2(-hard[k].position, hard[k].w, 0x3f800000u, 24));
    }
}

/* Adds all bits of products, since the last bits rarely show in an element. */
static void mix_products(void)
{
    for (int k = 0; k < 1000; k++) {
        const uint64_t a = next(), b = next(), c = next();
        const pe__word96 x = pe__make96(a, (uint32_t)c), y = pe__make96(b, (uint32_t)(c >> 32)),
                         z = pe__mul96(x, y);
        const uint64_t product = pe__mul64(a, b);
        mix(z.h), mix(z.m), mix(z.l), mix((uint32_t)product), mix((uint32_t)(product >> 32));
    }
}

/* Adds the verdicts of level 2's rounding test for values next to those where the verdict changes. */
static void mix_tests(void)
{
    for (int k = 0; k < 20000; k++) {
        const uint64_t a = next(), b = next(), error = (b | 1) >> (3 + b % 61),
                       e = ((error + 128) >> 8) + 2;
        const uint64_t rest = (1ull << 63) + (k % 2 ? e : 0 - e) + (b >> 8) % 5 - 2;
        const pe__word96 y = {0x80000000u | (uint32_t)(a >> 40) << 8 | (uint32_t)(rest >> 56),
                              (uint32_t)(rest >> 24), (uint32_t)rest << 8 | (uint32_t)(a & 255)};
        const pe__rounded r = pe__finish(y, (int)(a % 60), error, 0x3f800000u, 24);
        mix(r.bits), mix((uint32_t)r.rest);
    }
}

int main(void)
{
    static const int formats[3] = {24, 11, 8};
    static const uint32_t amplitudes[12] = {0x3f800000u, 0x3f801000u, 0x3f80f000u, 0x33000000u,
                                            0x477fefffu, 0xbf808000u, 0x5f800000u, 0x5f800001u,
                                            0x1f800000u, 0x1f7fffffu, 0x47802000u, 0x47801fffu};
    mix_hard();
    mix_products();
    mix_tests();
    for (int k = 0; k < 60000; k++) {
        const uint64_t any = next(), more = next();
        const int by = (int)(any % 124);
        uint64_t high = next(), low = next();
        uint32_t amplitude = (any >> 8 & 15) < 12 ? amplitudes[any >> 8 & 15] : (uint32_t)next();
        int32_t p = (int32_t)(uint32_t)(more >> 32);
        if ((any >> 12 & 3) == 0)
            amplitude = 0x5f000000u + (uint32_t)(any >> 40 & 0x1000000u) - (uint32_t)(any >> 60);
        if (k % 4 == 1) { /* multiplies the increment by 2^-by */
            low = by >= 64 ? high >> (by - 64) : by ? low >> by | high << (64 - by) : low;
            high = by >= 64 ? 0 : high >> by;
        }
        if (k % 4 == 2)
            high = (high & 0xc000000000000000u) + (0x2000000000000000u >> (by % 62)); /* 1/8 turn */
        if (k % 50 == 3) high = low = 0;
        if (k % 3 == 0) p = (int32_t)(more >> 32 & 0x7fffffff) >> (more % 32);
        if (k % 50 == 7) p = 0;
        if (k % 50 == 8) p = -2147483647 - 1;
        if (k % 50 == 9)
            p = 1,
            high = (high & 0xc000000000000000u) | 0x1fffffffffffffffu; /* just below 1/8 turn */
        pe_fixed_increment w = {
            {(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high, (uint32_t)(high >> 32)}};
        for (int i = 0; i < 4 && k % 50 == 10; i++) w.w[i] = i == (int)(any % 4) ? 1 : 0;
        for (int f = 0; f < 3; f++) {
            mix_pair(pe__level_1(p, w, amplitude, formats[f]));
            mix_pair(pe__level_2(p, w, amplitude, formats[f]));
        }
        float a;
        memcpy(&a, &amplitude, sizeof a);
        const pe_fixed_pair x = pe_fixed_sincos_f32(p, w), y = pe_fixed_sincos_scaled_f32(p, w, a);
        const pe_fixed_pair_16 h = pe_fixed_sincos_scaled_f16(p, w, a),
                               b = pe_fixed_sincos_scaled_bf16(p, w, a);
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
