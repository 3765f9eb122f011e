/* SPDX-License-Identifier: MIT */
/* How far someone else's arrays are from a part's own table, each element of which is correctly
 * rounded. */
#ifndef TOOL_DEVIATION_H
#define TOOL_DEVIATION_H

#include "../model/rows.h"
#include "explain.h"

/* Where an element is: a row, a pair, and whether it should be a sine. */
typedef struct place {
    size_t row, pair;
    int is_sine;
} place;

/* How many of `elements` are not the correctly rounded ones, and the largest error.
   by_pair: the largest error of each pair, or NULL if there is no such table. */
typedef struct deviation {
    double *by_pair, largest;
    size_t elements, wrong;
    place worst, first; /* of the largest error; the first that float32 angles do not explain */
    int has_first;
    int is_sine_first; /* 1: sines are expected where cosines stand */
} deviation;

/* The part's own table, computed a block of rows at a time. */
typedef struct exact_rows {
    pe_plan plan;
    void *memory;
    double *positions;
    unsigned char *table; /* [ROWS_AT_ONCE][2 * pairs]: of each row the cosines, then the sines */
    npy_type type;
    int is_preset;
} exact_rows;

enum { ROWS_AT_ONCE = 1024 };

static table_type table_type_of(npy_type type)
{
    return type == NPY_F64   ? TABLE_F64
           : type == NPY_F32 ? TABLE_F32
           : type == NPY_F16 ? TABLE_F16
                             : TABLE_BF16;
}

/* The type of the exact table: the narrowest that has all elements. Elements that were rounded to
   16 bits in a wider file are compared in the file's type, to show the size of that error. */
static npy_type exact_type_of(const samples *s, int is_preset)
{
    if (s->type == s->stored || (s->type != NPY_BF16 && s->type != NPY_F16)) return s->type;
    return is_preset ? s->stored : NPY_F32;
}

static void free_exact(exact_rows *x)
{
    free(x->memory);
    free(x->positions);
    free(x->table);
}

/* Computes the part's own exact table for the samples. Returns 0 if there is none, as for RoPE in
 * f64. */
static int prepare_exact(const samples *s, const part *p, exact_rows *x)
{
    part own = *p;
    memset(x, 0, sizeof *x);
    x->is_preset = p->kind == PART_SINUSOIDAL;
    x->type = exact_type_of(s, x->is_preset);
    if (s->is_inv_freq || (!x->is_preset && x->type == NPY_F64)) return 0;
    own.preset.layout = PE_LAYOUT_HALVES;
    own.preset.cos_first = 1;
    x->memory = plan_of(&own, &x->plan);
    x->positions = new_numbers(ROWS_AT_ONCE * s->axes);
    x->table = (unsigned char *)new_numbers(ROWS_AT_ONCE * 2 * s->pairs);
    return x->memory && x->positions && x->table && x->plan.pairs == s->pairs;
}

/* Compute `rows` rows starting at row `first`, at the arrays' positions, or at those to which an
   explanation moves them. */
static int compute_exact(exact_rows *x, const samples *s, size_t first, size_t rows,
                         const explanation *moved)
{
    const table_type type = table_type_of(x->type);
    const size_t width = 2 * s->pairs;
    positions where;
    memset(&where, 0, sizeof where);
    for (size_t k = 0; k < rows * s->axes; k++) {
        const double position = s->positions[first * s->axes + k];
        x->positions[k] = moved ? moved_position(moved, position) : position;
    }
    where.positions =
        s->axis ? pe_coords_f64(x->positions, s->axes, s->axes, 1) : pe_at_f64(x->positions);
    where.rows = rows;
    return (x->is_preset ? fill(&x->plan, &where, type, width, x->table)
                         : fill_rope(&x->plan, &where, type, PE_ROPE_TABLE_JOINED, width,
                                     x->table)) == PE_OK;
}

/* Returns the largest error of an element that float32 angles explain. The angle may be off by 13
   units in the last place, of which the frequency has MOST_NUDGES. Cosines and sines in float32 may
   be off by 2^-22. */
static double explained_error(const spectrum *own, double position, size_t pair, npy_type type)
{
    return own->factor * (fabs(own->omega[pair] * position) * (MOST_NUDGES + 1) * 0x1p-23 +
                          0x1p-22 + 2 * half_unit(type));
}

/* Compare a row with the exact one. A NaN is an error of infinity. */
static void compare_row(const samples *s, const exact_rows *x, const unsigned char *exact,
                        const spectrum *own, size_t row, deviation *d)
{
    place where = {row, 0, 0};
    const size_t size = bytes_of(table_type_of(x->type));
    for (size_t k = 0; k < 2 * s->pairs; k++, exact += size) {
        where.is_sine = k >= s->pairs;
        where.pair = where.is_sine ? k - s->pairs : k;
        const double *const from = where.is_sine != d->is_sine_first ? s->sines : s->cosines;
        double error =
            fabs(from[where.row * s->pairs + where.pair] - npy_element(exact, x->type, 'f', size));
        if (error == 0) continue;
        if (isnan(error)) error = (double)INFINITY;
        d->wrong++;
        if (error > d->by_pair[where.pair]) d->by_pair[where.pair] = error;
        if (error > d->largest) d->largest = error, d->worst = where;
        if (!own || d->has_first) continue;
        d->has_first = error > explained_error(own, position_of(s, where.row, where.pair),
                                               where.pair, x->type);
        d->first = where;
    }
}

/* Compare arrays with the exact table of a part, and write the result to *d. own: the part's
   frequencies. With NULL, the first error that float32 angles do not explain is not searched for.
   moved: an explanation that moves positions, or NULL. */
static void find_deviation(const samples *s, const part *p, const spectrum *own,
                           const explanation *moved, int is_sine_first, deviation *d)
{
    exact_rows x;
    memset(d, 0, sizeof *d);
    d->is_sine_first = is_sine_first;
    if (prepare_exact(s, p, &x)) d->by_pair = (double *)calloc(s->pairs, sizeof *d->by_pair);
    for (size_t first = 0; d->by_pair && first < s->rows; first += ROWS_AT_ONCE) {
        const size_t left = s->rows - first, rows = left < ROWS_AT_ONCE ? left : ROWS_AT_ONCE;
        const size_t bytes = 2 * s->pairs * bytes_of(table_type_of(x.type));
        if (!compute_exact(&x, s, first, rows, moved)) {
            free(d->by_pair);
            d->by_pair = NULL;
            d->wrong = 0;
            break;
        }
        for (size_t r = 0; r < rows; r++)
            compare_row(s, &x, x.table + r * bytes, own, first + r, d);
    }
    if (d->by_pair) d->elements = 2 * s->rows * s->pairs;
    free_exact(&x);
}

#endif
