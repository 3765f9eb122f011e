/* SPDX-License-Identifier: MIT */
/*
 * This harness tests learned tables, ALiBi, T5's buckets, biases that an index looks up, and the
 * factors of queries and of xPos. It checks the following. Lookups outside of a table are refused
 * before anything is written. Gradients add up in the order of
 * their rows. Resampling computes each column by itself. Biases, buckets and factors are those of
 * the formula, for every mode, stride and place, and however the work is divided into calls.
 */
#define FUZZ_TABLES
#include "calls.h"
#include "place.h"

#include <float.h>

enum { ELEMENTS = 320 };

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    fuzz_memory_make();
    return 0;
}

/* ------------------------------------------------------------------------------------------------
 * ALiBi
 * --------------------------------------------------------------------------------------------- */

static void op_slopes(fuzz_input *in)
{
    const size_t wrong = fuzz_wrong(in, 3);
    size_t heads = fuzz_byte(in) % 65;
    float bias = fuzz_byte(in) < 128 ? 8 : (float)fuzz_double(in);
    uint64_t may = 0;
    if (wrong == 1) heads = fuzz_huge(in);
    if (heads > (size_t)1 << 28) may |= FUZZ_BIT(PE_ERR_SIZE);
    else if (heads > 64) return;
    if (heads && !(bias >= 0 && bias <= FLT_MAX)) may |= FUZZ_BIT(PE_ERR_SLOPE);
    if (wrong == 2 && heads) may |= FUZZ_BIT(PE_ERR_NULL);
    float *const s = (float *)fuzz_take((may ? 16 : heads) * sizeof *s, heads & 1);
    fuzz_save(1);
    if (!fuzz_status("pe_alibi_slopes", pe_alibi_slopes_f32(heads, bias, wrong == 2 ? NULL : s),
                     may) ||
        heads == 0)
        return;
    size_t n = 1;
    while (n <= heads / 2) n *= 2;
    float twice[128];
    if (pe_alibi_slopes_f32(2 * n, bias, twice) != PE_OK)
        FUZZ_FAIL("pe_alibi_slopes refuses %zu heads", 2 * n);
    for (size_t h = 0; h < heads; h++)
        if (memcmp(&s[h], &twice[h < n ? 2 * h + 1 : 2 * (h - n)], sizeof *s) != 0)
            FUZZ_FAIL("pe_alibi_slopes: slope %zu of %zu is %a", h, heads, (double)s[h]);
}

/* Returns the bias of key k for the query at position p, as a float. */
static float bias_of(pe_alibi_mode mode, float slope, int64_t p, int64_t k)
{
    const double d = (double)(p - k); /* the product is exact for |d| < 2^29 */
    if (mode == PE_ALIBI_CAUSAL && k > p) return -(float)INFINITY;
    return (float)(-(double)slope * (mode == PE_ALIBI_SYMMETRIC ? fabs(d) : d) + 0.0);
}

/* Returns the errors of the strides of scores [heads][queries][keys], none of which is 0. *bytes is
   the size of the scores, or SIZE_MAX if it overflows. */
static uint64_t scores_may(size_t heads, size_t queries, size_t keys, size_t q_stride,
                           size_t h_stride, size_t size, size_t *bytes)
{
    const size_t q = queries - 1, h = heads - 1;
    const size_t by_query = fuzz_mul_add(q, q_stride, keys),
                 by_head = fuzz_mul_add(h, h_stride, keys);
    uint64_t may = 0;
    if ((q && q_stride < keys) || (h && h_stride < keys) ||
        (q && h && h_stride < by_query && q_stride < by_head))
        may |= FUZZ_BIT(PE_ERR_SHAPE);
    *bytes = fuzz_mul_add(h, h_stride, q ? by_query : keys);
    if (*bytes > (size_t)PTRDIFF_MAX / size) may |= FUZZ_BIT(PE_ERR_SIZE);
    *bytes = fuzz_mul_add(*bytes, size, 0);
    return may;
}

