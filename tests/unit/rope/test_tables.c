/* SPDX-License-Identifier: MIT */
/*
 * Proves that heads are rotated by the rows of a table as pe.h says. Tables have any type and
 * order, and heads have any type, in place and out of place. Rows follow each other, are gathered,
 * are skipped into or are turned back. Two products and a sum are each rounded to float, and every
 * bit is compared. The test also checks what a filled table reports about itself, and its matrices,
 * with MPFR. Invalid input is refused, with nothing written.
 */
#include "../common.h"
#include "../apart.h"
#include "../turn.h"

static const pe_type pe_types[TYPES] = {PE_TYPE_F32, PE_TYPE_F16, PE_TYPE_BF16};

static pe_status fill(type t, const pe_plan *plan, pe_at at, size_t rows,
                      pe_rope_table_layout layout, void *c, void *s, size_t stride,
                      pe_rope_table *made)
{
    return t == F32
               ? pe_rope_table_f32(plan, at, rows, layout, (float *)c, (float *)s, stride, made)
           : t == F16 ? pe_rope_table_f16(plan, at, rows, layout, (uint16_t *)c, (uint16_t *)s,
                                          stride, made)
                      : pe_rope_table_bf16(plan, at, rows, layout, (uint16_t *)c, (uint16_t *)s,
                                           stride, made);
}

static pe_status by(type t, const pe_rope_table *table, pe_layout layout, pe_at rows, size_t tokens,
                    void *x, pe_heads heads)
{
    return t == F32   ? pe_rope_by_table_f32(table, layout, rows, tokens, (float *)x, heads)
           : t == F16 ? pe_rope_by_table_f16(table, layout, rows, tokens, (uint16_t *)x, heads)
                      : pe_rope_by_table_bf16(table, layout, rows, tokens, (uint16_t *)x, heads);
}

static pe_status by_to(type t, const pe_rope_table *table, pe_layout layout, pe_at rows,
                       size_t tokens, size_t dim, const void *in, pe_heads from, void *out,
                       pe_heads to)
{
    return t == F32   ? pe_rope_by_table_to_f32(table, layout, rows, tokens, dim, (const float *)in,
                                                from, (float *)out, to)
           : t == F16 ? pe_rope_by_table_to_f16(table, layout, rows, tokens, dim,
                                                (const uint16_t *)in, from, (uint16_t *)out, to)
                      : pe_rope_by_table_to_bf16(table, layout, rows, tokens, dim,
                                                 (const uint16_t *)in, from, (uint16_t *)out, to);
}

static size_t width_of(pe_rope_table_layout layout, size_t pairs)
{
    return layout == PE_ROPE_TABLE_APART ? pairs : (layout == PE_ROPE_TABLE_MATRIX ? 4 : 2) * pairs;
}

/* Writes row r as cosines and sines, as the comments of pe_rope_table_layout define them. */
static void row_of(const pe_rope_table *table, type t, pe_layout layout, size_t r, int back,
                   float *c, float *s)
{
    const size_t first = r * table->stride, h = table->pairs;
    const int halves = layout == PE_LAYOUT_HALVES;
    for (size_t i = 0; i < h; i++) {
        switch (table->layout) {
        case PE_ROPE_TABLE_APART:
            c[i] = get(t, table->cosines, first + i), s[i] = get(t, table->sines, first + i);
            break;
        case PE_ROPE_TABLE_TWICE:
            c[i] = get(t, table->cosines, first + (halves ? i : 2 * i));
            s[i] = get(t, table->sines, first + (halves ? i : 2 * i));
            break;
        case PE_ROPE_TABLE_JOINED:
            c[i] = get(t, table->cosines, first + i), s[i] = get(t, table->cosines, first + h + i);
            break;
        case PE_ROPE_TABLE_COMPLEX:
            c[i] = get(t, table->cosines, first + 2 * i);
            s[i] = get(t, table->cosines, first + 2 * i + 1);
            break;
        case PE_ROPE_TABLE_MATRIX:
            c[i] = get(t, table->cosines, first + 4 * i);
            s[i] = get(t, table->cosines, first + 4 * i + 2);
            break;
        }
        if (back) s[i] = 0 - s[i];
    }
}

