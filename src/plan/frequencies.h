/* SPDX-License-Identifier: MIT */
/* Computes frequencies as float32 code does, and reads back a plan's frequencies and wavelengths.
 * tests/unit/plan/test_conventions.c tests them. */
#pragma once
#include "../pe_simd.h"
#include "../api/options.h"
#include "../api/types.h"
#include "contract.h"
#include "../numbers/compare.h"
#include "../numbers/double_double.h"
#include "../numbers/exp_log.h"
#include "../sincos/exact.h"
#include "shape.h"

/* Returns 2^x rounded once to float, which is 0 if x is below -150. x must be above -1000. It is,
   because |scale| is at most 2^21, and pe__plan_error() refuses configs whose frequencies, which
   include the scale, are below 2^-960. */
PE__INLINE float pe__exp2_float(pe__td x)
{
    const pe__td y = pe__td_exp2(x);
    return pe__round_sum(pe__first_lane(y.a), pe__first_lane(y.b), PE__DROP_F32);
}

PE_API pe_status pe_frequencies_float32(const pe_config *config, pe_float32 formula, double *omega)
{
    pe_plan plan;
    if (!config || !omega) return PE_ERR_NULL;
    if ((unsigned)formula > PE_FLOAT32_EXP_OF_RATIO) return PE_ERR_ENUM;
    if (pe__plan_bytes(config, &plan) == 0) return PE_ERR_CONFIG;
    if (plan.axes != 1 || !pe__between(config->base, 1, pe__exp2i(126))) return PE_ERR_BASE;
    const double d = plan.axis[0].denominator[0];
    const pe__td ln_2 = pe__td_const(pe__ln2);
    const pe__td log_base = pe__td_mul(pe__td_log2(pe__td_splat(config->base)), ln_2);
    const pe__td log_float = pe__td_log2(pe__td_splat((double)(float)config->base));
    const float minus_log = (float)-pe__first_lane(log_base.a);
    const float step = (float)-pe__first_lane(pe__td_div_double(log_base, pe__splat(d)).a);
    for (size_t i = 0; i < plan.pairs; i++) {
        const float n = (float)i, ratio = (float)((double)i / d);
        const pe__td power = pe__td_mul_double(log_float, pe__splat((double)ratio));
        float x = n * step;
        if (formula == PE_FLOAT32_EXP_OF_RATIO) x = pe__float_product(minus_log, n) / (float)d;
        /* With PE_FLOAT32_POW, base^(i / D) is 2^power. If it is at least 2^128 (1 - 2^-25), it
           rounds to infinity, and 1 / infinity is 0. log2 of this bound is 127.999999957004. */
        if (formula != PE_FLOAT32_POW)
            omega[i] = (double)pe__exp2_float(pe__td_div(pe__td_splat((double)x), ln_2));
        else if (pe__first_lane(power.a) > 127.999999957004) omega[i] = 0;
        else omega[i] = (double)(1 / pe__exp2_float(power));
    }
    return PE_OK;
}

/* Writes the frequency or the wavelength (`what`) of each pair to out, axis after axis, in the
   order that the pairs had before pe__plan_sort_pairs(). Returns PE_OK or the error. */
static inline pe_status pe__plan_quantities(const pe_plan *plan, pe__quantity what, double *out)
{
    if (!plan || !out) return PE_ERR_NULL;
    if (plan->d_model == 0) return PE_ERR_PLAN;
    if (plan->matrix) return PE_ERR_SUMS;
    for (size_t a = 0; a < plan->axes; a++)
        for (size_t i = 0; i < plan->axis[a].pairs; i++) {
            const size_t index = plan->axis[a].pair + i;
            const size_t pair =
                plan->order ? index - index % PE__SORT_PAIRS + plan->order[index] : index;
            if (plan->float32 && what == PE__FREQUENCY) *out++ = plan->float32[pair];
            else *out++ = pe__plan_quantity(plan, pair, what, 0);
        }
    return PE_OK;
}

PE_API pe_status pe_plan_frequencies(const pe_plan *plan, double *omega)
{
    return pe__plan_quantities(plan, PE__FREQUENCY, omega);
}

PE_API pe_status pe_plan_wavelengths(const pe_plan *plan, double *wavelength)
{
    return pe__plan_quantities(plan, PE__WAVELENGTH, wavelength);
}
