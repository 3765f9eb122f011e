/* SPDX-License-Identifier: MIT */
/* Rows of doubles.
 * Gives: pe__add_some_f64(), pe__rows_f64().
 * Needs: simd, api, plan, numbers, sincos.
 * Tests: tests/unit/test_exact.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../numbers/base.h"
#include "../numbers/double_double.h"
#include "../numbers/exp_log.h"
#include "../sincos/double_double.h"
#include "../sincos/exact.h"
#include "../plan/frequencies.h"
#include "output.h"
#include "row_pair_f32.h"

/* ---- 6.9 f64 ------------------------------------------------------------------------------------
 * Doubles, too, come by blocks of rows, in tiles of columns: the anchor of a block is rotated
 * forth and back by the rows 1 ... 8, and to the next block's by row 17. All these are
 * double-double, built on the stack for each call; each PE__ANCHORS_ROTATED blocks the anchor comes
 * from its angle.
 *
 * Sums of products in double-double, cheaply: sines and cosines are cut into a multiple of 2^-26,
 * |x| <= 1, and a double for the rest, |x| <= 2^-27. The products of the former are multiples of
 * 2^-52, so that they and their sums are exact, fused or not, and with (s, c) = (s1 + s2, c1 + c2),
 *
 *     sC + cS = (s1 C1 + c1 S1) + (s C2 + s2 C1 + c S2 + c2 S1)
 *
 * only the second bracket has errors. The anchor has the amplitude A in it; let 2^k be the power of
 * two at or above |A|, and u = 2^(k - 81). In units of u, and with nothing fused, these are at most
 *      2.83  s2, C2, c2, S2, each rounded: |C| + |s| + |S| + |c|
 *      2     s and c as doubles: half a unit in their last place, times C2 and S2
 *      4     four products of at most 2^(k - 27)
 *      8     two sums of two of them, at most 2^(k - 26) and little more
 *      4     their sum or difference, at most 2.83 2^(k - 27)
 *      4     the same with 2e added
 *      0.1   the anchor and the rows: 2^-98, and what the frequencies lack is added to e; a
 *            rotation adds 2^-100, and row 17 has 17 times the error of row 1, PE__ANCHORS_ROTATED
 *            + 1 times
 * together 24.93. e = 32 u, 2^(k - 76): where the first bracket plus the second less e and plus e
 * are the same double, that is the answer, for rounding is monotonic. Else, some 2^-21 |A / x| of
 * the time, the vector comes from pe__sincos_dd() and pe__round_element(). */

enum { PE__TILE_F64 = PE__OPTIMIZED ? 64 : 32, PE__ANCHORS_ROTATED = 64 };
enum { PE__VECTORS_F64 = (int)PE__TILE_F64 / (int)PE_LANES };

/* n doubles added to a row. */
PE__OUTLINE void pe__add_some_f64(const pe__output *output, unsigned char *row, const void *v,
                                  size_t n)
{
    double *const x = (double *)(void *)row;
    for (size_t i = 0; i < n; i++) {
        double y = ((const double *)v)[i];
        PE__OPAQUE(y); /* a zero, too, is added: the sum of -0 and it is 0 */
        x[i] = pe__double_product(output->scale, x[i]) + y;
    }
}

/* n doubles to a row, or added to it. */
PE__INLINE void pe__store_some_f64(const pe__output *output, double *x, const double *v, size_t n)
{
    if (output->mode == PE__ADD) pe__add_some_f64(output, (unsigned char *)x, v, n);
    else memcpy(x, v, n * sizeof *x);
}

/* The doubles of one vector of pairs that are in doubt, or subnormal. */
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
        for (size_t lane = 0; lane < pe__min(count, PE_LANES); lane++) { /* behind them: any */
            const double approx[2] = {hi[lane], lo[lane]};
            hi[lane] = output->round_element(plan, t, pair + lane, k, 0, approx);
        }
        *(k ? cosine : sine) = pe__load(hi);
    }
}

/* A tile of columns. A vector of pairs is [0] f and [1] g: (s, c), rotated by (ts, tc), or (c, s),
   rotated by (-ts, tc), as they lie in a row: f' = f tc + g ts, g' = g tc - f ts. */
typedef struct pe__tile_f64 {
    const pe_plan *plan;
    const pe__output *output;
    double amplitude, unit, error; /* unit: the 2^-26 of the anchor */
    pe__dd plan_row[PE__BLOCK_HALF + 1][PE__VECTORS_F64][2], anchor[PE__VECTORS_F64][2]; /* cut */
    pe__dd whole[PE__VECTORS_F64][2], next[PE__VECTORS_F64][2]; /* the anchor; row 17 */
} pe__tile_f64;

/* A multiple of a power of two, and a double for the rest. */
PE__INLINE pe__dd pe__split_high(pe__dd x, double unit)
{
    const pe__vd big = pe__splat(6755399441055744.0 * unit); /* as in pe__round() */
    const pe__vd high = (x.hi + big) - big;
    x.lo = (x.hi - high) + x.lo;
    x.hi = high;
    return x;
}

/* A vector of a row; what is added to is asked for ahead, see pe__store_four(). */
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

