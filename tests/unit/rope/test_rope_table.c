/* SPDX-License-Identifier: MIT */
/*
 * Proves RoPE's tables: each layout and type, what a NaN in one does, and heads that are rotated by
 * one. More tests with gathered rows are in test_tables.c.
 */
#include "heads.h"

/* Tests one head of one token in place, which has code of its own if no pair is left over. The
   bits are compared for a table with sines in an array of their own, and for the last row of one
   array. Bad arguments have to be refused. */
static void test_by_table_one_head(void **state)
{
    static const size_t widths[] = {2, 16, 30, 32, 62, 64, 128, 130, 256, 512, 514, 1024};
    const pe_heads one = {1, 7, 3}; /* one head of one token does not use its strides */
    rng r = rng_for("test_by_table_one_head");
    (void)state;
    for (unsigned k = 0; k < LENGTH(widths) * 2 * 3; k++) {
        const size_t n = widths[k % LENGTH(widths)], h = n / 2;
        const pe_layout layout = k / LENGTH(widths) % 2 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
        const type t = k / LENGTH(widths) / 2 == 0 ? F32 : k / LENGTH(widths) / 2 == 1 ? F16 : BF16;
        const size_t bytes = n * bytes_of(t);
        float *c = (float *)must_alloc(h * sizeof *c), *s = (float *)must_alloc(h * sizeof *s);
        void *x = must_alloc(bytes), *y = must_alloc(bytes), *want = must_alloc(bytes);
        const size_t rows = 1 + rng_below(&r, 3), stride = n + rng_below(&r, 3),
                     last = (rows - 1) * stride;
        float *both = (float *)must_alloc((last + n) * sizeof *both);
        const pe_rope_table joined = {both, NULL, PE_TYPE_F32, PE_ROPE_TABLE_JOINED, stride,
                                      rows, h};
        for (size_t i = 0; i < last; i++) both[i] = (float)NAN;
        for (size_t i = 0; i < h; i++) {
            both[last + i] = c[i] = random_value(&r);
            both[last + h + i] = s[i] = random_value(&r);
        }
        fill_random(t, x, n, &r);
        memcpy(want, x, bytes);
        memcpy(y, x, bytes);
#define TURN(layout, c, s, stride, pairs, x)                                                       \
    (t == F32   ? by_apart_f32(layout, c, s, stride, pairs, 1, (float *)(x), one)                  \
     : t == F16 ? by_apart_f16(layout, c, s, stride, pairs, 1, (uint16_t *)(x), one)               \
                : by_apart_bf16(layout, c, s, stride, pairs, 1, (uint16_t *)(x), one))
        assert_int_equal(TURN(layout, NULL, s, h, h, x), PE_ERR_NULL);
        assert_int_equal(TURN(layout, c, NULL, h, h, x), PE_ERR_NULL);
        assert_int_equal(TURN(layout, c, s, h, h, NULL), PE_ERR_NULL);
        assert_int_equal(TURN((pe_layout)2, c, s, h, h, x), PE_ERR_ENUM);
        assert_int_equal(TURN(layout, c, s, h - 1, h, x), PE_ERR_SHAPE);
        assert_int_equal(TURN(layout, c, s, SIZE_MAX, h, x), PE_ERR_SIZE);
        assert_int_equal(TURN(layout, c, s, SIZE_MAX / 2, SIZE_MAX / 2, x), PE_ERR_SIZE);
        assert_int_equal(TURN(layout, c, s, h, 0, x), PE_OK);
        assert_memory_equal(x, want, bytes);
        turn(t, layout, s, c, 1, n, want);
        assert_int_equal(TURN(layout, c, s, h, h, x), PE_OK);
#undef TURN
        assert_memory_equal(x, want, bytes);
        const pe_at row = pe_from((int64_t)rows - 1);
        assert_int_equal(t == F32 ? pe_rope_by_table_f32(&joined, layout, row, 1, (float *)y, one)
                         : t == F16
                             ? pe_rope_by_table_f16(&joined, layout, row, 1, (uint16_t *)y, one)
                             : pe_rope_by_table_bf16(&joined, layout, row, 1, (uint16_t *)y, one),
                         PE_OK);
        assert_memory_equal(y, want, bytes);
        free(c), free(s), free(x), free(y), free(want), free(both);
    }
}

