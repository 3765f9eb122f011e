/* SPDX-License-Identifier: MIT */
/* Read and check the positions of a pe_at. Tested by tests/unit/test_at.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/options.h"
#include "../api/types.h"
#include "contract.h"
#include "../numbers/base.h"

/* ---- 4. where rows are ----------------------------------------------------------------------- */

typedef enum pe__at_kind {
    PE__AT_RANGE = 1, /* not 0, so that a pe_at of all zeros is refused */
    PE__AT_I32,
    PE__AT_I64,
    PE__AT_F32,
    PE__AT_F64,
    PE__AT_GRID
} pe__at_kind;

/* Returns a * b, or SIZE_MAX if the product is larger. */
PE__INLINE size_t pe__saturating_mul(size_t a, size_t b)
{
    return pe__exceeds(a, b, SIZE_MAX - 1) ? SIZE_MAX : a * b;
}

/* Returns for how many consecutive cells of a grid coordinate number `axis` stays the same: the
   product of the sizes of all later axes, or SIZE_MAX if that is less. */
PE__INLINE size_t pe__grid_cells(const pe_at *at, size_t axis)
{
    size_t cells = 1;
    for (size_t a = axis + 1; a < at->axes; a++) cells = pe__saturating_mul(cells, at->size[a]);
    return cells;
}

enum { PE__POSITIONS = 32 }; /* positions that are read together */

/* Write to p coordinate number `axis` of the n rows r, r + 1 ..., with its sign reversed if at was
   made by pe_back(). */
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
/* Returns coordinate number `axis` of row r, as pe__positions() does. */
PE__INLINE double pe__position(const pe_at *at, size_t r, size_t axis)
{
    double p = (double)(at->first + (int64_t)r * at->step);
    if (at->kind == PE__AT_RANGE) return at->back ? -p : p;
    pe__positions(at, r, 1, axis, &p);
    return p;
}

/* Returns 1 if |p[k] + a| and |p[k] + b| are at most reach for all k, else 0. A NaN gives 0. The
   reach of a table without rows is negative, and no position is within it. Integers are compared,
   because clang may remove comparisons that only NaNs decide (numbers/base.h); they do not have
   the sign of reach, so it is tested first. */
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

/* Returns 1 if a pointer can span the list up to the last element that a call of `rows` rows reads.
   The skipped rows count. rows is at least 1. */
static inline int pe__list_fits(const pe_at *at, size_t rows)
{
    const size_t element = at->kind == PE__AT_I32 || at->kind == PE__AT_F32 ? 4 : 8;
    const size_t limit = pe__max_elements(element) - 1, axes = at->axes - 1;
    if (rows - 1 > SIZE_MAX - at->skipped || pe__exceeds(axes, at->axis_stride, limit)) return 0;
    return !pe__exceeds(at->skipped + (rows - 1), at->row_stride, limit - axes * at->axis_stride);
}

/* Check the positions of a call of `rows` rows, at least 1, and `axes` coordinates. Return PE_OK or
   the error. For every position p, |p + a| and |p + b| must be at most reach. */
static inline pe_status pe__check_positions(const pe_at *at, size_t rows, size_t axes, double a,
                                            double b, double reach)
{
    double p[PE__POSITIONS];
    const double sign = at->back ? -1 : 1;
    const int grid = at->kind == PE__AT_GRID;
    int ok = 1;
    if (at->kind < (int)PE__AT_RANGE || at->kind > (int)PE__AT_GRID) return PE_ERR_AT;
    if (at->status != PE_OK) return at->status;
    if (at->axes != 1 && at->axes != axes) return PE_ERR_AT_AXES;
    if (at->kind == PE__AT_RANGE) { /* check both ends; if in reach, doubles hold them exactly */
        p[0] = (double)at->first * sign;
        p[1] = p[0] + (double)(rows - 1) * (double)at->step * sign;
        return pe__positions_ok(p, 2, a, b, reach) ? PE_OK : PE_ERR_RANGE;
    }
    if (grid) {
        const size_t cells = pe__saturating_mul(pe__grid_cells(at, 0), at->size[0]);
        if (cells == SIZE_MAX) return PE_ERR_AT_SIZE;
        if (at->skipped > cells || rows > cells - at->skipped) return PE_ERR_AT_ROWS;
    } else {
        if (!at->list) return PE_ERR_AT_NULL;
        if (!pe__list_fits(at, rows)) return PE_ERR_AT_SIZE;
    }
    for (size_t k = 0; k < at->axes; k++) {
        p[0] = 0; /* a grid: p[0] and p[1] are the ends of coordinate k */
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

/* Check positions as pe__check_positions() does, with pe's limits: |p| and |p + offset| must be at
   most pe__position_limit. If at was made by pe_back(), the caller passes the offset with its sign
   reversed. */
static inline pe_status pe__check_at(const pe_at *at, size_t rows, size_t axes, double offset)
{
    return pe__check_positions(at, rows, axes, 0, offset, (double)pe__position_limit);
}

/* Check that positions are integers of one coordinate, from a range or a list, and within pe's
   limits. Differences of integer positions are exact. Return PE_OK or the error. */
static inline pe_status pe__check_integers(const pe_at *at, size_t rows)
{
    const int real = at->kind > (int)PE__AT_I64 || at->axes > 1;
    return real ? PE_ERR_AT_KIND : pe__check_at(at, rows, 1, 0);
}

/* Returns the position of row r of a pe_at that pe__check_integers() has accepted. */
PE__INLINE int64_t pe__integer_position(const pe_at *at, size_t r)
{
    if (at->kind != (int)PE__AT_RANGE) return (int64_t)pe__position(at, r, 0);
    const int64_t p = at->first + (int64_t)r * at->step;
    return at->back ? -p : p;
}

/* Returns 1 if the positions are a range p, p + 1, p + 2 ... For lists it is always 0. */
PE__INLINE int pe__is_consecutive(const pe_at *at)
{
    return at->kind == (int)PE__AT_RANGE && at->step == (at->back ? -1 : 1);
}
