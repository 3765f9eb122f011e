/* SPDX-License-Identifier: MIT */
/*
 * Proves the plans that pe_rope_plan_init() makes. They have the bits of a plan with the same
 * frequencies, the right part of a head rotates, and invalid configs are refused.
 */
#include "heads.h"

/* Checks plans whose config has an offset, which moves the positions, or angles rounded to float.
   The tables must have the elements of pe_fill_f32(). */
static void test_plans(void **state)
{
    enum { N = 32 };
    (void)state;
    for (int k = 0; k < 3; k++) {
        owned_plan p;
        float x[3 * N], want[3 * N], s[N / 2], c[N / 2], row[N];
        pe_config config = config_of(N, 10000, 1);
        config.offset = k == 0 ? 2 : k == 1 ? 0.25 : 0;
        config.angle = k == 2 ? PE_ANGLE_FLOAT32 : PE_ANGLE_EXACT;
        config.layout = k == 1 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
        config.cos_first = k == 0;
        plan_of(&p, config);
        for (size_t i = 0; i < 3 * N; i++) want[i] = x[i] = (float)i + 0.5f;
        for (size_t t = 0; t < 3; t++) {
            assert_int_equal(pe_fill_f32(&p.plan, pe_from(1000 + (int64_t)t), 1, row, N), PE_OK);
            for (size_t i = 0; i < N / 2; i++) {
                s[i] = row[k == 1 ? i : 2 * i], c[i] = row[k == 1 ? i + N / 2 : 2 * i + 1];
                if (k == 0) {
                    const float swap = s[i];
                    s[i] = c[i], c[i] = swap;
                }
            }
            turn(F32, config.layout, s, c, 1, N, want + t * N);
        }
        assert_int_equal(pe_rope_f32(&p.plan, pe_from(1000), 3, x, lie(1, N, N)), PE_OK);
        assert_memory_equal(x, want, sizeof x);
        if (k < 2) { /* differences leave the offset out */
            owned_plan plain;
            config = config_of(N, 10000, 1);
            config.layout = k == 1 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
            plan_of(&plain, config);
            assert_int_equal(pe_rope_f32(&plain.plan, pe_from(-9), 1, want, lie(1, N, N)), PE_OK);
            assert_int_equal(pe_rope_f32(&p.plan, pe_delta(pe_all(-9)), 1, x, lie(1, N, N)), PE_OK);
            assert_memory_equal(x, want, N * sizeof *x);
            plan_free(&plain);
        }
        plan_free(&p);
    }
}

static const float plan_freq_factors[33] = {1, 0.5f, 2, 3.75f, 4, 1, 1, 8, 1.25f, 6,  7,
                                            8, 9,    1, 2,     3, 4, 5, 6, 7,     8,  9,
                                            1, 2,    3, 4,     5, 6, 7, 8, 9,     10, 11};

/* Checks that a plan of pe_rope_plan_init() has the bits of pe_plan_init_frequencies() with the
   doubles of pe_rope_frequencies(). Tables, heads and what the plan reports about itself are
   compared. */
