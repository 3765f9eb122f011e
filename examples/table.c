/* SPDX-License-Identifier: MIT
 *
 * table: the whole table of the paper, 512 positions x 512 dimensions, as a heat map, and the dot product
 * of two of its rows by their distance.
 *
 *     table directory      writes table.svg, curve.svg, preview.svg there, with libpng also the same as
 *                          .png; preview has the size of a repository's social preview
 *     cc -std=c99 -O2 -march=native -I. -DDEMO_PNG=1 examples/table.c -lpng -lm
 */
#include "pe.h"

#include "chart.h"

enum { N = 512, D = 512, REACH = 400 };

static int draw_table(const char *directory, const float *table)
{
    static const double range[4] = {0, D, -N, 0};
    chart g;
    if (!chart_begin(&g, directory, "table", 760, 670)) return 0;
    chart_axes(&g, 110, 70, D, N, range, 64, N, "dimension: even = sine, odd = cosine", "position",
               "sinusoidal positional encoding, 512 x 512");
    chart_rectangle(&g, 62, 60, 46, N + 20, CHART_PAPER); /* positions run down */
    for (int p = 0; p <= N; p += 64) {
        char text[16];
        snprintf(text, sizeof text, "%d", p);
        chart_text(&g, 101, 75 + p, 1, 1, 1.7, CHART_GREY, text);
    }
    chart_values(&g, 110, 70, table, N, D);
    for (int y = 0; y < N; y += 2) /* the scale */
        chart_rectangle(&g, 652, 70 + y, 18, 2, colour_diverging(1 - 2.0 * y / (N - 2)));
    for (int tick = 0; tick <= 4; tick++) {
        static const char *const names[] = {"+1", "+0.5", "0", "-0.5", "-1"};
        chart_text(&g, 680, 75 + tick * N / 4, -1, 1, 1.7, CHART_GREY, names[tick]);
    }
    return chart_end(&g);
}

static int draw_curve(const char *directory, const double *dots)
{
    static const double range[4] = {-REACH, REACH, 0, 256};
    chart g;
    if (!chart_begin(&g, directory, "curve", 860, 460)) return 0;
    chart_axes(&g, 110, 70, 700, 310, range, 100, 64, "distance k", "dot product of p and p + k",
               "near rows are alike: d = 512");
    chart_curve(&g, -REACH, dots, 2 * REACH + 1, 2, CHART_LINES[0]);
    return chart_end(&g);
}

/* 40 positions of 128 dimensions, sines to the left of cosines, with a name and a promise. */
static int draw_preview(const char *directory)
{
    enum { ROWS = 40, COLUMNS = 128, CELL_X = 9, CELL_Y = 10, X = 64, Y = 176 };
    static float rows[ROWS * COLUMNS];
    static unsigned char memory[PE_PLAN_BYTES(COLUMNS)];
    pe_config config = pe_config_default(COLUMNS);
    pe_plan plan;
    chart g;
    config.layout = PE_LAYOUT_HALVES, config.expected_rows = 1;
    if (pe_plan_init(&plan, &config, memory, sizeof memory) != PE_OK) return 0;
    if (pe_fill_f32(&plan, pe_from(0), ROWS, rows, COLUMNS) != PE_OK) return 0;
    if (!chart_begin(&g, directory, "preview", 1280, 640)) return 0;
    chart_text(&g, X, 78, -1, 1, 7, CHART_INK, "pe: positional encodings in c");
    chart_text(&g, X, 136, -1, 1, 4, CHART_GREY, "correctly rounded, the same bits everywhere, fast");
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < COLUMNS; i++)
            chart_rectangle(&g, X + CELL_X * i, Y + CELL_Y * r, CELL_X - 1, CELL_Y - 1,
                            colour_diverging((double)rows[r * COLUMNS + i]));
    return chart_end(&g);
}

int main(int argc, char **argv)
{
    static float table[N * D];
    static double dots[2 * REACH + 1];
    const pe_config config = pe_config_default(D);
    void *memory = malloc(pe_plan_size(&config));
    pe_plan plan;
    pe_status status = pe_plan_init(&plan, &config, memory, pe_plan_size(&config));
    if (status == PE_OK) status = pe_fill_f32(&plan, pe_from(0), N, table, D);
    if (status == PE_OK) status = pe_dot_f64(&plan, pe_from(-REACH), 2 * REACH + 1, dots);
    if (status != PE_OK) {
        fprintf(stderr, "%s\n", pe_status_string(status));
        return 1;
    }
    printf("Each of the rows has length %g. Dot products by distance:\n", sqrt(dots[REACH]));
    for (int k = 0; k <= REACH; k = k ? 2 * k : 1) printf("  %4d  %9.4f\n", k, dots[REACH + k]);
    const char *const directory = argc > 1 ? argv[1] : ".";
    free(memory);
    return !(draw_table(directory, table) && draw_curve(directory, dots) && draw_preview(directory));
}
