/* SPDX-License-Identifier: MIT */
/* This contract declares the functions that return a status text, the version and the instruction
 * set of this build, and the self test. Tested by tests/unit/selftest/test_selftest.c. */
#pragma once
#include "options.h"
#include "types.h"

/* ---- 3. this build --------------------------------------------------------------------------- */

/* Say what a status means and what to do about it. Returns constant English text, never NULL. A
   number that is no status also has a text. Threads: any. */
PE_API const char *pe_status_string(pe_status status);

/* Return the version of the functions that the program calls, in the form of PE_VERSION_HEX; with
   PE_EXTERN, the version of the file that defines them. Threads: any. */
PE_API int pe_version(void);

/* Return the instruction set of the functions that the program calls: "AVX-512", "AVX2", "NEON",
   "SSE2", "WASM SIMD128" or "scalar". If the program is linked with libposenc, and this library
   did not follow the environment variable PE_ISA, the text also has the reason in parentheses.
   Threads: any. */
PE_API const char *pe_isa_name(void);

/* Check that this program computes the right bits: compute small tables and compare their hashes
 * with a constant. The tables cover each type and these calls: fill, lists, real positions, grids,
 * add, shift, RoPE, ALiBi, learned tables. Some positions are near 0, others near 2^31 or -2^31.
 * Some elements are close to midpoints, where rounding is hard. The test takes well under a second.
 * A file that calls pe_selftest() has to compile most of the library, so call it from a source file
 * of its own.
 *
 * Returns      PE_OK; PE_ERR_SELFTEST if any bit differs. Causes are a rounding mode other than to
 *              nearest, an option or a compiler that breaks arithmetic, and changed headers.
 *              Flushing of subnormals is not noticed, since no result here is subnormal
 * Accuracy     the tables are a sample, no proof: that is "tests/run verify". The self test itself
 *              is tested by tests/unit/selftest/test_selftest.c
 * Threads      any. 64 KB of stack, no other memory */
PE_API pe_status pe_selftest(void);
