/* SPDX-License-Identifier: MIT */
/*
 * Proves that bad input to RoPE's calls is refused with the status of its cause, and that nothing
 * is written. The last good value of an argument is accepted.
 */
#include "heads.h"

enum { N = 16 };

/* Holds what the calls of these tests use: plans of each kind, and memory in which every write
   shows. */
static struct {
    owned_plan whole, odd, padded, two, steps, woven;
} plans;
static float x[8 * N], y[8 * N];

static int make_plans(void **state)
{
    pe_config by_frequency = config_of(N, 10000, 1);
    pe_rope_config config = pe_rope_config_default(N);
    (void)state;
    plan_make(&plans.whole, N, 10000, 1);
    plan_make(&plans.odd, N - 1, 10000, 1);
    plan_of(&plans.padded, pe_config_preset(PE_PRESET_FAIRSEQ, N));
    plan_of(&plans.two, pe_config_preset(PE_PRESET_DETR, N));
    by_frequency.axes = 2, by_frequency.columns = PE_COLUMNS_FREQUENCIES;
    plan_of(&plans.steps, by_frequency);
    config.axes = 2, config.sections[0] = config.sections[1] = N / 4;
    config.section_order = PE_SECTIONS_INTERLEAVED;
    rope_plan(&plans.woven, &config);
    memset(x, CANARY, sizeof x);
    memset(y, CANARY, sizeof y);
    return 0;
}

static int free_plans(void **state)
{
    (void)state;
    plan_free(&plans.whole);
    plan_free(&plans.odd);
    plan_free(&plans.padded);
    plan_free(&plans.two);
    plan_free(&plans.steps);
    plan_free(&plans.woven);
    return 0;
}

/* Checks that a call returns this status and that no element has changed. */
#define REFUSED(status, call)                                                                      \
    do {                                                                                           \
        assert_int_equal(call, status);                                                            \
        assert_true(all_canaries(x, sizeof x) && all_canaries(y, sizeof y));                       \
    } while (0)

/* Tests that no pointer is read if there are no tokens or no heads. */
static void nothing_to_do_is_no_error(void **state)
{
    const pe_at zero = pe_from(0);
    const pe_at no_list = pe_at_i64(NULL);
    const pe_heads one = lie(1, N, N);
    const pe_heads nothing = lie(0, 0, 0);
    (void)state;
    REFUSED(PE_OK, pe_rope_f32(NULL, zero, 0, NULL, lie(1, 0, 0)));
    REFUSED(PE_OK, pe_rope_f32(NULL, zero, 1, NULL, nothing));
    REFUSED(PE_OK, pe_rope_f32(NULL, no_list, 0, NULL, lie(1, 0, 0)));
    REFUSED(PE_OK, pe_rope_f32(NULL, pe_delta(zero), 0, NULL, lie(1, 0, 0)));
    REFUSED(PE_OK, pe_rope_f32(NULL, pe_coords_i64(NULL, 0, 0, 0), 0, NULL, lie(1, 0, 0)));
    REFUSED(PE_OK, pe_rope_table_f32(NULL, zero, 0, PE_ROPE_TABLE_APART, NULL, NULL, 0, NULL));
    REFUSED(PE_OK, by_apart_f32(PE_LAYOUT_HALVES, NULL, NULL, 0, 0, 1, x, one));
    REFUSED(PE_OK, pe_rope_to_f32(NULL, zero, 0, 0, NULL, one, NULL, one));
    REFUSED(PE_OK, pe_rope_to_f32_f16(NULL, zero, 1, 0, NULL, nothing, NULL, nothing));
    REFUSED(PE_OK, pe_rope_qk_f32(NULL, zero, 0, NULL, one, NULL, one));
    REFUSED(PE_OK, pe_rope_qk_f32(NULL, zero, 1, NULL, nothing, NULL, nothing));
}

