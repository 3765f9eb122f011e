/* SPDX-License-Identifier: MIT */
/* KEY=VALUE of the command line into the list: "rope_scaling.factor=8", whose value is as in JSON
 * or, failing that, a string. */
#ifndef TOOL_ARGUMENTS_H
#define TOOL_ARGUMENTS_H

#include "json.h"

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
        const item *const at = list_find(l, before);
        if (at && at->kind != VALUE_NULL && strcmp(at->text, "{}") != 0) return 1;
        if (at) list_remove(l, before);
    }
    return 0;
}

/* Set a key. Returns 0 if a key before its last is a value. */
static int set_key(list *l, const char *setting)
{
    flattener f;
    const keys_seen none = {NULL, 0, 0, ""};
    const char *const text = strchr(setting, '=') + 1;
    const size_t length = (size_t)(text - setting) - 1;
    if (length >= 200) return 0;
    memset(&f, 0, sizeof f);
    f.to = l;
    f.seen = &none;
    memcpy(f.path, setting, length);
    if (is_below_value(l, f.path)) return 0;
    list_remove(l, f.path);
    json_tokener *const tokener = json_tokener_new();
    if (!tokener) return 0;
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
    json_object *value = json_tokener_parse_ex(tokener, text, (int)strlen(text) + 1);
    if (json_tokener_get_error(tokener) != json_tokener_success)
        list_add(l, f.path, VALUE_STRING, 0, text, 0);
    else
        flatten(&f, value);
    json_object_put(value);
    json_tokener_free(tokener);
    return !l->is_out_of_memory;
}

#endif
