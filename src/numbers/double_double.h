/* SPDX-License-Identifier: MIT */
/* Double-double and triple-double: sums, products, ratios.
 * Gives: pe__dd, pe__dd_add(), pe__dd_add_small(), pe__dd_mul(), pe__dd_renormalize(),
 *   pe__dd_from_td(), pe__dd_from_double(), pe__dd_div(), pe__dd_rotate(), pe__dd_double_angle(),
 *   pe__dd_multiple_angle(), pe__dd_mul_double(), pe__dd_splat(), pe__dd_sub(), pe__first_lane(),
 *   pe__td, pe__td_add(), pe__td_const(), pe__td_div_double(), pe__td_mul(), pe__td_renormalize(),
 *   pe__td_from_double(), pe__td_add_to(), pe__td_mul_inline(), pe__td_div(), pe__td_mul_double(),
 *   pe__td_mul_pow2(), pe__td_splat(), pe__td_sub(), pe__td_add_inline(), pe__td_mul_by().
 * Needs: simd.
 * Tests: tests/unit/test_budget.c. */
#pragma once
#include "../pe_simd.h"

/* ---- 5.1 double-double and triple-double --------------------------------------------------------
 * Unevaluated sums of two or three doubles, lane by lane, about 104 and 156 bits. The low part of a
 * pe__dd may be as large as a few units in the last place of the high part, where not said
 * otherwise. */

PE__INLINE double pe__first_lane(pe__vd x)
{
    double lanes[PE_LANES];
    pe__store(lanes, x);
    return lanes[0];
}

typedef struct pe__dd {
    pe__vd hi, lo;
} pe__dd;
typedef struct pe__td {
    pe__vd a, b, c;
} pe__td;

PE__INLINE pe__dd pe__dd_splat(const double *x)
{
    const pe__dd r = {pe__splat(x[0]), pe__splat(x[1])};
    return r;
}

/* x * y; relative error below 2^-102. */
PE__INLINE pe__dd pe__dd_mul(pe__dd x, pe__dd y)
{
    pe__dd r;
    r.hi = pe__two_prod(x.hi, y.hi, &r.lo);
    r.lo = pe__fma(x.lo, y.hi, pe__fma(x.hi, y.lo, r.lo));
    return r;
}

/* a + x for |a| >= |x|, to 2^-104 |a|. */
PE__INLINE pe__dd pe__dd_add_small(pe__dd a, pe__dd x)
{
    pe__dd r;
    r.hi = pe__fast_two_sum(a.hi, x.hi, &r.lo);
    r.lo = r.lo + (a.lo + x.lo);
    return r;
}

/* hi = the double nearest to the sum. */
PE__INLINE pe__dd pe__dd_renormalize(pe__dd x)
{
    x.hi = pe__fast_two_sum(x.hi, x.lo, &x.lo);
    return x;
}

/* x + y. */
PE__INLINE pe__dd pe__dd_add(pe__dd x, pe__dd y)
{
    pe__dd r;
    r.hi = pe__two_sum(x.hi, y.hi, &r.lo);
    r.lo = r.lo + (x.lo + y.lo);
    return r;
}

/* x - y, normal. */
PE__INLINE pe__dd pe__dd_sub(pe__dd x, pe__dd y)
{
    y.hi = -y.hi;
    y.lo = -y.lo;
    return pe__dd_renormalize(pe__dd_add(x, y));
}

/* x / y, normal; relative error below 2^-101. */
PE__INLINE pe__dd pe__dd_div(pe__dd x, pe__dd y)
{
    const pe__vd inverse = pe__splat(1.0) / y.hi;
    pe__dd r;
    pe__vd e;
    r.hi = x.hi * inverse;
    const pe__vd p = pe__two_prod(r.hi, y.hi, &e);
    r.lo = (((x.hi - p) - e) + (x.lo - r.hi * y.lo)) * inverse;
    return pe__dd_renormalize(r);
}

/* x times a double, normal. */
PE__INLINE pe__dd pe__dd_mul_double(pe__dd x, double by)
{
    pe__dd r;
    r.hi = pe__two_prod(x.hi, pe__splat(by), &r.lo);
    r.lo = pe__fma(x.lo, pe__splat(by), r.lo);
    return pe__dd_renormalize(r);
}

/* (s, c) rotated by (ts, tc), in place; adds less than 2^-100 to the error. */
PE__INLINE void pe__dd_rotate(pe__dd *s, pe__dd *c, pe__dd ts, pe__dd tc)
{
    const pe__dd s0 = *s, c0 = *c;
    *s = pe__dd_add(pe__dd_mul(s0, tc), pe__dd_mul(c0, ts));
    ts.hi = -ts.hi;
    ts.lo = -ts.lo;
    *c = pe__dd_add(pe__dd_mul(c0, tc), pe__dd_mul(s0, ts));
}

/* (s, c) rotated by itself, in place, for half the price: 2 s c and 1 - 2 s^2. */
PE__INLINE void pe__dd_double_angle(pe__dd *s, pe__dd *c)
{
    const pe__vd two = pe__splat(2.0);
    const pe__dd sc = pe__dd_mul(*s, *c), ss = pe__dd_mul(*s, *s);
    c->hi = pe__two_sum(pe__splat(1.0), -two * ss.hi, &c->lo);
    c->lo = c->lo - two * ss.lo;
    s->hi = two * sc.hi;
    s->lo = two * sc.lo;
}

