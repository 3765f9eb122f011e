/* SPDX-License-Identifier: MIT */
/* Powers of 2 and logarithms to base 2, of triple-doubles and of doubles.
 * tests/unit/numbers/test_budget.c measures the errors. */
#pragma once
#include "../pe_simd.h"
#include "double_double.h"

/* ---- 5.2 elementary functions in triple-double ----------------------------------------------- */

/* These constants are 1 / pi, pi and ln 2. Each is the sum of three doubles. */
static const double pe__inverse_pi[3] = {0.3183098861837907, -1.9678676675182486e-17,
                                         -1.0721436282893004e-33};
static const double pe__pi[3] = {3.141592653589793, 1.2246467991473532e-16,
                                 -2.9947698097183397e-33};
static const double pe__ln2[3] = {0.6931471805599453, 2.3190468138462996e-17,
                                  5.707708438416212e-34};

/* Returns 2^k for -1022 <= k <= 1023. */
PE__INLINE double pe__exp2i(int k) { return pe__double_of_bits((uint64_t)(k + 1023) << 52); }

/* Returns m and sets *e so that x = m 2^e and 0.5 <= |m| < 1. x must be a normal number. */
PE__INLINE double pe__frexp(double x, int *e)
{
    const uint64_t bits = pe__double_bits(x);
    *e = (int)(bits >> 52 & 0x7ff) - 1022;
    return pe__double_of_bits((bits & 0x800fffffffffffffu) | ((uint64_t)1022 << 52));
}

/* Returns the odd integer m with x = m 2^k for some integer k. x must be a positive normal
   number. */
PE__INLINE uint64_t pe__odd_significand(double x)
{
    const uint64_t bits = (pe__double_bits(x) & 0xfffffffffffffu) | 0x10000000000000u;
    return bits >> pe__lowest_bit(bits);
}

/* These numbers are 1 / n! for n = 0 ... 27. Each is the sum of two doubles. For n < 3 the second
   double is 0 because the first is exact. For n >= 16 it is 0 because it would be too small to
   matter. */
static const double pe__inverse_factorial[28][2] = {
    {1.0},
    {1.0},
    {0.5},
    {0.16666666666666666, 9.25185853854297e-18},
    {0.041666666666666664, 2.3129646346357427e-18},
    {0.008333333333333333, 1.1564823173178714e-19},
    {0.001388888888888889, -5.300543954373577e-20},
    {0.0001984126984126984, 1.7209558293420705e-22},
    {2.48015873015873e-5, 2.1511947866775882e-23},
    {2.7557319223985893e-6, -1.858393274046472e-22},
    {2.755731922398589e-7, 2.3767714622250297e-23},
    {2.505210838544172e-8, -1.448814070935912e-24},
    {2.08767569878681e-9, -1.20734505911326e-25},
    {1.6059043836821613e-10, 1.2585294588752098e-26},
    {1.1470745597729725e-11, 2.0655512752830745e-28},
    {7.647163731819816e-13, 7.03872877733453e-30},
    {4.779477332387385e-14},
    {2.8114572543455206e-15},
    {1.5619206968586225e-16},
    {8.22063524662433e-18},
    {4.110317623312165e-19},
    {1.9572941063391263e-20},
    {8.896791392450574e-22},
    {3.868170170630684e-23},
    {1.6117375710961184e-24},
    {6.446950284384474e-26},
    {2.4795962632247976e-27},
    {9.183689863795546e-29},
};

/* Returns 1 / first! + y / (first + 2)! + y^2 / (first + 4)! ... for |y| < 1, up to the term with
   1 / last!. `last` - `first` must be even. The terms with 1 / n! are computed in double-double for
   n <= last_dd, and in double for larger n. */
PE__INLINE pe__dd pe__dd_series(int first, int last_dd, int last, pe__dd y)
{
    pe__dd sum = {pe__splat(pe__inverse_factorial[last][0]), pe__splat(0.0)};
    int k = last - 2;
    for (; k > last_dd; k -= 2)
        sum.hi = pe__fma(sum.hi, y.hi, pe__splat(pe__inverse_factorial[k][0]));
    for (; k >= first; k -= 2)
        sum = pe__dd_add_small(pe__dd_splat(pe__inverse_factorial[k]), pe__dd_mul(sum, y));
    return sum;
}

/* These numbers are 2^(k / 16) for k = 0 ... 15. Each is the sum of the three doubles with index k,
   one from each array. */
