/* SPDX-License-Identifier: MIT */
/* g++ loses pe.h's pragmas in a header unit, also in one of another header that includes pe.h. */

/* compiler: gcc */
/* expect: or define PE_EXTERN for the unit, and PE_EXTERN and PE_IMPLEMENTATION in one source */

/* flags: -std=c++20 -fmodule-header -x c++-header */
/* good: -std=c++20 -fmodule-header -x c++-header -DPE_EXTERN */
#include "pe.h"
