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

/* Returns whether an ancestor of a path has a value, so that no key can be set beneath it. The
 * ancestors of "a.b.c" are "a" and "a.b". An ancestor that is null or {} is removed from the list
 * instead, since it turns into an object when a key is set beneath it. A list with elements at "a"
 * is not noticed, because its items are "a[0]", "a[1]" and so on. */
static int is_below_value(list *l, const char *path)
{
    for (const char *dot = strchr(path, '.'); dot; dot = strchr(dot + 1, '.')) {
        char before[256];
        snprintf(before, sizeof before, "%.*s", (int)(dot - path), path);
        const item *const entry = list_find(l, before);
        if (entry && entry->kind != VALUE_NULL && strcmp(entry->text, "{}") != 0) return 1;
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
