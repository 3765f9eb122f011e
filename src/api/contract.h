/* SPDX-License-Identifier: MIT */
/* Contract: status texts, the version and instruction set of this build, the self test. Tested by
 * tests/unit/selftest/test_selftest.c. */
#pragma once
#include "options.h"
#include "types.h"

/* ---- 3. this build --------------------------------------------------------------------------- */

/* Say what a status means and what to do about it: constant English text, never NULL, also for a
   number that is no status. Threads: any. */
PE_API const char *pe_status_string(pe_status status);

/* Return the version of the functions that the program calls, in the form of PE_VERSION_HEX; with
   PE_EXTERN, the version of the file that defines them. Threads: any. */
PE_API int pe_version(void);

/* Return the instruction set of the functions that the program calls: "AVX-512", "AVX2", "NEON",
   "SSE2", "WASM SIMD128" or "scalar". If libposenc did not follow the environment variable PE_ISA,
   it adds the reason in parentheses. Threads: any. */
PE_API const char *pe_isa_name(void);

/* Check that this program computes the right bits: compute small tables and compare their hashes
 * with constants. The tables cover each type and each family of calls (fill, lists, real positions,
 * grids, add, shift, RoPE, ALiBi, learned). Positions are near 0 and at 2^31, and elements are next
 * to midpoints. The test takes well under a second. A file that calls pe_selftest() has to compile
 * most of the library, so call it from a source file of its own.
 *
 * Returns      PE_OK; PE_ERR_SELFTEST if any bit differs: a rounding mode other than to nearest, a
 *              compiler option or a compiler that breaks arithmetic, changed headers. Flushing of
 *              subnormals is not noticed: no result here is subnormal
 * Accuracy     a sample: "tests/run verify" is the proof (tests/unit/selftest/test_selftest.c)
 * Threads      any. 64 KB of stack, no other memory */
PE_API pe_status pe_selftest(void);
