/* SPDX-License-Identifier: MIT */
/* RoPE's frequencies, by triple-double and by integers; its plan.
 * Gives: pe__rope_all(), pe__rope_begin(), pe__rope_mscale(), pe_rope_frequencies().
 * Needs: simd, api, plan, numbers.
 * Tests: tests/unit/test_rope_frequencies.c, tests/checks/levels.sh. */
#pragma once
#include "../pe_simd.h"
#include "../api/options.h"
#include "../api/types.h"
#include "contract_config.h"
#include "../numbers/base.h"
#include "../numbers/double_double.h"
#include "../numbers/exp_log.h"
#include "../numbers/real.h"
#include "../plan/config.h"
#include "../plan/shape.h"
#include "../plan/make.h"
#include "config.h"

/* x * scale within 0 ... 1, where scale is the inverse of span > 0. Lane by lane, so that what lies
   outside is 0 or 1 and nothing else. Where span = 0, it is a step. */
PE__OUTLINE pe__td pe__td_ramp(pe__td x, pe__td span, pe__td scale)
{
    double below[PE_LANES], above[PE_LANES], a[PE_LANES], b[PE_LANES], c[PE_LANES];
    const pe__td rest = pe__td_sub(x, span);
    pe__td y = pe__td_mul(x, scale);
    pe__store(below, x.a);
    pe__store(above, rest.a);
    pe__store(a, y.a);
    pe__store(b, y.b);
    pe__store(c, y.c);
    for (int lane = 0; lane < PE_LANES; lane++)
        if (below[lane] <= 0 || above[lane] >= 0) {
            a[lane] = below[lane] <= 0 ? 0.0 : 1.0;
            b[lane] = c[lane] = 0.0;
        }
    y.a = pe__load(a);
    y.b = pe__load(b);
    y.c = pe__load(c);
    return y;
}

/* YaRN: sign c(beta), where c(beta) is the pair that turns beta times in L0 positions, but at least
   the given number; and its floor, if the config wants whole numbers. From 2^52 on no pair can tell
   which: there are not so many. */
PE__COLD pe__td pe__rope_bound(pe__rope *r, double beta, double sign, double least)
{
    const pe__td log_turns = pe__td_log(pe__td_div(r->waves, pe__splat(beta)));
    const pe__td c =
        pe__td_ratio(pe__td_scale(log_turns, pe__splat(sign)), pe__td_add(r->step, r->step));
    const double a = pe__first_lane(c.a), e = pe__exp2i(-125) / pe__first_lane(r->step.a);
    if (pe__first_lane(pe__td_sub(c, pe__td_splat(least)).a) <= 0) return pe__td_splat(least);
    if (!r->config->truncate) {
        r->doubt = e;
        return c;
    }
    if (a > pe__exp2i(52)) return pe__td_splat(pe__exp2i(52));
    const double off = a - pe__nearest(a) + pe__first_lane(c.b);
    if (pe__between(off, -e, e)) r->doubt = 1;
    return pe__td_splat(pe__nearest(a) - (off < 0));
}

/* The same to any precision. */
PE__COLD pe__real pe__rope_real_bound(const pe__rope *r, double beta, double sign, double least,
                                      int n, int *unsure)
{
    pe__real x = pe__real_pi(n), c = pe__real_of(r->length, n);
    pe__real_by(&x, 2 * beta);
    pe__real_divide(&c, &x);
    pe__real_log(&c);
    pe__real_by(&c, sign * r->n / 2);
    x = pe__real_of(r->config->rope_theta, n);
    pe__real_log(&x);
    pe__real_divide(&c, &x);
    x = c;
    pe__real_more(&x, -least);
    if (x.sign <= 0) return pe__real_of(least, n);
    if (!r->config->truncate) return c;
    if (pe__real_double(&c) > pe__exp2i(52)) return pe__real_of(pe__exp2i(52), n);
    const double whole = pe__nearest(pe__real_double(&c));
    pe__real_more(&c, -whole);
    *unsure |= !pe__real_has_sign(&c);
    return pe__real_of(whole - (c.sign < 0), n);
}

