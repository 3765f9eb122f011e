/* SPDX-License-Identifier: MIT
 *
 * A program of somebody who has pe installed; C99, and C++11 by client.cpp. Prints what it was built
 * with in lines that begin with #, then hashes of what it computed, the same from every build. With
 * an argument: its version, as the five macros say it, must be that.
 */
#include <pe.h>
#include <pe.h> /* twice is once */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 96, ROWS = 70, HEADS = 3 };

static uint64_t hash(const void *data, size_t bytes)
{
    const unsigned char *p = (const unsigned char *)data;
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < bytes; i++) h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return h;
}

static int say(const char *what, pe_status status, const void *data, size_t bytes)
{
    if (status != PE_OK) {
        printf("%s: %s\n", what, pe_status_string(status));
        return 1;
    }
    printf("%-24s %016" PRIx64 "\n", what, hash(data, bytes));
    return 0;
}

int main(int argc, char **argv)
{
    static float table[ROWS * WIDTH];
    static uint16_t half[ROWS * WIDTH];
    char version[48];
    int failed = 0;

    printf("# pe %s, %s, SLEEF: %s\n", PE_VERSION_STRING, PE_ISA_NAME, PE_SLEEF_NAME);
    snprintf(version, sizeof version, "%d.%d.%d", PE_VERSION_MAJOR, PE_VERSION_MINOR,
             PE_VERSION_PATCH);
    if (strcmp(version, PE_VERSION_STRING) != 0 || (argc > 1 && strcmp(version, argv[1]) != 0) ||
        PE_VERSION_HEX != (PE_VERSION_MAJOR << 16 | PE_VERSION_MINOR << 8 | PE_VERSION_PATCH)) {
        printf("version %s, \"%s\", 0x%06x, expected %s\n", version, PE_VERSION_STRING,
               (unsigned)PE_VERSION_HEX, argc > 1 ? argv[1] : "all the same");
        failed = 1;
    }

    failed |= say("pe_sinusoidal_f32", pe_sinusoidal_f32(table, ROWS, WIDTH), table, sizeof table);

    pe_config config = pe_config_default(WIDTH);
    config.base = 500000;
    pe_plan plan;
    void *memory = malloc(pe_plan_size(&config));
    if (memory == NULL) return 1;
    failed |= say("pe_plan_init", pe_plan_init(&plan, &config, memory, pe_plan_size(&config)), "", 0);
    failed |= say("pe_fill_f32", pe_fill_f32(&plan, 16000000, ROWS, table, WIDTH), table,
                  sizeof table);
    failed |= say("pe_fill_bf16", pe_fill_bf16(&plan, -ROWS, ROWS, half, WIDTH), half, sizeof half);

    /* Real positions take sines for each row: with SLEEF, this is what calls it. */
    double positions[ROWS];
    for (int i = 0; i < ROWS; i++) positions[i] = i * 1.37 - 20000;
    failed |= say("pe_fill_real_f32", pe_fill_real_f32(&plan, positions, ROWS, table, WIDTH), table,
                  sizeof table);
    failed |= say("pe_rope_f32",
                  pe_rope_f32(&plan, PE_ROPE_HALVES, 1000, ROWS / HEADS, HEADS, table,
                              HEADS * WIDTH, WIDTH),
                  table, sizeof table);
    free(memory);

    float slopes[HEADS];
    failed |= say("pe_alibi_slopes_f32", pe_alibi_slopes_f32(HEADS, 8, slopes), slopes, sizeof slopes);
    return failed;
}
