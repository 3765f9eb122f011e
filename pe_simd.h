/* made from src/ by make headers: change that */
/* SPDX-License-Identifier: MIT
 *
 * pe_simd.h - the small vector layer under pe.h: one list of operations, six instruction sets.
 *
 * Users include pe.h, never this file. Everything here is private except the options PE_ISA,
 * PE_SLEEF, PE_PREFETCH_HEADS, PE_LOADS_WAIT and PE_UNFUSED, which pe.h describes under "OPTIONS".
 *
 * A kernel in pe.h is written once, over vectors of PE_LANES doubles, and compiled for the one
 * instruction set that was chosen. Intrinsics are in src/simd/ only, of which this header is made.
 * The column "rounding" says how often a result is rounded. "exact" means that the result needs no
 * rounding, and "-" that the operation only moves, compares or selects values.
 *
 *   operation              per lane                                                      rounding
 *   ---------------------- ------------------------------------------------------------- --------
 *   + - * /                the C operators on pe__vd                                     one
 *   pe__load  pe__store    PE_LANES doubles at any address                               -
 *   pe__splat              the same double in each lane                                  -
 *   pe__abs                |a|                                                           exact
 *   pe__fma(a,b,c)         a*b + c   } fused where the hardware has it: only used where a one or
 *   pe__fnma(a,b,c)        c - a*b   } rounding test or an exactness proof allows both   two
 *   pe__fms(a,b,c)         a*b - c, only where the hardware fuses it                     one
 *   pe__two_prod(a,b,&e)   p = a*b and e with p + e = a*b; by fma, or by splitting       exact
 *   pe__sincospi(a,&s,&c)  sin(pi a), cos(pi a) by SLEEF, |a| < 2; only if PE_SLEEF      3.5 ulp
 *   pe__rotate_quadrant    (a,&s,&c): (s, c) rotated by the number of quadrants that the -
 *                          last bits of a hold
 *   pe__to_float           rounded to float, as a double                                 one
 *   pe__zip(s,c)           s0 c0 s1 c1 ... as 2*PE_LANES floats (pe__vf)                 one each
 *   pe__join(a,b)          a0 a1 ... b0 b1 ... as 2*PE_LANES floats                      one each
 *   pe__zip_two(s,c,&a,&b) a, b = s0 c0 s1 c1 ... as doubles                             -
 *   pe__unzip(p,&s,&c)     the reverse: s and c from s0 c0 s1 c1 ... at p                -
 *   pe__get                2*PE_LANES floats at any address                              -
 *   pe__get_pairs          (p,i,&s,&c): pairs number i[0], i[1] ... of the pairs of      -
 *                          floats at p: first floats to s, second ones to c,
 *                          2*PE_LANES each
 *   pe__get_n(p,n)         the first n of 2*PE_LANES floats, then zeros                  -
 *   pe__put  pe__put_n     store all floats, or the first n, at any address              -
 *   pe__stream             store all floats by a non-temporal store, at a multiple of    -
 *                          sizeof(pe__vf); a plain store where there is no other
 *   pe__stream_vd          pe__stream for PE_LANES doubles                               -
 *   pe__copy(t,f,n,stream) copy n bytes from f to t, any addresses; stream: by           -
 *                          non-temporal stores where there are any
 *   pe__fence              order non-temporal stores before all that follows             -
 *   pe__widen(p)           PE_LANES floats at any address as doubles                     exact
 *   pe__narrow(p,a)        store PE_LANES doubles as floats at any address               one
 *   pe__splat_f32          the same float in each lane                                   -
 *   pe__add_f32 _sub_f32   a + b, a - b of floats                                        one
 *   pe__mul_f32  pe__mul   a * b of floats, of doubles: never fused with a later sum     one
 *   pe__swap               v1 v0 v3 v2 ... of floats                                     -
 *   pe__get_repeated(p)    PE_LANES floats at any address as v0 v0 v1 v1 ...             -
 *   pe__get_signed(p)      PE_LANES floats at any address as -v0 v0 -v1 v1 ...           -
 *   pe__mad_f32(a,b,c)     a*b + c of floats  } fused as pe__fma and pe__fnma are        one or
 *   pe__nmad_f32(a,b,c)    c - a*b of floats  }                                          two
 *   pe__min_vd(a,b)        the smaller double; either, if one is a NaN                   exact
 *   pe__abs_f32 _min_f32   |a|, the smaller of a and b, of floats                        exact
 *   pe__min_size(a,b)      the smaller of |a| and |b|, of floats                         exact
 *   pe__within(a,x,b,y)    bit i is set if float i of a is not above float i of x, bit   -
 *                          2*PE_LANES + i if float i of b is not above float i of y
 *   pe__if_positive(a,b,c) b where a > 0, else c, of floats; a is no NaN                 -
 *   pe__zip_rotated(k,s,c) pe__zip(s,c); with AVX-512 of (s, c) rotated by the           one
 *                          quadrants of k, as in pe__rotate_quadrant
 *   pe__zip_odd(s,c)       pe__zip, but rounded to odd, so that rounding once more, to   to odd
 *                          16 bits, is as rounding once; for 0 and normal floats
 *   pe__get_bf16 _get_f16  2*PE_LANES 16-bit numbers at any address as floats            exact
 *   pe__to_bf16  _to_f16   floats to 2*PE_LANES 16-bit numbers (pe__vh), to nearest      one
 *                          even. Subnormals are also rounded; overflow gives infinity,
 *                          and a NaN the quiet NaN of its sign without payload.
 *                          MXCSR's rounding mode and flushing of subnormals have no
 *                          effect
 *   pe__round_bf16 _f16    pe__to_bf16 and pe__to_f16, faster, of floats without a NaN   one
 *   pe__any_nan(a,b)       is any float of a or b a NaN?                                 -
 *   pe__put_zip_bf16 _f16  (p,a,b): a0 b0 a1 b1 ... as 4*PE_LANES 16-bit numbers at p;   one
 *                          no float may be a NaN or a midpoint of two such numbers
 *   pe__midpoint_distance  (v,drop): v minus the midpoint of the two numbers around v    exact
 *                          whose significands have drop bits fewer
 *   pe__get_bf16_evens     of 4*PE_LANES bf16, numbers 0, 2, 4 ... as floats, or         exact
 *       _odds              numbers 1, 3, 5 ...
 *   pe__put_bf16_four      (p,a,b,q,c,d): a0 b0 a1 b1 ... as 4*PE_LANES bf16 at p,       one
 *                          c0 d0 c1 d1 ... at q; NaNs must have zeros as their last 16
 *                          bits, and stay NaNs
 *   pe__unzip_evens(a,b)   a0 a2 ... b0 b2 ..., or a1 a3 ... b1 b3 ..., of floats        -
 *       _odds
 *   pe__put_h              store 2*PE_LANES 16-bit numbers at any address                -
 *   pe__differ(a,b)        bit i is set if float i of a and b differ in any bit          -
 *   pe__unequal(a,b,c,d)   does any double of a differ from b's, or of c from d's?       -
 *   pe__rounding_test_add  (w,a,b,v): add to the test w the floats v that the doubles a  -
 *                          and b were rounded to; see sincos/bounds.h
 *   pe__rounding_test      (w,window,guard): may any float that was added to w be        -
 *       _flagged           rounded wrongly? AVX2 also flags doubles of 2 and more
 *
 * simd/derived.h has more operations (pe__round, pe__two_sum, pe__put_bf16 ...), written with the
 * operations of this list.
 */
