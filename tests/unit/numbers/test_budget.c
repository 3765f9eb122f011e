/* SPDX-License-Identifier: MIT */
/*
 * Proves the error budgets that the comments of pe.h state, where a table cannot. A triple-double
 * that is right to 100 bits instead of 150 changes one element in 2^40, and no table is that long.
 * So the private building blocks are compared with MPFR one by one. They are sums, products and
 * quotients of two and three doubles, exp and log, the plan's frequencies and rows, exact angles
 * and anchors. The rounding test, which says which roundings may be wrong, is also tested.
 */
#include "../common.h"

#include <mpfr.h>

enum { BITS = 512 };
static const double amplitudes[] = {1.0, 0.1, -3.0};

static double power_of_two(int k) { return ldexp(1.0, k); }

/* Returns a double with either sign whose magnitude is between 2^-k and 2^k. */
static double some_double(rng *r, int k)
{
    const double x = (1 + rng_unit(r)) * power_of_two((int)rng_below(r, 2 * (size_t)k) - k);
    return rng_next(r) >> 63 ? -x : x;
}

/* Holds vectors of numbers that consist of two or three doubles. */
typedef struct lanes {
    double a[PE_LANES], b[PE_LANES], c[PE_LANES];
} lanes;

static lanes some_lanes(rng *r, int digits)
{
    lanes x;
    memset(&x, 0, sizeof x);
    for (size_t i = 0; i < PE_LANES; i++) {
        x.a[i] = some_double(r, 20);
        if (digits > 1) x.b[i] = x.a[i] * power_of_two(-54) * (2 * rng_unit(r) - 1);
        if (digits > 2) x.c[i] = x.b[i] * power_of_two(-54) * (2 * rng_unit(r) - 1);
    }
    return x;
}

static pe__td td_of_lanes(const lanes *x)
{
    pe__td y;
    y.a = pe__load(x->a), y.b = pe__load(x->b), y.c = pe__load(x->c);
    return y;
}

static pe__dd dd_of_lanes(const lanes *x)
{
    pe__dd y;
    y.hi = pe__load(x->a), y.lo = pe__load(x->b);
    return y;
}

static lanes lanes_of_td(pe__td x)
{
    lanes y;
    pe__store(y.a, x.a);
    pe__store(y.b, x.b);
    pe__store(y.c, x.c);
    return y;
}

static lanes lanes_of_dd(pe__dd x)
{
    lanes y;
    memset(&y, 0, sizeof y);
    pe__store(y.a, x.hi);
    pe__store(y.b, x.lo);
    return y;
}

static void exactly(mpfr_t to, const lanes *x, size_t i)
{
    mpfr_set_d(to, x->a[i], MPFR_RNDN);
    mpfr_add_d(to, to, x->b[i], MPFR_RNDN);
    mpfr_add_d(to, to, x->c[i], MPFR_RNDN);
}

/* Checks that |got - want| <= 2^bits * scale. `want` has more digits than the doubles of `got`. */
static void within(const char *what, const lanes *got, size_t i, mpfr_t want, double scale,
                   int bits)
{
    mpfr_t x;
    mpfr_init2(x, BITS);
    exactly(x, got, i);
    mpfr_sub(x, x, want, MPFR_RNDN);
    mpfr_abs(x, x, MPFR_RNDN);
    const double error = mpfr_get_d(x, MPFR_RNDU) / fabs(scale);
    mpfr_clear(x);
    if (!(error <= power_of_two(bits)))
        fail_msg("%s: lane %zu is off by 2^%.2f, more than 2^%d", what, i, log2(error), bits);
}

static void sums_of_two_and_three_doubles(void **state)
{
    rng r = rng_for("sums_of_two_and_three_doubles");
    mpfr_t x, y, z;
    (void)state;
    mpfr_inits2(BITS, x, y, z, (mpfr_ptr)NULL);
    for (size_t round = 0; round < workload(3000); round++) {
        const lanes a = some_lanes(&r, 3), b = some_lanes(&r, 3), d = some_lanes(&r, 1);
        const lanes add = lanes_of_td(pe__td_add(td_of_lanes(&a), td_of_lanes(&b)));
        const lanes mul = lanes_of_td(pe__td_mul(td_of_lanes(&a), td_of_lanes(&b)));
        const lanes scale = lanes_of_td(pe__td_mul_double(td_of_lanes(&a), pe__load(d.a)));
        const lanes quotient = lanes_of_td(pe__td_div_double(td_of_lanes(&a), pe__load(d.a)));
        const lanes two = some_lanes(&r, 2), other = some_lanes(&r, 2);
        const lanes product = lanes_of_dd(pe__dd_mul(dd_of_lanes(&two), dd_of_lanes(&other)));
        const lanes scaled = lanes_of_dd(pe__dd_mul_double(dd_of_lanes(&two), d.a[0]));
        for (size_t i = 0; i < PE_LANES; i++) {
            exactly(x, &a, i);
            exactly(y, &b, i);
            mpfr_add(z, x, y, MPFR_RNDN);
            within("pe__td_add", &add, i, z, fabs(a.a[i]) + fabs(b.a[i]), -154);
            mpfr_mul(z, x, y, MPFR_RNDN);
            within("pe__td_mul", &mul, i, z, a.a[i] * b.a[i], -152);
            mpfr_mul_d(z, x, d.a[i], MPFR_RNDN);
            within("pe__td_mul_double", &scale, i, z, a.a[i] * d.a[i], -152);
            mpfr_div_d(z, x, d.a[i], MPFR_RNDN);
            within("pe__td_div_double", &quotient, i, z, a.a[i] / d.a[i], -152);
            exactly(x, &two, i);
            exactly(y, &other, i);
            mpfr_mul(z, x, y, MPFR_RNDN);
            within("pe__dd_mul", &product, i, z, two.a[i] * other.a[i], -102);
            mpfr_mul_d(z, x, d.a[0], MPFR_RNDN);
            within("pe__dd_mul_double", &scaled, i, z, two.a[i] * d.a[0], -102);
            /* For normal numbers, the first double is the one nearest to the sum of all. */
            assert_true(scaled.a[i] + scaled.b[i] == scaled.a[i]);
            assert_true(mul.a[i] + mul.b[i] == mul.a[i] && mul.b[i] + mul.c[i] == mul.b[i]);
        }
    }
    mpfr_clears(x, y, z, (mpfr_ptr)NULL);
}

static void numbers_are_rounded_to_integers(void **state)
{
    rng r = rng_for("numbers_are_rounded_to_integers");
    (void)state;
    for (size_t round = 0; round < workload(3000); round++) {
        double x[PE_LANES], y[PE_LANES];
        for (size_t i = 0; i < PE_LANES; i++) {
            x[i] = rng_unit(&r) * power_of_two((int)rng_below(&r, 51)) - 3;
            if (rng_next(&r) >> 63) x[i] = floor(x[i]) + 0.5; /* a tie */
        }
        pe__store(y, pe__round(pe__load(x)));
        for (size_t i = 0; i < PE_LANES; i++) assert_true(y[i] == rint(x[i]));
    }
}

/* Tests 2^x for numbers x of any size below 2^9. Some are next to a multiple of 1/32, and some
   are exactly such a multiple; these include the sixteenths and their midpoints. If x is an
   integer, the result has to be exact. */
