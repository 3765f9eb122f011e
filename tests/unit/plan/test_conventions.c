/* SPDX-License-Identifier: MIT */
/*
 * Proves the conventions, the options behind them, the 16-bit types, real positions and adding.
 * Every preset is compared with the formula of its project, which is written here again and
 * evaluated with MPFR. So are random configurations and positions, and whole tables of bf16 and
 * f16. All calls have to give the same bits, sums are compared with MPFR, invalid input has to be
 * refused, and the bytes around every output have to stay.
 */
#include "../oracle.h"
#include "../half.h"

#define BITS 400

/* ---- numbers --------------------------------------------------------------------------------- */

typedef enum type { F32, F64, F16, BF16, TYPES } type;
static const size_t element_of[] = {4, 8, 2, 2};
static const char *const type_name[] = {"f32", "f64", "f16", "bf16"};

static double element_at(type t, const void *row, size_t column)
{
    switch (t) {
    case F32: return (double)((const float *)row)[column];
    case F64: return ((const double *)row)[column];
    default: return half_value(t == BF16, ((const uint16_t *)row)[column]);
    }
}

/* Returns x rounded once to a type, which has a precision, a smallest exponent with subnormals,
   and a largest exponent. */
static double rounded(type t, const mpfr_t x)
{
    static const int precision[] = {24, 53, 11, 8}, least[] = {-148, -1073, -23, -132},
                     most[] = {128, 1024, 16, 128};
    const mpfr_exp_t low = mpfr_get_emin(), high = mpfr_get_emax();
    mpfr_t y;
    mpfr_init2(y, precision[t]);
    mpfr_set_emin(least[t]);
    mpfr_set_emax(most[t]);
    int inexact = mpfr_set(y, x, MPFR_RNDN);
    inexact = mpfr_check_range(y, inexact, MPFR_RNDN);
    mpfr_subnormalize(y, inexact, MPFR_RNDN);
    const double result = mpfr_get_d(y, MPFR_RNDN);
    mpfr_clear(y);
    mpfr_set_emin(low);
    mpfr_set_emax(high);
    return result;
}

/* Returns whether `got` is the exact number, rounded once to the type. */
static int right(type t, double got, const mpfr_t exact) { return got == rounded(t, exact); }

/* ---- calls ----------------------------------------------------------------------------------- */

static pe_status fill(type t, const pe_plan *p, pe_at at, size_t rows, void *out, size_t stride)
{
    switch (t) {
    case F32: return pe_fill_f32(p, at, rows, (float *)out, stride);
    case F64: return pe_fill_f64(p, at, rows, (double *)out, stride);
    case F16: return pe_fill_f16(p, at, rows, (uint16_t *)out, stride);
    default: return pe_fill_bf16(p, at, rows, (uint16_t *)out, stride);
    }
}
static pe_status add(type t, const pe_plan *p, pe_at at, size_t rows, float scale, void *x,
                     size_t stride)
{
    switch (t) {
    case F32: return pe_add_f32(p, at, rows, scale, (float *)x, stride);
    case F64: return pe_add_f64(p, at, rows, (double)scale, (double *)x, stride);
    case F16: return pe_add_f16(p, at, rows, scale, (uint16_t *)x, stride);
    default: return pe_add_bf16(p, at, rows, scale, (uint16_t *)x, stride);
    }
}
static pe_status add_batch(type t, const pe_plan *p, pe_at at, size_t rows, size_t batches,
                           float scale, void *x, size_t stride, size_t batch_stride)
{
    switch (t) {
    case F32:
        return pe_add_batch_f32(p, at, rows, batches, scale, (float *)x, stride, batch_stride);
    case F64:
        return pe_add_batch_f64(p, at, rows, batches, (double)scale, (double *)x, stride,
                                batch_stride);
    case F16:
        return pe_add_batch_f16(p, at, rows, batches, scale, (uint16_t *)x, stride, batch_stride);
    default:
        return pe_add_batch_bf16(p, at, rows, batches, scale, (uint16_t *)x, stride, batch_stride);
    }
}

/* Returns the points of a plan, which are stored as [rows][axes]. */
static pe_at points_f64(const pe_plan *p, const double *points)
{
    return pe_coords_f64(points, p->axes, p->axes, 1);
}

typedef struct made {
    pe_plan plan;
    void *memory;
} made;

static made make_plan(const pe_config *config)
{
    made m;
    const size_t size = pe_plan_size(config);
    m.memory = must_alloc(size);
    const pe_status status = pe_plan_init(&m.plan, config, m.memory, size);
    if (status != PE_OK) fail_msg("d_model %zu: %s", config->d_model, pe_status_string(status));
    return m;
}

/* ---- presets: the formulas of other projects ------------------------------------------------- */

static mpfr_t g_a, g_w, g_x;

/* Computes g_w = base^(-numerator / (denominator - less)). */
static void frequency(double base, double numerator, double denominator, double less)
{
    mpfr_set_d(g_w, base, MPFR_RNDN);
    mpfr_log(g_w, g_w, MPFR_RNDN);
    mpfr_mul_d(g_w, g_w, -numerator, MPFR_RNDN);
    mpfr_set_d(g_a, denominator, MPFR_RNDN);
    mpfr_sub_d(g_a, g_a, less, MPFR_RNDN);
    if (numerator != 0) mpfr_div(g_w, g_w, g_a, MPFR_RNDN);
    mpfr_exp(g_w, g_w, MPFR_RNDN);
}

/* Computes g_x, the sine or cosine of t base^(-numerator / denominator). */
static void element(int cosine, double t, double base, double numerator, double denominator)
{
    frequency(base, numerator, denominator, 0);
    mpfr_mul_d(g_a, g_w, t, MPFR_RNDN);
    if (cosine) mpfr_cos(g_x, g_a, MPFR_RNDN);
    else mpfr_sin(g_x, g_a, MPFR_RNDN);
}

/* Computes g_x for the halves layout with n pairs in columns 0 ... 2n - 1, where pair i has the
   exponent -i / denominator. */
static void halves(size_t j, size_t n, int cos_first, double t, double denominator)
{
    element((j >= n) != cos_first, t, 10000, (double)(j % n), denominator);
}

/* Computes g_x, column j of the row for the given coordinates, as the project has it. Returns 0
   if d is refused. */
static int project(pe_preset preset, size_t d, size_t j, const double *t)
{
    const size_t h = d / 2, n = d / 4;
    mpfr_set_zero(g_x, 1);
    switch (preset) {
    case PE_PRESET_VASWANI: element(j % 2, t[0], 10000, (double)(j / 2 * 2), (double)d); break;
    case PE_PRESET_T2T:
    case PE_PRESET_TENER:
    case PE_PRESET_DDPM:
        if (j < 2 * h) halves(j, h, 0, t[0], (double)h - 1);
        break;
    case PE_PRESET_FAIRSEQ: /* padding_idx 1: row k has position k + 2, row -1 is zero */
        if (j < 2 * h && t[0] != -1) halves(j, h, 0, t[0] + 2, (double)h - 1);
        break;
    case PE_PRESET_OPENNMT:
        if (j < 2 * h) halves(j, h, 0, t[0] + 1, (double)h - 1);
        break;
    case PE_PRESET_HF_MARIAN: {
        const size_t sines = (d + 1) / 2, i = j < sines ? j : j - sines;
        element(j >= sines, t[0], 10000, (double)(2 * i), (double)d);
        break;
    }
    case PE_PRESET_TRANSFORMER_XL:
        if (d % 2) return 0;
        element(j >= h, t[0], 10000, (double)(2 * (j % h)), (double)d);
        break;
    case PE_PRESET_LDM:
        if (j < 2 * h) halves(j, h, 1, t[0], (double)h);
        break;
    case PE_PRESET_MUSICGEN:
        if (j < 2 * h) halves(j, h, 1, t[0], (double)h - 1);
        break;
    case PE_PRESET_MLX:
        if (d % 2) return 0;
        halves(j, h, 0, t[0], (double)h - 1);
        mpfr_mul_d(g_x, g_x, sqrt(2 / (double)d), MPFR_RNDN);
        break;
    case PE_PRESET_MAE_2D: /* coordinates (y, x); x is in the first half */
        if (d % 4) return 0;
        element(j % h >= n, j < h ? t[1] : t[0], 10000, (double)(2 * (j % h % n)), (double)h);
        break;
    case PE_PRESET_VIDEO_3D: { /* coordinates (t, y, x); blocks t, x, y */
        if (d % 16) return 0;
        const size_t wide = 3 * d / 8, k = j < n ? j : (j - n) % wide, w = j < n ? n : wide;
        const double at = j < n ? t[0] : j < n + wide ? t[2] : t[1];
        element(k >= w / 2, at, 10000, (double)(2 * (k % (w / 2))), (double)w);
        break;
    }
    case PE_PRESET_T2T_ND:
        if (j < 4 * n)
            element(j % (2 * n) >= n, t[j / (2 * n)], 10000, (double)(j % n), (double)n - 1);
        break;
    case PE_PRESET_DETR:
        if (d % 2) return 0;
        element(j % h % 2, t[j / h] + 1, 10000, (double)(j % h / 2 * 2), (double)h);
        break;
    case PE_PRESET_NERF: { /* frequency k: sines of x, y, z, then their cosines */
        const size_t each = d / 6, k = j / 6, axis = j % 3;
        if (k >= each) break;
        mpfr_set_d(g_a, t[axis], MPFR_RNDN);
        mpfr_mul_2ui(g_a, g_a, k, MPFR_RNDN);
        if (j % 6 >= 3) mpfr_cos(g_x, g_a, MPFR_RNDN);
        else mpfr_sin(g_x, g_a, MPFR_RNDN);
        break;
    }
    case PE_PRESET_TINY_CUDA_NN: { /* three coordinates, h / 3 frequencies each */
        const size_t each = d / 6, axis = each ? j / (2 * each) : 3, k = each ? j % (2 * each) : 0;
        if (axis >= 3) break;
        mpfr_const_pi(g_a, MPFR_RNDN);
        mpfr_mul_d(g_a, g_a, t[axis], MPFR_RNDN);
        mpfr_mul_2ui(g_a, g_a, k / 2, MPFR_RNDN);
        if (k % 2) mpfr_cos(g_x, g_a, MPFR_RNDN);
        else mpfr_sin(g_x, g_a, MPFR_RNDN);
        if (mpfr_get_exp(g_x) < -300)
            mpfr_set_zero(g_x, 1); /* a multiple of pi, but for MPFR's pi */
        break;
    }
    case PE_PRESET_COUNT:
    default: return 0;
    }
    return 1;
}

static void begin_numbers(void) { mpfr_inits2(BITS, g_a, g_w, g_x, (mpfr_ptr)NULL); }
static void end_numbers(void) { mpfr_clears(g_a, g_w, g_x, (mpfr_ptr)NULL); }

static void compare_row(pe_preset preset, type t, size_t d, const double *at, const void *row)
{
    for (size_t j = 0; j < d; j++) {
        assert_int_equal(project(preset, d, j, at), 1);
        const double got = element_at(t, row, j);
        if (!right(t, got, g_x))
            fail_msg("preset %d, d %zu, %s, coordinates %g %g %g, column %zu: got %a, want %a",
                     (int)preset, d, type_name[t], at[0], at[1], at[2], j, got, rounded(t, g_x));
    }
}

/* Tests that a preset refuses this width, as the project does. */
static void refuse_width(const pe_config *config)
{
    pe_plan plan;
    char memory[64];
    assert_int_equal(pe_plan_size(config), 0);
    assert_int_equal(pe_plan_init(&plan, config, memory, sizeof memory), PE_ERR_CONFIG);
}

/* Compares the row of position p with the project's formula. With several axes, the row is that of
   the point (p, p / 3, p mod 1000), and then that of one coordinate for all axes. */
