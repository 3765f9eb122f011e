/* SPDX-License-Identifier: MIT */
/* Computes T5's buckets, and adds to each attention score the learned bias that an index selects.
 * Tested by tests/unit/learned/test_learned.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/options.h"
#include "../api/types.h"
#include "contract_bias.h"
#include "shape.h"
#include "../numbers/sizes.h"
#include "../positions/read.h"
#include "../positions/check.h"
#include "../numbers/double_double.h"
#include "../numbers/exp_log.h"
#include "../numbers/real.h"
#include "../layouts/elements.h"

/* ---- 11. learned biases on attention scores -------------------------------------------------- */

/* T5 divides distances into n buckets. Each distance below m = floor(n / 2) has its own bucket.
   Bucket b >= m begins at m (max_distance / m)^((b - m) / (n - m)), rounded up to an integer. The
   element begin[b - m] is that integer. The array `begin` is computed in groups of PE__T5_SOME
   elements. Each group is computed when a search first needs it, so a call for one element does not
   compute all. */
enum { PE__T5_MOST = 1024, PE__T5_SOME = 8 };
typedef struct pe__t5 {
    size_t n, m;
    double max_distance;
    double begin[PE__T5_MOST];
    unsigned char made[PE__T5_MOST / PE__T5_SOME]; /* [i]: 1 if group i of begin is computed */
    pe__td log;                                    /* log2(max_distance / m), if has_log is 1 */
    int has_log;
} pe__t5;

/* Compute the group of `begin` at index `group`: PE__T5_SOME elements, starting at begin[group *
   PE__T5_SOME]. The first call also computes the logarithm. A bucket's bound m (max_distance /
   m)^(...) is below 2^31, and is computed with a relative error of 2^-104, that is, an error below
   2^-73. The exact bound is a root of an integer, so it is an integer or irrational. There are
   about 2^50 different bounds, and no irrational bound is expected within 2^-70 of an integer. So a
   bound within 2^-70 of an integer is taken for that integer. */
PE__COLD void pe__t5_compute_start(pe__t5 *t, size_t group)
{
    const pe__vd of_m = pe__splat((double)t->m), steps = pe__splat((double)(t->n - t->m));
    double *const begin = t->begin + group * PE__T5_SOME;
    if (!t->has_log) t->log = pe__td_log2(pe__td_div_double(pe__td_splat(t->max_distance), of_m));
    t->has_log = t->made[group] = 1;
    for (size_t b = 0; b < PE__T5_SOME; b += PE_LANES) {
        double step[PE_LANES], a[PE_LANES], rest[PE_LANES];
        /* Elements after the last bucket repeat its step, because the powers of larger steps may be
           too large to convert to integers. */
        for (size_t k = 0; k < PE_LANES; k++)
            step[k] = (double)pe__min(group * PE__T5_SOME + b + k, t->n - t->m - 1);
        const pe__td power =
            pe__td_exp2(pe__td_div_double(pe__td_mul_double(t->log, pe__load(step)), steps));
        const pe__td d = pe__td_mul_double(power, of_m);
        pe__store(a, d.a);
        pe__store(rest, d.b + d.c);
        for (size_t k = 0; k < PE_LANES; k++) {
            const double rounded = pe__round_to_integer(a[k]), off = a[k] - rounded + rest[k];
            begin[b + k] = off > pe__exp2i(-70) ? rounded + 1 : rounded;
        }
    }
}
/* Returns begin[group * PE__T5_SOME], and computes it first if no call has yet. */
PE__INLINE double pe__t5_bucket_start(pe__t5 *t, size_t group)
{
    if (PE__UNLIKELY(!t->made[group])) pe__t5_compute_start(t, group);
    return t->begin[group * PE__T5_SOME];
}

/* Returns the bucket of the distance `size`, which is at least m, using bisection. Sets *from <=
   size and *to > size so that every distance in [*from, *to) is in this bucket. */
PE__OUTLINE size_t pe__t5_bucket(pe__t5 *t, double size, double *from, double *to)
{
    const size_t count = t->n - t->m;
    size_t low = 0, high = (count + PE__T5_SOME - 1) / PE__T5_SOME;
    *to = 1e300;                   /* above all distances */
    if (size >= t->max_distance) { /* the last bucket */
        *from = t->max_distance;
        return t->n - 1;
    }
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        const double begin = pe__t5_bucket_start(t, middle);
        const int above = size >= begin;
        *to = above ? *to : begin;
        low = above ? middle : low;
        high = above ? high : middle;
    }
    *from = pe__t5_bucket_start(t, low);
    low *= PE__T5_SOME;
    for (high = pe__min(low + PE__T5_SOME, count); low + 1 < high; low++) {
        if (size < t->begin[low + 1]) {
            *to = t->begin[low + 1];
            break;
        }
        *from = t->begin[low + 1];
    }
    return t->m + low;
}

