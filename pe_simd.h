/* made from src/ by make headers: change that */
/* SPDX-License-Identifier: MIT
 *
 * pe_simd.h - the small vector layer under pe.h: one list of operations, six instruction sets.
 *
 * Users include pe.h, never this file. Everything here is private except the choice of the
 * instruction set (PE_ISA) and of SLEEF (PE_SLEEF), described in pe.h under "Options".
 *
 * A kernel in pe.h is written once, over vectors of PE_LANES doubles, and compiled for the one
 * instruction set that was chosen. Only this file knows an intrinsic.
 *
 *   operation              per lane                                                      rounding
 *   ---------------------  ------------------------------------------------------------  --------
 *   + - * /                the C operators on pe__vd                                     one
 *   pe__load  pe__store    PE_LANES doubles at any address                               -
 *   pe__splat              the same double in each lane                                  -
 *   pe__abs                |a|                                                           exact
 *   pe__fma(a,b,c)         a*b + c   } fused where the hardware has it: used only where  one or
 *   pe__fnma(a,b,c)        c - a*b   } a rounding test or an exactness proof decides     two
 *   pe__fms(a,b,c)         a*b - c, only where the hardware fuses it                     one
 *   pe__two_prod(a,b,&e)   p = a*b and e with p + e = a*b; by fma, or by splitting       exact
 *   pe__sincospi           sin(pi a), cos(pi a) by SLEEF, |a| < 2 (only if PE_SLEEF)     3.5 ulp
 *   pe__rotate_quadrant(a,&s,&c)  (s, c) turned by as many quarters as the last bits of a say  -
 *   pe__to_float           rounded to float, as a double                                 one
 *   pe__zip(s,c)           s0 c0 s1 c1 ... as 2*PE_LANES floats (pe__vf)                 one each
 *   pe__join(a,b)          a0 a1 ... b0 b1 ... likewise                                  one each
 *   pe__zip_two(s,c,&a,&b) a, b = s0 c0 s1 c1 ... as doubles                             -
 *   pe__unzip(p,&s,&c)     the same backwards                                            -
 *   pe__get                2*PE_LANES floats at any address                              -
 *   pe__get_pairs(p,i,&s,&c)  of pairs of floats at p number i[0], i[1] ...: first floats   -
 *                          and second ones, 2*PE_LANES each
 *   pe__get_n(p,n)         the first n of them, and zeros                                -
 *   pe__put  pe__put_n     store all floats, or the first n, at any address              -
 *   pe__stream             store all floats past the caches, address a multiple of       -
 *                          sizeof(pe__vf); plain stores where there is no such thing
 *   pe__stream_vd          the same for PE_LANES doubles                                 -
 *   pe__copy(t,f,n,stream) copy n bytes from any address to any; past the caches if       -
 *                          stream, where there is such a thing
 *   pe__fence              order streaming stores before what follows                    -
 *   pe__widen(p)           PE_LANES floats at any address as doubles                     exact
 *   pe__narrow(p,a)        store PE_LANES doubles as floats at any address               one
 *   pe__splat_f32          the same float in all                                         -
 *   pe__add_f32 _sub_f32   a + b, a - b of floats                                        one
 *   pe__mul_f32  pe__mul   a * b of floats, of doubles: never fused with a later sum     one
 *   pe__swap               v1 v0 v3 v2 ... of floats                                     -
 *   pe__get_repeated(p)       PE_LANES floats at any address as v0 v0 v1 v1 ...             -
 *   pe__get_signed(p)      the same as -v0 v0 -v1 v1 ...                                 -
 *   pe__mad_f32(a,b,c)     a*b + c of floats  } as pe__fma, pe__fnma of doubles          one or
 *   pe__nmad_f32(a,b,c)    c - a*b of floats  }                                          two
 *   pe__min_vd(a,b)        the lesser, of doubles; either, if one is a NaN               exact
 *   pe__abs_f32  pe__min_f32(a,b)  |a|, the lesser, of floats                            exact
 *   pe__min_size(a,b)      the lesser of |a|, |b| of floats                              exact
 *   pe__within(a,x,b,y)    bit i set where float i of a is not above that of x, bit      -
 *                          2*PE_LANES + i where that of b is not above that of y
 *   pe__if_positive(a,b,c) b where a > 0, else c, of floats; a is no NaN                 -
 *   pe__zip_rotated(k,s,c)  pe__zip; with AVX-512 of s and c turned by k's quarters       one
 *   pe__zip_odd(s,c)       pe__zip, but each rounded to odd, so that one more rounding,  to odd
 *                          to 16 bits, is the only one; 0 or in the range of normal floats
 *   pe__get_bf16 _get_f16  2*PE_LANES 16-bit numbers at any address as floats            exact
 *   pe__to_bf16  _to_f16   floats to 2*PE_LANES 16-bit numbers (pe__vh), to nearest      one
 *                          even: subnormals too, overflow to infinity, a NaN becomes
 *                          the quiet NaN of its sign without payload; whether subnormals
 *                          are flushed does not matter, nor does MXCSR's rounding mode
 *   pe__round_bf16 _f16    the same for floats none of which is a NaN, for less          one
 *   pe__any_nan(a,b)       is any float of a or b a NaN?                                 -
 *   pe__put_zip_bf16(p,a,b)  a0 b0 a1 b1 ... as 4*PE_LANES 16-bit numbers at p; no float is  one
 *            _f16          a NaN or the middle of two such numbers
 *   pe__midpoint_distance(v,drop) how far floats are from the middle of the two numbers with so
 *   exact
 *                          many fewer bits on both sides of them
 *   pe__get_bf16_evens     numbers 0, 2, 4 ... of 4*PE_LANES bf16 as floats, and 1, 3,   exact
 *            _odds         5 ...
 *   pe__put_bf16_four(p,a,b,q,c,d)  round a0 b0 a1 b1 ... to 4*PE_LANES bf16 at p,       one
 *                          c0 d0 c1 d1 ... to as many at q; the last 16 bits of a NaN are
 *                          0, and it stays one
 *   pe__unzip_evens(a,b)   a0 a2 ... b0 b2 ..., a1 a3 ... b1 b3 ... of floats            -
 *            _odds
 *   pe__put_h              store these as pe__put does floats                           -
 *   pe__differ(a,b)        bit i set where float i of a and b differ in any bit          -
 *   pe__unequal(a,b,c,d)   does any double of a differ from b's, or of c from d's?       -
 *   pe__rounding_test_add(w,a,b,v)  watch the floats v made of the doubles a and b for           -
 *                          roundings that may be wrong, see "Rounding test"
 *   pe__rounding_test_flagged    is there one? With AVX2 also where a double is 2 or more
 *   -
 *
 * The derived operations below the backends (pe__round, pe__two_sum, pe__put_bf16 ...) are written
 * over these.
 */
#ifndef PE_SIMD_H
#define PE_SIMD_H

/* ==== src/simd/choice.h ==== */
/* The instruction set, whether SLEEF makes sines, what a CPU does with memory: chosen, checked.
 * Gives: PE_ISA, PE_ISA_AVX2, PE_ISA_AVX512, PE_ISA_NAME, PE_ISA_NEON, PE_ISA_SCALAR, PE_ISA_SSE2,
 *   PE_ISA_WASM, PE_LOADS_WAIT, PE_PREFETCH_HEADS, PE_SLEEF, PE__SETS_TARGET, PE__GNU,
 *   PE__HAVE_FMA.
 * Tests: tests/checks/fail.sh, tests/checks/cpus.sh. */

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

/* ==== src/simd/compiler.h ==== */
/* What pe asks of a compiler: includes, floating-point options, attributes.
 * Gives: PE__COLD, PE__DIVIDES_BY_ZERO, PE__INLINE, PE__IN_MEMORY, PE__OPAQUE, PE__OUTLINE,
 *   PE__PREFETCH, PE__PRODUCT, PE__UNLIKELY, PE__WRAPS.
 * Tests: tests/checks/fail.sh, tests/tools/matrix.sh. */

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

/* ==== src/pe_simd.h ==== */

