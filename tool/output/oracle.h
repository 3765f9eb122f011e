/* SPDX-License-Identifier: MIT */
/* Writes a part's cosines and sines as JSON, which tests of other programs can use as expected
 * values. docs/oracle.md describes the file.
 *
 * A part (model/part.h) is a set of layers that share one positional encoding. A note is a message
 * about a key, a flag or a file. */
#ifndef TOOL_ORACLE_H
#define TOOL_ORACLE_H

#include "report_text.h"
#include "table.h"

/* Lists the positions of such a file by default. They are the first ones, some at which angles
 * in float32 have visible errors, and 2^24 + 1, the first integer that is no float32. */
static const char oracle_positions[] = "0,1,2,100,4095,8191,131071,1000003,16777217";

/* Writes the text `before`, then an array of numbers. 17 digits give each double exactly. */
static void write_numbers(FILE *file, const char *before, const double *numbers, size_t count)
{
    fputs(before, file);
    for (size_t i = 0; i < count; i++) fprintf(file, i ? ", %.17g" : "[%.17g", numbers[i]);
    fputs("]", file);
}

/* Writes a member `name` that is an array of rows of `pairs` numbers, one row per line of the
 * file. It is not the first member, so a comma comes before it. */
static void write_rows(FILE *file, const char *name, const double *numbers, size_t rows,
                       size_t pairs)
{
    fprintf(file, ",\n  \"%s\": [", name);
    for (size_t r = 0; r < rows; r++)
        write_numbers(file, r ? ",\n    " : "\n    ", numbers + r * pairs, pairs);
    fputs("]", file);
}

/* Writes the positions of all rows to to[]. `where` is a list or a range, whose positions have one
 * coordinate. */
static void list_positions(const positions *where, double *to)
{
    for (size_t r = 0; r < where->rows; r++)
        to[r] = where->list ? where->list[r]
                            : (double)(where->positions.first + (int64_t)r * where->positions.step);
}

static int write_oracle(FILE *file, const part *p, const positions *where, const double *omega,
                        size_t pairs, double factor, const double *row_positions,
                        const double *cosines, const double *sines)
{
    fprintf(file, "{\n  \"posenc\": \"%s\",\n  \"part\": \"%s\",\n", PE_VERSION_STRING, p->name);
    fprintf(file, "  \"head_dim\": %zu,\n  \"rotary_dim\": %zu,\n  \"pairs\": \"%s\",\n",
            p->rope.head_dim, 2 * pairs, pairs_of(p));
    fprintf(file, "  \"rope_theta\": %.17g,\n  \"rope_type\": \"%s\",\n", p->rope.rope_theta,
            type_names[p->rope.rope_type].report);
    fprintf(file, "  \"attention_factor\": %.17g", factor);
    write_numbers(file, ",\n  \"frequencies\": ", omega, pairs);
    write_numbers(file, ",\n  \"positions\": ", row_positions, where->rows);
    write_rows(file, "cos", cosines, where->rows, pairs);
    write_rows(file, "sin", sines, where->rows, pairs);
    fputs("\n}\n", file);
    return !ferror(file);
}

/* Computes the table of a rotation with one coordinate, in doubles, and writes it to a file.
 * Errors become notes of the part. */
static void write_json_table(part *p, const char *name, const positions *where)
{
    size_t pairs = 0;
    if (p->kind == PART_ROPE && p->rope.axes > 1)
        say(p, NOTE_WRONG, "OUTPUT", "as JSON: for rotations of one coordinate");
    else if (p->kind != PART_ROPE)
        say(p, NOTE_WRONG, "OUTPUT", "as JSON: %s is no rotation, it is %s", p->name,
            kind_names[p->kind]);
    else if (where->axes != 1 || where->rows == 0 || where->rows > 1048576)
        say(p, NOTE_WRONG, "--positions", "as JSON: 1 to 2^20 positions of one coordinate");
    if (count_notes(p, NOTE_WRONG)) return;
    double *const omega = frequencies_of(p, &pairs), factor = attention_of(p);
    const size_t count = where->rows * pairs;
    double *const numbers =
        omega ? (double *)malloc((2 * count + where->rows) * sizeof *numbers) : NULL;
    FILE *const file = numbers ? fopen(name, "w") : NULL;
    if (numbers) {
        double *const cosines = numbers, *const sines = numbers + count,
                      *const row_positions = sines + count;
        list_positions(where, row_positions);
        const pe_status status = pe_sincos_f64(omega, pairs, factor, where->positions, where->rows,
                                               sines, cosines, pairs);
        if (status != PE_OK) say(p, NOTE_WRONG, "table", "%s", pe_status_string(status));
        else if (!file ||
                 !write_oracle(file, p, where, omega, pairs, factor, row_positions, cosines, sines))
            say(p, NOTE_WRONG, "table", "%s cannot be written", name);
    } else if (!count_notes(p, NOTE_WRONG)) say(p, NOTE_WRONG, "table", "no memory");
    if (file && fclose(file) != 0) say(p, NOTE_WRONG, "table", "%s cannot be written", name);
    if (!count_notes(p, NOTE_WRONG))
        print("%s: %zu rows of %zu pairs in %s\n", p->name, where->rows, pairs, name);
    free(numbers);
    free(omega);
}

#endif