static void null_is_refused(void **state)
{
    const pe_plan *const q = &plans.whole.plan;
    const pe_at zero = pe_from(0);
    const pe_at no_list = pe_at_i64(NULL);
    const pe_heads one = lie(1, N, N);
    (void)state;
    REFUSED(PE_ERR_NULL, pe_rope_f32(NULL, zero, 1, x, one));
    REFUSED(PE_ERR_NULL, pe_rope_f32(q, zero, 1, NULL, one));
    REFUSED(PE_ERR_AT_NULL, pe_rope_f32(q, no_list, 1, x, one));
    REFUSED(PE_ERR_AT_NULL, pe_rope_f32(q, pe_at_i32(NULL), 1, x, one));
    REFUSED(PE_ERR_AT_NULL, pe_rope_f32(q, pe_at_f32(NULL), 1, x, one));
    REFUSED(PE_ERR_AT_NULL, pe_rope_f32(q, pe_at_f64(NULL), 1, x, one));
    REFUSED(PE_ERR_AT_NULL, pe_rope_f32(q, pe_grid(NULL, 1), 1, x, one));
    REFUSED(PE_ERR_AT_NULL, pe_rope_f32(q, pe_skip(pe_back(pe_delta(no_list)), 3), 1, x, one));
    REFUSED(PE_ERR_NULL, pe_rope_f32(NULL, pe_delta(pe_all(1)), 1, x, one));
    REFUSED(PE_ERR_AT_NULL, pe_rope_f32(q, pe_delta(no_list), 1, x, one));
    REFUSED(PE_ERR_AT_NULL, pe_rope_f32(q, pe_coords_i64(NULL, 1, 1, 1), 1, x, one));
    REFUSED(PE_ERR_NULL, pe_rope_to_f32(q, zero, 1, N, NULL, one, x, one));
    REFUSED(PE_ERR_NULL, pe_rope_to_f32(q, zero, 1, N, y, one, NULL, one));
    REFUSED(PE_ERR_NULL, pe_rope_to_f32_f16(q, zero, 1, N, NULL, one, (uint16_t *)(void *)x, one));
    REFUSED(PE_ERR_NULL, pe_rope_to_f32_bf16(q, zero, 1, N, y, one, NULL, one));
    REFUSED(PE_ERR_NULL, pe_rope_qk_f32(q, zero, 1, x, one, NULL, one));
    REFUSED(PE_ERR_NULL, pe_rope_qk_f32(q, zero, 1, NULL, one, x, one));
    REFUSED(PE_ERR_NULL, pe_rope_table_f32(q, zero, 1, PE_ROPE_TABLE_APART, x, NULL, N, NULL));
    REFUSED(PE_ERR_NULL, pe_rope_table_f32(q, zero, 1, PE_ROPE_TABLE_TWICE, NULL, x, N, NULL));
    REFUSED(PE_ERR_NULL, pe_rope_table_f32(q, zero, 1, PE_ROPE_TABLE_JOINED, NULL, NULL, N, NULL));
    REFUSED(PE_ERR_NULL, by_apart_f32(PE_LAYOUT_HALVES, NULL, y, N, N / 2, 1, x, one));
}

static void plans_for_other_calls_are_refused(void **state)
{
    int64_t list[4] = {0, 1, 2, 3};
    const pe_plan none = {0};
    const pe_at zero = pe_from(0);
    const pe_at at = pe_at_i64(list);
    const pe_heads one = lie(1, N, N);
    (void)state;
    REFUSED(PE_ERR_PLAN, pe_rope_f32(&none, zero, 1, x, one));
    REFUSED(PE_ERR_PLAN, pe_rope_to_f32(&none, zero, 1, N, x, one, y, one));
    REFUSED(PE_ERR_PLAN,
            pe_rope_to_f32_bf16(&none, zero, 1, N, x, one, (uint16_t *)(void *)y, one));
    REFUSED(PE_ERR_PLAN, pe_rope_qk_f32(&none, zero, 1, x, one, y, one));
    REFUSED(PE_ERR_PLAN, pe_rope_table_f32(&none, zero, 1, PE_ROPE_TABLE_APART, x, y, N, NULL));
    REFUSED(PE_ERR_PLAN_ROPE, pe_rope_f32(&plans.odd.plan, zero, 1, x, one));
    REFUSED(PE_ERR_PLAN_ROPE, pe_rope_f32(&plans.padded.plan, zero, 1, x, one));
    REFUSED(PE_ERR_PLAN_ROPE, pe_rope_f32(&plans.padded.plan, pe_delta(zero), 1, x, one));
    REFUSED(PE_ERR_PLAN_ROPE, pe_rope_f32(&plans.steps.plan, zero, 1, x, one));
    REFUSED(PE_ERR_PLAN_ROPE,
            pe_rope_table_f32(&plans.steps.plan, zero, 1, PE_ROPE_TABLE_APART, x, y, N, NULL));
    REFUSED(PE_ERR_PLAN_ROPE, pe_rope_to_f32(&plans.odd.plan, zero, 1, N, x, one, y, one));
    REFUSED(PE_ERR_PLAN_ROPE, pe_rope_qk_f32(&plans.padded.plan, zero, 1, x, one, y, one));
    REFUSED(PE_ERR_PLAN_ROPE,
            pe_rope_table_f32(&plans.odd.plan, zero, 1, PE_ROPE_TABLE_APART, x, y, N, NULL));
    REFUSED(PE_ERR_PLAN_ROPE,
            pe_rope_table_f32(&plans.padded.plan, zero, 1, PE_ROPE_TABLE_JOINED, x, NULL, N, NULL));
    /* a plan with interleaved sections has no rows for pe_fill, no shifts and no dot products */
    REFUSED(PE_ERR_PLAN_ROWS, pe_fill_f32(&plans.woven.plan, at, 1, x, N));
    REFUSED(PE_ERR_PLAN_ROWS, pe_add_f32(&plans.woven.plan, zero, 1, 1, x, N));
    REFUSED(PE_ERR_PLAN_SHIFT, pe_shift_f32(&plans.woven.plan, zero, 1, x, N));
}

