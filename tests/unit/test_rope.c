/* SPDX-License-Identifier: MIT */
/*
 * Proves that RoPE turns heads as pe.h says: sines and cosines correctly rounded (MPFR), two products
 * and a sum, each rounded to float, 16-bit types once more; every bit is compared. Both layouts of pairs, every
 * kind of place, plans in one step and their sections, strides, what must stay untouched, guard pages,
 * bad input, tables.
 */
#include "common.h"
#include "apart.h"
#include "oracle.h"
#include "turn.h"

#include <float.h>

/* Sines and cosines of a plan of the default layout: pe_fill_f32 is proven by test_exact. */
static void sines_at(const pe_plan *plan, pe_at at, float *s, float *c)
{
    const size_t n = plan->d_model;
    float *row = (float *)must_alloc(n * sizeof *row);
    assert_int_equal(pe_fill_f32(plan, at, 1, row, n), PE_OK);
    for (size_t i = 0; i < n / 2; i++) s[i] = row[2 * i], c[i] = row[2 * i + 1];
    free(row);
}

static void plan_of(owned_plan *p, pe_config config)
{
    p->config = config;
    p->memory_bytes = pe_plan_size(&config);
    p->memory = must_alloc(p->memory_bytes);
    assert_int_equal(pe_plan_init(&p->plan, &config, p->memory, p->memory_bytes), PE_OK);
}

/* The same frequencies in both layouts: p[PE_LAYOUT_INTERLEAVED], p[PE_LAYOUT_HALVES]. */
static void plans_make(owned_plan p[2], size_t n, double base, double amplitude)
{
    for (int layout = 0; layout < 2; layout++) {
        pe_config config = config_of(n, base, amplitude);
        config.layout = (pe_layout)layout;
        plan_of(&p[layout], config);
    }
}

static void plans_free(owned_plan p[2])
{
    plan_free(&p[0]);
    plan_free(&p[1]);
}

/* What to turn: tokens at first, first + 1 ... or at a list. */
typedef struct job {
    type t;
    pe_layout layout;
    int inverse;
    int64_t first;
    const int64_t *positions;
    size_t tokens, heads, head_dim;
    void *x;
    size_t token_stride, head_stride;
} job;

static pe_status rope_at(type t, const pe_plan *plan, pe_at at, size_t tokens, void *x,
                         pe_heads heads)
{
    return t == F32   ? pe_rope_f32(plan, at, tokens, (float *)x, heads)
           : t == F16 ? pe_rope_f16(plan, at, tokens, (uint16_t *)x, heads)
                      : pe_rope_bf16(plan, at, tokens, (uint16_t *)x, heads);
}

static pe_status rope(const owned_plan p[2], const job *j)
{
    const pe_at at = j->positions ? pe_at_i64(j->positions) : pe_from(j->first);
    return rope_at(j->t, &p[j->layout].plan, j->inverse ? pe_back(at) : at, j->tokens, j->x,
                   lie(j->heads, j->head_stride, j->token_stride));
}

static void *head_of(const job *j, void *x, size_t token, size_t head)
{
    return (unsigned char *)x + (token * j->token_stride + head * j->head_stride) * bytes_of(j->t);
}

/* The same by the reference; s and c have room for the plan's pairs. */
static void expect(const owned_plan p[2], const job *j, void *x, float *s, float *c)
{
    for (size_t t = 0; t < j->tokens; t++) {
        const pe_at at = pe_all(j->positions ? j->positions[t] : j->first + (int64_t)t);
        sines_at(&p[PE_LAYOUT_INTERLEAVED].plan, at, s, c);
        for (size_t k = 0; k < j->heads; k++)
            turn(j->t, j->layout, s, c, j->inverse ? -1 : 1, p->config.d_model,
                 head_of(j, x, t, k));
    }
}

static void compare(const job *j, const void *got, const void *want, size_t bytes, size_t n)
{
    if (memcmp(got, want, bytes) == 0) return;
    for (size_t i = 0; i < bytes / bytes_of(j->t); i++)
        if (memcmp((const char *)got + i * bytes_of(j->t), (const char *)want + i * bytes_of(j->t),
                   bytes_of(j->t)) != 0)
            fail_msg("%s %s%s, n %zu, tokens %zu, heads %zu, head_dim %zu, strides %zu %zu, first "
                     "%" PRId64 ": element %zu is %a, not %a",
                     type_names[j->t], layout_names[j->layout], j->inverse ? " back" : "", n,
                     j->tokens, j->heads, j->head_dim, j->token_stride, j->head_stride, j->first, i,
                     (double)get(j->t, got, i), (double)get(j->t, want, i));
}

/* ------------------------------------------------------------------------------------------------
 * Tests
 * --------------------------------------------------------------------------------------------- */

/* Cosine and sine against MPFR, the rotation against products and sums in MPFR: nothing of the library's. */
static void test_exact_rotation(void **state)
{
    static const double amplitudes[] = {1, 1.2079441541679836, 0.7};
    rng r = rng_for("test_exact_rotation");
    (void)state;
    for (size_t k = 0; k < LENGTH(amplitudes); k++) {
        const size_t n = 64, cases = workload(64);
        owned_plan p;
        oracle o;
        mpfr_t x, y;
        pe_config config = config_of(n, 500000, amplitudes[k]);
        config.layout = PE_LAYOUT_HALVES;
        plan_of(&p, config);
        oracle_make(&o, "test_exact_rotation", n, 500000, amplitudes[k]);
        mpfr_inits2(24, x, y, (mpfr_ptr)NULL);
        for (size_t m = 0; m < cases; m++) {
            const int64_t position =
                m % 2 ? hard_positions[m / 2 % LENGTH(hard_positions)] : rng_position(&r);
            float in[64], out[64];
            fill_random(F32, in, n, &r);
            memcpy(out, in, sizeof out);
            assert_int_equal(pe_rope_f32(&p.plan, pe_from(position), 1, out, lie(1, n, n)), PE_OK);
            for (size_t i = 0; i < n / 2; i++) {
                const float a = in[i], b = in[i + n / 2];
                float s, c;
                oracle_pair(&o, position, i);
                s = mpfr_get_flt(o.element[0], MPFR_RNDN),
                c = mpfr_get_flt(o.element[1], MPFR_RNDN);
                mpfr_set_flt(x, b, MPFR_RNDN);
                mpfr_mul_d(x, x, -(double)s, MPFR_RNDN); /* 24 bits: rounded as a float */
                mpfr_set_flt(y, a, MPFR_RNDN);
                mpfr_mul_d(y, y, (double)c, MPFR_RNDN);
                mpfr_add(y, y, x, MPFR_RNDN);
                if (out[i] != mpfr_get_flt(y, MPFR_RNDN))
                    fail_msg("position %" PRId64 ", pair %zu: a' is %a, not %a", position, i,
                             (double)out[i], mpfr_get_d(y, MPFR_RNDN));
                mpfr_set_flt(x, a, MPFR_RNDN);
                mpfr_mul_d(x, x, (double)s, MPFR_RNDN);
                mpfr_set_flt(y, b, MPFR_RNDN);
                mpfr_mul_d(y, y, (double)c, MPFR_RNDN);
                mpfr_add(y, y, x, MPFR_RNDN);
                if (out[i + n / 2] != mpfr_get_flt(y, MPFR_RNDN))
                    fail_msg("position %" PRId64 ", pair %zu: b' is %a, not %a", position, i,
                             (double)out[i + n / 2], mpfr_get_d(y, MPFR_RNDN));
            }
        }
        mpfr_clears(x, y, (mpfr_ptr)NULL);
        oracle_free(&o);
        plan_free(&p);
    }
}

/* Every type, layout of pairs and of heads, direction and width, consecutive positions and lists; what lies between
   heads and behind the rotary dim keeps its bits. */
static void test_all_forms(void **state)
{
    /* the widest first, so that a quick run has it, too */
    static const size_t widths[] = {1026, 2,  4,  6,  8,   14,  16,  18,  30,  32,  34,  62,
                                    64,   66, 80, 96, 126, 128, 130, 256, 510, 512, 514, 520};
    rng r = rng_for("test_all_forms");
    float *s = (float *)must_alloc(1026 * sizeof *s), *c = (float *)must_alloc(1026 * sizeof *c);
    (void)state;
    for (size_t w = 0; w < LENGTH(widths); w += every()) {
        const size_t n = widths[w];
        owned_plan p[2];
        plans_make(p, n, 10000, w % 3 == 1 ? 1.25 : 1);
        for (unsigned form = 0; form < 3 * 2 * 2 * 2 * 2; form++) {
            int64_t positions[80];
            job j;
            size_t elements;
            void *got, *want;
            j.t = (type)(form % 3);
            j.layout = form / 3 % 2 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
            j.inverse = form / 6 % 2;
            j.tokens = form / 24 % 2 ? 1 + rng_below(&r, 4) : n <= 128 ? 70 : 9;
            j.heads = 1 + rng_below(&r, 3);
            j.head_dim = n + (size_t[]){0, 1, 7}[rng_below(&r, 3)];
            j.first = rng_position(&r) / 2;
            j.positions = NULL;
            if (form / 12 % 2) {
                for (size_t t = 0; t < j.tokens; t++)
                    positions[t] = t == 0 || rng_below(&r, 4) == 0
                                       ? rng_position(&r) / 2
                                       : positions[t - 1] + (int64_t)(rng_below(&r, 4) != 0);
                j.positions = positions;
            }
            j.head_stride = j.head_dim, j.token_stride = j.heads * j.head_dim + form % 5;
            if (rng_below(&r, 2))
                j.token_stride = j.head_dim, j.head_stride = j.tokens * j.head_dim + form % 5;
            elements = (j.tokens - 1) * j.token_stride + (j.heads - 1) * j.head_stride + j.head_dim;
            got = must_alloc(elements * bytes_of(j.t)), want = must_alloc(elements * bytes_of(j.t));
            fill_random(j.t, got, elements, &r);
            memcpy(want, got, elements * bytes_of(j.t));
            expect(p, &j, want, s, c);
            j.x = got;
            assert_int_equal(rope(p, &j), PE_OK);
            compare(&j, got, want, elements * bytes_of(j.t), n);
            free(got);
            free(want);
        }
        plans_free(p);
    }
    free(s);
    free(c);
}

/* Adjacent pairs are halves after a permutation. */
static void test_permutation(void **state)
{
    enum { N = 48 };
    rng r = rng_for("test_permutation");
    owned_plan p[2];
    (void)state;
    plans_make(p, N, 10000, 1);
    for (int k = 0; k < 50; k++) {
        float x[N], y[N];
        const int64_t position = rng_position(&r);
        fill_random(F32, x, N, &r);
        for (size_t i = 0; i < N; i++) y[i / 2 + i % 2 * (N / 2)] = x[i];
        assert_int_equal(pe_rope_f32(&p[0].plan, pe_from(position), 1, x, lie(1, N, N)), PE_OK);
        assert_int_equal(pe_rope_f32(&p[1].plan, pe_from(position), 1, y, lie(1, N, N)), PE_OK);
        for (size_t i = 0; i < N; i++) assert_true(x[i] == y[i / 2 + i % 2 * (N / 2)]);
    }
    plans_free(p);
}

/* Of one head the head_stride is ignored, of one token the token_stride, in place too: by a plan
   and by a table. */
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

/* What has a call of its own, in every type: the bits of in place by a list of positions. */
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
        /* nothing to do, and what is refused */                                                   \
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

/* Heads further apart than what is fetched ahead: the bits of heads on their own. */
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

/* Out of place, queries and keys, by the caller's table, K-shift: the bits of the simple calls. */
static void test_other_forms(void **state)
{
    enum { N = 48, DIM = 56, TOKENS = 37, HEADS = 4, KEYS = 2, ALL = TOKENS * HEADS * DIM };
    static float in[ALL], want[ALL], got[ALL], k[ALL], k_want[ALL], s[TOKENS * N], c[TOKENS * N];
    static uint16_t h_in[ALL], h_want[ALL], h_got[ALL];
    rng r = rng_for("test_other_forms");
    int64_t list[TOKENS];
    owned_plan all_p[2], all_one[2];
    (void)state;
    plans_make(all_p, N, 10000, 1.5);
    plans_make(all_one, N, 10000, 1);
    for (unsigned form = 0; form < 8; form++) {
        const pe_layout layout = form % 2 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
        const pe_plan *const p = &all_p[layout].plan, *const one = &all_one[layout].plan;
        const int64_t first = rng_position(&r) / 2;
        const size_t ts = HEADS * DIM, hs = DIM;
        const pe_heads lies = lie(HEADS, DIM, HEADS * DIM), keys = lie(KEYS, DIM, HEADS * DIM);
        const pe_at from = pe_from(first), at = pe_at_i64(list);
        for (size_t t = 0; t < TOKENS; t++) list[t] = rng_position(&r);
        fill_random(F32, in, ALL, &r);
        fill_random(BF16, h_in, ALL, &r);
        memcpy(want, in, sizeof in);
        memcpy(k_want, in, sizeof in);
        memcpy(k, in, sizeof in);
        memcpy(h_want, h_in, sizeof h_in);
        assert_int_equal(pe_rope_f32(p, from, TOKENS, want, lies), PE_OK);
        assert_int_equal(pe_rope_bf16(p, from, TOKENS, h_want, lies), PE_OK);
        assert_int_equal(pe_rope_f32(p, from, TOKENS, k_want, keys), PE_OK);

        memset(got, CANARY, sizeof got);
        assert_int_equal(pe_rope_to_f32(p, from, TOKENS, DIM, in, lies, got, lies), PE_OK);
        assert_memory_equal(got, want, sizeof want);
        assert_int_equal(pe_rope_to_bf16(p, from, TOKENS, DIM, h_in, lies, h_got, lies), PE_OK);
        assert_memory_equal(h_got, h_want, sizeof h_want);
        /* from [tokens, heads] to [heads, tokens] */
        assert_int_equal(
            pe_rope_to_f32(p, from, TOKENS, DIM, in, lies, got, lie(HEADS, TOKENS * DIM, DIM)),
            PE_OK);
        for (size_t t = 0; t < TOKENS; t++)
            for (size_t j = 0; j < HEADS; j++)
                assert_memory_equal(got + (j * TOKENS + t) * DIM, want + t * ts + j * hs,
                                    DIM * sizeof *got);
        /* in place by the same name */
        memcpy(got, in, sizeof in);
        assert_int_equal(pe_rope_to_f32(p, from, TOKENS, DIM, got, lies, got, lies), PE_OK);
        assert_memory_equal(got, want, sizeof want);

        memcpy(got, in, sizeof in);
        assert_int_equal(pe_rope_qk_f32(p, from, TOKENS, got, lies, k, keys), PE_OK);
        assert_memory_equal(got, want, sizeof want);
        assert_memory_equal(k, k_want, sizeof k_want);
        memcpy(k, in, sizeof in);
        assert_int_equal(pe_rope_qk_f32(p, from, TOKENS, NULL, lie(0, 0, 0), k, keys), PE_OK);
        assert_memory_equal(k, k_want, sizeof k_want);
        memcpy(got, in, sizeof in);
        assert_int_equal(pe_rope_qk_f32(p, from, TOKENS, got, lies, NULL, lie(0, 0, 0)), PE_OK);
        assert_memory_equal(got, want, sizeof want);

        memcpy(got, in, sizeof in);
        assert_int_equal(pe_rope_table_f32(p, from, TOKENS, PE_ROPE_TABLE_APART, c, s, N, NULL),
                         PE_OK);
        assert_int_equal(by_apart_f32(layout, c, s, N, N / 2, TOKENS, got, lies), PE_OK);
        assert_memory_equal(got, want, sizeof want);

        /* lists; differences have neither amplitude nor offset */
        memcpy(want, in, sizeof in);
        memcpy(got, in, sizeof in);
        assert_int_equal(pe_rope_f32(one, at, TOKENS, want, lies), PE_OK);
        assert_int_equal(pe_rope_f32(p, pe_delta(at), TOKENS, got, lies), PE_OK);
        assert_memory_equal(got, want, sizeof want);
        for (size_t t = 0; t < TOKENS; t++) list[t] = -first;
        memcpy(want, in, sizeof in);
        memcpy(got, in, sizeof in);
        assert_int_equal(pe_rope_f32(one, at, TOKENS, want, lies), PE_OK);
        assert_int_equal(pe_rope_f32(p, pe_delta(pe_all(-first)), TOKENS, got, lies), PE_OK);
        assert_memory_equal(got, want, sizeof want);
        for (size_t t = 0; t < TOKENS; t++) list[t] = first;
        memcpy(want, in, sizeof in);
        assert_int_equal(pe_rope_f32(one, pe_back(at), TOKENS, want, lies), PE_OK);
        assert_memory_equal(got, want, sizeof want); /* turning by -p is the inverse */
    }
    plans_free(all_p);
    plans_free(all_one);
}

