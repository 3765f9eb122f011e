/* SPDX-License-Identifier: MIT */
/* The rows around one anchor, from the nearest to the farthest.
 * Gives: pe__block, pe__block_16(), pe__block_f32(), pe__block_maker.
 * Needs: simd, numbers, sincos.
 * Tests: tests/unit/test_splits.c. */
#pragma once
#include "../pe_simd.h"
#include "../numbers/base.h"
#include "../sincos/close.h"
#include "../sincos/exact.h"
#include "../sincos/direct.h"
#include "elements.h"
#include "dest.h"
#include "pair_f32.h"
#include "pair_16.h"

/* ---- 6.6 blocks ---------------------------------------------------------------------------------
 * The rows around one anchor, from the nearest to the farthest. */

typedef struct pe__block {
    pe__anchor row;          /* the anchor's sines and cosines                         */
    int64_t anchor, last;    /* its row of the run, or behind that; the run's last row */
    double t;                /* the position of row 0                                  */
    pe__pair_kernel *kernel; /* floats */
    pe__scratch_16 *scratch; /* 16-bit elements */
} pe__block;
typedef void pe__block_maker(pe__span *x, const pe__block *block);

/* Where a block's rows go: the anchor's, or where it would be, at a number of bytes from out. */
typedef struct pe__block_rows {
    unsigned char *out;
    ptrdiff_t anchor, stride;
} pe__block_rows;

/* Distances from the anchor: of the nearest row and the farthest, and up to which there are two. */
typedef struct pe__distances {
    int64_t nearest, farthest, both;
} pe__distances;
PE__INLINE pe__distances pe__distances_of(const pe__block *block)
{
    const int64_t above = block->last - block->anchor, below = block->anchor;
    const int64_t longer = above > below ? above : below, shorter = above < below ? above : below;
    pe__distances d;
    d.nearest = above < 0 ? -above : 0;
    d.farthest = longer < PE__DIGIT ? longer : (int64_t)PE__DIGIT;
    d.both = shorter < PE__DIGIT ? shorter : (int64_t)PE__DIGIT;
    return d;
}

/* The rows at distance b from the anchor, of which there are one or two, and the plan's row that
   rotates it. That at position 0 is stored. */
PE__INLINE void pe__rows_at(pe__span *x, const pe__block *block, const pe__block_rows *rows,
                            int64_t b, pe__kind kind)
{
    x->ts = x->tc = NULL;
    if (b != 0) {
        x->ts = pe__plan_row(x->plan, 0, b) + x->pair;
        x->tc = x->ts + x->plan->padded;
    }
    for (int behind = 0; behind < 2; behind++) {
        const int64_t p = behind ? block->anchor - b : block->anchor + b;
        const int side = behind != x->swapped;
        x->at.row[side] = NULL;
        if (p < 0 || p > block->last || (behind && b == 0)) continue;
        x->at.position[side] = (double)p + block->t;
        x->at.row[side] =
            rows->out + rows->anchor + (behind ? -rows->stride : rows->stride) * b;
        if (x->at.position[side] != 0) continue;
        pe__origin(x, side, kind);
        x->at.row[side] = NULL;
    }
}

/* The distances b, as bits, whose two rows are stored one after the other because they are streamed
   and equal in the last 12 bits of their addresses: what is loaded from up to 512 bytes behind
   both, in these bits, waits for stores that have not left the core. With the plan's rows b there,
   tables in memory took up to twice as long; behind one row nothing waits. Of halves, half as fast
   as what is loaded, one of the four is always there or soon: with AVX2, all such rows are stored
   one by one, unless a row's own halves are equal. */
PE__WRAPS
PE__INLINE uint32_t pe__waiting(const pe__span *x, const pe__block_rows *rows, int64_t most)
{
    const uintptr_t middle = (uintptr_t)rows->out + (uintptr_t)rows->anchor;
    const size_t window = 512, bits = 4096, step = (size_t)rows->stride;
    uint32_t waiting = 0;
    for (int64_t b = 1; PE_LOADS_WAIT && x->verb == PE__STREAM && b <= most; b++) {
        const uintptr_t s = (uintptr_t)(pe__plan_row(x->plan, 0, b) + x->pair);
        const uintptr_t c = s + x->plan->padded * sizeof(double);
        const uintptr_t above = middle + (size_t)b * step, below = 2 * middle - above;
        const int sines = (above - s) % bits < window && (below - s) % bits < window;
        const int cosines = (above - c) % bits < window && (below - c) % bits < window;
        const int equal = (size_t)x->across % bits != 0 && (above - below) % bits == 0;
        const int waits = x->split ? equal : sines || cosines;
        waiting |= (uint32_t)waits << b;
    }
    return waiting;
}

PE__INLINE void pe__block_begin(pe__span *x, const pe__block *block, pe__block_rows *rows)
{
    x->a = x->swapped ? block->row.c : block->row.s;
    x->b = x->swapped ? block->row.s : block->row.c;
    rows->out = x->dest->out + pe__first_column(x->dest) * x->dest->element;
    rows->stride = x->dest->stride;
    rows->anchor = (ptrdiff_t)block->anchor * rows->stride;
}

/* What is asked for ahead comes into the first-level cache: soon enough before it is wanted, and
   not so early that what is worked on goes, be that cache of 32 KB. Rows of a block alternate: from
   those at distance b of the anchor, those at distance b + soon are asked for, or in the next
   block b + soon - 8, and from the anchor the next one, so that each is asked for once. Two rows
   of 256 pairs, the anchor and the plan's row are 12 KB, and two such pairs of rows ahead are best:
   one or four took up to a tenth longer on a Zen 5. A whole block ahead took up to a third longer
   there, where 48 KB hold it; a Zen 4, whose 32 KB do not, took 1.7 times as long as by the
   second-level cache; and a Zen 5 often leaves undone what that is asked for. Returns how many of n
   such pairs of rows ask alike: those left that ask for rows of this block, or for the next. */