#ifdef __cplusplus
extern "C" {
#endif

/* ==== src/simd/one.h ==== */
/* Operations on one number, the same for all.
 * Gives: PE__DROPPED, PE__TO_TOP, pe__float_bits(), pe__odd24_one(), pe__one_to_f16(),
 *   pe__to_odd(), pe__zero().
 * Tests: tests/unit/test_types.c. */

/* ---- one number, the same for all ------------------------------------------------------------ */

/* Bits that rounding a double to float drops, 53 - 24; and the shift that moves them to the top of
   32 bits. There the first of them is the sign, so a tie (1, then zeros) is the least number of
   all. */
enum { PE__DROPPED = 29, PE__TO_TOP = 32 - PE__DROPPED };

/* +0 that is not seen to be 0: clang leaves out additions of it under -fno-signed-zeros, whatever
   the pragmas say, and -0 + 0 stays -0. */
PE__INLINE float pe__zero(void)
{
    float zero = 0;
    PE__OPAQUE(zero);
    return zero;
}

/* hi + lo for |lo| <= ulp(hi) / 2, rounded to odd: cut, and the last bit set if that lost
   anything. What then rounds to fewer bits is rounded as if once. hi where lo is NaN, as after an
   overflow. */
PE__INLINE double pe__to_odd(double hi, double lo)
{
    uint64_t bits;
    memcpy(&bits, &hi, sizeof bits);
    if ((lo < 0 || lo > 0) && (bits & 1) == 0) {
        if ((lo < 0) == (hi < 0)) bits++;
        else bits--;
        memcpy(&hi, &bits, sizeof bits);
    }
    return hi;
}

/* 0x1fffffff masks the PE__DROPPED bits. Adding it carries into the last bit that stays if any of
   them is set. */
PE__INLINE double pe__odd24_one(double a) /* a to 24 bits, to odd */
{
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    bits = (bits | ((bits & 0x1fffffffu) + 0x1fffffffu)) & ~(uint64_t)0x1fffffffu;
    memcpy(&a, &bits, sizeof a);
    return a;
}
PE__INLINE int32_t pe__float_bits(float x)
{
    int32_t i;
    memcpy(&i, &x, sizeof i);
    return i;
}

/* Rounded to f16, as by pe__to_f16. As the bits of floats, 0x38800000 is 2^-14, f16's least normal
   number, and 0x477fefff the last float that rounds to 65504 and not to infinity. 112 is how much
   float's exponents are biased more than f16's, 127 - 15; 0xfff and the last bit that stays are
   half of 2^13, less one where a tie rounds down. */
PE__INLINE uint16_t pe__one_to_f16(float x)
{
    const uint32_t bits = (uint32_t)pe__float_bits(x), a = bits & 0x7fffffffu;
    const uint32_t sign = bits >> 31 << 15, m = (a & 0x007fffffu) | 0x00800000u;
    if (a > 0x7f800000u) return (uint16_t)(sign | 0x7e00);
    if (a > 0x477fefffu) return (uint16_t)(sign | 0x7c00);
    if (a >= 0x38800000u)
        return (uint16_t)(sign | ((a - (112u << 23) + 0xfff + (a >> 13 & 1)) >> 13));
    /* subnormal: m 2^(e - 150), e being the biased exponent, in units of 2^-24 */
    const uint32_t shift = 126 - (a >> 23);
    if (shift > 24) return (uint16_t)sign;
    return (uint16_t)(sign | ((m + (1u << (shift - 1)) - 1 + (m >> shift & 1)) >> shift));
}

/* ==== src/simd/vectors.h ==== */
/* GNU C's vectors: their types, and the operations that operators alone can write.
 * Gives: PE_LANES, PE__FUSES, pe__vd, pe__vf, pe__vi, pe__vl, pe__vu, pe__rounding_test, pe__abs(),
 *   pe__abs_f32(), pe__get(), pe__get_bf16_evens(), pe__get_bf16_odds(), pe__load(), pe__put(),
 *   pe__quiet(), pe__splat_i32(), pe__store(), pe__rounding_test_begin(), pe__up_bf16().
 * Tests: tests/unit/test_types.c. */

/* ---- GNU C's vectors ------------------------------------------------------------------------- */
#if PE_ISA != PE_ISA_SCALAR

/* Doubles in a vector; and whether pe__fma() rounds once, which error bounds ask. */
enum { PE_LANES = PE_ISA == PE_ISA_AVX512 ? 8 : PE_ISA == PE_ISA_AVX2 ? 4 : 2 };
enum { PE__FUSES = PE_ISA != PE_ISA_SSE2 && PE_ISA != PE_ISA_WASM };
#if PE_ISA == PE_ISA_NEON
typedef float64x2_t pe__vd;
typedef float32x4_t pe__vf;
#else
typedef double pe__vd __attribute__((__vector_size__(8 * PE_LANES)));
typedef float pe__vf __attribute__((__vector_size__(8 * PE_LANES)));
#endif
typedef int32_t pe__vi __attribute__((__vector_size__(8 * PE_LANES)));
typedef uint32_t pe__vu __attribute__((__vector_size__(8 * PE_LANES)));
typedef int64_t pe__vl __attribute__((__vector_size__(8 * PE_LANES)));
/* -fpack-struct=8, and =16 with wider vectors, misplace vectors alone: loads of them crash. */
struct pe__vector_laid_out {
    char first;
    pe__vd vector;
};
typedef char pe__vectors_without_fpack_struct_or_pragma_pack
    [sizeof(struct pe__vector_laid_out) == 2 * sizeof(pe__vd) ? 1 : -1];

/* Vectors at any address. With memcpy() gcc takes 16 bytes for an integer, and on ARM moves them
   through two integer registers: rows of a block took a fifth more cycles (make mca). */
#define PE__UNALIGNED __attribute__((__vector_size__(8 * PE_LANES), __aligned__(1), __may_alias__))
typedef double pe__vd_at PE__UNALIGNED;
typedef float pe__vf_at PE__UNALIGNED;
#undef PE__UNALIGNED
PE__INLINE pe__vd pe__load(const double *p)
{
    pe__vd a = (pe__vd)*(const pe__vd_at *)(const void *)p;
    PE__OPAQUE(a); /* loaded once, not for each use */
    return a;
}
PE__INLINE void pe__store(double *p, pe__vd a) { *(pe__vd_at *)(void *)p = a; }
PE__INLINE pe__vf pe__get(const float *p) { return (pe__vf)*(const pe__vf_at *)(const void *)p; }
PE__INLINE void pe__put(float *p, pe__vf v) { *(pe__vf_at *)(void *)p = v; }
PE__INLINE pe__vi pe__splat_i32(int32_t x)
{
    const pe__vi zero = {0};
    return zero + x;
}
PE__INLINE pe__vd pe__abs(pe__vd a) { return (pe__vd)((pe__vl)a & INT64_MAX); }
PE__INLINE pe__vf pe__abs_f32(pe__vf a) { return (pe__vf)((pe__vi)a & INT32_MAX); }

PE__INLINE pe__vi pe__select(pe__vi if_so, pe__vi a, pe__vi b)
{
    return (a & if_so) | (b & ~if_so);
}
PE__INLINE pe__vf pe__if_positive(pe__vf a, pe__vf b, pe__vf c)
{
#if PE_ISA == PE_ISA_AVX512 /* one instruction, which gcc does not find */
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, _mm512_setzero_ps(), _CMP_GT_OQ), c, b);
#elif PE_ISA == PE_ISA_AVX2
    return _mm256_blendv_ps(c, b, (pe__vf)((pe__vi)a > 0));
#else
    return (pe__vf)pe__select((pe__vi)a > 0, (pe__vi)b, (pe__vi)c);
#endif
}
/* Every NaN becomes sign | 0x7fc00000: quiet, without payload. */
PE__INLINE pe__vf pe__quiet(pe__vf v)
{
    const pe__vi bits = (pe__vi)v, nan = (bits & INT32_MAX) > 0x7f800000;
    return (pe__vf)pe__select(nan, (bits & ~0x003fffff) | 0x00400000, bits);
}
/* The middle next to v has the first of the dropped bits set and no other. Its exponent is v's, so
   the difference is exact. */
PE__INLINE pe__vf pe__midpoint_distance(pe__vf v, int drop)
{
    const int32_t last = (1 << drop) - 1, half = 1 << (drop - 1);
#if PE_ISA == PE_ISA_AVX2 /* an operation less: bf16 fills take 8 % longer without */
    if (drop == 16)
        return v - (pe__vf)_mm256_blend_epi16((__m256i)v, (__m256i)pe__splat_i32(half), 0x55);
#endif
    return v - (pe__vf)(((pe__vi)v & ~last) | half);
}
/* As pe__odd24_one(). */
PE__INLINE pe__vd pe__odd24(pe__vd a) /* a to 24 bits, to odd */
{
    const pe__vl bits = (pe__vl)a;
    return (pe__vd)((bits | ((bits & 0x1fffffff) + 0x1fffffff)) & ~0x1fffffff);
}

/* The upper 16 bits are v as a bf16, rounded to nearest even: 0x7fff is half of what is dropped,
   less one, and the last bit that stays makes up for it where that is odd. */
PE__INLINE pe__vu pe__up_bf16(pe__vf v)
{
    const pe__vu bits = (pe__vu)v;
    return bits + 0x7fff + (bits >> 16 & 1);
}
/* A bf16 is the upper half of a float. Of each two the first lies in the lower half of 32 bits. */
PE__INLINE pe__vf pe__get_bf16_evens(const uint16_t *p)
{
    return (pe__vf)((pe__vu)pe__get((const float *)(const void *)p) << 16);
}
PE__INLINE pe__vf pe__get_bf16_odds(const uint16_t *p)
{
    return (pe__vf)((pe__vu)pe__get((const float *)(const void *)p) & 0xffff0000u);
}

/* The least distance from a tie and the least size so far. They begin with the bits of FLT_MAX,
   which is above every window and guard. */
typedef struct pe__rounding_test {
    pe__vi low, size;
} pe__rounding_test;
PE__INLINE pe__rounding_test pe__rounding_test_begin(void)
{
    const pe__rounding_test w = {pe__splat_i32(0x7f7fffff), pe__splat_i32(0x7f7fffff)};
    return w;
}

/* ---- two doubles: NEON, SSE2, WASM ----------------------------------------------------------- */
#if PE_ISA == PE_ISA_NEON || PE_ISA == PE_ISA_SSE2 || PE_ISA == PE_ISA_WASM

#ifdef __clang__
#define PE__PICK4(a, b, i, j, k, l) ((pe__vf)__builtin_shufflevector(a, b, i, j, k, l))
#define PE__PICK2(a, b, i, j) ((pe__vd)__builtin_shufflevector(a, b, i, j))
#else /* which gcc has only from 12 on */
#define PE__PICK4(a, b, i, j, k, l) __builtin_shuffle(a, b, __extension__(pe__vi){i, j, k, l})
#define PE__PICK2(a, b, i, j) __builtin_shuffle(a, b, __extension__(pe__vl){i, j})
#endif

PE__INLINE pe__vd pe__splat(double x)
{
    const pe__vd a = {x, x};
    return a;
}
PE__INLINE pe__vf pe__splat_f32(float x)
{
    const pe__vf v = {x, x, x, x};
    return v;
}
PE__INLINE void pe__zip_two(pe__vd s, pe__vd c, pe__vd *a, pe__vd *b)
{
    *a = PE__PICK2(s, c, 0, 2);
    *b = PE__PICK2(s, c, 1, 3);
}
/* To zip two vectors of two is to unzip them. */
PE__INLINE void pe__unzip(const double *p, pe__vd *s, pe__vd *c)
{
    pe__zip_two(pe__load(p), pe__load(p + 2), s, c);
}
/* A quarter turn exchanges s and c: an exclusive or with what differs, where k is odd. The sine is
   negative in the third and fourth quarter, where k's second bit is set, the cosine in the second
   and third, where that of k + 1 is: half ^ odd, at the top. */
PE__INLINE void pe__rotate_quadrant(pe__vd quadrant, pe__vd *s, pe__vd *c)
{
    const pe__vl k = (pe__vl)quadrant, odd = k << 63, half = k << 62;
    const pe__vl sign = (pe__vl)pe__splat(-0.0);
    const pe__vl other = ((pe__vl)*s ^ (pe__vl)*c) & -(k & 1);
    *s = (pe__vd)((pe__vl)*s ^ other ^ (half & sign));
    *c = (pe__vd)((pe__vl)*c ^ other ^ ((half ^ odd) & sign));
}
PE__INLINE void pe__put_n(float *p, pe__vf v, size_t n) { memcpy(p, &v, n * sizeof *p); }
PE__INLINE pe__vf pe__get_repeated(const float *p)
{
    const pe__vf v = {p[0], p[0], p[1], p[1]};
    return v;
}
PE__INLINE pe__vf pe__unzip_evens(pe__vf a, pe__vf b) { return PE__PICK4(a, b, 0, 2, 4, 6); }
PE__INLINE pe__vf pe__unzip_odds(pe__vf a, pe__vf b) { return PE__PICK4(a, b, 1, 3, 5, 7); }

#endif

#endif

/* ==== src/simd/avx512.h ==== */
/* The operations on AVX-512.
 * Gives: the operations that pe_simd.h lists.
 * Tests: tests/unit/test_types.c. */

/* ---- AVX-512 -------------------------------------------------------------------------------- */
#if PE_ISA == PE_ISA_AVX512

typedef __m256i pe__vh;