static void powers_of_2(void **state)
{
    rng r = rng_for("powers_of_2");
    mpfr_t x, y;
    (void)state;
    mpfr_inits2(BITS, x, y, (mpfr_ptr)NULL);
    for (size_t round = 0; round < workload(3000); round++) {
        lanes a = some_lanes(&r, 3);
        for (size_t i = 0; i < PE_LANES; i++) {
            const double by = power_of_two(-14 - (int)rng_below(&r, round % 2 ? 4 : 60));
            a.a[i] *= by, a.b[i] *= by, a.c[i] *= by; /* below 2^9 */
            if (round % 4 > 1) a.a[i] = floor(a.a[i] * 32) / 32;
            if (round % 8 > 5) a.b[i] = a.c[i] = 0;
        }
        const lanes e = lanes_of_td(pe__td_exp2(td_of_lanes(&a)));
        for (size_t i = 0; i < PE_LANES; i++) {
            exactly(x, &a, i);
            mpfr_exp2(y, x, MPFR_RNDN);
            within("pe__td_exp2", &e, i, y, e.a[i], -106);
            assert_true(e.a[i] + e.b[i] == e.a[i]);
            if (mpfr_integer_p(x))
                assert_true(e.a[i] == ldexp(1, (int)a.a[i]) && e.b[i] == 0 && e.c[i] == 0);
        }
    }
    mpfr_clears(x, y, (mpfr_ptr)NULL);
}

/* Compares logarithms of normal numbers with MPFR. The numbers have any size, are next to 1, or
   are next to the root of a half, where splitting off the power of two begins to give another
   exponent. */
static void logarithms_to_base_2(void **state)
{
    static const double special[] = {DBL_MIN,
                                     DBL_MAX,
                                     1,
                                     0.5,
                                     2,
                                     0x1p-1021,
                                     0x1p1023,
                                     0x1p900,
                                     0x1.6a09e667f3bccp-1,
                                     0x1.6a09e667f3bcdp-1,
                                     0x1.6a09e667f3bcep-1,
                                     0x1.fffffffffffffp-1,
                                     0x1.0000000000001p0};
    const double roots[] = {1, sqrt(0.5), sqrt(2)};
    rng r = rng_for("logarithms_to_base_2");
    mpfr_t y;
    (void)state;
    mpfr_init2(y, BITS);
    for (size_t round = 0; round < LENGTH(special) + workload(100000); round++) {
        double x = (1 + rng_unit(&r)) * power_of_two((int)rng_below(&r, 2046) - 1022);
        if (round % 4 == 0) x = (1 + rng_unit(&r)) * power_of_two((int)rng_below(&r, 5) - 2);
        if (round % 4 == 1)
            x = roots[rng_below(&r, 3)] *
                (1 + (rng_unit(&r) - 0.5) * power_of_two(-(int)rng_below(&r, 52)));
        if (round < LENGTH(special)) x = special[round];
        lanes got;
        memset(&got, 0, sizeof got);
        got.a[0] = pe__log2(x);
        mpfr_set_d(y, x, MPFR_RNDN);
        mpfr_log2(y, y, MPFR_RNDN);
        const double size = fabs(mpfr_get_d(y, MPFR_RNDN));
        within("pe__log2", &got, 0, y, fmax(size, 1) * power_of_two(-36), 0);
    }
    mpfr_clear(y);
}

/* Checks that scale base^(-i / D) is within the bound that pe.h states, for `count` numbers i that
   start at `from`. D is the sum of both[0] and both[1]. */
static void check_geometric(double base, const double *both, double scale, size_t from,
                            size_t count)
{
    const pe__td unit = pe__frequency_scale(scale, 0);
    double *const f = (double *)must_alloc(2 * (count + 8) * sizeof *f);
    pe__geometric g;
    g.step = pe__geometric_step(base, both);
    pe__geometric_begin(&g, &unit);
    pe__geometric_fill(&g, from, count, f, count + 8);
    mpfr_t x, y;
    mpfr_inits2(BITS, x, y, (mpfr_ptr)NULL);
    for (size_t k = 0; k < count; k++) {
        lanes got;
        memset(&got, 0, sizeof got);
        got.a[0] = f[k], got.b[0] = f[k + count + 8];
        mpfr_set_d(y, both[0], MPFR_RNDN);
        mpfr_add_d(y, y, both[1], MPFR_RNDN);
        mpfr_set_d(x, base, MPFR_RNDN);
        mpfr_log(x, x, MPFR_RNDN);
        mpfr_div(x, x, y, MPFR_RNDN);
        mpfr_mul_d(x, x, -(double)(from + k), MPFR_RNDN);
        mpfr_exp(x, x, MPFR_RNDN);
        mpfr_mul_d(x, x, scale, MPFR_RNDN);
        mpfr_const_pi(y, MPFR_RNDN);
        mpfr_div(x, x, y, MPFR_RNDN);
        const double w = mpfr_get_d(x, MPFR_RNDN), steps = (double)(from + k) / both[0];
        if (fabs(w) < power_of_two(-960) || fabs(w) > power_of_two(21)) break;
        const double subnormal = power_of_two(-1070) / fmin(1, fabs(w / scale));
        const double e = power_of_two(-101) + power_of_two(-106) * steps + subnormal;
        within("pe__geometric_fill", &got, 0, x, w * e, 0);
    }
    mpfr_clears(x, y, (mpfr_ptr)NULL);
    free(f);
}

/* Compares frequencies of two doubles with MPFR. Bases are usual and unusual ones. The divisor D is
   an integer or the sum of two doubles. Pairs are at the beginning or far behind it. */
static void frequencies_of_two_doubles(void **state)
{
    const double bases[] = {0x1p-20,
                            0.1,
                            0x1.fffffffffffffp-1,
                            1,
                            0x1.0000000000001p0,
                            2,
                            2.5,
                            10,
                            1e4,
                            5e5,
                            1e6,
                            8.3e5,
                            1e30,
                            0x1p450,
                            0x1.fffffffffffffp899,
                            0x1p900};
    rng r = rng_for("frequencies_of_two_doubles");
    (void)state;
    for (size_t k = 0; k < LENGTH(bases); k++)
        for (size_t n = 0; n < workload(600); n++) {
            const double base = n % 2 ? bases[k] : bases[k] * (1 + rng_unit(&r));
            const int size = n % 3 ? (int)rng_below(&r, 13) : (int)rng_below(&r, 22) - 4;
            const double x = (1 + rng_unit(&r)) * power_of_two(size), d = n % 3 ? floor(x) : x;
            const double both[2] = {d, n % 4 ? 0 : d * (rng_unit(&r) - 0.5) * power_of_two(-53)};
            const int far = n % 5 ? 0 : (int)rng_below(&r, 900) - 880;
            const size_t from = n % 7 ? 0 : 32 * rng_below(&r, 60), most = n % 9 ? 70 : 1200;
            check_geometric(base, both, (far ? 1 + rng_unit(&r) : 1) * power_of_two(far), from,
                            1 + rng_below(&r, most));
        }
}

/* Compares quotients and logarithms of numbers of three doubles with MPFR. Each lane has another
   number, so an operation that mixes lanes is also found. */
