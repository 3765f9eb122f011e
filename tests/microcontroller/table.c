/* SPDX-License-Identifier: MIT
 *
 * table: prints table.h for count.c, with the increments and frequencies of base 10,000 and 256
 * pairs. */
#include "pe.h"

#include <inttypes.h>
#include <stdio.h>

enum { PAIRS = 256 };

int main(void)
{
    static unsigned char memory[PE_PLAN_BYTES(2 * PAIRS)];
    static uint32_t words[4 * PAIRS];
    static double omega[PAIRS];
    pe_config config = pe_config_default(2 * PAIRS);
    config.expected_rows = 1;
    pe_plan plan;
    pe_status status = pe_plan_init(&plan, &config, memory, sizeof memory);
    if (status == PE_OK) status = pe_fixed_increments(&plan, words);
    if (status == PE_OK) status = pe_plan_frequencies(&plan, omega);
    if (status != PE_OK) return 1;
    printf("static const pe_fixed_increment increments[%d] = {\n", PAIRS);
    for (const uint32_t *w = words; w < words + 4 * PAIRS; w += 4)
        printf("    {{%" PRIu32 "u, %" PRIu32 "u, %" PRIu32 "u, %" PRIu32 "u}},\n", w[0], w[1],
               w[2], w[3]);
    printf("};\nstatic const double frequencies[%d] = {\n", PAIRS);
    for (int i = 0; i < PAIRS; i++) printf("    %.17g,\n", omega[i]);
    printf("};\n");
    return 0;
}
