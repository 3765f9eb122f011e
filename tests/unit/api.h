/* SPDX-License-Identifier: MIT */
/*
 * Puts every public function of pe.h behind one signature, with what it reads and writes. Tests
 * that go through all functions use it (tests/unit/calls/test_memory.c). tests/checks/api.sh fails
 * if a function is missing here.
 *
 * A row of FUNCTIONS has the call, and, if the call takes a pe_at, the way to make it. It also has
 * two functions. The function sizes() turns a shape (rows, width, padding, form) into the counts
 * and strides n[] of a call. Then buffers() turns n[] into the memory behind each pointer p[], in
 * the order of the prototype. A list of positions comes before them as p[0]. So a test can place,
 * guard, fill and compare any argument, and set any count.
 */
#ifndef PE_TESTS_API_H
#define PE_TESTS_API_H

#include "common.h"

/* ------------------------------------------------------------------------------------------------
 * A call
 * --------------------------------------------------------------------------------------------- */

enum { MOST_POINTERS = 7, MOST_NUMBERS = 9, ROWS = 64, WIDTH = 513, POOL = 1024 };

/* Tells what a buffer holds before the call. */
typedef enum holds {
    NOTHING, /* canaries: the call only writes it */
    F32_S,   /* numbers, in each type */
    F32_POSITIVE,
    F64_S,
    F16_S,
    BF16_S,
    AT_I32, /* positions, or rows of a learned table, in each type of list */
    AT_I64,
    AT_F32,
    AT_F64,
    STRUCT /* a config; the function's bind() writes it, with pointers to other buffers */
} holds;

/* Describes the memory behind one pointer of a call. Its elements are at index i * stride[0] + j *
   stride[1] + k, where i < count[0], j < count[1] and k < width. If the call skips the beginning of
   a list (pe_skip()), that beginning keeps its bytes: the rows i < skip_rows, or the first
   skip_first elements of each row. */
typedef struct buffer {
    size_t element, count[2], stride[2], width;
    size_t skip_rows, skip_first;
    holds holds;
    int written, is_opaque; /* opaque: holds pointers, so its bytes are not compared */
} buffer;

/* Describes everything about a plan and the order of the arguments except their sizes. */
typedef struct manner {
    pe_layout layout;
    int cos_first;
    pe_odd odd;
    pe_angle angle;
    int has_padding;
    size_t axes; /* for calls with several axes, if the width suffices */
    size_t heads;
    size_t expected_rows;
} manner;

static const manner forms[] = {
    {PE_LAYOUT_INTERLEAVED, 0, PE_ODD_SINE, PE_ANGLE_EXACT, 0, 2, 1, 0},
    {PE_LAYOUT_HALVES, 0, PE_ODD_SINE, PE_ANGLE_EXACT, 0, 1, 2, 0},
    {PE_LAYOUT_INTERLEAVED, 1, PE_ODD_ZERO, PE_ANGLE_EXACT, 1, 3, 3, 0},
    {PE_LAYOUT_HALVES, 1, PE_ODD_ZERO, PE_ANGLE_EXACT, 0, 2, 1, 1},
    {PE_LAYOUT_INTERLEAVED, 1, PE_ODD_SINE, PE_ANGLE_EXACT, 0, 8, 2, 0},
    {PE_LAYOUT_HALVES, 1, PE_ODD_SINE, PE_ANGLE_EXACT, 0, 3, 1, 64},
    {PE_LAYOUT_INTERLEAVED, 0, PE_ODD_ZERO, PE_ANGLE_FLOAT32, 0, 2, 3, 0},
    {PE_LAYOUT_HALVES, 0, PE_ODD_ZERO, PE_ANGLE_EXACT, 1, 2, 1, 0},
    {PE_LAYOUT_HALVES, 1, PE_ODD_SINE, PE_ANGLE_FLOAT32, 0, 1, 2, 1},
};
enum { FORMS = 9 };

typedef struct shape {
    size_t rows, width, pad, form;
} shape;

/* Tells which plan a function needs. plan_config() makes the configs of most of these kinds. */
typedef enum plan_kind {
    PLAN_NONE,
    PLAN_ONE,      /* one axis */
    PLAN_MANY,     /* several axes, if the width suffices */
    PLAN_DOTS,     /* one axis, no element without a partner */
    PLAN_SUMS,     /* as PLAN_DOTS, or angles that are sums over several coordinates */
    PLAN_SHIFTS,   /* several axes, no element without a partner */
    PLAN_ROPE,     /* one axis, for pe_rope_T */
    PLAN_SECTIONS, /* several axes, made by pe_rope_plan_init() */
    PLAN_LISTED,   /* several axes, with a list of the coordinate of each pair */
    PLANS
} plan_kind;

/* Tells how the pe_at of a call is made. The values up to PLACE_COORDS_F64 are single functions.
   From the others, place_choose() chooses one of these for each shape. */
typedef enum place {
    PLACE_FROM,
    PLACE_ALL,
    PLACE_BY,
    PLACE_GRID,
    PLACE_I32,
    PLACE_I64,
    PLACE_F32,
    PLACE_F64,
    PLACE_COORDS_I32,
    PLACE_COORDS_I64,
    PLACE_COORDS_F32,
    PLACE_COORDS_F64,
    PLACE_NONE,       /* the function has no pe_at */
    PLACE_BACK,       /* pe_back() of a range */
    PLACE_BACK_LIST,  /* pe_back() of a list */
    PLACE_DELTA,      /* pe_delta() of one position */
    PLACE_DELTA_LIST, /* pe_delta() of a list */
    PLACE_POINTS,     /* one of the lists of coordinates, in either order */
    PLACE_ANY,        /* one of all, also with pe_skip(), pe_back() and pe_delta() */
    PLACE_ROW,        /* one that can name rows of a learned table */
    PLACE_NUMBER,     /* one that can name rows of a RoPE table */
    PLACE_WHOLE       /* one of integer positions of one coordinate */
} place;

static const char *const place_names[] = {
    "pe_from",       "pe_all",        "pe_from_by", "pe_grid",       "pe_at_i32",
    "pe_at_i64",     "pe_at_f32",     "pe_at_f64",  "pe_coords_i32", "pe_coords_i64",
    "pe_coords_f32", "pe_coords_f64", "no pe_at"};

typedef struct args {
    const pe_plan *plan;
    size_t width; /* the width of the plan's rows */
    size_t pairs, axes;
    size_t n[MOST_NUMBERS];
    void *p[MOST_POINTERS];
    buffer b[MOST_POINTERS];
    size_t form, variant;
    float scale;
    pe_layout layout;
    pe_alibi_mode mode;
    /* The following fields except `limit` describe the pe_at of the call. */
    place place; /* one of the values up to PLACE_NONE */
    size_t list; /* 1 if p[0] is the list of the pe_at */
    int64_t first, step;
    size_t skipped, spare, row_stride, axis_stride, counts[PE_MAX_AXES];
    size_t limit; /* the number of rows of the call's table, or 0 */
    int transposed, back, delta, garbage;
} args;

typedef struct function {
    const char *name;
    pe_status (*call)(const args *);
    holds type, out; /* out: the type of an output array of its own */
    plan_kind plan;
    place place;
    size_t variant;
    void (*sizes)(const struct function *, const shape *, args *);
    void (*buffers)(const struct function *, args *);
    void (*bind)(const struct function *, args *);
    unsigned rows;     /* the index in n[] of the number of rows that the pe_at describes */
    unsigned pointers; /* the number of p[] that are arguments; the list does not count */
    unsigned nullable; /* bit k is set if argument k (without the list) may be NULL */
    unsigned zeros;    /* bit i is set if the call does nothing when n[i] == 0 */
    unsigned strides;  /* bit i is set if n[i] is a stride; if it is used and has its */
                       /* minimum, a smaller one returns PE_ERR_SHAPE */
    unsigned counted;  /* bit i is set if n[i] > 2^31 + 1 returns PE_ERR_RANGE */
    int fixed;         /* bit 0: independent of the number of rows; bit 1: of the width */
} function;

