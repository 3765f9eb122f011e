/* SPDX-License-Identifier: MIT */
/* Which layers a model has, and of which kind each is: "full_attention", "sliding_attention",
 * "mamba" ... */
#ifndef TOOL_LAYERS_H
#define TOOL_LAYERS_H

#include "keys.h"
#include "known.h"

/* The value of a list at a layer, as long as there is one. */
static const item *at_layer(const reader *r, const char *key, size_t layer)
{
    char path[PATH_SIZE], name[PATH_SIZE + 32];
    join(path, r->outer, key);
    snprintf(name, sizeof name, "%s[%zu]", path, layer);
    const item *const i = list_find(r->m->file, name);
    if (i) mark(r->m, i);
    return i;
}

static size_t length_of(const reader *r, const char *key)
{
    char path[PATH_SIZE];
    size_t count = 0;
    join(path, r->outer, key);
    for (const item *i = list_next(r->m->file, path, NULL); i; i = list_next(r->m->file, path, i))
        count += strchr(i->path + strlen(path), '[') != NULL;
    return count;
}

static const char *const layer_lists[] = {"layer_types",     "layers_block_type",
                                          "no_rope_layers",  "hybrid_layer_pattern",
                                          "compress_ratios", "attn_type_list"};

/* How many layers there are, by their number or the lists that have one value a layer; 0:
 * unknown. */
static size_t count_layers(const reader *r)
{
    size_t count = 0;
    value v;
    size_of(r, "@layers", layer_count_keys, TOOL_COUNT(layer_count_keys), &count);
    if (count > MOST_LAYERS) {
        say(r->out, NOTE_WRONG, "num_hidden_layers", "%zu: at most %d layers are read", count,
            (int)MOST_LAYERS);
        return 0;
    }
    for (size_t k = 0; k < TOOL_COUNT(layer_lists); k++) {
        const size_t length = length_of(r, layer_lists[k]);
        const int is_ratio =
            strcmp(layer_lists[k], "compress_ratios") == 0; /* numbers do not depend on it */
        if (look_up(r, r->outer, layer_lists[k], &v) &&
            (v.entry ? strcmp(v.entry->text, "[]") != 0 : is_object(r->m, v.path)))
            wrong_type(r, &v, "a list");
        if (length == 0 || length > MOST_LAYERS) continue;
        if (!count) count = length;
        if (length < count)
            say(r->out, is_ratio ? NOTE_ODD : NOTE_UNREAD, layer_lists[k],
                "%zu values for %zu layers: which layer is of which kind is not told", length,
                count);
        if (length < count) return 0;
    }
    const char *const pattern = count ? NULL : string(r, "hybrid_override_pattern", &v);
    if (pattern && strlen(pattern) <= MOST_LAYERS) count = strlen(pattern);
    return count;
}

static int is_period(double n) { return n >= 1 && n <= MOST_LAYERS && n == floor(n); }

/* A period that is none would say nothing of the layers. */
static void judge_periods(const reader *r)
{
    value v;
    for (size_t k = 0; k <= TOOL_COUNT(pattern_keys); k++) {
        const int is_pattern = k < TOOL_COUNT(pattern_keys);
        if (!find(r, is_pattern ? pattern_keys[k].key : "no_rope_layer_interval", &v)) continue;
        const int is_text = is_pattern && v.entry && v.entry->kind == VALUE_STRING &&
                            v.entry->text[0] && v.entry->text[strspn(v.entry->text, "LG")] == '\0';
        if (!is_text && !(v.entry && v.entry->kind == VALUE_NUMBER && is_period(v.entry->number)))
            wrong_type(r, &v, "a whole number of layers");
    }
}

/* Lists of numbers with a value a layer. */
static void judge_numbers(const reader *r)
{
    static const char *const keys[] = {"no_rope_layers", "hybrid_layer_pattern", "compress_ratios",
                                       "attn_type_list"};
    for (size_t k = 0; k < TOOL_COUNT(keys); k++)
        for (size_t i = 0, count = length_of(r, keys[k]); i < count; i++) {
            const item *const entry = at_layer(r, keys[k], i);
            if (entry && (entry->kind == VALUE_NUMBER || entry->kind == VALUE_BOOLEAN)) continue;
            say(r->out, NOTE_WRONG, keys[k], "a list of numbers is wanted: see that of layer %zu",
                i);
            break;
        }
}

/* A number, or true, without a note. */
static double number_or_usual(const reader *r, const char *key)
{
    value v;
    const item *const usual_n = usual_of(r, key);
    if (find(r, key, &v)) return v.entry ? v.entry->number : 0;
    return usual_n ? usual_n->number : 0;
}

/* Returns whether a layer is full because it is the last one. */
static int is_forced_full(const reader *r, size_t layer)
{
    return is_fact(r, "@full", "last") &&
           (double)layer + 1 == number_or_usual(r, "num_hidden_layers");
}

/* By a period: "sliding_window_pattern": 6, or "LLLG". */
static const char *kind_by_pattern(const reader *r, size_t layer)
{
    const item *const full = usual_of(r, "@full");
    for (size_t k = 0; k < TOOL_COUNT(pattern_keys); k++) {
        double n = 0;
        value v;
        const item *const usual_n = usual_of(r, pattern_keys[k].key);
        if (find(r, pattern_keys[k].key, &v)) {
            if (!v.entry) continue;
            if (v.entry->kind == VALUE_STRING && v.entry->text[0])
                return v.entry->text[layer % strlen(v.entry->text)] == 'L' ? pattern_keys[k].others
                                                                           : "full_attention";
            n = v.entry->kind == VALUE_NUMBER ? v.entry->number : 0;
        } else if (usual_n) n = usual_n->number;
        if (!is_period(n)) continue;
        const size_t period = (size_t)n;
        const int is_first = full && strcmp(full->text, "first") == 0;
        const int is_also_first = full && strcmp(full->text, "also_first") == 0;
        const size_t index = is_first ? layer : layer + 1;
        const int is_whole = (is_also_first && layer == 0) || is_forced_full(r, layer);
        return index % period == 0 || is_whole ? "full_attention" : pattern_keys[k].others;
    }
    return "";
}

