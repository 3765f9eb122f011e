/* SPDX-License-Identifier: MIT */
/*
 * Proves the learned encoding. Rows of a table are added to f32, f16 and bf16 in place, and each
 * sum is rounded once. Gradients are added in the order of the rows. Resampled tables are within a
 * bound of the formula, computed with 320 bits. Output rows that coincide with rows of the table
 * are copies. Each call touches exactly its rows. Bad input, above all positions outside the table,
 * is refused before anything is written.
 */
#include "../types.h"

static pe_status add_bare(type t, const void *table, size_t table_rows, size_t d,
                          const int64_t *positions, size_t rows, void *x, size_t stride)
{
    const uint16_t *half = (const uint16_t *)table;
    if (t == F32)
        return pe_learned_add_f32((const float *)table, table_rows, d, pe_at_i64(positions), rows,
                                  (float *)x, stride);
    return t == F16 ? pe_learned_add_f16(half, table_rows, d, pe_at_i64(positions), rows,
                                         (uint16_t *)x, stride)
                    : pe_learned_add_bf16(half, table_rows, d, pe_at_i64(positions), rows,
                                          (uint16_t *)x, stride);
}

/* Sets errno and returns the floating-point environment, before a call that must change neither. */
static unsigned look_before(void)
{
    errno = 4242;
    return float_environment();
}
static void look_after(unsigned environment)
{
    assert_int_equal(errno, 4242);
    assert_true(float_environment() == environment);
}

static pe_status add(type t, const void *table, size_t table_rows, size_t d,
                     const int64_t *positions, size_t rows, void *x, size_t stride)
{
    const unsigned environment = look_before();
    const pe_status status = add_bare(t, table, table_rows, d, positions, rows, x, stride);
    look_after(environment);
    return status;
}

static void must(pe_status status)
{
    if (status != PE_OK) fail_msg("%s", pe_status_string(status));
}

/* Returns the bits of a random finite element: half of them are uniform bits, the others are a
   value in [-2, 2). */
static uint32_t random_bits(rng *r, type t)
{
    const uint64_t bits = rng_next(r);
    const double x = (double)(int64_t)(bits >> 40) / 4194304 - 2;
    if (bits & 1) return rounded(t, x);
    if (t == F32) return (uint32_t)(bits >> 8) & ((bits & 2) ? 0xff7fffff : 0xbfffffff);
    return (uint32_t)(bits >> 8 & 0x8000) | (uint32_t)((bits >> 24) % type_formats[t].infinity);
}

/* Returns the bits of x + y, rounded once. MPFR rounds the sum to odd first. */
static uint32_t sum_of(type t, double x, double y)
{
    static mpfr_t sum;
    static int made;
    if (!made) mpfr_init2(sum, 53);
    made = 1;
    mpfr_set_d(sum, x, MPFR_RNDN);
    oracle_to_odd(sum, mpfr_add_d(sum, sum, y, MPFR_RNDZ));
    if (mpfr_zero_p(sum)) return rounded(t, x + y); /* the sign of a zero */
    return rounded(t, mpfr_get_d(sum, MPFR_RNDN));
}

/* ------------------------------------------------------------------------------------------------
 * Adding
 * --------------------------------------------------------------------------------------------- */

/* Fills x and table with random numbers, adds random rows of the table to x, and checks each sum
   and all bytes around. */
static void check_add(rng *r, type t, size_t table_rows, size_t d, size_t rows, size_t stride,
                      unsigned char *table, unsigned char *x, const guarded *g)
{
    const size_t size = size_of(t), span = ((rows - 1) * stride + d) * size, slack = 64;
    const size_t room_before = (size_t)(x - g->begin), room_after = (size_t)(g->end - x) - span;
    const size_t before = room_before < slack ? room_before : slack;
    const size_t after = room_after < slack ? room_after : slack;
    unsigned char *want = (unsigned char *)must_alloc(before + span + after);
    unsigned char *old_table = (unsigned char *)must_alloc(table_rows * d * size);
    int64_t *positions = (int64_t *)must_alloc(rows * sizeof *positions);
    fault_case("pe_learned_add_%s: table %zu x %zu, rows %zu, stride %zu, %zu bytes behind a page",
               type_formats[t].name, table_rows, d, rows, stride, room_before);
    for (size_t i = 0; i < table_rows * d; i++) set_element(t, table, i, random_bits(r, t));
    for (size_t k = 0; k < rows; k++) positions[k] = (int64_t)rng_below(r, table_rows);
    memset(x - before, CANARY, before + span + after);
    for (size_t k = 0; k < rows; k++)
        for (size_t c = 0; c < d; c++) set_element(t, x, k * stride + c, random_bits(r, t));
    memcpy(want, x - before, before + span + after);
    memcpy(old_table, table, table_rows * d * size);
    for (size_t k = 0; k < rows; k++)
        for (size_t c = 0; c < d; c++) {
            const size_t from = (size_t)positions[k] * d + c, at = k * stride + c;
            set_element(t, want + before, at, sum_of(t, value(t, x, at), value(t, table, from)));
        }
    must(add(t, table, table_rows, d, positions, rows, x, stride));
    for (size_t k = 0; k < rows; k++)
        for (size_t c = 0; c < d; c++)
            if (element(t, x, k * stride + c) != element(t, want + before, k * stride + c))
                fail_msg("row %zu, column %zu: got 0x%x, want 0x%x: %s", k, c,
                         element(t, x, k * stride + c), element(t, want + before, k * stride + c),
                         fault_get()->what);
    if (memcmp(x - before, want, before + span + after) != 0)
        fail_msg("written outside the rows: %s", fault_get()->what);
    if (memcmp(table, old_table, table_rows * d * size) != 0)
        fail_msg("the table was written: %s", fault_get()->what);
    free(want);
    free(old_table);
    free(positions);
}