static void numbers_of_no_enum_are_refused(void **state)
{
    const pe_plan *const q = &plans.whole.plan;
    const pe_at zero = pe_from(0);
    const pe_heads one = lie(1, N, N);
    (void)state;
    REFUSED(PE_ERR_ENUM, pe_rope_table_f32(q, zero, 1, (pe_rope_table_layout)5, x, y, N, NULL));
    REFUSED(PE_ERR_ENUM, pe_rope_table_f32(q, zero, 1, (pe_rope_table_layout)-1, x, y, N, NULL));
    REFUSED(PE_ERR_ENUM, by_apart_f32((pe_layout)2, y, y, N, N / 2, 1, x, one));
    {
        pe_at nobody; /* a pe_at that no function made */
        memset(&nobody, 0, sizeof nobody);
        REFUSED(PE_ERR_AT, pe_rope_f32(q, nobody, 1, x, one));
        memset(&nobody, 0x5a, sizeof nobody);
        REFUSED(PE_ERR_AT, pe_rope_table_f32(q, nobody, 1, PE_ROPE_TABLE_JOINED, x, NULL, N, NULL));
    }
}

/* Tests invalid dimensions, numbers of heads, alignment, strides and overlaps. */
static void heads_that_do_not_fit_are_refused(void **state)
{
    const pe_plan *const q = &plans.whole.plan;
    const pe_at zero = pe_from(0);
    const pe_heads one = lie(1, N, N);
    const pe_heads nothing = lie(0, 0, 0);
    (void)state;
    REFUSED(PE_ERR_HEAD_DIM, pe_rope_to_f32(q, zero, 1, N - 1, x, one, y, one));
    REFUSED(PE_ERR_HEAD_DIM, pe_rope_to_f32(q, zero, 1, 0, x, one, y, one));
    REFUSED(PE_ERR_HEADS, pe_rope_to_f32(q, zero, 1, N, x, lie(2, N, N), y, one));
    REFUSED(PE_ERR_HEADS, pe_rope_to_f32(q, zero, 1, N, x, one, y, nothing));
    REFUSED(PE_ERR_SHAPE, pe_rope_f32(q, zero, 1, x, lie(2, N - 1, N)));
    {
        float *const between = (float *)(void *)((unsigned char *)y + 2); /* half an element */
        REFUSED(PE_ERR_ALIGNMENT,
                pe_rope_table_f32(q, zero, 1, PE_ROPE_TABLE_APART, x, between, N, NULL));
        REFUSED(PE_ERR_ALIGNMENT,
                pe_rope_table_f32(q, zero, 1, PE_ROPE_TABLE_TWICE, between, x, N, NULL));
    }
    REFUSED(PE_ERR_SHAPE, pe_rope_f32(q, zero, 2, x, lie(1, N, N - 1)));
    REFUSED(PE_ERR_SHAPE, pe_rope_f32(q, zero, 2, x, lie(2, N, 2 * N - 1)));
    REFUSED(PE_ERR_SHAPE, pe_rope_f32(q, zero, 3, x, lie(2, 3 * N - 1, N)));
    REFUSED(PE_ERR_SHAPE, pe_rope_f32(q, zero, 2, x, lie(2, N, N)));
    REFUSED(PE_ERR_SHAPE, pe_rope_f32(q, zero, 2, x, lie(2, N, 0)));
    REFUSED(PE_ERR_SHAPE, pe_rope_qk_f32(q, zero, 2, x, one, y, lie(2, N, N)));
    REFUSED(PE_ERR_SHAPE, pe_rope_qk_f32(q, zero, 2, x, lie(2, N, N), y, one));
    REFUSED(PE_ERR_OVERLAP, pe_rope_to_f32(q, zero, 2, N, x, one, x + 1, one));
    REFUSED(PE_ERR_OVERLAP, pe_rope_to_f32(q, zero, 2, N, x + 1, one, x, one));
    REFUSED(PE_ERR_OVERLAP, pe_rope_to_f32(q, zero, 2, N, x, one, x, lie(1, N, N + 1)));
    REFUSED(PE_ERR_SHAPE, pe_rope_to_f32(q, zero, 2, N + 1, x, one, y, lie(1, N, N + 1)));
    REFUSED(PE_ERR_OVERLAP, pe_rope_to_f32_f16(q, zero, 2, N, x, one, (uint16_t *)(void *)x, one));
    REFUSED(PE_ERR_OVERLAP, pe_rope_to_f32_bf16(q, zero, 2, N, x, one, (uint16_t *)(void *)x, one));
    REFUSED(PE_ERR_OVERLAP,
            pe_rope_to_f32_bf16(q, zero, 2, N, x, one, (uint16_t *)(void *)(x + 2 * N - 1), one));
}