static void compare_position(pe_preset preset, type t, const pe_plan *plan, int64_t p, void *row)
{
    const size_t d = plan->d_model;
    if (plan->axes == 1) {
        const double at[3] = {(double)p, 0, 0};
        assert_int_equal(fill(t, plan, pe_from(p), 1, row, d), PE_OK);
        compare_row(preset, t, d, at, row);
        return;
    }
    double at[PE_MAX_AXES] = {(double)p, (double)(p / 3), (double)(p % 1000)};
    assert_int_equal(fill(t, plan, points_f64(plan, at), 1, row, d), PE_OK);
    compare_row(preset, t, d, at, row);
    const double same[PE_MAX_AXES] = {(double)p, (double)p, (double)p};
    assert_int_equal(fill(t, plan, pe_from(p), 1, row, d), PE_OK);
    compare_row(preset, t, d, same, row);
    assert_int_equal(fill(t, plan, pe_at_f64(same), 1, row, d), PE_OK);
    compare_row(preset, t, d, same, row);
}

/* Compares every row of a grid, made by one call and by two. */
static void compare_grid(pe_preset preset, type t, const pe_plan *plan, unsigned char *row)
{
    const size_t d = plan->d_model, shape[3] = {2, 3, 4}, rows = plan->axes == 2 ? 6 : 24;
    const pe_at grid = pe_grid(shape, plan->axes);
    assert_int_equal(fill(t, plan, grid, 3, row, d), PE_OK);
    assert_int_equal(fill(t, plan, pe_skip(grid, 3), rows - 3, row + 3 * d * element_of[t], d),
                     PE_OK);
    unsigned char *const whole = row + rows * d * element_of[t];
    assert_int_equal(fill(t, plan, grid, rows, whole, d), PE_OK);
    assert_memory_equal(whole, row, rows * d * element_of[t]);
    for (size_t r = 0; r < rows; r++) {
        const double two[3] = {(double)(r / 3), (double)(r % 3), 0};
        const double three[3] = {(double)(r / 12), (double)(r / 4 % 3), (double)(r % 4)};
        compare_row(preset, t, d, plan->axes == 2 ? two : three, row + r * d * element_of[t]);
    }
}

/* Tests the padding row within a run and in a list. */
static void compare_padding(const pe_plan *plan, float *row)
{
    const size_t d = plan->d_model;
    const int64_t list[4] = {-1, 5, -1, 0};
    assert_int_equal(pe_fill_f32(plan, pe_from(-3), 6, row, d), PE_OK);
    for (int r = 0; r < 6; r++) {
        const double at[3] = {r - 3.0, 0, 0};
        compare_row(PE_PRESET_FAIRSEQ, F32, d, at, row + (size_t)r * d);
    }
    assert_int_equal(pe_fill_f32(plan, pe_at_i64(list), 4, row, d), PE_OK);
    for (int r = 0; r < 4; r++) {
        const double at[3] = {(double)list[r], 0, 0};
        compare_row(PE_PRESET_FAIRSEQ, F32, d, at, row + (size_t)r * d);
    }
}

static void presets_match_their_projects(void **state)
{
    static const size_t widths[] = {1, 2, 3, 4, 5, 6, 7, 16, 30, 33, 48, 64, 80};
    static const double zero[3] = {0, 0, 0};
    (void)state;
    begin_numbers();
    for (size_t k = 0; k < PE_PRESET_COUNT * LENGTH(widths); k++) {
        const pe_preset preset = (pe_preset)(k / LENGTH(widths));
        const size_t w = k % LENGTH(widths), d = widths[w];
        const pe_config config = pe_config_preset(preset, d);
        if (!project(preset, d, 0, zero)) {
            refuse_width(&config);
            continue;
        }
        made m = make_plan(&config);
        unsigned char *row = (unsigned char *)must_alloc(64 * d * 8);
        for (int t = 0; t < TYPES; t++) {
            for (size_t i = w % 3; i < LENGTH(hard_positions); i += 3 * every()) {
                const int64_t p = hard_positions[i];
                if (p <= 2147483640 && p >= -2147483640)
                    compare_position(preset, (type)t, &m.plan, p, row);
            }
            if (config.axes > 1) compare_grid(preset, (type)t, &m.plan, row);
        }
        if (preset == PE_PRESET_FAIRSEQ) compare_padding(&m.plan, (float *)(void *)row);
        free(row);
        free(m.memory);
    }
    end_numbers();
}

static void another_number_is_no_preset(void **state)
{
    static const int others[] = {-1, PE_PRESET_COUNT, 99};
    (void)state;
    for (size_t k = 0; k < LENGTH(others); k++) {
        const pe_config nobody = pe_config_preset((pe_preset)others[k], 64);
        pe_plan plan;
        char memory[64];
        assert_int_equal(pe_plan_size(&nobody), 0);
        assert_non_null(pe_config_error(&nobody));
        assert_int_equal(pe_plan_init(&plan, &nobody, memory, sizeof memory), PE_ERR_CONFIG);
    }
}

/* ---- knobs: random configurations ------------------------------------------------------------ */

static const double reals[] = {
    0,       1,     -1,         0.5,      0.1,           1e-300, 0x1p-1074,      0x1.8p-400,
    -1e-150, 999.5, 445.120025, 65536.25, -2147483640.0, 3,      2147483640.125, 1234567.875};

/* Returns a config with random fields, which fit each other most of the time. */
static pe_config any_knobs(rng *r, size_t d)
{
    static const double bases[] = {10000, 1e6, 0.5, 2, 1e100}, scales[] = {1, 1, -2.5, 1e-3},
                        amplitudes[] = {1, -3, 1e-3, 1e4, 0x1p-20, 1e-39},
                        offsets[] = {0, 0, 2, 0.5, -7.25};
    /* with one of the last five, half the width less the shift is not a double */
    static const double shifts[] = {0, 1, 0, 1, 0.5, 0.1, 1.0 / 3, -0.7, 1e-10, -1e-300};
    pe_config c = pe_config_default(d);
    c.layout = (pe_layout)rng_below(r, 2);
    c.cos_first = (int)rng_below(r, 2);
    c.odd = (pe_odd)rng_below(r, 2);
    c.exponent = (pe_exponent)rng_below(r, 2);
    c.exponent_shift = shifts[rng_below(r, 10)];
    c.base = bases[rng_below(r, 5)];
    c.amplitude = amplitudes[rng_below(r, 6)];
    c.scale = scales[rng_below(r, 4)];
    c.half_turns = rng_below(r, 4) == 0;
    c.offset = offsets[rng_below(r, 5)];
    if (rng_below(r, 5) == 0) c.angle = PE_ANGLE_FLOAT32;
    return c;
}

/* Returns how many columns are not filled with zeros. */
static size_t filled_columns(const pe_config *c)
{
    return c->odd == PE_ODD_ZERO ? c->d_model / 2 * 2 : c->d_model;
}
static double divisor_of(const pe_config *c)
{
    return c->exponent == PE_EXPONENT_PAIRS ? (double)(c->d_model / 2) : (double)c->d_model / 2;
}

/* Computes g_x, column j at a position, which includes its sign and offset. With `delta`, the
   amplitude is left out. */
static void knobs_element(const pe_config *c, size_t j, double position, int delta)
{
    const size_t width = filled_columns(c), front = (width + 1) / 2;
    const double less = c->exponent == PE_EXPONENT_PAIRS ? c->exponent_shift : 0;
    size_t i = j / 2;
    int cosine = (int)(j % 2) ^ c->cos_first;
    if (c->layout == PE_LAYOUT_HALVES) {
        i = j < front ? j : j - front;
        cosine = (j >= front) ^ c->cos_first;
    }
    frequency(c->base, (double)i, divisor_of(c), less); /* i is 0 where there is one pair */
    mpfr_mul_d(g_w, g_w, c->scale, MPFR_RNDN);
    if (c->half_turns) {
        mpfr_const_pi(g_a, MPFR_RNDN);
        mpfr_mul(g_w, g_w, g_a, MPFR_RNDN);
    }
    if (c->angle == PE_ANGLE_FLOAT32) {
        const float w = mpfr_get_flt(g_w, MPFR_RNDN);
        volatile float p = (float)position, angle;
        angle = p * w;
        mpfr_set_flt(g_a, angle, MPFR_RNDN);
    } else {
        mpfr_mul_d(g_a, g_w, position, MPFR_RNDN);
    }
    if (cosine) mpfr_cos(g_x, g_a, MPFR_RNDN);
    else mpfr_sin(g_x, g_a, MPFR_RNDZ); /* RNDZ: sin x stays below a tiny x */
    if (c->half_turns && fabs(position) > 1e-3 && mpfr_get_exp(g_x) < -345 && mpfr_get_exp(g_a) > 0)
        mpfr_set_zero(g_x, 1);
    if (!delta) mpfr_mul_d(g_x, g_x, c->amplitude, MPFR_RNDN);
    if (j >= width) mpfr_set_zero(g_x, 1);
}

/* Compares some elements of random rows with MPFR. The rows of kind k / 4 are consecutive, real
   numbers as doubles, real numbers as floats, or have a step; k % 4 is their type. */
static void compare_knobs(const pe_config *c, const pe_plan *plan, int k, void *out, rng *r)
{
    static const int64_t firsts[] = {0, -20, 100000, 2147483600, -2147483600, 1 << 24};
    static const int64_t steps[] = {-1, 0, 1}; /* calls_agree() tests other steps */
    const type t = (type)(k % 4);
    const size_t d = c->d_model, rows = 1 + rng_below(r, 40);
    const int64_t first = firsts[rng_below(r, 6)], step = steps[rng_below(r, 3)];
    const unsigned way = k < 8 ? 0 : (unsigned)rng_below(r, 4);
    const int back = (int)(way & 1), delta = (int)(way >> 1); /* pe_back, pe_delta */
    double at[40];
    float narrow[40];
    for (size_t row = 0; row < rows; row++) {
        at[row] = reals[rng_below(r, sizeof reals / sizeof *reals)];
        /* half of a large position, so that position plus offset stays in range */
        narrow[row] = (float)(fabs(at[row]) > 1e9 ? at[row] / 2 : at[row]);
        if (k / 4 == 0) at[row] = (double)first + (double)row;
        if (k / 4 == 2) at[row] = (double)narrow[row];
        if (k / 4 == 3) at[row] = (double)first + (double)(step * (int64_t)row);
    }
    const pe_at plain = k / 4 == 0   ? pe_from(first)
                        : k / 4 == 1 ? pe_at_f64(at)
                        : k / 4 == 2 ? pe_at_f32(narrow)
                                     : pe_from_by(first, step);
    const pe_at moved = delta ? pe_delta(plain) : plain;
    assert_int_equal(fill(t, plan, back ? pe_back(moved) : moved, rows, out, d), PE_OK);
    for (int q = 0; q < 25; q++) {
        const size_t row = rng_below(r, rows), j = rng_below(r, d);
        const double sum = delta ? at[row] : at[row] + c->offset;
        knobs_element(c, j, back ? -sum : sum, delta);
        const double got = element_at(t, (unsigned char *)out + row * d * element_of[t], j);
        if (!right(t, got, g_x))
            fail_msg("%s: d %zu layout %d cos_first %d odd %d exponent %d shift %g base %g "
                     "A %g scale %g half_turns %d offset %g angle %d way %u position %.17g "
                     "column %zu: got %a, want %a",
                     type_name[t], d, (int)c->layout, c->cos_first, (int)c->odd, (int)c->exponent,
                     c->exponent_shift, c->base, c->amplitude, c->scale, c->half_turns, c->offset,
                     (int)c->angle, way, at[row], j, got, rounded(t, g_x));
    }
}

static void random_knobs(void **state)
{
    rng r = rng_for("random_knobs");
    (void)state;
    begin_numbers();
    for (size_t n = 0; n < workload(400); n++) {
        const size_t d = n % 50 == 0 ? 1030 + rng_below(&r, 5) : 1 + rng_below(&r, 70);
        const pe_config c = any_knobs(&r, d);
        const double less = c.exponent == PE_EXPONENT_PAIRS ? c.exponent_shift : 0;
        if (filled_columns(&c) > 2 && !(divisor_of(&c) > less)) {
            assert_int_equal(pe_plan_size(&c), 0);
            continue;
        }
        made m = make_plan(&c);
        void *out = must_alloc(40 * d * 8);
        for (int k = 0; k < 16; k++) compare_knobs(&c, &m.plan, k, out, &r);
        free(out);
        free(m.memory);
    }
    end_numbers();
}

/* Tests that the sine of 0 is +0, however the position became 0: turned back, as -0, with an
   offset, or as a difference. */
