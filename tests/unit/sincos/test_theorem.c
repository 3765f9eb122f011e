/* SPDX-License-Identifier: MIT */
/*
 * Proves correct rounding of cases that were built to make it fail. Random inputs never come near a
 * midpoint of two numbers, and these do. Their frequencies, positions and amplitudes come from
 * continued fractions, so that a product is next to a midpoint or a zero, at every size of phase.
 * Other cases are values that are exactly such a midpoint, and frequencies that double-double
 * cannot represent. The oracle is MPFR at a precision that is raised until it decides. If the value
 * is the midpoint itself, the test says so and why.
 *
 * `theorem.PROGRAM built` prints the cases that tests/unit/built.h keeps for the hash.
 */
#include "../common.h"

#include "../built.h"
#include "../stack.h"

#include <mpfr.h>

enum { FIRST_BITS = 320, MOST_BITS = 6000 };

/* Describes a type. The field `bits` is its precision, and `least` and `most` are the exponents of
   its smallest number and of infinity: 2^least and 2^most. */
typedef struct format {
    const char *name;
    int bits, least, most;
} format;
enum { F32, F64, F16, BF16, FORMATS };
static const format formats[FORMATS] = {
    {"f32", 24, -149, 128}, {"f64", 53, -1074, 1024}, {"f16", 11, -24, 16}, {"bf16", 8, -133, 128}};

static uint64_t elements, raised;

/* Returns y rounded once to a format, to nearest even. */
static double rounded(const mpfr_t y, const format *f)
{
    const long exponent = mpfr_zero_p(y) ? 0 : (long)mpfr_get_exp(y), room = exponent - f->least;
    mpfr_t x;
    double value;
    if (mpfr_zero_p(y) || room < 0) return 0;
    if (room == 0) /* less than the smallest number, and at least half of it */
        return mpfr_min_prec(y) > 1 ? copysign(ldexp(1, f->least), mpfr_sgn(y)) : 0;
    mpfr_init2(x, room < f->bits ? room : f->bits);
    mpfr_set(x, y, MPFR_RNDN);
    value = mpfr_get_d(x, MPFR_RNDN);
    if ((long)mpfr_get_exp(x) > f->most) value = copysign(HUGE_VAL, value);
    mpfr_clear(x);
    return value;
}

/* Describes one angle: that of pair i of a config, or of the given frequencies, at position t. */
typedef struct turn {
    const pe_config *config;
    const double *omega; /* NULL if the frequencies are those of the config */
    size_t i;
    double t;
} turn;

/* Computes D exactly, where the frequency of pair i is base^(-i / D). */
static void denominator(mpfr_t d, const pe_config *c)
{
    const size_t half = c->d_model / 2;
    mpfr_set_ui(d, 1, MPFR_RNDN);
    if (c->exponent == PE_EXPONENT_WIDTH)
        mpfr_set_ui(d, (unsigned long)c->d_model, MPFR_RNDN), mpfr_div_2ui(d, d, 1, MPFR_RNDN);
    if (c->exponent == PE_EXPONENT_PAIRS && half > 1)
        mpfr_set_d(d, c->exponent_shift, MPFR_RNDN), mpfr_ui_sub(d, half, d, MPFR_RNDN);
}

/* Computes the frequency, including the pi of half_turns. Its relative error is at most
   2^-(precision - 30). */
static void frequency(mpfr_t w, const turn *x)
{
    mpfr_t a;
    mpfr_init2(a, mpfr_get_prec(w));
    if (x->omega) {
        mpfr_set_d(w, x->omega[x->i], MPFR_RNDN);
    } else {
        mpfr_t d;
        mpfr_init2(d, mpfr_get_prec(w));
        denominator(d, x->config);
        mpfr_set_d(w, x->config->base, MPFR_RNDN);
        mpfr_si_div(a, -(long)x->i, d, MPFR_RNDN);
        mpfr_pow(w, w, a, MPFR_RNDN);
        mpfr_clear(d);
    }
    mpfr_mul_d(w, w, x->config->scale, MPFR_RNDN);
    if (x->config->half_turns) mpfr_const_pi(a, MPFR_RNDN), mpfr_mul(w, w, a, MPFR_RNDN);
    mpfr_clear(a);
}

/* Computes a value with the precision of y, and sets *error so that y is off by less than
   2^(*error). */
typedef void value_of(mpfr_t y, long *error, const turn *x, int component);

static void frequency_value(mpfr_t y, long *error, const turn *x, int component)
{
    frequency(y, x);
    if (component == 1) {
        mpfr_t pi;
        mpfr_init2(pi, mpfr_get_prec(y));
        mpfr_const_pi(pi, MPFR_RNDN);
        mpfr_mul_2ui(pi, pi, 1, MPFR_RNDN);
        mpfr_div(y, pi, y, MPFR_RNDN);
        mpfr_clear(pi);
    }
    *error = (long)mpfr_get_exp(y) - (long)mpfr_get_prec(y) + 40;
}

/* Returns the value rounded once, as soon as all numbers within the error agree. If they never
   do, the value is a midpoint of two numbers. Then the case must say that it may be one, and it
   is rounded to even. */
static double decided(value_of *f, const turn *x, int component, const format *to, int may_be_tie)
{
    double low = 0, high = 1;
    for (long bits = FIRST_BITS; bits <= MOST_BITS && (low != high || low == 0); bits *= 2) {
        long error;
        mpfr_t y, e;
        mpfr_inits2((mpfr_prec_t)bits, y, e, (mpfr_ptr)NULL);
        f(y, &error, x, component);
        mpfr_set_ui_2exp(e, 1, error, MPFR_RNDN);
        mpfr_sub(y, y, e, MPFR_RNDD);
        low = rounded(y, to);
        mpfr_mul_2ui(e, e, 1, MPFR_RNDN);
        mpfr_add(y, y, e, MPFR_RNDU);
        high = rounded(y, to);
        if (low == high && low == 0 && mpfr_sgn(y) != 0)
            bits = MOST_BITS; /* too small for the format */
        raised += bits > FIRST_BITS;
        mpfr_clears(y, e, (mpfr_ptr)NULL);
    }
    if (low != high) {
        uint64_t word;
        if (!may_be_tie)
            fail_msg("%s: %a or %a: undecided at %d bits", to->name, low, high, (int)MOST_BITS);
        if (low * high <= 0) return 0;
        memcpy(&word, &low, sizeof word);
        return word >> (53 - to->bits) & 1 ? high : low;
    }
    return low;
}