/* What all pairs share, of a config that is right. */
PE__OUTLINE void pe__rope_begin(pe__rope *r)
{
    const pe_rope_config *const config = r->config;
    const pe_rope_type type = config->rope_type;
    const pe__td zero = pe__td_splat(0.0), one = pe__td_splat(1.0);
    const pe__td product = pe__td_scale(pe__td_splat(r->f[0]), pe__splat(r->f[1]));
    r->factor = pe__td_add(pe__td_div(product, pe__splat(r->f[2])), pe__td_splat(r->f[3]));
    r->inverse_factor = pe__td_ratio(one, r->factor);
    r->step = pe__td_div(pe__td_log(pe__td_splat(config->rope_theta)), pe__splat(r->width));
    r->shift = r->low = r->span = r->inverse = zero;
    r->sign = 1;
    r->doubt = 0;
    if (type == PE_ROPE_NTK || type == PE_ROPE_NTK_FIXED || type == PE_ROPE_DYNAMIC_NTK) {
        const int fixed = type == PE_ROPE_NTK_FIXED;
        const pe__td more = pe__td_div(pe__td_log(r->factor), pe__splat(r->n - (fixed ? 0 : 2)));
        r->step = pe__td_add(r->step, more);
        if (fixed) r->shift = pe__td_add(more, more);
    }
    if (pe__rope_has_ramp(r)) {
        const pe__td least = pe__td_div(one, pe__splat(1000.0));
        r->waves = pe__td_scale(pe__td_const(pe__inverse_pi), pe__splat(0.5 * r->length));
        if (type == PE_ROPE_LLAMA3) {
            r->low = pe__td_splat(config->high_freq_factor);
            r->span = pe__td_sub(pe__td_splat(config->low_freq_factor), r->low);
        } else {
            r->low = pe__rope_bound(r, r->fast, 1, 0);
            r->span = pe__rope_bound(r, r->slow, -1, 1 - r->n); /* minus the end of the ramp */
            r->span = pe__td_sub(pe__td_sub(zero, r->span), r->low);
            if (pe__first_lane(r->span.a) == 0 ||
                (r->is_ggml && pe__first_lane(pe__td_sub(r->span, least).a) < 0))
                r->span = least;
        }
        if (!(pe__first_lane(r->span.a) > 0)) {
            r->sign = -1;
            r->span = pe__td_sub(zero, r->span);
        }
        if (pe__first_lane(r->span.a) > 0) r->inverse = pe__td_ratio(one, r->span);
    }
    r->ratio = pe__td_exp(pe__td_scale(r->step, pe__splat(-2.0 * (double)PE_LANES)));
}

/* m of pair i, whose w_i without it is w; f as in pe__rope_exact(). */
PE__COLD pe__real pe__rope_real_keep(const pe__rope *r, double i, const pe__real *w, int *unsure)
{
    const pe_rope_config *const config = r->config;
    const int n = w->n;
    pe__real x, y, low, span;
    if (!pe__rope_has_ramp(r)) return pe__real_of(r->keep, n);
    if (config->rope_type == PE_ROPE_LLAMA3) {
        x = *w;
        y = pe__real_pi(n);
        pe__real_by(&x, r->length / 2);
        pe__real_divide(&x, &y);
        low = pe__real_of(config->high_freq_factor, n);
        span = pe__real_of(config->low_freq_factor, n);
        pe__real_plus(&span, &low, -1);
    } else {
        x = pe__real_of(i, n);
        low = pe__rope_real_bound(r, r->fast, 1, 0, n, unsure);
        span = pe__rope_real_bound(r, r->slow, -1, 1 - r->n, n, unsure);
        pe__real_plus(&span, &low, 1);
        span.sign = -span.sign;
        y = pe__real_of(1, n);
        pe__real_over(&y, 1000);
        pe__real least = y;
        pe__real_plus(&y, &span, -1);
        const int none = !pe__real_has_sign(&span) && (pe__known(&span) || r->fast == r->slow);
        if (none || (r->is_ggml && y.sign > 0)) span = least;
        *unsure |= !pe__real_has_sign(&span);
    }
    pe__real_plus(&x, &low, -1);
    if (span.sign <= 0) {
        span.sign = -span.sign;
        x.sign = -x.sign;
    }
    *unsure |= !pe__real_has_sign(&x) && !pe__known(&x);
    y = x;
    pe__real_plus(&y, &span, -1);
    if (x.sign <= 0 || y.sign >= 0) x = pe__real_of(x.sign > 0, n);
    else pe__real_divide(&x, &span);
    x.sign = -x.sign;
    pe__real_more(&x, 1);
    pe__real_by(&x, r->keep);
    return x;
}

