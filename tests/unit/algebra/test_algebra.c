/* SPDX-License-Identifier: MIT */
/*
 * Proves the algebra of positions. Shifts of rows are compared, bit by bit, with sines and cosines
 * of MPFR and the documented roundings, for every type and layout. The matrix of a shift, which is
 * the identity shifted, dot products and lengths are compared with MPFR. R(a) R(b) = R(a + b)
 * holds, and each axis of a plan is shifted by its own difference. There are tests with guard pages
 * and bad arguments.
 */
#include "../common.h"
#include "../oracle.h"
#include "pe_simd.h" /* for widen() and narrow() */

enum { F32, F64, F16, BF16, TYPES };
static const size_t element_of[TYPES] = {4, 8, 2, 2};
static const char *const type_name[TYPES] = {"f32", "f64", "f16", "bf16"};

static pe_status shift_by(int type, const pe_plan *plan, pe_at deltas, size_t rows, void *x,
                          size_t stride)
{
    switch (type) {
    case F32: return pe_shift_f32(plan, deltas, rows, (float *)x, stride);
    case F64: return pe_shift_f64(plan, deltas, rows, (double *)x, stride);
    case F16: return pe_shift_f16(plan, deltas, rows, (uint16_t *)x, stride);
    default: return pe_shift_bf16(plan, deltas, rows, (uint16_t *)x, stride);
    }
}

static pe_status shift(int type, const pe_plan *plan, int64_t k, size_t rows, void *x,
                       size_t stride)
{
    return shift_by(type, plan, pe_all(k), rows, x, stride);
}

static pe_status fill(int type, const pe_plan *plan, int64_t first, size_t rows, void *x,
                      size_t stride)
{
    switch (type) {
    case F32: return pe_fill_f32(plan, pe_from(first), rows, (float *)x, stride);
    case F64: return pe_fill_f64(plan, pe_from(first), rows, (double *)x, stride);
    case F16: return pe_fill_f16(plan, pe_from(first), rows, (uint16_t *)x, stride);
    default: return pe_fill_bf16(plan, pe_from(first), rows, (uint16_t *)x, stride);
    }
}

/* Computes the matrix of the shift by k, which is the rows of the identity shifted by -k. */
static pe_status shift_matrix(const pe_plan *plan, int64_t k, double *m, size_t stride)
{
    for (size_t i = 0; i < plan->d_model; i++)
        for (size_t j = 0; j < plan->d_model; j++) m[i * stride + j] = i == j;
    return pe_shift_f64(plan, pe_all(-k), plan->d_model, m, stride);
}

/* Converts a 16-bit number to a float, and the next function converts it back. test_types.c
   proves both. */
static float widen(int type, uint16_t h)
{
    uint16_t in[2 * PE_LANES] = {0};
    float out[2 * PE_LANES];
    in[0] = h;
    pe__put(out, type == F16 ? pe__get_f16(in) : pe__get_bf16(in));
    return out[0];
}

static uint16_t narrow(int type, float x)
{
    float in[2 * PE_LANES] = {0};
    uint16_t out[2 * PE_LANES];
    in[0] = x;
    if (type == F16) pe__put_f16(out, pe__get(in));
    else pe__put_bf16(out, pe__get(in));
    return out[0];
}

/* Makes a plan of one of the layouts 0 ... 3. It has an amplitude and an offset, which shifts
   leave out. */
static void algebra_plan(owned_plan *p, size_t d, double base, int layout, double amplitude,
                         double offset)
{
    p->config = config_of(d, base, amplitude);
    p->config.layout = layout & 1 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
    p->config.cos_first = layout >> 1;
    p->config.odd = PE_ODD_ZERO;
    p->config.offset = offset;
    p->memory_bytes = pe_plan_size(&p->config);
    p->memory = must_alloc(p->memory_bytes);
    assert_int_equal(pe_plan_init(&p->plan, &p->config, p->memory, p->memory_bytes), PE_OK);
}

/* Tells where pair i of a row of d elements has its sine and its cosine. */
static size_t sine_at(int layout, size_t d, size_t i)
{
    const size_t first = layout & 1 ? i : 2 * i, second = layout & 1 ? d / 2 + i : 2 * i + 1;
    return layout >> 1 ? second : first;
}
static size_t cosine_at(int layout, size_t d, size_t i) { return sine_at(layout ^ 2, d, i); }

static const int64_t differences[] = {1,
                                      -1,
                                      2,
                                      10,
                                      -64,
                                      511,
                                      4099,
                                      709929,
                                      -16777217,
                                      2147483647,
                                      INT64_C(2147483648),
                                      -INT64_C(2147483648)};
static const size_t some_widths[] = {2, 3, 4, 6, 8, 9, 16, 17, 30, 32, 34, 62, 64, 66, 130, 514};

/* ------------------------------------------------------------------------------------------------
 * Shifts
 * --------------------------------------------------------------------------------------------- */

static double random_number(rng *r) { return 4 * rng_unit(r) - 2; }

/* Shifts two rows of random numbers, and checks that the result is what the documented roundings
   give. */