static void zeros_have_no_sign(void **state)
{
    enum { D = 34, ROWS = 7 };
    static const double minus[ROWS] = {-0.0, 2.0};
    static const float narrow[ROWS] = {-0.0f, -2.0f};
    (void)state;
    for (int k = 0; k < 2 * TYPES; k++) {
        const type t = (type)(k % TYPES);
        pe_config c = pe_config_default(D);
        made m[3];
        for (int n = 0; n < 3; n++) { /* 2: float32 angles */
            c.offset = n == 1 ? -2 : 0;
            c.angle = n == 2 ? PE_ANGLE_FLOAT32 : PE_ANGLE_EXACT;
            c.layout = (pe_layout)(k / TYPES);
            m[n] = make_plan(&c);
        }
        const struct {
            int plan;
            pe_at at;
            size_t row; /* the row whose position is 0 */
        } cases[] = {{0, pe_from(0), 0},
                     {0, pe_back(pe_from(0)), 0},
                     {0, pe_from(-3), 3},
                     {0, pe_back(pe_from(-3)), 3},
                     {0, pe_from_by(3, -1), 3},
                     {0, pe_back(pe_from_by(3, -1)), 3},
                     {0, pe_from_by(-6, 3), 2},
                     {0, pe_back(pe_from_by(-6, 3)), 2},
                     {0, pe_at_f64(minus), 0},
                     {0, pe_back(pe_at_f64(minus)), 0},
                     {0, pe_at_f32(narrow), 0},
                     {0, pe_delta(pe_back(pe_at_f32(narrow))), 0},
                     {1, pe_from(0), 2},
                     {1, pe_back(pe_from(0)), 2},
                     {1, pe_at_f64(minus), 1},
                     {1, pe_back(pe_at_f64(minus)), 1},
                     {1, pe_delta(pe_at_f64(minus)), 0},
                     {1, pe_back(pe_delta(pe_all(0))), 1},
                     {2, pe_from(0), 0},
                     {2, pe_back(pe_from(0)), 0},
                     {2, pe_back(pe_at_f64(minus)), 0}};
        for (size_t n = 0; n < LENGTH(cases); n++) {
            unsigned char x[ROWS * D * 8], zero[8] = {0};
            assert_int_equal(fill(t, &m[cases[n].plan].plan, cases[n].at, ROWS, x, D), PE_OK);
            for (size_t i = 0; i < D / 2; i++) {
                const size_t j = cases[n].row * D + (k < TYPES ? 2 * i : i);
                if (memcmp(x + j * element_of[t], zero, element_of[t]) != 0)
                    fail_msg("%s, case %zu: the sine of 0 in column %zu is %a", type_name[t], n,
                             j % D, element_at(t, x, j));
            }
        }
        for (int n = 0; n < 3; n++) free(m[n].memory);
    }
}

/* Proves that the few elements that need more digits than a double-double are rounded correctly
   at every place in a row. With base 1 all pairs have one frequency. The sine or cosine of this
   frequency at a position is a tie to 2^-53, so all elements of that row are such elements at
   once. */
static void every_place_is_settled(void **state)
{
    enum { D = 78, ROWS = 19, ALL = ROWS * D };
    rng r = rng_for("every_place_is_settled");
    (void)state;
    begin_numbers();
    for (size_t k = 0; k < 250 + workload(50); k++) {
        const type t = k % 3 == 0 ? F32 : k % 3 == 1 ? F16 : BF16;
        const int digits = t == F32 ? 24 : t == F16 ? 11 : 8;
        const int cosine = k / 3 % 2;
        const int64_t position = 1 + (int64_t)rng_below(&r, k % 4 ? 700000 : 2000000000);
        const double m =
            0.5 + ldexp((double)(2 * rng_below(&r, (size_t)1 << (digits - 2)) + 1), -digits - 1);
        mpfr_set_d(g_a, m, MPFR_RNDN); /* between 1/2 and 1, half way between two numbers of t */
        if (cosine) mpfr_acos(g_a, g_a, MPFR_RNDN);
        else mpfr_asin(g_a, g_a, MPFR_RNDN);
        mpfr_div_d(g_a, g_a, (double)position, MPFR_RNDN);
        pe_config c = pe_config_default(D);
        c.layout = (pe_layout)(k / 6 % 2);
        c.base = 1, c.scale = mpfr_get_d(g_a, MPFR_RNDN);
        made plan = make_plan(&c);
        double all[ALL];
        const int64_t first = position - (int64_t)rng_below(&r, ROWS);
        assert_int_equal(fill(t, &plan.plan, pe_from(first), ROWS, all, D), PE_OK);
        for (size_t row = 0; row < ROWS; row++)
            for (size_t j = 0; j < D; j++) {
                const unsigned char *const x = (const unsigned char *)all + row * D * element_of[t];
                const int is_cosine = c.layout == PE_LAYOUT_HALVES ? j >= D / 2 : j % 2 == 1;
                const size_t like = is_cosine ? (c.layout == PE_LAYOUT_HALVES ? D / 2 : 1) : 0;
                if (j == like) {
                    mpfr_set_d(g_a, c.scale, MPFR_RNDN);
                    mpfr_mul_d(g_a, g_a, (double)(first + (int64_t)row), MPFR_RNDN);
                    if (is_cosine) mpfr_cos(g_x, g_a, MPFR_RNDN);
                    else mpfr_sin(g_x, g_a, MPFR_RNDZ); /* RNDZ: sin x stays below a tiny x */
                    assert_true(right(t, element_at(t, x, j), g_x));
                } else if (element_at(t, x, j) != element_at(t, x, like)) {
                    fail_msg(
                        "%s, layout %d, scale %a: position %lld, column %zu is %a, column %zu %a",
                        type_name[t], (int)c.layout, c.scale, (long long)(first + (int64_t)row), j,
                        element_at(t, x, j), like, element_at(t, x, like));
                }
            }
        free(plan.memory);
    }
    end_numbers();
}

/* Tests frequencies 10^-i pi, so that every 5th, 50th and 500th position is at a quarter turn.
   Sines and cosines are 0, 1 and -1 there, and no zero is negative. The number 10^-i is no
   double. */
static void quarter_turns_are_met(void **state)
{
    static const double quarter[] = {0, 1, 0, -1};
    static const int64_t some[] = {0,        5,         -5,         10,         15,    50,
                                   -150,     250,       500,        1000,       -1500, 35000,
                                   16777000, 123456500, 2147483500, -2147483000};
    enum { D = 8, ROWS = sizeof some / sizeof *some };
    size_t met = 0;
    double positions[ROWS];
    pe_config c = pe_config_default(D);
    (void)state;
    c.half_turns = 1;
    for (size_t row = 0; row < ROWS; row++) positions[row] = (double)some[row] / 2;
    made m = make_plan(&c);
    void *out = must_alloc(ROWS * D * 8);
    for (int k = 0; k < 2 * TYPES; k++) {
        const type t = (type)(k % TYPES);
        const int real = k >= TYPES; /* 1: real positions, half as large as those of some[] */
        assert_int_equal(real ? fill(t, &m.plan, pe_at_f64(positions), ROWS, out, D)
                              : fill(t, &m.plan, pe_at_i64(some), ROWS, out, D),
                         PE_OK);
        for (size_t row = 0; row < ROWS; row++)
            for (int64_t i = 0, unit = 1; i < D / 2; i++, unit *= 10) {
                const int64_t twice = real ? some[row] : 2 * some[row], turns = twice / unit;
                if (twice % unit != 0) continue;
                for (int cosine = 0; cosine < 2; cosine++) {
                    const size_t j = 2 * (size_t)i + (size_t)cosine;
                    const double want = quarter[(turns % 4 + 4 + cosine) % 4];
                    const double got =
                        element_at(t, (unsigned char *)out + row * D * element_of[t], j);
                    if (got != want || (want == 0 && signbit(got)))
                        fail_msg("%s: position %g, column %zu: got %a, want %a", type_name[t],
                                 real ? positions[row] : (double)some[row], j, got, want);
                    met++;
                }
            }
    }
    assert_true(met > 2 * TYPES * ROWS * 5);
    free(out);
    free(m.memory);
}

/* Checks rows whose last tile is a single cosine. Rows are computed in tiles of 512 pairs, and a
   width of 1025 with cosines first leaves one cosine. An element written behind it would change a
   canary. */
static void a_tile_of_one_cosine(void **state)
{
    enum { D = 1025, PAIRS = 513, ROWS = 3, STRIDE = D + 2 };
    static const size_t some[] = {0, 1, 510, 511, 512};
    const int64_t first = 99999;
    void *out = must_alloc(ROWS * STRIDE * 8);
    (void)state;
    begin_numbers();
    for (int k = 0; k < 2 * TYPES; k++) {
        const type t = (type)(k % TYPES);
        const int split = k >= TYPES;
        pe_config c = pe_config_default(D);
        c.cos_first = 1;
        c.layout = split ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
        made m = make_plan(&c);
        memset(out, CANARY, ROWS * STRIDE * element_of[t]);
        assert_int_equal(fill(t, &m.plan, pe_from(first), ROWS, out, STRIDE), PE_OK);
        for (size_t row = 0; row < ROWS; row++) {
            unsigned char *const begin = (unsigned char *)out + row * STRIDE * element_of[t];
            for (size_t n = 0; n < sizeof some / sizeof *some; n++)
                for (size_t sine = 0; sine < 2; sine++) {
                    const size_t i = some[n], j = split ? i + sine * PAIRS : 2 * i + sine;
                    if (j >= D) continue;
                    element(!sine, (double)first + (double)row, 10000, (double)i, D / 2.0);
                    const double got = element_at(t, begin, j);
                    if (!right(t, got, g_x))
                        fail_msg("%s, %s, row %zu, column %zu: got %a, want %a", type_name[t],
                                 split ? "halves" : "interleaved", row, j, got, rounded(t, g_x));
                }
            assert_true(all_canaries(begin + D * element_of[t], (STRIDE - D) * element_of[t]));
        }
        free(m.memory);
    }
    end_numbers();
    free(out);
}

/* Checks rows of an odd width in the halves layout, where the first half is one pair longer. The
   second half then begins at an address that is not a multiple of a vector, even if all rows do. */
static void halves_of_two_lengths(void **state)
{
    enum { D = 33, FRONT = 17, ROWS = 20, STRIDE = 64 };
    unsigned char *const memory = (unsigned char *)must_alloc(ROWS * STRIDE * 8 + 64);
    unsigned char *const out = memory + (64 - (uintptr_t)(void *)memory % 64) % 64;
    (void)state;
    begin_numbers();
    for (int k = 0; k < 2 * TYPES; k++) {
        const type t = (type)(k % TYPES);
        pe_config c = pe_config_default(D);
        c.layout = PE_LAYOUT_HALVES;
        c.cos_first = k >= TYPES;
        made m = make_plan(&c);
        memset(out, CANARY, ROWS * STRIDE * 8);
        assert_int_equal(fill(t, &m.plan, pe_from(7000), ROWS, out, STRIDE), PE_OK);
        for (size_t row = 0; row < ROWS; row++) {
            unsigned char *const begin = out + row * STRIDE * element_of[t];
            for (size_t j = 0; j < D; j++) {
                const size_t i = j < FRONT ? j : j - FRONT;
                element((j >= FRONT) ^ c.cos_first, 7000.0 + (double)row, 10000, (double)i,
                        D / 2.0);
                const double got = element_at(t, begin, j);
                if (!right(t, got, g_x))
                    fail_msg("%s, cos_first %d, row %zu, column %zu: got %a, want %a", type_name[t],
                             c.cos_first, row, j, got, rounded(t, g_x));
            }
            assert_true(all_canaries(begin + D * element_of[t], (STRIDE - D) * element_of[t]));
        }
        free(m.memory);
    }
    end_numbers();
    free(memory);
}

/* Tests that the plan becomes all zeros, and its memory stays as it was. */
static void refused_frequencies(const pe_config *c, const double *omega, size_t pairs, size_t bytes,
                                pe_status status)
{
    static const pe_plan none;
    unsigned char *const memory = (unsigned char *)must_alloc(bytes);
    pe_plan plan;
    double w[16];
    memset(memory, CANARY, bytes);
    memset(&plan, CANARY, sizeof plan);
    assert_int_equal(pe_plan_init_frequencies(&plan, c, omega, pairs, memory, bytes), status);
    assert_memory_equal(&plan, &none, sizeof plan);
    assert_true(all_canaries(memory, bytes));
    assert_int_equal(pe_plan_frequencies(&plan, w), PE_ERR_PLAN);
    assert_int_equal(pe_plan_wavelengths(&plan, w), PE_ERR_PLAN);
    free(memory);
}

