/* SPDX-License-Identifier: MIT */
/*
 * Prints some rows of every kind. The step levels.sh compiles this program with pe.h, and with a copy of it in which
 * the exact level decides everything. It then compares what both print.
 *
 *   levels COUNTS    also writes to the file COUNTS, for each call that is printed, the line "kind needed exact":
 *                    `exact` is how many results the exact level has computed for the call, and `needed` is how many
 *                    it must compute at least
 */
#include "pe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef LEVELS_COUNTED /* only levels.sh's copy of pe.h counts in levels_exact, so it stays 0 */
static unsigned long levels_exact;
#endif
static FILE *counts;

/* `needed` is the number of elements of the call that the exact level must decide. Elements at angle 0 are decided
   without it. They are 0 or the amplitude, which is the largest magnitude of an array. So the others are needed. */
static size_t needed;

/* Writes the line of a call to COUNTS, and begins the next count. */
static void counted(const char *what)
{
    fprintf(counts, "%s %zu %lu\n", what, needed, levels_exact);
    levels_exact = 0;
    needed = 0;
}

enum { D = 96, ROWS = 3, WIDE = 200 };

static void print_f64(const char *what, const double *x, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) largest = fabs(x[i]) > largest ? fabs(x[i]) : largest;
    for (size_t i = 0; i < n; i++) needed += x[i] != 0 && fabs(x[i]) != largest;
    for (size_t i = 0; i < n; i++) printf("%s %zu %.17g\n", what, i, x[i]);
}
static void print_f32(const char *what, const float *x, size_t n)
{
    float largest = 0;
    for (size_t i = 0; i < n; i++) largest = fabsf(x[i]) > largest ? fabsf(x[i]) : largest;
    for (size_t i = 0; i < n; i++) needed += x[i] != 0 && fabsf(x[i]) != largest;
    for (size_t i = 0; i < n; i++) printf("%s %zu %.9g\n", what, i, (double)x[i]);
}
static void print_u16(const char *what, const uint16_t *x, size_t n)
{
    unsigned largest =
        0; /* without their signs, the bits of these types are in the order of their magnitudes */
    for (size_t i = 0; i < n; i++) largest = (x[i] & 0x7fffu) > largest ? x[i] & 0x7fffu : largest;
    for (size_t i = 0; i < n; i++) needed += (x[i] & 0x7fffu) != 0 && (x[i] & 0x7fffu) != largest;
    for (size_t i = 0; i < n; i++) printf("%s %zu %04x\n", what, i, (unsigned)x[i]);
}
static void ok(pe_status status)
{
    if (status == PE_OK) return;
    fprintf(stderr, "levels: %s\n", pe_status_string(status));
    exit(1);
}

/* Prints ROWS rows in each type. A row that repeats another one is a copy, so only `different` rows are computed. */
static void rows_of(const pe_plan *plan, pe_at at, size_t different)
{
    static float f[ROWS * D];
    static double x[ROWS * D];
    static uint16_t h[ROWS * D];
    const size_t d = plan->d_model;
    ok(pe_fill_f32(plan, at, ROWS, f, d)), print_f32("f32", f, ROWS * d);
    needed = needed * different / ROWS;
    counted("f32");
    ok(pe_fill_f64(plan, at, ROWS, x, d)), print_f64("f64", x, ROWS * d);
    needed = needed * different / ROWS;
    counted("f64");
    ok(pe_fill_f16(plan, at, ROWS, h, d)), print_u16("f16", h, ROWS * d);
    needed = needed * different / ROWS;
    counted("f16");
    ok(pe_fill_bf16(plan, at, ROWS, h, d)), print_u16("bf16", h, ROWS * d);
    needed = needed * different / ROWS;
    counted("bf16");
}

/* Prints rows that are computed without a plan. Frequencies that the caller gives have an exact level of their own. */
static void given(const double *omega, size_t pairs, double amplitude, pe_at at)
{
    static float f[2][ROWS * D];
    static double x[2][ROWS * D];
    static uint16_t h[2][ROWS * D];
    const size_t n = ROWS * pairs;
    ok(pe_sincos_f32(omega, pairs, amplitude, at, ROWS, f[0], f[1], pairs));
    print_f32("given", f[0], n), print_f32("given", f[1], n);
    counted("given");
    ok(pe_sincos_f32(omega, pairs, amplitude, at, 1, f[0], f[1], pairs));
    print_f32("one", f[0], pairs), print_f32("one", f[1], pairs);
    counted("one");
    ok(pe_sincos_f64(omega, pairs, amplitude, at, ROWS, x[0], x[1], pairs));
    print_f64("given", x[0], n), print_f64("given", x[1], n);
    counted("given");
    ok(pe_sincos_f16(omega, pairs, amplitude, at, ROWS, h[0], h[1], pairs));
    print_u16("given", h[0], n), print_u16("given", h[1], n);
    counted("given");
    ok(pe_sincos_bf16(omega, pairs, amplitude, at, ROWS, h[0], h[1], pairs));
    print_u16("given", h[0], n), print_u16("given", h[1], n);
    counted("given");
}

/* Prints elements whose intermediate numbers leave the range of doubles, although the fast levels can decide them, and
   elements at angles whose sine is known exactly. */
