/* SPDX-License-Identifier: MIT */
/* Two rows of 16-bit elements at a time.
 * Gives: PE__MAX_FLAGGED, PE__GROUP, PE__TILE_16, pe__add_row_pair_16(), pe__flagged_group,
 *   pe__thresholds_16(), pe__flush_flagged_16(), pe__group, pe__base_error_16(),
 *   pe__store_row_pair_16(), pe__rotation_row(), pe__round_flagged_16(), pe__scratch_16,
 *   pe__scratch_begin(), pe__store_group(), pe__to_groups().
 * Needs: simd, api, numbers, sincos.
 * Tests: tests/unit/test_types.c, tests/unit/test_conventions.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../numbers/base.h"
#include "../numbers/exp_log.h"
#include "../sincos/double_double.h"
#include "../sincos/exact.h"
#include "../plan/make.h"
#include "elements.h"
#include "output.h"
#include "row_pair_f32.h"

/* ---- 6.5 two rows of 16 bits --------------------------------------------------------------------
 * The same in floats, twice as many in a vector.
 *
 * In units of u = 2^-24 and for an amplitude in (1/2, 1], to which any other is scaled, an element
 * that comes from floats has an error of at most
 *     0.71  the anchor's sine and cosine, rounded to float: half a unit each, as a vector
 *     0.71  the plan's row, likewise
 *     0.5   one product; without FMA two, 1.0
 *     0.5   the sum
 *     0.01  of what the doubles were, their factor 1 + eta among it: below 2^-36
 * together 2.43, and 2.93 without FMA. Small elements of small angles have less. Relative to |aC|
 * and |bS| each of these is at most 1 for a C + b S, so together at most 4 (|a| + |S|), and the
 * doubles' 2^-48; |S| is at most the angle of the last row, 8 w.
 *
 * An element is right where no midpoint of two 16-bit numbers is as near as its error. The nearest
 * one is the element with other last bits, so the distance to it is exact. But just above a power
 * of two there is another below, half as far away as the one above, and only the one above is
 * looked at. Therefore:
 *     Small elements of small angles raise the alarm up to 2.5 times their bound from it.
 *     Others raise it up to 2.5 units from it. Distances from a power of two to its midpoints are
 * powers of two themselves. If the one above is at 2 units or nearer, there is an alarm; if it is
 * at 8, the one below is at 4, and that is enough. This leaves 4 above and 2 below. Such an element
 * is just above 2^-14 (bf16) or 2^-11 (f16), so aC and bS nearly cancel, and |aC| + |bS| <= 1:
 * neither is much above 1/2, and one is not above it. One product then lacks at most 0.5, the other
 * 0.25, and the sum next to nothing. With FMA one product is rounded: 0.71 + 0.71 + 0.5 + 0.01 is
 * below 2.
 *     Without FMA elements raise the alarm up to 4 units: of others the midpoint below is at 4 or
 * more.
 *     f16's subnormals have other midpoints. Below 2^-14 the distance is always below 2^-25; f16's
 * bounds have 2^-25 more, so all of these raise the alarm.
 *     Zeros of floats may have the wrong sign. They are 2^-134, half of bf16's least number, from
 * their midpoint, and the bounds have 2^-46 A: more than that for A >= 2^-87. With a smaller A, and
 * above 2^90, all elements raise the alarm.
 * For wide angles some 3 bf16 elements in 10,000 do, and 20 f16 ones. They are computed again from
 * doubles, one by one.
 *
 * Where bf16 are added to, the result has to be s = z + p rounded to float, then to bf16: z = scale
 * x rounded to float, p the element rounded to float. Here it is s' = z + p', rounded, where p'
 * comes from floats. p' is as far from the exact element as above, and p half a unit, or 1 of |a| +
 * |S|: they differ by d, at most 2.93, 3.43 without FMA, and for small elements 5 (|a| + |S|). Let
 * s' be farther than d + 2^-23 |s'| from each midpoint. A last bit of s' is at most 2^-23 |s'|. z +
 * p' is at most half of one away from s', and z + p is d farther, so half of one is left: z + p is
 * on the same side of the midpoint as s', and rounding it to float does not reach the midpoint. So
 * s and s' become the same bf16.
 *     Just above a power of two, 2.5 times the bound of small elements is more than 2 d. Others
 * raise the alarm up to 4 units: where they do not, the midpoint above is at 8 or more, and the one
 * below at 4.
 *     NaNs and infinities are at no distance, so they raise the alarm. The last bit of a subnormal
 * is nothing to 2^-46 of any amplitude. Groups that raise the alarm are added to from doubles. So
 * are all f16: one in 8 groups of these would raise it, and more time lost than won. */

