/* SPDX-License-Identifier: MIT */
/* How far someone else's arrays are from a part's own table, each element of which is correctly
 * rounded. */
#ifndef TOOL_DEVIATION_H
#define TOOL_DEVIATION_H

#include "explain.h"
#include "report_json.h"
#include "table.h"

/* Of `elements`, how many are not the correctly rounded ones, the largest error, and where it is;
   by_pair: the largest error of each pair, or NULL if there is no such table. */
typedef struct deviation {
    double *by_pair, largest;
    size_t elements, wrong, row, pair;
    int is_sine;
} deviation;

static table_type table_type_of(npy_type type)
{
    return type == NPY_F64   ? TABLE_F64
           : type == NPY_F32 ? TABLE_F32
           : type == NPY_F16 ? TABLE_F16
                             : TABLE_BF16;
}

/* The part's own table at the arrays' positions plus `offset`, of their type: of each row the
   cosines, then the sines. NULL if there is none, as for RoPE in f64. */
static unsigned char *exact_table(const samples *s, const part *p, double offset)
{
    part own = *p;
    positions where;
    pe_plan plan;
    const table_type type = table_type_of(s->type);
    const int is_preset = p->kind == PART_SINUSOIDAL;
    if (s->is_inv_freq || (!is_preset && type == TABLE_F64)) return NULL;
    own.preset.layout = PE_LAYOUT_HALVES;
    own.preset.cos_first = 1;
    void *const memory = plan_of(&own, &plan);
    double *const at = new_numbers(s->rows);
    unsigned char *table = (unsigned char *)malloc(2 * s->rows * s->pairs * bytes_of(type));
    for (size_t r = 0; at && r < s->rows; r++)
        at[r] = s->positions[r] + offset;
    where.at = pe_at_f64(at);
    where.rows = s->rows;
    if (!memory || !at || !table || plan.pairs != s->pairs ||
        (is_preset ? fill(&plan, &where, type, 2 * s->pairs, table)
                   : fill_rope(&plan, &where, type, PE_ROPE_TABLE_JOINED, 2 * s->pairs, table)) !=
            PE_OK) {
        free(table);
        table = NULL;
    }
    free(at);
    free(memory);
    return table;
}

/* Compare with that table. is_swapped: the arrays' cosines should be the sines. A NaN is an error
   of infinity. */
static void find_deviation(const samples *s, const part *p, double offset, int is_swapped,
                           deviation *d)
{
    const size_t size = bytes_of(table_type_of(s->type)), width = 2 * s->pairs;
    unsigned char *const table = exact_table(s, p, offset);
    memset(d, 0, sizeof *d);
    d->by_pair = table ? new_numbers(s->pairs) : NULL;
    if (d->by_pair) d->elements = s->rows * width;
    for (size_t i = 0; d->by_pair && i < s->pairs; i++)
        d->by_pair[i] = 0;
    for (size_t k = 0; k < d->elements; k++) {
        const size_t row = k / width, i = k % s->pairs;
        const int is_sine = k % width >= s->pairs;
        const double x = (is_sine != is_swapped ? s->sines : s->cosines)[row * s->pairs + i];
        const double error = fabs(x - npy_element(table + k * size, s->type, 'f', size));
        if (error == 0) continue;
        d->wrong++;
        if (error <= d->by_pair[i]) continue;
        d->by_pair[i] = isnan(error) ? (double)INFINITY : error;
        if (d->by_pair[i] <= d->largest) continue;
        d->largest = d->by_pair[i];
        d->row = row;
        d->pair = i;
        d->is_sine = is_sine;
    }
    free(table);
}

static void print_deviation(const samples *s, const deviation *d)
{
    if (!d->wrong) return;
    const double at = s->positions[d->row];
    print("  off from the exact table by up to %.3g: position %.15g", d->largest, at);
    if (at != (double)d->row) print(" (row %zu)", d->row);
    print(", pair %zu, %s\n", d->pair, d->is_sine ? "sine" : "cosine");
    print("  %zu of its %zu elements are others: %.3g %%\n", d->wrong, d->elements,
          100 * (double)d->wrong / (double)d->elements);
}

static void json_deviation(const samples *s, const deviation *d)
{
    print(",\n  \"deviation\": ");
    if (!d->by_pair) {
        print("null");
        return;
    }
    print("{\"elements\": %zu, \"wrong\": %zu, \"largest\": ", d->elements, d->wrong);
    json_double(d->largest);
    print(", \"row\": %zu, \"position\": %.17g, \"pair\": %zu, \"function\": \"%s\"}", d->row,
          s->positions[d->row], d->pair, d->is_sine ? "sine" : "cosine");
}

#endif
