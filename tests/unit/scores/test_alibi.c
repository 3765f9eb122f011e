/* SPDX-License-Identifier: MIT */
/*
 * Proves ALiBi. Slopes are correctly rounded for every number of heads. Each bias is the exact
 * product of slope and distance, rounded once to f32, f16 or bf16, in every mode and from any
 * position. The sums are made in place. Each call touches exactly its rows, for all strides,
 * offsets and sizes. Invalid input is refused before anything is written.
 *
 * The expected bits of slopes, and of products of any distance, come from MPFR. Other tests take
 * them from products of doubles. These are exact there, because a slope has 24 bits and a distance
 * has at most 29.
 */
#include "../types.h"

static const pe_alibi_mode modes[] = {PE_ALIBI_LINEAR, PE_ALIBI_CAUSAL, PE_ALIBI_SYMMETRIC};

/* Returns the bias of a key at distance j = key - query, before it is rounded. A zero is never
   negative. */
static double bias_of(double slope, pe_alibi_mode mode, int64_t j)
{
    if (j > 0 && mode == PE_ALIBI_CAUSAL) return -HUGE_VAL;
    return slope * (double)(j > 0 && mode == PE_ALIBI_SYMMETRIC ? -j : j) + 0.0;
}

typedef struct job {
    const float *slopes;
    size_t heads;
    pe_alibi_mode mode;
    int64_t first;
    size_t queries, keys, query_stride, head_stride;
} job;

/* These are the places of a job's queries and keys. NULL means positions that start at `first`,
   or at 0 for the keys. */
static const pe_at *the_queries, *the_keys;

static pe_status run_bare(int add, type t, const job *a, void *x)
{
    const pe_at query_at = the_queries ? *the_queries : pe_from(a->first);
    const pe_at key_at = the_keys ? *the_keys : pe_from(0);
    switch (t + (add ? TYPES : 0)) {
    case F32:
        return pe_alibi_fill_f32(a->slopes, a->heads, a->mode, query_at, a->queries, key_at,
                                 a->keys, (float *)x, a->query_stride, a->head_stride);
    case F16:
        return pe_alibi_fill_f16(a->slopes, a->heads, a->mode, query_at, a->queries, key_at,
                                 a->keys, (uint16_t *)x, a->query_stride, a->head_stride);
    case BF16:
        return pe_alibi_fill_bf16(a->slopes, a->heads, a->mode, query_at, a->queries, key_at,
                                  a->keys, (uint16_t *)x, a->query_stride, a->head_stride);
    case F32 + TYPES:
        return pe_alibi_add_f32(a->slopes, a->heads, a->mode, query_at, a->queries, key_at, a->keys,
                                (float *)x, a->query_stride, a->head_stride);
    case F16 + TYPES:
        return pe_alibi_add_f16(a->slopes, a->heads, a->mode, query_at, a->queries, key_at, a->keys,
                                (uint16_t *)x, a->query_stride, a->head_stride);
    default:
        return pe_alibi_add_bf16(a->slopes, a->heads, a->mode, query_at, a->queries, key_at,
                                 a->keys, (uint16_t *)x, a->query_stride, a->head_stride);
    }
}

/* Runs the call, returns its status, and fails the test if the call changed errno or the
   floating-point environment. */
static pe_status run(int add, type t, const job *a, void *x)
{
    const int rounding = fegetround();
    const unsigned environment = float_environment();
    pe_status status;
    errno = 4242;
    status = run_bare(add, t, a, x);
    assert_int_equal(errno, 4242);
    assert_int_equal(fegetround(), rounding);
    assert_true(float_environment() == environment);
    return status;
}

static void must(pe_status status)
{
    if (status != PE_OK) fail_msg("%s", pe_status_string(status));
}

/* Returns the number of elements from the first to the last that the job writes. */
static size_t span_of(const job *a)
{
    return (a->heads - 1) * a->head_stride + (a->queries - 1) * a->query_stride + a->keys;
}

/* ------------------------------------------------------------------------------------------------
 * Slopes
 * --------------------------------------------------------------------------------------------- */

static void check_slopes(size_t heads, float max_bias)
{
    float *got = (float *)must_alloc((heads + 1) * sizeof *got);
    size_t n = 1;
    mpfr_t exponent, slope;
    mpfr_inits2(ORACLE_VALUE_BITS, exponent, slope, (mpfr_ptr)NULL);
    while (2 * n <= heads) n *= 2;
    got[heads] = 7.0f;
    must(pe_alibi_slopes_f32(heads, max_bias, got));
    assert_true(got[heads] == 7.0f);
    for (size_t h = 0; h < heads; h++) {
        const unsigned long twice = (unsigned long)(h < n ? 2 * (h + 1) : 2 * (h - n) + 1);
        float want;
        mpfr_set_flt(exponent, -max_bias, MPFR_RNDN);
        mpfr_mul_ui(exponent, exponent, twice, MPFR_RNDN);
        mpfr_div_ui(exponent, exponent, 2 * (unsigned long)n, MPFR_RNDN); /* exact so far */
        oracle_to_odd(slope, mpfr_exp2(slope, exponent, MPFR_RNDZ));
        want = mpfr_get_flt(slope, MPFR_RNDN);
        if (bits_of(got[h]) != bits_of(want))
            fail_msg("slope %zu of %zu, max_bias %a: got %a, want %a", h, heads, (double)max_bias,
                     (double)got[h], (double)want);
    }
    mpfr_clears(exponent, slope, (mpfr_ptr)NULL);
    free(got);
}

