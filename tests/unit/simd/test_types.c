/* SPDX-License-Identifier: MIT */
/*
 * Proves the operations on floats of pe_simd.h that the 16-bit types rest on. Every bf16 and f16 is
 * widened exactly. Floats are rounded to them once, to nearest even, in every mode of flushing
 * subnormals and every rounding mode. A product is rounded before a sum is. Rounding to odd first
 * gives the same as one rounding.
 *
 * The value of a 16-bit number is computed here from its three fields. What a float rounds to is
 * found by walking along these values. It is the nearest, and at a midpoint the one with the even
 * code. PE_LONG=1 goes through all 2^32 floats.
 */
#include "../types.h"

#include "pe_simd.h"

enum { FLOATS = 2 * PE_LANES };

static pe__vf get_bf16(const uint16_t *p) { return pe__get_bf16(p); }
static pe__vf get_f16(const uint16_t *p) { return pe__get_f16(p); }
static void put_bf16(uint16_t *p, pe__vf v) { pe__put_bf16(p, v); }
static void put_f16(uint16_t *p, pe__vf v) { pe__put_f16(p, v); }

/* Holds a 16-bit type and the operations on it. */
typedef struct format {
    const type_format *is;
    pe__vf (*get)(const uint16_t *);
    void (*put)(uint16_t *, pe__vf);
} format;

static const format formats[] = {
    {&type_formats[BF16], get_bf16, put_bf16},
    {&type_formats[F16], get_f16, put_f16},
};

/* ------------------------------------------------------------------------------------------------
 * Widening
 * --------------------------------------------------------------------------------------------- */

static void check_widened(const format *f, uint16_t code, float got)
{
    const uint32_t size = code & 0x7fffu;
    float want;
    if (size > f->is->infinity) {
        if (!isnan(got) || !signbit(got) != !(code & 0x8000))
            fail_msg("%s 0x%04x: got %a, want a NaN of its sign", f->is->name, code, (double)got);
        return;
    }
    want = size == f->is->infinity ? HUGE_VALF : (float)half_magnitude(f->is->exponent_bits, size);
    want = code & 0x8000 ? -want : want;
    if (bits_of(got) != bits_of(want))
        fail_msg("%s 0x%04x: got %a, want %a", f->is->name, code, (double)got, (double)want);
}

/* Tests each code in each lane, read from an address that is aligned only for its type. */
static void all_codes_are_widened(void **state)
{
    (void)state;
    for (size_t t = 0; t < LENGTH(formats); t++)
        for (uint32_t code = 0; code < 0x10000; code++) {
            uint16_t in[FLOATS + 1];
            float out[FLOATS];
            for (uint32_t k = 0; k < FLOATS; k++) in[k + 1] = (uint16_t)(code + k * 4099);
            pe__put(out, formats[t].get(in + 1));
            for (uint32_t k = 0; k < FLOATS; k++) check_widened(&formats[t], in[k + 1], out[k]);
        }
}

/* ------------------------------------------------------------------------------------------------
 * Rounding
 * --------------------------------------------------------------------------------------------- */

/* Collects FLOATS floats and the codes that they have to become. batch_run() passes all of them
   through put, and compares. */
typedef struct batch {
    const format *f;
    size_t n; /* how many floats are collected so far */
    uint32_t in[FLOATS];
    uint16_t want[FLOATS];
} batch;

static void batch_run(batch *b)
{
    float in[FLOATS + 1];
    uint16_t out[FLOATS + 3];
    memset(out, CANARY, sizeof out);
    for (size_t k = 0; k < FLOATS; k++) memcpy(in + 1 + k, &b->in[k < b->n ? k : 0], sizeof *in);
    b->f->put(out + 1, pe__get(in + 1));
    for (size_t k = 0; k < b->n; k++)
        if (out[k + 1] != b->want[k])
            fail_msg("%s of 0x%08x = %a: got 0x%04x, want 0x%04x", b->f->is->name, b->in[k],
                     (double)float_of(b->in[k]), out[k + 1], b->want[k]);
    assert_true(all_canaries(out, 2) && all_canaries(out + FLOATS + 1, 4));
    b->n = 0;
}

static void batch_add(batch *b, uint32_t bits, uint16_t want)
{
    b->in[b->n] = bits;
    b->want[b->n++] = want;
    if (b->n == FLOATS) batch_run(b);
}

