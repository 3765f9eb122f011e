/* SPDX-License-Identifier: MIT
 *
 * regression: is PE(p + k) a linear function of PE(p)? It is one of both columns of a pair, and not of one
 * column.
 *
 *     regression [directory]      writes regression.dat there, of which gnuplot draws regression.png
 *     cc -std=c99 -O2 -march=native -I. examples/regression.c -lm
 *
 * The program takes positions 0 ... 999 of pair 64 of the paper's table (d_model 512; the pair turns once in
 * 63 positions). Least squares predicts a column at position p + k, first from the same column at position
 * p, then from both columns of the pair. One column explains cos^2(k w) of the variance, which is nothing
 * when k is a quarter turn. Both columns explain all of it. The coefficients are then cos(k w) and sin(k w).
 * These are the entries of the matrix of the shift by k, which pe_shift_f64 by -k makes of the identity.
 */
#include "pe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { D = 512, PAIR = 64, N = 1000, SHIFTS = 64 };

static double s[N + SHIFTS], c[N + SHIFTS]; /* the two columns */

/* Fits y = a + b x and returns the share of the variance that it explains. */
static double fit_one(const double *x, const double *y)
{
    double mx = 0, my = 0, xx = 0, xy = 0, yy = 0;
    for (int p = 0; p < N; p++) mx += x[p] / N, my += y[p] / N;
    for (int p = 0; p < N; p++) {
        xx += (x[p] - mx) * (x[p] - mx);
        xy += (x[p] - mx) * (y[p] - my);
        yy += (y[p] - my) * (y[p] - my);
    }
    return xy * xy / (xx * yy);
}

/* Fits y = a x + b z with the normal equations, and returns the share of the variance that it explains. */
static double fit_two(const double *x, const double *z, const double *y, double *a, double *b)
{
    double xx = 0, xz = 0, zz = 0, xy = 0, zy = 0, mean = 0, all = 0, rest = 0;
    for (int p = 0; p < N; p++) {
        xx += x[p] * x[p], xz += x[p] * z[p], zz += z[p] * z[p];
        xy += x[p] * y[p], zy += z[p] * y[p], mean += y[p] / N;
    }
    *a = (xy * zz - zy * xz) / (xx * zz - xz * xz);
    *b = (zy * xx - xy * xz) / (xx * zz - xz * xz);
    for (int p = 0; p < N; p++) {
        const double e = y[p] - *a * x[p] - *b * z[p];
        all += (y[p] - mean) * (y[p] - mean), rest += e * e;
    }
    return 1 - rest / all;
}

static int written(const char *directory, const double *one, const double *two)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/regression.dat", directory);
    FILE *const f = fopen(path, "w");
    if (f == NULL) return 0;
    fprintf(f, "# k, R^2 from the sine, R^2 from sine and cosine\n");
    for (int k = 0; k <= 60; k++) fprintf(f, "%d %.6f %.6f\n", k, one[k], two[k]);
    return fclose(f) == 0;
}

int main(int argc, char **argv)
{
    static double row[D], matrix[D * D], one[SHIFTS], two[SHIFTS];
    const pe_config config = pe_config_default(D);
    void *memory = malloc(pe_plan_size(&config));
    pe_plan plan;
    pe_status status = pe_plan_init(&plan, &config, memory, pe_plan_size(&config));
    for (int p = 0; status == PE_OK && p < N + SHIFTS; p++) {
        status = pe_fill_f64(&plan, pe_from(p), 1, row, D);
        s[p] = row[2 * PAIR], c[p] = row[2 * PAIR + 1];
    }
    printf("Predict the sine of pair %d at position p + k from position p, p = 0 ... %d\n\n", PAIR,
           N - 1);
    printf("        from the sine | from sine and cosine\n");
    printf("  k      R^2          |  R^2        found           cos(kw), sin(kw)     off by\n");
    int ok = 1;
    for (int k = 0; status == PE_OK && k < SHIFTS; k++) {
        double a, b;
        one[k] = fit_one(s, s + k);
        two[k] = fit_two(s, c, s + k, &a, &b);
        memset(matrix, 0, sizeof matrix);
        for (int j = 0; j < D; j++) matrix[j * D + j] = 1;
        status = pe_shift_f64(&plan, pe_all(-k), D, matrix, D);
        const double cosine = matrix[2 * PAIR * D + 2 * PAIR],
                     sine = matrix[2 * PAIR * D + 2 * PAIR + 1];
        const double off = fmax(fabs(a - cosine), fabs(b - sine));
        ok &= off < 1e-12 && two[k] > 1 - 1e-12;
        if (k == 1 || k == 2 || k == 5 || k == 10 || k == 12 || k == 16 || k == 63)
            printf("%3d   %8.4f        | %7.4f  %7.4f %7.4f   %7.4f %7.4f     %.0e\n", k, one[k],
                   two[k], a, b, cosine, sine, off);
    }
    printf("\n%s\n", status != PE_OK ? pe_status_string(status)
                     : ok            ? "Two columns: R^2 = 1, and the coefficients are the shift's."
                                     : "The two columns do not fit: this should not be.");
    if (status == PE_OK && argc > 1) ok &= written(argv[1], one, two);
    free(memory);
    return status != PE_OK || !ok;
}
