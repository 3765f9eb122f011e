/* SPDX-License-Identifier: MIT */
/*
 * theorem: finds how near a table of consecutive positions comes to a midpoint of two numbers. The
 * search examines every position 1 ... 2^31 of every pair, so its result is a fact about the table.
 * No element is nearer to a midpoint than the certificate says, and the error bound of
 * double-double is smaller than that distance. Negative positions have the same sines and cosines
 * except for signs.
 *
 *     theorem list             prints the names of the tables
 *     theorem search NAME...   prints the certificates of these tables
 *     theorem check FILE       computes each certificate of FILE again with MPFR, and the elements
 *                              at its positions with pe, in seconds
 *
 * The search has w / 2 pi as a fraction of 128 bits, so the angle of any position is known to 2^-97
 * of a full rotation. It computes anchors in long double, and the positions of a block from an
 * anchor with one rotation in double. The error is less than 4 units of 2^-53. So an element nearer
 * than 2^-51 to a midpoint appears nearer than 2^-50. Such elements are computed again in long
 * double, and the nearest of them with MPFR. The midpoints of f16 and bf16 are numbers of 25 bits
 * like those of f32, so one search serves all three types.
 */
#include "pe.h"
#include "../tests/unit/half.h"

#include <float.h>
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if LDBL_MANT_DIG < 64
#error "the search wants a long double of 64 bits or more"
#endif

__extension__ typedef unsigned __int128 fraction;

enum { BITS = 256, BLOCK = 2048, FORMATS = 3 };
static const char *const format_names[FORMATS] = {"f32", "f16", "bf16"};
static const int format_bits[FORMATS] = {24, 11, 8}, format_least[FORMATS] = {-149, -24, -133};

/* ---- the tables ---------------------------------------------------------------------------------- */

typedef struct table {
    const char *name;
    int rope; /* 1: the frequencies are doubles, as in pe_rope_plan_init(); 0: they are exact */
    double base;
    size_t width;
    pe_rope_type type;
    double factor;
    size_t original;
} table;

static const table tables[] = {
    /* The first table includes the tables of width 64 and 128. */
    {"sinusoidal-10000-512", 0, 10000, 512, PE_ROPE_DEFAULT, 0, 0},
    {"sinusoidal-500000-512", 0, 500000, 512, PE_ROPE_DEFAULT, 0, 0},
    {"sinusoidal-500000-128", 0, 500000, 128, PE_ROPE_DEFAULT, 0, 0},
    {"rope-10000-128", 1, 10000, 128, PE_ROPE_DEFAULT, 0, 0},
    {"rope-500000-128", 1, 500000, 128, PE_ROPE_DEFAULT, 0, 0},
    {"rope-1000000-128", 1, 1000000, 128, PE_ROPE_DEFAULT, 0, 0},
    {"llama3.1-128", 1, 500000, 128, PE_ROPE_LLAMA3, 8, 8192},
    {"yarn-1000000-128-4", 1, 1000000, 128, PE_ROPE_YARN, 4, 32768},
    {"longrope-10000-96", 1, 10000, 96, PE_ROPE_LONGROPE, 32, 4096},
};
enum { TABLES = sizeof tables / sizeof tables[0], MOST_PAIRS = 256 };

/* Returns a factor of LongRoPE for pair i. Like the lists of models, which differ from model to
   model, these factors rise from 1 to 64. */
static double long_factor(size_t i) { return (double)(float)(1 + 63 * pow((double)i / 47, 2)); }

static void doubles_of(const table *t, double *omega)
{
    pe_rope_config c = pe_rope_config_default(t->width);
    double factors[MOST_PAIRS];
    for (size_t i = 0; i < t->width / 2; i++) factors[i] = long_factor(i);
    c.rope_theta = t->base, c.rope_type = t->type, c.factor = t->factor;
    c.original_max_position_embeddings = t->original;
    c.short_factor = c.long_factor = factors;
    if (pe_rope_frequencies(&c, omega, NULL) != PE_OK) {
        fprintf(stderr, "theorem: %s is no config\n", t->name);
        exit(1);
    }
}

