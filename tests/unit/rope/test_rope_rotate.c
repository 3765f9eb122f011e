/* SPDX-License-Identifier: MIT */
/*
 * Proves that RoPE rotates heads as pe.h says, in both layouts of pairs. Sines and cosines are
 * correctly rounded (MPFR). Two products and a sum are each rounded to float, and 16-bit types once
 * more. Every bit is compared. Ties, infinities and NaNs are also tested.
 */
#include "heads.h"

#include <float.h>

static void *head_of(const job *j, void *x, size_t token, size_t head)
{
    return (unsigned char *)x + (token * j->token_stride + head * j->head_stride) * bytes_of(j->t);
}

/* Computes what the job has to give, using turn(). The arrays s and c have room for the plan's
   pairs. */
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

/* Compares cosines and sines with MPFR, and rotated pairs with products and sums in MPFR. No
   expected value comes from the library. */
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

/* Tests every type, layout of pairs and of heads, direction and width, with consecutive
   positions and lists. What is between heads and behind the rotary dim keeps its bits. */
static void test_all_forms(void **state)
{
    /* the widest comes first, so that a quick run also has it */
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

/* Tests that interleaved pairs are halves after a permutation. */
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

/* Tests that these have the bits of the simple calls: out of place, queries and keys, by the
   caller's table, and K-shift. */
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
        /* the same call in place */
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

        /* lists, and differences, which have neither amplitude nor offset */
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

/* Tests a K-shift by float angles, which has the angles of delta, with neither amplitude nor
   offset. They differ from the exact angles. */
static void test_shift_of_float_angles(void **state)
{
    enum { N = 64, TOKENS = 5, ALL = TOKENS * N };
    static const int64_t deltas[] = {-1, 1000, -123457, 123456789, -2147483647};
    float in[ALL], want[ALL], got[ALL];
    rng r = rng_for("test_shift_of_float_angles");
    /* in each layout: the plan that shifts, the plan with the same angles, the plan with exact
       angles */
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

/* Returns a float of any size, a tie of 16 bits, an infinity or a NaN. */
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

/* Fails the test unless all elements are the same in both arrays, or NaNs in both. Neither sign nor
   payload of a NaN is promised. */
static void compare_16(type t, const uint16_t *got, const uint16_t *want, size_t elements)
{
    const unsigned infinity = t == F16 ? 0x7c00 : 0x7f80;
    for (size_t i = 0; i < elements; i++)
        if (got[i] != want[i] &&
            ((got[i] & 0x7fffu) <= infinity || (want[i] & 0x7fffu) <= infinity))
            fail_msg("%s: element %zu is 0x%04x, not 0x%04x", type_names[t], i, got[i], want[i]);
}

/* Checks that floats written to a cache of 16 bits are the floats of pe_rope_to_f32, rounded once.
   Whole heads are written, and what is between the heads keeps its bytes. */
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
        const int zero = rng_below(&r, 4) == 0; /* 1: position 0, where the input is rounded */
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

/* Tests that x rotated and rotated back is x within a bound. An element is off by at most 3 *
   2^-24 (|a c| + |b s|) either way, see pe.h, and |a c| + |b s| <= |(a, b)|. So a pair is off by
   3 sqrt(2) * 2^-24 either way, and 8.5 * 2^-24 for both. The observed errors are smaller. */
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

/* Rotates pairs by sines and cosines as floats, as pe does or with one product of each sum
   fused. */
static void turn_pairs(const float *s, const float *c, int fused, float *x, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        const float a = x[i], b = x[i + n / 2], bs = product_f32(b, s[i]),
                    as = product_f32(a, s[i]);
        x[i] = fused ? fmaf(a, c[i], -bs) : product_f32(a, c[i]) - bs;
        x[i + n / 2] = fused ? fmaf(b, c[i], as) : product_f32(b, c[i]) + as;
    }
}

/* Adds the errors of rotated pairs, in units of 2^-24 of their length, against an exact rotation of
   `was`. *largest is the largest error of an element, and *squares the sum of the squares. */
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

/* Checks that the error of a rotation is within the bound of pe.h. docs/accuracy.md has the errors
   that are printed. They are those of one rotation, of one forward and back, and of 1,000 shifts by
   one position, each beside the errors of code with fused products. */
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

/* Checks very large elements. With an amplitude above 1, their products overflow as they do in
   PyTorch, even where the sum would not. With amplitude 1, only a result that is itself too large
   overflows. */
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

/* Tests that <R(p) q, R(p + k) y> depends only on k, within the bound of the roundings. */
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

/* Tests that a NaN makes its own pair quiet NaNs, and changes nothing else. */
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

/* Tests that floats at the midpoint of two 16-bit numbers go to the even one. Only one random
   float in 2^16 is such a midpoint. Here one pair in 1 ... 1024 can give midpoints, so that a vector
   has many of them or a single one. */
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
        const size_t one_of = (size_t)1 << rng_below(&r, 11); /* 1 in this number of pairs */
        const double half = ldexp(1, t == F16 ? -11 : -8);    /* half an ulp of 1 ... 2 */
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

/* Tests NaNs of f32 elements, of any payload, that are rotated and rounded to 16 bits. They make
   NaNs in their pair, and nowhere else. */
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

/* Checks more tokens than a cache holds, which are rotated by other code: the bits are those of
   each token alone. */
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
        cmocka_unit_test(test_shift_of_float_angles),
        cmocka_unit_test(test_inverse),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_relative),
        cmocka_unit_test(test_nan),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_nan_narrowed),
        cmocka_unit_test(test_into_a_cache),
        cmocka_unit_test(test_many_tokens),
    };
    test_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
