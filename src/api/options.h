/* SPDX-License-Identifier: MIT */
/* The version; what a program may set before it includes pe.h, and what follows from it: how
 * functions are declared, whether they are defined here.
 * Gives: PE_API, PE_STREAM_BYTES, PE_VERSION_HEX.
 * Tests: tests/checks/extern.sh, tests/checks/fail.sh. */
#pragma once

#define PE_VERSION_MAJOR 0
#define PE_VERSION_MINOR 4
#define PE_VERSION_PATCH 0
#define PE_VERSION_HEX 0x000400
#define PE_VERSION_STRING "0.4.0"

/* ---- 1. options ------------------------------------------------------------------------------ */

#ifndef PE_STREAM_BYTES
#define PE_STREAM_BYTES 25165824
#endif

/* Before every public function. */
#ifndef PE_EXTERN
#define PE_API static inline
#else
#define PE_API extern
#endif

#if defined(PE_IMPLEMENTATION) && !defined(PE_EXTERN)
#error "PE_IMPLEMENTATION goes with PE_EXTERN: define both, in one file of the program"
#endif

#if !defined(PE_EXTERN) || defined(PE_IMPLEMENTATION)
#define PE__DEFINE 1
#else
#define PE__DEFINE 0
#endif

#include <stddef.h>
#include <stdint.h>
