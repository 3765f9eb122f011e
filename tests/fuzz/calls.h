/* SPDX-License-Identifier: MIT */
/*
 * The typed calls of pe.h behind void pointers: one table for each element type, so that a harness
 * is written once for all of them. FUZZ_FILL, FUZZ_ROPE and FUZZ_TABLES choose the groups, which
 * keeps the build short.
 */
#ifndef PE_FUZZ_CALLS_H
#define PE_FUZZ_CALLS_H

#include "fuzz.h"

/* ---- filling, adding, shifting: f32, f64, f16, bf16 ---- */
#ifdef FUZZ_FILL

typedef struct fuzz_fill {
    pe_status (*range)(const pe_plan *, int64_t, size_t, void *, size_t);
    pe_status (*at)(const pe_plan *, const int64_t *, size_t, void *, size_t);
    pe_status (*real)(const pe_plan *, const double *, size_t, void *, size_t);
    pe_status (*grid)(const pe_plan *, const size_t *, void *, size_t);
    pe_status (*coords)(const pe_plan *, const double *, size_t, void *, size_t);
    pe_status (*add)(const pe_plan *, int64_t, size_t, float, void *, size_t);
    pe_status (*add_at)(const pe_plan *, const int64_t *, size_t, float, void *, size_t);
    pe_status (*add_batch)(const pe_plan *, int64_t, size_t, size_t, float, void *, size_t, size_t);
    pe_status (*shift)(const pe_plan *, int64_t, size_t, void *, size_t);
} fuzz_fill;

    #define FUZZ_STAMP(T, element)                                                                 \
        static pe_status fuzz_range_##T(const pe_plan *p, int64_t first, size_t n, void *x,        \
                                        size_t s)                                                  \
        {                                                                                          \
            return pe_fill_##T(p, first, n, (element *)x, s);                                      \
        }                                                                                          \
        static pe_status fuzz_at_##T(const pe_plan *p, const int64_t *at, size_t n, void *x,       \
                                     size_t s)                                                     \
        {                                                                                          \
            return pe_fill_at_##T(p, at, n, (element *)x, s);                                      \
        }                                                                                          \
        static pe_status fuzz_real_##T(const pe_plan *p, const double *at, size_t n, void *x,      \
                                       size_t s)                                                   \
        {                                                                                          \
            return pe_fill_real_##T(p, at, n, (element *)x, s);                                    \
        }                                                                                          \
        static pe_status fuzz_grid_##T(const pe_plan *p, const size_t *shape, void *x, size_t s)   \
        {                                                                                          \
            return pe_fill_grid_##T(p, shape, (element *)x, s);                                    \
        }                                                                                          \
        static pe_status fuzz_coords_##T(const pe_plan *p, const double *at, size_t n, void *x,    \
                                         size_t s)                                                 \
        {                                                                                          \
            return pe_fill_coords_##T(p, at, n, (element *)x, s);                                  \
        }                                                                                          \
        static pe_status fuzz_add_##T(const pe_plan *p, int64_t first, size_t n, float scale,      \
                                      void *x, size_t s)                                           \
        {                                                                                          \
            return pe_add_##T(p, first, n, scale, (element *)x, s);                                \
        }                                                                                          \
        static pe_status fuzz_add_at_##T(const pe_plan *p, const int64_t *at, size_t n,            \
                                         float scale, void *x, size_t s)                           \
        {                                                                                          \
            return pe_add_at_##T(p, at, n, scale, (element *)x, s);                                \
        }                                                                                          \
        static pe_status fuzz_add_batch_##T(const pe_plan *p, int64_t first, size_t n,             \
                                            size_t batches, float scale, void *x, size_t s,        \
                                            size_t batch)                                          \
        {                                                                                          \
            return pe_add_batch_##T(p, first, n, batches, scale, (element *)x, s, batch);          \
        }                                                                                          \
        static pe_status fuzz_shift_##T(const pe_plan *p, int64_t k, size_t n, void *x, size_t s)  \
        {                                                                                          \
            return pe_shift_##T(p, k, n, (element *)x, s);                                         \
        }