static void op_alibi(fuzz_input *in)
{
    static const fuzz_type types[] = {FUZZ_F32, FUZZ_F16, FUZZ_BF16, FUZZ_F32};
    const unsigned b = fuzz_byte(in), seed = fuzz_byte(in);
    const size_t wrong = fuzz_wrong(in, 10);
    const fuzz_type t = types[b & 3];
    const size_t size = fuzz_size(t);
    const int is_add = b >> 2 & 1;
    pe_alibi_mode mode = (pe_alibi_mode)((b >> 3) % 3);
    size_t heads = 1 + (b >> 5) % 4, queries = fuzz_byte(in) % 9, keys = fuzz_byte(in);
    int64_t first = fuzz_position(in);
    keys = keys < 160 ? keys % 40 : keys;
    if (fuzz_byte(in) < 128 && keys) /* queries between the keys, so that keys are on both sides */
        first = (int64_t)(seed % keys);
    while (heads * queries * keys > ELEMENTS) queries /= 2;
    const size_t gap = seed & 32 ? seed % 5 : 0;
    size_t q_stride = keys + gap, h_stride = (queries ? queries : 1) * q_stride + gap;
    if (seed & 64) /* [queries, heads, keys] */
        h_stride = keys + gap, q_stride = heads * h_stride;
    if (queries == 1 && (seed & 128)) /* the stride of a single query is not used */
        q_stride = seed;
    if (wrong == 1) q_stride = seed & 1 ? fuzz_huge(in) : fuzz_byte(in);
    if (wrong == 2) h_stride = seed & 1 ? fuzz_huge(in) : fuzz_byte(in);
    if (wrong == 3) first = fuzz_far(in);
    if (wrong == 4) keys = fuzz_huge(in);
    if (wrong == 5) queries = fuzz_huge(in);
    if (wrong == 6) heads = fuzz_byte(in) < 128 ? 0 : fuzz_huge(in);
    if (wrong == 7) mode = (pe_alibi_mode)(3 + fuzz_byte(in));

    /* `may` collects the errors that the call has to report. */
    const int nothing = heads == 0 || queries == 0 || keys == 0;
    uint64_t may = 0;
    size_t bytes = 0;
    if (!nothing) {
        may = scores_may(heads, queries, keys, q_stride, h_stride, size, &bytes);
        may |= fuzz_range(first, queries) | fuzz_range(0, keys);
        if ((unsigned)mode > 2) may |= FUZZ_BIT(PE_ERR_ENUM);
        if (heads > 8 && !(may & (FUZZ_BIT(PE_ERR_SIZE) | FUZZ_BIT(PE_ERR_SHAPE))))
            return; /* the harness has no room for more slopes */
        if (may == 0 && bytes > FUZZ_PLACE) return;
    }
    const size_t given = heads > 8 ? 8 : heads;
    float *const slopes = (float *)fuzz_take(given * sizeof *slopes, 1);
    for (size_t h = 0; h < given; h++) {
        slopes[h] = ldexpf(1.0f, -(int)((h + 1) * (seed % 7 + 1)));
        if (seed % 16 == 9) slopes[h] = fuzz_float_of((uint32_t)fuzz_bytes(in, 4));
        if (!nothing && !(fabsf(slopes[h]) <= FLT_MAX)) may |= FUZZ_BIT(PE_ERR_SLOPE);
    }
    if (may != 0 || nothing) bytes = 512;
    unsigned char *const x = (unsigned char *)fuzz_take(bytes, seed & 1);
    if (is_add) fuzz_elements(t, x, bytes / size, seed);
    fuzz_save(2);
    if (wrong >= 8 && !nothing) may |= FUZZ_BIT(PE_ERR_NULL);
    const fuzz_bias *const f = &fuzz_biases[t];
    const float *const s = wrong == 8 ? NULL : slopes;
    void *const out = wrong >= 9 ? NULL : x;
    const pe_status status = (is_add ? f->add : f->fill)(s, heads, mode, first, queries, pe_from(0),
                                                         keys, out, q_stride, h_stride);
    if (!fuzz_status("pe_alibi", status, may)) return;
    if (nothing) {
        fuzz_unwritten("pe_alibi of nothing");
        return;
    }

    /* Repeat the call row by row in a copy of the scores. Up to 256 keys are given as a list. */
    unsigned char *const y = (unsigned char *)fuzz_take(bytes, !(seed & 1));
    const int is_list = keys <= 256;
    int64_t *const list = (int64_t *)fuzz_take((is_list ? keys : 0) * sizeof *list, seed >> 1 & 1);
    for (size_t k = 0; is_list && k < keys; k++) list[k] = (int64_t)k;
    const pe_at key_at = is_list ? pe_at_i64(list) : pe_from(0);
    memcpy(y, fuzz_saved(x), bytes);
    for (size_t h = heads; h-- > 0;)
        for (size_t q = queries; q-- > 0;) {
            const size_t at = h * h_stride + q * q_stride;
            if ((is_add ? f->add : f->fill)(slopes + h, 1, mode, first + (int64_t)q, 1, key_at,
                                            keys, y + at * size, keys, keys) != PE_OK)
                FUZZ_FAIL("pe_alibi refuses a row");
            for (size_t k = 0; k < keys && t == FUZZ_F32; k++) {
                const int64_t p = first + (int64_t)q;
                const float *const z = (const float *)(const void *)(x + at * size) + k;
                float want = bias_of(mode, slopes[h], p, (int64_t)k), was;
                if (p - (int64_t)k > 1 << 29 || p - (int64_t)k < -(1 << 29)) break;
                memcpy(&was, fuzz_saved(x) + (at + k) * size, sizeof was);
                if (is_add && !(mode == PE_ALIBI_CAUSAL && (int64_t)k > p)) want = was + want;
                if (!fuzz_same(t, z, &want, 1))
                    FUZZ_FAIL("pe_alibi: mode %d, slope %a, query %lld, key %zu: %a, not %a",
                              (int)mode, (double)slopes[h], (long long)p, k, (double)*z,
                              (double)want);
            }
        }
    if (!fuzz_same(t, x, y, bytes / size)) /* the elements between the rows are compared too */
        FUZZ_FAIL("pe_alibi: not the bits of its rows alone, type %d, mode %d", (int)t, (int)mode);
}

