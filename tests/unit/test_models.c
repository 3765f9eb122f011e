/* SPDX-License-Identifier: MIT */
/*
 * Proves what models need besides the presets, each against its formula by MPFR: columns of several
 * axes in every order, with frequencies of their own; pairs that turn by sums over coordinates, also
 * where these cancel; RoPE and tables with such plans.
 */
#include "oracle.h"

#define BITS 2400 /* sums of products of doubles, and sines of what cancels in them */

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

/* Is what was delivered the number rounded once, or, of doubles, within 0.501 ulp? */
static int right(type t, double got, const mpfr_t exact)
{
    static const int precision[] = {24, 53, 11, 8}, least[] = {-148, -1073, -23, -132},
                     most[] = {128, 1024, 16, 128};
    const mpfr_exp_t low = mpfr_get_emin(), high = mpfr_get_emax();
    mpfr_t y;
    int ok;
    if (t == F64) {
        mpfr_init2(y, BITS);
        mpfr_sub_d(y, exact, got, MPFR_RNDN);
        const long ulp = mpfr_zero_p(exact) ? -1074 : (long)mpfr_get_exp(exact) - 53;
        mpfr_mul_2si(y, y, ulp > -1074 ? -ulp : 1074, MPFR_RNDN);
        ok = fabs(mpfr_get_d(y, MPFR_RNDN)) <= 0.501;
    } else {
        mpfr_init2(y, precision[t]);
        mpfr_set_emin(least[t]);
        mpfr_set_emax(most[t]);
        int inexact = mpfr_set(y, exact, MPFR_RNDN);
        inexact = mpfr_check_range(y, inexact, MPFR_RNDN);
        mpfr_subnormalize(y, inexact, MPFR_RNDN);
        ok = mpfr_get_d(y, MPFR_RNDN) == got;
        mpfr_set_emin(low);
        mpfr_set_emax(high);
    }
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

/* ---- the formula -------------------------------------------------------------------------------- */

/* A plan of this test: its frequencies are in omega, axis after axis, or [pair][axis] of sums. */
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

/* Which pair of all has column j, and is it a cosine? 0 if neither. */
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

/* y = column j of the row of these coordinates. */
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
    mpfr_mul_2ui(x, y, 2, MPFR_RNDN); /* quarter turns, if these are half turns */
    const int quarters = c->half_turns && mpfr_integer_p(x);
    if (c->half_turns) {
        mpfr_const_pi(x, MPFR_RNDN);
        mpfr_mul(y, y, x, MPFR_RNDN);
    }
    if (cosine) mpfr_cos(y, y, MPFR_RNDN);
    else mpfr_sin(y, y, MPFR_RNDN);
    if (quarters && !mpfr_zero_p(y) && mpfr_get_exp(y) < -1000) mpfr_set_zero(y, 1); /* MPFR's pi */
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
            fail_msg("%s: columns %d, layout %d, %zu axes, type %d, coordinates %a %a %a, column %zu: "
                     "got %a, want %a",
                     what, (int)m->config.columns, (int)m->config.layout, m->config.axes, (int)t,
                     at[0], at[1], at[2], j, got, mpfr_get_d(y, MPFR_RNDN));
    }
    mpfr_clear(y);
}

/* The model of a config, with these numbers, or, if omega is NULL, those of its bases. */
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
        else pairs += (config->axis[a].width ? config->axis[a].width
                                             : config->d_model / (2 * axes) * 2) / 2;
    }
    m->first[axes] = pairs;
    if (omega) {
        memcpy(m->omega, omega, numbers * sizeof *omega);
        assert_int_equal(
            pe_plan_init_frequencies(&m->plan, config, omega, pairs, m->memory, size), PE_OK);
    } else {
        assert_int_equal(pe_plan_init(&m->plan, config, m->memory, size), PE_OK);
    }
    assert_int_equal(m->plan.pairs, pairs);
}

/* ---- columns ------------------------------------------------------------------------------------ */