/* f */
PE__COLD pe__real pe__rope_real_factor(const pe__rope *r, int n)
{
    pe__real f = pe__real_of(r->f[0], n);
    pe__real_by(&f, r->f[1]);
    pe__real_per(&f, r->f[2]);
    pe__real_more(&f, r->f[3]);
    return f;
}

/* The frequency of a pair, correctly rounded. */
PE__COLD double pe__rope_exact(const pe__rope *r, size_t pair)
{
    const pe_rope_type type = r->config->rope_type;
    const int fixed = type == PE_ROPE_NTK_FIXED;
    const size_t index = pair % r->period;
    const double i = (double)index;
    double y;
    for (int n = PE__LIMBS_FIRST;; n = pe__more_limbs(n)) {
        int unsure = 0;
        pe__real f = pe__rope_real_factor(r, n), w = pe__real_of(r->config->rope_theta, n), x, z;
        pe__real_log(&w);
        pe__real_by(&w, -2 * i);
        pe__real_per(&w, r->width);
        if (fixed || type == PE_ROPE_NTK || type == PE_ROPE_DYNAMIC_NTK) {
            z = f;
            pe__real_log(&z);
            pe__real_by(&z, -2 * (i + fixed));
            pe__real_per(&z, r->n - (fixed ? 0 : 2));
            pe__real_plus(&w, &z, 1);
        }
        pe__real_exp(&w);
        z = x = pe__rope_real_keep(r, i, &w, &unsure);
        z.sign = -z.sign;
        pe__real_more(&z, 1);
        pe__real_divide(&z, &f);
        pe__real_plus(&x, &z, 1);
        pe__real_times(&w, &x);
        if (r->factors) pe__real_per(&w, r->factors[index]);
        if (r->config->freq_factors) pe__real_per(&w, (double)r->config->freq_factors[pair]);
        const int last = n == PE__LIMBS;
        if ((!unsure || last) && pe__real_round(&w, 0, last, &y)) return y;
    }
}

/* One vector of frequencies from pair i on; those of pairs that do not turn are 0. Powers of vectors
   that follow each other are products: so many add less than 2^-141 to their errors. */
enum { PE__ROPE_CHAIN = 64 };
PE__OUTLINE void pe__rope_vector(pe__rope *r, size_t i, double *omega)
{
    const pe__td one = pe__td_splat(1.0);
    const float *const more = r->config->freq_factors;
    const size_t lanes = PE_LANES;
    double index[PE_LANES], a[PE_LANES], b[PE_LANES], low[PE_LANES], e[PE_LANES];
    for (size_t lane = 0; lane < lanes; lane++) {
        const size_t pair = pe__min(i + lane, r->turning - 1), k = pair % r->period;
        index[lane] = (double)k;
        a[lane] = r->factors ? r->factors[k] : 1.0;
        b[lane] = more ? (double)more[pair] : 1.0;
    }
    const pe__vd pairs = pe__load(index), least = pe__splat(pe__exp2i(-130));
    pe__vd error = least; /* relative */
    if (r->period % lanes != 0 || i % r->period % (PE__ROPE_CHAIN * lanes) == 0)
        r->power = pe__td_exp(pe__td_sub(pe__td_scale(r->step, pairs * pe__splat(-2.0)), r->shift));
    else r->power = pe__td_product(r->power, r->ratio);
    pe__td w = r->power;
    if (pe__rope_has_ramp(r)) {
        pe__td x = pe__td_one(pairs);
        if (r->config->rope_type == PE_ROPE_LLAMA3) x = pe__td_product(w, r->waves);
        error = (x.a + pe__abs(r->low.a) + r->span.a) * least + pe__splat(r->doubt);
        x = r->sign < 0 ? pe__td_sub(r->low, x) : pe__td_sub(x, r->low);
        x = pe__td_sub(one, pe__td_ramp(x, r->span, r->inverse));
        if (r->keep != 1) x = pe__td_scale(x, pe__splat(r->keep));
        x = pe__td_sum(x, pe__td_product(pe__td_sub(one, x), r->inverse_factor));
        error = error * r->inverse.a * (one.a + r->inverse_factor.a) / x.a + least;
        w = pe__td_product(w, x);
    } else if (r->keep == 0) {
        w = pe__td_product(w, r->inverse_factor);
    }
    if (r->factors || more) w = pe__td_ratio(w, pe__td_scale(pe__td_one(pe__load(a)), pe__load(b)));
    /* what is off by less than a low part's last bit, 2^-106, would not move it */
    error = error + pe__splat(pe__exp2i(-100));
    pe__store(omega, w.a);
    pe__store(low, w.b);
    pe__store(e, error * w.a);
    for (size_t lane = 0; lane < lanes; lane++)
        if (i + lane >= r->turning) omega[lane] = 0;
        else if (PE__UNLIKELY(omega[lane] + (low[lane] + e[lane]) !=
                              omega[lane] + (low[lane] - e[lane])))
            omega[lane] = pe__rope_exact(r, i + lane);
}