static void quotients_and_logarithms_of_three_doubles(void **state)
{
    rng r = rng_for("quotients_and_logarithms_of_three_doubles");
    mpfr_t x, y, z;
    (void)state;
    mpfr_inits2(BITS, x, y, z, (mpfr_ptr)NULL);
    for (size_t round = 0; round < workload(600); round++) {
        const lanes a = some_lanes(&r, 3), b = some_lanes(&r, 3);
        const lanes quotient = lanes_of_td(pe__td_div(td_of_lanes(&a), td_of_lanes(&b)));
        lanes p = some_lanes(&r, 3); /* positive; some next to 1, and plain doubles */
        for (size_t i = 0; i < PE_LANES; i++) {
            exactly(x, &a, i);
            exactly(y, &b, i);
            mpfr_div(z, x, y, MPFR_RNDN);
            within("pe__td_div", &quotient, i, z, a.a[i] / b.a[i], -148);
            const double sign = p.a[i] < 0 ? -1 : 1;
            p.a[i] *= sign, p.b[i] *= sign, p.c[i] *= sign;
            if (round % 8 == i % 8)
                p.a[i] = 1 + (rng_unit(&r) - 0.5) * power_of_two(-(int)rng_below(&r, 50));
            if (round % 8 == i % 8 || round % 3 == 0) p.b[i] = p.c[i] = 0;
        }
        const lanes l = lanes_of_td(pe__td_log2(td_of_lanes(&p)));
        for (size_t i = 0; i < PE_LANES; i++) {
            exactly(x, &p, i);
            mpfr_log2(y, x, MPFR_RNDN);
            within("pe__td_log2", &l, i, y, fmax(fmin(1, fabs(l.a[i]) * 32), DBL_MIN), -106);
        }
        const double odd = pow(3, (double)rng_below(&r, 9)) * pow(5, (double)rng_below(&r, 15));
        const double number = round % 2 ? ldexp(odd, (int)rng_below(&r, 90) - 45) : fabs(a.a[0]);
        const lanes one = lanes_of_td(pe__td_log2_of(number));
        mpfr_set_d(x, number, MPFR_RNDN);
        mpfr_log2(y, x, MPFR_RNDN);
        within("pe__td_log2_of", &one, 0, y, 1, round % 2 ? -116 : -106);
    }
    mpfr_clears(x, y, z, (mpfr_ptr)NULL);
}

/* Tests the second rounding, of a float to bf16 or f16, subnormal or not, with either sign. A
   float is rounded to a multiple of the distance of such numbers. Of two that are equally near,
   it is the even one. */
static void floats_are_rounded_to_16_bits(void **state)
{
    rng r = rng_for("floats_are_rounded_to_16_bits");
    (void)state;
    for (size_t round = 0; round < workload(30000); round++) {
        const int f16 = round % 2 == 0, low = f16 ? -14 : -126, digits = f16 ? 10 : 7;
        const int e = low - 12 + (int)rng_below(&r, f16 ? 44 : 280);
        const double ends[] = {65504, 65519.99609375, 65520, 65536, power_of_two(-14)};
        const double x = f16 && rng_below(&r, 8) == 0 ? ends[rng_below(&r, LENGTH(ends))]
                                                      : (1 + rng_unit(&r)) * power_of_two(e);
        int exponent;
        (void)frexp(x, &exponent);
        const double unit = power_of_two((exponent - 1 > low ? exponent - 1 : low) - digits);
        double y = x; /* one in two is a tie, or its neighbour */
        if (rng_next(&r) >> 63) y = (floor(x / unit) + 0.5) * unit;
        float f = (float)(round % 4 < 2 ? -y : y);
        if (rng_below(&r, 4) == 0) f = nextafterf(f, 0);
        if (!(fabsf(f) <= FLT_MAX)) continue;
        (void)frexp((double)f, &exponent);
        const double step = power_of_two((exponent - 1 > low ? exponent - 1 : low) - digits);
        double want = rint((double)f / step) * step;
        if (fabs(want) > (f16 ? 65504.0 : 255 * power_of_two(120)))
            want = want < 0 ? -HUGE_VAL : HUGE_VAL;
        const float got = pe__round_16(f, f16 ? PE__DROP_F16 : PE__DROP_BF16);
        if ((double)got != want || !signbit(got) != !signbit(f))
            fail_msg("%a is rounded to %a, not %a", (double)f, (double)got, want);
    }
}

/* Computes w / pi of a pair of pe_config_default(). */
static void true_frequency(mpfr_t f, const owned_plan *p, size_t pair)
{
    mpfr_t pi;
    mpfr_init2(pi, BITS);
    mpfr_set_d(f, p->config.base, MPFR_RNDN);
    mpfr_log(f, f, MPFR_RNDN);
    mpfr_mul_ui(f, f, (unsigned long)(2 * pair), MPFR_RNDN);
    mpfr_div_ui(f, f, (unsigned long)p->config.d_model, MPFR_RNDN);
    mpfr_neg(f, f, MPFR_RNDN);
    mpfr_exp(f, f, MPFR_RNDN);
    mpfr_const_pi(pi, MPFR_RNDN);
    mpfr_div(f, f, pi, MPFR_RNDN);
    mpfr_clear(pi);
}

/* Computes the sine and cosine of the angle of position t. */
static void true_turn(mpfr_t s, mpfr_t c, const owned_plan *p, size_t pair, double t)
{
    mpfr_t angle, pi;
    mpfr_inits2(BITS, angle, pi, (mpfr_ptr)NULL);
    true_frequency(angle, p, pair);
    mpfr_const_pi(pi, MPFR_RNDN);
    mpfr_mul(angle, angle, pi, MPFR_RNDN);
    mpfr_mul_d(angle, angle, t, MPFR_RNDN);
    mpfr_sin_cos(s, c, angle, MPFR_RNDN);
    mpfr_clears(angle, pi, (mpfr_ptr)NULL);
}

static const struct {
    size_t d_model;
    double base;
} tables[] = {{8, 1e4}, {512, 1e4}, {96, 5e5}, {130, 1e6}, {34, 2.5}};

/* Tests that each number of a constant is the double nearest to what the numbers before it
   leave. */
static void check_constant(const char *what, mpfr_t x, const double *digits, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (digits[i] != mpfr_get_d(x, MPFR_RNDN))
            fail_msg("%s: number %zu is %a, not %a", what, i, digits[i], mpfr_get_d(x, MPFR_RNDN));
        mpfr_sub_d(x, x, digits[i], MPFR_RNDN);
    }
}

/* Checks limbs that hold the most significant bits of x, 0.5 <= x < 1. The last limb has the
   highest bits. */
static void check_limbs(const char *what, mpfr_t x, const uint32_t *limbs)
{
    for (int i = PE__LIMBS - 1; i >= 0; i--) {
        mpfr_mul_2ui(x, x, 32, MPFR_RNDN);
        const unsigned long limb = mpfr_get_ui(x, MPFR_RNDD);
        if (limb != limbs[i])
            fail_msg("%s: limb %d is %lx, not %lx", what, i, (unsigned long)limbs[i], limb);
        mpfr_sub_ui(x, x, limb, MPFR_RNDN);
    }
}