static void test_plan_in_one_step(void **state)
{
    enum { HEAD = 66, ROWS = 5, MOST = ROWS * HEAD };
    rng r = rng_for("test_plan_in_one_step");
    (void)state;
    for (unsigned k = 0; k < PE_ROPE_TYPE_COUNT * 2 * 5; k++) {
        const pe_rope_type scaling = (pe_rope_type)(k % PE_ROPE_TYPE_COUNT);
        const pe_layout layout = (pe_layout)(k / PE_ROPE_TYPE_COUNT % 2);
        const unsigned with = k / (2 * PE_ROPE_TYPE_COUNT);
        pe_rope_config config = config_of_type(scaling, HEAD, with == 4 ? 6 : 60);
        config.layout = layout;
        if (with == 1)
            config.offset = -7.25, config.attention_factor = 1.3, config.expected_rows = 1;
        if (with == 2) config.angle = PE_ANGLE_FLOAT32, config.expected_rows = 1000;
        if (with == 3) config.freq_factors = plan_freq_factors, config.rope_theta = 1e6;
        owned_plan p, like;
        rope_plan(&p, &config);
        reference_plan(&like, &config);
        const size_t n = like.plan.d_model, pairs = n / 2;
        double w[HEAD / 2], w_like[HEAD / 2];
        assert_int_equal(p.plan.d_model, n);
        assert_int_equal(p.plan.pairs, pairs);
        assert_int_equal(p.plan.axes, 1);
        assert_int_equal(pe_plan_frequencies(&p.plan, w), PE_OK);
        assert_int_equal(pe_plan_frequencies(&like.plan, w_like), PE_OK);
        assert_memory_equal(w, w_like, pairs * sizeof *w);
        for (size_t m = 0; m < 12; m++) {
            const int64_t first = m < 8 ? hard_positions[(5 * k + m) % LENGTH(hard_positions)] / 2
                                        : rng_position(&r) / 2;
            const pe_at at = pe_from(m % 2 ? first : -first);
            float c[MOST], s[MOST], fill[MOST], x[MOST], want[MOST];
            assert_int_equal(
                pe_rope_table_f32(&p.plan, at, ROWS, PE_ROPE_TABLE_APART, c, s, pairs, NULL),
                PE_OK);
            assert_int_equal(pe_fill_f32(&like.plan, at, ROWS, fill, n), PE_OK);
            for (size_t i = 0; i < ROWS * pairs; i++)
                if (s[i] != fill[2 * i] || c[i] != fill[2 * i + 1])
                    fail_msg("scaling %d, with %u, from %" PRId64 ", element %zu: %a %a, not %a %a",
                             (int)scaling, with, first, i, (double)s[i], (double)c[i],
                             (double)fill[2 * i], (double)fill[2 * i + 1]);
            fill_random(F32, x, MOST, &r);
            memcpy(want, x, sizeof x);
            assert_int_equal(pe_rope_f32(&p.plan, at, ROWS, x, lie(1, 0, HEAD)), PE_OK);
            for (size_t t = 0; t < ROWS; t++)
                turn(F32, layout, s + t * pairs, c + t * pairs, 1, n, want + t * HEAD);
            assert_memory_equal(x, want, sizeof x);
        }
        plan_free(&p);
        plan_free(&like);
    }
}

/* Checks rotary_offset in every form of the call, also with rope_interleave. Elements before and
   behind the rotated ones keep their values in place, and are copied out of place. Tables do not
   depend on it. */
