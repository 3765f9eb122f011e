/* SPDX-License-Identifier: MIT */
/* Finds the kind of encoding that a config has, and reads the numbers of encodings that do not
 * rotate.
 *
 * A part (part.h) is a set of layers that share one positional encoding, and a note is a message
 * about a key. The table entry of a model type has defaults, which are the values of absent
 * keys, and facts, whose names begin with @ (type_line.h). A reader (keys.h) says in which
 * config keys are looked up, and which part gets the results. */
#ifndef TOOL_KINDS_H
#define TOOL_KINDS_H

#include "parts.h"
#include "preset.h"

/* Lists the values of position_embedding_type with the kinds that they name. */
static const struct kind_name {
    const char *name;
    part_kind kind;
} types_of_positions[] = {{"rope", PART_ROPE},
                          {"rotary", PART_ROPE},
                          {"nope", PART_NONE},
                          {"none", PART_NONE},
                          {"alibi", PART_ALIBI},
                          {"absolute", PART_LEARNED},
                          {"learned", PART_LEARNED},
                          {"learned_absolute", PART_LEARNED},
                          {"relative_key", PART_RELATIVE},
                          {"relative_key_query", PART_RELATIVE},
                          {"relative", PART_OTHER},
                          {"sinusoidal", PART_SINUSOIDAL}};

/* Adds the note that the value `type` of a key is none of types_of_positions[], and lists these. */
static void refuse_type_of_positions(part *p, const char *key, const char *type)
{
    char names[192] = "";
    for (size_t k = 0; k < TOOL_COUNT(types_of_positions); k++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", k ? ", " : "",
                 types_of_positions[k].name);
    say(p, NOTE_WRONG, key, "\"%.40s\" is none of %s", type, names);
}

/* Returns the part_kind that the key position_embedding_type names, or its default. Types with a
 * default for position_embeddings_type have this key instead. Returns -1 if there is neither a
 * value nor a default, if the value is not a string, or if the model's code does not read the key.
 * Many files have "absolute" from a base class that ignores it. The code of a type in the tables
 * reads the key only if the type has a default for it. The code of any other type is assumed to
 * read it, except that "absolute" does not count if the config has rope_theta. Returns PART_UNREAD
 * if the string is unknown. A note says what the value is, or why it does not count. */
static int kind_by_type(const reader *r)
{
    static const char plural[] = "position_embeddings_type";
    const int is_plural = usual_of(r, plural) != NULL;
    const char *const key = is_plural ? plural : "position_embedding_type";
    const int is_for_it = usual_of(r, key) != NULL;
    value v;
    const char *const type = string(r, key, &v);
    if (!type) return -1;
    if (!is_for_it && (r->m->is_known || (strcmp(type, "absolute") == 0 && has(r, "rope_theta")))) {
        say(r->out, NOTE_ODD, key, "\"%.40s\": not read by this model's code", type);
        return -1;
    }
    for (size_t k = 0; k < TOOL_COUNT(types_of_positions); k++)
        if (strcmp(type, types_of_positions[k].name) == 0) {
            say(r->out, NOTE_UNDERSTOOD, key, "%s", type);
            return (int)types_of_positions[k].kind;
        }
    refuse_type_of_positions(r->out, key, type);
    return PART_UNREAD;
}

/* Returns the kind of encoding that a config has, judged by its keys and its type. It is
 * PART_ROPE if nothing says otherwise. The keys and the fact @kind are tested in the order of
 * precedence: the first that says a kind counts. */
static part_kind kind_of_model(const reader *r)
{
    static const char *const alibi_keys[] = {"alibi", "use_alibi", "attn_config.alibi"};
    const item *const usual_kind = usual_of(r, "@kind");
    const int by_type = kind_by_type(r);
    char path[PATH_SIZE];
    value v;
    if (by_type >= 0) return (part_kind)by_type;
    if (has(r, "attn_config.rope") && is_true(r, "attn_config.rope"))
        return has(r, "attn_config.alibi") && is_true(r, "attn_config.alibi") ? PART_ALIBI
                                                                              : PART_ROPE;
    for (size_t k = 0; k < TOOL_COUNT(alibi_keys); k++)
        if (has(r, alibi_keys[k]))
            return is_true(r, alibi_keys[k]) ? PART_ALIBI : k == 2 ? PART_LEARNED : PART_ROPE;
    if (is_true(r, "mla_use_nope")) return PART_NONE;
    join(path, r->outer, "rope_parameters");
    if (usual_of(r, "@rope") &&
        (is_null(r, path, "rope_theta") ||
         (!look_up(r, path, "rope_theta", &v) && is_null(r, r->outer, "rope_theta"))))
        return PART_NONE;
    if ((has(r, "use_mem_rope") || usual_of(r, "use_mem_rope")) && !is_true(r, "use_mem_rope"))
        return PART_NONE;
    for (size_t k = 0; usual_kind && k < TOOL_COUNT(kind_names); k++)
        if (strcmp(usual_kind->text, kind_names[k]) == 0) return (part_kind)k;
    if (!is_mla_off(r) && find(r, "qk_rope_head_dim", &v) && v.entry &&
        v.entry->kind == VALUE_NUMBER && v.entry->number == 0)
        return PART_NONE;
    return PART_ROPE;
}

/* Adds a number to the part's report under `name`. It is the number at the first of `keys` that
 * the file has. If the file has none of them, it is the model type's default for the first of them
 * that has a default. Without a default, it is the argument `otherwise`. A number of 0 is not
 * reported. */
static void fact_of(const reader *r, const char *name, const char *const *keys, size_t count,
                    size_t otherwise)
{
    size_t value_of = otherwise;
    integer_of(r, keys, count, &value_of);
    if (value_of) add_quantity(r->out, name, (double)value_of);
}

/* Reads the layers and the numbers of an encoding that does not rotate. With PART_SINUSOIDAL, the
 * fact @preset says which encoding it is; without this fact the part becomes PART_UNREAD. */
static void read_other(const reader *r, part_kind kind)
{
    static const char *const max_bias[] = {"alibi_bias_max", "attn_config.alibi_bias_max"};
    static const char *const buckets[] = {"relative_attention_num_buckets"};
    static const char *const distance[] = {"relative_attention_max_distance"};
    part *const p = r->out;
    p->kind = kind;
    const size_t layers = count_layers(r);
    p->are_layers_known = layers > 0;
    while (p->layer_count < layers) add_layer(p, p->layer_count);
    if (kind == PART_ALIBI) {
        fact_of(r, "heads", head_keys, TOOL_COUNT(head_keys), 0);
        fact_of(r, "max_bias", max_bias, TOOL_COUNT(max_bias), 8);
    } else if (kind == PART_T5) {
        fact_of(r, "buckets", buckets, 1, 32);
        fact_of(r, "max_distance", distance, 1, 128);
    } else if (kind == PART_LEARNED || kind == PART_RELATIVE) {
        fact_of(r, "rows", length_keys, TOOL_COUNT(length_keys), 0);
        fact_of(r, "width", width_keys, TOOL_COUNT(width_keys), 0);
    }
    if (kind == PART_SINUSOIDAL) {
        const item *const preset = usual_of(r, "@preset");
        size_t width = 0;
        size_of(r, "@hidden", width_keys, TOOL_COUNT(width_keys), &width);
        if (preset) preset_part(p, preset->text, width);
        else {
            p->kind = PART_UNREAD;
            say(p, NOTE_UNREAD, "position_embedding_type",
                "sinusoidal: of which order? See the presets in docs/models.md");
        }
    }
}

#endif
