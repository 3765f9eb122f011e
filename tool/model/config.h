/* SPDX-License-Identifier: MIT */
/* A model's file, flattened: its parts, and the keys that nobody read. */
#ifndef TOOL_CONFIG_H
#define TOOL_CONFIG_H

#include "parts.h"
#include "preset.h"

/* Take the values of absent keys from a line: "head_dim=256 rope_theta=10000". */
static void take_usual(model *m, const char *facts)
{
    while (*facts) {
        char word[96], *value_of;
        const size_t length = strcspn(facts, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, facts);
        facts += length + (facts[length] == ' ');
        value_of = strchr(word, '=');
        if (!value_of) continue;
        *value_of++ = '\0';
        char *end;
        const double number_of_it = strtod(value_of, &end);
        const int is_true_word = strcmp(value_of, "true") == 0;
        const value_kind kind = *end == '\0'                                     ? VALUE_NUMBER
                                : is_true_word || strcmp(value_of, "false") == 0 ? VALUE_BOOLEAN
                                                                                 : VALUE_STRING;
        list_add(&m->usual, word, kind, kind == VALUE_BOOLEAN ? is_true_word : number_of_it,
                 value_of, 0);
    }
}

/* The facts of a GGUF file's architecture: see gguf_config.h. */
static void take_architecture(model *m)
{
    for (size_t i = 0; i < m->file->count; i++) {
        const item *const fact_there = &m->file->items[i];
        if (fact_there->path[0] != '@') continue;
        m->used[i] = 1;
        list_add(&m->usual, fact_there->path, fact_there->kind, fact_there->number,
                 fact_there->text, 0);
    }
    const item *const name = list_find(m->file, "@architecture");
    if (name) snprintf(m->type, sizeof m->type, "%s", name->text);
}

/* Find the type of a config, that of the whole model if it has none, and what its keys mean. */
static void take_type(model *m, reader *r, const char *around)
{
    value v;
    r->m = m;
    memset(m->type, 0, sizeof m->type);
    list_free(&m->usual);
    const char *type = string(r, "model_type", &v);
    if (!type && look_up(r, around, "model_type", &v) && v.at && v.at->kind == VALUE_STRING)
        type = v.at->text;
    if (type) snprintf(m->type, sizeof m->type, "%s", type);
    const type_line *const line = type_named(m->type);
    m->is_known = line != NULL;
    if (line) take_usual(m, line->facts);
    if (strcmp(m->type, "gguf") == 0) take_architecture(m);
}

/* What position_embedding_type says, where the model's code reads it; PART_UNREAD, and a note, if
 * it is none of these words; -1 if it says nothing. Many files have "absolute" from a class that
 * never reads it. */
static int kind_by_type(const reader *r)
{
    static const struct {
        const char *name;
        part_kind kind;
    } names[] = {{"rope", PART_ROPE},
                 {"rotary", PART_ROPE},
                 {"nope", PART_NONE},
                 {"none", PART_NONE},
                 {"alibi", PART_ALIBI},
                 {"absolute", PART_LEARNED},
                 {"learned", PART_LEARNED},
                 {"learned_absolute", PART_LEARNED},
                 {"relative_key", PART_RELATIVE},
                 {"relative_key_query", PART_RELATIVE},
                 {"sinusoidal", PART_SINUSOIDAL}};
    const int is_for_it = usual_of(r, "position_embedding_type") != NULL;
    value v;
    const char *const type = string(r, "position_embedding_type", &v);
    if (!type) return -1;
    if (!is_for_it && (r->m->is_known || (strcmp(type, "absolute") == 0 && has(r, "rope_theta")))) {
        say(r->out, NOTE_ODD, "position_embedding_type", "\"%.40s\": not read by this model's code",
            type);
        return -1;
    }
    for (size_t k = 0; k < TOOL_COUNT(names); k++)
        if (strcmp(type, names[k].name) == 0) {
            say(r->out, NOTE_UNDERSTOOD, "position_embedding_type", "%s", type);
            return (int)names[k].kind;
        }
    say(r->out, NOTE_WRONG, "position_embedding_type",
        "\"%.40s\" is none of rope, rotary, nope, alibi, absolute, learned, relative_key", type);
    return PART_UNREAD;
}

/* The encoding of a model, by its keys or its type: PART_ROPE if nothing is said. */
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
    if (usual_of(r, "@rope") && !look_up(r, path, "rope_theta", &v) &&
        !look_up(r, r->outer, "rope_theta", &v))
        return PART_NONE;
    if ((has(r, "use_mem_rope") || usual_of(r, "use_mem_rope")) && !is_true(r, "use_mem_rope"))
        return PART_NONE;
    for (size_t k = 0; usual_kind && k < TOOL_COUNT(kind_names); k++)
        if (strcmp(usual_kind->text, kind_names[k]) == 0) return (part_kind)k;
    if (!is_mla_off(r) && look_up(r, r->outer, "qk_rope_head_dim", &v) && v.at &&
        v.at->kind == VALUE_NUMBER && v.at->number == 0)
        return PART_NONE;
    return PART_ROPE;
}

