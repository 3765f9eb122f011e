/* SPDX-License-Identifier: MIT */
/* Writes rows of sines and cosines of given frequencies, for callers without a plan (pe_sincos_T).
 * Tested by tests/unit/sincos/test_theorem.c and tests/unit/positions/test_at.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../numbers/sizes.h"
#include "../numbers/compare.h"
#include "../positions/read.h"
#include "../positions/check.h"
#include "../numbers/exp_log.h"
#include "../frequencies/geometric.h"
#include "../plan/shape.h"
#include "../plan/make.h"
#include "../layouts/output.h"
#include "kernels.h"
#include "axis.h"
#include "../plan/fields.h"
#include "../plan/rotation.h"
#include "run.h"

/* ---- 6.13 rows without a plan -------------------------------------------------------------------
 * A call builds a plan on the stack for each tile of columns. For fewer than PE__SINCOS_MIN_ROWS
 * rows the plan holds only frequencies. Converting them takes 20 % of the time of a row. For more
 * rows the plan also has rotation rows (plan->table). */

/* The arguments of a pe_sincos_T call. */
typedef struct pe__sincos_request {
    const double *omega;                 /* frequency of each pair, in radians per position */
    size_t pairs, rows, stride, element; /* stride: elements from row to row, of the sines as of the
                                            cosines; element: bytes of an element */
    double amplitude;
    void *sines, *cosines;
} pe__sincos_request;

/* Writes the first `rows` rows of an output. pe__sincos_row_T() is called for one row only, and
   pe__sincos_rows_T() for any number. If every call of pe_sincos_T() in a program is for one row,
   the program has no code of pe__write_axis(). */
typedef void pe__sincos_kernel(pe__output *output, const pe_at *positions, size_t rows);
#define PE__ROW_KERNELS(T, row, kernel_of_row)                                                     \
    PE__OUTLINE void pe__sincos_row_##T(pe__output *output, const pe_at *positions, size_t rows)   \
    {                                                                                              \
        output->kernel = kernel_of_row;                                                            \
        row(output, pe__position(positions, 0, 0), rows);                                          \
    }                                                                                              \
    PE__OUTLINE void pe__sincos_rows_##T(pe__output *output, const pe_at *positions, size_t rows)  \
    {                                                                                              \
        output->kernel = pe__fill_kernel_##T();                                                    \
        pe__write_axis(output, positions, 0, rows);                                                \
    }
PE__ROW_KERNELS(f32, pe__row_f32, NULL) /* NULL: pe__row_f32() does not read output->kernel */
PE__ROW_KERNELS(f16, pe__rows_f16, pe__fill_kernel_f16())
PE__ROW_KERNELS(bf16, pe__rows_bf16, pe__fill_kernel_bf16())
PE__ROW_KERNELS(f64, pe__rows_f64, NULL) /* NULL: nor does pe__rows_f64() */
#undef PE__ROW_KERNELS

/* PE__TILE_NO_TABLE is the maximum number of pairs of a tile whose plan has no rotation rows,
   PE__TILE_TABLE that of a tile whose plan has them. Plans have rotation rows for
   PE__SINCOS_MIN_ROWS rows or more: then rotation rows that are built for one call save more time
   than they cost. Measured for 64 pairs, this is so for 65 rows or more with AVX-512, and for 125
   or more with AVX2. 96 is between these. */
enum { PE__TILE_NO_TABLE = 256, PE__TILE_TABLE = 32, PE__SINCOS_MIN_ROWS = 96 };

/* Convert the vector of frequencies w at omega + i to half-turns. Each w / pi is the sum of two
   doubles, with a relative error of 2^-104: the high parts go to f + i, the low parts to g + i.
   Update *minimum and *sum, the minimum of |w| and the sum of |w| in each lane. */
PE__INLINE void pe__sincos_frequency(const double *omega, size_t i, double *f, double *g,
                                     pe__vd *minimum, pe__vd *sum)
{
    pe__vd e;
    const pe__vd w = pe__load(omega + i), size = pe__abs(w);
    *minimum = pe__min_vd(size, *minimum);
    *sum = *sum + size;
    pe__store(f + i, pe__two_prod(w, pe__splat(pe__inverse_pi[0]), &e));
    pe__store(g + i, pe__fma(w, pe__splat(pe__inverse_pi[1]), e));
}

