/* SPDX-License-Identifier: MIT
 *
 * hash: a 64-bit hash of everything the library computes, one for each section.
 *
 *     hash [sections]        sections: how many sections to run, starting at the first. Without
 *                            it, or if it is 0 or too large, all run. Emulators run only some.
 *
 * Two builds agree when their lines agree. The lines of a run with fewer sections are compared with
 * the first lines of a full run. The step matrix (tests/tools/matrix.sh) does so for every ISA,
 * compiler, optimisation level and language standard. The step golden (tests/checks/golden.sh)
 * compares with tests/golden.txt, so a change of bits is a diff.
 * Whole rows are hashed, padding included, so a store outside a row changes the hash as well.
 * Values are hashed as integers, not as bytes, so the hash does not depend on byte order.
 * The last call is pe_selftest(): if it fails, a line says so and the exit status is 1.
 *
 * HASH_MAIN=name      gives the function main this name, so that tests/unit/hash_several.c can call
 *                     the mains of several builds in one program.
 * HASH_FLUSH=1        switches on flush-to-zero and denormals-are-zero first. The hashes of all
 *                     sections must still be the same, because no section computes a
 *                     subnormal float or double.
 *
 * This file is plain C99 that is also C++11, and depends only on pe.h and on two headers of this
 * folder, apart.h and built.h. To hash another function of pe, write a function for a section and
 * add it to SECTIONS below, among the sections that take as long: the cheap ones come first.
 */
#include "pe.h"
#include "apart.h"

#include "built.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_BYTES ((size_t)1 << 23)
#define LIMIT INT64_C(2147483648) /* positions reach from -LIMIT to LIMIT */

#define SEED UINT64_C(0x9e3779b97f4a7c15)

static uint64_t g_hash = SEED;
static uint64_t g_elements;
static void *g_buffer;

/* ---- hashing --------------------------------------------------------------------------------- */

/* Tells -fsanitize=integer that sums and products modulo 2^64 are intended. */
#if defined(__clang__)
#define WRAPS __attribute__((no_sanitize("unsigned-integer-overflow")))
#else
#define WRAPS
#endif

WRAPS
static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0xff51afd7ed558ccd);
    return h ^ (h >> 32);
}

/* Adds the bits of n floats to the hash, so the sign of a zero and the payload of a NaN count. */
static void hash_f32(const float *x, size_t n)
{
    uint64_t h = g_hash;
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, x + i, sizeof bits);
        h = mix(h, bits);
    }
    g_hash = h;
}

/* Adds n elements of 2, 4 or 8 bytes to the hash. */
static void hash_bytes(const void *x, size_t n, size_t element)
{
    uint64_t h = g_hash;
    for (size_t i = 0; i < n; i++) {
        uint16_t half;
        uint32_t word;
        uint64_t bits;
        const unsigned char *p = (const unsigned char *)x + i * element;
        if (element == 2) memcpy(&half, p, 2), bits = half;
        else if (element == 4) memcpy(&word, p, 4), bits = word;
        else memcpy(&bits, p, 8);
        h = mix(h, bits);
    }
    g_hash = h;
}

static void hash_f64(const double *x, size_t n)
{
    uint64_t h = g_hash;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, x + i, sizeof bits);
        h = mix(h, bits);
    }
    g_hash = h;
}

static void hash_u16(const uint16_t *x, size_t n)
{
    uint64_t h = g_hash;
    for (size_t i = 0; i < n; i++) {
        h = mix(h, x[i]);
    }
    g_hash = h;
}

/* ---- plans ----------------------------------------------------------------------------------- */

static void need(int ok, const char *what, const char *why)
{
    if (!ok) {
        (void)fprintf(stderr, "hash: %s: %s\n", what, why);
        exit(1);
    }
}

static void need_ok(pe_status status, const char *what)
{
    need(status == PE_OK, what, pe_status_string(status));
}

typedef struct table {
    size_t rows, d_model, padding; /* stride = d_model + padding */
    int64_t first;                 /* the position of row 0; for fill_at_f32() a seed */
    double base, amplitude;
} table;

/* Makes a plan, and returns its memory, which the caller frees. */
static void *plan_of_config(pe_plan *plan, const pe_config *config)
{
    const size_t size = pe_plan_size(config);
    need(size > 0, "pe_plan_size", "returned 0");
    void *memory = malloc(size);
    need(memory != NULL, "malloc", "out of memory");
    need_ok(pe_plan_init(plan, config, memory, size), "pe_plan_init");
    return memory;
}

static void *plan_of_layout(pe_plan *plan, const table *t, pe_layout layout)
{
    pe_config config = pe_config_default(t->d_model);
    config.base = t->base;
    config.amplitude = t->amplitude;
    config.layout = layout;
    return plan_of_config(plan, &config);
}

static void *plan_of(pe_plan *plan, const table *t)
{
    return plan_of_layout(plan, t, PE_LAYOUT_INTERLEAVED);
}

static void *plan_of_rope(pe_plan *plan, const pe_rope_config *config)
{
    const size_t size = pe_rope_plan_size(config);
    need(size > 0, "pe_rope_plan_size", "returned 0");
    void *memory = malloc(size);
    need(memory != NULL, "malloc", "out of memory");
    need_ok(pe_rope_plan_init(plan, config, memory, size), "pe_rope_plan_init");
    return memory;
}

static pe_heads heads_of(size_t heads, size_t head_stride, size_t token_stride)
{
    pe_heads lie;
    lie.heads = heads;
    lie.head_stride = head_stride;
    lie.token_stride = token_stride;
    return lie;
}

/* ---- the functions of the sections: each adds the bits of some results to the hash ----------- */

static size_t rows_per_call(size_t row_bytes)
{
    const size_t rows = BUFFER_BYTES / row_bytes;
    need(rows > 0, "table", "one row is larger than the buffer");
    return rows;
}

static void fill_f32(const table *tables, size_t count)
{
    for (const table *t = tables; t < tables + count; t++) {
        pe_plan plan;
        void *memory = plan_of(&plan, t);
        float *out = (float *)g_buffer;
        const size_t stride = t->d_model + t->padding;
        const size_t step = rows_per_call(stride * sizeof *out);
        for (size_t row = 0; row < t->rows; row += step) {
            const size_t rows = t->rows - row < step ? t->rows - row : step;
            memset(out, 0x5a, rows * stride * sizeof *out);
            need_ok(pe_fill_f32(&plan, pe_from(t->first + (int64_t)row), rows, out, stride),
                    "pe_fill_f32");
            hash_f32(out, rows * stride);
        }
        g_elements += t->rows * t->d_model;
        free(memory);
    }
}

static void fill_f64(const table *tables, size_t count)
{
    for (const table *t = tables; t < tables + count; t++) {
        pe_plan plan;
        void *memory = plan_of(&plan, t);
        double *out = (double *)g_buffer;
        const size_t stride = t->d_model + t->padding;
        const size_t step = rows_per_call(stride * sizeof *out);
        for (size_t row = 0; row < t->rows; row += step) {
            const size_t rows = t->rows - row < step ? t->rows - row : step;
            memset(out, 0x5a, rows * stride * sizeof *out);
            need_ok(pe_fill_f64(&plan, pe_from(t->first + (int64_t)row), rows, out, stride),
                    "pe_fill_f64");
            hash_f64(out, rows * stride);
        }
        g_elements += t->rows * t->d_model;
        free(memory);
    }
}

/* Adds to the hash rows at lists of positions. One third of a list is random in the whole range,
   one third is random up to 2^15 in magnitude, and the others descend from t->rows. The first, the
   middle and the last position are 2^31, -2^31 and 0. t->first is the seed. */
WRAPS
static void fill_at_f32(const table *tables, size_t count)
{
    for (const table *t = tables; t < tables + count; t++) {
        pe_plan plan;
        void *memory = plan_of(&plan, t);
        float *out = (float *)g_buffer;
        const size_t stride = t->d_model + t->padding;
        need(t->rows <= rows_per_call(stride * sizeof *out), "fill_at_f32", "too many rows");
        int64_t *positions = (int64_t *)malloc(t->rows * sizeof *positions);
        need(positions != NULL, "malloc", "out of memory");
        uint64_t state = (uint64_t)t->first;
        for (size_t i = 0; i < t->rows; i++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const int64_t remote = (int64_t)(state >> 32) - LIMIT; /* -2^31 .. 2^31 - 1 */
            positions[i] = i % 3 == 0   ? remote
                           : i % 3 == 1 ? remote / 65536
                                        : (int64_t)(t->rows - i);
        }
        positions[0] = LIMIT;
        positions[t->rows / 2] = -LIMIT;
        positions[t->rows - 1] = 0;
        memset(out, 0x5a, t->rows * stride * sizeof *out);
        need_ok(pe_fill_f32(&plan, pe_at_i64(positions), t->rows, out, stride),
                "pe_fill of a list");
        hash_f32(out, t->rows * stride);
        g_elements += t->rows * t->d_model;
        free(positions);
        free(memory);
    }
}

static void sinusoidal_f32(const table *tables, size_t count)
{
    for (const table *t = tables; t < tables + count; t++) {
        float *out = (float *)g_buffer;
        const size_t n = t->rows * t->d_model;
        need(t->rows <= rows_per_call(t->d_model * sizeof *out), "sinusoidal_f32", "too many rows");
        memset(out, 0x5a, n * sizeof *out);
        need_ok(pe_sinusoidal_f32(out, t->rows, t->d_model), "pe_sinusoidal_f32");
        hash_f32(out, n);
        g_elements += n;
    }
}

/* Adds the slopes of every number of heads up to 40, and of some larger numbers to the hash. */
static void alibi_slopes(const table *unused, size_t count)
{
    static const float biases[] = {8.0f, 0.7f, 100.3f, 120.0f};
    float *slopes = (float *)g_buffer;
    (void)unused;
    (void)count;
    for (size_t heads = 1; heads <= 1000; heads += heads < 40 ? 1 : 80) {
        for (size_t k = 0; k < sizeof biases / sizeof *biases; k++) {
            need_ok(pe_alibi_slopes_f32(heads, biases[k], slopes), "pe_alibi_slopes_f32");
            hash_f32(slopes, heads);
            g_elements += heads;
        }
    }
}

/* Adds to the hash biases and sums in every type and mode, of near and of remote queries. */
static void alibi_matrices(const table *unused, size_t count)
{
    static const int64_t firsts[] = {0,      -7, 12, 1000003, -LIMIT, LIMIT - 30, 16777216 - 20,
                                     1 << 29};
    static const pe_alibi_mode modes[] = {PE_ALIBI_LINEAR, PE_ALIBI_CAUSAL, PE_ALIBI_SYMMETRIC};
    enum { HEADS = 5, QUERIES = 23, KEYS = 37, STRIDE = 41 };
    const size_t n = HEADS * QUERIES * STRIDE;
    float slopes[HEADS], *f32 = (float *)g_buffer;
    uint16_t *f16 = (uint16_t *)g_buffer;
    (void)unused;
    (void)count;
    need_ok(pe_alibi_slopes_f32(HEADS, 8.0f, slopes), "pe_alibi_slopes_f32");
    slopes[0] = 3e30f; /* its biases overflow in f16, and some in all types */
    slopes[1] = -1e-9f;
    for (size_t k = 0; k < 3 * sizeof firsts / sizeof *firsts; k++) {
        const int64_t first = firsts[k / 3];
        const pe_alibi_mode mode = modes[k % 3];
        memset(f32, 0x3a, n * sizeof *f32);
        need_ok(pe_alibi_fill_f32(slopes, HEADS, mode, pe_from(first), QUERIES, pe_from(0), KEYS,
                                  f32, STRIDE, QUERIES * STRIDE),
                "pe_alibi_fill_f32");
        hash_f32(f32, n);
        need_ok(pe_alibi_add_f32(slopes, HEADS, mode, pe_from(first + 1), QUERIES, pe_from(0), KEYS,
                                 f32, STRIDE, QUERIES * STRIDE),
                "pe_alibi_add_f32");
        hash_f32(f32, n);
        memset(f16, 0x3a, n * sizeof *f16);
        need_ok(pe_alibi_fill_f16(slopes, HEADS, mode, pe_from(first), QUERIES, pe_from(0), KEYS,
                                  f16, STRIDE, QUERIES * STRIDE),
                "pe_alibi_fill_f16");
        hash_u16(f16, n);
        need_ok(pe_alibi_add_f16(slopes + 2, HEADS - 2, mode, pe_from(first + 1), QUERIES,
                                 pe_from(0), KEYS, f16, STRIDE, QUERIES * STRIDE),
                "pe_alibi_add_f16");
        hash_u16(f16, n);
        memset(f16, 0x3a, n * sizeof *f16);
        need_ok(pe_alibi_fill_bf16(slopes, HEADS, mode, pe_from(first), QUERIES, pe_from(0), KEYS,
                                   f16, STRIDE, QUERIES * STRIDE),
                "pe_alibi_fill_bf16");
        hash_u16(f16, n);
        need_ok(pe_alibi_add_bf16(slopes, HEADS, mode, pe_from(first + 1), QUERIES, pe_from(0),
                                  KEYS, f16, STRIDE, QUERIES * STRIDE),
                "pe_alibi_add_bf16");
        hash_u16(f16, n);
        g_elements += 6 * HEADS * QUERIES * KEYS;
    }
    need_ok(pe_alibi_fill_f32(slopes, HEADS, PE_ALIBI_LINEAR, pe_from(100), 300, pe_from(0), 600,
                              f32, 600, 300 * 600),
            "pe_alibi_fill_f32");
    hash_f32(f32, HEADS * 300 * 600);
    g_elements += HEADS * 300 * 600;
}