/* ------------------------------------------------------------------------------------------------
 * T5's buckets, and biases by an index
 * --------------------------------------------------------------------------------------------- */

/* Returns the errors of a place for a call that takes only integer positions. is_flawed is 1 for a
   pe_at that no function made, which has these errors already. */
static uint64_t whole_may(const fuzz_place *p, int is_flawed)
{
    return p->may | (p->is_whole || is_flawed ? 0 : FUZZ_BIT(PE_ERR_AT_KIND));
}

/* Returns whether `bucket` is right for the distance d >= 0. There are n buckets in this direction,
   and all distances of `most` or more are in the last. Next to a boundary both buckets are
   accepted: tests/unit/plan/test_models.c checks which one is right. */
static int is_bucket(double d, size_t n, size_t most, long double bucket)
{
    const size_t m = n / 2;
    if (d < (double)m) return bucket == (long double)d;
    const long double x = (long double)(n - m) * logl((long double)d / (long double)m) /
                          logl((long double)most / (long double)m);
    const long double low = floorl(x - 1e-14L * (1 + x)), high = floorl(x + 1e-14L * (1 + x));
    const long double last = (long double)(n - m) - 1, b = bucket - (long double)m;
    return b == (low < last ? low : last) || b == (high < last ? high : last);
}

static void op_t5(fuzz_input *in)
{
    static fuzz_place query, key;
    const unsigned b = fuzz_byte(in), seed = fuzz_byte(in);
    const size_t wrong = fuzz_wrong(in, 16);
    const int both = b & 1;
    size_t queries = (b >> 1) % 8, keys = fuzz_byte(in) % 40;
    size_t buckets = seed & 128 ? 2 + fuzz_byte(in) % 64 : 32,
           most = seed & 64 ? 1 + fuzz_byte(in) : 128;
    if (both) buckets = (buckets + 2) / 2 * 2;
    if (seed & 32) most <<= fuzz_byte(in) % 24;
    if (wrong == 1) buckets = fuzz_byte(in) < 128 ? fuzz_byte(in) % 5 : fuzz_huge(in);
    if (wrong == 2) most = fuzz_byte(in) < 128 ? fuzz_byte(in) % 33 : fuzz_huge(in);
    if (wrong == 3) queries = fuzz_huge(in);
    if (wrong == 4) keys = fuzz_huge(in);
    const size_t n = both ? buckets / 2 : buckets;
    const fuzz_flaw flaw = wrong < 7 ? FUZZ_GOOD : (fuzz_flaw)(FUZZ_FAR + (int)((wrong - 7) % 6));
    fuzz_place_make(in, &query, queries, 1, 0, wrong & 1 ? flaw : FUZZ_GOOD, 1);
    if (query.too_long) return;
    fuzz_place_make(in, &key, keys, 1, 0, wrong & 1 ? FUZZ_GOOD : flaw, 1);
    if (key.too_long) return;
    const int nothing = queries == 0 || keys == 0;
    uint64_t may = 0;
    if (!nothing) {
        may = whole_may(&query, flaw == FUZZ_GARBAGE) | whole_may(&key, flaw == FUZZ_GARBAGE);
        if (buckets < 2 || buckets > 1024 || (both && (buckets < 4 || buckets % 2)) ||
            most <= n / 2 || most > (size_t)1 << 31)
            may |= FUZZ_BIT(PE_ERR_BUCKETS);
        if (fuzz_mul_add(queries, keys, 0) > (size_t)PTRDIFF_MAX / 4) may |= FUZZ_BIT(PE_ERR_SIZE);
        if (wrong == 5) may |= FUZZ_BIT(PE_ERR_NULL);
        if (may == 0 && (queries > FUZZ_ROWS || keys > FUZZ_ROWS)) return;
    }
    const size_t all = may || nothing ? 16 : queries * keys;
    int32_t *const index = (int32_t *)fuzz_take(all * sizeof *index, seed & 1);
    fuzz_save(fuzz_all.used);
    const pe_status status = pe_bias_t5_i32(buckets, most, both ? 1 + (seed & 6) : 0, query.at,
                                            queries, key.at, keys, wrong == 5 ? NULL : index);
    if (!fuzz_status("pe_bias_t5", status, may)) return;
    if (nothing) {
        fuzz_unwritten("pe_bias_t5 of nothing");
        return;
    }
    for (size_t q = 0; q < queries; q++)
        for (size_t k = 0; k < keys; k++) {
            const double d = fuzz_turn(&key, k, 0, 0) - fuzz_turn(&query, q, 0, 0);
            const int32_t got = index[q * keys + k];
            const long double bucket = (long double)got - (both && d > 0 ? (long double)n : 0);
            if (!is_bucket(both ? fabs(d) : d < 0 ? -d : 0, n, most, bucket))
                FUZZ_FAIL("pe_bias_t5: distance %g is in bucket %d of %zu, the last from %zu on", d,
                          (int)got, buckets, most);
        }
}

