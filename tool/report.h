/* SPDX-License-Identifier: MIT */
/* Parts as text for people and as JSON for programs; the plan of a part. */
#ifndef TOOL_REPORT_H
#define TOOL_REPORT_H

#include "part.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

static const char *const type_names[PE_ROPE_TYPE_COUNT] = {
    "default", "linear", "ntk-aware", "ntk",          "dynamic",
    "llama3",  "yarn",   "longrope",  "proportional",
};

/* A plan of a part, in memory that the caller frees; NULL, and a note, if there is none. */
static void *plan_of(part *p, pe_plan *plan)
{
    if (p->is_unread || count_notes(p, NOTE_WRONG)) return NULL;
    const size_t size = p->is_preset ? pe_plan_size(&p->preset) : pe_rope_plan_size(&p->rope);
    void *const memory = size ? malloc(size) : NULL;
    if (!memory) {
        say(p, NOTE_WRONG, p->is_preset ? "d_model" : "head_dim",
            "its plan does not fit in memory: %zu bytes", size);
        return NULL;
    }
    const pe_status status = p->is_preset ? pe_plan_init(plan, &p->preset, memory, size)
                                          : pe_rope_plan_init(plan, &p->rope, memory, size);
    if (status == PE_OK) return memory;
    say(p, NOTE_WRONG, "plan", "%s", pe_status_string(status));
    free(memory);
    return NULL;
}

/* Frequencies, then wavelengths, allocated; NULL without a plan. */
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
    }
    free(memory);
    return omega;
}

static double attention_of(const part *p)
{
    double factor = 1;
    double *const omega = (double *)malloc((p->rope.head_dim / 2 + 1) * sizeof *omega);
    if (omega && pe_rope_frequencies(&p->rope, omega, &factor) != PE_OK) factor = 0;
    free(omega);
    return factor;
}

static void print_notes(const part *p, note_kind kind, const char *word)
{
    for (size_t i = 0; i < p->notes; i++)
        if (p->note[i].kind == kind)
            printf("  %-6s%-42s %s\n", word, p->note[i].key, p->note[i].text);
}

static void print_part(part *p)
{
    size_t pairs = 0;
    double *const omega = frequencies_of(p, &pairs);
    printf("%s: %s\n", p->name,
           p->is_preset   ? "a sinusoidal encoding"
           : p->is_unread ? "not read"
                          : "RoPE");
    print_notes(p, NOTE_UNDERSTOOD, "");
    print_notes(p, NOTE_ODD, "odd");
    print_notes(p, NOTE_WRONG, "WRONG");
    if (omega && !p->is_preset) {
        printf("  rotates %zu of %zu elements, rope_type %s, pairs are %s\n", 2 * pairs,
               p->rope.head_dim, type_names[p->rope.rope_type],
               p->rope.rope_interleave              ? "read adjacent and written as halves"
               : p->rope.layout == PE_LAYOUT_HALVES ? "halves"
                                                    : "neighbours");
        printf("  cosine and sine times %.17g, the attention factor\n", attention_of(p));
        if (p->logits > 0) printf("  logits also times %.9g, by the model's own code\n", p->logits);
        if (p->query_period)
            printf(
                p->query_form == PE_QUERY_SCALE_LOG
                    ? "  queries times max(1, 1 + %.15g ln((p + %g) / %zu)): PE_QUERY_SCALE_LOG\n"
                    : "  queries times 1 + %.15g ln(1 + floor((p + %g) / %zu)): "
                      "PE_QUERY_SCALE_FLOOR\n",
                p->query_beta, p->query_shift, p->query_period);
    }
    if (omega) printf("  pair               frequency              wavelength\n");
    for (size_t i = 0; omega && i < pairs; i++)
        printf("  %4zu  %22.17g  %22.17g\n", i, omega[i], omega[pairs + i]);
    free(omega);
}

/* cJSON rounds numbers to 15 digits where that is nearly right. */
static cJSON *exact_number(double x)
{
    char text[32];
    snprintf(text, sizeof text, "%.17g", x);
    return isfinite(x) ? cJSON_CreateRaw(text) : cJSON_CreateNull();
}

static void json_numbers(cJSON *object, const char *key, const double *numbers, size_t count)
{
    cJSON *const array = cJSON_AddArrayToObject(object, key);
    for (size_t i = 0; i < count; i++)
        cJSON_AddItemToArray(array, exact_number(numbers[i]));
}

static void json_notes(cJSON *object, const char *key, const part *p, note_kind kind)
{
    cJSON *const array = cJSON_AddArrayToObject(object, key);
    for (size_t i = 0; i < p->notes; i++) {
        if (p->note[i].kind != kind) continue;
        cJSON *const item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "key", p->note[i].key);
        cJSON_AddStringToObject(item, "text", p->note[i].text);
        cJSON_AddItemToArray(array, item);
    }
}

/* Which pairs rotate by which coordinate: see pe_sections. */
static void json_sections(cJSON *object, const pe_rope_config *c)
{
    static const char *const orders[] = {"blocks", "interleaved", "vision"};
    cJSON *const array = cJSON_AddArrayToObject(object, "sections");
    for (size_t a = 0; a < c->axes; a++)
        cJSON_AddItemToArray(array, cJSON_CreateNumber((double)c->sections[a]));
    cJSON_AddStringToObject(object, "section_order", orders[c->section_order]);
}

static cJSON *json_part(part *p)
{
    size_t pairs = 0;
    double *const omega = frequencies_of(p, &pairs);
    cJSON *const object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", p->name);
    json_notes(object, "understood", p, NOTE_UNDERSTOOD);
    json_notes(object, "odd", p, NOTE_ODD);
    json_notes(object, "wrong", p, NOTE_WRONG);
    if (omega && !p->is_preset) {
        cJSON_AddNumberToObject(object, "head_dim", (double)p->rope.head_dim);
        cJSON_AddNumberToObject(object, "rotary_dim", (double)(2 * pairs));
        cJSON_AddStringToObject(object, "rope_type", type_names[p->rope.rope_type]);
        cJSON_AddStringToObject(object, "pairs",
                                p->rope.layout == PE_LAYOUT_HALVES ? "halves" : "neighbours");
        cJSON_AddBoolToObject(object, "rope_interleave", p->rope.rope_interleave);
        if (p->rope.axes > 1) json_sections(object, &p->rope);
        cJSON_AddItemToObject(object, "attention_factor", exact_number(attention_of(p)));
        if (p->logits > 0) cJSON_AddItemToObject(object, "logits_factor", exact_number(p->logits));
        if (p->query_period) {
            cJSON *const scale = cJSON_AddObjectToObject(object, "query_scale");
            cJSON_AddStringToObject(scale, "form",
                                    p->query_form == PE_QUERY_SCALE_LOG ? "log" : "floor");
            cJSON_AddItemToObject(scale, "beta", exact_number(p->query_beta));
            cJSON_AddItemToObject(scale, "period", exact_number((double)p->query_period));
            cJSON_AddItemToObject(scale, "shift", exact_number(p->query_shift));
        }
    }
    if (omega) {
        json_numbers(object, "frequencies", omega, pairs);
        json_numbers(object, "wavelengths", omega + pairs, pairs);
    }
    free(omega);
    return object;
}

#endif
