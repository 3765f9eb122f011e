/* SPDX-License-Identifier: MIT */
/* Checks the shape of an array of attention scores. Tested by tests/unit/api/test_errors.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../numbers/sizes.h"

/* Returns PE_ERR_SHAPE if rows of scores overlap, PE_ERR_SIZE if a pointer cannot span all rows,
   and else PE_OK. A row is the scores of all keys for one head and one query. heads, queries and
   keys are at least 1. Two orders are allowed: all rows of a head come before those of the next
   head, or all rows of a query come before those of the next query. */
static inline pe_status pe__scores_shape(size_t heads, size_t queries, size_t keys, size_t element,
                                         size_t query_stride, size_t head_stride)
{
    const size_t down = pe__saturating_mul(queries - 1, query_stride);
    const size_t room = pe__max_elements(element);
    const size_t across = pe__saturating_mul(heads - 1, head_stride);
    if ((queries > 1 && query_stride < keys) || (heads > 1 && head_stride < keys) ||
        (queries > 1 && heads > 1 && down > head_stride - keys && across > query_stride - keys))
        return PE_ERR_SHAPE;
    const int fits = keys <= room && down <= room - keys && across <= room - keys - down;
    return fits ? PE_OK : PE_ERR_SIZE;
}
