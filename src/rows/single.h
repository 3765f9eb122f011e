/* SPDX-License-Identifier: MIT */
/* A single row, from its angles to memory.
 * Gives: pe__far_row(), pe__single_f32(), pe__single_row().
 * Needs: simd, api, plan, numbers, sincos.
 * Tests: tests/unit/test_exact.c, tests/unit/test_at.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../numbers/base.h"
#include "../plan/shape.h"
#include "../sincos/window.h"
#include "../sincos/direct.h"
#include "dest.h"
#include "pair_f32.h"
#include "pair_16.h"

/* ---- 6.7 a single row ---------------------------------------------------------------------------
 * From the angle to memory in one loop, without an anchor and without doubles in memory. */

typedef struct pe__single {
    const pe__dest *dest;
    double position;
    const pe__adder *adder;
} pe__single;

/* As a span without an anchor. */
PE__INLINE void pe__single_span(const pe__single *x, pe__span *span)
{
    pe__span_begin(span, x->dest, &pe__bound_short, x->adder);
    span->at.position[0] = x->position;
    span->at.row[0] = x->dest->out + pe__first_column(x->dest) * x->dest->element;
    span->at.row[1] = NULL;
    span->ts = span->tc = NULL;
}

/* The rest of a span from pair i on, whose anchor these are. */
PE__INLINE void pe__span_from(pe__span *span, size_t i, const double *a, const double *b)
{
    span->a = a;
    span->b = b;
    span->pair += i;
    span->first -= i;
    span->second -= i;
    span->at.row[0] += (span->split ? 1 : 2) * span->dest->element * i;
}

/* The row's polynomials and its time. Where cosines come first, both change: cos x = sin(-x + pi/2)
   and sin x = cos(-x + pi/2). */
PE__INLINE double pe__single_fit(const pe__single *x, int full, pe__sincos_fit *fit)
{
    const int swapped = x->dest->order == PE__CS;
    pe__sincos_fit_of(x->dest->plan->amplitude * (1 + pe__bound_short.eta), swapped, full, fit);
    return swapped ? -x->position : x->position;
}

/* The rest of the row from pair i on, as a span: for what has raised the alarm. */
PE__INLINE void pe__single_again(const pe__single *x, size_t i, size_t last, double *a, double *b,
                                 pe__span *span)
{
    pe__sincos_fit fit;
    pe__single_span(x, span);
    pe__span_from(span, i, a, b);
    const double time = pe__single_fit(x, 1, &fit);
    const pe__sincos_by by = {x->dest->plan, &fit, time};
    pe__sincos_store(&by, span->pair, x->dest->pair + last, a, b);
}
PE__COLD void pe__single_round_again(const pe__single *x, size_t i, size_t last,
                                        pe__vectors4 *v)
{
    double a[PE__SINCOS], b[PE__SINCOS];
    pe__span span;
    pe__single_again(x, i, last, a, b, &span);
    pe__round_again(&span, 0, 0, v);
}
PE__COLD void pe__single_round_again_16(const pe__single *x, size_t i, uint32_t lanes,
                                           pe__kind kind)
{
    double a[PE__SINCOS], b[PE__SINCOS];
    const pe__alarm alarm = {0, lanes};
    pe__span span;
    pe__single_again(x, i, SIZE_MAX - x->dest->pair, a, b, &span);
    pe__round_again_16(&span, &span.at, &alarm, 1, kind);
}

/* Fewer pairs than four vectors have, from pair i to end. */
PE__OUTLINE void pe__single_some(const pe__single *single, size_t i, size_t end,
                                 const pe__vectors4 *v)
{
    float all[4][2 * PE_LANES];
    pe__span span;
    const pe__span *const x = &span;
    pe__single_span(single, &span);
    unsigned char *const p = x->at.row[0];
    const size_t first = pe__min(end, x->first), second = pe__min(end, x->second);
    const size_t e = x->dest->element;
    for (size_t k = 0; k < 4; k++) /* if split, first all of one kind */
        pe__put(all[x->split ? k % 2 * 2 + k / 2 : k], v->v[k]);
    if (!x->split) {
        pe__store_some(x, p + 2 * i * e, all[0], first + second - 2 * i);
        return;
    }
    pe__store_some(x, p + i * e, all[0], first - i);
    if (i < second) pe__store_some(x, p + x->across + (ptrdiff_t)(i * e), all[2], second - i);
}

/* Four vectors of floats from pair i on, `count` pairs, to a row of floats, or of what they are
   added to; those that raised the alarm once more. */
PE__INLINE void pe__single_four(const pe__single *x, const pe__span *span, size_t i, size_t count,
                                pe__four *four, int32_t guard)
{
    const size_t step = (span->split ? 1 : 2) * x->dest->element;
    const size_t both = pe__min(span->first, span->second);
    const int32_t window = pe__bound_short.window;
    if (PE__UNLIKELY(pe__tie_watch_alarm(four->watch, window, guard)) &&
        pe__is_doubtful(four->watch, window, guard, &four->v, &four->v)) {
        pe__vectors4 again;
        pe__single_round_again(x, i, i + (count - 1) / PE_LANES * PE_LANES, &again);
        four->v = again;
    }
    if (count == PE__GROUP && i >= span->head && i + count <= both) {
        pe__store_four(span, PE__NO_SUM, 0, span->split, 0, span->at.row[0] + i * step,
                       &four->v);
    } else {
        const pe__vectors4 some = four->v; /* in memory, but the loop's own are not */
        pe__single_some(x, i, i + count, &some);
    }
}

