/* SPDX-License-Identifier: MIT */
/* Rows of consecutive positions, in blocks: from a centre to anchors, from an anchor to the row
 * pairs around it, from the nearest to the farthest. Tested by tests/unit/test_splits.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../numbers/base.h"
#include "../numbers/exp_log.h"
#include "../sincos/double_double.h"
#include "../sincos/exact.h"
#include "../plan/shape.h"
#include "../plan/make.h"
#include "../sincos/bounds.h"
#include "../sincos/double.h"
#include "../layouts/elements.h"
#include "output.h"
#include "row_pair_f32.h"
#include "row_pair_16.h"
#include "single.h"

/* ---- 6.7 blocks ---------------------------------------------------------------------------------
 * A block is an anchor and the rows at distances 1 to 8 from it, before and after. Each row pair,
 * anchor + b and anchor - b, is rotated from the anchor by rotation row b of the plan. At the ends
 * of a run some of the 17 rows are missing, and the anchor may be one of them.
 *
 * Up to 17 blocks form a group. They share one centre, the anchor of the block in the middle, from
 * which the other anchors are rotated. A group is written in tiles of columns. */

/* Where a call stands in a run of rows. */
typedef struct pe__block {
    /* the run: the position of row 0; the number of the last row; memory for the sines and cosines
       of two anchors, 4 arrays of pairs + PE__ANCHOR_PADDING doubles, aligned to a cache line;
       pairs: those of a tile, a multiple of 32; for 16-bit elements a tile in floats, else NULL */
    double t;
    int64_t last;
    double *doubles;
    size_t pairs;
    pe__scratch_16 *scratch;
    /* the group: its first block; how many it has; the row that is its centre */
    int64_t first, count, centre;
    /* the block: the row that is its anchor, which may be after the last row; the anchor's sines
       and cosines */
    int64_t anchor;
    pe__anchor row;
    /* distances from the anchor: of the nearest row that exists, of the farthest one, and the
       largest one at which both rows of the row pair exist (below 0 if the anchor is after the last
       row) */
    int64_t nearest, farthest, both;
} pe__block;

/* Each array of an anchor has padding after its last pair: the last vector may reach into it, and
   pe__compute_centre() writes up to PE__SINCOS_PAIRS - 1 doubles there. */
enum { PE__ANCHOR_PADDING = 32 };

/* Go to the next group of the run, and return 1; return 0 after the last one. A single block has
   its anchor in the middle of the run; of several blocks, the anchor of the middle one is the
   centre. */
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

/* Set x->at to the row pair at distance b from the anchor, and ts, tc to rotation row b. The anchor
   begins at address `row`, and rows are stride bytes apart. For b = 0 there is one row, the anchor,
   and ts and tc are NULL. A row that is not in the run becomes NULL. A row at position 0 is written
   here, then becomes NULL, too. */
PE__INLINE void pe__set_row_pair(pe__span *x, const pe__block *block, unsigned char *row,
                                 ptrdiff_t stride, int64_t b, pe__type type)
{
    x->ts = x->tc = NULL;
    if (b != 0) {
        x->ts = pe__rotation_row(x->plan, 0, b) + x->pair;
        x->tc = x->ts + x->plan->padded;
    }
    for (int minus = 0; minus < 2; minus++) {
        const int64_t p = minus ? block->anchor - b : block->anchor + b;
        const int side = minus != x->swapped;
        x->at.row[side] = NULL;
        if (p < 0 || p > block->last || (minus && b == 0)) continue;
        x->at.position[side] = (double)p + block->t;
        x->at.row[side] = row + (minus ? -stride : stride) * b;
        if (x->at.position[side] != 0) continue;
        pe__store_origin(x, side, type);
        x->at.row[side] = NULL;
    }
}

/* Return the distances b at which the two rows are written one after the other, not together, to
   avoid 4K aliasing: bit b is set. Only non-temporal stores need this, and only if PE_LOADS_WAIT
   is 1.

   Compare addresses by their last 12 bits only. A load stalls if both rows of a row pair are stored
   up to 512 bytes after the loaded address. The load waits until the stores to both rows have left
   the core. With rotation row b at such an address, outputs larger than the caches took up to twice
   as long. If only one of the two rows is stored there, no load stalls.

   A split row is written at two addresses, which advance by 4 bytes a pair. The four loads, two
   from the anchor and two from the rotation row, advance by 8. So one of the loads is always before
   a store, or soon will be. Therefore split rows are written one after the other whenever the last
   12 bits of their addresses are equal, unless the two halves of a row have equal bits, too. */
