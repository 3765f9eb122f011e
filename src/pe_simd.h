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

#include "simd/choice.h"
#include "simd/compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

#include "simd/one.h"
#include "simd/vectors.h"
#include "simd/avx512.h"
#include "simd/avx2.h"
#include "simd/neon.h"
#include "simd/sse2.h"
#include "simd/scalar.h"
#include "simd/derived.h"

#ifdef __cplusplus
}
#endif

#undef PE__HAVE_FMA

#endif /* PE_SIMD_H */
