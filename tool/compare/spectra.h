/* SPDX-License-Identifier: MIT */
/* Collects the frequencies that an array may have: those that its config means, and those of the
 * mistakes that are often made with such a config. Each set of frequencies is a spectrum
 * (spectrum.h).
 *
 * A part (model/part.h) is a set of layers that share one positional encoding. A track (samples.h)
 * has what was measured of a pair. */
#ifndef TOOL_SPECTRA_H
#define TOOL_SPECTRA_H

#include "misread.h"

/* Holds all parts of the config, one of which is compared with the arrays. */
typedef struct siblings {
    const part *parts;
    size_t count;
} siblings;

/* Returns the frequency that Llama 3's rule, with the numbers of c, makes of the frequency w. */
static double llama3(const pe_rope_config *c, double w)
{
    const double rotations = trained_length(c) * w / two_pi;
    if (rotations > c->high_freq_factor) return w;
    if (rotations < c->low_freq_factor) return w / c->factor;
    const double share =
        (rotations - c->low_freq_factor) / (c->high_freq_factor - c->low_freq_factor);
    return (1 - share) * w / c->factor + share * w;
}

/* Returns a / b, or 1 if b is 0. It is the ratio by which a scaling changes the frequency b to
 * a. A pair that does not rotate (frequency 0) is not changed. */
static double ratio_of(double a, double b) { return b != 0 ? a / b : 1; }

/* Adds the frequencies of code that scales twice. The ratio of scaled to unscaled frequency is
 * applied once more. Llama 3's rule gives other numbers if it is applied to scaled frequencies, so
 * for this rule both are added. */
static void add_twice(spectra *all, const pe_rope_config *c, size_t pairs)
{
    const pe_rope_config plain = unscaled(c);
    spectra own = {0, {{0}}};
    const spectrum *const once = add_rope(&own, &plain, pairs, 0);
    for (int by_rule = 0; once && by_rule <= (c->rope_type == PE_ROPE_LLAMA3); by_rule++) {
        spectrum *const twice = add_rope(all, c, pairs, TOOL_DIFFERS(DIFFERS_SCALING_TWICE));
        if (!twice) break;
        for (size_t i = 0; i < pairs; i++)
            twice->omega[i] = by_rule ? llama3(c, twice->omega[i])
                                      : twice->omega[i] * ratio_of(twice->omega[i], once->omega[i]);
        twice->has_rope = 0;
        twice->has_any_factor = 1;
    }
    free_spectra(&own);
}

/* Lists the factors of scalings that models use. */
static const double usual_factors[] = {1.25, 1.5, 2,  2.5, 3,  4,  5,  6,
                                       8,    10,  16, 20,  32, 40, 64, 128};

/* Returns a length as a size_t, or 0, which means that it is absent, if it is too large. */
static size_t whole_length(double length)
{
    return length < (double)(SIZE_MAX / 2) ? (size_t)length : 0;
}

/* Adds the other types of scaling with the config's factor, and its own type with other usual
 * factors. LongRoPE is not tried, because it has a list of factors and not one.
 * PE_ROPE_PROPORTIONAL is tried only if it is the config's own type. */
static void add_other_scalings(spectra *all, const pe_rope_config *c, size_t pairs)
{
    for (int t = PE_ROPE_LINEAR; t < PE_ROPE_TYPE_COUNT; t++)
        for (size_t f = 0; f <= TOOL_COUNT(usual_factors); f++) {
            pe_rope_config other = *c;
            const pe_rope_type type = (pe_rope_type)t;
            const int is_same = type == c->rope_type;
            const double factor = f ? usual_factors[f - 1] : c->factor;
            if (type == PE_ROPE_LONGROPE) continue;
            if (type == PE_ROPE_PROPORTIONAL && !is_same)
                continue; /* has another number of pairs */
            if ((f > 0) != is_same || factor == 0 || (is_same && factor == c->factor)) continue;
            other.rope_type = type;
            other.factor = factor;
            other.freq_factors = NULL;
            other.freq_factors_length = 0;
            other.short_factor = other.long_factor = NULL;
            other.short_factor_length = other.long_factor_length = 0;
            if (type == PE_ROPE_DYNAMIC_NTK)
                other.sequence_length =
                    whole_length(factor * (double)c->original_max_position_embeddings);
            if (type == PE_ROPE_LLAMA3 && other.high_freq_factor <= other.low_freq_factor)
                other.low_freq_factor = 1, other.high_freq_factor = 4;
            spectrum *const s = add_rope(all, &other, pairs, TOOL_DIFFERS(DIFFERS_SCALING_OTHER));
            if (s)
                s->scaling = type_names[type].scaling, s->scaling_factor = factor,
                s->has_any_factor = 1;
        }
}

