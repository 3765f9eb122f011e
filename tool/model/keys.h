/* SPDX-License-Identifier: MIT */
/* Keys of a model's file, their types checked: in rope_parameters or rope_scaling first, then in
 * the config around it. What is null is absent; then the line of the model's type in types.h
 * counts. */
#ifndef TOOL_KEYS_H
#define TOOL_KEYS_H

#include "../files/list.h"
#include "part.h"

#include <math.h>

enum { PATH_SIZE = 256 };

/* Items of the list that the file does not have, but the line of its type, have this line. */
#define LINE_OF_TYPE ((size_t)-1)

typedef struct model {
    list *file;
    unsigned char *used; /* for each item 1 if somebody asked for it */
    size_t used_room;
    list usual;           /* what absent keys are for this model's type */
    char type[64];        /* its model_type, or ""                      */
    int is_known;         /* a table of types has it                    */
    char main[PATH_SIZE]; /* the config of the text, or ""        */
} model;

/* Where the keys of a part are looked up. */
typedef struct reader {
    part *out;
    model *m;
    char outer[PATH_SIZE]; /* the config of this part: "", "text_config"                        */
    char inner[PATH_SIZE]; /* the scaling of this part: "text_config.rope_parameters"; "": none */
    long layer;         /* one of its layers, for keys that are a list with a value a layer; -1 */
    const char *prefix; /* the names of parts begin with it: "", "talker"                */
    size_t first;       /* index of the first part of this config                        */
} reader;

typedef struct value {
    const item *entry;    /* NULL: an object or a list           */
    char path[PATH_SIZE]; /* all of it                           */
    const char *name;     /* as notes have it: "rope_scaling.factor" */
} value;

/* Marks an item as read. */
static void mark(const model *m, const item *i)
{
    const size_t k = (size_t)(i - m->file->items);
    if (k < m->used_room) m->used[k] = 1;
}

/* Returns whether somebody has read an item. Those of the type's line count as read. */
static int is_read(const model *m, const item *i)
{
    const size_t k = (size_t)(i - m->file->items);
    return k >= m->used_room || m->used[k];
}

static void join(char path[PATH_SIZE], const char *before, const char *key)
{
    snprintf(path, PATH_SIZE, "%.120s%s%.120s", before, before[0] ? "." : "", key);
}

/* Returns a path without the path of its config, for messages. */
static const char *name_of(const reader *r, const char *path)
{
    const size_t length = strlen(r->outer);
    return length && strncmp(path, r->outer, length) == 0 && path[length] == '.' ? path + length + 1
                                                                                 : path;
}

/* The value of a list for all layers of a part; NULL if it has none for one of them, or another. */
static const item *agreed(const reader *r, const char *path)
{
    char name[PATH_SIZE + 32];
    const item *all = NULL;
    for (size_t k = 0; k < r->out->layer_count; k++) {
        snprintf(name, sizeof name, "%s[%d]", path, (int)r->out->layers[k]);
        const item *const here = list_find(r->m->file, name);
        if (!here || (all && strcmp(all->text, here->text) != 0)) return NULL;
        all = all ? all : here;
    }
    return all;
}

/* Whether something is at a path, or beneath it, that is not null. Marks it as read. */
static int look_up(const reader *r, const char *before, const char *key, value *to)
{
    join(to->path, before, key);
    to->name = name_of(r, to->path);
    const item *entry = list_next(r->m->file, to->path, NULL);
    if (!entry) return 0;
    for (const item *i = entry; i; i = list_next(r->m->file, to->path, i)) mark(r->m, i);
    to->entry = strcmp(entry->path, to->path) == 0 ? entry : NULL;
    if (to->entry && entry->kind == VALUE_NULL) return 0;
    if (to->entry || r->layer < 0) return 1;
    to->entry = agreed(r, to->path);
    if (to->entry) snprintf(to->path, PATH_SIZE, "%s", to->entry->path);
    return 1;
}

/* Returns whether the file has the key, and its value is null. */
static int is_null(const reader *r, const char *before, const char *key)
{
    value v;
    v.entry = NULL;
    return !look_up(r, before, key, &v) && v.entry;
}

static int find(const reader *r, const char *key, value *to)
{
    if (r->inner[0] && look_up(r, r->inner, key, to)) return 1;
    return look_up(r, r->outer, key, to);
}

static int has(const reader *r, const char *key)
{
    value v;
    return find(r, key, &v);
}

