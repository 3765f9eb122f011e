/* SPDX-License-Identifier: MIT */
/*
 * Proves that the library gives what the texts about section 3.5 of "Attention Is All You Need"
 * print and claim. These are the 4 x 8 table with its row norms, the dot products that depend only
 * on the offset, and wavelengths from 2 pi to base * 2 pi. The shift by k is linear in the two
 * columns of a pair, but not in one column.
 *
 * Also proves what README.md says of the usual loops: how wrong their angles in float are, and how
 * many floats of a loop in double are not the nearest.
 */
#include "../common.h"

#include "../oracle.h"

/* Returns whether the value is within half a unit of the fourth decimal that is printed. */
static int prints_as(double value, double printed)
{
    return fabs(value - printed) <= 0.5e-4 + 1e-9;
}

static double dot(const float *a, const float *b, size_t n)
{
    double sum = 0;
    for (size_t j = 0; j < n; j++) sum += (double)a[j] * (double)b[j];
    return sum;
}

/* Returns a table of the default config, in memory of its own. */
static float *table_of(int64_t first, size_t rows, size_t d_model)
{
    float *table = (float *)must_alloc(rows * d_model * sizeof *table);
    owned_plan p;
    plan_make(&p, d_model, 10000.0, 1.0);
    must_fill(CALL_FILL_F32, &p.plan, d_model, first, NULL, rows, table, d_model);
    plan_free(&p);
    return table;
}

/* Compares a table of context 4 and width 8 with four printed decimals. For 0.99995 and 0.99955 the
   text's rounding is ambiguous, so these two have five. */
static void the_printed_table(void **state)
{
    static const double printed[4][8] = {
        {0.0000, 1.0000, 0.0000, 1.0000, 0.0000, 1.0000, 0.0000, 1.0000},
        {0.8415, 0.5403, 0.0998, 0.9950, 0.0100, 0.99995, 0.0010, 1.0000},
        {0.9093, -0.4161, 0.1987, 0.9801, 0.0200, 0.9998, 0.0020, 1.0000},
        {0.1411, -0.9900, 0.2955, 0.9553, 0.0300, 0.99955, 0.0030, 1.0000}};
    float simple[4 * 8], *filled = table_of(0, 4, 8);
    size_t wrong = 0;
    oracle o;
    (void)state;
    must_fill(CALL_SINUSOIDAL_F32, NULL, 8, 0, NULL, 4, simple, 8);
    assert_memory_equal(simple, filled, sizeof simple);
    oracle_make(&o, __func__, 8, 10000.0, 1.0);
    for (size_t row = 0; row < 4; row++) {
        wrong += oracle_row_f32(&o, (int64_t)row, simple + 8 * row);
        for (size_t j = 0; j < 8; j++)
            if (!prints_as((double)simple[8 * row + j], printed[row][j]))
                fail_msg("row %zu, column %zu: %.9g, printed %.5f", row, j,
                         (double)simple[8 * row + j], printed[row][j]);
    }
    assert_int_equal(wrong, 0);
    oracle_free(&o);
    free(filled);
}

/* Checks that every row has the norm sqrt(d/2), to the rounding of its floats; sqrt(8/2) = 2. */
static void rows_lie_on_a_sphere(void **state)
{
    static const size_t widths[] = {2, 8, 32, 64, 512, 4096};
    static const int64_t firsts[] = {0, -70, 131000, 16777200, POSITION_MAX - 69};
    (void)state;
    for (size_t k = 0; k < LENGTH(widths); k++)
        for (size_t f = 0; f < LENGTH(firsts); f++) {
            const size_t d = widths[k];
            float *table = table_of(firsts[f], 70, d);
            for (size_t row = 0; row < 70; row++) {
                const double norm = sqrt(dot(table + row * d, table + row * d, d));
                const double radius = sqrt((double)d / 2);
                /* Each float is within 2^-25 of its real number, so the norm is within this: */
                if (!(fabs(norm - radius) <= 0x1p-25 * sqrt((double)d) * 1.0001))
                    fail_msg("norm %.12g of row %" PRId64 ", d_model %zu", norm,
                             firsts[f] + (int64_t)row, d);
            }
            free(table);
        }
    float *four = table_of(0, 4, 8);
    for (size_t row = 0; row < 4; row++)
        assert_true(prints_as(sqrt(dot(four + 8 * row, four + 8 * row, 8)), 2.0));
    free(four);
}

/* Returns <PE(p), PE(p+k)> from the closed form, which is the sum of the cosines of the angles,
   computed with MPFR. */
static double dot_by_offset(oracle *o, int64_t k)
{
    double sum = 0;
    for (size_t i = 0; i < o->pairs; i++) {
        oracle_turn(o, k, i);
        sum += mpfr_get_d(o->cosine, MPFR_RNDN);
    }
    return sum;
}

/* Checks the dot products that the text prints, and that two rows with the same offset have the
   same one. */
