/* SPDX-License-Identifier: MIT */
/* Stores or adds two rows of 16-bit elements at a time. They are computed in float arithmetic.
 * Elements that the rounding test flags are computed again from doubles. Tested by
 * tests/unit/simd/test_types.c and tests/unit/plan/test_conventions.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../numbers/exp_log.h"
#include "../sincos/double_double.h"
#include "../sincos/exact.h"
#include "../plan/make.h"
#include "../layouts/elements.h"
#include "../layouts/output.h"
#include "row_pair_f32.h"
#include "../plan/rotation.h"

/* ---- 6.5 two rows of 16-bit elements ------------------------------------------------------------
 * Computes the rows anchor + b and anchor - b from products that they share, as 6.4 does, but in
 * float arithmetic: a vector then holds twice as many elements. A rounding test flags elements that
 * may be rounded wrongly. These are computed again from doubles: by pe__round_flagged_16() if they
 * are stored, by pe__add_flagged_16() if they are added.
 *
 * Error bound
 *
 * The unit is u = 2^-24, for an amplitude A with |A| in (1/2, 1]. For any other A the bounds are
 * multiplied by the power of two p with |A| in (p/2, p]. An element that is computed in floats has
 * an error of at most
 *     0.71  the anchor's sine and cosine, rounded to float: half a unit each, as a vector
 *     0.71  the sine and cosine of the rotation row, rounded to float: again half a unit each
 *     0.5   the rounded product; without FMA two products, 1.0
 *     0.5   the rounded sum
 *     0.01  the error of the doubles, including their factor 1 + eta: below 2^-36
 * The sum is 2.43 units, and 2.93 without FMA.
 *     Small elements of small angles have a smaller bound. Let the element be a C + b S, where
 * (a, b) is from the anchor and (S, C) from the rotation row. Relative to |aC| and |bS|, each of
 * the first four errors is at most 1 unit. Together they are at most 4 u (|a| + |S|), and the
 * doubles add 2^-48. For a pair of frequency w, |S| is at most 8 w, the angle of rotation row 8.
 *
 * Rounding test
 *
 * An element is rounded correctly if every midpoint of two 16-bit numbers is farther away than the
 * element's error. The midpoint that is tested is the element with its dropped bits replaced by 1
 * and zeros, so the distance to it is exact. Just above a power of two, that is the midpoint above
 * the power. Another midpoint is below the power, half as far from it, and is not tested. The
 * thresholds allow for this:
 *     Small elements of small angles are flagged if the midpoint is within 2.5 times their bound.
 *     With FMA, other elements are flagged if it is within 2.5 units. From a power of two, the
 * midpoint above is at a distance D, a power of two itself, and the midpoint below at D / 2. If
 * D <= 2 units, the element is flagged. If D >= 8, the midpoint below is at 4 units or more, which
 * is beyond the error. In the case D = 4 the midpoint below is at 2. The element then is just above
 * 2^-14 (bf16) or 2^-11 (f16), so aC and bS nearly cancel. Since |aC| + |bS| <= 1, neither is much
 * above 1/2, and one is not above 1/2. One product has a rounding error of at most 0.5, the other
 * of 0.25, and the rounding of the sum adds next to nothing. FMA rounds one product only: the error
 * is at most 0.71 + 0.71 + 0.5 + 0.01, which is below 2.
 *     Without FMA, other elements are flagged if the midpoint is within 4 units. If one is not
 * flagged, D is at least 8, and the midpoint below is at 4 units or more.
 *     f16's subnormals have other midpoints. But below 2^-14 the tested distance is always below
 * 2^-25, and f16's thresholds are at least 2^-25: all subnormals are flagged.
 *     A float that is zero may have the wrong sign. Its midpoint is 2^-134 away, half of bf16's
 * smallest number. Thresholds are at least 2^-46 |A|, which is more than that for |A| >= 2^-87. If
 * |A| is smaller than 2^-87 or larger than 2^90, all elements are flagged.
 * For wide angles, about 3 bf16 elements and 20 f16 elements in 10,000 are flagged. If rows are
 * stored, flagged elements are computed again from doubles, one by one.
 *
 * Adding to bf16
 *
 * The result is defined as s = z + p, rounded to float and then to bf16. Here z is scale x, and p
 * the element, each rounded to float. The kernel computes s' = z + p' instead, rounded to float,
 * where p' is the element computed in floats. The error of p' is as above. The error of p is half a
 * unit, and for small elements at most u (|a| + |S|). Let d be the difference of p and p'. It is at
 * most 2.93 units, 3.43 without FMA, and for small elements 5 u (|a| + |S|).
 *     Let s' be farther than d + 2^-23 |s'| from each midpoint. The last bit of s' is worth at most
 * 2^-23 |s'|. From s' to z + p' it is at most half a last bit, and from there to z + p at most d.
 * So half a last bit is left: z + p is on the same side of the midpoint as s', and rounding it to
 * float does not reach the midpoint. Therefore s and s' become the same bf16.
 *     Just above a power of two, the threshold of small elements, 2.5 times their bound, is more
 * than 2 d. Other elements are flagged if the midpoint is within 4 units. If one is not flagged,
 * the midpoint above is at 8 units or more, and the midpoint below at 4 or more.
 *     The distance of a NaN or an infinity is a NaN, so both are flagged. The last bit of a
 * subnormal s' is negligible beside 2^-46 |A|. Flagged groups are added from doubles. So are all
 * f16 elements: one group in 8 would be flagged, which costs more time than floats save. */

