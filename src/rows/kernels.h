/* SPDX-License-Identifier: MIT */
/* The row kernels: for each type, the functions that fill rows and those that add them. Tested by
 * tests/unit/rows/test_splits.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../layouts/output.h"
#include "row_pair_f32.h"
#include "block.h"
#include "f64.h"
#include "run.h"

/* ---- 6.10 the row kernels -----------------------------------------------------------------------
 * A row kernel refers to the code that depends on the type, and on whether rows are filled or
 * added. */

/* Store n zeros in a row, starting at the given column. */
PE__OUTLINE void pe__write_zeros(const pe__output *output, unsigned char *row, size_t column,
                                 size_t n)
{
    memset(row + column * output->element, 0, n * output->element);
}
/* Add n zeros to a row, starting at the given column. This changes the row: its elements are
   multiplied by the scale, and -0 + 0 is 0. */
PE__INLINE void pe__add_zeros(const pe__output *output, unsigned char *row, size_t column, size_t n,
                              pe__row_adder *add)
{
    double zero[8]; /* for f32, f16 and bf16: 16 floats */
    memset(zero, 0, sizeof zero);
    const size_t limit = output->element == sizeof(double) ? 8 : 16;
    for (size_t i = 0; i < n; i += limit)
        (*add)(output, row + (column + i) * output->element, zero, pe__min(n - i, limit));
}
/* PE__ROW_KERNELS defines two row kernels for a type: one fills rows, the other adds them. Each is
   a static object of the function that returns it. At file scope, gcc -O0 would keep the objects,
   and all functions that they refer to, even in a program that uses none of them. The arguments
   are the functions for the fields of the two row kernels (pe__row_kernel in layouts/output.h) and,
   as `four`, of the adder (pe__adder there). */
#define PE__ROW_KERNELS(T, row, add_row, rows, add_rows, block, add_block, pairs, add_pairs, four) \
    PE__OUTLINE void pe__add_zeros_##T(const pe__output *output, unsigned char *to, size_t column, \
                                       size_t n)                                                   \
    {                                                                                              \
        pe__add_zeros(output, to, column, n, pe__add_some_##T);                                    \
    }                                                                                              \
    PE__INLINE const pe__row_kernel *pe__fill_kernel_##T(void)                                     \
    {                                                                                              \
        static const pe__row_kernel kernel = {row, rows, pe__write_zeros, block, pairs, NULL};     \
        return &kernel;                                                                            \
    }                                                                                              \
    PE__INLINE const pe__row_kernel *pe__add_kernel_##T(void)                                      \
    {                                                                                              \
        static const pe__adder adder = {four, pe__add_some_##T};                                   \
        static const pe__row_kernel kernel = {add_row,   add_rows,  pe__add_zeros_##T,             \
                                              add_block, add_pairs, &adder};                       \
        return &kernel;                                                                            \
    }
PE__ROW_KERNELS(f32, pe__row_f32, pe__add_row_of_floats, pe__rows_f32, pe__rows_f32,
                pe__write_block_f32, pe__write_block_f32, pe__store_row_pairs,
                pe__add_row_pairs_f32, pe__add_four_f32)
PE__ROW_KERNELS(f16, pe__rows_f16, pe__add_row_of_floats, pe__rows_f16, pe__rows_f32,
                pe__write_block_of_rows_f16, pe__write_block_f32, NULL, pe__add_row_pairs_f16,
                pe__add_four_f16)
PE__ROW_KERNELS(bf16, pe__rows_bf16, pe__add_rows_bf16, pe__rows_bf16, pe__add_rows_bf16,
                pe__write_block_of_rows_bf16, pe__write_block_of_add_rows_bf16, NULL, NULL,
                pe__add_four_bf16)
PE__ROW_KERNELS(f64, pe__rows_f64, pe__rows_f64, pe__rows_f64, pe__rows_f64, NULL, NULL, NULL, NULL,
                NULL) /* pe__rows_f64() stores or adds, depending on the store mode */
#undef PE__ROW_KERNELS