static int is_listed(const reader *r, const char *key, size_t layer)
{
    char path[PATH_SIZE];
    int is_there = 0;
    join(path, r->outer, key);
    for (const item *i = list_next(r->m->file, path, NULL); i; i = list_next(r->m->file, path, i)) {
        mark(r->m, i);
        is_there |= i->kind == VALUE_NUMBER && i->number == (double)layer;
    }
    return is_there;
}

/* By a list of the layers with attention; NULL if there is none. */
static const char *kind_by_index(const reader *r, size_t layer)
{
    for (size_t k = 0; k < TOOL_COUNT(index_keys); k++)
        if (length_of(r, index_keys[k].key))
            return is_listed(r, index_keys[k].key, layer + index_keys[k].first)
                       ? "full_attention"
                       : "linear_attention";
    return NULL;
}

/* Whether the model has a sliding window: some types rotate everywhere without one. */
static int has_window(const reader *r)
{
    char path[PATH_SIZE];
    join(path, r->outer, "sliding_window");
    const item *const entry = list_next(r->m->file, path, NULL);
    return entry ? entry->kind != VALUE_NULL || strcmp(entry->path, path) != 0
                 : usual_of(r, "sliding_window") != NULL;
}

/* Qwen's windows, if it has any: by the number of the layer. NULL for others. */
static const char *kind_by_window(const reader *r, size_t layer)
{
    const item *const windows = usual_of(r, "@windows");
    const double layer_count = number_or_usual(r, "max_window_layers");
    if (!windows || number_or_usual(r, "use_sliding_window") == 0 || !has_window(r)) return NULL;
    const int is_sliding = strcmp(windows->text, "from") == 0
                               ? (double)layer >= layer_count
                               : (double)layer < layer_count && layer % 2 == 0;
    return is_sliding ? "sliding_attention" : "full_attention";
}

/* The kind of a layer, "" if nothing says it. */
static const char *kind_of_layer(const reader *r, size_t layer)
{
    const item *i = at_layer(r, "layer_types", layer);
    value v;
    if (is_listed(r, "cross_attention_layers", layer)) return "cross_attention";
    if (!i) i = at_layer(r, "layers_block_type", layer);
    if (i && is_forced_full(r, layer)) return "full_attention";
    if (i) return strcmp(i->text, "attention") == 0 ? "full_attention" : i->text;
    if ((i = at_layer(r, "hybrid_layer_pattern", layer)) != NULL)
        return i->number != 0 ? "sliding_attention" : "full_attention";
    if ((i = at_layer(r, "compress_ratios", layer)) != NULL)
        return i->number != 0 ? "compressed_attention" : "sliding_attention";
    if ((i = at_layer(r, "attn_type_list", layer)) != NULL)
        return i->number != 0 ? "full_attention" : "linear_attention";
    const char *const pattern = string(r, "hybrid_override_pattern", &v);
    if (pattern && layer < strlen(pattern))
        return pattern[layer] == '*' ? "full_attention" : pattern[layer] == 'M' ? "mamba" : "mlp";
    const char *const by_index = kind_by_index(r, layer);
    if (by_index) return by_index;
    const size_t period = length_of(r, "block_types");
    if (period && (i = at_layer(r, "block_types", layer % period)) != NULL)
        return strcmp(i->text, "attention") == 0 ? "full_attention" : i->text;
    const char *const by_window = kind_by_window(r, layer);
    return by_window ? by_window : kind_by_pattern(r, layer);
}

/* Returns whether a layer rotates although its kind does not: a dense one, by @forced, whose key says
 * how many dense layers come first. */
static int is_forced(const reader *r, size_t layer)
{
    const item *const forced = usual_of(r, "@forced");
    const item *const kind = at_layer(r, "mlp_layer_types", layer);
    if (!forced) return 0;
    return kind ? strcmp(kind->text, "dense") == 0
                : (double)layer < number_or_usual(r, forced->text);
}

/* Whether an attention layer rotates nothing. */
static int is_nope(const reader *r, size_t layer, const char *kind)
{
    const item *const entry = at_layer(r, "no_rope_layers", layer);
    const item *const nope = usual_of(r, "@nope");
    const item *const usual_n = usual_of(r, "no_rope_layer_interval");
    value v;
    double n = usual_n ? usual_n->number : 0;
    const item *const theta = at_layer(r, "layer_rope_theta", layer);
    if (theta)
        return theta->kind == VALUE_NULL || (theta->kind == VALUE_NUMBER && theta->number == 0);
    if (entry) return entry->number == 0;
    if (is_in_fact(r, "@still_kinds", kind)) return 1;
    if (nope && has_window(r) && strcmp(kind, nope->text) == 0) return !is_forced(r, layer);
    if (find(r, "no_rope_layer_interval", &v) && v.entry && v.entry->kind == VALUE_NUMBER)
        n = v.entry->number;
    return n >= 1 && n <= MOST_LAYERS && (layer + 1) % (size_t)n == 0;
}

#endif