static void constants(void **state)
{
    mpfr_t x, pi, power;
    (void)state;
    mpfr_inits2(BITS, x, pi, power, (mpfr_ptr)NULL);
    mpfr_const_pi(pi, MPFR_RNDN);
    mpfr_set(x, pi, MPFR_RNDN);
    check_constant("pe__pi", x, pe__pi, 3);
    mpfr_ui_div(x, 1, pi, MPFR_RNDN);
    check_constant("pe__inverse_pi", x, pe__inverse_pi, 3);
    mpfr_const_log2(x, MPFR_RNDN);
    check_constant("pe__ln2", x, pe__ln2, 3);
    for (unsigned k = 0; k < 16; k++) {
        const double digits[3] = {pe__exp2_sixteenths[0][k], pe__exp2_sixteenths[1][k],
                                  pe__exp2_sixteenths[2][k]};
        mpfr_set_d(x, k / 16.0, MPFR_RNDN);
        mpfr_exp2(x, x, MPFR_RNDN);
        check_constant("pe__exp2_sixteenths", x, digits, 3);
    }
    mpfr_set_ui(power, 1, MPFR_RNDN);
    for (unsigned n = 0; n < 28; n++) {
        mpfr_set(x, power, MPFR_RNDN);
        check_constant("pe__inverse_factorial", x, pe__inverse_factorial[n], n < 16 ? 2 : 1);
        mpfr_div_ui(power, power, n + 1, MPFR_RNDN);
    }
    mpfr_set_prec(x, 32 * PE__LIMBS + 64);
    mpfr_const_pi(x, MPFR_RNDN);
    mpfr_div_ui(x, x, 4, MPFR_RNDN);
    check_limbs("pe__pi_digits", x, pe__pi_digits);
    mpfr_const_log2(x, MPFR_RNDN);
    check_limbs("pe__ln2_digits", x, pe__ln2_digits);
    mpfr_clears(x, pi, power, (mpfr_ptr)NULL);
}

/* Tests that at multiples of a quarter turn the sines and cosines that are 0 are +0. */
static void zeros_are_positive(void **state)
{
    double positions[32], f64[32][2];
    float f32[32][2];
    owned_plan p;
    (void)state;
    p.config = pe_config_default(2);
    p.config.half_turns = 1;
    p.memory_bytes = pe_plan_size(&p.config);
    p.memory = must_alloc(p.memory_bytes);
    assert_int_equal(pe_plan_init(&p.plan, &p.config, p.memory, p.memory_bytes), PE_OK);
    for (int i = 0; i < 32; i++) positions[i] = (i - 16) / 2.0;
    assert_int_equal(pe_fill_f64(&p.plan, pe_at_f64(positions), 32, &f64[0][0], 2), PE_OK);
    assert_int_equal(pe_fill_f32(&p.plan, pe_at_f64(positions), 32, &f32[0][0], 2), PE_OK);
    for (int i = 0; i < 32; i++)
        for (int k = 0; k < 2; k++) {
            const int zero = (i + k) % 2 == 0;
            assert_true((f64[i][k] == 0) == zero && f64[i][k] == (double)f32[i][k]);
            assert_false(zero && (signbit(f64[i][k]) || signbit(f32[i][k])));
        }
    plan_free(&p);
}

/* Tests that the arrays of a plan begin at a cache line, wherever the memory begins. */
static void arrays_are_aligned(void **state)
{
    const pe_config config = pe_config_default(64);
    const size_t bytes = pe_plan_size(&config);
    unsigned char *memory = (unsigned char *)must_alloc(bytes + 64);
    (void)state;
    for (size_t at = 0; at < 64; at++) {
        pe_plan plan;
        assert_int_equal(pe_plan_init(&plan, &config, memory + at, bytes), PE_OK);
        assert_int_equal((uintptr_t)(const void *)plan.frequency % 64, 0);
    }
    free(memory);
}

static void frequencies_of_a_plan(void **state)
{
    mpfr_t f;
    (void)state;
    mpfr_init2(f, BITS);
    for (size_t k = 0; k < LENGTH(tables); k++) {
        owned_plan p;
        plan_make(&p, tables[k].d_model, tables[k].base, 1);
        for (size_t pair = 0; pair < tables[k].d_model / 2; pair++) {
            const double *w = p.plan.frequency + pair;
            lanes got;
            got.a[0] = w[0], got.b[0] = w[p.plan.padded], got.c[0] = 0;
            true_frequency(f, &p, pair);
            within("a frequency", &got, 0, f, w[0] * p.plan.error, 0);
            assert_true(p.plan.error <= power_of_two(-99) && w[0] + got.b[0] == w[0]);
        }
        plan_free(&p);
    }
    mpfr_clear(f);
}

/* Compares frequencies and wavelengths with MPFR where they are computed exactly. The library does
   so only if the rounding of a double-double is undecided, which almost never happens, so this test
   calls the exact code directly. */
static void numbers_of_a_plan_exactly(void **state)
{
    mpfr_t w, pi;
    (void)state;
    mpfr_inits2(BITS, w, pi, (mpfr_ptr)NULL);
    mpfr_const_pi(pi, MPFR_RNDN);
    for (size_t k = 0; k < 2 * LENGTH(tables); k++) {
        owned_plan p;
        p.config = config_of(tables[k / 2].d_model, tables[k / 2].base, 1);
        p.config.half_turns = k % 2 != 0;
        p.memory_bytes = pe_plan_size(&p.config);
        p.memory = must_alloc(p.memory_bytes);
        assert_int_equal(pe_plan_init(&p.plan, &p.config, p.memory, p.memory_bytes), PE_OK);
        for (size_t pair = 0; pair < p.plan.pairs; pair++) {
            true_frequency(w, &p, pair);
            mpfr_mul(w, w, pi, MPFR_RNDN);
            if (p.config.half_turns) mpfr_mul(w, w, pi, MPFR_RNDN);
            assert_true(pe__round_quantity(&p.plan, pair, 1, PE__FREQUENCY, 0, 0, 0) ==
                        mpfr_get_d(w, MPFR_RNDN));
            mpfr_div(w, pi, w, MPFR_RNDN);
            mpfr_mul_ui(w, w, 2, MPFR_RNDN);
            assert_true(pe__round_quantity(&p.plan, pair, 1, PE__WAVELENGTH, 0, 0, 0) ==
                        mpfr_get_d(w, MPFR_RNDN));
        }
        plan_free(&p);
    }
    mpfr_clears(w, pi, (mpfr_ptr)NULL);
}

/* Computes y = x^(a / b) for x > 0. */
static void rational_power(mpfr_t y, double x, double a, double b)
{
    mpfr_set_d(y, x, MPFR_RNDN);
    mpfr_log(y, y, MPFR_RNDN);
    mpfr_mul_d(y, y, a, MPFR_RNDN);
    mpfr_div_d(y, y, b, MPFR_RNDN);
    mpfr_exp(y, y, MPFR_RNDN);
}

/* Computes the frequency of RoPE's pair i of n / 2, for the types whose formula has no case
   except that of LLAMA3. */