static void frequency(mpfr_t w, const table *t, size_t i)
{
    if (t->rope) {
        double omega[MOST_PAIRS];
        doubles_of(t, omega);
        mpfr_set_d(w, omega[i], MPFR_RNDN);
        return;
    }
    mpfr_t x;
    mpfr_init2(x, BITS);
    mpfr_set_si(x, -2 * (long)i, MPFR_RNDN);
    mpfr_div_ui(x, x, (unsigned long)t->width, MPFR_RNDN);
    mpfr_set_d(w, t->base, MPFR_RNDN);
    mpfr_pow(w, w, x, MPFR_RNDN);
    mpfr_clear(x);
}

static int plan_of(pe_plan *plan, const table *t, void *memory, size_t size)
{
    pe_config c = pe_config_default(t->width);
    double omega[MOST_PAIRS];
    c.base = t->base, c.expected_rows = 1;
    if (!t->rope) return pe_plan_init(plan, &c, memory, size) == PE_OK;
    doubles_of(t, omega);
    return pe_plan_init_frequencies(plan, &c, omega, t->width / 2, memory, size) == PE_OK;
}

/* ---- distances ----------------------------------------------------------------------------------- */

/* Returns the distance from x, |x| <= 1, to the nearest midpoint of two numbers of a format. */
static long double distance(long double x, int format)
{
    int e;
    x = x < 0 ? -x : x;
    (void)frexpl(x, &e);
    const int last = e - format_bits[format] > format_least[format] ? e - format_bits[format]
                                                                    : format_least[format];
    const long double y = ldexpl(x, -last), whole = floorl(y); /* the midpoint is whole + 1/2 */
    const long double off = ldexpl(fabsl(y - whole - 0.5L), last);
    return off;
}

static double exact_distance(const mpfr_t w, uint64_t position, int component, int format,
                             double *rounded)
{
    mpfr_t x, y;
    mpfr_inits2(BITS, x, y, (mpfr_ptr)NULL);
    mpfr_mul_d(x, w, (double)position, MPFR_RNDN);
    if (component) mpfr_cos(x, x, MPFR_RNDN);
    else mpfr_sin(x, x, MPFR_RNDN);
    const int sign = mpfr_sgn(x);
    mpfr_abs(x, x, MPFR_RNDN);
    const long e = (long)mpfr_get_exp(x) - format_bits[format];
    const long last = e > format_least[format] ? e : format_least[format];
    mpfr_div_2si(x, x, last, MPFR_RNDN);
    mpfr_rint(y, x, MPFR_RNDN);
    *rounded = sign * ldexp(mpfr_get_d(y, MPFR_RNDN), (int)last);
    mpfr_floor(y, x);
    mpfr_sub(x, x, y, MPFR_RNDN);
    mpfr_sub_d(x, x, 0.5, MPFR_RNDN);
    mpfr_abs(x, x, MPFR_RNDN);
    const double off = log2(mpfr_get_d(x, MPFR_RNDN)) + (double)last;
    mpfr_clears(x, y, (mpfr_ptr)NULL);
    return off;
}

/* Returns log2 of the error bound of double-double for a frequency w and a position. This is
   pe__sincos_dd_error() for the frequency w / pi in half-turns, with the plan's error, which is
   2^-99 for each of these tables. */
static double bound(double w, uint64_t position)
{
    return log2(ldexp(1, -97) + 4 * w / 3.141592653589793 * (double)position * ldexp(1, -99));
}

/* ---- the search ---------------------------------------------------------------------------------- */

typedef struct found {
    double margin, off; /* log2 of the distance divided by bound(); log2 of the distance */
    size_t pair;
    uint64_t position;
    int component;
} found;

