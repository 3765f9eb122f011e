/* SPDX-License-Identifier: MIT */
/* Two rows of floats at a time, rotated from what they share.
 * Gives: PE__NOT_ADDED, pe__add_row_pairs_bf16(), pe__add_row_pairs_f16(), pe__add_row_pairs_f32(),
 *   pe__add_some_bf16(), pe__add_some_f16(), pe__add_some_f32(), pe__adder_bf16, pe__adder_f16,
 *   pe__adder_f32, pe__confirm_flag(), pe__store_origin(), pe__row_pair_kernel, pe__rotate(),
 *   pe__rotated, pe__round_flagged(), pe__row_pair, pe__store_row_of_pair(), pe__span,
 *   pe__span_begin(), pe__store_four(), pe__store_row_pairs(), pe__store_some().
 * Needs: simd, api, numbers, sincos.
 * Tests: tests/unit/test_exact.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../numbers/base.h"
#include "../sincos/exact.h"
#include "../sincos/rounding_test.h"
#include "../sincos/double.h"
#include "elements.h"
#include "output.h"

/* ---- 6.4 two rows of floats ---------------------------------------------------------------------
 * Two rows at a time, as far before their anchor as after it, come from products that they share.
 * What fails the rounding test is rounded again from its interval. */

/* Two rows, [0] rotated forth, [1] back; NULL: not wanted. */
typedef struct pe__row_pair {
    unsigned char *row[2];
    double position[2];
} pe__row_pair;

/* Columns of two rows, or of one of them. (a, b) is (sine, cosine), or (cosine, sine) where cosines
   come first: what rotates (s, c) forth rotates (c, s) back, so these are the same but for which
   row is which. What is constant for a tile comes from pe__span_begin(), the rest from block to
   block and from row to row. */
typedef struct pe__span {
    const pe__output *output;
    const pe_plan *plan;
    const pe__bound *bound;
    const pe__adder *adder; /* NULL: floats are stored                                          */
    const double *a, *b;    /* the anchor's columns                                             */
    const double *ts, *tc;  /* the plan's row that rotates it; NULL: the anchor's own row       */
    pe__row_pair at;        /* where the rows' first columns go                                 */
    ptrdiff_t across;       /* bytes from there to the first cosine, if split                   */
    size_t pair;            /* the plan's pair of column 0                                      */
    size_t first, second;   /* columns of a and b                                               */
    size_t begin, end;      /* pairs wanted                                                     */
    size_t slow;            /* from that pair on angles are so small that all may be judged     */
    int32_t slow_guard;     /* bits of the smallest float of these: a normal one                */
    size_t peeled;          /* pairs before the first aligned address where floats stream       */
    pe__store_mode mode;
    float scale;                 /* adding                                                        */
    size_t prefetch_distance[2]; /* bytes from a row to what is asked for                         */
    int split, swapped;
} pe__span;

PE__WRAPS /* what is asked for ahead: any address will do */
PE__INLINE void pe__span_begin(pe__span *x, const pe__output *output, const pe__bound *bound,
                               const pe__adder *adder)
{
    x->output = output;
    x->plan = output->plan;
    x->bound = bound;
    x->adder = adder;
    x->pair = output->pair;
    x->split = output->order == PE__SPLIT;
    x->swapped = output->order == PE__CS;
    x->first = x->swapped ? output->cosines : output->sines;
    x->second = x->swapped ? output->sines : output->cosines;
    x->begin = 0;
    x->end = pe__pairs_of(output);
    x->across = ((ptrdiff_t)output->cosine - (ptrdiff_t)output->sine) * (ptrdiff_t)output->element;
    x->peeled = output->mode == PE__STREAM ? output->peeled : 0;
    x->mode = output->mode;
    x->scale = (float)output->scale;
    x->prefetch_distance[0] = output->prefetch_distance;
    x->slow = SIZE_MAX;
}

