/* SPDX-License-Identifier: MIT */
/* Checks the pe_at of a call: its kind, the number of its coordinates, the size of its list or
 * grid, and that its positions are in range. Tested by tests/unit/positions/test_at.c and
 * tests/unit/api/test_errors.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../numbers/sizes.h"
#include "../numbers/compare.h"
#include "read.h"

static const int64_t pe__position_limit = (int64_t)1 << 31;

/* Returns 1 if |p[k] + a| and |p[k] + b| are at most reach for the n doubles of p, else 0. A NaN
   gives 0. A learned table or a table for RoPE that has no rows gives a negative reach; then no
   position is valid. The bits are compared as integers, because clang may remove comparisons that
   only NaNs decide (numbers/compare.h). These integers lack the sign of reach, so the sign is
   tested first. */
PE__INLINE int pe__positions_ok(const double *p, size_t n, double a, double b, double reach)
{
    const uint64_t limit = pe__magnitude_bits(reach);
    int ok = reach >= 0;
    for (size_t k = 0; k < n; k++) {
        ok &= pe__magnitude_bits(p[k] + a) <= limit;
        ok &= pe__magnitude_bits(p[k] + b) <= limit;
    }
    return ok;
}

/* Returns 1 if the list has at most PTRDIFF_MAX bytes, from its start to the last element that a
   call of `rows` rows reads, else 0. The skipped rows are included. The caller has checked that
   rows and positions->axes are at least 1. */
static inline int pe__list_fits(const pe_at *positions, size_t rows)
{
    const size_t element = positions->kind == PE__AT_I32 || positions->kind == PE__AT_F32 ? 4 : 8;
    const size_t limit = pe__max_elements(element) - 1, axes = positions->axes - 1;
    if (rows - 1 > SIZE_MAX - positions->skipped ||
        pe__exceeds(axes, positions->axis_stride, limit))
        return 0;
    return !pe__exceeds(positions->skipped + (rows - 1), positions->row_stride,
                        limit - axes * positions->axis_stride);
}

/* Check the positions of a call of `rows` rows, at least 1. Return PE_OK or the error. Rows must
   have 1 or `axes` coordinates. For every coordinate p, |p + a| and |p + b| must be at most reach.
   This holds also for the cells of a grid that no row uses. */
static inline pe_status pe__check_positions(const pe_at *positions, size_t rows, size_t axes,
                                            double a, double b, double reach)
{
    double p[PE__POSITIONS];
    const double sign = positions->back ? -1 : 1;
    const int grid = positions->kind == PE__AT_GRID;
    int ok = 1;
    if (positions->kind < (int)PE__AT_RANGE || positions->kind > (int)PE__AT_GRID) return PE_ERR_AT;
    if (positions->status != PE_OK) return positions->status;
    if (positions->axes != 1 && positions->axes != axes) return PE_ERR_AT_AXES;
    if (positions->kind == PE__AT_RANGE) {
        /* Check the first and the last position. If both are in reach, all integers here are below
           2^53, so p[0] and p[1] are exact. */
        p[0] = (double)positions->first * sign;
        p[1] = p[0] + (double)(rows - 1) * (double)positions->step * sign;
        return pe__positions_ok(p, 2, a, b, reach) ? PE_OK : PE_ERR_RANGE;
    }
    if (grid) {
        const size_t cells = pe__saturating_mul(pe__grid_cells(positions, 0), positions->size[0]);
        if (cells == SIZE_MAX) return PE_ERR_AT_SIZE;
        if (positions->skipped > cells || rows > cells - positions->skipped) return PE_ERR_AT_ROWS;
    } else {
        if (!positions->list) return PE_ERR_AT_NULL;
        if (!pe__list_fits(positions, rows)) return PE_ERR_AT_SIZE;
    }
    for (size_t k = 0; k < positions->axes; k++) {
        p[0] = 0; /* a grid: p[0] and p[1] are the ends of coordinate k */
        p[1] = grid ? (double)(positions->size[k] - 1) * sign : 0;
        if (grid) ok &= pe__positions_ok(p, 2, a, b, reach);
        for (size_t r = 0, n; !grid && r < rows; r += n) {
            n = pe__min(rows - r, PE__POSITIONS);
            pe__positions(positions, r, n, k, p);
            ok &= pe__positions_ok(p, n, a, b, reach);
        }
    }
    return ok ? PE_OK : PE_ERR_RANGE;
}

/* Check positions as pe__check_positions() does, with pe's limits: |p| and |p + offset| must be at
   most pe__position_limit. If positions->back is set, the positions are read with their sign
   reversed, so the caller passes the offset with its sign reversed, as pe__view() returns it. */
static inline pe_status pe__check_at(const pe_at *positions, size_t rows, size_t axes,
                                     double offset)
{
    return pe__check_positions(positions, rows, axes, 0, offset, (double)pe__position_limit);
}

/* Check that positions are a range, or a list of integers of one coordinate, and within pe's
   limits. Callers compute differences of positions: those of integers are exact. Return PE_OK or
   the error. */
static inline pe_status pe__check_integers(const pe_at *positions, size_t rows)
{
    const int real = positions->kind > (int)PE__AT_I64 || positions->axes > 1;
    return real ? PE_ERR_AT_KIND : pe__check_at(positions, rows, 1, 0);
}
