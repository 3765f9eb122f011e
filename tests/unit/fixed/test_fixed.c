/* SPDX-License-Identifier: MIT */
/*
 * Proves the results of pe_fixed.h with ==. 20 million pairs have the bits of pe_sincos_f32(), at
 * positions over all of int32_t. The frequencies are every list of docs/models.md with one
 * coordinate, random ones, and those of M-RoPE for each coordinate. Also tested are amplitudes, f16
 * and bf16 rounded once, and rotation, which has to give the bits of pe_rope_f32(). Increments are
 * compared with MPFR at 400 bits, and invalid input has to be refused.
 */
#include "../common.h"

#include "pe_fixed.h"

#include <mpfr.h>

enum { MOST_PAIRS = 640, BITS = 400 };

/* Describes one coordinate of docs/models.md: the width that rotates, the base, and the fields
   of the scaling. */
typedef struct list {
    const char *name;
    size_t width;
    double base;
    pe_rope_type type;
    double factor;
    size_t original, most;  /* original_max_position_embeddings, max_position_embeddings */
    double low, high, fast; /* low_freq_factor, high_freq_factor, beta_fast; 0: the default */
    int truncate;
} list;

static const list lists[] = {
    {"Llama 2", 128, 1e4, PE_ROPE_DEFAULT, 0, 0, 0, 0, 0, 0, 1},
    {"Llama 3", 128, 5e5, PE_ROPE_DEFAULT, 0, 0, 0, 0, 0, 0, 1},
    {"Llama 3.1", 128, 5e5, PE_ROPE_LLAMA3, 8, 8192, 0, 0, 0, 0, 1},
    {"Llama 3.2 1B", 64, 5e5, PE_ROPE_LLAMA3, 32, 8192, 0, 0, 0, 0, 1},
    {"Llama 4 Scout", 128, 5e5, PE_ROPE_LLAMA3, 16, 8192, 0, 1, 1, 0, 1},
    {"Mistral 7B v0.3", 128, 1e6, PE_ROPE_DEFAULT, 0, 0, 0, 0, 0, 0, 1},
    {"Ministral 3", 128, 1e6, PE_ROPE_YARN, 16, 16384, 0, 0, 0, 0, 1},
    {"Qwen2.5, YaRN", 128, 1e6, PE_ROPE_YARN, 4, 32768, 0, 0, 0, 0, 1},
    {"Qwen2.5-1M", 128, 1e7, PE_ROPE_DEFAULT, 0, 0, 0, 0, 0, 0, 1},
    {"Qwen3-Next", 64, 1e7, PE_ROPE_DEFAULT, 0, 0, 0, 0, 0, 0, 1},
    {"DeepSeek V3", 64, 1e4, PE_ROPE_YARN, 40, 4096, 0, 0, 0, 0, 1},
    {"Kimi K2", 64, 5e4, PE_ROPE_YARN, 32, 4096, 0, 0, 0, 1, 1},
    {"GPT-OSS", 64, 150000, PE_ROPE_YARN, 32, 4096, 0, 0, 0, 0, 0},
    {"Gemma 2", 256, 1e4, PE_ROPE_DEFAULT, 0, 0, 0, 0, 0, 0, 1},
    {"Gemma 3, global", 256, 1e6, PE_ROPE_LINEAR, 8, 0, 0, 0, 0, 0, 1},
    {"Gemma 4, global", 512, 1e6, PE_ROPE_PROPORTIONAL, 0, 0, 0, 0, 0, 0, 1},
    {"Phi-2", 32, 1e4, PE_ROPE_DEFAULT, 0, 0, 0, 0, 0, 0, 1},
    {"Phi-4", 128, 250000, PE_ROPE_DEFAULT, 0, 0, 0, 0, 0, 0, 1},
    {"Phi-4-mini", 96, 1e4, PE_ROPE_LONGROPE, 0, 4096, 131072, 0, 0, 0, 1},
    {"GLM-4", 64, 1e4, PE_ROPE_DEFAULT, 0, 0, 0, 0, 0, 0, 1},
    {"GLM-4-9B-chat", 64, 5e6, PE_ROPE_DEFAULT, 0, 0, 0, 0, 0, 0, 1},
    {"GLM-4.5", 64, 1e6, PE_ROPE_DEFAULT, 0, 0, 0, 0, 0, 0, 1},
    {"GPT-NeoX-20B", 24, 1e4, PE_ROPE_DEFAULT, 0, 0, 0, 0, 0, 0, 1},
    {"Command R", 128, 8e6, PE_ROPE_DEFAULT, 0, 0, 0, 0, 0, 0, 1},
    {"StableLM 2", 16, 1e4, PE_ROPE_DEFAULT, 0, 0, 0, 0, 0, 0, 1},
    {"TimesFM 2.5", 80, 1e4, PE_ROPE_DEFAULT, 0, 0, 0, 0, 0, 0, 1},
    {"ModernBERT, global", 64, 160000, PE_ROPE_DEFAULT, 0, 0, 0, 0, 0, 0, 1},
    {"HunYuan", 128, 1e4, PE_ROPE_NTK, 1000, 0, 0, 0, 0, 0, 1},
    {"Zamba2, long", 160, 1e4, PE_ROPE_NTK, 8, 0, 0, 0, 0, 0, 1},
    {"GTE", 64, 160000, PE_ROPE_NTK_FIXED, 2, 0, 0, 0, 0, 0, 1},
    {"TransformerEngine", 128, 1e4, PE_ROPE_LINEAR, 4, 0, 0, 0, 0, 0, 1},
    {"NTK by parts", 128, 1e4, PE_ROPE_LLAMA3, 4, 2048, 0, 1, 32, 0, 1},
    {"base 1e8", 256, 1e8, PE_ROPE_DEFAULT, 0, 0, 0, 0, 0, 0, 1},
};

