/* SPDX-License-Identifier: MIT */
/*
 * This header wraps the typed calls of pe.h in functions that take void pointers, and lists them in
 * a struct of pointers for each element type. So a harness is written once for all types. Before
 * it includes this header, a harness defines FUZZ_FILL, FUZZ_ROPE or FUZZ_TABLES for the groups of
 * calls that it needs. The other groups are not compiled, which keeps the build short.
 */
#ifndef PE_FUZZ_CALLS_H
#define PE_FUZZ_CALLS_H

#include "fuzz.h"

/* ---- filling, adding, shifting, sines and cosines: f32, f64, f16, bf16 ---- */
#ifdef FUZZ_FILL

typedef struct fuzz_fill {
    pe_status (*fill)(const pe_plan *, pe_at, size_t, void *, size_t);
    pe_status (*add)(const pe_plan *, pe_at, size_t, float, void *, size_t);
    pe_status (*add_batch)(const pe_plan *, pe_at, size_t, size_t, float, void *, size_t, size_t);
    pe_status (*shift)(const pe_plan *, pe_at, size_t, void *, size_t);
    pe_status (*sincos)(const double *, size_t, double, pe_at, size_t, void *, void *, size_t);
} fuzz_fill;

    #define FUZZ_STAMP(T, element)                                                                 \
    static pe_status fuzz_fill_##T(const pe_plan *p, pe_at at, size_t n, void *x, size_t s)        \
    {                                                                                              \
        return pe_fill_##T(p, at, n, (element *)x, s);                                             \
    }                                                                                              \
    static pe_status fuzz_add_##T(const pe_plan *p, pe_at at, size_t n, float scale, void *x,      \
                                  size_t s)                                                        \
    {                                                                                              \
        return pe_add_##T(p, at, n, scale, (element *)x, s);                                       \
    }                                                                                              \
    static pe_status fuzz_add_batch_##T(const pe_plan *p, pe_at at, size_t n, size_t batches,      \
                                        float scale, void *x, size_t s, size_t batch)              \
    {                                                                                              \
        return pe_add_batch_##T(p, at, n, batches, scale, (element *)x, s, batch);                 \
    }                                                                                              \
    static pe_status fuzz_shift_##T(const pe_plan *p, pe_at k, size_t n, void *x, size_t s)        \
    {                                                                                              \
        return pe_shift_##T(p, k, n, (element *)x, s);                                             \
    }                                                                                              \
    static pe_status fuzz_sincos_##T(const double *w, size_t pairs, double amplitude, pe_at at,    \
                                     size_t n, void *x, void *y, size_t s)                         \
    {                                                                                              \
        return pe_sincos_##T(w, pairs, amplitude, at, n, (element *)x, (element *)y, s);           \
    }
FUZZ_STAMP(f32, float)
FUZZ_STAMP(f64, double)
FUZZ_STAMP(f16, uint16_t)
FUZZ_STAMP(bf16, uint16_t)
    #undef FUZZ_STAMP

    #define FUZZ_FILL_OF(T)                                                                        \
    {fuzz_fill_##T, fuzz_add_##T, fuzz_add_batch_##T, fuzz_shift_##T, fuzz_sincos_##T}
static const fuzz_fill fuzz_fills[FUZZ_TYPES] = {FUZZ_FILL_OF(f32), FUZZ_FILL_OF(f64),
                                                 FUZZ_FILL_OF(f16), FUZZ_FILL_OF(bf16)};
#endif

/* ---- RoPE: f32, f16, bf16 ---- */
#ifdef FUZZ_ROPE

typedef struct fuzz_rope {
    pe_status (*turn)(const pe_plan *, pe_at, size_t, void *, pe_heads);
    pe_status (*to)(const pe_plan *, pe_at, size_t, size_t, const void *, pe_heads, void *,
                    pe_heads);
    /* rotates floats into heads of this type; for f32 it is the same call as `to` */
    pe_status (*from_f32)(const pe_plan *, pe_at, size_t, size_t, const float *, pe_heads, void *,
                          pe_heads);
    pe_status (*qk)(const pe_plan *, pe_at, size_t, void *, pe_heads, void *, pe_heads);
    pe_status (*table)(const pe_plan *, pe_at, size_t, pe_rope_table_layout, void *, void *, size_t,
                       pe_rope_table *);
    pe_status (*by_table)(const pe_rope_table *, pe_layout, pe_at, size_t, void *, pe_heads);
    pe_status (*by_table_to)(const pe_rope_table *, pe_layout, pe_at, size_t, size_t, const void *,
                             pe_heads, void *, pe_heads);
} fuzz_rope;

    #define FUZZ_STAMP(T, element, from)                                                           \
    static pe_status fuzz_turn_##T(const pe_plan *p, pe_at at, size_t n, void *x, pe_heads h)      \
    {                                                                                              \
        return pe_rope_##T(p, at, n, (element *)x, h);                                             \
    }                                                                                              \
    static pe_status fuzz_to_##T(const pe_plan *p, pe_at at, size_t n, size_t dim, const void *x,  \
                                 pe_heads h, void *y, pe_heads g)                                  \
    {                                                                                              \
        return pe_rope_to_##T(p, at, n, dim, (const element *)x, h, (element *)y, g);              \
    }                                                                                              \
    static pe_status fuzz_from_f32_##T(const pe_plan *p, pe_at at, size_t n, size_t dim,           \
                                       const float *x, pe_heads h, void *y, pe_heads g)            \
    {                                                                                              \
        return from(p, at, n, dim, x, h, (element *)y, g);                                         \
    }                                                                                              \
    static pe_status fuzz_qk_##T(const pe_plan *p, pe_at at, size_t n, void *q, pe_heads h,        \
                                 void *k, pe_heads g)                                              \
    {                                                                                              \
        return pe_rope_qk_##T(p, at, n, (element *)q, h, (element *)k, g);                         \
    }                                                                                              \
    static pe_status fuzz_table_##T(const pe_plan *p, pe_at at, size_t n,                          \
                                    pe_rope_table_layout how, void *c, void *s, size_t stride,     \
                                    pe_rope_table *made)                                           \
    {                                                                                              \
        return pe_rope_table_##T(p, at, n, how, (element *)c, (element *)s, stride, made);         \
    }                                                                                              \
    static pe_status fuzz_by_##T(const pe_rope_table *t, pe_layout layout, pe_at rows, size_t n,   \
                                 void *x, pe_heads h)                                              \
    {                                                                                              \
        return pe_rope_by_table_##T(t, layout, rows, n, (element *)x, h);                          \
    }                                                                                              \
    static pe_status fuzz_by_to_##T(const pe_rope_table *t, pe_layout layout, pe_at rows,          \
                                    size_t n, size_t dim, const void *x, pe_heads h, void *y,      \
                                    pe_heads g)                                                    \
    {                                                                                              \
        return pe_rope_by_table_to_##T(t, layout, rows, n, dim, (const element *)x, h,             \
                                       (element *)y, g);                                           \
    }