/* Pairs. What a tile of 128 has in floats takes 11 KB, a third of a first-level cache of 32 KB. */
enum { PE__TILE_16 = 128, PE__GROUP = 4 * PE_LANES };
enum { PE__SPANS_IN_DOUBLES = 64 }; /* spans from doubles before floats are tried again:
                                       pe__add_row_pair_16() */

/* Where elements raised the alarm: the group from pair i on in row side of the rows that distance
   from the anchor; lanes, first those of the first components, then those of the second ones. A
   span has a few alarms at most, as a rule: a block collects those of its spans. */
typedef struct pe__flagged_group {
    uint32_t index, lanes; /* index: 2 (PE__TILE_16 distance + i) + side */
} pe__flagged_group;
/* A block settles its alarms when they are more than PE__MAX_FLAGGED, after a span; so there is
   room for those of one more span, all its groups in both rows, and one that pe__flag_group()
   writes in vain. */
enum { PE__MAX_FLAGGED = 64, PE__MAX_FLAGGED_SPAN = 2 * (int)PE__TILE_16 / (int)PE__GROUP };

/* What a tile has in floats: the anchor and the rows of the plan, each converted when first needed.
   A group of pairs is two vectors of each: of its first half and its second, or, if split, of its
   even and its odd pairs, since a vector of elements comes from two that are zipped. Of their
   distances from midpoints the lesser one in each lane is looked at: what raises the alarm is as
   long as one vector for a group, and so is the greater of the angles. */
typedef struct pe__scratch_16 {
    float a[PE__TILE_16], b[PE__TILE_16], plan_row[PE__BLOCK_HALF + 1][2][PE__TILE_16];
    float angle[PE__TILE_16 / 2], bound_a[PE__TILE_16 / 2], bound_b[PE__TILE_16 / 2];
    float error, least;   /* of what raises it */
    unsigned made;        /* bit b: row b is there */
    int excess;           /* adding: alarms of late, less a fifth of all groups */
    int spans_in_doubles; /* adding: so many spans still come from doubles */
    size_t flagged_count;
    pe__flagged_group flagged[PE__MAX_FLAGGED + PE__MAX_FLAGGED_SPAN + 1];
    pe__row_pair at[PE__BLOCK_HALF + 1];
} pe__scratch_16;

/* count doubles as floats in groups; the last of them fill the last group. */
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

/* The size of what the two vectors of each group have in a lane, together. */
PE__INLINE pe__vf pe__group_magnitude(const float *x, size_t i)
{
    return pe__add_f32(pe__abs_f32(pe__get(x + i)), pe__abs_f32(pe__get(x + i + PE__FLOATS)));
}

/* What raises the alarm. */
PE__OUTLINE void pe__thresholds_16(const pe__scratch_16 *f, const float *x, size_t count,
                                   float *errors)
{
    const pe__vf error = pe__splat_f32(f->error), least = pe__splat_f32(f->least);
    const pe__vf by = pe__splat_f32(10.25f / 16777216); /* 2.5 (4 + 0.1) units */
    for (size_t i = 0; i < count; i += PE__GROUP) {
        const pe__vf sum = pe__add_f32(pe__group_magnitude(x, i), pe__get(f->angle + i / 2));
        pe__put(errors + i / 2, pe__min_f32(error, pe__mad_f32(sum, by, least)));
    }
}

/* What is added to an element's error for what the doubles lack, and for f16's subnormals. */
PE__INLINE float pe__base_error_16(const pe_plan *plan, pe__type type)
{
    const double size = pe__max_abs(plan->amplitude, 0);
    if (size < pe__exp2i(-87) || size > pe__exp2i(90)) return FLT_MAX; /* all are alarmed */
    return (float)(size * pe__exp2i(-46) + (type == PE__F16 ? pe__exp2i(-25) : 0));
}

