/* SPDX-License-Identifier: MIT */
/* This file defines the functions that resample learned tables to another size. Tested by
 * tests/unit/learned/test_learned.c and tests/unit/plan/test_models.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/options.h"
#include "../api/types.h"
#include "contract.h"
#include "../numbers/compare.h"
#include "../numbers/double_double.h"
#include "../numbers/exp_log.h"
#include "../plan/frequencies.h"

/* ---- 12.2 learned tables, resampled ---------------------------------------------------------- */

/* A tap is a row of the table and its weight in an output row. This struct holds the taps of an
   output row along one axis: the rows first, first + 1 ... and their weights. Without antialias
   there are 4 taps. With antialias there are up to PE__TAPS: it allows up to PE__SHRINK rows per
   output row, and the cubic filter then reaches 2 * PE__SHRINK rows to each side. Sums leave out
   taps of weight 0, since 0 * infinity is not 0. */
enum { PE__SHRINK = 256, PE__TAPS = 4 * PE__SHRINK + 2 };
typedef struct pe__taps {
    int64_t first;      /* row of tap 0; may be beyond an end of the table: see pe__tap_row() */
    size_t count, rows; /* `count` is the number of taps, `rows` that of the table's rows */
    double weight[PE__TAPS];
} pe__taps;

/* This struct says where an output row is among the table's rows. It is at row + behind /
   denominator, which is also row + 1 - ahead / denominator. The row may be -1 or beyond the end.
   Unless a scale is used, behind, ahead and denominator are integers, so that a distance of 1 is
   computed as exactly 1. */
typedef struct pe__spot {
    int64_t row;
    double behind, ahead, denominator;
} pe__spot;

/* Returns q^2 (1 + t - (a + 2) t^2) for t = p / q and v = q - p, computed as v (q + 2p) - a p^2,
   which is the same. If p, v and q are integers of at most 2^32, both terms are exact: a p^2 takes
   53 + 64 = 117 bits, and a triple-double has about 156. The difference is rounded to double. */
PE__COLD double pe__keys_cubic_near_root(double a, double p, double v, double q)
{
    const pe__vd numerator = pe__splat(p);
    const pe__td left = pe__td_mul_double(pe__td_splat(v), pe__splat(q + 2 * p));
    const pe__td right =
        pe__td_mul_double(pe__td_mul_double(pe__td_splat(a), numerator), numerator);
    return pe__first_lane(pe__td_sub(left, right).a);
}

/* Returns 1 + t - (a + 2) t^2 for t = p / q within 0 ... 1 and v = q - p. For every a >= 0 this
   polynomial has a root, near which its terms cancel. Where its magnitude is below 0.25,
   pe__keys_cubic_near_root() computes it, so that it is exactly 0 at the root. */
PE__INLINE double pe__keys_cubic(double a, double p, double v, double q)
{
    const double t = p / q, y = (1 + t) - pe__double_product((a + 2) * t, t);
    return PE__UNLIKELY(fabs(y) < 0.25) ? pe__keys_cubic_near_root(a, p, v, q) / q / q : y;
}

/* Let t = p / q and u = 1 - t = v / q. Write to weight[0] ... weight[3] the weights of the rows at
   distances 1 + t, t, u and 1 + u from the output row. */
PE__INLINE void pe__weights(const pe_resample *how, double p, double v, double q, double *weight)
{
    const double a = how->a, t = p / q, u = v / q;
    const int cubic = how->method == PE_RESAMPLE_CUBIC;
    weight[0] = cubic ? a * t * u * u : 0;
    weight[1] = cubic ? u * pe__keys_cubic(a, p, v, q) : u;
    weight[2] = cubic ? t * pe__keys_cubic(a, v, p, q) : t;
    weight[3] = cubic ? a * u * t * t : 0;
}

/* Returns the number of rows of the table per output row: 1 / scale, or rows / out_rows if scale is
   0. */
PE__INLINE double pe__shrink_factor(double scale, size_t rows, size_t out_rows)
{
    return scale > 0 ? 1 / scale : (double)rows / (double)out_rows;
}

