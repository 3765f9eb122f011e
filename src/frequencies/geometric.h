/* SPDX-License-Identifier: MIT */
/* Computes the frequencies of a config in double-double, 64 at a time. Tested by
 * tests/unit/numbers/test_budget.c, which measures the error. */
#pragma once
#include "../pe_simd.h"
#include "../numbers/double_double.h"
#include "../numbers/exp_log.h"

/* ---- 5.4 frequencies ----------------------------------------------------------------------------
 * The frequency of pair i of an axis is F q^i. The factor F comes from pe__frequency_scale(), and
 * q is base^(-1 / D), where D is the axis' denominator. With i = 64 k + 8 a + b, where a and b are
 * 0 ... 7, the frequency is the product of F q^b and q^(64 k + 8 a). So 64 frequencies take one
 * logarithm, 16 powers of 2 in vectors, and 64 products, which do not wait for each other. If there
 * are more than 64 frequencies, every 512 of them take 8 more powers, q^(64 k), and 64 more
 * products.
 *
 * The relative error of a frequency is below 2^-101 + 2^-106 i / D:
 *     2^-102            the product of two triple-doubles. The second double of the result, which
 *                       is below 2^-53 of the first, is a sum of seven terms, each rounded
 *     3 x 2^-106        the powers of 2, which are at most three factors
 *     ln 2 2^-106 i/D   inherited from log2 q, which has the error of log2(base)
 * In factors below 2^-900, the last double is subnormal and has fewer bits.
 * pe__plan_fill_geometric() adds a term to the bound for this. If an element needs more digits of a
 * frequency, pe__bigfloat_by_frequency() computes them from the config. */

/* PE__MAX_LANES is the largest PE_LANES and a multiple of each. PE__FREQUENCY_TILE, 64, is the
   number of frequencies that pe__geometric_fill() computes with the same q^(64 k). An attention
   head of 128 elements has as many. */
enum { PE__MAX_LANES = 8, PE__FREQUENCY_TILE = PE__MAX_LANES * PE__MAX_LANES };

/* This struct holds the powers whose products are frequencies: see the text above for F and q. Each
   array has 8 numbers, in vectors. */
typedef struct pe__geometric {
    pe__td step;                                  /* log2 q                */
    pe__td first[PE__MAX_LANES / (int)PE_LANES];  /* F q^0 ... F q^7       */
    pe__td eighth[PE__MAX_LANES / (int)PE_LANES]; /* q^0, q^8 ... q^56     */
} pe__geometric;

/* Returns F, the factor of all frequencies in half-turns per position: scale if half_turns is set,
   else scale / pi. */
PE__INLINE pe__td pe__frequency_scale(double scale, int half_turns)
{
    static const double one[3] = {1, 0, 0};
    return pe__td_mul_double(pe__td_const(half_turns ? one : pe__inverse_pi), pe__splat(scale));
}

/* Returns log2 of q = base^(-1 / D), where D = d[0] + d[1]. Usually d[1] is 0, and then the
   division is by a double, which is faster. */
PE__INLINE pe__td pe__geometric_step(double base, const double *d)
{
    pe__td exponent = pe__td_splat(-d[0]);
    exponent.b = pe__splat(-d[1]);
    const pe__td log_base = pe__td_log2_of(base);
    return d[1] == 0 ? pe__td_div_double(log_base, exponent.a) : pe__td_div(log_base, exponent);
}

/* Returns the vector of the lanes' indices 0, 1 ... */
PE__INLINE pe__vd pe__iota(void)
{
    static const double lanes[PE__MAX_LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
    return pe__load(lanes);
}

/* Returns q^i for i = first, first + index, first + 2 index ..., one in each lane, where step is
   log2 q. */
PE__INLINE pe__td pe__geometric_power(pe__td step, size_t first, double index)
{
    const pe__vd i = pe__iota() * pe__splat(index) + pe__splat((double)first);
    return pe__td_exp2(pe__td_mul_double(step, i));
}

/* An array of 8 triple-doubles consists of three arrays of 8 doubles, one for each part. Use
   pe__td_store() to store a vector of numbers, the first of which gets index k. Use pe__td_get() to
   get the number with index k in all lanes. */
PE__INLINE void pe__td_store(double (*to)[PE__MAX_LANES], size_t k, pe__td x)
{
    pe__store(to[0] + k, x.a);
    pe__store(to[1] + k, x.b);
    pe__store(to[2] + k, x.c);
}
PE__INLINE pe__td pe__td_get(double (*from)[PE__MAX_LANES], size_t k)
{
    const pe__td x = {pe__splat(from[0][k]), pe__splat(from[1][k]), pe__splat(from[2][k])};
    return x;
}

/* Computes g->first and g->eighth from g->step, which the caller has set, and F, the
   frequency_scale. */
PE__OUTLINE void pe__geometric_begin(pe__geometric *g, const pe__td *frequency_scale)
{
    for (size_t b = 0; b < PE__MAX_LANES; b += PE_LANES) {
        g->eighth[b / PE_LANES] = pe__geometric_power(g->step, b * PE__MAX_LANES, PE__MAX_LANES);
        g->first[b / PE_LANES] =
            pe__td_mul_inline(pe__geometric_power(g->step, b, 1), *frequency_scale);
    }
}

/* Writes the frequencies with the indices from ... from + count - 1: the high doubles to f, the low
   doubles to f + padded. Writes up to 7 more doubles after each `count` doubles. These are further
   frequencies, which may be smaller or larger than a config allows. Only frequencies after the
   first 64 need the third factor, q^(64 k). A call for the first 64 or fewer omits it. */
PE__OUTLINE void pe__geometric_fill(const pe__geometric *g, size_t from, size_t count, double *f,
                                    size_t padded)
{
    const int beyond_64 = from > 0 || count > PE__FREQUENCY_TILE;
    double q[3][PE__MAX_LANES], powers_64[3][PE__MAX_LANES];
    for (size_t i = 0; i < count; i += PE__MAX_LANES) {
        const size_t a = i % PE__FREQUENCY_TILE / PE__MAX_LANES;
        const size_t group = i / PE__FREQUENCY_TILE % PE__MAX_LANES;
        for (size_t k = 0; k < PE__MAX_LANES && beyond_64 && a + group == 0; k += PE_LANES)
            pe__td_store(powers_64, k,
                         pe__geometric_power(g->step, from + i + k * PE__FREQUENCY_TILE,
                                             PE__FREQUENCY_TILE));
        for (size_t k = 0; k < PE__MAX_LANES && a == 0; k += PE_LANES) {
            pe__td y = g->eighth[k / PE_LANES];
            if (beyond_64) y = pe__td_mul_inline(y, pe__td_get(powers_64, group));
            pe__td_store(q, k, y);
        }
        const pe__td y = pe__td_get(q, a);
        for (size_t b = 0; b < PE__MAX_LANES; b += PE_LANES) {
            const pe__td x = g->first[b / PE_LANES];
            pe__dd w;
            w.hi = pe__two_prod(x.a, y.a, &w.lo);
            w.lo = w.lo + (x.a * y.b + x.b * y.a) + (x.b * y.b + (x.a * y.c + x.c * y.a));
            w = pe__dd_renormalize(w);
            pe__store(f + i + b, w.hi);
            pe__store(f + i + b + padded, w.lo);
        }
    }
}
