/* SPDX-License-Identifier: MIT */
/*
 * Proves that pe_rope_frequencies gives the frequencies and the attention factor of every scaling,
 * rounded once. They are compared with MPFR, in the form in which the projects write the formulas.
 * The configs are those of published models and random ones up to the limits. They are also
 * compared with published values, and with the same formulas in float32, within their error.
 *
 * Exact values decide floor, ceil and the thresholds. Types agree where their formulas do. Bad
 * configs are refused with a reason, and then nothing is written. The names of config files find
 * their types.
 */
#include "../common.h"

#include <float.h>

#include <mpfr.h>

#define BITS 512 /* of the oracle */

/* ------------------------------------------------------------------------------------------------
 * The oracle
 * --------------------------------------------------------------------------------------------- */

static size_t length_of(const pe_rope_config *c)
{
    const size_t original = c->original_max_position_embeddings, most = c->max_position_embeddings;
    if (c->rope_type == PE_ROPE_DYNAMIC_NTK) return most != 0 ? most : original;
    return original != 0 ? original : most;
}

static int is_long(const pe_rope_config *c) { return c->sequence_length > length_of(c); }

static void factor_of(const pe_rope_config *c, mpfr_t f)
{
    mpfr_set_d(f, c->factor, MPFR_RNDN);
    if (c->factor == 0 && c->rope_type == PE_ROPE_PROPORTIONAL) mpfr_set_ui(f, 1, MPFR_RNDN);
    if (c->factor == 0 && (c->rope_type == PE_ROPE_YARN || c->rope_type == PE_ROPE_LONGROPE)) {
        mpfr_set_d(f, (double)c->max_position_embeddings, MPFR_RNDN);
        mpfr_div_d(f, f, (double)c->original_max_position_embeddings, MPFR_RNDN);
    }
}

/* Computes x = base^(-2i/n). */
static void power(mpfr_t x, const mpfr_t base, size_t i, size_t n)
{
    mpfr_t exponent;
    mpfr_init2(exponent, BITS);
    mpfr_set_d(exponent, -2.0 * (double)i, MPFR_RNDN);
    mpfr_div_d(exponent, exponent, (double)n, MPFR_RNDN);
    mpfr_pow(x, base, exponent, MPFR_RNDN);
    mpfr_clear(exponent);
}

/* Computes YaRN's x = n ln(L0 / (2 pi beta)) / (2 ln base), the pair that makes beta rotations
   within the original length L0. */
static void correction(mpfr_t x, const pe_rope_config *c, double beta, const mpfr_t base)
{
    mpfr_t y;
    mpfr_init2(y, BITS);
    mpfr_const_pi(y, MPFR_RNDN);
    mpfr_mul_d(y, y, 2 * beta, MPFR_RNDN);
    mpfr_d_div(x, (double)length_of(c), y, MPFR_RNDN);
    mpfr_log(x, x, MPFR_RNDN);
    mpfr_mul_d(x, x, (double)rotary_of(c), MPFR_RNDN);
    mpfr_log(y, base, MPFR_RNDN);
    mpfr_mul_ui(y, y, 2, MPFR_RNDN);
    mpfr_div(x, x, y, MPFR_RNDN);
    mpfr_clear(y);
}

/* Computes YaRN's mask: the part of pair i's frequency that is not interpolated. */
static void yarn_mask(mpfr_t mask, const pe_rope_config *c, size_t i, const mpfr_t base)
{
    mpfr_t low, high;
    mpfr_inits2(BITS, low, high, (mpfr_ptr)NULL);
    correction(low, c, c->beta_fast > 0 ? c->beta_fast : 32, base); /* 0 is absent */
    correction(high, c, c->beta_slow > 0 ? c->beta_slow : 1, base);
    if (c->truncate) {
        mpfr_floor(low, low);
        mpfr_ceil(high, high);
    }
    if (mpfr_sgn(low) < 0) mpfr_set_ui(low, 0, MPFR_RNDN);
    if (mpfr_cmp_d(high, (double)rotary_of(c) - 1) > 0)
        mpfr_set_d(high, (double)rotary_of(c) - 1, MPFR_RNDN);
    if (mpfr_equal_p(low, high)) {
        mpfr_set_ui(mask, 1, MPFR_RNDN);
        mpfr_div_ui(mask, mask, 1000, MPFR_RNDN);
        mpfr_add(high, high, mask, MPFR_RNDN);
    }
    mpfr_d_sub(mask, (double)i, low, MPFR_RNDN);
    mpfr_sub(high, high, low, MPFR_RNDN);
    mpfr_div(mask, mask, high, MPFR_RNDN);
    if (mpfr_sgn(mask) < 0) mpfr_set_ui(mask, 0, MPFR_RNDN);
    if (mpfr_cmp_ui(mask, 1) > 0) mpfr_set_ui(mask, 1, MPFR_RNDN);
    mpfr_ui_sub(mask, 1, mask, MPFR_RNDN);
    mpfr_mul_d(mask, mask, c->extrapolation_factor, MPFR_RNDN);
    mpfr_clears(low, high, (mpfr_ptr)NULL);
}

/* Applies Llama 3's scaling, which depends on the wavelength, to the frequency w. */
static void llama3(mpfr_t w, const pe_rope_config *c, const mpfr_t f)
{
    mpfr_t wavelength, low, high, smooth;
    mpfr_inits2(BITS, wavelength, low, high, smooth, (mpfr_ptr)NULL);
    mpfr_const_pi(wavelength, MPFR_RNDN);
    mpfr_mul_ui(wavelength, wavelength, 2, MPFR_RNDN);
    mpfr_div(wavelength, wavelength, w, MPFR_RNDN);
    mpfr_set_d(low, (double)length_of(c), MPFR_RNDN);
    mpfr_set(high, low, MPFR_RNDN);
    mpfr_div_d(low, low, c->low_freq_factor, MPFR_RNDN);
    mpfr_div_d(high, high, c->high_freq_factor, MPFR_RNDN);
    if (mpfr_cmp(wavelength, low) > 0) {
        mpfr_div(w, w, f, MPFR_RNDN);
    } else if (mpfr_cmp(wavelength, high) >= 0) {
        mpfr_d_div(smooth, (double)length_of(c), wavelength, MPFR_RNDN);
        mpfr_sub_d(smooth, smooth, c->low_freq_factor, MPFR_RNDN);
        mpfr_set_d(low, c->high_freq_factor, MPFR_RNDN);
        mpfr_sub_d(low, low, c->low_freq_factor, MPFR_RNDN);
        mpfr_div(smooth, smooth, low, MPFR_RNDN);
        mpfr_mul(high, smooth, w, MPFR_RNDN);
        mpfr_ui_sub(smooth, 1, smooth, MPFR_RNDN);
        mpfr_mul(smooth, smooth, w, MPFR_RNDN);
        mpfr_div(smooth, smooth, f, MPFR_RNDN);
        mpfr_add(w, smooth, high, MPFR_RNDN);
    }
    mpfr_clears(wavelength, low, high, smooth, (mpfr_ptr)NULL);
}

static void oracle_frequency(mpfr_t w, const pe_rope_config *c, size_t i)
{
    const size_t n = rotary_of(c);
    mpfr_t base, f, y;
    mpfr_inits2(BITS, base, f, y, (mpfr_ptr)NULL);
    mpfr_set_d(base, c->rope_theta, MPFR_RNDN);
    factor_of(c, f);
    switch (c->rope_type) {
    case PE_ROPE_DYNAMIC_NTK: /* f = f L / L0 - (f - 1) */
        mpfr_sub_ui(y, f, 1, MPFR_RNDN);
        if (is_long(c)) {
            mpfr_mul_d(f, f, (double)c->sequence_length, MPFR_RNDN);
            mpfr_div_d(f, f, (double)length_of(c), MPFR_RNDN);
        }
        mpfr_sub(f, f, y, MPFR_RNDN);
        /* fall through */
    case PE_ROPE_NTK: /* base = base f^(n / (n - 2)) */
        mpfr_set_d(y, (double)n, MPFR_RNDN);
        mpfr_div_d(y, y, (double)n - 2, MPFR_RNDN);
        mpfr_pow(y, f, y, MPFR_RNDN);
        mpfr_mul(base, base, y, MPFR_RNDN);
        power(w, base, i, n);
        break;
    case PE_ROPE_NTK_FIXED:
        mpfr_mul(base, base, f, MPFR_RNDN);
        power(w, base, i, n);
        power(y, f, 1, n);
        mpfr_mul(w, w, y, MPFR_RNDN);
        break;
    case PE_ROPE_PROPORTIONAL:
        if (i < n / 2) power(w, base, i, c->head_dim);
        else mpfr_set_zero(w, 1);
        mpfr_div(w, w, f, MPFR_RNDN);
        break;
    case PE_ROPE_LINEAR:
        power(w, base, i, n);
        mpfr_div(w, w, f, MPFR_RNDN);
        break;
    case PE_ROPE_LLAMA3:
        power(w, base, i, n);
        llama3(w, c, f);
        break;
    case PE_ROPE_YARN: /* w / f (1 - mask) + w mask */
        power(w, base, i, n);
        yarn_mask(y, c, i, base);
        mpfr_div(f, w, f, MPFR_RNDN);
        mpfr_mul(w, w, y, MPFR_RNDN);
        mpfr_ui_sub(y, 1, y, MPFR_RNDN);
        mpfr_mul(f, f, y, MPFR_RNDN);
        mpfr_add(w, w, f, MPFR_RNDN);
        break;
    case PE_ROPE_LONGROPE:
        power(w, base, i, n);
        mpfr_div_d(w, w, is_long(c) ? c->long_factor[i] : c->short_factor[i], MPFR_RNDN);
        break;
    case PE_ROPE_TYPE_COUNT:
    case PE_ROPE_DEFAULT: power(w, base, i, n); break;
    }
    if (c->freq_factors != NULL) mpfr_div_d(w, w, (double)c->freq_factors[i], MPFR_RNDN);
    mpfr_clears(base, f, y, (mpfr_ptr)NULL);
}

