/* SPDX-License-Identifier: MIT */
/* Writes the rows of one axis, run by run: computes them, or copies rows that repeat. Tested by
 * tests/unit/positions/test_at.c and tests/unit/rows/test_splits.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../positions/read.h"
#include "../positions/runs.h"
#include "../numbers/double_double.h"
#include "../numbers/exp_log.h"
#include "../frequencies/geometric.h"
#include "../plan/shape.h"
#include "../layouts/output.h"
#include "../plan/fields.h"
#include "../layouts/pairs.h"

/* ---- 6.11 from positions to rows ----------------------------------------------------------------
 * This code writes the rows of one axis. The function pe__next_run() (positions/runs.h) divides
 * them into runs. Rows at consecutive positions are computed together. Rows for which it finds an
 * earlier row at the same position are copied. Rows at the padding position become zeros. */

/* For PE_COLUMNS_SUMS: write each row as position 1 of a plan on the stack. The frequency of a pair
   in this plan is a sum over the coordinates of the row's point, of coordinate times frequency.
   With n <= 8 coordinates, the error of such a sum has two parts. One is at most n (n + 2) 2^-106
   times the sum of the terms' magnitudes, the other at most 2^-102 times the sum itself. Together
   they are below 2^-98 times the largest frequency times the sum of the coordinates' magnitudes. So
   this is the error that pe__plan_set_range() is given. */
PE__OUTLINE void pe__write_sums(const pe__output *output, const pe_at *positions, size_t first,
                                size_t rows)
{
    const pe_plan *const plan = output->plan;
    const size_t pairs = pe__max(output->sines, output->cosines);
    enum { PE__PAIRS = 128, PE__PADDED = PE__PAIRS + 2 * PE__MAX_LANES };
    double sums[2 * PE__PADDED], point[PE_MAX_AXES];
    const pe__td frequency_scale = pe__frequency_scale(plan->unit, plan->half_turns);
    pe_plan one = *plan;
    const pe__dd factor = pe__dd_from_td(frequency_scale);
    one.frequency = sums;
    one.padded = PE__PADDED;
    one.point = point;
    for (size_t r = 0; r < rows; r++) {
        double size = 0;
        for (size_t k = 0; k < plan->axes; k++) {
            point[k] =
                pe__position(positions, first + r, positions->axes == 1 ? 0 : k) + plan->offset;
            size += fabs(point[k]);
        }
        pe__plan_set_range(&one, pe__exp2i(-98), plan->fastest * size);
        for (size_t done = 0, i; done < pairs; done += PE__PAIRS) {
            pe__output part = pe__output_part(output, done, PE__PAIRS);
            const size_t n = pe__max(part.sines, part.cosines);
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
                f = pe__dd_renormalize(pe__dd_mul(f, factor));
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
            (*output->kernel->row)(&part, 1.0, 1);
        }
    }
}

/* Copy the rows of a run of the kind PE__RUN_COPIED from earlier rows of the output. Only the
   columns of the output's axis are copied. */
PE__OUTLINE void pe__copy_run(const pe__output *output, const pe__run *run)
{
    const pe__pieces pieces = pe__pieces_of(output);
    const size_t n = run->rows;
    const ptrdiff_t stride = output->stride, step = run->source_step ? stride : 0;
    const uint32_t *const sources = run->sources;
    unsigned char *to = pe__row_address(output, run->row);
    const unsigned char *from = pe__row_address(output, sources ? 0 : run->source);
    for (size_t k = 0; k < n; k++, to += stride, from += step)
        pe__copy_row(&pieces, to, sources ? pe__row_address(output, sources[k]) : from);
}

/* Write the rows of a run, according to its kind: copy them, write zeros, or compute them. Rows are
   computed in blocks, or one by one if there is only one row or blocks are impossible. Blocks are
   impossible if all rows share one position. They are also impossible if the plan has no rotation
   rows. For f64, which does not use these (kernel->block is NULL), they are impossible if angles
   are floats (plan->float32), which cannot be rotated from each other. The caller passes its own
   copy of the output in *part, and this function changes `out` and `stride` of this copy. Copying
   *part again would take wide loads, which stall on the narrow stores that have just written it. */
PE__OUTLINE void pe__write_run(const pe__output *output, pe__output *part, const pe__run *run)
{
    const pe__row_kernel *const kernel = output->kernel;
    const size_t n = run->rows, down = run->step < 0 ? n - 1 : 0; /* descending: start at the end */
    const ptrdiff_t stride = output->stride * (ptrdiff_t)run->every;
    const int blocks = kernel->block ? output->plan->table != NULL : !output->plan->float32;
    part->out = pe__row_address(output, run->row + down * run->every);
    part->stride = down ? -stride : stride;
    if (run->kind == PE__RUN_COPIED) pe__copy_run(output, run);
    else if (run->kind == PE__RUN_ZEROS)
        kernel->zeros(output, part->out, pe__min(output->sine, output->cosine),
                      output->sines + output->cosines);
    else if (n > 1 && run->step != 0 && blocks)
        (*kernel->rows)(part, run->position - (double)down, n);
    else
        for (size_t k = 0; k < n; k++, part->out += part->stride)
            (*kernel->row)(part, run->position + ((double)k - (double)down) * fabs(run->step), 1);
}

/* Write the rows of a long list of positions, using a row cache (positions/runs.h). Only this
   function has the row cache on its stack, so other calls need less stack. */
PE__OUTLINE void pe__write_list(const pe__output *output, pe__output *part, pe__runs *runs)
{
    pe__row_cache cache;
    cache.misses_left = PE__CACHE_SLOTS;
    memset(cache.position, 0xff, sizeof cache.position); /* empty: NaNs */
    runs->cache = &cache;
    for (pe__run run; pe__next_run(runs, &run);) pe__write_run(output, part, &run);
}

/* Write `rows` rows of one axis, starting at row `first` of `positions`. A single row of a plan
   without a padding position is written directly. All other rows are written run by run. */
PE__OUTLINE void pe__write_axis(const pe__output *output, const pe_at *positions, size_t first,
                                size_t rows)
{
    const size_t k = positions->axes == 1 ? 0 : output->coordinate;
    const int list = positions->kind != (int)PE__AT_RANGE && positions->kind != (int)PE__AT_GRID;
    /* too few rows for a row cache to save time, or more rows than its uint32_t can number */
    const int few = rows < PE__CACHE_MIN_ROWS || rows >> 16 >> 16 != 0;
    if (rows == 1 && !output->plan->has_padding) {
        (*output->kernel->row)(output, pe__position(positions, first, k) + output->plan->offset, 1);
        return;
    }
    pe__runs runs = pe__runs_of(output->plan, positions, first, rows, k, output->mode != PE__ADD);
    pe__output part = *output;
    if (list && !few && runs.copies) pe__write_list(output, &part, &runs);
    for (pe__run run; pe__next_run(&runs, &run);) pe__write_run(output, &part, &run);
}