/* Computes the frequencies of a list, and returns how many there are. */
static size_t frequencies(const list *l, double *omega)
{
    double ones[MOST_PAIRS];
    pe_rope_config c = pe_rope_config_default(l->width);
    for (size_t i = 0; i < MOST_PAIRS; i++) ones[i] = 1 + (double)i / 4;
    c.rope_theta = l->base;
    c.rope_type = l->type;
    if (l->type == PE_ROPE_PROPORTIONAL) c.rotary_dim = 128;
    if (l->factor > 0) c.factor = l->factor;
    c.original_max_position_embeddings = l->original;
    c.max_position_embeddings = l->most;
    if (l->low > 0) c.low_freq_factor = l->low;
    if (l->high > 0) c.high_freq_factor = l->high;
    if (l->fast > 0) c.beta_fast = l->fast;
    c.truncate = l->truncate;
    if (l->type == PE_ROPE_LONGROPE) c.short_factor = c.long_factor = ones;
    assert_int_equal(pe_rope_frequencies(&c, omega, NULL), PE_OK);
    return l->width / 2;
}

static pe_fixed_increment increment_at(const uint32_t *increments, size_t i)
{
    pe_fixed_increment w;
    memcpy(&w, increments + 4 * i, sizeof w);
    return w;
}

static uint32_t word_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static int32_t position_of(rng *r, size_t row, int all)
{
    static const int32_t ends[] = {0,          1,           -1,       -2147483647 - 1,
                                   2147483647, -2147483647, 16777217, 131072};
    if (row < LENGTH(ends)) return ends[row];
    const uint32_t any = (uint32_t)(rng_next(r) >> 32);
    const int32_t p = (int32_t)(any >> 1) >> (all ? 0 : rng_below(r, 31));
    return any & 1 ? -p - 1 : p;
}

/* Compares `rows` positions of n frequencies, in each type, with ==. Returns the number of
   undecided pairs. */