/* Write to taps the taps of the output row at s with antialias: the table's rows in reach of the
   filter. The caller has set taps->rows. Distances are in units of 1 / s->denominator; q is the
   distance to which the filter's distance 1 is widened. The weight of a row at distance p is the
   filter at p / q, divided by the sum of the weights of all taps. If this sum is 0 or too small,
   the only tap is the row nearest to s. */
PE__COLD void pe__wide_taps(const pe_resample *how, const pe__spot *s, double q, pe__taps *taps)
{
    const double reach = how->method == PE_RESAMPLE_CUBIC ? 2 * q : q;
    int64_t k = (int64_t)ceil((s->behind - reach) / s->denominator);
    double sum = 0, size = 0, weight[4];
    k = s->row + k < 0 ? -s->row : k;
    taps->first = s->row + k;
    taps->count = 0;
    for (; s->row + k < (int64_t)taps->rows; k++) {
        double p = (double)k * s->denominator - s->behind;
        if (p >= reach) break;
        const int outer = fabs(p) >= q;
        p = outer ? fabs(p) - q : fabs(p);
        pe__weights(how, p, q - p, q, weight);
        sum += taps->weight[taps->count] = p < q ? weight[outer ? 0 : 1] : 0;
        size += fabs(taps->weight[taps->count++]);
    }
    if (fabs(sum) <= size * pe__exp2i(-44)) { /* no row in reach, or the weights cancel */
        taps->first = s->row + (s->behind >= s->ahead);
        taps->count = 1;
        taps->weight[0] = sum = 1;
    }
    for (k = 0; k < (int64_t)taps->count; k++) taps->weight[k] /= sum;
}

/* Returns where output row i is among the table's rows. All integers fit int64_t, because rows and
   out_rows are at most 2^31. */
PE__INLINE pe__spot pe__spot_of(const pe_resample *how, double scale, size_t i, size_t rows,
                                size_t out_rows)
{
    /* numerator / denominator is the s of the contract, at least -1/2 */
    const int64_t m = (int64_t)out_rows, n = (int64_t)rows;
    int64_t numerator = (2 * (int64_t)i + 1) * n - m, denominator = 2 * m;
    pe__spot spot;
    if (how->align_corners) {
        numerator = m > 1 ? (int64_t)i * (n - 1) : 0;
        denominator = m > 1 ? m - 1 : 1;
    } else if (scale > 0) {
        double s = ((double)i + 0.5) / scale;
        PE__OPAQUE(s); /* the subtraction of 0.5 must not be fused with it */
        s -= 0.5;
        spot.row = (int64_t)floor(s);
        spot.behind = s - (double)spot.row;
        spot.ahead = 1 - spot.behind;
        spot.denominator = 1;
        return spot;
    }
    spot.row = numerator < 0 ? -1 : numerator / denominator;
    const int64_t rest = numerator - spot.row * denominator;
    spot.behind = (double)rest;
    spot.ahead = (double)(denominator - rest);
    spot.denominator = (double)denominator;
    return spot;
}

/* Write to taps the taps of output row i along an axis, on which the table has `rows` rows. */
PE__INLINE void pe__taps_of(const pe_resample *how, double scale, size_t i, size_t rows,
                            size_t out_rows, pe__taps *taps)
{
    const pe__spot s = pe__spot_of(how, scale, i, rows, out_rows);
    taps->rows = rows;
    if (how->antialias) { /* fit: if no scale is given, r * s.denominator as an exact integer */
        const double fit = 2 * (double)pe__max(rows, out_rows);
        const double r = pe__shrink_factor(scale, rows, out_rows);
        pe__wide_taps(how, &s, scale > 0 ? (r > 1 ? r : 1) : fit, taps);
        return;
    }
    taps->count = 4;
    taps->first = s.row - 1;
    pe__weights(how, s.behind, s.ahead, s.denominator, taps->weight);
}

/* Returns the row of tap k, or the row at the end of the table if tap k lies beyond the end. */
PE__INLINE size_t pe__tap_row(const pe__taps *taps, size_t k)
{
    const int64_t row = taps->first + (int64_t)k, last = (int64_t)taps->rows - 1;
    return row < 0 ? 0 : (size_t)(row < last ? row : last);
}

