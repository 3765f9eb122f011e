/* SPDX-License-Identifier: MIT */
/* Computes a single frequency of RoPE with multi-limb integers, if double-double is not precise
 * enough to round it to a double. Tested by tests/checks/levels.sh. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "contract_config.h"
#include "../numbers/exp_log.h"
#include "../numbers/real.h"
#include "config.h"

/* Returns a bound of YaRN's ramp, computed with n limbs: the larger of minimum and sign * c(beta),
   where sign is 1 or -1. The function c(beta) is defined for PE_ROPE_YARN in section 7 of
   rope/contract_config.h. If config->truncate is set, sign * c(beta) is rounded down. With a sign
   of -1 it becomes minus the ceiling of c(beta). If it is above 2^52, it becomes 2^52, as in
   pe__rope_bound(). Sets *unsure if more limbs may yield another integer. */
PE__COLD pe__bigfloat pe__rope_real_bound(const pe__rope *r, double beta, double sign,
                                          double minimum, int n, int *unsure)
{
    pe__bigfloat x = pe__bigfloat_pi(n), c = pe__bigfloat_of(r->length, n);
    pe__bigfloat_mul_double(&x, 2 * beta);
    pe__bigfloat_div(&c, &x);
    pe__bigfloat_log(&c);
    pe__bigfloat_mul_double(&c, sign * r->n / 2);
    x = pe__bigfloat_of(r->config->rope_theta, n);
    pe__bigfloat_log(&x);
    pe__bigfloat_div(&c, &x);
    x = c;
    pe__bigfloat_add_double(&x, -minimum);
    if (x.sign <= 0) {
        c = pe__bigfloat_of(minimum, n);
    } else if (r->config->truncate) {
        double rounded = pe__bigfloat_to_double(&c);
        if (rounded > pe__exp2i(52)) {
            rounded = pe__exp2i(52);
        } else {
            rounded = pe__round_to_integer(rounded);
            pe__bigfloat_add_double(&c, -rounded);
            *unsure |= !pe__bigfloat_has_sign(&c);
            rounded -= c.sign < 0;
        }
        c = pe__bigfloat_of(rounded, n);
    }
    return c;
}

/* Returns m of pair i: the share of its frequency that is not divided by f, as in the formula of
   rope/config.h. It is r->keep times 1 minus the ramp, or r->keep for a type without a ramp. The
   result has as many limbs as *w, which is F q^i. Sets *unsure if more limbs may decide a branch
   differently. */
PE__COLD pe__bigfloat pe__rope_real_keep(const pe__rope *r, double i, const pe__bigfloat *w,
                                         int *unsure)
{
    const pe_rope_config *const config = r->config;
    const int n = w->n;
    pe__bigfloat x = pe__bigfloat_of(r->keep, n), y, low, span;
    if (!pe__rope_has_ramp(r)) return x;
    if (config->rope_type == PE_ROPE_LLAMA3) {
        x = *w;
        y = pe__bigfloat_pi(n);
        pe__bigfloat_mul_double(&x, r->length / 2);
        pe__bigfloat_div(&x, &y);
        low = pe__bigfloat_of(config->high_freq_factor, n);
        span = pe__bigfloat_of(config->low_freq_factor, n);
        pe__bigfloat_add(&span, &low, -1);
    } else {
        x = pe__bigfloat_of(i, n);
        low = pe__rope_real_bound(r, r->fast, 1, 0, n, unsure);
        span = pe__rope_real_bound(r, r->slow, -1, 1 - r->n, n, unsure);
        pe__bigfloat_add(&span, &low, 1);
        span.sign = -span.sign;
        y = pe__bigfloat_of(1, n);
        pe__bigfloat_div_u32(&y, 1000);
        pe__bigfloat minimum = y;
        pe__bigfloat_add(&y, &span, -1);
        const int empty =
            !pe__bigfloat_has_sign(&span) && (pe__bigfloat_is_exact(&span) || r->fast == r->slow);
        if (empty || (r->is_ggml && y.sign > 0)) span = minimum;
        *unsure |= !pe__bigfloat_has_sign(&span);
    }
    pe__bigfloat_add(&x, &low, -1);
    if (span.sign <= 0) {
        span.sign = -span.sign;
        x.sign = -x.sign;
    }
    *unsure |= !pe__bigfloat_has_sign(&x) && !pe__bigfloat_is_exact(&x);
    y = x;
    pe__bigfloat_add(&y, &span, -1);
    if (x.sign <= 0 || y.sign >= 0) x = pe__bigfloat_of(x.sign > 0, n);
    else pe__bigfloat_div(&x, &span);
    x.sign = -x.sign;
    pe__bigfloat_add_double(&x, 1);
    pe__bigfloat_mul_double(&x, r->keep);
    return x;
}

/* Returns f = f[0] f[1] / f[2] + f[3], with the numbers r->f, computed with n limbs. */
PE__COLD pe__bigfloat pe__rope_real_factor(const pe__rope *r, int n)
{
    pe__bigfloat f = pe__bigfloat_of(r->f[0], n);
    pe__bigfloat_mul_double(&f, r->f[1]);
    pe__bigfloat_div_double(&f, r->f[2]);
    pe__bigfloat_add_double(&f, r->f[3]);
    return f;
}

/* Returns the frequency of the head's pair with index `pair`, correctly rounded. The number of
   limbs grows until they decide the rounding and every branch. With PE__LIMBS, the largest number,
   branches are taken as decided, and a value whose error interval contains a midpoint is taken to
   be the midpoint. */
PE__COLD double pe__rope_round_frequency(const pe__rope *r, size_t pair)
{
    const pe_rope_type type = r->config->rope_type;
    const int fixed = type == PE_ROPE_NTK_FIXED;
    const size_t index = pair % r->period;
    const double i = (double)index;
    double y;
    for (int n = PE__LIMBS_FIRST;; n = pe__next_limbs(n)) {
        int unsure = 0;
        pe__bigfloat f = pe__rope_real_factor(r, n), w = pe__bigfloat_of(r->config->rope_theta, n),
                     x, z;
        pe__bigfloat_log(&w);
        pe__bigfloat_mul_double(&w, -2 * i);
        pe__bigfloat_div_double(&w, r->width);
        if (fixed || type == PE_ROPE_NTK || type == PE_ROPE_DYNAMIC_NTK) {
            z = f;
            pe__bigfloat_log(&z);
            pe__bigfloat_mul_double(&z, -2 * (i + fixed));
            pe__bigfloat_div_double(&z, r->n - (fixed ? 0 : 2));
            pe__bigfloat_add(&w, &z, 1);
        }
        pe__bigfloat_exp(&w);
        z = x = pe__rope_real_keep(r, i, &w, &unsure);
        z.sign = -z.sign;
        pe__bigfloat_add_double(&z, 1);
        pe__bigfloat_div(&z, &f);
        pe__bigfloat_add(&x, &z, 1);
        pe__bigfloat_mul(&w, &x);
        if (r->factors) pe__bigfloat_div_double(&w, r->factors[index]);
        if (r->config->freq_factors)
            pe__bigfloat_div_double(&w, (double)r->config->freq_factors[pair]);
        const int last = n == PE__LIMBS;
        if ((!unsure || last) && pe__bigfloat_round(&w, 0, last, &y)) return y;
    }
}
