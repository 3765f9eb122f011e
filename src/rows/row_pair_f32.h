/* SPDX-License-Identifier: MIT */
/* The kernel of rows of floats: it rotates two rows at a time from their anchor, rounds and tests
 * them, and stores or adds them. Tested by tests/unit/rows/test_exact.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../sincos/exact.h"
#include "../sincos/bounds.h"
#include "../sincos/double.h"
#include "../layouts/elements.h"
#include "../layouts/output.h"
#include "../plan/rotation.h"

/* ---- 6.4 two rows of floats ---------------------------------------------------------------------
 * The rows anchor + b and anchor - b are rotated from their anchor together, since they share two
 * products. A vector that the rounding test flags is rounded again by Ziv's test, and its undecided
 * lanes are rounded exactly. */

/* A span is the columns of a tile in a row pair, or in one row of it. Fields that are constant in a
   tile are set by pe__span_begin(), except slow and slow_guard, which pe__write_tile() sets. The
   fields a and b change from block to block. The fields row, position, ts, tc and prefetch_distance
   change from row pair to row pair.

   (a, b) is (sine, cosine), or (cosine, sine) where cosines come first (swapped). One kernel serves
   both orders, because the rotation that takes (s, c) forwards takes (c, s) backwards: only the two
   rows change places. So `swapped` matters in three kinds of places. In pe__span_begin(),
   pe__block_begin() and pe__write_far_row(), the components are set. In pe__set_row_pair(),
   pe__set_prefetch_distance() and pe__rotate_span_f32(), rows are chosen or advance. In
   pe__round_lanes(), pe__round_element_16() and pe__store_origin(), sines differ from cosines.

   The rounding test flags floats below a guard. The plan's guard is needed because small sines can
   have large relative errors. A pair is slow if its frequency is so low that the errors of its
   sines shrink with the sines: see pe__slow_from(). Slow pairs use slow_guard instead, which only
   flags floats that may be subnormal. */
typedef struct pe__span {
    const pe__output *output;
    const pe__bound *bound;
    const pe__adder *adder; /* adds floats to elements; NULL: floats are stored                 */
    const double *a, *b;    /* the anchor's first and second components, with a factor 1 + eta  */
    const double *ts, *tc;  /* sines and cosines of rotation row b; NULL: the row is the anchor */
    unsigned char *row[2];  /* where the rows anchor + b and anchor - b begin (if swapped, anchor -
                               b and anchor + b); NULL: this row is not written                 */
    double position[2];     /* the positions of these rows                                      */
    ptrdiff_t across;       /* split: bytes from the first sine to the first cosine             */
    size_t pair;            /* the index in the plan of the pair a[0], b[0]                     */
    size_t first, second;   /* number of first and of second components in the span             */
    size_t begin, end;      /* the pairs to write: begin ... end - 1, counted from a[0], b[0]   */
    size_t slow;            /* the first of the slow pairs, counted likewise; SIZE_MAX: none    */
    int32_t slow_guard;     /* guard of slow pairs, as bits of a float: just above the smallest
                               normal float; INT32_MAX, which flags all, if elements may be
                               infinite                                                         */
    size_t peeled;          /* PE__STREAM: pairs before the first aligned address               */
    pe__store_mode mode;
    float scale;                 /* PE__ADD: x = scale x + row                                    */
    size_t prefetch_distance[2]; /* of each row: bytes from an element to the prefetched line     */
    int split, swapped;          /* split: in halves; swapped: interleaved, cosines first         */
} pe__span;

/* Begins a span of all pairs of an output, none of them slow. The caller sets a, b, ts, tc, row and
   position later, and slow and slow_guard if pairs may be slow. */
PE__INLINE void pe__span_begin(pe__span *x, const pe__output *output, const pe__bound *bound,
                               const pe__adder *adder)
{
    x->output = output;
    x->bound = bound;
    x->adder = adder;
    x->pair = output->pair;
    x->split = output->order == PE__SPLIT;
    x->swapped = output->order == PE__CS;
    x->first = x->swapped ? output->cosines : output->sines;
    x->second = x->swapped ? output->sines : output->cosines;
    x->begin = 0;
    x->end = pe__max(output->sines, output->cosines);
    x->across = ((ptrdiff_t)output->cosine - (ptrdiff_t)output->sine) * (ptrdiff_t)output->element;
    x->peeled = output->mode == PE__STREAM ? output->peeled : 0;
    x->mode = output->mode;
    x->scale = (float)output->scale;
    x->prefetch_distance[0] = x->prefetch_distance[1] = output->prefetch_distance;
    x->slow = SIZE_MAX;
}

