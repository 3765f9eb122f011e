/* SPDX-License-Identifier: MIT */
/* Writes rows of doubles, or adds them, in blocks whose anchors are double-double. Tested by
 * tests/unit/rows/test_exact.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../numbers/double_double.h"
#include "../numbers/exp_log.h"
#include "../sincos/double_double.h"
#include "../sincos/exact.h"
#include "../plan/frequencies.h"
#include "../layouts/output.h"
#include "row_pair_f32.h"
#include "../plan/rotation.h"

/* ---- 6.9 f64 ------------------------------------------------------------------------------------
 * Rows of doubles are also computed in blocks, in tiles of columns. Rotation rows b = 1 ... 8
 * rotate the anchor of a block to the rows anchor + b and anchor - b. Rotation row 17 rotates it to
 * the anchor of the next block. Anchors and rotation rows are double-double, and are computed on
 * the stack in each call. One anchor in PE__ANCHORS_ROTATED is computed from its angle.
 *
 * A rotation takes sums of products in double-double. They are cheap because each sine and cosine
 * is split into two doubles. The first is a multiple of 2^-26, at most 1 in magnitude. The second
 * is the remainder, at most 2^-27. Products of two multiples are multiples of 2^-52. So these
 * products and their sums are exact, fused or not. Let (s, c) = (s1 + s2, c1 + c2) be a pair of the
 * anchor, and (S, C) = (S1 + S2, C1 + C2) the pair of the rotation row. Then
 *
 *     sC + cS = (s1 C1 + c1 S1) + (s C2 + s2 C1 + c S2 + c2 S1)
 *
 * and only the second bracket has errors. The other components of the two rows, cC - sS, sC - cS
 * and cC + sS, have the same bounds. The anchor is multiplied by the amplitude A, so its remainders
 * are at most 2^(k - 27), where 2^k is the smallest power of two above |A|. Let u = 2^(k - 81), and
 * let e be the bound of the error that the rounding test uses. In units of u, and with nothing
 * fused, the errors are at most
 *      2.83  s2, C2, c2 and S2, each rounded: |C| + |s| + |S| + |c|
 *      2     s and c, taken as doubles: half a unit in the last place each, times C2 and S2
 *      4     four products of at most 2^(k - 27), rounded
 *      8     two sums of two products, at most little more than 2^(k - 26), rounded
 *      4     the sum or difference of these two, at most 2.83 2^(k - 27), rounded
 *      4     adding 2e, for the upper end of the interval, rounded
 *      0.1   the anchor and the rotation rows: 2^-98. A rotation adds 2^-100, and rotation row 17,
 *            which has 17 times the error of row 1, is applied up to PE__ANCHORS_ROTATED + 1 times.
 *            The error inherited from the frequencies is not in this sum but added to e
 * The sum is 24.93. It is below 32, so e = 32 u = 2^(k - 76), plus the inherited error. If the
 * first bracket plus (the second - e) and the first bracket plus (the second + e) round to the same
 * double, that double is the result, since rounding is monotonic. Otherwise the vector is computed
 * by pe__sincos_dd() and rounded by the output's round_element. That happens to a share of about
 * 2^-21 |A / x| of the elements x. */

enum { PE__TILE_F64 = PE__OPTIMIZED ? 64 : 32, PE__ANCHORS_ROTATED = 64 };
enum { PE__VECTORS_F64 = (int)PE__TILE_F64 / (int)PE_LANES };

/* Add the n doubles at v to the n elements x at `row`: x = scale x + v, with two roundings. */
PE__OUTLINE void pe__add_some_f64(const pe__output *output, unsigned char *row, const void *v,
                                  size_t n)
{
    double *const x = (double *)(void *)row;
    for (size_t i = 0; i < n; i++) {
        double y = ((const double *)v)[i];
        PE__OPAQUE(y); /* so that a zero is also added: -0 + 0 is 0 */
        x[i] = pe__double_product(output->scale, x[i]) + y;
    }
}

/* Store the n doubles at v to x or, if the store mode is PE__ADD, add them to the elements at x. */
PE__INLINE void pe__store_doubles(const pe__output *output, double *x, const double *v, size_t n)
{
    if (output->mode == PE__ADD) pe__add_some_f64(output, (unsigned char *)x, v, n);
    else memcpy(x, v, n * sizeof *x);
}

/* Compute the sines and cosines of a flagged vector, correctly rounded. The vector has the pairs
   that start at index i, at position t. If only count < PE_LANES pairs are left in the row, the
   other lanes are padding. Vectors with subnormal elements are always flagged. */