/* Checks every step-th positive float in ascending order, and its negative. */
static void walk(const format *f, uint32_t first, uint32_t step)
{
    uint32_t code = 0;
    double middle = half_middle(f->is->exponent_bits, 0);
    batch b;
    b.f = f, b.n = 0;
    for (uint32_t bits = first; bits <= 0x7f800000; bits += step) {
        const double size = bits == 0x7f800000 ? HUGE_VAL : (double)float_of(bits);
        while (code < f->is->infinity && (size > middle || (size == middle && code % 2 == 1))) {
            code++;
            middle = code < f->is->infinity ? half_middle(f->is->exponent_bits, code) : HUGE_VAL;
        }
        batch_add(&b, bits, (uint16_t)code);
        batch_add(&b, bits | 0x80000000u, (uint16_t)(code | 0x8000));
    }
    for (uint32_t bits = 0x7f800001 + first; bits < 0x80000000u; bits += step) {
        batch_add(&b, bits, f->is->nan);
        batch_add(&b, bits | 0x80000000u, (uint16_t)(f->is->nan | 0x8000));
    }
    batch_run(&b);
}

static void floats_are_rounded(void **state)
{
    (void)state;
    for (size_t t = 0; t < LENGTH(formats); t++)
        if (test_this_run()->is_long) {
            walk(&formats[t], 0, 1);
        } else {
            const uint32_t step = test_this_run()->is_quick ? 4093 : 251;
            for (uint32_t k = 0; k < 3; k++) walk(&formats[t], k * (step / 3), step);
        }
}

/* Checks the floats around every value and around every midpoint, the ends of the range, and
   NaNs. */
static void check_neighbourhoods(const format *f)
{
    static const uint32_t others[] = {0, 1, 2, 0x007fffff, 0x00800000, 0x7f7fffff, 0x7f800000};
    static const uint32_t nans[] = {0x7f800001, 0x7fbfffff, 0x7fc00000, 0x7fffffff, 0x7f800200};
    batch b;
    b.f = f, b.n = 0;
    for (uint32_t code = 0; code < f->is->infinity; code++)
        for (int which = 0; which < 2; which++) {
            const double value = half_magnitude(f->is->exponent_bits, code);
            const uint32_t at =
                bits_of((float)(which ? half_middle(f->is->exponent_bits, code) : value));
            for (uint32_t k = 0; k < 7; k++)
                if (at + k >= 3) {
                    const uint32_t bits = at + k - 3;
                    const uint16_t want = nearest_16(f->is, (double)float_of(bits));
                    batch_add(&b, bits, want);
                    batch_add(&b, bits | 0x80000000u, (uint16_t)(want | 0x8000));
                }
        }
    for (size_t k = 0; k < LENGTH(others); k++) {
        const uint16_t want = nearest_16(f->is, (double)float_of(others[k]));
        batch_add(&b, others[k], want);
        batch_add(&b, others[k] | 0x80000000u, (uint16_t)(want | 0x8000));
    }
    for (size_t k = 0; k < LENGTH(nans); k++) {
        batch_add(&b, nans[k], f->is->nan);
        batch_add(&b, nans[k] | 0x80000000u, (uint16_t)(f->is->nan | 0x8000));
    }
    batch_run(&b);
}

static void neighbours_of_midpoints_are_rounded(void **state)
{
    (void)state;
    for (size_t t = 0; t < LENGTH(formats); t++) check_neighbourhoods(&formats[t]);
}

/* Proves that the codes are the same with subnormals flushed and, on x86, in any rounding mode.
   The expected codes are computed in the usual modes, so they are stored first. */