static void coordinates_that_do_not_fit_are_refused(void **state)
{
    int64_t list[4] = {0, 1, 2, 3};
    double reals[3] = {1, 2, 3};
    const pe_plan *const q = &plans.whole.plan;
    const pe_heads one = lie(1, N, N);
    const size_t sizes[2] = {2, 2};
    const size_t huge[2] = {SIZE_MAX / 2, 4};
    const size_t empty[2] = {0, SIZE_MAX};
    (void)state;
    REFUSED(PE_ERR_AT_AXES, pe_rope_f32(q, pe_coords_i64(list, 9, 1, 1), 1, x, one));
    REFUSED(PE_ERR_AT_AXES, pe_rope_f32(q, pe_coords_i64(list, 0, 1, 1), 1, x, one));
    REFUSED(PE_ERR_AT_AXES, pe_rope_f32(q, pe_coords_i64(list, SIZE_MAX, 1, 1), 1, x, one));
    REFUSED(PE_ERR_AT_AXES, pe_rope_f32(q, pe_coords_i64(list, 2, 1, 1), 1, x, one));
    REFUSED(PE_ERR_AT_AXES,
            pe_rope_f32(&plans.woven.plan, pe_coords_f64(reals, 3, 1, 1), 1, x, one));
    REFUSED(PE_ERR_AT_AXES, pe_rope_f32(q, pe_grid(sizes, 2), 1, x, one));
    REFUSED(PE_ERR_AT_AXES, pe_rope_f32(q, pe_grid(sizes, 0), 1, x, one));
    REFUSED(PE_ERR_AT_AXES, pe_rope_f32(q, pe_grid(sizes, PE_MAX_AXES + 1), 1, x, one));
    REFUSED(PE_ERR_AT_ROWS, pe_rope_f32(q, pe_grid(sizes, 1), 3, x, one));
    REFUSED(PE_ERR_AT_ROWS, pe_rope_f32(q, pe_skip(pe_grid(sizes, 1), 1), 2, x, one));
    REFUSED(PE_ERR_AT_ROWS, pe_rope_f32(q, pe_skip(pe_grid(sizes, 1), 3), 1, x, one));
    REFUSED(PE_ERR_AT_ROWS, pe_rope_f32(&plans.woven.plan, pe_grid(sizes, 2), 5, x, one));
    REFUSED(PE_ERR_AT_ROWS, pe_rope_f32(&plans.woven.plan, pe_grid(empty, 2), 1, x, one));
    REFUSED(PE_ERR_AT_SIZE, pe_rope_f32(&plans.woven.plan, pe_grid(huge, 2), 1, x, one));
}

