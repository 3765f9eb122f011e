/* SPDX-License-Identifier: MIT */
/*
 * Proves that float32 code has pe's bits once it has pe's tables, as PyTorch's eager mode, Hugging
 * Face's models and numpy run it. Their expressions are retyped as they are written, one array
 * operation after the other. Each operation stores its results, so nothing can be fused. For bf16,
 * which they round after each operation, the test counts what differs, and whose results are
 * nearer.
 */
#include "../common.h"
#include "../half.h"

enum { TOKENS = 24, HEADS = 3, DIM = 160, ALL = TOKENS * HEADS * DIM };

/* Defines an operation of these programs. Each is a loop of its own over memory. */
#if defined(__GNUC__)
    #define OPERATION static __attribute__((__noinline__)) void
#else
    #define OPERATION static void
#endif
OPERATION times(const float *x, const float *y, size_t n, float *out)
{
    for (size_t i = 0; i < n; i++) out[i] = x[i] * y[i];
}
OPERATION plus(const float *x, const float *y, size_t n, float *out)
{
    for (size_t i = 0; i < n; i++) out[i] = x[i] + y[i];
}
OPERATION times_scalar(const float *x, double y, size_t n,
                       float *out) /* a float, as of a float tensor */
{
    for (size_t i = 0; i < n; i++) out[i] = x[i] * (float)y;
}

/* Computes this expression:

       x1 = x[..., : n // 2]; x2 = x[..., n // 2 :]; return torch.cat((-x2, x1), dim=-1) */
static void rotate_half(const float *x, size_t n, float *out)
{
    for (size_t i = 0; i < n / 2; i++) out[i] = -x[i + n / 2], out[i + n / 2] = x[i];
}

/* Computes this expression:

       x1 = x[..., ::2]; x2 = x[..., 1::2]
       return torch.stack((-x2, x1), dim=-1).flatten(-2) */
static void rotate_every_two(const float *x, size_t n, float *out)
{
    for (size_t i = 0; i < n; i += 2) out[i] = -x[i + 1], out[i + 1] = x[i];
}

static void rotate(pe_layout layout, const float *x, size_t n, float *out)
{
    if (layout == PE_LAYOUT_HALVES) rotate_half(x, n, out);
    else rotate_every_two(x, n, out);
}

static void to_bf16(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) x[i] = bf16_nearest(x[i]);
}

static float x[ALL], theirs[ALL], ours[ALL], product[DIM], rotated[DIM], other[DIM];
static float cosines[TOKENS * DIM], sines[TOKENS * DIM];

static void random_x(const char *test)
{
    rng r = rng_for(test);
    for (size_t i = 0; i < ALL; i++)
        x[i] = (float)ldexp(rng_unit(&r) * 8 - 4, -(int)(rng_below(&r, 8) ? 0 : rng_below(&r, 20)));
}

/* Makes a plan for the rotary elements of a head, and its tables as these models have them:
   cat((freqs, freqs)). */
static void begin(owned_plan *p, pe_layout layout, size_t rotary, int64_t first)
{
    pe_config config = config_of(rotary, 500000, 1);
    config.layout = layout;
    p->memory_bytes = pe_plan_size(&config);
    p->memory = must_alloc(p->memory_bytes);
    assert_int_equal(pe_plan_init(&p->plan, &config, p->memory, p->memory_bytes), PE_OK);
    assert_int_equal(pe_rope_table_f32(&p->plan, pe_from(first), TOKENS, PE_ROPE_TABLE_TWICE,
                                       cosines, sines, rotary, NULL),
                     PE_OK);
}

/* Tests these expressions, and the same with rotate_every_two of GPT-J, on all of a head or a
   part of it:
   
       q_rot, q_pass = q[..., :rotary], q[..., rotary:]
       q_embed = (q_rot * cos) + (rotate_half(q_rot) * sin)
       q_embed = torch.cat([q_embed, q_pass], dim=-1) */