/* Tests table and rows that are flush against inaccessible pages, in front and behind. */
static void sums_between_guard_pages(void **state)
{
    static const size_t some[] = {1, 2, 3, 64};
    static const size_t pads[] = {0, 1, 7};
    guarded g = guarded_make(64 * (130 + 7) * sizeof(float));
    guarded tables = guarded_make(64 * 130 * sizeof(float));
    rng r = rng_for("sums_between_guard_pages");
    size_t n = 0;
    (void)state;
    FAIL_ON_FAULT();
    for (size_t d = 1; d <= 130; d += d < 70 ? 1 : 7)
        for (size_t k = 0; k < LENGTH(some); k += every())
            for (int t = 0; t < TYPES; t++, n++) {
                const size_t rows = some[k], stride = d + pads[n % 3], size = size_of((type)t);
                const size_t table_rows = 1 + n % 5, table_bytes = table_rows * d * size;
                const size_t span = ((rows - 1) * stride + d) * size;
                check_add(&r, (type)t, table_rows, d, rows, stride, tables.begin, g.begin, &g);
                check_add(&r, (type)t, table_rows, d, rows, stride, tables.end - table_bytes,
                          g.end - span, &g);
            }
    guarded_free(&g);
    guarded_free(&tables);
}

static void sums_at_every_offset(void **state)
{
    guarded g = guarded_make(3 * 80 * sizeof(float) + 256);
    guarded tables = guarded_make(4 * 80 * sizeof(float) + 256);
    rng r = rng_for("sums_at_every_offset");
    (void)state;
    FAIL_ON_FAULT();
    for (int t = 0; t < TYPES; t++)
        for (size_t at = 0; at < 128; at += size_of((type)t))
            check_add(&r, (type)t, 4, 67, 3, 70, tables.begin + 128 - at, g.begin + at, &g);
    guarded_free(&g);
    guarded_free(&tables);
}

/* Tests many random sums. Half of the 16-bit ones are built next to a midpoint, to show that sums
   in f32 that are then rounded to 16 bits are right. */
static void sums_are_rounded_once(void **state)
{
    enum { D = 1 << 14 };
    static uint32_t table[D], x[D], before[D];
    const int64_t zero[1] = {0};
    rng r = rng_for("sums_are_rounded_once");
    (void)state;
    for (size_t n = 0; n < workload(96); n++) {
        const type t = (type)(n % TYPES);
        for (size_t c = 0; c < D; c++) {
            uint32_t a = random_bits(&r, t), b = random_bits(&r, t);
            /* b becomes half a unit in the last place of a, or a little more */
            if (t != F32 && rng_below(&r, 2)) {
                const int fraction = type_formats[t].fraction_bits;
                const uint32_t step = (uint32_t)(fraction + 1) << fraction;
                if ((a & 0x7fff) > step)
                    b = (b & 0x8003) | ((((a & 0x7fff) >> fraction) << fraction) - step);
            }
            set_element(t, x, c, a);
            set_element(t, table, c, b);
        }
        memcpy(before, x, sizeof x);
        must(add(t, table, 1, D, zero, 1, x, D));
        for (size_t c = 0; c < D; c++) {
            const uint32_t want = sum_of(t, value(t, before, c), value(t, table, c));
            if (element(t, x, c) != want)
                fail_msg("%s: 0x%x + 0x%x: got 0x%x, want 0x%x", type_formats[t].name,
                         element(t, before, c), element(t, table, c), element(t, x, c), want);
        }
    }
}

/* Tests that the order of the rows does not matter: if positions are permuted, the sums are
   permuted in the same way. */
static void permutations_permute(void **state)
{
    enum { ROWS = 97, D = 45 };
    static float table[ROWS * D], x[ROWS * D], y[ROWS * D];
    int64_t positions[ROWS], count[ROWS];
    rng r = rng_for("permutations_permute");
    (void)state;
    for (size_t i = 0; i < ROWS * D; i++) table[i] = float_of(random_bits(&r, F32));
    count_up(positions, 0, ROWS);
    count_up(count, 0, ROWS);
    for (size_t i = ROWS - 1; i > 0; i--) {
        const size_t k = rng_below(&r, i + 1);
        const int64_t kept = positions[i];
        positions[i] = positions[k];
        positions[k] = kept;
    }
    must(pe_learned_add_f32(table, ROWS, D, pe_at_i64(positions), ROWS, x, D));
    must(pe_learned_add_f32(table, ROWS, D, pe_at_i64(count), ROWS, y, D));
    for (size_t i = 0; i < ROWS; i++)
        for (size_t c = 0; c < D; c++) assert_true(x[i * D + c] == y[(size_t)positions[i] * D + c]);
}

/* ------------------------------------------------------------------------------------------------
 * Gradients
 * --------------------------------------------------------------------------------------------- */

