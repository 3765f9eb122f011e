/* SPDX-License-Identifier: MIT */
/*
 * Computes what every element of a sinusoidal table has to be, from MPFR and from nothing else. The
 * tests of "correctly rounded" rest on it, and test_exact.c first proves the oracle itself. It has
 * two ways.
 *
 * Direct: frequency and angle have 320 bits (the largest angle, 2^51, leaves 269 bits behind the
 * point), and sine and cosine have 256 bits, rounded to odd. Their product with the amplitude is
 * exact, and is rounded once to the type. This takes about 4 us per pair. Rounding to odd keeps a
 * value that is next to a tie on its side of it, however near. An example is the sine of a tiny x,
 * which is x - x^3/6: where x is half way between two floats, the sign of the second term decides.
 *
 * Certified: a whole table is computed in double precision from rotations of MPFR's sines and
 * cosines, with a proven bound on the error. Where every real number within the bound rounds to the
 * float under test, that float is proven right; all others go to MPFR. This takes about 5 ns per
 * pair.
 */
#ifndef PE_TESTS_ORACLE_H
#define PE_TESTS_ORACLE_H

#include "common.h"

#include <mpfr.h>

#define ORACLE_ANGLE_BITS 320
#define ORACLE_VALUE_BITS 256

/*
 * Bounds the error of a certified value, which is s*C + c*S (or c*C - s*S). Its four operands are
 * in [-1, 1] and are MPFR's values rounded once, each with an error of at most 2^-54. Because |s*C|
 * + |c*S| <= 1, the errors are at most 2 * 2^-53 from the operands, 2^-53 from the products and
 * 2^-53 from the sum. Computing y +- bound adds 2^-53, and so does the product with the amplitude.
 * The total is 6 * 2^-53 < 2^-50.
 */
#define ORACLE_BOUND 0x1p-50

typedef struct oracle {
    size_t d_model, pairs;
    double base, amplitude;
    mpfr_t *frequencies;         /* base^(-2i/d_model) */
    mpfr_t angle, scratch, next; /* for intermediate results */
    mpfr_t sine, cosine;         /* results of the last call of oracle_turn() */
    mpfr_t element[2]; /* sine and cosine of the last oracle_pair(), times the amplitude */
    size_t block;      /* for certified tables: rows per anchor; 0 before the first table */
    /* Sines and cosines: turns[block][pairs][2] are those of the distances 0 ... block - 1 from an
       anchor, and anchor[pairs][2] are those of the position of the current anchor. */
    double *turns, *anchor;
    const char *test; /* the name that messages print */
    int quiet;        /* 1: wrong elements are counted, not printed */
    size_t reported;  /* wrong elements so far; only the first 4 are printed */
} oracle;

/* Counts how many elements the whole program has checked, in each way and type. */
typedef struct oracle_totals {
    uint64_t direct_f32, certified_f32, near_ties, direct_f64; /* near_ties: pairs sent to MPFR */
} oracle_totals;

static inline oracle_totals *oracle_count(void)
{
    static oracle_totals totals;
    return &totals;
}

