/* SPDX-License-Identifier: MIT
 *
 * These are small programs whose size and compile time cost.py measures. A macro selects one:
 *
 *     -DFILL          fills a table
 *     -DADD           adds to activations
 *     -DROPE          rotates heads
 *     -DALL           does all three
 *     -DBY_TABLE      rotates heads by a given table only
 *     -DCONFIG        rotates heads by a plan of a model's config, which version 0.1 does not have
 *     -DSINCOS        fills rows without a plan
 *     -DSINCOS_ROW    fills one row without a plan
 *     -DROW_BY_TABLE  rotates heads by one row
 *     -DGGML          makes the calls of an operator of ggml for f32 and f16
 *
 * The arguments come from outside, so that the compiler cannot specialise a call.
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
#elif defined(SINCOS)
    (void)table, (void)size;
    return (int)pe_sincos_f32((const double *)memory, stride, 1, pe_from(first), rows, x,
                              x + rows * stride, stride);
#elif defined(SINCOS_ROW)
    (void)table, (void)size, (void)rows;
    return (int)pe_sincos_f32((const double *)memory, stride, 1, pe_from(first), 1, x, x + stride,
                              stride);
#elif defined(ROW_BY_TABLE) || defined(GGML)
    float s[64], c[64];
    const pe_rope_table by = {c, s, PE_TYPE_F32, PE_ROPE_TABLE_APART, 64, 1, 64};
    const pe_heads heads = {32, 128, stride};
    double omega[64], factor = 1;
    int bad = (int)pe_sincos_f32((const double *)memory, 64, 1, pe_from(first), 1, s, c, 64);
    #ifdef ROW_BY_TABLE
    (void)table, (void)size, (void)omega, (void)factor;
    return bad | (int)pe_rope_by_table_f32(&by, PE_LAYOUT_HALVES, pe_from(0), rows, x, heads);
    #else
    const pe_layout layout = size & 2 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
    const uint16_t *half = (const uint16_t *)(const void *)table;
    bad |= (int)pe_rope_ggml_frequencies((const pe_rope_ggml *)memory, omega, &factor);
    bad |= (int)pe_sincos_f32(omega, 64, factor, pe_from(first), 1, s, c, 64);
    bad |= (int)pe_rope_by_table_to_f32(&by, layout, pe_from(0), rows, 128, table, heads, x, heads);
    return bad | (int)pe_rope_by_table_to_f16(&by, layout, pe_from(0), rows, 128, half, heads,
                                              (uint16_t *)(void *)x, heads);
    #endif
#elif defined(CONFIG) && PE_VERSION_HEX >= 0x000200
    pe_plan own;
    int bad =
        (int)pe_rope_plan_init(&own, (const pe_rope_config *)(const void *)table, memory, size);
    bad |= (int)pe_rope_f32(&own, pe_from(first), rows, x, (pe_heads){32, 128, stride});
    return bad;
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
