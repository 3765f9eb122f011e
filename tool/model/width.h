/* SPDX-License-Identifier: MIT */
/* Finds the width of a part's heads, and how many of their elements rotate.
 *
 * A part (part.h) is a set of layers that share one positional encoding, and a note is a message
 * about a key. The table entry of a model type has defaults, which are the values of absent
 * keys, and facts, whose names begin with @ (type_line.h). A reader (keys.h) says in which
 * config keys are looked up, and which part gets the results. */
#ifndef TOOL_WIDTH_H
#define TOOL_WIDTH_H

#include "layers.h"
#include "plan.h"

#include <stdlib.h>

/* Describes layers that share a rotation, before its keys are read. parts.h makes the labels of a
 * config, and read_rotating() of config.h makes a part of each label. */
typedef struct label {
    /* This is the kind of the layers, such as "full_attention", "text" for all layers, or NAME of
     * the fact @also. Other names are "main" and "compress", and "y" and "x" of @axes=blocks. */
    char name[64];
    char inner[PATH_SIZE];  /* the path of their rope_parameters or rope_scaling, or ""       */
    const char *theta;      /* a key that has the base of these layers only, or NULL          */
    int is_unscaled;        /* 1: rope_scaling does not apply to these layers                 */
    int is_nested;          /* 1: rope_parameters has an object with this name                */
    int is_shared;          /* 1: the layers of the other labels also belong to this label    */
    int block;              /* with @axes=blocks: the coordinate that rotates, 0 or 1; else -1 */
    int is_linear;          /* 1: layers of linear attention, whose heads are not those of MLA */
    const char *also_key;   /* with @also: the key that has the width of its heads, else NULL */
    const char *also_pairs; /* with @also or @linear: "halves", "neighbours" or a key, else NULL */
} label;

/* Returns whether the config has use_mla = false. Such files of DeepSeek V2's type do not use MLA,
 * multi-head latent attention, but heads like Llama's. Examples are DeepSeek-OCR and the smallest
 * DeepSeek-VL2. */
static int is_mla_off(const reader *r)
{
    value v;
    return find(r, "use_mla", &v) && v.entry && v.entry->kind == VALUE_BOOLEAN &&
           v.entry->number == 0;
}

/* Returns whether the model has multi-head latent attention (MLA), of whose heads only
 * qk_rope_head_dim elements rotate. This is so if this key is in the file or has a default, unless
 * is_mla_off() returns 1. In a type with the fact @share, such a key only gives the share. */
static int has_mla(const reader *r)
{
    if (is_mla_off(r) || usual_of(r, "@share")) return 0;
    return has(r, "qk_rope_head_dim") || usual_of(r, "qk_rope_head_dim");
}

/* Returns whether the file has per_layer_config: an object with a config for each layer, which
 * transformers saves for some types. */
static int has_per_layer(const reader *r)
{
    value v;
    return look_up(r, r->outer, "per_layer_config", &v);
}

/* Reads the width of the heads from the config that per_layer_config has for the reader's layer,
 * for example per_layer_config["05"].head_dim. Returns 1 if there is one, otherwise 0. */
static int read_own_width(const reader *r, size_t *to)
{
    char path[PATH_SIZE], key[PATH_SIZE];
    join(path, r->outer, "per_layer_config");
    for (const item *i = list_next(r->m->file, path, NULL); i && r->layer >= 0;
         i = list_next(r->m->file, path, i)) {
        const char *const rest = child_of(i->path, path, key);
        if (strcmp(rest, ".head_dim") != 0 || strtol(key, NULL, 10) != r->layer) continue;
        if (i->kind != VALUE_NUMBER || !(i->number >= 0 && i->number <= 1048576)) continue;
        *to = (size_t)i->number;
        say(r->out, NOTE_UNDERSTOOD, name_of(r, i->path), "%zu", *to);
        return 1;
    }
    return 0;
}

/* Reads the width of the heads from the key that has it for these layers, in the file or as the
 * type's default. Returns the name of this key, or NULL if there is none. */