/* An offset of the config moves the positions; angles may be rounded to float; both as pe_fill has it. */
static void test_plans(void **state)
{
    enum { N = 32 };
    (void)state;
    for (int k = 0; k < 3; k++) {
        owned_plan p;
        float x[3 * N], want[3 * N], s[N / 2], c[N / 2], row[N];
        pe_config config = config_of(N, 10000, 1);
        config.offset = k == 0 ? 2 : k == 1 ? 0.25 : 0;
        config.angle = k == 2 ? PE_ANGLE_FLOAT32 : PE_ANGLE_EXACT;
        config.layout = k == 1 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
        config.cos_first = k == 0;
        plan_of(&p, config);
        for (size_t i = 0; i < 3 * N; i++) want[i] = x[i] = (float)i + 0.5f;
        for (size_t t = 0; t < 3; t++) {
            assert_int_equal(pe_fill_f32(&p.plan, pe_from(1000 + (int64_t)t), 1, row, N), PE_OK);
            for (size_t i = 0; i < N / 2; i++) {
                s[i] = row[k == 1 ? i : 2 * i], c[i] = row[k == 1 ? i + N / 2 : 2 * i + 1];
                if (k == 0) {
                    const float swap = s[i];
                    s[i] = c[i], c[i] = swap;
                }
            }
            turn(F32, config.layout, s, c, 1, N, want + t * N);
        }
        assert_int_equal(pe_rope_f32(&p.plan, pe_from(1000), 3, x, lie(1, N, N)), PE_OK);
        assert_memory_equal(x, want, sizeof x);
        if (k < 2) { /* differences leave the offset out */
            owned_plan plain;
            config = config_of(N, 10000, 1);
            config.layout = k == 1 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
            plan_of(&plain, config);
            assert_int_equal(pe_rope_f32(&plain.plan, pe_from(-9), 1, want, lie(1, N, N)), PE_OK);
            assert_int_equal(pe_rope_f32(&p.plan, pe_delta(pe_all(-9)), 1, x, lie(1, N, N)), PE_OK);
            assert_memory_equal(x, want, N * sizeof *x);
            plan_free(&plain);
        }
        plan_free(&p);
    }
}

/* K-shift by float angles: those of delta, with neither amplitude nor offset. They are others than the
   exact ones. */
static void test_shift_of_float_angles(void **state)
{
    enum { N = 64, TOKENS = 5, ALL = TOKENS * N };
    static const int64_t deltas[] = {-1, 1000, -123457, 123456789, -2147483647};
    float in[ALL], want[ALL], got[ALL];
    rng r = rng_for("test_shift_of_float_angles");
    /* in each layout the plan that shifts, the one by which it does, the same with exact angles */
    owned_plan p[2][3];
    const pe_heads one = lie(1, N, N);
    size_t others = 0;
    (void)state;
    for (size_t i = 0; i < 6; i++) {
        pe_config config = config_of(N, 10000, i % 3 == 0 ? 1.5 : 1);
        config.offset = i % 3 == 0 ? 7 : 0;
        config.angle = i % 3 < 2 ? PE_ANGLE_FLOAT32 : PE_ANGLE_EXACT;
        config.layout = (pe_layout)(i / 3);
        plan_of(&p[i / 3][i % 3], config);
    }
    for (size_t form = 0; form < 2 * LENGTH(deltas); form++) {
        const owned_plan *const q = p[form % 2];
        int64_t list[TOKENS];
        const pe_at at = pe_at_i64(list);
        for (size_t t = 0; t < TOKENS; t++) list[t] = deltas[form / 2];
        fill_random(F32, in, ALL, &r);
        memcpy(want, in, sizeof in);
        assert_int_equal(pe_rope_f32(&q[1].plan, at, TOKENS, want, one), PE_OK);
        memcpy(got, in, sizeof in);
        assert_int_equal(pe_rope_f32(&q[0].plan, pe_delta(pe_all(list[0])), TOKENS, got, one),
                         PE_OK);
        assert_memory_equal(got, want, sizeof want);
        memcpy(got, in, sizeof in);
        assert_int_equal(pe_rope_f32(&q[0].plan, pe_delta(at), TOKENS, got, one), PE_OK);
        assert_memory_equal(got, want, sizeof want);
        memcpy(got, in, sizeof in);
        assert_int_equal(pe_rope_f32(&q[2].plan, pe_delta(pe_all(list[0])), TOKENS, got, one),
                         PE_OK);
        others += memcmp(got, want, sizeof want) != 0;
    }
    assert_true(others >= LENGTH(deltas));
    for (size_t i = 0; i < 6; i++) plan_free(&p[i / 3][i % 3]);
}

/* The stride of a single head or token leads nowhere, and may be any number. It used to be added to
   an address to be asked for: the sanitizers of undefined behaviour look at that. */
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

/* ------------------------------------------------------------------------------------------------
 * Plans of pe_rope_plan_init
 * --------------------------------------------------------------------------------------------- */

static void rope_plan(owned_plan *p, const pe_rope_config *config)
{
    if (pe_rope_config_error(config) != NULL) fail_msg("refused: %s", pe_rope_config_error(config));
    p->memory_bytes = pe_rope_plan_size(config);
    assert_true(p->memory_bytes > 0);
    p->memory = must_alloc(p->memory_bytes);
    assert_int_equal(pe_rope_plan_init(&p->plan, config, p->memory, p->memory_bytes), PE_OK);
    p->config = pe_config_default(p->plan.d_model);
}

/* What such a plan has to be for one coordinate: the doubles of pe_rope_frequencies(), which
   test_rope_frequencies proves, in a plan of given ones, which test_conventions does. Interleaved. */
static void reference_plan(owned_plan *p, const pe_rope_config *config)
{
    const size_t pairs =
        (config->rope_type == PE_ROPE_PROPORTIONAL ? config->head_dim : rotary_of(config)) / 2;
    double *omega = (double *)must_alloc(pairs * sizeof *omega), attention;
    assert_int_equal(pe_rope_frequencies(config, omega, &attention), PE_OK);
    p->config = config_of(2 * pairs, 10000, attention);
    p->config.offset = config->offset;
    p->config.angle = config->angle;
    p->memory_bytes = pe_plan_size(&p->config);
    p->memory = must_alloc(p->memory_bytes);
    assert_int_equal(
        pe_plan_init_frequencies(&p->plan, &p->config, omega, pairs, p->memory, p->memory_bytes),
        PE_OK);
    free(omega);
}

/* Configs of every type, with what they need. */
static const double plan_factors[33] = {1, 1.5, 2, 3.75, 4, 1, 1,    8, 1.25, 6,  7,
                                        8, 9,   1, 2,    3, 4, 5.25, 6, 7,    8,  9.5,
                                        1, 2,   3, 4,    5, 6, 7,    8, 9,    10, 11};
static const float plan_freq_factors[33] = {1, 0.5f, 2, 3.75f, 4, 1, 1, 8, 1.25f, 6,  7,
                                            8, 9,    1, 2,     3, 4, 5, 6, 7,     8,  9,
                                            1, 2,    3, 4,     5, 6, 7, 8, 9,     10, 11};
static pe_rope_config config_of_type(pe_rope_type scaling, size_t head_dim, size_t rotary_dim)
{
    pe_rope_config c = pe_rope_config_default(head_dim);
    c.rotary_dim = rotary_dim;
    c.rope_type = scaling;
    if (scaling != PE_ROPE_DEFAULT && scaling != PE_ROPE_PROPORTIONAL) {
        c.factor = 8;
        c.original_max_position_embeddings = 4096;
        c.max_position_embeddings = 32768;
        c.sequence_length = 20000;
        c.short_factor = plan_factors, c.long_factor = plan_factors;
    }
    return c;
}

/* The bits of pe_plan_init_frequencies() with the doubles of pe_rope_frequencies(): tables, heads, and
   what the plan says of itself. */
static void test_plan_in_one_step(void **state)
{
    enum { HEAD = 66, ROWS = 5, MOST = ROWS * HEAD };
    rng r = rng_for("test_plan_in_one_step");
    (void)state;
    for (unsigned k = 0; k < 9 * 2 * 5; k++) {
        const pe_rope_type scaling = (pe_rope_type)(k % 9);
        const pe_layout layout = (pe_layout)(k / 9 % 2);
        const unsigned with = k / 18;
        pe_rope_config config = config_of_type(scaling, HEAD, with == 4 ? 6 : 60);
        config.layout = layout;
        if (with == 1)
            config.offset = -7.25, config.attention_factor = 1.3, config.expected_rows = 1;
        if (with == 2) config.angle = PE_ANGLE_FLOAT32, config.expected_rows = 1000;
        if (with == 3) config.freq_factors = plan_freq_factors, config.rope_theta = 1e6;
        owned_plan p, like;
        rope_plan(&p, &config);
        reference_plan(&like, &config);
        const size_t n = like.plan.d_model, pairs = n / 2;
        double w[HEAD / 2], w_like[HEAD / 2];
        assert_int_equal(p.plan.d_model, n);
        assert_int_equal(p.plan.pairs, pairs);
        assert_int_equal(p.plan.axes, 1);
        assert_int_equal(pe_plan_frequencies(&p.plan, w), PE_OK);
        assert_int_equal(pe_plan_frequencies(&like.plan, w_like), PE_OK);
        assert_memory_equal(w, w_like, pairs * sizeof *w);
        for (size_t m = 0; m < 12; m++) {
            const int64_t first = m < 8 ? hard_positions[(5 * k + m) % LENGTH(hard_positions)] / 2
                                        : rng_position(&r) / 2;
            const pe_at at = pe_from(m % 2 ? first : -first);
            float c[MOST], s[MOST], fill[MOST], x[MOST], want[MOST];
            assert_int_equal(
                pe_rope_table_f32(&p.plan, at, ROWS, PE_ROPE_TABLE_APART, c, s, pairs, NULL),
                PE_OK);
            assert_int_equal(pe_fill_f32(&like.plan, at, ROWS, fill, n), PE_OK);
            for (size_t i = 0; i < ROWS * pairs; i++)
                if (s[i] != fill[2 * i] || c[i] != fill[2 * i + 1])
                    fail_msg("scaling %d, with %u, from %" PRId64 ", element %zu: %a %a, not %a %a",
                             (int)scaling, with, first, i, (double)s[i], (double)c[i],
                             (double)fill[2 * i], (double)fill[2 * i + 1]);
            fill_random(F32, x, MOST, &r);
            memcpy(want, x, sizeof x);
            assert_int_equal(pe_rope_f32(&p.plan, at, ROWS, x, lie(1, 0, HEAD)), PE_OK);
            for (size_t t = 0; t < ROWS; t++)
                turn(F32, layout, s + t * pairs, c + t * pairs, 1, n, want + t * HEAD);
            assert_memory_equal(x, want, sizeof x);
        }
        plan_free(&p);
        plan_free(&like);
    }
}

/* The coordinate of pair i of h, and its number among those of a head that this coordinate has alone:
   pe_sections, told again. */
static size_t coordinate_of(const pe_rope_config *c, size_t i, size_t h, size_t *number)
{
    size_t a = 0, begin = 0;
    *number = i;
    if (c->coordinate) return c->coordinate[i];
    if (c->axes == 1) return 0;
    if (c->section_order == PE_SECTIONS_VISION) {
        *number = i % (h / c->axes);
        return i / (h / c->axes);
    }
    if (c->section_order == PE_SECTIONS_INTERLEAVED)
        return i < c->axes * c->sections[i % c->axes] ? i % c->axes : 0;
    while (i >= begin + c->sections[a]) begin += c->sections[a++];
    return a;
}

/* Lists of coordinates for 64 pairs. */
typedef enum lists { NO_LIST, ERNIE, GREEDY, IMROPE, MROPE, RANDOM_LIST, ONE_AXIS } lists;

/* openPangu's order, mrope_interleaved.py of vLLM's ports, with t forced to the last pair: of those
   that are not the one before, the coordinate that has got the least part of its pairs. */
static void greedy(const size_t *sections, size_t pairs, uint8_t *list)
{
    const size_t most[3] = {sections[0] - 1, sections[1], sections[2]};
    size_t got[3] = {0};
    for (size_t i = 0; i + 1 < pairs; i++) {
        size_t best = 3;
        for (size_t relaxed = 0; relaxed < 2 && best == 3;
             relaxed++) /* only the one before is left */
            for (size_t a = 0; a < 3; a++)
                if (got[a] < most[a] && (relaxed || i == 0 || list[i - 1] != a) &&
                    (best == 3 || got[a] * most[best] < got[best] * most[a]))
                    best = a;
        list[i] = (uint8_t)best;
        got[best]++;
    }
    list[pairs - 1] = 0;
}
static const uint8_t *list_of(lists which, const size_t *sections, rng *r)
{
    static uint8_t list[64];
    if (which == NO_LIST) return NULL;
    const size_t all = sections[0] + sections[1] + sections[2];
    if (which == GREEDY) greedy(sections, 64, list);
    for (size_t i = 0; i < 64 && which != GREEDY; i++) {
        const size_t s = all ? i % all : 0, third = s % 3; /* ggml begins again behind the last */
        switch (which) {
        case ERNIE: /* modeling_ernie4_5_vl.py: y and x by turns, then t */
            list[i] = i < 44 ? (uint8_t)(1 + i % 2) : 0;
            break;
        case IMROPE: /* ggml: pairs that no section has are the fourth position's, which is 0 */
            list[i] = s / 3 < sections[third] ? (uint8_t)third : 255;
            break;
        case MROPE: /* ggml */
            list[i] = s < sections[0] ? 0 : s < sections[0] + sections[1] ? 1 : 2;
            break;
        case RANDOM_LIST: list[i] = rng_below(r, 5) ? (uint8_t)rng_below(r, 4) : 255; break;
        default: list[i] = i % 5 ? 0 : 255; break;
        }
    }
    return list;
}

/* ERNIE 4.5 VL at (t, y, x) = (9, 3, 1003): numbers that its formula gives in double. By RoPE's config, by one of
   rows, by frequencies of the caller's, and as float32 code has angles. */
static void coordinates_of_pairs(void **state)
{
    enum { N = 128, H = N / 2 };
    static unsigned char memory[PE_PLAN_BYTES(N)];
    static const int32_t point[3] = {9, 3, 1003};
    const pe_at at = pe_coords_i32(point, 3, 3, 1);
    const size_t sections[3] = {22, 22, 20}, grid[3] = {2, 2, 2};
    const pe_heads one = lie(1, N, N);
    uint8_t list[H];
    double omega[H];
    float c[H], s[H], c_want[H], s_want[H], x[8 * N] = {0};
    pe_rope_config rope = pe_rope_config_default(N);
    pe_config config = pe_config_default(N);
    pe_plan plan;
    (void)state;
    memcpy(list, list_of(ERNIE, sections, NULL), sizeof list);
    rope.rope_theta = config.base = 500000, rope.axes = config.axes = 3;
    rope.coordinate = config.coordinate = list;
    rope.expected_rows = config.expected_rows = 1;
    config.layout = PE_LAYOUT_HALVES;
    assert_int_equal(pe_rope_frequencies(&rope, omega, NULL), PE_OK);
    for (int k = 0; k < 5; k++) {
        const pe_angle angle = k < 3 ? PE_ANGLE_EXACT : PE_ANGLE_FLOAT32;
        rope.angle = config.angle = angle;
        list[3] = k == 2 ? 255 : 2;
        if (k % 3 == 0)
            assert_int_equal(pe_rope_plan_init(&plan, &rope, memory, sizeof memory), PE_OK);
        else if (k == 1)
            assert_int_equal(pe_plan_init(&plan, &config, memory, sizeof memory), PE_OK);
        else
            assert_int_equal(
                pe_plan_init_frequencies(&plan, &config, omega, H, memory, sizeof memory), PE_OK);
        memset(list, 77, sizeof list); /* it was copied */
        assert_int_equal(pe_rope_table_f32(&plan, at, 1, PE_ROPE_TABLE_APART, c, s, H, NULL),
                         PE_OK);
        memcpy(list, list_of(ERNIE, sections, NULL), sizeof list);
        for (size_t i = 0; i < H && k != 2; i++) {
            const double p = point[list[i]], w = k < 3 ? omega[i] : (double)((float)omega[i]);
            const double t = k < 3 ? p * w : (double)((float)p * (float)w);
            assert_true(fabs((double)c[i] - cos(t)) < 1.2e-7 &&
                        fabs((double)s[i] - sin(t)) < 1.2e-7);
        }
        if (k == 0) {
            memcpy(c_want, c, sizeof c), memcpy(s_want, s, sizeof s);
            assert_true(fabs((double)c[7] - 0.999975916) < 4e-8);  /* x */
            assert_true(fabs((double)c[16] - 0.993642786) < 4e-8); /* y */
        }
        if (k == 2) {
            assert_true(c[3] == 1 && s[3] == 0 && c_want[3] != 1);
            c[3] = c_want[3], s[3] = s_want[3];
        }
        if (k == 1 || k == 2) {
            assert_memory_equal(c, c_want, sizeof c);
            assert_memory_equal(s, s_want, sizeof s);
        }
        assert_int_equal(pe_rope_f32(&plan, pe_grid(grid, 3), 8, x, one), PE_OK);
        assert_int_equal(pe_rope_f32(&plan, pe_coords_i32(point, 2, 2, 1), 1, x, one),
                         PE_ERR_AT_AXES);
        assert_int_equal(pe_fill_f32(&plan, at, 1, x, N), PE_ERR_PLAN_ROWS);
        assert_int_equal(pe_shift_f32(&plan, at, 1, x, N), PE_ERR_PLAN_SHIFT);
    }
    assert_int_equal(pe_rope_plan_init(&plan, &rope, memory, pe_rope_plan_size(&rope) - 1),
                     PE_ERR_MEMORY);
    assert_int_equal(pe_plan_init(&plan, &config, memory, pe_plan_size(&config) - 1),
                     PE_ERR_MEMORY);
    for (int k = 0; k < 9; k++) {
        pe_rope_config r = rope;
        pe_config f = config;
        if (k == 0) list[H - 1] = 3;
        if (k == 1) list[0] = 254;
        if (k == 2) r.sections[1] = 1, f.d_model = N - 1;
        if (k == 3) r.section_order = PE_SECTIONS_INTERLEAVED, f.columns = PE_COLUMNS_JOINED;
        if (k == 4) r.section_order = PE_SECTIONS_VISION, f.columns = PE_COLUMNS_SUMS;
        if (k == 5) r.axes = f.axes = 2;
        if (k == 6) r.axes = f.axes = 0;
        if (k == 7) r.axes = f.axes = PE_MAX_AXES + 1;
        if (k == 8) r.axes = f.axes = 1, list[1] = 1, f.has_padding = 1;
        assert_non_null(pe_rope_config_error(&r));
        assert_non_null(pe_config_error(&f));
        assert_int_equal(pe_rope_plan_init(&plan, &r, memory, sizeof memory), PE_ERR_CONFIG);
        assert_int_equal(pe_plan_init(&plan, &f, memory, sizeof memory), PE_ERR_CONFIG);
        assert_int_equal(pe_rope_plan_size(&r), 0);
        memcpy(list, list_of(ERNIE, sections, NULL), sizeof list);
    }
}

