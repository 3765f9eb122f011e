/* SPDX-License-Identifier: MIT */
/*
 * fixed_certify [FORMATS]: checks that pe_fixed.h leaves no pair of the tables of tests/theorem.txt undecided, at any
 * position below 2^31. FORMATS is how many of the formats f32, f16 and bf16 are checked, in this order; without it,
 * one.
 *
 * Let m be the last column of tests/theorem.txt, w a frequency and p a position. That file certifies that every element
 * of a table is farther from a midpoint than
 *
 *     2^m (2^-97 + 4 (w / pi) p 2^-99) = 2^(m - 97) (1 + p w / pi)
 *
 * Level 2 of pe_fixed.h flags a value as undecided only if it is within 4 units + p 2^-124 of a midpoint. A unit of the
 * value's remainder is 2^-88 for f32, 2^-75 for f16 and 2^-72 for bf16. Of the 4 units, 2 + 128 / 2^8 come from the
 * rounding test and 1.5 from the value itself. The error of the increment, p 2^-124, is less than
 * p 2^(m - 97) w / pi here. So nothing is flagged in f32 if p w / pi >= 2^(97 - 86 - m). The numbers for f16 and bf16,
 * which replace 86, are in main(). Every smaller position is examined with the filter of generate/theorem.c. Values
 * that are farther than 2^-50 from any midpoint are not flagged. pe_fixed.h computes the others, and reports undecided
 * ones.
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
        if (margins[k][0] == 0) continue; /* tests/theorem.txt has no certificate for this table */
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
