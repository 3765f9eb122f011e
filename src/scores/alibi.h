/* SPDX-License-Identifier: MIT */
/* Computes ALiBi's slopes, and its biases, which are stored or added to attention scores. Tested by
 * tests/unit/scores/test_alibi.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/options.h"
#include "../api/types.h"
#include "contract_alibi.h"
#include "shape.h"
#include "../numbers/compare.h"
#include "../positions/read.h"
#include "../positions/check.h"
#include "../numbers/double_double.h"
#include "../numbers/exp_log.h"
#include "../sincos/exact.h"
#include "../layouts/elements.h"

/* ---- 10. ALiBi ----------------------------------------------------------------------------------
 * Let the distance j be the position of the key minus that of the query. If j is at most 0, the
 * bias is slope * j. If the key is after the query (j > 0), the bias is slope * j, -infinity or
 * slope * -j, as the mode says. A row is the biases of all keys for one query of one head.
 *
 * Biases in f32 are computed row by row, which takes no longer than their stores. Biases in 16 bits
 * must be rounded only once, which takes longer. But where keys and queries are consecutive, each
 * row is the row before, shifted by one key. So 16-bit biases are then computed once for many rows
 * and copied. Adding to 16-bit scores computes biases in f32. */

PE_API pe_status pe_alibi_slopes_f32(size_t heads, float max_bias, float *slopes)
{
    size_t n = 1;
    if (heads == 0) return PE_OK;
    if (!slopes) return PE_ERR_NULL;
    if (!pe__between((double)max_bias, 0, (double)FLT_MAX)) return PE_ERR_SLOPE;
    if (heads > (size_t)1 << 28) return PE_ERR_SIZE;
    while (n <= heads / 2) n *= 2;
    for (size_t first = 0; first < heads; first += PE_LANES) {
        double t[PE_LANES], hi[PE_LANES], lo[PE_LANES];
        /* The slope is 2^-t. t is exact: max_bias has at most 24 bits, the numerator 29. */
        for (size_t k = 0; k < PE_LANES; k++) {
            const size_t h = first + k, numerator = h < n ? 2 * (h + 1) : 2 * (h - n) + 1;
            const double exponent = (double)max_bias * (double)numerator / (double)(2 * n);
            t[k] = exponent < 200 ? exponent : 200; /* 2^-200 rounds to 0 */
        }
        const pe__vd rounded = pe__round(pe__load(t)), part = rounded - pe__load(t);
        const pe__td y = pe__td_exp2(pe__td_from_double(part));
        pe__store(t, rounded);
        pe__store(hi, y.a);
        pe__store(lo, y.b + y.c);
        /* 2^-t is exact for an integer t; for any other t it is irrational, so no midpoint */
        for (size_t k = 0; k < pe__min(PE_LANES, heads - first); k++)
            slopes[first + k] = pe__round_once(hi[k], lo[k], pe__exp2i(-(int)t[k]), PE__DROP_F32);
    }
    return PE_OK;
}

/* The slope line of a head gives its bias as a function of j = key - query. */
typedef struct pe__slope_line {
    /* `slope` is the factor of j or, if symmetric, of |j|. `zero` is +0, whose addition turns a
       bias of -0 into +0. `masked` is -infinity. All lanes of each are equal. */
    pe__vf slope, zero, masked;
    double slope_f64; /* the caller's slope; its sign is not changed in symmetric mode */
} pe__slope_line;

PE__INLINE pe__slope_line pe__slope_line_of(pe_alibi_mode mode, float slope)
{
    pe__slope_line line;
    line.zero = pe__splat_f32(pe__zero());
    line.slope = pe__splat_f32(mode == PE_ALIBI_SYMMETRIC ? -slope : slope);
    line.masked = pe__splat_f32(pe__float_of_bits(0xff800000u));
    line.slope_f64 = (double)slope;
    return line;
}

/* This array holds the distances of keys 0, 2, 4 ... of a vector from its first key. The distances
   of keys 1, 3, 5 ... are larger by 1. */
static const double pe__evens[8] = {0, 2, 4, 6, 8, 10, 12, 14};

