/* SPDX-License-Identifier: MIT */
/*
 * Proves the promise of correct rounding for every position from -2^31 to 2^31. Every f32 element
 * of a table is the real number amplitude * sin|cos(position * base^(-2i/d)) rounded once. So is
 * every f64 element. Here values come as near to a midpoint of two doubles as 2^-94 of the value;
 * nearer ones are in tests/unit/sincos/test_theorem.c. All expected values come from MPFR
 * (oracle.h).
 */
#include "../common.h"

#include "../oracle.h"

#include <float.h>

#define F64_LIMIT 0.5

static const double bases[] = {1e4, 5e5, 1e6, 1.0, 2.5, 0.5};
static const size_t narrow[] = {1, 2, 3, 7, 15, 16, 31, 64, 127, 128, 129};

/* Holds a configuration under test: the plan, and the oracle for the same configuration. */
typedef struct subject {
    owned_plan plan;
    oracle oracle;
} subject;

static void subject_make(subject *s, const char *test, size_t d_model, double base,
                         double amplitude)
{
    plan_make(&s->plan, d_model, base, amplitude);
    oracle_make(&s->oracle, test, d_model, base, amplitude);
}

static void subject_free(subject *s)
{
    plan_free(&s->plan);
    oracle_free(&s->oracle);
}

/*
 * Fills rows first .. first+rows-1 in calls of at most 64 MiB and certifies every element. MPFR
 * computes `direct` random rows of each call again. Returns the number of wrong elements.
 */
static size_t sweep(subject *s, rng *random, int64_t first, size_t rows, size_t direct)
{
    const size_t d = s->oracle.d_model, most = ((size_t)64 << 20) / sizeof(float) / d;
    float *table = (float *)must_alloc((rows < most ? rows : most) * d * sizeof *table);
    size_t wrong = 0;
    for (size_t done = 0; done < rows;) {
        const size_t n = rows - done < most ? rows - done : most;
        must_fill(CALL_FILL_F32, &s->plan.plan, d, first, NULL, n, table, d);
        wrong += oracle_table_f32(&s->oracle, first, n, table, d);
        for (size_t k = 0; k < direct; k++) {
            const size_t row = rng_below(random, n);
            wrong += oracle_row_f32(&s->oracle, first + (int64_t)row, table + row * d);
        }
        done += n;
        first += (int64_t)n;
    }
    free(table);
    return wrong;
}

/* Fills rows at a list of positions, and returns how many of their elements differ from MPFR's. The
   rows are f32, and also f64 if `worst` is not NULL, which then keeps the largest f64 error. */
static size_t look_up(subject *s, const int64_t *positions, size_t count, oracle_worst *worst)
{
    const size_t d = s->oracle.d_model;
    float *rows = (float *)must_alloc(count * d * sizeof *rows);
    double *row = (double *)must_alloc(d * sizeof *row);
    size_t wrong = 0;
    must_fill(CALL_FILL_AT_F32, &s->plan.plan, d, 0, positions, count, rows, d);
    for (size_t k = 0; k < count; k++) {
        wrong += oracle_row_f32(&s->oracle, positions[k], rows + k * d);
        if (worst == NULL) continue;
        must_fill(CALL_FILL_F64, &s->plan.plan, d, positions[k], NULL, 1, row, d);
        wrong += oracle_row_f64(&s->oracle, positions[k], row, F64_LIMIT, worst);
    }
    free(rows);
    free(row);
    return wrong;
}

static void print_worst(const oracle_worst *worst)
{
    printf(
        "             f64: at most %.6f ulp: d_model %zu, base %a, amplitude %a, position %" PRId64
        ", pair %zu, %s = %a\n",
        worst->ulp, worst->d_model, worst->base, worst->amplitude, worst->position,
        worst->column / 2, worst->column % 2 == 0 ? "sine" : "cosine", worst->got);
}

/* ------------------------------------------------------------------------------------------------
 * The oracle itself
 * --------------------------------------------------------------------------------------------- */

/* Tests the oracle with known values. It also tests results that a second rounding, or a flush of
   subnormals to 0, would change. */
