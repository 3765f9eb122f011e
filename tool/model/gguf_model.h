/* SPDX-License-Identifier: MIT */
/* A model of a GGUF file while its keys become those of a config.json: what is known of it, how a
 * key is read and written, and notes. */
#ifndef TOOL_GGUF_MODEL_H
#define TOOL_GGUF_MODEL_H

#include "../files/gguf.h"
#include "gguf_types.h"

enum { GGUF_MOST_NOTES = 16, GGUF_MOST_LAYERS = 4096 };

/* Holds a message about a key of the file. Each becomes a NOTE_UNREAD of the first part. */
typedef struct gguf_note {
    char key[GGUF_MOST_NAME + 1], text[320];
} gguf_note;

/* A list of the file, whose elements are one after another. */
typedef struct gguf_column {
    const item *first;
    size_t count;
} gguf_column;

/* What a file says. notes: each of them changes numbers. */
typedef struct gguf_model {
    const list *keys;
    list *config;
    const gguf_architecture *is; /* of gguf_types.h; NULL: unknown                             */
    char name[GGUF_MOST_NAME + 1];
    size_t layers;
    gguf_column patterns, key_heads, ratios; /* by layer                                       */
    double period, interval,
        dense; /* of layers: see gguf_types.h; how many dense ones come first */
    int has_windows, are_neighbours;
    int is_latent; /* MLA, whose heads have a part that rotates                                */
    double head_dim, window_head_dim, rotary_dim, window_rotary_dim; /* 0: unknown             */
    size_t notes;
    gguf_note note[GGUF_MOST_NOTES];
} gguf_model;

/* This table has the keys of a config.json and of a GGUF file that mean the same, so that messages can name
 * the user's key. */
static const struct gguf_name_pair {
    const char *config; /* the key of a config.json                                             */
    const char *gguf;   /* the key of a GGUF file                                               */
    const char *window; /* its key for the layers with a window; NULL if they share the other   */
} gguf_names[] = {
    {"model_type", "general.architecture", NULL},
    {"freq_factors", "rope_freqs.weight", NULL},
    {"short_factor", "rope_factors_short.weight", NULL},
    {"long_factor", "rope_factors_long.weight", NULL},
    {"rope_theta", "rope.freq_base", "rope.freq_base_swa"},
    {"head_dim", "attention.key_length", "attention.key_length_swa"},
    {"rotary_dim", "rope.dimension_count", "rope.dimension_count_swa"},
    {"qk_rope_head_dim", "rope.dimension_count", NULL},
    {"rope_type", "rope.scaling.type", NULL},
    {"factor", "rope.scaling.factor", NULL},
    {"original_max_position_embeddings", "rope.scaling.original_context_length", NULL},
    {"max_position_embeddings", "context_length", NULL},
    {"attention_factor", "rope.scaling.attn_factor", NULL},
    {"mscale", "rope.scaling.yarn_log_multiplier", NULL},
    {"mscale_all_dim", "rope.scaling.yarn_log_multiplier", NULL},
    {"beta_fast", "rope.scaling.yarn_beta_fast", NULL},
    {"beta_slow", "rope.scaling.yarn_beta_slow", NULL},
    {"mrope_section", "rope.dimension_sections", NULL},
    {"sliding_window", "attention.sliding_window", NULL},
    {"layer_types", "attention.sliding_window_pattern", NULL},
    {"num_hidden_layers", "block_count", NULL},
};
enum { GGUF_WHOLE_NAMES = 4 }; /* the first ones; the others begin with the architecture's */

static void gguf_say(gguf_model *m, const char *key, const char *format, ...)
{
    if (m->notes == GGUF_MOST_NOTES) return;
    gguf_note *const n = &m->note[m->notes++];
    va_list arguments;
    va_start(arguments, format);
    snprintf(n->key, sizeof n->key, "%s", key);
    vsnprintf(n->text, sizeof n->text, format, arguments);
    va_end(arguments);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Returns a key with the architecture before it: "llama.rope.freq_base" for "rope.freq_base". */
static const char *gguf_full(const gguf_model *m, const char *key, char full[GGUF_MOST_NAME + 1])
{
    snprintf(full, GGUF_MOST_NAME + 1, "%.120s.%.120s", m->name, key);
    return full;
}

static const item *gguf_item(const gguf_model *m, const char *key)
{
    char full[GGUF_MOST_NAME + 1];
    return list_find(m->keys, gguf_full(m, key, full));
}

/* A number that is there, or a default. Another type is a note. */
static double gguf_number(gguf_model *m, const char *key, double otherwise)
{
    char full[GGUF_MOST_NAME + 1];
    const item *const i = list_next(m->keys, gguf_full(m, key, full), NULL);
    if (!i) return otherwise;
    const int is_list = i->path[strlen(full)] != '\0';
    if (i->kind == VALUE_NUMBER && !is_list) return i->number;
    gguf_say(m, full, "a number is wanted, not %.60s", is_list ? "a list" : i->text);
    return otherwise;
}

/* The first element of a list by layers that is above 0, or the number. */
static double gguf_heads(gguf_model *m, const char *key)
{
    char full[GGUF_MOST_NAME + 1];
    double heads = 0;
    const item *i = NULL;
    if (gguf_item(m, key)) return gguf_number(m, key, 0);
    gguf_full(m, key, full);
    while (!(heads > 0) && (i = list_next(m->keys, full, i)) != NULL)
        heads = i->kind == VALUE_NUMBER ? i->number : 0;
    return heads;
}

static gguf_column gguf_find_column(const gguf_model *m, const char *key)
{
    char full[GGUF_MOST_NAME + 1];
    gguf_column c = {list_next(m->keys, gguf_full(m, key, full), NULL), 0};
    if (!c.first || c.first->path[strlen(full)] != '[') return c;
    const size_t remaining = m->keys->count - (size_t)(c.first - m->keys->items);
    while (c.count < remaining && is_beneath(c.first[c.count].path, full)) c.count++;
    return c;
}

/* Element k of a list, or NULL. */
static const item *gguf_element(gguf_column c, size_t k)
{
    return k < c.count ? c.first + k : NULL;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void gguf_put_text(gguf_model *m, const char *path, const char *key, const char *text)
{
    char full_name[2 * GGUF_MOST_NAME];
    snprintf(full_name, sizeof full_name, "%s%s", path, key);
    list_add(m->config, full_name, VALUE_STRING, 0, text, 0);
}

static void gguf_put_number(gguf_model *m, const char *path, const char *key, double number)
{
    char full_name[2 * GGUF_MOST_NAME], text[40];
    snprintf(full_name, sizeof full_name, "%s%s", path, key);
    snprintf(text, sizeof text, "%.15g", number);
    list_add(m->config, full_name, VALUE_NUMBER, number, text, 0);
}

static void gguf_put_true(gguf_model *m, const char *key)
{
    list_add(m->config, key, VALUE_BOOLEAN, 1, "true", 0);
}

/* A key as it is. Returns 1 if the file has it. */
static int gguf_put_copy(gguf_model *m, const char *path, const char *key, const char *from)
{
    char full_name[2 * GGUF_MOST_NAME];
    const item *const i = gguf_item(m, from);
    snprintf(full_name, sizeof full_name, "%s%s", path, key);
    return i && list_add(m->config, full_name, i->kind, i->number, i->text, 0);
}

#endif
