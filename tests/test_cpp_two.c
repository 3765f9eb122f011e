/* SPDX-License-Identifier: MIT */
/*
 * The C half of test_cpp.cpp: a second translation unit that includes the header, first of all and
 * again, so that linking the two proves that it defines nothing twice and that both see one layout.
 */
#include "pe.h"

#include "pe.h"

#include "test_cpp_two.h"

#include <stdlib.h>

pe_status two_fill(size_t d_model, int64_t first, size_t rows, float *f32, double *f64)
{
    const pe_config config = pe_config_default(d_model);
    const size_t bytes = pe_plan_size(&config);
    void *memory = malloc(bytes > 0 ? bytes : 1);
    pe_plan plan;
    pe_status status = pe_plan_init(&plan, &config, memory, bytes);
    if (status == PE_OK)
        status = pe_fill_f32(&plan, first, rows, f32, d_model);
    if (status == PE_OK)
        status = pe_fill_f64(&plan, first, rows, f64, d_model);
    free(memory);
    return status;
}

pe_status two_alibi(size_t heads, size_t queries, size_t keys, float *f32, uint16_t *f16,
                    uint16_t *bf16)
{
    const pe_alibi_mode mode = PE_ALIBI_CAUSAL;
    const size_t all = queries * keys;
    float slopes[64];
    pe_status s = pe_alibi_slopes_f32(heads, 8.0f, slopes);
    if (s == PE_OK)
        s = pe_alibi_fill_f32(slopes, heads, mode, 3, queries, keys, f32, keys, all);
    if (s == PE_OK)
        s = pe_alibi_fill_f16(slopes, heads, mode, 3, queries, keys, f16, keys, all);
    if (s == PE_OK)
        s = pe_alibi_fill_bf16(slopes, heads, mode, 3, queries, keys, bf16, keys, all);
    if (s == PE_OK)
        s = pe_alibi_add_f32(slopes, heads, mode, 3, queries, keys, f32, keys, all);
    if (s == PE_OK)
        s = pe_alibi_add_f16(slopes, heads, mode, 3, queries, keys, f16, keys, all);
    if (s == PE_OK)
        s = pe_alibi_add_bf16(slopes, heads, mode, 3, queries, keys, bf16, keys, all);
    return s;
}

size_t two_sizeof(int which)
{
    return which == 0 ? sizeof(pe_config) : which == 1 ? sizeof(pe_plan) : sizeof(pe_status);
}

const char *two_text(pe_status status) { return pe_status_string(status); }

size_t two_rope_sizeof(void) { return sizeof(pe_rope_config); }

pe_status two_rope(const pe_rope_config *config, double *omega, double *attention_factor)
{
    return pe_rope_frequencies(config, omega, attention_factor);
}