static void turn_of(fraction turn, long double *s, long double *c)
{
    const long double two_pi = 6.283185307179586476925286766559L;
    /* The nearest quarter turn is taken away, so that the rest x is small and its error also. */
    const unsigned quarter = (unsigned)((turn + ((fraction)1 << 125)) >> 126) & 3;
    const int64_t rest = (int64_t)(uint64_t)((turn - ((fraction)quarter << 126)) >> 64);
    const long double x = ldexpl((long double)rest, -64) * two_pi;
    const long double sine = sinl(x), cosine = cosl(x);
    *s = quarter == 0 ? sine : quarter == 1 ? cosine : quarter == 2 ? -sine : -cosine;
    *c = quarter == 0 ? cosine : quarter == 1 ? -sine : quarter == 2 ? -cosine : sine;
}

/* Returns whether y is within 2^-50 of a number with 25 bits. */
static inline uint64_t near_middle(double y)
{
    uint64_t bits;
    memcpy(&bits, &y, sizeof bits);
    const uint64_t below = 1022 - (bits >> 52 & 2047), t = below < 25 ? below : 25;
    const uint64_t off = (bits + ((uint64_t)8 << t)) & (((uint64_t)1 << 28) - 1);
    return off < ((uint64_t)16 << t);
}

/* Returns whether an element of a block is near such a number. The block's positions are those of
   the anchor, with the sine s and the cosine c, rotated by the sines S and the cosines C. */
static uint64_t near_middles(double s, double c, const double *S, const double *C)
{
    uint64_t any = 0;
    for (int i = 0; i < BLOCK; i++)
        any |= near_middle(s * C[i] + c * S[i]) | near_middle(c * C[i] - s * S[i]);
    return any;
}

/* Examines the sine and the cosine of a pair at a position, whose angle is `turn` rotations. Keeps
   an element in *best if its margin is smaller than that of the best one so far. */
static void look(const mpfr_t w, double about, fraction turn, size_t pair, uint64_t position,
                 found *best)
{
    long double value[2];
    turn_of(turn, &value[0], &value[1]);
    for (int k = 0; k < 2; k++)
        for (int f = 0; f < FORMATS; f++) {
            const double near = (double)distance(value[k], f), limit = bound(about, position);
            double rounded;
            if (near > ldexp(1, -50) || log2(near + ldexp(1, -62)) - limit > best[f].margin + 2)
                continue;
            const double off = exact_distance(w, position, k, f, &rounded);
            if (off - limit >= best[f].margin) continue;
            best[f].margin = off - limit, best[f].off = off;
            best[f].pair = pair, best[f].position = position, best[f].component = k;
        }
}

static void search_pair(const table *t, size_t pair, found *best)
{
    static double S[BLOCK], C[BLOCK];
    const uint64_t most = (uint64_t)1 << 31;
    mpfr_t w, x;
    mpfr_inits2(BITS, w, x, (mpfr_ptr)NULL);
    frequency(w, t, pair);
    const double about = mpfr_get_d(w, MPFR_RNDN);
    mpfr_const_pi(x, MPFR_RNDN);
    mpfr_mul_2ui(x, x, 1, MPFR_RNDN);
    mpfr_div(x, w, x, MPFR_RNDN); /* below 1: w is at most 1 */
    fraction unit = 0;
    for (int part = 0; part < 4; part++) {
        mpfr_mul_2ui(x, x, 32, MPFR_RNDN);
        const unsigned long digit = mpfr_get_ui(x, MPFR_RNDZ);
        unit = unit << 32 | digit;
        mpfr_sub_ui(x, x, digit, MPFR_RNDN);
    }
    for (int i = 0; i < BLOCK; i++) {
        long double s, c;
        turn_of(unit * (fraction)(unsigned)i, &s, &c);
        S[i] = (double)s, C[i] = (double)c;
    }
    for (uint64_t first = 0; first <= most; first += BLOCK) {
        long double s, c;
        turn_of(unit * (fraction)first, &s, &c);
        if (!near_middles((double)s, (double)c, S, C)) continue;
        for (int i = 0; i < BLOCK; i++) {
            const uint64_t position = first + (uint64_t)i;
            const double y = (double)s * C[i] + (double)c * S[i];
            const double z = (double)c * C[i] - (double)s * S[i];
            if ((near_middle(y) | near_middle(z)) && position > 0 && position <= most)
                look(w, about, unit * (fraction)position, pair, position, best);
        }
    }
    mpfr_clears(w, x, (mpfr_ptr)NULL);
}