/* All of them. */
PE__OUTLINE void pe__rope_all(pe__rope *r, double *omega)
{
    for (size_t i = 0; i < r->pairs; i += PE_LANES) {
        double lanes[PE_LANES];
        pe__rope_vector(r, i, lanes);
        memcpy(omega + i, lanes, pe__min(PE_LANES, r->pairs - i) * sizeof *omega);
    }
}

/* 0.1 scale ln f + 1 */
PE__INLINE pe__td pe__rope_mscale(pe__td log_factor, double scale)
{
    const pe__td tenth = pe__td_div(pe__td_scale(log_factor, pe__splat(scale)), pe__splat(10.0));
    return pe__td_add(tenth, pe__td_splat(1.0));
}
PE__COLD pe__real pe__rope_real_mscale(const pe__real *log_factor, double scale)
{
    pe__real x = *log_factor;
    pe__real_by(&x, scale);
    pe__real_over(&x, 10);
    pe__real_more(&x, 1);
    return x;
}

/* by (0.1 mscale ln f + 1) / (0.1 all_dim ln f + 1), with LONGROPE the root of 1 + ln f / ln L0;
   correctly rounded. */
PE__COLD double pe__rope_exact_factor(const pe__rope *r, double mscale, double all_dim, double by)
{
    double y;
    for (int n = PE__LIMBS_FIRST;; n = pe__more_limbs(n)) {
        pe__real f = pe__rope_real_factor(r, n), x, z;
        pe__real_log(&f);
        if (r->config->rope_type == PE_ROPE_LONGROPE) {
            x = f;
            z = pe__real_of(r->length, n);
            pe__real_log(&z);
            pe__real_divide(&x, &z);
            pe__real_more(&x, 1);
            pe__real_log(&x);
            pe__real_by(&x, 0.5);
            pe__real_exp(&x);
        } else {
            x = pe__rope_real_mscale(&f, mscale);
            z = pe__rope_real_mscale(&f, all_dim);
            pe__real_divide(&x, &z);
        }
        pe__real_by(&x, by);
        if (pe__real_round(&x, 0, n == PE__LIMBS, &y)) return y;
    }
}

/* The same in triple-double, which is off by 2^-92: ln f is off by 2^-147, and not below 2^-53. No
   result is the middle of two doubles: ln f is transcendental, and so is what has it but for equal
   scales; where ln f / ln L0 is rational its denominator is below 53 and the root irrational or a
   fraction of at most 5 bits over 2, 4 or an odd number. */
PE__COLD double pe__rope_factor(const pe__rope *r, double mscale, double all_dim, double by)
{
    const pe__td log_factor = pe__td_log(r->factor);
    pe__td y = pe__rope_mscale(log_factor, mscale);
    double x;
    if (r->config->rope_type == PE_ROPE_LONGROPE) { /* the root by exp and ln */
        y = pe__td_ratio(log_factor, pe__td_log(pe__td_splat(r->length)));
        y = pe__td_log(pe__td_add(y, pe__td_splat(1.0)));
        y = pe__td_exp(pe__td_scale(y, pe__splat(0.5)));
    } else if (all_dim > 0) {
        y = pe__td_ratio(y, pe__rope_mscale(log_factor, all_dim));
    }
    y = pe__td_scale(y, pe__splat(by));
    const double hi = pe__first_lane(y.a), lo = pe__first_lane(y.b) + pe__first_lane(y.c);
    if (pe__same(hi, lo, hi * pe__exp2i(-90), 1, 0, &x)) return x;
    return pe__rope_exact_factor(r, mscale, all_dim, by);
}

