/* SPDX-License-Identifier: MIT */
/* Runs: rows of consecutive positions. Up to 17 blocks are written around one centre, in tiles of
 * columns. Tested by tests/unit/test_splits.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../numbers/base.h"
#include "../numbers/exp_log.h"
#include "../sincos/double_double.h"
#include "../plan/shape.h"
#include "../plan/make.h"
#include "../sincos/rounding_test.h"
#include "../sincos/double.h"
#include "output.h"
#include "row_pair_f32.h"
#include "row_pair_16.h"
#include "block.h"
#include "single.h"

/* ---- 6.8 runs of rows -------------------------------------------------------------------------
 * Up to 17 blocks of 17 rows share one centre, the anchor of the block in the middle. The other
 * anchors are rotated from the centre. */

/* Compute the anchor that lies `distance` blocks from the centre: rotate the centre by the plan's
   rotation row 17 |distance|, backwards if distance is below 0. Writes count pairs, from the plan's
   pair `pair` on, to `to`. */
PE__OUTLINE void pe__rotate_anchor(const pe_plan *plan, int64_t distance, size_t pair, size_t count,
                                   pe__anchor centre, pe__anchor to)
{
    const double *row = pe__rotation_row(plan, 1, distance < 0 ? -distance : distance) + pair;
    const pe__vd sign = pe__splat(distance < 0 ? -1 : 1);
    for (size_t i = 0; i < count; i += PE_LANES) {
        const pe__rotated r =
            pe__rotate(pe__load(centre.s + i), pe__load(centre.c + i), pe__load(row + i) * sign,
                       pe__load(row + plan->padded + i));
        pe__store(to.s + i, r.a[0]);
        pe__store(to.c + i, r.b[0]);
    }
}

/* The workspace of a run: memory for the sines and cosines of two anchors, and the code that writes
   a block. Each array has padding after its last pair: the last vector may reach into the padding,
   and pe__compute_centre() writes up to PE__SINCOS_PAIRS - 1 doubles there. */
enum { PE__WORKSPACE_PADDING = 32 };
typedef struct pe__workspace {
    double *doubles; /* 4 arrays of pairs + PE__WORKSPACE_PADDING, aligned to a cache line */
    size_t pairs;    /* the pairs of a tile: a multiple of 32 */
    pe__block_kernel *block;
    pe__row_pair_kernel *kernel; /* floats; NULL for 16-bit elements */
    const pe__adder *adder;      /* NULL: rows are stored */
    pe__scratch_16 *scratch;     /* 16-bit elements; NULL for floats */
} pe__workspace;

/* Return where to put an array of an anchor in `room`, which has 2048 bytes to spare. out: the
   address of the run's first row. Modulo 2048, the array then begins two cache lines after out,
   rounded down to a cache line. This avoids 4K aliasing: a load stalls on an earlier store that has
   the same last 12 bits in its address and has not left the core, and non-temporal stores take long
   to leave. With the anchor some 64 to 450 bytes before the row, outputs larger than the caches
   took up to half as long again. */
PE__INLINE double *pe__unaliased(double *room, const unsigned char *out)
{
    return room + ((uintptr_t)out + 128 - (uintptr_t)room) % 2048 / 64 * 8;
}

/* Up to 17 blocks that share a centre. */
typedef struct pe__blocks {
    int64_t first, count, centre; /* number of the first block in the run; number of blocks; row of
                                     the run that is the centre */
} pe__blocks;

/* Write a tile of columns of the given blocks of a run. Row 0 of the run is at position t, and row
   `last` is its last row. */