/* Adds to the hash ALiBi's biases with queries and keys at any positions, T5's buckets, and the
   factors of queries that PE_QUERY_SCALE_LOG gives. */
WRAPS
static void biases_anywhere(const table *unused, size_t count)
{
    enum { HEADS = 5, QUERIES = 9, KEYS = 700, ALL = HEADS * QUERIES * KEYS };
    static int64_t cells[KEYS];
    float slopes[HEADS], *f32 = (float *)g_buffer;
    uint16_t *f16 = (uint16_t *)g_buffer;
    int32_t *index = (int32_t *)g_buffer;
    (void)unused;
    (void)count;
    need_ok(pe_alibi_slopes_f32(HEADS, 8.0f, slopes), "pe_alibi_slopes_f32");
    for (size_t k = 0; k < 12; k++) {
        const pe_alibi_mode mode = (pe_alibi_mode)(k % 3);
        const pe_at at = k / 3 % 2 ? pe_back(pe_at_i64(cells)) : pe_at_i64(cells);
        const pe_at queries = pe_from_by(LIMIT / 2 * (int64_t)(k / 6) + 100, 40 - (int64_t)k * 8);
        for (size_t i = 0; i < KEYS; i++) {
            cells[i] = (int64_t)(i * 7919 % 1009);
            if (k > 6 && i % 50 == 0) cells[i] = (int64_t)(i * k * 1000003 % LIMIT) - LIMIT / 2;
        }
        need_ok(pe_alibi_fill_f32(slopes, HEADS, mode, queries, QUERIES, at, KEYS, f32, KEYS,
                                  QUERIES * KEYS),
                "pe_alibi_fill_f32");
        hash_f32(f32, ALL);
        need_ok(pe_alibi_add_f32(slopes, HEADS, mode, at, QUERIES, queries, KEYS, f32, KEYS,
                                 QUERIES * KEYS),
                "pe_alibi_add_f32");
        hash_f32(f32, ALL);
        need_ok(pe_alibi_fill_f16(slopes, HEADS, mode, queries, QUERIES, at, KEYS, f16, KEYS,
                                  QUERIES * KEYS),
                "pe_alibi_fill_f16");
        hash_u16(f16, ALL);
        need_ok(pe_alibi_fill_bf16(slopes, HEADS, mode, queries, QUERIES, at, KEYS, f16, KEYS,
                                   QUERIES * KEYS),
                "pe_alibi_fill_bf16");
        hash_u16(f16, ALL);
        need_ok(pe_alibi_add_bf16(slopes, HEADS, mode, at, QUERIES, queries, KEYS, f16, KEYS,
                                  QUERIES * KEYS),
                "pe_alibi_add_bf16");
        hash_u16(f16, ALL);
        need_ok(pe_rope_query_scale_f32(PE_QUERY_SCALE_LOG, 0.1 * (double)(k + 1), 40, 100.25,
                                        pe_from_by(k > 6 ? 0 : -100, (int64_t)k), 700, f32),
                "pe_rope_query_scale_f32");
        hash_f32(f32, 700);
        need_ok(pe_bias_t5_i32(32, 128, k % 2, queries, QUERIES, at, KEYS, index),
                "pe_bias_t5_i32");
        for (size_t i = 0; i < (size_t)QUERIES * KEYS; i++)
            g_hash = mix(g_hash, (uint64_t)(uint32_t)index[i]);
        g_elements += 6 * ALL;
    }
}

/* Adds to the hash tables of plans in which each pair has its own coordinate (config.coordinate).
   Half of the plans are made from a pe_rope_config, the others from a pe_config. */
WRAPS
static void coordinates(const table *unused, size_t count)
{
    enum { D = 96, H = D / 2, ROWS = 33 };
    static unsigned char memory[40000];
    static int64_t points[3 * ROWS];
    uint8_t list[H];
    float *f32 = (float *)g_buffer;
    (void)unused;
    (void)count;
    for (size_t i = 0; i < H; i++) list[i] = i * 37 % 11 == 3 ? 255 : (uint8_t)(i * 53 % 7 % 3);
    for (size_t i = 0; i < 3 * ROWS; i++) points[i] = (int64_t)(i * i * 7919 % 100003) - 500;
    for (int k = 0; k < 8; k++) {
        pe_rope_config rope = pe_rope_config_default(D);
        pe_config config = pe_config_default(D);
        pe_plan plan;
        rope.axes = config.axes = 3;
        rope.coordinate = config.coordinate = list;
        rope.expected_rows = config.expected_rows = k & 1;
        rope.angle = config.angle = k & 2 ? PE_ANGLE_FLOAT32 : PE_ANGLE_EXACT;
        need_ok(k & 4 ? pe_plan_init(&plan, &config, memory, sizeof memory)
                      : pe_rope_plan_init(&plan, &rope, memory, sizeof memory),
                "pe_rope_plan_init");
        need_ok(pe_rope_table_f32(&plan, pe_coords_i64(points, 3, 3, 1), ROWS, PE_ROPE_TABLE_JOINED,
                                  f32, NULL, D, NULL),
                "pe_rope_table_f32");
        hash_f32(f32, ROWS * D);
        g_elements += ROWS * D;
    }
}

/* Returns a random float between -2 and 2. */
WRAPS
static float some_float(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (float)((int64_t)(*state >> 32) - LIMIT) / (float)(LIMIT / 2);
}

static void learned(const table *unused, size_t count)
{
    enum { TABLE = 60, ROWS = 200, D = 45, STRIDE = 47 };
    static float rows[TABLE * D], x[ROWS * STRIDE];
    static uint16_t half[TABLE * D], y[ROWS * STRIDE];
    int64_t positions[ROWS];
    uint64_t state = 5;
    (void)unused;
    (void)count;
    for (size_t i = 0; i < TABLE * D; i++) {
        rows[i] = some_float(&state);
        half[i] = (uint16_t)(0x2000 + (state >> 50) % 0x2000);
    }
    for (size_t i = 0; i < ROWS * STRIDE; i++) {
        x[i] = some_float(&state);
        y[i] = (uint16_t)(0xa800 + (state >> 50) % 0x1400);
    }
    for (size_t r = 0; r < ROWS; r++) {
        positions[r] = (int64_t)(r * 7 % TABLE);
    }
    const pe_at at = pe_at_i64(positions);
    need_ok(pe_learned_add_f32(rows, TABLE, D, at, ROWS, x, STRIDE), "pe_learned_add_f32");
    hash_f32(x, ROWS * STRIDE);
    need_ok(pe_learned_add_f16(half, TABLE, D, at, ROWS, y, STRIDE), "pe_learned_add_f16");
    hash_u16(y, ROWS * STRIDE);
    need_ok(pe_learned_add_bf16(half, TABLE, D, at, ROWS, y, STRIDE), "pe_learned_add_bf16");
    hash_u16(y, ROWS * STRIDE);
    need_ok(pe_learned_grad_f32(rows, TABLE, D, at, ROWS, x, STRIDE), "pe_learned_grad_f32");
    hash_f32(rows, TABLE * D);
    g_elements += 3 * ROWS * D + TABLE * D;
    for (size_t k = 0; k < 8; k++) {
        static const size_t sizes[][4] = {{60, 1, 97, 1}, {6, 10, 9, 7}};
        const size_t *s = sizes[k / 4], cells = s[2] * s[3];
        float *out = (float *)g_buffer;
        pe_resample how = {PE_RESAMPLE_CUBIC, -0.75, 0, 0, 0, 0};
        how.method = k % 2 ? PE_RESAMPLE_CUBIC : PE_RESAMPLE_LINEAR;
        how.align_corners = (int)(k / 2 % 2);
        need_ok(pe_learned_resample_f32(rows, s[0], s[1], D, &how, out, s[2], s[3]),
                "pe_learned_resample_f32");
        hash_f32(out, cells * D);
        how.a = -0.3;
        need_ok(pe_learned_resample_f32(rows, TABLE, 1, D, &how, out, cells, 1),
                "pe_learned_resample_f32");
        hash_f32(out, cells * D);
        g_elements += 2 * cells * D;
    }
}

/* Adds to the hash what some models need besides. There are columns of several axes, sums over
   coordinates, and RoPE that reads interleaved pairs and writes halves (rope_interleave). Then come
   frequencies of float32 code and of ggml, factors of queries and of xPos, T5's biases, and
   resampled tables. */
