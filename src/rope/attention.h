/* SPDX-License-Identifier: MIT */
/* Computes RoPE's attention factor, by which all cosines and sines are multiplied, correctly
 * rounded. Also defines pe_rope_frequencies(). Tested by tests/unit/rope/test_rope_frequencies.c
 * and tests/checks/levels.sh. */
#pragma once
#include "../pe_simd.h"
#include "../api/options.h"
#include "../api/types.h"
#include "contract_config.h"
#include "../numbers/double_double.h"
#include "../numbers/exp_log.h"
#include "../numbers/real.h"
#include "../sincos/exact.h"
#include "config.h"
#include "exact.h"
#include "frequencies.h"

/* Both functions return 0.1 scale ln f + 1, where log_factor is ln f, and f is the factor of the
   config (`factor` in pe__rope). The scale is 1, or mscale or mscale_all_dim of the config, or 0.
   pe__rope_mscale() computes in double-double, pe__rope_real_mscale() with multi-limb integers. */
PE__INLINE pe__dd pe__rope_mscale(pe__dd log_factor, double scale)
{
    const pe__dd one = pe__dd_from_double(pe__splat(1.0));
    const pe__dd ten = pe__dd_from_double(pe__splat(10.0));
    return pe__dd_add(pe__dd_div(pe__dd_mul_double(log_factor, scale), ten), one);
}
PE__COLD pe__bigfloat pe__rope_real_mscale(const pe__bigfloat *log_factor, double scale)
{
    pe__bigfloat x = *log_factor;
    pe__bigfloat_mul_double(&x, scale);
    pe__bigfloat_div_u32(&x, 10);
    pe__bigfloat_add_double(&x, 1);
    return x;
}

/* Returns `extra` times the attention factor, correctly rounded. The computation uses
   multi-limb integers. The factor is (0.1 mscale ln f + 1) / (0.1 all_dim ln f + 1), with all_dim
   0 if the divisor is 1. For LONGROPE it is the square root of 1 + ln f / ln L0, where L0 is
   r->length; mscale and all_dim are then not used. */
PE__COLD double pe__rope_round_factor(const pe__rope *r, double mscale, double all_dim,
                                      double extra)
{
    double y;
    for (int n = PE__LIMBS_FIRST;; n = pe__next_limbs(n)) {
        pe__bigfloat f = pe__rope_real_factor(r, n), x, z;
        pe__bigfloat_log(&f);
        if (r->config->rope_type == PE_ROPE_LONGROPE) {
            x = f;
            z = pe__bigfloat_of(r->length, n);
            pe__bigfloat_log(&z);
            pe__bigfloat_div(&x, &z);
            pe__bigfloat_add_double(&x, 1);
            pe__bigfloat_log(&x);
            pe__bigfloat_mul_double(&x, 0.5);
            pe__bigfloat_exp(&x);
        } else {
            x = pe__rope_real_mscale(&f, mscale);
            z = pe__rope_real_mscale(&f, all_dim);
            pe__bigfloat_div(&x, &z);
        }
        pe__bigfloat_mul_double(&x, extra);
        if (pe__bigfloat_round(&x, 0, n == PE__LIMBS, &y)) return y;
    }
}

/* Returns the same number as pe__rope_round_factor(), but computes it in double-double. It calls
   that function only if Ziv's rounding test is inconclusive. The relative error has two terms:
       2^-90                         bounds the error of the operations, for which a bound of
                                     2^-92 was derived
       (mscale + all_dim) 2^-103     bounds what the error of ln f adds. If f is the quotient of two
                                     lengths that differ by 1, ln f is off by up to 2^-104. For
                                     f >= 1, 0.1 mscale ln f + 1 and 0.1 all_dim ln f + 1 are at
                                     least 1, so their relative errors are at most 0.1 mscale 2^-104
                                     and 0.1 all_dim 2^-104. Only ggml has f < 1, but f >= 2^-10 and
                                     mscale = 1, so 0.1 ln f + 1 > 0.3 and the bound also holds

   Without the second term, 8 of 3000 factors with mscale = 2^62 and lengths near 2^52 were wrong.

   No result is a midpoint of two doubles. f is rational. If f = 1, or if mscale = all_dim, the
   quotient is 1 and the result is `extra`. Otherwise ln f is transcendental, and so is the quotient
   that contains it. For LONGROPE, let L0 be r->length, an integer of at most 2^53. If ln f / ln L0
   is irrational, it is transcendental (Gelfond, Schneider), and so is the factor. If it is p / q in
   lowest terms, L0 = c^q <= 2^53 and f = c^p <= 2^128 with an integer c, so q <= 53 and p <= 128.
   Then the factor, the square root of (p + q) / q, is irrational, or a fraction whose numerator is
   at most 13 and whose denominator is at most 7. None of these is a midpoint of two doubles, which
   has 54 significant bits. */
