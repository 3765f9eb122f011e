/* SPDX-License-Identifier: MIT */
/* Sines and cosines in double: of a single row, of a run's centre.
 * Gives: PE__SINCOS, pe__anchor, pe__centre(), pe__centre_distant(), pe__distant(), pe__doubles4,
 *   pe__four, pe__four_to_floats(), pe__sincos(), pe__sincos_by, pe__sincos_fit,
 *   pe__sincos_fit_of(), pe__sincos_store(), pe__vectors4.
 * Needs: simd, api, numbers.
 * Tests: tests/checks/gappa.sh, tests/unit/test_exact.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../numbers/base.h"
#include "../numbers/double_double.h"
#include "../numbers/exp_log.h"
#include "close.h"
#include "exact.h"
#include "window.h"

/* sin(pi z) / z and cos(pi z), |z| <= 1/4 + 2^-16, as polynomials in z^2 (tests/tools/fit.py): as
   near as doubles are, and shorter, within 2^-43.5 of their values, for single rows of floats. For
   one kernel, these times its factor, and what is added to a phase to cut it into quarters. */
static const double pe__sine_fit[8] = {
    3.141592653589793,   -5.167712780049902,    2.5501640398663756,    -0.5992645285425086,
    0.08214585826766622, -0.007369878107647829, 0.0004608082212324812,
};
static const double pe__cosine_fit[8] = {
    1.0, -4.934802200544679, 4.058712126416665, -1.3352627688430903, 0.23533062976217894,
    -0.02580687517771109, 0.0019293402224194124, -0.00010298062483467203,
};
static const double pe__sine_fit_short[8] = {
    3.141592653589779,   -5.167712780033853,   2.550164036906897, -0.5992643283013662,
    0.08213972184305013, -0.00728308458904634,
};
static const double pe__cosine_fit_short[8] = {
    1.0, -4.934802200494251, 4.058712115380634, -1.3352619773843104, 0.23530570185317123,
    -0.025448615526125998,
};
typedef struct pe__sincos_fit {
    double sine[8], cosine[8], quarters;
} pe__sincos_fit;
PE__INLINE void pe__sincos_fit_of(double factor, int quarters, int full, pe__sincos_fit *fit)
{
    const double *const sine = full ? pe__sine_fit : pe__sine_fit_short;
    const double *const cosine = full ? pe__cosine_fit : pe__cosine_fit_short;
    for (int n = 0; n < 8; n += PE_LANES) {
        pe__store(fit->sine + n, pe__load(sine + n) * pe__splat(factor));
        pe__store(fit->cosine + n, pe__load(cosine + n) * pe__splat(factor));
    }
    fit->quarters = pe__quarters + 0.5 * quarters;
}

/* A step of four polynomials: y = y x + c. */
PE__INLINE void pe__horner(pe__vd *y, const pe__vd *x, double number)
{
    const pe__vd c = pe__splat(number);
    y[0] = pe__fma(y[0], x[0], c);
    y[1] = pe__fma(y[1], x[1], c);
    y[2] = pe__fma(y[2], x[2], c);
    y[3] = pe__fma(y[3], x[3], c);
}

/* Four vectors, of floats and of doubles. */
typedef struct pe__vectors4 {
    pe__vf v[4];
} pe__vectors4;
typedef struct pe__doubles4 {
    pe__vd v[4];
} pe__doubles4;

/* Four vectors of pairs on their way from doubles to floats: (a0 b0), (a1 b1) ... zipped, or, where
   a row is split, a0 a1, b0 b1, a2 a3, b2 b3. Conversion is a third of pe__sincos()'s work. Each
   step converts the vectors of the step before: one after the other, instructions that wait for
   their operands fill the processor's queues. */
