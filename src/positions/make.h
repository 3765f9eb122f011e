/* SPDX-License-Identifier: MIT */
/* Defines the public functions that make a pe_at or return a changed copy of one. Tested by
 * tests/unit/positions/test_at.c. */
#pragma once
#include "../api/options.h"
#include "../api/types.h"
#include "contract.h"
#include "read.h"

/* Returns a pe_at with all fields set except `size`, which only pe_grid() sets and only grids use.
   Its status is PE_ERR_AT_AXES if `axes` is not 1 ... PE_MAX_AXES. The struct is not first filled
   with zeros, because compilers write zeros by wide stores. When the narrow stores of the fields
   followed these, every call stalled. */
static inline pe_at pe__make_at(pe__at_kind kind, int64_t first, int64_t step, const void *list,
                                size_t axes, size_t row_stride, size_t axis_stride)
{
    pe_at positions;
    positions.list = list;
    positions.first = first;
    positions.step = step;
    positions.skipped = 0;
    positions.axes = axes;
    positions.row_stride = row_stride;
    positions.axis_stride = axis_stride;
    positions.kind = (int)kind;
    positions.back = positions.delta = 0;
    positions.status = axes < 1 || axes > PE_MAX_AXES ? PE_ERR_AT_AXES : PE_OK;
    return positions;
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
    pe_at positions = pe__make_at(PE__AT_GRID, 0, 0, NULL, axes, 0, 0);
    if (!sizes) positions.status = PE_ERR_AT_NULL;
    for (size_t a = 0; positions.status == PE_OK && a < axes; a++) positions.size[a] = sizes[a];
    return positions;
}

PE_API pe_at pe_back(pe_at positions)
{
    positions.back = !positions.back;
    return positions;
}

PE_API pe_at pe_delta(pe_at positions)
{
    positions.delta = 1;
    return positions;
}

PE_API pe_at pe_skip(pe_at positions, size_t rows)
{
    if (positions.kind != (int)PE__AT_RANGE) {
        positions.skipped =
            rows > SIZE_MAX - positions.skipped ? SIZE_MAX : positions.skipped + rows;
        return positions;
    }
    if (positions.step == 0) return positions;
    /* Compute with uint64_t, because `room` can be 2^64 - 1: the distance from positions.first to
       the end of int64_t in the direction of the step. `first` is positions.first - INT64_MIN: the
       exclusive or with `half`, the most significant bit, subtracts INT64_MIN. The exclusive or
       at the end adds INT64_MIN again. */
    const int down = positions.step < 0;
    const uint64_t half = (uint64_t)1 << 63, first = (uint64_t)positions.first ^ half;
    const uint64_t room = down ? first : ~first;
    const uint64_t step = down ? ~(uint64_t)positions.step + 1 : (uint64_t)positions.step;
    if (rows > room / step) {
        positions.status = PE_ERR_RANGE;
        return positions;
    }
    const uint64_t now = (down ? first - rows * step : first + rows * step) ^ half;
    memcpy(&positions.first, &now, sizeof now);
    return positions;
}