#ifndef PE_SIMD_H
#define PE_SIMD_H

/* ==== src/simd/choice.h ==== */
/* Choose and check the instruction set (PE_ISA), the source of sines (PE_SLEEF), and how memory is
 * accessed on this CPU (PE_PREFETCH_HEADS, PE_LOADS_WAIT). Tested by tests/checks/fail.sh and
 * tests/checks/cpus.sh. */

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

/* ==== src/simd/compiler.h ==== */
/* Refuses compilers whose arithmetic is not what pe needs, includes headers, turns off options that
 * change arithmetic, and defines macros for attributes and assembly. Tested by tests/checks/fail.sh
 * and tests/tools/matrix.sh. */

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

/* ==== src/pe_simd.h ==== */

#ifdef __cplusplus
extern "C" {
#endif

/* ==== src/simd/one.h ==== */
/* Operations on a single number, which are the same for all instruction sets. Tested by
 * tests/unit/simd/test_types.c. */

/* ---- single numbers, for all instruction sets ------------------------------------------------ */

/* PE__DROPPED is the number of bits that rounding a double to float drops, 53 - 24. PE__TO_TOP is
   the shift that moves the dropped bits to the top of a 32-bit integer. The most significant
   dropped bit is then the sign. So a midpoint, whose dropped bits are 1 and then zeros, becomes the
   least signed integer. */
enum { PE__DROPPED = 29, PE__TO_TOP = 32 - PE__DROPPED };

/* These constants say how many bits of the significand the last rounding of an element drops: from
   double to float (F32), or from float to bf16 or f16. For subnormal f16 numbers it drops more. */
enum { PE__DROP_F32 = PE__DROPPED, PE__DROP_BF16 = 16, PE__DROP_F16 = 13 };

/* Returns +0, of which the compiler does not know the value. Callers add it to turn -0 into +0.
   Under -fno-signed-zeros clang removes the addition of a constant 0, whatever the pragmas say. */
PE__INLINE float pe__zero(void)
{
    float zero = 0;
    PE__OPAQUE(zero);
    return zero;
}

/* The next four functions return the bits of a number, or the number that has the given bits. */
PE__INLINE uint64_t pe__double_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

PE__INLINE double pe__double_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

PE__INLINE int32_t pe__float_bits(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

PE__INLINE float pe__float_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Returns hi + lo rounded to odd: truncated, with the last bit set if anything was lost. Rounding
   the result again, to at least two bits fewer, gives the correctly rounded sum. |lo| must be at
   most ulp(hi) / 2. If lo is a NaN, as after an overflow, the result is hi. */
PE__INLINE double pe__to_odd(double hi, double lo)
{
    uint64_t bits = pe__double_bits(hi);
    if ((lo < 0 || lo > 0) && (bits & 1) == 0) {
        if ((lo < 0) == (hi < 0)) bits++;
        else bits--;
        hi = pe__double_of_bits(bits);
    }
    return hi;
}

/* Returns `a` with its significand rounded to odd, to the 24 bits of a float: truncated, with the
   last bit set if anything was lost. The constant 0x1fffffff is the mask of the PE__DROPPED bits.
   Adding 0x1fffffff to the dropped bits carries into the last bit that stays, unless all of them
   are 0. The carry is then combined with this bit by a bitwise or. */
PE__INLINE double pe__odd24_one(double a)
{
    const uint64_t bits = pe__double_bits(a);
    return pe__double_of_bits((bits | ((bits & 0x1fffffffu) + 0x1fffffffu)) &
                              ~(uint64_t)0x1fffffffu);
}

/* Returns x rounded to f16, with the same bits as pe__to_f16(). Two constants are the bits of
   floats. The first, 0x38800000, is 2^-14, the least normal f16. The second, 0x477fefff, is the
   largest float that rounds to 65504 and not to infinity. The difference of the exponent biases of
   float and f16 is 112 = 127 - 15. The shift by 13 drops 13 bits. Before it, 0xfff (2^13 / 2 - 1)
   and the last bit that stays are added, which rounds to nearest, ties to even. */
PE__INLINE uint16_t pe__one_to_f16(float x)
{
    const uint32_t bits = (uint32_t)pe__float_bits(x), a = bits & 0x7fffffffu;
    const uint32_t sign = bits >> 31 << 15, m = (a & 0x007fffffu) | 0x00800000u;
    if (a > 0x7f800000u) return (uint16_t)(sign | 0x7e00);
    if (a > 0x477fefffu) return (uint16_t)(sign | 0x7c00);
    if (a >= 0x38800000u)
        return (uint16_t)(sign | ((a - (112u << 23) + 0xfff + (a >> 13 & 1)) >> 13));
    /* a subnormal f16, a multiple of 2^-24. |x| is m 2^(e - 150), with the biased exponent e, so
       shift m right by 126 - e */
    const uint32_t shift = 126 - (a >> 23);
    if (shift > 24) return (uint16_t)sign;
    return (uint16_t)(sign | ((m + (1u << (shift - 1)) - 1 + (m >> shift & 1)) >> shift));
}

PE__INLINE size_t pe__min(size_t a, size_t b) { return a < b ? a : b; }
PE__INLINE size_t pe__max(size_t a, size_t b) { return a > b ? a : b; }
PE__INLINE double pe__max_abs(double x, double y) { return fabs(x) > fabs(y) ? fabs(x) : fabs(y); }

/* Returns the first cache line boundary (64 bytes) at or after p. */
PE__INLINE double *pe__aligned(void *p)
{
    return (double *)(void *)((unsigned char *)p + (64 - (uintptr_t)p % 64) % 64);
}

/* Return the product a * b, rounded to float or to double. PE__OPAQUE() keeps the compiler from
   fusing the product with an addition of the caller. */
PE__INLINE float pe__float_product(float a, float b)
{
    float p = a * b;
    PE__OPAQUE(p);
    return p;
}
PE__INLINE double pe__double_product(double a, double b)
{
    double p = a * b;
    PE__OPAQUE(p);
    return p;
}

/* ==== src/simd/vectors.h ==== */
/* GNU C's vectors: their types, and the operations that need only operators on vectors. pe_simd.h
 * lists what each operation does. Tested by tests/unit/simd/test_types.c. */

/* ---- GNU C's vectors ------------------------------------------------------------------------- */
#if PE_ISA != PE_ISA_SCALAR

/* PE_LANES is the number of doubles in a vector; a vector of floats has twice as many numbers.
   PE__FUSES is 1 if pe__fma() rounds once, 0 if it rounds the product and the sum. Error bounds
   depend on PE__FUSES. */
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
/* Refuse -fpack-struct=8, and =16 where vectors are wider: they misalign vectors, but not doubles,
   and loads of misaligned vectors crash. */
struct pe__vector_laid_out {
    char first;
    pe__vd vector;
};
typedef char pe__vectors_without_fpack_struct_or_pragma_pack
    [sizeof(struct pe__vector_laid_out) == 2 * sizeof(pe__vd) ? 1 : -1];

/* These types are vectors that may be at any address. With memcpy() instead, gcc on ARM treats 16
   bytes as an integer and moves them through two integer registers. Rows of a block then took 20 %
   more cycles (make mca). */
#define PE__UNALIGNED __attribute__((__vector_size__(8 * PE_LANES), __aligned__(1), __may_alias__))
typedef double pe__vd_at PE__UNALIGNED;
typedef float pe__vf_at PE__UNALIGNED;
#undef PE__UNALIGNED
PE__INLINE pe__vd pe__load(const double *p)
{
    pe__vd a = *(const pe__vd_at *)(const void *)p;
    PE__OPAQUE(a); /* otherwise gcc loads a again for each use */
    return a;
}
PE__INLINE void pe__store(double *p, pe__vd a) { *(pe__vd_at *)(void *)p = a; }
PE__INLINE pe__vf pe__get(const float *p) { return *(const pe__vf_at *)(const void *)p; }
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
#if PE_ISA == PE_ISA_AVX512 /* one blend; gcc makes more instructions of pe__select() */
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, _mm512_setzero_ps(), _CMP_GT_OQ), c, b);
#elif PE_ISA == PE_ISA_AVX2
    return _mm256_blendv_ps(c, b, (pe__vf)((pe__vi)a > 0));
