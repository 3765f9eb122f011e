/* SPDX-License-Identifier: MIT */
/* Computes dot products of two rows, one by one or, for consecutive differences, many at a time.
 * Tested by tests/unit/algebra/test_algebra.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/options.h"
#include "../api/types.h"
#include "contract.h"
#include "../positions/read.h"
#include "../positions/check.h"
#include "../numbers/double_double.h"
#include "../numbers/exp_log.h"
#include "../frequencies/geometric.h"
#include "../sincos/double.h"
#include "../sincos/double_double.h"
#include "../sincos/exact.h"
#include "shift.h"

/* ---- 9.3 dot products ------------------------------------------------------------------------ */

/* Return (hi + lo) times the square of plan->mantissa, normalised. The amplitude A is
   mantissa * scale. The caller multiplies by the square of scale, a power of two. */
PE__INLINE pe__dd pe__dot_scaled(const pe_plan *plan, pe__vd hi, pe__vd lo)
{
    const pe__dd x = {hi, lo};
    pe__dd square;
    square.hi = pe__two_prod(pe__splat(plan->mantissa), pe__splat(plan->mantissa), &square.lo);
    return pe__dd_renormalize(pe__dd_mul(x, square));
}

/* Return the dot product for the difference k, A^2 times a sum of cosines. The cosines are added in
   double-double, in eight sums, which are then added in a fixed order. There are eight whatever
   PE_LANES is, so each instruction set gives the same bits. If Ziv's rounding test is inconclusive,
   the sum is computed again, from cosines that are computed with multi-limb integers. */
PE__OUTLINE double pe__dot(const pe_plan *plan, double k)
{
    const size_t first = plan->axis[0].pair, count = plan->axis[0].pairs;
    const double pairs = (double)count, error = pe__sincos_error(plan, k) * pairs;
    for (int by_integers = 0;; by_integers++) {
        double hi[PE__MAX_LANES] = {0}, lo[PE__MAX_LANES] = {0}, all[2][PE_LANES];
        pe__dd s, c, sum;
        for (size_t v = 0; v < PE__MAX_LANES; v += PE_LANES) {
            sum.hi = sum.lo = pe__splat(0.0);
            for (size_t i = v; i < count; i += PE__MAX_LANES) {
                if (by_integers) pe__sincos_exact(plan, first + i, k, &s, &c);
                else pe__sincos_dd(plan, first + i, k, &s, &c);
                if (count - i < PE_LANES) { /* lanes after the last pair add 0 */
                    pe__store(all[0], c.hi);
                    pe__store(all[1], c.lo);
                    for (size_t n = count - i; n < PE_LANES; n++) all[0][n] = all[1][n] = 0;
                    c.hi = pe__load(all[0]);
                    c.lo = pe__load(all[1]);
                }
                sum = pe__dd_renormalize(pe__dd_add(sum, c));
            }
            pe__store(hi + v, sum.hi);
            pe__store(lo + v, sum.lo);
        }
        sum.hi = pe__splat(hi[0]);
        sum.lo = pe__splat(lo[0]);
        for (size_t v = 1; v < PE__MAX_LANES; v++) {
            c.hi = pe__splat(hi[v]);
            c.lo = pe__splat(lo[v]);
            sum = pe__dd_renormalize(pe__dd_add(sum, c));
        }
        const double size = pe__max_abs(pe__first_lane(sum.hi), 0);
        const pe__dd y = pe__dot_scaled(plan, sum.hi, sum.lo);
        const double hi_y = pe__first_lane(y.hi), lo_y = pe__first_lane(y.lo);
        const double e = error + size * pe__exp2i(-98);
        /* The exact sum may be 0, and no precision can show that it is. So the contract says that
           the result is 0 if the sum of the cosines is below 2^-88 times the number of pairs. */
        if (by_integers && size <= pairs * pe__exp2i(-88)) return 0;
        if (by_integers || hi_y + (lo_y + e) == hi_y + (lo_y - e))
            return hi_y * plan->scale * plan->scale;
    }
}

