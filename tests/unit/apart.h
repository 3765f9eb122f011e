/* SPDX-License-Identifier: MIT */
/*
 * Rotates heads using the first rows of arrays of floats, with cosines in one array and sines in
 * another. These are the calls of pe_rope_by_table_T that most tests need.
 */
#ifndef PE_TESTS_APART_H
#define PE_TESTS_APART_H

#include "pe.h"

#define BY_APART(T, element)                                                                       \
    static inline pe_status by_apart_##T(pe_layout layout, const float *cosines,                   \
                                         const float *sines, size_t stride, size_t pairs,          \
                                         size_t tokens, element *x, pe_heads heads)                \
    {                                                                                              \
        const pe_rope_table table = {cosines, sines,  PE_TYPE_F32, PE_ROPE_TABLE_APART,            \
                                     stride,  tokens, pairs};                                      \
        return pe_rope_by_table_##T(&table, layout, pe_from(0), tokens, x, heads);                 \
    }                                                                                              \
    static inline pe_status by_apart_to_##T(pe_layout layout, const float *cosines,                \
                                            const float *sines, size_t stride, size_t pairs,       \
                                            size_t tokens, size_t head_dim, const element *in,     \
                                            pe_heads in_heads, element *out, pe_heads out_heads)   \
    {                                                                                              \
        const pe_rope_table table = {cosines, sines,  PE_TYPE_F32, PE_ROPE_TABLE_APART,            \
                                     stride,  tokens, pairs};                                      \
        return pe_rope_by_table_to_##T(&table, layout, pe_from(0), tokens, head_dim, in, in_heads, \
                                       out, out_heads);                                            \
    }
BY_APART(f32, float)
BY_APART(f16, uint16_t)
BY_APART(bf16, uint16_t)
#undef BY_APART

#endif /* PE_TESTS_APART_H */