static const double pe__exp2_sixteenths[3][16] = {
    {1.0, 1.0442737824274138, 1.0905077326652577, 1.1387886347566916, 1.189207115002721,
     1.241857812073484, 1.2968395546510096, 1.3542555469368927, 1.4142135623730951,
     1.4768261459394993, 1.5422108254079407, 1.6104903319492543, 1.681792830507429,
     1.7562521603732995, 1.8340080864093424, 1.9152065613971474},
    {0.0, 8.551889705537965e-17, -3.046782079812471e-17, 8.912812676025408e-17,
     3.982015231465646e-17, 4.658027591836937e-17, 2.5382502794888315e-17, 7.70094837980299e-17,
     -9.667293313452913e-17, -3.483994556892796e-17, 7.949834809697621e-17, 2.4707192569797888e-17,
     8.199010020581497e-17, 2.960140695448873e-17, 3.283107224245627e-17, -1.0619946056195963e-16},
    {0.0, -4.330791080574723e-33, 2.0170548784884862e-33, -2.0074146328324945e-33,
     1.1419596568854534e-33, -2.31439910378786e-33, 1.686782464618325e-34, -2.2407483643739503e-33,
     4.1386753086994136e-33, -1.2115770452309058e-34, -9.159956374100367e-34, 1.069684778889359e-33,
     5.103515194728093e-33, 1.2334822744893002e-33, -6.4250893479530425e-34,
     -3.0577697567913255e-33}};

/* Returns 2^(k / 16), lane by lane, for integers k with |k| < 16000. */
PE__INLINE pe__td pe__td_exp2_sixteenths(pe__vd k)
{
    const pe__vd power = pe__power_of_2(pe__round(k * pe__splat(0.0625) - pe__splat(0.46875)));
    const pe__td y = {pe__lookup_16(pe__exp2_sixteenths[0], k),
                      pe__lookup_16(pe__exp2_sixteenths[1], k),
                      pe__lookup_16(pe__exp2_sixteenths[2], k)};
    return pe__td_mul_pow2(y, power);
}

/* Replaces x = *argument, |x| < 1000, by 2^x, with a relative error of at most 2^-106. Let k be the
 * integer nearest to 16 x, and r = (x - k / 16) ln 2. Then 2^x = 2^(k / 16) exp(r), and |r| is
 * below
 * 0.0217. If x is a multiple of 1/16, r is 0, and only the error of the constant
 * 2^(k / 16) remains. The even and the odd terms of the series are separate:
 * exp(r) = 1 + r + r^2 (1/2! + r^2/4! ...) + r^3 (1/3! + r^2/5! ...). The errors are
 *     2^-107  the error of r, which is a double-double product: 2^-102 |r|
 *     2^-125  the terms that the series omits
 *     2^-110  the roundings of the series' terms: those with 1/8!, 1/9! and so on are computed in
 *             double, the others in double-double
 *     2^-110  the last product, with 2^(k / 16), in doubles */
PE__OUTLINE void pe__td_to_exp2(pe__td *argument)
{
    const pe__td x = *argument;
    static const double ln2_16th[2] = {0.04332169878499658, 1.4494042586539372e-18}; /* ln 2 / 16 */
    const pe__vd sixteen = pe__splat(16.0), k = pe__round(x.a * sixteen);
    const pe__td root = pe__td_exp2_sixteenths(k);
    pe__dd r, e;
    pe__td y;
    pe__vd lost, more;
    r.hi = pe__two_sum(x.a * sixteen - k, x.b * sixteen, &r.lo);
    r.lo = r.lo + x.c * sixteen;
    r = pe__dd_mul(r, pe__dd_splat(ln2_16th));
    const pe__dd square = pe__dd_mul(r, r), odd = pe__dd_series(3, 7, 15, square);
    e = pe__dd_mul(square, pe__dd_add_small(pe__dd_series(2, 6, 14, square), pe__dd_mul(r, odd)));
    e = pe__dd_add_small(r, e);
    const pe__vd p = pe__two_prod(root.a, e.hi, &lost);
    const pe__vd rest = lost + (root.a * e.lo + root.b * e.hi);
    y.a = pe__fast_two_sum(root.a, p, &y.b);
    y.b = pe__two_sum(y.b, root.b, &y.c);
    y.b = pe__two_sum(y.b, rest, &more);
    y.c = (y.c + more) + root.c;
    y.a = pe__fast_two_sum(y.a, y.b, &y.b);
    *argument = y;
}
PE__INLINE pe__td pe__td_exp2(pe__td x)
{
    pe__td_to_exp2(&x);
    return x;
}

/* Replaces x = *argument, 2^-1000 <= x <= 2^1000, by log2(x). The error is at most 2^-106, and also
 * at most 2^-101 times |log2(x)|. If x is a power of two, there is no error.
 *     1. log2(x) = k / 16 + log2(1 + z). The integer k is 16 times the value of a parabola,
 *        rounded. The parabola is off by less than 0.11 / 16, so |z| < 0.027.
 *     2. log2(1 + z) = (2 / ln 2) atanh(s), where s = z / (2 + z). The error of s is 2^-111. The
 *        terms that the series of atanh(s) omits are below 2^-118.
 *     3. The product of 2 / ln 2 and atanh(s) is below 2^-4 and has a relative error of 2^-102. */