static void oracle_knows_its_values(void **state)
{
    oracle o, tiny;
    mpfr_t tie;
    (void)state;
    oracle_make(&o, __func__, 4, 10000.0, 1.0);
    oracle_pair(&o, 1, 0);
    assert_true(mpfr_get_d(o.element[0], MPFR_RNDN) == 0x1.aed548f090ceep-1);
    assert_true(mpfr_get_d(o.element[1], MPFR_RNDN) == 0x1.14a280fb5068cp-1);
    assert_true(mpfr_get_d(o.frequencies[1], MPFR_RNDN) == 0.01);
    oracle_free(&o);

    /* The angle x is a midpoint of two floats, and the sine is less than 2^-230 below it. The
       cosine is just below 1. */
    oracle_make(&o, __func__, 4, 0x1p200, 1.0);
    for (int sign = -1; sign <= 1; sign += 2) {
        oracle_pair(&o, sign * 16777219, 1);
        assert_true(mpfr_get_flt(o.element[0], MPFR_RNDN) == (float)(sign * 0x1.000002p-76));
        assert_true(mpfr_get_flt(o.element[1], MPFR_RNDN) == 1.0f);
        assert_true(mpfr_cmp_ui(o.element[1], 1) < 0);
    }
    oracle_pair(&o, 0, 1);
    assert_true(mpfr_zero_p(o.element[0]) && mpfr_cmp_ui(o.element[1], 1) == 0);
    oracle_free(&o);

    /* Let u be the smallest subnormal, 2^-149. 1.5 u is a tie and becomes 2 u, u / 4 becomes 0, and
       2.5 u is a tie and becomes 2 u. */
    oracle_make(&tiny, __func__, 1, 10000.0, 1.0);
    mpfr_init2(tie, ORACLE_VALUE_BITS);
    mpfr_set_ui_2exp(tie, 3, -150, MPFR_RNDN);
    assert_true(mpfr_get_flt(tie, MPFR_RNDN) == 0x1p-148f);
    mpfr_set_ui_2exp(tie, 1, -151, MPFR_RNDN);
    assert_true(mpfr_get_flt(tie, MPFR_RNDN) == 0.0f);
    mpfr_set_ui_2exp(tie, 5, -150, MPFR_RNDN);
    assert_true(mpfr_get_flt(tie, MPFR_RNDN) == 0x1p-148f);
    mpfr_nextabove(tie);
    assert_true(mpfr_get_flt(tie, MPFR_RNDN) == 0x1.8p-148f);
    mpfr_set_d(tie, 0x1.ffffffp127, MPFR_RNDN); /* half an ulp above the largest float */
    assert_true(isinf(mpfr_get_flt(tie, MPFR_RNDN)));
    mpfr_nextbelow(tie);
    assert_true(mpfr_get_flt(tie, MPFR_RNDN) == FLT_MAX);

    mpfr_set_ui(tie, 1, MPFR_RNDN);
    assert_true(oracle_ulp_f64(&tiny, tie, 1.0) == 0.0);
    assert_true(oracle_ulp_f64(&tiny, tie, 1.0 + 0x1p-52) == 1.0);
    assert_true(oracle_ulp_f64(&tiny, tie, 1.0 - 0x1p-53) == 0.5);
    assert_true(oracle_ulp_f64(&tiny, tie, (double)NAN) > 1.0);
    mpfr_clear(tie);
    oracle_free(&tiny);
}

/* Tests the checks: a table is changed by one ulp in known places, and both ways of checking
   must count exactly those. */
