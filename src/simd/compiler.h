/* SPDX-License-Identifier: MIT */
/* What pe asks of a compiler: includes, floating-point options, attributes.
 * Gives: PE__COLD, PE__DIVIDES_BY_ZERO, PE__INLINE, PE__IN_MEMORY, PE__OPAQUE, PE__OUTLINE,
 *   PE__PREFETCH, PE__PRODUCT, PE__UNLIKELY, PE__WRAPS.
 * Tests: tests/checks/fail.sh, tests/tools/matrix.sh. */
#pragma once
#include "choice.h"

/* ---- floating-point environment -------------------------------------------------------------- */

#include <float.h>
/* Doubles must be rounded to double by every operation, floats to float. (-1 is what clang says
   under -ffast-math, which pe.h turns off for its own code; 16 concerns _Float16 alone; 1 is gcc's
   for s390x in strict ISO C.) clang's x87 rounds to no type whatever -ffp-eval-method says. */
#if defined(__clang__) && (defined(__i386__) || defined(__x86_64__)) && !defined(__SSE2__)
#define PE__EVALUATES 2
#elif !defined(FLT_EVAL_METHOD) || FLT_EVAL_METHOD == 16 || \
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
/* A number like 0.1 is a double, but not with this option of gcc's, which has no macro. */
typedef char pe__without_fsingle_precision_constant[sizeof 1.0 == sizeof(double) ? 1 : -1];
/* What imports a header unit of g++'s gets functions without the pragmas below: other bits under
   -ffast-math, and crashes. g++ makes such a unit of a header by itself when modules are on,
   whether it is pe.h or includes it. A precompiled header and a named module keep the pragmas. */
#if defined(__cpp_modules) && !defined(__clang__)
static constexpr bool pe__names_header(const char *file)
{
    char first = 0; /* of the extension */
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

#if PE_SLEEF
/* sleef.h leaves a macro of this name behind: keep the user's, or none */
#pragma push_macro("CONST")
#undef CONST
#include <sleef.h>
#undef CONST
#pragma pop_macro("CONST")
#define PE_SLEEF_NAME "SLEEF"
#else
#define PE_SLEEF_NAME "none"
#endif

/* The words of GNU C that pe uses may be macros of the program: __noinline__ is one of CUDA's. */
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

/* Hints, begin: from here to the end of pe.h the code means what it says. No contraction, no
   re-association, whatever the command line allows elsewhere; pe.h restores the user's state. */
#if defined(__clang__)
/* Targets on which clang knows float_control. On others it warns, and ignores the pragma. */
#if defined(__x86_64__) || defined(__i386__) || defined(__s390x__) || defined(__powerpc64__) || \
    (defined(__aarch64__) && __clang_major__ >= 16) || (defined(__riscv) && __clang_major__ >= 19)
#define PE__FLOAT_CONTROL 1
#pragma float_control(push)
#pragma float_control(precise, on)
#else
#define PE__FLOAT_CONTROL 0
#ifdef __FAST_MATH__
#error "this clang cannot turn -ffast-math off for pe's own code: compile without -ffast-math"
#endif
#pragma clang fp reassociate(off) /* -ffast-math less a part of it has no macro */
#if __clang_major__ >= 18
#pragma clang fp reciprocal(off)
#endif
#endif
#pragma STDC FP_CONTRACT OFF
#if PE__SETS_TARGET && PE_ISA == PE_ISA_AVX512
#pragma clang attribute push(                                                                      \
    __attribute__((__target__("avx512f,avx512dq,avx512bw,avx512vl,fma,f16c"))), apply_to = function)
#elif PE__SETS_TARGET
#pragma clang attribute push(__attribute__((__target__("avx2,fma,f16c"))), apply_to = function)
#endif
#elif PE__GNU
#pragma GCC diagnostic push /* gcc 12 suspects its own AVX-512 intrinsics in C++ */
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC push_options
#pragma GCC optimize("no-fast-math", "fp-contract=off", "no-associative-math",           \
                     "no-reciprocal-math", "no-unsafe-math-optimizations", "signed-zeros", \
                     "no-finite-math-only", "trapping-math", "no-rounding-math")
#if __GNUC__ > 10 /* -O3 makes copies of functions and loops that gain nothing: 6 % of the code */
#pragma GCC optimize("vect-cost-model=very-cheap", "no-ipa-cp-clone")
#endif
#if PE__SETS_TARGET && PE_ISA == PE_ISA_AVX512
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,fma,f16c")
#elif PE__SETS_TARGET
#pragma GCC target("avx2,fma,f16c")
#endif
#elif defined(_MSC_VER)
/* To the end of the file: cl before VS 2022 fuses by default, and cannot say what was in force. */
#pragma fp_contract(off)
#else
#ifndef __cplusplus
#pragma STDC FP_CONTRACT OFF
#endif
/* Who ignores that pragma cannot be asked. tcc fuses nothing, nor does a compiler for x86 that was
   not told of an FMA; the others have to be told, and pe that they were. */