static const char *read_named_width(const reader *r, const label *l, size_t *to)
{
    static const char *const names[] = {"head_dim", "kv_channels", "attention_head_dim"};
    const item *const own_key = usual_of(r, "@head");
    const int is_full = strcmp(l->name, "full_attention") == 0;
    const int is_sliding = strcmp(l->name, "sliding_attention") == 0;
    if (read_own_width(r, to)) return "per_layer_config";
    if (is_full && !has_per_layer(r) && integer(r, "global_head_dim", to)) return "global_head_dim";
    if (is_sliding && has(r, "swa_head_dim") && integer(r, "swa_head_dim", to))
        return "swa_head_dim";
    if (own_key && strcmp(own_key->text, "none") == 0) return NULL;
    if (!size_of(r, "@head", names, TOOL_COUNT(names), to) || *to == 0) return NULL;
    if (own_key) return own_key->text;
    for (size_t k = 0; k < TOOL_COUNT(names); k++)
        if (has(r, names[k])) return names[k];
    return names[0];
}

/* Reads the width of the heads into head_dim. Returns the name of the key that has the width. If no
 * key has it, it is hidden_size / num_attention_heads, and the name is hidden_size. The fact
 * @divide divides it.
 *
 * Two cases differ. A label with also_key has the width at this key, and in a model with MLA
 * rotary_dim is qk_rope_head_dim. For the other heads of MLA, head_dim becomes qk_rope_head_dim, as
 * if a head had only the elements that rotate. With @rotates=last, however, head_dim is the width
 * of the whole head, and rotary_dim and rotary_offset say that its last qk_rope_head_dim elements
 * rotate. */
static const char *read_head_dim(const reader *r, const label *l)
{
    part *const p = r->out;
    size_t *const to = &p->rope.head_dim;
    const item *const rotates = usual_of(r, "@rotates");
    size_t hidden = 0, heads = 0, rotary = 0;
    const int is_mla =
        !l->also_key && !l->is_linear && has_mla(r) && integer(r, "qk_rope_head_dim", &rotary);
    if (is_mla_off(r)) has(r, "qk_rope_head_dim"); /* marks it as read: it has no effect */
    if (is_mla && !(rotates && strcmp(rotates->text, "last") == 0)) {
        *to = rotary;
        return "qk_rope_head_dim";
    }
    if (l->also_key) {
        if (!integer(r, l->also_key, to)) say(p, NOTE_WRONG, l->also_key, "missing");
        if (has_mla(r)) integer(r, "qk_rope_head_dim", &p->rope.rotary_dim);
        if (p->rope.rotary_dim > *to) say(p, NOTE_WRONG, l->also_key, "too few elements: %zu", *to);
        return l->also_key;
    }
    const char *key = read_named_width(r, l, to);
    if (!key) {
        key = "hidden_size";
        if (count_notes(p, NOTE_WRONG)) return key;
        size_of(r, "@hidden", width_keys, TOOL_COUNT(width_keys), &hidden);
        size_of(r, "@heads", head_keys, TOOL_COUNT(head_keys), &heads);
        if (hidden == 0 || heads == 0) {
            say(p, NOTE_WRONG, "head_dim",
                "missing: give head_dim, or hidden_size and num_attention_heads. docs/models.md "
                "has those of models");
            return key;
        }
        *to = hidden / heads;
        say(p, NOTE_UNDERSTOOD, "head_dim", "%zu: hidden_size / num_attention_heads", *to);
        if (hidden % heads)
            say(p, NOTE_ODD, "hidden_size", "is no multiple of num_attention_heads");
    }
    const item *const divisor = usual_of(r, "@divide");
    if (divisor) {
        size_t rate = 1;
        if (!integer(r, divisor->text, &rate) || rate == 0) rate = (size_t)divisor->number;
        *to /= rate ? rate : 1;
        say(p, NOTE_UNDERSTOOD, "head_dim", "%zu: divided by %zu", *to, rate);
    }
    if (!is_mla) return key;
    if (rotary > *to) {
        say(p, NOTE_WRONG, "qk_rope_head_dim", "%zu of a head of %zu", rotary, *to);
        return key;
    }
    p->rope.rotary_dim = rotary;
    p->rope.rotary_offset = *to - rotary;
    return key;
}

/* Adds the note that `width`, the number of elements that rotate, is odd. `from` is the expression
 * that gave this number, for the note. */