/* PE__TILE_16 is the number of pairs of a tile. The floats of a tile take 11 KB, a third of a
   first-level cache of 32 KB. PE__GROUP is the number of pairs of a group, two vectors of
   floats. */
enum { PE__TILE_16 = 128, PE__GROUP = 4 * PE_LANES };

/* The number of spans that are added from doubles before floats are tried again: see
   pe__add_row_pair_16(). */
enum { PE__SPANS_IN_DOUBLES = 64 };

/* A group with flagged elements: the pairs of the tile that start at index i, in row [side] of the
   row pair at `distance` from the anchor. A span seldom has more than a few flagged groups. So a
   block that is stored collects the flagged groups of its spans, up to PE__MAX_FLAGGED, before it
   rounds them. */
typedef struct pe__flagged_group {
    uint32_t index, lanes; /* index: 2 (PE__TILE_16 distance + i) + side. lanes: a bit per lane, set
                              if the lane is flagged: PE__FLOATS lanes of components a, then
                              PE__FLOATS of b. A lane has two elements of the group */
} pe__flagged_group;
/* After a span, a block rounds its flagged groups if there are more than PE__MAX_FLAGGED. So the
   array `flagged` of pe__scratch_16 has room for PE__MAX_FLAGGED groups and for all groups of one
   more span in both rows, PE__MAX_FLAGGED_SPAN. One more entry is for a group that pe__flag_group()
   writes but does not count. */
enum { PE__MAX_FLAGGED = 64, PE__MAX_FLAGGED_SPAN = 2 * (int)PE__TILE_16 / (int)PE__GROUP };

/* A tile in floats: the anchor (a, b), and the plan's rotation rows (plan_row), each converted when
   it is first needed. A group of pairs has two vectors in each of these arrays. They are the first
   and the second half of the group or, if split, its even and its odd pairs. The reason is that a
   vector of elements is interleaved from two vectors of floats. The rounding test takes the smaller
   of the two midpoint distances in each lane. So a group has only one vector in `angle`, bound_a
   and bound_b, which applies to both vectors. */
