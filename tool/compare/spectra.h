/* SPDX-License-Identifier: MIT */
/* The frequencies that an array may have: those that its config means, and those of the mistakes
 * that are made with such a config. */
#ifndef TOOL_SPECTRA_H
#define TOOL_SPECTRA_H

#include "../model/names.h"
#include "../model/plan.h"
#include "samples.h"

/* What differs from the config. The names are those of docs/tool.md. */
typedef enum difference {
    DIFFERS_COLUMN_ORDER = 0,
    DIFFERS_SINE_COSINE,
    DIFFERS_SIGN,
    DIFFERS_POSITION_OFFSET,
    DIFFERS_BASE,
    DIFFERS_SCALING_ABSENT,
    DIFFERS_SCALING_OTHER,
    DIFFERS_SCALING_TWICE,
    DIFFERS_FACTOR_ABSENT,
    DIFFERS_FACTOR_SQUARED,
    DIFFERS_FACTOR_INVERSE,
    DIFFERS_ROTARY_WIDTH,
    DIFFERS_INV_FREQ_BF16,
    DIFFERS_INV_FREQ_F16,
    DIFFERS_POSITIONS_BF16,
    DIFFERS_POSITIONS_F16,
    DIFFERS_TABLE_BF16,
    DIFFERS_TABLE_F16,
    DIFFERENCE_COUNT
} difference;

static const char *const difference_names[] = {"column_order",
                                               "sine_cosine",
                                               "sign",
                                               "position_offset",
                                               "base",
                                               "scaling_absent",
                                               "scaling_other",
                                               "scaling_twice",
                                               "attention_factor_absent",
                                               "attention_factor_squared",
                                               "attention_factor_inverse",
                                               "rotary_width",
                                               "inv_freq_bf16",
                                               "inv_freq_f16",
                                               "positions_bf16",
                                               "positions_f16",
                                               "table_bf16",
                                               "table_f16"};
TOOL_HAS_ALL(difference_names, DIFFERENCE_COUNT);

enum { MOST_SPECTRA = 128 };

/* Frequencies of s->pairs pairs. Details are 0 where they do not differ. */
typedef struct spectrum {
    unsigned differs;                   /* bits of difference */
    double *omega;                      /* allocated          */
    double factor;                      /* on cosines and sines */
    int has_any_factor;                 /* 1: without its scaling a table has either factor */
    double base, width, scaling_factor; /* details */
    int has_other_length;               /* 1: the trained length is not the config's */
    const char *scaling;                /* its name, or NULL */
    int has_rope;                       /* 1: rope has these frequencies, exactly */
    pe_rope_config rope;
    double chain_base, chain_width; /* of ggml's chain; 0: it has none */
    int is_chain_exact;             /* 1: its factor on an angle is known to the last bit */
} spectrum;

typedef struct spectra {
    size_t count;
    spectrum of[MOST_SPECTRA];
} spectra;

static void free_spectra(spectra *all)
{
    for (size_t k = 0; k < all->count; k++) free(all->of[k].omega);
    all->count = 0;
}

/* Adds the first `pairs` frequencies of a rotation. Returns NULL if the rotation has fewer, or
 * several coordinates. */
static spectrum *add_rope(spectra *all, const pe_rope_config *c, size_t pairs, unsigned differs)
{
    const size_t own_pairs = pairs_of_rope(c);
    double factor = 1;
    if (all->count == MOST_SPECTRA || own_pairs < pairs || c->axes > 1 || c->coordinate)
        return NULL;
    double *const omega = new_numbers(own_pairs);
    if (!omega || pe_rope_frequencies(c, omega, &factor) != PE_OK) {
        free(omega);
        return NULL;
    }
    spectrum *const s = &all->of[all->count++];
    memset(s, 0, sizeof *s);
    s->differs = differs;
    s->omega = omega;
    s->factor = factor;
    s->has_rope = own_pairs == pairs;
    s->rope = *c;
    s->chain_base = c->rope_theta;
    s->chain_width = 2 * (double)own_pairs;
    s->is_chain_exact =
        (c->rope_type == PE_ROPE_DEFAULT || c->rope_type == PE_ROPE_LINEAR) && !c->freq_factors;
    return s;
}

static int is_scaled(const pe_rope_config *c)
{
    return c->rope_type != PE_ROPE_DEFAULT || c->freq_factors;
}

