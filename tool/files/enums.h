/* SPDX-License-Identifier: MIT */
/* Counts the elements of an array, and checks at compile time that it has one entry for each value
 * of an enum. */
#ifndef TOOL_ENUMS_H
#define TOOL_ENUMS_H

#include <stddef.h>

/* Gives the number of elements of an array. */
#define TOOL_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Stops the compilation unless the array `list` has `count` entries, because a char array of -1
 * elements is an error. Declare the array without a size, as name[], and list its entries in the
 * order of the enum. With a given size or with designated initialisers, the compiler would fill
 * gaps with 0, and this check would not notice. */
#define TOOL_HAS_ALL(list, count)                                                                  \
    struct list##_has_an_entry_for_each_value {                                                    \
        char is_complete[TOOL_COUNT(list) == (size_t)(count) ? 1 : -1];                            \
    }

#endif