/* Adds the config's scaling with another length: max_position_embeddings in place of the trained
 * length, if the two differ. For LongRoPE, also adds it with sequence_length 1, which chooses
 * short_factor, and with a length beyond the trained one, which chooses long_factor. */
static void add_other_lengths(spectra *all, const pe_rope_config *c, size_t pairs)
{
    const size_t trained = c->original_max_position_embeddings,
                 maximum = c->max_position_embeddings;
    for (int k = 0; k < 3; k++) {
        pe_rope_config other = *c;
        if (k == 0) other.original_max_position_embeddings = maximum;
        if (k == 1) other.sequence_length = 1;
        if (k == 2) other.sequence_length = maximum > trained ? maximum : 2 * trained + 1;
        if (k == 0 ? maximum == 0 || maximum == trained : c->rope_type != PE_ROPE_LONGROPE)
            continue;
        spectrum *const s = add_rope(all, &other, pairs, TOOL_DIFFERS(DIFFERS_SCALING_OTHER));
        if (s)
            s->has_other_length = 1, s->scaling = type_names[c->rope_type].scaling,
            s->scaling_factor = c->factor, s->has_any_factor = 1;
    }
}

/* Returns x rounded to a number of significant decimal digits. */
static double shortened(double x, int digits)
{
    char text[40];
    snprintf(text, sizeof text, "%.*g", digits, x);
    return strtod(text, NULL);
}

/* Returns the base that the measured frequencies mean if frequency i is base^(-i / pairs), or 0 if
 * they show none. Pairs that the scaling changes are left out, as are those that rotate by 3
 * radians or more per step, since their frequencies are not certain. Among the others, the pair
 * with the largest i times frequency gives the base most exactly. `plain` has the config's unscaled
 * frequencies, or is NULL if it has no scaling. */
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

/* Adds frequencies base^(-2i / width) for a width that is not the config's. Another base with
 * the config's width has the same frequencies, so it is added as a second name. */
static void add_width(spectra *all, const pe_rope_config *c, size_t pairs, double width)
{
    const double own = 2 * (double)pairs_of_rope(c);
    for (int is_base = 0; is_base <= 1; is_base++) {
        pe_rope_config other = *c;
        other.rope_theta = pow(c->rope_theta, own / width);
        if (other.rope_theta < 1.0001 || other.rope_theta > 1e30) return;
        spectrum *const s = add_rope(all, &other, pairs,
                                     TOOL_DIFFERS(is_base ? DIFFERS_BASE : DIFFERS_ROTARY_WIDTH));
        if (s && is_base) s->base = other.rope_theta;
        if (s && !is_base) s->width = width;
    }
}

/* Adds frequencies whose exponents are divided by another width: that of the arrays, head_dim, or
 * the config's own rotary width or its double, quadruple or half. The array may also have another
 * number of pairs than the config. */
static void add_widths(spectra *all, const pe_rope_config *c, size_t pairs)
{
    const size_t own = 2 * pairs_of_rope(c);
    const size_t widths[] = {2 * pairs, c->head_dim, own, 2 * own, 4 * own, own / 2};
    for (size_t k = 0; k < TOOL_COUNT(widths); k++) {
        int is_new = widths[k] && widths[k] % 2 == 0 && (widths[k] != own || own != 2 * pairs);
        for (size_t j = 0; j < k; j++) is_new = is_new && widths[j] != widths[k];
        if (!is_new) continue;
        if (own == 2 * pairs) {
            add_width(all, c, pairs, (double)widths[k]);
            continue;
        }
        pe_rope_config other = *c;
        const int is_narrow = widths[k] < 2 * pairs;
        if (is_narrow && is_scaled(c)) continue;
        other.head_dim = is_narrow ? 2 * pairs : widths[k];
        if (is_narrow)
            other.rope_theta = pow(c->rope_theta, (double)(2 * pairs) / (double)widths[k]);
        other.rotary_dim = other.rotary_offset = 0;
        other.rope_interleave = 0;
        spectrum *const s = add_rope(all, &other, pairs, TOOL_DIFFERS(DIFFERS_ROTARY_WIDTH));
        if (s) s->width = (double)(2 * pairs);
    }
}