static size_t compared(const double *omega, size_t n, double amplitude, rng *r, size_t rows,
                       const char *name)
{
    static uint32_t increments[4 * MOST_PAIRS];
    static float sines[MOST_PAIRS], cosines[MOST_PAIRS];
    static uint16_t half[4][MOST_PAIRS];
    const float a = (float)amplitude;
    size_t undecided = 0;
    assert_int_equal(pe_fixed_increments_of(omega, n, increments), PE_OK);
    for (size_t row = 0; row < rows; row++) {
        const int32_t p = position_of(r, row, row % 2 == 0);
        const int types = amplitude != 1 || row % 16 == 0;
        assert_int_equal(pe_sincos_f32(omega, n, amplitude, pe_from(p), 1, sines, cosines, n),
                         PE_OK);
        if (types) {
            assert_int_equal(pe_sincos_f16(omega, n, amplitude, pe_from(p), 1, half[0], half[1], n),
                             PE_OK);
            assert_int_equal(
                pe_sincos_bf16(omega, n, amplitude, pe_from(p), 1, half[2], half[3], n), PE_OK);
        }
        for (size_t i = 0; i < n; i++) {
            const pe_fixed_increment w = increment_at(increments, i);
            const pe_fixed_pair x =
                amplitude == 1 ? pe_fixed_sincos_f32(p, w) : pe_fixed_sincos_scaled_f32(p, w, a);
            undecided += x.undecided != 0;
            if (!x.undecided &&
                (word_of(x.sine) != word_of(sines[i]) || word_of(x.cosine) != word_of(cosines[i])))
                fail_msg("%s: position %d, frequency %a, amplitude %a: %a %a, must be %a %a", name,
                         (int)p, omega[i], amplitude, (double)x.sine, (double)x.cosine,
                         (double)sines[i], (double)cosines[i]);
            for (int t = 0; t < 2 && types; t++) {
                const pe_fixed_pair_16 y =
                    t ? pe_fixed_sincos_scaled_bf16(p, w, a) : pe_fixed_sincos_scaled_f16(p, w, a);
                undecided += y.undecided != 0;
                if (!y.undecided && (y.sine != half[2 * t][i] || y.cosine != half[2 * t + 1][i]))
                    fail_msg("%s, %s: position %d, frequency %a, amplitude %a: %04x %04x, must be "
                             "%04x %04x",
                             name, t ? "bf16" : "f16", (int)p, omega[i], amplitude, y.sine,
                             y.cosine, half[2 * t][i], half[2 * t + 1][i]);
            }
        }
    }
    return undecided;
}

static void lists_of_models(void **state)
{
    static double omega[MOST_PAIRS];
    rng r = rng_for("lists_of_models");
    const size_t pairs = workload(16000000) / LENGTH(lists);
    (void)state;
    for (size_t k = 0; k < LENGTH(lists); k++) {
        const size_t n = frequencies(&lists[k], omega);
        assert_int_equal(compared(omega, n, 1, &r, pairs / n + 20, lists[k].name), 0);
    }
}

/* Checks frequencies whose logarithm is uniform from 2^-56 to 2^21, with 0 and both ends. */
static void random_frequencies(void **state)
{
    static double omega[64];
    rng r = rng_for("random_frequencies");
    (void)state;
    for (size_t k = 0; k < workload(160); k++) {
        for (size_t i = 0; i < 64; i++) {
            omega[i] = ldexp(1 + rng_unit(&r), (int)rng_below(&r, 77) - 56);
            if (rng_next(&r) & 1) omega[i] = -omega[i];
        }
        omega[0] = 0;
        omega[1] = -0.0;
        omega[2] = ldexp(1, -56);
        omega[3] = -ldexp(1, 21);
        assert_int_equal(compared(omega, 64, 1, &r, 250, "random frequencies"), 0);
    }
}

/* Tests amplitudes: attention factors, powers of two, midpoints of 16-bit numbers, and the
   bounds. */