static void fact_of(const reader *r, const char *name, const char *const *keys, size_t count,
                    size_t otherwise)
{
    size_t value_of = otherwise;
    whole_of(r, keys, count, &value_of);
    if (value_of) add_fact(r->out, name, (double)value_of);
}

/* An encoding that is no rotation, by its numbers. */
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
        whole_of(r, width_keys, TOOL_COUNT(width_keys), &width);
        if (preset) preset_part(p, preset->text, width);
        else {
            p->kind = PART_UNREAD;
            say(p, NOTE_UNREAD, "position_embedding_type",
                "sinusoidal: of which order? See the presets in docs/models.md");
        }
    }
}

static int is_telling(const char *key)
{
    for (size_t k = 0; k < TOOL_COUNT(telling_words); k++)
        if (strstr(key, telling_words[k])) return 1;
    return 0;
}

/* Keys within an object of the config that sound like positions, and that nobody read. Objects
 * that are configs of other models, as qformer_config, have keys of their own. */
static void judge_objects(const reader *r)
{
    static const char *const scalings[] = {"rope_scaling", "rope_parameters"};
    static const char *const attention[] = {"attn_config", "attention_config"};
    char key[PATH_SIZE], text[64];
    for (const item *i = list_next(r->m->file, r->outer, NULL); i;
         i = list_next(r->m->file, r->outer, i)) {
        const char *const rest = child_of(i->path, r->outer, key);
        const char *const last = strrchr(i->path, '.');
        const int is_config = strlen(key) > 7 && strcmp(key + strlen(key) - 7, "_config") == 0;
        if (*rest != '.' || r->m->used[i - r->m->file->items] || !is_telling(last + 1) ||
            i->kind == VALUE_NULL || is_one_of(key, scalings, TOOL_COUNT(scalings)) ||
            (is_config && !is_one_of(key, attention, TOOL_COUNT(attention))))
            continue;
        const value v = {i, "", name_of(r, i->path)};
        say(r->out, r->out->kind == PART_ROPE ? NOTE_UNREAD : NOTE_ODD, v.name,
            "%s: posenc reads nothing of this object. Set the key of the config that means the "
            "same",
            shown(r, &v, text));
    }
}

/* Keys of a config that nobody read: those that sound like positions or rotations may change
 * numbers. */
static void judge_keys(const reader *r)
{
    char key[PATH_SIZE], last[PATH_SIZE] = "", text[64];
    int speaks = 0;
    for (const item *i = list_next(r->m->file, r->outer, NULL); i;
         i = list_next(r->m->file, r->outer, i)) {
        const char *const rest = child_of(i->path, r->outer, key);
        if (!key[0] || strcmp(key, last) == 0) continue;
        memcpy(last, key, sizeof last);
        speaks |= is_telling(key) && !strstr(key, "max_position") &&
                  strcmp(key, "position_embedding_type") != 0;
        const int is_read = r->m->used[i - r->m->file->items];
        if (judge_scaling_key(r, key, key, i->kind == VALUE_NULL) || is_read ||
            is_one_of(key, harmless_keys, TOOL_COUNT(harmless_keys)) || i->kind == VALUE_NULL)
            continue;
        if (is_ignored(r, key) || strcmp(i->text, "[]") == 0) continue;
        const value v = {*rest ? NULL : i, "", key};
        const int is_config = strlen(key) > 7 && strcmp(key + strlen(key) - 7, "_config") == 0;
        if (is_telling(key) && r->out->kind != PART_ROPE)
            say(r->out, NOTE_ODD, key, "does nothing: nothing rotates");
        else if (is_telling(key))
            say(r->out, NOTE_UNREAD, key,
                "%s: posenc does not know this key, which may change the "
                "rotation. Check its spelling; what it does is missing here",
                *rest ? "an object or a list" : shown(r, &v, text));
        else if (r->m->type[0] == '\0' && !is_config && strcmp(key, "architectures") != 0)
            say(r->out, NOTE_ODD, key, "unknown key");
    }
    if (!r->m->type[0] || r->m->is_known) return;
    if (has(r, "patch_size"))
        say(r->out, NOTE_UNREAD, "model_type",
            "%s: not in posenc's table, and patch_size speaks of images, whose positions are by y "
            "and "
            "x: see docs/models.md",
            r->m->type);
    else if (speaks)
        say(r->out, NOTE_ODD, "model_type",
            "%s: not in posenc's table (transformers %s, %s): read by "
            "the general rules. Look at its code for pairs and defaults",
            r->m->type, TYPES_TRANSFORMERS, TYPES_CHECKED);
    else
        say(r->out, NOTE_UNREAD, "model_type",
            "%s: not in posenc's table, and no key speaks of rotation: is it a model with RoPE?",
            r->m->type);
}