static void no_mode_changes_the_rounding(void **state)
{
    enum { N = 1 << 14 };
    static float in[N];
    static uint16_t want[N], got[N];
    static float wide[N];
    rng r = rng_for("no_mode_changes_the_rounding");
    (void)state;
    for (size_t t = 0; t < LENGTH(formats); t++) {
        const format *f = &formats[t];
        for (size_t k = 0; k < N; k++) {
            /* half of them anywhere, half where f16 and bf16 have their subnormals */
            const uint64_t bits = rng_next(&r);
            uint32_t x = (uint32_t)bits & 0xffffffffu;
            if (bits >> 63)
                x = (x & 0x807fffff) | ((bits >> 40 & 1 ? 0 : 95) + ((uint32_t)(bits >> 41) & 31))
                                           << 23;
            in[k] = float_of(x);
            want[k] = isnan(in[k]) ? (uint16_t)(f->is->nan | (signbit(in[k]) ? 0x8000 : 0))
                                   : nearest_16(f->is, (double)in[k]);
        }
        for (int mode = 0; mode < 5; mode++) {
            static const int modes[] = {FE_TONEAREST, FE_TONEAREST, FE_UPWARD, FE_DOWNWARD,
                                        FE_TOWARDZERO};
#if !defined(__SSE2__)
            if (mode >= 2) continue;
#endif
            fesetround(modes[mode]);
            (void)flush_subnormals(mode == 1);
            for (size_t k = 0; k < N; k += FLOATS) {
                f->put(got + k, pe__get(in + k));
                pe__put(wide + k, f->get(want + k));
            }
            (void)flush_subnormals(0);
            fesetround(FE_TONEAREST);
            for (size_t k = 0; k < N; k++) {
                if (got[k] != want[k])
                    fail_msg("%s of %a in mode %d: got 0x%04x, want 0x%04x", f->is->name,
                             (double)in[k], mode, got[k], want[k]);
                check_widened(f, want[k], wide[k]);
            }
        }
    }
}

/* ------------------------------------------------------------------------------------------------
 * Products and sums; rounding to odd
 * --------------------------------------------------------------------------------------------- */

typedef struct exact {
    mpfr_t a, b, c, r;
} exact;

static void exact_make(exact *e) { mpfr_inits2(700, e->a, e->b, e->c, e->r, (mpfr_ptr)NULL); }
static void exact_free(exact *e) { mpfr_clears(e->a, e->b, e->c, e->r, (mpfr_ptr)NULL); }

static float product_of(exact *e, float a, float b)
{
    mpfr_set_flt(e->a, a, MPFR_RNDN);
    mpfr_set_flt(e->b, b, MPFR_RNDN);
    mpfr_mul(e->r, e->a, e->b, MPFR_RNDN);
    return mpfr_get_flt(e->r, MPFR_RNDN);
}
static double product_of_doubles(exact *e, double a, double b)
{
    mpfr_set_d(e->a, a, MPFR_RNDN);
    mpfr_set_d(e->b, b, MPFR_RNDN);
    mpfr_mul(e->r, e->a, e->b, MPFR_RNDN);
    return mpfr_get_d(e->r, MPFR_RNDN);
}

static float random_float(rng *r, int low, int high) /* low ... high: its exponent */
{
    const uint64_t bits = rng_next(r);
    const float x = (float)ldexp((double)(0x800000 | (bits & 0x7fffff)),
                                 low + (int)((bits >> 32) % (uint64_t)(high - low + 1)) - 23);
    return bits >> 63 ? -x : x;
}

static double random_double(rng *r, int low, int high) /* low ... high: its exponent */
{
    const uint64_t bits = rng_next(r), m = rng_next(r) & 0xfffffffffffff;
    const double x = ldexp((double)(0x10000000000000 | m),
                           low + (int)((bits >> 32) % (uint64_t)(high - low + 1)) - 52);
    return bits >> 63 ? -x : x;
}

/* Checks a b + c d and a b - c d of floats, and check_products_f64() a b + c d of doubles. Each
   product and the sum must be rounded, so nothing may be fused. */
