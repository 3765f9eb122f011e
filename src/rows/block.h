/* SPDX-License-Identifier: MIT */
/* Writes a block: the row pairs around its anchor, from the nearest to the farthest. Tested by
 * tests/unit/rows/test_splits.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../numbers/exp_log.h"
#include "../sincos/double_double.h"
#include "../sincos/exact.h"
#include "../plan/shape.h"
#include "../plan/make.h"
#include "../sincos/double.h"
#include "../layouts/elements.h"
#include "../layouts/output.h"
#include "row_pair_f32.h"
#include "row_pair_16.h"
#include "single.h"
#include "../plan/rotation.h"
#include "../layouts/pairs.h"

/* ---- 6.7 blocks ---------------------------------------------------------------------------------
 * A block is an anchor and the rows at distances 1 to 8 from it, before and after. Each row pair,
 * anchor + b and anchor - b, is rotated from the anchor by rotation row b of the plan. At the ends
 * of a run some of the 17 rows do not exist, and the anchor may be one of these.
 *
 * Up to 17 blocks form a group of blocks. They share one centre, the anchor of the block in the
 * middle, from which the other anchors are rotated. A group of blocks is written in tiles of
 * columns. */

/* The run, the group of blocks and the block that a call is writing. Rows and blocks are numbered
   within the run, starting at 0. */
typedef struct pe__block {
    double t;                /* position of row 0 of the run */
    int64_t last;            /* index of the last row of the run */
    double *doubles;         /* memory for the sines and cosines of the centre and of one more
                                anchor: 4 arrays of `pairs` + PE__ANCHOR_PADDING doubles, aligned
                                to a cache line */
    size_t pairs;            /* maximum number of pairs of a tile, a multiple of 32 */
    pe__scratch_16 *scratch; /* a tile in floats, for rows that are computed by
                                pe__write_block_16(); else NULL */
    /* `first` is the index of the first block of the group of blocks. `count` is the number of
       blocks in the group. `centre` is the index of the row that is the centre. */
    int64_t first, count, centre;
    int64_t anchor;     /* index of the row that is the block's anchor; may be after `last` */
    double *const *row; /* the anchor's sines, [0], and cosines, [1] */
    /* These are distances from the anchor. `nearest` is the distance of the nearest row that
       exists, and `farthest` that of the farthest one. `both` is the largest distance at which both
       rows of a row pair exist. It is below 0 if the anchor is after the last row. */
    int64_t nearest, farthest, both;
} pe__block;

/* Set x->row and x->position to the row pair at distance b from the anchor, and x->ts and x->tc to
   rotation row b. In the anchor's row, the tile's columns begin at address `row`. Rows are stride
   bytes apart. For b = 0 there is one row, the anchor, and ts and tc are NULL. The address of a row
   that is not in the run is set to NULL. A row at position 0 is written here by pe__store_origin(),
   which is passed `type`, and its address is then also set to NULL. */
PE__INLINE void pe__set_row_pair(pe__span *x, const pe__block *block, unsigned char *row,
                                 ptrdiff_t stride, int64_t b, pe_type type)
{
    x->ts = x->tc = NULL;
    if (b != 0) {
        x->ts = pe__rotation_row(x->output->plan, 0, b) + x->pair;
        x->tc = x->ts + x->output->plan->padded;
    }
    for (int minus = 0; minus < 2; minus++) {
        const int64_t p = minus ? block->anchor - b : block->anchor + b;
        const int side = minus != x->swapped;
        x->row[side] = NULL;
        if (p < 0 || p > block->last || (minus && b == 0)) continue;
        x->position[side] = (double)p + block->t;
        x->row[side] = row + (minus ? -stride : stride) * b;
        if (x->position[side] != 0) continue;
        pe__store_origin(x, side, type);
        x->row[side] = NULL;
    }
}

/* Return a mask whose bit b is set if the two rows at distance b must be written one after the
   other, not together, to avoid 4K aliasing. The mask has the bits 1 ... last. Only non-temporal
   stores need this, and only if PE_LOADS_WAIT is 1. In the anchor's row, the tile's columns begin
   at address `row`.

   Only the last 12 bits of addresses matter here. A load stalls if both rows of a row pair are
   stored up to 512 bytes after the loaded address. The load waits until the stores to both rows
   have left the core. With rotation row b at such an address, outputs larger than the caches took
   up to twice as long. If only one of the two rows is stored there, no load stalls. So the bit of
   interleaved rows is set if both rows begin up to 512 bytes after one array of rotation row b, its
   sines or its cosines.

   A split row is written at two addresses, which advance by 4 bytes per pair. The four loads, two
   from the anchor and two from the rotation row, advance by 8. So one of the loads is always just
   before a store, or soon will be. Therefore the bit of split rows is set whenever the last 12 bits
   of the addresses of the two rows are equal. Only if these 12 bits are also equal for the two
   halves of a row (x->across is a multiple of 4096), the bit is not set. */
