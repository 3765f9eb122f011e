/* SPDX-License-Identifier: MIT */
/* Holds the frequencies of one rotation, with the differences from the config's rotation. They
 * are the config's own or those of a mistake; `posenc compare` tries each of them on the
 * arrays. */
#ifndef TOOL_SPECTRUM_H
#define TOOL_SPECTRUM_H

#include "../model/names.h"
#include "../model/plan.h"
#include "differences.h"
#include "samples.h"

/* At most this many spectra are tried on an array. Further ones are dropped. */
enum { MOST_SPECTRA = 256 };

/* Holds the frequencies of all pairs of an array, and how they differ from the config's. A detail
 * such as `base` is 0 or NULL if it does not differ. */
typedef struct spectrum {
    differences differs;   /* the set of differences from the config; 0: its own frequencies      */
    double *omega;         /* the frequency of each pair, in radians per position; allocated      */
    double factor;         /* the attention factor, which multiplies cosines and sines            */
    int has_any_factor;    /* 1: with this mistake, no attention factor counts as another mistake */
    double base;           /* the base, if it is not the config's                                 */
    double width;          /* the width, if another one divides the exponents or rotates          */
    double scaling_factor; /* the factor of `scaling`                                             */
    int has_other_length;  /* 1: the trained length, or LongRoPE's list, is another one           */
    const char *scaling;   /* the name of the scaling, if its type, factor or length is another   */
    int has_rope;          /* 1: `rope` has exactly these frequencies                             */
    pe_rope_config rope;   /* the rotation that the frequencies were computed from                */
    double chain_base;     /* the base of ggml's chain (chain_step() of agree.h); 0: no chain     */
    double chain_width;    /* the width that divides the exponents of this chain                  */
    int is_chain_exact;    /* 1: no scaling, or linear: see is_chain_row_right() of agree.h       */
    const char *part;      /* the name of the other part that has these frequencies               */
    const char *which;     /* which of several mistakes with the same name it is                  */
    int has_layout;        /* 1: it is another part, whose pairs are as are_neighbours says       */
    int are_neighbours;    /* 1: the pairs of this other part are interleaved                     */
} spectrum;

/* Holds all spectra that are tried on an array. of[0] is the config's own, if the array has as
 * many pairs as the config. */
typedef struct spectra {
    size_t count;
    spectrum of[MOST_SPECTRA];
} spectra;

static void free_spectra(spectra *all)
{
    for (size_t k = 0; k < all->count; k++) free(all->of[k].omega);
    all->count = 0;
}

/* Adds the first `pairs` frequencies of a rotation. Returns the new spectrum, whose details the
 * caller sets. Returns NULL if the rotation has fewer pairs or is invalid, or if there is no room
 * or no memory. */
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

/* Returns whether a rotation has a scaling, or factors that divide its frequencies. */
static int is_scaled(const pe_rope_config *c)
{
    return c->rope_type != PE_ROPE_DEFAULT || c->freq_factors;
}

/* Returns the rotation without its scaling. PE_ROPE_PROPORTIONAL stays, with the factor 0, which
 * counts as 1: another type would also change the exponents and the number of pairs. */
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
