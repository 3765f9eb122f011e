/* SPDX-License-Identifier: MIT */
/*
 * Proves what models need besides the presets, each against its formula with MPFR. The columns
 * belong to several axes in every order, with frequencies of their own. Pairs rotate by sums over
 * coordinates, also where these cancel. RoPE and tables are tested with such plans.
 */
#include "../oracle.h"
#include "../apart.h"
#include "../published.h"

#define BITS 2400 /* enough for sums of products of doubles, and for their sines if they cancel */

typedef enum type { F32, F64, F16, BF16, TYPES } type;
static const size_t element_of[] = {4, 8, 2, 2};

static double from_bits(type t, const void *row, size_t column)
{
    uint32_t word;
    float x;
    const uint32_t h = t >= F16 ? ((const uint16_t *)row)[column] : 0;
    const int exponent = (int)(h >> 10 & 31);
    switch (t) {
    case F32: return (double)((const float *)row)[column];
    case F64: return ((const double *)row)[column];
    case BF16:
        word = h << 16;
        memcpy(&x, &word, sizeof x);
        return (double)x;
    default:
        x = (float)ldexp(exponent ? 1024 + (h & 1023) : h & 1023, exponent ? exponent - 25 : -24);
        return (double)(h >> 15 ? -x : x);
    }
}

/* Returns whether `got` is the exact number, rounded once to the type. */
static int right(type t, double got, const mpfr_t exact)
{
    static const int precision[] = {24, 53, 11, 8}, least[] = {-148, -1073, -23, -132},
                     most[] = {128, 1024, 16, 128};
    const mpfr_exp_t low = mpfr_get_emin(), high = mpfr_get_emax();
    mpfr_t y;
    mpfr_init2(y, precision[t]);
    mpfr_set_emin(least[t]);
    mpfr_set_emax(most[t]);
    int inexact = mpfr_set(y, exact, MPFR_RNDN);
    inexact = mpfr_check_range(y, inexact, MPFR_RNDN);
    mpfr_subnormalize(y, inexact, MPFR_RNDN);
    const int ok = mpfr_get_d(y, MPFR_RNDN) == got;
    mpfr_set_emin(low);
    mpfr_set_emax(high);
    mpfr_clear(y);
    return ok;
}

static pe_status fill(type t, const pe_plan *p, pe_at at, size_t rows, void *out, size_t stride)
{
    switch (t) {
    case F32: return pe_fill_f32(p, at, rows, (float *)out, stride);
    case F64: return pe_fill_f64(p, at, rows, (double *)out, stride);
    case F16: return pe_fill_f16(p, at, rows, (uint16_t *)out, stride);
    default: return pe_fill_bf16(p, at, rows, (uint16_t *)out, stride);
    }
}
static pe_status add(type t, const pe_plan *p, pe_at at, size_t rows, size_t batches, void *x,
                     size_t stride)
{
    const size_t next = rows * stride;
    switch (t) {
    case F32: return pe_add_batch_f32(p, at, rows, batches, 2, (float *)x, stride, next);
    case F64: return pe_add_batch_f64(p, at, rows, batches, 2, (double *)x, stride, next);
    case F16: return pe_add_batch_f16(p, at, rows, batches, 2, (uint16_t *)x, stride, next);
    default: return pe_add_batch_bf16(p, at, rows, batches, 2, (uint16_t *)x, stride, next);
    }
}

/* ---- the formula ----------------------------------------------------------------------------- */

/* Holds a plan of this test. Its frequencies are in omega, axis after axis, or as [pair][axis]
   for sums. */
typedef struct model {
    pe_config config;
    pe_plan plan;
    void *memory;
    double *omega;
    size_t first[PE_MAX_AXES + 1]; /* the first pair of each axis */
} model;

static void model_end(model *m)
{
    free(m->memory);
    free(m->omega);
}

/* Sets *pair and *cosine to the pair of column j and to whether it is its cosine. Returns 0 if the
   column belongs to no pair. */
static int who(const model *m, size_t j, size_t *pair, int *cosine)
{
    const pe_config *const c = &m->config;
    const size_t axes = c->axes, all = m->first[axes], each = m->first[1];
    const int halves = c->layout == PE_LAYOUT_HALVES;
    if (j >= 2 * all) return 0;
    if (c->columns == PE_COLUMNS_BLOCKS) {
        size_t a = 0;
        while (j >= 2 * m->first[a + 1]) a++;
        const size_t n = m->first[a + 1] - m->first[a], k = j - 2 * m->first[a];
        *pair = m->first[a] + (halves ? k % n : k / 2);
        *cosine = (int)(halves ? k / n : k % 2);
    } else if (c->columns == PE_COLUMNS_FREQUENCIES) {
        const size_t k = halves ? j % all : j; /* [frequency][axis], [frequency][sin, cos][axis] */
        const size_t i = halves ? k / axes : k / (2 * axes);
        *pair = k % axes * each + i;
        *cosine = (int)(halves ? j / all : k / axes % 2);
    } else {
        *pair = halves ? j % all : j / 2;
        *cosine = (int)(halves ? j / all : j % 2);
    }
    *cosine ^= c->cos_first;
    return 1;
}

/* Computes y, column j of the row at the coordinates t. */
static void formula(const model *m, size_t j, const double *t, mpfr_t y)
{
    const pe_config *const c = &m->config;
    size_t pair = 0;
    int cosine = 0;
    mpfr_t x;
    mpfr_set_zero(y, 1);
    if (!who(m, j, &pair, &cosine)) return;
    mpfr_init2(x, BITS);
    for (size_t a = 0; a < c->axes; a++) {
        double w = 0;
        if (c->columns == PE_COLUMNS_SUMS) w = m->omega[pair * c->axes + a];
        else if (pair >= m->first[a] && pair < m->first[a + 1]) w = m->omega[pair];
        const size_t k = c->columns == PE_COLUMNS_SUMS ? a : c->axis[a].coordinate;
        mpfr_set_d(x, w, MPFR_RNDN);
        mpfr_mul_d(x, x, t[k] + c->offset, MPFR_RNDN);
        mpfr_add(y, y, x, MPFR_RNDN);
    }
    mpfr_mul_d(y, y, c->scale, MPFR_RNDN);
    mpfr_mul_2ui(x, y, 2, MPFR_RNDN); /* an integer wherever the sine or cosine of pi y is 0 */
    const int quarters = c->half_turns && mpfr_integer_p(x);
    if (c->half_turns) {
        mpfr_const_pi(x, MPFR_RNDN);
        mpfr_mul(y, y, x, MPFR_RNDN);
    }
    if (cosine) mpfr_cos(y, y, MPFR_RNDN);
    else mpfr_sin(y, y, MPFR_RNDN);
    /* The exact value is 0 there: what is left is only the error of MPFR's pi. */
    if (quarters && !mpfr_zero_p(y) && mpfr_get_exp(y) < -1000) mpfr_set_zero(y, 1);
    mpfr_mul_d(y, y, c->amplitude, MPFR_RNDN);
    mpfr_clear(x);
}

static void compare(const model *m, type t, const double *at, const void *row, const char *what)
{
    mpfr_t y;
    mpfr_init2(y, BITS);
    for (size_t j = 0; j < m->config.d_model; j++) {
        formula(m, j, at, y);
        const double got = from_bits(t, row, j);
        if (!right(t, got, y))
            fail_msg(
                "%s: columns %d, layout %d, %zu axes, type %d, coordinates %a %a %a, column %zu: "
                "got %a, want %a",
                what, (int)m->config.columns, (int)m->config.layout, m->config.axes, (int)t, at[0],
                at[1], at[2], j, got, mpfr_get_d(y, MPFR_RNDN));
    }
    mpfr_clear(y);
}

/* Makes the model of a config with these frequencies, or, if omega is NULL, with those of its
   bases. */
static void model_begin(model *m, const pe_config *config, const double *omega, size_t numbers)
{
    const size_t size = pe_plan_size(config), axes = config->axes;
    if (size == 0) fail_msg("%s", pe_config_error(config));
    m->config = *config;
    m->memory = must_alloc(size);
    m->omega = (double *)must_alloc((numbers ? numbers : config->d_model) * sizeof *m->omega);
    size_t pairs = 0;
    for (size_t a = 0; a < axes; a++) {
        m->first[a] = pairs;
        if (config->columns == PE_COLUMNS_SUMS) pairs = a == 0 ? config->d_model / 2 : pairs;
        else
            pairs +=
                (config->axis[a].width ? config->axis[a].width : config->d_model / (2 * axes) * 2) /
                2;
    }
    m->first[axes] = pairs;
    if (omega) {
        memcpy(m->omega, omega, numbers * sizeof *omega);
        assert_int_equal(pe_plan_init_frequencies(&m->plan, config, omega, pairs, m->memory, size),
                         PE_OK);
    } else {
        assert_int_equal(pe_plan_init(&m->plan, config, m->memory, size), PE_OK);
    }
    assert_int_equal(m->plan.pairs, pairs);
}

/* ---- columns --------------------------------------------------------------------------------- */

/* Tests every order, layout and type with lists of frequencies: rows, points, grids, adding. */
static void columns_of_axes(void **state)
{
    enum { ROWS = 23, MOST = 400 };
    rng r = rng_for("columns_of_axes");
    static unsigned char out[2 * ROWS * MOST * 8], sum[2 * ROWS * MOST * 8];
    (void)state;
    for (size_t n = 0; n < workload(96); n++) {
        const size_t axes = n % 16 == 2 ? 2 : 2 + rng_below(&r, 3); /* wide: axes beyond a tile */
        double omega[MOST], at[ROWS * PE_MAX_AXES];
        pe_config c = pe_config_default(0);
        model m;
        c.axes = axes, c.columns = (pe_columns)(n % 3);
        c.layout = (pe_layout)(n / 3 % 2), c.cos_first = (int)(n / 6 % 2);
        c.expected_rows = rng_below(&r, 2);
        if (n % 5 == 0) c.offset = 0.5;
        if (n % 4 == 0) c.amplitude = -3;
        const size_t equal = n % 16 == 2 ? 140 : 2 + 2 * rng_below(&r, 12);
        size_t pairs = 0;
        for (size_t a = 0; a < axes; a++) {
            c.axis[a].width = c.columns == PE_COLUMNS_FREQUENCIES
                                  ? (axes > 2 ? equal / 4 * 2 : equal)
                                  : 2 * rng_below(&r, 20) + 2;
            if (c.axis[a].width == 0) c.axis[a].width = 2;
            c.axis[a].coordinate = axes - 1 - a;
            pairs += c.axis[a].width / 2;
        }
        c.d_model = 2 * pairs + rng_below(&r, 4);
        const size_t d = c.d_model;
        assert_true(d <= MOST);
        for (size_t i = 0; i < pairs; i++)
            omega[i] = (rng_unit(&r) - 0.25) * ldexp(1, -(int)rng_below(&r, 12));
        model_begin(&m, &c, omega, pairs);
        for (int k = 0; k < TYPES; k++) {
            const type t = (type)k;
            for (size_t i = 0; i < ROWS * axes; i++)
                at[i] = k % 2 ? (double)rng_below(&r, 100000) : (rng_unit(&r) - 0.5) * 1e4;
            const pe_at points = pe_coords_f64(at, axes, axes, 1);
            assert_int_equal(fill(t, &m.plan, points, ROWS, out, d), PE_OK);
            for (size_t row = 0; row < ROWS; row += 11)
                compare(&m, t, at + row * axes, out + row * d * element_of[t], "points");
            memset(sum, 0, sizeof sum); /* 2 * 0 + PE */
            assert_int_equal(add(t, &m.plan, points, ROWS, 2, sum, d), PE_OK);
            for (size_t j = 0; t <= F64 && j < 2 * ROWS * d; j++) /* 16 bits: by way of a float */
                assert_true(from_bits(t, sum, j) == from_bits(t, out, j % (ROWS * d)));
            assert_int_equal(add(t, &m.plan, points, ROWS, 1, sum, d), PE_OK); /* 2 PE + PE */
            for (size_t j = 0; t == F32 && j < ROWS * d; j++) {
                const float x = ((float *)(void *)out)[j];
                assert_true(((float *)(void *)sum)[j] == 2 * x + x); /* 2 x is exact */
            }
            /* consecutive rows, with one coordinate for all axes */
            const double same[PE_MAX_AXES] = {70003, 70003, 70003, 70003};
            assert_int_equal(fill(t, &m.plan, pe_from(70000), ROWS, out, d), PE_OK);
            compare(&m, t, same, out + 3 * d * element_of[t], "a run");
            const size_t shape[PE_MAX_AXES] = {3, 2, 2, 2};
            const size_t cell = axes == 2 ? 3 : axes == 3 ? 6 : 12; /* (1, 1), (1, 1, 0) ... */
            double there[PE_MAX_AXES] = {1, 1, 0, 0};
            assert_int_equal(fill(t, &m.plan, pe_grid(shape, axes), cell + 1, out, d), PE_OK);
            compare(&m, t, there, out + cell * d * element_of[t], "a grid");
        }
        model_end(&m);
    }
}

/* Checks columns whose frequencies are made from a base. With base 2 they are powers of two, so the
   rows must have the bits of a plan with a list of these powers. */
