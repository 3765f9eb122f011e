/* SPDX-License-Identifier: MIT */
/*
 * This file is the whole library for one instruction set. The script run.sh compiles it once for
 * each of them, with flags that choose it, and with -DFUZZ_CODE=NAME, the name of the fuzz_code.
 */
#include "simd.h"

extern const fuzz_code FUZZ_CODE;
const fuzz_code FUZZ_CODE = {
    PE_ISA_NAME,
    fuzz_fills,
    fuzz_ropes,
    fuzz_biases,
    pe_plan_init,
    pe_rope_plan_init,
    pe_plan_frequencies,
    pe_dot_f64,
    pe_sinusoidal_f32,
    pe_alibi_slopes_f32,
    pe_learned_resample_f32,
    pe_rope_ggml_f32,
    pe_bias_t5_i32,
    pe_rope_query_scale_f32,
};
