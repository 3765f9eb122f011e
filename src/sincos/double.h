/* SPDX-License-Identifier: MIT */
/* Computes sines and cosines in double, with polynomials or SLEEF, for single rows and for the
 * centres of runs. The polynomials' rounding errors are proved by tests/checks/gappa.sh, and the
 * rows are tested by tests/unit/rows/test_exact.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../numbers/double_double.h"
#include "../numbers/exp_log.h"
#include "double_double.h"
#include "exact.h"

/* These are polynomials in z^2 that approximate sin(pi z) / z and cos(pi z) for |z| <= 1/4 + 2^-16.
   The coefficients are computed by generate/coefficients.py; the constant one is first. The full
   polynomials are as accurate as doubles allow. The short ones have a relative error of 2^-43.5 and
   are used for single rows of floats. Each array has 8 elements, so that it can be loaded as whole
   vectors. The elements that are not given are 0 and belong to no polynomial. */
static const double pe__sine_poly[8] = {
    3.141592653589793,   -5.167712780049902,    2.5501640398663756,    -0.5992645285425086,
    0.08214585826766622, -0.007369878107647829, 0.0004608082212324812,
};
static const double pe__cosine_poly[8] = {
    1.000000000000000,   -4.934802200544679,   4.058712126416665,     -1.3352627688430903,
    0.23533062976217894, -0.02580687517771109, 0.0019293402224194124, -0.00010298062483467203,
};
static const double pe__sine_poly_short[8] = {
    3.141592653589779,   -5.167712780033853,  2.550164036906897,
    -0.5992643283013662, 0.08213972184305013, -0.00728308458904634,
};
static const double pe__cosine_poly_short[8] = {
    1.000000000000000,   -4.934802200494251,  4.058712115380634,
    -1.3352619773843104, 0.23530570185317123, -0.025448615526125998,
};

/* The coefficients that pe__sincos() uses, set by pe__scale_sincos_poly(): sine and cosine have
   those of the full or the short polynomials, times a factor. The argument reduction adds
   quadrant_shift to an angle to round it to a whole number of quadrants. */
typedef struct pe__sincos_poly {
    double sine[8], cosine[8], quadrant_shift;
} pe__sincos_poly;

/* Sets *poly to the polynomials times factor: the full ones if `full` is set, else the short ones.
   Adding quadrant_shift to an angle in half-turns rounds it to the nearest multiple of 1/2, that
   is, to a whole number of quadrants, and adds `quadrants` to that number. So the sines and cosines
   are those of the angle plus `quadrants` quadrants. */
PE__INLINE void pe__scale_sincos_poly(double factor, int quadrants, int full, pe__sincos_poly *poly)
{
    const double *const sine = full ? pe__sine_poly : pe__sine_poly_short;
    const double *const cosine = full ? pe__cosine_poly : pe__cosine_poly_short;
    for (int n = 0; n < 8; n += PE_LANES) {
        pe__store(poly->sine + n, pe__load(sine + n) * pe__splat(factor));
        pe__store(poly->cosine + n, pe__load(cosine + n) * pe__splat(factor));
    }
    poly->quadrant_shift = pe__quadrant_shift + 0.5 * quadrants;
}

/* Does one step of Horner's scheme for four vectors: y[n] = y[n] x[n] + number. */
PE__INLINE void pe__horner(pe__vd *y, const pe__vd *x, double number)
{
    const pe__vd c = pe__splat(number);
    y[0] = pe__fma(y[0], x[0], c);
    y[1] = pe__fma(y[1], x[1], c);
    y[2] = pe__fma(y[2], x[2], c);
    y[3] = pe__fma(y[3], x[3], c);
}

typedef struct pe__floats4 {
    pe__vf v[4];
} pe__floats4;
typedef struct pe__doubles4 {
    pe__vd v[4];
} pe__doubles4;

/* A pe__pending holds four vectors of pairs that wait for their conversion from double to float.
   A call of pe__sincos() converts the vectors of the call before it while it computes its own. The
   conversion is a third of the work. If it came after the polynomials, its instructions would wait
   for their operands and fill the processor's queues. */