PE__COLD double pe__rope_attention(const pe__rope *r)
{
    const pe_rope_config *const config = r->config;
    const pe__td one = pe__td_splat(1.0);
    const int longrope = config->rope_type == PE_ROPE_LONGROPE;
    const int both = config->mscale > 0 && config->mscale_all_dim > 0;
    if (r->attention > 0) return r->attention;
    if ((!longrope && config->rope_type != PE_ROPE_YARN) ||
        !(pe__first_lane(pe__td_sub(r->factor, one).a) > 0))
        return 1.0;
    return both ? pe__rope_factor(r, config->mscale, config->mscale_all_dim, 1)
                : pe__rope_factor(r, 1, 0, 1);
}

/* Begin with a config that may be wrong. */
static inline pe_status pe__rope_open(pe__rope *r, const pe_rope_config *config)
{
    pe__rope_read(r, config);
    if (config->rope_type == PE_ROPE_LONGROPE && !r->factors) return PE_ERR_NULL;
    if (pe__rope_error(r)) return PE_ERR_CONFIG;
    pe__rope_begin(r);
    return PE_OK;
}

PE_API pe_status pe_rope_frequencies(const pe_rope_config *config, double *omega,
                                     double *attention_factor)
{
    pe__rope r;
    if (!config || !omega) return PE_ERR_NULL;
    const pe_status status = pe__rope_open(&r, config);
    if (status != PE_OK) return status;
    pe__rope_all(&r, omega);
    if (attention_factor) *attention_factor = pe__rope_attention(&r);
    return PE_OK;
}

/* The plan's side of a RoPE config that is right: all but amplitude and frequencies. */
static inline pe_config pe__rope_plan_config(const pe__rope *r)
{
    pe_config config = pe_config_default(2 * r->pairs);
    config.layout = r->config->layout;
    config.offset = r->config->offset;
    config.angle = r->config->angle;
    config.expected_rows = r->config->expected_rows;
    return config;
}

PE_API size_t pe_rope_plan_size(const pe_rope_config *rope)
{
    pe__rope r;
    if (pe_rope_config_error(rope)) return 0;
    pe__rope_read(&r, rope);
    const pe_config config = pe__rope_plan_config(&r);
    return pe_plan_size(&config);
}

PE_API pe_status pe_rope_plan_init(pe_plan *plan, const pe_rope_config *rope, void *memory,
                                   size_t memory_size)
{
    pe_plan made;
    pe__rope r;
    pe_status status = pe__init_begin(plan, rope, memory);
    if (status == PE_OK) status = pe__rope_open(&r, rope);
    if (status != PE_OK) return status;
    pe_config config = pe__rope_plan_config(&r);
    const size_t size = pe__plan_bytes(&config, &made);
    if (size == 0) return PE_ERR_CONFIG;
    if (memory_size < size) return PE_ERR_SIZE;
    /* where one may be larger than 1, all are looked at before anything is written */
    const int risky = r.factors || rope->freq_factors || pe__first_lane(r.factor.a) < 1;
    for (size_t i = 0; risky && i < r.pairs; i += PE_LANES) {
        double w[PE_LANES];
        pe__rope_vector(&r, i, w);
        if (pe_frequency_error(&config, w, pe__min(PE_LANES, r.pairs - i), NULL))
            return PE_ERR_FREQUENCY;
    }
    double *const f = pe__aligned(memory);
    config.amplitude = pe__rope_attention(&r);
    pe__plan_begin(&made, &config, f);
    pe__rope_all(&r, f);
    if (rope->axes > 1) { /* axes share the columns: each has some of the pairs */
        const pe__axis all = made.axis[0];
        const size_t step = rope->layout == PE_LAYOUT_HALVES ? 1 : 2;
        made.axes = rope->axes;
        made.joint = 1;
        made.woven = rope->section_order == PE_SECTIONS_INTERLEAVED;
        size_t pair = made.pairs; /* from the last axis on: the first has what is left */
        for (size_t a = made.axes; a-- > 0;) {
            pe__axis *const axis = &made.axis[a];
            size_t n = rope->sections[a];
            if (made.woven) n = pe__min(n, (made.pairs + made.axes - 1 - a) / made.axes);
            if (a == 0) n = pair;
            pair -= n;
            *axis = all;
            axis->sine += step * pair;
            axis->cosine += step * pair;
            axis->sines = axis->cosines = axis->pairs = n;
            axis->pair += pair;
            axis->coordinate = a;
        }
    }
    pe__plan_omega(&made, &config, f, f);
    made.apart = rope->rope_interleave != 0;
    *plan = made;
    return PE_OK;
}
