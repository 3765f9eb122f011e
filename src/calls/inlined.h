/* SPDX-License-Identifier: MIT */
/* Defines those public functions with a pe_at whose calls must be cheap. Programs often call them
 * for few rows or tokens. Tested by tests/checks/api.sh. */
#pragma once
#include "../api/options.h"
#include "../api/types.h"
#include "../rows/contract.h"
#include "../rope/contract.h"
#include "../scores/contract_alibi.h"
#include "../rows/axis.h"
#include "../rows/sincos.h"
#include "../rope/heads.h"
#include "../rope/call.h"
#include "../scores/alibi.h"
#include "each_type.h"
#include "../positions/read.h"

/* ---- 15. the calls ------------------------------------------------------------------------------
 * A pe_at that is passed by value is written by narrow stores, then copied with wide loads, which
 * stall on these stores. The stall takes 5 to 12 ns, as long as the rotation of a head. A function
 * that is inlined into its caller copies nothing. So the functions here are short enough to be
 * inlined. They are also placed after hints_end.h, which ends pe's own compiler options, because
 * gcc inlines no function that has options of its own. They need no such options, since they do no
 * floating-point arithmetic. */

/* Define pe_fill_T, pe_add_T and pe_sincos_T. `number` is the type of the scale of pe_add_T. */
#define PE__CALLS(T, element, number)                                                              \
    PE_API pe_status pe_fill_##T(const pe_plan *plan, pe_at positions, size_t rows, element *out,  \
                                 size_t stride)                                                    \
    {                                                                                              \
        return pe__call_fill_##T(plan, &positions, rows, out, stride);                             \
    }                                                                                              \
    PE_API pe_status pe_add_##T(const pe_plan *plan, pe_at positions, size_t rows, number scale,   \
                                element *x, size_t stride)                                         \
    {                                                                                              \
        return pe__call_add_##T(plan, &positions, rows, scale, x, stride);                         \
    }                                                                                              \
    PE_API pe_status pe_sincos_##T(const double *omega, size_t pairs, double amplitude,            \
                                   pe_at positions, size_t rows, element *sines, element *cosines, \
                                   size_t stride)                                                  \
    {                                                                                              \
        const pe__sincos_request x = {omega,         pairs,     rows,  stride,                     \
                                      sizeof *sines, amplitude, sines, cosines};                   \
        return rows == 1 ? pe__sincos_call(&x, &positions, 1, pe__sincos_row_##T)                  \
                         : pe__sincos_call(&x, &positions, 0, pe__sincos_rows_##T);                \
    }
PE__CALLS(f32, float, float)
PE__CALLS(f16, uint16_t, float)
PE__CALLS(bf16, uint16_t, float)
PE__CALLS(f64, double, double)
#undef PE__CALLS

/* Set the heads of a call: `from` says where they are in the input, `to` where in the output. If
   the call rotates in place, in and out are one array. head_dim is the number of elements of a
   head, or 0 if pe__rope_by_plan() rotates in place. The fields are set one by one, so that the
   call can read them without waiting: a copy of the struct would be loaded in pieces wider than
   those stored. */
PE__INLINE void pe__set_heads(pe__heads *x, const void *in, const pe_heads *from, void *out,
                              const pe_heads *to, size_t head_dim)
{
    x->in = (const unsigned char *)in;
    x->out = (unsigned char *)out;
    x->heads = from->heads;
    x->in_token = from->token_stride;
    x->in_head = from->head_stride;
    x->out_token = to->token_stride;
    x->out_head = to->head_stride;
    x->copied_after = x->copied_before = 0;
    x->out_heads = to->heads;
    x->head_dim = head_dim;
}

/* Begin a call that rotates the heads of one array x in place. pe_rope_qk_T() then adds the heads
   of a second array, call->x[1]. */
PE__INLINE void pe__begin_in_place(pe__rope_call *call, size_t tokens, void *x,
                                   const pe_heads *heads)
{
    call->tokens = tokens;
    call->x[1].heads = 0;
    pe__set_heads(&call->x[0], x, heads, x, heads, 0);
}

/* Define pe_rope_to_T, which rotates from one type to another. */
#define PE__CALLS(T, element, to)                                                                  \
    PE_API pe_status pe_rope_to_##T(const pe_plan *plan, pe_at positions, size_t tokens,           \
                                    size_t head_dim, const element *in, pe_heads in_heads,         \
                                    to *out, pe_heads out_heads)                                   \
    {                                                                                              \
        pe__rope_call call;                                                                        \
        call.tokens = tokens;                                                                      \
        call.x[1].heads = 0;                                                                       \
        pe__set_heads(&call.x[0], in, &in_heads, out, &out_heads, head_dim);                       \
        return pe__call_rope_to_##T(plan, &positions, &call);                                      \
    }
PE__CALLS(f32, float, float)
PE__CALLS(f16, uint16_t, uint16_t)
PE__CALLS(bf16, uint16_t, uint16_t)
PE__CALLS(f32_f16, float, uint16_t)
PE__CALLS(f32_bf16, float, uint16_t)
#undef PE__CALLS

/* Returns whether a pe_rope_by_table_T call of one token is plain, which means that
   pe__rotate_token_by_table() can do it without further checks. No argument may be an error. The
   positions must be a range without pe_back() and pe_delta(), and RoPE's table must have the row.
   The table must hold floats, in the layout PE_ROPE_TABLE_JOINED or PE_ROPE_TABLE_APART. The
   number of pairs must be a multiple of PE__PAIR_TILE. Where the call is inlined, the compiler
   knows most of the arguments, so that most of the tests cost nothing. */
PE__INLINE int pe__rope_is_plain(const pe_rope_table *t, pe_layout layout, const pe_at *positions,
                                 const pe_heads *x)
{
    if (positions->kind != PE__AT_RANGE || positions->status != PE_OK || positions->back ||
        positions->delta || !t)
        return 0;
    const size_t all = t->stride | t->rows | x->heads | x->head_stride, n = t->pairs;
    const int joined = t->layout == PE_ROPE_TABLE_JOINED, apart = t->layout == PE_ROPE_TABLE_APART;
    int ok = (t->type == PE_TYPE_F32) & (joined | apart) & (all >> (4 * sizeof all - 2) == 0);
    ok &= (t->cosines != NULL) & (joined == !t->sines) & ((unsigned)layout <= PE_LAYOUT_HALVES);
    ok &= (n % PE__PAIR_TILE == 0) & (n <= t->stride >> joined) &
          ((uint64_t)positions->first < t->rows);
    return ok & ((x->heads == 1) | ((x->heads != 0) & (n <= x->head_stride / 2)));
}

/* Define RoPE in place with a plan, the functions that make RoPE's tables, and RoPE with such a
   table, in place and to another array. All elements are of one type; RoPE's table may have another
   type. */
#define PE__CALLS(T, type, element)                                                                \
    PE_API pe_status pe_rope_##T(const pe_plan *plan, pe_at positions, size_t tokens, element *x,  \
                                 pe_heads heads)                                                   \
    {                                                                                              \
        pe__rope_call call;                                                                        \
        pe__begin_in_place(&call, tokens, x, &heads);                                              \
        return pe__call_rope_##T(plan, &positions, &call);                                         \
    }                                                                                              \
    PE_API pe_status pe_rope_qk_##T(const pe_plan *plan, pe_at positions, size_t tokens,           \
                                    element *q, pe_heads q_heads, element *k, pe_heads k_heads)    \
    {                                                                                              \
        pe__rope_call call;                                                                        \
        pe__begin_in_place(&call, tokens, q, &q_heads);                                            \
        pe__set_heads(&call.x[1], k, &k_heads, k, &k_heads, 0);                                    \
        return pe__call_rope_##T(plan, &positions, &call);                                         \
    }                                                                                              \
    PE_API pe_status pe_rope_table_##T(const pe_plan *plan, pe_at positions, size_t rows,          \
                                       pe_rope_table_layout layout, element *cosines,              \
                                       element *sines, size_t stride, pe_rope_table *made)         \
    {                                                                                              \
        const pe_rope_table table = {cosines, sines, type, layout, stride, rows, 0};               \
        return pe__call_rope_table_##T(plan, &positions, &table, made);                            \
    }                                                                                              \
    PE__API_INLINE pe_status pe_rope_by_table_##T(const pe_rope_table *table, pe_layout layout,    \
                                                  pe_at rows, size_t tokens, element *x,           \
                                                  pe_heads heads)                                  \
    {                                                                                              \
        const int halves = layout == PE_LAYOUT_HALVES;                                             \
        if (tokens == 1 && x && pe__rope_is_plain(table, layout, &rows, &heads))                   \
            return halves ? pe__call_rope_one_##T##_halves(table, rows.first, x, &heads)           \
                          : pe__call_rope_one_##T##_interleaved(table, rows.first, x, &heads);     \
        const pe_at positions = rows;                                                              \
        pe__rope_call call;                                                                        \
        call.tokens = tokens;                                                                      \
        pe__set_heads(&call.x[0], x, &heads, x, &heads,                                            \
                      tokens && heads.heads && table ? 2 * table->pairs : 0);                      \
        return halves ? pe__call_rope_by_##T##_halves(table, layout, &positions, &call)            \
                      : pe__call_rope_by_##T##_interleaved(table, layout, &positions, &call);      \
    }                                                                                              \
    PE_API pe_status pe_rope_by_table_to_##T(                                                      \
        const pe_rope_table *table, pe_layout layout, pe_at rows, size_t tokens, size_t head_dim,  \
        const element *in, pe_heads in_heads, element *out, pe_heads out_heads)                    \
    {                                                                                              \
        pe__rope_call call;                                                                        \
        call.tokens = tokens;                                                                      \
        pe__set_heads(&call.x[0], in, &in_heads, out, &out_heads, head_dim);                       \
        const int halves = layout == PE_LAYOUT_HALVES;                                             \
        return halves ? pe__call_rope_by_##T##_halves(table, layout, &rows, &call)                 \
                      : pe__call_rope_by_##T##_interleaved(table, layout, &rows, &call);           \
    }