PE__OUTLINE void pe__write_tile(const pe__output *output, double t, int64_t last,
                                const pe__blocks *blocks, const pe__workspace *work)
{
    const pe_plan *const plan = output->plan;
    const size_t next = work->pairs + PE__WORKSPACE_PADDING, pair = output->pair;
    double *const room = work->doubles;
    pe__anchor centre = {room, room + next}, other = {room + 2 * next, room + 3 * next};
    const int64_t middle = blocks->first + blocks->count / 2;
    const int is_far = pe__is_far(plan, pe__max_abs(t, t + (double)(last + 1 + PE__BLOCK_ROWS)));
    const pe__bound *const bound = is_far     ? &pe__bound_far
                                   : last == 0 ? &pe__bound_full_poly
                                               : &pe__bound_run;
    /* After peeled pairs, vectors need not begin at a multiple of PE_LANES, so the last one may
       reach up to PE_LANES - 1 pairs past the tile. */
    const size_t count = pe__pairs_of(output) + (output->peeled ? PE_LANES - 1 : 0);
    pe__block block = {centre, 0, last, t, work->kernel, work->scratch};
    pe__span x;
    pe__span_begin(&x, output, bound, work->adder);
    /* A tile with non-temporal stores takes half of each array of the workspace, at most. The other
       half, 2048 bytes or more, is free for pe__unaliased(). */
    if (output->mode == PE__STREAM && work->pairs >= 2 * (size_t)PE__TILE_STREAMED) {
        const unsigned char *const out = output->out + pe__first_column(output) * output->element;
        centre.s = pe__unaliased(centre.s, out);
        centre.c = pe__unaliased(centre.c, out);
        other.s = pe__unaliased(other.s, out);
        other.c = pe__unaliased(other.c, out);
    }
    const double at = t + (double)blocks->centre;
    if (pe__is_far(plan, at))
        pe__compute_centre_far(plan, output->round_element, at, pair, count, centre);
    else pe__compute_centre(plan, bound, blocks->count > 2, at, pair, count, centre);
    for (int64_t j = blocks->first; j < blocks->first + blocks->count; j++) {
        block.row = j == middle ? centre : other;
        if (j != middle) pe__rotate_anchor(plan, j - middle, pair, count, centre, other);
        block.anchor = blocks->centre + PE__BLOCK_ROWS * (j - middle);
        work->block(&x, &block);
    }
}

/* Write `rows` rows, of the positions t, t + 1 ..., by blocks; doubles hold these positions
   exactly. Several rows need a plan with rotation rows (plan->table). One row needs none: it is a
   16-bit row, or the end of one, that pe__single_row() has not written. */
PE__OUTLINE void pe__write_blocks(const pe__output *output, double t, size_t rows,
                                  const pe__workspace *work)
{
    const int streams = output->mode == PE__STREAM && work->pairs > (size_t)PE__TILE_STREAMED;
    const size_t columns = streams ? (size_t)PE__TILE_STREAMED : work->pairs;
    const int64_t all = (int64_t)((rows - 1) / PE__BLOCK_ROWS + 1), last = (int64_t)rows - 1;
    for (int64_t made = 0; made < all; made += PE__BLOCK_ROWS) {
        const int64_t rest = all - made;
        pe__blocks blocks = {made, rest < PE__BLOCK_ROWS ? rest : (int64_t)PE__BLOCK_ROWS,
                             last / 2};
        /* a single block has its anchor in the middle of the run; of several blocks, the anchor of
           the middle one is the centre */
        if (all > 1) blocks.centre = PE__BLOCK_ROWS * (made + blocks.count / 2) + PE__BLOCK_HALF;
        for (size_t done = 0; done < pe__pairs_of(output); done += columns) {
            const pe__output part = pe__output_part(output, done, columns);
            pe__write_tile(&part, t, last, &blocks, work);
        }
    }
}

/* Write rows of floats by blocks, or add floats to rows, as kernel and adder do. */
PE__OUTLINE void pe__write_blocks_f32(const pe__output *output, double t, size_t rows,
                                      pe__row_pair_kernel *kernel, const pe__adder *adder)
{
    double space[4 * ((int)PE__TILE + (int)PE__WORKSPACE_PADDING) + 8];
    const pe__workspace work = {
        pe__aligned(space), PE__TILE, pe__write_block_f32, kernel, adder, NULL};
    pe__write_blocks(output, t, rows, &work);
}

PE__INLINE void pe__write_one_row(const pe__output *output, double t, const pe__adder *adder)
{
    if (t == 0 || pe__is_far(output->plan, t)) pe__write_far_row(output, t, adder);
    else pe__single_f32(output, t, adder);
}

/* Write the rows of the positions t, t + 1 ... by blocks. Write them singly if there is only one,
   or if the plan has no rotation rows. */