/* Rotate the vector of pairs at i to both rows. If both_rows is 0, only the row that is not NULL is
   computed. Its components are then a[0] and b[0] of the result, whichever row it is. If ts is
   NULL, that row is the anchor itself. */
PE__INLINE pe__rotated pe__rotate_at(const pe__span *x, size_t i, int both_rows)
{
    if (!both_rows && !x->ts) {
        pe__rotated r;
        r.a[0] = r.a[1] = pe__load(x->a + i);
        r.b[0] = r.b[1] = pe__load(x->b + i);
        return r;
    }
    pe__vd ts = pe__load(x->ts + i);
    if (!both_rows) ts = ts * pe__splat(x->row[0] ? 1.0 : -1.0);
    return pe__rotate(pe__load(x->a + i), pe__load(x->b + i), ts, pe__load(x->tc + i));
}

/* Round two vectors of doubles to floats: a0 a1 ... b0 b1 ... if split, else a0 b0 a1 b1 ... */
PE__INLINE pe__vf pe__round_two(pe__vd a, pe__vd b, int split)
{
    return split ? pe__join(a, b) : pe__zip(a, b);
}

/* Apply Ziv's test to two vectors. a and b hold y (1 + eta); multiplied by 1 - eta + eta^2 they are
   y, with the error interval y - e ... y + e. Returns y + e rounded to floats, in the order of
   pe__round_two(). Sets bit j of *undecided where y - e rounds to another float in lane j. */
PE__INLINE pe__vf pe__ziv_round(const pe__span *x, pe__vd a, pe__vd b, int split,
                                unsigned *undecided)
{
    const double eta = x->bound->eta;
    const pe__vd deflate = pe__splat(1 - eta + eta * eta);
    const pe__vd e = pe__splat(x->bound->error * fabs(x->output->plan->amplitude));
    a = a * deflate;
    b = b * deflate;
    const pe__vf above = pe__round_two(a + e, b + e, split);
    *undecided = pe__differ(above, pe__round_two(a - e, b - e, split));
    return above;
}

/* Return v with its undecided lanes rounded exactly. The lanes of v are components of the pairs
   that start at index k. They are interleaved or, if split, only first components (second = 0) or
   only second ones (second = 1). `side` is the row's index in x->row. Padding lanes repeat the last
   pair, so they may also be undecided. They are skipped, since they are never stored. */
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
                (float)x->output->round_element(x->output->plan, x->position[side], x->pair + pair,
                                                (int)component ^ x->swapped, PE__DROP_F32, NULL);
    }
    return pe__get(all);
}

/* Round two vectors of pairs of one row, starting at pair k, using Ziv's test. Round undecided
   lanes exactly. The components a and b are y[0] and y[1] for the first vector, y[2] and y[3] for
   the second. The floats are returned in v[0] and v[1] in the order of memory. If split, v[0] gets
   the first components and v[1] the second ones. */
PE__INLINE void pe__ziv_round_two(const pe__span *x, int side, size_t k, const pe__vd *y, pe__vf *v)
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

/* Round a group, the four vectors of pairs that start at pair i, in which the rounding test has
   flagged a vector. The floats of x->row[0] and x->row[1] are returned in v[0] and v[1]. If
   both_rows is 0, those of the one row that is not NULL are returned in v[0]. All four vectors are
   rounded, since it would take longer to find the flagged one. */