static void say_odd_width(part *p, const char *key, const char *from, size_t width)
{
    say(p, NOTE_WRONG, key,
        "%s = %zu is odd: Hugging Face makes %zu frequencies of exponent 2i/%zu then, which rotate "
        "%zu elements or fail, as the model's code has it",
        from, width, width / 2 + 1, width, width + 1);
}

/* Adds a note if all elements of a head rotate and their number is odd. `key` is the result of
 * read_head_dim(). */
static void judge_head_dim(part *p, const char *key)
{
    const size_t width = p->rope.head_dim;
    if (p->rope.rotary_dim || width % 2 == 0) return;
    const int is_quotient = strcmp(key, "hidden_size") == 0;
    say_odd_width(p, key, is_quotient ? "hidden_size / num_attention_heads" : key, width);
}

/* Sets rotary_dim to int(head_dim * share), as Hugging Face's code has it. With @rotates=last, also
 * sets rotary_offset. A wrong share gets a note at `key`. */
static void set_share(const reader *r, const char *key, double share)
{
    part *const p = r->out;
    const size_t head_dim = p->rope.head_dim;
    if (!(share > 0 && share <= 1)) {
        say(p, NOTE_WRONG, key, "must be above 0 and at most 1");
        return;
    }
    const double width = (double)head_dim * share;
    const int is_proportional = p->rope.rope_type == PE_ROPE_PROPORTIONAL;
    const size_t rotary = is_proportional ? 2 * (size_t)(width / 2) : (size_t)width;
    if (rotary == 0) say(p, NOTE_WRONG, key, "rotates nothing of head_dim %zu", head_dim);
    if (rotary % 2) {
        char from[64];
        snprintf(from, sizeof from, "int(%zu * %.15g)", head_dim, share);
        say_odd_width(p, key, from, rotary);
    }
    p->rope.rotary_dim = rotary;
    if (is_fact(r, "@rotates", "last")) p->rope.rotary_offset = head_dim - rotary;
}

/* Returns whether partial_rotary_factor changes nothing in this type with the rope_type of the
 * part. */
static int is_share_idle(const reader *r)
{
    const int is_plain = r->out->rope.rope_type == PE_ROPE_DEFAULT;
    return is_in_fact(r, "@partial", "never") || (is_plain && is_in_fact(r, "@partial", "scaled"));
}

/* Reads rotary_dim in a type with the fact @share=KEY (type_line.h), where `key` is KEY. An object
 * for a kind of layers has the share itself, or partial_rotary_factor of the config has it, or all
 * elements rotate. Without such objects, the share is partial_rotary_factor of the config, or else
 * KEY / head_dim, or else the type's default; the scaling does not give it. */
static void read_share_or_width(const reader *r, const label *l, const char *key)
{
    static const char name[] = "partial_rotary_factor";
    part *const p = r->out;
    reader outside = *r;
    outside.inner[0] = '\0';
    value v;
    double share = 1;
    size_t rotary = 0;
    const int has_inner = r->inner[0] && look_up(r, r->inner, name, &v);
    const int has_outer = has(&outside, name);
    const int has_width = has(&outside, key);
    const int is_width = has_width && !l->is_nested && !has_outer;
    if (has_width && !is_width)
        say(p, NOTE_ODD, key, "does nothing beside %s",
            l->is_nested ? "objects for kinds of layers" : name);
    if (l->is_nested && !has_inner && !has_outer) return;
    if (!l->is_nested && has_inner)
        say(p, NOTE_ODD, name_of(r, v.path), "does nothing: %s reads that of the config alone",
            r->m->type);
    if (is_width) {
        if (!integer(&outside, key, &rotary)) return;
        share = (double)rotary / (double)p->rope.head_dim;
    } else if (!number(l->is_nested ? r : &outside, name, &share)) return;
    set_share(r, is_width ? key : name, share);
}

/* Adds a note if a file of transformers has numbers with which MLA cannot run. The library computes
 * frequencies for as many elements as qk_rope_head_dim says, or with the fact @frequencies=head_dim
 * for as many as head_dim says, times partial_rotary_factor. Only qk_rope_head_dim elements rotate,
 * so another number is an error. */
