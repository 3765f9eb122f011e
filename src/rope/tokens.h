/* SPDX-License-Identifier: MIT */
/* Tokens are rotated tile by tile. The sines and cosines of a tile's tokens are written to the
 * stack. Then the tokens' heads are rotated by them. pe__rotate_tokens() is the loop over tiles.
 * Test: tests/unit/rope/test_rope_tokens.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../positions/read.h"
#include "../layouts/elements.h"
#include "../layouts/output.h"
#include "../rows/kernels.h"
#include "../rows/axis.h"
#include "../rows/call.h"
#include "heads.h"
#include "rotate.h"
#include "rows.h"
#include "../layouts/pairs.h"

/* Return how many rows, one for each token, a tile of `tile` floats holds. The tile's buffer has
   25 % more floats, because a sorted plan (plan->order) needs padding pairs and space for one
   additional row: see pe__write_unsorted_rows(). */
PE__INLINE size_t pe__tile_tokens(const pe_plan *plan, size_t tile)
{
    const size_t n = pe__min(plan->pairs, PE__ROPE_PAIRS), limit = tile / (2 * n);
    if (!plan->order) return limit;
    const size_t step = n == plan->pairs ? pe__sorted_stride(plan, 0, n) : n + PE__GROUP;
    return pe__min(limit, (5 * tile / 8 - n) / step);
}

/* Copy x->copied_after elements, starting at x->in, of each head of the tile's tokens to x->out,
   converted to the type of the output. The function call->rotate does this when it gets a tile
   without pairs, because no other function of a call knows both types. */
PE__INLINE void pe__copy_elements(const pe__rope_call *call, const pe__tile *no_pairs,
                                  const pe__heads *x)
{
    if (x->copied_after) call->rotate(no_pairs, x);
}

/* Copy the x->copied_before elements before the pairs of each head and, if and_after is set, the
   x->copied_after elements after them. */
PE__INLINE void pe__copy_ends(const pe__rope_call *call, const pe__tile *tile, const pe__heads *x,
                              int and_after)
{
    const size_t e = call->in_element, f = call->out_element, n = 2 * tile->pairs;
    pe__heads before = *x, after = *x;
    pe__tile no_pairs = *tile;
    no_pairs.pair = no_pairs.count = no_pairs.pairs = no_pairs.section_count = 0;
    before.in -= x->copied_before * e;
    before.out -= x->copied_before * f;
    before.copied_after = x->copied_before;
    after.in += n * e;
    after.out += n * f;
    pe__copy_elements(call, &no_pairs, &before);
    if (and_after) pe__copy_elements(call, &no_pairs, &after);
}

/* Rotate heads of a plan with rope_interleave. Their pairs are interleaved in the input and halves
   in the output. A few heads of a token at a time are copied to a buffer as halves and rotated from
   there to the output. The other elements of the heads are copied, if there are any to copy. */
PE__OUTLINE void pe__rotate_rope_interleave(const pe__rope_call *call, const pe__tile *tile,
                                            const pe__heads *x)
{
    enum { PE__BYTES = 4096 };
    double buffer[PE__BYTES / sizeof(double)];
    unsigned char *const halves = (unsigned char *)buffer;
    const size_t element = call->in_element, pairs = tile->pairs, width = 2 * pairs * element;
    const size_t limit = PE__BYTES / width;
    pe__tile one = *tile;
    pe__copy_ends(call, tile, x, 1);
    one.tokens = 1;
    one.token = one.section_count = 0;
    for (size_t t = 0; t < tile->tokens; t++)
        for (size_t k = 0; k < x->heads; k += limit) {
            pe__heads part = *x;
            const size_t token = tile->token + t;
            const unsigned char *in = x->in + token * x->in_token + k * x->in_head;
            part.heads = pe__min(limit, x->heads - k);
            part.copied_after = 0;
            for (size_t h = 0; h < part.heads; h++, in += x->in_head)
                pe__deinterleave(halves + h * width, in, pairs, element);
            part.in = halves;
            part.in_head = width;
            part.out = x->out + token * x->out_token + k * x->out_head;
            one.sines = tile->sines + t * tile->stride;
            one.cosines = tile->cosines + t * tile->stride;
            call->rotate(&one, &part);
        }
}

/* Write the sections of the pairs [pair, pair + count), one for each axis among them, and return
   their number. Return 0 if no sections are needed, because the pairs are arranged as those of one
   axis. This is so if the plan has one axis or its axes are joint. It is also so if its pairs are
   interleaved and no column is between them. */
PE__INLINE size_t pe__tile_sections(const pe_plan *plan, size_t pair, size_t count,
                                    pe__section *section)
{
    const size_t step = plan->layout == PE_LAYOUT_HALVES ? 1 : 2;
    size_t sections = 0;
    pe__axis_part of = {0, 0, NULL, 0, 0, 0};
    if (plan->axes == 1 || plan->joint || (step == 2 && plan->d_model == 2 * plan->pairs)) return 0;
    while (pe__next_axis(plan, pair, count, &of)) {
        const size_t column = pe__min(of.axis->sine, of.axis->cosine) + step * of.first;
        const pe__section its = {of.offset, of.n, of.axis->pairs, column};
        section[sections++] = its;
    }
    return sections;
}

/* Rotate all tokens of a call, tile by tile. Token t has the position of row `row` + t of
   `positions`. */
PE__OUTLINE void pe__rotate_tokens(const pe_plan *plan, const pe_at *positions, size_t row,
                                   const pe__rope_call *call)
{
    float buffer[5 * PE__ROPE_TILE / 4 + 16];
    float *const rows = (float *)(void *)pe__aligned(buffer);
    const int uniform = positions->kind == PE__AT_RANGE && positions->step == 0;
    const size_t pairs = plan->pairs;
    pe__section section[PE_MAX_AXES];
    pe__tile tile;
    if (pairs == 0) return; /* a shift, of rows whose columns are all 0 */
    tile.pairs = pairs;
    tile.layout = plan->layout;
    tile.row = NULL;
    tile.section = section;
    tile.sines = rows;
    size_t limit = tile.call_tokens = call->tokens;
    if (limit > 1 && !uniform) limit = pe__tile_tokens(plan, PE__ROPE_TILE);
    for (size_t t = 0; t < call->tokens; t += limit) {
        tile.token = t;
        tile.tokens = pe__min(limit, call->tokens - t);
        for (size_t pair = 0; pair < pairs; pair += PE__ROPE_PAIRS) {
            const size_t n = pe__min(PE__ROPE_PAIRS, pairs - pair);
            tile.pair = pair;
            tile.count = n;
            tile.cosines = rows + n;
            tile.stride = uniform ? 0 : 2 * n;
            tile.section_count = pe__tile_sections(plan, pair, n, section);
            const pe__output output =
                pe__output_split(pe__fill_kernel_f32(), plan, pair, n, rows, sizeof *rows);
            pe__write_rope_rows(&output, positions, row + t, uniform ? 1 : tile.tokens);
            for (size_t i = 0; i < 2; i++) {
                if (!call->x[i].heads) continue;
                const pe__heads *const x = &call->x[i];
                if (plan->rope_interleave) pe__rotate_rope_interleave(call, &tile, x);
                else {
                    if (x->copied_before && pair == 0) pe__copy_ends(call, &tile, x, 0);
                    (tile.section_count ? call->rotate_sections : call->rotate)(&tile, x);
                }
            }
        }
    }
}