/* Computes x = 0.1 mscale ln f + 1, or 1 if f <= 1. */
static void mscale_of(mpfr_t x, const mpfr_t f, double mscale)
{
    mpfr_set_ui(x, 1, MPFR_RNDN);
    if (mpfr_cmp_ui(f, 1) <= 0) return;
    mpfr_log(x, f, MPFR_RNDN);
    mpfr_mul_d(x, x, mscale, MPFR_RNDN);
    mpfr_div_ui(x, x, 10, MPFR_RNDN);
    mpfr_add_ui(x, x, 1, MPFR_RNDN);
}

static void oracle_attention(mpfr_t a, const pe_rope_config *c)
{
    const double mscale = is_long(c) ? c->long_mscale : c->short_mscale;
    mpfr_t f, y;
    mpfr_inits2(BITS, f, y, (mpfr_ptr)NULL);
    factor_of(c, f);
    mpfr_set_ui(a, 1, MPFR_RNDN);
    if (c->attention_factor > 0) {
        mpfr_set_d(a, c->attention_factor, MPFR_RNDN);
    } else if (c->rope_type == PE_ROPE_YARN) {
        if (c->mscale > 0 && c->mscale_all_dim > 0) {
            mscale_of(a, f, c->mscale);
            mscale_of(y, f, c->mscale_all_dim);
            mpfr_div(a, a, y, MPFR_RNDN);
        } else {
            mscale_of(a, f, 1.0);
        }
    } else if (c->rope_type == PE_ROPE_LONGROPE) {
        if (mscale > 0) {
            mpfr_set_d(a, mscale, MPFR_RNDN);
        } else if (mpfr_cmp_ui(f, 1) > 0) {
            mpfr_log(a, f, MPFR_RNDN);
            mpfr_set_d(y, (double)length_of(c), MPFR_RNDN);
            mpfr_log(y, y, MPFR_RNDN);
            mpfr_div(a, a, y, MPFR_RNDN);
            mpfr_add_ui(a, a, 1, MPFR_RNDN);
            mpfr_sqrt(a, a, MPFR_RNDN);
        }
    }
    mpfr_clears(f, y, (mpfr_ptr)NULL);
}

/* ------------------------------------------------------------------------------------------------
 * Against the oracle
 * --------------------------------------------------------------------------------------------- */

static uint64_t total_numbers, total_configs;
static double worst_ulp;

static void print_config(const pe_rope_config *c)
{
    fprintf(stderr,
            "  head_dim %zu, rotary_dim %zu, rope_theta %a, rope_type %d, factor %a, original %zu, "
            "max %zu, sequence %zu, low %a, high %a, beta_fast %a, beta_slow %a, extrapolation %a, "
            "truncate %d, mscale %a, mscale_all_dim %a\n",
            c->head_dim, c->rotary_dim, c->rope_theta, (int)c->rope_type, c->factor,
            c->original_max_position_embeddings, c->max_position_embeddings, c->sequence_length,
            c->low_freq_factor, c->high_freq_factor, c->beta_fast, c->beta_slow,
            c->extrapolation_factor, c->truncate, c->mscale, c->mscale_all_dim);
}

/* Returns whether `got` is the double nearest to `exact`. If its error is larger than worst_ulp,
   that becomes the error, in ulp of `exact`. */
static int nearest(const mpfr_t exact, double got)
{
    mpfr_t error;
    double ulp;
    total_numbers++;
    if (mpfr_zero_p(exact)) return got == 0.0 && !signbit(got);
    if (!isfinite(got)) return 0;
    mpfr_init2(error, BITS);
    mpfr_d_sub(error, got, exact, MPFR_RNDN);
    mpfr_mul_2si(error, error, 53 - (long)mpfr_get_exp(exact), MPFR_RNDN);
    ulp = fabs(mpfr_get_d(error, MPFR_RNDN));
    mpfr_clear(error);
    if (ulp > worst_ulp) worst_ulp = ulp;
    return got == mpfr_get_d(exact, MPFR_RNDN);
}

static size_t pairs_of(const pe_rope_config *c)
{
    return (c->rope_type == PE_ROPE_PROPORTIONAL ? c->head_dim : rotary_of(c)) / 2;
}

static void check(const pe_rope_config *c, const char *name, const char *test)
{
    const size_t pairs = pairs_of(c);
    double *omega = (double *)must_alloc((pairs + 1) * sizeof *omega), attention = -1;
    const char *error = pe_rope_config_error(c);
    pe_status status;
    mpfr_t exact;
    if (error != NULL) {
        print_config(c);
        fail_msg("%s is refused: %s", name, error);
    }
    mpfr_init2(exact, BITS);
    memset(omega, CANARY, (pairs + 1) * sizeof *omega);
    status = pe_rope_frequencies(c, omega, &attention);
    if (status != PE_OK) fail_msg("%s: %s", name, pe_status_string(status));
    if (!all_canaries(omega + pairs, sizeof *omega))
        fail_msg("%s: a double behind the last frequency is written", name);
    for (size_t i = 0; i < pairs; i++) {
        oracle_frequency(exact, c, i);
        if (!nearest(exact, omega[i])) {
            print_config(c);
            test_print_rerun(stderr, test);
            fail_msg("%s: pair %zu is %a, must be %a", name, i, omega[i],
                     mpfr_get_d(exact, MPFR_RNDN));
        }
    }
    oracle_attention(exact, c);
    if (!nearest(exact, attention)) {
        print_config(c);
        test_print_rerun(stderr, test);
        fail_msg("%s: the attention factor is %a, must be %a", name, attention,
                 mpfr_get_d(exact, MPFR_RNDN));
    }
    if (total_configs % 64 == 0) { /* also as a plan, whose bits test_rope_plan compares */
        const size_t bytes = pe_rope_plan_size(c);
        void *const memory = must_alloc(bytes);
        pe_plan plan;
        int in_bounds = 1;
        for (size_t i = 0; i < pairs; i++)
            in_bounds &= omega[i] == 0 || (omega[i] >= 0x1p-900 && omega[i] <= 0x1p21);
        status = pe_rope_plan_init(&plan, c, memory, bytes);
        assert_int_equal(status, in_bounds ? PE_OK : PE_ERR_FACTOR);
        assert_int_equal(plan.pairs, in_bounds ? pairs : 0);
        free(memory);
    }
    total_configs++;
    mpfr_clear(exact);
    free(omega);
}

static pe_rope_config config_with(pe_rope_type type, size_t head_dim, double theta, double factor,
                                  size_t original, size_t most)
{
    pe_rope_config c = pe_rope_config_default(head_dim);
    c.rope_type = type;
    c.rope_theta = theta;
    c.factor = factor;
    c.original_max_position_embeddings = original;
    c.max_position_embeddings = most;
    return c;
}

/* These lists are from the config.json of Phi-3.5-mini-instruct. */
static const double phi_long[48] = {
    1.0800000429153442, 1.1100000143051147, 1.1399999856948853, 1.340000033378601,
    1.5899999141693115, 1.600000023841858,  1.6200000047683716, 2.620000123977661,
    3.2300000190734863, 3.2300000190734863, 4.789999961853027,  7.400000095367432,
    7.700000286102295,  9.09000015258789,   12.199999809265137, 17.670000076293945,
    24.46000099182129,  28.57000160217285,  30.420001983642578, 30.840002059936523,
    32.590003967285156, 32.93000411987305,  42.320003509521484, 44.96000289916992,
    50.340003967285156, 50.45000457763672,  57.55000305175781,  57.93000411987305,
    58.21000289916992,  60.1400032043457,   62.61000442504883,  62.62000274658203,
    62.71000289916992,  63.1400032043457,   63.1400032043457,   63.77000427246094,
    63.93000411987305,  63.96000289916992,  63.970001220703125, 64.02999877929688,
    64.06999969482422,  64.08000183105469,  64.12000274658203,  64.41000366210938,
    64.4800033569336,   64.51000213623047,  64.52999877929688,  64.83999633789062};
static const double phi_short[48] = {1.0,
                                     1.0199999809265137,
                                     1.0299999713897705,
                                     1.0299999713897705,
                                     1.0499999523162842,
                                     1.0499999523162842,
                                     1.0499999523162842,
                                     1.0499999523162842,
                                     1.0499999523162842,
                                     1.0699999332427979,
                                     1.0999999046325684,
                                     1.1099998950958252,
                                     1.1599998474121094,
                                     1.1599998474121094,
                                     1.1699998378753662,
                                     1.2899998426437378,
                                     1.339999794960022,
                                     1.679999828338623,
                                     1.7899998426437378,
                                     1.8199998140335083,
                                     1.8499997854232788,
                                     1.8799997568130493,
                                     1.9099997282028198,
                                     1.9399996995925903,
                                     1.9899996519088745,
                                     2.0199997425079346,
                                     2.0199997425079346,
                                     2.0199997425079346,
                                     2.0199997425079346,
                                     2.0199997425079346,
                                     2.0199997425079346,
                                     2.0299997329711914,
                                     2.0299997329711914,
                                     2.0299997329711914,
                                     2.0299997329711914,
                                     2.0299997329711914,
                                     2.0299997329711914,
                                     2.0299997329711914,
                                     2.0299997329711914,
                                     2.0299997329711914,
                                     2.0799996852874756,
                                     2.0899996757507324,
                                     2.189999580383301,
                                     2.2199995517730713,
                                     2.5899994373321533,
                                     2.729999542236328,
                                     2.749999523162842,
                                     2.8399994373321533};

static pe_rope_config phi(size_t sequence_length)
{
    pe_rope_config c = config_with(PE_ROPE_LONGROPE, 96, 1e4, 0, 4096, 131072);
    c.short_factor = phi_short;
    c.long_factor = phi_long;
    c.sequence_length = sequence_length;
    return c;
}

static void models_of_llama_are_right(void **state)
{
    static const char *const test = "models_of_llama_are_right";
    pe_rope_config c;
    (void)state;
    c = pe_rope_config_default(128);
    check(&c, "Llama 2", test);
    c.rope_theta = 5e5;
    check(&c, "Llama 3", test);
    c = config_with(PE_ROPE_LLAMA3, 128, 5e5, 8, 8192, 131072);
    check(&c, "Llama 3.1", test);
    c.factor = 32;
    check(&c, "Llama 3.2 3B", test);
    c.head_dim = 64; /* all of it rotates, not half */
    check(&c, "Llama 3.2 1B", test);
    c = config_with(PE_ROPE_LLAMA3, 128, 5e5, 16, 8192, 10485760);
    check(&c, "Llama 4 Scout", test);
}