FUZZ_STAMP(f32, float, pe_rope_to_f32)
FUZZ_STAMP(f16, uint16_t, pe_rope_to_f32_f16)
FUZZ_STAMP(bf16, uint16_t, pe_rope_to_f32_bf16)
    #undef FUZZ_STAMP

    #define FUZZ_ROPE_OF(T)                                                                        \
    {fuzz_turn_##T,  fuzz_to_##T, fuzz_from_f32_##T, fuzz_qk_##T,                                  \
     fuzz_table_##T, fuzz_by_##T, fuzz_by_to_##T}
/* RoPE has no calls for f64, so the element at FUZZ_F64 repeats the calls for f32. */
static const fuzz_rope fuzz_ropes[FUZZ_TYPES] = {FUZZ_ROPE_OF(f32), FUZZ_ROPE_OF(f32),
                                                 FUZZ_ROPE_OF(f16), FUZZ_ROPE_OF(bf16)};
#endif

/* ---- ALiBi and learned tables: f32, f16, bf16 ---- */
#ifdef FUZZ_TABLES

typedef struct fuzz_bias {
    pe_status (*fill)(const float *, size_t, pe_alibi_mode, int64_t, size_t, pe_at, size_t, void *,
                      size_t, size_t);
    pe_status (*add)(const float *, size_t, pe_alibi_mode, int64_t, size_t, pe_at, size_t, void *,
                     size_t, size_t);
    pe_status (*learned)(const void *, size_t, size_t, pe_at, size_t, void *, size_t);
    pe_status (*by_index)(const float *, size_t, size_t, const int32_t *, size_t, size_t, void *,
                          size_t, size_t);
} fuzz_bias;

    #define FUZZ_STAMP(T, element)                                                                 \
    static pe_status fuzz_alibi_fill_##T(const float *slopes, size_t heads, pe_alibi_mode mode,    \
                                         int64_t first, size_t queries, pe_at at, size_t keys,     \
                                         void *x, size_t query, size_t head)                       \
    {                                                                                              \
        return pe_alibi_fill_##T(slopes, heads, mode, pe_from(first), queries, at, keys,           \
                                 (element *)x, query, head);                                       \
    }                                                                                              \
    static pe_status fuzz_alibi_add_##T(const float *slopes, size_t heads, pe_alibi_mode mode,     \
                                        int64_t first, size_t queries, pe_at at, size_t keys,      \
                                        void *x, size_t query, size_t head)                        \
    {                                                                                              \
        return pe_alibi_add_##T(slopes, heads, mode, pe_from(first), queries, at, keys,            \
                                (element *)x, query, head);                                        \
    }                                                                                              \
    static pe_status fuzz_learned_##T(const void *table, size_t table_rows, size_t d_model,        \
                                      pe_at at, size_t rows, void *x, size_t stride)               \
    {                                                                                              \
        return pe_learned_add_##T((const element *)table, table_rows, d_model, at, rows,           \
                                  (element *)x, stride);                                           \
    }                                                                                              \
    static pe_status fuzz_by_index_##T(const float *table, size_t entries, size_t heads,           \
                                       const int32_t *index, size_t queries, size_t keys, void *x, \
                                       size_t query, size_t head)                                  \
    {                                                                                              \
        return pe_bias_add_##T(table, entries, heads, index, queries, keys, (element *)x, query,   \
                               head);                                                              \
    }
FUZZ_STAMP(f32, float)
FUZZ_STAMP(f16, uint16_t)
FUZZ_STAMP(bf16, uint16_t)
    #undef FUZZ_STAMP

    #define FUZZ_BIAS_OF(T)                                                                        \
    {fuzz_alibi_fill_##T, fuzz_alibi_add_##T, fuzz_learned_##T, fuzz_by_index_##T}
/* These have no calls for f64 either, so the element at FUZZ_F64 repeats the calls for f32. */
static const fuzz_bias fuzz_biases[FUZZ_TYPES] = {FUZZ_BIAS_OF(f32), FUZZ_BIAS_OF(f32),
                                                  FUZZ_BIAS_OF(f16), FUZZ_BIAS_OF(bf16)};
#endif

#endif /* PE_FUZZ_CALLS_H */
