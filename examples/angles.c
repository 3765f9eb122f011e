/* SPDX-License-Identifier: MIT
 *
 * angles: prints how wrong a row of 512 elements is at each position if its angles are floats, and how
 * wrong pe's row is. The exact values are pe's doubles, which are correctly rounded.
 *
 *     angles directory     writes angles.dat and angle.dat there, of which gnuplot draws angles.png and
 *                          angle.png (examples/draw.sh)
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

/* Writes to error[way] the largest error of the row of position p for each of the three ways: float
 * angles, ggml's chain of products, and pe. */
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

static int wrote_errors(const char *directory, double (*error)[POINTS])
{
    char path[4096];
    snprintf(path, sizeof path, "%s/angles.dat", directory);
    FILE *const f = fopen(path, "w");
    if (f == NULL) return 0;
    fprintf(f, "# position, largest error of sinf(p w), of a chain of products, of pe\n");
    for (int k = 0; k < POINTS; k++)
        fprintf(f, "%.6g %.3g %.3g %.3g\n", exp2((double)k / OCTAVE), error[0][k], error[1][k],
                error[2][k]);
    return fclose(f) == 0;
}

/* Finds the cosine of position 131,071 that float32 gets most wrong. Writes its exact angle and the cosine of
 * it, the float angle and the cosine of it, and the distance from the float angle to the next float. */
static int wrote_angle(const char *directory, const pe_plan *plan)
{
    static double exact[D], frequencies[D / 2];
    const int64_t p = 131071;
    if (pe_fill_f64(plan, pe_from(p), 1, exact, D) != PE_OK) return 0;
    if (pe_plan_frequencies(plan, frequencies) != PE_OK) return 0;
    int worst = 0;
    float angle = 0, next = 0;
    double error = 0;
    for (int i = 0; i < D / 2; i++) {
        const float a = (float)p * powf(10000.0f, -2.0f * (float)i / (float)D);
        if (farther(error, cos((double)a), exact[2 * i + 1]) == error) continue;
        error = farther(error, cos((double)a), exact[2 * i + 1]);
        worst = i, angle = a, next = nextafterf(a, INFINITY);
    }
    const double in_exact[2] = {(double)p * frequencies[worst], exact[2 * worst + 1]};
    const double in_float[2] = {(double)angle, cos((double)angle)};
    char path[4096];
    snprintf(path, sizeof path, "%s/angle.dat", directory);
    FILE *const f = fopen(path, "w");
    if (f == NULL) return 0;
    fprintf(f, "# the pair, the exact angle, its cosine, the float, its cosine, the distance to "
               "the next float\n");
    fprintf(f, "%d %.9f %.9f %.9f %.9f %.9f\n", worst, in_exact[0], in_exact[1], in_float[0],
            in_float[1], (double)next - in_float[0]);
    printf("Position %d, pair %d: the angle is %.5f, its cosine %.5f; in float32 %.5f and %.5f\n",
           (int)p, worst, in_exact[0], in_exact[1], in_float[0], in_float[1]);
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
    const char *const directory = argc > 1 ? argv[1] : ".";
    const int has_angle = status == PE_OK && wrote_angle(directory, &plan);
    free(memory);
    if (status != PE_OK) {
        fprintf(stderr, "%s\n", pe_status_string(status));
        return 1;
    }
    printf("Largest errors in rows of %d, at position\n", D);
    for (int k = 0; k < POINTS; k += 5 * OCTAVE)
        printf("  %10.0f   %s %.1e   %s %.1e   %s %.1e\n", exp2((double)k / OCTAVE), "sinf(p * w)",
               error[0][k], "theta *= scale", error[1][k], "pe", error[2][k]);
    return !wrote_errors(directory, error) || !has_angle;
}