typedef struct pe__scratch_16 {
    float a[PE__TILE_16], b[PE__TILE_16], plan_row[PE__BLOCK_HALF + 1][2][PE__TILE_16];
    float angle[PE__TILE_16 / 2], bound_a[PE__TILE_16 / 2], bound_b[PE__TILE_16 / 2];
    float error, minimum; /* the maximum of the thresholds, and their constant term */
    unsigned made;        /* bit b: plan_row[b] is converted */
    int excess;           /* adding: sum over the spans of 5 * (pairs in flagged groups) - (pairs of
                             both rows), never below 0; see pe__add_row_pair_16() */
    int spans_in_doubles; /* adding: spans that are still to be added from doubles */
    size_t flagged_count; /* number of entries in `flagged` */
    pe__flagged_group flagged[PE__MAX_FLAGGED + PE__MAX_FLAGGED_SPAN + 1];
    /* row[b] and position[b] are the rows at distance b from the anchor, as in pe__span. They are
       set when these rows are written. */
    unsigned char *row[PE__BLOCK_HALF + 1][2];
    double position[PE__BLOCK_HALF + 1][2];
} pe__scratch_16;

/* Convert count doubles to floats, in the order of groups: see pe__scratch_16. The last vector is
   repeated to fill the last group. */
PE__OUTLINE void pe__to_groups(const double *from, size_t count, int split, float *to)
{
    const size_t last = (count - 1) / PE_LANES * PE_LANES;
    for (size_t i = 0; i < count; i += PE__GROUP) {
        const pe__vf v = pe__join(pe__load(from + i), pe__load(from + pe__min(i + PE_LANES, last)));
        const pe__vf w = pe__join(pe__load(from + pe__min(i + 2 * PE_LANES, last)),
                                  pe__load(from + pe__min(i + 3 * PE_LANES, last)));
        pe__put(to + i, split ? pe__unzip_evens(v, w) : v);
        pe__put(to + i + PE__FLOATS, split ? pe__unzip_odds(v, w) : w);
    }
}

/* Returns |x| of the first vector of the group at i plus |x| of its second vector. */
PE__INLINE pe__vf pe__group_magnitude(const float *x, size_t i)
{
    return pe__add_f32(pe__abs_f32(pe__get(x + i)), pe__abs_f32(pe__get(x + i + PE__FLOATS)));
}

/* Write the thresholds of count pairs to errors. The array x holds the anchor's component, a or b,
   to which they apply. An element is flagged if its distance to the midpoint is at most its
   threshold. */
PE__OUTLINE void pe__thresholds_16(const pe__scratch_16 *f, const float *x, size_t count,
                                   float *errors)
{
    const pe__vf error = pe__splat_f32(f->error), minimum = pe__splat_f32(f->minimum);
    const pe__vf relative_error = pe__splat_f32(10.25f / 16777216); /* 2.5 (4 + 0.1) u */
    for (size_t i = 0; i < count; i += PE__GROUP) {
        const pe__vf sum = pe__add_f32(pe__group_magnitude(x, i), pe__get(f->angle + i / 2));
        pe__put(errors + i / 2, pe__min_f32(error, pe__mad_f32(sum, relative_error, minimum)));
    }
}

/* Returns the constant term of the thresholds: 2^-46 |A| for the error of the doubles and, for f16,
   2^-25 more for subnormals. Returns FLT_MAX, which flags all elements, if |A| is below 2^-87 or
   above 2^90. */
PE__INLINE float pe__base_error_16(const pe_plan *plan, pe_type type)
{
    const double size = pe__max_abs(plan->amplitude, 0);
    if (size < pe__exp2i(-87) || size > pe__exp2i(90)) return FLT_MAX; /* flags all */
    return (float)(size * pe__exp2i(-46) + (type == PE_TYPE_F16 ? pe__exp2i(-25) : 0));
}

/* Begin a tile of columns: set the limits of its thresholds, compute its angles, clear its
   state. */