/* Sections of each order, in place and out of it, forwards, back and as differences, tables: against
   plans of one coordinate, pair by pair. */
static void test_sections(void **state)
{
    static const struct {
        size_t sections[4], axes;
        pe_sections order;
        pe_rope_type type;
        lists list;
    } cases[] = {
        {{22, 22, 20}, 3, PE_SECTIONS_BLOCKS, PE_ROPE_DEFAULT, ERNIE},
        {{24, 20, 20}, 3, PE_SECTIONS_BLOCKS, PE_ROPE_DEFAULT, GREEDY},
        {{16, 24, 24}, 3, PE_SECTIONS_BLOCKS, PE_ROPE_YARN, GREEDY},
        {{24, 20, 20}, 3, PE_SECTIONS_BLOCKS, PE_ROPE_DEFAULT, IMROPE},
        {{22, 21, 21}, 3, PE_SECTIONS_BLOCKS, PE_ROPE_DEFAULT, GREEDY},
        {{6, 6, 6}, 3, PE_SECTIONS_BLOCKS, PE_ROPE_DEFAULT, IMROPE}, /* ggml's tests */
        {{6, 6, 6}, 3, PE_SECTIONS_BLOCKS, PE_ROPE_DEFAULT, MROPE},
        {{30, 10, 9}, 3, PE_SECTIONS_BLOCKS, PE_ROPE_DEFAULT, IMROPE},
        {{0}, 4, PE_SECTIONS_BLOCKS, PE_ROPE_LLAMA3, RANDOM_LIST},
        {{0}, 1, PE_SECTIONS_BLOCKS, PE_ROPE_DEFAULT, ONE_AXIS},
        {{16, 24, 24}, 3, PE_SECTIONS_BLOCKS, PE_ROPE_DEFAULT, NO_LIST},      /* Qwen2-VL */
        {{24, 20, 20}, 3, PE_SECTIONS_INTERLEAVED, PE_ROPE_DEFAULT, NO_LIST}, /* Qwen3-VL */
        {{0, 40, 0, 24}, 4, PE_SECTIONS_BLOCKS, PE_ROPE_DEFAULT, NO_LIST},
        {{32, 32}, 2, PE_SECTIONS_BLOCKS, PE_ROPE_YARN, NO_LIST},
        {{60, 2, 2}, 3, PE_SECTIONS_INTERLEAVED, PE_ROPE_LLAMA3, NO_LIST},
        {{64}, 1, PE_SECTIONS_BLOCKS, PE_ROPE_DEFAULT, NO_LIST},
        {{64}, 1, PE_SECTIONS_INTERLEAVED, PE_ROPE_LINEAR, NO_LIST},
        {{64}, 1, PE_SECTIONS_VISION, PE_ROPE_DEFAULT, NO_LIST},
        {{32, 32}, 2, PE_SECTIONS_VISION, PE_ROPE_DEFAULT, NO_LIST}, /* vision towers */
        {{16, 16, 16, 16}, 4, PE_SECTIONS_VISION, PE_ROPE_NTK, NO_LIST},
        {{1, 63}, 2, PE_SECTIONS_BLOCKS, PE_ROPE_DEFAULT, NO_LIST},
        {{33, 31}, 2, PE_SECTIONS_INTERLEAVED, PE_ROPE_DEFAULT, NO_LIST},
        /* more than are found, and a first section that is wrong */
        {{7, 40, 9}, 3, PE_SECTIONS_INTERLEAVED, PE_ROPE_DEFAULT, NO_LIST}};
    enum { N = 128, H = N / 2, TOKENS = 45, HEADS = 3, ALL = TOKENS * HEADS * N };
    static float x[ALL], want[ALL], out[ALL], sine[TOKENS][H], cosine[TOKENS][H];
    static float a[TOKENS * N], b[TOKENS * N];
    static uint16_t h[ALL], h_want[ALL];
    const pe_heads lies = lie(HEADS, N, HEADS * N);
    rng r = rng_for("test_sections");
    (void)state;
    for (size_t k = 0; k < 2 * LENGTH(cases); k++) {
        const size_t axes = cases[k / 2].axes;
        pe_rope_config config = config_of_type(cases[k / 2].type, N, N), alone;
        owned_plan p, like;
        int64_t positions[4 * TOKENS];
        config.rope_theta = 1e6;
        config.layout = (pe_layout)(k % 2);
        config.axes = axes;
        config.section_order = cases[k / 2].order;
        config.coordinate = list_of(cases[k / 2].list, cases[k / 2].sections, &r);
        if (!config.coordinate)
            memcpy(config.sections, cases[k / 2].sections, sizeof cases->sections);
        config.offset = k % 3 == 0 ? 2 : 0;
        config.attention_factor = k % 4 == 0 ? 1.1 : 0;
        alone = config, alone.axes = 1, alone.coordinate = NULL;
        if (config.section_order == PE_SECTIONS_VISION)
            alone.head_dim = alone.rotary_dim = N / axes;
        rope_plan(&p, &config);
        assert_int_equal(p.plan.d_model, N);
        assert_int_equal(p.plan.pairs, H);
        assert_int_equal(p.plan.axes, axes);
        for (size_t t = 0; t < TOKENS; t++) /* text, then an image of rows of 5, then far away */
            for (size_t c = 0; c < axes; c++)
                positions[c * TOKENS + t] = t < 10   ? (int64_t)t
                                            : t < 35 ? 10 + (int64_t)(c == 0   ? 0
                                                                      : c == 1 ? (t - 10) / 5
                                                                               : (t - 10) % 5)
                                                     : rng_position(&r) / 2;
        for (int way = 0; way < 4; way++) { /* forwards, back, differences, these back */
            const pe_at list = pe_coords_i64(positions, axes, 1, TOKENS);
            const pe_at turned = way & 2 ? pe_delta(list) : list;
            const pe_at at = way & 1 ? pe_back(turned) : turned;
            if (way == 2) alone.offset = 0, alone.attention_factor = 1;
            if (way % 2 == 0) {
                reference_plan(&like, &alone);
                for (size_t t = 0; t < TOKENS; t++)
                    for (size_t c = 0; c <= 255; c += c + 1 == axes ? 256 - axes : 1) {
                        float row_s[H], row_c[H];
                        const int still = c == 255;
                        sines_at(&like.plan,
                                 still ? pe_all(-(int64_t)alone.offset)
                                       : pe_all(positions[c * TOKENS + t]),
                                 row_s, row_c);
                        for (size_t i = 0; i < H; i++) {
                            size_t number;
                            if (coordinate_of(&config, i, H, &number) != c) continue;
                            sine[t][i] = row_s[number], cosine[t][i] = row_c[number];
                        }
                    }
                plan_free(&like);
            }
            fill_random(F32, x, ALL, &r);
            fill_random(F16, h, ALL, &r);
            memcpy(want, x, sizeof x);
            memcpy(h_want, h, sizeof h);
            for (size_t t = 0; t < TOKENS; t++)
                for (size_t j = 0; j < HEADS; j++) {
                    const float sign = way & 1 ? -1 : 1;
                    const size_t head = (t * HEADS + j) * N;
                    turn(F32, config.layout, sine[t], cosine[t], sign, N, want + head);
                    turn(F16, config.layout, sine[t], cosine[t], sign, N, h_want + head);
                }
            assert_int_equal(pe_rope_to_f32(&p.plan, at, TOKENS, N, x, lies, out, lies), PE_OK);
            assert_memory_equal(out, want, sizeof want);
            memcpy(out, x, sizeof x);
            assert_int_equal(pe_rope_qk_f32(&p.plan, at, TOKENS, x, lies, out, lies), PE_OK);
            assert_memory_equal(x, want, sizeof x);
            assert_memory_equal(out, want, sizeof x);
            assert_int_equal(pe_rope_f16(&p.plan, at, TOKENS, h, lies), PE_OK);
            assert_memory_equal(h, h_want, sizeof h);
            const pe_status rows =
                config.coordinate || (axes > 1 && config.section_order == PE_SECTIONS_INTERLEAVED)
                    ? PE_ERR_PLAN_ROWS
                    : PE_OK; /* as rows of pe_fill, in their layout */
            assert_int_equal(pe_fill_f32(&p.plan, at, TOKENS, a, N), rows);
            for (size_t t = 0; t < TOKENS && rows == PE_OK; t++)
                for (size_t i = 0; i < H; i++) {
                    const size_t s_at = first_of(config.layout, i),
                                 c_at = second_of(config.layout, i, N);
                    assert_true(a[t * N + s_at] == (way & 1 ? -sine[t][i] : sine[t][i]));
                    assert_true(a[t * N + c_at] == cosine[t][i]);
                }
            for (int layout = 0; layout < 4; layout++) {
                const int apart = layout <= PE_ROPE_TABLE_TWICE;
                assert_int_equal(pe_rope_table_f32(&p.plan, at, TOKENS,
                                                   (pe_rope_table_layout)layout, a,
                                                   apart ? b : NULL, N, NULL),
                                 PE_OK);
                for (size_t t = 0; t < TOKENS; t++)
                    for (size_t e = 0; e < (layout == PE_ROPE_TABLE_APART ? H : N); e++) {
                        const size_t i = layout == PE_ROPE_TABLE_APART ? e
                                         : layout == PE_ROPE_TABLE_TWICE
                                             ? pair_of(config.layout, e, N)
                                         : layout == PE_ROPE_TABLE_COMPLEX ? e / 2
                                                                           : e % H;
                        const float s = way & 1 ? -sine[t][i] : sine[t][i];
                        const int is_sine = layout == PE_ROPE_TABLE_COMPLEX  ? e % 2 == 1
                                            : layout == PE_ROPE_TABLE_JOINED ? e >= H
                                                                             : 0;
                        assert_true(a[t * N + e] == (is_sine ? s : cosine[t][i]));
                        if (apart) assert_true(b[t * N + e] == s);
                    }
                if (!apart) continue; /* the other array first */
                memcpy(x, a, sizeof a);
                memcpy(out, b, sizeof b);
                assert_int_equal(pe_rope_table_f32(&p.plan, at, TOKENS,
                                                   (pe_rope_table_layout)layout, b, a, N, NULL),
                                 PE_OK);
                const size_t columns = layout == PE_ROPE_TABLE_APART ? H : N;
                for (size_t t = 0; t < TOKENS; t++) {
                    assert_memory_equal(b + t * N, x + t * N, columns * sizeof *b);
                    assert_memory_equal(a + t * N, out + t * N, columns * sizeof *a);
                }
            }
        }
        plan_free(&p);
    }
}

/* Lists of any length, by both inits, also with frequencies that are known to be fractions: frequencies, tables
   and heads against rows of a plan without a list, pair by pair. */
static void test_lists_of_any_length(void **state)
{
    static const size_t widths[] = {2, 4, 34, 66, 128, 510, 512, 514, 1300};
    enum { MOST = 1300, ROWS = 39, TURNS = 6 };
    static uint8_t list[MOST / 2];
    static float want[ROWS][MOST], got[ROWS][MOST], x[ROWS][MOST];
    static uint16_t want_16[ROWS][MOST], got_16[ROWS][MOST];
    static double omega[MOST / 2], like_omega[MOST / 2];
    rng r = rng_for("test_lists_of_any_length");
    (void)state;
    for (size_t k = 0; k < TURNS * LENGTH(widths); k++) {
        const size_t n = widths[k / TURNS], h = n / 2, axes = 1 + rng_below(&r, PE_MAX_AXES),
                     turn = k % TURNS;
        int64_t points[ROWS][PE_MAX_AXES];
        pe_config config = config_of(n, turn % 2 ? 43046721 : 10000, turn == 2 ? -1.5 : 1), one;
        owned_plan p, like;
        config.layout = PE_LAYOUT_HALVES;
        config.half_turns = turn % 2;
        config.offset = turn == 3 ? 0.5 : 0;
        config.angle = turn == 4 ? PE_ANGLE_FLOAT32 : PE_ANGLE_EXACT;
        config.expected_rows = turn == 5;
        one = config, one.layout = PE_LAYOUT_INTERLEAVED;
        plan_of(&like, one);
        for (size_t i = 0; i < h; i++)
            list[i] = (uint8_t)(turn < 3 ? i % axes : rng_below(&r, 9) ? rng_below(&r, axes) : 255);
        for (size_t t = 0; t < ROWS; t++) /* runs, what repeats, and any */
            for (size_t a = 0; a < PE_MAX_AXES; a++)
                points[t][a] =
                    t % 16 == 7 ? rng_position(&r) / 2 : (int64_t)(a % 2 ? t : t / 5) - 3;
        config.axes = axes, config.coordinate = list;
        if (turn == 0) {
            assert_int_equal(pe_plan_frequencies(&like.plan, like_omega), PE_OK);
            p.memory_bytes = pe_plan_size(&config), p.memory = must_alloc(p.memory_bytes);
            assert_int_equal(
                pe_plan_init_frequencies(&p.plan, &config, like_omega, h, p.memory, p.memory_bytes),
                PE_OK);
            plan_free(&like);
            p.config = one;
            like.memory_bytes = pe_plan_size(&one), like.memory = must_alloc(like.memory_bytes);
            assert_int_equal(pe_plan_init_frequencies(&like.plan, &one, like_omega, h, like.memory,
                                                      like.memory_bytes),
                             PE_OK);
        } else {
            plan_of(&p, config);
        }
        assert_true(p.memory_bytes <= PE_PLAN_BYTES(n) || config.expected_rows == 0);
        assert_int_equal(pe_plan_frequencies(&like.plan, like_omega), PE_OK);
        assert_int_equal(pe_plan_frequencies(&p.plan, omega), PE_OK);
        assert_memory_equal(omega, like_omega, h * sizeof *omega);
        for (size_t t = 0; t < ROWS; t++)
            for (size_t a = 0; a <= axes; a++) {
                const pe_at at = a < axes ? pe_all(points[t][a]) : pe_delta(pe_all(0));
                float *const f = x[0];
                uint16_t *const g = got_16[0];
                assert_int_equal(pe_fill_f32(&like.plan, at, 1, f, n), PE_OK);
                assert_int_equal(pe_fill_bf16(&like.plan, at, 1, g, n), PE_OK);
                for (size_t i = 0; i < h; i++) {
                    if (list[i] != (a < axes ? a : 255)) continue;
                    const float still = (float)config.amplitude;
                    want[t][i] = a < axes ? f[2 * i + 1] : still;
                    want[t][h + i] = a < axes ? f[2 * i] : 0 * still;
                    want_16[t][i] = a < axes ? g[2 * i + 1] : turn == 2 ? 0xbfc0 : 0x3f80;
                    want_16[t][h + i] = a < axes ? g[2 * i] : turn == 2 ? 0x8000 : 0;
                }
            }
        const pe_at at = pe_coords_i64(points[0], axes, PE_MAX_AXES, 1);
        assert_int_equal(
            pe_rope_table_f32(&p.plan, at, ROWS, PE_ROPE_TABLE_JOINED, got[0], NULL, MOST, NULL),
            PE_OK);
        assert_int_equal(pe_rope_table_bf16(&p.plan, at, ROWS, PE_ROPE_TABLE_JOINED, got_16[0],
                                            NULL, MOST, NULL),
                         PE_OK);
        for (size_t t = 0; t < ROWS; t++)
            for (size_t i = 0; i < MOST; i++) x[t][i] = i < h ? 1 : 0;
        assert_int_equal(pe_rope_f32(&p.plan, at, ROWS, x[0], lie(1, 0, MOST)), PE_OK);
        for (size_t t = 0; t < ROWS; t++) {
            assert_memory_equal(got[t], want[t], n * sizeof(float));
            assert_memory_equal(got_16[t], want_16[t], n * sizeof(uint16_t));
            for (size_t i = 0; i < n; i++) assert_true(x[t][i] == want[t][i]);
        }
        plan_free(&p);
        plan_free(&like);
    }
}

/* One coordinate on a plan of several axes: all axes alike; and where the frequencies go on over the
   sections, the plan without any. */
