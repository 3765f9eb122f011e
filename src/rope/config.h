/* SPDX-License-Identifier: MIT */
/* A model's RoPE config: its defaults, the names of its types, its errors. pe__rope holds a config
 * whose defaults are resolved. Tested by tests/unit/rope/test_rope_frequencies.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/options.h"
#include "../api/types.h"
#include "contract_config.h"
#include "../numbers/compare.h"
#include "../numbers/double_double.h"
#include "../numbers/exp_log.h"
#include "../frequencies/geometric.h"
#include "../plan/shape.h"

/* ---- 7. RoPE frequencies ------------------------------------------------------------------------
 * This section applies one formula to all types. The type determines f, the frequency scale F,
 * the ratio q and the ramp r. The index i of a pair counts from the start of the head or, with
 * PE_SECTIONS_VISION, of its section. L0 is the trained length. The list freq_factors has one
 * factor for each pair of the head:
 *
 *     w_i = F q^i (m + (1 - m) / f) / (factors[i] freq_factors[i])
 *     m = keep (1 - r), r = (x - low) / (high - low), clamped to 0 ... 1
 *
 * In the ramp r, x is i for YARN. For LLAMA3 x is L0 F q^i / 2 pi, and the ramp falls from low =
 * high_freq_factor to high = low_freq_factor. Types without a ramp have r = 0, so m = keep: 0 for
 * LINEAR and PROPORTIONAL, which divide all frequencies by f, else 1. In double-double, F contains
 * their 1 / f. Between low and high the factor of F q^i is a line, start + slope x, see
 * pe__rope_ramp(). The lists factors (LONGROPE) and freq_factors count as 1 if there are none.
 *
 * Frequencies are computed in double-double, with a relative error of 2^-99, or a larger one where
 * the terms of a ramp cancel. If the error leaves the rounding undecided,
 * pe__rope_round_frequency() computes the frequency again with multi-limb integers. Where a branch
 * on a ramp compares an inexact number with an exact one, the inexact number contains pi and the
 * other number is algebraic, so they are never equal. Where it compares two ends of a ramp of YARN
 * that both contain pi, they are equal only if beta_fast = beta_slow, which is tested exactly. So
 * with enough limbs every branch is decided. */

/* Returns whether the length n, in tokens, is at most 2^53. The parameter has 64 bits, because
   compilers warn about a comparison that is always true where size_t has 32 bits. */
static inline int pe__rope_length_ok(uint64_t n) { return n <= (uint64_t)1 << 53; }

PE_API pe_rope_config pe_rope_config_default(size_t head_dim)
{
    pe_rope_config config;
    memset(&config, 0, sizeof config); /* cppcheck-suppress memsetClassFloat ; all zeros is 0.0 */
    config.head_dim = head_dim;
    config.rope_theta = 10000.0;
    config.low_freq_factor = 1.0;
    config.high_freq_factor = 4.0;
    config.beta_fast = 32.0;
    config.beta_slow = 1.0;
    config.extrapolation_factor = 1.0;
    config.truncate = 1;
    config.layout = PE_LAYOUT_HALVES;
    config.axes = 1;
    return config;
}

PE_API pe_status pe_rope_type_named(const char *name, pe_rope_type *type)
{
    static const char names[][4][24] = {
#define PE__ROPE_TYPE_NAMES(type, ...) {__VA_ARGS__},
        PE__ROPE_TYPES(PE__ROPE_TYPE_NAMES)
#undef PE__ROPE_TYPE_NAMES
    };
    if (!name || !type) return PE_ERR_NULL;
    for (size_t k = 0; k < 4 * (sizeof names / sizeof names[0]); k++) {
        const char *const known = names[k / 4][k % 4];
        size_t c = 0;
        while (name[c] == known[c] && name[c] != '\0') c++;
        if (c == 0 || name[c] != known[c]) continue;
        *type = (pe_rope_type)(k / 4);
        return PE_OK;
    }
    return PE_ERR_NAME;
}

/* This struct holds a config after the rules of its type were applied. The function pe__rope_read()
   sets the fields up to and including is_ggml. The function pe__rope_begin() sets the others, which
   all pairs share. For types without a ramp it sets only factor, all and end. Letters are those of
   the formula above. */