/* (a, b) rotated by (ts, tc), [0] forth and [1] back. */
typedef struct pe__rotated {
    pe__vd a[2], b[2];
} pe__rotated;
PE__INLINE pe__rotated pe__rotate(pe__vd a, pe__vd b, pe__vd ts, pe__vd tc)
{
    const pe__vd aC = a * tc, bC = b * tc;
    pe__rotated r;
    r.a[0] = pe__fma(b, ts, aC);
    r.b[0] = pe__fnma(a, ts, bC);
    r.a[1] = pe__fnma(b, ts, aC);
    r.b[1] = pe__fma(a, ts, bC);
    return r;
}

/* The pairs at i of a span; if only one row is wanted, it is as if forth. */
PE__INLINE pe__rotated pe__rotate_at(const pe__span *x, size_t i, int two)
{
    if (!two && !x->ts) {
        pe__rotated r;
        r.a[0] = r.a[1] = pe__load(x->a + i);
        r.b[0] = r.b[1] = pe__load(x->b + i);
        return r;
    }
    pe__vd ts = pe__load(x->ts + i);
    if (!two) ts = ts * pe__splat(x->at.row[0] ? 1.0 : -1.0);
    return pe__rotate(pe__load(x->a + i), pe__load(x->b + i), ts, pe__load(x->tc + i));
}

/* Two vectors of doubles as floats, which follow each other if they are split. */
PE__INLINE pe__vf pe__round_two(pe__vd a, pe__vd b, int split)
{
    return split ? pe__join(a, b) : pe__zip(a, b);
}

/* From y' = y (1 + eta) to y, whose interval is y - e ... y + e: round y + e; set a bit of doubt
   where y - e does not give the same float. */
PE__INLINE pe__vf pe__ziv_round(const pe__span *x, pe__vd a, pe__vd b, int split,
                                unsigned *undecided)
{
    const double eta = x->bound->eta;
    const pe__vd deflate = pe__splat(1 - eta + eta * eta);
    const pe__vd e = pe__splat(x->bound->error * fabs(x->plan->amplitude));
    a = a * deflate;
    b = b * deflate;
    const pe__vf above = pe__round_two(a + e, b + e, split);
    *undecided = pe__differ(above, pe__round_two(a - e, b - e, split));
    return above;
}

/* Elements of a vector in doubt, exactly: of the pairs from k on, their components zipped, or, if
   split, their first ones or their second ones. Lanes behind the last pair repeat it with its
   doubts, which are ignored, since nothing of these lanes is stored. */
PE__COLD pe__vf pe__round_lanes(const pe__span *x, int side, size_t k, int split, int second,
                                unsigned undecided, pe__vf v)
{
    float all[PE__FLOATS];
    pe__put(all, v);
    for (; undecided; undecided &= undecided - 1) {
        const size_t j = pe__lowest_bit(undecided), component = split ? (size_t)second : j % 2;
        const size_t pair = k + (split ? j : j / 2);
        if (pair < (component ? x->second : x->first))
            all[j] =
                (float)x->output->round_element(x->plan, x->at.position[side], x->pair + pair,
                                                (int)component ^ x->swapped, PE__DROP_F32, NULL);
    }
    return pe__get(all);
}

/* Two vectors of pairs of a row, from k on, by their intervals: y is a, b of the first and a, b of
   the second. To v[0] and v[1] as they lie in memory, or, if split, one of sines and one of
   cosines. */
PE__INLINE void pe__ziv_round_two(const pe__span *x, int side, size_t k, const pe__vd *y,
                                  pe__vf *v)
{
    const int split = x->split;
    unsigned undecided, undecided_2;
    v[0] = pe__ziv_round(x, y[0], split ? y[2] : y[1], split, &undecided);
    v[1] = pe__ziv_round(x, split ? y[1] : y[2], y[3], split, &undecided_2);
    if (PE__UNLIKELY(undecided | undecided_2)) {
        v[0] = pe__round_lanes(x, side, k, split, 0, undecided, v[0]);
        v[1] = pe__round_lanes(x, side, split ? k : k + PE_LANES, split, 1, undecided_2, v[1]);
    }
}

/* Four vectors of pairs from i on, for which the watch has raised the alarm: v[0] and v[1] of both
   rows, or v[0] of the one that is wanted. All of them: to find out which one raised it takes
   longer. */