static void amplitudes(void **state)
{
    static const double some[] = {1.25,
                                  -1,
                                  -0.3,
                                  0.1,
                                  0.707,
                                  2,
                                  1.3689,
                                  0.0009765,
                                  70000,
                                  65519.9,
                                  -1.0009765625,
                                  1.00390625,
                                  1.0029296875,
                                  6e-8,
                                  1e-7,
                                  2.9802322e-8,
                                  8.940697e-8,
                                  5.9604645e-8, /* 2^-25, 3 2^-25, 2^-24 */
                                  18446744073709551616.0,
                                  5.421010862427522e-20};
    static double omega[MOST_PAIRS];
    rng r = rng_for("amplitudes");
    (void)state;
    for (size_t k = 0; k < LENGTH(some); k++) {
        const size_t n = frequencies(&lists[k % LENGTH(lists)], omega);
        omega[0] = 0;
        omega[1] = 1e-9;
        assert_int_equal(compared(omega, n, (double)(float)some[k], &r, workload(400), "amplitude"),
                         0);
    }
    for (size_t k = 0; k < workload(1000); k++) {
        const double a = ldexp(1 + rng_unit(&r), (int)rng_below(&r, 127) - 64);
        const size_t n = frequencies(&lists[k % LENGTH(lists)], omega);
        assert_int_equal(
            compared(omega, n, (double)(float)(k & 1 ? -a : a), &r, 10, "random amplitude"), 0);
    }
}

/* Checks M-RoPE, where each pair has the position of its coordinate, against the heads of
   pe_rope_f32(). */
static void rotation_by_coordinate(void **state)
{
    enum { WIDTH = 128, PAIRS = WIDTH / 2 };
    static const size_t sections[3] = {16, 24, 24};
    static double omega[PAIRS];
    static uint32_t increments[4 * PAIRS];
    rng r = rng_for("rotation_by_coordinate");
    pe_rope_config c = pe_rope_config_default(WIDTH);
    pe_plan plan;
    (void)state;
    c.rope_theta = 1e6;
    c.axes = 3;
    for (size_t k = 0; k < 3; k++) c.sections[k] = sections[k];
    const size_t size = pe_rope_plan_size(&c);
    void *memory = must_alloc(size);
    assert_int_equal(pe_rope_plan_init(&plan, &c, memory, size), PE_OK);
    assert_int_equal(pe_rope_frequencies(&c, omega, NULL), PE_OK);
    assert_int_equal(pe_fixed_increments(&plan, increments), PE_ERR_PLAN_FIXED);
    assert_int_equal(pe_fixed_increments_of(omega, PAIRS, increments), PE_OK);
    for (size_t row = 0; row < workload(3000); row++) {
        const int32_t at[3] = {position_of(&r, row, 0), position_of(&r, row + 1, 0),
                               position_of(&r, row + 2, 0)};
        const pe_heads heads = {1, 0, WIDTH};
        float x[WIDTH], head[WIDTH];
        for (size_t j = 0; j < WIDTH; j++) head[j] = x[j] = (float)(rng_unit(&r) * 4 - 2);
        assert_int_equal(pe_rope_f32(&plan, pe_coords_i32(at, 3, 3, 1), 1, head, heads), PE_OK);
        for (size_t i = 0; i < PAIRS; i++) {
            const size_t axis = i < sections[0] ? 0 : i < sections[0] + sections[1] ? 1 : 2;
            const pe_fixed_pair pair = pe_fixed_sincos_f32(at[axis], increment_at(increments, i));
            const pe_fixed_rotated y = pe_fixed_rotate_f32(x[i], x[i + PAIRS], pair);
            assert_int_equal(pair.undecided, 0);
            assert_int_equal(word_of(y.first), word_of(head[i]));
            assert_int_equal(word_of(y.second), word_of(head[i + PAIRS]));
        }
    }
    free(memory);
}

