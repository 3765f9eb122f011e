/* SPDX-License-Identifier: MIT */
/* Writes a single row of floats or 16-bit elements, from its angles to memory. Tested by
 * tests/unit/rows/test_exact.c and tests/unit/positions/test_at.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../plan/shape.h"
#include "../sincos/bounds.h"
#include "../sincos/double.h"
#include "anchors.h"
#include "../layouts/output.h"
#include "row_pair_f32.h"
#include "row_pair_16.h"

/* ---- 6.6 a single row ---------------------------------------------------------------------------
 * One loop goes from the angles to the stores. The row is not rotated from an anchor, and its sines
 * and cosines in double stay in registers. */

typedef struct pe__single {
    const pe__output *output;
    double position;
    const pe__adder *adder; /* NULL: elements are stored */
} pe__single;

/* Begin a span whose row [0] is the single row. The span has no anchor yet. */
PE__INLINE void pe__single_span(const pe__single *x, pe__span *span)
{
    pe__span_begin(span, x->output, &pe__bound_short_poly, x->adder);
    span->position[0] = x->position;
    span->row[0] = x->output->out + pe__first_column(x->output) * x->output->element;
    span->row[1] = NULL;
    span->ts = span->tc = NULL;
}

/* Move the start of a span to its pair i. The arrays a and b hold the components of pair i and of
   the pairs after it. The fields begin and end stay as they are: the functions that round a span
   of a single row do not read them. */
PE__INLINE void pe__span_from(pe__span *span, size_t i, const double *a, const double *b)
{
    span->a = a;
    span->b = b;
    span->pair += i;
    span->first -= i;
    span->second -= i;
    span->row[0] += (span->split ? 1 : 2) * span->output->element * i;
}

/* Set poly to the row's polynomials, short ones if full is 0, times A (1 + eta). A is the plan's
   amplitude, and eta that of pe__bound_short_poly. Return the position at which to evaluate them.
   Where cosines come first, the polynomials must give cosines in place of sines,
   and the reverse. So the position is negated and a quadrant added to the angle, since
   cos x = sin(-x + pi/2) and sin x = cos(-x + pi/2). */
PE__INLINE double pe__single_poly(const pe__single *x, int full, pe__sincos_poly *poly)
{
    const int swapped = x->output->order == PE__CS;
    pe__scale_sincos_poly(x->output->plan->amplitude * (1 + pe__bound_short_poly.eta), swapped,
                          full, poly);
    return swapped ? -x->position : x->position;
}

/* Recompute four flagged vectors of pairs, starting at pair i, by the full polynomials. Write their
   components to a and b, and set *span to a span that begins at pair i. Vectors after the one at
   pair `last` repeat that vector. */
PE__INLINE void pe__single_recompute(const pe__single *x, size_t i, size_t last, double *a,
                                     double *b, pe__span *span)
{
    pe__sincos_poly poly;
    pe__single_span(x, span);
    pe__span_from(span, i, a, b);
    const double signed_t = pe__single_poly(x, 1, &poly);
    const pe__sincos_args arguments = {x->output->plan, &poly, signed_t};
    pe__sincos_store(&arguments, span->pair, x->output->pair + last, a, b);
}

/* Round four flagged vectors of pairs, starting at pair i, to the floats v, using Ziv's test.
   last: as in pe__single_recompute(). */
PE__COLD void pe__single_round_flagged(const pe__single *x, size_t i, size_t last, pe__floats4 *v)
{
    double a[PE__SINCOS_PAIRS], b[PE__SINCOS_PAIRS];
    pe__span span;
    pe__single_recompute(x, i, last, a, b, &span);
    pe__round_flagged(&span, 0, 0, v);
}

/* Recompute the flagged lanes of a group of 16-bit elements that starts at pair i, using the full
   polynomials, round them and store them. The bits of `lanes` are those of pe__flagged_group. */
PE__COLD void pe__single_round_flagged_16(const pe__single *x, size_t i, uint32_t lanes,
                                          pe_type type)
{
    double a[PE__SINCOS_PAIRS], b[PE__SINCOS_PAIRS];
    const pe__flagged_group flagged = {0, lanes};
    pe__span span;
    pe__single_recompute(x, i, SIZE_MAX - x->output->pair, a, b, &span);
    pe__round_flagged_16(&span, &span.row, &span.position, &flagged, 1, type);
}