static void true_rope_frequency(mpfr_t w, const pe_rope_config *c, size_t i)
{
    const double n = (double)rotary_of(c), k = 2 * (double)i;
    mpfr_t x, y;
    mpfr_inits2(BITS, x, y, (mpfr_ptr)NULL);
    rational_power(w, c->rope_theta, -k, n);
    mpfr_set_ui(x, 1, MPFR_RNDN);
    if (c->rope_type == PE_ROPE_NTK) rational_power(x, c->factor, -k, n - 2);
    if (c->rope_type == PE_ROPE_NTK_FIXED) rational_power(x, c->factor, -k - 2, n);
    if (c->rope_type == PE_ROPE_LLAMA3) { /* s = (L w / 2 pi - low) / (high - low), 0 ... 1 */
        mpfr_const_pi(y, MPFR_RNDN);
        mpfr_mul_d(x, w, (double)c->original_max_position_embeddings / 2, MPFR_RNDN);
        mpfr_div(x, x, y, MPFR_RNDN);
        mpfr_sub_d(x, x, c->low_freq_factor, MPFR_RNDN);
        mpfr_div_d(x, x, c->high_freq_factor - c->low_freq_factor, MPFR_RNDN);
        if (mpfr_sgn(x) < 0) mpfr_set_ui(x, 0, MPFR_RNDN);
        if (mpfr_cmp_ui(x, 1) > 0) mpfr_set_ui(x, 1, MPFR_RNDN);
        mpfr_ui_sub(y, 1, x, MPFR_RNDN); /* s + (1 - s) / f */
        mpfr_div_d(y, y, c->factor, MPFR_RNDN);
        mpfr_add(x, x, y, MPFR_RNDN);
    }
    mpfr_mul(w, w, x, MPFR_RNDN);
    if (c->rope_type == PE_ROPE_LONGROPE) mpfr_div_d(w, w, c->short_factor[i], MPFR_RNDN);
    if (c->freq_factors != NULL) mpfr_div_d(w, w, (double)c->freq_factors[i], MPFR_RNDN);
    mpfr_clears(x, y, (mpfr_ptr)NULL);
}

static void frequencies_of_rope_exactly(void **state)
{
    enum { PAIRS = 24 };
    static const pe_rope_type types[] = {PE_ROPE_NTK, PE_ROPE_NTK_FIXED, PE_ROPE_LLAMA3,
                                         PE_ROPE_LONGROPE};
    rng r = rng_for("frequencies_of_rope_exactly");
    double list[PAIRS];
    float factors[PAIRS];
    mpfr_t w;
    (void)state;
    mpfr_init2(w, BITS);
    for (size_t round = 0; round < workload(200); round++) {
        pe_rope_config c = pe_rope_config_default(2 * PAIRS);
        pe__rope rope;
        for (size_t i = 0; i < PAIRS; i++)
            list[i] = 1 + 8 * rng_unit(&r), factors[i] = (float)(1 + rng_unit(&r));
        c.rope_type = types[round % LENGTH(types)];
        c.rope_theta = 1000 + 1e6 * rng_unit(&r);
        c.factor = 1 + 16 * rng_unit(&r);
        c.original_max_position_embeddings = 1024 + rng_below(&r, 8192);
        c.short_factor = c.long_factor = list;
        c.freq_factors = round % 8 >= 4 ? factors : NULL;
        assert_null(pe_rope_config_error(&c));
        pe__rope_read(&rope, &c);
        for (size_t i = 0; i < PAIRS; i++) {
            true_rope_frequency(w, &c, i);
            const double got = pe__rope_round_frequency(&rope, i), want = mpfr_get_d(w, MPFR_RNDN);
            if (got != want)
                fail_msg("type %d, pair %zu: %a, not %a", (int)c.rope_type, i, got, want);
        }
    }
    mpfr_clear(w);
}

/* Tests that each number of the stored rows is the double nearest to the sine or cosine, except
   for its error. */
static void rows_of_a_plan(void **state)
{
    mpfr_t s, c;
    (void)state;
    mpfr_inits2(BITS, s, c, (mpfr_ptr)NULL);
    for (size_t k = 0; k < LENGTH(tables); k++) {
        owned_plan p;
        plan_make(&p, tables[k].d_model, tables[k].base, amplitudes[k % 3]);
        int64_t unit = 1;
        for (size_t level = 0; level < 2; level++, unit *= PE__BLOCK_ROWS)
            for (int64_t digit = 1; digit <= PE__BLOCK_HALF; digit++)
                for (size_t pair = 0; pair < tables[k].d_model / 2; pair += 1 + pair / 8) {
                    const double *row = pe__rotation_row(&p.plan, level, digit) + pair;
                    true_turn(s, c, &p, pair, (double)(digit * unit));
                    assert_true(row[0] == mpfr_get_d(s, MPFR_RNDN));
                    assert_true(row[p.plan.padded] == mpfr_get_d(c, MPFR_RNDN));
                }
        plan_free(&p);
    }
    mpfr_clears(s, c, (mpfr_ptr)NULL);
}

/* Checks that exact angles are right to 2^-106. Centres are A (1 + eta) times the true value
   except for their bound, as the comment on the rounding test counts it. They are checked again
   after a rotation by a row of the plan. */
static void turns_and_centres(void **state)
{
    static const pe__bound *const bounds[] = {&pe__bound_full_poly, &pe__bound_run};
    const double u = power_of_two(-53), most[] = {4.28 * u, PE_SLEEF ? 8.85 * u : 4.85 * u};
    rng r = rng_for("turns_and_centres");
    mpfr_t s, c, want;
    (void)state;
    mpfr_inits2(BITS, s, c, want, (mpfr_ptr)NULL);
    for (size_t k = 0; k < LENGTH(tables); k++)
        for (size_t a = 0; a < LENGTH(amplitudes); a++) {
            owned_plan p;
            plan_make(&p, tables[k].d_model, tables[k].base, amplitudes[a]);
            for (size_t round = 0; round < workload(300); round++) {
                const int whole = round % 3 != 0;
                const int64_t position = round == 1 ? POSITION_MAX : rng_position(&r);
                const double t = whole ? (double)position : (double)position * rng_unit(&r);
                const size_t pairs = tables[k].d_model / 2, from = rng_below(&r, pairs);
                const size_t n = pairs - from < PE_LANES ? pairs - from : PE_LANES, b = round % 2;
                const int64_t digit = (int64_t)rng_below(&r, 8) + 1;
                double centre[2][PE__SINCOS_PAIRS], step[2][PE__SINCOS_PAIRS];
                pe__dd ss, cc;
                const int exact = round % 16 == 0;
                if (exact) pe__sincos_exact(&p.plan, from, t, &ss, &cc);
                else pe__sincos_dd(&p.plan, from, t, &ss, &cc);
                const lanes sine = lanes_of_dd(ss), cosine = lanes_of_dd(cc);
                const double slack = pe__sincos_error(&p.plan, t);
                pe__sincos_dd(&p.plan, from, t, &ss, &cc);
                const lanes close[2] = {lanes_of_dd(ss), lanes_of_dd(cc)};
                double *const at[2] = {centre[0], centre[1]}, *const to[2] = {step[0], step[1]};
                if (pe__is_far(&p.plan, t))
                    pe__compute_centre_far(&p.plan, pe__round_element_any, t, from, n, at);
                else
                    pe__compute_centre(&p.plan, bounds[b], bounds[b] == &pe__bound_run, t, from, n,
                                       at);
                pe__rotate_anchor(&p.plan, -digit, from, n, at, to);
                for (size_t i = 0; i < n; i++) {
                    const double by = p.plan.amplitude * (1 + bounds[b]->eta);
                    true_turn(s, c, &p, from + i, t);
                    if (exact) {
                        within("the sine of an exact turn", &sine, i, s, 1, -106);
                        within("the cosine of an exact turn", &cosine, i, c, 1, -106);
                    }
                    within("the sine of a close turn", &close[0], i, s, slack, 0);
                    within("the cosine of a close turn", &close[1], i, c, slack, 0);
                    for (int turned = 0; turned <= whole; turned++) {
                        if (turned) /* t - 17 digit is exact */
                            true_turn(s, c, &p, from + i, t - (double)(17 * digit));
                        for (int k2 = 0; k2 < 2; k2++) {
                            lanes got;
                            memset(&got, 0, sizeof got);
                            got.a[0] = turned ? step[k2][i] : centre[k2][i];
                            mpfr_mul_d(want, k2 ? c : s, p.plan.amplitude, MPFR_RNDN);
                            mpfr_mul_d(want, want, 1 + bounds[b]->eta, MPFR_RNDN);
                            within(turned ? "a centre turned" : "a centre", &got, 0, want,
                                   by * (most[b] + (turned ? 2.71 * u : 0)), 0);
                        }
                    }
                }
            }
            plan_free(&p);
        }
    mpfr_clears(s, c, want, (mpfr_ptr)NULL);
}

