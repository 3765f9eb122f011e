/* SPDX-License-Identifier: MIT */
/* Choose and check the instruction set (PE_ISA), the source of sines (PE_SLEEF), and how memory is
 * accessed on this CPU (PE_PREFETCH_HEADS, PE_LOADS_WAIT). Tested by tests/checks/fail.sh and
 * tests/checks/cpus.sh. */
#pragma once

/* ---- which instruction set, which sine ------------------------------------------------------ */

#define PE_ISA_SCALAR 1 /* C99: needs neither SIMD nor FMA hardware            */
#define PE_ISA_NEON 2   /* AArch64, little-endian                              */
#define PE_ISA_AVX2 3   /* x86 with AVX2, FMA and F16C                         */
#define PE_ISA_AVX512 4 /* x86 with AVX-512 F, DQ, BW and VL                   */
#define PE_ISA_SSE2 5   /* x86 with SSE2, as every x86-64 has                  */
#define PE_ISA_WASM 6   /* WebAssembly with SIMD128                            */

/* PE__GNU is 1 if the compiler has GNU C's vectors, with their operators, and obeys pragmas that
   turn fast-math off. This holds for gcc and for clang, even as clang-cl, which does not define
   __GNUC__. The other compilers named here define __GNUC__, but ignore the pragmas. PE__GNU = 0
   allows PE_ISA_SCALAR only. */
#if defined(__clang__) ||                                                                          \
    (defined(__GNUC__) && !defined(__INTEL_COMPILER) && !defined(__NVCOMPILER) &&                  \
     !defined(__PGI) && !defined(__SUNPRO_C) && !defined(__SUNPRO_CC))
#define PE__GNU 1
#else
#define PE__GNU 0
#endif

/* PE__NO_512 is 1 if the flags allow AVX-512, but not its registers of 512 bits (-mno-evex512). pe
   then uses AVX2. Only with the compiler versions below does a missing __EVEX512__ mean this: no
   other versions define it at all. */
#if defined(__AVX512F__) && !defined(__EVEX512__)
#ifdef __clang__
#define PE__NO_512 (__clang_major__ >= 18 && __clang_major__ <= 21)
#else
#define PE__NO_512 (__GNUC__ == 14 || __GNUC__ == 15)
#endif
#else
#define PE__NO_512 0
#endif

/* The default is the widest instruction set that the flags allow. CPUs that have AVX-512 CD but not
   DQ are Xeon Phis. They lack AVX-512 instructions that pe uses, so they get AVX2. */
#ifndef PE_ISA
#if !PE__GNU
#define PE_ISA PE_ISA_SCALAR
#elif defined(__AVX512F__) && !PE__NO_512 && (defined(__AVX512DQ__) || !defined(__AVX512CD__))
#define PE_ISA PE_ISA_AVX512
#elif defined(__AVX2__) && defined(__FMA__)
#define PE_ISA PE_ISA_AVX2
#elif defined(__aarch64__) && defined(__ARM_NEON) && !defined(__AARCH64EB__)
#define PE_ISA PE_ISA_NEON
#elif defined(__wasm_simd128__) /* tested before SSE2: emscripten can define __SSE2__ */
#define PE_ISA PE_ISA_WASM
#elif defined(__SSE2__)
#define PE_ISA PE_ISA_SSE2
#ifdef __AVX2__
#pragma GCC warning "pe is SSE2 code: for AVX2 add -mfma to -mavx2; -DPE_ISA=PE_ISA_SSE2 accepts it"
#endif
#else
#define PE_ISA PE_ISA_SCALAR
#endif
#endif

#define PE_ISA_NAME                                                                                \
    (PE_ISA == PE_ISA_SCALAR   ? "scalar"                                                          \
     : PE_ISA == PE_ISA_NEON   ? "NEON"                                                            \
     : PE_ISA == PE_ISA_AVX2   ? "AVX2"                                                            \
     : PE_ISA == PE_ISA_AVX512 ? "AVX-512"                                                         \
     : PE_ISA == PE_ISA_SSE2   ? "SSE2"                                                            \
                               : "WASM SIMD128")
#if PE_ISA < PE_ISA_SCALAR || PE_ISA > PE_ISA_WASM
#error "PE_ISA must be one of the ids PE_ISA_SCALAR (1) ... PE_ISA_WASM (6), or be left undefined"
#elif PE_ISA == PE_ISA_NEON &&                                                                     \
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

/* PE__SETS_TARGET is 1 if PE_ISA is AVX2 or AVX-512 and the flags do not allow all its
   instructions. compiler.h then gives pe's functions a target attribute. So pe may use F16C in a
   program compiled with -mavx2 -mfma alone, and DQ, BW and VL in a program compiled with -mavx512f
   alone. Such programs still run on every CPU that their flags allow, except the Xeon Phi. Every
   CPU with AVX2 has F16C, and every other CPU with AVX-512F has DQ, BW and VL. If PE_ISA itself
   goes beyond the flags, the program needs a CPU that has PE_ISA. */