static void check_grad(rng *r, size_t table_rows, size_t d, size_t rows, size_t stride,
                       const guarded *g, int at_end)
{
    const size_t bytes = table_rows * d * sizeof(float);
    float *grad = (float *)(void *)(at_end ? g->end - bytes : g->begin);
    float *x = (float *)must_alloc(rows * stride * sizeof *x);
    float *want = (float *)must_alloc(bytes);
    int64_t *positions = (int64_t *)must_alloc(rows * sizeof *positions);
    unsigned environment;
    fault_case("pe_learned_grad_f32: table %zu x %zu, rows %zu, stride %zu", table_rows, d, rows,
               stride);
    for (size_t i = 0; i < table_rows * d; i++) /* what is there is added to */
        want[i] = grad[i] = (float)(rng_unit(r) * 3);
    for (size_t i = 0; i < rows * stride; i++)
        x[i] = (float)ldexp(rng_unit(r) - 0.5, (int)rng_below(r, 30)); /* the order matters */
    for (size_t k = 0; k < rows; k++) positions[k] = (int64_t)rng_below(r, table_rows);
    for (size_t k = 0; k < rows; k++)
        for (size_t c = 0; c < d; c++) want[(size_t)positions[k] * d + c] += x[k * stride + c];
    environment = look_before();
    must(pe_learned_grad_f32(grad, table_rows, d, pe_at_i64(positions), rows, x, stride));
    look_after(environment);
    if (memcmp(grad, want, bytes) != 0)
        fail_msg("not the sums in the order of the rows: %s", fault_get()->what);
    free(x);
    free(want);
    free(positions);
}

static void gradients_are_added_in_order(void **state)
{
    guarded g = guarded_make(20 * 130 * sizeof(float));
    rng r = rng_for("gradients_are_added_in_order");
    (void)state;
    FAIL_ON_FAULT();
    for (size_t d = 1; d <= 130; d += d < 70 ? 1 : 7)
        for (size_t n = 0; n < 4; n++)
            check_grad(&r, 1 + rng_below(&r, 20), d, 1 + rng_below(&r, 200), d + rng_below(&r, 3),
                       &g, n % 2 == 0);
    guarded_free(&g);
}

/* ------------------------------------------------------------------------------------------------
 * Resampling
 * --------------------------------------------------------------------------------------------- */

static pe_resample how_of(pe_resample_method method, double a, int align_corners)
{
    pe_resample how;
    memset(&how, 0, sizeof how);
    how.method = method;
    how.a = a;
    how.align_corners = align_corners;
    return how;
}

static const double slopes[] = {-0.75, -0.5, -1.0, 0.1, 0.0, 16.0};

/* Computes the weight at distance x, from Keys' piecewise polynomial or from a hat function. */
static void kernel(mpfr_t weight, const pe_resample *how, mpfr_t x)
{
    mpfr_t size, a;
    mpfr_inits2(ORACLE_ANGLE_BITS, size, a, (mpfr_ptr)NULL);
    mpfr_abs(size, x, MPFR_RNDN);
    mpfr_set_d(a, how->a, MPFR_RNDN);
    if (how->method == PE_RESAMPLE_LINEAR) {
        mpfr_ui_sub(weight, 1, size, MPFR_RNDN);
        if (mpfr_sgn(weight) < 0) mpfr_set_ui(weight, 0, MPFR_RNDN);
    } else if (mpfr_cmp_ui(size, 1) <= 0) { /* (a+2) x^3 - (a+3) x^2 + 1 */
        mpfr_add_ui(weight, a, 2, MPFR_RNDN);
        mpfr_mul(weight, weight, size, MPFR_RNDN);
        mpfr_add_ui(a, a, 3, MPFR_RNDN);
        mpfr_sub(weight, weight, a, MPFR_RNDN);
        mpfr_mul(weight, weight, size, MPFR_RNDN);
        mpfr_mul(weight, weight, size, MPFR_RNDN);
        mpfr_add_ui(weight, weight, 1, MPFR_RNDN);
    } else if (mpfr_cmp_ui(size, 2) < 0) { /* a (x^3 - 5 x^2 + 8 x - 4) */
        mpfr_sub_ui(weight, size, 5, MPFR_RNDN);
        mpfr_mul(weight, weight, size, MPFR_RNDN);
        mpfr_add_ui(weight, weight, 8, MPFR_RNDN);
        mpfr_mul(weight, weight, size, MPFR_RNDN);
        mpfr_sub_ui(weight, weight, 4, MPFR_RNDN);
        mpfr_mul(weight, weight, a, MPFR_RNDN);
    } else {
        mpfr_set_ui(weight, 0, MPFR_RNDN);
    }
    mpfr_clears(size, a, (mpfr_ptr)NULL);
}

/* Computes s, the position of output row i among the input rows. */
static void source(mpfr_t s, const pe_resample *how, size_t i, size_t rows, size_t out_rows)
{
    if (how->align_corners && out_rows == 1) {
        mpfr_set_ui(s, 0, MPFR_RNDN);
    } else if (how->align_corners) {
        mpfr_set_ui(s, (unsigned long)i, MPFR_RNDN);
        mpfr_mul_ui(s, s, (unsigned long)rows - 1, MPFR_RNDN);
        mpfr_div_ui(s, s, (unsigned long)out_rows - 1, MPFR_RNDN);
    } else {
        mpfr_set_d(s, (double)i + 0.5, MPFR_RNDN);
        mpfr_mul_ui(s, s, (unsigned long)rows, MPFR_RNDN);
        mpfr_div_ui(s, s, (unsigned long)out_rows, MPFR_RNDN);
        mpfr_sub_d(s, s, 0.5, MPFR_RNDN);
    }
}

/* Returns all weights of an axis: weight[i * rows + n] is that of row n in output row i. The
   weights of rows beyond an end are added to that of the row at the end. */