static void oracle_sees_one_ulp(void **state)
{
    enum { ROWS = 500, WIDTH = 65, SPOILT = 200 };
    static float table[ROWS * WIDTH], clean[ROWS * WIDTH];
    rng random = rng_for(__func__);
    size_t spoilt = 0, direct = 0;
    oracle o;
    (void)state;
    oracle_make(&o, __func__, WIDTH, 10000.0, 1.0);
    o.quiet = 1;
    for (size_t row = 0; row < ROWS; row++)
        for (size_t column = 0; column < WIDTH; column++) {
            if (column % 2 == 0) oracle_pair(&o, 1000 + (int64_t)row, column / 2);
            clean[row * WIDTH + column] = mpfr_get_flt(o.element[column % 2], MPFR_RNDN);
        }
    assert_int_equal(oracle_table_f32(&o, 1000, ROWS, clean, WIDTH), 0);

    memcpy(table, clean, sizeof table);
    for (size_t k = 0; k < SPOILT; k++) {
        const size_t at = rng_below(&random, LENGTH(table));
        spoilt += table[at] == clean[at];
        table[at] = nextafterf(clean[at], rng_next(&random) & 1 ? 2.0f : -2.0f);
    }
    assert_true(oracle_table_f32(&o, 1000, ROWS, table, WIDTH) == spoilt);
    for (size_t row = 0; row < ROWS; row++)
        direct += oracle_row_f32(&o, 1000 + (int64_t)row, table + row * WIDTH);
    assert_true(direct == spoilt);

    table[0] = NAN;
    assert_true(oracle_table_f32(&o, 1000, 1, table, WIDTH) >= 1);
    assert_true(oracle_row_f32(&o, 1000, table) >= 1);
    oracle_free(&o);
}

/* ------------------------------------------------------------------------------------------------
 * Tables
 * --------------------------------------------------------------------------------------------- */

/* Tests every element of the tables that people make, from near and far positions. */
static void tables_of_the_field(void **state)
{
    static const struct {
        size_t rows, d_model;
    } tables[] = {{512, 512}, {2048, 768}, {4096, 4096}, {8192, 128}, {131072, 128}, {1048576, 64}};
    rng random = rng_for(__func__);
    size_t wrong = 0;
    (void)state;
    for (size_t round = 0; round < workload(1); round++)
        for (size_t t = 0; t < LENGTH(tables); t++)
            for (size_t b = 0; b < 3; b++) {
                const size_t rows = workload(tables[t].rows) / workload(1);
                const int64_t n = (int64_t)rows;
                const int64_t far = (int64_t)rng_below(&random, (size_t)POSITION_MAX - rows);
                const int64_t firsts[] = {
                    0, 1 << 20, 1 << 24, POSITION_MAX - n + 1, -POSITION_MAX, -n / 3, far, -far};
                const size_t from = round == 0 ? 0 : 6, to = round == 0 ? 6 : 8;
                subject s;
                subject_make(&s, __func__, tables[t].d_model,
                             round == 0 ? bases[b] : exp(1.0 + 14.0 * rng_unit(&random)), 1.0);
                for (size_t f = from; f < to; f++)
                    wrong += sweep(&s, &random, firsts[f], rows, 2048 / tables[t].d_model + 1);
                subject_free(&s);
            }
    assert_int_equal(wrong, 0);
}

/* Tests odd and narrow rows with all bases, through zero and at both ends of the range. */
static void narrow_tables(void **state)
{
    const size_t rows = workload(1) * 700;
    const int64_t n = (int64_t)rows;
    const int64_t firsts[] = {0,      1 << 20,       (1 << 24) - 5, POSITION_MAX - n + 1,
                              -n / 2, -POSITION_MAX, -(1 << 20)};
    rng random = rng_for(__func__);
    size_t wrong = 0;
    (void)state;
    for (size_t k = 0; k < LENGTH(narrow); k++)
        for (size_t b = 0; b < LENGTH(bases); b++) {
            subject s;
            subject_make(&s, __func__, narrow[k], bases[b], 1.0);
            for (size_t f = 0; f < LENGTH(firsts); f++)
                wrong += sweep(&s, &random, firsts[f], rows, 3);
            subject_free(&s);
        }
    assert_int_equal(wrong, 0);
}

/* Tests more than two tiles of 512 pairs. The last tile is not full, or has one sine and no
   cosine. */
static void tables_of_many_tiles(void **state)
{
    static const size_t widths[] = {2049, 2051, 2500, 3073, 3080};
    static const int64_t firsts[] = {-20, 1 << 24, POSITION_MAX - 40};
    rng random = rng_for(__func__);
    size_t wrong = 0;
    (void)state;
    for (size_t k = 0; k < LENGTH(widths); k++) {
        subject s;
        subject_make(&s, __func__, widths[k], 1e4, 1.0);
        for (size_t f = 0; f < LENGTH(firsts); f++) wrong += sweep(&s, &random, firsts[f], 40, 1);
        subject_free(&s);
    }
    assert_int_equal(wrong, 0);
}