/* Tests models whose type is YARN, with each kind of mscale, betas and factor. */
static void models_with_yarn_are_right(void **state)
{
    static const char *const test = "models_with_yarn_are_right";
    pe_rope_config c;
    (void)state;
    c = config_with(PE_ROPE_YARN, 128, 1e6, 4, 32768, 131072);
    check(&c, "Qwen2.5 with YaRN", test);
    c = config_with(PE_ROPE_YARN, 64, 1e4, 40, 4096, 163840);
    c.mscale = c.mscale_all_dim = 0.707;
    check(&c, "DeepSeek V2 Lite", test);
    c.mscale = 1.0;
    check(&c, "DeepSeek, two mscales", test);
    c.mscale_all_dim = 1.0;
    check(&c, "DeepSeek V3", test);
    c = config_with(PE_ROPE_YARN, 64, 5e4, 32, 4096, 131072);
    c.mscale = c.mscale_all_dim = 1.0;
    c.beta_fast = 1.0;
    check(&c, "Kimi K2", test); /* both betas 1 */
    c = config_with(PE_ROPE_YARN, 64, 15e4, 32, 4096, 131072);
    c.truncate = 0;
    check(&c, "GPT-OSS", test);
    c = config_with(PE_ROPE_YARN, 128, 1e8, 48, 8192, 393216);
    c.mscale = c.mscale_all_dim = 1.0;
    check(&c, "Devstral Small 2", test);
    c = config_with(PE_ROPE_YARN, 128, 1e4, 16, 4096, 65536);
    check(&c, "Yarn-Llama-2-7b-64k", test);
    c.factor = 0;
    check(&c, "the same without a factor", test);
}

/* Tests models of the other types, and models that rotate only a part of each head. */
static void models_of_other_types_are_right(void **state)
{
    static const char *const test = "models_of_other_types_are_right";
    pe_rope_config c;
    (void)state;
    c = config_with(PE_ROPE_LINEAR, 256, 1e6, 8, 0, 131072);
    check(&c, "Gemma 3, global", test);
    c = pe_rope_config_default(256);
    check(&c, "Gemma 3, sliding", test);
    c = config_with(PE_ROPE_PROPORTIONAL, 512, 1e6, 0, 0, 131072);
    c.rotary_dim = 128;
    check(&c, "Gemma 4, global", test);
    c = phi(0);
    check(&c, "Phi-3.5 mini, short", test);
    c.sequence_length = 4096;
    check(&c, "Phi-3.5 mini, short to the end", test);
    c.sequence_length = 4097;
    check(&c, "Phi-3.5 mini, long", test);
    c.short_mscale = c.long_mscale = 1.243163121016122;
    check(&c, "Phi-3.5 MoE's mscale", test);
    c = config_with(PE_ROPE_DYNAMIC_NTK, 128, 1e6, 2, 0, 32768);
    check(&c, "InternLM 2", test);
    c.sequence_length = 200000;
    check(&c, "InternLM 2 at 200000", test);
    c = config_with(PE_ROPE_NTK, 128, 1e4, 1000, 0, 262144);
    check(&c, "Hunyuan (alpha 1000)", test);
    c = config_with(PE_ROPE_NTK_FIXED, 64, 2e4, 8, 0, 8192);
    check(&c, "GTE base", test);
    c = pe_rope_config_default(80);
    c.rotary_dim = 32;
    check(&c, "Phi-2, partial 0.4", test);
    c = pe_rope_config_default(256);
    c.rotary_dim = 64, c.rope_theta = 1e7;
    check(&c, "Qwen3-Next, partial 0.25", test);
    c = pe_rope_config_default(256);
    c.rotary_dim = 64;
    check(&c, "GPT-J", test);
}

/* Compares YaRN's attention factors of many scaling factors with MPFR, to the last bit. An error of
   one unit in the last place of a constant of the formula changes only few factors, so many are
   needed. */
static void attention_factors_are_right(void **state)
{
    static const char *const test = "attention_factors_are_right";
    rng r = rng_for(test);
    (void)state;
    for (int i = 0; i < 300; i++) {
        pe_rope_config c = config_with(PE_ROPE_YARN, 2, 1e4, 1 + 4 * rng_unit(&r), 4096, 131072);
        if (i % 3 == 1) c.factor = exp2(1 + 19 * rng_unit(&r));
        if (i % 3 == 2)
            c.mscale = 8 * rng_unit(&r) + 0.125, c.mscale_all_dim = rng_unit(&r) + 0.125;
        check(&c, "YaRN", test);
    }
}

/* Checks attention factors of configs without a factor, where f is the quotient of two lengths. If
   f is next to 1, its logarithm is small and its absolute error is not, and a large mscale
   multiplies this error. The first config is one whose attention factor was one unit in the last
   place too large. */
static void attention_factors_of_close_lengths(void **state)
{
    static const char *const test = "attention_factors_of_close_lengths";
    rng r = rng_for(test);
    (void)state;
    for (int i = sizeof(size_t) < 8; i < 600; i++) {
        const double unit = rng_unit(&r);
        pe_rope_config c = config_with(PE_ROPE_YARN, 2, 1e4, 0, 4096, 131072);
        c.original_max_position_embeddings =
            (size_t)(i == 0 ? 3036454645497081.0
                            : ldexp(1 + unit, 20 + i % (sizeof(size_t) < 8 ? 11 : 32)));
        c.max_position_embeddings = c.original_max_position_embeddings + 1 + (size_t)(i % 3);
        c.mscale = i == 0 ? exp2(62) : exp2(40 + i % 5 * 20);
        c.mscale_all_dim = i % 7 == 6 ? exp2(60) : 1.0;
        check(&c, "YaRN of close lengths", test);
    }
}

/* Tests frequencies next to the midpoint of two doubles and at it. The product of f, a frequency
   factor and such a midpoint is 2^126 - 1. The frequency at a midpoint is (1 + 2^-53) / 2. */
static void frequencies_near_ties(void **state)
{
    static const char *const test = "frequencies_near_ties";
    static const double f[] = {0x3c835c6cbcb0d, 0x605f6d44e0a7d, 0xcc40066200331, 0x1f0a19fa35ecd};
    static const float factors[] = {0x45640f, 0x45640f, 0x1f80ff, 0xbc58bb};
    pe_rope_config c = config_with(PE_ROPE_LINEAR, 2, 1e4, 1, 0, 0);
    (void)state;
    for (int k = 0; k < 4; k++) {
        c.factor = f[k], c.freq_factors = &factors[k];
        check(&c, "2^126 / (2^126 - 1)", test);
    }
    c = config_with(PE_ROPE_YARN, 4, 1e4, 2, 4096, 8192);
    c.extrapolation_factor = 0x1p-53;
    check(&c, "(1 + 2^-53) / 2", test);
    c.extrapolation_factor = 0x1.8p-52;
    check(&c, "(1 + 3 2^-53) / 2", test);
}

/* ------------------------------------------------------------------------------------------------
 * Random configs, up to the limits
 * --------------------------------------------------------------------------------------------- */

/* Returns a number whose logarithm is uniform between `low` and `high`, and sometimes 2^low or
   2^high. */
static double random_number(rng *r, double low, double high)
{
    const double x = exp2(low + (high - low) * rng_unit(r));
    switch (rng_below(r, 24)) {
    case 0: return exp2(low);
    case 1: return exp2(high);
    default: return x < exp2(low) ? exp2(low) : x > exp2(high) ? exp2(high) : x;
    }
}

enum { MOST_PAIRS = 1024 };

typedef struct random_lists {
    double short_factor[MOST_PAIRS], long_factor[MOST_PAIRS];
    float freq_factors[2 * MOST_PAIRS];
} random_lists;

