/* SPDX-License-Identifier: MIT */
/* Prints parts as JSON, for programs. docs/tool.md lists the members.
 *
 * A part (model/part.h) is a set of layers that share one positional encoding. A note is a message
 * about a key, a flag or a file. */
#ifndef TOOL_REPORT_JSON_H
#define TOOL_REPORT_JSON_H

#include "fields.h"
#include "report_text.h"

#include <math.h>

static void json_string(const char *text)
{
    print("%c", '"');
    for (const char *c = text; *c; c++)
        if (*c == '"' || *c == '\\') print("\\%c", *c);
        else if ((unsigned char)*c < 0x20) print("\\u%04x", (unsigned)(unsigned char)*c);
        else print("%c", *c);
    print("%c", '"');
}

/* Prints the name of a member, after a comma. The first member of an object is printed without
 * this function. */
static void json_key(const char *key) { print(",\n      \"%s\": ", key); }

static void json_text(const char *key, const char *text)
{
    json_key(key);
    json_string(text);
}

/* Prints a number with 17 digits, which give each double exactly, or null for infinity and NaN. */
static void json_double(double x)
{
    if (isfinite(x)) print("%.17g", x);
    else print("null");
}

static void json_number(const char *key, double x)
{
    json_key(key);
    json_double(x);
}

static void json_numbers(const char *key, const double *numbers, size_t count)
{
    json_key(key);
    for (size_t i = 0; i < count; i++) {
        print(i ? ", " : "[");
        json_double(numbers[i]);
    }
    print(count ? "]" : "[]");
}

/* Prints a member that lists the part's notes of the kinds from `first` to `last`. */
static void json_notes(const char *key, const part *p, note_kind first, note_kind last)
{
    const char *before = "";
    json_key(key);
    print("[");
    for (size_t i = 0; i < p->notes; i++) {
        if (p->note[i].kind < first || p->note[i].kind > last) continue;
        print("%s\n        {\"key\": ", before);
        json_string(p->note[i].key);
        print(", \"text\": ");
        json_string(p->note[i].text);
        print("}");
        before = ",";
    }
    print("]");
}

static void json_layers(const part *p)
{
    json_key("layers");
    if (!p->are_layers_known) {
        print("null");
        return;
    }
    print("[");
    for (size_t k = 0; k < p->layer_count; k++) print("%s%d", k ? ", " : "", (int)p->layers[k]);
    print("]");
}

static void json_rotation(const part *p)
{
    const pe_rope_config *const c = &p->rope;
    double sections[PE_MAX_AXES];
    json_number("head_dim", (double)c->head_dim);
    json_number("rotary_dim", (double)rotary_of(c));
    json_number("rotary_offset", (double)c->rotary_offset);
    json_number("rope_theta", c->rope_theta);
    json_text("rope_type", type_names[c->rope_type].report);
    json_text("pairs", pairs_of(p));
    json_text("pairs_of", p->is_gguf ? "gguf" : p->is_original ? "original" : "huggingface");
    json_key("rope_interleave");
    print(c->rope_interleave ? "true" : "false");
    for (size_t a = 0; a < c->axes && a < PE_MAX_AXES; a++) sections[a] = (double)section_of(p, a);
    if (c->axes > 1) {
        json_numbers("sections", sections, c->axes);
        json_text("section_order", order_of(p, 1));
    }
    if (p->is_backward) json_text("direction", "backward");
    json_number("attention_factor", attention_of(p));
    if (p->logits > 0) json_number("logits_factor", p->logits);
    if (!p->query_period) return;
    json_key("query_scale");
    print("{\"form\": \"%s\", \"beta\": ", p->query_form == PE_QUERY_SCALE_LOG ? "log" : "floor");
    json_double(p->query_beta);
    print(", \"period\": %zu, \"shift\": ", p->query_period);
    json_double(p->query_shift);
    print("}");
}

/* Prints one field of a config, unless it has its default `usual`. *before is printed first: ""
 * before the first field, then a comma. */
static void json_field(const char **before, const char *name, double x, double usual)
{
    if (x == usual) return;
    print("%s\"%s\": ", *before, name);
    json_double(x);
    *before = ", ";
}