/* Holds the rows of a table that the tokens use: lists of each type, and the row of each token. The
   enum lists the kinds of pe_at that are made from them. */
enum { FROM, BY, DOWN, ALL, I32, I64, COORDS, KINDS, MOST_TOKENS = 80 };
typedef struct looks {
    int32_t i32[MOST_TOKENS + 3];
    int64_t i64[2 * (MOST_TOKENS + 3)];
    size_t row[MOST_TOKENS];
} looks;

static pe_at looks_make(looks *l, unsigned kind, size_t tokens, size_t rows, rng *r)
{
    const size_t skip = rng_below(r, 4) == 0 ? rng_below(r, 4) : 0,
                 step = (rows - 1) / (tokens + skip);
    const size_t first = rng_below(r, rows - tokens - skip + 1), one = rng_below(r, rows);
    const int64_t last = (int64_t)(first + tokens + skip) - 1;
    pe_at at = kind == FROM   ? pe_from((int64_t)first)
               : kind == BY   ? pe_from_by(0, (int64_t)step)
               : kind == DOWN ? pe_from_by(last, -1)
               : kind == ALL  ? pe_all((int64_t)one)
               : kind == I32  ? pe_at_i32(l->i32)
               : kind == I64  ? pe_at_i64(l->i64)
                              : pe_coords_i64(l->i64, 1, 2, 1);
    for (size_t k = 0; k < MOST_TOKENS + 3; k++) {
        l->i32[k] = (int32_t)rng_below(r, rows);
        l->i64[2 * k] = (int64_t)rng_below(r, rows),
                   l->i64[2 * k + 1] = (int64_t)rng_below(r, rows);
    }
    for (size_t t = 0, k = skip; t < tokens; t++, k++)
        l->row[t] = kind == FROM   ? first + k
                    : kind == BY   ? step * k
                    : kind == DOWN ? (size_t)last - k
                    : kind == ALL  ? one
                    : kind == I32  ? (size_t)l->i32[k]
                                   : (size_t)l->i64[kind == I64 ? k : 2 * k];
    return skip ? pe_skip(at, skip) : at;
}