PE__COLD void pe__round_flagged_f64(const pe__output *output, size_t i, size_t count, double t,
                                    pe__vd *sine, pe__vd *cosine)
{
    const pe_plan *const plan = output->plan;
    const size_t pair = output->pair + i;
    pe__dd sincos[2];
    pe__sincos_dd(plan, pair, t, &sincos[0], &sincos[1]);
    for (int k = 0; k < 2; k++) {
        double hi[PE_LANES], lo[PE_LANES];
        const pe__dd y = pe__dd_mul_double(sincos[k], plan->mantissa);
        pe__store(hi, y.hi);
        pe__store(lo, y.lo);
        for (size_t lane = 0; lane < pe__min(count, PE_LANES); lane++) { /* skips padding */
            const double approx[2] = {hi[lane], lo[lane]};
            hi[lane] = output->round_element(plan, t, pair + lane, k, 0, approx);
        }
        *(k ? cosine : sine) = pe__load(hi);
    }
}

/* A tile of columns is stored as vectors of pairs. The last index of an array is the component of a
   pair: [0] is f, the component that comes first in a row, and [1] is g, the second. Usually (f, g)
   is (sine, cosine), rotated by (ts, tc), the sine and cosine of the rotation row. Where cosines
   come first, (f, g) is (cosine, sine), and ts is the negated sine. In both cases the rotated pair
   is f' = f tc + g ts and g' = g tc - f ts. */
typedef struct pe__tile_f64 {
    const pe_plan *plan;
    const pe__output *output;
    /* `amplitude` is A, or 1 if A is too small or too large: see pe__write_tile_f64(). `grid` is
       2^-26 times plan->scale, or 2^-26 in that case. The anchor is split into multiples of `grid`
       and remainders. `error` is e. */
    double amplitude, grid, error;
    /* `plan_row` has the rotation rows 0 ... 8, and `anchor` the anchor of the block. Both are
       split by pe__split_high(). */
    pe__dd plan_row[PE__BLOCK_HALF + 1][PE__VECTORS_F64][2], anchor[PE__VECTORS_F64][2];
    /* `unsplit` is the anchor, and `next` is rotation row 17. Both are not split. */
    pe__dd unsplit[PE__VECTORS_F64][2], next[PE__VECTORS_F64][2];
} pe__tile_f64;

/* Returns x as the sum of hi, the multiple of grid (a power of two) that is nearest to x.hi, and
   lo, the remainder. */
PE__INLINE pe__dd pe__split_high(pe__dd x, double grid)
{
    const pe__vd big = pe__splat(6755399441055744.0 * grid); /* as in pe__round() */
    const pe__vd high = (x.hi + big) - big;
    x.lo = (x.hi - high) + x.lo;
    x.hi = high;
    return x;
}

/* Store a vector of a row at p in the output's store mode. With PE__ADD, also prefetch the line
   that is output->prefetch_distance bytes after p. */
PE__WRAPS
PE__INLINE void pe__store_f64(const pe__output *output, double *p, pe__vd v)
{
    if (output->mode == PE__ADD) {
        PE__PREFETCH((uintptr_t)p + output->prefetch_distance);
        pe__store(p, pe__mul(pe__splat(output->scale), pe__load(p)) + v);
    } else if (output->mode == PE__STREAM) {
        pe__stream_vd(p, v);
    } else {
        pe__store(p, v);
    }
}

/* A row to write, and its position. */
typedef struct pe__row_f64 {
    double *row; /* where the tile's columns begin in the row; NULL: no row is written */
    double position;
} pe__row_f64;

/* Round the vector of pairs at i and store it in a row, or add it. y and z are its first and second
   components. The error bound e has been subtracted from the low parts of y and z, and two_errors
   is 2e. So hi + lo and hi + (lo + two_errors) are the ends of the error interval. `output` is the
   caller's copy of x->output, which stays in registers. */
