/* SPDX-License-Identifier: MIT
 *
 * bits: counts the sines and cosines of the same angles that differ between ways to compute them,
 * by their last bit or more. The figures are in docs/when.md.
 *
 *     gcc -std=c99 -Ofast -I. bench/bits.c -o build/bits -lm && build/bits
 *
 * The angles are positions 0 to 131,071 times the 64 frequencies of heads of 128 with base 500000,
 * 16.8 million sines and cosines. The ways are, in float32,
 *
 *     libmvec, alone     sinf in a loop over one element, so that gcc calls the libm's function for one number
 *     libmvec, a row     sinf in a loop over 64 elements, of which gcc makes calls for 4, 8 or 16 numbers
 *     double, cast       sin and cos of glibc in double, of an angle in double, rounded to float
 *     pe                 the exact values, rounded once
 */
#include "pe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PAIRS = 64, POSITIONS = 131072, ROW = 2 * PAIRS };

#if defined __GNUC__ && !defined __clang__
#define APART __attribute__((noinline, noclone))
#else
#define APART
#endif

/* The number of elements is an argument, so that both calls run the same compiled loop. */
APART static void float_row(const float *angle, float *s, float *c, size_t count)
{
    for (size_t i = 0; i < count; i++) s[i] = sinf(angle[i]);
    for (size_t i = 0; i < count; i++) c[i] = cosf(angle[i]);
}
/* A volatile variable keeps the compiler from merging sin and cos of doubles into calls for several
   numbers. */
static void double_row(const double *omega, double position, float *row)
{
    for (size_t i = 0; i < PAIRS; i++) {
        volatile const double angle = position * omega[i];
        row[i] = (float)sin(angle), row[PAIRS + i] = (float)cos(angle);
    }
}
static size_t differ(const float *a, const float *b, size_t elements)
{
    size_t count = 0;
    for (size_t i = 0; i < elements; i++) count += memcmp(a + i, b + i, sizeof *a) != 0;
    return count;
}

typedef struct {
    size_t sines_row_alone, row_alone, alone_exact, row_exact, cast_exact, alone_pe, cast_pe;
} counts;

static pe_status count_row(counts *n, const double *omega, int64_t p)
{
    float angle[PAIRS], exact_of_float[ROW], exact[ROW], alone[ROW], row[ROW], cast[ROW];
    double float_angle[PAIRS];
    for (size_t i = 0; i < PAIRS; i++)
        angle[i] = (float)p * (float)omega[i], float_angle[i] = (double)angle[i];
    pe_status status = pe_sincos_f32(omega, PAIRS, 1, pe_from(p), 1, exact, exact + PAIRS, PAIRS);
    if (status == PE_OK) /* position 1: the angle is the frequency */
        status = pe_sincos_f32(float_angle, PAIRS, 1, pe_from(1), 1, exact_of_float,
                               exact_of_float + PAIRS, PAIRS);
    float_row(angle, row, row + PAIRS, PAIRS);
    for (size_t i = 0; i < PAIRS; i++) float_row(angle + i, alone + i, alone + PAIRS + i, 1);
    n->sines_row_alone += differ(row, alone, PAIRS), n->row_alone += differ(row, alone, ROW);
    n->alone_exact += differ(alone, exact_of_float, ROW),
        n->row_exact += differ(row, exact_of_float, ROW);
    n->alone_pe += differ(alone, exact, ROW);
    double_row(float_angle, 1, cast);
    n->cast_exact += differ(cast, exact_of_float, ROW);
    double_row(omega, (double)p, cast);
    n->cast_pe += differ(cast, exact, ROW);
    return status;
}

static void print_count(const char *what, size_t count, size_t all)
{
    printf("%-62s %9lu of %lu\n", what, (unsigned long)count, (unsigned long)all);
}

int main(void)
{
    double omega[PAIRS], factor;
    counts n = {0, 0, 0, 0, 0, 0, 0};
    const size_t all = (size_t)POSITIONS * ROW;
    pe_rope_config config = pe_rope_config_default(2 * PAIRS);
    config.rope_theta = 500000;
    pe_status status = pe_rope_frequencies(&config, omega, &factor);
    for (int64_t p = 0; p < POSITIONS && status == PE_OK; p++) status = count_row(&n, omega, p);
    print_count("sinf: a call for a row, a call for one number", n.sines_row_alone, all / 2);
    print_count("sinf and cosf: a call for a row, a call for one number", n.row_alone, all);
    print_count("float angle: sinf and cosf for one number, exact values", n.alone_exact, all);
    print_count("float angle: sinf and cosf for a row, exact values", n.row_exact, all);
    print_count("float angle: sin and cos in double, cast; exact values", n.cast_exact, all);
    print_count("sinf and cosf of the float angle, pe with the exact angle", n.alone_pe, all);
    print_count("sin and cos of the angle in double, cast; pe", n.cast_pe, all);
    if (status != PE_OK) fprintf(stderr, "%s\n", pe_status_string(status));
    return status != PE_OK;
}