static void element_value(mpfr_t y, long *error, const turn *x, int component)
{
    const pe_config *const c = x->config;
    const long bits = (long)mpfr_get_prec(y);
    mpfr_t angle;
    mpfr_init2(angle, bits);
    if (c->angle == PE_ANGLE_FLOAT32) {
        const float w = (float)decided(frequency_value, x, 0, &formats[F32], 1), t = (float)x->t;
        const float product = w * t;
        mpfr_set_flt(angle, product, MPFR_RNDN);
    } else {
        frequency(angle, x);
        mpfr_mul_d(angle, angle, x->t, MPFR_RNDN);
    }
    if (component == 0) mpfr_sin(y, angle, MPFR_RNDN);
    else mpfr_cos(y, angle, MPFR_RNDN);
    mpfr_mul_d(y, y, c->amplitude, MPFR_RNDN);
    /* the angle's error, as far as it changes the result, and the result's own error */
    const long own = mpfr_zero_p(y) ? -100000 : (long)mpfr_get_exp(y) - bits + 4;
    const long size = mpfr_zero_p(angle) ? -100000 : (long)mpfr_get_exp(angle);
    const long moved =
        size - bits + 50 + (component == 1 && size < 0 ? size : 0) + (long)ilogb(c->amplitude) + 1;
    *error = (c->angle == PE_ANGLE_FLOAT32 || moved < own ? own : moved) + 1;
    mpfr_clear(angle);
}

/* ------------------------------------------------------------------------------------------------
 * The calls
 * --------------------------------------------------------------------------------------------- */

/* Returns a 16-bit number as a double. */
static double from_16(uint16_t h, int bf16)
{
    const int exponent = bf16 ? h >> 7 & 255 : h >> 10 & 31, low = bf16 ? h & 127 : h & 1023;
    const int bits = bf16 ? 7 : 10, bias = bf16 ? 127 : 15, most = bf16 ? 255 : 31;
    double x = exponent == most ? HUGE_VAL
               : exponent       ? ldexp(low + (1 << bits), exponent - bias - bits)
                                : ldexp(low, 1 - bias - bits);
    return h >> 15 ? -x : x;
}

enum { WIDTH = 16 }; /* most elements of a row */

static void plan_of(pe_plan *plan, void *memory, size_t size, const pe_config *c,
                    const double *omega)
{
    const pe_status status =
        omega ? pe_plan_init_frequencies(plan, c, omega, (c->d_model + 1) / 2, memory, size)
              : pe_plan_init(plan, c, memory, size);
    if (status != PE_OK)
        fail_msg("no plan: %s, base %a, scale %a, shift %a", pe_status_string(status), c->base,
                 c->scale, c->exponent_shift);
}

/* Computes a row in all types. With way 0, the row is alone; with way 1, which needs an integer
   position, it is amid other rows. Ways 2 and 3 are the same without a plan. */
static void rows_of(const pe_plan *plan, double t, int way, double (*row)[WIDTH])
{
    const size_t d = plan->d_model, at = way ? 17 : 0, rows = way ? 40 : 1;
    const pe_at where = way ? pe_from((int64_t)t - (int64_t)at) : pe_at_f64(&t);
    float f32[40 * WIDTH];
    double f64[40 * WIDTH];
    uint16_t f16[40 * WIDTH], bf16[40 * WIDTH];
    assert_int_equal(pe_fill_f32(plan, where, rows, f32, d), PE_OK);
    assert_int_equal(pe_fill_f64(plan, where, rows, f64, d), PE_OK);
    assert_int_equal(pe_fill_f16(plan, where, rows, f16, d), PE_OK);
    assert_int_equal(pe_fill_bf16(plan, where, rows, bf16, d), PE_OK);
    for (size_t i = 0; i < d; i++) {
        row[F32][i] = (double)f32[at * d + i], row[F64][i] = f64[at * d + i];
        row[F16][i] = from_16(f16[at * d + i], 0), row[BF16][i] = from_16(bf16[at * d + i], 1);
    }
}

/* Computes the same row without a plan, from the given frequencies. */
static void rows_without_plan(const pe_config *c, const double *omega, double t, int way,
                              double (*row)[WIDTH])
{
    const size_t d = c->d_model, n = (d + 1) / 2, at = way ? 48 : 0, rows = way ? 97 : 1;
    const pe_at where = way ? pe_from((int64_t)t - (int64_t)at) : pe_at_f64(&t);
    const double a = c->amplitude;
    float f32[2][97 * WIDTH];
    double f64[2][97 * WIDTH];
    uint16_t f16[2][97 * WIDTH], bf16[2][97 * WIDTH];
    assert_int_equal(pe_sincos_f32(omega, n, a, where, rows, f32[0], f32[1], n), PE_OK);
    assert_int_equal(pe_sincos_f64(omega, n, a, where, rows, f64[0], f64[1], n), PE_OK);
    assert_int_equal(pe_sincos_f16(omega, n, a, where, rows, f16[1], f16[0], n), PE_OK);
    assert_int_equal(pe_sincos_bf16(omega, n, a, where, rows, bf16[1], bf16[0], n), PE_OK);
    for (size_t i = 0; i < d; i++) {
        const size_t half = c->layout == PE_LAYOUT_HALVES, of = at * n + (half ? i % n : i / 2);
        const size_t k = (half ? i >= n : i % 2) ^ (c->cos_first != 0);
        row[F32][i] = (double)f32[k][of], row[F64][i] = f64[k][of];
        row[F16][i] = from_16(f16[!k][of], 0), row[BF16][i] = from_16(bf16[!k][of], 1);
    }
}