static void check_shift(owned_plan *p, oracle *o, rng *r, int layout, int type, int64_t k)
{
    enum { ROWS = 2, MOST = 514 };
    const size_t d = p->config.d_model, pairs = d / 2;
    union {
        float f32[ROWS * MOST];
        double f64[ROWS * MOST];
        uint16_t h[ROWS * MOST];
    } x, want;
    double *matrix = NULL;
    for (size_t j = 0; j < ROWS * d; j++) {
        const double value = random_number(r);
        if (type == F32) x.f32[j] = (float)value;
        else if (type == F64) x.f64[j] = value;
        else x.h[j] = narrow(type, (float)value);
    }
    memcpy(&want, &x, sizeof x);
    if (type == F64) { /* its entries are those of the matrix, which has a test of its own */
        matrix = (double *)must_alloc(d * d * sizeof *matrix);
        assert_int_equal(shift_matrix(&p->plan, k, matrix, d), PE_OK);
    }
    for (size_t i = 0; i < pairs; i++) {
        const size_t a = sine_at(layout, d, i), b = cosine_at(layout, d, i);
        oracle_turn(o, k, i);
        const float S = mpfr_get_flt(o->sine, MPFR_RNDN), C = mpfr_get_flt(o->cosine, MPFR_RNDN);
        for (size_t row = 0; row < ROWS; row++) {
            const size_t at = row * d + a, bt = row * d + b;
            if (type == F64) {
                const double s = x.f64[at], c = x.f64[bt];
                const double sine = matrix[a * d + b], cosine = matrix[a * d + a];
                want.f64[at] = product_f64(s, cosine) + product_f64(c, sine);
                want.f64[bt] = product_f64(c, cosine) - product_f64(s, sine);
                continue;
            }
            const float s = type == F32 ? x.f32[at] : widen(type, x.h[at]);
            const float c = type == F32 ? x.f32[bt] : widen(type, x.h[bt]);
            const float s1 = product_f32(s, C) + product_f32(c, S);
            const float c1 = product_f32(c, C) - product_f32(s, S);
            if (type == F32) want.f32[at] = s1, want.f32[bt] = c1;
            else want.h[at] = narrow(type, s1), want.h[bt] = narrow(type, c1);
        }
    }
    assert_int_equal(shift(type, &p->plan, k, ROWS, &x, d), PE_OK);
    if (memcmp(&x, &want, ROWS * d * element_of[type]) != 0) {
        test_print_rerun(stderr, "shifts_are_the_documented_roundings");
        fail_msg("pe_shift_%s: layout %d, d_model %zu, k %" PRId64 " is wrong", type_name[type],
                 layout, d, k);
    }
    free(matrix);
}

static void shifts_are_the_documented_roundings(void **state)
{
    rng r = rng_for("shift");
    (void)state;
    for (size_t w = 0; w < LENGTH(some_widths); w++) {
        const size_t d = some_widths[w];
        const double base = w % 3 ? 10000.0 : 5e5;
        oracle o;
        oracle_make(&o, "shifts_are_the_documented_roundings", d, base, 1.0);
        for (int layout = 0; layout < 4; layout++) {
            owned_plan p;
            algebra_plan(&p, d, base, layout, 0.37, 17.25);
            for (size_t n = 0; n < LENGTH(differences); n++)
                for (int type = 0; type < TYPES; type++)
                    if (d < 100 || (n % 4 == (size_t)layout))
                        check_shift(&p, &o, &r, layout, type, differences[n]);
            plan_free(&p);
        }
        oracle_free(&o);
    }
}

/* Tests that wide rows, which are computed in tiles, equal narrow pieces of the same
   frequencies. */
static void wide_rows_are_tiled(void **state)
{
    enum { D = 2600 };
    (void)state;
    for (int layout = 0; layout < 4; layout++) {
        owned_plan p;
        float *x = (float *)must_alloc(D * sizeof *x), *y = (float *)must_alloc(D * sizeof *y);
        double *z = (double *)must_alloc(D * sizeof *z);
        oracle o;
        oracle_make(&o, "wide_rows_are_tiled", D, 10000.0, 1.0);
        algebra_plan(&p, D, 10000.0, layout, 1, 0);
        for (size_t j = 0; j < D; j++) x[j] = y[j] = (float)j + 0.5f, z[j] = (double)j + 0.5;
        assert_int_equal(pe_shift_f32(&p.plan, pe_all(1234567), 1, x, D), PE_OK);
        assert_int_equal(pe_shift_f64(&p.plan, pe_all(1234567), 1, z, D), PE_OK);
        for (size_t i = 0; i < D / 2; i++) {
            const size_t a = sine_at(layout, D, i), b = cosine_at(layout, D, i);
            oracle_turn(&o, 1234567, i);
            const float S = mpfr_get_flt(o.sine, MPFR_RNDN), C = mpfr_get_flt(o.cosine, MPFR_RNDN);
            if (x[a] != product_f32(y[a], C) + product_f32(y[b], S) ||
                x[b] != product_f32(y[b], C) - product_f32(y[a], S))
                fail_msg("layout %d, pair %zu is wrong", layout, i);
            if (fabs(z[a] - (double)x[a]) > 0.001 || fabs(z[b] - (double)x[b]) > 0.001)
                fail_msg("layout %d, pair %zu is wrong in f64", layout, i);
        }
        oracle_free(&o);
        plan_free(&p);
        free(x), free(y), free(z);
    }
}

/* Checks that shifted rows are those of the new position, and that two shifts are one, within the
   stated bounds. */