static void test_rotary_offset(void **state)
{
    enum { TOKENS = 5, HEADS = 2, MOST = 600, ROOM = TOKENS * HEADS * MOST };
    static const size_t rotary[] = {16, 64, 6, 128, 514};
    static unsigned char in[ROOM * 4], x[ROOM * 4], want[ROOM * 4];
    static float c[MOST], s[MOST], narrow[ROOM];
    static uint16_t half[ROOM];
    rng r = rng_for("test_rotary_offset");
    (void)state;
    for (size_t k = 0; k < LENGTH(rotary) * 4 * 3; k++) {
        static const size_t offsets[] = {1, 8, 40, 24};
        const size_t n = rotary[k / 12], offset = offsets[k / 3 % 4], dim = offset + n + k % 5;
        const int form = (int)(k % 3), apart = form == 2 && n <= 512;
        const pe_heads where = lie(HEADS, dim, HEADS * dim),
                       one_after = lie(HEADS, TOKENS * dim, dim);
        pe_rope_config config = pe_rope_config_default(dim);
        owned_plan p;
        oracle o;
        config.rotary_dim = n, config.rotary_offset = offset;
        config.layout = form == 1 ? PE_LAYOUT_INTERLEAVED : PE_LAYOUT_HALVES;
        config.rope_interleave = apart;
        rope_plan(&p, &config);
        oracle_make(&o, "test_rotary_offset", n, 10000, 1);
        for (int t = 0; t < TYPES; t++)
            for (int to = 0; to < 2; to++) {
                const size_t e = bytes_of((type)t);
                const pe_heads out = to ? one_after : where;
                fill_random((type)t, in, TOKENS * HEADS * dim, &r);
                memcpy(x, in, sizeof x);
                for (size_t token = 0; token < TOKENS; token++) {
                    exact_row(&o, 70000 + (int64_t)token, c, s);
                    for (size_t h = 0; h < HEADS; h++) {
                        unsigned char *const y =
                            want + (token * out.token_stride + h * out.head_stride) * e;
                        const unsigned char *const from = in + (token * HEADS + h) * dim * e;
                        memcpy(y, from, dim * e);
                        for (size_t i = 0; apart && i < n;
                             i++) /* read adjacent, written as halves */
                            memcpy(y + (offset + i % 2 * (n / 2) + i / 2) * e,
                                   from + (offset + i) * e, e);
                        turn((type)t, config.layout, s, c, 1, n, y + offset * e);
                    }
                }
                if (to) memset(x, CANARY, sizeof x);
                turn_all((type)t, &p.plan, pe_from(70000), TOKENS, dim, to ? in : NULL, where, x,
                         out);
                if (memcmp(x, want, TOKENS * HEADS * dim * e) != 0)
                    fail_msg("%s, %zu of %zu from %zu on, form %d, to %d", type_names[t], n, dim,
                             offset, form, to);
            }
        /* floats to 16 bits: elements that are copied are rounded as well */
        fill_random(F32, in, TOKENS * HEADS * dim, &r);
        turn_all(F32, &p.plan, pe_from(70000), TOKENS, dim, in, where, narrow, where);
        assert_int_equal(pe_rope_to_f32_bf16(&p.plan, pe_from(70000), TOKENS, dim,
                                             (float *)(void *)in, where, half, where),
                         PE_OK);
        for (size_t i = 0; i < TOKENS * HEADS * dim; i++) {
            uint16_t bits;
            put(BF16, &bits, 0, narrow[i]);
            assert_int_equal(half[i], bits);
        }
        memset(x, CANARY, sizeof x);
        assert_int_equal(pe_rope_to_f32(&p.plan, pe_from(0), TOKENS, offset + n - 1,
                                        (float *)(void *)in, where, (float *)(void *)x, where),
                         PE_ERR_HEAD_DIM);
        assert_int_equal(pe_rope_f32(&p.plan, pe_from(0), 1, (float *)(void *)x, lie(2, n - 1, 0)),
                         PE_ERR_SHAPE);
        assert_true(all_canaries(x, sizeof x));
        /* heads may overlap as long as their rotated elements do not: the others are not written */
        assert_int_equal(pe_rope_f32(&p.plan, pe_from(0), 1, (float *)(void *)in, lie(2, n, 0)),
                         PE_OK);
        oracle_free(&o);
        free(p.memory);
    }
}

/* Tests what pe_rope_plan_init() refuses: the plan becomes all zeros, and its memory stays as it
   was. */
static void refused_plan(const pe_rope_config *config, pe_status status, const char *field)
{
    static const pe_plan none;
    pe_plan plan;
    static unsigned char memory[1 << 17];
    float x[2] = {1, 2};
    memset(&plan, CANARY, sizeof plan);
    memset(memory, CANARY, sizeof memory);
    assert_int_equal(pe_rope_plan_init(&plan, config, memory, sizeof memory), status);
    assert_memory_equal(&plan, &none, sizeof plan);
    assert_true(all_canaries(memory, sizeof memory));
    assert_int_equal(pe_rope_f32(&plan, pe_from(0), 1, x, lie(1, 2, 2)), PE_ERR_PLAN);
    assert_int_equal(
        pe_rope_table_f32(&plan, pe_from(0), 1, PE_ROPE_TABLE_APART, x, x + 1, 1, NULL),
        PE_ERR_PLAN);
    assert_int_equal(pe_fill_f32(&plan, pe_from(0), 1, x, 2), PE_ERR_PLAN);
    assert_true(x[0] == 1 && x[1] == 2);
    if (field != NULL) {
        assert_int_equal(pe_rope_plan_size(config), 0);
        assert_non_null(pe_rope_config_error(config));
        if (strstr(pe_rope_config_error(config), field) == NULL)
            fail_msg("%s is not named: %s", field, pe_rope_config_error(config));
    }
}