/* Checks every element of the row at position t, in each type. With `tie`, a value that no
   precision decides is accepted as a midpoint and is rounded to even. */
static void check_row(const pe_config *config, const double *omega, double t, int tie,
                      const char *what)
{
    unsigned char memory[16384];
    const size_t d = config->d_model;
    const int whole = t == floor(t) && fabs(t) < 2147483600.0;
    const int bare = omega && config->scale == 1 && !config->half_turns && config->axes == 1 &&
                     config->angle == PE_ANGLE_EXACT && !config->has_padding;
    for (int way = 0; way < (bare ? 4 : 2); way++) {
        pe_config c = *config;
        pe_plan plan;
        double row[FORMATS][WIDTH];
        if (way % 2 > whole) continue;
        c.expected_rows = way ? 0 : 1;
        plan_of(&plan, memory, sizeof memory, &c, omega);
        if (way < 2) rows_of(&plan, t, way, row);
        else rows_without_plan(&c, omega, t, way - 2, row);
        for (size_t i = 0; i < d; i++)
            for (int f = 0; f < FORMATS; f++) {
                const size_t h = (d + 1) / 2, half = c.layout == PE_LAYOUT_HALVES;
                const int component = (int)(half ? i >= h : i % 2) ^ (c.cos_first != 0);
                const turn x = {&c, omega, half ? i % h : i / 2, t};
                const double want = decided(element_value, &x, component, &formats[f], tie);
                elements++;
                if (row[f][i] == want) continue;
                fprintf(stderr, "  base %a, d %zu, scale %a, A %a, half_turns %d, omega %a\n",
                        c.base, d, c.scale, c.amplitude, c.half_turns, omega ? omega[x.i] : 0);
                test_print_rerun(stderr, NULL);
                fail_msg("%s: %s of pair %zu at %a, %s, way %d: %a, must be %a", what,
                         component ? "cosine" : "sine", x.i, t, formats[f].name, way, row[f][i],
                         want);
            }
    }
}

static void check_frequencies(const pe_config *c, const double *omega, const char *what)
{
    unsigned char memory[16384];
    double numbers[2][WIDTH];
    pe_plan plan;
    plan_of(&plan, memory, sizeof memory, c, omega);
    assert_int_equal(pe_plan_frequencies(&plan, numbers[0]), PE_OK);
    assert_int_equal(pe_plan_wavelengths(&plan, numbers[1]), PE_OK);
    for (size_t i = 0; i < plan.pairs; i++)
        for (int k = 0; k < 2; k++) {
            const turn x = {c, omega, i, 0};
            const double want = decided(frequency_value, &x, k, &formats[F64], 1);
            elements++;
            if (numbers[k][i] != want)
                fail_msg("%s: %s %zu of base %a, scale %a, shift %a: %a, must be %a", what,
                         k ? "wavelength" : "frequency", i, c->base, c->scale, c->exponent_shift,
                         numbers[k][i], want);
        }
}

/* ------------------------------------------------------------------------------------------------
 * Continued fractions
 * --------------------------------------------------------------------------------------------- */

enum { CF_BITS = 400 };

/* Holds the two convergents p / q of x whose denominators q are the largest up to a maximum, as q
   and off = q x - p. convergents_of() computes them. */
typedef struct convergents {
    double q[2], off[2];
} convergents;

static convergents convergents_of(const mpfr_t x, double most)
{
    convergents c = {{0, 1}, {-1, 0}};
    mpfr_t rest, whole, p[3], q[3], y;
    mpfr_inits2(CF_BITS, rest, whole, p[0], p[1], p[2], q[0], q[1], q[2], y, (mpfr_ptr)NULL);
    mpfr_set_ui(p[0], 0, MPFR_RNDN), mpfr_set_ui(q[0], 1, MPFR_RNDN); /* 0 / 1, then 1 / 0 */
    mpfr_set_ui(p[1], 1, MPFR_RNDN), mpfr_set_ui(q[1], 0, MPFR_RNDN);
    mpfr_set(rest, x, MPFR_RNDN);
    for (int n = 0; n < 400; n++) {
        mpfr_floor(whole, rest);
        mpfr_sub(rest, rest, whole, MPFR_RNDN);
        mpfr_fma(p[2], whole, p[1], p[0], MPFR_RNDN);
        mpfr_fma(q[2], whole, q[1], q[0], MPFR_RNDN);
        if (mpfr_cmp_d(q[2], most) > 0) break;
        mpfr_set(p[0], p[1], MPFR_RNDN), mpfr_set(q[0], q[1], MPFR_RNDN);
        mpfr_set(p[1], p[2], MPFR_RNDN), mpfr_set(q[1], q[2], MPFR_RNDN);
        for (int k = 0; k < 2; k++) {
            mpfr_mul(y, q[k], x, MPFR_RNDN);
            mpfr_sub(y, y, p[k], MPFR_RNDN);
            c.q[k] = mpfr_get_d(q[k], MPFR_RNDN), c.off[k] = mpfr_get_d(y, MPFR_RNDN);
        }
        if (mpfr_zero_p(rest)) break;
        mpfr_ui_div(rest, 1, rest, MPFR_RNDN);
    }
    mpfr_clears(rest, whole, p[0], p[1], p[2], q[0], q[1], q[2], y, (mpfr_ptr)NULL);
    return c;
}

/* Returns a x + b y for integers whose sum is below 2^63. */
WRAPS
static uint64_t sum_of_products(double a, double x, double b, double y)
{
    const uint64_t ax = (uint64_t)(int64_t)a * (uint64_t)(int64_t)x;
    return ax + (uint64_t)(int64_t)b * (uint64_t)(int64_t)y;
}

