/* SPDX-License-Identifier: MIT */
/*
 * Proves that RoPE turns heads as pe.h says: sines and cosines correctly rounded (MPFR), one product
 * rounded and one fused, 16-bit types rounded once; every bit is compared. Both pairings, every form of
 * the call, strides and layouts, what must stay untouched, guard pages, bad input, tables.
 */
#include "common.h"
#include "oracle.h"

/* ------------------------------------------------------------------------------------------------
 * Numbers of the three types, in double
 * --------------------------------------------------------------------------------------------- */

typedef enum type { F32, F16, BF16, TYPES } type;
static const char *const type_names[] = {"f32", "f16", "bf16"};
static const char *const pairing_names[] = {"adjacent", "halves"};

static size_t bytes_of(type t) { return t == F32 ? 4 : 2; }

static float get(type t, const void *x, size_t i)
{
    uint32_t bits = 0;
    float y;
    if (t == F32)
        return ((const float *)x)[i];
    bits = ((const uint16_t *)x)[i];
    if (t == F16) {
        const double size = (bits >> 10 & 31) == 0
                                ? ldexp(bits & 1023, -24)
                                : ldexp((bits & 1023) + 1024, (int)(bits >> 10 & 31) - 25);
        return (float)(bits >> 15 ? -size : size); /* no infinities or NaNs here */
    }
    bits <<= 16;
    memcpy(&y, &bits, sizeof y);
    return y;
}

/* To nearest even by rint(), in units of the last place. */
static void put(type t, void *x, size_t i, float y)
{
    int e;
    double units;
    uint32_t bits;
    if (t == F32) {
        ((float *)x)[i] = y;
        return;
    }
    (void)frexp(fabs((double)y), &e); /* in [2^(e-1), 2^e) */
    if (t == F16) {
        if (y == 0 || e < -13)
            e = -13;
        units = rint(ldexp(fabs((double)y), 11 - e)); /* 2^10 ... 2^11, less if subnormal */
        bits = (uint32_t)units + ((uint32_t)(e + 13) << 10);
        if (bits > 0x7c00)
            bits = 0x7c00;
    } else {
        memcpy(&bits, &y, sizeof bits);
        if ((bits & 0x7f800000) == 0) { /* subnormal floats: bf16 has their exponents */
            units = rint(ldexp(fabs((double)y), 133));
            bits = (uint32_t)units;
        } else {
            units = rint(ldexp(fabs((double)y), 8 - e));
            bits = (uint32_t)units + ((uint32_t)(e + 125) << 7);
        }
    }
    ((uint16_t *)x)[i] = (uint16_t)(bits | (signbit(y) ? 0x8000u : 0));
}

static float random_value(rng *r)
{
    const double x = (rng_unit(r) - 0.5) * 8;
    return (float)(rng_below(r, 16) == 0 ? ldexp(x, -(int)rng_below(r, 30)) : x);
}

/* ------------------------------------------------------------------------------------------------
 * The reference: one head
 * --------------------------------------------------------------------------------------------- */

/* head (n elements) turned by h sines and cosines; sign -1 for the inverse */
static void turn(type t, pe_rope_pairing pairing, const float *s, const float *c, float sign,
                 size_t n, void *head)
{
    const size_t h = n / 2;
    for (size_t i = 0; i < h; i++) {
        const size_t at = pairing == PE_ROPE_HALVES ? i : 2 * i;
        const size_t bt = pairing == PE_ROPE_HALVES ? i + h : 2 * i + 1;
        const float a = get(t, head, at), b = get(t, head, bt), sine = sign * s[i];
        volatile float bs = b * sine, as = a * sine;
        put(t, head, at, fmaf(a, c[i], -bs));
        put(t, head, bt, fmaf(b, c[i], as));
    }
}

/* Sines and cosines of a plan of the default layout: pe_fill_f32 is proven by test_exact. */
static void sines(const owned_plan *p, int64_t position, float *s, float *c)
{
    const size_t n = p->config.d_model;
    float *row = (float *)must_alloc(n * sizeof *row);
    assert_int_equal(pe_fill_f32(&p->plan, position, 1, row, n), PE_OK);
    for (size_t i = 0; i < n / 2; i++)
        s[i] = row[2 * i], c[i] = row[2 * i + 1];
    free(row);
}

/* What to turn: tokens at first, first + 1 ... or at a list. */
typedef struct job {
    type t;
    pe_rope_pairing pairing;
    int inverse;
    int64_t first;
    const int64_t *positions;
    size_t tokens, heads, head_dim;
    void *x;
    size_t token_stride, head_stride;
} job;

static pe_status rope(const pe_plan *plan, const job *j)
{
#define FORM(verb, T, type)                                                                        \
    (j->positions ? pe_rope##verb##at_##T(plan, j->pairing, j->positions, j->tokens, j->heads,     \
                                          (type *)j->x, j->token_stride, j->head_stride)           \
                  : pe_rope##verb##T(plan, j->pairing, j->first, j->tokens, j->heads,              \
                                     (type *)j->x, j->token_stride, j->head_stride))
    if (j->inverse)
        return j->t == F32   ? FORM(_inverse_, f32, float)
               : j->t == F16 ? FORM(_inverse_, f16, uint16_t)
                             : FORM(_inverse_, bf16, uint16_t);
    return j->t == F32   ? FORM(_, f32, float)
           : j->t == F16 ? FORM(_, f16, uint16_t)
                         : FORM(_, bf16, uint16_t);
#undef FORM
}

static void *head_of(const job *j, void *x, size_t token, size_t head)
{
    return (unsigned char *)x +
           (token * j->token_stride + head * j->head_stride) * bytes_of(j->t);
}

/* The same by the reference; s and c have room for the plan's pairs. */
static void expect(const owned_plan *p, const job *j, void *x, float *s, float *c)
{
    for (size_t t = 0; t < j->tokens; t++) {
        sines(p, j->positions ? j->positions[t] : j->first + (int64_t)t, s, c);
        for (size_t k = 0; k < j->heads; k++)
            turn(j->t, j->pairing, s, c, j->inverse ? -1 : 1, p->config.d_model,
                 head_of(j, x, t, k));
    }
}

static void compare(const job *j, const void *got, const void *want, size_t bytes, size_t n)
{
    if (memcmp(got, want, bytes) == 0)
        return;
    for (size_t i = 0; i < bytes / bytes_of(j->t); i++)
        if (memcmp((const char *)got + i * bytes_of(j->t), (const char *)want + i * bytes_of(j->t),
                   bytes_of(j->t)) != 0)
            fail_msg("%s %s%s, n %zu, tokens %zu, heads %zu, head_dim %zu, strides %zu %zu, first "
                     "%" PRId64 ": element %zu is %a, not %a",
                     type_names[j->t], pairing_names[j->pairing], j->inverse ? " inverse" : "", n,
                     j->tokens, j->heads, j->head_dim, j->token_stride, j->head_stride, j->first, i,
                     (double)get(j->t, got, i), (double)get(j->t, want, i));
}

static void fill_random(type t, void *x, size_t elements, rng *r)
{
    for (size_t i = 0; i < elements; i++)
        put(t, x, i, random_value(r));
}

/* ------------------------------------------------------------------------------------------------
 * Tests
 * --------------------------------------------------------------------------------------------- */

