/* SPDX-License-Identifier: MIT
 *
 * dots: how near are two words? Three ways to number the words of a text, and the dot product of two
 * numbers as the measure: the index p, the index over the length p / (n - 1), and the sinusoid.
 *
 *     dots [directory]      also draws dots.svg and .png there
 *     cc -std=c99 -O2 -march=native -I. -DDEMO_PNG=1 examples/dots.c -lpng -lm
 *
 * Only the sinusoid's depends on the distance alone: it is sum_i cos(k w_i), which pe_dot_f64 computes.
 */
#include "pe.h"

#include "chart.h"

enum { D = 16, REACH = 12, OFFSETS = 2 * REACH + 1 };

static double dot(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int j = 0; j < n; j++) sum += x[j] * y[j];
    return sum;
}

/* The dot products of position p with p - REACH ... p + REACH, each way. */
static pe_status around(const pe_plan *plan, int p, int length, double *index, double *share,
                        double *sinusoid)
{
    double here[D], there[D];
    pe_status status = pe_fill_f64(plan, pe_from(p), 1, here, D);
    for (int j = 0; j < OFFSETS && status == PE_OK; j++) {
        const int q = p + j - REACH;
        status = pe_fill_f64(plan, pe_from(q), 1, there, D);
        index[j] = p * q;
        share[j] = (double)p / (length - 1) * q / (length - 1);
        sinusoid[j] = dot(here, there, D);
    }
    return status;
}

static int draw(const char *directory, double way[3][3][OFFSETS])
{
    static const char *const titles[] = {"index", "index / length", "sinusoid"};
    static const double ranges[3][4] = {
        {-REACH, REACH, 0, 15000}, {-REACH, REACH, 0, 1}, {-REACH, REACH, 0, 8}};
    static const double steps[] = {3000, 0.2, 2};
    static const char *const keys[] = {"p = 12 in a text of 25", "p = 60 in a text of 121",
                                       "p = 105 in a text of 1001"};
    chart g;
    if (!chart_begin(&g, directory, "dots", 1340, 460)) return 0;
    for (int w = 0; w < 3; w++) {
        chart_axes(&g, 110 + 425 * w, 70, 310, 280, ranges[w], 6, steps[w], "distance k",
                   w == 0 ? "dot product of p and p + k" : "", titles[w]);
        for (int n = 0; n < 3; n++) {
            const double thickness = w == 2 ? 12 - 5 * n : 2; /* three curves on one another */
            chart_curve(&g, -REACH, way[w][n], OFFSETS, thickness, CHART_LINES[n]);
        }
    }
    for (int n = 0; n < 3; n++) chart_key(&g, 110 + 425 * n, 440, CHART_LINES[n], keys[n]);
    return chart_end(&g);
}

int main(int argc, char **argv)
{
    static const int pairs[][2] = {{105, 106}, {5, 6}, {5, 10}, {105, 110}};
    static const int places[3] = {12, 60, 105}, lengths[3] = {25, 121, 1001};
    static double way[3][3][OFFSETS];
    const pe_config config = pe_config_default(D);
    void *memory = malloc(pe_plan_size(&config));
    pe_plan plan;
    pe_status status = pe_plan_init(&plan, &config, memory, pe_plan_size(&config));
    printf("Dot products of two positions, three ways\n\n");
    printf("    p    q   distance      index   index/length: n = 128   n = 1000   sinusoid, d = %d\n", D);
    for (int n = 0; n < 4 && status == PE_OK; n++) {
        const int p = pairs[n][0], q = pairs[n][1];
        double x[D], y[D], closed;
        status = pe_fill_f64(&plan, pe_from(p), 1, x, D);
        if (status == PE_OK) status = pe_fill_f64(&plan, pe_from(q), 1, y, D);
        if (status == PE_OK) status = pe_dot_f64(&plan, pe_all(q - p), 1, &closed);
        if (status == PE_OK)
            printf("%5d %4d %6d %14d %18.4f %14.6f %14.4f (from the distance: %.4f)\n", p, q, q - p,
                   p * q, p * q / (127.0 * 127), p * q / (999.0 * 999), dot(x, y, D), closed);
    }
    for (int n = 0; n < 3 && status == PE_OK; n++)
        status = around(&plan, places[n], lengths[n], way[0][n], way[1][n], way[2][n]);
    double curve[61];
    if (status == PE_OK) status = pe_dot_f64(&plan, pe_from(-30), 61, curve);
    if (status != PE_OK) {
        fprintf(stderr, "%s\n", pe_status_string(status));
        return 1;
    }
    printf("\nThe sinusoid's, by distance:\n");
    for (int k = 0; k <= 30; k += 2)
        printf("  %3d  %7.4f  %.*s\n", k, curve[30 + k], (int)(curve[30 + k] * 6 + 0.5),
               "################################################");
    int ok = 1;
    for (int j = 0; j < OFFSETS; j++)
        for (int n = 0; n < 3; n++) ok &= fabs(way[2][n][j] - curve[30 + j - REACH]) < 1e-14 * D;
    printf("\n%s\n", ok ? "The same at every position: it depends on the distance alone."
                        : "It depends on the position: this should not be.");
    if (argc > 1) ok &= draw(argv[1], way);
    free(memory);
    return !ok;
}
