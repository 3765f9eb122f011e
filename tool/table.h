/* SPDX-License-Identifier: MIT */
/* Rows of a part's table, written as .npy or as raw numbers of this machine. */
#ifndef TOOL_TABLE_H
#define TOOL_TABLE_H

#include "output.h"
#include "plan.h"

#include <string.h>

/* --positions: first:count:step, 16x32 for the cells of a grid, or numbers with commas, one
 * position each; of several coordinates "0,1,2;0,1,3". */
typedef struct positions {
    pe_at at;
    size_t rows, axes;
    double *list; /* allocated, or NULL */
} positions;

typedef enum table_type {
    TABLE_F32 = 0,
    TABLE_F16,
    TABLE_BF16,
    TABLE_F64,
    TABLE_TYPE_COUNT
} table_type;
static const char *const table_types[] = {"f32", "f16", "bf16", "f64"};
TOOL_HAS_ALL(table_types, TABLE_TYPE_COUNT);
static const char *const table_layouts[] = {"apart", "twice", "joined", "complex", "matrix"};
TOOL_HAS_ALL(table_layouts, PE_ROPE_TABLE_MATRIX + 1);

static const char *read_grid(const char *text, positions *to)
{
    size_t sizes[PE_MAX_AXES];
    char *end;
    to->rows = 1;
    for (to->axes = 0; to->axes < PE_MAX_AXES; text = end + 1) {
        const long size = strtol(text, &end, 10);
        if (end == text || size < 1 || size > 1048576)
            return "a grid is as 16x32, each at most 2^20";
        sizes[to->axes++] = (size_t)size;
        if (to->rows > ((size_t)1 << 31) / (size_t)size) return "more than 2^31 rows";
        to->rows *= (size_t)size;
        if (*end == '\0') {
            to->at = pe_grid(sizes, to->axes);
            return NULL;
        }
        if (*end != 'x') return "a grid is as 16x32";
    }
    return "more axes than PE_MAX_AXES";
}

static const char *read_list(const char *text, positions *to)
{
    size_t numbers = 0, in_row = 0;
    char *end;
    to->list = (double *)malloc((strlen(text) + 1) * sizeof *to->list);
    if (!to->list) return "no memory";
    for (;; text = end + 1) {
        to->list[numbers++] = strtod(text, &end);
        in_row++;
        if (end == text || !strchr(",;", *end))
            return "numbers with commas, and semicolons between rows";
        if (*end == ',') continue;
        if (to->axes && in_row != to->axes) return "each row needs as many numbers";
        if (*end == ';' || to->axes) to->axes = in_row, to->rows++, in_row = 0;
        if (*end == '\0') break;
    }
    if (to->rows == 0) to->axes = 1, to->rows = numbers;
    to->at = to->axes == 1 ? pe_at_f64(to->list) : pe_coords_f64(to->list, to->axes, to->axes, 1);
    return NULL;
}

/* Returns what is wrong, or NULL. */
static const char *read_positions(const char *text, positions *to)
{
    long long first, rows, step = 1;
    int used = 0;
    memset(to, 0, sizeof *to);
    if (!strchr(text, ':')) return strchr(text, 'x') ? read_grid(text, to) : read_list(text, to);
    if (sscanf(text, "%lld:%lld%n:%lld%n", &first, &rows, &used, &step, &used) < 2 ||
        text[used] != '\0' || rows < 0)
        return "a range is first:count or first:count:step";
    to->at = pe_from_by(first, step);
    to->rows = (size_t)rows;
    to->axes = 1;
    return NULL;
}

static size_t bytes_of(table_type type)
{
    return type == TABLE_F64 ? 8 : type == TABLE_F32 ? 4 : 2;
}

/* The head of a .npy file, version 1.0, whose length is a multiple of 64. */
static int write_head(FILE *file, table_type type, const size_t *shape, size_t axes)
{
    static const char *const names[] = {"f4", "f2", "u2", "f8"}; /* numpy has no bf16: its bits */
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

static pe_status fill(const pe_plan *plan, const positions *where, table_type type, size_t stride,
                      void *out)
{
    if (type == TABLE_F32) return pe_fill_f32(plan, where->at, where->rows, (float *)out, stride);
    if (type == TABLE_F16)
        return pe_fill_f16(plan, where->at, where->rows, (uint16_t *)out, stride);
    if (type == TABLE_BF16)
        return pe_fill_bf16(plan, where->at, where->rows, (uint16_t *)out, stride);
    return pe_fill_f64(plan, where->at, where->rows, (double *)out, stride);
}

static pe_status fill_rope(const pe_plan *plan, const positions *where, table_type type,
                           pe_rope_table_layout layout, size_t stride, void *out)
{
    const size_t rows = where->rows;
    void *const sines =
        layout <= PE_ROPE_TABLE_TWICE ? (char *)out + rows * stride * bytes_of(type) : NULL;
    if (type == TABLE_F32)
        return pe_rope_table_f32(plan, where->at, rows, layout, (float *)out, (float *)sines,
                                 stride, NULL);
    if (type == TABLE_F16)
        return pe_rope_table_f16(plan, where->at, rows, layout, (uint16_t *)out, (uint16_t *)sines,
                                 stride, NULL);
    return pe_rope_table_bf16(plan, where->at, rows, layout, (uint16_t *)out, (uint16_t *)sines,
                              stride, NULL);
}

/* Write an array to a file, "-" being standard output, as .npy or as its elements alone. */
static int write_array(const char *name, int is_raw, table_type type, const size_t *shape,
                       size_t axes, const void *table, size_t count)
{
    const int is_stdout = strcmp(name, "-") == 0;
    const char *const dot = strrchr(name, '.');
    FILE *const file = is_stdout ? stdout : fopen(name, "wb");
    if (!file) return 0;
    const int has_head = !is_raw && (is_stdout || (dot && strcmp(dot, ".npy") == 0));
    int good = (!has_head || write_head(file, type, shape, axes)) &&
               fwrite(table, bytes_of(type), count, file) == count;
    if ((is_stdout ? fflush(file) : fclose(file)) != 0) good = 0;
    return good;
}

/* Write the table of a part. Cosines and sines in two arrays are one of shape (2, rows, width). */
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
