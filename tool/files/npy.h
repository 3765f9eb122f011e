/* SPDX-License-Identifier: MIT */
/* Reads an array of numbers from a .npy file, versions 1 to 3, as doubles. */
#ifndef TOOL_NPY_H
#define TOOL_NPY_H

#include "enums.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lists the element types of .npy files that are read. npy_types[] has their names in reports. */
typedef enum npy_type {
    NPY_F64 = 0,
    NPY_F32,
    NPY_F16,
    NPY_BF16,    /* numpy's "V2", two bytes without a type, since it has no bfloat16 */
    NPY_INTEGER, /* signed or unsigned, of 1, 2, 4 or 8 bytes */
    NPY_TYPE_COUNT
} npy_type;
static const char *const npy_types[] = {"f64", "f32", "f16", "bf16", "integers"};
TOOL_HAS_ALL(npy_types, NPY_TYPE_COUNT);

/* Holds an array of one or two dimensions. In memory, its rows follow one another, whatever the
 * file's order is. An array of one dimension is a single row. If there are more than two
 * dimensions, those before the last two must be 1, and are dropped. */
typedef struct npy {
    size_t rows;    /* at least 1                                                      */
    size_t columns; /* the number of doubles in a row; a complex number counts as two  */
    npy_type type;  /* the type in the file, for a complex number that of its real part */
    int is_complex; /* 1: the elements are complex: real part, imaginary part, ...     */
    double *of;     /* the elements as doubles; allocated, freed by the caller; or NULL */
} npy;

/* This is the limit for one dimension. All dimensions together may give half as many elements,
 * 2^27. With complex elements these are 2^28 doubles, or 2^31 bytes, which still fits in a size_t
 * of 32 bits. */
enum { NPY_MOST_ELEMENTS = 1 << 28 };

static double half_to_double(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double size = exponent == 31 ? (fraction ? (double)NAN : HUGE_VAL)
                        : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                       : ldexp(fraction, -24);
    return bits >> 15 ? -size : size;
}

static double bfloat16_to_double(uint16_t bits)
{
    const uint32_t wide = (uint32_t)bits << 16;
    float x;
    memcpy(&x, &wide, sizeof x);
    return (double)x;
}

/* Converts one real number to double. `bytes` has its `size` bytes in the byte order of this
 * machine. For an integer, `letter` is 'i' if it is signed and 'u' if it is unsigned. */
static double npy_element(const unsigned char *bytes, npy_type type, char letter, size_t size)
{
    float f;
    double d;
    uint16_t h;
    uint64_t u = 0;
    if (type == NPY_F64) return memcpy(&d, bytes, 8), d;
    if (type == NPY_F32) return memcpy(&f, bytes, 4), (double)f;
    if (type != NPY_INTEGER) {
        memcpy(&h, bytes, 2);
        return type == NPY_F16 ? half_to_double(h) : bfloat16_to_double(h);
    }
    const uint16_t probe = 1;
    const int is_little = *(const unsigned char *)&probe;
    for (size_t k = 0; k < size; k++) u |= (uint64_t)bytes[is_little ? k : size - 1 - k] << 8 * k;
    const int is_negative = letter == 'i' && (u >> (8 * size - 1) & 1);
    if (!is_negative) return (double)u;
    if (size < 8) u |= ~(uint64_t)0 << 8 * size;
    return -(double)(~u + 1);
}

/* Returns where the value of a key begins in the header's text, or NULL if the key is missing.
 * The header is a Python dictionary, such as {'descr': '<f4', 'fortran_order': False, 'shape':
 * (3, 4), }. `key` includes the quotes. */
static const char *npy_field(const char *head, const char *key)
{
    const char *found = strstr(head, key);
    if (found) found += strlen(key);
    while (found && (*found == ' ' || *found == ':')) found++;
    return found;
}

