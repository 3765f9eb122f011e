/* SPDX-License-Identifier: MIT */
/* Holds a model's file as a list of `path = value`, whatever its format. JSON, GGUF and KEY=VALUE
 * are turned into such a list: "text_config.rope_parameters.full_attention.rope_theta",
 * "layer_types[3]". The code that finds the encodings, read_model() of config.h, reads only this
 * list. */
#ifndef TOOL_LIST_H
#define TOOL_LIST_H

#include <stdlib.h>
#include <string.h>

typedef enum value_kind {
    VALUE_NULL = 0,
    VALUE_BOOLEAN, /* number is 0 or 1, text "false" or "true" */
    VALUE_NUMBER,  /* number, and text as the file has it */
    VALUE_STRING,  /* text */
    VALUE_OTHER /* not flattened: text "{}" or "[]", or "[128256 elements]", a list that is long */
} value_kind;

/* Lists with more elements become one VALUE_OTHER. */
enum { LIST_MOST_ELEMENTS = 4096 };

typedef struct item {
    char *path;
    value_kind kind;
    double number;
    char *text;
    size_t line; /* of the file; 0: unknown, or no file */
} item;

/* Items in the order of the file. {0} is an empty list. */
typedef struct list {
    item *items;
    size_t count, room;
    int is_out_of_memory; /* 1: an item was lost */
} list;

static char *list__copy(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *const copy = (char *)malloc(size);
    return copy ? (char *)memcpy(copy, text, size) : NULL;
}

/* Append an item. Returns 1, or 0 without memory. */
static int list_add(list *l, const char *path, value_kind kind, double number, const char *text,
                    size_t line)
{
    if (l->count == l->room) {
        const size_t room = l->room ? 2 * l->room : 64;
        item *const more = (item *)realloc(l->items, room * sizeof *more);
        if (more) l->items = more, l->room = room;
    }
    item added = {list__copy(path), kind, number, list__copy(text), line};
    if (l->count == l->room || !added.path || !added.text) {
        free(added.path);
        free(added.text);
        l->is_out_of_memory = 1;
        return 0;
    }
    l->items[l->count++] = added;
    return 1;
}

/* Returns the item with exactly this path, or NULL. */
static const item *list_find(const list *l, const char *path)
{
    for (size_t i = 0; i < l->count; i++)
        if (strcmp(l->items[i].path, path) == 0) return &l->items[i];
    return NULL;
}

/* Whether path is at or beneath a prefix: "a.b" and "a[0]" are beneath "a"; all are beneath "". */
static int is_beneath(const char *path, const char *prefix)
{
    const size_t length = strlen(prefix);
    return strncmp(path, prefix, length) == 0 &&
           (length == 0 || path[length] == '\0' || path[length] == '.' || path[length] == '[');
}

/* The first item at or beneath a prefix that comes after another one (NULL: the first of all), or
 * NULL. */
static const item *list_next(const list *l, const char *prefix, const item *after)
{
    for (size_t i = after ? (size_t)(after - l->items) + 1 : 0; i < l->count; i++)
        if (is_beneath(l->items[i].path, prefix)) return &l->items[i];
    return NULL;
}

/* Remove all items at or beneath a prefix. */
static void list_remove(list *l, const char *prefix)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->count; i++) {
        if (is_beneath(l->items[i].path, prefix)) {
            free(l->items[i].path);
            free(l->items[i].text);
        } else l->items[kept++] = l->items[i];
    }
    l->count = kept;
}

static void list_free(list *l)
{
    list_remove(l, "");
    free(l->items);
    memset(l, 0, sizeof *l);
}

#endif