static pe_rope_config random_config(rng *r, random_lists *lists)
{
    const int wild = rng_below(r, 4) == 0; /* far from any model */
    const double reach = wild ? 128 : 7;
    const size_t half = 1 + rng_below(r, rng_below(r, 16) == 0 ? MOST_PAIRS : 80);
    pe_rope_config c = pe_rope_config_default(2 * half + rng_below(r, 3) * rng_below(r, 64));
    c.rotary_dim = 2 * half;
    c.rope_type = (pe_rope_type)rng_below(r, PE_ROPE_TYPE_COUNT);
    c.rope_theta = random_number(r, wild ? 0 : 8, wild ? 128 : 30);
    c.factor = random_number(r, wild ? -128 : -1, reach);
    c.original_max_position_embeddings = (size_t)random_number(r, wild ? 0 : 9, wild ? 53 : 20);
    c.max_position_embeddings = (size_t)random_number(r, wild ? 0 : 9, wild ? 53 : 23);
    c.sequence_length = (size_t)random_number(r, 0, wild ? 53 : 24);
    c.low_freq_factor = random_number(r, wild ? -128 : -1, reach);
    c.high_freq_factor = random_number(r, wild ? -128 : 1, reach);
    if (c.high_freq_factor < c.low_freq_factor || rng_below(r, 16) == 0)
        c.high_freq_factor = c.low_freq_factor;
    c.beta_fast = random_number(r, wild ? -128 : 1, reach);
    c.beta_slow = random_number(r, wild ? -128 : -1, reach);
    if ((c.beta_slow > c.beta_fast && c.rope_theta < 2) || rng_below(r, 16) == 0)
        c.beta_slow = c.beta_fast;
    if (c.rope_theta >= 2 && rng_below(r, 8) == 0) c.beta_fast = 0;
    if (c.rope_theta >= 2 && rng_below(r, 8) == 0) c.beta_slow = 0;
    if (rng_below(r, 4) == 0)
        c.extrapolation_factor = rng_below(r, 4) == 0 ? 0 : random_number(r, wild ? -128 : -4, 0);
    c.truncate = rng_below(r, 2) == 0 ? 0 : rng_below(r, 2) == 0 ? 1 : -5;
    if (rng_below(r, 2) == 0) c.mscale = random_number(r, wild ? -128 : -2, reach);
    if (rng_below(r, 2) == 0) c.mscale_all_dim = random_number(r, wild ? -128 : -2, reach);
    if (rng_below(r, 8) == 0) c.attention_factor = random_number(r, -128, 128);
    if (rng_below(r, 8) == 0) c.short_mscale = random_number(r, -128, 128);
    if (rng_below(r, 8) == 0) c.long_mscale = random_number(r, -128, 128);
    if (rng_below(r, 4) == 0 &&
        (c.rope_type == PE_ROPE_YARN || c.rope_type == PE_ROPE_LONGROPE ||
         c.rope_type == PE_ROPE_PROPORTIONAL || c.rope_type == PE_ROPE_DEFAULT))
        c.factor = 0;
    if (rng_below(r, 8) == 0 && c.factor > 0) c.original_max_position_embeddings = 0;
    for (size_t i = 0; i < MOST_PAIRS; i++) {
        lists->short_factor[i] = random_number(r, wild ? -128 : 0, reach);
        lists->long_factor[i] = random_number(r, wild ? -128 : 0, reach);
    }
    for (size_t i = 0; i < 2 * MOST_PAIRS; i++)
        lists->freq_factors[i] = (float)random_number(r, wild ? -126 : 0, wild ? 127 : 7);
    c.short_factor = lists->short_factor;
    c.long_factor = lists->long_factor;
    if (rng_below(r, 8) == 0) c.freq_factors = lists->freq_factors;
    /* replace what the chosen type cannot have */
    if (rotary_of(&c) < 4 && (c.rope_type == PE_ROPE_NTK || c.rope_type == PE_ROPE_DYNAMIC_NTK))
        c.rope_type = PE_ROPE_DEFAULT;
    if (c.rope_type == PE_ROPE_YARN && c.rope_theta == 1) c.rope_theta = 1 + DBL_EPSILON;
    if (c.rope_type == PE_ROPE_PROPORTIONAL) c.head_dim += c.head_dim % 2;
    if (c.rope_type == PE_ROPE_LONGROPE && length_of(&c) < 2)
        c.original_max_position_embeddings = 2;
    return c;
}

static void random_configs_are_right(void **state)
{
    static random_lists lists;
    rng r = rng_for("random_configs_are_right");
    const size_t configs = workload(1500);
    (void)state;
    for (size_t k = 0; k < configs; k++) {
        const pe_rope_config c = random_config(&r, &lists);
        char name[60];
        snprintf(name, sizeof name, "random config %zu", k);
        check(&c, name, "random_configs_are_right");
    }
}

/* ------------------------------------------------------------------------------------------------
 * Branches
 * --------------------------------------------------------------------------------------------- */

/* Checks that floor and ceil in YaRN are exact. The betas make c(beta) as near to an integer as
   doubles can, on both sides of it. In double arithmetic, floor or ceil would be wrong for about
   half of them. */
static void floors_and_ceils_are_exact(void **state)
{
    static const char *const test = "floors_and_ceils_are_exact";
    const struct {
        size_t n, length;
        double theta;
    } at[] = {
        {128, 32768, 1e6}, {64, 4096, 1e4}, {64, 4096, 15e4}, {96, 8192, 5e5}, {128, 2048, 1e4}};
    size_t wrong_in_double = 0, checked = 0;
    mpfr_t beta, x, base;
    (void)state;
    mpfr_inits2(BITS, beta, x, base, (mpfr_ptr)NULL);
    for (size_t k = 0; k < LENGTH(at); k++)
        for (size_t pair = 1; pair < at[k].n / 2; pair += every()) {
            pe_rope_config c = config_with(PE_ROPE_YARN, at[k].n, at[k].theta, 4, at[k].length, 0);
            double near;
            mpfr_set_d(base, at[k].theta, MPFR_RNDN);
            power(beta, base, pair, at[k].n); /* L0 / (2 pi) theta^(-2 pair / n) turns */
            mpfr_mul_d(beta, beta, (double)at[k].length, MPFR_RNDN);
            mpfr_const_pi(x, MPFR_RNDN);
            mpfr_mul_ui(x, x, 2, MPFR_RNDN);
            mpfr_div(beta, beta, x, MPFR_RNDN);
            near = mpfr_get_d(beta, MPFR_RNDD);
            for (int side = 0; side < 2; side++) {
                const double at_beta = side == 0 ? near : nextafter(near, HUGE_VAL);
                const double in_double =
                    (double)at[k].n *
                    log((double)at[k].length / (at_beta * 2 * 3.141592653589793)) /
                    (2 * log(at[k].theta));
                correction(x, &c, at_beta, base);
                mpfr_floor(x, x);
                wrong_in_double += floor(in_double) != mpfr_get_d(x, MPFR_RNDN);
                checked++;
                c.beta_fast = at_beta, c.beta_slow = at_beta / 4;
                check(&c, "beta_fast at an integer", test);
                c.beta_fast = at_beta * 4, c.beta_slow = at_beta;
                check(&c, "beta_slow at an integer", test);
                c.beta_fast = at_beta;
                check(&c, "both betas at an integer", test);
                c.truncate = 0;
                check(&c, "both betas at an integer, no truncation", test);
            }
        }
    mpfr_clears(beta, x, base, (mpfr_ptr)NULL);
    if (!test_this_run()->is_quick && wrong_in_double < checked / 20)
        fail_msg("only %zu of %zu cases are hard", wrong_in_double, checked);
}

/* Tests YaRN ramps that begin before pair 0, or end beyond n - 1, or both. The code limits them to
   0 ... n - 1, where n is the rotary dim. */
static void ramps_are_clamped(void **state)
{
    static const char *const test = "ramps_are_clamped";
    const struct {
        double theta, fast, slow;
        size_t length;
    } at[] = {{1e4, 32, 1, 128},
              {1e4, 32, 1, 5},
              {1e4, 1e6, 1e3, 4096},
              {100, 32, 1, 1000000},
              {100, 1e6, 1, 1000000},
              {2, 32, 1, 1000000},
              {1e4, 32, 31.999, 4096},
              {1e4, 32, 32, 4096},
              {1e4, 32, 32, 200},
              {1e4, 32, 1e-9, 4096},
              /* so near to 1 that the ramp begins beyond 2^52, or that the powers are next to 1 */
              {1 + 0x1p-52, 32, 1, 4096},
              {1 + 0x1p-40, 32, 1, 4096}};
    (void)state;
    for (size_t k = 0; k < LENGTH(at); k++)
        for (size_t n = 2; n <= 128; n += n < 16 ? 2 : 28)
            for (int truncate = 0; truncate < 2; truncate++) {
                pe_rope_config c = config_with(PE_ROPE_YARN, n, at[k].theta, 4, at[k].length, 0);
                c.beta_fast = at[k].fast, c.beta_slow = at[k].slow;
                c.truncate = truncate;
                check(&c, "a clamped ramp", test);
            }
}

/* Checks Llama 3's thresholds that are as near to a wavelength as doubles can be, on both sides of
   it. With low_freq_factor = high_freq_factor, the frequency jumps there by the whole factor, so a
   threshold on the wrong side shows. */
static void thresholds_are_exact(void **state)
{
    static const char *const test = "thresholds_are_exact";
    mpfr_t turns, y, base;
    (void)state;
    mpfr_inits2(BITS, turns, y, base, (mpfr_ptr)NULL);
    mpfr_set_d(base, 5e5, MPFR_RNDN);
    for (size_t pair = 0; pair < 64; pair += every()) {
        pe_rope_config c = config_with(PE_ROPE_LLAMA3, 128, 5e5, 8, 8192, 131072);
        double near, omega[64];
        power(turns, base, pair, 128); /* L0 / wavelength */
        mpfr_mul_d(turns, turns, 8192.0, MPFR_RNDN);
        mpfr_const_pi(y, MPFR_RNDN);
        mpfr_mul_ui(y, y, 2, MPFR_RNDN);
        mpfr_div(turns, turns, y, MPFR_RNDN);
        near = mpfr_get_d(turns, MPFR_RNDD);
        for (int side = 0; side < 2; side++) {
            const double threshold = side == 0 ? near : nextafter(near, HUGE_VAL);
            c.low_freq_factor = c.high_freq_factor = threshold;
            check(&c, "one threshold", test);
            assert_int_equal(pe_rope_frequencies(&c, omega, NULL), PE_OK);
            power(y, base, pair, 128);
            if (side == 1)
                mpfr_div_ui(y, y, 8, MPFR_RNDN); /* the wave is longer than L0 / threshold */
            assert_true(omega[pair] == mpfr_get_d(y, MPFR_RNDN));
            c.high_freq_factor = 4 * threshold;
            check(&c, "at the low threshold", test);
            c.low_freq_factor = threshold / 4, c.high_freq_factor = threshold;
            check(&c, "at the high threshold", test);
            c.low_freq_factor = nextafter(threshold, 0);
            check(&c, "two neighbours", test);
        }
    }
    mpfr_clears(turns, y, base, (mpfr_ptr)NULL);
}

/* Tests that with LongRoPE and dynamic NTK the length itself still counts as short. */
static void lengths_switch_behind_the_last_position(void **state)
{
    pe_rope_config c = phi(4096);
    double omega[64], other[64], attention, same;
    (void)state;
    assert_int_equal(pe_rope_frequencies(&c, omega, &attention), PE_OK);
    c.sequence_length = 0;
    assert_int_equal(pe_rope_frequencies(&c, other, &same), PE_OK);
    assert_memory_equal(omega, other, 48 * sizeof *omega);
    assert_true(attention == same);
    c.sequence_length = 4097;
    assert_int_equal(pe_rope_frequencies(&c, other, &same), PE_OK);
    assert_true(other[47] < omega[47] / 20 && attention == same);

    c = config_with(PE_ROPE_DYNAMIC_NTK, 128, 1e4, 4, 0, 2048);
    for (size_t length = 2047; length <= 2049; length++) {
        const pe_rope_config plain = pe_rope_config_default(128);
        c.sequence_length = length;
        assert_int_equal(pe_rope_frequencies(&c, omega, NULL), PE_OK);
        assert_int_equal(pe_rope_frequencies(&plain, other, NULL), PE_OK);
        assert_true((memcmp(omega, other, sizeof omega) == 0) == (length <= 2048));
    }
}

