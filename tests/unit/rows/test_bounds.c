/* SPDX-License-Identifier: MIT */
/*
 * Proves that every call touches exactly its rows. Outputs are flush against an inaccessible page
 * on either side, or begin at every offset up to 63 bytes. Canaries are in the padding between rows
 * and around the table. The rows are compared with a plain table of the same rows, bit for bit, so
 * that a call that writes nothing also fails.
 */
#include "../common.h"

enum { ROWS = 64, WIDTH = 513, SLACK = 4096 };

/* The widths around every vector length, for the loops that go through everything else. */
static const size_t widths[] = {1,  2,  3,  4,  5,  7,   8,   9,   12,  15,  16,  17,  23,  24, 31,
                                32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513};

/* Holds one configuration and its expected rows in both types, starting at position `first`. */
typedef struct reference {
    owned_plan plan;
    size_t d_model;
    int64_t first;
    int64_t *positions;
    float *f32, *f32_from_zero;
    double *f64;
} reference;

/* Makes the plan, the positions first ... first + count - 1, and the expected rows. They are filled
   by calls of at most 64 rows, which are too small for streaming stores. */
static void reference_make(reference *r, size_t d_model, int64_t first, size_t count)
{
    const pe_plan *plan = &r->plan.plan;
    plan_make(&r->plan, d_model, 10000.0, 1.0);
    r->d_model = d_model;
    r->first = first;
    r->positions = (int64_t *)must_alloc(count * sizeof *r->positions);
    r->f32 = (float *)must_alloc(count * d_model * sizeof *r->f32);
    r->f32_from_zero = (float *)must_alloc(count * d_model * sizeof *r->f32);
    r->f64 = (double *)must_alloc(count * d_model * sizeof *r->f64);
    count_up(r->positions, first, count);
    for (size_t row = 0; row < count; row += ROWS) {
        const size_t n = count - row < ROWS ? count - row : ROWS, at = row * d_model;
        const int64_t position = (int64_t)row;
        must_fill(CALL_FILL_F32, plan, d_model, first + position, NULL, n, r->f32 + at, d_model);
        must_fill(CALL_FILL_F32, plan, d_model, position, NULL, n, r->f32_from_zero + at, d_model);
        must_fill(CALL_FILL_F64, plan, d_model, first + position, NULL, n, r->f64 + at, d_model);
    }
}

static void reference_free(reference *r)
{
    plan_free(&r->plan);
    free(r->positions);
    free(r->f32);
    free(r->f32_from_zero);
    free(r->f64);
}

static const unsigned char *reference_rows(const reference *r, call c)
{
    return c == CALL_FILL_F64         ? (const unsigned char *)r->f64
           : c == CALL_SINUSOIDAL_F32 ? (const unsigned char *)r->f32_from_zero
                                      : (const unsigned char *)r->f32;
}

/* Returns the number of bytes from the first element of a table to the last. */
static size_t span_of(call c, size_t d_model, size_t rows, size_t stride)
{
    return ((rows - 1) * stride + d_model) * call_element(c);
}

/* Makes one call that writes at `out`, within the pages of g. Checks that the rows are right, and
   that no byte between or around them has changed. */
static void check_call(const reference *r, call c, size_t rows, size_t stride, unsigned char *out,
                       const guarded *g)
{
    const size_t element = call_element(c), row_bytes = r->d_model * element;
    const size_t gap = stride * element - row_bytes, span = span_of(c, r->d_model, rows, stride);
    const size_t before = (size_t)(out - g->begin), after = (size_t)(g->end - out) - span;
    const size_t slack_before = before < SLACK ? before : SLACK;
    const size_t slack_after = after < SLACK ? after : SLACK;
    const unsigned char *want = reference_rows(r, c);
    fault_case("%s: first %" PRId64 ", rows %zu, d_model %zu, stride %zu, %zu bytes after and %zu "
               "before an inaccessible page",
               call_name(c), c == CALL_SINUSOIDAL_F32 ? 0 : r->first, rows, r->d_model, stride,
               before, after);
    memset(out - slack_before, CANARY, slack_before + span + slack_after);
    must_fill(c, &r->plan.plan, r->d_model, r->first, r->positions, rows, out, stride);
    if (!all_canaries(out - slack_before, slack_before))
        fail_msg("written before the table: %s", fault_get()->what);
    if (!all_canaries(out + span, slack_after))
        fail_msg("written behind the table: %s", fault_get()->what);
    for (size_t row = 0; row < rows; row++) {
        const unsigned char *at = out + row * stride * element;
        if (memcmp(at, want + row * row_bytes, row_bytes) != 0)
            fail_msg("row %zu is wrong: %s", row, fault_get()->what);
        if (row + 1 < rows && !all_canaries(at + row_bytes, gap))
            fail_msg("padding of row %zu written: %s", row, fault_get()->what);
    }
}