static void rotations(void **state)
{
    static const size_t rotaries[] = {DIM, 64, 40, 6};
    static const int64_t firsts[] = {0, 4095, 131072, 16777216};
    const pe_heads heads = {HEADS, DIM, HEADS * DIM};
    (void)state;
    random_x("rotations");
    for (size_t k = 0; k < LENGTH(rotaries) * LENGTH(firsts) * 2; k++) {
        const pe_layout layout = k % 2 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
        const size_t n = rotaries[k / 2 % LENGTH(rotaries)];
        const int64_t first = firsts[k / 2 / LENGTH(rotaries)];
        owned_plan p;
        begin(&p, layout, n, first);
        memcpy(theirs, x, sizeof x);
        memcpy(ours, x, sizeof x);
        for (size_t h = 0; h < TOKENS * HEADS; h++) {
            const float *const cosine = cosines + h / HEADS * n, *const sine =
                                                                     sines + h / HEADS * n;
            times(x + h * DIM, cosine, n, product);
            rotate(layout, x + h * DIM, n, rotated);
            times(rotated, sine, n, other);
            plus(product, other, n, theirs + h * DIM);
        }
        assert_int_equal(pe_rope_f32(&p.plan, pe_from(first), TOKENS, ours, heads), PE_OK);
        assert_memory_equal(ours, theirs, sizeof x);
        free(p.memory);
    }
}

/* Checks that pe_add_f32() has the bits of these expressions, where the factor is rounded to float:

       x = self.embedding(x) * math.sqrt(d_model)
       x = x + self.pe[:, : x.size(1)] */
static void scaled_embeddings(void **state)
{
    static const size_t widths[] = {DIM, 512 / 4, 50};
    static float table[ALL];
    (void)state;
    random_x("scaled_embeddings");
    for (size_t k = 0; k < LENGTH(widths); k++) {
        const size_t d = widths[k], rows = ALL / d;
        const double scale = sqrt((double)d);
        owned_plan p;
        begin(&p, PE_LAYOUT_INTERLEAVED, d, 0);
        assert_int_equal(pe_fill_f32(&p.plan, pe_from(0), rows, table, d), PE_OK);
        times_scalar(x, scale, rows * d, theirs);
        plus(theirs, table, rows * d, theirs);
        memcpy(ours, x, sizeof x);
        assert_int_equal(pe_add_f32(&p.plan, pe_from(0), rows, (float)scale, ours, d), PE_OK);
        assert_memory_equal(ours, theirs, rows * d * sizeof *x);
        free(p.memory);
    }
}

/* Counts how many elements of bf16 code differ from pe's, and which of the two is nearer to the
   result in floats. A model in bf16 has cosines and sines in bf16, and rounds both products and
   their sum. */
static void bf16_rounds_more_often(void **state)
{
    static uint16_t h[ALL];
    const pe_heads heads = {HEADS, DIM, HEADS * DIM};
    size_t others = 0;
    double squares[2] = {0, 0};
    owned_plan p;
    (void)state;
    random_x("bf16_rounds_more_often");
    begin(&p, PE_LAYOUT_HALVES, DIM, 131072);
    to_bf16(x, ALL);
    for (size_t i = 0; i < ALL; i++) {
        uint32_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        h[i] = (uint16_t)(bits >> 16);
    }
    memcpy(ours, x, sizeof x); /* in floats: what both are compared with */
    assert_int_equal(pe_rope_f32(&p.plan, pe_from(131072), TOKENS, ours, heads), PE_OK);
    assert_int_equal(pe_rope_bf16(&p.plan, pe_from(131072), TOKENS, h, heads), PE_OK);
    to_bf16(cosines, TOKENS * DIM);
    to_bf16(sines, TOKENS * DIM);
    for (size_t k = 0; k < TOKENS * HEADS; k++) {
        const float *const cosine = cosines + k / HEADS * DIM, *const sine =
                                                                   sines + k / HEADS * DIM;
        times(x + k * DIM, cosine, DIM, product);
        to_bf16(product, DIM);
        rotate_half(x + k * DIM, DIM, rotated);
        times(rotated, sine, DIM, other);
        to_bf16(other, DIM);
        plus(product, other, DIM, theirs + k * DIM);
        to_bf16(theirs + k * DIM, DIM);
    }
    for (size_t i = 0; i < ALL; i++) {
        const uint32_t bits = (uint32_t)h[i] << 16;
        float mine;
        memcpy(&mine, &bits, sizeof mine);
        assert_true(mine == bf16_nearest(ours[i]));
        others += mine != theirs[i];
        squares[0] += pow((double)mine - (double)ours[i], 2);
        squares[1] += pow((double)theirs[i] - (double)ours[i], 2);
    }
    printf("  bf16: %.1f %% of the elements differ; their rms error is %.2f times pe's\n",
           100.0 * (double)others / ALL, sqrt(squares[1] / squares[0]));
    assert_true(others > ALL / 4 && squares[1] > 2 * squares[0]);
    free(p.memory);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotations),
        cmocka_unit_test(scaled_embeddings),
        cmocka_unit_test(bf16_rounds_more_often),
    };
    test_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
