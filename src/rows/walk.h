/* SPDX-License-Identifier: MIT */
/* Positions cut into runs of neighbours; what repeats is copied.
 * Gives: pe__adds_bf16, pe__adds_f16, pe__adds_f32, pe__adds_f64, pe__fills_bf16, pe__fills_f16,
 *   pe__fills_f32, pe__fills_f64, pe__walk(), pe__walk_columns_sums().
 * Needs: simd, api, where, plan, numbers, frequencies.
 * Tests: tests/unit/test_at.c, tests/unit/test_splits.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../numbers/base.h"
#include "../where/at.h"
#include "../numbers/double_double.h"
#include "../numbers/exp_log.h"
#include "../frequencies/geometric.h"
#include "../plan/shape.h"
#include "dest.h"
#include "pair_f32.h"
#include "run.h"
#include "f64.h"

/* ---- 6.10 from positions to rows ----------------------------------------------------------------
 * The rows of one axis: neighbours become runs, and what repeats is copied. */

PE__OUTLINE void pe__zeros(const pe__dest *dest, unsigned char *row, size_t column, size_t n)
{
    memset(row + column * dest->element, 0, n * dest->element);
}
/* Added, since the sum of -0 and 0 is 0, and what is added to is scaled. */
PE__INLINE void pe__add_zeros(const pe__dest *dest, unsigned char *row, size_t column, size_t n,
                              pe__row_adder *add)
{
    double zero[8]; /* or 16 floats */
    memset(zero, 0, sizeof zero);
    const size_t most = dest->element == sizeof(double) ? 8 : 16;
    for (size_t i = 0; i < n; i += most)
        (*add)(dest, row + (column + i) * dest->element, zero, pe__min(n - i, most));
}
#define PE__MAKERS(T, add_rows)                                                                    \
    PE__OUTLINE void pe__add_zeros_##T(const pe__dest *dest, unsigned char *row, size_t column,    \
                                       size_t n)                                                   \
    {                                                                                              \
        pe__add_zeros(dest, row, column, n, pe__add_some_##T);                                     \
    }                                                                                              \
    static const pe__maker pe__fills_##T = {pe__rows_##T, pe__zeros};                              \
    static const pe__maker pe__adds_##T = {add_rows, pe__add_zeros_##T};
PE__MAKERS(f32, pe__add_rows_f32)
PE__MAKERS(f16, pe__add_rows_f16)
PE__MAKERS(bf16, pe__add_rows_bf16)
PE__MAKERS(f64, pe__rows_f64) /* which looks at the verb */
#undef PE__MAKERS

/* How many rows from row r on, of most, are at t, t + step, t + 2 step ... for a step of 1 or -1,
   where row r has position p? Only positions of 2^-20 are looked at, for which these sums are
   exact, as with any offset. */
static inline size_t pe__stretch(const pe_plan *plan, const pe_at *at, size_t r, size_t most,
                                 size_t axis, double p, double *step)
{
    const double t = p + plan->offset, units = t * 1048576.0;
    double q[PE__SOME];
    *step = 1;
    if (most == 1 || (double)(int64_t)units != units) return 1;
    const double by = pe__position(at, r + 1, axis) + plan->offset - t;
    if (by != 1 && by != -1) return 1;
    *step = by;
    if (at->kind == PE__AT_RANGE) { /* up to the row of the padding position */
        const double before = (plan->padding - p) * by;
        return plan->has_padding && before > 0 && before < (double)most ? (size_t)before : most;
    }
    for (size_t n = 1, some; n < most; n += some) {
        some = pe__min(most - n, PE__SOME);
        pe__positions(at, r + n, some, axis, q);
        for (size_t k = 0; k < some; k++)
            if (q[k] + plan->offset != t + (double)(n + k) * by ||
                (plan->has_padding && q[k] == plan->padding))
                return n + k;
    }
    return most;
}

/* What is copied to make a row of an axis: so many bytes from each place. */
typedef struct pe__pieces {
    size_t count, at[4], bytes[4];
} pe__pieces;

PE__INLINE pe__pieces pe__pieces_of(const pe__dest *dest)
{
    const size_t e = dest->element, sines = dest->sines * e, cosines = dest->cosines * e;
    const size_t sine = dest->sine * e, cosine = dest->cosine * e, again = dest->again * e;
    const size_t twice = dest->order == PE__TWICE, close = twice && again <= sines;
    pe__pieces p = {1, {pe__min(sine, cosine)}, {sines + cosines}};
    if (dest->order == PE__MATRIX) p.bytes[0] *= 2;
    const int apart = sine + sines != cosine && cosine + cosines != sine;
    if (!twice && (dest->order != PE__SPLIT || !apart)) return p;
    p.count = twice && !close ? 4 : 2;
    p.at[0] = sine;
    p.at[1] = cosine;
    p.at[2] = sine + again;
    p.at[3] = cosine + again;
    p.bytes[0] = p.bytes[2] = close ? 2 * sines : sines;
    p.bytes[1] = p.bytes[3] = close ? 2 * cosines : cosines;
    return p;
}
PE__INLINE void pe__copy_row(const pe__pieces *p, unsigned char *row, const unsigned char *from)
{
    memcpy(row + p->at[0], from + p->at[0], p->bytes[0]);
    for (size_t i = 1; i < p->count; i++) memcpy(row + p->at[i], from + p->at[i], p->bytes[i]);
}

/* Rows of a list that have been made, by position and offset together: the rows of what repeats are
   copied from there. Whole numbers within 256 have places of their own, and so have 256 multiples
   of a half, of a quarter ... of 2^-8. */
enum { PE__KEPT = 256, PE__KEPT_FROM = 128 }; /* from so many rows on that pays */
typedef struct pe__kept {
    size_t hope;                 /* so many more rows may be new before none is looked for */
    uint64_t position[PE__KEPT]; /* the bits of a double */
    uint32_t row[PE__KEPT];
    double next[PE__SOME]; /* positions of the rows that come next */
} pe__kept;

PE__INLINE size_t pe__kept_place(double t, uint64_t *bits)
{
    const double fixed = t + 26388279066624.0; /* 1.5 * 2^44: multiples of 2^-8 */
    uint64_t n;
    memcpy(&n, &fixed, sizeof n);
    memcpy(bits, &t, sizeof t);
    return (uint32_t)((n + (n >> 8)) % PE__KEPT);
}
PE__INLINE int pe__kept_has(const pe__kept *kept, double t)
{
    uint64_t bits;
    return kept->hope && kept->position[pe__kept_place(t, &bits)] == bits;
}
/* Row r and those behind it, n at most, are copied as far as their positions have rows. */
PE__OUTLINE size_t pe__kept_copy(pe__kept *kept, const pe__dest *dest, size_t r, size_t n)
{
    const pe_plan *const plan = dest->plan;
    const pe__pieces pieces = pe__pieces_of(dest);
    size_t k = 0;
    for (uint64_t bits; k < n; k++) {
        const double p = kept->next[k];
        const size_t place = pe__kept_place(p + plan->offset, &bits);
        if (kept->position[place] != bits || (plan->has_padding && p == plan->padding)) break;
        pe__copy_row(&pieces, pe__row_at(dest, r + k), pe__row_at(dest, kept->row[place]));
    }
    kept->hope = pe__min(kept->hope + k, PE__KEPT);
    return k;
}
/* n rows from row r on have been made, at t, t + step ... More than have places are not kept. */
PE__INLINE void pe__kept_add(pe__kept *kept, double t, double step, size_t r, size_t n)
{
    for (size_t k = 0; n <= PE__KEPT && k < n; k++) {
        uint64_t bits;
        const size_t place = pe__kept_place(t + (double)k * step, &bits);
        kept->position[place] = bits;
        kept->row[place] = (uint32_t)(r + k);
    }
    kept->hope -= pe__min(kept->hope, n);
}

/* PE_COLUMNS_SUMS: rows of a plan whose frequencies are the sums at a point, at position 1. With
   n <= 8 coordinates a sum is off by n (n + 2) 2^-106 of its terms together, and 2^-102 of itself:
   below 2^-98 of the largest frequency times the coordinates together. */
PE__OUTLINE void pe__walk_columns_sums(const pe__dest *dest, const pe_at *at, size_t first,
                                       size_t rows, const pe__maker *make)
{
    const pe_plan *const plan = dest->plan;
    const size_t pairs = pe__pairs_of(dest);
    enum { PE__PAIRS = 128, PE__PADDED = PE__PAIRS + 2 * PE__CHAIN };
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
        pe__plan_reach(&one, pe__exp2i(-98), plan->fastest * size);
        for (size_t done = 0, i; done < pairs; done += PE__PAIRS) {
            pe__dest part = pe__dest_part(dest, done, PE__PAIRS);
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
                f = pe__dd_normal(pe__dd_mul(f, by));
                pe__store(sums + i, f.hi);
                pe__store(sums + PE__PADDED + i, f.lo);
            }
            for (; i < n + 2 * PE__CHAIN; i++) {
                sums[i] = sums[i - 1];
                sums[PE__PADDED + i] = sums[PE__PADDED + i - 1];
            }
            part.plan = &one;
            part.pair = 0;
            part.out = pe__row_at(dest, r);
            make->rows(&part, 1.0, 1);
        }
    }
}

