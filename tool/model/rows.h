/* SPDX-License-Identifier: MIT */
/* Reads which positions the rows of a table have, and computes the rows.
 *
 * A part (part.h) is a set of layers that share one positional encoding. */
#ifndef TOOL_ROWS_H
#define TOOL_ROWS_H

#include "plan.h"

#include <string.h>

/* Holds the value of --positions: first:count or first:count:step for a range, 16x32 for the
 * cells of a grid, or a list. A list has commas between positions, as in 3,5,7.5. If positions
 * have several coordinates, semicolons separate the positions, as in 0,1,2;0,1,3. */
typedef struct positions {
    pe_at positions; /* the positions in the form that pe's functions take          */
    size_t rows;     /* the number of positions                                     */
    size_t axes;     /* the number of coordinates of a position                     */
    double *list;    /* the numbers of a list, to which `positions` points; allocated, or NULL */
} positions;

/* Lists the types that a table's elements may have. table_types[] has their names for --type. */
typedef enum table_type {
    TABLE_F32 = 0,
    TABLE_F16,
    TABLE_BF16,
    TABLE_F64,
    TABLE_TYPE_COUNT
} table_type;
static const char *const table_types[] = {"f32", "f16", "bf16", "f64"};
TOOL_HAS_ALL(table_types, TABLE_TYPE_COUNT);
/* Lists the names of the values of pe_rope_table_layout, in their order, for --layout. */
static const char *const table_layouts[] = {"apart", "twice", "joined", "complex", "matrix"};
TOOL_HAS_ALL(table_layouts, PE_ROPE_TABLE_MATRIX + 1);

/* Reads a grid such as 16x32. Each cell of the grid is the position of one row of the table.
 * Returns NULL on success, otherwise an error message. */
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
            to->positions = pe_grid(sizes, to->axes);
            return NULL;
        }
        if (*end != 'x') return "a grid is as 16x32";
    }
    return "more axes than PE_MAX_AXES";
}

/* Reads a list such as 3,5,7.5 or 0,1,2;0,1,3. Without a semicolon, each number is a position.
 * Returns NULL on success, otherwise an error message. The caller frees to->list in both cases. */
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
    to->positions =
        to->axes == 1 ? pe_at_f64(to->list) : pe_coords_f64(to->list, to->axes, to->axes, 1);
    return NULL;
}

/* Reads the value of --positions. Returns NULL on success, otherwise an error message. The caller
 * frees to->list in both cases. */
static const char *read_positions(const char *text, positions *to)
{
    long long first, rows, step = 1;
    int used = 0;
    memset(to, 0, sizeof *to);
    if (!strchr(text, ':')) return strchr(text, 'x') ? read_grid(text, to) : read_list(text, to);
    if (sscanf(text, "%lld:%lld%n:%lld%n", &first, &rows, &used, &step, &used) < 2 ||
        text[used] != '\0' || rows < 0)
        return "a range is first:count or first:count:step";
    to->positions = pe_from_by(first, step);
    to->rows = (size_t)rows;
    to->axes = 1;
    return NULL;
}

/* Returns the size of an element of a table in bytes. */
static size_t bytes_of(table_type type)
{
    return type == TABLE_F64 ? 8 : type == TABLE_F32 ? 4 : 2;
}

/* Computes the rows of a sinusoidal table, in elements of `type`. `stride` is the number of
 * elements from the beginning of a row to that of the next. */
static pe_status fill(const pe_plan *plan, const positions *where, table_type type, size_t stride,
                      void *out)
{
    if (type == TABLE_F32)
        return pe_fill_f32(plan, where->positions, where->rows, (float *)out, stride);
    if (type == TABLE_F16)
        return pe_fill_f16(plan, where->positions, where->rows, (uint16_t *)out, stride);
    if (type == TABLE_BF16)
        return pe_fill_bf16(plan, where->positions, where->rows, (uint16_t *)out, stride);
    return pe_fill_f64(plan, where->positions, where->rows, (double *)out, stride);
}

/* Computes the cosines and sines of a rotation, in elements of `type`, which must not be TABLE_F64.
 * In the layouts PE_ROPE_TABLE_APART and PE_ROPE_TABLE_TWICE, the array of sines follows that of
 * cosines; the other layouts have one array. `stride` is the number of elements from the beginning
 * of a row to that of the next. */
static pe_status fill_rope(const pe_plan *plan, const positions *where, table_type type,
                           pe_rope_table_layout layout, size_t stride, void *out)
{
    const size_t rows = where->rows;
    void *const sines =
        layout <= PE_ROPE_TABLE_TWICE ? (char *)out + rows * stride * bytes_of(type) : NULL;
    if (type == TABLE_F32)
        return pe_rope_table_f32(plan, where->positions, rows, layout, (float *)out, (float *)sines,
                                 stride, NULL);
    if (type == TABLE_F16)
        return pe_rope_table_f16(plan, where->positions, rows, layout, (uint16_t *)out,
                                 (uint16_t *)sines, stride, NULL);
    return pe_rope_table_bf16(plan, where->positions, rows, layout, (uint16_t *)out,
                              (uint16_t *)sines, stride, NULL);
}

#endif
