/* SPDX-License-Identifier: MIT
 *
 * paired: declares the interface between paired.c and the two builds of paired_side.c.
 */
#ifndef PE_PAIRED_H
#define PE_PAIRED_H

#include <stddef.h>

/* Tells what a case does with the output buffer: it writes the buffer, or changes the numbers in
   it. */
typedef enum paired_use { PAIRED_WRITES, PAIRED_CHANGES } paired_use;

typedef struct paired_case {
    const char *name;
    paired_use use;
    size_t size, count;       /* of an element in bytes, and how many there are */
    int (*run)(size_t calls); /* returns 0 if all went well */
} paired_case;

/* Describes one version of pe. setup() gets two buffers full of ones, the output and the input. */
typedef struct paired_side {
    const char *version, *isa, *sleef;
    int (*setup)(void *out, const void *in);
    const paired_case *cases;
    size_t count;
} paired_side;

extern const paired_side paired_old, paired_new;

enum { PAIRED_BYTES = 1 << 28 }; /* of the output buffer; the input buffer has an eighth of it */

#endif /* PE_PAIRED_H */
