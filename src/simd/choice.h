/* SPDX-License-Identifier: MIT */
/* The instruction set, whether SLEEF makes sines, what a CPU does with memory: chosen, checked.
 * Gives: PE_ISA, PE_ISA_AVX2, PE_ISA_AVX512, PE_ISA_NAME, PE_ISA_NEON, PE_ISA_SCALAR, PE_ISA_SSE2,
 *   PE_ISA_WASM, PE_LOADS_WAIT, PE_PREFETCH_HEADS, PE_SLEEF, PE__SETS_TARGET, PE__GNU,
 *   PE__HAVE_FMA.
 * Tests: tests/checks/fail.sh, tests/checks/cpus.sh. */
#pragma once

/* ---- which instruction set, which sine ------------------------------------------------------ */

#define PE_ISA_SCALAR 1 /* C99: needs neither SIMD nor FMA hardware            */
#define PE_ISA_NEON 2   /* AArch64                                             */
#define PE_ISA_AVX2 3   /* x86-64 with AVX2 and FMA                            */
#define PE_ISA_AVX512 4 /* x86-64 with AVX-512 F, DQ, BW and VL                */
#define PE_ISA_SSE2 5   /* any x86-64, compilers with GNU C's vectors          */
#define PE_ISA_WASM 6   /* WebAssembly with SIMD128                            */

/* GNU C: its vectors have operators, and its pragmas forbid fast-math. clang has them where it
   takes the place of cl, too. The others here say __GNUC__ and ignore the pragmas. */
#if defined(__clang__) || \
    (defined(__GNUC__) && !defined(__INTEL_COMPILER) && !defined(__NVCOMPILER) && \
     !defined(__PGI) && !defined(__SUNPRO_C) && !defined(__SUNPRO_CC))
#define PE__GNU 1
#else
#define PE__GNU 0
#endif

/* AVX-512 without registers of 512 bits (-mno-evex512) is AVX2 to pe. __EVEX512__ says so only with
   the compilers below: no other defines it. */
#if defined(__AVX512F__) && !defined(__EVEX512__)
#ifdef __clang__
#define PE__NO_512 (__clang_major__ >= 18 && __clang_major__ <= 21)
#else
#define PE__NO_512 (__GNUC__ == 14 || __GNUC__ == 15)
#endif
#else
#define PE__NO_512 0
#endif

/* The widest that the flags allow. AVX-512 CD without DQ is a Xeon Phi, which has too little. */
#ifndef PE_ISA
#if !PE__GNU
#define PE_ISA PE_ISA_SCALAR
#elif defined(__AVX512F__) && !PE__NO_512 && (defined(__AVX512DQ__) || !defined(__AVX512CD__))
#define PE_ISA PE_ISA_AVX512
#elif defined(__AVX2__) && defined(__FMA__)
#define PE_ISA PE_ISA_AVX2
#elif defined(__aarch64__) && defined(__ARM_NEON) && !defined(__AARCH64EB__)
#define PE_ISA PE_ISA_NEON
#elif defined(__wasm_simd128__) /* first: emscripten defines __SSE2__ if asked to */
#define PE_ISA PE_ISA_WASM
#elif defined(__SSE2__)
#define PE_ISA PE_ISA_SSE2
#else
#define PE_ISA PE_ISA_SCALAR
#endif
#endif

#define PE_ISA_NAME                                                                                \
    (PE_ISA == PE_ISA_SCALAR ? "scalar"  : PE_ISA == PE_ISA_NEON   ? "NEON"    :                   \
     PE_ISA == PE_ISA_AVX2   ? "AVX2"    : PE_ISA == PE_ISA_AVX512 ? "AVX-512" :                   \
     PE_ISA == PE_ISA_SSE2   ? "SSE2"    : "WASM SIMD128")
#if PE_ISA < PE_ISA_SCALAR || PE_ISA > PE_ISA_WASM
#error "PE_ISA must be one of the ids PE_ISA_SCALAR (1) ... PE_ISA_WASM (6), or be left undefined"
#elif PE_ISA == PE_ISA_NEON && \
    (!defined(__aarch64__) || !defined(__ARM_NEON) || defined(__AARCH64EB__))