/* Returns an integer near n for which integer * x is nearest to y modulo 1. */
static double near_multiple(const mpfr_t x, const mpfr_t y, double n)
{
    const convergents c = convergents_of(x, ldexp(1, 50));
    mpfr_t rest, whole;
    mpfr_inits2(CF_BITS, rest, whole, (mpfr_ptr)NULL);
    mpfr_mul_d(rest, x, n, MPFR_RNDN);
    mpfr_sub(rest, rest, y, MPFR_RNDN);
    mpfr_rint(whole, rest, MPFR_RNDN);
    mpfr_sub(rest, rest, whole, MPFR_RNDN);
    const double r = mpfr_get_d(rest, MPFR_RNDN), det = c.q[0] * c.off[1] - c.q[1] * c.off[0];
    const double a = rint(c.q[1] * r / det), b = rint(-c.q[0] * r / det);
    mpfr_clears(rest, whole, (mpfr_ptr)NULL);
    return n + (double)(int64_t)sum_of_products(a, c.q[0], b, c.q[1]);
}

/* Returns a double in 2^k ... 2^(k + 1) with this many bits. */
static double random_double(rng *r, int k, int bits)
{
    const double x = ldexp(1, bits - 1) + floor(rng_unit(r) * ldexp(1, bits - 1));
    return ldexp(x, k - bits + 1);
}

/* Chooses y, an angle in rotations, at which a sine or cosine is the midpoint of two numbers of a
   format, or a multiple of a quarter. */
static void target(mpfr_t y, rng *r, const format *f, double amplitude, int *component)
{
    mpfr_t pi;
    mpfr_init2(pi, CF_BITS);
    mpfr_const_pi(pi, MPFR_RNDN);
    *component = (int)rng_below(r, 2);
    if (rng_below(r, 3) == 0) {
        mpfr_set_d(y, 0.25 * (double)rng_below(r, 4), MPFR_RNDN);
    } else {
        const double size = ldexp(1, -1 - (int)rng_below(r, 12));
        mpfr_set_d(y, random_double(r, ilogb(amplitude * size), f->bits + 1), MPFR_RNDN);
        if (f->bits < 53) /* a midpoint has one bit more, which must be 1 */
            mpfr_set_d(
                y,
                mpfr_get_d(y, MPFR_RNDN) +
                    ldexp(1, ilogb(amplitude * size) - f->bits) *
                        (fmod(ldexp(mpfr_get_d(y, MPFR_RNDN), f->bits - ilogb(amplitude * size)),
                              2) == 0),
                MPFR_RNDN);
        mpfr_div_d(y, y, amplitude, MPFR_RNDN);
        if (*component) mpfr_acos(y, y, MPFR_RNDN);
        else mpfr_asin(y, y, MPFR_RNDN);
        mpfr_div(y, y, pi, MPFR_RNDN);
        mpfr_div_2ui(y, y, 1, MPFR_RNDN);
    }
    mpfr_clear(pi);
}

/* Makes a case whose sine or cosine is next to a value of target(). Either w is chosen for a random
   position, or, with by_position, the position for a random w. The phase is about 2^size half
   turns. */
static void near_by_product(rng *r, int size, int by_position, int half_turns, built *made)
{
    mpfr_t x, y;
    int component;
    mpfr_inits2(CF_BITS, x, y, (mpfr_ptr)NULL);
    memset(made, 0, sizeof *made);
    made->amplitude = rng_below(r, 2) ? 1 : random_double(r, (int)rng_below(r, 8) - 4, 53);
    made->half_turns = half_turns;
    /* phase = w t: w < 2^21, t < 2^31 */
    const int of_t = by_position ? (size < 30 ? size : 30) : size > 20 ? 30 : (int)rng_below(r, 30);
    double fixed = by_position       ? random_double(r, size - of_t, 53)
                   : rng_below(r, 2) ? random_double(r, of_t, of_t + 1 < 53 ? of_t + 1 : 53)
                                     : random_double(r, of_t, 53);
    const int unit = (by_position ? of_t : size - of_t) - 52;
    target(y, r, &formats[rng_below(r, FORMATS)], made->amplitude, &component);
    /* x is the angle, in rotations, that the last bit of the number to be chosen adds. */
    mpfr_set_d(x, ldexp(fixed, unit - 1), MPFR_RNDN);
    if (!half_turns) {
        mpfr_t pi;
        mpfr_init2(pi, CF_BITS);
        mpfr_const_pi(pi, MPFR_RNDN);
        mpfr_div(x, x, pi, MPFR_RNDN);
        mpfr_clear(pi);
    }
    const double n = near_multiple(x, y, floor(ldexp(1.4 + 0.2 * rng_unit(r), 52)));
    const double found = ldexp(n, unit);
    made->w = by_position ? fixed : found, made->t = by_position ? found : fixed;
    if (rng_below(r, 2)) made->t = -made->t;
    mpfr_clears(x, y, (mpfr_ptr)NULL);
}

/* Chooses the amplitude A so that A sin x, for a random x, is next to the midpoint of two
   numbers of the type. Its relative distance from the midpoint is about 2^-106 for doubles, and
   2^(-53 - bits) for types with fewer bits. */
