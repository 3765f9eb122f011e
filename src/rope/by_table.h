/* SPDX-License-Identifier: MIT */
/* RoPE by a table rotates heads by the rows of a table of sines and cosines that the caller has.
 * Tests: tests/unit/rope/test_tables.c, tests/unit/rope/test_rope_table.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "contract.h"
#include "../numbers/sizes.h"
#include "../positions/read.h"
#include "../positions/check.h"
#include "../layouts/elements.h"
#include "../layouts/floats.h"
#include "rotate.h"
#include "tokens.h"
#include "call.h"
#include "table.h"

/* ---- 8.4 RoPE: rotation by a table -----------------------------------------------------------
 * The rotation loads vectors of consecutive floats. So rows of floats are read straight from the
 * caller's table, if the sines of a row are consecutive elements and its cosines also are. Rows in
 * another order of elements and rows of 16-bit elements are first copied to the stack, as floats.
 * So are all rows for pe_back(), which negates their sines. */

/* This struct describes a caller's table as the rotation reads it. */
typedef struct pe__table {
    /* These are the first cosine and the first sine of row 0. If odd is 1, both pointers are the
       start of row 0. */
    const void *cosines, *sines;
    /* stride is the number of elements from a row to the next. step is the number of elements from
       the cosine of a pair to that of the next pair, and also from sine to sine. */
    size_t stride, step;
    pe_type type; /* the type of the elements */
    int odd;      /* 1: one array, in which each sine is step / 2 elements after its cosine */
} pe__table;

/* Read the tile's pairs from the table rows |p[0]| ... |p[rows - 1]| and write them to out as
   floats. Each row of out has first the cosines, then the sines. If back is set, the p are negated
   indices, and 0 - s is written for each sine s. Up to PE__FLOATS - 1 floats after the last row of
   out may also be overwritten, since whole vectors are stored. */
PE__INLINE void pe__read_table_rows(pe_type type, const pe__table *table, const double *p,
                                    size_t rows, const pe__tile *tile, int back, float *out)
{
    const size_t n = tile->count, step = table->step;
    for (size_t r = 0; r < 2 * rows; r++, out += n) { /* p[r / 2]: cosines if r is even */
        const size_t from = (size_t)fabs(p[r / 2]) * table->stride + tile->pair * step;
        const void *const in = pe__at_const(type, r % 2 ? table->sines : table->cosines, from);
        pe__read_floats(type, in, n, step, r % 2 && table->odd, r % 2 && back, out);
    }
}

/* Call pe__read_table_rows() for all tokens of the tile, and write their rows to out. Row t of
   `positions` belongs to token t of the call: its position is the index of the token's row in the
   table, negated after pe_back(). */
PE__OUTLINE void pe__gather_rows(const pe__table *table, const pe_at *positions,
                                 const pe__tile *tile, float *out)
{
    const int back = positions->back;
    double p[PE__POSITIONS];
    for (size_t t = 0, n; t < tile->tokens; t += n, out += 2 * n * tile->count) {
        n = pe__min(tile->tokens - t, PE__POSITIONS);
        pe__positions(positions, tile->token + t, n, 0, p);
        if (table->type == PE_TYPE_F32)
            pe__read_table_rows(PE_TYPE_F32, table, p, n, tile, back, out);
        else if (table->type == PE_TYPE_F16)
            pe__read_table_rows(PE_TYPE_F16, table, p, n, tile, back, out);
        else pe__read_table_rows(PE_TYPE_BF16, table, p, n, tile, back, out);
    }
}

/* Rotate the tokens of a call tile by tile, by rows of the table that are copied to the stack. */
PE__OUTLINE void pe__rotate_gathered(const pe__table *table, const pe_at *positions,
                                     const pe__rope_call *call, pe__tile *tile)
{
    float buffer[PE__ROPE_TILE + 16 + PE__FLOATS];
    float *const rows = (float *)(void *)pe__aligned(buffer);
    const size_t pairs = tile->pairs, limit = PE__ROPE_TILE / (2 * pe__min(pairs, PE__ROPE_PAIRS));
    tile->sines = rows;
    for (tile->token = 0; tile->token < call->tokens; tile->token += limit) {
        tile->tokens = pe__min(limit, call->tokens - tile->token);
        for (tile->pair = 0; tile->pair < pairs; tile->pair += PE__ROPE_PAIRS) {
            tile->count = pe__min(PE__ROPE_PAIRS, pairs - tile->pair);
            tile->cosines = rows;
            tile->sines = rows + tile->count;
            tile->stride = 2 * tile->count;
            pe__gather_rows(table, positions, tile, rows);
            call->rotate(tile, &call->x[0]);
        }
    }
}

/* Rotate by the table's own rows, without copying them. The rows are floats, and the tokens may use
   them in any order. PE__POSITIONS tokens at a time are a tile, whose tile->row lists their
   rows. */
PE__OUTLINE void pe__rotate_by_rows(const pe_at *positions, const pe__rope_call *call,
                                    pe__tile *tile)
{
    double p[PE__POSITIONS];
    size_t row[PE__POSITIONS];
    tile->row = row;
    for (tile->token = 0; tile->token < call->tokens; tile->token += tile->tokens) {
        tile->tokens = pe__min(call->tokens - tile->token, PE__POSITIONS);
        pe__positions(positions, tile->token, tile->tokens, 0, p);
        for (size_t k = 0; k < tile->tokens; k++) row[k] = (size_t)fabs(p[k]);
        call->rotate(tile, &call->x[0]);
    }
}