/* Tests the elements of tests/theorem.txt that come nearest to a midpoint of two floats. The
   frequencies of the first three are those of plans, which are no doubles. Those of the last two
   are doubles. */
static void hard_to_round(void **state)
{
    static const struct {
        int rope;
        double base;
        size_t width, pair;
        int32_t position;
    } hard[] = {{0, 10000, 512, 7, 1042496952},
                {0, 500000, 128, 9, 2141301464},
                {0, 500000, 512, 2, 2139973492},
                {1, 500000, 128, 6, 1784474233},
                {1, 1000000, 128, 6, 1696689057}};
    static double omega[MOST_PAIRS];
    static uint32_t increments[4 * MOST_PAIRS];
    static float row[2 * MOST_PAIRS];
    (void)state;
    for (size_t k = 0; k < LENGTH(hard); k++) {
        pe_config c = pe_config_default(hard[k].width);
        pe_rope_config r = pe_rope_config_default(hard[k].width);
        pe_plan plan;
        c.base = r.rope_theta = hard[k].base;
        assert_int_equal(pe_rope_frequencies(&r, omega, NULL), PE_OK);
        const size_t size = pe_plan_size(&c);
        void *memory = must_alloc(size);
        const size_t pairs = hard[k].width / 2;
        const pe_status made = hard[k].rope
                                   ? pe_plan_init_frequencies(&plan, &c, omega, pairs, memory, size)
                                   : pe_plan_init(&plan, &c, memory, size);
        assert_int_equal(made, PE_OK);
        assert_int_equal(pe_fixed_increments(&plan, increments), PE_OK);
        for (int sign = -1; sign < 2; sign += 2) {
            const int32_t p = sign * hard[k].position;
            const pe_fixed_pair x = pe_fixed_sincos_f32(p, increment_at(increments, hard[k].pair));
            assert_int_equal(pe_fill_f32(&plan, pe_from(p), 1, row, hard[k].width), PE_OK);
            assert_int_equal(x.undecided, 0);
            assert_int_equal(word_of(x.sine), word_of(row[2 * hard[k].pair]));
            assert_int_equal(word_of(x.cosine), word_of(row[2 * hard[k].pair + 1]));
        }
        free(memory);
    }
}

/* Returns |increment - w / (2 pi) 2^128| modulo 2^128, for an exact w of 400 bits. */
static double off_by(const uint32_t *increment, const mpfr_t w)
{
    mpfr_t x, y;
    double off;
    mpfr_inits2(BITS, x, y, (mpfr_ptr)NULL);
    mpfr_const_pi(y, MPFR_RNDN);
    mpfr_mul_2ui(y, y, 1, MPFR_RNDN);
    mpfr_div(x, w, y, MPFR_RNDN);
    mpfr_mul_2ui(x, x, 128, MPFR_RNDN);
    for (size_t k = 0; k < 4; k++) {
        mpfr_set_ui_2exp(y, increment[k], 32 * (mpfr_exp_t)k, MPFR_RNDN);
        mpfr_sub(x, x, y, MPFR_RNDN);
    }
    mpfr_div_2ui(x, x, 128, MPFR_RNDN);
    mpfr_rint(y, x, MPFR_RNDN);
    mpfr_sub(x, x, y, MPFR_RNDN);
    mpfr_mul_2ui(x, x, 128, MPFR_RNDN);
    off = fabs(mpfr_get_d(x, MPFR_RNDN));
    mpfr_clears(x, y, (mpfr_ptr)NULL);
    return off;
}

