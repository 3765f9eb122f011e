/* SPDX-License-Identifier: MIT */
/* Computes the rotation rows of a plan, by which other rows are rotated. Tested by
 * tests/unit/numbers/test_budget.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../numbers/double_double.h"
#include "../sincos/double_double.h"

/* PE__BLOCK_HALF is the number of rows of a block on each side of its anchor. PE__BLOCK_ROWS is the
   number of rows of a block, with the anchor. */
enum { PE__BLOCK_HALF = 8, PE__BLOCK_ROWS = 2 * PE__BLOCK_HALF + 1 };

/* Writes the rotation rows 1 ... 8 and 17, 34 ... 136 to table. Rotation row n has an array of the
 * pairs' sines at position n, then an array of their cosines. Row 1 comes from pe__sincos_dd(). Row
 * b is row b / 2 rotated by row b - b / 2, with integer division. Row 17 is row 8 rotated by row 9,
 * which is not written. Row 17 * b is row 17 * (b / 2) rotated by row 17 * (b - b / 2).
 *
 * All arithmetic is double-double. The result is rounded to double when it is written. The error of
 * row 1, at most pe__sincos_error() at position 1, grows in proportion to the row number. A
 * rotation itself adds less than 2^-100 (pe__dd_rotate()). Four vectors are computed together,
 * because each operation on one vector waits for the one before. */
PE__OUTLINE void pe__build_rotation_rows(const pe_plan *plan, double *table)
{
    enum { PE__TOGETHER = 4, PE__NEXT = PE__BLOCK_HALF + 1 };
    const size_t padded = plan->padded;
    pe__dd s[PE__TOGETHER][PE__NEXT + 1], c[PE__TOGETHER][PE__NEXT + 1];
    for (size_t i = 0; i < padded; i += PE__TOGETHER * (size_t)PE_LANES) {
        const size_t vectors = pe__min(PE__TOGETHER, (padded - i) / PE_LANES);
        double *row = table + i;
        for (size_t v = 0; v < vectors; v++)
            pe__sincos_dd(plan, i + v * PE_LANES, 1.0, &s[v][1], &c[v][1]);
        for (int level = 0; level < 2; level++) {
            for (size_t b = 1; b <= PE__BLOCK_HALF; b++, row += 2 * padded)
                for (size_t v = 0; v < vectors; v++) {
                    if (b > 1) pe__dd_multiple_angle(s[v], c[v], b);
                    pe__store(row + v * PE_LANES, s[v][b].hi + s[v][b].lo);
                    pe__store(row + padded + v * PE_LANES, c[v][b].hi + c[v][b].lo);
                }
            for (size_t v = 0; v < vectors && level == 0; v++) {
                pe__dd_multiple_angle(s[v], c[v], PE__NEXT);
                s[v][1] = s[v][PE__BLOCK_HALF];
                c[v][1] = c[v][PE__BLOCK_HALF];
                pe__dd_rotate(&s[v][1], &c[v][1], s[v][PE__NEXT], c[v][PE__NEXT]);
            }
        }
    }
}

/* Returns the address of rotation row `multiple` (level 0) or 17 * multiple (level 1), for a
   multiple of 1 ... 8. Its sines begin there, its cosines plan->padded doubles later. For a
   multiple of 0, which needs no rotation, it returns row 1, so that the address is valid. */
PE__INLINE const double *pe__rotation_row(const pe_plan *plan, size_t level, int64_t multiple)
{
    const size_t index = multiple ? level * PE__BLOCK_HALF + (size_t)multiple - 1 : 0;
    return plan->table + 2 * index * plan->padded;
}
