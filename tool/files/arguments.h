/* SPDX-License-Identifier: MIT */
/* Sets keys in the list of a model's file (list.h) from KEY=VALUE words of the command line. In
 * "rope_scaling.factor=8", the key is a path of the list. The value is read as JSON; if it is not
 * JSON, it becomes a string. */
#ifndef TOOL_ARGUMENTS_H
#define TOOL_ARGUMENTS_H

#include "list.h"

#include <stdio.h>

/* Returns whether a word of the command line is a setting KEY=VALUE, and not the name of a file.
 * Before its first '=', a setting has only letters, digits and _ . [ ], and at least one of
 * them. */
static int is_setting(const char *word)
{
    const size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_.[]");
    return length > 0 && word[length] == '=';
}

/* Returns whether an ancestor of a path has a value of another kind, so that the path cannot be set
 * beneath it. The ancestors of "a.b[0]" are "a" and "a.b". The one before a '.' must be an object,
 * and the one before a '[' a list. An ancestor that is null, or empty and of the right kind, is
 * removed from the list instead, since a path beneath it replaces it. */
static int is_below_value(list *l, const char *path)
{
    for (const char *next = strpbrk(path, ".["); next; next = strpbrk(next + 1, ".[")) {
        char before[256];
        const size_t length = (size_t)(next - path);
        snprintf(before, sizeof before, "%.*s", (int)length, path);
        for (const item *i = list_next(l, before, NULL); i && length; i = list_next(l, before, i)) {
            const int is_empty =
                i->kind == VALUE_NULL ||
                (i->kind == VALUE_OTHER && strcmp(i->text, *next == '.' ? "{}" : "[]") == 0);
            if (i->path[length] ? i->path[length] != *next : !is_empty) return 1;
        }
        const item *const entry = list_find(l, before);
        if (entry) list_remove(l, before);
    }
    return 0;
}

/* Sets a key of the list, where `setting` is a word KEY=VALUE. What the list has at the key or
 * beneath it is removed before. Returns 1 on success. Returns 0 if an ancestor of the key has a
 * value, see is_below_value(), or the key has 200 or more characters. Also returns 0 if memory runs
 * out or the list has too many items, and the old value is then lost. */
static int set_key(list *l, const char *setting)
{
    char path[256];
    const char *const text = strchr(setting, '=') + 1;
    const size_t length = (size_t)(text - setting) - 1;
    if (length >= 200) return 0;
    memcpy(path, setting, length);
    path[length] = '\0';
    if (is_below_value(l, path)) return 0;
    list_remove(l, path);
    return add_value(l, path, text) && !l->is_out_of_memory;
}

#endif