static void judge_latent_width(const reader *r)
{
    part *const p = r->out;
    const size_t rotary = p->rope.rotary_dim ? p->rope.rotary_dim : p->rope.head_dim;
    const item *const common = usual_of(r, "rope_parameters.partial_rotary_factor");
    value v;
    double width = (double)rotary, share = 1;
    const int is_there = has(r, "partial_rotary_factor"); /* marks it as read */
    if (!r->m->is_of_library) return;
    if (is_fact(r, "@frequencies", "head_dim")) {
        const item *const usual_width = usual_of(r, "head_dim");
        if (find(r, "head_dim", &v)) width = v.entry ? v.entry->number : width;
        else if (usual_width) width = usual_width->number;
    }
    if (!is_share_idle(r)) {
        const int is_new = strstr(r->inner, "rope_parameters") != NULL;
        if (is_there) share = find(r, "partial_rotary_factor", &v) && v.entry ? v.entry->number : 1;
        else if (common && is_new) share = common->number;
    }
    if (width * share < (double)rotary || width * share >= (double)rotary + 1)
        say(p, NOTE_WRONG, "qk_rope_head_dim",
            "%zu, but transformers computes frequencies for %.15g elements, head_dim times "
            "partial_rotary_factor: it cannot run this model",
            rotary, width * share);
}

/* Reads rotary_dim, the number of elements of a head that rotate. A file has this number itself, or
 * else a share of the head under one of several keys. As in Hugging Face's code, rotary_dim is then
 * int(head_dim * share). Without both, it stays 0, and all elements rotate. For MLA,
 * read_head_dim() has read it already. If these layers have an object of their own, a
 * partial_rotary_factor beside it has no effect with the rope_type "default". With the other types,
 * it counts where the object has none, as transformers has it. Call this function after
 * read_type(): depending on the rope_type, the share has no effect or is rounded to whole pairs. */
static void read_rotary(const reader *r, const label *l)
{
    static const char *const shares[] = {
        "partial_rotary_factor", "partial_rotary_factors", "rotary_pct",
        "rotary_emb_fraction",   "rope_percent",           "rope_pct"};
    static const char *const widths[] = {"rotary_dim", "attn_rotary_emb"};
    part *const p = r->out;
    const char *key = shares[0];
    double share = 1;
    value own;
    const item *const width_key = usual_of(r, "@share");
    if (width_key) {
        read_share_or_width(r, l, width_key->text);
        return;
    }
    if (has_mla(r) && !l->is_linear) {
        has(r, "rotary_dim"); /* marks it as read: it only repeats what MLA's own key says */
        judge_latent_width(r);
        return;
    }
    for (size_t k = 1; k < TOOL_COUNT(shares); k++) {
        const int is_there = has(r, shares[k]) || usual_of(r, shares[k]);
        if (!has(r, key) && is_there) key = shares[k];
    }
    if (is_ignored(r, widths[0]) && has(r, widths[0]))
        say(p, NOTE_ODD, widths[0], "does nothing: the code of %s does not read it", r->m->type);
    else if (integer_of(r, widths, TOOL_COUNT(widths), &p->rope.rotary_dim)) {
        has(r, key);
        return;
    }
    const int is_plain = p->rope.rope_type == PE_ROPE_DEFAULT;
    if ((key == shares[0] || usual_of(r, key)) && is_share_idle(r)) {
        if (has(r, key))
            say(p, NOTE_ODD, key,
                is_plain ? "does nothing in %s: all of the head rotates" : "does nothing in %s",
                r->m->type);
        return;
    }
    const int is_inner = r->inner[0] && look_up(r, r->inner, shares[0], &own);
    const int is_of_kind = l->is_nested || is_fact(r, "@reads", "kinds");
    const int is_idle = is_in_fact(r, "@partial", "inner") || (is_of_kind && is_plain);
    if (is_idle && r->m->is_known && !is_inner && has(r, shares[0])) {
        say(p, NOTE_ODD, shares[0], "does nothing in %s: only that of rope_parameters%s counts",
            r->m->type, l->is_nested ? " for these layers" : "");
        for (size_t k = 0; k < TOOL_COUNT(shares); k++) {
            const item *const entry = usual_of(r, shares[k]);
            if (k > 0 && number_there(r, shares[k], &share)) key = shares[k];
            else if (entry) key = shares[k], share = entry->number;
            else continue;
            set_share(r, key, share);
            return;
        }
        return;
    }
    if (number(r, key, &share)) set_share(r, key, share);
}

#endif
