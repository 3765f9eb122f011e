/* SPDX-License-Identifier: MIT */
/* Ends pe.h: undefines PE_API and those of pe's private macros that are still defined, and restores
 * the program's macros that simd/compiler.h set aside. Tested by tests/checks/names.sh. */
#pragma once
#include "pe_simd.h"
#include "api/options.h"

#if PE__DEFINE && PE__GNU
#pragma pop_macro("__aligned__")
#pragma pop_macro("__always_inline__")
#pragma pop_macro("__asm__")
#pragma pop_macro("__attribute__")
#pragma pop_macro("__cold__")
#pragma pop_macro("__may_alias__")
#pragma pop_macro("__no_sanitize__")
#pragma pop_macro("__noinline__")
#pragma pop_macro("__target__")
#pragma pop_macro("__unused__")
#pragma pop_macro("__vector_size__")
#endif
#undef PE_API
#undef PE__DEFINE
#undef PE__SETS_TARGET
#undef PE__STATUSES
#undef PE__PRESETS
#undef PE__ROPE_TYPES
#undef PE__OPAQUE
#undef PE__PRODUCT
#undef PE__IN_MEMORY
#undef PE__IN_REGISTER
#undef PE__GNU
#undef PE__INLINE
#undef PE__API_INLINE
#undef PE__OUTLINE
#undef PE__COLD
#undef PE__PREFETCH
#undef PE__UNLIKELY
#undef PE__WRAPS
#undef PE__DIVIDES_BY_ZERO