static void columns_by_base(void **state)
{
    enum { D = 24, ROWS = 7 };
    (void)state;
    for (int k = 0; k < 6; k++) {
        double omega[D / 2];
        float got[ROWS * D], want[ROWS * D];
        model a, b;
        pe_config c = pe_config_default(D);
        c.axes = 2, c.axis[1].coordinate = 1;
        c.columns = (pe_columns)(k / 2), c.layout = (pe_layout)(k % 2);
        c.base = 2, c.exponent = PE_EXPONENT_INDEX;
        for (size_t i = 0; i < D / 2; i++) omega[i] = ldexp(1, -(int)(i % (D / 4)));
        model_begin(&a, &c, NULL, 0);
        model_begin(&b, &c, omega, D / 2);
        assert_int_equal(pe_fill_f32(&a.plan, pe_from(-3), ROWS, got, D), PE_OK);
        assert_int_equal(pe_fill_f32(&b.plan, pe_from(-3), ROWS, want, D), PE_OK);
        for (size_t i = 0; i < ROWS * D; i++) assert_true(got[i] == want[i]);
        assert_int_equal(pe_plan_frequencies(&a.plan, omega), PE_OK);
        for (size_t i = 0; i < D / 2; i++)
            assert_true(fabs(omega[i] * ldexp(1, (int)(i % (D / 4))) - 1) < 0x1p-51);
        model_end(&a), model_end(&b);
    }
}

/* Tests that large tables, which are written past the caches, have the same bits. */
static void columns_streamed(void **state)
{
    enum { D = 256, ROWS = 26000, SOME = 1000 }; /* PE_STREAM_BYTES and more */
    float *const all = (float *)must_alloc(ROWS * D * sizeof *all);
    float *const part = (float *)must_alloc(SOME * D * sizeof *part);
    (void)state;
    for (int k = 0; k < 4; k++) {
        model m;
        double matrix[D];
        for (size_t i = 0; i < D; i++) matrix[i] = 1.0 / (double)(i + 1);
        pe_config c = pe_config_default(D);
        c.axes = 2, c.layout = PE_LAYOUT_HALVES, c.columns = (pe_columns)k;
        c.axis[0].width = 120, c.axis[1].width = 136, c.axis[1].coordinate = 1;
        if (k == PE_COLUMNS_FREQUENCIES) c.axis[0].width = c.axis[1].width = D / 2;
        if (k == PE_COLUMNS_SUMS) model_begin(&m, &c, matrix, D);
        else model_begin(&m, &c, NULL, 0);
        assert_int_equal(pe_fill_f32(&m.plan, pe_from(5), ROWS, all, D), PE_OK);
        assert_int_equal(pe_fill_f32(&m.plan, pe_from(5 + 20000), SOME, part, D), PE_OK);
        assert_memory_equal(all + (size_t)20000 * D, part, SOME * D * sizeof *part);
        model_end(&m);
    }
    free(all), free(part);
}

static void refused_columns(void **state)
{
    pe_plan plan;
    double memory[4000], omega[64] = {0};
    float x[64] = {0};
    const pe_heads one = {1, 16, 16};
    (void)state;
    pe_config c = pe_config_default(16);
    c.axes = 2, c.axis[1].coordinate = 1;
    c.columns = PE_COLUMNS_JOINED, c.axis[0].width = 7, c.axis[1].width = 8;
    assert_non_null(strstr(pe_config_error(&c), "even"));
    c.columns = PE_COLUMNS_FREQUENCIES, c.axis[0].width = 6;
    assert_non_null(strstr(pe_config_error(&c), "equal"));
    c.axis[0].width = 8;
    assert_null(pe_config_error(&c));
    c.columns = (pe_columns)4;
    assert_non_null(strstr(pe_config_error(&c), "PE_COLUMNS_"));
    c.columns = PE_COLUMNS_SUMS, c.angle = PE_ANGLE_FLOAT32;
    assert_non_null(strstr(pe_config_error(&c), "PE_ANGLE_EXACT"));
    c.angle = PE_ANGLE_EXACT;
    assert_null(pe_config_error(&c));
    assert_int_equal(pe_plan_init(&plan, &c, memory, sizeof memory), PE_ERR_SUMS);
    assert_int_equal(pe_plan_init_frequencies(&plan, &c, omega, 7, memory, sizeof memory),
                     PE_ERR_PAIRS);
    omega[15] = (double)NAN; /* the last of [8][2] */
    assert_int_equal(pe_plan_init_frequencies(&plan, &c, omega, 8, memory, sizeof memory),
                     PE_ERR_FREQUENCY);
    omega[15] = 0, omega[16] = (double)NAN;
    assert_int_equal(pe_plan_init_frequencies(&plan, &c, omega, 8, memory, pe_plan_size(&c) - 1),
                     PE_ERR_MEMORY);
    assert_int_equal(pe_plan_init_frequencies(&plan, &c, omega, 8, memory, sizeof memory), PE_OK);
    assert_int_equal(pe_plan_frequencies(&plan, omega), PE_ERR_SUMS);
    assert_int_equal(pe_plan_wavelengths(&plan, omega), PE_ERR_SUMS);
    assert_int_equal(pe_shift_f32(&plan, pe_all(1), 1, x, 16), PE_ERR_PLAN_SHIFT);
    c.columns = PE_COLUMNS_FREQUENCIES;
    assert_int_equal(pe_plan_init(&plan, &c, memory, sizeof memory), PE_OK);
    assert_int_equal(pe_shift_f32(&plan, pe_all(1), 1, x, 16), PE_ERR_PLAN_SHIFT);
    assert_int_equal(pe_rope_f32(&plan, pe_all(1), 1, x, one), PE_ERR_PLAN_ROPE);
    c.columns = (pe_columns)77, c.axes = 1; /* one axis does not use it; its range is checked */
    assert_non_null(pe_config_error(&c));
}

/* ---- sums over coordinates ------------------------------------------------------------------- */

static void sums_over_coordinates(void **state)
{
    enum { ROWS = 5, MOST = 300 };
    static double omega[MOST / 2 * PE_MAX_AXES];
    rng r = rng_for("sums_over_coordinates");
    (void)state;
    for (size_t n = 0; n < workload(160); n++) {
        const size_t axes = 2 + rng_below(&r, n % 8 == 0 ? 7 : 2);
        const size_t d = n % 10 == 0 ? 258 + rng_below(&r, 40) : 1 + rng_below(&r, 60);
        const int cancels = n % 3 == 0;
        double at[ROWS * PE_MAX_AXES];
        pe_config c = pe_config_default(d);
        model m;
        c.axes = axes, c.columns = PE_COLUMNS_SUMS, c.odd = PE_ODD_ZERO;
        c.layout = (pe_layout)rng_below(&r, 2), c.cos_first = (int)rng_below(&r, 2);
        c.half_turns = (int)rng_below(&r, 2), c.scale = n % 4 == 0 ? 2 : n % 4 == 1 ? -0.3 : 1;
        c.offset = n % 7 == 0 ? 0.5 : 0;
        c.axis[0].width = 4, c.axis[0].coordinate = 99; /* sums do not use these fields */
        const size_t numbers = d / 2 * axes;
        if (numbers == 0) continue;
        for (size_t i = 0; i < numbers; i++) {
            omega[i] = (rng_unit(&r) - 0.5) * ldexp(1, (int)rng_below(&r, 12) - 4);
            if (cancels && i % axes == 1) omega[i] = -omega[i - 1];  /* w (x - y) */
            if (n % 6 == 1) omega[i] = (double)rng_below(&r, 9) / 4; /* quarters of turns */
        }
        model_begin(&m, &c, omega, numbers);
        for (int k = 0; k < TYPES; k++) {
            const type t = (type)k;
            for (size_t i = 0; i < ROWS * axes; i++) {
                at[i] = (rng_unit(&r) - 0.5) * ldexp(1, (int)rng_below(&r, 20) - 6);
                if (n % 6 == 1) at[i] = (double)rng_below(&r, 64) - 32;
                if (cancels && i % axes == 1) /* y = x, or next to it */
                    at[i] = at[i - 1] *
                            (1 + ldexp((double)rng_below(&r, 3), -52 + 3 * (int)rng_below(&r, 9)));
            }
            unsigned char *const out = (unsigned char *)must_alloc(ROWS * d * element_of[t]);
            assert_int_equal(fill(t, &m.plan, pe_coords_f64(at, axes, axes, 1), ROWS, out, d),
                             PE_OK);
            for (size_t row = 0; row < ROWS; row++)
                compare(&m, t, at + row * axes, out + row * d * element_of[t], "sums");
            free(out);
        }
        model_end(&m);
    }
}

/* Checks sums of angles that double-double cannot resolve. In some, the terms cancel except for one
   that is 2^100 times smaller. In others, the positions are so large that the fast formula for
   angles is not precise enough. */
static void sums_that_nearly_vanish(void **state)
{
    enum { D = 8 };
    static const double w[4 * 4] = {1, -1, 0x1p-60, 0x1p-110, 0x1p20, 0x1p-30, -0x1p20, -0x1p-30,
                                    1, 1,  1,       1,        0x1p20, 0x1p20,  0x1p20,  0x1.8p-3};
    static const double points[][4] = {{1, 1, 0, 0x1.5p-20},
                                       {1, 1, 1, 1},
                                       {0x1p31, 0x1p31, 1, -1},
                                       {0x1p31, -0x1p31, 0x1p31, 0x1p30},
                                       {3, 3, 0, 0},
                                       {0.1, 0.1, 0.1, 0.1},
                                       {0x1p31, 5, 0x1p31, 5},
                                       {1e-300, 1e-300, 0, 1e-200},
                                       {1e9 + 0.1, 1e9 + 0.1, 7, 0x1p-30}};
    unsigned char out[D * 8];
    (void)state;
    for (int half = 0; half < 2; half++) {
        model m;
        pe_config c = pe_config_default(D);
        c.axes = 4, c.columns = PE_COLUMNS_SUMS, c.half_turns = half;
        model_begin(&m, &c, w, 16);
        for (size_t k = 0; k < sizeof points / sizeof *points; k++)
            for (int t = 0; t < TYPES; t++) {
                assert_int_equal(
                    fill((type)t, &m.plan, pe_coords_f64(points[k], 4, 4, 1), 1, out, D), PE_OK);
                compare(&m, (type)t, points[k], out, "near 0");
            }
        model_end(&m);
    }
}

/* ---- RoPE ------------------------------------------------------------------------------------ */

/* Tests heads that such plans rotate. They are compared with rotation by the table's cosines and
   sines, which are right. */
static void rope_of_axes(void **state)
{
    enum { D = 48, HEADS = 3, TOKENS = 9, AXES = 3 };
    rng r = rng_for("rope_of_axes");
    (void)state;
    for (int k = 0; k < 8; k++) {
        const int sums = k / 2 == 3, layout = k % 2;
        double omega[D / 2 * AXES], at[TOKENS * AXES];
        float x[TOKENS * HEADS * D], y[TOKENS * HEADS * D];
        float cosines[TOKENS * D / 2], sines[TOKENS * D / 2];
        const pe_heads heads = {HEADS, D, HEADS * D};
        model m;
        pe_config c = pe_config_default(D);
        if (k / 2 == 2) continue; /* RoPE refuses PE_COLUMNS_FREQUENCIES */
        c.axes = AXES, c.columns = (pe_columns)(k / 2), c.layout = (pe_layout)layout;
        c.axis[0].width = 16, c.axis[1].width = 12, c.axis[2].width = 20;
        for (size_t a = 0; a < AXES; a++) c.axis[a].coordinate = a;
        if (k == 1) continue; /* test_lists.c tests blocks of halves */
        for (size_t i = 0; i < D / 2 * AXES; i++) omega[i] = rng_unit(&r);
        for (size_t i = 0; i < TOKENS * AXES; i++) at[i] = (rng_unit(&r) - 0.5) * 100;
        for (size_t i = 0; i < TOKENS * HEADS * D; i++) x[i] = y[i] = (float)(rng_unit(&r) - 0.5);
        model_begin(&m, &c, omega, sums ? D / 2 * AXES : D / 2);
        const pe_at points = pe_coords_f64(at, AXES, AXES, 1);
        assert_int_equal(pe_rope_table_f32(&m.plan, points, TOKENS, PE_ROPE_TABLE_APART, cosines,
                                           sines, D / 2, NULL),
                         PE_OK);
        mpfr_t want;
        mpfr_init2(want, BITS);
        for (size_t t = 0; t < TOKENS; t++)
            for (size_t i = 0; i < D / 2; i++) {
                const size_t s = layout ? i : 2 * i, next = layout ? D / 2 + i : 2 * i + 1;
                formula(&m, s, at + t * AXES, want);
                assert_true(right(F32, (double)sines[t * D / 2 + i], want));
                formula(&m, next, at + t * AXES, want);
                assert_true(right(F32, (double)cosines[t * D / 2 + i], want));
            }
        mpfr_clear(want);
        assert_int_equal(pe_rope_f32(&m.plan, points, TOKENS, x, heads), PE_OK);
        assert_int_equal(by_apart_f32(c.layout, cosines, sines, D / 2, D / 2, TOKENS, y, heads),
                         PE_OK);
        assert_memory_equal(x, y, sizeof x);
        /* the gradient is the rotation by the opposite angle */
        for (size_t i = 0; i < TOKENS * D / 2; i++) sines[i] = -sines[i];
        assert_int_equal(pe_rope_f32(&m.plan, pe_back(points), TOKENS, x, heads), PE_OK);
        assert_int_equal(by_apart_f32(c.layout, cosines, sines, D / 2, D / 2, TOKENS, y, heads),
                         PE_OK);
        assert_memory_equal(x, y, sizeof x);
        float both[TOKENS * D], pairs[TOKENS * D];
        assert_int_equal(
            pe_rope_table_f32(&m.plan, points, TOKENS, PE_ROPE_TABLE_JOINED, both, NULL, D, NULL),
            PE_OK);
        assert_int_equal(
            pe_rope_table_f32(&m.plan, points, TOKENS, PE_ROPE_TABLE_COMPLEX, pairs, NULL, D, NULL),
            PE_OK);
        for (size_t t = 0; t < TOKENS; t++)
            for (size_t i = 0; i < D / 2; i++) {
                const float c1 = cosines[t * D / 2 + i], s1 = -sines[t * D / 2 + i];
                assert_true(both[t * D + i] == c1 && both[t * D + D / 2 + i] == s1);
                assert_true(pairs[t * D + 2 * i] == c1 && pairs[t * D + 2 * i + 1] == s1);
            }
        model_end(&m);
    }
}

