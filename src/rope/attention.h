/* SPDX-License-Identifier: MIT */
/* RoPE's attention factor, correctly rounded, and pe_rope_frequencies(). Tested by
 * tests/unit/rope/test_rope_frequencies.c and tests/checks/levels.sh. */
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

/* pe__rope_mscale() returns 0.1 scale ln f + 1 in double-double. pe__rope_real_mscale() returns the
   same number, computed with multi-limb integers. Both receive ln f in log_factor. */
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
   multi-limb integers. The factor is (0.1 mscale ln f + 1) / (0.1 all_dim ln f + 1). For LONGROPE
   it is the square root of 1 + ln f / ln L0, where L0 is r->length. */
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
                                     adjacent lengths, ln f is off by 2^-104. 0.1 mscale ln f + 1
                                     and 0.1 all_dim ln f + 1 are at least 1, so their relative
                                     errors are at most 0.1 mscale 2^-104 and 0.1 all_dim 2^-104

   Without the second term, 8 of 3000 factors with mscale = 2^62 and lengths near 2^52 were wrong.

   No result is a midpoint of two doubles. ln f is transcendental, so the quotient that contains ln
   f is also transcendental. If mscale and all_dim are equal, the quotient is 1. For LONGROPE, let
   ln f / ln L0 be rational (L0 is r->length). Its denominator is then at most 53. So the square
   root of 1 + ln f / ln L0 is irrational, or a fraction whose numerator has at most 5 bits and
   whose denominator is at most 7. */
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

/* Returns the attention factor that the config gives. If it gives none, returns the factor that its
   type defines, which is 1 if f <= 1. */
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

/* Check config and set r from it. Returns PE_OK or PE_ERR_CONFIG. */
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
