/* SPDX-License-Identifier: MIT */
/* Defines what is known of a GGUF file's model while its keys are translated to those of a
 * config.json. Has the functions that read a key of the GGUF file, write a key of the config, and
 * add a message about a key. To write a key is to add it to the list `config`. */
#ifndef TOOL_GGUF_MODEL_H
#define TOOL_GGUF_MODEL_H

#include "../files/gguf.h"
#include "gguf_types.h"

enum { GGUF_MOST_NOTES = 16, GGUF_MOST_LAYERS = 4096 };

/* Holds a message about a key of the GGUF file. finish_gguf() of gguf_file.h adds it as a note of
 * kind NOTE_UNREAD to the model's first part. A part (part.h) is a set of layers that share one
 * positional encoding. */
typedef struct gguf_note {
    char key[GGUF_MOST_NAME + 1]; /* the key in the GGUF file        */
    char text[320];               /* the message without the key */
} gguf_note;

/* Points to the elements of a list in the GGUF file, which are consecutive items. It is used for
 * lists that have one element per layer or per coordinate. */
typedef struct gguf_column {
    const item *first; /* the first element; not an element if count is 0 */
    size_t count;      /* the number of elements; 0: there is no list     */
} gguf_column;

/* Holds what is known of the model. A layer "with a window" attends only to the last positions. */
typedef struct gguf_model {
    const list *keys;              /* the items of the GGUF file; read_gguf() frees them        */
    list *config;                  /* the list to which the keys of the config.json are added   */
    const gguf_architecture *is;   /* its table entry in gguf_types.h; NULL: not in the table   */
    char name[GGUF_MOST_NAME + 1]; /* general.architecture, with which most keys begin; or ""   */
    size_t layers;                 /* the number of layers; 0: unknown                          */
    gguf_column patterns;          /* for each layer: not 0 if it has a window; may be no list  */
    gguf_column key_heads;         /* for each layer: its number of heads for keys, or no list  */
    /* For each layer of DeepSeek-V4, this is by how much the layer compresses its keys; 0: it does
     * not compress them. Other architectures have no such list. */
    gguf_column ratios;
    /* This is used with has_windows if `patterns` has no list. In each group of `period` layers,
     * all but the last one have a window; with is->is_first, all but the first one. Below 1, all
     * layers have a window. */
    double period;
    double interval;          /* n: layers n - 1, 2n - 1 ... have attention; below 1: no rule */
    double dense;             /* so many layers at the beginning have no mixture of experts */
    int has_windows;          /* 1: some or all layers have a window                        */
    int are_neighbours;       /* 1: the pairs are interleaved; 0: they are halves           */
    int is_latent;            /* 1: multi-head latent attention: part of each head rotates  */
    double head_dim;          /* elements of a head in layers without a window; 0: unknown  */
    double window_head_dim;   /* elements of a head in layers with a window                 */
    double rotary_dim;        /* elements that rotate, of head_dim; 0: unknown              */
    double window_rotary_dim; /* elements that rotate, of window_head_dim                   */
    size_t notes;             /* how many elements of `note` are in use                     */
    gguf_note note[GGUF_MOST_NOTES];
} gguf_model;

/* Lists keys of a config.json with the keys of a GGUF file that mean the same. Notes are about
 * keys of the config, and rename_gguf_key() of gguf_file.h replaces these by the keys that the
 * user's file has. */
static const struct gguf_name_pair {
    const char *config; /* the key of a config.json                                             */
    const char *gguf;   /* the key of a GGUF file; see GGUF_WHOLE_NAMES                        */
    const char *window; /* its key for the layers with a window; NULL if `gguf` is also theirs  */
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
/* The number of entries at the beginning of gguf_names[] whose keys are whole. In a GGUF file, the
 * other keys come after the name of the architecture, as in llama.rope.freq_base. */
enum { GGUF_WHOLE_NAMES = 4 };

/* Adds a message about a key, which is given as in the GGUF file. Once there are GGUF_MOST_NOTES
 * messages, further ones are dropped. */
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

/* Writes a key with the architecture before it to `full`: "llama.rope.freq_base" for
 * "rope.freq_base". Returns `full`. */
static const char *gguf_full(const gguf_model *m, const char *key, char full[GGUF_MOST_NAME + 1])
{
    snprintf(full, GGUF_MOST_NAME + 1, "%.120s.%.120s", m->name, key);
    return full;
}

/* Returns the item of a key, which is given without the architecture before it. Returns NULL if
 * the file does not have the key, or has a list there. */
static const item *gguf_item(const gguf_model *m, const char *key)
{
    char full[GGUF_MOST_NAME + 1];
    return list_find(m->keys, gguf_full(m, key, full));
}

/* Returns the number at a key, or `otherwise` if the file does not have the key. If its value is
 * not a number, adds a note and returns `otherwise`. */
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

/* Returns the number at a key whose value may also be a list with one number per layer. Of a
 * list, returns the first number above 0, since layers without attention have 0. Returns 0 if
 * there is none. */
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

/* Returns the list at a key. Its count is 0 if the file has no list there. */
static gguf_column gguf_find_column(const gguf_model *m, const char *key)
{
    char full[GGUF_MOST_NAME + 1];
    gguf_column c = {list_next(m->keys, gguf_full(m, key, full), NULL), 0};
    if (!c.first || c.first->path[strlen(full)] != '[') return c;
    const size_t remaining = m->keys->count - (size_t)(c.first - m->keys->items);
    while (c.count < remaining && is_beneath(c.first[c.count].path, full)) c.count++;
    return c;
}

/* Returns element k of a list, or NULL if the list is shorter. */
static const item *gguf_element(gguf_column c, size_t k)
{
    return k < c.count ? c.first + k : NULL;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Writes a key of the config with a string as its value. `path` is the object that has the key,
 * with its dot, such as "rope_parameters.", or "" for the config itself. */
static void gguf_put_text(gguf_model *m, const char *path, const char *key, const char *text)
{
    char full_name[2 * GGUF_MOST_NAME];
    snprintf(full_name, sizeof full_name, "%s%s", path, key);
    list_add(m->config, full_name, VALUE_STRING, 0, text, ORIGIN_FILE);
}

/* Writes a key of the config with a number as its value. `path` is as in gguf_put_text(). */
static void gguf_put_number(gguf_model *m, const char *path, const char *key, double number)
{
    char full_name[2 * GGUF_MOST_NAME], text[40];
    snprintf(full_name, sizeof full_name, "%s%s", path, key);
    snprintf(text, sizeof text, "%.15g", number);
    list_add(m->config, full_name, VALUE_NUMBER, number, text, ORIGIN_FILE);
}

static void gguf_put_true(gguf_model *m, const char *key)
{
    list_add(m->config, key, VALUE_BOOLEAN, 1, "true", ORIGIN_FILE);
}

/* Writes a key of the config with the value that the GGUF file has at the key `from`, which is
 * given without the architecture before it. Returns 1. Returns 0 if the file does not have the key
 * or has a list there, or if memory runs out. */
static int gguf_put_copy(gguf_model *m, const char *path, const char *key, const char *from)
{
    char full_name[2 * GGUF_MOST_NAME];
    const item *const i = gguf_item(m, from);
    snprintf(full_name, sizeof full_name, "%s%s", path, key);
    return i && list_add(m->config, full_name, i->kind, i->number, i->text, ORIGIN_FILE);
}

#endif