PE__WRAPS
PE__INLINE uint32_t pe__aliased_distances(const pe__span *x, const unsigned char *row, int64_t last)
{
    const uintptr_t anchor = (uintptr_t)row;
    const size_t window = 512, bits = 4096, step = (size_t)x->output->stride;
    uint32_t aliased = 0;
    for (int64_t b = 1; PE_LOADS_WAIT && x->mode == PE__STREAM && b <= last; b++) {
        const uintptr_t s = (uintptr_t)(pe__rotation_row(x->output->plan, 0, b) + x->pair);
        const uintptr_t c = s + x->output->plan->padded * sizeof(double);
        const uintptr_t above = anchor + (size_t)b * step, below = 2 * anchor - above;
        const int sines = (above - s) % bits < window && (below - s) % bits < window;
        const int cosines = (above - c) % bits < window && (below - c) % bits < window;
        const int equal = (size_t)x->across % bits != 0 && (above - below) % bits == 0;
        const int is_aliased = x->split ? equal : sines || cosines;
        aliased |= (uint32_t)is_aliased << b;
    }
    return aliased;
}

/* Set what all rows of a block share: the anchor, and the distances at which rows exist. Return the
   address at which the tile's columns begin in the anchor's row, which may be after the last
   row. */
PE__WRAPS
PE__INLINE unsigned char *pe__block_begin(pe__span *x, pe__block *block)
{
    const int64_t above = block->last - block->anchor, below = block->anchor;
    const int64_t longer = above > below ? above : below, shorter = above < below ? above : below;
    x->a = block->row[x->swapped];
    x->b = block->row[!x->swapped];
    block->nearest = above < 0 ? -above : 0;
    block->farthest = longer < PE__BLOCK_HALF ? longer : (int64_t)PE__BLOCK_HALF;
    block->both = shorter < PE__BLOCK_HALF ? shorter : (int64_t)PE__BLOCK_HALF;
    return pe__row_address(x->output, (size_t)block->anchor) +
           pe__first_column(x->output) * x->output->element;
}

/* Set the prefetch distances of the row pair at distance b. The lines must arrive in time, but must
   not evict the working set of a first-level cache of 32 KB. PE__STORE_PREFETCHED and PE__ADD use
   these distances.

   The lead is 512 divided by the number of pairs of the span, at most 8. The row pair at b
   prefetches the row pair at b + lead or, if that is beyond the block, the row pair at b + lead - 8
   in the next block. The anchor prefetches the next anchor. So each row is prefetched once. For 256
   pairs, two rows, the anchor and the rotation row are 12 KB, and the lead is 2. A lead of 1 or 4
   took up to 10 % longer on a Zen 5. Prefetching a whole block ahead took up to a third longer
   there, though its first-level cache of 48 KB holds the block. The 32 KB of a Zen 4 do not hold
   it. Prefetching a whole block ahead took 70 % longer there than prefetching into the second-level
   cache. But a Zen 5 often drops prefetches into its second-level cache.

   Return how many of the n row pairs, starting at distance b, have equal prefetch distances. Those
   are the row pairs that prefetch rows of this block or, if there are none, all n, which prefetch
   the next block. */
PE__WRAPS
PE__INLINE int64_t pe__set_prefetch_distance(pe__span *x, int64_t b, int64_t n)
{
    const int64_t lead = (int64_t)pe__min(512 / x->end, PE__BLOCK_HALF);
    const int64_t left = PE__BLOCK_HALF + 1 - lead - b;
    const int64_t ahead = b == 0 ? 0 : left > 0 ? lead : lead - PE__BLOCK_HALF;
    const size_t bytes = (size_t)((x->swapped ? -ahead : ahead) * x->output->stride);
    x->prefetch_distance[0] = (ahead > 0 && left > 0 ? 0 : x->output->prefetch_distance) + bytes;
    x->prefetch_distance[1] = x->prefetch_distance[0] - 2 * bytes;
    return left > 0 && left < n ? left : n;
}

/* Write a block's rows of floats, or add floats to the block's rows. Row pairs at consecutive
   distances go to the kernel in one call. Their prefetch distances must be equal, and
   pe__aliased_distances() must name none of them. No row that remains to be written may be at
   position 0. A row is written singly if it has no partner, if its partner is at position 0, or if
   pe__aliased_distances() names its distance. */