PE__OUTLINE void pe__round_flagged(const pe__span *x, size_t i, int two, pe__floats4 *v)
{
    const int first = !two && !x->at.row[0];
    for (size_t n = 0; n < 4; n += 2, i += 2 * PE_LANES) {
        const pe__rotated r = pe__rotate_at(x, i, two), s = pe__rotate_at(x, i + PE_LANES, two);
        const pe__vd plus[4] = {r.a[0], r.b[0], s.a[0], s.b[0]};
        const pe__vd minus[4] = {r.a[1], r.b[1], s.a[1], s.b[1]};
        pe__ziv_round_two(x, first, i, plus, v[0].v + n);
        if (two) pe__ziv_round_two(x, 1, i, minus, v[1].v + n);
    }
}

/* After an alarm: the same with another guard. AVX2's watch knows no sizes from 2 on: floats do. */
PE__INLINE int pe__confirm_flag(pe__rounding_test w, int32_t window, int32_t guard,
                                const pe__floats4 *plus, const pe__floats4 *minus)
{
    const pe__vf *const f = plus->v, *const b = minus->v;
#if PE_ISA == PE_ISA_AVX2
    const pe__vf f4 = pe__min_size(pe__min_size(f[0], f[1]), pe__min_size(f[2], f[3]));
    const pe__vf b4 = pe__min_size(pe__min_size(b[0], b[1]), pe__min_size(b[2], b[3]));
    const unsigned flagged = pe__signs(w.low < INT32_MIN + (window << PE__TO_TOP)) & 0x55;
    return (flagged | pe__signs((pe__vi)pe__min_size(f4, b4) < guard)) != 0;
#else
    (void)f;
    (void)b;
    return pe__rounding_test_flagged(w, window, guard);
#endif
}

/* Two vectors of pairs of row `side` as floats, watched: as they follow each other in memory, or,
   if split, one of sines and one of cosines. */
PE__INLINE void pe__round_tested(const pe__rotated *r, const pe__rotated *s, int side, int split,
                                 pe__rounding_test *test, pe__vf *v)
{
    const pe__vd second = split ? s->a[side] : r->b[side], third = split ? r->b[side] : s->a[side];
    v[0] = pe__round_two(r->a[side], second, split);
    pe__rounding_test_add(test, r->a[side], second, v[0]);
    v[1] = pe__round_two(third, s->b[side], split);
    pe__rounding_test_add(test, third, s->b[side], v[1]);
}

/* Rotate the two vectors of pairs at i, round, watch. */
PE__INLINE void pe__rotate_two(const pe__span *x, size_t i, int two, int split,
                               pe__rounding_test *test, pe__vf *plus, pe__vf *minus)
{
    const pe__rotated r = pe__rotate_at(x, i, two), s = pe__rotate_at(x, i + PE_LANES, two);
    pe__round_tested(&r, &s, 0, split, test, plus);
    if (two) pe__round_tested(&r, &s, 1, split, test, minus);
}

/* Ask for four vectors, each line once: row after row forth and back is more than the hardware's
   prefetchers follow. What is filled is asked for, too, where the second-level cache cannot hold
   it. */
PE__WRAPS /* the addresses asked for: any will do */
PE__INLINE void pe__prefetch_vectors(const unsigned char *p, ptrdiff_t at1, ptrdiff_t at2,
                                     size_t vector, size_t prefetch_distance)
{
    const unsigned char *const p1 = p + at1, *const p2 = p + at2, *const p3 = p1 + at2;
    const int split = at2 == (ptrdiff_t)vector, line = vector >= 64;
    PE__PREFETCH((uintptr_t)p + prefetch_distance);
    if (line || split) PE__PREFETCH((uintptr_t)p1 + prefetch_distance);
    if (line || (vector == 32 && !split)) PE__PREFETCH((uintptr_t)p2 + prefetch_distance);
    if (line) PE__PREFETCH((uintptr_t)p3 + prefetch_distance);
}