static inline size_t oracle_gcd(size_t a, size_t b)
{
    while (b != 0) {
        const size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static inline void oracle_make(oracle *o, const char *test, size_t d_model, double base,
                               double amplitude)
{
    memset(o, 0, sizeof *o);
    o->test = test;
    o->d_model = d_model;
    o->pairs = (d_model + 1) / 2;
    o->base = base;
    o->amplitude = amplitude;
    o->anchor = (double *)must_alloc(2 * o->pairs * sizeof *o->anchor);
    o->frequencies = (mpfr_t *)must_alloc(o->pairs * sizeof *o->frequencies);
    mpfr_inits2(ORACLE_ANGLE_BITS, o->angle, o->scratch, o->element[0], o->element[1],
                (mpfr_ptr)NULL);
    mpfr_inits2(ORACLE_VALUE_BITS, o->sine, o->cosine, o->next, (mpfr_ptr)NULL);
    for (size_t i = 0; i < o->pairs; i++) {
        /* base^(2i / d_model) is computed as a root of a power, with the fraction reduced. This is
           exact wherever the result fits the precision; a power with a rounded exponent is not. */
        const size_t common = oracle_gcd(2 * i, d_model);
        mpfr_init2(o->frequencies[i], ORACLE_ANGLE_BITS);
        mpfr_set_d(o->angle, base, MPFR_RNDN);
        mpfr_pow_ui(o->angle, o->angle, (unsigned long)(2 * i / common), MPFR_RNDN);
        mpfr_rootn_ui(o->angle, o->angle, (unsigned long)(d_model / common), MPFR_RNDN);
        mpfr_ui_div(o->frequencies[i], 1, o->angle, MPFR_RNDN);
    }
}

static inline void oracle_free(oracle *o)
{
    for (size_t i = 0; i < o->pairs; i++) mpfr_clear(o->frequencies[i]);
    mpfr_clears(o->angle, o->scratch, o->element[0], o->element[1], o->sine, o->cosine, o->next,
                (mpfr_ptr)NULL);
    free(o->frequencies);
    free(o->anchor);
    free(o->turns);
}

/* Rounds to odd a value that was truncated: if anything was lost, the last bit becomes 1. */
static inline void oracle_to_odd(mpfr_t x, int inexact)
{
    if (!inexact || mpfr_min_prec(x) == mpfr_get_prec(x)) /* exact, or odd already */
        return;
    if (mpfr_signbit(x)) mpfr_nextbelow(x);
    else mpfr_nextabove(x);
}

/* Computes the sine and cosine of position * frequency, without the amplitude, rounded to odd. */
static inline void oracle_turn(oracle *o, int64_t position, size_t pair)
{
    int inexact;
    mpfr_mul_d(o->angle, o->frequencies[pair], (double)position, MPFR_RNDN);
    /* Bits 0 and 1 of the result tell whether the sine is inexact, bits 2 and 3 the cosine. */
    inexact = mpfr_sin_cos(o->sine, o->cosine, o->angle, MPFR_RNDZ);
    oracle_to_odd(o->sine, inexact & 3);
    oracle_to_odd(o->cosine, inexact >> 2);
}

/* Computes the two elements of a pair before their rounding to the type, into o->element. */
static inline void oracle_pair(oracle *o, int64_t position, size_t pair)
{
    oracle_turn(o, position, pair);
    mpfr_mul_d(o->element[0], o->sine, o->amplitude, MPFR_RNDN);
    mpfr_mul_d(o->element[1], o->cosine, o->amplitude, MPFR_RNDN);
}

static inline void oracle_report(oracle *o, int64_t position, size_t column, double got,
                                 double want)
{
    if (o->quiet || o->reported++ >= 4) return;
    fprintf(stderr,
            "  MISROUNDED d_model %zu, base %a, amplitude %a, position %" PRId64
            ", pair %zu, %s: got %a, want %a\n",
            o->d_model, o->base, o->amplitude, position, column / 2,
            column % 2 == 0 ? "sine" : "cosine", got, want);
    test_print_rerun(stderr, o->test);
}

/* Compares one element with the last oracle_pair(), and returns 1 if it is wrong, otherwise 0. At
   position 0 with a positive amplitude, -0 is wrong. The sign of other zeros is not checked. */
static inline size_t oracle_compare_f32(oracle *o, int64_t position, size_t column, float got)
{
    const float want = mpfr_get_flt(o->element[column % 2], MPFR_RNDN);
    const int negative_zero = got == 0.0f && position == 0 && o->amplitude > 0 && signbit(got);
    if (got == want && !negative_zero) return 0;
    oracle_report(o, position, column, (double)got, (double)want);
    return 1;
}

/* Checks every element of one row with MPFR, and returns how many are wrong. */
static inline size_t oracle_row_f32(oracle *o, int64_t position, const float *row)
{
    size_t wrong = 0;
    for (size_t column = 0; column < o->d_model; column++) {
        if (column % 2 == 0) oracle_pair(o, position, column / 2);
        wrong += oracle_compare_f32(o, position, column, row[column]);
    }
    oracle_count()->direct_f32 += o->d_model;
    return wrong;
}

/* Stores the sine and cosine of b times the frequency of each pair, for b = 0 ... block - 1, in
   o->turns. They come from repeated rotation with 256 bits. */
static inline void oracle_make_turns(oracle *o, size_t block)
{
    mpfr_t step_sine, step_cosine;
    if (o->block == block) return;
    mpfr_inits2(ORACLE_VALUE_BITS, step_sine, step_cosine, (mpfr_ptr)NULL);
    free(o->turns);
    o->turns = (double *)must_alloc(2 * block * o->pairs * sizeof *o->turns);
    o->block = block;
    for (size_t i = 0; i < o->pairs; i++) {
        oracle_turn(o, 1, i);
        mpfr_set(step_sine, o->sine, MPFR_RNDN);
        mpfr_set(step_cosine, o->cosine, MPFR_RNDN);
        oracle_turn(o, 0, i);
        for (size_t b = 0; b < block; b++) {
            double *turn = o->turns + 2 * (b * o->pairs + i);
            turn[0] = mpfr_get_d(o->sine, MPFR_RNDN);
            turn[1] = mpfr_get_d(o->cosine, MPFR_RNDN);
            mpfr_fmma(o->next, o->sine, step_cosine, o->cosine, step_sine, MPFR_RNDN);
            mpfr_fmms(o->cosine, o->cosine, step_cosine, o->sine, step_sine, MPFR_RNDN);
            mpfr_swap(o->sine, o->next);
        }
    }
    mpfr_clears(step_sine, step_cosine, (mpfr_ptr)NULL);
}

/* Returns whether all real numbers within the bound of y, multiplied by the amplitude, round to
   `got`. */
static inline int oracle_sure(double y, double amplitude, float got)
{
    const float low = (float)((y - ORACLE_BOUND) * amplitude);
    const float high = (float)((y + ORACLE_BOUND) * amplitude);
    return (low == got) & (high == got);
}

/* Checks one row, and returns how many elements are wrong. `turn` is the part of o->turns for the
   distance of the row from the anchor. A pair that is not certain is computed by MPFR. */
static inline size_t oracle_certify_row(oracle *o, int64_t position, const double *turn,
                                        const float *row)
{
    const double *anchor = o->anchor;
    const double amplitude = o->amplitude;
    size_t wrong = 0;
    for (size_t i = 0; i < o->pairs; i++) {
        const double s = anchor[2 * i], c = anchor[2 * i + 1];
        const double S = turn[2 * i], C = turn[2 * i + 1];
        const int has_cosine = 2 * i + 1 < o->d_model;
        int sure = oracle_sure(s * C + c * S, amplitude, row[2 * i]);
        if (has_cosine) sure &= oracle_sure(c * C - s * S, amplitude, row[2 * i + 1]);
        if (!sure) {
            oracle_pair(o, position, i);
            wrong += oracle_compare_f32(o, position, 2 * i, row[2 * i]);
            if (has_cosine) wrong += oracle_compare_f32(o, position, 2 * i + 1, row[2 * i + 1]);
            oracle_count()->near_ties++;
        }
    }
    return wrong;
}

/* Certifies every element of a table of consecutive positions, and returns how many are wrong. It
   stops after the first row that makes them 1000 or more. */
static inline size_t oracle_table_f32(oracle *o, int64_t first, size_t rows, const float *table,
                                      size_t stride)
{
    size_t wrong = 0, block = 8;
    while (block < 1024 && block * block < rows) block *= 2;
    oracle_make_turns(o, block);
    for (size_t row = 0; row < rows && wrong < 1000; row++) {
        if (row % block == 0)
            for (size_t i = 0; i < o->pairs; i++) {
                oracle_turn(o, first + (int64_t)row, i);
                o->anchor[2 * i] = mpfr_get_d(o->sine, MPFR_RNDN);
                o->anchor[2 * i + 1] = mpfr_get_d(o->cosine, MPFR_RNDN);
            }
        wrong += oracle_certify_row(o, first + (int64_t)row,
                                    o->turns + 2 * (row % block) * o->pairs, table + row * stride);
    }
    oracle_count()->certified_f32 += (uint64_t)rows * o->d_model;
    return wrong;
}

/* Keeps the largest error seen, in units in the last place of the exact value, and where it was. */
typedef struct oracle_worst {
    double ulp, got, base, amplitude;
    size_t d_model, column;
    int64_t position;
} oracle_worst;

/* Returns |got - exact| / ulp(exact) for a double. Returns infinity if got is infinite or a NaN, or
   if only the exact value is 0. */
static inline double oracle_ulp_f64(oracle *o, const mpfr_t exact, double got)
{
    const long subnormal = -1074;
    long unit;
    if (!isfinite(got)) return HUGE_VAL;
    if (mpfr_zero_p(exact)) return got == 0.0 ? 0.0 : HUGE_VAL;
    unit = (long)mpfr_get_exp(exact) - 53;
    mpfr_set_d(o->scratch, got, MPFR_RNDN);
    mpfr_sub(o->scratch, o->scratch, exact, MPFR_RNDN);
    mpfr_div_2si(o->scratch, o->scratch, unit > subnormal ? unit : subnormal, MPFR_RNDN);
    return fabs(mpfr_get_d(o->scratch, MPFR_RNDN));
}

/* Checks one row of doubles, and returns how many are off by more than `limit` ulp. */
static inline size_t oracle_row_f64(oracle *o, int64_t position, const double *row, double limit,
                                    oracle_worst *worst)
{
    size_t wrong = 0;
    for (size_t column = 0; column < o->d_model; column++) {
        double ulp;
        if (column % 2 == 0) oracle_pair(o, position, column / 2);
        ulp = oracle_ulp_f64(o, o->element[column % 2], row[column]);
        if (ulp > worst->ulp) {
            worst->ulp = ulp;
            worst->got = row[column];
            worst->base = o->base;
            worst->amplitude = o->amplitude;
            worst->d_model = o->d_model;
            worst->column = column;
            worst->position = position;
        }
        if (!(ulp <= limit)) {
            wrong++;
            oracle_report(o, position, column, row[column],
                          mpfr_get_d(o->element[column % 2], MPFR_RNDN));
        }
    }
    oracle_count()->direct_f64 += o->d_model;
    return wrong;
}

static inline void oracle_print_totals(void)
{
    const oracle_totals *n = oracle_count();
    printf("checked: %" PRIu64 " f32 elements by MPFR directly, %" PRIu64
           " certified (of them %" PRIu64 " pairs by MPFR), %" PRIu64 " f64 elements\n",
           n->direct_f32, n->certified_f32, n->near_ties, n->direct_f64);
}

#endif /* PE_TESTS_ORACLE_H */