#else
    return (pe__vf)pe__select((pe__vi)a > 0, (pe__vi)b, (pe__vi)c);
#endif
}
/* Returns v, with each NaN replaced by the quiet NaN of its sign without payload: 0x7fc00000, or
   0xffc00000 if its sign is set. */
PE__INLINE pe__vf pe__quiet(pe__vf v)
{
    const pe__vi bits = (pe__vi)v, nan = (bits & INT32_MAX) > 0x7f800000;
    return (pe__vf)pe__select(nan, (bits & ~0x003fffff) | 0x00400000, bits);
}
/* Returns v minus the midpoint of the two numbers around v whose significands have `drop` bits
   fewer. The midpoint is v with the dropped bits replaced by 1 and then zeros. So it has the
   exponent of v, and the difference is exact. */
PE__INLINE pe__vf pe__midpoint_distance(pe__vf v, int drop)
{
    const int32_t last = (1 << drop) - 1, half = 1 << (drop - 1);
#if PE_ISA == PE_ISA_AVX2 /* this saves an operation: bf16 fills take 8 % longer without it */
    if (drop == 16)
        return v - (pe__vf)_mm256_blend_epi16((__m256i)v, (__m256i)pe__splat_i32(half), 0x55);
#endif
    return v - (pe__vf)(((pe__vi)v & ~last) | half);
}
/* Returns `a` with each lane rounded to odd, to 24 bits, as pe__odd24_one() does. */
PE__INLINE pe__vd pe__odd24(pe__vd a)
{
    const pe__vl bits = (pe__vl)a;
    return (pe__vd)((bits | ((bits & 0x1fffffff) + 0x1fffffff)) & ~0x1fffffff);
}

/* Returns numbers whose upper 16 bits are v rounded to bf16, to nearest even. To the 16 bits that
   are dropped it adds one less than half of their range (0x7fff), and the last bit that stays. */
PE__INLINE pe__vu pe__up_bf16(pe__vf v)
{
    const pe__vu bits = (pe__vu)v;
    return bits + 0x7fff + (bits >> 16 & 1);
}
/* The first function returns the bf16 numbers 0, 2, 4 ... at p as floats, the second the numbers 1,
   3, 5 ... Each 32 bits hold two bf16 numbers, the first in the lower half. A bf16 is the upper
   half of the float with the same value. */
PE__INLINE pe__vf pe__get_bf16_evens(const uint16_t *p)
{
    return (pe__vf)((pe__vu)pe__get((const float *)(const void *)p) << 16);
}
PE__INLINE pe__vf pe__get_bf16_odds(const uint16_t *p)
{
    return (pe__vf)((pe__vu)pe__get((const float *)(const void *)p) & 0xffff0000u);
}

/* The running minima of the rounding test, in each lane. `low` is the minimum of the bits that
   rounding to float drops, as integers that are least at a midpoint. `size` is the minimum of the
   bits of the floats' magnitudes. The code for AVX2 keeps both minima in `low` and does not use
   `size`. At first both are the bits of FLT_MAX. This is not below any bound that
   pe__rounding_test_flagged() compares them with, except for INT32_MAX, the guard that flags every
   float. */
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
#else /* gcc before version 12 has no __builtin_shufflevector() */
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
/* With two lanes, unzipping is the same permutation as zipping. */
PE__INLINE void pe__unzip(const double *p, pe__vd *s, pe__vd *c)
{
    pe__zip_two(pe__load(p), pe__load(p + 2), s, c);
}
/* Rotate (s, c) by k quadrants, where k is an integer in the last bits of `quadrant`, from
   pe__reduce(). If k is odd, s and c are exchanged, by an exclusive or of each with `other`, the
   bits in which they differ. The sine changes its sign for k = 2 and 3 modulo 4, where bit 1 of k
   is set. The cosine changes its sign for k = 1 and 2 modulo 4, where bit 1 of k + 1 is set. Bit 1
   of k is the most significant bit of `half`, and bit 1 of k + 1 is that of half ^ odd. */
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
/* This file defines the operations of pe_simd.h that need intrinsics of AVX-512. The others are in
 * vectors.h and derived.h. Tested by tests/unit/simd/test_types.c. */

/* ---- AVX-512 -------------------------------------------------------------------------------- */
#if PE_ISA == PE_ISA_AVX512

typedef __m256i pe__vh;

