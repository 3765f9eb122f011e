/* SPDX-License-Identifier: MIT */
/*
 * Proves that the bits of a row depend only on (config, position). They do not depend on where the
 * rows are divided into calls, on the order of calls, or on which call is used. Neither do they
 * depend on the buffer's alignment or stride, on the number of threads, or on whether the table is
 * so large that it is written past the caches.
 */
#include "../common.h"

#include <pthread.h>

static const size_t widths[] = {1, 2, 3, 7, 8, 15, 16, 31, 33, 64, 96, 127, 129, 512, 1000, 1025};

/* Holds a configuration and one call's table of it, which everything else has to equal. */
typedef struct whole {
    owned_plan plan;
    size_t d_model, rows;
    int64_t first;
    float *f32, *other;
    double *f64, *other_f64;
} whole;

static void whole_make(whole *w, size_t d_model, double base, int64_t first, size_t rows)
{
    const size_t n = rows * d_model;
    plan_make(&w->plan, d_model, base, 1.0);
    w->d_model = d_model;
    w->rows = rows;
    w->first = first;
    w->f32 = (float *)must_alloc(n * sizeof *w->f32);
    w->other = (float *)must_alloc(n * sizeof *w->other);
    w->f64 = (double *)must_alloc(n * sizeof *w->f64);
    w->other_f64 = (double *)must_alloc(n * sizeof *w->other_f64);
    must_fill(CALL_FILL_F32, &w->plan.plan, d_model, first, NULL, rows, w->f32, d_model);
    must_fill(CALL_FILL_F64, &w->plan.plan, d_model, first, NULL, rows, w->f64, d_model);
}

static void whole_free(whole *w)
{
    plan_free(&w->plan);
    free(w->f32);
    free(w->other);
    free(w->f64);
    free(w->other_f64);
}

static void forget_others(whole *w)
{
    memset(w->other, CANARY, w->rows * w->d_model * sizeof *w->other);
    memset(w->other_f64, CANARY, w->rows * w->d_model * sizeof *w->other_f64);
}

static void same_row(const whole *w, size_t row, const void *got, size_t element, const char *how)
{
    const unsigned char *want =
        element == sizeof(float) ? (const unsigned char *)w->f32 : (const unsigned char *)w->f64;
    const size_t bytes = w->d_model * element;
    if (memcmp(want + row * bytes, got, bytes) != 0)
        fail_msg("%s: d_model %zu, base %a, position %" PRId64 ", f%zu: other bits than in one "
                 "call for %zu rows from %" PRId64,
                 how, w->d_model, w->plan.config.base, w->first + (int64_t)row, 8 * element,
                 w->rows, w->first);
}

static void same_others(const whole *w, const char *how)
{
    for (size_t row = 0; row < w->rows; row++) {
        same_row(w, row, w->other + row * w->d_model, sizeof(float), how);
        same_row(w, row, w->other_f64 + row * w->d_model, sizeof(double), how);
    }
}

/* Fills rows begin ... end - 1 of both types, at the same index as in the whole table. */
static void fill_part(whole *w, size_t begin, size_t end)
{
    const size_t d = w->d_model, at = begin * d;
    const int64_t first = w->first + (int64_t)begin;
    must_fill(CALL_FILL_F32, &w->plan.plan, d, first, NULL, end - begin, w->other + at, d);
    must_fill(CALL_FILL_F64, &w->plan.plan, d, first, NULL, end - begin, w->other_f64 + at, d);
}

/* Calls check() with a whole table of each width, at each of six first positions. */
static void for_each_whole(void (*check)(whole *, rng *), const char *test)
{
    static const int64_t firsts[] = {0, -300, 131000, 16777216, POSITION_MAX - 699, -POSITION_MAX};
    rng random = rng_for(test);
    for (size_t k = 0; k < LENGTH(widths); k += every())
        for (size_t f = 0; f < LENGTH(firsts); f++) {
            whole w;
            whole_make(&w, widths[k], f == 3 ? 0.5 : 10000.0, firsts[f],
                       widths[k] > 200 ? 200 : 700);
            check(&w, &random);
            whole_free(&w);
        }
}