static void json_list_field(const char **before, const char *name, const double *numbers,
                            size_t count)
{
    if (!numbers) return;
    print("%s\"%s\": ", *before, name);
    for (size_t i = 0; i < count; i++) print(i ? ", %.17g" : "[%.17g", numbers[i]);
    print("]");
    *before = ", ";
}

/* Prints the member "config" of a rotation: head_dim, rope_type and layout, and the other fields
 * that differ from pe_rope_config_default(). `pairs` is the length of the lists. */
static void json_rope_config(const part *p, size_t pairs)
{
    const pe_rope_config *const c = &p->rope;
    config_field fields[MOST_FIELDS];
    const size_t count = rope_fields(c, fields);
    const char *before = "";
    json_key("config");
    print("{\"head_dim\": %zu", c->head_dim);
    before = ", ";
    for (size_t k = 0; k < count; k++)
        json_field(&before, fields[k].name, fields[k].value, fields[k].usual);
    print(", \"rope_type\": \"%s\", \"layout\": \"%s\"", type_names[c->rope_type].config,
          c->layout == PE_LAYOUT_HALVES ? "halves" : "interleaved");
    json_list_field(&before, "short_factor", c->short_factor, pairs);
    json_list_field(&before, "long_factor", c->long_factor, pairs);
    for (size_t i = 0; c->freq_factors && i < pairs; i++)
        print(i ? ", %.9g" : ", \"freq_factors\": [%.9g", (double)c->freq_factors[i]);
    if (c->freq_factors) print("]");
    for (size_t i = 0; c->coordinate && i < pairs; i++)
        print(i ? ", %d" : ", \"coordinate\": [%d", (int)c->coordinate[i]);
    if (c->coordinate) print("], \"axes\": %d", (int)c->axes);
    for (size_t a = 0; !c->coordinate && c->axes > 1 && a < c->axes; a++)
        print(a ? ", %d" : ", \"sections\": [%d", (int)c->sections[a]);
    if (!c->coordinate && c->axes > 1) print("], \"section_order\": \"%s\"", order_of(p, 1));
    print("}");
}

/* Prints the member "config" of a sinusoidal encoding: all fields except expected_rows and those
 * for several axes. */
static void json_preset_config(const pe_config *c)
{
    json_key("config");
    print("{\"d_model\": %zu, \"base\": %.17g, \"amplitude\": %.17g, \"scale\": %.17g", c->d_model,
          c->base, c->amplitude, c->scale);
    print(", \"half_turns\": %d, \"offset\": %.17g, \"layout\": %d, \"cos_first\": %d",
          c->half_turns, c->offset, (int)c->layout, c->cos_first);
    print(", \"odd\": %d, \"exponent\": %d, \"exponent_shift\": %.17g, \"angle\": %d", (int)c->odd,
          (int)c->exponent, c->exponent_shift, (int)c->angle);
    print(", \"has_padding\": %d, \"padding_position\": %lld, \"multiple\": %zu}", c->has_padding,
          (long long)c->padding_position, c->multiple);
}

static void json_part(part *p)
{
    size_t pairs = 0;
    double *const omega = frequencies_of(p, &pairs);
    print("    {\n      \"name\": ");
    json_string(p->name);
    json_text("kind", kind_names[p->kind]);
    json_layers(p);
    json_notes("understood", p, NOTE_UNDERSTOOD, NOTE_UNDERSTOOD);
    json_notes("odd", p, NOTE_ODD, NOTE_ODD);
    json_notes("wrong", p, NOTE_GUESS, NOTE_WRONG);
    if (omega && p->kind == PART_ROPE) json_rotation(p);
    if (omega && p->kind == PART_ROPE && !p->omega) json_rope_config(p, pairs);
    if (omega && p->kind == PART_SINUSOIDAL && p->preset.axes == 1) json_preset_config(&p->preset);
    if (p->window) json_number("window", (double)p->window);
    for (size_t k = 0; k < p->quantity_count; k++)
        json_number(p->quantities[k].name, p->quantities[k].value);
    if (omega) {
        json_numbers("frequencies", omega, pairs);
        json_numbers("wavelengths", omega + pairs, pairs);
    }
    print("\n    }");
    free(omega);
}

#endif
