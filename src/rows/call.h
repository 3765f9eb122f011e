/* SPDX-License-Identifier: MIT */
/* The calls that write whole rows: they check their arguments, then write axis by axis. Also the
 * calls with batches, and pe_sinusoidal_f32(). Tested by tests/unit/test_errors.c and
 * tests/unit/test_memory.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/options.h"
#include "../api/types.h"
#include "contract.h"
#include "../numbers/base.h"
#include "../positions/at.h"
#include "../numbers/exp_log.h"
#include "../frequencies/geometric.h"
#include "../plan/config.h"
#include "../plan/shape.h"
#include "../plan/make.h"
#include "output.h"
#include "f64.h"
#include "axis.h"

/* ---- 6.11 calls ------------------------------------------------------------------------------ */

/* Set *own to a copy of the plan, changed as the positions `at` require. For differences
   (pe_delta()) the amplitude is 1, and there is no offset and no padding position. For opposite
   angles (pe_back()) offset and padding position change sign. */
PE__COLD void pe__view_other(const pe_plan *plan, const pe_at *at, pe_plan *own)
{
    *own = *plan;
    if (at->delta) {
        pe__plan_set_amplitude(own, 1.0);
        own->offset = 0;
        own->has_padding = 0;
    }
    if (at->back) {
        own->offset = -own->offset;
        own->padding = -own->padding;
    }
}
/* Returns the plan for a call at the positions `at`: plan itself, or a changed copy in *own. */
PE__INLINE const pe_plan *pe__view(const pe_plan *plan, const pe_at *at, pe_plan *own)
{
    if (!at->delta && !at->back) return plan;
    pe__view_other(plan, at, own);
    return own;
}

/* Copy an element of 1, 2, 4 or 8 bytes. A memcpy() of a constant size is compiled without a
   call. */
PE__INLINE void pe__copy_element(unsigned char *to, const unsigned char *from, size_t element)
{
    if (element == 4) memcpy(to, from, 4);
    else if (element == 2) memcpy(to, from, 2);
    else if (element == 8) memcpy(to, from, 8);
    else *to = *from;
}

/* PE_COLUMNS_FREQUENCIES: copy `rows` rows of a tile between the stack and the output, from row r
   on, where columns are plan->step apart. out: 1 to copy to the output, 0 to copy to the tile. */
PE__INLINE void pe__copy_strided(const pe__output *tile, const pe__output *output, size_t r,
                                 size_t rows, int out)
{
    const size_t n = tile->sines, e = output->element, pair = tile->pair - output->pair;
    for (size_t k = 0; k < rows; k++)
        for (size_t i = 0; i < 2 * n; i++) {
            const size_t first = i < n ? output->sine : output->cosine;
            const size_t column = first + (pair + i % n) * tile->plan->step;
            unsigned char *const x = pe__row_address(output, r + k) + column * e;
            unsigned char *const y = pe__row_address(tile, k) + i * e;
            pe__copy_element(out ? x : y, out ? y : x, e);
        }
}
/* PE_COLUMNS_FREQUENCIES: write the rows of an axis, tile by tile. A tile is written on the stack,
   then copied to the output. If the call adds, the output's elements are copied to the stack
   first. */
PE__COLD void pe__write_axis_strided(const pe__output *output, const pe_at *at)
{
    enum { PE__PAIRS = 64, PE__BYTES = 4096 };
    double buffer[PE__BYTES / sizeof(double)];
    const size_t pairs = pe__pairs_of(output), e = output->element;
    for (size_t pair = 0; pair < pairs; pair += PE__PAIRS) {
        const size_t n = pe__min(pairs - pair, PE__PAIRS);
        pe__output tile =
            pe__output_split(output->kernel, output->plan, output->pair + pair, n, buffer, e);
        tile.coordinate = output->coordinate;
        tile.mode = output->mode;
        tile.scale = output->scale;
        for (size_t r = 0, rows; r < output->rows; r += rows) {
            rows = pe__min(output->rows - r, PE__BYTES / (2 * n * e));
            if (output->mode == PE__ADD) pe__copy_strided(&tile, output, r, rows, 0);
            pe__write_axis(&tile, at, r, rows);
            pe__copy_strided(&tile, output, r, rows, 1);
        }
    }
}