/* Compares pe_bias_add_T with sums for floats, and with calls for one element for other types. */
static void op_by_index(fuzz_input *in)
{
    static const fuzz_type types[] = {FUZZ_F32, FUZZ_F16, FUZZ_BF16, FUZZ_F32};
    const unsigned b = fuzz_byte(in), seed = fuzz_byte(in);
    const size_t wrong = fuzz_wrong(in, 10);
    const fuzz_type t = types[b & 3];
    const size_t size = fuzz_size(t);
    size_t heads = 1 + (b >> 2) % 4, queries = (b >> 4) % 5, keys = fuzz_byte(in) % 16;
    size_t entries = 1 + seed % 40;
    const size_t gap = seed & 32 ? seed % 5 : 0, few = queries ? queries : 1;
    size_t q_stride = keys + gap, h_stride = few * q_stride + gap, bytes = 0;
    if (seed & 64) /* [queries, heads, keys] */
        h_stride = keys + gap, q_stride = heads * h_stride;
    const size_t all = few * (keys ? keys : 1), table_size = entries * heads;
    if (wrong == 1) q_stride = seed & 1 ? fuzz_huge(in) : fuzz_byte(in);
    if (wrong == 2) h_stride = seed & 1 ? fuzz_huge(in) : fuzz_byte(in);
    if (wrong == 3) queries = fuzz_huge(in);
    if (wrong == 4) keys = fuzz_huge(in);
    if (wrong == 5) entries = fuzz_huge(in) | 0x10000; /* more than are allocated, never fewer */
    const int nothing = queries == 0 || keys == 0;
    uint64_t may = 0;
    if (!nothing) {
        may = scores_may(heads, queries, keys, q_stride, h_stride, size, &bytes);
        if (fuzz_mul_add(queries, keys, 0) > (size_t)PTRDIFF_MAX / 4 ||
            fuzz_mul_add(entries, heads, 0) > (size_t)PTRDIFF_MAX / 4)
            may |= FUZZ_BIT(PE_ERR_SIZE);
        if (wrong == 7) may |= FUZZ_BIT(PE_ERR_INDEX);
        if (wrong >= 8) may |= FUZZ_BIT(PE_ERR_NULL);
        if (wrong == 3 || wrong == 4) { /* the harness has no room for so large an index */
            if (!(may & (FUZZ_BIT(PE_ERR_SIZE) | FUZZ_BIT(PE_ERR_SHAPE)))) return;
        }
        if (may == 0 && bytes > FUZZ_PLACE) return;
    }
    if (may || nothing) bytes = 512;
    float *const table = (float *)fuzz_take(table_size * sizeof *table, 1);
    int32_t *const index = (int32_t *)fuzz_take(all * sizeof *index, seed & 2);
    unsigned char *const x = (unsigned char *)fuzz_take(bytes, seed & 1);
    uint64_t state = seed;
    fuzz_elements(FUZZ_F32, table, table_size, seed / 2);
    fuzz_elements(t, x, bytes / size, seed);
    for (size_t i = 0; i < all; i++) index[i] = (int32_t)(fuzz_next(&state) % (table_size / heads));
    if (wrong == 7) index[seed % all] = seed & 8 ? -1 - (int32_t)fuzz_byte(in) : (int32_t)entries;
    fuzz_save(3);
    const pe_status status = fuzz_biases[t].by_index(wrong == 8 ? NULL : table, entries, heads,
                                                     wrong == 9 ? NULL : index, queries, keys,
                                                     wrong == 10 ? NULL : x, q_stride, h_stride);
    if (!fuzz_status("pe_bias_add", status, may)) return;
    unsigned char *const y = (unsigned char *)fuzz_take(bytes, !(seed & 1));
    memcpy(y, fuzz_saved(x), bytes);
    for (size_t h = 0; h < heads && !nothing; h++)
        for (size_t i = 0; i < queries * keys; i++) {
            unsigned char *const at = y + (h * h_stride + i / keys * q_stride + i % keys) * size;
            const float bias = table[(size_t)index[i] * heads + h];
            const int32_t first = 0;
            float sum;
            if (t == FUZZ_F32) {
                memcpy(&sum, at, sizeof sum);
                sum += bias;
                memcpy(at, &sum, sizeof sum);
            } else if (fuzz_biases[t].by_index(&bias, 1, 1, &first, 1, 1, at, 1, 1) != PE_OK) {
                FUZZ_FAIL("pe_bias_add refuses an element");
            }
        }
    if (!fuzz_same(t, x, y, bytes / size)) /* the elements between the rows are compared too */
        FUZZ_FAIL("pe_bias_add: not the sums, type %d, %zu heads", (int)t, heads);
}

/* ------------------------------------------------------------------------------------------------
 * Factors of queries, of xPos
 * --------------------------------------------------------------------------------------------- */

