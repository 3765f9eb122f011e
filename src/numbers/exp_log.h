/* SPDX-License-Identifier: MIT */
/* exp and log in triple-double, log2 as a double.
 * Gives: pe__exp2i(), pe__frexp(), pe__inverse_factorial, pe__inverse_pi, pe__ln2, pe__log2(),
 *   pe__pi, pe__td_exp(), pe__td_log().
 * Needs: simd.
 * Tests: tests/unit/test_budget.c. */
#pragma once
#include "../pe_simd.h"
#include "double_double.h"

/* ---- 5.2 elementary functions in triple-double ----------------------------------------------- */

static const double pe__inverse_pi[3] = {0.3183098861837907, -1.9678676675182486e-17,
                                         -1.0721436282893004e-33};
static const double pe__pi[3] = {3.141592653589793, 1.2246467991473532e-16,
                                 -2.9947698097183397e-33};
static const double pe__ln2[3] = {0.6931471805599453, 2.3190468138462996e-17,
                                  5.707708438416212e-34};

/* 2^k for -1022 <= k <= 1023. */
PE__INLINE double pe__exp2i(int k)
{
    const uint64_t bits = (uint64_t)(k + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Split a normal x into m, 0.5 <= |m| < 1, and e with x = m * 2^e. */
PE__INLINE double pe__frexp(double x, int *e)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    *e = (int)(bits >> 52 & 0x7ff) - 1022;
    bits = (bits & 0x800fffffffffffffu) | ((uint64_t)1022 << 52);
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* 1 / n!, as far as their digits are needed: three doubles for n < 6, two for n < 16. */
static const double pe__inverse_factorial[28][3] = {
    {1.0}, {1.0}, {0.5},
    {0.16666666666666666, 9.25185853854297e-18, 5.135813185032629e-34},
    {0.041666666666666664, 2.3129646346357427e-18, 1.2839532962581572e-34},
    {0.008333333333333333, 1.1564823173178714e-19, 1.6049416203226965e-36},
    {0.001388888888888889, -5.300543954373577e-20}, {0.0001984126984126984, 1.7209558293420705e-22},
    {2.48015873015873e-5, 2.1511947866775882e-23}, {2.7557319223985893e-6, -1.858393274046472e-22},
    {2.755731922398589e-7, 2.3767714622250297e-23}, {2.505210838544172e-8, -1.448814070935912e-24},
    {2.08767569878681e-9, -1.20734505911326e-25}, {1.6059043836821613e-10, 1.2585294588752098e-26},
    {1.1470745597729725e-11, 2.0655512752830745e-28}, {7.647163731819816e-13, 7.03872877733453e-30},
    {4.779477332387385e-14}, {2.8114572543455206e-15}, {1.5619206968586225e-16},
    {8.22063524662433e-18}, {4.110317623312165e-19}, {1.9572941063391263e-20},
    {8.896791392450574e-22}, {3.868170170630684e-23}, {1.6117375710961184e-24},
    {6.446950284384474e-26}, {2.4795962632247976e-27}, {9.183689863795546e-29},
};

/* exp(x) for |x| < 700, to about 2^-148: x = k ln 2 + 64 r, a Taylor series for exp(r) - 1, six
   squarings. Lane by lane, but k is taken lane by lane through memory. */
PE__COLD pe__td pe__td_exp(pe__td x)
{
    const pe__vd k = pe__round(x.a * pe__splat(1.4426950408889634));
    pe__td y = pe__td_one(-k), c = pe__td_const(pe__ln2);
    pe__td_times(&y, &c);
    pe__td_plus(&x, &y);
    x = pe__td_shift(x, pe__splat(1.0 / 64));

    pe__vd tail = pe__splat(pe__inverse_factorial[16][0]); /* |x| < 2^-7: doubles will do */
    for (int n = 15; n >= 11; n--) tail = tail * x.a + pe__splat(pe__inverse_factorial[n][0]);
    pe__dd sum = {tail, pe__splat(0.0)};
    const pe__dd two = {x.a, x.b}; /* and double-double from x^6 on */
    for (int n = 10; n >= 6; n--)
        sum = pe__dd_add_small(pe__inverse_factorial[n], pe__dd_mul(sum, two));
    y = pe__td_of(sum.hi, sum.lo, pe__splat(0.0));
    for (int n = 5; n >= 0; n--) { /* at last exp(x) - 1, so that squaring loses nothing */
        pe__td_times(&y, &x);
        c = pe__td_const(pe__inverse_factorial[n]);
        if (n > 0) pe__td_plus(&y, &c);
    }
    for (int n = 0; n < 6; n++) { /* (1 + y)^2 = 1 + y (y + 2) */
        x = pe__td_splat(2);
        pe__td_plus(&x, &y);
        pe__td_times(&y, &x);
    }
    pe__td_plus(&y, &c);

    double power[PE_LANES];
    pe__store(power, k);
    for (int lane = 0; lane < PE_LANES; lane++) /* below: only in lanes behind the last pair */
        power[lane] = pe__exp2i(power[lane] > -1022 ? (int)power[lane] : -1022);
    return pe__td_shift(y, pe__load(power));
}

/* log2(x) for a normal x > 0: e + 2 atanh(z) / ln 2, to 2^-48 of itself or to 2^-50. */
PE__COLD double pe__log2(double x)
{
    int e;
    double m = pe__frexp(x, &e), y = 0;
    if (m < 0.7071067811865476) {
        m *= 2;
        e--;
    }
    const double z = (m - 1) / (m + 1); /* |z| < 0.172 */
    for (int n = 21; n >= 1; n -= 2) y = y * z * z + 1.0 / n;
    return e + 2.8853900817779268 * z * y;
}

/* ln(x), lane by lane, for 2^-900 <= x <= 2^900: with y in double precision, one step
   y + u - u^2/2 + u^3/3 for u = x exp(-y) - 1, which leaves about 2^-148. */
PE__COLD pe__td pe__td_log(pe__td x)
{
    double y[PE_LANES];
    pe__store(y, x.a);
    for (int lane = 0; lane < PE_LANES; lane++) y[lane] = 0.6931471805599453 * pe__log2(y[lane]);
    pe__td u = pe__td_exp(pe__td_one(-pe__load(y))), term = pe__td_splat(-1);
    pe__td_times(&u, &x);
    pe__td_plus(&u, &term);
    term = pe__td_one(u.a * u.a * (u.a * pe__splat(1.0 / 3) - pe__splat(0.5)));
    pe__td_plus(&u, &term);
    term = pe__td_one(pe__load(y));
    pe__td_plus(&term, &u);
    return term;
}