/* Where the values of a grid's coordinate lie: each value is followed by cells - 1 rows of the same
   value, and all values recur after a period of rows. */
typedef struct pe__grid {
    size_t cells, period;
} pe__grid;

/* Rows that have been written already are copied to row r and those behind it; returns how many, or
   0 if row r is new. cell: how many rows of its value lie before it; same: it is at the position of
   the row before. */
PE__INLINE size_t pe__walk_copy(const pe__dest *dest, const pe_at *at, const pe__grid *grid,
                                size_t r, size_t rest, size_t cell, int same)
{
    size_t back = 1, run = 1; /* rows to the one that is copied; rows that are copies */
    if (cell != 0 && r > 0) run = pe__min(grid->cells - cell, rest);
    else if (r >= grid->period) {
        back = grid->period;
        run = rest;
    } else if (!same) return 0;
    else if (at->kind == PE__AT_RANGE) run = rest;
    const pe__pieces pieces = pe__pieces_of(dest);
    for (size_t n = r; n < r + run; n++) /* not from what was written just now */
        pe__copy_row(&pieces, pe__row_at(dest, n), pe__row_at(dest, (back == 1 ? r : n) - back));
    return run;
}

/* n rows for the positions t, t + step, ... (step 1 or -1), so many bytes from one to the next. The
   destination is the walk's own: a copy's wide loads would wait for what it has just written. */
