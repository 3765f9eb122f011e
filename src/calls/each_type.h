/* SPDX-License-Identifier: MIT */
/* Defines, with macros, functions that exist for each type of element. Some are public, and others
 * are called by the public functions of calls/inlined.h. Tested by tests/checks/api.sh. */
#pragma once
#include "../api/options.h"
#include "../api/types.h"
#include "../rows/contract.h"
#include "../rope/contract.h"
#include "../algebra/contract.h"
#include "../scores/contract_alibi.h"
#include "../scores/contract_bias.h"
#include "../learned/contract.h"
#include "../rows/row_pair_f32.h"
#include "../rows/kernels.h"
#include "../rows/axis.h"
#include "../rows/call.h"
#include "../rope/rotate.h"
#include "../rope/tokens.h"
#include "../rope/call.h"
#include "../rope/table.h"
#include "../rope/by_table.h"
#include "../algebra/shift.h"
#include "../scores/alibi.h"
#include "../scores/bias.h"
#include "../learned/add.h"

/* ---- 13. the functions of each type -------------------------------------------------------------
 * The types are float, uint16_t for f16 and bf16, and for fill, add and add_batch also double.
 * Functions whose names begin with pe__call_ are called by the public functions of calls/inlined.h.
 * Those that begin with pe_ are public themselves. */

/* Returns a scale as a double. There are two functions because -Wdouble-promotion demands a cast
   for floats, and -Wuseless-cast forbids one for doubles. */
PE__INLINE double pe__of_float(float scale) { return (double)scale; }
PE__INLINE double pe__of_double(double scale) { return scale; }

/* Define pe__call_fill_T, pe__call_add_T and pe_add_batch_T. `number` is the type of a scale.
   `batch_kernel` is the row kernel that fills the buffer of rows, which are then added to all
   batches. The rows in the buffer are floats, also for f16 and bf16. */
#define PE__ROWS_OF(T, element, number, batch_kernel)                                              \
    PE__OUTLINE pe_status pe__call_fill_##T(const pe_plan *plan, const pe_at *positions,           \
                                            size_t rows, element *out, size_t stride)              \
    {                                                                                              \
        pe__output output =                                                                        \
            pe__output_of(out, sizeof *out, rows, stride, PE__STORE, 1, pe__fill_kernel_##T());    \
        return pe__call_rows(plan, positions, &output);                                            \
    }                                                                                              \
    PE__OUTLINE pe_status pe__call_add_##T(const pe_plan *plan, const pe_at *positions,            \
                                           size_t rows, number scale, element *x, size_t stride)   \
    {                                                                                              \
        pe__output output = pe__output_of(x, sizeof *x, rows, stride, PE__ADD,                     \
                                          pe__of_##number(scale), pe__add_kernel_##T());           \
        return pe__call_rows(plan, positions, &output);                                            \
    }                                                                                              \
    PE_API pe_status pe_add_batch_##T(const pe_plan *plan, pe_at positions, size_t rows,           \
                                      size_t batches, number scale, element *x, size_t stride,     \
                                      size_t batch_stride)                                         \
    {                                                                                              \
        pe__output output = pe__output_of(x, sizeof *x, rows, stride, PE__ADD,                     \
                                          pe__of_##number(scale), pe__add_kernel_##T());           \
        pe__batches all = {batches, 0, batch_kernel, pe__add_some_##T};                            \
        return pe__call_batch(plan, &positions, batch_stride, &output, &all);                      \
    }
PE__ROWS_OF(f32, float, float, pe__fill_kernel_f32())
PE__ROWS_OF(f16, uint16_t, float, pe__fill_kernel_f32())
PE__ROWS_OF(bf16, uint16_t, float, pe__fill_kernel_f32())
PE__ROWS_OF(f64, double, double, pe__fill_kernel_f64())
#undef PE__ROWS_OF

/* Define pe__call_rope_to_T, which rotates tokens from an array of type `element` to an array of
   type `to`. */
#define PE__ROPE_TO(T, element, to)                                                                \
    PE__OUTLINE pe_status pe__call_rope_to_##T(const pe_plan *plan, const pe_at *positions,        \
                                               pe__rope_call *call)                                \
    {                                                                                              \
        pe__set_types(call, sizeof(element), sizeof(to), pe__rotate_heads_##T,                     \
                      pe__rotate_heads_##T##_sections);                                            \
        return pe__rope_to(plan, positions, call);                                                 \
    }

/* Define the functions for shifts, rotation in place, RoPE's tables, and the addition of biases and
   of learned tables. */
#define PE__OF_TYPE(T, type, element)                                                              \
    PE_API pe_status pe_shift_##T(const pe_plan *plan, pe_at deltas, size_t rows, element *x,      \
                                  size_t stride)                                                   \
    {                                                                                              \
        const pe__output output = pe__output_of(x, sizeof *x, rows, stride, PE__STORE, 1, NULL);   \
        return pe__call_shift(plan, &deltas, &output, pe__rotate_heads_##T,                        \
                              pe__rotate_heads_##T##_sections);                                    \
    }                                                                                              \
    PE__OUTLINE pe_status pe__call_rope_##T(const pe_plan *plan, const pe_at *positions,           \
                                            pe__rope_call *call)                                   \
    {                                                                                              \
        pe__set_types(call, sizeof(element), sizeof(element), pe__rotate_heads_##T,                \
                      pe__rotate_heads_##T##_sections);                                            \
        return pe__rope_by_plan(plan, positions, call);                                            \
    }                                                                                              \
    PE__OUTLINE pe_status pe__call_rope_table_##T(const pe_plan *plan, const pe_at *positions,     \
                                                  const pe_rope_table *table, pe_rope_table *made) \
    {                                                                                              \
        void *const out = (void *)(uintptr_t)table->cosines;                                       \
        pe__output output = pe__output_of(out, sizeof(element), table->rows, table->stride,        \
                                          PE__STORE, 1, pe__fill_kernel_##T());                    \
        return pe__write_rope_table(plan, positions, &output, pe__table_kernel_##T(), table,       \
                                    made);                                                         \
    }                                                                                              \
    PE_API pe_status pe_bias_add_##T(const float *table, size_t entries, size_t heads,             \
                                     const int32_t *index, size_t queries, size_t keys,            \
                                     element *scores, size_t query_stride, size_t head_stride)     \
    {                                                                                              \
        const pe__scores x = {scores, heads, queries, keys, query_stride, head_stride};            \
        return pe__bias_add(type, table, entries, index, &x);                                      \
    }                                                                                              \
    PE_API pe_status pe_learned_add_##T(const element *table, size_t table_rows, size_t d_model,   \
                                        pe_at positions, size_t rows, element *x, size_t stride)   \
    {                                                                                              \
        const pe__learned l = {table, x, table_rows, d_model, stride};                             \
        return pe__learned_add(type, 0, &l, &positions, rows);                                     \
    }
