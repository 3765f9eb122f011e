/* SPDX-License-Identifier: MIT */
/* Writes rows of consecutive positions in groups of blocks and tiles of columns. The anchors of a
 * group of blocks are rotated from its centre. Tested by tests/unit/rows/test_splits.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../numbers/exp_log.h"
#include "../sincos/double_double.h"
#include "../sincos/exact.h"
#include "../plan/shape.h"
#include "../plan/make.h"
#include "../sincos/bounds.h"
#include "../sincos/double.h"
#include "../layouts/elements.h"
#include "../layouts/output.h"
#include "row_pair_f32.h"
#include "row_pair_16.h"
#include "single.h"
#include "anchors.h"
#include "block.h"
#include "../plan/rotation.h"

/* ---- 6.8 rows of consecutive positions ------------------------------------------------------- */

/* PE__TILE is the maximum number of pairs of a tile of floats. The longer a tile's part of a row,
   the faster it is. PE__TILE_STREAMED is the maximum with non-temporal stores. There, the anchors
   of the tile and the plan's rotation rows must stay in the first-level cache, because a miss waits
   for the buffers that non-temporal stores fill. In optimised code PE__TILE_STREAMED is half of
   PE__TILE. So with non-temporal stores half of each array of anchors (`doubles` of pe__block) is
   free, and pe__unaliased() can move the anchors within their arrays. In unoptimised code the two
   are equal, and the anchors are not moved. */
enum { PE__TILE = PE__OPTIMIZED ? 512 : 128 };
enum { PE__TILE_STREAMED = PE__OPTIMIZED ? 256 : 128 };

/* Return the state before the first group of blocks of a run of `rows` rows, the first of which is
   at position t. The arguments doubles, pairs and scratch are these fields of pe__block. */
PE__INLINE pe__block pe__block_of(double t, size_t rows, double *doubles, size_t pairs,
                                  pe__scratch_16 *scratch)
{
    const pe__block block = {t, (int64_t)rows - 1, doubles, pairs, scratch, 0, 0, 0, 0, NULL, 0, 0,
                             0};
    return block;
}

/* Go to the next group of blocks of the run, and return 1; return 0 after the last one. The centre
   is the anchor of the middle block. If the run has only one block, this is the middle row of the
   run. */
PE__INLINE int pe__next_group(pe__block *block)
{
    const int64_t all = block->last / PE__BLOCK_ROWS + 1;
    block->first += block->count;
    const int64_t rest = all - block->first;
    block->count = rest < PE__BLOCK_ROWS ? rest : (int64_t)PE__BLOCK_ROWS;
    block->centre = PE__BLOCK_ROWS * (block->first + block->count / 2) + PE__BLOCK_HALF;
    if (all == 1) block->centre = block->last / 2;
    return rest > 0;
}

/* Return the index of the first of the slow pairs: this pair and all after it are slow in the rows
   at positions low to high. A pair is slow if its angles, in these rows and in the anchors and
   rotation rows on the way to them, are at most 1/4 half-turn. Then the errors of its sines are
   relative, and small sines need not be flagged: see step 10 of "Rounding test" in sincos/bounds.h.
   If even the last pair is not slow, the index is that of the end of the pairs.

   Returns SIZE_MAX if that proof does not apply. It applies neither to sums of coordinates
   (plan->point) nor to far positions. Nor does it apply if a row may be nearer to position 0 than
   `minimum` without being at 0. Returns SIZE_MAX also if slow pairs would gain little, because even
   the last pair's angle is at least 2^-14 half-turns in the row nearest to position 0. A row nearer
   than position 1 counts as one at position 1. The plan's guard then flags few elements. With base
   500000, heads at positions below 16 take 30 % longer without this, and tables of 2048 rows 4 %
   longer. */
