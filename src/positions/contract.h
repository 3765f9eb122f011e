/* SPDX-License-Identifier: MIT */
/* This contract declares the functions that say at which positions the rows of a call are. Tested
 * by tests/unit/positions/test_at.c. */
#pragma once
#include "../api/options.h"
#include "../api/types.h"

/* ---- 4. where rows are --------------------------------------------------------------------------
 * A pe_at says at which positions the rows of a call are. The functions that make a pe_at check
 * return no error: the call that takes the pe_at returns it, before it writes anything. Positions
 * are integers or reals within -2^31 ... 2^31. Consecutive positions, ascending or descending, are
 * the fastest, also in lists. A call that refuses its pe_at returns
 *
 *   PE_ERR_AT         a pe_at that none of these functions made, such as one of all zeros
 *   PE_ERR_AT_NULL    a list, or the sizes of a grid, that is NULL
 *   PE_ERR_AT_KIND    a list of reals, a grid, or points of several coordinates, if the call takes
 *                     whole positions of one coordinate
 *   PE_ERR_AT_AXES    a number of coordinates that is neither 1 nor that of the plan's axes
 *   PE_ERR_AT_ROWS    a grid of fewer cells than the call has rows
 *   PE_ERR_AT_SIZE    a list or grid larger than the address space
 *   PE_ERR_RANGE      a position that is a NaN, or that is outside -2^31 ... 2^31 before or after
 *                     the plan's offset is added; for a table, one that is none of its rows */

/* Return the positions first, first + 1, ... Threads: any. */
PE_API pe_at pe_from(int64_t first);

/* Return the positions first, first + step, first + 2 step, ... The step may be 0 or negative.
   Threads: any. */
PE_API pe_at pe_from_by(int64_t first, int64_t step);

/* Return the same position for every row, as pe_from_by(position, 0). Threads: any. */
PE_API pe_at pe_all(int64_t position);

/* Place row r at positions[r]. Positions may have any order, repeat and be negative. Reals may be
   fractions: diffusion timesteps, m/z values, positions divided by a scale. Whole numbers in a list
   of reals give the same bits as in a list of integers. The list is not copied. NULL is refused
   with PE_ERR_AT_NULL by the call that takes the pe_at. Threads: any. */
PE_API pe_at pe_at_i32(const int32_t *positions);
PE_API pe_at pe_at_i64(const int64_t *positions);
PE_API pe_at pe_at_f32(const float *positions);
PE_API pe_at pe_at_f64(const double *positions);

/* Place row r at cell r of a grid: coordinate k runs from 0 to sizes[k] - 1, the last coordinate
   fastest. The array `sizes` has `axes` numbers and is copied. The parameter `axes` is 1 or the
   number of axes of the plan. A call may have fewer rows than the grid has cells, but checks the
   positions of all cells. It refuses NULL with PE_ERR_AT_NULL, more rows than cells with
   PE_ERR_AT_ROWS, and sizes whose product overflows with PE_ERR_AT_SIZE. Threads: any. */
PE_API pe_at pe_grid(const size_t *sizes, size_t axes);

/* Place rows at points: coordinate k of row r is coords[r * row_stride + k * axis_stride]. An array
   [rows][axes] has the strides axes and 1. An array [axes][rows], as in M-RoPE's (t, y, x), has the
   strides 1 and rows. The parameter `axes` is 1 or the number of axes of the plan. The array is not
   copied. NULL is refused with PE_ERR_AT_NULL by the call that takes the pe_at. Threads: any. */
PE_API pe_at pe_coords_i32(const int32_t *coords, size_t axes, size_t row_stride,
                           size_t axis_stride);
PE_API pe_at pe_coords_i64(const int64_t *coords, size_t axes, size_t row_stride,
                           size_t axis_stride);
PE_API pe_at pe_coords_f32(const float *coords, size_t axes, size_t row_stride, size_t axis_stride);
PE_API pe_at pe_coords_f64(const double *coords, size_t axes, size_t row_stride,
                           size_t axis_stride);

/* Return the positions without those of the first `rows` rows, so that threads can split a call.
   Skips add up. Threads: any. */
PE_API pe_at pe_skip(pe_at positions, size_t rows);

/* Reverse the rotation: use -(p + offset) for the position p, with the same amplitude. In RoPE this
   is the gradient (the transposed map), and the inverse if the amplitude is 1; this is not so with
   rope_interleave, see section 8. Two calls of pe_back() cancel. A padding position stays a padding
   position. Threads: any. */
PE_API pe_at pe_back(pe_at positions);

/* Take positions as differences: the plan's offset and padding position are ignored, and the
   amplitude is 1. With pe_rope_T this is a K-shift, which moves keys that are already rotated to
   other positions, as in llama_memory_seq_add. pe_back(pe_delta(positions)) undoes it.
   Threads: any. */
PE_API pe_at pe_delta(pe_at positions);