static void ends(void)
{
    static unsigned char memory[1 << 14];
    static const double amplitudes[] = {1,        1 + 0x1p-24, 0x1p-25, -0x1p-143,
                                        0x1p-150, 0x1p-1000,   0x1p999};
    static const double omega[16] = {1,    -1, 0.5, 0.25, 0x1p-60, 0x1p-60, 0x1p-300, 3,
                                     1e-3, 2,  1,   1,    0x1p-40, 0x1p20,  7,        0.1};
    static const double real[ROWS] = {3, 0x1.001p-300, -0x1.234567p20};
    pe_plan plan;
    for (int k = 0; k < 7 * 12; k++) {
        pe_config c = pe_config_default(9);
        c.amplitude = amplitudes[k % 7], c.half_turns = k & 1;
        c.base = k / 7 % 3 == 0 ? 256 : k / 7 % 3 == 1 ? 81 : 10000;
        c.scale = k / 21 == 0 ? 1 : k / 21 == 1 ? 0x1.8p-50 : k / 21 == 2 ? 0x1.1p-500 : 0x1p-800;
        ok(pe_plan_init(&plan, &c, memory, sizeof memory));
        rows_of(&plan, pe_from(k % 5 ? 255 : 0), ROWS), rows_of(&plan, pe_at_f64(real), ROWS);
        c.d_model = 16, c.axes = 2, c.columns = PE_COLUMNS_SUMS, c.scale = 1;
        ok(pe_plan_init_frequencies(&plan, &c, omega, 8, memory, sizeof memory));
        rows_of(&plan, pe_from(k % 5 ? 255 : 0), ROWS), rows_of(&plan, pe_at_f64(real), ROWS);
        given(omega, 16, c.amplitude, k & 1 ? pe_at_f64(real) : pe_from(k % 5 ? 255 : 0));
    }
}

/* Prints the results of functions that have levels of their own: xPos, query scales and other factors. */
static void factors(void)
{
    float f[3 * 64];
    ok(pe_rope_xpos_f32(64, 512, pe_from_by(-2560, 2560), 3, f, 64)), print_f32("xpos", f, 3 * 64);
    counted("xpos");
    ok(pe_rope_query_scale_f32(PE_QUERY_SCALE_FLOOR, 0.1, 3, 0, pe_from(0), D, f)),
        print_f32("query", f, D);
    counted("query");
    for (int k = 0; k < 4; k++) {
        pe_rope_config c = pe_rope_config_default(2);
        double omega[1], attention;
        c.rope_type = k == 2 ? PE_ROPE_LONGROPE : PE_ROPE_YARN;
        c.factor = 3.7, c.original_max_position_embeddings = 4096;
        c.mscale = 1.1 * (k & 1), c.mscale_all_dim = 0.3;
        c.short_factor = &c.factor;
        ok(pe_rope_frequencies(&c, omega, &attention)), print_f64("attention", &attention, 1);
        counted("attention");
    }
}

int main(int argc, char **argv)
{
    static unsigned char memory[1 << 16];
    static float wide[ROWS * WIDE];
    static const double real[ROWS] = {0.3, -1e9, 1e-9};
    double numbers[D], omega[D / 2];
    pe_plan plan;
    counts = argc == 2 ? fopen(argv[1], "w") : NULL;
    if (!counts) {
        fprintf(stderr, "levels: no file COUNTS can be written\n");
        return 1;
    }
    for (int k = 0; k < 6; k++) {
        pe_config c = pe_config_default(k == 3 ? 7 : D);
        c.layout = k % 2 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
        c.cos_first = k == 2;
        c.angle = k == 4 ? PE_ANGLE_FLOAT32 : PE_ANGLE_EXACT;
        c.half_turns = k == 1, c.amplitude = k == 2 ? -0.7 : 1;
        c.exponent = k == 3 ? PE_EXPONENT_INDEX : PE_EXPONENT_WIDTH;
        if (k == 5) c.axes = 2;
        ok(pe_plan_init(&plan, &c, memory, sizeof memory));
        rows_of(&plan, k == 5 ? pe_all(77) : pe_from(1000003 * k), k == 5 ? 1 : ROWS);
        rows_of(&plan, pe_at_f64(real), ROWS);
        ok(pe_plan_frequencies(&plan, numbers)), print_f64("w", numbers, plan.pairs);
        if (c.angle == PE_ANGLE_FLOAT32)
            needed = 0; /* These frequencies are floats that the plan holds. */
        counted("w");
        ok(pe_plan_wavelengths(&plan, numbers)), print_f64("wavelength", numbers, plan.pairs);
        counted("wavelength");
    }
    for (int i = 0; i < D / 2; i++) omega[i] = 1.0 / (i + 0.3);
    pe_config c = pe_config_default(D);
    c.scale = 0.1;
    ok(pe_plan_init_frequencies(&plan, &c, omega, D / 2, memory, sizeof memory));
    rows_of(&plan, pe_from(-1), ROWS);
    given(omega, D / 2, 1, pe_from(-1)), given(omega, D / 2, -0.7, pe_at_f64(real));
    given(omega, D / 2, 1, pe_from(2000000000));
    ok(pe_dot_f64(&plan, pe_from(12345), 20, numbers)), print_f64("dot", numbers, 20);
    counted("dot");
    ok(pe_plan_frequencies(&plan, numbers)), print_f64("w", numbers, plan.pairs);
    counted("w");
    /* This table is wide enough to have columns after the first tile. */
    ok(pe_sinusoidal_f32(wide, ROWS, WIDE)), print_f32("wide", wide, (size_t)ROWS * WIDE);
    counted("wide");
    factors();
    ends();
    return fclose(counts) != 0;
}