/* Tests random tables of each type and order, by their definition. */
static void test_any_table(void **state)
{
    static const size_t widths[] = {1,  2,  3,  5,  8,   15,  16,  17, 24,
                                    31, 33, 64, 65, 100, 256, 257, 300};
    enum { HEADS = 3 };
    rng r = rng_for("test_any_table");
    static looks l;
    (void)state;
    for (size_t k = 0; k < workload(12000); k++) {
        const size_t h = widths[rng_below(&r, LENGTH(widths))], n = 2 * h;
        const size_t tokens = 1 + rng_below(&r, rng_below(&r, 8) ? 5 : h > 100 ? 20 : MOST_TOKENS);
        const size_t rows = tokens + 3 + rng_below(&r, 40), heads = 1 + rng_below(&r, HEADS);
        const size_t dim = n + rng_below(&r, 3) * rng_below(&r, 20), gap = rng_below(&r, 3);
        const type t = (type)rng_below(&r, TYPES), of = (type)rng_below(&r, TYPES);
        const pe_layout layout = (pe_layout)rng_below(&r, 2);
        const pe_rope_table_layout order = (pe_rope_table_layout)rng_below(&r, 5);
        const size_t stride = width_of(order, h) + rng_below(&r, 3);
        const size_t all = (rows - 1) * stride + width_of(order, h);
        const int two = order <= PE_ROPE_TABLE_TWICE, back = rng_below(&r, 3) == 0;
        const int by_head = rng_below(&r, 4) == 0;
        const pe_heads where = by_head ? lie(heads, tokens * (dim + gap), dim + gap)
                                       : lie(heads, dim + gap, heads * (dim + gap) + gap);
        const pe_heads packed = lie(heads, dim, heads * dim);
        const size_t room = (heads * (dim + gap) + gap) * tokens, bytes = room * bytes_of(t);
        void *cosines = must_alloc(all * bytes_of(of)), *sines = must_alloc(all * bytes_of(of));
        void *x = must_alloc(bytes), *want = must_alloc(bytes), *in = must_alloc(bytes);
        float c[300], s[300];
        const pe_rope_table table = {cosines, two ? sines : NULL, pe_types[of], order, stride, rows,
                                     h};
        fill_random(of, cosines, all, &r), fill_random(of, sines, all, &r),
            fill_random(t, in, room, &r);
        const unsigned kind = (unsigned)rng_below(&r, KINDS);
        const pe_at at = looks_make(&l, kind, tokens, rows, &r), place = back ? pe_back(at) : at;
        const int to = rng_below(&r, 3) == 0;
        memcpy(x, in, bytes), memcpy(want, in, bytes);
        for (size_t token = 0; token < tokens; token++) {
            row_of(&table, of, layout, l.row[token], back, c, s);
            for (size_t head = 0; head < heads; head++) {
                unsigned char *const y =
                    (unsigned char *)want +
                    (token * where.token_stride + head * where.head_stride) * bytes_of(t);
                if (to)
                    memcpy(y, (unsigned char *)in + (token * heads + head) * dim * bytes_of(t),
                           dim * bytes_of(t));
                turn(t, layout, s, c, 1, n, y);
            }
        }
        const pe_status status =
            to ? by_to(t, &table, layout, place, tokens, dim, in, packed, x, where)
               : by(t, &table, layout, place, tokens, x, where);
        assert_int_equal(status, PE_OK);
        if (memcmp(x, want, bytes) != 0)
            fail_msg("%s heads by a table of %s, order %u, %s, %zu pairs, %zu tokens, kind %u, "
                     "back %d, to %d",
                     type_names[t], type_names[of], (unsigned)order, layout_names[layout], h,
                     tokens, kind, back, to);
        free(cosines), free(sines), free(x), free(want), free(in);
    }
}

/* Tests that a table that pe fills reports its form correctly, whatever its order is. Floats are
   rotated by it as by the plan, also back. For 16 bits, which use the numbers of the table, see
   test_any_table. */
static void test_told(void **state)
{
    enum { ROWS = 40, TOKENS = 37, HEADS = 2, MOST = 66 };
    static float c[ROWS * (4 * MOST + 1)], s[LENGTH(c)], x[TOKENS * HEADS * 2 * MOST],
        want[LENGTH(x)];
    static const size_t pairs[] = {1, 4, 33, 66};
    rng r = rng_for("test_told");
    int64_t ids[TOKENS];
    (void)state;
    for (size_t k = 0; k < LENGTH(pairs) * 2 * 5 * TYPES; k++) {
        const size_t h = pairs[k % LENGTH(pairs)], n = 2 * h, stride = 2 * n + k % 2;
        const pe_layout layout = (pe_layout)(k / LENGTH(pairs) % 2);
        const pe_rope_table_layout order = (pe_rope_table_layout)(k / LENGTH(pairs) / 2 % 5);
        const type of = (type)(k / LENGTH(pairs) / 10);
        const int two = order <= PE_ROPE_TABLE_TWICE;
        const pe_heads heads = lie(HEADS, n, HEADS * n);
        pe_config config = config_of(n, 10000, 1.25);
        pe_rope_table made, untouched;
        pe_plan plan;
        void *memory = must_alloc(pe_plan_size(&config));
        config.layout = layout;
        assert_int_equal(pe_plan_init(&plan, &config, memory, pe_plan_size(&config)), PE_OK);
        memset(&made, CANARY, sizeof made), memset(&untouched, CANARY, sizeof untouched);
        assert_int_equal(fill(of, &plan, pe_from(0), 0, order, c, two ? s : NULL, stride, &made),
                         PE_OK);
        assert_int_equal(fill(of, &plan, pe_from(0), ROWS, order, NULL, s, stride, &made),
                         PE_ERR_NULL);
        assert_int_equal(fill(of, &plan, pe_from(0), ROWS, order, c, two ? s : NULL, h - 1, &made),
                         PE_ERR_SHAPE);
        assert_memory_equal(&made, &untouched, sizeof made);
        assert_int_equal(
            fill(of, &plan, pe_from(100), ROWS, order, c, two ? s : NULL, stride, &made), PE_OK);
        assert_ptr_equal(made.cosines, c);
        assert_ptr_equal(made.sines, two ? s : NULL);
        assert_true(made.type == pe_types[of] && made.layout == order);
        assert_true(made.stride == stride && made.rows == ROWS && made.pairs == h);
        for (size_t i = 0; i < TOKENS; i++) ids[i] = (int64_t)rng_below(&r, ROWS);
        for (int back = 0; back < 2 && of == F32; back++) {
            int64_t positions[TOKENS];
            for (size_t i = 0; i < TOKENS; i++) positions[i] = 100 + ids[i];
            const pe_at by_ids = pe_at_i64(ids), there = pe_at_i64(positions);
            fill_random(F32, x, LENGTH(x), &r), memcpy(want, x, sizeof x);
            assert_int_equal(pe_rope_f32(&plan, back ? pe_back(there) : there, TOKENS, want, heads),
                             PE_OK);
            assert_int_equal(
                by(F32, &made, layout, back ? pe_back(by_ids) : by_ids, TOKENS, x, heads), PE_OK);
            assert_memory_equal(x, want, sizeof x);
        }
        free(memory);
    }
}

