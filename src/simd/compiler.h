/* SPDX-License-Identifier: MIT */
/* Refuses compilers whose arithmetic is not what pe needs, includes headers, turns off options that
 * change arithmetic, and defines macros for attributes and assembly. Tested by tests/checks/fail.sh
 * and tests/tools/matrix.sh. */
#pragma once
#include "choice.h"

/* ---- floating-point environment -------------------------------------------------------------- */

#include <float.h>
/* PE__EVALUATES is FLT_EVAL_METHOD, corrected. It must be 0: an operation on doubles rounds to
   double, and one on floats to float. All other values are refused, such as 1, which gcc has for
   s390x in strict ISO C. The corrections are
       -1, which clang has under -ffast-math, counts as 0: pe.h turns -ffast-math off
       16 counts as 0: it concerns _Float16 alone
       an undefined FLT_EVAL_METHOD counts as 0
       any value of clang for x86 without SSE2 counts as 2: the x87 rounds to neither type, whatever
       -ffp-eval-method says */
#if defined(__clang__) && (defined(__i386__) || defined(__x86_64__)) && !defined(__SSE2__)
#define PE__EVALUATES 2
#elif !defined(FLT_EVAL_METHOD) || FLT_EVAL_METHOD == 16 ||                                        \
    (FLT_EVAL_METHOD == -1 && defined(__clang__))
#define PE__EVALUATES 0
#else
#define PE__EVALUATES FLT_EVAL_METHOD
#endif
#if PE__EVALUATES == 0
#elif defined(__clang__) && (defined(__SSE2__) || !(defined(__i386__) || defined(__x86_64__)))
#error "pe needs operations that round to their own type: compile with -ffp-eval-method=source"
#elif PE__EVALUATES == 1
#error "pe needs floats that are rounded to float: compile with -fexcess-precision=fast"
#elif defined(__x86_64__) || defined(__i386__) || defined(_M_IX86)
#error "pe needs IEEE double arithmetic, not x87: compile with -msse2 -mfpmath=sse, or /arch:SSE2"
#elif defined(__m68k__)
#error "pe needs IEEE double arithmetic, not the 68881's: compile with -m68040 or -msoft-float"
#else
#error "pe needs operations that round to their own type: compile for other hardware, or for none"
#endif
#undef PE__EVALUATES

#ifdef _M_FP_FAST
#error "pe needs IEEE arithmetic: compile with /fp:precise, not /fp:fast"
#elif defined(_M_FP_CONTRACT) && !defined(__clang__)
#error "pe needs products that are rounded: compile without /fp:contract"
#endif
/* Refuse gcc's -fsingle-precision-constant, which makes a constant like 0.1 a float and defines no
   macro. */
typedef char pe__without_fsingle_precision_constant[sizeof 1.0 == sizeof(double) ? 1 : -1];
/* Refuse to become a header unit of g++. A file that imports a header unit gets pe's functions
   without the pragmas below. These functions then compute other bits under -ffast-math, and can
   crash. With modules on, g++ may turn any header into a header unit: pe.h, or a header that
   includes it. So the name of the file that is compiled must not have a header's extension, which
   begins with h or H. A precompiled header and a named module keep the pragmas. */
#if defined(__cpp_modules) && !defined(__clang__)
static constexpr bool pe__names_header(const char *file)
{
    char first = 0; /* the first character after the last dot of the file's name; 0: no dot */
    for (; *file; file++) {
        if (*file == '.') first = file[1];
        if (*file == '/') first = 0;
    }
    return first == 'h' || first == 'H';
}
static_assert(!pe__names_header(__BASE_FILE__),
              "g++'s header units lose pe's pragmas: #include \"pe.h\" where you would import it, "
              "or define PE_EXTERN for the unit, and PE_EXTERN and PE_IMPLEMENTATION in one source "
              "file");
#endif

/* ---- includes -------------------------------------------------------------------------------- */

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if PE_ISA == PE_ISA_AVX512 || PE_ISA == PE_ISA_AVX2
#include <immintrin.h>
#elif PE_ISA == PE_ISA_NEON
#include <arm_neon.h>
#elif PE_ISA == PE_ISA_SSE2
#include <emmintrin.h>
#elif PE_ISA == PE_ISA_WASM
#include <wasm_simd128.h>
#endif

/* PE__OPTIMIZED is 1 if gcc or clang optimises. Otherwise kernels may need more stack. So 0 selects
   smaller tiles, which leave room for it. */
#ifdef __OPTIMIZE__
enum { PE__OPTIMIZED = 1 };
#else
enum { PE__OPTIMIZED = 0 };
#endif

#if PE_SLEEF
/* sleef.h defines CONST and leaves it defined: restore the program's CONST, or undefine it */
#pragma push_macro("CONST")
#undef CONST
#include <sleef.h>
#undef CONST
#pragma pop_macro("CONST")
#define PE_SLEEF_NAME "SLEEF"
#else
#define PE_SLEEF_NAME "none"
#endif

/* A program may have macros with the names of GNU C's keywords and attributes that pe uses, as CUDA
   has __noinline__. Set these macros aside until the end of pe.h. */
