/* SPDX-License-Identifier: MIT */
/* Computes phase increments of frequencies, with multi-limb integers of 320 bits. Tested by
 * tests/unit/fixed/test_fixed.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../numbers/sizes.h"
#include "../numbers/compare.h"
#include "../numbers/exp_log.h"
#include "../numbers/real.h"
#include "../sincos/exact.h"
#include "contract.h"

/* PE__INCREMENT_LIMBS is the number of limbs of a frequency and of its increment while it is
   computed. A frequency up to 2^21 and its increment need 128 + 21 correct bits, and computing the
   exponential loses about 20. Ten limbs have 320 bits, so they are enough. */
enum { PE__INCREMENT_LIMBS = 10 };

/* Sets increment[0] ... increment[3], the lowest word first, to x / (2 pi) modulo 1, times 2^128,
   rounded, where x is a frequency in radians per position. Changes x. */
PE__COLD void pe__increment(pe__bigfloat *x, uint32_t *increment)
{
    const int n = PE__INCREMENT_LIMBS;
    pe__bigfloat two_pi = pe__bigfloat_pi(n);
    uint32_t rounded[PE__INCREMENT_LIMBS + 1] = {1}; /* half of the last bit that stays */
    two_pi.exponent++;
    memset(increment, 0, 4 * sizeof *increment);
    if (pe__bigfloat_is_0(x)) return;
    pe__bigfloat_div(x, &two_pi);
    (void)pe__limbs_shift(x->d, n + 1, x->exponent - 32 * n + 129); /* 128 bits and 1 to round */
    pe__limbs_add(rounded, x->d, n + 1, 0);
    (void)pe__limbs_shift(rounded, n + 1, -1);
    pe__limbs_add(increment, rounded, 4, x->sign < 0);
}

/* Returns whether pe_fixed.h can use the frequency w, in radians per position: 0, or within
   2^-56 ... 2^21 in magnitude. */
PE__COLD int pe__increment_exists(double w)
{
    return pe__is_zero(w) || pe__magnitude_between(w, pe__exp2i(-56), pe__exp2i(21));
}

PE_API pe_status pe_fixed_increments(const pe_plan *plan, uint32_t *increments)
{
    if (!plan || !increments) return PE_ERR_NULL;
    if (plan->d_model == 0) return PE_ERR_PLAN;
    if (plan->axes != 1 || plan->half_turns || plan->offset != 0 || plan->float32 || plan->matrix ||
        plan->order)
        return PE_ERR_PLAN_FIXED;
    for (size_t i = 0; i < plan->axis[0].pairs; i++)
        if (!pe__increment_exists(pe__plan_quantity(plan, i, PE__FREQUENCY, 0)))
            return PE_ERR_INCREMENT;
    for (size_t i = 0; i < plan->axis[0].pairs; i++) {
        pe__bigfloat x = pe__bigfloat_of(1, PE__INCREMENT_LIMBS);
        pe__bigfloat_by_frequency(&x, plan, i, 0);
        pe__increment(&x, increments + 4 * i);
    }
    return PE_OK;
}

PE_API pe_status pe_fixed_increments_of(const double *omega, size_t pairs, uint32_t *increments)
{
    if (pairs == 0) return PE_OK;
    if (!omega || !increments) return PE_ERR_NULL;
    if (pe__exceeds(4, pairs, pe__max_elements(sizeof *increments))) return PE_ERR_SIZE;
    for (size_t i = 0; i < pairs; i++)
        if (!pe__increment_exists(omega[i])) return PE_ERR_INCREMENT;
    for (size_t i = 0; i < pairs; i++) {
        pe__bigfloat x = pe__bigfloat_of(omega[i], PE__INCREMENT_LIMBS);
        pe__increment(&x, increments + 4 * i);
    }
    return PE_OK;
}
