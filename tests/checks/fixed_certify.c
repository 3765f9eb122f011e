/* SPDX-License-Identifier: MIT */
/*
 * fixed_certify [FORMATS]: no pair of the tables of tests/theorem.txt is undecided in pe_fixed.h, at any position
 * to 2^31; in f32, or in the first FORMATS of f32, f16, bf16.
 *
 * With the last column of tests/theorem.txt as m, every element of a table is farther from a midpoint than
 *
 *     2^m (2^-97 + 4 (w / pi) p 2^-99) = 2^(m - 97) (1 + p w / pi)
 *
 * Level 2 flags a value only within 4 units of its rest, (2 + 128 / 2^8) of the test and 1.5 of the value itself,
 * 2^-88 each for f32, 2^-75 for f16, 2^-72 for bf16, and within p 2^-124, by what the increment is off by: less than
 * p 2^(m - 97) w / pi here. So from p w / pi = 2^(97 - 86 - m), likewise for the other formats, nothing is flagged.
 * Every position before that is looked at, by the filter of generate/theorem.c: what is no nearer to a midpoint
 * than 2^-50 is not flagged; of the rest, pe_fixed.h says so itself.
 */
#define main theorem_main
#include "../../generate/theorem.c"
#undef main

#include "pe_fixed.h"

static double margins[TABLES][FORMATS];

static int read_margins(const char *file)
{
    char line[200], name[64], format[8], component[8];
    unsigned long long position;
    double off, margin;
    size_t pair;
    int lines = 0;
    FILE *const in = fopen(file, "r");
    if (!in) return 0;
    while (fgets(line, sizeof line, in)) {
        if (line[0] == '#' || sscanf(line, "%63s %7s %zu %llu %7s %lf %lf", name, format, &pair,
                                     &position, component, &off, &margin) != 7)
            continue;
        for (int f = 0; f < FORMATS; f++)
            if (strcmp(format, format_names[f]) == 0) margins[index_of(name)][f] = margin, lines++;
    }
    fclose(in);
    return lines > TABLES;
}

static uint64_t pairs_seen, near_seen, undecided_seen;

static void positions_of(fraction unit, uint64_t most, int formats)
{
    static double S[BLOCK], C[BLOCK];
    pe_fixed_increment w;
    for (int k = 0; k < 4; k++) w.w[k] = (uint32_t)(unit >> 32 * k);
    for (int i = 0; i < BLOCK; i++) {
        long double s, c;
        turn_of(unit * (fraction)(unsigned)i, &s, &c);
        S[i] = (double)s, C[i] = (double)c;
    }
    for (uint64_t first = 0; first <= most; first += BLOCK) {
        long double s, c;
        turn_of(unit * (fraction)first, &s, &c);
        pairs_seen += BLOCK;
        if (first > 0 && !near_middles((double)s, (double)c, S, C)) continue;
        for (int i = 0; i < BLOCK && first + (uint64_t)i <= 2147483647; i++) {
            const double y = (double)s * C[i] + (double)c * S[i],
                         z = (double)c * C[i] - (double)s * S[i];
            const int32_t p = (int32_t)(first + (uint64_t)i);
            if (first > 0 && !(near_middle(y) | near_middle(z))) continue;
            near_seen++;
            int left = pe_fixed_sincos_f32(p, w).undecided;
            if (formats > 1) left |= pe_fixed_sincos_scaled_f16(p, w, 1).undecided;
            if (formats > 2) left |= pe_fixed_sincos_scaled_bf16(p, w, 1).undecided;
            if (left) undecided_seen++, printf("undecided: position %d\n", (int)p);
        }
    }
}

int main(int argc, char **argv)
{
    static const double units[FORMATS] = {86, 73, 70};
    const int formats = argc > 1 ? atoi(argv[1]) : 1;
    if (!read_margins("tests/theorem.txt")) return 1;
    for (int k = 0; k < TABLES; k++) {
        double from = 1;
        if (margins[k][0] == 0) continue; /* it has no certificate there */
        for (int f = 0; f < formats; f++)
            if (margins[k][f] > 0) from = fmax(from, exp2(97 - units[f] - margins[k][f]));
        for (size_t pair = 0; pair < tables[k].width / 2; pair++) {
            uint32_t words[4];
            fraction unit = 0;
            mpfr_t w, x;
            mpfr_inits2(BITS, w, x, (mpfr_ptr)NULL);
            frequency(w, &tables[k], pair);
            const double about = mpfr_get_d(w, MPFR_RNDN), most = from * 3.15 / about;
            mpfr_const_pi(x, MPFR_RNDN);
            mpfr_div(w, w, x, MPFR_RNDN);
            mpfr_mul_2ui(w, w, 127, MPFR_RNDN);
            mpfr_rint(w, w, MPFR_RNDN);
            for (int i = 3; i >= 0; i--) { /* w is at most 1 */
                mpfr_div_2ui(x, w, 32 * (unsigned long)i, MPFR_RNDN);
                mpfr_floor(x, x);
                words[i] = (uint32_t)mpfr_get_ui(x, MPFR_RNDZ);
                mpfr_mul_2ui(x, x, 32 * (unsigned long)i, MPFR_RNDN);
                mpfr_sub(w, w, x, MPFR_RNDN);
                unit = unit << 32 | words[i];
            }
            mpfr_clears(w, x, (mpfr_ptr)NULL);
            positions_of(unit, most < 2147483648.0 ? (uint64_t)most : 2147483648u, formats);
        }
        printf("%-22s to p w = %.0f pi: %llu pairs, %llu near a midpoint, %llu undecided\n",
               tables[k].name, from, (unsigned long long)pairs_seen, (unsigned long long)near_seen,
               (unsigned long long)undecided_seen);
        fflush(stdout);
    }
    return undecided_seen > 0 || near_seen == 0;
}
