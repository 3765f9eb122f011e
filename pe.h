/* SPDX-License-Identifier: MIT
 *
 * pe.h - positional encodings for transformers: correctly rounded, at the speed of memory,
 *        the same bits on every machine. C99 and C++11; two headers, pe.h and pe_simd.h.
 *
 * QUICK START
 *
 *     #include "pe.h"
 *
 *     static float table[512 * 512];
 *     pe_sinusoidal_f32(table, 512, 512);            // rows, d_model: "Attention Is All You Need"
 *
 * When the table is needed more than once, from another position, with another base or stride, make
 * a plan (180 KB at d_model = 512; it serves every position):
 *
 *     pe_config config = pe_config_default(512);
 *     void *memory = malloc(pe_plan_size(&config));
 *     pe_plan plan;
 *     if (pe_plan_init(&plan, &config, memory, pe_plan_size(&config)) != PE_OK) ...
 *     pe_fill_f32(&plan, 1000000, 512, table, 512);  // rows for the positions 1000000 ... 1000511
 *
 * FORMULA AND LAYOUT
 *
 *     PE(p, 2i) = A sin(p w_i)    PE(p, 2i+1) = A cos(p w_i)    w_i = base^(-2i / d_model)
 *
 * Row-major: row r of the output starts at out + r * stride (stride counted in elements, at least
 * d_model) and holds d_model elements. Elements between d_model and stride are never touched. An odd
 * d_model has ceil(d_model / 2) pairs and ends with a sine.
 *
 * ACCURACY
 *
 * Every float is the real number above rounded once, to nearest even, for every integer position
 * from -2^31 to 2^31. A correct rounding is unique, and so the bits do not depend on the
 * instruction set, the compiler, its options, SLEEF, or how the rows were cut over calls or threads:
 * a row is a function of (config, position) alone. Doubles are within 0.501 ulp. base and
 * amplitude are taken as the exact values of the doubles given.
 * "make test" proves it against MPFR.
 *
 * ERRORS
 *
 * Each function that can fail returns a pe_status, and pe_status_string() says what is wrong and
 * what to do. Arguments are checked before anything is written: after an error the output is as it
 * was. rows = 0 is fine and touches nothing, NULL included.
 *
 * OPTIONS (define before including, or with -D)
 *
 *     PE_ISA           PE_ISA_SCALAR, _NEON, _AVX2 or _AVX512. Default: the best that the
 *                      compiler's flags allow (-march=native, -mavx2 -mfma, -mavx512f ...).
 *                      Affects speed only. What the flags do not allow is an #error.
 *     PE_SLEEF         1: the rows that need sines take them from SLEEF; link with -lsleef. 0: from
 *                      pe's own polynomial. Default: 1 where <sleef.h> is found, 0 for the scalar build.
 *                      Affects speed only.
 *     PE_STREAM_BYTES  tables of at least so many bytes are written past the caches. Default
 *                      33554432. Best at about the size of the last-level cache.
 *
 * THREADS
 *
 * No function keeps state, allocates, or starts a thread; errno, locale and the rounding mode stay
 * as they are; the stack holds up to 20 KB, or what a comment says. A plan is read-only once made: any number of threads may use it, each on its own rows.
 *
 * LIMITS
 *
 * Round-to-nearest must be in force. Flush-to-zero modes are harmless unless results are subnormal.
 * Positions beyond 2^31 in magnitude, bases outside 2^-20 ... 2^900 and amplitudes outside
 * 2^-1000 ... 2^1000 are refused.
 */
#ifndef PE_H
#define PE_H

#define PE_VERSION_MAJOR 0
#define PE_VERSION_MINOR 1
#define PE_VERSION_PATCH 0
#define PE_VERSION_HEX 0x000100
#define PE_VERSION_STRING "0.1.0"

/* ---- options ---------------------------------------------------------------------------------- */

#ifndef PE_STREAM_BYTES
#define PE_STREAM_BYTES 33554432
#endif

#include "pe_simd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ============================================================================================== */
/*  TYPES                                                                                         */
/* ============================================================================================== */

/* What a function has to say. PE__STATUSES(X) lists every status and its text. */
#define PE__STATUSES(X)                                                                            \
    X(PE_OK, "success")                                                                            \
    X(PE_ERR_NULL, "a pointer that is needed is NULL: pass memory (NULL is fine with rows = 0)")   \
    X(PE_ERR_CONFIG, "the config is invalid: d_model must be at least 1 and fit in memory, "       \
                     "base between 2^-20 and 2^900, the amplitude's magnitude between 2^-1000 "    \
                     "and 2^1000; start from pe_config_default(). In ALiBi: a mode of the enum, "  \
                     "slopes and max_bias finite, max_bias not negative. In resampling: a method " \
                     "of the enum, a within -16 ... 16")                                 \
    X(PE_ERR_SHAPE, "a stride is smaller than the row, d_model or keys, or a head's stride than "  \
                    "its rows, so rows would overlap: pass the number of elements from one to "    \
                    "the next")                        \
    X(PE_ERR_RANGE, "a position lies outside -2^31 ... 2^31, or outside a learned table: check "   \
                    "first, first + rows - 1, every entry of a position list, queries and keys")   \
    X(PE_ERR_SIZE, "a size does not fit: rows * stride overflows the address space, or the "       \
                   "memory given is smaller than pe_plan_size()")

typedef enum pe_status {
#define PE__STATUS_NAME(name, text) name,
    PE__STATUSES(PE__STATUS_NAME) PE__STATUS_COUNT
#undef PE__STATUS_NAME
} pe_status;

/* What to compute. Start from pe_config_default() and change fields: more may be added. */
typedef struct pe_config {
    size_t d_model;   /* width of a row in elements, >= 1; odd is fine                            */
    double base;      /* 10000 in the paper; 1 makes all frequencies 1                            */
    double amplitude; /* factor on every element, 1 in the paper; may be negative, not 0          */
} pe_config;

/* Frequencies and some rows, in memory that the caller gave. All fields are private. A plan may
   be copied by assignment; its memory must outlive the copies, and must not be moved. */
typedef struct pe_plan {
    size_t d_model;          /* elements of a row                                            */
    size_t pairs;            /* ceil(d_model / 2)                                            */
    size_t padded;           /* doubles from one array to the next, see pe__padded()         */
    size_t levels;           /* rows digit * 17^level are stored, digit 1..8, level < levels */
    int64_t near;            /* the largest sum of one such row of each level                */
    const double *frequency; /* 3 arrays: w / pi as a sum of three doubles                   */
    const double *table;     /* 2 arrays a row: sin(p w), cos(p w), see pe__row()            */
    double amplitude;        /* A = mantissa * scale                                         */
    double mantissa;         /* in [0.5, 1), with the sign of A                              */
    double scale;            /* a power of two                                               */
    double fastest;          /* largest frequency, in half turns a position                  */
    double error;            /* bound on the error of a rotated value, see "Rounding test"   */
    double inflated;         /* A (1 + eta)                                                  */
    int32_t guard;           /* bits of the smallest float that the rounding test may judge  */
} pe_plan;

/* ============================================================================================== */
/*  FUNCTIONS                                                                                     */
/* ============================================================================================== */

/* Say what a status means and what to do about it: constant English text, never NULL, also for a
   number that is no status. Threads: any. */
static inline const char *pe_status_string(pe_status status);

/* Make the config of "Attention Is All You Need": interleaved sines and cosines, base 10000,
   amplitude 1. d_model is not checked here. Threads: any. */
static inline pe_config pe_config_default(size_t d_model);

/* Tell how many bytes of memory a plan of this config needs: about 350 per element of a row.
 * Returns 0 for an invalid config, NULL included. Any alignment of the memory will do: the slack is
 * counted in. Threads: any. */
static inline size_t pe_plan_size(const pe_config *config);

/* Make a plan: the frequencies w_i = base^(-2i / d_model), and 40 rows from which all others follow.
 *
 * memory       at least pe_plan_size(config) bytes, any alignment; it belongs to the plan until the
 *              caller takes it back. Nothing outside [memory, memory + memory_size) is touched.
 * memory_size  its bytes
 *
 * Returns      PE_OK; PE_ERR_NULL if a pointer is NULL; PE_ERR_CONFIG; PE_ERR_SIZE if the memory is too
 *              small. On an error neither plan nor memory is written.
 * Accuracy     frequencies to 2^-140 of their value (tests/test_exact.c sees their effect)
 * Aliasing     plan, config and memory may not overlap
 * Threads      as any write to plan and memory; later uses of the plan only read */
static inline pe_status pe_plan_init(pe_plan *plan, const pe_config *config, void *memory,
                                     size_t memory_size);

/* Fill rows for the positions first, first + 1, ..., first + rows - 1:
 *
 *     out[r * stride + 2i]     = A sin((first + r) w_i)
 *     out[r * stride + 2i + 1] = A cos((first + r) w_i)
 *
 * first        any position; first and first + rows - 1 within -2^31 ... 2^31
 * rows         0 does nothing and is PE_OK, whatever the other arguments are
 * out          rows * stride elements (the last row needs only d_model); aligned as its type
 * stride       elements from row to row, >= d_model; what lies between rows is not touched
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_SHAPE; PE_ERR_SIZE; PE_ERR_RANGE
 * Accuracy     f32: correctly rounded, overflow to infinity and subnormals included; f64: 0.501 ulp
 *              (tests/test_exact.c)
 * Aliasing     out may not overlap the plan or its memory
 * Threads      any number on one plan, each with its own rows
 * See          Vaswani et al. 2017, section 3.5 */
static inline pe_status pe_fill_f32(const pe_plan *plan, int64_t first, size_t rows, float *out,
                                    size_t stride);
static inline pe_status pe_fill_f64(const pe_plan *plan, int64_t first, size_t rows, double *out,
                                    size_t stride);

/* Fill row r for positions[r]: any order, repeated, negative. As pe_fill_f32 otherwise, and the same
 * bits; stretches of consecutive positions run as fast as there.
 *
 * positions    rows entries within -2^31 ... 2^31; all are checked before anything is written
 * Aliasing     out may not overlap positions, the plan or its memory */
static inline pe_status pe_fill_at_f32(const pe_plan *plan, const int64_t *positions, size_t rows,
                                       float *out, size_t stride);

/* Fill a packed table of the default config for the positions 0 ... rows - 1: pe_fill_f32 without a
 * plan, the same bits. Uses about 35 KB of stack.
 *
 * out          rows * d_model floats
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_CONFIG if d_model is 0; PE_ERR_SIZE; PE_ERR_RANGE
 * Accuracy     correctly rounded (tests/test_exact.c, tests/test_splits.c)
 * Threads      any */
static inline pe_status pe_sinusoidal_f32(float *out, size_t rows, size_t d_model);

/* ---- ALiBi: a penalty on attention scores that grows with the distance ----------------------- */

/* What the bias of a key is, d = query position - key position. */
typedef enum pe_alibi_mode {
    PE_ALIBI_LINEAR,   /* -slope d, for keys after the query as well: the caller masks these      */
    PE_ALIBI_CAUSAL,   /* -slope d, and -infinity for keys after the query                        */
    PE_ALIBI_SYMMETRIC /* -slope |d|: encoders, which look both ways                              */
} pe_alibi_mode;

/* Make the slopes of all heads. For n the largest power of two that is at most heads:
 *
 *     slopes[h] = 2^(-max_bias (h + 1) / n)                   h < n
 *     slopes[h] = 2^(-max_bias (2 (h - n) + 1) / (2n))        n <= h < heads
 *
 * heads        at most 2^28; 0 does nothing and is PE_OK, whatever the other arguments are
 * max_bias     8 in the paper: the last of n slopes is 2^-8; finite, >= 0
 * slopes       heads floats
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_CONFIG for another max_bias; PE_ERR_SIZE
 * Accuracy     correctly rounded, subnormals included (tests/test_alibi.c)
 * Threads      any
 * See          Press et al. 2021; get_slopes() there, build_alibi_tensor() in Hugging Face's BLOOM,
 *              max_bias of ggml_soft_max_ext() */
static inline pe_status pe_alibi_slopes_f32(size_t heads, float max_bias, float *slopes);

/* Fill a packed matrix [heads, queries, keys] with the linear bias: pe_alibi_fill_f32 with
 * PE_ALIBI_LINEAR and without strides. Keys after the query are the caller's to mask.
 *
 *     bias[(h * queries + q) * keys + k] = -slopes[h] (first_query + q - k)
 *
 * Everything else as in pe_alibi_fill_f32. */
static inline pe_status pe_alibi_bias_f32(const float *slopes, size_t heads, int64_t first_query,
                                          size_t queries, size_t keys, float *bias);

/* Fill the bias of the keys 0 ... keys - 1 for the queries first_query, first_query + 1, ...:
 *
 *     bias[h * head_stride + q * query_stride + k] = bias of slopes[h] and d = first_query + q - k
 *
 * slopes       heads floats, finite, of either sign
 * first_query  the position of the first query, where the first key has position 0. With a cache of
 *              keys from position p on, give the query's position less p: only the distance counts.
 *              All queries within -2^31 ... 2^31
 * keys         positions of keys end at 2^31. heads, queries or keys = 0 does nothing and is PE_OK
 * bias         aligned as its type; what lies between rows is not touched
 * query_stride elements from one query's row to the next, >= keys
 * head_stride  elements from head to head, >= (queries - 1) * query_stride + keys; or the other way
 *              round, for [queries, heads, keys]. A stride that leads nowhere (one query, one
 *              head) is not looked at
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_SHAPE if rows would overlap; PE_ERR_SIZE; PE_ERR_RANGE;
 *              PE_ERR_CONFIG for an unknown mode or a slope that is not finite
 * Accuracy     the exact product, rounded once to the output's type; zero is +0
 *              (tests/test_alibi.c)
 * Aliasing     bias may not overlap slopes
 * Threads      any number, each with its own rows */