PE__INLINE size_t pe__slow_from(const pe__span *x, double low, double high)
{
    const double *const f = x->output->plan->frequency + x->pair;
    const double farthest =
        pe__max_abs(low, high) + (double)(PE__BLOCK_HALF * (PE__BLOCK_ROWS + 1));
    const double nearest = low > 0 ? low : high < 0 ? -high : 0;
    const double minimum = (double)(PE__BLOCK_HALF * (PE__BLOCK_ROWS + 2)) / (PE__SLOW_RATIO - 1);
    const int is_integer = low == floor(low), is_far = x->bound == &pe__bound_far;
    size_t i = x->end - x->output->padding_pairs;
    if (x->output->plan->point || is_far || (nearest < minimum && !is_integer)) return SIZE_MAX;
    if (fabs(f[i - 1]) * pe__max_abs(nearest, 1) >= pe__exp2i(-14)) return SIZE_MAX;
    while (i > 0 && fabs(f[i - 1]) * farthest <= 0.25) i--;
    return i;
}

/* Write the rows of a group of blocks in the columns of one tile, which is all of `output`. */
PE__OUTLINE void pe__write_tile(const pe__output *output, pe__block *block)
{
    const pe_plan *const plan = output->plan;
    const size_t next = block->pairs + PE__ANCHOR_PADDING, pair = output->pair;
    double *const room = block->doubles;
    double *centre[2] = {room, room + next}, *other[2] = {room + 2 * next, room + 3 * next};
    const int64_t middle = block->first + block->count / 2, last = block->last;
    const int64_t low = PE__BLOCK_ROWS * block->first;
    const int64_t high = low + PE__BLOCK_ROWS * block->count - 1, end = high < last ? high : last;
    const double t = block->t, centre_position = t + (double)block->centre;
    const int is_far = pe__is_far(plan, pe__max_abs(t, t + (double)(last + 1 + PE__BLOCK_ROWS)));
    const pe__bound *const bound = is_far      ? &pe__bound_far
                                   : last == 0 ? &pe__bound_full_poly
                                               : &pe__bound_run;
    /* After peeled pairs, vectors need not begin at a multiple of PE_LANES. So the last one may
       extend up to PE_LANES - 1 pairs past the tile. */
    const size_t count =
        pe__max(output->sines, output->cosines) + (output->peeled ? PE_LANES - 1 : 0);
    pe__span x;
    pe__span_begin(&x, output, bound, output->kernel->adder);
    if (!block->scratch) x.slow = pe__slow_from(&x, t + (double)low, t + (double)end);
    x.slow_guard = pe__guard(plan->amplitude, 0);
    /* A tile with non-temporal stores takes at most half of each array of the anchors. The other
       half, 2048 bytes or more, is free for pe__unaliased(). */
    if (output->mode == PE__STREAM && block->pairs >= 2 * (size_t)PE__TILE_STREAMED) {
        const unsigned char *const out = output->out + pe__first_column(output) * output->element;
        for (int k = 0; k < 2; k++) {
            centre[k] = pe__unaliased(centre[k], out);
            other[k] = pe__unaliased(other[k], out);
        }
    }
    if (pe__is_far(plan, centre_position))
        pe__compute_centre_far(plan, output->round_element, centre_position, pair, count, centre);
    else pe__compute_centre(plan, bound, block->count > 2, centre_position, pair, count, centre);
    for (int64_t j = block->first; j < block->first + block->count; j++) {
        block->row = j == middle ? centre : other;
        if (j != middle) pe__rotate_anchor(plan, j - middle, pair, count, centre, other);
        block->anchor = block->centre + PE__BLOCK_ROWS * (j - middle);
        output->kernel->block(&x, block);
    }
}

/* The kernels of a single row have the argument `rows`, which is 1, because the kernels of several
   rows have it. A program that calls only kernels of a single row contains no code for blocks. */
#define PE__ROW(name, adder)                                                                       \
    PE__OUTLINE void name(const pe__output *output, double t, size_t rows)                         \
    {                                                                                              \
        (void)rows;                                                                                \
        if (t == 0 || pe__is_far(output->plan, t)) pe__write_far_row(output, t, adder);            \
        else (void)pe__single_f32(output, t, adder);                                               \
    }