/* Tests matrices: c, -s, s and c are each correctly rounded. */
static void test_matrices(void **state)
{
    enum { ROWS = 5 };
    static const size_t widths[] = {2, 6, 64, 128, 600};
    static const int64_t first[] = {0, 4095, -1000000000};
    (void)state;
    for (size_t k = 0; k < LENGTH(widths) * LENGTH(first); k++) {
        const size_t n = widths[k % LENGTH(widths)];
        const int64_t at = first[k / LENGTH(widths)];
        const pe_config config = config_of(n, 10000, 1.25);
        const size_t stride = 2 * n + 1;
        float *x = (float *)must_alloc(ROWS * stride * sizeof *x),
              *row = (float *)must_alloc(n * sizeof *x);
        uint16_t *h = (uint16_t *)must_alloc(ROWS * stride * sizeof *h);
        uint16_t *c = (uint16_t *)must_alloc(n * sizeof *c), *s = c + n / 2;
        void *memory = must_alloc(pe_plan_size(&config));
        oracle o;
        pe_plan plan;
        assert_int_equal(pe_plan_init(&plan, &config, memory, pe_plan_size(&config)), PE_OK);
        oracle_make(&o, "test_matrices", n, 10000, 1.25);
        memset(x, CANARY, ROWS * stride * sizeof *x);
        assert_int_equal(
            fill(F32, &plan, pe_from(at), ROWS, PE_ROPE_TABLE_MATRIX, x, NULL, stride, NULL),
            PE_OK);
        for (size_t r = 0; r < ROWS; r++) {
            const float *const m = x + r * stride;
            for (size_t i = 0; i < n / 2; i++) {
                row[2 * i] = m[4 * i + 2], row[2 * i + 1] = m[4 * i];
                assert_int_equal(memcmp(&m[4 * i + 3], &m[4 * i], sizeof *m), 0);
                assert_true(m[4 * i + 1] == -m[4 * i + 2] &&
                            !signbit(m[4 * i + 1]) != !signbit(m[4 * i + 2]));
            }
            assert_int_equal(oracle_row_f32(&o, at + (int64_t)r, row), 0);
            assert_true(all_canaries((const unsigned char *)(m + 2 * n), sizeof *m));
        }
        for (type t = F16; t <= BF16; t = (type)(t + 1)) { /* of numbers that test_types proves */
            assert_int_equal(
                fill(t, &plan, pe_from(at), ROWS, PE_ROPE_TABLE_MATRIX, h, NULL, stride, NULL),
                PE_OK);
            for (size_t r = 0; r < ROWS; r++) {
                const uint16_t *const m = h + r * stride;
                assert_int_equal(
                    fill(t, &plan, pe_from(at + (int64_t)r), 1, PE_ROPE_TABLE_APART, c, s, n, NULL),
                    PE_OK);
                for (size_t i = 0; i < n / 2; i++) {
                    assert_true(m[4 * i] == c[i] && m[4 * i + 3] == c[i] && m[4 * i + 2] == s[i]);
                    assert_true(m[4 * i + 1] == (s[i] ^ 0x8000));
                }
            }
        }
        oracle_free(&o);
        free(x), free(row), free(h), free(c), free(memory);
    }
}

