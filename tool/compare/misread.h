/* SPDX-License-Identifier: MIT */
/* Computes the frequencies of code that has the rule of YaRN or of Llama 3 wrong.
 *
 * A spectrum (spectrum.h) holds the frequencies of one rotation, and how they differ from the
 * config's. A track (samples.h) has what was measured of a pair. */
#ifndef TOOL_MISREAD_H
#define TOOL_MISREAD_H

#include "spectrum.h"

static const double two_pi = 6.283185307179586477;

/* Adds a spectrum for a mistake in the rule of a scaling. The caller then writes its frequencies
 * over those of the rotation. `which` is for spectrum.which. Returns NULL where add_rope() does. */
static spectrum *add_misread(spectra *all, const pe_rope_config *c, size_t pairs,
                             difference differs, const char *which)
{
    spectrum *const s = add_rope(all, c, pairs, TOOL_DIFFERS(differs));
    if (!s) return NULL;
    s->has_rope = 0;
    s->which = which;
    return s;
}

/* Removes the last spectrum if its frequencies are those of the config, which all->of[0] has. The
 * mistake then changes nothing here. */
static void drop_if_own(spectra *all, size_t pairs)
{
    const double *const own = all->of[0].omega, *const last = all->of[all->count - 1].omega;
    for (size_t i = 0; i < pairs; i++)
        if (fabs(own[i] - last[i]) > 1e-9 * fabs(own[i])) return;
    free(all->of[--all->count].omega);
}

/* Returns the length of the training, in positions. If the config has no
 * original_max_position_embeddings, it is max_position_embeddings, as in Hugging Face's code. */
static double trained_length(const pe_rope_config *c)
{
    return (double)(c->original_max_position_embeddings ? c->original_max_position_embeddings
                                                        : c->max_position_embeddings);
}

/* NTK scaling replaces the base by base * factor^(n / (n - 2)), where n elements of a head rotate.
 * NTK_UNSCALED and NTK_SCALED say to which of YaRN's pairs some code gives this base: to those
 * that are not scaled, or to those that are. With NTK_FOR_FACTOR, the scaled pairs are not divided
 * by the factor. */
enum { NTK_UNSCALED = 1, NTK_SCALED = 2, NTK_FOR_FACTOR = 4 };

/* Describes how some code computes YaRN's frequencies. */
typedef struct yarn_rule {
    difference differs; /* the mistake                                                           */
    const char *which;  /* which of the mistakes with this name, for reports; NULL: there is one */
    double fast;     /* beta_fast: pairs with more rotations in the trained length are unscaled */
    double slow;     /* beta_slow: pairs with fewer rotations are divided by the factor         */
    double cycle;    /* the angle of one rotation: 2 pi, or 1 by mistake                        */
    int truncate;    /* 1: the bounds of the ramp are rounded to whole pairs                    */
    int ntk;         /* a set of NTK_UNSCALED, NTK_SCALED and NTK_FOR_FACTOR                    */
    int is_inverted; /* 1: the ramp falls from 1 to 0, where it should rise                     */
    int is_positive; /* 1: a ramp of negative length becomes a step, 0.001 pairs long           */
} yarn_rule;

/* Returns the index of the pair, as a real number, that rotates `beta` times over the trained
 * length. `cycle` is the angle of one rotation. */
static double pair_of_beta(const pe_rope_config *c, double beta, double cycle)
{
    return (double)rotary_of(c) * log(trained_length(c) / (beta * cycle)) /
           (2 * log(c->rope_theta));
}

/* Writes the frequencies of YaRN by a rule to omega[]. Between the pairs `low` and `high`, a ramp
 * rises from 0, which means unscaled, to 1, which means divided by the factor. `keep` is the
 * weight of the unscaled frequency, 1 minus the ramp, times extrapolation_factor. */
static void compute_yarn(const pe_rope_config *c, const yarn_rule *rule, size_t pairs,
                         double *omega)
{
    const double n = (double)rotary_of(c), trained = trained_length(c);
    const double f = c->factor > 0 ? c->factor : (double)c->max_position_embeddings / trained;
    const double base_of_ntk = c->rope_theta * pow(f, n / (n - 2));
    double low = pair_of_beta(c, rule->fast, rule->cycle);
    double high = pair_of_beta(c, rule->slow, rule->cycle);
    if (rule->truncate) low = floor(low), high = ceil(high);
    low = fmax(low, 0), high = fmin(high, n - 1);
    const double length = low == high ? 0.001 : high - low;
    for (size_t i = 0; i < pairs; i++) {
        const double x = ((double)i - low) / (rule->is_positive ? fmax(length, 0.001) : length);
        const double ramp = fmin(fmax(x, 0), 1), scaled = rule->is_inverted ? 1 - ramp : ramp;
        const double w = pow(c->rope_theta, -2 * (double)i / n);
        const double of_ntk = pow(base_of_ntk, -2 * (double)i / n);
        const double keep = c->extrapolation_factor * (1 - scaled);
        const double by = rule->ntk & NTK_FOR_FACTOR ? 1 : f;
        omega[i] = (rule->ntk & NTK_SCALED ? of_ntk : w) / by * (1 - keep) +
                   (rule->ntk & NTK_UNSCALED ? of_ntk : w) * keep;
    }
}