PE__INLINE void pe__store_pairs_f64(const pe__tile_f64 *x, const pe__output *output, pe__row_f64 to,
                                    size_t i, pe__dd y, pe__dd z, pe__vd two_errors)
{
    const int split = output->order == PE__SPLIT, swapped = output->order == PE__CS;
    double *const p = to.row + (split ? i : 2 * i);
    const ptrdiff_t across = (ptrdiff_t)output->cosine - (ptrdiff_t)output->sine;
    double *const q = p + (split ? across : (ptrdiff_t)PE_LANES);
    pe__vd f = y.hi + y.lo, g = z.hi + z.lo;
    if (PE__UNLIKELY(pe__unequal(f, y.hi + (y.lo + two_errors), g, z.hi + (z.lo + two_errors)))) {
        pe__vd s, c;
        pe__round_flagged_f64(x->output, i, pe__max(output->sines, output->cosines) - i,
                              to.position, &s, &c);
        f = swapped ? c : s;
        g = swapped ? s : c;
    }
    if (!split) pe__zip_two(f, g, &f, &g);
    if (i + PE_LANES <= pe__min(output->sines, output->cosines)) {
        pe__store_f64(output, p, f);
        pe__store_f64(output, q, g);
    } else {
        const size_t sines = output->sines > i ? pe__min(output->sines - i, PE_LANES) : 0;
        const size_t cosines = output->cosines > i ? pe__min(output->cosines - i, PE_LANES) : 0;
        double all[2 * PE_LANES];
        pe__store(all, f);
        pe__store(all + PE_LANES, g);
        pe__store_doubles(x->output, p, all, split ? sines : sines + cosines);
        pe__store_doubles(x->output, q, all + PE_LANES, split ? cosines : 0);
    }
}

/* Rotate the anchor to the rows anchor + b (plus) and anchor - b (minus), in the tile's columns,
   and write those rows whose address is not NULL. */
PE__OUTLINE void pe__rotate_f64(const pe__tile_f64 *x, size_t b, pe__row_f64 plus,
                                pe__row_f64 minus)
{
    /* a copy, whose address only inlined functions get: it stays in registers */
    const pe__output output = *x->output;
    const size_t pairs = pe__max(output.sines, output.cosines);
    const pe__vd less = pe__splat(-x->error), two_errors = pe__splat(2 * x->error);
    for (size_t i = 0; i < pairs; i += PE_LANES) {
        const size_t v = i / PE_LANES;
        const pe__vd f0 = x->unsplit[v][0].hi, g0 = x->unsplit[v][1].hi;
        const pe__dd f = x->anchor[v][0], g = x->anchor[v][1], ts = x->plan_row[b][v][0];
        const pe__dd tc = x->plan_row[b][v][1];
        const pe__rotated r = pe__rotate(f.hi, g.hi, ts.hi, tc.hi);
        const pe__vd fC = pe__fma(f.lo, tc.hi, pe__fma(f0, tc.lo, less));
        const pe__vd gC = pe__fma(g.lo, tc.hi, pe__fma(g0, tc.lo, less));
        const pe__vd gS = pe__fma(g.lo, ts.hi, g0 * ts.lo), fS = pe__fma(f.lo, ts.hi, f0 * ts.lo);
        const pe__dd f_plus = {r.a[0], fC + gS}, g_plus = {r.b[0], gC - fS};
        const pe__dd f_minus = {r.a[1], fC - gS}, g_minus = {r.b[1], gC + fS};
        if (plus.row) pe__store_pairs_f64(x, &output, plus, i, f_plus, g_plus, two_errors);
        if (minus.row) pe__store_pairs_f64(x, &output, minus, i, f_minus, g_minus, two_errors);
    }
}

/* Compute vector v of the rotation rows 0 ... last and, if last is PE__BLOCK_HALF, of row 17. With
   a smaller `last`, the rows are a single block, and no anchor is rotated by row 17. */
PE__OUTLINE void pe__tile_begin_f64(pe__tile_f64 *x, size_t v, size_t last)
{
    pe__dd f[PE__BLOCK_HALF + 1], g[PE__BLOCK_HALF + 1];
    f[0].hi = f[0].lo = g[0].lo = pe__splat(0.0);
    g[0].hi = pe__splat(1.0);
    for (size_t b = 0; b <= last; b++) {
        if (b == 1)
            pe__sincos_dd(x->output->plan, x->output->pair + v * PE_LANES, 1.0, &f[b], &g[b]);
        if (b == 1 && x->output->order == PE__CS) f[b] = pe__dd_negate(f[b]);
        if (b > 1) pe__dd_multiple_angle(f, g, b);
        x->plan_row[b][v][0] = pe__split_high(f[b], pe__exp2i(-26));
        x->plan_row[b][v][1] = pe__split_high(g[b], pe__exp2i(-26));
    }
    if (last < PE__BLOCK_HALF) return;
    pe__dd_double_angle(&f[PE__BLOCK_HALF], &g[PE__BLOCK_HALF]);
    pe__dd_rotate(&f[PE__BLOCK_HALF], &g[PE__BLOCK_HALF], f[1], g[1]);
    x->next[v][0] = f[PE__BLOCK_HALF];
    x->next[v][1] = g[PE__BLOCK_HALF];
}

