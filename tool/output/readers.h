/* SPDX-License-Identifier: MIT */
/* Reports that transformers 4 reads a config differently from posenc, and which keys to add for
 * it. transformers 4 ignores rope_parameters; this was tested with version 4.57.6. */
#ifndef TOOL_READERS_H
#define TOOL_READERS_H

#include "../files/list.h"
#include "fields.h"
#include "report_json.h"

#include <stdio.h>

static const char rope_parameters[] = "rope_parameters.";

/* Returns the first item whose path begins with the first `length` characters of `before`,
 * followed by `key`, and then ends or continues with '.' or '['. Returns NULL if there is none. */
static const item *item_beneath(const list *file, const char *before, size_t length,
                                const char *key)
{
    const size_t size = strlen(key);
    for (size_t k = 0; k < file->count; k++) {
        const char *const path = file->items[k].path;
        if (strncmp(path, before, length) == 0 && strncmp(path + length, key, size) == 0 &&
            strchr(".[", path[length + size]))
            return &file->items[k];
    }
    return NULL;
}

/* Prints the first `size` bytes of a text from the file as a JSON string, see clean(). */
static void print_string(const char *text, size_t size)
{
    char *const copy = (char *)malloc(size + 1);
    if (!copy) return;
    memcpy(copy, text, size);
    copy[size] = '\0';
    json_string(clean(copy));
    free(copy);
}

/* Prints the value of an item as JSON. The size of a list that was not read becomes a string. */
static void print_value(const item *i)
{
    const int is_size = i->kind == VALUE_OTHER && strlen(i->text) > 2;
    if (i->kind == VALUE_STRING || is_size) print_string(i->text, strlen(i->text));
    else print("%s", i->kind == VALUE_NULL ? "null" : i->text);
}

/* Returns whether transformers 4 expects a key of rope_parameters in the config itself, not in
 * rope_scaling. For LongRoPE, as in Phi-3, this also holds for original_max_position_embeddings. */
static int is_beside_scaling(const char *key, int is_long)
{
    return strcmp(key, "rope_theta") == 0 || strcmp(key, "partial_rotary_factor") == 0 ||
           (is_long && strcmp(key, "original_max_position_embeddings") == 0);
}

/* Prints the member rope_scaling that transformers 4 needs, made of the items of rope_parameters,
 * except those that it expects beside rope_scaling (is_beside_scaling()). The items are
 * consecutive in the list: the first has the index `first`, and their paths share `length`
 * characters. With is_long it is LongRoPE, whose rope_type is called `type` there. */
static void print_scaling(const list *file, size_t first, size_t length, int is_long)
{
    char last[256] = "";
    const char *before = "";
    int is_list = 0;
    print("\"rope_scaling\": {");
    for (size_t k = first; k < file->count; k++) {
        const item *const i = &file->items[k];
        if (strncmp(i->path, file->items[first].path, length) != 0) break;
        const char *const key = i->path + length;
        const size_t size = strcspn(key, ".[");
        if (is_beside_scaling(key, is_long)) continue;
        const int is_next = key[size] == '[' && strlen(last) == size && !strncmp(last, key, size);
        if (is_list && !is_next) print("]");
        const int is_type = is_long && strcmp(key, "rope_type") == 0; /* printed as "type" */
        print("%s", is_next ? ", " : before);
        if (!is_next) {
            print_string(is_type ? "type" : key, is_type ? 4 : size);
            print(": %s", key[size] == '[' ? "[" : "");
        }
        print_value(i);
        is_list = key[size] == '[';
        snprintf(last, sizeof last, "%.*s", (int)size, key);
        before = ", ";
    }
    print("%s}", is_list ? "]" : "");
}

/* Says which keys transformers 4 needs in an object of the file, because rope_parameters has their
 * values and the object itself does not. Each item is one of rope_parameters, or NULL if the
 * object does not need its key. */
