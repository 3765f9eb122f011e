/* SPDX-License-Identifier: MIT */
/* The public contract of the functions that fill rows or add them. Tested by
 * tests/unit/rows/test_exact.c. */
#pragma once
#include "../api/options.h"
#include "../api/types.h"

/* ---- 6. sinusoidal encodings ----------------------------------------------------------------- */

/* Fill rows with the encodings of their positions. For pe_from(first):
 *
 *     out[r * stride + 2i]     = A sin((first + r + offset) w_i)      (interleaved)
 *     out[r * stride + 2i + 1] = A cos((first + r + offset) w_i)
 *
 * With several axes (images, video, points in space) each axis encodes its coordinate. A pe_at of
 * one coordinate gives it to all axes.
 *
 * positions    where the rows are; every position within -2^31 ... 2^31, also with the offset. A
 *              real position and an offset are added in double, rounded once
 * out          rows * stride elements (the last row needs only d_model); aligned as its type
 * stride       elements from row to row, >= d_model; elements between rows are not touched
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_PLAN; PE_ERR_PLAN_ROWS for a plan with interleaved
 *              sections or a list of coordinates; PE_ERR_SHAPE; PE_ERR_SIZE; PE_ERR_RANGE, also
 *              for NaN and infinity, and PE_ERR_AT..., see section 4
 * Accuracy     rounded once from the exact value, overflow to infinity and subnormals included. A
 *              sine or cosine that is exactly 0 has the sign of the amplitude, on either side of
 *              position 0 (tests/unit/rows/test_exact.c, tests/unit/plan/test_conventions.c,
 *              tests/unit/sincos/test_theorem.c)
 * Aliasing     out may not overlap the positions, the plan or its memory
 * Threads      any number on one plan, each with its own rows
 * See          Vaswani et al. 2017, section 3.5 */
PE_API pe_status pe_fill_f32(const pe_plan *plan, pe_at positions, size_t rows, float *out,
                             size_t stride);
PE_API pe_status pe_fill_f64(const pe_plan *plan, pe_at positions, size_t rows, double *out,
                             size_t stride);
PE_API pe_status pe_fill_f16(const pe_plan *plan, pe_at positions, size_t rows, uint16_t *out,
                             size_t stride);
PE_API pe_status pe_fill_bf16(const pe_plan *plan, pe_at positions, size_t rows, uint16_t *out,
                              size_t stride);

/* Add encodings to activations, in place, in one pass over memory: x = scale * x + PE.
 *
 * PE is the row of pe_fill_f32 (for f64 of pe_fill_f64). The product and the sum are rounded to
 * float (for f64 to double) each, as in PyTorch and numpy, and the sum once more to the type of x.
 * So for f32 the result has the bits of scaling x, then adding the filled table, on every machine.
 *
 * positions    as pe_fill_T, for `rows` rows
 * scale        any float (f64: any double); 1 to add only, sqrt(d_model) for the paper's embeddings
 * x            as out of pe_fill_T
 *
 * Returns      as pe_fill_T
 * Accuracy     the bits of this product and sum (tests/unit/plan/test_conventions.c)
 * Aliasing     in place; x may not overlap the positions, the plan or its memory
 * Threads      any number on one plan, each with its own rows */
PE_API pe_status pe_add_f32(const pe_plan *plan, pe_at positions, size_t rows, float scale,
                            float *x, size_t stride);
PE_API pe_status pe_add_f64(const pe_plan *plan, pe_at positions, size_t rows, double scale,
                            double *x, size_t stride);
PE_API pe_status pe_add_f16(const pe_plan *plan, pe_at positions, size_t rows, float scale,
                            uint16_t *x, size_t stride);
PE_API pe_status pe_add_bf16(const pe_plan *plan, pe_at positions, size_t rows, float scale,
                             uint16_t *x, size_t stride);

/* Add the same rows to several batches, batch_stride elements from one to the next. Sines are
 * computed once for all batches; for d_model above 2,560 (f64: 1,280), once for each batch.
 *
 * batches      number of batches; 0 does nothing
 * batch_stride elements from batch to batch. If x is [batch, rows, d_model], batch_stride >=
 *              (rows - 1) * stride + d_model. If x is [rows, batch, d_model], batch_stride >=
 *              d_model and stride >= (batches - 1) * batch_stride + d_model. For one batch,
 *              batch_stride is ignored
 *
 * Returns      as pe_add_T; PE_ERR_SHAPE also if batches would overlap
 * Accuracy     as pe_add_T (tests/unit/plan/test_conventions.c)
 * Aliasing     as pe_add_T
 * Threads      as pe_add_T, each with its own rows or batches */
