/* SPDX-License-Identifier: MIT */
/* Warns of keys of a config that posenc has not read although they may change what it reports. Such
 * a key is recognised by a word in its name, such as "rope" (telling_words[] of known.h).
 *
 * A part (part.h) is a set of layers that share one positional encoding, and a note is a message
 * about a key. The table entry of a model type has defaults, which are the values of absent keys,
 * and facts, whose names begin with @ (type_line.h). A reader (keys.h) says in which config keys
 * are looked up, and which part gets the results. */
#ifndef TOOL_UNREAD_H
#define TOOL_UNREAD_H

#include "parts.h"
#include "types.h"

/* Returns whether the name of a key suggests that it changes rotations or positions. */
static int is_telling(const char *key)
{
    for (size_t k = 0; k < TOOL_COUNT(telling_words); k++)
        if (strstr(key, telling_words[k])) return 1;
    return 0;
}

/* Adds a note to each key within an object of the config if its name suggests positions and no code
 * has read it. Null values are skipped, and so are the objects that the fact @ignores names. The
 * objects rope_scaling and rope_parameters are skipped, since judge_scaling() notes their keys. So
 * are objects with a name that ends in _config, such as qformer_config, except attn_config and
 * attention_config. Most of them are configs of other models, which read_subs() of config.h
 * reads. */
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
        if (*rest != '.' || is_read(r->m, i) || !is_telling(last + 1) || i->kind == VALUE_NULL ||
            is_ignored(r, key) || is_one_of(key, scalings, TOOL_COUNT(scalings)) ||
            (is_config && !is_one_of(key, attention, TOOL_COUNT(attention))))
            continue;
        const value v = {i, "", name_of(r, i->path)};
        say(r->out, r->out->kind == PART_ROPE ? NOTE_UNREAD : NOTE_ODD, v.name,
            "%s: posenc reads nothing of this object. Set the key of the config that means the "
            "same",
            shown(r, &v, text));
    }
}

/* Returns whether a key is false and would otherwise switch on something that posenc does not
 * compute; see switched_words[] of known.h. */
static int is_off(const item *i, const char *key)
{
    if (i->kind != VALUE_BOOLEAN || i->number != 0 || strncmp(key, "use_", 4) != 0) return 0;
    for (size_t k = 0; k < TOOL_COUNT(switched_words); k++)
        if (strstr(key, switched_words[k])) return 1;
    return 0;
}

/* Adds a note to each key of the fact @unread that the file has with another value than the fact.
 * The model's own code reads such a key, but transformers always computes with the value that the
 * fact has after the key. */
static void judge_unread_by_library(const reader *r)
{
    char key[PATH_SIZE], meant[32], text[64];
    int length = 0;
    const item *const listed = usual_of(r, "@unread");
    for (const char *found = listed ? listed->text : ""; *found;
         found += length, found += *found == ',') {
        value v;
        if (sscanf(found, "%255[^:]:%31[^,]%n", key, meant, &length) != 2) return;
        if (!find(r, key, &v)) continue;
        const double number = meant[0] == 't' ? 1 : meant[0] == 'f' ? 0 : strtod(meant, NULL);
        if (v.entry && v.entry->number != number)
            say(r->out, NOTE_GUESS, v.name,
                "%s: read as the model's own code reads it. transformers %s does not read this "
                "key, and computes with %s",
                shown(r, &v, text), TYPES_TRANSFORMERS, meant);
    }
}

/* Adds notes to keys of the config itself that no code has read. They are keys whose names suggest
 * rotations or positions and, if the config has no model_type, also other unknown keys. Null
 * values, empty lists, harmless_keys[] (known.h) and keys of the fact @ignores are skipped.
 *
 * Also calls judge_scaling_key() for each key, and judge_unread_by_library(). Adds a note if the
 * model_type is in no table, in which case posenc guessed the rules. */
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
        const int was_read = is_read(r->m, i);
        if (judge_scaling_key(r, key, key, i) || was_read ||
            is_one_of(key, harmless_keys, TOOL_COUNT(harmless_keys)) || i->kind == VALUE_NULL)
            continue;
        if (is_ignored(r, key) || strcmp(i->text, "[]") == 0) continue;
        if (is_off(i, key)) {
            say(r->out, NOTE_UNDERSTOOD, key, "false: it is off");
            continue;
        }
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
    judge_unread_by_library(r);
    if (!r->m->type[0] || r->m->is_known) return;
    if (has(r, "patch_size"))
        say(r->out, NOTE_UNREAD, "model_type",
            "%s: not in posenc's table, and patch_size speaks of images, whose positions are by y "
            "and "
            "x: see docs/models.md",
            r->m->type);
    else if (speaks)
        say(r->out, NOTE_GUESS, "model_type",
            "%s: not in posenc's table (transformers %s, %s): read by "
            "the general rules. Look at its code for pairs and defaults",
            r->m->type, TYPES_TRANSFORMERS, TYPES_CHECKED);
    else
        say(r->out, NOTE_UNREAD, "model_type",
            "%s: not in posenc's table, and no key speaks of rotation: is it a model with RoPE?",
            r->m->type);
}

#endif