static void rows_arrive(void **state)
{
    enum { ROWS = 40, D = 64 };
    static const int64_t firsts[] = {0, -20, 16000000};
    rng r = rng_for("arrive");
    const double u = 1.0 / 16777216;
    (void)state;
    for (int layout = 0; layout < 4; layout++)
        for (size_t n = 0; n < 3; n++) {
            owned_plan p;
            const double amplitude = n == 1 ? -3.7 : 1;
            float x[ROWS * D], y[ROWS * D], z[ROWS * D];
            double xx[ROWS * D], zz[ROWS * D];
            algebra_plan(&p, D, 10000.0, layout, amplitude, n == 1 ? 2.5 : 0);
            for (size_t t = 0; t < workload(200); t++) {
                const int64_t a = rng_position(&r) / 256, b = rng_position(&r) / 256;
                assert_int_equal(pe_fill_f32(&p.plan, pe_from(firsts[n]), ROWS, x, D), PE_OK);
                assert_int_equal(pe_fill_f64(&p.plan, pe_from(firsts[n]), ROWS, xx, D), PE_OK);
                assert_int_equal(pe_fill_f64(&p.plan, pe_from(firsts[n] + a + b), ROWS, zz, D),
                                 PE_OK);
                memcpy(y, x, sizeof x);
                memcpy(z, x, sizeof x);
                assert_int_equal(pe_shift_f32(&p.plan, pe_all(a + b), ROWS, y, D), PE_OK);
                assert_int_equal(pe_shift_f32(&p.plan, pe_all(a), ROWS, z, D), PE_OK);
                assert_int_equal(pe_shift_f32(&p.plan, pe_all(b), ROWS, z, D), PE_OK);
                assert_int_equal(pe_shift_f64(&p.plan, pe_all(a + b), ROWS, xx, D), PE_OK);
                for (size_t j = 0; j < ROWS * D; j++) {
                    const double size = fabs(amplitude);
                    if (!(fabs((double)y[j] - zz[j]) <= 4 * u * size))
                        fail_msg("by %" PRId64 ": %.9g, not %.9g", a + b, (double)y[j], zz[j]);
                    if (!(fabs((double)z[j] - zz[j]) <= 7 * u * size))
                        fail_msg("by %" PRId64 " and %" PRId64 ": %.9g, not %.9g", a, b,
                                 (double)z[j], zz[j]);
                    if (!(fabs(xx[j] - zz[j]) <= 4 * size / 9007199254740992.0))
                        fail_msg("f64 by %" PRId64 ": %.17g, not %.17g", a + b, xx[j], zz[j]);
                }
            }
            plan_free(&p);
        }
}

/* Checks that shifting rows together gives the bits of shifting them one by one. A shift by 0
   changes nothing, not even a NaN, and infinities in a row do not prevent this. */
static void every_cut_and_zero(void **state)
{
    enum { ROWS = 9, D = 54, STRIDE = 57 };
    rng r = rng_for("cut");
    (void)state;
    for (int layout = 0; layout < 4; layout++)
        for (int type = 0; type < TYPES; type++) {
            owned_plan p;
            unsigned char x[ROWS * STRIDE * 8], y[sizeof x], z[sizeof x];
            const size_t row = STRIDE * element_of[type];
            algebra_plan(&p, D, 10000.0, layout, 1, 0);
            for (size_t j = 0; j < sizeof x; j++) x[j] = (unsigned char)rng_next(&r);
            memcpy(y, x, sizeof x);
            assert_int_equal(shift(type, &p.plan, 0, ROWS, y, STRIDE), PE_OK);
            assert_memory_equal(x, y, sizeof x);
            assert_int_equal(fill(type, &p.plan, 5, ROWS, x, STRIDE), PE_OK);
            memcpy(y, x, sizeof x);
            memcpy(z, x, sizeof x);
            assert_int_equal(shift(type, &p.plan, 77, ROWS, y, STRIDE), PE_OK);
            for (size_t n = 0; n < ROWS; n++)
                assert_int_equal(shift(type, &p.plan, 77, 1, z + n * row, STRIDE), PE_OK);
            assert_memory_equal(y, z, sizeof x);
            plan_free(&p);
        }
}

/* Checks that each block of columns is shifted by its own coordinate, as a row of that width is.
   Columns that encode nothing keep their values. One difference shifts all axes. */
