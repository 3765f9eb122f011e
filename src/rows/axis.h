/* SPDX-License-Identifier: MIT */
/* Writes the rows of one axis: cuts its positions into runs, and copies rows that repeat. Tested by
 * tests/unit/test_at.c and tests/unit/test_splits.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../numbers/base.h"
#include "../where/at.h"
#include "../numbers/double_double.h"
#include "../numbers/exp_log.h"
#include "../frequencies/geometric.h"
#include "../plan/shape.h"
#include "output.h"
#include "row_pair_f32.h"
#include "run.h"
#include "f64.h"

/* ---- 6.10 from positions to rows ----------------------------------------------------------------
 * Writes the rows of one axis: consecutive positions as runs, repeated positions as copies. */

/* Store n zeros in a row, from the given column on. */
PE__OUTLINE void pe__write_zeros(const pe__output *output, unsigned char *row, size_t column,
                                 size_t n)
{
    memset(row + column * output->element, 0, n * output->element);
}
/* Add n zeros to a row, from the given column on. This changes the row: its elements are multiplied
   by the scale, and -0 + 0 is 0. */
PE__INLINE void pe__add_zeros(const pe__output *output, unsigned char *row, size_t column, size_t n,
                              pe__row_adder *add)
{
    double zero[8]; /* for f32, f16 and bf16: 16 floats */
    memset(zero, 0, sizeof zero);
    const size_t most = output->element == sizeof(double) ? 8 : 16;
    for (size_t i = 0; i < n; i += most)
        (*add)(output, row + (column + i) * output->element, zero, pe__min(n - i, most));
}
#define PE__ROW_KERNELS(T, add_rows)                                                               \
    PE__OUTLINE void pe__add_zeros_##T(const pe__output *output, unsigned char *row,               \
                                       size_t column, size_t n)                                    \
    {                                                                                              \
        pe__add_zeros(output, row, column, n, pe__add_some_##T);                                   \
    }                                                                                              \
    static const pe__row_kernel pe__fill_kernel_##T = {pe__rows_##T, pe__write_zeros};             \
    static const pe__row_kernel pe__add_kernel_##T = {add_rows, pe__add_zeros_##T};
PE__ROW_KERNELS(f32, pe__add_rows_f32)
PE__ROW_KERNELS(f16, pe__add_rows_f16)
PE__ROW_KERNELS(bf16, pe__add_rows_bf16)
PE__ROW_KERNELS(f64, pe__rows_f64) /* stores or adds, by the store mode */
#undef PE__ROW_KERNELS

/* Returns the length of the run that begins at row r, which is at position p: `most` rows at most.
   With t = p + offset, row r + k of the run is at t + k * step. step is 1 or -1, and is written to
   *step. The length is 1 unless t is a multiple of 2^-20. All offsets are such multiples, and sums
   of such multiples are exact. */
static inline size_t pe__run_length(const pe_plan *plan, const pe_at *at, size_t r, size_t most,
                                    size_t axis, double p, double *step)
{
    const double t = p + plan->offset, units = t * 1048576.0;
    double q[PE__POSITIONS];
    *step = 1;
    if (most == 1 || (double)(int64_t)units != units) return 1;
    const double by = pe__position(at, r + 1, axis) + plan->offset - t;
    if (by != 1 && by != -1) return 1;
    *step = by;
    if (at->kind == PE__AT_RANGE) { /* a run ends before the padding position */
        const double before = (plan->padding - p) * by;
        return plan->has_padding && before > 0 && before < (double)most ? (size_t)before : most;
    }
    for (size_t n = 1, some; n < most; n += some) {
        some = pe__min(most - n, PE__POSITIONS);
        pe__positions(at, r + n, some, axis, q);
        for (size_t k = 0; k < some; k++)
            if (q[k] + plan->offset != t + (double)(n + k) * by ||
                (plan->has_padding && q[k] == plan->padding))
                return n + k;
    }
    return most;
}

/* The pieces into which the columns of an axis divide in a row. Piece i < count has bytes[i] bytes,
   and begins offset[i] bytes after the start of the row. */
typedef struct pe__pieces {
    size_t count, offset[4], bytes[4];
} pe__pieces;

PE__INLINE pe__pieces pe__pieces_of(const pe__output *output)
{
    const size_t e = output->element, sines = output->sines * e, cosines = output->cosines * e;
    const size_t sine = output->sine * e, cosine = output->cosine * e;
    const size_t repeat = output->repeat_offset * e;
    const size_t repeated = output->order == PE__REPEATED, adjacent = repeated && repeat <= sines;
    pe__pieces p = {1, {pe__min(sine, cosine)}, {sines + cosines}};
    if (output->order == PE__MATRIX) p.bytes[0] *= 2;
    const int separate = sine + sines != cosine && cosine + cosines != sine;
    if (!repeated && (output->order != PE__SPLIT || !separate)) return p;
    p.count = repeated && !adjacent ? 4 : 2;
    p.offset[0] = sine;
    p.offset[1] = cosine;
    p.offset[2] = sine + repeat;
    p.offset[3] = cosine + repeat;
    p.bytes[0] = p.bytes[2] = adjacent ? 2 * sines : sines;
    p.bytes[1] = p.bytes[3] = adjacent ? 2 * cosines : cosines;
    return p;
}
PE__INLINE void pe__copy_row(const pe__pieces *p, unsigned char *row, const unsigned char *from)
{
    memcpy(row + p->offset[0], from + p->offset[0], p->bytes[0]);
    for (size_t i = 1; i < p->count; i++)
        memcpy(row + p->offset[i], from + p->offset[i], p->bytes[i]);
}

/* The row cache of a list. Each slot holds a position, offset included, and the number of the row
   that was last written for it. When the position occurs again, that row is copied. 256 consecutive
   integers have different slots, and so have 256 consecutive multiples of 1/2, 1/4, ... 2^-8. The
   cache saves time in lists of at least PE__CACHE_MIN_ROWS rows. */
enum { PE__CACHE_SLOTS = 256, PE__CACHE_MIN_ROWS = 128 };
typedef struct pe__row_cache {
    size_t misses_left;                 /* new rows until the cache is given up; 0: given up */
    uint64_t position[PE__CACHE_SLOTS]; /* the bits of a double; all set: the slot is empty */
    uint32_t row[PE__CACHE_SLOTS];
    double next[PE__POSITIONS]; /* positions, without offset, of the row to write and later rows */
} pe__row_cache;

/* Returns the slot of t, and writes the bits of t to *bits. */
PE__INLINE size_t pe__cache_slot(double t, uint64_t *bits)
{
    const double fixed = t + 26388279066624.0; /* 1.5 * 2^44: rounds to multiples of 2^-8 */
    uint64_t n;
    memcpy(&n, &fixed, sizeof n);
    memcpy(bits, &t, sizeof t);
    return (uint32_t)((n + (n >> 8)) % PE__CACHE_SLOTS);
}
PE__INLINE int pe__cache_has(const pe__row_cache *cache, double t)
{
    uint64_t bits;
    return cache->misses_left && cache->position[pe__cache_slot(t, &bits)] == bits;
}
/* Copy cached rows to row r and the rows after it, at most n rows, and stop at the first row whose
   position is not in the cache. Returns how many rows were copied. next: the rows' positions. */
PE__OUTLINE size_t pe__cache_copy(pe__row_cache *cache, const pe__output *output, size_t r,
                                  size_t n)
{
    const pe_plan *const plan = output->plan;
    const pe__pieces pieces = pe__pieces_of(output);
    size_t k = 0;
    for (uint64_t bits; k < n; k++) {
        const double p = cache->next[k];
        const size_t slot = pe__cache_slot(p + plan->offset, &bits);
        if (cache->position[slot] != bits || (plan->has_padding && p == plan->padding)) break;
        pe__copy_row(&pieces, pe__row_address(output, r + k),
                     pe__row_address(output, cache->row[slot]));
    }
    cache->misses_left = pe__min(cache->misses_left + k, PE__CACHE_SLOTS);
    return k;
}
/* Enter the n rows of a run into the cache: row r for position t, row r + 1 for t + step ... A run
   of more rows than the cache has slots is not entered. */
PE__INLINE void pe__cache_insert(pe__row_cache *cache, double t, double step, size_t r, size_t n)
{
    for (size_t k = 0; n <= PE__CACHE_SLOTS && k < n; k++) {
        uint64_t bits;
        const size_t slot = pe__cache_slot(t + (double)k * step, &bits);
        cache->position[slot] = bits;
        cache->row[slot] = (uint32_t)(r + k);
    }
    cache->misses_left -= pe__min(cache->misses_left, n);
}

/* PE_COLUMNS_SUMS: write each row as position 1 of a plan on the stack, whose frequencies are the
   sums of coordinate times frequency at the row's point. With n <= 8 coordinates, the error of a
   sum has two parts. One is at most n (n + 2) 2^-106 times the sum of the terms' magnitudes, the
   other at most 2^-102 times the sum itself. Together they are below 2^-98 times the largest
   frequency times the sum of the coordinates' magnitudes. */
PE__OUTLINE void pe__write_sums(const pe__output *output, const pe_at *at, size_t first,
                                size_t rows, const pe__row_kernel *kernel)
{
    const pe_plan *const plan = output->plan;
    const size_t pairs = pe__pairs_of(output);
    enum { PE__PAIRS = 128, PE__PADDED = PE__PAIRS + 2 * PE__MAX_LANES };
    double sums[2 * PE__PADDED], point[PE_MAX_AXES];
    const pe__td unit = pe__frequency_unit(plan->unit, plan->half_turns);
    pe_plan one = *plan;
    pe__dd by;
    by.hi = unit.a;
    by.lo = unit.b;
    one.frequency = sums;
    one.padded = PE__PADDED;
    one.point = point;
    for (size_t r = 0; r < rows; r++) {
        double size = 0;
        for (size_t k = 0; k < plan->axes; k++) {
            point[k] = pe__position(at, first + r, at->axes == 1 ? 0 : k) + plan->offset;
            size += fabs(point[k]);
        }
        pe__plan_set_range(&one, pe__exp2i(-98), plan->fastest * size);
        for (size_t done = 0, i; done < pairs; done += PE__PAIRS) {
            pe__output part = pe__output_part(output, done, PE__PAIRS);
            const size_t n = pe__pairs_of(&part);
            one.first = part.pair;
            for (i = 0; i < n; i += PE_LANES) {
                const double *w = plan->matrix + one.first + i;
                pe__vd sum = pe__splat(0.0), rest = sum, e, lost;
                for (size_t k = 0; k < plan->axes; k++, w += plan->matrix_step) {
                    const pe__vd p = pe__two_prod(pe__load(w), pe__splat(point[k]), &e);
                    sum = pe__two_sum(sum, p, &lost);
                    rest = rest + (lost + e);
                }
                pe__dd f;
                f.hi = pe__two_sum(sum, rest, &f.lo);
                f = pe__dd_renormalize(pe__dd_mul(f, by));
                pe__store(sums + i, f.hi);
                pe__store(sums + PE__PADDED + i, f.lo);
            }
            for (; i < n + 2 * PE__MAX_LANES; i++) {
                sums[i] = sums[i - 1];
                sums[PE__PADDED + i] = sums[PE__PADDED + i - 1];
            }
            part.plan = &one;
            part.pair = 0;
            part.out = pe__row_address(output, r);
            kernel->rows(&part, 1.0, 1);
        }
    }
}

/* How one coordinate of a grid varies: each value holds for `cells` consecutive rows, and the
   values recur after `period` values, which is period * cells rows. If `at` is no grid, or rows are
   added: {1, SIZE_MAX}. */
typedef struct pe__grid {
    size_t cells, period;
} pe__grid;

/* Fill row r and rows after it with copies of rows written before. Returns how many rows were
   filled, or 0 if row r is not a repeated one. rest: rows from row r to the end. cell: how many
   rows just before row r have its value in the grid. same: row r is at the position of row r - 1.

   The period counts values, but rows here. That is right because cells is 1 where the period is
   used: if cells is above 1, pe__write_axis_runs() writes the rows with cell 0, and the other rows
   are copied from the row before. */
PE__INLINE size_t pe__copy_repeated_rows(const pe__output *output, const pe_at *at,
                                         const pe__grid *grid, size_t r, size_t rest, size_t cell,
                                         int same)
{
    size_t back = 1, copies = 1; /* rows back to the source; rows to write */
    if (cell != 0 && r > 0) copies = pe__min(grid->cells - cell, rest);
    else if (r >= grid->period) {
        back = grid->period;
        copies = rest;
    } else if (!same) return 0;
    else if (at->kind == PE__AT_RANGE) copies = rest;
    const pe__pieces pieces = pe__pieces_of(output);
    /* If back is 1, copy row r - 1 to all rows, not row n - 1, which has only just been written. */
    for (size_t n = r; n < r + copies; n++)
        pe__copy_row(&pieces, pe__row_address(output, n),
                     pe__row_address(output, (back == 1 ? r : n) - back));
    return copies;
}

/* Write n rows for the positions t, t + step, ... (step 1 or -1), stride bytes from row to row, the
   first at part->out. *part is the caller's own copy of its output, and is changed here. To copy it
   once more would take wide loads, which stall on the narrow stores that have just written
   *part. */
PE__INLINE void pe__write_run(pe__output *part, ptrdiff_t stride, double t, double step, size_t n,
                              const pe__row_kernel *kernel)
{
    const double before = step > 0 ? 0 : (double)(n - 1); /* step -1: write from the last row up */
    if (step < 0) part->out += (ptrdiff_t)(n - 1) * stride;
    part->stride = step > 0 ? stride : -stride;
    kernel->rows(part, t - before, n);
}

/* Write the rows of one axis, from row `first` of `at` on, run by run. Copy repeated rows, and
   write zeros to rows at the padding position. cache: the row cache of a long list, or NULL. */
PE__OUTLINE void pe__write_axis_runs(const pe__output *output, const pe_at *at, size_t first,
                                     size_t rows, const pe__row_kernel *kernel,
                                     pe__row_cache *cache)
{
    const pe_plan *const plan = output->plan;
    const size_t k = at->axes == 1 ? 0 : output->coordinate;
    const int adds = output->mode == PE__ADD, values = at->kind == PE__AT_GRID && !adds;
    const double nowhere = 1e300;
    pe__grid grid = {1, SIZE_MAX};
    if (values) {
        grid.cells = pe__grid_cells(at, k);
        grid.period = at->size[k];
    }
    double last = nowhere; /* position, with offset, of the row before row r */
    pe__output part = *output;
    for (size_t r = 0, run, made = 0; r < rows; r += run) {
        const size_t rest = rows - r;
        const size_t cell = values ? (at->skipped + first + r) % grid.cells : 0;
        const double p = pe__position(at, first + r, k), t = p + plan->offset;
        const int same = t == last && !adds;
        double step = at->back ? -1 : 1;
        last = t;
        run = 1;
        part.out = pe__row_address(output, r);
        if (plan->has_padding && p == plan->padding) {
            const size_t column = pe__min(output->sine, output->cosine);
            kernel->zeros(output, part.out, column, output->sines + output->cosines);
            last = nowhere;
        } else if (grid.cells > 1 &&
                   cell == 0) { /* one run: the first row of each value from p on */
            if (r < made) continue;
            const size_t n = pe__min(grid.period - (size_t)fabs(p), (rest - 1) / grid.cells + 1);
            made = r + n * grid.cells;
            pe__write_run(&part, output->stride * (ptrdiff_t)grid.cells, t, step, n, kernel);
        } else if (cache && pe__cache_has(cache, t)) {
            const size_t n = pe__min(rest, PE__POSITIONS);
            pe__positions(at, first + r, n, k, cache->next);
            run = pe__cache_copy(cache, output, r, n);
            last = cache->next[run - 1] + plan->offset;
        } else {
            const size_t copies = pe__copy_repeated_rows(output, at, &grid, r, rest, cell, same);
            run = copies ? copies : pe__run_length(plan, at, first + r, rest, k, p, &step);
            if (copies) continue;
            last = t + (double)(run - 1) * step;
            pe__write_run(&part, output->stride, t, step, run, kernel);
            if (cache && cache->misses_left) pe__cache_insert(cache, t, step, r, run);
        }
    }
}
/* pe__write_axis_runs() with a row cache, which takes stack only here. */
PE__OUTLINE void pe__write_axis_cached(const pe__output *output, const pe_at *at, size_t first,
                                       size_t rows, const pe__row_kernel *kernel)
{
    pe__row_cache cache;
    cache.misses_left = PE__CACHE_SLOTS;
    memset(cache.position, 0xff, sizeof cache.position); /* empty: NaNs */
    pe__write_axis_runs(output, at, first, rows, kernel, &cache);
}
/* Write the rows of one axis, from row `first` of `at` on: a single row directly, a long list with
   a row cache, all other rows without one. */
PE__OUTLINE void pe__write_axis(const pe__output *output, const pe_at *at, size_t first,
                                size_t rows, const pe__row_kernel *kernel)
{
    const size_t k = at->axes == 1 ? 0 : output->coordinate;
    const int list = at->kind != (int)PE__AT_RANGE && at->kind != (int)PE__AT_GRID;
    /* too few rows for a row cache, or more than its uint32_t can number */
    const int few = rows < PE__CACHE_MIN_ROWS || rows >> 16 >> 16 != 0;
    if (rows == 1 && !output->plan->has_padding)
        kernel->rows(output, pe__position(at, first, k) + output->plan->offset, 1);
    else if (list && !few && output->mode != PE__ADD)
        pe__write_axis_cached(output, at, first, rows, kernel);
    else pe__write_axis_runs(output, at, first, rows, kernel, NULL);
}
