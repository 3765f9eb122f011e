/* SPDX-License-Identifier: MIT */
/* RoPE's frequencies by double-double, 64 at a time.
 * Gives: pe__rope_all_frequencies(), pe__rope_begin(), pe__rope_log2_factor(),
 *   pe__rope_next_frequencies().
 * Needs: simd, api, numbers, frequencies.
 * Tests: tests/unit/test_rope_frequencies.c, tests/checks/levels.sh. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "contract_config.h"
#include "../numbers/base.h"
#include "../numbers/double_double.h"
#include "../numbers/exp_log.h"
#include "../frequencies/geometric.h"
#include "config.h"
#include "exact.h"

/* YaRN: sign c(beta), where c(beta) = -log2(L0 / 2 pi beta) / step is the pair that turns beta
   times in L0 positions, but at least the given number; and its floor, if the config wants whole
   numbers, else *low is its second double. The logarithms are off by 2^-94 at most, for numbers of
   8 bits before the point (L0 <= 2^53, beta >= 2^-128), and ratio and step by 2^-101 of themselves:
   e has more than all of these. If a floor is closer than e, ramp_error = 1 leaves all pairs on the
   ramp to integers. From 2^52 on no pair can tell which: there are not so many. */
PE__OUTLINE double pe__rope_bound(pe__rope *r, double beta, double sign, double least, double *low)
{
    static const double log2_pi[2] = {2.651496129472319, -1.4306827340855198e-16}; /* of 2 pi */
    const pe__dd step = pe__dd_from_td(r->all.step);
    const pe__dd length = pe__dd_from_td(pe__td_log2_of(r->length));
    const pe__dd rotations = pe__dd_sub(length, pe__dd_from_td(pe__td_log2_of(beta)));
    const pe__dd c = pe__dd_div(pe__dd_sub(rotations, pe__dd_splat(log2_pi)), step);
    const double a = -sign * pe__first_lane(c.hi), b = -sign * pe__first_lane(c.lo);
    const double e = pe__exp2i(-90) / -pe__first_lane(step.hi);
    *low = 0;
    if (a - least + b <= 0) return least;
    if (!r->config->truncate) {
        r->ramp_error = e;
        *low = b;
        return a;
    }
    if (a > pe__exp2i(52)) return pe__exp2i(52);
    const double off = a - pe__round_to_integer(a) + b;
    if (pe__between(off, -e, e)) r->ramp_error = 1;
    return pe__round_to_integer(a) - (off < 0);
}

/* Where the ramp begins and ends, and the line between. A ramp that ends where it begins gets the
   length 0.001 that models' code gives it; ggml gives it to any shorter one. ramp_error: how far
   the line is off, at most, where each end is by e: slope e for low, 2 slope e for their distance;
   4 leave room. margin: so near to an end x may be on its other side. */
