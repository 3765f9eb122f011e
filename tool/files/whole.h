/* SPDX-License-Identifier: MIT */
/* Reads a whole file into memory, and gives the reason if that fails. */
#ifndef TOOL_WHOLE_H
#define TOOL_WHOLE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns why the last attempt to open or read a file failed, judged by errno. C99 does not
 * define ENOENT and the other error numbers used here, so each of them is tested with #ifdef. */
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

/* The largest size in bytes of a JSON file that is accepted: 2^26, called 64 MB in messages. A
 * config.json has a few kB. */
enum { MOST_BYTES = 1 << 26 };

/* Returns whether a file may be JSON, judged by its beginning. Leading white space and a byte
 * order mark are ignored. The file may be JSON if nothing follows, or a character that can begin
 * an object, a list, a string or a number. A comment is no JSON, but is also accepted, because
 * the JSON reader then reports the line. A byte of 0 among the first 16 means that the file is
 * binary. Files of safetensors, for example, begin with a length of 8 bytes, the last of which
 * are 0, and then have a brace. */
static int may_be_json(const char *text, size_t size)
{
    const size_t head = size < 16 ? size : 16;
    size_t k = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    if (memchr(text, 0, head)) return 0;
    while (k < size && strchr(" \t\r\n", text[k]) && text[k]) k++;
    return k == size || (text[k] && strchr("{[\"-/0123456789", text[k]));
}

/* Reads a file into allocated memory, appends a 0, and sets *size to the number of bytes read.
 * The name "-" is standard input. Returns NULL if the file cannot be read or memory runs out.
 *
 * Reading stops early if may_be_json() says that the file is not JSON, or after MOST_BYTES + 1
 * bytes. The caller recognises these two cases by calling may_be_json() and by comparing *size with
 * MOST_BYTES. From byte 16 to the end, each 0 is replaced by '?', so that
 * string functions see all of the text; may_be_json() still sees a 0 in the first 16 bytes. */
static char *read_file(const char *name, size_t *size)
{
    FILE *const file = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");
    size_t room = 1 << 12;
    char *text = file ? (char *)malloc(room + 1) : NULL;
    *size = 0;
    while (text) {
        *size += fread(text + *size, 1, room - *size, file);
        if (*size < room || *size > MOST_BYTES || !may_be_json(text, *size)) break;
        room = 2 * room <= MOST_BYTES ? 2 * room : MOST_BYTES + 1;
        char *const more = (char *)realloc(text, room + 1);
        if (!more) free(text);
        text = more;
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