typedef struct pe__pending {
    /* a and b have the first and the second component of each pair. k is used by AVX-512 alone, and
       only if split is 0: it has the quadrants by which pe__zip_rotated() rotates the pairs while
       it interleaves them. */
    pe__doubles4 a, b, k;
    /* The floats. If split is 0, vector n interleaves a[n] and b[n]. Otherwise the four vectors
       have the floats of a[0] and a[1], of b[0] and b[1], of a[2] and a[3], and of b[2] and
       b[3]. */
    pe__floats4 v;
    pe__rounding_test test; /* the rounding test of these four vectors of pairs */
    int split;              /* 1: v has first and second components in vectors of their own */
} pe__pending;

/* Computes vector n of x->v (0 <= n < 4), and adds it and the doubles a[n] and b[n] to the rounding
   test. If x->split is set, vector n is not made of a[n] and b[n]. After the calls for all four n,
   the test has all doubles and all floats in either case. */
PE__INLINE void pe__convert_pending(pe__pending *x, int n)
{
    const pe__vd *const a = x->a.v, *const b = x->b.v;
    if (!x->split) x->v.v[n] = pe__zip_rotated(x->k.v[n], a[n], b[n]);
    else x->v.v[n] = n % 2 ? pe__join(b[n - 1], b[n]) : pe__join(a[n], a[n + 1]);
    pe__rounding_test_add(&x->test, a[n], b[n], x->v.v[n]);
}

/* The arguments of pe__sincos() that stay the same along a row. */
typedef struct pe__sincos_args {
    const pe_plan *plan;
    const pe__sincos_poly *poly;
    double t; /* the position; negated where cosines come first, see pe__single_poly() */
} pe__sincos_args;

/* Sets s and c to the sines and cosines of the angles at position arguments->t, in double, times
 * the factor of the polynomials. Computes four vectors of pairs, starting at index i of the plan's
 * arrays. A vector that would begin after pair `last` repeats the vector that begins at `last`. The
 * argument `full` is 1 if arguments->poly has the full polynomials, and 0 if it has the short ones.
 *
 *   1. Argument reduction: the angle is a whole number of quadrants plus a residual z, with |z| at
 *      most 1/4 + 2^-17 half-turns.
 *   2. The polynomials give sin(pi z) and cos(pi z).
 *   3. The number of quadrants says whether sine and cosine are exchanged, and which signs change.
 *      With AVX-512, and a `pending` that is not split, pe__zip_rotated() does this later: s and c
 *      are then those of z, and the quadrants are stored in pending->k.
 *
 * The four vectors are computed together, because each operation on one vector must wait for the
 * operation before it. In between, the doubles of `pending` are converted to floats, unless pending
 * is NULL. */
PE__INLINE void pe__sincos(const pe__sincos_args *arguments, int full, size_t i, size_t last,
                           pe__vd *s, pe__vd *c, pe__pending *pending)
{
    const pe_plan *const plan = arguments->plan;
    const pe__sincos_poly *const w = arguments->poly;
    const double t = arguments->t;
    const double *const f = plan->frequency, *const g = f + plan->padded;
    const size_t i1 = pe__min(i + PE_LANES, last), i2 = pe__min(i + 2 * PE_LANES, last);
    const size_t i3 = pe__min(i + 3 * PE_LANES, last);
    const pe__vd shift = pe__splat(w->quadrant_shift);
    pe__doubles4 quadrant;
    pe__vd *const k = quadrant.v, z[4], x[4];
    z[0] = pe__reduce(pe__multiple(plan, i, t), pe__load(f + i), pe__load(g + i), shift, &k[0]);
    z[1] = pe__reduce(pe__multiple(plan, i1, t), pe__load(f + i1), pe__load(g + i1), shift, &k[1]);
    z[2] = pe__reduce(pe__multiple(plan, i2, t), pe__load(f + i2), pe__load(g + i2), shift, &k[2]);
    z[3] = pe__reduce(pe__multiple(plan, i3, t), pe__load(f + i3), pe__load(g + i3), shift, &k[3]);
    if (pending) pe__convert_pending(pending, 0);
    if (pending && PE_LANES == 8) { /* gcc and clang schedule these best together */
        pe__convert_pending(pending, 1);
        pe__convert_pending(pending, 2);
        pe__convert_pending(pending, 3);
    }
    x[0] = z[0] * z[0];
    x[1] = z[1] * z[1];
    x[2] = z[2] * z[2];
    x[3] = z[3] * z[3];
    s[0] = s[1] = s[2] = s[3] = pe__splat(w->sine[full ? 6 : 5]);
    c[0] = c[1] = c[2] = c[3] = pe__splat(w->cosine[full ? 7 : 5]);
    if (full) {
        pe__horner(c, x, w->cosine[6]);
        pe__horner(s, x, w->sine[5]);
    }
    if (full) pe__horner(c, x, w->cosine[5]);
    pe__horner(s, x, w->sine[4]);
    if (pending && PE_LANES < 8) pe__convert_pending(pending, 1);
    pe__horner(c, x, w->cosine[4]);
    pe__horner(s, x, w->sine[3]);
    if (pending && PE_LANES < 8) pe__convert_pending(pending, 2);
    pe__horner(c, x, w->cosine[3]);
    pe__horner(s, x, w->sine[2]);
    if (pending && PE_LANES < 8) pe__convert_pending(pending, 3);
    pe__horner(c, x, w->cosine[2]);
    pe__horner(s, x, w->sine[1]);
    pe__horner(c, x, w->cosine[1]);
    pe__horner(s, x, w->sine[0]);
    pe__horner(c, x, w->cosine[0]);
    s[0] = s[0] * z[0];
    s[1] = s[1] * z[1];
    s[2] = s[2] * z[2];
    s[3] = s[3] * z[3];
    if (pending && !pending->split && PE_LANES == 8) {
        pending->k = quadrant; /* pe__zip_rotated() will rotate the pairs */
        return;
    }
    pe__rotate_quadrant(k[0], &s[0], &c[0]);
    pe__rotate_quadrant(k[1], &s[1], &c[1]);
    pe__rotate_quadrant(k[2], &s[2], &c[2]);
    pe__rotate_quadrant(k[3], &s[3], &c[3]);
}