/* ---- what others print ----------------------------------------------------------------------- */

static void rows_that_others_print(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof published_rows / sizeof *published_rows; k++) {
        const published *const p = &published_rows[k];
        pe_config c = pe_config_preset(p->preset, p->d_model);
        float row[512];
        pe_plan plan;
        c.scale = p->scale;
        const size_t size = pe_plan_size(&c);
        void *const memory = must_alloc(size);
        assert_int_equal(pe_plan_init(&plan, &c, memory, size), PE_OK);
        const pe_at at = pe_coords_f64(p->at, c.axes, c.axes, 1);
        assert_int_equal(pe_fill_f32(&plan, at, 1, row, p->d_model), PE_OK);
        for (size_t i = 0; i < p->count; i++)
            if (!(fabs((double)row[p->column + i] - p->values[i]) <= p->digits))
                fail_msg("%s: position %g, column %zu: %.9g, not %.9g", p->source, p->at[0],
                         p->column + i, (double)row[p->column + i], p->values[i]);
        free(memory);
    }
}

/* Checks that every preset has published numbers in published.h, so that a new one cannot go
   untested. */
static void every_preset_has_been_printed(void **state)
{
    (void)state;
    for (int preset = 0; preset < (int)PE_PRESET_COUNT; preset++) {
        size_t found = 0;
        for (size_t k = 0; k < sizeof published_rows / sizeof *published_rows; k++)
            found += (int)published_rows[k].preset == preset;
        if (found == 0) fail_msg("no published numbers of preset %d", preset);
    }
}

static void frequencies_of_others(void **state)
{
    double omega[256], attention;
    size_t seen[PE_ROPE_TYPE_COUNT] = {0};
    mpfr_t w, x;
    (void)state;
    mpfr_inits2(300, w, x, (mpfr_ptr)NULL);
    for (size_t k = 0; k < sizeof published_ropes / sizeof *published_ropes; k++) {
        const published_rope *const p = &published_ropes[k];
        pe_rope_config c = pe_rope_config_default(p->head_dim);
        seen[p->type]++;
        c.rotary_dim = p->rotary_dim, c.rope_theta = p->theta, c.rope_type = p->type,
        c.factor = p->factor;
        c.original_max_position_embeddings = p->original, c.max_position_embeddings = p->most;
        c.sequence_length = p->length, c.low_freq_factor = p->low, c.high_freq_factor = p->high;
        c.mscale = p->mscale, c.mscale_all_dim = p->mscale_all, c.truncate = p->truncate;
        c.long_factor = phi3_long, c.short_factor = phi3_short;
        assert_int_equal(pe_rope_frequencies(&c, omega, &attention), PE_OK);
        if (!(fabs(attention - p->attention) <= 1e-15))
            fail_msg("%s: attention factor %.17g, not %.17g", p->source, attention, p->attention);
        for (size_t i = 0; i < 6; i++)
            if (!(fabs(omega[p->pairs[i]] - p->values[i]) <= p->digits * p->values[i]))
                fail_msg("%s: pair %zu: %.9g, not %.9g", p->source, p->pairs[i], omega[p->pairs[i]],
                         p->values[i]);
        for (size_t i = 0; p->type == PE_ROPE_LONGROPE && i < 48; i++) { /* a model's own factors */
            mpfr_set_d(w, p->theta, MPFR_RNDN);
            mpfr_set_si(x, -(long)i, MPFR_RNDN);
            mpfr_div_ui(x, x, 48, MPFR_RNDN);
            mpfr_pow(w, w, x, MPFR_RNDN);
            mpfr_div_d(w, w, (p->length > p->original ? phi3_long : phi3_short)[i], MPFR_RNDN);
            assert_true(omega[i] == mpfr_get_d(w, MPFR_RNDN));
        }
    }
    for (size_t t = 0; t < PE_ROPE_TYPE_COUNT; t++) assert_true(seen[t] > 0);
    mpfr_clears(w, x, (mpfr_ptr)NULL);
}

static void frequencies_in_float_of_others(void **state)
{
    double omega[256];
    (void)state;
    for (size_t k = 0; k < sizeof published_floats / sizeof *published_floats; k++) {
        const published_float *const p = &published_floats[k];
        pe_config c = pe_config_default(p->d_model);
        c.base = p->base;
        assert_int_equal(pe_frequencies_float32(&c, p->formula, omega), PE_OK);
        for (size_t i = 0; i < 6;
             i++) { /* to an ulp: their powf and expf are not correctly rounded */
            const double ulp = p->values[i] * 0x1p-23;
            if (!(fabs(omega[p->pairs[i]] - p->values[i]) <= ulp))
                fail_msg("%s: pair %zu: %.9g, not %.9g", p->source, p->pairs[i], omega[p->pairs[i]],
                         p->values[i]);
        }
    }
}

static void turns_of_others(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof published_turns / sizeof *published_turns; k++) {
        const published_turn *const p = &published_turns[k];
        static const double at[] = {7, 3, 5};
        const pe_heads one = {1, 16, 16};
        float x[16];
        pe_plan plan;
        pe_rope_config c = pe_rope_config_default(16);
        if (p->how == TURN_ADJACENT || p->how == TURN_YARN) c.layout = PE_LAYOUT_INTERLEAVED;
        if (p->how == TURN_APART) c.rope_interleave = 1;
        if (p->how == TURN_YARN)
            c.rope_type = PE_ROPE_YARN, c.factor = 4, c.original_max_position_embeddings = 32;
        if (p->how == TURN_BLOCKS || p->how == TURN_WOVEN)
            c.axes = 3, c.sections[0] = 4, c.sections[1] = c.sections[2] = 2;
        if (p->how == TURN_WOVEN)
            c.section_order = PE_SECTIONS_INTERLEAVED, c.sections[0] = c.sections[1] = 3;
        if (p->how == TURN_VISION)
            c.axes = 2, c.sections[0] = c.sections[1] = 4, c.section_order = PE_SECTIONS_VISION;
        const size_t size = pe_rope_plan_size(&c);
        void *const memory = must_alloc(size);
        assert_int_equal(pe_rope_plan_init(&plan, &c, memory, size), PE_OK);
        for (size_t i = 0; i < 16; i++) x[i] = (float)((int)(7 * i % 11) - 5);
        assert_int_equal(pe_rope_f32(&plan, pe_coords_f64(at, c.axes, 3, 1), 1, x, one), PE_OK);
        for (size_t i = 0; i < 16; i++)
            if (!(fabs((double)x[i] - p->values[i]) <= 1e-5))
                fail_msg("%s: element %zu: %.9g, not %.9g", p->source, i, (double)x[i],
                         p->values[i]);
        free(memory);
    }
}

static void tables_of_others(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof published_tables / sizeof *published_tables; k++) {
        const published_table *const p = &published_tables[k];
        float cosines[8] = {0}, sines[8] = {0};
        static unsigned char memory[PE_PLAN_BYTES(8)];
        pe_plan plan;
        pe_config c = pe_config_default(8);
        c.layout = p->layout, c.expected_rows = 1;
        const int two = p->table == PE_ROPE_TABLE_APART || p->table == PE_ROPE_TABLE_TWICE;
        assert_int_equal(pe_plan_init(&plan, &c, memory, sizeof memory), PE_OK);
        assert_int_equal(
            pe_rope_table_f32(&plan, pe_from(5), 1, p->table, cosines, two ? sines : NULL, 8, NULL),
            PE_OK);
        for (size_t i = 0; i < 8; i++)
            if (!(fabs((double)cosines[i] - p->cosines[i]) <= 1e-6 &&
                  fabs((double)sines[i] - p->sines[i]) <= 1e-6))
                fail_msg("%s: element %zu: %.9g and %.9g", p->source, i, (double)cosines[i],
                         (double)sines[i]);
    }
}

static void biases_of_others(void **state)
{
    enum { DISTANCES = sizeof published_t5[0] / sizeof *published_t5[0], HEADS = 12 };
    float slopes[HEADS], scores[6 * 6] = {0}, biases[15];
    (void)state;
    assert_int_equal(pe_alibi_slopes_f32(HEADS, 8, slopes), PE_OK);
    for (size_t h = 0; h < HEADS; h++) assert_true(slopes[h] == (float)published_slopes[h]);
    for (int decoder = 0; decoder < 2; decoder++)
        for (size_t k = 0; k < DISTANCES; k++) { /* key 0 or the last of a row */
            static int32_t index[512];
            const int d = published_t5[0][k];
            assert_int_equal(pe_bias_t5_i32(32, 128, !decoder, pe_from(d < 0 ? -d : 0), 1,
                                            pe_from(0), d < 0 ? 1 : (size_t)d + 1, index),
                             PE_OK);
            if (index[d < 0 ? 0 : d] != published_t5[1 + decoder][k])
                fail_msg("T5, distance %d: bucket %d, not %d", d, (int)index[d < 0 ? 0 : d],
                         published_t5[1 + decoder][k]);
        }
    for (size_t i = 0; i < 15; i++)
        biases[i] = (float)(i * i); /* Swin's: the entry depends on both distances */
    assert_int_equal(pe_bias_add_f32(biases, 15, 1, published_swin, 6, 6, scores, 6, 36), PE_OK);
    for (size_t q = 0; q < 6; q++)
        for (size_t key = 0; key < 6; key++) {
            const int entry =
                ((int)(q / 3) - (int)(key / 3) + 1) * 5 + (int)(q % 3) - (int)(key % 3) + 2;
            assert_true(scores[q * 6 + key] == (float)(entry * entry));
        }
}

static void factors_of_others(void **state)
{
    static const size_t periods[] = {8192, 16384};
    float got[4];
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        const pe_at at = pe_from(k == 0 ? -4 : 3);
        assert_int_equal(pe_rope_xpos_f32(4, 512, k == 2 ? pe_back(at) : at, 1, got, 4), PE_OK);
        for (size_t i = 0; i < 4; i++)
            assert_true(fabs((double)got[i] - published_xpos[k][i]) <= 2e-7);
    }
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < 4; i++) {
            const double *const p = published_scales[k][i];
            assert_int_equal(pe_rope_query_scale_f32(PE_QUERY_SCALE_FLOOR, 0.1, periods[k], k == 0,
                                                     pe_at_f64(p), 1, got),
                             PE_OK);
            assert_true(fabs((double)got[0] - p[1]) <= 3e-7);
        }
}

static void resampled_by_others(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof published_resamples / sizeof *published_resamples; k++) {
        const published_resample *const p = &published_resamples[k];
        float table[12], out[15];
        pe_resample how;
        memset(&how, 0, sizeof how);
        how.method = p->method, how.a = p->antialias ? -0.5 : -0.75;
        how.antialias = p->antialias, how.align_corners = p->align_corners;
        if (p->scaled)
            how.scale_y = ((double)p->height + 0.1) / 3, how.scale_x = ((double)p->width + 0.1) / 4;
        for (size_t i = 0; i < 12; i++) table[i] = (float)((5 * (i / 4) + 3 * (i % 4)) % 7) / 4;
        assert_int_equal(pe_learned_resample_f32(table, 3, 4, 1, &how, out, p->height, p->width),
                         PE_OK);
        for (size_t i = 0; i < p->height * p->width; i++)
            if (!(fabs((double)out[i] - p->values[i]) <= 1e-6))
                fail_msg("%s: number %zu: %.9g, not %.9g", p->source, i, (double)out[i],
                         p->values[i]);
    }
}

/* ---- models by name -------------------------------------------------------------------------- */

/* Checks what docs/conventions.md says about models with several axes. For each model, the plan is
   the one described there, and the angle of a pair is computed as the model's own code does. */
static const char *const names_of[NAMES] = {
    "Flux",    "Wan",       "CogVideoX", "Llama 4 vision",   "DINOv3",
    "Pixtral", "Cosmos",    "Perceiver", "Kimi-VL",          "LTX",
    "SAM",     "LightGlue", "GLIGEN",    "timm FourierEmbed"};
static const double named_pi = 3.14159265358979323846;

static double some_weight(size_t i) { return sin((double)(7 * i + 1)) * 3; }

/* Returns the angle of pair i at the coordinates t. Pairs are numbered in the order of the
   columns. */
