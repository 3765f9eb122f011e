/* SPDX-License-Identifier: MIT */
/* Looks up keys in a model's list (list.h), and checks the types of their values. A key is
 * looked up first in the config's scaling, which is the object rope_parameters or rope_scaling,
 * then in the config itself. A key whose value is null counts as absent. For an absent key, the
 * table entry of the model type (type_line.h) may have a default.
 *
 * A part (part.h) is a set of layers that share one positional encoding, and a note is a message
 * about a key. */
#ifndef TOOL_KEYS_H
#define TOOL_KEYS_H

#include "../files/list.h"
#include "known.h"
#include "part.h"

#include <math.h>

enum { PATH_SIZE = 256 };

/* Holds the list of a model's file, and the type of the config in it that is being read. */
typedef struct model {
    list *file;          /* the items of the file, and then those that were added to them */
    unsigned char *used; /* for each item: 1 if some code has looked it up; allocated     */
    size_t used_room;    /* the number of elements of `used`; later items count as read   */
    list usual;          /* the defaults and facts of the type, as items KEY and @FACT    */
    char type[64];       /* the type of the config, or ""; for GGUF, the architecture     */
    int is_known;        /* 1: a table of types.h has an entry for the type               */
    int is_of_library;   /* 1: that entry is in transformers.h, made from the library     */
    /* The path of the config that describes the layers of the file's first part, usually that of
     * the text. It is "" for the whole file, and until that config has been found. */
    char main[PATH_SIZE];
} model;

/* Says where the keys of a part are looked up, and which part gets the results and notes. */
typedef struct reader {
    part *out; /* gets the results and notes */
    model *m;
    char outer[PATH_SIZE]; /* the path of the part's config: "" or, for example, "text_config" */
    /* This is the path of the part's scaling, such as "text_config.rope_parameters", or "". */
    char inner[PATH_SIZE];
    /* This is the first layer of the part, or -1. With -1, look_up() finds lists as a whole.
     * Otherwise it takes every list to have one value per layer, and finds the value on which all
     * layers of the part agree. */
    long layer;
    const char *prefix; /* what the names of the config's parts begin with: "", "talker" ... */
    size_t first;       /* the index, among all parts, of the first part of this config      */
} reader;

/* Holds what look_up() finds at a key. */
typedef struct value {
    /* This is the item of the value. It is NULL if the value is an object or a list that is not
     * empty, unless look_up() has taken an element of the list. */
    const item *entry;
    char path[PATH_SIZE]; /* the path of the value in the list of the file                */
    const char *name;     /* its path within the config, for notes: "rope_scaling.factor" */
} value;

/* Marks an item as read. unread.h warns of items that no code has read. */
static void mark(const model *m, const item *i)
{
    const size_t k = (size_t)(i - m->file->items);
    if (k < m->used_room) m->used[k] = 1;
}

/* Returns whether some code has read an item. Items that were added to the list of the file count
 * as read, since the user did not write them. */
static int is_read(const model *m, const item *i)
{
    const size_t k = (size_t)(i - m->file->items);
    return k >= m->used_room || m->used[k];
}

/* Writes the path of a key in the object at the path `before`, where "" is the whole file. Each of
 * the two is cut after 120 characters. */
static void join(char path[PATH_SIZE], const char *before, const char *key)
{
    snprintf(path, PATH_SIZE, "%.120s%s%.120s", before, before[0] ? "." : "", key);
}

/* Returns a path without the path of the reader's config at its beginning, for notes. */
static const char *name_of(const reader *r, const char *path)
{
    const size_t length = strlen(r->outer);
    return length && strncmp(path, r->outer, length) == 0 && path[length] == '.' ? path + length + 1
                                                                                 : path;
}

/* The list at a path has one value per layer. Returns the element of the part's first layer if the
 * elements of all layers of the part have the same text. Returns NULL if they differ, if the list
 * lacks one of them, or if the part has no layers. */
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

/* Returns whether the object at the path `before` has a key whose value is not null. *to gets the
 * value, which is marked as read. If the value is a list and r->layer is not -1, *to gets the
 * element on which the part's layers agree; see agreed(). If they do not agree, *to gets the list,
 * with entry = NULL. If the key is absent, to->entry stays as it was; if its value is null, it is
 * the item of the null. */
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