/* ------------------------------------------------------------------------------------------------
 * Cuts, order, calls
 * --------------------------------------------------------------------------------------------- */

static void check_single_rows(whole *w, rng *random)
{
    (void)random;
    forget_others(w);
    for (size_t row = w->rows; row-- > 0;) fill_part(w, row, row + 1);
    same_others(w, "single rows");
}

static void single_rows(void **state)
{
    (void)state;
    for_each_whole(check_single_rows, __func__);
}

static void check_random_cuts(whole *w, rng *random)
{
    for (size_t most = 2; most <= w->rows; most *= 3) {
        forget_others(w);
        for (size_t row = 0; row < w->rows;) {
            const size_t n = 1 + rng_below(random, most);
            const size_t end = row + n < w->rows ? row + n : w->rows;
            fill_part(w, row, end);
            row = end;
        }
        same_others(w, "random cuts");
    }
}

static void random_cuts(void **state)
{
    (void)state;
    for_each_whole(check_random_cuts, __func__);
}

/* Checks lists that go up, down or anywhere, that repeat, that have runs with jumps between them,
   or that go back and forth. */
static void check_lists(whole *w, rng *random)
{
    enum { UP, DOWN, SHUFFLED, REPEATED, RUNS, BACK_AND_FORTH, ORDERS };
    static const char *const names[] = {"list upwards",  "list downwards", "list shuffled",
                                        "list repeated", "list of runs",   "list back and forth"};
    const size_t n = w->rows, d = w->d_model;
    int64_t *positions = (int64_t *)must_alloc(n * sizeof *positions);
    for (int order = 0; order < ORDERS; order++) {
        size_t start = 0;
        for (size_t k = 0; k < n; k++) {
            size_t row = k;
            if (order == DOWN) row = n - 1 - k;
            else if (order == SHUFFLED) row = rng_below(random, n);
            else if (order == REPEATED) row = k / 5 * 5;
            else if (order == RUNS)
                row = start = rng_below(random, 20) == 0 ? rng_below(random, n) : (start + 1) % n;
            else if (order == BACK_AND_FORTH) row = k % 2 == 0 ? k : n - 1 - k;
            positions[k] = w->first + (int64_t)row;
        }
        must_fill(CALL_FILL_AT_F32, &w->plan.plan, d, 0, positions, n, w->other, d);
        for (size_t k = 0; k < n; k++)
            same_row(w, (size_t)(positions[k] - w->first), w->other + k * d, sizeof(float),
                     names[order]);
    }
    free(positions);
}

static void position_lists(void **state)
{
    (void)state;
    for_each_whole(check_lists, __func__);
}

/* Checks a list in which most adjacent positions are far apart. */
static void check_strangers(whole *w, rng *random)
{
    const size_t n = w->rows, d = w->d_model;
    int64_t *positions = (int64_t *)must_alloc(n * sizeof *positions);
    for (size_t k = 0; k < n; k++)
        positions[k] = k % 3 == 1 ? w->first + (int64_t)k : rng_position(random);
    must_fill(CALL_FILL_AT_F32, &w->plan.plan, d, 0, positions, n, w->other, d);
    for (size_t k = 1; k < n; k += 3)
        same_row(w, k, w->other + k * d, sizeof(float), "list with strangers");
    free(positions);
}

static void strangers_in_the_list(void **state)
{
    (void)state;
    for_each_whole(check_strangers, __func__);
}

/* Checks that pe_sinusoidal_f32 gives rows 0, 1 ... of the default configuration, for any number of
   rows. */