/* Floats for a tile of columns. */
PE__OUTLINE void pe__scratch_begin(pe__scratch_16 *f, const pe__output *output, pe__type type,
                                   int added)
{
    const pe_plan *const plan = output->plan;
    const size_t count = pe__pairs_of(output);
    const double of_1 = (added || !PE__FUSES ? 4.0 : 2.5) / 16777216; /* the proof's units */
    const double size = fabs(plan->amplitude);
    /* the power of two of which |A| is in (1/2, 1] */
    const double power = size > plan->scale / 2 ? plan->scale : plan->scale / 2;
    const float least = pe__base_error_16(plan, type), error = (float)(power * of_1);
    const int unsafe = least == FLT_MAX;
    /* the angle of row 8, 8 pi f; 3.1415927 is above pi */
    const pe__vf by =
        pe__splat_f32(unsafe ? 0.0f : (float)((double)PE__BLOCK_HALF * 3.1415927 * size));
    f->error = unsafe || error < least ? least : error;
    f->least = least;
    f->made = 0;
    f->flagged_count = 0;
    f->excess = f->spans_in_doubles = 0;
    pe__to_groups(plan->frequency + output->pair, count, output->order == PE__SPLIT, f->a);
    for (size_t i = 0; i < count; i += PE__GROUP)
        pe__put(f->angle + i / 2, pe__mul_f32(pe__group_magnitude(f->a, i), by));
}

/* How far a double is from the middle of the two numbers with so many fewer bits next to it. */
PE__INLINE double pe__double_midpoint_distance(double y, int drop)
{
    uint64_t bits;
    double midpoint;
    memcpy(&bits, &y, sizeof bits);
    bits = ((bits >> drop) << drop) | (uint64_t)1 << (drop - 1);
    memcpy(&midpoint, &bits, sizeof midpoint);
    return y - midpoint;
}

/* Rounded to bf16 or f16, by way of a float rounded to odd; no less than a normal float. */
PE__INLINE uint16_t pe__to_16(pe__type type, double y)
{
    const float odd = (float)pe__odd24_one(y);
    if (type == PE__F16) return pe__one_to_f16(odd);
    const uint32_t word = (uint32_t)pe__float_bits(odd);
    return (uint16_t)((word + 0x7fffu + (word >> 16 & 1u)) >> 16);
}

/* An element from a double y with an error of at most e. */
PE__COLD uint16_t pe__round_element_16(const pe__span *x, double t, size_t component, size_t k,
                                       double y, double e, pe__type type)
{
    const uint16_t h = pe__to_16(type, y + e);
    /* |y| > 2^-120: pe__to_16() knows no subnormal floats */
    if (h == pe__to_16(type, y - e) && y * y > pe__exp2i(-240)) return h;
    return pe__to_16(type,
                     x->output->round_element(x->plan, t, x->pair + k, (int)component ^ x->swapped,
                                              pe__dropped_bits(type), NULL));
}

/* Compute these elements from doubles; at: rows by their distance from the anchor. Far from a
   midpoint, which is a double with other last bits, and from f16's subnormals, below 2^-14, they
   are certain. Squares spare two absolute values; that of 1.4 e is sure in spite of its rounding,
   and if both vanish, the element is not sure. */
PE__OUTLINE void pe__round_flagged_16(const pe__span *x, const pe__row_pair *at,
                                      const pe__flagged_group *flagged, size_t count, pe__type type)
{
    const double *const part[3] = {x->a, x->b, x->a};
    const double eta = x->bound->eta, deflate = 1 - eta + eta * eta;
    /* pe__ziv_round() has one rounding less */
    const double e = 1.125 * x->bound->error * fabs(x->plan->amplitude);
    const double sign[3] = {deflate, -deflate, deflate}, sure = 2 * e * e;
    const ptrdiff_t across = x->split ? x->across : 2, step = x->split ? 2 : 4;
    const size_t next = x->split ? 2 : 1, half = x->split ? 1 : PE__FLOATS;
    for (; count > 0; count--, flagged++) {
        const size_t side = flagged->index % 2, i = flagged->index / 2 % PE__TILE_16;
        const size_t distance = flagged->index / (2 * PE__TILE_16);
        const double *const row =
            distance ? pe__rotation_row(x->plan, 0, (int64_t)distance) + x->pair : NULL;
        for (uint32_t lanes = flagged->lanes; lanes; lanes &= lanes - 1) {
            const size_t bit = pe__lowest_bit(lanes), component = bit / PE__FLOATS;
            for (size_t k = i + bit % PE__FLOATS * next, n = 0; n < 2; n++, k += half) {
                if (k >= (component == 0 ? x->first : x->second)) continue;
                const double tc = row ? row[x->plan->padded + k] : 1, ts = row ? row[k] : 0;
                const double y = part[component][k] * tc * deflate +
                                 part[component + 1][k] * ts * sign[component + side];
                const double off =
                    pe__double_midpoint_distance(y, pe__dropped_bits(type) + PE__DROP_F32);
                uint16_t h = pe__to_16(type, y);
                if (PE__UNLIKELY(!(off * off > sure) || y * y < pe__exp2i(-28)))
                    h = pe__round_element_16(x, at[distance].position[side], component, k, y, e,
                                             type);
                memcpy(at[distance].row[side] + (ptrdiff_t)k * step + (ptrdiff_t)component * across,
                       &h, sizeof h);
            }
        }
    }
}

