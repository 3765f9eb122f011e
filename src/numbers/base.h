/* SPDX-License-Identifier: MIT */
/* Sizes that may overflow, ranges, tiles, kinds of elements.
 * Gives: PE__BF16, PE__BLOCK_HALF, PE__DROP_F16, PE__DROP_F32, PE__F16, PE__F32, PE__OPTIMIZED,
 *   PE__BLOCK_ROWS, PE__TILE, PE__TILE_STREAMED, pe__aligned(), pe__between(),
 *   pe__check_range(), pe__check_shape(), pe__dropped_bits(), pe__exceeds(), pe__type, pe__max(),
 *   pe__min(), pe__position_limit, pe__max_elements().
 * Needs: simd, api.
 * Tests: tests/unit/test_errors.c, tests/unit/test_bounds.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"

/* How many elements of 1, 2, 4 or 8 bytes lie within reach of a pointer; without a division. */
PE__INLINE size_t pe__max_elements(size_t element)
{
    const size_t bytes = (size_t)PTRDIFF_MAX;
    return element == 1 ? bytes : element == 2 ? bytes / 2 : element == 4 ? bytes / 4 : bytes / 8;
}

/* Is a b > limit? Numbers of everyday sizes take no division. */
PE__INLINE int pe__exceeds(size_t a, size_t b, size_t limit)
{
    const int half = (int)sizeof(size_t) * 4;
    if (((a | b) >> half) == 0) return a * b > limit;
    return b != 0 && a > limit / b;
}

/* rows of stride elements of the given size: does the last byte lie within reach of a pointer? */
static inline pe_status pe__check_shape(size_t d_model, size_t rows, size_t stride, size_t element)
{
    if (stride < d_model) return PE_ERR_SHAPE;
    if (pe__exceeds(stride, rows, pe__max_elements(element))) return PE_ERR_SIZE;
    return PE_OK;
}

static const int64_t pe__position_limit = (int64_t)1 << 31;

/* rows that follow each other from first. */
static inline pe_status pe__check_range(int64_t first, size_t rows)
{
    if (first < -pe__position_limit || first > pe__position_limit) return PE_ERR_RANGE;
    const uint64_t all = rows, room = (uint64_t)(pe__position_limit - first);
    return all - 1 <= room ? PE_OK : PE_ERR_RANGE; /* room for rows that follow the first */
}

/* A tile's pairs. Of one that is streamed, rows and anchors are to stay in the first-level cache:
   what they miss waits for the buffers that streaming stores fill. Elsewhere long rows are
   better. */
#ifdef __OPTIMIZE__
enum { PE__OPTIMIZED = 1 };
#else /* kernels take more stack: tiles take less */
enum { PE__OPTIMIZED = 0 };
#endif
enum { PE__BLOCK_HALF = 8, PE__BLOCK_ROWS = 2 * PE__BLOCK_HALF + 1 };
enum { PE__TILE = PE__OPTIMIZED ? 512 : 128 };
enum { PE__TILE_STREAMED = PE__OPTIMIZED ? 256 : 128 }; /* half the room, for pe__unaliased() */

/* Pairs among which a list of coordinates sorts a plan's arrays: see pe__plan_sort_pairs(). */
enum { PE__SORT_PAIRS = 256 };

/* Types of elements, and bits that the last rounding drops: from double to float, or from float. */
typedef enum pe__type { PE__F32, PE__F16, PE__BF16 } pe__type; /* as pe_type */
enum { PE__DROP_F32 = PE__DROPPED, PE__DROP_BF16 = 16, PE__DROP_F16 = 13 };
PE__INLINE int pe__dropped_bits(pe__type kind)
{
    return kind == PE__BF16 ? PE__DROP_BF16 : kind == PE__F16 ? PE__DROP_F16 : PE__DROP_F32;
}

PE__INLINE size_t pe__min(size_t a, size_t b) { return a < b ? a : b; }
PE__INLINE size_t pe__max(size_t a, size_t b) { return a > b ? a : b; }

/* The first address of a cache line at or after p. */
PE__INLINE double *pe__aligned(void *p)
{
    return (double *)(void *)((unsigned char *)p + (64 - (uintptr_t)p % 64) % 64);
}

PE__INLINE int pe__between(double x, double low, double high) /* 0 for NaN */
{
    return x >= low && x <= high;
}
