/* SPDX-License-Identifier: MIT */
/*
 * Writes rows 0 ... 511 of every preset of one axis, and a grid of the others, as float32 to standard
 * output, each under a line "name rows d_model": tests/checks/parity.py compares them.
 */
#include "presets.h"

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    static const size_t widths[] = {64, 37};
    static float table[512 * 64];
    for (int k = 0; k < PE_PRESET_COUNT; k++) {
        for (int w = 0; w < 2; w++) {
            const size_t d = widths[w], shape[3] = {8, 8, 8}, square[2] = {16, 32};
            const pe_config config = pe_config_preset((pe_preset)k, d);
            const size_t size = pe_plan_size(&config);
            pe_plan plan;
            if (size == 0) continue;
            void *memory = malloc(size);
            if (!memory || pe_plan_init(&plan, &config, memory, size) != PE_OK) return 1;
            const pe_at at = config.axes == 1 ? pe_from(0)
                                              : pe_grid(config.axes == 2 ? square : shape, config.axes);
            if (pe_fill_f32(&plan, at, 512, table, d) != PE_OK) return 1;
            printf("%s 512 %zu\n", preset_names[k], d);
            if (fwrite(table, sizeof *table, 512 * d, stdout) != 512 * d) return 1;
            free(memory);
        }
    }
    return 0;
}