/* A group of pairs of one row as floats: its halves, of first components and of second ones, and
   what raises the alarm. */
typedef struct pe__group {
    pe__vf a[2], b[2], bound_a, bound_b;
} pe__group;

/* Add to the group what is at p and at q, and what its sums may lack. */
PE__WRAPS /* what is asked for ahead: any address will do */
PE__INLINE void pe__group_add(const pe__span *x, const unsigned char *p, const unsigned char *q,
                              int split, pe__group *g)
{
    const pe__vf by = pe__splat_f32(1.0f / 8388608); /* 2^-23 |s'| of the proof */
    const uint16_t *const at = (const uint16_t *)(const void *)p;
    const uint16_t *const next = (const uint16_t *)(const void *)q;
    PE__PREFETCH((uintptr_t)p + x->prefetch_distance[0]);
    /* if pairs are neighbours, vectors below a cache line leave q in the line of p */
    if (split || sizeof by >= 64) PE__PREFETCH((uintptr_t)q + x->prefetch_distance[0]);
    const pe__vf u = pe__get_bf16_odds(at), v = pe__get_bf16_evens(next);
    g->a[0] = pe__scaled_sum(pe__get_bf16_evens(at), &x->scale, g->a[0]);
    g->a[1] = pe__scaled_sum(split ? u : v, &x->scale, g->a[1]);
    g->b[0] = pe__scaled_sum(split ? v : u, &x->scale, g->b[0]);
    g->b[1] = pe__scaled_sum(pe__get_bf16_odds(next), &x->scale, g->b[1]);
    g->bound_a =
        pe__mad_f32(pe__add_f32(pe__abs_f32(g->a[0]), pe__abs_f32(g->a[1])), by, g->bound_a);
    g->bound_b =
        pe__mad_f32(pe__add_f32(pe__abs_f32(g->b[0]), pe__abs_f32(g->b[1])), by, g->bound_b);
}

/* A group from pair i on to row side, or added to what is there. Returns the lanes of an alarm. */
PE__INLINE uint32_t pe__store_group(const pe__span *x, int side, size_t i, int split, pe__group g,
                                    pe__type type, int added)
{
    const int drop = pe__dropped_bits(type);
    unsigned char *const p = x->at.row[side] + (split ? 2 : 4) * i;
    unsigned char *const q = p + (split ? x->across : (ptrdiff_t)sizeof g.a[0]);
    if (added) pe__group_add(x, p, q, split, &g);
    const pe__vf a =
        pe__min_size(pe__midpoint_distance(g.a[0], drop), pe__midpoint_distance(g.a[1], drop));
    const pe__vf b =
        pe__min_size(pe__midpoint_distance(g.b[0], drop), pe__midpoint_distance(g.b[1], drop));
    const uint32_t lanes = added ? pe__within(a, g.bound_a, b, g.bound_b) : 0;
    if (PE__UNLIKELY(lanes)) return lanes; /* nothing is stored: it is what will be added to */
    pe__put_zip_as(type, p, g.a[0], split ? g.a[1] : g.b[0]);
    pe__put_zip_as(type, q, split ? g.b[0] : g.a[1], g.b[1]);
    return added ? 0 : pe__within(a, g.bound_a, b, g.bound_b);
}

/* Half of a group, at i, rotated: to g[0] forth and to g[1] back. */
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

/* Note the alarm of these lanes, if there are any: where they are frequent (f16: one group in
   8) without a branch. */
PE__INLINE void pe__flag_group(pe__flagged_group **flagged, size_t i, uint32_t side, uint32_t lanes,
                               int often)
{
    if (!often && !lanes) return;
    (*flagged)->index = (uint32_t)(2 * i) + side;
    (*flagged)->lanes = lanes;
    *flagged += lanes != 0;
}