static void own_frequencies(void **state)
{
    static const double omega[] = {1, -0.25, 0.1, (double)(3.0f / 7.0f), 0, 1e-9, 2000, 0, 0x1p-60};
    enum { PAIRS = 9, D = 2 * PAIRS };
    float table[70 * D];
    double back[PAIRS];
    (void)state;
    begin_numbers();
    for (int half = 0; half < 2; half++) {
        pe_config c = pe_config_default(D);
        c.half_turns = half;
        const size_t size = pe_plan_size(&c);
        void *memory = must_alloc(size);
        pe_plan plan;
        assert_int_equal(pe_plan_init_frequencies(&plan, &c, omega, PAIRS, memory, size), PE_OK);
        assert_int_equal(plan.pairs, PAIRS);
        assert_int_equal(pe_plan_frequencies(&plan, back), PE_OK);
        for (int64_t first = -3; first < 3000000; first += 999983) {
            assert_int_equal(pe_fill_f32(&plan, pe_from(first), 70, table, D), PE_OK);
            for (size_t k = 0; k < 70 * D; k++) {
                const size_t row = k / D, j = k % D;
                mpfr_set_d(g_a, omega[j / 2], MPFR_RNDN);
                if (half) {
                    mpfr_const_pi(g_w, MPFR_RNDN);
                    mpfr_mul(g_a, g_a, g_w, MPFR_RNDN);
                }
                if (row == 0) {
                    const double want = mpfr_get_d(g_a, MPFR_RNDN);
                    assert_true(fabs(back[j / 2] - want) <= fabs(want) * 0x1p-52);
                }
                mpfr_mul_d(g_a, g_a, (double)first + (double)row, MPFR_RNDN);
                if (j % 2) mpfr_cos(g_x, g_a, MPFR_RNDN);
                else mpfr_sin(g_x, g_a, MPFR_RNDZ); /* RNDZ: sin x stays below a tiny x */
                if (!mpfr_zero_p(g_x) && mpfr_get_exp(g_x) < -340) mpfr_set_zero(g_x, 1);
                if (!right(F32, (double)table[k], g_x))
                    fail_msg("omega %g, half_turns %d, position %" PRId64 ": got %a, want %a",
                             omega[j / 2], half, first + (int64_t)row, (double)table[k],
                             rounded(F32, g_x));
            }
        }
        double bad[PAIRS];
        static const double wrong[] = {(double)NAN, HUGE_VAL, 3e6, 1e-280};
        for (size_t k = 0; k < 4; k++) {
            memcpy(bad, omega, sizeof bad);
            bad[k + 2] = wrong[k];
            refused_frequencies(&c, bad, PAIRS, size, PE_ERR_FREQUENCY);
            size_t index = 99;
            const char *const error = pe_frequency_error(&c, bad, PAIRS, &index);
            assert_non_null(error);
            assert_int_equal(index, k + 2);
            assert_non_null(strstr(error, k == 0 ? "not a number" : "2^-900"));
            assert_ptr_equal(pe_frequency_error(&c, bad, PAIRS, NULL), error);
            bad[0] = (double)NAN; /* the first one */
            assert_non_null(pe_frequency_error(&c, bad, PAIRS, &index));
            assert_int_equal(index, 0);
        }
        size_t index = 99;
        assert_null(pe_frequency_error(&c, omega, PAIRS, &index));
        assert_int_equal(index, PAIRS);
        assert_null(pe_frequency_error(&c, omega, PAIRS, NULL));
        assert_null(pe_frequency_error(&c, NULL, 0, NULL));
        assert_non_null(pe_frequency_error(NULL, omega, PAIRS, NULL));
        assert_non_null(pe_frequency_error(&c, NULL, PAIRS, &index));
        refused_frequencies(&c, omega, PAIRS - 1, size, PE_ERR_PAIRS);
        refused_frequencies(&c, omega, PAIRS + 1, size, PE_ERR_PAIRS);
        refused_frequencies(&c, omega, SIZE_MAX, size, PE_ERR_PAIRS);
        pe_config none = c;
        none.base = -1;
        refused_frequencies(&none, omega, PAIRS, size, PE_ERR_CONFIG);
        refused_frequencies(NULL, omega, PAIRS, size, PE_ERR_NULL);
        refused_frequencies(&c, NULL, PAIRS, size, PE_ERR_NULL);
        refused_frequencies(&c, omega, PAIRS, size - 1, PE_ERR_MEMORY);
        free(memory);
    }
    end_numbers();
}

static void frequencies_can_be_read(void **state)
{
    double w[300], lambda[300];
    (void)state;
    begin_numbers();
    pe_config c = pe_config_default(599);
    c.scale = 1.7;
    made m = make_plan(&c);
    assert_int_equal(m.plan.pairs, 300);
    assert_int_equal(pe_plan_frequencies(&m.plan, w), PE_OK);
    assert_int_equal(pe_plan_wavelengths(&m.plan, lambda), PE_OK);
    for (size_t i = 0; i < 300; i++) {
        element(0, 0, 10000, (double)(2 * i), 599);
        mpfr_mul_d(g_w, g_w, 1.7, MPFR_RNDN);
        const double want = mpfr_get_d(g_w, MPFR_RNDN);
        assert_true(w[i] == want);
        mpfr_const_pi(g_a, MPFR_RNDN);
        mpfr_div(g_a, g_a, g_w, MPFR_RNDN);
        mpfr_mul_2ui(g_a, g_a, 1, MPFR_RNDN);
        const double length = mpfr_get_d(g_a, MPFR_RNDN);
        assert_true(lambda[i] == length);
    }
    assert_int_equal(pe_plan_frequencies(NULL, w), PE_ERR_NULL);
    assert_int_equal(pe_plan_wavelengths(&m.plan, NULL), PE_ERR_NULL);
    free(m.memory);
    c = pe_config_preset(PE_PRESET_VIDEO_3D, 32);
    m = make_plan(&c);
    assert_int_equal(m.plan.pairs, 16);
    assert_int_equal(pe_plan_frequencies(&m.plan, w), PE_OK);
    assert_true(w[0] == 1 && w[4] == 1 && w[10] == 1);
    free(m.memory);
    end_numbers();
}

/* ---- 16 bits: whole tables ------------------------------------------------------------------- */

/* Rounds a double to bf16 or f16 by adding and subtracting a large number, to nearest even, and
   returns it. */
static double narrowed(type t, double x)
{
    int e;
    const int bits = t == F16 ? 11 : 8, least = t == F16 ? -13 : -125;
    (void)frexp(x, &e);
    if (e < least) e = least;
    const double big = ldexp(1.5, e - bits + 52);
    volatile double sum = x + big;
    return sum - big;
}

static void tables_of_16_bits(void **state)
{
    enum { D = 512 };
    const size_t rows = 4096 / every(), chunk = 256;
    (void)state;
    oracle o;
    oracle_make(&o, "tables_of_16_bits", D, 10000, 1);
    uint16_t *h = (uint16_t *)must_alloc(chunk * D * sizeof *h);
    pe_config c = pe_config_default(D);
    made m = make_plan(&c);
    size_t by_mpfr = 0;
    for (int t = F16; t <= BF16; t++) {
        for (size_t row = 0; row < rows; row++) {
            if (row % chunk == 0)
                assert_int_equal(fill((type)t, &m.plan, pe_from((int64_t)row), chunk, h, D), PE_OK);
            for (size_t i = 0; i < o.pairs; i++) {
                if (row % 64 ==
                    0) { /* a new anchor; the 64 rows from here are certified by rotating it */
                    oracle_turn(&o, (int64_t)row, i);
                    o.anchor[2 * i] = mpfr_get_d(o.sine, MPFR_RNDN);
                    o.anchor[2 * i + 1] = mpfr_get_d(o.cosine, MPFR_RNDN);
                }
                if (row == 0 && i == 0) oracle_make_turns(&o, 64);
                const double *turn = o.turns + 2 * (row % 64 * o.pairs + i);
                const double s = o.anchor[2 * i], k = o.anchor[2 * i + 1];
                const double y[2] = {s * turn[1] + k * turn[0], k * turn[1] - s * turn[0]};
                for (int which = 0; which < 2; which++) {
                    const size_t at = row % chunk * D + 2 * i + (size_t)which;
                    const double got = element_at((type)t, h, at);
                    double low = narrowed((type)t, y[which] - ORACLE_BOUND);
                    const double high = narrowed((type)t, y[which] + ORACLE_BOUND);
                    if (low != high) {
                        oracle_pair(&o, (int64_t)row, i);
                        low = rounded((type)t, o.element[which]);
                        by_mpfr++;
                    }
                    if (got != low)
                        fail_msg("%s: position %zu, column %zu: got %a, want %a", type_name[t], row,
                                 2 * i + (size_t)which, got, low);
                }
            }
        }
    }
    printf("checked: %zu 16-bit elements, %zu of them by MPFR\n", 2 * rows * D, by_mpfr);
    free(h);
    free(m.memory);
    oracle_free(&o);
}

/* Checks that positions such as 256 and 257 do not get the same row in bf16, because their exact
   rows differ. Code that rounds positions to bf16 fails this. */
static void neighbours_stay_apart(void **state)
{
    static const int64_t at[] = {255,    256,      2047,     2048,      65535,
                                 131071, 16777215, 16777216, 2147483646};
    uint16_t a[512], b[512];
    (void)state;
    pe_config c = pe_config_default(512);
    made m = make_plan(&c);
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        assert_int_equal(pe_fill_bf16(&m.plan, pe_from(at[k]), 1, a, 512), PE_OK);
        assert_int_equal(pe_fill_bf16(&m.plan, pe_from(at[k] + 1), 1, b, 512), PE_OK);
        assert_true(memcmp(a, b, sizeof a) != 0);
    }
    free(m.memory);
}

static void overflow_and_subnormals(void **state)
{
    static const double amplitudes[] = {70000, 65519.9, 65520, 3.4e38, 1e39,
                                        1e-5,  1e-7,    1e-38, 1e-45,  -1e5};
    (void)state;
    begin_numbers();
    for (size_t k = 0; k < sizeof amplitudes / sizeof *amplitudes; k++) {
        pe_config c = pe_config_default(66);
        unsigned char rows[40 * 66 * 8];
        c.amplitude = amplitudes[k];
        made m = make_plan(&c);
        for (int t = 0; t < TYPES; t++) {
            assert_int_equal(fill((type)t, &m.plan, pe_from(-3), 40, rows, 66), PE_OK);
            for (size_t i = 0; i < 40 * 66; i++) {
                element(i % 2, (double)(i / 66) - 3, 10000, (double)(i % 66 / 2 * 2), 66);
                mpfr_mul_d(g_x, g_x, c.amplitude, MPFR_RNDN);
                const double got = element_at((type)t, rows, i);
                if (!right((type)t, got, g_x))
                    fail_msg("%s, amplitude %g, element %zu: got %a, want %a", type_name[t],
                             c.amplitude, i, got, rounded((type)t, g_x));
            }
        }
        free(m.memory);
    }
    end_numbers();
}

/* Compares sines of tiny angles, some of which are below 2^-1022. Such a double has fewer bits. So
   half of the angles are midpoints of two of these doubles, and the sine is only slightly less. */
static void subnormal_ties(void **state)
{
    enum { D = 512 };
    (void)state;
    begin_numbers();
    const pe_config c = pe_config_preset(PE_PRESET_VASWANI, D);
    made m = make_plan(&c);
    for (int k = 0; k < 20; k += (int)every()) {
        const double at[3] = {(k % 2 ? -1 : 1) * ldexp(1 + k / 20.0, -1010 - k / 4), 0, 0};
        double row[D];
        assert_int_equal(pe_fill_f64(&m.plan, pe_at_f64(at), 1, row, D), PE_OK);
        compare_row(PE_PRESET_VASWANI, F64, D, at, row);
    }
    free(m.memory);
    end_numbers();
}

/* ---- the same bits by whichever call --------------------------------------------------------- */

