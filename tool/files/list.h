/* SPDX-License-Identifier: MIT */
/* Holds a model's file, whatever its format, as a list of items `path = value`. Two examples of a
 * path are "text_config.rope_parameters.full_attention.rope_theta" and "layer_types[3]". JSON
 * files, GGUF files and KEY=VALUE settings are turned into such a list. The code that finds the
 * encodings, read_model() of model/config.h and read_preset() of model/preset.h, reads the file
 * only through this list. */
#ifndef TOOL_LIST_H
#define TOOL_LIST_H

#include <stdlib.h>
#include <string.h>

/* Lists the types of values. The comments say what an item's `number` and `text` are. */
typedef enum value_kind {
    VALUE_NULL = 0, /* number is 0, text is "null"                                  */
    VALUE_BOOLEAN,  /* number is 0 or 1, text is "false" or "true"                  */
    VALUE_NUMBER,   /* number is the value as a double, text is the number as text  */
    VALUE_STRING,   /* number is 0, but see item; text is the string without quotes */
    /* This is a value without items of its own. An empty object or list has the text "{}" or "[]".
     * Otherwise it is a long list or string, a list of strings in a GGUF file, or a tensor whose
     * elements are not read. Then the text has its size, such as "[128256 elements]". The number is
     * 0. */
    VALUE_OTHER
} value_kind;

/* Lists where an item comes from. The numbers are those of posenc_reader_add() of tool/reader.c. */
typedef enum item_origin {
    ORIGIN_SETTING = 0, /* a KEY=VALUE setting                  */
    ORIGIN_FILE,        /* the model's file                     */
    ORIGIN_TYPE         /* the table entry of the model type    */
} item_origin;

/* A JSON list or a GGUF array with more elements than this becomes a single item of kind
 * VALUE_OTHER. */
enum { LIST_MOST_ELEMENTS = 4096 };

/* Holds one value of the file. */
typedef struct item {
    /* This is the path of the value: its keys, joined with '.', and indices as in "a[0]". It is
     * allocated. */
    char *path;
    value_kind kind; /* the type of the value                                             */
    /* This is the value of a number, and 0 or 1 for a boolean. For other kinds it is 0. Only a
     * string from a model type's table entry (model/types.h) may begin with a number, which is then
     * here. */
    double number;
    char *text;         /* the value as text, see value_kind; allocated                      */
    item_origin origin; /* where the item comes from                                       */
} item;

/* Holds a list of items in the order of the file. {0} is an empty list. */
typedef struct list {
    item *items;          /* allocated                                              */
    size_t count;         /* the number of items                                    */
    size_t room;          /* the number of items that the allocated memory can hold */
    int is_out_of_memory; /* 1: items are missing: memory or a limit was exceeded   */
} list;

static char *list__copy(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *const copy = (char *)malloc(size);
    return copy ? (char *)memcpy(copy, text, size) : NULL;
}

/* Appends an item with copies of `path` and `text`. Returns 1 on success. If memory runs out,
 * sets l->is_out_of_memory and returns 0. */
static int list_add(list *l, const char *path, value_kind kind, double number, const char *text,
                    item_origin origin)
{
    if (l->count == l->room) {
        const size_t room = l->room ? 2 * l->room : 64;
        item *const more = (item *)realloc(l->items, room * sizeof *more);
        if (more) l->items = more, l->room = room;
    }
    item added = {list__copy(path), kind, number, list__copy(text), origin};
    if (l->count == l->room || !added.path || !added.text) {
        free(added.path);
        free(added.text);
        l->is_out_of_memory = 1;
        return 0;
    }
    l->items[l->count++] = added;
    return 1;
}

/* Returns the first item with exactly this path, or NULL. */
static const item *list_find(const list *l, const char *path)
{
    for (size_t i = 0; i < l->count; i++)
        if (strcmp(l->items[i].path, path) == 0) return &l->items[i];
    return NULL;
}

/* Returns whether a path is equal to a prefix or continues it with a key or an index. "a", "a.b"
 * and "a[0]" are beneath "a", but "ab" is not. All paths are beneath "". */
static int is_beneath(const char *path, const char *prefix)
{
    const size_t length = strlen(prefix);
    return strncmp(path, prefix, length) == 0 &&
           (length == 0 || path[length] == '\0' || path[length] == '.' || path[length] == '[');
}

/* Returns the next item after the item `after` whose path is beneath `prefix`, or NULL if there
 * is none. With `after` = NULL, it returns the first such item. */
static const item *list_next(const list *l, const char *prefix, const item *after)
{
    for (size_t i = after ? (size_t)(after - l->items) + 1 : 0; i < l->count; i++)
        if (is_beneath(l->items[i].path, prefix)) return &l->items[i];
    return NULL;
}

/* Removes all items whose path is beneath `prefix`, in the sense of is_beneath(). The other items
 * move up, so pointers to items become invalid. */
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