/* Write to out the d_model floats of one output cell. For each tap of `down` (along the height) and
   each tap of `across` (along the width), the table's float there is multiplied by both weights.
   The sum of these products is computed in double, in the order of the taps, and rounded once to
   float. It begins with -0, so that a copied -0 stays -0. */
PE__OUTLINE void pe__weighted_sum(const float *table, const pe__taps *down, const pe__taps *across,
                                  size_t d_model, float *out)
{
    for (size_t c = 0; c < d_model; c += PE_LANES) {
        const size_t n = pe__min(PE_LANES, d_model - c);
        float part[PE_LANES] = {0};
        float *const to = n < PE_LANES ? part : out + c;
        pe__vd sum = pe__splat(-0.0);
        for (size_t j = 0; j < down->count; j++) {
            const float *const row = table + pe__tap_row(down, j) * across->rows * d_model + c;
            for (size_t i = 0; i < across->count; i++) {
                const float *from = row + pe__tap_row(across, i) * d_model;
                if (down->weight[j] == 0 || across->weight[i] == 0) continue;
                if (n < PE_LANES) from = (const float *)memcpy(part, from, n * sizeof *from);
                sum =
                    sum + pe__mul(pe__splat(down->weight[j] * across->weight[i]), pe__widen(from));
            }
        }
        pe__narrow(to, sum);
        if (n < PE_LANES) memcpy(out + c, part, n * sizeof *out);
    }
}

/* Returns 1 if the scale of an axis is 0 or 2^-20 ... 2^20, and antialias is possible if it is set.
   Antialias is possible without align_corners, and with at most PE__SHRINK rows per output row. */
PE__INLINE int pe__scale_ok(const pe_resample *how, double scale, size_t rows, size_t out_rows)
{
    if (!pe__is_zero(scale) && !pe__between(scale, pe__exp2i(-20), pe__exp2i(20))) return 0;
    return !how->antialias ||
           (!how->align_corners && pe__shrink_factor(scale, rows, out_rows) <= (double)PE__SHRINK);
}

/* Check the sizes and the fields of *how. Return PE_OK or the error. */
static inline pe_status pe__check_resample(size_t height, size_t width, size_t d_model,
                                           const pe_resample *how, size_t out_height,
                                           size_t out_width)
{
    const uint64_t maximum = (uint64_t)1 << 31;
    const size_t room = (size_t)PTRDIFF_MAX / sizeof(float);
    const int cubic = how->method == PE_RESAMPLE_CUBIC;
    if (d_model == 0 || height == 0 || width == 0) return PE_ERR_EMPTY;
    if (how->method != PE_RESAMPLE_LINEAR && !cubic) return PE_ERR_ENUM;
    if (cubic && !pe__between(how->a, -16, 16)) return PE_ERR_RESAMPLE;
    if (height > maximum || width > maximum || out_height > maximum || out_width > maximum ||
        d_model > room / height / width || d_model > room / out_height / out_width)
        return PE_ERR_SIZE;
    const int ok = pe__scale_ok(how, how->scale_y, height, out_height) &&
                   pe__scale_ok(how, how->scale_x, width, out_width);
    return ok ? PE_OK : PE_ERR_RESAMPLE;
}

PE_API pe_status pe_learned_resample_f32(const float *table, size_t height, size_t width,
                                         size_t d_model, const pe_resample *how, float *out,
                                         size_t out_height, size_t out_width)
{
    static const pe_resample usual = {PE_RESAMPLE_CUBIC, -0.75, 0, 0, 0, 0};
    if (out_height == 0 || out_width == 0) return PE_OK;
    if (!table || !out) return PE_ERR_NULL;
    if (!how) how = &usual;
    const pe_status status = pe__check_resample(height, width, d_model, how, out_height, out_width);
    if (status != PE_OK) return status;
    pe__taps down, across;
    for (size_t y = 0; y < out_height; y++) {
        pe__taps_of(how, how->scale_y, y, height, out_height, &down);
        for (size_t x = 0; x < out_width; x++, out += d_model) {
            pe__taps_of(how, how->scale_x, x, width, out_width, &across);
            pe__weighted_sum(table, &down, &across, d_model, out);
        }
    }
    return PE_OK;
}