/* Many dot products at a time are a product of matrices. Let the anchors q be differences that are
 * 31 apart, and let b be 0 ... 15. The sums over the pairs, which have the frequencies w, are
 *
 *     sum cos((q +- b) w) = sum cos(q w) cos(b w) -+ sum sin(q w) sin(b w)
 *
 * In each product, x is the factor with q, and x' is the factor with b. They are split into
 * x = X + y and x' = X' + y'. X and X' are multiples of 2^-g, and |y| and |y'| are at most
 * 2^-(g+1). Then
 *
 *     x x' = X X' + (X y' + y x')
 *
 * and the sum of all X X' is exact for up to 2^(52-2g) pairs. The sum of the terms in parentheses
 * is about 2^-g times as large, and so is its rounding error. For h pairs in tiles of 16 the error
 * is at most, in units of 2^-53 2^-(g+1),
 *     4 h       the roundings of y and y', 1/2 unit each, and of x', 1 unit: 2 units for the
 *               cosines of a pair and 2 for its sines
 *     128 h     the four sums of a tile, X y' and y x' for cosines and for sines, 16 products each.
 *               Each of the 16 additions gives a sum of at most 16 * 2^-(g+1), so it rounds off at
 *               most 16 units; twice that where nothing is fused
 *     12 h      adding the four sums of a tile: at most 32 + 32 + 64 units per tile, which are 8 h
 *               for all tiles; 12 h leaves room
 *     h^2 / 4   adding the tiles: h / 16 additions, each giving a sum of at most 4 h * 2^-(g+1), so
 *               an error of at most 4 h units
 * These are 144 h + h^2 / 4 units. The code uses h (160 + h / 4). The error inherited from the
 * sines and cosines, which are double-doubles, is added to this bound. Ziv's rounding test adds the
 * bound to the sum and subtracts it: if both give the same double, that double is the result. If
 * not, pe__dot() computes the result. */

/* An anchor q serves 31 = 2 * 16 - 1 differences, q + b and q - b: with b = 0 both are q.
   pe__dots() computes those of up to 32 anchors. With 32 anchors and tiles of 16 pairs, the table
   of all b (12 KB) and the sums (16.5 KB) stay in a first-level cache of 32 KB. */
enum {
    PE__DOTS = 16,         /* number of values of b: 0 ... 15         */
    PE__DOTS_NEXT = 31,    /* difference of an anchor and the next    */
    PE__DOTS_ANCHORS = 32, /* maximum number of anchors of a call     */
    PE__DOTS_TILE = 16,    /* number of pairs of a tile               */
    PE__DOTS_VECTORS = PE__DOTS_TILE / (int)PE_LANES,
    PE__DOTS_TOGETHER = 2 /* anchors that share each load of the table */
};

/* This struct holds the sines s and cosines c of a tile's pairs at a position, which is an anchor q
   or a b. The fields ts and tc are the sines and cosines of the angles by which the pairs are
   rotated from this position to the next. A pe__dots_parts holds s and c after the split x = X + y
   described above. It has the arrays X, y and the high double of x, of the cosines in [0] to [2]
   and of the sines in [3] to [5]. */
typedef struct pe__dots_rotated {
    pe__dd s[PE__DOTS_VECTORS], c[PE__DOTS_VECTORS], ts[PE__DOTS_VECTORS], tc[PE__DOTS_VECTORS];
} pe__dots_rotated;
typedef double pe__dots_parts[6][PE__DOTS_TILE];

/* This struct holds the sums of an anchor q over all pairs. `large` sums X X', and `minor` sums
   X y' + y x'. The first index is 0 for q + b, where the sum of the sines is subtracted from that
   of the cosines. It is 1 for q - b, where the two are added. The second index is b. */
typedef struct pe__dots_totals {
    double large[2][PE__DOTS], minor[2][PE__DOTS];
} pe__dots_totals;

/* Set *t to the tile that starts at index `pair` of the plan's arrays, at position q, to be rotated
   by `step` positions at a time. At q = 0 the sines are 0 and the cosines 1. A vector beyond the
   end of the plan's arrays is filled with their last vector; its pairs are not added to any sum. */
PE__OUTLINE void pe__dots_begin(pe__dots_rotated *t, const pe_plan *plan, size_t pair, double q,
                                double step)
{
    for (size_t v = 0; v < PE__DOTS_VECTORS; v++) {
        const size_t index = pe__vector_pair(plan, pair + v * PE_LANES);
        t->s[v].hi = t->s[v].lo = t->c[v].lo = pe__splat(0.0);
        t->c[v].hi = pe__splat(1.0);
        if (q != 0) pe__sincos_dd(plan, index, q, &t->s[v], &t->c[v]);
        pe__sincos_dd(plan, index, step, &t->ts[v], &t->tc[v]);
    }
}

/* Split x = X + y, where X is a multiple of 2^-g. The last bit of `grid` is 2^-g, so adding and
   subtracting it rounds to such a multiple. Store X in parts[0], y in parts[1] and the high double
   of x in parts[2], starting at element i. */
PE__INLINE void pe__dots_split(pe__dd x, double grid, double (*parts)[PE__DOTS_TILE], size_t i)
{
    const pe__vd top = (x.hi + pe__splat(grid)) - pe__splat(grid);
    pe__store(parts[0] + i, top);
    pe__store(parts[1] + i, (x.hi - top) + x.lo);
    pe__store(parts[2] + i, x.hi);
}

