/* SPDX-License-Identifier: MIT */
/* The functions that exist for each type, stamped.
 * Gives: pe_add_bf16(), pe_add_f16(), pe_add_f32(), pe_alibi_add_bf16(), pe_alibi_add_f16(),
 *   pe_alibi_add_f32(), pe_alibi_fill_bf16(), pe_alibi_fill_f16(), pe_alibi_fill_f32(),
 *   pe_fill_bf16(), pe_fill_f16(), pe_fill_f32(), pe_learned_add_bf16(), pe_learned_add_f16(),
 *   pe_learned_add_f32(), pe_rope_bf16(), pe_rope_f16(), pe_rope_f32(), pe_shift_bf16(),
 *   pe_shift_f16(), pe_shift_f32().
 * Needs: api, rows, rope, algebra, alibi, bias, learned, numbers.
 * Tests: tests/checks/api.sh. */
#pragma once
#include "../api/options.h"
#include "../api/types.h"
#include "../rows/contract.h"
#include "../rope/contract.h"
#include "../algebra/contract.h"
#include "../alibi/contract.h"
#include "../bias/contract.h"
#include "../learned/contract.h"
#include "../numbers/base.h"
#include "../rows/pair_f32.h"
#include "../rows/walk.h"
#include "../rows/call.h"
#include "../rope/rotate.h"
#include "../rope/tokens.h"
#include "../rope/call.h"
#include "../rope/table.h"
#include "../rope/by_table.h"
#include "../algebra/shift.h"
#include "../alibi/alibi.h"
#include "../bias/bias.h"
#include "../learned/add.h"

/* ---- 13. the functions of each type -------------------------------------------------------------
 * A float, or the 16 bits of an f16 or bf16; of fill and add also a double. */

