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

pe_status two_learned(const float *table, size_t table_rows, size_t d_model, float *x, float *grad,
                      float *resampled, size_t rows)
{
    const pe_resample how = pe_resample_default();
    pe_status s = PE_OK;
    for (size_t r = 0; r < rows && s == PE_OK; r++) {
        const int64_t position = (int64_t)(2 * r % table_rows);
        float *row = x + r * d_model;
        s = pe_learned_add_f32(table, table_rows, d_model, &position, 1, row, d_model);
        if (s == PE_OK)
            s = pe_learned_grad_f32(row, d_model, &position, 1, grad, table_rows, d_model);
    }
    return s != PE_OK ? s
                      : pe_learned_resample_f32(table, table_rows, d_model, &how, resampled, rows);
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