/* Checks the doubles from which a single row of floats is rounded. Their error has three parts:
   that of the short polynomials, roundings, and what an inexact angle adds, however small a value
   is. The last part grows with the position and is 3.15 * 2^-62 of the amplitude at
   plan->double_range. */
static void short_polynomials(void **state)
{
    const double eta = pe__bound_short_poly.eta;
    rng r = rng_for("short_polynomials");
    mpfr_t want[2];
    (void)state;
    mpfr_inits2(BITS, want[0], want[1], (mpfr_ptr)NULL);
    for (size_t k = 0; k < LENGTH(tables); k++)
        for (size_t a = 0; a < LENGTH(amplitudes); a++) {
            owned_plan p;
            plan_make(&p, tables[k].d_model, tables[k].base, amplitudes[a]);
            const double by = p.plan.amplitude * (1 + eta);
            pe__sincos_poly fit;
            pe__scale_sincos_poly(by, 0, 0, &fit);
            for (size_t round = 0; round < workload(300); round++) {
                const double real = power_of_two((int)rng_below(&r, 60) - 30) * rng_unit(&r);
                const double most = p.plan.double_range < 0x1p51 ? p.plan.double_range : 0x1p51;
                const double t = round % 3 ? floor(most * rng_unit(&r)) : fmin(real, most);
                const size_t pairs = tables[k].d_model / 2, from = rng_below(&r, pairs);
                double got[2][PE_LANES];
                pe__vd s[4], c[4];
                const pe__sincos_args by_t = {&p.plan, &fit, t};
                pe__sincos(&by_t, 0, from, from, s, c, NULL);
                pe__store(got[0], s[0]), pe__store(got[1], c[0]);
                for (size_t i = 0; i < PE_LANES && from + i < pairs; i++) {
                    true_turn(want[0], want[1], &p, from + i, t);
                    for (int k2 = 0; k2 < 2; k2++) {
                        lanes x;
                        memset(&x, 0, sizeof x);
                        x.a[i] = got[k2][i];
                        mpfr_mul_d(want[k2], want[k2], p.plan.amplitude, MPFR_RNDN);
                        mpfr_mul_d(want[k2], want[k2], 1 + eta, MPFR_RNDN);
                        const double error =
                            22.25 * power_of_two(-48) * fabs(mpfr_get_d(want[k2], MPFR_RNDN)) +
                            3.15 * power_of_two(-62) * fabs(by) * t / p.plan.double_range;
                        within("the short polynomials", &x, i, want[k2], error, 0);
                    }
                }
            }
            plan_free(&p);
        }
    mpfr_clears(want[0], want[1], (mpfr_ptr)NULL);
}

/* Tests rows of floats, alone and in runs, with elements that are built beside the midpoint of
   two floats. They are as near as a frequency allows, or within what the rounding test cannot
   tell apart. They are large and small, also those of slow pairs near position 0. */
static void floats_beside_middles(void **state)
{
    enum { PAIRS = 40, WIDTH = 2 * PAIRS, ROWS = 300, BYTES = 1 << 17 };
    float *const table = (float *)must_alloc(ROWS * WIDTH * sizeof *table);
    rng r = rng_for("floats_beside_middles");
    double *memory = (double *)must_alloc(BYTES);
    mpfr_t x, pi;
    (void)state;
    mpfr_inits2(BITS, x, pi, (mpfr_ptr)NULL);
    mpfr_const_pi(pi, MPFR_RNDN);
    for (size_t round = 0; round < workload(6000); round++) {
        const int near_0 = round % 8 == 1;
        const size_t slow_from = near_0           ? 0
                                 : round % 4 == 1 ? 8
                                 : round % 4 == 3 ? (size_t)PAIRS - 1
                                                  : (size_t)PAIRS;
        const size_t bits = rng_below(&r, slow_from < PAIRS ? 10 : 30);
        const int64_t p = near_0 ? 0 : 1 + (int64_t)rng_below(&r, (size_t)1 << bits);
        const int alone = round % 2 == 0;
        const size_t rows = alone ? 1 : 2 + rng_below(&r, rng_below(&r, 2) ? 30 : ROWS - 2);
        const size_t at = rng_below(&r, rows);
        const float *const row = table + at * WIDTH;
        double omega[PAIRS];
        pe_plan plan;
        pe_config config = pe_config_default(WIDTH);
        config.layout = round % 4 >= 2 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
        config.cos_first = round % 3 == 0;
        config.amplitude = round % 5 == 0 ? -0x1.7p-3 : 1;
        config.offset = round % 8 == 7 ? 0.5 : near_0 ? 0x1p-20 : 0;
        const double t = (double)p + config.offset;
        for (size_t i = 0; i < PAIRS; i++) {
            /* x = (asin or acos of the midpoint + a multiple of 2 pi) / t, moved by some units */
            const int slow = i >= slow_from, most = slow ? 80 : i % 2 ? 4 : 30;
            const int least = !slow ? 0 : near_0 ? 30 : 16;
            const double size = power_of_two(-(int)rng_below(&r, (size_t)most) - least);
            const float f = (float)(size * fabs(config.amplitude) * (1 - rng_unit(&r) / 2));
            mpfr_set_d(x, ((double)f + (double)nextafterf(f, 0)) / 2, MPFR_RNDN);
            mpfr_div_d(x, x, config.amplitude, MPFR_RNDN);
            if (rng_below(&r, 2) && !slow) mpfr_acos(x, x, MPFR_RNDN);
            else mpfr_asin(x, x, MPFR_RNDN);
            uint64_t turns = rng_below(&r, 4) ? rng_below(&r, (uint64_t)p / 6 + 1) : 0;
            if (slow) turns = 0;
            mpfr_t turned;
            mpfr_init2(turned, BITS);
            mpfr_mul_ui(turned, pi, 2 * (unsigned long)turns, MPFR_RNDN);
            mpfr_add(x, x, turned, MPFR_RNDN);
            mpfr_clear(turned);
            mpfr_div_d(x, x, t, MPFR_RNDN);
            omega[i] = mpfr_get_d(x, MPFR_RNDN);
            const double ulps = (rng_unit(&r) - 0.5) * power_of_two((int)rng_below(&r, 14));
            omega[i] += floor(ulps) * (nextafter(omega[i], 4) - omega[i]);
        }
        assert_int_equal(pe_plan_init_frequencies(&plan, &config, omega, PAIRS, memory, BYTES),
                         PE_OK);
        assert_int_equal(pe_fill_f32(&plan, pe_from(p - (int64_t)at), rows, table, WIDTH), PE_OK);
        for (size_t j = 0; j < WIDTH; j++) {
            const size_t i = config.layout == PE_LAYOUT_HALVES ? j % PAIRS : j / 2;
            const int second = config.layout == PE_LAYOUT_HALVES ? j >= PAIRS : j % 2;
            mpfr_set_d(x, omega[i], MPFR_RNDN);
            mpfr_mul_d(x, x, t, MPFR_RNDN);
            if (second == config.cos_first) mpfr_sin(x, x, MPFR_RNDN);
            else mpfr_cos(x, x, MPFR_RNDN);
            mpfr_mul_d(x, x, config.amplitude, MPFR_RNDN);
            const float want = mpfr_get_flt(x, MPFR_RNDN);
            if (row[j] != want)
                fail_msg("position %lld, omega %a, column %zu: %a, not %a", (long long)p, omega[i],
                         j, (double)row[j], (double)want);
        }
    }
    mpfr_clears(x, pi, (mpfr_ptr)NULL);
    free(table);
    free(memory);
}