static void check_products(exact *e, const float *a, const float *b, const float *c, const float *d)
{
    float sum[FLOATS], difference[FLOATS], all[FLOATS];
    const pe__vf p = pe__mul_f32(pe__get(a), pe__get(b)), q = pe__mul_f32(pe__get(c), pe__get(d));
    pe__put(sum, pe__add_f32(p, q));
    pe__put(difference, pe__sub_f32(p, q));
    pe__put(all, pe__splat_f32(a[0]));
    for (size_t k = 0; k < FLOATS; k++) {
        assert_true(bits_of(all[k]) == bits_of(a[0]));
        const float u = product_of(e, a[k], b[k]), v = product_of(e, c[k], d[k]);
        for (int minus = 0; minus < 2; minus++) {
            const float got = minus ? difference[k] : sum[k];
            mpfr_set_flt(e->a, u, MPFR_RNDN);
            mpfr_set_flt(e->b, v, MPFR_RNDN);
            if (minus) mpfr_sub(e->r, e->a, e->b, MPFR_RNDN);
            else mpfr_add(e->r, e->a, e->b, MPFR_RNDN);
            const float want = mpfr_get_flt(e->r, MPFR_RNDN);
            if (isnan(want) ? !isnan(got) : bits_of(got) != bits_of(want))
                fail_msg("%a * %a %c %a * %a: got %a, want %a", (double)a[k], (double)b[k],
                         minus ? '-' : '+', (double)c[k], (double)d[k], (double)got, (double)want);
        }
    }
}
static void check_products_f64(exact *e, const double *a, const double *b, const double *c,
                               const double *d)
{
    double sum[PE_LANES];
    pe__store(sum, pe__mul(pe__load(a), pe__load(b)) + pe__mul(pe__load(c), pe__load(d)));
    for (size_t k = 0; k < PE_LANES; k++) {
        const double u = product_of_doubles(e, a[k], b[k]), v = product_of_doubles(e, c[k], d[k]);
        mpfr_set_d(e->a, u, MPFR_RNDN);
        mpfr_set_d(e->b, v, MPFR_RNDN);
        mpfr_add(e->r, e->a, e->b, MPFR_RNDN);
        const double want = mpfr_get_d(e->r, MPFR_RNDN);
        if (isnan(want) ? !isnan(sum[k]) : memcmp(&sum[k], &want, sizeof want))
            fail_msg("%a * %a + %a * %a: got %a, want %a", a[k], b[k], c[k], d[k], sum[k], want);
    }
}

/* Tests sums of any products, of products that nearly cancel, of subnormal products, and of
   products near overflow, and also special values: zeros, infinities and the largest float. */
static void products_and_sums_are_each_rounded(void **state)
{
    static const float special[] = {0.0f,       -0.0f,     1.0f,       -1.0f,           HUGE_VALF,
                                    -HUGE_VALF, 0x1p-149f, -0x1p-126f, 0x1.fffffep127f, 3.0f};
    const size_t n = LENGTH(special);
    rng r = rng_for("products_and_sums_are_each_rounded");
    float f[4][FLOATS];
    double g[4][PE_LANES];
    exact e;
    (void)state;
    mpfr_inits2(4500, e.a, e.b, e.c, e.r, (mpfr_ptr)NULL);
    for (size_t k = 0; k < workload(200000) / FLOATS; k++) {
        for (size_t lane = 0; lane < FLOATS; lane++) {
            const uint64_t kind = rng_next(&r) % 5;
            const int low = kind == 1 ? -80 : kind == 2 ? 60 : -9;
            const int high = kind == 1 ? -60 : kind == 2 ? 65 : 9;
            for (size_t x = 0; x < 4; x++)
                f[x][lane] = kind == 0 ? float_of((uint32_t)(rng_next(&r) & 0xff7fffff))
                                       : random_float(&r, low, high);
            if (kind == 3) f[2][lane] = -f[0][lane], f[3][lane] = f[1][lane] * (1 + 0x1p-23f);
        }
        check_products(&e, f[0], f[1], f[2], f[3]);
        for (size_t lane = 0; lane < PE_LANES; lane++) {
            const uint64_t kind = rng_next(&r) % 5;
            const int low = kind == 0 ? -1074 : kind == 1 ? -560 : kind == 2 ? 505 : -9;
            const int high = kind == 0 ? 1023 : kind == 1 ? -500 : kind == 2 ? 513 : 9;
            for (size_t x = 0; x < 4; x++) g[x][lane] = random_double(&r, low, high);
            if (kind == 3) g[2][lane] = -g[0][lane], g[3][lane] = g[1][lane] * (1 + DBL_EPSILON);
        }
        check_products_f64(&e, g[0], g[1], g[2], g[3]);
    }
    for (size_t k = 0; k < n * n * n; k++) {
        for (size_t lane = 0; lane < FLOATS; lane++) {
            f[0][lane] = special[k % n], f[1][lane] = special[k / n % n];
            f[2][lane] = special[k / n / n], f[3][lane] = 1;
        }
        check_products(&e, f[0], f[1], f[2], f[3]);
    }
    exact_free(&e);
}