static void test_one_coordinate(void **state)
{
    enum { N = 48, TOKENS = 9, ALL = TOKENS * N };
    rng r = rng_for("test_one_coordinate");
    (void)state;
    for (unsigned k = 0; k < 3 * 2; k++) {
        pe_rope_config config = pe_rope_config_default(N);
        config.layout = (pe_layout)(k % 2);
        config.offset = 0.5;
        config.axes = 3;
        config.section_order = (pe_sections)(k / 2);
        for (size_t a = 0; a < 3; a++) config.sections[a] = 8;
        owned_plan p, plain;
        rope_plan(&p, &config);
        config.axes = 1;
        rope_plan(&plain, &config);
        float x[ALL], got[ALL], want[ALL], real[TOKENS], points[3 * TOKENS];
        int64_t list[TOKENS], three[3 * TOKENS];
        for (size_t t = 0; t < TOKENS; t++) {
            list[t] = rng_position(&r) / 2;
            real[t] = (float)rng_below(&r, 4000) / 8 - 100;
            for (size_t a = 0; a < 3; a++)
                three[a * TOKENS + t] = list[t], points[3 * t + a] = real[t];
        }
        const pe_at one[] = {pe_at_i64(list), pe_at_f32(real), pe_delta(pe_at_i64(list)),
                             pe_back(pe_at_f32(real)), pe_coords_i64(list, 1, 1, 0)};
        const pe_at all[] = {pe_coords_i64(three, 3, 1, TOKENS), pe_coords_f32(points, 3, 3, 1),
                             pe_delta(pe_coords_i64(three, 3, 1, TOKENS)),
                             pe_back(pe_coords_f32(points, 3, 3, 1)),
                             pe_coords_i64(three, 3, 1, TOKENS)};
        for (size_t m = 0; m < LENGTH(one); m++) {
            fill_random(F32, x, ALL, &r);
            memcpy(got, x, sizeof x), memcpy(want, x, sizeof x);
            assert_int_equal(pe_rope_f32(&p.plan, one[m], TOKENS, got, lie(1, N, N)), PE_OK);
            assert_int_equal(pe_rope_f32(&p.plan, all[m], TOKENS, want, lie(1, N, N)), PE_OK);
            assert_memory_equal(got, want, sizeof want);
            if (k / 2 == PE_SECTIONS_VISION) continue;
            memcpy(want, x, sizeof x);
            assert_int_equal(pe_rope_f32(&plain.plan, one[m], TOKENS, want, lie(1, N, N)), PE_OK);
            assert_memory_equal(got, want, sizeof want);
        }
        memcpy(got, x, sizeof x), memcpy(want, x, sizeof x); /* a range, too */
        for (size_t t = 0; t < TOKENS; t++)
            for (size_t a = 0; a < 3; a++) three[a * TOKENS + t] = 70 - 3 * (int64_t)t;
        assert_int_equal(pe_rope_f32(&p.plan, pe_from_by(70, -3), TOKENS, got, lie(1, N, N)),
                         PE_OK);
        assert_int_equal(pe_rope_f32(&p.plan, all[0], TOKENS, want, lie(1, N, N)), PE_OK);
        assert_memory_equal(got, want, sizeof want);
        plan_free(&p);
        plan_free(&plain);
    }
}

/* One coordinate on plans of a pe_config with several axes, by MPFR: blocks whose frequencies do
   not go on where those before end, joined ones, and sums over the coordinates, whose one row is no
   row of frequencies. One token and more, at positions of their own or all at one. */
static void test_one_coordinate_of_axes(void **state)
{
    enum { AXES = 3, EACH = 10, H = AXES * EACH, N = 2 * H, TOKENS = 5 };
    static const struct {
        pe_columns columns;
        pe_layout layout;
    } cases[] = {{PE_COLUMNS_BLOCKS, PE_LAYOUT_INTERLEAVED},
                 {PE_COLUMNS_JOINED, PE_LAYOUT_INTERLEAVED},
                 {PE_COLUMNS_JOINED, PE_LAYOUT_HALVES},
                 {PE_COLUMNS_SUMS, PE_LAYOUT_INTERLEAVED},
                 {PE_COLUMNS_SUMS, PE_LAYOUT_HALVES}};
    rng r = rng_for("test_one_coordinate_of_axes");
    mpfr_t angle, s, c;
    (void)state;
    mpfr_inits2(400, angle, s, c, (mpfr_ptr)NULL);
    for (size_t k = 0; k < LENGTH(cases); k++) {
        const int sums = cases[k].columns == PE_COLUMNS_SUMS;
        static double memory[1 << 13], omega[H * AXES];
        pe_config config = pe_config_default(N);
        pe_plan plan;
        config.axes = AXES, config.columns = cases[k].columns, config.layout = cases[k].layout;
        for (size_t i = 0; i < LENGTH(omega); i++) omega[i] = rng_unit(&r);
        assert_int_equal(pe_plan_init_frequencies(&plan, &config, omega, H, memory, sizeof memory),
                         PE_OK);
        for (size_t way = 0; way < 3; way++) { /* a range; one position for all; a list */
            const int64_t first = (int64_t)rng_below(&r, 100000), step = way == 1 ? 0 : 3;
            int64_t list[TOKENS];
            for (size_t t = 0; t < TOKENS; t++) list[t] = first + step * (int64_t)t;
            const pe_at at = way == 2 ? pe_at_i64(list) : pe_from_by(first, step);
            for (size_t tokens = 1; tokens <= TOKENS; tokens += TOKENS - 1) {
                float x[TOKENS * N], want[TOKENS * N], cosines[TOKENS * N], sines[TOKENS * N];
                fill_random(F32, x, TOKENS * N, &r);
                memcpy(want, x, sizeof x);
                assert_int_equal(pe_rope_f32(&plan, at, tokens, x, lie(1, N, N)), PE_OK);
                assert_int_equal(pe_rope_table_f32(&plan, at, tokens, PE_ROPE_TABLE_TWICE, cosines,
                                                   sines, N, NULL),
                                 PE_OK);
                for (size_t t = 0; t < tokens; t++) {
                    float sine[H], cosine[H];
                    for (size_t i = 0; i < H; i++) {
                        mpfr_set_d(angle, omega[sums ? i * AXES : i], MPFR_RNDN);
                        for (size_t a = 1; a < AXES && sums; a++)
                            mpfr_add_d(angle, angle, omega[i * AXES + a], MPFR_RNDN);
                        mpfr_mul_si(angle, angle, (long)list[t], MPFR_RNDN);
                        mpfr_sin_cos(s, c, angle, MPFR_RNDN);
                        sine[i] = mpfr_get_flt(s, MPFR_RNDN);
                        cosine[i] = mpfr_get_flt(c, MPFR_RNDN);
                    }
                    turn(F32, config.layout, sine, cosine, 1, N, want + t * N);
                    for (size_t i = 0; i < N; i++) {
                        const size_t pair = pair_of(config.layout, i, N);
                        assert_true(cosines[t * N + i] == cosine[pair]);
                        assert_true(sines[t * N + i] == sine[pair]);
                    }
                }
                assert_memory_equal(x, want, sizeof x);
            }
        }
    }
    mpfr_clears(angle, s, c, (mpfr_ptr)NULL);
}

/* Real positions, half ones among them, by MPFR: the exact product of position and frequency. */
static void test_real_positions(void **state)
{
    enum { N = 64, H = N / 2, TOKENS = 24 };
    static const double some[] = {0.5,    -0.5,        1.5,          100.5,
                                  2047.5, -16777216.5, 2147483646.5, 0x1p-30,
                                  1e-300, -1 / 3.0,    1234567.891,  2147483647.999};
    static const double amplitudes[] = {1, 1.25};
    rng r = rng_for("test_real_positions");
    mpfr_t angle, s, c;
    (void)state;
    mpfr_inits2(400, angle, s, c, (mpfr_ptr)NULL);
    for (size_t k = 0; k < 4; k++) {
        double omega[H], reals[TOKENS];
        float floats[TOKENS], in[TOKENS * N], want[TOKENS * N], got[TOKENS * N], sine[H], cosine[H];
        pe_rope_config config = pe_rope_config_default(N);
        owned_plan p;
        config.rope_theta = 500000;
        config.layout = (pe_layout)(k % 2);
        config.attention_factor = amplitudes[k / 2];
        rope_plan(&p, &config);
        assert_int_equal(pe_rope_frequencies(&config, omega, NULL), PE_OK);
        for (size_t t = 0; t < TOKENS; t++) {
            reals[t] = t < LENGTH(some) ? some[t] : (double)rng_position(&r) / 2 + rng_unit(&r);
            floats[t] = (float)reals[t];
        }
        for (int kind = 0; kind < 4; kind++) { /* f64, f32, points of one coordinate, back */
            const pe_at at = kind == 0   ? pe_at_f64(reals)
                             : kind == 1 ? pe_at_f32(floats)
                             : kind == 2 ? pe_coords_f64(reals, 1, 1, 1)
                                         : pe_back(pe_at_f64(reals));
            fill_random(F32, in, TOKENS * N, &r);
            memcpy(want, in, sizeof in), memcpy(got, in, sizeof in);
            for (size_t t = 0; t < TOKENS; t++) {
                for (size_t i = 0; i < H; i++) {
                    mpfr_set_d(angle, omega[i], MPFR_RNDN);
                    mpfr_mul_d(angle, angle, kind == 1 ? (double)floats[t] : reals[t], MPFR_RNDN);
                    mpfr_sin_cos(s, c, angle, MPFR_RNDN);
                    mpfr_mul_d(s, s, amplitudes[k / 2], MPFR_RNDN);
                    mpfr_mul_d(c, c, amplitudes[k / 2], MPFR_RNDN);
                    sine[i] = mpfr_get_flt(s, MPFR_RNDN), cosine[i] = mpfr_get_flt(c, MPFR_RNDN);
                }
                turn(F32, config.layout, sine, cosine, kind == 3 ? -1 : 1, N, want + t * N);
            }
            assert_int_equal(pe_rope_f32(&p.plan, at, TOKENS, got, lie(1, N, N)), PE_OK);
            for (size_t i = 0; i < TOKENS * N; i++)
                if (got[i] != want[i])
                    fail_msg("position %a, element %zu: %a, not %a", reals[i / N], i % N,
                             (double)got[i], (double)want[i]);
        }
        plan_free(&p);
        /* with an offset: their sum in double, rounded once */
        config.offset = 0x1p20 + 0x1p-20;
        rope_plan(&p, &config);
        for (size_t t = 0; t < TOKENS; t++) {
            volatile double sum = reals[t] / 1024 + config.offset;
            reals[t] /= 1024;
            config.offset = 0;
            owned_plan none;
            rope_plan(&none, &config);
            fill_random(F32, want, N, &r);
            memcpy(got, want, N * sizeof *got);
            const double exact = sum;
            assert_int_equal(pe_rope_f32(&p.plan, pe_at_f64(&reals[t]), 1, got, lie(1, N, N)),
                             PE_OK);
            assert_int_equal(pe_rope_f32(&none.plan, pe_at_f64(&exact), 1, want, lie(1, N, N)),
                             PE_OK);
            assert_memory_equal(got, want, N * sizeof *got);
            plan_free(&none);
            config.offset = 0x1p20 + 0x1p-20;
        }
        plan_free(&p);
    }
    mpfr_clears(angle, s, c, (mpfr_ptr)NULL);
}

/* Places of every kind against the list of their positions, in every type; and any cut of the tokens
   over calls by pe_skip. */
static void test_places(void **state)
{
    enum { N = 40, TOKENS = 60, ALL = TOKENS * 2 * N };
    static unsigned char in[ALL * 4], want[ALL * 4], got[ALL * 4];
    rng r = rng_for("test_places");
    owned_plan p[2];
    (void)state;
    plans_make(p, N, 10000, 1);
    for (size_t k = 0; k < 2 * (workload(160) / 2 + 8); k++) {
        const type t = (type)(k % TYPES);
        const pe_plan *const plan = &p[k % 2].plan;
        const pe_heads lies = lie(2, N, 2 * N);
        int64_t list[TOKENS], first = rng_position(&r) / 4, step;
        int32_t narrow[TOKENS];
        float floats[TOKENS];
        double doubles[TOKENS], spread[3 * TOKENS];
        const size_t kind = k / 2 % 8, sizes[1] = {TOKENS};
        static const int64_t steps[] = {-1, 0, 1, 2, -3, 17, 4913, -1000003};
        step = steps[rng_below(&r, LENGTH(steps))];
        if (kind == 7) first = 0, step = 1;
        if (kind == 3) first /= 65536, step %= 1000; /* floats have them exactly */
        for (size_t m = 0; m < TOKENS; m++) {
            list[m] = kind < 2 || kind == 7 || rng_below(&r, 4) != 0
                          ? first + step * (int64_t)m
                          : rng_position(&r) / (kind == 3 ? INT64_C(1) << 10 : 1);
            if (kind == 3) list[m] %= 1 << 24;
            if (list[m] > INT32_MAX) list[m] = INT32_MAX;
            narrow[m] = (int32_t)list[m], floats[m] = (float)list[m];
            doubles[m] = spread[3 * m] = (double)list[m];
        }
        const pe_at kinds[] = {pe_from_by(first, step),
                               pe_skip(pe_from_by(first - 9 * step, step), 9),
                               pe_at_i32(narrow),
                               pe_at_f32(floats),
                               pe_at_f64(doubles),
                               pe_coords_f64(spread, 1, 3, 1),
                               pe_coords_i32(narrow, 1, 1, 5),
                               pe_grid(sizes, 1)};
        const pe_at plain = kinds[kind], of_list = pe_at_i64(list);
        const unsigned way = (unsigned)rng_below(&r, 4);
        const pe_at moved = way & 2 ? pe_delta(plain) : plain,
                    at = way & 1 ? pe_back(moved) : moved;
        const pe_at moved_list = way & 2 ? pe_delta(of_list) : of_list;
        fill_random(t, in, ALL, &r);
        memcpy(want, in, sizeof in), memcpy(got, in, sizeof in);
        assert_int_equal(
            rope_at(t, plan, way & 1 ? pe_back(moved_list) : moved_list, TOKENS, want, lies),
            PE_OK);
        assert_int_equal(rope_at(t, plan, at, TOKENS, got, lies), PE_OK);
        if (memcmp(got, want, ALL * bytes_of(t)) != 0)
            fail_msg("kind %zu, way %u, first %" PRId64 ", step %" PRId64 ", %s", kind, way, first,
                     step, type_names[t]);
        memcpy(got, in, sizeof in);
        for (size_t done = 0, n; done < TOKENS; done += n) {
            n = 1 + rng_below(&r, TOKENS - done);
            assert_int_equal(
                rope_at(t, plan, pe_skip(at, done), n, got + done * 2 * N * bytes_of(t), lies),
                PE_OK);
        }
        assert_memory_equal(got, want, ALL * bytes_of(t));
        /* back twice, and the order of back, delta and skip: all the same */
        memcpy(got, in, sizeof in);
        assert_int_equal(rope_at(t, plan, pe_back(pe_back(pe_skip(at, 0))), TOKENS, got, lies),
                         PE_OK);
        assert_memory_equal(got, want, ALL * bytes_of(t));
        memcpy(got, in, sizeof in);
        const pe_at back = way & 1 ? pe_back(plain) : plain;
        assert_int_equal(rope_at(t, plan, pe_skip(pe_skip(way & 2 ? pe_delta(back) : back, 0), 0),
                                 TOKENS, got, lies),
                         PE_OK);
        assert_memory_equal(got, want, ALL * bytes_of(t));
    }
    plans_free(p);
}

/* pe_back(pe_delta(at)): turning by -p without offset and amplitude, by MPFR's cosines; what a turn by
   the same numbers did is undone but for roundings. */
static void test_undone(void **state)
{
    enum { N = 32, H = N / 2, TOKENS = 40 };
    rng r = rng_for("test_undone");
    (void)state;
    for (int layout = 0; layout < 2; layout++) {
        pe_config config = config_of(N, 10000, 1.7);
        owned_plan p;
        oracle o;
        config.offset = 1000.5;
        config.layout = (pe_layout)layout;
        plan_of(&p, config);
        oracle_make(&o, "test_undone", N, 10000, 1);
        for (size_t m = 0; m < TOKENS; m++) {
            const int64_t position = m < 32 ? hard_positions[m] : rng_position(&r);
            const pe_at at = pe_delta(pe_all(m % 2 ? position : -position));
            const double t = (double)(m % 2 ? position : -position);
            float x[N], got[N], want[N], s[H], c[H];
            for (size_t i = 0; i < H; i++) {
                oracle_pair(&o, (int64_t)t, i);
                s[i] = mpfr_get_flt(o.element[0], MPFR_RNDN);
                c[i] = mpfr_get_flt(o.element[1], MPFR_RNDN);
            }
            fill_random(F32, x, N, &r);
            memcpy(got, x, sizeof x), memcpy(want, x, sizeof x);
            assert_int_equal(pe_rope_f32(&p.plan, pe_back(at), 1, got, lie(1, N, N)), PE_OK);
            turn(F32, config.layout, s, c, -1, N, want);
            assert_memory_equal(got, want, sizeof want);
            assert_int_equal(pe_rope_f32(&p.plan, at, 1, got, lie(1, N, N)), PE_OK);
            for (size_t i = 0; i < H; i++) {
                const size_t a = first_of(config.layout, i), b = second_of(config.layout, i, N);
                const double size = hypot((double)x[a], (double)x[b]) + 1e-30;
                assert_true(hypot((double)got[a] - (double)x[a], (double)got[b] - (double)x[b]) <
                            6 / 16777216.0 * size); /* see test_inverse */
            }
        }
        oracle_free(&o);
        plan_free(&p);
    }
}