PE__INLINE pe__vd pe__splat(double x) { return _mm512_set1_pd(x); }
PE__INLINE pe__vd pe__fma(pe__vd a, pe__vd b, pe__vd c) { return _mm512_fmadd_pd(a, b, c); }
PE__INLINE pe__vd pe__fnma(pe__vd a, pe__vd b, pe__vd c) { return _mm512_fnmadd_pd(a, b, c); }
PE__INLINE pe__vd pe__fms(pe__vd a, pe__vd b, pe__vd c) { return _mm512_fmsub_pd(a, b, c); }
#define PE__SLEEF_TWO Sleef___m512d_2
#define PE__SLEEF_SINCOSPI Sleef_sincospid8_u35avx512f
/* Convert to float, then zip: one permutation of floats replaces two of doubles. */
PE__INLINE pe__vf pe__zip(pe__vd s, pe__vd c)
{
    const __m512i order = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    return _mm512_permutex2var_ps(_mm512_castps256_ps512(_mm512_cvtpd_ps(s)), order,
                                  _mm512_castps256_ps512(_mm512_cvtpd_ps(c)));
}
PE__INLINE pe__vf pe__join(pe__vd a, pe__vd b)
{
    return _mm512_castpd_ps(
        _mm512_insertf64x4(_mm512_castps_pd(_mm512_castps256_ps512(_mm512_cvtpd_ps(a))),
                           _mm256_castps_pd(_mm512_cvtpd_ps(b)), 1));
}
PE__INLINE pe__vd pe__to_float(pe__vd a)
{
    __m256 f = _mm512_cvtpd_ps(a);
    PE__OPAQUE(f); /* otherwise the compiler might return a, not rounded to float */
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
/* Rotate (s, c) by k quadrants, where k is an integer in the last bits of `quadrant`. The function
   of this name in vectors.h explains the sign changes. If k is odd, masked moves exchange s and
   c. */
PE__INLINE void pe__rotate_quadrant(pe__vd quadrant, pe__vd *s, pe__vd *c)
{
    const __m512i k = _mm512_castpd_si512(quadrant), sign = _mm512_set1_epi64(INT64_MIN);
    /* bit 63 of sign_s is bit 1 of k; bit 63 of sign_c is bit 1 of k + 1 */
    const __m512i sign_s = _mm512_slli_epi64(k, 62);
    const __m512i sign_c = _mm512_add_epi64(sign_s, _mm512_set1_epi64((int64_t)1 << 62));
    const __mmask8 odd = _mm512_test_epi64_mask(k, _mm512_set1_epi64(1));
    const __m512i a = _mm512_castpd_si512(_mm512_mask_mov_pd(*s, odd, *c));
    const __m512i b = _mm512_castpd_si512(_mm512_mask_mov_pd(*c, odd, *s));
    /* a ^ (sign_s & sign), then b ^ (sign_c & sign) */
    *s = _mm512_castsi512_pd(_mm512_ternarylogic_epi64(a, sign_s, sign, 0x78));
    *c = _mm512_castsi512_pd(_mm512_ternarylogic_epi64(b, sign_c, sign, 0x78));
}
/* Returns pe__zip() of s and c after pe__rotate_quadrant() of them, in 4 operations instead of 8.
   `quarters` has two numbers for each number of quadrants modulo 4: one for the sine and one for
   the cosine. The last 3 bits of `quadrant` choose them, so `quarters` has all of them twice. The
   most significant bit of a number is the change of sign. Bit 4 of a number (16) exchanges s and c:
   the exclusive or with an index of the permutation changes the index's bit 4, which chooses
   between s and c. */
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
PE__INLINE pe__vf pe__get_n(const float *p, size_t n)
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
    __asm__("" : "+r"(mask)); /* otherwise gcc 12 may store 16 bits of the mask, then load 32 */
    return mask & 0xffffu;
}
PE__INLINE pe__vd pe__lookup_16(const double *p, pe__vd k)
{
    const pe__vd last = k + pe__splat(6755399441055744.0); /* k in the last bits, see pe__round() */
    const __m512i i = _mm512_castpd_si512(last);
    return _mm512_permutex2var_pd(pe__load(p), i, pe__load(p + 8));
}
/* This is assembly, because clang removes the intrinsic for this comparison under
   -ffinite-math-only: it assumes that no float is a NaN. Comparing the bits as integers instead
   took 3 to 7 % longer where 16-bit biases are written. */