PE__INLINE pe__vd pe__splat(double x) { return _mm512_set1_pd(x); }
PE__INLINE pe__vd pe__fma(pe__vd a, pe__vd b, pe__vd c) { return _mm512_fmadd_pd(a, b, c); }
PE__INLINE pe__vd pe__fnma(pe__vd a, pe__vd b, pe__vd c) { return _mm512_fnmadd_pd(a, b, c); }
PE__INLINE pe__vd pe__fms(pe__vd a, pe__vd b, pe__vd c) { return _mm512_fmsub_pd(a, b, c); }
#define PE__SLEEF_TWO Sleef___m512d_2
#define PE__SLEEF_SINCOSPI Sleef_sincospid8_u35avx512f
/* Converted first: one permutation of floats takes the place of two of doubles. */
PE__INLINE pe__vf pe__zip(pe__vd s, pe__vd c)
{
    const __m512i order = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    return _mm512_permutex2var_ps(_mm512_castps256_ps512(_mm512_cvtpd_ps(s)), order,
                                  _mm512_castps256_ps512(_mm512_cvtpd_ps(c)));
}
PE__INLINE pe__vf pe__join(pe__vd a, pe__vd b)
{
    return _mm512_castpd_ps(_mm512_insertf64x4(
        _mm512_castps_pd(_mm512_castps256_ps512(_mm512_cvtpd_ps(a))),
        _mm256_castps_pd(_mm512_cvtpd_ps(b)), 1));
}
PE__INLINE pe__vd pe__to_float(pe__vd a)
{
    __m256 f = _mm512_cvtpd_ps(a);
    PE__OPAQUE(f); /* not to be taken for a */
    return _mm512_cvtps_pd(f);
}
PE__INLINE void pe__zip_two(pe__vd s, pe__vd c, pe__vd *a, pe__vd *b)
{
    *a = _mm512_permutex2var_pd(s, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), c);
    *b = _mm512_permutex2var_pd(s, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), c);
}
PE__INLINE void pe__unzip(const double *p, pe__vd *s, pe__vd *c)
{
    const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    const __m512i odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    const __m512d a = _mm512_loadu_pd(p), b = _mm512_loadu_pd(p + 8);
    *s = _mm512_permutex2var_pd(a, even, b);
    *c = _mm512_permutex2var_pd(a, odd, b);
}
/* As in vectors.h; masked moves exchange s and c. */
PE__INLINE void pe__rotate_quadrant(pe__vd quadrant, pe__vd *s, pe__vd *c)
{
    const __m512i k = _mm512_castpd_si512(quadrant), sign = _mm512_set1_epi64(INT64_MIN);
    const __m512i of_s = _mm512_slli_epi64(k, 62); /* k's second bit; that of k + 1 */
    const __m512i of_c = _mm512_add_epi64(of_s, _mm512_set1_epi64((int64_t)1 << 62));
    const __mmask8 odd = _mm512_test_epi64_mask(k, _mm512_set1_epi64(1));
    const __m512i a = _mm512_castpd_si512(_mm512_mask_mov_pd(*s, odd, *c));
    const __m512i b = _mm512_castpd_si512(_mm512_mask_mov_pd(*c, odd, *s));
    /* a ^ (of_s & sign) */
    *s = _mm512_castsi512_pd(_mm512_ternarylogic_epi64(a, of_s, sign, 0x78));
    *c = _mm512_castsi512_pd(_mm512_ternarylogic_epi64(b, of_c, sign, 0x78));
}
/* pe__zip() of both turned, in 4 operations for 8: by quarters a table has signs and, where s and c
   are exchanged, 16s that change the order. */
PE__INLINE pe__vf pe__zip_rotated(pe__vd quadrant, pe__vd s, pe__vd c)
{
    const __m512i order = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const int minus = INT32_MIN, both = 16 + INT32_MIN;
    const __m512i quarters = _mm512_setr_epi32(0, 0, 16, both, minus, minus, both, 16, 0, 0, 16,
                                               both, minus, minus, both, 16);
    const __m512i change = _mm512_permutexvar_epi64(_mm512_castpd_si512(quadrant), quarters);
    const __m512 v = _mm512_permutex2var_ps(_mm512_castps256_ps512(_mm512_cvtpd_ps(s)),
                                            _mm512_xor_si512(order, change),
                                            _mm512_castps256_ps512(_mm512_cvtpd_ps(c)));
    return (pe__vf)((pe__vu)v ^ ((pe__vu)change & 0x80000000u));
}
PE__INLINE pe__vf pe__get_n(const float *p, size_t n) /* and zeros */
{
    return _mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1u), p);
}
PE__INLINE void pe__put_n(float *p, pe__vf v, size_t n)
{
    _mm512_mask_storeu_ps(p, (__mmask16)((1u << n) - 1u), v);
}
PE__INLINE void pe__stream(float *p, pe__vf v) { _mm512_stream_ps(p, v); }
PE__INLINE void pe__stream_vd(double *p, pe__vd a) { _mm512_stream_pd(p, a); }
PE__INLINE int pe__unequal(pe__vd a, pe__vd b, pe__vd c, pe__vd d)
{
    const __m512i x = _mm512_xor_si512(_mm512_castpd_si512(a), _mm512_castpd_si512(b));
    const __m512i y = _mm512_xor_si512(_mm512_castpd_si512(c), _mm512_castpd_si512(d));
    return _mm512_test_epi64_mask(_mm512_or_si512(x, y), _mm512_or_si512(x, y)) != 0;
}
PE__INLINE pe__vd pe__widen(const float *p) { return _mm512_cvtps_pd(_mm256_loadu_ps(p)); }
PE__INLINE void pe__narrow(float *p, pe__vd a) { _mm256_storeu_ps(p, _mm512_cvtpd_ps(a)); }
PE__INLINE pe__vf pe__splat_f32(float x) { return _mm512_set1_ps(x); }
PE__INLINE pe__vf pe__mad_f32(pe__vf a, pe__vf b, pe__vf c) { return _mm512_fmadd_ps(a, b, c); }
PE__INLINE pe__vf pe__nmad_f32(pe__vf a, pe__vf b, pe__vf c) { return _mm512_fnmadd_ps(a, b, c); }
PE__INLINE pe__vf pe__swap(pe__vf v) { return _mm512_permute_ps(v, 0xb1); }
PE__INLINE pe__vf pe__get_repeated(const float *p)
{
    const __m512i order = _mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
    return _mm512_permutexvar_ps(order, _mm512_castps256_ps512(_mm256_loadu_ps(p)));
}
PE__INLINE unsigned pe__signs(pe__vi a)
{
    unsigned mask = _mm512_movepi32_mask((__m512i)a);
    __asm__("" : "+r"(mask)); /* gcc 12 may spill 16 bits of it and load 32 */
    return mask & 0xffffu;
}
PE__INLINE pe__vd pe__lookup_16(const double *p, pe__vd k)
{
    const pe__vd last = k + pe__splat(6755399441055744.0); /* whose last bits are k's */
    const __m512i i = _mm512_castpd_si512(last);
    return _mm512_permutex2var_pd(pe__load(p), i, pe__load(p + 8));
}
PE__INLINE int pe__any_nan(pe__vf a, pe__vf b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q) != 0;
}
PE__INLINE pe__vf pe__get_bf16(const uint16_t *p)
{
    const __m256i h = _mm256_loadu_si256((const __m256i *)(const void *)p);
    /* to the odd words, zeros between, in one instruction */
    const __m512i order = _mm512_slli_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
                                                              12, 13, 14, 15), 16);
    return _mm512_castsi512_ps(
        _mm512_maskz_permutexvar_epi16(0xaaaaaaaau, order, _mm512_castsi256_si512(h)));
}
PE__INLINE pe__vf pe__get_f16(const uint16_t *p)
{
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)p));
}
PE__INLINE pe__vh pe__round_bf16(pe__vf v)
{
#ifdef __AVX512BF16__ /* but for subnormals, which it flushes, and zeros that look like them */
    const __m512i exponent = _mm512_set1_epi32(0x7f800000);
    if (!PE__UNLIKELY(_mm512_testn_epi32_mask(_mm512_castps_si512(v), exponent) != 0))
        return (__m256i)_mm512_cvtneps_pbh(v);
#endif
    return _mm512_cvtepi32_epi16((__m512i)(pe__up_bf16(v) >> 16));
}
PE__INLINE void pe__put_upper(uint16_t *p, pe__vu a, pe__vu b)
{
    _mm512_storeu_si512((void *)p, _mm512_ternarylogic_epi32( /* (a >> 16) | (b & mask) */
        (__m512i)(a >> 16), (__m512i)b, _mm512_set1_epi32((int)0xffff0000u), 0xf8));
}
PE__INLINE int pe__any_ends_in_0(pe__vu a, pe__vu b, pe__vu c, pe__vu d)
{
    const __m512i last = _mm512_set1_epi32(0xffff);
    return (_mm512_testn_epi32_mask((__m512i)a, last) | _mm512_testn_epi32_mask((__m512i)b, last) |
            _mm512_testn_epi32_mask((__m512i)c, last) |
            _mm512_testn_epi32_mask((__m512i)d, last)) != 0;
}
PE__INLINE pe__vf pe__unzip_evens(pe__vf a, pe__vf b)
{
    const __m512i order =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return _mm512_permutex2var_ps(a, order, b);
}
PE__INLINE pe__vf pe__unzip_odds(pe__vf a, pe__vf b)
{
    const __m512i order =
        _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    return _mm512_permutex2var_ps(a, order, b);
}
/* 8: to nearest even, whatever MXCSR says, and no flags. With a mask of all, for at -O0 the plain
   one is a macro of gcc's that converts a sign. */
PE__INLINE pe__vh pe__round_f16(pe__vf v) { return _mm512_maskz_cvtps_ph(0xffff, v, 0x08); }
PE__INLINE void pe__put_zip_f16(uint16_t *p, pe__vf a, pe__vf b)
{
    const __m256i u = pe__round_f16(a), v = pe__round_f16(b);
    const __m256i low = _mm256_unpacklo_epi16(u, v), high = _mm256_unpackhi_epi16(u, v);
    _mm256_storeu_si256((__m256i *)(void *)p, _mm256_permute2x128_si256(low, high, 0x20));
    _mm256_storeu_si256((__m256i *)(void *)(p + 16),
                        _mm256_permute2x128_si256(low, high, 0x31));
}
PE__INLINE pe__vd pe__min_vd(pe__vd a, pe__vd b) { return _mm512_min_pd(a, b); }
PE__INLINE pe__vf pe__min_f32(pe__vf a, pe__vf b) { return _mm512_min_ps(a, b); }
PE__INLINE pe__vf pe__min_size(pe__vf a, pe__vf b)
{
/* in one instruction (0x0a: the lesser in size, no sign); a macro of gcc's at -O0 */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif
    return _mm512_range_ps(a, b, 0x0a);
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
}
#ifndef __clang__
PE__INLINE uint32_t pe__within(pe__vf a, pe__vf x, pe__vf b, pe__vf y)
{
    uint32_t first = _mm512_cmp_ps_mask(a, x, _CMP_NGT_UQ);
    __asm__("" : "+r"(first)); /* as in pe__signs() */
    return (first & 0xffffu) | (uint32_t)_mm512_cmp_ps_mask(b, y, _CMP_NGT_UQ) << 16;
}
#endif
PE__INLINE void pe__put_h(uint16_t *p, pe__vh h) { _mm256_storeu_si256((__m256i *)(void *)p, h); }
PE__INLINE void pe__rounding_test_add(pe__rounding_test *w, pe__vd a, pe__vd b, pe__vf v)
{
    /* The lower halves of the doubles. In no order: minima need none, nor does the alarm. */
    const __m512 low = _mm512_shuffle_ps(_mm512_castpd_ps(a), _mm512_castpd_ps(b), 0x88);
    /* (low & mask) ^ tie, unsigned: a shift here would fight for the shuffles' ports */
    const __m512i mask = _mm512_set1_epi32((1 << PE__DROPPED) - 1);
    const __m512i tie = _mm512_set1_epi32(1 << (PE__DROPPED - 1));
    const __m512i dropped = _mm512_ternarylogic_epi32(_mm512_castps_si512(low), mask, tie, 0x6a);
    w->low = (pe__vi)_mm512_min_epu32((__m512i)w->low, dropped);
    w->size = (pe__vi)pe__min_size((pe__vf)w->size, v);
}
PE__INLINE int pe__rounding_test_flagged(pe__rounding_test w, int32_t window, int32_t guard)
{
    return (_mm512_cmplt_epu32_mask((__m512i)w.low, _mm512_set1_epi32(window)) |
            _mm512_cmplt_epi32_mask((__m512i)w.size, _mm512_set1_epi32(guard))) != 0;
}