/* Every order, layout and type, with lists of frequencies: rows, points, grids, adding. */
static void columns_of_axes(void **state)
{
    enum { ROWS = 23, MOST = 400 };
    rng r = rng_for("columns_of_axes");
    static unsigned char out[2 * ROWS * MOST * 8], sum[2 * ROWS * MOST * 8];
    (void)state;
    for (size_t n = 0; n < workload(96); n++) {
        const size_t axes = 2 + rng_below(&r, 3);
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
            c.axis[a].width = c.columns == PE_COLUMNS_FREQUENCIES ? (axes > 2 ? equal / 4 * 2 : equal)
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
                assert_true(((float *)(void *)sum)[j] == fmaf(2, x, x));
            }
            /* a run, from one coordinate for all axes */
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

/* The same by a base: the bits of lists are those of frequencies that are powers of two. */
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

/* Large tables are written past the caches: the same bits. */
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
    assert_int_equal(pe_plan_init(&plan, &c, memory, sizeof memory), PE_ERR_NULL);
    assert_int_equal(pe_plan_init_frequencies(&plan, &c, omega, 7, memory, sizeof memory), PE_ERR_SHAPE);
    omega[15] = (double)NAN; /* the last of [8][2] */
    assert_int_equal(pe_plan_init_frequencies(&plan, &c, omega, 8, memory, sizeof memory),
                     PE_ERR_FREQUENCY);
    omega[15] = 0, omega[16] = (double)NAN;
    assert_int_equal(pe_plan_init_frequencies(&plan, &c, omega, 8, memory, pe_plan_size(&c) - 1),
                     PE_ERR_SIZE);
    assert_int_equal(pe_plan_init_frequencies(&plan, &c, omega, 8, memory, sizeof memory), PE_OK);
    assert_int_equal(pe_plan_frequencies(&plan, omega), PE_ERR_PLAN);
    assert_int_equal(pe_plan_wavelengths(&plan, omega), PE_ERR_PLAN);
    assert_int_equal(pe_shift_f32(&plan, pe_all(1), 1, x, 16), PE_ERR_PLAN);
    c.columns = PE_COLUMNS_FREQUENCIES;
    assert_int_equal(pe_plan_init(&plan, &c, memory, sizeof memory), PE_OK);
    assert_int_equal(pe_shift_f32(&plan, pe_all(1), 1, x, 16), PE_ERR_PLAN);
    assert_int_equal(pe_rope_f32(&plan, pe_all(1), 1, x, one), PE_ERR_PLAN);
    c.columns = (pe_columns)77, c.axes = 1; /* not looked at but in its range */
    assert_non_null(pe_config_error(&c));
}

/* ---- sums over coordinates ---------------------------------------------------------------------- */

static void sums_over_coordinates(void **state)
{
    enum { ROWS = 5, MOST = 300 };
    static double omega[MOST / 2 * PE_MAX_AXES];
    static unsigned char out[ROWS * MOST * 8];
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
        c.axis[0].width = 4, c.axis[0].coordinate = 99; /* not looked at */
        const size_t numbers = d / 2 * axes;
        if (numbers == 0) continue;
        for (size_t i = 0; i < numbers; i++) {
            omega[i] = (rng_unit(&r) - 0.5) * ldexp(1, (int)rng_below(&r, 12) - 4);
            if (cancels && i % axes == 1) omega[i] = -omega[i - 1]; /* w (x - y) */
            if (n % 6 == 1) omega[i] = (double)rng_below(&r, 9) / 4; /* quarters of turns */
        }
        model_begin(&m, &c, omega, numbers);
        for (int k = 0; k < TYPES; k++) {
            const type t = (type)k;
            for (size_t i = 0; i < ROWS * axes; i++) {
                at[i] = (rng_unit(&r) - 0.5) * ldexp(1, (int)rng_below(&r, 20) - 6);
                if (n % 6 == 1) at[i] = (double)rng_below(&r, 64) - 32;
                if (cancels && i % axes == 1) /* y = x, or next to it */
                    at[i] = at[i - 1] * (1 + ldexp((double)rng_below(&r, 3), -52 + 3 * (int)rng_below(&r, 9)));
            }
            assert_int_equal(fill(t, &m.plan, pe_coords_f64(at, axes, axes, 1), ROWS, out, d), PE_OK);
            for (size_t row = 0; row < ROWS; row++)
                compare(&m, t, at + row * axes, out + row * d * element_of[t], "sums");
        }
        model_end(&m);
    }
}

