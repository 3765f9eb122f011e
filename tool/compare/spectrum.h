/* SPDX-License-Identifier: MIT */
/* The frequencies of one rotation, with how they differ from the config's. */
#ifndef TOOL_SPECTRUM_H
#define TOOL_SPECTRUM_H

#include "../model/names.h"
#include "../model/plan.h"
#include "differences.h"
#include "samples.h"

enum { MOST_SPECTRA = 256 };

/* The frequencies of all pairs of an array, and how they differ from the config's. A detail is 0 if it
 * does not differ. */
typedef struct spectrum {
    differences differs;                /* from the config    */
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
    const char *part;               /* the name of another part that has it, or NULL */
    const char *which;              /* which of the mistakes with this name, or NULL */
    int has_layout;                 /* 1: the other part's pairs count, which are: */
    int are_neighbours;
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

/* Adds the first `pairs` frequencies of a rotation. Returns NULL if the rotation has fewer. */
static spectrum *add_rope(spectra *all, const pe_rope_config *c, size_t pairs, differences differs)
{
    const size_t own_pairs = pairs_of_rope(c);
    double factor = 1;
    if (all->count == MOST_SPECTRA || own_pairs < pairs) return NULL;
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
    to.axes = c->axes;
    to.section_order = c->section_order;
    memcpy(to.sections, c->sections, sizeof to.sections);
    to.rope_theta = c->rope_theta;
    return to;
}

#endif