#if PE__GNU
#pragma push_macro("__aligned__")
#pragma push_macro("__always_inline__")
#pragma push_macro("__asm__")
#pragma push_macro("__attribute__")
#pragma push_macro("__cold__")
#pragma push_macro("__may_alias__")
#pragma push_macro("__no_sanitize__")
#pragma push_macro("__noinline__")
#pragma push_macro("__target__")
#pragma push_macro("__unused__")
#pragma push_macro("__vector_size__")
#undef __aligned__
#undef __always_inline__
#undef __asm__
#undef __attribute__
#undef __cold__
#undef __may_alias__
#undef __no_sanitize__
#undef __noinline__
#undef __target__
#undef __unused__
#undef __vector_size__
#endif

/* From here to hints_end.h, which pe.h includes near its end, arithmetic is done as written.
   Contraction and fast-math are off, whatever the command line allows. Where pe cannot turn them
   off, it refuses the compiler or its options, as far as macros show them. The pragmas in
   hints_end.h restore the program's options, except for cl. */
#if defined(__clang__)
/* PE__FLOAT_CONTROL is 1 if clang supports the pragma float_control on the target. On other targets
   clang warns and ignores the pragma. */
#if defined(__x86_64__) || defined(__i386__) || defined(__s390x__) || defined(__powerpc64__) ||    \
    (defined(__aarch64__) && __clang_major__ >= 16) || (defined(__riscv) && __clang_major__ >= 19)
#define PE__FLOAT_CONTROL 1
#pragma float_control(push)
#pragma float_control(precise, on)
#else
#define PE__FLOAT_CONTROL 0
#ifdef __FAST_MATH__
#error "this clang cannot turn -ffast-math off for pe's own code: compile without -ffast-math"
#endif
#pragma clang fp reassociate(off) /* -fassociative-math alone defines no __FAST_MATH__ */
#if __clang_major__ >= 18
#pragma clang fp reciprocal(off)
#endif
#endif
#pragma STDC FP_CONTRACT OFF
#if PE__SETS_TARGET && PE_ISA == PE_ISA_AVX512
#pragma clang attribute push(                                                                      \
    __attribute__((__target__("avx512f,avx512dq,avx512bw,avx512vl,fma,f16c"))),                    \
    apply_to = function)
#elif PE__SETS_TARGET
#pragma clang attribute push(__attribute__((__target__("avx2,fma,f16c"))), apply_to = function)
#endif
#elif PE__GNU
#pragma GCC diagnostic push /* in C++, gcc 12 warns about its own AVX-512 intrinsics */
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC push_options
#pragma GCC optimize("no-fast-math", "fp-contract=off", "no-associative-math",                     \
                     "no-reciprocal-math", "no-unsafe-math-optimizations", "signed-zeros",         \
                     "no-finite-math-only", "trapping-math", "no-rounding-math")
#if __GNUC__ > 10 /* at -O3, clones of functions and loops would add 6 % of code and no speed */
#pragma GCC optimize("vect-cost-model=very-cheap", "no-ipa-cp-clone")
#endif
#if PE__SETS_TARGET && PE_ISA == PE_ISA_AVX512
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,fma,f16c")
#elif PE__SETS_TARGET
#pragma GCC target("avx2,fma,f16c")
#endif
#elif defined(_MSC_VER)
/* Turn fusing off, because cl before VS 2022 fuses products with sums by default. The setting
   cannot be saved and restored, so fusing remains off to the end of the program's file. */
#pragma fp_contract(off)
#else
#ifndef __cplusplus
#pragma STDC FP_CONTRACT OFF
#endif
/* No macro tells whether a compiler obeys FP_CONTRACT. tcc fuses nothing, nor does a compiler for
   x86 whose flags allow no FMA. Other compilers are refused until the program turns fusing and
   fast-math off and defines PE_UNFUSED to say so. Compilers that define __GNUC__ but have PE__GNU =
   0 are refused even without FMA, because they ignore pragmas that turn fast-math off. */
#if !defined(PE_UNFUSED) && !defined(__TINYC__) &&                                                 \
    (defined(__GNUC__) || !(defined(__x86_64__) || defined(__i386__)) || defined(FP_FAST_FMA) ||   \
     defined(__FMA__) || defined(__FMA4__) || defined(__AVX2__))
#error "this compiler may fuse products: turn that and fast-math off, and define PE_UNFUSED"
#endif
#endif

/* PE__INLINE marks functions that gcc and clang always inline if they optimise. Kernels have
   arguments for the element type, for the layout, and for whether to add. Callers pass constants,
   so after inlining the compiler decides the branches on these arguments. Without optimisation
   nothing is forced inline, because gcc would take half a minute and 2 GB to inline all that a
   program might call. */
/* PE__OUTLINE marks functions that are never inlined, to keep the code small. A call costs little,
   since it serves many elements. PE__COLD marks functions that are never inlined and are placed
   away from the loops, because they seldom run: for example, after a flagged rounding test. Without
   optimisation nothing is inlined anyway, but gcc keeps every static function that is not declared
   inline, even if nothing calls it. So both macros then say inline: a program that fills a table
   has 128 KB of code instead of 297 KB (gcc 12.2 -O0, AVX-512). For compilers other than gcc and
   clang, all three macros are `static inline`. */
