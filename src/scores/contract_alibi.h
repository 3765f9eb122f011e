/* SPDX-License-Identifier: MIT */
/* Contract: ALiBi's slopes and biases. Tested by tests/unit/scores/test_alibi.c. */
#pragma once
#include "../api/options.h"
#include "../api/types.h"

/* ---- 10. ALiBi: a penalty on attention scores that grows with the distance ------------------- */

/* These modes define the bias of a key, with d = query position - key position. A key is after the
   query if d < 0. */
typedef enum pe_alibi_mode {
    PE_ALIBI_LINEAR,   /* -slope d, also for keys after the query, which the caller masks         */
    PE_ALIBI_CAUSAL,   /* -slope d, and -infinity for keys after the query                        */
    PE_ALIBI_SYMMETRIC /* -slope |d|: encoders                                                    */
} pe_alibi_mode;

/* Make the slopes of all heads. Let n be the largest power of two that is at most heads:
 *
 *     slopes[h] = 2^(-max_bias (h + 1) / n)                   h < n
 *     slopes[h] = 2^(-max_bias (2 (h - n) + 1) / (2n))        n <= h < heads
 *
 * heads        at most 2^28; with 0, the call does nothing and returns PE_OK
 * max_bias     8 in the paper: slopes[n - 1] is 2^-8; finite, >= 0
 * slopes       heads floats
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_SLOPE for another max_bias; PE_ERR_SIZE
 * Accuracy     correctly rounded, subnormals included (tests/unit/scores/test_alibi.c)
 * Threads      any
 * See          Press et al. 2021; get_slopes() there, build_alibi_tensor() in Hugging Face's BLOOM,
 *              max_bias of ggml_soft_max_ext() */
PE_API pe_status pe_alibi_slopes_f32(size_t heads, float max_bias, float *slopes);

/* Fill an array with the biases of all keys, for all heads and queries:
 *
 *     bias[h * head_stride + q * query_stride + k] = bias of slopes[h] and
 *                                                    d = position of query q - position of key k
 *
 * slopes       heads floats, finite, of either sign
 * query_at     positions of the queries: a range or a list of integers, also with pe_skip() and
 *              pe_back(). If a cache has n keys already, pass pe_from(n)
 * key_at       positions of the keys, also a range or a list of integers: pe_from(0), or the list
 *              of a cache whose cells are in any order. An ascending range is the fastest
 * heads, queries, keys    if one of them is 0, the call does nothing and returns PE_OK
 * bias         aligned as its type; elements between rows are not touched
 * query_stride elements from one query's row to the next, >= keys; ignored for one query
 * head_stride  elements from head to head, >= (queries - 1) * query_stride + keys; or, for
 *              [queries, heads, keys], >= keys with query_stride >= (heads - 1) * head_stride +
 *              keys. Ignored for one head
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_ENUM for an unknown mode; PE_ERR_SHAPE if rows would
 *              overlap; PE_ERR_SIZE; PE_ERR_AT_KIND for lists of reals, points and grids;
 *              PE_ERR_RANGE and PE_ERR_AT..., see section 4; PE_ERR_SLOPE for a slope that is not
 *              finite. On an error nothing is written.
 * Accuracy     the exact product, rounded once to the output's type; 0 is +0, but a negative
 *              product too small for f16 or bf16 becomes -0 (tests/unit/scores/test_alibi.c)
 * Aliasing     bias may not overlap slopes or positions
 * Threads      any number, each with its own rows */
PE_API pe_status pe_alibi_fill_f32(const float *slopes, size_t heads, pe_alibi_mode mode,
                                   pe_at query_at, size_t queries, pe_at key_at, size_t keys,
                                   float *bias, size_t query_stride, size_t head_stride);
PE_API pe_status pe_alibi_fill_f16(const float *slopes, size_t heads, pe_alibi_mode mode,
                                   pe_at query_at, size_t queries, pe_at key_at, size_t keys,
                                   uint16_t *bias, size_t query_stride, size_t head_stride);
PE_API pe_status pe_alibi_fill_bf16(const float *slopes, size_t heads, pe_alibi_mode mode,
                                    pe_at query_at, size_t queries, pe_at key_at, size_t keys,
                                    uint16_t *bias, size_t query_stride, size_t head_stride);

/* Add the bias to attention scores in place. The bias is rounded to f32, then added in f32. 16-bit
 * scores are widened first, and the sum is rounded once more, to their type. In PE_ALIBI_CAUSAL the
 * scores of keys after the query become -infinity, whatever they were, NaN included.
 *
 *     scores[h * head_stride + q * query_stride + k] += bias
 *
 * The parameters are those of pe_alibi_fill_f32.
 *
 * Returns      as pe_alibi_fill_f32
 * Accuracy     f32: two roundings, of the bias and of the sum; f16, bf16: one more, to the type
 *              (tests/unit/scores/test_alibi.c)
 * Aliasing     in place; scores may not overlap slopes or positions
 * Threads      any number, each with its own rows */
PE_API pe_status pe_alibi_add_f32(const float *slopes, size_t heads, pe_alibi_mode mode,
                                  pe_at query_at, size_t queries, pe_at key_at, size_t keys,
                                  float *scores, size_t query_stride, size_t head_stride);
PE_API pe_status pe_alibi_add_f16(const float *slopes, size_t heads, pe_alibi_mode mode,
                                  pe_at query_at, size_t queries, pe_at key_at, size_t keys,
                                  uint16_t *scores, size_t query_stride, size_t head_stride);
PE_API pe_status pe_alibi_add_bf16(const float *slopes, size_t heads, pe_alibi_mode mode,
                                   pe_at query_at, size_t queries, pe_at key_at, size_t keys,
                                   uint16_t *scores, size_t query_stride, size_t head_stride);