static void slopes_are_correctly_rounded(void **state)
{
    static const float biases[] = {8.0f,        1.0f,      4.0f,       16.0f,      0.0f,
                                   0.1f,        7.3f,      140.5f,     149.9f,     1000.0f,
                                   3.40282e38f, 0x1p-149f, 0x1p-20f,   127.0f,     151.0f,
                                   0.7f,        300.0f,    12345.678f, 0x1.8p-24f, 100.0f};
    static const size_t many[] = {255, 256, 257, 1000, 1023, 1024, 1025, 4096, 4097, 65535};
    (void)state;
    check_slopes(1, 0x1.e7526ep-6f); /* so near to a midpoint that 53 bits do not decide */
    for (size_t heads = 1; heads <= 130; heads++)
        for (size_t k = 0; k < LENGTH(biases); k += heads > 20 ? every() : 1)
            check_slopes(heads, biases[k]);
    for (size_t k = 0; k < LENGTH(many); k += every())
        for (size_t i = 0; i < 3; i++) check_slopes(many[k], biases[5 * i]);
}

/* Tests the slopes that the paper's code gives for 12 and for 16 heads. The first 8 of the 12 are
   those of 8 heads, each half of the one before. */
static void slopes_are_the_papers(void **state)
{
    static const double exponents[12] = {-1, -2, -3, -4, -5, -6, -7, -8, -0.5, -1.5, -2.5, -3.5};
    float slopes[12], sixteen[16];
    (void)state;
    must(pe_alibi_slopes_f32(12, 8.0f, slopes));
    must(pe_alibi_slopes_f32(16, 8.0f, sixteen));
    for (size_t h = 0; h < 12; h++) assert_true(slopes[h] == (float)exp2(exponents[h]));
    for (size_t h = 0; h < 16; h++) assert_true(sixteen[h] == (float)exp2(-0.5 * (double)(h + 1)));
}

/* ------------------------------------------------------------------------------------------------
 * Products
 * --------------------------------------------------------------------------------------------- */

static float random_slope(rng *r)
{
    const uint64_t bits = rng_next(r);
    float alibi[24];
    switch (bits % 8) {
    case 0: /* any finite float */
        return float_of((uint32_t)(bits >> 32) & ((bits >> 8) % 16 ? 0xff7fffff : 0x800fffff));
    case 1: /* f16 and bf16 overflow, or are subnormal */
        return float_of((uint32_t)(bits >> 32) & 0x807fffff) + 3.0e38f * (float)(bits >> 8 & 1);
    case 2: return float_of(((uint32_t)(bits >> 32) & 0x807fffff) | 0x33000000);
    case 3: return bits >> 63 ? 0.0f : -0.0f;
    case 4: /* few bits, so that products are ties */
        return (float)(1 + (bits >> 40 & 15)) * (bits >> 63 ? 0.001953125f : 0.25f);
    default: must(pe_alibi_slopes_f32(24, 8.0f, alibi)); return alibi[(bits >> 32) % 24];
    }
}

static void products_are_rounded_once(void **state)
{
    enum { HEADS = 2, QUERIES = 3, KEYS = 37 };
    rng r = rng_for("products_are_rounded_once");
    mpfr_t product;
    (void)state;
    mpfr_init2(product, 53);
    for (size_t n = 0; n < workload(40000); n++) {
        float slopes[HEADS];
        uint32_t out[HEADS * QUERIES * KEYS];
        const type t = (type)(n % TYPES);
        const int add = n % 7 == 0;
        const int64_t hard = hard_positions[rng_below(&r, LENGTH(hard_positions))];
        job a = {slopes, HEADS, modes[n / 3 % 3], 0, QUERIES, KEYS, KEYS, QUERIES * KEYS};
        a.first = n % 4 < 2 ? rng_position(&r) : n % 4 == 2 ? hard : -hard;
        if (a.first > POSITION_MAX - QUERIES) a.first = POSITION_MAX - QUERIES + 1;
        for (size_t h = 0; h < HEADS; h++) slopes[h] = random_slope(&r);
        memset(out, 0, sizeof out); /* zeros: the sum is the bias, rounded again to 16 bits */
        must(run(add, t, &a, out));
        for (size_t i = 0; i < HEADS * QUERIES * KEYS; i++) {
            const size_t h = i / QUERIES / KEYS, q = i / KEYS % QUERIES, k = i % KEYS;
            const int64_t j = (int64_t)k - (a.first + (int64_t)q);
            const int64_t distance = j > 0 && a.mode == PE_ALIBI_SYMMETRIC ? -j : j;
            double x;
            uint32_t want;
            mpfr_set_flt(product, slopes[h], MPFR_RNDN);
            oracle_to_odd(product, mpfr_mul_si(product, product, (long)distance, MPFR_RNDZ));
            x = mpfr_get_d(product, MPFR_RNDN) + 0.0;
            if (j > 0 && a.mode == PE_ALIBI_CAUSAL) x = -HUGE_VAL;
            if (add) { /* 0 + x is +0 where x is a zero of either sign */
                const double as_f32 = (double)((float)x + 0.0f);
                want = rounded(t, as_f32);
            } else {
                want = rounded(t, x);
            }
            if (element(t, out, i) != want)
                fail_msg("%s %s, slope %a, key - query %" PRId64 ", mode %d: got 0x%x, want 0x%x",
                         add ? "add" : "fill", type_formats[t].name, (double)slopes[h], j,
                         (int)a.mode, element(t, out, i), want);
        }
    }
    mpfr_clear(product);
}

/* Checks queries and keys at any positions: biases have the bits of MPFR's products of their
   differences. */
