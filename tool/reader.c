/* SPDX-License-Identifier: MIT
 *
 * Builds posenc as a library, for languages that can read JSON themselves. python/posenc loads it
 * beside libposenc. Its functions are not part of pe's interface.
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

/* The caller's function that reads JSON. It calls posenc_reader_add(to, ...) for each value of
 * `text`. Each path begins with `prefix`, which is "" for a whole file. Returns 1 on success.
 * Otherwise writes an error message to `error`, which has `room` bytes, and returns 0. */
typedef int (*posenc_reader_json)(void *to, const char *prefix, const char *text, char *error,
                                  size_t room);

/* This is the function of the current posenc_reader_run(). read_json() and add_value() call it;
 * files/json.h documents what program.h expects of these two. */
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
           list_add(l, path, VALUE_STRING, 0, text, ORIGIN_SETTING);
}

#include "program.h"

READER_API int posenc_reader_add(void *to, const char *path, int kind, double number,
                                 const char *text, int origin);
READER_API int posenc_reader_run(int count, char **words, posenc_reader_json json, char **output,
                                 size_t *size);
READER_API void posenc_reader_free(char *output);

/* Adds an item to the list `to`. `kind` is a value_kind of files/list.h, which also says what
 * `number` and `text` are. `origin` is an item_origin of the same file. Returns 1, or 0 if there
 * are more than 65536 items already or no memory is left. */
READER_API int posenc_reader_add(void *to, const char *path, int kind, double number,
                                 const char *text, int origin)
{
    list *const l = (list *)to;
    if (l->count > 65536) l->is_out_of_memory = 1;
    return !l->is_out_of_memory &&
           list_add(l, path, (value_kind)kind, number, text, (item_origin)origin);
}

/* Runs a command line of posenc, and returns its status. words[0] is the name of the program. With
 * output = NULL, what the program prints goes to standard output. Otherwise *output becomes these
 * *size bytes, which posenc_reader_free() frees, or NULL if there is no memory or no temporary
 * file. The bytes of a table may be 0. Error messages go to standard error. `json` reads
 * JSON. Only one thread may call this function at a time, because it uses static variables. */
READER_API int posenc_reader_run(int count, char **words, posenc_reader_json json, char **output,
                                 size_t *size)
{
    reader_json = json;
    output_file = output ? tmpfile() : NULL;
    if (output) *output = NULL;
    if (output && !output_file) return 2;
    const int status = run(count, words);
    if (output) {
        const long end = ftell(output_file);
        *output = end >= 0 ? (char *)malloc((size_t)end + 1) : NULL;
        rewind(output_file);
        *size = *output ? fread(*output, 1, (size_t)end, output_file) : 0;
        fclose(output_file);
        output_file = NULL;
    }
    return status;
}

/* Frees the output of posenc_reader_run(). NULL is allowed. */
READER_API void posenc_reader_free(char *output) { free(output); }