PE__WRAPS
PE__INLINE uint32_t pe__aliased_distances(const pe__span *x, const unsigned char *row, int64_t most)
{
    const uintptr_t anchor = (uintptr_t)row;
    const size_t window = 512, bits = 4096, step = (size_t)x->output->stride;
    uint32_t aliased = 0;
    for (int64_t b = 1; PE_LOADS_WAIT && x->mode == PE__STREAM && b <= most; b++) {
        const uintptr_t s = (uintptr_t)(pe__rotation_row(x->plan, 0, b) + x->pair);
        const uintptr_t c = s + x->plan->padded * sizeof(double);
        const uintptr_t above = anchor + (size_t)b * step, below = 2 * anchor - above;
        const int sines = (above - s) % bits < window && (below - s) % bits < window;
        const int cosines = (above - c) % bits < window && (below - c) % bits < window;
        const int equal = (size_t)x->across % bits != 0 && (above - below) % bits == 0;
        const int is_aliased = x->split ? equal : sines || cosines;
        aliased |= (uint32_t)is_aliased << b;
    }
    return aliased;
}

/* Set what all rows of a block share: the anchor, and which of the rows exist. Returns the address
   of the anchor's row, which may be after the last row. */
PE__WRAPS
PE__INLINE unsigned char *pe__block_begin(pe__span *x, pe__block *block)
{
    const int64_t above = block->last - block->anchor, below = block->anchor;
    const int64_t longer = above > below ? above : below, shorter = above < below ? above : below;
    x->a = x->swapped ? block->row.c : block->row.s;
    x->b = x->swapped ? block->row.s : block->row.c;
    block->nearest = above < 0 ? -above : 0;
    block->farthest = longer < PE__BLOCK_HALF ? longer : (int64_t)PE__BLOCK_HALF;
    block->both = shorter < PE__BLOCK_HALF ? shorter : (int64_t)PE__BLOCK_HALF;
    return pe__row_address(x->output, (size_t)block->anchor) +
           pe__first_column(x->output) * x->output->element;
}

/* Set the prefetch distances of the row pair at distance b: far enough ahead to arrive in time, but
   not so far that the prefetched lines evict the working set of a first-level cache of 32 KB.
   PE__STORE_PREFETCHED and PE__ADD use them.

   The row pair at b prefetches the row pair at b + lead or, if that is beyond the block, the row
   pair at b + lead - 8 in the next block. The anchor prefetches the next anchor. So each row is
   prefetched once. For 256 pairs, two rows, the anchor and the rotation row are 12 KB, and lead is
   2. A lead of 1 or 4 took up to a tenth longer on a Zen 5. To prefetch a whole block ahead took up
   to a third longer there, though its first-level cache of 48 KB holds the block. The 32 KB of a
   Zen 4 do not hold it: a whole block ahead took 1.7 times as long as prefetches into the
   second-level cache. But a Zen 5 often drops prefetches into its second-level cache.

   Returns how many of the n row pairs from b on have equal prefetch distances. Those are the row
   pairs that prefetch rows of this block or, if none does, all n: they prefetch the next block. */
PE__WRAPS
PE__INLINE int64_t pe__set_prefetch_distance(pe__span *x, int64_t b, int64_t n)
{
    const int64_t lead = (int64_t)pe__min(512 / x->end, PE__BLOCK_HALF);
    const int64_t left = PE__BLOCK_HALF + 1 - lead - b;
    const int64_t by = b == 0 ? 0 : left > 0 ? lead : lead - PE__BLOCK_HALF;
    const size_t bytes = (size_t)((x->swapped ? -by : by) * x->output->stride);
    x->prefetch_distance[0] = (by > 0 && left > 0 ? 0 : x->output->prefetch_distance) + bytes;
    x->prefetch_distance[1] = x->prefetch_distance[0] - 2 * bytes;
    return left > 0 && left < n ? left : n;
}