/* Returns the biases slope * x and slope * y as floats, in the order x0 y0 x1 y1 ... The distances
   x and y may have more than 29 bits. A double may not hold a float times such a distance. So the
   product is rounded to odd as a double, and then correctly to float. If odd is set, the second
   rounding is also to odd, for a later rounding to 16 bits. A product in the range of subnormal
   floats is a multiple of 2^-149, as slope is, and therefore exact. */
PE__OUTLINE pe__vf pe__round_biases(double slope, pe__vd x, pe__vd y, int odd)
{
    const pe__vd zero = pe__splat((double)pe__zero());
    pe__vd e, f;
    double all[4][PE_LANES];
    x = pe__two_prod(pe__splat(slope), x, &e);
    y = pe__two_prod(pe__splat(slope), y, &f);
    pe__store(all[0], x);
    pe__store(all[1], y);
    pe__store(all[2], e);
    pe__store(all[3], f);
    for (size_t k = 0; k < PE_LANES; k++) {
        all[0][k] = pe__to_odd(all[0][k], all[2][k]);
        all[1][k] = pe__to_odd(all[1][k], all[3][k]);
    }
    x = pe__load(all[0]) + zero;
    y = pe__load(all[1]) + zero; /* a zero is +0 */
    return odd ? pe__zip_odd(x, y) : pe__zip(x, y);
}

/* Returns the biases at the distances j + offset[k] for k < PE__FLOATS, which may be so large that
   pe__round_biases() is needed. */
PE__OUTLINE pe__vf pe__round_biases_from(pe_alibi_mode mode, double slope, const float *offset,
                                         int64_t j)
{
    double p[PE__FLOATS];
    pe__vd x, y;
    for (size_t k = 0; k < PE__FLOATS; k++) {
        p[k] = (double)offset[k] + (double)j;
        if (mode == PE_ALIBI_SYMMETRIC) p[k] = -fabs(p[k]);
    }
    pe__unzip(p, &x, &y);
    return pe__round_biases(slope, x, y, 0);
}

/* Returns the biases at the distances j as floats. Keys after the query are not masked. */
PE__INLINE pe__vf pe__slope_line_at(pe_alibi_mode mode, const pe__slope_line *line, pe__vf j)
{
    const pe__vf size = mode == PE_ALIBI_SYMMETRIC ? pe__abs_f32(j) : j;
    return pe__add_f32(pe__mul_f32(line->slope, size), line->zero); /* a zero is +0 */
}

/* These constants say whether biases are stored, stored with non-temporal stores, or added to
   elements. */
typedef enum pe__bias_mode { PE__BIAS_STORE, PE__BIAS_STREAM, PE__BIAS_ADD } pe__bias_mode;

/* Store or add the first n biases of v at address `place`. `j` holds the distances of the
   keys. If masked is not NULL, elements with j > 0 become *masked, whatever they were. */
PE__INLINE void pe__put_biases(pe__bias_mode to, pe_type type, const pe__vf *masked, pe__vf j,
                               pe__vf v, void *place, size_t n)
{
    const int is_full = n == PE__FLOATS;
    if (to == PE__BIAS_ADD)
        v = pe__add_f32(is_full ? pe__get_as(type, place) : pe__get_n_as(type, place, n), v);
    if (masked) v = pe__if_positive(j, *masked, v);
    if (!is_full) pe__put_n_as(type, place, v, n);
    else if (to == PE__BIAS_STREAM) pe__stream((float *)place, v);
    else pe__put_as(type, place, v);
}

/* Store or add the n biases of a row, whose keys are at the distances j, j + 1 ... No distance
   exceeds PE__FLOAT_INTEGERS in magnitude, so floats hold the distances exactly. The loop has four
   vectors of distances. With one vector, each iteration would wait for the addition of the one
   before. */
