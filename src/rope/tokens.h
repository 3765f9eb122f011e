/* SPDX-License-Identifier: MIT */
/* Tokens are rotated tile by tile: the sines and cosines of a tile's tokens are written to the
 * stack, then the tokens' heads are rotated by them. pe__rotate_tokens() is the loop over tiles.
 * Test: tests/unit/test_rope.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../positions/read.h"
#include "../layouts/elements.h"
#include "../rows/output.h"
#include "../rows/axis.h"
#include "../rows/call.h"
#include "rotate.h"
#include "../rows/columns.h"

/* Of count pairs of a plan, from number `pair` on, those that belong to one axis: n pairs, from the
   axis' own pair number `first` on. `at` of the count pairs lie before them. */
typedef struct pe__axis_part {
    size_t next, end; /* the next axis, and the number of its first pair; 0, 0 at first */
    const pe__axis *axis;
    size_t first, n, at;
} pe__axis_part;
/* Go to the next axis that has some of the pairs, and return 1; return 0 after the last one. */
PE__INLINE int pe__next_axis(const pe_plan *plan, size_t pair, size_t count, pe__axis_part *x)
{
    while (x->next < plan->axes) {
        x->axis = &plan->axis[x->next++];
        const size_t begin = x->end, first = pe__max(pair, begin);
        x->end += x->axis->pairs;
        x->first = first - begin;
        x->at = first - pair;
        x->n = pe__min(pair + count, x->end) - first;
        if (first < pe__min(pair + count, x->end)) return 1;
    }
    return 0;
}

/* Copy interleaved pairs at in, a0 b0 a1 b1 ..., as halves to out, a0 a1 ... b0 b1 ... */
PE__INLINE void pe__deinterleave(unsigned char *out, const unsigned char *in, size_t pairs,
                                 size_t element)
{
    size_t i = 0;
    for (; element == sizeof(float) && i + PE__FLOATS <= pairs; i += PE__FLOATS) {
        const float *const x = (const float *)(const void *)in + 2 * i;
        float *const y = (float *)(void *)out + i;
        const pe__vf v = pe__get(x), w = pe__get(x + PE__FLOATS);
        pe__put(y, pe__unzip_evens(v, w));
        pe__put(y + pairs, pe__unzip_odds(v, w));
    }
    for (; element == 2 && i + 4 * PE_LANES <= pairs; i += 4 * PE_LANES) { /* f16 as bf16: exact */
        const uint16_t *const x = (const uint16_t *)(const void *)in + 2 * i;
        uint16_t *const y = (uint16_t *)(void *)out + i;
        const pe__vf a = pe__get_bf16_evens(x), b = pe__get_bf16_evens(x + 4 * PE_LANES);
        const pe__vf c = pe__get_bf16_odds(x), d = pe__get_bf16_odds(x + 4 * PE_LANES);
        pe__put_bf16_four(y, pe__unzip_evens(a, b), pe__unzip_odds(a, b), y + pairs,
                          pe__unzip_evens(c, d), pe__unzip_odds(c, d));
    }
    for (; i < pairs; i++) {
        pe__copy_element(out + i * element, in + 2 * i * element, element);
        pe__copy_element(out + (pairs + i) * element, in + (2 * i + 1) * element, element);
    }
}

/* Copy n units of `unit` bytes from a plan's sorted order to the order of the pairs: unit i of out
   is unit order[i] of in. The arrays of a plan that is sorted (plan->order is not NULL) hold the
   pairs of one coordinate together, as a segment, see pe__plan_sort_pairs(). */
PE__INLINE void pe__reorder_some(unsigned char *out, const unsigned char *in, const uint8_t *order,
                                 size_t n, size_t unit)
{
    for (size_t i = 0; i < n; i++) memcpy(out + i * unit, in + order[i] * unit, unit);
}
PE__OUTLINE void pe__reorder(unsigned char *out, const unsigned char *in, const uint8_t *order,
                             size_t n, size_t unit)
{
    if (unit == 2) pe__reorder_some(out, in, order, n, 2);
    else if (unit == 4) pe__reorder_some(out, in, order, n, 4);
    else if (unit == 8) pe__reorder_some(out, in, order, n, 8);
    else pe__reorder_some(out, in, order, n, 16);
}

/* pe__unsort_row() for 16-bit elements. It is out of line, so that its buffer is not on the stack
   while rows are computed. */