PE_API pe_status pe_add_batch_f32(const pe_plan *plan, pe_at positions, size_t rows, size_t batches,
                                  float scale, float *x, size_t stride, size_t batch_stride);
PE_API pe_status pe_add_batch_f64(const pe_plan *plan, pe_at positions, size_t rows, size_t batches,
                                  double scale, double *x, size_t stride, size_t batch_stride);
PE_API pe_status pe_add_batch_f16(const pe_plan *plan, pe_at positions, size_t rows, size_t batches,
                                  float scale, uint16_t *x, size_t stride, size_t batch_stride);
PE_API pe_status pe_add_batch_bf16(const pe_plan *plan, pe_at positions, size_t rows,
                                   size_t batches, float scale, uint16_t *x, size_t stride,
                                   size_t batch_stride);

/* Fill a packed table of the default config for the positions 0 ... rows - 1: pe_fill_f32 without a
 * plan, the same bits.
 *
 * out          rows * d_model floats; row r begins at out + r * d_model
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_EMPTY if d_model is 0; PE_ERR_SIZE; PE_ERR_RANGE
 * Accuracy     correctly rounded (tests/unit/rows/test_exact.c, tests/unit/rows/test_splits.c)
 * Threads      any */
PE_API pe_status pe_sinusoidal_f32(float *out, size_t rows, size_t d_model);

/* Fill rows of sines and of cosines of the given frequencies, without a plan:
 *
 *     sines[r * stride + i]   = amplitude sin(p_r omega[i])
 *     cosines[r * stride + i] = amplitude cos(p_r omega[i])
 *
 * These are the bits of pe_fill_T with a plan of pe_plan_init_frequencies(). A single row takes 12
 * to 25 % longer than with a plan that is kept, because its frequencies are converted to half-turns
 * first (bench/paired.sh, "one row"). Many rows are also faster with a plan.
 *
 * omega        pairs frequencies in radians per position, taken as the exact values of doubles:
 *              each 0, or within 2^-900 ... 2^21 in magnitude
 * amplitude    factor on every element, also if the positions are from pe_delta(); 2^-1000 ...
 *              2^1000 in magnitude
 * positions    where the rows are, one coordinate; every position p_r within -2^31 ... 2^31
 * sines        rows * stride elements (the last row needs only pairs); aligned as its type
 * cosines      as sines
 * stride       elements from row to row in both, >= pairs; elements between rows are not touched
 *
 * Returns      PE_OK, also if pairs is 0; PE_ERR_NULL; PE_ERR_AMPLITUDE; PE_ERR_FREQUENCY;
 *              PE_ERR_SHAPE; PE_ERR_ALIGNMENT if the distance of the two arrays in bytes is no
 *              multiple of an element; PE_ERR_SIZE; PE_ERR_RANGE and PE_ERR_AT..., see section 4
 * Accuracy     as pe_fill_T, for these very frequencies (tests/unit/sincos/test_theorem.c)
 * Aliasing     sines and cosines may not overlap each other, omega or the positions; their rows may
 *              alternate: cosines = sines + pairs, stride = 2 pairs
 * Threads      any */
PE_API pe_status pe_sincos_f32(const double *omega, size_t pairs, double amplitude, pe_at positions,
                               size_t rows, float *sines, float *cosines, size_t stride);
PE_API pe_status pe_sincos_f64(const double *omega, size_t pairs, double amplitude, pe_at positions,
                               size_t rows, double *sines, double *cosines, size_t stride);
PE_API pe_status pe_sincos_f16(const double *omega, size_t pairs, double amplitude, pe_at positions,
                               size_t rows, uint16_t *sines, uint16_t *cosines, size_t stride);
PE_API pe_status pe_sincos_bf16(const double *omega, size_t pairs, double amplitude,
                                pe_at positions, size_t rows, uint16_t *sines, uint16_t *cosines,
                                size_t stride);