/* Compute vector v of the anchor at position *t. If t is NULL, compute vector v of the next block's
   anchor by rotating the current anchor by rotation row 17. */
PE__OUTLINE void pe__tile_anchor_f64(pe__tile_f64 *x, size_t v, const double *t)
{
    const int swapped = x->output->order == PE__CS;
    pe__dd f, g, s, c;
    if (t) {
        pe__sincos_dd(x->output->plan, x->output->pair + v * PE_LANES, *t, &s, &c);
        f = pe__dd_mul_double(swapped ? c : s, x->amplitude);
        g = pe__dd_mul_double(swapped ? s : c, x->amplitude);
    } else {
        f = x->unsplit[v][0];
        g = x->unsplit[v][1];
        pe__dd_rotate(&f, &g, x->next[v][0], x->next[v][1]);
        f = pe__dd_renormalize(f);
        g = pe__dd_renormalize(g);
    }
    x->unsplit[v][0] = f;
    x->anchor[v][0] = pe__split_high(f, x->grid);
    x->unsplit[v][1] = g;
    x->anchor[v][1] = pe__split_high(g, x->grid);
}

/* Write a tile of columns: `rows` rows, the first at position t. If the power of two above the
   amplitude is within 2^-900 ... 2^900, nothing overflows, and underflow does not matter, since e
   is above 2^-980. With any other amplitude, rows are computed for amplitude 1 and e = 4. All
   elements are then flagged, and round_element rounds them. */
PE__OUTLINE void pe__write_tile_f64(const pe__output *output, double t, size_t rows)
{
    const pe_plan *const plan = output->plan;
    const int usual = plan->scale >= pe__exp2i(-900) && plan->scale <= pe__exp2i(900);
    const double scale = usual ? plan->scale : 1;
    const size_t last = pe__min(rows / 2, PE__BLOCK_HALF);
    const size_t vectors = (pe__max(output->sines, output->cosines) + PE_LANES - 1) / PE_LANES;
    const size_t column = pe__first_column(output) * output->element;
    pe__tile_f64 x;
    x.plan = plan;
    x.output = output;
    x.amplitude = usual ? plan->amplitude : 1;
    x.grid = pe__exp2i(-26) * scale;
    x.error = 4;
    if (usual) /* e = 2^(k - 76), since scale = 2^k, plus the error of the frequencies */
        x.error =
            scale * (pe__exp2i(-76) +
                     pe__sincos_error(plan, pe__max_abs(t, t + (double)(rows + PE__BLOCK_ROWS))));
    for (size_t v = 0; v < vectors; v++) pe__tile_begin_f64(&x, v, last);
    for (size_t q = last, n = 0; q < rows + last; q += PE__BLOCK_ROWS, n++) {
        const double position = t + (double)q;
        for (size_t v = 0; v < vectors; v++)
            pe__tile_anchor_f64(&x, v, n % PE__ANCHORS_ROTATED == 0 && q < rows ? &position : NULL);
        for (size_t b = 0; b <= last; b++) {
            pe__row_f64 plus = {NULL, t + (double)(q + b)}, minus = {NULL, t + (double)(q - b)};
            if (q + b < rows)
                plus.row = (double *)(void *)(pe__row_address(output, q + b) + column);
            if (b > 0 && q - b < rows)
                minus.row = (double *)(void *)(pe__row_address(output, q - b) + column);
            pe__rotate_f64(&x, b, plus, minus);
        }
    }
}

/* Write or add rows for the positions t, t + 1 ..., tile by tile. With non-temporal stores, the
   pairs before the first aligned address (output->peeled) are a tile of their own, which is written
   with plain stores. */
PE__OUTLINE void pe__rows_f64(const pe__output *output, double t, size_t rows)
{
    for (size_t done = 0, n; done < pe__max(output->sines, output->cosines); done += n) {
        n = done < output->peeled ? output->peeled : (size_t)PE__TILE_F64;
        pe__output part = pe__output_part(output, done, n);
        if (done < output->peeled) part.mode = PE__STORE;
        pe__write_tile_f64(&part, t, rows);
    }
}
