/* SPDX-License-Identifier: MIT */
/* Tables of sines and cosines for other kernels.
 * Gives: pe__rope_table(), pe__table_step(), pe__table_width().
 * Needs: simd, api, where, rows, numbers.
 * Tests: tests/unit/test_models.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "contract.h"
#include "../numbers/base.h"
#include "../where/at.h"
#include "../rows/dest.h"
#include "../rows/call.h"
#include "rotate.h"
#include "tokens.h"
#include "call.h"

/* ---- 8.3 RoPE: tables ------------------------------------------------------------------------ */

/* Elements from a pair to the next, where heads have that layout; elements of a row. */
PE__INLINE size_t pe__table_step(pe_rope_table_layout table, pe_layout layout)
{
    const int twice = table == PE_ROPE_TABLE_TWICE && layout == PE_LAYOUT_INTERLEAVED;
    return table == PE_ROPE_TABLE_MATRIX ? 4 : table == PE_ROPE_TABLE_COMPLEX || twice ? 2 : 1;
}
PE__INLINE size_t pe__table_width(pe_rope_table_layout table, size_t pairs)
{
    return (table == PE_ROPE_TABLE_MATRIX ? 4 : table == PE_ROPE_TABLE_APART ? 1 : 2) * pairs;
}

/* n pairs as matrices of four elements: c, -s, s, c. */
PE__INLINE void pe__rope_matrices(unsigned char *out, const unsigned char *s,
                                  const unsigned char *c, size_t n, size_t element)
{
    for (size_t i = 0; i < n && element == sizeof(float); i++) {
        uint32_t m[4];
        memcpy(&m[2], s + i * element, element);
        memcpy(&m[0], c + i * element, element);
        m[1] = m[2] ^ 0x80000000;
        m[3] = m[0];
        memcpy(out + i * sizeof m, m, sizeof m);
    }
    for (size_t i = 0; i < n && element == sizeof(uint16_t); i++) {
        uint16_t m[4];
        memcpy(&m[2], s + i * element, element);
        memcpy(&m[0], c + i * element, element);
        m[1] = (uint16_t)(m[2] ^ 0x8000);
        m[3] = m[0];
        memcpy(out + i * sizeof m, m, sizeof m);
    }
}

/* Copy n elements, step from one to the next; and, if again is not 0, so many elements behind. */
PE__INLINE void pe__rope_copy(unsigned char *out, const unsigned char *in, size_t n, size_t element,
                              size_t step, size_t again)
{
    size_t i = 0;
    if (step == 1) {
        memcpy(out, in, n * element);
        if (again) memcpy(out + again * element, in, n * element);
        return;
    }
    for (; again && element == sizeof(float) && i + PE_LANES <= n; i += PE_LANES)
        pe__put((float *)(void *)out + 2 * i, pe__get_twice((const float *)(const void *)in + i));
    for (; i < n; i++) {
        memcpy(out + 2 * i * element, in + i * element, element);
        if (again) memcpy(out + (2 * i + 1) * element, in + i * element, element);
    }
}

