/* SPDX-License-Identifier: MIT */
/* Moves the sines and cosines of a row from the sorted order of a plan's arrays to the order that
 * the pairs have in a head. Tested by tests/unit/layouts/test_lists.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../sincos/double_double.h"
#include "elements.h"
#include "output.h"
#include "pairs.h"

/* Copy n items of `item_bytes` bytes from a plan's sorted order to the order of the pairs: item i
   of out is item order[i] of in. `order` has the bytes of n pairs in plan->order, and n is at most
   PE__SORT_PAIRS. A plan is sorted if plan->order is not NULL. Its arrays then hold the pairs of
   each coordinate together, as a segment (see pe__plan_sort_pairs()). pe__reorder() does the same,
   for item_bytes 2, 4, 8 or 16. */
PE__INLINE void pe__reorder_items(unsigned char *out, const unsigned char *in, const uint8_t *order,
                                  size_t n, size_t item_bytes)
{
    for (size_t i = 0; i < n; i++)
        memcpy(out + i * item_bytes, in + order[i] * item_bytes, item_bytes);
}
PE__OUTLINE void pe__reorder(unsigned char *out, const unsigned char *in, const uint8_t *order,
                             size_t n, size_t item_bytes)
{
    if (item_bytes == 2) pe__reorder_items(out, in, order, n, 2);
    else if (item_bytes == 4) pe__reorder_items(out, in, order, n, 4);
    else if (item_bytes == 8) pe__reorder_items(out, in, order, n, 8);
    else pe__reorder_items(out, in, order, n, 16);
}

/* Does what pe__unsort_row() does, for 16-bit elements. It is out of line so that its buffer is not
   on the stack while rows are computed. */
PE__OUTLINE void pe__unsort_row_16(unsigned char *out, const unsigned char *row,
                                   const uint8_t *order, size_t n)
{
    unsigned char copy[PE__SORT_PAIRS * sizeof(float)];
    pe__reorder(copy, row, order, n, 4);
    pe__deinterleave(out, copy, n, 2);
}

/* Copy a row of n pairs in sorted order, s c s c ..., to out: first the sines, then the cosines,
   both in the order of the pairs. `element` is the size of an element, 4 or 2 bytes. */
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

/* Change a row of a RoPE table from the plan's sorted order to the order of the pairs, by way of
   `buffer`. `to` has the layout of the finished table. `sorted` has the layout in which the row was
   computed. The row begins at the address `cosines` in the array of cosines, and at `sines` in that
   of sines. A table of matrices or complex numbers is one array, at `cosines`. */
PE__INLINE void pe__unsort_table_row(const pe__output *to, const pe__output *sorted,
                                     unsigned char *cosines, unsigned char *sines,
                                     unsigned char *buffer)
{
    const int matrix = to->order == PE__MATRIX;
    const size_t n = to->sines, e = to->element, item_bytes = matrix ? 4 * e : 2 * e;
    const uint8_t *const order = to->plan->order;
    if (matrix || to->order == PE__SC) {
        pe__reorder(buffer, cosines, order, n, item_bytes);
        memcpy(cosines, buffer, n * item_bytes);
        return;
    }
    if (sorted->order == PE__SPLIT) {
        pe__reorder(buffer, sines, order, n, e);
        pe__reorder(buffer + n * e, cosines, order, n, e);
    } else pe__unsort_row(buffer, cosines, order, n, e);
    pe__write_table_pairs(to, cosines, sines, 0, buffer, n);
}