/* ------------------------------------------------------------------------------------------------
 * Published values
 * --------------------------------------------------------------------------------------------- */

typedef struct published {
    size_t pair;
    double value;
} published;

static void expect_published(const pe_rope_config *c, const published *values, size_t count,
                             const char *what)
{
    double omega[64];
    assert_int_equal(pe_rope_frequencies(c, omega, NULL), PE_OK);
    for (size_t k = 0; k < count; k++) {
        const double got = omega[values[k].pair];
        if (!(fabs(got - values[k].value) <= 6e-5 * values[k].value)) /* five digits are given */
            fail_msg("%s: pair %zu is %.9g, published as %.5g", what, values[k].pair, got,
                     values[k].value);
    }
}

/* Compares frequencies with five published digits from the tests of Hugging Face transformers
   (head_dim 128, rope_theta 10000, 2048 positions), and attention factors with those of model cards
   and converted files. */
static void published_values_are_met(void **state)
{
    static const published plain[] = {{1, 8.6596e-01},  {7, 3.6517e-01},  {16, 1.0000e-01},
                                      {31, 1.1548e-02}, {47, 1.1548e-03}, {63, 1.1548e-04}};
    static const published dynamic[] = {{1, 8.0931e-01},  {9, 1.4895e-01},  {20, 1.4531e-02},
                                        {31, 1.4176e-03}, {47, 4.8018e-05}, {63, 1.6265e-06}};
    static const published yarn[] = {{16, 1.0000e-01}, {17, 8.3479e-02}, {23, 2.7315e-02},
                                     {31, 5.3120e-03}, {40, 4.3007e-04}, {41, 2.7384e-04},
                                     {63, 1.1548e-05}};
    static const published llama[] = {{30, 1.3335e-02}, {31, 1.0730e-02}, {34, 3.9991e-03},
                                      {37, 1.3449e-03}, {40, 3.4539e-04}, {41, 2.7384e-04},
                                      {63, 1.1548e-05}};
    pe_rope_config c = pe_rope_config_default(128);
    double omega[64], attention;
    (void)state;
    expect_published(&c, plain, LENGTH(plain), "default");
    c = config_with(PE_ROPE_DYNAMIC_NTK, 128, 1e4, 10, 0, 2048);
    c.sequence_length = 16384;
    expect_published(&c, dynamic, LENGTH(dynamic), "dynamic");
    c = config_with(PE_ROPE_YARN, 128, 1e4, 10, 0, 2048);
    expect_published(&c, yarn, LENGTH(yarn), "yarn");
    c = config_with(PE_ROPE_LLAMA3, 128, 1e4, 10, 2048, 0);
    expect_published(&c, llama, LENGTH(llama), "llama3");

    c = phi(0); /* sqrt(1 + ln 32 / ln 4096), in every Phi-3 128k file */
    assert_int_equal(pe_rope_frequencies(&c, omega, &attention), PE_OK);
    assert_true(attention == 1.1902380714238083);
    c = config_with(PE_ROPE_YARN, 128, 1e4, 16, 4096, 65536); /* 0.1 ln 16 + 1 */
    assert_int_equal(pe_rope_frequencies(&c, omega, &attention), PE_OK);
    assert_true(attention == 1.2772588722239781);
    c = config_with(PE_ROPE_YARN, 64, 15e4, 32, 4096, 131072); /* GPT-OSS: 0.1 ln 32 + 1 */
    assert_int_equal(pe_rope_frequencies(&c, omega, &attention), PE_OK);
    assert_true(attention == 1.3465735902799727);
    c.mscale = c.mscale_all_dim = 0.707; /* DeepSeek's two mscales cancel */
    assert_int_equal(pe_rope_frequencies(&c, omega, &attention), PE_OK);
    assert_true(attention == 1.0);
}

/* ------------------------------------------------------------------------------------------------
 * In float32, as the projects compute them
 * --------------------------------------------------------------------------------------------- */

static float float_power(double theta, size_t i, size_t n)
{
    return 1.0f / powf((float)theta, (float)(2 * i) / (float)n);
}

static float float_frequency(const pe_rope_config *c, size_t i)
{
    const size_t n = rotary_of(c);
    const float f = (float)c->factor, w = float_power(c->rope_theta, i, n);
    const double length = (double)length_of(c);
    switch (c->rope_type) { /* without a default: the compiler names a type that is missing */
    case PE_ROPE_LINEAR:
    case PE_ROPE_PROPORTIONAL: return w / f; /* of heads that rotate whole */
    case PE_ROPE_LONGROPE: return w / (float)c->long_factor[i];
    case PE_ROPE_NTK_FIXED:
        return float_power(c->rope_theta * c->factor, i, n) * float_power(c->factor, 1, n);
    case PE_ROPE_NTK:
        return float_power(c->rope_theta * pow(c->factor, (double)n / (double)(n - 2)), i, n);
    case PE_ROPE_DYNAMIC_NTK:
        return float_power(
            c->rope_theta * pow(c->factor * (double)c->sequence_length / length - (c->factor - 1),
                                (double)n / (double)(n - 2)),
            i, n);
    case PE_ROPE_LLAMA3: {
        const float wavelength = 2 * 3.14159265f / w, low = (float)c->low_freq_factor;
        const float high = (float)c->high_freq_factor, old = (float)length;
        const float smooth = (old / wavelength - low) / (high - low);
        if (wavelength > old / low) return w / f;
        return wavelength < old / high ? w : (1 - smooth) * w / f + smooth * w;
    }
    case PE_ROPE_YARN: {
        const double pi = 3.141592653589793, rate = (double)n / (2 * log(c->rope_theta));
        double low = rate * log(length / (c->beta_fast * 2 * pi));
        double high = rate * log(length / (c->beta_slow * 2 * pi));
        float ramp;
        if (c->truncate) low = floor(low), high = ceil(high);
        low = low < 0 ? 0 : low;
        high = high > (double)n - 1 ? (double)n - 1 : high;
        ramp = ((float)i - (float)low) / (float)(high - low);
        ramp = ramp < 0 ? 0 : ramp > 1 ? 1 : ramp;
        return w / f * ramp + w * (1 - ramp);
    }
    case PE_ROPE_DEFAULT:
    case PE_ROPE_TYPE_COUNT: break;
    }
    return w;
}

/* Compares with the formulas in float32. An exponent up to 1 that is rounded to float is off by
   up to 2^-25. The power is then relatively off by that times ln theta, and a few roundings are
   added. */
static void float32_formulas_agree(void **state)
{
    double factors[128];
    static const double thetas[] = {1e4, 5e5, 1e6, 15e4};
    static const size_t widths[] = {64, 96, 128, 256};
    (void)state;
    for (size_t i = 0; i < LENGTH(factors); i++) factors[i] = 1 + (double)i / 8;
    for (int t = 0; t < PE_ROPE_TYPE_COUNT; t++)
        for (size_t b = 0; b < LENGTH(thetas); b++)
            for (size_t d = 0; d < LENGTH(widths); d++)
                for (int truncate = 0; truncate < 2; truncate++) {
                    pe_rope_config c =
                        config_with((pe_rope_type)t, widths[d], thetas[b], 8, 8192, 8192);
                    const double bound = (log(c.rope_theta * 128) + 8) * 0x1p-23;
                    double omega[128];
                    c.sequence_length = 100000;
                    c.truncate = truncate;
                    c.short_factor = c.long_factor = factors;
                    c.short_factor_length = c.long_factor_length = widths[d] / 2;
                    assert_int_equal(pe_rope_frequencies(&c, omega, NULL), PE_OK);
                    for (size_t i = 0; i < widths[d] / 2; i++) {
                        const double in_float = (double)float_frequency(&c, i);
                        if (!(fabs(in_float - omega[i]) <= bound * omega[i]))
                            fail_msg("type %d, theta %g, n %zu, pair %zu: %.9g, in float32 %.9g", t,
                                     thetas[b], widths[d], i, omega[i], in_float);
                    }
                }
}

/* ------------------------------------------------------------------------------------------------
 * Relations between types, to the bit
 * --------------------------------------------------------------------------------------------- */

static void same_bits(const pe_rope_config *a, const pe_rope_config *b, const char *what)
{
    double x[256], y[256], u = 0, v = 0;
    const size_t pairs = pairs_of(a);
    assert_int_equal(pairs, pairs_of(b));
    assert_int_equal(pe_rope_frequencies(a, x, &u), PE_OK);
    assert_int_equal(pe_rope_frequencies(b, y, &v), PE_OK);
    if (memcmp(x, y, pairs * sizeof *x) != 0 || u != v) fail_msg("not the same bits: %s", what);
}