PE__OUTLINE void pe__unsort_row_16(unsigned char *out, const unsigned char *row,
                                   const uint8_t *order, size_t n)
{
    unsigned char copy[PE__ROPE_PAIRS * sizeof(float)];
    pe__reorder(copy, row, order, n, 4);
    pe__deinterleave(out, copy, n, 2);
}

/* Copy a row of n pairs in sorted order, s c s c ..., to out: first the sines, then the cosines,
   both in the order of the pairs. */
PE__INLINE void pe__unsort_row(unsigned char *out, const unsigned char *row, const uint8_t *order,
                               size_t n, size_t element)
{
    float *const s = (float *)(void *)out, *const c = s + n;
    size_t i = 0;
    if (element == 2) {
        pe__unsort_row_16(out, row, order, n);
        return;
    }
    for (; i + PE__FLOATS <= n; i += PE__FLOATS) {
        pe__vf u, v;
        pe__get_pairs(row, order + i, &u, &v);
        pe__put(s + i, u);
        pe__put(c + i, v);
    }
    for (; i < n; i++) {
        memcpy(s + i, row + 8 * order[i], 4);
        memcpy(c + i, row + 8 * order[i] + 4, 4);
    }
}

/* Return the end of the segment that begins at pair `first`. The segments of a row are computed one
   after the other, in whole groups of vectors. So the padding pairs after a segment are overwritten
   by the next segment; the padding pairs of the last segment lie after the row. */
PE__INLINE size_t pe__segment_end(const uint8_t *segments, size_t first)
{
    return first + 1 + (segments[first] & PE__SEGMENT_OF_ONE ? 0 : segments[first + 1]);
}
/* Return how many padding pairs fill the last group of the segment from pair `at` to `end`. */
PE__WRAPS
PE__INLINE size_t pe__segment_padding(size_t at, size_t end) { return (at - end) % PE__GROUP; }

/* Return the number of pairs from one row in sorted order to the next: the n pairs of a row, from
   number `pair` on, and the padding pairs of its last segment. */
PE__INLINE size_t pe__sorted_stride(const pe_plan *plan, size_t pair, size_t n)
{
    const uint8_t *const segments = plan->order + plan->pairs + pair;
    size_t first = 0;
    for (size_t end; (end = pe__segment_end(segments, first)) < n;) first = end;
    return n + pe__segment_padding(first, n);
}

/* Return how many rows a tile of `tile` floats holds. Its buffer has a quarter more floats, because
   a sorted plan needs padding pairs, and space for one row more: see pe__write_unsorted_rows(). */
PE__INLINE size_t pe__tile_tokens(const pe_plan *plan, size_t tile)
{
    const size_t n = pe__min(plan->pairs, PE__ROPE_PAIRS), most = tile / (2 * n);
    if (!plan->order) return most;
    const size_t step = n == plan->pairs ? pe__sorted_stride(plan, 0, n) : n + PE__GROUP;
    return pe__min(most, (5 * tile / 8 - n) / step);
}

/* Write rows of a sorted plan in its sorted order, segment by segment. The output has room for
   `room` pairs a row, padding pairs included. Stationary pairs are computed at position 0.
   If the positions have one coordinate for all axes, all other segments are written as one. */
PE__OUTLINE void pe__write_sorted_rows(const pe__output *output, size_t room, const pe_at *at,
                                       size_t row, size_t rows)
{
    const pe_plan *const plan = output->plan;
    const size_t n = output->sines;
    const size_t step = output->order == PE__SPLIT ? 1 : output->order == PE__MATRIX ? 4 : 2;
    const uint8_t *const segments = plan->order + output->pair + plan->pairs;
    pe__output part = *output;
    for (size_t first = 0, end; first < n; first = end) {
        end = pe__segment_end(segments, first);
        while (at->axes == 1 && end < n && segments[end] % PE__SEGMENT_OF_ONE < PE_MAX_AXES)
            end = pe__segment_end(segments, end);
        part.pair = output->pair + first;
        part.coordinate = segments[first] % PE__SEGMENT_OF_ONE;
        part.sine = output->sine + step * first;
        part.cosine = output->cosine + step * first;
        part.padding_pairs = pe__min(pe__segment_padding(first, end), room - end);
        part.sines = part.cosines = part.pairs = end - first + part.padding_pairs;
        if (part.coordinate < PE_MAX_AXES) {
            pe__write_axis(&part, at, row, rows);
            continue;
        }
        pe__output stationary = part;
        for (size_t r = 0; r < rows; r++) {
            stationary.out = pe__row_address(&part, r);
            (*output->kernel->row)(&stationary, 0, 1);
        }
    }
}