static mpfr_t *weights_of(const pe_resample *how, size_t rows, size_t out_rows)
{
    mpfr_t *weight = (mpfr_t *)must_alloc(rows * out_rows * sizeof *weight);
    mpfr_t s, x, w;
    mpfr_inits2(ORACLE_ANGLE_BITS, s, x, w, (mpfr_ptr)NULL);
    for (size_t i = 0; i < rows * out_rows; i++) {
        mpfr_init2(weight[i], ORACLE_ANGLE_BITS);
        mpfr_set_ui(weight[i], 0, MPFR_RNDN);
    }
    for (size_t i = 0; i < out_rows; i++) {
        source(s, how, i, rows, out_rows);
        for (long n = -3; n < (long)rows + 3; n++) {
            const size_t to = n < 0 ? 0 : n < (long)rows ? (size_t)n : rows - 1;
            mpfr_sub_si(x, s, n, MPFR_RNDN);
            kernel(w, how, x);
            mpfr_add(weight[i * rows + to], weight[i * rows + to], w, MPFR_RNDN);
        }
    }
    mpfr_clears(s, x, w, (mpfr_ptr)NULL);
    return weight;
}

static void weights_free(mpfr_t *weight, size_t n)
{
    for (size_t i = 0; i < n; i++) mpfr_clear(weight[i]);
    free(weight);
}

/* Checks that the error is at most half a unit in the last place plus 2^-49 times `sizes`, the sum
   of the magnitudes of the terms. */
static void check_sum(const mpfr_t exact, const mpfr_t sizes, float got)
{
    mpfr_t error, bound;
    int exponent;
    mpfr_inits2(ORACLE_ANGLE_BITS, error, bound, (mpfr_ptr)NULL);
    assert_true(isfinite(got));
    mpfr_sub_d(error, exact, (double)got, MPFR_RNDN);
    mpfr_abs(error, error, MPFR_RNDN);
    (void)frexpf(got, &exponent);
    mpfr_mul_d(bound, sizes, 0x1p-49, MPFR_RNDN);
    mpfr_add_d(bound, bound, ldexp(1.0, (exponent > -125 ? exponent : -125) - 25), MPFR_RNDN);
    if (mpfr_cmp(error, bound) > 0)
        fail_msg("resampled: got %a, want %a: %s", (double)got, mpfr_get_d(exact, MPFR_RNDN),
                 fault_get()->what);
    mpfr_clears(error, bound, (mpfr_ptr)NULL);
}

/* Compares one call with MPFR. Table and output are at the ends of their pages. */
static void check_resample(rng *r, size_t height, size_t width, size_t d, const pe_resample *how,
                           size_t out_height, size_t out_width, const guarded *from,
                           const guarded *to)
{
    const size_t in_bytes = height * width * d * sizeof(float);
    const size_t out_bytes = out_height * out_width * d * sizeof(float);
    float *table = (float *)(void *)(from->end - in_bytes);
    float *out = (float *)(void *)(to->end - out_bytes);
    mpfr_t *down = weights_of(how, height, out_height), *across = weights_of(how, width, out_width);
    mpfr_t exact, sizes, term;
    unsigned environment;
    mpfr_inits2(ORACLE_ANGLE_BITS, exact, sizes, term, (mpfr_ptr)NULL);
    fault_case("%zu x %zu x %zu to %zu x %zu, method %d, a %g, align_corners %d", height, width, d,
               out_height, out_width, (int)how->method, how->a, how->align_corners);
    memset(from->begin, CANARY, (size_t)(from->end - from->begin) - in_bytes);
    memset(to->begin, CANARY, (size_t)(to->end - to->begin));
    for (size_t i = 0; i < height * width * d; i++)
        table[i] = (float)ldexp(rng_unit(r) - 0.5, (int)rng_below(r, 8));
    environment = look_before();
    must(pe_learned_resample_f32(table, height, width, d, how, out, out_height, out_width));
    look_after(environment);
    if (!all_canaries(to->begin, (size_t)(to->end - to->begin) - out_bytes))
        fail_msg("written before the output: %s", fault_get()->what);
    for (size_t cell = 0; cell < out_height * out_width; cell++)
        for (size_t c = 0; c < d; c += 1 + d / 4) {
            mpfr_set_ui(exact, 0, MPFR_RNDN);
            mpfr_set_ui(sizes, 0, MPFR_RNDN);
            for (size_t y = 0; y < height; y++)
                for (size_t x = 0; x < width; x++) {
                    mpfr_mul(term, down[cell / out_width * height + y],
                             across[cell % out_width * width + x], MPFR_RNDN);
                    mpfr_mul_d(term, term, (double)table[(y * width + x) * d + c], MPFR_RNDN);
                    mpfr_add(exact, exact, term, MPFR_RNDN);
                    mpfr_abs(term, term, MPFR_RNDN);
                    mpfr_add(sizes, sizes, term, MPFR_RNDN);
                }
            check_sum(exact, sizes, out[cell * d + c]);
        }
    mpfr_clears(exact, sizes, term, (mpfr_ptr)NULL);
    weights_free(down, height * out_height);
    weights_free(across, width * out_width);
}

