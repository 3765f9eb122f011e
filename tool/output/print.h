/* SPDX-License-Identifier: MIT */
/* Prints the reports. They go to standard output, or to a file if a program calls tool/reader.c
 * as a library. */
#ifndef TOOL_OUTPUT_H
#define TOOL_OUTPUT_H

#include <stdarg.h>
#include <stdio.h>

static FILE *output_file; /* where print() writes; NULL: standard output */

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
/* Prints like printf(), to output_file or, if that is NULL, to standard output. */
static void print(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(output_file ? output_file : stdout, format, arguments);
    va_end(arguments);
}

#endif