static void axes_are_shifted_apart(void **state)
{
    enum { ROWS = 7, WIDE = 10, D = 2 * WIDE + 3, STRIDE = D + 2 };
    static const int64_t deltas[ROWS][2] = {
        {0, 0}, {1, -1},       {0, 5}, {-77777, 0}, {POSITION_MAX, -POSITION_MAX},
        {3, 3}, {1 << 24, 255}};
    pe_config config = pe_config_default(D), single = pe_config_default(WIDE);
    rng r = rng_for("axes");
    (void)state;
    for (int form = 0; form < 16; form++) {
        const int type = form / 4, together = form & 1;
        const size_t e = element_of[type];
        config.layout = single.layout = form & 2 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
        config.axes = 2, config.offset = 4;
        for (size_t a = 0; a < 2; a++)
            config.axis[a].width = WIDE, config.axis[a].coordinate = 1 - a;
        unsigned char x[ROWS * STRIDE * 8], want[sizeof x];
        void *memory = must_alloc(pe_plan_size(&config)), *one = must_alloc(pe_plan_size(&single));
        pe_plan plan, axis;
        assert_int_equal(pe_plan_init(&plan, &config, memory, pe_plan_size(&config)), PE_OK);
        assert_int_equal(pe_plan_init(&axis, &single, one, pe_plan_size(&single)), PE_OK);
        for (size_t j = 0; j < sizeof x; j++) x[j] = (unsigned char)(rng_next(&r) & 0x3f);
        memcpy(want, x, sizeof x);
        for (size_t row = 0; row < ROWS; row++)
            for (size_t a = 0; a < 2; a++)
                assert_int_equal(shift(type, &axis, deltas[row][together ? 0 : 1 - a], 1,
                                       want + (row * STRIDE + a * WIDE) * e, WIDE),
                                 PE_OK);
        const pe_at at =
            together ? pe_coords_i64(deltas[0], 1, 2, 1) : pe_coords_i64(deltas[0], 2, 2, 1);
        assert_int_equal(shift_by(type, &plan, at, ROWS, x, STRIDE), PE_OK);
        for (size_t j = 0; j < sizeof x; j++)
            if (x[j] != want[j])
                fail_msg("pe_shift_%s, form %d: byte %zu of row %zu", type_name[type], form,
                         j % (STRIDE * e), j / (STRIDE * e));
        free(memory), free(one);
    }
}

/* ------------------------------------------------------------------------------------------------
 * The matrix
 * --------------------------------------------------------------------------------------------- */

static void matrix_is_the_rotation(void **state)
{
    (void)state;
    for (size_t w = 0; w < LENGTH(some_widths); w++) {
        const size_t d = some_widths[w], stride = d + w % 3;
        const size_t bytes = d * stride * sizeof(double);
        double *m = (double *)must_alloc(bytes), *back = (double *)must_alloc(bytes);
        oracle o;
        if (d > 130) {
            free(m), free(back);
            continue;
        }
        oracle_make(&o, "matrix_is_the_rotation", d, 10000.0, 1.0);
        for (int layout = 0; layout < 4; layout++) {
            owned_plan p;
            algebra_plan(&p, d, 10000.0, layout, 0.37, 17.25);
            for (size_t n = 0; n < LENGTH(differences); n++) {
                const int64_t k = differences[n];
                memset(m, CANARY, bytes);
                memset(back, CANARY, bytes);
                assert_int_equal(shift_matrix(&p.plan, k, m, stride), PE_OK);
                assert_int_equal(shift_matrix(&p.plan, -k, back, stride), PE_OK);
                size_t zeros = 0;
                for (size_t i = 0; i < d; i++) {
                    for (size_t j = 0; j < d; j++) {
                        zeros += m[i * stride + j] == 0;
                        if (m[i * stride + j] != back[j * stride + i])
                            fail_msg("not the transpose of -k");
                    }
                    if (i + 1 < d)
                        assert_true(all_canaries(m + i * stride + d, (stride - d) * sizeof *m));
                }
                if (zeros != d * d - d - 2 * (d / 2)) /* not 0: d on the diagonal, 2 per pair */
                    fail_msg("d_model %zu: %zu zeros", d, zeros);
                if (d % 2 == 1) assert_true(m[(d - 1) * stride + d - 1] == 1);
                for (size_t i = 0; i < d / 2; i++) {
                    const size_t a = sine_at(layout, d, i), b = cosine_at(layout, d, i);
                    oracle_turn(&o, k, i);
                    if (oracle_ulp_f64(&o, o.cosine, m[a * stride + a]) > 0.5 ||
                        oracle_ulp_f64(&o, o.sine, m[a * stride + b]) > 0.5)
                        fail_msg("d_model %zu, k %" PRId64 ", pair %zu", d, k, i);
                    if (m[b * stride + b] != m[a * stride + a] ||
                        m[b * stride + a] != -m[a * stride + b])
                        fail_msg("no rotation: d_model %zu, k %" PRId64 ", pair %zu", d, k, i);
                }
            }
            plan_free(&p);
        }
        oracle_free(&o);
        free(m);
        free(back);
    }
}

/* Tests R(a) R(b) = R(a + b), and M PE(p) = PE(p + k). */
static void matrices_compose(void **state)
{
    enum { D = 16 };
    rng r = rng_for("compose");
    (void)state;
    for (int layout = 0; layout < 4; layout++) {
        owned_plan p;
        algebra_plan(&p, D, 10000.0, layout, 1, 0);
        for (size_t t = 0; t < workload(2000); t++) {
            const int64_t a = rng_position(&r) / 2, b = rng_position(&r) / 2, at = a / 2;
            double ma[D * D], mb[D * D], sum[D * D], from[D], to[D];
            assert_int_equal(shift_matrix(&p.plan, a, ma, D), PE_OK);
            assert_int_equal(shift_matrix(&p.plan, b, mb, D), PE_OK);
            assert_int_equal(shift_matrix(&p.plan, a + b, sum, D), PE_OK);
            assert_int_equal(pe_fill_f64(&p.plan, pe_from(at), 1, from, D), PE_OK);
            assert_int_equal(pe_fill_f64(&p.plan, pe_from(at + b), 1, to, D), PE_OK);
            for (size_t i = 0; i < D; i++) {
                double moved = 0;
                for (size_t j = 0; j < D; j++) {
                    double product = 0;
                    for (size_t n = 0; n < D; n++) product += ma[i * D + n] * mb[n * D + j];
                    if (!(fabs(product - sum[i * D + j]) <= 0x1p-51))
                        fail_msg("R(%" PRId64 ") R(%" PRId64 ") is off by %g", a, b,
                                 product - sum[i * D + j]);
                    moved += mb[i * D + j] * from[j];
                }
                if (!(fabs(moved - to[i]) <= 0x1p-51))
                    fail_msg("M(%" PRId64 ") PE(%" PRId64 ") is off by %g", b, at, moved - to[i]);
            }
        }
        plan_free(&p);
    }
}

