/* SPDX-License-Identifier: MIT */
/* Fills tables of sines and cosines in the layouts of other libraries, for programs that rotate
 * heads themselves and for pe_rope_by_table_T. Tests: tests/unit/rope/test_rope_table.c,
 * tests/unit/plan/test_models.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "contract.h"
#include "../numbers/sizes.h"
#include "../positions/check.h"
#include "../layouts/output.h"
#include "../rows/call.h"
#include "rotate.h"
#include "rows.h"
#include "tokens.h"
#include "call.h"
#include "../plan/fields.h"
#include "../rows/kernels.h"
#include "../rows/columns.h"
#include "../layouts/pairs.h"
#include "../layouts/order.h"

/* ---- 8.3 RoPE: tables ------------------------------------------------------------------------ */

/* pe__table_step() returns the number of elements from one cosine of a table's row to that of the
   next pair, for heads of layout `layout`. The function pe__table_width() returns the number of
   elements of a row, in each array if there are two. */
PE__INLINE size_t pe__table_step(pe_rope_table_layout table, pe_layout layout)
{
    const int repeated = table == PE_ROPE_TABLE_TWICE && layout == PE_LAYOUT_INTERLEAVED;
    return table == PE_ROPE_TABLE_MATRIX ? 4 : table == PE_ROPE_TABLE_COMPLEX || repeated ? 2 : 1;
}
PE__INLINE size_t pe__table_width(pe_rope_table_layout table, size_t pairs)
{
    return (table == PE_ROPE_TABLE_MATRIX ? 4 : table == PE_ROPE_TABLE_APART ? 1 : 2) * pairs;
}

/* PE__TABLE_TILE is the number of floats of a tile on the stack. It is half of PE__ROPE_TILE, since
   computing 16-bit rows takes more of the stack. */
enum { PE__TABLE_TILE = PE__ROPE_TILE / 2 };

/* Write `rows` rows, of the positions t, t + 1 and so on, in the order PE__MATRIX or PE__REPEATED,
   which the fill kernels of rows/ cannot write. The parameter `kernel` is such a fill kernel. The
   sines and cosines are first computed on the stack, in the order PE__SPLIT. Then they are copied
   to each of their places in the row. */