static void dot_products_depend_on_the_offset(void **state)
{
    static const int64_t starts[] = {0, 5, 105, -1000, 131071, 16777216, 1000000007, -POSITION_MAX};
    static const int64_t offsets[] = {0, 1, 4, 5, 77};
    float *low = table_of(0, 11, 16), *high = table_of(105, 2, 16);
    oracle o;
    (void)state;
    assert_true(prints_as(dot(high, high + 16, 16), 7.4852));
    assert_true(prints_as(dot(low + 5 * 16, low + 6 * 16, 16), 7.4852));
    assert_true(prints_as(dot(low + 5 * 16, low + 10 * 16, 16), 6.1370));
    free(low);
    free(high);

    oracle_make(&o, __func__, 16, 10000.0, 1.0);
    assert_true(prints_as(dot_by_offset(&o, 1), 7.4852));
    assert_true(prints_as(dot_by_offset(&o, 5), 6.1370));
    for (size_t s = 0; s < LENGTH(starts); s++) {
        float *table = table_of(starts[s], 78, 16);
        for (size_t k = 0; k < LENGTH(offsets); k++) {
            const double got = dot(table, table + 16 * (size_t)offsets[k], 16);
            /* 16 products of two floats in [-1, 1], each within 2^-25 of its real number */
            if (!(fabs(got - dot_by_offset(&o, offsets[k])) <= 16 * 0x1.1p-24))
                fail_msg("<%" PRId64 ", +%" PRId64 "> = %.9g, closed form %.9g", starts[s],
                         offsets[k], got, dot_by_offset(&o, offsets[k]));
        }
        free(table);
    }
    oracle_free(&o);
}

/* Checks the wavelengths: pair i rotates by 2 pi / wavelength per position. The first is 2 pi,
   their ratio is constant, and none reaches base * 2 pi. */
static void wavelengths_are_geometric(void **state)
{
    static const size_t widths[] = {8, 32, 512};
    const double two_pi = 6.283185307179586477;
    (void)state;
    for (size_t k = 0; k < LENGTH(widths); k++) {
        const size_t d = widths[k];
        const double ratio = pow(10000.0, 2.0 / (double)d);
        double *row = (double *)must_alloc(d * sizeof *row), last = 0;
        owned_plan p;
        plan_make(&p, d, 10000.0, 1.0);
        must_fill(CALL_FILL_F64, &p.plan, d, 1, NULL, 1, row, d);
        for (size_t i = 0; i < d / 2; i++) {
            const double wavelength = two_pi / atan2(row[2 * i], row[2 * i + 1]);
            const double want = i == 0 ? two_pi : last * ratio;
            assert_true(fabs(wavelength / want - 1) < 1e-12);
            assert_true(wavelength < 10000.0 * two_pi);
            last = wavelength;
        }
        assert_true(fabs(last * ratio / (10000.0 * two_pi) - 1) < 1e-12);
        plan_free(&p);
        free(row);
    }
}

/* Computes the sums xx, xy, yy, xz, yz, zz, where z is the column that x and y have to explain. */
static void sums_of_products(const double *table, size_t rows, size_t d, size_t column, size_t k,
                             double sums[6])
{
    memset(sums, 0, 6 * sizeof *sums);
    for (size_t p = 0; p < rows; p++) {
        const double x = table[p * d + column], y = table[p * d + column + 1];
        const double z = table[(p + k) * d + column];
        sums[0] += x * x;
        sums[1] += x * y;
        sums[2] += y * y;
        sums[3] += x * z;
        sums[4] += y * z;
        sums[5] += z * z;
    }
}

/*
 * Tests PE(p+k, 2i) = PE(p, 2i) cos(k w) + PE(p, 2i+1) sin(k w). The equation is exact for every
 * pair, and least squares on the two columns find it again. One column alone is not enough.
 */