static double named_angle(named m, size_t i, const double *t)
{
    static const size_t flux[] = {8, 28, 28}, wan[] = {22, 21, 21}, cog[] = {8, 12, 12};
    static const double cosmos[] = {20671.155660140554, 10000,
                                    10000}; /* 10000 2^(44/42) for frames */
    size_t a = 0, k = i;
    switch (m) {
    case FLUX:
    case WAN:
    case COGVIDEOX: { /* columns of the axes: axes_dim; 44, 42, 42; d/4, 3d/8, 3d/8 */
        const size_t *const pairs = m == FLUX ? flux : m == WAN ? wan : cog;
        for (; k >= pairs[a]; a++) k -= pairs[a];
        return t[a] * pow(10000, -2.0 * (double)k / (2.0 * (double)pairs[a]));
    }
    case LLAMA4: /* 44 pairs: x, then y, each starting at 1 */
        return (t[i / 22] + 1) * pow(10000, -2.0 * (double)(i % 22) / 44);
    case DINOV3: /* 2 pi coordinate / period */
        return 2 * named_pi * t[i / 16] / pow(100, 2.0 * (double)(i % 16) / 32);
    case PIXTRAL: /* rows by the even frequencies, columns by the odd ones */
        return t[i / 16] * pow(10000, -2.0 * (double)(2 * (i % 16) + i / 16) / 64);
    case COSMOS: /* a base for each axis */
        for (; k >= wan[a]; a++) k -= wan[a];
        return t[a] * pow(cosmos[a], -2.0 * (double)k / (2.0 * (double)wan[a]));
    case PERCEIVER: /* pi f x, f from 1 to 5 in equal steps */
        return named_pi * t[i / 8] * (1 + 4.0 * (double)(i % 8) / 7);
    case KIMI: /* x and y in turn */ return t[i % 2] * pow(10000, -4.0 * (double)(i / 2) / 64);
    case LTX: /* frequency by frequency, behind pairs that do not turn */
        return i == 0 ? 0
                      : named_pi / 2 * pow(10000, (double)((i - 1) / 3) / 4) *
                            (2 * t[(i - 1) % 3] - 1);
    case SAM:
        return 2 * named_pi *
               ((2 * t[0] - 1) * some_weight(2 * i) + (2 * t[1] - 1) * some_weight(2 * i + 1));
    case LIGHTGLUE: return t[0] * some_weight(2 * i) + t[1] * some_weight(2 * i + 1);
    case GLIGEN: return t[i % 4] * pow(100, (double)(i / 4) / 8);
    default: return named_pi * t[i % 2] * (double)((size_t)1 << i / 2); /* pi 2^k x, k by k */
    }
}

/* Sets the fields of a model's config, and omega for models whose frequencies are a list; SAM's are
   those of some_weight(). Returns whether the frequencies are a list. */
static int named_config(named m, pe_config *c, double *omega)
{
    const size_t d = c->d_model, h = d / 2;
    int is_list = 1;
    switch (m) {
    case FLUX:
        c->axis[0].width = 16, c->axis[1].width = c->axis[2].width = 56;
        is_list = 0;
        break;
    case WAN:
        c->axis[0].width = 44, c->axis[1].width = c->axis[2].width = 42;
        is_list = 0;
        break;
    case COGVIDEOX:
        c->axis[0].width = 16, c->axis[1].width = c->axis[2].width = 24;
        is_list = 0;
        break;
    case LLAMA4:
        c->axis[0].width = c->axis[1].width = 44, c->offset = 1;
        is_list = 0;
        break;
    case DINOV3:
    case PIXTRAL:
    case PERCEIVER:
        c->columns = PE_COLUMNS_JOINED, c->layout = PE_LAYOUT_HALVES;
        c->axis[0].width = c->axis[1].width = d / 2;
        break;
    case COSMOS:
        c->columns = PE_COLUMNS_JOINED, c->layout = PE_LAYOUT_HALVES;
        c->axis[0].width = 44, c->axis[1].width = c->axis[2].width = 42;
        break;
    case SAM:
        c->layout = PE_LAYOUT_HALVES, c->scale = 2, c->half_turns = 1;
        for (size_t i = 0; i < 2 * h; i++) omega[i] = some_weight(i);
        c->columns = PE_COLUMNS_SUMS;
        break;
    case KIMI:
    case LTX:
    case LIGHTGLUE: c->columns = PE_COLUMNS_SUMS; break;
    case GLIGEN:
        c->columns = PE_COLUMNS_FREQUENCIES, c->base = 0.01, c->exponent = PE_EXPONENT_PAIRS;
        is_list = 0;
        break;
    case FOURIER_EMBED:
    case NAMES:
    default:
        c->columns = PE_COLUMNS_FREQUENCIES, c->layout = PE_LAYOUT_HALVES;
        c->exponent = PE_EXPONENT_INDEX, c->base = 0.5, c->half_turns = 1;
        is_list = 0;
    }
    return is_list;
}

static void models_by_name(void **state)
{
    enum { MOST = 128, POINTS = 3 };
    static const size_t axes[NAMES] = {3, 3, 3, 2, 2, 2, 3, 2, 2, 3, 2, 2, 4, 2},
                        width[NAMES] = {128, 128, 64, 88, 64, 64, 128, 32, 64, 32, 32, 32, 64, 24};
    (void)state;
    for (int n = 0; n < (int)NAMES; n++) {
        const named m = (named)n;
        const size_t d = width[n], h = d / 2, dim = axes[n];
        double omega[MOST * 4] = {0}, row[MOST], zero[4] = {0}, one[4];
        pe_config c = pe_config_default(d);
        c.axes = dim;
        for (size_t a = 0; a < dim; a++) c.axis[a].coordinate = a;
        for (size_t a = 0; a < dim; a++) { /* frequencies, from the angles */
            memset(one, 0, sizeof one);
            one[a] = 1;
            for (size_t i = 0; i < h; i++) {
                const double w = named_angle(m, i, one) - named_angle(m, i, zero);
                if (m >= KIMI && m <= LIGHTGLUE) omega[i * dim + a] = w;
                else omega[i] += w;
            }
        }
        const int is_list = named_config(m, &c, omega);
        const size_t size = pe_plan_size(&c);
        void *const memory = must_alloc(size);
        pe_plan plan;
        assert_true(size > 0);
        const pe_status status = is_list
                                     ? pe_plan_init_frequencies(&plan, &c, omega, h, memory, size)
                                     : pe_plan_init(&plan, &c, memory, size);
        if (status != PE_OK) fail_msg("%s: %s", names_of[n], pe_status_string(status));
        for (size_t k = 0; k < POINTS; k++) {
            double t[4], seen[4];
            for (size_t a = 0; a < 4; a++)
                t[a] = m <= LLAMA4 || m == COSMOS || m == KIMI ? (double)(3 + 5 * k + 7 * a)
                                                               : 0.125 * (double)(1 + a + 2 * k);
            for (size_t a = 0; a < 4; a++) seen[a] = m == SAM || m == LTX ? 2 * t[a] - 1 : t[a];
            if (m == LTX) /* omega is of t, twice that of 2 t - 1 */
                for (size_t i = 0; i < h * dim && k == 0; i++) omega[i] /= 2;
            if (m == LTX && k == 0)
                assert_int_equal(pe_plan_init_frequencies(&plan, &c, omega, h, memory, size),
                                 PE_OK);
            assert_int_equal(pe_fill_f64(&plan, pe_coords_f64(seen, dim, dim, 1), 1, row, d),
                             PE_OK);
            for (size_t j = 0; j < d; j++) {
                size_t pair = j / 2, cosine = j % 2;
                if (c.layout == PE_LAYOUT_HALVES) pair = j % h, cosine = j / h;
                if (m == GLIGEN) pair = j / 8 * 4 + j % 4, cosine = j / 4 % 2;
                const double x = named_angle(m, pair, t), want = cosine ? cos(x) : sin(x);
                if (!(fabs(row[j] - want) <= 1e-13 * (fabs(x) + 100)))
                    fail_msg("%s: point %zu, column %zu: got %.17g, want %.17g", names_of[n], k, j,
                             row[j], want);
            }
        }
        size_t printed = 0; /* the rows in published.h, which the model's project computed */
        for (size_t k = 0; k < sizeof published_models / sizeof *published_models; k++) {
            const published_model *const p = &published_models[k];
            double seen[4];
            if (p->model != m) continue;
            for (size_t a = 0; a < 4; a++)
                seen[a] = m == SAM || m == LTX ? 2 * p->at[a] - 1 : p->at[a];
            assert_int_equal(pe_fill_f64(&plan, pe_coords_f64(seen, dim, dim, 1), 1, row, d),
                             PE_OK);
            for (size_t i = 0; i < p->count; i++)
                if (!(fabs(row[p->column + i] - p->values[i]) <= p->digits))
                    fail_msg("%s: column %zu: %.9g, not %.9g", p->source, p->column + i,
                             row[p->column + i], p->values[i]);
            printed++;
        }
        assert_true(printed > 0);
        free(memory);
    }
}

/* Checks scalings that docs/rope.md describes as special cases of others, against the formulas that
   their projects use. */
static void scalings_by_other_names(void **state)
{
    enum { N = 64 };
    double omega[N / 2], factor;
    (void)state;
    pe_rope_config c = pe_rope_config_default(N); /* vLLM's dynamic: one base for all lengths */
    c.rope_type = PE_ROPE_DYNAMIC_NTK, c.factor = 4, c.max_position_embeddings = 2048;
    c.sequence_length = 4 * 2048;
    assert_int_equal(pe_rope_frequencies(&c, omega, NULL), PE_OK);
    const double base = 10000 * pow(4.0 * (4 * 2048) / 2048 - 3, (double)N / (N - 2));
    for (size_t i = 0; i < N / 2; i++)
        assert_true(fabs(omega[i] * pow(base, 2.0 * (double)i / N) - 1) < 1e-13);

    c = pe_rope_config_default(N); /* NTK by parts: definition 2 of YaRN's paper */
    c.rope_type = PE_ROPE_LLAMA3, c.factor = 16, c.original_max_position_embeddings = 4096;
    c.low_freq_factor = 1, c.high_freq_factor = 32;
    assert_int_equal(pe_rope_frequencies(&c, omega, &factor), PE_OK);
    assert_true(factor == 1);
    for (size_t i = 0; i < N / 2; i++) {
        const double w = pow(10000, -2.0 * (double)i / N), r = 4096 * w / (2 * named_pi);
        const double gamma = r < 1 ? 0 : r > 32 ? 1 : (r - 1) / 31;
        assert_true(fabs(omega[i] / ((1 - gamma) * w / 16 + gamma * w) - 1) < 1e-13);
    }

    c = pe_rope_config_default(N); /* dynamic YaRN up to the training length scales nothing */
    c.rope_type = PE_ROPE_YARN, c.factor = 1, c.original_max_position_embeddings = 4096;
    assert_int_equal(pe_rope_frequencies(&c, omega, &factor), PE_OK);
    for (size_t i = 0; i < N / 2; i++)
        assert_true(fabs(omega[i] * pow(10000, 2.0 * (double)i / N) - 1) < 1e-13);
    assert_true(factor == 1);
}

/* ---- frequencies of others ------------------------------------------------------------------- */

static float round_to_float(const mpfr_t x) { return mpfr_get_flt(x, MPFR_RNDN); }

/* Returns a frequency as float32 code computes it: MPFR computes each operation, rounded to
   float. */
static float float32_frequency(pe_float32 formula, double base, size_t i, double d)
{
    mpfr_t x, y;
    float w;
    mpfr_inits2(200, x, y, (mpfr_ptr)NULL);
    mpfr_set_d(x, base, MPFR_RNDN);
    mpfr_log(x, x, MPFR_RNDN);
    mpfr_neg(x, x, MPFR_RNDN);
    if (formula == PE_FLOAT32_POW) {
        mpfr_set_d(y, (double)i, MPFR_RNDN);
        mpfr_div_d(y, y, d, MPFR_RNDN);
        mpfr_set_flt(y, round_to_float(y), MPFR_RNDN);
        mpfr_set_flt(x, (float)base, MPFR_RNDN);
        mpfr_pow(x, x, y, MPFR_RNDN);
        mpfr_ui_div(x, 1, (mpfr_set_flt(y, round_to_float(x), MPFR_RNDN), y), MPFR_RNDN);
    } else {
        if (formula == PE_FLOAT32_EXP) mpfr_div_d(x, x, d, MPFR_RNDN);
        mpfr_set_flt(x, round_to_float(x), MPFR_RNDN);
        mpfr_mul_ui(x, x, (unsigned long)i, MPFR_RNDN);
        mpfr_set_flt(x, round_to_float(x), MPFR_RNDN);
        if (formula == PE_FLOAT32_EXP_OF_RATIO) mpfr_div_d(x, x, d, MPFR_RNDN);
        mpfr_set_flt(x, round_to_float(x), MPFR_RNDN);
        mpfr_exp(x, x, MPFR_RNDN);
    }
    w = round_to_float(x);
    mpfr_clears(x, y, (mpfr_ptr)NULL);
    return w;
}