static void one_call_without_a_plan(void **state)
{
    static const size_t many[] = {1, 2, 3, 31, 32, 33, 34, 64, 65, 66, 67, 131, 300};
    (void)state;
    for (size_t k = 0; k < LENGTH(widths); k += every()) {
        whole w;
        whole_make(&w, widths[k], 10000.0, 0, 300);
        for (size_t n = 0; n < LENGTH(many); n++) {
            must_fill(CALL_SINUSOIDAL_F32, NULL, w.d_model, 0, NULL, many[n], w.other, w.d_model);
            for (size_t row = 0; row < many[n]; row++)
                same_row(&w, row, w.other + row * w.d_model, sizeof(float), "pe_sinusoidal_f32");
        }
        whole_free(&w);
    }
}

/* Tests that any element of the buffer may be the first one, with any distance from row to row. */
static void check_places(whole *w, rng *random)
{
    const size_t d = w->d_model, rows = w->rows < 150 ? w->rows : 150;
    const size_t pads[] = {0, 1, 3, 7, 8, 16, 16 - d % 16};
    unsigned char *memory = (unsigned char *)must_alloc((rows * (d + 16) + 16) * sizeof(double));
    for (int c = 0; c <= CALL_FILL_F64; c++)
        for (size_t p = 0; p < LENGTH(pads); p++) {
            const size_t element = call_element((call)c), stride = d + pads[p];
            unsigned char *out = memory + rng_below(random, 16) * element;
            must_fill((call)c, &w->plan.plan, d, w->first, NULL, rows, out, stride);
            for (size_t row = 0; row < rows; row++)
                same_row(w, row, out + row * stride * element, element, "another place");
        }
    free(memory);
}

static void any_alignment_and_stride(void **state)
{
    (void)state;
    for_each_whole(check_places, __func__);
}

/* Checks that a copied plan gives the same bits after the original and its config are
   overwritten. */
static void check_copy(whole *w, rng *random)
{
    pe_plan copy = w->plan.plan;
    const pe_plan original = w->plan.plan;
    const size_t d = w->d_model;
    (void)random;
    memset(&w->plan.plan, CANARY, sizeof w->plan.plan);
    must_fill(CALL_FILL_F32, &copy, d, w->first, NULL, w->rows, w->other, d);
    must_fill(CALL_FILL_F64, &copy, d, w->first, NULL, w->rows, w->other_f64, d);
    same_others(w, "copied plan");
    w->plan.plan = original;
}

static void a_copied_plan(void **state)
{
    (void)state;
    for_each_whole(check_copy, __func__);
}

/* ------------------------------------------------------------------------------------------------
 * Threads
 * --------------------------------------------------------------------------------------------- */

typedef struct job {
    whole *whole;
    size_t begin, end, step;
    int failed;
} job;

/* Fills the rows of a job, and stores in `failed` whether a call failed. It asserts nothing,
   because cmocka allows that in its own thread only. The status is checked after the join. */
static void *run_job(void *argument)
{
    job *j = (job *)argument;
    whole *w = j->whole;
    const size_t d = w->d_model;
    for (size_t row = j->begin; row < j->end; row += j->step) {
        const size_t n = j->end - row < j->step ? j->end - row : j->step;
        const int64_t first = w->first + (int64_t)row;
        j->failed |= pe_fill_f32(&w->plan.plan, pe_from(first), n, w->other + row * d, d) != PE_OK;
        j->failed |=
            pe_fill_f64(&w->plan.plan, pe_from(first), n, w->other_f64 + row * d, d) != PE_OK;
    }
    return NULL;
}

/* Tests one to eight threads on one plan, with adjacent row ranges, in calls of `step` rows. */
static void check_threads(whole *w, size_t step)
{
    enum { MOST = 8 };
    for (size_t threads = 1; threads <= MOST; threads++) {
        pthread_t ids[MOST];
        job jobs[MOST];
        forget_others(w);
        for (size_t t = 0; t < threads; t++) {
            const job j = {w, w->rows * t / threads, w->rows * (t + 1) / threads, step, 0};
            jobs[t] = j;
            assert_int_equal(pthread_create(&ids[t], NULL, run_job, &jobs[t]), 0);
        }
        for (size_t t = 0; t < threads; t++) {
            assert_int_equal(pthread_join(ids[t], NULL), 0);
            assert_int_equal(jobs[t].failed, 0);
        }
        same_others(w, "threads");
    }
}

