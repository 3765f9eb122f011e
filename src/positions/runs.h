/* SPDX-License-Identifier: MIT */
/* pe__next_run() cuts the positions of a call into runs, one after the other. Tested by
 * tests/unit/positions/test_at.c and tests/unit/rows/test_splits.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "read.h"

/* ---- 4.1 runs of positions ----------------------------------------------------------------------
 * A run consists of consecutive rows of one coordinate. Its rows are at consecutive positions, at
 * one position, copies of earlier rows, or rows of zeros. */

typedef enum pe__run_kind {
    PE__RUN_COMPUTED, /* rows are computed from their positions */
    PE__RUN_COPIED,   /* rows are copied from earlier rows */
    PE__RUN_ZEROS     /* one row of zeros, at the padding position */
} pe__run_kind;

/* A run has `rows` rows: row, row + every, row + 2 * every and so on. */
typedef struct pe__run {
    pe__run_kind kind;
    size_t row, rows, every;
    /* `position` is the position of the first row, with the offset added. `step` is the difference
       of the positions of adjacent rows of the run: 1, -1 or 0. A run of one row may have any of
       these, or 2. A run of copies uses neither field. */
    double position, step;
    /* In a run of copies, the first row is a copy of row `source`, and the next row is a copy of
       row source + source_step. source_step is 0 or 1. */
    size_t source, source_step;
    const uint32_t *sources; /* if not NULL, row k of the copies is a copy of row sources[k] */
} pe__run;

/* A list has a row cache. Each slot holds a position, with the offset added, and the index of the
   row that was last written for it. When the position occurs again, that row is copied. 256
   consecutive integers have different slots, and 256 consecutive multiples of 1/2, 1/4, ... 2^-8
   also have different slots. The cache saves time in lists of at least PE__CACHE_MIN_ROWS rows. */
enum { PE__CACHE_SLOTS = 256, PE__CACHE_MIN_ROWS = 128 };
typedef struct pe__row_cache {
    size_t misses_left;                 /* misses until the cache is given up; 0: given up */
    uint64_t position[PE__CACHE_SLOTS]; /* the bits of a double; all set: the slot is empty */
    uint32_t row[PE__CACHE_SLOTS];
    uint32_t sources[PE__POSITIONS]; /* the sources of the run that was returned last */
} pe__row_cache;

/* This struct holds the remaining positions of a call. */
typedef struct pe__runs {
    const pe_at *positions;
    const pe_plan *plan;      /* has the offset and the padding position */
    size_t first, rows, next; /* row r is row first + r of at; `next` is the next row to return */
    size_t coordinate;
    int copies;             /* 1: rows at the position of an earlier row are copied from it */
    size_t cells, period;   /* a grid whose rows are copied: each value holds for `cells` rows,
                                 and the values recur after `period` values; else 1, SIZE_MAX */
    size_t computed;        /* a grid: before this row, each value's first row is computed */
    double last;            /* the position of row next - 1; 1e300: none */
    pe__row_cache *cache;   /* the row cache of a long list, or NULL */
    size_t held, held_rows; /* p holds the positions, without offset, of the rows
                                 [held, held + held_rows) */
    double p[PE__POSITIONS];
} pe__runs;

/* Return the runs of `rows` rows, starting at row `first` of at. */
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

/* Returns the position of row r, without offset. */
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
   on, and not at the padding position. Offsets are multiples of 2^-20, so that sums are exact. */
PE__INLINE size_t pe__run_length(pe__runs *x, size_t r, double p, double step)
{
    const size_t remaining = x->rows - r;
    const double t = p + x->plan->offset;
    size_t n = 1;
    if (x->positions->kind ==
        (int)PE__AT_RANGE) { /* all rows, or those before the padding position */
        const double before = x->plan->has_padding ? (x->plan->padding - p) * step : 0;
        return before > 0 && before < (double)remaining ? (size_t)before : remaining;
    }
    for (; n < remaining; n++) {
        const double q = pe__runs_position(x, r + n);
        if (q + x->plan->offset != t + (double)n * step || pe__is_padding(x->plan, q)) break;
    }
    return n;
}

/* Returns the step of the run that begins at row r, at position p. The step is 1 or -1 only if t =
   p + offset is a multiple of 2^-20. It is 0 for rows at one position that are not copied. It is 2
   if the run has one row. */
PE__INLINE double pe__run_step(pe__runs *x, size_t r, double p)
{
    const double t = p + x->plan->offset, units = t * 1048576.0;
    if (x->rows - r == 1) return 2;
    const double step = pe__runs_position(x, r + 1) + x->plan->offset - t;
    if (step == 0) return x->copies ? 2 : 0;
    return (step == 1 || step == -1) && (double)(int64_t)units == units ? step : 2;
}

/* Returns the slot of t, and writes the bits of t to *bits. */
PE__INLINE size_t pe__cache_slot(double t, uint64_t *bits)
{
    const uint64_t n = pe__double_bits(t + 26388279066624.0); /* 1.5 * 2^44: multiples of 2^-8 */
    *bits = pe__double_bits(t);
    return (uint32_t)((n + (n >> 8)) % PE__CACHE_SLOTS);
}

/* Write to cache->sources the cached rows of row r and of the rows after it, up to the first row
   whose position is not in the cache. Returns how many there are: at most those whose positions are
   held. */
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
/* Enter a run that is computed into the cache. A run of more rows than the cache has slots is not
   entered. */
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

/* Make a run that copies the rows starting at row `source`. If step is 0, all its rows are copies
   of that row. */
PE__INLINE void pe__copies(pe__run *run, size_t source, size_t step, size_t rows)
{
    run->kind = PE__RUN_COPIED;
    run->source = source;
    run->source_step = step;
    run->rows = rows;
}

/* Set *run to the next run, and return 1; return 0 after the last one. Runs follow each other. A
   grid's run may skip rows (every > 1): these are copied by the runs that follow. */
PE__OUTLINE int pe__next_run(pe__runs *x, pe__run *run)
{
    size_t r = x->next, cell = 0, cached; /* cell: rows before row r with its value in the grid */
    if (x->cells > 1) {
        cell = (x->positions->skipped + x->first + r) % x->cells;
        if (cell == 0 && r < x->computed) r += cell = 1; /* a run before has computed row r */
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
    if (pe__is_padding(x->plan, p)) { /* only in plans of one axis, so in no grid with cells > 1 */
        run->kind = PE__RUN_ZEROS;
        x->last = 1e300;
    } else if (x->cells > 1 && cell == 0) { /* the first row of p and of each later value */
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
    } else if (cell != 0 && r > 0) { /* the value of the row before */
        pe__copies(run, r - 1, 0, pe__min(x->cells - cell, x->rows - r));
    } else if (r >= x->period) { /* a period is counted in rows here, since cells is 1 */
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
