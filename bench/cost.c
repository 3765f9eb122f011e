/* SPDX-License-Identifier: MIT
 *
 * Small programs whose size and compile time cost.py measures: -DFILL fills a table, -DADD adds to
 * activations, -DROPE turns heads, -DALL does all three, -DBY_TABLE turns heads by a given table alone. By
 * version 0.1, too. Arguments come from outside, so that no call is special.
 */
#ifdef ALL
    #define FILL
    #define ADD
    #define ROPE
#endif

#include "pe.h"

#if PE_VERSION_HEX < 0x000200
    #define CALL(old, now) old
#else
    #define CALL(old, now) now
#endif

int program(const float *table, void *memory, size_t size, int64_t first, size_t rows, float *x,
            size_t stride);

int program(const float *table, void *memory, size_t size, int64_t first, size_t rows, float *x,
            size_t stride)
{
#ifdef BY_TABLE
    (void)memory, (void)size, (void)first;
    const pe_rope_table by = {table, NULL, PE_TYPE_F32, PE_ROPE_TABLE_JOINED, 128, rows, 64};
    return (int)pe_rope_by_table_f32(&by, PE_LAYOUT_HALVES, pe_from(0), rows, x,
                                     (pe_heads){32, 128, stride});
#else
    pe_config config = pe_config_default(stride);
    pe_plan own;
    (void)table;
    int bad = (int)pe_plan_init(&own, &config, memory, size);
    #ifdef FILL
    bad |= (int)CALL(pe_fill_f32(&own, first, rows, x, stride),
                     pe_fill_f32(&own, pe_from(first), rows, x, stride));
    #endif
    #ifdef ADD
    bad |= (int)CALL(pe_add_f32(&own, first, rows, 1, x, stride),
                     pe_add_f32(&own, pe_from(first), rows, 1, x, stride));
    #endif
    #ifdef ROPE
    bad |= (int)CALL(pe_rope_f32(&own, PE_ROPE_HALVES, first, rows, 32, x, stride, 128),
                     pe_rope_f32(&own, pe_from(first), rows, x, (pe_heads){32, 128, stride}));
    #endif
    return bad;
#endif
}