/* Adds the frequencies of code that has one detail of YaRN's rule wrong. A mistake that does not
 * change the config's frequencies is left out. */
static void add_yarn_mistakes(spectra *all, const pe_rope_config *c, size_t pairs)
{
    const double fast = c->beta_fast > 0 ? c->beta_fast : 32;
    const double slow = c->beta_slow > 0 ? c->beta_slow : 1;
    const int t = c->truncate;
    const yarn_rule rules[] = {
        {DIFFERS_YARN_TRUNCATE, t ? "not truncated" : "truncated", fast, slow, two_pi, !t, 0, 0, 0},
        {DIFFERS_YARN_BETAS, "exchanged", slow, fast, two_pi, t, 0, 0, 0},
        {DIFFERS_YARN_BETAS, "exchanged", slow, fast, two_pi, t, 0, 0, 1},
        {DIFFERS_YARN_BETAS, "32 and 1", 32, 1, two_pi, t, 0, 0, 0},
        {DIFFERS_YARN_BETAS, "32 for beta_fast", 32, slow, two_pi, t, 0, 0, 0},
        {DIFFERS_YARN_BETAS, "1 for beta_slow", fast, 1, two_pi, t, 0, 0, 0},
        {DIFFERS_YARN_RAMP, NULL, fast, slow, two_pi, t, 0, 1, 0},
        {DIFFERS_YARN_NTK_BASE, "of unscaled pairs", fast, slow, two_pi, t, NTK_UNSCALED, 0, 0},
        {DIFFERS_YARN_NTK_BASE, "of scaled pairs", fast, slow, two_pi, t, NTK_SCALED, 0, 0},
        {DIFFERS_YARN_NTK_BASE, "of all pairs", fast, slow, two_pi, t, NTK_UNSCALED | NTK_SCALED, 0,
         0},
        {DIFFERS_YARN_NTK_BASE, "of scaled pairs, which the factor does not divide", fast, slow,
         two_pi, t, NTK_SCALED | NTK_FOR_FACTOR, 0, 0},
        {DIFFERS_TWO_PI_ABSENT, NULL, fast, slow, 1, t, 0, 0, 0}};
    for (size_t k = 0; k < TOOL_COUNT(rules); k++) {
        spectrum *const s = add_misread(all, c, pairs, rules[k].differs, rules[k].which);
        if (!s) return;
        compute_yarn(c, &rules[k], pairs, s->omega);
        drop_if_own(all, pairs);
    }
}

/* Adds YaRN's frequencies with the base of NTK everywhere, also in the bounds of the ramp. The
 * numbers are the same as with another base of the config, so they are added twice, as
 * DIFFERS_YARN_NTK_BASE and as DIFFERS_BASE. */
static void add_yarn_of_ntk(spectra *all, const pe_rope_config *c, size_t pairs)
{
    const double n = (double)rotary_of(c), trained = trained_length(c);
    const double f = c->factor > 0 ? c->factor : (double)c->max_position_embeddings / trained;
    pe_rope_config other = *c;
    if (n <= 2 || f == 1) return;
    other.rope_theta *= pow(f, n / (n - 2));
    spectrum *const ntk = add_rope(all, &other, pairs, TOOL_DIFFERS(DIFFERS_YARN_NTK_BASE));
    if (ntk) ntk->which = "of all pairs and of the bounds";
    spectrum *const base = add_rope(all, &other, pairs, TOOL_DIFFERS(DIFFERS_BASE));
    if (base) base->base = other.rope_theta;
}

/* Lists the wrong ways to compute Llama 3's frequencies. In the right way, x is the number of
 * rotations of a pair over the trained length. If x is above high = high_freq_factor, the pair
 * keeps its frequency w. If x is below low = low_freq_factor, it gets w / factor. Between them, it
 * gets (1 - s) w / factor + s w with the share s = (x - low) / (high - low). The rules CUT_AT_HIGH
 * and HARD_AT_HIGH give the same numbers, but are different mistakes, so both are listed. The same
 * holds for CUT_AT_LOW and HARD_AT_LOW. */