/* Store or add the pairs i ... end - 1, which may be fewer than the four vectors v hold. */
PE__OUTLINE void pe__single_store_partial(const pe__single *single, size_t i, size_t end,
                                          const pe__floats4 *v)
{
    float all[4][2 * PE_LANES];
    pe__span span;
    const pe__span *const x = &span;
    pe__single_span(single, &span);
    unsigned char *const p = x->row[0];
    const size_t first_count = pe__min(end, x->first), second_count = pe__min(end, x->second);
    const size_t e = x->output->element;
    for (size_t k = 0; k < 4; k++) /* if split, all first components first */
        pe__put(all[x->split ? k % 2 * 2 + k / 2 : k], v->v[k]);
    if (!x->split) {
        pe__store_floats(x, p + 2 * i * e, all[0], first_count + second_count - 2 * i);
        return;
    }
    pe__store_floats(x, p + i * e, all[0], first_count - i);
    if (i < second_count)
        pe__store_floats(x, p + x->across + (ptrdiff_t)(i * e), all[2], second_count - i);
}

/* Store or add the pairs [i, i + count) of pending floats. If the rounding test flags any, all
   four vectors are rounded again first. */
PE__INLINE void pe__single_store_floats(const pe__single *x, const pe__span *span, size_t i,
                                        size_t count, pe__pending *pending, int32_t guard)
{
    const size_t step = (span->split ? 1 : 2) * x->output->element;
    const size_t both = pe__min(span->first, span->second);
    const int32_t window = pe__bound_short_poly.window;
    if (PE__UNLIKELY(pe__rounding_test_flagged(pending->test, window, guard)) &&
        pe__confirm_flag(pending->test, window, guard, &pending->v, &pending->v)) {
        pe__floats4 rounded;
        pe__single_round_flagged(x, i, i + (count - 1) / PE_LANES * PE_LANES, &rounded);
        pending->v = rounded;
    }
    if (count == PE__GROUP && i >= span->peeled && i + count <= both) {
        pe__store_four(span, PE__NOT_ADDED, 0, span->split, 0, span->row[0] + i * step,
                       &pending->v);
    } else {
        const pe__floats4 values = pending->v; /* so that pending stays in registers */
        pe__single_store_partial(x, i, i + count, &values);
    }
}

/* Store a complete group of pending floats, starting at pair i, as 16-bit elements. Flagged lanes
   are then recomputed and stored again. Each float was rounded from a double, so its rounding error
   is at most half a unit in the last place, 2^-24 of the float. The value of relative_error is 1/16
   larger, to leave room for the much smaller error of the double and for rounding. The argument
   `minimum` is the constant term of the thresholds, from pe__base_error_16(). */
PE__INLINE void pe__single_store_group(const pe__single *x, const pe__span *span, size_t i,
                                       const pe__pending *pending, pe__vf minimum, pe_type type)
{
    const pe__vf relative_error = pe__splat_f32(1.0625f / 16777216);
    const pe__vf *const v = pending->v.v;
    const int split = span->split;
    pe__group g;
    g.a[0] = split ? pe__unzip_evens(v[0], v[2]) : v[0];
    g.a[1] = split ? pe__unzip_odds(v[0], v[2]) : v[2];
    g.b[0] = split ? pe__unzip_evens(v[1], v[3]) : v[1];
    g.b[1] = split ? pe__unzip_odds(v[1], v[3]) : v[3];
    const pe__vf sum_a = pe__add_f32(pe__abs_f32(g.a[0]), pe__abs_f32(g.a[1]));
    const pe__vf sum_b = pe__add_f32(pe__abs_f32(g.b[0]), pe__abs_f32(g.b[1]));
    g.bound_a = pe__mad_f32(sum_a, relative_error, minimum);
    g.bound_b = pe__mad_f32(sum_b, relative_error, minimum);
    const uint32_t lanes = pe__store_group(span, 0, i, split, g, type, 0);
    if (PE__UNLIKELY(lanes)) pe__single_round_flagged_16(x, i, lanes, type);
}