static void models(const table *unused, size_t count)
{
    enum { D = 66, AXES = 3, ROWS = 30, HEADS = 3, OUT = 7, TABLE = 18 };
    static float x[ROWS * HEADS * D], biases[9 * HEADS];
    static int32_t index[ROWS * D];
    static double omega[D / 2 * AXES];
    float *const f = (float *)g_buffer;
    double *const w = (double *)g_buffer;
    uint16_t *const h = (uint16_t *)g_buffer;
    double points[ROWS * AXES];
    uint64_t state = 9;
    (void)unused;
    (void)count;
    for (size_t i = 0; i < ROWS * HEADS * D; i++) x[i] = some_float(&state);
    for (size_t i = 0; i < 9 * HEADS; i++) biases[i] = some_float(&state);
    for (size_t i = 0; i < D / 2 * AXES; i++) omega[i] = (double)(i * 37 % 101) / 16 - 3;
    for (size_t i = 0; i < ROWS * AXES; i++) points[i] = (double)(i * 53 % 211) / 8 - 11;
    const pe_at at = pe_coords_f64(points, AXES, AXES, 1);
    for (size_t k = 0; k < 16; k++) {
        pe_config config = pe_config_default(D);
        pe_plan plan;
        config.axes = AXES, config.columns = (pe_columns)(k / 4);
        config.layout = (pe_layout)(k % 2), config.half_turns = k / 2 % 2;
        for (size_t a = 0; a < AXES; a++)
            config.axis[a].coordinate = a, config.axis[a].width = D / AXES;
        const size_t size = pe_plan_size(&config);
        void *const memory = malloc(size);
        if (!memory) exit(2);
        need_ok(pe_plan_init_frequencies(&plan, &config, omega, D / 2, memory, size),
                "frequencies");
        need_ok(pe_fill_f32(&plan, at, ROWS, f, D), "pe_fill_f32");
        hash_f32(f, ROWS * D);
        need_ok(pe_fill_f64(&plan, at, ROWS, w, D), "pe_fill_f64");
        hash_f64(w, ROWS * D);
        need_ok(pe_fill_bf16(&plan, at, ROWS, h, D), "pe_fill_bf16");
        hash_u16(h, ROWS * D);
        need_ok(pe_add_f16(&plan, at, ROWS, 2, h, D), "pe_add_f16");
        hash_u16(h, ROWS * D);
        g_elements += 4 * ROWS * D;
        free(memory);
    }
    for (size_t k = 0; k < 3; k++) {
        pe_config config = pe_config_default(D);
        pe_rope_ggml ggml;
        config.exponent = k == 2 ? PE_EXPONENT_PAIRS : PE_EXPONENT_WIDTH,
        config.base = k ? 1e4 : 5e5;
        need_ok(pe_frequencies_float32(&config, (pe_float32)k, w), "pe_frequencies_float32");
        hash_f64(w, D / 2);
        memset(&ggml, 0, sizeof ggml); /* cppcheck-suppress memsetClassFloat ; 0 bits are 0.0 */
        ggml.n_dims = D, ggml.ext_factor = k ? 1 : 0, ggml.freq_scale = 0.125f,
        ggml.n_ctx_orig = 4096 * (k % 2);
        need_ok(pe_rope_ggml_frequencies(&ggml, w, w + D / 2), "pe_rope_ggml_frequencies");
        hash_f64(w, D / 2 + 1);
        need_ok(pe_rope_query_scale_f32(PE_QUERY_SCALE_FLOOR, 0.1, 64, (double)(k % 2),
                                        pe_from(100), ROWS, f),
                "query scale");
        hash_f32(f, ROWS);
        need_ok(pe_rope_xpos_f32(D / 2, 512, pe_from_by(-500, 99), ROWS, f, D / 2),
                "pe_rope_xpos_f32");
        hash_f32(f, ROWS * D / 2);
        g_elements += D + 1 + ROWS + ROWS * D / 2;
    }
    {
        pe_rope_config config = pe_rope_config_default(D);
        const pe_heads heads = {HEADS, D, HEADS * D};
        pe_plan plan;
        config.rope_interleave = 1;
        const size_t size = pe_rope_plan_size(&config);
        void *const memory = malloc(size);
        if (!memory) exit(2);
        need_ok(pe_rope_plan_init(&plan, &config, memory, size), "pe_rope_plan_init");
        need_ok(pe_rope_f32(&plan, pe_from(70000), ROWS, x, heads), "pe_rope_f32");
        hash_f32(x, ROWS * HEADS * D);
        need_ok(pe_rope_to_f32_bf16(&plan, pe_from(7), ROWS, D, x, heads, h, heads), "to bf16");
        hash_u16(h, ROWS * HEADS * D);
        g_elements += 2 * ROWS * HEADS * D;
        free(memory);
    }
    for (int both = 0; both < 2; both++) { /* 3 heads of 30 queries, 22 keys */
        enum { KEYS = D / HEADS, ALL = ROWS * D };
        need_ok(pe_bias_t5_i32(8, 20, both, pe_from(9), ROWS, pe_from(0), KEYS, index),
                "pe_bias_t5_i32");
        for (size_t i = 0; i < (size_t)ROWS * KEYS; i++)
            g_hash = mix(g_hash, (uint64_t)(uint32_t)index[i]);
        need_ok(pe_bias_add_f32(biases, 9, HEADS, index, ROWS, KEYS, x, KEYS, (size_t)ROWS * KEYS),
                "biases");
        hash_f32(x, ALL);
        for (size_t i = 0; i < ALL; i++) h[i] = (uint16_t)(i % 0x7000);
        need_ok(pe_bias_add_f16(biases, 9, HEADS, index, ROWS, KEYS, h, KEYS, (size_t)ROWS * KEYS),
                "biases");
        hash_u16(h, ALL);
        need_ok(pe_bias_add_bf16(biases, 9, HEADS, index, ROWS, KEYS, h, KEYS, (size_t)ROWS * KEYS),
                "biases");
        hash_u16(h, ALL);
        g_elements += 3 * ALL + (size_t)ROWS * KEYS;
    }
    for (size_t k = 0; k < 8; k++) {
        pe_resample how = {PE_RESAMPLE_CUBIC, -0.5, 0, 1, 0, 0};
        how.method = (pe_resample_method)(k % 2), how.antialias = k / 2 % 2 == 0;
        if (k >= 4) how.scale_y = 0.30625, how.scale_x = 1.30625;
        need_ok(pe_learned_resample_f32(x, TABLE, 5, D, &how, f, OUT, 6),
                "pe_learned_resample_f32");
        hash_f32(f, OUT * 6 * D);
        g_elements += OUT * 6 * D;
    }
}

/* ---- sections -------------------------------------------------------------------------------- */

/* The fields of each entry below are rows, d_model, padding, first, base and amplitude. */
static const table SMALL[] = {
    {512, 8, 0, 0, 1e4, 1},
    {200, 16, 1, 100, 1e4, 1},
    {64, 64, 7, -32, 1e4, 1},
    {16, 32, 0, 0, 1e4, 1},
};

static const table EXTREME[] = {
    {96, 33, 0, LIMIT - 95, 1e4, 1},  {96, 64, 3, -LIMIT, 1e4, 1},
    {128, 16, 0, 1 << 20, 5e5, 1},    {128, 16, 0, (1 << 24) - 64, 1e6, 1},
    {128, 24, 0, -(1 << 24), 1e4, 1}, {96, 40, 0, LIMIT - 95, 5e5, 1},
    {96, 48, 0, -LIMIT, 1e6, 1},
};

static const table SCALED[] = {
    {128, 32, 0, 0, 1e4, 0.1}, {128, 32, 0, 0, 1e4, 3.0},     {64, 15, 2, 1000, 1e4, 1e-3},
    {64, 20, 0, -500, 1.0, 1}, {64, 128, 0, 1 << 20, 2.5, 1}, {64, 18, 0, 7, 123456.789, 0.7},
};

static const table SHUFFLED[] = {
    {500, 64, 0, 1, 1e4, 1},
    {333, 31, 5, 2, 1e4, 1},
    {257, 6, 0, 3, 1e6, 0.5},
};

static const table DOUBLES[] = {
    {256, 64, 0, 0, 1e4, 1},         {96, 33, 3, LIMIT - 95, 1e4, 1}, {96, 30, 0, -LIMIT, 5e5, 1},
    {256, 17, 0, 1 << 20, 1e6, 0.3}, {64, 1, 1, -3, 1e4, 1},
};

static const table ONE_CALL[] = {
    {512, 64, 0, 0, 1e4, 1},
    {77, 129, 0, 0, 1e4, 1},
    {4, 8, 0, 0, 1e4, 1},
};

static const table PAPER[] = {{512, 512, 0, 0, 1e4, 1}};
static const table LONG[] = {{131072, 64, 0, 0, 1e4, 1}};
static const table FAR_ROWS[] = {{8192, 128, 0, 16000000, 5e5, 1}};
static const table WIDE[] = {{1024, 1000, 24, -512, 1e6, 1}};
static const table LONG_DOUBLES[] = {{4096, 128, 0, -100000, 1e4, 1}};
static const table LONG_LIST[] = {{8192, 96, 0, 4, 1e4, 1}};

/* Adds to the hash floats of each width from 1 to 140, and doubles of each up to 36. So every
   vector length leaves every number of elements over. Wider rows are fewer, to save time. */
static void every_width(const table *unused, size_t count)
{
    (void)unused;
    (void)count;
    for (size_t d = 1; d <= 140; d++) {
        const table t = {d < 36 ? 70u : 9u, d, d % 4, (int64_t)d * 1000 - 20000, 1e4, 1};
        fill_f32(&t, 1);
        if (d <= 36) {
            fill_f64(&t, 1);
        }
    }
}

/* Adds to the hash tables of every preset, with four settings of the other options, in each type.
   Presets of one axis are filled in a range, by a list and at real positions, and added in a range
   and by a list. Presets of more axes are filled on a grid and at real points. */