PE__OUTLINE void pe__scratch_begin(pe__scratch_16 *f, const pe__output *output, pe_type type,
                                   int added)
{
    const pe_plan *const plan = output->plan;
    const size_t count = pe__max(output->sines, output->cosines);
    /* the maximum of the thresholds for |A| in (1/2, 1]: see "Rounding test" above */
    const double of_1 = (added || !PE__FUSES ? 4.0 : 2.5) / 16777216;
    const double size = fabs(plan->amplitude);
    /* the power of two p with |A| in (p/2, p] */
    const double power = size > plan->scale / 2 ? plan->scale : plan->scale / 2;
    const float minimum = pe__base_error_16(plan, type), error = (float)(power * of_1);
    const int unsafe = minimum == FLT_MAX;
    /* the angle of row 8 is 8 pi f; 3.1415927 is above pi */
    const pe__vf angle_factor =
        pe__splat_f32(unsafe ? 0.0f : (float)((double)PE__BLOCK_HALF * 3.1415927 * size));
    f->error = unsafe || error < minimum ? minimum : error;
    f->minimum = minimum;
    f->made = 0;
    f->flagged_count = 0;
    f->excess = f->spans_in_doubles = 0;
    pe__to_groups(plan->frequency + output->pair, count, output->order == PE__SPLIT, f->a);
    for (size_t i = 0; i < count; i += PE__GROUP)
        pe__put(f->angle + i / 2, pe__mul_f32(pe__group_magnitude(f->a, i), angle_factor));
}

/* Returns y minus the midpoint of the two numbers around y whose significands have `drop` bits
   fewer. */
PE__INLINE double pe__double_midpoint_distance(double y, int drop)
{
    const uint64_t bits = pe__double_bits(y) >> drop << drop;
    return y - pe__double_of_bits(bits | (uint64_t)1 << (drop - 1));
}

/* Round y to bf16 or f16 once, through a float that is rounded to odd. |y| must be 0 or in the
   range of normal floats. */
PE__INLINE uint16_t pe__to_16(pe_type type, double y)
{
    const float odd = (float)pe__odd24_one(y);
    if (type == PE_TYPE_F16) return pe__one_to_f16(odd);
    const uint32_t word = (uint32_t)pe__float_bits(odd);
    return (uint16_t)((word + 0x7fffu + (word >> 16 & 1u)) >> 16);
}

/* Returns the element of pair k of a span at position t, given a double y with an error of at most
   e. `component` is 0 for the first component of the pair and 1 for the second. If y - e and y + e
   round to the same number and |y| > 2^-120, this number is the element. Otherwise the element is
   computed by round_element. */
PE__COLD uint16_t pe__round_element_16(const pe__span *x, double t, size_t component, size_t k,
                                       double y, double e, pe_type type)
{
    const uint16_t h = pe__to_16(type, y + e);
    /* |y| > 2^-120, because pe__to_16() does not handle subnormal floats */
    if (h == pe__to_16(type, y - e) && y * y > pe__exp2i(-240)) return h;
    return pe__to_16(type, x->output->round_element(x->output->plan, t, x->pair + k,
                                                    (int)component ^ x->swapped,
                                                    pe__dropped_bits(type), NULL));
}

/* Compute the elements in the flagged lanes of `count` groups from doubles, and store them. For the
   rows at distance b, rows[b] and position[b] are the fields row and position of pe__span. Let y be
   an element whose error is at most e.
   Its rounding is certain if y is farther than 1.4 e from its midpoint and |y| is at least 2^-14,
   above f16's subnormals. Other elements are rounded by pe__round_element_16(). Both conditions
   compare squares, which saves two absolute values. The factor 1.4 covers the rounding of the
   squares. If both squares underflow to 0, the element is not certain. */