/* Adds the width with which the config's base has the measured frequencies, rounded to a whole
 * number. `fit` is the base that has them with the config's width, or 0 if it is not known. */
static void add_measured_width(spectra *all, const pe_rope_config *c, size_t pairs, double fit)
{
    const double own = 2 * (double)pairs_of_rope(c);
    const double width = fit > 1.0001 ? own * log(c->rope_theta) / log(fit) : 0;
    if (width >= 0.5 && width < 1e6 && nearbyint(width) != own)
        add_width(all, c, pairs, nearbyint(width));
}

/* Adds frequencies with the exponents i / (pairs - 1) in place of i / pairs. A width that is
 * smaller by 2 has the same frequencies, so this name is also added. */
static void add_exponents(spectra *all, const pe_rope_config *c, size_t pairs)
{
    pe_rope_config other = *c;
    if (pairs < 2) return;
    other.rope_theta = pow(c->rope_theta, (double)pairs / (double)(pairs - 1));
    add_rope(all, &other, pairs, TOOL_DIFFERS(DIFFERS_EXPONENTS));
    add_width(all, c, pairs, 2 * (double)(pairs - 1));
}

/* Lists the bases that models use. */
static const double usual_bases[] = {10000,  20000,  25000,  40000,  50000, 100000, 150000, 160000,
                                     250000, 500000, 600000, 640000, 1e6,   2e6,    4e6,    5e6,
                                     8e6,    1e7,    2e7,    5e7,    1e8,   1e9,    2000,   1000};

/* Adds rotations without the config's scaling and with another base: the bases of models, then
 * the measured base, rounded to 1 to 6 digits. */
static void add_unscaled_bases(spectra *all, const pe_rope_config *c, const samples *s)
{
    pe_rope_config other = unscaled(c);
    const double fit = fitted_base(s, &all->of[0], NULL);
    for (size_t k = 0; k < TOOL_COUNT(usual_bases) + 6; k++) {
        const int is_usual = k < TOOL_COUNT(usual_bases);
        const int digits = (int)k - (int)TOOL_COUNT(usual_bases) + 1;
        if (!is_usual && !(fit >= 1.5 && fit < 1e12)) return;
        other.rope_theta = is_usual ? usual_bases[k] : shortened(fit, digits);
        if (other.rope_theta < 1.5 || other.rope_theta == c->rope_theta) continue;
        spectrum *const b =
            add_rope(all, &other, s->pairs,
                     TOOL_DIFFERS(DIFFERS_BASE) | TOOL_DIFFERS(DIFFERS_SCALING_ABSENT));
        if (b) b->base = other.rope_theta, b->has_any_factor = 1;
    }
}

/* Adds rotations with another base: the bases of models, then the measured base, rounded to 1 to
 * 6 digits. Between the two it adds a width that gives the measured frequencies. The order decides
 * which name is printed: of names for the same numbers, keep() of explain.h makes all but the
 * first synonyms. */