typedef enum llama3_rule {
    LLAMA3_CUT_AT_HIGH = 0,        /* w / factor below high: transformers' code, bounds exchanged */
    LLAMA3_CUT_AT_LOW,             /* w / factor up to low: Meta's code, bounds exchanged         */
    LLAMA3_EXCHANGED,              /* the two bounds exchanged in code that limits s to 0 ... 1   */
    LLAMA3_HARD_AT_HIGH,           /* no mixing: w / factor below high                            */
    LLAMA3_HARD_AT_LOW,            /* no mixing: w / factor up to low                             */
    LLAMA3_HARD_BETWEEN,           /* no mixing: w / factor below measured_cut()                  */
    LLAMA3_INVERTED,               /* the share is 1 - s between the bounds                       */
    LLAMA3_BY_WAVELENGTH,          /* the share is linear in the wavelength, that is, in 1 / x    */
    LLAMA3_INVERTED_BY_WAVELENGTH, /* the share is 1 minus that of LLAMA3_BY_WAVELENGTH           */
    LLAMA3_HARMONIC,               /* s mixes the wavelengths: w / ((1 - s) factor + s)           */
    LLAMA3_HARMONIC_INVERTED,      /* 1 - s mixes the wavelengths: w / (s factor + 1 - s)         */
    LLAMA3_PRECEDENCE,             /* w / (factor / (1 - s) + s), as in llama.cpp's first version */
    LLAMA3_SQUARE,                 /* the share is s^2                                            */
    LLAMA3_SMOOTHSTEP,             /* the share is s^2 (3 - 2 s)                                  */
    LLAMA3_UNLIMITED,              /* s also mixes beyond the bounds                              */
    LLAMA3_NO_CYCLE,               /* x is in radians: the division by 2 pi is missing            */
    LLAMA3_RULE_COUNT
} llama3_rule;

/* Returns the frequency that a wrong rule makes of the unscaled frequency w. With
 * LLAMA3_HARD_BETWEEN, pairs with at least `cut` rotations over the trained length keep their
 * frequency. */
static double llama3_by(const pe_rope_config *c, llama3_rule rule, double w, double cut)
{
    const double low = c->low_freq_factor, high = c->high_freq_factor, f = c->factor;
    const double cycle = rule == LLAMA3_NO_CYCLE ? 1 : two_pi;
    const double x = trained_length(c) * w / cycle, s = (x - low) / (high - low);
    const double by_length = (1 / low - 1 / x) / (1 / low - 1 / high);
    const double other = fmin(fmax(1 - s, 0), 1);
    double share = s;
    switch (rule) {
    case LLAMA3_CUT_AT_HIGH:
    case LLAMA3_HARD_AT_HIGH: return x < high ? w / f : w;
    case LLAMA3_CUT_AT_LOW:
    case LLAMA3_HARD_AT_LOW: return x > low ? w : w / f;
    case LLAMA3_HARD_BETWEEN: return x >= cut ? w : w / f;
    case LLAMA3_EXCHANGED: return (1 - other) * w / f + other * w;
    case LLAMA3_UNLIMITED: return (1 - s) * w / f + s * w;
    default: break;
    }
    if (x > high) return w;
    if (x < low) return w / f;
    if (rule == LLAMA3_INVERTED) share = 1 - s;
    if (rule == LLAMA3_BY_WAVELENGTH) share = by_length;
    if (rule == LLAMA3_INVERTED_BY_WAVELENGTH) share = 1 - by_length;
    if (rule == LLAMA3_SQUARE) share = s * s;
    if (rule == LLAMA3_SMOOTHSTEP) share = s * s * (3 - 2 * s);
    if (rule == LLAMA3_HARMONIC) return w / ((1 - s) * f + s);
    if (rule == LLAMA3_HARMONIC_INVERTED) return w / (s * f + 1 - s);
    if (rule == LLAMA3_PRECEDENCE) return s < 1 ? w / (f / (1 - s) + s) : w;
    return (1 - share) * w / f + share * w;
}

/* Returns a bound for LLAMA3_HARD_BETWEEN: the rotations over the trained length of the slowest
 * pair that is unscaled in the arrays, or 0 if pair 0 is scaled. The search starts at pair 0 and
 * ends at the first scaled pair. A pair counts as scaled if its measured frequency is at most
 * plain[i] / sqrt(factor), halfway between unscaled and scaled. The unscaled frequencies are in
 * plain[]. */