static void one_axis_is_resampled(void **state)
{
    static const size_t lengths[] = {1, 2, 3, 4, 5, 7, 16, 23, 50};
    guarded from = guarded_make(50 * 64 * sizeof(float)),
            to = guarded_make(50 * 64 * sizeof(float));
    rng r = rng_for("one_axis_is_resampled");
    size_t n = 0;
    (void)state;
    FAIL_ON_FAULT();
    for (size_t i = 0; i < LENGTH(lengths); i += every())
        for (size_t k = 0; k < LENGTH(lengths); k++)
            for (int align = 0; align < 2; align++)
                for (int method = 0; method < 2; method++, n++) {
                    const pe_resample how =
                        how_of((pe_resample_method)method, slopes[n / 2 % LENGTH(slopes)], align);
                    check_resample(&r, lengths[i], 1, 1 + n % 64, &how, lengths[k], 1, &from, &to);
                    check_resample(&r, 1, lengths[i], 1 + n % 3, &how, 1, lengths[k], &from, &to);
                }
    guarded_free(&from);
    guarded_free(&to);
}

static void two_axes_are_resampled(void **state)
{
    static const size_t sizes[][4] = {{1, 1, 3, 4},  {2, 3, 5, 4},  {7, 5, 3, 9}, {4, 4, 4, 4},
                                      {6, 1, 1, 6},  {5, 8, 1, 1},  {3, 9, 9, 3}, {8, 2, 2, 8},
                                      {1, 11, 4, 5}, {7, 7, 11, 11}};
    guarded from = guarded_make(121 * 32 * sizeof(float)),
            to = guarded_make(121 * 32 * sizeof(float));
    rng r = rng_for("two_axes_are_resampled");
    size_t n = 0;
    (void)state;
    FAIL_ON_FAULT();
    for (size_t k = 0; k < LENGTH(sizes); k += every())
        for (int align = 0; align < 2; align++)
            for (int method = 0; method < 2; method++, n++) {
                const pe_resample how =
                    how_of((pe_resample_method)method, slopes[n / 2 % LENGTH(slopes)], align);
                check_resample(&r, sizes[k][0], sizes[k][1], 1 + 5 * n % 32, &how, sizes[k][2],
                               sizes[k][3], &from, &to);
            }
    guarded_free(&from);
    guarded_free(&to);
}

/* Tests that output rows that coincide with rows are copies of these, whatever is next to them. */
static void whole_numbers_are_copied(void **state)
{
    enum { ROWS = 6, D = 13 };
    float table[ROWS * D], out[(5 * (ROWS - 1) + 1) * D];
    rng r = rng_for("whole_numbers_are_copied");
    (void)state;
    for (size_t i = 0; i < ROWS * D; i++) table[i] = float_of(random_bits(&r, F32));
    for (size_t c = 0; c < D; c++)
        table[3 * D + c] = c % 3 == 0 ? HUGE_VALF : c % 3 == 1 ? -0.0f : -HUGE_VALF;
    for (int method = 0; method < 2; method++)
        for (int align = 0; align < 2; align++) {
            const pe_resample how = how_of((pe_resample_method)method, -0.75, align);
            memset(out, CANARY, sizeof out);
            must(pe_learned_resample_f32(table, ROWS, 1, D, &how, out, ROWS, 1));
            assert_memory_equal(out, table, sizeof table);
            must(pe_learned_resample_f32(table, 2, 3, D, &how, out, 2, 3));
            assert_memory_equal(out, table, sizeof table);
            if (align) {
                must(pe_learned_resample_f32(table, ROWS, 1, D, &how, out, 5 * (ROWS - 1) + 1, 1));
                for (size_t i = 0; i < ROWS; i++)
                    assert_memory_equal(out + 5 * i * D, table + i * D, D * sizeof *out);
                must(pe_learned_resample_f32(table, ROWS, 1, D, &how, out, 1, 1));
                assert_memory_equal(out, table, D * sizeof *out);
            } else { /* of three output cells in a cell, the middle one is a copy */
                must(pe_learned_resample_f32(table, ROWS, 1, D, &how, out, 3 * ROWS, 1));
                for (size_t i = 0; i < ROWS; i++)
                    assert_memory_equal(out + (3 * i + 1) * D, table + i * D, D * sizeof *out);
            }
        }
}

/* Tests the values of bilinear upsampling that PyTorch's documentation shows, and that cubic
   resampling leaves a straight line straight. */
static void known_tables(void **state)
{
    static const float square[4] = {1, 2, 3, 4};
    static const float cells[16] = {1.0f, 1.25f, 1.75f, 2.0f, 1.5f, 1.75f, 2.25f, 2.5f,
                                    2.5f, 2.75f, 3.25f, 3.5f, 3.0f, 3.25f, 3.75f, 4.0f};
    const float third = 4.0f / 3, two_thirds = 5.0f / 3;
    float line[9], out[33];
    pe_resample how = how_of(PE_RESAMPLE_LINEAR, 0, 0);
    (void)state;
    must(pe_learned_resample_f32(square, 2, 2, 1, &how, out, 4, 4));
    assert_memory_equal(out, cells, sizeof cells);
    how.align_corners = 1;
    must(pe_learned_resample_f32(square, 2, 2, 1, &how, out, 4, 4));
    assert_true(out[0] == 1 && out[1] == third && out[2] == two_thirds && out[3] == 2);
    assert_true(out[12] == 3 && out[15] == 4);

    how = how_of(PE_RESAMPLE_CUBIC, -0.5, 1);
    for (size_t i = 0; i < 9; i++) line[i] = 3.0f + 0.5f * (float)i;
    must(pe_learned_resample_f32(line, 9, 1, 1, &how, out, 33, 1));
    for (size_t i = 4; i <= 28; i++) /* all four rows that are read are within the table */
        assert_true(out[i] == 3.0f + 0.125f * (float)i);
}

/* Tests that NULL means what vision models do to their tables: cubic, a = -0.75, and align_corners
   0, so that the edges of the outermost cells stay. */