PE__OUTLINE void pe__round_flagged(const pe__span *x, size_t i, int both_rows, pe__floats4 *v)
{
    const int first = !both_rows && !x->row[0];
    for (size_t n = 0; n < 4; n += 2, i += 2 * PE_LANES) {
        const pe__rotated r = pe__rotate_at(x, i, both_rows),
                          s = pe__rotate_at(x, i + PE_LANES, both_rows);
        const pe__vd plus[4] = {r.a[0], r.b[0], s.a[0], s.b[0]};
        const pe__vd minus[4] = {r.a[1], r.b[1], s.a[1], s.b[1]};
        pe__ziv_round_two(x, first, i, plus, v[0].v + n);
        if (both_rows) pe__ziv_round_two(x, 1, i, minus, v[1].v + n);
    }
}

/* Return whether vectors that the rounding test w has flagged are also flagged with `guard`. The
   hot loop flags all pairs by the plan's guard. Slow pairs, which it flags needlessly, are cleared
   here with slow_guard. AVX2's test takes magnitudes from the doubles and flags every double of 2
   or more. Here magnitudes come from the floats, plus and minus, which have no limit of this
   kind. */
PE__INLINE int pe__confirm_flag(pe__rounding_test w, int32_t window, int32_t guard,
                                const pe__floats4 *plus, const pe__floats4 *minus)
{
    const pe__vf *const f = plus->v, *const b = minus->v;
#if PE_ISA == PE_ISA_AVX2
    const pe__vf f4 = pe__min_size(pe__min_size(f[0], f[1]), pe__min_size(f[2], f[3]));
    const pe__vf b4 = pe__min_size(pe__min_size(b[0], b[1]), pe__min_size(b[2], b[3]));
    /* 0x55: the lower halves of the doubles, which have the distances from midpoints */
    const unsigned flagged = pe__signs(w.low < INT32_MIN + (window << PE__TO_TOP)) & 0x55;
    return (flagged | pe__signs((pe__vi)pe__min_size(f4, b4) < guard)) != 0;
#else
    (void)f;
    (void)b;
    return pe__rounding_test_flagged(w, window, guard);
#endif
}

/* Round two vectors of pairs, r and s, of row `side` to floats in v[0] and v[1], and add them to
   the rounding test. The floats are in the order of memory. If split, v[0] has the first components
   and v[1] the second ones. */
PE__INLINE void pe__round_tested(const pe__rotated *r, const pe__rotated *s, int side, int split,
                                 pe__rounding_test *test, pe__vf *v)
{
    const pe__vd second = split ? s->a[side] : r->b[side], third = split ? r->b[side] : s->a[side];
    v[0] = pe__round_two(r->a[side], second, split);
    pe__rounding_test_add(test, r->a[side], second, v[0]);
    v[1] = pe__round_two(third, s->b[side], split);
    pe__rounding_test_add(test, third, s->b[side], v[1]);
}

/* Rotate the two vectors of pairs at i, round them to floats and add them to the rounding test. */
PE__INLINE void pe__rotate_group_half(const pe__span *x, size_t i, int both_rows, int split,
                                      pe__rounding_test *test, pe__vf *plus, pe__vf *minus)
{
    const pe__rotated r = pe__rotate_at(x, i, both_rows),
                      s = pe__rotate_at(x, i + PE_LANES, both_rows);
    pe__round_tested(&r, &s, 0, split, test, plus);
    if (both_rows) pe__round_tested(&r, &s, 1, split, test, minus);
}

/* Prefetch the lines that are prefetch_distance bytes after four vectors at p, p + at1, p + at2 and
   p + at1 + at2, each line once. Hardware prefetchers do not follow rows that alternate between
   anchor + b and anchor - b. Where rows are stored and not added, their lines are prefetched only
   if the second-level cache cannot hold the output (PE__STORE_PREFETCHED). */
PE__WRAPS /* the addresses may wrap: any address may be prefetched */
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

/* Add four vectors of floats to the elements of a type at the addresses of pe__store_four(). */
PE__INLINE void pe__add_four(pe_type type, float scale, size_t prefetch_distance, int split,
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
    pe__put_two_as(type, p, s0, p1, s1); /* after all sums, so that the scale is tested once */
    pe__put_two_as(type, p2, s2, p3, s3);
}

/* This says what a row pair kernel does with floats: it stores them, or adds them to elements of a
   type. */