/* The text of a value, as the file has it, cut at some length. */
static const char *shown(const reader *r, const value *v, char text[64])
{
    if (v->entry) {
        const int quoted = v->entry->kind == VALUE_STRING;
        snprintf(text, 64, quoted ? "\"%.58s\"" : "%.60s", v->entry->text);
        return text;
    }
    const item *i = list_next(r->m->file, v->path, NULL);
    const size_t length = strlen(v->path);
    const int is_list = i && i->path[length] == '[';
    snprintf(text, 64, is_list ? "[" : "an object");
    for (; is_list && i && strlen(text) < 44; i = list_next(r->m->file, v->path, i)) {
        const char *const quote = i->kind == VALUE_STRING ? "\"" : "";
        snprintf(text + strlen(text), 64 - strlen(text), "%s%s%.12s%s", text[1] ? "," : "", quote,
                 i->text, quote);
    }
    if (is_list) strcat(text, i ? ",..." : "]");
    return text;
}

static int wrong_type(const reader *r, const value *v, const char *wanted)
{
    char text[64];
    say(r->out, NOTE_WRONG, v->name, "%s is wanted, not %s", wanted, shown(r, v, text));
    return 0;
}

/* What an absent key is for models of this type, or NULL. */
static const item *usual_of(const reader *r, const char *key)
{
    return list_find(&r->m->usual, key);
}

static const item *usual(const reader *r, const char *key)
{
    const item *const entry = usual_of(r, key);
    if (entry)
        say(r->out, NOTE_UNDERSTOOD, key, "%s: absent, and this is what %s means then", entry->text,
            r->m->type);
    return entry;
}

/* Notes a value that was understood, and whether it is the file's or that of the model's type. */
static void understood(const reader *r, const value *v, const char *text)
{
    const int is_usual = v->entry && v->entry->line == LINE_OF_TYPE;
    if (is_usual)
        say(r->out, NOTE_UNDERSTOOD, v->name, "%s: absent, and this is what %s means then", text,
            r->m->type);
    else say(r->out, NOTE_UNDERSTOOD, v->name, "%s", text);
}

/* Notes a number that was understood. */
static void understood_number(const reader *r, const value *v, double number_of_it)
{
    char text[40];
    snprintf(text, sizeof text, "%.15g", number_of_it);
    understood(r, v, text);
}

/* 1 if the file has a number there; a value of another type is noted. */
static int number_there(const reader *r, const char *key, double *to)
{
    value v;
    if (!find(r, key, &v)) return 0;
    if (!v.entry || v.entry->kind != VALUE_NUMBER || isnan(v.entry->number))
        return wrong_type(r, &v, "a number");
    *to = v.entry->number;
    understood_number(r, &v, *to);
    return 1;
}

static int number(const reader *r, const char *key, double *to)
{
    if (number_there(r, key, to)) return 1;
    const item *const entry = has(r, key) ? NULL : usual(r, key);
    if (entry) *to = entry->number;
    return entry != NULL;
}

static int integer(const reader *r, const char *key, size_t *to)
{
    value v;
    if (!find(r, key, &v)) {
        const item *const entry = usual(r, key);
        if (entry) *to = (size_t)entry->number;
        return entry != NULL;
    }
    const double x = v.entry && v.entry->kind == VALUE_NUMBER ? v.entry->number : -1;
    if (!(x >= 0 && x <= 9007199254740992.0 && x == (double)(size_t)x))
        return wrong_type(r, &v, "a whole number within 0 ... 2^53");
    *to = (size_t)x;
    understood_number(r, &v, x);
    return 1;
}

/* The first of some keys, names of one thing, that has a whole number. */
static int integer_of(const reader *r, const char *const *keys, size_t count, size_t *to)
{
    for (size_t k = 0; k < count; k++)
        if (has(r, keys[k])) return integer(r, keys[k], to);
    for (size_t k = 0; k < count; k++)
        if (usual_of(r, keys[k])) return integer(r, keys[k], to);
    return 0;
}

static int truth(const reader *r, const char *key, int *to)
{
    value v;
    if (!find(r, key, &v)) {
        const item *const entry = usual(r, key);
        if (entry) *to = entry->number != 0;
        return entry != NULL;
    }
    if (!v.entry || v.entry->kind != VALUE_BOOLEAN) return wrong_type(r, &v, "true or false");
    *to = v.entry->number != 0;
    understood(r, &v, *to ? "true" : "false");
    return 1;
}