/* Holds what the tests of refused calls share. `good` is a table for heads of N elements with which
   a call succeeds. A refused call must change neither x, which equals `in`, nor y, which holds
   canaries. */
enum { H = 32, N = 2 * H, ROWS = 5, TOKENS = 3, HEADS = 2, ALL_OF = TOKENS * HEADS * N };
static float c[ROWS * 4 * H], s[ROWS * 4 * H];
static unsigned char x[ALL_OF * 4], y[ALL_OF * 4], in[ALL_OF * 4];
static const pe_rope_table good = {c, s, PE_TYPE_F32, PE_ROPE_TABLE_APART, H, ROWS, H};

static void refused_begin(type t)
{
    rng r = rng_for("test_refused");
    fill_random(t, in, ALL_OF, &r);
    memcpy(x, in, sizeof x), memset(y, CANARY, sizeof y);
}

/* Returns a place that no function of pe.h has made. */
static pe_at no_place(void)
{
    pe_at nobody = pe_from(0);
    memset(&nobody, 0, sizeof nobody);
    return nobody;
}

#define REFUSED(status, table, layout, rows)                                                       \
    do {                                                                                           \
        assert_int_equal(by((type)t, table, layout, rows, TOKENS, x, heads), status);              \
        assert_int_equal(by_to((type)t, table, layout, rows, TOKENS, N, in, heads, y, heads),      \
                         status);                                                                  \
        assert_memory_equal(x, in, sizeof x);                                                      \
        assert_true(all_canaries(y, sizeof y));                                                    \
    } while (0)
#define WRONG(status, field, value)                                                                \
    do {                                                                                           \
        pe_rope_table bad = good;                                                                  \
        bad.field = value;                                                                         \
        REFUSED(status, &bad, PE_LAYOUT_HALVES, pe_from(0));                                       \
        REFUSED(status, &bad, PE_LAYOUT_INTERLEAVED, pe_at_i64(ids));                              \
    } while (0)
/* Tests tables with a NULL, an unknown type or layout, or a wrong size. */
static void test_refused_tables(void **state)
{
    const pe_heads heads = lie(HEADS, N, HEADS * N);
    const int64_t ids[TOKENS] = {4, 0, 2};
    (void)state;
    for (int t = 0; t < TYPES; t++) {
        refused_begin((type)t);
        REFUSED(PE_ERR_NULL, NULL, PE_LAYOUT_HALVES, pe_from(0));
        WRONG(PE_ERR_NULL, cosines, NULL);
        WRONG(PE_ERR_NULL, sines, NULL);
        WRONG(PE_ERR_ENUM, type, (pe_type)3);
        WRONG(PE_ERR_ENUM, type, (pe_type)-1);
        WRONG(PE_ERR_ENUM, layout, (pe_rope_table_layout)5);
        WRONG(PE_ERR_ENUM, layout, (pe_rope_table_layout)-1);
        WRONG(PE_ERR_SHAPE, stride, H - 1);
        pe_rope_table wide = good; /* rows of the table and, out of place, heads are too short */
        wide.pairs = H + 1;
        assert_int_equal(by((type)t, &wide, PE_LAYOUT_HALVES, pe_from(0), TOKENS, x, heads),
                         PE_ERR_SHAPE);
        assert_int_equal(
            by_to((type)t, &wide, PE_LAYOUT_HALVES, pe_from(0), TOKENS, N, in, heads, y, heads),
            PE_ERR_HEAD_DIM);
        WRONG(PE_ERR_SIZE, pairs, SIZE_MAX / 2);
        WRONG(PE_ERR_SIZE, stride, SIZE_MAX / 4);
        WRONG(PE_ERR_SIZE, rows, SIZE_MAX / 4);
        WRONG(PE_ERR_RANGE, rows, 2);
        WRONG(PE_ERR_RANGE, rows, 0);
        REFUSED(PE_ERR_ENUM, &good, (pe_layout)2, pe_from(0));
        REFUSED(PE_ERR_ENUM, &good, (pe_layout)-1, pe_from(0));
    }
}

