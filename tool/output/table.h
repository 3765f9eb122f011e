/* SPDX-License-Identifier: MIT */
/* Writes a part's table to a file, as .npy or as numbers alone in the byte order of this machine.
 *
 * A part (model/part.h) is a set of layers that share one positional encoding. A note is a message
 * about a key, a flag or a file. */
#ifndef TOOL_TABLE_H
#define TOOL_TABLE_H

#include "../model/rows.h"
#include "print.h"

/* Writes the header of a .npy file of version 1.0, for an array with `axes` dimensions shape[].
 * The format wants a length that is a multiple of 64, so spaces are added. Returns 0 on failure. */
static int write_head(FILE *file, table_type type, const size_t *shape, size_t axes)
{
    static const char *const names[] = {"f4", "f2", "u2",
                                        "f8"}; /* u2: numpy has no bf16, so its bits are written */
    TOOL_HAS_ALL(names, TABLE_TYPE_COUNT);
    const uint16_t probe = 1;
    char head[192], sizes[96] = "";
    for (size_t a = 0; a < axes; a++)
        snprintf(sizes + strlen(sizes), sizeof sizes - strlen(sizes), "%zu, ", shape[a]);
    const int length =
        snprintf(head, sizeof head, "{'descr': '%c%s', 'fortran_order': False, 'shape': (%.80s), }",
                 *(const unsigned char *)&probe ? '<' : '>', names[type], sizes);
    const int padded = (10 + length + 1 + 63) / 64 * 64 - 10;
    return fwrite("\x93NUMPY\1", 1, 8, file) == 8 && fputc(padded & 255, file) != EOF &&
           fputc(padded >> 8, file) != EOF && fprintf(file, "%-*s\n", padded - 1, head) == padded;
}

/* Writes an array of `count` elements to a file; "-" is standard_output(). It is a .npy file if the
 * name ends in .npy or is "-", unless is_raw is 1. Other files have the elements alone. Returns 0
 * on failure. */
static int write_array(const char *name, int is_raw, table_type type, const size_t *shape,
                       size_t axes, const void *table, size_t count)
{
    const int is_stdout = strcmp(name, "-") == 0;
    const char *const dot = strrchr(name, '.');
    FILE *const file = is_stdout ? standard_output() : fopen(name, "wb");
    if (!file) return 0;
    const int has_head = !is_raw && (is_stdout || (dot && strcmp(dot, ".npy") == 0));
    int good = (!has_head || write_head(file, type, shape, axes)) &&
               fwrite(table, bytes_of(type), count, file) == count;
    if ((is_stdout ? fflush(file) : fclose(file)) != 0) good = 0;
    return good;
}

/* Computes the table of a part, and writes it to a file. `layout` is for RoPE only. In a layout
 * with two arrays, cosines and sines become one array of the shape (2, rows, width). Errors become
 * notes of the part. */
static void write_table(part *p, const char *name, int is_raw, const positions *where,
                        table_type type, pe_rope_table_layout layout)
{
    pe_plan plan;
    if (count_notes(p, NOTE_WRONG)) return;
    if (p->kind != PART_ROPE && p->kind != PART_SINUSOIDAL) {
        say(p, NOTE_WRONG, "--part", "%s has no table of sines: it is %s", p->name,
            kind_names[p->kind]);
        return;
    }
    void *const memory = plan_of(p, &plan);
    if (!memory) return;
    const int is_preset = p->kind == PART_SINUSOIDAL;
    const size_t is_two = !is_preset && layout <= PE_ROPE_TABLE_TWICE;
    const size_t width = is_preset                        ? plan.d_model
                         : layout == PE_ROPE_TABLE_APART  ? plan.pairs
                         : layout == PE_ROPE_TABLE_MATRIX ? 4 * plan.pairs
                                                          : plan.d_model;
    const size_t shape[3] = {2, where->rows, width}, count = (1 + is_two) * where->rows * width;
    void *const table =
        where->rows <= SIZE_MAX / 16 / width ? malloc(count * bytes_of(type) + 1) : NULL;
    pe_status status = PE_ERR_SIZE;
    if (!is_preset && type == TABLE_F64) status = PE_ERR_ENUM;
    else if (table)
        status = is_preset ? fill(&plan, where, type, width, table)
                           : fill_rope(&plan, where, type, layout, width, table);
    if (status == PE_ERR_ENUM && type == TABLE_F64)
        say(p, NOTE_WRONG, "--type", "f64 is for sinusoidal tables");
    else if (status == PE_ERR_AT_AXES)
        say(p, NOTE_WRONG, "--positions", "%zu coordinates each, but this part has %zu",
            where->axes, (size_t)plan.axes);
    else if (status != PE_OK) say(p, NOTE_WRONG, "table", "%s", pe_status_string(status));
    else if (!write_array(name, is_raw, type, shape + 1 - is_two, 2 + is_two, table, count))
        say(p, NOTE_WRONG, "table", "%s cannot be written", name);
    else if (strcmp(name, "-") != 0)
        print("%s: %s%zu rows of %zu %s numbers in %s\n", p->name, is_two ? "2 arrays of " : "",
              where->rows, width, table_types[type], name);
    free(table);
    free(memory);
}

#endif