#endif

/* ==== src/simd/avx2.h ==== */
/* The operations on AVX2 with FMA.
 * Gives: the operations that pe_simd.h lists.
 * Tests: tests/unit/test_types.c. */

/* ---- AVX2 and FMA ---------------------------------------------------------------------------- */
#if PE_ISA == PE_ISA_AVX2

typedef __m128i pe__vh;

PE__INLINE pe__vd pe__splat(double x) { return _mm256_set1_pd(x); }
PE__INLINE pe__vd pe__fma(pe__vd a, pe__vd b, pe__vd c) { return _mm256_fmadd_pd(a, b, c); }
PE__INLINE pe__vd pe__fnma(pe__vd a, pe__vd b, pe__vd c) { return _mm256_fnmadd_pd(a, b, c); }
PE__INLINE pe__vd pe__fms(pe__vd a, pe__vd b, pe__vd c) { return _mm256_fmsub_pd(a, b, c); }
#define PE__SLEEF_TWO Sleef___m256d_2
#define PE__SLEEF_SINCOSPI Sleef_sincospid4_u35avx2
/* Converted first: two shuffles of floats take the place of four of doubles. */
PE__INLINE pe__vf pe__zip(pe__vd s, pe__vd c)
{
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    const __m256 sines = _mm256_castps128_ps256(_mm256_cvtpd_ps(s));
    return _mm256_permutevar8x32_ps(_mm256_insertf128_ps(sines, _mm256_cvtpd_ps(c), 1), order);
}
PE__INLINE pe__vf pe__join(pe__vd a, pe__vd b)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(a)), _mm256_cvtpd_ps(b), 1);
}
PE__INLINE pe__vd pe__to_float(pe__vd a)
{
    __m128 f = _mm256_cvtpd_ps(a);
    PE__OPAQUE(f); /* not to be taken for a */
    return _mm256_cvtps_pd(f);
}
PE__INLINE void pe__zip_two(pe__vd s, pe__vd c, pe__vd *a, pe__vd *b)
{
    const pe__vd even = _mm256_unpacklo_pd(s, c), odd = _mm256_unpackhi_pd(s, c);
    *a = _mm256_permute2f128_pd(even, odd, 0x20);
    *b = _mm256_permute2f128_pd(even, odd, 0x31);
}
PE__INLINE void pe__unzip(const double *p, pe__vd *s, pe__vd *c)
{
    /* each half is unpacked by itself, so the middle quarters change places (0xd8) */
    const __m256d a = _mm256_loadu_pd(p), b = _mm256_loadu_pd(p + 4);
    *s = _mm256_permute4x64_pd(_mm256_unpacklo_pd(a, b), 0xd8);
    *c = _mm256_permute4x64_pd(_mm256_unpackhi_pd(a, b), 0xd8);
}
/* As in vectors.h; blendv looks at the top bit of each lane alone. */
PE__INLINE void pe__rotate_quadrant(pe__vd quadrant, pe__vd *s, pe__vd *c)
{
    const __m256i k = _mm256_castpd_si256(quadrant);
    __m256d odd = _mm256_castsi256_pd(_mm256_slli_epi64(k, 63));
    PE__OPAQUE(odd); /* gcc would compare it with 0 first */
    const __m256d half = _mm256_castsi256_pd(_mm256_slli_epi64(k, 62)), sign = pe__splat(-0.0);
    const __m256d a = _mm256_blendv_pd(*s, *c, odd), b = _mm256_blendv_pd(*c, *s, odd);
    *s = _mm256_xor_pd(a, _mm256_and_pd(half, sign));
    *c = _mm256_xor_pd(b, _mm256_and_pd(_mm256_xor_pd(half, odd), sign));
}
PE__INLINE void pe__put_n(float *p, pe__vf v, size_t n)
{
    const __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    _mm256_maskstore_ps(p, _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), index), v);
}
PE__INLINE void pe__stream(float *p, pe__vf v) { _mm256_stream_ps(p, v); }
PE__INLINE void pe__stream_vd(double *p, pe__vd a) { _mm256_stream_pd(p, a); }
PE__INLINE pe__vd pe__widen(const float *p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
PE__INLINE void pe__narrow(float *p, pe__vd a) { _mm_storeu_ps(p, _mm256_cvtpd_ps(a)); }
PE__INLINE pe__vf pe__splat_f32(float x) { return _mm256_set1_ps(x); }
PE__INLINE pe__vf pe__mad_f32(pe__vf a, pe__vf b, pe__vf c) { return _mm256_fmadd_ps(a, b, c); }
PE__INLINE pe__vf pe__nmad_f32(pe__vf a, pe__vf b, pe__vf c) { return _mm256_fnmadd_ps(a, b, c); }
PE__INLINE pe__vf pe__swap(pe__vf v) { return _mm256_permute_ps(v, 0xb1); }
/* Both halves load the same four: no permutation has to cross them. */
PE__INLINE pe__vf pe__get_repeated(const float *p)
{
    return _mm256_permutevar_ps(_mm256_broadcast_ps((const __m128 *)(const void *)p),
                                _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3));
}
PE__INLINE unsigned pe__signs(pe__vi a) { return (unsigned)_mm256_movemask_ps((__m256)a); }
PE__INLINE int pe__any_nan(pe__vf a, pe__vf b)
{
    return _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_UNORD_Q)) != 0;
}
PE__INLINE __m256i pe__get_16(const uint16_t *p)
{
    return _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)p));
}
PE__INLINE pe__vf pe__get_bf16(const uint16_t *p)
{
    return _mm256_castsi256_ps(_mm256_slli_epi32(pe__get_16(p), 16));
}
PE__INLINE pe__vh pe__round_bf16(pe__vf v)
{
    const __m256i up = (__m256i)(pe__up_bf16(v) >> 16);
    return _mm_packus_epi32(_mm256_castsi256_si128(up), _mm256_extracti128_si256(up, 1));
}
PE__INLINE void pe__put_upper(uint16_t *p, pe__vu a, pe__vu b)
{
    const __m256i both = _mm256_blend_epi16((__m256i)(a >> 16), (__m256i)b, 0xaa);
    _mm256_storeu_si256((__m256i *)(void *)p, both);
}
/* One comparison for all four: the least of the lower words is 0 if any is. 0x33333333 leaves out
   the bytes of the upper words. */
PE__INLINE int pe__any_ends_in_0(pe__vu a, pe__vu b, pe__vu c, pe__vu d)
{
    const __m256i ab = _mm256_min_epu16((__m256i)a, (__m256i)b);
    const __m256i least = _mm256_min_epu16(ab, _mm256_min_epu16((__m256i)c, (__m256i)d));
    const __m256i zero = _mm256_cmpeq_epi16(least, _mm256_setzero_si256());
    return ((unsigned)_mm256_movemask_epi8(zero) & 0x33333333u) != 0;
}
PE__INLINE pe__vf pe__unzip_halves(__m256 v) /* what a shuffle of two vectors left out of order */
{
    return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(v), 0xd8));
}
PE__INLINE pe__vf pe__unzip_evens(pe__vf a, pe__vf b)
{
    return pe__unzip_halves(_mm256_shuffle_ps(a, b, 0x88));
}
PE__INLINE pe__vf pe__unzip_odds(pe__vf a, pe__vf b)
{
    return pe__unzip_halves(_mm256_shuffle_ps(a, b, 0xdd));
}
PE__INLINE pe__vf pe__get_f16(const uint16_t *p)
{
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)p));
}
/* 0: to nearest even, whatever MXCSR says. */
PE__INLINE pe__vh pe__round_f16(pe__vf v) { return _mm256_cvtps_ph(v, 0); }
PE__INLINE void pe__put_zip_f16(uint16_t *p, pe__vf a, pe__vf b)
{
    const __m128i u = pe__round_f16(a), v = pe__round_f16(b);
    _mm_storeu_si128((__m128i *)(void *)p, _mm_unpacklo_epi16(u, v));
    _mm_storeu_si128((__m128i *)(void *)(p + 8), _mm_unpackhi_epi16(u, v));
}
PE__INLINE pe__vd pe__min_vd(pe__vd a, pe__vd b) { return _mm256_min_pd(a, b); }
PE__INLINE pe__vf pe__min_f32(pe__vf a, pe__vf b) { return _mm256_min_ps(a, b); }
PE__INLINE void pe__put_h(uint16_t *p, pe__vh h) { _mm_storeu_si128((__m128i *)(void *)p, h); }
/* Doubles as they are, each half by itself: the lower one without what a float keeps of it, the
   upper one without its sign, so it is the size, cut to 20 bits. From 2 on that is negative, so
   there the alarm is always raised. With a shuffle of the lower halves into one vector and minima
   of the floats' sizes, fills took 1.12 and sums 1.1 times as long. */
PE__INLINE void pe__rounding_test_add(pe__rounding_test *w, pe__vd a, pe__vd b, pe__vf v)
{
    const __m256i by = _mm256_set1_epi64x(((int64_t)1 << 32) + PE__TO_TOP);
    const __m256i x = _mm256_sllv_epi32(_mm256_castpd_si256(a), by);
    const __m256i y = _mm256_sllv_epi32(_mm256_castpd_si256(b), by);
    (void)v;
    w->low = (pe__vi)_mm256_min_epi32(_mm256_min_epi32((__m256i)w->low, x), y);
}
/* A guard is a float: a double has 3 bits fewer in its upper half, and 896 more as exponent. */
PE__INLINE int pe__rounding_test_flagged(pe__rounding_test w, int32_t window, int32_t guard)
{
    const uint32_t tie = 0x80000000u + ((uint32_t)window << PE__TO_TOP);
    const int64_t size = guard < 0x3ffffff8 ? ((guard >> 3) + (896 << 20) + 1) << 1 : INT32_MAX;
    const pe__vi least = (pe__vi)_mm256_set1_epi64x((size << 32) + tie);
    return pe__signs(w.low < least) != 0;
}
#endif

/* ==== src/simd/neon.h ==== */
/* The operations on NEON.
 * Gives: the operations that pe_simd.h lists.
 * Tests: tests/unit/test_types.c. */

/* ---- NEON (AArch64) -------------------------------------------------------------------------- */
#if PE_ISA == PE_ISA_NEON

typedef uint16x4_t pe__vh;