static void frequencies_of_float32_code(void **state)
{
    static const double bases[] = {10000, 5e5, 1e6, 1, 3.7, 0x1p126};
    static const size_t widths[] = {1, 2, 3, 64, 127, 128, 130, 320, 512};
    double omega[257];
    (void)state;
    for (int k = 0; k < 3 * 6 * 9 * 3; k++) {
        const pe_float32 formula = (pe_float32)(k % 3);
        pe_config c = pe_config_default(widths[k / 3 % 9]);
        c.base = bases[k / 27 % 6], c.exponent = (pe_exponent)(k / 162);
        c.exponent_shift = k % 2 ? 1 : 0;
        if (pe_plan_size(&c) == 0) continue; /* too many octaves, or no denominator */
        const size_t h = c.d_model / 2, pairs = (c.d_model + 1) / 2;
        double d = c.exponent == PE_EXPONENT_WIDTH ? (double)c.d_model / 2 : 1;
        if (c.exponent == PE_EXPONENT_PAIRS) d = (double)h - c.exponent_shift;
        if (pairs == 1) d = 1;
        assert_int_equal(pe_frequencies_float32(&c, formula, omega), PE_OK);
        for (size_t i = 0; i < pairs; i++) {
            const float want = float32_frequency(formula, c.base, i, d);
            if (omega[i] != (double)want)
                fail_msg("formula %d, base %g, d %zu, exponent %d, pair %zu: got %a, want %a",
                         (int)formula, c.base, c.d_model, (int)c.exponent, i, omega[i],
                         (double)want);
        }
    }
    pe_config c = pe_config_default(8);
    assert_int_equal(pe_frequencies_float32(NULL, PE_FLOAT32_POW, omega), PE_ERR_NULL);
    assert_int_equal(pe_frequencies_float32(&c, PE_FLOAT32_POW, NULL), PE_ERR_NULL);
    assert_int_equal(pe_frequencies_float32(&c, (pe_float32)3, omega), PE_ERR_ENUM);
    c.base = 0.5;
    assert_int_equal(pe_frequencies_float32(&c, PE_FLOAT32_POW, omega), PE_ERR_BASE);
    c.base = 0x1.0p127;
    assert_int_equal(pe_frequencies_float32(&c, PE_FLOAT32_POW, omega), PE_ERR_BASE);
    c = pe_config_preset(PE_PRESET_MAE_2D, 16);
    assert_int_equal(pe_frequencies_float32(&c, PE_FLOAT32_POW, omega), PE_ERR_BASE);
}

/* Sets `low` to the pair where YaRN's ramp begins and `length` to the number of pairs that it has,
   but at least 0.001. */
static void ggml_ramp(const pe_rope_ggml *g, double base, mpfr_t low, mpfr_t length)
{
    const size_t pairs = g->n_dims / 2;
    mpfr_t high, x, y;
    mpfr_inits2(400, high, x, y, (mpfr_ptr)NULL);
    for (int k = 0; k < 2; k++) { /* the pairs where the ramp begins and ends */
        const double beta = k ? (g->beta_slow == 0 ? 1 : (double)g->beta_slow)
                              : (g->beta_fast == 0 ? 32 : (double)g->beta_fast);
        mpfr_const_pi(x, MPFR_RNDN);
        mpfr_mul_d(x, x, 2 * beta, MPFR_RNDN);
        mpfr_ui_div(x, (unsigned long)g->n_ctx_orig, x, MPFR_RNDN);
        mpfr_log(x, x, MPFR_RNDN);
        mpfr_set_d(y, base, MPFR_RNDN);
        mpfr_log(y, y, MPFR_RNDN);
        mpfr_div(x, x, y, MPFR_RNDN);
        mpfr_mul_ui(x, x, (unsigned long)pairs, MPFR_RNDN);
        if (k == 0) mpfr_floor(low, x);
        else mpfr_ceil(high, x);
    }
    if (mpfr_sgn(low) < 0) mpfr_set_ui(low, 0, MPFR_RNDN);
    if (mpfr_cmp_d(high, 2 * (double)pairs - 1) > 0)
        mpfr_set_d(high, 2 * (double)pairs - 1, MPFR_RNDN);
    mpfr_sub(length, high, low, MPFR_RNDN);
    mpfr_set_ui(x, 1, MPFR_RNDN);
    mpfr_div_ui(x, x, 1000, MPFR_RNDN);
    if (mpfr_cmp(length, x) < 0) mpfr_set(length, x, MPFR_RNDN);
    mpfr_clears(high, x, y, (mpfr_ptr)NULL);
}

/* Checks ggml's frequencies against MPFR, where m is YaRN's ramp and n is the number of dimensions:

       freq_base^(-2i/n) (freq_scale (1 - m) + m) / factor */
static void ggml_frequencies(void **state)
{
    rng r = rng_for("ggml_frequencies");
    static float factors[128];
    double omega[129], attention;
    mpfr_t w, low, length, x, y;
    (void)state;
    mpfr_inits2(400, w, low, length, x, y, (mpfr_ptr)NULL);
    for (size_t n = 0; n < workload(400); n++) {
        pe_rope_ggml g;
        memset(&g, 0, sizeof g);
        const size_t pairs = 1 + rng_below(&r, 128);
        for (size_t i = 0; i < 128; i++)
            factors[i] = (float)ldexp(1 + rng_unit(&r), (int)rng_below(&r, 5) - 2);
        g.n_dims = 2 * pairs;
        g.freq_base = n % 5 == 0 ? 0 : (float)ldexp(1 + rng_unit(&r), (int)rng_below(&r, 24));
        g.freq_scale = n % 7 == 0 ? 0 : (float)ldexp(1 + rng_unit(&r), (int)rng_below(&r, 9) - 6);
        g.ext_factor = n % 2 ? (float)rng_unit(&r) : n % 4 ? 1 : 0;
        g.attn_factor = n % 3 ? 0 : 1.5f;
        g.beta_fast = n % 3 ? 0 : (float)(rng_unit(&r) * 60 + 0.01);
        g.beta_slow = n % 9 ? 0 : (float)(rng_unit(&r) * 60 + 0.01); /* also above beta_fast */
        g.n_ctx_orig = n % 11 == 0 ? 0 : 1 + rng_below(&r, 1u << rng_below(&r, 20));
        g.freq_factors = n % 6 == 0 ? factors : NULL;
        const double base = g.freq_base == 0 ? 10000 : (double)g.freq_base;
        const double scale = g.freq_scale == 0 ? 1 : (double)g.freq_scale;
        assert_int_equal(pe_rope_ggml_frequencies(&g, omega, n % 5 ? &attention : NULL), PE_OK);
        ggml_ramp(&g, base, low, length);
        for (size_t i = 0; i < pairs; i++) {
            mpfr_d_sub(x, (double)i, low, MPFR_RNDN);
            mpfr_div(x, x, length, MPFR_RNDN);
            if (mpfr_sgn(x) < 0) mpfr_set_ui(x, 0, MPFR_RNDN);
            if (mpfr_cmp_ui(x, 1) > 0) mpfr_set_ui(x, 1, MPFR_RNDN);
            mpfr_ui_sub(x, 1, x, MPFR_RNDN);
            mpfr_mul_d(x, x, (double)g.ext_factor, MPFR_RNDN); /* m */
            mpfr_ui_sub(y, 1, x, MPFR_RNDN);
            mpfr_mul_d(y, y, scale, MPFR_RNDN);
            mpfr_add(y, y, x, MPFR_RNDN);
            mpfr_set_d(w, base, MPFR_RNDN);
            mpfr_set_d(x, -(double)i, MPFR_RNDN);
            mpfr_div_ui(x, x, (unsigned long)pairs, MPFR_RNDN);
            mpfr_pow(w, w, x, MPFR_RNDN);
            mpfr_mul(w, w, y, MPFR_RNDN);
            if (g.freq_factors) mpfr_div_d(w, w, (double)factors[i], MPFR_RNDN);
            if (omega[i] != mpfr_get_d(w, MPFR_RNDN))
                fail_msg(
                    "n_dims %zu, base %a, scale %a, ext %a, context %zu, pair %zu: got %a, want %a",
                    g.n_dims, base, scale, (double)g.ext_factor, g.n_ctx_orig, i, omega[i],
                    mpfr_get_d(w, MPFR_RNDN));
        }
        mpfr_set_ui(x, 1, MPFR_RNDN);
        if (g.ext_factor > 0) {
            mpfr_set_d(x, scale, MPFR_RNDN);
            mpfr_log(x, x, MPFR_RNDN);
            mpfr_div_si(x, x, -10, MPFR_RNDN);
            mpfr_add_ui(x, x, 1, MPFR_RNDN);
        }
        mpfr_mul_d(x, x, g.attn_factor == 0 ? 1 : (double)g.attn_factor, MPFR_RNDN);
        if (n % 5) assert_true(attention == mpfr_get_d(x, MPFR_RNDN));
    }
    mpfr_clears(w, low, length, x, y, (mpfr_ptr)NULL);
}

static void ggml_frequencies_are_refused(void **state)
{
    double omega[2], attention;
    (void)state;
    pe_rope_ggml g;
    memset(&g, 0, sizeof g);
    g.n_dims = 4;
    assert_int_equal(pe_rope_ggml_frequencies(NULL, omega, NULL), PE_ERR_NULL);
    assert_int_equal(pe_rope_ggml_frequencies(&g, NULL, NULL), PE_ERR_NULL);
    g.n_dims = 3, omega[0] = attention = 7;
    assert_int_equal(pe_rope_ggml_frequencies(&g, omega, &attention), PE_ERR_GGML);
    assert_true(omega[0] == 7 && attention == 7);
}

/* ---- RoPE configs and factors ---------------------------------------------------------------- */

/* Checks rope_interleave: the results have the bits of rotating interleaved pairs that were first
   moved to the halves layout. The calls are in place, out of place, into 16 bits, and of queries
   and keys. */
static void pairs_read_adjacent_written_as_halves(void **state)
{
    static const size_t dims[] = {2, 6, 64, 96, 512};
    enum { TOKENS = 40, HEADS = 3, REST = 5, MOST = TOKENS * HEADS * (512 + REST) };
    static float x[MOST], y[MOST], want[MOST], out[MOST];
    static uint16_t h[MOST], h_want[MOST], h_in[MOST], h_out[MOST];
    rng r = rng_for("pairs_read_adjacent");
    (void)state;
    for (size_t k = 0; k < 2 * sizeof dims / sizeof *dims; k++) {
        const size_t n = dims[k / 2], head = n + REST, all = TOKENS * HEADS * head;
        pe_rope_config c = pe_rope_config_default(head);
        pe_plan halves, plan;
        c.rotary_dim = n, c.angle = k == 3 ? PE_ANGLE_FLOAT32 : PE_ANGLE_EXACT;
        if (k == 5) c.axes = 2, c.section_order = PE_SECTIONS_INTERLEAVED, c.sections[1] = 99;
        const size_t size = pe_rope_plan_size(&c);
        void *const memory[2] = {must_alloc(size), must_alloc(size)};
        assert_int_equal(pe_rope_plan_init(&halves, &c, memory[0], size), PE_OK);
        c.rope_interleave = 1;
        assert_int_equal(pe_rope_plan_size(&c), size);
        assert_int_equal(pe_rope_plan_init(&plan, &c, memory[1], size), PE_OK);
        /* heads are stored as [token][head] or [head][token] */
        const pe_heads at = {HEADS, k % 2 ? TOKENS * head : head, k % 2 ? head : HEADS * head};
        for (size_t i = 0; i < all; i++) {
            x[i] = (float)(rng_unit(&r) - 0.5);
            h_in[i] = (uint16_t)(rng_next(&r) & 0xbbff); /* no NaN */
        }
        memcpy(want, x, all * sizeof *x), memcpy(h_want, h_in, all * sizeof *h);
        for (size_t first = 0; first < all; first += head)
            for (size_t i = 0; i < n; i++) {
                want[first + i % 2 * (n / 2) + i / 2] = x[first + i];
                h_want[first + i % 2 * (n / 2) + i / 2] = h_in[first + i];
            }
        const pe_at where = k % 3 == 0   ? pe_from(1000)
                            : k % 3 == 1 ? pe_all(77)
                                         : pe_from_by(-9, 3);
        memcpy(y, want, all * sizeof *x), memcpy(out, x, all * sizeof *x);
        assert_int_equal(pe_rope_f32(&halves, where, TOKENS, y, at), PE_OK);
        assert_int_equal(pe_rope_f32(&plan, where, TOKENS, out, at), PE_OK);
        assert_memory_equal(out, y, all * sizeof *x);
        memset(out, CANARY, all * sizeof *x);
        assert_int_equal(pe_rope_to_f32(&plan, where, TOKENS, head, x, at, out, at), PE_OK);
        assert_memory_equal(out, y, all * sizeof *x);
        assert_int_equal(pe_rope_to_f32_f16(&halves, where, TOKENS, head, want, at, h, at), PE_OK);
        assert_int_equal(pe_rope_to_f32_f16(&plan, where, TOKENS, head, x, at, h_out, at), PE_OK);
        assert_memory_equal(h_out, h, all * sizeof *h);
        assert_int_equal(pe_rope_to_f32_bf16(&halves, where, TOKENS, head, want, at, h, at), PE_OK);
        assert_int_equal(pe_rope_to_f32_bf16(&plan, where, TOKENS, head, x, at, h_out, at), PE_OK);
        assert_memory_equal(h_out, h, all * sizeof *h);
        memcpy(h, h_want, all * sizeof *h), memcpy(h_out, h_in, all * sizeof *h);
        assert_int_equal(pe_rope_bf16(&halves, where, TOKENS, h, at), PE_OK);
        assert_int_equal(pe_rope_bf16(&plan, where, TOKENS, h_out, at), PE_OK);
        assert_memory_equal(h_out, h, all * sizeof *h);
        /* the first head of each token is the query, the others are keys */
        const pe_heads one = {1, 0, at.token_stride},
                       rest = {HEADS - 1, at.head_stride, at.token_stride};
        memcpy(out, x, all * sizeof *x);
        if (k % 2 == 0) {
            assert_int_equal(pe_rope_qk_f32(&plan, where, TOKENS, out, one, out + head, rest),
                             PE_OK);
            assert_memory_equal(out, y, all * sizeof *x);
        }
        assert_int_equal(pe_shift_f32(&plan, pe_all(1), 1, out, n), PE_ERR_PLAN_SHIFT);
        free(memory[0]), free(memory[1]);
    }
}

