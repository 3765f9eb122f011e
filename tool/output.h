/* SPDX-License-Identifier: MIT */
/* Where the program prints to: standard output, or the file of a caller of tool/reader.c. */
#ifndef TOOL_OUTPUT_H
#define TOOL_OUTPUT_H

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

static FILE *output_file; /* NULL: standard output */

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

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
static void print(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(output_file ? output_file : stdout, format, arguments);
    va_end(arguments);
}

#endif