PE__INLINE pe__vd pe__fma(pe__vd a, pe__vd b, pe__vd c) { return vfmaq_f64(c, a, b); }
PE__INLINE pe__vd pe__fnma(pe__vd a, pe__vd b, pe__vd c) { return vfmsq_f64(c, a, b); }
PE__INLINE pe__vd pe__fms(pe__vd a, pe__vd b, pe__vd c) { return vfmaq_f64(-c, a, b); }
#define PE__SLEEF_TWO Sleef_float64x2_t_2
#define PE__SLEEF_SINCOSPI Sleef_sincospid2_u35advsimd
PE__INLINE pe__vf pe__zip(pe__vd s, pe__vd c)
{
    return vcvt_high_f32_f64(vcvt_f32_f64(vzip1q_f64(s, c)), vzip2q_f64(s, c));
}
PE__INLINE pe__vf pe__join(pe__vd a, pe__vd b) { return vcvt_high_f32_f64(vcvt_f32_f64(a), b); }
PE__INLINE pe__vd pe__to_float(pe__vd a)
{
    float32x2_t f = vcvt_f32_f64(a);
    PE__OPAQUE(f); /* not to be taken for a: the intrinsics are compiled as the user's flags say */
    return vcvt_f64_f32(f);
}
PE__INLINE pe__vd pe__widen(const float *p) { return vcvt_f64_f32(vld1_f32(p)); }
PE__INLINE void pe__narrow(float *p, pe__vd a) { vst1_f32(p, vcvt_f32_f64(a)); }
PE__INLINE pe__vf pe__mad_f32(pe__vf a, pe__vf b, pe__vf c) { return vfmaq_f32(c, a, b); }
PE__INLINE pe__vf pe__nmad_f32(pe__vf a, pe__vf b, pe__vf c) { return vfmsq_f32(c, a, b); }
PE__INLINE pe__vf pe__swap(pe__vf v) { return vrev64q_f32(v); }
/* NEON alone rounds to odd by itself. */
PE__INLINE pe__vf pe__zip_odd(pe__vd s, pe__vd c)
{
    return vcvtx_high_f32_f64(vcvtx_f32_f64(vzip1q_f64(s, c)), vzip2q_f64(s, c));
}
PE__INLINE pe__vf pe__get_bf16(const uint16_t *p)
{
    return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(p), 16));
}
PE__INLINE pe__vf pe__get_f16(const uint16_t *p)
{
    return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)));
}
/* The bits of a mask: of lanes that are all ones or all zeros. */
PE__INLINE unsigned pe__signs(pe__vi a)
{
    static const uint32_t bit[4] = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32((uint32x4_t)a, vld1q_u32(bit)));
}
/* As pe__up_bf16(); one instruction adds and keeps the upper halves. */
PE__INLINE pe__vh pe__round_bf16(pe__vf v)
{
    const uint32x4_t bits = vreinterpretq_u32_f32(v);
    const uint32x4_t odd = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
    return vaddhn_u32(vaddq_u32(bits, odd), vdupq_n_u32(0x7fff));
}
PE__INLINE pe__vh pe__round_f16(pe__vf v) { return vreinterpret_u16_f16(vcvt_f16_f32(v)); }
PE__INLINE void pe__put_upper(uint16_t *p, pe__vu a, pe__vu b)
{
    vst1q_u16(p, vreinterpretq_u16_u32(vsriq_n_u32((uint32x4_t)b, (uint32x4_t)a, 16)));
}
PE__INLINE void pe__put_zip_f16(uint16_t *p, pe__vf a, pe__vf b)
{
    uint16x4x2_t both;
    both.val[0] = pe__round_f16(a);
    both.val[1] = pe__round_f16(b);
    vst2_u16(p, both);
}
PE__INLINE pe__vd pe__min_vd(pe__vd a, pe__vd b) { return vminq_f64(a, b); }
PE__INLINE pe__vf pe__min_f32(pe__vf a, pe__vf b) { return vminq_f32(a, b); }
PE__INLINE void pe__put_h(uint16_t *p, pe__vh h) { vst1_u16(p, h); }
PE__INLINE void pe__rounding_test_add(pe__rounding_test *w, pe__vd a, pe__vd b, pe__vf v)
{
    const int32x4_t low = vuzp1q_s32(vreinterpretq_s32_f64(a), vreinterpretq_s32_f64(b));
    w->low = (pe__vi)vminq_s32((int32x4_t)w->low, vshlq_n_s32(low, PE__TO_TOP));
    w->size = (pe__vi)vminq_s32((int32x4_t)w->size, vreinterpretq_s32_f32(vabsq_f32(v)));
}
PE__INLINE int pe__rounding_test_flagged(pe__rounding_test w, int32_t window, int32_t guard)
{
    const int32_t tie = INT32_MIN + (window << PE__TO_TOP);
    return pe__signs((w.low < tie) | (w.size < guard)) != 0;
}
#endif

/* ==== src/simd/sse2.h ==== */
/* The operations on SSE2 and WebAssembly's SIMD128, in GNU C's vectors.
 * Gives: the operations that pe_simd.h lists.
 * Tests: tests/unit/test_types.c, tests/checks/wasm.sh. */

/* ---- SSE2, WASM SIMD128: two doubles, nothing fused ------------------------------------------ */
#if PE_ISA == PE_ISA_SSE2 || PE_ISA == PE_ISA_WASM

#define PE__NOT_FUSED
/* Written in GNU C's vectors, which have operators, comparisons and shuffles; what they lack comes
   first, for each machine. The bounds are those of pe.h "where nothing is fused", also by -mfma. */
typedef int16_t pe__vw __attribute__((__vector_size__(16)));
typedef pe__vi pe__vh; /* the first 8 bytes */

#if PE_ISA == PE_ISA_SSE2
PE__INLINE pe__vf pe__floats_of(pe__vd a) { return _mm_cvtpd_ps(a); } /* two, and zeros */
PE__INLINE pe__vd pe__doubles_of(pe__vf v) { return _mm_cvtps_pd(v); } /* of the first two */
PE__INLINE pe__vi pe__toward_0(pe__vf v) { return (pe__vi)_mm_cvttps_epi32(v); }
PE__INLINE unsigned pe__signs(pe__vi a) { return (unsigned)_mm_movemask_ps((__m128)a); }
PE__INLINE pe__vd pe__min_vd(pe__vd a, pe__vd b) { return _mm_min_pd(a, b); }
PE__INLINE pe__vf pe__min_f32(pe__vf a, pe__vf b) { return _mm_min_ps(a, b); }
PE__INLINE pe__vf pe__swap(pe__vf v) /* no copy, as _mm_shuffle_ps() takes */
{
    return (pe__vf)_mm_shuffle_epi32((__m128i)v, 0xb1);
}
PE__INLINE pe__vw pe__least(pe__vw a, pe__vw b)
{
    return (pe__vw)_mm_min_epi16((__m128i)a, (__m128i)b);
}
PE__INLINE pe__vh pe__pack_16(pe__vi a) /* 32-bit numbers from -2^15 to 2^15 - 1 */
{
    return (pe__vh)_mm_packs_epi32((__m128i)a, (__m128i)a);
}
PE__INLINE pe__vi pe__unpack_16(pe__vh h) /* 16 bits to 32 */
{
    return (pe__vi)_mm_unpacklo_epi16((__m128i)h, _mm_setzero_si128());
}
PE__INLINE void pe__stream(float *p, pe__vf v) { _mm_stream_ps(p, v); }
PE__INLINE void pe__stream_vd(double *p, pe__vd a) { _mm_stream_pd(p, a); }
#define PE__SLEEF_TWO Sleef___m128d_2
#define PE__SLEEF_SINCOSPI Sleef_sincospid2_u35sse2
#else
PE__INLINE pe__vf pe__floats_of(pe__vd a)
{
    return (pe__vf)wasm_f32x4_demote_f64x2_zero((v128_t)a);
}
PE__INLINE pe__vd pe__doubles_of(pe__vf v)
{
    return (pe__vd)wasm_f64x2_promote_low_f32x4((v128_t)v);
}
PE__INLINE pe__vi pe__toward_0(pe__vf v) { return (pe__vi)wasm_i32x4_trunc_sat_f32x4((v128_t)v); }
PE__INLINE unsigned pe__signs(pe__vi a) { return (unsigned)wasm_i32x4_bitmask((v128_t)a); }
/* Exchanged, so that they are x86's minima: b if one is a NaN. */
PE__INLINE pe__vd pe__min_vd(pe__vd a, pe__vd b)
{
    return (pe__vd)wasm_f64x2_pmin((v128_t)b, (v128_t)a);
}
PE__INLINE pe__vf pe__min_f32(pe__vf a, pe__vf b)
{
    return (pe__vf)wasm_f32x4_pmin((v128_t)b, (v128_t)a);
}
PE__INLINE pe__vf pe__swap(pe__vf v)
{
    return (pe__vf)wasm_i32x4_shuffle((v128_t)v, (v128_t)v, 1, 0, 3, 2);
}
PE__INLINE pe__vw pe__least(pe__vw a, pe__vw b)
{
    return (pe__vw)wasm_i16x8_min((v128_t)a, (v128_t)b);
}
PE__INLINE pe__vh pe__pack_16(pe__vi a)
{
    return (pe__vh)wasm_i16x8_narrow_i32x4((v128_t)a, (v128_t)a);
}
PE__INLINE pe__vi pe__unpack_16(pe__vh h) { return (pe__vi)wasm_u32x4_extend_low_u16x8((v128_t)h); }
#endif

PE__INLINE pe__vd pe__fma(pe__vd a, pe__vd b, pe__vd c) { return a * b + c; }
PE__INLINE pe__vd pe__fnma(pe__vd a, pe__vd b, pe__vd c) { return c - a * b; }
PE__INLINE pe__vf pe__join(pe__vd a, pe__vd b)
{
    return PE__PICK4(pe__floats_of(a), pe__floats_of(b), 0, 1, 4, 5);
}
PE__INLINE pe__vf pe__zip(pe__vd s, pe__vd c)
{
    return PE__PICK4(pe__floats_of(s), pe__floats_of(c), 0, 4, 1, 5);
}
PE__INLINE pe__vd pe__to_float(pe__vd a) { return pe__doubles_of(pe__floats_of(a)); }
PE__INLINE pe__vh pe__get_8_bytes(const void *p) /* 8 bytes */
{
    pe__vl a = {0, 0};
    memcpy(&a, p, 8);
    return (pe__vh)a;
}
PE__INLINE pe__vd pe__widen(const float *p) { return pe__doubles_of((pe__vf)pe__get_8_bytes(p)); }
PE__INLINE void pe__narrow(float *p, pe__vd a)
{
    const pe__vf v = pe__floats_of(a);
    memcpy(p, &v, 8);
}
PE__INLINE pe__vf pe__mad_f32(pe__vf a, pe__vf b, pe__vf c) { return a * b + c; }
PE__INLINE pe__vf pe__nmad_f32(pe__vf a, pe__vf b, pe__vf c) { return c - a * b; }
PE__INLINE pe__vf pe__get_bf16(const uint16_t *p)
{
    return (pe__vf)((pe__vu)pe__unpack_16(pe__get_8_bytes(p)) << 16);
}
PE__INLINE pe__vh pe__round_bf16(pe__vf v) { return pe__pack_16((pe__vi)pe__up_bf16(v) >> 16); }
/* The upper halves of a and b, next to each other. */
PE__INLINE void pe__put_upper(uint16_t *p, pe__vu a, pe__vu b)
{
    const pe__vu both = a >> 16 | (b & 0xffff0000u);
    memcpy(p, &both, sizeof both);
}
/* f16 by integers. Most are normal (0x0400 to 0x7bff): the exponent takes the bias of floats, 112
   more, and 13 bits are appended; or all are 0. What else there is, is rare and out of line. */
