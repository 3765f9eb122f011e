/* SPDX-License-Identifier: MIT
 *
 * This program writes the first 96 positions of 512 dimensions as a heat map, and the dot product of two rows as
 * a function of their distance.
 *
 *     table directory      writes table.bin, preview.bin and curve.dat there, of which gnuplot draws
 *                          table.png, preview.png (the social preview of a repository) and curve.png
 *     cc -std=c99 -O2 -march=native -I. examples/table.c -lm
 */
#include "pe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 96, D = 512, REACH = 400, PREVIEW_ROWS = 40, PREVIEW_D = 128 };

static FILE *begin(const char *directory, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return fopen(path, "wb");
}

/* Writes the table as floats, row by row: all sines of a row, then all its cosines. In the order of the
   paper, sines and cosines alternate, and the picture would shimmer. It would also shimmer at positions at
   which the angles of neighbouring pairs differ by half a turn. */
static pe_status rows(const char *directory, const char *name, size_t n, size_t d)
{
    static float table[N * D];
    pe_config config = pe_config_default(d);
    config.layout = PE_LAYOUT_HALVES;
    void *memory = malloc(pe_plan_size(&config));
    pe_plan plan;
    pe_status status = pe_plan_init(&plan, &config, memory, pe_plan_size(&config));
    if (status == PE_OK) status = pe_fill_f32(&plan, pe_from(0), n, table, d);
    free(memory);
    FILE *const f = begin(directory, name);
    if (status != PE_OK || f == NULL) return f == NULL ? PE_ERR_NULL : status;
    fwrite(table, sizeof *table, n * d, f);
    return fclose(f) == 0 ? PE_OK : PE_ERR_NULL;
}

int main(int argc, char **argv)
{
    static double dots[2 * REACH + 1];
    const char *const directory = argc > 1 ? argv[1] : ".";
    const pe_config config = pe_config_default(D);
    void *memory = malloc(pe_plan_size(&config));
    pe_plan plan;
    pe_status status = pe_plan_init(&plan, &config, memory, pe_plan_size(&config));
    if (status == PE_OK) status = pe_dot_f64(&plan, pe_from(-REACH), 2 * REACH + 1, dots);
    free(memory);
    if (status == PE_OK) status = rows(directory, "table.bin", N, D);
    if (status == PE_OK) status = rows(directory, "preview.bin", PREVIEW_ROWS, PREVIEW_D);
    FILE *const f = begin(directory, "curve.dat");
    if (status != PE_OK || f == NULL) {
        fprintf(stderr, "%s, or %s cannot be written\n", pe_status_string(status), directory);
        return 1;
    }
    fprintf(f, "# k, dot product of p and p + k\n");
    for (int k = -REACH; k <= REACH; k++) fprintf(f, "%d %.4f\n", k, dots[REACH + k]);
    printf("Each of the rows has length %g. Dot products by distance:\n", sqrt(dots[REACH]));
    for (int k = 0; k <= REACH; k = k ? 2 * k : 1) printf("  %4d  %9.4f\n", k, dots[REACH + k]);
    return fclose(f) != 0;
}
