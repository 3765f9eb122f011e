/* SPDX-License-Identifier: MIT */
/* Computes RoPE's frequencies in double-double, 64 at a time, and rounds them correctly. Tested by
 * tests/unit/rope/test_rope_frequencies.c and tests/checks/levels.sh. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "contract_config.h"
#include "../numbers/compare.h"
#include "../numbers/double_double.h"
#include "../numbers/exp_log.h"
#include "../frequencies/geometric.h"
#include "config.h"
#include "exact.h"

/* Returns a bound of YaRN's ramp: the larger of minimum and sign * c(beta), where sign is 1 or -1.
   The pair c(beta) = -log2(L0 / 2 pi beta) / step completes beta rotations in L0 positions, and
   step is log2 q. If config->truncate is set, sign * c(beta) is rounded down and *low is set to 0.
   Otherwise *low receives the low double of the result.

   L0 is r->length. The error of c(beta) is below e = 2^-90 / |step|. The logarithms have at most 8
   bits before the point (L0 <= 2^53, 2^-128 <= beta <= 2^128), so they are off by at most 2^-94.
   (L0 = 2^-900, see pe_rope_ggml_frequencies(), has an exact logarithm.) The quotient and step have
   relative errors of 2^-101. If an integer is closer to c(beta) than e, the floor cannot be
   determined. Then r->ramp_error = 1 sends all pairs on or near the ramp to
   pe__rope_round_frequency(). Floors above 2^52 become 2^52. Such a bound is far from all pairs of
   a head that fits in memory, so its error does not matter. */
PE__OUTLINE double pe__rope_bound(pe__rope *r, double beta, double sign, double minimum,
                                  double *low)
{
    static const double log2_pi[2] = {2.651496129472319, -1.4306827340855198e-16}; /* log2(2 pi) */
    const pe__dd step = pe__dd_from_td(r->all.step);
    const pe__dd length = pe__dd_from_td(pe__td_log2_of(r->length));
    const pe__dd rotations = pe__dd_sub(length, pe__dd_from_td(pe__td_log2_of(beta)));
    const pe__dd c = pe__dd_div(pe__dd_sub(rotations, pe__dd_splat(log2_pi)), step);
    const double a = -sign * pe__first_lane(c.hi), b = -sign * pe__first_lane(c.lo);
    const double e = pe__exp2i(-90) / -pe__first_lane(step.hi);
    *low = 0;
    if (a - minimum + b <= 0) return minimum;
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

/* Set the ramp of r: its ends low and high, the line between them, and the bounds of the errors. If
   low = high in YaRN, the ramp gets the length 0.001, as in the code of models. ggml gives that
   length to all ramps that are shorter, also if high < low.

   ramp_error bounds the absolute error of the line start + slope x. Suppose that low and high are
   each off by e, which pe__rope_bound() stores in ramp_error. The error of low adds slope * e, and
   the error of high - low adds 2 * slope * e. The code uses 4 * slope * e, which leaves room.
   margin bounds the errors of x - low and x - high. If the computed x is closer than margin to low
   or high, the exact x may be on the other side of it. */
PE__OUTLINE void pe__rope_ramp(pe__rope *r)
{
    const pe_rope_config *const config = r->config;
    const pe__dd one = pe__dd_from_double(pe__splat(1.0));
    const pe__dd minimum = pe__dd_div(one, pe__dd_from_double(pe__splat(1000.0)));
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
        span = minimum;
        length = 0.001;
        r->high = pe__dd_add(r->low, minimum);
    }
    r->sign = length > 0 ? 1 : -1;
    /* begin = keep + (1 - keep) / f. The form 1 / f + keep (1 - 1 / f) is equal, but for a tiny f
       its terms would cancel */
    const pe__dd keep = pe__dd_from_double(pe__splat(r->keep));
    r->begin = pe__dd_renormalize(pe__dd_add(pe__dd_mul(r->end, pe__dd_sub(one, keep)), keep));
    r->slope = pe__dd_from_double(pe__splat(0.0)); /* LLAMA3 with low = high: a step, no line */
    if (length != 0) r->slope = pe__dd_div(pe__dd_mul_double(scaled, -r->keep), span);
    const pe__dd fall = pe__dd_mul(r->low, r->slope);
    r->start = pe__dd_sub(r->begin, fall);
    r->margin = 2 * r->ramp_error + pe__exp2i(-90) * (fabs(low[0]) + fabs(high[0]));
    r->ramp_error *= 4 * fabs(pe__first_lane(r->slope.hi));
    /* begin - fall may cancel: its error is 2^-99 times the sum of both magnitudes */
    r->ramp_error +=
        pe__exp2i(-99) * (pe__first_lane(pe__abs(r->begin.hi)) + pe__first_lane(pe__abs(fall.hi)));
    if (length == 0) r->ramp_error = 1 / pe__exp2i(-900); /* near the step: never decided */
}

/* Returns log2 f, with an error of at most 2^-104 max(1, |log2 f|). Except for DYNAMIC_NTK, f is
   f[0] / f[2], and the logarithms of f[0] and f[2] are subtracted. Both numbers are usually
   products of 2, 3 and 5, for which pe__td_log2_of() is so fast that two calls take less time than
   one logarithm of f. */
