/* SPDX-License-Identifier: MIT */
/* Lists with one entry per value of an enum: the compiler compares their sizes with the enum's. */
#ifndef TOOL_ENUMS_H
#define TOOL_ENUMS_H

#include <stddef.h>

#define TOOL_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Does not compile unless the list has `count` entries. Declare the list as name[], with its entries
 * in the enum's order. In a list with a given size, or with designated initialisers, a missing entry
 * would be NULL and nobody would notice. */
#define TOOL_HAS_ALL(list, count)                                                                  \
    struct list##_has_an_entry_for_each_value {                                                    \
        char is_complete[TOOL_COUNT(list) == (size_t)(count) ? 1 : -1];                            \
    }

#endif
