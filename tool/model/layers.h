/* SPDX-License-Identifier: MIT */
/* Finds out how many layers a model has, of which kind each layer is ("full_attention",
 * "sliding_attention", "mamba" and so on), and which layers with attention do not rotate.
 *
 * A part (part.h) is a set of layers that share one positional encoding, and a note is a message
 * about a key. The table entry of a model type has defaults, which are the values of absent keys,
 * and facts, whose names begin with @ (type_line.h). A reader (keys.h) says in which config keys
 * are looked up, and which part gets the results. */
#ifndef TOOL_LAYERS_H
#define TOOL_LAYERS_H

#include "keys.h"
#include "known.h"

/* Returns element `layer` of the list at a key of the config, and marks it as read. Returns NULL if
 * the key has no list, or if the list is too short or has an object or a list as this element. */
static const item *at_layer(const reader *r, const char *key, size_t layer)
{
    char path[PATH_SIZE], name[PATH_SIZE + 32];
    join(path, r->outer, key);
    snprintf(name, sizeof name, "%s[%zu]", path, layer);
    const item *const i = list_find(r->m->file, name);
    if (i) mark(r->m, i);
    return i;
}

/* Returns the number of elements of the list at a key of the config. Returns 0 if the key has no
 * list, an empty one or one that is too long to be read (LIST_MOST_ELEMENTS). The elements must be
 * plain values, since each item beneath the list is counted. */
static size_t length_of(const reader *r, const char *key)
{
    char path[PATH_SIZE];
    size_t count = 0;
    join(path, r->outer, key);
    for (const item *i = list_next(r->m->file, path, NULL); i; i = list_next(r->m->file, path, i))
        count += strchr(i->path + strlen(path), '[') != NULL;
    return count;
}

/* Lists keys whose values are lists with one element per layer. count_layers() uses their lengths.
 * It does not use those of other such lists, for example layer_rope_theta and mlp_layer_types. */
static const char *const layer_lists[] = {"layer_types",     "layers_block_type",
                                          "no_rope_layers",  "hybrid_layer_pattern",
                                          "compress_ratios", "attn_type_list"};

/* Returns a number of layers that a key tells. Returns 0 and adds a note if it is above
 * MOST_LAYERS. */
static size_t limit_layers(const reader *r, const char *key, size_t count)
{
    if (count <= MOST_LAYERS) return count;
    say(r->out, NOTE_WRONG, key, "%zu: at most %d layers are read", count, (int)MOST_LAYERS);
    return 0;
}

/* Returns the number of layers, or 0 if it is unknown. It is the number at the key of the fact
 * @layers, or at a key of layer_count_keys[], in the file or as the type's default. Without these,
 * it is the length of the first list of layer_lists[] that the file has. Without such a list, it is
 * the number of letters of hybrid_override_pattern, one per layer.
 *
 * Adds a note and returns 0 if the number is above MOST_LAYERS. Does the same if a list of
 * layer_lists[] has fewer elements than the model has layers, since the kinds of the layers are
 * then unknown. Adds a note if a key of layer_lists[] has no list. */