/* Write all rows of a call: for each axis its pairs in all rows, then its columns of zeros. */
PE__OUTLINE void pe__write_axes(const pe_plan *plan, const pe_at *at, pe__output *output)
{
    const pe__store_mode mode = output->mode;
    const size_t rows = output->rows;
    for (size_t a = 0; a < plan->axes; a++) {
        const pe__axis *const axis = &plan->axis[a];
        pe__set_axis(output, plan, axis);
        output->mode = mode;
        if (at->kind != PE__AT_GRID && !plan->step && !plan->matrix) pe__choose_store_mode(output);
        if (plan->step) pe__write_axis_strided(output, at);
        else if (plan->matrix) pe__write_sums(output, at, 0, rows);
        else pe__write_axis(output, at, 0, rows);
        if (output->mode == PE__STREAM) pe__fence();
        for (size_t r = 0; axis->zeros && r < rows; r++)
            output->kernel->zeros(output, pe__row_address(output, r), axis->zero, axis->zeros);
    }
}

/* Returns what is wrong with the plan, the output or its shape; positions are checked later. */
static inline pe_status pe__check_output(const pe_plan *plan, const pe__output *output)
{
    if (!plan || !output->out) return PE_ERR_NULL;
    if (plan->d_model == 0) return PE_ERR_PLAN;
    if (plan->order) return PE_ERR_PLAN_ROWS;
    return pe__check_shape(plan->d_model, output->rows, output->columns, output->element);
}

/* Check all arguments of a call, then write its rows. */
static inline pe_status pe__call_rows(const pe_plan *plan, const pe_at *at, pe__output *output)
{
    pe_plan own;
    if (output->rows == 0) return PE_OK;
    pe_status status = pe__check_output(plan, output);
    if (status != PE_OK) return status;
    const pe_plan *const view = pe__view(plan, at, &own);
    status = pe__check_at(at, output->rows, view->axes, view->offset);
    if (status == PE_OK) pe__write_axes(view, at, output);
    return status;
}

/* The batches that the same rows are added to. */
typedef struct pe__batches {
    size_t count, bytes;          /* batches; bytes from batch to batch */
    const pe__row_kernel *kernel; /* fills rows in a buffer */
    pe__row_adder *add;           /* adds a row of the buffer to a row of a batch */
} pe__batches;

/* Add the same rows to all batches: fill a buffer with some rows at a time, zeros included, and add
   them to each batch. Returns 0, and adds nothing, if a row is too long for the buffer. */
PE__OUTLINE int pe__write_batches(const pe_plan *plan, const pe_at *at, pe__output *output,
                                  const pe__batches *batches)
{
    /* PE__BYTES: the size of the rows that are filled together, unless a single row is longer. With
       more rows, calls took 15 % longer. PE__LONGEST: the size of the longest row that is taken.
       Longer rows would need more stack. */
    enum { PE__BYTES = 8192, PE__LONGEST = 10240 };
    double buffer[PE__LONGEST / sizeof(double)];
    const size_t element = output->element == sizeof(double) ? sizeof(double) : sizeof(float);
    const size_t d = plan->d_model, bytes = d * element;
    const size_t most = bytes > PE__LONGEST ? 0 : pe__max(PE__BYTES / bytes, 1);
    pe__set_axis(output, plan, &plan->axis[0]);
    output->prefetch_distance = batches->bytes;
    for (size_t r = 0, n; most > 0 && r < output->rows; r += n) {
        n = pe__min(most, output->rows - r);
        const pe_at from = pe_skip(*at, r);
        pe__output rows = pe__output_of(buffer, element, n, d, PE__STORE, 1, batches->kernel);
        pe__write_axes(plan, &from, &rows);
        for (size_t b = 0; b < batches->count; b++)
            for (size_t k = 0; k < n; k++)
                (*batches->add)(output, pe__row_address(output, r + k) + b * batches->bytes,
                                (unsigned char *)buffer + k * bytes, d);
    }
    return most > 0;
}