static void increments_of_doubles(void **state)
{
    static double omega[MOST_PAIRS];
    static uint32_t increments[4 * MOST_PAIRS];
    rng r = rng_for("increments_of_doubles");
    mpfr_t w;
    (void)state;
    mpfr_init2(w, BITS);
    for (size_t k = 0; k < LENGTH(lists) + 10; k++) {
        size_t n = MOST_PAIRS;
        if (k < LENGTH(lists)) n = frequencies(&lists[k], omega);
        else
            for (size_t i = 0; i < n; i++)
                omega[i] = ldexp(1 + rng_unit(&r), (int)rng_below(&r, 77) - 56) *
                           (rng_next(&r) & 1 ? -1 : 1);
        assert_int_equal(pe_fixed_increments_of(omega, n, increments), PE_OK);
        for (size_t i = 0; i < n; i++) {
            mpfr_set_d(w, omega[i], MPFR_RNDN);
            assert_true(off_by(increments + 4 * i, w) < 0.5001);
        }
    }
    mpfr_clear(w);
}

/* Tests that increments are those of the exact numbers base^(-2i / d), which are no doubles. */
static void increments_of_plans(void **state)
{
    static const double bases[] = {10000, 500000, 10000, 2, 1e6, 1e15};
    static const size_t widths[] = {512, 128, 6, 128, 30, 64};
    static double omega[MOST_PAIRS];
    static uint32_t increments[4 * MOST_PAIRS], same[4 * MOST_PAIRS];
    mpfr_t w, x;
    (void)state;
    mpfr_inits2(BITS, w, x, (mpfr_ptr)NULL);
    for (size_t k = 0; k < LENGTH(bases); k++) {
        pe_config c = pe_config_default(widths[k]);
        pe_plan plan;
        c.base = bases[k];
        if (k == 4) c.scale = 0.37;
        const size_t size = pe_plan_size(&c);
        void *memory = must_alloc(size);
        assert_int_equal(pe_plan_init(&plan, &c, memory, size), PE_OK);
        assert_int_equal(pe_fixed_increments(&plan, increments), PE_OK);
        for (size_t i = 0; i < plan.pairs; i++) {
            mpfr_set_si(x, -2 * (long)i, MPFR_RNDN);
            mpfr_div_ui(x, x, (unsigned long)widths[k], MPFR_RNDN);
            mpfr_set_d(w, bases[k], MPFR_RNDN);
            mpfr_pow(w, w, x, MPFR_RNDN);
            mpfr_mul_d(w, w, c.scale, MPFR_RNDN);
            assert_true(off_by(increments + 4 * i, w) < 0.501);
        }
        free(memory);
    }
    mpfr_clears(w, x, (mpfr_ptr)NULL);
    for (size_t k = 0; k < LENGTH(lists); k++) { /* the frequencies of RoPE's plans are doubles */
        const size_t n = frequencies(&lists[k], omega);
        pe_config c = pe_config_default(2 * n);
        pe_plan plan;
        const size_t size = pe_plan_size(&c);
        void *memory = must_alloc(size);
        assert_int_equal(pe_plan_init_frequencies(&plan, &c, omega, n, memory, size), PE_OK);
        assert_int_equal(pe_fixed_increments(&plan, increments), PE_OK);
        assert_int_equal(pe_fixed_increments_of(omega, n, same), PE_OK);
        assert_memory_equal(increments, same, 16 * n);
        free(memory);
    }
}

static pe_status increments_of_config(const pe_config *c, const double *omega, uint32_t *increments)
{
    pe_plan plan;
    const size_t size = pe_plan_size(c);
    void *memory = must_alloc(size);
    const size_t n = c->d_model / 2;
    const pe_status made = omega ? pe_plan_init_frequencies(&plan, c, omega, n, memory, size)
                                 : pe_plan_init(&plan, c, memory, size);
    assert_int_equal(made, PE_OK);
    const pe_status status = pe_fixed_increments(&plan, increments);
    free(memory);
    return status;
}

