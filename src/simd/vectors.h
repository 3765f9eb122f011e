/* SPDX-License-Identifier: MIT */
/* GNU C's vectors: their types, and the operations that operators alone can write.
 * Gives: PE_LANES, PE__FUSES, pe__vd, pe__vf, pe__vi, pe__vl, pe__vu, pe__tie_watch, pe__abs(),
 *   pe__abs_f32(), pe__get(), pe__get_bf16_evens(), pe__get_bf16_odds(), pe__load(), pe__put(),
 *   pe__quiet(), pe__splat_i32(), pe__store(), pe__tie_watch_begin(), pe__up_bf16().
 * Tests: tests/unit/test_types.c. */
#pragma once
#include "choice.h"
#include "compiler.h"

/* ---- GNU C's vectors ------------------------------------------------------------------------- */
#if PE_ISA != PE_ISA_SCALAR

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

PE__INLINE pe__vd pe__load(const double *p)
{
    pe__vd a;
    memcpy(&a, p, sizeof a);
    PE__OPAQUE(a);
    return a;
}
PE__INLINE void pe__store(double *p, pe__vd a) { memcpy(p, &a, sizeof a); }
PE__INLINE pe__vf pe__get(const float *p)
{
    pe__vf v;
    memcpy(&v, p, sizeof v);
    return v;
}
PE__INLINE void pe__put(float *p, pe__vf v) { memcpy(p, &v, sizeof v); }
PE__INLINE pe__vi pe__splat_i32(int32_t x)
{
    const pe__vi zero = {0};
    return zero + x;
}
PE__INLINE pe__vd pe__abs(pe__vd a) { return (pe__vd)((pe__vl)a & INT64_MAX); }
PE__INLINE pe__vf pe__abs_f32(pe__vf a) { return (pe__vf)((pe__vi)a & INT32_MAX); }

#if PE_ISA != PE_ISA_AVX512 /* which has shorter code for it */
/* Every NaN becomes sign | 0x7fc00000. */
PE__INLINE pe__vf pe__quiet(pe__vf v)
{
    const pe__vi bits = (pe__vi)v, nan = (pe__vi)((bits & INT32_MAX) > 0x7f800000);
    return (pe__vf)((bits & ~(nan & 0x003fffff)) | (nan & 0x00400000));
}
#endif

/* The upper 16 bits are v as a bf16, rounded to nearest even. */
PE__INLINE pe__vu pe__up_bf16(pe__vf v)
{
    const pe__vu bits = (pe__vu)v;
    return bits + 0x7fff + (bits >> 16 & 1);
}
PE__INLINE pe__vf pe__get_bf16_evens(const uint16_t *p)
{
    pe__vu both;
    memcpy(&both, p, sizeof both);
    return (pe__vf)(both << 16);
}
PE__INLINE pe__vf pe__get_bf16_odds(const uint16_t *p)
{
    pe__vu both;
    memcpy(&both, p, sizeof both);
    return (pe__vf)(both & 0xffff0000u);
}

/* The least distance from a tie and the least size so far. They begin with the bits of FLT_MAX,
   which is above every window and guard. */
typedef struct pe__tie_watch {
    pe__vi low, size;
} pe__tie_watch;
PE__INLINE pe__tie_watch pe__tie_watch_begin(void)
{
    const pe__tie_watch w = {pe__splat_i32(0x7f7fffff), pe__splat_i32(0x7f7fffff)};
    return w;
}

#endif