static void null_is_the_default(void **state)
{
    enum { D = 3 };
    const pe_resample how = how_of(PE_RESAMPLE_CUBIC, -0.75, 0);
    float table[5 * 7 * D], want[8 * 4 * D], got[8 * 4 * D];
    rng r = rng_for("null_is_the_default");
    (void)state;
    for (size_t i = 0; i < LENGTH(table); i++) table[i] = (float)(rng_unit(&r) - 0.5);
    must(pe_learned_resample_f32(table, 5, 7, D, &how, want, 8, 4));
    memset(got, CANARY, sizeof got);
    must(pe_learned_resample_f32(table, 5, 7, D, NULL, got, 8, 4));
    assert_memory_equal(got, want, sizeof want);
}

/* Returns 16 q^3 times the filter at distance x = p / q, for a = sixteenths / 16. All numbers are
   integers, so the result is exact. */
static int64_t filter_times(pe_resample_method method, int64_t sixteenths, int64_t p, int64_t q)
{
    const int64_t v = q - p;
    if (method == PE_RESAMPLE_LINEAR) return v > 0 ? 16 * v * q * q : 0;
    if (v >= 0) /* (1 - x) ((1 - x) (1 + 2x) - a x^2) */
        return v * (16 * v * (q + 2 * p) - sixteenths * p * p);
    p -= q; /* a x (1 - x)^2 */
    return p < q ? sixteenths * p * (q - p) * (q - p) : 0;
}

/* Checks the weights of an axis. The identity matrix is resampled, so out[i * rows + k] is the
   weight of row k in row i. With infinities in place of its ones, a weight of 0 must leave 0. */
static void check_weights(const pe_resample *how, int64_t rows, int64_t out_rows)
{
    enum { MOST = 64 };
    static float table[MOST * MOST], out[MOST * MOST], infinite[MOST * MOST];
    const int64_t sixteenths = (int64_t)(16 * how->a);
    const int64_t q = 2 * (how->antialias && rows > out_rows ? rows : out_rows);
    const size_t n = (size_t)rows, m = (size_t)out_rows;
    memset(table, 0, sizeof table);
    for (size_t k = 0; k < n; k++) table[k * n + k] = 1;
    must(pe_learned_resample_f32(table, n, 1, n, how, out, m, 1));
    for (size_t k = 0; k < n; k++) table[k * n + k] = HUGE_VALF;
    must(pe_learned_resample_f32(table, n, 1, n, how, infinite, m, 1));
    for (int64_t i = 0; i < out_rows; i++) {
        const int64_t s = (2 * i + 1) * rows - out_rows; /* the source row, times 2 out_rows */
        const int64_t nearest = ((2 * i + 1) * rows) / (2 * out_rows);
        int64_t weight[MOST] = {0}, sum = 0, size = 0;
        for (int64_t k = how->antialias ? 0 : -2; k < (how->antialias ? rows : rows + 2); k++) {
            const int64_t p = s < 2 * out_rows * k ? 2 * out_rows * k - s : s - 2 * out_rows * k;
            const int64_t w = filter_times(how->method, sixteenths, p, q);
            weight[k < 0 ? 0 : k < rows ? k : rows - 1] += w;
            sum += w;
            size += w < 0 ? -w : w;
        }
        for (int64_t k = 0; k < rows; k++) {
            const double want = sum ? (double)weight[k] / (double)sum : k == nearest;
            const double bound = sum ? 0x1p-46 * (double)size / fabs((double)sum) : 0;
            const float got = out[i * rows + k], at_infinity = infinite[i * rows + k];
            /* The weights of rows beyond an end are added to that of the row at the end. */
            const int edge = !how->antialias && (k == 0 || k == rows - 1);
            const double most = fabs(want) * (0x1p-24 + bound) + (edge ? bound : 0);
            if (!(fabs((double)got - want) <= most) ||
                (!edge && !(want == 0 ? at_infinity == 0 : isinf(at_infinity))))
                fail_msg("%d to %d rows, method %d, a %g, antialias %d: weight %d of row %d is %a, "
                         "of infinity %a, not %a",
                         (int)rows, (int)out_rows, (int)how->method, how->a, how->antialias, (int)k,
                         (int)i, (double)got, (double)at_infinity, want);
        }
    }
}

/* Tests every weight of up to 64 rows. A row with weight 0 does not count, even if it is
   infinite, and the other weights are right to 2^-46. The cubic filter is 0 at the distance 2/3
   for a = 1.75, and at 1/3 for a = 10. Its weights sum to 0 for a = -10 and others; there a row
   is copied. */
static void weights_of_zero_count_nothing(void **state)
{
    static const double all[] = {-0.5, -0.75, 0, 10, 6.75, 1.75, 13.75, -10, 8, 15.5};
    const float spike[5] = {1, 1, HUGE_VALF, 1, 1}, large[5] = {0, 0, 0x1p100f, 0, 0};
    float out[3];
    pe_resample how = how_of(PE_RESAMPLE_LINEAR, 0, 0);
    (void)state;
    how.antialias = 1;
    must(pe_learned_resample_f32(large, 5, 1, 1, &how, out, 3, 1));
    assert_true(out[2] == 0);
    must(pe_learned_resample_f32(spike, 5, 1, 1, &how, out, 3, 1));
    assert_true(out[2] == 1);
    for (size_t n = 0; n <= LENGTH(all); n++)
        for (int64_t rows = 1; rows <= 64; rows++)
            for (int64_t out_rows = 1; out_rows <= 64; out_rows++) {
                how = how_of(n ? PE_RESAMPLE_CUBIC : PE_RESAMPLE_LINEAR, n ? all[n - 1] : 0, 0);
                check_weights(&how, rows, out_rows);
                how.antialias = 1;
                check_weights(&how, rows, out_rows);
            }
}

