/* SPDX-License-Identifier: MIT */
/* Defines the error message with which a function that reads a file reports that it failed. */
#ifndef TOOL_COMPLAINT_H
#define TOOL_COMPLAINT_H

#include <stdarg.h>
#include <stdio.h>

/* Holds an error message about a file. tool/program.h turns it into a note (model/part.h), which
 * the user sees as the key followed by the text. */
typedef struct complaint {
    char key[1024]; /* the name of the file, or the key in it that is wrong      */
    char text[320]; /* what is wrong with it; empty as long as nothing is wrong */
} complaint;

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
/* Sets *to to a message about `key`. An earlier message in *to is lost. */
static void complain_of(complaint *to, const char *key, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    snprintf(to->key, sizeof to->key, "%s", key);
    vsnprintf(to->text, sizeof to->text, format, arguments);
    va_end(arguments);
}

#endif