static void op_xpos(fuzz_input *in)
{
    static fuzz_place place;
    const unsigned b = fuzz_byte(in), seed = fuzz_byte(in);
    const size_t wrong = fuzz_wrong(in, 10);
    size_t pairs = 1 + b % 24, rows = (b >> 4) % 8, stride, bytes = 0;
    /* Positions are valid up to 60 base, which is more than 2^31 with the base 2^26. */
    double base = seed & 2 ? fuzz_double(in) : 0x1p26;
    if (wrong == 1) pairs = fuzz_byte(in) < 64 ? 0 : fuzz_huge(in);
    stride = pairs + (seed & 16 ? seed >> 5 : 0);
    if (wrong == 2) rows = fuzz_huge(in);
    if (wrong == 3) stride = seed & 1 ? fuzz_huge(in) : seed / 4 % (pairs + 1);
    fuzz_place_make(in, &place, rows, 1, 0,
                    wrong < 5 ? FUZZ_GOOD : (fuzz_flaw)(FUZZ_FAR + (int)((wrong - 5) % 6)), 0);
    if (place.too_long) return;
    uint64_t may = 0;
    if (rows) {
        may = place.may | fuzz_shape(pairs, rows, stride, sizeof(float), &bytes);
        if (pairs == 0) may |= FUZZ_BIT(PE_ERR_EMPTY);
        if (pairs > (size_t)1 << 28) may |= FUZZ_BIT(PE_ERR_SIZE);
        if (wrong == 4) may |= FUZZ_BIT(PE_ERR_NULL);
        if (!(base >= 0x1p-30 && base <= 0x1p100)) may |= FUZZ_BIT(PE_ERR_XPOS);
        for (size_t r = 0; r < place.rows; r++)
            if (!(fabs(fuzz_turn(&place, r, 0, 0)) <= 60 * base)) may |= FUZZ_BIT(PE_ERR_XPOS);
        if (may == 0 && (rows > FUZZ_ROWS || bytes > FUZZ_PLACE)) return;
    }
    if (may || rows == 0) bytes = 256;
    float *const x = (float *)fuzz_take(bytes, seed & 1);
    fuzz_save(fuzz_all.used);
    const pe_status status =
        pe_rope_xpos_f32(pairs, base, place.at, rows, wrong == 4 ? NULL : x, stride);
    if (!fuzz_status("pe_rope_xpos", status, may)) return;
    for (size_t r = 0; r < rows; r++) {
        const long double e = (long double)fuzz_turn(&place, r, 0, 0) / (long double)base;
        for (size_t i = 0; i < pairs; i++) {
            const long double want =
                powl((long double)(5 * i + 2 * pairs) / (long double)(7 * pairs), e);
            if (!(fabsl((long double)x[r * stride + i] - want) <= want * (0x1p-24L + 0x1p-50L)))
                FUZZ_FAIL("pe_rope_xpos: pair %zu of %zu, %a: %a", i, pairs, (double)e,
                          (double)x[r * stride + i]);
        }
        if (r + 1 < rows && memcmp(x + r * stride + pairs, fuzz_saved(x) + 4 * (r * stride + pairs),
                                   (stride - pairs) * sizeof *x) != 0)
            FUZZ_FAIL("pe_rope_xpos: written behind row %zu", r);
    }
}

static void op_query_scale(fuzz_input *in)
{
    static fuzz_place place;
    const unsigned b = fuzz_byte(in), seed = fuzz_byte(in);
    const size_t wrong = fuzz_wrong(in, 12);
    pe_query_scale kind = (pe_query_scale)(b & 1);
    size_t rows = (b >> 1) % 24, period = seed & 1 ? 1 + (size_t)fuzz_bytes(in, 2) : 2048;
    double beta = seed & 2 ? fuzz_double(in) : 0.125,
           shift = seed & 4 ? fuzz_real(in) : (double)(seed >> 7);
    if (wrong == 1) rows = fuzz_huge(in);
    if (wrong == 2) period = fuzz_byte(in) < 64 ? 0 : fuzz_huge(in);
    if (wrong == 3) kind = (pe_query_scale)(2 + fuzz_byte(in));
    if (wrong == 4) shift = fuzz_real_far(in);
    fuzz_place_make(in, &place, rows, 1, 0,
                    wrong < 7 ? FUZZ_GOOD : (fuzz_flaw)(FUZZ_FAR + (int)(wrong - 7)), 0);
    if (place.too_long) return;
    uint64_t may = 0;
    if (rows) {
        may = place.may;
        if ((unsigned)kind > PE_QUERY_SCALE_LOG) may |= FUZZ_BIT(PE_ERR_ENUM);
        if (!(fabs(beta) <= 0x1p100) || (kind == PE_QUERY_SCALE_LOG && !(beta >= 0)) ||
            period < 1 || period > (size_t)1 << 53 || !fuzz_real_ok(shift))
            may |= FUZZ_BIT(PE_ERR_QUERY_SCALE);
        if (rows > (size_t)PTRDIFF_MAX / sizeof(float)) may |= FUZZ_BIT(PE_ERR_SIZE);
        if (wrong == 5) may |= FUZZ_BIT(PE_ERR_NULL);
        const double last = (double)place.cells - 1; /* all cells of a grid are checked */
        if (place.cells && !fuzz_real_ok((place.back ? -last : last) + shift))
            may |= FUZZ_BIT(PE_ERR_RANGE);
        for (size_t r = 0; r < place.rows; r++) {
            const double t = fuzz_turn(&place, r, 0, 0) + shift;
            if (!fuzz_real_ok(t)) may |= FUZZ_BIT(PE_ERR_RANGE);
            if (t < 0) may |= FUZZ_BIT(PE_ERR_QUERY_SCALE);
        }
        if (may == 0 && rows > FUZZ_ROWS) return;
    }
    float *const factors = (float *)fuzz_take((may ? 16 : rows) * sizeof *factors, seed & 8);
    fuzz_save(fuzz_all.used);
    const pe_status status = pe_rope_query_scale_f32(kind, beta, period, shift, place.at, rows,
                                                     wrong == 5 ? NULL : factors);
    if (!fuzz_status("pe_rope_query_scale", status, may)) return;
    for (size_t r = 0; r < rows; r++) {
        const double t = fuzz_turn(&place, r, 0, 0) + shift;
        long double x = (long double)t / (long double)period;
        if (kind == PE_QUERY_SCALE_FLOOR) x = 1 + (long double)((uint64_t)t / period);
        else if (x < 1) x = 1;
        const long double size = (long double)beta * logl(x), want = 1 + size;
        const long double off = fabsl((long double)factors[r] - want);
        const long double room = ldexpl(fabsl(want), -24) + ldexpl(1 + fabsl(size), -60);
        if (!(off <= room))
            FUZZ_FAIL("pe_rope_query_scale: kind %u, beta %a, period %zu, %a: %a", (unsigned)kind,
                      beta, period, t, (double)factors[r]);
    }
}