PE__WRAPS
PE__INLINE int64_t pe__ask_ahead(pe__span *x, int64_t b, int64_t n)
{
    const int64_t soon = (int64_t)pe__min(512 / x->end, PE__DIGIT), left = PE__DIGIT + 1 - soon - b;
    const int64_t by = b == 0 ? 0 : left > 0 ? soon : soon - PE__DIGIT;
    const size_t away = (size_t)((x->swapped ? -by : by) * x->dest->stride);
    x->ahead[0] = (by > 0 && left > 0 ? 0 : x->dest->ahead) + away;
    x->ahead[1] = x->ahead[0] - 2 * away;
    return left > 0 && left < n ? left : n;
}

/* Rows of floats: all at once of which there are two, if position 0 is not among them. */
PE__OUTLINE void pe__block_f32(pe__span *x, const pe__block *block)
{
    const pe__distances d = pe__distances_of(block);
    const double zero = pe__larger((double)block->anchor + block->t, 0);
    pe__block_rows rows;
    pe__block_begin(x, block, &rows);
    const uint32_t waiting = pe__waiting(x, &rows, d.both);
    for (int64_t b = d.nearest, n; b <= d.farthest; b += n) {
        const int away = zero < (double)b || zero > (double)d.both;
        const uint32_t rest = waiting >> b;
        const int together = !(rest & 1);
        n = away && b != 0 && b < d.both ? d.both - b + 1 : 1;
        if (rest) n = together ? (int64_t)pe__min((size_t)n, pe__lowest_bit(rest)) : 1;
        if (x->verb == PE__ADD || x->verb == PE__FETCH) n = pe__ask_ahead(x, b, n);
        pe__rows_at(x, block, &rows, b, PE__F32);
        unsigned char *const second = x->at.row[1];
        if (together && x->at.row[0] && second) {
            block->kernel(x, n);
            continue;
        }
        x->at.row[1] = NULL;
        if (x->at.row[0]) pe__single_of_pair(x);
        x->at.row[0] = NULL;
        x->at.row[1] = second;
        if (second) pe__single_of_pair(x);
    }
}

/* A block's rows of 16-bit elements that do not go to memory at once: first what they are added to
   comes into the buffer, with zeros for the lanes behind, last they go out. */
enum { PE__HALF = 2 * ((int)PE__TILE_16 + (int)PE__GROUP), PE__ROW = 2 * PE__HALF };
PE__OUTLINE void pe__buffer_16(const pe__span *x, const pe__block *block, unsigned char *buffer,
                               int in)
{
    const pe__dest *const dest = x->dest;
    const size_t e = dest->element, column = pe__first_column(dest);
    const size_t front = dest->sines + (x->split ? 0 : dest->cosines);
    const ptrdiff_t across = ((ptrdiff_t)dest->cosine - (ptrdiff_t)dest->sine) * (ptrdiff_t)e;
    for (int64_t b = -PE__DIGIT; b <= PE__DIGIT; b++, buffer += PE__ROW) {
        const int64_t p = block->anchor + b;
        if (p < 0 || p > block->last) continue;
        unsigned char *const out = pe__row_at(dest, (size_t)p) + column * e;
        for (int half = 0; half <= x->split; half++) {
            const size_t n = (half ? dest->cosines : front) * e;
            unsigned char *const at = out + (half ? across : 0);
            unsigned char *const row = buffer + (half ? (int)PE__HALF : 0);
            if (in) {
                memset(row + n, 0, (x->split ? 1U : 2U) * PE__GROUP * e);
                pe__copy(row, at, n, 0);
            } else {
                pe__copy(at, row, n, dest->verb == PE__STREAM);
            }
        }
    }
}

/* Rows of 16-bit elements: those whose groups are whole go to memory at once. */
PE__INLINE void pe__block_16(pe__span *x, const pe__block *block, pe__kind kind, int added)
{
    double space[(size_t)PE__RADIX * PE__ROW / sizeof(double) + 8];
    unsigned char *const buffer = (unsigned char *)pe__aligned(space);
    pe__scratch_16 *const f = block->scratch;
    const pe__distances d = pe__distances_of(block);
    const pe__dest *const dest = x->dest;
    const int direct = dest->verb != PE__STREAM && dest->sines == dest->cosines &&
                       dest->sines % PE__GROUP == 0;
    pe__block_rows rows;
    pe__block_begin(x, block, &rows);
    if (!direct) {
        rows.out = buffer;
        rows.stride = PE__ROW;
        rows.anchor = (ptrdiff_t)PE__DIGIT * (ptrdiff_t)PE__ROW;
        x->across = PE__HALF;
    }
    pe__to_groups(x->a, x->end, x->split, f->a);
    pe__to_groups(x->b, x->end, x->split, f->b);
    pe__thresholds_16(f, f->a, x->end, f->near_a);
    pe__thresholds_16(f, f->b, x->end, f->near_b);
    if (!direct && added) pe__buffer_16(x, block, buffer, 1);
    for (int64_t b = d.nearest; b <= d.farthest; b++) {
        pe__rows_at(x, block, &rows, b, added ? PE__F32 : kind);
        if (!x->at.row[0] && !x->at.row[1]) continue;
        if (added) {
            pe__add_pair_16(x, f, (size_t)b);
        } else {
            pe__pair_16(x, f, (size_t)b, kind, 0);
            pe__settle_alarms_16(x, f, PE__ALARMS, kind);
        }
    }
    if (!added) pe__settle_alarms_16(x, f, 0, kind);
    if (!direct) pe__buffer_16(x, block, buffer, 0);
}