/* Two arrays, or a plan whose pairs are scattered: in tiles on the stack. */
PE__OUTLINE void pe__rope_tiles(const pe_plan *plan, const pe_at *at, const pe__output *o,
                                unsigned char *sines, pe_rope_table_layout layout)
{
    /* less than a tile: rows of 16-bit elements take more stack themselves */
    enum { PE__BLOCK = PE__ROPE_TILE / 2 };
    float buffer[PE__BLOCK + 16];
    unsigned char *const tile = (unsigned char *)pe__aligned(buffer);
    const size_t pairs = plan->pairs, e = o->element;
    const size_t most = PE__BLOCK / (2 * pe__min(pairs, PE__ROPE_PAIRS));
    const int zipped = layout == PE_ROPE_TABLE_COMPLEX, twice = layout == PE_ROPE_TABLE_TWICE;
    const size_t step = pe__table_step(layout, plan->layout);
    pe__part part[PE_MAX_AXES];
    if (!sines) sines = o->out + (zipped ? 1 : pairs) * e;
    for (size_t r = 0; r < o->rows; r += most) {
        const size_t n = pe__min(most, o->rows - r);
        for (size_t pair = 0; pair < pairs; pair += PE__ROPE_PAIRS) {
            const size_t count = pe__min(PE__ROPE_PAIRS, pairs - pair);
            size_t parts = pe__rope_parts(plan, pair, count, part);
            if (parts == 0) { /* one, of all pairs */
                const pe__part all = {0, count, pairs, step * pair};
                part[parts++] = all;
            }
            const pe__dest dest = pe__dest_split(plan, pair, count, tile, e);
            pe__rope_rows(&dest, at, r, n, o->make);
            for (size_t k = 0; k < n; k++) {
                const unsigned char *const s = tile + 2 * k * count * e, *const c = s + count * e;
                const size_t to = (r + k) * o->stride;
                if (step == 4) pe__rope_matrices(o->out + to + 4 * pair * e, s, c, count, e);
                for (const pe__part *p = part; step < 4 && p < part + parts; p++) {
                    const size_t column = twice ? p->column : step * (pair + p->pair);
                    const size_t again = twice ? (step == 2 ? 1 : p->pairs) : 0;
                    const size_t behind = p->pair * e;
                    pe__rope_copy(o->out + to + column * e, c + behind, p->n, e, step, again);
                    pe__rope_copy(sines + to + column * e, s + behind, p->n, e, step, again);
                }
            }
        }
    }
}

/* table: what is asked for; made: that with the pairs, or NULL. */
static inline pe_status pe__rope_table(const pe_plan *plan, const pe_at *at, const pe__output *o,
                                       const pe_rope_table *table, pe_rope_table *made)
{
    const pe_rope_table_layout layout = table->layout;
    unsigned char *const sines = (unsigned char *)(uintptr_t)table->sines;
    const int two = layout == PE_ROPE_TABLE_APART || layout == PE_ROPE_TABLE_TWICE;
    pe_plan own;
    if (o->rows == 0) return PE_OK;
    if (!plan || !o->out) return PE_ERR_NULL;
    if ((unsigned)layout > PE_ROPE_TABLE_MATRIX) return PE_ERR_ENUM;
    if (two && !sines) return PE_ERR_NULL;
    if (!pe__rope_plan_ok(plan)) return PE_ERR_PLAN;
    if (!two && sines) return PE_ERR_SHAPE;
    pe_status status = pe__check_shape(pe__table_width(layout, plan->pairs), o->rows, o->columns,
                                       o->element);
    const pe_plan *const view = pe__view(plan, at, &own);
    if (status == PE_OK) status = pe__check_at(at, o->rows, view->axes, view->offset);
    if (status != PE_OK) return status;
    if (made) {
        *made = *table;
        made->pairs = plan->pairs;
    }
    /* two arrays are one whose halves are separate, from the one that comes first on */
    const uintptr_t c = (uintptr_t)o->out, s = (uintptr_t)sines, apart = s < c ? c - s : s - c;
    const int copied = layout == PE_ROPE_TABLE_TWICE || layout == PE_ROPE_TABLE_MATRIX;
    if (plan->coordinate || copied || (two && apart % o->element != 0)) {
        pe__rope_tiles(view, at, o, sines, layout);
        return PE_OK;
    }
    pe_plan turned = *view; /* a plan that has the cosines first */
    pe__output rows = *o;
    const int halves = layout != PE_ROPE_TABLE_COMPLEX;
    const size_t other = two ? (size_t)(apart / o->element) : turned.pairs;
    if (two && s < c) rows.out = sines;
    turned.layout = halves ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
    turned.cos_first = 1;
    for (size_t a = 0, pair = 0; a < turned.axes; pair += turned.axis[a++].pairs) {
        turned.axis[a].cosine = halves ? pair + (two && s < c ? other : 0) : 2 * pair;
        turned.axis[a].sine = halves ? pair + (two && s < c ? 0 : other) : 2 * pair + 1;
    }
    pe__emit(&turned, at, &rows);
    return PE_OK;
}