/* Tests doubles on and next to the midpoint of two codes. First pe__zip_odd() rounds them to odd,
   as floats. Rounding these to codes must then be the same as rounding once. */
static void doubles_are_rounded_once(void **state)
{
    rng r = rng_for("doubles_are_rounded_once");
    (void)state;
    for (size_t t = 0; t < LENGTH(formats); t++) {
        const format *f = &formats[t];
        for (uint32_t n = 0; n < workload(200000) / FLOATS; n++) {
            double in[2][PE_LANES];
            uint16_t want[FLOATS], got[FLOATS];
            for (size_t k = 0; k < FLOATS; k++) {
                const uint32_t first = f->is->exponent_bits == 8 ? 0x80 : 1; /* normal floats */
                const uint32_t code = first + (uint32_t)rng_below(&r, f->is->infinity - first);
                const double middle = half_middle(f->is->exponent_bits, code);
                const double gap = 2 * (middle - half_magnitude(f->is->exponent_bits, code));
                const double off = gap * ldexp(1.0, -(int)(1 + rng_below(&r, 50)));
                const int side = (int)rng_below(&r, 3) - 1;
                const double x = middle + side * off;
                const int negative = (int)rng_below(&r, 2);
                const int up = x > middle || (x == middle && code % 2 == 1);
                in[k % 2][k / 2] = negative ? -x : x;
                want[k] = (uint16_t)((negative ? 0x8000u : 0) | (code + (up ? 1u : 0)));
            }
            f->put(got, pe__zip_odd(pe__load(in[0]), pe__load(in[1])));
            for (size_t k = 0; k < FLOATS; k++)
                if (got[k] != want[k])
                    fail_msg("%s of %a: got 0x%04x, want 0x%04x", f->is->name, in[k % 2][k / 2],
                             got[k], want[k]);
        }
    }
}

/* Return the pair of column j in a row of d columns, and whether the column is its cosine. */
static size_t pair_of(const pe_config *config, size_t j, size_t d)
{
    return config->layout == PE_LAYOUT_HALVES ? j % (d / 2) : j / 2;
}
static int is_cosine(const pe_config *config, size_t j, size_t d)
{
    const int second = config->layout == PE_LAYOUT_HALVES ? j >= d / 2 : j % 2 != 0;
    return second != config->cos_first;
}

/* Returns a frequency with which the sine or cosine at position p is want + more, as nearly as a
   double allows: (asin or acos of that + 2 pi turns) / p. Fewer turns give a nearer result, because
   the angle has more bits after the point. */
static double omega_for(exact *e, int cosine, double want, double more, uint64_t turns, int64_t p)
{
    mpfr_set_d(e->a, want, MPFR_RNDN);
    mpfr_add_d(e->a, e->a, more, MPFR_RNDN);
    if (cosine) mpfr_acos(e->b, e->a, MPFR_RNDN);
    else mpfr_asin(e->b, e->a, MPFR_RNDN);
    mpfr_const_pi(e->c, MPFR_RNDN);
    mpfr_mul_ui(e->c, e->c, 2 * (unsigned long)turns, MPFR_RNDN);
    mpfr_add(e->b, e->b, e->c, MPFR_RNDN);
    mpfr_div_ui(e->b, e->b, (unsigned long)p, MPFR_RNDN);
    return mpfr_get_d(e->b, MPFR_RNDN);
}

static uint64_t some_turns(rng *r, int64_t p)
{
    return rng_below(r, 4) ? rng_below(r, (uint64_t)p / 2 + 1) : 0;
}

/* Computes e->b, the amplitude times the sine or cosine of p omega. */
static void true_element(exact *e, int cosine, double omega, int64_t p, double amplitude)
{
    mpfr_set_d(e->a, omega, MPFR_RNDN);
    mpfr_mul_si(e->a, e->a, (long)p, MPFR_RNDN);
    if (cosine) mpfr_cos(e->b, e->a, MPFR_RNDN);
    else mpfr_sin(e->b, e->a, MPFR_RNDN);
    mpfr_mul_d(e->b, e->b, amplitude, MPFR_RNDN);
}