#define PE__ROPE_TO(T, element, to)                                                                \
    PE_API pe_status pe_rope_to_##T(const pe_plan *plan, pe_at at, size_t tokens, size_t head_dim, \
                                    const element *in, pe_heads in_heads, to *out,                 \
                                    pe_heads out_heads)                                            \
    {                                                                                              \
        pe__rope_call call =                                                                       \
            pe__rope_call_of(tokens, head_dim, sizeof *in, sizeof *out, pe__rotate_heads_##T);     \
        call.x[0] = pe__heads_of(in, in_heads, out, out_heads);                                    \
        return pe__rope_to(plan, &at, &call, out_heads.heads);                                     \
    }
#define PE__ALIBI(T, kind, element, verb)                                                          \
    PE_API pe_status pe_alibi_##verb##_##T(                                                        \
        const float *slopes, size_t heads, pe_alibi_mode mode, pe_at query_at, size_t queries,     \
        pe_at key_at, size_t keys, element *x, size_t query_stride, size_t head_stride)            \
    {                                                                                              \
        const pe__alibi a = {slopes,      heads, queries, keys,      query_stride,                 \
                             head_stride, mode,  kind,    &query_at, &key_at};                     \
        return pe__alibi_call(&a, x, pe__alibi_##verb);                                            \
    }

/* Of fill and add: number is the type of a scale; rows of a batch are made by batch_maker. */
#define PE__ROWS_OF(T, element, number, batch_maker)                                               \
    PE_API pe_status pe_fill_##T(const pe_plan *plan, pe_at at, size_t rows, element *out,         \
                                 size_t stride)                                                    \
    {                                                                                              \
        const pe__output o = pe__output_of(out, sizeof *out, rows, stride, &pe__fills_##T);        \
        return pe__call(plan, &at, &o);                                                            \
    }                                                                                              \
    PE_API pe_status pe_add_##T(const pe_plan *plan, pe_at at, size_t rows, number scale,          \
                                element *x, size_t stride)                                         \
    {                                                                                              \
        const pe__output o =                                                                       \
            pe__added(x, sizeof *x, rows, stride, (double)scale, &pe__adds_##T);                   \
        return pe__call(plan, &at, &o);                                                            \
    }                                                                                              \
    PE_API pe_status pe_add_batch_##T(const pe_plan *plan, pe_at at, size_t rows, size_t batches,  \
                                      number scale, element *x, size_t stride,                     \
                                      size_t batch_stride)                                         \
    {                                                                                              \
        const pe__output o =                                                                       \
            pe__added(x, sizeof *x, rows, stride, (double)scale, &pe__adds_##T);                   \
        pe__batches all = {batches, 0, &batch_maker, pe__add_some_##T};                            \
        return pe__call_batch(plan, &at, batch_stride, &o, &all);                                  \
    }
PE__ROWS_OF(f32, float, float, pe__fills_f32)
PE__ROWS_OF(f16, uint16_t, float, pe__fills_f32)
PE__ROWS_OF(bf16, uint16_t, float, pe__fills_f32)
PE__ROWS_OF(f64, double, double, pe__fills_f64)
#undef PE__ROWS_OF

#define PE__OF_TYPE(T, kind, element)                                                              \
    PE_API pe_status pe_shift_##T(const pe_plan *plan, pe_at deltas, size_t rows, element *x,      \
                                  size_t stride)                                                   \
    {                                                                                              \
        const pe__output o = pe__output_of(x, sizeof *x, rows, stride, NULL);                      \
        return pe__call_shift(plan, &deltas, &o, pe__rotate_heads_##T);                            \
    }                                                                                              \
    PE_API pe_status pe_rope_qk_##T(const pe_plan *plan, pe_at at, size_t tokens, element *q,      \
                                    pe_heads q_heads, element *k, pe_heads k_heads)                \
    {                                                                                              \
        pe__rope_call call =                                                                       \
            pe__rope_call_of(tokens, 0, sizeof *q, sizeof *q, pe__rotate_heads_##T);               \
        call.x[0] = pe__heads_of(q, q_heads, q, q_heads);                                          \
        call.x[1] = pe__heads_of(k, k_heads, k, k_heads);                                          \
        return pe__rope_go(plan, &at, &call);                                                      \
    }                                                                                              \
    PE_API pe_status pe_rope_##T(const pe_plan *plan, pe_at at, size_t tokens, element *x,         \
                                 pe_heads heads)                                                   \
    {                                                                                              \
        const pe_heads none = {0, 0, 0};                                                           \
        return pe_rope_qk_##T(plan, at, tokens, x, heads, x, none);                                \
    }                                                                                              \
    PE_API pe_status pe_rope_by_table_##T(const pe_rope_table *table, pe_layout layout, pe_at rows,\
                                          size_t tokens, element *x, pe_heads heads)               \
    {                                                                                              \
        if (pe__rope_one_head(kind, table, layout, &rows, tokens, x, heads.heads)) return PE_OK;   \
        pe__rope_call call = pe__rope_call_of(tokens, table ? 2 * table->pairs : 0, sizeof *x,     \
                                              sizeof *x, pe__rotate_heads_##T);                    \
        call.x[0] = pe__heads_of(x, heads, x, heads);                                              \
        return pe__rope_by(table, layout, &rows, &call, heads.heads);                              \
    }                                                                                              \
    PE_API pe_status pe_rope_by_table_to_##T(                                                      \
        const pe_rope_table *table, pe_layout layout, pe_at rows, size_t tokens, size_t head_dim,  \
        const element *in, pe_heads in_heads, element *out, pe_heads out_heads)                    \
    {                                                                                              \
        pe__rope_call call =                                                                       \
            pe__rope_call_of(tokens, head_dim, sizeof *in, sizeof *out, pe__rotate_heads_##T);     \
        call.x[0] = pe__heads_of(in, in_heads, out, out_heads);                                    \
        return pe__rope_by(table, layout, &rows, &call, out_heads.heads);                          \
    }                                                                                              \
    PE_API pe_status pe_rope_table_##T(const pe_plan *plan, pe_at at, size_t rows,                 \
                                       pe_rope_table_layout layout, element *cosines,              \
                                       element *sines, size_t stride, pe_rope_table *made)         \
    {                                                                                              \
        const pe_rope_table table = {cosines, sines, (pe_type)kind, layout, stride, rows, 0};      \
        const pe__output o =                                                                       \
            pe__output_of(cosines, sizeof *cosines, rows, stride, &pe__fills_##T);                 \
        return pe__rope_table(plan, &at, &o, &pe__tables_##T, &table, made);                       \
    }                                                                                              \
    PE_API pe_status pe_bias_add_##T(const float *table, size_t entries, size_t heads,             \
                                     const int32_t *index, size_t queries, size_t keys,            \
                                     element *scores, size_t query_stride, size_t head_stride)     \
    {                                                                                              \
        const pe__scores x = {scores, heads, queries, keys, query_stride, head_stride};            \
        return pe__bias_add(kind, table, entries, index, &x);                                      \
    }                                                                                              \
    PE_API pe_status pe_learned_add_##T(const element *table, size_t table_rows, size_t d_model,   \
                                        pe_at at, size_t rows, element *x, size_t stride)          \
    {                                                                                              \
        const pe__learned l = {table, x, table_rows, d_model, stride};                             \
        return pe__learned_add(kind, 0, &l, &at, rows);                                            \
    }
PE__OF_TYPE(f32, PE__F32, float)
PE__OF_TYPE(f16, PE__F16, uint16_t)
PE__OF_TYPE(bf16, PE__BF16, uint16_t)
/* Not by PE__OF_TYPE: f32 may be a macro of the program, which a macro in a macro would expand. */
PE__ALIBI(f32, PE__F32, float, fill)
PE__ALIBI(f32, PE__F32, float, add)
PE__ALIBI(f16, PE__F16, uint16_t, fill)
PE__ALIBI(f16, PE__F16, uint16_t, add)
PE__ALIBI(bf16, PE__BF16, uint16_t, fill)
PE__ALIBI(bf16, PE__BF16, uint16_t, add)
PE__ROPE_TO(f32, float, float)
PE__ROPE_TO(f16, uint16_t, uint16_t)
PE__ROPE_TO(bf16, uint16_t, uint16_t)
PE__ROPE_TO(f32_f16, float, uint16_t)
PE__ROPE_TO(f32_bf16, float, uint16_t)
#undef PE__OF_TYPE
#undef PE__ALIBI
#undef PE__ROPE_TO
