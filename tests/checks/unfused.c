/* SPDX-License-Identifier: MIT */
/*
 * Prints, for unfused.sh, one hash for each type of each verb that adds products: rotation with a plan and with a
 * table, shifts, and sums with a scale. A build that fuses one of the products has another hash.
 */
#include <stdio.h>

#include "pe.h"

enum { TOKENS = 40, HEADS = 3, N = 154, D = N, ALL = TOKENS * HEADS * N };
static float f[ALL], sines[TOKENS * N], cosines[TOKENS * N];
static double g[ALL];
static uint16_t h[ALL], bf[ALL];
static unsigned char memory[1 << 17];

static uint64_t state;
static double random_unit(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(state >> 11) / 9007199254740992.0;
}

static void values(void)
{
    state = 1;
    for (size_t i = 0; i < ALL; i++) {
        g[i] = 8 * random_unit() - 4;
        f[i] = (float)g[i];
        h[i] = (uint16_t)(0x2c00 + (state >> 40) % 0x1c00 + (state >> 60) % 2 * 0x8000);
        bf[i] = (uint16_t)(0x3d80 + (state >> 40) % 0x0300 + (state >> 60) % 2 * 0x8000);
    }
}

static uint64_t hash_of(uint64_t hash, const void *x, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ ((const unsigned char *)x)[i]) * UINT64_C(1099511628211);
    return hash;
}

static int failed;
static void say(const char *what, int status)
{
    uint64_t hash = hash_of(UINT64_C(14695981039346656037), f, sizeof f);
    hash = hash_of(hash, g, sizeof g);
    hash = hash_of(hash_of(hash, h, sizeof h), bf, sizeof bf);
    failed |= status;
    printf("%s %08lx%08lx\n", what, (unsigned long)(hash >> 32),
           (unsigned long)(hash & 0xffffffff));
}

int main(void)
{
    const pe_heads heads = {HEADS, N, HEADS * N};
    const float scale = 11.313708f;
    for (int k = 0; k < 2; k++) {
        const pe_layout layout = k ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
        pe_rope_table table = {cosines, sines, PE_TYPE_F32, PE_ROPE_TABLE_APART, 0, 0, 0};
        pe_config config = pe_config_default(N);
        pe_plan plan;
        config.layout = layout, config.amplitude = 1.25;
        if (pe_plan_init(&plan, &config, memory, sizeof memory) != PE_OK) return 1;
        values();
        int status = pe_rope_f32(&plan, pe_from(77), TOKENS, f, heads) != PE_OK;
        status |= pe_rope_f16(&plan, pe_from(77), TOKENS, h, heads) != PE_OK;
        status |= pe_rope_bf16(&plan, pe_from(77), TOKENS, bf, heads) != PE_OK;
        say(k ? "rope, halves" : "rope, adjacent", status);
        status = pe_rope_table_f32(&plan, pe_from(5), TOKENS, PE_ROPE_TABLE_APART, cosines, sines,
                                   N, &table) != PE_OK;
        status |= pe_rope_by_table_f32(&table, layout, pe_from(0), TOKENS, f, heads) != PE_OK;
        say("by a table", status);
        values();
        status = pe_shift_f32(&plan, pe_all(77), ALL / D, f, D) != PE_OK;
        status |= pe_shift_f64(&plan, pe_all(77), ALL / D, g, D) != PE_OK;
        status |= pe_shift_f16(&plan, pe_all(77), ALL / D, h, D) != PE_OK;
        status |= pe_shift_bf16(&plan, pe_all(77), ALL / D, bf, D) != PE_OK;
        say("shift", status);
        values();
        status = pe_add_f32(&plan, pe_from(9), ALL / D, scale, f, D) != PE_OK;
        status |= pe_add_f64(&plan, pe_from(9), ALL / D, (double)scale, g, D) != PE_OK;
        status |= pe_add_f16(&plan, pe_from(9), ALL / D, scale, h, D) != PE_OK;
        status |= pe_add_bf16(&plan, pe_from(9), ALL / D, scale, bf, D) != PE_OK;
        say("add", status);
        values();
        status =
            pe_add_batch_f32(&plan, pe_from(9), 20, ALL / D / 20, scale, f, D, 20 * D) != PE_OK;
        status |= pe_add_batch_f64(&plan, pe_from(9), 20, ALL / D / 20, (double)scale, g, D,
                                   20 * D) != PE_OK;
        status |=
            pe_add_batch_f16(&plan, pe_from(9), 20, ALL / D / 20, scale, h, D, 20 * D) != PE_OK;
        status |=
            pe_add_batch_bf16(&plan, pe_from(9), 20, ALL / D / 20, scale, bf, D, 20 * D) != PE_OK;
        say("add to a batch", status);
    }
    printf("pe_selftest: %s\n", pe_selftest() == PE_ERR_SELFTEST ? "wrong bits" : "right");
    return failed;
}