typedef struct pe__rope {
    const pe_rope_config *config; /* the caller's config, not copied */
    /* This is LONGROPE's list that applies, short_factor or long_factor. It is NULL for other
       types, or if the config lacks the list. */
    const double *factors;
    /* This is the attention factor that the config gives, for LONGROPE also as long_mscale or
       short_mscale. It is 0 if the config gives none. */
    double attention;
    /* length is L0 in tokens, 0 if absent. fast and slow are YARN's beta_fast and beta_slow, or
       their defaults 32 and 1 if they are 0. */
    double length, fast, slow;
    size_t rotary; /* rotary_dim, or head_dim if that is 0 */
    /* n is the rotary dim of a section, or of the head without PE_SECTIONS_VISION. width is n, or
       head_dim for PROPORTIONAL: q is rope_theta^(-2 / width), and NTK types multiply it by a power
       of f. */
    double n, width;
    double f[4]; /* f = f[0] f[1] / f[2] + f[3] */
    double keep; /* 0 ... 1: `keep` in the formula for m; for YARN extrapolation_factor */
    /* `pairs` is the number of pairs of a head. The first `rotating` of them rotate; the frequency
       of the others is 0. */
    size_t pairs, rotating;
    /* i is the index of a pair modulo period: with PE_SECTIONS_VISION the number of pairs of a
       section, otherwise more than any head has. */
    size_t period;
    int is_long;       /* 1: sequence_length exceeds L0 */
    int has_factor;    /* 1: the config gives `factor`, or two lengths whose ratio is f */
    int is_ggml;       /* 1: ramps shorter than 0.001 get the length 0.001, as in ggml */
    pe__td factor;     /* f */
    pe__geometric all; /* computes F q^i */
    pe__dd waves;      /* L0 / (2 pi): for LLAMA3, x = waves F q^i */
    pe__dd low, high;  /* x where the ramp begins, and where it ends */
    /* begin is the factor of F q^i before the ramp. end is the factor after it, 1 / f. */
    pe__dd begin, end;
    pe__dd start, slope; /* on the ramp the factor is start + slope x */
    double sign;         /* 1 if low < high, else -1: then x falls along the ramp, or low = high */
    /* ramp_error bounds the factor's absolute error on the ramp, besides the error of
       double-double. Farther than margin from the ramp, the factor is certainly begin or end. */
    double ramp_error, margin;
} pe__rope;

PE__INLINE int pe__rope_has_ramp(const pe__rope *r)
{
    return r->config->rope_type == PE_ROPE_LLAMA3 || r->config->rope_type == PE_ROPE_YARN;
}

/* Set the fields of *r up to and including is_ggml from the config. The config's fields are not
   checked yet, so they may have any values here. */
PE__OUTLINE void pe__rope_read(pe__rope *r, const pe_rope_config *config)
{
    const size_t original = config->original_max_position_embeddings;
    const size_t maximum = config->max_position_embeddings, now = config->sequence_length;
    const pe_rope_type type = config->rope_type;
    const int proportional = type == PE_ROPE_PROPORTIONAL, dynamic = type == PE_ROPE_DYNAMIC_NTK;
    const int is_vision = config->axes > 1 && config->section_order == PE_SECTIONS_VISION;
    const size_t length = dynamic ? (maximum ? maximum : original) : original ? original : maximum;
    r->config = config;
    r->length = (double)length;
    r->fast = config->beta_fast > 0 ? config->beta_fast : 32;
    r->slow = config->beta_slow > 0 ? config->beta_slow : 1;
    r->factors = NULL;
    r->attention = config->attention_factor;
    r->is_long = now > length;
    if (type == PE_ROPE_LONGROPE) {
        r->factors = r->is_long ? config->long_factor : config->short_factor;
        if (!(r->attention > 0))
            r->attention = r->is_long ? config->long_mscale : config->short_mscale;
    }
    r->rotary = config->rotary_dim ? config->rotary_dim : config->head_dim;
    r->pairs = (proportional ? config->head_dim : r->rotary) / 2;
    r->rotating = is_vision ? r->pairs : r->rotary / 2;
    r->period = is_vision ? config->sections[0] : (SIZE_MAX >> 1) + 1; /* more than any head has */
    r->n = is_vision ? 2 * (double)r->period : (double)r->rotary;
    r->width = proportional && !is_vision ? (double)config->head_dim : r->n;
    r->keep = type == PE_ROPE_YARN ? config->extrapolation_factor
                                   : type != PE_ROPE_LINEAR && type != PE_ROPE_PROPORTIONAL;
    r->is_ggml = 0;
    r->has_factor = config->factor > 0 || (original && maximum);
    r->f[0] = config->factor > 0 ? config->factor : 1;
    r->f[1] = r->f[2] = 1;
    r->f[3] = 0;
    if (dynamic) { /* f is replaced by f L / L0 - (f - 1) = f (L - L0) / L0 + 1, L >= L0 */
        r->f[1] = r->is_long ? (double)(now - length) : 0;
        r->f[2] = r->length;
        r->f[3] = 1;
    } else if ((type == PE_ROPE_YARN || type == PE_ROPE_LONGROPE) && !(config->factor > 0) &&
               original && maximum) {
        r->f[0] = (double)maximum;
        r->f[2] = (double)original;
    }
}

