/* SPDX-License-Identifier: MIT */
/* Computes RoPE with ggml's arguments. pe_rope_ggml_frequencies() computes the correctly rounded
 * frequencies. pe_rope_ggml_f32() computes the sines and cosines of the angles that ggml computes
 * with float roundings. Tested by tests/unit/plan/test_models.c and
 * tests/unit/rope/test_rope_ggml.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/options.h"
#include "../api/types.h"
#include "contract_config.h"
#include "contract.h"
#include "../numbers/sizes.h"
#include "../numbers/compare.h"
#include "../positions/read.h"
#include "../positions/check.h"
#include "../numbers/double_double.h"
#include "../numbers/exp_log.h"
#include "../frequencies/geometric.h"
#include "../sincos/double_double.h"
#include "../sincos/exact.h"
#include "../plan/config.h"
#include "../plan/shape.h"
#include "../plan/make.h"
#include "../plan/frequencies.h"
#include "../layouts/output.h"
#include "../rows/block.h"
#include "config.h"
#include "frequencies.h"
#include "attention.h"
#include "../plan/fields.h"
#include "../rows/run.h"

/* ---- 8.6 RoPE: the angles of ggml ---------------------------------------------------------------
 * To get ggml's angles, pe_rope_ggml_f32() repeats ggml's roundings. It performs the same float
 * operations in the same order, with ggml's constants (pi as 3.14159274f, 0.1f, 0.001f). If
 * `contracted` is set, it fuses the sums that ggml's compiler fuses. One thing differs: here powf,
 * logf, sinf and cosf are correctly rounded, which C libraries do not promise. */

/* Returns a * b + c. If `fused` is set, the result is rounded once: a double holds the product of
   two floats exactly. Otherwise the product and then the sum are each rounded to float. */
PE__INLINE float pe__float_sum(float a, float b, float c, int fused)
{
    if (fused) return pe__round_sum((double)a * (double)b, (double)c, PE__DROP_F32);
    return pe__float_product(a, b) + c;
}

/* Returns a / b. PE__OPAQUE keeps compilers from replacing several divisions by b with products by
   1 / b, which round differently. */
PE__INLINE float pe__float_quotient(float a, float b)
{
    PE__OPAQUE(b);
    return a / b;
}

/* Returns x, rounded once to float. No rounding test is needed. The number x is a function of one
   float, or of a float and one of 2^19 values of n_dims. So it has at most 2^51 values. Among so
   many, the closest to a midpoint of two floats is expected to be about 2^-75 |x| away, far more
   than the error of x. */
PE__INLINE float pe__td_float(pe__td x)
{
    return (float)pe__to_odd(pe__first_lane(x.a), pe__first_lane(x.b));
}
/* Returns ln x, correctly rounded. */
PE__INLINE float pe__logf(float x)
{
    const pe__td y = pe__td_log2(pe__td_splat((double)x));
    return pe__td_float(pe__td_mul(y, pe__td_const(pe__ln2)));
}

/* Returns the index of the pair that completes beta rotations in n_ctx_orig positions, with the
   roundings of ggml_rope_yarn_corr_dim(). It is usually not an integer. */
static inline float pe__ggml_correction(const pe_rope_ggml *c, float beta)
{
    if (c->n_ctx_orig == 0) return -FLT_MAX; /* ggml has log(0) here: -infinity */
    const float rotations = (float)c->n_ctx_orig / (beta * 2 * 3.14159274f);
    return (float)c->n_dims * pe__logf(rotations) / (2 * pe__logf(c->freq_base));
}

/* Copy *given to *c, with defaults for the fields that are 0. Returns whether the fields of *c are
   within the bounds in the comments of pe_rope_ggml. Those that only YaRN uses are not checked if
   ext_factor is 0. */