/* Add four vectors of floats to elements of a type, see pe__store_four(). */
PE__INLINE void pe__add_four(pe__type type, float scale, size_t prefetch_distance, int split,
                             unsigned char *p, ptrdiff_t across, const pe__floats4 *x)
{
    const ptrdiff_t vector = (ptrdiff_t)(2 * PE_LANES * pe__size_of(type));
    const ptrdiff_t at1 = split ? across : vector, at2 = split ? vector : 2 * vector;
    unsigned char *const p1 = p + at1, *const p2 = p + at2, *const p3 = p1 + at2;
    const pe__vf *const v = x->v;
    pe__prefetch_vectors(p, at1, at2, (size_t)vector, prefetch_distance);
    const pe__vf s0 = pe__scaled_sum(pe__get_as(type, p), &scale, v[0]);
    const pe__vf s1 = pe__scaled_sum(pe__get_as(type, p1), &scale, v[1]);
    const pe__vf s2 = pe__scaled_sum(pe__get_as(type, p2), &scale, v[2]);
    const pe__vf s3 = pe__scaled_sum(pe__get_as(type, p3), &scale, v[3]);
    pe__put_two_as(type, p, s0, p1, s1); /* then the scale is looked at once */
    pe__put_two_as(type, p2, s2, p3, s3);
}

/* Four vectors to where they belong. Where two rows are added, the type is a constant in the
   kernel; the adder of a single row knows it, and is called. */
typedef enum pe__sum {
    PE__NOT_ADDED = -1,
    PE__SUM_F32 = PE__F32,
    PE__SUM_F16 = PE__F16,
    PE__SUM_BF16 = PE__BF16
} pe__sum;
PE__INLINE void pe__store_four(const pe__span *x, pe__sum sum, int two, int split, int side,
                               unsigned char *p, const pe__floats4 *four)
{
    const pe__vf *const v = four->v;
    const ptrdiff_t vector = (ptrdiff_t)(2 * PE_LANES * sizeof(float));
    const ptrdiff_t at1 = split ? x->across : vector, at2 = split ? vector : 2 * vector;
    float *const p0 = (float *)(void *)p, *const p1 = (float *)(void *)(p + at1);
    float *const p2 = (float *)(void *)(p + at2), *const p3 = (float *)(void *)(p + at1 + at2);
    if (sum != PE__NOT_ADDED) {
        pe__add_four((pe__type)sum, x->scale, x->prefetch_distance[side], split, p, x->across,
                     four);
    } else if (PE__UNLIKELY(x->mode == PE__STREAM)) {
        pe__stream(p0, v[0]);
        pe__stream(p1, v[1]);
        pe__stream(p2, v[2]);
        pe__stream(p3, v[3]);
    } else if (two || x->mode != PE__ADD) {
        if (PE__UNLIKELY(x->mode != PE__STORE))
            pe__prefetch_vectors(p, at1, at2, (size_t)vector, x->prefetch_distance[side]);
        pe__put(p0, v[0]);
        pe__put(p1, v[1]);
        pe__put(p2, v[2]);
        pe__put(p3, v[3]);
    } else {
        x->adder->four(x->output, p, x->across, v[0], v[1], v[2], v[3]);
    }
}

/* n floats; for a vector, or half of one, memcpy() is no call. */
PE__INLINE void pe__store_some(const pe__span *x, unsigned char *p, const float *v, size_t n)
{
    if (x->adder) x->adder->some(x->output, p, v, n);
    else if (n == PE_LANES) memcpy(p, v, PE_LANES * sizeof *v);
    else if (n == 2 * PE_LANES) memcpy(p, v, 2 * PE_LANES * sizeof *v);
    else memcpy(p, v, n * sizeof *v);
}

/* Position 0, where all sines are 0 and would raise the alarm. */
PE__COLD void pe__store_origin(const pe__span *x, int side, pe__type type)
{
    enum { PE__SUMS = 16 };
    const size_t element = x->output->element;
    const double amplitude = x->plan->amplitude;
    const float sine = (float)(0 * amplitude);
    const float cosine = pe__round_once(amplitude, 0, 1, pe__dropped_bits(type));
    for (int component = 0; component <= x->split; component++) {
        unsigned char *const p = x->at.row[side] + (component ? x->across : 0);
        const size_t n = !x->split ? x->first + x->second : component ? x->second : x->first;
        float all[PE__SUMS];
        for (int j = 0; j < PE__SUMS; j++)
            all[j] = (x->split ? component : j % 2) == x->swapped ? sine : cosine;
        for (size_t i = 0, m; i < n; i += m) {
            m = pe__min(n - i, type == PE__F32 ? (size_t)PE__SUMS : (size_t)PE__FLOATS);
            if (type == PE__F32) pe__store_some(x, p + i * element, all, m);
            else pe__put_n_as(type, p + i * element, pe__get(all), m);
        }
    }
}

