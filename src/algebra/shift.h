/* SPDX-License-Identifier: MIT */
/* Shifts rows by a number of positions: checks, calls, and the rotation of doubles. Tested by
 * tests/unit/algebra/test_algebra.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/options.h"
#include "../api/types.h"
#include "contract.h"
#include "../positions/read.h"
#include "../positions/check.h"
#include "../positions/runs.h"
#include "../plan/frequencies.h"
#include "../layouts/output.h"
#include "../rows/f64.h"
#include "../rows/call.h"
#include "../rope/heads.h"
#include "../rope/call.h"
#include "../rope/rotate.h"
#include "../rope/tokens.h"
#include "../plan/fields.h"

/* ---- 9.1 shifts ---------------------------------------------------------------------------------
 * A shift by k is RoPE's rotation, with a row as the only head of a token. RoPE rotates (x, y) to
 * (x cos - y sin, y cos + x sin). So pairs with the cosine first rotate by the angle of position k,
 * and pairs with the sine first by the angle of position -k. RoPE does not rotate doubles, so
 * pe_shift_f64() has a rotation of its own. */

enum { PE__SHIFT_TILE = 512 }; /* pairs that a shift of doubles rotates together */

/* Returns whether the rows of a plan that was made can be shifted. Every column must hold zeros or
   belong to a pair in the plan's layout, and the angles must not be rounded to float. */
static inline int pe__can_shift(const pe_plan *plan)
{
    int ok = !plan->float32 && !plan->order && !plan->rope_interleave;
    ok &= !plan->step && !plan->matrix;
    for (size_t a = 0; a < plan->axes; a++) ok &= plan->axis[a].sines == plan->axis[a].cosines;
    return ok;
}

/* Rotate the pairs (x, y) of `rows` rows, in place. Pair i rotates by the angle with the sine ts[i]
   and the cosine tc[i]. So x becomes x tc[i] - y ts[i], and y becomes y tc[i] + x ts[i]. In memory,
   y is `across` doubles after x. If split is 0, pairs are interleaved and `across` is 1. */
PE__INLINE void pe__shift_rows_f64(int split, const pe__output *output, size_t rows, size_t across,
                                   const double *ts, const double *tc)
{
    enum { PE__PREFETCH_DISTANCE = 8192 }; /* in bytes; rounded down to whole rows, at least 1 */
    const size_t n = output->sines, step = split ? 1 : 2, bytes = (size_t)output->stride;
    const size_t prefetch_distance = pe__max(PE__PREFETCH_DISTANCE / pe__max(bytes, 1), 1) * bytes;
    for (size_t r = 0; r < rows; r++) {
        double *u =
            (double *)(void *)pe__row_address(output, r) + pe__min(output->sine, output->cosine);
        size_t i = 0;
        for (size_t k = 0; split && k < n; k += 8) {
            PE__PREFETCH((uintptr_t)(u + k) + prefetch_distance);
            PE__PREFETCH((uintptr_t)(u + across + k) + prefetch_distance);
        }
        for (; i + PE_LANES <= n; i += PE_LANES, u += step * PE_LANES) {
            const pe__vd c = pe__load(tc + i), s = pe__load(ts + i);
            pe__vd x, y;
            if (split) {
                x = pe__load(u);
                y = pe__load(u + across);
            } else pe__unzip(u, &x, &y);
            const pe__vd a = pe__mul(x, c) - pe__mul(y, s), b = pe__mul(y, c) + pe__mul(x, s);
            if (split) {
                pe__store(u, a);
                pe__store(u + across, b);
            } else pe__zip_store(u, a, b);
        }
        for (; i < n; i++, u += step) {
            const double x = u[0], y = u[across];
            u[0] = pe__double_product(x, tc[i]) - pe__double_product(y, ts[i]);
            u[across] = pe__double_product(y, tc[i]) + pe__double_product(x, ts[i]);
        }
    }
}

/* Rotate the pairs of `rows` rows by their angles at position `delta`. This is the shift with the
   sign that pe__shift_check() gives it. The columns are those of the output, which are one axis. */
PE__OUTLINE void pe__shift_columns_f64(const pe__output *output, double delta, size_t rows)
{
    double row[2 * PE__SHIFT_TILE];
    const size_t begin = pe__min(output->sine, output->cosine);
    const size_t end = pe__max(output->sine, output->cosine);
    const size_t across = output->order == PE__SPLIT ? end - begin : 1;
    for (size_t done = 0; done < output->sines; done += PE__SHIFT_TILE) {
        const pe__output part = pe__output_part(output, done, PE__SHIFT_TILE);
        const size_t n = part.sines;
        const pe__output made =
            pe__output_split(NULL, output->plan, part.pair, n, row, sizeof *row);
        pe__rows_f64(&made, delta, 1);
        if (across > 1) pe__shift_rows_f64(1, &part, rows, across, row, row + n);
        else pe__shift_rows_f64(0, &part, rows, 1, row, row + n);
    }
}

