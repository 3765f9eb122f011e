/* SPDX-License-Identifier: MIT */
/*
 * Proves what calls of RoPE accept and refuse, in every form: strides that are ignored, heads far
 * apart, guard pages. Bad input is in test_rope_refused.c.
 */
#include "heads.h"

/* Checks that the head_stride is ignored if there is one head, and the token_stride if there is one
   token. In-place calls are recognised all the same. The calls use a plan and a table. */
static void ignored_strides(void **state)
{
    enum { N = 16, MOST = 4 };
    float x[MOST * N], want[MOST * N], c[MOST * N], s[MOST * N];
    owned_plan p[2];
    rng r = rng_for("ignored_strides");
    pe_rope_table table;
    (void)state;
    plans_make(p, N, 10000, 1);
    const pe_plan *const plan = &p[PE_LAYOUT_HALVES].plan;
    assert_int_equal(
        pe_rope_table_f32(plan, pe_from(7), MOST, PE_ROPE_TABLE_APART, c, s, N, &table), PE_OK);
    for (unsigned k = 0; k < 8; k++) {
        const size_t tokens = k & 1 ? MOST : 1, heads = k & 2 ? 1 : MOST;
        const pe_heads in = lie(heads, heads == 1 ? 3 : N, tokens == 1 ? 5 : N);
        const pe_heads out = lie(heads, heads == 1 ? SIZE_MAX : N, tokens == 1 ? SIZE_MAX / 2 : N);
        if (tokens > 1 && heads > 1) continue;
        fill_random(F32, x, MOST * N, &r);
        memcpy(want, x, sizeof x);
        assert_int_equal(pe_rope_f32(plan, pe_from(7), tokens, want, in), PE_OK);
        if (k & 4)
            assert_int_equal(pe_rope_to_f32(plan, pe_from(7), tokens, N, x, in, x, out), PE_OK);
        else
            assert_int_equal(pe_rope_by_table_to_f32(&table, PE_LAYOUT_HALVES, pe_from(0), tokens,
                                                     N, x, in, x, out),
                             PE_OK);
        assert_memory_equal(x, want, sizeof x);
    }
}

/* Defines a test of the calls that exist for every type. Each must give the bits of the call in
   place with a list of positions. */
