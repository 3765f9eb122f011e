/* SPDX-License-Identifier: MIT */
/* Double-double and triple-double arithmetic: sums, products, quotients, rotations.
 * tests/unit/numbers/test_budget.c measures the errors. */
#pragma once
#include "../pe_simd.h"

/* ---- 5.1 double-double and triple-double --------------------------------------------------------
 * Each lane of a pe__dd holds a number as the unevaluated sum of two doubles, with about 104 bits.
 * Each lane of a pe__td holds one as the sum of three doubles, with about 156 bits. The low part of
 * a pe__dd may be as large as a few ulps of the high part. In a normalised result, hi is the double
 * nearest to the sum. */

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

/* Returns x y with a relative error below 2^-102. */
PE__INLINE pe__dd pe__dd_mul(pe__dd x, pe__dd y)
{
    pe__dd r;
    r.hi = pe__two_prod(x.hi, y.hi, &r.lo);
    r.lo = pe__fma(x.lo, y.hi, pe__fma(x.hi, y.lo, r.lo));
    return r;
}

/* Returns a + x for |a| >= |x|, not normalised, with an error of about 2^-104 |a|. */
PE__INLINE pe__dd pe__dd_add_small(pe__dd a, pe__dd x)
{
    pe__dd r;
    r.hi = pe__fast_two_sum(a.hi, x.hi, &r.lo);
    r.lo = r.lo + (a.lo + x.lo);
    return r;
}

/* Returns x normalised, for |x.hi| >= |x.lo|. */
PE__INLINE pe__dd pe__dd_renormalize(pe__dd x)
{
    x.hi = pe__fast_two_sum(x.hi, x.lo, &x.lo);
    return x;
}

PE__INLINE pe__dd pe__dd_add(pe__dd x, pe__dd y)
{
    pe__dd r;
    r.hi = pe__two_sum(x.hi, y.hi, &r.lo);
    r.lo = r.lo + (x.lo + y.lo);
    return r;
}

PE__INLINE pe__dd pe__dd_negate(pe__dd x)
{
    const pe__dd r = {-x.hi, -x.lo};
    return r;
}

/* Returns x - y, normalised. */
PE__INLINE pe__dd pe__dd_sub(pe__dd x, pe__dd y)
{
    return pe__dd_renormalize(pe__dd_add(x, pe__dd_negate(y)));
}

/* Returns x / y, normalised, with a relative error below 2^-101. */
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

/* Returns x times the double `factor`, normalised. */
PE__INLINE pe__dd pe__dd_mul_double(pe__dd x, double factor)
{
    pe__dd r;
    r.hi = pe__two_prod(x.hi, pe__splat(factor), &r.lo);
    r.lo = pe__fma(x.lo, pe__splat(factor), r.lo);
    return pe__dd_renormalize(r);
}

/* Rotates (*s, *c), the sine and cosine of an angle a, by an angle b, whose sine is ts and whose
   cosine is tc. Sets *s to sin(a + b) and *c to cos(a + b), not normalised. Adds less than 2^-100
   to the error. */
PE__INLINE void pe__dd_rotate(pe__dd *s, pe__dd *c, pe__dd ts, pe__dd tc)
{
    const pe__dd s0 = *s, c0 = *c;
    *s = pe__dd_add(pe__dd_mul(s0, tc), pe__dd_mul(c0, ts));
    *c = pe__dd_add(pe__dd_mul(c0, tc), pe__dd_mul(s0, pe__dd_negate(ts)));
}

/* Doubles the angle whose sine is *s and whose cosine is *c: sets *s to 2 s c and *c to 1 - 2 s^2.
   Takes half as long as pe__dd_rotate(). */
PE__INLINE void pe__dd_double_angle(pe__dd *s, pe__dd *c)
{
    const pe__vd two = pe__splat(2.0);
    const pe__dd sc = pe__dd_mul(*s, *c), ss = pe__dd_mul(*s, *s);
    c->hi = pe__two_sum(pe__splat(1.0), -two * ss.hi, &c->lo);
    c->lo = c->lo - two * ss.lo;
    s->hi = two * sc.hi;
    s->lo = two * sc.lo;
}

/* Sets s[b] and c[b], b >= 2, to the sine and cosine of b times an angle. They are computed from
   the elements b / 2 and b - b / 2 of s and c, which must have those of b / 2 and b - b / 2 times
   the angle. */
PE__INLINE void pe__dd_multiple_angle(pe__dd *s, pe__dd *c, size_t b)
{
    const size_t half = b / 2, rest = b - half;
    pe__dd sine = s[half], cosine = c[half]; /* without locals, gcc copies byte by byte */
    if (half == rest) pe__dd_double_angle(&sine, &cosine);
    else pe__dd_rotate(&sine, &cosine, s[rest], c[rest]);
    s[b] = sine;
    c[b] = cosine;
}

PE__INLINE pe__td pe__td_renormalize(pe__vd a, pe__vd b, pe__vd c)
{
    pe__td r;
    b = pe__two_sum(b, c, &c);
    r.a = pe__two_sum(a, b, &b);
    r.b = pe__two_sum(b, c, &r.c);
    return r;
}

PE__INLINE pe__dd pe__dd_from_td(pe__td x) /* omits the smallest part */
{
    const pe__dd r = {x.a, x.b};
    return r;
}

PE__INLINE pe__dd pe__dd_from_double(pe__vd x)
{
    const pe__dd r = {x, pe__splat(0.0)};
    return r;
}

/* Returns the number x[0] + x[1] + x[2] in all lanes. */
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

/* These functions compute *x += *y and *x *= *y. They are compiled once and not inlined, to save
   code. Loops that do little else call pe__td_add_inline() and pe__td_mul_inline() instead. */
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

PE__INLINE pe__td pe__td_from_double(pe__vd x)
{
    const pe__td r = {x, pe__splat(0.0), pe__splat(0.0)};
    return r;
}

PE__INLINE pe__td pe__td_splat(double x) { return pe__td_from_double(pe__splat(x)); }

PE__INLINE pe__td pe__td_mul_double(pe__td x, pe__vd y)
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

PE__INLINE pe__td pe__td_mul_pow2(pe__td x, pe__vd y) /* y: a power of two, of either sign */
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

/* Returns x / y by long division with three digits, each a double: a digit is the rounded quotient
   of the remainder's and y's largest doubles. */
PE__INLINE pe__td pe__td_div(pe__td x, pe__td y)
{
    pe__vd digit[3];
    for (int d = 0; d < 3; d++) {
        digit[d] = x.a / y.a;
        if (d < 2) x = pe__td_add_inline(x, pe__td_mul_double(y, -digit[d]));
    }
    return pe__td_renormalize(digit[0], digit[1], digit[2]);
}

/* Returns 1 / y for a double y, by long division with three digits, each a double. The first digit
   is 1 / y, rounded. So each further digit is the remainder times the first digit, which saves a
   division. A remainder fits into one double, except for its last bits. */
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