PE__CALLS(f32, PE_TYPE_F32, float)
PE__CALLS(f16, PE_TYPE_F16, uint16_t)
PE__CALLS(bf16, PE_TYPE_BF16, uint16_t)
#undef PE__CALLS

/* Define pe_alibi_fill_T and pe_alibi_add_T. */
#define PE__CALLS(T, type, element, verb)                                                          \
    PE_API pe_status pe_alibi_##verb##_##T(                                                        \
        const float *slopes, size_t heads, pe_alibi_mode mode, pe_at query_at, size_t queries,     \
        pe_at key_at, size_t keys, element *x, size_t query_stride, size_t head_stride)            \
    {                                                                                              \
        const pe__alibi a = {slopes,      heads, queries, keys,      query_stride,                 \
                             head_stride, mode,  type,    &query_at, &key_at};                     \
        return pe__alibi_call(&a, x, pe__alibi_##verb);                                            \
    }
PE__CALLS(f32, PE_TYPE_F32, float, fill)
PE__CALLS(f32, PE_TYPE_F32, float, add)
PE__CALLS(f16, PE_TYPE_F16, uint16_t, fill)
PE__CALLS(f16, PE_TYPE_F16, uint16_t, add)
PE__CALLS(bf16, PE_TYPE_BF16, uint16_t, fill)
PE__CALLS(bf16, PE_TYPE_BF16, uint16_t, add)
#undef PE__CALLS