/* What double-double does not see: terms 2^100 apart that cancel but for the smallest; and positions
   so far that the fast turn is not good enough. */
static void sums_that_nearly_vanish(void **state)
{
    enum { D = 8 };
    static const double w[4 * 4] = {1, -1, 0x1p-60, 0x1p-110,  0x1p20, 0x1p-30, -0x1p20, -0x1p-30,
                                    1, 1,  1,       1,         0x1p20, 0x1p20,  0x1p20,  0x1.8p-3};
    static const double points[][4] = {{1, 1, 0, 0x1.5p-20},       {1, 1, 1, 1},
                                       {0x1p31, 0x1p31, 1, -1},    {0x1p31, -0x1p31, 0x1p31, 0x1p30},
                                       {3, 3, 0, 0},               {0.1, 0.1, 0.1, 0.1},
                                       {0x1p31, 5, 0x1p31, 5},     {1e-300, 1e-300, 0, 1e-200},
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

/* ---- RoPE ----------------------------------------------------------------------------------------- */

/* Heads turned by such plans: by the table's cosines and sines, which are right. */
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
        if (k / 2 == 2) continue; /* by frequency: refused */
        c.axes = AXES, c.columns = (pe_columns)(k / 2), c.layout = (pe_layout)layout;
        c.axis[0].width = 16, c.axis[1].width = 12, c.axis[2].width = 20;
        for (size_t a = 0; a < AXES; a++) c.axis[a].coordinate = a;
        if (k == 1) continue; /* blocks of halves are not one layout: refused */
        for (size_t i = 0; i < D / 2 * AXES; i++) omega[i] = rng_unit(&r);
        for (size_t i = 0; i < TOKENS * AXES; i++) at[i] = (rng_unit(&r) - 0.5) * 100;
        for (size_t i = 0; i < TOKENS * HEADS * D; i++) x[i] = y[i] = (float)(rng_unit(&r) - 0.5);
        model_begin(&m, &c, omega, sums ? D / 2 * AXES : D / 2);
        const pe_at points = pe_coords_f64(at, AXES, AXES, 1);
        assert_int_equal(pe_rope_table_f32(&m.plan, points, TOKENS, PE_ROPE_TABLE_APART, cosines, sines,
                                           D / 2), PE_OK);
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
        assert_int_equal(pe_rope_by_table_f32(c.layout, cosines, sines, D / 2, D / 2, TOKENS, y, heads),
                         PE_OK);
        assert_memory_equal(x, y, sizeof x);
        /* the gradient is the opposite turn */
        for (size_t i = 0; i < TOKENS * D / 2; i++) sines[i] = -sines[i];
        assert_int_equal(pe_rope_f32(&m.plan, pe_back(points), TOKENS, x, heads), PE_OK);
        assert_int_equal(pe_rope_by_table_f32(c.layout, cosines, sines, D / 2, D / 2, TOKENS, y, heads),
                         PE_OK);
        assert_memory_equal(x, y, sizeof x);
        float both[TOKENS * D], pairs[TOKENS * D];
        assert_int_equal(pe_rope_table_f32(&m.plan, points, TOKENS, PE_ROPE_TABLE_JOINED, both, NULL, D),
                         PE_OK);
        assert_int_equal(pe_rope_table_f32(&m.plan, points, TOKENS, PE_ROPE_TABLE_COMPLEX, pairs, NULL, D),
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

/* ---- frequencies of others ------------------------------------------------------------------------ */

static float round_to_float(const mpfr_t x) { return mpfr_get_flt(x, MPFR_RNDN); }

/* Each operation as float32 code has it, by MPFR. */
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
                         (int)formula, c.base, c.d_model, (int)c.exponent, i, omega[i], (double)want);
        }
    }
    pe_config c = pe_config_default(8);
    assert_int_equal(pe_frequencies_float32(NULL, PE_FLOAT32_POW, omega), PE_ERR_NULL);
    assert_int_equal(pe_frequencies_float32(&c, PE_FLOAT32_POW, NULL), PE_ERR_NULL);
    assert_int_equal(pe_frequencies_float32(&c, (pe_float32)3, omega), PE_ERR_ENUM);
    c.base = 0.5;
    assert_int_equal(pe_frequencies_float32(&c, PE_FLOAT32_POW, omega), PE_ERR_CONFIG);
    c.base = 0x1.0p127;
    assert_int_equal(pe_frequencies_float32(&c, PE_FLOAT32_POW, omega), PE_ERR_CONFIG);
    c = pe_config_preset(PE_PRESET_MAE_2D, 16);
    assert_int_equal(pe_frequencies_float32(&c, PE_FLOAT32_POW, omega), PE_ERR_CONFIG);
}