/* ------------------------------------------------------------------------------------------------
 * Dot products
 * --------------------------------------------------------------------------------------------- */

/* Computes the exact dot product: amplitude^2 times the sum of the cosines of k w over all
   pairs. */
static void exact_dot(oracle *o, size_t pairs, int64_t k, double amplitude, mpfr_t exact)
{
    mpfr_set_ui(exact, 0, MPFR_RNDN);
    for (size_t i = 0; i < pairs; i++) {
        oracle_turn(o, k, i);
        mpfr_add(exact, exact, o->cosine, MPFR_RNDN);
    }
    mpfr_mul_d(exact, exact, amplitude, MPFR_RNDN);
    mpfr_mul_d(exact, exact, amplitude, MPFR_RNDN);
}

static void dots_are_exact(void **state)
{
    static const double amplitudes[] = {1, -0.37, 0x1p-500, 3e100};
    rng r = rng_for("dots");
    mpfr_t exact;
    double worst = 0;
    (void)state;
    mpfr_init2(exact, 512);
    for (size_t w = 0; w < LENGTH(some_widths) + 2; w++) {
        const size_t d = w < LENGTH(some_widths) ? some_widths[w] : w % 2 ? 700 : 2200;
        oracle o;
        owned_plan p;
        const double amplitude = amplitudes[w % 4];
        oracle_make(&o, "dots_are_exact", d, 10000.0, 1.0);
        algebra_plan(&p, d, 10000.0, (int)(w % 4), amplitude, 17.25);
        for (size_t n = 0; n < LENGTH(differences) + workload(d > 300 ? 16 : 64); n++) {
            const int64_t k = n < LENGTH(differences) ? differences[n] : rng_position(&r);
            double dot;
            assert_int_equal(pe_dot_f64(&p.plan, pe_all(k), 1, &dot), PE_OK);
            exact_dot(&o, d / 2, k, amplitude, exact);
            const double ulp = oracle_ulp_f64(&o, exact, dot);
            worst = ulp > worst ? ulp : worst;
            if (!(ulp <= 0.501))
                fail_msg("d_model %zu, k %" PRId64 ", amplitude %a: %a is off by %g ulp", d, k,
                         amplitude, dot, ulp);
        }
        double dot, length = 0, row[2200];
        assert_int_equal(pe_dot_f64(&p.plan, pe_all(0), 1, &dot), PE_OK);
        mpfr_set_ui(exact, (unsigned long)(d / 2), MPFR_RNDN);
        mpfr_mul_d(exact, exact, amplitude, MPFR_RNDN);
        mpfr_mul_d(exact, exact, amplitude, MPFR_RNDN);
        assert_true(dot == mpfr_get_d(exact, MPFR_RNDN));
        if (amplitude != 0x1p-500) { /* with it, the squares of small elements lose bits */
            assert_int_equal(pe_fill_f64(&p.plan, pe_from(12345), 1, row, d), PE_OK);
            for (size_t j = 0; j < d; j++) length += row[j] * row[j];
            if (!(fabs(length - dot) <= 1e-13 * dot))
                fail_msg("d_model %zu, amplitude %a: a row's length squared is %a, not %a", d,
                         amplitude, dot, length);
        }
        oracle_free(&o);
        plan_free(&p);
    }
    mpfr_clear(exact);
    printf("dot products: at most %.4f ulp\n", worst);
}

/* Tests dot products that are subnormal doubles. They are rounded twice, and so within 1 ulp
   instead of 0.501. Also tests that a dot product which is too large is infinite. */
static void dots_at_the_limits(void **state)
{
    enum { D = 8, COUNT = 1000 };
    static const double amplitudes[] = {0x1.3p-512, 0x1.9p-525, -0x1.7p-537};
    static double dots[COUNT];
    oracle o;
    mpfr_t exact;
    double worst = 0;
    (void)state;
    mpfr_init2(exact, 512);
    oracle_make(&o, "dots_at_the_limits", D, 10000.0, 1.0);
    for (size_t a = 0; a < LENGTH(amplitudes); a++) {
        size_t subnormal = 0;
        owned_plan p;
        algebra_plan(&p, D, 10000.0, 0, amplitudes[a], 0);
        assert_int_equal(pe_dot_f64(&p.plan, pe_from(0), COUNT, dots), PE_OK);
        for (int64_t k = 0; k < COUNT; k++) {
            double dot;
            assert_int_equal(pe_dot_f64(&p.plan, pe_all(k), 1, &dot), PE_OK);
            assert_memory_equal(&dot, &dots[k], sizeof dot);
            exact_dot(&o, D / 2, k, amplitudes[a], exact);
            const int below = mpfr_cmpabs_ui(exact, 0) == 0 || mpfr_get_exp(exact) <= -1022;
            const double ulp = oracle_ulp_f64(&o, exact, dot);
            subnormal += below != 0;
            worst = ulp > worst ? ulp : worst;
            if (!(ulp <= (below ? 1 : 0.501)))
                fail_msg("k %" PRId64 ", amplitude %a: %a is off by %g ulp", k, amplitudes[a], dot,
                         ulp);
        }
        assert_true(subnormal > COUNT / 4);
        plan_free(&p);
    }
    assert_true(worst > 0.7); /* otherwise the bound could be 0.501 ulp for all */
    {
        owned_plan p;
        algebra_plan(&p, D, 10000.0, 0, 0x1p512, 0);
        assert_int_equal(pe_dot_f64(&p.plan, pe_from(0), 1, dots), PE_OK);
        assert_true(dots[0] == HUGE_VAL);
        plan_free(&p);
    }
    oracle_free(&o);
    mpfr_clear(exact);
    printf("subnormal dot products: at most %.4f ulp\n", worst);
}