typedef struct pe__four {
    pe__doubles4 a, b, k; /* k: with AVX-512 zipped ones turn by so many quarters */
    pe__vectors4 v;
    pe__tie_watch watch;
    int split;
} pe__four;
PE__INLINE void pe__four_to_floats(pe__four *x, int n)
{
    const pe__vd *const a = x->a.v, *const b = x->b.v;
    if (!x->split) x->v.v[n] = pe__zip_turned(x->k.v[n], a[n], b[n]);
    else x->v.v[n] = n % 2 ? pe__join(b[n - 1], b[n]) : pe__join(a[n], a[n + 1]);
    pe__tie_watch_add(&x->watch, a[n], b[n], x->v.v[n]);
}

/* What pe__sincos() computes: of which plan, by which polynomials, and of which position. */
typedef struct pe__sincos_by {
    const pe_plan *plan;
    const pe__sincos_fit *fit;
    double t;
} pe__sincos_by;

/* Sines and cosines in double: of position t's angles and of the fit's quarters, for the four
   vectors of pairs from i on (beyond last: the vector at last again), times the fit's factor, by
   the full polynomials or by the short ones. The phase is the nearest whole number of quarters and
   a rest, whose sine and cosine the quarters exchange. Four vectors step by step, and those before
   become floats meanwhile. */