/* Returns whether the object at the path `before` has the key, and its value is null. */
static int is_null(const reader *r, const char *before, const char *key)
{
    value v;
    v.entry = NULL;
    return !look_up(r, before, key, &v) && v.entry;
}

static int is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; name && i < count; i++)
        if (strcmp(name, names[i]) == 0) return 1;
    return 0;
}

/* Returns whether the model's code in transformers does not read a key, although other models have
 * their base, their width or their share of rotating elements there. This holds for keys of
 * particular_keys[] (known.h) that the table entry of the type does not name, neither as a default
 * nor in a fact. An entry names all such keys that the code reads, as changed_keys.py of
 * tests/checks tests with the library itself. */
static int is_foreign(const reader *r, const char *key)
{
    if (!r->m->is_of_library || !is_one_of(key, particular_keys, TOOL_COUNT(particular_keys)))
        return 0;
    for (size_t i = 0; i < r->m->usual.count; i++) {
        const item *const named = &r->m->usual.items[i];
        if (strcmp(named->path, key) == 0 || (named->path[0] == '@' && strstr(named->text, key)))
            return 0;
    }
    return 1;
}

/* Looks up a key in the scaling, at r->inner, then in the config, at r->outer. Returns whether one
 * of them has it with a value other than null, which *to gets as in look_up(). A key for which
 * is_foreign() returns 1 is not looked up. */
static int find(const reader *r, const char *key, value *to)
{
    if (is_foreign(r, key)) return 0;
    if (r->inner[0] && look_up(r, r->inner, key, to)) return 1;
    return look_up(r, r->outer, key, to);
}

static int has(const reader *r, const char *key)
{
    value v;
    return find(r, key, &v);
}

/* Writes a value to `text` as notes show it: "an object", a list in brackets, a string in quotes,
 * or the text of any other value. It is shortened to at most 63 characters, and a long list then
 * ends in ",..." without a bracket. Returns `text`. */
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

/* Notes that a value has the wrong type. `wanted` is the right one, such as "a number". Returns 0,
 * so that callers can return it. */
static int wrong_type(const reader *r, const value *v, const char *wanted)
{
    char text[64];
    say(r->out, NOTE_WRONG, v->name, "%s is wanted, not %s", wanted, shown(r, v, text));
    return 0;
}

/* Returns the default of a key, or the fact if `key` begins with @, that the table entry of the
 * model type has. Returns NULL if the entry has none. */
static const item *usual_of(const reader *r, const char *key)
{
    return list_find(&r->m->usual, key);
}

/* Notes that `text` is used as the value of the absent key `name`, since the table entry of the
 * model type says so. The note is a guess if the entry's fact @doubt names this key. */
static void note_usual(const reader *r, const char *name, const char *text)
{
    const item *const doubt = usual_of(r, "@doubt");
    const size_t length = strlen(name);
    if (doubt && strncmp(doubt->text, name, length) == 0 &&
        strncmp(doubt->text + length, ": ", 2) == 0)
        say(r->out, NOTE_GUESS, name, "%s: absent, and this is a guess: %s", text,
            doubt->text + length + 2);
    else
        say(r->out, NOTE_UNDERSTOOD, name, "%s: absent, and this is what %s means then", text,
            r->m->type);
}

/* Returns the default of an absent key, or NULL. Adds a note that the default is used. */
static const item *usual(const reader *r, const char *key)
{
    const item *const entry = usual_of(r, key);
    if (entry) note_usual(r, key, entry->text);
    return entry;
}

/* Notes a value that was understood, and whether it is the file's or was added from the type's
 * table entry. `text` is the value as the note shows it. */
static void understood(const reader *r, const value *v, const char *text)
{
    const int is_usual = v->entry && v->entry->origin == ORIGIN_TYPE;
    if (is_usual) note_usual(r, v->name, text);
    else say(r->out, NOTE_UNDERSTOOD, v->name, "%s", text);
}

/* Notes a number that was understood. */
static void understood_number(const reader *r, const value *v, double number_of_it)
{
    char text[40];
    snprintf(text, sizeof text, "%.15g", number_of_it);
    understood(r, v, text);
}

/* Returns 1 and sets *to if the file has a number at the key. Returns 0 if the file does not have
 * the key. Returns 0 and adds a note if its value is not a number. */
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

/* Does what number_there() does, but if the file does not have the key, takes the model type's
 * default, with a note, and returns 1. */
