/* SPDX-License-Identifier: MIT */
/* Positions of a pe_at: read, checked.
 * Gives: PE__AT_F32, PE__AT_F64, PE__AT_GRID, PE__AT_RANGE, PE__POSITIONS, pe__grid_cells(),
 *   pe__check_at(), pe__is_consecutive(), pe__check_positions(), pe__check_integers(), pe__at_kind,
 *   pe__position(), pe__positions(), pe__saturating_mul(), pe__integer_position().
 * Needs: simd, api, numbers.
 * Tests: tests/unit/test_at.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/options.h"
#include "../api/types.h"
#include "contract.h"
#include "../numbers/base.h"

/* ---- 4. where rows are ----------------------------------------------------------------------- */

typedef enum pe__at_kind {
    PE__AT_RANGE = 1, /* zeros are no place */
    PE__AT_I32,
    PE__AT_I64,
    PE__AT_F32,
    PE__AT_F64,
    PE__AT_GRID
} pe__at_kind;

/* Is a b > SIZE_MAX? Then that. */
PE__INLINE size_t pe__saturating_mul(size_t a, size_t b)
{
    return pe__exceeds(a, b, SIZE_MAX - 1) ? SIZE_MAX : a * b;
}

/* Cells of a grid before a coordinate changes; SIZE_MAX if they are more. */
PE__INLINE size_t pe__grid_cells(const pe_at *at, size_t axis)
{
    size_t cells = 1;
    for (size_t a = axis + 1; a < at->axes; a++) cells = pe__saturating_mul(cells, at->size[a]);
    return cells;
}

enum { PE__POSITIONS = 32 }; /* positions looked at together */

/* The positions of n rows from row r on: coordinate axis. */
PE__OUTLINE void pe__positions(const pe_at *at, size_t r, size_t n, size_t axis, double *p)
{
    const size_t first = (at->skipped + r) * at->row_stride + axis * at->axis_stride;
    const size_t step = at->row_stride;
#define PE__READ_LIST(type)                                                                        \
    for (size_t k = 0; k < n; k++) {                                                               \
        double x = (double)((const type *)at->list)[first + k * step];                             \
        PE__OPAQUE(x);                                                                             \
        p[k] = x;                                                                                  \
    }                                                                                              \
    break
    switch (at->kind) {
    case PE__AT_I32: PE__READ_LIST(int32_t);
    case PE__AT_I64: PE__READ_LIST(int64_t);
    case PE__AT_F32: PE__READ_LIST(float);
    case PE__AT_F64: PE__READ_LIST(double);
#undef PE__READ_LIST
    case PE__AT_GRID:
        for (size_t k = 0; k < n; k++)
            p[k] = (double)((at->skipped + r + k) / pe__grid_cells(at, axis) % at->size[axis]);
        break;
    default:
        for (size_t k = 0; k < n; k++) p[k] = (double)(at->first + (int64_t)(r + k) * at->step);
        break;
    }
    for (size_t k = 0; at->back && k < n; k++) p[k] = -p[k];
}
PE__INLINE double pe__position(const pe_at *at, size_t r, size_t axis)
{
    double p = (double)(at->first + (int64_t)r * at->step);
    if (at->kind == PE__AT_RANGE) return at->back ? -p : p;
    pe__positions(at, r, 1, axis, &p);
    return p;
}

/* Are all |p + a| and |p + b| at most reach? No for a NaN. */
PE__INLINE int pe__positions_ok(const double *p, size_t n, double a, double b, double reach)
{
    int ok = 1;
    for (size_t k = 0; k < n; k++) ok &= (fabs(p[k] + a) <= reach) & (fabs(p[k] + b) <= reach);
    return ok;
}

/* Do the indices of so many rows of a list fit? */
static inline int pe__list_fits(const pe_at *at, size_t rows)
{
    const size_t element = at->kind == PE__AT_I32 || at->kind == PE__AT_F32 ? 4 : 8;
    const size_t limit = pe__max_elements(element) - 1, axes = at->axes - 1;
    if (rows - 1 > SIZE_MAX - at->skipped || pe__exceeds(axes, at->axis_stride, limit)) return 0;
    return !pe__exceeds(at->skipped + (rows - 1), at->row_stride, limit - axes * at->axis_stride);
}

/* What is wrong with the places of rows > 0 rows of so many coordinates? Positions p must have
   |p + a| and |p + b| of at most reach. */
static inline pe_status pe__check_positions(const pe_at *at, size_t rows, size_t axes, double a,
                                            double b, double reach)
{
    double p[PE__POSITIONS];
    const double sign = at->back ? -1 : 1;
    const int grid = at->kind == PE__AT_GRID;
    int ok = 1;
    if (at->kind < (int)PE__AT_RANGE || at->kind > (int)PE__AT_GRID) return PE_ERR_ENUM;
    if (at->status != PE_OK) return at->status;
    if (at->axes != 1 && at->axes != axes) return PE_ERR_SHAPE;
    if (at->kind == PE__AT_RANGE) { /* its ends, as doubles: inexact only far beyond */
        p[0] = (double)at->first * sign;
        p[1] = p[0] + (double)(rows - 1) * (double)at->step * sign;
        return pe__positions_ok(p, 2, a, b, reach) ? PE_OK : PE_ERR_RANGE;
    }
    if (grid) {
        const size_t cells = pe__saturating_mul(pe__grid_cells(at, 0), at->size[0]);
        if (cells == SIZE_MAX) return PE_ERR_SIZE;
        if (at->skipped > cells || rows > cells - at->skipped) return PE_ERR_SHAPE;
    } else {
        if (!at->list) return PE_ERR_NULL;
        if (!pe__list_fits(at, rows)) return PE_ERR_SIZE;
    }
    for (size_t k = 0; k < at->axes; k++) {
        p[0] = 0; /* a grid's ends */
        p[1] = grid ? (double)(at->size[k] - 1) * sign : 0;
        if (grid) ok &= pe__positions_ok(p, 2, a, b, reach);
        for (size_t r = 0, n; !grid && r < rows; r += n) {
            n = pe__min(rows - r, PE__POSITIONS);
            pe__positions(at, r, n, k, p);
            ok &= pe__positions_ok(p, n, a, b, reach);
        }
    }
    return ok ? PE_OK : PE_ERR_RANGE;
}

/* The same for all that pe takes, with this offset, which is that of a pe_back() already. */
static inline pe_status pe__check_at(const pe_at *at, size_t rows, size_t axes, double offset)
{
    return pe__check_positions(at, rows, axes, 0, offset, (double)pe__position_limit);
}

/* The same for whole positions of one coordinate, whose differences are exact. */
static inline pe_status pe__check_integers(const pe_at *at, size_t rows)
{
    const int real = at->kind > (int)PE__AT_I64 || at->axes > 1;
    return real ? PE_ERR_ENUM : pe__check_at(at, rows, 1, 0);
}

PE__INLINE int64_t pe__integer_position(const pe_at *at, size_t r)
{
    if (at->kind != (int)PE__AT_RANGE) return (int64_t)pe__position(at, r, 0);
    const int64_t p = at->first + (int64_t)r * at->step;
    return at->back ? -p : p;
}

/* Are these so many rows at p, p + 1, p + 2 ... because they are a range? */
PE__INLINE int pe__is_consecutive(const pe_at *at)
{
    return at->kind == (int)PE__AT_RANGE && at->step == (at->back ? -1 : 1);
}