/* The first pairs of the vector at i: so many first and second components. Out of line: it is for
   the ends of a row only, and its arrays must not be in the frame of the loop. */
PE__OUTLINE void pe__store_partial(const pe__span *x, size_t i, size_t first, size_t second)
{
    const int two = x->ts != NULL; /* both, even if one is wanted */
    const pe__rotated r = pe__rotate_at(x, i, two);
    const int32_t guard = i < x->slow ? x->plan->guard : x->slow_guard;
    const size_t e = x->output->element;
    pe__rounding_test test = pe__rounding_test_begin();
    pe__vf v[2];
    for (int side = 0; side < 2; side++) {
        v[side] = pe__round_two(r.a[side], r.b[side], x->split);
        if (x->at.row[side]) pe__rounding_test_add(&test, r.a[side], r.b[side], v[side]);
    }
    const int flagged = pe__rounding_test_flagged(test, x->bound->window, guard);
    for (int side = 0; side < 2; side++) {
        unsigned char *const p = x->at.row[side];
        float all[2 * PE_LANES], interleaved[2 * PE_LANES];
        if (!p) continue;
        pe__put(all, v[side]);
        if (PE__UNLIKELY(flagged)) {
            unsigned undecided;
            const pe__vf w = pe__ziv_round(x, r.a[side], r.b[side], 0, &undecided);
            pe__put(interleaved, pe__round_lanes(x, side, i, 0, 0, undecided, w));
            for (size_t k = 0; k < 2 * PE_LANES; k++)
                all[x->split ? k % 2 * PE_LANES + k / 2 : k] = interleaved[k];
        }
        if (x->split) {
            pe__store_some(x, p + i * e, all, first);
            pe__store_some(x, p + x->across + (ptrdiff_t)(i * e), all + PE_LANES,
                           pe__min(second, PE_LANES)); /* it is: so that compilers know */
        } else {
            pe__store_some(x, p + 2 * i * e, all, first + second);
        }
    }
}

/* All columns of a span's row, or n times of its two rows and the next two: up to an aligned
   address, then four vectors with one look at the watch, then the rest. What the hot loop reads is
   copied into locals, so that it stays in registers: the compiler knows that no store changes them.
   */
PE__INLINE void pe__rotate_span_f32(pe__span *span, int64_t n, int two, int split, pe__sum sum)
{
    const int32_t window = span->bound->window, guard = span->plan->guard;
    pe__span hot = *span;
    const pe__span *const x = &hot;
    const size_t element = two && sum == PE__NOT_ADDED ? sizeof(float) : x->output->element;
    const size_t step = (split ? 1 : 2) * element, end = span->end;
    const size_t whole = pe__min(span->first, span->second), fours = pe__min(whole, end);
    const size_t peeled = pe__min(span->peeled, whole), padded = span->plan->padded;
    const ptrdiff_t stride = span->swapped ? -x->output->stride : x->output->stride;
    unsigned char *plus = span->at.row[!two && !x->at.row[0]], *minus = span->at.row[1];
    for (;;) {
        size_t i = span->begin;
        for (size_t some; i < peeled; i += some) {
            some = pe__min(peeled - i, PE_LANES);
            pe__store_partial(span, i, some, some);
        }
        for (; i + 4 * PE_LANES <= fours; i += 4 * PE_LANES) {
            pe__rounding_test test = pe__rounding_test_begin();
            pe__floats4 f, b;
            pe__rotate_two(x, i, two, split, &test, f.v, b.v);
            pe__rotate_two(x, i + 2 * PE_LANES, two, split, &test, f.v + 2, b.v + 2);
            if (PE__UNLIKELY(pe__rounding_test_flagged(test, window, guard)) &&
                pe__confirm_flag(test, window, i < span->slow ? guard : span->slow_guard, &f,
                                 two ? &b : &f)) {
                pe__floats4 rounded[2];
                pe__round_flagged(span, i, two, rounded);
                f = rounded[0];
                if (two) b = rounded[1];
            }
            pe__store_four(x, sum, two, split, 0, plus + i * step, &f);
            if (two) pe__store_four(x, sum, two, split, 1, minus + i * step, &b);
        }
        for (; i < end; i += PE_LANES)
            pe__store_partial(span, i, i < span->first ? pe__min(span->first - i, PE_LANES) : 0,
                              i < span->second ? pe__min(span->second - i, PE_LANES) : 0);
        if (!two || --n <= 0) return;
        const double sign = span->swapped ? -1 : 1;
        span->at.row[0] += stride;
        span->at.row[1] -= stride;
        span->at.position[0] += sign;
        span->at.position[1] -= sign;
        span->ts += 2 * padded;
        span->tc += 2 * padded;
        plus += stride;
        minus -= stride;
        hot.ts += 2 * padded;
        hot.tc += 2 * padded;
    }
}