static void test_bad_configs(void **state)
{
    const pe_rope_config good = pe_rope_config_default(32);
    pe_rope_config c;
    (void)state;
#define REFUSED(field, change)                                                                     \
    do {                                                                                           \
        c = good, c.axes = 2, c.sections[0] = c.sections[1] = 8;                                   \
        assert_null(pe_rope_config_error(&c));                                                     \
        change;                                                                                    \
        refused_plan(&c, PE_ERR_CONFIG, field);                                                    \
    } while (0)
    REFUSED("axes", c.axes = 0);
    REFUSED("axes", c.axes = PE_MAX_AXES + 1);
    REFUSED("axes", c.axes = SIZE_MAX);
    REFUSED("sections", c.sections[0] = 7);
    REFUSED("sections", c.sections[1] = 9);
    REFUSED("sections", c.sections[0] = 0);
    REFUSED("sections", c.axes = 3; c.sections[2] = 1);
    REFUSED("sections", c.sections[0] = SIZE_MAX; c.sections[1] = 17); /* the sum wraps to 16 */
    REFUSED("rope_interleave", c.rope_interleave = 1; c.layout = PE_LAYOUT_INTERLEAVED);
    REFUSED("rope_interleave", c.rope_interleave = 1; c.head_dim = c.rotary_dim = 514;
            c.sections[0] = 249);
    REFUSED("sections", c.section_order = PE_SECTIONS_VISION;
            c.axes = 3); /* 16 are no three thirds */
    REFUSED("section_order", c.section_order = (pe_sections)3);
    REFUSED("section_order", c.section_order = (pe_sections)-1);
    REFUSED("rotary_offset", c.rotary_offset = 1);
    REFUSED("rotary_offset", c.rotary_offset = SIZE_MAX);
    REFUSED("rotary_offset", c.head_dim = 40; c.rotary_dim = 32; c.rotary_offset = 9);
    REFUSED("rotary_offset", c.head_dim = 40; c.rotary_dim = 32; c.rotary_offset = 41);
    REFUSED("layout", c.layout = (pe_layout)2);
    REFUSED("layout", c.layout = (pe_layout)-1);
    REFUSED("angle", c.angle = (pe_angle)2);
    REFUSED("angle", c.angle = (pe_angle)-1);
    REFUSED("offset", c.offset = 0x1p-21);
    REFUSED("offset", c.offset = 0x1p32);
    REFUSED("offset", c.offset = (double)NAN);
    REFUSED("rotary_dim", c.rotary_dim = 31);
    REFUSED("rope_theta", c.rope_theta = 0.5);
#undef REFUSED
    c = good; /* with one axis, sections are ignored */
    c.sections[0] = 99, c.sections[3] = SIZE_MAX;
    assert_null(pe_rope_config_error(&c));
    assert_true(pe_rope_plan_size(&c) > 0);
}

/* Tests NTK's exponent n / (n - 2), where n is the width of a section. A section of width 2 would
   divide by 0. */
static void test_bad_ntk_sections(void **state)
{
    pe_rope_config c;
    (void)state;
    for (int scaling = PE_ROPE_NTK; scaling <= PE_ROPE_DYNAMIC_NTK; scaling++) {
        c = config_of_type((pe_rope_type)scaling, 8, 8);
        c.axes = 2, c.section_order = PE_SECTIONS_VISION, c.sections[0] = c.sections[1] = 2;
        assert_null(pe_rope_config_error(&c));
        c.head_dim = c.rotary_dim = 4, c.sections[0] = c.sections[1] = 1;
        if (scaling != PE_ROPE_NTK_FIXED) refused_plan(&c, PE_ERR_CONFIG, "rotary_dim");
        else assert_null(pe_rope_config_error(&c));
    }
}