/* Tests that invalid input returns its status, and that nothing is written then. */
static void refusals(void **state)
{
    static const double bad[] = {1.3877787807814453e-17, -1e-300, 2097152.0000000005, 1e300, 0, 0};
    static const uint8_t coordinate[32] = {0, 0, 255, 0};
    const double inf = HUGE_VAL;
    uint32_t increments[4 * 32], before[4 * 32];
    pe_config c;
    pe_plan none;
    (void)state;
    memset(increments, 0x5a, sizeof increments);
    memset(&none, 0, sizeof none);
    memcpy(before, increments, sizeof before);
    for (size_t k = 0; k < LENGTH(bad); k++) {
        const double omega[2] = {1, k == 4 ? inf : k == 5 ? inf - inf : bad[k]};
        assert_int_equal(pe_fixed_increments_of(omega, 2, increments), PE_ERR_INCREMENT);
    }
    assert_int_equal(pe_fixed_increments_of(NULL, 1, increments), PE_ERR_NULL);
    assert_int_equal(pe_fixed_increments_of(bad, 1, NULL), PE_ERR_NULL);
    assert_int_equal(pe_fixed_increments_of(bad, SIZE_MAX / 8, increments), PE_ERR_SIZE);
    assert_int_equal(pe_fixed_increments_of(NULL, 0, NULL), PE_OK);
    assert_int_equal(pe_fixed_increments(NULL, increments), PE_ERR_NULL);
    assert_int_equal(pe_fixed_increments(&none, NULL), PE_ERR_NULL);
    assert_int_equal(pe_fixed_increments(&none, increments), PE_ERR_PLAN);
    c = pe_config_default(64), c.half_turns = 1;
    assert_int_equal(increments_of_config(&c, NULL, increments), PE_ERR_PLAN_FIXED);
    c = pe_config_default(64), c.offset = 0.5;
    assert_int_equal(increments_of_config(&c, NULL, increments), PE_ERR_PLAN_FIXED);
    c = pe_config_default(64), c.offset = 1;
    assert_int_equal(increments_of_config(&c, NULL, increments), PE_ERR_PLAN_FIXED);
    c = pe_config_default(64), c.angle = PE_ANGLE_FLOAT32;
    assert_int_equal(increments_of_config(&c, NULL, increments), PE_ERR_PLAN_FIXED);
    c = pe_config_default(64), c.axes = 2;
    assert_int_equal(increments_of_config(&c, NULL, increments), PE_ERR_PLAN_FIXED);
    c = pe_config_default(64), c.base = 1e20;
    assert_int_equal(increments_of_config(&c, NULL, increments), PE_ERR_INCREMENT);
    c = pe_config_default(64),
    c.coordinate = coordinate; /* its pairs are sorted, and one is stationary */
    assert_int_equal(increments_of_config(&c, NULL, increments), PE_ERR_PLAN_FIXED);
    assert_memory_equal(increments, before, sizeof before);
    c = pe_config_default(64);
    assert_int_equal(increments_of_config(&c, NULL, increments), PE_OK);
}

/* Tests angles so small that sin x is next to x, and cos x next to 1. If x or the amplitude is a
   midpoint of two results, level 2 cannot decide below a certain angle. */
static void small_angles(void **state)
{
    (void)state;
    for (int e = -56; e < -20; e++) {
        const double omega[3] = {ldexp(1 + ldexp(1, -24), e), ldexp(1 + ldexp(1, -8), e),
                                 ldexp(1, e)};
        uint32_t w[12];
        assert_int_equal(pe_fixed_increments_of(omega, 3, w), PE_OK);
        const pe_fixed_pair_16 sine = pe_fixed_sincos_scaled_bf16(1, increment_at(w, 1), 1);
        const pe_fixed_pair_16 cosine =
            pe_fixed_sincos_scaled_bf16(1, increment_at(w, 2), 1.00390625f);
        assert_int_equal(pe_fixed_sincos_f32(1, increment_at(w, 0)).undecided, e < -40);
        assert_int_equal(sine.undecided, e < -33);
        assert_int_equal(cosine.undecided, e < -33);
        assert_true(sine.undecided || sine.sine == (127 + e)
                                                       << 7); /* sin x < x: below the midpoint */
        assert_true(cosine.undecided || cosine.cosine == 127 << 7); /* cos x < 1 */
    }
}

