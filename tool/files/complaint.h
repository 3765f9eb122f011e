/* SPDX-License-Identifier: MIT */
/* What is wrong with a file that a reader was given. */
#ifndef TOOL_COMPLAINT_H
#define TOOL_COMPLAINT_H

#include <stdarg.h>
#include <stdio.h>

/* The key or the file that is wrong, and why. An empty text means that nothing is wrong. */
typedef struct complaint {
    char key[1024], text[320];
} complaint;

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
/* Writes a complaint over the one that is there. */
static void complain_of(complaint *to, const char *key, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    snprintf(to->key, sizeof to->key, "%s", key);
    vsnprintf(to->text, sizeof to->text, format, arguments);
    va_end(arguments);
}

#endif
