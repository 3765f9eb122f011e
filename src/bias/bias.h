/* SPDX-License-Identifier: MIT */
/* T5's buckets, and learned biases added by an index.
 * Gives: pe__bias_add(), pe__scores.
 * Needs: simd, api, where, rows, alibi, numbers.
 * Tests: tests/unit/test_learned.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/options.h"
#include "../api/types.h"
#include "contract.h"
#include "../numbers/base.h"
#include "../where/at.h"
#include "../numbers/double_double.h"
#include "../numbers/exp_log.h"
#include "../numbers/real.h"
#include "../rows/elements.h"
#include "../alibi/alibi.h"

/* ---- 11. learned biases on attention scores -------------------------------------------------- */

/* The least distances in n buckets: from m on, those at or above m (max_distance / m)^((b - m) /
   (n - m)). They are known to 2^-104 of themselves, below 2^31, and roots of an integer: whole, or
   irrational, and of some 2^50 that exist none is expected within 2^-70 of a whole number. */
PE__COLD void pe__t5_begins(double *begin, size_t n, size_t m, size_t max_distance)
{
    const pe__vd of_m = pe__splat((double)m), steps = pe__splat((double)(n - m));
    const pe__td log = pe__td_log2(pe__td_div(pe__td_splat((double)max_distance), of_m));
    for (size_t b = 0; b < n; b += PE_LANES) {
        double step[PE_LANES], a[PE_LANES], rest[PE_LANES];
        /* behind the last one the power may be no integer any more */
        for (size_t k = 0; k < PE_LANES; k++) step[k] = (double)pe__min(b + k, n - 1) - (double)m;
        const pe__td power = pe__td_exp2(pe__td_div(pe__td_scale(log, pe__load(step)), steps));
        const pe__td d = pe__td_scale(power, of_m);
        pe__store(a, d.a);
        pe__store(rest, d.b + d.c);
        for (size_t k = 0; k < PE_LANES; k++) {
            const double whole = pe__nearest(a[k]), off = a[k] - whole + rest[k];
            begin[b + k] = off > pe__exp2i(-70) ? whole + 1 : whole;
            if (step[k] <= 0) begin[b + k] = (double)(b + k);
        }
    }
}

PE_API pe_status pe_bias_t5_i32(size_t buckets, size_t max_distance, int bidirectional,
                                pe_at query_at, size_t queries, pe_at key_at, size_t keys,
                                int32_t *index)
{
    enum { PE__MOST = 1024, PE__BLOCK = 512 };
    double begin[PE__MOST + 1], key[PE__BLOCK];
    if (queries == 0 || keys == 0) return PE_OK;
    if (!index) return PE_ERR_NULL;
    const size_t n = bidirectional ? buckets / 2 : buckets, m = n / 2;
    if (buckets < 2 || buckets > PE__MOST || (bidirectional && (buckets < 4 || buckets % 2)) ||
        max_distance <= m || max_distance > (size_t)pe__position_limit)
        return PE_ERR_RANGE;
    if (pe__exceeds(queries, keys, PTRDIFF_MAX / sizeof *index)) return PE_ERR_SIZE;
    pe_status status = pe__check_whole(&query_at, queries);
    if (status == PE_OK) status = pe__check_whole(&key_at, keys);
    if (status != PE_OK) return status;
    pe__t5_begins(begin, n, m, max_distance);
    begin[n] = 1e300; /* none is as far */
    for (size_t i = 0, some, bucket = 0; i < keys; i += some) {
        some = pe__min(keys - i, PE__BLOCK);
        pe__positions(&key_at, i, some, 0, key);
        for (size_t q = 0; q < queries; q++) {
            const double query = (double)pe__whole(&query_at, q);
            double from = begin[bucket], to = begin[bucket + 1]; /* in registers */
            for (size_t k = 0; k < some; k++) { /* the next key is near this one, mostly */
                const double d = key[k] - query, size = fabs(d);
                if (PE__UNLIKELY(size < from || size >= to)) {
                    while (size >= begin[bucket + 1]) bucket++;
                    while (size < begin[bucket]) bucket--;
                    from = begin[bucket];
                    to = begin[bucket + 1];
                }
                const size_t ahead = bidirectional ? bucket + n : 0;
                index[q * keys + i + k] = (int32_t)(d > 0 ? ahead : bucket);
            }
        }
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
