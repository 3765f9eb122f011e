/* SPDX-License-Identifier: MIT */
/* KEY=VALUE of the command line into the list: "rope_scaling.factor=8", whose value is as in JSON
 * or, failing that, a string. */
#ifndef TOOL_ARGUMENTS_H
#define TOOL_ARGUMENTS_H

#include "list.h"

#include <stdio.h>

/* Whether a word is a setting, and no file: letters, digits and _ . [ ] before its first =. */
static int is_setting(const char *word)
{
    const size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_.[]");
    return length > 0 && word[length] == '=';
}

/* Whether an ancestor of a path is a value, so that nothing can be beneath it. */
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

/* Set a key. Returns 0 if a key before its last is a value, or without memory. */
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
