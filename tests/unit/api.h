/* SPDX-License-Identifier: MIT */
/*
 * Every public function of pe.h behind one signature, with what it reads and writes: for tests that
 * go through all of them (tests/unit/test_memory.c). tests/checks/api.sh fails when one is missing here.
 *
 * A row of FUNCTIONS has the call; sizes(), which turns a shape (rows, width, padding, form) into
 * the counts and strides n[] of a call, in the order of the prototype; and buffers(), which turns
 * n[] into the memory behind each pointer p[], also in the order of the prototype. So a test can
 * place, guard, fill and compare any argument, and set any count to what it likes.
 */
#ifndef PE_TESTS_API_H
#define PE_TESTS_API_H

#include "common.h"

/* ------------------------------------------------------------------------------------------------
 * A call
 * --------------------------------------------------------------------------------------------- */

enum { MOST_POINTERS = 7, MOST_NUMBERS = 7, ROWS = 64, WIDTH = 513, POOL = 1024 };

typedef enum holds { /* what a buffer holds before the call */
    NOTHING,         /* canaries: it is only written                                        */
    F32_S,           /* numbers                                                             */
    F32_POSITIVE,
    F64_S,
    F16_S,
    BF16_S,
    POSITIONS,       /* int64_t                                                             */
    REALS,           /* double                                                              */
    INDICES,         /* int64_t below the limit                                             */
    AXES,            /* uint8_t below the limit                                             */
    COUNTS,          /* size_t, by the function's sizes()                                   */
    STRUCT           /* a config that may point to other buffers, by the function's bind()  */
} holds;

/* Elements i < count[0], j < count[1], k < width at i * stride[0] + j * stride[1] + k. */
typedef struct buffer {
    size_t element, count[2], stride[2], width;
    holds holds;
    int written, is_opaque; /* opaque: holds pointers, so that its bytes are not compared */
} buffer;

/* How a plan and the order of arguments are made, apart from sizes. */
typedef struct manner {
    pe_layout layout;
    int cos_first;
    pe_odd odd;
    pe_angle angle;
    int has_padding;
    size_t axes; /* of calls that take several, where the width suffices */
    size_t heads;
} manner;

static const manner forms[] = {
    {PE_LAYOUT_INTERLEAVED, 0, PE_ODD_SINE, PE_ANGLE_EXACT, 0, 2, 1},
    {PE_LAYOUT_HALVES, 0, PE_ODD_SINE, PE_ANGLE_EXACT, 0, 1, 2},
    {PE_LAYOUT_INTERLEAVED, 1, PE_ODD_ZERO, PE_ANGLE_EXACT, 1, 3, 3},
    {PE_LAYOUT_HALVES, 1, PE_ODD_ZERO, PE_ANGLE_EXACT, 0, 2, 1},
    {PE_LAYOUT_INTERLEAVED, 1, PE_ODD_SINE, PE_ANGLE_EXACT, 0, 8, 2},
    {PE_LAYOUT_HALVES, 1, PE_ODD_SINE, PE_ANGLE_EXACT, 0, 3, 1},
    {PE_LAYOUT_INTERLEAVED, 0, PE_ODD_ZERO, PE_ANGLE_FLOAT32, 0, 2, 3},
    {PE_LAYOUT_HALVES, 0, PE_ODD_ZERO, PE_ANGLE_EXACT, 1, 2, 1},
    {PE_LAYOUT_HALVES, 1, PE_ODD_SINE, PE_ANGLE_FLOAT32, 0, 1, 2},
};
enum { FORMS = 9 };

typedef struct shape {
    size_t rows, width, pad, form;
} shape;

/* Whose plan a function takes; the names are those of plan_config(). */
typedef enum plan_kind { PLAN_NONE, PLAN_ONE, PLAN_MANY, PLAN_PAIRS, PLAN_ROPE, PLANS } plan_kind;

typedef struct args {
    const pe_plan *plan;
    size_t width; /* of the plan's rows */
    size_t pairs, axes;
    size_t n[MOST_NUMBERS];
    void *p[MOST_POINTERS];
    buffer b[MOST_POINTERS];
    size_t counts[PE_MAX_AXES]; /* of the buffer that holds COUNTS */
    size_t limit;               /* of INDICES and AXES             */
    size_t form;
    int64_t first;
    float scale;
    pe_rope_pairing pairing;
    pe_alibi_mode mode;
} args;

typedef struct function {
    const char *name;
    pe_status (*call)(const args *);
    holds type;
    plan_kind plan;
    void (*sizes)(const struct function *, const shape *, args *);
    void (*buffers)(const struct function *, args *);
    void (*bind)(const struct function *, args *);
    unsigned pointers; /* how many p[] are arguments                                      */
    unsigned nullable; /* bit k: p[k] may be NULL                                         */
    unsigned zeros;    /* bit i: with n[i] = 0 nothing is done, whatever the others are   */
    unsigned strides;  /* bit i: n[i] is a stride; where it leads somewhere, and as small */
                       /* as it can be, one less is PE_ERR_SHAPE                          */
    unsigned counted;  /* bit i: n[i] + 1 beyond 2^31 + 1 is PE_ERR_RANGE                 */
    int fixed;         /* bits: 1 the same for all rows, 2 the same for all widths        */
} function;

static inline size_t element_of(holds h)
{
    switch (h) {
    case F32_S:
    case F32_POSITIVE: return sizeof(float);
    case F64_S: return sizeof(double);
    case F16_S:
    case BF16_S: return sizeof(uint16_t);
    case POSITIONS:
    case INDICES: return sizeof(int64_t);
    case REALS: return sizeof(double);
    case AXES: return 1;
    case COUNTS: return sizeof(size_t);
    case NOTHING:
    case STRUCT: break;
    }
    return 0;
}

