/* SPDX-License-Identifier: MIT
 *
 * demo: the sinusoidal encoding of "Attention Is All You Need", computed, timed, printed and drawn.
 *
 *     demo [directory]        where heatmap.png and clocks.png go (default: here)
 *
 * make demo builds and runs it. By hand:
 *     cc -std=c99 -O2 -march=native -I. -DDEMO_PNG=1 examples/demo.c -o demo -lpng -lm
 */
#ifndef _POSIX_C_SOURCE
    #define _POSIX_C_SOURCE 199309L /* clock_gettime */
#endif

#include "pe.h"

#include "picture.h"

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

enum { POSITIONS = 16, DIMENSIONS = 32, PAIRS = DIMENSIONS / 2 };

static const colour PAPER = {255, 255, 255}, INK = {38, 42, 51}, GREY = {120, 126, 138};

static void save(const picture *p, const char *directory, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    if (!picture_save(p, path))
        exit(1);
    printf("    %s\n", path);
}

/* Positions down, dimensions across, the colour is the value. */
static void draw_heatmap(const float *table, const char *directory)
{
    enum { CELL = 30, LEFT = 84, TOP = 84, RIGHT = 110, BOTTOM = 76 };
    const int width = DIMENSIONS * CELL, height = POSITIONS * CELL;
    char text[32];
    picture p;
    if (!picture_begin(&p, LEFT + width + RIGHT, TOP + height + BOTTOM, PAPER))
        exit(1);
    picture_text(&p, LEFT, 44, 1, 2.6, INK, "sinusoidal positional encoding, 16 x 32");
    for (int row = 0; row < POSITIONS; row++)
        for (int j = 0; j < DIMENSIONS; j++)
            picture_rectangle(&p, LEFT + j * CELL, TOP + row * CELL, CELL - 1, CELL - 1,
                              colour_diverging((double)table[row * DIMENSIONS + j]));
    for (int row = 0; row < POSITIONS; row++) {
        snprintf(text, sizeof text, "%d", row);
        picture_text(&p, LEFT - 10 - picture_text_width(text, 1.7), TOP + (row + 0.5) * CELL + 5, 1,
                     1.7, GREY, text);
    }
    for (int j = 0; j < DIMENSIONS; j += 2) {
        snprintf(text, sizeof text, "%d", j);
        picture_text_centred(&p, LEFT + (j + 0.5) * CELL - 0.5, TOP + height + 20, 1, 1.7, GREY,
                             text);
    }
    picture_text_centred(&p, LEFT + width / 2, TOP + height + 52, 1, 2.1, INK,
                         "dimension: even = sine, odd = cosine");
    picture_text_centred(&p, 36, TOP + height / 2, 0, 2.1, INK, "position");
    const int bar = LEFT + width + 32; /* the scale */
    for (int y = 0; y < height - 1; y++)
        picture_rectangle(&p, bar, TOP + y, 18, 1, colour_diverging(1 - 2.0 * y / (height - 2)));
    for (int tick = 0; tick <= 4; tick++) {
        static const char *const names[] = {"+1", "+0.5", "0", "-0.5", "-1"};
        const double y = TOP + tick * (height - 1) / 4.0;
        picture_line(&p, bar + 18, y, bar + 23, y, 1, GREY);
        picture_text(&p, bar + 30, y + 5, 1, 1.7, GREY, names[tick]);
    }
    save(&p, directory, "heatmap.png");
    picture_end(&p);
}

/* Each pair is a hand on a clock: at 12 o'clock for position 0, then clockwise, each pair slower. */
static void draw_clocks(const float *table, const char *directory)
{
    enum { CELL = 58, LEFT = 84, TOP = 84, RIGHT = 40, BOTTOM = 104 };
    const double pi = 3.14159265358979323846, radius = 22;
    const colour fast = {203, 66, 58}, slow = {32, 84, 160}, face = {244, 245, 248};
    const colour rim = {190, 195, 205};
    const int width = PAIRS * CELL, height = POSITIONS * CELL;
    char text[32];
    picture p;
    if (!picture_begin(&p, LEFT + width + RIGHT, TOP + height + BOTTOM, PAPER))
        exit(1);
    picture_text(&p, LEFT + 6, 44, 1, 2.6, INK, "each pair (sine, cosine) is a clock hand");
    for (int row = 0; row < POSITIONS; row++) {
        for (int i = 0; i < PAIRS; i++) {
            const double s = (double)table[row * DIMENSIONS + 2 * i];
            const double c = (double)table[row * DIMENSIONS + 2 * i + 1];
            const double turn = atan2(s, c), cx = LEFT + (i + 0.5) * CELL,
                         cy = TOP + (row + 0.5) * CELL;
            const colour hand = colour_mix(fast, slow, (double)i / (PAIRS - 1));
            picture_wedge(&p, cx, cy, radius, 2 * pi, face);
            picture_wedge(&p, cx, cy, radius, turn < 0 ? turn + 2 * pi : turn,
                          colour_mix(face, hand, 0.25));
            picture_ring(&p, cx, cy, radius, 1.2, rim);
            picture_line(&p, cx, cy, cx + radius * s, cy - radius * c, 2.4, hand);
            picture_line(&p, cx, cy, cx, cy, 4.4, hand);
        }
        snprintf(text, sizeof text, "%d", row);
        picture_text(&p, LEFT - 8 - picture_text_width(text, 1.7), TOP + (row + 0.5) * CELL + 5, 1,
                     1.7, GREY, text);
    }
    for (int i = 0; i < PAIRS; i++) {
        const double x = LEFT + (i + 0.5) * CELL,
                     wavelength = 2 * pi * pow(10000, (double)i / PAIRS);
        snprintf(text, sizeof text, "%d", i);
        picture_text_centred(&p, x, TOP + height + 20, 1, 1.7, GREY, text);
        snprintf(text, sizeof text, wavelength < 100 ? "%.1f" : "%.0f", wavelength);
        picture_text_centred(&p, x, TOP + height + 44, 1, 1.5, GREY, text);
    }
    picture_text_centred(&p, LEFT + width / 2, TOP + height + 80, 1, 2.1, INK,
                         "pair, and positions for one turn: slower hands to the right");
    picture_text_centred(&p, 36, TOP + height / 2, 0, 2.1, INK, "position");
    save(&p, directory, "clocks.png");
    picture_end(&p);
}

/* Without libpng: the heat map as characters. */
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

    float table[POSITIONS * DIMENSIONS];
    check(pe_sinusoidal_f32(table, POSITIONS, DIMENSIONS), "pe_sinusoidal_f32");
    if (DEMO_PNG) {
        printf("\nPictures of %d positions x %d dimensions\n", POSITIONS, DIMENSIONS);
        draw_heatmap(table, directory);
        draw_clocks(table, directory);
    } else {
        printf(
            "\nNO PICTURES: compiled without libpng. %d positions x %d dimensions as characters,\n"
            "from ' ' for -1 to '@' for +1:\n",
            POSITIONS, DIMENSIONS);
        print_heatmap(table);
        (void)draw_heatmap;
        (void)draw_clocks;
    }
    return 0;
}
