/* SPDX-License-Identifier: MIT */
/*
 * Computes ordinary tables. levels.sh compiles this program with a copy of pe.h whose exact level ends the program. The
 * exact level takes about 80 us per element. No element of an ordinary table may need it, neither at position 0 nor in
 * pairs with the frequency 0.
 */
#include "pe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { D = 128, ROWS = 700 };

static void ok(pe_status status)
{
    if (status == PE_OK) return;
    fprintf(stderr, "ordinary: %s\n", pe_status_string(status));
    exit(1);
}

static void rows_of(const pe_plan *plan, pe_at at)
{
    static float f[ROWS * D];
    static double x[ROWS * D];
    static uint16_t h[ROWS * D];
    ok(pe_fill_f32(plan, at, ROWS, f, D));
    ok(pe_fill_f64(plan, at, ROWS, x, D));
    ok(pe_fill_f16(plan, at, ROWS, h, D));
    ok(pe_fill_bf16(plan, at, ROWS, h, D));
}

int main(void)
{
    static const pe_rope_type types[] = {PE_ROPE_DEFAULT, PE_ROPE_LLAMA3, PE_ROPE_PROPORTIONAL};
    static unsigned char memory[1 << 16];
    static float heads[ROWS * D], x[ROWS * D];
    static const double still[D / 2] = {1, 0.5}; /* the other frequencies are 0 */
    const pe_heads one = {1, D, D};
    int32_t ids[ROWS];
    pe_plan plan;
    for (int r = 0; r < ROWS; r++) ids[r] = (int32_t)(r * 7919 % ROWS);
    for (int k = 0; k < 4; k++) {
        pe_config c = pe_config_default(D);
        c.layout = k % 2 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
        c.cos_first = k == 2, c.amplitude = k == 2 ? -0.7 : 1;
        c.angle = k == 3 ? PE_ANGLE_FLOAT32 : PE_ANGLE_EXACT;
        ok(pe_plan_init(&plan, &c, memory, sizeof memory));
        rows_of(&plan, pe_from(0)), rows_of(&plan, pe_from(-ROWS / 2)),
            rows_of(&plan, pe_at_i32(ids));
        rows_of(&plan, pe_all(0)), rows_of(&plan, pe_back(pe_from(0)));
        ok(pe_plan_init_frequencies(&plan, &c, still, D / 2, memory, sizeof memory));
        rows_of(&plan, pe_from(0));
    }
    for (int k = 0; k < 3; k++) {
        pe_rope_config c = pe_rope_config_default(D);
        c.rope_type = types[k], c.factor = 8, c.original_max_position_embeddings = 8192;
        c.rotary_dim = k == 2 ? D / 4 : D; /* partial: the other pairs are not rotated */
        ok(pe_rope_plan_init(&plan, &c, memory, sizeof memory));
        ok(pe_rope_f32(&plan, pe_from(0), ROWS, heads, one));
    }
    ok(pe_sinusoidal_f32(x, ROWS, D));
    return 0;
}
