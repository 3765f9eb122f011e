/* SPDX-License-Identifier: MIT
 *
 * increments: prints the phase increments of Llama 3.1 8B as JSON, four words per pair. It also prints the
 * bits of the table that a kernel has to compute from them, in rows of [sine, cosine]. webgpu.html reads
 * the file.
 *
 *     cc -std=c99 -O2 -I. examples/gpu/increments.c -o increments -lm
 *     ./increments >examples/gpu/increments.json
 */
#include "pe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PAIRS = 64, FIRST = 126976, ROWS = 512 };

static void print(const char *name, const uint32_t *words, size_t count)
{
    printf("\"%s\": [", name);
    for (size_t i = 0; i < count; i++) printf("%s%" PRIu32, i > 0 ? ", " : "", words[i]);
    printf("]");
}

int main(void)
{
    static unsigned char memory[PE_PLAN_BYTES(2 * PAIRS) + 2048];
    static uint32_t increments[4 * PAIRS], bits[2 * PAIRS * ROWS];
    static float table[2 * PAIRS * ROWS];
    pe_rope_config config = pe_rope_config_default(2 * PAIRS);
    config.rope_theta = 500000;
    config.rope_type = PE_ROPE_LLAMA3;
    config.factor = 8;
    config.original_max_position_embeddings = 8192;
    config.layout = PE_LAYOUT_INTERLEAVED;
    config.expected_rows = 1;
    pe_plan plan;
    pe_status status = pe_rope_plan_init(&plan, &config, memory, sizeof memory);
    if (status == PE_OK) status = pe_fixed_increments(&plan, increments);
    if (status == PE_OK) status = pe_fill_f32(&plan, pe_from(FIRST), ROWS, table, 2 * PAIRS);
    if (status != PE_OK) {
        fprintf(stderr, "%s\n", pe_status_string(status));
        return 1;
    }
    memcpy(bits, table, sizeof bits);
    printf("{\"first\": %d, \"rows\": %d, ", FIRST, ROWS);
    print("increments", increments, 4 * PAIRS);
    printf(", ");
    print("bits", bits, 2 * PAIRS * ROWS);
    printf("}\n");
    return 0;
}
