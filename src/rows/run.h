/* SPDX-License-Identifier: MIT */
/* Runs of consecutive rows: blocks around one centre, in tiles of columns.
 * Gives: pe__add_rows_bf16(), pe__add_rows_f16(), pe__add_rows_f32(), pe__rows_bf16(),
 *   pe__row_f32(), pe__rows_f16(), pe__rows_f32().
 * Needs: simd, api, plan, numbers, sincos.
 * Tests: tests/unit/test_splits.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../numbers/base.h"
#include "../numbers/exp_log.h"
#include "../sincos/close.h"
#include "../plan/shape.h"
#include "../sincos/window.h"
#include "../sincos/direct.h"
#include "dest.h"
#include "pair_f32.h"
#include "pair_16.h"
#include "block.h"
#include "single.h"

/* ---- 6.8 runs of rows -------------------------------------------------------------------------
 * Consecutive rows: 17 blocks of 17 rows have one centre, from which their anchors are rotated. */

/* The anchor of block `digit` from the centre: the centre rotated by the plan's row 17 digit. */
PE__OUTLINE void pe__anchor_rotated(const pe_plan *plan, int64_t digit, size_t pair, size_t count,
                                    pe__anchor centre, pe__anchor to)
{
    const double *row = pe__plan_row(plan, 1, digit < 0 ? -digit : digit) + pair;
    const pe__vd sign = pe__splat(digit < 0 ? -1 : 1);
    for (size_t i = 0; i < count; i += PE_LANES) {
        const pe__rotated r =
            pe__rotate(pe__load(centre.s + i), pe__load(centre.c + i), pe__load(row + i) * sign,
                       pe__load(row + plan->padded + i));
        pe__store(to.s + i, r.a[0]);
        pe__store(to.c + i, r.b[0]);
    }
}

/* What a run builds its rows with: room for the sines and cosines of two anchors of so many pairs,
   a multiple of 32, each with some to spare, for a vector that begins before their last one, and up
   to PE__SINCOS more; and how a block's rows become elements. */
enum { PE__SPARE = 32 };
typedef struct pe__workshop {
    double *doubles; /* 4 (pairs + PE__SPARE), aligned */
    size_t pairs;
    pe__block_maker *block;
    pe__pair_kernel *kernel; /* floats: two rows */
    const pe__adder *adder;  /* NULL: they are stored */
    pe__scratch_16 *scratch; /* 16-bit elements */
} pe__workshop;

/* From which pair on all are slow, as "Rounding test" has it, in rows from position low to high;
   not where none is so slow as to need that. */
PE__INLINE size_t pe__slow_from(const pe__span *x, double low, double high)
{
    const double *const f = x->plan->frequency + x->pair;
    const double farthest = pe__larger(low, high) + (double)(PE__DIGIT * (PE__RADIX + 1));
    const double nearest = low > 0 ? low : high < 0 ? -high : 0;
    const double least = (double)(PE__DIGIT * (PE__RADIX + 2)) / (PE__SLOW_REACH - 1);
    const int whole = low == floor(low), distant = x->bound == &pe__bound_distant;
    size_t i = x->end - x->dest->spare;
    if (x->plan->point || distant || (nearest < least && !whole)) return SIZE_MAX;
    if (fabs(f[i - 1]) * pe__larger(nearest, 1) >= pe__exp2i(-14)) return SIZE_MAX;
    while (i > 0 && fabs(f[i - 1]) * farthest <= 0.25) i--;
    return i;
}

/* Where in a room with 2048 bytes to spare an anchor lies two lines ahead of the row that comes
   from it, in the last bits of their addresses. A load waits for every store before it that is
   equal in the last 12 and has not left the core, and those past the caches take long to leave:
   with the anchor some 64 to 450 bytes behind the row, tables in memory took up to half as long
   again. */
PE__INLINE double *pe__beside(double *room, const unsigned char *out)
{
    return room + ((uintptr_t)out + 128 - (uintptr_t)room) % 2048 / 64 * 8;
}

/* Blocks of one centre: the first one's number, and the row of the run that is their centre. */
typedef struct pe__blocks {
    int64_t first, count, centre;
} pe__blocks;