#define ONE(status, table, layout, rows, x, heads)                                                 \
    assert_int_equal(by((type)t, table, layout, rows, 1, x, heads), status)
#define WRONG_ONE(status, field, value)                                                            \
    do {                                                                                           \
        pe_rope_table bad = good;                                                                  \
        bad.field = value;                                                                         \
        ONE(status, &bad, PE_LAYOUT_HALVES, pe_from(1), x, heads);                                 \
        ONE(status, &bad, PE_LAYOUT_INTERLEAVED, pe_from(1), x, heads);                            \
    } while (0)
/* Tests such tables with one token, because other code tells the errors of a single token apart. */
static void test_refused_tables_of_one_token(void **state)
{
    const pe_heads heads = lie(HEADS, N, HEADS * N);
    (void)state;
    for (int t = 0; t < TYPES; t++) {
        refused_begin((type)t);
        static const int64_t zero = 0;
        const int64_t no_rows[4] = {ROWS, -1, INT64_MAX, INT64_MIN};
        for (size_t k = 0; k < 4; k++)
            ONE(PE_ERR_RANGE, &good, PE_LAYOUT_HALVES, pe_from(no_rows[k]), x, heads);
        WRONG_ONE(PE_ERR_NULL, cosines, NULL);
        WRONG_ONE(PE_ERR_NULL, sines, NULL);
        WRONG_ONE(PE_ERR_ENUM, type, (pe_type)3);
        WRONG_ONE(PE_ERR_ENUM, layout, (pe_rope_table_layout)5);
        WRONG_ONE(PE_ERR_SINES, layout, PE_ROPE_TABLE_JOINED);
        WRONG_ONE(PE_ERR_SHAPE, stride, H - 1);
        WRONG_ONE(PE_ERR_SHAPE, pairs, 2 * H);
        WRONG_ONE(PE_ERR_SIZE, stride, SIZE_MAX / 4);
        WRONG_ONE(PE_ERR_SIZE, rows, SIZE_MAX / 4);
        WRONG_ONE(PE_ERR_RANGE, rows, 1);
        pe_rope_table no_table = good; /* position 0 of no rows, by a range and by a list */
        no_table.rows = 0;
        ONE(PE_ERR_RANGE, &no_table, PE_LAYOUT_HALVES, pe_from(0), x, heads);
        ONE(PE_ERR_RANGE, &no_table, PE_LAYOUT_HALVES, pe_at_i64(&zero), x, heads);
        ONE(PE_ERR_NULL, NULL, PE_LAYOUT_HALVES, pe_from(1), x, heads);
        ONE(PE_ERR_NULL, &good, PE_LAYOUT_HALVES, pe_from(1), NULL, heads);
        ONE(PE_ERR_ENUM, &good, (pe_layout)2, pe_from(1), x, heads);
        ONE(PE_ERR_ENUM, &good, (pe_layout)-1, pe_from(1), x, heads);
        ONE(PE_ERR_AT_KIND, &good, PE_LAYOUT_HALVES, pe_delta(pe_from(1)), x, heads);
        ONE(PE_ERR_SHAPE, &good, PE_LAYOUT_HALVES, pe_from(1), x, lie(HEADS, N - 1, HEADS * N));
        ONE(PE_ERR_SIZE, &good, PE_LAYOUT_HALVES, pe_from(1), x, lie(SIZE_MAX / N, N, HEADS * N));
        ONE(PE_OK, &good, PE_LAYOUT_HALVES, pe_from(1), x, lie(0, N, HEADS * N));
        for (pe_rope_table_layout order = PE_ROPE_TABLE_JOINED; order <= PE_ROPE_TABLE_MATRIX;
             order = (pe_rope_table_layout)(order + 1)) {
            const size_t width = width_of(order, H);
            const pe_rope_table two = {c, s, PE_TYPE_F32, order, width, ROWS, H};
            const pe_rope_table narrow = {c, NULL, PE_TYPE_F32, order, width - 1, ROWS, H};
            const pe_rope_table none = {NULL, NULL, PE_TYPE_F32, order, width, ROWS, H};
            REFUSED(PE_ERR_SINES, &two, PE_LAYOUT_HALVES, pe_from(0));
            REFUSED(PE_ERR_SHAPE, &narrow, PE_LAYOUT_HALVES, pe_from(0));
            REFUSED(PE_ERR_NULL, &none, PE_LAYOUT_HALVES, pe_from(0));
            ONE(PE_ERR_SINES, &two, PE_LAYOUT_HALVES, pe_from(1), x, heads);
            ONE(PE_ERR_SHAPE, &narrow, PE_LAYOUT_HALVES, pe_from(1), x, heads);
            ONE(PE_ERR_NULL, &none, PE_LAYOUT_HALVES, pe_from(1), x, heads);
            const pe_rope_table one = {c, NULL, PE_TYPE_F32, order, width, 1, H};
            ONE(PE_ERR_RANGE, &one, PE_LAYOUT_HALVES, pe_from(1), x, heads);
            ONE(PE_ERR_ENUM, &one, (pe_layout)2, pe_from(0), x, heads);
            ONE(PE_ERR_NULL, &one, PE_LAYOUT_HALVES, pe_from(0), NULL, heads);
        }
        assert_memory_equal(x, in, sizeof x);
    }
}
#undef WRONG_ONE
#undef ONE
#undef WRONG