static double measured_cut(const pe_rope_config *c, const samples *s, const double *plain)
{
    double cut = 0;
    for (size_t i = 0; i < s->pairs; i++) {
        if (!(fabs(s->tracks[i].frequency) > plain[i] / sqrt(c->factor))) break;
        cut = trained_length(c) * plain[i] / two_pi;
    }
    return cut;
}

/* Writes the measured frequencies of the pairs between the two bounds to omega[], for smoothing by
 * an unknown rule. Returns 0 unless they can be the result of smoothing. For this, the share of
 * the unscaled frequency must be within 0 ... 1 and must not rise from pair to pair. In at least
 * one pair, it must be clearly between 0 and 1. At least two pairs must be above, between and
 * below the bounds. All frequencies between them must be measured without the doubt about
 * multiples of 2 pi / step. */
static int measure_smoothing(const pe_rope_config *c, const samples *s, const double *plain,
                             double *omega)
{
    double last = 1;
    size_t unscaled = 0, between = 0, scaled = 0, smooth = 0;
    for (size_t i = 0; i < s->pairs; i++) {
        const double x = trained_length(c) * plain[i] / two_pi;
        unscaled += x > c->high_freq_factor, scaled += x < c->low_freq_factor;
        if (x > c->high_freq_factor || x < c->low_freq_factor) continue;
        const double ratio = fabs(s->tracks[i].frequency) / plain[i];
        const double share = (ratio - 1 / c->factor) / (1 - 1 / c->factor);
        if (!(share > -1e-5) || !(share < last + 1e-5) || plain[i] * s->step > 3) return 0;
        last = share, between++;
        smooth += share > 0.001 && share < 0.999; /* without such a share, it is a hard cut */
        omega[i] = ratio * plain[i];
    }
    return unscaled > 1 && between > 1 && scaled > 1 && smooth;
}

/* Adds the frequencies of code that has one detail of Llama 3's rule wrong, and those of an
 * unknown smoothing, as they were measured. Adds none if high_freq_factor is not above
 * low_freq_factor. */
static void add_llama3_mistakes(spectra *all, const pe_rope_config *c, const samples *s)
{
    static const struct {
        difference differs;
        const char *which;
    } names[] = {{DIFFERS_LLAMA3_FACTORS, NULL},
                 {DIFFERS_LLAMA3_FACTORS, NULL},
                 {DIFFERS_LLAMA3_FACTORS, NULL},
                 {DIFFERS_LLAMA3_CUT, "at high_freq_factor"},
                 {DIFFERS_LLAMA3_CUT, "at low_freq_factor"},
                 {DIFFERS_LLAMA3_CUT, "between the factors"},
                 {DIFFERS_LLAMA3_SMOOTHING, "inverted"},
                 {DIFFERS_LLAMA3_SMOOTHING, "linear in the wavelength"},
                 {DIFFERS_LLAMA3_SMOOTHING, "inverted, linear in the wavelength"},
                 {DIFFERS_LLAMA3_SMOOTHING, "wavelengths are mixed"},
                 {DIFFERS_LLAMA3_SMOOTHING, "inverted, wavelengths are mixed"},
                 {DIFFERS_LLAMA3_SMOOTHING, "f / (1 - s) + s divides"},
                 {DIFFERS_LLAMA3_SMOOTHING, "the square of the share"},
                 {DIFFERS_LLAMA3_SMOOTHING, "smoothstep of the share"},
                 {DIFFERS_LLAMA3_SMOOTHING, "the share is not limited to 0 ... 1"},
                 {DIFFERS_TWO_PI_ABSENT, NULL}};
    TOOL_HAS_ALL(names, LLAMA3_RULE_COUNT);
    const pe_rope_config unscaled_config = unscaled(c);
    spectra own = {0, {{0}}};
    const spectrum *const plain = add_rope(&own, &unscaled_config, s->pairs, 0);
    if (!plain || c->high_freq_factor <= c->low_freq_factor) {
        free_spectra(&own);
        return;
    }
    const double cut = measured_cut(c, s, plain->omega);
    for (int rule = 0; rule < LLAMA3_RULE_COUNT; rule++) {
        spectrum *const to = add_misread(all, c, s->pairs, names[rule].differs, names[rule].which);
        for (size_t i = 0; to && i < s->pairs; i++)
            to->omega[i] = llama3_by(c, (llama3_rule)rule, plain->omega[i], cut);
        if (to) drop_if_own(all, s->pairs);
    }
    spectrum *const measured =
        add_misread(all, c, s->pairs, DIFFERS_LLAMA3_SMOOTHING, "another than the config's");
    if (measured && !measure_smoothing(c, s, plain->omega, measured->omega))
        free(all->of[--all->count].omega);
    free_spectra(&own);
}

#endif
