/* SPDX-License-Identifier: MIT */
/* Finds the labels of a config and the layers of each label. A label (width.h) describes layers
 * that share a rotation; each label becomes a part. A config has several labels if its kinds of
 * layers, such as full and sliding attention, rotate differently.
 *
 * A part (part.h) is a set of layers that share one positional encoding, and a note is a message
 * about a key. The table entry of a model type has defaults, which are the values of absent keys,
 * and facts, whose names begin with @ (type_line.h). A reader (keys.h) says in which config keys
 * are looked up, and which part gets the results. The scaling of a config is its object
 * rope_parameters or rope_scaling. */
#ifndef TOOL_PARTS_H
#define TOOL_PARTS_H

#include "rope.h"

/* A config has at most this many labels. */
enum { MOST_LABELS = 12 };

/* Holds the labels of a config. read_rotating() of config.h makes a part of each label: label k of
 * the config becomes part reader.first + k of the model. */
typedef struct labels {
    size_t count;
    label of[MOST_LABELS];
} labels;

/* Adds a label with the reader's scaling. Returns NULL, and adds a note, if there are too many
 * labels. This can only happen to add_nested_labels() and complete_nested_labels(). The other
 * functions add at most four labels together, and only if add_nested_labels() has added none. */
static label *add_label(const reader *r, labels *to, const char *name)
{
    if (to->count == MOST_LABELS) {
        char path[2 * PATH_SIZE];
        snprintf(path, sizeof path, "%s.%s", name_of(r, r->inner), name);
        say(r->out, NOTE_WRONG, path, "more than %d kinds of layers", (int)MOST_LABELS);
        return NULL;
    }
    label *const l = &to->of[to->count++];
    memset(l, 0, sizeof *l);
    snprintf(l->name, sizeof l->name, "%s", name);
    l->block = -1;
    memcpy(l->inner, r->inner, sizeof l->inner);
    return l;
}

static int has_label(const labels *all, const char *name)
{
    for (size_t k = 0; k < all->count; k++)
        if (strcmp(all->of[k].name, name) == 0) return 1;
    return 0;
}

/* Returns whether an item within the scaling shows that its object describes the rotation of a kind
 * of layers. `rest` is the item's path after the object's own path. An empty object does. A string
 * does only as the name of the rope_type, because other strings may be remarks. */
static int is_of_kind(const item *i, const char *rest)
{
    if (i->kind != VALUE_STRING) return *rest == '.' || strcmp(i->text, "{}") == 0;
    return strcmp(rest, ".rope_type") == 0 || strcmp(rest, ".type") == 0;
}

/* Returns the key that has the base of sliding layers in the files of this model type. Returns NULL
 * if the type's table entry has no default for any such key. */
static const char *usual_local_key(const reader *r)
{
    for (size_t k = 0; k < TOOL_COUNT(local_keys); k++)
        if (usual_of(r, local_keys[k].key)) return local_keys[k].key;
    return NULL;
}

/* Adds what the labels of add_nested_labels() lack, as transformers does for such configs. Sliding
 * layers whose object has no rope_theta have the base of usual_local_key(). If the type has a base
 * for sliding layers, the objects of full and of sliding layers may be missing. Such a kind gets a
 * label without a scaling. */
static void complete_nested_labels(const reader *r, labels *to)
{
    static const char *const kinds[] = {"full_attention", "sliding_attention"};
    const char *const local = usual_local_key(r);
    value v;
    for (size_t k = 0; k < TOOL_COUNT(kinds) && (local || usual_of(r, "@sliding_base")); k++) {
        label *const l = has_label(to, kinds[k]) ? NULL : add_label(r, to, kinds[k]);
        if (l) l->inner[0] = '\0';
    }
    for (size_t k = 0; k < to->count; k++) {
        label *const l = &to->of[k];
        if (strcmp(l->name, "sliding_attention") != 0) continue;
        if (!l->inner[0] || !look_up(r, l->inner, "rope_theta", &v)) l->theta = local;
    }
}

/* Adds a label for each object within the scaling, for a config whose scaling has one object per
 * kind of layers. The label has the name of the object, such as "full_attention". Other values in
 * the scaling get no label; see is_of_kind() and judge_nested(). */
static void add_nested_labels(const reader *r, labels *to)
{
    char key[PATH_SIZE], path[PATH_SIZE], last[PATH_SIZE] = "";
    if (!r->inner[0]) return;
    for (const item *i = list_next(r->m->file, r->inner, NULL); i;
         i = list_next(r->m->file, r->inner, i)) {
        const char *const rest = child_of(i->path, r->inner, key);
        if (!key[0] || strcmp(key, last) == 0 || !is_of_kind(i, rest)) continue;
        memcpy(last, key, sizeof last);
        if (has_label(to, key)) continue;
        label *const l = add_label(r, to, key);
        if (!l) return;
        l->is_nested = 1;
        snprintf(path, sizeof path, "%.120s.%.120s", r->inner, key);
        memcpy(l->inner, path, sizeof path);
    }
    if (to->count) complete_nested_labels(r, to);
}