#define OTHER_CALLS(name, T, element)                                                              \
    static void name(const pe_plan *plan, pe_layout layout, const int64_t *list, rng *r)           \
    {                                                                                              \
        enum { TOKENS = 9, HEADS = 3, KEYS = 2, N = 20, H = HEADS * N, ALL = TOKENS * H };         \
        const pe_heads lies = lie(HEADS, N, H), keys = lie(KEYS, N, H), one = lie(1, N, H);        \
        const pe_heads none = lie(0, N, H);                                                        \
        const pe_at at = pe_at_i64(list), from = pe_from(77), zero = pe_from(0);                   \
        element in[ALL], x[ALL], k[ALL], want[ALL], k_want[ALL];                                   \
        float s[TOKENS * N], c[TOKENS * N];                                                        \
        int64_t same[TOKENS];                                                                      \
        for (size_t t = 0; t < TOKENS; t++) same[t] = list[0];                                     \
        fill_random(sizeof *in == 4 ? F32 : BF16, in, ALL, r);                                     \
        memcpy(want, in, sizeof in), memcpy(k_want, in, sizeof in);                                \
        assert_int_equal(pe_rope_##T(plan, at, TOKENS, want, lies), PE_OK);                        \
        assert_int_equal(pe_rope_##T(plan, at, TOKENS, k_want, keys), PE_OK);                      \
        memcpy(x, in, sizeof in), memcpy(k, in, sizeof in);                                        \
        assert_int_equal(pe_rope_qk_##T(plan, at, TOKENS, x, lies, k, keys), PE_OK);               \
        assert_memory_equal(x, want, sizeof x);                                                    \
        assert_memory_equal(k, k_want, sizeof k);                                                  \
        assert_int_equal(pe_rope_to_##T(plan, at, TOKENS, N, in, lies, x, lies), PE_OK);           \
        assert_memory_equal(x, want, sizeof x);                                                    \
        memcpy(x, in, sizeof in);                                                                  \
        assert_int_equal(pe_rope_##T(plan, pe_coords_i64(list, 1, 1, TOKENS), TOKENS, x, lies),    \
                         PE_OK);                                                                   \
        assert_memory_equal(x, want, sizeof x);                                                    \
        memcpy(x, in, sizeof in);                                                                  \
        assert_int_equal(pe_rope_##T(plan, pe_delta(at), TOKENS, x, lies), PE_OK);                 \
        assert_memory_equal(x, want, sizeof x);                                                    \
                                                                                                   \
        memcpy(want, in, sizeof in), memcpy(x, in, sizeof in);                                     \
        assert_int_equal(pe_rope_##T(plan, pe_at_i64(same), TOKENS, want, lies), PE_OK);           \
        assert_int_equal(pe_rope_##T(plan, pe_delta(pe_all(same[0])), TOKENS, x, lies), PE_OK);    \
        assert_memory_equal(x, want, sizeof x);                                                    \
                                                                                                   \
        memcpy(want, in, sizeof in), memcpy(k_want, in, sizeof in);                                \
        assert_int_equal(pe_rope_##T(plan, from, TOKENS, want, lies), PE_OK);                      \
        assert_int_equal(pe_rope_##T(plan, from, TOKENS, k_want, keys), PE_OK);                    \
        assert_int_equal(pe_rope_to_##T(plan, from, TOKENS, N, in, lies, x, lies), PE_OK);         \
        assert_memory_equal(x, want, sizeof x);                                                    \
        memcpy(x, in, sizeof in), memcpy(k, in, sizeof in);                                        \
        assert_int_equal(pe_rope_qk_##T(plan, from, TOKENS, x, lies, k, keys), PE_OK);             \
        assert_memory_equal(x, want, sizeof x);                                                    \
        assert_memory_equal(k, k_want, sizeof k);                                                  \
        memcpy(x, in, sizeof in);                                                                  \
        assert_int_equal(                                                                          \
            pe_rope_table_f32(plan, from, TOKENS, PE_ROPE_TABLE_APART, c, s, N, NULL), PE_OK);     \
        assert_int_equal(by_apart_##T(layout, c, s, N, N / 2, TOKENS, x, lies), PE_OK);            \
        assert_memory_equal(x, want, sizeof x);                                                    \
        memset(x, CANARY, sizeof x);                                                               \
        assert_int_equal(by_apart_to_##T(layout, c, s, N, N / 2, TOKENS, N, in, lies, x, lies),    \
                         PE_OK);                                                                   \
        assert_memory_equal(x, want, sizeof x);                                                    \
                                                                                                   \
        /* calls without work, and calls that are refused */                                       \
        const pe_at no_list = pe_coords_i64(NULL, 1, 1, 1),                                        \
                    no_axes = pe_coords_i64(list, 0, 1, 1);                                        \
        assert_int_equal(pe_rope_##T(plan, no_list, 0, x, one), PE_OK);                            \
        assert_int_equal(pe_rope_##T(plan, no_list, 1, x, none), PE_OK);                           \
        assert_int_equal(pe_rope_##T(plan, no_list, 1, x, one), PE_ERR_AT_NULL);                   \
        assert_int_equal(pe_rope_##T(plan, no_axes, 1, x, one), PE_ERR_AT_AXES);                   \
        assert_int_equal(pe_rope_to_##T(plan, zero, 1, 0, in, one, x, one), PE_ERR_HEAD_DIM);      \
        assert_int_equal(pe_rope_to_##T(plan, at, 1, 0, in, one, x, one), PE_ERR_HEAD_DIM);        \
        assert_int_equal(pe_rope_to_##T(plan, at, 1, N, in, keys, x, one), PE_ERR_HEADS);          \
        assert_int_equal(pe_rope_##T(NULL, pe_delta(pe_all(1)), 0, x, one), PE_OK);                \
        assert_int_equal(pe_rope_##T(NULL, pe_delta(pe_all(1)), 1, x, none), PE_OK);               \
        assert_int_equal(pe_rope_##T(NULL, pe_delta(pe_all(1)), 1, x, one), PE_ERR_NULL);          \
        assert_int_equal(pe_rope_##T(NULL, pe_delta(at), 0, x, one), PE_OK);                       \
        assert_int_equal(pe_rope_##T(NULL, pe_delta(at), 1, x, none), PE_OK);                      \
        assert_int_equal(pe_rope_##T(NULL, pe_delta(at), 1, x, one), PE_ERR_NULL);                 \
        assert_int_equal(by_apart_##T(layout, c, s, N, 5, 0, x, one), PE_OK);                      \
        assert_int_equal(by_apart_##T(layout, c, s, N, 5, 1, x, none), PE_OK);                     \
        assert_int_equal(by_apart_##T(layout, c, s, N, 0, 1, x, one), PE_OK);                      \
        assert_int_equal(by_apart_##T(layout, NULL, s, N, 5, 1, x, one), PE_ERR_NULL);             \
        assert_int_equal(by_apart_##T(layout, c, NULL, N, 5, 1, x, one), PE_ERR_NULL);             \
        assert_int_equal(by_apart_##T(layout, c, s, 4, 5, 1, x, one), PE_ERR_SHAPE);               \
        assert_int_equal(by_apart_##T((pe_layout)2, c, s, N, 5, 1, x, one), PE_ERR_ENUM);          \
        assert_int_equal(by_apart_##T(layout, c, s, SIZE_MAX, SIZE_MAX / 2 + 1, 1, x, one),        \
                         PE_ERR_SIZE);                                                             \
        assert_int_equal(by_apart_to_##T(layout, c, s, N, 5, 0, N, in, one, x, one), PE_OK);       \
        assert_int_equal(by_apart_to_##T(layout, c, s, N, 5, 1, N, in, none, x, none), PE_OK);     \
        assert_int_equal(by_apart_to_##T(layout, NULL, s, N, 5, 1, N, in, one, x, one),            \
                         PE_ERR_NULL);                                                             \
        assert_int_equal(by_apart_to_##T(layout, c, NULL, N, 5, 1, N, in, one, x, one),            \
                         PE_ERR_NULL);                                                             \
        assert_int_equal(by_apart_to_##T(layout, c, s, N, 5, 1, N, NULL, one, x, one),             \
                         PE_ERR_NULL);                                                             \
        assert_int_equal(by_apart_to_##T(layout, c, s, N, 5, 1, N, in, one, NULL, one),            \
                         PE_ERR_NULL);                                                             \
        assert_int_equal(by_apart_to_##T(layout, c, s, 4, 5, 1, N, in, one, x, one),               \
                         PE_ERR_SHAPE);                                                            \
        assert_int_equal(by_apart_to_##T(layout, c, s, N, 5, 1, 9, in, one, x, one),               \
                         PE_ERR_HEAD_DIM);                                                         \
        assert_int_equal(by_apart_to_##T(layout, c, s, N, 5, 1, 9, x, one, x, one),                \
                         PE_ERR_HEAD_DIM);                                                         \
        assert_int_equal(by_apart_to_##T(layout, c, s, N, 5, 1, 0, x, one, x, one),                \
                         PE_ERR_HEAD_DIM);                                                         \
        assert_int_equal(by_apart_to_##T(layout, c, s, N, 0, 1, N, NULL, one, NULL, one),          \
                         PE_ERR_NULL);                                                             \
        assert_int_equal(by_apart_to_##T(layout, c, s, N, 5, 1, N, in, one, x, keys),              \
                         PE_ERR_HEADS);                                                            \
        assert_int_equal(by_apart_to_##T((pe_layout) - 1, c, s, N, 5, 1, N, in, one, x, one),      \
                         PE_ERR_ENUM);                                                             \
        assert_int_equal(pe_rope_table_##T(plan, zero, 0, (pe_rope_table_layout)7, x, x, N, NULL), \
                         PE_OK);                                                                   \
        assert_int_equal(                                                                          \
            pe_rope_table_##T(plan, zero, 1, (pe_rope_table_layout)7, x, x + ALL / 2, N, NULL),    \
            PE_ERR_ENUM);                                                                          \
        assert_memory_equal(x, want, sizeof x);                                                    \
    }
OTHER_CALLS(other_calls_f32, f32, float)
OTHER_CALLS(other_calls_f16, f16, uint16_t)
OTHER_CALLS(other_calls_bf16, bf16, uint16_t)

/* Checks heads that are further apart than the memory that is prefetched: they have the bits of
   heads rotated one by one. */
static void test_far_heads(void **state)
{
    enum { N = 48, TOKENS = 3, HEADS = 3, FAR = 5000 };
    float *x = (float *)must_alloc(TOKENS * HEADS * FAR * sizeof *x), one[N];
    rng r = rng_for("test_far_heads");
    owned_plan p;
    (void)state;
    plan_make(&p, N, 10000, 1);
    fill_random(F32, x, TOKENS * HEADS * FAR, &r);
    float *want = (float *)must_alloc(TOKENS * HEADS * FAR * sizeof *x);
    memcpy(want, x, TOKENS * HEADS * FAR * sizeof *x);
    for (size_t k = 0; k < TOKENS * HEADS; k++) {
        memcpy(one, want + k * FAR, sizeof one);
        assert_int_equal(
            pe_rope_f32(&p.plan, pe_from(90 + (int64_t)(k / HEADS)), 1, one, lie(1, N, N)), PE_OK);
        memcpy(want + k * FAR, one, sizeof one);
    }
    assert_int_equal(pe_rope_f32(&p.plan, pe_from(90), TOKENS, x, lie(HEADS, FAR, HEADS * FAR)),
                     PE_OK);
    assert_memory_equal(x, want, TOKENS * HEADS * FAR * sizeof *x);
    free(x);
    free(want);
    plan_free(&p);
}

static void test_every_call(void **state)
{
    rng r = rng_for("test_every_call");
    int64_t list[9];
    owned_plan p[2];
    (void)state;
    plans_make(p, 20, 10000, 1);
    for (int k = 0; k < 2; k++) {
        const pe_layout layout = (pe_layout)k;
        for (size_t t = 0; t < LENGTH(list); t++) list[t] = rng_position(&r);
        other_calls_f32(&p[k].plan, layout, list, &r);
        other_calls_f16(&p[k].plan, layout, list, &r);
        other_calls_bf16(&p[k].plan, layout, list, &r);
    }
    plans_free(p);
}

/* Checks that the stride of a single head or token may be any number, because it is never used. The
   library once added it to an address to prefetch it, which the sanitizer of undefined behaviour
   reports. */
static void test_strides_of_one(void **state)
{
    enum { N = 40, PAIR = 2, ALL = PAIR * N };
    static const size_t any[] = {
        0, 1, N, SIZE_MAX, SIZE_MAX / 2 + 1, SIZE_MAX / 4 + 1, SIZE_MAX / 8 + 1};
    static const size_t shapes[][2] = {{1, 1}, {1, PAIR}, {PAIR, 1}}; /* tokens, heads */
    rng r = rng_for("test_strides_of_one");
    owned_plan both[2];
    (void)state;
    plans_make(both, N, 10000, 1);
    for (size_t k = 0; k < 2 * LENGTH(shapes) * LENGTH(any); k++) {
        const pe_plan *const p = &both[k % 2].plan;
        const size_t *const shape = shapes[k / 2 % LENGTH(shapes)];
        const size_t tokens = shape[0], heads = shape[1], wild = any[k / 2 / LENGTH(shapes)];
        const pe_heads tame = lie(heads, N, heads * N);
        const pe_heads strange = lie(heads, heads == 1 ? wild : N, tokens == 1 ? wild : N);
        const pe_at at = pe_from(9);
        float in[ALL], want[ALL], got[ALL];
        uint16_t h_in[ALL], h_want[ALL], h_got[ALL];
        fill_random(F32, in, ALL, &r);
        fill_random(BF16, h_in, ALL, &r);

        memcpy(want, in, sizeof in), memcpy(got, in, sizeof in);
        assert_int_equal(pe_rope_f32(p, at, tokens, want, tame), PE_OK);
        assert_int_equal(pe_rope_f32(p, at, tokens, got, strange), PE_OK);
        assert_memory_equal(got, want, sizeof want);
        memcpy(got, in, sizeof in); /* what is not written is as in want */
        assert_int_equal(pe_rope_to_f32(p, at, tokens, N, in, strange, got, tame), PE_OK);
        assert_memory_equal(got, want, sizeof want);
        memcpy(got, in, sizeof in);
        assert_int_equal(pe_rope_to_f32(p, at, tokens, N, in, tame, got, strange), PE_OK);
        assert_memory_equal(got, want, sizeof want);

        memcpy(h_want, h_in, sizeof h_in), memcpy(h_got, h_in, sizeof h_in);
        assert_int_equal(pe_rope_bf16(p, at, tokens, h_want, tame), PE_OK);
        assert_int_equal(pe_rope_bf16(p, at, tokens, h_got, strange), PE_OK);
        assert_memory_equal(h_got, h_want, sizeof h_want);
        assert_int_equal(pe_rope_to_f32_bf16(p, at, tokens, N, in, tame, h_want, tame), PE_OK);
        assert_int_equal(pe_rope_to_f32_bf16(p, at, tokens, N, in, strange, h_got, strange), PE_OK);
        for (size_t i = 0; i < tokens * heads * N; i++) assert_int_equal(h_got[i], h_want[i]);
    }
    plans_free(both);
}

/* Checks heads that end at a page that faults, and heads that begin behind one. */
static void test_guard_pages(void **state)
{
    guarded g;
    (void)state;
    FAIL_ON_FAULT();
    g = guarded_make(65536);
    for (size_t n = 2; n <= 140; n += n < 70 ? 2 : 10) {
        owned_plan p[2];
        plans_make(p, n, 10000, 1);
        for (unsigned form = 0; form < 3 * 2 * 2 * 2; form++) {
            const type t = (type)(form % 3);
            const size_t tokens = 5, heads = 3, bytes = tokens * heads * n * bytes_of(t);
            const size_t shift = form / 12 % 2 ? 0 : bytes_of(t); /* not aligned to a vector */
            job j;
            j.t = t, j.layout = form / 3 % 2 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
            j.inverse = 0, j.first = 7, j.positions = NULL;
            j.tokens = tokens, j.heads = heads, j.head_dim = n;
            j.token_stride = heads * n, j.head_stride = n;
            if (form / 6 % 2) j.token_stride = n, j.head_stride = tokens * n;
            fault_case("n %zu, form %u", n, form);
            memset(g.begin, 0, 65536);
            j.x = g.end - bytes;
            assert_int_equal(rope(p, &j), PE_OK);
            j.x = g.begin + shift;
            assert_int_equal(rope(p, &j), PE_OK);
        }
        plans_free(p);
    }
    guarded_free(&g);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ignored_strides),  cmocka_unit_test(test_strides_of_one),
        cmocka_unit_test(test_guard_pages), cmocka_unit_test(test_every_call),
        cmocka_unit_test(test_far_heads),
    };
    test_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