PE__OUTLINE double pe__rope_factor(const pe__rope *r, double mscale, double all_dim, double extra)
{
    const pe__dd log2_factor = pe__dd_from_td(pe__rope_log2_factor(r));
    const pe__dd log_factor = pe__dd_mul(log2_factor, pe__dd_splat(pe__ln2));
    pe__dd y = pe__rope_mscale(log_factor, mscale);
    double x;
    if (r->config->rope_type == PE_ROPE_LONGROPE) { /* y^(1/2) = 2^(log2(y) / 2) */
        pe__td root = pe__td_splat(1.0);
        y = pe__dd_div(log2_factor, pe__dd_from_td(pe__td_log2_of(r->length)));
        y = pe__dd_add(y, pe__dd_from_td(root));
        root.a = y.hi;
        root.b = y.lo;
        y = pe__dd_from_td(pe__td_exp2(pe__td_mul_pow2(pe__td_log2(root), pe__splat(0.5))));
    } else if (all_dim > 0) {
        y = pe__dd_div(y, pe__rope_mscale(log_factor, all_dim));
    }
    y = pe__dd_mul_double(y, extra);
    const double hi = pe__first_lane(y.hi), lo = pe__first_lane(y.lo);
    const double error = pe__exp2i(-90) + (mscale + all_dim) * pe__exp2i(-103);
    if (pe__ziv_test(hi, lo, hi * error, 1, 0, &x)) return x;
    return pe__rope_round_factor(r, mscale, all_dim, extra);
}

/* Returns the attention factor that the config gives, which is r->attention. If it gives none,
   returns the factor that YARN or LONGROPE defines, or 1 for the other types and if f <= 1. */
PE__OUTLINE double pe__rope_attention(const pe__rope *r)
{
    const pe_rope_config *const config = r->config;
    const pe__td one = pe__td_splat(1.0);
    const int longrope = config->rope_type == PE_ROPE_LONGROPE;
    const int both = config->mscale > 0 && config->mscale_all_dim > 0;
    if (r->attention > 0) return r->attention;
    if ((!longrope && config->rope_type != PE_ROPE_YARN) ||
        !(pe__first_lane(pe__td_sub(r->factor, one).a) > 0))
        return 1.0;
    return both ? pe__rope_factor(r, config->mscale, config->mscale_all_dim, 1)
                : pe__rope_factor(r, 1, 0, 1);
}

/* Check the config, which is not NULL, and set *r from it. Returns PE_OK or PE_ERR_CONFIG. After
   PE_ERR_CONFIG, *r must not be used. */
static inline pe_status pe__rope_read_checked(pe__rope *r, const pe_rope_config *config)
{
    pe__rope_read(r, config);
    if (pe__rope_error(r)) return PE_ERR_CONFIG;
    pe__rope_begin(r);
    return PE_OK;
}

PE_API pe_status pe_rope_frequencies(const pe_rope_config *config, double *omega,
                                     double *attention_factor)
{
    pe__rope r;
    if (!config || !omega) return PE_ERR_NULL;
    const pe_status status = pe__rope_read_checked(&r, config);
    if (status != PE_OK) return status;
    pe__rope_all_frequencies(&r, omega);
    if (attention_factor) *attention_factor = pe__rope_attention(&r);
    return PE_OK;
}