static void near_by_amplitude(rng *r, int size, const format *f, built *made)
{
    mpfr_t x, s;
    const int bits = f->bits + 1, component = (int)rng_below(r, 2);
    memset(made, 0, sizeof *made);
    mpfr_inits2(CF_BITS, x, s, (mpfr_ptr)NULL);
    const int of_t = size < 30 ? (size < 0 ? 0 : size) : 30;
    for (int tries = 0; tries < 100; tries++) {
        made->t = random_double(r, of_t, rng_below(r, 2) ? 53 : of_t + 1);
        made->w = random_double(r, size - of_t, 53);
        mpfr_set_d(x, made->t, MPFR_RNDN);
        mpfr_mul_d(x, x, made->w, MPFR_RNDN);
        if (component) mpfr_cos(s, x, MPFR_RNDN);
        else mpfr_sin(s, x, MPFR_RNDN);
        /* find |s| 2^k near p / q, where q has 53 bits and p is odd and has `bits` bits */
        mpfr_abs(s, s, MPFR_RNDN);
        for (int k = bits - 53; k <= bits - 53 + 4; k++) {
            mpfr_t u;
            mpfr_init2(u, CF_BITS);
            mpfr_mul_2si(u, s, k, MPFR_RNDN);
            const convergents c = convergents_of(u, ldexp(1, 53));
            for (int j = 0; j < 2; j++) {
                mpfr_mul_d(x, u, c.q[j], MPFR_RNDN);
                const intmax_t p = mpfr_get_sj(x, MPFR_RNDN);
                if (p >> (bits - 1) == 1 && p % 2 == 1 && c.q[j] > 1) {
                    made->amplitude = ldexp(c.q[j], -52 + (int)rng_below(r, 5));
                    tries = 100;
                }
            }
            mpfr_clear(u);
        }
    }
    if (made->amplitude == 0) made->amplitude = 1;
    mpfr_clears(x, s, (mpfr_ptr)NULL);
}

static pe_config config_of_built(const built *b)
{
    pe_config c = pe_config_default(2);
    c.amplitude = b->amplitude, c.half_turns = b->half_turns;
    return c;
}

static void check_built(const built *b, const char *what)
{
    const pe_config c = config_of_built(b);
    check_row(&c, &b->w, b->t, b->half_turns, what);
}

/* ------------------------------------------------------------------------------------------------
 * The tests
 * --------------------------------------------------------------------------------------------- */

/* Checks the cases that earlier versions rounded wrongly, and cases that the generators below once
   found. */
static void kept_cases_are_right(void **state)
{
    (void)state;
    for (size_t k = 0; k < LENGTH(built_cases); k += every()) check_built(&built_cases[k], "kept");
}

static void products_next_to_middles(void **state)
{
    rng r = rng_for("products_next_to_middles");
    (void)state;
    for (size_t n = 0; n < workload(480); n++) {
        built b;
        near_by_product(&r, 50 - (int)(n % 49), n / 49 % 2 == 1, n / 98 % 4 == 3, &b);
        check_built(&b, "a product");
    }
}

static void amplitudes_next_to_middles(void **state)
{
    rng r = rng_for("amplitudes_next_to_middles");
    (void)state;
    for (size_t n = 0; n < workload(320); n++) {
        built b;
        near_by_amplitude(&r, 50 - (int)(n / 4 % 52), &formats[n % FORMATS], &b);
        check_built(&b, "an amplitude");
    }
}

/* Checks A sin(pi k / 6) where it is rational: 0, A / 2 or A, exactly. Such a value may be a
   midpoint, and is then rounded to even. */
static void ties_of_half_turns(void **state)
{
    static const double twice[12] = {0, 1, 3, 2, 3, 1, 0, -1, 3, -2, 3, -1};
    rng r = rng_for("ties_of_half_turns");
    (void)state;
    for (size_t n = 0; n < workload(160); n++) {
        const format *const f = &formats[n % FORMATS];
        pe_config c = pe_config_default(4);
        double row[FORMATS][WIDTH];
        unsigned char memory[16384];
        pe_plan plan;
        mpfr_t y;
        /* w = 1/3 or 1/6, as roots of 9 or 36, or as the powers of 3 or 6 themselves */
        const int six = (int)rng_below(&r, 2), index = (int)rng_below(&r, 2);
        const int way = (int)(n / 4 % 2);
        c.base = index ? (six ? 6 : 3) : six ? 36 : 9;
        c.exponent = index ? PE_EXPONENT_INDEX : PE_EXPONENT_WIDTH;
        c.half_turns = 1, c.layout = rng_below(&r, 2) ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
        c.cos_first = (int)rng_below(&r, 2), c.expected_rows = way ? 0 : 1;
        c.amplitude = random_double(&r, (int)rng_below(&r, 24) - 12, f->bits + (f->bits < 53));
        if (rng_below(&r, 2)) c.amplitude = -c.amplitude;
        double t = floor(ldexp(rng_unit(&r), 1 + (int)rng_below(&r, 30)));
        if (rng_below(&r, 2)) t = -t;
        plan_of(&plan, memory, sizeof memory, &c, NULL);
        rows_of(&plan, t, way, row);
        mpfr_init2(y, 64);
        for (size_t i = 0; i < 4; i++)
            for (int k = 0; k < FORMATS; k++) {
                const size_t half = c.layout == PE_LAYOUT_HALVES, pair = half ? i % 2 : i / 2;
                const int component = (int)(half ? i / 2 : i % 2) ^ c.cos_first;
                const int sixths = pair == 0 ? 6 : six ? 1 : 2;
                const int place = (int)fmod(fmod(t, 12) * sixths + 3 * component + 120, 12);
                if (twice[place] == 3) continue;
                mpfr_set_d(y, c.amplitude, MPFR_RNDN);
                mpfr_mul_d(y, y, twice[place] / 2, MPFR_RNDN);
                const double want = rounded(y, &formats[k]);
                elements++;
                if (row[k][i] != want || (want == 0 && !signbit(row[k][i]) != (c.amplitude > 0)))
                    fail_msg("base %a, A %a, t %a, element %zu, %s, way %d: %a, must be %a", c.base,
                             c.amplitude, t, i, formats[k].name, way, row[k][i], want);
            }
        mpfr_clear(y);
    }
}

/* Checks angles so small that the sine is nearly the product, or the cosine nearly A. The product,
   or A, is the midpoint of two numbers, and the true value is slightly below it. */