static inline size_t element_of(holds h)
{
    switch (h) {
    case F32_S:
    case F32_POSITIVE: return sizeof(float);
    case F64_S: return sizeof(double);
    case F16_S:
    case BF16_S: return sizeof(uint16_t);
    case AT_I32: return sizeof(int32_t);
    case AT_I64: return sizeof(int64_t);
    case AT_F32: return sizeof(float);
    case AT_F64: return sizeof(double);
    case NOTHING:
    case STRUCT: break;
    }
    return 0;
}

/* Returns products and sums that stay at SIZE_MAX when they overflow. */
static inline size_t times(size_t a, size_t b)
{
    return b != 0 && a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

static inline size_t plus(size_t a, size_t b) { return a > SIZE_MAX - b ? SIZE_MAX : a + b; }

/* Returns the number of elements from the first to the last, or SIZE_MAX if they are too many. */
static inline size_t span_of_buffer(const buffer *b)
{
    size_t span = b->width;
    if (b->count[0] == 0 || b->count[1] == 0 || b->width == 0) return 0;
    for (int i = 0; i < 2; i++) span = plus(span, times(b->count[i] - 1, b->stride[i]));
    return span;
}

/* ------------------------------------------------------------------------------------------------
 * Places
 * --------------------------------------------------------------------------------------------- */

/* Sets the sizes of a grid of the plan's axes that has this number of cells. */
static inline void grid_of(args *a, size_t cells)
{
    for (size_t k = 0; k + 1 < a->axes; k++) {
        const size_t part = cells % (2 + k % 2) == 0 ? 2 + k % 2 : 1;
        a->counts[k] = part, cells /= part;
    }
    a->counts[a->axes - 1] = cells;
}

/* Chooses the pe_at of a call for this shape, among those that `of`, the place of its function,
   allows. The choice depends on the shape alone, so every run makes the same calls. */
static inline void place_choose(args *a, place of, const shape *s)
{
    static const place coords[] = {PLACE_COORDS_I32, PLACE_COORDS_I64, PLACE_COORDS_F32,
                                   PLACE_COORDS_F64};
    static const place numbers[] = {PLACE_I32, PLACE_ALL, PLACE_I64, PLACE_FROM};
    static const place whole[] = {PLACE_I32, PLACE_BY, PLACE_I64, PLACE_ALL};
    static const place rows_of_tables[] = {PLACE_I32, PLACE_ALL, PLACE_F32, PLACE_F64};
    const size_t turn = s->rows * 5 + s->width * 3 + s->form * 7;
    a->place = of, a->first = 1000, a->step = (int64_t)(turn % 7) - 3;
    switch (of) {
    case PLACE_BACK: a->place = PLACE_FROM, a->back = 1; break;
    case PLACE_BACK_LIST: a->place = PLACE_I64, a->back = 1; break;
    case PLACE_DELTA: a->place = PLACE_ALL, a->delta = 1; break;
    case PLACE_DELTA_LIST: a->place = PLACE_I64, a->delta = 1; break;
    case PLACE_POINTS:
        a->place = coords[turn % 4], a->transposed = turn / 4 % 2, a->back = turn % 5 == 0;
        break;
    case PLACE_ANY:
        a->place = (place)(turn % PLACE_NONE), a->transposed = turn % 11 < 5;
        /* the first cell of a grid is the position 0, which rotates nothing */
        a->skipped = turn % 5 == 1 || a->place == PLACE_GRID ? 1 + turn % 3 : 0;
        /* the padding position, 1001, rotates nothing either, if it is the only row */
        if (a->skipped == 1 && s->rows == 1) a->skipped = 2;
        a->back = turn % 7 == 2, a->delta = turn % 13 < 3, a->spare = turn % 2;
        break;
    case PLACE_NUMBER:
        a->place = numbers[turn % 4], a->skipped = turn % 3, a->back = turn % 5 == 0;
        break;
    case PLACE_WHOLE:
        a->place = whole[turn % 4], a->skipped = turn % 3, a->back = turn % 5 == 0;
        break;
    case PLACE_ROW: a->place = rows_of_tables[turn % 4], a->skipped = turn % 3; break;
    default: break;
    }
    a->list = a->place >= PLACE_I32 && a->place < PLACE_NONE;
}

/* Sets the parts of the pe_at that depend on the number of rows: the grid, and the strides of
   coordinates. */
static inline void place_size(args *a, size_t rows, size_t pad)
{
    rows += a->skipped;
    a->row_stride = a->transposed ? 1 : a->axes + pad;
    a->axis_stride = a->transposed ? rows + pad : 1;
    if (a->place == PLACE_GRID) grid_of(a, rows + a->spare);
}

static inline pe_at at_of(const args *a)
{
    const void *const list = a->p[0];
    const int64_t first = a->limit > 0 ? a->first % (int64_t)a->limit : a->first;
    const size_t axes = a->axes, rs = a->row_stride, as = a->axis_stride;
    pe_at at = pe_from(first);
    switch (a->place) {
    case PLACE_ALL: at = pe_all(first); break;
    case PLACE_BY: at = pe_from_by(first, a->step); break;
    case PLACE_GRID: at = pe_grid(a->counts, axes); break;
    case PLACE_I32: at = pe_at_i32((const int32_t *)list); break;
    case PLACE_I64: at = pe_at_i64((const int64_t *)list); break;
    case PLACE_F32: at = pe_at_f32((const float *)list); break;
    case PLACE_F64: at = pe_at_f64((const double *)list); break;
    case PLACE_COORDS_I32: at = pe_coords_i32((const int32_t *)list, axes, rs, as); break;
    case PLACE_COORDS_I64: at = pe_coords_i64((const int64_t *)list, axes, rs, as); break;
    case PLACE_COORDS_F32: at = pe_coords_f32((const float *)list, axes, rs, as); break;
    case PLACE_COORDS_F64: at = pe_coords_f64((const double *)list, axes, rs, as); break;
    default: break;
    }
    if (a->skipped) at = pe_skip(at, a->skipped);
    if (a->back) at = pe_back(at);
    if (a->delta) at = pe_delta(at);
    if (a->garbage) memset(&at, CANARY, sizeof at);
    return at;
}

/* ------------------------------------------------------------------------------------------------
 * sizes() and buffers()
 * --------------------------------------------------------------------------------------------- */

/* Describes argument k, where the list of positions does not count. */
static inline void put(args *a, size_t k, holds h, int written, size_t element, size_t width)
{
    buffer *b = &a->b[a->list + k];
    memset(b, 0, sizeof *b);
    b->holds = h, b->written = written, b->element = element, b->width = width;
    b->count[0] = b->count[1] = 1;
}

/* Describes an argument that consists of rows. If it has two loops, as over batches or heads,
   loop() describes the second. */
static inline void put_rows(args *a, size_t k, holds h, int written, size_t element, size_t rows,
                            size_t stride, size_t width)
{
    put(a, k, h, written, element, width);
    a->b[a->list + k].count[0] = rows, a->b[a->list + k].stride[0] = stride;
}

static inline void loop(args *a, size_t k, size_t count, size_t stride)
{
    a->b[a->list + k].count[1] = count, a->b[a->list + k].stride[1] = stride;
}

static inline void put_opaque(args *a, size_t k, size_t element, size_t width)
{
    put(a, k, NOTHING, 1, element, width);
    a->b[a->list + k].is_opaque = 1;
}

/* Describes all arguments: first the list of positions, if there is one, then the others. */
static inline void put_all(const function *f, args *a)
{
    const size_t rows = plus(a->n[f->rows], a->skipped);
    buffer *b = &a->b[0];
    f->buffers(f, a);
    if (!a->list) return;
    memset(b, 0, sizeof *b);
    b->count[0] = b->count[1] = 1, b->width = rows, b->skip_first = a->skipped;
    b->holds = (holds)(AT_I32 + (a->place - PLACE_I32) % 4), b->element = element_of(b->holds);
    if (a->place >= PLACE_COORDS_I32 && a->transposed)
        b->count[0] = a->axes, b->stride[0] = a->axis_stride;
    if (a->place >= PLACE_COORDS_I32 && !a->transposed) {
        b->count[0] = rows, b->stride[0] = a->row_stride, b->width = a->axes;
        b->skip_first = 0, b->skip_rows = a->skipped;
    }
}

/* Sets n[] to the given numbers, followed by zeros. */
static inline void set(args *a, const size_t *n, size_t count)
{
    memset(a->n, 0, sizeof a->n);
    memcpy(a->n, n, count * sizeof *n);
}
#define SET(...)                                                                                   \
    do {                                                                                           \
        const size_t set_n[] = {__VA_ARGS__};                                                      \
        set(a, set_n, LENGTH(set_n));                                                              \
    } while (0)

static inline size_t over(size_t a, size_t b) { return (a + b - 1) / b; }
static inline size_t heads_of(const shape *s) { return forms[s->form].heads; }
static inline size_t tokens_of(const shape *s) { return over(s->rows, heads_of(s)); }

#define SIZES(name) static void sizes_##name(const function *f, const shape *s, args *a)
#define BUFFERS(name) static void buffers_##name(const function *f, args *a)
#define UNUSED(x) (void)(x)

/* n[] is rows, stride. */
SIZES(rows)
{
    UNUSED(f);
    SET(s->rows, a->width + s->pad);
}
BUFFERS(fill) { put_rows(a, 0, NOTHING, 1, element_of(f->type), a->n[0], a->n[1], a->width); }
BUFFERS(add) { put_rows(a, 0, f->type, 1, element_of(f->type), a->n[0], a->n[1], a->width); }

/* n[] is rows, batches, stride, batch_stride. */
SIZES(batch)
{
    const size_t batches = heads_of(s), rows = tokens_of(s), row = a->width + s->pad;
    UNUSED(f);
    if (s->form % 2) SET(rows, batches, row * batches, row);
    else SET(rows, batches, row, row * rows);
}
BUFFERS(batch)
{
    put_rows(a, 0, f->type, 1, element_of(f->type), a->n[0], a->n[2], a->width);
    loop(a, 0, a->n[1], a->n[3]);
}

/* n[] is rows, d_model. */
SIZES(sinusoidal)
{
    UNUSED(f);
    SET(s->rows, s->width);
}
BUFFERS(sinusoidal) { put_rows(a, 0, NOTHING, 1, element_of(f->type), a->n[0], a->n[1], a->n[1]); }

/* The call has no numbers. */
SIZES(none)
{
    UNUSED(f), UNUSED(s);
    SET(0);
}
BUFFERS(pairs) { put(a, 0, NOTHING, 1, element_of(f->type), a->pairs); }
BUFFERS(increments)
{
    UNUSED(f);
    put(a, 0, NOTHING, 1, sizeof(uint32_t), 4 * a->pairs);
}
BUFFERS(increments_of)
{
    UNUSED(f);
    put(a, 0, F64_S, 0, sizeof(double), a->n[0]);
    put(a, 1, NOTHING, 1, sizeof(uint32_t), 4 * a->n[0]);
}

/* n[] is count. */
SIZES(dots)
{
    UNUSED(f);
    SET((s->rows - 1) * 8 + s->width % 8 + 1);
}
BUFFERS(list) { put(a, 0, NOTHING, 1, element_of(f->type), a->n[0]); }
SIZES(width_only)
{
    UNUSED(f);
    SET(s->width);
}

/* Sets *ts and *hs to the strides of tokens and of heads, each row being followed by s->pad
   elements that the call must not touch. In odd forms all tokens of a head are contiguous, in even
   forms all heads of a token. */
static inline void heads_in(const shape *s, size_t width, size_t heads, size_t tokens, size_t *ts,
                            size_t *hs)
{
    const size_t row = width + s->pad;
    if (s->form % 2) *ts = row, *hs = row * tokens;
    else *ts = row * heads, *hs = row;
}

/* n[] is tokens, heads, token_stride, head_stride. */
SIZES(rope)
{
    size_t ts, hs;
    UNUSED(f);
    heads_in(s, a->width, heads_of(s), tokens_of(s), &ts, &hs);
    SET(tokens_of(s), heads_of(s), ts, hs);
}
/* Describes argument k, which is heads; n[] here is heads, token_stride, head_stride. */
static inline void put_heads(args *a, size_t k, holds h, int written, size_t element, size_t width,
                             const size_t *n, size_t tokens)
{
    put_rows(a, k, h, written, element, tokens, n[1], width);
    loop(a, k, n[0], n[2]);
}
BUFFERS(rope) { put_heads(a, 0, f->type, 1, element_of(f->type), a->width, a->n + 1, a->n[0]); }

/* Sets n[] to the strides of the input's tokens and heads, then those of the output, which has the
   other order and the other padding. The calls have tokens, head_dim and heads before them. */
static inline void to_strides(const shape *s, size_t dim, size_t *n)
{
    shape other = *s;
    other.form++, other.pad = s->pad == 0 ? 0 : 8 - s->pad;
    heads_in(s, dim, heads_of(s), tokens_of(s), &n[0], &n[1]);
    heads_in(&other, dim, heads_of(s), tokens_of(s), &n[2], &n[3]);
}
SIZES(rope_to)
{
    const size_t dim = a->width + s->width % 3;
    size_t n[4];
    UNUSED(f);
    to_strides(s, dim, n);
    SET(tokens_of(s), dim, heads_of(s), n[0], n[1], n[2], n[3]);
}
/* Describes arguments k and k + 1, the input and the output; n[] is tokens, head_dim, heads, and
   the four strides of to_strides(). */
static inline void put_to(const function *f, args *a, size_t k, const size_t *n)
{
    const size_t in[] = {n[2], n[3], n[4]}, out[] = {n[2], n[5], n[6]};
    put_heads(a, k, f->type, 0, element_of(f->type), n[1], in, n[0]);
    put_heads(a, k + 1, NOTHING, 1, element_of(f->out), n[1], out, n[0]);
}
BUFFERS(rope_to) { put_to(f, a, 0, a->n); }

/* n[] is tokens, q_heads, q_token_stride, q_head_stride, k_heads, k_token_stride, k_head_stride. */
SIZES(rope_qk)
{
    const size_t q = heads_of(s) + 1, k = heads_of(s), tokens = tokens_of(s);
    size_t qts, qhs, kts, khs;
    UNUSED(f);
    heads_in(s, a->width, q, tokens, &qts, &qhs);
    heads_in(s, a->width, k, tokens, &kts, &khs);
    SET(tokens, q, qts, qhs, k, kts, khs);
}
BUFFERS(rope_qk)
{
    put_heads(a, 0, f->type, 1, element_of(f->type), a->width, a->n + 1, a->n[0]);
    put_heads(a, 1, f->type, 1, element_of(f->type), a->width, a->n + 4, a->n[0]);
}

/* Returns the number of elements in a row of a table. */
static inline size_t width_of_table(size_t layout, size_t pairs)
{
    return layout == PE_ROPE_TABLE_APART ? pairs
                                         : times(layout == PE_ROPE_TABLE_MATRIX ? 4 : 2, pairs);
}

/* The following calls rotate heads using a table. The variant of such a function is 8 times the
   type of the table plus its layout. n[] is table_stride, pairs, tokens, heads, token_stride,
   head_stride. */
#define TABLE_OF(type, layout) (8 * (size_t)(type) + (size_t)(layout))
static inline int table_is_two(const function *f) { return f->variant % 8 <= PE_ROPE_TABLE_TWICE; }
static inline size_t arrays_of(const function *f) { return table_is_two(f) ? 2 : 1; }
static inline pe_rope_table table_of(const args *a)
{
    const int two = a->variant % 8 <= PE_ROPE_TABLE_TWICE;
    const pe_rope_table table = {a->p[a->list],
                                 two ? a->p[a->list + 1] : NULL,
                                 (pe_type)(a->variant / 8),
                                 (pe_rope_table_layout)(a->variant % 8),
                                 a->n[0],
                                 a->limit,
                                 a->n[1]};
    return table;
}
/* Returns the number of rows of the table, 4 more than the call needs, so that unused rows
   exist. */
static inline size_t rows_of(const shape *s) { return tokens_of(s) + 4; }
static inline size_t stride_by(const function *f, const shape *s)
{
    return width_of_table(f->variant % 8, over(s->width, 2)) + s->pad;
}
SIZES(rope_by)
{
    const size_t pairs = over(s->width, 2);
    size_t ts, hs;
    heads_in(s, 2 * pairs, heads_of(s), tokens_of(s), &ts, &hs);
    SET(stride_by(f, s), pairs, tokens_of(s), heads_of(s), ts, hs);
    a->limit = rows_of(s);
    if (a->place == PLACE_FROM) a->first = 0;
}
static inline void put_table(const function *f, args *a)
{
    static const holds types[] = {F32_S, F16_S, BF16_S};
    const holds type = types[f->variant / 8];
    for (size_t k = 0; k < arrays_of(f); k++)
        put_rows(a, k, type, 0, element_of(type), a->limit, a->n[0],
                 width_of_table(f->variant % 8, a->n[1]));
}
BUFFERS(rope_by)
{
    put_table(f, a);
    put_heads(a, arrays_of(f), f->type, 1, element_of(f->type), times(2, a->n[1]), a->n + 3,
              a->n[2]);
}

/* n[] is table_stride, pairs, tokens, head_dim, heads, in_token_stride, in_head_stride,
   out_token_stride, out_head_stride. */
SIZES(rope_by_to)
{
    const size_t pairs = over(s->width, 2), dim = 2 * pairs + s->width % 3;
    size_t n[4];
    to_strides(s, dim, n);
    SET(stride_by(f, s), pairs, tokens_of(s), dim, heads_of(s), n[0], n[1], n[2], n[3]);
    a->limit = rows_of(s);
    if (a->place == PLACE_FROM) a->first = 0;
}
BUFFERS(rope_by_to)
{
    put_table(f, a);
    put_to(f, a, arrays_of(f), a->n + 2);
}

/* n[] is rows, stride. The layout of the table is the function's variant. */
static inline size_t table_width(const function *f, const args *a)
{
    return width_of_table(f->variant, a->width / 2);
}
SIZES(table) { SET(s->rows, table_width(f, a) + s->pad); }
BUFFERS(table)
{
    for (unsigned k = 0; k < f->pointers; k++)
        put_rows(a, k, NOTHING, 1, element_of(f->type), a->n[0], a->n[1], table_width(f, a));
}

/* The following configs contain pointers to other arguments, so bind() writes them once all
   arguments have their memory. */
static inline size_t ggml_dims(const shape *s)
{
    return 2 * over(s->width < 70 ? s->width : 70, 2);
}
SIZES(ggml)
{
    UNUSED(f);
    SET(s->rows, ggml_dims(s) / 2 + s->pad);
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
    pe_rope_ggml config;
    UNUSED(f);
    memset(&config, 0, sizeof config);
    config.n_dims = 2 * a->pairs;
    config.ext_factor = a->form % 2 ? 0.5f : 0;
    config.n_ctx_orig = 4096;
    config.freq_factors = (const float *)a->p[a->list + 3];
    config.freq_factors_length = a->form / 2 % 2 ? a->pairs : 0;
    memcpy(a->p[a->list], &config, sizeof config);
}

BUFFERS(ggml_frequencies)
{
    UNUSED(f);
    put(a, 0, STRUCT, 0, sizeof(pe_rope_ggml), 1);
    put(a, 1, NOTHING, 1, sizeof(double), a->pairs);
    put(a, 2, NOTHING, 1, sizeof(double), 1);
    put(a, 3, F32_POSITIVE, 0, sizeof(float), a->pairs);
}
SIZES(float32)
{
    UNUSED(f);
    SET(0);
    a->pairs = over(s->width, 2), a->form = s->width;
}
BUFFERS(float32)
{
    UNUSED(f);
    put(a, 0, STRUCT, 0, sizeof(pe_config), 1);
    put(a, 1, NOTHING, 1, sizeof(double), a->pairs);
}
static void bind_float32(const function *f, args *a)
{
    const pe_config config = pe_config_default(a->form);
    UNUSED(f);
    memcpy(a->p[0], &config, sizeof config);
}

/* n[] is rows, stride: the call writes one float per row, or one per pair of each row. */
SIZES(scale)
{
    UNUSED(f);
    SET(s->rows);
}
SIZES(xpos)
{
    UNUSED(f);
    SET(s->rows, s->width + s->pad);
    a->pairs = s->width;
}
/* n[] is rows, stride, pairs. */
SIZES(sincos)
{
    UNUSED(f);
    SET(s->rows, s->width + s->pad, s->width);
}
BUFFERS(sincos)
{
    put(a, 0, F64_S, 0, sizeof(double), a->n[2]);
    put_rows(a, 1, NOTHING, 1, element_of(f->type), a->n[0], a->n[1], a->n[2]);
    put_rows(a, 2, NOTHING, 1, element_of(f->type), a->n[0], a->n[1], a->n[2]);
}
BUFFERS(scale)
{
    UNUSED(f);
    put(a, 0, NOTHING, 1, sizeof(float), a->n[0]);
}
BUFFERS(xpos)
{
    UNUSED(f);
    put_rows(a, 0, NOTHING, 1, sizeof(float), a->n[0], a->n[1], a->pairs);
}

/* Returns a config whose type is chosen by a->form, with its lists in arguments k, k + 1 and k + 2.
   A single pair excludes two types, whose exponent would divide by n - 2 = 0. */
static inline pe_rope_config model_of(const args *a, size_t k)
{
    pe_rope_config config = pe_rope_config_default(2 * a->pairs);
    config.rope_type = (pe_rope_type)(a->form % PE_ROPE_TYPE_COUNT);
    if (a->pairs == 1 && config.rope_type == PE_ROPE_NTK)
        config.rope_type = PE_ROPE_LINEAR; /* n - 2 = 0 */
    if (a->pairs == 1 && config.rope_type == PE_ROPE_DYNAMIC_NTK)
        config.rope_type = PE_ROPE_LONGROPE;
    config.factor = 4;
    config.original_max_position_embeddings = 4096;
    config.max_position_embeddings = 16384;
    config.sequence_length = a->form % 2 ? 8192 : 100;
    config.short_factor = (const double *)a->p[k];
    config.long_factor = (const double *)a->p[k + 1];
    config.freq_factors = (const float *)a->p[k + 2];
    if (a->form / 2 % 2)
        config.short_factor_length = config.long_factor_length = config.freq_factors_length =
            a->pairs;
    return config;
}
static inline void put_model(args *a, size_t k)
{
    put(a, k, F64_S, 0, sizeof(double), a->pairs);
    put(a, k + 1, F64_S, 0, sizeof(double), a->pairs);
    put(a, k + 2, F32_POSITIVE, 0, sizeof(float), a->pairs);
}

SIZES(rope_frequencies)
{
    UNUSED(f);
    SET(0);
    a->pairs = s->width < 35 ? s->width : 35;
    a->form = s->rows;
}
BUFFERS(rope_frequencies)
{
    UNUSED(f);
    put(a, 0, STRUCT, 0, sizeof(pe_rope_config), 1);
    put(a, 1, NOTHING, 1, sizeof(double), a->pairs);
    put(a, 2, NOTHING, 1, sizeof(double), 1);
    put_model(a, 3);
}
static void bind_rope_frequencies(const function *f, args *a)
{
    const pe_rope_config config = model_of(a, 3);
    UNUSED(f);
    memcpy(a->p[0], &config, sizeof config);
}

/* n[] is heads, queries, keys, query_stride, head_stride. */
static inline size_t alibi_queries(const shape *s) { return tokens_of(s); }
SIZES(alibi)
{
    size_t qs, hs;
    UNUSED(f);
    heads_in(s, s->width, heads_of(s), alibi_queries(s), &qs, &hs);
    SET(heads_of(s), alibi_queries(s), s->width, qs, hs);
}
static inline void put_alibi(args *a, holds h, size_t element)
{
    put(a, 0, F32_S, 0, sizeof(float), a->n[0]);
    put_rows(a, 1, h, 1, element, a->n[0], a->n[4], a->n[2]);
    loop(a, 1, a->n[1], a->n[3]);
}
BUFFERS(alibi_fill) { put_alibi(a, NOTHING, element_of(f->type)); }
BUFFERS(alibi_add) { put_alibi(a, f->type, element_of(f->type)); }

/* n[] is queries, keys. */
SIZES(t5)
{
    UNUSED(f);
    SET(s->rows, s->width);
}
BUFFERS(t5)
{
    UNUSED(f);
    put(a, 0, NOTHING, 1, sizeof(int32_t), times(a->n[0], a->n[1]));
}

/* n[] is entries, heads, queries, keys, query_stride, head_stride. */
SIZES(bias)
{
    size_t qs, hs;
    UNUSED(f);
    heads_in(s, s->width, heads_of(s), alibi_queries(s), &qs, &hs);
    SET(7, heads_of(s), alibi_queries(s), s->width, qs, hs);
    a->limit = 7;
}
BUFFERS(bias)
{
    put(a, 0, F32_S, 0, sizeof(float), times(a->n[0], a->n[1]));
    put(a, 1, AT_I32, 0, sizeof(int32_t), times(a->n[2], a->n[3]));
    put_rows(a, 2, f->type, 1, element_of(f->type), a->n[1], a->n[5], a->n[3]);
    loop(a, 2, a->n[2], a->n[4]);
}

/* n[] is table_rows, d_model, rows, stride. */
static inline size_t table_rows(const shape *s) { return 1 + s->form * 3 % 11; }
SIZES(learned)
{
    UNUSED(f);
    SET(table_rows(s), s->width, s->rows, s->width + s->pad);
    a->limit = table_rows(s);
}
BUFFERS(learned_add)
{
    put_rows(a, 0, f->type, 0, element_of(f->type), a->n[0], a->n[1], a->n[1]);
    put_rows(a, 1, f->type, 1, element_of(f->type), a->n[2], a->n[3], a->n[1]);
}
BUFFERS(learned_grad)
{
    put_rows(a, 0, f->type, 1, element_of(f->type), a->n[0], a->n[1], a->n[1]);
    put_rows(a, 1, f->type, 0, element_of(f->type), a->n[2], a->n[3], a->n[1]);
}

/* n[] is height, width, d_model, out_height, out_width. These calls have one column, so they
   resample a list of rows; resample_2d has a grid. */
SIZES(resample)
{
    UNUSED(f);
    SET(table_rows(s), 1, s->width, s->rows, 1);
}
SIZES(resample_2d)
{
    UNUSED(f);
    SET(1 + s->form % 4, 1 + s->form % 5, s->width, heads_of(s), tokens_of(s));
}
BUFFERS(resample)
{
    UNUSED(f);
    put_rows(a, 0, F32_S, 0, sizeof(float), times(a->n[0], a->n[1]), a->n[2], a->n[2]);
    put(a, 1, STRUCT, 0, sizeof(pe_resample), 1);
    put_rows(a, 2, NOTHING, 1, sizeof(float), times(a->n[3], a->n[4]), a->n[2], a->n[2]);
}
static void bind_resample(const function *f, args *a)
{
    pe_resample how;
    UNUSED(f);
    memset(&how, 0, sizeof how);
    how.method = a->form % 2 ? PE_RESAMPLE_CUBIC : PE_RESAMPLE_LINEAR;
    how.a = -0.75;
    how.align_corners = a->form / 2 % 2;
    memcpy(a->p[1], &how, sizeof how);
}

/* Returns the config of a plan for this shape. With several axes, the widths are chosen so that
   blocks have odd widths and some columns belong to no axis. */
static inline pe_config plan_config(plan_kind kind, const shape *s)
{
    const manner *how = &forms[s->form];
    pe_config c = pe_config_default(s->width);
    c.layout = how->layout, c.cos_first = how->cos_first, c.odd = how->odd, c.angle = how->angle;
    c.has_padding = how->has_padding, c.padding_position = 1001;
    c.expected_rows = how->expected_rows;
    c.amplitude = s->form % 3 == 2 ? -1.5 : 1;
    if (kind == PLAN_DOTS || kind == PLAN_SHIFTS) c.odd = PE_ODD_ZERO, c.angle = PE_ANGLE_EXACT;
    if (kind == PLAN_ROPE) c.d_model = 2 * over(s->width, 2), c.has_padding = 0;
    if (kind == PLAN_SUMS && how->axes > 1 && c.odd == PE_ODD_ZERO && s->width > 1) {
        c.axes = how->axes, c.columns = PE_COLUMNS_SUMS;
        c.angle = PE_ANGLE_EXACT, c.has_padding = 0;
    }
    if ((kind == PLAN_MANY || kind == PLAN_SHIFTS) && s->width >= 4 * how->axes) {
        c.axes = how->axes;
        if (c.axes > 1) c.has_padding = 0;
        if (s->form % 2) /* axes of the same, even width: in any order of columns but sums */
            c.columns = (pe_columns)(s->width % (kind == PLAN_SHIFTS ? 2 : 3));
        for (size_t k = 0; k < c.axes && c.axes > 1; k++) {
            c.axis[k].coordinate = c.axes - 1 - k;
            if (s->form % 2 == 0) c.axis[k].width = s->width / c.axes - k % 2;
        }
    }
    return c;
}

/* Returns a RoPE config with several coordinates. The width chooses the order of its sections, so
   that each order occurs. */
static inline pe_rope_config sections_config(const shape *s)
{
    const manner *how = &forms[s->form];
    const size_t pairs = over(s->width, 2), most = 1 + s->form % PE_MAX_AXES;
    pe_rope_config c = pe_rope_config_default(2 * pairs);
    c.layout = how->layout, c.angle = how->angle, c.expected_rows = how->expected_rows;
    c.rope_theta = 2; /* one step turns every pair by so much that 16 bits see it */
    c.axes = most < pairs ? most : pairs;
    for (size_t k = 1; k < c.axes; k++) c.sections[k] = pairs / c.axes;
    c.sections[0] = pairs - (c.axes - 1) * (pairs / c.axes);
    c.section_order = (pe_sections)(s->width % 3);
    c.rope_interleave = c.layout == PE_LAYOUT_HALVES && pairs <= 256 && s->width % 5 < 2;
    if (c.section_order == PE_SECTIONS_VISION && pairs % c.axes != 0)
        c.section_order = PE_SECTIONS_BLOCKS;
    return c;
}

/* n[] is memory_size, or pairs, memory_size for pe_plan_init_frequencies(). */
SIZES(plan_init)
{
    const pe_config c = plan_config(PLAN_ONE, s);
    UNUSED(f);
    SET(pe_plan_size(&c));
    a->form = s->form, a->width = s->width;
}
BUFFERS(plan_init)
{
    UNUSED(f);
    put_opaque(a, 0, sizeof(pe_plan), 1); /* pointers */
    put(a, 1, STRUCT, 0, sizeof(pe_config), 1);
    put_opaque(a, 2, 1, a->n[0]); /* arrays where the alignment puts them */
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
    SET(c.odd == PE_ODD_SINE ? over(s->width, 2) : s->width / 2, pe_plan_size(&c));
    a->form = s->form, a->width = s->width;
}
BUFFERS(plan_init_frequencies)
{
    UNUSED(f);
    put_opaque(a, 0, sizeof(pe_plan), 1);
    put(a, 1, STRUCT, 0, sizeof(pe_config), 1);
    put(a, 2, F64_S, 0, sizeof(double), a->n[0]);
    put_opaque(a, 3, 1, a->n[1]);
}
SIZES(rope_plan_init)
{
    static double ones[35];
    pe_rope_config c;
    UNUSED(f);
    for (size_t k = 0; k < 35; k++) ones[k] = 1;
    a->pairs = s->width < 35 ? s->width : 35;
    a->form = s->rows;
    c = model_of(a, 3);
    c.short_factor = c.long_factor = ones, c.freq_factors = NULL; /* the size is that of any */
    c.freq_factors_length = 0;
    SET(pe_rope_plan_size(&c));
}
BUFFERS(rope_plan_init)
{
    UNUSED(f);
    put_opaque(a, 0, sizeof(pe_plan), 1);
    put(a, 1, STRUCT, 0, sizeof(pe_rope_config), 1);
    put_opaque(a, 2, 1, a->n[0]);
    put_model(a, 3);
}
static void bind_rope_plan(const function *f, args *a)
{
    const pe_rope_config config = model_of(a, 3);
    UNUSED(f);
    memcpy(a->p[1], &config, sizeof config);
}

/* ------------------------------------------------------------------------------------------------
 * The calls and the list
 * --------------------------------------------------------------------------------------------- */

/* Leaves out the query at the position of the first key: its bias is 0, which a test could not tell
   from memory that was never written. */
#define AFTER_FIRST pe_skip(pe_from(a->first), 1)

#define CALL(name, arguments)                                                                      \
    static pe_status call_##name(const args *a) { return name arguments; }
#define P(type, k) ((type *)a->p[a->list + (k)])
#define IN(type, k) ((const type *)a->p[a->list + (k)])
#define N(i) a->n[i]

/* Returns the heads whose heads, token_stride and head_stride are n[i], n[i + 1] and n[i + 2]. */
static inline pe_heads heads_at(const args *a, size_t i)
{
    const pe_heads heads = {a->n[i], a->n[i + 2], a->n[i + 1]};
    return heads;
}
static inline pe_heads heads_to(const args *a, size_t heads, size_t i)
{
    const pe_heads to = {a->n[heads], a->n[i + 1], a->n[i]};
    return to;
}

#define FOUR_TYPES(X)                                                                              \
    X(f32, float, float) X(f64, double, double) X(f16, uint16_t, float) X(bf16, uint16_t, float)
#define THREE_TYPES(X) X(f32, float) X(f16, uint16_t) X(bf16, uint16_t)

#define CALLS_OF_FOUR(T, e, s)                                                                     \
    CALL(pe_fill_##T, (a->plan, at_of(a), N(0), P(e, 0), N(1)))                                    \
    CALL(pe_add_##T, (a->plan, at_of(a), N(0), (s)a->scale, P(e, 0), N(1)))                        \
    CALL(pe_add_batch_##T, (a->plan, at_of(a), N(0), N(1), (s)a->scale, P(e, 0), N(2), N(3)))      \
    CALL(pe_shift_##T, (a->plan, at_of(a), N(0), P(e, 0), N(1)))                                   \
    CALL(pe_sincos_##T,                                                                            \
         (IN(double, 0), N(2), (double)a->scale, at_of(a), N(0), P(e, 1), P(e, 2), N(1)))
FOUR_TYPES(CALLS_OF_FOUR)

#define CALL_TO(name, from, to)                                                                    \
    CALL(name, (a->plan, at_of(a), N(0), N(1), IN(from, 0), heads_to(a, 2, 3), P(to, 1),           \
                heads_to(a, 2, 5)))
#define CALLS_OF_THREE(T, e)                                                                       \
    CALL(pe_rope_##T, (a->plan, at_of(a), N(0), P(e, 0), heads_at(a, 1)))                          \
    CALL_TO(pe_rope_to_##T, e, e)                                                                  \
    CALL(pe_rope_qk_##T,                                                                           \
         (a->plan, at_of(a), N(0), P(e, 0), heads_at(a, 1), P(e, 1), heads_at(a, 4)))              \
    CALL(pe_rope_table_##T, (a->plan, at_of(a), N(0), (pe_rope_table_layout)a->variant, P(e, 0),   \
                             a->variant < PE_ROPE_TABLE_JOINED ? P(e, 1) : NULL, N(1), NULL))      \
    static pe_status call_pe_rope_by_table_##T(const args *a)                                      \
    {                                                                                              \
        const pe_rope_table table = table_of(a);                                                   \
        return pe_rope_by_table_##T(&table, a->layout, at_of(a), N(2),                             \
                                    P(e, a->variant % 8 < 2 ? 2 : 1), heads_at(a, 3));             \
    }                                                                                              \
    static pe_status call_pe_rope_by_table_to_##T(const args *a)                                   \
    {                                                                                              \
        const pe_rope_table table = table_of(a);                                                   \
        const size_t k = a->variant % 8 < 2 ? 2 : 1;                                               \
        return pe_rope_by_table_to_##T(&table, a->layout, at_of(a), N(2), N(3), IN(e, k),          \
                                       heads_to(a, 4, 5), P(e, k + 1), heads_to(a, 4, 7));         \
    }                                                                                              \
    CALL(pe_alibi_fill_##T,                                                                        \
         (IN(float, 0), N(0), a->mode, AFTER_FIRST, N(1), at_of(a), N(2), P(e, 1), N(3), N(4)))    \
    CALL(pe_alibi_add_##T,                                                                         \
         (IN(float, 0), N(0), a->mode, AFTER_FIRST, N(1), at_of(a), N(2), P(e, 1), N(3), N(4)))    \
    CALL(pe_bias_add_##T,                                                                          \
         (IN(float, 0), N(0), N(1), IN(int32_t, 1), N(2), N(3), P(e, 2), N(4), N(5)))              \
    CALL(pe_learned_add_##T, (IN(e, 0), N(0), N(1), at_of(a), N(2), P(e, 1), N(3)))
THREE_TYPES(CALLS_OF_THREE)

CALL_TO(pe_rope_to_f32_f16, float, uint16_t)
CALL_TO(pe_rope_to_f32_bf16, float, uint16_t)
CALL(pe_sinusoidal_f32, (P(float, 0), N(0), N(1)))
CALL(pe_dot_f64, (a->plan, at_of(a), N(0), P(double, 0)))
CALL(pe_plan_frequencies, (a->plan, P(double, 0)))
CALL(pe_plan_wavelengths, (a->plan, P(double, 0)))
CALL(pe_fixed_increments, (a->plan, P(uint32_t, 0)))
CALL(pe_fixed_increments_of, (IN(double, 0), N(0), P(uint32_t, 1)))
CALL(pe_plan_init, (P(pe_plan, 0), IN(pe_config, 1), P(void, 2), N(0)))
CALL(pe_plan_init_frequencies,
     (P(pe_plan, 0), IN(pe_config, 1), IN(double, 2), N(0), P(void, 3), N(1)))
CALL(pe_rope_plan_init, (P(pe_plan, 0), IN(pe_rope_config, 1), P(void, 2), N(0)))
CALL(pe_rope_frequencies, (IN(pe_rope_config, 0), P(double, 1), P(double, 2)))
CALL(pe_rope_ggml_f32, (IN(pe_rope_ggml, 0), at_of(a), N(0), P(float, 1), P(float, 2), N(1)))
CALL(pe_rope_ggml_frequencies, (IN(pe_rope_ggml, 0), P(double, 1), P(double, 2)))
CALL(pe_frequencies_float32, (IN(pe_config, 0), (pe_float32)(a->pairs % 3), P(double, 1)))
CALL(pe_rope_query_scale_f32, (PE_QUERY_SCALE_FLOOR, 0.1, 100, 0, at_of(a), N(0), P(float, 0)))
CALL(pe_rope_xpos_f32, (a->pairs, 1e9, at_of(a), N(0), P(float, 0), N(1)))
CALL(pe_bias_t5_i32, (32, 128, 1, AFTER_FIRST, N(0), at_of(a), N(1), P(int32_t, 0)))
CALL(pe_alibi_slopes_f32, (N(0), 8.0f, P(float, 0)))
CALL(pe_learned_grad_f32, (P(float, 0), N(0), N(1), at_of(a), N(2), IN(float, 1), N(3)))
CALL(pe_learned_resample_f32,
     (IN(float, 0), N(0), N(1), N(2), IN(pe_resample, 1), P(float, 2), N(3), N(4)))

#define HOLDS_f32 F32_S
#define HOLDS_f64 F64_S
#define HOLDS_f16 F16_S
#define HOLDS_bf16 BF16_S
#define BIT(i) (1u << (i))

/* The arguments of ROW_TO are the fields of `function`, in their order. `to` is the type of an
   output array of its own. */
#define ROW_TO(name, T, to, plan, place, variant, sizes, buffers, bind, rows, pointers, nullable,  \
               zeros, strides, counted, fixed)                                                     \
    {#name,    call_##name,   HOLDS_##T,         HOLDS_##to, plan, place,                          \
     variant,  sizes_##sizes, buffers_##buffers, bind,       rows, pointers,                       \
     nullable, zeros,         strides,           counted,    fixed},
#define ROW(name, T, plan, place, variant, sizes, buffers, bind, rows, pointers, nullable, zeros,  \
            strides, counted, fixed)                                                               \
    ROW_TO(name, T, T, plan, place, variant, sizes, buffers, bind, rows, pointers, nullable,       \
           zeros, strides, counted, fixed)

/* If the pe_at is a range, `counted` is BIT() of the number of rows, because a range ends at the
   largest position. A list has no end of its own, so `counted` is 0. */
#define FILL(T, plan, place, counted)                                                              \
    ROW(pe_fill_##T, T, plan, place, 0, rows, fill, NULL, 0, 1, 0, BIT(0), BIT(1), counted, 0)
#define ADD(T, place, counted)                                                                     \
    ROW(pe_add_##T, T, PLAN_ONE, place, 0, rows, add, NULL, 0, 1, 0, BIT(0), BIT(1), counted, 0)
#define ADD_BATCH(T, plan, place, counted)                                                         \
    ROW(pe_add_batch_##T, T, plan, place, 0, batch, batch, NULL, 0, 1, 0, BIT(0) | BIT(1),         \
        BIT(2) | BIT(3), counted, 0)
#define SINCOS(T, place, counted)                                                                  \
    ROW(pe_sincos_##T, T, PLAN_NONE, place, 0, sincos, sincos, NULL, 0, 3, 0, BIT(0) | BIT(2),     \
        BIT(1), counted, 0)
#define SHIFT(T, plan, place)                                                                      \
    ROW(pe_shift_##T, T, plan, place, 0, rows, add, NULL, 0, 1, 0, BIT(0), BIT(1), 0, 0)
#define ROWS_OF_FOUR(T, e, s)                                                                      \
    FILL(T, PLAN_ONE, PLACE_FROM, BIT(0))                                                          \
    FILL(T, PLAN_ONE, PLACE_I64, 0)                                                                \
    FILL(T, PLAN_ONE, PLACE_F64, 0)                                                                \
    FILL(T, PLAN_MANY, PLACE_GRID, 0)                                                              \
    FILL(T, PLAN_MANY, PLACE_COORDS_F64, 0)                                                        \
    FILL(T, PLAN_MANY, PLACE_ANY, 0)                                                               \
    FILL(T, PLAN_SUMS, PLACE_COORDS_F64, 0)                                                        \
    FILL(T, PLAN_SUMS, PLACE_ANY, 0)                                                               \
    ADD(T, PLACE_FROM, BIT(0))                                                                     \
    ADD(T, PLACE_I64, 0)                                                                           \
    ADD(T, PLACE_ANY, 0)                                                                           \
    ADD_BATCH(T, PLAN_ONE, PLACE_FROM, BIT(0))                                                     \
    ADD_BATCH(T, PLAN_MANY, PLACE_ANY, 0)                                                          \
    ADD_BATCH(T, PLAN_SUMS, PLACE_ANY, 0)                                                          \
    SINCOS(T, PLACE_FROM, BIT(0))                                                                  \
    SINCOS(T, PLACE_F64, 0)                                                                        \
    SINCOS(T, PLACE_ANY, 0)                                                                        \
    SHIFT(T, PLAN_DOTS, PLACE_ALL)                                                                 \
    SHIFT(T, PLAN_SHIFTS, PLACE_ANY)

#define TURN(T, plan, place, counted)                                                              \
    ROW(pe_rope_##T, T, plan, place, 0, rope, rope, NULL, 0, 1, 0, BIT(0) | BIT(1),                \
        BIT(2) | BIT(3), counted, 0)
#define TURN_TO(name, T, to, plan, place, counted)                                                 \
    ROW_TO(name, T, to, plan, place, 0, rope_to, rope_to, NULL, 0, 2, 0, BIT(0) | BIT(2),          \
           BIT(3) | BIT(4) | BIT(5) | BIT(6), counted, 0)
#define TURN_QK(T, plan, place, counted)                                                           \
    ROW(pe_rope_qk_##T, T, plan, place, 0, rope_qk, rope_qk, NULL, 0, 2, 0, BIT(0),                \
        BIT(2) | BIT(3) | BIT(5) | BIT(6), counted, 0)
#define TABLE(T, plan, place, layout, pointers, counted)                                           \
    ROW(pe_rope_table_##T, T, plan, place, layout, table, table, NULL, 0, pointers, 0, BIT(0),     \
        BIT(1), counted, 0)
#define BY_TABLE(T, place, type, layout, arrays)                                                   \
    ROW(pe_rope_by_table_##T, T, PLAN_NONE, place,                                                 \
        TABLE_OF(PE_TYPE_##type, PE_ROPE_TABLE_##layout), rope_by, rope_by, NULL, 2, arrays + 1,   \
        0, BIT(2) | BIT(3), BIT(0) | BIT(4) | BIT(5), 0, 0)                                        \
    ROW(pe_rope_by_table_to_##T, T, PLAN_NONE, place,                                              \
        TABLE_OF(PE_TYPE_##type, PE_ROPE_TABLE_##layout), rope_by_to, rope_by_to, NULL, 2,         \
        arrays + 2, 0, BIT(2) | BIT(4), BIT(0) | BIT(5) | BIT(6) | BIT(7) | BIT(8), 0, 0)
#define ROWS_OF_THREE(T, e)                                                                        \
    TURN(T, PLAN_ROPE, PLACE_FROM, BIT(0))                                                         \
    TURN(T, PLAN_ROPE, PLACE_I64, 0)                                                               \
    TURN(T, PLAN_ROPE, PLACE_BACK, BIT(0))                                                         \
    TURN(T, PLAN_ROPE, PLACE_BACK_LIST, 0)                                                         \
    TURN(T, PLAN_ROPE, PLACE_DELTA, 0)                                                             \
    TURN(T, PLAN_ROPE, PLACE_DELTA_LIST, 0)                                                        \
    TURN(T, PLAN_SECTIONS, PLACE_POINTS, 0)                                                        \
    TURN(T, PLAN_LISTED, PLACE_POINTS, 0)                                                          \
    TURN(T, PLAN_ROPE, PLACE_ANY, 0)                                                               \
    TURN_TO(pe_rope_to_##T, T, T, PLAN_ROPE, PLACE_FROM, BIT(0))                                   \
    TURN_TO(pe_rope_to_##T, T, T, PLAN_ROPE, PLACE_I64, 0)                                         \
    TURN_TO(pe_rope_to_##T, T, T, PLAN_SECTIONS, PLACE_ANY, 0)                                     \
    TURN_TO(pe_rope_to_##T, T, T, PLAN_LISTED, PLACE_ANY, 0)                                       \
    TURN_QK(T, PLAN_ROPE, PLACE_FROM, BIT(0))                                                      \
    TURN_QK(T, PLAN_ROPE, PLACE_I64, 0)                                                            \
    TURN_QK(T, PLAN_SECTIONS, PLACE_ANY, 0)                                                        \
    TURN_QK(T, PLAN_LISTED, PLACE_ANY, 0)                                                          \
    BY_TABLE(T, PLACE_FROM, F32, APART, 2)                                                         \
    BY_TABLE(T, PLACE_NUMBER, F32, APART, 2)                                                       \
    BY_TABLE(T, PLACE_NUMBER, F16, TWICE, 2)                                                       \
    BY_TABLE(T, PLACE_NUMBER, BF16, JOINED, 1)                                                     \
    BY_TABLE(T, PLACE_NUMBER, F16, COMPLEX, 1)                                                     \
    BY_TABLE(T, PLACE_NUMBER, F32, MATRIX, 1)                                                      \
    TABLE(T, PLAN_ROPE, PLACE_FROM, PE_ROPE_TABLE_APART, 2, BIT(0))                                \
    TABLE(T, PLAN_ROPE, PLACE_FROM, PE_ROPE_TABLE_TWICE, 2, BIT(0))                                \
    TABLE(T, PLAN_ROPE, PLACE_FROM, PE_ROPE_TABLE_JOINED, 1, BIT(0))                               \
    TABLE(T, PLAN_ROPE, PLACE_FROM, PE_ROPE_TABLE_COMPLEX, 1, BIT(0))                              \
    TABLE(T, PLAN_SECTIONS, PLACE_ANY, PE_ROPE_TABLE_APART, 2, 0)                                  \
    TABLE(T, PLAN_LISTED, PLACE_ANY, PE_ROPE_TABLE_APART, 2, 0)                                    \
    TABLE(T, PLAN_LISTED, PLACE_ANY, PE_ROPE_TABLE_JOINED, 1, 0)                                   \
    TABLE(T, PLAN_SECTIONS, PLACE_ANY, PE_ROPE_TABLE_TWICE, 2, 0)                                  \
    TABLE(T, PLAN_SECTIONS, PLACE_ANY, PE_ROPE_TABLE_COMPLEX, 1, 0)                                \
    TABLE(T, PLAN_SECTIONS, PLACE_ANY, PE_ROPE_TABLE_MATRIX, 1, 0)                                 \
    ROW(pe_alibi_fill_##T, T, PLAN_NONE, PLACE_FROM, 0, alibi, alibi_fill, NULL, 2, 2, 0,          \
        BIT(0) | BIT(1) | BIT(2), BIT(3) | BIT(4), BIT(1) | BIT(2), 0)                             \
    ROW(pe_alibi_fill_##T, T, PLAN_NONE, PLACE_WHOLE, 0, alibi, alibi_fill, NULL, 2, 2, 0,         \
        BIT(0) | BIT(1) | BIT(2), BIT(3) | BIT(4), 0, 0)                                           \
    ROW(pe_alibi_add_##T, T, PLAN_NONE, PLACE_FROM, 0, alibi, alibi_add, NULL, 2, 2, 0,            \
        BIT(0) | BIT(1) | BIT(2), BIT(3) | BIT(4), BIT(1) | BIT(2), 0)                             \
    ROW(pe_alibi_add_##T, T, PLAN_NONE, PLACE_WHOLE, 0, alibi, alibi_add, NULL, 2, 2, 0,           \
        BIT(0) | BIT(1) | BIT(2), BIT(3) | BIT(4), 0, 0)                                           \
    ROW(pe_bias_add_##T, T, PLAN_NONE, PLACE_NONE, 0, bias, bias, NULL, 0, 3, 0,                   \
        BIT(1) | BIT(2) | BIT(3), BIT(4) | BIT(5), 0, 0)                                           \
    ROW(pe_learned_add_##T, T, PLAN_NONE, PLACE_I64, 0, learned, learned_add, NULL, 2, 2, 0,       \
        BIT(2), BIT(3), 0, 0)                                                                      \
    ROW(pe_learned_add_##T, T, PLAN_NONE, PLACE_ROW, 0, learned, learned_add, NULL, 2, 2, 0,       \
        BIT(2), BIT(3), 0, 0)

static const function FUNCTIONS[] = {
    FOUR_TYPES(ROWS_OF_FOUR)                                               /* */
    THREE_TYPES(ROWS_OF_THREE)                                             /* */
    TURN_TO(pe_rope_to_f32_f16, f32, f16, PLAN_ROPE, PLACE_FROM, BIT(0))   /* */
    TURN_TO(pe_rope_to_f32_f16, f32, f16, PLAN_SECTIONS, PLACE_ANY, 0)     /* */
    TURN_TO(pe_rope_to_f32_bf16, f32, bf16, PLAN_ROPE, PLACE_FROM, BIT(0)) /* */
    TURN_TO(pe_rope_to_f32_bf16, f32, bf16, PLAN_SECTIONS, PLACE_ANY, 0)   /* */
    ROW(pe_sinusoidal_f32, f32, PLAN_NONE, PLACE_NONE, 0, sinusoidal, sinusoidal, NULL, 0, 1, 0,
        BIT(0), 0, BIT(0), 0) ROW(pe_dot_f64, f64, PLAN_DOTS, PLACE_FROM, 0, dots, list, NULL, 0, 1,
                                  0, BIT(0), 0, BIT(0), 0)
        ROW(pe_dot_f64, f64, PLAN_DOTS, PLACE_ANY, 0, dots, list, NULL, 0, 1, 0, BIT(0), 0,
            0, 0) ROW(pe_plan_frequencies, f64, PLAN_MANY, PLACE_NONE, 0, none, pairs, NULL, 0,
                      1, 0, 0, 0, 0, 1) ROW(pe_plan_wavelengths, f64, PLAN_MANY,
                                            PLACE_NONE, 0, none, pairs, NULL, 0, 1, 0, 0, 0, 0, 1)
            ROW(pe_fixed_increments, f32, PLAN_DOTS, PLACE_NONE, 0, none, increments, NULL, 0,
                1, 0, 0, 0, 0, 1) ROW(pe_fixed_increments_of, f64, PLAN_NONE, PLACE_NONE, 0,
                                      width_only, increments_of, NULL, 0, 2, 0, BIT(0), 0, 0,
                                      1) ROW(pe_plan_init, f64, PLAN_NONE, PLACE_NONE, 0, plan_init,
                                             plan_init, bind_plan, 0, 3, 0, 0, 0, 0, 1)
                ROW(pe_plan_init_frequencies, f64, PLAN_NONE, PLACE_NONE, 0, plan_init_frequencies,
                    plan_init_frequencies, bind_plan, 0, 4, 0, 0, 0, 0,
                    1) ROW(pe_rope_plan_init, f64, PLAN_NONE, PLACE_NONE, 0, rope_plan_init,
                           rope_plan_init, bind_rope_plan, 0, 3, 0, 0, 0, 0, 2)
                    ROW(pe_rope_frequencies, f64, PLAN_NONE, PLACE_NONE, 0, rope_frequencies,
                        rope_frequencies, bind_rope_frequencies, 0, 3, BIT(2), 0, 0, 0,
                        2) ROW(pe_rope_ggml_f32, f32, PLAN_NONE, PLACE_FROM, 0, ggml, ggml,
                               bind_ggml, 0, 3, 0, BIT(0), BIT(1),
                               BIT(0), 2) ROW(pe_rope_ggml_f32, f32, PLAN_NONE, PLACE_ANY, 0, ggml,
                                              ggml, bind_ggml, 0, 3, 0, BIT(0), BIT(1), 0, 2)
                        ROW(pe_rope_ggml_frequencies, f64, PLAN_NONE, PLACE_NONE, 0, ggml,
                            ggml_frequencies, bind_ggml, 0, 3, BIT(2), 0, 0,
                            0, 1) ROW(pe_frequencies_float32, f64, PLAN_NONE, PLACE_NONE, 0,
                                      float32, float32, bind_float32, 0, 2, 0, 0, 0, 0, 1)
                            ROW(pe_rope_query_scale_f32, f32, PLAN_NONE, PLACE_FROM, 0,
                                scale, scale, NULL, 0, 1, 0, BIT(0), 0, BIT(0),
                                2) ROW(pe_rope_xpos_f32, f32, PLAN_NONE, PLACE_FROM, 0, xpos,
                                       xpos, NULL, 0, 1, 0, BIT(0), BIT(1), BIT(0), 0)
                                ROW(pe_rope_xpos_f32, f32, PLAN_NONE, PLACE_F64, 0, xpos, xpos,
                                    NULL, 0, 1, 0, BIT(0), BIT(1), 0,
                                    0) ROW(pe_bias_t5_i32, f32, PLAN_NONE, PLACE_FROM, 0, t5,
                                           t5, NULL, 1, 1, 0, BIT(0) | BIT(1), 0, BIT(0) | BIT(1),
                                           0)
                                    ROW(pe_bias_t5_i32, f32, PLAN_NONE, PLACE_WHOLE, 0, t5, t5,
                                        NULL, 1, 1, 0, BIT(0) | BIT(1), 0, 0,
                                        0) ROW(pe_alibi_slopes_f32, f32, PLAN_NONE, PLACE_NONE,
                                               0, width_only, list, NULL, 0, 1, 0, BIT(0), 0, 0, 1)
                                        ROW(pe_learned_grad_f32, f32, PLAN_NONE, PLACE_I64, 0,
                                            learned, learned_grad, NULL, 2, 2, 0, BIT(2), BIT(3), 0,
                                            0) ROW(pe_learned_grad_f32, f32, PLAN_NONE, PLACE_ROW,
                                                   0, learned, learned_grad, NULL, 2, 2, 0, BIT(2),
                                                   BIT(3), 0, 0)
                                            ROW(pe_learned_resample_f32, f32, PLAN_NONE, PLACE_NONE,
                                                0, resample, resample, bind_resample, 0, 3, BIT(1),
                                                BIT(3) | BIT(4), 0, 0, 0)
                                                ROW(pe_learned_resample_f32, f32, PLAN_NONE,
                                                    PLACE_NONE, 0, resample_2d, resample,
                                                    bind_resample, 0, 3, BIT(1), BIT(3) | BIT(4), 0,
                                                    0, 0)};

#endif /* PE_TESTS_API_H */