/* Returns the rotation without its scaling. PROPORTIONAL keeps its type, with the factor 1: with
 * another type the exponents and the number of pairs would differ also. */
static pe_rope_config unscaled(const pe_rope_config *c)
{
    pe_rope_config to = pe_rope_config_default(c->head_dim);
    if (c->rope_type == PE_ROPE_PROPORTIONAL) to.rope_type = c->rope_type;
    to.rotary_dim = c->rotary_dim;
    to.rope_theta = c->rope_theta;
    return to;
}

/* Llama 3's rule for one frequency. */
static double llama3(const pe_rope_config *c, double w)
{
    const double trained = (double)c->original_max_position_embeddings;
    const double rotations = trained * w / (2 * 3.14159265358979323846);
    if (rotations > c->high_freq_factor) return w;
    if (rotations < c->low_freq_factor) return w / c->factor;
    const double share =
        (rotations - c->low_freq_factor) / (c->high_freq_factor - c->low_freq_factor);
    return (1 - share) * w / c->factor + share * w;
}

/* Returns a / b, or 1 if b is 0: scaling does not change the frequency of a pair that does not
 * rotate. */
static double ratio_of(double a, double b) { return b != 0 ? a / b : 1; }

/* The scaling done once more to what it has made: by the same ratio, for Llama 3 also by its
 * rule. */
static void add_twice(spectra *all, const pe_rope_config *c, size_t pairs)
{
    const pe_rope_config plain = unscaled(c);
    spectra own = {0, {{0}}};
    const spectrum *const once = add_rope(&own, &plain, pairs, 0);
    for (int by_rule = 0; once && by_rule <= (c->rope_type == PE_ROPE_LLAMA3); by_rule++) {
        spectrum *const twice = add_rope(all, c, pairs, 1u << DIFFERS_SCALING_TWICE);
        if (!twice) break;
        for (size_t i = 0; i < pairs; i++)
            twice->omega[i] = by_rule ? llama3(c, twice->omega[i])
                                      : twice->omega[i] * ratio_of(twice->omega[i], once->omega[i]);
        twice->has_rope = 0;
        twice->has_any_factor = 1;
    }
    free_spectra(&own);
}

static const double usual_factors[] = {1.25, 1.5, 2,  2.5, 3,  4,  5,  6,
                                       8,    10,  16, 20,  32, 40, 64, 128};

/* Returns a length as a size_t, or 0, which is absent, if it is too large for one. */
static size_t whole_length(double length)
{
    return length < (double)(SIZE_MAX / 2) ? (size_t)length : 0;
}

/* Other scalings by the config's numbers, and its own by another factor. */
static void add_other_scalings(spectra *all, const pe_rope_config *c, size_t pairs)
{
    static const pe_rope_type types[] = {PE_ROPE_LINEAR, PE_ROPE_NTK,  PE_ROPE_DYNAMIC_NTK,
                                         PE_ROPE_LLAMA3, PE_ROPE_YARN, PE_ROPE_PROPORTIONAL};
    for (size_t t = 0; t < TOOL_COUNT(types); t++)
        for (size_t f = 0; f <= TOOL_COUNT(usual_factors); f++) {
            pe_rope_config other = *c;
            const int is_same = types[t] == c->rope_type;
            const double factor = f ? usual_factors[f - 1] : c->factor;
            if (types[t] == PE_ROPE_PROPORTIONAL && !is_same) continue; /* another width */
            if ((f > 0) != is_same || factor == 0 || (is_same && factor == c->factor)) continue;
            other.rope_type = types[t];
            other.factor = factor;
            other.freq_factors = NULL;
            other.freq_factors_length = 0;
            other.short_factor = other.long_factor = NULL;
            other.short_factor_length = other.long_factor_length = 0;
            if (types[t] == PE_ROPE_DYNAMIC_NTK)
                other.sequence_length =
                    whole_length(factor * (double)c->original_max_position_embeddings);
            if (types[t] == PE_ROPE_LLAMA3 && other.high_freq_factor <= other.low_freq_factor)
                other.low_freq_factor = 1, other.high_freq_factor = 4;
            spectrum *const s = add_rope(all, &other, pairs, 1u << DIFFERS_SCALING_OTHER);
            if (s)
                s->scaling = type_names[types[t]].scaling, s->scaling_factor = factor,
                s->has_any_factor = 1;
        }
}