/* Store the parts of the tile's cosines and sines in `parts`, then rotate the tile to its next
   position. */
PE__INLINE void pe__dots_rotate(pe__dots_rotated *t, double grid, pe__dots_parts parts)
{
    for (size_t v = 0; v < PE__DOTS_VECTORS; v++) {
        pe__dots_split(t->c[v], grid, parts, v * PE_LANES);
        pe__dots_split(t->s[v], grid, parts + 3, v * PE_LANES);
        pe__dd_rotate(&t->s[v], &t->c[v], t->ts[v], t->tc[v]);
        t->s[v] = pe__dd_renormalize(t->s[v]);
        t->c[v] = pe__dd_renormalize(t->c[v]);
    }
}

/* This struct holds sums over the pairs of a tile, for one anchor and one vector of values b. One
   struct is for the cosines, another for the sines. `large` is the sum of X X', `minor` that of
   X y', and `tiny` that of y x'. X and y belong to the anchor, and X', y' and x' belong to b. */
typedef struct pe__dots_partial {
    pe__vd large, minor, tiny;
} pe__dots_partial;

PE__INLINE void pe__dots_add(pe__dots_partial *partial, double (*parts)[PE__DOTS], size_t b,
                             double top, double y) /* in C99, parts cannot be const */
{
    partial->large = pe__fma(pe__splat(top), pe__load(parts[0] + b), partial->large);
    partial->minor = pe__fma(pe__splat(top), pe__load(parts[1] + b), partial->minor);
    partial->tiny = pe__fma(pe__splat(y), pe__load(parts[2] + b), partial->tiny);
}

PE__INLINE void pe__dots_end(const pe__dots_partial *c, const pe__dots_partial *s,
                             pe__dots_totals *sums, size_t b)
{
    const pe__vd small_c = c->minor + c->tiny, small_s = s->minor + s->tiny;
    pe__store(sums->large[0] + b, pe__load(sums->large[0] + b) + (c->large - s->large));
    pe__store(sums->large[1] + b, pe__load(sums->large[1] + b) + (c->large + s->large));
    pe__store(sums->minor[0] + b, pe__load(sums->minor[0] + b) + (small_c - small_s));
    pe__store(sums->minor[1] + b, pe__load(sums->minor[1] + b) + (small_c + small_s));
}

/* Add the products of a tile of `pairs` pairs to the sums of two anchors, sums[0] and sums[1].
   The parts of pair i for all b are in table[i], and those of the two anchors are in anchor[0] and
   anchor[1]. Each vector of the table is loaded once for both. The 12 sums of the inner loop do not
   depend on each other, so the processor computes them at the same time. */
PE__OUTLINE void pe__dots_multiply(double (*table)[6][PE__DOTS], pe__dots_parts *anchor,
                                   size_t pairs, pe__dots_totals *sums)
{
    for (size_t b = 0; b < PE__DOTS; b += PE_LANES) {
        pe__dots_partial c, s, c2, s2;
        c.large = c.minor = c.tiny = pe__splat(0.0);
        s = c2 = s2 = c;
        for (size_t i = 0; i < pairs; i++) {
            pe__dots_add(&c, table[i], b, anchor[0][0][i], anchor[0][1][i]);
            pe__dots_add(&s, table[i] + 3, b, anchor[0][3][i], anchor[0][4][i]);
            pe__dots_add(&c2, table[i], b, anchor[1][0][i], anchor[1][1][i]);
            pe__dots_add(&s2, table[i] + 3, b, anchor[1][3][i], anchor[1][4][i]);
        }
        pe__dots_end(&c, &s, sums, b);
        pe__dots_end(&c2, &s2, sums + 1, b);
    }
}

/* Store upper bounds of an anchor's dot products in bounds[0] and lower bounds in bounds[1]. Both
   are multiplied by the square of plan->mantissa only; the caller multiplies by the square of
   plan->scale. `side` is 0 for the positions q + b, and 1 for q - b. */
PE__INLINE void pe__round_dots(const pe_plan *plan, const pe__dots_totals *sums, int side,
                               double error, double (*bounds)[PE__DOTS])
{
    const pe__vd square = pe__splat(plan->mantissa) * pe__splat(plan->mantissa);
    for (size_t b = 0; b < PE__DOTS; b += PE_LANES) {
        pe__vd low;
        const pe__vd high =
            pe__two_sum(pe__load(sums->large[side] + b), pe__load(sums->minor[side] + b), &low);
        const pe__vd e = (pe__splat(error) + pe__abs(high) * pe__splat(pe__exp2i(-98))) * square;
        const pe__dd y = pe__dot_scaled(plan, high, low);
        pe__store(bounds[0] + b, y.hi + (y.lo + e));
        pe__store(bounds[1] + b, y.hi + (y.lo - e));
    }
}