/* Adds a note to each key of the scaling that has a plain value beside the objects for kinds of
 * layers: it has no effect. Lists get no note. */
static void judge_nested(const reader *r)
{
    char key[PATH_SIZE], path[2 * PATH_SIZE];
    for (const item *i = list_next(r->m->file, r->inner, NULL); i;
         i = list_next(r->m->file, r->inner, i)) {
        if (*child_of(i->path, r->inner, key) || !key[0] || strcmp(i->text, "{}") == 0) continue;
        mark(r->m, i);
        snprintf(path, sizeof path, "%s.%s", name_of(r, r->inner), key);
        say(r->out, NOTE_ODD, path, "does nothing beside the objects of layer types");
    }
}

/* Returns whether the scaling does not apply to layers of a kind. The list yarn_only_types has the
 * kinds to which it applies. Without this list, the fact @scaled of the type has the only such
 * kind. Without both, the scaling applies to all layers. */
static int is_left_unscaled(const reader *r, const char *kind)
{
    const item *const scaled = usual_of(r, "@scaled");
    const int is_read_here = !is_foreign(r, "yarn_only_types");
    const size_t count = is_read_here ? length_of(r, "yarn_only_types") : 0;
    if (!r->inner[0] || (!count && !scaled)) return 0;
    for (size_t k = 0; k < count; k++) {
        const item *const entry = at_layer(r, "yarn_only_types", k);
        if (entry && strcmp(entry->text, kind) == 0) return 0;
    }
    return count || strcmp(scaled->text, kind) != 0;
}

/* Adds labels for layer_rope_theta, a list with a base for each layer, where 0 or null means that
 * the layer does not rotate. If all other bases are equal, there is one label, "text". Otherwise
 * there is one for full and one for sliding attention. */
static void add_theta_labels(const reader *r, labels *to)
{
    double first = 0;
    int are_alike = 1;
    for (size_t i = 0, count = length_of(r, "layer_rope_theta"); i < count; i++) {
        const item *const entry = at_layer(r, "layer_rope_theta", i);
        if (!entry || entry->kind != VALUE_NUMBER || !(entry->number > 0)) continue;
        are_alike = are_alike && (first == 0 || first == entry->number);
        first = entry->number;
    }
    add_label(r, to, are_alike ? "text" : "full_attention")->theta = "layer_rope_theta";
    if (!are_alike) add_label(r, to, "sliding_attention")->theta = "layer_rope_theta";
}

/* Adds a label for a second kind of heads in the same layers, if the type has the fact
 * @also=NAME:KEY:PAIRS (type_line.h). KEY, the width of these heads, must be in the file or have a
 * default. The three words stay in a static array, to which the label points until the next
 * call. */
static void add_second_label(const reader *r, labels *to)
{
    static char words[3][64];
    const item *const also = usual_of(r, "@also");
    value v;
    if (!also || sscanf(also->text, "%63[^:]:%63[^:]:%63s", words[0], words[1], words[2]) != 3)
        return;
    if (!find(r, words[1], &v) && !usual_of(r, words[1])) return;
    label *const l = add_label(r, to, words[0]);
    if (!l) return;
    l->is_shared = 1;
    l->also_key = words[1];
    l->also_pairs = words[2];
}

/* Adds a label for layers of linear attention that rotate, if the type has the fact @linear=PAIRS.
 * If the file has linear_attention = "kda", these layers do not rotate, and there is no label. */
static void add_linear_label(const reader *r, labels *to)
{
    const item *const pairs = usual_of(r, "@linear");
    value v;
    const char *const kind = find(r, "linear_attention", &v) && v.entry ? v.entry->text : "";
    if (!pairs || strcmp(kind, "kda") == 0) return;
    label *const l = add_label(r, to, "linear_attention");
    if (!l) return;
    l->is_linear = 1;
    l->also_pairs = pairs->text;
}

/* Returns whether the config itself has a rope_theta that differs from @sliding_base, the base that
 * the model's code has for the sliding layers. */
static int has_fixed_base(const reader *r)
{
    const item *const fixed = usual_of(r, "@sliding_base");
    value v;
    return fixed && look_up(r, r->outer, "rope_theta", &v) && v.entry && v.entry->number > 0 &&
           v.entry->number != fixed->number;
}