PE__OUTLINE void pe__round_flagged_16(const pe__span *x, unsigned char *(*rows)[2],
                                      double (*position)[2], const pe__flagged_group *flagged,
                                      size_t count, pe_type type)
{
    const double *const part[3] = {x->a, x->b, x->a};
    const double eta = x->bound->eta, deflate = 1 - eta + eta * eta;
    /* 1.125: y has one rounding more than in pe__ziv_round() */
    const double e = 1.125 * x->bound->error * fabs(x->output->plan->amplitude);
    const double sign[3] = {deflate, -deflate, deflate}, sure = 2 * e * e;
    const ptrdiff_t across = x->split ? x->across : 2, step = x->split ? 2 : 4;
    const size_t next = x->split ? 2 : 1, half = x->split ? 1 : PE__FLOATS;
    for (; count > 0; count--, flagged++) {
        const size_t side = flagged->index % 2, i = flagged->index / 2 % PE__TILE_16;
        const size_t distance = flagged->index / (2 * PE__TILE_16);
        const double *const row =
            distance ? pe__rotation_row(x->output->plan, 0, (int64_t)distance) + x->pair : NULL;
        for (uint32_t lanes = flagged->lanes; lanes; lanes &= lanes - 1) {
            const size_t bit = pe__lowest_bit(lanes), component = bit / PE__FLOATS;
            for (size_t k = i + bit % PE__FLOATS * next, n = 0; n < 2; n++, k += half) {
                if (k >= (component == 0 ? x->first : x->second)) continue;
                const double tc = row ? row[x->output->plan->padded + k] : 1, ts = row ? row[k] : 0;
                const double y = part[component][k] * tc * deflate +
                                 part[component + 1][k] * ts * sign[component + side];
                const double off =
                    pe__double_midpoint_distance(y, pe__dropped_bits(type) + PE__DROP_F32);
                uint16_t h = pe__to_16(type, y);
                if (PE__UNLIKELY(!(off * off > sure) || y * y < pe__exp2i(-28)))
                    h = pe__round_element_16(x, position[distance][side], component, k, y, e, type);
                memcpy(rows[distance][side] + (ptrdiff_t)k * step + (ptrdiff_t)component * across,
                       &h, sizeof h);
            }
        }
    }
}

/* A group of pairs of one row in floats has two vectors of first components (a) and two of second
   ones (b). Their thresholds are bound_a and bound_b. */
typedef struct pe__group {
    pe__vf a[2], b[2], bound_a, bound_b;
} pe__group;

/* Add the elements at p and at q, times the scale, to a group. Each float of the group is then an
   s' of "Adding to bf16" above. Add 2^-23 |s'| to the thresholds. */
PE__WRAPS /* a prefetched address may wrap around */
PE__INLINE void pe__group_add(const pe__span *x, const unsigned char *p, const unsigned char *q,
                              int split, pe__group *g)
{
    const pe__vf relative_error = pe__splat_f32(1.0f / 8388608); /* 2^-23 */
    const uint16_t *const elements = (const uint16_t *)(const void *)p;
    const uint16_t *const next = (const uint16_t *)(const void *)q;
    PE__PREFETCH((uintptr_t)p + x->prefetch_distance[0]);
    /* interleaved: q follows p, in the same cache line if vectors are shorter than a line */
    if (split || sizeof relative_error >= 64) PE__PREFETCH((uintptr_t)q + x->prefetch_distance[0]);
    const pe__vf u = pe__get_bf16_odds(elements), v = pe__get_bf16_evens(next);
    g->a[0] = pe__scaled_sum(pe__get_bf16_evens(elements), &x->scale, g->a[0]);
    g->a[1] = pe__scaled_sum(split ? u : v, &x->scale, g->a[1]);
    g->b[0] = pe__scaled_sum(split ? v : u, &x->scale, g->b[0]);
    g->b[1] = pe__scaled_sum(pe__get_bf16_odds(next), &x->scale, g->b[1]);
    g->bound_a = pe__mad_f32(pe__add_f32(pe__abs_f32(g->a[0]), pe__abs_f32(g->a[1])),
                             relative_error, g->bound_a);
    g->bound_b = pe__mad_f32(pe__add_f32(pe__abs_f32(g->b[0]), pe__abs_f32(g->b[1])),
                             relative_error, g->bound_b);
}

/* Store the group that starts at pair i in row `side`, or add it to the elements there. Returns the
   flagged lanes, as the bits of pe__flagged_group. A group with flagged lanes is stored
   nevertheless, and pe__round_flagged_16() then stores these lanes again. It is not added: that is
   left to pe__add_flagged_16(). */