PE__OUTLINE void pe__rope_ramp(pe__rope *r)
{
    const pe_rope_config *const config = r->config;
    const pe__dd one = pe__dd_from_double(pe__splat(1.0));
    const pe__dd least = pe__dd_div(one, pe__dd_from_double(pe__splat(1000.0)));
    const pe__dd scaled = pe__dd_sub(one, r->end); /* 1 - 1 / f */
    double low[2] = {config->high_freq_factor, 0}, high[2] = {config->low_freq_factor, 0};
    r->ramp_error = 0;
    r->waves = pe__dd_mul_double(pe__dd_splat(pe__inverse_pi), 0.5 * r->length);
    if (config->rope_type != PE_ROPE_LLAMA3) {
        low[0] = pe__rope_bound(r, r->fast, 1, 0, &low[1]);
        high[0] = -pe__rope_bound(r, r->slow, -1, 1 - r->n, &high[1]);
        high[1] = -high[1];
    }
    r->low = pe__dd_splat(low);
    r->high = pe__dd_splat(high);
    pe__dd span = pe__dd_sub(r->high, r->low);
    double length = pe__first_lane(span.hi);
    if (config->rope_type != PE_ROPE_LLAMA3 && (length == 0 || (r->is_ggml && length < 0.001))) {
        span = least;
        length = 0.001;
        r->high = pe__dd_add(r->low, least);
    }
    r->sign = length > 0 ? 1 : -1;
    /* keep + (1 - keep) / f: where f is tiny, 1 / f + keep (1 - 1 / f) would cancel */
    const pe__dd keep = pe__dd_from_double(pe__splat(r->keep));
    r->begin = pe__dd_renormalize(pe__dd_add(pe__dd_mul(r->end, pe__dd_sub(one, keep)), keep));
    r->slope = pe__dd_from_double(pe__splat(0.0)); /* LLAMA3 with equal factors: a step */
    if (length != 0) r->slope = pe__dd_div(pe__dd_mul_double(scaled, -r->keep), span);
    const pe__dd fall = pe__dd_mul(r->low, r->slope);
    r->start = pe__dd_sub(r->begin, fall);
    r->margin = 2 * r->ramp_error + pe__exp2i(-90) * (fabs(low[0]) + fabs(high[0]));
    r->ramp_error *= 4 * fabs(pe__first_lane(r->slope.hi));
    /* start is what is left of two numbers, and has their errors */
    r->ramp_error += pe__exp2i(-99) * (pe__first_lane(pe__abs(r->begin.hi)) +
                                       pe__first_lane(pe__abs(fall.hi)));
    if (length == 0) r->ramp_error = 1 / pe__exp2i(-900); /* a step: next to it anything may be */
}

/* log2 f, to 2^-104 of 1 or of itself. Where f is f[0] / f[2], two numbers that people
   write, pe__td_log2_of() of each is faster than the logarithm of the ratio. */
PE__OUTLINE pe__td pe__rope_log2_factor(const pe__rope *r)
{
    if (r->f[3] != 0) return pe__td_log2(r->factor);
    return pe__td_sub(pe__td_log2_of(r->f[0]), pe__td_log2_of(r->f[2]));
}

/* What all pairs share, of a config that is right. NTK takes theta f^(n / (n - 2)) for theta: for
   log2 q that is -log2 f / (n / 2 - 1) more. NTK_FIXED has f^(-2 (i + 1) / n), hence its unit. */
PE__OUTLINE void pe__rope_begin(pe__rope *r)
{
    const pe_rope_type type = r->config->rope_type;
    const double half[2] = {0.5 * r->width, 0};
    const int fixed = type == PE_ROPE_NTK_FIXED;
    const pe__td product = pe__td_mul_double(pe__td_splat(r->f[0]), pe__splat(r->f[1]));
    pe__td unit = pe__td_splat(1.0);
    r->all.step = pe__geometric_step(r->config->rope_theta, half);
    r->factor = pe__td_add(pe__td_div_double(product, pe__splat(r->f[2])), pe__td_splat(r->f[3]));
    r->end = pe__dd_div(pe__dd_from_td(unit), pe__dd_from_td(r->factor));
    if (fixed || type == PE_ROPE_NTK || type == PE_ROPE_DYNAMIC_NTK) {
        const double n = r->n - (fixed ? 0 : 2);
        const pe__td more = pe__td_div_double(pe__rope_log2_factor(r), pe__splat(-0.5 * n));
        r->all.step = pe__td_add(r->all.step, more);
        if (fixed) unit = pe__td_exp2(more);
    }
    if (r->keep == 0 && !pe__rope_has_ramp(r)) {
        unit.a = r->end.hi;
        unit.b = r->end.lo;
    }
    pe__geometric_begin(&r->all, &unit);
    if (pe__rope_has_ramp(r)) pe__rope_ramp(r);
}

/* Multiply the frequencies w of a vector of indices by what the ramp says: begin up to low, end
   from high on, start + slope x between. Returns by how much the factor may be off, relatively:
   next to a bound by what double-double loses where they cancel, and by the bounds' own errors. */
