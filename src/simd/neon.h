/* SPDX-License-Identifier: MIT */
/* This file defines the operations of pe_simd.h that need intrinsics of NEON. The others are in
 * vectors.h and derived.h. Tested by tests/unit/simd/test_types.c. */
#pragma once
#include "choice.h"
#include "compiler.h"
#include "one.h"
#include "vectors.h"

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
