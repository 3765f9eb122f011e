/* SPDX-License-Identifier: MIT */
/* Comparisons of numbers that a caller gave, which may be NaNs. Tested by
 * tests/unit/api/test_errors.c. */
#pragma once
#include "../pe_simd.h"

/* Under -ffinite-math-only, clang assumes that there are no NaNs. It may then decide that a NaN
   equals 0, or that a NaN is within any limits, and pe's pragmas do not change that. So these
   functions look at the bits of the double, and their callers do not take fabs() first. `tests/run
   fast` shows that clang keeps the tests. */

/* Returns the bits of |x|. They are in the order of |x|, with NaNs above infinity. */
PE__INLINE uint64_t pe__magnitude_bits(double x) { return pe__double_bits(x) & INT64_MAX; }
PE__INLINE int pe__is_nan(double x) { return pe__magnitude_bits(x) > UINT64_C(0x7ff0000000000000); }
PE__INLINE int pe__is_zero(double x) { return pe__magnitude_bits(x) == 0; }

/* Returns whether low <= |x| <= high, for 0 <= low <= high. Returns 0 if x is a NaN. */
PE__INLINE int pe__magnitude_between(double x, double low, double high)
{
    const uint64_t bits = pe__magnitude_bits(x);
    return bits >= pe__magnitude_bits(low) && bits <= pe__magnitude_bits(high);
}

/* Returns whether low <= x <= high. Returns 0 if x is a NaN. */
PE__INLINE int pe__between(double x, double low, double high)
{
    return !pe__is_nan(x) && x >= low && x <= high;
}
