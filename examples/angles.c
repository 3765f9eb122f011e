/* SPDX-License-Identifier: MIT
 *
 * angles: how wrong a row of 512 is at which position, if its angles are floats, and by pe. The exact
 * values are pe's doubles, which are correctly rounded.
 *
 *     angles directory     writes angles.dat there, of which gnuplot draws angles.png (examples/draw.sh)
 *     cc -std=c99 -O2 -march=native -I. examples/angles.c -lm
 */
#include "pe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { D = 512, OCTAVE = 8, LAST = 31, POINTS = OCTAVE * LAST + 1, WAYS = 3 };

static double farther(double error, double a, double b)
{
    return fabs(a - b) > error ? fabs(a - b) : error;
}

/* The largest errors of the row of position p, in each of the ways. */
static pe_status errors_at(const pe_plan *plan, int64_t p, double *error)
{
    static const pe_rope_ggml chain = {D, 10000, 1, 0, 1, 32, 1, 0, NULL, 0, 0};
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

static int written(const char *directory, double (*error)[POINTS])
{
    char path[4096];
    snprintf(path, sizeof path, "%s/angles.dat", directory);
    FILE *const f = fopen(path, "w");
    if (f == NULL) return 0;
    fprintf(f, "# position, largest error of sinf(p w), of angles multiplied from pair to pair, of pe\n");
    for (int k = 0; k < POINTS; k++)
        fprintf(f, "%.6g %.3g %.3g %.3g\n", exp2((double)k / OCTAVE), error[0][k], error[1][k],
                error[2][k]);
    return fclose(f) == 0;
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
    return !written(argc > 1 ? argv[1] : ".", error);
}
