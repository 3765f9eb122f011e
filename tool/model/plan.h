/* SPDX-License-Identifier: MIT */
/* Makes the plan of a part, and computes its frequencies and its attention factor. A plan is a
 * pe_plan of pe.h, which has the frequencies and what else all rows of a table share.
 *
 * A part (part.h) is a set of layers that share one positional encoding, and a note is a message
 * about a key. */
#ifndef TOOL_PLAN_H
#define TOOL_PLAN_H

#include "part.h"

#include <math.h>
#include <stdlib.h>

/* Returns how many elements of a head rotate: rotary_dim, or head_dim if rotary_dim is 0. */
static size_t rotary_of(const pe_rope_config *c)
{
    return c->rotary_dim ? c->rotary_dim : c->head_dim;
}

/* Returns how many frequencies pe_rope_frequencies() writes, which is also the number of pairs in
 * a row of a table. With PE_ROPE_PROPORTIONAL, this is the number of all pairs of the head, and
 * the pairs beyond rotary_dim have frequency 0. */
static size_t pairs_of_rope(const pe_rope_config *c)
{
    return (c->rope_type == PE_ROPE_PROPORTIONAL ? c->head_dim : rotary_of(c)) / 2;
}

/* Returns the pe_config with which pe_plan_init_frequencies() makes a plan for p->omega, the
 * frequencies that no pe_rope_config can have. */
static pe_config config_of_omega(const part *p)
{
    const size_t pairs = pairs_of_rope(&p->rope);
    pe_config c = pe_config_default(2 * pairs);
    c.layout = p->rope.layout;
    c.axes = p->rope.axes;
    c.coordinate = p->coordinate;
    c.coordinate_length = p->coordinate ? pairs : 0;
    return c;
}

/* Makes the plan of a part. Returns the plan's memory, which the caller frees. Returns NULL if the
 * part has no cosines and sines, or has a note of kind NOTE_WRONG. If making the plan fails, adds
 * such a note, which says why, and returns NULL. */
static void *plan_of(part *p, pe_plan *plan)
{
    const int is_preset = p->kind == PART_SINUSOIDAL;
    if ((p->kind != PART_ROPE && !is_preset) || count_notes(p, NOTE_WRONG)) return NULL;
    const pe_config listed = config_of_omega(p);
    const size_t size = is_preset  ? pe_plan_size(&p->preset)
                        : p->omega ? pe_plan_size(&listed)
                                   : pe_rope_plan_size(&p->rope);
    void *const memory = size ? malloc(size) : NULL;
    if (!memory) {
        say(p, NOTE_WRONG, is_preset ? "d_model" : "head_dim",
            "its plan does not fit in memory: %zu bytes", size);
        return NULL;
    }
    const pe_status status = is_preset  ? pe_plan_init(plan, &p->preset, memory, size)
                             : p->omega ? pe_plan_init_frequencies(plan, &listed, p->omega,
                                                                   listed.d_model / 2, memory, size)
                                        : pe_rope_plan_init(plan, &p->rope, memory, size);
    if (status == PE_OK) return memory;
    say(p, NOTE_WRONG, "plan", "%s", pe_status_string(status));
    free(memory);
    return NULL;
}

/* Returns an allocated array with the frequencies of all pairs, followed by their wavelengths, and
 * sets *pairs to the number of pairs. Returns NULL if the part has no plan (see plan_of()), if
 * pe_plan_frequencies() refuses the plan, or if memory runs out. Pairs without a coordinate, which
 * have 255 in rope.coordinate, do not rotate: they get frequency 0 and an infinite wavelength. */
static double *frequencies_of(part *p, size_t *pairs)
{
    pe_plan plan;
    double *omega = NULL;
    void *const memory = plan_of(p, &plan);
    if (memory) omega = (double *)malloc(2 * plan.pairs * sizeof *omega);
    if (omega) {
        *pairs = plan.pairs;
        if (pe_plan_frequencies(&plan, omega) != PE_OK ||
            pe_plan_wavelengths(&plan, omega + *pairs) != PE_OK) {
            free(omega);
            omega = NULL;
        }
        for (size_t i = 0; omega && p->rope.coordinate && i < *pairs; i++)
            if (p->rope.coordinate[i] == 255) omega[i] = 0, omega[*pairs + i] = HUGE_VAL;
    }
    free(memory);
    return omega;
}

/* Returns the factor by which cosines and sines are multiplied, or 0 if the config is invalid. If
 * memory runs out, returns 1. */
static double attention_of(const part *p)
{
    double factor = 1;
    double *const omega = (double *)malloc((p->rope.head_dim / 2 + 1) * sizeof *omega);
    if (omega && pe_rope_frequencies(&p->rope, omega, &factor) != PE_OK) factor = 0;
    free(omega);
    return factor;
}

#endif