/* Write a block's rows of floats. Row pairs at consecutive distances go to the kernel in one call,
   as long as their prefetch distances are equal and no row is at position 0. A row is written
   singly if it has no partner, if its partner is at position 0, or if pe__aliased_distances()
   returns its distance. */
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
        pe__set_row_pair(x, block, row, stride, b, PE__F32);
        unsigned char *const second = x->at.row[1];
        if (together && x->at.row[0] && second) {
            x->output->kernel->row_pairs(x, n);
            continue;
        }
        x->at.row[1] = NULL;
        if (x->at.row[0]) pe__store_row_of_pair(x);
        x->at.row[0] = NULL;
        x->at.row[1] = second;
        if (second) pe__store_row_of_pair(x);
    }
}

/* The buffer for a block's rows of 16-bit elements. PE__BUFFER_HALF: bytes of one half of a split
   row, with a group of padding lanes after it. PE__BUFFER_ROW: bytes of a row. */
enum {
    PE__BUFFER_HALF = 2 * ((int)PE__TILE_16 + (int)PE__GROUP),
    PE__BUFFER_ROW = 2 * PE__BUFFER_HALF
};

/* Copy a block's rows of 16-bit elements between output and buffer. in = 1: copy to the buffer, and
   zero the padding lanes, so that the block can be added there. in = 0: copy to the output. */
PE__OUTLINE void pe__copy_buffer_16(const pe__span *x, const pe__block *block,
                                    unsigned char *buffer, int in)
{
    const pe__output *const output = x->output;
    const size_t e = output->element, column = pe__first_column(output);
    const size_t front = output->sines + (x->split ? 0 : output->cosines);
    const ptrdiff_t across = ((ptrdiff_t)output->cosine - (ptrdiff_t)output->sine) * (ptrdiff_t)e;
    for (int64_t b = -PE__BLOCK_HALF; b <= PE__BLOCK_HALF; b++, buffer += PE__BUFFER_ROW) {
        const int64_t p = block->anchor + b;
        if (p < 0 || p > block->last) continue;
        unsigned char *const out = pe__row_address(output, (size_t)p) + column * e;
        for (int half = 0; half <= x->split; half++) {
            const size_t n = (half ? output->cosines : front) * e;
            unsigned char *const at = out + (half ? across : 0);
            unsigned char *const row = buffer + (half ? (int)PE__BUFFER_HALF : 0);
            if (in) {
                memset(row + n, 0, (x->split ? 1U : 2U) * PE__GROUP * e);
                pe__copy(row, at, n, 0);
            } else {
                pe__copy(at, row, n, output->mode == PE__STREAM);
            }
        }
    }
}

/* Write a block's rows of 16-bit elements, or add them to the output (added). Rows of whole groups
   go directly to memory. Rows that end in part of a group, or take non-temporal stores, go by way
   of a buffer. */
PE__INLINE void pe__write_block_16(pe__span *x, pe__block *block, pe__type type, int added)
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
        pe__set_row_pair(x, block, row, stride, b, added ? PE__F32 : type);
        if (!x->at.row[0] && !x->at.row[1]) continue;
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

/* Compute the anchor that lies `distance` blocks from the centre: rotate the centre by the plan's
   rotation row 17 |distance|, backwards if distance is below 0. Writes count pairs, from the plan's
   pair `pair` on, to `to`. */
PE__OUTLINE void pe__rotate_anchor(const pe_plan *plan, int64_t distance, size_t pair, size_t count,
                                   pe__anchor centre, pe__anchor to)
{
    const double *const row = pe__rotation_row(plan, 1, distance < 0 ? -distance : distance);
    const pe__vd sign = pe__splat(distance < 0 ? -1 : 1);
    for (size_t i = 0; i < count; i += PE_LANES) {
        const double *const sines = row + pe__vector_pair(plan, pair + i);
        const pe__rotated r = pe__rotate(pe__load(centre.s + i), pe__load(centre.c + i),
                                         pe__load(sines) * sign, pe__load(sines + plan->padded));
        pe__store(to.s + i, r.a[0]);
        pe__store(to.c + i, r.b[0]);
    }
}