/* Floats of any size, ties of 16 bits, infinities and NaNs. */
static float any_float(rng *r, type t)
{
    const size_t k = rng_below(r, 16);
    const double half = ldexp(1, t == F16 ? -11 : -8), x = (rng_unit(r) - 0.5) * 4;
    if (k == 0) return (float)INFINITY;
    if (k == 1) return -(float)NAN;
    if (k == 2) return (float)ldexp(x, t == F16 ? 15 : 127);   /* next to overflow */
    if (k == 3) return (float)ldexp(x, t == F16 ? -16 : -128); /* subnormal there */
    if (k == 4) return (float)ldexp(x, t == F16 ? -25 : -149);
    if (k < 9) return (float)((1 + half * (double)(2 * rng_below(r, 64) + 1)) * (k & 1 ? 1 : -1));
    return (float)x;
}

/* The same number, or both are NaNs: of these neither sign nor payload is promised. */
static void compare_16(type t, const uint16_t *got, const uint16_t *want, size_t elements)
{
    const unsigned infinity = t == F16 ? 0x7c00 : 0x7f80;
    for (size_t i = 0; i < elements; i++)
        if (got[i] != want[i] &&
            ((got[i] & 0x7fffu) <= infinity || (want[i] & 0x7fffu) <= infinity))
            fail_msg("%s: element %zu is 0x%04x, not 0x%04x", type_names[t], i, got[i], want[i]);
}

/* Floats into a cache of 16 bits: the floats of pe_rope_to_f32, rounded once, whole heads of them. What
   is between the heads stays. */
static void test_into_a_cache(void **state)
{
    static const size_t widths[] = {2, 6, 16, 30, 64, 128, 130};
    enum { TOKENS = 5, HEADS = 3, MOST = TOKENS * HEADS * (130 + 40) };
    static float in[MOST], middle[MOST];
    static uint16_t got[MOST], want[MOST];
    rng r = rng_for("test_into_a_cache");
    size_t ties = 0, huge = 0;
    (void)state;
    for (size_t k = 0; k < 4 * LENGTH(widths) * (workload(32) + 1); k++) {
        const size_t n = widths[k / 4 % LENGTH(widths)];
        const size_t dim = n + (size_t[]){0, 1, 8, 33}[rng_below(&r, 4)], gap = rng_below(&r, 4);
        const type t = k % 2 ? F16 : BF16;
        const pe_heads from = lie(HEADS, dim, HEADS * dim),
                       to = lie(HEADS, TOKENS * (dim + gap), dim + gap);
        const int zero = rng_below(&r, 4) == 0; /* position 0: what goes in is what is rounded */
        const pe_at at = zero ? pe_all(0) : pe_from(rng_position(&r) / 2);
        owned_plan p;
        pe_config config = config_of(n, 10000, zero ? 1 : 1.25);
        config.layout = (pe_layout)(k / 2 % 2);
        plan_of(&p, config);
        for (size_t i = 0; i < TOKENS * HEADS * dim; i++)
            in[i] = rng_below(&r, 4) ? random_value(&r) : any_float(&r, t);
        assert_int_equal(pe_rope_to_f32(&p.plan, at, TOKENS, dim, in, from, middle, from), PE_OK);
        memset(got, CANARY, sizeof got), memset(want, CANARY, sizeof want);
        for (size_t token = 0; token < TOKENS; token++)
            for (size_t head = 0; head < HEADS; head++)
                for (size_t e = 0; e < dim; e++) {
                    const float y = middle[token * from.token_stride + head * from.head_stride + e];
                    uint32_t bits;
                    memcpy(&bits, &y, sizeof bits);
                    ties += (bits & (t == F16 ? 0x1fff : 0xffff)) == (t == F16 ? 0x1000 : 0x8000);
                    huge += fabsf(y) > 65520 && fabsf(y) < (float)INFINITY;
                    put(t, want, token * to.token_stride + head * to.head_stride + e, y);
                }
        assert_int_equal(t == F16
                             ? pe_rope_to_f32_f16(&p.plan, at, TOKENS, dim, in, from, got, to)
                             : pe_rope_to_f32_bf16(&p.plan, at, TOKENS, dim, in, from, got, to),
                         PE_OK);
        compare_16(t, got, want, LENGTH(got));
        plan_free(&p);
    }
    assert_true(ties > 100 && huge > 100);
}

/* One head of one token in place, which has a way of its own where no pair is left over: the bits, of a
   table with sines in an array of their own and of the last row of one array, and what is wrong with its
   arguments. */
static void test_by_table_one_head(void **state)
{
    static const size_t widths[] = {2, 16, 30, 32, 62, 64, 128, 130, 256, 512, 514, 1024};
    const pe_heads one = {1, 7, 3}; /* strides that nothing needs */
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

/* Out of place by the caller's table: a copy, turned in place. */
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

/* ------------------------------------------------------------------------------------------------
 * Axes in blocks of halves; what is before the part that rotates
 * --------------------------------------------------------------------------------------------- */

/* Cosines and sines of n / 2 pairs at a position, by MPFR. */
static void exact_row(oracle *o, int64_t position, float *c, float *s)
{
    for (size_t i = 0; i < o->pairs; i++) {
        oracle_pair(o, position, i);
        s[i] = mpfr_get_flt(o->element[0], MPFR_RNDN),
        c[i] = mpfr_get_flt(o->element[1], MPFR_RNDN);
        if (position == 0) s[i] = 0;
    }
}

static void turn_all(type t, const pe_plan *plan, pe_at at, size_t tokens, size_t dim,
                     const void *in, pe_heads from, void *x, pe_heads heads)
{
    const pe_status status =
        !in ? rope_at(t, plan, at, tokens, x, heads)
        : t == F32
            ? pe_rope_to_f32(plan, at, tokens, dim, (const float *)in, from, (float *)x, heads)
        : t == F16 ? pe_rope_to_f16(plan, at, tokens, dim, (const uint16_t *)in, from,
                                    (uint16_t *)x, heads)
                   : pe_rope_to_bf16(plan, at, tokens, dim, (const uint16_t *)in, from,
                                     (uint16_t *)x, heads);
    assert_int_equal(status, PE_OK);
}

/* Gemma 4's vision tower, Allegro, ChatGLM-6B: each axis has a block of the head, with halves of its own. */
static void test_blocks(void **state)
{
    enum { TOKENS = 7, HEADS = 3, MOST = 512, ROOM = TOKENS * HEADS * (MOST + 3) };
    static const size_t widths[][3] = {{2, 2, 0},    {8, 8, 0},    {16, 24, 40}, {30, 34, 0},
                                       {64, 64, 0},  {32, 32, 32}, {128, 2, 62}, {212, 300, 0},
                                       {16, 16, 0},  {32, 32, 0},  {96, 32, 0},  {64, 64, 64},
                                       {192, 192, 0}};
    static unsigned char in[ROOM * 4], x[ROOM * 4], want[ROOM * 4];
    static float c[TOKENS][MOST / 2], s[TOKENS][MOST / 2], table_c[TOKENS * 2 * MOST],
        table_s[TOKENS * 2 * MOST];
    rng r = rng_for("test_blocks");
    (void)state;
    for (size_t k = 0; k < LENGTH(widths) * 6; k++) {
        const size_t *const width = widths[k / 6], axes = width[2] ? 3 : 2;
        const int how =
            (int)(k % 6); /* 0 points, 1 back, 2 differences, 3 the same back, 4 one coordinate */
        const int delta = how == 2 || how == 3, back = how % 2;
        const double amplitude = how == 0 ? 1.0 : 1.25;
        pe_config config = config_of(width[0] + width[1] + width[2], 10000, amplitude);
        const size_t n = config.d_model, dim = n + k % 3;
        const pe_heads where = lie(HEADS, dim, HEADS * dim);
        int64_t points[TOKENS * 3];
        pe_at at = pe_coords_i64(points, axes, axes, 1);
        owned_plan p;
        oracle o[3];
        config.axes = axes, config.layout = PE_LAYOUT_HALVES;
        for (size_t a = 0; a < axes; a++) {
            config.axis[a].width = width[a], config.axis[a].coordinate = axes - 1 - a;
            oracle_make(&o[a], "test_blocks", width[a], 10000, delta ? 1 : amplitude);
        }
        plan_of(&p, config);
        for (size_t i = 0; i < TOKENS * axes; i++)
            points[i] = (int64_t)rng_below(&r, i % 2 ? 64 : 1000000) - (i % 3 == 0 ? 32 : 0);
        if (how == 4) at = pe_from(points[0]);
        for (size_t t = 0; t < TOKENS; t++)
            for (size_t a = 0, column = 0; a < axes; column += width[a++] / 2) {
                const int64_t position =
                    how == 4 ? points[0] + (int64_t)t : points[t * axes + axes - 1 - a];
                exact_row(&o[a], back ? -position : position, c[t] + column, s[t] + column);
            }
        if (delta) at = pe_delta(at);
        if (back) at = pe_back(at);
        for (int t = 0; t < TYPES; t++)
            for (int to = 0; to < 2; to++) {
                fill_random((type)t, in, TOKENS * HEADS * dim, &r);
                memcpy(x, in, sizeof x), memcpy(want, in, sizeof want);
                for (size_t token = 0; token < TOKENS * HEADS; token++)
                    for (size_t a = 0, column = 0; a < axes; column += width[a++])
                        turn((type)t, PE_LAYOUT_HALVES, s[token / HEADS] + column / 2,
                             c[token / HEADS] + column / 2, 1, width[a],
                             want + (token * dim + column) * bytes_of((type)t));
                if (to) memset(x, CANARY, sizeof x);
                turn_all((type)t, &p.plan, at, TOKENS, dim, to ? in : NULL, where, x, where);
                if (memcmp(x, want, TOKENS * HEADS * dim * bytes_of((type)t)) != 0)
                    fail_msg("%s in blocks of %zu, %zu, %zu, kind %d, to %d", type_names[t],
                             width[0], width[1], width[2], how, to);
            }
        /* heads one after the other, each with its tokens */
        fill_random(F32, in, TOKENS * HEADS * dim, &r);
        for (size_t i = 0; i < TOKENS * HEADS; i++) {
            const size_t bytes = dim * sizeof(float);
            memcpy(x + (i % HEADS * TOKENS + i / HEADS) * bytes, in + i * bytes, bytes);
        }
        turn_all(F32, &p.plan, at, TOKENS, dim, NULL, where, in, where);
        turn_all(F32, &p.plan, at, TOKENS, dim, NULL, where, x, lie(HEADS, TOKENS * dim, dim));
        for (size_t i = 0; i < TOKENS * HEADS; i++) {
            const size_t bytes = dim * sizeof(float);
            assert_memory_equal(x + (i % HEADS * TOKENS + i / HEADS) * bytes, in + i * bytes,
                                bytes);
        }
        /* queries and keys of floats, by one call */
        fill_random(F32, in, TOKENS * HEADS * dim, &r);
        memcpy(x, in, sizeof x), memcpy(want, in, sizeof want);
        turn_all(F32, &p.plan, at, TOKENS, dim, NULL, where, want, where);
        assert_int_equal(pe_rope_qk_f32(&p.plan, at, TOKENS, (float *)(void *)x,
                                        lie(2, dim, HEADS * dim), (float *)(void *)x + 2 * dim,
                                        lie(1, dim, HEADS * dim)),
                         PE_OK);
        assert_memory_equal(x, want, TOKENS * HEADS * dim * sizeof(float));
        /* tables: pair after pair, block after block; twice: each element's own pair */
        for (int order = PE_ROPE_TABLE_APART; order <= PE_ROPE_TABLE_MATRIX; order++) {
            const int two = order <= PE_ROPE_TABLE_TWICE;
            const size_t h = n / 2, stride = order == PE_ROPE_TABLE_MATRIX ? 2 * n : n;
            memset(table_c, CANARY, sizeof table_c);
            assert_int_equal(pe_rope_table_f32(&p.plan, at, TOKENS, (pe_rope_table_layout)order,
                                               table_c, two ? table_s : NULL, stride, NULL),
                             PE_OK);
            for (size_t t = 0; t < TOKENS; t++)
                for (size_t a = 0, i = 0, column = 0; a < axes; column += width[a++])
                    for (size_t j = 0; j < width[a] / 2; j++, i++) {
                        const float *const row = table_c + t * stride, *const row_s =
                                                                           table_s + t * stride;
                        switch (order) {
                        case PE_ROPE_TABLE_APART:
                            assert_true(row[i] == c[t][i] && row_s[i] == s[t][i]);
                            break;
                        case PE_ROPE_TABLE_TWICE:
                            for (size_t e = column + j, again = 0; again < 2;
                                 again++, e += width[a] / 2)
                                assert_true(row[e] == c[t][i] && row_s[e] == s[t][i]);
                            break;
                        case PE_ROPE_TABLE_JOINED:
                            assert_true(row[i] == c[t][i] && row[h + i] == s[t][i]);
                            break;
                        case PE_ROPE_TABLE_COMPLEX:
                            assert_true(row[2 * i] == c[t][i] && row[2 * i + 1] == s[t][i]);
                            break;
                        default:
                            assert_true(row[4 * i] == c[t][i] && row[4 * i + 1] == -s[t][i]);
                            assert_true(row[4 * i + 2] == s[t][i] && row[4 * i + 3] == c[t][i]);
                            break;
                        }
                    }
        }
        for (size_t a = 0; a < axes; a++) oracle_free(&o[a]);
        free(p.memory);
    }
}

/* rotary_offset: what lies before and behind stays in place and is copied out of place; every form, with
   rope_interleave as well. A table has no such thing. */
static void test_rotary_offset(void **state)
{
    enum { TOKENS = 5, HEADS = 2, MOST = 600, ROOM = TOKENS * HEADS * MOST };
    static const size_t rotary[] = {16, 64, 6, 128, 514};
    static unsigned char in[ROOM * 4], x[ROOM * 4], want[ROOM * 4];
    static float c[MOST], s[MOST], narrow[ROOM];
    static uint16_t half[ROOM];
    rng r = rng_for("test_rotary_offset");
    (void)state;
    for (size_t k = 0; k < LENGTH(rotary) * 4 * 3; k++) {
        static const size_t offsets[] = {1, 8, 40, 24};
        const size_t n = rotary[k / 12], offset = offsets[k / 3 % 4], dim = offset + n + k % 5;
        const int form = (int)(k % 3), apart = form == 2 && n <= 512;
        const pe_heads where = lie(HEADS, dim, HEADS * dim),
                       one_after = lie(HEADS, TOKENS * dim, dim);
        pe_rope_config config = pe_rope_config_default(dim);
        owned_plan p;
        oracle o;
        config.rotary_dim = n, config.rotary_offset = offset;
        config.layout = form == 1 ? PE_LAYOUT_INTERLEAVED : PE_LAYOUT_HALVES;
        config.rope_interleave = apart;
        rope_plan(&p, &config);
        oracle_make(&o, "test_rotary_offset", n, 10000, 1);
        for (int t = 0; t < TYPES; t++)
            for (int to = 0; to < 2; to++) {
                const size_t e = bytes_of((type)t);
                const pe_heads out = to ? one_after : where;
                fill_random((type)t, in, TOKENS * HEADS * dim, &r);
                memcpy(x, in, sizeof x);
                for (size_t token = 0; token < TOKENS; token++) {
                    exact_row(&o, 70000 + (int64_t)token, c, s);
                    for (size_t h = 0; h < HEADS; h++) {
                        unsigned char *const y =
                            want + (token * out.token_stride + h * out.head_stride) * e;
                        const unsigned char *const from = in + (token * HEADS + h) * dim * e;
                        memcpy(y, from, dim * e);
                        for (size_t i = 0; apart && i < n;
                             i++) /* read adjacent, written as halves */
                            memcpy(y + (offset + i % 2 * (n / 2) + i / 2) * e,
                                   from + (offset + i) * e, e);
                        turn((type)t, config.layout, s, c, 1, n, y + offset * e);
                    }
                }
                if (to) memset(x, CANARY, sizeof x);
                turn_all((type)t, &p.plan, pe_from(70000), TOKENS, dim, to ? in : NULL, where, x,
                         out);
                if (memcmp(x, want, TOKENS * HEADS * dim * e) != 0)
                    fail_msg("%s, %zu of %zu from %zu on, form %d, to %d", type_names[t], n, dim,
                             offset, form, to);
            }
        /* floats to 16 bits: what is copied is rounded, too */
        fill_random(F32, in, TOKENS * HEADS * dim, &r);
        turn_all(F32, &p.plan, pe_from(70000), TOKENS, dim, in, where, narrow, where);
        assert_int_equal(pe_rope_to_f32_bf16(&p.plan, pe_from(70000), TOKENS, dim,
                                             (float *)(void *)in, where, half, where),
                         PE_OK);
        for (size_t i = 0; i < TOKENS * HEADS * dim; i++) {
            uint16_t bits;
            put(BF16, &bits, 0, narrow[i]);
            assert_int_equal(half[i], bits);
        }
        memset(x, CANARY, sizeof x);
        assert_int_equal(pe_rope_to_f32(&p.plan, pe_from(0), TOKENS, offset + n - 1,
                                        (float *)(void *)in, where, (float *)(void *)x, where),
                         PE_ERR_HEAD_DIM);
        assert_int_equal(pe_rope_f32(&p.plan, pe_from(0), 1, (float *)(void *)x, lie(2, n - 1, 0)),
                         PE_ERR_SHAPE);
        assert_true(all_canaries(x, sizeof x));
        /* heads may be as near to each other as what is rotated is long: their ends are not touched */
        assert_int_equal(pe_rope_f32(&p.plan, pe_from(0), 1, (float *)(void *)in, lie(2, n, 0)),
                         PE_OK);
        oracle_free(&o);
        free(p.memory);
    }
}

/* What pe_rope_plan_init() refuses: the plan becomes all zeros, its memory stays as it was. */
static void refused_plan(const pe_rope_config *config, pe_status status, const char *field)
{
    static const pe_plan none;
    pe_plan plan;
    static unsigned char memory[1 << 17];
    float x[2] = {1, 2};
    memset(&plan, CANARY, sizeof plan);
    memset(memory, CANARY, sizeof memory);
    assert_int_equal(pe_rope_plan_init(&plan, config, memory, sizeof memory), status);
    assert_memory_equal(&plan, &none, sizeof plan);
    assert_true(all_canaries(memory, sizeof memory));
    assert_int_equal(pe_rope_f32(&plan, pe_from(0), 1, x, lie(1, 2, 2)), PE_ERR_PLAN);
    assert_int_equal(
        pe_rope_table_f32(&plan, pe_from(0), 1, PE_ROPE_TABLE_APART, x, x + 1, 1, NULL),
        PE_ERR_PLAN);
    assert_int_equal(pe_fill_f32(&plan, pe_from(0), 1, x, 2), PE_ERR_PLAN);
    assert_true(x[0] == 1 && x[1] == 2);
    if (field != NULL) {
        assert_int_equal(pe_rope_plan_size(config), 0);
        assert_non_null(pe_rope_config_error(config));
        if (strstr(pe_rope_config_error(config), field) == NULL)
            fail_msg("%s is not named: %s", field, pe_rope_config_error(config));
    }
}

static void test_bad_plans(void **state)
{
    static const pe_plan none;
    const pe_rope_config good = pe_rope_config_default(32);
    pe_rope_config c;
    pe_plan plan;
    (void)state;
#define REFUSED(field, change)                                                                     \
    do {                                                                                           \
        c = good, c.axes = 2, c.sections[0] = c.sections[1] = 8;                                   \
        assert_null(pe_rope_config_error(&c));                                                     \
        change;                                                                                    \
        refused_plan(&c, PE_ERR_CONFIG, field);                                                    \
    } while (0)
    REFUSED("axes", c.axes = 0);
    REFUSED("axes", c.axes = PE_MAX_AXES + 1);
    REFUSED("axes", c.axes = SIZE_MAX);
    REFUSED("sections", c.sections[0] = 7);
    REFUSED("sections", c.sections[1] = 9);
    REFUSED("sections", c.sections[0] = 0);
    REFUSED("sections", c.axes = 3; c.sections[2] = 1);
    REFUSED("sections", c.sections[0] = SIZE_MAX; c.sections[1] = 17); /* their sum is 16 */
    REFUSED("rope_interleave", c.rope_interleave = 1; c.layout = PE_LAYOUT_INTERLEAVED);
    REFUSED("rope_interleave", c.rope_interleave = 1; c.head_dim = c.rotary_dim = 514;
            c.sections[0] = 249);
    REFUSED("sections", c.section_order = PE_SECTIONS_VISION;
            c.axes = 3); /* 16 are no three thirds */
    REFUSED("section_order", c.section_order = (pe_sections)3);
    REFUSED("section_order", c.section_order = (pe_sections)-1);
    REFUSED("rotary_offset", c.rotary_offset = 1);
    REFUSED("rotary_offset", c.rotary_offset = SIZE_MAX);
    REFUSED("rotary_offset", c.head_dim = 40; c.rotary_dim = 32; c.rotary_offset = 9);
    REFUSED("rotary_offset", c.head_dim = 40; c.rotary_dim = 32; c.rotary_offset = 41);
    REFUSED("layout", c.layout = (pe_layout)2);
    REFUSED("layout", c.layout = (pe_layout)-1);
    REFUSED("angle", c.angle = (pe_angle)2);
    REFUSED("angle", c.angle = (pe_angle)-1);
    REFUSED("offset", c.offset = 0x1p-21);
    REFUSED("offset", c.offset = 0x1p32);
    REFUSED("offset", c.offset = (double)NAN);
    REFUSED("rotary_dim", c.rotary_dim = 31);
    REFUSED("rope_theta", c.rope_theta = 0.5);
#undef REFUSED
    c = good; /* one axis: not looked at */
    c.sections[0] = 99, c.sections[3] = SIZE_MAX;
    assert_null(pe_rope_config_error(&c));
    assert_true(pe_rope_plan_size(&c) > 0);

    /* NTK's exponent n / (n - 2), n of a section */
    for (int scaling = PE_ROPE_NTK; scaling <= PE_ROPE_DYNAMIC_NTK; scaling++) {
        c = config_of_type((pe_rope_type)scaling, 8, 8);
        c.axes = 2, c.section_order = PE_SECTIONS_VISION, c.sections[0] = c.sections[1] = 2;
        assert_null(pe_rope_config_error(&c));
        c.head_dim = c.rotary_dim = 4, c.sections[0] = c.sections[1] = 1;
        if (scaling != PE_ROPE_NTK_FIXED) refused_plan(&c, PE_ERR_CONFIG, "rotary_dim");
        else assert_null(pe_rope_config_error(&c));
    }

    /* a factor that makes a frequency of more than 2^21, and the largest that does not */
    static float factors[16];
    for (size_t i = 0; i < 16; i++) factors[i] = 1;
    factors[0] = 0x1p-21f; /* of pair 0, whose frequency is 1 */
    c = good, c.freq_factors = factors;
    const size_t size = pe_rope_plan_size(&c);
    void *enough = must_alloc(size);
    assert_true(size > 0);
    assert_int_equal(pe_rope_plan_init(&plan, &c, enough, size), PE_OK);
    factors[0] = nextafterf(0x1p-21f, 0);
    assert_null(pe_rope_config_error(&c));
    refused_plan(&c, PE_ERR_FACTOR, NULL);
    factors[0] = 1;
    static double longer[16];
    for (size_t i = 0; i < 16; i++)
        longer[i] = 0x1p-40; /* the last: 2^40 * 10000^(-15/16), just so much as well */
    c = good, c.rope_type = PE_ROPE_LONGROPE, c.short_factor = c.long_factor = longer;
    c.factor = 2, c.original_max_position_embeddings = 4096;
    assert_null(pe_rope_config_error(&c));
    refused_plan(&c, PE_ERR_FACTOR, NULL);

    c = good; /* YARN's factor as the ratio of two lengths: 2^-31 */
    c.rope_type = PE_ROPE_YARN, c.extrapolation_factor = 0, c.max_position_embeddings = 1;
    c.original_max_position_embeddings = (size_t)1 << 31;
    assert_null(pe_rope_config_error(&c));
    refused_plan(&c, PE_ERR_FACTOR, NULL);

    /* memory and pointers */
    c = good;
    const size_t whole = pe_rope_plan_size(&c);
    unsigned char *little = (unsigned char *)must_alloc(whole);
    memset(little, CANARY, whole);
    memset(&plan, CANARY, sizeof plan);
    assert_int_equal(pe_rope_plan_init(&plan, &c, little, whole - 1), PE_ERR_MEMORY);
    assert_memory_equal(&plan, &none, sizeof plan);
    memset(&plan, CANARY, sizeof plan);
    assert_int_equal(pe_rope_plan_init(&plan, &c, NULL, whole), PE_ERR_NULL);
    assert_memory_equal(&plan, &none, sizeof plan);
    memset(&plan, CANARY, sizeof plan);
    assert_int_equal(pe_rope_plan_init(&plan, NULL, little, whole), PE_ERR_NULL);
    assert_memory_equal(&plan, &none, sizeof plan);
    assert_int_equal(pe_rope_plan_init(NULL, &c, little, whole), PE_ERR_NULL);
    c.rope_type = PE_ROPE_LONGROPE, c.factor = 2, c.original_max_position_embeddings = 4096;
    memset(&plan, CANARY, sizeof plan);
    assert_int_equal(pe_rope_plan_init(&plan, &c, little, whole), PE_ERR_CONFIG); /* no list */
    assert_memory_equal(&plan, &none, sizeof plan);
    assert_true(all_canaries(little, whole));
    assert_int_equal(pe_rope_plan_size(NULL), 0);
    free(little);
    free(enough);
}
static pe_status table(type t, const pe_plan *plan, pe_at at, size_t rows,
                       pe_rope_table_layout layout, void *c, void *s, size_t stride)
{
    return t == F32
               ? pe_rope_table_f32(plan, at, rows, layout, (float *)c, (float *)s, stride, NULL)
           : t == F16 ? pe_rope_table_f16(plan, at, rows, layout, (uint16_t *)c, (uint16_t *)s,
                                          stride, NULL)
                      : pe_rope_table_bf16(plan, at, rows, layout, (uint16_t *)c, (uint16_t *)s,
                                           stride, NULL);
}

/* Each table's layout and bits, every type. */
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

/* Turned and turned back, x is x to a bound. An element of either way errs by 3 * 2^-24 (|a c| + |b s|) at most, see
   pe.h, and |a c| + |b s| <= |(a, b)|: a pair by 3 sqrt(2) each way, 8.5 for both; less is seen. */
static void test_inverse(void **state)
{
    enum { N = 64 };
    rng r = rng_for("test_inverse");
    owned_plan p[2];
    double worst = 0;
    (void)state;
    plans_make(p, N, 10000, 1);
    for (size_t k = 0; k < workload(2000); k++) {
        const pe_plan *const plan = &p[k % 2].plan;
        const pe_at at = pe_from(rng_position(&r));
        float x[N], y[N];
        fill_random(F32, x, N, &r);
        memcpy(y, x, sizeof x);
        assert_int_equal(pe_rope_f32(plan, at, 1, y, lie(1, N, N)), PE_OK);
        assert_int_equal(
            pe_rope_f32(plan, k % 4 < 2 ? pe_back(at) : pe_back(pe_delta(at)), 1, y, lie(1, N, N)),
            PE_OK);
        for (size_t i = 0; i < N / 2; i++) {
            const size_t a = first_of((pe_layout)(k % 2), i),
                         b = second_of((pe_layout)(k % 2), i, N);
            const double size = hypot((double)x[a], (double)x[b]) + 1e-30;
            const double da = (double)y[a] - (double)x[a], db = (double)y[b] - (double)x[b];
            worst = fmax(worst, hypot(da, db) / size);
        }
    }
    printf("  inverse: largest error %.3g * 2^-24 of the pair\n", worst * 16777216);
    assert_true(worst < 6 / 16777216.0);
    plans_free(p);
}

/* Pairs turned by sines and cosines as floats, as pe does or with one product of each sum fused. */
static void turn_pairs(const float *s, const float *c, int fused, float *x, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        const float a = x[i], b = x[i + n / 2], bs = product_f32(b, s[i]),
                    as = product_f32(a, s[i]);
        x[i] = fused ? fmaf(a, c[i], -bs) : product_f32(a, c[i]) - bs;
        x[i + n / 2] = fused ? fmaf(b, c[i], as) : product_f32(b, c[i]) + as;
    }
}