/* The same scaling with another length: that of the whole context for the trained one, and the other
 * list of LongRoPE. */
static void add_other_lengths(spectra *all, const pe_rope_config *c, size_t pairs)
{
    const size_t trained = c->original_max_position_embeddings, most = c->max_position_embeddings;
    for (int k = 0; k < 3; k++) {
        pe_rope_config other = *c;
        if (k == 0) other.original_max_position_embeddings = most;
        if (k == 1) other.sequence_length = 1;
        if (k == 2) other.sequence_length = most > trained ? most : 2 * trained + 1;
        if (k == 0 ? most == 0 || most == trained : c->rope_type != PE_ROPE_LONGROPE) continue;
        spectrum *const s = add_rope(all, &other, pairs, 1u << DIFFERS_SCALING_OTHER);
        if (s)
            s->has_other_length = 1, s->scaling = type_names[c->rope_type].scaling,
            s->scaling_factor = c->factor, s->has_any_factor = 1;
    }
}

/* A number with some significant digits. */
static double shortened(double x, int digits)
{
    char text[40];
    snprintf(text, sizeof text, "%.*g", digits, x);
    return strtod(text, NULL);
}

/* The base that the measured frequencies mean, or 0. It is taken from a pair that rotates slowly,
 * whose frequency is known well; scaled is what scaling does to each pair. */
static double fitted_base(const samples *s, const spectrum *config, const double *plain)
{
    double best = 0, weight = 0;
    for (size_t i = 1; i < s->pairs; i++) {
        const double ratio = plain ? ratio_of(config->omega[i], plain[i]) : 1;
        const double w = fabs(s->tracks[i].frequency) / ratio;
        const int is_known = w > 0 && (s->is_inv_freq || w * s->step < 3);
        if (!is_known || (double)i * w <= weight || fabs(ratio - 1) > 1e-9) continue;
        weight = (double)i * w;
        best = exp(-log(w) * (double)s->pairs / (double)i);
    }
    return best;
}

static void add_bases(spectra *all, const pe_rope_config *c, const samples *s)
{
    static const double usual[] = {10000,  20000,  25000,  40000,  50000, 100000, 150000, 160000,
                                   250000, 500000, 600000, 640000, 1e6,   2e6,    4e6,    5e6,
                                   8e6,    1e7,    2e7,    5e7,    1e8,   1e9,    2000,   1000};
    const pe_rope_config plain = unscaled(c);
    spectra own = {0, {{0}}};
    spectrum *const without = is_scaled(c) ? add_rope(&own, &plain, s->pairs, 0) : NULL;
    const double fit = fitted_base(s, &all->of[0], without ? without->omega : NULL);
    double last = c->rope_theta;
    for (size_t k = 0; k < TOOL_COUNT(usual) + 6; k++) {
        pe_rope_config other = *c;
        const int digits = (int)k + 1;
        other.rope_theta =
            k < 6 ? (fit >= 1.5 && fit < 1e12 ? shortened(fit, digits) : 0) : usual[k - 6];
        if (other.rope_theta < 1.5 || other.rope_theta == c->rope_theta || other.rope_theta == last)
            continue;
        last = other.rope_theta;
        spectrum *const b = add_rope(all, &other, s->pairs, 1u << DIFFERS_BASE);
        if (b) b->base = other.rope_theta;
    }
    free_spectra(&own);
}

/* Exponents with another width below them; with a smaller one they are those of a higher base. */
static void add_widths(spectra *all, const pe_rope_config *c, size_t pairs)
{
    const size_t own = 2 * pairs_of_rope(c);
    const size_t widths[] = {2 * pairs, c->head_dim, own, 2 * own, 4 * own, own / 2};
    for (size_t k = 0; k < TOOL_COUNT(widths); k++) {
        pe_rope_config other = *c;
        const int is_narrow = widths[k] < 2 * pairs;
        int is_new = widths[k] && widths[k] % 2 == 0 && (widths[k] != own || own != 2 * pairs);
        for (size_t j = 0; j < k; j++) is_new = is_new && widths[j] != widths[k];
        if (!is_new || (is_narrow && is_scaled(c))) continue;
        other.head_dim = is_narrow ? 2 * pairs : widths[k];
        if (is_narrow)
            other.rope_theta = pow(c->rope_theta, (double)(2 * pairs) / (double)widths[k]);
        other.rotary_dim = other.rotary_offset = 0;
        other.rope_interleave = 0;
        spectrum *const s = add_rope(all, &other, pairs, 1u << DIFFERS_ROTARY_WIDTH);
        if (s) s->width = own == 2 * pairs ? (double)widths[k] : (double)(2 * pairs);
    }
}