PE__OUTLINE void pe__td_to_log2(pe__td *argument)
{
    static const double per_ln2[2] = {2.8853900817779268, 4.0710547481862066e-17}; /* 2 / ln 2 */
    static const double third[3][2] = {{0.3333333333333333, 1.850371707708594e-17},
                                       {0.2, -1.1102230246251566e-17},
                                       {0.14285714285714285, 7.93016446160826e-18}};
    const pe__vd one = pe__splat(1.0);
    const pe__td x = *argument;
    pe__td y;
    pe__dd z, d, s, sum;
    pe__vd e;
    const pe__vd m = pe__mantissa(x.a, &e), rough = pe__splat(-1.3389960755611636) * m;
    const pe__vd log_m = (rough + pe__splat(3.9883623990806445)) * m - pe__splat(2.653124006086173);
    const pe__vd k = pe__round((e + log_m) * pe__splat(16.0));
    y = pe__td_mul_inline(x, pe__td_exp2_sixteenths(-k));
    z.hi = pe__two_sum(y.a - one, y.b, &z.lo);
    z.lo = z.lo + y.c;
    d.hi = pe__fast_two_sum(pe__splat(2.0), z.hi, &d.lo);
    d.lo = d.lo + z.lo;
    s = pe__dd_div(z, d);
    const pe__dd square = pe__dd_mul(s, s);
    pe__vd tail = pe__splat(1.0 / 17);
    for (int n = 15; n >= 9; n -= 2) tail = pe__fma(tail, square.hi, pe__splat(1.0 / n));
    sum.hi = tail;
    sum.lo = pe__splat(0.0);
    for (int n = 2; n >= 0; n--)
        sum = pe__dd_add_small(pe__dd_splat(third[n]), pe__dd_mul(sum, square));
    sum = pe__dd_add_small(s, pe__dd_mul(s, pe__dd_mul(square, sum)));
    sum = pe__dd_mul(sum, pe__dd_splat(per_ln2));
    y.a = pe__fast_two_sum(k * pe__splat(0.0625), sum.hi, &y.b);
    y.b = pe__two_sum(y.b, sum.lo, &y.c);
    y.a = pe__fast_two_sum(y.a, y.b, &y.b);
    *argument = y;
}
PE__INLINE pe__td pe__td_log2(pe__td x)
{
    pe__td_to_log2(&x);
    return x;
}

/* Returns log2(x) for a double x that is positive and normal. Most numbers that people write are
   products of powers of 2, 3 and 5. These take 25 % of the time of pe__td_log2(), because only
   multiples of log2(3) and log2(5) are added. The first two parts of these two constants have few
   bits, so that small multiples of the parts are exact. */
PE__OUTLINE pe__td pe__td_log2_of(double x)
{
    static const double logs[2][3] = {
        {1.5849625007213035, -1.4733181985374205e-13, -4.077615385476137e-24},
        {2.321928094886971, 3.914087556297189e-13, -1.1635743969074953e-25}};
    uint64_t odd = pe__odd_significand(x);
    int e, own, n = 0;
    (void)pe__frexp(x, &e);
    (void)pe__frexp((double)odd, &own);
    double sum[3] = {(double)(e - own), 0, 0};
    for (int k = 0; k < 2; k++, n = 0) {
        for (; odd % (k ? 5 : 3) == 0; odd /= k ? 5 : 3) n++;
        for (int d = 0; d < 3; d++) sum[d] += n * logs[k][d];
    }
    if (odd != 1) return pe__td_log2(pe__td_splat(x));
    pe__td y = pe__td_const(sum);
    y.a = pe__fast_two_sum(y.a, y.b, &y.b);
    y.b = pe__fast_two_sum(y.b, y.c, &y.c);
    return y;
}

/* Returns log2(x) for a normal x > 0, with an error of at most 2^-36 times |log2(x)|, or 2^-36 if
   |log2(x)| < 1. With x = m 2^e and 0.707 <= m < 1.42, log2(x) is e + 2 atanh(z) / ln 2, where z is
   (m - 1) / (m + 1). */
PE__OUTLINE double pe__log2(double x)
{
    int e;
    double m = pe__frexp(x, &e);
    if (m < 0.7071067811865476) {
        m *= 2;
        e--;
    }
    const double z = (m - 1) / (m + 1), s = z * z; /* |z| < 0.172 */
    const double y = 1.0 / 7 + s * (1.0 / 9 + s * (1.0 / 11 + s * (1.0 / 13)));
    return e + 2.8853900817779268 * z * (1 + s * (1.0 / 3 + s * (1.0 / 5 + s * y)));
}