/* Check all arguments of a call with batches, then add its rows to them. */
static inline pe_status pe__call_batch(const pe_plan *plan, const pe_at *at, size_t batch_stride,
                                       pe__output *output, pe__batches *batches)
{
    pe_plan own;
    const size_t count = batches->count;
    if (output->rows == 0 || count == 0) return PE_OK;
    if (count == 1) return pe__call_rows(plan, at, output);
    pe_status status = pe__check_output(plan, output);
    if (status != PE_OK) return status;
    /* Batches follow each other, or lie side by side: then row r of every batch lies within one row
       stride. */
    const size_t batch = (output->rows - 1) * output->columns + plan->d_model;
    const size_t limit = (size_t)PTRDIFF_MAX / output->element;
    if (batch_stride > limit / count || batch_stride * (count - 1) > limit - batch)
        return PE_ERR_SIZE;
    if (batch_stride < batch && (batch_stride < plan->d_model ||
                                 (output->columns - plan->d_model) / batch_stride < count - 1))
        return PE_ERR_SHAPE;
    batches->bytes = batch_stride * output->element;
    const pe_plan *const view = pe__view(plan, at, &own);
    status = pe__check_at(at, output->rows, view->axes, view->offset);
    if (status != PE_OK || pe__write_batches(view, at, output, batches)) return status;
    for (size_t b = 0; b < count; b++) {
        pe__output one = *output;
        one.out += b * batches->bytes;
        pe__write_axes(view, at, &one);
    }
    return PE_OK;
}

/* pe_sinusoidal_f32(): write the rows in tiles of columns, each by a small plan on the stack. */
PE__OUTLINE pe_status pe__sinusoidal(float *out, size_t rows, size_t d_model)
{
    enum { PE__PAIRS = 32, PE__PADDED = PE__PAIRS + PE__MAX_LANES };
    if (rows == 0) return PE_OK;
    if (!out) return PE_ERR_NULL;
    if (d_model == 0) return PE_ERR_EMPTY;
    pe_config config = pe_config_default(d_model);
    config.expected_rows = rows;
    pe_plan plan;
    if (pe__plan_bytes(&config, &plan) == 0) return PE_ERR_SIZE;
    pe_status status = pe__check_shape(d_model, rows, d_model, sizeof *out);
    if (status == PE_OK) status = pe__check_range(0, rows);
    if (status != PE_OK) return status;

    double memory[PE__PADDED * (2 + 4 * PE__BLOCK_HALF) + PE__MAX_LANES];
    double *const f = pe__aligned(memory);
    pe__geometric g;
    const double denominator[2] = {(double)d_model / 2, 0};
    const pe__td unit = pe__frequency_unit(config.scale, config.half_turns);
    g.step = pe__geometric_step(config.base, denominator);
    pe__geometric_begin(&g, &unit);
    for (size_t column = 0; column < d_model; column += 2 * PE__PAIRS) {
        config.d_model = pe__min(2 * PE__PAIRS, d_model - column);
        (void)pe__plan_bytes(&config, &plan);
        pe__plan_begin(&plan, &config, f);
        plan.first = column / 2;
        plan.axis[0].denominator[0] = denominator[0];
        pe__geometric_fill(&g, column / 2, plan.pairs, f, plan.padded);
        pe__plan_finish(&plan, pe__exp2i(-100), f[0], f);
        plan.d_model = d_model;
        const pe_at at = pe_from(0);
        pe__output output = pe__output_of(out + column, sizeof *out, rows, d_model, PE__STORE, 1,
                                          &pe__fill_kernel_f32);
        pe__write_axes(&plan, &at, &output);
    }
    return PE_OK;
}
PE_API pe_status pe_sinusoidal_f32(float *out, size_t rows, size_t d_model)
{
    return pe__sinusoidal(out, rows, d_model);
}