/* Tests that each of many dot products has the bits of a single one, for any count, and that
   they are even in k. */
static void many_dots_are_the_same(void **state)
{
    static const int64_t firsts[] = {0, -1000, 123456789, 2147483648 - 2500, -2147483648};
    static const size_t counts[] = {1, 7, 8, 9, 31, 32, 62, 63, 991, 992, 993, 2000};
    double out[2002];
    (void)state;
    for (size_t w = 0; w < LENGTH(some_widths) + 1; w++)
        for (size_t f = 0; f < LENGTH(firsts); f++) {
            const size_t d = w < LENGTH(some_widths) ? some_widths[w] : 1100;
            const size_t count = counts[(w * 5 + f) % LENGTH(counts)];
            owned_plan p;
            algebra_plan(&p, d, w % 2 ? 10000.0 : 30.0, (int)(w % 4), w % 3 ? 1 : 0.9, 0);
            memset(out, CANARY, sizeof out);
            assert_int_equal(pe_dot_f64(&p.plan, pe_from(firsts[f]), count, out + 1), PE_OK);
            assert_true(all_canaries(out, sizeof *out));
            assert_true(all_canaries(out + 1 + count, (2001 - count) * sizeof *out));
            for (size_t n = 0; n < count; n += d > 300 ? 7 : 1) {
                const int64_t k = firsts[f] + (int64_t)n;
                double dot, even;
                assert_int_equal(pe_dot_f64(&p.plan, pe_all(k), 1, &dot), PE_OK);
                assert_int_equal(pe_dot_f64(&p.plan, pe_all(-k), 1, &even), PE_OK);
                if (dot != out[1 + n] || dot != even)
                    fail_msg("d_model %zu, k %" PRId64 ": %a and %a", d, k, dot, out[1 + n]);
            }
            plan_free(&p);
        }
}

/* Tests cosines that cancel: the result is 0 if the sum is 0, and otherwise within the stated
   error. */
static void cosines_cancel(void **state)
{
    enum { PAIRS = 6, D = 2 * PAIRS };
    static const double omega[][PAIRS] = {
        {0.5, 0.5, 0.5, 0.5, 0.5, 0.5},                   /* pi/2: each cosine is 0 */
        {0.25, 0.75, 0.5, 0.5, 0.125, 0.875},             /* x and pi - x, in turn  */
        {0.125, 0.0625, 0.03125, 0.875, 0.9375, 0.96875}, /* and apart              */
    };
    (void)state;
    for (size_t n = 0; n < LENGTH(omega); n++) {
        pe_config config = pe_config_default(D);
        pe_plan plan;
        double dots[64];
        config.half_turns = 1;
        void *memory = must_alloc(pe_plan_size(&config));
        assert_int_equal(pe_plan_init_frequencies(&plan, &config, omega[n], PAIRS, memory,
                                                  pe_plan_size(&config)),
                         PE_OK);
        assert_int_equal(pe_dot_f64(&plan, pe_from(0), 64, dots), PE_OK);
        for (size_t k = 1; k < 64; k += 2)
            if (dots[k] != 0 || signbit(dots[k])) fail_msg("%zu: %g at %zu", n, dots[k], k);
        assert_true(dots[0] == PAIRS);
        free(memory);
    }
    { /* k = 355, a sum of +1 and -1 but for the 3e-5 that 355/113 is short of pi */
        pe_config config = pe_config_default(4);
        const double w[2] = {1, 0};
        pe_plan plan;
        double dot;
        mpfr_t exact;
        void *memory = must_alloc(pe_plan_size(&config));
        assert_int_equal(
            pe_plan_init_frequencies(&plan, &config, w, 2, memory, pe_plan_size(&config)), PE_OK);
        mpfr_init2(exact, 512);
        for (int64_t k = 355; k < 2000000000; k = k * 3 + 710 * (k % 5)) {
            mpfr_set_si(exact, (long)k, MPFR_RNDN);
            mpfr_cos(exact, exact, MPFR_RNDN);
            mpfr_add_ui(exact, exact, 1, MPFR_RNDN);
            assert_int_equal(pe_dot_f64(&plan, pe_all(k), 1, &dot), PE_OK);
            assert_true(dot == mpfr_get_d(exact, MPFR_RNDN));
        }
        mpfr_clear(exact);
        free(memory);
    }
}

/* ------------------------------------------------------------------------------------------------
 * Bounds and errors
 * --------------------------------------------------------------------------------------------- */