PE__INLINE void pe__table_rows(const pe__output *output, double t, size_t rows,
                               const pe__row_kernel *kernel)
{
    float buffer[PE__TABLE_TILE + 16];
    const size_t pairs = output->sines, e = output->element;
    for (size_t pair = 0; pair < pairs; pair += PE__ROPE_PAIRS) {
        const size_t n = pe__min(PE__ROPE_PAIRS, pairs - pair), limit = PE__TABLE_TILE / (2 * n);
        const pe__output tile =
            pe__output_split(kernel, output->plan, output->pair + pair, n, pe__aligned(buffer), e);
        for (size_t r = 0; r < rows; r += limit) {
            const size_t count = pe__min(limit, rows - r);
            const pe__run run = {PE__RUN_COMPUTED, 0, count, 1, t + (double)r, 1, 0, 0, NULL};
            pe__output written = tile;
            pe__write_run(&tile, &written, &run);
            for (size_t k = 0; k < count; k++) {
                unsigned char *const row = pe__row_address(output, r + k);
                pe__write_table_pairs(output, row + output->cosine * e, row + output->sine * e,
                                      pair, pe__row_address(&tile, k), n);
            }
        }
    }
}
#define PE__TABLE_KERNEL(T)                                                                        \
    PE__OUTLINE void pe__table_rows_##T(const pe__output *output, double t, size_t rows)           \
    {                                                                                              \
        pe__table_rows(output, t, rows, pe__fill_kernel_##T());                                    \
    }                                                                                              \
    PE__INLINE const pe__row_kernel *pe__table_kernel_##T(void)                                    \
    {                                                                                              \
        static const pe__row_kernel kernel = {                                                     \
            pe__table_rows_##T, pe__table_rows_##T, pe__write_zeros, NULL, NULL, NULL};            \
        return &kernel;                                                                            \
    }
PE__TABLE_KERNEL(f32)
PE__TABLE_KERNEL(f16)
PE__TABLE_KERNEL(bf16)
#undef PE__TABLE_KERNEL

/* Write a table of matrices, or one with each element twice, axis by axis. `cosine` and `sine` are
   the columns of a row's first cosine and first sine. For matrices both are 0. For two arrays, the
   column of the array at table->out is 0, and the other column is the distance of the two arrays in
   elements. */
PE__OUTLINE void pe__write_repeated_axes(const pe_plan *plan, const pe_at *positions,
                                         const pe__output *table, size_t cosine, size_t sine)
{
    const int matrices = cosine == sine, halves = plan->layout == PE_LAYOUT_HALVES;
    const int sections = halves && plan->axes > 1 && !plan->joint;
    pe__axis_part of = {0, 0, NULL, 0, 0, 0};
    while (pe__next_axis(plan, 0, plan->pairs, &of)) {
        const size_t column = matrices              ? 4 * of.offset
                              : halves && !sections ? of.offset
                                                    : 2 * of.offset;
        pe__output output =
            pe__output_split(table->kernel, plan, of.axis->pair, of.n, table->out, table->element);
        output.coordinate = of.axis->coordinate;
        output.stride = table->stride;
        output.order = matrices ? PE__MATRIX : PE__REPEATED;
        output.cosine = cosine + column;
        output.sine = sine + column;
        output.repeat_offset = !halves ? 1 : sections ? of.n : plan->pairs;
        pe__write_axis(&output, positions, 0, table->rows);
    }
}

/* Write a table of a sorted plan whose pairs fit in one tile. First write all rows in sorted order
   to the table itself, so that rows of a repeated position are copied, as in any table. Then put
   each row into the order of its pairs, using `buffer`. In sorted order, sines and cosines are
   interleaved if one array has room for both; else each has its own array. `to` has the order of
   elements of the finished table, `table` its first array, and `sines` is the address of its first
   sine. */
PE__OUTLINE void pe__write_sorted_table(const pe__output *to, const pe_at *positions,
                                        const pe__output *table, unsigned char *sines,
                                        unsigned char *buffer)
{
    const int back = sines < table->out;
    const size_t bytes = (size_t)(back ? table->out - sines : sines - table->out);
    const size_t other = bytes / table->element;
    const int separate = to->order == PE__SPLIT && (back || other != to->sines);
    pe__output sorted = *to;
    sorted.out = separate && back ? sines : table->out;
    sorted.stride = table->stride;
    if (!separate && to->order != PE__MATRIX)
        sorted.order = to->order == PE__SC ? PE__CS : PE__SC; /* the cosine first if COMPLEX */
    sorted.sine = separate ? (back ? 0 : other) : sorted.order == PE__CS;
    sorted.cosine = separate ? (back ? other : 0) : sorted.order == PE__SC;
    pe__write_sorted_rows(&sorted, to->sines, positions, 0, table->rows);
    for (size_t r = 0; r < table->rows; r++)
        pe__unsort_table_row(to, &sorted, pe__row_address(table, r),
                             sines + (ptrdiff_t)r * table->stride, buffer);
}

/* Write any table of a sorted plan; or write a table of a plan with PE_COLUMNS_SUMS that has
   matrices or each element twice. If a sorted plan's pairs fit in one tile,
   pe__write_sorted_table() does it; all other tables are computed in tiles on the stack. `sines` is
   the array of sines, or NULL if `table` is one array for both. The kernel repeat_kernel writes
   matrices. */
PE__OUTLINE void pe__write_table_tiles(const pe_plan *plan, const pe_at *positions,
                                       const pe__output *table, unsigned char *sines,
                                       pe_rope_table_layout layout,
                                       const pe__row_kernel *repeat_kernel)
{
    float buffer[5 * PE__TABLE_TILE / 4 + 16];
    const size_t pairs = plan->pairs, e = table->element;
    const size_t limit = pe__tile_tokens(plan, PE__TABLE_TILE);
    pe__output to = pe__output_split(table->kernel, plan, 0, pairs, NULL, e);
    if (layout == PE_ROPE_TABLE_MATRIX) to.order = PE__MATRIX;
    if (layout == PE_ROPE_TABLE_COMPLEX) to.order = PE__SC;
    if (layout == PE_ROPE_TABLE_TWICE) {
        to.order = PE__REPEATED;
        to.repeat_offset = plan->layout == PE_LAYOUT_HALVES ? pairs : 1;
    }
    if (!sines) sines = table->out + (layout == PE_ROPE_TABLE_COMPLEX ? 1 : pairs) * e;
    if (plan->order && pairs <= PE__ROPE_PAIRS) {
        if (layout == PE_ROPE_TABLE_MATRIX) to.kernel = repeat_kernel;
        pe__write_sorted_table(&to, positions, table, sines,
                               (unsigned char *)(void *)pe__aligned(buffer));
        return;
    }
    for (size_t r = 0; r < table->rows; r += limit) {
        const size_t rows = pe__min(limit, table->rows - r);
        for (size_t pair = 0; pair < pairs; pair += PE__ROPE_PAIRS) {
            const size_t n = pe__min(PE__ROPE_PAIRS, pairs - pair);
            const pe__output tile =
                pe__output_split(table->kernel, plan, pair, n, pe__aligned(buffer), e);
            pe__write_rope_rows(&tile, positions, r, rows);
            for (size_t k = 0; k < rows; k++) {
                const ptrdiff_t row = (ptrdiff_t)(r + k) * table->stride;
                pe__write_table_pairs(&to, table->out + row, sines + row, pair,
                                      pe__row_address(&tile, k), n);
            }
        }
    }
}

/* Check the arguments, then write a table. `output` describes the rows at table->cosines. `table`
   gives the layout and the array of sines. The kernel repeat_kernel writes matrices and repeated
   elements. The caller's *made receives *table with its number of pairs, unless made is NULL.
   Returns PE_OK or the error of the arguments. */
static inline pe_status pe__write_rope_table(const pe_plan *plan, const pe_at *positions,
                                             pe__output *output,
                                             const pe__row_kernel *repeat_kernel,
                                             const pe_rope_table *table, pe_rope_table *made)
{
    const pe_rope_table_layout layout = table->layout;
    unsigned char *const sines = (unsigned char *)(uintptr_t)table->sines;
    const int split = layout == PE_ROPE_TABLE_APART || layout == PE_ROPE_TABLE_TWICE;
    pe_plan own;
    if (output->rows == 0) return PE_OK;
    if (!plan || !output->out) return PE_ERR_NULL;
    if ((unsigned)layout > PE_ROPE_TABLE_MATRIX) return PE_ERR_ENUM;
    if (split && !sines) return PE_ERR_NULL;
    if (plan->d_model == 0) return PE_ERR_PLAN;
    if (!pe__rope_plan_ok(plan)) return PE_ERR_PLAN_ROPE;
    const uintptr_t c = (uintptr_t)output->out, s = (uintptr_t)sines, gap = s < c ? c - s : s - c;
    if (!split && sines) return PE_ERR_SINES;
    if (split && gap % output->element != 0) return PE_ERR_ALIGNMENT;
    pe_status status = pe__check_shape(pe__table_width(layout, plan->pairs), output->rows,
                                       output->columns, output->element);
    const pe_plan *const view = pe__view(plan, positions, &own);
    if (status == PE_OK) status = pe__check_at(positions, output->rows, view->axes, view->offset);
    if (status != PE_OK) return status;
    if (made) {
        *made = *table;
        made->pairs = plan->pairs;
    }
    /* Two arrays are written as one that begins at the lower address. `other` is the column where
       the second array begins, or where the sines of PE_ROPE_TABLE_JOINED begin. */
    const int copied = layout == PE_ROPE_TABLE_TWICE || layout == PE_ROPE_TABLE_MATRIX;
    if (plan->order || (copied && plan->matrix)) {
        pe__write_table_tiles(view, positions, output, sines, layout, repeat_kernel);
        return PE_OK;
    }
    pe_plan cosines_first = *view;
    const int halves = layout != PE_ROPE_TABLE_COMPLEX;
    const size_t other = split ? gap / output->element : cosines_first.pairs;
    const size_t cosine = split && s < c ? other : 0, sine = split && s < c ? 0 : other;
    if (split && s < c) output->out = sines;
    if (copied) {
        output->kernel = repeat_kernel;
        pe__write_repeated_axes(view, positions, output, cosine,
                                layout == PE_ROPE_TABLE_MATRIX ? 0 : sine);
        return PE_OK;
    }
    cosines_first.layout = halves ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
    cosines_first.cos_first = 1;
    for (size_t a = 0, pair = 0; a < cosines_first.axes; pair += cosines_first.axis[a++].pairs) {
        cosines_first.axis[a].cosine = halves ? pair + cosine : 2 * pair;
        cosines_first.axis[a].sine = halves ? pair + sine : 2 * pair + 1;
    }
    pe__write_axes(&cosines_first, positions, output);
    return PE_OK;
}