static void ties_of_tiny_angles(void **state)
{
    rng r = rng_for("ties_of_tiny_angles");
    (void)state;
    for (size_t n = 0; n < workload(160); n++) {
        static const int exponents[] = {-20, -26, -40, -60, -100, -300, -640, -700, -890};
        const format *const f = &formats[n % FORMATS];
        built b;
        const int e = exponents[rng_below(&r, LENGTH(exponents))], bits = f->bits + (f->bits < 53);
        memset(&b, 0, sizeof b);
        b.amplitude = 1, b.t = (double)(1 << rng_below(&r, 20));
        b.w = random_double(&r, e, bits) + (bits < 53 ? ldexp(1, e - bits + 1) : 0);
        if (rng_below(&r, 2)) {
            b.amplitude = b.w, b.w = ldexp(1, e);
            if (rng_below(&r, 2)) /* a sine that is no subnormal */
                b.amplitude = ldexp(b.amplitude, -e);
        }
        if (rng_below(&r, 3) == 0) b.t = ldexp(b.t, -(int)rng_below(&r, 1000));
        check_built(&b, "a tiny angle");
    }
}

/* Checks frequencies of PE_ANGLE_FLOAT32 that are the midpoint of two floats. They are given as a
   list, or come from a base and a scale that is three times as large. */
static void ties_of_float_frequencies(void **state)
{
    rng r = rng_for("ties_of_float_frequencies");
    (void)state;
    for (size_t n = 0; n < workload(64); n++) {
        pe_config c = pe_config_default(4);
        double omega[2];
        for (int k = 0; k < 2; k++) {
            omega[k] = random_double(&r, (int)rng_below(&r, 40) - 30, 24);
            omega[k] += ldexp(1, ilogb(omega[k]) - 24);
        }
        c.angle = PE_ANGLE_FLOAT32;
        const double t = (double)rng_below(&r, 1 << 20);
        check_row(&c, omega, t, 1, "a float frequency");
        c.base = 9, c.scale = 3 * omega[0];
        if (n % 8 == 0) /* this row needs all limbs of the exact level */
            check_row(&c, NULL, t, 1, "a third of a float frequency");
    }
}

/* Tests denominators next to 0, with bases next to 1, and very large powers. Also tests the
   frequencies and the wavelengths, with factors that make them midpoints of two doubles. */
static void frequencies_that_are_hard(void **state)
{
    rng r = rng_for("frequencies_that_are_hard");
    (void)state;
    for (size_t n = 0; n < workload(120); n++) {
        pe_config c = pe_config_default(4 + 2 * rng_below(&r, 3));
        double omega[4], t = random_double(&r, (int)rng_below(&r, 31), 53);
        const double half = (double)(c.d_model / 2);
        c.scale = random_double(&r, (int)rng_below(&r, 30) - 20, 53);
        c.half_turns = (int)rng_below(&r, 2);
        if (n % 3 == 0) {
            const int e = (int)rng_below(&r, 44);
            c.exponent = PE_EXPONENT_PAIRS;
            c.base = 1 + ldexp(1 + (double)rng_below(&r, 100), -e - 7);
            c.exponent_shift = half - ldexp(1 + rng_unit(&r), -e);
            if (half == c.exponent_shift) c.exponent_shift = half - ldexp(1, -48);
        } else {
            c.base = random_double(&r, (int)rng_below(&r, 20), 53);
        }
        if (pe_plan_size(&c) == 0) continue;
        check_frequencies(&c, NULL, "a hard frequency");
        check_row(&c, NULL, t, c.half_turns, "a hard frequency");
        for (int k = 0; k < 4; k++) /* 3 times such a number has 54 bits */
            omega[k] = floor(random_double(&r, 53, 53) / 3) * (k % 2 ? 1.0 : 1 + 0x1p-30);
        c.scale = ldexp(3, -40 - (int)rng_below(&r, 40));
        check_frequencies(&c, omega, "a product of frequencies");
    }
}

/* Checks configs at the ends of their ranges, with powers of two and midpoints of two floats. Many
   results are exact doubles although the intermediate values are not. */
static void ends_of_the_ranges(void **state)
{
    static const double bases[] = {10000, 2, 256, 65536, 1, 0x1p-20, 0x1p300, 81, 1.5, 0.75, 1e6};
    static const int sizes[] = {0,    0,    -25,   -134, -143, -149, -150,
                                -300, -700, -1000, 128,  700,  999};
    rng r = rng_for("ends_of_the_ranges");
    (void)state;
    for (size_t n = 0; n < workload(480); n++) {
        pe_config c = pe_config_default(1 + rng_below(&r, 12));
        double omega[6];
        const int given = n % 3 == 0, small = -(int)rng_below(&r, rng_below(&r, 2) ? 80 : 880);
        const int bits[3] = {1, 25, 53};
        c.base = bases[rng_below(&r, LENGTH(bases))];
        c.amplitude =
            random_double(&r, sizes[rng_below(&r, LENGTH(sizes))], bits[rng_below(&r, 3)]);
        c.amplitude = rng_below(&r, 2) ? -c.amplitude : c.amplitude;
        c.scale =
            random_double(&r, rng_below(&r, 3) ? small : (int)rng_below(&r, 6), bits[n / 3 % 3]);
        c.half_turns = (int)rng_below(&r, 2), c.exponent = (pe_exponent)rng_below(&r, 3);
        c.layout = rng_below(&r, 2) ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
        c.cos_first = (int)rng_below(&r, 2);
        for (int k = 0; k < 6; k++)
            omega[k] = random_double(&r, -(int)rng_below(&r, 60), bits[k % 3]);
        if (pe_plan_size(&c) == 0 || (given && pe_frequency_error(&c, omega, 6, NULL))) continue;
        double t = random_double(&r, (int)rng_below(&r, 30), 30);
        if (rng_below(&r, 2)) t = floor(t / (double)(1 << rng_below(&r, 30)));
        if (rng_below(&r, 6) == 0) t = ldexp(t, -(int)rng_below(&r, 1070));
        if (rng_below(&r, 3) == 0) t = -t;
        check_row(&c, given ? omega : NULL, t, 1, "ends of the ranges");
    }
}