static void nothing_else_is_touched(void **state)
{
    enum { MOST = 140, ROWS = 5 };
    guarded g = guarded_make(ROWS * (MOST + 7) * sizeof(double));
    (void)state;
    FAIL_ON_FAULT();
    for (size_t d = 1; d <= MOST; d++)
        for (int layout = 0; layout < 4; layout++) {
            owned_plan p;
            algebra_plan(&p, d, 10000.0, layout, 1, 0);
            for (int type = 0; type < TYPES; type++)
                for (size_t rows = 1; rows <= ROWS; rows += 2) {
                    const size_t e = element_of[type], stride = d + (d + rows) % 3;
                    const size_t span = ((rows - 1) * stride + d) * e;
                    unsigned char want[ROWS * (MOST + 7) * 8];
                    fault_case("pe_shift_%s, d_model %zu, layout %d, rows %zu", type_name[type], d,
                               layout, rows);
                    memset(want, CANARY, sizeof want);
                    assert_int_equal(fill(type, &p.plan, 3, rows, want, stride), PE_OK);
                    for (int side = 0; side < 2; side++) {
                        unsigned char *const x = side ? g.end - span : g.begin + e;
                        memset(g.begin, CANARY, (size_t)(g.end - g.begin));
                        memcpy(x, want, span);
                        assert_int_equal(shift(type, &p.plan, 7, rows, x, stride), PE_OK);
                        assert_true(all_canaries(g.begin, (size_t)(x - g.begin)));
                        assert_true(all_canaries(x + span, (size_t)(g.end - x) - span));
                        for (size_t n = 0; n + 1 < rows; n++)
                            assert_true(all_canaries(x + (n * stride + d) * e, (stride - d) * e));
                        if (d % 2) /* the column of zeros */
                            assert_memory_equal(x + (d - 1) * e, want + (d - 1) * e, e);
                    }
                }
            if (d <= 24) {
                double *const m = (double *)(void *)(g.end - d * d * sizeof(double));
                fault_case("pe_shift_f64 of the identity, d_model %zu", d);
                assert_int_equal(shift_matrix(&p.plan, 7, m, d), PE_OK);
            }
            for (size_t n = 1; n < 40; n += 6) {
                fault_case("pe_dot_f64, d_model %zu, count %zu", d, n);
                assert_int_equal(pe_dot_f64(&p.plan, pe_from(7), n, (double *)(void *)g.end - n),
                                 PE_OK);
                assert_int_equal(pe_dot_f64(&p.plan, pe_from(7), n, (double *)(void *)g.begin),
                                 PE_OK);
            }
            plan_free(&p);
        }
    guarded_free(&g);
}

/* Checks that shifts and dot products, or with dots_alone only the latter, refuse the plan of this
   config and write nothing. */
static void refused(const pe_config *config, int dots_alone)
{
    pe_plan plan;
    double x[64], y[64];
    void *memory = must_alloc(pe_plan_size(config));
    assert_int_equal(pe_plan_init(&plan, config, memory, pe_plan_size(config)), PE_OK);
    memset(x, CANARY, sizeof x);
    memcpy(y, x, sizeof x);
    for (int type = 0; type < TYPES && !dots_alone; type++)
        assert_int_equal(shift(type, &plan, 1, 1, x, config->d_model), PE_ERR_PLAN_SHIFT);
    assert_int_equal(pe_dot_f64(&plan, pe_all(1), 1, x), PE_ERR_PLAN_SHIFT);
    assert_int_equal(pe_dot_f64(&plan, pe_from(1), 9, x), PE_ERR_PLAN_SHIFT);
    assert_memory_equal(x, y, sizeof x);
    free(memory);
}

static void bad_arguments(void **state)
{
    owned_plan p;
    double x[64], y[64];
    const size_t huge = (size_t)PTRDIFF_MAX / 4;
    const int64_t beyond = POSITION_MAX + 1;
    (void)state;
    algebra_plan(&p, 6, 10000.0, 0, 1, 0);
    memset(x, CANARY, sizeof x);
    memcpy(y, x, sizeof x);
    for (int type = 0; type < TYPES; type++) {
        assert_int_equal(shift(type, NULL, 1, 0, NULL, 0), PE_OK);
        assert_int_equal(shift(type, NULL, 1, 1, x, 6), PE_ERR_NULL);
        assert_int_equal(shift(type, &p.plan, 1, 1, NULL, 6), PE_ERR_NULL);
        assert_int_equal(shift(type, &p.plan, 1, 1, x, 5), PE_ERR_SHAPE);
        assert_int_equal(shift(type, &p.plan, 1, huge, x, huge), PE_ERR_SIZE);
        assert_int_equal(shift(type, &p.plan, beyond, 1, x, 6), PE_ERR_RANGE);
        assert_int_equal(shift(type, &p.plan, -beyond, 1, x, 6), PE_ERR_RANGE);
        assert_int_equal(shift(type, &p.plan, INT64_MIN, 1, x, 6), PE_ERR_RANGE);
    }
    assert_int_equal(pe_shift_f64(NULL, pe_all(-1), 6, x, 6), PE_ERR_NULL);
    assert_int_equal(pe_shift_f64(&p.plan, pe_all(-1), 6, NULL, 6), PE_ERR_NULL);
    assert_int_equal(pe_shift_f64(&p.plan, pe_all(-1), 6, x, 5), PE_ERR_SHAPE);
    assert_int_equal(pe_shift_f64(&p.plan, pe_all(-1), 6, x, huge), PE_ERR_SIZE);
    assert_int_equal(pe_shift_f64(&p.plan, pe_all(-beyond), 6, x, 6), PE_ERR_RANGE);
    assert_int_equal(pe_dot_f64(NULL, pe_all(1), 1, x), PE_ERR_NULL);
    assert_int_equal(pe_dot_f64(&p.plan, pe_all(1), 1, NULL), PE_ERR_NULL);
    assert_int_equal(pe_dot_f64(&p.plan, pe_all(beyond), 1, x), PE_ERR_RANGE);
    assert_int_equal(pe_dot_f64(NULL, pe_from(1), 0, NULL), PE_OK);
    assert_int_equal(pe_dot_f64(NULL, pe_from(1), 1, x), PE_ERR_NULL);
    assert_int_equal(pe_dot_f64(&p.plan, pe_from(1), 1, NULL), PE_ERR_NULL);
    assert_int_equal(pe_dot_f64(&p.plan, pe_from(-beyond), 1, x), PE_ERR_RANGE);
    assert_int_equal(pe_dot_f64(&p.plan, pe_from(POSITION_MAX), 2, x), PE_ERR_RANGE);
    assert_int_equal(pe_dot_f64(&p.plan, pe_from(1), huge, x), PE_ERR_SIZE);
    assert_memory_equal(x, y, sizeof x);
    plan_free(&p);
}

