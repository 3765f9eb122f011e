/* SPDX-License-Identifier: MIT */
/* Tables of sines and cosines for other kernels.
 * Gives: pe__rope_table().
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
    const size_t step = zipped || (twice && plan->layout == PE_LAYOUT_INTERLEAVED) ? 2 : 1;
    const size_t again = twice ? (step == 2 ? 1 : pairs) : 0;
    if (!sines) sines = o->out + (zipped ? 1 : pairs) * e;
    for (size_t r = 0; r < o->rows; r += most) {
        const size_t n = pe__min(most, o->rows - r);
        for (size_t pair = 0; pair < pairs; pair += PE__ROPE_PAIRS) {
            const size_t count = pe__min(PE__ROPE_PAIRS, pairs - pair);
            const pe__dest dest = pe__dest_split(plan, pair, count, tile, e);
            pe__rope_rows(&dest, at, r, n, o->make);
            for (size_t k = 0; k < n; k++) {
                const unsigned char *const s = tile + 2 * k * count * e;
                const size_t to = (r + k) * o->stride + step * pair * e;
                pe__rope_copy(o->out + to, s + count * e, count, e, step, again);
                pe__rope_copy(sines + to, s, count, e, step, again);
            }
        }
    }
}

static inline pe_status pe__rope_table(const pe_plan *plan, const pe_at *at,
                                       pe_rope_table_layout layout, const pe__output *o,
                                       void *sines)
{
    const int two = layout == PE_ROPE_TABLE_APART || layout == PE_ROPE_TABLE_TWICE;
    pe_plan own;
    if (o->rows == 0) return PE_OK;
    if (!plan || !o->out) return PE_ERR_NULL;
    if ((unsigned)layout > PE_ROPE_TABLE_COMPLEX) return PE_ERR_ENUM;
    if (two && !sines) return PE_ERR_NULL;
    if (!pe__rope_plan_ok(plan)) return PE_ERR_PLAN;
    if (!two && sines) return PE_ERR_SHAPE;
    const size_t width = layout == PE_ROPE_TABLE_APART ? plan->pairs : plan->d_model;
    pe_status status = pe__check_shape(width, o->rows, o->columns, o->element);
    const pe_plan *const view = pe__view(plan, at, &own);
    if (status == PE_OK) status = pe__check_at(at, o->rows, view->axes, view->offset);
    if (status != PE_OK) return status;
    /* two arrays are one whose halves are separate, from the one that comes first on */
    const uintptr_t c = (uintptr_t)o->out, s = (uintptr_t)sines, apart = s < c ? c - s : s - c;
    if (plan->woven || layout == PE_ROPE_TABLE_TWICE || (two && apart % o->element != 0)) {
        pe__rope_tiles(view, at, o, (unsigned char *)sines, layout);
        return PE_OK;
    }
    pe_plan table = *view; /* a plan that has the cosines first */
    pe__output rows = *o;
    const int halves = layout != PE_ROPE_TABLE_COMPLEX;
    const size_t other = two ? (size_t)(apart / o->element) : table.pairs;
    if (two && s < c) rows.out = (unsigned char *)sines;
    table.layout = halves ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
    table.cos_first = 1;
    for (size_t a = 0, pair = 0; a < table.axes; pair += table.axis[a++].pairs) {
        table.axis[a].cosine = halves ? pair + (two && s < c ? other : 0) : 2 * pair;
        table.axis[a].sine = halves ? pair + (two && s < c ? 0 : other) : 2 * pair + 1;
    }
    pe__emit(&table, at, &rows);
    return PE_OK;
}
