/* SPDX-License-Identifier: MIT
 *
 * The reader of posenc as a library, for languages that can read JSON themselves: python/posenc
 * loads it beside libposenc. It is no part of pe's interface.
 *
 *     cc -std=c99 -O2 -fPIC -shared -I. tool/reader.c -o libposenc_reader.so -lm
 */
#include "pe.h"

#include "files/complaint.h"
#include "files/list.h"

#if defined(__GNUC__)
    #define READER_API __attribute__((visibility("default")))
#else
    #define READER_API
#endif

/* Flattens a text of JSON into a list by posenc_reader_add(), each path beneath a prefix ("": the
 * whole file). Returns 1, or 0 and what is wrong. */
typedef int (*posenc_reader_json)(void *to, const char *prefix, const char *text, char *error,
                                  size_t room);

static posenc_reader_json reader_json;

static void read_json(const char *name, const char *text, size_t length, list *to,
                      complaint *is_wrong)
{
    char error[256] = "";
    (void)length;
    if (!reader_json(to, "", text, error, sizeof error)) complain_of(is_wrong, name, "%s", error);
    if (to->is_out_of_memory) complain_of(is_wrong, name, "has too many keys");
}

static int add_value(list *l, const char *path, const char *text)
{
    char error[256] = "";
    return reader_json(l, path, text, error, sizeof error) ||
           list_add(l, path, VALUE_STRING, 0, text, 0);
}

#include "program.h"

READER_API int posenc_reader_add(void *to, const char *path, int kind, double number,
                                 const char *text, size_t line);
READER_API int posenc_reader_run(int count, char **words, posenc_reader_json json, char **output);
READER_API void posenc_reader_free(char *output);

/* Add an item to a list; kind is a value_kind. Returns 0 if there are too many. */
READER_API int posenc_reader_add(void *to, const char *path, int kind, double number,
                                 const char *text, size_t line)
{
    list *const l = (list *)to;
    if (l->count > 65536) l->is_out_of_memory = 1;
    return !l->is_out_of_memory && list_add(l, path, (value_kind)kind, number, text, line);
}

/* Run a command line of posenc. Its text goes to standard output or, if output is not NULL, to
 * *output, which posenc_reader_free() frees; *output is NULL without memory. Returns the status. One
 * thread at a time. */
READER_API int posenc_reader_run(int count, char **words, posenc_reader_json json, char **output)
{
    reader_json = json;
    output_file = output ? tmpfile() : NULL;
    if (output) *output = NULL;
    if (output && !output_file) return 2;
    const int status = run(count, words);
    if (output) {
        const long size = ftell(output_file);
        *output = size >= 0 ? (char *)malloc((size_t)size + 1) : NULL;
        rewind(output_file);
        if (*output) (*output)[fread(*output, 1, (size_t)size, output_file)] = '\0';
        fclose(output_file);
        output_file = NULL;
    }
    return status;
}

READER_API void posenc_reader_free(char *output) { free(output); }
