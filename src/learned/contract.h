/* SPDX-License-Identifier: MIT */
/* This contract declares addition, gradient and resampling of learned tables. Tested by
 * tests/unit/learned/test_learned.c and tests/unit/plan/test_models.c. */
#pragma once
#include "../api/options.h"
#include "../api/types.h"

/* ---- 12. learned tables ---------------------------------------------------------------------- */

/* Add rows of a learned table to activations in place: with p the position of row r,
 *
 *     x[r * stride + c] += table[p * d_model + c]
 *
 * table        table_rows * d_model elements, packed
 * table_rows   number of rows of the table
 * d_model      elements of a row, at least 1
 * positions    of the `rows` rows of x, one coordinate each: integers 0 ... table_rows - 1, which
 *              may also be given as reals, in any order and repeatedly. All are checked before
 *              anything is written, none is clamped
 * rows         number of rows of x; with 0, the call does nothing and returns PE_OK
 * x            rows * stride elements (the last row needs only d_model); aligned as its type
 * stride       elements from row to row, >= d_model; elements between rows are not touched
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_EMPTY if d_model is 0; PE_ERR_SHAPE; PE_ERR_SIZE;
 *              PE_ERR_RANGE for a position that is no row of the table; PE_ERR_AT..., see
 *              section 4
 * Accuracy     each sum is rounded once: 16-bit numbers are added in f32, which has enough bits to
 *              make the second rounding harmless (tests/unit/learned/test_learned.c)
 * Aliasing     x may not overlap the table or the positions
 * Threads      any number, each with its own rows of x
 * See          Gehring et al. 2017, section 3.1; wpe in GPT-2, embed_positions in BERT and OPT */
PE_API pe_status pe_learned_add_f32(const float *table, size_t table_rows, size_t d_model,
                                    pe_at positions, size_t rows, float *x, size_t stride);
PE_API pe_status pe_learned_add_f16(const uint16_t *table, size_t table_rows, size_t d_model,
                                    pe_at positions, size_t rows, uint16_t *x, size_t stride);
PE_API pe_status pe_learned_add_bf16(const uint16_t *table, size_t table_rows, size_t d_model,
                                     pe_at positions, size_t rows, uint16_t *x, size_t stride);

/* Add the gradient of x to the gradient of the table, which is not cleared first:
 *
 *     grad_table[p * d_model + c] += grad_x[r * stride + c]     r = 0, 1, ..., rows - 1
 *
 * The rows are added in order, so a position that occurs often has the same sum in every run and on
 * every machine.
 *
 * grad_table   table_rows * d_model elements, packed
 * grad_x       rows * stride elements (the last row needs only d_model)
 *
 * The other parameters are those of pe_learned_add_f32.
 *
 * Returns      as pe_learned_add_f32; on an error nothing is written
 * Accuracy     each addition is rounded once (tests/unit/learned/test_learned.c)
 * Aliasing     grad_table may not overlap grad_x or the positions
 * Threads      any, but only one at a time for each grad_table */
PE_API pe_status pe_learned_grad_f32(float *grad_table, size_t table_rows, size_t d_model,
                                     pe_at positions, size_t rows, const float *grad_x,
                                     size_t stride);

typedef enum pe_resample_method { PE_RESAMPLE_CUBIC = 0, PE_RESAMPLE_LINEAR } pe_resample_method;

/* This struct says how to resample a table. Set all fields to zero, then change fields, because
   later versions may have more fields. */
typedef struct pe_resample {
    pe_resample_method method;
    double a;          /* cubic: the slope of the filter at distance 1, -16 ... 16. It is -0.75 in
                          torch. With -0.5 (Catmull-Rom) straight lines stay straight. 0 means the
                          slope 0, not a default. Linear: ignored                                */
    int align_corners; /* 1: the first and last output rows are the first and last rows of the
                          table; 0: the outer edges of the two grids coincide                    */
    int antialias;     /* 1: where there are fewer output rows, the filter is wider by the ratio of
                          rows to output rows, and its weights are divided by their sum, as with
                          torch's antialias (whose a is -0.5). Refused with align_corners        */
    double scale_y;    /* output rows per row of the table, 2^-20 ... 2^20, as torch's scale_factor
                          or DINOv2's (h + 0.1) / height; 0: out_height / height. Has no effect
                          with align_corners                                                     */
    double scale_x;    /* output columns per column of the table, as scale_y is for rows          */
} pe_resample;

/* Resample a learned table of a grid, [height, width, d_model], to [out_height, out_width,
 * d_model]; a table of rows is a grid of width 1. Along each axis:
 *
 *     out[i] = sum over k of w_k table[n + k]         n = floor(s), t = s - n; rows beyond an end
 *                                                     of the table are the row at that end
 *     s = i (rows - 1) / (out_rows - 1)               align_corners; 0 where out_rows = 1
 *     s = (i + 1/2) rows / out_rows - 1/2             otherwise
 *     w_0 = 1 - t, w_1 = t                            linear
 *     w_-1 = a t (1-t)^2, w_0 = (1-t) (1 + t - (a+2) t^2), and w_2, w_1 with 1 - t for t   cubic
 *
 * Here s is where output row i is among the `rows` rows of the table along the axis. If a scale is
 * given, 1 / scale replaces rows / out_rows. The weight of a cell is the product of its weights
 * along the two axes. A row with weight 0 does not count, even if it holds infinities.
 *
 * With antialias, let r be the larger of rows / out_rows and 1, at most 256. The formulas of w_k
 * above are a filter: the weight of a row at distance n + k - s. Now w_k is the filter at (n + k -
 * s) / r, for the rows that the table has, and the weights are divided by their sum. If that sum is
 * 0, as beyond the end, or at most 2^-44 of the sum of their magnitudes, the row nearest to s is
 * copied.
 *
 * table        height * width * d_model floats, packed, without tokens before the positions (CLS)
 * height, width          1 ... 2^31 each
 * out_height, out_width  at most 2^31; if one is 0, the call does nothing and returns PE_OK
 * d_model      at least 1
 * how          NULL: cubic, a = -0.75, align_corners = 0, as in vision models
 * out          out_height * out_width * d_model floats, packed
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_EMPTY if d_model, height or width is 0; PE_ERR_ENUM for
 *              another method; PE_ERR_RESAMPLE for an a (cubic) or a scale out of range, or for
 *              antialias with r above 256 or with align_corners; PE_ERR_SIZE
 * Accuracy     n is exact. Everything else is double, rounded once at the end: the error is at most
 *              0.5 ulp plus 2^-49 of the sum of |w_k table[n + k]|, 2^-47 for an a above -1/2
 *              (tests/unit/learned/test_learned.c). With antialias it is 0.5 ulp plus
 *              (m + 40) 2^-52 of that sum, where m is the number of rows in reach of a cell (up to
 *              200 rows: 2^-44), times the sum of the weights' magnitudes over the sum of the
 *              weights: at most 1.6 for an a within -1 ... 0 (tests/unit/plan/test_models.c). With
 *              a scale, s and the distances are also rounded to double: a row at distance 1 may get
 *              a small weight. If s is an integer, as for out_rows = rows, and antialias does not
 *              widen the filter, the row is copied
 * Aliasing     out may not overlap table
 * Threads      any
 * See          torch.nn.functional.interpolate; Keys 1981; position embeddings in ViT, DINOv2 */
PE_API pe_status pe_learned_resample_f32(const float *table, size_t height, size_t width,
                                         size_t d_model, const pe_resample *how, float *out,
                                         size_t out_height, size_t out_width);