/* Tests rotation out of place by the caller's table: the result is a copy that is rotated in
   place. */
static void test_by_table_to(void **state)
{
    static const size_t widths[] = {2, 6, 16, 30, 64, 128, 130};
    enum { TOKENS = 7, HEADS = 3, MOST = TOKENS * HEADS * 180 };
    static unsigned char in[MOST * 4], got[MOST * 4], want[MOST * 4];
    static float c[TOKENS * 70], s[TOKENS * 70];
    rng r = rng_for("test_by_table_to");
    (void)state;
    for (size_t k = 0; k < 6 * LENGTH(widths) * (workload(16) + 1); k++) {
        const size_t n = widths[k / 6 % LENGTH(widths)] * (rng_below(&r, 8) != 0), h = n / 2;
        const size_t dim = n + (size_t[]){0, 1, 8, 33}[rng_below(&r, 4)], gap = rng_below(&r, 4);
        const size_t stride = h + rng_below(&r, 3);
        const type t = (type)(k % TYPES);
        const pe_layout layout = (pe_layout)(k / 3 % 2);
        const pe_heads from = lie(HEADS, dim, HEADS * dim + gap);
        const pe_heads to = lie(HEADS, TOKENS * (dim + gap), dim + gap);
        pe_status status;
        if (dim == 0) continue;
        for (size_t i = 0; i < TOKENS * stride; i++)
            c[i] = random_value(&r), s[i] = random_value(&r);
        fill_random(t, in, MOST, &r);
        memset(got, CANARY, sizeof got), memset(want, CANARY, sizeof want);
        for (size_t token = 0; token < TOKENS; token++)
            for (size_t head = 0; head < HEADS; head++) {
                unsigned char *const to_head =
                    want + (token * to.token_stride + head * to.head_stride) * bytes_of(t);
                memcpy(to_head, in + (token * from.token_stride + head * dim) * bytes_of(t),
                       dim * bytes_of(t));
                turn(t, layout, s + token * stride, c + token * stride, 1, n, to_head);
            }
        status =
            t == F32 ? by_apart_to_f32(layout, c, s, stride, h, TOKENS, dim,
                                       (const float *)(void *)in, from, (float *)(void *)got, to)
            : t == F16
                ? by_apart_to_f16(layout, c, s, stride, h, TOKENS, dim,
                                  (const uint16_t *)(void *)in, from, (uint16_t *)(void *)got, to)
                : by_apart_to_bf16(layout, c, s, stride, h, TOKENS, dim,
                                   (const uint16_t *)(void *)in, from, (uint16_t *)(void *)got, to);
        assert_int_equal(status, PE_OK);
        if (memcmp(got, want, sizeof got) != 0)
            fail_msg("%s, %s, n %zu, head_dim %zu, gap %zu", type_names[t], layout_names[layout], n,
                     dim, gap);
    }
}