/* Tests pe_sinusoidal_f32, which makes its own plan, with the default base and positions that start
   at 0. */
static void sinusoidal_tables(void **state)
{
    static const size_t widths[] = {1, 2, 3, 7, 16, 31, 64, 129, 512, 1023, 1024, 4096};
    size_t wrong = 0;
    (void)state;
    for (size_t k = 0; k < LENGTH(widths); k++) {
        const size_t d = widths[k], rows = workload(200000) / d + 3;
        float *table = (float *)must_alloc(rows * d * sizeof *table);
        oracle o;
        oracle_make(&o, __func__, d, 10000.0, 1.0);
        must_fill(CALL_SINUSOIDAL_F32, NULL, d, 0, NULL, rows, table, d);
        wrong += oracle_table_f32(&o, 0, rows, table, d);
        wrong += oracle_row_f32(&o, 0, table);
        wrong += oracle_row_f32(&o, (int64_t)rows - 1, table + (rows - 1) * d);
        oracle_free(&o);
        free(table);
    }
    assert_int_equal(wrong, 0);
}

/* Tests random widths, bases, amplitudes, starts and lengths. */
static void random_tables(void **state)
{
    rng random = rng_for(__func__);
    size_t wrong = 0;
    (void)state;
    for (size_t k = 0; k < workload(400); k++) {
        const size_t d = 1 + rng_below(&random, k % 8 == 0 ? 1500 : 150);
        const size_t rows = 1 + rng_below(&random, 400);
        const double base = exp2(-6.0 + 40.0 * rng_unit(&random));
        const double amplitude =
            k % 2 == 0 ? 1.0 : (k % 4 == 1 ? -1.0 : 1.0) * exp2(-20.0 + 40.0 * rng_unit(&random));
        int64_t first = rng_position(&random);
        subject s;
        if (first > POSITION_MAX - 400) first -= 400;
        subject_make(&s, __func__, d, base, amplitude);
        wrong += sweep(&s, &random, first, rows, 2);
        subject_free(&s);
    }
    assert_int_equal(wrong, 0);
}

/* ------------------------------------------------------------------------------------------------
 * Positions
 * --------------------------------------------------------------------------------------------- */

/* Tests the positions at which other libraries go wrong, with both signs. The narrow widths have
   all bases, and the two wide ones the base 10000. */
static void hard_positions_are_easy(void **state)
{
    static const size_t wide[] = {512, 1024};
    int64_t positions[2 * LENGTH(hard_positions)];
    oracle_worst worst = {0, 0, 0, 0, 0, 0, 0};
    size_t wrong = 0;
    (void)state;
    for (size_t k = 0; k < LENGTH(hard_positions); k++) {
        positions[2 * k] = hard_positions[k];
        positions[2 * k + 1] = -hard_positions[k];
    }
    for (size_t k = 0; k < LENGTH(narrow) + LENGTH(wide); k++)
        for (size_t b = 0; b < (k < LENGTH(narrow) ? LENGTH(bases) : 1); b++) {
            subject s;
            subject_make(&s, __func__, k < LENGTH(narrow) ? narrow[k] : wide[k - LENGTH(narrow)],
                         bases[b], 1.0);
            wrong += look_up(&s, positions, LENGTH(positions), &worst);
            subject_free(&s);
        }
    print_worst(&worst);
    assert_int_equal(wrong, 0);
}

/* Tests any positions in any order, with any width and base. */
static void random_positions(void **state)
{
    enum { COUNT = 61 };
    int64_t positions[COUNT];
    oracle_worst worst = {0, 0, 0, 0, 0, 0, 0};
    rng random = rng_for(__func__);
    size_t wrong = 0;
    (void)state;
    for (size_t k = 0; k < workload(150); k++) {
        subject s;
        subject_make(&s, __func__, 1 + rng_below(&random, 300),
                     k % 3 == 0 ? 10000.0 : exp2(-5.0 + 40.0 * rng_unit(&random)),
                     k % 2 == 0 ? 1.0 : 4.0 * rng_unit(&random) + 0x1p-20);
        for (size_t p = 0; p < COUNT; p++) positions[p] = rng_position(&random);
        wrong += look_up(&s, positions, COUNT, k % 3 == 0 ? &worst : NULL);
        subject_free(&s);
    }
    print_worst(&worst);
    assert_int_equal(wrong, 0);
}

