/* SPDX-License-Identifier: MIT */
/* The calls that write whole rows, with or without batches, and pe_sinusoidal_f32(). They check
 * their arguments, then write axis by axis. Tested by tests/unit/api/test_errors.c and
 * tests/unit/calls/test_memory.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/options.h"
#include "../api/types.h"
#include "contract.h"
#include "../numbers/sizes.h"
#include "../positions/check.h"
#include "../numbers/exp_log.h"
#include "../frequencies/geometric.h"
#include "../plan/config.h"
#include "../plan/shape.h"
#include "../plan/make.h"
#include "../layouts/output.h"
#include "f64.h"
#include "kernels.h"
#include "axis.h"
#include "../plan/fields.h"
#include "../plan/rotation.h"
#include "columns.h"

/* ---- 6.12 calls ------------------------------------------------------------------------------ */

/* Checks the plan, the address of the output and its shape. Returns PE_OK, or the error of the
   first check that fails. Positions are checked later. */
static inline pe_status pe__check_output(const pe_plan *plan, const pe__output *output)
{
    if (!plan || !output->out) return PE_ERR_NULL;
    if (plan->d_model == 0) return PE_ERR_PLAN;
    if (plan->order) return PE_ERR_PLAN_ROWS;
    return pe__check_shape(plan->d_model, output->rows, output->columns, output->element);
}

/* Check all arguments of a call, then write its rows. */
static inline pe_status pe__call_rows(const pe_plan *plan, const pe_at *positions,
                                      pe__output *output)
{
    pe_plan own;
    if (output->rows == 0) return PE_OK;
    pe_status status = pe__check_output(plan, output);
    if (status != PE_OK) return status;
    const pe_plan *const view = pe__view(plan, positions, &own);
    status = pe__check_at(positions, output->rows, view->axes, view->offset);
    if (status == PE_OK) pe__write_axes(view, positions, output);
    return status;
}

/* The batches to which the same rows are added. */
typedef struct pe__batches {
    /* `count` is the number of batches. `bytes` is the number of bytes from the start of a batch to
       the start of the next. pe__call_batch() sets it. */
    size_t count, bytes;
    const pe__row_kernel *kernel; /* fills rows in a buffer */
    pe__row_adder *add;           /* adds a row of the buffer to a row of a batch */
} pe__batches;

/* Add the same rows to all batches: repeatedly fill a buffer with several rows, including their
   columns of zeros, and add these rows to each batch. Returns 0, and adds nothing, if a row is too
   long for the buffer. */
PE__OUTLINE int pe__write_batches(const pe_plan *plan, const pe_at *positions, pe__output *output,
                                  const pe__batches *batches)
{
    /* As many rows are filled together as fit into PE__BYTES bytes, at least one. With more rows,
       calls took 15 % longer. PE__LONGEST is the number of bytes of the longest row that fits into
       the buffer. Longer rows would need more stack. */
    enum { PE__BYTES = 8192, PE__LONGEST = 10240 };
    double buffer[PE__LONGEST / sizeof(double)];
    const size_t element = output->element == sizeof(double) ? sizeof(double) : sizeof(float);
    const size_t d = plan->d_model, bytes = d * element;
    const size_t limit = bytes > PE__LONGEST ? 0 : pe__max(PE__BYTES / bytes, 1);
    pe__set_axis(output, plan, &plan->axis[0]);
    output->prefetch_distance = batches->bytes;
    for (size_t r = 0, n; limit > 0 && r < output->rows; r += n) {
        n = pe__min(limit, output->rows - r);
        const pe_at from = pe_skip(*positions, r);
        pe__output rows = pe__output_of(buffer, element, n, d, PE__STORE, 1, batches->kernel);
        pe__write_axes(plan, &from, &rows);
        for (size_t b = 0; b < batches->count; b++)
            for (size_t k = 0; k < n; k++)
                (*batches->add)(output, pe__row_address(output, r + k) + b * batches->bytes,
                                (unsigned char *)buffer + k * bytes, d);
    }
    return limit > 0;
}

/* Check all arguments of a call with batches, then add its rows to each batch. If a row is too long
   for the buffer of pe__write_batches(), the rows are computed again for each batch. */
static inline pe_status pe__call_batch(const pe_plan *plan, const pe_at *positions,
                                       size_t batch_stride, pe__output *output,
                                       pe__batches *batches)
{
    pe_plan own;
    const size_t count = batches->count;
    if (output->rows == 0 || count == 0) return PE_OK;
    if (count == 1) return pe__call_rows(plan, positions, output);
    pe_status status = pe__check_output(plan, output);
    if (status != PE_OK) return status;
    /* Batches may follow each other or be side by side. If they are side by side, the rows r of all
       batches are within one row stride. `batch` is the number of elements from the start of a
       batch to its end. */
    const size_t batch = (output->rows - 1) * output->columns + plan->d_model;
    const size_t limit = (size_t)PTRDIFF_MAX / output->element;
    if (batch_stride > limit / count || batch_stride * (count - 1) > limit - batch)
        return PE_ERR_SIZE;
    if (batch_stride < batch && (batch_stride < plan->d_model ||
                                 (output->columns - plan->d_model) / batch_stride < count - 1))
        return PE_ERR_SHAPE;
    batches->bytes = batch_stride * output->element;
    const pe_plan *const view = pe__view(plan, positions, &own);
    status = pe__check_at(positions, output->rows, view->axes, view->offset);
    if (status != PE_OK || pe__write_batches(view, positions, output, batches)) return status;
    for (size_t b = 0; b < count; b++) {
        pe__output one = *output;
        one.out += b * batches->bytes;
        pe__write_axes(view, positions, &one);
    }
    return PE_OK;
}

/* Writes the rows in tiles of 64 columns or fewer, each with a small plan on the stack. */
PE_API pe_status pe_sinusoidal_f32(float *out, size_t rows, size_t d_model)
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
    const pe_at positions = pe_from(0);
    if (status == PE_OK) status = pe__check_at(&positions, rows, 1, 0);
    if (status != PE_OK) return status;

    double memory[PE__PADDED * (2 + 4 * PE__BLOCK_HALF) + PE__MAX_LANES];
    double *const f = pe__aligned(memory);
    pe__geometric g;
    const double denominator[2] = {(double)d_model / 2, 0};
    const pe__td unit = pe__frequency_scale(config.scale, config.half_turns);
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
        pe__output output = pe__output_of(out + column, sizeof *out, rows, d_model, PE__STORE, 1,
                                          pe__fill_kernel_f32());
        pe__write_axes(&plan, &positions, &output);
    }
    return PE_OK;
}