#error "PE_ISA_NEON needs little-endian AArch64: build for that, or leave PE_ISA undefined"
#elif PE_ISA == PE_ISA_AVX512 && PE__NO_512
#error "PE_ISA_AVX512 needs registers of 512 bits: compile without -mno-evex512, -mavx10.1-256"
#elif PE_ISA == PE_ISA_SSE2 && (!defined(__SSE2__) || !PE__GNU || defined(__wasm__))
#error "PE_ISA_SSE2 needs SSE2, gcc or clang: compile with -msse2, or leave PE_ISA undefined"
#elif PE_ISA == PE_ISA_WASM && !defined(__wasm_simd128__)
#error "PE_ISA_WASM needs WebAssembly's SIMD: compile with -msimd128, or leave PE_ISA undefined"
#endif
#undef PE__NO_512

/* PE__SETS_TARGET: the flags do not allow all that pe uses, so pe's functions alone are compiled
   for it (compiler.h). Every CPU with AVX2 has F16C; every CPU with AVX-512F has DQ, BW and VL,
   except the Xeon Phi. */
#if !PE__GNU && PE_ISA != PE_ISA_SCALAR
#error "this compiler makes scalar code of pe, gcc and clang make more: leave PE_ISA undefined"
#endif
#if (PE_ISA == PE_ISA_AVX2 && !(defined(__AVX2__) && defined(__FMA__) && defined(__F16C__))) || \
    (PE_ISA == PE_ISA_AVX512 && \
     !(defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512BW__)))
#define PE__SETS_TARGET 1
#if !defined(__x86_64__) && !defined(__i386__)
#error "PE_ISA_AVX2 and PE_ISA_AVX512 are for x86: leave PE_ISA undefined"
#elif defined(_MSC_VER)
#error "this compiler needs /arch:AVX2 or -mavx2 -mfma -mf16c, or /arch:AVX512"
#elif defined(PE_SLEEF) && (PE_SLEEF + 0) && !defined(__AVX512F__) && \
    !(PE_ISA == PE_ISA_AVX2 && defined(__AVX2__) && defined(__FMA__))
#error "with PE_SLEEF=1, compile with -mavx2 -mfma for PE_ISA_AVX2, -mavx512f for PE_ISA_AVX512"
#endif
#else
#define PE__SETS_TARGET 0
#endif
/* A fused multiply-add in hardware. Without, __builtin_fma() is a call to the C library, so
   products are split instead (pe__two_prod). */
#if PE_ISA == PE_ISA_NEON || PE_ISA == PE_ISA_AVX2 || PE_ISA == PE_ISA_AVX512 || \
    (PE__GNU && (defined(__FMA__) || defined(__aarch64__) || defined(__FP_FAST_FMA)))
#define PE__HAVE_FMA
#endif

/* ---- what differs between CPUs ----------------------------------------------------------------
 * All that does, by what code may use, since compilers older than a CPU take it for another. */

/* Are floats that are rotated in place asked for ahead? Not on a Zen 4, where its hardware alone is
   a seventh faster; a Zen 3 takes a quarter longer unasked, a Zen 5 a tenth. SSE4a is AMD's alone,
   and of its CPUs with AVX-512 all but Zen 4 have VP2INTERSECT. */
#if defined(__SSE4A__) && defined(__AVX512F__) && !defined(__AVX512VP2INTERSECT__) && \
    !defined(__znver5__) && !defined(PE_PREFETCH_HEADS)
#define PE_PREFETCH_HEADS 0
#elif !defined(PE_PREFETCH_HEADS)
#define PE_PREFETCH_HEADS 1
#endif

/* Do loads wait for streaming stores that are in flight to addresses with the same last 12 bits? A
   Zen 3's did, by half of all the time; on a Zen 5 what avoids it takes a sixth more for halves. No
   CPU with AVX-512 has been seen to gain. */
#if PE_ISA == PE_ISA_AVX2 && !defined(__AVX512F__) && !defined(PE_LOADS_WAIT)
#define PE_LOADS_WAIT 1
#elif !defined(PE_LOADS_WAIT)
#define PE_LOADS_WAIT 0
#endif

#ifndef PE_SLEEF
#define PE_SLEEF 0
#endif
/* The first is 1 - -1 if the definition is empty, a bare -DPE_SLEEF=. */
#if (1 - PE_SLEEF - 1) == 2 || ((PE_SLEEF + 0) != 0 && (PE_SLEEF + 0) != 1)
#error "PE_SLEEF must be 1 (take sines from SLEEF, link with -lsleef) or 0 (use pe's own)"
#endif
#if (PE_SLEEF + 0) == 1 && defined(__has_include)
#if !__has_include(<sleef.h>)
#error "PE_SLEEF is 1 but sleef.h is not found: install SLEEF (libsleef-dev), or leave PE_SLEEF out"
#endif
#endif
