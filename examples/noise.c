/* SPDX-License-Identifier: MIT
 *
 * noise: prints how large the error of attention scores is at each position if the angles are floats. It
 * compares this with rounding queries and keys to 16 bits, and with a few lines of libm in double, which
 * need no library. docs/when.md discusses the figures.
 *
 *     noise [directory]      writes noise.dat there, of which gnuplot draws noise.png (examples/draw.sh)
 *     cc -std=c99 -O2 -march=native -I. examples/noise.c -lm
 *
 * A query at a position from p to 9/8 p attends to a key at any position before it. Both have d = 128
 * standard normal numbers and base 500000, so the score q k / sqrt(d) has rms 1. The program prints the rms
 * of the score minus the exact score, which is computed in double from pe's doubles.
 */
#include "pe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    D = 128,
    H = D / 2,
    SAMPLES = 4000,
    FLOATS = 0,
    CHAIN,
    DOUBLES,
    PE,
    TABLES,
    BF16 = TABLES,
    F16,
    WAYS
};

static const double BASE = 500000, PI = 3.14159265358979323846;
static const char *const names[WAYS] = {"float angles", "ggml's chain", "libm, double",
                                        "pe",           "bf16",         "f16"};

static double uniform(void)
{
    static uint64_t state = 36;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(state >> 12) + 0.5) / 4503599627370496.0;
}
static double normal(void) { return sqrt(-2 * log(uniform())) * cos(2 * PI * uniform()); }

/* Returns x rounded to a significand of so many bits. */
static double rounded(double x, int bits)
{
    int exponent;
    (void)frexp(x, &exponent);
    return ldexp(rint(ldexp(x, bits - exponent)), exponent - bits);
}

/* Rotates the pairs (i, i + H) of a head in float, as engines do. rotate_exactly() below does the same in
 * double. */
static void rotate(const double *x, const float *c, const float *s, double *out)
{
    for (int i = 0; i < H; i++) {
        const float a = (float)x[i], b = (float)x[i + H];
        const float ac = a * c[i], bs = b * s[i], bc = b * c[i], as = a * s[i];
        out[i] = (double)(ac - bs), out[i + H] = (double)(bc + as);
    }
}
static void rotate_exactly(const double *x, const double *row, double *out)
{
    for (int i = 0; i < H; i++) {
        out[i] = x[i] * row[i + H] - x[i + H] * row[i];
        out[i + H] = x[i + H] * row[i + H] + x[i] * row[i];
    }
}
static double score(const double *q, const double *k)
{
    double sum = 0;
    for (int i = 0; i < D; i++) sum += q[i] * k[i];
    return sum / sqrt(D);
}

static pe_plan plans[2]; /* exact, and float angles */
static double libm_omega[H];
static pe_status make_plans(void)
{
    static unsigned char memory[2][PE_PLAN_BYTES(D)];
    static double omega[H];
    pe_config config = pe_config_default(D);
    for (int i = 0; i < H; i++) libm_omega[i] = pow(BASE, -2.0 * i / D);
    config.base = BASE, config.layout = PE_LAYOUT_HALVES, config.expected_rows = 1;
    pe_status status = pe_plan_init(&plans[0], &config, memory[0], sizeof memory[0]);
    config.angle = PE_ANGLE_FLOAT32;
    if (status == PE_OK) status = pe_frequencies_float32(&config, PE_FLOAT32_POW, omega);
    if (status == PE_OK)
        status =
            pe_plan_init_frequencies(&plans[1], &config, omega, H, memory[1], sizeof memory[1]);
    return status;
}

/* Computes a row with libm alone: frequencies are computed once, angles are doubles, and the last step
 * rounds to float. */
static void libm_row(int64_t p, float *s, float *c)
{
    for (int i = 0; i < H; i++) {
        const double angle = (double)p * libm_omega[i];
        s[i] = (float)sin(angle), c[i] = (float)cos(angle);
    }
}

/* Prints how many floats of libm_row() are not the nearest ones, and the time that libm and pe take for a
 * row. */