#if !PE__GNU && PE_ISA != PE_ISA_SCALAR
#error "this compiler makes scalar code of pe, gcc and clang make more: leave PE_ISA undefined"
#endif
#if (PE_ISA == PE_ISA_AVX2 && !(defined(__AVX2__) && defined(__FMA__) && defined(__F16C__))) ||    \
    (PE_ISA == PE_ISA_AVX512 && !(defined(__AVX512F__) && defined(__AVX512DQ__) &&                 \
                                  defined(__AVX512BW__) && defined(__AVX512VL__)))
#define PE__SETS_TARGET 1
#if !defined(__x86_64__) && !defined(__i386__)
#error "PE_ISA_AVX2 and PE_ISA_AVX512 are for x86: leave PE_ISA undefined"
#elif defined(_MSC_VER)
#error "this compiler needs /arch:AVX2 or -mavx2 -mfma -mf16c, or /arch:AVX512"
#elif defined(PE_SLEEF) && (PE_SLEEF + 0) && !defined(__AVX512F__) &&                              \
    !(PE_ISA == PE_ISA_AVX2 && defined(__AVX2__) && defined(__FMA__))
#error "with PE_SLEEF=1, compile with -mavx2 -mfma for PE_ISA_AVX2, -mavx512f for PE_ISA_AVX512"
#endif
#else
#define PE__SETS_TARGET 0
#endif
/* PE__HAVE_FMA is defined if PE_ISA or the flags promise a fused multiply-add. Without one,
   __builtin_fma() is a call to the C library. So scalar code then computes pe__fma() with two
   roundings, and pe__two_prod() splits its operands. */
#if PE_ISA == PE_ISA_NEON || PE_ISA == PE_ISA_AVX2 || PE_ISA == PE_ISA_AVX512 ||                   \
    (PE__GNU && (defined(__FMA__) || defined(__aarch64__) || defined(__FP_FAST_FMA)))
#define PE__HAVE_FMA
#endif

/* ---- what differs between CPUs ----------------------------------------------------------------
 * Besides PE_ISA, only the defaults of PE_PREFETCH_HEADS and PE_LOADS_WAIT depend on the CPU. The
 * best value of PE_STREAM_BYTES (api/options.h) depends on the CPU's last-level cache, but its
 * default is the same for all CPUs. pe recognises a CPU by the instruction sets that the flags
 * allow. The CPU's name is not reliable: a compiler that is older than the CPU takes it for another
 * one. */

/* PE_PREFETCH_HEADS is 1 if RoPE prefetches heads of floats that it rotates in place. It is 0 on a
   Zen 4, which is a seventh faster if its hardware alone prefetches. Without prefetching, rotating
   takes 25 % longer on a Zen 3. On a Zen 5, rotating with prefetching takes 0.70 to 1.15 times as
   long as without, depending on how many bytes are rotated (see docs/design.md). A Zen 4 is
   recognised by three flags. It has SSE4a, as only AMD's CPUs do. It has AVX-512. It lacks
   VP2INTERSECT, which AMD's other CPUs with AVX-512 have. If the compiler defines __znver5__, the
   CPU is a Zen 5 whatever these flags are. */
#if defined(__SSE4A__) && defined(__AVX512F__) && !defined(__AVX512VP2INTERSECT__) &&              \
    !defined(__znver5__) && !defined(PE_PREFETCH_HEADS)
#define PE_PREFETCH_HEADS 0
#elif !defined(PE_PREFETCH_HEADS)
#define PE_PREFETCH_HEADS 1
#endif

/* PE_LOADS_WAIT is 1 if pe avoids 4K aliasing, in which a load stalls on a non-temporal store in
   flight whose address has the same last 12 bits. The default is 1 in AVX2 code whose flags do not
   allow AVX-512, whatever the CPU has, else 0. On a Zen 3 these stalls took 50 % of the time. On a
   Zen 5, avoiding them makes rows in halves take a sixth longer. No CPU with AVX-512 that was
   measured became faster. */
#if PE_ISA == PE_ISA_AVX2 && !defined(__AVX512F__) && !defined(PE_LOADS_WAIT)
#define PE_LOADS_WAIT 1
#elif !defined(PE_LOADS_WAIT)
#define PE_LOADS_WAIT 0
#endif

#ifndef PE_SLEEF
#define PE_SLEEF 0
#endif
/* Refuse values of PE_SLEEF other than 0 and 1. The first condition refuses an empty definition
   (-DPE_SLEEF=), with which it reads (1 - -1) == 2. */
#if (1 - PE_SLEEF - 1) == 2 || ((PE_SLEEF + 0) != 0 && (PE_SLEEF + 0) != 1)
#error "PE_SLEEF must be 1 (take sines from SLEEF, link with -lsleef) or 0 (use pe's own)"
#endif
#if (PE_SLEEF + 0) == 1 && defined(__has_include)
#if !__has_include(<sleef.h>)
#error "PE_SLEEF is 1 but sleef.h is not found: install SLEEF (libsleef-dev), or leave PE_SLEEF out"
#endif
#endif
