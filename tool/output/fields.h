/* SPDX-License-Identifier: MIT */
/* Lists the fields of a pe_rope_config and of a pe_config that are plain numbers, with their
 * defaults. `show --c` prints those that differ from the default, and `show --json` does so for
 * rotations. */
#ifndef TOOL_FIELDS_H
#define TOOL_FIELDS_H

#include "../model/part.h"

/* Holds one field of a config. */
typedef struct config_field {
    const char *name; /* its name in C                                                  */
    double value;     /* its value                                                      */
    double usual;     /* what pe_rope_config_default() or pe_config_default() has there */
} config_field;
enum { MOST_FIELDS = 24 };

static void add_field(config_field *to, size_t *count, const char *name, double given, double usual)
{
    const config_field field = {name, given, usual};
    to[(*count)++] = field;
}

/* Writes the fields of a rotation to to[], which has room for MOST_FIELDS, and returns their
 * number. These are all fields except head_dim, axes, sections, expected_rows, the enums, and the
 * lists with their lengths. */
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

/* Writes the fields of a sinusoidal encoding with one axis to to[], which has room for
 * MOST_FIELDS, and returns their number. These are all fields except d_model, expected_rows, the
 * enums, and those that describe several axes. */
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
