/* SPDX-License-Identifier: MIT */
/* Computes sizes of arrays without overflow, and checks them. Tested by
 * tests/unit/api/test_errors.c and tests/unit/calls/test_memory.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"

/* Returns how many elements of `element` bytes (1, 2, 4 or 8) fit into PTRDIFF_MAX bytes, the
   maximum that a pointer can span. The divisors are constants, so no division is executed. */
PE__INLINE size_t pe__max_elements(size_t element)
{
    const size_t bytes = (size_t)PTRDIFF_MAX;
    return element == 1 ? bytes : element == 2 ? bytes / 2 : element == 4 ? bytes / 4 : bytes / 8;
}

/* Returns whether a b > limit, without overflow. Divides only if a or b needs more than half the
   bits of size_t. */
PE__INLINE int pe__exceeds(size_t a, size_t b, size_t limit)
{
    const int half = (int)sizeof(size_t) * 4;
    if (((a | b) >> half) == 0) return a * b > limit;
    return b != 0 && a > limit / b;
}

/* Returns a * b, or SIZE_MAX if the product is larger. */
PE__INLINE size_t pe__saturating_mul(size_t a, size_t b)
{
    return pe__exceeds(a, b, SIZE_MAX - 1) ? SIZE_MAX : a * b;
}

/* Checks the shape of an array of `rows` rows, each `stride` elements of `element` bytes after the
   one before. Returns PE_ERR_SHAPE if the stride is less than d_model, PE_ERR_SIZE if a pointer
   cannot span the array, else PE_OK. */
static inline pe_status pe__check_shape(size_t d_model, size_t rows, size_t stride, size_t element)
{
    if (stride < d_model) return PE_ERR_SHAPE;
    if (pe__exceeds(stride, rows, pe__max_elements(element))) return PE_ERR_SIZE;
    return PE_OK;
}