static inline int pe__ggml_read(pe_rope_ggml *c, const pe_rope_ggml *given)
{
    const double tiny = pe__exp2i(-60), vast = pe__exp2i(60);
    *c = *given;
    if (pe__is_zero((double)c->freq_base)) c->freq_base = 10000;
    if (pe__is_zero((double)c->freq_scale)) c->freq_scale = 1;
    if (pe__is_zero((double)c->attn_factor)) c->attn_factor = 1;
    if (pe__is_zero((double)c->beta_fast)) c->beta_fast = 32;
    if (pe__is_zero((double)c->beta_slow)) c->beta_slow = 1;
    int ok = c->n_dims % 2 == 0 && c->n_dims >= 2 && c->n_dims <= 1048576 &&
             pe__between((double)c->freq_base, 1, pe__exp2i(100)) &&
             pe__between((double)c->freq_scale, tiny, 1024) &&
             pe__between((double)c->ext_factor, 0, 1) &&
             pe__between((double)c->attn_factor, tiny, vast);
    if (ok && c->ext_factor > 0)
        ok = c->freq_base > 1 && pe__between((double)c->beta_fast, tiny, vast) &&
             pe__between((double)c->beta_slow, tiny, vast) && c->n_ctx_orig <= INT32_MAX;
    if (c->freq_factors_length)
        ok = ok && c->freq_factors && c->freq_factors_length >= c->n_dims / 2;
    for (size_t i = 0; ok && c->freq_factors && i < c->n_dims / 2; i++)
        ok = pe__between((double)c->freq_factors[i], 1 / 1024.0, pe__exp2i(120));
    return ok;
}

PE_API pe_status pe_rope_ggml_frequencies(const pe_rope_ggml *given, double *omega,
                                          double *attention_factor)
{
    pe_rope_ggml c;
    if (!given || !omega) return PE_ERR_NULL;
    if (!pe__ggml_read(&c, given)) return PE_ERR_GGML;
    pe_rope_config config = pe_rope_config_default(c.n_dims);
    config.rope_theta = (double)c.freq_base;
    config.rope_type = c.ext_factor > 0 ? PE_ROPE_YARN : PE_ROPE_LINEAR;
    config.extrapolation_factor = (double)c.ext_factor;
    config.beta_fast = (double)c.beta_fast;
    config.beta_slow = (double)c.beta_slow;
    config.freq_factors = c.freq_factors;
    pe__rope r;
    pe__rope_read(&r, &config);
    r.is_ggml = 1;
    r.f[2] = (double)c.freq_scale;
    /* without n_ctx_orig, c(beta) of pe__rope_bound() is negative, as with ggml's logarithm of 0 */
    r.length = c.n_ctx_orig ? (double)c.n_ctx_orig : pe__exp2i(-900);
    pe__rope_begin(&r);
    pe__rope_all_frequencies(&r, omega);
    if (!attention_factor) return PE_OK;
    *attention_factor = (double)c.attn_factor;
    if (c.ext_factor > 0) *attention_factor = pe__rope_factor(&r, 1, 0, (double)c.attn_factor);
    return PE_OK;
}

/* This struct holds ggml's arguments, and the numbers that all rows share. */
typedef struct pe__ggml {
    pe_rope_ggml c; /* the arguments, with defaults for those that are 0 */
    /* theta_scale is the ratio of theta from a pair to the next, freq_base^(-2 / n_dims). mscale is
       the factor on sines and cosines. */
    float theta_scale, mscale;
    /* low is the index of the pair where YaRN's ramp begins, 0 without YaRN. span is the ramp's
       length in pairs, at least 0.001, or 1 without YaRN. */
    float low, span;
} pe__ggml;
/* Set the fields of *g after g->c from g->c, with ggml's roundings. */
static inline void pe__ggml_begin(pe__ggml *g)
{
    const pe__vd exponent = pe__splat((double)(-2.0f / (float)g->c.n_dims));
    const pe__td log_base = pe__td_log2(pe__td_splat((double)g->c.freq_base));
    g->theta_scale = pe__td_float(pe__td_exp2(pe__td_mul_double(log_base, exponent)));
    g->mscale = g->c.attn_factor;
    g->low = 0;
    g->span = 1;
    if (!(g->c.ext_factor > 0)) return;
    const float from = (float)floor((double)pe__ggml_correction(&g->c, g->c.beta_fast));
    const float until = (float)ceil((double)pe__ggml_correction(&g->c, g->c.beta_slow));
    const float last = (float)(g->c.n_dims - 1);
    g->low = from > 0 ? from : 0;
    g->span = (until < last ? until : last) - g->low;
    g->span = g->span > 0.001f ? g->span : 0.001f;
    g->mscale *= pe__float_sum(0.1f, pe__logf(1.0f / g->c.freq_scale), 1, g->c.contracted);
}