FUZZ_STAMP(f32, float)
FUZZ_STAMP(f64, double)
FUZZ_STAMP(f16, uint16_t)
FUZZ_STAMP(bf16, uint16_t)
    #undef FUZZ_STAMP

    #define FUZZ_FILL_OF(T)                                                                        \
        {                                                                                          \
            fuzz_range_##T, fuzz_at_##T, fuzz_real_##T, fuzz_grid_##T, fuzz_coords_##T,            \
                fuzz_add_##T, fuzz_add_at_##T, fuzz_add_batch_##T, fuzz_shift_##T                  \
        }
static const fuzz_fill fuzz_fills[FUZZ_TYPES] = {FUZZ_FILL_OF(f32), FUZZ_FILL_OF(f64),
                                                 FUZZ_FILL_OF(f16), FUZZ_FILL_OF(bf16)};
#endif

/* ---- RoPE: f32, f16, bf16 ---- */
#ifdef FUZZ_ROPE

/* What the forms have in common. positions is the list of those that take one. */
typedef struct fuzz_heads {
    const pe_plan *plan;
    pe_rope_pairing pairing;
    int64_t first;
    const int64_t *positions;
    size_t tokens, heads;
    void *x;
    size_t token, head; /* strides */
} fuzz_heads;

typedef struct fuzz_rope {
    pe_status (*range)(const fuzz_heads *);
    pe_status (*at)(const fuzz_heads *);
    pe_status (*inverse)(const fuzz_heads *);
    pe_status (*inverse_at)(const fuzz_heads *);
    pe_status (*to)(const fuzz_heads *, size_t head_dim, const void *in, size_t token, size_t head);
    pe_status (*to_at)(const fuzz_heads *, size_t head_dim, const void *in, size_t token,
                       size_t head);
    pe_status (*qk)(const fuzz_heads *, size_t k_heads, void *k, size_t token, size_t head);
    pe_status (*qk_at)(const fuzz_heads *, size_t k_heads, void *k, size_t token, size_t head);
    pe_status (*axes)(const fuzz_heads *, const uint8_t *axis, size_t axes);
    pe_status (*shift)(const fuzz_heads *);
    pe_status (*shift_at)(const fuzz_heads *);
    pe_status (*by_table)(const fuzz_heads *, const float *, const float *, size_t stride,
                          size_t pairs);
    pe_status (*table)(const pe_plan *, int64_t, size_t, void *, void *, size_t);
    pe_status (*joined)(const pe_plan *, int64_t, size_t, void *, size_t);
    pe_status (*complex)(const pe_plan *, int64_t, size_t, void *, size_t);
    pe_status (*twice)(const pe_plan *, pe_rope_pairing, int64_t, size_t, void *, void *, size_t);
} fuzz_rope;

    #define FUZZ_STAMP(T, element)                                                                 \
        static pe_status fuzz_rope_##T(const fuzz_heads *h)                                        \
        {                                                                                          \
            return pe_rope_##T(h->plan, h->pairing, h->first, h->tokens, h->heads,                 \
                               (element *)h->x, h->token, h->head);                                \
        }                                                                                          \
        static pe_status fuzz_rope_at_##T(const fuzz_heads *h)                                     \
        {                                                                                          \
            return pe_rope_at_##T(h->plan, h->pairing, h->positions, h->tokens, h->heads,          \
                                  (element *)h->x, h->token, h->head);                             \
        }                                                                                          \
        static pe_status fuzz_inverse_##T(const fuzz_heads *h)                                     \
        {                                                                                          \
            return pe_rope_inverse_##T(h->plan, h->pairing, h->first, h->tokens, h->heads,         \
                                       (element *)h->x, h->token, h->head);                        \
        }                                                                                          \
        static pe_status fuzz_inverse_at_##T(const fuzz_heads *h)                                  \
        {                                                                                          \
            return pe_rope_inverse_at_##T(h->plan, h->pairing, h->positions, h->tokens, h->heads,  \
                                          (element *)h->x, h->token, h->head);                     \
        }                                                                                          \
        static pe_status fuzz_to_##T(const fuzz_heads *h, size_t head_dim, const void *in,         \
                                     size_t token, size_t head)                                    \
        {                                                                                          \
            return pe_rope_to_##T(h->plan, h->pairing, h->first, h->tokens, h->heads, head_dim,    \
                                  (const element *)in, token, head, (element *)h->x, h->token,     \
                                  h->head);                                                        \
        }                                                                                          \
        static pe_status fuzz_to_at_##T(const fuzz_heads *h, size_t head_dim, const void *in,      \
                                        size_t token, size_t head)                                 \
        {                                                                                          \
            return pe_rope_to_at_##T(h->plan, h->pairing, h->positions, h->tokens, h->heads,       \
                                     head_dim, (const element *)in, token, head, (element *)h->x,  \
                                     h->token, h->head);                                           \
        }                                                                                          \
        static pe_status fuzz_qk_##T(const fuzz_heads *h, size_t k_heads, void *k, size_t token,   \
                                     size_t head)                                                  \
        {                                                                                          \
            return pe_rope_qk_##T(h->plan, h->pairing, h->first, h->tokens, h->heads,              \
                                  (element *)h->x, h->token, h->head, k_heads, (element *)k,       \
                                  token, head);                                                    \
        }                                                                                          \
        static pe_status fuzz_qk_at_##T(const fuzz_heads *h, size_t k_heads, void *k,              \
                                        size_t token, size_t head)                                 \
        {                                                                                          \
            return pe_rope_qk_at_##T(h->plan, h->pairing, h->positions, h->tokens, h->heads,       \
                                     (element *)h->x, h->token, h->head, k_heads, (element *)k,    \
                                     token, head);                                                 \
        }                                                                                          \
        static pe_status fuzz_axes_##T(const fuzz_heads *h, const uint8_t *axis, size_t axes)      \
        {                                                                                          \
            return pe_rope_axes_##T(h->plan, h->pairing, axis, axes, h->positions, h->tokens,      \
                                    h->heads, (element *)h->x, h->token, h->head);                 \
        }                                                                                          \
        static pe_status fuzz_kshift_##T(const fuzz_heads *h)                                      \
        {                                                                                          \
            return pe_rope_shift_##T(h->plan, h->pairing, h->first, h->tokens, h->heads,           \
                                     (element *)h->x, h->token, h->head);                          \
        }                                                                                          \
        static pe_status fuzz_kshift_at_##T(const fuzz_heads *h)                                   \
        {                                                                                          \
            return pe_rope_shift_at_##T(h->plan, h->pairing, h->positions, h->tokens, h->heads,    \
                                        (element *)h->x, h->token, h->head);                       \
        }                                                                                          \
        static pe_status fuzz_by_##T(const fuzz_heads *h, const float *c, const float *s,          \
                                     size_t stride, size_t pairs)                                  \
        {                                                                                          \
            return pe_rope_by_table_##T(h->pairing, c, s, stride, pairs, h->tokens, h->heads,      \
                                        (element *)h->x, h->token, h->head);                       \
        }                                                                                          \
        static pe_status fuzz_table_##T(const pe_plan *p, int64_t first, size_t rows, void *c,     \
                                        void *s, size_t stride)                                    \
        {                                                                                          \
            return pe_rope_table_##T(p, first, rows, (element *)c, (element *)s, stride);          \
        }                                                                                          \
        static pe_status fuzz_joined_##T(const pe_plan *p, int64_t first, size_t rows, void *x,    \
                                         size_t stride)                                            \
        {                                                                                          \
            return pe_rope_table_joined_##T(p, first, rows, (element *)x, stride);                 \
        }                                                                                          \
        static pe_status fuzz_complex_##T(const pe_plan *p, int64_t first, size_t rows, void *x,   \
                                          size_t stride)                                           \
        {                                                                                          \
            return pe_rope_table_complex_##T(p, first, rows, (element *)x, stride);                \
        }                                                                                          \
        static pe_status fuzz_twice_##T(const pe_plan *p, pe_rope_pairing pairing, int64_t first,  \
                                        size_t rows, void *c, void *s, size_t stride)              \
        {                                                                                          \
            return pe_rope_table_twice_##T(p, pairing, first, rows, (element *)c, (element *)s,    \
                                           stride);                                                \
        }