/* Write the row of position t, a group of four vectors of pairs at a time, and return how many
   pairs are written. With PE_TYPE_F32, floats are stored or, if adder is not NULL, added to
   elements of its type. Then all pairs are written, and the groups before the first aligned address
   and at the end of the row may have fewer pairs. With a 16-bit type, elements are stored, and only
   complete groups are written. The doubles of each step are rounded to floats during the next step,
   while that step computes its own doubles. */
PE__INLINE size_t pe__single_row(const pe__output *output, double t, const pe__adder *adder,
                                 pe_type type)
{
    const int floats = type == PE_TYPE_F32;
    const pe_plan *const plan = output->plan;
    const int32_t guard = pe__guard(plan->amplitude, fabs(t) / plan->double_range);
    const size_t groups = pe__min(output->sines, output->cosines) / PE__GROUP * PE__GROUP;
    const size_t pairs = floats ? pe__max(output->sines, output->cosines) : groups;
    const pe__vf minimum = pe__splat_f32(floats ? 0 : pe__base_error_16(plan, type));
    const pe__single x = {output, t, adder};
    pe__span span; /* stays in registers: out-of-line functions begin spans of their own */
    pe__sincos_poly poly;
    pe__pending pending;
    pe__single_span(&x, &span);
    const double signed_t = pe__single_poly(&x, 0, &poly);
    const pe__sincos_poly *in_memory = &poly;
    PE__IN_MEMORY(in_memory);
    const pe__sincos_args arguments = {plan, in_memory, signed_t};
    const size_t head = floats ? span.peeled : 0;
    pending.split = floats ? span.split : 1; /* 16-bit: pe__single_store_group() takes them split */
    pending.a.v[0] = pending.a.v[1] = pending.a.v[2] = pending.a.v[3] = pe__splat(0.0);
    pending.b = pending.k = pending.a;
    if (pairs == 0) return 0;
    for (size_t i = 0, end = 0;;) {
        const size_t next = end;
        pe__doubles4 a = pending.a, b = pending.b; /* set below in each step but the last */
        pending.test = pe__rounding_test_begin();
        end = pe__min(next < head ? head : next + PE__GROUP, pairs);
        if (next < pairs) {
            const size_t last = next + (end - next - 1) / PE_LANES * PE_LANES;
            pe__sincos(&arguments, 0, output->pair + next, output->pair + last, a.v, b.v, &pending);
        } else {
            pe__convert_pending(&pending, 0);
            pe__convert_pending(&pending, 1);
            pe__convert_pending(&pending, 2);
            pe__convert_pending(&pending, 3);
        }
        if (next > 0 && floats) pe__single_store_floats(&x, &span, i, next - i, &pending, guard);
        else if (next > 0) pe__single_store_group(&x, &span, i, &pending, minimum, type);
        if (next >= pairs) return pairs;
        pending.a = a;
        pending.b = b;
        i = next;
    }
}
PE__OUTLINE size_t pe__single_f32(const pe__output *output, double t, const pe__adder *adder)
{
    return pe__single_row(output, t, adder, PE_TYPE_F32);
}

/* Write a row at position 0, where all sines are 0 and all cosines are the amplitude, or a row at a
   far position, whose angles need double-double. The code takes four vectors of pairs at a time,
   and is simple rather than fast. */
PE__OUTLINE void pe__write_far_row(const pe__output *output, double t, const pe__adder *adder)
{
    const pe__single x = {output, t, adder};
    pe__span first;
    pe__single_span(&x, &first);
    first.bound = &pe__bound_far;
    if (t == 0) pe__store_origin(&first, 0, PE_TYPE_F32);
    for (size_t i = 0, n; t != 0 && i < first.end; i += n) {
        double a[PE__SINCOS_PAIRS] = {0}, b[PE__SINCOS_PAIRS] = {0};
        double *const to[2] = {first.swapped ? b : a, first.swapped ? a : b};
        pe__floats4 pending;
        pe__span span = first;
        n = pe__min(first.end - i, PE__SINCOS_PAIRS);
        pe__compute_centre_far(output->plan, output->round_element, t, output->pair + i, n, to);
        pe__span_from(&span, i, a, b);
        pe__round_flagged(&span, 0, 0, &pending);
        pe__single_store_partial(&x, i, i + n, &pending);
    }
}