/* The same to a row of 16-bit elements, a whole group. A float that comes from a double at once is
   as near to it as half its last bit, below 2^-24 of itself. */
PE__INLINE void pe__single_group(const pe__single *x, const pe__span *span, size_t i,
                                 const pe__four *four, pe__vf least, pe__kind kind)
{
    const pe__vf by = pe__splat_f32(1.0625f / 16777216);
    const pe__vf *const v = four->v.v;
    const int split = span->split;
    pe__group g;
    g.a[0] = split ? pe__unzip_evens(v[0], v[2]) : v[0];
    g.a[1] = split ? pe__unzip_odds(v[0], v[2]) : v[2];
    g.b[0] = split ? pe__unzip_evens(v[1], v[3]) : v[1];
    g.b[1] = split ? pe__unzip_odds(v[1], v[3]) : v[3];
    const pe__vf sum_a = pe__add_f32(pe__abs_f32(g.a[0]), pe__abs_f32(g.a[1]));
    const pe__vf sum_b = pe__add_f32(pe__abs_f32(g.b[0]), pe__abs_f32(g.b[1]));
    g.near_a = pe__mad_f32(sum_a, by, least);
    g.near_b = pe__mad_f32(sum_b, by, least);
    const uint32_t lanes = pe__store_group(span, 0, i, split, g, kind, 0);
    if (PE__UNLIKELY(lanes)) pe__single_round_again_16(x, i, lanes, kind);
}

/* Four vectors of pairs at a time, of floats fewer at the row's end or up to the first aligned
   address; of 16-bit elements, only whole groups. The doubles of one step become floats during the
   next. Returns how many pairs are done. */
PE__INLINE size_t pe__single_row(const pe__dest *dest, double t, const pe__adder *adder,
                                 pe__kind kind)
{
    const int floats = kind == PE__F32;
    const pe_plan *const plan = dest->plan;
    const int32_t guard = pe__guard(plan->amplitude, fabs(t) / plan->reach);
    const size_t groups = pe__min(dest->sines, dest->cosines) / PE__GROUP * PE__GROUP;
    const size_t pairs = floats ? pe__pairs_of(dest) : groups;
    const pe__vf least = pe__splat_f32(floats ? 0 : pe__least_16(plan, kind));
    const pe__single x = {dest, t, adder};
    pe__span span; /* in registers: functions out of line begin their own */
    pe__sincos_fit fit;
    pe__four four;
    pe__single_span(&x, &span);
    const double time = pe__single_fit(&x, 0, &fit);
    const pe__sincos_fit *polynomials = &fit;
    PE__IN_MEMORY(polynomials);
    const pe__sincos_by by = {plan, polynomials, time};
    const size_t head = floats ? span.head : 0;
    four.split = floats ? span.split : 1; /* groups have joined floats */
    four.a.v[0] = four.a.v[1] = four.a.v[2] = four.a.v[3] = pe__splat(0.0);
    four.b = four.k = four.a;
    if (pairs == 0) return 0;
    for (size_t i = 0, end = 0;;) {
        const size_t next = end;
        pe__doubles4 a = four.a, b = four.b; /* set below, but at the end */
        four.watch = pe__tie_watch_begin();
        end = pe__min(next < head ? head : next + PE__GROUP, pairs);
        if (next < pairs) {
            const size_t last = next + (end - next - 1) / PE_LANES * PE_LANES;
            pe__sincos(&by, 0, dest->pair + next, dest->pair + last, a.v, b.v, &four);
        } else {
            pe__four_to_floats(&four, 0);
            pe__four_to_floats(&four, 1);
            pe__four_to_floats(&four, 2);
            pe__four_to_floats(&four, 3);
        }
        if (next > 0 && floats) pe__single_four(&x, &span, i, next - i, &four, guard);
        else if (next > 0) pe__single_group(&x, &span, i, &four, least, kind);
        if (next >= pairs) return pairs;
        four.a = a;
        four.b = b;
        i = next;
    }
}
PE__OUTLINE void pe__single_f32(const pe__dest *dest, double t, const pe__adder *adder)
{
    (void)pe__single_row(dest, t, adder, PE__F32);
}

/* A row at position 0, or so far away that its angles take double-double: without a thought for
   speed, four vectors at a time. */
PE__OUTLINE void pe__far_row(const pe__dest *dest, double t, const pe__adder *adder)
{
    const pe__single x = {dest, t, adder};
    pe__span first;
    pe__single_span(&x, &first);
    first.bound = &pe__bound_distant;
    if (t == 0) pe__origin(&first, 0, PE__F32);
    for (size_t i = 0, n; t != 0 && i < first.end; i += n) {
        double a[PE__SINCOS] = {0}, b[PE__SINCOS] = {0};
        const pe__anchor to = {first.swapped ? b : a, first.swapped ? a : b};
        pe__vectors4 four;
        pe__span span = first;
        n = pe__min(first.end - i, PE__SINCOS);
        pe__centre_distant(dest->plan, dest->exact, t, dest->pair + i, n, to);
        pe__span_from(&span, i, a, b);
        pe__round_again(&span, 0, 0, &four);
        pe__single_some(&x, i, i + n, &four);
    }
}