/* A tile of columns of up to 17 blocks, of a run from position t whose last row is given. */
PE__OUTLINE void pe__run_tile(const pe__dest *dest, double t, int64_t last,
                              const pe__blocks *blocks, const pe__workshop *work)
{
    const pe_plan *const plan = dest->plan;
    const size_t next = work->pairs + PE__SPARE, pair = dest->pair;
    double *const room = work->doubles;
    pe__anchor centre = {room, room + next}, other = {room + 2 * next, room + 3 * next};
    const int64_t low = PE__RADIX * blocks->first, high = low + PE__RADIX * blocks->count - 1;
    const int64_t middle = blocks->first + blocks->count / 2, end = high < last ? high : last;
    const int distant = pe__distant(plan, pe__larger(t, t + (double)(last + 1 + PE__RADIX)));
    const pe__bound *const bound = distant     ? &pe__bound_distant
                                   : last == 0 ? &pe__bound_single
                                               : &pe__bound_run;
    const size_t count = pe__pairs_of(dest) + (dest->head ? PE_LANES - 1 : 0);
    pe__block block = {centre, 0, last, t, work->kernel, work->scratch};
    pe__span x;
    pe__span_begin(&x, dest, bound, work->adder);
    if (!work->scratch) x.slow = pe__slow_from(&x, t + (double)low, t + (double)end);
    x.least = pe__guard(plan->amplitude, 0);
    if (dest->verb == PE__STREAM && work->pairs >= 2 * (size_t)PE__TILE_STREAMED) { /* has room */
        const unsigned char *const out = dest->out + pe__first_column(dest) * dest->element;
        centre.s = pe__beside(centre.s, out);
        centre.c = pe__beside(centre.c, out);
        other.s = pe__beside(other.s, out);
        other.c = pe__beside(other.c, out);
    }
    const double at = t + (double)blocks->centre;
    if (pe__distant(plan, at)) pe__centre_distant(plan, dest->exact, at, pair, count, centre);
    else pe__centre(plan, bound, blocks->count > 2, at, pair, count, centre);
    for (int64_t j = blocks->first; j < blocks->first + blocks->count; j++) {
        block.row = j == middle ? centre : other;
        if (j != middle) pe__anchor_rotated(plan, j - middle, pair, count, centre, other);
        block.anchor = blocks->centre + PE__RADIX * (j - middle);
        work->block(&x, &block);
    }
}

/* Rows for the positions t, t + 1, ..., each of them a double: some of a plan with rows, or one
   that pe__single_row() does not store. */
PE__OUTLINE void pe__run(const pe__dest *dest, double t, size_t rows, const pe__workshop *work)
{
    const int streams = dest->verb == PE__STREAM && work->pairs > (size_t)PE__TILE_STREAMED;
    const size_t columns = streams ? (size_t)PE__TILE_STREAMED : work->pairs;
    const int64_t all = (int64_t)((rows - 1) / PE__RADIX + 1), last = (int64_t)rows - 1;
    for (int64_t made = 0; made < all; made += PE__RADIX) {
        const int64_t rest = all - made;
        pe__blocks blocks = {made, rest < PE__RADIX ? rest : (int64_t)PE__RADIX, last / 2};
        /* of a single block, its own middle */
        if (all > 1) blocks.centre = PE__RADIX * (made + blocks.count / 2) + PE__DIGIT;
        for (size_t done = 0; done < pe__pairs_of(dest); done += columns) {
            const pe__dest part = pe__dest_part(dest, done, columns);
            pe__run_tile(&part, t, last, &blocks, work);
        }
    }
}

/* Rows of floats, or of what floats are added to, by blocks. */
PE__OUTLINE void pe__run_f32(const pe__dest *dest, double t, size_t rows, pe__pair_kernel *kernel,
                             const pe__adder *adder)
{
    double space[4 * ((int)PE__TILE + (int)PE__SPARE) + 8];
    const pe__workshop work = {pe__aligned(space), PE__TILE, pe__block_f32, kernel, adder, NULL};
    pe__run(dest, t, rows, &work);
}

