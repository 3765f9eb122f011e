/* SPDX-License-Identifier: MIT */
/* Parts as JSON for programs, by the schema of docs/tool.md. */
#ifndef TOOL_REPORT_JSON_H
#define TOOL_REPORT_JSON_H

#include "report.h"

#include <math.h>

static void json_string(const char *text)
{
    putchar('"');
    for (const char *c = text; *c; c++)
        if (*c == '"' || *c == '\\')
            printf("\\%c", *c);
        else if ((unsigned char)*c < 0x20)
            printf("\\u%04x", (unsigned)(unsigned char)*c);
        else
            putchar(*c);
    putchar('"');
}

/* Each member but the first of an object begins with a comma. */
static void json_key(const char *key) { printf(",\n      \"%s\": ", key); }

static void json_text(const char *key, const char *text)
{
    json_key(key);
    json_string(text);
}

static void json_double(double x)
{
    if (isfinite(x))
        printf("%.17g", x);
    else
        printf("null");
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
        printf(i ? ", " : "[");
        json_double(numbers[i]);
    }
    printf(count ? "]" : "[]");
}

/* Notes from one kind to another. */
static void json_notes(const char *key, const part *p, note_kind first, note_kind last)
{
    const char *before = "";
    json_key(key);
    printf("[");
    for (size_t i = 0; i < p->notes; i++) {
        if (p->note[i].kind < first || p->note[i].kind > last) continue;
        printf("%s\n        {\"key\": ", before);
        json_string(p->note[i].key);
        printf(", \"text\": ");
        json_string(p->note[i].text);
        printf("}");
        before = ",";
    }
    printf("]");
}

static void json_layers(const part *p)
{
    json_key("layers");
    if (!p->are_layers_known) {
        printf("null");
        return;
    }
    printf("[");
    for (size_t k = 0; k < p->layer_count; k++)
        printf("%s%d", k ? ", " : "", (int)p->layers[k]);
    printf("]");
}

static void json_rotation(const part *p, size_t pairs)
{
    static const char *const orders[] = {"blocks", "interleaved", "vision"};
    const pe_rope_config *const c = &p->rope;
    double sections[PE_MAX_AXES];
    json_number("head_dim", (double)c->head_dim);
    json_number("rotary_dim", (double)(2 * pairs));
    json_number("rotary_offset", (double)c->rotary_offset);
    json_number("rope_theta", c->rope_theta);
    json_text("rope_type", type_names[c->rope_type]);
    json_text("pairs", pairs_of(p));
    json_text("pairs_of", p->is_gguf ? "gguf" : "huggingface");
    json_key("rope_interleave");
    printf(c->rope_interleave ? "true" : "false");
    for (size_t a = 0; a < c->axes && a < PE_MAX_AXES; a++)
        sections[a] = (double)(c->coordinate ? p->sections : c->sections)[a];
    if (c->axes > 1) {
        json_numbers("sections", sections, c->axes);
        json_text("section_order",
                  orders[c->coordinate ? PE_SECTIONS_INTERLEAVED : c->section_order]);
    }
    json_number("attention_factor", attention_of(p));
    if (p->logits > 0) json_number("logits_factor", p->logits);
    if (!p->query_period) return;
    json_key("query_scale");
    printf("{\"form\": \"%s\", \"beta\": ", p->query_form == PE_QUERY_SCALE_LOG ? "log" : "floor");
    json_double(p->query_beta);
    printf(", \"period\": %zu, \"shift\": ", p->query_period);
    json_double(p->query_shift);
    printf("}");
}

static void json_part(part *p)
{
    size_t pairs = 0;
    double *const omega = frequencies_of(p, &pairs);
    printf("    {\n      \"name\": ");
    json_string(p->name);
    json_text("kind", kind_names[p->kind]);
    json_layers(p);
    json_notes("understood", p, NOTE_UNDERSTOOD, NOTE_UNDERSTOOD);
    json_notes("odd", p, NOTE_ODD, NOTE_ODD);
    json_notes("wrong", p, NOTE_UNREAD, NOTE_WRONG);
    if (omega && p->kind == PART_ROPE) json_rotation(p, pairs);
    if (p->window) json_number("window", (double)p->window);
    for (size_t k = 0; k < p->facts; k++)
        json_number(p->fact[k].name, p->fact[k].value);
    if (omega) {
        json_numbers("frequencies", omega, pairs);
        json_numbers("wavelengths", omega + pairs, pairs);
    }
    printf("\n    }");
    free(omega);
}

#endif