/* Adds the labels of a config whose scaling has no objects for kinds of layers. The first case that
 * applies counts:
 *
 *     with @axes=blocks, "y" and "x", since each coordinate rotates half of every head
 *     with layer_rope_theta, unless @bases=flags, the labels of add_theta_labels()
 *     with compress_rope_theta, "compress" and "main"
 *     if a key or a fact gives full or sliding layers a base, a scaling, or a share of rotating
 *         elements of their own, "full_attention" and "sliding_attention"
 *     otherwise "text" */
static void add_own_labels(const reader *r, labels *to)
{
    const char *local = NULL;
    int is_unscaled = 0;
    for (size_t k = 0; k < TOOL_COUNT(local_keys) && !local; k++)
        if (has(r, local_keys[k].key) || usual_of(r, local_keys[k].key))
            local = local_keys[k].key, is_unscaled = local_keys[k].is_unscaled;
    const int has_lists = length_of(r, "rope_theta") || length_of(r, "partial_rotary_factors");
    const int is_full_unscaled = is_left_unscaled(r, "full_attention");
    const int is_sliding_unscaled = is_left_unscaled(r, "sliding_attention");
    if (is_fact(r, "@axes", "blocks")) {
        static const char *const names[] = {"y", "x"};
        for (int k = 0; k < 2; k++) {
            label *const l = add_label(r, to, names[k]);
            l->block = k;
            l->is_shared = 1;
        }
    } else if (length_of(r, "layer_rope_theta") && !is_fact(r, "@bases", "flags"))
        add_theta_labels(r, to);
    else if (has(r, "compress_rope_theta") || usual_of(r, "compress_rope_theta")) {
        add_label(r, to, "compress")->theta = "compress_rope_theta";
        label *const plain = add_label(r, to, "main");
        plain->theta = "rope_theta"; /* that of the config, not of the scaling */
        plain->is_unscaled = 1;
    } else if (local || has_lists || has_fixed_base(r) || is_full_unscaled || is_sliding_unscaled) {
        add_label(r, to, "full_attention")->is_unscaled = is_full_unscaled;
        label *const sliding = add_label(r, to, "sliding_attention");
        sliding->theta = local;
        sliding->is_unscaled = is_unscaled || is_sliding_unscaled;
    } else add_label(r, to, "text");
}

/* Returns the index of the label for layers of a kind, or all->count if there is none. Linear
 * attention has the label that add_linear_label() has added, if any. If the first label is "text",
 * it is for all other kinds. Otherwise it is the label with the name of the kind. With only the
 * labels "compress" and "main", sliding layers belong to "main", and layers of other kinds to
 * "compress". */
static size_t label_of(const labels *all, const char *kind)
{
    size_t k = 0;
    for (size_t l = 0; l < all->count; l++)
        if (all->of[l].is_linear && strcmp(kind, "linear_attention") == 0) return l;
    if (strcmp(all->of[0].name, "text") == 0) return 0;
    while (k < all->count && strcmp(all->of[k].name, kind) != 0) k++;
    if (k == all->count && kind[0] && all->count == 2 && has_label(all, "compress") &&
        has_label(all, "main"))
        k = (strcmp(kind, "sliding_attention") == 0) == (strcmp(all->of[1].name, "main") == 0);
    return k;
}

/* Writes the name of a part of this config: the prefix of the config, a dot, and `name`. Without a
 * prefix it is only `name`. The part "text" of a config with a prefix has only the prefix as its
 * name. */
static void name_part(const reader *r, const char *name, char to[64])
{
    const int is_whole = r->prefix[0] && strcmp(name, "text") == 0;
    snprintf(to, 64, "%.30s%s%.32s", r->prefix, r->prefix[0] && !is_whole ? "." : "",
             is_whole ? "" : name);
    clean(to);
}

/* Returns the part of this config with a name, which name_part() completes. If there is none, adds
 * one of the kind `kind`, without layers and with are_layers_known = 1. Returns NULL if there are
 * too many parts. */
static part *part_named(const reader *r, part *parts, size_t *count, const char *name,
                        part_kind kind)
{
    char whole_name[64];
    name_part(r, name, whole_name);
    for (size_t k = r->first; k < *count; k++)
        if (strcmp(parts[k].name, whole_name) == 0) return &parts[k];
    part *const p = add_part(parts, count, whole_name);
    if (p) p->kind = kind, p->are_layers_known = 1;
    return p;
}

/* Adds a layer to a part. If p is NULL, because there were too many parts, the layer is dropped. */
static void add_layer(part *p, size_t layer)
{
    if (p) p->layers[p->layer_count++] = (unsigned short)layer;
}

