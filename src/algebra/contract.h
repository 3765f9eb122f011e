/* SPDX-License-Identifier: MIT */
/* The public contract of the functions that shift rows by a number of positions, and of those that
 * compute dot products of rows. Tested by tests/unit/algebra/test_algebra.c. */
#pragma once
#include "../api/options.h"
#include "../api/types.h"

/* ---- 9. algebra of positions --------------------------------------------------------------------
 * A shift by k positions rotates each pair (s, c), with frequency w_i, by the angle k w_i, whatever
 * its position is:
 *
 *     s' = s cos(k w_i) + c sin(k w_i)
 *     c' = c cos(k w_i) - s sin(k w_i)
 *
 * So PE(p + k) is a linear function of PE(p), and <PE(p), PE(p + k)> = A^2 sum_i cos(k w_i) depends
 * only on k. The number k is a difference, so the plan's offset and padding position do not matter.
 * The plan's amplitude A matters only in dot products. A shift by a and then by b is a shift by
 * a + b. So add the numbers and shift once; shifting twice rounds twice.
 *
 * Plans whose rows have other columns or angles are refused with PE_ERR_PLAN_SHIFT: an odd width
 * with PE_ODD_SINE, whose last column has no partner; PE_ANGLE_FLOAT32, whose rounded angles do not
 * add up; interleaved sections and lists of coordinates, which are for RoPE alone: move RoPE's keys
 * by pe_rope_T(plan, pe_delta(deltas), ...); PE_COLUMNS_FREQUENCIES, PE_COLUMNS_SUMS and
 * rope_interleave. Columns of zeros stay as they are. */

/* Shift rows by deltas, in place: rows of PE, or any rows with pairs in the plan's layout.
 * pe_all(k) shifts all rows by k.
 *
 * deltas       within -2^31 ... 2^31, with one coordinate or as many as the plan has; a row whose
 *              delta is 0 keeps every bit
 * x            rows * stride elements, as in pe_fill_T
 * stride       elements from row to row, >= d_model; elements between rows are not touched
 *
 * To get the matrix M of the shift, PE(p + k) = M PE(p), shift the rows of the identity by
 * pe_all(-k). M has cos(k w_i) on the diagonal. It has sin(k w_i) and -sin(k w_i) where the row of
 * one element of pair i meets the column of the other.
 *
 * Returns      as pe_fill_T, but never PE_ERR_PLAN_ROWS; PE_ERR_PLAN_SHIFT, see above. On an error
 *              nothing is written.
 * Accuracy     S = sin(k w_i) and C = cos(k w_i) are correctly rounded floats (f64: doubles). The
 *              two products and their sum are each rounded; nothing is fused:
 *                  s' = float(float(s C) + float(c S))      c' = float(float(c C) - float(s S))
 *              f16 and bf16 are widened to float, rotated, and rounded once. Without overflow an
 *              element of f32 is within 2^-24 (2 |s C| + 2 |c S| + |s'|) of the exact one, at most
 *              3 * 2^-24 hypot(s, c), and a row of PE within 4 * 2^-24 |A| of the exact row
 *              (tests/unit/algebra/test_algebra.c)
 * Aliasing     in place; x may not overlap deltas, the plan or its memory
 * Threads      any number on one plan, each with its own rows */
PE_API pe_status pe_shift_f32(const pe_plan *plan, pe_at deltas, size_t rows, float *x,
                              size_t stride);
PE_API pe_status pe_shift_f64(const pe_plan *plan, pe_at deltas, size_t rows, double *x,
                              size_t stride);
PE_API pe_status pe_shift_f16(const pe_plan *plan, pe_at deltas, size_t rows, uint16_t *x,
                              size_t stride);
PE_API pe_status pe_shift_bf16(const pe_plan *plan, pe_at deltas, size_t rows, uint16_t *x,
                               size_t stride);

/* Compute the dot product of two rows that are k positions apart, A^2 sum_i cos(k w_i), for each k
 * of deltas. Consecutive differences, as of pe_from(), take no longer than filling as many rows of
 * f32. For k = 0 the dot product is the square of a row's length, A^2 h, with h = plan->pairs.
 *
 * deltas       within -2^31 ... 2^31, with one coordinate
 * count        number of differences; 0 does nothing
 * dots         count doubles
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_PLAN; PE_ERR_PLAN_SHIFT, see above, and for several axes;
 *              PE_ERR_SIZE; PE_ERR_RANGE and PE_ERR_AT..., see section 4
 * Accuracy     within 0.501 ulp of A^2 times the exact sum of exact cosines; within 1 ulp if the
 *              result is subnormal; overflow to infinity. Where the cosines cancel to less than
 *              2^-40 A^2 h, the error is still below 2^-92 A^2 h, and a sum below 2^-88 A^2 h
 *              becomes 0 (tests/unit/algebra/test_algebra.c)
 * Aliasing     dots may not overlap deltas, the plan or its memory
 * Threads      any number on one plan */
PE_API pe_status pe_dot_f64(const pe_plan *plan, pe_at deltas, size_t count, double *dots);