/* Tests places that are no rows of the table. */
static void test_refused_places(void **state)
{
    const pe_heads heads = lie(HEADS, N, HEADS * N);
    const size_t grid[1] = {3};
    const int64_t ids[TOKENS] = {4, 0, 2}, negative[TOKENS] = {4, -1, 2},
                  beyond[TOKENS] = {4, 0, 5};
    const int64_t far[TOKENS] = {4, 0, INT64_MAX}, below[TOKENS] = {0, INT64_MIN, 1};
    const int32_t beyond_32[TOKENS] = {0, 1, INT32_MAX};
    const double reals[TOKENS] = {0, 1, 2};
    const float floats[TOKENS] = {0, 1, 2};
    (void)state;
    for (int t = 0; t < TYPES; t++) {
        refused_begin((type)t);
        const pe_at nobody = no_place();
        for (int back = 0; back < 2; back++) {
#define AT(status, rows)                                                                           \
    do {                                                                                           \
        REFUSED(status, &good, PE_LAYOUT_HALVES, back ? pe_back(rows) : rows);                     \
        REFUSED(status, &good, PE_LAYOUT_INTERLEAVED, back ? pe_back(rows) : rows);                \
    } while (0)
            AT(PE_ERR_AT_KIND, nobody);
            AT(PE_ERR_AT_KIND, pe_at_f64(reals));
            AT(PE_ERR_AT_KIND, pe_at_f32(floats));
            AT(PE_ERR_AT_KIND, pe_coords_f64(reals, 1, 1, 1));
            AT(PE_ERR_AT_KIND, pe_coords_i64(ids, 2, 1, 0));
            AT(PE_ERR_AT_KIND, pe_coords_i64(ids, 0, 1, 0));
            AT(PE_ERR_AT_KIND, pe_grid(grid, 1));
            AT(PE_ERR_AT_KIND, pe_delta(pe_from(0)));
            AT(PE_ERR_AT_KIND, pe_delta(pe_at_i64(ids)));
            AT(PE_ERR_AT_NULL, pe_at_i64(NULL));
            AT(PE_ERR_AT_NULL, pe_at_i32(NULL));
            AT(PE_ERR_AT_SIZE, pe_coords_i64(ids, 1, SIZE_MAX / 8, 0));
            AT(PE_ERR_AT_SIZE, pe_skip(pe_at_i64(ids), SIZE_MAX - 1));
            AT(PE_ERR_RANGE, pe_from(3));
            AT(PE_ERR_RANGE, pe_from(-1));
            AT(PE_ERR_RANGE, pe_from(INT64_MIN));
            AT(PE_ERR_RANGE, pe_from(INT64_MAX));
            AT(PE_ERR_RANGE, pe_from_by(0, 3));
            AT(PE_ERR_RANGE, pe_from_by(1, -1));
            AT(PE_ERR_RANGE, pe_from_by(0, INT64_MAX));
            AT(PE_ERR_RANGE, pe_from_by(4, INT64_MIN));
            AT(PE_ERR_RANGE, pe_skip(pe_from(0), 3));
            AT(PE_ERR_RANGE, pe_skip(pe_from(0), SIZE_MAX));
            AT(PE_ERR_RANGE, pe_all(5));
            AT(PE_ERR_RANGE, pe_at_i64(negative));
            AT(PE_ERR_RANGE, pe_at_i64(beyond));
            AT(PE_ERR_RANGE, pe_at_i64(far));
            AT(PE_ERR_RANGE, pe_at_i64(below));
            AT(PE_ERR_RANGE, pe_at_i32(beyond_32));
#undef AT
        }
    }
}
#undef REFUSED

