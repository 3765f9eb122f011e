/* SPDX-License-Identifier: MIT */
/*
 * Writes arrays of float32 to standard output, for tests/checks/parity.py to compare. For RoPE in each layout, these
 * are x, the cosines, the sines and the rotated x. For adding, these are x, a table, and their scaled sum. Each array
 * follows a line "name rows columns".
 */
#include "pe.h"

#include <stdio.h>

enum { ROWS = 64, N = 96 };
static float x[ROWS * N], cosines[ROWS * N], sines[ROWS * N], out[ROWS * N];

static int write_rows(const char *name, const float *rows)
{
    printf("%s %d %d\n", name, ROWS, N);
    return fwrite(rows, sizeof *rows, ROWS * N, stdout) != ROWS * N;
}

/* Writes the arrays of one rotation in the given layout, or, if `add` is set, those of a scaled sum. */
static int write_turns(const char *name, pe_layout layout, int add)
{
    static double memory[1 << 14];
    const pe_heads heads = {1, 0, N};
    pe_config config = pe_config_default(N);
    pe_plan plan;
    uint32_t state = 12345;
    for (size_t i = 0; i < ROWS * N; i++) {
        state = state * 1664525u + 1013904223u;
        x[i] = out[i] = (float)(state >> 8) / 2097152.0f - 4;
    }
    config.layout = layout;
    int status = pe_plan_init(&plan, &config, memory, sizeof memory) != PE_OK;
    if (add) {
        status |= pe_fill_f32(&plan, pe_from(100000), ROWS, sines, N) != PE_OK;
        status |=
            pe_add_f32(&plan, pe_from(100000), ROWS, 9.797959f, out, N) != PE_OK; /* sqrt(96) */
    } else {
        status |= pe_rope_table_f32(&plan, pe_from(100000), ROWS, PE_ROPE_TABLE_TWICE, cosines,
                                    sines, N, NULL) != PE_OK;
        status |= pe_rope_f32(&plan, pe_from(100000), ROWS, out, heads) != PE_OK;
    }
    return status || write_rows("x", x) || write_rows("cos", cosines) || write_rows("sin", sines) ||
           write_rows(name, out);
}

int main(void)
{
    return write_turns("rotate_half", PE_LAYOUT_HALVES, 0) ||
           write_turns("rotate_every_two", PE_LAYOUT_INTERLEAVED, 0) ||
           write_turns("scaled", PE_LAYOUT_INTERLEAVED, 1);
}
