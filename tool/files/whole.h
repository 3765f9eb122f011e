/* SPDX-License-Identifier: MIT */
/* Reads a whole file into memory, or says why it cannot be read. */
#ifndef TOOL_WHOLE_H
#define TOOL_WHOLE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Why a file could not be opened or read just now, by errno. C99 has none of these numbers. */
static const char *why_unread(void)
{
    int is_missing = 0;
#ifdef ENOENT
    is_missing |= errno == ENOENT;
#endif
#ifdef ENOTDIR
    is_missing |= errno == ENOTDIR;
#endif
    if (is_missing)
        return "no such file: wanted is a config.json, a .gguf or KEY=VALUE; docs/models.md has "
               "models by name";
#ifdef EISDIR
    if (errno == EISDIR) return "a directory without a config.json that can be read";
#endif
#ifdef EACCES
    if (errno == EACCES) return "cannot be read: permission denied";
#endif
    return "cannot be read";
}

/* The largest file that is read: 64 MB. A config.json has a few kB. */
enum { MOST_BYTES = 1 << 26 };

/* Whether a text is empty or begins as JSON does that is no word, right or wrong. A comment is a
 * mistake within JSON. Weights in the format of safetensors begin with 8 bytes of a number, then a
 * brace; the last of the 8 are 0. */
static int may_be_json(const char *text, size_t size)
{
    const size_t head = size < 16 ? size : 16;
    size_t k = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    if (memchr(text, 0, head)) return 0;
    while (k < size && strchr(" \t\r\n", text[k]) && text[k]) k++;
    return k == size || (text[k] && strchr("{[\"-/0123456789", text[k]));
}

/* Reads a whole file into allocated memory and appends a 0. If the file cannot be JSON, only its first
 * bytes are read. If it is too large, only the first MOST_BYTES + 1 bytes are. A 0 within the file becomes
 * '?', because no text has it. */
static char *read_file(const char *name, size_t *size)
{
    FILE *const file = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");
    size_t room = 1 << 12;
    char *text = file ? (char *)malloc(room + 1) : NULL;
    *size = 0;
    while (text) {
        *size += fread(text + *size, 1, room - *size, file);
        if (*size < room || *size > MOST_BYTES || !may_be_json(text, *size)) break;
        char *const more = (char *)realloc(text, 2 * room + 1);
        if (!more) free(text);
        text = more;
        room *= 2;
    }
    for (size_t i = 16; text && i < *size; i++)
        if (text[i] == '\0') text[i] = '?';
    if (text) text[*size] = '\0';
    if (file && ferror(file)) {
        free(text);
        text = NULL;
    }
    if (file && file != stdin) fclose(file);
    return text;
}

#endif
