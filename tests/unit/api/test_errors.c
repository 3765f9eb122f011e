/* SPDX-License-Identifier: MIT */
/*
 * Proves that bad input is refused with the status that says why. Then not a byte is written to the
 * output or to a plan's memory, and the plan becomes zeros. Zero rows are always valid. A plan fits
 * exactly into the memory that it asks for, at any alignment, and is only read afterwards. The
 * errno and the floating-point environment do not change. If that environment flushes subnormals,
 * no bit of a normal result changes.
 */
#include "../common.h"

#include <float.h>

/* Holds a buffer of canaries, which must not change. */
enum { OUTPUT_BYTES = 1 << 16 };
static union {
    unsigned char bytes[OUTPUT_BYTES];
    double align;
} output;

static void output_paint(void) { memset(output.bytes, CANARY, OUTPUT_BYTES); }

static void output_is_untouched(const char *what)
{
    if (!all_canaries(output.bytes, OUTPUT_BYTES))
        fail_msg("written to although refused: %s", what);
}

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void expect(pe_status got, pe_status want, const char *format, ...)
{
    char what[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (got != want)
        fail_msg("got %d (%s), want %d (%s): %s", (int)got, pe_status_string(got), (int)want,
                 pe_status_string(want), what);
    if (want != PE_OK) output_is_untouched(what);
}

/* Returns whether rows * stride elements are more bytes than an object can have. */
static int too_many_bytes(size_t rows, size_t stride, size_t element)
{
    return stride > 0 && rows > (size_t)PTRDIFF_MAX / element / stride;
}

/* ------------------------------------------------------------------------------------------------
 * Statuses
 * --------------------------------------------------------------------------------------------- */

static void statuses_have_texts(void **state)
{
    static const int outside[] = {
        -1, PE_ERR_SELFTEST + 1, PE_ERR_SELFTEST + 1000, 255, INT16_MAX, -INT32_MAX - 1, INT32_MAX};
    const int all = PE_ERR_SELFTEST + 1; /* the number of statuses: this one is the last */
    (void)state;
    assert_int_equal(PE_OK, 0);
    for (int a = 0; a < all; a++) {
        const char *text = pe_status_string((pe_status)a);
        assert_non_null(text);
        assert_true(strlen(text) > 0);
        assert_ptr_equal(text, pe_status_string((pe_status)a));
        for (int b = 0; b < a; b++) assert_string_not_equal(text, pe_status_string((pe_status)b));
    }
    for (size_t k = 0; k < LENGTH(outside); k++) {
        int value = outside[k];
        pe_status status = PE_OK;
        memcpy(&status, &value, sizeof status < sizeof value ? sizeof status : sizeof value);
        assert_non_null(pe_status_string(status));
        assert_string_equal(pe_status_string(status),
                            pe_status_string((pe_status)(PE_ERR_SELFTEST + 1)));
        for (int a = 0; a < all; a++)
            assert_string_not_equal(pe_status_string(status), pe_status_string((pe_status)a));
    }
}

/* Tests each status with calls that return it, and looks for a word in its text that names what
   is wrong. */
static void each_status_names_its_cause(void **state)
{
    float table[8] = {1, 1, 1, 1, 1, 1, 1, 1}, x[8] = {0}, bad[2] = {NAN, 1};
    int32_t index[8] = {9};
    double omega[4] = {0}, one = 1, steep[2] = {0x1p22, 1};
    uint32_t increments[16];
    pe_rope_table rows = {table, table, PE_TYPE_F32, PE_ROPE_TABLE_APART, 2, 2, 2};
    const pe_heads heads = {1, 4, 4}, more = {2, 4, 4};
    const size_t two[3] = {2, 1, 1}, huge[2] = {SIZE_MAX, 2};
    unsigned char memory[4096];
    pe_plan plan, none, sums, listed, odd, plain;
    pe_rope_ggml chain;
    pe_config c = pe_config_default(4);
    pe_rope_config rope = pe_rope_config_default(4);
    pe_rope_type type;
    pe_resample how;
    pe_at nobody;
    const uint8_t coordinate[2] = {0, 0};
    float factors[2] = {0x1p-30f, 1};
    int seen[PE_ERR_SELFTEST + 1] = {0};
    (void)state;
    memset(&chain, 0, sizeof chain), memset(&how, 0, sizeof how);
    memset(&none, 0, sizeof none), memset(&nobody, 0, sizeof nobody);
    chain.n_dims = 3, how.a = 17, c.expected_rows = rope.expected_rows = 1;
#define SAYS(call, status, words)                                                                  \
    do {                                                                                           \
        output_paint();                                                                            \
        expect((call), (status), "%s", #call);                                                     \
        if (!strstr(pe_status_string(status), words))                                              \
            fail_msg("%s: no \"%s\" in: %s", #call, words, pe_status_string(status));              \
        seen[status] = 1;                                                                          \
    } while (0)
#define INIT(plan, config)                                                                         \
    assert_int_equal(pe_plan_init(plan, config, memory, sizeof memory), PE_OK)
    /* configs, their frequencies, their memory */
    INIT(&plain, &c);
    SAYS(pe_plan_init(NULL, &c, memory, sizeof memory), PE_ERR_NULL, "pointer");
    SAYS(pe_plan_init(&plan, &c, memory, 9), PE_ERR_MEMORY, "memory_size");
    SAYS(pe_rope_plan_init(&plan, &rope, memory, 9), PE_ERR_MEMORY, "pe_rope_plan_size");
    SAYS(pe_plan_init_frequencies(&plan, &c, omega, 3, memory, sizeof memory), PE_ERR_PAIRS,
         "pairs");
    SAYS(pe_plan_init_frequencies(&plan, &c, steep, 2, memory, sizeof memory), PE_ERR_FREQUENCY,
         "pe_frequency_error");
    rope.freq_factors = factors;
    SAYS(pe_rope_plan_init(&plan, &rope, memory, sizeof memory), PE_ERR_FACTOR, "factors");
    c.base = 0.5;
    SAYS(pe_frequencies_float32(&c, PE_FLOAT32_POW, omega), PE_ERR_BASE, "base");
    c.base = -1;
    SAYS(pe_plan_init(&plan, &c, memory, sizeof memory), PE_ERR_CONFIG, "pe_config_error");
    rope.rotary_dim = 3;
    SAYS(pe_rope_plan_init(&plan, &rope, memory, sizeof memory), PE_ERR_CONFIG,
         "pe_rope_config_error");
    c.base = 10000;
    SAYS(pe_frequencies_float32(&c, (pe_float32)9, omega), PE_ERR_ENUM, "formula");
    /* plans that a call cannot use */
    SAYS(pe_fill_f32(&none, pe_from(0), 1, x, 4), PE_ERR_PLAN, "not made");
    SAYS(pe_dot_f64(&none, pe_from(0), 1, omega), PE_ERR_PLAN, "not made");
    SAYS(pe_fixed_increments(&none, increments), PE_ERR_PLAN, "not made");
    SAYS(pe_plan_frequencies(&none, omega), PE_ERR_PLAN, "not made");
    SAYS(pe_rope_f32(&none, pe_from(0), 1, x, heads), PE_ERR_PLAN, "not made");
    SAYS(pe_rope_table_f32(&none, pe_from(0), 1, PE_ROPE_TABLE_JOINED, x, NULL, 4, NULL),
         PE_ERR_PLAN, "not made");
    c.coordinate = coordinate;
    INIT(&listed, &c);
    SAYS(pe_fill_f32(&listed, pe_from(0), 1, x, 4), PE_ERR_PLAN_ROWS, "list of coordinates");
    SAYS(pe_fixed_increments(&listed, increments), PE_ERR_PLAN_FIXED, "phase increments");
    c.coordinate = NULL, c.axes = 2, c.columns = PE_COLUMNS_SUMS;
    SAYS(pe_plan_init(&plan, &c, memory, sizeof memory), PE_ERR_SUMS, "pe_plan_init_frequencies");
    assert_int_equal(pe_plan_init_frequencies(&sums, &c, (const double[4]){1, 1, 1, 1}, 2, memory,
                                              sizeof memory),
                     PE_OK);
    SAYS(pe_plan_frequencies(&sums, omega), PE_ERR_SUMS, "read back");
    c = pe_config_default(3), c.expected_rows = 1;
    INIT(&odd, &c);
    SAYS(pe_shift_f32(&odd, pe_from(0), 1, x, 3), PE_ERR_PLAN_SHIFT, "pe_shift_f32");
    SAYS(pe_dot_f64(&odd, pe_from(0), 1, omega), PE_ERR_PLAN_SHIFT, "dot products");
    SAYS(pe_rope_f32(&odd, pe_from(0), 1, x, heads), PE_ERR_PLAN_ROPE, "RoPE");
    SAYS(pe_rope_table_f32(&odd, pe_from(0), 1, PE_ROPE_TABLE_JOINED, x, NULL, 4, NULL),
         PE_ERR_PLAN_ROPE, "RoPE");
    SAYS(pe_fixed_increments_of(steep, 1, increments), PE_ERR_INCREMENT, "2^21");
    /* where rows are */
    c = pe_config_default(4), c.expected_rows = 1;
    INIT(&plain, &c);
    SAYS(pe_fill_f32(&plain, nobody, 1, x, 4), PE_ERR_AT, "pe_at");
    SAYS(pe_fill_f32(&plain, pe_at_i32(NULL), 1, x, 4), PE_ERR_AT_NULL, "list of positions");
    SAYS(pe_fill_f32(&plain, pe_grid(NULL, 1), 1, x, 4), PE_ERR_AT_NULL, "grid");
    SAYS(pe_fill_f32(&plain, pe_grid(two, 3), 1, x, 4), PE_ERR_AT_AXES, "coordinate");
    SAYS(pe_fill_f32(&plain, pe_grid(two, 0), 1, x, 4), PE_ERR_AT_AXES, "coordinate");
    SAYS(pe_fill_f32(&plain, pe_grid(two, 1), 3, x, 4), PE_ERR_AT_ROWS, "fewer cells");
    c.axes = 2, c.columns = PE_COLUMNS_JOINED;
    INIT(&plan, &c);
    SAYS(pe_fill_f32(&plan, pe_grid(huge, 2), 1, x, 4), PE_ERR_AT_SIZE, "grid");
    SAYS(pe_fill_f32(&plan, pe_skip(pe_at_i32(index), SIZE_MAX), 2, x, 4), PE_ERR_AT_SIZE, "list");
    SAYS(pe_fill_f32(&plan, pe_from(INT64_MAX), 1, x, 4), PE_ERR_RANGE, "position");
    SAYS(pe_learned_add_f32(table, 2, 4, pe_from(2), 1, x, 4), PE_ERR_RANGE, "in a table");
    SAYS(pe_rope_by_table_f32(&rows, PE_LAYOUT_HALVES, pe_from(2), 1, x, heads), PE_ERR_RANGE,
         "in a table");
    SAYS(pe_bias_t5_i32(32, 128, 0, pe_at_f32(table), 1, pe_from(0), 1, index), PE_ERR_AT_KIND,
         "whole positions");
    SAYS(pe_bias_t5_i32(32, 128, 0, pe_from(0), 1, pe_grid(two, 1), 1, index), PE_ERR_AT_KIND,
         "pe_at_i32");
    SAYS(pe_rope_by_table_f32(&rows, PE_LAYOUT_HALVES, pe_at_f32(table), 1, x, heads),
         PE_ERR_AT_KIND, "whole positions");
    SAYS(pe_rope_by_table_f32(&rows, PE_LAYOUT_HALVES, pe_delta(pe_from(0)), 1, x, heads),
         PE_ERR_AT_KIND, "pe_from()");
    /* shapes */
    SAYS(pe_fill_f32(&plan, pe_from(0), 1, x, 3), PE_ERR_SHAPE, "stride");
    SAYS(pe_fill_f32(&plan, pe_from(0), 9, x, SIZE_MAX / 8), PE_ERR_SIZE, "address space");
    SAYS(pe_learned_add_f32(table, 2, 0, pe_from(0), 1, x, 4), PE_ERR_EMPTY, "d_model");
    SAYS(pe_learned_resample_f32(table, 0, 1, 1, NULL, x, 1, 1), PE_ERR_EMPTY, "height");
    SAYS(pe_learned_resample_f32(table, 1, 0, 1, NULL, x, 1, 1), PE_ERR_EMPTY, "width");
    SAYS(pe_sinusoidal_f32(x, 1, 0), PE_ERR_EMPTY, "d_model");
    SAYS(pe_rope_xpos_f32(0, 1, pe_from(0), 1, x, 2), PE_ERR_EMPTY, "pairs");
    SAYS(pe_rope_to_f32(&plain, pe_from(0), 1, 3, table, heads, x, heads), PE_ERR_HEAD_DIM,
         "head_dim");
    SAYS(pe_rope_to_f32(&plain, pe_from(0), 1, 0, table, heads, x, heads), PE_ERR_HEAD_DIM,
         "head_dim");
    SAYS(pe_rope_by_table_to_f32(&rows, PE_LAYOUT_HALVES, pe_from(0), 1, 3, table, heads, x, heads),
         PE_ERR_HEAD_DIM, "head_dim");
    SAYS(pe_rope_to_f32(&plain, pe_from(0), 1, 4, table, heads, x, more), PE_ERR_HEADS, "heads");
    SAYS(pe_rope_by_table_to_f32(&rows, PE_LAYOUT_HALVES, pe_from(0), 1, 4, table, more, x, heads),
         PE_ERR_HEADS, "heads");
    SAYS(pe_rope_to_f32(&plain, pe_from(0), 1, 4, x, heads, x + 1, heads), PE_ERR_OVERLAP,
         "overlaps");
    rows.layout = PE_ROPE_TABLE_JOINED, rows.stride = 4;
    SAYS(pe_rope_by_table_f32(&rows, PE_LAYOUT_HALVES, pe_from(0), 1, x, heads), PE_ERR_SINES,
         "sines must be NULL");
    SAYS(pe_rope_table_f32(&plain, pe_from(0), 1, PE_ROPE_TABLE_JOINED, x, table, 4, NULL),
         PE_ERR_SINES, "sines must be NULL");
    float *const between = (float *)(void *)((char *)x + 17);
    SAYS(pe_rope_table_f32(&plain, pe_from(0), 1, PE_ROPE_TABLE_APART, x, between, 4, NULL),
         PE_ERR_ALIGNMENT, "elements apart");
    SAYS(pe_sincos_f32(&one, 1, 1, pe_from(0), 1, x, between, 1), PE_ERR_ALIGNMENT,
         "elements apart");
    /* enums and numbers */
    rows.type = (pe_type)9;
    SAYS(pe_rope_by_table_f32(&rows, PE_LAYOUT_HALVES, pe_from(0), 1, x, heads), PE_ERR_ENUM,
         "type");
    SAYS(pe_rope_query_scale_f32((pe_query_scale)9, 1, 1, 0, pe_from(0), 1, x), PE_ERR_ENUM,
         "kind");
    SAYS(pe_rope_type_named("yarm", &type), PE_ERR_NAME, "name");
    SAYS(pe_rope_ggml_frequencies(&chain, omega, NULL), PE_ERR_GGML, "pe_rope_ggml");
    SAYS(pe_rope_ggml_f32(&chain, pe_from(0), 1, x, x + 4, 2), PE_ERR_GGML, "pe_rope_ggml");
    SAYS(pe_sincos_f32(&one, 1, 0, pe_from(0), 1, x, x + 4, 1), PE_ERR_AMPLITUDE, "amplitude");
    SAYS(pe_rope_query_scale_f32(PE_QUERY_SCALE_FLOOR, 1, 0, 0, pe_from(0), 1, x),
         PE_ERR_QUERY_SCALE, "period");
    SAYS(pe_rope_xpos_f32(2, 0, pe_from(0), 1, x, 2), PE_ERR_XPOS, "scale_base");
    SAYS(pe_alibi_slopes_f32(2, -1, x), PE_ERR_SLOPE, "max_bias");
    SAYS(pe_alibi_add_f32(bad, 1, PE_ALIBI_SYMMETRIC, pe_from(0), 1, pe_from(0), 1, x, 1, 1),
         PE_ERR_SLOPE, "slope");
    SAYS(pe_bias_t5_i32(2000, 128, 0, pe_from(0), 1, pe_from(0), 1, index), PE_ERR_BUCKETS,
         "buckets");
    SAYS(pe_bias_add_f32(table, 2, 1, index, 1, 1, x, 1, 1), PE_ERR_INDEX, "table of biases");
    SAYS(pe_learned_resample_f32(table, 2, 1, 1, &how, x, 3, 1), PE_ERR_RESAMPLE, "pe_resample");
#undef SAYS
#undef INIT
    for (int status = PE_ERR_NULL; status < PE_ERR_SELFTEST; status++) {
        if (strlen(pe_status_string((pe_status)status)) > 90)
            fail_msg("more than a line: %s", pe_status_string((pe_status)status));
        if (!seen[status])
            fail_msg("no call here returns %d: %s", status, pe_status_string((pe_status)status));
    }
}

/* ------------------------------------------------------------------------------------------------
 * Configurations and plans
 * --------------------------------------------------------------------------------------------- */

/* Checks that pe_plan_size() returns 0 for the config and pe_plan_init() refuses it. The plan
   becomes zeros, and its memory is not written. */
static void refuse_config(const pe_config *config, const char *what)
{
    static unsigned char memory[1 << 16];
    pe_plan plan;
    memset(&plan, CANARY, sizeof plan);
    memset(memory, CANARY, sizeof memory);
    output_paint();
    if (pe_plan_size(config) != 0) fail_msg("pe_plan_size is %zu: %s", pe_plan_size(config), what);
    expect(pe_plan_init(&plan, config, memory, sizeof memory), PE_ERR_CONFIG, "%s", what);
    if (!all_zeros(&plan, sizeof plan) || !all_canaries(memory, sizeof memory))
        fail_msg("no plan of zeros, or memory written to although refused: %s", what);
    expect(pe_fill_f32(&plan, pe_from(0), 1, (float *)(void *)output.bytes, 8), PE_ERR_PLAN,
           "a plan that could not be made: %s", what);
}

static void bad_configs_are_refused(void **state)
{
    const double bad_bases[] = {0.0,
                                -0.0,
                                -1.0,
                                -10000.0,
                                (double)NAN,
                                -(double)NAN,
                                HUGE_VAL,
                                -HUGE_VAL,
                                -0x1p-1074,
                                0x1p-1074,
                                -DBL_MAX,
                                DBL_MAX,
                                DBL_MIN,
                                1e-300,
                                0x1.fffffffffffffp-21,
                                1e300,
                                0x1.0000000000001p900};
    const double bad_amplitudes[] = {0.0,         -0.0,
                                     (double)NAN, HUGE_VAL,
                                     -HUGE_VAL,   0x1.0000000000001p1000,
                                     -0x1p1001,   0x1.fffffffffffffp-1001,
                                     -0x1p-1001,  DBL_MAX,
                                     0x1p-1074,   DBL_MIN};
    const size_t bad_widths[] = {
        0,           SIZE_MAX,     SIZE_MAX - 1,    SIZE_MAX / 2, SIZE_MAX / 2 + 1,
        PTRDIFF_MAX, SIZE_MAX / 4, SIZE_MAX / 4 + 2};
    char what[100];
    pe_config config;
    (void)state;
    assert_int_equal(pe_plan_size(NULL), 0);
    for (size_t d = 1; d <= 64; d = 2 * d + 1) {
        for (size_t k = 0; k < LENGTH(bad_bases); k++) {
            config = config_of(d, bad_bases[k], 1.0);
            snprintf(what, sizeof what, "d_model %zu, base %a", d, bad_bases[k]);
            refuse_config(&config, what);
        }
        for (size_t k = 0; k < LENGTH(bad_amplitudes); k++) {
            config = config_of(d, 10000.0, bad_amplitudes[k]);
            snprintf(what, sizeof what, "d_model %zu, amplitude %a", d, bad_amplitudes[k]);
            refuse_config(&config, what);
        }
    }
    for (size_t k = 0; k < LENGTH(bad_widths); k++) {
        config = pe_config_default(bad_widths[k]);
        snprintf(what, sizeof what, "d_model %zu", bad_widths[k]);
        refuse_config(&config, what);
    }
}

/* Checks widths so large that an overflow could give a small size of memory. */
WRAPS
static void no_size_wraps(void **state)
{
    (void)state;
    for (size_t part = 1; part <= 256; part++)
        for (size_t near = 0; near < 9; near++) {
            const pe_config config = pe_config_default(SIZE_MAX / part - 4 + near);
            const size_t bytes = pe_plan_size(&config);
            if (part == 1 && near > 4) continue; /* d_model itself has wrapped to 0 ... 3 */
            if (bytes != 0 && bytes < config.d_model)
                fail_msg("d_model %zu in %zu bytes", config.d_model, bytes);
        }
}

static void good_configs_are_taken(void **state)
{
    const struct {
        size_t d_model;
        double base, amplitude;
    } good[] = {{1, 10000, 1},         {2, 10000, 1},         {3, 0x1p-20, 1},
                {64, 0x1p-20, 1},      {8, 1.0, 1},           {8, 10000, 0x1p1000},
                {8, 10000, -0x1p1000}, {8, 10000, 0x1p-1000}, {8, 10000, -0x1p-1000},
                {8, 0x1p900, 1},       {64, 0x1p900, 1},      {8192, 10000, 1}};
    (void)state;
    for (size_t k = 0; k < LENGTH(good); k++) {
        owned_plan p;
        plan_make(&p, good[k].d_model, good[k].base, good[k].amplitude);
        plan_free(&p);
    }
    assert_true(pe_config_default(512).d_model == 512);
    assert_true(pe_config_default(512).base == 10000.0);
    assert_true(pe_config_default(512).amplitude == 1.0);
}

/* Tests the last good value of every number of a config, and the first bad one. */
static void limits_of_a_config(void **state)
{
    pe_config config;
    (void)state;
#define LIMITS(field, good, bad)                                                                   \
    do {                                                                                           \
        config = pe_config_default(2);                                                             \
        config.field = (good);                                                                     \
        if (pe_plan_size(&config) == 0) fail_msg("refused: " #field " = " #good);                  \
        config.field = (bad);                                                                      \
        refuse_config(&config, #field " = " #bad);                                                 \
    } while (0)
    LIMITS(base, 0x1p-20, 0x1.fffffffffffffp-21);
    LIMITS(base, 0x1p900, 0x1.0000000000001p900);
    LIMITS(amplitude, 0x1p-1000, 0x1.fffffffffffffp-1001);
    LIMITS(amplitude, -0x1p1000, -0x1.0000000000001p1000);
    LIMITS(scale, 0x1p-900, 0x1.fffffffffffffp-901);
    LIMITS(scale, -0x1p21, -0x1.0000000000001p21);
    LIMITS(exponent_shift, 0x1p60, 0x1.0000000000001p60);
    LIMITS(exponent_shift, -0x1p60, -0x1.0000000000001p60);
    LIMITS(offset, 0x1p31, 0x1.0000000000001p31);
    LIMITS(offset, -0x1p31, -0x1.0000000000001p31);
    LIMITS(offset, 0x1p-20, 0x1p-21);
    LIMITS(offset, 3.0 - 0x1p-20, 3.0 - 0x1p-21);
    LIMITS(multiple, 2, 0);
    LIMITS(multiple, 1, 4);
    LIMITS(axes, 1, 0);
    LIMITS(axes, 1, PE_MAX_AXES + 1);
    LIMITS(layout, PE_LAYOUT_HALVES, (pe_layout)(PE_LAYOUT_HALVES + 1));
    LIMITS(exponent, PE_EXPONENT_INDEX, (pe_exponent)(PE_EXPONENT_INDEX + 1));
    LIMITS(odd, PE_ODD_ZERO, (pe_odd)(PE_ODD_ZERO + 1));
    LIMITS(angle, PE_ANGLE_FLOAT32, (pe_angle)(PE_ANGLE_FLOAT32 + 1));
#undef LIMITS
}

/* Tests NULL pointers, and memory that is one byte or more too small. */
static void plans_check_their_memory(void **state)
{
    static const size_t widths[] = {1, 2, 3, 7, 8, 64, 129, 513};
    (void)state;
    for (size_t k = 0; k < LENGTH(widths); k++) {
        const pe_config config = pe_config_default(widths[k]);
        const size_t bytes = pe_plan_size(&config);
        const size_t shorts[] = {bytes - 1, bytes / 2, 1, 0};
        unsigned char *memory = (unsigned char *)must_alloc(bytes);
        pe_plan plan;
        memset(&plan, CANARY, sizeof plan);
        memset(memory, CANARY, bytes);
        output_paint();
        expect(pe_plan_init(NULL, &config, memory, bytes), PE_ERR_NULL, "plan NULL");
        expect(pe_plan_init(&plan, NULL, memory, bytes), PE_ERR_NULL, "config NULL");
        assert_true(all_zeros(&plan, sizeof plan));
        memset(&plan, CANARY, sizeof plan);
        expect(pe_plan_init(&plan, &config, NULL, bytes), PE_ERR_NULL, "memory NULL");
        assert_true(all_zeros(&plan, sizeof plan));
        for (size_t s = 0; s < LENGTH(shorts); s++) {
            memset(&plan, CANARY, sizeof plan);
            expect(pe_plan_init(&plan, &config, memory, shorts[s]), PE_ERR_MEMORY,
                   "d_model %zu: %zu bytes instead of %zu", widths[k], shorts[s], bytes);
            assert_true(all_zeros(&plan, sizeof plan));
        }
        assert_true(all_canaries(memory, bytes));
        expect(pe_plan_init(&plan, &config, memory, bytes), PE_OK, "%zu bytes", bytes);
        free(memory);
    }
}

/* Tests plans in exactly pe_plan_size() bytes between two inaccessible pages. The bytes are
   read-only once the plan is made. */
static void plans_fit_their_memory(void **state)
{
    static const size_t widths[] = {1, 2, 3, 5, 8, 15, 16, 17, 31, 33, 64, 129, 512, 513, 1024};
    static float want[70 * 1024], got[70 * 1024];
    static double want_f64[70 * 1024], got_f64[70 * 1024];
    (void)state;
    FAIL_ON_FAULT();
    for (size_t k = 0; k < LENGTH(widths); k++) {
        const size_t d = widths[k];
        const pe_config config = pe_config_default(d);
        const size_t bytes = pe_plan_size(&config);
        guarded g = guarded_make(bytes), holder = guarded_make(sizeof(pe_plan));
        const size_t slack = (size_t)(g.end - g.begin) - bytes;
        /* The plan itself on a page of its own, so that it can be made read-only as well. */
        pe_plan *plan = (pe_plan *)(void *)holder.begin;
        for (size_t at = 0; at <= 64; at++) {
            unsigned char *memory = at < 64 ? g.begin + (at <= slack ? at : slack) : g.end - bytes;
            fault_case("d_model %zu, plan memory of %zu bytes at byte %zu", d, bytes, at);
            memset(g.begin, CANARY, (size_t)(g.end - g.begin));
            expect(pe_plan_init(plan, &config, memory, bytes), PE_OK, "at byte %zu", at);
            assert_true(all_canaries(g.begin, (size_t)(memory - g.begin)));
            assert_true(all_canaries(memory + bytes, (size_t)(g.end - memory) - bytes));
            guarded_protect(&g, PROT_READ);
            guarded_protect(&holder, PROT_READ);
            must_fill(CALL_FILL_F32, plan, d, -3, NULL, 70, got, d);
            must_fill(CALL_FILL_F64, plan, d, -3, NULL, 70, got_f64, d);
            if (at == 0) {
                memcpy(want, got, sizeof want);
                memcpy(want_f64, got_f64, sizeof want_f64);
            }
            if (memcmp(want, got, 70 * d * sizeof *got) != 0 ||
                memcmp(want_f64, got_f64, 70 * d * sizeof *got_f64) != 0)
                fail_msg("other bits with plan memory at byte %zu, d_model %zu", at, d);
            guarded_protect(&g, PROT_READ | PROT_WRITE);
            guarded_protect(&holder, PROT_READ | PROT_WRITE);
        }
        guarded_free(&g);
        guarded_free(&holder);
    }
}

/* Checks the figures in the comments of pe.h and in README.md. */
static void plans_take_what_is_told(void **state)
{
    static const struct {
        size_t d, exact, kilobytes;
    } told[] = {{64, 10943, 11}, {128, 19647, 20}, {512, 71871, 72}};
    enum { MANY = 36 }; /* a plan for this number of rows or more keeps rotation rows */
    pe_config config = pe_config_default(1);
    (void)state;
    assert_int_equal(pe_plan_size(&config), 2239);
    config.angle = PE_ANGLE_FLOAT32;
    assert_int_equal(pe_plan_size(&config), 255);
    for (size_t k = 0; k < LENGTH(told); k++) {
        config = pe_config_default(told[k].d);
        assert_int_equal(pe_plan_size(&config), told[k].exact);
        assert_int_equal((told[k].exact + 500) / 1000, told[k].kilobytes);
    }
    for (size_t d = 256; d < 5000; d++) {
        config = pe_config_default(d);
        const double exact = (double)pe_plan_size(&config) / (double)d;
        config.expected_rows = MANY - 1;
        const double few = (double)pe_plan_size(&config) / (double)d;
        config.expected_rows = MANY;
        assert_true((double)pe_plan_size(&config) / (double)d == exact);
        config.angle = PE_ANGLE_FLOAT32;
        const double rounded = (double)pe_plan_size(&config) / (double)d;
        if (!(exact > 136 && exact < 180 && rounded > 12 && rounded < 14 && few > 8 && few < 10))
            fail_msg("d_model %zu: %g, %g and %g bytes per element", d, exact, rounded, few);
    }
}

/* Checks that PE_PLAN_BYTES is a constant, and enough for a plan of one row with any config. */
static void a_constant_is_enough(void **state)
{
    static unsigned char memory[PE_PLAN_BYTES(129)];
    static const uint8_t zeros[750];
    static const size_t most[] = {1, 2, 3, 5, 8};
    (void)state;
    for (size_t d = 1; d < 1500; d += d < 300 ? 1 : 37)
        for (int form = 0; form < 16; form++)
            for (size_t k = 0; k < LENGTH(most); k++) {
                pe_config c = pe_config_default(d);
                pe_rope_config r = pe_rope_config_default(d);
                c.expected_rows = r.expected_rows = 1;
                c.angle = r.angle = form & 1 ? PE_ANGLE_FLOAT32 : PE_ANGLE_EXACT;
                c.odd = form & 2 ? PE_ODD_ZERO : PE_ODD_SINE;
                c.half_turns = form >> 2 & 1;
                c.axes = r.axes = most[k];
                for (size_t a = 0; a < most[k]; a++) { /* an odd width adds half a pair per axis */
                    c.axis[a].width = form & 8 && d >= most[k] ? (d / most[k] - 1) | 1 : 0;
                    c.axis[a].coordinate = a;
                    r.sections[a] = d / 2 / most[k];
                }
                r.sections[0] += d / 2 - most[k] * (d / 2 / most[k]);
                r.section_order = form & 2 ? PE_SECTIONS_INTERLEAVED : PE_SECTIONS_BLOCKS;
                if (pe_plan_size(&c) > PE_PLAN_BYTES(d) || pe_rope_plan_size(&r) > PE_PLAN_BYTES(d))
                    fail_msg("d_model %zu, %zu axes, form %d: %zu and %zu bytes, not %zu", d,
                             most[k], form, pe_plan_size(&c), pe_rope_plan_size(&r),
                             PE_PLAN_BYTES(d));
                assert_true(d % 2 || d < 2 * most[k] || pe_rope_plan_size(&r) > 0);
                if (d % 2 == 0) { /* and a coordinate for each pair */
                    pe_config listed = c;
                    pe_rope_config turned = r;
                    listed.coordinate = turned.coordinate = zeros;
                    memset(turned.sections, 0, sizeof turned.sections);
                    turned.section_order = PE_SECTIONS_BLOCKS;
                    assert_in_range(pe_plan_size(&listed), 1, PE_PLAN_BYTES(d));
                    assert_in_range(pe_rope_plan_size(&turned), 1, PE_PLAN_BYTES(d));
                }
                if (most[k] == 1 || d >= 16 * most[k]) assert_true(pe_plan_size(&c) > 0);
                if (d == 129 && pe_plan_size(&c) > 0) {
                    pe_plan plan;
                    expect(pe_plan_init(&plan, &c, memory, sizeof memory), PE_OK, "form %d", form);
                }
            }
}

/* ------------------------------------------------------------------------------------------------
 * Calls
 * --------------------------------------------------------------------------------------------- */

static void zero_rows_are_fine(void **state)
{
    int64_t bad_position = INT64_MAX;
    owned_plan p;
    (void)state;
    plan_make(&p, 8, 10000.0, 1.0);
    output_paint();
    for (int c = 0; c < CALLS; c++) {
        const char *name = call_name((call)c);
        expect(call_run((call)c, NULL, 0, 0, NULL, 0, NULL, 0), PE_OK, "%s: all NULL", name);
        expect(call_run((call)c, NULL, 8, INT64_MIN, NULL, 0, NULL, SIZE_MAX), PE_OK,
               "%s: all NULL", name);
        expect(call_run((call)c, &p.plan, 8, INT64_MAX, &bad_position, 0, output.bytes, 1), PE_OK,
               "%s: bad position, bad stride", name);
        output_is_untouched(name);
    }
    plan_free(&p);
}

static void nulls_and_shapes_are_refused(void **state)
{
    static const size_t widths[] = {1, 2, 7, 8, 64, 129};
    int64_t positions[100];
    (void)state;
    count_up(positions, 0, 100);
    for (size_t k = 0; k < LENGTH(widths); k++) {
        const size_t d = widths[k];
        owned_plan p;
        plan_make(&p, d, 10000.0, 1.0);
        output_paint();
        for (int i = 0; i < CALL_SINUSOIDAL_F32; i++) {
            const call c = (call)i;
            const char *name = call_name(c);
            for (size_t rows = 1; rows <= 100; rows += 33) {
                expect(call_run(c, NULL, d, 0, positions, rows, output.bytes, d), PE_ERR_NULL,
                       "%s: plan NULL", name);
                expect(call_run(c, &p.plan, d, 0, positions, rows, NULL, d), PE_ERR_NULL,
                       "%s: out NULL", name);
                expect(call_run(c, NULL, d, 0, NULL, rows, NULL, d), PE_ERR_NULL, "%s: all NULL",
                       name);
                for (size_t stride = 0; stride < d; stride += 1 + d / 5)
                    expect(call_run(c, &p.plan, d, 0, positions, rows, output.bytes, stride),
                           PE_ERR_SHAPE, "%s: stride %zu, d_model %zu", name, stride, d);
                expect(call_run(c, &p.plan, d, 0, positions, rows, output.bytes, d - 1),
                       PE_ERR_SHAPE, "%s: stride %zu, d_model %zu", name, d - 1, d);
            }
        }
        expect(pe_fill_f32(&p.plan, pe_at_i64(NULL), 3, (float *)(void *)output.bytes, d),
               PE_ERR_AT_NULL, "positions NULL");
        expect(call_run(CALL_SINUSOIDAL_F32, NULL, d, 0, NULL, 3, NULL, d), PE_ERR_NULL,
               "pe_sinusoidal_f32: out NULL");
        plan_free(&p);
    }
    expect(call_run(CALL_SINUSOIDAL_F32, NULL, 0, 0, NULL, 3, output.bytes, 0), PE_ERR_EMPTY,
           "pe_sinusoidal_f32: d_model 0");
}

/* Tests frequencies at both ends of the range and beyond, anywhere in a row, and the other
   arguments that pe_sincos_T refuses. */
static void sincos_is_refused(void **state)
{
    static const double good[] = {0, -0.0, 0x1p-900, 0x1p21, -0x1p21, -0x1p-900, 1};
    static const double bad[] = {
        (double)NAN, (double)INFINITY, -(double)INFINITY, 0x1.0000000000001p21,
        -0x1p22,     0x1p300,          0x1p1023,          0x1.fffffffffffffp-901,
        -0x1p-960,   0x1p-1022,        0x1p-1074,         -0x1p-1050};
    static const size_t pairs[] = {1, 2, 7, 8, 9, 64, 256, 600};
    static double omega[600];
    static float s[96 * 600], c[96 * 600];
    const double past = 2147483649.0;
    (void)state;
    for (size_t k = 0; k < LENGTH(pairs) * 20; k++) {
        const size_t n = pairs[k / 20], i = k % 20 * (n - 1) / 19, rows = k % 2 ? 96 : 1;
        for (size_t j = 0; j < n; j++) omega[j] = 1 / (double)(1 + j);
        for (size_t j = 0; j < LENGTH(good); j++) {
            omega[i] = good[j];
            expect(pe_sincos_f32(omega, n, 1, pe_from(3), rows, s, c, n), PE_OK, "omega %a of %zu",
                   good[j], n);
        }
        memset(s, CANARY, sizeof s), memset(c, CANARY, sizeof c);
        for (size_t j = 0; j < LENGTH(bad); j++) {
            omega[i] = bad[j];
            expect(pe_sincos_f32(omega, n, 1, pe_from(3), rows, s, c, n), PE_ERR_FREQUENCY,
                   "omega %a at %zu of %zu", bad[j], i, n);
        }
        omega[i] = 1;
        expect(pe_sincos_f32(NULL, n, 1, pe_from(3), rows, s, c, n), PE_ERR_NULL, "omega NULL");
        expect(pe_sincos_f32(omega, n, 1, pe_from(3), rows, NULL, c, n), PE_ERR_NULL, "sines NULL");
        expect(pe_sincos_f32(omega, n, 1, pe_from(3), rows, s, NULL, n), PE_ERR_NULL,
               "cosines NULL");
        expect(pe_sincos_f32(omega, n, 1, pe_from(3), rows, s, c, n - 1), PE_ERR_SHAPE, "stride");
        float *const between = (float *)(void *)((unsigned char *)c + 2);
        expect(pe_sincos_f32(omega, n, 1, pe_from(3), rows, s, between, n), PE_ERR_ALIGNMENT,
               "half an element");
        expect(pe_sincos_f32(omega, n, 1, pe_from(3), SIZE_MAX / n, s, c, n), PE_ERR_SIZE, "rows");
        expect(pe_sincos_f32(omega, n, 0, pe_from(3), rows, s, c, n), PE_ERR_AMPLITUDE,
               "amplitude 0");
        expect(pe_sincos_f32(omega, n, (double)NAN, pe_from(3), rows, s, c, n), PE_ERR_AMPLITUDE,
               "amplitude NaN");
        expect(pe_sincos_f32(omega, n, 0x1p1001, pe_from(3), rows, s, c, n), PE_ERR_AMPLITUDE,
               "amplitude");
        expect(pe_sincos_f32(omega, n, -0x1p-1001, pe_from(3), rows, s, c, n), PE_ERR_AMPLITUDE,
               "amplitude");
        expect(pe_sincos_f32(omega, n, 1, pe_from(POSITION_MAX - (int64_t)rows + 2), rows, s, c, n),
               PE_ERR_RANGE, "range");
        expect(pe_sincos_f32(omega, n, 1, pe_at_f64(&past), 1, s, c, n), PE_ERR_RANGE, "real");
        expect(pe_sincos_f32(omega, n, 1, pe_at_f64(NULL), rows, s, c, n), PE_ERR_AT_NULL,
               "list NULL");
        expect(pe_sincos_f32(omega, n, 1, pe_coords_f64(&past, 2, 2, 1), rows, s, c, n),
               PE_ERR_AT_AXES, "axes");
        for (size_t j = 0; j < LENGTH(s); j++)
            assert_true(memcmp(&s[j], &c[0], 4) == 0 && memcmp(&c[j], &c[0], 4) == 0);
    }
    expect(pe_sincos_f32(NULL, 0, (double)NAN, pe_from(0), 1, NULL, NULL, 0), PE_OK, "no pairs");
    expect(pe_sincos_f32(NULL, 1, (double)NAN, pe_from(0), 0, NULL, NULL, 0), PE_OK, "no rows");
}

/* Tests that both ends of the range of positions are legal, that one beyond either end is not, and
   that first + rows does not wrap. */
static void ranges_are_refused(void **state)
{
    const int64_t P = POSITION_MAX;
    const struct {
        int64_t first;
        size_t rows;
        int good;
    } cases[] = {{P, 1, 1},
                 {P, 2, 0},
                 {P, 100, 0},
                 {P - 1, 2, 1},
                 {P - 1, 3, 0},
                 {P - 99, 100, 1},
                 {P - 99, 101, 0},
                 {P - 98, 100, 0},
                 {P + 1, 1, 0},
                 {-P, 1, 1},
                 {-P, 100, 1},
                 {-P - 1, 1, 0},
                 {-P - 1, 100, 0},
                 {-P - 50, 100, 0},
                 {INT64_C(1) << 32, 1, 0},
                 {-(INT64_C(1) << 32), 1, 0},
                 {(INT64_C(1) << 32) + 5, 64, 0},
                 {INT64_C(1) << 53, 1, 0},
                 {INT64_C(1) << 62, 2, 0},
                 {INT64_MAX, 1, 0},
                 {INT64_MAX, 2, 0},
                 {INT64_MAX - 98, 100, 0},
                 {INT64_MIN, 1, 0},
                 {INT64_MIN, 100, 0},
                 {INT64_MIN + 1, 2, 0}};
    owned_plan p;
    (void)state;
    plan_make(&p, 5, 10000.0, 1.0);
    for (size_t k = 0; k < LENGTH(cases); k++)
        for (int c = 0; c <= CALL_FILL_F64; c++) {
            output_paint();
            expect(
                call_run((call)c, &p.plan, 5, cases[k].first, NULL, cases[k].rows, output.bytes, 7),
                cases[k].good ? PE_OK : PE_ERR_RANGE, "%s: first %" PRId64 ", rows %zu",
                call_name((call)c), cases[k].first, cases[k].rows);
        }
    plan_free(&p);
}

/* Tests that nothing is written if one entry is bad, wherever it is in the list and whatever is
   next to it. */
static void one_bad_position_refuses_the_list(void **state)
{
    const int64_t bad[] = {
        POSITION_MAX + 1,       -POSITION_MAX - 1, INT64_C(1) << 32, -(INT64_C(1) << 32),
        (INT64_C(1) << 32) + 1, INT64_C(1) << 62,  INT64_MAX,        INT64_MIN};
    static const size_t lengths[] = {1, 2, 3, 4, 7, 8, 9, 16, 17, 31, 33, 64, 65, 99, 100};
    int64_t positions[100];
    rng random = rng_for(__func__);
    owned_plan p;
    (void)state;
    plan_make(&p, 12, 10000.0, 1.0);
    for (size_t b = 0; b < LENGTH(bad); b++)
        for (size_t n = 0; n < LENGTH(lengths); n++)
            for (size_t at = 0, rows = lengths[n]; at < rows; at++) {
                for (size_t k = 0; k < rows; k++)
                    positions[k] = k % 3 == 0 ? (int64_t)k : rng_position(&random);
                positions[at] = bad[b];
                output_paint();
                expect(
                    call_run(CALL_FILL_AT_F32, &p.plan, 12, 0, positions, rows, output.bytes, 12),
                    PE_ERR_RANGE, "positions[%zu] of %zu = %" PRId64, at, rows, bad[b]);
            }
    positions[0] = POSITION_MAX;
    positions[1] = -POSITION_MAX;
    expect(call_run(CALL_FILL_AT_F32, &p.plan, 12, 0, positions, 2, output.bytes, 12), PE_OK,
           "both ends of the range");
    plan_free(&p);
}

/* Lists sizes whose products overflow or wrap. ROOT * ROOT wraps to 0. */
#define HALF (SIZE_MAX / 2 + 1)
#define QUARTER (SIZE_MAX / 4 + 1)
#define ROOT ((size_t)1 << (sizeof(size_t) * 4))
static const size_t large_sizes[] = {SIZE_MAX,
                                     SIZE_MAX - 1,
                                     HALF + 1,
                                     HALF,
                                     HALF - 1,
                                     QUARTER + 1,
                                     QUARTER,
                                     QUARTER - 1,
                                     QUARTER / 2,
                                     QUARTER / 2 + 1,
                                     QUARTER / 4,
                                     QUARTER / 64,
                                     ROOT * 2,
                                     ROOT + 1,
                                     ROOT,
                                     ROOT - 1,
                                     ROOT / 2 + 2,
                                     0x7fffffff,
                                     0x80000002u,
                                     0xffffffffu,
                                     SIZE_MAX / 3,
                                     SIZE_MAX / 5 + 1,
                                     SIZE_MAX / 7 + 2,
                                     SIZE_MAX / 12 + 1};
static const size_t small_sizes[] = {8, 9, 64, 12345};
#undef HALF
#undef QUARTER
#undef ROOT

/* Tests that products of sizes that overflow, or wrap to something small, never reach the
   memory. */
static void sizes_are_refused(void **state)
{
    int64_t position = 0;
    owned_plan p;
    (void)state;
    FAIL_ON_FAULT();
    plan_make(&p, 8, 10000.0, 1.0);
    output_paint();
    for (size_t a = 0; a < LENGTH(large_sizes); a++)
        for (size_t b = 0; b < LENGTH(large_sizes) + LENGTH(small_sizes); b++) {
            const size_t other =
                b < LENGTH(large_sizes) ? large_sizes[b] : small_sizes[b - LENGTH(large_sizes)];
            for (int swap = 0; swap < 2; swap++)
                for (int i = 0; i < CALLS; i++) {
                    const call c = (call)i;
                    const size_t rows = swap ? other : large_sizes[a],
                                 stride = swap ? large_sizes[a] : other;
                    const int bytes = too_many_bytes(rows, stride, call_element(c));
                    const int range = (uint64_t)rows > (uint64_t)POSITION_MAX + 1;
                    pe_status got;
                    const pe_status want = bytes ? PE_ERR_SIZE : PE_ERR_RANGE;
                    fault_case("%s: rows %zu, stride %zu", call_name(c), rows, stride);
                    if (c == CALL_SINUSOIDAL_F32) {
                        if (!bytes && !range) continue;
                        got = call_run(c, NULL, stride, 0, NULL, rows, output.bytes, stride);
                    } else {
                        /* A list cannot be that long: only its output can be too large. */
                        if (!bytes && (!range || c == CALL_FILL_AT_F32)) continue;
                        got = call_run(c, &p.plan, 8, 0, &position, rows, output.bytes, stride);
                    }
                    expect(got, want, "%s: rows %zu, stride %zu", call_name(c), rows, stride);
                }
        }
    assert_true(all_canaries(output.bytes, OUTPUT_BYTES));
    plan_free(&p);
}

/* Tests the largest stride with one row. A single row has no next one, so its stride is not
   used. */
static void one_row_may_have_any_stride(void **state)
{
    int64_t position = 0;
    owned_plan p;
    (void)state;
    FAIL_ON_FAULT();
    plan_make(&p, 8, 10000.0, 1.0);
    output_paint();
    for (int c = 0; c <= CALL_FILL_AT_F32; c++)
        expect(call_run((call)c, &p.plan, 8, 0, &position, 1, output.bytes,
                        (size_t)PTRDIFF_MAX / call_element((call)c)),
               PE_OK, "%s: one row, the largest stride", call_name((call)c));
    assert_true(all_canaries(output.bytes + 8 * sizeof(double), OUTPUT_BYTES - 8 * sizeof(double)));
    plan_free(&p);
}

/* ------------------------------------------------------------------------------------------------
 * Surroundings
 * --------------------------------------------------------------------------------------------- */

/* Checks errno and the floating-point environment, as call_run() does, in every rounding mode, for
   calls that succeed and calls that are refused. */
static void the_environment_survives(void **state)
{
    static const int modes[] = {
#if defined(FE_UPWARD) && defined(FE_DOWNWARD) && defined(FE_TOWARDZERO)
        FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO,
#endif
        FE_TONEAREST};
    static const size_t widths[] = {1, 7, 8, 64, 513};
    static double out[100 * 513];
    int64_t positions[100];
    (void)state;
    for (size_t m = 0; m < LENGTH(modes); m++)
        for (size_t k = 0; k < LENGTH(widths); k++) {
            const size_t d = widths[k];
            const pe_config config = pe_config_default(d);
            void *memory = must_alloc(pe_plan_size(&config));
            pe_plan plan;
            count_up(positions, 16777216 - 7, 100);
            fesetround(modes[m]);
            errno = 77;
            assert_int_equal(pe_plan_init(&plan, &config, memory, pe_plan_size(&config)), PE_OK);
            assert_int_equal(errno, 77);
            assert_int_equal(fegetround(), modes[m]);
            for (int c = 0; c < CALLS; c++) {
                (void)call_run((call)c, &plan, d, positions[0], positions, 100, out, d);
                (void)call_run((call)c, &plan, d, INT64_MAX, positions, 100, out, d);
                (void)call_run((call)c, &plan, d, 0, NULL, 100, NULL, d);
            }
            (void)pe_status_string(PE_ERR_SIZE);
            assert_int_equal(errno, 77);
            assert_int_equal(fegetround(), modes[m]);
            fesetround(FE_TONEAREST);
            free(memory);
        }
}

/* Tests that no bit changes with flush-to-zero and denormals-are-zero, which other libraries may
   leave set. */
static void flushing_subnormals_changes_nothing(void **state)
{
    (void)state;
    if (!flush_subnormals(0)) skip();
    static const size_t widths[] = {1, 3, 8, 64, 129, 512};
    static const int64_t firsts[] = {0, -60, 131000, 16777216, POSITION_MAX - 199};
    static float want[200 * 512], got[200 * 512];
    static double want_f64[200 * 512], got_f64[200 * 512];
    for (size_t k = 0; k < LENGTH(widths); k++)
        for (size_t f = 0; f < LENGTH(firsts); f++) {
            const size_t d = widths[k];
            owned_plan p, flushed;
            plan_make(&p, d, 10000.0, 1.0);
            must_fill(CALL_FILL_F32, &p.plan, d, firsts[f], NULL, 200, want, d);
            must_fill(CALL_FILL_F64, &p.plan, d, firsts[f], NULL, 200, want_f64, d);
            flush_subnormals(1);
            plan_make(&flushed, d, 10000.0, 1.0);
            must_fill(CALL_FILL_F32, &flushed.plan, d, firsts[f], NULL, 200, got, d);
            must_fill(CALL_FILL_F64, &flushed.plan, d, firsts[f], NULL, 200, got_f64, d);
            flush_subnormals(0);
            assert_memory_equal(got, want, 200 * d * sizeof *got);
            assert_memory_equal(got_f64, want_f64, 200 * d * sizeof *got_f64);
            plan_free(&p);
            plan_free(&flushed);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses_have_texts),
        cmocka_unit_test(each_status_names_its_cause),
        cmocka_unit_test(bad_configs_are_refused),
        cmocka_unit_test(no_size_wraps),
        cmocka_unit_test(good_configs_are_taken),
        cmocka_unit_test(limits_of_a_config),
        cmocka_unit_test(plans_check_their_memory),
        cmocka_unit_test(plans_fit_their_memory),
        cmocka_unit_test(plans_take_what_is_told),
        cmocka_unit_test(a_constant_is_enough),
        cmocka_unit_test(zero_rows_are_fine),
        cmocka_unit_test(nulls_and_shapes_are_refused),
        cmocka_unit_test(sincos_is_refused),
        cmocka_unit_test(ranges_are_refused),
        cmocka_unit_test(one_bad_position_refuses_the_list),
        cmocka_unit_test(sizes_are_refused),
        cmocka_unit_test(one_row_may_have_any_stride),
        cmocka_unit_test(the_environment_survives),
        cmocka_unit_test(flushing_subnormals_changes_nothing),
    };
    test_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
