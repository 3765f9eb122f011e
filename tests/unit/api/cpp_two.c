/* SPDX-License-Identifier: MIT */
/*
 * This is the C half of test_cpp.cpp, a second translation unit that includes the header. The
 * header comes first of all, and again. Linking the two units proves that the header defines
 * nothing twice and that both see one layout.
 */
#include "pe.h"

#include "pe.h"

#include "cpp_two.h"

#include <stdlib.h>

pe_status two_fill(size_t d_model, int64_t first, size_t rows, float *f32, double *f64)
{
    const pe_config config = pe_config_default(d_model);
    const size_t bytes = pe_plan_size(&config);
    void *memory = malloc(bytes > 0 ? bytes : 1);
    pe_plan plan;
    pe_status status = pe_plan_init(&plan, &config, memory, bytes);
    if (status == PE_OK) status = pe_fill_f32(&plan, pe_from(first), rows, f32, d_model);
    if (status == PE_OK) status = pe_fill_f64(&plan, pe_from(first), rows, f64, d_model);
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
        s = pe_alibi_fill_f32(slopes, heads, mode, pe_from(3), queries, pe_from(0), keys, f32, keys,
                              all);
    if (s == PE_OK)
        s = pe_alibi_fill_f16(slopes, heads, mode, pe_from(3), queries, pe_from(0), keys, f16, keys,
                              all);
    if (s == PE_OK)
        s = pe_alibi_fill_bf16(slopes, heads, mode, pe_from(3), queries, pe_from(0), keys, bf16,
                               keys, all);
    if (s == PE_OK)
        s = pe_alibi_add_f32(slopes, heads, mode, pe_from(3), queries, pe_from(0), keys, f32, keys,
                             all);
    if (s == PE_OK)
        s = pe_alibi_add_f16(slopes, heads, mode, pe_from(3), queries, pe_from(0), keys, f16, keys,
                             all);
    if (s == PE_OK)
        s = pe_alibi_add_bf16(slopes, heads, mode, pe_from(3), queries, pe_from(0), keys, bf16,
                              keys, all);
    return s;
}

pe_status two_learned(const float *table, size_t table_rows, size_t d_model, float *x, float *grad,
                      float *resampled, size_t rows)
{
    pe_status s = PE_OK;
    for (size_t r = 0; r < rows && s == PE_OK; r++) {
        const int64_t position = (int64_t)(2 * r % table_rows);
        float *row = x + r * d_model;
        s = pe_learned_add_f32(table, table_rows, d_model, pe_at_i64(&position), 1, row, d_model);
        if (s == PE_OK)
            s = pe_learned_grad_f32(grad, table_rows, d_model, pe_at_i64(&position), 1, row,
                                    d_model);
    }
    return s != PE_OK
               ? s
               : pe_learned_resample_f32(table, table_rows, 1, d_model, NULL, resampled, rows, 1);
}

pe_status two_engine(const two_calls *c)
{
    enum { N = 6, D = 512 };
    const size_t sizes[2] = {2, 3};
    const pe_heads heads = {2, 64, 128}, scattered = {2, 64 * N, 64};
    pe_config config = pe_config_default(D);
    pe_rope_config model = pe_rope_config_default(64);
    pe_plan plan;
    pe_status s = pe_plan_init(&plan, &config, c->memory, c->bytes);
    if (s == PE_OK) s = pe_fill_f32(&plan, pe_at_i32(c->ids), N, c->out, D);
    config.axes = 2;
    if (s == PE_OK) s = pe_plan_init(&plan, &config, c->memory, c->bytes);
    if (s == PE_OK) s = pe_add_bf16(&plan, pe_grid(sizes, 2), N, 1, c->x, D);
    if (s == PE_OK) s = pe_rope_plan_init(&plan, &model, c->memory, c->bytes);
    if (s == PE_OK) s = pe_rope_f32(&plan, pe_from(77), 1, c->q, heads);
    if (s == PE_OK) s = pe_rope_f16(&plan, pe_back(pe_at_i64(c->wide)), N, c->grad, heads);
    if (s == PE_OK) s = pe_rope_bf16(&plan, pe_delta(pe_from_by(-512, 0)), N, c->keys, heads);
    model.axes = 3, model.sections[0] = 16, model.sections[1] = model.sections[2] = 8;
    if (s == PE_OK) s = pe_rope_plan_init(&plan, &model, c->memory, c->bytes);
    return s != PE_OK ? s
                      : pe_rope_to_f32(&plan, pe_coords_f32(c->xyz, 3, 3, 1), N, 64, c->in, heads,
                                       c->turned, scattered);
}

size_t two_sizeof(int which)
{
    const size_t sizes[] = {sizeof(pe_config), sizeof(pe_plan), sizeof(pe_status), sizeof(pe_at),
                            sizeof(pe_heads)};
    return sizes[which];
}

const char *two_text(pe_status status) { return pe_status_string(status); }

size_t two_rope_sizeof(void) { return sizeof(pe_rope_config); }

pe_status two_rope(const pe_rope_config *config, double *omega, double *attention_factor)
{
    return pe_rope_frequencies(config, omega, attention_factor);
}