static pe_status compare_rows(void)
{
    enum { ROWS = 100000, STEP = 7 };
    static float rows[ROWS][D], s[ROWS][H], c[ROWS][H];
    long differ = 0;
    clock_t times[3];
    pe_status status = PE_OK;
    for (int round = 0; round < 2; round++) { /* in the first one the system provides the memory */
        times[0] = clock();
        for (int r = 0; r < ROWS; r++) libm_row((int64_t)r * STEP, s[r], c[r]);
        times[1] = clock();
        for (int r = 0; r < ROWS && status == PE_OK; r++)
            status = pe_fill_f32(&plans[0], pe_from((int64_t)r * STEP), 1, rows[r], D);
        times[2] = clock();
    }
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < H; i++) differ += (s[r][i] != rows[r][i]) + (c[r][i] != rows[r][i + H]);
    printf("\nOf %.1f million floats of libm in double, at positions to %d, %ld are not the "
           "nearest ones.\n",
           1e-6 * ROWS * D, ROWS * STEP, differ);
    printf("A row of %d pairs takes libm %.0f ns, pe %.0f ns.\n", H,
           1e9 / CLOCKS_PER_SEC / ROWS * (double)(times[1] - times[0]),
           1e9 / CLOCKS_PER_SEC / ROWS * (double)(times[2] - times[1]));
    return status;
}

/* Rotates x, a query or a key at position p, in each way to out[way], and exactly to exact. */
static pe_status place(int64_t p, const double *x, double (*out)[D], double *exact)
{
    static const pe_rope_ggml chain = {D, 500000, 1, 0, 1, 32, 1, 0, NULL, 0, 0};
    float s[TABLES][H], c[TABLES][H], row[D];
    double doubles[D];
    pe_status status = pe_fill_f64(&plans[0], pe_from(p), 1, doubles, D);
    for (int k = 0; k < 2 && status == PE_OK; k++) {
        const int way = k ? FLOATS : PE;
        status = pe_fill_f32(&plans[k], pe_from(p), 1, row, D);
        for (int i = 0; i < H; i++) s[way][i] = row[i], c[way][i] = row[i + H];
    }
    if (status == PE_OK) status = pe_rope_ggml_f32(&chain, pe_from(p), 1, c[CHAIN], s[CHAIN], H);
    libm_row(p, s[DOUBLES], c[DOUBLES]);
    rotate_exactly(x, doubles, exact);
    for (int way = 0; way < TABLES; way++) rotate(x, c[way], s[way], out[way]);
    for (int i = 0; i < D; i++)
        out[BF16][i] = rounded(exact[i], 8), out[F16][i] = rounded(exact[i], 11);
    return status;
}

static pe_status noise_at(int64_t p, double *rms)
{
    double q[WAYS][D], k[WAYS][D], exact_q[D], exact_k[D], x[2][D];
    pe_status status = PE_OK;
    for (int way = 0; way < WAYS; way++) rms[way] = 0;
    for (int n = 0; n < SAMPLES && status == PE_OK; n++) {
        for (int i = 0; i < D; i++)
            x[0][i] = (double)(float)normal(), x[1][i] = (double)(float)normal();
        const double here =
            floor((double)p * (1 + uniform() / 8)); /* powers of two are easy for floats */
        status = place((int64_t)here, x[0], q, exact_q);
        if (status == PE_OK) status = place((int64_t)(uniform() * (here + 1)), x[1], k, exact_k);
        const double exact = score(exact_q, exact_k);
        for (int way = 0; way < WAYS; way++) {
            const double off = score(q[way], k[way]) - exact;
            rms[way] += off * off / SAMPLES;
        }
    }
    for (int way = 0; way < WAYS; way++) rms[way] = sqrt(rms[way]);
    return status;
}

int main(int argc, char **argv)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/noise.dat", argc > 1 ? argv[1] : ".");
    FILE *const f = argc > 1 ? fopen(path, "w") : NULL;
    pe_status status = argc > 1 && f == NULL ? PE_ERR_NULL : make_plans();
    printf("rms error of attention scores of rms 1, by the position of the query\n\n%11s",
           "position");
    for (int way = 0; way < WAYS; way++) printf("%14s", names[way]);
    printf("\n");
    if (f != NULL)
        fprintf(f,
                "# position, then the rms error of scores in the order of the program's table\n");
    for (int k = 16; k <= 50 && status == PE_OK; k++) { /* 2^8 ... 2^25, two per octave */
        double rms[WAYS];
        const int64_t p = (int64_t)(exp2(0.5 * k) + 0.5);
        status = noise_at(p, rms);
        if (k % 6 == 4) {
            printf("%11.0f", (double)p);
            for (int way = 0; way < WAYS; way++) printf("%14.1e", rms[way]);
            printf("\n");
        }
        if (f == NULL) continue;
        fprintf(f, "%.0f", (double)p);
        for (int way = 0; way < WAYS; way++) fprintf(f, " %.3g", rms[way]);
        fprintf(f, "\n");
    }
    if (status == PE_OK) status = compare_rows();
    if (status != PE_OK)
        fprintf(stderr, "%s, or %s cannot be written\n", pe_status_string(status), path);
    return status != PE_OK || (f != NULL && fclose(f) != 0);
}