PE__INLINE void pe__write_rows_f32(const pe__output *output, double t, size_t rows,
                                   pe__row_pair_kernel *kernel, const pe__adder *adder)
{
    if (rows == 1) {
        pe__write_one_row(output, t, adder);
    } else if (output->plan->table) {
        pe__write_blocks_f32(output, t, rows, kernel, adder);
    } else { /* copy *output only here: wide loads stall on the narrow stores that made it */
        pe__output one = *output;
        for (size_t r = 0; r < rows; r++) {
            one.out = pe__row_address(output, r);
            pe__write_one_row(&one, t + (double)r, adder);
        }
    }
}
PE__OUTLINE void pe__row_f32(const pe__output *output, double t, size_t rows)
{
    (void)rows; /* always 1: a program that calls only this kernel contains no code for blocks */
    pe__write_one_row(output, t, NULL);
}
PE__OUTLINE void pe__rows_f32(const pe__output *output, double t, size_t rows)
{
    pe__write_rows_f32(output, t, rows, pe__store_row_pairs, NULL);
}
PE__OUTLINE void pe__add_rows_f32(const pe__output *output, double t, size_t rows)
{
    pe__write_rows_f32(output, t, rows, pe__add_row_pairs_f32, &pe__adder_f32);
}
PE__OUTLINE void pe__add_rows_f16(const pe__output *output, double t, size_t rows)
{
    pe__write_rows_f32(output, t, rows, pe__add_row_pairs_f16, &pe__adder_f16);
}

/* Write the rows of the positions t, t + 1 ... in 16-bit elements, or add them to 16-bit elements
   (added). A single row goes to pe__single_row(), or to pe__single_f32() if added. All other rows,
   and the pairs that pe__single_row() leaves, are written in tiles of PE__TILE_16 pairs, with the
   anchor and the rotation rows as floats. With non-temporal stores, 17 blocks of rows are finished,
   tile by tile, before the next rows begin. Otherwise the whole output would pass through memory
   once for each tile. */
PE__INLINE void pe__write_rows_16(pe__type type, const pe__output *output, double t, size_t rows,
                                  pe__block_kernel *block, int added)
{
    double space[4 * ((int)PE__TILE_16 + (int)PE__WORKSPACE_PADDING) + 8];
    double more[(sizeof(pe__scratch_16) + 64) / sizeof(double)];
    pe__scratch_16 *const scratch = (pe__scratch_16 *)(void *)pe__aligned(more);
    const pe__workspace work = {pe__aligned(space), PE__TILE_16, block, NULL,
                                added ? &pe__adder_bf16 : NULL, scratch};
    const size_t most = output->mode == PE__STREAM ? (size_t)PE__BLOCK_ROWS * PE__BLOCK_ROWS : rows;
    const size_t pairs = pe__pairs_of(output);
    for (size_t r = 0, n; r < rows; r += n) {
        n = output->plan->table ? pe__min(rows - r, most) : 1;
        const double first = t + (double)r;
        const int single = n == 1 && first != 0 && !pe__is_far(output->plan, first);
        pe__output some = *output;
        some.out = pe__row_address(output, r);
        size_t done = 0;
        if (single && !added) {
            done = pe__single_row(&some, first, NULL, type);
        } else if (single) {
            pe__single_f32(&some, first, work.adder);
            done = pairs;
        }
        for (; done < pairs; done += PE__TILE_16) {
            const pe__output part = pe__output_part(&some, done, PE__TILE_16);
            pe__scratch_begin(scratch, &part, type, added);
            pe__write_blocks(&part, first, n, &work);
        }
    }
}
#define PE__ROWS_16(name, type, added)                                                             \
    PE__OUTLINE void pe__write_block_of_##name(pe__span *x, const pe__block *block)                \
    {                                                                                              \
        pe__write_block_16(x, block, type, added);                                                 \
    }                                                                                              \
    PE__OUTLINE void pe__##name(const pe__output *output, double t, size_t rows)                   \
    {                                                                                              \
        pe__write_rows_16(type, output, t, rows, pe__write_block_of_##name, added);                \
    }
PE__ROWS_16(rows_f16, PE__F16, 0)
PE__ROWS_16(rows_bf16, PE__BF16, 0)
PE__ROWS_16(add_rows_bf16, PE__BF16, 1)
#undef PE__ROWS_16