/*
 * Finds the positions up to 2^31 at which a pair comes closest to a zero of its sine or cosine, and
 * returns how many there are, at most `most`. They are the denominators of the continued fraction
 * of 2 * frequency / pi, some with a minus sign. The reduced angle there consists of a few last
 * bits of the frequency.
 */
static size_t closest_to_zero(oracle *o, size_t pair, int64_t *positions, size_t most)
{
    uint64_t last = 0, before = 1;
    size_t count = 0;
    mpfr_t rest, whole;
    mpfr_inits2(ORACLE_ANGLE_BITS, rest, whole, (mpfr_ptr)NULL);
    mpfr_const_pi(whole, MPFR_RNDN);
    mpfr_div(rest, o->frequencies[pair], whole, MPFR_RNDN);
    mpfr_mul_2ui(rest, rest, 1, MPFR_RNDN);
    while (count < most) {
        uint64_t next;
        mpfr_floor(whole, rest);
        if (mpfr_cmp_ui(whole, 1ul << 31) > 0) break;
        next = (uint64_t)mpfr_get_ui(whole, MPFR_RNDN) * last + before;
        before = last;
        last = next;
        if (last > (uint64_t)POSITION_MAX) break;
        if (last > 0) positions[count++] = last % 3 == 0 ? -(int64_t)last : (int64_t)last;
        mpfr_sub(rest, rest, whole, MPFR_RNDN);
        if (mpfr_zero_p(rest)) break;
        mpfr_ui_div(rest, 1, rest, MPFR_RNDN);
    }
    mpfr_clears(rest, whole, (mpfr_ptr)NULL);
    return count;
}

static void positions_next_to_zeros(void **state)
{
    static const size_t widths[] = {1, 6, 7, 32, 65};
    oracle_worst worst = {0, 0, 0, 0, 0, 0, 0};
    size_t wrong = 0;
    (void)state;
    for (size_t k = 0; k < LENGTH(widths); k++)
        for (size_t b = 0; b < LENGTH(bases); b++) {
            subject s;
            subject_make(&s, __func__, widths[k], bases[b], 1.0);
            for (size_t i = 0; i < s.oracle.pairs; i += 1 + s.oracle.pairs / 8) {
                int64_t positions[64];
                const size_t count = closest_to_zero(&s.oracle, i, positions, LENGTH(positions));
                if (count > 0) wrong += look_up(&s, positions, count, &worst);
            }
            subject_free(&s);
        }
    print_worst(&worst);
    assert_int_equal(wrong, 0);
}

/* ------------------------------------------------------------------------------------------------
 * Amplitudes and bases at the edges
 * --------------------------------------------------------------------------------------------- */

/* Tests amplitudes: powers of two, midpoints of two floats, the scales of models, and amplitudes
   that make results subnormal, zero or infinite as floats. */
static void amplitudes(void **state)
{
    const double list[] = {1.0,
                           0.5,
                           -3.25,
                           0x1p-130,
                           -0x1.8p-149,
                           0x1.4p-150,
                           1e30,
                           0x1p127,
                           0x1p128,
                           -0x1.ffffffp127,
                           0x1.fffffep127,
                           0x1.8p140,
                           1e300,
                           0x1p1000,
                           0x1p-1000,
                           0x1.000001p0,
                           0x1.000003p0,
                           -0x1.000003p-3,
                           sqrt(2.0 / 512),
                           sqrt(2.0 / 7),
                           0x1.000002ffffffep0};
    static const size_t widths[] = {1, 7, 64, 129};
    const int64_t firsts[] = {-40, 1 << 24, POSITION_MAX - 400 + 1, -POSITION_MAX};
    rng random = rng_for(__func__);
    oracle_worst worst = {0, 0, 0, 0, 0, 0, 0};
    size_t wrong = 0;
    (void)state;
    for (size_t a = 0; a < LENGTH(list); a++)
        for (size_t k = 0; k < LENGTH(widths); k++) {
            int64_t positions[17];
            subject s;
            subject_make(&s, __func__, widths[k], bases[(a + k) % 3], list[a]);
            for (size_t f = 0; f < LENGTH(firsts); f++)
                wrong += sweep(&s, &random, firsts[f], 400, 1);
            positions[0] = 0;
            for (size_t p = 1; p < LENGTH(positions); p++) positions[p] = rng_position(&random);
            wrong += look_up(&s, positions, LENGTH(positions), &worst);
            subject_free(&s);
        }
    print_worst(&worst);
    assert_int_equal(wrong, 0);
}

