/* SPDX-License-Identifier: MIT */
/* Reads config.json with json-c into a list of `path = value` (list.h). The text must be strict
 * JSON, except that NaN and Infinity are accepted, because Python writes them. */
#ifndef TOOL_JSON_H
#define TOOL_JSON_H

#include "complaint.h"
#include "list.h"

#include <json-c/json.h>

/* Limits for hostile files. JSON_DEPTH is the maximum depth of nested objects and lists that json-c
 * is given. Once the list has more than JSON_MOST_ITEMS items, flatten() appends nothing.
 * JSON_PATH_SIZE is the size in bytes of the buffer for a path. A path that leaves less than 300
 * bytes of the buffer is refused, since one more key of up to 255 bytes, or an index, must fit. */
enum { JSON_DEPTH = 64, JSON_MOST_ITEMS = 65536, JSON_PATH_SIZE = 1024 };

/* Holds what check_keys() finds in the text of the file. json-c does not report keys that occur
 * twice. */
typedef struct keys_checked {
    char twice[96];       /* a key that one object has twice, its first 90 bytes; or empty */
    int is_out_of_memory; /* 1: memory ran out, so that keys were not checked              */
} keys_checked;

/* Holds a key as it is in the text of the file, without its quotes. */
typedef struct span {
    const char *begin; /* the first byte of the key, within the file's text */
    size_t length;     /* in bytes                                          */
} span;

/* Compares two spans for qsort(). Equal keys become adjacent. */
static int by_name(const void *a, const void *b)
{
    const span *const x = (const span *)a, *const y = (const span *)b;
    const size_t shorter = x->length < y->length ? x->length : y->length;
    const int order = memcmp(x->begin, y->begin, shorter);
    return order ? order : (x->length > y->length) - (x->length < y->length);
}

/* Returns the closing quote of the string whose opening quote is at c, or the end of the text if
 * there is none. The character after a backslash never closes the string. */
static const char *string_end(const char *c)
{
    for (c++; *c && *c != '"'; c++)
        if (*c == '\\' && c[1]) c++;
    return c;
}

/* Records a key that one object has twice in an object or a list, also of those deeper inside,
 * because json-c silently keeps the last one. If there are several, it is the first by name in the
 * object that closes first. `c` points to the opening bracket, and the returned pointer to the
 * closing one. If memory runs out, the returned pointer is the end of the text, so that the callers
 * also stop. The text must have been accepted by json-c. */
static const char *check_keys(const char *c, keys_checked *to)
{
    span *names = NULL;
    size_t count = 0, room = 0;
    const int is_object_here = *c == '{';
    int wants_key = is_object_here;
    for (c++; *c && *c != '}' && *c != ']'; c++) {
        if (*c == ',') wants_key = is_object_here;
        if (*c == '{' || *c == '[') c = check_keys(c, to);
        if (!*c) break;
        if (*c != '"') continue;
        const char *const end = string_end(c);
        if (wants_key && count == room) {
            room = room ? 2 * room : 32;
            span *const more = (span *)realloc(names, room * sizeof *more);
            if (!more) {
                to->is_out_of_memory = 1;
                free(names);
                return c + strlen(c);
            }
            names = more;
        }
        if (wants_key) {
            names[count].begin = c + 1;
            names[count++].length = (size_t)(end - c - 1);
            wants_key = 0;
        }
        c = end;
        if (!*c) break;
    }
    if (count > 1) qsort(names, count, sizeof *names, by_name);
    for (size_t k = 1; k < count && !to->twice[0]; k++)
        if (by_name(&names[k - 1], &names[k]) == 0)
            snprintf(to->twice, sizeof to->twice, "%.*s",
                     (int)(names[k].length < 90 ? names[k].length : 90), names[k].begin);
    free(names);
    return c;
}

/* Holds the state of flatten(), which turns a value of json-c into items of a list. */
typedef struct flattener {
    list *to;                  /* the list that gets the items                */
    item_origin origin;        /* the origin of these items                   */
    char path[JSON_PATH_SIZE]; /* the path of the value that is flattened now */
} flattener;

static void flatten(flattener *f, json_object *value);

/* Flattens the members of an object. f->path has `length` characters; the first 255 bytes of each
 * member's key are appended to it and removed again. */
static void flatten_object(flattener *f, json_object *value, size_t length)
{
    json_object_object_foreach(value, key, member)
    {
        snprintf(f->path + length, JSON_PATH_SIZE - length, "%s%.255s", length ? "." : "", key);
        for (char *c = f->path + length + (length > 0); *c; c++)
            if (*c == '.' || *c == '[') *c = '?'; /* in a path, '.' begins a key and '[' an index */
        flatten(f, member);
        f->path[length] = '\0';
    }
}

/* Flattens the elements of a list. A list with more than LIST_MOST_ELEMENTS elements becomes one
 * item of kind VALUE_OTHER. f->path has `length` characters. */