/* Convert n frequencies to half-turns, high parts to f and low parts to f + padded. Each array is
   followed by 8 copies of its last element. Returns 1 in the usual case: no omega is a NaN, and no
   |omega| is below 2^-900. Also, the sum of |omega| in each lane of the vectors is at most
   PE__MAX_FREQUENCY_SUM / PE_LANES. Then no frequency has to be checked by itself, and none is
   above PE__MAX_FREQUENCY_SUM. Otherwise returns 0, also if a frequency is 0, which is valid. */
enum { PE__MAX_FREQUENCY_SUM = 32 };
PE__OUTLINE int pe__sincos_frequencies(const double *omega, size_t n, double *f, size_t padded)
{
    const pe__vd low = pe__splat(pe__exp2i(-900));
    const pe__vd maximum = pe__splat((double)PE__MAX_FREQUENCY_SUM / (double)PE_LANES);
    pe__vd minimum = pe__splat(1.0), sum = pe__splat(0.0), zero = sum;
    double w[PE_LANES], *const g = f + padded;
    size_t i = 0;
    for (size_t k = 0; n < PE_LANES && k < PE_LANES; k++) w[k] = omega[pe__min(k, n - 1)];
    for (; i + PE_LANES <= n; i += PE_LANES) pe__sincos_frequency(omega, i, f, g, &minimum, &sum);
    if (n < PE_LANES) pe__sincos_frequency(w, 0, f, g, &minimum, &sum);
    else if (i < n) pe__sincos_frequency(omega, n - PE_LANES, f, g, &minimum, &sum);
    for (i = n; i < n + 8; i += PE_LANES) {
        pe__store(f + i, pe__splat(f[n - 1]));
        pe__store(g + i, pe__splat(g[n - 1]));
    }
    /* sum * 0 is a NaN if any frequency is a NaN or infinite. The 0 is hidden from clang, which
       assumes under -ffinite-math-only that this product is 0. */
    PE__OPAQUE(zero);
    return !pe__unequal(pe__min_vd(minimum, low), low,
                        pe__fma(sum, zero, pe__min_vd(maximum - sum, zero)), zero);
}

/* Set all fields that row kernels read in a plan of n pairs, except frequency and padded. No
   frequency may be larger in magnitude than `fastest`. */
PE__INLINE void pe__sincos_plan(pe_plan *plan, double amplitude, size_t n, double fastest)
{
    plan->axes = 1;
    plan->first = 0;
    plan->has_padding = plan->half_turns = plan->exact_frequencies = 0;
    plan->offset = plan->base = 0;
    plan->unit = 1;
    plan->table = plan->float32 = plan->matrix = plan->point = NULL;
    plan->order = NULL;
    plan->axis[0].pair = plan->axis[0].coordinate = 0;
    plan->axis[0].pairs = n;
    plan->axis[0].denominator[0] = 1;
    plan->axis[0].denominator[1] = 0;
    pe__plan_set_amplitude(plan, amplitude);
    pe__plan_set_range(plan, pe__exp2i(-104), fastest);
}

/* Check the frequencies, then write the rows in tiles of up to `capacity` pairs, with rotation rows
   if capacity is PE__TILE_TABLE. `f` is aligned memory for the arrays of a tile's plan: frequencies
   and, if there are any, rotation rows. Returns PE_OK, or PE_ERR_FREQUENCY before anything is
   written. */