static void one_to_eight_threads(void **state)
{
    static const size_t wide[] = {7, 513, 64};
    static const int64_t firsts[] = {0, -5000, 1000000000};
    (void)state;
    for (size_t k = 0; k < LENGTH(wide); k += every()) {
        whole w;
        whole_make(&w, wide[k], 10000.0, firsts[k], 3000);
        check_threads(&w, 1);
        check_threads(&w, 50);
        check_threads(&w, 3000);
        whole_free(&w);
    }
}

/* ------------------------------------------------------------------------------------------------
 * Tables that are written past the caches
 * --------------------------------------------------------------------------------------------- */

static void streamed_tables(void **state)
{
    static const size_t wide[] = {6, 1, 64, 1000, 65, 512, 2048};
    (void)state;
    if (STREAM_BYTES > (size_t)256 << 20) skip();
    for (size_t k = 0; k < LENGTH(wide); k += every()) {
        const size_t d = wide[k], rows = STREAM_BYTES / (d * sizeof(float)) + 321;
        const size_t offsets[] = {0, 1, 2, 5, 16};
        int64_t *positions = (int64_t *)must_alloc(rows * sizeof *positions);
        float *memory = (float *)must_alloc((rows * (d + 1) + 16) * sizeof *memory);
        whole w;
        whole_make(&w, d, 10000.0, -100, rows);
        /* Small calls do not stream, the whole did. */
        for (size_t row = 0; row < rows; row += 61)
            fill_part(&w, row, row + 61 < rows ? row + 61 : rows);
        same_others(&w, "large table in small calls");
        for (size_t o = 0; o < LENGTH(offsets); o++) {
            const size_t stride = d + o % 2;
            float *out = memory + offsets[o];
            must_fill(CALL_FILL_F32, &w.plan.plan, d, w.first, NULL, rows, out, stride);
            for (size_t row = 0; row < rows; row++)
                same_row(&w, row, out + row * stride, sizeof(float), "large table elsewhere");
        }
        /* Large lists: one run, and runs that rows in descending order interrupt. */
        for (size_t most = 0; most <= 40; most += 40) {
            count_up(positions, w.first, rows);
            for (size_t row = 1; most > 0 && row < rows; row++)
                if (row % most < row * 7 % most) positions[row] = w.first + (int64_t)(rows - row);
            must_fill(CALL_FILL_AT_F32, &w.plan.plan, d, 0, positions, rows, memory, d);
            for (size_t row = 0; row < rows; row++)
                same_row(&w, (size_t)(positions[row] - w.first), memory + row * d, sizeof(float),
                         "large list");
        }
        /* Rows 0 .. of the call without a plan are rows 100 .. of the table. */
        must_fill(CALL_SINUSOIDAL_F32, NULL, d, 0, NULL, rows, memory, d);
        for (size_t row = 0; row + 100 < rows; row++)
            same_row(&w, row + 100, memory + row * d, sizeof(float), "large pe_sinusoidal_f32");
        if (d == 1000) check_threads(&w, rows);
        whole_free(&w);
        free(memory);
        free(positions);
    }
}

/* Fills rows of a type: kind 4 is float, 3 is f16, and 2 is bf16. */
static pe_status fill_type(const pe_plan *plan, size_t kind, int64_t first, size_t rows, void *out,
                           size_t stride)
{
    if (kind == 4) return pe_fill_f32(plan, pe_from(first), rows, (float *)out, stride);
    if (kind == 3) return pe_fill_f16(plan, pe_from(first), rows, (uint16_t *)out, stride);
    return pe_fill_bf16(plan, pe_from(first), rows, (uint16_t *)out, stride);
}