static inline pe_status pe_alibi_fill_f32(const float *slopes, size_t heads, pe_alibi_mode mode,
                                          int64_t first_query, size_t queries, size_t keys,
                                          float *bias, size_t query_stride, size_t head_stride);
static inline pe_status pe_alibi_fill_f16(const float *slopes, size_t heads, pe_alibi_mode mode,
                                          int64_t first_query, size_t queries, size_t keys,
                                          uint16_t *bias, size_t query_stride, size_t head_stride);
static inline pe_status pe_alibi_fill_bf16(const float *slopes, size_t heads, pe_alibi_mode mode,
                                           int64_t first_query, size_t queries, size_t keys,
                                           uint16_t *bias, size_t query_stride, size_t head_stride);

/* Add the bias to attention scores in place: the bias rounded to f32, then one add; 16-bit scores
 * are widened, and the sum, in f32, is rounded once. In PE_ALIBI_CAUSAL the scores of keys after
 * the query become -infinity whatever they were, NaN included.
 *
 *     scores[h * head_stride + q * query_stride + k] += bias
 *
 * Everything else as in pe_alibi_fill_f32. */
static inline pe_status pe_alibi_add_f32(const float *slopes, size_t heads, pe_alibi_mode mode,
                                         int64_t first_query, size_t queries, size_t keys,
                                         float *scores, size_t query_stride, size_t head_stride);
static inline pe_status pe_alibi_add_f16(const float *slopes, size_t heads, pe_alibi_mode mode,
                                         int64_t first_query, size_t queries, size_t keys,
                                         uint16_t *scores, size_t query_stride, size_t head_stride);
static inline pe_status pe_alibi_add_bf16(const float *slopes, size_t heads, pe_alibi_mode mode,
                                          int64_t first_query, size_t queries, size_t keys,
                                          uint16_t *scores, size_t query_stride,
                                          size_t head_stride);

/* ---- learned tables ---------------------------------------------------------------------------- */

/* Add rows of a learned table to activations in place:
 *
 *     x[r * stride + c] += table[positions[r] * d_model + c]
 *
 * table        table_rows * d_model elements, packed
 * d_model      at least 1
 * positions    rows entries within 0 ... table_rows - 1, in any order, also repeated; all are
 *              checked before anything is written: they are not clamped
 * rows         0 does nothing and is PE_OK, whatever the other arguments are
 * x            rows * stride elements (the last row needs only d_model); aligned as its type
 * stride       elements from row to row, >= d_model; what lies between rows is not touched
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_CONFIG if d_model is 0; PE_ERR_SHAPE; PE_ERR_SIZE;
 *              PE_ERR_RANGE for a position outside the table
 * Accuracy     each sum is rounded once: 16-bit numbers are added in f32, which has the bits to
 *              make the second rounding harmless (tests/test_learned.c)
 * Aliasing     x may not overlap table or positions
 * Threads      any number, each with its own rows of x
 * See          Gehring et al. 2017, section 3.1; wpe in GPT-2, embed_positions in BERT and OPT */
static inline pe_status pe_learned_add_f32(const float *table, size_t table_rows, size_t d_model,
                                           const int64_t *positions, size_t rows, float *x,
                                           size_t stride);
static inline pe_status pe_learned_add_f16(const uint16_t *table, size_t table_rows, size_t d_model,
                                           const int64_t *positions, size_t rows, uint16_t *x,
                                           size_t stride);
static inline pe_status pe_learned_add_bf16(const uint16_t *table, size_t table_rows,
                                            size_t d_model, const int64_t *positions, size_t rows,
                                            uint16_t *x, size_t stride);

/* Add the gradient of x to the gradient of the table, which is not cleared before:
 *
 *     grad_table[positions[r] * d_model + c] += grad_x[r * stride + c]     r = 0, 1, ..., rows - 1
 *
 * The rows are added one after the other, so that a position that is met often has the same sum in
 * every run and on every machine.
 *
 * grad_x       rows * stride elements (the last row needs only d_model)
 * grad_table   table_rows * d_model elements, packed
 *
 * Returns      as pe_learned_add_f32; on an error nothing is written
 * Accuracy     each of the rows' additions is rounded once
 * Aliasing     grad_table may not overlap grad_x or positions
 * Threads      one at a time on a grad_table, or each with its own columns */
static inline pe_status pe_learned_grad_f32(const float *grad_x, size_t stride,
                                            const int64_t *positions, size_t rows,
                                            float *grad_table, size_t table_rows, size_t d_model);

typedef enum pe_resample_method { PE_RESAMPLE_LINEAR, PE_RESAMPLE_CUBIC } pe_resample_method;

/* How to stretch a table. Start from pe_resample_default() and change fields: more may be added. */
typedef struct pe_resample {
    pe_resample_method method;
    double a;          /* cubic: the slope at distance 1, -16 ... 16; -0.75 in torch, -0.5 is
                          Catmull-Rom, whose curves keep straight lines straight */
    int align_corners; /* 1: the first and last rows stay; 0: rows are cells, whose edges stay */
} pe_resample;

/* What vision models do to their tables: cubic, a = -0.75, align_corners = 0. Threads: any. */
static inline pe_resample pe_resample_default(void);

/* Resample a learned table of so many rows to another number of rows:
 *
 *     out[i] = sum over k of w_k table[n + k]         n = floor(s), t = s - n, rows beyond an end
 *                                                     are the row at the end
 *     s = i (rows - 1) / (out_rows - 1)               align_corners; 0 where out_rows = 1
 *     s = (i + 1/2) rows / out_rows - 1/2             otherwise
 *     w_0 = 1 - t, w_1 = t                            linear
 *     w_-1 = a t (1-t)^2, w_0 = (1-t) (1 + t - (a+2) t^2), and w_2, w_1 alike in 1 - t     cubic
 *
 * There is no low-pass filter: for far fewer rows than before, filter first.
 *
 * table        rows * d_model floats, packed; tokens before the positions (CLS) are not for here
 * rows         1 ... 2^31; so is out_rows, but out_rows = 0 does nothing and is PE_OK
 * d_model      at least 1
 * how          see pe_resample
 * out          out_rows * d_model floats, packed
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_CONFIG for d_model = 0, another method or such an a;
 *              PE_ERR_RANGE if the table has no rows; PE_ERR_SIZE
 * Accuracy     n is exact, all else double, rounded once at the end: 0.5 ulp and 2^-49 of the sum
 *              of |w_k table[n + k]| (tests/test_learned.c). Where s is a whole number, as it is
 *              where out_rows = rows, the row is copied
 * Aliasing     out may not overlap table
 * Threads      any
 * See          torch.nn.functional.interpolate; Keys 1981; position embeddings in ViT, DINOv2 */
static inline pe_status pe_learned_resample_f32(const float *table, size_t rows, size_t d_model,
                                                const pe_resample *how, float *out,
                                                size_t out_rows);

/* Resample a learned table of a grid, [height, width, d_model], to [out_height, out_width, d_model]:
 * both axes as pe_learned_resample_f32 does one; a cell has the product of its weights in the two.
 *
 * Returns      as pe_learned_resample_f32
 * Accuracy     the same, over the cells */
static inline pe_status pe_learned_resample_2d_f32(const float *table, size_t height, size_t width,
                                                   size_t d_model, const pe_resample *how,
                                                   float *out, size_t out_height,
                                                   size_t out_width);

/* ============================================================================================== */
/*  PRIVATE: nothing below is needed to use the library                                           */
/* ============================================================================================== */

/* ---- checks ----------------------------------------------------------------------------------- */

static inline const char *pe_status_string(pe_status status)
{
    static const char *const texts[] = {
#define PE__STATUS_TEXT(name, text) text,
        PE__STATUSES(PE__STATUS_TEXT)
#undef PE__STATUS_TEXT
    };
    const size_t index = (size_t)status;
    return index < (size_t)PE__STATUS_COUNT ? texts[index] : "this number is no pe_status";
}

static inline pe_config pe_config_default(size_t d_model)
{
    pe_config config;
    config.d_model = d_model;
    config.base = 10000.0;
    config.amplitude = 1.0;
    return config;
}

#define PE__POSITION_LIMIT ((int64_t)1 << 31)

/* Are both -limit <= p and p <= limit? One comparison, no overflow. */
PE__INLINE int pe__position_ok(int64_t p)
{
    return (uint64_t)p + (uint64_t)PE__POSITION_LIMIT <= 2 * (uint64_t)PE__POSITION_LIMIT;
}

/* rows of stride elements of the given size: does the last byte lie within reach of a pointer? */
static inline pe_status pe__check_shape(size_t d_model, size_t rows, size_t stride, size_t element)
{
    if (stride < d_model) return PE_ERR_SHAPE;
    if (stride > (size_t)PTRDIFF_MAX / element / rows) return PE_ERR_SIZE;
    return PE_OK;
}

static inline pe_status pe__check_range(int64_t first, size_t rows)
{
    if (!pe__position_ok(first)) return PE_ERR_RANGE;
    const uint64_t room = (uint64_t)(PE__POSITION_LIMIT - first); /* rows that may follow */
    return (uint64_t)rows - 1 <= room ? PE_OK : PE_ERR_RANGE;
}

static inline pe_status pe__check_positions(const int64_t *positions, size_t rows)
{
    int ok = 1;
    for (size_t r = 0; r < rows; r++) ok &= pe__position_ok(positions[r]);
    return ok ? PE_OK : PE_ERR_RANGE;
}

/* ---- double-double and triple-double ------------------------------------------------------------
 * Unevaluated sums of two or three doubles, lane by lane, about 104 and 156 bits. The low part of a
 * pe__dd may be as large as a few units in the last place of the high part, where not said otherwise. */

typedef struct pe__dd {
    pe__vd hi, lo;
} pe__dd;
typedef struct pe__td {
    pe__vd a, b, c;
} pe__td;

/* x * y; relative error below 2^-102. */
PE__INLINE pe__dd pe__dd_mul(pe__dd x, pe__dd y)
{
    pe__dd r;
    r.hi = pe__two_prod(x.hi, y.hi, &r.lo);
    r.lo = pe__fma(x.lo, y.hi, pe__fma(x.hi, y.lo, r.lo));
    return r;
}

/* a + x for |a| >= |x|. */
PE__INLINE pe__dd pe__dd_add_small(const double *a, pe__dd x)
{
    pe__dd r;
    r.hi = pe__fast_two_sum(pe__splat(a[0]), x.hi, &r.lo);
    r.lo = r.lo + (pe__splat(a[1]) + x.lo);
    return r;
}

/* hi = the double nearest to the sum. */
PE__INLINE pe__dd pe__dd_normal(pe__dd x)
{
    x.hi = pe__fast_two_sum(x.hi, x.lo, &x.lo);
    return x;
}

/* x * X + y * Y. */
PE__INLINE pe__dd pe__dd_mul_mul_add(pe__dd x, pe__dd X, pe__dd y, pe__dd Y)
{
    pe__dd r;
    const pe__dd p = pe__dd_mul(x, X), q = pe__dd_mul(y, Y);
    r.hi = pe__two_sum(p.hi, q.hi, &r.lo);
    r.lo = r.lo + (p.lo + q.lo);
    return r;
}

/* (s, c) turned by (S, C), in place: one more turn adds less than 2^-100 to the error. */
PE__INLINE void pe__dd_turn(pe__dd *s, pe__dd *c, pe__dd S, pe__dd C)
{
    const pe__dd s0 = *s, c0 = *c;
    *s = pe__dd_mul_mul_add(s0, C, c0, S);
    S.hi = -S.hi, S.lo = -S.lo;
    *c = pe__dd_mul_mul_add(c0, C, s0, S);
}

/* (s, c) turned by itself, in place, for half the price: 2 s c and 1 - 2 s^2. */
PE__INLINE void pe__dd_turn_twice(pe__dd *s, pe__dd *c)
{
    const pe__vd two = pe__splat(2.0);
    pe__dd sc = pe__dd_mul(*s, *c);
    const pe__dd ss = pe__dd_mul(*s, *s);
    c->hi = pe__two_sum(pe__splat(1.0), -two * ss.hi, &c->lo);
    c->lo = c->lo - two * ss.lo;
    sc.hi = two * sc.hi, sc.lo = two * sc.lo;
    *s = sc;
}

PE__INLINE pe__td pe__td_of(pe__vd a, pe__vd b, pe__vd c) /* renormalise */
{
    pe__td r;
    b = pe__two_sum(b, c, &c);
    r.a = pe__two_sum(a, b, &b);
    r.b = pe__two_sum(b, c, &r.c);
    return r;
}

PE__INLINE pe__td pe__td_const(const double *x)
{
    pe__td r;
    r.a = pe__splat(x[0]), r.b = pe__splat(x[1]), r.c = pe__splat(x[2]);
    return r;
}

PE__INLINE pe__td pe__td_add(pe__td x, pe__td y)
{
    pe__vd e, f, g;
    const pe__vd a = pe__two_sum(x.a, y.a, &e);
    pe__vd b = pe__two_sum(x.b, y.b, &f);
    b = pe__two_sum(b, e, &g);
    return pe__td_of(a, b, (x.c + y.c) + (f + g));
}

PE__INLINE pe__td pe__td_mul(pe__td x, pe__td y)
{
    pe__vd e00, e01, e10, t, u;
    const pe__vd p00 = pe__two_prod(x.a, y.a, &e00);
    const pe__vd p01 = pe__two_prod(x.a, y.b, &e01);
    const pe__vd p10 = pe__two_prod(x.b, y.a, &e10);
    pe__vd b = pe__two_sum(p01, p10, &t);
    b = pe__two_sum(b, e00, &u);
    const pe__vd small = (x.b * y.b + (x.a * y.c + x.c * y.a)) + (e01 + e10);
    return pe__td_of(p00, b, small + (t + u));
}

