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