/* Checks large tables of halves at any address. Up to two vectors of pairs come before the first
   aligned one. Small calls to an aligned address give the expected rows. */
static void streamed_halves(void **state)
{
    static const size_t wide_halves[] = {64, 320, 2048}, kinds[] = {4, 3, 2};
    static const size_t offsets[] = {12, 1, 9, 4, 8, 15, 0};
    (void)state;
    if (STREAM_BYTES > (size_t)256 << 20) skip();
    for (size_t k = 0; k < LENGTH(wide_halves) * LENGTH(kinds); k++) {
        const size_t d = wide_halves[k / LENGTH(kinds)], kind = kinds[k % LENGTH(kinds)];
        const size_t element = kind == 4 ? 4 : 2, row_bytes = d * element;
        const size_t rows = STREAM_BYTES / row_bytes + 57;
        unsigned char *const memory = (unsigned char *)must_alloc((rows + 1) * row_bytes + 64);
        unsigned char *const few = (unsigned char *)must_alloc(40 * row_bytes + 64);
        unsigned char *const want = few + (64 - (uintptr_t)few % 64);
        unsigned char *const aligned = memory + (64 - (uintptr_t)memory % 64);
        pe_config config = pe_config_preset(PE_PRESET_T2T, d);
        const size_t size = pe_plan_size(&config);
        void *plan_memory = must_alloc(size);
        pe_plan plan;
        assert_int_equal(pe_plan_init(&plan, &config, plan_memory, size), PE_OK);
        for (size_t o = 0; o < LENGTH(offsets); o += every()) {
            unsigned char *const out = aligned + offsets[o] * element;
            assert_int_equal(fill_type(&plan, kind, -9, rows, out, d), PE_OK);
            for (size_t row = 0; row < rows; row += 40) {
                const size_t n = rows - row < 40 ? rows - row : 40;
                assert_int_equal(fill_type(&plan, kind, -9 + (int64_t)row, n, want, d), PE_OK);
                if (memcmp(out + row * row_bytes, want, n * row_bytes) != 0)
                    fail_msg("halves, d %zu, %zu-byte elements, %zu elements from an aligned "
                             "address: wrong in rows %zu to %zu",
                             d, element, offsets[o], row, row + n - 1);
            }
        }
        free(plan_memory);
        free(few);
        free(memory);
    }
}

/* Tests a plan at every place in its page, upwards and downwards. Rows of 2 and 4 KB whose
   addresses are alike are streamed one by one if the plan's are also alike
   (pe__aliased_distances()). */
static void streamed_from_anywhere(void **state)
{
    static const size_t page_widths[] = {512, 1024};
    enum { PLACES = 32, PAGE = 4096 };
    (void)state;
    if (STREAM_BYTES > (size_t)256 << 20) skip();
    for (size_t k = 0; k < 2 * LENGTH(page_widths); k++) {
        const size_t d = page_widths[k / 2], rows = STREAM_BYTES / (d * sizeof(float)) + 57;
        float *const out = (float *)must_alloc(rows * d * sizeof(float) + PAGE);
        float *const aligned = out + (PAGE - (uintptr_t)out % PAGE) / sizeof(float);
        float *const want = (float *)must_alloc(40 * d * sizeof(float));
        pe_config config = pe_config_preset(k % 2 ? PE_PRESET_T2T : PE_PRESET_VASWANI, d);
        const size_t size = pe_plan_size(&config);
        unsigned char *const plan_memory = (unsigned char *)must_alloc(size + PAGE);
        for (size_t place = 0; place < PLACES; place += every()) {
            const int64_t step = place < PLACES / 2 ? 1 : -1; /* both also in quick runs */
            pe_plan plan;
            assert_int_equal(
                pe_plan_init(&plan, &config, plan_memory + place * PAGE / PLACES, size), PE_OK);
            assert_int_equal(pe_fill_f32(&plan, pe_from_by(-9 * step, step), rows, aligned, d),
                             PE_OK);
            for (size_t row = 0; row < rows; row += 40) {
                const size_t n = rows - row < 40 ? rows - row : 40;
                const int64_t first = ((int64_t)row - 9) * step;
                assert_int_equal(pe_fill_f32(&plan, pe_from_by(first, step), n, want, d), PE_OK);
                if (memcmp(aligned + row * d, want, n * d * sizeof(float)) != 0)
                    fail_msg("d %zu, layout %d, a plan moved by %zu bytes: wrong in rows %zu-%zu",
                             d, (int)config.layout, place * PAGE / PLACES, row, row + n - 1);
            }
        }
        free(plan_memory);
        free(want);
        free(out);
    }
}