/* Write `count` dot products to out, for the differences first, first + 1 ... `count` is at most
   32 * 31. */
PE__OUTLINE void pe__dots(const pe_plan *plan, int64_t first, size_t count, double *out)
{
    const pe__axis *axis = plan->axis;
    const size_t pairs = axis->pairs, anchors = (count + PE__DOTS_NEXT - 1) / PE__DOTS_NEXT;
    const double h = (double)pairs;
    int g = 26; /* 2^-g: the finest grid on which the sum of all X X' is exact */
    while (h > pe__exp2i(52 - 2 * g)) g--;
    const double grid = 1.5 * pe__exp2i(52 - g); /* a double whose last bit is 2^-g */
    /* h (160 + h / 4) units of 2^-54-g, and for each pair the errors inherited from the sines and
       cosines of the anchor and of b */
    const double farthest = (double)(first < 0 ? -first : first) + (double)count;
    const double error =
        pe__exp2i(-54 - g) * h * (160 + h / 4) + 2 * h * pe__sincos_error(plan, farthest);
    double table[PE__DOTS_TILE][6][PE__DOTS];
    pe__dots_totals sums[PE__DOTS_ANCHORS + 1]; /* + 1: two at a time */
    pe__dots_rotated rotated;
    pe__dots_parts parts[PE__DOTS_TOGETHER];
    /* cppcheck-suppress memsetClassFloat ; 0 bits are 0.0 */
    memset(sums, 0, (anchors + 1) * sizeof *sums);
    for (size_t i = 0; i < pairs; i += PE__DOTS_TILE) {
        pe__dots_begin(&rotated, plan, axis->pair + i, 0, 1);
        for (size_t b = 0; b < PE__DOTS; b++) {
            pe__dots_rotate(&rotated, grid, parts[0]);
            for (size_t k = 0; k < 6; k++)
                for (size_t j = 0; j < PE__DOTS_TILE; j++) table[j][k][b] = parts[0][k][j];
        }
        pe__dots_begin(&rotated, plan, axis->pair + i, (double)(first + PE__DOTS - 1),
                       PE__DOTS_NEXT);
        for (size_t a = 0; a < anchors; a += PE__DOTS_TOGETHER) {
            for (size_t t = 0; t < PE__DOTS_TOGETHER; t++)
                pe__dots_rotate(&rotated, grid, parts[t]);
            pe__dots_multiply(table, parts, pe__min(pairs - i, PE__DOTS_TILE), sums + a);
        }
    }
    for (size_t a = 0, index = 0; a < anchors; a++) {
        double side[2][2][PE__DOTS];
        pe__round_dots(plan, &sums[a], 0, error, side[0]);
        pe__round_dots(plan, &sums[a], 1, error, side[1]);
        for (size_t j = 0; j < PE__DOTS_NEXT && index < count; j++, index++) {
            const size_t back = j < PE__DOTS - 1, b = back ? PE__DOTS - 1 - j : j - (PE__DOTS - 1);
            const double above = side[back][0][b], below = side[back][1][b];
            out[index] = above == below ? above * plan->scale * plan->scale
                                        : pe__dot(plan, (double)(first + (int64_t)index));
        }
    }
}

PE_API pe_status pe_dot_f64(const pe_plan *plan, pe_at deltas, size_t count, double *dots)
{
    /* PE__DELTAS is the maximum of pe__dots(). Fewer than PE__FEW dot products are computed one by
       one, because pe__dots() computes the sums of two anchors, for 62 differences, even if fewer
       are needed. */
    enum { PE__DELTAS = PE__DOTS_ANCHORS * PE__DOTS_NEXT, PE__FEW = 8 };
    if (count == 0) return PE_OK;
    if (!plan || !dots) return PE_ERR_NULL;
    if (plan->d_model == 0) return PE_ERR_PLAN;
    if (!pe__can_shift(plan) || plan->axes != 1) return PE_ERR_PLAN_SHIFT;
    if (count > (size_t)PTRDIFF_MAX / sizeof *dots) return PE_ERR_SIZE;
    const pe_status status = pe__check_at(&deltas, count, 1, 0);
    if (status != PE_OK) return status;
    const int run = deltas.kind == PE__AT_RANGE && deltas.step == 1 && !deltas.back;
    for (size_t done = 0, n; done < count; done += n) {
        n = pe__min(count - done, run ? PE__DELTAS : 1);
        if (n >= PE__FEW) pe__dots(plan, deltas.first + (int64_t)done, n, dots + done);
        else {
            dots[done] = pe__dot(plan, pe__position(&deltas, done, 0));
            n = 1;
        }
    }
    return PE_OK;
}