FUZZ_STAMP(f32, float)
FUZZ_STAMP(f16, uint16_t)
FUZZ_STAMP(bf16, uint16_t)
    #undef FUZZ_STAMP

    #define FUZZ_ROPE_OF(T)                                                                        \
        {                                                                                          \
            fuzz_rope_##T, fuzz_rope_at_##T, fuzz_inverse_##T, fuzz_inverse_at_##T, fuzz_to_##T,   \
                fuzz_to_at_##T, fuzz_qk_##T, fuzz_qk_at_##T, fuzz_axes_##T, fuzz_kshift_##T,       \
                fuzz_kshift_at_##T, fuzz_by_##T, fuzz_table_##T, fuzz_joined_##T,                  \
                fuzz_complex_##T, fuzz_twice_##T                                                   \
        }
/* f64 has none: its place is that of f32 */
static const fuzz_rope fuzz_ropes[FUZZ_TYPES] = {FUZZ_ROPE_OF(f32), FUZZ_ROPE_OF(f32),
                                                 FUZZ_ROPE_OF(f16), FUZZ_ROPE_OF(bf16)};
#endif

/* ---- ALiBi and learned tables: f32, f16, bf16 ---- */
#ifdef FUZZ_TABLES

typedef struct fuzz_bias {
    pe_status (*fill)(const float *, size_t, pe_alibi_mode, int64_t, size_t, size_t, void *, size_t,
                      size_t);
    pe_status (*add)(const float *, size_t, pe_alibi_mode, int64_t, size_t, size_t, void *, size_t,
                     size_t);
    pe_status (*learned)(const void *, size_t, size_t, const int64_t *, size_t, void *, size_t);
} fuzz_bias;

    #define FUZZ_STAMP(T, element)                                                                 \
        static pe_status fuzz_alibi_fill_##T(const float *slopes, size_t heads,                    \
                                             pe_alibi_mode mode, int64_t first, size_t queries,    \
                                             size_t keys, void *x, size_t query, size_t head)      \
        {                                                                                          \
            return pe_alibi_fill_##T(slopes, heads, mode, first, queries, keys, (element *)x,      \
                                     query, head);                                                 \
        }                                                                                          \
        static pe_status fuzz_alibi_add_##T(const float *slopes, size_t heads, pe_alibi_mode mode, \
                                            int64_t first, size_t queries, size_t keys, void *x,   \
                                            size_t query, size_t head)                             \
        {                                                                                          \
            return pe_alibi_add_##T(slopes, heads, mode, first, queries, keys, (element *)x,       \
                                    query, head);                                                  \
        }                                                                                          \
        static pe_status fuzz_learned_##T(const void *table, size_t table_rows, size_t d_model,    \
                                          const int64_t *positions, size_t rows, void *x,          \
                                          size_t stride)                                           \
        {                                                                                          \
            return pe_learned_add_##T((const element *)table, table_rows, d_model, positions,      \
                                      rows, (element *)x, stride);                                 \
        }
FUZZ_STAMP(f32, float)
FUZZ_STAMP(f16, uint16_t)
FUZZ_STAMP(bf16, uint16_t)
    #undef FUZZ_STAMP

    #define FUZZ_BIAS_OF(T)                                                                        \
        {                                                                                          \
            fuzz_alibi_fill_##T, fuzz_alibi_add_##T, fuzz_learned_##T                              \
        }
static const fuzz_bias fuzz_biases[FUZZ_TYPES] = {FUZZ_BIAS_OF(f32), FUZZ_BIAS_OF(f32),
                                                  FUZZ_BIAS_OF(f16), FUZZ_BIAS_OF(bf16)};
#endif

#endif /* PE_FUZZ_CALLS_H */