/* Tests each table's layout and bits in every type. */
static void test_tables(void **state)
{
    static const size_t widths[] = {2, 6, 30, 64, 128, 514};
    enum { ROWS = 40, PAD = 3 };
    (void)state;
    for (size_t w = 0; w < LENGTH(widths); w++) {
        const size_t n = widths[w], h = n / 2, stride = n + PAD;
        const int64_t first = 123456;
        float *fill = (float *)must_alloc(ROWS * n * sizeof *fill);
        const pe_at at = pe_from(first);
        owned_plan p[2];
        plans_make(p, n, 10000, 1);
        for (int t = 0; t < TYPES; t++) {
            const size_t e = bytes_of((type)t), bytes = ROWS * stride * e;
            unsigned char *a = (unsigned char *)must_alloc(bytes), *row = (unsigned char *)fill;
            unsigned char *b = (unsigned char *)must_alloc(bytes);
#define ELEMENT(table, r, column) ((table) + ((r) * stride + (column)) * e)
#define SAME(table, r, column, i, is_cos)                                                          \
    assert_memory_equal(ELEMENT(table, r, column), row + ((r) * n + 2 * (i) + (is_cos)) * e, e)
            if (t == F32) assert_int_equal(pe_fill_f32(&p->plan, at, ROWS, fill, n), PE_OK);
            else if (t == F16)
                assert_int_equal(pe_fill_f16(&p->plan, at, ROWS, (uint16_t *)fill, n), PE_OK);
            else assert_int_equal(pe_fill_bf16(&p->plan, at, ROWS, (uint16_t *)fill, n), PE_OK);
            for (int layout = 0; layout < 2; layout++) { /* of pairs: matters to TWICE alone */
                const pe_plan *const plan = &p[layout].plan;
                memset(a, CANARY, bytes);
                memset(b, CANARY, bytes);
                assert_int_equal(table((type)t, plan, at, ROWS, PE_ROPE_TABLE_APART, a, b, stride),
                                 PE_OK);
                for (size_t r = 0; r < ROWS; r++) {
                    for (size_t i = 0; i < h; i++) {
                        SAME(a, r, i, i, 1);
                        SAME(b, r, i, i, 0);
                    }
                    assert_true(all_canaries(ELEMENT(a, r, h), (stride - h) * e));
                    assert_true(all_canaries(ELEMENT(b, r, h), (stride - h) * e));
                }
                memset(a, CANARY, bytes);
                memset(b, CANARY, bytes);
                assert_int_equal(table((type)t, plan, at, ROWS, PE_ROPE_TABLE_TWICE, a, b, stride),
                                 PE_OK);
                for (size_t r = 0; r < ROWS; r++) {
                    for (size_t i = 0; i < n; i++) {
                        SAME(a, r, i, pair_of((pe_layout)layout, i, n), 1);
                        SAME(b, r, i, pair_of((pe_layout)layout, i, n), 0);
                    }
                    assert_true(all_canaries(ELEMENT(a, r, n), PAD * e));
                    assert_true(all_canaries(ELEMENT(b, r, n), PAD * e));
                }
                assert_int_equal(
                    table((type)t, plan, at, ROWS, PE_ROPE_TABLE_JOINED, a, NULL, stride), PE_OK);
                assert_int_equal(
                    table((type)t, plan, at, ROWS, PE_ROPE_TABLE_COMPLEX, b, NULL, stride), PE_OK);
                for (size_t r = 0; r < ROWS; r++) {
                    for (size_t i = 0; i < h; i++) {
                        SAME(a, r, i, i, 1);
                        SAME(a, r, h + i, i, 0);
                        SAME(b, r, 2 * i, i, 1);
                        SAME(b, r, 2 * i + 1, i, 0);
                    }
                    assert_true(all_canaries(ELEMENT(a, r, n), PAD * e));
                    assert_true(all_canaries(ELEMENT(b, r, n), PAD * e));
                }
            }
            free(a);
            free(b);
        }
        free(fill);
        plans_free(p);
    }
}

/* Tests that NaNs of a caller's table, of any payload, make NaNs in their pair of each head, and
   nowhere else. */
static void test_nan_table(void **state)
{
    static const uint32_t nans[] = {0x7f800001, 0x7fffffff, 0xffffffff, 0x7fc00000, 0xff80ffff};
    static const size_t widths[] = {6, 30, 64, 128};
    enum { HEADS = 3, MOST = HEADS * 128 };
    static uint16_t clean[MOST], x[MOST];
    rng r = rng_for("test_nan_table");
    (void)state;
    for (size_t m = 0; m < workload(4000); m++) {
        const size_t n = widths[m % LENGTH(widths)], bad = rng_below(&r, n / 2);
        const type t = rng_below(&r, 2) ? F16 : BF16;
        const pe_layout layout = rng_below(&r, 2) ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
        float c[64], s[64];
        for (size_t i = 0; i < n / 2; i++) c[i] = random_value(&r), s[i] = random_value(&r);
        fill_random(t, clean, HEADS * n, &r);
        memcpy(x, clean, sizeof x);
        assert_int_equal(by_table(t, layout, c, s, n, HEADS, clean), PE_OK);
        memcpy(rng_below(&r, 2) ? &c[bad] : &s[bad], &nans[m / 4 % LENGTH(nans)], sizeof *c);
        assert_int_equal(by_table(t, layout, c, s, n, HEADS, x), PE_OK);
        for (size_t e = 0; e < HEADS * n; e++) {
            if (pair_of(layout, e % n, n) == bad)
                assert_true((x[e] & 0x7fff) >= (t == F16 ? 0x7e00 : 0x7fc0));
            else assert_int_equal(x[e], clean[e]);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_nan_table),
        cmocka_unit_test(test_by_table_to),
        cmocka_unit_test(test_by_table_one_head),
    };
    test_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