/* Returns whether a fact of the model's type is this word. */
static int is_fact(const reader *r, const char *fact_name, const char *word)
{
    const item *const entry = usual_of(r, fact_name);
    return entry && strcmp(entry->text, word) == 0;
}

/* Returns whether a word is in a list with commas. */
static int is_in_list(const char *words, const char *word)
{
    const size_t length = strlen(word);
    while (words && *words) {
        const size_t next = strcspn(words, ",");
        if (next == length && strncmp(words, word, length) == 0) return 1;
        words += next + (words[next] == ',');
    }
    return 0;
}

/* Returns whether a word is in the list that a fact of the model's type is. */
static int is_in_fact(const reader *r, const char *fact_name, const char *word)
{
    const item *const entry = usual_of(r, fact_name);
    return entry && is_in_list(entry->text, word);
}

/* Whether a key is true; another type is noted. */
static int is_true(const reader *r, const char *key)
{
    int to = 0;
    return truth(r, key, &to) && to;
}

/* Returns the string at a key, or NULL and a note if it is no string. */
static const char *string(const reader *r, const char *key, value *v)
{
    if (!find(r, key, v)) {
        const item *const entry = usual_of(r, key);
        return entry ? entry->text : NULL;
    }
    if (v->entry && v->entry->kind == VALUE_STRING) return v->entry->text;
    wrong_type(r, v, "a string");
    return NULL;
}

/* A list of numbers, allocated, and their count, or NULL. */
static double *list_there(const reader *r, const value *v, size_t *count)
{
    char path[PATH_SIZE + 32], text[64];
    double *const numbers = (double *)malloc((r->m->file->count + 1) * sizeof *numbers);
    const item *i = v->entry ? NULL : list_next(r->m->file, v->path, NULL);
    int are_numbers = !v->entry || strcmp(v->entry->text, "[]") == 0;
    for (*count = 0; i && are_numbers && numbers; i = list_next(r->m->file, v->path, i)) {
        snprintf(path, sizeof path, "%s[%zu]", v->path, *count);
        are_numbers = i->kind == VALUE_NUMBER && strcmp(i->path, path) == 0;
        numbers[(*count)++] = i->number;
    }
    if (!are_numbers) {
        wrong_type(r, v, "a list of numbers");
        free(numbers);
        return NULL;
    }
    if (*count <= PE_MAX_AXES) say(r->out, NOTE_UNDERSTOOD, v->name, "%s", shown(r, v, text));
    else say(r->out, NOTE_UNDERSTOOD, v->name, "%d numbers", (int)*count);
    return numbers;
}

static double *numbers_of(const reader *r, const char *key, size_t *count)
{
    value v;
    *count = 0;
    reader whole_list = *r;
    whole_list.layer = -1;
    return find(&whole_list, key, &v) ? list_there(&whole_list, &v, count) : NULL;
}

/* The key that a path has right beneath another one: "rope_scaling" of "a.rope_scaling.factor" in
 * "a". */
static const char *child_of(const char *path, const char *before, char name[PATH_SIZE])
{
    const char *const from = path + strlen(before) + (before[0] && path[strlen(before)] ? 1 : 0);
    const size_t length = strcspn(from, ".[");
    snprintf(name, PATH_SIZE, "%.*s", (int)(length < 200 ? length : 200), from);
    return from + length;
}

/* Whether there is an object at a path. */
static int is_object(const model *m, const char *path)
{
    const size_t length = strlen(path);
    for (const item *i = list_next(m->file, path, NULL); i; i = list_next(m->file, path, i))
        if (i->path[length] == '.' || (!i->path[length] && strcmp(i->text, "{}") == 0)) return 1;
    return 0;
}

/* Returns whether a key changes nothing for this type. */
static int is_ignored(const reader *r, const char *key) { return is_in_fact(r, "@ignores", key); }

/* Reads a size. If the line of the model's type names its key, as @hidden=KEY does, only this key
 * is read. Otherwise the first of `keys` that the file has counts. Returns 1 and sets *to if there
 * is one. */
static int size_of(const reader *r, const char *fact_name, const char *const *keys, size_t count,
                   size_t *to)
{
    const item *const own = usual_of(r, fact_name);
    if (own) return integer(r, own->text, to);
    return integer_of(r, keys, count, to);
}

static int is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; name && i < count; i++)
        if (strcmp(name, names[i]) == 0) return 1;
    return 0;
}

#endif