PE__OF_TYPE(f32, PE_TYPE_F32, float)
PE__OF_TYPE(f16, PE_TYPE_F16, uint16_t)
PE__OF_TYPE(bf16, PE_TYPE_BF16, uint16_t)
PE__ROPE_TO(f32, float, float)
PE__ROPE_TO(f16, uint16_t, uint16_t)
PE__ROPE_TO(bf16, uint16_t, uint16_t)
PE__ROPE_TO(f32_f16, float, uint16_t)
PE__ROPE_TO(f32_bf16, float, uint16_t)
#undef PE__OF_TYPE

/* Define the rotation by RoPE's table: pe__call_rope_by_ for any call, and pe__call_rope_one_ for
   one token, unchecked. Each layout of heads has its own functions, so that a program that names
   one layout contains no code for the other. `any` is the layout that the caller has given. It may
   be no valid layout, so pe__rope_by_table() checks it. */
#define PE__BY_TABLE(T, type, element, name, layout)                                               \
    PE__OUTLINE pe_status pe__call_rope_by_##T##_##name(                                           \
        const pe_rope_table *table, pe_layout any, const pe_at *positions, pe__rope_call *call)    \
    {                                                                                              \
        pe__set_types(call, sizeof(element), sizeof(element), pe__rotate_heads_##T##_##name,       \
                      NULL);                                                                       \
        return pe__rope_by_table(table, any, positions, call);                                     \
    }                                                                                              \
    PE__OUTLINE pe_status pe__call_rope_one_##T##_##name(const pe_rope_table *table, int64_t row,  \
                                                         element *x, const pe_heads *heads)        \
    {                                                                                              \
        pe__rotate_token_by_table(type, table, layout, (size_t)row, x, heads);                     \
        return PE_OK;                                                                              \
    }
PE__BY_TABLE(f32, PE_TYPE_F32, float, halves, PE_LAYOUT_HALVES)
PE__BY_TABLE(f32, PE_TYPE_F32, float, interleaved, PE_LAYOUT_INTERLEAVED)
PE__BY_TABLE(f16, PE_TYPE_F16, uint16_t, halves, PE_LAYOUT_HALVES)
PE__BY_TABLE(f16, PE_TYPE_F16, uint16_t, interleaved, PE_LAYOUT_INTERLEAVED)
PE__BY_TABLE(bf16, PE_TYPE_BF16, uint16_t, halves, PE_LAYOUT_HALVES)
PE__BY_TABLE(bf16, PE_TYPE_BF16, uint16_t, interleaved, PE_LAYOUT_INTERLEAVED)
#undef PE__BY_TABLE

#undef PE__ROPE_TO