/* Checks sines that are slightly below 1.5, 2.5 ... times the smallest double. Also checks the sign
   of zeros: the sine of a small angle that is rounded to 0 has the sign of A t w. */
static void smallest_numbers(void **state)
{
    (void)state;
    for (int k = -9; k < 9; k++) {
        pe_config c = pe_config_default(2);
        c.amplitude = 0x1p-1000, c.scale = 0x1p-70;
        check_row(&c, NULL, (k + 0.5) / 16, 1, "half a multiple of the least double");
    }
    for (int size = -1000; size <= 960; size += 70)
        for (int e = -870; e < -50; e += 41)
            for (int k = 0; k < 8; k++) {
                pe_config c = pe_config_default(2);
                double row[FORMATS][WIDTH];
                unsigned char memory[16384];
                pe_plan plan;
                c.amplitude = ldexp(k & 1 ? -1.1 : 1, size), c.scale = ldexp(1, e);
                c.half_turns = k >> 1 & 1;
                plan_of(&plan, memory, sizeof memory, &c, NULL);
                rows_of(&plan, k & 4 ? -3 : 5, k & 1, row);
                for (int f = 0; f < FORMATS; f++)
                    assert_int_equal(signbit(row[f][0]) != 0, (k & 1) != (k >> 2 & 1));
            }
}

/* position * frequency / 2^bits is within 2^-98 of multiple * pi / 2. A double-double of relative
   error 2^-97 cannot tell the sine, or for odd multiples the cosine, from 0. The entries were found
   by factoring the integers nearest to multiple * pi * 2^(bits - 1) into two numbers of at most 53
   bits. */
static const struct near_zero {
    int multiple, bits;
    double position, frequency;
} near_zeros[] = {
    {11, 99, 8700216271536609.0, 1258786522533641.0},
    {11, 101, 7113148594587818.0, 6158575117674893.0},
    {22, 100, 7113148594587818.0, 6158575117674893.0},
    {23, 98, 6436112783453993.0, 1778949592337341.0},
    {25, 99, 7252919340998369.0, 3431757635925529.0},
    {31, 99, 8672247459444170.0, 3558930276730689.0},
    {44, 98, 6158575117674893.0, 3556574297293909.0},
    {53, 98, 6082636041074057.0, 4337539979860069.0},
    {62, 98, 8672247459444170.0, 3558930276730689.0},
    {71, 98, 7683054728219114.0, 4600275846079959.0},
};

/* Tests elements that are 0, or below 2^-97 of the amplitude, with each amplitude from 2^-890 to
   2^-1000. The error of double-double, times the amplitude, is then near the smallest double. */
static void zeros_of_tiny_amplitudes(void **state)
{
    static const double positions[] = {1, 2, 3, -5, 1000001, 1073741825};
    const size_t step = every();
    (void)state;
    for (size_t n = 0; n < 444; n += step) {
        const int exponent = -890 - (int)(n / 4);
        const struct near_zero z = near_zeros[n % LENGTH(near_zeros)];
        /* (1 + offset) (1 - offset) = 1 - offset^2 half-turns, with an offset of 2^-46 ... 2^-52 */
        const double offset = ldexp(1, -46 - (int)(n / 4 % 7));
        const built cases[] = {
            {n % 8 < 4 ? 1 : 0.5, positions[n % LENGTH(positions)], 0, 1},
            {1 + offset, 1 - offset, 0, 1},
            {z.frequency * 0x1p-52, z.position * ldexp(1, 52 - z.bits), 0, 0},
        };
        for (size_t k = 0; k < LENGTH(cases); k++) {
            built b = cases[k];
            b.amplitude = ldexp(n % 2 ? -1.37 : 1, exponent);
            check_built(&b, "a tiny amplitude");
        }
    }
}

static void ends_of_the_positions(void **state)
{
    (void)state;
    for (int n = 0; n < 4; n++) {
        pe_config c = pe_config_default(WIDTH);
        c.base = n % 2 ? 500000 : 10000;
        c.amplitude = n / 2 ? 1 : -0.3;
        check_row(&c, NULL, 2147483648.0, 0, "2^31");
        check_row(&c, NULL, -2147483648.0, 0, "-2^31");
    }
}

/* Checks that other calls have the same values: adding to zeros, rotating (1, 0), and tables of
   RoPE. */
static void other_calls(const built *b)
{
    const pe_config c = config_of_built(b);
    const turn x = {&c, &b->w, 0, b->t};
    const pe_at at = pe_at_f64(&b->t);
    const pe_heads one = {1, 2, 2};
    unsigned char memory[4096];
    double want[FORMATS][2], f64[2] = {0, 0}, dot;
    float f32[2] = {0, 0}, turned[2] = {0, 1}, table[2], head[2] = {1, 0};
    uint16_t h[2];
    pe_plan plan;
    for (int k = 0; k < 2; k++)
        for (int f = 0; f < FORMATS; f++)
            want[f][k] = decided(element_value, &x, k, &formats[f], b->half_turns);
    plan_of(&plan, memory, sizeof memory, &c, &b->w);
    assert_int_equal(pe_add_f32(&plan, at, 1, 1, f32, 2), PE_OK);
    assert_int_equal(pe_add_f64(&plan, at, 1, 1, f64, 2), PE_OK);
    const pe_rope_table_layout apart = PE_ROPE_TABLE_APART;
    assert_int_equal(pe_rope_table_f32(&plan, at, 1, apart, table + 1, table, 1, NULL), PE_OK);
    for (int k = 0; k < 2; k++) {
        assert_true((double)f32[k] == want[F32][k] && f64[k] == want[F64][k]);
        assert_true((double)table[k] == want[F32][k]);
    }
    assert_int_equal(pe_rope_table_f16(&plan, at, 1, apart, h + 1, h, 1, NULL), PE_OK);
    assert_true(from_16(h[0], 0) == want[F16][0] && from_16(h[1], 0) == want[F16][1]);
    assert_int_equal(pe_rope_table_bf16(&plan, at, 1, apart, h + 1, h, 1, NULL), PE_OK);
    assert_true(from_16(h[0], 1) == want[BF16][0] && from_16(h[1], 1) == want[BF16][1]);
    assert_int_equal(pe_rope_f32(&plan, at, 1, head, one), PE_OK);
    if (b->amplitude < 0x1p100) /* no infinity times 0 */
        assert_true((double)head[0] == want[F32][1] && (double)head[1] == want[F32][0]);
    if (b->amplitude == 1) {
        f64[0] = 0, f64[1] = 1;
        assert_int_equal(pe_shift_f32(&plan, at, 1, turned, 2), PE_OK);
        assert_int_equal(pe_shift_f64(&plan, at, 1, f64, 2), PE_OK);
        assert_int_equal(pe_dot_f64(&plan, at, 1, &dot), PE_OK);
        for (int k = 0; k < 2; k++)
            assert_true((double)turned[k] == want[F32][k] && f64[k] == want[F64][k]);
        assert_true(dot == want[F64][1] || fabs(want[F64][1]) < 0x1p-40);
    }
    elements += 12;
}