static void rows_of_tables_that_do_not_fit_are_refused(void **state)
{
    const pe_plan *const q = &plans.whole.plan;
    const pe_at zero = pe_from(0);
    const pe_heads one = lie(1, N, N);
    (void)state;
    REFUSED(PE_ERR_SHAPE,
            pe_rope_table_f32(q, zero, 2, PE_ROPE_TABLE_APART, x, y, N / 2 - 1, NULL));
    REFUSED(PE_ERR_SHAPE, pe_rope_table_f32(q, zero, 2, PE_ROPE_TABLE_TWICE, x, y, N - 1, NULL));
    REFUSED(PE_ERR_SHAPE,
            pe_rope_table_f32(q, zero, 2, PE_ROPE_TABLE_JOINED, x, NULL, N - 1, NULL));
    REFUSED(PE_ERR_SHAPE,
            pe_rope_table_f32(q, zero, 2, PE_ROPE_TABLE_COMPLEX, x, NULL, N - 1, NULL));
    REFUSED(PE_ERR_SINES, pe_rope_table_f32(q, zero, 2, PE_ROPE_TABLE_JOINED, x, y, N, NULL));
    REFUSED(PE_ERR_SINES, pe_rope_table_f32(q, zero, 2, PE_ROPE_TABLE_COMPLEX, x, y, N, NULL));
    REFUSED(PE_ERR_SHAPE, by_apart_f32(PE_LAYOUT_HALVES, y, y, N / 2 - 1, N / 2, 2, x, one));
}

static void sizes_beyond_memory_are_refused(void **state)
{
    int64_t list[4] = {0, 1, 2, 3};
    int32_t narrow[2] = {INT32_MIN, 0};
    const pe_plan *const q = &plans.whole.plan;
    const pe_at zero = pe_from(0);
    const pe_at at = pe_at_i64(list);
    const pe_heads one = lie(1, N, N);
    (void)state;
    const size_t limit = (size_t)PTRDIFF_MAX;
    REFUSED(PE_ERR_SIZE, pe_rope_to_f32(q, zero, 1, SIZE_MAX / 2, x, one, y, one));
    REFUSED(PE_ERR_SIZE, pe_rope_f32(q, zero, 1, x, lie(3, SIZE_MAX / 8, SIZE_MAX / 8)));
    REFUSED(PE_ERR_SIZE, pe_rope_f32(q, at, SIZE_MAX / 8, x, one));
    REFUSED(PE_ERR_SIZE, pe_rope_f32(q, pe_delta(pe_all(1)), SIZE_MAX / 8, x, one));
    REFUSED(PE_ERR_SIZE, pe_rope_f32(q, zero, 2, x, lie(2, N, SIZE_MAX / 8)));
    REFUSED(PE_ERR_SIZE, pe_rope_to_f32(q, zero, 1, limit / 4 + 1, x, one, x, one));
    REFUSED(PE_ERR_SIZE, pe_rope_f32(q, zero, 3, x, lie(2, N, limit / 8)));
    REFUSED(PE_ERR_SIZE, pe_rope_f32(q, zero, 2, x, lie(3, limit / 8, N)));
    REFUSED(PE_ERR_SIZE, pe_rope_qk_f32(q, zero, 3, x, one, y, lie(2, N, limit / 8)));
    REFUSED(PE_ERR_SIZE, pe_rope_table_f32(q, zero, 3, PE_ROPE_TABLE_APART, x, y, limit / 8, NULL));
    REFUSED(PE_ERR_AT_SIZE, pe_rope_f32(q, pe_coords_i64(list, 1, limit / 8, 1), 3, x, one));
    REFUSED(PE_ERR_AT_SIZE,
            pe_rope_f32(&plans.woven.plan, pe_coords_i32(narrow, 2, 1, limit / 2), 2, x, one));
    REFUSED(PE_ERR_AT_SIZE,
            pe_rope_f32(&plans.woven.plan, pe_coords_i32(narrow, 2, limit / 8 + 1, limit / 8 + 1),
                        2, x, one)); /* each stride alone would fit */
    REFUSED(PE_ERR_AT_SIZE, pe_rope_f32(q, pe_skip(at, SIZE_MAX), 1, x, one));
    REFUSED(PE_ERR_AT_SIZE, pe_rope_f32(q, pe_skip(pe_skip(at, limit), limit), 1, x, one));
}