/* Cosine and sine against MPFR, the rotation against sums in MPFR: nothing of the library's. */
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
        plan_make(&p, n, 500000, amplitudes[k]);
        oracle_make(&o, "test_exact_rotation", n, 500000, amplitudes[k]);
        mpfr_inits2(24, x, y, (mpfr_ptr)NULL);
        for (size_t m = 0; m < cases; m++) {
            const int64_t position =
                m % 2 ? hard_positions[m / 2 % LENGTH(hard_positions)] : rng_position(&r);
            float in[64], out[64];
            fill_random(F32, in, n, &r);
            memcpy(out, in, sizeof out);
            assert_int_equal(pe_rope_f32(&p.plan, PE_ROPE_HALVES, position, 1, 1, out, n, n), PE_OK);
            for (size_t i = 0; i < n / 2; i++) {
                const float a = in[i], b = in[i + n / 2];
                float s, c;
                oracle_pair(&o, position, i);
                s = mpfr_get_flt(o.element[0], MPFR_RNDN), c = mpfr_get_flt(o.element[1], MPFR_RNDN);
                mpfr_set_flt(x, b, MPFR_RNDN);
                mpfr_mul_d(x, x, -(double)s, MPFR_RNDN); /* 24 bits: rounded as a float */
                mpfr_set_flt(y, a, MPFR_RNDN);
                mpfr_mul_d(o.scratch, y, (double)c, MPFR_RNDN); /* exact */
                mpfr_add(y, o.scratch, x, MPFR_RNDN);
                if (out[i] != mpfr_get_flt(y, MPFR_RNDN))
                    fail_msg("position %" PRId64 ", pair %zu: a' is %a, not %a", position, i,
                             (double)out[i], mpfr_get_d(y, MPFR_RNDN));
                mpfr_set_flt(x, a, MPFR_RNDN);
                mpfr_mul_d(x, x, (double)s, MPFR_RNDN);
                mpfr_set_flt(y, b, MPFR_RNDN);
                mpfr_mul_d(o.scratch, y, (double)c, MPFR_RNDN);
                mpfr_add(y, o.scratch, x, MPFR_RNDN);
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

/* Every type, pairing, direction, layout and width, consecutive positions and lists; what lies between
   heads and behind the rotary dim keeps its bits. */
static void test_all_forms(void **state)
{
    /* the widest first, so that a quick run has it, too */
    static const size_t widths[] = {1026, 2,  4,  6,   8,   14,  16,  18,  30,  32,  34,  62,
                                    64,   66, 80, 96, 126, 128, 130, 256, 510, 512, 514, 520};
    rng r = rng_for("test_all_forms");
    float *s = (float *)must_alloc(1026 * sizeof *s), *c = (float *)must_alloc(1026 * sizeof *c);
    (void)state;
    for (size_t w = 0; w < LENGTH(widths); w += every()) {
        const size_t n = widths[w];
        owned_plan p;
        plan_make(&p, n, 10000, w % 3 == 1 ? 1.25 : 1);
        for (unsigned form = 0; form < 3 * 2 * 2 * 2 * 2; form++) {
            int64_t positions[80];
            job j;
            size_t elements;
            void *got, *want;
            j.t = (type)(form % 3);
            j.pairing = form / 3 % 2 ? PE_ROPE_HALVES : PE_ROPE_ADJACENT;
            j.inverse = form / 6 % 2;
            j.tokens = form / 24 % 2 ? 1 + rng_below(&r, 4) : n <= 128 ? 70 : 9;
            j.heads = 1 + rng_below(&r, 3);
            j.head_dim = n + (size_t[]){0, 1, 7}[rng_below(&r, 3)];
            j.first = rng_position(&r) / 2;
            j.positions = NULL;
            if (form / 12 % 2) {
                for (size_t t = 0; t < j.tokens; t++)
                    positions[t] = t == 0 || rng_below(&r, 4) == 0 ? rng_position(&r) / 2
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
            expect(&p, &j, want, s, c);
            j.x = got;
            assert_int_equal(rope(&p.plan, &j), PE_OK);
            compare(&j, got, want, elements * bytes_of(j.t), n);
            free(got);
            free(want);
        }
        plan_free(&p);
    }
    free(s);
    free(c);
}

/* Adjacent pairs are halves after a permutation. */
static void test_permutation(void **state)
{
    enum { N = 48 };
    rng r = rng_for("test_permutation");
    owned_plan p;
    (void)state;
    plan_make(&p, N, 10000, 1);
    for (int k = 0; k < 50; k++) {
        float x[N], y[N];
        const int64_t position = rng_position(&r);
        fill_random(F32, x, N, &r);
        for (size_t i = 0; i < N; i++)
            y[i / 2 + i % 2 * (N / 2)] = x[i];
        assert_int_equal(pe_rope_f32(&p.plan, PE_ROPE_ADJACENT, position, 1, 1, x, N, N), PE_OK);
        assert_int_equal(pe_rope_f32(&p.plan, PE_ROPE_HALVES, position, 1, 1, y, N, N), PE_OK);
        for (size_t i = 0; i < N; i++)
            assert_true(x[i] == y[i / 2 + i % 2 * (N / 2)]);
    }
    plan_free(&p);
}

/* What has a call of its own, in every type: the bits of in place by a list of positions. */
#define OTHER_CALLS(name, T, element)                                                              \
    static void name(const pe_plan *plan, pe_rope_pairing pairing, const int64_t *list, rng *r)    \
    {                                                                                              \
        enum { TOKENS = 9, HEADS = 3, KEYS = 2, N = 20, H = HEADS * N, ALL = TOKENS * H };         \
        static const uint8_t axis[N / 2] = {0};                                                    \
        element in[ALL], x[ALL], k[ALL], want[ALL], k_want[ALL];                                   \
        float s[TOKENS * N], c[TOKENS * N];                                                        \
        int64_t same[TOKENS];                                                                      \
        for (size_t t = 0; t < TOKENS; t++)                                                        \
            same[t] = list[0];                                                                     \
        fill_random(sizeof *in == 4 ? F32 : BF16, in, ALL, r);                                     \
        memcpy(want, in, sizeof in), memcpy(k_want, in, sizeof in);                                \
        assert_int_equal(pe_rope_at_##T(plan, pairing, list, TOKENS, HEADS, want, H, N), PE_OK);   \
        assert_int_equal(pe_rope_at_##T(plan, pairing, list, TOKENS, KEYS, k_want, H, N), PE_OK);  \
        memcpy(x, in, sizeof in), memcpy(k, in, sizeof in);                                        \
        assert_int_equal(pe_rope_qk_at_##T(plan, pairing, list, TOKENS, HEADS, x, H, N, KEYS, k,   \
                                           H, N), PE_OK);                                          \
        assert_memory_equal(x, want, sizeof x);                                                    \
        assert_memory_equal(k, k_want, sizeof k);                                                  \
        assert_int_equal(pe_rope_to_at_##T(plan, pairing, list, TOKENS, HEADS, N, in, H, N, x, H,  \
                                           N), PE_OK);                                             \
        assert_memory_equal(x, want, sizeof x);                                                    \
        memcpy(x, in, sizeof in);                                                                  \
        assert_int_equal(pe_rope_axes_##T(plan, pairing, axis, 1, list, TOKENS, HEADS, x, H, N),   \
                         PE_OK);                                                                   \
        assert_memory_equal(x, want, sizeof x);                                                    \
        memcpy(x, in, sizeof in);                                                                  \
        assert_int_equal(pe_rope_shift_at_##T(plan, pairing, list, TOKENS, HEADS, x, H, N),        \
                         PE_OK);                                                                   \
        assert_memory_equal(x, want, sizeof x);                                                    \
                                                                                                   \
        memcpy(want, in, sizeof in), memcpy(x, in, sizeof in);                                     \
        assert_int_equal(pe_rope_at_##T(plan, pairing, same, TOKENS, HEADS, want, H, N), PE_OK);   \
        assert_int_equal(pe_rope_shift_##T(plan, pairing, same[0], TOKENS, HEADS, x, H, N),        \
                         PE_OK);                                                                   \
        assert_memory_equal(x, want, sizeof x);                                                    \
                                                                                                   \
        memcpy(want, in, sizeof in), memcpy(k_want, in, sizeof in);                                \
        assert_int_equal(pe_rope_##T(plan, pairing, 77, TOKENS, HEADS, want, H, N), PE_OK);        \
        assert_int_equal(pe_rope_##T(plan, pairing, 77, TOKENS, KEYS, k_want, H, N), PE_OK);       \
        assert_int_equal(pe_rope_to_##T(plan, pairing, 77, TOKENS, HEADS, N, in, H, N, x, H, N),   \
                         PE_OK);                                                                   \
        assert_memory_equal(x, want, sizeof x);                                                    \
        memcpy(x, in, sizeof in), memcpy(k, in, sizeof in);                                        \
        assert_int_equal(pe_rope_qk_##T(plan, pairing, 77, TOKENS, HEADS, x, H, N, KEYS, k, H, N), \
                         PE_OK);                                                                   \
        assert_memory_equal(x, want, sizeof x);                                                    \
        assert_memory_equal(k, k_want, sizeof k);                                                  \
        memcpy(x, in, sizeof in);                                                                  \
        assert_int_equal(pe_rope_table_f32(plan, 77, TOKENS, c, s, N), PE_OK);                     \
        assert_int_equal(pe_rope_by_table_##T(pairing, c, s, N, N / 2, TOKENS, HEADS, x, H, N),    \
                         PE_OK);                                                                   \
        assert_memory_equal(x, want, sizeof x);                                                    \
                                                                                                   \
        /* nothing to do, and what is refused */                                                   \
        assert_int_equal(pe_rope_axes_##T(plan, pairing, NULL, 1, list, 0, 1, x, H, N), PE_OK);    \
        assert_int_equal(pe_rope_axes_##T(plan, pairing, NULL, 1, list, 1, 0, x, H, N), PE_OK);    \
        assert_int_equal(pe_rope_axes_##T(plan, pairing, NULL, 1, list, 1, 1, x, H, N),            \
                         PE_ERR_NULL);                                                             \
        assert_int_equal(pe_rope_axes_##T(plan, pairing, axis, 0, list, 1, 1, x, H, N),            \
                         PE_ERR_SHAPE);                                                            \
        assert_int_equal(pe_rope_to_##T(plan, pairing, 0, 1, 1, 0, in, H, N, x, H, N),             \
                         PE_ERR_CONFIG);                                                           \
        assert_int_equal(pe_rope_to_at_##T(plan, pairing, list, 1, 1, 0, in, H, N, x, H, N),       \
                         PE_ERR_CONFIG);                                                           \
        assert_int_equal(pe_rope_shift_##T(NULL, pairing, 1, 0, 1, x, H, N), PE_OK);               \
        assert_int_equal(pe_rope_shift_##T(NULL, pairing, 1, 1, 0, x, H, N), PE_OK);               \
        assert_int_equal(pe_rope_shift_##T(NULL, pairing, 1, 1, 1, x, H, N), PE_ERR_NULL);         \
        assert_int_equal(pe_rope_shift_at_##T(NULL, pairing, list, 0, 1, x, H, N), PE_OK);         \
        assert_int_equal(pe_rope_shift_at_##T(NULL, pairing, list, 1, 0, x, H, N), PE_OK);         \
        assert_int_equal(pe_rope_shift_at_##T(NULL, pairing, list, 1, 1, x, H, N), PE_ERR_NULL);   \
        assert_int_equal(pe_rope_by_table_##T(pairing, c, s, N, 5, 0, 1, x, H, N), PE_OK);         \
        assert_int_equal(pe_rope_by_table_##T(pairing, c, s, N, 5, 1, 0, x, H, N), PE_OK);         \
        assert_int_equal(pe_rope_by_table_##T(pairing, c, s, N, 0, 1, 1, x, H, N), PE_OK);         \
        assert_int_equal(pe_rope_by_table_##T(pairing, NULL, s, N, 5, 1, 1, x, H, N),              \
                         PE_ERR_NULL);                                                             \
        assert_int_equal(pe_rope_by_table_##T(pairing, c, NULL, N, 5, 1, 1, x, H, N),              \
                         PE_ERR_NULL);                                                             \
        assert_int_equal(pe_rope_by_table_##T(pairing, c, s, 4, 5, 1, 1, x, H, N), PE_ERR_SHAPE);  \
        assert_int_equal(pe_rope_by_table_##T(pairing, c, s, SIZE_MAX, SIZE_MAX / 2 + 1, 1, 1, x,  \
                                              H, N), PE_ERR_SIZE);                                 \
        assert_int_equal(pe_rope_table_twice_##T(plan, (pe_rope_pairing)7, 0, 0, x, x, N), PE_OK); \
        assert_int_equal(pe_rope_table_twice_##T(plan, (pe_rope_pairing)7, 0, 1, x, x + ALL / 2,   \
                                                 N), PE_ERR_CONFIG);                               \
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
        assert_int_equal(pe_rope_f32(&p.plan, PE_ROPE_HALVES, 90 + (int64_t)(k / HEADS), 1, 1, one,
                                     N, N), PE_OK);
        memcpy(want + k * FAR, one, sizeof one);
    }
    assert_int_equal(pe_rope_f32(&p.plan, PE_ROPE_HALVES, 90, TOKENS, HEADS, x, HEADS * FAR, FAR),
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
    owned_plan p;
    (void)state;
    plan_make(&p, 20, 10000, 1);
    for (int half = 0; half < 2; half++) {
        const pe_rope_pairing pairing = half ? PE_ROPE_HALVES : PE_ROPE_ADJACENT;
        for (size_t t = 0; t < LENGTH(list); t++)
            list[t] = rng_position(&r);
        other_calls_f32(&p.plan, pairing, list, &r);
        other_calls_f16(&p.plan, pairing, list, &r);
        other_calls_bf16(&p.plan, pairing, list, &r);
    }
    plan_free(&p);
}

/* Out of place, queries and keys, by the caller's table, K-shift: the bits of the simple calls. */
static void test_other_forms(void **state)
{
    enum { N = 48, DIM = 56, TOKENS = 37, HEADS = 4, KEYS = 2, ALL = TOKENS * HEADS * DIM };
    static float in[ALL], want[ALL], got[ALL], k[ALL], k_want[ALL], s[TOKENS * N], c[TOKENS * N];
    static uint16_t h_in[ALL], h_want[ALL], h_got[ALL];
    rng r = rng_for("test_other_forms");
    int64_t list[TOKENS];
    owned_plan p, one;
    (void)state;
    plan_make(&p, N, 10000, 1.5);
    plan_make(&one, N, 10000, 1);
    for (unsigned form = 0; form < 8; form++) {
        const pe_rope_pairing pairing = form % 2 ? PE_ROPE_HALVES : PE_ROPE_ADJACENT;
        const int64_t first = rng_position(&r) / 2;
        const size_t ts = HEADS * DIM, hs = DIM;
        for (size_t t = 0; t < TOKENS; t++)
            list[t] = rng_position(&r);
        fill_random(F32, in, ALL, &r);
        fill_random(BF16, h_in, ALL, &r);
        memcpy(want, in, sizeof in);
        memcpy(k_want, in, sizeof in);
        memcpy(k, in, sizeof in);
        memcpy(h_want, h_in, sizeof h_in);
        assert_int_equal(pe_rope_f32(&p.plan, pairing, first, TOKENS, HEADS, want, ts, hs), PE_OK);
        assert_int_equal(pe_rope_bf16(&p.plan, pairing, first, TOKENS, HEADS, h_want, ts, hs), PE_OK);
        assert_int_equal(pe_rope_f32(&p.plan, pairing, first, TOKENS, KEYS, k_want, ts, hs), PE_OK);

        memset(got, CANARY, sizeof got);
        assert_int_equal(pe_rope_to_f32(&p.plan, pairing, first, TOKENS, HEADS, DIM, in, ts, hs, got,
                                        ts, hs), PE_OK);
        assert_memory_equal(got, want, sizeof want);
        assert_int_equal(pe_rope_to_bf16(&p.plan, pairing, first, TOKENS, HEADS, DIM, h_in, ts, hs,
                                         h_got, ts, hs), PE_OK);
        assert_memory_equal(h_got, h_want, sizeof h_want);
        /* from [tokens, heads] to [heads, tokens] */
        assert_int_equal(pe_rope_to_f32(&p.plan, pairing, first, TOKENS, HEADS, DIM, in, ts, hs, got,
                                        DIM, TOKENS * DIM), PE_OK);
        for (size_t t = 0; t < TOKENS; t++)
            for (size_t j = 0; j < HEADS; j++)
                assert_memory_equal(got + (j * TOKENS + t) * DIM, want + t * ts + j * hs,
                                    DIM * sizeof *got);
        /* in place by the same name */
        memcpy(got, in, sizeof in);
        assert_int_equal(pe_rope_to_f32(&p.plan, pairing, first, TOKENS, HEADS, DIM, got, ts, hs,
                                        got, ts, hs), PE_OK);
        assert_memory_equal(got, want, sizeof want);

        memcpy(got, in, sizeof in);
        assert_int_equal(pe_rope_qk_f32(&p.plan, pairing, first, TOKENS, HEADS, got, ts, hs, KEYS, k,
                                        ts, hs), PE_OK);
        assert_memory_equal(got, want, sizeof want);
        assert_memory_equal(k, k_want, sizeof k_want);
        memcpy(k, in, sizeof in);
        assert_int_equal(pe_rope_qk_f32(&p.plan, pairing, first, TOKENS, 0, NULL, 0, 0, KEYS, k, ts,
                                        hs), PE_OK);
        assert_memory_equal(k, k_want, sizeof k_want);

        memcpy(got, in, sizeof in);
        assert_int_equal(pe_rope_table_f32(&p.plan, first, TOKENS, c, s, N), PE_OK);
        assert_int_equal(pe_rope_by_table_f32(pairing, c, s, N, N / 2, TOKENS, HEADS, got, ts, hs),
                         PE_OK);
        assert_memory_equal(got, want, sizeof want);

        /* lists; K-shift has neither amplitude nor offset */
        memcpy(want, in, sizeof in);
        memcpy(got, in, sizeof in);
        assert_int_equal(pe_rope_at_f32(&one.plan, pairing, list, TOKENS, HEADS, want, ts, hs), PE_OK);
        assert_int_equal(pe_rope_shift_at_f32(&p.plan, pairing, list, TOKENS, HEADS, got, ts, hs),
                         PE_OK);
        assert_memory_equal(got, want, sizeof want);
        for (size_t t = 0; t < TOKENS; t++)
            list[t] = -first;
        memcpy(want, in, sizeof in);
        memcpy(got, in, sizeof in);
        assert_int_equal(pe_rope_at_f32(&one.plan, pairing, list, TOKENS, HEADS, want, ts, hs), PE_OK);
        assert_int_equal(pe_rope_shift_f32(&p.plan, pairing, -first, TOKENS, HEADS, got, ts, hs),
                         PE_OK);
        assert_memory_equal(got, want, sizeof want);
        for (size_t t = 0; t < TOKENS; t++)
            list[t] = first;
        memcpy(want, in, sizeof in);
        assert_int_equal(pe_rope_inverse_at_f32(&one.plan, pairing, list, TOKENS, HEADS, want, ts,
                                                hs), PE_OK);
        assert_memory_equal(got, want, sizeof want); /* turning by -p is the inverse */
    }
    plan_free(&p);
    plan_free(&one);
}

/* An offset of the config moves the positions; angles may be rounded to float; both as pe_fill has it. */
static void test_plans(void **state)
{
    enum { N = 32 };
    (void)state;
    for (int k = 0; k < 3; k++) {
        owned_plan p;
        float x[3 * N], want[3 * N], s[N / 2], c[N / 2], row[N];
        p.config = config_of(N, 10000, 1);
        p.config.offset = k == 0 ? 2 : k == 1 ? 0.25 : 0;
        p.config.angle = k == 2 ? PE_ANGLE_FLOAT32 : PE_ANGLE_EXACT;
        p.config.layout = k == 1 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
        p.config.cos_first = k == 0;
        p.memory_bytes = pe_plan_size(&p.config);
        p.memory = must_alloc(p.memory_bytes);
        assert_int_equal(pe_plan_init(&p.plan, &p.config, p.memory, p.memory_bytes), PE_OK);
        for (size_t i = 0; i < 3 * N; i++)
            want[i] = x[i] = (float)i + 0.5f;
        for (size_t t = 0; t < 3; t++) {
            assert_int_equal(pe_fill_f32(&p.plan, 1000 + (int64_t)t, 1, row, N), PE_OK);
            for (size_t i = 0; i < N / 2; i++) {
                s[i] = row[k == 1 ? i : 2 * i], c[i] = row[k == 1 ? i + N / 2 : 2 * i + 1];
                if (k == 0) {
                    const float swap = s[i];
                    s[i] = c[i], c[i] = swap;
                }
            }
            turn(F32, PE_ROPE_HALVES, s, c, 1, N, want + t * N);
        }
        assert_int_equal(pe_rope_f32(&p.plan, PE_ROPE_HALVES, 1000, 3, 1, x, N, N), PE_OK);
        assert_memory_equal(x, want, sizeof x);
        if (k < 2) { /* a shift leaves the offset out */
            owned_plan plain;
            plan_make(&plain, N, 10000, 1);
            assert_int_equal(pe_rope_f32(&plain.plan, PE_ROPE_HALVES, -9, 1, 1, want, N, N), PE_OK);
            assert_int_equal(pe_rope_shift_f32(&p.plan, PE_ROPE_HALVES, -9, 1, 1, x, N, N), PE_OK);
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
    owned_plan p[3]; /* the plan that shifts, the one by which it does, the same with exact angles */
    size_t others = 0;
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        p[i].config = config_of(N, 10000, i == 0 ? 1.5 : 1);
        p[i].config.offset = i == 0 ? 7 : 0;
        p[i].config.angle = i < 2 ? PE_ANGLE_FLOAT32 : PE_ANGLE_EXACT;
        p[i].memory_bytes = pe_plan_size(&p[i].config);
        p[i].memory = must_alloc(p[i].memory_bytes);
        assert_int_equal(pe_plan_init(&p[i].plan, &p[i].config, p[i].memory, p[i].memory_bytes),
                         PE_OK);
    }
    for (size_t form = 0; form < 2 * LENGTH(deltas); form++) {
        const pe_rope_pairing pairing = form % 2 ? PE_ROPE_HALVES : PE_ROPE_ADJACENT;
        int64_t list[TOKENS];
        for (size_t t = 0; t < TOKENS; t++)
            list[t] = deltas[form / 2];
        fill_random(F32, in, ALL, &r);
        memcpy(want, in, sizeof in);
        assert_int_equal(pe_rope_at_f32(&p[1].plan, pairing, list, TOKENS, 1, want, N, N), PE_OK);
        memcpy(got, in, sizeof in);
        assert_int_equal(pe_rope_shift_f32(&p[0].plan, pairing, list[0], TOKENS, 1, got, N, N), PE_OK);
        assert_memory_equal(got, want, sizeof want);
        memcpy(got, in, sizeof in);
        assert_int_equal(pe_rope_shift_at_f32(&p[0].plan, pairing, list, TOKENS, 1, got, N, N), PE_OK);
        assert_memory_equal(got, want, sizeof want);
        memcpy(got, in, sizeof in);
        assert_int_equal(pe_rope_shift_f32(&p[2].plan, pairing, list[0], TOKENS, 1, got, N, N), PE_OK);
        others += memcmp(got, want, sizeof want) != 0;
    }
    assert_true(others >= LENGTH(deltas));
    for (size_t i = 0; i < 3; i++)
        plan_free(&p[i]);
}

/* The stride of a single head or token leads nowhere, and may be any number. It used to be added to
   an address to be asked for: the sanitizers of undefined behaviour look at that. */
static void test_strides_of_one(void **state)
{
    enum { N = 40, PAIR = 2, ALL = PAIR * N };
    static const size_t any[] = {0, 1, N, SIZE_MAX, SIZE_MAX / 2 + 1, SIZE_MAX / 4 + 1, SIZE_MAX / 8 + 1};
    static const size_t shapes[][2] = {{1, 1}, {1, PAIR}, {PAIR, 1}}; /* tokens, heads */
    rng r = rng_for("test_strides_of_one");
    owned_plan p;
    (void)state;
    plan_make(&p, N, 10000, 1);
    for (size_t k = 0; k < 2 * LENGTH(shapes) * LENGTH(any); k++) {
        const pe_rope_pairing pairing = k % 2 ? PE_ROPE_HALVES : PE_ROPE_ADJACENT;
        const size_t *const shape = shapes[k / 2 % LENGTH(shapes)];
        const size_t tokens = shape[0], heads = shape[1], wild = any[k / 2 / LENGTH(shapes)];
        const size_t ts = tokens == 1 ? wild : N, hs = heads == 1 ? wild : N;
        float in[ALL], want[ALL], got[ALL];
        uint16_t h_in[ALL], h_want[ALL], h_got[ALL];
        fill_random(F32, in, ALL, &r);
        fill_random(BF16, h_in, ALL, &r);

        memcpy(want, in, sizeof in), memcpy(got, in, sizeof in);
        assert_int_equal(pe_rope_f32(&p.plan, pairing, 9, tokens, heads, want, heads * N, N), PE_OK);
        assert_int_equal(pe_rope_f32(&p.plan, pairing, 9, tokens, heads, got, ts, hs), PE_OK);
        assert_memory_equal(got, want, sizeof want);
        memcpy(got, in, sizeof in); /* what is not written is as in want */
        assert_int_equal(pe_rope_to_f32(&p.plan, pairing, 9, tokens, heads, N, in, ts, hs, got,
                                        heads * N, N),
                         PE_OK);
        assert_memory_equal(got, want, sizeof want);
        memcpy(got, in, sizeof in);
        assert_int_equal(pe_rope_to_f32(&p.plan, pairing, 9, tokens, heads, N, in, heads * N, N, got,
                                        ts, hs),
                         PE_OK);
        assert_memory_equal(got, want, sizeof want);

        memcpy(h_want, h_in, sizeof h_in), memcpy(h_got, h_in, sizeof h_in);
        assert_int_equal(pe_rope_bf16(&p.plan, pairing, 9, tokens, heads, h_want, heads * N, N), PE_OK);
        assert_int_equal(pe_rope_bf16(&p.plan, pairing, 9, tokens, heads, h_got, ts, hs), PE_OK);
        assert_memory_equal(h_got, h_want, sizeof h_want);
    }
    plan_free(&p);
}

/* Several coordinates, against a loop over pairs. */
static void test_axes(void **state)
{
    static const size_t qwen2[] = {16, 24, 24}, qwen3[] = {24, 20, 20}, with_zero[] = {0, 40, 0, 24};
    static const size_t vision[] = {32, 32}, mixed[] = {60, 2, 2}, one[] = {64};
    static const struct {
        const size_t *sections;
        size_t axes;
        int interleaved;
    } cases[] = {{qwen2, 3, 0}, {qwen3, 3, 1}, {with_zero, 4, 0}, {vision, 2, 0}, {mixed, 3, 1},
                 {one, 1, 0}, {one, 1, 1}};
    enum { N = 128, TOKENS = 45, HEADS = 3, ALL = TOKENS * HEADS * N };
    static float x[ALL], want[ALL];
    static uint16_t h[ALL], h_want[ALL];
    rng r = rng_for("test_axes");
    owned_plan p;
    (void)state;
    plan_make(&p, N, 1000000, 1);
    for (size_t k = 0; k < LENGTH(cases); k++) {
        const size_t axes = cases[k].axes;
        uint8_t axis[N / 2];
        int64_t positions[4 * TOKENS];
        assert_int_equal(pe_rope_sections(cases[k].sections, axes, cases[k].interleaved, N / 2, axis),
                         PE_OK);
        for (size_t i = 0, begin = 0, a = 0; i < N / 2; i++) { /* the definitions, once more */
            size_t expected = i % axes;
            if (cases[k].interleaved) {
                if (i >= axes * cases[k].sections[i % axes])
                    expected = 0;
            } else {
                while (i >= begin + cases[k].sections[a])
                    begin += cases[k].sections[a++];
                expected = a;
            }
            assert_int_equal(axis[i], expected);
        }
        for (size_t t = 0; t < TOKENS; t++) /* text, then an image of rows of 5, then far away */
            for (size_t a = 0; a < axes; a++)
                positions[a * TOKENS + t] = t < 10   ? (int64_t)t
                                            : t < 35 ? 10 + (int64_t)(a == 0   ? 0
                                                                      : a == 1 ? (t - 10) / 5
                                                                               : (t - 10) % 5)
                                                     : rng_position(&r);
        for (int pairing = 0; pairing < 2; pairing++) {
            fill_random(F32, x, ALL, &r);
            fill_random(F16, h, ALL, &r);
            memcpy(want, x, sizeof x);
            memcpy(h_want, h, sizeof h);
            for (size_t t = 0; t < TOKENS; t++) {
                float s[N / 2], c[N / 2], row_s[N / 2], row_c[N / 2];
                for (size_t a = 0; a < axes; a++) {
                    sines(&p, positions[a * TOKENS + t], row_s, row_c);
                    for (size_t i = 0; i < N / 2; i++)
                        if (axis[i] == a)
                            s[i] = row_s[i], c[i] = row_c[i];
                }
                for (size_t j = 0; j < HEADS; j++) {
                    turn(F32, (pe_rope_pairing)pairing, s, c, 1, N, want + (t * HEADS + j) * N);
                    turn(F16, (pe_rope_pairing)pairing, s, c, 1, N, h_want + (t * HEADS + j) * N);
                }
            }
            assert_int_equal(pe_rope_axes_f32(&p.plan, (pe_rope_pairing)pairing, axis, axes,
                                              positions, TOKENS, HEADS, x, HEADS * N, N), PE_OK);
            assert_memory_equal(x, want, sizeof x);
            assert_int_equal(pe_rope_axes_f16(&p.plan, (pe_rope_pairing)pairing, axis, axes,
                                              positions, TOKENS, HEADS, h, HEADS * N, N), PE_OK);
            assert_memory_equal(h, h_want, sizeof h);
        }
    }
    plan_free(&p);
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
        owned_plan p;
        plan_make(&p, n, 10000, 1);
        for (int t = 0; t < TYPES; t++) {
            const size_t e = bytes_of((type)t), bytes = ROWS * stride * e;
            unsigned char *a = (unsigned char *)must_alloc(bytes), *row = (unsigned char *)fill;
            unsigned char *b = (unsigned char *)must_alloc(bytes);
#define ELEMENT(table, r, column) ((table) + ((r) * stride + (column)) * e)
#define SAME(table, r, column, i, is_cos)                                                          \
    assert_memory_equal(ELEMENT(table, r, column), row + ((r) * n + 2 * (i) + (is_cos)) * e, e)
#define EACH_TYPE(name, ...)                                                                       \
    (t == F32   ? name##_f32(&p.plan, __VA_ARGS__)                                                 \
     : t == F16 ? name##_f16(&p.plan, __VA_ARGS__)                                                 \
                : name##_bf16(&p.plan, __VA_ARGS__))
            if (t == F32)
                assert_int_equal(pe_fill_f32(&p.plan, first, ROWS, fill, n), PE_OK);
            else if (t == F16)
                assert_int_equal(pe_fill_f16(&p.plan, first, ROWS, (uint16_t *)fill, n), PE_OK);
            else
                assert_int_equal(pe_fill_bf16(&p.plan, first, ROWS, (uint16_t *)fill, n), PE_OK);
            memset(a, CANARY, bytes);
            memset(b, CANARY, bytes);
            assert_int_equal(EACH_TYPE(pe_rope_table, first, ROWS, (void *)a, (void *)b, stride),
                             PE_OK);
            for (size_t r = 0; r < ROWS; r++) {
                for (size_t i = 0; i < h; i++) {
                    SAME(a, r, i, i, 1);
                    SAME(b, r, i, i, 0);
                }
                assert_true(all_canaries(ELEMENT(a, r, h), (stride - h) * e));
                assert_true(all_canaries(ELEMENT(b, r, h), (stride - h) * e));
            }
            for (int pairing = 0; pairing < 2; pairing++) {
                memset(a, CANARY, bytes);
                memset(b, CANARY, bytes);
                assert_int_equal(EACH_TYPE(pe_rope_table_twice, (pe_rope_pairing)pairing, first,
                                           ROWS, (void *)a, (void *)b, stride), PE_OK);
                for (size_t r = 0; r < ROWS; r++) {
                    for (size_t i = 0; i < n; i++) {
                        SAME(a, r, i, pairing == PE_ROPE_HALVES ? i % h : i / 2, 1);
                        SAME(b, r, i, pairing == PE_ROPE_HALVES ? i % h : i / 2, 0);
                    }
                    assert_true(all_canaries(ELEMENT(a, r, n), PAD * e));
                }
            }
            assert_int_equal(EACH_TYPE(pe_rope_table_joined, first, ROWS, (void *)a, stride), PE_OK);
            assert_int_equal(EACH_TYPE(pe_rope_table_complex, first, ROWS, (void *)b, stride), PE_OK);
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
            free(a);
            free(b);
        }
        free(fill);
        plan_free(&p);
    }
}

/* inverse(rope(x)) is x to a bound. An element of either way errs by 3 * 2^-24 (|a c| + |b s|) at most, see
   pe.h, and |a c| + |b s| <= |(a, b)|: a pair by 3 sqrt(2) each way, 8.5 for both; less is seen. */
static void test_inverse(void **state)
{
    enum { N = 64 };
    rng r = rng_for("test_inverse");
    owned_plan p;
    double worst = 0;
    (void)state;
    plan_make(&p, N, 10000, 1);
    for (size_t k = 0; k < workload(2000); k++) {
        const pe_rope_pairing pairing = k % 2 ? PE_ROPE_HALVES : PE_ROPE_ADJACENT;
        const int64_t position = rng_position(&r);
        float x[N], y[N];
        fill_random(F32, x, N, &r);
        memcpy(y, x, sizeof x);
        assert_int_equal(pe_rope_f32(&p.plan, pairing, position, 1, 1, y, N, N), PE_OK);
        assert_int_equal(pe_rope_inverse_f32(&p.plan, pairing, position, 1, 1, y, N, N), PE_OK);
        for (size_t i = 0; i < N / 2; i++) {
            const size_t a = k % 2 ? i : 2 * i, b = k % 2 ? i + N / 2 : 2 * i + 1;
            const double size = hypot((double)x[a], (double)x[b]) + 1e-30;
            const double da = (double)y[a] - (double)x[a], db = (double)y[b] - (double)x[b];
            worst = fmax(worst, hypot(da, db) / size);
        }
    }
    printf("  inverse: largest error %.3g * 2^-24 of the pair\n", worst * 16777216);
    assert_true(worst < 6 / 16777216.0);
    plan_free(&p);
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
    for (size_t i = 0; i < N; i++)
        size += fabs((double)q[i]) * 4;
    for (size_t j = 0; j < LENGTH(starts); j++) {
        float u[N], v[N];
        double dot = 0;
        memcpy(u, q, sizeof u);
        memcpy(v, y, sizeof v);
        assert_int_equal(pe_rope_f32(&p.plan, PE_ROPE_HALVES, starts[j], 1, 1, u, N, N), PE_OK);
        assert_int_equal(pe_rope_f32(&p.plan, PE_ROPE_HALVES, starts[j] + K, 1, 1, v, N, N), PE_OK);
        for (size_t i = 0; i < N; i++)
            dot += (double)u[i] * (double)v[i];
        if (j == 0)
            reference = dot;
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
        owned_plan p;
        plan_make(&p, n, 10000, 1);
        for (unsigned form = 0; form < 3 * 2 * 2 * 2; form++) {
            const type t = (type)(form % 3);
            const size_t tokens = 5, heads = 3, bytes = tokens * heads * n * bytes_of(t);
            const size_t shift = form / 12 % 2 ? 0 : bytes_of(t); /* not aligned to a vector */
            job j;
            j.t = t, j.pairing = form / 3 % 2 ? PE_ROPE_HALVES : PE_ROPE_ADJACENT;
            j.inverse = 0, j.first = 7, j.positions = NULL;
            j.tokens = tokens, j.heads = heads, j.head_dim = n;
            j.token_stride = heads * n, j.head_stride = n;
            if (form / 6 % 2)
                j.token_stride = n, j.head_stride = tokens * n;
            fault_case("n %zu, form %u", n, form);
            memset(g.begin, 0, 65536);
            j.x = g.end - bytes;
            assert_int_equal(rope(&p.plan, &j), PE_OK);
            j.x = g.begin + shift;
            assert_int_equal(rope(&p.plan, &j), PE_OK);
        }
        plan_free(&p);
    }
    guarded_free(&g);
}

/* Everything that is refused, with nothing written. */
static void test_bad_input(void **state)
{
    enum { N = 16 };
    static float x[8 * N], y[8 * N];
    int64_t list[4] = {0, 1, 2, 3};
    uint8_t axis[N / 2] = {0};
    size_t sections[2] = {4, 4};
    const pe_rope_pairing H = PE_ROPE_HALVES;
    owned_plan p, odd, padded;
    pe_config two = pe_config_preset(PE_PRESET_MAE_2D, N);
    pe_plan plan;
    void *memory = must_alloc(pe_plan_size(&two));
    (void)state;
    plan_make(&p, N, 10000, 1);
    plan_make(&odd, N - 1, 10000, 1);
    assert_int_equal(pe_plan_init(&plan, &two, memory, pe_plan_size(&two)), PE_OK);
    padded.config = pe_config_preset(PE_PRESET_FAIRSEQ, N);
    padded.memory = must_alloc(pe_plan_size(&padded.config));
    assert_int_equal(pe_plan_init(&padded.plan, &padded.config, padded.memory,
                                  pe_plan_size(&padded.config)), PE_OK);
    memset(x, CANARY, sizeof x);
    memset(y, CANARY, sizeof y);
#define REFUSED(status, call)                                                                      \
    do {                                                                                           \
        assert_int_equal(call, status);                                                            \
        assert_true(all_canaries(x, sizeof x) && all_canaries(y, sizeof y));                       \
    } while (0)
    REFUSED(PE_OK, pe_rope_f32(NULL, H, 0, 0, 1, NULL, 0, 0));
    REFUSED(PE_OK, pe_rope_f32(NULL, H, 0, 1, 0, NULL, 0, 0));
    REFUSED(PE_OK, pe_rope_at_f32(NULL, H, NULL, 0, 1, NULL, 0, 0));
    REFUSED(PE_OK, pe_rope_shift_f32(NULL, H, 0, 0, 1, NULL, 0, 0));
    REFUSED(PE_OK, pe_rope_axes_f32(NULL, H, NULL, 0, NULL, 0, 1, NULL, 0, 0));
    REFUSED(PE_OK, pe_rope_table_f32(NULL, 0, 0, NULL, NULL, 0));
    REFUSED(PE_OK, pe_rope_by_table_f32(H, NULL, NULL, 0, 0, 1, 1, x, N, N));
    REFUSED(PE_ERR_NULL, pe_rope_f32(NULL, H, 0, 1, 1, x, N, N));
    REFUSED(PE_ERR_NULL, pe_rope_f32(&p.plan, H, 0, 1, 1, NULL, N, N));
    REFUSED(PE_ERR_NULL, pe_rope_at_f32(&p.plan, H, NULL, 1, 1, x, N, N));
    REFUSED(PE_ERR_NULL, pe_rope_shift_f32(NULL, H, 1, 1, 1, x, N, N));
    REFUSED(PE_ERR_NULL, pe_rope_shift_at_f32(&p.plan, H, NULL, 1, 1, x, N, N));
    REFUSED(PE_ERR_NULL, pe_rope_axes_f32(&p.plan, H, NULL, 1, list, 1, 1, x, N, N));
    REFUSED(PE_ERR_NULL, pe_rope_axes_f32(&p.plan, H, axis, 1, NULL, 1, 1, x, N, N));
    REFUSED(PE_ERR_NULL, pe_rope_to_f32(&p.plan, H, 0, 1, 1, N, NULL, N, N, x, N, N));
    REFUSED(PE_ERR_NULL, pe_rope_qk_f32(&p.plan, H, 0, 1, 1, x, N, N, 1, NULL, N, N));
    REFUSED(PE_ERR_NULL, pe_rope_table_f32(&p.plan, 0, 1, x, NULL, N));
    REFUSED(PE_ERR_NULL, pe_rope_table_joined_f32(&p.plan, 0, 1, NULL, N));
    REFUSED(PE_ERR_NULL, pe_rope_by_table_f32(H, NULL, y, N, N / 2, 1, 1, x, N, N));
    REFUSED(PE_ERR_SIZE, pe_rope_to_f32(&p.plan, H, 0, 1, 1, SIZE_MAX / 2, x, N, N, y, N, N));
    REFUSED(PE_ERR_SIZE, pe_rope_f32(&p.plan, H, 0, 1, 3, x, SIZE_MAX / 8, SIZE_MAX / 8));
    REFUSED(PE_ERR_SIZE, pe_rope_at_f32(&p.plan, H, list, SIZE_MAX / 8, 1, x, N, N));
    REFUSED(PE_ERR_SIZE, pe_rope_shift_f32(&p.plan, H, 1, SIZE_MAX / 8, 1, x, N, N));
    REFUSED(PE_OK, pe_rope_table_joined_f32(NULL, 0, 0, NULL, 0));
    REFUSED(PE_ERR_CONFIG, pe_rope_f32(&odd.plan, H, 0, 1, 1, x, N, N));
    REFUSED(PE_ERR_CONFIG, pe_rope_f32(&plan, H, 0, 1, 1, x, N, N));
    REFUSED(PE_ERR_CONFIG, pe_rope_f32(&padded.plan, H, 0, 1, 1, x, N, N));
    REFUSED(PE_ERR_CONFIG, pe_rope_table_f32(&odd.plan, 0, 1, x, y, N));
    REFUSED(PE_ERR_CONFIG, pe_rope_table_joined_f32(&padded.plan, 0, 1, x, N));
    REFUSED(PE_ERR_CONFIG, pe_rope_f32(&p.plan, (pe_rope_pairing)2, 0, 1, 1, x, N, N));
    REFUSED(PE_ERR_CONFIG, pe_rope_table_twice_f32(&p.plan, (pe_rope_pairing)2, 0, 1, x, y, N));
    REFUSED(PE_ERR_CONFIG, pe_rope_to_f32(&p.plan, H, 0, 1, 1, N - 1, x, N, N, y, N, N));
    REFUSED(PE_ERR_CONFIG, pe_rope_to_f32(&p.plan, H, 0, 1, 1, 0, x, N, N, y, N, N));
    REFUSED(PE_ERR_SHAPE, pe_rope_f32(&p.plan, H, 0, 1, 2, x, N, N - 1));
    REFUSED(PE_ERR_SHAPE, pe_rope_f32(&p.plan, H, 0, 2, 1, x, N - 1, N));
    REFUSED(PE_ERR_SHAPE, pe_rope_f32(&p.plan, H, 0, 2, 2, x, 2 * N - 1, N));
    REFUSED(PE_ERR_SHAPE, pe_rope_f32(&p.plan, H, 0, 3, 2, x, N, 3 * N - 1));
    REFUSED(PE_ERR_SHAPE, pe_rope_f32(&p.plan, H, 0, 2, 2, x, N, N));
    REFUSED(PE_ERR_SHAPE, pe_rope_f32(&p.plan, H, 0, 2, 2, x, 0, N));
    REFUSED(PE_ERR_SHAPE, pe_rope_to_f32(&p.plan, H, 0, 2, 1, N, x, N, N, x + 1, N, N));
    REFUSED(PE_ERR_SHAPE, pe_rope_to_f32(&p.plan, H, 0, 2, 1, N, x + 1, N, N, x, N, N));
    REFUSED(PE_ERR_SHAPE, pe_rope_to_f32(&p.plan, H, 0, 2, 1, N, x, N, N, x, N + 1, N));
    REFUSED(PE_ERR_SHAPE, pe_rope_to_f32(&p.plan, H, 0, 2, 1, N + 1, x, N, N, y, N + 1, N));
    REFUSED(PE_ERR_SHAPE, pe_rope_axes_f32(&p.plan, H, axis, 9, list, 1, 1, x, N, N));
    REFUSED(PE_ERR_SHAPE, pe_rope_axes_f32(&p.plan, H, axis, 0, list, 1, 1, x, N, N));
    REFUSED(PE_ERR_SHAPE, pe_rope_table_f32(&p.plan, 0, 2, x, y, N / 2 - 1));
    REFUSED(PE_ERR_SHAPE, pe_rope_table_twice_f32(&p.plan, H, 0, 2, x, y, N - 1));
    REFUSED(PE_ERR_SHAPE, pe_rope_table_complex_f32(&p.plan, 0, 2, x, N - 1));
    REFUSED(PE_ERR_SHAPE, pe_rope_by_table_f32(H, y, y, N / 2 - 1, N / 2, 2, 1, x, N, N));
    axis[N / 2 - 1] = 2;
    REFUSED(PE_ERR_SHAPE, pe_rope_axes_f32(&p.plan, H, axis, 2, list, 1, 1, x, N, N));
    REFUSED(PE_ERR_SIZE, pe_rope_f32(&p.plan, H, 0, 2, 2, x, SIZE_MAX / 8, N));
    REFUSED(PE_ERR_SIZE, pe_rope_to_f32(&p.plan, H, 0, 1, 1, (size_t)PTRDIFF_MAX / 4 + 1, x, N, N, x,
                                        N, N));
    REFUSED(PE_ERR_SIZE, pe_rope_f32(&p.plan, H, 0, 3, 2, x, (size_t)PTRDIFF_MAX / 8, N));
    REFUSED(PE_ERR_SIZE, pe_rope_f32(&p.plan, H, 0, 2, 3, x, N, (size_t)PTRDIFF_MAX / 8));
    REFUSED(PE_ERR_RANGE, pe_rope_f32(&p.plan, H, POSITION_MAX, 2, 1, x, N, N));
    REFUSED(PE_ERR_RANGE, pe_rope_f32(&p.plan, H, -POSITION_MAX - 1, 1, 1, x, N, N));
    REFUSED(PE_ERR_RANGE, pe_rope_inverse_f32(&p.plan, H, INT64_MIN, 1, 1, x, N, N));
    REFUSED(PE_ERR_RANGE, pe_rope_shift_f32(&p.plan, H, POSITION_MAX + 1, 2, 1, x, N, N));
    REFUSED(PE_ERR_RANGE, pe_rope_table_f32(&p.plan, POSITION_MAX, 2, x, y, N));
    REFUSED(PE_ERR_RANGE, pe_rope_table_joined_f32(&p.plan, POSITION_MAX, 2, x, N));
    list[3] = INT64_MAX;
    REFUSED(PE_ERR_RANGE, pe_rope_at_f32(&p.plan, H, list, 4, 1, x, N, N));
    axis[N / 2 - 1] = 1;
    REFUSED(PE_ERR_RANGE, pe_rope_axes_f32(&p.plan, H, axis, 2, list, 2, 1, x, N, N));

    /* sections */
    assert_int_equal(pe_rope_sections(NULL, 2, 0, 8, axis), PE_ERR_NULL);
    assert_int_equal(pe_rope_sections(sections, 2, 0, 8, NULL), PE_ERR_NULL);
    assert_int_equal(pe_rope_sections(sections, 0, 0, 8, axis), PE_ERR_SHAPE);
    assert_int_equal(pe_rope_sections(sections, 9, 0, 8, axis), PE_ERR_SHAPE);
    assert_int_equal(pe_rope_sections(sections, 2, 0, 7, axis), PE_ERR_SHAPE);
    assert_int_equal(pe_rope_sections(sections, 2, 0, 9, axis), PE_ERR_SHAPE);
    sections[0] = 3, sections[1] = 5;
    assert_int_equal(pe_rope_sections(sections, 2, 1, 8, axis), PE_ERR_SHAPE);
    assert_int_equal(pe_rope_sections(sections, 2, 0, 8, axis), PE_OK);

    /* one token or one head needs no stride; the last position is fine */
    assert_int_equal(pe_rope_f32(&p.plan, H, POSITION_MAX, 1, 1, x, 0, 0), PE_OK);
    assert_int_equal(pe_rope_shift_f32(&p.plan, H, POSITION_MAX, 2, 1, x, N, 0), PE_OK);
    plan_free(&p);
    plan_free(&odd);
    plan_free(&padded);
    free(memory);
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

static void test_ggml(void **state)
{
    static float factors[256];
    static const struct {
        size_t n;
        float base, scale, ext, attn;
        int with_factors;
    } cases[] = {{128, 10000, 1, 0, 1, 0},       {128, 500000, 1, 0, 1, 1},
                 {64, 10000, 0.25f, 1, 1, 0},    {128, 1e6f, 1 / 32.0f, 0.9f, 1.3f, 1},
                 {2, 10000, 1, 0, 1, 0},         {300, 8e6f, 1, 0, 1, 0},
                 {512, 1000000, 0.5f, 0, 1, 1},
                 {64, 1.5f, 0.25f, 1, 1, 0}, /* its ramp begins below pair 0 */
                 {64, 1.05f, 0.25f, 1, 1, 0}, /* its ramp begins behind the last pair */
                 {64, 3, 0.25f, 1, 1, 0} /* its ramp is cut off at the last pair */};
    (void)state;
    for (size_t i = 0; i < LENGTH(factors); i++)
        factors[i] = i < 20 ? 1 : i % 3 == 0 ? 1e30f : 1 + (float)i * 0.37f;
    for (size_t k = 0; k < LENGTH(cases); k++) {
        const size_t n = cases[k].n, rows = 3, pairs = n / 2;
        pe_rope_ggml g = pe_rope_ggml_default(n);
        float *c = (float *)must_alloc(rows * n * sizeof *c), *s = c + rows * pairs;
        mpfr_t x, y;
        float theta_scale, mscale = cases[k].attn, low = 0, high = 0;
        g.freq_base = cases[k].base, g.freq_scale = cases[k].scale, g.ext_factor = cases[k].ext;
        g.attn_factor = cases[k].attn, g.n_ctx_orig = 4096;
        g.beta_fast = cases[k].base == 1.5f ? 1000 : g.freq_base < 4 ? 500 : 32;
        g.freq_factors = cases[k].with_factors ? factors : NULL;
        mpfr_inits2(24, x, y, (mpfr_ptr)NULL);
        mpfr_set_flt(x, g.freq_base, MPFR_RNDN);
        mpfr_set_flt(y, -2.0f / (float)n, MPFR_RNDN);
        mpfr_pow(x, x, y, MPFR_RNDN);
        theta_scale = mpfr_get_flt(x, MPFR_RNDN);
        if (g.ext_factor != 0) {
            const float pi = 3.14159265358979f, base = 2 * logarithm(g.freq_base);
            volatile float tenth = 0.1f * logarithm(1 / g.freq_scale);
            volatile float fast = g.beta_fast * 2 * pi, slow = g.beta_slow * 2 * pi;
            low = floorf((float)n * logarithm(4096 / fast) / base);
            high = ceilf((float)n * logarithm(4096 / slow) / base);
            low = low < 0 ? 0 : low, high = high > (float)n - 1 ? (float)n - 1 : high;
            mscale *= 1 + tenth;
        }
        for (size_t m = 0; m < LENGTH(hard_positions); m += every()) {
            const int64_t first = m % 2 ? -hard_positions[m] : hard_positions[m] - 2;
            assert_int_equal(pe_rope_ggml_f32(&g, first, rows, c, s, pairs), PE_OK);
            for (size_t r = 0; r < rows; r++) {
                volatile float theta = (float)(first + (int64_t)r);
                for (size_t i = 0; i < pairs; i++) {
                    volatile float far = theta / (g.freq_factors ? factors[i] : 1);
                    volatile float near = g.freq_scale * far, angle = near, cosine, sine;
                    if (g.ext_factor != 0) {
                        const float y0 = ((float)i - low) / fmaxf(0.001f, high - low);
                        volatile float mix = (1 - fminf(1, fmaxf(0, y0))) * g.ext_factor;
                        volatile float u = near * (1 - mix), v = far * mix;
                        angle = u + v;
                    }
                    cosine = rounded((double)angle, mpfr_cos);
                    sine = rounded((double)angle, mpfr_sin);
                    cosine *= mscale, sine *= mscale;
                    if (c[r * pairs + i] != cosine || s[r * pairs + i] != sine)
                        fail_msg("case %zu, position %" PRId64 ", pair %zu, angle %a: cos %a sin %a, "
                                 "not %a %a", k, first + (int64_t)r, i, (double)angle,
                                 (double)c[r * pairs + i], (double)s[r * pairs + i], (double)cosine,
                                 (double)sine);
                    theta *= theta_scale;
                }
            }
        }
        mpfr_clears(x, y, (mpfr_ptr)NULL);
        free(c);
    }
    {
        pe_rope_ggml g = pe_rope_ggml_default(64);
        float c[32], s[32], bad = 0;
        memset(c, CANARY, sizeof c);
        assert_int_equal(pe_rope_ggml_f32(NULL, 0, 0, NULL, NULL, 0), PE_OK);
        assert_int_equal(pe_rope_ggml_f32(NULL, 0, 1, c, s, 32), PE_ERR_NULL);
        assert_int_equal(pe_rope_ggml_f32(&g, 0, 1, c, NULL, 32), PE_ERR_NULL);
        assert_int_equal(pe_rope_ggml_f32(&g, 0, 2, c, s, 31), PE_ERR_SHAPE);
        assert_int_equal(pe_rope_ggml_f32(&g, POSITION_MAX, 2, c, s, 32), PE_ERR_RANGE);
        g.n_dims = 63;
        assert_int_equal(pe_rope_ggml_f32(&g, 0, 1, c, s, 32), PE_ERR_CONFIG);
        g = pe_rope_ggml_default(64), g.freq_base = NAN;
        assert_int_equal(pe_rope_ggml_f32(&g, 0, 1, c, s, 32), PE_ERR_CONFIG);
        g = pe_rope_ggml_default(64), g.freq_scale = 0;
        assert_int_equal(pe_rope_ggml_f32(&g, 0, 1, c, s, 32), PE_ERR_CONFIG);
        g = pe_rope_ggml_default(64), g.ext_factor = 1; /* without n_ctx_orig */
        assert_int_equal(pe_rope_ggml_f32(&g, 0, 1, c, s, 32), PE_ERR_CONFIG);
        g = pe_rope_ggml_default(2), g.freq_factors = &bad;
        assert_int_equal(pe_rope_ggml_f32(&g, 0, 1, c, s, 32), PE_ERR_CONFIG);
        /* the first and the last good value of each number; a good config is then too wide */
#define LIMIT(ext, field, good, worse)                                                             \
        g = pe_rope_ggml_default(64), g.ext_factor = (ext), g.n_ctx_orig = 4096, g.field = (good); \
        assert_int_equal(pe_rope_ggml_f32(&g, 0, 2, c, s, 31), PE_ERR_SHAPE);                      \
        g.field = (worse);                                                                         \
        assert_int_equal(pe_rope_ggml_f32(&g, 0, 2, c, s, 31), PE_ERR_CONFIG)
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
        LIMIT(1, n_ctx_orig, 1, 0);
        LIMIT(1, n_ctx_orig, INT32_MAX, (size_t)INT32_MAX + 1);
        LIMIT(0, n_dims, 1048576, 1048578);
        LIMIT(0, n_dims, 64, 0);
#undef LIMIT
        for (size_t k = 0; k < 4; k++) {
            const float ends[] = {0x1p-10f, 0x1p120f, nextafterf(0x1p-10f, 0),
                                  nextafterf(0x1p120f, 0x1p121f)};
            const float two[2] = {1, ends[k]};
            g = pe_rope_ggml_default(4), g.freq_factors = two;
            assert_int_equal(pe_rope_ggml_f32(&g, 0, 2, c, s, 1), k < 2 ? PE_ERR_SHAPE : PE_ERR_CONFIG);
        }
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
        owned_plan p;
        job j;
        plan_make(&p, n, 10000, 1);
        memset(&j, 0, sizeof j);
        j.t = t, j.pairing = k / 2 % 2 ? PE_ROPE_HALVES : PE_ROPE_ADJACENT, j.first = 5;
        j.tokens = TOKENS, j.heads = HEADS, j.head_dim = n, j.x = x;
        j.head_stride = n, j.token_stride = HEADS * n;
        for (size_t m = 0; m < workload(200); m++) {
            const size_t at = rng_below(&r, all), i = at % n;
            const size_t pair = j.pairing == PE_ROPE_HALVES ? i % (n / 2) : i / 2;
            fill_random(t, clean, all, &r);
            memcpy(x, clean, sizeof x);
            x[at] = (uint16_t)((t == F16 ? 0x7c01 : 0x7f81) + rng_below(&r, 100) +
                               0x8000 * rng_below(&r, 2));
            assert_int_equal(rope(&p.plan, &j), PE_OK);
            j.x = clean;
            assert_int_equal(rope(&p.plan, &j), PE_OK);
            j.x = x;
            for (size_t e = 0; e < all; e++) {
                const size_t in = e % n;
                const size_t its = j.pairing == PE_ROPE_HALVES ? in % (n / 2) : in / 2;
                if (e / n == at / n && its == pair)
                    assert_true((x[e] & 0x7fff) >= (t == F16 ? 0x7e00 : 0x7fc0));
                else
                    assert_int_equal(x[e], clean[e]);
            }
        }
        plan_free(&p);
    }
}

static pe_status by_table(type t, pe_rope_pairing pairing, const float *c, const float *s, size_t n,
                          size_t heads, uint16_t *x)
{
    return t == F16 ? pe_rope_by_table_f16(pairing, c, s, n / 2, n / 2, 1, heads, x, heads * n, n)
                    : pe_rope_by_table_bf16(pairing, c, s, n / 2, n / 2, 1, heads, x, heads * n, n);
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
        const pe_rope_pairing pairing = rng_below(&r, 2) ? PE_ROPE_HALVES : PE_ROPE_ADJACENT;
        const size_t one_of = (size_t)1 << rng_below(&r, 11); /* how rare they are */
        const double half = ldexp(1, t == F16 ? -11 : -8);     /* of the last place of 1 ... 2 */
        for (size_t i = 0; i < n / 2; i++) {
            const int is_one = rng_below(&r, one_of) == 0;
            c[i] = is_one ? 1.0f : random_value(&r);
            s[i] = is_one ? (float)(rng_below(&r, 2) ? half : -half) : random_value(&r);
        }
        for (size_t i = 0; i < all; i++) /* 1 ... 2 in steps of 2 half */
            put(t, want, i, (float)((rng_below(&r, 2) ? 1 : -1) *
                                    (1 + 2 * half * (double)rng_below(&r, t == F16 ? 1024 : 128))));
        for (size_t i = 0; i < all; i += 1 + rng_below(&r, 7)) put(t, want, i, i % 2 ? -1.0f : 1.0f);
        memcpy(got, want, sizeof got);
        for (size_t h = 0; h < HEADS; h++) {
            for (size_t i = 0; i < n / 2; i++) {
                const float b = get(t, want, h * n + (pairing == PE_ROPE_HALVES ? i + n / 2 : 2 * i + 1));
                ties += c[i] == 1 && fabsf(b) == 1; /* a +- half */
            }
            turn(t, pairing, s, c, 1, n, want + h * n);
        }
        assert_int_equal(by_table(t, pairing, c, s, n, HEADS, got), PE_OK);
        for (size_t i = 0; i < all; i++)
            assert_int_equal(got[i], want[i]);
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
        const pe_rope_pairing pairing = rng_below(&r, 2) ? PE_ROPE_HALVES : PE_ROPE_ADJACENT;
        float c[64], s[64];
        for (size_t i = 0; i < n / 2; i++) c[i] = random_value(&r), s[i] = random_value(&r);
        fill_random(t, clean, HEADS * n, &r);
        memcpy(x, clean, sizeof x);
        assert_int_equal(by_table(t, pairing, c, s, n, HEADS, clean), PE_OK);
        memcpy(rng_below(&r, 2) ? &c[bad] : &s[bad], &nans[m / 4 % LENGTH(nans)], sizeof *c);
        assert_int_equal(by_table(t, pairing, c, s, n, HEADS, x), PE_OK);
        for (size_t e = 0; e < HEADS * n; e++) {
            const size_t i = e % n, its = pairing == PE_ROPE_HALVES ? i % (n / 2) : i / 2;
            if (its == bad)
                assert_true((x[e] & 0x7fff) >= (t == F16 ? 0x7e00 : 0x7fc0));
            else
                assert_int_equal(x[e], clean[e]);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_rotation), cmocka_unit_test(test_all_forms),
        cmocka_unit_test(test_permutation),    cmocka_unit_test(test_other_forms),
        cmocka_unit_test(test_plans),          cmocka_unit_test(test_axes),
        cmocka_unit_test(test_shift_of_float_angles), cmocka_unit_test(test_strides_of_one),
        cmocka_unit_test(test_tables),         cmocka_unit_test(test_inverse),
        cmocka_unit_test(test_relative),       cmocka_unit_test(test_guard_pages),
        cmocka_unit_test(test_every_call),     cmocka_unit_test(test_far_heads),
        cmocka_unit_test(test_bad_input),      cmocka_unit_test(test_ggml),
        cmocka_unit_test(test_nan),            cmocka_unit_test(test_ties),
        cmocka_unit_test(test_nan_table),
    };
    test_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