PE__OUTLINE pe__vf pe__any_f16(pe__vi h)
{
    const pe__vi a = h & 0x7fff, infinite = a > 0x7bff, nan = a > 0x7c00;
    const pe__vf size = __builtin_convertvector(a, pe__vf) * (1.0f / 16777216);
    const pe__vi r = ((a << 13) + (112 << 23) + (infinite & 112 << 23)) | (nan & 0x00400000);
    return (pe__vf)(pe__select(a < 0x0400, (pe__vi)size, r) | (h & 0x8000) << 16);
}
PE__INLINE pe__vf pe__get_f16(const uint16_t *p)
{
    const pe__vi h = pe__unpack_16(pe__get_8_bytes(p)), a = h & 0x7fff;
    if (PE__UNLIKELY(pe__signs((a - 0x0400) | (0x7bff - a)) != 0))
        return pe__signs(-a) == 0 ? (pe__vf)(h << 16) : pe__any_f16(h);
    return (pe__vf)(((a << 13) + (112 << 23)) | (h & 0x8000) << 16);
}
/* Rounded to f16: its 16 bits, and copies of the sign above, which packing with saturation needs.
   The numbers are those of pe__one_to_f16(). */
PE__OUTLINE pe__vi pe__any_to_f16(pe__vf v)
{
    const pe__vi bits = (pe__vi)v, a = bits & INT32_MAX, is_tiny = a < 0x38800000;
    const pe__vi normal = (a + (0xfff - (112 << 23)) + (a >> 13 & 1)) >> 13;
    const pe__vi special = 0x7c00 | ((a > 0x7f800000) & 0x0200);
    /* a subnormal one, in units of 2^-24: cut, and one more for a rest above 1/2 */
    const pe__vf size = (pe__vf)(a & is_tiny) * 16777216.0f;
    const pe__vi whole = pe__toward_0(size);
    const pe__vf rest = size - __builtin_convertvector(whole, pe__vf);
    const pe__vi up = (rest > 0.5f) | ((rest == 0.5f) & whole);
    const pe__vi r = pe__select(a > 0x477fefff, special, normal);
    return pe__select(is_tiny, whole + (up & 1), r) | (bits >> 31 & ~0x7fff);
}
PE__INLINE pe__vi pe__f16_bits(pe__vf v)
{
    const pe__vi bits = (pe__vi)v, a = bits & INT32_MAX;
    if (PE__UNLIKELY(pe__signs((a - 0x38800000) | (0x477fefff - a)) != 0))
        return pe__signs(-a) == 0 ? bits >> 31 & ~0x7fff : pe__any_to_f16(v);
    return (a + (0xfff - (112 << 23)) + (a >> 13 & 1)) >> 13 | (bits >> 31 & ~0x7fff);
}
PE__INLINE pe__vh pe__round_f16(pe__vf v) { return pe__pack_16(pe__f16_bits(v)); }
PE__INLINE void pe__put_zip_f16(uint16_t *p, pe__vf a, pe__vf b)
{
    pe__put_upper(p, (pe__vu)pe__f16_bits(a) << 16, (pe__vu)pe__f16_bits(b) << 16);
}
PE__INLINE void pe__put_h(uint16_t *p, pe__vh h) { memcpy(p, &h, 8); }
/* SSE2 has no minimum of 32-bit numbers: it watches the upper halves, in every other word, and the
   alarms are a twelfth more. */
PE__INLINE void pe__rounding_test_add(pe__rounding_test *w, pe__vd a, pe__vd b, pe__vf v)
{
    const pe__vu low = (pe__vu)PE__PICK4((pe__vf)a, (pe__vf)b, 0, 2, 4, 6);
    w->low = (pe__vi)pe__least((pe__vw)w->low, (pe__vw)(low << (int)PE__TO_TOP));
    w->size = (pe__vi)pe__least((pe__vw)w->size, (pe__vw)pe__abs_f32(v));
}
PE__INLINE int pe__rounding_test_flagged(pe__rounding_test w, int32_t window, int32_t guard)
{
    const pe__vw tie = (pe__vw)pe__splat_i32(INT32_MIN + (window << PE__TO_TOP));
    /* Above, not equal: the lower halves are not known. Signs are those of the upper ones. */
    const pe__vw above_tie = (pe__vw)w.low > tie;
    const pe__vw above_guard = (pe__vw)w.size > (pe__vw)pe__splat_i32(guard);
    return pe__signs((pe__vi)(above_tie & above_guard)) != 15;
}

#endif

/* ==== src/simd/scalar.h ==== */
/* The operations on one lane, for any compiler.
 * Gives: the operations that pe_simd.h lists.
 * Tests: tests/unit/test_types.c. */

/* ---- scalar: one lane, any C99 compiler ------------------------------------------------------ */
#if PE_ISA == PE_ISA_SCALAR

enum { PE_LANES = 1 };
typedef double pe__vd;
typedef struct pe__vf {
    float s, c;
} pe__vf;
typedef struct pe__vh {
    uint16_t s, c;
} pe__vh;
typedef struct pe__rounding_test {
    int32_t low, size;
} pe__rounding_test;