/* Write rows of a sorted plan in the order of the pairs. First they are written in sorted order,
   beginning where row 1 of the output belongs, not row 0. Then they are copied one after the other
   to their own places, in the order of the pairs. A copy overwrites only rows that have been copied
   already. */
PE__OUTLINE void pe__write_unsorted_rows(const pe__output *output, const pe_at *at, size_t row,
                                         size_t rows)
{
    const size_t n = output->sines, room = pe__sorted_stride(output->plan, output->pair, n);
    const uint8_t *const order = output->plan->order + output->pair;
    pe__output sorted = *output;
    sorted.out = pe__row_address(output, 1);
    sorted.stride = (ptrdiff_t)(2 * room * output->element);
    sorted.order = PE__SC;
    sorted.cosine = 1;
    pe__write_sorted_rows(&sorted, room, at, row, rows);
    for (size_t r = 0; r < rows; r++)
        pe__unsort_row(pe__row_address(output, r), pe__row_address(&sorted, r), order, n,
                       output->element);
}

/* Write `rows` rows, from row `row` of at on, to an output whose rows hold the sines and cosines of
   its pairs and nothing else. */
PE__OUTLINE void pe__write_rope_rows(const pe__output *output, const pe_at *at, size_t row,
                                     size_t rows)
{
    const pe_plan *const plan = output->plan;
    if (plan->matrix) pe__write_sums(output, at, row, rows);
    else if (plan->order) pe__write_unsorted_rows(output, at, row, rows);
    /* All pairs share one coordinate, and their frequencies follow each other in the plan's array.
       There, axes with columns of their own would have padding between them. */
    else if (plan->axes == 1 || (at->axes == 1 && plan->joint))
        pe__write_axis(output, at, row, rows);
    else {
        pe__axis_part of = {0, 0, NULL, 0, 0, 0};
        while (pe__next_axis(plan, output->pair, output->sines, &of)) {
            pe__output part = *output;
            part.pair = of.axis->pair + of.first;
            part.coordinate = of.axis->coordinate;
            part.sine += of.at;
            part.cosine += of.at;
            part.sines = part.cosines = part.pairs = of.n;
            pe__write_axis(&part, at, row, rows);
        }
    }
}

/* The arguments of a call. pe__rope_check_heads() converts the strides in x to bytes. */
typedef struct pe__rope_call {
    size_t tokens, head_dim, in_element, out_element; /* element: bytes; head_dim 0: in place */
    pe__head_rotator *rotate, *rotate_sections;       /* of heads without and with sections */
    pe__heads x[2]; /* queries, keys; with 0 heads there are none */
} pe__rope_call;

/* Copy x->copied_after elements of each head to the output, converted to its type. This is left to
   the rotator, by a tile without pairs: no other function of a call knows both types. */
PE__INLINE void pe__copy_elements(const pe__rope_call *call, const pe__tile *no_pairs,
                                  const pe__heads *x)
{
    if (x->copied_after) call->rotate(no_pairs, x);
}

/* Copy the elements before the pairs of each head and, if and_after is set, those after them. */
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

/* Rotate heads of a plan with rope_interleave, whose pairs are interleaved in the input and halves
   in the output. A few heads at a time are copied to a buffer as halves and rotated from there to
   the output. */
