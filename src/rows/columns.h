/* SPDX-License-Identifier: MIT */
/* Writes the columns of all axes of a plan, axis by axis, and the columns of zeros. Tested by
 * tests/unit/plan/test_models.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../layouts/output.h"
#include "axis.h"
#include "../positions/read.h"
#include "../layouts/pairs.h"

/* For PE_COLUMNS_FREQUENCIES: write the rows of an axis, tile by tile. A tile has up to PE__PAIRS
   pairs of as many rows as fit into PE__BYTES bytes. It is written on the stack, then copied to the
   output. If the call adds, the output's elements are copied to the stack first. */
PE__COLD void pe__write_axis_strided(const pe__output *output, const pe_at *positions)
{
    enum { PE__PAIRS = 64, PE__BYTES = 4096 };
    double buffer[PE__BYTES / sizeof(double)];
    const size_t pairs = pe__max(output->sines, output->cosines), e = output->element;
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
            pe__write_axis(&tile, positions, r, rows);
            pe__copy_strided(&tile, output, r, rows, 1);
        }
    }
}

/* Write or add all rows of a call: for each axis its pairs in all rows, then its columns of
   zeros. */
PE__OUTLINE void pe__write_axes(const pe_plan *plan, const pe_at *positions, pe__output *output)
{
    const pe__store_mode mode = output->mode;
    const size_t rows = output->rows;
    for (size_t a = 0; a < plan->axes; a++) {
        const pe__axis *const axis = &plan->axis[a];
        pe__set_axis(output, plan, axis);
        output->mode = mode;
        if (positions->kind != PE__AT_GRID && !plan->step && !plan->matrix)
            pe__choose_store_mode(output);
        if (plan->step) pe__write_axis_strided(output, positions);
        else if (plan->matrix) pe__write_sums(output, positions, 0, rows);
        else pe__write_axis(output, positions, 0, rows);
        if (output->mode == PE__STREAM) pe__fence();
        for (size_t r = 0; axis->zeros && r < rows; r++)
            output->kernel->zeros(output, pe__row_address(output, r), axis->zero, axis->zeros);
    }
}