/* Return the first pair from which on all pairs are slow in the rows at positions low to high. A
   pair is slow if its angles, in these rows and in the anchors and rotation rows on the way to
   them, are at most 1/4 half-turn. Then the errors of its sines are relative, and small sines need
   not be flagged: see step 10 of "Rounding test" in sincos/bounds.h. Returns SIZE_MAX if
   that proof does not apply, or if it would gain little: even the slowest pair's angle is at least
   2^-14 half-turns, so that the plan's guard flags few elements. With base 500000, heads at
   positions below 16 take 1.3 times as long without this, tables of 2048 rows 1.04 times. */
PE__INLINE size_t pe__slow_from(const pe__span *x, double low, double high)
{
    const double *const f = x->plan->frequency + x->pair;
    const double farthest =
        pe__max_abs(low, high) + (double)(PE__BLOCK_HALF * (PE__BLOCK_ROWS + 1));
    const double nearest = low > 0 ? low : high < 0 ? -high : 0;
    const double least = (double)(PE__BLOCK_HALF * (PE__BLOCK_ROWS + 2)) / (PE__SLOW_RATIO - 1);
    const int whole = low == floor(low), is_far = x->bound == &pe__bound_far;
    size_t i = x->end - x->output->padding_pairs;
    if (x->plan->point || is_far || (nearest < least && !whole)) return SIZE_MAX;
    if (fabs(f[i - 1]) * pe__max_abs(nearest, 1) >= pe__exp2i(-14)) return SIZE_MAX;
    while (i > 0 && fabs(f[i - 1]) * farthest <= 0.25) i--;
    return i;
}

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

/* Write a group of blocks, in the columns of an output. */
PE__OUTLINE void pe__write_tile(const pe__output *output, pe__block *block)
{
    const pe_plan *const plan = output->plan;
    const size_t next = block->pairs + PE__ANCHOR_PADDING, pair = output->pair;
    double *const room = block->doubles;
    pe__anchor centre = {room, room + next}, other = {room + 2 * next, room + 3 * next};
    const int64_t middle = block->first + block->count / 2, last = block->last;
    const int64_t low = PE__BLOCK_ROWS * block->first;
    const int64_t high = low + PE__BLOCK_ROWS * block->count - 1, end = high < last ? high : last;
    const double t = block->t, at = t + (double)block->centre;
    const int is_far = pe__is_far(plan, pe__max_abs(t, t + (double)(last + 1 + PE__BLOCK_ROWS)));
    const pe__bound *const bound = is_far      ? &pe__bound_far
                                   : last == 0 ? &pe__bound_full_poly
                                               : &pe__bound_run;
    /* After peeled pairs, vectors need not begin at a multiple of PE_LANES, so the last one may
       reach up to PE_LANES - 1 pairs past the tile. */
    const size_t count = pe__pairs_of(output) + (output->peeled ? PE_LANES - 1 : 0);
    pe__span x;
    pe__span_begin(&x, output, bound, output->kernel->adder);
    if (!block->scratch) x.slow = pe__slow_from(&x, t + (double)low, t + (double)end);
    x.slow_guard = pe__guard(plan->amplitude, 0);
    /* A tile with non-temporal stores takes half of each array of the anchors, at most. The other
       half, 2048 bytes or more, is free for pe__unaliased(). */
    if (output->mode == PE__STREAM && block->pairs >= 2 * (size_t)PE__TILE_STREAMED) {
        const unsigned char *const out = output->out + pe__first_column(output) * output->element;
        centre.s = pe__unaliased(centre.s, out);
        centre.c = pe__unaliased(centre.c, out);
        other.s = pe__unaliased(other.s, out);
        other.c = pe__unaliased(other.c, out);
    }
    if (pe__is_far(plan, at))
        pe__compute_centre_far(plan, output->round_element, at, pair, count, centre);
    else pe__compute_centre(plan, bound, block->count > 2, at, pair, count, centre);
    for (int64_t j = block->first; j < block->first + block->count; j++) {
        block->row = j == middle ? centre : other;
        if (j != middle) pe__rotate_anchor(plan, j - middle, pair, count, centre, other);
        block->anchor = block->centre + PE__BLOCK_ROWS * (j - middle);
        output->kernel->block(&x, block);
    }
}

/* ---- 6.8 rows of consecutive positions ------------------------------------------------------- */

/* The kernels of a single row take `rows`, which is 1, as those of several do. A program that calls
   only these contains no code for blocks. */