static void calls_agree(void **state)
{
    enum { ROWS = 90 };
    rng r = rng_for("calls_agree");
    (void)state;
    for (size_t n = 0; n < workload(60); n++) {
        pe_config c =
            pe_config_preset((pe_preset)rng_below(&r, PE_PRESET_MLX), 2 + 2 * rng_below(&r, 40));
        if (n % 5 == 0) c.offset += 0.25;
        if (n % 7 == 0) c.angle = PE_ANGLE_FLOAT32;
        const size_t d = c.d_model, stride = d + rng_below(&r, 3);
        made m = make_plan(&c);
        for (int t = 0; t < TYPES; t++) {
            const size_t bytes = ROWS * stride * element_of[t];
            unsigned char *whole = (unsigned char *)must_alloc(bytes),
                          *other = (unsigned char *)must_alloc(bytes);
            int64_t list[ROWS];
            double real[ROWS];
            const int64_t first = n % 3 ? rng_position(&r) / 2 : -40;
            for (int64_t i = 0; i < ROWS; i++) list[i] = first + i, real[i] = (double)(first + i);
            memset(whole, 0, bytes);
            assert_int_equal(fill((type)t, &m.plan, pe_from(first), ROWS, whole, stride), PE_OK);
            memset(other, 0, bytes);
            assert_int_equal(fill((type)t, &m.plan, pe_at_i64(list), ROWS, other, stride), PE_OK);
            assert_memory_equal(whole, other, bytes);
            memset(other, 0, bytes);
            assert_int_equal(fill((type)t, &m.plan, pe_at_f64(real), ROWS, other, stride), PE_OK);
            assert_memory_equal(whole, other, bytes);
            memset(other, 0, bytes);
            assert_int_equal(fill((type)t, &m.plan, points_f64(&m.plan, real), ROWS, other, stride),
                             PE_OK);
            assert_memory_equal(whole, other, bytes);
            /* with a step, against a list, then the remaining rows alone */
            for (int64_t step = -1; step <= 17; step = step < 0 ? 0 : step == 0 ? 3 : step + 14) {
                const int64_t begin = step < 0 ? first + ROWS - 1 : first / 2;
                for (int64_t i = 0; i < ROWS; i++) list[i] = begin + step * i;
                memset(whole, 0, bytes);
                assert_int_equal(fill((type)t, &m.plan, pe_at_i64(list), ROWS, whole, stride),
                                 PE_OK);
                memset(other, 0, bytes);
                assert_int_equal(
                    fill((type)t, &m.plan, pe_from_by(begin, step), ROWS, other, stride), PE_OK);
                assert_memory_equal(whole, other, bytes);
                const size_t cut = rng_below(&r, ROWS), rest = cut * stride * element_of[t];
                memset(other + rest, 0, bytes - rest);
                assert_int_equal(fill((type)t, &m.plan, pe_skip(pe_from_by(begin, step), cut),
                                      ROWS - cut, other + rest, stride),
                                 PE_OK);
                assert_memory_equal(whole, other, bytes);
                memset(other + rest, 0, bytes - rest);
                assert_int_equal(fill((type)t, &m.plan,
                                      pe_skip(pe_skip(pe_at_i64(list), cut / 2), cut - cut / 2),
                                      ROWS - cut, other + rest, stride),
                                 PE_OK);
                assert_memory_equal(whole, other, bytes);
            }
            for (int64_t i = 0; i < ROWS; i++) list[i] = first + i;
            memset(whole, 0, bytes);
            assert_int_equal(fill((type)t, &m.plan, pe_from(first), ROWS, whole, stride), PE_OK);
            /* shuffled, with repetitions, one row per call */
            for (size_t i = 0; i < ROWS; i++) {
                const size_t pick = rng_below(&r, ROWS);
                unsigned char row[200 * 8];
                assert_int_equal(fill((type)t, &m.plan, pe_at_i64(&list[pick]), 1, row, d), PE_OK);
                assert_memory_equal(row, whole + pick * stride * element_of[t], d * element_of[t]);
            }
            free(whole);
            free(other);
        }
        free(m.memory);
    }
}

/* ---- adding ---------------------------------------------------------------------------------- */

/* Returns scale x + pe. The product and the sum are each rounded to float or double, and the sum
   then to the type. */
static double sum_of(type t, double x, float scale, double pe)
{
    mpfr_t a, b;
    mpfr_init2(a, 2300); /* exact */
    mpfr_init2(b, t == F64 ? 53 : 24);
    mpfr_set_d(a, x, MPFR_RNDN);
    mpfr_mul_d(a, a, (double)scale, MPFR_RNDN);
    mpfr_set_d(a, rounded(t == F64 ? F64 : F32, a), MPFR_RNDN);
    mpfr_add_d(a, a, pe, MPFR_RNDN);
    double result = rounded(t == F64 ? F64 : F32, a);
    mpfr_set_d(a, result, MPFR_RNDN);
    if (t == F16 || t == BF16) result = rounded(t, a);
    mpfr_clears(a, b, (mpfr_ptr)NULL);
    return result;
}

static void set_element(type t, void *x, size_t i, double value)
{
    switch (t) {
    case F32: ((float *)x)[i] = (float)value; break;
    case F64: ((double *)x)[i] = value; break;
    case F16:
        ((uint16_t *)x)[i] = (uint16_t)(value == 0 ? 0 : 0x3400 + (int)(value * 64) % 900);
        break;
    default: ((uint16_t *)x)[i] = (uint16_t)(0x3e00 + (int)(value * 64) % 250); break;
    }
}

static void adding_is_filling_and_adding(void **state)
{
    enum { ROWS = 45, BATCHES = 3 };
    static const float scales[] = {1, 0.5f, 22.627417f, -2, 0};
    rng r = rng_for("adding");
    (void)state;
    for (size_t n = 0; n < workload(30); n++) {
        pe_config c =
            pe_config_preset((pe_preset)rng_below(&r, PE_PRESET_MLX), 2 + 2 * rng_below(&r, 40));
        const size_t d = c.d_model, stride = d + rng_below(&r, 5), size = ROWS * stride;
        const float scale = scales[n % 5];
        const int64_t first = n % 2 ? -7 : rng_position(&r) / 2;
        made m = make_plan(&c);
        for (int t = 0; t < TYPES; t++) {
            const size_t e = element_of[t];
            unsigned char *x = (unsigned char *)must_alloc(BATCHES * size * e);
            unsigned char *y = (unsigned char *)must_alloc(BATCHES * size * e);
            unsigned char *pe = (unsigned char *)must_alloc(size * 8);
            for (size_t i = 0; i < size; i++) set_element((type)t, x, i, rng_unit(&r) * 4);
            memcpy(y, x, size * e);
            if (t == F64)
                assert_int_equal(pe_fill_f64(&m.plan, pe_from(first), ROWS, (double *)pe, stride),
                                 PE_OK);
            else
                assert_int_equal(pe_fill_f32(&m.plan, pe_from(first), ROWS, (float *)pe, stride),
                                 PE_OK);
            assert_int_equal(add((type)t, &m.plan, pe_from(first), ROWS, scale, y, stride), PE_OK);
            for (size_t i = 0; i < size; i++) {
                const double before = element_at((type)t, x, i), got = element_at((type)t, y, i);
                const double want = i % stride < d ? sum_of((type)t, before, scale,
                                                            element_at(t == F64 ? F64 : F32, pe, i))
                                                   : before;
                if (got != want)
                    fail_msg("%s: %g * %g + %a: got %a, want %a", type_name[t], (double)scale,
                             before, element_at(t == F64 ? F64 : F32, pe, i), got, want);
            }
            /* the same with a list, with consecutive batches and with interleaved ones */
            int64_t list[ROWS];
            unsigned char *z = (unsigned char *)must_alloc(BATCHES * size * e);
            for (int64_t i = 0; i < ROWS; i++) list[i] = first + i;
            memcpy(z, x, size * e);
            assert_int_equal(add((type)t, &m.plan, pe_at_i64(list), ROWS, scale, z, stride), PE_OK);
            assert_memory_equal(z, y, size * e);
            for (size_t b = 0; b < BATCHES; b++) memcpy(z + b * size * e, x, size * e);
            assert_int_equal(
                add_batch((type)t, &m.plan, pe_from(first), ROWS, BATCHES, scale, z, stride, size),
                PE_OK);
            for (size_t b = 0; b < BATCHES; b++) assert_memory_equal(z + b * size * e, y, size * e);
            for (size_t i = 0; i < ROWS; i++)
                for (size_t b = 0; b < BATCHES; b++)
                    memcpy(z + (i * BATCHES + b) * stride * e, x + i * stride * e, stride * e);
            assert_int_equal(add_batch((type)t, &m.plan, pe_from(first), ROWS, BATCHES, scale, z,
                                       BATCHES * stride, stride),
                             PE_OK);
            for (size_t i = 0; i < ROWS; i++)
                for (size_t b = 0; b < BATCHES; b++)
                    assert_memory_equal(z + (i * BATCHES + b) * stride * e, y + i * stride * e,
                                        stride * e);
            assert_int_equal(
                add_batch((type)t, &m.plan, pe_from(first), ROWS, BATCHES, scale, z, stride, d),
                d == size ? PE_OK : PE_ERR_SHAPE);
            free(x), free(y), free(z), free(pe);
        }
        free(m.memory);
    }
}

/* Returns a random config for batches. Widths are odd, or the longest for which the library keeps a
   row in a buffer, or one more. Each order of columns, padding, columns of zeros and two
   coordinates occur. */
static pe_config batch_config(rng *r, int64_t padding)
{
    static const size_t widths[] = {1, 2, 7, 32, 61, 64, 1280, 1281, 2560, 2561};
    pe_config c = pe_config_default(widths[rng_below(r, LENGTH(widths))]);
    c.layout = (pe_layout)rng_below(r, 2);
    c.cos_first = (int)rng_below(r, 2);
    c.odd = (pe_odd)rng_below(r, 2);
    c.axes = c.d_model > 5 ? 1 + rng_below(r, 2) : 1;
    c.has_padding = c.axes == 1 && rng_below(r, 2), c.padding_position = padding;
    c.axis[1].coordinate = 1;
    for (size_t a = 0; a < c.axes && c.axes > 1; a++) c.axis[a].width = c.d_model / 2 - a;
    return c;
}

/* Tests batches of all kinds of plans and places, one after the other and interleaved. Each
   batch is its rows, times scale, plus the rows of the table. What is between the rows has to
   stay. */
static void batches_of_any_plan(void **state)
{
    enum { ROWS = 11, BATCHES = 3 };
    rng r = rng_for("batches_of_any_plan");
    (void)state;
    for (size_t n = 0; n < workload(320); n++) {
        const int64_t middle = rng_position(&r) / 2, near = middle + (int64_t)rng_below(&r, ROWS);
        const pe_config c = batch_config(&r, near);
        const size_t d = c.d_model, stride = d + rng_below(&r, 5), kind = rng_below(&r, 5);
        const int between = (int)rng_below(&r, 2);
        const size_t row = between ? BATCHES * stride : stride;
        const size_t batch = between ? stride : ROWS * stride + rng_below(&r, 3);
        const size_t all = (ROWS - 1) * row + (BATCHES - 1) * batch + stride;
        const type t = (type)(n % TYPES), wide = t == F64 ? F64 : F32;
        const float scale = rng_below(&r, 2) ? 1.0f : 0.75f;
        int64_t list[2 * ROWS];
        double real[2 * ROWS];
        for (size_t i = 0; i < 2 * ROWS; i++)
            list[i] = middle + (int64_t)rng_below(&r, 3), real[i] = (double)list[i] + rng_unit(&r);
        list[3] = near;
        const pe_at at = kind == 0   ? pe_from(middle)
                         : kind == 1 ? pe_from_by(near + 2, -1)
                         : kind == 2 ? pe_all(rng_below(&r, 4) ? middle : near)
                         : kind == 3 ? pe_coords_i64(list, c.axes, c.axes, 1)
                                     : pe_coords_f64(real, c.axes, c.axes, 1);
        made m = make_plan(&c);
        unsigned char *x = (unsigned char *)must_alloc(all * element_of[t]);
        unsigned char *y = (unsigned char *)must_alloc(all * element_of[t]);
        unsigned char *table = (unsigned char *)must_alloc(ROWS * d * element_of[wide]);
        for (size_t i = 0; i < all; i++) set_element(t, x, i, rng_unit(&r) * 4);
        memcpy(y, x, all * element_of[t]);
        assert_int_equal(fill(wide, &m.plan, at, ROWS, table, d), PE_OK);
        assert_int_equal(add_batch(t, &m.plan, at, ROWS, BATCHES, scale, y, row, batch), PE_OK);
        for (size_t b = 0; b < BATCHES; b++)
            /* Checked elements get their old values back, so that any other change shows below. */
            for (size_t i = 0; i < ROWS * d; i++) {
                const size_t place = b * batch + i / d * row + i % d;
                const double got = element_at(t, y, place), before = element_at(t, x, place);
                const double want = sum_of(t, before, scale, element_at(wide, table, i));
                if (got != want)
                    fail_msg("%s, width %zu, place %zu, batch %zu, row %zu, column %zu: %a, not %a",
                             type_name[t], d, kind, b, i / d, i % d, got, want);
                memcpy(y + place * element_of[t], x + place * element_of[t], element_of[t]);
            }
        assert_memory_equal(x, y, all * element_of[t]);
        free(x), free(y), free(table), free(m.memory);
    }
}

