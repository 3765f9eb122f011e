/* SPDX-License-Identifier: MIT */
/* Sizes that may overflow, ranges of positions, tiles, and types of elements.
 * tests/unit/api/test_errors.c and tests/unit/rows/test_bounds.c test them. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"

/* Returns how many elements of `element` bytes (1, 2, 4 or 8) fit into PTRDIFF_MAX bytes, the most
   that a pointer can span. Needs no division. */
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

/* Checks an array of `rows` rows that begin `stride` elements of `element` bytes apart: the stride
   must be at least d_model, and a pointer must be able to span the array. */
static inline pe_status pe__check_shape(size_t d_model, size_t rows, size_t stride, size_t element)
{
    if (stride < d_model) return PE_ERR_SHAPE;
    if (pe__exceeds(stride, rows, pe__max_elements(element))) return PE_ERR_SIZE;
    return PE_OK;
}

static const int64_t pe__position_limit = (int64_t)1 << 31;

/* Checks that the consecutive positions first ... first + rows - 1 are within the limit. */
static inline pe_status pe__check_range(int64_t first, size_t rows)
{
    if (first < -pe__position_limit || first > pe__position_limit) return PE_ERR_RANGE;
    const uint64_t all = rows, room = (uint64_t)(pe__position_limit - first);
    return all - 1 <= room ? PE_OK : PE_ERR_RANGE; /* room: positions in range after first */
}

/* PE__BLOCK_HALF: the rows of a block on each side of its anchor.
   PE__TILE: the pairs of a tile. A tile is faster where its part of a row is long.
   PE__TILE_STREAMED: the pairs of a tile with non-temporal stores. The anchors of the tile and the
   plan's rotation rows must stay in the L1 cache, because a miss waits for the buffers that
   non-temporal stores fill. If optimised, it is half of PE__TILE: half of each array of
   pe__block (rows/block.h) stays free, and pe__unaliased() can move the anchors within their
   arrays. Unoptimised, the two are equal, and the anchors are not moved. */
#ifdef __OPTIMIZE__
enum { PE__OPTIMIZED = 1 };
#else /* unoptimised kernels need more stack: smaller tiles leave it to them */
enum { PE__OPTIMIZED = 0 };
#endif
enum { PE__BLOCK_HALF = 8, PE__BLOCK_ROWS = 2 * PE__BLOCK_HALF + 1 };
enum { PE__TILE = PE__OPTIMIZED ? 512 : 128 };
enum { PE__TILE_STREAMED = PE__OPTIMIZED ? 256 : 128 };

/* The number of pairs that pe__plan_sort_pairs() sorts together, by coordinate. */
enum { PE__SORT_PAIRS = 256 };

/* The types of elements, with the values of pe_type. PE__DROP_...: how many bits of the
   significand the last rounding drops: from double to float, or from float to 16 bits. */
typedef enum pe__type { PE__F32, PE__F16, PE__BF16 } pe__type;
enum { PE__DROP_F32 = PE__DROPPED, PE__DROP_BF16 = 16, PE__DROP_F16 = 13 };
PE__INLINE int pe__dropped_bits(pe__type kind)
{
    return kind == PE__BF16 ? PE__DROP_BF16 : kind == PE__F16 ? PE__DROP_F16 : PE__DROP_F32;
}

PE__INLINE size_t pe__min(size_t a, size_t b) { return a < b ? a : b; }
PE__INLINE size_t pe__max(size_t a, size_t b) { return a > b ? a : b; }

/* Returns the first cache line boundary (64 bytes) at or after p. */
PE__INLINE double *pe__aligned(void *p)
{
    return (double *)(void *)((unsigned char *)p + (64 - (uintptr_t)p % 64) % 64);
}

/* Comparisons of numbers that a caller gave, which may be NaNs. clang assumes that there are no
   NaNs under -ffinite-math-only. It may then decide that a NaN equals 0, or that a NaN is within
   any limits, and pe's pragmas do not change that. So these functions look at the bits of the
   double, and their callers do not take fabs() first. `tests/run fast` shows that clang keeps
   the tests. */

/* Returns the bits of |x|. They are in the order of |x|, with NaNs above infinity. */
PE__INLINE uint64_t pe__magnitude_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & INT64_MAX;
}
PE__INLINE int pe__is_nan(double x) { return pe__magnitude_bits(x) > UINT64_C(0x7ff0000000000000); }
PE__INLINE int pe__is_zero(double x) { return pe__magnitude_bits(x) == 0; }

/* Returns whether low <= |x| <= high, for low >= 0: 0 if x is a NaN. */
PE__INLINE int pe__magnitude_between(double x, double low, double high)
{
    const uint64_t bits = pe__magnitude_bits(x);
    return bits >= pe__magnitude_bits(low) && bits <= pe__magnitude_bits(high);
}

/* Returns whether low <= x <= high: 0 if x is a NaN. */
PE__INLINE int pe__between(double x, double low, double high)
{
    return !pe__is_nan(x) && x >= low && x <= high;
}