/* Checks floats at large positions whose angle is nearly a multiple of pi. Such a position is the
   denominator of a convergent of omega / pi. The sine is small there, so the angle's error is no
   longer small beside it. The amplitude is chosen so that the element is next to the midpoint of
   two floats. A bound that forgets the angle's error rounds some of them wrongly. */
static void small_sines_far_away(void **state)
{
    rng r = rng_for("small_sines_far_away");
    double memory[PE_PLAN_BYTES(2) / sizeof(double) + 1];
    mpfr_t x, part, sine;
    (void)state;
    mpfr_inits2(BITS, x, part, sine, (mpfr_ptr)NULL);
    for (size_t round = 0; round < workload(2000); round++) {
        const double omega = 32 * (1 + rng_unit(&r));
        int64_t before = 0, position = 1;
        mpfr_const_pi(x, MPFR_RNDN);
        mpfr_div_d(x, x, omega, MPFR_RNDN);
        mpfr_ui_div(x, 1, x, MPFR_RNDN);
        for (;;) {
            mpfr_frac(part, x, MPFR_RNDN);
            mpfr_ui_div(x, 1, part, MPFR_RNDN);
            const double next = (double)position * mpfr_get_d(x, MPFR_RNDZ) + (double)before;
            if (next > (double)POSITION_MAX) break;
            const int64_t was = position;
            position = position * (int64_t)mpfr_get_ui(x, MPFR_RNDZ) + before;
            before = was;
        }
        mpfr_set_d(sine, omega, MPFR_RNDN);
        mpfr_mul_ui(sine, sine, (unsigned long)position, MPFR_RNDN);
        mpfr_sin(sine, sine, MPFR_RNDN);
        const float f = (float)(mpfr_get_d(sine, MPFR_RNDN) * (1 + rng_unit(&r)));
        mpfr_set_d(x, ((double)f + (double)nextafterf(f, 0)) / 2, MPFR_RNDN);
        mpfr_div(x, x, sine, MPFR_RNDN);
        pe_config config = pe_config_default(2);
        pe_plan plan;
        float row[2];
        config.expected_rows = 1;
        config.amplitude = mpfr_get_d(x, MPFR_RNDN);
        assert_int_equal(pe_plan_init_frequencies(&plan, &config, &omega, 1, memory, sizeof memory),
                         PE_OK);
        assert_int_equal(pe_fill_f32(&plan, pe_from(position), 1, row, 2), PE_OK);
        mpfr_mul_d(x, sine, config.amplitude, MPFR_RNDN);
        const float want = mpfr_get_flt(x, MPFR_RNDN);
        if (row[0] != want)
            fail_msg("position %lld, omega %a, amplitude %a: %a, not %a", (long long)position,
                     omega, config.amplitude, (double)row[0], (double)want);
    }
    mpfr_clears(x, part, sine, (mpfr_ptr)NULL);
}

/* Checks that beyond 2^36 half-turns, at positive and negative positions, the sine and cosine at
   the centre of a block are exactly those of pe__sincos_dd(). The faster formula is not precise
   enough there. */
static void centres_beyond_the_fast_limit(void **state)
{
    rng r = rng_for("centres_beyond_the_fast_limit");
    owned_plan p;
    (void)state;
    p.config = pe_config_default(2);
    p.config.scale = 0x1p14 + 1.0 / 3;
    p.memory_bytes = pe_plan_size(&p.config);
    p.memory = must_alloc(p.memory_bytes);
    assert_int_equal(pe_plan_init(&p.plan, &p.config, p.memory, p.memory_bytes), PE_OK);
    const double by = p.plan.amplitude * (1 + pe__bound_far.eta);
    for (size_t round = 0; round < workload(20000); round++) {
        const double size = 0x1p30 + (double)rng_below(&r, (size_t)1 << 30) + 0.3;
        double s[PE__SINCOS_PAIRS], c[PE__SINCOS_PAIRS];
        pe__dd sine, cosine;
        double *const at[2] = {s, c};
        pe__compute_centre_far(&p.plan, pe__round_element_any, round % 2 ? -size : size, 0, 1, at);
        pe__sincos_dd(&p.plan, 0, round % 2 ? -size : size, &sine, &cosine);
        const lanes want_s = lanes_of_dd(sine), want_c = lanes_of_dd(cosine);
        assert_true(s[0] == want_s.a[0] * by && c[0] == want_c.a[0] * by);
    }
    plan_free(&p);
}

/* Checks that the rounding test flags a vector exactly where it must. It must if the dropped bits
   of some lane are in the window above one half, or if a float is below the guard. Some instruction
   sets flag a little more, which `may` allows. With SSE2 and WASM, whose vectors have two doubles,
   only the upper 16 bits are compared, so the window ends at a multiple of 2^13 and floats are
   truncated. AVX2 compares the upper halves of doubles, which have 3 bits fewer than a float. */