static void a_shift_is_linear_in_two_columns(void **state)
{
    enum { D = 512, ROWS = 1000, K = 10, COLUMN = 128 };
    double *table = (double *)must_alloc((ROWS + K) * D * sizeof *table), sums[6];
    float *rounded = table_of(0, ROWS + K, D);
    double turn_sine, turn_cosine, worst = 0, worst_rounded = 0, r_one[2];
    owned_plan plan;
    oracle o;
    (void)state;
    plan_make(&plan, D, 10000.0, 1.0);
    must_fill(CALL_FILL_F64, &plan.plan, D, 0, NULL, ROWS + K, table, D);
    plan_free(&plan);
    oracle_make(&o, __func__, D, 10000.0, 1.0);
    for (size_t i = 0; i < D / 2; i++) {
        oracle_turn(&o, K, i);
        turn_sine = mpfr_get_d(o.sine, MPFR_RNDN);
        turn_cosine = mpfr_get_d(o.cosine, MPFR_RNDN);
        for (size_t p = 0; p < ROWS; p++) {
            const double *at = table + p * D + 2 * i, *to = at + K * D;
            const float *from = rounded + p * D + 2 * i;
            const double sine = at[0] * turn_cosine + at[1] * turn_sine - to[0];
            const double cosine = at[1] * turn_cosine - at[0] * turn_sine - to[1];
            const double sine_rounded =
                (double)from[0] * turn_cosine + (double)from[1] * turn_sine - (double)from[K * D];
            worst = fmax(worst, fmax(fabs(sine), fabs(cosine)));
            worst_rounded = fmax(worst_rounded, fabs(sine_rounded));
        }
    }
    assert_true(worst < 0x1p-51);
    assert_true(worst_rounded < 3 * 0x1p-25);

    /* Columns 128 and 129 are the pair with w = 0.1: a shift by 10 turns it by one radian. */
    sums_of_products(table, ROWS, D, COLUMN, K, sums);
    {
        const double determinant = sums[0] * sums[2] - sums[1] * sums[1];
        const double a = (sums[3] * sums[2] - sums[4] * sums[1]) / determinant;
        const double b = (sums[4] * sums[0] - sums[3] * sums[1]) / determinant;
        const double residual = sums[5] - a * sums[3] - b * sums[4];
        assert_true(fabs(a - cos(1.0)) < 1e-12 && fabs(b - sin(1.0)) < 1e-12);
        assert_true(fabs(residual) < 1e-9);
    }
    for (size_t k = 0; k < 2; k++) {
        sums_of_products(table, ROWS, D, COLUMN, k == 0 ? 1 : K, sums);
        r_one[k] = sums[3] * sums[3] / (sums[0] * sums[5]);
    }
    assert_true(r_one[1] < 0.35 && r_one[1] < r_one[0]); /* about cos(1)^2 and cos(0.1)^2 */
    oracle_free(&o);
    free(table);
    free(rounded);
}

/* Returns the largest error of sin(position * powf(10000, -2.0f * i / d)), with the angle in
   float and its sine in double. The table is 64 rows of 512 that end with position `last`. */
static double error_of_float_angles(int64_t last)
{
    enum { D = 512 };
    double worst = 0;
    oracle o;
    oracle_make(&o, __func__, D, 10000.0, 1.0);
    for (size_t i = 0; i < D / 2; i++) {
        const float frequency = powf(10000.0f, -2.0f * (float)i / D);
        for (int64_t position = last - 63; position <= last; position++) {
            const float angle = (float)position * frequency;
            oracle_turn(&o, position, i);
            const double s = fabs(sin((double)angle) - mpfr_get_d(o.sine, MPFR_RNDN));
            const double c = fabs(cos((double)angle) - mpfr_get_d(o.cosine, MPFR_RNDN));
            worst = fmax(worst, fmax(s, c));
        }
    }
    oracle_free(&o);
    return worst;
}

/* Checks the errors of angles in float that docs/accuracy.md lists, rounded: 3e-5, 7.6e-3, 6e-2,
   and noise. */
static void float_angles_are_that_wrong(void **state)
{
    static const struct {
        int64_t last;
        double least, most;
    } readme[] = {{511, 2.5e-5, 3.5e-5},
                  {131071, 7.55e-3, 7.65e-3},
                  {1048576, 5.5e-2, 6.5e-2},
                  {16000000, 0.5, 2}};
    (void)state;
    for (size_t k = 0; k < LENGTH(readme); k++) {
        const double worst = error_of_float_angles(readme[k].last);
        printf("             up to position %" PRId64 ": %.3g\n", readme[k].last, worst);
        if (!(worst >= readme[k].least && worst <= readme[k].most))
            fail_msg("up to position %" PRId64 " an error of %g, docs/accuracy.md says %g to %g",
                     readme[k].last, worst, readme[k].least, readme[k].most);
    }
}

/* Checks what docs/accuracy.md says of a loop in doubles that ends with a cast: about 60 of a
   million floats are not the nearest. The count depends a little on the pow, sin and cos of the
   machine. */
static void doubles_are_not_the_nearest_floats(void **state)
{
    enum { D = 512, ROWS = 2048, LAST = 131071 };
    float *table = table_of(LAST - ROWS + 1, ROWS, D);
    size_t wrong = 0;
    (void)state;
    for (size_t i = 0; i < D / 2; i++) {
        const double frequency = pow(10000.0, -2.0 * (double)i / D);
        for (size_t r = 0; r < ROWS; r++) {
            const double angle = (double)(LAST - ROWS + 1 + (int64_t)r) * frequency;
            wrong += (float)sin(angle) != table[r * D + 2 * i];
            wrong += (float)cos(angle) != table[r * D + 2 * i + 1];
        }
    }
    const double of_a_million = 1e6 * (double)wrong / ((double)ROWS * D);
    printf("             %.3g of a million\n", of_a_million);
    assert_true(of_a_million > 50 && of_a_million < 75);
    free(table);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_printed_table),
        cmocka_unit_test(rows_lie_on_a_sphere),
        cmocka_unit_test(dot_products_depend_on_the_offset),
        cmocka_unit_test(wavelengths_are_geometric),
        cmocka_unit_test(a_shift_is_linear_in_two_columns),
        cmocka_unit_test(float_angles_are_that_wrong),
        cmocka_unit_test(doubles_are_not_the_nearest_floats),
    };
    test_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