/* Returns x rounded to odd, in 53 bits. */
static double rounded_to_odd(const mpfr_t x)
{
    double odd = mpfr_get_d(x, MPFR_RNDZ);
    uint64_t bits;
    memcpy(&bits, &odd, sizeof bits);
    bits |= mpfr_cmp_d(x, odd) != 0;
    memcpy(&odd, &bits, sizeof bits);
    return odd;
}

/* Returns a midpoint of two 16-bit numbers below 1. It is in the given binade, or it is one of
   the two midpoints beside the power of two where the binade begins. These two are not equally
   far from that power. */
static double some_midpoint(const type_format *f, rng *r, int binade)
{
    const uint32_t power = nearest_16(f, ldexp(1, -binade));
    const size_t codes = rng_below(r, 2) ? 2 : (size_t)1 << f->fraction_bits;
    const uint32_t code = power - 1 + (uint32_t)rng_below(r, codes);
    return half_middle(f->exponent_bits, code);
}

/* Tests rows of tables with elements that are built beside midpoints of 16-bit numbers. They are
   as near as a frequency allows, within what double arithmetic cannot tell apart, or within what
   float arithmetic cannot tell apart. In a third of the rows all sines are small: beside a large
   sine, the rounding test would flag the small one anyway. */
static void elements_beside_midpoints(void **state)
{
    enum { PAIRS = 48, WIDTH = 2 * PAIRS, ROWS = 48, BYTES = 1 << 17 };
    rng r = rng_for("elements_beside_midpoints");
    double *memory = (double *)must_alloc(BYTES);
    uint16_t *table = (uint16_t *)must_alloc(ROWS * WIDTH * sizeof *table);
    exact e;
    (void)state;
    exact_make(&e);
    for (size_t round = 0; round < workload(4000); round++) {
        const type t = round % 2 ? F16 : BF16;
        const type_format *f = &type_formats[t];
        const int64_t p = 1 + (int64_t)rng_below(&r, rng_below(&r, 2) ? 3000 : 2000000000);
        const int64_t first = p - (int64_t)rng_below(&r, ROWS);
        const int all_small = round % 3 ? 0 : 1 + (int)rng_below(&r, 14);
        double omega[PAIRS];
        pe_config config = pe_config_default(WIDTH);
        pe_plan plan;
        config.layout = round % 4 >= 2 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
        config.cos_first = round % 5 >= 3;
        config.amplitude = round % 8 == 6 ? 0.7 : 1;
        for (size_t i = 0; i < PAIRS; i++) {
            const int kind = (int)rng_below(&r, 3);
            double want;
            do {
                const int binade =
                    all_small ? all_small + (int)rng_below(&r, 2) : (int)rng_below(&r, 16);
                want = some_midpoint(f, &r, binade) / config.amplitude;
            } while (want >= 1);
            /* the distance from the midpoint, absolute or relative to the element */
            double more = kind == 0 ? 0 : ldexp(rng_unit(&r) - 0.5, kind == 1 ? -22 : -48);
            if (rng_below(&r, 2)) more *= want;
            if (want + more > 1) more = 0;
            omega[i] = omega_for(&e, all_small ? 0 : (int)rng_below(&r, 2), want, more,
                                 all_small ? 0 : some_turns(&r, p), p);
        }
        assert_int_equal(pe_plan_init_frequencies(&plan, &config, omega, PAIRS, memory, BYTES),
                         PE_OK);
        assert_int_equal(t == F16 ? pe_fill_f16(&plan, pe_from(first), ROWS, table, WIDTH)
                                  : pe_fill_bf16(&plan, pe_from(first), ROWS, table, WIDTH),
                         PE_OK);
        for (size_t j = 0; j < WIDTH; j++) {
            const size_t i = pair_of(&config, j, WIDTH);
            true_element(&e, is_cosine(&config, j, WIDTH), omega[i], p, config.amplitude);
            const uint16_t got = table[(size_t)(p - first) * WIDTH + j];
            const uint16_t want = nearest_16(f, rounded_to_odd(e.b));
            if (got != want)
                fail_msg("%s: position %lld, omega %a: %04x, not %04x", f->name, (long long)p,
                         omega[i], got, want);
        }
    }
    exact_free(&e);
    free(table);
    free(memory);
}

/* Tests sums that are built beside midpoints of 16-bit numbers, and on them. They are as near as
   a frequency allows, or within what floats cannot tell apart. Some are just above a power of
   two, where the midpoint below is nearer than the one above. Only one pair in 32 is built so, so
   that the rounding test flags its vector because of this pair and no other. */