static void add_bases(spectra *all, const pe_rope_config *c, const samples *s)
{
    const pe_rope_config plain = unscaled(c);
    spectra own = {0, {{0}}};
    spectrum *const without = is_scaled(c) ? add_rope(&own, &plain, s->pairs, 0) : NULL;
    const double fit = fitted_base(s, &all->of[0], without ? without->omega : NULL);
    double last = c->rope_theta;
    for (size_t k = 0; k < TOOL_COUNT(usual_bases) + 6; k++) {
        pe_rope_config other = *c;
        const int is_usual = k < TOOL_COUNT(usual_bases),
                  digits = (int)k - (int)TOOL_COUNT(usual_bases) + 1;
        if (digits == 1) add_measured_width(all, c, s->pairs, fit);
        other.rope_theta = is_usual                   ? usual_bases[k]
                           : fit >= 1.5 && fit < 1e12 ? shortened(fit, digits)
                                                      : 0;
        if (other.rope_theta < 1.5 || other.rope_theta == c->rope_theta || other.rope_theta == last)
            continue;
        last = other.rope_theta;
        spectrum *const b = add_rope(all, &other, s->pairs, TOOL_DIFFERS(DIFFERS_BASE));
        if (b) b->base = other.rope_theta;
    }
    free_spectra(&own);
}

/* Adds other widths of PE_ROPE_PROPORTIONAL in a table of all pairs of the head. In the first,
 * another number of pairs rotates: all before the last ones, whose measured frequency is 0. In the
 * second, the exponents are divided by rotary_dim in place of head_dim, which is the same as a
 * higher base. */
static void add_proportional_widths(spectra *all, const pe_rope_config *c, const samples *s)
{
    const size_t rotary = rotary_of(c);
    size_t rotating = s->pairs;
    pe_rope_config other = *c;
    while (rotating > 0 && s->tracks[rotating - 1].frequency == 0) rotating--;
    other.rotary_dim = 2 * rotating;
    if (rotating > 0 && other.rotary_dim != rotary) {
        spectrum *const to = add_rope(all, &other, s->pairs, TOOL_DIFFERS(DIFFERS_ROTARY_WIDTH));
        if (to) to->width = (double)other.rotary_dim;
    }
    other.rotary_dim = rotary;
    other.rope_theta = pow(c->rope_theta, (double)c->head_dim / (double)rotary);
    if (rotary < c->head_dim) {
        spectrum *const to = add_rope(all, &other, s->pairs, TOOL_DIFFERS(DIFFERS_ROTARY_WIDTH));
        if (to) to->width = (double)rotary;
    }
}

/* Adds frequencies that are divided by one number, although the config has no scaling. The
 * number is measured, and rounded to 1 to 3 digits. */
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
        spectrum *const l = add_rope(all, &other, s->pairs, TOOL_DIFFERS(DIFFERS_SCALING_OTHER));
        if (l) l->scaling = "linear", l->scaling_factor = other.factor;
    }
}

/* Adds the frequencies of code that read none of the config's parameters: base 10000 and no
 * scaling. The array must have the config's number of pairs, or that of the whole head. With the
 * config's number of pairs, a config that has these values anyway adds nothing. */
static void add_no_parameters(spectra *all, const pe_rope_config *c, size_t pairs)
{
    pe_rope_config other = pe_rope_config_default(2 * pairs);
    const int is_own = pairs == pairs_of_rope(c);
    if (!is_own && 2 * pairs != c->head_dim) return;
    if (is_own && !is_scaled(c) && c->rope_theta == other.rope_theta) return;
    add_rope(all, &other, pairs, TOOL_DIFFERS(DIFFERS_PARAMETERS_ABSENT));
}

/* Adds frequencies of 0, as in memory that nobody has filled, and doubled frequencies, as from
 * rotating twice. */
static void add_multiples(spectra *all, const pe_rope_config *c, size_t pairs)
{
    for (int multiple = 0; multiple <= 2; multiple += 2) {
        spectrum *const s =
            add_rope(all, c, pairs,
                     TOOL_DIFFERS(multiple ? DIFFERS_ROTATED_TWICE : DIFFERS_FREQUENCIES_ZERO));
        if (!s) return;
        for (size_t i = 0; i < pairs; i++) s->omega[i] *= multiple;
        s->has_rope = 0;
        s->has_any_factor = 1;
        if (!multiple) s->chain_base = 0;
    }
}

/* Makes a rotation with several coordinates one with a single coordinate and the same frequencies.
 * Returns 0 if that is impossible: with PE_SECTIONS_VISION and no list of coordinates, each
 * coordinate has the first frequencies again. */