static void types_agree_where_their_formulas_do(void **state)
{
    double ones[128];
    float float_ones[128], halves[128];
    (void)state;
    for (size_t i = 0; i < 128; i++) ones[i] = 1, float_ones[i] = 1, halves[i] = 0.5f;
    for (size_t n = 4; n <= 256; n += n < 20 ? 2 : 34) {
        const pe_rope_config plain = config_with(PE_ROPE_DEFAULT, n, 5e5, 0, 4096, 4096);
        pe_rope_config linear = plain, c;
        double x[128], y[128];
        linear.rope_type = PE_ROPE_LINEAR, linear.factor = 2;
        for (int type = 0; type < PE_ROPE_TYPE_COUNT; type++) {
            c = plain;
            c.rope_type = (pe_rope_type)type;
            c.factor = 1, c.short_factor = ones;
            same_bits(&plain, &c, "factor 1 and DEFAULT");
            c.freq_factors = float_ones;
            same_bits(&plain, &c, "freq_factors 1 and none");
        }
        c = linear, c.rope_type = PE_ROPE_PROPORTIONAL;
        same_bits(&linear, &c, "PROPORTIONAL over the whole head and LINEAR");
        c = linear, c.rope_type = PE_ROPE_YARN, c.extrapolation_factor = 0, c.attention_factor = 1;
        same_bits(&linear, &c, "YARN without extrapolation and LINEAR");
        c = linear, c.rope_type = PE_ROPE_LLAMA3;
        c.low_freq_factor = c.high_freq_factor = 1e9;
        same_bits(&linear, &c, "LLAMA3 with long waves alone and LINEAR");
        c.low_freq_factor = c.high_freq_factor = 1e-9;
        same_bits(&plain, &c, "LLAMA3 with short waves alone and DEFAULT");
        c = plain, c.freq_factors = halves;
        linear.factor = 0.5;
        same_bits(&linear, &c, "freq_factors and LINEAR");
        c = plain, c.head_dim += 100, c.rotary_dim = plain.head_dim;
        same_bits(&plain, &c, "a larger head");
        /* NTK interpolates the slowest pair by the factor, and the fastest not at all */
        c = plain, c.rope_type = PE_ROPE_NTK, c.factor = 8;
        assert_int_equal(pe_rope_frequencies(&c, x, NULL), PE_OK);
        assert_int_equal(pe_rope_frequencies(&plain, y, NULL), PE_OK);
        assert_true(x[0] == 1.0);
        assert_true(fabs(x[n / 2 - 1] * 8 / y[n / 2 - 1] - 1) < 1e-15);
    }
}

/* ------------------------------------------------------------------------------------------------
 * Errors, names, memory
 * --------------------------------------------------------------------------------------------- */

static size_t refusals;

static void refuse(const pe_rope_config *c, pe_status want, const char *what)
{
    static const pe_plan none;
    double omega[600], attention;
    unsigned char memory[64];
    pe_plan plan;
    const char *error = pe_rope_config_error(c);
    pe_status got;
    memset(omega, CANARY, sizeof omega);
    memset(&attention, CANARY, sizeof attention);
    got = pe_rope_frequencies(c, omega, &attention);
    if (got != want)
        fail_msg("got %d (%s), want %d: %s", (int)got, pe_status_string(got), (int)want, what);
    if (error == NULL || strlen(error) < 10) fail_msg("no reason is given: %s", what);
    if (pe_rope_plan_size(c) != 0) fail_msg("pe_rope_plan_size is not 0: %s", what);
    memset(&plan, CANARY, sizeof plan);
    memset(memory, CANARY, sizeof memory);
    got = pe_rope_plan_init(&plan, c, memory, sizeof memory);
    if (got != want || memcmp(&plan, &none, sizeof plan) != 0 ||
        !all_canaries(memory, sizeof memory))
        fail_msg("pe_rope_plan_init says %d, want %d, plan and memory %s: %s", (int)got, (int)want,
                 memcmp(&plan, &none, sizeof plan) ? "written" : "as they should be", what);
    if (!all_canaries(omega, sizeof omega) || !all_canaries(&attention, sizeof attention))
        fail_msg("written to although refused: %s", what);
    refusals++;
}

/* Returns a valid config of this type. */
static pe_rope_config good_config(pe_rope_type type)
{
    pe_rope_config c = phi(1);
    c.rope_type = type;
    c.factor = 4;
    assert_null(pe_rope_config_error(&c));
    return c;
}

/* Tells which numbers a field may have. OPTIONAL means absent if 0, NEEDED never 0, OF_LLAMA3 never
   0 if the type is LLAMA3, and UNIT from 0 to 1. */
typedef enum field_kind { OPTIONAL, NEEDED, OF_LLAMA3, UNIT } field_kind;

static void bad_numbers_are_refused(void **state)
{
    static const struct {
        size_t at;
        field_kind kind;
        const char *name;
    } fields[] = {
        {offsetof(pe_rope_config, factor), OPTIONAL, "factor"},
        {offsetof(pe_rope_config, low_freq_factor), OF_LLAMA3, "low_freq_factor"},
        {offsetof(pe_rope_config, high_freq_factor), OF_LLAMA3, "high_freq_factor"},
        {offsetof(pe_rope_config, beta_fast), OPTIONAL, "beta_fast"},
        {offsetof(pe_rope_config, beta_slow), OPTIONAL, "beta_slow"},
        {offsetof(pe_rope_config, extrapolation_factor), UNIT, "extrapolation_factor"},
        {offsetof(pe_rope_config, mscale), OPTIONAL, "mscale"},
        {offsetof(pe_rope_config, mscale_all_dim), OPTIONAL, "mscale_all_dim"},
        {offsetof(pe_rope_config, attention_factor), OPTIONAL, "attention_factor"},
        {offsetof(pe_rope_config, short_mscale), OPTIONAL, "short_mscale"},
        {offsetof(pe_rope_config, long_mscale), OPTIONAL, "long_mscale"},
        {offsetof(pe_rope_config, rope_theta), NEEDED, "rope_theta"},
    };
    const double bad[] = {-1.0,
                          -0x1p-1074,
                          (double)NAN,
                          -(double)NAN,
                          HUGE_VAL,
                          -HUGE_VAL,
                          0x1p-1074,
                          0x1.fffffffffffffp-129,
                          DBL_MAX,
                          DBL_MIN,
                          0x1.0000000000001p128};
    (void)state;
    for (int type = 0; type < PE_ROPE_TYPE_COUNT; type++)
        for (size_t k = 0; k < LENGTH(fields); k++) {
            const pe_rope_config good = good_config((pe_rope_type)type);
            for (size_t b = 0; b < LENGTH(bad); b++) {
                pe_rope_config c = good;
                memcpy((char *)&c + fields[k].at, &bad[b], sizeof bad[b]);
                refuse(&c, PE_ERR_CONFIG, fields[k].name);
                if (strstr(pe_rope_config_error(&c), fields[k].name) == NULL)
                    fail_msg("the reason does not name %s: %s", fields[k].name,
                             pe_rope_config_error(&c));
            }
            const int is_needed =
                fields[k].kind == NEEDED || (fields[k].kind == OF_LLAMA3 && type == PE_ROPE_LLAMA3);
            for (int sign = 0; sign < 2 && is_needed; sign++) {
                const double zero = sign == 0 ? 0.0 : -0.0;
                pe_rope_config c = good;
                memcpy((char *)&c + fields[k].at, &zero, sizeof zero);
                refuse(&c, PE_ERR_CONFIG, fields[k].name);
            }
        }
}

/* Tests fields that are beside their range, or in the wrong order with another field. */
static void numbers_out_of_order_are_refused(void **state)
{
    (void)state;
    for (int type = 0; type < PE_ROPE_TYPE_COUNT; type++) {
        pe_rope_config c = good_config((pe_rope_type)type);
        c.extrapolation_factor = 1 + DBL_EPSILON;
        refuse(&c, PE_ERR_CONFIG, "extrapolation_factor > 1");
        c = good_config((pe_rope_type)type);
        c.rope_theta = 1 - DBL_EPSILON / 2;
        refuse(&c, PE_ERR_CONFIG, "rope_theta < 1");
        c = good_config((pe_rope_type)type);
        c.low_freq_factor = 4 + 4 * DBL_EPSILON;
        if (type == PE_ROPE_LLAMA3) refuse(&c, PE_ERR_CONFIG, "low_freq_factor > high_freq_factor");
        c = good_config((pe_rope_type)type);
        c.beta_slow = 32 + 32 * DBL_EPSILON; /* a ramp that falls */
        assert_null(pe_rope_config_error(&c));
        c.beta_fast = c.beta_slow, c.beta_slow = 0, c.rope_theta = 2 - DBL_EPSILON;
        assert_null(pe_rope_config_error(&c));
        c.beta_slow = c.beta_fast, c.beta_fast = 0;
        if (type == PE_ROPE_YARN) refuse(&c, PE_ERR_CONFIG, "beta_slow > beta_fast");
    }
}

static void bad_sizes_are_refused(void **state)
{
    const size_t large[] = {(size_t)1 << 53,  SIZE_MAX,    SIZE_MAX / 2,
                            SIZE_MAX / 2 + 1, PTRDIFF_MAX, (size_t)PTRDIFF_MAX / 8 + 1};
    (void)state;
    for (int type = 0; type < PE_ROPE_TYPE_COUNT; type++) {
        const pe_rope_config good = good_config((pe_rope_type)type);
        pe_rope_config c;
        const size_t dims[] = {1, 3, 95, 97, 98, SIZE_MAX, SIZE_MAX - 1};
        for (size_t k = 0; k < LENGTH(dims); k++) {
            c = good;
            c.rotary_dim = dims[k];
            refuse(&c, PE_ERR_CONFIG, "rotary_dim: odd, or beyond the head");
            assert_non_null(strstr(pe_rope_config_error(&c), "rotary_dim"));
        }
        for (size_t k = 0; k < 2; k++) {
            c = good;
            c.head_dim = k;
            refuse(&c, PE_ERR_CONFIG, "head_dim too small");
            assert_memory_equal(pe_rope_config_error(&c), "head_dim ", 9);
        }
        for (size_t k = 1; k < LENGTH(large); k++) {
            c = good;
            c.head_dim = large[k];
            refuse(&c, PE_ERR_CONFIG, "head_dim beyond memory");
            c = good;
            c.head_dim = c.rotary_dim = large[k] & ~(size_t)1;
            refuse(&c, PE_ERR_CONFIG, "rotary_dim beyond memory");
            c = good;
            c.original_max_position_embeddings = large[k];
            refuse(&c, PE_ERR_CONFIG, "original_max_position_embeddings > 2^53");
            c = good;
            c.max_position_embeddings = large[k];
            refuse(&c, PE_ERR_CONFIG, "max_position_embeddings > 2^53");
            c = good;
            c.sequence_length = large[k];
            refuse(&c, PE_ERR_CONFIG, "sequence_length > 2^53");
        }
        c = good;
        c.original_max_position_embeddings = c.max_position_embeddings = large[0];
        c.sequence_length = large[0];
        assert_null(pe_rope_config_error(&c));
    }
}