PE__INLINE uint32_t pe__store_group(const pe__span *x, int side, size_t i, int split, pe__group g,
                                    pe_type type, int added)
{
    const int drop = pe__dropped_bits(type);
    unsigned char *const p = x->row[side] + (split ? 2 : 4) * i;
    unsigned char *const q = p + (split ? x->across : (ptrdiff_t)sizeof g.a[0]);
    if (added) pe__group_add(x, p, q, split, &g);
    const pe__vf a =
        pe__min_size(pe__midpoint_distance(g.a[0], drop), pe__midpoint_distance(g.a[1], drop));
    const pe__vf b =
        pe__min_size(pe__midpoint_distance(g.b[0], drop), pe__midpoint_distance(g.b[1], drop));
    const uint32_t lanes = added ? pe__within(a, g.bound_a, b, g.bound_b) : 0;
    if (PE__UNLIKELY(lanes)) return lanes; /* pe__add_flagged_16() adds them */
    pe__put_zip_as(type, p, g.a[0], split ? g.a[1] : g.b[0]);
    pe__put_zip_as(type, q, split ? g.b[0] : g.a[1], g.b[1]);
    return added ? 0 : pe__within(a, g.bound_a, b, g.bound_b);
}

/* Rotate half of a group, the vector of pairs at i. Rotating by (ts, tc) of the rotation row gives
   g[0], and rotating by (-ts, tc) gives g[1]. */
PE__INLINE void pe__rotate_16(const pe__scratch_16 *f, float (*row)[PE__TILE_16], size_t i,
                              int half, pe__group *g)
{
    const pe__vf a = pe__get(f->a + i), b = pe__get(f->b + i);
    const pe__vf ts = pe__get(row[0] + i), tc = pe__get(row[1] + i);
    const pe__vf aC = pe__mul_f32(a, tc), bC = pe__mul_f32(b, tc);
    g[0].a[half] = pe__mad_f32(b, ts, aC);
    g[0].b[half] = pe__nmad_f32(a, ts, bC);
    g[1].a[half] = pe__nmad_f32(b, ts, aC);
    g[1].b[half] = pe__mad_f32(a, ts, bC);
}

/* Append a group to the flagged groups if any of its lanes are flagged. i is PE__TILE_16 * distance
   plus the group's first pair, as in pe__flagged_group. `often` is set if groups are flagged often
   (f16: one group in 8). Then this is done without a branch. */
PE__INLINE void pe__flag_group(pe__flagged_group **flagged, size_t i, uint32_t side, uint32_t lanes,
                               int often)
{
    if (!often && !lanes) return;
    (*flagged)->index = (uint32_t)(2 * i) + side;
    (*flagged)->lanes = lanes;
    *flagged += lanes != 0;
}

/* Compute the flagged groups of one span from doubles and add them. pe__store_group() has added
   nothing to their elements. */
PE__OUTLINE void pe__add_flagged_16(const pe__span *x, const pe__flagged_group *flagged,
                                    size_t count)
{
    pe__span group = *x;
    for (; count > 0; count--, flagged++) {
        const size_t side = flagged->index % 2;
        group.begin = flagged->index / 2 % PE__TILE_16;
        group.end = pe__min(group.begin + PE__GROUP, x->end);
        group.row[side] = x->row[side];
        group.row[1 - side] = NULL;
        pe__store_one_row(&group);
    }
}

/* This is the hot loop of rows of 16-bit elements. It rotates all columns of a span by rotation row
   `distance`, in floats, group by group, and stores or adds them. The arguments type, split and
   added are constants wherever it is inlined. One of the two rows may be NULL, as at the ends of a
   run. */