typedef enum pe__sum {
    PE__NOT_ADDED = -1,
    PE__SUM_F32 = PE_TYPE_F32,
    PE__SUM_F16 = PE_TYPE_F16,
    PE__SUM_BF16 = PE_TYPE_BF16
} pe__sum;

/* Store, stream or add four vectors of row `side`, v[0] at p and the others after it. If split,
   v[1] and v[3] are x->across bytes after v[0] and v[2]. A row pair is added inline, since the type
   is a constant of its kernel. A single row (both_rows is 0) is added by a call of the adder, which
   knows the type. */
PE__INLINE void pe__store_four(const pe__span *x, pe__sum sum, int both_rows, int split, int side,
                               unsigned char *p, const pe__floats4 *four)
{
    const pe__vf *const v = four->v;
    const ptrdiff_t vector = (ptrdiff_t)(2 * PE_LANES * sizeof(float));
    const ptrdiff_t at1 = split ? x->across : vector, at2 = split ? vector : 2 * vector;
    float *const p0 = (float *)(void *)p, *const p1 = (float *)(void *)(p + at1);
    float *const p2 = (float *)(void *)(p + at2), *const p3 = (float *)(void *)(p + at1 + at2);
    if (sum != PE__NOT_ADDED) {
        pe__add_four((pe_type)sum, x->scale, x->prefetch_distance[side], split, p, x->across, four);
    } else if (PE__UNLIKELY(x->mode == PE__STREAM)) {
        pe__stream(p0, v[0]);
        pe__stream(p1, v[1]);
        pe__stream(p2, v[2]);
        pe__stream(p3, v[3]);
    } else if (both_rows || x->mode != PE__ADD) {
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

/* Store n floats at p, or add them. Half a vector and a whole vector are copied with a constant
   size, since compilers make no call of such a memcpy(). */
PE__INLINE void pe__store_floats(const pe__span *x, unsigned char *p, const float *v, size_t n)
{
    if (x->adder) x->adder->partial(x->output, p, v, n);
    else if (n == PE_LANES) memcpy(p, v, PE_LANES * sizeof *v);
    else if (n == 2 * PE_LANES) memcpy(p, v, 2 * PE_LANES * sizeof *v);
    else memcpy(p, v, n * sizeof *v);
}

/* Write row `side`, which is at position 0: all its sines are 0, and all its cosines are the
   amplitude. The rounding test would flag the zeros. With PE_TYPE_F32, floats are stored or, if the
   span has an adder, added to elements of its type. With a 16-bit type, elements are stored. */
PE__COLD void pe__store_origin(const pe__span *x, int side, pe_type type)
{
    enum { PE__SUMS = 16 };
    const size_t element = x->output->element;
    const double amplitude = x->output->plan->amplitude;
    const float sine = (float)(0 * amplitude);
    const float cosine = pe__round_once(amplitude, 0, 1, pe__dropped_bits(type));
    for (int component = 0; component <= x->split; component++) {
        unsigned char *const p = x->row[side] + (component ? x->across : 0);
        const size_t n = !x->split ? x->first + x->second : component ? x->second : x->first;
        float all[PE__SUMS];
        for (int j = 0; j < PE__SUMS; j++)
            all[j] = (x->split ? component : j % 2) == x->swapped ? sine : cosine;
        for (size_t i = 0, m; i < n; i += m) {
            m = pe__min(n - i, type == PE_TYPE_F32 ? (size_t)PE__SUMS : (size_t)PE__FLOATS);
            if (type == PE_TYPE_F32) pe__store_floats(x, p + i * element, all, m);
            else pe__put_n_as(type, p + i * element, pe__get(all), m);
        }
    }
}

/* Write part of the vector of pairs at i in each row that is not NULL: first_count first components
   and second_count second ones. The hot loop tests all pairs with the plan's guard, and tests
   flagged slow pairs again with slow_guard. Here slow pairs are tested with slow_guard only. This
   function is out of line because only the ends of a row need it, and its arrays would enlarge the
   loop's stack frame. */
PE__OUTLINE void pe__store_partial(const pe__span *x, size_t i, size_t first_count,
                                   size_t second_count)
{
    const int both_rows = x->ts != NULL; /* rotate to both rows, even if one is NULL */
    const pe__rotated r = pe__rotate_at(x, i, both_rows);
    const int32_t guard = i < x->slow ? x->output->plan->guard : x->slow_guard;
    const size_t e = x->output->element;
    pe__rounding_test test = pe__rounding_test_begin();
    pe__vf v[2];
    for (int side = 0; side < 2; side++) {
        v[side] = pe__round_two(r.a[side], r.b[side], x->split);
        if (x->row[side]) pe__rounding_test_add(&test, r.a[side], r.b[side], v[side]);
    }
    const int flagged = pe__rounding_test_flagged(test, x->bound->window, guard);
    for (int side = 0; side < 2; side++) {
        unsigned char *const p = x->row[side];
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
            pe__store_floats(x, p + i * e, all, first_count);
            pe__store_floats(x, p + x->across + (ptrdiff_t)(i * e), all + PE_LANES,
                             pe__min(second_count, PE_LANES)); /* never more; for the compiler */
        } else {
            pe__store_floats(x, p + 2 * i * e, all, first_count + second_count);
        }
    }
}

/* This is the hot loop of rows of floats. It writes the pairs begin ... end - 1 of n row pairs:
   first span->row, then the row pairs at the next larger distances from the anchor. If both_rows is
   0, it writes only the row of span->row that is not NULL. Rows come from their anchor by angle
   addition:

       for each pair i:
           s, c = anchor[i]                   S, C = sin(b w_i), cos(b w_i), from rotation row b
           sC = s * C, cC = c * C             both rows share these products
           row[anchor + b][i] = sC + c * S, cC - s * S
           row[anchor - b][i] = sC - c * S, cC + s * S

   That is two multiplications and four multiply-adds for two rows of a vector of pairs. Each round
   of the loop rotates a group, four vectors of pairs, rounds it to floats, reads the rounding test
   once and stores the floats. Pairs before the first aligned address and after the last complete
   group are written by pe__store_partial().

   The pointers to the anchor, to the rotation row and to both rows remain in registers. So do the
   store mode, the minima of the rounding test and, until the test has been read, the eight vectors
   of floats. They could not if the loop read *span. Functions that are not inlined get the address
   of *span, so compilers would load its members again after each store. `hot` is a copy whose
   address only inlined functions get, so compilers know that no store changes it. With loads from
   *span and a call for each row pair, outputs of 512 x 512 took 9 % longer (AVX-512). The row
   pointers also advance in registers: in memory, they made outputs in the cache take 3 to 4 %
   longer. The size of an element is a constant where row pairs are stored. While it was read from
   the output, addresses were not kept in registers. Outputs of 512 x 512 then took 12 % longer with
   AVX-512, and split ones 11 % longer with AVX2. For AVX-512, gcc 12 keeps all of this in
   registers. With the 16 vector registers of AVX2, one of the eight vectors is on the stack. */
PE__INLINE void pe__rotate_span_f32(pe__span *span, int64_t n, int both_rows, int split,
                                    pe__sum sum)
{
    const int32_t window = span->bound->window, guard = span->output->plan->guard;
    pe__span hot = *span;
    const pe__span *const x = &hot;
    const size_t element = both_rows && sum == PE__NOT_ADDED ? sizeof(float) : x->output->element;
    const size_t step = (split ? 1 : 2) * element, end = span->end;
    const size_t complete = pe__min(span->first, span->second), groups_end = pe__min(complete, end);
    const size_t peeled = pe__min(span->peeled, complete), padded = span->output->plan->padded;
    const ptrdiff_t stride = span->swapped ? -x->output->stride : x->output->stride;
    unsigned char *plus = span->row[!both_rows && !x->row[0]], *minus = span->row[1];
    for (;;) {
        size_t i = span->begin;
        for (size_t count; i < peeled; i += count) {
            count = pe__min(peeled - i, PE_LANES);
            pe__store_partial(span, i, count, count);
        }
        for (; i + 4 * PE_LANES <= groups_end; i += 4 * PE_LANES) {
            pe__rounding_test test = pe__rounding_test_begin();
            pe__floats4 f, b;
            pe__rotate_group_half(x, i, both_rows, split, &test, f.v, b.v);
            pe__rotate_group_half(x, i + 2 * PE_LANES, both_rows, split, &test, f.v + 2, b.v + 2);
            if (PE__UNLIKELY(pe__rounding_test_flagged(test, window, guard)) &&
                pe__confirm_flag(test, window, i < span->slow ? guard : span->slow_guard, &f,
                                 both_rows ? &b : &f)) {
                pe__floats4 rounded[2];
                pe__round_flagged(span, i, both_rows, rounded);
                f = rounded[0];
                if (both_rows) b = rounded[1];
            }
            pe__store_four(x, sum, both_rows, split, 0, plus + i * step, &f);
            if (both_rows) pe__store_four(x, sum, both_rows, split, 1, minus + i * step, &b);
        }
        for (; i < end; i += PE_LANES)
            pe__store_partial(span, i, i < span->first ? pe__min(span->first - i, PE_LANES) : 0,
                              i < span->second ? pe__min(span->second - i, PE_LANES) : 0);
        if (!both_rows || --n <= 0) return;
        const double sign = span->swapped ? -1 : 1;
        span->row[0] += stride;
        span->row[1] -= stride;
        span->position[0] += sign;
        span->position[1] -= sign;
        span->ts += 2 * padded;
        span->tc += 2 * padded;
        plus += stride;
        minus -= stride;
        hot.ts += 2 * padded;
        hot.tc += 2 * padded;
    }
}

/* A row pair kernel stores or adds n row pairs: x->row and those at the next larger distances. By
   contrast, pe__store_one_row() stores or adds the one row of x->row that is not NULL. */
PE__OUTLINE void pe__store_row_pairs(pe__span *x, int64_t n)
{
    if (x->split) pe__rotate_span_f32(x, n, 1, 1, PE__NOT_ADDED);
    else pe__rotate_span_f32(x, n, 1, 0, PE__NOT_ADDED);
}
PE__OUTLINE void pe__store_one_row(pe__span *x)
{
    pe__rotate_span_f32(x, 1, 0, x->split, PE__NOT_ADDED);
}

/* Add n floats of row to the elements at x: x = scale x + row, in f32, then rounded once to the
   type of x. The lines that are output->prefetch_distance bytes after x are prefetched. */
PE__WRAPS /* the addresses may wrap: any address may be prefetched */
PE__INLINE void pe__add_some(pe_type type, const pe__output *output, void *x, const float *row,
                             size_t n)
{
    for (size_t i = 0; i < n * output->element; i += 64)
        PE__PREFETCH((uintptr_t)x + output->prefetch_distance + i);
    const float scale = (float)output->scale;
    pe__add_row_as(type, x, PE_TYPE_F32, row, n, &scale);
}

/* PE__ADDER defines the function that adds row pairs of a type, and the functions of its adder. */
#define PE__ADDER(T, type)                                                                         \
    PE__OUTLINE void pe__add_row_pairs_##T(pe__span *x, int64_t n)                                 \
    {                                                                                              \
        if (x->split) pe__rotate_span_f32(x, n, 1, 1, (pe__sum)type);                              \
        else pe__rotate_span_f32(x, n, 1, 0, (pe__sum)type);                                       \
    }                                                                                              \
    PE__OUTLINE void pe__add_four_##T(const pe__output *output, unsigned char *p,                  \
                                      ptrdiff_t across, pe__vf v0, pe__vf v1, pe__vf v2,           \
                                      pe__vf v3)                                                   \
    {                                                                                              \
        const pe__floats4 v = {{v0, v1, v2, v3}};                                                  \
        pe__add_four(type, (float)output->scale, output->prefetch_distance,                        \
                     output->order == PE__SPLIT, p, across, &v);                                   \
    }                                                                                              \
    PE__OUTLINE void pe__add_some_##T(const pe__output *output, unsigned char *x, const void *row, \
                                      size_t n)                                                    \
    {                                                                                              \
        pe__add_some(type, output, x, (const float *)row, n);                                      \
    }
PE__ADDER(f32, PE_TYPE_F32)
PE__ADDER(f16, PE_TYPE_F16)
PE__ADDER(bf16, PE_TYPE_BF16)
#undef PE__ADDER
