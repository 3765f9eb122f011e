/* SPDX-License-Identifier: MIT */
/* Where the program prints to: standard output, or the file of a caller of tool/reader.c. */
#ifndef TOOL_OUTPUT_H
#define TOOL_OUTPUT_H

#include <stdarg.h>
#include <stdio.h>

static FILE *output_file; /* NULL: standard output */

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