PE__INLINE void pe__rotate_span_16(const pe__span *x, pe__scratch_16 *f, size_t distance, int split,
                                   pe_type type, int added)
{
    pe__flagged_group *flagged = f->flagged + f->flagged_count;
    float (*const row)[PE__TILE_16] = f->plan_row[distance];
    const int often = type == PE_TYPE_F16;
    const size_t base = PE__TILE_16 * distance;
    for (size_t i = x->begin; i < x->end; i += PE__GROUP) {
        pe__group g[2];
        uint32_t lanes = 0;
        pe__rotate_16(f, row, i, 0, g);
        pe__rotate_16(f, row, i + PE__FLOATS, 1, g);
        g[0].bound_a = g[1].bound_a = pe__get(f->bound_a + i / 2);
        g[0].bound_b = g[1].bound_b = pe__get(f->bound_b + i / 2);
        if (x->row[0]) lanes = pe__store_group(x, 0, i, split, g[0], type, added);
        pe__flag_group(&flagged, base + i, 0, lanes, often);
        if (!x->row[1]) continue;
        lanes = pe__store_group(x, 1, i, split, g[1], type, added);
        pe__flag_group(&flagged, base + i, 1, lanes, often);
    }
    f->flagged_count = (size_t)(flagged - f->flagged);
}

/* Store or add the rows at `distance` from the anchor, of which one may be NULL. The rotation row
   is converted to floats when the tile first needs it. For distance 0, where x->ts is NULL, all its
   sines are 0 and all its cosines are 1. */
PE__INLINE void pe__store_row_pair_16(const pe__span *x, pe__scratch_16 *f, size_t distance,
                                      pe_type type, int added)
{
    float (*const row)[PE__TILE_16] = f->plan_row[distance];
    if (!(f->made >> distance & 1)) {
        for (size_t i = 0; !x->ts && i < PE__TILE_16; i++) {
            row[0][i] = 0;
            row[1][i] = 1;
        }
        if (x->ts) pe__to_groups(x->ts, x->end, x->split, row[0]);
        if (x->ts) pe__to_groups(x->tc, x->end, x->split, row[1]);
        f->made |= 1u << distance;
    }
    memcpy(f->row[distance], x->row, sizeof x->row);
    memcpy(f->position[distance], x->position, sizeof x->position);
    if (x->split) pe__rotate_span_16(x, f, distance, 1, type, added);
    else pe__rotate_span_16(x, f, distance, 0, type, added);
}

/* Add the rows of a span, of which one may be NULL, to bf16 elements, and then add flagged groups
   from doubles. If much more than 20 % of the groups are flagged for a while, the next
   PE__SPANS_IN_DOUBLES spans are added from doubles only. That happens where the elements nearly
   cancel the rows. If all elements are 1, half of the groups are flagged, and floats followed by
   doubles took twice as long as doubles alone. */
PE__INLINE void pe__add_row_pair_16(pe__span *x, pe__scratch_16 *f, size_t distance)
{
    if (PE__UNLIKELY(f->spans_in_doubles)) {
        f->spans_in_doubles--;
        if (x->row[0] && x->row[1]) pe__add_row_pairs_bf16(x, 1);
        else pe__store_one_row(x);
        return;
    }
    pe__store_row_pair_16(x, f, distance, PE_TYPE_BF16, 1);
    pe__add_flagged_16(x, f->flagged, f->flagged_count);
    /* A span has 2 end / PE__GROUP groups, in two rows. excess grows while more than 20 % of them
       are flagged. One span with more than 60 % increases it from 0 to more than 4 end. The next
       spans are then added from doubles. */
    f->excess += 5 * (int)(f->flagged_count * PE__GROUP) - 2 * (int)x->end;
    if (f->excess < 0) f->excess = 0;
    if (f->excess > 4 * (int)x->end) {
        f->spans_in_doubles = PE__SPANS_IN_DOUBLES;
        f->excess = 0;
    }
    f->flagged_count = 0;
}

/* If more than `maximum` flagged groups have been collected, compute their flagged elements from
   doubles, store them, and begin an empty collection. */
PE__INLINE void pe__flush_flagged_16(const pe__span *x, pe__scratch_16 *f, size_t maximum,
                                     pe_type type)
{
    if (f->flagged_count <= maximum) return;
    pe__round_flagged_16(x, f->row, f->position, f->flagged, f->flagged_count, type);
    f->flagged_count = 0;
}