static void check_both_sides(const reference *r, call c, size_t rows, size_t stride,
                             const guarded *g)
{
    check_call(r, c, rows, stride, g->begin, g);
    check_call(r, c, rows, stride, g->end - span_of(c, r->d_model, rows, stride), g);
}

/* Tests every number of rows to 64 with every width to 513, and alternately the strides d, d+1
   and d+7. */
static void every_shape_between_guard_pages(void **state)
{
    static const int64_t firsts[] = {0, -17, 16777216, 1000003, -POSITION_MAX};
    static const size_t pads[] = {0, 1, 7};
    guarded g = guarded_make(ROWS * (WIDTH + 7) * sizeof(double));
    (void)state;
    FAIL_ON_FAULT();
    for (size_t d = 1; d <= WIDTH; d += 1 + d / 16 * (size_t)test_this_run()->is_quick) {
        reference r;
        reference_make(&r, d, firsts[d % LENGTH(firsts)], ROWS);
        for (size_t rows = 1; rows <= ROWS; rows++)
            for (int c = 0; c < CALLS; c++) {
                const size_t pad = c == CALL_SINUSOIDAL_F32 ? 0 : pads[(rows + d + (size_t)c) % 3];
                check_both_sides(&r, (call)c, rows, d + pad, &g);
            }
        reference_free(&r);
    }
    guarded_free(&g);
}

/* Tests the strides d, d + 1, d + 7 and d + 64 with up to 300 rows, for the widths around the
   vector lengths. */
static void every_stride_between_guard_pages(void **state)
{
    static const size_t many[] = {1, 2, 5, 32, 33, 34, 63, 64, 65, 66, 67, 99, 130, 131, 197, 300};
    static const size_t pads[] = {0, 1, 7, 64};
    guarded g = guarded_make(300 * (WIDTH + 64) * sizeof(double));
    (void)state;
    FAIL_ON_FAULT();
    for (size_t k = 0; k < LENGTH(widths); k += every()) {
        reference r;
        reference_make(&r, widths[k], -150, 300);
        for (size_t n = 0; n < LENGTH(many); n++)
            for (size_t p = 0; p < LENGTH(pads); p++)
                for (int c = 0; c < CALLS; c++)
                    if (c != CALL_SINUSOIDAL_F32 || pads[p] == 0)
                        check_both_sides(&r, (call)c, many[n], widths[k] + pads[p], &g);
        reference_free(&r);
    }
    guarded_free(&g);
}

/* Tests all element offsets within 64 bytes, with and without padding. */
static void every_offset(void **state)
{
    static const size_t some[] = {1, 2, 3, 33, 64, 70};
    static const size_t pads[] = {0, 1, 7};
    guarded g = guarded_make(70 * (WIDTH + 7) * sizeof(double) + 64);
    (void)state;
    FAIL_ON_FAULT();
    for (size_t k = 0; k < LENGTH(widths); k += every()) {
        reference r;
        reference_make(&r, widths[k], 1000, 70);
        for (size_t n = 0; n < LENGTH(some); n++)
            for (size_t p = 0; p < LENGTH(pads); p++)
                for (int c = 0; c < CALLS; c++)
                    for (size_t at = 0; at < 64; at += call_element((call)c))
                        if (c != CALL_SINUSOIDAL_F32 || pads[p] == 0)
                            check_call(&r, (call)c, some[n], widths[k] + pads[p], g.begin + at, &g);
        reference_free(&r);
    }
    guarded_free(&g);
}