PE__OUTLINE void pe__rotate_rope_interleave(const pe__rope_call *call, const pe__tile *tile,
                                            const pe__heads *x)
{
    enum { PE__BYTES = 4096 };
    double buffer[PE__BYTES / sizeof(double)];
    unsigned char *const halves = (unsigned char *)buffer;
    const size_t element = call->in_element, pairs = tile->pairs, width = 2 * pairs * element;
    const size_t most = PE__BYTES / width;
    pe__tile one = *tile;
    pe__copy_ends(call, tile, x, 1);
    one.tokens = 1;
    one.token = one.section_count = 0;
    for (size_t t = 0; t < tile->tokens; t++)
        for (size_t k = 0; k < x->heads; k += most) {
            pe__heads some = *x;
            const size_t token = tile->token + t;
            const unsigned char *in = x->in + token * x->in_token + k * x->in_head;
            some.heads = pe__min(most, x->heads - k);
            some.copied_after = 0;
            for (size_t h = 0; h < some.heads; h++, in += x->in_head)
                pe__deinterleave(halves + h * width, in, pairs, element);
            some.in = halves;
            some.in_head = width;
            some.out = x->out + token * x->out_token + k * x->out_head;
            one.sines = tile->sines + t * tile->stride;
            one.cosines = tile->cosines + t * tile->stride;
            call->rotate(&one, &some);
        }
}

/* Write the sections of count pairs from number `pair` on, one for each axis among them, and return
   the number of sections. Return 0 if no sections are needed, because the pairs of the row lie as
   those of one axis do: the plan has one axis, its axes are joint, or its pairs are interleaved and
   no column lies between them. */
PE__INLINE size_t pe__tile_sections(const pe_plan *plan, size_t pair, size_t count,
                                    pe__section *section)
{
    const size_t step = plan->layout == PE_LAYOUT_HALVES ? 1 : 2;
    size_t sections = 0;
    pe__axis_part of = {0, 0, NULL, 0, 0, 0};
    if (plan->axes == 1 || plan->joint || (step == 2 && plan->d_model == 2 * plan->pairs)) return 0;
    while (pe__next_axis(plan, pair, count, &of)) {
        const size_t column = pe__min(of.axis->sine, of.axis->cosine) + step * of.first;
        const pe__section its = {of.at, of.n, of.axis->pairs, column};
        section[sections++] = its;
    }
    return sections;
}

/* Rotate all tokens of a call, tile by tile. Token t has the position of row `row` + t of at. */
PE__OUTLINE void pe__rotate_tokens(const pe_plan *plan, const pe_at *at, size_t row,
                                   const pe__rope_call *call)
{
    float buffer[5 * PE__ROPE_TILE / 4 + 16];
    float *const rows = (float *)(void *)pe__aligned(buffer);
    const int uniform = at->kind == PE__AT_RANGE && at->step == 0;
    const size_t pairs = plan->pairs;
    pe__section section[PE_MAX_AXES];
    pe__tile tile;
    if (pairs == 0) return; /* the plan's only column holds 0 */
    tile.pairs = pairs;
    tile.layout = plan->layout;
    tile.row = NULL;
    tile.section = section;
    tile.sines = rows;
    size_t most = tile.call_tokens = call->tokens;
    if (most > 1 && !uniform) most = pe__tile_tokens(plan, PE__ROPE_TILE);
    for (size_t t = 0; t < call->tokens; t += most) {
        tile.token = t;
        tile.tokens = pe__min(most, call->tokens - t);
        for (size_t pair = 0; pair < pairs; pair += PE__ROPE_PAIRS) {
            const size_t n = pe__min(PE__ROPE_PAIRS, pairs - pair);
            tile.pair = pair;
            tile.count = n;
            tile.cosines = rows + n;
            tile.stride = uniform ? 0 : 2 * n;
            tile.section_count = pe__tile_sections(plan, pair, n, section);
            const pe__output output =
                pe__output_split(&pe__fill_kernel_f32, plan, pair, n, rows, sizeof *rows);
            pe__write_rope_rows(&output, at, row + t, uniform ? 1 : tile.tokens);
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

/* Rotate `rows` rows of an output, from number `row` on: each row is the only head of a token. */
static inline void pe__shift_rows(const pe_plan *plan, const pe_at *at, size_t row, size_t rows,
                                  const pe__output *output, pe__head_rotator *rotate,
                                  pe__head_rotator *rotate_sections)
{
    pe__rope_call call;
    memset(&call, 0, sizeof call);
    call.tokens = rows;
    call.in_element = call.out_element = output->element;
    call.rotate = rotate;
    call.rotate_sections = rotate_sections;
    call.x[0].heads = 1;
    call.x[0].in_token = call.x[0].out_token = (size_t)output->stride;
    call.x[0].in_head = call.x[0].out_head = (size_t)output->stride;
    call.x[0].in = call.x[0].out = pe__row_address(output, row);
    pe__rotate_tokens(plan, at, row, &call);
}