static int flatten_rotation(pe_rope_config *c)
{
    if (c->axes > 1 && !c->coordinate && c->section_order == PE_SECTIONS_VISION) return 0;
    c->coordinate = NULL;
    c->coordinate_length = 0;
    c->axes = 1;
    return 1;
}

/* Returns whether two spectra have the same frequencies, factor and order of pairs. */
static int are_equal_spectra(const spectrum *a, const spectrum *b, size_t pairs)
{
    for (size_t i = 0; i < pairs; i++)
        if (fabs(a->omega[i] - b->omega[i]) > 1e-12 * fabs(b->omega[i])) return 0;
    return fabs(a->factor - b->factor) <= 1e-12 * b->factor &&
           a->are_neighbours == b->are_neighbours;
}

/* Adds the rotations of the config's other parts, since code may have taken the wrong part. Parts
 * are left out that are no rotations, have a list of frequencies of their own, have an error or
 * have another number of pairs. If own_count is 1, the first spectrum is the part's own, and parts
 * with the same spectrum are also left out. If it is 0, there is no such spectrum. */
static void add_other_parts(spectra *all, const part *own, const siblings *of, size_t pairs,
                            size_t own_count)
{
    for (size_t k = 0; of && k < of->count; k++) {
        const part *const p = &of->parts[k];
        if (p == own || p->kind != PART_ROPE || p->omega || count_notes(p, NOTE_WRONG)) continue;
        pe_rope_config c = p->rope;
        if (!flatten_rotation(&c)) continue;
        spectrum *const s = add_rope(all, &c, pairs, TOOL_DIFFERS(DIFFERS_OTHER_PART));
        if (!s) continue;
        if (pairs_of_rope(&c) != pairs) {
            free(all->of[--all->count].omega);
            continue;
        }
        s->part = p->name;
        s->has_layout = 1;
        s->are_neighbours = c.layout == PE_LAYOUT_INTERLEAVED;
        if (own_count) {
            all->of[0].are_neighbours = own->rope.layout == PE_LAYOUT_INTERLEAVED;
            if (are_equal_spectra(&all->of[0], s, pairs)) free(all->of[--all->count].omega);
        }
    }
}

/* Adds all frequencies that are tried if the array has as many pairs as the part's rotation `c`. */
static void add_all(spectra *all, const part *p, const pe_rope_config *c, const siblings *of,
                    const samples *s)
{
    if (!add_rope(all, c, s->pairs, 0)) return;
    if (is_scaled(c)) {
        const pe_rope_config plain = unscaled(c);
        spectrum *const absent =
            add_rope(all, &plain, s->pairs, TOOL_DIFFERS(DIFFERS_SCALING_ABSENT));
        if (absent) absent->has_any_factor = 1;
        add_twice(all, c, s->pairs);
        add_other_lengths(all, c, s->pairs);
        add_other_scalings(all, c, s->pairs);
        if (c->rope_type == PE_ROPE_YARN && !c->freq_factors) {
            add_yarn_mistakes(all, c, s->pairs);
            add_yarn_of_ntk(all, c, s->pairs);
        }
        if (c->rope_type == PE_ROPE_LLAMA3 && !c->freq_factors) add_llama3_mistakes(all, c, s);
    }
    if (!s->axis) add_other_parts(all, p, of, s->pairs, 1);
    add_multiples(all, c, s->pairs);
    if (!is_scaled(c)) add_linear(all, c, s);
    add_widths(all, c, s->pairs);
    if (c->rope_type == PE_ROPE_PROPORTIONAL) add_proportional_widths(all, c, s);
    else add_exponents(all, c, s->pairs);
    add_bases(all, c, s);
    add_no_parameters(all, c, s->pairs);
    if (is_scaled(c)) add_unscaled_bases(all, c, s);
}

/* Collects the frequencies that arrays of a rotation may have. If the array has the config's
 * number of pairs, the first spectrum is the config's own. Collects nothing if the part has a list
 * of frequencies of its own, or if flatten_rotation() fails and positions have one coordinate.
 * Pairs without a coordinate (255) do not rotate. */
