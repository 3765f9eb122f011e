/* SPDX-License-Identifier: MIT */
/* pe__next_run() divides the rows of a call into runs, and returns one run per call. Tested by
 * tests/unit/positions/test_at.c and tests/unit/rows/test_splits.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "read.h"

/* ---- 4.1 runs of positions ----------------------------------------------------------------------
 * A run consists of rows that are written in one way, for one coordinate of the positions. Its rows
 * are computed for consecutive positions, or for one position; or they are copies of earlier rows;
 * or it is a single row of zeros. The rows of a run are consecutive, except in a grid, where a run
 * of computed rows may take every n-th row (pe__run.every). */

typedef enum pe__run_kind {
    PE__RUN_COMPUTED, /* rows are computed from their positions */
    PE__RUN_COPIED,   /* rows are copied from earlier rows */
    PE__RUN_ZEROS     /* one row of zeros, at the padding position */
} pe__run_kind;

/* A run has `rows` rows: row, row + every, row + 2 * every and so on, all less than pe__runs.rows.
   `kind` says how they are written. */
typedef struct pe__run {
    pe__run_kind kind;
    size_t row, rows, every;
    /* `position` is the position of the first row, with the offset added. `step` is the difference
       of the positions of adjacent rows of the run: 1, -1 or 0. In a run of one row, which has no
       such difference, it may also be 2. Only runs of computed rows need these two fields. */
    double position, step;
    /* In a run of copies without `sources`, row number k of the run is a copy of row
       source + k * source_step. source_step is 0 or 1. */
    size_t source, source_step;
    /* If not NULL, row number k of the run is a copy of row sources[k]. NULL except in runs of
       copies that the row cache has found. */
    const uint32_t *sources;
} pe__run;

/* Lists of at least PE__CACHE_MIN_ROWS rows have a row cache, unless rows are added to the output
   or a uint32_t cannot number them. In shorter lists it saves no time. Each slot holds a position,
   with the offset added, and the index of the row that was last computed for it. When the position
   occurs again, that row is copied. Any 256 consecutive integers have different slots. Any 256
   consecutive multiples of 1/2, 1/4, ... or 2^-8 have at least 255 slots. */
enum { PE__CACHE_SLOTS = 256, PE__CACHE_MIN_ROWS = 128 };
typedef struct pe__row_cache {
    /* A computed row takes 1 away, and a row that is found in the cache adds 1, up to
       PE__CACHE_SLOTS. At 0 the cache is no longer used, because positions seldom recur. */
    size_t misses_left;
    uint64_t position[PE__CACHE_SLOTS]; /* the bits of a double; all set: the slot is empty */
    uint32_t row[PE__CACHE_SLOTS];      /* the row that was computed for position[slot] */
    uint32_t sources[PE__POSITIONS];    /* pe__run.sources of the last run that has them */
} pe__row_cache;

/* The state of pe__next_run(): the rows of a call, and which of them it has returned. */
typedef struct pe__runs {
    const pe_at *positions;
    const pe_plan *plan; /* has the offset and the padding position */
    /* The rows 0 ... rows - 1 are the rows first, first + 1 ... of `positions`. pe__next_run()
       continues at row `next`. */
    size_t first, rows, next;
    size_t coordinate; /* which coordinate of `positions` the rows encode */
    int copies;        /* 1: a row at the position of an earlier row is copied from that row */
    /* In a grid with copies = 1, the coordinate has the same value in `cells` consecutive rows,
       and `period` different values, after which the values recur. Elsewhere `cells` is 1 and
       `period` is SIZE_MAX. */
    size_t cells, period;
    /* In a grid with cells > 1, a run has already computed the first row of each value that begins
       before this row. 0 at the start. */
    size_t computed;
    double last; /* the position of row next - 1, with the offset added; 1e300 if there is none */
    pe__row_cache *cache; /* the row cache of a long list, or NULL */
    /* p holds the positions, without offset, of the rows [held, held + held_rows). Not used for
       ranges. */
    size_t held, held_rows;
    double p[PE__POSITIONS];
} pe__runs;