static void what_a_type_needs_is_asked_for(void **state)
{
    static const int no_types[] = {-1, PE_ROPE_TYPE_COUNT, 255, INT16_MAX};
    pe_rope_config c;
    (void)state;
    for (size_t k = 0; k < LENGTH(no_types); k++) {
        c = good_config(PE_ROPE_DEFAULT);
        memcpy(&c.rope_type, &no_types[k], sizeof c.rope_type);
        refuse(&c, PE_ERR_CONFIG, "no type");
    }
    for (int type = 0; type < PE_ROPE_TYPE_COUNT; type++) {
        const int needs_factor = type == PE_ROPE_LINEAR || type == PE_ROPE_NTK ||
                                 type == PE_ROPE_NTK_FIXED || type == PE_ROPE_DYNAMIC_NTK ||
                                 type == PE_ROPE_LLAMA3;
        const int needs_length = type == PE_ROPE_DYNAMIC_NTK || type == PE_ROPE_LLAMA3 ||
                                 type == PE_ROPE_YARN || type == PE_ROPE_LONGROPE;
        const int takes_ratio = type == PE_ROPE_YARN || type == PE_ROPE_LONGROPE;
        const int is_ntk = type == PE_ROPE_NTK || type == PE_ROPE_DYNAMIC_NTK;
        c = good_config((pe_rope_type)type);
        c.factor = 0;
        if (needs_factor) refuse(&c, PE_ERR_CONFIG, "no factor");
        else assert_null(pe_rope_config_error(&c));
        c.max_position_embeddings = 0;
        if (needs_factor || takes_ratio) refuse(&c, PE_ERR_CONFIG, "neither a factor nor a ratio");
        c.attention_factor = 1; /* then LONGROPE asks for neither */
        if (type == PE_ROPE_LONGROPE) assert_null(pe_rope_config_error(&c));
        c = good_config((pe_rope_type)type);
        c.original_max_position_embeddings = c.max_position_embeddings = 0;
        if (needs_length) refuse(&c, PE_ERR_CONFIG, "no length");
        else assert_null(pe_rope_config_error(&c));
        c = good_config((pe_rope_type)type);
        c.rotary_dim = 2;
        if (is_ntk) refuse(&c, PE_ERR_CONFIG, "n - 2 = 0");
        else assert_null(pe_rope_config_error(&c));
        c = good_config((pe_rope_type)type);
        c.rope_theta = 1;
        if (type == PE_ROPE_YARN) refuse(&c, PE_ERR_CONFIG, "ln 1 = 0");
        else assert_null(pe_rope_config_error(&c));
        c = good_config((pe_rope_type)type);
        c.head_dim = 99, c.rotary_dim = 96;
        if (type == PE_ROPE_PROPORTIONAL) refuse(&c, PE_ERR_CONFIG, "half of an odd head");
        else assert_null(pe_rope_config_error(&c));
    }
    c = good_config(PE_ROPE_LONGROPE);
    c.original_max_position_embeddings = 1;
    refuse(&c, PE_ERR_CONFIG, "ln 1 = 0");
}

static void bad_lists_are_refused(void **state)
{
    const double bad[] = {0.0, -0.0, -1.0, (double)NAN, HUGE_VAL, -HUGE_VAL, 0x1p-129, 0x1p129};
    (void)state;
    for (size_t b = 0; b < LENGTH(bad); b++)
        for (size_t i = 0; i < 48; i += 47) {
            double list[48];
            float floats[48];
            pe_rope_config c = good_config(PE_ROPE_LONGROPE);
            for (size_t k = 0; k < 48; k++) list[k] = 1, floats[k] = 1;
            list[i] = bad[b], floats[i] = (float)bad[b];
            c.short_factor = list;
            refuse(&c, PE_ERR_CONFIG, "short_factor");
            c.sequence_length = 5000;
            assert_null(pe_rope_config_error(&c));
            c.long_factor = list;
            refuse(&c, PE_ERR_CONFIG, "long_factor");
            for (int type = 0; type < PE_ROPE_TYPE_COUNT; type++) {
                c = good_config((pe_rope_type)type);
                c.freq_factors = floats;
                refuse(&c, PE_ERR_CONFIG, "freq_factors");
            }
        }
}

/* Tests lists that are shorter than what the config needs, flush against a page that faults. They
   have 48 numbers, as if the rotary_dim of 96 had been forgotten. */
static void short_lists_are_not_read(void **state)
{
    static const char *const names[] = {"short_factor", "long_factor", "freq_factors",
                                        "coordinate"};
    enum { GIVEN = 48, PAIRS = 64 };
    guarded memory = guarded_make(PAIRS * sizeof(double));
    (void)state;
    FAIL_ON_FAULT();
    for (int which = 0; which < 4; which++)
        for (int type = 0; type < PE_ROPE_TYPE_COUNT; type++) {
            const size_t element = which < 2 ? sizeof(double) : which == 2 ? sizeof(float) : 1;
            const size_t lengths[] = {1, GIVEN, PAIRS - 1, PAIRS + 1, SIZE_MAX};
            pe_rope_config c = good_config((pe_rope_type)type);
            size_t *const length = which == 0   ? &c.short_factor_length
                                   : which == 1 ? &c.long_factor_length
                                   : which == 2 ? &c.freq_factors_length
                                                : &c.coordinate_length;
            double ones[PAIRS], omega[2][PAIRS];
            for (size_t i = 0; i < PAIRS; i++) ones[i] = 1;
            c.head_dim = 2 * PAIRS, c.rotary_dim = 0, c.axes = 2;
            c.sections[0] = PAIRS - 1, c.sections[1] = 1;
            if (which == 3) c.sections[0] = c.sections[1] = 0;
            c.short_factor = c.long_factor = ones;
            c.sequence_length = which == 1 ? 5000 : 0;
            for (size_t k = 0; k <= LENGTH(lengths); k++) {
                const int is_right = k == LENGTH(lengths);
                const size_t n = is_right ? PAIRS : lengths[k] < GIVEN ? lengths[k] : GIVEN;
                unsigned char *const list = memory.end - n * element;
                for (size_t i = 0; i < n; i++) {
                    if (which < 2) ((double *)(void *)list)[i] = 1;
                    if (which == 2) ((float *)(void *)list)[i] = 1;
                    if (which == 3) list[i] = i % 2;
                }
                if (which == 0) c.short_factor = (const double *)(void *)list;
                if (which == 1) c.long_factor = (const double *)(void *)list;
                if (which == 2) c.freq_factors = (const float *)(void *)list;
                if (which == 3) c.coordinate = list;
                *length = is_right ? PAIRS : lengths[k];
                fault_case("%s of type %d, length %zu", names[which], type, *length);
                if (is_right) break;
                refuse(&c, PE_ERR_CONFIG, names[which]);
                assert_memory_equal(pe_rope_config_error(&c), names[which], strlen(names[which]));
                assert_non_null(strstr(pe_rope_config_error(&c), "_length"));
                assert_int_equal(pe_rope_plan_size(&c), 0);
            }
            for (size_t k = 0; k < 2; k++) {
                *length = k ? 0 : PAIRS;
                assert_int_equal(pe_rope_frequencies(&c, omega[k], NULL), PE_OK);
            }
            assert_memory_equal(omega[0], omega[1], sizeof omega[0]);
            *length = PAIRS;
            c.freq_factors = which == 2 ? NULL : c.freq_factors;
            c.coordinate = which == 3 ? NULL : c.coordinate;
            c.short_factor = which == 0 ? NULL : c.short_factor;
            c.long_factor = which == 1 ? NULL : c.long_factor;
            refuse(&c, PE_ERR_CONFIG, "a length without a list");
        }
    guarded_free(&memory);
}

/* Checks that an error text speaks only of fields that the type has: a zero in another type's field
   means absent. */
static void errors_name_the_keys_of_the_type(void **state)
{
    (void)state;
    for (int type = 0; type < PE_ROPE_TYPE_COUNT; type++) {
        const pe_rope_config good = good_config((pe_rope_type)type);
        pe_rope_config c;
        memset(&c, 0, sizeof c);
        c.head_dim = good.head_dim, c.rope_theta = good.rope_theta, c.rope_type = good.rope_type;
        c.factor = good.factor, c.short_factor = good.short_factor;
        c.original_max_position_embeddings = good.original_max_position_embeddings;
        c.max_position_embeddings = good.max_position_embeddings;
        assert_memory_equal(pe_rope_config_error(&c), "axes ", 5);
        c.axes = 1;
        if (type == PE_ROPE_LLAMA3) {
            assert_non_null(strstr(pe_rope_config_error(&c), "low_freq_factor"));
            c.low_freq_factor = 2, c.high_freq_factor = 1;
            assert_non_null(strstr(pe_rope_config_error(&c), "high_freq_factor"));
        } else {
            assert_null(pe_rope_config_error(&c));
            c.low_freq_factor = 2, c.high_freq_factor = 1;
            assert_null(pe_rope_config_error(&c));
        }
        c = good, c.rope_theta = 1.5, c.beta_fast = 1, c.beta_slow = 2;
        if (type == PE_ROPE_YARN) assert_non_null(strstr(pe_rope_config_error(&c), "beta_fast"));
        else assert_null(pe_rope_config_error(&c));
    }
}

static void no_rotary_dim_is_the_whole_head(void **state)
{
    (void)state;
    for (int type = 0; type < PE_ROPE_TYPE_COUNT; type++) {
        double omega[2][48], factor[2];
        pe_rope_config c = good_config((pe_rope_type)type);
        c.head_dim = 2 * LENGTH(omega[0]);
        for (size_t k = 0; k < 2; k++) {
            c.rotary_dim = k ? c.head_dim : 0;
            assert_int_equal(pe_rope_frequencies(&c, omega[k], &factor[k]), PE_OK);
        }
        assert_memory_equal(omega[0], omega[1], sizeof omega[0]);
        assert_true(factor[0] == factor[1]);
        c.head_dim++, c.rotary_dim = 0;
        refuse(&c, PE_ERR_CONFIG, "an odd head");
        assert_non_null(strstr(pe_rope_config_error(&c), "rotary_dim"));
    }
}