/* ------------------------------------------------------------------------------------------------
 * Learned tables
 * --------------------------------------------------------------------------------------------- */

/* Makes a place that lists rows of a table, in any type. With `wrong`, one row does not exist. */
static void place_of_rows(fuzz_input *in, fuzz_place *p, size_t rows, size_t table_rows, int wrong)
{
    const unsigned b = fuzz_byte(in), type = b % 4;
    const size_t element = type % 2 ? 8 : 4;
    memset(p, 0, sizeof *p);
    p->axes = 1;
    if (rows > FUZZ_ROWS) {
        p->too_long = 1;
        return;
    }
    unsigned char *const list = (unsigned char *)fuzz_take(rows * element, (b & 4) != 0);
    for (size_t r = 0; r < rows; r++) {
        int64_t i64 = table_rows ? (int64_t)(fuzz_byte(in) % table_rows) : 0;
        double real = 0;
        if (wrong && r == b / 8 % rows) {
            const unsigned f = fuzz_byte(in);
            i64 = f < 64    ? (int64_t)table_rows
                  : f < 128 ? -1
                  : f < 160 ? -(int64_t)table_rows
                            : fuzz_far(in);
            real = f < 240 ? 0 : 0.5;
        }
        const int32_t i32 = (int32_t)i64;
        const float f32 = (float)i64 + (float)real;
        real += (double)i64;
        p->position[r][0] = type == 0   ? (double)i32
                            : type == 1 ? (double)i64
                            : type == 2 ? (double)f32
                                        : real;
        memcpy(list + r * element,
               type == 0   ? (const void *)&i32
               : type == 1 ? (const void *)&i64
               : type == 2 ? (const void *)&f32
                           : (const void *)&real,
               element);
    }
    p->rows = rows;
    p->at = type == 0   ? pe_at_i32((const int32_t *)(const void *)list)
            : type == 1 ? pe_at_i64((const int64_t *)(const void *)list)
            : type == 2 ? pe_at_f32((const float *)(const void *)list)
                        : pe_at_f64((const double *)(const void *)list);
}