static void positions_out_of_range_are_refused(void **state)
{
    const pe_plan *const q = &plans.whole.plan;
    const pe_heads one = lie(1, N, N);
    (void)state;
    REFUSED(PE_ERR_RANGE, pe_rope_f32(q, pe_from(POSITION_MAX), 2, x, one));
    REFUSED(PE_ERR_RANGE, pe_rope_f32(q, pe_from(-POSITION_MAX - 1), 1, x, one));
    REFUSED(PE_ERR_RANGE, pe_rope_f32(q, pe_from_by(-POSITION_MAX, -1), 2, x, one));
    REFUSED(PE_ERR_RANGE, pe_rope_f32(q, pe_from_by(0, INT64_MAX), 4, x, one));
    REFUSED(PE_ERR_RANGE, pe_rope_f32(q, pe_from_by(0, INT64_MIN), 2, x, one));
    REFUSED(PE_ERR_RANGE, pe_rope_f32(q, pe_from_by(0, POSITION_MAX), 4, x, one));
    REFUSED(PE_ERR_RANGE, pe_rope_f32(q, pe_skip(pe_from(0), (size_t)POSITION_MAX + 1), 1, x, one));
    REFUSED(PE_ERR_RANGE, pe_rope_f32(q, pe_skip(pe_from_by(0, INT64_MAX), 5), 1, x, one));
    REFUSED(PE_ERR_RANGE, pe_rope_f32(q, pe_back(pe_from(INT64_MIN)), 1, x, one));
    REFUSED(PE_ERR_RANGE, pe_rope_f32(q, pe_delta(pe_all(POSITION_MAX + 1)), 2, x, one));
    REFUSED(PE_ERR_RANGE,
            pe_rope_table_f32(q, pe_from(POSITION_MAX), 2, PE_ROPE_TABLE_APART, x, y, N, NULL));
    REFUSED(PE_ERR_RANGE,
            pe_rope_table_f32(q, pe_from(POSITION_MAX), 2, PE_ROPE_TABLE_JOINED, x, NULL, N, NULL));
}

static void lists_with_a_bad_position_are_refused(void **state)
{
    int64_t list[4] = {0, 1, 2, 3};
    float floats[3] = {1, 2, 3};
    double reals[3] = {1, 2, 3};
    const pe_plan *const q = &plans.whole.plan;
    const pe_at at = pe_at_i64(list);
    const pe_heads one = lie(1, N, N);
    (void)state;
    list[3] = INT64_MAX;
    REFUSED(PE_ERR_RANGE, pe_rope_f32(q, at, 4, x, one));
    REFUSED(PE_ERR_RANGE, pe_rope_f32(q, pe_delta(pe_back(at)), 4, x, one));
    REFUSED(PE_ERR_RANGE, pe_rope_qk_f32(q, at, 4, x, one, y, one));
    REFUSED(PE_ERR_RANGE, pe_rope_to_f32(q, at, 4, N, x, one, y, one));
    REFUSED(PE_ERR_RANGE, pe_rope_f32(&plans.woven.plan, pe_coords_i64(list, 2, 1, 2), 2, x, one));
    static const double wrong[] = {(double)NAN, HUGE_VAL, -HUGE_VAL, 2147483648.5, -1e300};
    for (size_t k = 0; k < LENGTH(wrong); k++) {
        reals[2] = wrong[k], floats[2] = (float)(k == 3 ? 2147483904.0 : wrong[k]);
        REFUSED(PE_ERR_RANGE, pe_rope_f32(q, pe_at_f64(reals), 3, x, one));
        REFUSED(PE_ERR_RANGE, pe_rope_f32(q, pe_at_f32(floats), 3, x, one));
        REFUSED(PE_ERR_RANGE, pe_rope_f32(q, pe_back(pe_delta(pe_at_f64(reals))), 3, x, one));
        REFUSED(PE_ERR_RANGE, pe_rope_f32(q, pe_coords_f32(floats + 2, 1, 1, 1), 1, x, one));
        REFUSED(PE_ERR_RANGE,
                pe_rope_f32(&plans.woven.plan, pe_coords_f64(reals, 2, 1, 1), 2, x, one));
        REFUSED(PE_ERR_RANGE,
                pe_rope_table_f32(q, pe_at_f64(reals), 3, PE_ROPE_TABLE_JOINED, x, NULL, N, NULL));
    }
}