/* Check the arguments of a shift and return the status. If it is PE_OK, set *positions to the
   positions by whose angles the rows are rotated: the deltas, or their negatives where sines come
   first. Set *rotation to a copy of the plan with amplitude 1, without offset and padding
   position. */
static inline pe_status pe__shift_check(const pe_plan *plan, const pe_at *deltas,
                                        const pe__output *output, pe_at *positions,
                                        pe_plan *rotation)
{
    pe_status status = pe__check_output(plan, output);
    /* PE_ERR_PLAN_ROWS: only RoPE can use the plan, whose rows can be neither written nor
       shifted */
    if (status == PE_ERR_PLAN_ROWS || (status == PE_OK && !pe__can_shift(plan)))
        status = PE_ERR_PLAN_SHIFT;
    if (status == PE_OK) status = pe__check_at(deltas, output->rows, plan->axes, 0);
    if (status != PE_OK) return status;
    *positions = plan->cos_first ? pe_delta(*deltas) : pe_back(pe_delta(*deltas));
    (void)pe__view(plan, positions, rotation);
    return PE_OK;
}

PE_API pe_status pe_shift_f64(const pe_plan *plan, pe_at deltas, size_t rows, double *x,
                              size_t stride)
{
    pe__output output = pe__output_of(x, sizeof *x, rows, stride, PE__STORE, 1, NULL);
    pe_at positions;
    pe_plan rotation;
    if (rows == 0) return PE_OK;
    const pe_status status = pe__shift_check(plan, &deltas, &output, &positions, &rotation);
    for (size_t a = 0; status == PE_OK && a < rotation.axes; a++) {
        const size_t k = positions.axes == 1 ? 0 : rotation.axis[a].coordinate;
        pe__runs runs = pe__runs_of(&rotation, &positions, 0, rows, k, 0);
        pe__set_axis(&output, &rotation, &rotation.axis[a]);
        for (pe__run run; pe__next_run(&runs, &run);) {
            const size_t same = run.step == 0 ? run.rows : 1; /* rows with the same delta */
            for (size_t r = 0; r < run.rows; r += same) {
                const double delta = run.position + (double)r * run.step;
                output.out = (unsigned char *)(x + (run.row + r) * stride);
                if (delta != 0) pe__shift_columns_f64(&output, delta, same);
            }
        }
    }
    return status;
}

/* ---- 9.2 shifts of f32, f16 and bf16 --------------------------------------------------------- */

/* Returns whether row r is shifted by 0 in every coordinate. */
static inline int pe__is_zero_delta(const pe_at *positions, size_t r)
{
    int stays = 1;
    for (size_t a = 0; a < positions->axes; a++) stays &= pe__position(positions, r, a) == 0;
    return stays;
}

/* Rotate `rows` rows of an output, starting at row `row`, with RoPE's code. Each row is the only
   head of a token. */
static inline void pe__shift_rows(const pe_plan *plan, const pe_at *positions, size_t row,
                                  size_t rows, const pe__output *output, pe__head_rotator *rotate,
                                  pe__head_rotator *rotate_sections)
{
    pe__rope_call call;
    memset(&call, 0, sizeof call);
    pe__set_types(&call, output->element, output->element, rotate, rotate_sections);
    call.tokens = rows;
    call.x[0].heads = 1;
    call.x[0].in_token = call.x[0].out_token = (size_t)output->stride;
    call.x[0].in_head = call.x[0].out_head = (size_t)output->stride;
    call.x[0].in = call.x[0].out = pe__row_address(output, row);
    pe__rotate_tokens(plan, positions, row, &call);
}

/* Check the arguments, then rotate all rows but those whose shift is 0, which keep every bit.
   Consecutive rows whose shifts are not 0 are rotated in one call. */
static inline pe_status pe__call_shift(const pe_plan *plan, const pe_at *deltas,
                                       const pe__output *output, pe__head_rotator *rotate,
                                       pe__head_rotator *rotate_sections)
{
    pe_at positions;
    pe_plan rotation;
    if (output->rows == 0) return PE_OK;
    const pe_status status = pe__shift_check(plan, deltas, output, &positions, &rotation);
    for (size_t r = 0, run; status == PE_OK && r < output->rows; r += run) {
        const int stay = pe__is_zero_delta(&positions, r);
        run = positions.kind == PE__AT_RANGE && positions.step == 0 ? output->rows - r : 1;
        while (r + run < output->rows && pe__is_zero_delta(&positions, r + run) == stay) run++;
        if (!stay) pe__shift_rows(&rotation, &positions, r, run, output, rotate, rotate_sections);
    }
    return status;
}