static void defaults_are_as_told(void **state)
{
    const size_t dims[] = {0, 1, 128, SIZE_MAX};
    (void)state;
    for (size_t k = 0; k < LENGTH(dims); k++) {
        const pe_rope_config c = pe_rope_config_default(dims[k]);
        assert_true(c.head_dim == dims[k] && c.rotary_dim == 0);
        assert_true(c.rope_theta == 10000.0 && c.rope_type == PE_ROPE_DEFAULT && c.factor == 0);
        assert_true(c.original_max_position_embeddings == 0 && c.max_position_embeddings == 0);
        assert_true(c.sequence_length == 0 && c.truncate == 1 && c.extrapolation_factor == 1);
        assert_true(c.low_freq_factor == 1 && c.high_freq_factor == 4);
        assert_true(c.beta_fast == 32 && c.beta_slow == 1);
        assert_true(c.mscale == 0 && c.mscale_all_dim == 0 && c.attention_factor == 0);
        assert_true(c.short_mscale == 0 && c.long_mscale == 0);
        assert_true(c.short_factor == NULL && c.long_factor == NULL && c.freq_factors == NULL);
        assert_true(c.layout == PE_LAYOUT_HALVES && c.axes == 1 && c.offset == 0 &&
                    !c.rope_interleave);
        assert_true(c.section_order == PE_SECTIONS_BLOCKS && c.angle == PE_ANGLE_EXACT);
        assert_true(c.expected_rows == 0);
        for (size_t a = 0; a < PE_MAX_AXES; a++) assert_int_equal(c.sections[a], 0);
    }
}

static void null_is_refused(void **state)
{
    double omega[48], attention;
    pe_rope_config c = good_config(PE_ROPE_LONGROPE);
    (void)state;
    refuse(NULL, PE_ERR_NULL, "no config");
    memset(&attention, CANARY, sizeof attention);
    assert_int_equal(pe_rope_frequencies(&c, NULL, &attention), PE_ERR_NULL);
    assert_true(all_canaries(&attention, sizeof attention));
    assert_int_equal(pe_rope_frequencies(&c, omega, NULL), PE_OK);
    c.long_factor = NULL;
    assert_int_equal(pe_rope_frequencies(&c, omega, NULL), PE_OK);
    c.short_factor = NULL;
    refuse(&c, PE_ERR_CONFIG, "no short_factor");
    c = good_config(PE_ROPE_LONGROPE);
    c.sequence_length = 5000;
    c.short_factor = NULL;
    assert_int_equal(pe_rope_frequencies(&c, omega, NULL), PE_OK);
    c.long_factor = NULL;
    refuse(&c, PE_ERR_CONFIG, "no long_factor");
    c.rope_type = PE_ROPE_YARN;
    assert_int_equal(pe_rope_frequencies(&c, omega, NULL), PE_OK);
}

static void names_find_their_types(void **state)
{
    static const struct {
        const char *name;
        pe_rope_type type;
    } names[] = {{"default", PE_ROPE_DEFAULT},
                 {"none", PE_ROPE_DEFAULT},
                 {"mrope", PE_ROPE_DEFAULT},
                 {"linear", PE_ROPE_LINEAR},
                 {"dynamic", PE_ROPE_DYNAMIC_NTK},
                 {"xdrope", PE_ROPE_NTK},
                 {"deepseek_llama_scaling", PE_ROPE_YARN},
                 {"telechat3-yarn", PE_ROPE_YARN},
                 {"openpangu", PE_ROPE_DEFAULT},
                 {"ntk", PE_ROPE_NTK_FIXED},
                 {"llama3", PE_ROPE_LLAMA3},
                 {"yarn", PE_ROPE_YARN},
                 {"deepseek_yarn", PE_ROPE_YARN},
                 {"longrope", PE_ROPE_LONGROPE},
                 {"su", PE_ROPE_LONGROPE},
                 {"proportional", PE_ROPE_PROPORTIONAL}};
    static const char *const others[] = {
        "",      "y",       "yar",
        "yarnn", "YARN",    "linear ",
        "llama", "llama31", "a name that is longer than every name there is"};
    pe_rope_type type;
    (void)state;
    for (size_t k = 0; k < LENGTH(names); k++) {
        type = names[k].type == PE_ROPE_LINEAR ? PE_ROPE_DEFAULT : PE_ROPE_LINEAR;
        assert_int_equal(pe_rope_type_named(names[k].name, &type), PE_OK);
        assert_int_equal(type, names[k].type);
    }
    for (size_t k = 0; k < LENGTH(others); k++) {
        type = PE_ROPE_LLAMA3;
        assert_int_equal(pe_rope_type_named(others[k], &type), PE_ERR_NAME);
        assert_int_equal(type, PE_ROPE_LLAMA3);
    }
    assert_int_equal(pe_rope_type_named(NULL, &type), PE_ERR_NULL);
    assert_int_equal(pe_rope_type_named("yarn", NULL), PE_ERR_NULL);
}

/* Tests that nothing outside the lists, the frequencies and a plan's memory is touched. They are
   flush against pages that fault, on either side. */
static void nothing_outside_is_touched(void **state)
{
    guarded in = guarded_make(4096), floats = guarded_make(4096), out = guarded_make(4096);
    guarded room = guarded_make((size_t)1 << 18);
    (void)state;
    FAIL_ON_FAULT();
    for (size_t pairs = 1; pairs <= 40; pairs++)
        for (int end = 0; end < 2; end++)
            for (int type = 0; type < PE_ROPE_TYPE_COUNT; type++) {
                const size_t bytes = pairs * sizeof(double), float_bytes = pairs * sizeof(float);
                double *const list = (double *)(void *)(end ? in.end - bytes : in.begin);
                float *const divisors =
                    (float *)(void *)(end ? floats.end - float_bytes : floats.begin);
                double *const omega = (double *)(void *)(end ? out.end - bytes : out.begin);
                pe_rope_config c = config_with((pe_rope_type)type, 2 * pairs, 5e5, 8, 8192, 131072);
                for (size_t i = 0; i < pairs; i++) list[i] = 2, divisors[i] = 3;
                c.short_factor = list;
                c.freq_factors = divisors;
                if (type == PE_ROPE_PROPORTIONAL && pairs > 2) c.rotary_dim = 2 * (pairs - 2);
                if (pairs == 1 && (type == PE_ROPE_NTK || type == PE_ROPE_DYNAMIC_NTK)) continue;
                fault_case("%zu pairs at the %s, type %d", pairs, end ? "end" : "beginning", type);
                memset(out.begin, CANARY, (size_t)(out.end - out.begin));
                if (pe_rope_frequencies(&c, omega, NULL) != PE_OK)
                    fail_msg("refused: %s", fault_get()->what);
                if (!all_canaries(end ? out.begin : out.begin + bytes,
                                  (size_t)(out.end - out.begin) - bytes))
                    fail_msg("written outside: %s", fault_get()->what);
                const size_t size = pe_rope_plan_size(&c), whole = (size_t)(room.end - room.begin);
                pe_plan plan;
                assert_true(size > 0 && size <= whole);
                memset(room.begin, CANARY, whole);
                if (pe_rope_plan_init(&plan, &c, end ? room.end - size : room.begin, size) != PE_OK)
                    fail_msg("no plan: %s", fault_get()->what);
                if (!all_canaries(end ? room.begin : room.begin + size, whole - size))
                    fail_msg("a plan written outside: %s", fault_get()->what);
            }
    guarded_free(&room);
    guarded_free(&in);
    guarded_free(&floats);
    guarded_free(&out);
}

static void surroundings_stay(void **state)
{
    const unsigned environment = float_environment();
    const int rounding = fegetround(), marker = 4242;
    (void)state;
    errno = marker;
    for (int type = 0; type < PE_ROPE_TYPE_COUNT; type++) {
        const pe_rope_config c = good_config((pe_rope_type)type), before = c;
        double omega[48], again[48], attention, same;
        assert_int_equal(pe_rope_frequencies(&c, omega, &attention), PE_OK);
        assert_int_equal(pe_rope_frequencies(&c, again, &same), PE_OK);
        assert_memory_equal(omega, again, sizeof omega);
        assert_true(attention == same);
        assert_memory_equal(&c, &before, sizeof c);
    }
    assert_int_equal(errno, marker);
    assert_int_equal(fegetround(), rounding);
    assert_int_equal(float_environment(), environment);
    errno = 0;
}

static int report(void **state)
{
    (void)state;
    printf("checked: %" PRIu64 " numbers of %" PRIu64 " configs, worst %.6f ulp; %zu refusals\n",
           total_numbers, total_configs, worst_ulp, refusals);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_of_llama_are_right),
        cmocka_unit_test(models_with_yarn_are_right),
        cmocka_unit_test(models_of_other_types_are_right),
        cmocka_unit_test(attention_factors_are_right),
        cmocka_unit_test(attention_factors_of_close_lengths),
        cmocka_unit_test(frequencies_near_ties),
        cmocka_unit_test(random_configs_are_right),
        cmocka_unit_test(floors_and_ceils_are_exact),
        cmocka_unit_test(ramps_are_clamped),
        cmocka_unit_test(thresholds_are_exact),
        cmocka_unit_test(lengths_switch_behind_the_last_position),
        cmocka_unit_test(published_values_are_met),
        cmocka_unit_test(float32_formulas_agree),
        cmocka_unit_test(types_agree_where_their_formulas_do),
        cmocka_unit_test(bad_numbers_are_refused),
        cmocka_unit_test(numbers_out_of_order_are_refused),
        cmocka_unit_test(bad_sizes_are_refused),
        cmocka_unit_test(what_a_type_needs_is_asked_for),
        cmocka_unit_test(bad_lists_are_refused),
        cmocka_unit_test(short_lists_are_not_read),
        cmocka_unit_test(errors_name_the_keys_of_the_type),
        cmocka_unit_test(null_is_refused),
        cmocka_unit_test(no_rotary_dim_is_the_whole_head),
        cmocka_unit_test(defaults_are_as_told),
        cmocka_unit_test(names_find_their_types),
        cmocka_unit_test(nothing_outside_is_touched),
        cmocka_unit_test(surroundings_stay),
    };
    test_begin(argc, argv);
    return cmocka_run_group_tests_name("rope_frequencies", tests, NULL, report);
}