/* Tests the rows that are read and their linear weights, for tables of up to 2^31 rows. No sum of
   row numbers may wrap. */
static void rows_are_found_in_large_tables(void **state)
{
    static const size_t many[] = {1, 2, 3, 1000003, 0x7fffffff, 0x80000000u, 0x40000001};
    rng r = rng_for("rows_are_found_in_large_tables");
    mpfr_t s;
    (void)state;
    mpfr_init2(s, ORACLE_ANGLE_BITS);
    for (size_t n = 0; n < workload(20000); n++) {
        const size_t rows = many[rng_below(&r, LENGTH(many))];
        const size_t out_rows = many[rng_below(&r, LENGTH(many))];
        const size_t i = n % 3 == 0 ? out_rows - 1 : rng_below(&r, out_rows);
        const pe_resample how = how_of(PE_RESAMPLE_LINEAR, 0, (int)(n & 1));
        pe__taps taps;
        pe__taps_of(&how, 0, i, rows, out_rows, &taps);
        double total = 0, at = 0;
        size_t low;
        source(s, &how, i, rows, out_rows);
        if (mpfr_sgn(s) < 0) mpfr_set_ui(s, 0, MPFR_RNDN);
        if (mpfr_cmp_ui(s, (unsigned long)rows - 1) > 0)
            mpfr_set_ui(s, (unsigned long)rows - 1, MPFR_RNDN);
        low = (size_t)mpfr_get_ui(s, MPFR_RNDD);
        assert_true(taps.count == 4 && taps.weight[0] == 0 && taps.weight[3] == 0);
        for (size_t k = 1; k < 3; k++) {
            const size_t row = pe__tap_row(&taps, k);
            assert_true(row < rows);
            total += taps.weight[k];
            at += taps.weight[k] * ((double)row - (double)low);
        }
        mpfr_sub_ui(s, s, (unsigned long)low, MPFR_RNDN);
        assert_true(fabs(total - 1) < 1e-15);
        assert_true(fabs(at - mpfr_get_d(s, MPFR_RNDN)) < 1e-15);
    }
    mpfr_clear(s);
}

/* ------------------------------------------------------------------------------------------------
 * Bad input
 * --------------------------------------------------------------------------------------------- */

static void bad_rows_are_refused(void **state)
{
    static const int64_t bad[] = {-1, 4, 5, INT64_MAX, INT64_MIN, INT64_C(1) << 32};
    static uint32_t table[4 * 8], x[3 * 9];
    const size_t most = (size_t)PTRDIFF_MAX;
    (void)state;
    memset(table, CANARY, sizeof table);
    memset(x, CANARY, sizeof x);
    for (int k = 0; k < TYPES + 1; k++) { /* the last one: the gradient */
        int64_t positions[3] = {3, 0, 2};
        const type t = k < TYPES ? (type)k : F32;
        const size_t reach = most / size_of(t);
#define EXPECT(want, table, table_rows, d, positions, rows, x, stride)                             \
    assert_int_equal(k < TYPES ? add(t, table, table_rows, d, positions, rows, x, stride)          \
                               : pe_learned_grad_f32((float *)(table), table_rows, d,              \
                                                     pe_at_i64(positions), rows,                   \
                                                     (const float *)(x), stride),                  \
                     want)
        EXPECT(PE_ERR_NULL, NULL, 4, 8, positions, 3, x, 9);
        EXPECT(PE_ERR_AT_NULL, table, 4, 8, NULL, 3, x, 9);
        EXPECT(PE_ERR_NULL, table, 4, 8, positions, 3, NULL, 9);
        EXPECT(PE_ERR_EMPTY, table, 4, 0, positions, 3, x, 9);
        EXPECT(PE_ERR_SHAPE, table, 4, 8, positions, 3, x, 7);
        EXPECT(PE_ERR_SIZE, table, 4, 8, positions, 3, x, reach / 3 + 1);
        EXPECT(PE_ERR_SIZE, table, 4, 8, positions, 3, x, SIZE_MAX);
        EXPECT(PE_ERR_SIZE, table, reach / 8 + 1, 8, positions, 3, x, 9);
        EXPECT(PE_ERR_SIZE, table, SIZE_MAX, 8, positions, 3, x, 9);
        EXPECT(PE_ERR_SIZE, table, 4, reach / 4 + 1, positions, 1, x, reach);
        EXPECT(PE_ERR_RANGE, table, 0, 8, positions, 3, x, 9);
        EXPECT(PE_ERR_RANGE, table, 3, 8, positions, 3, x, 9);
        EXPECT(PE_ERR_RANGE, table, 0, 8, positions + 1, 1, x, 9); /* position 0 of no rows */
        for (size_t n = 0; n < LENGTH(bad); n++)
            for (size_t row = 0; row < 3; row++) {
                const int64_t kept = positions[row];
                positions[row] = bad[n];
                EXPECT(PE_ERR_RANGE, table, 4, 8, positions, 3, x, 9);
                positions[row] = kept;
            }
        EXPECT(PE_OK, NULL, 0, 0, NULL, 0, NULL, 0);
#undef EXPECT
    }
    assert_true(all_canaries(table, sizeof table) && all_canaries(x, sizeof x));
}

