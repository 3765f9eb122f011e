/* SPDX-License-Identifier: MIT */
/* Keys of config.json, their types checked: in rope_parameters or rope_scaling first, then in the
 * config around it. What is null is absent. */
#ifndef TOOL_KEYS_H
#define TOOL_KEYS_H

#include "part.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    part *out;
    const cJSON *outer;     /* the config of this part                                */
    const cJSON *inner;     /* its rope_parameters, those of a layer type, or NULL    */
    const char *inner_name; /* "rope_scaling"                                         */
} reader;

static const cJSON *member(const cJSON *object, const char *key)
{
    const cJSON *const value = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNull(value) ? NULL : value;
}

/* The value of a key, and where it was found, as "rope_scaling.factor". */
static const cJSON *find(const reader *r, const char *key, char path[96])
{
    const cJSON *const value = member(r->inner, key);
    snprintf(path, 96, "%s%s%s", value ? r->inner_name : "", value ? "." : "", key);
    return value ? value : member(r->outer, key);
}

/* The text of a value, as the file has it. */
static const char *shown(const cJSON *value, char text[64])
{
    char *const whole = cJSON_PrintUnformatted(value);
    snprintf(text, 64, "%.60s", whole ? whole : "?");
    cJSON_free(whole);
    return text;
}

static int wrong_type(const reader *r, const char *path, const char *wanted, const cJSON *value)
{
    char text[64];
    say(r->out, NOTE_WRONG, path, "%s is wanted, not %s", wanted, shown(value, text));
    return 0;
}

/* 1 if the key has a number; a value of another type is noted. */
static int number(const reader *r, const char *key, double *to)
{
    char path[96];
    const cJSON *const value = find(r, key, path);
    if (!value) return 0;
    if (!cJSON_IsNumber(value)) return wrong_type(r, path, "a number", value);
    *to = value->valuedouble;
    say(r->out, NOTE_UNDERSTOOD, path, "%.15g", *to);
    return 1;
}

static int whole(const reader *r, const char *key, size_t *to)
{
    char path[96];
    const cJSON *const value = find(r, key, path);
    if (!value) return 0;
    const double x = cJSON_IsNumber(value) ? value->valuedouble : -1;
    if (!(x >= 0 && x <= 9007199254740992.0 && x == (double)(size_t)x))
        return wrong_type(r, path, "a whole number within 0 ... 2^53", value);
    *to = (size_t)x;
    say(r->out, NOTE_UNDERSTOOD, path, "%.15g", x);
    return 1;
}

static int truth(const reader *r, const char *key, int *to)
{
    char path[96];
    const cJSON *const value = find(r, key, path);
    if (!value) return 0;
    if (!cJSON_IsBool(value)) return wrong_type(r, path, "true or false", value);
    *to = cJSON_IsTrue(value) != 0;
    say(r->out, NOTE_UNDERSTOOD, path, "%s", *to ? "true" : "false");
    return 1;
}

/* The string, or NULL. */
static const char *string(const reader *r, const char *key, char path[96])
{
    const cJSON *const value = find(r, key, path);
    if (value && !cJSON_IsString(value)) wrong_type(r, path, "a string", value);
    return cJSON_GetStringValue(value);
}

/* A list of numbers, allocated, and their count, or NULL. */
static double *list(const reader *r, const char *key, size_t *count)
{
    char path[96];
    const cJSON *const value = find(r, key, path), *entry;
    *count = 0;
    if (!value) return NULL;
    int are_numbers = cJSON_IsArray(value);
    cJSON_ArrayForEach(entry, value) are_numbers = are_numbers && cJSON_IsNumber(entry);
    if (!are_numbers) {
        wrong_type(r, path, "a list of numbers", value);
        return NULL;
    }
    double *const numbers =
        (double *)malloc(((size_t)cJSON_GetArraySize(value) + 1) * sizeof *numbers);
    if (!numbers) return NULL;
    cJSON_ArrayForEach(entry, value) numbers[(*count)++] = entry->valuedouble;
    char text[64];
    if (*count <= PE_MAX_AXES)
        say(r->out, NOTE_UNDERSTOOD, path, "%s", shown(value, text));
    else
        say(r->out, NOTE_UNDERSTOOD, path, "%d numbers", (int)*count);
    return numbers;
}

#endif