/* Other widths of PROPORTIONAL in a table of all pairs: another number of pairs rotates, or
 * rotary_dim divides the exponents, which is the same as a higher base. */
static void add_proportional_widths(spectra *all, const pe_rope_config *c, const samples *s)
{
    const size_t rotary = rotary_of(c);
    size_t rotating = s->pairs;
    pe_rope_config other = *c;
    while (rotating > 0 && s->tracks[rotating - 1].frequency == 0) rotating--;
    other.rotary_dim = 2 * rotating;
    if (rotating > 0 && other.rotary_dim != rotary) {
        spectrum *const to = add_rope(all, &other, s->pairs, 1u << DIFFERS_ROTARY_WIDTH);
        if (to) to->width = (double)other.rotary_dim;
    }
    other.rotary_dim = rotary;
    other.rope_theta = pow(c->rope_theta, (double)c->head_dim / (double)rotary);
    if (rotary < c->head_dim) {
        spectrum *const to = add_rope(all, &other, s->pairs, 1u << DIFFERS_ROTARY_WIDTH);
        if (to) to->width = (double)rotary;
    }
}

/* Frequencies divided by a number that the config does not have. */
static void add_linear(spectra *all, const pe_rope_config *c, const samples *s)
{
    double ratio = 0;
    size_t known = 0;
    for (size_t i = 0; i < s->pairs; i++)
        if (s->is_inv_freq || all->of[0].omega[i] * s->step < 3)
            ratio += all->of[0].omega[i] / fabs(s->tracks[i].frequency), known++;
    ratio /= (double)(known ? known : 1);
    for (int digits = 1; digits <= 3 && ratio > 0.01 && ratio < 1e4; digits++) {
        pe_rope_config other = unscaled(c);
        other.rope_type = PE_ROPE_LINEAR;
        other.factor = shortened(ratio, digits);
        if (other.factor < 1.001) continue;
        spectrum *const l = add_rope(all, &other, s->pairs, 1u << DIFFERS_SCALING_OTHER);
        if (l) l->scaling = "linear", l->scaling_factor = other.factor;
    }
}

/* All of a rotation. The first is the config's own, if the array has its width. */
static void spectra_of_rope(spectra *all, const pe_rope_config *c, const samples *s)
{
    all->count = 0;
    if (pairs_of_rope(c) != s->pairs) {
        add_widths(all, c, s->pairs);
        return;
    }
    if (!add_rope(all, c, s->pairs, 0)) return;
    if (is_scaled(c)) {
        const pe_rope_config plain = unscaled(c);
        spectrum *const absent = add_rope(all, &plain, s->pairs, 1u << DIFFERS_SCALING_ABSENT);
        if (absent) absent->has_any_factor = 1;
        add_twice(all, c, s->pairs);
        add_other_lengths(all, c, s->pairs);
        add_other_scalings(all, c, s->pairs);
    } else add_linear(all, c, s);
    add_widths(all, c, s->pairs);
    if (c->rope_type == PE_ROPE_PROPORTIONAL) add_proportional_widths(all, c, s);
    add_bases(all, c, s);
}

/* The same of a sinusoidal encoding: its own frequencies, then those of other bases. */
static void spectra_of_preset(spectra *all, const part *p, const samples *s)
{
    all->count = 0;
    for (int digits = 0; digits <= 6; digits++) {
        part other = *p;
        size_t pairs = 0;
        const double fit = digits ? fitted_base(s, &all->of[0], NULL) : 0;
        if (digits && (fit < 1.5 || fit > 1e12)) return;
        if (digits) other.preset.base = shortened(fit, digits);
        if (digits && other.preset.base == p->preset.base) continue;
        double *const omega = frequencies_of(&other, &pairs);
        if (!omega || pairs != s->pairs) {
            free(omega);
            return;
        }
        spectrum *const to = &all->of[all->count++];
        memset(to, 0, sizeof *to);
        to->omega = omega;
        to->factor = fabs(p->preset.amplitude);
        if (digits) to->differs = 1u << DIFFERS_BASE, to->base = other.preset.base;
    }
}

#endif