#if !defined(PE_UNFUSED) && !defined(__TINYC__) && \
    (defined(__GNUC__) || !(defined(__x86_64__) || defined(__i386__)) || defined(FP_FAST_FMA) || \
     defined(__FMA__) || defined(__FMA4__) || defined(__AVX2__))
#error "this compiler may fuse products: turn that and fast-math off, and define PE_UNFUSED"
#endif
#endif

/* Always inlined: kernels take the type, the layout and "sum" as arguments, and only as constants
   do these leave one case of each branch. Not without optimisation: gcc would take half a minute
   and 2 GB for all that a program might call. */
#if defined(__OPTIMIZE__) && PE__GNU
#define PE__INLINE static inline __attribute__((__always_inline__, __unused__))
#elif PE__GNU
#define PE__INLINE static inline __attribute__((__unused__))
#else
#define PE__INLINE static inline
#endif
/* OUTLINE: called once for many elements, so the call costs little and the code stays small. COLD:
   what runs seldom, as after an alarm, away from the loops. PREFETCH: have the line at an address
   come into the first-level cache. Any will do, and it is a uintptr_t: a pointer must not be moved
   out of what it points to. */
#if PE__GNU
#define PE__OUTLINE static __attribute__((__noinline__, __unused__))
#define PE__COLD static __attribute__((__noinline__, __cold__, __unused__))
#define PE__UNLIKELY(x) __builtin_expect(!!(x), 0)
#define PE__PREFETCH(address) __builtin_prefetch((const void *)(address), 0, 3)
#else
#define PE__OUTLINE static inline
#define PE__COLD static inline
#define PE__UNLIKELY(x) (x)
#define PE__PREFETCH(address) (void)(address)
#endif

/* What clang's sanitizers ask about, though C and IEEE 754 define it, and it is meant. */
#if defined(__clang__)
#if __clang_major__ < 12
#define PE__WRAPS __attribute__((__no_sanitize__("unsigned-integer-overflow")))
#else
#define PE__WRAPS \
    __attribute__((__no_sanitize__("unsigned-integer-overflow", "unsigned-shift-base")))
#endif
#define PE__DIVIDES_BY_ZERO __attribute__((__no_sanitize__("float-divide-by-zero")))
#else
#define PE__WRAPS
#define PE__DIVIDES_BY_ZERO
#endif

/* A value that the compiler must have in a register here and cannot look through: gcc would rather
   load a value again for each use than keep it. The letters are each set's vector registers ("v":
   all 32 of AVX-512). Elsewhere it is in memory for a moment; so it is in WebAssembly
   from clang 19 on, which does not compile "+r" of a vector there. */
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

/* A product not to be fused with a later sum. clang does that under -ffp-contract=fast, whatever
   the pragma above says, even between intrinsics. gcc does it to single numbers that it makes
   vectors of, for fmaddsub; not to vectors, where one that it cannot look through costs it a third
   of the time of a rotation. WebAssembly has no fused instruction but with relaxed SIMD, and "+m"
   would treble the time of a rotation. */
#if defined(__wasm__) && !defined(__wasm_relaxed_simd__)
#define PE__PRODUCT(p) (void)(p)
#elif defined(__clang__) || (PE_ISA == PE_ISA_SCALAR && defined(PE__HAVE_FMA))
#define PE__PRODUCT(p) PE__OPAQUE(p)
#else
#define PE__PRODUCT(p) (void)(p)
#endif

/* A pointer in a register of its own: gcc 12 makes a vector of two to add to both, and takes them
   out again to use them, for a fifth of the time of heads by themselves. */
#if PE__GNU
#define PE__IN_REGISTER(p) __asm__("" : "+r"(p))
#else
#define PE__IN_REGISTER(p) (void)(p)
#endif

/* What this pointer leads to is to stay in memory, where AVX2 broadcasts a number by a load alone.
   gcc would keep four in a register and permute it for each, which takes 7 % longer on a Zen 3. */
#if PE__GNU && PE_ISA == PE_ISA_AVX2
#define PE__IN_MEMORY(p) __asm__("" : "+r"(p))
#else
#define PE__IN_MEMORY(p) (void)(p)
#endif
