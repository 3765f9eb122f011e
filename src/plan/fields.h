/* SPDX-License-Identifier: MIT */
/* These functions set fields of a plan that follow from its amplitude, from its frequencies, and
 * from the kind of positions that a call has. Tested by tests/unit/plan/test_conventions.c and
 * tests/unit/positions/test_at.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../numbers/exp_log.h"
#include "../sincos/bounds.h"

/* Sets the amplitude A of a plan, the mantissa and the power of two whose product is A, and the
   guard of the rounding test. */
static inline void pe__plan_set_amplitude(pe_plan *plan, double amplitude)
{
    int exponent;
    plan->amplitude = amplitude;
    plan->mantissa = pe__frexp(amplitude, &exponent);
    plan->scale = pe__exp2i(exponent);
    plan->guard = pe__guard(amplitude, 1);
}

/* Sets plan->error to the bound of the frequencies' relative error, and plan->fastest to their
   largest magnitude, in half-turns per position. Also sets plan->double_range, the largest
   |position| for the double kernel. Up to it, an angle is at most 2^36 half-turns and inherits an
   error of at most 2^-62 half-turns from its frequency. For frequencies below 2^-900 or of 0, the
   range is that of 2^-900, which keeps it finite. */
static inline void pe__plan_set_range(pe_plan *plan, double error, double fastest)
{
    const double maximum = pe__exp2i(-62) / error;
    const double half_turns = maximum < pe__exp2i(36) ? maximum : pe__exp2i(36);
    plan->fastest = fastest;
    plan->error = error;
    plan->double_range = half_turns / (fastest > pe__exp2i(-900) ? fastest : pe__exp2i(-900));
}

/* Set *own to a copy of the plan, changed as `positions` requires. If pe_delta() made them, the
   amplitude becomes 1, and there is no offset and no padding position. If pe_back() made them, the
   offset and the padding position change sign, as the positions do when they are read. */
PE__COLD void pe__view_other(const pe_plan *plan, const pe_at *positions, pe_plan *own)
{
    *own = *plan;
    if (positions->delta) {
        pe__plan_set_amplitude(own, 1.0);
        own->offset = 0;
        own->has_padding = 0;
    }
    if (positions->back) {
        own->offset = -own->offset;
        own->padding = -own->padding;
    }
}
/* Returns the plan for a call at `positions`: plan itself, or a changed copy in *own. */
PE__INLINE const pe_plan *pe__view(const pe_plan *plan, const pe_at *positions, pe_plan *own)
{
    if (!positions->delta && !positions->back) return plan;
    pe__view_other(plan, positions, own);
    return own;
}