static int number(const reader *r, const char *key, double *to)
{
    if (number_there(r, key, to)) return 1;
    const item *const entry = has(r, key) ? NULL : usual(r, key);
    if (entry) *to = entry->number;
    return entry != NULL;
}

/* Does what number() does for a whole number from 0 to 2^53. */
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

/* Reads a whole number that models have under different keys. The first key that the file has
 * counts. If the file has none of them, the first key with a default counts. Returns 1 and sets
 * *to. Returns 0 if there is no such key, or if the value of the first one is no such number, which
 * gets a note. */
static int integer_of(const reader *r, const char *const *keys, size_t count, size_t *to)
{
    for (size_t k = 0; k < count; k++)
        if (has(r, keys[k])) return integer(r, keys[k], to);
    for (size_t k = 0; k < count; k++)
        if (usual_of(r, keys[k])) return integer(r, keys[k], to);
    return 0;
}

/* Does what number() does for true or false, which become 1 and 0. */
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

/* Returns whether a fact of the model type, such as "@reads", has this value. */
static int is_fact(const reader *r, const char *fact_name, const char *word)
{
    const item *const entry = usual_of(r, fact_name);
    return entry && strcmp(entry->text, word) == 0;
}

/* Returns whether a word is in a text of words with commas between them. */
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

/* Returns whether a word is in the value of a fact of the model type, such as "@ignores", whose
 * value is a text of words with commas between them. */
static int is_in_fact(const reader *r, const char *fact_name, const char *word)
{
    const item *const entry = usual_of(r, fact_name);
    return entry && is_in_list(entry->text, word);
}

/* Returns whether a key, or its default, is true. Returns 0 and adds a note if its value is not a
 * boolean. */
static int is_true(const reader *r, const char *key)
{
    int to = 0;
    return truth(r, key, &to) && to;
}

/* Returns the string at a key, and sets *v. If the file does not have the key, returns its default,
 * or NULL if there is none; *v then has no meaning. Returns NULL and adds a note if the value is
 * not a string. Unlike number(), adds no note about a value that was understood. */
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

/* Returns the elements of the list of numbers *v in memory that the caller frees, and sets *count.
 * Returns NULL, and adds a note, if the value is not such a list. Returns NULL with *count = 0 if
 * memory runs out. */
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

/* Returns the elements of the list of numbers at a key, in memory that the caller frees, and sets
 * *count. Returns NULL if the file does not have the key, its value is not such a list, or memory
 * runs out. An element of the list belongs to a pair or a coordinate, not to a layer, so
 * reader.layer is ignored. */
static double *numbers_of(const reader *r, const char *key, size_t *count)
{
    value v;
    *count = 0;
    reader whole_list = *r;
    whole_list.layer = -1;
    return find(&whole_list, key, &v) ? list_there(&whole_list, &v, count) : NULL;
}

/* Writes to `name` the key that follows `before` in a path: "rope_scaling" for the path
 * "a.rope_scaling.factor" and before = "a". Returns the rest of the path, here ".factor". */
static const char *child_of(const char *path, const char *before, char name[PATH_SIZE])
{
    const char *const from = path + strlen(before) + (before[0] && path[strlen(before)] ? 1 : 0);
    const size_t length = strcspn(from, ".[");
    snprintf(name, PATH_SIZE, "%.*s", (int)(length < 200 ? length : 200), from);
    return from + length;
}

/* Returns whether the value at a path is an object, which may be empty. */
static int is_object(const model *m, const char *path)
{
    const size_t length = strlen(path);
    for (const item *i = list_next(m->file, path, NULL); i; i = list_next(m->file, path, i))
        if (i->path[length] == '.' || (!i->path[length] && strcmp(i->text, "{}") == 0)) return 1;
    return 0;
}

/* Returns whether the fact @ignores of the model type says that a key changes nothing. */
static int is_ignored(const reader *r, const char *key) { return is_in_fact(r, "@ignores", key); }

/* Reads a whole number that models have under different keys. If the type has the fact
 * `fact_name`, such as @hidden=KEY, only this KEY is read, otherwise the `count` keys as by
 * integer_of(). Returns 1 and sets *to if there is such a number, else 0. */
static int size_of(const reader *r, const char *fact_name, const char *const *keys, size_t count,
                   size_t *to)
{
    const item *const own = usual_of(r, fact_name);
    if (own) return integer(r, own->text, to);
    return integer_of(r, keys, count, to);
}

#endif