PE__INLINE int pe__rope_number_ok(double x)
{
    return pe__between(x, pe__exp2i(-128), pe__exp2i(128));
}
PE__INLINE int pe__rope_optional_ok(double x) { return pe__is_zero(x) || pe__rope_number_ok(x); }

/* A rule for configs tells whether it applies, whether it holds, and which error text is returned
   if it applies and does not hold. The function pe__broken_rule() returns the text of the first
   such rule of n rules, or NULL. */
typedef struct pe__rule {
    int applies, holds;
    const char *text;
} pe__rule;
PE__INLINE const char *pe__broken_rule(const pe__rule *rules, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (rules[k].applies && !rules[k].holds) return rules[k].text;
    return NULL;
}

/* Returns the error text of the first field out of range, or NULL. The functions below check the
   lists, the axes and their sections, and what rope_type requires. */
PE__OUTLINE const char *pe__rope_field_error(const pe__rope *r)
{
    const pe_rope_config *const c = r->config;
    const double theta = c->rope_theta, e = c->extrapolation_factor;
    const double steps = c->offset * 1048576.0; /* the offset as a multiple of 2^-20 */
    const pe__rule rules[] = {
        {1, c->head_dim >= 2 && c->head_dim <= PTRDIFF_MAX / sizeof(double),
         "head_dim must be at least 2 and fit in memory"},
        {1, r->rotary >= 2 && r->rotary % 2 == 0 && r->rotary <= c->head_dim,
         "rotary_dim must be even, at least 2 and at most head_dim; 0 means head_dim, which must "
         "then be even"},
        {1, c->rotary_offset <= c->head_dim && 2 * r->pairs <= c->head_dim - c->rotary_offset,
         "rotary_offset and rotary_dim must sum to at most head_dim; a rotary_dim of 0, and "
         "PROPORTIONAL, rotate all of it"},
        {1, pe__between(theta, 1, pe__exp2i(128)), "rope_theta must be within 1 ... 2^128"},
        {1, (unsigned)c->rope_type < PE_ROPE_TYPE_COUNT, "rope_type must be one of PE_ROPE_..."},
        {1, pe__rope_optional_ok(c->factor),
         "factor must be within 2^-128 ... 2^128, or 0 if there is none"},
        {1, pe__rope_length_ok(c->original_max_position_embeddings),
         "original_max_position_embeddings must be at most 2^53"},
        {1, pe__rope_length_ok(c->max_position_embeddings),
         "max_position_embeddings must be at most 2^53"},
        {1, pe__rope_length_ok(c->sequence_length), "sequence_length must be at most 2^53"},
        {1, pe__rope_optional_ok(c->low_freq_factor) && pe__rope_optional_ok(c->high_freq_factor),
         "low_freq_factor and high_freq_factor must be within 2^-128 ... 2^128, or 0 if there is "
         "none"},
        {1, pe__rope_optional_ok(c->beta_fast) && pe__rope_optional_ok(c->beta_slow),
         "beta_fast and beta_slow must be within 2^-128 ... 2^128, or 0 for 32 and 1"},
        {1, pe__is_zero(e) || pe__between(e, pe__exp2i(-128), 1),
         "extrapolation_factor must be within 2^-128 ... 1, or 0 (YaRN: 1)"},
        {1, pe__rope_optional_ok(c->mscale) && pe__rope_optional_ok(c->mscale_all_dim),
         "mscale and mscale_all_dim must be within 2^-128 ... 2^128, or 0 if there is none"},
        {1, pe__rope_optional_ok(c->attention_factor),
         "attention_factor must be within 2^-128 ... 2^128, or 0 for the rule of the type"},
        {1, pe__rope_optional_ok(c->short_mscale) && pe__rope_optional_ok(c->long_mscale),
         "short_mscale and long_mscale must be within 2^-128 ... 2^128, or 0 for the rule"},
        {c->rope_interleave, c->layout == PE_LAYOUT_HALVES && r->pairs <= 256,
         "rope_interleave needs PE_LAYOUT_HALVES and a rotary_dim of at most 512"},
        {1, (unsigned)c->layout <= PE_LAYOUT_HALVES, "layout must be one of PE_LAYOUT_..."},
        {1, (unsigned)c->angle <= PE_ANGLE_FLOAT32, "angle must be one of PE_ANGLE_..."},
        {1, pe__between(c->offset, -2147483648.0, 2147483648.0) && steps == (double)(int64_t)steps,
         "offset must be a multiple of 2^-20 within -2^31 ... 2^31"},
    };
    return pe__broken_rule(rules, sizeof rules / sizeof rules[0]);
}

