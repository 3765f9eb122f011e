/* SPDX-License-Identifier: MIT
 *
 * dots: how near are two words? This program numbers the words of a text in three ways: by the index p,
 * by the index divided by the length, p / (n - 1), and by the sinusoid. The dot product of the numbers of
 * two words measures how near they are.
 *
 *     dots [directory]      writes dots.dat there, of which gnuplot draws dots.png (examples/draw.sh)
 *     cc -std=c99 -O2 -march=native -I. examples/dots.c -lm
 *
 * Only the dot product of two sinusoids depends on nothing but the distance k: it is sum_i cos(k w_i),
 * which pe_dot_f64 computes.
 */
#include "pe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { D = 16, REACH = 12, OFFSETS = 2 * REACH + 1 };

static double dot(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int j = 0; j < n; j++) sum += x[j] * y[j];
    return sum;
}

/* Computes the dot products of position p with the positions p - REACH ... p + REACH, for each of the
 * three ways. */
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

static int written(const char *directory, double way[3][3][OFFSETS])
{
    char path[4096];
    snprintf(path, sizeof path, "%s/dots.dat", directory);
    FILE *const f = fopen(path, "w");
    if (f == NULL) return 0;
    fprintf(
        f, "# k, then of p = 12 in a text of 25, 60 in 121, 105 in 1001: index, share, sinusoid\n");
    for (int j = 0; j < OFFSETS; j++) {
        fprintf(f, "%d", j - REACH);
        for (int w = 0; w < 3; w++)
            for (int n = 0; n < 3; n++) fprintf(f, " %.6g", way[w][n][j]);
        fprintf(f, "\n");
    }
    return fclose(f) == 0;
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
    printf(
        "    p    q   distance      index   index/length: n = 128   n = 1000   sinusoid, d = %d\n",
        D);
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
    if (argc > 1) ok &= written(argv[1], way);
    free(memory);
    return !ok;
}