/* Check that the positions are integers of one coordinate and not differences, else return
   PE_ERR_AT_KIND. Then check that each is the index of a row of the table, at most 2^31. With
   pe_back(), the positions are the negated indices. An index p is in range if |p - half| <= half,
   where 2 half is the largest index. Without rows, half is negative and no index is in range.
   Returns PE_OK, PE_ERR_RANGE, or another error of pe__check_positions(). */
static inline pe_status pe__check_table_rows(const pe_at *positions, size_t tokens, size_t rows)
{
    const double limit = (double)pe__position_limit, all = (double)rows - 1;
    const double half = (all < limit ? all : limit) / 2, middle = positions->back ? half : -half;
    if (positions->kind < (int)PE__AT_RANGE || positions->kind > (int)PE__AT_I64)
        return PE_ERR_AT_KIND;
    if (positions->axes != 1 || positions->delta) return PE_ERR_AT_KIND;
    return pe__check_positions(positions, tokens, 1, middle, middle, half);
}

/* Rotate by a caller's table: check all arguments, then rotate. `layout` is the layout of the
   heads, table->layout that of the table. Returns PE_OK or the error, after which nothing was
   written. */
PE__OUTLINE pe_status pe__rope_by_table(const pe_rope_table *table, pe_layout layout,
                                        const pe_at *positions, pe__rope_call *call)
{
    const size_t heads = call->x[0].heads, out_heads = call->x[0].out_heads;
    if (call->tokens == 0 || (heads == 0 && out_heads == 0)) return PE_OK;
    if (!table) return PE_ERR_NULL;
    const size_t pairs = table->pairs, element = table->type == PE_TYPE_F32 ? 4 : 2;
    const int split = table->layout <= PE_ROPE_TABLE_TWICE;
    if ((unsigned)table->type > PE_TYPE_BF16 || (unsigned)layout > PE_LAYOUT_HALVES ||
        (unsigned)table->layout > PE_ROPE_TABLE_MATRIX)
        return PE_ERR_ENUM;
    if (pairs > 0 && (!table->cosines || (split && !table->sines))) return PE_ERR_NULL;
    if (pairs > SIZE_MAX / 4) return PE_ERR_SIZE;
    if (heads != out_heads) return PE_ERR_HEADS;
    if (call->x[0].head_dim < 2 * pairs) return PE_ERR_HEAD_DIM;
    if (!split && table->sines) return PE_ERR_SINES;
    pe_status status =
        pe__check_shape(pe__table_width(table->layout, pairs), table->rows, table->stride, element);
    if (status == PE_OK) status = pe__rope_check_heads(call, &call->x[0], 2 * pairs, 0);
    if (status == PE_OK) status = pe__check_table_rows(positions, call->tokens, table->rows);
    if (status != PE_OK) return status;
    const void *const c = pairs ? table->cosines : table, *const s = pairs ? table->sines : table;
    pe__table rows = {c, s, pairs ? table->stride : 0, 1, table->type, 0};
    rows.step = pe__table_step(table->layout, layout);
    rows.odd = table->layout >= PE_ROPE_TABLE_COMPLEX;
    if (!split) rows.sines = (const unsigned char *)c + (rows.odd ? 0 : pairs * element);
    pe__tile tile;
    tile.pair = tile.token = tile.section_count = 0;
    tile.count = tile.pairs = pairs;
    tile.tokens = tile.call_tokens = call->tokens;
    tile.layout = layout;
    tile.row = NULL;
    if (pairs > 0 && (element != sizeof(float) || rows.step > 1 || positions->back)) {
        pe__rotate_gathered(&rows, positions, call, &tile);
        return PE_OK;
    }
    tile.cosines = (const float *)rows.cosines;
    tile.sines = (const float *)rows.sines;
    tile.stride = rows.stride;
    /* If the row indices of the tokens ascend by a constant step, tile.row is not needed: token t
       uses the row that is t * tile.stride floats after the first one. */
    if (positions->kind == PE__AT_RANGE && positions->step >= 0) {
        tile.cosines += (size_t)positions->first * rows.stride;
        tile.sines += (size_t)positions->first * rows.stride;
        tile.stride = call->tokens > 1 ? (size_t)positions->step * rows.stride : 0;
        call->rotate(&tile, &call->x[0]);
    } else pe__rotate_by_rows(positions, call, &tile);
    return PE_OK;
}

/* Rotate the heads of one token by row `row` of a table of floats. p is the first element of head
   0. Nothing is checked: pe__rope_is_plain() (calls/inlined.h) has found that all arguments are
   valid, and that the pairs fill complete pair tiles, so that pe__rotate_pair_tiles() rotates all
   pairs. */
PE__INLINE void pe__rotate_token_by_table(pe_type type, const pe_rope_table *t, pe_layout layout,
                                          size_t row, void *p, const pe_heads *heads)
{
    const float *const c = (const float *)t->cosines + row * t->stride;
    const float *const s = t->sines ? (const float *)t->sines + row * t->stride : c + t->pairs;
    const size_t stride = heads->head_stride * pe__size_of(type);
    const pe__angles a = {s, c, t->pairs, t->pairs};
    const pe__heads x = {
        (unsigned char *)p, (unsigned char *)p, 0, stride, 0, stride, heads->heads, 0, 0, 0, 0};
    pe__rotate_pair_tiles(type, type, layout, PE__ONE_SECTION, &a, &x, 0);
}