/* How far pairs are from others turned exactly by an angle, in units of 2^-24 of their length: the
   largest of an element, and the sum of squares. */
static void add_errors(const float *x, const float *was, const double *sine, const double *cosine,
                       size_t n, double *largest, double *squares)
{
    for (size_t i = 0; i < n / 2; i++) {
        const double a = (double)was[i], b = (double)was[i + n / 2], unit = 16777216 / hypot(a, b);
        const double da = ((double)x[i] - (a * cosine[i] - b * sine[i])) * unit;
        const double db = ((double)x[i + n / 2] - (b * cosine[i] + a * sine[i])) * unit;
        *largest = fmax(*largest, fmax(fabs(da), fabs(db)));
        *squares += da * da + db * db;
    }
}

/* A turn is within the bound of pe.h. What is printed is in docs/accuracy.md: the errors of a turn, of
   one forth and back, of 1,000 shifts by one position; those of a fused product beside them. */
static void test_errors(void **state)
{
    enum { N = 128, SHIFTS = 1000 };
    static const char *const names[] = {"forward", "back again", "1,000 shifts"};
    rng r = rng_for("test_errors");
    const size_t rounds[] = {workload(40000), workload(40000), workload(640)};
    double zeros[N / 2] = {0}, ones[N / 2];
    owned_plan p;
    (void)state;
    pe_config config = config_of(N, 10000, 1);
    config.layout = PE_LAYOUT_HALVES;
    plan_of(&p, config);
    for (size_t i = 0; i < N / 2; i++) ones[i] = 1;
    for (int what = 0; what < 3; what++) {
        double largest[2] = {0, 0}, squares[2] = {0, 0};
        for (size_t k = 0; k < rounds[what]; k++) {
            const int64_t position = what < 2 ? (int64_t)rng_below(&r, 1 << 20) : 1;
            float row[N], x[2][N], was[N], back[N / 2];
            double exact[N];
            const int times = what < 2 ? 1 : SHIFTS;
            for (size_t i = 0; i < N; i++) was[i] = (float)(rng_unit(&r) * 4 - 2);
            assert_int_equal(pe_fill_f32(&p.plan, pe_from(position), 1, row, N), PE_OK);
            assert_int_equal(pe_fill_f64(&p.plan, pe_from(position * times), 1, exact, N), PE_OK);
            for (size_t i = 0; i < N / 2; i++) back[i] = -row[i];
            memcpy(x[0], was, sizeof was);
            memcpy(x[1], was, sizeof was);
            for (int n = 0; n < times; n++) {
                const pe_at at = what == 2 ? pe_delta(pe_all(1)) : pe_from(position);
                assert_int_equal(pe_rope_f32(&p.plan, at, 1, x[0], lie(1, N, N)), PE_OK);
                turn_pairs(row, row + N / 2, 1, x[1], N);
            }
            if (what == 1) {
                const pe_at at = pe_back(pe_from(position));
                assert_int_equal(pe_rope_f32(&p.plan, at, 1, x[0], lie(1, N, N)), PE_OK);
                turn_pairs(back, row + N / 2, 1, x[1], N);
            }
            for (int f = 0; f < 2; f++)
                add_errors(x[f], was, what == 1 ? zeros : exact, what == 1 ? ones : exact + N / 2,
                           N, &largest[f], &squares[f]);
        }
        const double elements = (double)(rounds[what] * N);
        printf("  %-12s rms %.3f, largest %.2f; fused: rms %.3f, largest %.2f (2^-24 of a pair)\n",
               names[what], sqrt(squares[0] / elements), largest[0], sqrt(squares[1] / elements),
               largest[1]);
        if (what == 0) assert_true(largest[0] <= 3 && largest[0] > 1.5);
        if (what == 1) assert_true(largest[0] <= 6);
    }
    free(p.memory);
}

/* With an amplitude above 1 products of very large numbers overflow, as they do in PyTorch, also where
   their sum would not. With 1 nothing does that a' itself does not. */
static void test_overflow(void **state)
{
    enum { N = 8 };
    static const double amplitudes[] = {1, 2};
    (void)state;
    for (size_t k = 0; k < LENGTH(amplitudes); k++) {
        owned_plan p;
        float row[N], x[N], want[N];
        int infinities = 0, nans = 0;
        pe_config config = config_of(N, 1.0001, amplitudes[k]);
        config.layout = PE_LAYOUT_HALVES;
        plan_of(&p, config);
        for (int64_t position = 0; position < 64; position++) {
            for (size_t i = 0; i < N; i++) x[i] = want[i] = FLT_MAX * (i % 2 ? 0.9f : 0.5f);
            assert_int_equal(pe_fill_f32(&p.plan, pe_from(position), 1, row, N), PE_OK);
            turn_pairs(row, row + N / 2, 0, want, N);
            assert_int_equal(pe_rope_f32(&p.plan, pe_from(position), 1, x, lie(1, N, N)), PE_OK);
            for (size_t i = 0; i < N; i++) {
                assert_true(isnan(want[i]) ? isnan(x[i]) : x[i] == want[i]);
                infinities += isinf(x[i]) != 0, nans += isnan(x[i]) != 0;
            }
        }
        assert_true(k == 0 ? nans == 0 : nans > 0 && infinities > nans);
        free(p.memory);
    }
}

/* <R(p) q, R(p + k) y> depends on k alone, to the bound of the roundings. */
static void test_relative(void **state)
{
    enum { N = 128, K = 37 };
    static const int64_t starts[] = {0, 100000, 1000000, 2147483648 - K, -2147483648};
    rng r = rng_for("test_relative");
    owned_plan p;
    float q[N], y[N];
    double reference = 0, size = 0;
    (void)state;
    plan_make(&p, N, 500000, 1);
    fill_random(F32, q, N, &r);
    fill_random(F32, y, N, &r);
    for (size_t i = 0; i < N; i++) size += fabs((double)q[i]) * 4;
    for (size_t j = 0; j < LENGTH(starts); j++) {
        float u[N], v[N];
        double dot = 0;
        memcpy(u, q, sizeof u);
        memcpy(v, y, sizeof v);
        assert_int_equal(pe_rope_f32(&p.plan, pe_from(starts[j]), 1, u, lie(1, N, N)), PE_OK);
        assert_int_equal(pe_rope_f32(&p.plan, pe_from(starts[j] + K), 1, v, lie(1, N, N)), PE_OK);
        for (size_t i = 0; i < N; i++) dot += (double)u[i] * (double)v[i];
        if (j == 0) reference = dot;
        if (!(fabs(dot - reference) < size * 6 / 16777216.0))
            fail_msg("from position %" PRId64 ": %.9g, from 0: %.9g", starts[j], dot, reference);
    }
    plan_free(&p);
}

/* Heads that end at a page that faults, and heads that begin behind one. */
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