/* Returns the state before the first call of pe__next_run(). See pe__runs for the parameters. */
PE__INLINE pe__runs pe__runs_of(const pe_plan *plan, const pe_at *positions, size_t first,
                                size_t rows, size_t coordinate, int copies)
{
    const int grid = positions->kind == (int)PE__AT_GRID && copies;
    const size_t cells = grid ? pe__grid_cells(positions, coordinate) : 1;
    const size_t period = grid ? positions->size[coordinate] : SIZE_MAX;
    const pe__runs runs = {positions, plan, first, rows, 0, coordinate, copies, cells,
                           period,    0,    1e300, NULL, 0, 0,          {0}};
    return runs;
}

PE__INLINE int pe__is_padding(const pe_plan *plan, double p)
{
    return plan->has_padding && p == plan->padding;
}

/* Returns the position of row r, without offset. If p does not hold it, p is filled with the
   positions of row r and of up to PE__POSITIONS - 1 rows after it. */
PE__INLINE double pe__runs_position(pe__runs *x, size_t r)
{
    if (x->positions->kind == (int)PE__AT_RANGE) return pe__position(x->positions, x->first + r, 0);
    if (r - x->held >= x->held_rows) {
        x->held = r;
        x->held_rows = pe__min(x->rows - r, PE__POSITIONS);
        pe__positions(x->positions, x->first + r, x->held_rows, x->coordinate, x->p);
    }
    return x->p[r - x->held];
}

/* Returns how many rows, starting at row r with position p, are at p, p + step, p + 2 step and so
   on, and not at the padding position. For a range, `step` must be the difference of its positions.
   If step is 1 or -1, t is a multiple of 2^-20 (pe__run_step()), so t + n step is exact. */
PE__INLINE size_t pe__run_length(pe__runs *x, size_t r, double p, double step)
{
    const size_t remaining = x->rows - r;
    const double t = p + x->plan->offset;
    size_t n = 1;
    if (x->positions->kind ==
        (int)PE__AT_RANGE) { /* all remaining rows, or those before the padding position */
        const double before = x->plan->has_padding ? (x->plan->padding - p) * step : 0;
        return before > 0 && before < (double)remaining ? (size_t)before : remaining;
    }
    for (; n < remaining; n++) {
        const double q = pe__runs_position(x, r + n);
        if (q + x->plan->offset != t + (double)n * step || pe__is_padding(x->plan, q)) break;
    }
    return n;
}

/* Returns the step of the run that begins at row r, at position p. The step is 1 or -1 if row r + 1
   is at the next or the previous position and t = p + offset is a multiple of 2^-20. It is 0 if row
   r + 1 is at the same position and rows are not copied. Otherwise it is 2, and the run has only
   row r. */
PE__INLINE double pe__run_step(pe__runs *x, size_t r, double p)
{
    const double t = p + x->plan->offset, units = t * 1048576.0;
    if (x->rows - r == 1) return 2;
    const double step = pe__runs_position(x, r + 1) + x->plan->offset - t;
    if (step == 0) return x->copies ? 2 : 0;
    return (step == 1 || step == -1) && (double)(int64_t)units == units ? step : 2;
}

/* Returns the slot of a position t, which includes the offset. Writes the bits of t to *bits. */
PE__INLINE size_t pe__cache_slot(double t, uint64_t *bits)
{
    /* Adding 1.5 * 2^44 rounds t to a multiple of 2^-8, whose last bits are those of n. */
    const uint64_t n = pe__double_bits(t + 26388279066624.0);
    *bits = pe__double_bits(t);
    return (uint32_t)((n + (n >> 8)) % PE__CACHE_SLOTS);
}

/* Find rows that can be copied: row r and the rows after it, up to the first row whose position is
   not in the cache or is the padding position. Write the cached row of each to cache->sources.
   Returns how many there are. Only rows whose positions x->p holds are looked up. */