static void sums_of_strange_numbers(void **state)
{
    static const uint32_t strange[] = {0x7f800000, 0xff800000, 0x7fc00000,
                                       0x00000001, 0x80000000, 0x7f7fffff};
    float x[6], row[6];
    (void)state;
    pe_config c = pe_config_default(6);
    made m = make_plan(&c);
    memcpy(x, strange, sizeof x);
    assert_int_equal(pe_fill_f32(&m.plan, pe_from(5), 1, row, 6), PE_OK);
    assert_int_equal(pe_add_f32(&m.plan, pe_from(5), 1, 1, x, 6), PE_OK);
    assert_true(isinf(x[0]) && x[0] > 0 && isinf(x[1]) && x[1] < 0 && isnan(x[2]));
    assert_true(x[3] == row[3] && x[4] == row[4] && x[5] == 3.40282347e38f);
    free(m.memory);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void bad_configs(void **state)
{
    static const pe_plan none;
    (void)state;
#define REFUSED(change)                                                                            \
    do {                                                                                           \
        pe_config c = pe_config_default(64);                                                       \
        change;                                                                                    \
        pe_plan plan;                                                                              \
        memset(&plan, CANARY, sizeof plan);                                                        \
        assert_int_equal(pe_plan_size(&c), 0);                                                     \
        char memory[128];                                                                          \
        memset(memory, CANARY, sizeof memory);                                                     \
        assert_int_equal(pe_plan_init(&plan, &c, memory, sizeof memory), PE_ERR_CONFIG);           \
        assert_memory_equal(&plan, &none, sizeof plan);                                            \
        assert_true(all_canaries(memory, sizeof memory));                                          \
    } while (0)
    REFUSED(c.scale = 0);
    REFUSED(c.scale = (double)NAN);
    REFUSED(c.scale = 4e6);
    REFUSED(c.offset = 0.1);
    REFUSED(c.offset = HUGE_VAL);
    REFUSED(c.offset = 3e9);
    REFUSED(c.layout = (pe_layout)7);
    REFUSED(c.odd = (pe_odd)-1);
    REFUSED(c.exponent = (pe_exponent)9);
    REFUSED(c.angle = (pe_angle)2);
    REFUSED(c.exponent = PE_EXPONENT_PAIRS; c.exponent_shift = 32);
    REFUSED(c.exponent = PE_EXPONENT_PAIRS; c.exponent_shift = (double)NAN);
    REFUSED(c.exponent = PE_EXPONENT_INDEX; c.base = 0.4); /* a frequency is 2.5^31 */
    REFUSED(c.multiple = 0);
    REFUSED(c.multiple = 3);
    REFUSED(c.axes = 0);
    REFUSED(c.axes = PE_MAX_AXES + 1);
    REFUSED(c.axes = 2; c.axis[0].width = 60; c.axis[1].width = 6);
    REFUSED(c.axes = 2; c.axis[1].coordinate = 2);
#undef REFUSED
    assert_int_equal(pe_plan_size(NULL), 0);
}

static void bad_calls(void **state)
{
    static const double bad[] = {(double)NAN, HUGE_VAL, -HUGE_VAL, 2147483649.0, -2147483648.5};
    (void)state;
    pe_config c = pe_config_default(8);
    c.offset = 5;
    made m = make_plan(&c);
    const pe_plan none = {0};
    unsigned char out[64 * 8];
    memset(out, CANARY, sizeof out);
    for (int t = 0; t < TYPES; t++) {
        assert_int_equal(fill((type)t, &none, pe_from(0), 1, out, 8), PE_ERR_PLAN);
        assert_int_equal(add((type)t, &none, pe_from(0), 1, 1, out, 8), PE_ERR_PLAN);
        assert_int_equal(add_batch((type)t, &none, pe_from(0), 1, 2, 1, out, 8, 8), PE_ERR_PLAN);
        for (size_t k = 0; k < 5; k++) {
            double at[3] = {1, 2, 3};
            float narrow[3] = {1, 2, 3};
            at[k % 3] = bad[k];
            narrow[k % 3] = (float)bad[k] * 1.001f; /* 2^31 + 1 as a float is 2^31, legal */
            assert_int_equal(fill((type)t, &m.plan, pe_at_f32(narrow), 3, out, 8), PE_ERR_RANGE);
            assert_int_equal(add((type)t, &m.plan, pe_at_f32(narrow), 3, 1, out, 8), PE_ERR_RANGE);
            assert_int_equal(fill((type)t, &m.plan, pe_at_f64(at), 3, out, 8), PE_ERR_RANGE);
            assert_int_equal(fill((type)t, &m.plan, points_f64(&m.plan, at), 3, out, 8),
                             PE_ERR_RANGE);
        }
        assert_true(all_canaries(out, sizeof out));
    }
    free(m.memory);
}

/* Tests positions that are out of range once the offset is added, wrong shapes and grids, NULL, and
   calls without rows. */
static void bad_ranges_and_shapes(void **state)
{
    (void)state;
    pe_config c = pe_config_default(8);
    c.offset = 5;
    made m = make_plan(&c);
    unsigned char out[64 * 8];
    memset(out, CANARY, sizeof out);
    for (int t = 0; t < TYPES; t++) {
        const int64_t far_away[2] = {0, INT64_MAX}, edge[1] = {2147483645};
        const size_t shape[1] = {(size_t)1 << 62}, two[1] = {2};
        assert_int_equal(fill((type)t, &m.plan, pe_at_i64(far_away), 2, out, 8), PE_ERR_RANGE);
        assert_int_equal(fill((type)t, &m.plan, pe_at_i64(edge), 1, out, 8),
                         PE_ERR_RANGE); /* with the offset 5 */
        assert_int_equal(fill((type)t, &m.plan, pe_from(2147483640), 5, out, 8), PE_ERR_RANGE);
        assert_int_equal(add((type)t, &m.plan, pe_from(2147483640), 5, 1, out, 8), PE_ERR_RANGE);
        assert_int_equal(add((type)t, &m.plan, pe_at_i64(far_away), 2, 1, out, 8), PE_ERR_RANGE);
        assert_int_equal(fill((type)t, &m.plan, pe_from(0), 2, out, 7), PE_ERR_SHAPE);
        assert_int_equal(add((type)t, &m.plan, pe_from(0), 2, 1, out, 7), PE_ERR_SHAPE);
        assert_int_equal(fill((type)t, &m.plan, pe_grid(two, 1), 2, out, 7), PE_ERR_SHAPE);
        assert_int_equal(fill((type)t, &m.plan, pe_grid(two, 1), 3, out, 8), PE_ERR_AT_ROWS);
        assert_int_equal(fill((type)t, &m.plan, pe_grid(two, 2), 1, out, 8), PE_ERR_AT_AXES);
        assert_int_equal(fill((type)t, &m.plan, pe_grid(shape, 1), shape[0], out, 8), PE_ERR_SIZE);
        assert_int_equal(fill((type)t, &m.plan, pe_grid(NULL, 1), 2, out, 8), PE_ERR_AT_NULL);
        assert_int_equal(fill((type)t, NULL, pe_grid(two, 1), 2, out, 8), PE_ERR_NULL);
        assert_int_equal(fill((type)t, NULL, pe_from(0), 2, out, 8), PE_ERR_NULL);
        assert_int_equal(fill((type)t, &m.plan, pe_from(0), 2, NULL, 8), PE_ERR_NULL);
        assert_int_equal(fill((type)t, &m.plan, pe_at_i64(NULL), 2, out, 8), PE_ERR_AT_NULL);
        assert_int_equal(fill((type)t, &m.plan, pe_at_f64(NULL), 2, out, 8), PE_ERR_AT_NULL);
        assert_int_equal(add((type)t, &m.plan, pe_from(0), 2, 1, NULL, 8), PE_ERR_NULL);
        assert_int_equal(fill((type)t, NULL, pe_from(0), 0, NULL, 0), PE_OK);
        assert_int_equal(fill((type)t, NULL, pe_at_i64(NULL), 0, NULL, 0), PE_OK);
        assert_int_equal(fill((type)t, NULL, pe_at_f64(NULL), 0, NULL, 0), PE_OK);
        assert_int_equal(add((type)t, NULL, pe_from(0), 0, 1, NULL, 0), PE_OK);
        assert_true(all_canaries(out, sizeof out));
    }
    free(m.memory);
}

/* Tests batches that do not fit the address space or overlap, and a call without batches. */
static void bad_batches(void **state)
{
    (void)state;
    pe_config c = pe_config_default(8);
    made m = make_plan(&c);
    unsigned char out[64 * 8];
    memset(out, CANARY, sizeof out);
    for (int t = 0; t < TYPES; t++) {
        assert_int_equal(add_batch((type)t, &m.plan, pe_from(0), 2, SIZE_MAX / 2, 1, out, 8, 16),
                         PE_ERR_SIZE);
        assert_int_equal(add_batch((type)t, &m.plan, pe_from(0), SIZE_MAX / 4, 2, 1, out, 8, 16),
                         PE_ERR_SIZE);
        assert_int_equal(add_batch((type)t, &m.plan, pe_from(0), 2, 2, 1, out, 8, 7), PE_ERR_SHAPE);
        /* strides whose sum wraps to a small number modulo 2^64; more batches than fit between
           rows */
        assert_int_equal(add_batch((type)t, &m.plan, pe_from(0), 1, 3, 1, out, 8, SIZE_MAX / 2 + 1),
                         PE_ERR_SIZE);
        assert_int_equal(add_batch((type)t, &m.plan, pe_from(0), 2, 4, 1, out, 24, 8),
                         PE_ERR_SHAPE);
        assert_int_equal(add_batch((type)t, NULL, pe_from(0), 2, 0, 1, NULL, 0, 0), PE_OK);
        assert_true(all_canaries(out, sizeof out));
    }
    free(m.memory);
}

/* Tests plans with other axes than the rows have, and sizes whose products overflow in one
   place. */
static void bad_axes_and_sizes(void **state)
{
    (void)state;
    pe_config c = pe_config_preset(PE_PRESET_MAE_2D, 8);
    made m = make_plan(&c);
    const pe_config narrow = pe_config_default(1), pair = pe_config_default(2);
    made one = make_plan(&narrow), two = make_plan(&pair);
    unsigned char out[64 * 8];
    memset(out, CANARY, sizeof out);
    for (int t = 0; t < TYPES; t++) {
        const int64_t list[1] = {0};
        const double at[1] = {0};
        const size_t none[2] = {3, 0}, huge[2] = {SIZE_MAX, 2};
        const size_t limit = (size_t)PTRDIFF_MAX / (t == F64 ? 8 : t == F32 ? 4 : 2);
        const size_t sizes[3] = {2, 2, 2};
        assert_int_equal(fill((type)t, &m.plan, pe_coords_i64(list, 3, 1, 1), 1, out, 8),
                         PE_ERR_AT_AXES);
        assert_int_equal(fill((type)t, &m.plan, pe_coords_f64(at, 3, 1, 1), 1, out, 8),
                         PE_ERR_AT_AXES);
        assert_int_equal(fill((type)t, &m.plan, pe_grid(sizes, 3), 1, out, 8), PE_ERR_AT_AXES);
        assert_int_equal(fill((type)t, &two.plan, pe_coords_f64(at, 2, 1, 1), 1, out, 8),
                         PE_ERR_AT_AXES);
        assert_int_equal(fill((type)t, &m.plan, pe_at_f64(NULL), 0, NULL, 0), PE_OK);
        assert_int_equal(fill((type)t, NULL, pe_at_f64(at), 1, out, 8), PE_ERR_NULL);
        assert_int_equal(add_batch((type)t, &m.plan, pe_grid(sizes, 3), 1, 2, 1, out, 8, 8),
                         PE_ERR_AT_AXES);
        assert_int_equal(fill((type)t, &m.plan, pe_grid(none, 2), 0, out, 8), PE_OK);
        assert_int_equal(fill((type)t, &m.plan, pe_grid(none, 2), 1, out, 8), PE_ERR_AT_ROWS);
        assert_int_equal(fill((type)t, &m.plan, pe_grid(huge, 2), 1, out, 8), PE_ERR_AT_SIZE);
        /* two batches, each of half of the largest size, and one row more */
        assert_int_equal(
            add_batch((type)t, &two.plan, pe_from(0), 2, 2, 1, out, limit / 2, limit / 2),
            PE_ERR_SIZE);
        /* rows of 16 bits would fit into the address space, but the list of doubles does not */
        assert_int_equal(
            fill((type)t, &one.plan, points_f64(&one.plan, at), SIZE_MAX / 8 + 2, out, 1),
            t == F64 || t == F32 ? PE_ERR_SIZE : PE_ERR_AT_SIZE);
    }
    assert_true(all_canaries(out, sizeof out));
    free(m.memory);
    free(one.memory);
    free(two.memory);
}

/* Tests a padding row in lists and in real positions: it is zeros, and the rows around it stay
   as they are. */
static void padding_in_lists(void **state)
{
    enum { D = 20, ROWS = 5 };
    static const int64_t list[ROWS] = {-3, -2, -1, 0, 1}; /* one run but for the padding */
    static const double real[ROWS] = {-3, -2, -1, 0, 1};
    (void)state;
    pe_config c = pe_config_preset(PE_PRESET_FAIRSEQ, D);
    made m = make_plan(&c);
    c.has_padding = 0, c.offset = 0;
    made none = make_plan(&c);
    for (int t = 0; t < TYPES; t++) {
        const size_t row_bytes = D * (t == F64 ? 8u : t == F32 ? 4u : 2u);
        unsigned char want[ROWS * D * 8], got[ROWS * D * 8], zeros[D * 8] = {0};
        for (size_t r = 0; r < ROWS; r++)
            assert_int_equal(fill((type)t, &m.plan, pe_from(list[r]), 1, want + r * row_bytes, D),
                             PE_OK);
        assert_memory_equal(want + 2 * row_bytes, zeros, row_bytes);
        /* pe_back() of the padding position is still padding; with pe_delta() nothing is padding */
        const pe_at one = pe_from(-1), back = pe_back(pe_at_f64(real)),
                    delta = pe_delta(pe_at_i64(list));
        assert_int_equal(fill((type)t, &m.plan, pe_back(one), 1, got, D), PE_OK);
        assert_memory_equal(got, zeros, row_bytes);
        assert_int_equal(fill((type)t, &m.plan, back, ROWS, got, D), PE_OK);
        assert_memory_equal(got + 2 * row_bytes, zeros, row_bytes);
        assert_memory_not_equal(got + row_bytes, zeros, row_bytes);
        assert_int_equal(fill((type)t, &none.plan, pe_at_i64(list), ROWS, want, D), PE_OK);
        assert_int_equal(fill((type)t, &m.plan, delta, ROWS, got, D), PE_OK);
        assert_memory_equal(got, want, ROWS * row_bytes);
        assert_int_equal(fill((type)t, &none.plan, pe_back(pe_at_i64(list)), ROWS, want, D), PE_OK);
        assert_int_equal(fill((type)t, &m.plan, pe_back(delta), ROWS, got, D), PE_OK);
        assert_memory_equal(got, want, ROWS * row_bytes);
        for (size_t r = 0; r < ROWS; r++)
            assert_int_equal(fill((type)t, &m.plan, pe_from(list[r]), 1, want + r * row_bytes, D),
                             PE_OK);
        for (int real_too = 0; real_too < 2; real_too++) {
            memset(got, CANARY, sizeof got);
            assert_int_equal(real_too ? fill((type)t, &m.plan, pe_at_f64(real), ROWS, got, D)
                                      : fill((type)t, &m.plan, pe_at_i64(list), ROWS, got, D),
                             PE_OK);
            assert_memory_equal(got, want, ROWS * row_bytes);
        }
    }
    free(m.memory);
    free(none.memory);
}

/* Checks adding with cosines first in the interleaved layout: the sums are those with sines first,
   in the other column of each pair. adding_is_filling_and_adding() proves the latter. */
static void adding_with_cosines_first(void **state)
{
    enum { D = 70, ROWS = 50 };
    (void)state;
    pe_config c = pe_config_default(D);
    made first = make_plan(&c);
    c.cos_first = 1;
    made m = make_plan(&c);
    for (int t = 0; t < TYPES; t++) {
        const size_t element = t == F64 ? 8 : t == F32 ? 4 : 2;
        unsigned char want[ROWS * D * 8] = {0}, got[ROWS * D * 8] = {0};
        assert_int_equal(add((type)t, &first.plan, pe_from(-7), ROWS, 1, want, D), PE_OK);
        assert_int_equal(add((type)t, &m.plan, pe_from(-7), ROWS, 1, got, D), PE_OK);
        for (size_t k = 0; k < ROWS * D; k++)
            assert_memory_equal(got + k * element, want + (k ^ 1) * element, element);
    }
    free(first.memory);
    free(m.memory);
}

/* Checks plans with frequencies of the caller. A negative scale rotates in the opposite direction.
   Float32 angles use the rounded frequency. A plan of two axes uses the frequencies of both. */
static void own_frequencies_scaled(void **state)
{
    static const double omega[4] = {1, 0.1, 0.375, 1e-3};
    enum { D = 8, ROWS = 50 };
    double up[ROWS * D], down[ROWS * D], back[4];
    (void)state;
    pe_config c = pe_config_default(D);
    c.scale = -0.5;
    const size_t size = pe_plan_size(&c);
    void *memory = must_alloc(size);
    pe_plan plan;
    assert_int_equal(pe_plan_init_frequencies(&plan, &c, omega, 4, memory, size), PE_OK);
    assert_int_equal(pe_fill_f64(&plan, pe_from(100), ROWS, down, D), PE_OK);
    c.scale = 0.5;
    assert_int_equal(pe_plan_init_frequencies(&plan, &c, omega, 4, memory, size), PE_OK);
    assert_int_equal(pe_fill_f64(&plan, pe_from(100), ROWS, up, D), PE_OK);
    for (size_t k = 0; k < ROWS * D; k++) assert_true(down[k] == (k % 2 ? up[k] : -up[k]));
    free(memory);

    c = pe_config_default(D);
    c.angle = PE_ANGLE_FLOAT32;
    const size_t rounded = pe_plan_size(&c);
    memory = must_alloc(rounded);
    assert_int_equal(pe_plan_init_frequencies(&plan, &c, omega, 4, memory, rounded), PE_OK);
    assert_int_equal(pe_plan_frequencies(&plan, back), PE_OK);
    for (size_t i = 0; i < 4; i++) assert_true(back[i] == (double)(float)omega[i]);
    assert_int_equal(pe_plan_wavelengths(&plan, back), PE_OK);
    for (size_t i = 0; i < 4; i++) {
        mpfr_t x;
        mpfr_init2(x, BITS);
        mpfr_const_pi(x, MPFR_RNDN);
        mpfr_mul_2ui(x, x, 1, MPFR_RNDN);
        mpfr_div_d(x, x, (double)(float)omega[i], MPFR_RNDN);
        assert_true(back[i] == mpfr_get_d(x, MPFR_RNDN));
        mpfr_clear(x);
    }
    static const double still_omega[4] = {1, 0.1, 0.375, 0}; /* the last pair does not rotate */
    for (int angle = 0; angle < 2; angle++) {
        c.angle = (pe_angle)angle;
        const size_t bytes = pe_plan_size(&c);
        void *still = must_alloc(bytes);
        assert_int_equal(pe_plan_init_frequencies(&plan, &c, still_omega, 4, still, bytes), PE_OK);
        assert_int_equal(pe_plan_wavelengths(&plan, back), PE_OK);
        assert_true(back[3] == (double)INFINITY && back[2] < (double)INFINITY);
        free(still);
    }
    free(memory);

    c = pe_config_preset(PE_PRESET_MAE_2D, D); /* two axes need the frequencies of both */
    const size_t two = pe_plan_size(&c);
    refused_frequencies(&c, omega, 2, two, PE_ERR_PAIRS);
}

/* ---- the bytes around ------------------------------------------------------------------------ */

static void nothing_around_is_touched(void **state)
{
    (void)state;
    FAIL_ON_FAULT();
    guarded g = guarded_make(64 * 80 * 8);
    rng r = rng_for("nothing_around");
    for (size_t d = 1; d <= 70; d += every()) {
        for (int k = 0; k < 3; k++) {
            pe_config c = pe_config_default(d);
            c.layout = k ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
            c.cos_first = k == 2;
            c.odd = k == 1 ? PE_ODD_ZERO : PE_ODD_SINE;
            made m = make_plan(&c);
            for (int t = 0; t < TYPES; t++) {
                const size_t rows = 1 + rng_below(&r, 40), stride = d + rng_below(&r, 5),
                             e = element_of[t];
                const size_t bytes = ((rows - 1) * stride + d) * e;
                unsigned char *expected = (unsigned char *)must_alloc(bytes);
                int64_t at[64];
                double real[64];
                for (size_t i = 0; i < rows; i++)
                    at[i] = (int64_t)i * 5 - 9, real[i] = (double)i * 5 - 9;
                assert_int_equal(fill((type)t, &m.plan, pe_at_i64(at), rows, expected, stride),
                                 PE_OK);
                for (int end = 0; end < 2; end++) {
                    unsigned char *out = end ? g.end - bytes : g.begin;
                    fault_case("d %zu, layout %d, %s, %zu rows, stride %zu, %s", d, k, type_name[t],
                               rows, stride, end ? "end" : "begin");
                    for (int verb = 0; verb < 5; verb++) {
                        memset(g.begin, CANARY, (size_t)(g.end - g.begin));
                        pe_status status = PE_OK;
                        if (verb == 0)
                            status = fill((type)t, &m.plan, pe_from(-9), rows, out, stride);
                        if (verb == 1)
                            status = fill((type)t, &m.plan, pe_at_i64(at), rows, out, stride);
                        if (verb == 2)
                            status = fill((type)t, &m.plan, pe_at_f64(real), rows, out, stride);
                        if (verb == 3)
                            status = add((type)t, &m.plan, pe_from(-9), rows, 0, out, stride);
                        if (verb == 4)
                            status = add((type)t, &m.plan, pe_at_i64(at), rows, 0, out, stride);
                        assert_int_equal(status, PE_OK);
                        if (verb == 1 || verb == 2)
                            for (size_t i = 0; i < rows; i++)
                                assert_memory_equal(out + i * stride * e, expected + i * stride * e,
                                                    d * e);
                        for (size_t i = 0; i + 1 < rows; i++)
                            assert_true(all_canaries(out + (i * stride + d) * e, (stride - d) * e));
                        assert_true(all_canaries(g.begin, (size_t)(out - g.begin)));
                        assert_true(all_canaries(out + bytes, (size_t)(g.end - out) - bytes));
                    }
                }
                free(expected);
            }
            free(m.memory);
        }
    }
    guarded_free(&g);
}

/* ---- corners --------------------------------------------------------------------------------- */

static pe_plan corner_plan(const pe_config *config, void **memory)
{
    pe_plan plan;
    const size_t size = pe_plan_size(config);
    if (size == 0) fail_msg("refused: %s", pe_config_error(config));
    *memory = must_alloc(size);
    assert_int_equal(pe_plan_init(&plan, config, *memory, size), PE_OK);
    return plan;
}

/* Tests that a grid of one axis is a range, the padding row included. A config with several axes
   is refused if it has padding. */
static void padding_in_grids(void **state)
{
    pe_config config = pe_config_preset(PE_PRESET_FAIRSEQ, 4);
    const size_t rows[1] = {3};
    float grid[12], range[12];
    void *memory;
    (void)state;
    config.padding_position = 1;
    const pe_plan plan = corner_plan(&config, &memory);
    assert_int_equal(pe_fill_f32(&plan, pe_grid(rows, 1), 3, grid, 4), PE_OK);
    assert_int_equal(pe_fill_f32(&plan, pe_from(0), 3, range, 4), PE_OK);
    assert_memory_equal(grid, range, sizeof grid);
    for (size_t i = 4; i < 8; i++) assert_true(grid[i] == 0);
    free(memory);
    config = pe_config_preset(PE_PRESET_T2T_ND, 8);
    config.has_padding = 1;
    assert_int_equal(pe_plan_size(&config), 0);
    assert_non_null(strstr(pe_config_error(&config), "has_padding"));
}

/* Checks that sin(pi (1 - 2^-104)) = sin(pi 2^-104), which is not 0, is not rounded to 0. */
static void nearly_quarter_turns(void **state)
{
    pe_config config = pe_config_default(2);
    const double t = 1 + 0x1p-52;
    float f32[2];
    double f64[2];
    void *memory;
    (void)state;
    config.half_turns = 1, config.base = 1, config.scale = 1 - 0x1p-52;
    const pe_plan plan = corner_plan(&config, &memory);
    assert_int_equal(pe_fill_f32(&plan, pe_at_f64(&t), 1, f32, 2), PE_OK);
    assert_int_equal(pe_fill_f64(&plan, pe_at_f64(&t), 1, f64, 2), PE_OK);
    assert_true(f64[0] == 0x1.921fb54442d18p+1 * 0x1p-104 && f64[1] == -1);
    assert_true(f32[0] == 0x1.921fb6p+1f * 0x1p-104f && f32[1] == -1);
    free(memory);
}

/* Checks that angles far below 2^-1022 do not become 0: multiplied by an amplitude A, the sine of
   such an angle x is sin(x) A = x A. */
static void tiny_real_positions(void **state)
{
    static const struct {
        double base, amplitude, t, want;
    } cases[] = {
        {0x1p900, 0x1p1000, 0x1p-180, 0x1p-80},
        {0x1p900, 0x1p1000, 0x1.3456789abcdefp-180, 0x1.3456789abcdefp-80},
        {0x1p900, 0x1p999, -0x1.3456789abcdefp-170, -0x1.3456789abcdefp-71},
        {0x1p702, 0x1p300, 0x1.3456789abcdefp-598, 0x1.3456789abcdefp-1000},
        {0x1p702, 0x1p242, 0x1p-598, 0x1p-1058},
        {0x1p900, 0x1p1000, 0x1.8p-1060, 0x1.8p-960},
    };
    (void)state;
    for (size_t k = 0; k < LENGTH(cases); k++) {
        pe_config config = pe_config_default(4);
        float f32[4];
        double f64[4];
        void *memory;
        config.exponent = PE_EXPONENT_INDEX;
        config.base = cases[k].base, config.amplitude = cases[k].amplitude;
        const pe_plan plan = corner_plan(&config, &memory);
        assert_int_equal(pe_fill_f32(&plan, pe_at_f64(&cases[k].t), 1, f32, 4), PE_OK);
        assert_int_equal(pe_fill_f64(&plan, pe_at_f64(&cases[k].t), 1, f64, 4), PE_OK);
        assert_true(f32[2] == (float)cases[k].want);
        assert_true(f64[2] == cases[k].want);
        assert_true(f64[3] == cases[k].amplitude);
        free(memory);
    }
}

/* Checks doubles that would be the midpoint of two doubles if the term x^3 / 6 of the sine were 0.
   The sign of this term tells to which of them the element has to be rounded. */
static void doubles_next_to_ties(void **state)
{
    const double omega = (1 + 0x1p-52) * 0x1p-60;
    pe_config config = pe_config_default(2);
    double row[2 * 9], alone[2];
    void *memory;
    (void)state;
    const size_t size = pe_plan_size(&config);
    memory = must_alloc(size);
    pe_plan plan;
    assert_int_equal(pe_plan_init_frequencies(&plan, &config, &omega, 1, memory, size), PE_OK);
    assert_int_equal(pe_fill_f64(&plan, pe_from(-4), 9, row, 2), PE_OK);
    for (int p = -4; p <= 4; p++) {
        /* 3 omega ends in half a unit in the last place; its sine is below, so the lower double is
           nearer */
        const double want = p == 3    ? (3 + 0x1p-51) * 0x1p-60
                            : p == -3 ? -(3 + 0x1p-51) * 0x1p-60
                                      : p * omega;
        assert_int_equal(pe_fill_f64(&plan, pe_from(p), 1, alone, 2), PE_OK);
        assert_true(alone[0] == want && row[2 * (p + 4)] == want);
    }
    free(memory);
}

/* Checks that every call refuses 2^31 plus a fraction, which an offset adds, and accepts 2^31 - 1
   with this offset. */
static void fractions_at_the_limit(void **state)
{
    const int64_t limit = INT64_C(1) << 31, last[2] = {limit - 1, -limit}, beyond[1] = {limit};
    const double real = (double)limit;
    pe_config config = pe_config_default(2);
    float x[4] = {7, 7, 7, 7};
    void *memory;
    (void)state;
    config.offset = 0.5;
    const pe_plan plan = corner_plan(&config, &memory);
    const pe_heads one = {1, 2, 2};
    assert_int_equal(pe_fill_f32(&plan, pe_from(limit), 1, x, 2), PE_ERR_RANGE);
    assert_int_equal(pe_fill_f32(&plan, pe_from(limit - 1), 2, x, 2), PE_ERR_RANGE);
    assert_int_equal(pe_fill_f32(&plan, pe_at_i64(beyond), 1, x, 2), PE_ERR_RANGE);
    assert_int_equal(pe_fill_f32(&plan, pe_at_f64(&real), 1, x, 2), PE_ERR_RANGE);
    assert_int_equal(pe_rope_f32(&plan, pe_from(limit), 1, x, one), PE_ERR_RANGE);
    assert_int_equal(pe_fill_f32(&plan, pe_back(pe_from(limit)), 1, x, 2), PE_ERR_RANGE);
    assert_int_equal(pe_fill_f32(&plan, pe_delta(pe_from(limit + 1)), 1, x, 2), PE_ERR_RANGE);
    assert_true(x[0] == 7 && x[1] == 7 && x[2] == 7 && x[3] == 7);
    assert_int_equal(pe_fill_f32(&plan, pe_from(limit - 1), 1, x, 2), PE_OK);
    assert_int_equal(pe_fill_f32(&plan, pe_back(pe_from(-limit)), 1, x, 2), PE_OK);
    assert_int_equal(pe_fill_f32(&plan, pe_delta(pe_from(limit)), 1, x, 2), PE_OK); /* no offset */
    assert_int_equal(pe_fill_f32(&plan, pe_at_i64(last), 2, x, 2), PE_OK);
    free(memory);
}

/* Checks that frequencies up to 2^21 and down to 2^-960 are accepted and others refused, as
   computed from the exact frequencies and not from an estimate of them. */
static void limits_of_frequencies(void **state)
{
    (void)state;
    pe_config config = pe_config_default(80); /* fastest: 0.7^-39 = 2^20.07 */
    config.exponent = PE_EXPONENT_INDEX, config.base = 0.7;
    assert_null(pe_config_error(&config));
    assert_true(pe_plan_size(&config) > 0);
    config.d_model = 84; /* 0.7^-41 = 2^21.1 */
    assert_non_null(strstr(pe_config_error(&config), "frequencies"));
    config = pe_config_default(2);
    config.half_turns = 1, config.scale = 0x1p21 / 3;
    assert_non_null(pe_config_error(&config));
    config.scale = 0x1p21 / 3.15;
    assert_null(pe_config_error(&config));
    config = pe_config_default(4); /* base^-1000 = 10^-391 */
    config.exponent = PE_EXPONENT_PAIRS, config.base = 1 + 1.0 / 1024;
    config.exponent_shift = 2 - 1.0 / 1024 / 900;
    assert_non_null(pe_config_error(&config));
    assert_int_equal(pe_plan_size(&config), 0);
}

/* Tests that whatever pe_plan_size() refuses, and only that, has a text that names the field. */
static void errors_of_configs(void **state)
{
    (void)state;
    for (int k = 0; k < 17; k++) {
        static const char *const names[] = {
            "d_model",       "multiple",   "d_model", "axes",
            "layout",        "exponent",   "odd",     "angle",
            "base",          "amplitude",  "scale",   "exponent_shift",
            "offset",        "coordinate", "widths",  "coordinate needs",
            "exponent_shift"};
        pe_config c = pe_config_default(12);
        switch (k) {
        case 0: c.d_model = 0; break;
        case 1: c.multiple = 0; break;
        case 2: c.multiple = 5; break;
        case 3: c.axes = 9; break;
        case 4: c.layout = (pe_layout)2; break;
        case 5: c.exponent = (pe_exponent)3; break;
        case 6: c.odd = (pe_odd)2; break;
        case 7: c.angle = (pe_angle)2; break;
        case 8: c.base = 0; break;
        case 9: c.amplitude = (double)INFINITY; break;
        case 10: c.scale = (double)NAN; break;
        case 11: c.exponent_shift = 0x1p61; break;
        case 12: c.offset = 0x1p-21; break;
        case 13: c.axes = 2, c.axis[1].coordinate = 2; break;
        case 14: c.axes = 2, c.axis[0].width = c.axis[1].width = 7, c.axis[1].coordinate = 1; break;
        case 15: c.columns = PE_COLUMNS_JOINED, c.coordinate = (const uint8_t *)""; break;
        default: c.exponent = PE_EXPONENT_PAIRS, c.exponent_shift = 6; break;
        }
        assert_int_equal(pe_plan_size(&c), 0);
        assert_non_null(pe_config_error(&c));
        if (!strstr(pe_config_error(&c), names[k]))
            fail_msg("case %d says: %s", k, pe_config_error(&c));
    }
    assert_non_null(pe_config_error(NULL));
    for (int preset = 0; preset < PE_PRESET_COUNT; preset++) {
        const pe_config c = pe_config_preset((pe_preset)preset, 48);
        assert_null(pe_config_error(&c));
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(presets_match_their_projects),
        cmocka_unit_test(another_number_is_no_preset),
        cmocka_unit_test(random_knobs),
        cmocka_unit_test(zeros_have_no_sign),
        cmocka_unit_test(every_place_is_settled),
        cmocka_unit_test(quarter_turns_are_met),
        cmocka_unit_test(a_tile_of_one_cosine),
        cmocka_unit_test(halves_of_two_lengths),
        cmocka_unit_test(own_frequencies),
        cmocka_unit_test(own_frequencies_scaled),
        cmocka_unit_test(bad_axes_and_sizes),
        cmocka_unit_test(padding_in_lists),
        cmocka_unit_test(subnormal_ties),
        cmocka_unit_test(adding_with_cosines_first),
        cmocka_unit_test(frequencies_can_be_read),
        cmocka_unit_test(tables_of_16_bits),
        cmocka_unit_test(neighbours_stay_apart),
        cmocka_unit_test(overflow_and_subnormals),
        cmocka_unit_test(calls_agree),
        cmocka_unit_test(adding_is_filling_and_adding),
        cmocka_unit_test(batches_of_any_plan),
        cmocka_unit_test(sums_of_strange_numbers),
        cmocka_unit_test(bad_configs),
        cmocka_unit_test(bad_calls),
        cmocka_unit_test(bad_ranges_and_shapes),
        cmocka_unit_test(bad_batches),
        cmocka_unit_test(nothing_around_is_touched),
        cmocka_unit_test(padding_in_grids),
        cmocka_unit_test(nearly_quarter_turns),
        cmocka_unit_test(tiny_real_positions),
        cmocka_unit_test(doubles_next_to_ties),
        cmocka_unit_test(fractions_at_the_limit),
        cmocka_unit_test(limits_of_frequencies),
        cmocka_unit_test(errors_of_configs),
    };
    test_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