PE__INLINE pe_status pe__sincos_tiles(const pe__sincos_request *x, const pe_at *positions,
                                      pe__sincos_kernel *kernel, double *f, size_t capacity)
{
    unsigned char *const sines = (unsigned char *)x->sines;
    unsigned char *const cosines = (unsigned char *)x->cosines;
    const int sines_first = (uintptr_t)sines < (uintptr_t)cosines;
    unsigned char *const out = sines_first ? sines : cosines;
    const size_t size = x->element, gap = (size_t)((sines_first ? cosines : sines) - out);
    const size_t columns = gap >> (size == 2 ? 1 : size == 4 ? 2 : 3);
    pe_plan plan;
    double fastest = PE__MAX_FREQUENCY_SUM;
    int usual = 1;
    plan.frequency = f;
    for (size_t i = 0; i < x->pairs; i += capacity) {
        const size_t n = pe__min(x->pairs - i, capacity);
        usual &= pe__sincos_frequencies(x->omega + i, n, f, capacity + PE__MAX_LANES);
    }
    for (size_t i = 0; i < x->pairs && !usual; i++) {
        const double w = x->omega[i];
        if (!pe__is_zero(w) && !pe__magnitude_between(w, pe__exp2i(-900), pe__exp2i(21)))
            return PE_ERR_FREQUENCY;
        fastest = pe__max_abs(fastest, w);
    }
    plan.padded = capacity + PE__MAX_LANES;
    for (size_t i = 0; i < x->pairs; i += capacity) {
        const size_t n = pe__min(x->pairs - i, capacity);
        if (x->pairs > capacity)
            (void)pe__sincos_frequencies(x->omega + i, n, f, capacity + PE__MAX_LANES);
        pe__sincos_plan(&plan, x->amplitude, n, fastest);
        if (capacity == PE__TILE_TABLE) {
            /* pe__build_rotation_rows() reads all plan.padded elements, also those of no pair */
            for (size_t k = n + PE__MAX_LANES; k < plan.padded; k++) f[k] = f[plan.padded + k] = 0;
            pe__build_rotation_rows(&plan, f + 2 * plan.padded);
            plan.table = f + 2 * plan.padded;
        }
        pe__output output =
            pe__output_split_with(pe__round_element_given, NULL, &plan, 0, n, out + i * size, size);
        output.stride = (ptrdiff_t)(x->stride * size);
        output.sine = sines_first ? 0 : columns;
        output.cosine = sines_first ? columns : 0;
        kernel(&output, positions, x->rows);
    }
    return PE_OK;
}
PE__OUTLINE pe_status pe__sincos_without_table(const pe__sincos_request *x, const pe_at *positions,
                                               pe__sincos_kernel *kernel)
{
    double memory[2 * ((size_t)PE__TILE_NO_TABLE + PE__MAX_LANES) + 8];
    return pe__sincos_tiles(x, positions, kernel, pe__aligned(memory), PE__TILE_NO_TABLE);
}
PE__OUTLINE pe_status pe__sincos_with_table(const pe__sincos_request *x, const pe_at *positions,
                                            pe__sincos_kernel *kernel)
{
    double memory[(2 + 4 * PE__BLOCK_HALF) * ((size_t)PE__TILE_TABLE + PE__MAX_LANES) + 8];
    return pe__sincos_tiles(x, positions, kernel, pe__aligned(memory), PE__TILE_TABLE);
}

/* Does what pe_sincos_T() does: checks all arguments, then writes. `one` is 1 if x->rows is 1 and
   the kernel is pe__sincos_row_T(), else 0. */
PE__OUTLINE pe_status pe__sincos_call(const pe__sincos_request *x, const pe_at *positions, int one,
                                      pe__sincos_kernel *kernel)
{
    if (x->rows == 0 || x->pairs == 0) return PE_OK;
    if (!x->omega || !x->sines || !x->cosines) return PE_ERR_NULL;
    if (!pe__magnitude_between(x->amplitude, pe__exp2i(-1000), pe__exp2i(1000)))
        return PE_ERR_AMPLITUDE;
    pe_status status = pe__check_shape(x->pairs, x->rows, x->stride, x->element);
    /* Sines and cosines are written as columns of one output, so the distance between the arrays
       must be a whole number of elements. */
    if (((uintptr_t)x->sines ^ (uintptr_t)x->cosines) & (x->element - 1)) return PE_ERR_ALIGNMENT;
    if (status == PE_OK) status = pe__check_at(positions, x->rows, 1, 0);
    if (status != PE_OK) return status;
    if (one || x->rows < PE__SINCOS_MIN_ROWS) return pe__sincos_without_table(x, positions, kernel);
    return pe__sincos_with_table(x, positions, kernel);
}
