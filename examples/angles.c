/* SPDX-License-Identifier: MIT
 *
 * angles: how wrong a row of 512 is at which position, if its angles are floats, and by pe. The exact
 * values are pe's doubles, which are correctly rounded.
 *
 *     angles directory     writes angles.svg there, with libpng also angles.png
 *     cc -std=c99 -O2 -march=native -I. -DDEMO_PNG=1 examples/angles.c -lpng -lm
 */
#include "pe.h"

#include "chart.h"

enum { D = 512, OCTAVE = 8, LAST = 31, POINTS = OCTAVE * LAST + 1, WAYS = 3 };

static const char *const names[WAYS] = {"float angles: sinf(p w)",
                                        "float angles, multiplied from pair to pair (ggml)",
                                        "pe: correctly rounded"};

static double farther(double error, double a, double b)
{
    return fabs(a - b) > error ? fabs(a - b) : error;
}

/* The largest errors of the row of position p, in each of the ways. */
static pe_status errors_at(const pe_plan *plan, int64_t p, double *error)
{
    static const pe_rope_ggml chain = {D, 10000, 1, 0, 1, 32, 1, 0, NULL, 0};
    static double exact[D];
    static float row[D], cosines[D / 2], sines[D / 2];
    pe_status status = pe_fill_f64(plan, pe_from(p), 1, exact, D);
    if (status == PE_OK) status = pe_fill_f32(plan, pe_from(p), 1, row, D);
    if (status == PE_OK) status = pe_rope_ggml_f32(&chain, pe_from(p), 1, cosines, sines, D / 2);
    for (int way = 0; way < WAYS; way++) error[way] = 0;
    for (int i = 0; i < D / 2 && status == PE_OK; i++) {
        const float w = powf(10000.0f, -2.0f * (float)i / (float)D), angle = (float)p * w;
        const double s = exact[2 * i], c = exact[2 * i + 1];
        error[0] = farther(farther(error[0], (double)sinf(angle), s), (double)cosf(angle), c);
        error[1] = farther(farther(error[1], (double)sines[i], s), (double)cosines[i], c);
        error[2] = farther(farther(error[2], (double)row[2 * i], s), (double)row[2 * i + 1], c);
    }
    return status;
}

static int draw(const char *directory, double (*error)[POINTS])
{
    enum { X = 120, Y = 70, WIDTH = 680, HEIGHT = 350 };
    static const char *const positions[] = {"1", "100", "10,000", "1 million", "100 million"};
    static const char *const sizes[] = {"1", "0.01", "1e-4", "1e-6", "1e-8"};
    static const colour colours[WAYS] = {{203, 66, 58}, {200, 130, 20}, {32, 84, 160}};
    chart g;
    if (!chart_begin(&g, directory, "angles", 860, 520)) return 0;
    g.x = X, g.y = Y, g.width = WIDTH, g.height = HEIGHT;
    g.left = 0, g.right = LAST, g.bottom = -8.2, g.top = 1;
    for (int i = 0; i < 5; i++) {
        const double x = chart_x(&g, 2 * i * log2(10));
        chart_line(&g, x, Y, x, Y + HEIGHT, 1, CHART_GRID);
        chart_text(&g, x, Y + HEIGHT + 24, 0, 1, 1.9, CHART_GREY, positions[i]);
    }
    for (int i = 0; i < 5; i++) {
        const double y = chart_y(&g, -2.0 * i);
        chart_line(&g, X, y, X + WIDTH, y, 1, CHART_GRID);
        chart_text(&g, X - 9, y + 6, 1, 1, 1.9, CHART_GREY, sizes[i]);
    }
    chart_line(&g, X, Y + HEIGHT, X + WIDTH, Y + HEIGHT, 1.5, CHART_GREY);
    chart_line(&g, X, Y, X, Y + HEIGHT, 1.5, CHART_GREY);
    chart_text(&g, X + WIDTH / 2, Y + HEIGHT + 62, 0, 1, 2.2, CHART_INK, "position");
    chart_text(&g, X - 76, Y + HEIGHT / 2, 0, 0, 2.2, CHART_INK, "largest error in the row");
    chart_text(&g, X, Y - 22, -1, 1, 2.6, CHART_INK, "the error of float angles grows with the position");
    for (int way = 0; way < WAYS; way++) {
        double x[POINTS], y[POINTS];
        for (int k = 0; k < POINTS; k++) {
            x[k] = chart_x(&g, (double)k / OCTAVE);
            y[k] = chart_y(&g, log10(error[way][k] > 6.4e-9 ? error[way][k] : 6.4e-9));
        }
        chart_path(&g, x, y, POINTS, way == 2 ? 4 : 2.5, colours[way]);
        chart_key(&g, X + 24, Y + 34 + 28 * way, colours[way], names[way]);
    }
    return chart_end(&g);
}

int main(int argc, char **argv)
{
    static double error[WAYS][POINTS];
    const pe_config config = pe_config_default(D);
    void *memory = malloc(pe_plan_size(&config));
    pe_plan plan;
    pe_status status = pe_plan_init(&plan, &config, memory, pe_plan_size(&config));
    for (int k = 0; k < POINTS && status == PE_OK; k++)
        for (int64_t next = 0; next < 4 && status == PE_OK; next++) { /* the largest of four rows */
            const int64_t p = (int64_t)exp2((double)k / OCTAVE) - (k == POINTS - 1 ? 4 : 0) + next;
            double now[WAYS];
            status = errors_at(&plan, p, now);
            for (int way = 0; way < WAYS; way++)
                error[way][k] = farther(error[way][k], now[way], 0);
        }
    free(memory);
    if (status != PE_OK) {
        fprintf(stderr, "%s\n", pe_status_string(status));
        return 1;
    }
    printf("Largest errors in rows of %d, at position\n", D);
    for (int k = 0; k < POINTS; k += 5 * OCTAVE)
        printf("  %10.0f   %s %.1e   %s %.1e   %s %.1e\n", exp2((double)k / OCTAVE), "sinf(p * w)",
               error[0][k], "theta *= scale", error[1][k], "pe", error[2][k]);
    return !draw(argc > 1 ? argv[1] : ".", error);
}