/* Add the groups of the alarms, to which nothing is added yet, from doubles. */
PE__OUTLINE void pe__add_flagged_16(const pe__span *x, const pe__flagged_group *flagged,
                                    size_t count)
{
    pe__span group = *x;
    for (; count > 0; count--, flagged++) {
        const size_t side = flagged->index % 2;
        group.begin = flagged->index / 2 % PE__TILE_16;
        group.end = pe__min(group.begin + PE__GROUP, x->end);
        group.at.row[side] = x->at.row[side];
        group.at.row[1 - side] = NULL;
        pe__store_row_of_pair(&group);
    }
}

/* The kernel: all columns of a span in groups, from the plan's row as floats. type, split and added
   are constants where it is inlined. One of the two rows may be missing, as at the ends of a run.
   */
PE__INLINE void pe__rotate_span_16(const pe__span *x, pe__scratch_16 *f, size_t distance, int split,
                                   pe__type type, int added)
{
    pe__flagged_group *flagged = f->flagged + f->flagged_count;
    float(*const row)[PE__TILE_16] = f->plan_row[distance];
    const int often = type == PE__F16;
    const size_t base = PE__TILE_16 * distance;
    for (size_t i = x->begin; i < x->end; i += PE__GROUP) {
        pe__group g[2];
        uint32_t lanes = 0;
        pe__rotate_16(f, row, i, 0, g);
        pe__rotate_16(f, row, i + PE__FLOATS, 1, g);
        g[0].bound_a = g[1].bound_a = pe__get(f->bound_a + i / 2);
        g[0].bound_b = g[1].bound_b = pe__get(f->bound_b + i / 2);
        if (x->at.row[0]) lanes = pe__store_group(x, 0, i, split, g[0], type, added);
        pe__flag_group(&flagged, base + i, 0, lanes, often);
        if (!x->at.row[1]) continue;
        lanes = pe__store_group(x, 1, i, split, g[1], type, added);
        pe__flag_group(&flagged, base + i, 1, lanes, often);
    }
    f->flagged_count = (size_t)(flagged - f->flagged);
}

/* Two rows so many digits from the anchor, stored or added. */
PE__INLINE void pe__store_row_pair_16(const pe__span *x, pe__scratch_16 *f, size_t distance,
                                      pe__type type, int added)
{
    float(*const row)[PE__TILE_16] = f->plan_row[distance];
    if (!(f->made >> distance & 1)) {
        for (size_t i = 0; !x->ts && i < PE__TILE_16; i++) {
            row[0][i] = 0;
            row[1][i] = 1;
        }
        if (x->ts) pe__to_groups(x->ts, x->end, x->split, row[0]);
        if (x->ts) pe__to_groups(x->tc, x->end, x->split, row[1]);
        f->made |= 1u << distance;
    }
    f->at[distance] = x->at;
    if (x->split) pe__rotate_span_16(x, f, distance, 1, type, added);
    else pe__rotate_span_16(x, f, distance, 0, type, added);
}

/* Two rows added to bf16, and at once, from doubles, what raised the alarm. Where a fifth of the
   groups of late did, since what is added to nearly cancels the rows, all of some spans are added
   from doubles. x = 1 everywhere does: half of its groups are alarmed, and both ways in turn took
   twice as long as doubles alone. */
PE__INLINE void pe__add_row_pair_16(pe__span *x, pe__scratch_16 *f, size_t distance)
{
    if (PE__UNLIKELY(f->spans_in_doubles)) {
        f->spans_in_doubles--;
        if (x->at.row[0] && x->at.row[1]) pe__add_row_pairs_bf16(x, 1);
        else pe__store_row_of_pair(x);
        return;
    }
    pe__store_row_pair_16(x, f, distance, PE__BF16, 1);
    pe__add_flagged_16(x, f->flagged, f->flagged_count);
    /* a span has 2 end / PE__GROUP groups, in two rows; three fifths alarmed in one span will do */
    f->excess += 5 * (int)(f->flagged_count * PE__GROUP) - 2 * (int)x->end;
    if (f->excess < 0) f->excess = 0;
    if (f->excess > 4 * (int)x->end) {
        f->spans_in_doubles = PE__SPANS_IN_DOUBLES;
        f->excess = 0;
    }
    f->flagged_count = 0;
}

/* Round again what raised a block's alarms, if they are more than that many. */
PE__INLINE void pe__flush_flagged_16(const pe__span *x, pe__scratch_16 *f, size_t most,
                                     pe__type type)
{
    if (f->flagged_count <= most) return;
    pe__round_flagged_16(x, f->at, f->flagged, f->flagged_count, type);
    f->flagged_count = 0;
}