static void sums_beside_midpoints(void **state)
{
    enum { PAIRS = 128, MOST = 2 * PAIRS, ROWS = 20, BYTES = 1 << 18 };
    static const size_t widths[] = {32, 64, 50, 128};
    static const float scales[] = {1, 1, 0.5f, 22.627417f, -3};
    static const double amplitudes[] = {1, 1, 0.7, 37, 1, 0x1p-95, 0x1p95};
    rng r = rng_for("sums_beside_midpoints");
    double *memory = (double *)must_alloc(BYTES);
    uint16_t *x = (uint16_t *)must_alloc(2 * ROWS * MOST * sizeof *x), *y = x + ROWS * MOST;
    float *pe = (float *)must_alloc(ROWS * MOST * sizeof *pe);
    exact e;
    (void)state;
    exact_make(&e);
    for (size_t round = 0; round < workload(4000); round++) {
        const type t = round % 4 ? BF16 : F16;
        const type_format *f = &type_formats[t];
        const size_t pairs = widths[rng_below(&r, LENGTH(widths))], d = 2 * pairs;
        const int64_t p = 1 + (int64_t)rng_below(&r, rng_below(&r, 2) ? 3000 : 2000000000);
        const int64_t first = p - (int64_t)rng_below(&r, ROWS);
        const size_t row = (size_t)(p - first) * d;
        const float scale = scales[rng_below(&r, LENGTH(scales))];
        double omega[PAIRS];
        pe_config config = pe_config_default(d);
        pe_plan plan;
        config.layout = rng_below(&r, 2) ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
        config.cos_first = (int)rng_below(&r, 2);
        config.amplitude = amplitudes[rng_below(&r, LENGTH(amplitudes))];
        for (size_t i = 0; i < ROWS * d; i++) /* in half of the rows one element may be anything */
            x[i] = i % d == 5 && i / d % 2 ? (uint16_t)rng_next(&r)
                                           : nearest_16(f, (rng_unit(&r) - 0.5) * 8);
        for (size_t i = 0; i < pairs; i++) {
            omega[i] = rng_unit(&r) * 4;
            if (i % 32 != round % 32) continue;
            const int cosine = (int)rng_below(&r, 2), kind = (int)rng_below(&r, 4);
            const int second = cosine != config.cos_first;
            double of_x, want;
            do { /* the element whose sum with scale * x is beside a midpoint */
                const uint16_t h =
                    nearest_16(f, (rng_unit(&r) - 0.5) * ldexp(1, (int)rng_below(&r, 8)));
                const double aim = rng_below(&r, 2)
                                       ? ldexp(1 + rng_unit(&r), -(int)rng_below(&r, 14))
                                       : ldexp(1, -(int)rng_below(&r, 18));
                const uint32_t code = nearest_16(f, aim) - (uint32_t)rng_below(&r, 2);
                const double size = half_middle(f->exponent_bits, code);
                x[row + (config.layout == PE_LAYOUT_HALVES ? i + (second ? pairs : 0)
                                                           : 2 * i + (size_t)second)] = h;
                of_x = (double)product_f32(scale, (float)value(t, &h, 0));
                want = ((rng_below(&r, 2) ? size : -size) - of_x) / config.amplitude;
                if (config.amplitude < 1e-9 || config.amplitude > 1e9) want = rng_unit(&r) - 0.5;
            } while (!(fabs(want) < 0.9999));
            const double more =
                kind == 0 ? 0 : ldexp(rng_unit(&r) - 0.5, kind == 3 ? -48 : -21 - 2 * kind);
            omega[i] = omega_for(&e, cosine, want, more, some_turns(&r, p), p);
        }
        assert_int_equal(pe_plan_init_frequencies(&plan, &config, omega, pairs, memory, BYTES),
                         PE_OK);
        assert_int_equal(pe_fill_f32(&plan, pe_from(first), ROWS, pe, d), PE_OK);
        for (size_t j = 0; j < d; j++) { /* the expected elements of this row come from MPFR */
            const double of_pair = omega[pair_of(&config, j, d)];
            true_element(&e, is_cosine(&config, j, d), of_pair, p, config.amplitude);
            pe[row + j] = mpfr_get_flt(e.b, MPFR_RNDN);
        }
        memcpy(y, x, ROWS * d * sizeof *x);
        assert_int_equal(t == F16 ? pe_add_f16(&plan, pe_from(first), ROWS, scale, y, d)
                                  : pe_add_bf16(&plan, pe_from(first), ROWS, scale, y, d),
                         PE_OK);
        for (size_t j = 0; j < ROWS * d; j++) {
            const float product = product_f32(scale, (float)value(t, x, j));
            mpfr_set_flt(e.a, product, MPFR_RNDN);
            mpfr_add_d(e.a, e.a, (double)pe[j], MPFR_RNDN); /* exact */
            const float sum = mpfr_get_flt(e.a, MPFR_RNDN);
            if (isnan(sum) ? (y[j] & 0x7fff) <= f->infinity : y[j] != nearest_16(f, (double)sum))
                fail_msg("%s: %a * %a + %a: got %04x, not %04x", f->name, (double)scale,
                         value(t, x, j), (double)pe[j], y[j], nearest_16(f, (double)sum));
        }
    }
    exact_free(&e);
    free(pe);
    free(x);
    free(memory);
}