/* Returns the error text of the first list with a wrong length, or NULL. A length of 0 means that
   it is not given, and is accepted. Reads no list. */
PE__OUTLINE const char *pe__rope_list_error(const pe__rope *r)
{
    const pe_rope_config *const c = r->config;
    const pe__rule rules[] = {
        {1, pe__list_ok(c->short_factor, c->short_factor_length, r->rotary / 2),
         "short_factor has short_factor_length numbers and needs rotary_dim / 2 (head_dim / 2 if "
         "that is 0); with NULL the length must be 0"},
        {1, pe__list_ok(c->long_factor, c->long_factor_length, r->rotary / 2),
         "long_factor has long_factor_length numbers and needs rotary_dim / 2 (head_dim / 2 if "
         "that is 0); with NULL the length must be 0"},
        {1, pe__list_ok(c->freq_factors, c->freq_factors_length, r->pairs),
         "freq_factors has freq_factors_length numbers and needs rotary_dim / 2 (head_dim / 2 if "
         "that is 0, and for PROPORTIONAL); with NULL the length must be 0"},
        {1, pe__list_ok(c->coordinate, c->coordinate_length, r->pairs),
         "coordinate has coordinate_length numbers and needs rotary_dim / 2 (head_dim / 2 if that "
         "is 0, and for PROPORTIONAL); with NULL the length must be 0"},
    };
    return pe__broken_rule(rules, sizeof rules / sizeof rules[0]);
}

/* Returns the text of the first error in axes, sections, section_order and coordinate, or NULL. If
   the sections have more pairs than the head, `left` wraps below 0; blocks then do not `fit`. */
PE__WRAPS
PE__OUTLINE const char *pe__rope_axes_error(const pe__rope *r)
{
    const pe_rope_config *const c = r->config;
    const int several = c->axes > 1, vision = several && c->section_order == PE_SECTIONS_VISION;
    const int listed = c->coordinate != NULL;
    const int blocks = several && !listed && c->section_order != PE_SECTIONS_INTERLEAVED;
    size_t left = r->pairs; /* number of pairs that belong to no section */
    int fit = 1, equal = 1;
    for (size_t a = 0; a < c->axes && a < PE_MAX_AXES; a++) {
        fit &= c->sections[a] <= left;
        equal &= c->sections[a] == r->pairs / c->axes;
        left -= c->sections[a];
    }
    const pe__rule rules[] = {
        {1, c->axes >= 1 && c->axes <= PE_MAX_AXES,
         "axes must be 1 ... PE_MAX_AXES; start from pe_rope_config_default(), which sets it"},
        {several, (unsigned)c->section_order <= PE_SECTIONS_VISION,
         "section_order must be one of PE_SECTIONS_..."},
        {listed, c->section_order == PE_SECTIONS_BLOCKS && left == r->pairs,
         "coordinate is instead of sections, which must be 0, and of section_order"},
        {listed, pe__coordinates_ok(c->coordinate, r->pairs, c->axes),
         "coordinate must hold numbers below axes, or 255"},
        {blocks, fit && left == 0, "sections must sum to the pairs"},
        {vision, equal, "sections of a vision tower must be of equal length"},
    };
    return pe__broken_rule(rules, sizeof rules / sizeof rules[0]);
}