/* Reads the value of 'descr', for example '<f4', into to->type and to->is_complex. *letter is
 * numpy's letter of the type, here f, and *size is the number of bytes of an element. *is_swapped
 * is 1 if the byte order is not that of this machine. Returns NULL on success, otherwise an error
 * message. */
static const char *npy_read_type(const char *head, npy *to, char *letter, size_t *size,
                                 int *is_swapped)
{
    const char *found = npy_field(head, "'descr'");
    const uint16_t probe = 1;
    const char own = *(const unsigned char *)&probe ? '<' : '>';
    /* strchr() also finds the 0 that ends its string, so a byte is compared with 0 before. */
    if (!found || *found++ != '\'' || !*found || !strchr("<>|=", *found) || !found[1])
        return "descr: one type of numbers is wanted";
    *is_swapped = *found != own && *found != '=' && *found != '|';
    *letter = found[1];
    *size = 0;
    for (found += 2; *found >= '0' && *found <= '9' && *size < 100; found++)
        *size = 10 * *size + (size_t)(*found - '0');
    if (*found != '\'' || *size == 0) return "descr: one type of numbers is wanted";
    to->is_complex = *letter == 'c';
    const size_t bytes = to->is_complex ? *size / 2 : *size;
    const int is_float = *letter == 'f' || (to->is_complex && *size % 2 == 0);
    const int is_integer =
        (*letter == 'i' || *letter == 'u') && bytes <= 8 && !(bytes & (bytes - 1));
    if (is_float && bytes == 8) to->type = NPY_F64;
    else if (is_float && bytes == 4) to->type = NPY_F32;
    else if (*letter == 'f' && bytes == 2) to->type = NPY_F16;
    else if (*letter == 'V' && bytes == 2) to->type = NPY_BF16;
    else if (is_integer) to->type = NPY_INTEGER;
    else return "descr: f2, f4, f8, c8, c16, integers, or V2 for bfloat16";
    return NULL;
}

/* Reads 'shape' into to->rows and to->columns. Call it after npy_read_type(), because complex
 * elements double the columns. Returns NULL on success, otherwise an error message. */
static const char *npy_read_shape(const char *head, npy *to)
{
    size_t sizes[8], count = 0;
    const char *found = npy_field(head, "'shape'");
    if (!found || *found++ != '(') return "shape: missing";
    while (*found != ')') {
        char *end;
        const unsigned long long size = strtoull(found, &end, 10);
        if (end == found || *found < '0' || *found > '9') return "shape: numbers are wanted";
        if (count == 8) return "shape: more than 8 dimensions";
        if (size > NPY_MOST_ELEMENTS) return "shape: more than 2^28 elements";
        sizes[count++] = (size_t)size;
        for (found = end; *found == ',' || *found == ' ';) found++;
    }
    size_t first = 0;
    while (count - first > 2 && sizes[first] == 1) first++;
    if (count == 0 || count - first > 2) return "shape: [rows, columns], or 1s before them";
    to->columns = sizes[count - 1];
    to->rows = count - first == 2 ? sizes[first] : 1;
    if (to->rows == 0 || to->columns == 0) return "shape: there are no elements";
    if (to->columns > NPY_MOST_ELEMENTS / 2 / to->rows) return "shape: more than 2^27 elements";
    if (to->is_complex) to->columns *= 2;
    return NULL;
}

/* Reads the text of the file's header into *head, which is NULL before, and leaves the file
 * positioned at the first element. The caller frees *head, also after an error. Returns NULL on
 * success, otherwise an error message. */