/* Tests that a plan without rotation rows, which makes every row by itself, gives the same bits
   in every type. */
static void plans_without_rows(void **state)
{
    enum { MOST = 60 };
    static const int64_t firsts[] = {0, -20, 131072, -16777216, POSITION_MAX - MOST};
    (void)state;
    for (size_t k = 0; k < LENGTH(widths); k += every()) {
        const size_t d = widths[k], n = MOST * d;
        unsigned char *const x[2] = {(unsigned char *)must_alloc(n * sizeof(double)),
                                     (unsigned char *)must_alloc(n * sizeof(double))};
        for (int how = 0; how < 4; how++)
            for (size_t f = 0; f < LENGTH(firsts); f++)
                for (int type = 0; type < 7; type++) {
                    const size_t rows = 2 + (k + f * 13) % (MOST - 1);
                    for (int few = 0; few < 2; few++) {
                        owned_plan p;
                        void *const out = x[few];
                        p.config = pe_config_default(d);
                        p.config.layout = how == 1 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
                        p.config.cos_first = how == 2;
                        p.config.amplitude = how == 3 ? -0.3 : 1;
                        p.config.expected_rows = few ? 1 : 0;
                        p.memory_bytes = pe_plan_size(&p.config);
                        p.memory = must_alloc(p.memory_bytes);
                        assert_int_equal(pe_plan_init(&p.plan, &p.config, p.memory, p.memory_bytes),
                                         PE_OK);
                        memset(out, 0x3c, n * sizeof(double));
                        const pe_at at = pe_from(firsts[f]);
                        const pe_status status =
                            type == 0   ? pe_fill_f32(&p.plan, at, rows, (float *)out, d)
                            : type == 1 ? pe_fill_f64(&p.plan, at, rows, (double *)out, d)
                            : type == 2 ? pe_fill_f16(&p.plan, at, rows, (uint16_t *)out, d)
                            : type == 3 ? pe_fill_bf16(&p.plan, at, rows, (uint16_t *)out, d)
                            : type == 4 ? pe_add_f32(&p.plan, at, rows, 2, (float *)out, d)
                            : type == 5 ? pe_add_f16(&p.plan, at, rows, 2, (uint16_t *)out, d)
                                        : pe_add_bf16(&p.plan, at, rows, 2, (uint16_t *)out, d);
                        assert_int_equal(status, PE_OK);
                        plan_free(&p);
                    }
                    if (memcmp(x[0], x[1], n * sizeof(double)) != 0)
                        fail_msg("d_model %zu, first %" PRId64 ", %zu rows, type %d, %d: other "
                                 "bits without rows",
                                 d, firsts[f], rows, type, how);
                }
        free(x[0]);
        free(x[1]);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_rows),
        cmocka_unit_test(random_cuts),
        cmocka_unit_test(position_lists),
        cmocka_unit_test(strangers_in_the_list),
        cmocka_unit_test(one_call_without_a_plan),
        cmocka_unit_test(any_alignment_and_stride),
        cmocka_unit_test(a_copied_plan),
        cmocka_unit_test(plans_without_rows),
        cmocka_unit_test(one_to_eight_threads),
        cmocka_unit_test(streamed_tables),
        cmocka_unit_test(streamed_halves),
        cmocka_unit_test(streamed_from_anywhere),
    };
    test_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
