/* SPDX-License-Identifier: MIT */
/* The fields of configs that are numbers, with their defaults: for --json and for --c. */
#ifndef TOOL_FIELDS_H
#define TOOL_FIELDS_H

#include "part.h"

typedef struct config_field {
    const char *name;
    double value, usual; /* usual: what pe_rope_config_default() or pe_config_default() has */
    int is_integer;
} config_field;
enum { MOST_FIELDS = 24 };

/* Names by which pe_rope_type_named() and Python know the types. */
static const char *const config_type_names[PE_ROPE_TYPE_COUNT] = {
    "default", "linear", "xdrope", "ntk", "dynamic", "llama3", "yarn", "longrope", "proportional"};

static void add_field(config_field *to, size_t *count, const char *name, double value, double usual)
{
    const config_field field = {name, value, usual, 0};
    to[(*count)++] = field;
}
static void add_integer(config_field *to, size_t *count, const char *name, size_t value,
                        size_t usual)
{
    const config_field field = {name, (double)value, (double)usual, 1};
    to[(*count)++] = field;
}

/* All but head_dim, the lists, and the enums. Returns their number. */
static size_t rope_fields(const pe_rope_config *c, config_field *to)
{
    const pe_rope_config d = pe_rope_config_default(c->head_dim);
    size_t n = 0;
#define INTEGER(name) add_integer(to, &n, #name, (size_t)c->name, (size_t)d.name)
#define NUMBER(name)  add_field(to, &n, #name, c->name, d.name)
    INTEGER(rotary_dim);
    INTEGER(rotary_offset);
    NUMBER(rope_theta);
    NUMBER(factor);
    INTEGER(original_max_position_embeddings);
    INTEGER(max_position_embeddings);
    INTEGER(sequence_length);
    NUMBER(low_freq_factor);
    NUMBER(high_freq_factor);
    NUMBER(beta_fast);
    NUMBER(beta_slow);
    NUMBER(extrapolation_factor);
    INTEGER(truncate);
    NUMBER(mscale);
    NUMBER(mscale_all_dim);
    NUMBER(attention_factor);
    NUMBER(short_mscale);
    NUMBER(long_mscale);
    INTEGER(rope_interleave);
    NUMBER(offset);
    return n;
}

/* All but d_model and the enums, of one axis. Returns their number. */
static size_t preset_fields(const pe_config *c, config_field *to)
{
    const pe_config d = pe_config_default(c->d_model);
    size_t n = 0;
    NUMBER(base);
    NUMBER(amplitude);
    NUMBER(scale);
    INTEGER(half_turns);
    NUMBER(offset);
    INTEGER(cos_first);
    NUMBER(exponent_shift);
    INTEGER(has_padding);
    add_field(to, &n, "padding_position", (double)c->padding_position, (double)d.padding_position);
    INTEGER(multiple);
#undef NUMBER
#undef INTEGER
    return n;
}

#endif
