/* SPDX-License-Identifier: MIT */
/* The fields of configs that are numbers, with their defaults: for --json and for --c. */
#ifndef TOOL_FIELDS_H
#define TOOL_FIELDS_H

#include "../model/part.h"

typedef struct config_field {
    const char *name;
    double value, usual; /* usual: what pe_rope_config_default() or pe_config_default() has */
} config_field;
enum { MOST_FIELDS = 24 };

static void add_field(config_field *to, size_t *count, const char *name, double given, double usual)
{
    const config_field field = {name, given, usual};
    to[(*count)++] = field;
}

/* All but head_dim, the lists, and the enums. Returns their number. */
static size_t rope_fields(const pe_rope_config *c, config_field *to)
{
    const pe_rope_config d = pe_rope_config_default(c->head_dim);
    size_t n = 0;
#define FIELD(name) add_field(to, &n, #name, (double)c->name, (double)d.name)
    FIELD(rotary_dim);
    FIELD(rotary_offset);
    FIELD(rope_theta);
    FIELD(factor);
    FIELD(original_max_position_embeddings);
    FIELD(max_position_embeddings);
    FIELD(sequence_length);
    FIELD(low_freq_factor);
    FIELD(high_freq_factor);
    FIELD(beta_fast);
    FIELD(beta_slow);
    FIELD(extrapolation_factor);
    FIELD(truncate);
    FIELD(mscale);
    FIELD(mscale_all_dim);
    FIELD(attention_factor);
    FIELD(short_mscale);
    FIELD(long_mscale);
    FIELD(rope_interleave);
    FIELD(offset);
    return n;
}

/* Writes to `to` the fields of a config with one axis that differ from the default, except d_model and
 * the enums. Returns their number. */
static size_t preset_fields(const pe_config *c, config_field *to)
{
    const pe_config d = pe_config_default(c->d_model);
    size_t n = 0;
    FIELD(base);
    FIELD(amplitude);
    FIELD(scale);
    FIELD(half_turns);
    FIELD(offset);
    FIELD(cos_first);
    FIELD(exponent_shift);
    FIELD(has_padding);
    FIELD(padding_position);
    FIELD(multiple);
#undef FIELD
    return n;
}

#endif