/* Products and sums that stay at SIZE_MAX. */
static inline size_t times(size_t a, size_t b)
{
    return b != 0 && a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

static inline size_t plus(size_t a, size_t b) { return a > SIZE_MAX - b ? SIZE_MAX : a + b; }

/* Elements from the first to the last, SIZE_MAX if they are too many. */
static inline size_t span_of_buffer(const buffer *b)
{
    size_t span = b->width;
    if (b->count[0] == 0 || b->count[1] == 0 || b->width == 0)
        return 0;
    for (int i = 0; i < 2; i++)
        span = plus(span, times(b->count[i] - 1, b->stride[i]));
    return span;
}

/* ------------------------------------------------------------------------------------------------
 * sizes() and buffers()
 * --------------------------------------------------------------------------------------------- */

static inline void put(args *a, int k, holds h, int written, size_t element, size_t width)
{
    buffer *b = &a->b[k];
    memset(b, 0, sizeof *b);
    b->holds = h, b->written = written, b->element = element, b->width = width;
    b->count[0] = b->count[1] = 1;
}

/* An argument of rows; with several loops (heads, batches) the second is put by loop(). */
static inline void put_rows(args *a, int k, holds h, int written, size_t element, size_t rows,
                            size_t stride, size_t width)
{
    put(a, k, h, written, element, width);
    a->b[k].count[0] = rows, a->b[k].stride[0] = stride;
}

static inline void loop(args *a, int k, size_t count, size_t stride)
{
    a->b[k].count[1] = count, a->b[k].stride[1] = stride;
}

static inline void set(args *a, size_t n0, size_t n1, size_t n2, size_t n3, size_t n4, size_t n5,
                       size_t n6)
{
    const size_t n[MOST_NUMBERS] = {n0, n1, n2, n3, n4, n5, n6};
    memcpy(a->n, n, sizeof n);
}

static inline size_t over(size_t a, size_t b) { return (a + b - 1) / b; }
static inline size_t heads_of(const shape *s) { return forms[s->form].heads; }
static inline size_t tokens_of(const shape *s) { return over(s->rows, heads_of(s)); }

#define SIZES(name)   static void sizes_##name(const function *f, const shape *s, args *a)
#define BUFFERS(name) static void buffers_##name(const function *f, args *a)
#define UNUSED(x)     (void)(x)

/* rows, stride */
SIZES(rows) { UNUSED(f), set(a, s->rows, a->width + s->pad, 0, 0, 0, 0, 0); }
BUFFERS(fill) { put_rows(a, 0, NOTHING, 1, element_of(f->type), a->n[0], a->n[1], a->width); }
BUFFERS(add) { put_rows(a, 0, f->type, 1, element_of(f->type), a->n[0], a->n[1], a->width); }
static inline void list_of(args *a, holds h, size_t numbers)
{
    put(a, 0, h, 0, element_of(h), numbers);
}
BUFFERS(fill_at)
{
    list_of(a, POSITIONS, a->n[0]);
    put_rows(a, 1, NOTHING, 1, element_of(f->type), a->n[0], a->n[1], a->width);
}
BUFFERS(fill_coords)
{
    list_of(a, REALS, times(a->n[0], a->axes));
    put_rows(a, 1, NOTHING, 1, element_of(f->type), a->n[0], a->n[1], a->width);
}
BUFFERS(add_at)
{
    list_of(a, POSITIONS, a->n[0]);
    put_rows(a, 1, f->type, 1, element_of(f->type), a->n[0], a->n[1], a->width);
}

/* stride; counts[] is the grid */
SIZES(grid)
{
    size_t rows = s->rows;
    UNUSED(f);
    set(a, a->width + s->pad, 0, 0, 0, 0, 0, 0);
    for (size_t k = 0; k + 1 < a->axes; k++) {
        size_t part = 2 + k % 2;
        if (rows % part != 0)
            part = 1;
        a->counts[k] = part, rows /= part;
    }
    a->counts[a->axes - 1] = rows;
}
BUFFERS(grid)
{
    size_t rows = 1;
    for (size_t k = 0; k < a->axes; k++)
        rows = times(rows, a->counts[k]);
    put(a, 0, COUNTS, 0, sizeof(size_t), a->axes);
    put_rows(a, 1, NOTHING, 1, element_of(f->type), rows, a->n[0], a->width);
}

/* rows, batches, stride, batch_stride */
SIZES(batch)
{
    const size_t batches = heads_of(s), rows = tokens_of(s), row = a->width + s->pad;
    UNUSED(f);
    if (s->form % 2)
        set(a, rows, batches, row * batches, row, 0, 0, 0);
    else
        set(a, rows, batches, row, row * rows, 0, 0, 0);
}
BUFFERS(batch)
{
    put_rows(a, 0, f->type, 1, element_of(f->type), a->n[0], a->n[2], a->width);
    loop(a, 0, a->n[1], a->n[3]);
}

/* rows, d_model */
SIZES(sinusoidal) { UNUSED(f), set(a, s->rows, s->width, 0, 0, 0, 0, 0); }
BUFFERS(sinusoidal) { put_rows(a, 0, NOTHING, 1, element_of(f->type), a->n[0], a->n[1], a->n[1]); }

/* stride */
SIZES(matrix) { UNUSED(f), set(a, a->width + s->pad, 0, 0, 0, 0, 0, 0); }
BUFFERS(matrix) { put_rows(a, 0, NOTHING, 1, element_of(f->type), a->width, a->n[0], a->width); }

/* no numbers */
SIZES(none) { UNUSED(f), UNUSED(s), set(a, 0, 0, 0, 0, 0, 0, 0); }
BUFFERS(one) { put(a, 0, NOTHING, 1, element_of(f->type), 1); }
BUFFERS(pairs) { put(a, 0, NOTHING, 1, element_of(f->type), a->pairs); }

/* count */
SIZES(dots) { UNUSED(f), set(a, (s->rows - 1) * 8 + s->width % 8 + 1, 0, 0, 0, 0, 0, 0); }
BUFFERS(list) { put(a, 0, NOTHING, 1, element_of(f->type), a->n[0]); }
SIZES(width_only) { UNUSED(f), set(a, s->width, 0, 0, 0, 0, 0, 0); }
BUFFERS(periods)
{
    put(a, 0, f->type, 0, element_of(f->type), a->n[0]);
    put(a, 1, NOTHING, 1, element_of(f->type), a->n[0]);
}

/* The strides of heads in either order, padding behind each row. */
static inline void heads_in(const shape *s, size_t width, size_t heads, size_t tokens, size_t *ts,
                            size_t *hs)
{
    const size_t row = width + s->pad;
    if (s->form % 2)
        *ts = row, *hs = row * tokens;
    else
        *ts = row * heads, *hs = row;
}

/* tokens, heads, token_stride, head_stride */
SIZES(rope)
{
    size_t ts, hs;
    UNUSED(f);
    heads_in(s, a->width, heads_of(s), tokens_of(s), &ts, &hs);
    set(a, tokens_of(s), heads_of(s), ts, hs, 0, 0, 0);
}
static inline void put_heads(args *a, int k, holds h, size_t element, size_t width,
                             const size_t *n, size_t tokens)
{
    put_rows(a, k, h, 1, element, tokens, n[1], width);
    loop(a, k, n[0], n[2]);
}
BUFFERS(rope) { put_heads(a, 0, f->type, element_of(f->type), a->width, a->n + 1, a->n[0]); }
BUFFERS(rope_at)
{
    list_of(a, POSITIONS, a->n[0]);
    put_heads(a, 1, f->type, element_of(f->type), a->width, a->n + 1, a->n[0]);
}

/* tokens, heads, head_dim, in_token_stride, in_head_stride, out_token_stride, out_head_stride */
SIZES(rope_to)
{
    const size_t dim = a->width + s->width % 3;
    size_t its, ihs, ots, ohs;
    shape other = *s;
    UNUSED(f);
    other.form++, other.pad = s->pad == 0 ? 0 : 8 - s->pad;
    heads_in(s, dim, heads_of(s), tokens_of(s), &its, &ihs);
    heads_in(&other, dim, heads_of(s), tokens_of(s), &ots, &ohs);
    set(a, tokens_of(s), heads_of(s), dim, its, ihs, ots, ohs);
}
static inline void put_to(args *a, int k, const function *f)
{
    const size_t element = element_of(f->type);
    put_rows(a, k, f->type, 0, element, a->n[0], a->n[3], a->n[2]);
    loop(a, k, a->n[1], a->n[4]);
    put_rows(a, k + 1, NOTHING, 1, element, a->n[0], a->n[5], a->n[2]);
    loop(a, k + 1, a->n[1], a->n[6]);
}
BUFFERS(rope_to) { put_to(a, 0, f); }
BUFFERS(rope_to_at)
{
    list_of(a, POSITIONS, a->n[0]);
    put_to(a, 1, f);
}

/* tokens, q_heads, q_token_stride, q_head_stride, k_heads, k_token_stride, k_head_stride */
SIZES(rope_qk)
{
    const size_t q = heads_of(s) + 1, k = heads_of(s), tokens = tokens_of(s);
    size_t qts, qhs, kts, khs;
    UNUSED(f);
    heads_in(s, a->width, q, tokens, &qts, &qhs);
    heads_in(s, a->width, k, tokens, &kts, &khs);
    set(a, tokens, q, qts, qhs, k, kts, khs);
}
BUFFERS(rope_qk)
{
    put_heads(a, 0, f->type, element_of(f->type), a->width, a->n + 1, a->n[0]);
    put_heads(a, 1, f->type, element_of(f->type), a->width, a->n + 4, a->n[0]);
}
BUFFERS(rope_qk_at)
{
    list_of(a, POSITIONS, a->n[0]);
    put_heads(a, 1, f->type, element_of(f->type), a->width, a->n + 1, a->n[0]);
    put_heads(a, 2, f->type, element_of(f->type), a->width, a->n + 4, a->n[0]);
}

/* axes, pairs */
SIZES(sections)
{
    const size_t axes = 1 + s->rows % PE_ROPE_MAX_AXES, pairs = s->width;
    UNUSED(f);
    set(a, axes, pairs, 0, 0, 0, 0, 0);
    for (size_t k = 1; k < axes; k++)
        a->counts[k] = pairs / axes;
    a->counts[0] = pairs - (axes - 1) * (pairs / axes);
}
BUFFERS(sections)
{
    UNUSED(f);
    put(a, 0, COUNTS, 0, sizeof(size_t), a->n[0]);
    put(a, 1, NOTHING, 1, 1, a->n[1]);
}

/* axes, tokens, heads, token_stride, head_stride */
SIZES(rope_axes)
{
    size_t ts, hs;
    UNUSED(f);
    heads_in(s, a->width, heads_of(s), tokens_of(s), &ts, &hs);
    a->limit = 1 + s->form % PE_ROPE_MAX_AXES;
    set(a, a->limit, tokens_of(s), heads_of(s), ts, hs, 0, 0);
}
BUFFERS(rope_axes)
{
    put(a, 0, AXES, 0, 1, a->width / 2);
    put(a, 1, POSITIONS, 0, sizeof(int64_t), times(a->n[0], a->n[1]));
    put_heads(a, 2, f->type, element_of(f->type), a->width, a->n + 2, a->n[1]);
}

/* table_stride, pairs, tokens, heads, token_stride, head_stride */
SIZES(rope_by)
{
    const size_t pairs = over(s->width, 2);
    size_t ts, hs;
    UNUSED(f);
    heads_in(s, 2 * pairs, heads_of(s), tokens_of(s), &ts, &hs);
    set(a, pairs + s->pad, pairs, tokens_of(s), heads_of(s), ts, hs, 0);
}
BUFFERS(rope_by)
{
    put_rows(a, 0, F32_S, 0, sizeof(float), a->n[2], a->n[0], a->n[1]);
    put_rows(a, 1, F32_S, 0, sizeof(float), a->n[2], a->n[0], a->n[1]);
    put_heads(a, 2, f->type, element_of(f->type), times(2, a->n[1]), a->n + 3, a->n[2]);
}

/* rows, stride */
SIZES(table) { UNUSED(f), set(a, s->rows, a->width / 2 + s->pad, 0, 0, 0, 0, 0); }
BUFFERS(table)
{
    put_rows(a, 0, NOTHING, 1, element_of(f->type), a->n[0], a->n[1], a->width / 2);
    put_rows(a, 1, NOTHING, 1, element_of(f->type), a->n[0], a->n[1], a->width / 2);
}
BUFFERS(table_twice)
{
    put_rows(a, 0, NOTHING, 1, element_of(f->type), a->n[0], a->n[1], a->width);
    put_rows(a, 1, NOTHING, 1, element_of(f->type), a->n[0], a->n[1], a->width);
}

/* The configs that point to other buffers are written to p[0] after everything is placed. */
static inline size_t ggml_dims(const shape *s) { return 2 * over(s->width < 70 ? s->width : 70, 2); }
SIZES(ggml)
{
    UNUSED(f), set(a, s->rows, ggml_dims(s) / 2 + s->pad, 0, 0, 0, 0, 0);
    a->pairs = ggml_dims(s) / 2;
}
BUFFERS(ggml)
{
    UNUSED(f);
    put(a, 0, STRUCT, 0, sizeof(pe_rope_ggml), 1);
    put_rows(a, 1, NOTHING, 1, sizeof(float), a->n[0], a->n[1], a->pairs);
    put_rows(a, 2, NOTHING, 1, sizeof(float), a->n[0], a->n[1], a->pairs);
    put(a, 3, F32_POSITIVE, 0, sizeof(float), a->pairs);
}
static void bind_ggml(const function *f, args *a)
{
    pe_rope_ggml config = pe_rope_ggml_default(2 * a->pairs);
    UNUSED(f);
    config.ext_factor = a->form % 2 ? 0.5f : 0;
    config.n_ctx_orig = 4096;
    config.freq_factors = (const float *)a->p[3];
    memcpy(a->p[0], &config, sizeof config);
}

SIZES(rope_frequencies)
{
    UNUSED(f), set(a, 0, 0, 0, 0, 0, 0, 0);
    a->pairs = s->width < 35 ? s->width : 35;
    a->form = s->rows;
}
BUFFERS(rope_frequencies)
{
    UNUSED(f);
    put(a, 0, STRUCT, 0, sizeof(pe_rope_config), 1);
    put(a, 1, NOTHING, 1, sizeof(double), a->pairs);
    put(a, 2, NOTHING, 1, sizeof(double), 1);
    put(a, 3, F64_S, 0, sizeof(double), a->pairs);
    put(a, 4, F64_S, 0, sizeof(double), a->pairs);
    put(a, 5, F32_POSITIVE, 0, sizeof(float), a->pairs);
}
static void bind_rope_frequencies(const function *f, args *a)
{
    pe_rope_config config = pe_rope_config_default(2 * a->pairs);
    UNUSED(f);
    config.rope_type = (pe_rope_type)(a->form % (PE_ROPE_PROPORTIONAL + 1));
    if (a->pairs == 1 && config.rope_type == PE_ROPE_NTK)
        config.rope_type = PE_ROPE_LINEAR; /* n - 2 = 0 */
    if (a->pairs == 1 && config.rope_type == PE_ROPE_DYNAMIC_NTK)
        config.rope_type = PE_ROPE_LONGROPE;
    config.factor = 4;
    config.original_max_position_embeddings = 4096;
    config.max_position_embeddings = 16384;
    config.sequence_length = a->form % 2 ? 8192 : 100;
    config.short_factor = (const double *)a->p[3];
    config.long_factor = (const double *)a->p[4];
    config.freq_factors = (const float *)a->p[5];
    memcpy(a->p[0], &config, sizeof config);
}

/* heads, queries, keys[, query_stride, head_stride] */
static inline size_t alibi_queries(const shape *s) { return tokens_of(s); }
SIZES(alibi_bias) { UNUSED(f), set(a, heads_of(s), alibi_queries(s), s->width, 0, 0, 0, 0); }
BUFFERS(alibi_bias)
{
    UNUSED(f);
    put(a, 0, F32_S, 0, sizeof(float), a->n[0]);
    put_rows(a, 1, NOTHING, 1, sizeof(float), a->n[0], times(a->n[1], a->n[2]), a->n[2]);
    loop(a, 1, a->n[1], a->n[2]);
}
SIZES(alibi)
{
    size_t qs, hs;
    UNUSED(f);
    heads_in(s, s->width, heads_of(s), alibi_queries(s), &qs, &hs);
    set(a, heads_of(s), alibi_queries(s), s->width, qs, hs, 0, 0);
}
static inline void put_alibi(args *a, holds h, size_t element)
{
    put(a, 0, F32_S, 0, sizeof(float), a->n[0]);
    put_rows(a, 1, h, 1, element, a->n[0], a->n[4], a->n[2]);
    loop(a, 1, a->n[1], a->n[3]);
}
BUFFERS(alibi_fill) { put_alibi(a, NOTHING, element_of(f->type)); }
BUFFERS(alibi_add) { put_alibi(a, f->type, element_of(f->type)); }

/* table_rows, d_model, rows, stride */
static inline size_t table_rows(const shape *s) { return 1 + s->form * 3 % 11; }
SIZES(learned_add)
{
    UNUSED(f), set(a, table_rows(s), s->width, s->rows, s->width + s->pad, 0, 0, 0);
    a->limit = table_rows(s);
}
BUFFERS(learned_add)
{
    put_rows(a, 0, f->type, 0, element_of(f->type), a->n[0], a->n[1], a->n[1]);
    put(a, 1, INDICES, 0, sizeof(int64_t), a->n[2]);
    put_rows(a, 2, f->type, 1, element_of(f->type), a->n[2], a->n[3], a->n[1]);
}

/* stride, rows, table_rows, d_model */
SIZES(learned_grad)
{
    UNUSED(f), set(a, s->width + s->pad, s->rows, table_rows(s), s->width, 0, 0, 0);
    a->limit = table_rows(s);
}
BUFFERS(learned_grad)
{
    put_rows(a, 0, f->type, 0, element_of(f->type), a->n[1], a->n[0], a->n[3]);
    put(a, 1, INDICES, 0, sizeof(int64_t), a->n[1]);
    put_rows(a, 2, f->type, 1, element_of(f->type), a->n[2], a->n[3], a->n[3]);
}

/* rows, d_model, out_rows */
SIZES(resample) { UNUSED(f), set(a, table_rows(s), s->width, s->rows, 0, 0, 0, 0); }
BUFFERS(resample)
{
    UNUSED(f);
    put_rows(a, 0, F32_S, 0, sizeof(float), a->n[0], a->n[1], a->n[1]);
    put(a, 1, STRUCT, 0, sizeof(pe_resample), 1);
    put_rows(a, 2, NOTHING, 1, sizeof(float), a->n[2], a->n[1], a->n[1]);
}

/* height, width, d_model, out_height, out_width */
SIZES(resample_2d)
{
    UNUSED(f), set(a, 1 + s->form % 4, 1 + s->form % 5, s->width, heads_of(s), tokens_of(s), 0, 0);
}
BUFFERS(resample_2d)
{
    UNUSED(f);
    put_rows(a, 0, F32_S, 0, sizeof(float), times(a->n[0], a->n[1]), a->n[2], a->n[2]);
    put(a, 1, STRUCT, 0, sizeof(pe_resample), 1);
    put_rows(a, 2, NOTHING, 1, sizeof(float), times(a->n[3], a->n[4]), a->n[2], a->n[2]);
}
static void bind_resample(const function *f, args *a)
{
    pe_resample how = pe_resample_default();
    UNUSED(f);
    how.method = a->form % 2 ? PE_RESAMPLE_CUBIC : PE_RESAMPLE_LINEAR;
    how.align_corners = a->form / 2 % 2;
    memcpy(a->p[1], &how, sizeof how);
}

/* The config of a plan for a shape; with several axes, widths that leave odd blocks and a rest. */
static inline pe_config plan_config(plan_kind kind, const shape *s)
{
    const manner *how = &forms[s->form];
    pe_config c = pe_config_default(s->width);
    c.layout = how->layout, c.cos_first = how->cos_first, c.odd = how->odd, c.angle = how->angle;
    c.has_padding = how->has_padding, c.padding_position = 1001;
    c.amplitude = s->form % 3 == 2 ? -1.5 : 1;
    if (kind == PLAN_PAIRS)
        c.odd = PE_ODD_ZERO, c.angle = PE_ANGLE_EXACT;
    if (kind == PLAN_ROPE)
        c.d_model = 2 * over(s->width, 2), c.has_padding = 0;
    if (kind == PLAN_MANY && s->width >= 4 * how->axes) {
        c.axes = how->axes;
        if (c.axes > 1) c.has_padding = 0;
        for (size_t k = 0; k < c.axes && c.axes > 1; k++) {
            c.axis[k].coordinate = c.axes - 1 - k;
            if (s->form % 2 == 0)
                c.axis[k].width = s->width / c.axes - k % 2;
        }
    }
    return c;
}

/* n[]: memory_size; pairs, memory_size */
SIZES(plan_init)
{
    const pe_config c = plan_config(PLAN_ONE, s);
    UNUSED(f), set(a, pe_plan_size(&c), 0, 0, 0, 0, 0, 0);
    a->form = s->form, a->width = s->width;
}
BUFFERS(plan_init)
{
    UNUSED(f);
    put(a, 0, NOTHING, 1, sizeof(pe_plan), 1);
    put(a, 1, STRUCT, 0, sizeof(pe_config), 1);
    put(a, 2, NOTHING, 1, 1, a->n[0]);
    a->b[0].is_opaque = a->b[2].is_opaque = 1; /* pointers; arrays where the alignment puts them */
}
static void bind_plan(const function *f, args *a)
{
    const shape s = {1, a->width, 0, a->form};
    const pe_config c = plan_config(f->plan == PLAN_NONE ? PLAN_ONE : f->plan, &s);
    memcpy(a->p[1], &c, sizeof c);
}
SIZES(plan_init_frequencies)
{
    const pe_config c = plan_config(PLAN_ONE, s);
    UNUSED(f);
    set(a, c.odd == PE_ODD_SINE ? over(s->width, 2) : s->width / 2, pe_plan_size(&c), 0, 0, 0, 0, 0);
    a->form = s->form, a->width = s->width;
}
BUFFERS(plan_init_frequencies)
{
    UNUSED(f);
    put(a, 0, NOTHING, 1, sizeof(pe_plan), 1);
    put(a, 1, STRUCT, 0, sizeof(pe_config), 1);
    put(a, 2, F64_S, 0, sizeof(double), a->n[0]);
    put(a, 3, NOTHING, 1, 1, a->n[1]);
    a->b[0].is_opaque = a->b[3].is_opaque = 1;
}

/* ------------------------------------------------------------------------------------------------
 * The calls and the list
 * --------------------------------------------------------------------------------------------- */

#define CALL(name, arguments)                                                                      \
    static pe_status call_##name(const args *a) { return name arguments; }
#define P(type, k)  ((type *)a->p[k])
#define IN(type, k) ((const type *)a->p[k])
#define N(i)        a->n[i]

#define FOUR_TYPES(X)                                                                              \
    X(f32, float, float) X(f64, double, double) X(f16, uint16_t, float) X(bf16, uint16_t, float)
#define THREE_TYPES(X) X(f32, float) X(f16, uint16_t) X(bf16, uint16_t)

#define CALLS_OF_FOUR(T, e, s)                                                                     \
    CALL(pe_fill_##T, (a->plan, a->first, N(0), P(e, 0), N(1)))                                    \
    CALL(pe_fill_at_##T, (a->plan, IN(int64_t, 0), N(0), P(e, 1), N(1)))                           \
    CALL(pe_fill_real_##T, (a->plan, IN(double, 0), N(0), P(e, 1), N(1)))                          \
    CALL(pe_fill_grid_##T, (a->plan, IN(size_t, 0), P(e, 1), N(0)))                                \
    CALL(pe_fill_coords_##T, (a->plan, IN(double, 0), N(0), P(e, 1), N(1)))                        \
    CALL(pe_add_##T, (a->plan, a->first, N(0), (s)a->scale, P(e, 0), N(1)))                        \
    CALL(pe_add_at_##T, (a->plan, IN(int64_t, 0), N(0), (s)a->scale, P(e, 1), N(1)))               \
    CALL(pe_add_batch_##T, (a->plan, a->first, N(0), N(1), (s)a->scale, P(e, 0), N(2), N(3)))      \
    CALL(pe_shift_##T, (a->plan, a->first, N(0), P(e, 0), N(1)))
FOUR_TYPES(CALLS_OF_FOUR)

#define CALLS_OF_THREE(T, e)                                                                       \
    CALL(pe_rope_##T, (a->plan, a->pairing, a->first, N(0), N(1), P(e, 0), N(2), N(3)))            \
    CALL(pe_rope_at_##T, (a->plan, a->pairing, IN(int64_t, 0), N(0), N(1), P(e, 1), N(2), N(3)))   \
    CALL(pe_rope_inverse_##T, (a->plan, a->pairing, a->first, N(0), N(1), P(e, 0), N(2), N(3)))    \
    CALL(pe_rope_inverse_at_##T,                                                                   \
         (a->plan, a->pairing, IN(int64_t, 0), N(0), N(1), P(e, 1), N(2), N(3)))                   \
    CALL(pe_rope_to_##T, (a->plan, a->pairing, a->first, N(0), N(1), N(2), IN(e, 0), N(3), N(4),   \
                          P(e, 1), N(5), N(6)))                                                    \
    CALL(pe_rope_to_at_##T, (a->plan, a->pairing, IN(int64_t, 0), N(0), N(1), N(2), IN(e, 1),      \
                             N(3), N(4), P(e, 2), N(5), N(6)))                                     \
    CALL(pe_rope_qk_##T, (a->plan, a->pairing, a->first, N(0), N(1), P(e, 0), N(2), N(3), N(4),    \
                          P(e, 1), N(5), N(6)))                                                    \
    CALL(pe_rope_qk_at_##T, (a->plan, a->pairing, IN(int64_t, 0), N(0), N(1), P(e, 1), N(2), N(3), \
                             N(4), P(e, 2), N(5), N(6)))                                           \
    CALL(pe_rope_axes_##T, (a->plan, a->pairing, IN(uint8_t, 0), N(0), IN(int64_t, 1), N(1), N(2), \
                            P(e, 2), N(3), N(4)))                                                  \
    CALL(pe_rope_shift_##T, (a->plan, a->pairing, a->first, N(0), N(1), P(e, 0), N(2), N(3)))      \
    CALL(pe_rope_shift_at_##T,                                                                     \
         (a->plan, a->pairing, IN(int64_t, 0), N(0), N(1), P(e, 1), N(2), N(3)))                   \
    CALL(pe_rope_by_table_##T, (a->pairing, IN(float, 0), IN(float, 1), N(0), N(1), N(2), N(3),    \
                                P(e, 2), N(4), N(5)))                                              \
    CALL(pe_rope_table_##T, (a->plan, a->first, N(0), P(e, 0), P(e, 1), N(1)))                     \
    CALL(pe_rope_table_joined_##T, (a->plan, a->first, N(0), P(e, 0), N(1)))                       \
    CALL(pe_rope_table_complex_##T, (a->plan, a->first, N(0), P(e, 0), N(1)))                      \
    CALL(pe_rope_table_twice_##T,                                                                  \
         (a->plan, a->pairing, a->first, N(0), P(e, 0), P(e, 1), N(1)))                            \
    CALL(pe_alibi_fill_##T, (IN(float, 0), N(0), a->mode, a->first, N(1), N(2), P(e, 1), N(3),     \
                             N(4)))                                                                \
    CALL(pe_alibi_add_##T, (IN(float, 0), N(0), a->mode, a->first, N(1), N(2), P(e, 1), N(3),      \
                            N(4)))                                                                 \
    CALL(pe_learned_add_##T, (IN(e, 0), N(0), N(1), IN(int64_t, 1), N(2), P(e, 2), N(3)))
THREE_TYPES(CALLS_OF_THREE)

CALL(pe_sinusoidal_f32, (P(float, 0), N(0), N(1)))
CALL(pe_shift_matrix_f64, (a->plan, a->first, P(double, 0), N(0)))
CALL(pe_dot_f64, (a->plan, a->first, P(double, 0)))
CALL(pe_dots_f64, (a->plan, a->first, N(0), P(double, 0)))
CALL(pe_norm_f64, (a->plan, P(double, 0)))
CALL(pe_plan_frequencies, (a->plan, P(double, 0)))
CALL(pe_plan_wavelengths, (a->plan, P(double, 0)))
CALL(pe_plan_init, (P(pe_plan, 0), IN(pe_config, 1), P(void, 2), N(0)))
CALL(pe_plan_init_frequencies,
     (P(pe_plan, 0), IN(pe_config, 1), IN(double, 2), N(0), P(void, 3), N(1)))
CALL(pe_rope_frequencies, (IN(pe_rope_config, 0), P(double, 1), P(double, 2)))
CALL(pe_rope_periods, (IN(double, 0), N(0), P(double, 1)))
CALL(pe_rope_sections, (IN(size_t, 0), N(0), (int)(a->form % 2), N(1), P(uint8_t, 1)))
CALL(pe_rope_ggml_f32, (IN(pe_rope_ggml, 0), a->first, N(0), P(float, 1), P(float, 2), N(1)))
CALL(pe_alibi_slopes_f32, (N(0), 8.0f, P(float, 0)))
CALL(pe_alibi_bias_f32, (IN(float, 0), N(0), a->first, N(1), N(2), P(float, 1)))
CALL(pe_learned_grad_f32,
     (IN(float, 0), N(0), IN(int64_t, 1), N(1), P(float, 2), N(2), N(3)))
CALL(pe_learned_resample_f32,
     (IN(float, 0), N(0), N(1), IN(pe_resample, 1), P(float, 2), N(2)))
CALL(pe_learned_resample_2d_f32,
     (IN(float, 0), N(0), N(1), N(2), IN(pe_resample, 1), P(float, 2), N(3), N(4)))

#define HOLDS_f32  F32_S
#define HOLDS_f64  F64_S
#define HOLDS_f16  F16_S
#define HOLDS_bf16 BF16_S
#define BIT(i)     (1u << (i))

/* name, type, plan, sizes, buffers, bind, pointers, nullable, zeros, strides, counted, fixed */
#define ROW(name, T, plan, sizes, buffers, bind, pointers, nullable, zeros, strides, counted,      \
            fixed)                                                                                 \
    {#name, call_##name, HOLDS_##T, plan, sizes_##sizes, buffers_##buffers, bind, pointers,        \
     nullable, zeros, strides, counted, fixed},
#define ROWS_OF_FOUR(T, e, s)                                                                      \
    ROW(pe_fill_##T, T, PLAN_ONE, rows, fill, NULL, 1, 0, BIT(0), BIT(1), BIT(0), 0)               \
    ROW(pe_fill_at_##T, T, PLAN_ONE, rows, fill_at, NULL, 2, 0, BIT(0), BIT(1), 0, 0)              \
    ROW(pe_fill_real_##T, T, PLAN_ONE, rows, fill_coords, NULL, 2, 0, BIT(0), BIT(1), 0, 0)        \
    ROW(pe_fill_grid_##T, T, PLAN_MANY, grid, grid, NULL, 2, 0, 0, BIT(0), 0, 0)                   \
    ROW(pe_fill_coords_##T, T, PLAN_MANY, rows, fill_coords, NULL, 2, 0, BIT(0), BIT(1), 0, 0)     \
    ROW(pe_add_##T, T, PLAN_ONE, rows, add, NULL, 1, 0, BIT(0), BIT(1), BIT(0), 0)                 \
    ROW(pe_add_at_##T, T, PLAN_ONE, rows, add_at, NULL, 2, 0, BIT(0), BIT(1), 0, 0)                \
    ROW(pe_add_batch_##T, T, PLAN_ONE, batch, batch, NULL, 1, 0, BIT(0) | BIT(1),                  \
        BIT(2) | BIT(3), BIT(0), 0)                                                                \
    ROW(pe_shift_##T, T, PLAN_PAIRS, rows, add, NULL, 1, 0, BIT(0), BIT(1), 0, 0)
#define TURNS (BIT(0) | BIT(1))
#define ROWS_OF_THREE(T, e)                                                                        \
    ROW(pe_rope_##T, T, PLAN_ROPE, rope, rope, NULL, 1, 0, TURNS, BIT(2) | BIT(3), BIT(0), 0)      \
    ROW(pe_rope_at_##T, T, PLAN_ROPE, rope, rope_at, NULL, 2, 0, TURNS, BIT(2) | BIT(3), 0, 0)     \
    ROW(pe_rope_inverse_##T, T, PLAN_ROPE, rope, rope, NULL, 1, 0, TURNS, BIT(2) | BIT(3), BIT(0), \
        0)                                                                                         \
    ROW(pe_rope_inverse_at_##T, T, PLAN_ROPE, rope, rope_at, NULL, 2, 0, TURNS, BIT(2) | BIT(3),   \
        0, 0)                                                                                      \
    ROW(pe_rope_to_##T, T, PLAN_ROPE, rope_to, rope_to, NULL, 2, 0, TURNS,                         \
        BIT(3) | BIT(4) | BIT(5) | BIT(6), BIT(0), 0)                                              \
    ROW(pe_rope_to_at_##T, T, PLAN_ROPE, rope_to, rope_to_at, NULL, 3, 0, TURNS,                   \
        BIT(3) | BIT(4) | BIT(5) | BIT(6), 0, 0)                                                   \
    ROW(pe_rope_qk_##T, T, PLAN_ROPE, rope_qk, rope_qk, NULL, 2, 0, BIT(0),                        \
        BIT(2) | BIT(3) | BIT(5) | BIT(6), BIT(0), 0)                                              \
    ROW(pe_rope_qk_at_##T, T, PLAN_ROPE, rope_qk, rope_qk_at, NULL, 3, 0, BIT(0),                  \
        BIT(2) | BIT(3) | BIT(5) | BIT(6), 0, 0)                                                   \
    ROW(pe_rope_axes_##T, T, PLAN_ROPE, rope_axes, rope_axes, NULL, 3, 0, BIT(1) | BIT(2),         \
        BIT(3) | BIT(4), 0, 0)                                                                     \
    ROW(pe_rope_shift_##T, T, PLAN_ROPE, rope, rope, NULL, 1, 0, TURNS, BIT(2) | BIT(3), 0, 0)     \
    ROW(pe_rope_shift_at_##T, T, PLAN_ROPE, rope, rope_at, NULL, 2, 0, TURNS, BIT(2) | BIT(3), 0,  \
        0)                                                                                         \
    ROW(pe_rope_by_table_##T, T, PLAN_NONE, rope_by, rope_by, NULL, 3, 0,                          \
        BIT(1) | BIT(2) | BIT(3), BIT(0) | BIT(4) | BIT(5), 0, 0)                                  \
    ROW(pe_rope_table_##T, T, PLAN_ROPE, table, table, NULL, 2, 0, BIT(0), BIT(1), BIT(0), 0)      \
    ROW(pe_rope_table_joined_##T, T, PLAN_ROPE, rows, fill, NULL, 1, 0, BIT(0), BIT(1), BIT(0), 0) \
    ROW(pe_rope_table_complex_##T, T, PLAN_ROPE, rows, fill, NULL, 1, 0, BIT(0), BIT(1), BIT(0),   \
        0)                                                                                         \
    ROW(pe_rope_table_twice_##T, T, PLAN_ROPE, rows, table_twice, NULL, 2, 0, BIT(0), BIT(1),      \
        BIT(0), 0)                                                                                 \
    ROW(pe_alibi_fill_##T, T, PLAN_NONE, alibi, alibi_fill, NULL, 2, 0, BIT(0) | BIT(1) | BIT(2),  \
        BIT(3) | BIT(4), BIT(1) | BIT(2), 0)                                                       \
    ROW(pe_alibi_add_##T, T, PLAN_NONE, alibi, alibi_add, NULL, 2, 0, BIT(0) | BIT(1) | BIT(2),    \
        BIT(3) | BIT(4), BIT(1) | BIT(2), 0)                                                       \
    ROW(pe_learned_add_##T, T, PLAN_NONE, learned_add, learned_add, NULL, 3, 0, BIT(2), BIT(3), 0, \
        0)

static const function FUNCTIONS[] = {
    FOUR_TYPES(ROWS_OF_FOUR) /* */
    THREE_TYPES(ROWS_OF_THREE) /* */
    ROW(pe_sinusoidal_f32, f32, PLAN_NONE, sinusoidal, sinusoidal, NULL, 1, 0, BIT(0), 0, BIT(0), 0)
    ROW(pe_shift_matrix_f64, f64, PLAN_PAIRS, matrix, matrix, NULL, 1, 0, 0, BIT(0), 0, 1)
    ROW(pe_dot_f64, f64, PLAN_PAIRS, none, one, NULL, 1, 0, 0, 0, 0, 1)
    ROW(pe_dots_f64, f64, PLAN_PAIRS, dots, list, NULL, 1, 0, BIT(0), 0, BIT(0), 0)
    ROW(pe_norm_f64, f64, PLAN_PAIRS, none, one, NULL, 1, 0, 0, 0, 0, 1)
    ROW(pe_plan_frequencies, f64, PLAN_MANY, none, pairs, NULL, 1, 0, 0, 0, 0, 1)
    ROW(pe_plan_wavelengths, f64, PLAN_MANY, none, pairs, NULL, 1, 0, 0, 0, 0, 1)
    ROW(pe_plan_init, f64, PLAN_NONE, plan_init, plan_init, bind_plan, 3, 0, 0, 0, 0, 1)
    ROW(pe_plan_init_frequencies, f64, PLAN_NONE, plan_init_frequencies, plan_init_frequencies,
        bind_plan, 4, 0, 0, 0, 0, 1)
    ROW(pe_rope_frequencies, f64, PLAN_NONE, rope_frequencies, rope_frequencies,
        bind_rope_frequencies, 3, BIT(2), 0, 0, 0, 2)
    ROW(pe_rope_periods, f64, PLAN_NONE, width_only, periods, NULL, 2, 0, BIT(0), 0, 0, 1)
    ROW(pe_rope_sections, f32, PLAN_NONE, sections, sections, NULL, 2, 0, 0, 0, 0, 0)
    ROW(pe_rope_ggml_f32, f32, PLAN_NONE, ggml, ggml, bind_ggml, 3, 0, BIT(0), BIT(1), BIT(0), 2)
    ROW(pe_alibi_slopes_f32, f32, PLAN_NONE, width_only, list, NULL, 1, 0, BIT(0), 0, 0, 1)
    ROW(pe_alibi_bias_f32, f32, PLAN_NONE, alibi_bias, alibi_bias, NULL, 2, 0,
        BIT(0) | BIT(1) | BIT(2), 0, BIT(1) | BIT(2), 0)
    ROW(pe_learned_grad_f32, f32, PLAN_NONE, learned_grad, learned_grad, NULL, 3, 0, BIT(1), BIT(0),
        0, 0)
    ROW(pe_learned_resample_f32, f32, PLAN_NONE, resample, resample, bind_resample, 3, 0, BIT(2), 0,
        0, 0)
    ROW(pe_learned_resample_2d_f32, f32, PLAN_NONE, resample_2d, resample_2d, bind_resample, 3, 0,
        BIT(3) | BIT(4), 0, 0, 0)
};

#endif /* PE_TESTS_API_H */