/* Tests bases from 2^-20, where frequencies come near 2^20, to 2^900, where sines are subnormal
   floats or 0. */
static void bases_at_the_edges(void **state)
{
    const double list[] = {0x1p-20,
                           0x1.5p-20,
                           1e-3,
                           0x1.fffffffffffffp-1,
                           0x1.0000000000001p0,
                           1e12,
                           1e30,
                           1e60,
                           0x1p200,
                           1e100,
                           0x1p298,
                           0x1p600,
                           1e270,
                           0x1p900};
    static const size_t widths[] = {1, 2, 3, 4, 16, 33, 64};
    const int64_t firsts[] = {-30, 16777216 - 30, POSITION_MAX - 63};
    rng random = rng_for(__func__);
    oracle_worst worst = {0, 0, 0, 0, 0, 0, 0};
    size_t wrong = 0;
    (void)state;
    for (size_t b = 0; b < LENGTH(list); b++)
        for (size_t k = 0; k < LENGTH(widths); k++) {
            int64_t positions[17];
            subject s;
            subject_make(&s, __func__, widths[k], list[b], 1.0);
            for (size_t f = 0; f < LENGTH(firsts); f++)
                wrong += sweep(&s, &random, firsts[f], 64, 1);
            for (size_t p = 0; p < LENGTH(positions); p++) positions[p] = rng_position(&random);
            wrong += look_up(&s, positions, LENGTH(positions), &worst);
            subject_free(&s);
        }
    print_worst(&worst);
    assert_int_equal(wrong, 0);
}

/*
 * Tests sines and cosines of tiny angles, which are slightly below a float, a tie or the amplitude.
 * No finite working precision tells them apart; only the sign of the next term does. With base
 * 2^200 and d = 4, pair 1 has the frequency 2^-100. The sine of position p is p * 2^-100 minus
 * about 2^-230. If p is halfway between two floats, the sine is rounded down, whatever the last bit
 * is.
 */
static void a_hair_below_a_tie(void **state)
{
    static const double amplitude[] = {1.0,          -1.0,         0.75,           3.0,
                                       0x1.000001p0, 0x1.000003p0, -0x1.000003p-3, 0x1.000005p60};
    static const double base[] = {0x1p40,  0x1p64,  0x1p100, 0x1p120, 0x1p160,
                                  0x1p200, 0x1p300, 0x1p900, 1e30};
    rng random = rng_for(__func__);
    oracle_worst worst = {0, 0, 0, 0, 0, 0, 0};
    size_t wrong = 0;
    (void)state;
    for (size_t b = 0; b < LENGTH(base); b++)
        for (size_t a = 0; a < LENGTH(amplitude); a++) {
            int64_t positions[64];
            subject s;
            subject_make(&s, __func__, 4, base[b], amplitude[a]);
            for (size_t k = 0; k < LENGTH(positions); k++) {
                const unsigned dropped = 1 + (unsigned)rng_below(&random, 7);
                const uint64_t kept = (1u << 23) + (rng_next(&random) & 0x7fffff);
                const int64_t tie = (int64_t)(kept << dropped | 1ull << (dropped - 1));
                positions[k] = k == 0 ? 1 : k == 1 ? 16777219 : k % 2 == 0 ? tie : -tie;
            }
            wrong += look_up(&s, positions, LENGTH(positions), &worst);
            wrong += sweep(&s, &random, 16777216, 200, 2);
            subject_free(&s);
        }
    print_worst(&worst);
    assert_int_equal(wrong, 0);
}

/* ------------------------------------------------------------------------------------------------
 * f64
 * --------------------------------------------------------------------------------------------- */

