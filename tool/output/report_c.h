/* SPDX-License-Identifier: MIT */
/* Prints parts as C: for each part a function that returns its config, or a comment if no config
 * can describe the part.
 *
 * A part (model/part.h) is a set of layers that share one positional encoding. */
#ifndef TOOL_REPORT_C_H
#define TOOL_REPORT_C_H

#include "fields.h"
#include "report_text.h"

#include <ctype.h>
#include <math.h>

/* Prints a number with the fewest digits that give this double exactly. A whole number below
 * 10^15 has no exponent. */
static void c_number(double x)
{
    char text[40];
    int digits = fabs(x) < 1e15 && x == floor(x) ? 15 : 6;
    do snprintf(text, sizeof text, "%.*g", digits, x);
    while (strtod(text, NULL) != x && digits++ < 17);
    print("%s", text);
}

/* Prints a static C array, which has the name of the config's field. `type` is the type of its
 * elements, and `values` are these elements as doubles. */
static void c_list(const char *type, const char *name, const double *values, size_t count)
{
    print("    static const %s %s[%zu] = {", type, name, count);
    for (size_t i = 0; i < count; i++) {
        print(i ? i % 8 ? ", " : ",\n        " : "\n        ");
        c_number(values[i]);
    }
    print("};\n");
}

/* Prints the lists of a rotation as static arrays. numbers[] is working memory, with room for one
 * double per pair. */
static void c_lists(const pe_rope_config *c, size_t pairs, double *numbers)
{
    if (c->short_factor) c_list("double", "short_factor", c->short_factor, pairs);
    if (c->long_factor) c_list("double", "long_factor", c->long_factor, pairs);
    for (size_t i = 0; c->freq_factors && i < pairs; i++) numbers[i] = (double)c->freq_factors[i];
    if (c->freq_factors) c_list("float", "freq_factors", numbers, pairs);
    for (size_t i = 0; c->coordinate && i < pairs; i++) numbers[i] = c->coordinate[i];
    if (c->coordinate) c_list("uint8_t", "coordinate", numbers, pairs);
}

/* Prints an assignment for each field that differs from its default. */
static void c_fields(const config_field *fields, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        if (fields[k].value == fields[k].usual) continue;
        print("    c.%s = ", fields[k].name);
        c_number(fields[k].value);
        print(";\n");
    }
}

static void c_rope(const part *p, size_t pairs)
{
    const pe_rope_config *const c = &p->rope;
    config_field fields[MOST_FIELDS];
    print("    pe_rope_config c = pe_rope_config_default(%zu);\n", c->head_dim);
    if (c->rope_type != PE_ROPE_DEFAULT)
        print("    c.rope_type = PE_ROPE_%s;\n", type_names[c->rope_type].c);
    c_fields(fields, rope_fields(c, fields));
    if (c->layout != PE_LAYOUT_HALVES) print("    c.layout = PE_LAYOUT_INTERLEAVED;\n");
    if (c->axes > 1) print("    c.axes = %zu;\n", c->axes);
    for (size_t a = 0; !c->coordinate && c->axes > 1 && a < c->axes; a++)
        print("    c.sections[%zu] = %zu;\n", a, c->sections[a]);
    if (!c->coordinate && c->axes > 1 && c->section_order)
        print("    c.section_order = PE_SECTIONS_%s;\n", names_of_order(c->section_order)->c);
    const struct {
        const char *name;
        int is_there;
    } lists[] = {{"short_factor", c->short_factor != NULL},
                 {"long_factor", c->long_factor != NULL},
                 {"freq_factors", c->freq_factors != NULL},
                 {"coordinate", c->coordinate != NULL}};
    for (size_t k = 0; k < TOOL_COUNT(lists); k++)
        if (lists[k].is_there)
            print("    c.%s = %s, c.%s_length = %zu;\n", lists[k].name, lists[k].name,
                  lists[k].name, pairs);
}

static void c_preset(const pe_config *c)
{
    config_field fields[MOST_FIELDS];
    print("    pe_config c = pe_config_default(%zu);\n", c->d_model);
    c_fields(fields, preset_fields(c, fields));
    if (c->layout != PE_LAYOUT_INTERLEAVED) print("    c.layout = PE_LAYOUT_HALVES;\n");
    if (c->odd != PE_ODD_SINE) print("    c.odd = PE_ODD_ZERO;\n");
    if (c->exponent != PE_EXPONENT_WIDTH)
        print("    c.exponent = PE_EXPONENT_%s;\n", name_of_exponent(c->exponent));
    if (c->angle != PE_ANGLE_EXACT) print("    c.angle = PE_ANGLE_FLOAT32;\n");
}

/* Prints comments about what the caller has to do besides using the config: rotate by minus the
 * position, and scale queries or logits. */
static void c_remarks(const part *p)
{
    if (p->is_backward) print("/* The model rotates by minus the position: pe_back(at). */\n");
    if (p->query_period) {
        print("/* Then each query times the factor of pe_rope_query_scale_f32(PE_QUERY_SCALE_%s, ",
              p->query_form == PE_QUERY_SCALE_LOG ? "LOG" : "FLOOR");
        c_number(p->query_beta);
        print(", %zu, ", p->query_period);
        c_number(p->query_shift);
        print(", at, tokens, factors). */\n");
    }
    if (p->logits > 0) {
        print("/* The model's own code multiplies logits by ");
        c_number(p->logits);
        print(", too. */\n");
    }
}

static void print_c(part *p)
{
    size_t pairs = 0;
    const int is_rope = p->kind == PART_ROPE;
    double *const omega = frequencies_of(p, &pairs); /* c_lists() later overwrites this array */
    print("/* %s: %s", p->name, kind_names[p->kind]);
    print_layers(p);
    if (is_rope && omega)
        print("; pairs of %s", p->is_gguf       ? "a GGUF file"
                               : p->is_original ? "the project's own weights"
                                                : "Hugging Face's weights");
    if (!omega || p->omega || !(is_rope || (p->kind == PART_SINUSOIDAL && p->preset.axes == 1))) {
        print(": no config%s */\n",
              p->kind == PART_SINUSOIDAL ? ", several axes: see pe_config_preset()"
              : p->omega ? ", frequencies of its own: see pe_plan_init_frequencies()"
                         : "");
        free(omega);
        return;
    }
    print(" */\n");
    c_remarks(p);
    print("static %s ", is_rope ? "pe_rope_config" : "pe_config");
    for (const char *name = p->name; *name; name++)
        print("%c", isalnum((unsigned char)*name) ? *name : '_');
    print("_config(void)\n{\n");
    if (is_rope) c_lists(&p->rope, pairs, omega);
    if (is_rope) c_rope(p, pairs);
    else c_preset(&p->preset);
    print("    return c;\n}\n");
    free(omega);
}

#endif
