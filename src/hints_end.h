/* SPDX-License-Identifier: MIT */
/* Restores the compiler options that the program had before simd/compiler.h changed them, as far as
 * they were saved there. FP_CONTRACT was not saved, and is set to its default. What MSVC's
 * fp_contract and clang's `fp reassociate` and `fp reciprocal` have turned off remains off. Tested
 * by tests/checks/fail.sh and tests/tools/matrix.sh. */
#pragma once
#include "pe_simd.h"

#if defined(__clang__)
#if PE__SETS_TARGET
#pragma clang attribute pop
#endif
#pragma STDC FP_CONTRACT DEFAULT
#if PE__FLOAT_CONTROL
#pragma float_control(pop)
#endif
#undef PE__FLOAT_CONTROL
#elif PE__GNU
#pragma GCC pop_options
#pragma GCC diagnostic pop
#elif !defined(_MSC_VER) && !defined(__cplusplus)
#pragma STDC FP_CONTRACT DEFAULT
#endif