PE__INLINE int pe__any_nan(pe__vf a, pe__vf b)
{
    __mmask16 unordered;
    __asm__("vcmpunordps {%2, %1, %0|%0, %1, %2}" : "=k"(unordered) : "v"(a), "v"(b));
    return unordered != 0;
}
PE__INLINE pe__vf pe__get_bf16(const uint16_t *p)
{
    const __m256i h = _mm256_loadu_si256((const __m256i *)(const void *)p);
    /* one instruction moves the numbers to the odd 16-bit words, and sets the even ones to 0 */
    const __m512i order = _mm512_slli_epi32(
        _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), 16);
    return _mm512_castsi512_ps(
        _mm512_maskz_permutexvar_epi16(0xaaaaaaaau, order, _mm512_castsi256_si512(h)));
}
PE__INLINE pe__vf pe__get_f16(const uint16_t *p)
{
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)p));
}
PE__INLINE pe__vh pe__round_bf16(pe__vf v)
{
#ifdef __AVX512BF16__ /* its conversion flushes subnormals: use it only if no exponent is 0 */
    const __m512i exponent = _mm512_set1_epi32(0x7f800000);
    if (!PE__UNLIKELY(_mm512_testn_epi32_mask(_mm512_castps_si512(v), exponent) != 0))
        return (__m256i)_mm512_cvtneps_pbh(v);
#endif
    return _mm512_cvtepi32_epi16((__m512i)(pe__up_bf16(v) >> 16));
}
PE__INLINE void pe__put_upper(uint16_t *p, pe__vu a, pe__vu b)
{
    _mm512_storeu_si512((void *)p,
                        _mm512_ternarylogic_epi32(/* (a >> 16) | (b & mask) */
                                                  (__m512i)(a >> 16), (__m512i)b,
                                                  _mm512_set1_epi32((int)0xffff0000u), 0xf8));
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
/* The argument 8 means: round to nearest even, whatever MXCSR says, and raise no exception flags.
   The mask 0xffff selects all lanes. The form without a mask is a macro in gcc at -O0, which
   -Wsign-conversion reports. */
PE__INLINE pe__vh pe__round_f16(pe__vf v) { return _mm512_maskz_cvtps_ph(0xffff, v, 0x08); }
PE__INLINE void pe__put_zip_f16(uint16_t *p, pe__vf a, pe__vf b)
{
    const __m256i u = pe__round_f16(a), v = pe__round_f16(b);
    const __m256i low = _mm256_unpacklo_epi16(u, v), high = _mm256_unpackhi_epi16(u, v);
    _mm256_storeu_si256((__m256i *)(void *)p, _mm256_permute2x128_si256(low, high, 0x20));
    _mm256_storeu_si256((__m256i *)(void *)(p + 16), _mm256_permute2x128_si256(low, high, 0x31));
}
PE__INLINE pe__vd pe__min_vd(pe__vd a, pe__vd b) { return _mm512_min_pd(a, b); }
PE__INLINE pe__vf pe__min_f32(pe__vf a, pe__vf b) { return _mm512_min_ps(a, b); }
PE__INLINE pe__vf pe__min_size(pe__vf a, pe__vf b)
{
/* _mm512_range_ps() with 0x0a returns the smaller of |a| and |b| in one instruction. In gcc at -O0
   it is a macro that -Wsign-conversion reports. */
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
    __asm__("" : "+r"(first)); /* see pe__signs() */
    return (first & 0xffffu) | (uint32_t)_mm512_cmp_ps_mask(b, y, _CMP_NGT_UQ) << 16;
}
#endif
PE__INLINE void pe__put_h(uint16_t *p, pe__vh h) { _mm256_storeu_si256((__m256i *)(void *)p, h); }
PE__INLINE void pe__rounding_test_add(pe__rounding_test *w, pe__vd a, pe__vd b, pe__vf v)
{
    /* the lower halves of the doubles; minima do not depend on their order */
    const __m512 low = _mm512_shuffle_ps(_mm512_castpd_ps(a), _mm512_castpd_ps(b), 0x88);
    /* dropped = (low & mask) ^ tie are the bits that rounding to float drops, with the most
       significant one inverted. So a midpoint becomes 0, the least unsigned integer. Shifting the
       bits to the top instead, as the other instruction sets do, would compete with shuffles for
       the same ports of the CPU. */
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
/* This file defines the operations of pe_simd.h that need intrinsics of AVX2 and FMA. The others
 * are in vectors.h and derived.h. Tested by tests/unit/simd/test_types.c. */

/* ---- AVX2 and FMA ---------------------------------------------------------------------------- */
#if PE_ISA == PE_ISA_AVX2

typedef __m128i pe__vh;

PE__INLINE pe__vd pe__splat(double x) { return _mm256_set1_pd(x); }
PE__INLINE pe__vd pe__fma(pe__vd a, pe__vd b, pe__vd c) { return _mm256_fmadd_pd(a, b, c); }
PE__INLINE pe__vd pe__fnma(pe__vd a, pe__vd b, pe__vd c) { return _mm256_fnmadd_pd(a, b, c); }
PE__INLINE pe__vd pe__fms(pe__vd a, pe__vd b, pe__vd c) { return _mm256_fmsub_pd(a, b, c); }
#define PE__SLEEF_TWO Sleef___m256d_2
#define PE__SLEEF_SINCOSPI Sleef_sincospid4_u35avx2
/* Convert to float, then zip: two shuffles of floats replace four of doubles. */
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
    PE__OPAQUE(f); /* otherwise the compiler might return a, not rounded to float */
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
    /* unpacking works within each 128-bit half; 0xd8 then exchanges the two middle doubles */
    const __m256d a = _mm256_loadu_pd(p), b = _mm256_loadu_pd(p + 4);
    *s = _mm256_permute4x64_pd(_mm256_unpacklo_pd(a, b), 0xd8);
    *c = _mm256_permute4x64_pd(_mm256_unpackhi_pd(a, b), 0xd8);
}
/* Rotate (s, c) by k quadrants, where k is an integer in the last bits of `quadrant`. The function
   of this name in vectors.h explains the sign changes. If k is odd, blends exchange s and c. The
   instruction blendv selects by the most significant bit of each lane, so bit 0 of k is shifted
   there. */
PE__INLINE void pe__rotate_quadrant(pe__vd quadrant, pe__vd *s, pe__vd *c)
{
    const __m256i k = _mm256_castpd_si256(quadrant);
    __m256d odd = _mm256_castsi256_pd(_mm256_slli_epi64(k, 63));
    PE__OPAQUE(odd); /* otherwise gcc compares odd with 0 before each blend */
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
/* Load the same four floats into both 128-bit halves of a vector, so that a permutation within the
   halves is enough to repeat each float. */
PE__INLINE pe__vf pe__get_repeated(const float *p)
{
    return _mm256_permutevar_ps(_mm256_broadcast_ps((const __m128 *)(const void *)p),
                                _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3));
}
PE__INLINE unsigned pe__signs(pe__vi a) { return (unsigned)_mm256_movemask_ps((__m256)a); }
/* This is assembly, because clang removes the intrinsic for this comparison under
   -ffinite-math-only: it assumes that no float is a NaN. Comparing the bits as integers instead
   took 7 to 11 % longer where 16-bit biases are written. */
PE__INLINE int pe__any_nan(pe__vf a, pe__vf b)
{
    __m256 unordered;
    __asm__("vcmpunordps {%2, %1, %0|%0, %1, %2}" : "=x"(unordered) : "x"(a), "x"(b));
    return _mm256_movemask_ps(unordered) != 0;
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
/* Returns 1 if the lower 16 bits of any number in the four vectors are 0, else 0. The minimum of
   the four vectors' 16-bit words is 0 wherever a word is 0, so one comparison serves all four. The
   constant 0x33333333 selects the mask bits of the lower words. */
PE__INLINE int pe__any_ends_in_0(pe__vu a, pe__vu b, pe__vu c, pe__vu d)
{
    const __m256i ab = _mm256_min_epu16((__m256i)a, (__m256i)b);
    const __m256i minimum = _mm256_min_epu16(ab, _mm256_min_epu16((__m256i)c, (__m256i)d));
    const __m256i zero = _mm256_cmpeq_epi16(minimum, _mm256_setzero_si256());
    return ((unsigned)_mm256_movemask_epi8(zero) & 0x33333333u) != 0;
}
/* Returns v with its two middle quarters exchanged. This restores the order of numbers after
   _mm256_shuffle_ps(), which works within each 128-bit half. */
PE__INLINE pe__vf pe__unzip_halves(__m256 v)
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
/* The argument 0 means: round to nearest even, whatever MXCSR says. */
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
/* Keep the minima, as signed integers, of the lower and the upper 32 bits of the doubles in a and
   b, after these shifts to the left. The lower 32 bits are shifted by PE__TO_TOP, which leaves the
   bits that rounding to float drops. The upper 32 bits are shifted by 1, which drops the sign, and
   leaves the exponent and 20 bits of the significand. For magnitudes of 2 and more this is a
   negative integer, so the vector is always flagged. The alternative is to shuffle the lower halves
   into one vector, and to keep minima of the magnitudes of the floats v. With it, fills took 12 %
   longer and sums 10 % longer. */
PE__INLINE void pe__rounding_test_add(pe__rounding_test *w, pe__vd a, pe__vd b, pe__vf v)
{
    const __m256i addend = _mm256_set1_epi64x(((int64_t)1 << 32) + PE__TO_TOP);
    const __m256i x = _mm256_sllv_epi32(_mm256_castpd_si256(a), addend);
    const __m256i y = _mm256_sllv_epi32(_mm256_castpd_si256(b), addend);
    (void)v;
    w->low = (pe__vi)_mm256_min_epi32(_mm256_min_epi32((__m256i)w->low, x), y);
}
/* Returns 1 if a minimum of dropped bits is less than `window` above a midpoint, or a minimum of
   magnitudes is below the guard, else 0. Both bounds are converted to the form of the minima. The
   guard has the bits of a float, and becomes the upper half of a double, shifted to the left by 1.
   Its significand loses 3 bits, rounded up. Its exponent grows by 896, the difference of the
   biases. Guards of 0x3ffffff8 (just below 2) and more flag every vector. */
PE__INLINE int pe__rounding_test_flagged(pe__rounding_test w, int32_t window, int32_t guard)
{
    const uint32_t tie = 0x80000000u + ((uint32_t)window << PE__TO_TOP);
    const int64_t size = guard < 0x3ffffff8 ? ((guard >> 3) + (896 << 20) + 1) << 1 : INT32_MAX;
    const pe__vi minimum = (pe__vi)_mm256_set1_epi64x((size << 32) + tie);
    return pe__signs(w.low < minimum) != 0;
}
#endif

/* ==== src/simd/neon.h ==== */
/* This file defines the operations of pe_simd.h that need intrinsics of NEON. The others are in
 * vectors.h and derived.h. Tested by tests/unit/simd/test_types.c. */

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
    PE__OPAQUE(f); /* otherwise the program's fast-math flags might drop the rounding */
    return vcvt_f64_f32(f);
}
PE__INLINE pe__vd pe__widen(const float *p) { return vcvt_f64_f32(vld1_f32(p)); }
PE__INLINE void pe__narrow(float *p, pe__vd a) { vst1_f32(p, vcvt_f32_f64(a)); }
PE__INLINE pe__vf pe__mad_f32(pe__vf a, pe__vf b, pe__vf c) { return vfmaq_f32(c, a, b); }
PE__INLINE pe__vf pe__nmad_f32(pe__vf a, pe__vf b, pe__vf c) { return vfmsq_f32(c, a, b); }
PE__INLINE pe__vf pe__swap(pe__vf v) { return vrev64q_f32(v); }
/* Here pe__zip_odd() needs no pe__odd24(): of the instruction sets that pe supports, only NEON has
   a conversion that rounds to odd. */
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
/* Returns a mask whose bit i is the sign of lane i. The bits of each lane must be all 1 or all 0,
   as comparisons return them. */
PE__INLINE unsigned pe__signs(pe__vi a)
{
    static const uint32_t bit[4] = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32((uint32x4_t)a, vld1q_u32(bit)));
}
/* Returns v rounded to bf16. The sum is that of pe__up_bf16(). vaddhn_u32() adds and returns the
   upper 16 bits of each sum. */
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
/* This file defines operations of pe_simd.h for SSE2 and WebAssembly's SIMD128. The others are in
 * vectors.h and derived.h. Tested by tests/unit/simd/test_types.c and tests/checks/wasm.sh. */