PE__INLINE pe__td pe__td_scale(pe__td x, pe__vd y) /* x * y */
{
    pe__td r;
    r.a = y, r.b = pe__splat(0.0), r.c = r.b;
    return pe__td_mul(x, r);
}

/* x / y by three digits of long division. */
PE__INLINE pe__td pe__td_div(pe__td x, pe__vd y)
{
    const pe__vd q0 = x.a / y;
    pe__td digit;
    digit.a = -q0, digit.b = pe__splat(0.0), digit.c = digit.b;
    x = pe__td_add(x, pe__td_scale(digit, y));
    const pe__vd q1 = x.a / y;
    digit.a = -q1;
    x = pe__td_add(x, pe__td_scale(digit, y));
    return pe__td_of(q0, q1, x.a / y);
}

/* ---- elementary functions in triple-double, for the frequencies -------------------------------- */

static const double pe__inverse_pi[3] = {0.3183098861837907, -1.9678676675182486e-17,
                                         -1.0721436282893004e-33};
static const double pe__ln2[3] = {0.6931471805599453, 2.3190468138462996e-17,
                                  5.707708438416212e-34};

/* 2^k for -1022 <= k <= 1023. */
PE__INLINE double pe__exp2i(int k)
{
    const uint64_t bits = (uint64_t)(k + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Split a positive normal x into m in [0.5, 1) and e with x = m * 2^e. */
PE__INLINE double pe__frexp(double x, int *e)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    *e = (int)(bits >> 52) - 1022;
    bits = (bits & 0xfffffffffffffu) | ((uint64_t)1022 << 52);
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* exp(x) for |x| < 700, to about 2^-148: x = k ln 2 + 64 r, a Taylor series for exp(r) - 1, six
   squarings. Lane by lane, but k is taken lane by lane through memory. */
PE__OUTLINE pe__td pe__td_exp(pe__td x)
{
    static const double inverse_factorial[17][3] = {
        {1.0, 0.0, 0.0},
        {1.0, 0.0, 0.0},
        {0.5, 0.0, 0.0},
        {0.16666666666666666, 9.25185853854297e-18, 5.135813185032629e-34},
        {0.041666666666666664, 2.3129646346357427e-18, 1.2839532962581572e-34},
        {0.008333333333333333, 1.1564823173178714e-19, 1.6049416203226965e-36},
        {0.001388888888888889, -5.300543954373577e-20, -1.7386867553495878e-36},
        {0.0001984126984126984, 1.7209558293420705e-22, 1.4926912391394127e-40},
        {2.48015873015873e-05, 2.1511947866775882e-23, 1.865864048924266e-41},
        {2.7557319223985893e-06, -1.858393274046472e-22, 8.491754604881993e-39},
        {2.755731922398589e-07, 2.3767714622250297e-23, -3.263188903340883e-40},
        {2.505210838544172e-08, -1.448814070935912e-24, 2.0426735146714455e-41},
        {2.08767569878681e-09, -1.20734505911326e-25, 1.702227928892871e-42},
        {1.6059043836821613e-10, 1.2585294588752098e-26, -5.31334602762985e-43},
        {1.1470745597729725e-11, 2.0655512752830745e-28, 6.889079232466646e-45},
        {7.647163731819816e-13, 7.03872877733453e-30, -7.827539277162583e-48},
        {4.779477332387385e-14, 4.399205485834081e-31, -4.892212048226615e-49},
    };
    const pe__vd k = pe__round(x.a * pe__splat(1.4426950408889634));
    pe__td r = pe__td_add(x, pe__td_scale(pe__td_const(pe__ln2), -k));
    const pe__vd eighth = pe__splat(1.0 / 64);
    r.a = r.a * eighth, r.b = r.b * eighth, r.c = r.c * eighth;

    pe__td y = pe__td_const(inverse_factorial[16]);
    for (int n = 15; n >= 1; n--)
        y = pe__td_add(pe__td_mul(y, r), pe__td_const(inverse_factorial[n]));
    y = pe__td_mul(y, r); /* exp(r) - 1, so that squaring loses nothing */
    for (int n = 0; n < 6; n++) {
        pe__td twice = y;
        twice.a = y.a + y.a, twice.b = y.b + y.b, twice.c = y.c + y.c;
        y = pe__td_add(pe__td_mul(y, y), twice);
    }
    y = pe__td_add(y, pe__td_const(inverse_factorial[0]));

    double power[PE_LANES];
    pe__store(power, k);
    for (int lane = 0; lane < PE_LANES; lane++) power[lane] = pe__exp2i((int)power[lane]);
    const pe__vd two_k = pe__load(power);
    y.a = y.a * two_k, y.b = y.b * two_k, y.c = y.c * two_k;
    return y;
}

/* ln(x), the same in all lanes, for a normal x > 0: an atanh series gives y to double precision, then
   one step y + u - u^2/2 + u^3/3 with u = m exp(-y) - 1, which leaves about 2^-148. */
PE__OUTLINE pe__td pe__td_log(double x)
{
    int e;
    double m = pe__frexp(x, &e);
    if (m < 0.7071067811865476) m *= 2, e--;
    const double z = (m - 1) / (m + 1), zz = z * z; /* |z| < 0.172: z^23 is below 2^-58 */
    double y = 0;
    for (int n = 21; n >= 1; n -= 2) y = y * zz + 1.0 / n;
    y *= 2 * z;
    PE__OPAQUE(y); /* one number from here on, not a product that may be fused */

    pe__td minus_y, one;
    minus_y.a = pe__splat(-y), minus_y.b = pe__splat(0.0), minus_y.c = minus_y.b;
    one.a = pe__splat(-1.0), one.b = minus_y.b, one.c = minus_y.b;
    const pe__td u = pe__td_add(pe__td_scale(pe__td_exp(minus_y), pe__splat(m)), one);
    const pe__td uu = pe__td_mul(u, u);
    pe__td log = pe__td_add(u, pe__td_scale(uu, pe__splat(-0.5)));
    log = pe__td_add(log, pe__td_div(pe__td_mul(uu, u), pe__splat(3.0)));
    minus_y.a = -minus_y.a;
    log = pe__td_add(minus_y, log);
    return pe__td_add(pe__td_scale(pe__td_const(pe__ln2), pe__splat(e)), log);
}

/* ---- frequencies --------------------------------------------------------------------------------
 * f_i = w_i / pi for w_i = r^i with r = base^(-2 / d_model), in triple-double: eight by exp, each further
 * one from the one eight before it. So the order of the operations on f_i, and its bits, do not depend
 * on the number of lanes. An error of 2^-148 in r^8 grows with i / 8: below 2^-128 for every i up
 * to 2^20, where 2^31 half-turns still leave 2^-97. */

#define PE__CHAIN 8

typedef struct pe__geometric {
    pe__td ratio;                         /* r^8 */
    pe__td next[PE__CHAIN / PE_LANES];    /* the eight frequencies to come */
} pe__geometric;

static inline void pe__geometric_begin(pe__geometric *g, const pe_config *config)
{
    pe__td step = pe__td_log(config->base); /* -ln r = 2 ln(base) / d_model */
    step = pe__td_div(pe__td_scale(step, pe__splat(-2.0)), pe__splat((double)config->d_model));
    g->ratio = pe__td_exp(pe__td_scale(step, pe__splat(PE__CHAIN)));
    for (int v = 0; v < PE__CHAIN / PE_LANES; v++) {
        double index[PE_LANES];
        for (int lane = 0; lane < PE_LANES; lane++) index[lane] = v * PE_LANES + lane;
        const pe__td power = pe__td_exp(pe__td_scale(step, pe__load(index)));
        g->next[v] = pe__td_mul(power, pe__td_const(pe__inverse_pi));
    }
}

/* Write the next eight frequencies to f, f + padded, f + 2 padded. */
PE__OUTLINE void pe__geometric_next(pe__geometric *g, double *f, size_t padded)
{
    for (int v = 0; v < PE__CHAIN / PE_LANES; v++, f += PE_LANES) {
        pe__store(f, g->next[v].a);
        pe__store(f + padded, g->next[v].b);
        pe__store(f + 2 * padded, g->next[v].c);
        g->next[v] = pe__td_mul(g->next[v], g->ratio);
    }
}

/* ---- turns, exactly -----------------------------------------------------------------------------
 * Position t turns pair i by t w_i = pi t f_i. */

/* The sine and cosine of pi x to about 2^-100 of their value, |x| <= 0.3: Taylor series in x^2 with
   coefficients +-pi^n / n!. A double is enough for the coefficients whose term is below 2^-53. */
static const double pe__sine_series[15][2] = {
    {3.141592653589793, 1.2246467991473532e-16},
    {-5.16771278004997, 2.2665622825789447e-16},
    {2.5501640398773455, -7.931006345326556e-17},
    {-0.5992645293207921, 2.845026112698218e-17},
    {0.08214588661112823, -3.847292805297656e-18},
    {-0.0073704309457143504, -3.328281165603432e-19},
    {0.00046630280576761255, 1.0704561733683463e-20},
    {-2.1915353447830217e-05, 1.4648526682685598e-21},
    {7.952054001475513e-07, 1.736540361519021e-23},
    {-2.2948428997269873e-08, 0},
    {5.392664662608129e-10, 0},
    {-1.0518471716932065e-11, 0},
    {1.7302192458361107e-13, 0},
    {-2.432561179993389e-15, 0},
    {2.9567015428549106e-17, 0},
};
static const double pe__cosine_series[15][2] = {
    {1.0, 0.0},
    {-4.934802200544679, -3.1326477543698557e-16},
    {4.0587121264167685, -2.6602000824298645e-16},
    {-1.3352627688545895, 3.1815237892149862e-18},
    {0.2353306303588932, -1.2583065576724427e-18},
    {-0.02580689139001406, 1.170191067939226e-18},
    {0.0019295743094039231, -9.669517939986956e-20},
    {-0.0001046381049248457, -2.421206183964864e-21},
    {4.303069587032947e-06, -2.864010082936791e-22},
    {-1.3878952462213771e-07, 0},
    {3.604730797462501e-09, 0},
    {-7.700707130601354e-11, 0},
    {1.3768647280377414e-12, 0},
    {-2.0906323353147685e-14, 0},
    {2.729327261598196e-16, 0},
};

PE__INLINE pe__dd pe__dd_series(const double (*series)[2], pe__dd xx)
{
    pe__vd tail = pe__splat(series[14][0]);
    for (int k = 13; k > 8; k--) tail = pe__fma(tail, xx.hi, pe__splat(series[k][0]));
    pe__dd y;
    y.hi = tail, y.lo = pe__splat(0.0);
    for (int k = 8; k >= 0; k--) y = pe__dd_add_small(series[k], pe__dd_mul(y, xx));
    return y;
}

/* Turn (s, c) by q quarter turns, q in -2 ... 2. Exact: of each sum one term is zero. */
PE__INLINE void pe__quarters(pe__vd q, pe__vd *s, pe__vd *c)
{
    const pe__vd cosine = pe__splat(1.0) - pe__abs(q), sine = q * (pe__splat(2.0) - pe__abs(q));
    const pe__vd s0 = *s, c0 = *c;
    *s = s0 * cosine + c0 * sine;
    *c = c0 * cosine - s0 * sine;
}

/* sin and cos of the turn of position t, for the pairs pair ... pair + PE_LANES - 1, to about 2^-98. */
PE__OUTLINE void pe__exact_turn(const pe_plan *plan, size_t pair, double t, pe__dd *sine,
                                pe__dd *cosine)
{
    const double *f = plan->frequency + pair;
    const pe__vd tt = pe__splat(t), half = pe__splat(0.5);
    pe__vd e0, e1;
    const pe__vd p0 = pe__two_prod(tt, pe__load(f), &e0);
    const pe__vd p1 = pe__two_prod(tt, pe__load(f + plan->padded), &e1);
    const pe__vd p2 = tt * pe__load(f + 2 * plan->padded);

    /* half turns modulo 2, then to the nearest quarter turn: both exact */
    pe__vd x = p0 - pe__round(p0 * half) * pe__splat(2.0);
    const pe__vd q = pe__round(x + x);
    x = x - q * half;
    const pe__td r = pe__td_of(x, e0, pe__splat(0.0));
    pe__td rest;
    rest.a = p1, rest.b = e1, rest.c = p2;
    const pe__td sum = pe__td_add(r, rest);
    pe__dd z;
    z.hi = sum.a, z.lo = sum.b;
    const pe__dd zz = pe__dd_mul(z, z);

    *sine = pe__dd_normal(pe__dd_mul(z, pe__dd_series(pe__sine_series, zz)));
    *cosine = pe__dd_normal(pe__dd_series(pe__cosine_series, zz));
    pe__quarters(q, &sine->hi, &cosine->hi);
    pe__quarters(q, &sine->lo, &cosine->lo);
}

/* x times a double, normal. */
PE__INLINE pe__dd pe__dd_scaled(pe__dd x, double by)
{
    pe__dd r;
    r.hi = pe__two_prod(x.hi, pe__splat(by), &r.lo);
    r.lo = pe__fma(x.lo, pe__splat(by), r.lo);
    return pe__dd_normal(r);
}

/* (hi + lo) * scale rounded once to float, for a power of two: round to odd, then to nearest.
 *
 * The sum is good to 2^-98. A low part below that belongs to an angle so small that the sine is x - x^3/6
 * or the cosine 1 - x^2/2, and these last terms are lost. The truth is then nearer to zero than hi, be
 * it by ever so little: that decides where hi itself lies in the middle between two floats. */
static inline float pe__round_f32(double hi, double lo, double scale)
{
    uint64_t bits;
    if ((lo < 0 ? -lo : lo) <= (hi < 0 ? -hi : hi) * pe__exp2i(-95)) lo = -hi * pe__exp2i(-100);
    hi *= scale, lo *= scale;
    memcpy(&bits, &hi, sizeof bits);
    if (lo != 0 && (bits & 1) == 0) {
        if ((lo < 0) == (hi < 0)) bits++;
        else bits--;
        memcpy(&hi, &bits, sizeof bits);
    }
    return (float)hi;
}

/* ---- turns, fast --------------------------------------------------------------------------------
 * Positions are written in base 17, with digits from -8 to 8, and the plan stores the rows of the
 * numbers that have one digit only. The rows that differ in the last digit are a block; they follow
 * from its anchor, the row with last digit 0, by turning it forth and back by the rows 1 ... 8. The anchor
 * itself is turned together from the rows of its other digits; beyond 17^levels / 2, or once in 17
 * blocks of a long run, it comes from sines, by pe__anchor(), and the other 16 by one turn from there. */

#if !PE_SLEEF
/* sin and cos of pi a to 2 ulp, |a| < 2. */
PE__INLINE void pe__sincospi(pe__vd a, pe__vd *s, pe__vd *c)
{
    a = a - pe__round(a * pe__splat(0.5)) * pe__splat(2.0);
    const pe__vd q = pe__round(a + a), x = a - q * pe__splat(0.5), xx = x * x;
    pe__vd sine = pe__splat(pe__sine_series[9][0]), cosine = pe__splat(pe__cosine_series[9][0]);
    for (int k = 8; k >= 0; k--) {
        sine = pe__fma(sine, xx, pe__splat(pe__sine_series[k][0]));
        cosine = pe__fma(cosine, xx, pe__splat(pe__cosine_series[k][0]));
    }
    *s = sine * x, *c = cosine;
    pe__quarters(q, s, c);
}
#endif

/* Rounding test: what keeps floats correctly rounded
 *
 * In units of u = 2^-53 and for amplitude 1, a value that pe__turn() makes has an error of at most
 *     4.95  SLEEF's sine and cosine, 3.5 ulp each (u35), as a vector: 3.5 sqrt(2)
 *     0.71  their correction by the low part of the phase, rounded: 0.5 sqrt(2)
 *     0.01  the phase, kept to 2^-106 |t f| <= 2^-64 half turns for |t f| <= 2^42 (beyond, the
 *           anchors are exact)
 *     2.0   the amplitude's factor, rounded, and the product with it: 1 each, relative
 *     5.42  two turns, to the block's anchor and to the row; each turn has
 *           0.71  a row of the plan, rounded: 0.5 sqrt(2)
 *           2.0   products 1 (|sC| + |cS| <= 1), their sum 1; less where it is fused
 * together 13.1; or, from rows of the plan alone,
 *     0.71  the row of the first digit
 *     2.0   the amplitude's factor
 *     10.84 four turns by the other digits
 * together 13.6. Dividing the factor (1 + eta) out again, in pe__settle(), adds 1.5. e = 15.5 u |A|.
 *
 * Where float(y - e) = float(y + e), that is the answer. The hot loop tests it for the price of a few
 * integer operations. It works on y' = y (1 + eta), for which e <= eta |y| as soon as |y| >= 2^-12 |A|:
 * then |y'| is never below the true |x|, and at most 2 eta |x| above, so float(y') is wrong only if a
 * midpoint of two floats lies at or just below |y'|. The 29 bits that rounding to float drops say
 * so: their value is then in [2^28, 2^28 + 2 eta 2^53]. With the first of them flipped these are the
 * smallest numbers of 29 bits: the hot loop keeps one running minimum of them, and one of the floats'
 * absolute values to guard |y| >= 2^-12 |A| and the end of the normal floats. About 4
 * elements in 10,000 raise the alarm, and pe__settle_vectors() looks at their neighbourhood closely.
 *
 * eta is e / 2^-12, and a little for the (1 + eta) on e itself. */
#define PE__ERROR (15.5 / 9007199254740992.0) /* 15.5 * 2^-53                   */
#define PE__ETA (15.75 / 2199023255552.0)     /* 15.75 * 2^-41                  */
#define PE__WINDOW (32 * 4096)                /* 2 * 15.75 * 2^12, and some     */
#define PE__GUARD (1.0009765625 / 4096)              /* 2^-12, and some: |float| > it  */
#define PE__FAST_LIMIT 4398046511104.0               /* 2^42 half turns                */

enum { PE__DIGIT = 8, PE__RADIX = 2 * PE__DIGIT + 1, PE__LEVELS = 5, PE__TILE = 512 };

PE__INLINE size_t pe__min(size_t a, size_t b) { return a < b ? a : b; }

/* The first address of a cache line at or after p. */
PE__INLINE double *pe__aligned(void *p)
{
    return (double *)(void *)((unsigned char *)p + (64 - (uintptr_t)p % 64) % 64);
}

/* The anchor: A (1 + eta) times sin and cos of position t, for count pairs from pair on. Writes whole
   vectors: up to PE_LANES - 1 doubles more. */
PE__OUTLINE void pe__anchor(const pe_plan *plan, double t, size_t pair, size_t count, double *s,
                            double *c)
{
    const double *f = plan->frequency + pair;
    const pe__vd tt = pe__splat(t), half = pe__splat(0.5), scale = pe__splat(plan->inflated);
    const int far = (t < 0 ? -t : t) * plan->fastest > PE__FAST_LIMIT;
    for (size_t i = 0; i < count; i += PE_LANES) {
        pe__vd sine, cosine;
        if (PE__UNLIKELY(far)) {
            pe__dd ss, cc;
            pe__exact_turn(plan, pair + i, t, &ss, &cc);
            sine = ss.hi, cosine = cc.hi;
        } else {
            pe__vd e;
            const pe__vd p = pe__two_prod(tt, pe__load(f + i), &e);
            const pe__vd turn = p - pe__round(p * half) * pe__splat(2.0);
            pe__vd low;
            const pe__vd rest = pe__fma(tt, pe__load(f + i + plan->padded), e);
            const pe__vd x = pe__two_sum(turn, rest, &low);
            pe__sincospi(x, &sine, &cosine);
            low = low * pe__splat(3.141592653589793);
            const pe__vd unmoved = sine;
            sine = pe__fma(low, cosine, sine);
            cosine = pe__fnma(low, unmoved, cosine);
        }
        pe__store(s + i, sine * scale);
        pe__store(c + i, cosine * scale);
    }
}

/* Columns of the one or two rows that are b rows from an anchor. */
enum { PE__UP = 1, PE__DOWN = 2 };

typedef struct pe__span {
    const pe_plan *plan;
    const double *s, *c;     /* the anchor's columns */
    const double *S, *C;     /* the plan's row b */
    double up, down;         /* positions of the two rows */
    float *out_up, *out_down;
    size_t pair;             /* the plan's pair of column 0 */
} pe__span;

/* sC = s C, cC = c C, and from these (s, c) turned forth and back by (S, C). */
PE__INLINE void pe__turn(pe__vd s, pe__vd c, pe__vd S, pe__vd C, pe__vd *s_up, pe__vd *c_up,
                         pe__vd *s_down, pe__vd *c_down)
{
    const pe__vd sC = s * C, cC = c * C;
    *s_up = pe__fma(c, S, sC);
    *c_up = pe__fnma(s, S, cC);
    *s_down = pe__fnma(c, S, sC);
    *c_down = pe__fma(s, S, cC);
}

/* One vector of pairs in both rows. */
typedef struct pe__both {
    pe__vf up, down;
} pe__both;

/* Turn, round, watch. */
PE__INLINE pe__both pe__turn_vector(const pe__span *x, size_t i, int sides, pe__watch *watch)
{
    pe__both v;
    pe__vd s_up, c_up, s_down, c_down;
    pe__turn(pe__load(x->s + i), pe__load(x->c + i), pe__load(x->S + i), pe__load(x->C + i), &s_up,
             &c_up, &s_down, &c_down);
    v.up = v.down = pe__zip(sides & PE__UP ? s_up : s_down, sides & PE__UP ? c_up : c_down);
    if (sides & PE__UP) pe__watch_add(watch, s_up, c_up, v.up);
    if (sides == (PE__UP | PE__DOWN)) v.down = pe__zip(s_down, c_down);
    if (sides & PE__DOWN) pe__watch_add(watch, s_down, c_down, v.down);
    return v;
}

/* Round with care: from y' to y, and set doubt where float(y + e) and float(y - e) differ. */
PE__INLINE pe__vf pe__settle(const pe_plan *plan, pe__vd s, pe__vd c, unsigned *doubt)
{
    const pe__vd deflate = pe__splat(1 - PE__ETA + PE__ETA * PE__ETA);
    const pe__vd e = pe__splat(plan->error);
    s = s * deflate, c = c * deflate;
    const pe__vf above = pe__zip(s + e, c + e);
    *doubt = pe__differ(above, pe__zip(s - e, c - e));
    return above;
}

/* The floats of one vector of pairs at position t that are in doubt, from an exact turn. */
PE__COLD pe__vf pe__settle_exactly(const pe_plan *plan, double t, size_t pair, pe__vf v,
                                   unsigned doubt)
{
    pe__dd sine, cosine;
    double value[4][PE_LANES]; /* sine hi, cosine hi, sine lo, cosine lo */
    float result[2 * PE_LANES];
    if (t == 0) return pe__zip(pe__splat(0 * plan->amplitude), pe__splat(plan->amplitude));
    pe__exact_turn(plan, pair, t, &sine, &cosine);
    sine = pe__dd_scaled(sine, plan->mantissa), cosine = pe__dd_scaled(cosine, plan->mantissa);
    pe__store(value[0], sine.hi);
    pe__store(value[1], cosine.hi);
    pe__store(value[2], sine.lo);
    pe__store(value[3], cosine.lo);
    pe__put(result, v);
    for (size_t i = 0; i < 2 * PE_LANES; i++)
        if (doubt >> i & 1)
            result[i] = pe__round_f32(value[i % 2][i / 2], value[2 + i % 2][i / 2], plan->scale);
    return pe__get(result);
}

/* The watch raised the alarm somewhere in so many vectors (4 at most) from pair i on: settle them all,
   which takes less time than to find out which. */
PE__COLD void pe__settle_vectors(const pe__span *x, size_t i, size_t vectors, int sides,
                                 pe__both *result)
{
    unsigned doubt_up[4], doubt_down[4], any = 0;
    if (x->up == 0 && sides == PE__UP) { /* row 0 raises it all along: spare it the detour */
        const pe__vf zero = pe__zip(pe__splat(0 * x->plan->amplitude), pe__splat(x->plan->amplitude));
        for (size_t v = 0; v < vectors; v++) result[v].up = zero;
        return;
    }
    for (size_t v = 0; v < vectors; v++) {
        const size_t j = i + v * PE_LANES;
        pe__vd s_up, c_up, s_down, c_down;
        pe__turn(pe__load(x->s + j), pe__load(x->c + j), pe__load(x->S + j), pe__load(x->C + j),
                 &s_up, &c_up, &s_down, &c_down);
        result[v].up = pe__settle(x->plan, s_up, c_up, &doubt_up[v]);
        result[v].down = pe__settle(x->plan, s_down, c_down, &doubt_down[v]);
        if (!(sides & PE__UP)) doubt_up[v] = 0;
        if (!(sides & PE__DOWN)) doubt_down[v] = 0;
        any |= doubt_up[v] | doubt_down[v];
    }
    if (!any) return;
    for (size_t v = 0; v < vectors; v++) {
        const size_t pair = x->pair + i + v * PE_LANES;
        pe__both *r = &result[v];
        if (doubt_up[v])
            r->up = pe__settle_exactly(x->plan, x->up, pair, r->up, doubt_up[v]);
        if (doubt_down[v])
            r->down = pe__settle_exactly(x->plan, x->down, pair, r->down, doubt_down[v]);
    }
}

/* Store one vector of a row, or its first floats. */
PE__INLINE void pe__store_f32(float *out, pe__vf v, size_t floats, int stream)
{
    if (floats < 2 * PE_LANES) pe__put_n(out, v, floats);
    else if (stream) pe__stream(out, v);
    else pe__put(out, v);
}

PE__INLINE void pe__store_both(const pe__span *x, size_t i, pe__both v, size_t floats, int sides,
                               int stream)
{
    if (sides & PE__UP) pe__store_f32(x->out_up + 2 * i, v.up, floats, stream);
    if (sides & PE__DOWN) pe__store_f32(x->out_down + 2 * i, v.down, floats, stream);
}

/* One vector from pair i on, or its first floats, from turn to store. */
PE__INLINE void pe__turn_one(const pe__span *x, size_t i, size_t floats, int sides, int stream)
{
    pe__watch watch = pe__watch_begin();
    pe__both v = pe__turn_vector(x, i, sides, &watch);
    if (PE__UNLIKELY(pe__watch_alarm(watch, PE__WINDOW, x->plan->guard)))
        pe__settle_vectors(x, i, 1, sides, &v);
    pe__store_both(x, i, v, floats, sides, stream);
}

/* Four of them, with one look at the watch. */
PE__INLINE void pe__turn_four(const pe__span *x, size_t i, int sides, int stream)
{
    pe__watch watch = pe__watch_begin();
    pe__both v0 = pe__turn_vector(x, i, sides, &watch);
    pe__both v1 = pe__turn_vector(x, i + PE_LANES, sides, &watch);
    pe__both v2 = pe__turn_vector(x, i + 2 * PE_LANES, sides, &watch);
    pe__both v3 = pe__turn_vector(x, i + 3 * PE_LANES, sides, &watch);
    if (PE__UNLIKELY(pe__watch_alarm(watch, PE__WINDOW, x->plan->guard))) {
        pe__both v[4];
        pe__settle_vectors(x, i, 4, sides, v);
        v0 = v[0], v1 = v[1], v2 = v[2], v3 = v[3];
    }
    pe__store_both(x, i, v0, 2 * PE_LANES, sides, stream);
    pe__store_both(x, i + PE_LANES, v1, 2 * PE_LANES, sides, stream);
    pe__store_both(x, i + 2 * PE_LANES, v2, 2 * PE_LANES, sides, stream);
    pe__store_both(x, i + 3 * PE_LANES, v3, 2 * PE_LANES, sides, stream);
}

/* All columns of a span: head pairs up to an aligned address, whole vectors, the rest. */
PE__INLINE void pe__turn_span(const pe__span *x, size_t head, size_t floats, int sides, int stream)
{
    size_t i = head;
    const size_t whole = head + (floats / 2 - head) / PE_LANES * PE_LANES;
    if (head) pe__turn_one(x, 0, 2 * head, sides, 0);
    for (; i + 4 * PE_LANES <= whole; i += 4 * PE_LANES) pe__turn_four(x, i, sides, stream);
    for (; i < whole; i += PE_LANES) pe__turn_one(x, i, 2 * PE_LANES, sides, stream);
    if (2 * i < floats) pe__turn_one(x, i, floats - 2 * i, sides, 0);
}

/* Where the rows go: the position and address of the first, the stride, how many pairs come before the
   first aligned address, and whether to store past the caches. */
typedef struct pe__rows_f32 {
    int64_t first;
    float *out;
    size_t stride;
    size_t head;
    int stream;
} pe__rows_f32;

/* The plan's row digit * 17^level, 1 <= digit <= 8; for digit 0 row 0. */
PE__INLINE const double *pe__row(const pe_plan *plan, size_t level, int64_t digit)
{
    const size_t index = digit ? level * PE__DIGIT + (size_t)digit : 0;
    return plan->table + 2 * index * plan->padded;
}

/* The multiple of 17 that is nearest to p. */
PE__INLINE int64_t pe__nearest_17(int64_t p)
{
    int64_t digit = p % PE__RADIX;
    if (digit > PE__DIGIT) digit -= PE__RADIX;
    if (digit < -PE__DIGIT) digit += PE__RADIX;
    return p - digit;
}

/* As pe__anchor(), from the rows of the digits of p; |p| <= plan->near. */
PE__OUTLINE void pe__anchor_from_rows(const pe_plan *plan, int64_t p, size_t pair, size_t count,
                                      double *s, double *c)
{
    const double *row[PE__LEVELS] = {plan->table + pair};
    double sign[PE__LEVELS] = {1};
    size_t n = 0;
    for (size_t level = 0; p != 0; level++, p /= PE__RADIX) {
        const int64_t digit = p - pe__nearest_17(p);
        p -= digit;
        if (digit == 0) continue;
        row[n] = pe__row(plan, level, digit < 0 ? -digit : digit) + pair;
        sign[n++] = digit < 0 ? -1 : 1;
    }
    const pe__vd scale = pe__splat(plan->inflated), first = scale * pe__splat(sign[0]);
    for (size_t i = 0; i < count; i += PE_LANES) {
        pe__vd sine = pe__load(row[0] + i) * first;
        pe__vd cosine = pe__load(row[0] + plan->padded + i) * scale;
        for (size_t k = 1; k < n; k++) {
            pe__vd s_down, c_down;
            pe__turn(sine, cosine, pe__load(row[k] + i) * pe__splat(sign[k]),
                     pe__load(row[k] + plan->padded + i), &sine, &cosine, &s_down, &c_down);
        }
        pe__store(s + i, sine);
        pe__store(c + i, cosine);
    }
}

/* Turn an anchor by 17 digit. */
PE__OUTLINE void pe__anchor_turned(const pe_plan *plan, int64_t digit, size_t pair, size_t count,
                                   const double *s0, const double *c0, double *s, double *c)
{
    const double *row = pe__row(plan, 1, digit < 0 ? -digit : digit) + pair;
    const pe__vd sign = pe__splat(digit < 0 ? -1 : 1);
    for (size_t i = 0; i < count; i += PE_LANES) {
        pe__vd sine, cosine, s_down, c_down;
        pe__turn(pe__load(s0 + i), pe__load(c0 + i), pe__load(row + i) * sign,
                 pe__load(row + plan->padded + i), &sine, &cosine, &s_down, &c_down);
        pe__store(s + i, sine);
        pe__store(c + i, cosine);
    }
}

/* The rows of one block around the anchor (s, c): from first to last, within 8 of it; columns 2 pair ...
   of them, floats in number. */
PE__INLINE void pe__block(const pe_plan *plan, int64_t anchor, const double *s, const double *c,
                          int64_t first, int64_t last, size_t pair, size_t floats,
                          const pe__rows_f32 *to, int stream)
{
    pe__span x;
    x.plan = plan, x.s = s, x.c = c, x.pair = pair;
    for (int64_t b = 0; b <= PE__DIGIT; b++) {
        const int64_t up = anchor + b, down = anchor - b;
        const int has_up = up >= first && up <= last;
        const int has_down = down >= first && down <= last && b != 0;
        x.S = pe__row(plan, 0, b) + pair, x.C = x.S + plan->padded;
        x.up = (double)up, x.down = (double)down;
        x.out_up = to->out + (has_up ? (size_t)(up - to->first) * to->stride : 0);
        x.out_down = to->out + (has_down ? (size_t)(down - to->first) * to->stride : 0);
        if (has_up && has_down) pe__turn_span(&x, to->head, floats, PE__UP | PE__DOWN, stream);
        else if (has_up) pe__turn_span(&x, to->head, floats, PE__UP, stream);
        else if (has_down) pe__turn_span(&x, to->head, floats, PE__DOWN, stream);
    }
}

/* Any number of consecutive rows, in tiles of columns, block after block. */
PE__OUTLINE void pe__fill_rows_f32(const pe_plan *plan, size_t rows, const pe__rows_f32 *to)
{
    enum { ANCHOR = PE__TILE + 2 * PE__CHAIN, CENTRE = PE__RADIX * PE__RADIX };
    double buffer[4 * ANCHOR + PE__CHAIN];
    double *const s = pe__aligned(buffer), *const c = s + ANCHOR;
    double *const centre_s = c + ANCHOR, *const centre_c = centre_s + ANCHOR;
    const int64_t last = to->first + (int64_t)rows - 1;
    const int run = rows > 2 * PE__RADIX;
    for (size_t pair = 0; pair < plan->pairs; pair += PE__TILE) {
        const size_t floats = pe__min(2 * PE__TILE, plan->d_model - 2 * pair);
        pe__rows_f32 part = *to;
        part.out += 2 * pair;
        part.head = pe__min(part.head, floats / 2);
        const size_t count = (floats + 1) / 2 + (part.head ? PE_LANES - 1 : 0);
        int64_t made = INT64_MAX; /* the centre that is there */
        for (int64_t q = pe__nearest_17(to->first); q - PE__DIGIT <= last; q += PE__RADIX) {
            const int64_t centre = run ? PE__RADIX * pe__nearest_17(q / PE__RADIX) : q;
            double *const from_s = run ? centre_s : s, *const from_c = run ? centre_c : c;
            if (centre != made) {
                if (-plan->near <= centre && centre <= plan->near)
                    pe__anchor_from_rows(plan, centre, pair, count, from_s, from_c);
                else pe__anchor(plan, (double)centre, pair, count, from_s, from_c);
            }
            made = centre;
            if (run)
                pe__anchor_turned(plan, (q - centre) / PE__RADIX, pair, count, from_s, from_c, s, c);
            if (part.stream)
                pe__block(plan, q, s, c, to->first, last, pair, floats, &part, 1);
            else pe__block(plan, q, s, c, to->first, last, pair, floats, &part, 0);
        }
    }
}

/* Decide how to store rows * width floats: past the caches if there are many and every row can be
   brought to an aligned address by the same number of pairs. */
PE__INLINE pe__rows_f32 pe__rows_to_f32(float *out, size_t stride, size_t rows, size_t width)
{
    const size_t vector = sizeof(pe__vf), offset = (size_t)((uintptr_t)out % vector);
    pe__rows_f32 to;
    to.first = 0, to.out = out, to.stride = stride, to.head = 0, to.stream = 0;
    const size_t many = PE_STREAM_BYTES;
    if (rows * width * sizeof(float) < many) return to;
    if (offset % (2 * sizeof(float)) || stride * sizeof(float) % vector) return to;
    to.head = (vector - offset) % vector / (2 * sizeof(float));
    to.stream = 1;
    return to;
}

static inline pe_status pe_fill_f32(const pe_plan *plan, int64_t first, size_t rows, float *out,
                                    size_t stride)
{
    if (rows == 0) return PE_OK;
    if (!plan || !out) return PE_ERR_NULL;
    pe_status status = pe__check_shape(plan->d_model, rows, stride, sizeof *out);
    if (status == PE_OK) status = pe__check_range(first, rows);
    if (status != PE_OK) return status;
    pe__rows_f32 to = pe__rows_to_f32(out, stride, rows, plan->d_model);
    to.first = first;
    pe__fill_rows_f32(plan, rows, &to);
    if (to.stream) pe__fence();
    return PE_OK;
}

static inline pe_status pe_fill_at_f32(const pe_plan *plan, const int64_t *positions, size_t rows,
                                       float *out, size_t stride)
{
    if (rows == 0) return PE_OK;
    if (!plan || !positions || !out) return PE_ERR_NULL;
    pe_status status = pe__check_shape(plan->d_model, rows, stride, sizeof *out);
    if (status == PE_OK) status = pe__check_positions(positions, rows);
    if (status != PE_OK) return status;
    pe__rows_f32 to = pe__rows_to_f32(out, stride, rows, plan->d_model);
    for (size_t r = 0, run; r < rows; r += run) {
        for (run = 1; r + run < rows && positions[r + run] == positions[r] + (int64_t)run;) run++;
        to.out = out + r * stride, to.first = positions[r];
        pe__fill_rows_f32(plan, run, &to);
    }
    if (to.stream) pe__fence();
    return PE_OK;
}

/* ---- f64 ----------------------------------------------------------------------------------------
 * Doubles come from turns in double-double, row after row, by row 1 of the plan's frequencies; every
 * 64 rows start anew from an exact turn. One turn adds less than 2^-100, and the test below takes 2^-93
 * for all: where that could change the rounded double, the element is made by an exact turn. */

enum { PE__STEPS = 64 };
#define PE__ERROR_F64 (1.0 / 9903520314283042199192993792.0) /* 2^-93 */

/* Store n of the doubles hi * scale, interleaved. */
PE__INLINE void pe__put_f64(double *out, pe__vd s, pe__vd c, double scale, size_t n)
{
    const pe__vd by = pe__splat(scale);
    if (n == 2 * PE_LANES) {
        pe__zip_store(out, s * by, c * by);
    } else {
        double all[2 * PE_LANES];
        pe__zip_store(all, s * by, c * by);
        memcpy(out, all, n * sizeof *out);
    }
}

/* Up to 64 rows of one vector of pairs. */
PE__OUTLINE void pe__column_f64(const pe_plan *plan, int64_t first, size_t rows, size_t pair,
                                double *out, size_t stride)
{
    const size_t n = pe__min(2 * PE_LANES, plan->d_model - 2 * pair);
    const pe__vd error = pe__splat(PE__ERROR_F64);
    pe__dd s, c, S, C;
    pe__exact_turn(plan, pair, (double)first, &s, &c);
    pe__exact_turn(plan, pair, 1.0, &S, &C);
    s = pe__dd_scaled(s, plan->mantissa), c = pe__dd_scaled(c, plan->mantissa);
    for (size_t r = 0; r < rows; r++, out += stride) {
        pe__put_f64(out, s.hi, c.hi, plan->scale, n);
        const pe__vd moved_s = pe__abs((s.hi + (s.lo + error)) - (s.hi + (s.lo - error)));
        const pe__vd moved_c = pe__abs((c.hi + (c.lo + error)) - (c.hi + (c.lo - error)));
        double moved[PE_LANES];
        pe__store(moved, moved_s + moved_c);
        double any = 0;
        for (int lane = 0; lane < PE_LANES; lane++) any += moved[lane];
        if (PE__UNLIKELY(any != 0)) {
            pe__dd sine, cosine;
            pe__exact_turn(plan, pair, (double)(first + (int64_t)r), &sine, &cosine);
            sine = pe__dd_scaled(sine, plan->mantissa), cosine = pe__dd_scaled(cosine, plan->mantissa);
            pe__put_f64(out, sine.hi, cosine.hi, plan->scale, n);
        }
        pe__dd_turn(&s, &c, S, C);
        s = pe__dd_normal(s), c = pe__dd_normal(c);
    }
}

static inline pe_status pe_fill_f64(const pe_plan *plan, int64_t first, size_t rows, double *out,
                                    size_t stride)
{
    if (rows == 0) return PE_OK;
    if (!plan || !out) return PE_ERR_NULL;
    pe_status status = pe__check_shape(plan->d_model, rows, stride, sizeof *out);
    if (status == PE_OK) status = pe__check_range(first, rows);
    if (status != PE_OK) return status;
    for (size_t r = 0; r < rows; r += PE__STEPS)
        for (size_t pair = 0; pair < plan->pairs; pair += PE_LANES)
            pe__column_f64(plan, first + (int64_t)r, pe__min(PE__STEPS, rows - r), pair,
                           out + r * stride + 2 * pair, stride);
    return PE_OK;
}

/* ---- plans --------------------------------------------------------------------------------------
 * Memory: up to 63 bytes to an aligned address; frequencies in 3 arrays; row 0 and 8 rows a level in 2 arrays
 * each. An array has room for a vector that starts at any pair: the doubles behind the last pair
 * repeat it, so that they raise no alarm. */

PE__INLINE size_t pe__padded(size_t pairs) { return (pairs + 2 * PE__CHAIN - 2) & ~(size_t)7; }

/* Arrays of a plan with so many levels. */
#define PE__ARRAYS(levels) (3 + 2 * (1 + PE__DIGIT * (levels)))

PE__INLINE int pe__config_ok(const pe_config *config)
{
    const size_t most = PTRDIFF_MAX / sizeof(double) / PE__ARRAYS(PE__LEVELS) / 2;
    const double a = config->amplitude < 0 ? -config->amplitude : config->amplitude;
    return config->d_model >= 1 && config->d_model < most && /* NaN fails every comparison */
           config->base >= pe__exp2i(-20) && config->base <= pe__exp2i(900) &&
           a >= pe__exp2i(-1000) && a <= pe__exp2i(1000);
}

/* Row 0 is (0, 1) and row 1 an exact turn. Within a level, row b comes from the rows b/2 and b - b/2, one
   after the other; the first row of the next level, 17 = 8 + 8 + 1, from the rows 8 and 1. All in
   double-double: an error of 2^-98 in row 1 and in each turn grows with the number of the row, to
   2^-75 in the last. Some vectors at a time, since each waits for its own results. */
PE__OUTLINE void pe__plan_rows(const pe_plan *plan, double *table)
{
    enum { TOGETHER = 4 };
    const size_t padded = plan->padded;
    pe__dd s[PE__DIGIT + 1][TOGETHER], c[PE__DIGIT + 1][TOGETHER];
    for (size_t i = 0; i < padded; i += TOGETHER * PE_LANES) {
        const size_t vectors = pe__min(TOGETHER, (padded - i) / PE_LANES);
        double *row = table + i;
        for (size_t v = 0; v < vectors; v++) {
            pe__store(row + v * PE_LANES, pe__splat(0.0));
            pe__store(row + padded + v * PE_LANES, pe__splat(1.0));
            pe__exact_turn(plan, i + v * PE_LANES, 1.0, &s[1][v], &c[1][v]);
        }
        for (size_t level = 0; level < plan->levels; level++) {
            for (size_t b = 1; b <= PE__DIGIT; b++) {
                row += 2 * padded;
                for (size_t v = 0; v < vectors; v++) {
                    pe__dd sine = s[b > 1 ? b / 2 : 1][v], cosine = c[b > 1 ? b / 2 : 1][v];
                    if (b % 2 == 0) pe__dd_turn_twice(&sine, &cosine);
                    else if (b > 1) pe__dd_turn(&sine, &cosine, s[b - b / 2][v], c[b - b / 2][v]);
                    s[b][v] = sine, c[b][v] = cosine;
                    pe__store(row + v * PE_LANES, sine.hi + sine.lo);
                    pe__store(row + padded + v * PE_LANES, cosine.hi + cosine.lo);
                }
            }
            for (size_t v = 0; v < vectors; v++) {
                pe__dd sine = s[PE__DIGIT][v], cosine = c[PE__DIGIT][v];
                pe__dd_turn_twice(&sine, &cosine);
                pe__dd_turn(&sine, &cosine, s[1][v], c[1][v]);
                s[1][v] = sine, c[1][v] = cosine;
            }
        }
    }
}

/* Make a plan of the next plan->pairs frequencies of g in aligned memory. */
PE__INLINE void pe__plan_make(pe_plan *plan, const pe_config *config, pe__geometric *g,
                              double *memory)
{
    int exponent;
    const double amplitude = config->amplitude, size = amplitude < 0 ? -amplitude : amplitude;
    const double mantissa = pe__frexp(size, &exponent);
    const float guard = (float)(size * PE__GUARD);
    plan->amplitude = amplitude;
    plan->mantissa = amplitude < 0 ? -mantissa : mantissa;
    plan->scale = pe__exp2i(exponent);
    plan->error = PE__ERROR * size;
    plan->inflated = amplitude * (1 + PE__ETA);
    memcpy(&plan->guard, &guard, sizeof guard);
    if (plan->guard < 0x00800001) plan->guard = 0x00800001; /* the smallest normal float */
    if (size > pe__exp2i(127)) plan->guard = INT32_MAX;     /* infinite or not is a close question */

    const size_t padded = pe__padded(plan->pairs);
    plan->padded = padded;
    for (size_t i = 0; i < plan->pairs; i += PE__CHAIN) pe__geometric_next(g, memory + i, padded);
    for (size_t i = plan->pairs; i < padded; i++)
        for (size_t part = 0; part < 3; part++)
            memory[part * padded + i] = memory[part * padded + plan->pairs - 1];
    plan->frequency = memory;
    plan->fastest = memory[0] > memory[plan->pairs - 1] ? memory[0] : memory[plan->pairs - 1];
    plan->table = memory + 3 * padded;
    plan->near = 0;
    for (size_t level = 0; level < plan->levels; level++)
        plan->near = plan->near * PE__RADIX + PE__DIGIT;
    pe__plan_rows(plan, memory + 3 * padded);
}

static inline size_t pe_plan_size(const pe_config *config)
{
    if (!config || !pe__config_ok(config)) return 0;
    const size_t pairs = config->d_model / 2 + config->d_model % 2;
    return pe__padded(pairs) * PE__ARRAYS(PE__LEVELS) * sizeof(double) + 63;
}

static inline pe_status pe_plan_init(pe_plan *plan, const pe_config *config, void *memory,
                                     size_t memory_size)
{
    if (!plan || !config || !memory) return PE_ERR_NULL;
    const size_t size = pe_plan_size(config);
    if (size == 0) return PE_ERR_CONFIG;
    if (memory_size < size) return PE_ERR_SIZE;
    pe__geometric g;
    pe__geometric_begin(&g, config);
    plan->d_model = config->d_model;
    plan->pairs = config->d_model / 2 + config->d_model % 2;
    plan->levels = PE__LEVELS;
    pe__plan_make(plan, config, &g, pe__aligned(memory));
    return PE_OK;
}

/* Without a plan: tiles of columns, each with a small plan on the stack that has no more rows than it
   needs. */
static inline pe_status pe_sinusoidal_f32(float *out, size_t rows, size_t d_model)
{
    enum { PAIRS = 32, PADDED = PAIRS + PE__CHAIN };
    if (rows == 0) return PE_OK;
    if (!out) return PE_ERR_NULL;
    const pe_config config = pe_config_default(d_model);
    if (!pe__config_ok(&config)) return PE_ERR_CONFIG;
    pe_status status = pe__check_shape(d_model, rows, d_model, sizeof *out);
    if (status == PE_OK) status = pe__check_range(0, rows);
    if (status != PE_OK) return status;

    double memory[PADDED * PE__ARRAYS(2) + PE__CHAIN];
    pe_plan plan;
    pe__geometric g;
    pe__geometric_begin(&g, &config);
    for (size_t column = 0; column < d_model; column += 2 * PAIRS) {
        plan.d_model = pe__min(2 * PAIRS, d_model - column);
        plan.pairs = (plan.d_model + 1) / 2;
        plan.levels = rows > PE__DIGIT + 1 ? 2 : 1;
        pe__plan_make(&plan, &config, &g, pe__aligned(memory));
        pe__rows_f32 to = pe__rows_to_f32(out, d_model, rows, d_model);
        to.out += column;
        pe__fill_rows_f32(&plan, rows, &to);
    }
    pe__fence();
    return PE_OK;
}

/* ---- rows of 16- and 32-bit numbers -------------------------------------------------------------
 * A kernel is written once for all three types: the type is an argument, and a constant wherever
 * the kernel is inlined. */

typedef enum pe__type { PE__F32, PE__F16, PE__BF16 } pe__type;
enum { PE__FLOATS = 2 * PE_LANES };

PE__INLINE size_t pe__size_of(pe__type type)
{
    return type == PE__F32 ? sizeof(float) : sizeof(uint16_t);
}

/* The address of element i. */
PE__INLINE void *pe__at(pe__type type, void *p, size_t i)
{
    return (unsigned char *)p + i * pe__size_of(type);
}
PE__INLINE const void *pe__at_const(pe__type type, const void *p, size_t i)
{
    return (const unsigned char *)p + i * pe__size_of(type);
}

PE__INLINE pe__vf pe__get_as(pe__type type, const void *p)
{
    if (type == PE__F32) return pe__get((const float *)p);
    return type == PE__F16 ? pe__get_f16((const uint16_t *)p) : pe__get_bf16((const uint16_t *)p);
}
PE__INLINE void pe__put_as(pe__type type, void *p, pe__vf v)
{
    if (type == PE__F32) pe__put((float *)p, v);
    else if (type == PE__F16) pe__put_f16((uint16_t *)p, v);
    else pe__put_bf16((uint16_t *)p, v);
}

/* The first n of a vector; what is not read is 0. */
PE__INLINE pe__vf pe__get_n_as(pe__type type, const void *p, size_t n)
{
    float f[PE__FLOATS] = {0};
    uint16_t h[PE__FLOATS] = {0};
    void *all = type == PE__F32 ? (void *)f : (void *)h;
    memcpy(all, p, n * pe__size_of(type));
    return pe__get_as(type, all);
}
PE__INLINE void pe__put_n_as(pe__type type, void *p, pe__vf v, size_t n)
{
    uint16_t all[PE__FLOATS];
    if (type == PE__F32) {
        pe__put_n((float *)p, v, n);
    } else {
        pe__put_as(type, all, v);
        memcpy(p, all, n * sizeof *all);
    }
}

/* x += row, n elements, each sum in f32 and rounded once to the type of x. */
PE__INLINE void pe__add_row_as(pe__type type, void *x, pe__type row_type, const void *row, size_t n)
{
    size_t i = 0;
    for (; i + PE__FLOATS <= n; i += PE__FLOATS) {
        void *at = pe__at(type, x, i);
        const pe__vf v = pe__get_as(row_type, pe__at_const(row_type, row, i));
        pe__put_as(type, at, pe__add_f32(pe__get_as(type, at), v));
    }
    if (i < n) {
        void *at = pe__at(type, x, i);
        const pe__vf v = pe__get_n_as(row_type, pe__at_const(row_type, row, i), n - i);
        pe__put_n_as(type, at, pe__add_f32(pe__get_n_as(type, at, n - i), v), n - i);
    }
}

/* The same for a row of floats. */
PE__OUTLINE void pe__add_floats(pe__type type, void *x, const float *row, size_t n)
{
    if (type == PE__F32) pe__add_row_as(PE__F32, x, PE__F32, row, n);
    else if (type == PE__F16) pe__add_row_as(PE__F16, x, PE__F32, row, n);
    else pe__add_row_as(PE__BF16, x, PE__F32, row, n);
}

/* ---- ALiBi --------------------------------------------------------------------------------------
 * With j = key - query the bias is slope * j, and after the query another line: a row is two lines
 * that meet at j = 0. As floats they are made where they are wanted, at the price of a store. To
 * round once to 16 bits costs more, but each row is the one before, moved by one key: such values
 * are made once for many rows, and copied. */

/* Up to PE_LANES slopes, 2^-t, for exact t. */
PE__OUTLINE void pe__alibi_slopes(const double *t, size_t count, float *slopes)
{
    const pe__vd p = pe__load(t), k = pe__round(p);
    pe__td rest;
    rest.a = k - p, rest.b = pe__splat(0.0), rest.c = rest.b; /* exact */
    const pe__td y = pe__td_exp(pe__td_mul(rest, pe__td_const(pe__ln2)));
    double whole[PE_LANES], hi[PE_LANES], lo[PE_LANES];
    pe__store(whole, k);
    pe__store(hi, y.a);
    pe__store(lo, y.b + y.c);
    for (size_t lane = 0; lane < count; lane++) {
        const double power = pe__exp2i(-(int)whole[lane]);
        slopes[lane] = (float)pe__to_odd(hi[lane] * power, lo[lane] * power);
    }
}

static inline pe_status pe_alibi_slopes_f32(size_t heads, float max_bias, float *slopes)
{
    const size_t most = (size_t)1 << 28;
    if (heads == 0) return PE_OK;
    if (!slopes) return PE_ERR_NULL;
    if (!(max_bias >= 0 && max_bias <= FLT_MAX)) return PE_ERR_CONFIG;
    if (heads > most) return PE_ERR_SIZE;
    size_t n = 1;
    while (n <= heads / 2) n *= 2;
    for (size_t first = 0, end; first < heads; first = end) { /* n heads, then the others */
        const double before = first < n ? 1 : 0.5;
        end = first < n ? n : heads;
        for (size_t h = first; h < end; h += PE_LANES) {
            double t[PE_LANES];
            for (int lane = 0; lane < PE_LANES; lane++) { /* 24 bits and 29: exact */
                t[lane] = (double)max_bias * ((double)(h - first) + lane + before) / (double)n;
                if (t[lane] > 200) t[lane] = 200; /* 2^-200 is 0 */
            }
            pe__alibi_slopes(t, pe__min(PE_LANES, end - h), slopes + h);
        }
    }
    return PE_OK;
}

/* slope * j to 53 bits, to odd. */
PE__COLD double pe__alibi_product(double slope, int64_t j)
{
    pe__vd e, p = pe__two_prod(pe__splat(slope), pe__splat((double)j), &e);
    double hi[PE_LANES], lo[PE_LANES];
    pe__store(hi, p + pe__splat(0.0)); /* a zero is +0 */
    pe__store(lo, e);
    return pe__to_odd(hi[0], lo[0]);
}

/* x as a float, to odd as well: the nearest or its neighbour. */
PE__COLD float pe__alibi_odd(double x)
{
    float y = (float)x;
    const double size = x < 0 ? -x : x, size_y = y < 0 ? -(double)y : (double)y;
    uint32_t bits;
    memcpy(&bits, &y, sizeof bits);
    if (size_y != size) bits = (bits - (size_y > size)) | 1;
    memcpy(&y, &bits, sizeof y);
    return y;
}

/* slope * j + offset, where offset is 0, or -infinity with slope = 0. */
typedef struct pe__line {
    double slope, offset;
} pe__line;

/* The bias of one head as a function of j: a line up to 0 and one beyond. */
typedef struct pe__bend {
    pe__line past, after;
} pe__bend;

PE__INLINE pe__bend pe__alibi_bend(pe_alibi_mode mode, double slope)
{
    pe__bend bend;
    bend.past.slope = slope, bend.past.offset = 0;
    bend.after = bend.past;
    if (mode == PE_ALIBI_SYMMETRIC) bend.after.slope = -slope;
    if (mode == PE_ALIBI_CAUSAL) {
        const uint64_t minus_infinity = (uint64_t)0xfff << 52;
        bend.after.slope = 0;
        memcpy(&bend.after.offset, &minus_infinity, sizeof minus_infinity);
    }
    return bend;
}

/* One line for n consecutive j, each element rounded once. A double holds the product of a float
   and 29 bits exactly; what is larger is made one by one. A product that is a subnormal float is a
   multiple of 2^-149 as the slope is, and so exact as a float. */
PE__INLINE void pe__line_as(pe__type type, pe__line line, int64_t j, size_t n, void *out)
{
    static const double count[8] = {0, 2, 4, 6, 8, 10, 12, 14};
    const int64_t far = (int64_t)1 << 29;
    if (line.slope != 0 && (j < -far || j > far - (int64_t)n)) {
        for (size_t i = 0; i < n; i++) {
            const double x = pe__alibi_product(line.slope, j + (int64_t)i);
            const float y = type == PE__F32 ? (float)x : pe__alibi_odd(x);
            pe__put_n_as(type, pe__at(type, out, i), pe__splat_f32(y), 1);
        }
        return;
    }
    const pe__vd slope = pe__splat(line.slope), offset = pe__splat(line.offset);
    const pe__vd step = pe__splat(PE__FLOATS);
    pe__vd a = pe__load(count) + pe__splat((double)j), b = a + pe__splat(1.0);
    for (size_t i = 0; i < n; i += PE__FLOATS, a = a + step, b = b + step) {
        const pe__vd x = slope * a + offset, y = slope * b + offset; /* exact; a zero is +0 */
        const pe__vf v = type == PE__F32 ? pe__zip(x, y) : pe__zip_odd(x, y);
        void *at = pe__at(type, out, i);
        if (n - i >= PE__FLOATS) pe__put_as(type, at, v);
        else pe__put_n_as(type, at, v, n - i);
    }
}

PE__OUTLINE void pe__line_store(pe__type type, pe__line line, int64_t j, size_t n, void *out)
{
    if (n == 0) return;
    if (type == PE__F32) pe__line_as(PE__F32, line, j, n, out);
    else if (type == PE__F16) pe__line_as(PE__F16, line, j, n, out);
    else pe__line_as(PE__BF16, line, j, n, out);
}

/* How many of n consecutive j, from the given one on, are <= 0. */
PE__INLINE size_t pe__alibi_past(int64_t j, size_t n)
{
    if (j > 0) return 0;
    return (uint64_t)(1 - j) < n ? (size_t)(1 - j) : n;
}

/* Both lines. */
PE__OUTLINE void pe__bend_store(pe__type type, pe__bend bend, int64_t j, size_t n, void *out)
{
    const size_t past = pe__alibi_past(j, n);
    pe__line_store(type, bend.past, j, past, out);
    pe__line_store(type, bend.after, j + (int64_t)past, n - past, pe__at(type, out, past));
}

/* What becomes of floats: stored, stored past the caches, or added to elements of some type. */
typedef enum pe__to { PE__STORE, PE__STREAM, PE__ADD } pe__to;

/* A bend in floats. */
typedef struct pe__bend_f32 {
    pe__vf slope, after; /* the other slope, or what is there beyond 0 */
} pe__bend_f32;

PE__INLINE pe__vf pe__bend_at(pe_alibi_mode mode, const pe__bend_f32 *b, pe__vf j)
{
    pe__vf slope = b->slope;
    if (mode == PE_ALIBI_SYMMETRIC) slope = pe__if_positive(j, b->after, slope);
    const pe__vf v = pe__add_f32(pe__mul_f32(slope, j), pe__splat_f32(0.0f)); /* a zero is +0 */
    return mode == PE_ALIBI_CAUSAL ? pe__if_positive(j, b->after, v) : v;
}

/* x and its bias; -infinity where that is masked, whatever x is. */
PE__INLINE pe__vf pe__bend_sum(pe_alibi_mode mode, const pe__bend_f32 *b, pe__vf j, pe__vf x)
{
    const pe__vf sum = pe__add_f32(x, pe__bend_at(mode, b, j));
    return mode == PE_ALIBI_CAUSAL ? pe__if_positive(j, b->after, sum) : sum;
}
PE__INLINE void pe__bend_put(pe__to to, pe__type type, pe_alibi_mode mode, void *at,
                             const pe__bend_f32 *b, pe__vf j)
{
    if (to == PE__STORE) pe__put_as(type, at, pe__bend_at(mode, b, j));
    else if (to == PE__STREAM) pe__stream((float *)at, pe__bend_at(mode, b, j));
    else pe__put_as(type, at, pe__bend_sum(mode, b, j, pe__get_as(type, at)));
}
PE__INLINE void pe__bend_put_n(pe__to to, pe__type type, pe_alibi_mode mode, void *at,
                               const pe__bend_f32 *b, pe__vf j, size_t n)
{
    if (to == PE__ADD)
        pe__put_n_as(type, at, pe__bend_sum(mode, b, j, pe__get_n_as(type, at, n)), n);
    else pe__put_n_as(type, at, pe__bend_at(mode, b, j), n);
}

/* n consecutive j of at most 2^24, which floats hold exactly. Four vectors at a time, since each
   count waits for the one before. */
PE__INLINE void pe__bend_near(pe__to to, pe__type type, pe_alibi_mode mode,
                              const pe__bend_f32 *bend, int64_t j, size_t n, void *out)
{
    static const float count[64] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
        22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
        44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    enum { STEP = PE__FLOATS };
    const pe__vf first = pe__splat_f32((float)j), step = pe__splat_f32(STEP);
    const pe__vf four = pe__splat_f32(4 * STEP);
    pe__vf a = pe__add_f32(first, pe__get(count)), b = pe__add_f32(first, pe__get(count + STEP));
    pe__vf c = pe__add_f32(first, pe__get(count + 2 * STEP));
    pe__vf d = pe__add_f32(first, pe__get(count + 3 * STEP));
    size_t i = 0;
    for (; i + 4 * STEP <= n; i += 4 * STEP) {
        pe__bend_put(to, type, mode, pe__at(type, out, i), bend, a);
        pe__bend_put(to, type, mode, pe__at(type, out, i + STEP), bend, b);
        pe__bend_put(to, type, mode, pe__at(type, out, i + 2 * STEP), bend, c);
        pe__bend_put(to, type, mode, pe__at(type, out, i + 3 * STEP), bend, d);
        a = pe__add_f32(a, four), b = pe__add_f32(b, four);
        c = pe__add_f32(c, four), d = pe__add_f32(d, four);
    }
    for (; i + STEP <= n; i += STEP, a = pe__add_f32(a, step))
        pe__bend_put(to, type, mode, pe__at(type, out, i), bend, a);
    if (i < n) pe__bend_put_n(to, type, mode, pe__at(type, out, i), bend, a, n - i);
}

/* Further away: made in pieces, and stored or added from there. */
PE__OUTLINE void pe__bend_far(pe__to to, pe__type type, pe_alibi_mode mode, double slope, int64_t j,
                              size_t n, void *x)
{
    float values[256];
    const pe__bend bend = pe__alibi_bend(mode, slope);
    for (size_t i = 0, part; i < n; i += part, j += (int64_t)part) {
        void *at = pe__at(type, x, i);
        part = pe__min(n - i, sizeof values / sizeof *values);
        if (to != PE__ADD) {
            pe__bend_store(type, bend, j, part, at);
            continue;
        }
        const size_t sums = mode == PE_ALIBI_CAUSAL ? pe__alibi_past(j, part) : part;
        pe__bend_store(PE__F32, bend, j, part, values);
        pe__add_floats(type, at, values, sums);
        pe__line_store(type, bend.after, j + (int64_t)sums, part - sums, pe__at(type, at, sums));
    }
}

typedef struct pe__alibi {
    const float *slopes;
    size_t heads, queries, keys, query_stride, head_stride;
    pe_alibi_mode mode;
    pe__type type;
    int64_t first_query;
} pe__alibi;

static inline pe_status pe__alibi_check(const pe__alibi *a, const void *out)
{
    if (!a->slopes || !out) return PE_ERR_NULL;
    if (a->mode != PE_ALIBI_LINEAR && a->mode != PE_ALIBI_CAUSAL && a->mode != PE_ALIBI_SYMMETRIC)
        return PE_ERR_CONFIG;

    /* rows do not overlap: the rows of a head lie together, or those of a query do */
    const size_t q = a->queries - 1, h = a->heads - 1, keys = a->keys;
    const size_t query_stride = a->query_stride, head_stride = a->head_stride;
    if ((q > 0 && query_stride < keys) || (h > 0 && head_stride < keys)) return PE_ERR_SHAPE;
    if (q > 0 && h > 0 && query_stride > (head_stride - keys) / q &&
        head_stride > (query_stride - keys) / h)
        return PE_ERR_SHAPE;

    /* the last element lies within reach of a pointer */
    size_t room = (size_t)PTRDIFF_MAX / pe__size_of(a->type);
    if (keys > room) return PE_ERR_SIZE;
    room -= keys;
    if (q > 0 && query_stride > room / q) return PE_ERR_SIZE;
    room -= q > 0 ? q * query_stride : 0;
    if (h > 0 && head_stride > room / h) return PE_ERR_SIZE;

    const pe_status status = pe__check_range(a->first_query, a->queries);
    if (status != PE_OK) return status;
    if (pe__check_range(0, keys) != PE_OK) return PE_ERR_RANGE;
    int finite = 1;
    for (size_t i = 0; i < a->heads; i++)
        finite &= a->slopes[i] >= -FLT_MAX && a->slopes[i] <= FLT_MAX;
    return finite ? PE_OK : PE_ERR_CONFIG;
}

/* Large enough, and at addresses of its type, to be written past the caches? */
PE__INLINE int pe__alibi_streams(const pe__alibi *a, const void *out)
{
    const size_t size = pe__size_of(a->type), many = PE_STREAM_BYTES;
    return a->heads * a->queries * a->keys * size >= many && (uintptr_t)out % size == 0;
}

/* Row after row, each in pieces that are near or not as a whole. */
PE__INLINE void pe__alibi_rows_as(pe__to to, pe__type type, pe_alibi_mode mode, const pe__alibi *a,
                                  void *out)
{
    const int64_t near = (int64_t)1 << 24;
    const size_t vector = sizeof(pe__vf), most = (size_t)1 << 16;
    for (size_t head = 0; head < a->heads; head++) {
        const double slope = (double)a->slopes[head];
        const pe__line after = pe__alibi_bend(mode, slope).after;
        pe__bend_f32 bend;
        bend.slope = pe__splat_f32((float)slope);
        bend.after = pe__splat_f32((float)(mode == PE_ALIBI_CAUSAL ? after.offset : after.slope));
        for (size_t query = 0; query < a->queries; query++) {
            unsigned char *row = (unsigned char *)pe__at(
                type, out, head * a->head_stride + query * a->query_stride);
            int64_t j = -(a->first_query + (int64_t)query);
            size_t part, rest = a->keys;
            for (; rest > 0; rest -= part, j += (int64_t)part, row += part * pe__size_of(type)) {
                const size_t beyond = (size_t)((uintptr_t)row % vector);
                part = pe__min(most, rest);
                if (PE__UNLIKELY(j < -near || j > near - (int64_t)part)) {
                    pe__bend_far(to, type, mode, slope, j, part, row);
                } else if (to == PE__STREAM && beyond) { /* to where a stream may begin */
                    part = pe__min((vector - beyond) / sizeof(float), rest);
                    pe__bend_near(PE__STORE, type, mode, &bend, j, part, row);
                } else {
                    pe__bend_near(to, type, mode, &bend, j, part, row);
                }
            }
        }
    }
}
PE__INLINE void pe__alibi_rows(pe__to to, pe__type type, const pe__alibi *a, void *out)
{
    if (a->mode == PE_ALIBI_LINEAR) pe__alibi_rows_as(to, type, PE_ALIBI_LINEAR, a, out);
    else if (a->mode == PE_ALIBI_CAUSAL) pe__alibi_rows_as(to, type, PE_ALIBI_CAUSAL, a, out);
    else pe__alibi_rows_as(to, type, PE_ALIBI_SYMMETRIC, a, out);
}

/* Rows of 16-bit numbers that share a tile of values: as many rows and keys as it serves. */
PE__OUTLINE void pe__alibi_copies(const pe__alibi *a, size_t head, void *out, int stream)
{
    enum { TILE = 4096, WIDE = 3584 };
    uint16_t tile[TILE];
    const size_t wide = pe__min(a->keys, WIDE), high = pe__min(a->queries, TILE + 1 - wide);
    const pe__bend bend = pe__alibi_bend(a->mode, (double)a->slopes[head]);
    for (size_t query = 0; query < a->queries; query += high)
        for (size_t key = 0; key < a->keys; key += wide) {
            const size_t rows = pe__min(high, a->queries - query);
            const size_t keys = pe__min(wide, a->keys - key);
            /* the last row's first value is the tile's first */
            const int64_t last = a->first_query + (int64_t)(query + rows) - 1;
            pe__bend_store(a->type, bend, (int64_t)key - last, keys + rows - 1, tile);
            for (size_t r = 0; r < rows; r++) {
                void *row = pe__at(a->type, out, (query + r) * a->query_stride + key);
                const uint16_t *from = tile + (rows - 1 - r);
                if (stream) pe__copy(row, from, keys * sizeof *from, 1);
                else pe__copy(row, from, keys * sizeof *from, 0);
            }
        }
}

PE__OUTLINE void pe__alibi_fill(const pe__alibi *a, void *bias)
{
    const int stream = pe__alibi_streams(a, bias);
    if (a->type != PE__F32)
        for (size_t head = 0; head < a->heads; head++)
            pe__alibi_copies(a, head, pe__at(a->type, bias, head * a->head_stride), stream);
    else if (stream) pe__alibi_rows(PE__STREAM, PE__F32, a, bias);
    else pe__alibi_rows(PE__STORE, PE__F32, a, bias);
    if (stream) pe__fence();
}

PE__OUTLINE void pe__alibi_add(const pe__alibi *a, void *scores)
{
    if (a->type == PE__F32) pe__alibi_rows(PE__ADD, PE__F32, a, scores);
    else if (a->type == PE__F16) pe__alibi_rows(PE__ADD, PE__F16, a, scores);
    else pe__alibi_rows(PE__ADD, PE__BF16, a, scores);
}

PE__INLINE pe__alibi pe__alibi_of(pe__type type, const float *slopes, size_t heads,
                                  pe_alibi_mode mode, int64_t first_query, size_t queries,
                                  size_t keys, size_t query_stride, size_t head_stride)
{
    pe__alibi a;
    a.slopes = slopes, a.heads = heads, a.queries = queries, a.keys = keys;
    a.query_stride = query_stride, a.head_stride = head_stride;
    a.mode = mode, a.type = type, a.first_query = first_query;
    return a;
}

#define PE__ALIBI(verb, name, T, type)                                                             \
    static inline pe_status name(const float *slopes, size_t heads, pe_alibi_mode mode,            \
                                 int64_t first_query, size_t queries, size_t keys, T *x,           \
                                 size_t query_stride, size_t head_stride)                          \
    {                                                                                              \
        const pe__alibi a = pe__alibi_of(type, slopes, heads, mode, first_query, queries, keys,    \
                                         query_stride, head_stride);                               \
        if (heads == 0 || queries == 0 || keys == 0) return PE_OK;                                 \
        const pe_status status = pe__alibi_check(&a, x);                                           \
        if (status == PE_OK) verb(&a, x);                                                          \
        return status;                                                                             \
    }
PE__ALIBI(pe__alibi_fill, pe_alibi_fill_f32, float, PE__F32)
PE__ALIBI(pe__alibi_fill, pe_alibi_fill_f16, uint16_t, PE__F16)
PE__ALIBI(pe__alibi_fill, pe_alibi_fill_bf16, uint16_t, PE__BF16)
PE__ALIBI(pe__alibi_add, pe_alibi_add_f32, float, PE__F32)
PE__ALIBI(pe__alibi_add, pe_alibi_add_f16, uint16_t, PE__F16)
PE__ALIBI(pe__alibi_add, pe_alibi_add_bf16, uint16_t, PE__BF16)
#undef PE__ALIBI

static inline pe_status pe_alibi_bias_f32(const float *slopes, size_t heads, int64_t first_query,
                                          size_t queries, size_t keys, float *bias)
{
    if (heads == 0 || queries == 0 || keys == 0) return PE_OK;
    if (!slopes || !bias) return PE_ERR_NULL;
    if (queries > (size_t)PTRDIFF_MAX / keys) return PE_ERR_SIZE;
    return pe_alibi_fill_f32(slopes, heads, PE_ALIBI_LINEAR, first_query, queries, keys, bias, keys,
                             queries * keys);
}

/* ---- learned tables ---------------------------------------------------------------------------- */

static inline pe_status pe__check_learned(const int64_t *positions, size_t rows, size_t table_rows,
                                          size_t d_model, size_t stride, size_t element)
{
    if (d_model == 0) return PE_ERR_CONFIG;
    pe_status status = pe__check_shape(d_model, rows, stride, element);
    if (status == PE_OK && table_rows > 0)
        status = pe__check_shape(d_model, table_rows, d_model, element);
    if (status != PE_OK) return status;
    int ok = 1;
    for (size_t r = 0; r < rows; r++) ok &= (uint64_t)positions[r] < table_rows;
    return ok ? PE_OK : PE_ERR_RANGE;
}

PE__INLINE void pe__learned_add_as(pe__type type, const void *table, size_t d_model,
                                   const int64_t *positions, size_t rows, void *x, size_t stride)
{
    for (size_t r = 0; r < rows; r++)
        pe__add_row_as(type, pe__at(type, x, r * stride), type,
                       pe__at_const(type, table, (size_t)positions[r] * d_model), d_model);
}

#define PE__LEARNED(name, T, type)                                                                 \
    static inline pe_status name(const T *table, size_t table_rows, size_t d_model,                \
                                 const int64_t *positions, size_t rows, T *x, size_t stride)       \
    {                                                                                              \
        if (rows == 0) return PE_OK;                                                               \
        if (!table || !positions || !x) return PE_ERR_NULL;                                        \
        const pe_status status =                                                                   \
            pe__check_learned(positions, rows, table_rows, d_model, stride, sizeof *x);            \
        if (status == PE_OK)                                                                       \
            pe__learned_add_as(type, table, d_model, positions, rows, x, stride);                  \
        return status;                                                                             \
    }
PE__LEARNED(pe_learned_add_f32, float, PE__F32)
PE__LEARNED(pe_learned_add_f16, uint16_t, PE__F16)
PE__LEARNED(pe_learned_add_bf16, uint16_t, PE__BF16)
#undef PE__LEARNED

static inline pe_status pe_learned_grad_f32(const float *grad_x, size_t stride,
                                            const int64_t *positions, size_t rows,
                                            float *grad_table, size_t table_rows, size_t d_model)
{
    if (rows == 0) return PE_OK;
    if (!grad_x || !positions || !grad_table) return PE_ERR_NULL;
    const pe_status status =
        pe__check_learned(positions, rows, table_rows, d_model, stride, sizeof *grad_x);
    if (status != PE_OK) return status;
    for (size_t r = 0; r < rows; r++)
        pe__add_row_as(PE__F32, grad_table + (size_t)positions[r] * d_model, PE__F32,
                       grad_x + r * stride, d_model);
    return PE_OK;
}

/* ---- learned tables, resampled ----------------------------------------------------------------- */

static inline pe_resample pe_resample_default(void)
{
    pe_resample how;
    how.method = PE_RESAMPLE_CUBIC;
    how.a = -0.75;
    how.align_corners = 0;
    return how;
}

/* The rows that an output row is made of, with their weights: up to 4 along one axis. Those of
   weight 0 are left out, since 0 * infinity is not 0. */
typedef struct pe__taps {
    size_t count, row[4];
    double weight[4];
} pe__taps;

/* 1 + t - (a + 2) t^2 */
PE__INLINE double pe__keys(double a, double t)
{
    double p = (a + 2) * t * t;
    PE__OPAQUE(p); /* not to be fused */
    return (1 + t) - p;
}

/* The taps of output row i. With rows and out_rows of at most 2^31 all numbers fit. */
PE__INLINE pe__taps pe__taps_of(const pe_resample *how, size_t i, size_t rows, size_t out_rows)
{
    /* s = numerator / denominator >= -1/2 */
    const int64_t m = (int64_t)out_rows, n = (int64_t)rows;
    int64_t numerator = (2 * (int64_t)i + 1) * n - m, denominator = 2 * m;
    if (how->align_corners) {
        numerator = m > 1 ? (int64_t)i * (n - 1) : 0;
        denominator = m > 1 ? m - 1 : 1;
    }
    const int64_t first = numerator < 0 ? -1 : numerator / denominator;
    const int64_t rest = numerator - first * denominator;
    const double t = (double)rest / (double)denominator;
    const double u = (double)(denominator - rest) / (double)denominator, a = how->a;
    double weight[4] = {0, u, t, 0};
    if (how->method == PE_RESAMPLE_CUBIC) {
        weight[0] = a * t * u * u;
        weight[1] = u * pe__keys(a, t);
        weight[2] = t * pe__keys(a, u);
        weight[3] = a * u * t * t;
    }
    pe__taps taps;
    taps.count = 0;
    for (int k = 0; k < 4; k++) {
        const int64_t row = first + k - 1;
        if (weight[k] == 0) continue;
        taps.row[taps.count] = row < 0 ? 0 : row < n ? (size_t)row : rows - 1;
        taps.weight[taps.count++] = weight[k];
    }
    return taps;
}

/* One row of output: the sum of weight * row, in doubles and in the order of the taps. */
PE__OUTLINE void pe__weighted_sum(const float *const *row, const double *weight, size_t count,
                                  size_t d_model, float *out)
{
    for (size_t c = 0; c < d_model; c += PE_LANES) {
        const size_t n = pe__min(PE_LANES, d_model - c);
        float part[PE_LANES] = {0};
        pe__vd sum = pe__splat(-0.0);
        for (size_t k = 0; k < count; k++) {
            const float *from = row[k] + c;
            if (n < PE_LANES) from = (const float *)memcpy(part, from, n * sizeof *from);
            pe__vd p = pe__splat(weight[k]) * pe__widen(from);
            PE__OPAQUE(p); /* not to be fused */
            sum = sum + p;
        }
        if (n == PE_LANES) {
            pe__narrow(out + c, sum);
        } else {
            pe__narrow(part, sum);
            memcpy(out + c, part, n * sizeof *out);
        }
    }
}

static inline pe_status pe__check_resample(size_t height, size_t width, size_t d_model,
                                           const pe_resample *how, size_t out_height,
                                           size_t out_width)
{
    const uint64_t most = (uint64_t)1 << 31;
    const size_t room = (size_t)PTRDIFF_MAX / sizeof(float);
    if (d_model == 0) return PE_ERR_CONFIG;
    if (how->method != PE_RESAMPLE_LINEAR && how->method != PE_RESAMPLE_CUBIC) return PE_ERR_CONFIG;
    if (how->method == PE_RESAMPLE_CUBIC && !(how->a >= -16 && how->a <= 16))
        return PE_ERR_CONFIG;
    if (height == 0 || width == 0) return PE_ERR_RANGE;
    if (height > most || width > most || out_height > most || out_width > most) return PE_ERR_SIZE;
    if (d_model > room / height / width || d_model > room / out_height / out_width)
        return PE_ERR_SIZE;
    return PE_OK;
}

static inline pe_status pe_learned_resample_2d_f32(const float *table, size_t height, size_t width,
                                                   size_t d_model, const pe_resample *how,
                                                   float *out, size_t out_height,
                                                   size_t out_width)
{
    if (out_height == 0 || out_width == 0) return PE_OK;
    if (!table || !how || !out) return PE_ERR_NULL;
    const pe_status status =
        pe__check_resample(height, width, d_model, how, out_height, out_width);
    if (status != PE_OK) return status;
    for (size_t y = 0; y < out_height; y++) {
        const pe__taps down = pe__taps_of(how, y, height, out_height);
        for (size_t x = 0; x < out_width; x++, out += d_model) {
            const pe__taps across = pe__taps_of(how, x, width, out_width);
            const float *row[16];
            double weight[16];
            size_t count = 0;
            for (size_t j = 0; j < down.count; j++)
                for (size_t i = 0; i < across.count; i++, count++) {
                    row[count] = table + (down.row[j] * width + across.row[i]) * d_model;
                    weight[count] = down.weight[j] * across.weight[i];
                }
            pe__weighted_sum(row, weight, count, d_model, out);
        }
    }
    return PE_OK;
}

static inline pe_status pe_learned_resample_f32(const float *table, size_t rows, size_t d_model,
                                                const pe_resample *how, float *out,
                                                size_t out_rows)
{
    return pe_learned_resample_2d_f32(table, rows, 1, d_model, how, out, out_rows, 1);
}

#ifdef __cplusplus
}
#endif

/* Hints, end: the user's floating-point options again. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT DEFAULT
#if defined(__x86_64__) || defined(__i386__)
#pragma float_control(pop)
#endif
#elif defined(__GNUC__)
#pragma GCC pop_options
#pragma GCC diagnostic pop
#endif

#undef PE__STATUSES
#undef PE__ARRAYS
#undef PE__POSITION_LIMIT
#undef PE__CHAIN
#undef PE__ERROR
#undef PE__ETA
#undef PE__WINDOW
#undef PE__GUARD
#undef PE__FAST_LIMIT
#undef PE__ERROR_F64
#undef PE__OPAQUE
#undef PE__INLINE
#undef PE__OUTLINE
#undef PE__COLD
#undef PE__UNLIKELY

#endif /* PE_H */
