/* SPDX-License-Identifier: MIT
 *
 * increments: runs on the computer that builds the firmware and prints increments.h for rope.c. That
 * file has the phase increments of a model's frequencies, here of the TinyStories models of llama2.c,
 * whose base is 10,000 and whose heads have 48 elements.
 *
 *     cc -std=c99 -O2 -I. examples/microcontroller/increments.c -o increments -lm
 *     ./increments >increments.h
 */
#include "pe.h"

#include <inttypes.h>
#include <stdio.h>

int main(void)
{
    enum { PAIRS = 24 };
    static unsigned char memory[PE_PLAN_BYTES(2 * PAIRS)];
    static uint32_t words[4 * PAIRS];
    pe_config config = pe_config_default(2 * PAIRS);
    config.expected_rows = 1;
    pe_plan plan;
    pe_status status = pe_plan_init(&plan, &config, memory, sizeof memory);
    if (status == PE_OK) status = pe_fixed_increments(&plan, words);
    if (status != PE_OK) {
        fprintf(stderr, "%s\n", pe_status_string(status));
        return 1;
    }
    printf("enum { PAIRS = %d };\nstatic const pe_fixed_increment increments[PAIRS] = {\n", PAIRS);
    for (const uint32_t *w = words; w < words + 4 * PAIRS; w += 4)
        printf("    {{0x%08" PRIx32 "u, 0x%08" PRIx32 "u, 0x%08" PRIx32 "u, 0x%08" PRIx32 "u}},\n",
               w[0], w[1], w[2], w[3]);
    printf("};\n");
    return 0;
}