/* Row b >= 2 of a table of rotations, rows of an angle's multiples: row b / 2 by row b - b / 2. */
PE__INLINE void pe__dd_multiple_angle(pe__dd *s, pe__dd *c, size_t b)
{
    const size_t half = b / 2, rest = b - half;
    pe__dd sine = s[half], cosine = c[half]; /* in registers: gcc copies memory byte by byte */
    if (half == rest) pe__dd_double_angle(&sine, &cosine);
    else pe__dd_rotate(&sine, &cosine, s[rest], c[rest]);
    s[b] = sine;
    c[b] = cosine;
}

PE__INLINE pe__td pe__td_renormalize(pe__vd a, pe__vd b, pe__vd c) /* renormalise */
{
    pe__td r;
    b = pe__two_sum(b, c, &c);
    r.a = pe__two_sum(a, b, &b);
    r.b = pe__two_sum(b, c, &r.c);
    return r;
}

PE__INLINE pe__dd pe__dd_from_td(pe__td x) /* its two largest parts */
{
    const pe__dd r = {x.a, x.b};
    return r;
}

PE__INLINE pe__dd pe__dd_from_double(pe__vd x) /* a double */
{
    const pe__dd r = {x, pe__splat(0.0)};
    return r;
}

PE__INLINE pe__td pe__td_const(const double *x)
{
    const pe__td r = {pe__splat(x[0]), pe__splat(x[1]), pe__splat(x[2])};
    return r;
}

PE__INLINE pe__td pe__td_add_inline(pe__td x, pe__td y)
{
    pe__vd e, f, g;
    const pe__vd a = pe__two_sum(x.a, y.a, &e);
    pe__vd b = pe__two_sum(x.b, y.b, &f);
    b = pe__two_sum(b, e, &g);
    return pe__td_renormalize(a, b, (x.c + y.c) + (f + g));
}

PE__INLINE pe__td pe__td_mul_inline(pe__td x, pe__td y)
{
    pe__vd e00, e01, e10, t, u;
    const pe__vd p00 = pe__two_prod(x.a, y.a, &e00);
    const pe__vd p01 = pe__two_prod(x.a, y.b, &e01);
    const pe__vd p10 = pe__two_prod(x.b, y.a, &e10);
    pe__vd b = pe__two_sum(p01, p10, &t);
    b = pe__two_sum(b, e00, &u);
    const pe__vd minor = (x.b * y.b + (x.a * y.c + x.c * y.a)) + (e01 + e10);
    return pe__td_renormalize(p00, b, minor + (t + u));
}

/* Out of line and in place, except where they are the work of a loop: x + y, x * y. */
PE__OUTLINE void pe__td_add_to(pe__td *x, const pe__td *y) { *x = pe__td_add_inline(*x, *y); }
PE__OUTLINE void pe__td_mul_by(pe__td *x, const pe__td *y) { *x = pe__td_mul_inline(*x, *y); }

PE__INLINE pe__td pe__td_add(pe__td x, pe__td y)
{
    pe__td_add_to(&x, &y);
    return x;
}
PE__INLINE pe__td pe__td_mul(pe__td x, pe__td y)
{
    pe__td_mul_by(&x, &y);
    return x;
}

PE__INLINE pe__td pe__td_from_double(pe__vd x) /* a double */
{
    const pe__td r = {x, pe__splat(0.0), pe__splat(0.0)};
    return r;
}

PE__INLINE pe__td pe__td_splat(double x) { return pe__td_from_double(pe__splat(x)); }

PE__INLINE pe__td pe__td_mul_double(pe__td x, pe__vd y) /* x * y */
{
    pe__td r;
    pe__vd e, f, g;
    r.a = pe__two_prod(x.a, y, &e);
    const pe__vd p = pe__two_prod(x.b, y, &f);
    r.b = pe__two_sum(p, e, &g);
    r.a = pe__fast_two_sum(r.a, r.b, &r.b);
    r.b = pe__fast_two_sum(r.b, g + (f + x.c * y), &r.c);
    return r;
}

PE__INLINE pe__td pe__td_mul_pow2(pe__td x, pe__vd y) /* x * y for a power of two */
{
    x.a = x.a * y;
    x.b = x.b * y;
    x.c = x.c * y;
    return x;
}

PE__INLINE pe__td pe__td_sub(pe__td x, pe__td y)
{
    return pe__td_add(x, pe__td_mul_pow2(y, pe__splat(-1.0)));
}

/* x / y by three digits of long division. */
PE__INLINE pe__td pe__td_div(pe__td x, pe__td y)
{
    pe__vd digit[3];
    for (int d = 0; d < 3; d++) {
        digit[d] = x.a / y.a;
        if (d < 2) x = pe__td_add_inline(x, pe__td_mul_double(y, -digit[d]));
    }
    return pe__td_renormalize(digit[0], digit[1], digit[2]);
}

/* 1 / y for a double, each digit by the first: what is left of 1 is a double, to the last bits. */
PE__INLINE pe__td pe__td_inverse(pe__vd y)
{
    pe__td r;
    pe__vd e, f;
    r.a = pe__splat(1.0) / y;
    const pe__vd p = pe__two_prod(r.a, y, &e), rest = (pe__splat(1.0) - p) - e;
    r.b = rest * r.a;
    const pe__vd q = pe__two_prod(r.b, y, &f);
    r.c = ((rest - q) - f) * r.a;
    return r;
}
PE__INLINE pe__td pe__td_div_double(pe__td x, pe__vd y) { return pe__td_mul(x, pe__td_inverse(y)); }