/* rope_parameters, or rope_scaling; a note if there are both, or one is no object. */
static const char *find_scaling(reader *r)
{
    static const char *const names[] = {"rope_parameters", "rope_scaling"};
    value v;
    const char *spare = NULL;
    for (int k = 1; k >= 0; k--) {
        if (!look_up(r, r->outer, names[k], &v)) continue;
        if (r->inner[0]) spare = names[1];
        join(r->inner, r->outer, names[k]);
        if (is_object(r->m, r->inner)) continue;
        wrong_type(r, &v, "an object");
        r->inner[0] = '\0';
    }
    return spare;
}

/* The parts of a model that rotates: one for each label, and its layers that do not rotate. */
static void read_rotating(reader *r, part *parts, size_t *count)
{
    labels all;
    all.count = 0;
    const char *const spare = find_scaling(r);
    add_nested_labels(r, &all);
    const int is_nested = all.count > 0;
    if (is_nested) judge_nested(r);
    else add_own_labels(r, &all);
    snprintf(parts[0].name, sizeof parts[0].name, "%s", clean(all.of[0].name));
    for (size_t k = 1; k < all.count; k++) add_part(parts, count, all.of[k].name);
    assign_layers(r, &all, parts, count);
    for (size_t k = 0; k < all.count; k++) {
        reader own = *r;
        own.out = &parts[k];
        own.layer = parts[k].layer_count ? (long)parts[k].layers[0] : -1;
        memcpy(own.inner, all.of[k].inner, sizeof own.inner);
        read_rope(&own, &all.of[k]);
        read_window(&own, &all.of[k]);
    }
    if (spare)
        say(&parts[0], NOTE_ODD, spare, "is not read beside rope_parameters; some programs do");
}

/* The model of text: one part, or one for each kind of layers. */
static void read_text(model *m, const char *where, const char *around, part *parts, size_t *count)
{
    reader r = {add_part(parts, count, "text"), m, "", "", -1};
    snprintf(r.outer, sizeof r.outer, "%s", where);
    take_type(m, &r, around);
    const item *const encoder = usual_of(&r, "@encoder");
    const part_kind kind = kind_of_model(&r);
    if (kind == PART_ROPE) read_rotating(&r, parts, count);
    else read_other(&r, kind);
    judge_keys(&r);
    judge_objects(&r);
    if (!encoder) return;
    size_t width = 0;
    whole_of(&r, width_keys, TOOL_COUNT(width_keys), &width);
    snprintf(parts[0].name, sizeof parts[0].name, "decoder");
    part *const p = add_part(parts, count, "encoder");
    if (p) preset_part(p, encoder->text, width);
}

/* A tower beside the text: its type must be one that posenc knows. */
static void read_tower(model *m, const char *around, const char *key, const char *name, part *parts,
                       size_t *count)
{
    reader r = {&parts[0], m, "", "", -1};
    value v;
    snprintf(r.outer, sizeof r.outer, "%s", around);
    if (!look_up(&r, around, key, &v)) return;
    if (!is_object(m, v.path)) {
        wrong_type(&r, &v, "an object");
        return;
    }
    r.out = add_part(parts, count, name);
    if (!r.out) return;
    memcpy(r.outer, v.path, sizeof r.outer);
    take_type(m, &r, around);
    read_vision(&r);
}

/* Settings of the command line, which have no line, that are beside the config of the text. */
static void judge_settings(const model *m, const char *text, part *p)
{
    for (size_t i = 0; i < m->file->count && text[0]; i++)
        if (m->file->items[i].line == 0 && !m->used[i])
            say(p, NOTE_UNREAD, m->file->items[i].path,
                "%.40s: nothing reads this: the keys of the text are in %s", m->file->items[i].text,
                text);
}

/* Read a model's file. Returns the number of parts. */
static size_t read_model(const list *file, part *parts)
{
    static const char *const texts[] = {"text_config", "llm_config", "language_config"};
    model m;
    memset(&m, 0, sizeof m);
    m.file = file;
    m.used = (unsigned char *)calloc(file->count + 1, 1);
    size_t count = 0;
    if (!m.used) {
        say(add_part(parts, &count, "config"), NOTE_WRONG, "memory", "there is not enough");
        return count;
    }
    const char *const around = is_object(&m, "thinker_config") ? "thinker_config" : "";
    char text[PATH_SIZE], path[PATH_SIZE];
    snprintf(text, sizeof text, "%s", around);
    for (size_t k = 0; k < TOOL_COUNT(texts); k++) {
        join(path, around, texts[k]);
        if (is_object(&m, path)) memcpy(text, path, sizeof text);
    }
    read_text(&m, text, around, parts, &count);
    reader r = {&parts[0], &m, "", "", -1};
    for (size_t k = 0; k < TOOL_COUNT(texts); k++) {
        value v;
        if (look_up(&r, around, texts[k], &v) && !is_object(&m, v.path))
            wrong_type(&r, &v, "an object");
    }
    read_tower(&m, around, "vision_config", "vision", parts, &count);
    read_tower(&m, around, "audio_config", "audio", parts, &count);
    judge_settings(&m, text, &parts[0]);
    list_free(&m.usual);
    free(m.used);
    return count;
}

#endif