static void conventions(const table *unused, size_t count)
{
    enum { ROWS = 40 };
    (void)unused;
    (void)count;
    for (int preset = 0; preset < PE_PRESET_COUNT; preset++) {
        for (size_t d = 16; d <= 48; d += 32) {
            for (int knob = 0; knob < 4; knob++) {
                pe_config config = pe_config_preset((pe_preset)preset, d);
                const size_t shape[3] = {2, 4, 5}, two[2] = {8, 5};
                int64_t list[ROWS];
                double real[3 * ROWS];
                pe_plan plan;
                if (knob == 1) config.cos_first ^= 1;
                if (knob == 2) config.angle = PE_ANGLE_FLOAT32;
                if (knob == 3) config.scale = 0.37, config.amplitude = -1.6, config.offset += 0.25;
                if (pe_plan_size(&config) == 0) continue; /* NERF's frequencies end at 2^21 */
                void *memory = plan_of_config(&plan, &config);
                for (int i = 0; i < ROWS; i++)
                    list[i] = (int64_t)(i * 7919 % 101) * 20000003 - 1000000000;
                for (int i = 0; i < 3 * ROWS; i++) real[i] = (double)(i * 37 % 97) * 1234.56789;
#define VERBS(T, type)                                                                             \
    do {                                                                                           \
        type *const out = (type *)g_buffer;                                                        \
        const size_t n = ROWS * d, axes = config.axes;                                             \
        const pe_at grid = pe_grid(axes == 2 ? two : shape, axes);                                 \
        if (axes == 1) {                                                                           \
            need_ok(pe_fill_##T(&plan, pe_from(-9), ROWS, out, d), "pe_fill");                     \
            hash_bytes(out, n, sizeof *out);                                                       \
            need_ok(pe_fill_##T(&plan, pe_at_i64(list), ROWS, out, d), "pe_fill of a list");       \
            hash_bytes(out, n, sizeof *out);                                                       \
            need_ok(pe_fill_##T(&plan, pe_at_f64(real), ROWS, out, d), "pe_fill of reals");        \
            hash_bytes(out, n, sizeof *out);                                                       \
            need_ok(pe_add_##T(&plan, pe_from(100), ROWS, 0.75, out, d), "pe_add");                \
            hash_bytes(out, n, sizeof *out);                                                       \
            need_ok(pe_add_##T(&plan, pe_at_i64(list), ROWS, -3, out, d), "pe_add of a list");     \
            hash_bytes(out, n, sizeof *out);                                                       \
        } else {                                                                                   \
            need_ok(pe_fill_##T(&plan, grid, ROWS, out, d), "pe_fill of a grid");                  \
            hash_bytes(out, n, sizeof *out);                                                       \
            need_ok(pe_fill_##T(&plan, pe_coords_f64(real, axes, axes, 1), ROWS, out, d),          \
                    "pe_fill of points");                                                          \
            hash_bytes(out, n, sizeof *out);                                                       \
        }                                                                                          \
        g_elements += (axes == 1 ? 5 : 2) * n;                                                     \
    } while (0)
                VERBS(f32, float);
                VERBS(f64, double);
                VERBS(f16, uint16_t);
                VERBS(bf16, uint16_t);
#undef VERBS
                free(memory);
            }
        }
    }
}

/* Adds to the hash the frequencies and periods of every type of RoPE, with 2 to 20, 43 and 66
   pairs. */
static void rope_frequencies(const table *unused, size_t count)
{
    static const double thetas[] = {1e4, 5e5, 1.5e5, 3.7};
    double omega[70], factors[70], attention;
    float floats[70];
    volatile double one = 1; /* so that no option of the compiler changes the division below */
    (void)unused;
    (void)count;
    for (size_t i = 0; i < 70; i++) {
        factors[i] = 1 + (double)i * 0.375; /* exact, whatever is fused */
        floats[i] = (float)(i % 3) + 0.75f;
    }
    for (int type = PE_ROPE_DEFAULT; type < PE_ROPE_TYPE_COUNT; type++) {
        for (size_t pairs = 2; pairs <= 66; pairs += pairs < 20 ? 1 : 23) {
            for (size_t k = 0; k < 8; k++) {
                pe_rope_config config = pe_rope_config_default(2 * pairs + 4);
                config.rotary_dim = 2 * pairs;
                config.rope_theta = thetas[k % 4];
                config.rope_type = (pe_rope_type)type;
                config.factor = k < 4 ? 8 : 33.3;
                config.original_max_position_embeddings = 4096;
                config.max_position_embeddings = 131072;
                config.sequence_length = k % 2 ? 200000 : 100;
                config.truncate = k < 4;
                config.mscale = k % 3 ? 0.707 : 0;
                config.mscale_all_dim = 1.1;
                config.short_factor = factors;
                config.long_factor = factors + 2;
                config.freq_factors = k == 7 ? floats : NULL;
                need_ok(pe_rope_frequencies(&config, omega, &attention), "pe_rope_frequencies");
                const size_t all = type == PE_ROPE_PROPORTIONAL ? pairs + 2 : pairs;
                hash_f64(omega, all);
                hash_f64(&attention, 1);
                for (size_t i = 0; i < pairs; i++)
                    omega[i] = one / omega[i]; /* periods, as MLX has */
                hash_f64(omega, pairs);
                g_elements += all + 1;
            }
        }
    }
}

/* Returns the coordinate of pair i in the order PE_SECTIONS_INTERLEAVED, or else in the order
   PE_SECTIONS_BLOCKS. sections[a] is the number of pairs of coordinate a. */
static size_t coordinate_of(size_t i, const size_t *sections, size_t axes, int interleaved)
{
    size_t a = 0;
    if (interleaved) return i < axes * sections[i % axes] ? i % axes : 0;
    while (i >= sections[a]) i -= sections[a++];
    return a;
}

/* Writes the cosines and sines of heads whose pairs have different coordinates. The coordinates are
   list[axes][rows]. One table per coordinate is made, and each pair is copied from its table. */
static void table_of_sections(const pe_plan *plan, const int64_t *list, size_t rows,
                              const size_t *sections, size_t axes, int interleaved, float *cosines,
                              float *sines)
{
    const size_t h = plan->pairs;
    float *const c = (float *)g_buffer, *const s = c + rows * h;
    for (size_t a = 0; a < axes; a++) {
        need_ok(pe_rope_table_f32(plan, pe_at_i64(list + a * rows), rows, PE_ROPE_TABLE_APART, c, s,
                                  h, NULL),
                "pe_rope_table_f32");
        for (size_t i = 0; i < rows * h; i++)
            if (coordinate_of(i % h, sections, axes, interleaved) == a)
                cosines[i] = c[i], sines[i] = s[i];
    }
}

/* Adds to the hash rotated heads of each even width up to 66 and of some up to 132. They have each
   type, both layouts, tokens or heads outermost, and near or far positions. Tables and ggml's
   angles follow. */
static void rope(const table *unused, size_t count)
{
    enum { TOKENS = 40, HEADS = 3, WIDTH = 134, ALL = TOKENS * HEADS * WIDTH };
    static const size_t sections[] = {16, 8, 9};
    static float x[ALL], cosines[TOKENS * 33], sines[TOKENS * 33];
    static uint16_t h[2][ALL];
    int64_t list[3 * TOKENS];
    (void)unused;
    (void)count;
    for (size_t n = 2; n <= 132; n += n < 66 ? 2 : 6) {
        const table t = {1, n, 0, 0, 10000.0, n % 4 ? 1.0 : 1.25};
        pe_plan plans[2];
        void *const memory[2] = {plan_of_layout(&plans[0], &t, PE_LAYOUT_INTERLEAVED),
                                 plan_of_layout(&plans[1], &t, PE_LAYOUT_HALVES)};
        const size_t stride = n + 2;
        uint64_t state = n;
        for (size_t form = 0; form < 8; form++) {
            const pe_plan *const plan = &plans[form % 2];
            const size_t by_head = form / 2 % 2;
            const pe_heads lie = by_head ? heads_of(HEADS, TOKENS * stride, stride)
                                         : heads_of(HEADS, stride, HEADS * stride);
            const int64_t first = form < 4 ? 1000 : LIMIT - TOKENS;
            for (size_t i = 0; i < TOKENS * HEADS * stride; i++) {
                state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                x[i] = (float)(int32_t)(state >> 32) / 268435456.0f;
                h[0][i] = (uint16_t)((state >> 40 & 0x83ff) | 0x3800); /* f16: 0.5 ... 1 */
                h[1][i] = (uint16_t)((state >> 40 & 0x80ff) | 0x3f00); /* bf16: 0.5 ... 2 */
            }
            for (size_t i = 0; i < 3 * TOKENS; i++)
                list[i] = i % 7 ? (int64_t)(i / 4) : (int64_t)(state >> 34) - (int64_t)i;
            need_ok(pe_rope_f32(plan, pe_from(first), TOKENS, x, lie), "pe_rope_f32");
            need_ok(pe_rope_f16(plan, pe_from(first), TOKENS, h[0], lie), "pe_rope_f16");
            need_ok(pe_rope_bf16(plan, pe_from(first), TOKENS, h[1], lie), "pe_rope_bf16");
            hash_f32(x, TOKENS * HEADS * stride);
            need_ok(pe_rope_f32(plan, pe_back(pe_at_i64(list)), TOKENS, x, lie), "back");
            need_ok(pe_rope_bf16(plan, pe_delta(pe_all(-77777)), TOKENS, h[1], lie), "delta");
            if (n == 66) {
                table_of_sections(plan, list, TOKENS, sections, 3, form >= 4, cosines, sines);
                need_ok(by_apart_f32(form % 2 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED, cosines,
                                     sines, 33, 33, TOKENS, x, lie),
                        "sections");
            }
            hash_f32(x, TOKENS * HEADS * stride);
            for (size_t i = 0; i < TOKENS * HEADS * stride; i++)
                g_hash = mix(g_hash, (uint64_t)h[0][i] << 16 | h[1][i]);
            g_elements += 3 * TOKENS * HEADS * n;
        }
        need_ok(pe_rope_table_f32(&plans[0], pe_from(-5), TOKENS, PE_ROPE_TABLE_APART, x,
                                  x + TOKENS * n, n, NULL),
                "pe_rope_table_f32");
        need_ok(pe_rope_table_f16(&plans[1], pe_from(-5), TOKENS, PE_ROPE_TABLE_TWICE, h[0], h[1],
                                  n, NULL),
                "pe_rope_table_f16");
        hash_f32(x, TOKENS * 2 * n);
        for (size_t i = 0; i < TOKENS * n; i++)
            g_hash = mix(g_hash, (uint64_t)h[0][i] << 16 | h[1][i]);
        {
            pe_rope_ggml g;
            memset(&g, 0, sizeof g); /* cppcheck-suppress memsetClassFloat ; 0 bits are 0.0 */
            g.n_dims = n, g.freq_scale = 0.125f, g.ext_factor = 1, g.n_ctx_orig = 4096;
            need_ok(pe_rope_ggml_f32(&g, pe_from(131000), TOKENS, x, x + TOKENS * n, n),
                    "pe_rope_ggml_f32");
            for (size_t r = 0; r < TOKENS; r++) {
                hash_f32(x + r * n, n / 2);
                hash_f32(x + (TOKENS + r) * n, n / 2);
            }
        }
        g_elements += 5 * TOKENS * n;
        free(memory[0]);
        free(memory[1]);
    }
}

/* Computes the matrix of a shift by k, by shifting the rows of the identity by -k. Each zero
   becomes +0. */
static void matrix_of_shift(const pe_plan *plan, int64_t k, double *matrix)
{
    const size_t d = plan->d_model;
    for (size_t i = 0; i < d * d; i++) matrix[i] = i % (d + 1) == 0;
    need_ok(pe_shift_f64(plan, pe_all(-k), d, matrix, d), "pe_shift_f64 of the identity");
    for (size_t i = 0; i < d * d; i++) {
        uint64_t bits;
        memcpy(&bits, &matrix[i], sizeof bits);
        if (bits == UINT64_C(1) << 63) memset(&matrix[i], 0, sizeof *matrix);
    }
}

/* Adds to the hash shifts of every type and layout, matrices of shifts, dot products, and the
   length of a row. The widths are 2 to 40 and some larger ones. */
static void algebra(const table *unused, size_t count)
{
    (void)unused;
    (void)count;
    for (size_t d = 2; d <= 140; d += d < 40 ? 1 : 25) {
        for (int layout = 0; layout < 4; layout++) {
            const int64_t k = (int64_t)d * 7919 - (layout & 1 ? 100000 : LIMIT);
            const size_t rows = 5, stride = d + d % 3, n = rows * stride;
            pe_config config = pe_config_default(d);
            config.layout = layout & 1 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
            config.cos_first = layout >> 1;
            config.odd = PE_ODD_ZERO;
            config.amplitude = d % 5 ? 1 : 0.3;
            pe_plan plan;
            void *memory = plan_of_config(&plan, &config);
            float *f32 = (float *)g_buffer;
            memset(f32, 0x5a, n * sizeof *f32); /* also overwrites what is between the rows */
            need_ok(pe_fill_f32(&plan, pe_from(100), rows, f32, stride), "pe_fill_f32");
            need_ok(pe_shift_f32(&plan, pe_all(k), rows, f32, stride), "pe_shift_f32");
            hash_f32(f32, n);
            double *f64 = (double *)g_buffer;
            memset(f64, 0x5a, n * sizeof *f64);
            need_ok(pe_fill_f64(&plan, pe_from(100), rows, f64, stride), "pe_fill_f64");
            need_ok(pe_shift_f64(&plan, pe_all(k), rows, f64, stride), "pe_shift_f64");
            hash_f64(f64, n);
            uint16_t *h = (uint16_t *)g_buffer;
            memset(h, 0x5a, n * sizeof *h);
            need_ok(pe_fill_f16(&plan, pe_from(100), rows, h, stride), "pe_fill_f16");
            need_ok(pe_shift_f16(&plan, pe_all(k), rows, h, stride), "pe_shift_f16");
            for (size_t i = 0; i < n; i++) g_hash = mix(g_hash, h[i]);
            need_ok(pe_fill_bf16(&plan, pe_from(100), rows, h, stride), "pe_fill_bf16");
            need_ok(pe_shift_bf16(&plan, pe_all(k), rows, h, stride), "pe_shift_bf16");
            for (size_t i = 0; i < n; i++) g_hash = mix(g_hash, h[i]);
            matrix_of_shift(&plan, k, f64);
            hash_f64(f64, d * d);
            need_ok(pe_dot_f64(&plan, pe_from(k), 70 + d, f64), "pe_dot_f64");
            need_ok(pe_dot_f64(&plan, pe_all(k - 1), 1, f64 + 70 + d), "pe_dot_f64");
            need_ok(pe_dot_f64(&plan, pe_all(0), 1, f64 + 71 + d), "pe_dot_f64");
            f64[71 + d] = sqrt(f64[71 + d]); /* the length of a row */
            hash_f64(f64, 72 + d);
            g_elements += 4 * rows * d + d * d + 72 + d;
            free(memory);
        }
    }
}

/* Checks one head of one token that a table rotates, for which pe has code of its own. Its bits
   must be those of the first of two heads. */
static void one_head(void)
{
    enum { H = 64, N = 2 * H };
    const pe_heads one = heads_of(1, N, N), two = heads_of(2, N, 2 * N);
    float c[H], s[H];
    uint64_t state = 13;
    for (size_t i = 0; i < H; i++) c[i] = some_float(&state), s[i] = some_float(&state);
#define ONE(type, element, number)                                                                 \
    for (int halves = 0; halves < 2; halves++) {                                                   \
        const pe_layout layout = halves ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;                \
        element x[2 * N], y[N];                                                                    \
        for (size_t i = 0; i < 2 * N; i++) {                                                       \
            const float f = some_float(&state);                                                    \
            const uint16_t u = (uint16_t)((state >> 40 & 0x80ff) | 0x3800);                        \
            x[i] = number;                                                                         \
            (void)f, (void)u;                                                                      \
        }                                                                                          \
        memcpy(y, x, sizeof y);                                                                    \
        need_ok(by_apart_##type(layout, c, s, H, H, 1, x, two), "two heads by a table");           \
        need_ok(by_apart_##type(layout, c, s, H, H, 1, y, one), "one head by a table");            \
        need(memcmp(x, y, sizeof y) == 0, "one head by a table", "other bits than with a second"); \
    }
    ONE(f32, float, f)
    ONE(f16, uint16_t, u)
    ONE(bf16, uint16_t, u)
#undef ONE
}

/* Adds to the hash the calls of RoPE that rope() leaves out, in each type: lists, queries with
   keys, rotation out of place, and tables of the other orders. */
static void rope_calls(const table *unused, size_t count)
{
    enum { T = 19, H = 3, K = 2, MOST = T * (H + K) * 72 };
    static const size_t widths[] = {2, 6, 16, 34, 48, 66, 70};
    int64_t list[3 * T];
    uint64_t state = 11;
    (void)unused;
    (void)count;
    one_head();
    for (size_t i = 0; i < 3 * T; i++) {
        list[i] = i % 5 ? (int64_t)i - 9 : (int64_t)(i * 7919 % 101) * 20000003 - 1000000000;
    }
    for (size_t w = 0; w < 2 * sizeof widths / sizeof *widths; w++) {
        const size_t n = widths[w / 2], h = n / 2, dim = n + w % 2, all = T * (H + K) * dim;
        const pe_heads lie = heads_of(H, dim, (H + K) * dim),
                       keys = heads_of(K, dim, (H + K) * dim);
        const pe_heads by_head = heads_of(H, T * dim, dim);
        const pe_layout layout = w % 2 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
        const table plan_table = {1, n, 0, 0, 10000.0, w % 3 ? 1.0 : 1.25};
        float cosines[T * 35], sines[T * 35], section_c[T * 35], section_s[T * 35];
        pe_plan plan;
        void *memory = plan_of_layout(&plan, &plan_table, layout);
        const size_t sections[3] = {h - h / 3 - h / 4, h / 4, h / 3};
        table_of_sections(&plan, list, T, sections, 3, 0, section_c, section_s);
        need_ok(
            pe_rope_table_f32(&plan, pe_from(77), T, PE_ROPE_TABLE_APART, cosines, sines, h, NULL),
            "pe_rope_table_f32");
#define TABLE(type, first, how, sines)                                                             \
    need_ok(                                                                                       \
        pe_rope_table_##type(&plan, pe_from(first), T, PE_ROPE_TABLE_##how, x, sines, n, NULL),    \
        #how)
#define FORMS(type, element, number)                                                               \
    do {                                                                                           \
        static element x[MOST], y[MOST];                                                           \
        element *const k = x + H * dim;                                                            \
        for (size_t i = 0; i < all; i++) {                                                         \
            const float f = some_float(&state);                                                    \
            const uint16_t u = (uint16_t)((state >> 40 & 0x80ff) | 0x3800);                        \
            x[i] = number;                                                                         \
            (void)f, (void)u;                                                                      \
        }                                                                                          \
        memset(y, 0, sizeof y);                                                                    \
        need_ok(pe_rope_##type(&plan, pe_at_i64(list), T, x, lie), "list");                        \
        hash_bytes(x, all, sizeof *x);                                                             \
        need_ok(pe_rope_##type(&plan, pe_back(pe_from(5)), T, x, lie), "back");                    \
        hash_bytes(x, all, sizeof *x);                                                             \
        need_ok(pe_rope_##type(&plan, pe_back(pe_at_i64(list)), T, x, lie), "a list back");        \
        hash_bytes(x, all, sizeof *x);                                                             \
        need_ok(pe_rope_qk_##type(&plan, pe_from(9), T, x, lie, k, keys), "qk");                   \
        hash_bytes(x, all, sizeof *x);                                                             \
        need_ok(pe_rope_qk_##type(&plan, pe_at_i64(list), T, x, lie, k, keys), "qk by a list");    \
        hash_bytes(x, all, sizeof *x);                                                             \
        need_ok(by_apart_##type(layout, section_c, section_s, h, h, T, x, lie), "sections");       \
        hash_bytes(x, all, sizeof *x);                                                             \
        need_ok(pe_rope_##type(&plan, pe_delta(pe_all(-1234567)), T, x, lie), "delta");            \
        hash_bytes(x, all, sizeof *x);                                                             \
        need_ok(pe_rope_##type(&plan, pe_delta(pe_at_i64(list)), T, x, lie), "deltas");            \
        hash_bytes(x, all, sizeof *x);                                                             \
        need_ok(by_apart_##type(layout, cosines, sines, h, h, T, x, lie), "by a table");           \
        hash_bytes(x, all, sizeof *x);                                                             \
        need_ok(pe_rope_to_##type(&plan, pe_from(31), T, dim, x, lie, y, by_head), "to");          \
        hash_bytes(y, all, sizeof *y);                                                             \
        need_ok(pe_rope_to_##type(&plan, pe_at_i64(list), T, dim, x, lie, y, by_head), "to");      \
        hash_bytes(y, all, sizeof *y);                                                             \
        TABLE(type, -3, APART, y);                                                                 \
        hash_bytes(x, T * n, sizeof *x);                                                           \
        hash_bytes(y, T * n, sizeof *y);                                                           \
        TABLE(type, 1 << 20, JOINED, NULL);                                                        \
        hash_bytes(x, T * n, sizeof *x);                                                           \
        TABLE(type, LIMIT - T, COMPLEX, NULL);                                                     \
        hash_bytes(x, T * n, sizeof *x);                                                           \
        TABLE(type, 400, TWICE, y);                                                                \
        hash_bytes(x, T * n, sizeof *x);                                                           \
        hash_bytes(y, T * n, sizeof *y);                                                           \
        g_elements += 11 * T * H * n + 6 * T * n;                                                  \
    } while (0)
        FORMS(f32, float, f);
        FORMS(f16, uint16_t, u);
        FORMS(bf16, uint16_t, u);
#undef FORMS
#undef TABLE
        free(memory);
    }
}

/* Adds to the hash batches, and plans of given frequencies, with what they report about
   themselves. */
static void batches(const table *unused, size_t count)
{
    enum { ROWS = 21, BATCHES = 3, MOST = 77 };
    double omega[MOST], back[2 * MOST];
    (void)unused;
    (void)count;
    for (size_t d = 1; d <= MOST; d += d < 20 ? 1 : 19) {
        const size_t pairs = (d + 1) / 2, stride = d + d % 3, n = ROWS * BATCHES * stride;
        const pe_config config = pe_config_default(d);
        const size_t size = pe_plan_size(&config);
        pe_plan plan;
        need(size > 0, "pe_plan_size", "no plan");
        void *memory = malloc(size);
        need(memory != NULL, "malloc", "out of memory");
        for (size_t i = 0; i < pairs; i++) omega[i] = 1.5 / (double)(1 + i * i); /* rounded once */
        need_ok(pe_plan_init_frequencies(&plan, &config, omega, pairs, memory, size),
                "frequencies");
        need(plan.pairs == pairs, "pairs", "another number");
        need_ok(pe_plan_frequencies(&plan, back), "pe_plan_frequencies");
        need_ok(pe_plan_wavelengths(&plan, back + pairs), "pe_plan_wavelengths");
        hash_f64(back, 2 * pairs);
#define BATCH(T, element)                                                                          \
    do {                                                                                           \
        element *const x = (element *)g_buffer;                                                    \
        memset(x, 0x3a, n * sizeof *x);                                                            \
        need_ok(pe_add_batch_##T(&plan, pe_from(1000003), ROWS, BATCHES, 0.75, x, stride,          \
                                 ROWS * stride),                                                   \
                "batch");                                                                          \
        hash_bytes(x, n, sizeof *x);                                                               \
        need_ok(                                                                                   \
            pe_add_batch_##T(&plan, pe_from(-9), ROWS, BATCHES, 1, x, BATCHES * stride, stride),   \
            "batch");                                                                              \
        hash_bytes(x, n, sizeof *x);                                                               \
    } while (0)
        BATCH(f32, float);
        BATCH(f64, double);
        BATCH(f16, uint16_t);
        BATCH(bf16, uint16_t);
#undef BATCH
        g_elements += 8 * ROWS * BATCHES * d + 2 * pairs;
        free(memory);
    }
}

/* ---- places: each kind of pe_at -------------------------------------------------------------- */

enum { MOST_PLACES = 20, PLACE_ROWS = 17 };

/* The numbers in each type that lists of positions and points of up to three coordinates read. */
typedef struct lists {
    int32_t i32[3 * PLACE_ROWS];
    int64_t i64[3 * PLACE_ROWS];
    float f32[3 * PLACE_ROWS];
    double f64[3 * PLACE_ROWS];
} lists;

static void fill_lists(lists *l)
{
    for (int i = 0; i < 3 * PLACE_ROWS; i++) {
        l->i32[i] = i % 4 ? i - 9 : i * 7919 % 101 * 20000003 - 1000000000;
        l->i64[i] = i % 5 ? 40 - i : (int64_t)(i * 7919 % 103) * 20000003 - 1000000000;
        l->f32[i] = (float)(i * 37 % 97) * 12.375f - 500; /* exact, whatever is fused */
        l->f64[i] = (double)(i * 37 % 97) * 1234.56789;
    }
}

/* Writes one place of every kind to `at`, for plans of this number of axes, and returns how many
   there are: at most MOST_PLACES. The grid is the place with index 11. */
static size_t places_of(pe_at *at, const lists *l, size_t axes)
{
    static const size_t sizes[3] = {3, 2, 3};
    const pe_at every[17] = {pe_from(-5),
                             pe_from_by(1000, -1), /* descending, as Transformer-XL has it */
                             pe_from_by(-LIMIT, LIMIT / 8),
                             pe_from_by(LIMIT - 3, -99991),
                             pe_from_by(70, 3),
                             pe_all(-4711),
                             pe_at_i32(l->i32),
                             pe_at_i64(l->i64),
                             pe_at_f32(l->f32),
                             pe_at_f64(l->f64),
                             pe_coords_i32(l->i32, 1, 3, 1),
                             pe_grid(sizes, axes),
                             pe_coords_i32(l->i32, axes, axes, 1),
                             pe_coords_i64(l->i64, axes, 1, PLACE_ROWS), /* [axes][rows] */
                             pe_coords_f32(l->f32, axes, 3, 1),
                             pe_coords_f64(l->f64, axes, 1, 17),
                             pe_coords_f64(l->f64, axes, 0, 7)}; /* one point for all rows */
    const size_t count = sizeof every / sizeof *every;
    memcpy(at, every, sizeof every);
    return count;
}

/* Adds to the hash fills and sums at places of every kind: forwards, back (pe_back), as differences
   (pe_delta), both, and without the first two rows (pe_skip). */
static void places(const table *unused, size_t count)
{
    static lists l;
    (void)unused;
    (void)count;
    fill_lists(&l);
    for (int k = 0; k < 7; k++) {
        static const pe_preset presets[7] = {
            PE_PRESET_VASWANI, PE_PRESET_FAIRSEQ,  PE_PRESET_LDM,   PE_PRESET_HF_MARIAN,
            PE_PRESET_MAE_2D,  PE_PRESET_VIDEO_3D, PE_PRESET_T2T_ND};
        static const size_t widths[7] = {18, 9, 12, 7, 16, 16, 10};
        pe_config config = pe_config_preset(presets[k], widths[k]);
        pe_at at[MOST_PLACES];
        pe_plan plan;
        if (k == 0) config.offset = 0.25, config.amplitude = 0.7;
        if (k == 2) config.angle = PE_ANGLE_FLOAT32;
        void *memory = plan_of_config(&plan, &config);
        const size_t d = plan.d_model, all = places_of(at, &l, plan.axes);
        for (size_t p = 0; p < all; p++) {
            const int is_grid = p == 11; /* a grid has no rows after its cells */
            const size_t cells = plan.axes == 1 ? 3 : plan.axes == 2 ? 6 : 17;
            const size_t rows = is_grid ? cells : p == 2 || p == 3 ? 13 : PLACE_ROWS, n = rows * d;
            const pe_at ways[5] = {at[p], pe_back(at[p]), pe_delta(at[p]), pe_delta(pe_back(at[p])),
                                   pe_skip(at[p], 2)};
#define PLACES(T, element)                                                                         \
    do {                                                                                           \
        element *const out = (element *)g_buffer;                                                  \
        for (size_t w = 0; w < 5; w++) {                                                           \
            const size_t some = w == 4 ? rows - 2 : rows;                                          \
            need_ok(pe_fill_##T(&plan, ways[w], some, out, d), "pe_fill");                         \
            hash_bytes(out, some * d, sizeof *out);                                                \
            g_elements += some * d;                                                                \
        }                                                                                          \
        need_ok(pe_add_##T(&plan, ways[1], rows, 0.75, out, d), "pe_add");                         \
        need_ok(pe_add_##T(&plan, ways[2], rows, -3, out, d), "pe_add");                           \
        hash_bytes(out, n, sizeof *out);                                                           \
        g_elements += n;                                                                           \
    } while (0)
            PLACES(f32, float);
            PLACES(f16, uint16_t);
            PLACES(bf16, uint16_t);
            if (p % 3 == 0) PLACES(f64, double);
#undef PLACES
        }
        free(memory);
    }
}

/* Adds to the hash shifts of rows with two axes of 70 and 10 columns, each a block, and three
   columns that belong to no axis, in both layouts. */
static void shifts_apart(const table *unused, size_t count)
{
    enum { ROWS = 7, FIRST = 70, SECOND = 10, D = FIRST + SECOND + 3 };
    static const int64_t deltas[ROWS][2] = {{1, -1}, {0, 5}, {0, 0},        {-77777, 0},
                                            {9, 8},  {3, 3}, {1 << 24, 255}};
    (void)unused;
    (void)count;
    for (int k = 0; k < 4; k++) {
        pe_config config = pe_config_default(D);
        config.layout = k % 2 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
        config.axes = 2;
        config.axis[0].width = k < 2 ? FIRST : SECOND,
        config.axis[1].width = k < 2 ? SECOND : FIRST;
        config.axis[1].coordinate = 1;
        pe_plan plan;
        void *memory = plan_of_config(&plan, &config);
        const pe_at at = pe_coords_i64(deltas[0], 2, 2, 1);
#define SHIFTS(T, element)                                                                         \
    do {                                                                                           \
        element *const x = (element *)g_buffer;                                                    \
        need_ok(pe_fill_##T(&plan, pe_from(100), ROWS, x, D), "pe_fill");                          \
        need_ok(pe_shift_##T(&plan, at, ROWS, x, D), "pe_shift");                                  \
        hash_bytes(x, (size_t)ROWS * D, sizeof *x);                                                \
        g_elements += (size_t)ROWS * D;                                                            \
    } while (0)
        SHIFTS(f32, float);
        SHIFTS(f64, double);
        SHIFTS(f16, uint16_t);
        SHIFTS(bf16, uint16_t);
#undef SHIFTS
        free(memory);
    }
}

/* Adds to the hash shifts and dot products at places of every kind. Then come learned tables, their
   gradient, and ggml's angles, each at a few places. */
static void places_elsewhere(const table *unused, size_t count)
{
    enum { BROAD = 24, TABLE = 50, ELEMENTS = (int)PLACE_ROWS * BROAD };
    static lists l;
    static float table_rows[TABLE * BROAD];
    pe_at at[MOST_PLACES];
    int32_t rows_of_table[PLACE_ROWS];
    (void)unused;
    (void)count;
    fill_lists(&l);
    for (int k = 0; k < 4; k++) {
        pe_config config =
            k < 2 ? pe_config_default(BROAD) : pe_config_preset(PE_PRESET_MAE_2D, BROAD);
        if (k % 2) config.layout = PE_LAYOUT_HALVES;
        if (k == 3) config.layout = PE_LAYOUT_INTERLEAVED, config.offset = 3, config.amplitude = 2;
        pe_plan plan;
        void *memory = plan_of_config(&plan, &config);
        const size_t all = places_of(at, &l, plan.axes);
        for (size_t p = 0; p < all; p++) {
            const size_t rows = p == 11 ? 3 : p == 2 || p == 3 ? 13 : PLACE_ROWS, n = rows * BROAD;
            double dots[PLACE_ROWS];
#define SHIFTS(T, element)                                                                         \
    do {                                                                                           \
        element *const x = (element *)g_buffer;                                                    \
        need_ok(pe_fill_##T(&plan, pe_from(100), rows, x, BROAD), "pe_fill");                      \
        need_ok(pe_shift_##T(&plan, at[p], rows, x, BROAD), "pe_shift");                           \
        hash_bytes(x, n, sizeof *x);                                                               \
        need_ok(pe_shift_##T(&plan, pe_back(at[p]), rows, x, BROAD), "pe_shift");                  \
        hash_bytes(x, n, sizeof *x);                                                               \
        g_elements += 2 * n;                                                                       \
    } while (0)
            SHIFTS(f32, float);
            SHIFTS(f64, double);
            SHIFTS(f16, uint16_t);
            SHIFTS(bf16, uint16_t);
#undef SHIFTS
            if (plan.axes > 1) continue;
            need_ok(pe_dot_f64(&plan, at[p], rows, dots), "pe_dot_f64");
            hash_f64(dots, rows);
            g_elements += rows;
        }
        free(memory);
    }
    uint64_t state = 3;
    for (size_t i = 0; i < TABLE * BROAD; i++) table_rows[i] = some_float(&state);
    for (int i = 0; i < PLACE_ROWS; i++) rows_of_table[i] = i * 7 % TABLE;
    float *const x = (float *)g_buffer;
    memset(x, 0x3a, ELEMENTS * sizeof *x);
    need_ok(pe_learned_add_f32(table_rows, TABLE, BROAD, pe_at_i32(rows_of_table), PLACE_ROWS, x,
                               BROAD),
            "pe_learned_add_f32");
    need_ok(pe_learned_add_f32(table_rows, TABLE, BROAD, pe_from_by(TABLE - 1, -3), PLACE_ROWS, x,
                               BROAD),
            "pe_learned_add_f32");
    hash_f32(x, ELEMENTS);
    need_ok(
        pe_learned_grad_f32(table_rows, TABLE, BROAD, pe_skip(pe_from(1), 4), PLACE_ROWS, x, BROAD),
        "pe_learned_grad_f32");
    hash_f32(table_rows, TABLE * BROAD);
    pe_rope_ggml ggml;
    memset(&ggml, 0, sizeof ggml); /* cppcheck-suppress memsetClassFloat ; 0 bits are 0.0 */
    ggml.n_dims = BROAD;
    need_ok(pe_rope_ggml_f32(&ggml, pe_at_f64(l.f64), PLACE_ROWS, x, x + 1000, BROAD / 2), "ggml");
    hash_f32(x, ELEMENTS / 2);
    hash_f32(x + 1000, ELEMENTS / 2);
    need_ok(pe_rope_ggml_f32(&ggml, pe_from_by(9, -1), PLACE_ROWS, x, x + 1000, BROAD / 2), "ggml");
    hash_f32(x, ELEMENTS / 2);
    hash_f32(x + 1000, ELEMENTS / 2);
    g_elements += 4 * ELEMENTS + (size_t)TABLE * BROAD;
}

/* Adds to the hash heads rotated with plans of pe_rope_plan_init(), with sections of each order and
   places of every kind, and float keys written to a cache of 16 bits. Tables of these plans, and
   rotation out of place by the caller's tables, follow. */
static void rope_plans(const table *unused, size_t count)
{
    enum { T = PLACE_ROWS, H = 2, MOST = T * H * 50 };
    static const size_t dims[] = {48, 12, 34};
    static float x[MOST], y[MOST], cosines[T * 24], sines[T * 24];
    static uint16_t h[MOST], b[MOST], g[MOST];
    static lists l;
    uint64_t state = 17;
    (void)unused;
    (void)count;
    fill_lists(&l);
    for (size_t k = 0; k < 3 * 8 * 2; k++) {
        static const size_t axes_of[8] = {1, 3, 3, 2, 1, 3, 2, 1};
        static const pe_sections orders[8] = {PE_SECTIONS_BLOCKS,      PE_SECTIONS_BLOCKS,
                                              PE_SECTIONS_INTERLEAVED, PE_SECTIONS_VISION,
                                              PE_SECTIONS_BLOCKS,      PE_SECTIONS_INTERLEAVED,
                                              PE_SECTIONS_BLOCKS,      PE_SECTIONS_BLOCKS};
        const size_t n = dims[k / 16], pairs = n / 2, form = k % 8, axes = axes_of[form],
                     dim = n + 2;
        pe_rope_config config = pe_rope_config_default(dim);
        config.rotary_dim = n;
        config.rope_theta = form % 2 ? 5e5 : 1e4;
        config.layout = k / 8 % 2 ? PE_LAYOUT_INTERLEAVED : PE_LAYOUT_HALVES;
        config.axes = axes;
        config.section_order = orders[form];
        if (config.section_order == PE_SECTIONS_VISION && pairs % 2) continue;
        config.sections[0] = pairs - (axes > 1 ? pairs / axes : 0) - (axes > 2 ? pairs / axes : 0);
        for (size_t a = 1; a < axes; a++) config.sections[a] = pairs / axes;
        if (form == 4) {
            config.rope_type = PE_ROPE_YARN, config.factor = 8;
            config.original_max_position_embeddings = 4096;
        }
        if (form == 5) {
            config.rope_type = PE_ROPE_LLAMA3, config.factor = 8;
            config.original_max_position_embeddings = 8192;
        }
        if (form == 6) config.offset = 0.5, config.attention_factor = 1.25;
        if (form == 7) config.angle = PE_ANGLE_FLOAT32, config.expected_rows = 1;
        pe_at at[MOST_PLACES];
        pe_plan plan;
        void *memory = plan_of_rope(&plan, &config);
        const size_t all = places_of(at, &l, axes), elements = T * H * dim;
        const pe_heads lie = heads_of(H, dim, H * dim), by_head = heads_of(H, T * dim, dim);
        need(plan.pairs == pairs && plan.d_model == n && plan.axes == axes, "a plan", "of RoPE");
        for (size_t i = 0; i < elements; i++) {
            x[i] = some_float(&state);
            h[i] = (uint16_t)((state >> 40 & 0x83ff) | 0x3800); /* f16: 0.5 ... 1 */
            b[i] = (uint16_t)((state >> 40 & 0x80ff) | 0x3f00); /* bf16: 0.5 ... 2 */
        }
        memset(y, 0, sizeof y);
        memset(g, 0, sizeof g);
        for (size_t p = k % 3; p < all; p += 3) {
            const size_t rows = p == 11 ? 3 : p == 2 || p == 3 ? 13 : T;
            need_ok(pe_rope_f32(&plan, at[p], rows, x, lie), "pe_rope_f32");
            hash_f32(x, elements);
            need_ok(pe_rope_f16(&plan, pe_back(at[p]), rows, h, lie), "pe_rope_f16");
            hash_u16(h, elements);
            need_ok(pe_rope_bf16(&plan, pe_delta(at[p]), rows, b, lie), "pe_rope_bf16");
            hash_u16(b, elements);
            need_ok(pe_rope_to_f32(&plan, at[p], rows, dim, x, lie, y, by_head), "pe_rope_to_f32");
            hash_f32(y, elements);
            need_ok(pe_rope_to_f32_f16(&plan, at[p], rows, dim, x, lie, g, by_head), "f32 to f16");
            hash_u16(g, elements);
            need_ok(pe_rope_to_f32_bf16(&plan, pe_back(at[p]), rows, dim, x, lie, g, lie),
                    "to bf16");
            hash_u16(g, elements);
            g_elements += 6 * rows * H * n;
#define TABLES_OF(how, arrays, sines)                                                              \
    need_ok(pe_rope_table_f32(&plan, at[p], rows, PE_ROPE_TABLE_##how, y, sines, n, NULL), #how);  \
    hash_f32(y, rows * n * (arrays))
            TABLES_OF(APART, 2, y + rows * n);
            TABLES_OF(TWICE, 2, y + rows * n);
            TABLES_OF(JOINED, 1, NULL);
            TABLES_OF(COMPLEX, 1, NULL);
#undef TABLES_OF
            g_elements += 6 * rows * n;
        }
        need_ok(pe_rope_table_f32(&plan, pe_from(3), T, PE_ROPE_TABLE_APART, cosines, sines, pairs,
                                  NULL),
                "pe_rope_table_f32");
        for (size_t i = 0; i < elements; i++) h[i] = (uint16_t)(0x3800 + i % 1024);
        need_ok(by_apart_to_f32(config.layout, cosines, sines, pairs, pairs, T, dim, x, lie, y,
                                by_head),
                "by a table");
        hash_f32(y, elements);
        need_ok(by_apart_to_f16(config.layout, cosines, sines, pairs, pairs, T, dim, h, lie, g,
                                by_head),
                "by a table");
        hash_u16(g, elements);
        need_ok(by_apart_to_bf16(config.layout, cosines, sines, pairs, pairs, T, dim, h, lie, g,
                                 by_head),
                "by a table");
        hash_u16(g, elements);
        g_elements += 3 * T * H * n;
        free(memory);
    }
}

/* Adds to the hash tables of each type and order, and heads of each type rotated by their rows. The
   rows are a range, those of a list, or those of the list for rotation back (pe_back). */
static void rope_tables(const table *unused, size_t count)
{
    enum { ROWS = 29, T = 13, H = 2, N = 80, MOST = T * H * N };
    static const size_t widths[] = {8, 34, N};
    static float f_c[ROWS * 2 * N], f_s[ROWS * N], x[MOST];
    static uint16_t h_c[ROWS * 2 * N], h_s[ROWS * N], h[MOST];
    int64_t list[T];
    uint64_t state = 29;
    (void)unused;
    (void)count;
    for (size_t i = 0; i < T; i++) list[i] = (int64_t)(i * 17 % ROWS);
    for (size_t k = 0; k < 2 * sizeof widths / sizeof *widths; k++) {
        const size_t n = widths[k / 2], pairs = n / 2, all = T * H * n;
        const pe_layout layout = k % 2 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
        const pe_heads lie = heads_of(H, n, H * n);
        const table plan_table = {1, n, 0, 0, 10000.0, 1.0};
        const pe_at place[3] = {pe_from(7), pe_at_i64(list), pe_back(pe_at_i64(list))};
        pe_plan plan;
        void *memory = plan_of_layout(&plan, &plan_table, layout);
        for (size_t i = 0; i < all; i++) {
            x[i] = some_float(&state);
            h[i] = (uint16_t)((state >> 40 & 0x80ff) | 0x3800);
        }
        for (size_t form = 0; form < 15; form++) {
            const pe_rope_table_layout order = (pe_rope_table_layout)(form % 5);
            const int two = order <= PE_ROPE_TABLE_TWICE;
            const size_t width = (order == PE_ROPE_TABLE_APART    ? 1
                                  : order == PE_ROPE_TABLE_MATRIX ? 4
                                                                  : 2) *
                                 pairs;
            pe_rope_table by;
            if (form < 5) {
                need_ok(pe_rope_table_f32(&plan, pe_from(-9), ROWS, order, f_c, two ? f_s : NULL,
                                          width, &by),
                        "a table of floats");
                hash_f32(f_c, ROWS * width);
                if (two) hash_f32(f_s, ROWS * width);
            } else {
                need_ok((form < 10 ? pe_rope_table_f16 : pe_rope_table_bf16)(
                            &plan, pe_from(-9), ROWS, order, h_c, two ? h_s : NULL, width, &by),
                        "a table of 16 bits");
                hash_u16(h_c, ROWS * width);
                if (two) hash_u16(h_s, ROWS * width);
            }
            need(by.rows == ROWS && by.pairs == pairs && by.stride == width, "a table",
                 "says else");
            need_ok(
                k % 2 ? pe_rope_by_table_f32(&by, layout, place[form % 3], T, x, lie)
                      : pe_rope_by_table_to_f32(&by, layout, place[form % 3], T, n, x, lie, x, lie),
                "floats");
            hash_f32(x, all);
            need_ok(k % 2 ? pe_rope_by_table_f16(&by, layout, place[(form + 1) % 3], T, h, lie)
                          : pe_rope_by_table_to_f16(&by, layout, place[(form + 1) % 3], T, n, h,
                                                    lie, h, lie),
                    "f16");
            hash_u16(h, all);
            need_ok(k % 2 ? pe_rope_by_table_bf16(&by, layout, place[(form + 2) % 3], T, h, lie)
                          : pe_rope_by_table_to_bf16(&by, layout, place[(form + 2) % 3], T, n, h,
                                                     lie, h, lie),
                    "bf16");
            hash_u16(h, all);
            for (size_t i = 0; i < all; i++) h[i] = (uint16_t)((h[i] & 0x80ff) | 0x3800);
            g_elements += 3 * all + ROWS * width * (two ? 2 : 1);
        }
        free(memory);
    }
}

/* Rotates one token with a table of floats whose pairs fill whole pair tiles, for which the call
   has code of its own. */
static void one_token(const table *unused, size_t count)
{
    enum { ROWS = 9, N = 192, H = 3, MOST = H * (N + 2) };
    static float c[ROWS * N], s[ROWS * N], x[MOST];
    static uint16_t h[2][MOST];
    uint64_t state = 31;
    (void)unused;
    (void)count;
    for (size_t k = 0; k < ROWS * N; k++) c[k] = some_float(&state), s[k] = some_float(&state);
    for (size_t n = 64; n <= N; n += 64)
        for (size_t heads = 1; heads <= H; heads++)
            for (int64_t row = 0; row < ROWS; row += 4) {
                const pe_layout layout = (size_t)row % 8 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
                const pe_rope_table by = {c, s, PE_TYPE_F32, PE_ROPE_TABLE_APART, N, ROWS, n / 2};
                const pe_heads lie = heads_of(heads, n + 2, 0);
                for (size_t i = 0; i < MOST; i++) {
                    x[i] = some_float(&state);
                    h[0][i] = h[1][i] = (uint16_t)((state >> 40 & 0x80ff) | 0x3800);
                }
                need_ok(pe_rope_by_table_f32(&by, layout, pe_from(row), 1, x, lie), "f32");
                need_ok(pe_rope_by_table_f16(&by, layout, pe_from(row), 1, h[0], lie), "f16");
                need_ok(pe_rope_by_table_bf16(&by, layout, pe_from(row), 1, h[1], lie), "bf16");
                hash_f32(x, MOST);
                hash_u16(h[0], 2 * (size_t)MOST);
                g_elements += 3 * (size_t)MOST;
            }
}

/* Adds to the hash long lists whose positions repeat, in any order. Their rows are copied from
   where they were made. */
static void repeats(const table *unused, size_t count)
{
    enum { ROWS = 300, N = 34 };
    static float c[ROWS * 2 * N], s[ROWS * N];
    static double d[ROWS * N];
    static uint16_t h_c[ROWS * 2 * N], h_s[ROWS * N];
    static int64_t list[ROWS];
    static double reals[ROWS];
    const table plan_table = {ROWS, N, 0, 0, 10000.0, 1.0};
    (void)unused;
    (void)count;
    for (size_t i = 0; i < ROWS; i++) {
        list[i] = (int64_t)(i * i * 7 % 61) - 19;
        reals[i] = (double)(i * i * 5 % 97) / 4 - 7;
    }
    for (size_t k = 0; k < 4; k++) {
        const pe_layout layout = k % 2 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
        const pe_at at = k < 2 ? pe_at_i64(list) : pe_back(pe_at_f64(reals));
        pe_plan plan;
        void *memory = plan_of_layout(&plan, &plan_table, layout);
        need_ok(pe_fill_f32(&plan, at, ROWS, c, N), "floats");
        hash_f32(c, ROWS * N);
        need_ok(pe_fill_f64(&plan, at, ROWS, d, N), "doubles");
        hash_f64(d, ROWS * N);
        need_ok(pe_fill_f16(&plan, at, ROWS, h_c, N), "f16");
        hash_u16(h_c, ROWS * N);
        need_ok(pe_fill_bf16(&plan, at, ROWS, h_c, N), "bf16");
        hash_u16(h_c, ROWS * N);
        need_ok(pe_rope_table_f32(&plan, at, ROWS, PE_ROPE_TABLE_MATRIX, c, NULL, 2 * N, NULL),
                "matrices");
        hash_f32(c, ROWS * 2 * N);
        need_ok(pe_rope_table_bf16(&plan, at, ROWS, PE_ROPE_TABLE_MATRIX, h_c, NULL, 2 * N, NULL),
                "matrices");
        hash_u16(h_c, ROWS * 2 * N);
        need_ok(pe_rope_table_f32(&plan, at, ROWS, PE_ROPE_TABLE_TWICE, c, s, N, NULL), "twice");
        hash_f32(c, ROWS * N);
        hash_f32(s, ROWS * N);
        need_ok(pe_rope_table_f16(&plan, at, ROWS, PE_ROPE_TABLE_APART, h_c, h_s, N / 2, NULL),
                "apart");
        hash_u16(h_c, ROWS * N / 2);
        hash_u16(h_s, ROWS * N / 2);
        g_elements += ROWS * 11 * N;
        free(memory);
    }
}

/* Adds to the hash heads whose two axes are blocks of halves, and heads whose rotated part does not
   begin at their first element. */
static void rope_blocks(const table *unused, size_t count)
{
    enum { T = 9, H = 2, MOST = T * H * 140 };
    static const size_t widths[4][2] = {{4, 4}, {32, 32}, {48, 80}, {64, 64}};
    static float x[MOST], y[MOST], c[MOST], s[MOST];
    static uint16_t h[MOST];
    int64_t points[2 * T];
    uint64_t state = 31;
    (void)unused;
    (void)count;
    for (size_t i = 0; i < 2 * T; i++) points[i] = (int64_t)(i * 7919 % 1009) - 4;
    for (size_t k = 0; k < 8; k++) {
        const size_t n = widths[k / 2][0] + widths[k / 2][1], dim = n + 3, all = T * H * dim;
        const pe_heads lie = heads_of(H, dim, H * dim);
        const int offset = k % 2 == 1;
        pe_plan plan;
        void *memory;
        if (offset) {
            pe_rope_config config = pe_rope_config_default(dim);
            config.rotary_dim = n, config.rotary_offset = 1 + k / 4;
            config.layout = k % 4 == 1 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
            memory = plan_of_rope(&plan, &config);
        } else {
            pe_config config = pe_config_default(n);
            config.axes = 2, config.layout = PE_LAYOUT_HALVES, config.amplitude = 1.25;
            for (size_t a = 0; a < 2; a++)
                config.axis[a].width = widths[k / 2][a], config.axis[a].coordinate = a;
            const size_t size = pe_plan_size(&config);
            memory = malloc(size);
            need(memory != NULL, "a plan", "no memory");
            need_ok(pe_plan_init(&plan, &config, memory, size), "a plan of blocks");
        }
        const pe_at at = offset ? pe_at_i64(points) : pe_coords_i64(points, 2, 2, 1);
        for (size_t i = 0; i < all; i++) {
            x[i] = some_float(&state);
            h[i] = (uint16_t)((state >> 40 & 0x80ff) | 0x3800);
        }
        need_ok(pe_rope_f32(&plan, at, T, x, lie), "floats");
        hash_f32(x, all);
        need_ok(pe_rope_to_f32(&plan, pe_back(at), T, dim, x, lie, y, lie), "floats back");
        hash_f32(y, all);
        need_ok(pe_rope_bf16(&plan, at, T, h, lie), "bf16");
        hash_u16(h, all);
        for (size_t i = 0; i < all; i++) h[i] = (uint16_t)((h[i] & 0x80ff) | 0x3800);
        need_ok(pe_rope_f16(&plan, pe_delta(at), T, h, lie), "f16");
        hash_u16(h, all);
        need_ok(pe_rope_table_f32(&plan, at, T, PE_ROPE_TABLE_TWICE, c, s, n, NULL), "a table");
        hash_f32(c, T * n);
        hash_f32(s, T * n);
        g_elements += 4 * all + 2 * T * n;
        free(memory);
    }
}

/* Adds to the hash one row, computed alone in each type at position t, and the frequencies and
   wavelengths of its plan. If omega is NULL, the frequencies are those of the config. */
static void lone_row(const pe_config *config, const double *omega, double t)
{
    enum { WIDTH = 4 };
    const size_t d = config->d_model, size = pe_plan_size(config);
    void *const memory = malloc(size);
    float f[WIDTH];
    double x[WIDTH];
    uint16_t h[WIDTH];
    pe_plan plan;
    need(size > 0 && memory != NULL, "a plan", "no config or no memory");
    need_ok(omega ? pe_plan_init_frequencies(&plan, config, omega, d / 2, memory, size)
                  : pe_plan_init(&plan, config, memory, size),
            "a plan");
    need_ok(pe_fill_f32(&plan, pe_at_f64(&t), 1, f, d), "pe_fill_f32");
    hash_f32(f, d);
    need_ok(pe_fill_f64(&plan, pe_at_f64(&t), 1, x, d), "pe_fill_f64");
    hash_f64(x, d);
    need_ok(pe_fill_f16(&plan, pe_at_f64(&t), 1, h, d), "pe_fill_f16");
    hash_u16(h, d);
    need_ok(pe_fill_bf16(&plan, pe_at_f64(&t), 1, h, d), "pe_fill_bf16");
    hash_u16(h, d);
    need_ok(pe_plan_frequencies(&plan, x), "pe_plan_frequencies");
    hash_f64(x, d / 2);
    need_ok(pe_plan_wavelengths(&plan, x), "pe_plan_wavelengths");
    hash_f64(x, d / 2);
    g_elements += 5 * d;
    free(memory);
}

/* Adds to the hash pe_sincos_T, which needs no plan, with sines and cosines in one array and in
   two, and at three kinds of places. No result is a subnormal float, which a program may flush to
   zero. The volatile variable keeps the compiler's options from changing the frequencies. */
static void without_a_plan(const table *tables, size_t count)
{
    static const size_t pairs[] = {1, 7, 64, 257}, rows[] = {1, 5, 36, 300};
    static const double amplitudes[] = {1, -0.75, 1 / 1267650600228229401496703205376.0, 3e4};
    double omega[257];
    int32_t list[300];
    (void)tables, (void)count;
    for (size_t i = 0; i < 257; i++) {
        volatile double wave = 0.37 * (double)i;
        wave = wave + 1;
        wave = wave + (double)(i % 9 * i * i);
        wave = 1 / wave;
        omega[i] = i == 5 ? 0 : wave;
    }
    for (size_t i = 0; i < 300; i++) list[i] = (int32_t)((i * 7919 + 3) % 4001) - 1000;
    for (size_t k = 0; k < 64; k++) {
        const size_t p = pairs[k % 4], r = rows[k / 4 % 4], all = 2 * p * r, twice = 2 * p;
        const double a = amplitudes[k / 16];
        const pe_at at = k % 3 == 0   ? pe_from(16777200)
                         : k % 3 == 1 ? pe_at_i32(list)
                                      : pe_back(pe_from_by(77, 3));
        float *const f = (float *)g_buffer;
        double *const g = (double *)g_buffer;
        uint16_t *const h = (uint16_t *)g_buffer;
        need_ok(pe_sincos_f32(omega, p, a, at, r, f, f + p, twice), "pe_sincos_f32");
        hash_f32(f, all);
        need_ok(pe_sincos_f64(omega, p, a, at, r, g + p, g, twice), "pe_sincos_f64");
        hash_f64(g, all);
        need_ok(pe_sincos_f16(omega, p, a, at, r, h, h + p * r, p), "pe_sincos_f16");
        hash_u16(h, all);
        need_ok(pe_sincos_bf16(omega, p, a, at, r, h + p * r, h, p), "pe_sincos_bf16");
        hash_u16(h, all);
        g_elements += 4 * all;
    }
}

/* Adds to the hash the cases that were built to make rounding fail: see test_theorem.c. */
static void built_against(const table *tables, size_t count)
{
    const double tie = 1 + 1.0 / 16777216; /* 1 + 2^-24, the midpoint of two floats */
    const double both[2] = {tie, tie / 3};
    pe_config c;
    (void)tables, (void)count;
    for (size_t k = 0; k < sizeof built_cases / sizeof built_cases[0]; k++) {
        const built *const b = &built_cases[k];
        c = pe_config_default(2);
        c.amplitude = b->amplitude, c.half_turns = b->half_turns;
        lone_row(&c, &b->w, b->t);
    }
    c = pe_config_default(4);
    c.base = 9, c.half_turns = 1, c.amplitude = 1 + 3 * (tie - 1);
    for (int t = -6; t <= 6; t++) lone_row(&c, NULL, t);
    c.base = 2, c.scale = 34286.387478338955, c.amplitude = 1;
    lone_row(&c, NULL, 1303402951.9141693);
    c.base = 1000, c.scale = 1, c.exponent = PE_EXPONENT_INDEX;
    for (int t = -1000; t <= 1000; t += 500) lone_row(&c, NULL, t);
    c = pe_config_default(4);
    c.angle = PE_ANGLE_FLOAT32;
    lone_row(&c, both, 1000003);
    c.angle = PE_ANGLE_EXACT, c.exponent = PE_EXPONENT_PAIRS;
    c.base = 1 + 1e-12, c.exponent_shift = 2 - 1e-12;
    lone_row(&c, NULL, 123456789);
}

/* Adds to the hash the phase increments of plans and of given frequencies. */
static void fixed_point(const table *tables, size_t count)
{
    static double memory[1 << 13];
    static uint32_t increments[4 * 256];
    static const double omega[6] = {1, -0.3, 0, 1e-15, 12345.678, -2097152};
    (void)tables, (void)count;
    for (size_t d = 512; d > 1; d /= 3) {
        pe_config config = pe_config_default(d - d % 2);
        pe_plan plan;
        config.base = d == 170 ? 500000 : 10000, config.expected_rows = 1;
        need_ok(pe_plan_init(&plan, &config, memory, sizeof memory), "a plan");
        need_ok(pe_fixed_increments(&plan, increments), "pe_fixed_increments");
        hash_bytes(increments, 4 * plan.pairs, sizeof *increments);
        g_elements += 4 * plan.pairs;
    }
    need_ok(pe_fixed_increments_of(omega, 6, increments), "pe_fixed_increments_of");
    hash_bytes(increments, 24, sizeof *increments);
    g_elements += 24;
}

#define TABLES(a) a, sizeof(a) / sizeof((a)[0])

static const struct section {
    const char *name;
    void (*run)(const table *tables, size_t count);
    const table *tables;
    size_t count;
} SECTIONS[] = {
    {"fill_f32 small", fill_f32, TABLES(SMALL)},
    {"fill_f32 to +-2^31", fill_f32, TABLES(EXTREME)},
    {"fill_f32 base, amplitude", fill_f32, TABLES(SCALED)},
    {"fill_at_f32 shuffled", fill_at_f32, TABLES(SHUFFLED)},
    {"fill_f64", fill_f64, TABLES(DOUBLES)},
    {"sinusoidal_f32", sinusoidal_f32, TABLES(ONE_CALL)},
    {"built against", built_against, NULL, 0},
    {"sincos", without_a_plan, NULL, 0},
    {"alibi_slopes", alibi_slopes, NULL, 0},
    {"alibi_fill, _add", alibi_matrices, NULL, 0},
    {"biases anywhere", biases_anywhere, NULL, 0},
    {"coordinates", coordinates, NULL, 0},
    {"learned", learned, NULL, 0},
    {"fill_f32, _f64 d = 1..140", every_width, NULL, 0},
    {"conventions", conventions, NULL, 0},
    {"rope_frequencies", rope_frequencies, NULL, 0},
    {"algebra", algebra, NULL, 0},
    {"rope", rope, NULL, 0},
    {"rope, every call", rope_calls, NULL, 0},
    {"add_batch, frequencies", batches, NULL, 0},
    {"every place", places, NULL, 0},
    {"shift, dot, ... by places", places_elsewhere, NULL, 0},
    {"shift, axes apart", shifts_apart, NULL, 0},
    {"rope plans, places", rope_plans, NULL, 0},
    {"models", models, NULL, 0},
    {"rope tables", rope_tables, NULL, 0},
    {"one token by a table", one_token, NULL, 0},
    {"lists that repeat", repeats, NULL, 0},
    {"rope blocks, offset", rope_blocks, NULL, 0},
    {"fixed point", fixed_point, NULL, 0},
    {"fill_f32 512 x 512", fill_f32, TABLES(PAPER)},
    {"fill_at_f32 long list", fill_at_f32, TABLES(LONG_LIST)},
    {"fill_f64 4096 x 128", fill_f64, TABLES(LONG_DOUBLES)},
    {"fill_f32 1024 x 1000", fill_f32, TABLES(WIDE)},
    {"fill_f32 from 16,000,000", fill_f32, TABLES(FAR_ROWS)},
    {"fill_f32 131072 x 64", fill_f32, TABLES(LONG)},
};

/* If HASH_FLUSH is defined, makes the CPU flush subnormal results to 0 and treat subnormal operands
   as 0. */
static void flush_subnormals(void)
{
#if defined(HASH_FLUSH) && defined(__SSE2__)
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040u);
#elif defined(HASH_FLUSH) && defined(__aarch64__)
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    __asm__ volatile("msr fpcr, %0" : : "r"(fpcr | (uint64_t)1 << 24));
#elif defined(HASH_FLUSH)
#error "HASH_FLUSH: how are subnormals flushed on this machine?"
#endif
#ifdef HASH_FLUSH
    volatile double smallest = 2.2250738585072014e-308;
    need(smallest / 2 == 0, "HASH_FLUSH", "subnormals are not flushed");
#endif
}

#ifndef HASH_MAIN
#define HASH_MAIN main
#elif defined(__cplusplus)
extern "C" int HASH_MAIN(int argc, char **argv);
#else
int HASH_MAIN(int argc, char **argv);
#endif

int HASH_MAIN(int argc, char **argv)
{
    flush_subnormals();
    const size_t all = sizeof SECTIONS / sizeof SECTIONS[0];
    const unsigned long given = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    const size_t last = given > 0 && given < all ? (size_t)given : all;
    g_buffer = malloc(BUFFER_BYTES);
    need(g_buffer != NULL, "malloc", "out of memory");
#ifndef PE_SLEEF_NAME /* with PE_EXTERN, which takes the functions from another file */
#define PE_SLEEF_NAME "as it was compiled"
#endif
    need(pe_version() == PE_VERSION_HEX, "pe_version", "functions of another version");
    printf("# pe %s, %s, %s\n", PE_VERSION_STRING, pe_isa_name(), PE_SLEEF_NAME);
    for (size_t s = 0; s < last; s++) {
        g_hash = SEED;
        g_elements = 0;
        SECTIONS[s].run(SECTIONS[s].tables, SECTIONS[s].count);
        /* MemorySanitizer reports uninitialised results only at a branch, and this is one. */
        need(g_hash != 0, SECTIONS[s].name, "the hash is 0");
        printf("%-26s %10" PRIu64 " elements  %016" PRIx64 "\n", SECTIONS[s].name, g_elements,
               g_hash);
        if (fflush(stdout) != 0) {
            return 1;
        }
    }
    free(g_buffer);
    /* The line lets a comparison of the output see the failure where the exit status is lost. */
    const pe_status status = pe_selftest();
    if (status != PE_OK) printf("pe_selftest: status %d\n", (int)status);
    return status != PE_OK;
}