/* Everything that is refused, with nothing written. */
static void test_bad_input(void **state)
{
    enum { N = 16 };
    static float x[8 * N], y[8 * N];
    int64_t list[4] = {0, 1, 2, 3};
    int32_t narrow[2] = {INT32_MIN, 0};
    float floats[3] = {1, 2, 3};
    double reals[3] = {1, 2, 3};
    owned_plan p, odd, padded, two, steps, woven;
    const pe_plan none = {0};
    pe_rope_config config = pe_rope_config_default(N);
    (void)state;
    plan_make(&p, N, 10000, 1);
    plan_make(&odd, N - 1, 10000, 1);
    plan_of(&padded, pe_config_preset(PE_PRESET_FAIRSEQ, N));
    plan_of(&two, pe_config_preset(PE_PRESET_DETR, N));
    pe_config by_frequency = config_of(N, 10000, 1);
    by_frequency.axes = 2, by_frequency.columns = PE_COLUMNS_FREQUENCIES;
    plan_of(&steps, by_frequency);
    config.axes = 2, config.sections[0] = config.sections[1] = N / 4;
    config.section_order = PE_SECTIONS_INTERLEAVED;
    rope_plan(&woven, &config);
    memset(x, CANARY, sizeof x);
    memset(y, CANARY, sizeof y);
    const pe_plan *const q = &p.plan;
    const pe_at zero = pe_from(0), at = pe_at_i64(list), no_list = pe_at_i64(NULL);
    const pe_heads one = lie(1, N, N), nothing = lie(0, 0, 0);
    const size_t sizes[2] = {2, 2}, huge[2] = {SIZE_MAX / 2, 4}, empty[2] = {0, SIZE_MAX};
#define REFUSED(status, call)                                                                      \
    do {                                                                                           \
        assert_int_equal(call, status);                                                            \
        assert_true(all_canaries(x, sizeof x) && all_canaries(y, sizeof y));                       \
    } while (0)
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

    REFUSED(PE_ERR_PLAN, pe_rope_f32(&none, zero, 1, x, one));
    REFUSED(PE_ERR_PLAN, pe_rope_to_f32(&none, zero, 1, N, x, one, y, one));
    REFUSED(PE_ERR_PLAN,
            pe_rope_to_f32_bf16(&none, zero, 1, N, x, one, (uint16_t *)(void *)y, one));
    REFUSED(PE_ERR_PLAN, pe_rope_qk_f32(&none, zero, 1, x, one, y, one));
    REFUSED(PE_ERR_PLAN, pe_rope_table_f32(&none, zero, 1, PE_ROPE_TABLE_APART, x, y, N, NULL));
    REFUSED(PE_ERR_PLAN_ROPE, pe_rope_f32(&odd.plan, zero, 1, x, one));
    REFUSED(PE_ERR_PLAN_ROPE, pe_rope_f32(&padded.plan, zero, 1, x, one));
    REFUSED(PE_ERR_PLAN_ROPE, pe_rope_f32(&padded.plan, pe_delta(zero), 1, x, one));
    REFUSED(PE_ERR_PLAN_ROPE, pe_rope_f32(&steps.plan, zero, 1, x, one));
    REFUSED(PE_ERR_PLAN_ROPE,
            pe_rope_table_f32(&steps.plan, zero, 1, PE_ROPE_TABLE_APART, x, y, N, NULL));
    REFUSED(PE_ERR_PLAN_ROPE, pe_rope_to_f32(&odd.plan, zero, 1, N, x, one, y, one));
    REFUSED(PE_ERR_PLAN_ROPE, pe_rope_qk_f32(&padded.plan, zero, 1, x, one, y, one));
    REFUSED(PE_ERR_PLAN_ROPE,
            pe_rope_table_f32(&odd.plan, zero, 1, PE_ROPE_TABLE_APART, x, y, N, NULL));
    REFUSED(PE_ERR_PLAN_ROPE,
            pe_rope_table_f32(&padded.plan, zero, 1, PE_ROPE_TABLE_JOINED, x, NULL, N, NULL));
    /* interleaved sections are no rows of pe_fill, no shifts and no dot products */
    REFUSED(PE_ERR_PLAN_ROWS, pe_fill_f32(&woven.plan, at, 1, x, N));
    REFUSED(PE_ERR_PLAN_ROWS, pe_add_f32(&woven.plan, zero, 1, 1, x, N));
    REFUSED(PE_ERR_PLAN_SHIFT, pe_shift_f32(&woven.plan, zero, 1, x, N));

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
    REFUSED(PE_ERR_AT_AXES, pe_rope_f32(q, pe_coords_i64(list, 9, 1, 1), 1, x, one));
    REFUSED(PE_ERR_AT_AXES, pe_rope_f32(q, pe_coords_i64(list, 0, 1, 1), 1, x, one));
    REFUSED(PE_ERR_AT_AXES, pe_rope_f32(q, pe_coords_i64(list, SIZE_MAX, 1, 1), 1, x, one));
    REFUSED(PE_ERR_AT_AXES, pe_rope_f32(q, pe_coords_i64(list, 2, 1, 1), 1, x, one));
    REFUSED(PE_ERR_AT_AXES, pe_rope_f32(&woven.plan, pe_coords_f64(reals, 3, 1, 1), 1, x, one));
    REFUSED(PE_ERR_AT_AXES, pe_rope_f32(q, pe_grid(sizes, 2), 1, x, one));
    REFUSED(PE_ERR_AT_AXES, pe_rope_f32(q, pe_grid(sizes, 0), 1, x, one));
    REFUSED(PE_ERR_AT_AXES, pe_rope_f32(q, pe_grid(sizes, PE_MAX_AXES + 1), 1, x, one));
    REFUSED(PE_ERR_AT_ROWS, pe_rope_f32(q, pe_grid(sizes, 1), 3, x, one));
    REFUSED(PE_ERR_AT_ROWS, pe_rope_f32(q, pe_skip(pe_grid(sizes, 1), 1), 2, x, one));
    REFUSED(PE_ERR_AT_ROWS, pe_rope_f32(q, pe_skip(pe_grid(sizes, 1), 3), 1, x, one));
    REFUSED(PE_ERR_AT_ROWS, pe_rope_f32(&woven.plan, pe_grid(sizes, 2), 5, x, one));
    REFUSED(PE_ERR_AT_ROWS, pe_rope_f32(&woven.plan, pe_grid(empty, 2), 1, x, one));
    REFUSED(PE_ERR_AT_SIZE, pe_rope_f32(&woven.plan, pe_grid(huge, 2), 1, x, one));
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
            pe_rope_f32(&woven.plan, pe_coords_i32(narrow, 2, 1, limit / 2), 2, x, one));
    REFUSED(PE_ERR_AT_SIZE,
            pe_rope_f32(&woven.plan, pe_coords_i32(narrow, 2, limit / 8 + 1, limit / 8 + 1), 2, x,
                        one)); /* each would fit */
    REFUSED(PE_ERR_AT_SIZE, pe_rope_f32(q, pe_skip(at, SIZE_MAX), 1, x, one));
    REFUSED(PE_ERR_AT_SIZE, pe_rope_f32(q, pe_skip(pe_skip(at, limit), limit), 1, x, one));

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
    list[3] = INT64_MAX;
    REFUSED(PE_ERR_RANGE, pe_rope_f32(q, at, 4, x, one));
    REFUSED(PE_ERR_RANGE, pe_rope_f32(q, pe_delta(pe_back(at)), 4, x, one));
    REFUSED(PE_ERR_RANGE, pe_rope_qk_f32(q, at, 4, x, one, y, one));
    REFUSED(PE_ERR_RANGE, pe_rope_to_f32(q, at, 4, N, x, one, y, one));
    REFUSED(PE_ERR_RANGE, pe_rope_f32(&woven.plan, pe_coords_i64(list, 2, 1, 2), 2, x, one));
    static const double wrong[] = {(double)NAN, HUGE_VAL, -HUGE_VAL, 2147483648.5, -1e300};
    for (size_t k = 0; k < LENGTH(wrong); k++) {
        reals[2] = wrong[k], floats[2] = (float)(k == 3 ? 2147483904.0 : wrong[k]);
        REFUSED(PE_ERR_RANGE, pe_rope_f32(q, pe_at_f64(reals), 3, x, one));
        REFUSED(PE_ERR_RANGE, pe_rope_f32(q, pe_at_f32(floats), 3, x, one));
        REFUSED(PE_ERR_RANGE, pe_rope_f32(q, pe_back(pe_delta(pe_at_f64(reals))), 3, x, one));
        REFUSED(PE_ERR_RANGE, pe_rope_f32(q, pe_coords_f32(floats + 2, 1, 1, 1), 1, x, one));
        REFUSED(PE_ERR_RANGE, pe_rope_f32(&woven.plan, pe_coords_f64(reals, 2, 1, 1), 2, x, one));
        REFUSED(PE_ERR_RANGE,
                pe_rope_table_f32(q, pe_at_f64(reals), 3, PE_ROPE_TABLE_JOINED, x, NULL, N, NULL));
    }
    {
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
        /* differences have no offset; backwards it is part of what is turned */
        REFUSED(PE_ERR_RANGE, pe_rope_f32(&moved.plan, pe_back(pe_from(POSITION_MAX)), 1, x, one));
        assert_int_equal(pe_rope_f32(&moved.plan, pe_delta(at), 4, x, one), PE_OK);
        assert_int_equal(pe_rope_f32(&moved.plan, pe_at_i32(narrow), 2, x, one), PE_OK);
        plan_free(&moved);
    }

    /* one token or one head needs no stride; the last position is fine; more cells than tokens */
    assert_int_equal(pe_rope_f32(q, pe_from(POSITION_MAX), 1, x, lie(1, 0, 0)), PE_OK);
    assert_int_equal(pe_rope_f32(q, pe_delta(pe_all(POSITION_MAX)), 2, x, lie(1, 0, N)), PE_OK);
    assert_int_equal(pe_rope_f32(q, pe_from_by(POSITION_MAX, INT64_MIN), 1, x, lie(1, 0, N)),
                     PE_OK);
    assert_int_equal(pe_rope_f32(q, pe_from_by(POSITION_MAX, -POSITION_MAX), 3, x, one), PE_OK);
    assert_int_equal(pe_rope_f32(&woven.plan, pe_grid(sizes, 2), 3, x, one), PE_OK);
    assert_int_equal(pe_rope_f32(&two.plan, pe_grid(sizes, 2), 4, x, one), PE_OK);
    plan_free(&p);
    plan_free(&odd);
    plan_free(&padded);
    plan_free(&two);
    plan_free(&steps);
    plan_free(&woven);
}