/* Tests factors that make a frequency of more than 2^21, and the least factor that does not. */
static void test_bad_factors(void **state)
{
    const pe_rope_config good = pe_rope_config_default(32);
    pe_rope_config c;
    pe_plan plan;
    (void)state;
    static float factors[16];
    for (size_t i = 0; i < 16; i++) factors[i] = 1;
    factors[0] = 0x1p-21f; /* of pair 0, whose frequency is 1 */
    c = good, c.freq_factors = factors;
    const size_t size = pe_rope_plan_size(&c);
    void *enough = must_alloc(size);
    assert_true(size > 0);
    assert_int_equal(pe_rope_plan_init(&plan, &c, enough, size), PE_OK);
    factors[0] = nextafterf(0x1p-21f, 0);
    assert_null(pe_rope_config_error(&c));
    refused_plan(&c, PE_ERR_FACTOR, NULL);
    factors[0] = 1;
    static double longer[16];
    for (size_t i = 0; i < 16; i++)
        longer[i] = 0x1p-40; /* even the last frequency, 2^40 * 10000^(-15/16), is above 2^21 */
    c = good, c.rope_type = PE_ROPE_LONGROPE, c.short_factor = c.long_factor = longer;
    c.factor = 2, c.original_max_position_embeddings = 4096;
    assert_null(pe_rope_config_error(&c));
    refused_plan(&c, PE_ERR_FACTOR, NULL);

    c = good; /* YARN's factor as the ratio of two lengths: 2^-31 */
    c.rope_type = PE_ROPE_YARN, c.extrapolation_factor = 0, c.max_position_embeddings = 1;
    c.original_max_position_embeddings = (size_t)1 << 31;
    assert_null(pe_rope_config_error(&c));
    refused_plan(&c, PE_ERR_FACTOR, NULL);
    free(enough);
}

/* Tests that a plan becomes zeros if its memory is too small, a pointer is NULL or its config is
   refused. The memory stays as it was. */
static void test_bad_memory(void **state)
{
    static const pe_plan none;
    pe_rope_config c = pe_rope_config_default(32);
    pe_plan plan;
    (void)state;
    const size_t whole = pe_rope_plan_size(&c);
    unsigned char *little = (unsigned char *)must_alloc(whole);
    memset(little, CANARY, whole);
    memset(&plan, CANARY, sizeof plan);
    assert_int_equal(pe_rope_plan_init(&plan, &c, little, whole - 1), PE_ERR_MEMORY);
    assert_memory_equal(&plan, &none, sizeof plan);
    memset(&plan, CANARY, sizeof plan);
    assert_int_equal(pe_rope_plan_init(&plan, &c, NULL, whole), PE_ERR_NULL);
    assert_memory_equal(&plan, &none, sizeof plan);
    memset(&plan, CANARY, sizeof plan);
    assert_int_equal(pe_rope_plan_init(&plan, NULL, little, whole), PE_ERR_NULL);
    assert_memory_equal(&plan, &none, sizeof plan);
    assert_int_equal(pe_rope_plan_init(NULL, &c, little, whole), PE_ERR_NULL);
    c.rope_type = PE_ROPE_LONGROPE, c.factor = 2, c.original_max_position_embeddings = 4096;
    memset(&plan, CANARY, sizeof plan);
    assert_int_equal(pe_rope_plan_init(&plan, &c, little, whole), PE_ERR_CONFIG); /* no list */
    assert_memory_equal(&plan, &none, sizeof plan);
    assert_true(all_canaries(little, whole));
    assert_int_equal(pe_rope_plan_size(NULL), 0);
    free(little);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plans),
        cmocka_unit_test(test_rotary_offset),
        cmocka_unit_test(test_plan_in_one_step),
        cmocka_unit_test(test_bad_configs),
        cmocka_unit_test(test_bad_ntk_sections),
        cmocka_unit_test(test_bad_factors),
        cmocka_unit_test(test_bad_memory),
    };
    test_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
