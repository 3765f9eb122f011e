/* SPDX-License-Identifier: MIT */
/* The end of pe.h: the user's floating-point options again, and no private macro left.
 * Needs: api.
 * Tests: tests/checks/names.sh. */
#pragma once
#include "pe_simd.h"
#include "api/options.h"

/* Hints, end: the user's floating-point options again. */
#if !PE__DEFINE
#elif defined(__clang__)
#if PE__BEYOND
#pragma clang attribute pop
#endif
#pragma STDC FP_CONTRACT DEFAULT
#if PE__FLOAT_CONTROL
#pragma float_control(pop)
#endif
#undef PE__FLOAT_CONTROL
#elif defined(__GNUC__)
#pragma GCC pop_options
#pragma GCC diagnostic pop
#endif

#undef PE_API
#undef PE__DEFINE
#undef PE__BEYOND
#undef PE__STATUSES
#undef PE__OPAQUE
#undef PE__PRODUCT
#undef PE__IN_MEMORY
#undef PE__GNU
#undef PE__INLINE
#undef PE__OUTLINE
#undef PE__COLD
#undef PE__UNLIKELY
#undef PE__WRAPS
#undef PE__DIVIDES_BY_ZERO