/* Tests random rows of tables of doubles, with all bases and starting positions near and far. */
static void tables_of_doubles(void **state)
{
    static const size_t widths[] = {1, 2, 3, 7, 31, 64, 129, 512, 1024};
    oracle_worst worst = {0, 0, 0, 0, 0, 0, 0};
    rng random = rng_for(__func__);
    size_t wrong = 0;
    (void)state;
    for (size_t k = 0; k < LENGTH(widths); k++)
        for (size_t b = 0; b < LENGTH(bases); b++) {
            const size_t d = widths[k], rows = 300, looks = workload(20000) / d + 5;
            const int64_t firsts[] = {0,
                                      -150,
                                      1 << 24,
                                      POSITION_MAX - (int64_t)rows + 1,
                                      -POSITION_MAX,
                                      rng_position(&random) / 2};
            const int64_t first = firsts[(k + b) % LENGTH(firsts)];
            double *table = (double *)must_alloc(rows * d * sizeof *table);
            subject s;
            subject_make(&s, __func__, d, bases[b], b % 2 == 0 ? 1.0 : sqrt(2.0 / (double)d));
            must_fill(CALL_FILL_F64, &s.plan.plan, d, first, NULL, rows, table, d);
            for (size_t look = 0; look < looks; look++) {
                const size_t row = rng_below(&random, rows);
                wrong += oracle_row_f64(&s.oracle, first + (int64_t)row, table + row * d, F64_LIMIT,
                                        &worst);
            }
            subject_free(&s);
            free(table);
        }
    print_worst(&worst);
    assert_int_equal(wrong, 0);
}

/*
 * doubles_next_to_the_middle() chooses the amplitude so that an element is next to the midpoint of
 * two doubles. Let x be |sin| or |cos|, times a power of two, and let n / a be a convergent of its
 * continued fraction, so |n - a x| < 1 / a. If n is odd and has 54 bits, it is the midpoint of two
 * doubles, and with the amplitude a the element a x is this near to it. A smaller n gets 54 bits
 * when n and a are multiplied by the same odd number.
 */
enum { MIDDLE_WIDTH = 32, MIDDLE_PAIRS = MIDDLE_WIDTH / 2, MIDDLE_ROWS = 1300 };

/* Returns whether the sine or cosine of a pair at position p is the wanted one. The table has a
   random layout, and random numbers of rows before and after position p. */
static int middle_is_rounded(rng *r, const double *omega, int64_t p, size_t pair, int cosine,
                             double amplitude, double want)
{
    static double table[MIDDLE_ROWS * MIDDLE_WIDTH];
    const size_t most = rng_below(r, 64) == 0 ? MIDDLE_ROWS : 40;
    const size_t before = rng_below(r, most), rows = before + 1 + rng_below(r, most - before);
    pe_config config = config_of(MIDDLE_WIDTH, 10000, amplitude);
    config.layout = rng_below(r, 2) ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
    config.cos_first = rng_below(r, 2) != 0;
    const int second = cosine != config.cos_first, split = config.layout == PE_LAYOUT_HALVES;
    const size_t column = split ? pair + (second ? MIDDLE_PAIRS : 0) : 2 * pair + (second ? 1 : 0);
    const size_t size = pe_plan_size(&config);
    void *memory = must_alloc(size);
    pe_plan plan;
    assert_int_equal(pe_plan_init_frequencies(&plan, &config, omega, MIDDLE_PAIRS, memory, size),
                     PE_OK);
    must_fill(CALL_FILL_F64, &plan, MIDDLE_WIDTH, p - (int64_t)before, NULL, rows, table,
              MIDDLE_WIDTH);
    free(memory);
    const double got = table[before * MIDDLE_WIDTH + column];
    if (got != want)
        fprintf(stderr,
                "  MISROUNDED amplitude %a, w %a, position %" PRId64 ", %s: got %a, want %a\n",
                amplitude, omega[pair], p, cosine ? "cosine" : "sine", got, want);
    return got == want;
}

