/* SPDX-License-Identifier: MIT */
/* Writes the sines and cosines of tokens, as rows in the order of the pairs. They are computed axis
 * by axis, or all together if all pairs depend on the same coordinates. If the plan has a list of
 * coordinates (plan->order), they are computed segment by segment: a segment is pairs of one
 * coordinate, see pe__plan_sort_pairs(). Test: tests/unit/layouts/test_lists.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../plan/make.h"
#include "../layouts/output.h"
#include "../layouts/order.h"
#include "../rows/axis.h"
#include "../rows/row_pair_16.h"

/* The pairs of a plan in a range [pair, pair + count) that belong to one axis. pe__next_axis() goes
   through the axes. */
typedef struct pe__axis_part {
    /* `next` is the index of the axis to visit next. `end` is the index, among all pairs of the
       plan, of that axis' first pair: the end of the axis visited last. Initialise both to 0. */
    size_t next, end;
    const pe__axis *axis; /* the axis to which the pairs belong */
    size_t first;         /* the index of the first of these pairs among all pairs of the axis */
    size_t n;             /* the number of these pairs */
    size_t offset;        /* the index of the first of these pairs in the range */
} pe__axis_part;
/* Go to the next axis that has pairs in the range [pair, pair + count), and return 1. Return 0
   after the last one. */
PE__INLINE int pe__next_axis(const pe_plan *plan, size_t pair, size_t count, pe__axis_part *x)
{
    while (x->next < plan->axes) {
        x->axis = &plan->axis[x->next++];
        const size_t begin = x->end, first = pe__max(pair, begin);
        x->end += x->axis->pairs;
        x->first = first - begin;
        x->offset = first - pair;
        x->n = pe__min(pair + count, x->end) - first;
        if (first < pe__min(pair + count, x->end)) return 1;
    }
    return 0;
}

/* Return the index after the last pair of the segment that begins at pair `first`, from the bytes
   `segments` that pe__plan_sort_pairs() made. The segments of a row are computed one after the
   other, in whole groups of vectors. So the padding pairs after a segment are overwritten by the
   next segment; the padding pairs of the last segment are after the row. */
PE__INLINE size_t pe__segment_end(const uint8_t *segments, size_t first)
{
    return first + 1 + (segments[first] & PE__SEGMENT_OF_ONE ? 0 : segments[first + 1]);
}
/* Return how many padding pairs complete the last group of the segment [pair, end). */
PE__WRAPS
PE__INLINE size_t pe__segment_padding(size_t pair, size_t end) { return (pair - end) % PE__GROUP; }

/* Return the number of pairs from one row in sorted order to the next: the pairs [pair, pair + n)
   of a row, and the padding pairs of its last segment. */
PE__INLINE size_t pe__sorted_stride(const pe_plan *plan, size_t pair, size_t n)
{
    const uint8_t *const segments = plan->order + plan->pairs + pair;
    size_t first = 0;
    for (size_t end; (end = pe__segment_end(segments, first)) < n;) first = end;
    return n + pe__segment_padding(first, n);
}

/* Write `rows` rows of a sorted plan in its sorted order, segment by segment, for the positions
   that start at row `row`. The output has room for `room` pairs per row, padding pairs included.
   Stationary pairs are computed at position 0. If the positions have one coordinate for all axes,
   the segments of all other pairs are written as one. */
PE__OUTLINE void pe__write_sorted_rows(const pe__output *output, size_t room,
                                       const pe_at *positions, size_t row, size_t rows)
{
    const pe_plan *const plan = output->plan;
    const size_t n = output->sines;
    const size_t step = output->order == PE__SPLIT ? 1 : output->order == PE__MATRIX ? 4 : 2;
    const uint8_t *const segments = plan->order + output->pair + plan->pairs;
    pe__output part = *output;
    for (size_t first = 0, end; first < n; first = end) {
        end = pe__segment_end(segments, first);
        while (positions->axes == 1 && end < n && segments[end] % PE__SEGMENT_OF_ONE < PE_MAX_AXES)
            end = pe__segment_end(segments, end);
        part.pair = output->pair + first;
        part.coordinate = segments[first] % PE__SEGMENT_OF_ONE;
        part.sine = output->sine + step * first;
        part.cosine = output->cosine + step * first;
        part.padding_pairs = pe__min(pe__segment_padding(first, end), room - end);
        part.sines = part.cosines = end - first + part.padding_pairs;
        if (part.coordinate < PE_MAX_AXES) {
            pe__write_axis(&part, positions, row, rows);
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
   already. After its last row, the output needs space for one more row and for padding pairs, see
   pe__tile_tokens(). */
PE__OUTLINE void pe__write_unsorted_rows(const pe__output *output, const pe_at *positions,
                                         size_t row, size_t rows)
{
    const size_t n = output->sines, room = pe__sorted_stride(output->plan, output->pair, n);
    const uint8_t *const order = output->plan->order + output->pair;
    pe__output sorted = *output;
    sorted.out = pe__row_address(output, 1);
    sorted.stride = (ptrdiff_t)(2 * room * output->element);
    sorted.order = PE__SC;
    sorted.cosine = 1;
    pe__write_sorted_rows(&sorted, room, positions, row, rows);
    for (size_t r = 0; r < rows; r++)
        pe__unsort_row(pe__row_address(output, r), pe__row_address(&sorted, r), order, n,
                       output->element);
}

/* Write `rows` rows, for the positions that start at row `row`, to an output whose rows hold the
   sines and cosines of its pairs and nothing else. */
PE__OUTLINE void pe__write_rope_rows(const pe__output *output, const pe_at *positions, size_t row,
                                     size_t rows)
{
    const pe_plan *const plan = output->plan;
    if (plan->matrix) pe__write_sums(output, positions, row, rows);
    else if (plan->order) pe__write_unsorted_rows(output, positions, row, rows);
    /* All pairs share one coordinate, and their frequencies follow each other in the plan's array.
       There, axes with columns of their own would have padding between them. */
    else if (plan->axes == 1 || (positions->axes == 1 && plan->joint))
        pe__write_axis(output, positions, row, rows);
    else {
        pe__axis_part of = {0, 0, NULL, 0, 0, 0};
        while (pe__next_axis(plan, output->pair, output->sines, &of)) {
            pe__output part = *output;
            part.pair = of.axis->pair + of.first;
            part.coordinate = of.axis->coordinate;
            part.sine += of.offset;
            part.cosine += of.offset;
            part.sines = part.cosines = of.n;
            pe__write_axis(&part, positions, row, rows);
        }
    }
}
