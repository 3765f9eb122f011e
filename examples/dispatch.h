/* SPDX-License-Identifier: MIT
 *
 * What dispatch.c and the builds of dispatch_isa.c know of each other.
 */
#ifndef DISPATCH_H
#define DISPATCH_H

#include "pe.h"

/* The functions that this program uses, of one instruction set. Signatures as in pe.h. */
typedef struct kernels {
    const char *isa, *sleef;
    size_t (*plan_size)(const pe_config *config);
    pe_status (*plan_init)(pe_plan *plan, const pe_config *config, void *memory, size_t size);
    pe_status (*fill_f32)(const pe_plan *plan, pe_at at, size_t rows, float *out, size_t stride);
    pe_status (*rope_f32)(const pe_plan *plan, pe_at at, size_t tokens, float *x, pe_heads heads);
} kernels;

/* One of these is defined by each build of dispatch_isa.c. */
#ifdef __cplusplus
extern "C" {
#endif
extern const kernels kernels_scalar, kernels_neon, kernels_avx2, kernels_avx512;
#ifdef __cplusplus
}
#endif

#endif /* DISPATCH_H */
