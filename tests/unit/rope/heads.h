/* SPDX-License-Identifier: MIT */
/*
 * Provides heads for the tests of RoPE: plans, calls of each type, and the rotated heads that the
 * definition gives.
 */
#ifndef PE_TESTS_ROPE_HEADS_H
#define PE_TESTS_ROPE_HEADS_H

#include "../common.h"
#include "../apart.h"
#include "../oracle.h"
#include "../turn.h"

/* Computes sines and cosines using a plan in the default layout. test_exact proves pe_fill_f32. */
static inline void sines_at(const pe_plan *plan, pe_at at, float *s, float *c)
{
    const size_t n = plan->d_model;
    float *row = (float *)must_alloc(n * sizeof *row);
    assert_int_equal(pe_fill_f32(plan, at, 1, row, n), PE_OK);
    for (size_t i = 0; i < n / 2; i++) s[i] = row[2 * i], c[i] = row[2 * i + 1];
    free(row);
}

static inline void plan_of(owned_plan *p, pe_config config)
{
    p->config = config;
    p->memory_bytes = pe_plan_size(&config);
    p->memory = must_alloc(p->memory_bytes);
    assert_int_equal(pe_plan_init(&p->plan, &config, p->memory, p->memory_bytes), PE_OK);
}

/* Makes plans with the same frequencies in both layouts: p[PE_LAYOUT_INTERLEAVED] and
   p[PE_LAYOUT_HALVES]. */
static inline void plans_make(owned_plan p[2], size_t n, double base, double amplitude)
{
    for (int layout = 0; layout < 2; layout++) {
        pe_config config = config_of(n, base, amplitude);
        config.layout = (pe_layout)layout;
        plan_of(&p[layout], config);
    }
}

static inline void plans_free(owned_plan p[2])
{
    plan_free(&p[0]);
    plan_free(&p[1]);
}

/* Describes a call: its tokens are at first, first + 1 ..., or at a list of positions. */
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

static inline pe_status rope_at(type t, const pe_plan *plan, pe_at at, size_t tokens, void *x,
                                pe_heads heads)
{
    return t == F32   ? pe_rope_f32(plan, at, tokens, (float *)x, heads)
           : t == F16 ? pe_rope_f16(plan, at, tokens, (uint16_t *)x, heads)
                      : pe_rope_bf16(plan, at, tokens, (uint16_t *)x, heads);
}

static inline pe_status rope(const owned_plan p[2], const job *j)
{
    const pe_at at = j->positions ? pe_at_i64(j->positions) : pe_from(j->first);
    return rope_at(j->t, &p[j->layout].plan, j->inverse ? pe_back(at) : at, j->tokens, j->x,
                   lie(j->heads, j->head_stride, j->token_stride));
}

static inline void rope_plan(owned_plan *p, const pe_rope_config *config)
{
    if (pe_rope_config_error(config) != NULL) fail_msg("refused: %s", pe_rope_config_error(config));
    p->memory_bytes = pe_rope_plan_size(config);
    assert_true(p->memory_bytes > 0);
    p->memory = must_alloc(p->memory_bytes);
    assert_int_equal(pe_rope_plan_init(&p->plan, config, p->memory, p->memory_bytes), PE_OK);
    p->config = pe_config_default(p->plan.d_model);
}

/* Makes the plan that a RoPE plan of one coordinate has to equal. Its frequencies are the doubles
   of pe_rope_frequencies(), which test_rope_frequencies proves. test_conventions proves plans of
   given frequencies. The layout is interleaved. */
static inline void reference_plan(owned_plan *p, const pe_rope_config *config)
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

/* These are the lists of config_of_type(), which returns a config with all fields that its type
   needs. */
static const double plan_factors[33] = {1, 1.5, 2, 3.75, 4, 1, 1,    8, 1.25, 6,  7,
                                        8, 9,   1, 2,    3, 4, 5.25, 6, 7,    8,  9.5,
                                        1, 2,   3, 4,    5, 6, 7,    8, 9,    10, 11};

static inline pe_rope_config config_of_type(pe_rope_type scaling, size_t head_dim,
                                            size_t rotary_dim)
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

/* Writes the cosines and sines of n / 2 pairs at a position, computed with MPFR. */
static inline void exact_row(oracle *o, int64_t position, float *c, float *s)
{
    for (size_t i = 0; i < o->pairs; i++) {
        oracle_pair(o, position, i);
        s[i] = mpfr_get_flt(o->element[0], MPFR_RNDN),
        c[i] = mpfr_get_flt(o->element[1], MPFR_RNDN);
        if (position == 0) s[i] = 0;
    }
}

static inline void turn_all(type t, const pe_plan *plan, pe_at at, size_t tokens, size_t dim,
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

static inline pe_status table(type t, const pe_plan *plan, pe_at at, size_t rows,
                              pe_rope_table_layout layout, void *c, void *s, size_t stride)
{
    return t == F32
               ? pe_rope_table_f32(plan, at, rows, layout, (float *)c, (float *)s, stride, NULL)
           : t == F16 ? pe_rope_table_f16(plan, at, rows, layout, (uint16_t *)c, (uint16_t *)s,
                                          stride, NULL)
                      : pe_rope_table_bf16(plan, at, rows, layout, (uint16_t *)c, (uint16_t *)s,
                                           stride, NULL);
}

static inline pe_status by_table(type t, pe_layout layout, const float *c, const float *s, size_t n,
                                 size_t heads, uint16_t *x)
{
    const pe_heads lies = lie(heads, n, heads * n);
    return t == F16 ? by_apart_f16(layout, c, s, n / 2, n / 2, 1, x, lies)
                    : by_apart_bf16(layout, c, s, n / 2, n / 2, 1, x, lies);
}

#endif /* PE_TESTS_ROPE_HEADS_H */