static void spectra_of_rope(spectra *all, const part *p, const siblings *of, const samples *s)
{
    pe_rope_config flat = p->rope;
    all->count = 0;
    if (p->omega || (!flatten_rotation(&flat) && !s->axis)) return;
    if (pairs_of_rope(&flat) != s->pairs) {
        add_widths(all, &flat, s->pairs);
        add_other_parts(all, p, of, s->pairs, 0);
        add_no_parameters(all, &flat, s->pairs);
        return;
    }
    add_all(all, p, &flat, of, s);
    for (size_t k = 0; p->rope.coordinate && k < all->count; k++)
        for (size_t i = 0; i < s->pairs; i++)
            if (p->rope.coordinate[i] == 255) all->of[k].omega[i] = all->of[k].chain_base = 0;
}

/* Adds the frequencies of a sinusoidal encoding, with the differences that the caller names.
 * Returns NULL if it has another number of pairs, or no frequencies because of an error. */
static spectrum *add_preset(spectra *all, part *p, size_t pairs, differences differs)
{
    size_t own_pairs = 0;
    double *const omega = frequencies_of(p, &own_pairs);
    if (!omega || own_pairs != pairs) {
        free(omega);
        return NULL;
    }
    spectrum *const to = &all->of[all->count++];
    memset(to, 0, sizeof *to);
    to->omega = omega;
    to->factor = fabs(p->preset.amplitude);
    to->differs = differs;
    return to;
}

/* Returns the base with which part p, with its own rule for exponents, has the frequencies `to`.
 * `own` has the frequencies of p. In both lists, the last frequency over the first is a power of
 * the list's base. The two exponents are equal, so the logarithms of these powers have the ratio
 * of the logarithms of the bases. */
static double base_of(const double *to, const double *own, size_t pairs, const part *p)
{
    const double last = log(to[pairs - 1] / to[0]), own_last = log(own[pairs - 1] / own[0]);
    return own_last != 0 ? exp(log(p->preset.base) * last / own_last) : p->preset.base;
}

/* Collects the frequencies that arrays of a sinusoidal encoding may have. The first are its own.
 * Then follow those with other rules for exponents, each also by the name of another base.
 * Frequencies of 0 and those of the measured base, rounded to 1 to 6 digits, are the last. An
 * encoding with PE_EXPONENT_INDEX is not tried with other rules. */
static void spectra_of_preset(spectra *all, const part *p, const samples *s)
{
    part other = *p;
    const int is_by_index = p->preset.exponent == PE_EXPONENT_INDEX;
    all->count = 0;
    if (!add_preset(all, &other, s->pairs, 0)) return;
    for (int has_width = 0; has_width <= 1 && !is_by_index; has_width++) {
        other.preset.exponent = has_width ? PE_EXPONENT_WIDTH : PE_EXPONENT_PAIRS;
        other.preset.exponent_shift = has_width ? 0 : 1;
        const size_t before = all->count;
        if (!add_preset(all, &other, s->pairs, TOOL_DIFFERS(DIFFERS_EXPONENTS))) return;
        drop_if_own(all, s->pairs);
        if (all->count == before || s->pairs < 2) continue;
        other = *p; /* with another base, the config's rule has the same frequencies */
        other.preset.base = base_of(all->of[before].omega, all->of[0].omega, s->pairs, p);
        spectrum *const base = add_preset(all, &other, s->pairs, TOOL_DIFFERS(DIFFERS_BASE));
        if (base) base->base = other.preset.base;
    }
    other = *p;
    spectrum *const zero =
        add_preset(all, &other, s->pairs, TOOL_DIFFERS(DIFFERS_FREQUENCIES_ZERO));
    for (size_t i = 0; zero && i < s->pairs; i++) zero->omega[i] = 0;
    other = *p;
    const double fit = fitted_base(s, &all->of[0], NULL);
    for (int digits = 1; digits <= 6 && fit >= 1.5 && fit <= 1e12; digits++) {
        other.preset.base = shortened(fit, digits);
        if (other.preset.base == p->preset.base) continue;
        spectrum *const to = add_preset(all, &other, s->pairs, TOOL_DIFFERS(DIFFERS_BASE));
        if (to) to->base = other.preset.base;
    }
}

#endif
