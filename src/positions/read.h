/* SPDX-License-Identifier: MIT */
/* Returns the positions of a pe_at as doubles or integers, row by row or several rows at a time.
 * Tested by tests/unit/positions/test_at.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/options.h"
#include "../api/types.h"
#include "contract.h"
#include "../numbers/sizes.h"

/* ---- 4. where rows are ----------------------------------------------------------------------- */

typedef enum pe__at_kind {
    PE__AT_RANGE = 1, /* not 0, so that a pe_at of all zeros is refused */
    PE__AT_I32,
    PE__AT_I64,
    PE__AT_F32,
    PE__AT_F64,
    PE__AT_GRID
} pe__at_kind;

/* Returns the number of consecutive cells of a grid that have the same value of coordinate `axis`.
   It is the product of the sizes of all later axes, or SIZE_MAX if the product is larger. */
PE__INLINE size_t pe__grid_cells(const pe_at *positions, size_t axis)
{
    size_t cells = 1;
    for (size_t a = axis + 1; a < positions->axes; a++)
        cells = pe__saturating_mul(cells, positions->size[a]);
    return cells;
}

/* Code that reads many positions calls pe__positions() for at most this many rows at a time, so
   that their doubles fit into a small array on the stack. */
enum { PE__POSITIONS = 32 };

/* Write coordinate `axis` of each of the rows [r, r + n) to p, with its sign reversed if
   positions->back is set (see pe_back()). Row 0 is the first one that pe_skip() has not skipped. */
PE__OUTLINE void pe__positions(const pe_at *positions, size_t r, size_t n, size_t axis, double *p)
{
    const size_t first =
        (positions->skipped + r) * positions->row_stride + axis * positions->axis_stride;
    const size_t step = positions->row_stride;
#define PE__READ_LIST(type)                                                                        \
    for (size_t k = 0; k < n; k++) {                                                               \
        double x = (double)((const type *)positions->list)[first + k * step];                      \
        PE__OPAQUE(x);                                                                             \
        p[k] = x;                                                                                  \
    }                                                                                              \
    break
    switch (positions->kind) {
    case PE__AT_I32: PE__READ_LIST(int32_t);
    case PE__AT_I64: PE__READ_LIST(int64_t);
    case PE__AT_F32: PE__READ_LIST(float);
    case PE__AT_F64: PE__READ_LIST(double);
#undef PE__READ_LIST
    case PE__AT_GRID:
        for (size_t k = 0; k < n; k++)
            p[k] = (double)((positions->skipped + r + k) / pe__grid_cells(positions, axis) %
                            positions->size[axis]);
        break;
    default:
        for (size_t k = 0; k < n; k++)
            p[k] = (double)(positions->first + (int64_t)(r + k) * positions->step);
        break;
    }
    for (size_t k = 0; positions->back && k < n; k++) p[k] = -p[k];
}
/* Returns coordinate `axis` of row r, with its sign reversed if positions->back is set. */
PE__INLINE double pe__position(const pe_at *positions, size_t r, size_t axis)
{
    double p = (double)(positions->first + (int64_t)r * positions->step);
    if (positions->kind == PE__AT_RANGE) return positions->back ? -p : p;
    pe__positions(positions, r, 1, axis, &p);
    return p;
}

/* Returns the position of row r of a pe_at that pe__check_integers() has accepted, with its sign
   reversed if positions->back is set. */
PE__INLINE int64_t pe__integer_position(const pe_at *positions, size_t r)
{
    if (positions->kind != (int)PE__AT_RANGE) return (int64_t)pe__position(positions, r, 0);
    const int64_t p = positions->first + (int64_t)r * positions->step;
    return positions->back ? -p : p;
}

/* Returns 1 if the positions are a range p, p + 1, p + 2 ... Returns 0 for all lists and grids,
   even if their positions are consecutive. */
PE__INLINE int pe__is_consecutive(const pe_at *positions)
{
    return positions->kind == (int)PE__AT_RANGE && positions->step == (positions->back ? -1 : 1);
}