/* Round the pairs at i of position t, whose low parts are e too small, and put them into a row. */
typedef struct pe__row_f64 {
    double *row; /* NULL: not wanted */
    double position;
} pe__row_f64;
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
        pe__round_flagged_f64(x->output, i, pe__pairs_of(output) - i, to.position, &s, &c);
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
        pe__store_some_f64(x->output, p, all, split ? sines : sines + cosines);
        pe__store_some_f64(x->output, q, all + PE_LANES, split ? cosines : 0);
    }
}

/* The rows b after and before the anchor. */
PE__OUTLINE void pe__rotate_f64(const pe__tile_f64 *x, size_t b, pe__row_f64 plus,
                                pe__row_f64 minus)
{
    const pe__output output = *x->output; /* whose address nothing takes: in registers */
    const size_t pairs = pe__pairs_of(&output);
    const pe__vd less = pe__splat(-x->error), two_errors = pe__splat(2 * x->error);
    for (size_t i = 0; i < pairs; i += PE_LANES) {
        const size_t v = i / PE_LANES;
        const pe__vd f0 = x->whole[v][0].hi, g0 = x->whole[v][1].hi;
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

/* The vector v of the rows 0 ... last and 17. */
PE__OUTLINE void pe__tile_begin_f64(pe__tile_f64 *x, size_t v, size_t last)
{
    pe__dd f[PE__BLOCK_HALF + 1], g[PE__BLOCK_HALF + 1];
    f[0].hi = f[0].lo = g[0].lo = pe__splat(0.0);
    g[0].hi = pe__splat(1.0);
    for (size_t b = 0; b <= last; b++) {
        if (b == 1) pe__sincos_dd(x->plan, x->output->pair + v * PE_LANES, 1.0, &f[b], &g[b]);
        if (b == 1 && x->output->order == PE__CS) {
            f[b].hi = -f[b].hi;
            f[b].lo = -f[b].lo;
        }
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

/* The vector v of the anchor of position t, or, if that is NULL, of the one after the last. */
PE__OUTLINE void pe__tile_anchor_f64(pe__tile_f64 *x, size_t v, const double *t)
{
    const int swapped = x->output->order == PE__CS;
    pe__dd f, g, s, c;
    if (t) {
        pe__sincos_dd(x->plan, x->output->pair + v * PE_LANES, *t, &s, &c);
        f = pe__dd_mul_double(swapped ? c : s, x->amplitude);
        g = pe__dd_mul_double(swapped ? s : c, x->amplitude);
    } else {
        f = x->whole[v][0];
        g = x->whole[v][1];
        pe__dd_rotate(&f, &g, x->next[v][0], x->next[v][1]);
        f = pe__dd_renormalize(f);
        g = pe__dd_renormalize(g);
    }
    x->whole[v][0] = f;
    x->anchor[v][0] = pe__split_high(f, x->unit);
    x->whole[v][1] = g;
    x->anchor[v][1] = pe__split_high(g, x->unit);
}

/* A tile of columns. With an amplitude within 2^-900 ... 2^900 nothing overflows, and what
   underflows does not matter: e is beyond 2^-980. Any other is left to exact sines and cosines. */
PE__OUTLINE void pe__write_tile_f64(const pe__output *output, double t, size_t rows)
{
    const pe_plan *const plan = output->plan;
    const int usual = plan->scale >= pe__exp2i(-900) && plan->scale <= pe__exp2i(900);
    const double scale = usual ? plan->scale : 1;
    const size_t last = pe__min(rows / 2, PE__BLOCK_HALF);
    const size_t vectors = (pe__pairs_of(output) + PE_LANES - 1) / PE_LANES;
    const size_t column = pe__first_column(output) * output->element;
    pe__tile_f64 x;
    x.plan = plan;
    x.output = output;
    x.amplitude = usual ? plan->amplitude : 1;
    x.unit = pe__exp2i(-26) * scale;
    x.error = 4;
    if (usual) /* with what the frequencies lack */
        x.error =
            scale * (pe__exp2i(-76) +
                     pe__sincos_error(plan, pe__max_abs(t, t + (double)(rows + PE__BLOCK_ROWS))));
    for (size_t v = 0; v < vectors; v++) pe__tile_begin_f64(&x, v, last);
    for (size_t q = last, n = 0; q < rows + last; q += PE__BLOCK_ROWS, n++) {
        const double at = t + (double)q;
        for (size_t v = 0; v < vectors; v++)
            pe__tile_anchor_f64(&x, v, n % PE__ANCHORS_ROTATED == 0 && q < rows ? &at : NULL);
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

PE__OUTLINE void pe__rows_f64(const pe__output *output, double t, size_t rows)
{
    const size_t pairs = pe__pairs_of(output), run = output->plan->float32 ? 1 : rows;
    for (size_t r = 0; r < rows; r += run)
        for (size_t done = 0, n; done < pairs; done += n) {
            n = done < output->peeled ? output->peeled : (size_t)PE__TILE_F64;
            pe__output part = pe__output_part(output, done, n);
            part.out = pe__row_address(output, r);
            if (done < output->peeled) part.mode = PE__STORE;
            pe__write_tile_f64(&part, t + (double)r, run);
        }
}
