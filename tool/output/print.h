/* SPDX-License-Identifier: MIT */
/* Prints the reports. They go to standard output or, if a program calls tool/reader.c as a library
 * and collects them, to a file. */
#ifndef TOOL_PRINT_H
#define TOOL_PRINT_H

#include <stdarg.h>
#include <stdio.h>

static FILE *output_file; /* where reports and tables for standard output go; NULL: there */

/* Returns the file for reports, and for a table whose file is "-". */
static FILE *standard_output(void) { return output_file ? output_file : stdout; }

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
/* Prints like printf(), to standard_output(). */
static void print(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(standard_output(), format, arguments);
    va_end(arguments);
}

#endif