static void keys_anywhere(void **state)
{
    enum { HEADS = 2, QUERIES = 3, KEYS = 1100 };
    static int64_t wide[KEYS + 7];
    static int32_t narrow[KEYS + 7];
    static uint32_t out[HEADS * QUERIES * KEYS];
    rng r = rng_for("keys_anywhere");
    mpfr_t product;
    (void)state;
    mpfr_init2(product, 53);
    for (size_t n = 0; n < workload(300); n++) {
        /* The keys are near 0, near a random position, anywhere, or runs of 100 positions. */
        const int64_t middle = n % 4 == 1 ? rng_position(&r) / 2 : 5;
        const size_t keys = 1 + rng_below(&r, n % 3 ? 70 : KEYS), skip = n % 5;
        const type t = (type)(n % TYPES);
        const int add = n % 7 == 0, back = n % 11 < 4;
        const int64_t step = (int64_t)rng_below(&r, 9) - 4, from = rng_position(&r) / 4;
        float slopes[HEADS];
        for (size_t k = 0; k < keys + skip; k++) {
            wide[k] = n % 4 == 2 ? rng_position(&r) : middle + (int64_t)rng_below(&r, 5000);
            if (n % 4 == 3 && k % 100) wide[k] = wide[k - 1] + 1;
            if (wide[k] > INT32_MAX) wide[k] = INT32_MAX;
            narrow[k] = (int32_t)wide[k];
        }
        const pe_at lists[] = {pe_at_i64(wide), pe_at_i32(narrow), pe_from_by(from, step),
                               pe_at_i64(wide)};
        const pe_at which = lists[n / 2 % 4], queries = n % 6 ? pe_at_i64(wide) : pe_from_by(7, -3);
        const pe_at key_at = pe_skip(back ? pe_back(which) : which, skip);
        job a = {slopes, HEADS, modes[n / 3 % 3], 0, QUERIES, keys, keys, QUERIES * keys};
        the_queries = &queries, the_keys = &key_at;
        for (size_t h = 0; h < HEADS; h++) slopes[h] = random_slope(&r);
        if (keys < QUERIES && n % 6) a.queries = 1;
        memset(out, 0, sizeof out);
        must(run(add, t, &a, out));
        for (size_t i = 0; i < HEADS * a.queries * keys; i++) {
            const size_t h = i / keys / a.queries, q = i / keys % a.queries, k = i % keys;
            const size_t at = h * a.head_stride + q * a.query_stride + k;
            int64_t p = n / 2 % 4 == 2 ? from + (int64_t)(k + skip) * step : wide[k + skip];
            p = (back ? -p : p) - (n % 6 ? wide[q] : 7 - 3 * (int64_t)q);
            mpfr_set_flt(product, slopes[h], MPFR_RNDN);
            const int64_t signed_p = p > 0 && a.mode == PE_ALIBI_SYMMETRIC ? -p : p;
            oracle_to_odd(product, mpfr_mul_si(product, product, (long)signed_p, MPFR_RNDZ));
            double x = mpfr_get_d(product, MPFR_RNDN) + 0.0;
            if (p > 0 && a.mode == PE_ALIBI_CAUSAL) x = -HUGE_VAL;
            const uint32_t want = rounded(t, add ? (double)((float)x + 0.0f) : x);
            if (element(t, out, at) != want)
                fail_msg("%s %s, slope %a, key - query %" PRId64 ", mode %d: got 0x%x, want 0x%x",
                         add ? "add" : "fill", type_formats[t].name, (double)slopes[h], p,
                         (int)a.mode, element(t, out, at), want);
        }
    }
    the_queries = the_keys = NULL;
    mpfr_clear(product);
}

/* Tests keys that are near each other and far from the queries. The distances have more bits than a
   float, but a double holds their products with a slope exactly. */
static void lists_far_from_queries(void **state)
{
    static const int32_t keys[] = {33554433, 33554435, 33554434, 33554439, 33554440,
                                   33554441, 33554443, 33554451, 33554433};
    const float slope = 0.333333343f;
    float out[LENGTH(keys)];
    (void)state;
    for (int n = 0; n < 4; n++) {
        const pe_at at = n % 2 ? pe_back(pe_at_i32(keys)) : pe_at_i32(keys);
        const int64_t query = n / 2 * 12345;
        must(pe_alibi_fill_f32(&slope, 1, PE_ALIBI_SYMMETRIC, pe_from(query), 1, at, LENGTH(keys),
                               out, LENGTH(keys), LENGTH(keys)));
        for (size_t k = 0; k < LENGTH(keys); k++) {
            const double apart = fabs((double)(n % 2 ? -keys[k] : keys[k]) - (double)query);
            assert_true(out[k] == (float)(-(double)slope * apart));
        }
    }
}

/* Checks that real positions and points are refused, because a bias needs differences of
   integers. */