PE__INLINE void pe__walk_run(pe__dest *part, ptrdiff_t stride, double t, double step, size_t n,
                             const pe__maker *make)
{
    const double before = step > 0 ? 0 : (double)(n - 1); /* downwards: from the last row up */
    if (step < 0) part->out += (ptrdiff_t)(n - 1) * stride;
    part->stride = step > 0 ? stride : -stride;
    make->rows(part, t - before, n);
}

/* The rows of one axis from row first of at on, run after run; repeated rows are copied, padding
   rows zeroed. kept: what is known of a long list, or NULL. */
PE__OUTLINE void pe__walk_rows(const pe__dest *dest, const pe_at *at, size_t first, size_t rows,
                               const pe__maker *make, pe__kept *kept)
{
    const pe_plan *const plan = dest->plan;
    const size_t k = at->axes == 1 ? 0 : dest->coordinate;
    const int adds = dest->verb == PE__ADD, values = at->kind == PE__AT_GRID && !adds;
    const double nowhere = 1e300;
    pe__grid grid = {1, SIZE_MAX};
    if (values) {
        grid.cells = pe__cells(at, k);
        grid.period = at->size[k];
    }
    double last = nowhere; /* t of the row before */
    pe__dest part = *dest;
    for (size_t r = 0, run, made = 0; r < rows; r += run) {
        const size_t rest = rows - r;
        const size_t cell = values ? (at->skipped + first + r) % grid.cells : 0;
        const double p = pe__position(at, first + r, k), t = p + plan->offset;
        const int same = t == last && !adds;
        double step = at->back ? -1 : 1;
        last = t;
        run = 1;
        part.out = pe__row_at(dest, r);
        if (plan->has_padding && p == plan->padding) {
            const size_t column = pe__min(dest->sine, dest->cosine);
            make->zeros(dest, part.out, column, dest->sines + dest->cosines);
            last = nowhere;
        } else if (grid.cells > 1 &&
                   cell == 0) { /* all values from p on; their other rows follow */
            if (r < made) continue;
            const size_t n = pe__min(grid.period - (size_t)fabs(p), (rest - 1) / grid.cells + 1);
            made = r + n * grid.cells;
            pe__walk_run(&part, dest->stride * (ptrdiff_t)grid.cells, t, step, n, make);
        } else if (kept && pe__kept_has(kept, t)) {
            const size_t n = pe__min(rest, PE__SOME);
            pe__positions(at, first + r, n, k, kept->next);
            run = pe__kept_copy(kept, dest, r, n);
            last = kept->next[run - 1] + plan->offset;
        } else {
            const size_t copies = pe__walk_copy(dest, at, &grid, r, rest, cell, same);
            run = copies ? copies : pe__stretch(plan, at, first + r, rest, k, p, &step);
            if (copies) continue;
            last = t + (double)(run - 1) * step;
            pe__walk_run(&part, dest->stride, t, step, run, make);
            if (kept && kept->hope) pe__kept_add(kept, t, step, r, run);
        }
    }
}
PE__OUTLINE void pe__walk_list(const pe__dest *dest, const pe_at *at, size_t first, size_t rows,
                               const pe__maker *make)
{
    pe__kept kept;
    kept.hope = PE__KEPT;
    memset(kept.position, 0xff, sizeof kept.position); /* NaNs */
    pe__walk_rows(dest, at, first, rows, make, &kept);
}
PE__OUTLINE void pe__walk(const pe__dest *dest, const pe_at *at, size_t first, size_t rows,
                          const pe__maker *make)
{
    const size_t k = at->axes == 1 ? 0 : dest->coordinate;
    const int list = at->kind != (int)PE__AT_RANGE && at->kind != (int)PE__AT_GRID;
    const int few = rows < PE__KEPT_FROM || rows >> 16 >> 16 != 0; /* or too many */
    if (rows == 1 && !dest->plan->has_padding)
        make->rows(dest, pe__position(at, first, k) + dest->plan->offset, 1);
    else if (list && !few && dest->verb != PE__ADD) pe__walk_list(dest, at, first, rows, make);
    else pe__walk_rows(dest, at, first, rows, make, NULL);
}