static void doubles_next_to_the_middle(void **state)
{
    rng r = rng_for(__func__);
    size_t wrong = 0, looks = 0, nearest = 0; /* nearest: those within 2^-94 ... 2^-75 */
    mpfr_t value, other, x, y;
    (void)state;
    mpfr_inits2(512, value, other, x, y, (mpfr_ptr)NULL);
    while (looks < workload(20000)) {
        const size_t pair = rng_below(&r, MIDDLE_PAIRS);
        const int cosine = (int)rng_below(&r, 2);
        const int64_t p = (int64_t)rng_below(&r, rng_below(&r, 2) ? 4000 : 100000000) + 1;
        uint64_t n = 1, a = 0, last_n = 0, last_a = 1;
        double omega[MIDDLE_PAIRS];
        for (size_t i = 0; i < MIDDLE_PAIRS; i++)
            omega[i] = ldexp(1 + rng_unit(&r), -(int)rng_below(&r, 10));
        mpfr_set_d(x, omega[pair], MPFR_RNDN);
        mpfr_mul_d(x, x, (double)p, MPFR_RNDN);
        mpfr_sin_cos(value, other, x, MPFR_RNDN);
        if (cosine) mpfr_swap(value, other);
        mpfr_abs(x, value, MPFR_RNDN);
        mpfr_mul_2si(x, x, (long)rng_below(&r, 30) - (long)mpfr_get_exp(x), MPFR_RNDN);
        for (mpfr_set(y, x, MPFR_RNDN);;) {
            const double digit = floor(mpfr_get_d(y, MPFR_RNDZ));
            if (digit * (double)n + (double)last_n >= 0x1p54 ||
                digit * (double)a + (double)last_a > 0x1p53)
                break;
            const uint64_t next_n = (uint64_t)digit * n + last_n;
            const uint64_t next_a = (uint64_t)digit * a + last_a;
            last_n = n, last_a = a, n = next_n, a = next_a;
            mpfr_sub_d(y, y, digit, MPFR_RNDN);
            mpfr_ui_div(y, 1, y, MPFR_RNDN);
            if (n < 1u << 30 || n % 2 == 0) continue;
            const uint64_t low = ((1ull << 53) + n - 1) / n, high = ((1ull << 54) - 1) / n;
            const uint64_t factor = (low + rng_next(&r) % (high - low + 1)) | 1;
            if (factor > high || (double)a * (double)factor > 0x1p53) continue;
            const double amplitude = ldexp((double)(a * factor), (int)rng_below(&r, 40) - 72);
            mpfr_mul_d(other, value, amplitude, MPFR_RNDN);
            const double want = mpfr_get_d(other, MPFR_RNDN);
            mpfr_abs(other, other, MPFR_RNDN);
            mpfr_mul_2si(other, other, 54 - (long)mpfr_get_exp(other), MPFR_RNDN);
            mpfr_sub_d(other, other, (double)(n * factor / 2), MPFR_RNDN);
            mpfr_sub_d(other, other, (double)(n * factor - n * factor / 2), MPFR_RNDN);
            if (mpfr_zero_p(other) || mpfr_get_exp(other) <= 54 - 94) continue;
            nearest += mpfr_get_exp(other) <= 54 - 75;
            wrong += !middle_is_rounded(&r, omega, p, pair, cosine, amplitude, want);
            looks++;
        }
    }
    mpfr_clears(value, other, x, y, (mpfr_ptr)NULL);
    printf("             %zu next to the middle, %zu of them by 2^-94 ... 2^-75\n", looks, nearest);
    assert_in_range(nearest, looks / 4, looks);
    assert_int_equal(wrong, 0);
}

static int print_totals(void **state)
{
    (void)state;
    oracle_print_totals();
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oracle_knows_its_values),
        cmocka_unit_test(oracle_sees_one_ulp),
        cmocka_unit_test(tables_of_the_field),
        cmocka_unit_test(narrow_tables),
        cmocka_unit_test(tables_of_many_tiles),
        cmocka_unit_test(sinusoidal_tables),
        cmocka_unit_test(random_tables),
        cmocka_unit_test(hard_positions_are_easy),
        cmocka_unit_test(random_positions),
        cmocka_unit_test(positions_next_to_zeros),
        cmocka_unit_test(amplitudes),
        cmocka_unit_test(bases_at_the_edges),
        cmocka_unit_test(a_hair_below_a_tie),
        cmocka_unit_test(tables_of_doubles),
        cmocka_unit_test(doubles_next_to_the_middle),
    };
    test_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, print_totals) != 0;
}