static void places_that_are_no_whole_positions(void **state)
{
    static const float f32[4] = {0, 1, 2, 3};
    static const double f64[4] = {0, 1, 2, 3};
    static const int32_t i32[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const size_t four = 4;
    static const int64_t far[4] = {0, 1, (int64_t)1 << 53, 2};
    const float slopes[1] = {1};
    const pe_at bad[] = {pe_at_f32(f32), pe_at_f64(f64), pe_grid(&four, 1),
                         pe_coords_i32(i32, 2, 2, 1), pe_back(pe_at_f32(f32))};
    float x[16];
    int32_t index[16];
    (void)state;
    memset(x, CANARY, sizeof x);
    memset(index, CANARY, sizeof index);
    for (size_t k = 0; k <= LENGTH(bad) + 1; k++)
        for (int keys = 0; keys < 2; keys++) {
            const pe_at good = pe_from(0);
            const pe_at at = k < LENGTH(bad)   ? bad[k]
                             : k > LENGTH(bad) ? pe_at_i64(far)
                                               : pe_at_i32(NULL);
            const pe_status want = k < LENGTH(bad)   ? PE_ERR_AT_KIND
                                   : k > LENGTH(bad) ? PE_ERR_RANGE
                                                     : PE_ERR_AT_NULL;
            const job a = {slopes, 1, PE_ALIBI_LINEAR, 0, 4, 4, 4, 16};
            the_queries = keys ? &good : &at, the_keys = keys ? &at : &good;
            for (int t = 0; t < TYPES; t++)
                for (int add = 0; add < 2; add++) assert_int_equal(run(add, (type)t, &a, x), want);
            assert_int_equal(pe_bias_t5_i32(32, 128, 1, *the_queries, 4, *the_keys, 4, index),
                             want);
        }
    the_queries = the_keys = NULL;
    assert_true(all_canaries(x, sizeof x) && all_canaries(index, sizeof index));
}

/* Checks products so near to a tie that rounding them first to double or float gives a wrong
   result. */
static void products_near_ties_are_rounded_once(void **state)
{
    static const struct {
        type t;
        float slope;
        int64_t distance;
    } hard[] = {{F32, 16262455.0f, 1171349369},  {F32, 16347525.0f, 1616978099},
                {F32, 10320667.0f, 2077779731},  {F32, 14142483.0f, 2135416347},
                {BF16, 11091175.0f, 1643243817}, {BF16, 12508433.0f, 1479560207},
                {BF16, 9964807.0f, 1941974857},  {BF16, 11631923.0f, 1663646213},
                {F16, 10145417.0f, 1776486329},  {F16, 9845807.0f, 1848412879},
                {F16, 15599515.0f, 1168901779},  {F16, 14254553.0f, 1285362071},
                {BF16, 12103199.0f, 141590},     {BF16, 11559281.0f, 210303},
                {BF16, 13517961.0f, 182373},     {BF16, 8681357.0f, 272104},
                {F16, 11932175.0f, 272031},      {F16, 16289135.0f, 768600},
                {F16, 11763775.0f, 967883},      {F16, 9666605.0f, 833303}};
    mpfr_t product;
    (void)state;
    mpfr_init2(product, 53);
    for (size_t k = 0; k < LENGTH(hard); k++)
        for (int sign = -1; sign < 2; sign += 2) {
            /* for f16, the slope is scaled so that the bias is in the range of f16 */
            const float slope = (float)sign * ldexpf(hard[k].slope, hard[k].t == F16 ? -45 : 0);
            const job a = {&slope, 1, PE_ALIBI_LINEAR, hard[k].distance, 1, 1, 1, 1};
            float out[1] = {0};
            uint32_t want;
            mpfr_set_flt(product, slope, MPFR_RNDN);
            oracle_to_odd(product, mpfr_mul_si(product, product, (long)-a.first, MPFR_RNDZ));
            want = rounded(hard[k].t, mpfr_get_d(product, MPFR_RNDN));
            must(run(0, hard[k].t, &a, out));
            if (element(hard[k].t, out, 0) != want)
                fail_msg("%s, slope %a, distance %" PRId64 ": got 0x%x, want 0x%x",
                         type_formats[hard[k].t].name, (double)slope, a.first,
                         element(hard[k].t, out, 0), want);
        }
    mpfr_clear(product);
}

/* ------------------------------------------------------------------------------------------------
 * Memory
 * --------------------------------------------------------------------------------------------- */

/* Makes one call that writes at `out`, over random scores. Checks each bias or sum, and that all
   other bytes have not changed. */
static void check_call(int add, type t, const job *a, unsigned char *out, const guarded *g)
{
    const size_t size = size_of(t), span = span_of(a) * size, slack = 64;
    const size_t before = (size_t)(out - g->begin) < slack ? (size_t)(out - g->begin) : slack;
    const size_t after =
        (size_t)(g->end - out) - span < slack ? (size_t)(g->end - out) - span : slack;
    unsigned char *old = (unsigned char *)must_alloc(before + span + after);
    fault_case(
        "pe_alibi_%s_%s: heads %zu, queries %zu, keys %zu, strides %zu and %zu, first %" PRId64
        ", mode %d, at %zu bytes",
        add ? "add" : "fill", type_formats[t].name, a->heads, a->queries, a->keys, a->query_stride,
        a->head_stride, a->first, (int)a->mode, (size_t)(out - g->begin));
    /* The scores before the call are multiples of 2^-10 in [-8, 8). */
    memset(out - before, CANARY, before + span + after);
    for (size_t i = 0; i < span / size; i++) {
        const double x = ((double)((i * 2654435761u) % 16384) - 8192) / 1024;
        const uint32_t bits = rounded(t, x);
        set_element(t, out, i, bits);
    }
    memcpy(old, out - before, before + span + after);
    must(run(add, t, a, out));
    for (size_t h = 0; h < a->heads; h++) {
        /* What a fill has to write depends only on key - query, so each value is computed once. */
        const size_t distances = a->queries + a->keys - 1;
        const int64_t first = -(a->first + (int64_t)a->queries - 1);
        uint32_t *filled = (uint32_t *)must_alloc(distances * sizeof *filled);
        for (size_t i = 0; i < distances; i++)
            filled[i] = rounded(t, bias_of((double)a->slopes[h], a->mode, first + (int64_t)i));
        for (size_t q = 0; q < a->queries; q++)
            for (size_t k = 0; k < a->keys; k++) {
                const size_t at = h * a->head_stride + q * a->query_stride + k;
                const int64_t j = (int64_t)k - (a->first + (int64_t)q);
                uint32_t want = filled[j - first];
                if (add) {
                    const float bias = (float)bias_of((double)a->slopes[h], a->mode, j);
                    want = rounded(t, (double)((float)value(t, old + before, at) + bias));
                }
                if (element(t, out, at) != want)
                    fail_msg("head %zu, query %zu, key %zu: got 0x%x, want 0x%x: %s", h, q, k,
                             element(t, out, at), want, fault_get()->what);
                set_element(t, old + before, at, want);
            }
        free(filled);
    }
    if (memcmp(old, out - before, before + span + after) != 0) /* all else is as it was */
        fail_msg("written outside the rows: %s", fault_get()->what);
    free(old);
}

static void check_both_sides(int add, type t, const job *a, const guarded *g)
{
    check_call(add, t, a, g->begin, g);
    check_call(add, t, a, g->end - span_of(a) * size_of(t), g);
}

static void every_shape_between_guard_pages(void **state)
{
    static const size_t pads[] = {0, 1, 7};
    float slopes[2] = {0.70710678f, -0.3f};
    guarded g = guarded_make(64 * 71 * 2 * sizeof(float));
    size_t n = 0;
    (void)state;
    FAIL_ON_FAULT();
    for (size_t keys = 1; keys <= 64; keys += every())
        for (size_t queries = 1; queries <= 64; queries += queries < 9 ? 1 : 11)
            for (int add = 0; add < 2; add++)
                for (int t = 0; t < TYPES; t++, n++) {
                    job a = {slopes, 1 + n % 2, modes[n / 2 % 3], 0, queries, keys, 0, 0};
                    a.first = (int64_t)(n % 5) * 13 - 10;
                    a.query_stride = keys + pads[n / 3 % 3];
                    a.head_stride = queries * a.query_stride + pads[n % 3];
                    if (n % 11 == 0) /* [queries, heads, keys] */
                        a.head_stride = keys + pads[n % 3], a.query_stride = 2 * a.head_stride;
                    if (span_of(&a) * size_of((type)t) <= (size_t)(g.end - g.begin))
                        check_both_sides(add, (type)t, &a, &g);
                }
    guarded_free(&g);
}

/* Tests distances that floats do not hold, in rows of 255 to 600 keys: less than one piece of 256
   keys, or one or two pieces and a remainder. */
static void far_rows_between_guard_pages(void **state)
{
    static const int64_t firsts[] = {20000000, -20000000, 16777216 - 300, POSITION_MAX - 5};
    float slopes[2] = {0.70710678f, -0.3f};
    guarded g = guarded_make(2 * 3 * 601 * sizeof(float));
    size_t n = 0;
    (void)state;
    FAIL_ON_FAULT();
    for (size_t f = 0; f < LENGTH(firsts); f++)
        for (size_t keys = 255; keys <= 600; keys += 115)
            for (size_t m = 0; m < LENGTH(modes); m++)
                for (int add = 0; add < 2; add++)
                    for (int t = 0; t < TYPES; t++, n++) {
                        job a = {slopes, 2, modes[m], firsts[f], 3, keys, 0, 0};
                        a.query_stride = keys + n % 2;
                        a.head_stride = 3 * a.query_stride;
                        check_both_sides(add, (type)t, &a, &g);
                    }
    guarded_free(&g);
}

static void every_offset(void **state)
{
    float slopes[2] = {0.013f, 0.5f};
    guarded g = guarded_make(2 * 5 * 300 * sizeof(float) + 256);
    (void)state;
    FAIL_ON_FAULT();
    for (int t = 0; t < TYPES; t++)
        for (size_t keys = 30; keys <= 260; keys += 115)
            for (int add = 0; add < 2; add++)
                for (size_t at = 0; at < 128; at += size_of((type)t)) {
                    const job a = {slopes, 2,    modes[at / 4 % 3], 100,
                                   5,      keys, keys + at % 3,     5 * 262};
                    check_call(add, (type)t, &a, g.begin + 64 + at, &g);
                }
    guarded_free(&g);
}

/* Tests more rows and keys than one tile can hold. */
static void blocks_of_many_rows(void **state)
{
    static const struct {
        size_t heads, queries, keys;
    } shapes[] = {{2, 3, 9000},  {1, 520, 3585}, {2, 5000, 3},
                  {1, 1, 20000}, {3, 515, 513},  {1, 4200, 1}};
    static const int64_t firsts[] = {0, 4000, -3, 1000000};
    float slopes[3] = {0.25f, 0.0039062f, 1.1f};
    (void)state;
    FAIL_ON_FAULT();
    for (size_t s = 0; s < LENGTH(shapes); s += every()) {
        const size_t keys = shapes[s].keys, pad = s % 2 ? 5 : 0, stride = keys + pad;
        const job base = {slopes, shapes[s].heads, PE_ALIBI_LINEAR,           0, shapes[s].queries,
                          keys,   stride,          shapes[s].queries * stride};
        guarded g = guarded_make(span_of(&base) * sizeof(float) + 4);
        for (int t = 0; t < TYPES; t++)
            for (int add = 0; add < 2; add++) {
                job a = base;
                a.mode = modes[(s + (size_t)t + (size_t)add) % 3];
                a.first = firsts[(s + (size_t)t) % LENGTH(firsts)];
                if (add == t % 2) check_call(add, (type)t, &a, g.begin + size_of((type)t), &g);
                else check_call(add, (type)t, &a, g.end - span_of(&a) * size_of((type)t), &g);
            }
        guarded_free(&g);
    }
}

static void streams(void **state)
{
    float slopes[3] = {0.25f, 0.0039062f, 1.1f};
    (void)state;
    if (STREAM_BYTES > (size_t)64 << 20) skip();
    FAIL_ON_FAULT();
    for (int t = 0; t < TYPES; t += (int)every()) {
        const size_t rows = STREAM_BYTES / (2 * 5000 * size_of((type)t)) + 1;
        const job a = {slopes, 2, modes[t % 3], 2500, rows, 5000, 5000, rows * 5000};
        guarded g = guarded_make(span_of(&a) * size_of((type)t) + 4);
        check_call(0, (type)t, &a, g.end - span_of(&a) * size_of((type)t), &g);
        check_call(0, (type)t, &a, g.begin + size_of((type)t), &g);
        guarded_free(&g);
    }
}

/* Tests a linear bias without padding: three known values, and that run() makes the same call. */
static void known_biases(void **state)
{
    float slopes[3] = {0.5f, 0.3f, 0.0f}, *got = (float *)must_alloc(3 * 40 * 50 * sizeof(float));
    float *want = (float *)must_alloc(3 * 40 * 50 * sizeof(float));
    const job a = {slopes, 3, PE_ALIBI_LINEAR, 5, 40, 50, 50, 40 * 50};
    (void)state;
    must(run(0, F32, &a, want));
    must(pe_alibi_fill_f32(slopes, 3, PE_ALIBI_LINEAR, pe_from(5), 40, pe_from(0), 50, got, 50,
                           40 * 50));
    assert_memory_equal(got, want, 3 * 40 * 50 * sizeof(float));
    assert_true(got[0] == -2.5f && got[5] == 0.0f && !signbit(got[5]) && got[6] == 0.5f);
    free(got);
    free(want);
}

/* Tests sums with infinities and NaNs. A masked score becomes -infinity, whatever it was. */
static void sums_of_infinities(void **state)
{
    const float slopes[1] = {0.5f};
    for (int t = 0; t < TYPES; t++) {
        const uint32_t infinity = t == F32 ? 0x7f800000 : type_formats[t].infinity;
        const uint32_t sign = t == F32 ? 0x80000000u : 0x8000, nan = infinity | infinity >> 1 | 1;
        uint32_t x[8], row[4];
        const job a = {slopes, 1, PE_ALIBI_CAUSAL, 3, 1, 8, 8, 8};
        const uint32_t in[8] = {infinity, infinity | sign, nan, 0, nan, infinity, 0, nan};
        for (size_t i = 0; i < 8; i++) x[i] = in[i];
        (void)state;
        for (size_t i = 0; i < 8; i++) set_element((type)t, x, i, in[i]);
        must(run(1, (type)t, &a, x));
        for (size_t i = 0; i < 4; i++) row[i] = element((type)t, x, i);
        assert_true(row[0] == infinity && row[1] == (infinity | sign));
        assert_true((row[2] & ~sign) > infinity && row[3] == 0);
        for (size_t i = 4; i < 8; i++) assert_true(element((type)t, x, i) == (infinity | sign));
        { /* also if all keys are masked, far from the query */
            job all = a;
            all.first = -POSITION_MAX / 2;
            memset(x, 0xff, sizeof x); /* NaN */
            must(run(1, (type)t, &all, x));
            for (size_t i = 0; i < 8; i++) assert_true(element((type)t, x, i) == (infinity | sign));
        }
    }
}

/* ------------------------------------------------------------------------------------------------
 * Bad input
 * --------------------------------------------------------------------------------------------- */

static void expect(int add, type t, const job *a, void *x, pe_status want)
{
    const pe_status got = run(add, t, a, x);
    if (got != want)
        fail_msg("%s %s, heads %zu, queries %zu, keys %zu, strides %zu and %zu, first %" PRId64
                 ": got \"%s\", want \"%s\"",
                 add ? "add" : "fill", type_formats[t].name, a->heads, a->queries, a->keys,
                 a->query_stride, a->head_stride, a->first, pe_status_string(got),
                 pe_status_string(want));
}

static void bad_slopes_are_refused(void **state)
{
    static const float bad[] = {NAN, HUGE_VALF, -HUGE_VALF, -1.0f, -0x1p-149f};
    float slopes[4];
    (void)state;
    memset(slopes, CANARY, sizeof slopes);
    for (size_t k = 0; k < LENGTH(bad); k++)
        assert_int_equal(pe_alibi_slopes_f32(4, bad[k], slopes), PE_ERR_SLOPE);
    assert_int_equal(pe_alibi_slopes_f32(4, 8.0f, NULL), PE_ERR_NULL);
    assert_int_equal(pe_alibi_slopes_f32(((size_t)1 << 28) + 1, 8.0f, slopes), PE_ERR_SIZE);
    assert_int_equal(pe_alibi_slopes_f32(SIZE_MAX, 8.0f, slopes), PE_ERR_SIZE);
    assert_int_equal(pe_alibi_slopes_f32(0, NAN, NULL), PE_OK);
    assert_true(all_canaries(slopes, sizeof slopes));
}

static void bad_slopes_modes_and_strides_are_refused(void **state)
{
    static const float bad[] = {NAN, HUGE_VALF, -HUGE_VALF};
    static float x[4096];
    (void)state;
    memset(x, CANARY, sizeof x);
    for (int add = 0; add < 2; add++)
        for (int t = 0; t < TYPES; t++) {
            float slopes[3] = {1, 2, 3};
            const job good = {slopes, 3, PE_ALIBI_CAUSAL, 0, 4, 5, 5, 20};
            job a = good;
            a.slopes = NULL;
            expect(add, (type)t, &a, x, PE_ERR_NULL);
            expect(add, (type)t, &good, NULL, PE_ERR_NULL);
            for (size_t k = 0; k < LENGTH(bad); k++)
                for (size_t h = 0; h < 3; h++) {
                    slopes[h] = bad[k];
                    expect(add, (type)t, &good, x, PE_ERR_SLOPE);
                    slopes[h] = 1;
                }
            a = good, a.mode = (pe_alibi_mode)3;
            expect(add, (type)t, &a, x, PE_ERR_ENUM);
            a = good, a.query_stride = 4;
            expect(add, (type)t, &a, x, PE_ERR_SHAPE);
            a = good, a.head_stride = 19;
            expect(add, (type)t, &a, x, PE_ERR_SHAPE);
            a = good, a.head_stride = 5, a.query_stride = 14;
            expect(add, (type)t, &a, x, PE_ERR_SHAPE);
            a = good, a.head_stride = 4, a.query_stride = 100;
            expect(add, (type)t, &a, x, PE_ERR_SHAPE);
            a = good, a.head_stride = 5, a.query_stride = 5;
            expect(add, (type)t, &a, x, PE_ERR_SHAPE);
        }
    assert_true(all_canaries(x, sizeof x));
}

/* Tests that queries or keys beyond -2^31 or 2^31 are refused. */
static void far_queries_and_keys_are_refused(void **state)
{
    static float x[4096];
    const size_t most = (size_t)PTRDIFF_MAX;
    (void)state;
    memset(x, CANARY, sizeof x);
    for (int add = 0; add < 2; add++)
        for (int t = 0; t < TYPES; t++) {
            static const float slopes[3] = {1, 2, 3};
            const job good = {slopes, 3, PE_ALIBI_CAUSAL, 0, 4, 5, 5, 20};
            job a;
            a = good, a.first = POSITION_MAX - 2;
            expect(add, (type)t, &a, x, PE_ERR_RANGE);
            a = good, a.first = -POSITION_MAX - 1;
            expect(add, (type)t, &a, x, PE_ERR_RANGE);
            a = good, a.first = INT64_MAX;
            expect(add, (type)t, &a, x, PE_ERR_RANGE);
            a = good, a.first = INT64_MIN;
            expect(add, (type)t, &a, x, PE_ERR_RANGE);
            if (most > 0x7fffffff) {
                a = good, a.heads = a.queries = 1, a.keys = (size_t)POSITION_MAX + 2;
                expect(add, (type)t, &a, x, PE_ERR_RANGE);
                a = good, a.heads = a.keys = 1, a.query_stride = 1;
                a.queries = (size_t)POSITION_MAX + 2;
                expect(add, (type)t, &a, x, PE_ERR_RANGE);
            }
        }
    assert_true(all_canaries(x, sizeof x));
}

/* Tests that outputs which do not fit the address space are refused. */
static void outputs_beyond_memory_are_refused(void **state)
{
    static float x[4096];
    const size_t most = (size_t)PTRDIFF_MAX;
    (void)state;
    memset(x, CANARY, sizeof x);
    for (int add = 0; add < 2; add++)
        for (int t = 0; t < TYPES; t++) {
            static const float slopes[3] = {1, 2, 3};
            const job good = {slopes, 3, PE_ALIBI_CAUSAL, 0, 4, 5, 5, 20};
            job a;
            const size_t reach = most / size_of((type)t);
            a = good, a.keys = a.query_stride = reach + 1, a.heads = a.queries = 1;
            expect(add, (type)t, &a, x, PE_ERR_SIZE);
            a = good, a.heads = 1, a.query_stride = reach / 3;
            expect(add, (type)t, &a, x, PE_ERR_SIZE);
            a = good, a.queries = 1, a.head_stride = reach / 2;
            expect(add, (type)t, &a, x, PE_ERR_SIZE);
            a = good, a.query_stride = reach / 6, a.head_stride = reach / 2 + 8;
            expect(add, (type)t, &a, x, PE_ERR_SIZE);
            a = good, a.query_stride = a.head_stride = SIZE_MAX, a.heads = 1;
            expect(add, (type)t, &a, x, PE_ERR_SIZE);
            a = good, a.heads = SIZE_MAX / 20, a.head_stride = 20;
            expect(add, (type)t, &a, x, PE_ERR_SIZE);
            a = good, a.queries = a.keys = a.heads = a.query_stride = (size_t)1 << 31,
            a.head_stride = most;
            expect(add, (type)t, &a, x, most > 0x7fffffff ? PE_ERR_SIZE : PE_ERR_SHAPE);
        }
    assert_true(all_canaries(x, sizeof x));
}

/* Tests that a call without heads, queries or keys reads no argument. */
static void no_output_is_no_error(void **state)
{
    static float x[4096];
    (void)state;
    memset(x, CANARY, sizeof x);
    for (int add = 0; add < 2; add++)
        for (int t = 0; t < TYPES; t++) {
            static const float slopes[3] = {1, 2, 3};
            const job good = {slopes, 3, PE_ALIBI_CAUSAL, 0, 4, 5, 5, 20};
            job a;
            a = good, a.heads = 0, a.slopes = NULL, a.mode = (pe_alibi_mode)9;
            expect(add, (type)t, &a, NULL, PE_OK);
            a = good, a.queries = 0, a.first = INT64_MAX;
            expect(add, (type)t, &a, NULL, PE_OK);
            a = good, a.keys = 0, a.query_stride = 0;
            expect(add, (type)t, &a, NULL, PE_OK);
        }
    assert_true(all_canaries(x, sizeof x));
}

/* Tests that NULL, too large sizes and queries beyond 2^31 are refused by direct calls of
   pe_alibi_fill_f32(), and that 0 heads are not. */
static void bad_places_are_refused(void **state)
{
    static float x[4096];
    const float slopes[1] = {1};
    (void)state;
    memset(x, CANARY, sizeof x);
    assert_int_equal(
        pe_alibi_fill_f32(NULL, 1, PE_ALIBI_LINEAR, pe_from(0), 1, pe_from(0), 1, x, 1, 1),
        PE_ERR_NULL);
    assert_int_equal(
        pe_alibi_fill_f32(slopes, 1, PE_ALIBI_LINEAR, pe_from(0), 1, pe_from(0), 1, NULL, 1, 1),
        PE_ERR_NULL);
    assert_int_equal(pe_alibi_fill_f32(slopes, 1, PE_ALIBI_LINEAR, pe_from(0), SIZE_MAX, pe_from(0),
                                       SIZE_MAX, x, SIZE_MAX, 0),
                     PE_ERR_SIZE);
    assert_int_equal(pe_alibi_fill_f32(slopes, 1, PE_ALIBI_LINEAR, pe_from(0), SIZE_MAX / 2 + 1,
                                       pe_from(0), 2, x, 2, 0),
                     PE_ERR_SIZE);
    assert_int_equal(pe_alibi_fill_f32(slopes, 1, PE_ALIBI_LINEAR, pe_from(POSITION_MAX), 2,
                                       pe_from(0), 2, x, 2, 4),
                     PE_ERR_RANGE);
    assert_int_equal(
        pe_alibi_fill_f32(NULL, 0, PE_ALIBI_LINEAR, pe_from(0), 1, pe_from(0), 1, NULL, 1, 1),
        PE_OK);
    assert_true(all_canaries(x, sizeof x));
}

/* Checks that with one query or one head the unused stride is ignored. */
static void idle_strides_do_not_matter(void **state)
{
    static const size_t idle[] = {0, 1, 4, SIZE_MAX};
    const float slopes[2] = {1, 0.5f};
    (void)state;
    for (size_t k = 0; k < LENGTH(idle); k++) {
        float x[20];
        job a = {slopes, 2, PE_ALIBI_LINEAR, 3, 1, 5, 0, 10};
        a.query_stride = idle[k];
        memset(x, CANARY, sizeof x);
        must(run(0, F32, &a, x));
        assert_true(x[0] == -3.0f && x[4] == 1.0f && x[10] == -1.5f && x[14] == 0.5f);
        assert_true(all_canaries(x + 5, 5 * sizeof *x) && all_canaries(x + 15, 5 * sizeof *x));
        a.heads = 1, a.queries = 2, a.query_stride = 10, a.head_stride = idle[k];
        memset(x, CANARY, sizeof x);
        must(run(0, F32, &a, x));
        assert_true(x[0] == -3.0f && x[4] == 1.0f && x[10] == -4.0f && x[14] == 0.0f);
        assert_true(all_canaries(x + 5, 5 * sizeof *x) && all_canaries(x + 15, 5 * sizeof *x));
    }
}

/* Checks that flushing subnormals changes nothing where no float is subnormal. */
static void flushing_subnormals_changes_nothing(void **state)
{
    static uint32_t want[4 * 60 * 70], got[4 * 60 * 70];
    float slopes[4], again[4];
    (void)state;
    if (!flush_subnormals(0)) skip();
    must(pe_alibi_slopes_f32(4, 100.0f, slopes));
    flush_subnormals(1);
    (void)pe_alibi_slopes_f32(4, 100.0f, again);
    flush_subnormals(0);
    assert_memory_equal(slopes, again, sizeof slopes);
    slopes[0] = 1e-6f; /* f16 is subnormal then */
    for (int t = 0; t < TYPES; t++)
        for (int add = 0; add < 2; add++) {
            const job a = {slopes, 4, PE_ALIBI_LINEAR, 5, 60, 70, 70, 60 * 70};
            memset(want, 0, sizeof want);
            memset(got, 0, sizeof got);
            must(run(add, (type)t, &a, want));
            flush_subnormals(1);
            (void)run_bare(add, (type)t, &a, got);
            flush_subnormals(0);
            assert_memory_equal(got, want, sizeof want);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_are_correctly_rounded),
        cmocka_unit_test(slopes_are_the_papers),
        cmocka_unit_test(products_are_rounded_once),
        cmocka_unit_test(keys_anywhere),
        cmocka_unit_test(lists_far_from_queries),
        cmocka_unit_test(places_that_are_no_whole_positions),
        cmocka_unit_test(products_near_ties_are_rounded_once),
        cmocka_unit_test(every_shape_between_guard_pages),
        cmocka_unit_test(far_rows_between_guard_pages),
        cmocka_unit_test(every_offset),
        cmocka_unit_test(blocks_of_many_rows),
        cmocka_unit_test(streams),
        cmocka_unit_test(known_biases),
        cmocka_unit_test(sums_of_infinities),
        cmocka_unit_test(bad_slopes_are_refused),
        cmocka_unit_test(bad_slopes_modes_and_strides_are_refused),
        cmocka_unit_test(far_queries_and_keys_are_refused),
        cmocka_unit_test(outputs_beyond_memory_are_refused),
        cmocka_unit_test(no_output_is_no_error),
        cmocka_unit_test(bad_places_are_refused),
        cmocka_unit_test(idle_strides_do_not_matter),
        cmocka_unit_test(flushing_subnormals_changes_nothing),
    };
    test_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