PE__ROW(pe__row_f32, NULL)
PE__ROW(pe__add_row_of_floats, output->kernel->adder) /* adds to f32 or f16 elements */
#undef PE__ROW

/* Write the rows of the positions t, t + 1 ... in floats, or add them, as floats, to rows of the
   adder's type: f32 or f16. */
PE__OUTLINE void pe__rows_f32(const pe__output *output, double t, size_t rows)
{
    double space[4 * ((int)PE__TILE + (int)PE__ANCHOR_PADDING) + 8];
    const size_t pairs = pe__max(output->sines, output->cosines);
    const size_t limit = output->mode == PE__STREAM ? (size_t)PE__TILE_STREAMED : (size_t)PE__TILE;
    pe__block block = pe__block_of(t, rows, pe__aligned(space), PE__TILE, NULL);
    while (pe__next_group(&block))
        for (size_t done = 0; done < pairs; done += limit) {
            const pe__output part = pe__output_part(output, done, limit);
            pe__write_tile(&part, &block);
        }
}

/* Write the rows of the positions t, t + 1 ... in 16-bit elements or, if added is 1, add them to
   16-bit elements. A single row is written by pe__single_row() or, if added, by pe__single_f32(),
   unless it is at position 0 or at a far position. All other rows, and the pairs that
   pe__single_row() leaves, are written in tiles of PE__TILE_16 pairs, with the anchor and the
   rotation rows as floats. With non-temporal stores, 17 blocks of rows are finished, tile by tile,
   before the next rows begin. Otherwise the whole output would pass through memory once for each
   tile. */
PE__INLINE void pe__write_rows_16(pe_type type, const pe__output *output, double t, size_t rows,
                                  int added)
{
    double space[4 * ((int)PE__TILE_16 + (int)PE__ANCHOR_PADDING) + 8];
    double more[(sizeof(pe__scratch_16) + 64) / sizeof(double)];
    pe__scratch_16 *const scratch = (pe__scratch_16 *)(void *)pe__aligned(more);
    const size_t limit =
        output->mode == PE__STREAM ? (size_t)PE__BLOCK_ROWS * PE__BLOCK_ROWS : rows;
    const size_t pairs = pe__max(output->sines, output->cosines);
    for (size_t r = 0, n; r < rows; r += n) {
        n = pe__min(rows - r, limit);
        const double first = t + (double)r;
        const int single = n == 1 && first != 0 && !pe__is_far(output->plan, first);
        pe__output batch = *output;
        batch.out = pe__row_address(output, r);
        const size_t written = !single ? 0
                               : added ? pe__single_f32(&batch, first, batch.kernel->adder)
                                       : pe__single_row(&batch, first, NULL, type);
        for (size_t done = written; done < pairs; done += PE__TILE_16) {
            const pe__output part = pe__output_part(&batch, done, PE__TILE_16);
            pe__block block = pe__block_of(first, n, pe__aligned(space), PE__TILE_16, scratch);
            pe__scratch_begin(scratch, &part, type, added);
            while (pe__next_group(&block)) pe__write_tile(&part, &block);
        }
    }
}
/* Define two functions of a row kernel of 16-bit elements: its `block` and its `rows`. */
#define PE__ROWS_16(name, type, added)                                                             \
    PE__OUTLINE void pe__write_block_of_##name(pe__span *x, pe__block *block)                      \
    {                                                                                              \
        pe__write_block_16(x, block, type, added);                                                 \
    }                                                                                              \
    PE__OUTLINE void pe__##name(const pe__output *output, double t, size_t rows)                   \
    {                                                                                              \
        pe__write_rows_16(type, output, t, rows, added);                                           \
    }
PE__ROWS_16(rows_f16, PE_TYPE_F16, 0)
PE__ROWS_16(rows_bf16, PE_TYPE_BF16, 0)
PE__ROWS_16(add_rows_bf16, PE_TYPE_BF16, 1)
#undef PE__ROWS_16