/* Tests calls that have nothing to do. They read no argument. With pairs = 0 a call in place
   changes nothing, and a call to another array copies. Heads of the other array that are too narrow
   or too few are refused. */
static void test_nothing_to_do(void **state)
{
    const pe_heads heads = lie(HEADS, N, HEADS * N);
    const int64_t ids[TOKENS] = {4, 0, 2};
    (void)state;
    for (int t = 0; t < TYPES; t++) {
        refused_begin((type)t);
        const pe_rope_table empty = {NULL, NULL, PE_TYPE_F16, PE_ROPE_TABLE_MATRIX, 3, ROWS, 0};
        assert_int_equal(by((type)t, NULL, (pe_layout)7, no_place(), 0, NULL, heads), PE_OK);
        assert_int_equal(by((type)t, NULL, (pe_layout)7, no_place(), 1, NULL, lie(0, 1, 1)), PE_OK);
        assert_int_equal(by((type)t, &empty, PE_LAYOUT_HALVES, pe_at_i64(ids), TOKENS, x, heads),
                         PE_OK);
        assert_memory_equal(x, in, sizeof x);
        assert_int_equal(by_to((type)t, &empty, PE_LAYOUT_HALVES, pe_at_i64(ids), TOKENS, N, in,
                               heads, y, heads),
                         PE_OK);
        assert_memory_equal(y, in, ALL_OF * bytes_of((type)t));
        memset(y, CANARY, sizeof y);
        assert_int_equal(
            by_to((type)t, &good, PE_LAYOUT_HALVES, pe_from(0), TOKENS, N - 1, in, heads, y, heads),
            PE_ERR_HEAD_DIM);
        assert_int_equal(by_to((type)t, &good, PE_LAYOUT_HALVES, pe_from(0), TOKENS, N, in, heads,
                               y, lie(1, N, N)),
                         PE_ERR_HEADS);
        assert_true(all_canaries(y, sizeof y));
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_table),
        cmocka_unit_test(test_told),
        cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_refused_tables),
        cmocka_unit_test(test_refused_tables_of_one_token),
        cmocka_unit_test(test_refused_places),
        cmocka_unit_test(test_nothing_to_do),
    };
    test_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
