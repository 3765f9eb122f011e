/* SPDX-License-Identifier: MIT */
/* Finds the table entry of a model type. type_line.h explains the entries. */
#ifndef TOOL_TYPES_H
#define TOOL_TYPES_H

#include "../files/enums.h"
#include "elsewhere.h"
#include "transformers.h"

#include <string.h>

/* Lists the two tables of entries. */
static const struct {
    const type_line *of; /* the entries of the table */
    size_t count;        /* the number of entries    */
} type_tables[] = {{transformers_types, TOOL_COUNT(transformers_types)},
                   {elsewhere_types, TOOL_COUNT(elsewhere_types)}};

/* Returns the entry of a model type, or NULL if neither table has it. A type "x_text" without an
 * entry of its own gets the entry of "x", because the text_config of a model of type "x" often has
 * such a type. */
static const type_line *type_named(const char *name)
{
    char stem[64];
    for (size_t t = 0; t < TOOL_COUNT(type_tables); t++)
        for (size_t k = 0; k < type_tables[t].count; k++)
            if (strcmp(type_tables[t].of[k].name, name) == 0) return &type_tables[t].of[k];
    const size_t length = strlen(name);
    if (length <= 5 || length >= sizeof stem || strcmp(name + length - 5, "_text") != 0)
        return NULL;
    memcpy(stem, name, length - 5);
    stem[length - 5] = '\0';
    return type_named(stem);
}

/* Returns whether an entry is in the table of transformers.h. */
static int is_of_library_table(const type_line *line)
{
    for (size_t k = 0; k < type_tables[0].count; k++)
        if (line == &type_tables[0].of[k]) return 1;
    return 0;
}

#endif