/* Write to index the buckets of the keys for one query. `after` is added to the bucket of a key
   after the query. If `after` is 0, keys after the query are in bucket 0. The variables `from` and
   `to` hold a range of distances that have the bucket of the key before, because the next key is
   usually in the same bucket. */
PE__INLINE void pe__t5_row(pe__t5 *t, size_t after, double query, const double *key, size_t keys,
                           int32_t *index)
{
    double from = 0, to = 0; /* an empty range at first */
    size_t bucket = 0;
    for (size_t k = 0; k < keys; k++) {
        const double d = key[k] - query, size = fabs(d);
        if (PE__UNLIKELY(size < from || size >= to)) {
            from = size;
            to = size + 1;
            bucket = size < (double)t->m ? (size_t)size : pe__t5_bucket(t, size, &from, &to);
        }
        index[k] = (int32_t)(d <= 0 ? bucket : after == 0 ? 0 : bucket + after);
    }
}

PE_API pe_status pe_bias_t5_i32(size_t buckets, size_t max_distance, int bidirectional,
                                pe_at query_at, size_t queries, pe_at key_at, size_t keys,
                                int32_t *index)
{
    enum { PE__BUFFER = 512 };
    double key[PE__BUFFER];
    pe__t5 t;
    if (queries == 0 || keys == 0) return PE_OK;
    if (!index) return PE_ERR_NULL;
    t.n = bidirectional ? buckets / 2 : buckets;
    t.m = t.n / 2;
    t.max_distance = (double)max_distance;
    if (buckets < 2 || buckets > PE__T5_MOST || (bidirectional && (buckets < 4 || buckets % 2)) ||
        max_distance <= t.m || max_distance > (size_t)pe__position_limit)
        return PE_ERR_BUCKETS;
    if (pe__exceeds(queries, keys, PTRDIFF_MAX / sizeof *index)) return PE_ERR_SIZE;
    pe_status status = pe__check_integers(&query_at, queries);
    if (status == PE_OK) status = pe__check_integers(&key_at, keys);
    if (status != PE_OK) return status;
    t.has_log = 0;
    memset(t.made, 0, sizeof t.made);
    for (size_t i = 0, count; i < keys; i += count) {
        count = pe__min(keys - i, PE__BUFFER);
        pe__positions(&key_at, i, count, 0, key);
        for (size_t q = 0; q < queries; q++)
            pe__t5_row(&t, bidirectional ? t.n : 0, (double)pe__integer_position(&query_at, q), key,
                       count, index + q * keys + i);
    }
    return PE_OK;
}

/* This struct describes attention scores of shape [heads][queries][keys]. The strides are in
   elements. */
typedef struct pe__scores {
    void *scores;
    size_t heads, queries, keys, query_stride, head_stride;
} pe__scores;

/* Check all arguments, then add the biases to the scores. Return PE_OK or the error. Before each
   addition the biases of up to PE__MOST keys are collected in a buffer, because the entries of the
   table for one head are `heads` floats apart. */
PE__INLINE pe_status pe__bias_add(pe_type type, const float *table, size_t entries,
                                  const int32_t *index, const pe__scores *x)
{
    const size_t heads = x->heads, queries = x->queries, keys = x->keys;
    void *const scores = x->scores;
    enum { PE__MOST = 256 };
    float biases[PE__MOST];
    int ok = 1;
    if (heads == 0 || queries == 0 || keys == 0) return PE_OK;
    if (!table || !index || !scores) return PE_ERR_NULL;
    pe_status status =
        pe__scores_shape(heads, queries, keys, pe__size_of(type), x->query_stride, x->head_stride);
    if (status != PE_OK) return status;
    if (pe__exceeds(queries, keys, PTRDIFF_MAX / sizeof *index) ||
        pe__exceeds(entries, heads, PTRDIFF_MAX / sizeof *table))
        return PE_ERR_SIZE;
    for (size_t i = 0; i < queries * keys; i++) ok &= index[i] >= 0 && (size_t)index[i] < entries;
    if (!ok) return PE_ERR_INDEX;
    for (size_t h = 0; h < heads; h++)
        for (size_t q = 0; q < queries; q++)
            for (size_t k = 0, n; k < keys; k += n) {
                n = pe__min(keys - k, PE__MOST);
                for (size_t i = 0; i < n; i++)
                    biases[i] = table[(size_t)index[q * keys + k + i] * heads + h];
                const size_t offset = h * x->head_stride + q * x->query_stride + k;
                pe__add_row_floats(type, pe__at_element(type, scores, offset), biases, n);
            }
    return PE_OK;
}