PE__INLINE pe__vd pe__load(const double *p) { return *p; }
PE__INLINE void pe__store(double *p, pe__vd a) { *p = a; }
PE__INLINE pe__vd pe__splat(double x) { return x; }
PE__INLINE pe__vd pe__min_vd(pe__vd a, pe__vd b) { return a < b ? a : b; }
PE__INLINE pe__vd pe__abs(pe__vd a) { return a < 0 ? -a : a; }
#ifdef PE__HAVE_FMA
enum { PE__FUSES = 1 };
PE__INLINE pe__vd pe__fma(pe__vd a, pe__vd b, pe__vd c) { return __builtin_fma(a, b, c); }
PE__INLINE pe__vd pe__fms(pe__vd a, pe__vd b, pe__vd c) { return __builtin_fma(a, b, -c); }
PE__INLINE float pe__one_mad(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#else
#define PE__NOT_FUSED
enum { PE__FUSES = 0 };
PE__INLINE pe__vd pe__fma(pe__vd a, pe__vd b, pe__vd c) { return a * b + c; }
PE__INLINE float pe__one_mad(float a, float b, float c) { return a * b + c; }
#endif
PE__INLINE pe__vd pe__fnma(pe__vd a, pe__vd b, pe__vd c) { return pe__fma(-a, b, c); }
#define PE__SLEEF_TWO Sleef_double_2
#define PE__SLEEF_SINCOSPI Sleef_sincospid1_u35purec
PE__INLINE pe__vf pe__floats_of(float s, float c)
{
    const pe__vf v = {s, c};
    return v;
}
PE__INLINE pe__vf pe__zip(pe__vd s, pe__vd c) { return pe__floats_of((float)s, (float)c); }
PE__INLINE pe__vf pe__join(pe__vd a, pe__vd b) { return pe__zip(a, b); }
PE__INLINE pe__vd pe__to_float(pe__vd a)
{
    float f = (float)a;
    PE__OPAQUE(f); /* not to be taken for a */
    return (double)f;
}
PE__INLINE void pe__zip_two(pe__vd s, pe__vd c, pe__vd *a, pe__vd *b)
{
    *a = s;
    *b = c;
}
PE__INLINE void pe__unzip(const double *p, pe__vd *s, pe__vd *c)
{
    *s = p[0];
    *c = p[1];
}
/* As in vectors.h. */
PE__INLINE void pe__rotate_quadrant(pe__vd quadrant, pe__vd *s, pe__vd *c)
{
    uint64_t k, a, b;
    memcpy(&k, &quadrant, sizeof k);
    memcpy(&a, s, sizeof a);
    memcpy(&b, c, sizeof b);
    const uint64_t sign = (uint64_t)1 << 63, other = (a ^ b) & (0 - (k & 1));
    a ^= other ^ (k << 62 & sign);
    b ^= other ^ ((k + 1) << 62 & sign);
    memcpy(s, &a, sizeof a);
    memcpy(c, &b, sizeof b);
}
PE__INLINE pe__vf pe__get(const float *p)
{
    const pe__vf v = {p[0], p[1]};
    return v;
}
PE__INLINE void pe__get_pairs(const void *p, const uint8_t *i, pe__vf *s, pe__vf *c)
{
    const pe__vf v = pe__get((const float *)p + 2 * i[0]), w = pe__get((const float *)p + 2 * i[1]);
    *s = pe__floats_of(v.s, w.s);
    *c = pe__floats_of(v.c, w.c);
}
PE__INLINE void pe__put(float *p, pe__vf v)
{
    p[0] = v.s;
    p[1] = v.c;
}
PE__INLINE void pe__put_n(float *p, pe__vf v, size_t n)
{
    if (n > 0) p[0] = v.s;
    if (n > 1) p[1] = v.c;
}
PE__INLINE int pe__unequal(pe__vd a, pe__vd b, pe__vd c, pe__vd d) { return (a != b) | (c != d); }
PE__INLINE pe__vd pe__widen(const float *p) { return (double)*p; }
PE__INLINE void pe__narrow(float *p, pe__vd a) { *p = (float)a; }
PE__INLINE pe__vf pe__splat_f32(float x) { return pe__floats_of(x, x); }
PE__INLINE pe__vf pe__add_f32(pe__vf a, pe__vf b) { return pe__floats_of(a.s + b.s, a.c + b.c); }
PE__INLINE pe__vf pe__sub_f32(pe__vf a, pe__vf b) { return pe__floats_of(a.s - b.s, a.c - b.c); }
PE__INLINE pe__vf pe__mul_f32(pe__vf a, pe__vf b)
{
    pe__vf p = pe__floats_of(a.s * b.s, a.c * b.c);
    PE__PRODUCT(p.s);
    PE__PRODUCT(p.c);
    return p;
}
PE__INLINE pe__vf pe__mad_f32(pe__vf a, pe__vf b, pe__vf c)
{
    return pe__floats_of(pe__one_mad(a.s, b.s, c.s), pe__one_mad(a.c, b.c, c.c));
}
PE__INLINE pe__vf pe__nmad_f32(pe__vf a, pe__vf b, pe__vf c)
{
    return pe__floats_of(pe__one_mad(-a.s, b.s, c.s), pe__one_mad(-a.c, b.c, c.c));
}
PE__INLINE pe__vd pe__odd24(pe__vd a) { return pe__odd24_one(a); }
PE__INLINE pe__vf pe__swap(pe__vf v) { return pe__floats_of(v.c, v.s); }
PE__INLINE pe__vf pe__get_repeated(const float *p) { return pe__floats_of(*p, *p); }
PE__INLINE pe__vf pe__get_signed(const float *p) { return pe__floats_of(-*p, *p); }
PE__INLINE pe__vf pe__if_positive(pe__vf a, pe__vf b, pe__vf c)
{
    return pe__floats_of(a.s > 0 ? b.s : c.s, a.c > 0 ? b.c : c.c);
}
PE__INLINE float pe__float_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
PE__INLINE float pe__one_from_bf16(uint16_t h) { return pe__float_of_bits((uint32_t)h << 16); }
PE__INLINE uint16_t pe__one_to_bf16(float x)
{
    const uint32_t bits = (uint32_t)pe__float_bits(x), sign = bits & 0x80000000u;
    if ((bits ^ sign) > 0x7f800000u) return (uint16_t)((sign | 0x7fc00000u) >> 16);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
/* 112: the exponents' biases, 127 - 15; twice, and 31 (infinity, NaN) becomes 255. 0x00400000 makes
   a NaN quiet, as hardware does. */
PE__INLINE float pe__one_from_f16(uint16_t h)
{
    const uint32_t sign = ((uint32_t)h & 0x8000) << 16, a = h & 0x7fffu;
    if (a < 0x0400) { /* subnormal, in units of 2^-24 */
        const float size = (float)a * (1.0f / 16777216);
        return sign ? -size : size;
    }
    if (a < 0x7c00) return pe__float_of_bits(sign | ((a << 13) + (112u << 23)));
    return pe__float_of_bits(sign | ((a << 13) + (224u << 23)) | (a > 0x7c00 ? 0x00400000u : 0));
}
PE__INLINE pe__vf pe__get_bf16(const uint16_t *p)
{
    return pe__floats_of(pe__one_from_bf16(p[0]), pe__one_from_bf16(p[1]));
}
PE__INLINE pe__vf pe__get_f16(const uint16_t *p)
{
    return pe__floats_of(pe__one_from_f16(p[0]), pe__one_from_f16(p[1]));
}
PE__INLINE pe__vh pe__round_bf16(pe__vf v)
{
    const pe__vh h = {pe__one_to_bf16(v.s), pe__one_to_bf16(v.c)};
    return h;
}
PE__INLINE pe__vh pe__round_f16(pe__vf v)
{
    const pe__vh h = {pe__one_to_f16(v.s), pe__one_to_f16(v.c)};
    return h;
}
/* The two above know NaNs themselves. */
PE__INLINE int pe__any_nan(pe__vf a, pe__vf b)
{
    (void)a;
    (void)b;
    return 0;
}
PE__INLINE pe__vf pe__quiet(pe__vf v) { return v; }
PE__INLINE pe__vf pe__get_bf16_evens(const uint16_t *p)
{
    return pe__floats_of(pe__one_from_bf16(p[0]), pe__one_from_bf16(p[2]));
}
PE__INLINE pe__vf pe__get_bf16_odds(const uint16_t *p)
{
    return pe__floats_of(pe__one_from_bf16(p[1]), pe__one_from_bf16(p[3]));
}
PE__INLINE void pe__put_h(uint16_t *p, pe__vh h)
{
    p[0] = h.s;
    p[1] = h.c;
}
PE__INLINE pe__vf pe__unzip_evens(pe__vf a, pe__vf b) { return pe__floats_of(a.s, b.s); }
PE__INLINE pe__vf pe__unzip_odds(pe__vf a, pe__vf b) { return pe__floats_of(a.c, b.c); }
PE__INLINE void pe__put_bf16_two(uint16_t *p, pe__vf a, pe__vf b)
{
    pe__put_h(p, pe__round_bf16(pe__unzip_evens(a, b)));
    pe__put_h(p + 2, pe__round_bf16(pe__unzip_odds(a, b)));
}
PE__INLINE void pe__put_zip_bf16(uint16_t *p, pe__vf a, pe__vf b) { pe__put_bf16_two(p, a, b); }
PE__INLINE void pe__put_zip_f16(uint16_t *p, pe__vf a, pe__vf b)
{
    pe__put_h(p, pe__round_f16(pe__unzip_evens(a, b)));
    pe__put_h(p + 2, pe__round_f16(pe__unzip_odds(a, b)));
}
PE__INLINE pe__vf pe__abs_f32(pe__vf a)
{
    return pe__floats_of(a.s < 0 ? -a.s : a.s, a.c < 0 ? -a.c : a.c);
}
PE__INLINE pe__vf pe__min_f32(pe__vf a, pe__vf b)
{
    return pe__floats_of(a.s < b.s ? a.s : b.s, a.c < b.c ? a.c : b.c);
}
PE__INLINE float pe__one_midpoint_distance(float v, int drop)
{
    const uint32_t last = (1u << drop) - 1u, half = 1u << (drop - 1);
    return v - pe__float_of_bits(((uint32_t)pe__float_bits(v) & ~last) | half);
}
PE__INLINE pe__vf pe__midpoint_distance(pe__vf v, int drop)
{
    return pe__floats_of(pe__one_midpoint_distance(v.s, drop),
                         pe__one_midpoint_distance(v.c, drop));
}
PE__INLINE uint32_t pe__within(pe__vf a, pe__vf x, pe__vf b, pe__vf y)
{
    return (uint32_t)!(a.s > x.s) | (uint32_t)!(a.c > x.c) << 1 | (uint32_t)!(b.s > y.s) << 2 |
           (uint32_t)!(b.c > y.c) << 3;
}
PE__INLINE unsigned pe__differ(pe__vf a, pe__vf b)
{
    return (unsigned)(pe__float_bits(a.s) != pe__float_bits(b.s)) |
           (unsigned)(pe__float_bits(a.c) != pe__float_bits(b.c)) << 1;
}
PE__INLINE pe__rounding_test pe__rounding_test_begin(void)
{
    const pe__rounding_test w = {INT32_MAX, INT32_MAX};
    return w;
}
PE__WRAPS PE__INLINE void pe__rounding_test_one(pe__rounding_test *w, double y, float v)
{
    uint64_t bits;
    memcpy(&bits, &y, sizeof bits);
    const int32_t size = pe__float_bits(v) & INT32_MAX;
    const int64_t top = (int64_t)(bits << PE__TO_TOP & 0xffffffffu); /* as a signed 32-bit number */
    const int32_t dropped = (int32_t)(top - ((top & 0x80000000) << 1));
    w->low = dropped < w->low ? dropped : w->low;
    w->size = size < w->size ? size : w->size;
}
PE__INLINE void pe__rounding_test_add(pe__rounding_test *w, pe__vd a, pe__vd b, pe__vf v)
{
    pe__rounding_test_one(w, a, v.s);
    pe__rounding_test_one(w, b, v.c);
}
PE__INLINE int pe__rounding_test_flagged(pe__rounding_test w, int32_t window, int32_t guard)
{
    return (w.low < INT32_MIN + (window << PE__TO_TOP)) | (w.size < guard);
}

#endif

/* ==== src/simd/derived.h ==== */
/* Operations written over those of the instruction sets.
 * Gives: pe__reduce(), pe__fast_two_sum(), pe__get_pairs(), pe__lowest_bit(),
 *   pe__mantissa(), pe__lookup_16(),
 *   pe__power_of_2(), pe__put_bf16(), pe__put_f16(), pe__quadrant_shift, pe__round(),
 *   pe__two_sum(), pe__where_positive(), pe__zip_store(); of the operations that pe_simd.h lists
 *   those that are the same for several sets.
 * Tests: tests/unit/test_types.c, tests/unit/test_budget.c. */

/* ---- derived, the same for all --------------------------------------------------------------- */

#if PE_SLEEF
PE__INLINE void pe__sincospi(pe__vd a, pe__vd *s, pe__vd *c)
{
    const PE__SLEEF_TWO r = PE__SLEEF_SINCOSPI(a);
    *s = r.x;
    *c = r.y;
}
#endif
#undef PE__SLEEF_TWO
#undef PE__SLEEF_SINCOSPI
#undef PE__PICK4
#undef PE__PICK2

PE__INLINE pe__vd pe__mul(pe__vd a, pe__vd b)
{
    pe__vd p = a * b;
    PE__PRODUCT(p);
    return p;
}
#if PE_ISA != PE_ISA_SCALAR
PE__INLINE pe__vf pe__add_f32(pe__vf a, pe__vf b) { return a + b; }
PE__INLINE pe__vf pe__sub_f32(pe__vf a, pe__vf b) { return a - b; }
PE__INLINE pe__vf pe__mul_f32(pe__vf a, pe__vf b)
{
    pe__vf p = a * b;
    PE__PRODUCT(p);
    return p;
}
PE__INLINE pe__vf pe__get_signed(const float *p)
{
    return (pe__vf)((pe__vl)pe__get_repeated(p) ^ 0x80000000); /* the first of each two */
}
PE__INLINE unsigned pe__differ(pe__vf a, pe__vf b)
{
    return pe__signs((pe__vi)a == (pe__vi)b) ^ ((1u << 2 * PE_LANES) - 1);
}
#if PE_ISA != PE_ISA_AVX512 || defined(__clang__) /* gcc would go from mask to vector and back */
/* Operators: an intrinsic of clang has the program's -ffast-math, which knows no NaN. */
PE__INLINE uint32_t pe__within(pe__vf a, pe__vf x, pe__vf b, pe__vf y)
{
    const uint32_t beyond = pe__signs(a > x) | pe__signs(b > y) << 2 * PE_LANES;
    return beyond ^ ~0u >> (32 - 4 * PE_LANES);
}
#endif
#if PE_ISA != PE_ISA_AVX512 /* which has masks */
PE__INLINE int pe__unequal(pe__vd a, pe__vd b, pe__vd c, pe__vd d)
{
    return pe__signs((pe__vi)((a != b) | (c != d))) != 0;
}
#endif
#if PE_ISA == PE_ISA_NEON || PE_ISA == PE_ISA_SSE2 || PE_ISA == PE_ISA_WASM
PE__INLINE int pe__any_nan(pe__vf a, pe__vf b)
{
    return pe__signs((a != a) | (b != b)) != 0;
}
#endif
#endif

#if PE_ISA != PE_ISA_NEON
PE__INLINE pe__vf pe__zip_odd(pe__vd s, pe__vd c) { return pe__zip(pe__odd24(s), pe__odd24(c)); }
#endif

#if PE_ISA != PE_ISA_AVX512 /* which has instructions */
PE__INLINE pe__vf pe__get_n(const float *p, size_t n)
{
    float f[2 * PE_LANES] = {0};
    memcpy(f, p, n * sizeof *f);
    return pe__get(f);
}
PE__INLINE pe__vf pe__zip_rotated(pe__vd quadrant, pe__vd s, pe__vd c)
{
    (void)quadrant; /* they are turned */
    return pe__zip(s, c);
}
PE__INLINE pe__vf pe__min_size(pe__vf a, pe__vf b)
{
    return pe__min_f32(pe__abs_f32(a), pe__abs_f32(b));
}
#endif

#if PE_ISA == PE_ISA_AVX512 || PE_ISA == PE_ISA_AVX2 || PE_ISA == PE_ISA_SSE2
enum { PE__STREAMS = 1 };
PE__INLINE void pe__fence(void) { _mm_sfence(); }
#else
enum { PE__STREAMS = 0 };
PE__INLINE void pe__stream(float *p, pe__vf v) { pe__put(p, v); }
PE__INLINE void pe__stream_vd(double *p, pe__vd a) { pe__store(p, a); }
PE__INLINE void pe__fence(void) {}
#endif
/* Each pair is read as a double. With AVX it takes an operation less if what is unzipped from two
   vectors lies in the same 16 bytes of both. */
#if PE_ISA != PE_ISA_SCALAR
typedef double pe__pair_at __attribute__((__aligned__(1), __may_alias__));
PE__INLINE void pe__get_pairs(const void *p, const uint8_t *i, pe__vf *s, pe__vf *c)
{
    const pe__pair_at *const x = (const pe__pair_at *)p;
#if PE_ISA == PE_ISA_AVX512
    const pe__vd v = {x[i[0]], x[i[1]], x[i[4]], x[i[5]], x[i[8]], x[i[9]], x[i[12]], x[i[13]]};
    const pe__vd w = {x[i[2]], x[i[3]], x[i[6]], x[i[7]], x[i[10]], x[i[11]], x[i[14]], x[i[15]]};
    *s = _mm512_shuffle_ps((__m512)v, (__m512)w, 0x88);
    *c = _mm512_shuffle_ps((__m512)v, (__m512)w, 0xdd);
#elif PE_ISA == PE_ISA_AVX2
    const pe__vd v = {x[i[0]], x[i[1]], x[i[4]], x[i[5]]};
    const pe__vd w = {x[i[2]], x[i[3]], x[i[6]], x[i[7]]};
    *s = _mm256_shuffle_ps((__m256)v, (__m256)w, 0x88);
    *c = _mm256_shuffle_ps((__m256)v, (__m256)w, 0xdd);
#else
    const pe__vd v = {x[i[0]], x[i[1]]}, w = {x[i[2]], x[i[3]]};
    *s = pe__unzip_evens((pe__vf)v, (pe__vf)w);
    *c = pe__unzip_odds((pe__vf)v, (pe__vf)w);
#endif
}
#endif
/* Only whole vectors at multiples of their size are streamed: the bytes before and behind are
   copied. */
PE__INLINE void pe__copy(void *to, const void *from, size_t n, int stream)
{
    unsigned char *const t = (unsigned char *)to;
    const unsigned char *const f = (const unsigned char *)from;
    const size_t vector = sizeof(pe__vd), unaligned = (vector - (uintptr_t)t % vector) % vector;
    size_t i = PE__STREAMS && stream && unaligned < n ? unaligned : n;
    if (i > 0) memcpy(t, f, i);
    for (; i + vector <= n; i += vector)
        pe__stream_vd((double *)(void *)(t + i), pe__load((const double *)(const void *)(f + i)));
    if (i < n) memcpy(t + i, f + i, n - i);
}

PE__INLINE pe__vh pe__to_bf16(pe__vf v)
{
    if (PE__UNLIKELY(pe__any_nan(v, v))) v = pe__quiet(v);
    return pe__round_bf16(v);
}
PE__INLINE pe__vh pe__to_f16(pe__vf v)
{
    if (PE__UNLIKELY(pe__any_nan(v, v))) v = pe__quiet(v);
    return pe__round_f16(v);
}
#if PE_ISA != PE_ISA_SCALAR
PE__INLINE void pe__put_bf16_two(uint16_t *p, pe__vf a, pe__vf b)
{
    pe__put_upper(p, pe__up_bf16(a), pe__up_bf16(b));
}
/* There are no ties, so half of what is dropped is all that is added. */
PE__INLINE void pe__put_zip_bf16(uint16_t *p, pe__vf a, pe__vf b)
{
    pe__put_upper(p, (pe__vu)a + 0x8000, (pe__vu)b + 0x8000);
}
#endif
PE__INLINE void pe__put_bf16_four(uint16_t *p, pe__vf a, pe__vf b, uint16_t *q, pe__vf c, pe__vf d)
{
#if PE_ISA == PE_ISA_AVX512 || PE_ISA == PE_ISA_AVX2
    /* Half a last place is added to all: a tie ends in 16 zeros then, and ties are few. */
    const pe__vu x = (pe__vu)a + 0x8000, y = (pe__vu)b + 0x8000;
    const pe__vu z = (pe__vu)c + 0x8000, w = (pe__vu)d + 0x8000;
    if (!PE__UNLIKELY(pe__any_ends_in_0(x, y, z, w))) {
        pe__put_upper(p, x, y);
        pe__put_upper(q, z, w);
        return;
    }
#endif
    pe__put_bf16_two(p, a, b);
    pe__put_bf16_two(q, c, d);
}
PE__INLINE void pe__put_bf16(uint16_t *p, pe__vf v) { pe__put_h(p, pe__to_bf16(v)); }
PE__INLINE void pe__put_f16(uint16_t *p, pe__vf v) { pe__put_h(p, pe__to_f16(v)); }

#ifdef PE__NOT_FUSED
PE__INLINE pe__vd pe__veltkamp_high(pe__vd a) /* the upper 26 bits of a (Veltkamp); |a| < 2^996 */
{
    const pe__vd x = pe__splat(134217729.0) * a; /* 2^27 + 1 */
    return x - (x - a);
}
/* Dekker. One of the two may be cut to 26 bits (-134217728 is -2^27) instead of rounded: 27 bits
   are left, and with the other's 26 all four products are exact. */
PE__INLINE pe__vd pe__two_prod(pe__vd a, pe__vd b, pe__vd *e)
{
#if PE_ISA == PE_ISA_SCALAR
    const pe__vd ah = pe__veltkamp_high(a), bh = pe__veltkamp_high(b), al = a - ah, bl = b - bh;
    pe__vd p = a * b;
#else
    const pe__vd ah = (pe__vd)((pe__vl)a & -134217728), bh = pe__veltkamp_high(b);
    const pe__vd al = a - ah, bl = b - bh;
    pe__vd p = a * b;
    PE__OPAQUE(p); /* with -mfma */
#endif
    *e = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
    return p;
}
#else
PE__INLINE pe__vd pe__two_prod(pe__vd a, pe__vd b, pe__vd *e)
{
    pe__vd p = a * b;
    PE__OPAQUE(p);
    *e = pe__fms(a, b, p);
    return p;
}
#endif

/* s0 c0 s1 c1 ... at any address. */
PE__INLINE void pe__zip_store(double *p, pe__vd s, pe__vd c)
{
    pe__vd a, b;
    pe__zip_two(s, c, &a, &b);
    pe__store(p, a);
    pe__store(p + PE_LANES, b);
}

/* Nearest integer, ties to even, |a| < 2^51: adding 1.5 * 2^52 leaves no room for a fraction. */
PE__INLINE pe__vd pe__round(pe__vd a)
{
    const pe__vd big = pe__splat(6755399441055744.0);
    return (a + big) - big;
}

/* The bits of a vector of doubles. */
#if PE_ISA == PE_ISA_SCALAR
typedef uint64_t pe__bits;
#else
typedef uint64_t pe__bits __attribute__((__vector_size__(8 * PE_LANES)));
#endif

/* 2^k for a whole number within -1022 ... 1023, any number beyond. Added to 1.5 * 2^52 as in
   pe__round(), k + 1023 are the last bits: the exponent, once shifted to its place. */
PE__INLINE pe__vd pe__power_of_2(pe__vd k)
{
    pe__vd y = k + pe__splat(6755399441055744.0 + 1023);
    pe__bits bits;
    memcpy(&bits, &y, sizeof bits);
    bits <<= 52;
    memcpy(&y, &bits, sizeof y);
    return y;
}

/* m, 0.5 <= m < 1, and e with a = m 2^e, for a normal a > 0. */
PE__INLINE pe__vd pe__mantissa(pe__vd a, pe__vd *e)
{
    pe__bits bits, exponent;
    memcpy(&bits, &a, sizeof bits);
    exponent = bits >> 52 | 0x4330000000000000u; /* 2^52 and more */
    bits = (bits & 0xfffffffffffffu) | 0x3fe0000000000000u; /* with 0.5's exponent */
    memcpy(&a, &exponent, sizeof a);
    *e = a - pe__splat(4503599627370496.0 + 1022);
    memcpy(&a, &bits, sizeof a);
    return a;
}

/* p[k mod 16] for a whole number; not by way of memory, for which a load would wait. */
#if PE_ISA != PE_ISA_AVX512
PE__INLINE pe__vd pe__lookup_16(const double *p, pe__vd k)
{
    uint64_t n[PE_LANES];
    const pe__vd last = k + pe__splat(6755399441055744.0); /* as in pe__round() */
    memcpy(n, &last, sizeof n);
#if PE_ISA == PE_ISA_SCALAR
    return p[n[0] & 15];
#elif PE_ISA == PE_ISA_AVX2
    const pe__vd y = {p[n[0] & 15], p[n[1] & 15], p[n[2] & 15], p[n[3] & 15]};
    return y;
#else
    const pe__vd y = {p[n[0] & 15], p[n[1] & 15]};
    return y;
#endif
}
#endif

/* b where a > 0, else c. */
PE__INLINE pe__vd pe__where_positive(pe__vd a, pe__vd b, pe__vd c)
{
#if PE_ISA == PE_ISA_SCALAR
    return a > 0 ? b : c;
#else
    const pe__bits mask = (pe__bits)(a > pe__splat(0.0));
    return (pe__vd)((mask & (pe__bits)b) | (~mask & (pe__bits)c));
#endif
}

/* t (f + g) = k / 2 + rest with a whole number k near to 2 t f, |t f| <= 2^47, |g| <= 2^-53 |f|.
   Returns the rest, rounded twice, and where = k / 2 + large, whose last bits are k's and large's:
   pe__quadrant_shift, or a multiple of 1/2 more. */
static const double pe__quadrant_shift = 3377699720527872.0; /* 1.5 * 2^51: its last bit is 1/2 */
PE__INLINE pe__vd pe__reduce(pe__vd t, pe__vd f, pe__vd g, pe__vd shift, pe__vd *quadrant)
{
#ifdef PE__NOT_FUSED
    pe__vd e;
    const pe__vd p = pe__two_prod(t, f, &e);
    *quadrant = p + shift;
    return (p - (*quadrant - shift)) + (t * g + e);
#else
    *quadrant = pe__fma(t, f, shift);
    return pe__fma(t, g, pe__fma(t, f, shift - *quadrant));
#endif
}

/* The number of the lowest bit that is set, x != 0. */
PE__INLINE unsigned pe__lowest_bit(uint64_t x)
{
#if PE__GNU
    return (unsigned)__builtin_ctzll(x);
#else
    unsigned n = 0;
    while (!(x >> n & 1)) n++;
    return n;
#endif
}

/* s = a + b rounded, and e with s + e = a + b exactly (Knuth). */
PE__INLINE pe__vd pe__two_sum(pe__vd a, pe__vd b, pe__vd *e)
{
    const pe__vd s = a + b, z = s - a;
    *e = (a - (s - z)) + (b - z);
    return s;
}

/* The same where |a| >= |b| or a = 0, for half the price (Dekker). */
PE__INLINE pe__vd pe__fast_two_sum(pe__vd a, pe__vd b, pe__vd *e)
{
    const pe__vd s = a + b;
    *e = b - (s - a);
    return s;
}

#undef PE__NOT_FUSED

/* ==== src/pe_simd.h ==== */

#ifdef __cplusplus
}
#endif

#undef PE__HAVE_FMA

#endif /* PE_SIMD_H */