PE__OUTLINE size_t pe__cache_find(pe__runs *x, size_t r)
{
    pe__row_cache *const cache = x->cache;
    const double *const p = x->p + (r - x->held);
    const size_t remaining = x->held_rows - (r - x->held);
    size_t k = 0;
    for (uint64_t bits; k < remaining; k++) {
        const size_t slot = pe__cache_slot(p[k] + x->plan->offset, &bits);
        if (cache->position[slot] != bits || pe__is_padding(x->plan, p[k])) break;
        cache->sources[k] = cache->row[slot];
    }
    cache->misses_left = pe__min(cache->misses_left + k, PE__CACHE_SLOTS);
    return k;
}
/* Enter the rows of a computed run into the cache. A run of more rows than the cache has slots is
   not entered, because its last rows would replace its first ones. Either way, each row counts as a
   miss. */
PE__INLINE void pe__cache_insert(pe__row_cache *cache, const pe__run *run)
{
    for (size_t k = 0; run->rows <= PE__CACHE_SLOTS && k < run->rows; k++) {
        uint64_t bits;
        const size_t slot = pe__cache_slot(run->position + (double)k * run->step, &bits);
        cache->position[slot] = bits;
        cache->row[slot] = (uint32_t)(run->row + k);
    }
    cache->misses_left -= pe__min(cache->misses_left, run->rows);
}

/* Make *run a run of `rows` copies. If step is 1, they are copies of consecutive rows, starting at
   row `source`. If step is 0, all are copies of row `source`, or of the rows that the caller then
   sets in run->sources. */
PE__INLINE void pe__copies(pe__run *run, size_t source, size_t step, size_t rows)
{
    run->kind = PE__RUN_COPIED;
    run->source = source;
    run->source_step = step;
    run->rows = rows;
}

/* Sets *run to the next run and returns 1, or returns 0 if no rows are left. Each run begins at the
   first row that no run has written. A grid's run may skip rows (every > 1). The runs after it copy
   the skipped rows. */
PE__OUTLINE int pe__next_run(pe__runs *x, pe__run *run)
{
    /* In a grid, the coordinate has the same value in row r and in the `cell` cells before it. */
    size_t r = x->next, cell = 0, cached;
    if (x->cells > 1) {
        cell = (x->positions->skipped + x->first + r) % x->cells;
        if (cell == 0 && r < x->computed) r += cell = 1; /* an earlier run has computed row r */
    }
    if (r >= x->rows) return 0;
    const double p = pe__runs_position(x, r), t = p + x->plan->offset;
    const int same = x->copies && t == x->last;
    run->row = r;
    run->rows = run->every = 1;
    run->kind = PE__RUN_COMPUTED;
    run->step = 0;
    run->sources = NULL;
    x->last = run->position = t;
    if (pe__is_padding(x->plan, p)) { /* such a plan has one axis, so no grid has cells > 1 */
        run->kind = PE__RUN_ZEROS;
        x->last = 1e300;
    } else if (x->cells > 1 && cell == 0) { /* the first rows of value p and of larger values */
        run->rows = pe__min(x->period - (size_t)fabs(p), (x->rows - r - 1) / x->cells + 1);
        run->every = x->cells;
        run->step = x->positions->back ? -1 : 1;
        x->computed = r + run->rows * x->cells;
        x->next = r + 1;
        return 1;
    } else if (x->cache && x->cache->misses_left && (cached = pe__cache_find(x, r)) > 0) {
        pe__copies(run, 0, 0, cached);
        run->sources = x->cache->sources;
        x->last = x->p[r + run->rows - 1 - x->held] + x->plan->offset;
    } else if (cell != 0 && r > 0) { /* row r has the same value as row r - 1 */
        pe__copies(run, r - 1, 0, pe__min(x->cells - cell, x->rows - r));
    } else if (r >= x->period) { /* cells is 1 here, so a period is as many rows as values */
        pe__copies(run, r - x->period, 1, x->rows - r);
    } else {
        if (!same) run->step = pe__run_step(x, r, p);
        if (run->step < 2) run->rows = pe__run_length(x, r, p, run->step);
        x->last = t + (double)(run->rows - 1) * run->step;
        if (same) pe__copies(run, r - 1, 0, run->rows);
        else if (x->cache && x->cache->misses_left) pe__cache_insert(x->cache, run);
    }
    x->next = r + run->rows;
    return 1;
}