static void op_learned(fuzz_input *in)
{
    static const fuzz_type types[] = {FUZZ_F32, FUZZ_F16, FUZZ_BF16, FUZZ_F32};
    static fuzz_place place;
    const unsigned b = fuzz_byte(in), seed = fuzz_byte(in);
    const size_t wrong = fuzz_wrong(in, 13);
    const int is_grad = (b & 3) == 3;
    const fuzz_type t = types[b & 3];
    const size_t size = fuzz_size(t);
    const unsigned width = fuzz_byte(in);
    size_t d = width < 240 ? 1 + width % 40 : 1 + width % 64;
    size_t rows = (b >> 2) % 12, table_rows = 1 + fuzz_byte(in) % (ELEMENTS / d);
    size_t stride = d + (seed & 32 ? fuzz_byte(in) % 19 : 0), bytes = 0, table_bytes = 0;
    if (rows * d > ELEMENTS) rows = ELEMENTS / d;
    uint64_t may = 0;
    if (wrong == 1) stride = seed & 1 ? fuzz_huge(in) : seed / 4 % (d + 1);
    if (wrong == 2) rows = fuzz_huge(in);
    if (wrong == 3) table_rows = seed & 1 ? 0 : fuzz_huge(in);
    if (wrong == 4) d = seed & 1 ? 0 : fuzz_huge(in);
    if (wrong < 8 && (seed & 192)) { /* a list of rows of the table */
        place_of_rows(in, &place, rows, table_rows, wrong == 5);
    } else {
        fuzz_place_make(in, &place, rows, 1, 0,
                        wrong < 8 ? FUZZ_GOOD : (fuzz_flaw)(FUZZ_FAR + (int)(wrong - 8)), 1);
    }
    if (place.too_long) return;
    if (rows) {
        may = place.may | fuzz_shape(d, rows, stride, size, &bytes);
        table_bytes = fuzz_mul_add(fuzz_mul_add(table_rows, d, 0), size, 0);
        if (table_bytes > (size_t)PTRDIFF_MAX) may |= FUZZ_BIT(PE_ERR_SIZE);
        if (d == 0) may |= FUZZ_BIT(PE_ERR_EMPTY);
        for (size_t r = 0; r < place.rows; r++) {
            const double p = fuzz_turn(&place, r, 0, 0);
            if (!(p >= 0 && p < (double)table_rows) || p != floor(p)) may |= FUZZ_BIT(PE_ERR_RANGE);
        }
        if (place.cells > (place.back ? 1 : table_rows)) may |= FUZZ_BIT(PE_ERR_RANGE);
        if (rows > FUZZ_ROWS && !may) return;
        if (may == 0 && (bytes > FUZZ_PLACE || table_bytes > FUZZ_PLACE)) return;
    }
    if (may != 0 || rows == 0) bytes = bytes < 512 && rows ? bytes : 512, table_bytes = 512;
    unsigned char *const table = (unsigned char *)fuzz_take(table_bytes, (seed & 8) != 0);
    unsigned char *const x = (unsigned char *)fuzz_take(bytes, seed & 1);
    fuzz_elements(t, table, table_bytes / size, b);
    fuzz_elements(t, x, bytes / size, seed);
    fuzz_save(fuzz_all.used);
    if ((wrong == 6 || wrong == 7) && rows) may |= FUZZ_BIT(PE_ERR_NULL);
    void *const to = wrong == 6 ? NULL : x, *const from = wrong == 7 ? NULL : table;
    const pe_status status =
        is_grad ? pe_learned_grad_f32((float *)from, table_rows, d, place.at, rows,
                                      (const float *)to, stride)
                : fuzz_biases[t].learned(from, table_rows, d, place.at, rows, to, stride);
    if (!fuzz_status(is_grad ? "pe_learned_grad" : "pe_learned_add", status, may)) return;
    if (rows == 0) {
        fuzz_unwritten("pe_learned of no rows");
        return;
    }
    size_t row_of[FUZZ_ROWS];
    for (size_t r = 0; r < rows; r++) row_of[r] = (size_t)fuzz_turn(&place, r, 0, 0);
    if (is_grad) { /* in the order of the rows */
        float *const y = (float *)fuzz_take(table_bytes, (seed & 8) == 0);
        memcpy(y, fuzz_saved(table), table_bytes);
        for (size_t r = 0; r < rows; r++)
            for (size_t c = 0; c < d; c++)
                y[row_of[r] * d + c] += ((const float *)(const void *)x)[r * stride + c];
        if (!fuzz_same(t, table, y, table_bytes / size) || memcmp(x, fuzz_saved(x), bytes) != 0)
            FUZZ_FAIL("pe_learned_grad: not the sums in the order of the rows");
        return;
    }
    unsigned char *const y = (unsigned char *)fuzz_take(bytes, !(seed & 1));
    memcpy(y, fuzz_saved(x), bytes);
    for (size_t r = rows; r-- > 0;) {
        if (t == FUZZ_F32) {
            float *const z = (float *)(void *)y + r * stride;
            for (size_t c = 0; c < d; c++)
                z[c] += ((const float *)(const void *)table)[row_of[r] * d + c];
        } else if (fuzz_biases[t].learned(table, table_rows, d, pe_all((int64_t)row_of[r]), 1,
                                          y + r * stride * size, d) != PE_OK) {
            FUZZ_FAIL("pe_learned_add refuses a row");
        }
    }
    if (!fuzz_same(t, x, y, bytes / size) || memcmp(table, fuzz_saved(table), table_bytes) != 0)
        FUZZ_FAIL("pe_learned_add: not the sums of its rows, type %d, d_model %zu", (int)t, d);
}

