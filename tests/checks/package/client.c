/* SPDX-License-Identifier: MIT
 *
 * This program stands for one of a user who has installed pe. It is C99, and client.cpp makes it
 * C++11. It prints how it was built in lines that begin with #, and then hashes of what it
 * computed, which every build must have. An argument is the version that its five macros must name.
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

/* Makes seven calls that programs need most. They are for a table, a list, the cells of an image, a
   token, a gradient, a shift of keys, and points in space. The last writes to another array. */
static int seven_calls(void)
{
    enum { n = 20, d = 96 };
    static float table[512 * 512], q[HEADS * d], in[n * HEADS * 64], out[n * HEADS * 64];
    static uint16_t x[n * d], grad[n * HEADS * d], keys[n * HEADS * d];
    static float xyz[n * 3];
    int32_t list[n];
    int64_t ids[n];
    const size_t sizes[2] = {4, 5};
    const pe_heads heads = {HEADS, d, HEADS * d};
    const pe_heads a = {HEADS, 64, HEADS * 64}, b = {HEADS, n * 64, 64};
    int failed = 0;
    for (int i = 0; i < n; i++) list[i] = i * 7 % 11, ids[i] = i * 5 % 13;
    for (int i = 0; i < HEADS * d; i++) q[i] = (float)(i % 29) - 14;
    for (int i = 0; i < n * 3; i++) xyz[i] = (float)i / 8;
    for (int i = 0; i < n * HEADS * 64; i++) in[i] = (float)(i % 31);
    for (int i = 0; i < n * HEADS * d; i++) grad[i] = keys[i] = (uint16_t)(0x3c00 + i % 64);
    for (int k = 0; k < 4; k++) {
        pe_config config =
            k == 1 ? pe_config_preset(PE_PRESET_MAE_2D, d) : pe_config_default(k ? d : 512);
        pe_rope_config rope = pe_rope_config_default(48);
        rope.axes = 3, rope.sections[0] = rope.sections[1] = rope.sections[2] = 8;
        const size_t size = k == 3 ? pe_rope_plan_size(&rope) : pe_plan_size(&config);
        void *memory = malloc(size);
        pe_plan plan;
        if (memory == NULL) return 1;
        if ((k == 3 ? pe_rope_plan_init(&plan, &rope, memory, size)
                    : pe_plan_init(&plan, &config, memory, size)) != PE_OK)
            return 1;
        if (k == 0)
            failed |=
                say("1", pe_fill_f32(&plan, pe_from(0), 512, table, 512), table, sizeof table);
        if (k == 2)
            failed |=
                say("2", pe_fill_f32(&plan, pe_at_i32(list), n, table, d), table, sizeof table);
        if (k == 1)
            failed |= say("3", pe_add_bf16(&plan, pe_grid(sizes, 2), n, 1, x, d), x, sizeof x);
        if (k == 2) failed |= say("4", pe_rope_f32(&plan, pe_from(7), 1, q, heads), q, sizeof q);
        if (k == 2)
            failed |= say("5", pe_rope_f16(&plan, pe_back(pe_at_i64(ids)), n, grad, heads), grad,
                          sizeof grad);
        if (k == 2)
            failed |= say("6", pe_rope_bf16(&plan, pe_delta(pe_from_by(-512, 0)), n, keys, heads),
                          keys, sizeof keys);
        if (k == 3)
            failed |=
                say("7", pe_rope_to_f32(&plan, pe_coords_f32(xyz, 3, 3, 1), n, 64, in, a, out, b),
                    out, sizeof out);
        free(memory);
    }
    return failed;
}

int main(int argc, char **argv)
{
    static float table[ROWS * WIDTH];
    static uint16_t half[ROWS * WIDTH];
    char version[48];
    int failed = 0;

#ifndef PE_SLEEF_NAME
#define PE_SLEEF_NAME "library"
#endif
    printf("# pe %s, %s, SLEEF: %s\n", PE_VERSION_STRING, pe_isa_name(), PE_SLEEF_NAME);
    snprintf(version, sizeof version, "%d.%d.%d", PE_VERSION_MAJOR, PE_VERSION_MINOR,
             PE_VERSION_PATCH);
    if (strcmp(version, PE_VERSION_STRING) != 0 || (argc > 1 && strcmp(version, argv[1]) != 0) ||
        PE_VERSION_HEX != (PE_VERSION_MAJOR << 16 | PE_VERSION_MINOR << 8 | PE_VERSION_PATCH) ||
        pe_version() != PE_VERSION_HEX) {
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
    failed |=
        say("pe_plan_init", pe_plan_init(&plan, &config, memory, pe_plan_size(&config)), "", 0);
    failed |= say("pe_fill_f32", pe_fill_f32(&plan, pe_from(16000000), ROWS, table, WIDTH), table,
                  sizeof table);
    failed |= say("pe_fill_bf16", pe_fill_bf16(&plan, pe_from(-ROWS), ROWS, half, WIDTH), half,
                  sizeof half);

    /* Real positions need new sines for each row, so this call uses SLEEF, if it is on. */
    double positions[ROWS];
    for (int i = 0; i < ROWS; i++) positions[i] = i * 1.37 - 20000;
    failed |=
        say("pe_fill_f32, reals", pe_fill_f32(&plan, pe_at_f64(positions), ROWS, table, WIDTH),
            table, sizeof table);
    const pe_heads heads = {HEADS, WIDTH, HEADS * WIDTH};
    failed |= say("pe_rope_f32", pe_rope_f32(&plan, pe_from(1000), ROWS / HEADS, table, heads),
                  table, sizeof table);
    free(memory);
    failed |= seven_calls();

    float slopes[HEADS];
    failed |=
        say("pe_alibi_slopes_f32", pe_alibi_slopes_f32(HEADS, 8, slopes), slopes, sizeof slopes);
    return failed;
}