PE__INLINE pe__vd pe__rope_apply_ramp(const pe__rope *r, pe__vd index, pe__dd *w)
{
    const pe__vd sign = pe__splat(r->sign), margin = pe__splat(r->margin), zero = pe__splat(0.0);
    pe__dd x = pe__dd_from_double(index);
    if (r->config->rope_type == PE_ROPE_LLAMA3)
        x = pe__dd_mul(*w, r->waves);
    const pe__dd climb = pe__dd_mul(x, r->slope);
    pe__dd y = pe__dd_renormalize(pe__dd_add(r->start, climb));
    /* absolute, as start and climb may cancel */
    pe__vd error = (pe__abs(r->start.hi) + pe__abs(climb.hi)) * pe__splat(pe__exp2i(-99));
    const pe__vd below = ((r->low.hi - x.hi) + (r->low.lo - x.lo)) * sign;
    const pe__vd above = ((x.hi - r->high.hi) + (x.lo - r->high.lo)) * sign;
    y.hi = pe__where_positive(above, r->end.hi, pe__where_positive(below, r->begin.hi, y.hi));
    y.lo = pe__where_positive(above, r->end.lo, pe__where_positive(below, r->begin.lo, y.lo));
    error = error + pe__splat(r->ramp_error);
    /* well before and behind the ramp nothing is in doubt */
    error =
        pe__where_positive(above - margin, zero, pe__where_positive(below - margin, zero, error));
    y.hi = pe__where_positive(pe__abs(y.hi), y.hi, error); /* all is lost: any number, and no 0 /
                                                              0 */
    *w = pe__dd_mul(*w, y);
    return error / pe__abs(y.hi);
}

/* The frequencies of a section from a pair on, at most 64, correctly rounded. Returns how many.
   Lists are copied, with 1 behind their end: vectors may reach beyond it. */
PE__OUTLINE size_t pe__rope_next_frequencies(const pe__rope *r, size_t pair, double *omega)
{
    const size_t index = pair % r->period, left = pe__min(r->rotating - pair, r->period - index);
    const size_t n = pe__min(left, PE__FREQUENCY_TILE);
    const float *const more = r->config->freq_factors;
    double w[2 * PE__FREQUENCY_TILE], list[2][PE__FREQUENCY_TILE];
    pe__geometric_fill(&r->all, index, n, w, PE__FREQUENCY_TILE);
    for (size_t i = 0; i < PE__FREQUENCY_TILE && r->factors; i++)
        list[0][i] = i < n ? r->factors[index + i] : 1.0;
    for (size_t i = 0; i < PE__FREQUENCY_TILE && more; i++)
        list[1][i] = i < n ? (double)more[pair + i] : 1.0;
    for (size_t i = 0; i < n; i += PE_LANES) {
        const pe__vd lanes = pe__iota() + pe__splat((double)(index + i));
        pe__vd e = pe__splat(pe__exp2i(-99)); /* relative */
        pe__dd y = {pe__load(w + i), pe__load(w + PE__FREQUENCY_TILE + i)};
        if (pe__rope_has_ramp(r)) e = e + pe__rope_apply_ramp(r, lanes, &y);
        if (r->factors) y = pe__dd_div(y, pe__dd_from_double(pe__load(list[0] + i)));
        if (more) y = pe__dd_div(y, pe__dd_from_double(pe__load(list[1] + i)));
        e = e * y.hi;
        const pe__vd up = y.hi + (y.lo + e), down = y.hi + (y.lo - e);
        pe__store(w + i, up);
        if (PE__UNLIKELY(pe__unequal(up, down, up, down))) {
            double other[PE_LANES];
            pe__store(other, down);
            for (size_t lane = 0; lane < PE_LANES && i + lane < n; lane++)
                if (w[i + lane] != other[lane])
                    w[i + lane] = pe__rope_round_frequency(r, pair + i + lane);
        }
    }
    memcpy(omega, w, n * sizeof *omega);
    return n;
}

/* All of them; pairs that do not turn have 0. */
PE__OUTLINE void pe__rope_all_frequencies(const pe__rope *r, double *omega)
{
    for (size_t i = 0; i < r->rotating; i += pe__rope_next_frequencies(r, i, omega + i)) {}
    for (size_t i = r->rotating; i < r->pairs; i++) omega[i] = 0;
}