static void factors_on_queries(void **state)
{
    static const double betas[] = {0.1, 0, -0.3, 1e20}, reals[] = {0, 8191.5, 8191, 1e9, 0.25};
    static const size_t periods[] = {8192, 1, 16384, 3};
    static float got[2000];
    mpfr_t x;
    (void)state;
    mpfr_init2(x, 200);
    for (int k = 0; k < 32; k++) {
        const double beta = betas[k % 4], shift = k / 4 % 2 ? 1 : 0;
        const size_t period = periods[k / 8], rows = k % 3 ? 2000 : 5;
        const pe_at at = k % 3 ? pe_from_by(0, 10007) : pe_at_f64(reals);
        assert_int_equal(
            pe_rope_query_scale_f32(PE_QUERY_SCALE_FLOOR, beta, period, shift, at, rows, got),
            PE_OK);
        for (size_t r = 0; r < rows; r++) {
            const double p = (k % 3 ? 10007 * (double)r : reals[r]) + shift;
            mpfr_set_d(x, floor(floor(p) / (double)period) + 1, MPFR_RNDN);
            mpfr_log(x, x, MPFR_RNDN);
            mpfr_mul_d(x, x, beta, MPFR_RNDN);
            mpfr_add_ui(x, x, 1, MPFR_RNDN);
            assert_true(got[r] == mpfr_get_flt(x, MPFR_RNDN));
        }
    }
    mpfr_clear(x);
    /* Ministral 3 has beta 0.1 and period 16384; Llama 4 has beta 0.1, period 8192 and shift 1 */
    assert_int_equal(
        pe_rope_query_scale_f32(PE_QUERY_SCALE_FLOOR, 0.1, 16384, 0, pe_from(131072), 1, got),
        PE_OK);
    assert_true(got[0] == 1.2197225f); /* 1 + 0.1 ln 9 */
    assert_int_equal(
        pe_rope_query_scale_f32(PE_QUERY_SCALE_FLOOR, 0.1, 8192, 1, pe_from(8190), 2, got), PE_OK);
    assert_true(got[0] == 1 && got[1] == 1.0693147f); /* 1 + 0.1 ln 2 */
    assert_int_equal(
        pe_rope_query_scale_f32(PE_QUERY_SCALE_FLOOR, 0.1, 8192, 0, pe_from(0), 0, NULL), PE_OK);
    assert_int_equal(
        pe_rope_query_scale_f32(PE_QUERY_SCALE_FLOOR, 0.1, 8192, 0, pe_from(0), 1, NULL),
        PE_ERR_NULL);
    assert_int_equal(pe_rope_query_scale_f32(PE_QUERY_SCALE_FLOOR, 0.1, 0, 0, pe_from(0), 1, got),
                     PE_ERR_QUERY_SCALE);
    assert_int_equal(
        pe_rope_query_scale_f32(PE_QUERY_SCALE_FLOOR, (double)NAN, 9, 0, pe_from(0), 1, got),
        PE_ERR_QUERY_SCALE);
    assert_int_equal(
        pe_rope_query_scale_f32(PE_QUERY_SCALE_FLOOR, 0.1, 9, (double)NAN, pe_from(0), 1, got),
        PE_ERR_QUERY_SCALE);
    assert_int_equal(pe_rope_query_scale_f32(PE_QUERY_SCALE_FLOOR, 0.1, 9, 0, pe_from(-1), 1, got),
                     PE_ERR_QUERY_SCALE);
    assert_int_equal(
        pe_rope_query_scale_f32(PE_QUERY_SCALE_FLOOR, 0.1, 9, 1, pe_from_by(4, -1), 7, got),
        PE_ERR_QUERY_SCALE);
    assert_int_equal(
        pe_rope_query_scale_f32(PE_QUERY_SCALE_FLOOR, 0.1, 9, 0, pe_at_i32(NULL), 1, got),
        PE_ERR_AT_NULL);
    assert_int_equal(
        pe_rope_query_scale_f32(PE_QUERY_SCALE_FLOOR, 0.1, 9, 0, pe_all(1), SIZE_MAX, got),
        PE_ERR_SIZE);
}

/* Checks the factors of PE_QUERY_SCALE_LOG against MPFR:

       max(1, 1 + beta ln((p + shift) / period)) */
static void factors_by_logarithms(void **state)
{
    static const double betas[] = {0.1, 0, 0.13115409462626939, 1e20, 0x1p100};
    static const size_t periods[] = {2048, 1, 8192, 3, ((size_t)1 << 31) - 1};
    static double reals[500];
    static float got[500];
    mpfr_t x;
    (void)state;
    mpfr_init2(x, 300);
    for (int k = 0; k < 50; k++) {
        const double beta = betas[k % 5], shift = k % 3 ? k % 3 == 1 : 0.25;
        const size_t period = periods[k / 5 % 5];
        for (size_t r = 0; r < 500; r++) { /* about the period, and also next to it */
            reals[r] = (double)(r * r * r) * (k % 2 ? 17 : 0.37);
            if (r % 7 == 0) reals[r] = (double)period - shift + ldexp((double)r - 250, -20);
            if (reals[r] < 0 || reals[r] > 0x1p31 - 1) reals[r] = (double)r;
        }
        assert_int_equal(pe_rope_query_scale_f32(PE_QUERY_SCALE_LOG, beta, period, shift,
                                                 pe_at_f64(reals), 500, got),
                         PE_OK);
        for (size_t r = 0; r < 500; r++) {
            mpfr_set_d(x, reals[r] + shift, MPFR_RNDN);
            mpfr_div_ui(x, x, (unsigned long)period, MPFR_RNDN);
            mpfr_log(x, x, MPFR_RNDN);
            mpfr_mul_d(x, x, beta, MPFR_RNDN);
            mpfr_add_ui(x, x, 1, MPFR_RNDN);
            const float want = beta == 0 || mpfr_cmp_ui(x, 1) < 0 ? 1 : mpfr_get_flt(x, MPFR_RNDN);
            if (got[r] != want)
                fail_msg("case %d, %a: %a, not %a", k, reals[r], (double)got[r], (double)want);
        }
    }
    mpfr_clear(x);
    /* Qwen 1 has seq_length 2048 */
    assert_int_equal(pe_rope_query_scale_f32(PE_QUERY_SCALE_LOG, 0.13115409462626939, 2048, 1,
                                             pe_from(8191), 1, got),
                     PE_OK);
    assert_true(got[0] == 1.18181818f); /* ln 8192 / ln 2048 = 13 / 11 */
    assert_int_equal(pe_rope_query_scale_f32(PE_QUERY_SCALE_LOG, -1e-300, 9, 0, pe_from(0), 1, got),
                     PE_ERR_QUERY_SCALE);
    assert_int_equal(
        pe_rope_query_scale_f32(PE_QUERY_SCALE_LOG, (double)NAN, 9, 0, pe_from(0), 1, got),
        PE_ERR_QUERY_SCALE);
    assert_int_equal(pe_rope_query_scale_f32(PE_QUERY_SCALE_LOG, 1, 0, 0, pe_from(0), 1, got),
                     PE_ERR_QUERY_SCALE);
    assert_int_equal(pe_rope_query_scale_f32(PE_QUERY_SCALE_LOG, 1, 9, 0, pe_from(-1), 1, got),
                     PE_ERR_QUERY_SCALE);
    assert_int_equal(pe_rope_query_scale_f32((pe_query_scale)2, 1, 9, 0, pe_from(0), 1, got),
                     PE_ERR_ENUM);
    assert_int_equal(pe_rope_query_scale_f32((pe_query_scale)-1, 1, 9, 0, pe_from(0), 1, got),
                     PE_ERR_ENUM);
}

static void factors_of_xpos(void **state)
{
    static const size_t widths[] = {1, 2, 5, 16, 32, 64};
    static const double bases[] = {512, 0.3, 1e4};
    enum { ROWS = 5, MOST = 70 };
    float got[ROWS * MOST];
    mpfr_t x, y;
    (void)state;
    mpfr_inits2(300, x, y, (mpfr_ptr)NULL);
    for (size_t k = 0; k < 6 * 3 * 2; k++) {
        const size_t pairs = widths[k % 6], stride = pairs + k % 3;
        const double base = bases[k / 6 % 3];
        const double at[ROWS] = {0, 1, -3.5 * base, 60 * base, 17 * base};
        const pe_at plain = pe_at_f64(at), where = k / 18 ? pe_back(plain) : plain;
        memset(got, CANARY, sizeof got);
        assert_int_equal(pe_rope_xpos_f32(pairs, base, where, ROWS, got, stride), PE_OK);
        for (size_t r = 0; r < ROWS; r++) {
            for (size_t i = 0; i < pairs; i++) {
                mpfr_set_d(x, 2 * (double)i, MPFR_RNDN);
                mpfr_set_ui(y, (unsigned long)(4 * 2 * pairs), MPFR_RNDN);
                mpfr_div_ui(y, y, 10, MPFR_RNDN); /* 0.4 n */
                mpfr_add(x, x, y, MPFR_RNDN);
                mpfr_set_ui(y, (unsigned long)(14 * 2 * pairs), MPFR_RNDN);
                mpfr_div_ui(y, y, 10, MPFR_RNDN); /* 1.4 n */
                mpfr_div(x, x, y, MPFR_RNDN);
                mpfr_set_d(y, k / 18 ? -at[r] : at[r], MPFR_RNDN);
                mpfr_div_d(y, y, base, MPFR_RNDN);
                mpfr_pow(x, x, y, MPFR_RNDN);
                assert_true(got[r * stride + i] == mpfr_get_flt(x, MPFR_RNDN));
            }
            if (stride > pairs && r + 1 < ROWS)
                assert_true(all_canaries(got + r * stride + pairs, (stride - pairs) * sizeof *got));
        }
    }
    mpfr_clears(x, y, (mpfr_ptr)NULL);
    assert_int_equal(pe_rope_xpos_f32(8, 512, pe_from(0), 0, NULL, 0), PE_OK);
    assert_int_equal(pe_rope_xpos_f32(8, 512, pe_from(0), 1, NULL, 8), PE_ERR_NULL);
    assert_int_equal(pe_rope_xpos_f32(0, 512, pe_from(0), 1, got, 8), PE_ERR_EMPTY);
    assert_int_equal(pe_rope_xpos_f32(8, 512, pe_from(0), 2, got, 7), PE_ERR_SHAPE);
    assert_int_equal(pe_rope_xpos_f32(8, (double)NAN, pe_from(0), 1, got, 8), PE_ERR_XPOS);
    assert_int_equal(pe_rope_xpos_f32(8, 1, pe_from(60), 2, got, 8), PE_ERR_XPOS);
    assert_int_equal(pe_rope_xpos_f32(((size_t)1 << 28) + 1, 1, pe_from(0), 1, got, SIZE_MAX),
                     PE_ERR_SIZE);
}

/* Tests that a grid is refused for a cell that the call does not make, and that nothing is
   written. */
static void factors_check_all_cells(void **state)
{
    static const size_t sizes[] = {61, 62, (size_t)1 << 31};
    float got[8];
    memset(got, CANARY, sizeof got);
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        const pe_at grid = pe_grid(&sizes[k], 1);
        const pe_status want = k == 0 ? PE_OK : PE_ERR_XPOS,
                        scaled = k == 0 ? PE_OK : PE_ERR_QUERY_SCALE;
        float made[8];
        assert_int_equal(pe_rope_xpos_f32(4, 1, grid, 1, k ? got : made, 4), want);
        assert_int_equal(pe_rope_xpos_f32(4, 1, pe_back(pe_skip(grid, 2)), 2, k ? got : made, 4),
                         want);
        /* -60 + 60 = 0 is refused, and so is -61 + 60; forward, all sums are positive */
        assert_int_equal(
            pe_rope_query_scale_f32(PE_QUERY_SCALE_LOG, 1, 3, 60, pe_back(grid), 1, k ? got : made),
            scaled);
        assert_int_equal(pe_rope_query_scale_f32(PE_QUERY_SCALE_FLOOR, 1, 3, 0, grid, 1, made),
                         PE_OK);
        assert_int_equal(
            pe_rope_query_scale_f32(PE_QUERY_SCALE_FLOOR, 1, 3, -1, pe_skip(grid, 1), 1, got),
            PE_ERR_QUERY_SCALE); /* cell 0, although it is skipped */
    }
    assert_true(all_canaries(got, sizeof got));
}

/* Checks the tie (c / d)^(m / q) of pair i, at position m * unit and scale_base q * unit for
   several units. Positions are integers or in lists, also turned back. Also checks the next
   number below the position, which gives no tie. */