static void an_offset_moves_the_range(void **state)
{
    int64_t list[4] = {0, 1, 2, 3};
    int32_t narrow[2] = {INT32_MIN, 0};
    double reals[3] = {1, 2, 3};
    const pe_at at = pe_at_i64(list);
    const pe_heads one = lie(1, N, N);
    (void)state;
    owned_plan moved;
    pe_config c = pe_config_default(N);
    c.offset = 0.5;
    plan_of(&moved, c);
    narrow[1] = INT32_MIN;
    REFUSED(PE_ERR_RANGE, pe_rope_f32(&moved.plan, pe_from(POSITION_MAX), 1, x, one));
    list[3] = POSITION_MAX;
    REFUSED(PE_ERR_RANGE, pe_rope_f32(&moved.plan, at, 4, x, one));
    reals[2] = 2147483647.75;
    REFUSED(PE_ERR_RANGE, pe_rope_f32(&moved.plan, pe_at_f64(reals), 3, x, one));
    /* differences have no offset; pe_back() negates the position with its offset */
    REFUSED(PE_ERR_RANGE, pe_rope_f32(&moved.plan, pe_back(pe_from(POSITION_MAX)), 1, x, one));
    assert_int_equal(pe_rope_f32(&moved.plan, pe_delta(at), 4, x, one), PE_OK);
    assert_int_equal(pe_rope_f32(&moved.plan, pe_at_i32(narrow), 2, x, one), PE_OK);
    plan_free(&moved);
}

static void the_last_good_arguments_are_taken(void **state)
{
    const pe_plan *const q = &plans.whole.plan;
    const pe_heads one = lie(1, N, N);
    const size_t sizes[2] = {2, 2};
    (void)state;
    /* one token or head needs no stride; the last position is accepted; a grid may have more
       cells */
    assert_int_equal(pe_rope_f32(q, pe_from(POSITION_MAX), 1, x, lie(1, 0, 0)), PE_OK);
    assert_int_equal(pe_rope_f32(q, pe_delta(pe_all(POSITION_MAX)), 2, x, lie(1, 0, N)), PE_OK);
    assert_int_equal(pe_rope_f32(q, pe_from_by(POSITION_MAX, INT64_MIN), 1, x, lie(1, 0, N)),
                     PE_OK);
    assert_int_equal(pe_rope_f32(q, pe_from_by(POSITION_MAX, -POSITION_MAX), 3, x, one), PE_OK);
    assert_int_equal(pe_rope_f32(&plans.woven.plan, pe_grid(sizes, 2), 3, x, one), PE_OK);
    assert_int_equal(pe_rope_f32(&plans.two.plan, pe_grid(sizes, 2), 4, x, one), PE_OK);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_to_do_is_no_error, make_plans, free_plans),
        cmocka_unit_test_setup_teardown(null_is_refused, make_plans, free_plans),
        cmocka_unit_test_setup_teardown(plans_for_other_calls_are_refused, make_plans, free_plans),
        cmocka_unit_test_setup_teardown(numbers_of_no_enum_are_refused, make_plans, free_plans),
        cmocka_unit_test_setup_teardown(heads_that_do_not_fit_are_refused, make_plans, free_plans),
        cmocka_unit_test_setup_teardown(coordinates_that_do_not_fit_are_refused, make_plans,
                                        free_plans),
        cmocka_unit_test_setup_teardown(rows_of_tables_that_do_not_fit_are_refused, make_plans,
                                        free_plans),
        cmocka_unit_test_setup_teardown(sizes_beyond_memory_are_refused, make_plans, free_plans),
        cmocka_unit_test_setup_teardown(positions_out_of_range_are_refused, make_plans, free_plans),
        cmocka_unit_test_setup_teardown(lists_with_a_bad_position_are_refused, make_plans,
                                        free_plans),
        cmocka_unit_test_setup_teardown(an_offset_moves_the_range, make_plans, free_plans),
        cmocka_unit_test_setup_teardown(the_last_good_arguments_are_taken, make_plans, free_plans),
    };
    test_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