static void search(const table *t)
{
    found best[FORMATS];
    for (int f = 0; f < FORMATS; f++) memset(&best[f], 0, sizeof best[f]), best[f].margin = 1000;
    for (size_t pair = 0; pair < t->width / 2; pair++) {
        search_pair(t, pair, best);
        fprintf(stderr, "%s: pair %zu of %zu, 2^%.2f\n", t->name, pair + 1, t->width / 2,
                best[0].off);
    }
    for (int f = 0; f < FORMATS; f++) {
        if (best[f].margin == 1000) { /* no element is so near, as for f16 and bf16 */
            printf("# %-20s %-4s none within 2^-51\n", t->name, format_names[f]);
            continue;
        }
        printf("%-22s %-4s %3zu %10llu %s %7.2f %6.2f\n", t->name, format_names[f], best[f].pair,
               (unsigned long long)best[f].position, best[f].component ? "cos" : "sin", best[f].off,
               best[f].margin);
    }
    fflush(stdout);
}

/* ---- the check ----------------------------------------------------------------------------------- */

static int index_of(const char *name)
{
    for (int k = 0; k < TABLES; k++)
        if (strcmp(tables[k].name, name) == 0) return k;
    fprintf(stderr, "theorem: there is no table %s\n", name);
    exit(1);
}

static int check(const char *file)
{
    static unsigned char memory[1 << 15];
    char line[200], name[64], format[8], component[8];
    unsigned long long position;
    double off, margin;
    size_t pair;
    int bad = 0, lines = 0;
    FILE *const in = fopen(file, "r");
    if (!in) return 1;
    while (fgets(line, sizeof line, in)) {
        if (line[0] == '#') continue;
        if (sscanf(line, "%63s %7s %zu %llu %7s %lf %lf", name, format, &pair, &position, component,
                   &off, &margin) != 7)
            return 1;
        const table *const t = &tables[index_of(name)];
        const int f = strcmp(format, "f32") == 0 ? 0 : strcmp(format, "f16") == 0 ? 1 : 2;
        const int k = strcmp(component, "cos") == 0;
        const double at = (double)position;
        double want, got;
        float row[2 * MOST_PAIRS];
        uint16_t row16[2 * MOST_PAIRS];
        pe_plan plan;
        mpfr_t w;
        mpfr_init2(w, BITS);
        frequency(w, t, pair);
        const double there = exact_distance(w, position, k, f, &want);
        const double more = there - bound(mpfr_get_d(w, MPFR_RNDN), position);
        mpfr_clear(w);
        if (!plan_of(&plan, t, memory, sizeof memory)) return 1;
        if (f == 0) (void)pe_fill_f32(&plan, pe_at_f64(&at), 1, row, t->width);
        else if (f == 1) (void)pe_fill_f16(&plan, pe_at_f64(&at), 1, row16, t->width);
        else (void)pe_fill_bf16(&plan, pe_at_f64(&at), 1, row16, t->width);
        const size_t element = 2 * pair + (size_t)k;
        got = f == 0 ? (double)row[element] : half_value(f == 2, row16[element]);
        if (!(fabs(there - off) < 0.01 && fabs(more - margin) < 0.01 && more > 1 && got == want))
            bad++, printf("not so: %s  distance 2^%.2f, margin %.2f, %a, must be %a\n", line, there,
                          more, got, want);
        lines++;
    }
    fclose(in);
    printf("%d certificates, %d not so\n", lines, bad);
    return bad != 0 || lines == 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "check") == 0) return check(argv[2]);
    if (argc > 2 && strcmp(argv[1], "search") == 0) {
        for (int k = 2; k < argc; k++) search(&tables[index_of(argv[k])]);
        return 0;
    }
    for (int k = 0; k < TABLES; k++) printf("%s\n", tables[k].name);
    return argc > 1 && strcmp(argv[1], "list") != 0;
}
