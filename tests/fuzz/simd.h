/* SPDX-License-Identifier: MIT */
/* Lists the calls of the library that is compiled for one instruction set. simd_code.c exports this
 * list, and simd.c uses it. */
#ifndef PE_FUZZ_SIMD_H
#define PE_FUZZ_SIMD_H

#define FUZZ_FILL
#define FUZZ_ROPE
#define FUZZ_TABLES
#include "calls.h"
#include "place.h"

typedef struct fuzz_code {
    const char *name;
    const fuzz_fill *fill;
    const fuzz_rope *rope;
    const fuzz_bias *bias;
    pe_status (*plan)(pe_plan *, const pe_config *, void *, size_t);
    pe_status (*rope_plan)(pe_plan *, const pe_rope_config *, void *, size_t);
    pe_status (*plan_frequencies)(const pe_plan *, double *);
    pe_status (*dot)(const pe_plan *, pe_at, size_t, double *);
    pe_status (*sinusoidal)(float *, size_t, size_t);
    pe_status (*slopes)(size_t, float, float *);
    pe_status (*resample)(const float *, size_t, size_t, size_t, const pe_resample *, float *,
                          size_t, size_t);
    pe_status (*ggml)(const pe_rope_ggml *, pe_at, size_t, float *, float *, size_t);
    pe_status (*t5)(size_t, size_t, int, pe_at, size_t, pe_at, size_t, int32_t *);
    pe_status (*query_scale)(pe_query_scale, double, size_t, double, pe_at, size_t, float *);
} fuzz_code;

#endif /* PE_FUZZ_SIMD_H */