static void tie_of_xpos(size_t pairs, size_t i, long m, long q, const mpq_t tie)
{
    static const double units[] = {512, 1, 3, 0.75, 1e6};
    static float row[256];
    mpfr_t x, y;
    mpfr_inits2(300, x, y, (mpfr_ptr)NULL);
    for (size_t u = 0; u < 5; u++)
        for (int k = 0; k < 5; k++) {
            const double base = k == 4 ? units[u] * 4 : units[u] * (double)q;
            double p = k == 4 ? units[u] * 4 * (double)m / (double)q : units[u] * (double)m;
            if (k == 2) p = nextafter(p, 0);
            if (k == 4 && q & (q - 1)) continue;
            const double minus = -p;
            const int whole = p == floor(p) && k != 2;
            const pe_at at = k == 1 ? pe_back(whole ? pe_from(-(int64_t)p) : pe_at_f64(&minus))
                             : whole && k == 3 ? pe_from((int64_t)p)
                                               : pe_at_f64(&p);
            assert_int_equal(pe_rope_xpos_f32(pairs, base, at, 1, row, pairs), PE_OK);
            mpfr_set_q(x, tie, MPFR_RNDN);
            if (k == 2) {
                mpfr_set_ui(x, 5 * i + 2 * pairs, MPFR_RNDN);
                mpfr_div_ui(x, x, 7 * pairs, MPFR_RNDN);
                mpfr_set_d(y, p, MPFR_RNDN);
                mpfr_div_d(y, y, base, MPFR_RNDN);
                mpfr_pow(x, x, y, MPFR_RNDN);
            }
            if (row[i] != mpfr_get_flt(x, MPFR_RNDN))
                fail_msg("%zu pairs, pair %zu, (%a) / (%a): got %a, want %a", pairs, i, p, base,
                         (double)row[i], (double)mpfr_get_flt(x, MPFR_RNDN));
        }
    mpfr_clears(x, y, (mpfr_ptr)NULL);
}

/* Checks XPOS's scales that are ties, that is, fractions of 25 bits: for up to 256 pairs, every
   base and every power up to 60 that gives such a fraction. */
static void ties_of_xpos(void **state)
{
    mpz_t root[2], odd;
    mpq_t base, step, power;
    size_t ties[2] = {0};
    (void)state;
    mpz_inits(root[0], root[1], odd, (mpz_ptr)NULL);
    mpq_inits(base, step, power, (mpq_ptr)NULL);
    for (size_t pairs = 1; pairs <= 256; pairs++)
        for (size_t i = 0; i < pairs; i++)
            for (unsigned long q = 1; q < 11; q++) { /* 11th powers exceed 7 * 256, as 2^11 does */
                mpq_set_ui(base, 5 * i + 2 * pairs, 7 * pairs);
                mpq_canonicalize(base);
                if (!mpz_root(root[0], mpq_numref(base), q)) continue;
                if (!mpz_root(root[1], mpq_denref(base), q)) continue;
                for (int back = 0; back < 2; back++) {
                    mpq_set_num(step, root[back]);
                    mpq_set_den(step, root[!back]);
                    mpq_set_ui(power, 1, 1);
                    for (unsigned long m = 1; m <= 60 * q; m++) {
                        mpq_mul(power, power, step);
                        if (mpz_popcount(mpq_denref(power)) != 1) break;
                        mpz_tdiv_q_2exp(odd, mpq_numref(power), mpz_scan1(mpq_numref(power), 0));
                        if (mpz_sizeinbase(odd, 2) > 25) break;
                        if (mpz_sizeinbase(odd, 2) < 25) continue;
                        mpz_set_ui(odd, m);
                        if (mpz_gcd_ui(NULL, odd, q) != 1) continue;
                        ties[back]++;
                        tie_of_xpos(pairs, i, back ? -(long)m : (long)m, (long)q, power);
                    }
                }
            }
    mpz_clears(root[0], root[1], odd, (mpz_ptr)NULL);
    mpq_clears(base, step, power, (mpq_ptr)NULL);
    printf("%zu ties, and %zu of negative powers\n", ties[0], ties[1]);
    assert_true(ties[0] == 34 && ties[1] == 48);
}

/* ---- relative biases ------------------------------------------------------------------------- */

/* Returns the bucket of a distance, found by comparing powers as integers. With c = n - m,
   floor(c ln(d / m) / ln(M / m)) is the largest k for which d^c >= M^k m^(c - k). */
static size_t t5_bucket(int64_t d, size_t buckets, size_t far, int both)
{
    const size_t n = both ? buckets / 2 : buckets, m = n / 2, c = n - m;
    const size_t more = both && d > 0 ? n : 0;
    const int64_t size = both ? (d < 0 ? -d : d) : d < 0 ? -d : 0;
    mpz_t left, right, part;
    if (size < (int64_t)m) return (size_t)size + more;
    mpz_inits(left, right, part, (mpz_ptr)NULL);
    mpz_ui_pow_ui(left, (unsigned long)size, (unsigned long)c);
    size_t k = 0;
    for (; k < c; k++) {
        mpz_ui_pow_ui(right, (unsigned long)far, (unsigned long)(k + 1));
        mpz_ui_pow_ui(part, (unsigned long)m, (unsigned long)(c - k - 1));
        mpz_mul(right, right, part);
        if (mpz_cmp(left, right) < 0) break;
    }
    mpz_clears(left, right, part, (mpz_ptr)NULL);
    return (m + k < n - 1 ? m + k : n - 1) + more;
}

/* Tests that a bias that is a NaN, of any payload, makes its 16-bit scores NaNs, and no other
   scores. */
static void biases_of_nan(void **state)
{
    static const uint32_t nans[] = {0x7f800001, 0x7fffffff, 0xffffffff, 0x7fc00000, 0xff80ffff};
    enum { KEYS = 70 };
    (void)state;
    for (size_t m = 0; m < 2 * LENGTH(nans) * KEYS; m++) {
        const size_t bad = m / 2 % KEYS;
        const int to_f16 = (int)(m % 2);
        float table[2] = {0.5f, 0};
        int32_t index[KEYS] = {0};
        uint16_t scores[KEYS];
        memcpy(&table[1], &nans[m / 2 / KEYS], sizeof *table);
        index[bad] = 1;
        for (size_t i = 0; i < KEYS; i++) scores[i] = to_f16 ? 0x3c00 : 0x3f80; /* 1 */
        assert_int_equal(to_f16 ? pe_bias_add_f16(table, 2, 1, index, 1, KEYS, scores, KEYS, KEYS)
                                : pe_bias_add_bf16(table, 2, 1, index, 1, KEYS, scores, KEYS, KEYS),
                         PE_OK);
        for (size_t i = 0; i < KEYS; i++) {
            if (i == bad) assert_true((scores[i] & 0x7fff) >= (to_f16 ? 0x7e00 : 0x7fc0));
            else assert_int_equal(scores[i], to_f16 ? 0x3e00 : 0x3fc0); /* 1.5 */
        }
    }
}

static void buckets_of_t5(void **state)
{
    static const struct {
        size_t buckets, far;
        int both;
    } cases[] = {{32, 128, 1},
                 {32, 128, 0},
                 {64, 256, 1},
                 {2, 3, 0},
                 {4, 2, 1},
                 {3, 100, 0},
                 {320, 800, 1} /* WavLM */,
                 {33, 1000, 0},
                 {100, 20000, 0},
                 {2, 2147483648, 0},
                 {4, 2147483648, 1},
                 {3, 1000000, 0},
                 {34, 2147483648, 1},
                 {1024, 2147483648, 0},
                 {1023, 700, 0},
                 {1024, 20000, 1}};
    enum { KEYS = 700 };
    static int32_t index[40 * KEYS + 1];
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int from = 0; from < 4; from++) {
            static const int64_t firsts[] = {0, 300, 690, -20};
            const int64_t first = firsts[from] + (from == 2 && k % 2 ? 20000 : 0);
            const size_t queries = from == 1 ? 40 : 12;
            index[queries * KEYS] = 12345;
            assert_int_equal(pe_bias_t5_i32(cases[k].buckets, cases[k].far, cases[k].both,
                                            pe_from(first), queries, pe_from(0), KEYS, index),
                             PE_OK);
            assert_int_equal(index[queries * KEYS], 12345);
            for (size_t q = 0; q < queries; q += 3)
                for (size_t j = 0; j < KEYS; j++) {
                    const int64_t d = (int64_t)j - first - (int64_t)q;
                    const size_t want = t5_bucket(d, cases[k].buckets, cases[k].far, cases[k].both);
                    if (index[q * KEYS + j] != (int32_t)want)
                        fail_msg("case %zu, distance %" PRId64 ": got %d, want %zu", k, d,
                                 (int)index[q * KEYS + j], want);
                }
        }
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) { /* keys at any positions */
        static int64_t at[KEYS];
        for (size_t j = 0; j < KEYS; j++) at[j] = (int64_t)(j * 7919 % 1009) - (k % 2 ? 500 : 0);
        assert_int_equal(pe_bias_t5_i32(cases[k].buckets, cases[k].far, cases[k].both,
                                        pe_from_by(400, -100), 7, pe_back(pe_at_i64(at)), KEYS,
                                        index),
                         PE_OK);
        for (size_t q = 0; q < 7; q++)
            for (size_t j = 0; j < KEYS; j += 3) {
                const int64_t d = -at[j] - (400 - 100 * (int64_t)q);
                assert_int_equal(index[q * KEYS + j],
                                 t5_bucket(d, cases[k].buckets, cases[k].far, cases[k].both));
            }
    }
    for (size_t j = 0; j < KEYS;
         j++) { /* one key at any distance: only thresholds near it are computed */
        const int64_t d = -((int64_t)1 << (j % 31)) - (int64_t)(j * j * j);
        assert_int_equal(pe_bias_t5_i32(1024, 2147483648, 0, pe_from(0), 1, pe_from(d), 1, index),
                         PE_OK);
        assert_int_equal(index[0], t5_bucket(d, 1024, 2147483648, 0));
    }
    assert_int_equal(pe_bias_t5_i32(32, 128, 1, pe_from(0), 0, pe_from(0), 5, NULL), PE_OK);
    assert_int_equal(pe_bias_t5_i32(32, 128, 1, pe_from(0), 5, pe_from(0), 0, NULL), PE_OK);
    assert_int_equal(pe_bias_t5_i32(32, 128, 1, pe_from(0), 1, pe_from(0), 1, NULL), PE_ERR_NULL);
    assert_int_equal(pe_bias_t5_i32(1, 128, 0, pe_from(0), 1, pe_from(0), 1, index),
                     PE_ERR_BUCKETS);
    assert_int_equal(pe_bias_t5_i32(1025, 12800, 0, pe_from(0), 1, pe_from(0), 1, index),
                     PE_ERR_BUCKETS);
    assert_int_equal(pe_bias_t5_i32(33, 128, 1, pe_from(0), 1, pe_from(0), 1, index),
                     PE_ERR_BUCKETS);
    assert_int_equal(pe_bias_t5_i32(2, 128, 1, pe_from(0), 1, pe_from(0), 1, index),
                     PE_ERR_BUCKETS);
    assert_int_equal(pe_bias_t5_i32(32, 8, 1, pe_from(0), 1, pe_from(0), 1, index), PE_ERR_BUCKETS);
    assert_int_equal(
        pe_bias_t5_i32(32, 128, 1, pe_from(((int64_t)1 << 31)), 2, pe_from(0), 1, index),
        PE_ERR_RANGE);
    assert_int_equal(pe_bias_t5_i32(32, 128, 1, pe_from(0), SIZE_MAX / 2, pe_from(0), 3, index),
                     PE_ERR_SIZE);
}