typedef struct lacking {
    const item *theta;   /* with the key rope_theta                                          */
    const item *share;   /* with the key partial_rotary_factor                               */
    const item *trained; /* with the key original_max_position_embeddings, only for LongRoPE */
    int is_long;         /* 1: the scaling is LongRoPE                                       */
    int has_scaling;     /* 1: rope_parameters has a scaling, and there is no rope_scaling   */
    int is_nested;       /* 1: rope_parameters has an object for each kind of layers         */
} lacking;

/* Finds the keys that transformers 4 needs in the object whose keys have paths that begin with
 * the first `length` characters of `path`. */
static lacking find_lacking(const list *file, const char *path, size_t length)
{
    const item *const theta = item_beneath(file, path, length, "rope_parameters.rope_theta");
    const item *const share =
        item_beneath(file, path, length, "rope_parameters.partial_rotary_factor");
    const item *const type = item_beneath(file, path, length, "rope_parameters.rope_type");
    const int is_long = type && strcmp(type->text, "longrope") == 0;
    const item *const trained =
        is_long
            ? item_beneath(file, path, length, "rope_parameters.original_max_position_embeddings")
            : NULL;
    lacking l = {theta, share, trained, is_long, type && strcmp(type->text, "default") != 0, 0};
    if (item_beneath(file, path, length, "original_max_position_embeddings")) l.trained = NULL;
    if (item_beneath(file, path, length, "rope_theta")) l.theta = NULL;
    if (item_beneath(file, path, length, "partial_rotary_factor")) l.share = NULL;
    if (item_beneath(file, path, length, "rope_scaling")) l.has_scaling = 0;
    l.is_nested = !theta && !type;
    return l;
}

/* Prints the keys to add, as members of a JSON object. `first` is the index of the first item of
 * rope_parameters, and `length` is the length of the path before "rope_parameters". */
static void print_added(const list *file, size_t first, size_t length, const lacking *l)
{
    const char *before = "";
    const struct {
        const char *key;
        const item *value;
    } members[] = {{"rope_theta", l->theta},
                   {"partial_rotary_factor", l->share},
                   {"original_max_position_embeddings", l->has_scaling ? l->trained : NULL}};
    for (size_t k = 0; k < TOOL_COUNT(members); k++) {
        if (!members[k].value) continue;
        print("%s\"%s\": ", before, members[k].key);
        print_value(members[k].value);
        before = ", ";
    }
    if (!l->has_scaling) return;
    print("%s", before);
    print_scaling(file, first, length + sizeof rope_parameters - 1, l->is_long);
}

/* Reports, for each rope_parameters in the file, what transformers 4 reads and which keys to add.
 * A rope_parameters is left out if the keys that transformers 4 needs are already there. As JSON,
 * the reports are objects of a list; otherwise they are text. */
static void print_readers(const list *file, int is_json)
{
    const char *before = "\n    ";
    for (size_t k = 0; k < file->count; k++) {
        const char *const path = file->items[k].path, *const found = strstr(path, rope_parameters);
        const size_t length = found ? (size_t)(found - path) : 0;
        if (!found || (length && path[length - 1] != '.')) continue;
        const size_t whole_length = length + sizeof rope_parameters - 1;
        if (k && strncmp(file->items[k - 1].path, path, whole_length) == 0) continue;
        const lacking l = find_lacking(file, path, length);
        if (!l.is_nested && !l.theta && !l.share && !l.has_scaling) continue;
        if (is_json) {
            print("%s{\"reader\": \"transformers 4\", \"key\": ", before);
            print_string(path, whole_length - 1);
            print(", \"add\": %s", l.is_nested ? "null" : "{");
            if (!l.is_nested) print_added(file, k, length, &l), print("}");
            print("}");
            before = ",\n    ";
            continue;
        }
        char name[PATH_SIZE];
        snprintf(name, sizeof name, "%.*s", (int)whole_length - 1, path);
        print("\ntransformers 4 ignores %s: base and scaling are those of the model's class, for "
              "most\n"
              "types base 10000 and no scaling.",
              clean(name));
        if (l.is_nested) print(" Its classes have keys of their own for kinds of layers.\n");
        else {
            print(" For it, add\n  ");
            print_added(file, k, length, &l);
            print("\n");
        }
    }
}

#endif
