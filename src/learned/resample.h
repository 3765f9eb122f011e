/* SPDX-License-Identifier: MIT */
/* Learned tables resampled to another size.
 * Gives: pe_learned_resample_f32().
 * Needs: simd, api, plan, numbers.
 * Tests: tests/unit/test_learned.c, tests/unit/test_models.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/options.h"
#include "../api/types.h"
#include "contract.h"
#include "../numbers/base.h"
#include "../numbers/exp_log.h"
#include "../plan/frequencies.h"

/* ---- 12.2 learned tables, resampled ---------------------------------------------------------- */

/* The rows first, first + 1 ... that an output row is made of, with their weights: 4 along one
   axis, more with antialias. Those of weight 0 are left out, since 0 * infinity is not 0. */
enum { PE__SHRINK = 256, PE__TAPS = 4 * PE__SHRINK + 2 };
typedef struct pe__taps {
    int64_t first;
    size_t count, rows;
    double weight[PE__TAPS];
} pe__taps;

/* 1 + t - (a + 2) t^2 */
PE__INLINE double pe__keys(double a, double t)
{
    return (1 + t) - pe__double_product((a + 2) * t, t);
}

/* The weights of the rows at t + 1, t, u = 1 - t and u + 1 from an output row. */
PE__INLINE void pe__weights(const pe_resample *how, double t, double u, double *weight)
{
    const double a = how->a;
    const int cubic = how->method == PE_RESAMPLE_CUBIC;
    weight[0] = cubic ? a * t * u * u : 0;
    weight[1] = cubic ? u * pe__keys(a, t) : u;
    weight[2] = cubic ? t * pe__keys(a, u) : t;
    weight[3] = cubic ? a * u * t * t : 0;
}

/* Output rows for a row: the given scale, or the ratio of the sizes. */
PE__INLINE double pe__shrinks(double scale, size_t rows, size_t out_rows)
{
    return scale > 0 ? 1 / scale : (double)rows / (double)out_rows;
}

/* Output row i by a filter that is r >= 1 times as wide, around s, of the rows that are there. */
PE__COLD void pe__wide_taps(const pe_resample *how, double s, double r, pe__taps *taps)
{
    const double reach = (how->method == PE_RESAMPLE_CUBIC ? 2 : 1) * r, first = ceil(s - reach);
    double sum = 0, weight[4];
    taps->first = first < 0 ? 0 : (int64_t)first;
    taps->count = 0;
    for (int64_t k = taps->first; k < (int64_t)taps->rows && (double)k < s + reach; k++) {
        const double x = fabs((double)k - s) / r;
        const int distant = x >= 1;
        pe__weights(how, x - distant, 1 - (x - distant), weight);
        sum += taps->weight[taps->count++] = weight[distant ? 0 : 1];
    }
    if (sum == 0) { /* no row in reach, as beyond the end, or weights that cancel */
        taps->first = (int64_t)floor(s + 0.5);
        taps->count = 1;
        taps->weight[0] = sum = 1;
    }
    for (size_t k = 0; k < taps->count; k++) taps->weight[k] /= sum;
}

/* The taps of output row i. With rows and out_rows of at most 2^31 all numbers fit. */
PE__INLINE void pe__taps_of(const pe_resample *how, double scale, size_t i, size_t rows,
                            size_t out_rows, pe__taps *taps)
{
    /* s = numerator / denominator >= -1/2 */
    const int64_t m = (int64_t)out_rows, n = (int64_t)rows;
    int64_t numerator = (2 * (int64_t)i + 1) * n - m, denominator = 2 * m;
    if (how->align_corners) {
        numerator = m > 1 ? (int64_t)i * (n - 1) : 0;
        denominator = m > 1 ? m - 1 : 1;
    }
    taps->rows = rows;
    taps->count = 4;
    taps->first = numerator < 0 ? -1 : numerator / denominator;
    const int64_t rest = numerator - taps->first * denominator;
    double t = (double)rest / (double)denominator;
    double u = (double)(denominator - rest) / (double)denominator;
    if (scale > 0 && !how->align_corners) {
        double s = ((double)i + 0.5) / scale;
        PE__OPAQUE(s); /* not to be fused */
        s -= 0.5;
        taps->first = (int64_t)floor(s);
        t = s - (double)taps->first;
        u = 1 - t;
    }
    if (how->antialias) {
        const double r = pe__shrinks(scale, rows, out_rows);
        pe__wide_taps(how, (double)taps->first + t, r > 1 ? r : 1, taps);
        return;
    }
    pe__weights(how, t, u, taps->weight);
    taps->first--;
}

/* The row of tap k: those beyond an end are the row at the end. */
PE__INLINE size_t pe__tap_row(const pe__taps *taps, size_t k)
{
    const int64_t row = taps->first + (int64_t)k, last = (int64_t)taps->rows - 1;
    return row < 0 ? 0 : (size_t)(row < last ? row : last);
}

/* One row of output: the sum of weight * row, in doubles and in the order of the taps. */
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

/* Is the scale of an axis one, and does the filter fit? */
PE__INLINE int pe__scale_ok(const pe_resample *how, double scale, size_t rows, size_t out_rows)
{
    if (scale != 0 && !pe__between(scale, pe__exp2i(-20), pe__exp2i(20))) return 0;
    return !how->antialias || (!how->align_corners &&
                               pe__shrinks(scale, rows, out_rows) <= (double)PE__SHRINK);
}

static inline pe_status pe__check_resample(size_t height, size_t width, size_t d_model,
                                           const pe_resample *how, size_t out_height,
                                           size_t out_width)
{
    const uint64_t most = (uint64_t)1 << 31;
    const size_t room = (size_t)PTRDIFF_MAX / sizeof(float);
    const int cubic = how->method == PE_RESAMPLE_CUBIC;
    if (d_model == 0) return PE_ERR_SHAPE;
    if (how->method != PE_RESAMPLE_LINEAR && !cubic) return PE_ERR_ENUM;
    if (height == 0 || width == 0 || (cubic && !pe__between(how->a, -16, 16))) return PE_ERR_RANGE;
    if (height > most || width > most || out_height > most || out_width > most ||
        d_model > room / height / width || d_model > room / out_height / out_width)
        return PE_ERR_SIZE;
    const int ok = pe__scale_ok(how, how->scale_y, height, out_height) &&
                   pe__scale_ok(how, how->scale_x, width, out_width);
    return ok ? PE_OK : PE_ERR_RANGE;
}

PE_API pe_status pe_learned_resample_f32(const float *table, size_t height, size_t width,
                                         size_t d_model, const pe_resample *how, float *out,
                                         size_t out_height, size_t out_width)
{
    static const pe_resample usual = {PE_RESAMPLE_CUBIC, -0.75, 0, 0, 0, 0};
    if (out_height == 0 || out_width == 0) return PE_OK;
    if (!table || !out) return PE_ERR_NULL;
    if (!how) how = &usual;
    const pe_status status =
        pe__check_resample(height, width, d_model, how, out_height, out_width);
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
