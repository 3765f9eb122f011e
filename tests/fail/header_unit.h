/* SPDX-License-Identifier: MIT */
/* A header unit of g++'s, which would lose the pragmas, though it is another header than pe.h. */

/* compiler: gcc */
/* expect: or define PE_EXTERN for the unit, and PE_EXTERN and PE_IMPLEMENTATION in one source */

/* flags: -std=c++20 -fmodule-header -x c++-header */
/* good: -std=c++20 -fmodule-header -x c++-header -DPE_EXTERN */
#include "pe.h"