/* Tests undecided 16-bit results next to multiples of a quarter turn, also f16 results that are
   subnormal and so have a larger last place. Beyond the distances that pe_fixed.h states, no result
   is undecided. */
static void near_quarter_turns(void **state)
{
    static const float midpoints[2][2] = {{0x1.002p-3f, 0x1p-25f}, {0x1.01p-14f, 0x1.81p5f}};
    size_t undecided = 0;
    rng r = rng_for("near_quarter_turns");
    (void)state;
    for (size_t n = 0; n < workload(40000); n++) {
        const int turns = (int)rng_below(&r, 9), format = (int)rng_below(&r, 2);
        const int subnormal = format == 0 && rng_below(&r, 2);
        const float amplitude = midpoints[format][format == 0 ? subnormal : (int)rng_below(&r, 2)];
        const int e = -38 + (int)rng_below(&r, 20), limit = subnormal ? -29 : -33;
        /* a double next to a multiple of pi / 2 is within 2^-49 of it */
        const double omega = turns * 0x1.921fb54442d18p+0 + ldexp(1 + rng_unit(&r), e);
        uint32_t w[4];
        assert_int_equal(pe_fixed_increments_of(&omega, 1, w), PE_OK);
        const pe_fixed_pair_16 x =
            format == 0 ? pe_fixed_sincos_scaled_f16(1, increment_at(w, 0), amplitude)
                        : pe_fixed_sincos_scaled_bf16(1, increment_at(w, 0), amplitude);
        undecided += x.undecided != 0;
        if (x.undecided && e >= limit)
            fail_msg("%s, amplitude %a, frequency %a: undecided", format ? "bf16" : "f16",
                     (double)amplitude, omega);
    }
    assert_true(undecided > 0);
}

/* Tests that results are undecided if level 2 cannot decide. The cases are an increment that is
   a quarter turn to its last bit, one that is only its last bit, and amplitudes out of range. */
static void undecided(void **state)
{
    static const pe_fixed_increment quarter = {{0, 0, 0, 0x40000000u}}, little = {{1, 0, 0, 0}},
                                    one = {{5, 6, 7, 8}};
    static const float amplitudes[] = {0, 5.4e-20f, -1e-30f, 1.9e19f, 1e-40f};
    (void)state;
    for (int32_t p = 1; p < 5; p++) assert_int_equal(pe_fixed_sincos_f32(p, quarter).undecided, 1);
    assert_int_equal(pe_fixed_sincos_f32(-2147483647 - 1, little).undecided, 1);
    for (size_t k = 0; k < LENGTH(amplitudes) + 2; k++) {
        const float a = k < LENGTH(amplitudes)    ? amplitudes[k]
                        : k == LENGTH(amplitudes) ? (float)HUGE_VAL
                                                  : (float)NAN;
        for (int32_t p = 0; p < 2; p++) {
            assert_int_equal(pe_fixed_sincos_scaled_f32(p, one, a).undecided, 1);
            assert_int_equal(pe_fixed_sincos_scaled_f16(p, one, a).undecided, 1);
            assert_int_equal(pe_fixed_sincos_scaled_bf16(p, one, a).undecided, 1);
        }
    }
    assert_int_equal(word_of(pe_fixed_sincos_f32(0, quarter).sine), 0);
    assert_int_equal(pe_fixed_sincos_f32(0, quarter).undecided, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_of_models),
        cmocka_unit_test(random_frequencies),
        cmocka_unit_test(amplitudes),
        cmocka_unit_test(rotation_by_coordinate),
        cmocka_unit_test(increments_of_doubles),
        cmocka_unit_test(increments_of_plans),
        cmocka_unit_test(refusals),
        cmocka_unit_test(undecided),
        cmocka_unit_test(near_quarter_turns),
        cmocka_unit_test(hard_to_round),
        cmocka_unit_test(small_angles),
    };
    test_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