enum { PE__FLOAT_INTEGERS = 1 << 24 };
PE__INLINE void pe__write_bias_row(pe__bias_mode to, pe_type type, pe_alibi_mode mode,
                                   const pe__slope_line *line, int64_t j, size_t n, void *row)
{
    static const float count[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    enum { PE__STEP = PE__FLOATS, PE__FOUR = 4 * PE__STEP };
    const size_t vector = sizeof(pe__vf), size = PE__STEP * pe__size_of(type);
    const pe__vf *const masked = mode == PE_ALIBI_CAUSAL ? &line->masked : NULL;
#define PE__PUT(j, k)                                                                              \
    pe__put_biases(to, type, masked, j, pe__slope_line_at(mode, line, j), place + (k) * size,      \
                   PE__STEP)
    for (size_t i = 0, part; i < n; i += part, j += (int64_t)part) {
        unsigned char *place = (unsigned char *)pe__at_element(type, row, i);
        const size_t beyond = to == PE__BIAS_STREAM ? (uintptr_t)place % vector : 0;
        const pe__vf step = pe__splat_f32(PE__STEP), four = pe__splat_f32(PE__FOUR);
        pe__vf a = pe__add_f32(pe__splat_f32((float)j), pe__get(count));
        /* The part has at most one vector. If biases are streamed, it ends at an aligned address or
           with the row. */
        part = pe__min(n - i, (vector - beyond) / sizeof(float));
        if (beyond || n - i < PE__FOUR) {
            pe__put_biases(to, type, masked, a, pe__slope_line_at(mode, line, a), place, part);
            continue;
        }
        pe__vf b = pe__add_f32(a, step), c = pe__add_f32(b, step), d = pe__add_f32(c, step);
        for (part = 0; part + PE__FOUR <= n - i; part += PE__FOUR, place += 4 * size) {
            PE__PUT(a, 0);
            PE__PUT(b, 1);
            PE__PUT(c, 2);
            PE__PUT(d, 3);
            a = pe__add_f32(a, four);
            b = pe__add_f32(b, four);
            c = pe__add_f32(c, four);
            d = pe__add_f32(d, four);
        }
    }
#undef PE__PUT
}

/* A tile holds n keys of a list, as offsets from the first key of the tile. Each offset is at most
   PE__MAX_KEY_OFFSET in magnitude. If the first key's distance is too, all distances are at most
   2^24, so that floats hold them exactly. */
enum { PE__KEYS = 512, PE__MAX_KEY_OFFSET = 1 << 23 };
typedef struct pe__key_tile {
    size_t n;
    float offset[(size_t)PE__KEYS + PE__FLOATS];
} pe__key_tile;

/* Load a tile from the `rest` keys that start at index `key`. Load at most PE__KEYS of them, and
   only those before the first key whose offset is beyond PE__MAX_KEY_OFFSET. Offsets are padded to
   whole vectors, with the first key's offset 0. If `split` is 1, each vector has its keys 0, 2, 4
   ... first, then its keys 1, 3, 5 ... */
PE__OUTLINE void pe__load_key_tile(pe__key_tile *keys, const pe_at *positions, size_t key,
                                   size_t rest, int split)
{
    double p[(size_t)PE__KEYS + PE__FLOATS];
    const size_t limit = pe__min(rest, PE__KEYS), lanes = PE_LANES;
    size_t n = 0;
    pe__positions(positions, key, limit, 0, p);
    const pe__vd first = pe__splat(p[0]);
    while (n < limit && fabs(p[n] - p[0]) <= (double)PE__MAX_KEY_OFFSET) n++;
    for (size_t k = 0; k < PE__FLOATS; k++) p[n + k] = p[0];
    for (size_t k = 0; k < n; k += PE__FLOATS) {
        pe__vd x = pe__load(p + k), y = pe__load(p + k + lanes);
        if (split) pe__unzip(p + k, &x, &y);
        pe__narrow(keys->offset + k, x - first);
        pe__narrow(keys->offset + k + lanes, y - first);
    }
    keys->n = n;
}

/* Store or add the biases of a tile of keys in one row. The tile's first key is at distance j. If
   |j| is above PE__MAX_KEY_OFFSET, floats may not hold the distances, and pe__round_biases_from()
   computes the biases. */
PE__INLINE void pe__write_bias_list(pe__bias_mode to, pe_type type, pe_alibi_mode mode,
                                    const pe__slope_line *line, const pe__key_tile *keys, int64_t j,
                                    void *row)
{
    const int is_far = j < -PE__MAX_KEY_OFFSET || j > PE__MAX_KEY_OFFSET;
    const size_t n = keys->n, groups_end = PE__UNLIKELY(is_far) ? 0 : n - n % PE__FLOATS;
    const pe__vf first = pe__splat_f32((float)j);
    const pe__vf *const masked = mode == PE_ALIBI_CAUSAL ? &line->masked : NULL;
    size_t i = 0;
    for (; i < groups_end; i += PE__FLOATS) {
        const pe__vf a = pe__add_f32(first, pe__get(keys->offset + i));
        pe__put_biases(to, type, masked, a, pe__slope_line_at(mode, line, a),
                       pe__at_element(type, row, i), PE__FLOATS);
    }
    for (; i < n; i += PE__FLOATS) {
        const float *const offset = keys->offset + i;
        const pe__vf a = pe__add_f32(first, pe__get(offset));
        const pe__vf v = PE__UNLIKELY(is_far)
                             ? pe__round_biases_from(mode, line->slope_f64, offset, j)
                             : pe__slope_line_at(mode, line, a);
        pe__put_biases(to, type, masked, a, v, pe__at_element(type, row, i),
                       pe__min(n - i, PE__FLOATS));
    }
}

/* Write n 16-bit biases to row, correctly rounded. They are rounded to odd as floats, then to the
   type. `keys` is a tile that was loaded with split = 1, and its first key is at distance j. If
   `keys` is NULL, the keys are at distances j, j + 1 ... If all distances are at most 2^29, doubles
   hold the products exactly. If a distance may be larger, pe__round_biases() computes the
   biases. */
PE__INLINE void pe__write_bias_row_16(pe_type type, pe_alibi_mode mode, const pe__slope_line *line,
                                      const pe__key_tile *keys, int64_t j, size_t n, uint16_t *row)
{
    const int64_t margin = (int64_t)1 << 29, max_offset = PE__MAX_KEY_OFFSET;
    const int64_t extent = keys ? max_offset : (int64_t)n;
    const int is_far = j < max_offset - margin || j > margin - extent;
    const int masks = mode == PE_ALIBI_CAUSAL && j > -extent;
    const size_t lanes = PE_LANES;
    const pe__vd zero = pe__splat((double)pe__zero()), slope = pe__splat(line->slope_f64);
    const pe__vd first = pe__splat((double)j), step = pe__splat(PE__FLOATS);
    pe__vd x = pe__load(pe__evens) + first, y = x + pe__splat(1.0);
    for (size_t i = 0; i < n; i += PE__FLOATS, x = x + step, y = y + step) {
        const size_t count = pe__min(n - i, PE__FLOATS);
        if (keys) {
            x = pe__widen(keys->offset + i) + first;
            y = pe__widen(keys->offset + i + lanes) + first;
        }
        const int size = mode == PE_ALIBI_SYMMETRIC;
        /* v stays -infinity if all its keys are after the query, as in half of a causal square */
        pe__vf v = line->masked;
        if (keys || !masks || j + (int64_t)i <= 0) {
            const pe__vd a = size ? -pe__abs(x) : x, b = size ? -pe__abs(y) : y;
            v = pe__zip_odd(slope * a + zero, slope * b + zero); /* exact products; zeros are +0 */
            if (PE__UNLIKELY(is_far)) v = pe__round_biases(line->slope_f64, a, b, 1);
            if (masks) v = pe__if_positive(pe__zip(x, y), line->masked, v);
        }
        if (count == PE__FLOATS) pe__put_as(type, row + i, v);
        else pe__put_n_as(type, row + i, v, count);
    }
}

/* This struct holds the type T of a call of pe_alibi_fill_T or pe_alibi_add_T, and all its
   arguments except the array that is written. */
typedef struct pe__alibi {
    const float *slopes;
    size_t heads, queries, keys, query_stride, head_stride;
    pe_alibi_mode mode;
    pe_type type;
    const pe_at *query_at, *key_at;
} pe__alibi;

/* Store or add the biases of all heads and queries for a tile of keys that begins with the key at
   index `key`. If keys is NULL, do so for all keys, which are then consecutive. If queries are
   consecutive, the slope of a head is loaded once for all its rows. A load between rows would stall
   because of 4K aliasing. A load waits for an earlier store whose address has the same last 12
   bits. Among the stores of a few rows, every value of these bits occurs. */
PE__INLINE void pe__alibi_rows_of(pe__bias_mode to, pe_type type, pe_alibi_mode mode,
                                  const pe__alibi *a, const pe__key_tile *keys, size_t key,
                                  void *out)
{
    const size_t across = a->head_stride, down = a->query_stride, heads = a->heads, n = a->keys;
    const size_t run = pe__is_consecutive(a->query_at) ? a->queries : 1;
    const int64_t first = pe__integer_position(a->key_at, key);
    const float *const slopes = a->slopes;
    for (size_t query = 0; query < a->queries; query += run) {
        const int64_t nearest = first - pe__integer_position(a->query_at, query);
        for (size_t head = 0; head < heads; head++) {
            const pe__slope_line line = pe__slope_line_of(mode, slopes[head]);
            const size_t offset = head * across + query * down + key;
            for (size_t r = 0; r < run; r++) {
                void *const row = pe__at_element(type, out, offset + r * down);
                const int64_t j = nearest - (int64_t)r;
                if (keys) pe__write_bias_list(to, type, mode, &line, keys, j, row);
                else pe__write_bias_row(to, type, mode, &line, j, n, row);
            }
        }
    }
}

/* Returns 1 if the keys are consecutive, there are at most PE__FLOAT_INTEGERS / 2 of them, and all
   distances are at most PE__FLOAT_INTEGERS in magnitude. These include the distances in the last
   vector of a row that are beyond its end. If the queries are consecutive, those of the first and
   the last one bound all others. */
static inline int pe__alibi_is_consecutive(const pe__alibi *a)
{
    const int64_t key = pe__integer_position(a->key_at, 0);
    const size_t step = pe__is_consecutive(a->query_at) ? pe__max(a->queries - 1, 1) : 1;
    if (!pe__is_consecutive(a->key_at) || a->keys > PE__FLOAT_INTEGERS / 2) return 0;
    for (size_t query = 0; query < a->queries; query += step) {
        const int64_t j = key - pe__integer_position(a->query_at, query);
        if (j < -PE__FLOAT_INTEGERS ||
            j > (int64_t)PE__FLOAT_INTEGERS - PE__FLOATS - (int64_t)a->keys)
            return 0;
    }
    return 1;
}
PE__INLINE void pe__alibi_rows_as(pe__bias_mode to, pe_type type, pe_alibi_mode mode,
                                  const pe__alibi *a, void *out)
{
    const pe__bias_mode listed = to == PE__BIAS_STREAM ? PE__BIAS_STORE : to;
    pe__key_tile keys;
    if (pe__alibi_is_consecutive(a)) {
        pe__alibi_rows_of(to, type, mode, a, NULL, 0, out);
        return;
    }
    for (size_t key = 0; key < a->keys; key += keys.n) {
        pe__load_key_tile(&keys, a->key_at, key, a->keys - key, 0);
        pe__alibi_rows_of(listed, type, mode, a, &keys, key, out);
    }
}
PE__INLINE void pe__alibi_rows(pe__bias_mode to, pe_type type, const pe__alibi *a, void *out)
{
    if (a->mode == PE_ALIBI_LINEAR) pe__alibi_rows_as(to, type, PE_ALIBI_LINEAR, a, out);
    else if (a->mode == PE_ALIBI_CAUSAL) pe__alibi_rows_as(to, type, PE_ALIBI_CAUSAL, a, out);
    else pe__alibi_rows_as(to, type, PE_ALIBI_SYMMETRIC, a, out);
}

/* Copy n biases from the array `tile` to each of `rows` rows, which are `step` elements apart. The
   last row gets tile[0], tile[1] ..., the row before it tile[1], tile[2] ..., and so on. Stores are
   non-temporal if `stream` is set. */
PE__OUTLINE void pe__copy_down(uint16_t *row, size_t step, const uint16_t *tile, size_t rows,
                               size_t n, int stream)
{
    for (size_t k = 0; k < rows; k++) pe__copy(row + k * step, tile + rows - 1 - k, 2 * n, stream);
}

/* Write the rows of all heads in 16 bits. Biases are computed in the array `tile` and copied to the
   rows. If keys and queries are consecutive, one computation serves as many rows as `tile` has room
   for, since each row is the one before, shifted by one key. Otherwise it serves one row. */
PE__INLINE void pe__alibi_rows_16(pe_type type, const pe__alibi *a, void *out, int stream)
{
    enum { PE__BUFFER = 4096, PE__WIDE = 3584 };
    uint16_t tile[PE__BUFFER];
    const int run = pe__is_consecutive(a->key_at), runs = run && pe__is_consecutive(a->query_at);
    pe__key_tile keys;
    for (size_t key = 0, n; key < a->keys; key += n) {
        if (!run) pe__load_key_tile(&keys, a->key_at, key, a->keys - key, 1);
        n = run ? pe__min(a->keys - key, PE__WIDE) : keys.n;
        const size_t high = runs ? PE__BUFFER + 1 - n : 1;
        for (size_t head = 0; head < a->heads; head++) {
            const pe__slope_line line = pe__slope_line_of(a->mode, a->slopes[head]);
            for (size_t query = 0; query < a->queries; query += high) {
                const size_t rows = pe__min(high, a->queries - query);
                /* the tile begins with the first bias of the last row */
                const int64_t last = pe__integer_position(a->query_at, query + rows - 1);
                const int64_t j = pe__integer_position(a->key_at, key) - last;
                uint16_t *row = (uint16_t *)out + head * a->head_stride + key;
                pe__write_bias_row_16(type, a->mode, &line, run ? NULL : &keys, j, n + rows - 1,
                                      tile);
                pe__copy_down(row + query * a->query_stride, a->query_stride, tile, rows, n,
                              stream);
            }
        }
    }
}

/* Fill the array `bias`. If the biases have PE_STREAM_BYTES or more and bias is aligned as its
   type, stores are non-temporal. F32 biases for which pe__alibi_is_consecutive() returns 0 always
   use ordinary stores. */
PE__OUTLINE void pe__alibi_fill(const pe__alibi *a, void *bias)
{
    const size_t size = pe__size_of(a->type), many = PE_STREAM_BYTES;
    const int stream =
        a->heads * a->queries * a->keys * size >= many && (uintptr_t)bias % size == 0;
    if (a->type == PE_TYPE_F16) pe__alibi_rows_16(PE_TYPE_F16, a, bias, stream);
    else if (a->type == PE_TYPE_BF16) pe__alibi_rows_16(PE_TYPE_BF16, a, bias, stream);
    else if (stream) pe__alibi_rows(PE__BIAS_STREAM, PE_TYPE_F32, a, bias);
    else pe__alibi_rows(PE__BIAS_STORE, PE_TYPE_F32, a, bias);
    if (stream) pe__fence();
}

PE__OUTLINE void pe__alibi_add(const pe__alibi *a, void *scores)
{
    if (a->type == PE_TYPE_F32) pe__alibi_rows(PE__BIAS_ADD, PE_TYPE_F32, a, scores);
    else if (a->type == PE_TYPE_F16) pe__alibi_rows(PE__BIAS_ADD, PE_TYPE_F16, a, scores);
    else pe__alibi_rows(PE__BIAS_ADD, PE_TYPE_BF16, a, scores);
}

/* Check the arguments of a call, then call verb, which is pe__alibi_fill() or pe__alibi_add().
   Returns PE_OK or the error. If there is nothing to write, returns PE_OK without any check. */
PE__OUTLINE pe_status pe__alibi_call(const pe__alibi *a, void *x,
                                     void (*verb)(const pe__alibi *, void *))
{
    if (a->heads == 0 || a->queries == 0 || a->keys == 0) return PE_OK;
    if (!a->slopes || !x) return PE_ERR_NULL;
    if ((unsigned)a->mode > PE_ALIBI_SYMMETRIC) return PE_ERR_ENUM;
    pe_status status = pe__scores_shape(a->heads, a->queries, a->keys, pe__size_of(a->type),
                                        a->query_stride, a->head_stride);
    if (status == PE_OK) status = pe__check_integers(a->query_at, a->queries);
    if (status == PE_OK) status = pe__check_integers(a->key_at, a->keys);
    for (size_t i = 0; i < a->heads && status == PE_OK; i++)
        if (!pe__magnitude_between((double)a->slopes[i], 0, (double)FLT_MAX)) status = PE_ERR_SLOPE;
    if (status == PE_OK) verb(a, x);
    return status;
}