PE__OUTLINE void pe__write_block_f32(pe__span *x, pe__block *block)
{
    const double zero = pe__max_abs((double)block->anchor + block->t, 0);
    unsigned char *const row = pe__block_begin(x, block);
    const int64_t both = block->both, farthest = block->farthest;
    const ptrdiff_t stride = x->output->stride;
    const uint32_t aliased = pe__aliased_distances(x, row, both);
    for (int64_t b = block->nearest, n; b <= farthest; b += n) {
        const int no_origin = zero < (double)b || zero > (double)both;
        const uint32_t rest = aliased >> b;
        const int together = !(rest & 1);
        n = no_origin && b != 0 && b < both ? both - b + 1 : 1;
        if (rest) n = together ? (int64_t)pe__min((size_t)n, pe__lowest_bit(rest)) : 1;
        if (x->mode == PE__ADD || x->mode == PE__STORE_PREFETCHED)
            n = pe__set_prefetch_distance(x, b, n);
        pe__set_row_pair(x, block, row, stride, b, PE_TYPE_F32);
        unsigned char *const minus = x->row[1];
        if (together && x->row[0] && minus) {
            x->output->kernel->row_pairs(x, n);
            continue;
        }
        x->row[1] = NULL;
        if (x->row[0]) pe__store_one_row(x);
        x->row[0] = NULL;
        x->row[1] = minus;
        if (minus) pe__store_one_row(x);
    }
}

/* A block's rows of 16-bit elements are computed in a buffer unless they are written directly. */
enum {
    /* This is the number of bytes of one half of a split row of a tile, with a group of padding
       lanes after it. An element has 2 bytes. */
    PE__BUFFER_HALF = 2 * ((int)PE__TILE_16 + (int)PE__GROUP),
    /* This is the number of bytes of a row of the buffer. */
    PE__BUFFER_ROW = 2 * PE__BUFFER_HALF
};

/* Copy a block's rows of 16-bit elements, as far as they are in the run, between output and buffer.
   If in is 1, copy to the buffer, and set the padding lanes to 0, so that the block can be added
   there. If in is 0, copy to the output. */
PE__OUTLINE void pe__copy_buffer_16(const pe__span *x, const pe__block *block,
                                    unsigned char *buffer, int in)
{
    const size_t zeros = (x->split ? 1U : 2U) * PE__GROUP * sizeof(uint16_t);
    for (int64_t b = -PE__BLOCK_HALF; b <= PE__BLOCK_HALF; b++, buffer += PE__BUFFER_ROW) {
        const int64_t p = block->anchor + b;
        if (p < 0 || p > block->last) continue;
        pe__copy_halves(x->output, (size_t)p, buffer, PE__BUFFER_HALF, zeros, in);
    }
}

/* Write a block's rows of 16-bit elements or, if added is 1, add them to the output. Rows of
   complete groups of pairs are written directly. Rows that end in a partial group or use
   non-temporal stores are first written to a buffer. */
PE__INLINE void pe__write_block_16(pe__span *x, pe__block *block, pe_type type, int added)
{
    double space[(size_t)PE__BLOCK_ROWS * PE__BUFFER_ROW / sizeof(double) + 8];
    unsigned char *const buffer = (unsigned char *)pe__aligned(space);
    pe__scratch_16 *const f = block->scratch;
    const pe__output *const output = x->output;
    const int direct = output->mode != PE__STREAM && output->sines == output->cosines &&
                       output->sines % PE__GROUP == 0;
    unsigned char *row = pe__block_begin(x, block);
    const ptrdiff_t stride = direct ? output->stride : (ptrdiff_t)PE__BUFFER_ROW;
    if (!direct) {
        row = buffer + (ptrdiff_t)PE__BLOCK_HALF * stride;
        x->across = PE__BUFFER_HALF;
    }
    pe__to_groups(x->a, x->end, x->split, f->a);
    pe__to_groups(x->b, x->end, x->split, f->b);
    pe__thresholds_16(f, f->a, x->end, f->bound_a);
    pe__thresholds_16(f, f->b, x->end, f->bound_b);
    if (!direct && added) pe__copy_buffer_16(x, block, buffer, 1);
    for (int64_t b = block->nearest; b <= block->farthest; b++) {
        pe__set_row_pair(x, block, row, stride, b, added ? PE_TYPE_F32 : type);
        if (!x->row[0] && !x->row[1]) continue;
        if (added) {
            pe__add_row_pair_16(x, f, (size_t)b);
        } else {
            pe__store_row_pair_16(x, f, (size_t)b, type, 0);
            pe__flush_flagged_16(x, f, PE__MAX_FLAGGED, type);
        }
    }
    if (!added) pe__flush_flagged_16(x, f, 0, type);
    if (!direct) pe__copy_buffer_16(x, block, buffer, 0);
}