static void flatten_list(flattener *f, json_object *value, size_t length)
{
    const size_t count = json_object_array_length(value);
    char text[48];
    if (count > LIST_MOST_ELEMENTS) {
        snprintf(text, sizeof text, "[%zu elements]", count);
        list_add(f->to, f->path, VALUE_OTHER, 0, text, f->origin);
    }
    for (size_t i = 0; i < count && count <= LIST_MOST_ELEMENTS; i++) {
        snprintf(f->path + length, JSON_PATH_SIZE - length, "[%zu]", i);
        flatten(f, json_object_array_get_idx(value, i));
        f->path[length] = '\0';
    }
}

/* Appends the value at f->path, and all values inside it, to the list. If the list has too many
 * items or the path is too long (see JSON_PATH_SIZE), appends nothing and sets is_out_of_memory of
 * the list, as if memory had run out. */
static void flatten(flattener *f, json_object *value)
{
    const size_t length = strlen(f->path);
    const json_type type = json_object_get_type(value);
    const char *const text =
        value ? json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN) : "";
    if (f->to->count > JSON_MOST_ITEMS || length > JSON_PATH_SIZE - 300) {
        f->to->is_out_of_memory = 1;
        return;
    }
    if (type == json_type_object && json_object_object_length(value))
        flatten_object(f, value, length);
    else if (type == json_type_array && json_object_array_length(value))
        flatten_list(f, value, length);
    else if (type == json_type_object || type == json_type_array)
        list_add(f->to, f->path, VALUE_OTHER, 0, type == json_type_object ? "{}" : "[]", f->origin);
    else if (type == json_type_null) list_add(f->to, f->path, VALUE_NULL, 0, "null", f->origin);
    else if (type == json_type_boolean)
        list_add(f->to, f->path, VALUE_BOOLEAN, json_object_get_boolean(value), text, f->origin);
    else if (type == json_type_string)
        list_add(f->to, f->path, VALUE_STRING, 0, json_object_get_string(value), f->origin);
    else list_add(f->to, f->path, VALUE_NUMBER, json_object_get_double(value), text, f->origin);
}

/* Returns the number of the line that has the byte at offset `end`. The first line is 1. */
static int line_at(const char *text, size_t end)
{
    int line = 1;
    for (size_t i = 0; i < end; i++) line += text[i] == '\n';
    return line;
}

/* Parses a text of `length` bytes, followed by a 0, and appends its values to the list. On success,
 * *is_wrong stays as it is; the caller passes it empty. On failure, *is_wrong gets the error
 * message, and the list may have some of the values. The key of this message is `name`, the name of
 * the file, or the key that an object has twice. */
static void read_json(const char *name, const char *text, size_t length, list *to,
                      complaint *is_wrong)
{
    const size_t bom = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    json_tokener *const tokener = json_tokener_new_ex(JSON_DEPTH);
    if (!tokener || length > 0x7ffffff0) {
        complain_of(is_wrong, name, "does not fit in memory");
        if (tokener) json_tokener_free(tokener);
        return;
    }
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
    json_object *root = json_tokener_parse_ex(tokener, text + bom, (int)(length - bom));
    const enum json_tokener_error error = json_tokener_get_error(tokener);
    const size_t end = bom + json_tokener_get_parse_end(tokener);
    if (error == json_tokener_continue)
        complain_of(is_wrong, name, "is no JSON object: see line %d, where it ends",
                    line_at(text, length));
    else if (error != json_tokener_success || !json_object_is_type(root, json_type_object))
        complain_of(is_wrong, name, "is no JSON object: see line %d: %s",
                    error ? line_at(text, end) : 1,
                    error ? json_tokener_error_desc(error) : "no { begins it");
    else {
        keys_checked checked = {"", 0};
        flattener f = {to, ORIGIN_FILE, ""};
        check_keys(strchr(text, '{'), &checked);
        if (checked.is_out_of_memory) complain_of(is_wrong, name, "does not fit in memory");
        else if (checked.twice[0])
            complain_of(is_wrong, checked.twice,
                        "is there twice: Hugging Face takes the last, other programs the first");
        else flatten(&f, root);
        if (to->is_out_of_memory) complain_of(is_wrong, name, "has too many keys");
    }
    json_object_put(root);
    json_tokener_free(tokener);
}

/* Appends the value that a setting gives to a path. A text that is valid JSON becomes a value of
 * its type, and any other text becomes a string. Returns 1, or 0 if json-c gets no memory. A lost
 * item is reported by l->is_out_of_memory instead. */
static int add_value(list *l, const char *path, const char *text)
{
    flattener f;
    memset(&f, 0, sizeof f);
    f.to = l;
    f.origin = ORIGIN_SETTING;
    snprintf(f.path, sizeof f.path, "%s", path);
    json_tokener *const tokener = json_tokener_new();
    if (!tokener) return 0;
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
    json_object *value = json_tokener_parse_ex(tokener, text, (int)strlen(text) + 1);
    if (json_tokener_get_error(tokener) != json_tokener_success)
        list_add(l, f.path, VALUE_STRING, 0, text, ORIGIN_SETTING);
    else flatten(&f, value);
    json_object_put(value);
    json_tokener_free(tokener);
    return 1;
}

#endif