/* What ggml computes: its loop, written as there, with MPFR for powf, logf, sine and cosine. */
typedef int mpfr_function(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
static float rounded(double x, mpfr_function *function)
{
    float y;
    mpfr_t a, b;
    mpfr_inits2(53, a, (mpfr_ptr)NULL);
    mpfr_inits2(24, b, (mpfr_ptr)NULL);
    mpfr_set_d(a, x, MPFR_RNDN);
    function(b, a, MPFR_RNDN);
    y = mpfr_get_flt(b, MPFR_RNDN);
    mpfr_clears(a, b, (mpfr_ptr)NULL);
    return y;
}
static float logarithm(float x) { return rounded((double)x, mpfr_log); }

/* What llama.cpp has for a model that says nothing, written out where 0 says it. */
static pe_rope_ggml ggml_of(size_t n_dims)
{
    pe_rope_ggml g;
    memset(&g, 0, sizeof g);
    g.n_dims = n_dims;
    return g;
}

static void test_ggml(void **state)
{
    static float factors[256];
    static const struct {
        size_t n;
        float base, scale, ext, attn;
        int with_factors, contracted;
    } cases[] = {{128, 10000, 1, 0, 1, 0, 0},
                 {128, 500000, 1, 0, 1, 1, 1},
                 {64, 10000, 0.25f, 1, 1, 0, 0},
                 {128, 1e6f, 1 / 32.0f, 0.9f, 1.3f, 1, 1},
                 {2, 10000, 1, 0, 1, 0, 0},
                 {300, 8e6f, 1, 0, 1, 0, 0},
                 {512, 1000000, 0.5f, 0, 1, 1, 0},
                 {64, 1.5f, 0.25f, 1, 1, 0, 1},  /* its ramp begins below pair 0 */
                 {64, 1.05f, 0.25f, 1, 1, 0, 0}, /* its ramp begins behind the last pair */
                 {64, 3, 0.25f, 1, 1, 0, 1},     /* its ramp is cut off at the last pair */
                 {128, 10000, 4, 1, 1, 0, 0},
                 {64, 10000, 0.1f, 0.7f, 1, 0, 1}};
    enum { CASES = LENGTH(cases) };
    (void)state;
    for (size_t i = 0; i < LENGTH(factors); i++)
        factors[i] = i < 20 ? 1 : i % 3 == 0 ? 1e30f : 1 + (float)i * 0.37f;
    /* each with a length of the training, and with 0, whose logarithm is -infinity */
    for (size_t turn = 0, k = 0; turn < 2 * (size_t)CASES; k = ++turn % CASES) {
        const size_t n = cases[k].n, rows = 3, pairs = n / 2, n_ctx = turn < CASES ? 4096 : 0;
        pe_rope_ggml g = ggml_of(n);
        float *c = (float *)must_alloc(rows * n * sizeof *c), *s = c + rows * pairs;
        mpfr_t x, y;
        float theta_scale, mscale = cases[k].attn, low = 0, high = 0;
        g.freq_base = cases[k].base, g.freq_scale = cases[k].scale, g.ext_factor = cases[k].ext;
        g.attn_factor = cases[k].attn, g.n_ctx_orig = n_ctx;
        const float beta_slow = 1;
        g.beta_slow = k % 2 ? beta_slow : 0; /* absent: the same */
        const float beta_fast = cases[k].base == 1.5f ? 1000 : g.freq_base < 4 ? 500 : 32;
        g.beta_fast = beta_fast == 32 && k % 4 == 2 ? 0 : beta_fast;
        g.freq_factors = cases[k].with_factors ? factors : NULL;
        g.contracted = cases[k].contracted;
        mpfr_inits2(24, x, y, (mpfr_ptr)NULL);
        mpfr_set_flt(x, g.freq_base, MPFR_RNDN);
        mpfr_set_flt(y, -2.0f / (float)n, MPFR_RNDN);
        mpfr_pow(x, x, y, MPFR_RNDN);
        theta_scale = mpfr_get_flt(x, MPFR_RNDN);
        if (g.ext_factor != 0) {
            const float pi = 3.14159265358979f, base = 2 * logarithm(g.freq_base);
            const float log_scale = logarithm(1 / g.freq_scale);
            volatile float tenth = 0.1f * log_scale;
            volatile float fast = beta_fast * 2 * pi, slow = beta_slow * 2 * pi;
            low = floorf((float)n * logarithm((float)n_ctx / fast) / base);
            high = ceilf((float)n * logarithm((float)n_ctx / slow) / base);
            low = low<0 ? 0 : low, high = high>(float) n - 1 ? (float)n - 1 : high;
            mscale *= g.contracted ? fmaf(0.1f, log_scale, 1) : 1 + tenth;
        }
        for (size_t m = 0; m < LENGTH(hard_positions); m += every()) {
            const int64_t first = m % 2 ? -hard_positions[m] : hard_positions[m] - 2;
            assert_int_equal(pe_rope_ggml_f32(&g, pe_from(first), rows, c, s, pairs), PE_OK);
            for (size_t r = 0; r < rows; r++) {
                volatile float theta = (float)(first + (int64_t)r);
                for (size_t i = 0; i < pairs; i++) {
                    volatile float far = theta / (g.freq_factors ? factors[i] : 1);
                    volatile float near = g.freq_scale * far, angle = near, cosine, sine;
                    if (g.ext_factor != 0) {
                        const float y0 = ((float)i - low) / fmaxf(0.001f, high - low);
                        volatile float mix = (1 - fminf(1, fmaxf(0, y0))) * g.ext_factor;
                        volatile float u = near * (1 - mix), v = far * mix;
                        angle = g.contracted ? fmaf(near, 1 - mix, v) : u + v;
                    }
                    cosine = rounded((double)angle, mpfr_cos);
                    sine = rounded((double)angle, mpfr_sin);
                    cosine *= mscale, sine *= mscale;
                    if (c[r * pairs + i] != cosine || s[r * pairs + i] != sine)
                        fail_msg("case %zu, position %" PRId64
                                 ", pair %zu, angle %a: cos %a sin %a, "
                                 "not %a %a",
                                 k, first + (int64_t)r, i, (double)angle, (double)c[r * pairs + i],
                                 (double)s[r * pairs + i], (double)cosine, (double)sine);
                    theta *= theta_scale;
                }
            }
        }
        mpfr_clears(x, y, (mpfr_ptr)NULL);
        free(c);
    }
    { /* zeros are what llama.cpp has for a model that says nothing; places of other kinds */
        static const double reals[] = {0.3, -1e9 - 1 / 3.0, 16777217};
        static const int64_t rounds_to[] = {0, -1000000000, 16777216};
        pe_rope_ggml zeros = ggml_of(64), g = zeros;
        float c[3][96], s[3][96];
        g.freq_base = 10000, g.freq_scale = 1, g.attn_factor = 1;
        assert_int_equal(pe_rope_ggml_f32(&zeros, pe_from_by(100, -7), 3, c[0], s[0], 32), PE_OK);
        for (int64_t r = 0; r < 3; r++)
            assert_int_equal(
                pe_rope_ggml_f32(&g, pe_from(100 - 7 * r), 1, c[1] + 32 * r, s[1] + 32 * r, 32),
                PE_OK);
        assert_memory_equal(c[0], c[1], sizeof c[0]);
        assert_memory_equal(s[0], s[1], sizeof s[0]);
        /* a real position is rounded to float: of 0.3, the angle of pair 0 is that */
        assert_int_equal(pe_rope_ggml_f32(&g, pe_at_f64(reals), 3, c[0], s[0], 32), PE_OK);
        assert_true(c[0][0] == rounded((double)0.3f, mpfr_cos));
        assert_true(s[0][0] == rounded((double)0.3f, mpfr_sin));
        assert_int_equal(pe_rope_ggml_f32(&g, pe_skip(pe_at_i64(rounds_to), 1), 2, c[1], s[1], 32),
                         PE_OK);
        assert_memory_equal(c[0] + 32, c[1], 64 * sizeof c[0][0]);
        assert_memory_equal(s[0] + 32, s[1], 64 * sizeof s[0][0]);
        /* back: the cosines are the same, the sines are not */
        assert_int_equal(pe_rope_ggml_f32(&g, pe_back(pe_at_f64(reals)), 3, c[1], s[1], 32), PE_OK);
        for (size_t i = 0; i < 96; i++) assert_true(c[0][i] == c[1][i] && s[0][i] == -s[1][i]);
    }
    {
        pe_rope_ggml g = ggml_of(64);
        float c[32], s[32], bad = 0;
        memset(c, CANARY, sizeof c);
        assert_int_equal(pe_rope_ggml_f32(NULL, pe_from(0), 0, NULL, NULL, 0), PE_OK);
        assert_int_equal(pe_rope_ggml_f32(NULL, pe_from(0), 1, c, s, 32), PE_ERR_NULL);
        assert_int_equal(pe_rope_ggml_f32(&g, pe_from(0), 1, c, NULL, 32), PE_ERR_NULL);
        assert_int_equal(pe_rope_ggml_f32(&g, pe_from(0), 2, c, s, 31), PE_ERR_SHAPE);
        assert_int_equal(pe_rope_ggml_f32(&g, pe_from(POSITION_MAX), 2, c, s, 32), PE_ERR_RANGE);
        assert_int_equal(pe_rope_ggml_f32(&g, pe_at_i64(NULL), 1, c, s, 32), PE_ERR_AT_NULL);
        assert_int_equal(pe_rope_ggml_f32(&g, pe_coords_f32(&bad, 2, 0, 0), 1, c, s, 32),
                         PE_ERR_AT_AXES);
        assert_int_equal(pe_rope_ggml_f32(&g, pe_from(0), 9, c, s, SIZE_MAX / 8), PE_ERR_SIZE);
        bad = NAN;
        assert_int_equal(pe_rope_ggml_f32(&g, pe_at_f32(&bad), 1, c, s, 32), PE_ERR_RANGE);
        bad = 0;
        g.n_dims = 63;
        assert_int_equal(pe_rope_ggml_f32(&g, pe_from(0), 1, c, s, 32), PE_ERR_GGML);
        g = ggml_of(64), g.freq_base = NAN;
        assert_int_equal(pe_rope_ggml_f32(&g, pe_from(0), 1, c, s, 32), PE_ERR_GGML);
        g = ggml_of(64), g.freq_scale = -1;
        assert_int_equal(pe_rope_ggml_f32(&g, pe_from(0), 1, c, s, 32), PE_ERR_GGML);
        g = ggml_of(2), g.freq_factors = &bad;
        assert_int_equal(pe_rope_ggml_f32(&g, pe_from(0), 1, c, s, 32), PE_ERR_GGML);
        /* the first and the last good value of each number; a good config is then too wide */
#define LIMIT(ext, field, good, worse)                                                             \
    g = ggml_of(64), g.ext_factor = (ext), g.n_ctx_orig = 4096, g.field = (good);                  \
    assert_int_equal(pe_rope_ggml_f32(&g, pe_from(0), 2, c, s, 31), PE_ERR_SHAPE);                 \
    g.field = (worse);                                                                             \
    assert_int_equal(pe_rope_ggml_f32(&g, pe_from(0), 2, c, s, 31), PE_ERR_GGML)
        LIMIT(0, freq_base, 1, nextafterf(1, 0));
        LIMIT(1, freq_base, nextafterf(1, 2), 1);
        LIMIT(0, freq_base, 0x1p100f, nextafterf(0x1p100f, 0x1p101f));
        LIMIT(0, freq_scale, 0x1p-60f, nextafterf(0x1p-60f, 0));
        LIMIT(0, freq_scale, 1024, nextafterf(1024, 2048));
        LIMIT(0, ext_factor, 1, nextafterf(1, 2));
        LIMIT(0, ext_factor, 0, nextafterf(0, -1));
        LIMIT(0, attn_factor, 0x1p-60f, nextafterf(0x1p-60f, 0));
        LIMIT(0, attn_factor, 0x1p60f, nextafterf(0x1p60f, 0x1p61f));
        LIMIT(1, beta_fast, 0x1p-60f, nextafterf(0x1p-60f, 0));
        LIMIT(1, beta_fast, 0x1p60f, nextafterf(0x1p60f, 0x1p61f));
        LIMIT(1, beta_slow, 0x1p-60f, nextafterf(0x1p-60f, 0));
        LIMIT(1, beta_slow, 0x1p60f, nextafterf(0x1p60f, 0x1p61f));
        LIMIT(1, n_ctx_orig, INT32_MAX, (size_t)INT32_MAX + 1);
        LIMIT(0, n_dims, 1048576, 1048578);
        LIMIT(0, n_dims, 64, 0);
#undef LIMIT
        for (size_t k = 0; k < 4; k++) {
            const float ends[] = {0x1p-10f, 0x1p120f, nextafterf(0x1p-10f, 0),
                                  nextafterf(0x1p120f, 0x1p121f)};
            const float two[2] = {1, ends[k]};
            g = ggml_of(4), g.freq_factors = two;
            assert_int_equal(pe_rope_ggml_f32(&g, pe_from(0), 2, c, s, 1),
                             k < 2 ? PE_ERR_SHAPE : PE_ERR_GGML);
        }
        /* freq_factors flush against a page that faults: a list that is too short is not read */
        guarded list = guarded_make(32 * sizeof(float));
        FAIL_ON_FAULT();
        for (size_t n = 0; n <= 34; n++) {
            const size_t held = n == 0 || n > 32 ? 32 : n;
            double omega[32];
            float *const numbers = (float *)(void *)(list.end - held * sizeof(float));
            for (size_t i = 0; i < held; i++) numbers[i] = 1;
            fault_case("%zu freq_factors of 32", n);
            g = ggml_of(64), g.freq_factors = numbers, g.freq_factors_length = n;
            const int enough = n == 0 || n >= 32;
            assert_int_equal(pe_rope_ggml_f32(&g, pe_from(0), 2, c, s, 31),
                             enough ? PE_ERR_SHAPE : PE_ERR_GGML);
            assert_int_equal(pe_rope_ggml_frequencies(&g, omega, NULL),
                             enough ? PE_OK : PE_ERR_GGML);
            g.freq_factors = NULL;
            assert_int_equal(pe_rope_ggml_frequencies(&g, omega, NULL),
                             n == 0 ? PE_OK : PE_ERR_GGML);
        }
        guarded_free(&list);
        assert_true(all_canaries(c, sizeof c));
    }
}

/* A NaN makes quiet NaNs of its own pair, and of nothing else. */
static void test_nan(void **state)
{
    static const size_t widths[] = {6, 30, 64, 128};
    enum { HEADS = 3, TOKENS = 2, MOST = TOKENS * HEADS * 128 };
    static uint16_t clean[MOST], x[MOST];
    rng r = rng_for("test_nan");
    (void)state;
    for (size_t k = 0; k < LENGTH(widths) * 8; k++) {
        const size_t n = widths[k / 8], all = TOKENS * HEADS * n;
        const type t = k % 2 ? F16 : BF16;
        owned_plan p[2];
        job j;
        plans_make(p, n, 10000, 1);
        memset(&j, 0, sizeof j);
        j.t = t, j.layout = k / 2 % 2 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED, j.first = 5;
        j.tokens = TOKENS, j.heads = HEADS, j.head_dim = n, j.x = x;
        j.head_stride = n, j.token_stride = HEADS * n;
        for (size_t m = 0; m < workload(200); m++) {
            const size_t at = rng_below(&r, all), pair = pair_of(j.layout, at % n, n);
            fill_random(t, clean, all, &r);
            memcpy(x, clean, sizeof x);
            x[at] = (uint16_t)((t == F16 ? 0x7c01 : 0x7f81) + rng_below(&r, 100) +
                               0x8000 * rng_below(&r, 2));
            assert_int_equal(rope(p, &j), PE_OK);
            j.x = clean;
            assert_int_equal(rope(p, &j), PE_OK);
            j.x = x;
            for (size_t e = 0; e < all; e++) {
                if (e / n == at / n && pair_of(j.layout, e % n, n) == pair)
                    assert_true((x[e] & 0x7fff) >= (t == F16 ? 0x7e00 : 0x7fc0));
                else assert_int_equal(x[e], clean[e]);
            }
        }
        plans_free(p);
    }
}

static pe_status by_table(type t, pe_layout layout, const float *c, const float *s, size_t n,
                          size_t heads, uint16_t *x)
{
    const pe_heads lies = lie(heads, n, heads * n);
    return t == F16 ? by_apart_f16(layout, c, s, n / 2, n / 2, 1, x, lies)
                    : by_apart_bf16(layout, c, s, n / 2, n / 2, 1, x, lies);
}

/* Floats in the middle of two 16-bit numbers, which are one in 2^16 elsewhere, go to the even one, with
   none beside them that is another and with many. */
static void test_ties(void **state)
{
    static const size_t widths[] = {6, 16, 30, 64, 128, 200};
    enum { HEADS = 5, MOST = HEADS * 200 };
    static uint16_t got[MOST], want[MOST];
    float c[100], s[100];
    size_t ties = 0;
    rng r = rng_for("test_ties");
    (void)state;
    for (size_t m = 0; m < workload(20000); m++) {
        const size_t n = widths[rng_below(&r, LENGTH(widths))], all = HEADS * n;
        const type t = rng_below(&r, 2) ? F16 : BF16;
        const pe_layout layout = rng_below(&r, 2) ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
        const size_t one_of = (size_t)1 << rng_below(&r, 11); /* how rare they are */
        const double half = ldexp(1, t == F16 ? -11 : -8);    /* of the last place of 1 ... 2 */
        for (size_t i = 0; i < n / 2; i++) {
            const int is_one = rng_below(&r, one_of) == 0;
            c[i] = is_one ? 1.0f : random_value(&r);
            s[i] = is_one ? (float)(rng_below(&r, 2) ? half : -half) : random_value(&r);
        }
        for (size_t i = 0; i < all; i++) /* 1 ... 2 in steps of 2 half */
            put(t, want, i,
                (float)((rng_below(&r, 2) ? 1 : -1) *
                        (1 + 2 * half * (double)rng_below(&r, t == F16 ? 1024 : 128))));
        for (size_t i = 0; i < all; i += 1 + rng_below(&r, 7))
            put(t, want, i, i % 2 ? -1.0f : 1.0f);
        memcpy(got, want, sizeof got);
        for (size_t h = 0; h < HEADS; h++) {
            for (size_t i = 0; i < n / 2; i++) {
                const float b = get(t, want, h * n + second_of(layout, i, n));
                ties += c[i] == 1 && fabsf(b) == 1; /* a +- half */
            }
            turn(t, layout, s, c, 1, n, want + h * n);
        }
        assert_int_equal(by_table(t, layout, c, s, n, HEADS, got), PE_OK);
        for (size_t i = 0; i < all; i++) assert_int_equal(got[i], want[i]);
    }
    printf("  %zu ties\n", ties);
    assert_true(ties > 100);
}

/* NaNs of a caller's table, of any payload: NaNs in their pair of each head, and nowhere else. */
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

/* NaNs of f32 elements, of any payload, that are rotated and rounded to 16 bits: NaNs in their pair,
   and nowhere else. */
static void test_nan_narrowed(void **state)
{
    static const uint32_t nans[] = {0x7f800001, 0x7fffffff, 0xffffffff, 0x7fc00000, 0xff80ffff};
    static const size_t widths[] = {6, 30, 64, 70, 128};
    enum { HEADS = 3, MOST = HEADS * 128 };
    float in[MOST];
    uint16_t clean[MOST], x[MOST];
    rng r = rng_for("test_nan_narrowed");
    (void)state;
    for (size_t m = 0; m < workload(4000); m++) {
        const size_t n = widths[m % LENGTH(widths)], all = HEADS * n, bad = rng_below(&r, all);
        const pe_heads heads = lie(HEADS, n, all);
        const int to_f16 = (int)rng_below(&r, 2);
        pe_config c = pe_config_default(n);
        unsigned char memory[16384];
        pe_plan plan;
        c.expected_rows = 1;
        c.layout = rng_below(&r, 2) ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
        assert_int_equal(pe_plan_init(&plan, &c, memory, sizeof memory), PE_OK);
        for (size_t i = 0; i < all; i++) in[i] = random_value(&r);
        for (int k = 0; k < 2; k++) {
            uint16_t *const out = k ? x : clean;
            const pe_at at = pe_from(5);
            if (k) memcpy(&in[bad], &nans[m % LENGTH(nans)], sizeof *in);
            assert_int_equal(to_f16 ? pe_rope_to_f32_f16(&plan, at, 1, n, in, heads, out, heads)
                                    : pe_rope_to_f32_bf16(&plan, at, 1, n, in, heads, out, heads),
                             PE_OK);
        }
        for (size_t e = 0; e < all; e++) {
            if (e / n == bad / n && pair_of(c.layout, e % n, n) == pair_of(c.layout, bad % n, n))
                assert_true((x[e] & 0x7fff) >= (to_f16 ? 0x7e00 : 0x7fc0));
            else assert_int_equal(x[e], clean[e]);
        }
    }
}

/* Beyond what a cache is taken to hold heads take another way: the bits of each token alone. */
static void test_many_tokens(void **state)
{
    enum {
        HEADS = 9,
        REST = 3,
        WIDEST = 160 + REST,
        TOKENS = 3400,
        FLOATS = TOKENS * HEADS * WIDEST
    };
    static const size_t widths[] = {24, 72, 96, 160};
    float *const in = (float *)malloc(sizeof(float) * FLOATS);
    float *const out = (float *)malloc(sizeof(float) * FLOATS);
    float *const all = (float *)malloc(sizeof(float) * FLOATS);
    rng r = rng_for("test_many_tokens");
    (void)state;
    assert_true(in && out && all);
    for (size_t i = 0; i < FLOATS; i++) in[i] = random_value(&r);
    for (size_t m = 0; m < 2 * LENGTH(widths); m++) {
        const size_t n = widths[m / 2], dim = n + REST, tokens = FLOATS / (HEADS * dim);
        pe_config config = pe_config_default(n);
        config.layout = m % 2 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
        const size_t bytes = pe_plan_size(&config);
        void *const memory = malloc(bytes);
        const pe_heads heads = {HEADS, dim, HEADS * dim};
        pe_plan plan;
        assert_int_equal(pe_plan_init(&plan, &config, memory, bytes), PE_OK);
        memcpy(all, in, sizeof(float) * FLOATS);
        assert_int_equal(pe_rope_to_f32(&plan, pe_from(7), tokens, dim, in, heads, out, heads),
                         PE_OK);
        assert_int_equal(pe_rope_f32(&plan, pe_from(7), tokens, all, heads), PE_OK);
        assert_memory_equal(all, out, sizeof(float) * tokens * HEADS * dim);
        for (size_t t = 0; t < tokens; t += 1 + rng_below(&r, 40)) {
            float *const one = out + t * HEADS * dim;
            memcpy(one, in + t * HEADS * dim, sizeof(float) * HEADS * dim);
            assert_int_equal(pe_rope_f32(&plan, pe_from((int64_t)(7 + t)), 1, one, heads), PE_OK);
            assert_memory_equal(one, all + t * HEADS * dim, sizeof(float) * HEADS * dim);
        }
        free(memory);
    }
    free(in);
    free(out);
    free(all);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_rotation),
        cmocka_unit_test(test_all_forms),
        cmocka_unit_test(test_permutation),
        cmocka_unit_test(test_other_forms),
        cmocka_unit_test(ignored_strides),
        cmocka_unit_test(test_plans),
        cmocka_unit_test(test_sections),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_rotary_offset),
        cmocka_unit_test(coordinates_of_pairs),
        cmocka_unit_test(test_lists_of_any_length),
        cmocka_unit_test(test_shift_of_float_angles),
        cmocka_unit_test(test_strides_of_one),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_inverse),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_relative),
        cmocka_unit_test(test_guard_pages),
        cmocka_unit_test(test_every_call),
        cmocka_unit_test(test_far_heads),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_ggml),
        cmocka_unit_test(test_nan),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_nan_table),
        cmocka_unit_test(test_nan_narrowed),
        cmocka_unit_test(test_plan_in_one_step),
        cmocka_unit_test(test_one_coordinate),
        cmocka_unit_test(test_real_positions),
        cmocka_unit_test(test_one_coordinate_of_axes),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_undone),
        cmocka_unit_test(test_into_a_cache),
        cmocka_unit_test(test_by_table_to),
        cmocka_unit_test(test_by_table_one_head),
        cmocka_unit_test(test_bad_plans),
        cmocka_unit_test(test_many_tokens),
    };
    test_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