/* Tests tables that are large enough for streaming stores. They are flush against a page on either
   side, or begin one element after it. */
static void streamed_tables_between_guard_pages(void **state)
{
    static const size_t wide[] = {7, 512, 513};
    (void)state;
    if (STREAM_BYTES > (size_t)256 << 20) skip();
    FAIL_ON_FAULT();
    for (size_t k = 0; k < LENGTH(wide); k += every()) {
        const size_t d = wide[k], rows = STREAM_BYTES / (d * sizeof(float)) + 100;
        guarded g = guarded_make(rows * (d + 1) * sizeof(double) + SLACK);
        reference r;
        reference_make(&r, d, 5, rows);
        for (size_t pad = 0; pad < 2; pad++)
            for (int c = 0; c < CALLS; c++)
                if (c != CALL_SINUSOIDAL_F32 || pad == 0) {
                    check_both_sides(&r, (call)c, rows, d + pad, &g);
                    check_call(&r, (call)c, rows, d + pad, g.begin + call_element((call)c), &g);
                }
        reference_free(&r);
        guarded_free(&g);
    }
}

/* Tests plans whose memory ends at a guard page. pe_plan_size() includes 63 bytes for alignment,
   and the memory begins one byte after a multiple of 64. So the arrays of the plan also end at
   the guard page. The axes begin at any pair. The rows are streamed, which makes vectors begin
   at any pair, and are so many that all rotation rows are read. */
static void memory_of_plans_before_a_guard_page(void **state)
{
    static const size_t axes[][2] = {{120, 136}, {2, 14}, {14, 2}, {10, 22},
                                     {90, 38},   {6, 66}, {40, 50}};
    (void)state;
    if (STREAM_BYTES > (size_t)256 << 20) skip();
    FAIL_ON_FAULT();
    for (size_t k = 0; k < LENGTH(axes); k += every())
        for (int joined = 0; joined < 2; joined++) {
            pe_config c = pe_config_default(axes[k][0] + axes[k][1]);
            c.axes = 2, c.layout = PE_LAYOUT_HALVES;
            c.columns = joined ? PE_COLUMNS_JOINED : PE_COLUMNS_BLOCKS;
            c.axis[0].width = axes[k][0], c.axis[1].width = axes[k][1], c.axis[1].coordinate = 1;
            const size_t d = c.d_model, size = pe_plan_size(&c), page = 1 << 16;
            const size_t rows = STREAM_BYTES / (d * sizeof(float)) + 17 * 17;
            guarded g = guarded_make((size + page - 1) / page * page);
            void *const x = must_alloc(rows * d * sizeof(double) + 64);
            pe_plan plan;
            fault_case("axes %zu and %zu, joined %d", axes[k][0], axes[k][1], joined);
            assert_int_equal(pe_plan_init(&plan, &c, g.end - size, size), PE_OK);
            for (size_t at = 0; at < 64; at += 24) {
                float *const f32 = (float *)(void *)((unsigned char *)x + at);
                uint16_t *const u16 = (uint16_t *)(void *)f32;
                assert_int_equal(pe_fill_f32(&plan, pe_from(-70), rows, f32, d), PE_OK);
                assert_int_equal(pe_fill_f32(&plan, pe_from(INT64_C(2000000000)), rows, f32, d),
                                 PE_OK);
                assert_int_equal(pe_fill_f64(&plan, pe_from(-70), rows, (double *)(void *)f32, d),
                                 PE_OK);
                assert_int_equal(pe_fill_f16(&plan, pe_from(-70), rows, u16, d), PE_OK);
                assert_int_equal(pe_fill_bf16(&plan, pe_from(-70), rows, u16, d), PE_OK);
            }
            free(x);
            guarded_free(&g);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_between_guard_pages),
        cmocka_unit_test(every_stride_between_guard_pages),
        cmocka_unit_test(every_offset),
        cmocka_unit_test(streamed_tables_between_guard_pages),
        cmocka_unit_test(memory_of_plans_before_a_guard_page),
    };
    test_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