#if PE__GNU && defined(__OPTIMIZE__)
#define PE__INLINE static inline __attribute__((__always_inline__, __unused__))
#define PE__OUTLINE static __attribute__((__noinline__, __unused__))
#define PE__COLD static __attribute__((__noinline__, __cold__, __unused__))
#elif PE__GNU
#define PE__INLINE static inline __attribute__((__unused__))
#define PE__OUTLINE PE__INLINE
#define PE__COLD PE__INLINE
#else
#define PE__INLINE static inline
#define PE__OUTLINE static inline
#define PE__COLD static inline
#endif
/* PE__UNLIKELY(x) is true if x is true, and tells the compiler that x is seldom true.
   PE__PREFETCH fetches the cache line at an address into the first-level cache. The address is a
   uintptr_t because it may lie outside the array, where pointer arithmetic is undefined.
   PE__IN_REGISTER(p) keeps the pointer p in a register of its own. Otherwise gcc 12 packs two
   pointers into a vector to increment both, and extracts them for each use. This overhead is 20 %
   of the time of rotating head by head. */
#if PE__GNU
#define PE__UNLIKELY(x) __builtin_expect(!!(x), 0)
#define PE__PREFETCH(address) __builtin_prefetch((const void *)(address), 0, 3)
#define PE__IN_REGISTER(p) __asm__("" : "+r"(p))
#else
#define PE__UNLIKELY(x) (x)
#define PE__PREFETCH(address) (void)(address)
#define PE__IN_REGISTER(p) (void)(p)
#endif

/* PE__WRAPS and PE__DIVIDES_BY_ZERO mark functions that wrap unsigned integers, or divide by zero,
   on purpose. clang's sanitizers report both, though C and IEEE 754 define the results. */
#if defined(__clang__)
#if __clang_major__ < 12
#define PE__WRAPS __attribute__((__no_sanitize__("unsigned-integer-overflow")))
#else
#define PE__WRAPS                                                                                  \
    __attribute__((__no_sanitize__("unsigned-integer-overflow", "unsigned-shift-base")))
#endif
#define PE__DIVIDES_BY_ZERO __attribute__((__no_sanitize__("float-divide-by-zero")))
#else
#define PE__WRAPS
#define PE__DIVIDES_BY_ZERO
#endif

/* PE__OPAQUE(a) makes gcc and clang hold `a` in a register and assume nothing about its value. So
   the compiler cannot simplify the computation of `a`, nor load it again for a later use, as gcc
   does otherwise. The letters stand for the vector registers of each instruction set ("v": all 32
   of AVX-512). On other targets `a` goes through memory ("+m"), also on WebAssembly with clang 19
   and later, which rejects "+r" for a vector. With other compilers PE__OPAQUE() does nothing. */
#if !PE__GNU
#define PE__OPAQUE(a) (void)(a)
#elif defined(__wasm__) && __clang_major__ < 19
#define PE__OPAQUE(a) __asm__("" : "+r"(a))
#elif PE_ISA == PE_ISA_AVX512
#define PE__OPAQUE(a) __asm__("" : "+v"(a))
#elif defined(__x86_64__) || (defined(__i386__) && defined(__SSE2__))
#define PE__OPAQUE(a) __asm__("" : "+x"(a))
#elif defined(__aarch64__)
#define PE__OPAQUE(a) __asm__("" : "+w"(a))
#else
#define PE__OPAQUE(a) __asm__("" : "+m"(a))
#endif

/* PE__PRODUCT(p) keeps the compiler from fusing the product p with a later sum. PE__OPAQUE(p) takes
   time, so it is left out where the compiler fuses nothing. Under -ffp-contract=fast clang
   fuses in spite of FP_CONTRACT OFF, even between intrinsics. gcc fuses scalars that it vectorizes
   itself, to use fmaddsub, but does not fuse pe's vectors, where PE__OPAQUE(p) would cost a third
   of the time of a rotation. WebAssembly without relaxed SIMD has no fused instruction, and "+m"
   would treble the time of a rotation. */
#if (defined(__clang__) && (!defined(__wasm__) || defined(__wasm_relaxed_simd__))) ||              \
    (PE_ISA == PE_ISA_SCALAR && defined(PE__HAVE_FMA))
#define PE__PRODUCT(p) PE__OPAQUE(p)
#else
#define PE__PRODUCT(p) (void)(p)
#endif

/* PE__IN_MEMORY(p) leaves the numbers at p in memory in code for AVX2, which can load and broadcast
   a number in one instruction. Otherwise gcc keeps four numbers in a register, and permutes the
   register to broadcast each. This takes 7 % longer on a Zen 3. On other instruction sets
   PE__IN_MEMORY() does nothing. */
#if PE__GNU && PE_ISA == PE_ISA_AVX2
#define PE__IN_MEMORY(p) __asm__("" : "+r"(p))
#else
#define PE__IN_MEMORY(p) (void)(p)
#endif