PE__OUTLINE pe__td pe__rope_log2_factor(const pe__rope *r)
{
    if (r->f[3] != 0) return pe__td_log2(r->factor);
    return pe__td_sub(pe__td_log2_of(r->f[0]), pe__td_log2_of(r->f[2]));
}

/* Set the fields of *r after is_ggml, for a config without errors. Here n is r->n, and theta is the
   config's rope_theta. LINEAR and PROPORTIONAL have the frequency scale F = 1 / f. NTK and
   DYNAMIC_NTK replace theta by theta f^(n / (n - 2)), which adds -log2 f / (n / 2 - 1) to log2 q.
   NTK_FIXED multiplies w_i by f^(-2 (i + 1) / n), so the frequency scale F is f^(-2 / n), and -log2
   f / (n / 2) is added to log2 q. */
PE__OUTLINE void pe__rope_begin(pe__rope *r)
{
    const pe_rope_type type = r->config->rope_type;
    const double half[2] = {0.5 * r->width, 0};
    const int fixed = type == PE_ROPE_NTK_FIXED;
    const pe__td product = pe__td_mul_double(pe__td_splat(r->f[0]), pe__splat(r->f[1]));
    pe__td frequency_scale = pe__td_splat(1.0);
    r->all.step = pe__geometric_step(r->config->rope_theta, half);
    r->factor = pe__td_add(pe__td_div_double(product, pe__splat(r->f[2])), pe__td_splat(r->f[3]));
    r->end = pe__dd_div(pe__dd_from_td(frequency_scale), pe__dd_from_td(r->factor));
    if (fixed || type == PE_ROPE_NTK || type == PE_ROPE_DYNAMIC_NTK) {
        const double n = r->n - (fixed ? 0 : 2);
        const pe__td more = pe__td_div_double(pe__rope_log2_factor(r), pe__splat(-0.5 * n));
        r->all.step = pe__td_add(r->all.step, more);
        if (fixed) frequency_scale = pe__td_exp2(more);
    }
    if (r->keep == 0 && !pe__rope_has_ramp(r)) {
        frequency_scale.a = r->end.hi;
        frequency_scale.b = r->end.lo;
    }
    pe__geometric_begin(&r->all, &frequency_scale);
    if (pe__rope_has_ramp(r)) pe__rope_ramp(r);
}

/* Multiply the frequencies F q^i in *w, of a vector of indices i, by the factor of the ramp: begin
   before low, end after high, start + slope x between. Returns a bound of the factor's relative
   error. The bound covers cancellation and the errors of low and high. It is 0 where x is outside
   the ramp and farther from it than margin. */
PE__INLINE pe__vd pe__rope_apply_ramp(const pe__rope *r, pe__vd index, pe__dd *w)
{
    const pe__vd sign = pe__splat(r->sign), margin = pe__splat(r->margin), zero = pe__splat(0.0);
    pe__dd x = pe__dd_from_double(index);
    if (r->config->rope_type == PE_ROPE_LLAMA3) x = pe__dd_mul(*w, r->waves);
    const pe__dd climb = pe__dd_mul(x, r->slope);
    pe__dd y = pe__dd_renormalize(pe__dd_add(r->start, climb));
    /* the absolute error: the relative one has no bound, since start and climb may cancel */
    pe__vd error = (pe__abs(r->start.hi) + pe__abs(climb.hi)) * pe__splat(pe__exp2i(-99));
    const pe__vd below = ((r->low.hi - x.hi) + (r->low.lo - x.lo)) * sign;
    const pe__vd above = ((x.hi - r->high.hi) + (x.lo - r->high.lo)) * sign;
    y.hi = pe__where_positive(above, r->end.hi, pe__where_positive(below, r->begin.hi, y.hi));
    y.lo = pe__where_positive(above, r->end.lo, pe__where_positive(below, r->begin.lo, y.lo));
    error = error + pe__splat(r->ramp_error);
    /* farther than margin from the ramp the factor is begin or end */
    error =
        pe__where_positive(above - margin, zero, pe__where_positive(below - margin, zero, error));
    y.hi = pe__where_positive(pe__abs(y.hi), y.hi, error); /* where y is 0, the relative error is
                                                              then 1, with no division by 0 */
    *w = pe__dd_mul(*w, y);
    return error / pe__abs(y.hi);
}

/* Write to omega the correctly rounded frequencies, starting at index `pair`, which is below
   r->rotating. Stop after 64 frequencies, at the end of the pair's section (r->period), or at
   r->rotating. Returns their number. Lists of factors are copied and padded with 1, because the
   last vector may extend beyond their end. */
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
        pe__vd e = pe__splat(pe__exp2i(-99)); /* relative error of all but the ramp */
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

/* Write the frequencies of all pairs to omega; pairs that do not rotate get 0. */
PE__OUTLINE void pe__rope_all_frequencies(const pe__rope *r, double *omega)
{
    for (size_t i = 0; i < r->rotating; i += pe__rope_next_frequencies(r, i, omega + i)) {}
    for (size_t i = r->rotating; i < r->pairs; i++) omega[i] = 0;
}