PE__INLINE void pe__sincos(const pe__sincos_by *by, int full, size_t i, size_t last, pe__vd *s,
                           pe__vd *c, pe__four *before)
{
    const pe_plan *const plan = by->plan;
    const pe__sincos_fit *const w = by->fit;
    const double t = by->t;
    const double *const f = plan->frequency, *const g = f + plan->padded;
    const size_t i1 = pe__min(i + PE_LANES, last), i2 = pe__min(i + 2 * PE_LANES, last);
    const size_t i3 = pe__min(i + 3 * PE_LANES, last);
    const pe__vd large = pe__splat(w->quarters);
    pe__doubles4 turns;
    pe__vd *const k = turns.v, z[4], x[4];
    z[0] = pe__by_quarters(pe__time(plan, i, t), pe__load(f + i), pe__load(g + i), large, &k[0]);
    z[1] = pe__by_quarters(pe__time(plan, i1, t), pe__load(f + i1), pe__load(g + i1), large, &k[1]);
    z[2] = pe__by_quarters(pe__time(plan, i2, t), pe__load(f + i2), pe__load(g + i2), large, &k[2]);
    z[3] = pe__by_quarters(pe__time(plan, i3, t), pe__load(f + i3), pe__load(g + i3), large, &k[3]);
    if (before) pe__four_to_floats(before, 0);
    if (before && PE_LANES == 8) { /* at once: gcc and clang spread them better than here */
        pe__four_to_floats(before, 1);
        pe__four_to_floats(before, 2);
        pe__four_to_floats(before, 3);
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
    if (before && PE_LANES < 8) pe__four_to_floats(before, 1);
    pe__horner(c, x, w->cosine[4]);
    pe__horner(s, x, w->sine[3]);
    if (before && PE_LANES < 8) pe__four_to_floats(before, 2);
    pe__horner(c, x, w->cosine[3]);
    pe__horner(s, x, w->sine[2]);
    if (before && PE_LANES < 8) pe__four_to_floats(before, 3);
    pe__horner(c, x, w->cosine[2]);
    pe__horner(s, x, w->sine[1]);
    pe__horner(c, x, w->cosine[1]);
    pe__horner(s, x, w->sine[0]);
    pe__horner(c, x, w->cosine[0]);
    s[0] = s[0] * z[0];
    s[1] = s[1] * z[1];
    s[2] = s[2] * z[2];
    s[3] = s[3] * z[3];
    if (before && !before->split && PE_LANES == 8) {
        before->k = turns; /* pe__zip_turned() does the rest */
        return;
    }
    pe__quarter_turns(k[0], &s[0], &c[0]);
    pe__quarter_turns(k[1], &s[1], &c[1]);
    pe__quarter_turns(k[2], &s[2], &c[2]);
    pe__quarter_turns(k[3], &s[3], &c[3]);
}

/* pe__sincos() by the full polynomials, stored: for all but the loop over a single row. */
enum { PE__SINCOS = 4 * PE_LANES };
PE__OUTLINE void pe__sincos_store(const pe__sincos_by *by, size_t i, size_t last, double *s,
                                  double *c)
{
    pe__vd sine[4], cosine[4];
    pe__sincos(by, 1, i, last, sine, cosine, NULL);
    for (size_t n = 0; n < 4; n++) {
        pe__store(s + n * PE_LANES, sine[n]);
        pe__store(c + n * PE_LANES, cosine[n]);
    }
}

/* Sines and cosines of a row in doubles, from which other rows are rotated. */
typedef struct pe__anchor {
    double *s, *c;
} pe__anchor;

/* Is position t beyond the reach of sincos by double? */
PE__INLINE int pe__distant(const pe_plan *plan, double t)
{
    return !(fabs(t) <= plan->reach);
}

#if PE_SLEEF
/* pe__sincos() by SLEEF, whose argument is reduced first: it is a constant above 2.5e8. */
PE__INLINE void pe__sincos_sleef(const pe_plan *plan, double factor, size_t pair, double t,
                                 pe__vd *s, pe__vd *c)
{
    const pe__vd f = pe__load(plan->frequency + pair), tt = pe__time(plan, pair, t);
    pe__vd k, low, sine, cosine;
    const pe__vd g = pe__load(plan->frequency + plan->padded + pair);
    const pe__vd large = pe__splat(pe__quarters);
    const pe__vd z = pe__by_quarters(tt, f, g, large, &k), turns = k - large;
    const pe__vd whole = pe__round(turns * pe__splat(0.5)) * pe__splat(2.0);
    const pe__vd x = pe__fast_two_sum(turns - whole, z, &low);
    pe__sincospi(x, &sine, &cosine);
    low = low * pe__splat(3.141592653589793);
    *s = pe__fma(low, cosine, sine) * pe__splat(factor);
    *c = pe__fnma(low, sine, cosine) * pe__splat(factor);
}
#endif

/* A (1 + eta) times sin and cos of position t, within reach, for count pairs from pair on: by
   SLEEF, if it is there, for tables. Writes up to PE__SINCOS - 1 doubles more. */
PE__OUTLINE void pe__centre(const pe_plan *plan, const pe__bound *bound, int table, double t,
                            size_t pair, size_t count, pe__anchor to)
{
    const double factor = plan->amplitude * (1 + bound->eta);
    const size_t last = (count - 1) / PE_LANES * PE_LANES;
    pe__sincos_fit fit;
    const pe__sincos_by by = {plan, &fit, t};
    (void)table;
    pe__sincos_fit_of(factor, 0, 1, &fit);
#if PE_SLEEF
    for (size_t i = 0; table && i < count; i += PE_LANES) {
        pe__vd sine, cosine;
        pe__sincos_sleef(plan, factor, pair + i, t, &sine, &cosine);
        pe__store(to.s + i, sine);
        pe__store(to.c + i, cosine);
    }
    if (table) return;
#endif
    for (size_t i = 0; i < count; i += PE__SINCOS)
        pe__sincos_store(&by, pair + i, pair + last, to.s + i, to.c + i);
}

/* The same beyond reach, with pe__bound_distant: by double-double, or, where that is off by too
   much, by doubles rounded once. */
PE__OUTLINE void pe__centre_distant(const pe_plan *plan, pe__element *exact, double t, size_t pair,
                                    size_t count, pe__anchor to)
{
    const double up = 1 + pe__bound_distant.eta, factor = plan->amplitude * up;
    const int fine = pe__sincos_error(plan, t) < 44 * pe__exp2i(-53);
    for (size_t i = 0; i < count; i += PE_LANES) {
        pe__dd s, c;
        pe__sincos_dd(plan, pair + i, t, &s, &c);
        pe__store(to.s + i, s.hi * pe__splat(factor));
        pe__store(to.c + i, c.hi * pe__splat(factor));
        for (size_t k = i; k < i + PE_LANES && !fine; k++) {
            to.s[k] = exact(plan, t, pair + k, 0, 0, NULL) * up;
            to.c[k] = exact(plan, t, pair + k, 1, 0, NULL) * up;
        }
    }
}
