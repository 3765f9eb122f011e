/* SPDX-License-Identifier: MIT */
/* This contract declares T5's buckets, and the addition of learned biases that an index selects.
 * Tested by tests/unit/learned/test_learned.c. */
#pragma once
#include "../api/options.h"
#include "../api/types.h"

/* ---- 11. learned biases on attention scores -------------------------------------------------- */

/* Compute T5's buckets of the distances d = key position - query position. Let n be buckets, or
 * buckets / 2 if bidirectional is 1, and m = floor(n / 2). The bucket of a key at |d| is
 *
 *     |d|                                                                for |d| < m
 *     m + floor((n - m) ln(|d| / m) / ln(max_distance / m)), at most n - 1     for |d| >= m
 *
 * For keys after the query (d > 0), n is added to the bucket if bidirectional is 1. If it is 0,
 * they are in bucket 0 instead.
 *
 * buckets        relative_attention_num_buckets, 32 in T5: 2 ... 1024; if bidirectional is 1, at
 *                least 4 and even
 * max_distance   relative_attention_max_distance, 128 in T5: an integer above m, at most 2^31
 * bidirectional  1: encoders, 0: decoders
 * query_at, key_at   as in pe_alibi_fill_T: pe_from(first query) and pe_from(0) without a cache
 * index          shape [queries][keys], packed
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_BUCKETS for buckets or a max_distance out of range;
 *              PE_ERR_SIZE; PE_ERR_AT_KIND, PE_ERR_RANGE and PE_ERR_AT... as pe_alibi_fill_f32. On
 *              an error nothing is written.
 * Accuracy     the floor is taken of the exact number (tests/unit/plan/test_models.c)
 * Threads      any, each with its own queries
 * See          Raffel et al. 2020, section 2.1; relative_position_bucket in mesh_tensorflow */
PE_API pe_status pe_bias_t5_i32(size_t buckets, size_t max_distance, int bidirectional,
                                pe_at query_at, size_t queries, pe_at key_at, size_t keys,
                                int32_t *index);

/* Add learned biases to attention scores in place:
 *
 *     scores[h * head_stride + q * query_stride + k] += table[index[q * keys + k] * heads + h]
 *
 * table        entries * heads floats, packed: relative_attention_bias of T5,
 *              relative_position_bias_table of Swin and BEiT
 * index        queries * keys numbers 0 ... entries - 1: from pe_bias_t5_i32(), or
 *              relative_position_index of Swin and BEiT; all are checked before anything is written
 * heads, queries, keys, scores, query_stride, head_stride    as in pe_alibi_add_T
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_SHAPE if rows would overlap; PE_ERR_SIZE; PE_ERR_INDEX
 *              for an index that is no entry
 * Accuracy     one add in f32; 16-bit scores are widened, and the sum is rounded once
 *              (tests/unit/plan/test_models.c)
 * Aliasing     scores may not overlap table or index
 * Threads      any number, each with its own rows or heads */
PE_API pe_status pe_bias_add_f32(const float *table, size_t entries, size_t heads,
                                 const int32_t *index, size_t queries, size_t keys, float *scores,
                                 size_t query_stride, size_t head_stride);
PE_API pe_status pe_bias_add_f16(const float *table, size_t entries, size_t heads,
                                 const int32_t *index, size_t queries, size_t keys,
                                 uint16_t *scores, size_t query_stride, size_t head_stride);
PE_API pe_status pe_bias_add_bf16(const float *table, size_t entries, size_t heads,
                                  const int32_t *index, size_t queries, size_t keys,
                                  uint16_t *scores, size_t query_stride, size_t head_stride);