static void bad_resampling_is_refused(void **state)
{
    static const double bad[] = {(double)NAN, HUGE_VAL, -HUGE_VAL, 16.5, -17};
    const size_t large = (size_t)1 << 31, reach = (size_t)PTRDIFF_MAX / sizeof(float);
    const pe_resample how = how_of(PE_RESAMPLE_CUBIC, -0.75, 0);
    float table[64], out[64];
    (void)state;
    memset(table, CANARY, sizeof table);
    memset(out, CANARY, sizeof out);
    for (size_t k = 0; k < LENGTH(bad); k++) {
        pe_resample wrong = how;
        wrong.a = bad[k];
        assert_int_equal(pe_learned_resample_f32(table, 4, 1, 2, &wrong, out, 8, 1),
                         PE_ERR_RESAMPLE);
        wrong.method = PE_RESAMPLE_LINEAR; /* a is not looked at */
        assert_int_equal(pe_learned_resample_f32(table, 4, 1, 2, &wrong, out, 0, 1), PE_OK);
        wrong.method = (pe_resample_method)(2 + k);
        assert_int_equal(pe_learned_resample_f32(table, 4, 1, 2, &wrong, out, 8, 1), PE_ERR_ENUM);
    }
    assert_int_equal(pe_learned_resample_f32(NULL, 4, 1, 2, &how, out, 8, 1), PE_ERR_NULL);
    assert_int_equal(pe_learned_resample_f32(table, 4, 1, 2, &how, NULL, 8, 1), PE_ERR_NULL);
    assert_int_equal(pe_learned_resample_f32(table, 4, 1, 0, &how, out, 8, 1), PE_ERR_EMPTY);
    assert_int_equal(pe_learned_resample_f32(table, 0, 1, 2, &how, out, 8, 1), PE_ERR_EMPTY);
    assert_int_equal(pe_learned_resample_f32(table, 4, 0, 2, &how, out, 2, 2), PE_ERR_EMPTY);
    assert_int_equal(pe_learned_resample_f32(table, 0, 4, 2, &how, out, 2, 2), PE_ERR_EMPTY);
    assert_int_equal(pe_learned_resample_f32(table, large + 1, 1, 1, &how, out, 8, 1), PE_ERR_SIZE);
    assert_int_equal(pe_learned_resample_f32(table, 4, 1, 1, &how, out, large + 1, 1), PE_ERR_SIZE);
    assert_int_equal(pe_learned_resample_f32(table, 4, 1, reach / 4 + 1, &how, out, 1, 1),
                     PE_ERR_SIZE);
    assert_int_equal(pe_learned_resample_f32(table, 1, 1, reach / 4 + 1, &how, out, 4, 1),
                     PE_ERR_SIZE);
    assert_int_equal(pe_learned_resample_f32(table, large, large, 1, &how, out, 2, 2), PE_ERR_SIZE);
    assert_int_equal(pe_learned_resample_f32(table, 2, 2, 1, &how, out, large, large), PE_ERR_SIZE);
    assert_int_equal(pe_learned_resample_f32(table, large, 1, SIZE_MAX, &how, out, 1, 1),
                     PE_ERR_SIZE);
    assert_int_equal(pe_learned_resample_f32(NULL, 0, 0, 0, NULL, NULL, 0, 7), PE_OK);
    assert_int_equal(pe_learned_resample_f32(NULL, 0, 0, 0, NULL, NULL, 7, 0), PE_OK);
    assert_int_equal(pe_learned_resample_f32(NULL, 0, 1, 0, NULL, NULL, 0, 1), PE_OK);
    assert_true(all_canaries(table, sizeof table) && all_canaries(out, sizeof out));
}

/* Tests that flush-to-zero and denormals-are-zero change nothing if no f32 is subnormal. */
static void flushing_subnormals_changes_nothing(void **state)
{
    enum { D = 1000 };
    static uint32_t table[D], want[D], got[D];
    const int64_t zero[1] = {0};
    rng r = rng_for("flushing_subnormals_changes_nothing");
    (void)state;
    if (!flush_subnormals(0)) skip();
    for (int t = 0; t < TYPES; t++) {
        for (size_t c = 0; c < D; c++) {
            set_element((type)t, table, c, rounded((type)t, ldexp(rng_unit(&r) - 0.5, -14)));
            set_element((type)t, want, c, rounded((type)t, ldexp(rng_unit(&r) - 0.5, -15)));
        }
        memcpy(got, want, sizeof got);
        must(add((type)t, table, 1, D, zero, 1, want, D));
        flush_subnormals(1);
        (void)add_bare((type)t, table, 1, D, zero, 1, got, D);
        flush_subnormals(0);
        assert_memory_equal(got, want, sizeof want);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_between_guard_pages),
        cmocka_unit_test(sums_at_every_offset),
        cmocka_unit_test(sums_are_rounded_once),
        cmocka_unit_test(permutations_permute),
        cmocka_unit_test(gradients_are_added_in_order),
        cmocka_unit_test(one_axis_is_resampled),
        cmocka_unit_test(two_axes_are_resampled),
        cmocka_unit_test(whole_numbers_are_copied),
        cmocka_unit_test(known_tables),
        cmocka_unit_test(null_is_the_default),
        cmocka_unit_test(weights_of_zero_count_nothing),
        cmocka_unit_test(rows_are_found_in_large_tables),
        cmocka_unit_test(bad_rows_are_refused),
        cmocka_unit_test(bad_resampling_is_refused),
        cmocka_unit_test(flushing_subnormals_changes_nothing),
    };
    test_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