static const char *npy_read_head(FILE *file, char **head)
{
    unsigned char start[8], bytes[4] = {0, 0, 0, 0};
    if (fread(start, 1, 8, file) != 8 || memcmp(start, "\x93NUMPY", 6) != 0)
        return "is no .npy file";
    const size_t width = start[6] == 1 ? 2 : 4;
    if (start[6] < 1 || start[6] > 3) return "version: 1, 2 or 3";
    if (fread(bytes, 1, width, file) != width) return "ends within its head";
    const size_t size =
        bytes[0] | (size_t)bytes[1] << 8 | (size_t)bytes[2] << 16 | (size_t)bytes[3] << 24;
    if (size > 65536) return "its head is longer than 65536 bytes";
    *head = (char *)malloc(size + 1);
    if (!*head) return "no memory";
    if (fread(*head, 1, size, file) != size) return "ends within its head";
    (*head)[size] = '\0';
    return strlen(*head) == size ? NULL : "its head has a byte of 0";
}

/* Reads all elements into to->of, in the order of the file. The array is enlarged while elements
 * arrive, because a hostile header may claim more elements than the file has. letter, size and
 * is_swapped are the results of npy_read_type(). Returns NULL on success, otherwise an error
 * message, for example if bytes follow the last element. */
static const char *npy_read_elements(FILE *file, npy *to, char letter, size_t size, int is_swapped)
{
    unsigned char element[16];
    const size_t bytes = to->is_complex ? size / 2 : size, count = to->rows * to->columns;
    size_t room = 0;
    for (size_t i = 0; i < count; i++) {
        if (fread(element, 1, bytes, file) != bytes) return "ends before its last element";
        if (i == room) {
            room = room < 2048 ? 4096 : 2 * room;
            if (room > count) room = count;
            double *const more = (double *)realloc(to->of, room * sizeof *more);
            if (!more) return "no memory";
            to->of = more;
        }
        for (size_t k = 0; is_swapped && k < bytes / 2; k++) {
            const unsigned char kept = element[k];
            element[k] = element[bytes - 1 - k];
            element[bytes - 1 - k] = kept;
        }
        to->of[i] = npy_element(element, to->type, letter, bytes);
    }
    return fgetc(file) == EOF ? NULL : "has bytes behind its last element";
}

/* Reorders elements that the file has column by column, so that each row is consecutive. Returns
 * NULL on success, otherwise an error message. */
static const char *npy_transpose(npy *to)
{
    const size_t parts = to->is_complex ? 2 : 1, columns = to->columns / parts;
    double *const by_row = (double *)malloc(to->rows * to->columns * sizeof *by_row);
    if (!by_row) return "no memory";
    for (size_t r = 0; r < to->rows; r++)
        for (size_t c = 0; c < columns; c++)
            memcpy(by_row + (r * columns + c) * parts, to->of + (c * to->rows + r) * parts,
                   parts * sizeof *by_row);
    free(to->of);
    to->of = by_row;
    return NULL;
}

/* Reads an array from an open file. Returns NULL on success. Otherwise returns an error message,
 * and to->of is NULL. */
static const char *npy_read_file(FILE *file, npy *to)
{
    char *head = NULL, letter = 0;
    size_t size = 0;
    int is_swapped = 0, by_column = 0;
    memset(to, 0, sizeof *to);
    const char *error = npy_read_head(file, &head);
    if (!error) error = npy_read_type(head, to, &letter, &size, &is_swapped);
    if (!error) error = npy_read_shape(head, to);
    if (!error) {
        const char *const order = npy_field(head, "'fortran_order'");
        by_column = order && strncmp(order, "True", 4) == 0;
        if (!by_column && (!order || strncmp(order, "False", 5) != 0))
            error = "fortran_order: True or False";
    }
    if (!error) error = npy_read_elements(file, to, letter, size, is_swapped);
    if (!error && by_column) error = npy_transpose(to);
    if (error) {
        free(to->of);
        to->of = NULL;
    }
    free(head);
    return error;
}

/* Reads an array from the file with this name. Returns NULL on success. Otherwise returns an
 * error message, and to->of is NULL. */
static const char *npy_read(const char *name, npy *to)
{
    memset(to, 0, sizeof *to);
    FILE *const file = fopen(name, "rb");
    const char *const error = file ? npy_read_file(file, to) : "cannot be opened";
    if (file) fclose(file);
    return error;
}

#endif