/* Returns the text of the first requirement of rope_type that is not met, or NULL. */
PE__OUTLINE const char *pe__rope_type_error(const pe__rope *r)
{
    const pe_rope_config *const c = r->config;
    const pe_rope_type type = c->rope_type;
    const int ntk = type == PE_ROPE_NTK || type == PE_ROPE_DYNAMIC_NTK;
    const int yarn = type == PE_ROPE_YARN, longrope = type == PE_ROPE_LONGROPE;
    const int scales =
        ntk || type == PE_ROPE_LLAMA3 || type == PE_ROPE_LINEAR || type == PE_ROPE_NTK_FIXED;
    const int vision = c->axes > 1 && c->section_order == PE_SECTIONS_VISION;
    const pe__rule rules[] = {
        {ntk, r->rotary >= (vision ? 4 * c->axes : 4),
         "NTK and DYNAMIC_NTK need a rotary_dim of at least 4, for each axis of a vision tower"},
        {type == PE_ROPE_DYNAMIC_NTK, r->length > 0, "DYNAMIC_NTK needs max_position_embeddings"},
        {type == PE_ROPE_LLAMA3, r->length > 0, "LLAMA3 needs original_max_position_embeddings"},
        {type == PE_ROPE_LLAMA3,
         c->low_freq_factor > 0 && c->low_freq_factor <= c->high_freq_factor,
         "LLAMA3 needs a low_freq_factor, and a high_freq_factor of at least that (Llama 3: 1 and "
         "4)"},
        {yarn, r->length > 0, "YARN needs original_max_position_embeddings"},
        {yarn, c->rope_theta > 1, "YARN needs a rope_theta above 1"},
        {yarn, c->rope_theta >= 2 || r->slow <= r->fast,
         "beta_fast must be at least beta_slow in YARN with a rope_theta below 2"},
        {yarn, r->has_factor,
         "YARN needs a factor, or both max_position_embeddings and "
         "original_max_position_embeddings"},
        {longrope, r->length >= 2,
         "LONGROPE needs an original_max_position_embeddings of at least 2"},
        {longrope && r->is_long, r->factors != NULL, "long_factor is NULL"},
        {longrope, r->factors != NULL, "short_factor is NULL"},
        {longrope, r->has_factor || r->attention > 0,
         "LONGROPE needs a factor, or both max_position_embeddings and "
         "original_max_position_embeddings, or an attention_factor"},
        {type == PE_ROPE_PROPORTIONAL, c->head_dim % 2 == 0, "PROPORTIONAL needs an even head_dim"},
        {scales, c->factor > 0, "this rope_type needs a factor above 0"},
    };
    return pe__broken_rule(rules, sizeof rules / sizeof rules[0]);
}

/* Returns the text of the first error of the config, or NULL. The numbers in r->factors and in
   freq_factors are checked last, so after the lengths of the lists. The list of LONGROPE that does
   not apply is not read. */
PE__OUTLINE const char *pe__rope_error(const pe__rope *r)
{
    const pe_rope_config *const c = r->config;
    const char *text = pe__rope_field_error(r);
    if (!text) text = pe__rope_list_error(r);
    if (!text) text = pe__rope_axes_error(r);
    if (!text) text = pe__rope_type_error(r);
    for (size_t i = 0; !text && r->factors && i < r->rotary / 2; i++)
        if (!pe__rope_number_ok(r->factors[i]))
            text = r->is_long ? "long_factor must hold numbers in 2^-128 ... 2^128"
                              : "short_factor must hold numbers in 2^-128 ... 2^128";
    for (size_t i = 0; !text && c->freq_factors && i < r->pairs; i++)
        if (!pe__rope_number_ok((double)c->freq_factors[i]))
            text = "freq_factors must hold numbers within 2^-128 ... 2^128";
    return text;
}

PE_API const char *pe_rope_config_error(const pe_rope_config *config)
{
    pe__rope r;
    if (!config) return "the config is NULL";
    pe__rope_read(&r, config);
    return pe__rope_error(&r);
}
