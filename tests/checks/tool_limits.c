/* SPDX-License-Identifier: MIT */
/* tool_limits.c: checks what posenc does at its limits. Memory runs out while it checks the keys of a file, a part has
 * more notes than fit, and a file is larger than posenc reads. It also checks a case of `compare` that no known array
 * reaches, and output that a caller collects. The argument is the name of a file that this program may write and remove.
 */
#include "pe.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t calls,
    failing_call; /* the call of realloc() with this number fails; the first has the number 1 */

static void *counted_realloc(void *memory, size_t size)
{
    return ++calls == failing_call ? NULL : realloc(memory, size);
}

#define realloc counted_realloc
#include "../../tool/files/json.h"

#include "../../tool/program.h"

static int failures;

static void check(int is_good, const char *what)
{
    if (!is_good) printf("%s\n", what);
    failures += !is_good;
}

/* Reads a text once for each call of realloc() that can fail. Each time, the file must be refused, or `count` items
 * be there, which is 0 for a text that must always be refused. */
static void read_without_memory(const char *text, size_t count)
{
    for (failing_call = 1; failing_call == 1 || calls >= failing_call - 1; failing_call++) {
        complaint is_wrong = {"", ""};
        list all = {0};
        calls = 0;
        read_json("config.json", text, strlen(text), &all, &is_wrong);
        const int is_right = count && all.count == count && !all.is_out_of_memory;
        check(is_wrong.text[0] || is_right, "without memory, a file is read in part");
        list_free(&all);
        if (calls < failing_call) break;
    }
    check(failing_call > 2, "no call of realloc() failed");
    failing_call = 0;
}

/* Checks that keys are compared, or the file is refused, with objects of more keys than the first memory holds. */
static void check_memory(void)
{
    char text[4096] = "{\"a\": [{", twice[8192];
    for (int k = 0; k < 200; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s\"k%d\": %d", k ? ", " : "", k,
                 k);
    snprintf(twice, sizeof twice, "%s}], \"z\": 1, \"y\": {}, \"z\": 2}", text);
    strcat(text, "}], \"z\": 1, \"y\": {}}");
    read_without_memory(twice, 0);
    read_without_memory(text, 202);
}

/* Checks that the worst kind of the notes stays the worst, for each number of notes and each pair of kinds. */
static void check_notes(void)
{
    static part p;
    for (int first = NOTE_UNDERSTOOD; first <= NOTE_WRONG; first++)
        for (int later = NOTE_UNDERSTOOD; later <= NOTE_WRONG; later++)
            for (size_t position = 0; position < MOST_NOTES + 3; position++) {
                const note_kind worst = (note_kind)(first > later ? first : later);
                memset(&p, 0, sizeof p);
                for (size_t k = 0; k < MOST_NOTES + 3; k++)
                    say(&p, (note_kind)(k == position ? first : later), "key", "%d", (int)k);
                check(p.notes == MOST_NOTES && count_notes(&p, worst) > 0,
                      "the worst note is lost");
            }
}

/* Checks that at most one byte more than MOST_BYTES is read. */
static void check_size(const char *name)
{
    FILE *const file = fopen(name, "wb");
    size_t size = 0;
    const int is_made = file && fputs("{\"model_type\": \"llama\"", file) >= 0 &&
                        fseek(file, 3L * MOST_BYTES, SEEK_SET) == 0 && fputc('}', file) == '}' &&
                        fclose(file) == 0;
    char *const text = is_made ? read_file(name, &size) : NULL;
    check(is_made && text && size == (size_t)MOST_BYTES + 1,
          "more of a large file is read than needed");
    free(text);
    remove(name);
}

/* Checks that positions wrapped to -4 ... 3 and to 0 ... 7 count as the same only in rows where they are. */
static void check_wraps(void)
{
    double row_positions[] = {0, 3, 4};
    const samples three_rows = {.rows = 3, .positions = row_positions, .axes = 1};
    const samples two_rows = {.rows = 2, .positions = row_positions, .axes = 1};
    const explanation is_signed = {.moved = MOVED_WRAPPED, .limit = 8, .is_signed = 1};
    const explanation is_unsigned = {.moved = MOVED_WRAPPED, .limit = 8};
    check(!are_moved_alike(&three_rows, &is_signed, &is_unsigned),
          "wraps to -4 and to 4 count as equal");
    check(are_moved_alike(&two_rows, &is_signed, &is_unsigned),
          "wraps to the same positions count as different");
    check(are_moved_alike(&three_rows, &is_signed, &is_signed), "a wrap is not equal to itself");
}

/* Checks that a table for standard output goes to output_file if that is set: a header of 128 bytes, then cosines and
 * sines in 3 rows of 4 floats. */
static void check_collected(void)
{
    char *words[] = {"posenc", "table", "-", "head_dim=8", "rope_theta=1000", "--positions", "1:3"};
    char magic[6] = "";
    output_file = tmpfile();
    const int status = output_file ? run((int)TOOL_COUNT(words), words) : 1;
    check(status == 0 && ftell(output_file) == 128 + 2 * 3 * 4 * 4,
          "a table for standard output is not collected");
    if (!output_file) return;
    rewind(output_file);
    check(fread(magic, 1, sizeof magic, output_file) == sizeof magic &&
              memcmp(magic, "\x93NUMPY", sizeof magic) == 0,
          "what is collected is no table");
    fclose(output_file);
    output_file = NULL;
}

int main(int count, char **words)
{
    if (count != 2) return 2;
    check_memory();
    check_notes();
    check_size(words[1]);
    check_wraps();
    check_collected();
    return failures != 0;
}