/* The kernels: n times two rows and the next two, stored or added; and a single row. */
typedef void pe__row_pair_kernel(pe__span *x, int64_t n);
PE__INLINE void pe__rotate_row_pairs(pe__span *x, int64_t n, pe__sum sum)
{
    if (x->split) pe__rotate_span_f32(x, n, 1, 1, sum);
    else pe__rotate_span_f32(x, n, 1, 0, sum);
}
PE__OUTLINE void pe__store_row_pairs(pe__span *x, int64_t n)
{
    pe__rotate_row_pairs(x, n, PE__NOT_ADDED);
}
PE__OUTLINE void pe__store_row_of_pair(pe__span *x)
{
    pe__rotate_span_f32(x, 1, 0, x->split, PE__NOT_ADDED);
}

/* x = scale x + row, n elements, each sum in f32 and rounded once to the type of x; asked for ahead
   as in pe__store_four(). */
PE__WRAPS
PE__INLINE void pe__add_some(pe__type type, const pe__output *output, void *x, const float *row,
                             size_t n)
{
    for (size_t i = 0; i < n * output->element; i += 64)
        PE__PREFETCH((uintptr_t)x + output->prefetch_distance + i);
    const float scale = (float)output->scale;
    pe__add_row_as(type, x, PE__F32, row, n, &scale);
}

/* Of a single row: what pe__store_four() does where two rows are added. */
PE__INLINE void pe__add_four_to(pe__type type, const pe__output *output, unsigned char *p,
                                ptrdiff_t across, const pe__floats4 *v)
{
    pe__add_four(type, (float)output->scale, output->prefetch_distance, output->order == PE__SPLIT,
                 p, across, v);
}

#define PE__ADDER(T, type)                                                                         \
    PE__OUTLINE void pe__add_row_pairs_##T(pe__span *x, int64_t n)                                 \
    {                                                                                              \
        pe__rotate_row_pairs(x, n, (pe__sum)type);                                                 \
    }                                                                                              \
    PE__OUTLINE void pe__add_four_##T(const pe__output *output, unsigned char *p,                  \
                                      ptrdiff_t across, pe__vf v0, pe__vf v1, pe__vf v2,           \
                                      pe__vf v3)                                                   \
    {                                                                                              \
        const pe__floats4 v = {{v0, v1, v2, v3}};                                                  \
        pe__add_four_to(type, output, p, across, &v);                                              \
    }                                                                                              \
    PE__OUTLINE void pe__add_some_##T(const pe__output *output, unsigned char *x, const void *row, \
                                      size_t n)                                                    \
    {                                                                                              \
        pe__add_some(type, output, x, (const float *)row, n);                                      \
    }                                                                                              \
    static const pe__adder pe__adder_##T = {pe__add_four_##T, pe__add_some_##T};
PE__ADDER(f32, PE__F32)
PE__ADDER(f16, PE__F16)
PE__ADDER(bf16, PE__BF16)
#undef PE__ADDER