static void op_resample(fuzz_input *in)
{
    const unsigned b = fuzz_byte(in), seed = fuzz_byte(in);
    const size_t wrong = fuzz_wrong(in, 8);
    const int two = b & 1;
    size_t d = 1 + (b >> 1) % 20, height = 1 + fuzz_byte(in) % 9,
           width = two ? 1 + fuzz_byte(in) % 6 : 1;
    size_t out_height = fuzz_byte(in) % 11, out_width = two ? fuzz_byte(in) % 7 : 1;
    pe_resample how = {PE_RESAMPLE_CUBIC, -0.75, 0, 0, 0, 0};
    how.align_corners = seed & 1;
    if (seed & 2) how.method = PE_RESAMPLE_LINEAR;
    if (seed & 4) how.a = fuzz_double(in);
    if (wrong == 7) /* the call gets NULL, which stands for these values */
        how.method = PE_RESAMPLE_CUBIC, how.a = -0.75, how.align_corners = 0;
    while (height * width * d > ELEMENTS || out_height * out_width * d > ELEMENTS)
        d = (d + 1) / 2, out_width = (out_width + 1) / 2, width = (width + 1) / 2;
    if (wrong == 1) how.method = (pe_resample_method)(2 + fuzz_byte(in));
    if (wrong == 2) height = fuzz_byte(in) < 64 ? 0 : fuzz_huge(in);
    if (wrong == 3) out_height = fuzz_huge(in);
    if (wrong == 4) d = fuzz_byte(in) < 64 ? 0 : fuzz_huge(in);
    if (wrong == 5 && two)
        width = fuzz_byte(in) < 64 ? 0 : fuzz_huge(in), out_width = seed & 8 ? fuzz_huge(in) : 1;

    const int nothing = out_height == 0 || out_width == 0;
    const size_t most = (size_t)1 << 31;
    const size_t table = fuzz_mul_add(fuzz_mul_add(height, width, 0), d, 0);
    const size_t outs = fuzz_mul_add(fuzz_mul_add(out_height, out_width, 0), d, 0);
    uint64_t may = 0;
    if (!nothing) {
        if (d == 0 || height == 0 || width == 0) may |= FUZZ_BIT(PE_ERR_EMPTY);
        if ((unsigned)how.method > 1) may |= FUZZ_BIT(PE_ERR_ENUM);
        if (how.method == PE_RESAMPLE_CUBIC && !(how.a >= -16 && how.a <= 16))
            may |= FUZZ_BIT(PE_ERR_RESAMPLE);
        if (height > most || width > most || out_height > most || out_width > most ||
            table > (size_t)PTRDIFF_MAX / 4 || outs > (size_t)PTRDIFF_MAX / 4)
            may |= FUZZ_BIT(PE_ERR_SIZE);
        if (may == 0 && (table * 4 > FUZZ_PLACE || outs * 4 > FUZZ_PLACE)) return;
    }
    const int small = may == 0 && !nothing;
    float *const from = (float *)fuzz_take((small ? table : 16) * sizeof *from, (seed & 16) != 0);
    float *const to = (float *)fuzz_take((small ? outs : 16) * sizeof *to, (seed & 32) != 0);
    fuzz_elements(FUZZ_F32, from, small ? table : 16, seed);
    fuzz_save(2);
    if ((wrong == 6 || wrong == 8) && !nothing) may |= FUZZ_BIT(PE_ERR_NULL);
    const float *const f = wrong == 6 ? NULL : from;
    const pe_resample *const h = wrong == 7 ? NULL : &how;
    float *const o = wrong == 8 ? NULL : to;
    const pe_status status =
        pe_learned_resample_f32(f, height, width, d, h, o, out_height, out_width);
    if (!fuzz_status("pe_learned_resample", status, may)) return;
    if (nothing) {
        fuzz_unwritten("pe_learned_resample to nothing");
        return;
    }
    if (out_height == height && out_width == width && !fuzz_same(FUZZ_F32, to, from, table))
        FUZZ_FAIL("pe_learned_resample to the same size is no copy");
    const size_t c = seed / 64 * (d - 1) / 3; /* this column has to have the same bits alone */
    float *const column = (float *)fuzz_take(height * width * sizeof *column, 1);
    float *const alone = (float *)fuzz_take(out_height * out_width * sizeof *alone, 0);
    for (size_t r = 0; r < height * width; r++) column[r] = from[r * d + c];
    if (pe_learned_resample_f32(column, height, width, 1, &how, alone, out_height, out_width) !=
        PE_OK)
        FUZZ_FAIL("pe_learned_resample refuses a column");
    for (size_t r = 0; r < out_height * out_width; r++)
        if (!fuzz_same(FUZZ_F32, &alone[r], &to[r * d + c], 1))
            FUZZ_FAIL("pe_learned_resample: column %zu of %zu differs in row %zu", c, d, r);
    if (memcmp(from, fuzz_saved(from), table * sizeof *from) != 0)
        FUZZ_FAIL("pe_learned_resample wrote to its table");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, data + size};
    const unsigned what = fuzz_byte(&in) % 16;
    switch (what < 12 ? what % 8 : what) {
    case 12: op_by_index(&in); break;
    case 13: op_xpos(&in); break;
    case 14: op_t5(&in); break;
    case 15: op_query_scale(&in); break;
    case 0: op_slopes(&in); break;
    case 1: op_resample(&in); break;
    case 2:
    case 3:
    case 4: op_learned(&in); break;
    default: op_alibi(&in); break;
    }
    fuzz_release(0);
    return 0;
}