/* ---- SSE2, WASM SIMD128: two doubles, nothing fused ------------------------------------------ */
#if PE_ISA == PE_ISA_SSE2 || PE_ISA == PE_ISA_WASM

#define PE__NOT_FUSED
/* Most operations use only GNU C's vectors, with their operators, comparisons and shuffles. The few
   that need intrinsics come first, once for SSE2 and once for WebAssembly. The error bounds are
   those for PE__FUSES = 0, also under -mfma, which would allow fused operations. */
typedef int16_t pe__vw __attribute__((__vector_size__(16)));
typedef pe__vi pe__vh; /* four 16-bit numbers, in the first 8 bytes */

#if PE_ISA == PE_ISA_SSE2
PE__INLINE pe__vf pe__floats_of(pe__vd a) { return _mm_cvtpd_ps(a); }  /* returns a0 a1 0 0 */
PE__INLINE pe__vd pe__doubles_of(pe__vf v) { return _mm_cvtps_pd(v); } /* returns v0 v1 */
PE__INLINE pe__vi pe__toward_0(pe__vf v) { return (pe__vi)_mm_cvttps_epi32(v); }
PE__INLINE unsigned pe__signs(pe__vi a) { return (unsigned)_mm_movemask_ps((__m128)a); }
/* This is assembly, because clang removes comparisons that are true only for NaNs under
   -ffinite-math-only, in spite of pe's pragmas. Comparing the bits as integers instead took 4 to
   5 % longer where 16-bit biases are written. If the flags allow AVX, the mnemonic begins with v,
   as those of the instructions that the compiler then generates. */
PE__INLINE int pe__any_nan(pe__vf a, pe__vf b)
{
#ifdef __AVX__
    pe__vf unordered;
    __asm__("vcmpunordps {%2, %1, %0|%0, %1, %2}" : "=x"(unordered) : "x"(a), "x"(b));
#else
    pe__vf unordered = a;
    __asm__("cmpunordps {%1, %0|%0, %1}" : "+x"(unordered) : "x"(b));
#endif
    return pe__signs((pe__vi)unordered) != 0;
}
PE__INLINE pe__vd pe__min_vd(pe__vd a, pe__vd b) { return _mm_min_pd(a, b); }
PE__INLINE pe__vf pe__min_f32(pe__vf a, pe__vf b) { return _mm_min_ps(a, b); }
PE__INLINE pe__vf pe__swap(pe__vf v) /* _mm_shuffle_ps() would need a copy of v */
{
    return (pe__vf)_mm_shuffle_epi32((__m128i)v, 0xb1);
}
PE__INLINE pe__vw pe__least(pe__vw a, pe__vw b)
{
    return (pe__vw)_mm_min_epi16((__m128i)a, (__m128i)b);
}
PE__INLINE pe__vh pe__pack_16(pe__vi a) /* 32 bits to 16; numbers within -2^15 ... 2^15 - 1 */
{
    return (pe__vh)_mm_packs_epi32((__m128i)a, (__m128i)a);
}
PE__INLINE pe__vi pe__unpack_16(pe__vh h) /* 16 bits to 32, unsigned */
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
/* The arguments are exchanged, so that the result is b if a or b is a NaN, as on x86. */
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
PE__INLINE pe__vh pe__get_8_bytes(const void *p)
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
/* Store the upper 16 bits of each of a0, b0, a1, b1 ... at p, in this order. */
PE__INLINE void pe__put_upper(uint16_t *p, pe__vu a, pe__vu b)
{
    const pe__vu both = a >> 16 | (b & 0xffff0000u);
    memcpy(p, &both, sizeof both);
}
/* These two functions return f16 numbers as floats. pe__get_f16() handles the usual cases: all
   numbers are normal (0x0400 to 0x7bff without the sign), or all are 0. In other cases it calls
   pe__any_f16(), which handles any numbers and is out of line. A normal number gets 13 more bits,
   and 112, the difference of the exponent biases of float and f16, is added to its exponent. For
   infinities and NaNs 112 is added twice, as in pe__one_from_f16(). */
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
/* These two functions return v rounded to f16, using the constants of pe__one_to_f16().
   pe__f16_bits() handles the usual cases: all results are normal, or all numbers in v are 0. In
   other cases it calls pe__any_to_f16(), which handles any numbers, and is out of line. Both return
   the 16 bits extended to 32 by copies of the sign, because pe__pack_16() saturates: it would
   change 32-bit integers above 2^15 - 1. */