PE__INLINE void pe__one_row(const pe__dest *dest, double t, const pe__adder *adder)
{
    if (t == 0 || pe__distant(dest->plan, t)) pe__far_row(dest, t, adder);
    else pe__single_f32(dest, t, adder);
}

/* Rows for the positions t, t + 1 ... */
PE__INLINE void pe__rows_of_floats(const pe__dest *dest, double t, size_t rows,
                                   pe__pair_kernel *kernel, const pe__adder *adder)
{
    if (rows == 1) {
        pe__one_row(dest, t, adder);
    } else if (dest->plan->table) {
        pe__run_f32(dest, t, rows, kernel, adder);
    } else { /* only here a copy: its wide loads wait for what was just written */
        pe__dest one = *dest;
        for (size_t r = 0; r < rows; r++) {
            one.out = pe__row_at(dest, r);
            pe__one_row(&one, t + (double)r, adder);
        }
    }
}
PE__OUTLINE void pe__row_f32(const pe__dest *dest, double t, size_t rows)
{
    (void)rows; /* one: a program that wants no more has no code for blocks */
    pe__one_row(dest, t, NULL);
}
PE__OUTLINE void pe__rows_f32(const pe__dest *dest, double t, size_t rows)
{
    pe__rows_of_floats(dest, t, rows, pe__store_pair, NULL);
}
PE__OUTLINE void pe__add_rows_f32(const pe__dest *dest, double t, size_t rows)
{
    pe__rows_of_floats(dest, t, rows, pe__add_pair_f32, &pe__adder_f32);
}
PE__OUTLINE void pe__add_rows_f16(const pe__dest *dest, double t, size_t rows)
{
    pe__rows_of_floats(dest, t, rows, pe__add_pair_f16, &pe__adder_f16);
}

/* 16-bit rows come in tiles of their own, with the plan's rows as floats. */
PE__INLINE void pe__rows_16(pe__kind kind, const pe__dest *dest, double t, size_t rows,
                            pe__block_maker *block, int added)
{
    double space[4 * ((int)PE__TILE_16 + (int)PE__SPARE) + 8];
    double more[(sizeof(pe__scratch_16) + 64) / sizeof(double)];
    pe__scratch_16 *const scratch = (pe__scratch_16 *)(void *)pe__aligned(more);
    const pe__workshop work = {pe__aligned(space), PE__TILE_16, block, NULL,
                               added ? &pe__adder_bf16 : NULL, scratch};
    const size_t most = dest->verb == PE__STREAM ? (size_t)PE__RADIX * PE__RADIX : rows;
    const size_t pairs = pe__pairs_of(dest);
    for (size_t r = 0, n; r < rows; r += n) {
        n = dest->plan->table ? pe__min(rows - r, most) : 1;
        const double first = t + (double)r;
        const int single = n == 1 && first != 0 && !pe__distant(dest->plan, first);
        pe__dest some = *dest;
        some.out = pe__row_at(dest, r);
        size_t done = 0;
        if (single && !added) {
            done = pe__single_row(&some, first, NULL, kind);
        } else if (single) {
            pe__single_f32(&some, first, work.adder);
            done = pairs;
        }
        for (; done < pairs; done += PE__TILE_16) {
            const pe__dest part = pe__dest_part(&some, done, PE__TILE_16);
            pe__scratch_begin(scratch, &part, kind, added);
            pe__run(&part, first, n, &work);
        }
    }
}
#define PE__ROWS_16(name, kind, added)                                                             \
    PE__OUTLINE void pe__block_of_##name(pe__span *x, const pe__block *block)                      \
    {                                                                                              \
        pe__block_16(x, block, kind, added);                                                       \
    }                                                                                              \
    PE__OUTLINE void pe__##name(const pe__dest *dest, double t, size_t rows)                       \
    {                                                                                              \
        pe__rows_16(kind, dest, t, rows, pe__block_of_##name, added);                              \
    }
PE__ROWS_16(rows_f16, PE__F16, 0)
PE__ROWS_16(rows_bf16, PE__BF16, 0)
PE__ROWS_16(add_rows_bf16, PE__BF16, 1)
#undef PE__ROWS_16