/* Tests plans that cannot be shifted. They have an odd width, so that they end in a sine, float32
   angles, columns of two axes, or are for RoPE alone, whose rows cannot be written either. */
static void plans_without_shifts(void **state)
{
    static const uint8_t coordinate[4] = {0, 1, 0, 1};
    (void)state;
    pe_config config = pe_config_default(5);
    refused(&config, 0);
    config = pe_config_default(6);
    config.angle = PE_ANGLE_FLOAT32;
    refused(&config, 0);
    config = pe_config_preset(PE_PRESET_MAE_2D, 8);
    refused(&config, 1);
    config = pe_config_default(8), config.axes = 2;
    config.coordinate = coordinate, config.coordinate_length = 4;
    refused(&config, 0);
}

/* Tests a plan of one column of zeros, which has no pair. Its shift changes nothing and its dot
   products are 0. */
static void a_plan_without_pairs(void **state)
{
    (void)state;
    pe_config config = pe_config_default(1);
    config.odd = PE_ODD_ZERO;
    pe_plan plan;
    float one = 0.5f;
    double dot, dots[9], matrix;
    void *memory = must_alloc(pe_plan_size(&config));
    assert_int_equal(pe_plan_init(&plan, &config, memory, pe_plan_size(&config)), PE_OK);
    assert_int_equal(pe_shift_f32(&plan, pe_all(3), 1, &one, 1), PE_OK);
    assert_int_equal(shift_matrix(&plan, 3, &matrix, 1), PE_OK);
    assert_int_equal(pe_dot_f64(&plan, pe_all(3), 1, &dot), PE_OK);
    assert_int_equal(pe_dot_f64(&plan, pe_from(3), 9, dots), PE_OK);
    assert_true(one == 0.5f && matrix == 1 && dot == 0 && dots[8] == 0);
    free(memory);
}

/* Tests shifts of several rows of a plan without pairs, whose one column is 0. The rows stay as
   they are, and nothing divides by the number of pairs, which is 0. */
static void shifts_without_pairs(void **state)
{
    const pe_config config = pe_config_preset(PE_PRESET_T2T, 1);
    double memory[512], d[2] = {1, 2};
    float f[2] = {1, 2};
    uint16_t h[2] = {1, 2};
    pe_plan plan;
    (void)state;
    assert_int_equal(pe_plan_init(&plan, &config, memory, sizeof memory), PE_OK);
    assert_int_equal(plan.pairs, 0);
    assert_int_equal(pe_shift_f32(&plan, pe_from(1), 2, f, 1), PE_OK);
    assert_int_equal(pe_shift_f64(&plan, pe_from(1), 2, d, 1), PE_OK);
    assert_int_equal(pe_shift_f16(&plan, pe_from(1), 2, h, 1), PE_OK);
    assert_int_equal(pe_shift_bf16(&plan, pe_from(1), 2, h, 1), PE_OK);
    assert_true(f[0] == 1 && f[1] == 2 && d[0] == 1 && d[1] == 2 && h[0] == 1 && h[1] == 2);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shifts_are_the_documented_roundings),
        cmocka_unit_test(wide_rows_are_tiled),
        cmocka_unit_test(rows_arrive),
        cmocka_unit_test(every_cut_and_zero),
        cmocka_unit_test(axes_are_shifted_apart),
        cmocka_unit_test(matrix_is_the_rotation),
        cmocka_unit_test(matrices_compose),
        cmocka_unit_test(dots_are_exact),
        cmocka_unit_test(dots_at_the_limits),
        cmocka_unit_test(many_dots_are_the_same),
        cmocka_unit_test(cosines_cancel),
        cmocka_unit_test(nothing_else_is_touched),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(plans_without_shifts),
        cmocka_unit_test(a_plan_without_pairs),
        cmocka_unit_test(shifts_without_pairs),
    };
    test_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