static void biases_are_added(void **state)
{
    enum { HEADS = 3, QUERIES = 4, KEYS = 270, ENTRIES = 9, ALL = HEADS * QUERIES * KEYS };
    float table[ENTRIES * HEADS];
    static float x[ALL], want[ALL];
    static uint16_t h[2][ALL], g[2][ALL];
    static int32_t index[QUERIES * KEYS];
    rng r = rng_for("biases_are_added");
    (void)state;
    for (size_t i = 0; i < ENTRIES * HEADS; i++) table[i] = (float)(rng_unit(&r) - 0.5);
    for (size_t i = 0; i < QUERIES * KEYS; i++) index[i] = (int32_t)rng_below(&r, ENTRIES);
    for (int by_query = 0; by_query < 2; by_query++) { /* also [query][head][key] */
        const size_t qs = by_query ? HEADS * KEYS : KEYS, hs = by_query ? KEYS : QUERIES * KEYS;
        for (size_t i = 0; i < ALL; i++) {
            x[i] = (float)(rng_unit(&r) - 0.5);
            h[0][i] = (uint16_t)(rng_next(&r) & 0xbbff),
            h[1][i] = (uint16_t)(rng_next(&r) & 0xbf7f);
        }
        for (size_t n = 0; n < 3; n++)
            for (size_t i = 0; i < QUERIES * KEYS * HEADS; i++) {
                const size_t head = i / (QUERIES * KEYS), j = i % (QUERIES * KEYS);
                const size_t at = head * hs + j / KEYS * qs + j % KEYS;
                const float bias = table[(size_t)index[j] * HEADS + head];
                if (n == 0) want[at] = x[at] + bias;
                else { /* the expected sum is that of a call with this score alone */
                    uint16_t one = h[n - 1][at];
                    const int32_t zero = 0;
                    const pe_status status =
                        n == 1 ? pe_learned_add_f16(&one, 1, 1, pe_all(0), 0, &one, 1)
                               : pe_bias_add_bf16(&bias, 1, 1, &zero, 1, 1, &one, 1, 1);
                    assert_int_equal(status, PE_OK);
                    if (n == 1)
                        assert_int_equal(pe_bias_add_f16(&bias, 1, 1, &zero, 1, 1, &one, 1, 1),
                                         PE_OK);
                    g[n - 1][at] = one;
                    mpfr_t sum; /* of the score and the bias, as a float that is rounded again */
                    mpfr_init2(sum, 60);
                    mpfr_set_d(sum, from_bits(n == 1 ? F16 : BF16, h[n - 1], at), MPFR_RNDN);
                    mpfr_add_d(sum, sum, (double)bias, MPFR_RNDN);
                    mpfr_prec_round(sum, 24, MPFR_RNDN);
                    assert_true(
                        right(n == 1 ? F16 : BF16, from_bits(n == 1 ? F16 : BF16, &one, 0), sum));
                    mpfr_clear(sum);
                }
            }
        assert_int_equal(pe_bias_add_f32(table, ENTRIES, HEADS, index, QUERIES, KEYS, x, qs, hs),
                         PE_OK);
        assert_int_equal(pe_bias_add_f16(table, ENTRIES, HEADS, index, QUERIES, KEYS, h[0], qs, hs),
                         PE_OK);
        assert_int_equal(
            pe_bias_add_bf16(table, ENTRIES, HEADS, index, QUERIES, KEYS, h[1], qs, hs), PE_OK);
        assert_memory_equal(x, want, sizeof x);
        assert_memory_equal(h, g, sizeof h);
    }
    assert_int_equal(pe_bias_add_f32(NULL, 1, 0, NULL, 1, 1, NULL, 1, 1), PE_OK);
    assert_int_equal(pe_bias_add_f32(table, 9, 3, NULL, 1, 1, x, 1, 1), PE_ERR_NULL);
    assert_int_equal(pe_bias_add_f32(table, 9, 3, index, 2, 5, x, 4, 10), PE_ERR_SHAPE);
    assert_int_equal(pe_bias_add_f32(table, SIZE_MAX / 4, 3, index, 2, 5, x, 5, 10), PE_ERR_SIZE);
    memcpy(want, x, sizeof x);
    index[QUERIES * KEYS - 1] = ENTRIES;
    assert_int_equal(
        pe_bias_add_f32(table, ENTRIES, HEADS, index, QUERIES, KEYS, x, KEYS, QUERIES * KEYS),
        PE_ERR_INDEX);
    index[QUERIES * KEYS - 1] = -1;
    assert_int_equal(
        pe_bias_add_f32(table, ENTRIES, HEADS, index, QUERIES, KEYS, x, KEYS, QUERIES * KEYS),
        PE_ERR_INDEX);
    assert_memory_equal(x, want, sizeof x);
}

/* ---- resampling ------------------------------------------------------------------------------ */

/* Returns the weight of a row at distance x, by the definition of the filter, in long double. */
static long double filter_of(const pe_resample *how, long double x)
{
    const long double a = (long double)how->a;
    x = x < 0 ? -x : x;
    if (how->method == PE_RESAMPLE_LINEAR) return x < 1 ? 1 - x : 0;
    if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

/* Compares every output row and column of random resamplings with a sum in long double. With
   antialiasing, only rows inside the table count, and their weights are divided by their sum. */
static void resampled_wide(void **state)
{
    enum { D = 3, MOST = 40 };
    static float table[MOST * MOST * D], out[MOST * MOST * D];
    rng r = rng_for("resampled_wide");
    (void)state;
    for (size_t n = 0; n < workload(200); n++) {
        const size_t height = 1 + rng_below(&r, MOST), width = 1 + rng_below(&r, MOST);
        const size_t out_height = 1 + rng_below(&r, MOST), out_width = 1 + rng_below(&r, MOST);
        pe_resample how;
        memset(&how, 0, sizeof how);
        how.method = n % 2 ? PE_RESAMPLE_LINEAR : PE_RESAMPLE_CUBIC;
        how.a = n % 4 ? -0.5 : -0.75, how.antialias = n % 3 != 0;
        if (n % 5 < 3) { /* DINOv2 */
            how.scale_y = ((double)out_height + 0.1) / (double)height;
            how.scale_x = ((double)out_width + 0.1) / (double)width;
        }
        for (size_t i = 0; i < height * width * D; i++) table[i] = (float)(rng_unit(&r) - 0.5);
        assert_int_equal(
            pe_learned_resample_f32(table, height, width, D, &how, out, out_height, out_width),
            PE_OK);
        for (size_t i = 0; i < out_height * out_width * D; i++) {
            const size_t y = i / D / out_width, x = i / D % out_width, c = i % D;
            const long double fy = how.scale_y > 0 ? 1 / (long double)how.scale_y
                                                   : (long double)height / (long double)out_height;
            const long double fx = how.scale_x > 0 ? 1 / (long double)how.scale_x
                                                   : (long double)width / (long double)out_width;
            const long double sy = ((long double)y + 0.5L) * fy - 0.5L,
                              sx = ((long double)x + 0.5L) * fx - 0.5L;
            const long double ry = how.antialias && fy > 1 ? fy : 1,
                              rx = how.antialias && fx > 1 ? fx : 1;
            long double sum = 0, size = 0, weights = 0;
            for (long j = -2; j < (long)height + 2; j++)
                for (long k = -2; k < (long)width + 2; k++) {
                    const int there = j >= 0 && j < (long)height && k >= 0 && k < (long)width;
                    const long jj = j < 0 ? 0 : j < (long)height ? j : (long)height - 1;
                    const long kk = k < 0 ? 0 : k < (long)width ? k : (long)width - 1;
                    const long double w = filter_of(&how, ((long double)j - sy) / ry) *
                                          filter_of(&how, ((long double)k - sx) / rx);
                    if (how.antialias && !there) continue;
                    weights += w;
                    sum += w * (long double)table[((size_t)jj * width + (size_t)kk) * D + c];
                    size += fabsl(w) * 0.5L;
                }
            if (how.antialias) sum /= weights, size /= weights;
            const long double off = fabsl((long double)out[i] - sum);
            if (off > fabsl(sum) * 0x1p-24L + size * 0x1p-44L)
                fail_msg("%zu x %zu to %zu x %zu, method %d, antialias %d, scale %g: element %zu "
                         "is %a, not %La",
                         height, width, out_height, out_width, (int)how.method, how.antialias,
                         how.scale_y, i, (double)out[i], sum);
        }
    }
}

static void resampled_at_the_limits(void **state)
{
    static float table[257], out[12];
    (void)state;
    pe_resample how;
    memset(&how, 0, sizeof how);
    how.antialias = 1, how.a = -0.5;
    /* of the same size: copied, without rounding errors from the adjacent rows */
    for (size_t i = 0; i < 12; i++) table[i] = i == 5 ? HUGE_VALF : (float)i;
    assert_int_equal(pe_learned_resample_f32(table, 12, 1, 1, &how, out, 12, 1), PE_OK);
    assert_memory_equal(out, table, 12 * sizeof *out);
    /* bilinear, 4 rows to 2: the weights are 3/7, 3/7 and 1/7, as in torch */
    how.method = PE_RESAMPLE_LINEAR;
    table[0] = 7, table[1] = 70, table[2] = 700, table[3] = 7000;
    assert_int_equal(pe_learned_resample_f32(table, 4, 1, 1, &how, out, 2, 1), PE_OK);
    assert_true(out[0] == 133 && out[1] == 3310);
    assert_int_equal(pe_learned_resample_f32(table, 257, 1, 1, &how, out, 1, 1), PE_ERR_RESAMPLE);
    how.align_corners = 1;
    assert_int_equal(pe_learned_resample_f32(table, 4, 1, 1, &how, out, 2, 1), PE_ERR_RESAMPLE);
    how.align_corners = 0, how.scale_y = -1;
    assert_int_equal(pe_learned_resample_f32(table, 4, 1, 1, &how, out, 2, 1), PE_ERR_RESAMPLE);
    how.scale_y = 0, how.scale_x = (double)NAN;
    assert_int_equal(pe_learned_resample_f32(table, 4, 1, 1, &how, out, 2, 1), PE_ERR_RESAMPLE);
    how.scale_x = 0x1p-9; /* 512 rows to one */
    assert_int_equal(pe_learned_resample_f32(table, 4, 1, 1, &how, out, 2, 1), PE_ERR_RESAMPLE);
    how.scale_x = 0, how.scale_y = 0.5; /* output rows beyond the scale are the last row */
    assert_int_equal(pe_learned_resample_f32(table, 4, 1, 1, &how, out, 9, 1), PE_OK);
    assert_true(out[8] == 7000);
    /* a row is also copied if all rows in reach have weight 0, or if the weights of two cancel */
    how.method = PE_RESAMPLE_CUBIC, how.scale_y = 1;
    assert_int_equal(pe_learned_resample_f32(table, 4, 1, 1, &how, out, 8, 1), PE_OK);
    for (size_t i = 0; i < 8; i++) assert_true(out[i] == table[i < 4 ? i : 3]);
    how.a = -9, how.scale_y = 0;
    assert_int_equal(pe_learned_resample_f32(table, 4, 1, 1, &how, out, 8, 1), PE_OK);
    assert_true(out[0] == 7 && out[7] == 7000);
}

/* Checks that a table of ones stays a table of ones: with every filter, to any number of rows, also
   to more rows than the scale gives. Weights whose sum is not exactly 1 would show. */
static void ones_stay_ones(void **state)
{
    enum { MOST = 24, SCALES = 65 };
    static const double slopes[] = {-0.5, -0.75, 0, -1, 1, -9, 4, 16, -16};
    const size_t filters = 2 * LENGTH(slopes) + 2, cases = MOST * MOST * SCALES;
    static float ones[MOST], out[MOST];
    (void)state;
    for (size_t i = 0; i < MOST; i++) ones[i] = 1;
    for (size_t n = 0; n < filters * cases; n += every()) {
        const size_t filter = n % filters, rows = 1 + n / filters % MOST;
        const size_t out_rows = 1 + n / filters / MOST % MOST, scale = n / filters / MOST / MOST;
        const double fit = (double)out_rows / (double)rows;
        pe_resample how;
        memset(&how, 0, sizeof how);
        how.antialias = filter % 2 == 0, how.a = slopes[filter / 2 % LENGTH(slopes)];
        how.method = filter / 2 < LENGTH(slopes) ? PE_RESAMPLE_CUBIC : PE_RESAMPLE_LINEAR;
        /* no scale; parts of the fitting scale; sixteenths of an integer; 1, 1/2 ... */
        how.scale_y = scale <= 32   ? fit * (double)scale / 32
                      : scale <= 48 ? floor(fit * (double)(scale - 32)) / 16
                                    : 1.0 / (double)(scale - 48);
        if (how.antialias && how.scale_y > 0 && 1 / how.scale_y > 256) continue; /* is refused */
        assert_int_equal(pe_learned_resample_f32(ones, rows, 1, 1, &how, out, out_rows, 1), PE_OK);
        for (size_t i = 0; i < out_rows; i++)
            if (out[i] != 1)
                fail_msg("%zu to %zu, method %d, a %g, antialias %d, scale %a: row %zu is %a", rows,
                         out_rows, (int)how.method, how.a, how.antialias, how.scale_y, i,
                         (double)out[i]);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_of_axes),
        cmocka_unit_test(columns_by_base),
        cmocka_unit_test(columns_streamed),
        cmocka_unit_test(refused_columns),
        cmocka_unit_test(sums_over_coordinates),
        cmocka_unit_test(sums_that_nearly_vanish),
        cmocka_unit_test(rope_of_axes),
        cmocka_unit_test(rows_that_others_print),
        cmocka_unit_test(every_preset_has_been_printed),
        cmocka_unit_test(frequencies_of_others),
        cmocka_unit_test(frequencies_in_float_of_others),
        cmocka_unit_test(turns_of_others),
        cmocka_unit_test(tables_of_others),
        cmocka_unit_test(biases_of_others),
        cmocka_unit_test(factors_of_others),
        cmocka_unit_test(resampled_by_others),
        cmocka_unit_test(models_by_name),
        cmocka_unit_test(scalings_by_other_names),
        cmocka_unit_test(frequencies_of_float32_code),
        cmocka_unit_test(ggml_frequencies),
        cmocka_unit_test(ggml_frequencies_are_refused),
        cmocka_unit_test(pairs_read_adjacent_written_as_halves),
        cmocka_unit_test(factors_on_queries),
        cmocka_unit_test(factors_by_logarithms),
        cmocka_unit_test(factors_of_xpos),
        cmocka_unit_test(factors_check_all_cells),
        cmocka_unit_test(ties_of_xpos),
        cmocka_unit_test(buckets_of_t5),
        cmocka_unit_test(biases_are_added),
        cmocka_unit_test(biases_of_nan),
        cmocka_unit_test(resampled_wide),
        cmocka_unit_test(resampled_at_the_limits),
        cmocka_unit_test(ones_stay_ones),
    };
    test_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