/* Tests tables in which some consecutive rows nearly cancel when they are added. Float arithmetic
   leaves most of those sums undecided, and none of the sums before and after. The code changes to
   another way of adding when it meets such rows, and back after them. */
static void sums_that_cancel(void **state)
{
    enum { ROWS = 400, MOST = 600, BYTES = 1 << 18 };
    static const size_t widths[] = {600, 512, 256, 40};
    double *memory = (double *)must_alloc(BYTES);
    uint16_t *x = (uint16_t *)must_alloc(2 * ROWS * MOST * sizeof *x), *y = x + ROWS * MOST;
    float *pe = (float *)must_alloc(ROWS * MOST * sizeof *pe);
    rng r = rng_for("sums_that_cancel");
    (void)state;
    for (size_t round = 0; round < 16; round++) {
        const type t = round % 4 == 3 ? F16 : BF16;
        const type_format *f = &type_formats[t];
        const size_t d = widths[round / 4], begin = rng_below(&r, 60),
                     end = 100 + rng_below(&r, 200);
        const pe_at at = pe_from_by(-200 + (int64_t)rng_below(&r, 100000), round % 3 ? 1 : -1);
        const float scale = round % 2 ? 1 : 2;
        pe_config config = pe_config_default(d);
        pe_plan plan;
        config.layout = round & 4 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
        config.cos_first = round & 1;
        assert_int_equal(pe_plan_init(&plan, &config, memory, BYTES), PE_OK);
        assert_int_equal(pe_fill_f32(&plan, at, ROWS, pe, d), PE_OK);
        for (size_t i = 0; i < ROWS * d; i++) {
            const int cancels = i / d >= begin && i / d < end;
            x[i] = nearest_16(f, cancels ? -(double)pe[i] / (double)scale : rng_unit(&r) * 4);
        }
        memcpy(y, x, ROWS * d * sizeof *x);
        assert_int_equal(t == F16 ? pe_add_f16(&plan, at, ROWS, scale, y, d)
                                  : pe_add_bf16(&plan, at, ROWS, scale, y, d),
                         PE_OK);
        for (size_t i = 0; i < ROWS * d; i++) {
            const float sum = product_f32(scale, (float)value(t, x, i)) + pe[i];
            if (y[i] != nearest_16(f, (double)sum))
                fail_msg("%s: %a * %a + %a: got %04x, not %04x", f->name, (double)scale,
                         value(t, x, i), (double)pe[i], y[i], nearest_16(f, (double)sum));
        }
    }
    free(pe);
    free(x);
    free(memory);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_codes_are_widened),
        cmocka_unit_test(floats_are_rounded),
        cmocka_unit_test(neighbours_of_midpoints_are_rounded),
        cmocka_unit_test(no_mode_changes_the_rounding),
        cmocka_unit_test(products_and_sums_are_each_rounded),
        cmocka_unit_test(doubles_are_rounded_once),
        cmocka_unit_test(elements_beside_midpoints),
        cmocka_unit_test(sums_beside_midpoints),
        cmocka_unit_test(sums_that_cancel),
    };
    test_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