/* Stores the results of pe__sincos() with the full polynomials, which arguments->poly must have:
   four vectors of sines to s, four of cosines to c. These are PE__SINCOS_PAIRS doubles each. The
   loop over a single row calls pe__sincos() directly instead. */
enum { PE__SINCOS_PAIRS = 4 * PE_LANES };
PE__OUTLINE void pe__sincos_store(const pe__sincos_args *arguments, size_t i, size_t last,
                                  double *s, double *c)
{
    pe__vd sine[4], cosine[4];
    pe__sincos(arguments, 1, i, last, sine, cosine, NULL);
    for (size_t n = 0; n < 4; n++) {
        pe__store(s + n * PE_LANES, sine[n]);
        pe__store(c + n * PE_LANES, cosine[n]);
    }
}

#if PE_SLEEF
/* Computes the sines *s and cosines *c of the vector that starts at index `pair`, at position t,
   times factor, with SLEEF. The angle is reduced modulo 2 half-turns first, to x in [-1.25, 1.25],
   because SLEEF returns a constant for arguments above 2.5e8. The rounding error of x is `low`, in
   half-turns and, after the product with pi, in radians. Adding low times the derivative corrects
   it. */
PE__INLINE void pe__sincos_sleef(const pe_plan *plan, double factor, size_t pair, double t,
                                 pe__vd *s, pe__vd *c)
{
    const pe__vd f = pe__load(plan->frequency + pair), tt = pe__multiple(plan, pair, t);
    pe__vd k, low, sine, cosine;
    const pe__vd g = pe__load(plan->frequency + plan->padded + pair);
    const pe__vd shift = pe__splat(pe__quadrant_shift);
    const pe__vd z = pe__reduce(tt, f, g, shift, &k), quadrant = k - shift;
    const pe__vd even_quadrant = pe__round(quadrant * pe__splat(0.5)) * pe__splat(2.0);
    const pe__vd x = pe__fast_two_sum(quadrant - even_quadrant, z, &low);
    pe__sincospi(x, &sine, &cosine);
    low = low * pe__splat(3.141592653589793);
    *s = pe__fma(low, cosine, sine) * pe__splat(factor);
    *c = pe__fnma(low, sine, cosine) * pe__splat(factor);
}
#endif

/* Returns the pair at which to load a vector whose first pair is `pair`: `pair` itself, or an
   earlier one if the vector would reach beyond the plan's arrays. The arrays have at least 7
   elements after the last pair (plan->padded). So only a vector whose lanes are all padding is
   moved to an earlier pair. No row gets the values of padding lanes, so it does not matter which
   pairs they hold. */
PE__INLINE size_t pe__vector_pair(const pe_plan *plan, size_t pair)
{
    return pe__min(pair, plan->padded - PE_LANES);
}
