/* SPDX-License-Identifier: MIT */
/* The public functions that make a pe_at or change one.
 * Tested by tests/unit/positions/test_at.c. */
#pragma once
#include "../api/options.h"
#include "../api/types.h"
#include "contract.h"
#include "read.h"

/* Returns a pe_at whose fields are set one by one; only pe_grid() sets size. The bytes are not set
   to zero first: zeros are written by wide stores, and with these before the narrow stores of the
   fields every call stalled. */
static inline pe_at pe__make_at(pe__at_kind kind, int64_t first, int64_t step, const void *list,
                                size_t axes, size_t row_stride, size_t axis_stride)
{
    pe_at at;
    at.list = list;
    at.first = first;
    at.step = step;
    at.skipped = 0;
    at.axes = axes;
    at.row_stride = row_stride;
    at.axis_stride = axis_stride;
    at.kind = (int)kind;
    at.back = at.delta = 0;
    at.status = axes < 1 || axes > PE_MAX_AXES ? PE_ERR_AT_AXES : PE_OK;
    return at;
}

PE_API pe_at pe_from_by(int64_t first, int64_t step)
{
    return pe__make_at(PE__AT_RANGE, first, step, NULL, 1, 0, 0);
}
PE_API pe_at pe_from(int64_t first) { return pe_from_by(first, 1); }
PE_API pe_at pe_all(int64_t position) { return pe_from_by(position, 0); }

#define PE__LISTS(T, kind, type)                                                                   \
    PE_API pe_at pe_coords_##T(const type *coords, size_t axes, size_t row_stride,                 \
                               size_t axis_stride)                                                 \
    {                                                                                              \
        return pe__make_at(kind, 0, 0, coords, axes, row_stride, axis_stride);                     \
    }                                                                                              \
    PE_API pe_at pe_at_##T(const type *positions) { return pe_coords_##T(positions, 1, 1, 0); }
PE__LISTS(i32, PE__AT_I32, int32_t)
PE__LISTS(i64, PE__AT_I64, int64_t)
PE__LISTS(f32, PE__AT_F32, float)
PE__LISTS(f64, PE__AT_F64, double)
#undef PE__LISTS

PE_API pe_at pe_grid(const size_t *sizes, size_t axes)
{
    pe_at at = pe__make_at(PE__AT_GRID, 0, 0, NULL, axes, 0, 0);
    if (!sizes) at.status = PE_ERR_AT_NULL;
    for (size_t a = 0; at.status == PE_OK && a < axes; a++) at.size[a] = sizes[a];
    return at;
}

PE_API pe_at pe_back(pe_at at)
{
    at.back = !at.back;
    return at;
}

PE_API pe_at pe_delta(pe_at at)
{
    at.delta = 1;
    return at;
}

PE_API pe_at pe_skip(pe_at at, size_t rows)
{
    if (at.kind != (int)PE__AT_RANGE) {
        at.skipped = rows > SIZE_MAX - at.skipped ? SIZE_MAX : at.skipped + rows;
        return at;
    }
    if (at.step == 0) return at;
    /* Compute with uint64_t, and count from the least int64_t. `room`, the distance from at.first
       to the end of int64_t in the direction of the step, can be 2^64 - 1. */
    const int down = at.step < 0;
    const uint64_t half = (uint64_t)1 << 63, first = (uint64_t)at.first ^ half;
    const uint64_t room = down ? first : ~first;
    const uint64_t step = down ? ~(uint64_t)at.step + 1 : (uint64_t)at.step;
    if (rows > room / step) {
        at.status = PE_ERR_RANGE;
        return at;
    }
    const uint64_t now = (down ? first - rows * step : first + rows * step) ^ half;
    memcpy(&at.first, &now, sizeof now);
    return at;
}
