/* SPDX-License-Identifier: MIT */
/* Measures how far arrays are from the part's own table, in which each element is correctly
 * rounded.
 *
 * A part (model/part.h) is a set of layers that share one positional encoding. An explanation
 * (agree.h) says how an array was computed: with which frequencies and positions, and in which
 * arithmetic. The part's own table, or exact table, is what pe computes from its config. */
#ifndef TOOL_DEVIATION_H
#define TOOL_DEVIATION_H

#include "../model/rows.h"
#include "explain.h"

/* Says which element of the arrays is meant. Rows and pairs are counted from 0. */
typedef struct place {
    size_t row;
    size_t pair;
    int is_sine; /* 1: by the config, the element should be a sine; 0: a cosine */
} place;

/* Holds the errors of the arrays against the part's own table. An error is the magnitude of the
 * difference of two elements. */
typedef struct deviation {
    double *by_pair; /* the largest error of each pair; allocated. NULL: no table to compare with */
    double largest;  /* the largest error of all                                                  */
    size_t elements; /* the number of elements compared                                           */
    size_t wrong;    /* how many of them are not the correctly rounded number                     */
    place worst;     /* with `wrong` > 0: the element with the largest error                      */
    place first;   /* with has_first: the first element whose error float32 angles do not explain */
    int has_first; /* 1: there is an element with such an error                                   */
    int is_sine_first; /* 1: the arrays called cosines are expected to have sines             */
} deviation;

/* Holds a block of rows of the part's own table, each element correctly rounded. */
typedef struct exact_rows {
    pe_plan plan;      /* the plan of the part                                       */
    void *memory;      /* the plan's memory; allocated                               */
    double *positions; /* [ROWS_AT_ONCE][axes]: the positions of the rows; allocated */
    unsigned char
        *table;    /* [ROWS_AT_ONCE][2 * pairs]: each row's cosines, then its sines; allocated */
    npy_type type; /* the type of the table's elements                         */
    int is_preset; /* 1: the part has a sinusoidal encoding; 0: RoPE           */
} exact_rows;

/* The exact table is computed in blocks of this many rows, so that a large one fits in memory. */
enum { ROWS_AT_ONCE = 1024 };

static table_type table_type_of(npy_type type)
{
    return type == NPY_F64   ? TABLE_F64
           : type == NPY_F32 ? TABLE_F32
           : type == NPY_F16 ? TABLE_F16
                             : TABLE_BF16;
}

/* Returns the type of the exact table: the narrowest type that has all elements of the arrays. A
 * file of a wider type may have elements that were rounded to 16 bits. A sinusoidal table then has
 * the file's type. A table of RoPE is then in float32, because it does not exist in double. With
 * 16 bits, the error of this rounding would not show. */
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

/* Prepares the computation of the exact table. Its rows have all cosines before the sines,
 * whatever the part's layout is. Returns 0 if there is no such table, as for an array of
 * frequencies and for RoPE in double. Also returns 0 if plan_of() makes no plan, if the part has
 * another number of pairs, or if memory runs out. The caller frees *x with free_exact() in both
 * cases. */
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

/* Computes the exact rows [first, first + rows), at most ROWS_AT_ONCE of them, at the positions of
 * the arrays, and writes them to x->table. If `moved` is not NULL, they are computed at the
 * positions to which this explanation moves them. Returns 0 on failure. */
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

/* Returns the largest error of an element that angles in float32 explain. The angle may be off by
 * 13 units in the last place, 12 of them (MOST_NUDGES) from the frequency. Cosine and sine of
 * float32 functions may add 2^-22, and rounding to `type` adds 2 half_unit(type) at most. */
static double explained_error(const spectrum *own, double position, size_t pair, npy_type type)
{
    return own->factor * (fabs(own->omega[pair] * position) * (MOST_NUDGES + 1) * 0x1p-23 +
                          0x1p-22 + 2 * half_unit(type));
}

/* Compares row `row` of the arrays with `exact`, the same row of the exact table, and updates *d.
 * A NaN counts as an infinite error. `own` has the part's own frequencies, or is NULL if the first
 * unexplained error is not wanted. */
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

/* Compares the arrays with the exact table of a part, and writes the result to *d. `own` has the
 * part's frequencies; with NULL, the first error that float32 angles do not explain is not
 * searched for. `moved` is an explanation that moves positions, or NULL. is_sine_first is 1 if the
 * arrays called cosines are expected to have sines. The caller frees d->by_pair, which is NULL if
 * there is no exact table. */
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