PE__OUTLINE pe__vi pe__any_to_f16(pe__vf v)
{
    const pe__vi bits = (pe__vi)v, a = bits & INT32_MAX, is_tiny = a < 0x38800000;
    const pe__vi normal = (a + (0xfff - (112 << 23)) + (a >> 13 & 1)) >> 13;
    const pe__vi special = 0x7c00 | ((a > 0x7f800000) & 0x0200);
    /* Compute a subnormal f16 in units of 2^-24. It is truncated to an integer. Then 1 is added if
       the remainder is above 1/2, or if it is 1/2 and the integer is odd. */
    const pe__vf size = (pe__vf)(a & is_tiny) * 16777216.0f;
    const pe__vi truncated = pe__toward_0(size);
    const pe__vf rest = size - __builtin_convertvector(truncated, pe__vf);
    const pe__vi up = (rest > 0.5f) | ((rest == 0.5f) & truncated);
    const pe__vi r = pe__select(a > 0x477fefff, special, normal);
    return pe__select(is_tiny, truncated + (up & 1), r) | (bits >> 31 & ~0x7fff);
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
/* SSE2 has no minimum of 32-bit integers, so this keeps minima of signed 16-bit words. Only
   the upper word of each 32 bits is then compared with its bound, so one twelfth more vectors are
   flagged. */
PE__INLINE void pe__rounding_test_add(pe__rounding_test *w, pe__vd a, pe__vd b, pe__vf v)
{
    const pe__vu low = (pe__vu)PE__PICK4((pe__vf)a, (pe__vf)b, 0, 2, 4, 6);
    w->low = (pe__vi)pe__least((pe__vw)w->low, (pe__vw)(low << (int)PE__TO_TOP));
    w->size = (pe__vi)pe__least((pe__vw)w->size, (pe__vw)pe__abs_f32(v));
}
PE__INLINE int pe__rounding_test_flagged(pe__rounding_test w, int32_t window, int32_t guard)
{
    const pe__vw tie = (pe__vw)pe__splat_i32(INT32_MIN + (window << PE__TO_TOP));
    /* An upper word that equals its bound is also flagged, because lower words are not compared:
       pe__signs() reads the upper words alone. */
    const pe__vw above_tie = (pe__vw)w.low > tie;
    const pe__vw above_guard = (pe__vw)w.size > (pe__vw)pe__splat_i32(guard);
    return pe__signs((pe__vi)(above_tie & above_guard)) != 15;
}

#endif

/* ==== src/simd/scalar.h ==== */
/* This file defines the operations of pe_simd.h for vectors of one double or two floats, in C99 for
 * any compiler. Those that are the same for all instruction sets are in derived.h. Tested by
 * tests/unit/simd/test_types.c. */

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
    PE__OPAQUE(f); /* otherwise the compiler might return a, not rounded to float */
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
/* Rotate (s, c) by k quadrants, where k is an integer in the last bits of `quadrant`. The function
   of this name in vectors.h explains the exchange of s and c and the sign changes. */
PE__INLINE void pe__rotate_quadrant(pe__vd quadrant, pe__vd *s, pe__vd *c)
{
    const uint64_t k = pe__double_bits(quadrant);
    uint64_t a = pe__double_bits(*s), b = pe__double_bits(*c);
    const uint64_t sign = (uint64_t)1 << 63, other = (a ^ b) & (0 - (k & 1));
    a ^= other ^ (k << 62 & sign);
    b ^= other ^ ((k + 1) << 62 & sign);
    *s = pe__double_of_bits(a);
    *c = pe__double_of_bits(b);
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
PE__INLINE float pe__one_from_bf16(uint16_t h) { return pe__float_of_bits((uint32_t)h << 16); }
PE__INLINE uint16_t pe__one_to_bf16(float x)
{
    const uint32_t bits = (uint32_t)pe__float_bits(x), sign = bits & 0x80000000u;
    if ((bits ^ sign) > 0x7f800000u) return (uint16_t)((sign | 0x7fc00000u) >> 16);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
/* Returns the f16 number h as a float. 112 = 127 - 15 is the difference of the exponent biases of
   float and f16. For infinities and NaNs 224, twice the difference, is added to the exponent, so
   that 31 becomes 255. The bit 0x00400000 makes a NaN quiet, as hardware does. */
PE__INLINE float pe__one_from_f16(uint16_t h)
{
    const uint32_t sign = ((uint32_t)h & 0x8000) << 16, a = h & 0x7fffu;
    if (a < 0x0400) { /* h is subnormal: a multiple of 2^-24 */
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
/* Returns 0, also for NaNs: pe__round_bf16() and pe__round_f16() handle NaNs themselves here. */
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
PE__WRAPS
PE__INLINE void pe__rounding_test_one(pe__rounding_test *w, double y, float v)
{
    const int32_t size = pe__float_bits(v) & INT32_MAX;
    const int64_t top =
        (int64_t)(pe__double_bits(y) << PE__TO_TOP & 0xffffffffu); /* 0 ... 2^32 - 1 */
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
/* This file has operations that are written with those of the other files in simd/, and operations
 * that several instruction sets share. Tested by tests/unit/simd/test_types.c and
 * tests/unit/numbers/test_budget.c. */

/* ---- derived operations, for all instruction sets -------------------------------------------- */

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
    return (pe__vf)((pe__vl)pe__get_repeated(p) ^ 0x80000000); /* negates floats 0, 2, 4 ... */
}
PE__INLINE unsigned pe__differ(pe__vf a, pe__vf b)
{
    return pe__signs((pe__vi)a == (pe__vi)b) ^ ((1u << 2 * PE_LANES) - 1);
}
#if PE_ISA != PE_ISA_AVX512 || defined(__clang__) /* for gcc, avx512.h has a version with masks */
/* This uses operators, not intrinsics. pe's pragmas switch -ffast-math off for operators, but clang
   still applies the program's -ffast-math to intrinsics and then assumes that there are no NaNs. */
PE__INLINE uint32_t pe__within(pe__vf a, pe__vf x, pe__vf b, pe__vf y)
{
    const uint32_t beyond = pe__signs(a > x) | pe__signs(b > y) << 2 * PE_LANES;
    return beyond ^ ~0u >> (32 - 4 * PE_LANES);
}
#endif
#if PE_ISA != PE_ISA_AVX512 /* avx512.h has its own, with masks */
PE__INLINE int pe__unequal(pe__vd a, pe__vd b, pe__vd c, pe__vd d)
{
    return pe__signs((pe__vi)((a != b) | (c != d))) != 0;
}
#endif
#if PE_ISA == PE_ISA_NEON || PE_ISA == PE_ISA_WASM
/* Compares the bits as integers, because under -ffinite-math-only clang removes comparisons that
   are true only for NaNs, in spite of pe's pragmas. For other instruction sets, pe__any_nan() is
   beside their own operations. */
PE__INLINE int pe__any_nan(pe__vf a, pe__vf b)
{
    const pe__vi x = (pe__vi)a & INT32_MAX, y = (pe__vi)b & INT32_MAX;
    return pe__signs((x > 0x7f800000) | (y > 0x7f800000)) != 0;
}
#endif
#endif

#if PE_ISA != PE_ISA_NEON
PE__INLINE pe__vf pe__zip_odd(pe__vd s, pe__vd c) { return pe__zip(pe__odd24(s), pe__odd24(c)); }
#endif

#if PE_ISA != PE_ISA_AVX512 /* avx512.h has shorter code for these three functions */
PE__INLINE pe__vf pe__get_n(const float *p, size_t n)
{
    float f[2 * PE_LANES] = {0};
    memcpy(f, p, n * sizeof *f);
    return pe__get(f);
}
PE__INLINE pe__vf pe__zip_rotated(pe__vd quadrant, pe__vd s, pe__vd c)
{
    (void)quadrant; /* pe__rotate_quadrant() has already rotated s and c */
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
/* Set *s to the first floats and *c to the second floats of 2 PE_LANES pairs, in the order of i.
   These are the pairs with indices i[0], i[1] ... in the array of pairs at p, which may be any
   address. Each pair is loaded as one double. With AVX2 and AVX-512 the pairs are loaded in another
   order, in which shuffles within 16-byte parts give both results. This saves an operation. */
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
/* Copy n bytes, by non-temporal stores if `stream` is set and the instruction set has them. Such a
   store writes a complete vector at an address that is a multiple of the vector's size. So memcpy()
   copies the bytes before the first such address, and those after the last complete vector. */
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
/* No number may be a NaN or a midpoint of two bf16 numbers. So adding half of a unit in the last
   place of a bf16 (0x8000) and dropping the lower 16 bits rounds to nearest. */
PE__INLINE void pe__put_zip_bf16(uint16_t *p, pe__vf a, pe__vf b)
{
    pe__put_upper(p, (pe__vu)a + 0x8000, (pe__vu)b + 0x8000);
}
#endif
PE__INLINE void pe__put_bf16_four(uint16_t *p, pe__vf a, pe__vf b, uint16_t *q, pe__vf c, pe__vf d)
{
#if PE_ISA == PE_ISA_AVX512 || PE_ISA == PE_ISA_AVX2
    /* Add half of a unit in the last place of a bf16 (0x8000) to each number. A sum ends in 16
       zeros only if the number is a midpoint of two bf16 numbers. If there is a midpoint, which is
       rare, use the slower functions below, which round ties to even. */
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
PE__INLINE pe__vd pe__veltkamp_high(pe__vd a) /* a rounded to 26 bits (Veltkamp); |a| < 2^996 */
{
    const pe__vd x = pe__splat(134217729.0) * a; /* 2^27 + 1 */
    return x - (x - a);
}
/* Returns p = a b, rounded, and sets *e with p + *e = a b exactly (Dekker), if nothing overflows or
   underflows. In vector code, `a` is not rounded to 26 bits but truncated to them, with the mask
   -134217728 = -2^27. Its low part, al, then has 27 bits. The parts bh and bl have at most 26 bits
   each. So each of the four products of the parts has at most 53 bits and is exact. */
PE__INLINE pe__vd pe__two_prod(pe__vd a, pe__vd b, pe__vd *e)
{
#if PE_ISA == PE_ISA_SCALAR
    const pe__vd ah = pe__veltkamp_high(a), bh = pe__veltkamp_high(b), al = a - ah, bl = b - bh;
    pe__vd p = a * b;
#else
    const pe__vd ah = (pe__vd)((pe__vl)a & -134217728), bh = pe__veltkamp_high(b);
    const pe__vd al = a - ah, bl = b - bh;
    pe__vd p = a * b;
    PE__OPAQUE(p); /* under -mfma, p must not be fused into the sum below */
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

/* Store s0 c0 s1 c1 ... at p, which may be any address. */
PE__INLINE void pe__zip_store(double *p, pe__vd s, pe__vd c)
{
    pe__vd a, b;
    pe__zip_two(s, c, &a, &b);
    pe__store(p, a);
    pe__store(p + PE_LANES, b);
}

/* Returns the integer nearest to a, ties to even, for |a| < 2^51. Adding 1.5 * 2^52 leaves no bits
   for a fraction. */
PE__INLINE pe__vd pe__round(pe__vd a)
{
    const pe__vd big = pe__splat(6755399441055744.0);
    return (a + big) - big;
}

/* The type pe__bits has the bits of each double of a pe__vd as an integer. */
#if PE_ISA == PE_ISA_SCALAR
typedef uint64_t pe__bits;
#else
typedef uint64_t pe__bits __attribute__((__vector_size__(8 * PE_LANES)));
#endif

/* Returns 2^k for an integer k within -1022 ... 1023, and a meaningless number for other k. Adding
   1.5 * 2^52 + 1023 puts k + 1023, the biased exponent of 2^k, into the last bits. The shift moves
   the exponent to its place. */
PE__INLINE pe__vd pe__power_of_2(pe__vd k)
{
    pe__vd y = k + pe__splat(6755399441055744.0 + 1023);
    pe__bits bits;
    memcpy(&bits, &y, sizeof bits);
    bits <<= 52;
    memcpy(&y, &bits, sizeof y);
    return y;
}

/* Returns m and sets *e with a = m 2^e, 0.5 <= m < 1, for a normal a > 0. */
PE__INLINE pe__vd pe__mantissa(pe__vd a, pe__vd *e)
{
    pe__bits bits, exponent;
    memcpy(&bits, &a, sizeof bits);
    exponent = bits >> 52 | 0x4330000000000000u; /* as a double: 2^52 + biased exponent */
    bits = (bits & 0xfffffffffffffu) | 0x3fe0000000000000u; /* a with the exponent of 0.5 */
    memcpy(&a, &exponent, sizeof a);
    *e = a - pe__splat(4503599627370496.0 + 1022);
    memcpy(&a, &bits, sizeof a);
    return a;
}

/* Returns p[k mod 16] for an integer k with |k| < 2^51, lane by lane. The vector is built in
   registers: a load of an array would stall on the narrower stores that have just filled it. */
#if PE_ISA != PE_ISA_AVX512
PE__INLINE pe__vd pe__lookup_16(const double *p, pe__vd k)
{
    uint64_t n[PE_LANES];
    const pe__vd last = k + pe__splat(6755399441055744.0); /* k in the last bits, see pe__round() */
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

/* Returns, in each lane, b if a > 0, else c. */
PE__INLINE pe__vd pe__where_positive(pe__vd a, pe__vd b, pe__vd c)
{
#if PE_ISA == PE_ISA_SCALAR
    return a > 0 ? b : c;
#else
    const pe__bits mask = (pe__bits)(a > pe__splat(0.0));
    return (pe__vd)((mask & (pe__bits)b) | (~mask & (pe__bits)c));
#endif
}

/* Reduces an angle of t (f + g) half-turns: t (f + g) = k / 2 + remainder, where k is an integer
   near 2 t f, the number of quadrants. The frequency is the sum of two doubles f and g. The inputs
   must satisfy |t f| <= 2^47 and |g| <= 2^-53 |f|. Returns the remainder after two roundings, or
   three where nothing is fused. Sets *quadrant = k / 2 + shift. The argument `shift` is
   pe__quadrant_shift, so that k is in the last bits of *quadrant. With a shift of
   pe__quadrant_shift + n / 2, the last bits hold k + n, which rotates by n more quadrants. */
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

/* pe__rotate() rotates (a, b), a sine and a cosine, by an angle with sine ts and cosine tc. The
   results a[0] and b[0] are for the sum of both angles, a[1] and b[1] for their difference. If a is
   the cosine and b the sine, it is the other way round. */
typedef struct pe__rotated {
    pe__vd a[2], b[2];
} pe__rotated;
PE__INLINE pe__rotated pe__rotate(pe__vd a, pe__vd b, pe__vd ts, pe__vd tc)
{
    const pe__vd aC = a * tc, bC = b * tc;
    pe__rotated r;
    r.a[0] = pe__fma(b, ts, aC);
    r.b[0] = pe__fnma(a, ts, bC);
    r.a[1] = pe__fnma(b, ts, aC);
    r.b[1] = pe__fma(a, ts, bC);
    return r;
}

/* Returns the index of the lowest bit that is set in x, which is not 0. */
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

/* Returns s = a + b, rounded, and sets *e with s + *e = a + b exactly (Knuth). */
PE__INLINE pe__vd pe__two_sum(pe__vd a, pe__vd b, pe__vd *e)
{
    const pe__vd s = a + b, z = s - a;
    *e = (a - (s - z)) + (b - z);
    return s;
}

/* Does what pe__two_sum() does, with half of the operations. Needs |a| >= |b| or a = 0 (Dekker). */
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