/* Returns the angle of a pair in radians, with ggml's roundings. theta is the position times
   theta_scale to the power of `pair`, rounded after each product. */
static inline float pe__ggml_angle(const pe__ggml *g, size_t pair, float theta)
{
    const float factor = g->c.freq_factors ? g->c.freq_factors[pair] : 1.0f;
    const float extrapolated = pe__float_quotient(theta, factor);
    const float interpolated = pe__float_product(g->c.freq_scale, extrapolated);
    if (!(g->c.ext_factor > 0)) return interpolated;
    const float y = pe__float_quotient((float)pair - g->low, g->span);
    const float clamped = y > 0 ? (y < 1 ? y : 1) : 0;
    const float mix = (1 - clamped) * g->c.ext_factor;
    return pe__float_sum(interpolated, 1 - mix, pe__float_product(extrapolated, mix),
                         g->c.contracted);
}

PE_API pe_status pe_rope_ggml_f32(const pe_rope_ggml *given, pe_at positions, size_t rows,
                                  float *cosines, float *sines, size_t stride)
{
    enum { PE__PAIRS = 64, PE__PADDED = PE__PAIRS + PE__MAX_LANES };
    pe__ggml g;
    if (rows == 0) return PE_OK;
    if (!given || !cosines || !sines) return PE_ERR_NULL;
    if (!pe__ggml_read(&g.c, given)) return PE_ERR_GGML;
    const size_t pairs = g.c.n_dims / 2;
    pe_status status = pe__check_shape(pairs, rows, stride, sizeof *cosines);
    if (status == PE_OK) status = pe__check_at(&positions, rows, 1, 0);
    if (status != PE_OK) return status;
    pe__ggml_begin(&g);

    /* A plan computes the sines and cosines of 64 angles at a time. The angles are stored as its
       float frequencies, and its row is computed at position 1. So this function uses the row
       kernel and the rounding test of pe_fill_f32(). */
    double memory[PE__PADDED * 3 + PE__MAX_LANES];
    double *const f = pe__aligned(memory);
    pe_config angles = pe_config_default(2 * PE__PAIRS);
    pe_plan plan;
    angles.angle = PE_ANGLE_FLOAT32;
    (void)pe__plan_bytes(&angles, &plan);
    pe__plan_begin(&plan, &angles, f);
    for (size_t i = 0; i < 2 * plan.padded; i++) f[i] = 0;
    pe__plan_finish(&plan, 1, 0, f);
    double *const angle = f + 2 * plan.padded;

    for (size_t r = 0; r < rows; r++) {
        float theta = (float)pe__position(&positions, r, 0);
        for (size_t done = 0; done < pairs; done += PE__PAIRS) {
            const size_t n = pe__min(PE__PAIRS, pairs - done);
            float row[2 * PE__PAIRS];
            double fastest = 0;
            for (size_t i = 0; i < n; i++) {
                angle[i] = (double)pe__ggml_angle(&g, done + i, theta);
                fastest = pe__max_abs(fastest, angle[i]);
                theta = pe__float_product(theta, g.theta_scale); /* step by step, as in ggml */
            }
            for (size_t i = n; i < plan.padded; i++) angle[i] = angle[n - 1];
            /* The largest angle determines the range of the double kernel, which must contain
               position 1, and an error bound of double-double. */
            pe__plan_set_range(&plan, plan.error, fastest);
            const pe__output output = pe__output_split(NULL, &plan, 0, n, row, sizeof *row);
            pe__row_f32(&output, 1, 1);
            for (size_t i = 0; i < n; i++) {
                sines[r * stride + done + i] = row[i] * g.mscale;
                cosines[r * stride + done + i] = row[n + i] * g.mscale;
            }
        }
    }
    return PE_OK;
}