#define PE__ROW(name, adder)                                                                       \
    PE__OUTLINE void name(const pe__output *output, double t, size_t rows)                         \
    {                                                                                              \
        (void)rows;                                                                                \
        if (t == 0 || pe__is_far(output->plan, t)) pe__write_far_row(output, t, adder);            \
        else (void)pe__single_f32(output, t, adder);                                               \
    }
PE__ROW(pe__row_f32, NULL)
PE__ROW(pe__add_row_f32, &pe__adder_f32)
PE__ROW(pe__add_row_f16, &pe__adder_f16)
#undef PE__ROW

/* Write the rows of the positions t, t + 1 ... in floats, or add floats to rows. */
PE__OUTLINE void pe__rows_f32(const pe__output *output, double t, size_t rows)
{
    double space[4 * ((int)PE__TILE + (int)PE__ANCHOR_PADDING) + 8];
    const size_t pairs = pe__pairs_of(output);
    const size_t most = output->mode == PE__STREAM ? (size_t)PE__TILE_STREAMED : (size_t)PE__TILE;
    pe__block block = {
        t, (int64_t)rows - 1, pe__aligned(space), PE__TILE, NULL, 0, 0, 0, 0, {NULL, NULL}, 0, 0,
        0};
    while (pe__next_group(&block))
        for (size_t done = 0; done < pairs; done += most) {
            const pe__output part = pe__output_part(output, done, most);
            pe__write_tile(&part, &block);
        }
}

/* Write the rows of the positions t, t + 1 ... in 16-bit elements, or add them to 16-bit elements
   (added). A single row goes to pe__single_row(), or to pe__single_f32() if added. All other rows,
   and the pairs that pe__single_row() leaves, are written in tiles of PE__TILE_16 pairs, with the
   anchor and the rotation rows as floats. With non-temporal stores, 17 blocks of rows are finished,
   tile by tile, before the next rows begin. Otherwise the whole output would pass through memory
   once for each tile. */
PE__INLINE void pe__write_rows_16(pe__type type, const pe__output *output, double t, size_t rows,
                                  int added)
{
    double space[4 * ((int)PE__TILE_16 + (int)PE__ANCHOR_PADDING) + 8];
    double more[(sizeof(pe__scratch_16) + 64) / sizeof(double)];
    pe__scratch_16 *const scratch = (pe__scratch_16 *)(void *)pe__aligned(more);
    const size_t most = output->mode == PE__STREAM ? (size_t)PE__BLOCK_ROWS * PE__BLOCK_ROWS : rows;
    const size_t pairs = pe__pairs_of(output);
    for (size_t r = 0, n; r < rows; r += n) {
        n = pe__min(rows - r, most);
        const double first = t + (double)r;
        const int single = n == 1 && first != 0 && !pe__is_far(output->plan, first);
        pe__output some = *output;
        some.out = pe__row_address(output, r);
        const size_t written = !single ? 0
                               : added ? pe__single_f32(&some, first, &pe__adder_bf16)
                                       : pe__single_row(&some, first, NULL, type);
        for (size_t done = written; done < pairs; done += PE__TILE_16) {
            const pe__output part = pe__output_part(&some, done, PE__TILE_16);
            pe__block block = {first,
                               (int64_t)n - 1,
                               pe__aligned(space),
                               PE__TILE_16,
                               scratch,
                               0,
                               0,
                               0,
                               0,
                               {NULL, NULL},
                               0,
                               0,
                               0};
            pe__scratch_begin(scratch, &part, type, added);
            while (pe__next_group(&block)) pe__write_tile(&part, &block);
        }
    }
}
#define PE__ROWS_16(name, type, added)                                                             \
    PE__OUTLINE void pe__write_block_of_##name(pe__span *x, pe__block *block)                      \
    {                                                                                              \
        pe__write_block_16(x, block, type, added);                                                 \
    }                                                                                              \
    PE__OUTLINE void pe__##name(const pe__output *output, double t, size_t rows)                   \
    {                                                                                              \
        pe__write_rows_16(type, output, t, rows, added);                                           \
    }
PE__ROWS_16(rows_f16, PE__F16, 0)
PE__ROWS_16(rows_bf16, PE__BF16, 0)
PE__ROWS_16(add_rows_bf16, PE__BF16, 1)
#undef PE__ROWS_16