/* Adds each layer to the part of its label, and to the parts of shared labels (width.h).
 * parts[r->first + k] is the part of label k. Layers that do not rotate get parts of their own,
 * named after their kind or "nope". Sets are_layers_known of the parts of labels.
 *
 * Notes say how many layers match no label although their kind is known, which labels have no
 * layer, and which kind of layers posenc does not know. If the number of layers is unknown but some
 * of them do not rotate, adds the part "nope" without layers, with a note. */
static void assign_layers(const reader *r, const labels *all, part *parts, size_t *count)
{
    part *const own = parts + r->first;
    const size_t layers = count_layers(r);
    size_t unmatched = 0, others = 0;
    char what[PATH_SIZE] = "";
    int are_kinds_known = 1;
    judge_periods(r);
    judge_numbers(r);
    for (size_t i = 0; i < layers; i++) {
        const char *const kind = kind_of_layer(r, i);
        const size_t k = all->of[0].is_shared ? 0 : label_of(all, kind);
        if (is_one_of(kind, other_kinds, TOOL_COUNT(other_kinds)) &&
            !(k < all->count && all->of[k].is_linear))
            add_layer(part_named(r, parts, count, kind, PART_NONE), i);
        else if (is_nope(r, i, kind)) add_layer(part_named(r, parts, count, "nope", PART_NONE), i);
        else if (k < all->count) {
            if (!is_one_of(kind, attention_kinds, TOOL_COUNT(attention_kinds)) &&
                !all->of[k].is_linear && !others++ && !all->of[k].is_nested)
                say(&own[k], NOTE_UNREAD, "layer_types",
                    "\"%.40s\": posenc does not know this kind of layers, and reads it as one that "
                    "rotates. Look at the model's code",
                    kind);
            for (size_t s = 0; s < all->count; s++)
                if (s == k || all->of[s].is_shared) add_layer(&own[s], i);
        } else {
            are_kinds_known = are_kinds_known && kind[0];
            snprintf(what, sizeof what, "%.60s", kind);
            unmatched++;
        }
    }
    for (size_t k = 0; k < all->count; k++) own[k].are_layers_known = layers > 0 && unmatched == 0;
    if (!layers && ((usual_of(r, "@nope") && has_window(r)) || has(r, "no_rope_layer_interval") ||
                    usual_of(r, "no_rope_layer_interval"))) {
        part *const p = part_named(r, parts, count, "nope", PART_NONE);
        if (p) p->are_layers_known = 0;
        if (p)
            say(p, NOTE_ODD, "num_hidden_layers",
                "missing: some layers rotate nothing, but "
                "which ones is not told");
    }
    if (unmatched && are_kinds_known)
        say(&own[0], NOTE_WRONG, "layer_types",
            "%zu layers of the kind \"%s\" have no rotation of "
            "their own in the file",
            unmatched, what);
    for (size_t k = 0; k < all->count && layers && !unmatched; k++)
        if (own[k].layer_count == 0)
            say(&own[k], NOTE_ODD, "layer_types", "no layer is of the kind %s", all->of[k].name);
}

/* Reads the window of the part's layers: how many last positions they attend to. It is half of
 * local_attention, which counts the positions on both sides, or else attention_window_size, or else
 * sliding_window. Nothing is read if use_sliding_window is false, in the file or as the type's
 * default. Only attention_window_size also holds for the label "full_attention". If only
 * some of the part's layers have the window, p->window stays 0, and a note says so. */
static void read_window(const reader *r, const label *l)
{
    part *const p = r->out;
    size_t window = 0, local = 0, sliding = 0, known = 0;
    value v;
    if (find(r, "use_sliding_window", &v) ? v.entry && v.entry->number == 0
                                          : usual_of(r, "use_sliding_window") != NULL)
        return;
    if (has(r, "local_attention") || usual_of(r, "local_attention")) {
        integer(r, "local_attention", &local);
        window = local / 2;
    } else if (has(r, "attention_window_size") || usual_of(r, "attention_window_size")) {
        integer(r, "attention_window_size", &p->window); /* holds for all labels */
        return;
    } else if (has_window(r)) integer(r, "sliding_window", &window);
    for (size_t k = 0; k < p->layer_count; k++) {
        const char *const kind = kind_of_layer(r, p->layers[k]);
        sliding += strcmp(kind, "sliding_attention") == 0;
        known += kind[0] != '\0';
    }
    if (strcmp(l->name, "full_attention") == 0 || !window) return;
    if (strcmp(l->name, "sliding_attention") == 0 || known == 0 || sliding == p->layer_count)
        p->window = window;
    else if (sliding)
        say(p, NOTE_UNDERSTOOD, "sliding_window", "%zu, in %zu of these %zu layers", window,
            sliding, p->layer_count);
}

#endif
