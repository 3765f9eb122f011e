/* SPDX-License-Identifier: MIT */
/* Adds rows of a learned table to activations, and the activations' gradient to the table's.
 * Tested by tests/unit/learned/test_learned.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/options.h"
#include "../api/types.h"
#include "contract.h"
#include "../numbers/sizes.h"
#include "../positions/read.h"
#include "../positions/check.h"
#include "../layouts/elements.h"

/* ---- 12.1 learned tables --------------------------------------------------------------------- */

/* Check the shapes and the positions. Each position must be the index of a row of the table. Return
   PE_OK or the error. */
static inline pe_status pe__check_learned(const pe_at *positions, size_t rows, size_t table_rows,
                                          size_t d_model, size_t stride, size_t element)
{
    const double limit = (double)pe__position_limit, all = (double)table_rows - 1;
    /* |p - half| <= half means 0 <= p <= 2 half. half is exact. For a table without rows it is
       negative, so every p is refused. */
    const double half = (all < limit ? all : limit) / 2;
    if (d_model == 0) return PE_ERR_EMPTY;
    pe_status status = pe__check_shape(d_model, rows, stride, element);
    if (status == PE_OK) status = pe__check_shape(d_model, table_rows, d_model, element);
    if (status == PE_OK) status = pe__check_positions(positions, rows, 1, -half, -half, half);
    const int real = positions->kind == PE__AT_F32 || positions->kind == PE__AT_F64;
    for (size_t r = 0; real && status == PE_OK && r < rows; r++) {
        const double p = pe__position(positions, r, 0);
        if (p != (double)(int64_t)p) status = PE_ERR_RANGE;
    }
    return status;
}

/* This struct holds a table and activations x, or the gradients of the two. Both have rows of
   d_model elements. The table's rows are packed; `stride` is the number of elements from row to row
   of x. */
typedef struct pe__learned {
    const void *table, *x;
    size_t table_rows, d_model, stride;
} pe__learned;

/* Check all arguments, then add rows in their order. The position of row r of x is the index of a
   row of the table. If grad is 0, add this row to row r of x. If grad is 1, add row r of x to it.
   Return PE_OK or the error. */
PE__INLINE pe_status pe__learned_add(pe_type type, int grad, const pe__learned *l,
                                     const pe_at *positions, size_t rows)
{
    const size_t d_model = l->d_model;
    const void *const table = l->table, *const x = l->x;
    if (rows == 0) return PE_OK;
    if (!table || !x) return PE_ERR_NULL;
    const pe_status status =
        pe__check_learned(positions, rows, l->table_rows, d_model, l->stride, pe__size_of(type));
    for (size_t r = 0, n; status == PE_OK && r < rows; r += n) {
        double p[PE__POSITIONS];
        /* from[k] is the number of elements before the table row for row r + k of the call. All are
           computed first, so that no addition waits for one. */
        size_t from[PE__POSITIONS];
        n = pe__min(rows - r, PE__POSITIONS);
        pe__positions(positions, r, n, 0, p);
        for (size_t k = 0; k < n; k++) from[k] = (size_t)p[k] * d_model;
        for (size_t k = 0; k < n; k++) {
            const void *const row = pe__at_const(type, table, from[k]);
            const void *const of_x = pe__at_const(type, x, (r + k) * l->stride);
            pe__add_row_as(type, (void *)(uintptr_t)(grad ? row : of_x), type, grad ? of_x : row,
                           d_model, NULL);
        }
    }
    return status;
}

PE_API pe_status pe_learned_grad_f32(float *grad_table, size_t table_rows, size_t d_model,
                                     pe_at positions, size_t rows, const float *grad_x,
                                     size_t stride)
{
    const pe__learned l = {grad_table, grad_x, table_rows, d_model, stride};
    return pe__learned_add(PE_TYPE_F32, 1, &l, &positions, rows);
}