static void other_calls_have_the_same_values(void **state)
{
    (void)state;
    for (size_t k = 0; k < LENGTH(built_cases); k++) {
        built b = built_cases[k];
        other_calls(&b);
        b.amplitude = 1;
        other_calls(&b);
    }
}

#if !SANITIZED
/* Proves that no call takes more than 48 KB of stack, also where it reaches the exact level.
   Each call runs with the plan and the position of a case that reaches it, and with one that
   needs all limbs. */
static void *deepest_calls(void *argument)
{
    static float f32[64];
    static double f64[64];
    static uint16_t h[64], g[64];
    const built *const b = (const built *)argument;
    const pe_at at = pe_at_f64(&b->t);
    const pe_heads one = {1, 2, 2};
    static unsigned char memory[4096];
    static pe_plan plan;
    pe_config c = config_of_built(b);
    int bad = pe_plan_init_frequencies(&plan, &c, &b->w, 1, memory, sizeof memory) != PE_OK;
    bad |= pe_fill_f64(&plan, at, 1, f64, 2) != PE_OK;
    bad |= pe_add_batch_f32(&plan, at, 1, 2, 1, f32, 2, 2) != PE_OK;
    bad |= pe_add_batch_f64(&plan, at, 1, 2, 1, f64, 2, 2) != PE_OK;
    bad |= pe_add_batch_bf16(&plan, at, 1, 2, 1, h, 2, 2) != PE_OK;
    bad |= pe_fill_f16(&plan, at, 1, h, 2) != PE_OK;
    bad |= pe_shift_f32(&plan, at, 1, f32, 2) != PE_OK;
    bad |= pe_shift_f64(&plan, at, 1, f64, 2) != PE_OK;
    bad |= pe_shift_bf16(&plan, at, 1, h, 2) != PE_OK;
    bad |= pe_dot_f64(&plan, at, 1, f64) != PE_OK;
    bad |= pe_rope_qk_f32(&plan, at, 1, f32, one, f32 + 8, one) != PE_OK;
    bad |= pe_rope_qk_f16(&plan, at, 1, h, one, g, one) != PE_OK;
    bad |= pe_plan_wavelengths(&plan, f64) != PE_OK;
    c = pe_config_default(4);
    c.base = 9, c.scale = 3 + 3.0 / 16777216, c.angle = PE_ANGLE_FLOAT32;
    bad |= pe_plan_init(&plan, &c, memory, sizeof memory) != PE_OK;
    return bad ? argument : NULL;
}
#endif

static void stack_of_the_exact_level(void **state)
{
    (void)state;
#if !SANITIZED
    painted p;
    size_t most = 0;
    stack_open(&p);
    for (int k = 0; k < 6; k++) {
        built b = built_cases[k];
        b.amplitude = k < 5 ? 1 : b.amplitude;
        assert_null(deepest_calls(&b));
        assert_null(stack_run(&p, deepest_calls, &b));
        const size_t used = stack_used(&p);
        most = used > most ? used : most;
    }
    stack_close(&p);
    printf("             the deepest call takes %zu bytes of stack\n", most);
    fflush(stdout);
    assert_in_range(most, 8000, 49152 + 1024); /* 1024: for deepest_calls() itself */
#endif
}

static int report(void **state)
{
    (void)state;
    printf("checked: %" PRIu64 " elements; MPFR had to try again %" PRIu64 " times\n", elements,
           raised);
    return 0;
}

/* Prints the cases that tests/unit/built.h keeps. */
static void print_built(void)
{
    rng r = {7};
    for (int n = 0; n < 96; n++) {
        built b;
        if (n % 2) near_by_product(&r, n / 2 + 2, n / 2 % 2, n % 8 == 7, &b);
        else near_by_amplitude(&r, n / 2 + 1, &formats[n / 2 % FORMATS], &b);
        printf("    {%.17g, %.17g, %.17g, %d},\n", b.w, b.t, b.amplitude, b.half_turns);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_cases_are_right),
        cmocka_unit_test(products_next_to_middles),
        cmocka_unit_test(amplitudes_next_to_middles),
        cmocka_unit_test(ties_of_half_turns),
        cmocka_unit_test(ties_of_tiny_angles),
        cmocka_unit_test(ties_of_float_frequencies),
        cmocka_unit_test(frequencies_that_are_hard),
        cmocka_unit_test(ends_of_the_positions),
        cmocka_unit_test(ends_of_the_ranges),
        cmocka_unit_test(smallest_numbers),
        cmocka_unit_test(zeros_of_tiny_amplitudes),
        cmocka_unit_test(other_calls_have_the_same_values),
        cmocka_unit_test(stack_of_the_exact_level),
    };
    if (argc > 1 && strcmp(argv[1], "built") == 0) {
        print_built();
        return 0;
    }
    test_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, report);
}
