/* SPDX-License-Identifier: MIT
 *
 * demo: the sinusoidal encoding of "Attention Is All You Need", computed, timed, printed and drawn.
 *
 *     demo [directory]        writes heatmap.dat and clocks.dat there (default: here), of which gnuplot
 *                             draws heatmap.png and clocks.png: sh examples/draw.sh directory heatmap clocks
 *
 * make demo builds and runs it. By hand:
 *     cc -std=c99 -O2 -march=native -I. examples/demo.c -o demo -lm
 */
#ifndef _POSIX_C_SOURCE
    #define _POSIX_C_SOURCE 199309L /* clock_gettime */
#endif

#include "pe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(pe_status status, const char *what)
{
    if (status != PE_OK) {
        fprintf(stderr, "demo: %s: %s\n", what, pe_status_string(status));
        exit(1);
    }
}

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes);
    if (memory == NULL) {
        fprintf(stderr, "demo: out of memory\n");
        exit(1);
    }
    return memory;
}

/* ---- the table of the paper, and how long it takes ---------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_time(const char *what, double *times, size_t runs, size_t elements)
{
    qsort(times, runs, sizeof *times, by_value);
    const double median = times[runs / 2];
    printf("    %-18s %8.1f us %8.1f GB/s %8.3f ns per pair    (median of %zu runs)\n", what,
           1e6 * median, 1e-9 * (double)(elements * sizeof(float)) / median,
           1e9 * median / (double)(elements / 2), runs);
}

static void time_table(void)
{
    enum { ROWS = 512, D_MODEL = 512, MAX_RUNS = 2001, MIN_RUNS = 11 };
    const pe_config config = pe_config_default(D_MODEL);
    const size_t memory_size = pe_plan_size(&config);
    void *memory = allocate(memory_size);
    float *table = (float *)allocate(sizeof(float) * ROWS * D_MODEL);
    double *both = (double *)allocate(sizeof(double) * MAX_RUNS);
    double *fill = (double *)allocate(sizeof(double) * MAX_RUNS);
    const double stop = seconds() + 0.5;
    size_t runs = 0;
    while (runs < MAX_RUNS && (runs < MIN_RUNS || seconds() < stop)) {
        const double start = seconds();
        pe_plan plan;
        check(pe_plan_init(&plan, &config, memory, memory_size), "pe_plan_init");
        const double planned = seconds();
        check(pe_fill_f32(&plan, pe_from(0), ROWS, table, D_MODEL), "pe_fill_f32");
        const double end = seconds();
        both[runs] = end - start;
        fill[runs] = end - planned;
        runs++;
    }
    printf("The table of the paper: %d positions x %d dimensions, every float correctly rounded\n",
           ROWS, D_MODEL);
    print_time("plan and table", both, runs, (size_t)ROWS * D_MODEL);
    print_time("table alone", fill, runs, (size_t)ROWS * D_MODEL);
    free(fill);
    free(both);
    free(table);
    free(memory);
}

/* ---- a table to read ---------------------------------------------------------------------------- */

static void print_table(void)
{
    enum { ROWS = 4, D_MODEL = 8 };
    float table[ROWS * D_MODEL];
    check(pe_sinusoidal_f32(table, ROWS, D_MODEL), "pe_sinusoidal_f32");
    printf("\n%d positions x %d dimensions; every row has the length sqrt(d/2) = 2\n", ROWS,
           D_MODEL);
    for (int p = 0; p < ROWS; p++) {
        double squares = 0;
        printf("    %d:", p);
        for (int j = 0; j < D_MODEL; j++) {
            const double x = (double)table[p * D_MODEL + j];
            printf(" %7.4f", x);
            squares += x * x;
        }
        printf("    length %.6f\n", sqrt(squares));
    }
}

/* ---- pictures ----------------------------------------------------------------------------------- */

/* Neighbours, and positions far apart: slow pairs move only there. */
enum { POSITIONS = 16, DIMENSIONS = 32, PAIRS = DIMENSIONS / 2, PANELS = 2, FAR_APART = 500 };

static FILE *begin(const char *directory, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *const f = fopen(path, "w");
    if (f == NULL) {
        fprintf(stderr, "demo: %s cannot be written\n", path);
        exit(1);
    }
    printf("    %s\n", path);
    return f;
}

/* Writes heatmap.dat, the rows of the table, and clocks.dat, a line for each clock. Both files have one
 * block per panel, as gnuplot expects it. */
static void write_data(const char *directory, float (*panel)[POSITIONS * DIMENSIONS])
{
    FILE *const map = begin(directory, "heatmap.dat"), *const clocks =
                                                           begin(directory, "clocks.dat");
    fprintf(map, "# %d x %d elements: positions 0, 1 ...; then 0, %d ...\n", POSITIONS, DIMENSIONS,
            FAR_APART);
    fprintf(clocks, "# row, pair, sine, cosine: the same\n");
    for (int k = 0; k < PANELS; k++) {
        for (int row = 0; row < POSITIONS; row++) {
            const float *const x = panel[k] + row * DIMENSIONS;
            for (int j = 0; j < DIMENSIONS; j++) fprintf(map, "%.4f ", (double)x[j]);
            fprintf(map, "\n");
            for (int i = 0; i < PAIRS; i++)
                fprintf(clocks, "%d %d %.4f %.4f\n", row, i, (double)x[2 * i],
                        (double)x[2 * i + 1]);
        }
        fprintf(map, "\n\n");
        fprintf(clocks, "\n\n");
    }
    if (fclose(map) | fclose(clocks)) exit(1);
}

/* Prints the heat map with characters. */
static void print_heatmap(const float *table)
{
    static const char shades[] = "@%#*+=-:. ";
    for (int row = 0; row < POSITIONS; row++) {
        printf("    %2d  ", row);
        for (int j = 0; j < DIMENSIONS; j++) {
            const double x = ((double)table[row * DIMENSIONS + j] + 1) * 5;
            const char shade = shades[x >= 9 ? 0 : 9 - (int)x];
            printf("%c%c", shade, shade);
        }
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    const char *const directory = argc > 1 ? argv[1] : ".";
    printf("pe %s, vectors: %s, sines: %s\n\n", PE_VERSION_STRING, pe_isa_name(),
           PE_SLEEF ? PE_SLEEF_NAME : "pe (no SLEEF: the same bits)");
    time_table();
    print_table();

    static float panel[PANELS][POSITIONS * DIMENSIONS];
    static unsigned char memory[PE_PLAN_BYTES(DIMENSIONS)];
    pe_config config = pe_config_default(DIMENSIONS);
    pe_plan plan;
    config.expected_rows = 1;
    check(pe_plan_init(&plan, &config, memory, sizeof memory), "pe_plan_init");
    for (int k = 0; k < PANELS; k++)
        check(pe_fill_f32(&plan, pe_from_by(0, k ? FAR_APART : 1), POSITIONS, panel[k], DIMENSIONS),
              "pe_fill_f32");
    printf("\n%d positions x %d dimensions, from ' ' for -1 to '@' for +1\n", POSITIONS,
           DIMENSIONS);
    print_heatmap(panel[0]);
    printf("\nWritten, for pictures:\n");
    write_data(directory, panel);
    return 0;
}