static void the_watch(void **state)
{
    enum { WINDOW = 32 << 12, ROUGH = PE_ISA == PE_ISA_SSE2 || PE_ISA == PE_ISA_WASM };
    enum { MORE = ROUGH ? 1 << 13 : 0 };
    const uint64_t half = (uint64_t)1 << 28, last = 2 * half - 1;
    rng r = rng_for("the_watch");
    const float guard_at = 0.01f;
    int32_t guard;
    (void)state;
    memcpy(&guard, &guard_at, sizeof guard);
    for (size_t round = 0; round < workload(200000); round++) {
        double x[2][PE_LANES], order[2 * PE_LANES];
        float v[2 * PE_LANES];
        int want = 0, may = 0;
        for (size_t i = 0; i < 2 * PE_LANES; i++) {
            double y = 0.02 + rng_unit(&r);
            uint64_t bits;
            const int kind = (int)rng_below(&r, 16 * PE_LANES);
            memcpy(&bits, &y, sizeof bits);
            bits &= ~last | 1;
            bits |= rng_next(&r) & (half - 1);
            if (kind == 0) bits = (bits & ~last) | half; /* the middle */
            if (kind == 1) bits = ((bits & ~last) | half) + (WINDOW - 1);
            if (kind == 2) bits = ((bits & ~last) | half) + WINDOW;
            if (kind == 3) bits = ((bits & ~last) | half) - 1;
            if (kind == 6) bits = ((bits & ~last) | half) + WINDOW + MORE;
            memcpy(&y, &bits, sizeof y);
            if (kind == 4) y = (double)guard_at;
            if (kind == 5) y = (double)nextafterf(guard_at, 0);
            if (rng_next(&r) >> 63) y = -y;
            memcpy(&bits, &y, sizeof bits);
            const uint64_t dropped = bits & last;
            want |= dropped >= half && dropped < half + WINDOW;
            want |= fabs((double)(float)y) < (double)guard_at;
            may |= dropped >= half && dropped < half + WINDOW + MORE;
            const int32_t size = pe__float_bits((float)y) & INT32_MAX;
            const int cut = PE_ISA == PE_ISA_AVX2 ? 3 : ROUGH ? 16 : 0;
            may |= cut ? size >> cut <= guard >> cut : size < guard;
            order[i] = y;
            v[i] = (float)y;
        }
        /* The lanes are in the order of pe__join(), or in that of pe__zip(): the test does not
           depend on it. */
        for (size_t i = 0; i < PE_LANES; i++) x[0][i] = order[i], x[1][i] = order[PE_LANES + i];
        pe__rounding_test watch = pe__rounding_test_begin();
        assert_false(pe__rounding_test_flagged(watch, WINDOW, guard));
        pe__rounding_test_add(&watch, pe__load(x[0]), pe__load(x[1]), pe__get(v));
        const int alarm = pe__rounding_test_flagged(watch, WINDOW, guard);
        if (alarm < want || alarm > may) fail_msg("round %zu: the alarm is %d", round, alarm);
        /* Adding a vector that is not flagged keeps the flag. */
        for (size_t i = 0; i < PE_LANES; i++)
            x[0][i] = x[1][i] = 0.75, v[i] = v[PE_LANES + i] = 0.75f;
        pe__rounding_test_add(&watch, pe__load(x[0]), pe__load(x[1]), pe__get(v));
        assert_int_equal(pe__rounding_test_flagged(watch, WINDOW, guard), alarm);
    }
}

/* Tests pe__differ() and pe__within(), which return one bit per lane. Bit i is set exactly if the
   comparison holds for float i. */
static void doubts_about_lanes(void **state)
{
    rng r = rng_for("doubts_about_lanes");
    (void)state;
    for (size_t round = 0; round < workload(20000); round++) {
        float a[2 * PE_LANES], b[2 * PE_LANES], c[2 * PE_LANES], d[2 * PE_LANES];
        uint64_t differ = 0, within = 0;
        for (size_t i = 0; i < 2 * PE_LANES; i++) {
            const uint32_t bits = (uint32_t)(rng_next(&r) & 0x3fffffff);
            const uint32_t other =
                rng_below(&r, 3) ? bits : bits ^ ((uint32_t)1 << rng_below(&r, 30));
            memcpy(&a[i], &bits, sizeof bits);
            memcpy(&b[i], &other, sizeof bits);
            c[i] = rng_below(&r, 4) ? 1.0f : rng_below(&r, 2) ? NAN : 0.5f;
            d[i] = rng_below(&r, 4) ? 0.5f : 1.0f;
            differ |= (uint64_t)(bits != other) << i;
            within |= (uint64_t)!(a[i] > b[i]) << i | (uint64_t)!(c[i] > d[i])
                                                          << (2 * PE_LANES + i);
        }
        assert_int_equal(pe__differ(pe__get(a), pe__get(b)), differ);
        assert_int_equal(pe__within(pe__get(a), pe__get(b), pe__get(c), pe__get(d)), within);
    }
}

/* Checks three operations on floats that are rounded to 16 bits. They are the distance from the
   midpoint of two 16-bit numbers, the smaller of two distances, and the interleaved rounding of two
   vectors. */
static void middles_of_16_bits(void **state)
{
    static const int drops[] = {PE__DROP_BF16, PE__DROP_F16};
    rng r = rng_for("middles_of_16_bits");
    (void)state;
    for (size_t round = 0; round < workload(20000); round++) {
        const int drop = drops[round % 2];
        float a[2 * PE_LANES], b[2 * PE_LANES], least[2 * PE_LANES], off[2 * PE_LANES];
        uint16_t zipped[4 * PE_LANES], want[2][2 * PE_LANES];
        for (size_t i = 0; i < 2 * PE_LANES; i++) {
            float both[2];
            double distance[2];
            for (int k = 0; k < 2; k++) {
                int exponent;
                do both[k] = (float)((rng_unit(&r) - 0.5) * ldexp(1, -(int)rng_below(&r, 8)));
                while (fabsf(both[k]) < 0x1p-14f);
                const double y = (double)both[k], size = fabs(y);
                (void)frexp(size, &exponent);
                const double unit = ldexp(1, exponent - 24 + drop); /* the 16-bit number's ulp */
                const double middle = (floor(size / unit) + 0.5) * unit;
                distance[k] = y < 0 ? middle - size : size - middle;
                if (distance[k] == 0) {
                    both[k] = nextafterf(both[k], 0);
                    distance[k] = (double)both[k] - y;
                }
            }
            a[i] = both[0], b[i] = both[1], off[i] = (float)distance[0];
            least[i] = (float)fmin(fabs(distance[0]), fabs(distance[1]));
        }
        const pe__vf va = pe__get(a), vb = pe__get(b);
        float got[2 * PE_LANES];
        pe__put(got, pe__midpoint_distance(va, drop));
        assert_memory_equal(got, off, sizeof got);
        pe__put(got,
                pe__min_size(pe__midpoint_distance(va, drop), pe__midpoint_distance(vb, drop)));
        assert_memory_equal(got, least, sizeof got);
        if (drop == PE__DROP_BF16) {
            pe__put_bf16(want[0], va), pe__put_bf16(want[1], vb);
            pe__put_zip_bf16(zipped, va, vb);
        } else {
            pe__put_f16(want[0], va), pe__put_f16(want[1], vb);
            pe__put_zip_f16(zipped, va, vb);
        }
        for (size_t i = 0; i < 4 * PE_LANES; i++) assert_int_equal(zipped[i], want[i % 2][i / 2]);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_two_and_three_doubles),
        cmocka_unit_test(numbers_are_rounded_to_integers),
        cmocka_unit_test(powers_of_2),
        cmocka_unit_test(logarithms_to_base_2),
        cmocka_unit_test(frequencies_of_two_doubles),
        cmocka_unit_test(quotients_and_logarithms_of_three_doubles),
        cmocka_unit_test(floats_are_rounded_to_16_bits),
        cmocka_unit_test(constants),
        cmocka_unit_test(zeros_are_positive),
        cmocka_unit_test(arrays_are_aligned),
        cmocka_unit_test(frequencies_of_a_plan),
        cmocka_unit_test(numbers_of_a_plan_exactly),
        cmocka_unit_test(frequencies_of_rope_exactly),
        cmocka_unit_test(rows_of_a_plan),
        cmocka_unit_test(turns_and_centres),
        cmocka_unit_test(short_polynomials),
        cmocka_unit_test(floats_beside_middles),
        cmocka_unit_test(small_sines_far_away),
        cmocka_unit_test(centres_beyond_the_fast_limit),
        cmocka_unit_test(the_watch),
        cmocka_unit_test(doubts_about_lanes),
        cmocka_unit_test(middles_of_16_bits),
    };
    test_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
