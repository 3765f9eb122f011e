/* SPDX-License-Identifier: MIT */
/* T5's buckets, and learned biases added by an index.
 * Gives: pe__bias_add(), pe__scores.
 * Needs: simd, api, rows, alibi, numbers.
 * Tests: tests/unit/test_learned.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/options.h"
#include "../api/types.h"
#include "contract.h"
#include "../numbers/base.h"
#include "../numbers/double_double.h"
#include "../numbers/exp_log.h"
#include "../numbers/real.h"
#include "../rows/elements.h"
#include "../alibi/alibi.h"

/* ---- 11. learned biases on attention scores -------------------------------------------------- */

/* The least distance in a bucket: from m on, that at or above m (max_distance / m)^((b - m) / (n -
   m)). It is known to 2^-108, and a root of an integer: whole, or irrational, and of some 2^50 that
   exist none is expected within 2^-100 of a whole number. */
PE__COLD double pe__t5_begin(size_t bucket, size_t n, size_t m, size_t max_distance)
{
    if (bucket <= m) return (double)bucket;
    const pe__td ratio = pe__td_div(pe__td_splat((double)max_distance), pe__splat((double)m));
    const pe__td part = pe__td_scale(pe__td_log(ratio), pe__splat((double)(bucket - m)));
    const pe__td power = pe__td_exp(pe__td_div(part, pe__splat((double)(n - m))));
    const pe__td d = pe__td_scale(power, pe__splat((double)m));
    const double a = pe__first_lane(d.a), whole = pe__nearest(a);
    const double off = a - whole + (pe__first_lane(d.b) + pe__first_lane(d.c));
    return off > pe__exp2i(-100) ? whole + 1 : whole;
}

PE_API pe_status pe_bias_t5_i32(size_t buckets, size_t max_distance, int bidirectional,
                                int64_t first_query, size_t queries, size_t keys, int32_t *index)
{
    enum { PE__MOST = 1024 };
    double begin[PE__MOST];
    if (queries == 0 || keys == 0) return PE_OK;
    if (!index) return PE_ERR_NULL;
    const size_t n = bidirectional ? buckets / 2 : buckets, m = n / 2;
    if (buckets < 2 || buckets > PE__MOST || (bidirectional && (buckets < 4 || buckets % 2)) ||
        max_distance <= m || max_distance > (size_t)pe__position_limit)
        return PE_ERR_RANGE;
    if (pe__exceeds(queries, keys, PTRDIFF_MAX / sizeof *index)) return PE_ERR_SIZE;
    if (pe__check_range(first_query, queries) != PE_OK || pe__check_range(0, keys) != PE_OK)
        return PE_ERR_RANGE;
    for (size_t b = 0; b < n; b++) begin[b] = pe__t5_begin(b, n, m, max_distance);
    for (size_t q = 0, bucket = 0; q < queries; q++)
        for (size_t k = 0; k < keys; k++) {
            const int64_t d = (int64_t)k - (first_query + (int64_t)q);
            const double size = (double)(d < 0 ? -d : d);
            while (bucket + 1 < n && size >= begin[bucket + 1]) bucket++;
            while (size < begin[bucket]) bucket--; /* the next key is next to this one */
            const size_t ahead = bidirectional ? bucket + n : 0;
            index[q * keys + k] = (int32_t)(d > 0 ? ahead : bucket);
        }
    return PE_OK;
}

/* Scores, [heads][queries][keys]. */
typedef struct pe__scores {
    void *scores;
    size_t heads, queries, keys, query_stride, head_stride;
} pe__scores;

/* Add a row's biases, so many heads apart, by way of a buffer. */
PE__INLINE pe_status pe__bias_add(pe__kind type, const float *table, size_t entries,
                                  const int32_t *index, const pe__scores *x)
{
    const size_t heads = x->heads, queries = x->queries, keys = x->keys;
    void *const scores = x->scores;
    enum { PE__MOST = 256 };
    float biases[PE__MOST];
    int ok = 1;
    if (heads == 0 || queries == 0 || keys == 0) return PE_OK;
    if (!table || !index || !scores) return PE_ERR_NULL;
    pe_status status = pe__scores_shape(heads, queries, keys, pe__size_of(type), x->query_stride,
                                        x->head_stride);
    if (status != PE_OK) return status;
    if (pe__exceeds(queries, keys, PTRDIFF_MAX / sizeof *index) ||
        pe__exceeds(entries, heads, PTRDIFF_MAX / sizeof *table))
        return PE_ERR_SIZE;
    for (size_t i = 0; i < queries * keys; i++) ok &= index[i] >= 0 && (size_t)index[i] < entries;
    if (!ok) return PE_ERR_RANGE;
    for (size_t h = 0; h < heads; h++)
        for (size_t q = 0; q < queries; q++)
            for (size_t k = 0, n; k < keys; k += n) {
                n = pe__min(keys - k, PE__MOST);
                for (size_t i = 0; i < n; i++)
                    biases[i] = table[(size_t)index[q * keys + k + i] * heads + h];
                const size_t at = h * x->head_stride + q * x->query_stride + k;
                pe__add_row_floats(type, pe__at_element(type, scores, at), biases, n);
            }
    return PE_OK;
}
