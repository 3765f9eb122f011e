/* SPDX-License-Identifier: MIT */
/*
 * Proves that angles are those that ggml computes, float by float, with each rounding of its code.
 * MPFR computes the functions.
 */
#include "heads.h"

/* The following functions repeat ggml's loop as it is written there, with MPFR for powf, logf, sine
   and cosine. */
typedef int mpfr_function(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

static float rounded(double x, mpfr_function *function)
{
    float y;
    mpfr_t a, b;
    mpfr_inits2(53, a, (mpfr_ptr)NULL);
    mpfr_inits2(24, b, (mpfr_ptr)NULL);
    mpfr_set_d(a, x, MPFR_RNDN);
    function(b, a, MPFR_RNDN);
    y = mpfr_get_flt(b, MPFR_RNDN);
    mpfr_clears(a, b, (mpfr_ptr)NULL);
    return y;
}

static float logarithm(float x) { return rounded((double)x, mpfr_log); }

/* Returns a config with zeros, which stand for llama.cpp's values of a model whose file has
   none. */
static pe_rope_ggml ggml_of(size_t n_dims)
{
    pe_rope_ggml g;
    memset(&g, 0, sizeof g);
    g.n_dims = n_dims;
    return g;
}

/* Holds what ggml computes once for all positions of a case. */
typedef struct ggml_case {
    pe_rope_ggml g;
    size_t number, pairs;
    float theta_scale, mscale;
    float low, high; /* where the ramp begins and ends, in pairs */
} ggml_case;

/* Sets the ramp and the factor of YaRN, as ggml_rope_yarn_corr_dims and rope_yarn do it in
   float. */
static void ggml_ramp(ggml_case *k, size_t n, float beta_fast, float beta_slow)
{
    const float pi = 3.14159265358979f, base = 2 * logarithm(k->g.freq_base);
    const float log_scale = logarithm(1 / k->g.freq_scale), n_ctx = (float)k->g.n_ctx_orig;
    volatile float tenth = 0.1f * log_scale;
    volatile float fast = beta_fast * 2 * pi, slow = beta_slow * 2 * pi;
    const float low = floorf((float)n * logarithm(n_ctx / fast) / base);
    const float high = ceilf((float)n * logarithm(n_ctx / slow) / base);
    k->low = low < 0 ? 0 : low;
    k->high = high > (float)n - 1 ? (float)n - 1 : high;
    k->mscale *= k->g.contracted ? fmaf(0.1f, log_scale, 1) : 1 + tenth;
}

/* Returns theta_scale = freq_base^(-2 / n). The exponent and the power are each rounded to
   float. */
static float ggml_theta_scale(float freq_base, size_t n)
{
    mpfr_t x, y;
    mpfr_inits2(24, x, y, (mpfr_ptr)NULL);
    mpfr_set_flt(x, freq_base, MPFR_RNDN);
    mpfr_set_flt(y, -2.0f / (float)n, MPFR_RNDN);
    mpfr_pow(x, x, y, MPFR_RNDN);
    const float scale = mpfr_get_flt(x, MPFR_RNDN);
    mpfr_clears(x, y, (mpfr_ptr)NULL);
    return scale;
}

/* Compares the row of a position with the code of ggml. */
static void compare_ggml_row(const ggml_case *k, int64_t position, const float *c, const float *s)
{
    const pe_rope_ggml *const g = &k->g;
    volatile float theta = (float)position;
    for (size_t i = 0; i < k->pairs; i++) {
        volatile float far = theta / (g->freq_factors ? g->freq_factors[i] : 1);
        volatile float near = g->freq_scale * far, angle = near, cosine, sine;
        if (g->ext_factor != 0) {
            const float y0 = ((float)i - k->low) / fmaxf(0.001f, k->high - k->low);
            volatile float mix = (1 - fminf(1, fmaxf(0, y0))) * g->ext_factor;
            volatile float u = near * (1 - mix), v = far * mix;
            angle = g->contracted ? fmaf(near, 1 - mix, v) : u + v;
        }
        cosine = rounded((double)angle, mpfr_cos);
        sine = rounded((double)angle, mpfr_sin);
        cosine *= k->mscale, sine *= k->mscale;
        if (c[i] != cosine || s[i] != sine)
            fail_msg("case %zu, position %" PRId64 ", pair %zu, angle %a: cos %a sin %a, not %a %a",
                     k->number, position, i, (double)angle, (double)c[i], (double)s[i],
                     (double)cosine, (double)sine);
        theta *= k->theta_scale;
    }
}

static const struct {
    size_t n;
    float base, scale, ext, attn;
    int with_factors, contracted;
} ggml_cases[] = {{128, 10000, 1, 0, 1, 0, 0},
                  {128, 500000, 1, 0, 1, 1, 1},
                  {64, 10000, 0.25f, 1, 1, 0, 0},
                  {128, 1e6f, 1 / 32.0f, 0.9f, 1.3f, 1, 1},
                  {2, 10000, 1, 0, 1, 0, 0},
                  {300, 8e6f, 1, 0, 1, 0, 0},
                  {512, 1000000, 0.5f, 0, 1, 1, 0},
                  {64, 1.5f, 0.25f, 1, 1, 0, 1},  /* its ramp begins below pair 0 */
                  {64, 1.05f, 0.25f, 1, 1, 0, 0}, /* its ramp begins behind the last pair */
                  {64, 3, 0.25f, 1, 1, 0, 1},     /* its ramp is cut off at the last pair */
                  {128, 10000, 4, 1, 1, 0, 0},
                  {64, 10000, 0.1f, 0.7f, 1, 0, 1}};

static void test_ggml(void **state)
{
    static float factors[256];
    enum { CASES = LENGTH(ggml_cases), ROWS = 3 };
    (void)state;
    for (size_t i = 0; i < LENGTH(factors); i++)
        factors[i] = i < 20 ? 1 : i % 3 == 0 ? 1e30f : 1 + (float)i * 0.37f;
    /* with a training length, and with 0, whose logarithm is -infinity */
    for (size_t turn = 0, k = 0; turn < 2 * (size_t)CASES; k = ++turn % CASES) {
        const size_t n = ggml_cases[k].n, pairs = n / 2;
        const float base = ggml_cases[k].base, beta_slow = 1;
        const float beta_fast = base == 1.5f ? 1000 : base < 4 ? 500 : 32;
        float *c = (float *)must_alloc(ROWS * n * sizeof *c), *s = c + ROWS * pairs;
        ggml_case now = {ggml_of(n), k, pairs, ggml_theta_scale(base, n), ggml_cases[k].attn, 0, 0};
        pe_rope_ggml *const g = &now.g;
        g->freq_base = base, g->freq_scale = ggml_cases[k].scale;
        g->ext_factor = ggml_cases[k].ext, g->attn_factor = ggml_cases[k].attn;
        g->n_ctx_orig = turn < CASES ? 4096 : 0;
        g->beta_slow = k % 2 ? beta_slow : 0; /* absent: the same */
        g->beta_fast = beta_fast == 32 && k % 4 == 2 ? 0 : beta_fast;
        g->freq_factors = ggml_cases[k].with_factors ? factors : NULL;
        g->contracted = ggml_cases[k].contracted;
        if (g->ext_factor != 0) ggml_ramp(&now, n, beta_fast, beta_slow);
        for (size_t m = 0; m < LENGTH(hard_positions); m += every()) {
            const int64_t first = m % 2 ? -hard_positions[m] : hard_positions[m] - 2;
            assert_int_equal(pe_rope_ggml_f32(g, pe_from(first), ROWS, c, s, pairs), PE_OK);
            for (size_t r = 0; r < ROWS; r++)
                compare_ggml_row(&now, first + (int64_t)r, c + r * pairs, s + r * pairs);
        }
        free(c);
    }
}

/* Checks that zeros mean llama.cpp's values of a model whose file has none, and that positions may
   be real numbers, skipped into or negated. */
static void places_of_other_kinds(void **state)
{
    static const double reals[] = {0.3, -1e9 - 1 / 3.0, 16777217};
    static const int64_t rounds_to[] = {0, -1000000000, 16777216};
    pe_rope_ggml zeros = ggml_of(64), g = zeros;
    float c[3][96], s[3][96];
    (void)state;
    g.freq_base = 10000, g.freq_scale = 1, g.attn_factor = 1;
    assert_int_equal(pe_rope_ggml_f32(&zeros, pe_from_by(100, -7), 3, c[0], s[0], 32), PE_OK);
    for (int64_t r = 0; r < 3; r++)
        assert_int_equal(
            pe_rope_ggml_f32(&g, pe_from(100 - 7 * r), 1, c[1] + 32 * r, s[1] + 32 * r, 32), PE_OK);
    assert_memory_equal(c[0], c[1], sizeof c[0]);
    assert_memory_equal(s[0], s[1], sizeof s[0]);
    /* a real position is rounded to float; the angle of pair 0 is the position */
    assert_int_equal(pe_rope_ggml_f32(&g, pe_at_f64(reals), 3, c[0], s[0], 32), PE_OK);
    assert_true(c[0][0] == rounded((double)0.3f, mpfr_cos));
    assert_true(s[0][0] == rounded((double)0.3f, mpfr_sin));
    assert_int_equal(pe_rope_ggml_f32(&g, pe_skip(pe_at_i64(rounds_to), 1), 2, c[1], s[1], 32),
                     PE_OK);
    assert_memory_equal(c[0] + 32, c[1], 64 * sizeof c[0][0]);
    assert_memory_equal(s[0] + 32, s[1], 64 * sizeof s[0][0]);
    /* with pe_back(), the cosines are the same and the sines are negated */
    assert_int_equal(pe_rope_ggml_f32(&g, pe_back(pe_at_f64(reals)), 3, c[1], s[1], 32), PE_OK);
    for (size_t i = 0; i < 96; i++) assert_true(c[0][i] == c[1][i] && s[0][i] == -s[1][i]);
}

static void bad_input_is_refused(void **state)
{
    pe_rope_ggml g = ggml_of(64);
    float c[32], s[32], bad = 0;
    (void)state;
    memset(c, CANARY, sizeof c);
    assert_int_equal(pe_rope_ggml_f32(NULL, pe_from(0), 0, NULL, NULL, 0), PE_OK);
    assert_int_equal(pe_rope_ggml_f32(NULL, pe_from(0), 1, c, s, 32), PE_ERR_NULL);
    assert_int_equal(pe_rope_ggml_f32(&g, pe_from(0), 1, c, NULL, 32), PE_ERR_NULL);
    assert_int_equal(pe_rope_ggml_f32(&g, pe_from(0), 2, c, s, 31), PE_ERR_SHAPE);
    assert_int_equal(pe_rope_ggml_f32(&g, pe_from(POSITION_MAX), 2, c, s, 32), PE_ERR_RANGE);
    assert_int_equal(pe_rope_ggml_f32(&g, pe_at_i64(NULL), 1, c, s, 32), PE_ERR_AT_NULL);
    assert_int_equal(pe_rope_ggml_f32(&g, pe_coords_f32(&bad, 2, 0, 0), 1, c, s, 32),
                     PE_ERR_AT_AXES);
    assert_int_equal(pe_rope_ggml_f32(&g, pe_from(0), 9, c, s, SIZE_MAX / 8), PE_ERR_SIZE);
    bad = NAN;
    assert_int_equal(pe_rope_ggml_f32(&g, pe_at_f32(&bad), 1, c, s, 32), PE_ERR_RANGE);
    bad = 0;
    g.n_dims = 63;
    assert_int_equal(pe_rope_ggml_f32(&g, pe_from(0), 1, c, s, 32), PE_ERR_GGML);
    g = ggml_of(64), g.freq_base = NAN;
    assert_int_equal(pe_rope_ggml_f32(&g, pe_from(0), 1, c, s, 32), PE_ERR_GGML);
    g = ggml_of(64), g.freq_scale = -1;
    assert_int_equal(pe_rope_ggml_f32(&g, pe_from(0), 1, c, s, 32), PE_ERR_GGML);
    g = ggml_of(2), g.freq_factors = &bad;
    assert_int_equal(pe_rope_ggml_f32(&g, pe_from(0), 1, c, s, 32), PE_ERR_GGML);
    assert_true(all_canaries(c, sizeof c));
}

/* Checks the smallest and the largest good value of each number, and the next bad one. A good
   config is recognised by PE_ERR_SHAPE, because the row is too narrow for it. */
static void limits_of_numbers(void **state)
{
    pe_rope_ggml g = ggml_of(64);
    float c[32], s[32];
    (void)state;
    memset(c, CANARY, sizeof c);
#define LIMIT(ext, field, good, worse)                                                             \
    g = ggml_of(64), g.ext_factor = (ext), g.n_ctx_orig = 4096, g.field = (good);                  \
    assert_int_equal(pe_rope_ggml_f32(&g, pe_from(0), 2, c, s, 31), PE_ERR_SHAPE);                 \
    g.field = (worse);                                                                             \
    assert_int_equal(pe_rope_ggml_f32(&g, pe_from(0), 2, c, s, 31), PE_ERR_GGML)
    LIMIT(0, freq_base, 1, nextafterf(1, 0));
    LIMIT(1, freq_base, nextafterf(1, 2), 1);
    LIMIT(0, freq_base, 0x1p100f, nextafterf(0x1p100f, 0x1p101f));
    LIMIT(0, freq_scale, 0x1p-60f, nextafterf(0x1p-60f, 0));
    LIMIT(0, freq_scale, 1024, nextafterf(1024, 2048));
    LIMIT(0, ext_factor, 1, nextafterf(1, 2));
    LIMIT(0, ext_factor, 0, nextafterf(0, -1));
    LIMIT(0, attn_factor, 0x1p-60f, nextafterf(0x1p-60f, 0));
    LIMIT(0, attn_factor, 0x1p60f, nextafterf(0x1p60f, 0x1p61f));
    LIMIT(1, beta_fast, 0x1p-60f, nextafterf(0x1p-60f, 0));
    LIMIT(1, beta_fast, 0x1p60f, nextafterf(0x1p60f, 0x1p61f));
    LIMIT(1, beta_slow, 0x1p-60f, nextafterf(0x1p-60f, 0));
    LIMIT(1, beta_slow, 0x1p60f, nextafterf(0x1p60f, 0x1p61f));
    LIMIT(1, n_ctx_orig, INT32_MAX, (size_t)INT32_MAX + 1);
    LIMIT(0, n_dims, 1048576, 1048578);
    LIMIT(0, n_dims, 64, 0);
#undef LIMIT
    for (size_t k = 0; k < 4; k++) {
        const float ends[] = {0x1p-10f, 0x1p120f, nextafterf(0x1p-10f, 0),
                              nextafterf(0x1p120f, 0x1p121f)};
        const float two[2] = {1, ends[k]};
        g = ggml_of(4), g.freq_factors = two;
        assert_int_equal(pe_rope_ggml_f32(&g, pe_from(0), 2, c, s, 1),
                         k < 2 ? PE_ERR_SHAPE : PE_ERR_GGML);
    }
    assert_true(all_canaries(c, sizeof c));
}

/* Tests that freq_factors, flush against a page that faults, are not read if the list is too
   short. */
static void short_lists_are_not_read(void **state)
{
    pe_rope_ggml g = ggml_of(64);
    float c[32], s[32];
    (void)state;
    memset(c, CANARY, sizeof c);
    guarded list = guarded_make(32 * sizeof(float));
    FAIL_ON_FAULT();
    for (size_t n = 0; n <= 34; n++) {
        const size_t held = n == 0 || n > 32 ? 32 : n;
        double omega[32];
        float *const numbers = (float *)(void *)(list.end - held * sizeof(float));
        for (size_t i = 0; i < held; i++) numbers[i] = 1;
        fault_case("%zu freq_factors of 32", n);
        g = ggml_of(64), g.freq_factors = numbers, g.freq_factors_length = n;
        const int enough = n == 0 || n >= 32;
        assert_int_equal(pe_rope_ggml_f32(&g, pe_from(0), 2, c, s, 31),
                         enough ? PE_ERR_SHAPE : PE_ERR_GGML);
        assert_int_equal(pe_rope_ggml_frequencies(&g, omega, NULL), enough ? PE_OK : PE_ERR_GGML);
        g.freq_factors = NULL;
        assert_int_equal(pe_rope_ggml_frequencies(&g, omega, NULL), n == 0 ? PE_OK : PE_ERR_GGML);
    }
    guarded_free(&list);
    assert_true(all_canaries(c, sizeof c));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ggml),
        cmocka_unit_test(places_of_other_kinds),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(limits_of_numbers),
        cmocka_unit_test(short_lists_are_not_read),
    };
    test_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