/* freq_base^(-2i/n) (freq_scale (1 - m) + m) / factor */
static void ggml_frequencies(void **state)
{
    rng r = rng_for("ggml_frequencies");
    static float factors[128];
    double omega[129], attention;
    mpfr_t w, low, high, x, y;
    (void)state;
    mpfr_inits2(400, w, low, high, x, y, (mpfr_ptr)NULL);
    for (size_t n = 0; n < workload(400); n++) {
        pe_rope_ggml g;
        memset(&g, 0, sizeof g);
        const size_t pairs = 1 + rng_below(&r, 128);
        for (size_t i = 0; i < 128; i++) factors[i] = (float)ldexp(1 + rng_unit(&r), (int)rng_below(&r, 5) - 2);
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
        for (int k = 0; k < 2; k++) { /* the pairs where the ramp begins and ends */
            const double beta = k ? (g.beta_slow == 0 ? 1 : (double)g.beta_slow)
                                  : (g.beta_fast == 0 ? 32 : (double)g.beta_fast);
            mpfr_const_pi(x, MPFR_RNDN);
            mpfr_mul_d(x, x, 2 * beta, MPFR_RNDN);
            mpfr_ui_div(x, (unsigned long)g.n_ctx_orig, x, MPFR_RNDN);
            mpfr_log(x, x, MPFR_RNDN);
            mpfr_set_d(y, base, MPFR_RNDN);
            mpfr_log(y, y, MPFR_RNDN);
            mpfr_div(x, x, y, MPFR_RNDN);
            mpfr_mul_ui(x, x, (unsigned long)pairs, MPFR_RNDN);
            if (k == 0) mpfr_floor(low, x);
            else mpfr_ceil(high, x);
        }
        if (mpfr_sgn(low) < 0) mpfr_set_ui(low, 0, MPFR_RNDN);
        if (mpfr_cmp_d(high, 2 * (double)pairs - 1) > 0) mpfr_set_d(high, 2 * (double)pairs - 1, MPFR_RNDN);
        mpfr_sub(high, high, low, MPFR_RNDN);
        mpfr_set_ui(x, 1, MPFR_RNDN);
        mpfr_div_ui(x, x, 1000, MPFR_RNDN);
        if (mpfr_cmp(high, x) < 0) mpfr_set(high, x, MPFR_RNDN);
        for (size_t i = 0; i < pairs; i++) {
            mpfr_d_sub(x, (double)i, low, MPFR_RNDN);
            mpfr_div(x, x, high, MPFR_RNDN);
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
                fail_msg("n_dims %zu, base %a, scale %a, ext %a, context %zu, pair %zu: got %a, want %a",
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
    mpfr_clears(w, low, high, x, y, (mpfr_ptr)NULL);
    pe_rope_ggml g;
    memset(&g, 0, sizeof g);
    g.n_dims = 4;
    assert_int_equal(pe_rope_ggml_frequencies(NULL, omega, NULL), PE_ERR_NULL);
    assert_int_equal(pe_rope_ggml_frequencies(&g, NULL, NULL), PE_ERR_NULL);
    g.n_dims = 3, omega[0] = attention = 7;
    assert_int_equal(pe_rope_ggml_frequencies(&g, omega, &attention), PE_ERR_CONFIG);
    assert_true(omega[0] == 7 && attention == 7);
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
        cmocka_unit_test(frequencies_of_float32_code),
        cmocka_unit_test(ggml_frequencies),
    };
    test_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