static size_t count_layers(const reader *r)
{
    size_t count = 0;
    value v;
    size_of(r, "@layers", layer_count_keys, TOOL_COUNT(layer_count_keys), &count);
    if (count > MOST_LAYERS) return limit_layers(r, "num_hidden_layers", count);
    for (size_t k = 0; k < TOOL_COUNT(layer_lists); k++) {
        const size_t length = length_of(r, layer_lists[k]);
        /* No frequency depends on compress_ratios, so a list that is too short is only odd. */
        const int is_ratio = strcmp(layer_lists[k], "compress_ratios") == 0;
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
    if (pattern) count = strlen(pattern);
    return limit_layers(r, "hybrid_override_pattern", count);
}

/* Returns whether a number can be the period of a pattern of layers: a whole number from 1 to
 * MOST_LAYERS. */
static int is_period(double n) { return n >= 1 && n <= MOST_LAYERS && n == floor(n); }

/* Adds a note to each key of pattern_keys[] whose value is neither a period of layers nor a pattern
 * such as "LLLG". Does the same for no_rope_layer_interval if its value is no period. Otherwise
 * kind_by_pattern() and is_nope() would ignore the value, and the result would silently be
 * wrong. */
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

/* Adds a note to each list of keys[] that has an element other than a number or a boolean. */
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

/* Returns the number at a key, where true is 1 and false is 0, or else the default of the model
 * type. Returns 0 if there is neither, or if the value is of another type. Adds no note. */
static double number_or_usual(const reader *r, const char *key)
{
    value v;
    const item *const usual_n = usual_of(r, key);
    if (find(r, key, &v)) return v.entry ? v.entry->number : 0;
    return usual_n ? usual_n->number : 0;
}

/* Returns whether a layer has full attention because it is the last of num_hidden_layers layers and
 * the type has the fact @full=last (type_line.h). */
static int is_forced_full(const reader *r, size_t layer)
{
    return is_fact(r, "@full", "last") &&
           (double)layer + 1 == number_or_usual(r, "num_hidden_layers");
}

/* Returns the kind of a layer from the first key of pattern_keys[] that has a period or a pattern.
 * The value is the file's or, for an absent key, the type's default. With the period 6, layers 5,
 * 11 ... have full attention, unless the fact @full says otherwise; the rest are of the kind
 * pattern_key.others. With the pattern "LLLG", which repeats, layers with an L are of that kind.
 * Returns "" if there is no such key. */
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

/* Returns whether the list at a key of the config contains a number, and marks the list as read. */
static int is_listed(const reader *r, const char *key, size_t element)
{
    char path[PATH_SIZE];
    int is_there = 0;
    join(path, r->outer, key);
    for (const item *i = list_next(r->m->file, path, NULL); i; i = list_next(r->m->file, path, i)) {
        mark(r->m, i);
        is_there |= i->kind == VALUE_NUMBER && i->number == (double)element;
    }
    return is_there;
}

/* Returns the kind of a layer if the file has a list of the layers with attention, at a key of
 * index_keys[]. Layers in the list have full attention, and the others have linear attention.
 * Returns NULL if there is no such list. */
static const char *kind_by_index(const reader *r, size_t layer)
{
    for (size_t k = 0; k < TOOL_COUNT(index_keys); k++)
        if (length_of(r, index_keys[k].key))
            return is_listed(r, index_keys[k].key, layer + index_keys[k].first)
                       ? "full_attention"
                       : "linear_attention";
    return NULL;
}

/* Returns whether the model has a sliding window: sliding_window is in the file and not null, or it
 * is absent and the type has a default for it. In some types, whether a layer rotates depends on
 * this. */
static int has_window(const reader *r)
{
    char path[PATH_SIZE];
    join(path, r->outer, "sliding_window");
    const item *const entry = list_next(r->m->file, path, NULL);
    return entry ? entry->kind != VALUE_NULL || strcmp(entry->path, path) != 0
                 : usual_of(r, "sliding_window") != NULL;
}

/* Returns the kind of a layer for types with the fact @windows, such as Qwen's: whether a layer is
 * sliding depends on its index and max_window_layers. Returns NULL for other types, if the model
 * has no window, or if use_sliding_window is not true. */
static const char *kind_by_window(const reader *r, size_t layer)
{
    const item *const windows = usual_of(r, "@windows");
    const double window_layers = number_or_usual(r, "max_window_layers");
    if (!windows || number_or_usual(r, "use_sliding_window") == 0 || !has_window(r)) return NULL;
    const int is_sliding = strcmp(windows->text, "from") == 0
                               ? (double)layer >= window_layers
                               : (double)layer < window_layers && layer % 2 == 0;
    return is_sliding ? "sliding_attention" : "full_attention";
}

/* Returns the kind of a layer, or "" if nothing says it. These are tested in the order of
 * precedence:
 *
 *     the list cross_attention_layers, if the layer is in it
 *     a list with one element per layer: layer_types, layers_block_type, hybrid_layer_pattern,
 *         compress_ratios, attn_type_list
 *     the letters of hybrid_override_pattern
 *     a list of the layers with attention: index_keys[]
 *     block_types, a list that repeats
 *     the fact @windows
 *     a period or a pattern such as "LLLG": pattern_keys[]
 *
 * With @full=last, the last layer has full attention, whatever layer_types and layers_block_type
 * say. */
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

/* Returns whether a layer rotates although its kind does not, because it is dense, that is, has no
 * mixture of experts. This is so only in types with the fact @forced. The list mlp_layer_types says
 * which layers are dense. Without it, they are the first ones, as many as the key says that @forced
 * names. */
static int is_forced(const reader *r, size_t layer)
{
    const item *const forced = usual_of(r, "@forced");
    const item *const kind = at_layer(r, "mlp_layer_types", layer);
    if (!forced) return 0;
    return kind ? strcmp(kind->text, "dense") == 0
                : (double)layer < number_or_usual(r, forced->text);
}

/* Returns whether a layer of the kind `kind`, which has attention, does not rotate. If the lists
 * layer_rope_theta or no_rope_layers have an element for the layer, the first of the two decides: 0
 * or null in layer_rope_theta, or 0 in no_rope_layers, means no rotation. Otherwise layers of a
 * kind of @still_kinds do not rotate. In a model with a window, layers of the kind of @nope rotate
 * only if is_forced() says so. Finally, with no_rope_layer_interval n, layers n - 1, 2n - 1 ... do
 * not rotate. */
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
