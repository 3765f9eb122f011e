/* SPDX-License-Identifier: MIT */
/* This file has the version, the options PE_STREAM_BYTES, PE_EXTERN and PE_IMPLEMENTATION, and
 * checks of the language, the number formats and the struct layout that pe needs. The last two
 * options decide how public functions are declared (PE_API), and whether the file that includes
 * pe.h defines them (PE__DEFINE). The other options are in src/simd/. Tested by
 * tests/checks/extern.sh and tests/checks/fail.sh. */
#pragma once

#define PE_VERSION_MAJOR 0
#define PE_VERSION_MINOR 5
#define PE_VERSION_PATCH 0
#define PE_VERSION_HEX 0x000500
#define PE_VERSION_STRING "0.5.0"

/* MSVC is not checked, because it defines __STDC_VERSION__ only if the command line names a C
   standard. */
#if !defined(__cplusplus) && !defined(_MSC_VER) &&                                                 \
    (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L)
#error "pe needs C99 or later, or C++11: compile with -std=c99, or leave -std out"
#endif

/* ---- 1. options ------------------------------------------------------------------------------ */

#ifndef PE_STREAM_BYTES
#define PE_STREAM_BYTES 25165824
#endif

/* PE_API is before the declaration and the definition of every public function, except that
   pe_rope_by_table_T is defined with PE__API_INLINE. Without PE_EXTERN it is then always inlined.
   An inlined call of it takes 10 ns. A call that copies its pe_at takes 24 ns (one head, Xeon). */
#ifndef PE_EXTERN
#define PE_API static inline
#define PE__API_INLINE PE__INLINE
#else
#define PE_API extern
#define PE__API_INLINE PE_API
#endif

#if defined(PE_IMPLEMENTATION) && !defined(PE_EXTERN)
#error "PE_IMPLEMENTATION goes with PE_EXTERN: define both, in one file of the program"
#endif

#if !defined(PE_EXTERN) || defined(PE_IMPLEMENTATION)
#define PE__DEFINE 1
#else
#define PE__DEFINE 0
#endif

#include <float.h>
#include <stddef.h>
#include <stdint.h>

#if FLT_RADIX != 2 || DBL_MANT_DIG != 53 || FLT_MANT_DIG != 24
#error "pe needs IEEE doubles of 64 bits and floats of 32: for AVR, avr-gcc 10 with -mdouble=64"
#endif
/* Refuse packed structs, whether from -fpack-struct or from a #pragma pack that another header left
   in force: a library that was compiled without packing lays its structs out differently. Structs
   count as packed if the offset of a double after a char is less than the size of a pointer, and
   also less than the target's largest alignment. The second condition is for m68k, where this
   alignment is 2. */
struct pe__laid_out {
    char first;
    double number;
};
#ifdef __BIGGEST_ALIGNMENT__
#define PE__LAID_OUT(offset) ((offset) >= sizeof(void *) || (offset) >= __BIGGEST_ALIGNMENT__)
#else
#define PE__LAID_OUT(offset) ((offset) >= sizeof(void *))
#endif
typedef char pe__without_fpack_struct_or_pragma_pack
    [PE__LAID_OUT(offsetof(struct pe__laid_out, number)) ? 1 : -1];
#undef PE__LAID_OUT
