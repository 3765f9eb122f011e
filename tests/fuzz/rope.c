/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes RoPE: every call, with valid and invalid arguments, at places of any kind, with plans of
 * one coordinate and of several. A call has to return an error exactly if something is wrong, and
 * then it must write nothing. Otherwise it may write only the heads.
 *
 * Each head must have the bits of a rotation by the cosines and sines of a plan without offset and
 * sections. The positions are those that the place means, computed again by the harness. Floats are
 * rotated by the formula. 16-bit heads are rotated one by one, with their pairs in the other
 * layout.
 */
#define FUZZ_ROPE
#include "calls.h"
#include "place.h"

#include <float.h>

enum { ELEMENTS = 320, POOL = 48, PAIRS = 32, STILL = 255 };

typedef struct plan_case {
    pe_plan plan;
    pe_layout layout;
    double offset;
    uint64_t may;  /* FUZZ_BIT(PE_ERR_PLAN_ROPE) if RoPE refuses the plan, else 0      */
    size_t blocks; /* blocks of equal width with halves of their own; 0: one block     */
    size_t n;      /* elements of a head that are rotated                              */
    size_t before; /* elements of a head before those                                  */
    int adjacent;  /* 1: pairs are interleaved before the rotation and halves after it */
    /* For each pair: its coordinate, or STILL if its angle is always 0, and the index of the pair
       of the twins with the same frequency. */
    uint8_t coordinate[PAIRS], number[PAIRS];
    pe_plan still; /* first twin: the plan with one coordinate and without offset      */
    pe_plan bare;  /* second twin: also with amplitude 1, as pe_delta() has it         */
} plan_case;

static plan_case pool[POOL];
static size_t pooled;

/* ------------------------------------------------------------------------------------------------
 * Plans
 * --------------------------------------------------------------------------------------------- */

static void make_plan(pe_plan *plan, const pe_config *config)
{
    const size_t bytes = pe_plan_size(config);
    if (bytes == 0 || pe_plan_init(plan, config, malloc(bytes), bytes) != PE_OK)
        FUZZ_FAIL("no plan for number %zu of the pool", pooled);
}

/* Adds the plan of a config to the pool. `twin` is the config of one block of its columns. The
   plans `still` and `bare` are made from it. */
static plan_case *pool_add(pe_config config, pe_config twin)
{
    plan_case *p = &pool[pooled++];
    make_plan(&p->plan, &config);
    p->n = config.d_model, p->layout = config.layout, p->offset = config.offset;
    twin.offset = 0, twin.has_padding = 0;
    make_plan(&p->still, &twin);
    twin.amplitude = 1;
    make_plan(&p->bare, &twin);
    for (size_t i = 0; i < p->plan.pairs; i++) {
        p->coordinate[i] = (uint8_t)config.axis[i / p->still.pairs].coordinate;
        p->number[i] = (uint8_t)(i % p->still.pairs);
    }
    return p;
}

/* Does the work of sections_of() for a config that lists the coordinate of each pair. */
static int list_of(const pe_rope_config *c, size_t pairs, uint8_t *coordinate, uint8_t *number)
{
    int ok = c->section_order == PE_SECTIONS_BLOCKS;
    for (size_t a = 0; a < PE_MAX_AXES && a < c->axes; a++) ok &= c->sections[a] == 0;
    for (size_t i = 0; i < pairs; i++) {
        coordinate[i] = c->coordinate[i], number[i] = (uint8_t)i;
        ok &= coordinate[i] < c->axes || coordinate[i] == STILL;
    }
    return ok;
}

/* Stores the coordinate of each pair, and the index of its frequency in a head that has only this
   coordinate. Returns 0 if the sections, or the list of coordinates, are invalid. */
static int sections_of(const pe_rope_config *c, size_t pairs, uint8_t *coordinate, uint8_t *number)
{
    size_t count[PE_MAX_AXES] = {0};
    const size_t axes = c->axes;
    if (axes < 1 || axes > PE_MAX_AXES) return 0;
    if (c->coordinate) return list_of(c, pairs, coordinate, number);
    if (axes > 1 && c->section_order == PE_SECTIONS_VISION && pairs % axes != 0) return 0;
    for (size_t i = 0; i < pairs; i++) {
        size_t a = 0;
        if (axes > 1 && c->section_order == PE_SECTIONS_BLOCKS)
            for (size_t rest = i; a + 1 < axes && rest >= c->sections[a];) rest -= c->sections[a++];
        if (axes > 1 && c->section_order == PE_SECTIONS_INTERLEAVED)
            a = i / axes < c->sections[i % axes] ? i % axes : 0;
        if (axes > 1 && c->section_order == PE_SECTIONS_VISION) a = i / (pairs / axes);
        coordinate[i] = (uint8_t)a, count[a]++;
        number[i] =
            (uint8_t)(axes > 1 && c->section_order == PE_SECTIONS_VISION ? i % (pairs / axes) : i);
    }
    for (size_t a = 0; a < axes && axes > 1 && c->section_order != PE_SECTIONS_INTERLEAVED; a++)
        if (count[a] != c->sections[a]) return 0;
    return (unsigned)c->section_order <= PE_SECTIONS_VISION || axes == 1;
}

static size_t pairs_of(const pe_rope_config *c)
{
    return (c->rope_type == PE_ROPE_PROPORTIONAL || !c->rotary_dim ? c->head_dim : c->rotary_dim) /
           2;
}

/* Makes the twins of a plan of this valid config, in memory of `room` bytes each. */
static void rope_twins(plan_case *p, const pe_rope_config *c, void *still, void *bare, size_t room)
{
    pe_rope_config alone = *c;
    double omega[PAIRS];
    p->n = 2 * pairs_of(c), p->layout = c->layout, p->offset = c->offset, p->may = 0;
    p->before = c->rotary_offset, p->adjacent = c->rope_interleave != 0;
    if (pe_rope_frequencies(c, omega, &alone.attention_factor) != PE_OK ||
        !sections_of(c, pairs_of(c), p->coordinate, p->number))
        FUZZ_FAIL("a config is taken that has wrong sections or no frequencies");
    alone.axes = 1, alone.offset = 0, alone.coordinate = NULL;
    alone.short_factor_length = alone.long_factor_length = alone.freq_factors_length = 0;
    alone.coordinate_length = 0;
    alone.rotary_offset = 0, alone.rope_interleave = 0;
    if (c->axes > 1 && c->section_order == PE_SECTIONS_VISION)
        alone.head_dim = alone.rotary_dim = p->n / c->axes;
    if (pe_rope_plan_init(&p->still, &alone, still, room) != PE_OK) FUZZ_FAIL("a plan has no twin");
    alone.attention_factor = 1;
    if (pe_rope_plan_init(&p->bare, &alone, bare, room) != PE_OK) FUZZ_FAIL("a plan has no twin");
}

static void pool_add_rope(pe_rope_config c)
{
    plan_case *p = &pool[pooled++];
    const size_t room = 1 << 17, bytes = pe_rope_plan_size(&c);
    if (bytes == 0 || pe_rope_plan_init(&p->plan, &c, malloc(bytes), bytes) != PE_OK)
        FUZZ_FAIL("no plan for number %zu of the pool", pooled - 1);
    rope_twins(p, &c, malloc(room), malloc(room), room);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    fuzz_memory_make();
    for (size_t n = 2; n <= 2 * PAIRS; n += n < 20 ? 2 : n < 40 ? 6 : 10) {
        pe_config c = pe_config_default(n);
        c.base = n % 4 ? 500000 : 10000;
        c.amplitude = n % 3 ? 1 : 1.1869;
        c.layout = n % 8 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
        c.cos_first = n % 6 == 0;
        if (n % 10 == 0) c.offset = 3.5;
        pool_add(c, c);
        c.layout = n % 8 ? PE_LAYOUT_INTERLEAVED : PE_LAYOUT_HALVES;
        c.expected_rows = 1;
        if (n == 6 || n == 16 || n == 34) pool_add(c, c);
    }
    pe_config c = pe_config_default(16);
    c.angle = PE_ANGLE_FLOAT32, c.offset = -9, c.amplitude = 2;
    pool_add(c, c);
    c = pe_config_preset(PE_PRESET_DETR, 8); /* two blocks of interleaved pairs */
    pool_add(c, pe_config_default(4));
    c = pe_config_preset(PE_PRESET_MAE_2D, 16); /* two blocks of halves */
    pool_add(c, pe_config_default(8))->blocks = 2;
    /* RoPE refuses the next three plans. */
    c = pe_config_default(7);
    pool_add(c, c)->may = FUZZ_BIT(PE_ERR_PLAN_ROPE);
    c = pe_config_preset(PE_PRESET_FAIRSEQ, 8);
    pool_add(c, c)->may = FUZZ_BIT(PE_ERR_PLAN_ROPE);
    c = pe_config_preset(PE_PRESET_MAE_2D, 16);
    c.columns = PE_COLUMNS_FREQUENCIES;
    pool_add(c, pe_config_default(8))->may = FUZZ_BIT(PE_ERR_PLAN_ROPE);
    for (int k = 0; k < 12; k++) {
        static const size_t sections[6][3] = {{5, 4, 3},  {4, 4, 4},  {6, 6, 0},
                                              {0, 12, 0}, {10, 1, 1}, {1, 11, 0}};
        static const size_t axes[6] = {3, 3, 2, 3, 3, 2};
        static const pe_sections orders[6] = {PE_SECTIONS_BLOCKS,      PE_SECTIONS_INTERLEAVED,
                                              PE_SECTIONS_VISION,      PE_SECTIONS_BLOCKS,
                                              PE_SECTIONS_INTERLEAVED, PE_SECTIONS_BLOCKS};
        pe_rope_config r = pe_rope_config_default(24);
        r.layout = (pe_layout)(k & 1);
        r.axes = axes[k / 2], r.section_order = orders[k / 2];
        memcpy(r.sections, sections[k / 2], sizeof sections[0]);
        if (k % 3 == 0) r.offset = -2.25;
        if (k % 4 == 0) r.attention_factor = 1.25;
        if (k == 5) r.angle = PE_ANGLE_FLOAT32;
        if (k == 7)
            r.rope_type = PE_ROPE_YARN, r.factor = 4, r.original_max_position_embeddings = 64;
        pool_add_rope(r);
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------------
 * The expected results
 * --------------------------------------------------------------------------------------------- */

/* Writes the cosines and sines of row r of a place. */
static void row_of_table(const plan_case *p, const fuzz_place *place, size_t r, float *c, float *s)
{
    const pe_plan *const twin = place->delta ? &p->bare : &p->still;
    for (size_t k = 0; k <= p->plan.axes; k++) { /* the last pass is for the pairs with STILL */
        const size_t a = k < p->plan.axes ? k : STILL;
        const double t = a == STILL ? 0 : fuzz_turn(place, r, a, p->offset);
        float cosines[PAIRS], sines[PAIRS];
        if (pe_rope_table_f32(twin, pe_at_f64(&t), 1, PE_ROPE_TABLE_APART, cosines, sines,
                              twin->pairs, NULL) != PE_OK)
            FUZZ_FAIL("pe_rope_table refuses a row");
        for (size_t i = 0; i < p->n / 2; i++)
            if (p->coordinate[i] == a) c[i] = cosines[p->number[i]], s[i] = sines[p->number[i]];
    }
}

/* Returns the index in a head of halves of the element that has index e in a head of interleaved
   pairs. Elements after the n that are rotated keep their index. */
static size_t in_halves(size_t e, size_t n) { return e < n ? e % 2 * (n / 2) + e / 2 : e; }

/* Rotates one head of n elements. Floats are rotated by the formula, other types with their
   pairs in the other layout. */
static void turn_head(fuzz_type t, pe_layout layout, const float *c, const float *s, size_t n,
                      unsigned char *head)
{
    const size_t size = fuzz_size(t), h = n / 2;
    const int halves = layout == PE_LAYOUT_HALVES;
    const pe_heads one = {1, 0, 0};
    unsigned char other[2 * PAIRS * 4];
    for (size_t i = 0; i < h && t == FUZZ_F32; i++) {
        unsigned char *const at = head + 4 * (halves ? i : 2 * i), *const bt =
                                                                       head + 4 * (halves
                                                                                       ? i + h
                                                                                       : 2 * i + 1);
        float a, b;
        memcpy(&a, at, 4), memcpy(&b, bt, 4);
        volatile float ac = a * c[i], bs = b * s[i], bc = b * c[i], as = a * s[i];
        const float x = ac - bs, y = bc + as;
        memcpy(at, &x, 4), memcpy(bt, &y, 4);
    }
    if (t == FUZZ_F32) return;
    for (size_t e = 0; e < n; e++)
        memcpy(other + (halves ? e : in_halves(e, n)) * size,
               head + (halves ? in_halves(e, n) : e) * size, size);
    const pe_rope_table row = {c, s, PE_TYPE_F32, PE_ROPE_TABLE_APART, h, 1, h};
    if (fuzz_ropes[t].by_table(&row, halves ? PE_LAYOUT_INTERLEAVED : PE_LAYOUT_HALVES, pe_from(0),
                               1, other, one) != PE_OK)
        FUZZ_FAIL("pe_rope_by_table refuses a head alone");
    for (size_t e = 0; e < n; e++)
        memcpy(head + (halves ? in_halves(e, n) : e) * size,
               other + (halves ? e : in_halves(e, n)) * size, size);
}

/* Reorders a head from interleaved pairs to halves if `adjacent` is set, and leaves it
   otherwise. */
static void unweave(int adjacent, size_t size, size_t n, unsigned char *head)
{
    unsigned char other[2 * PAIRS * 4];
    for (size_t e = 0; e < n && adjacent; e++)
        memcpy(other + in_halves(e, n) * size, head + e * size, size);
    if (adjacent) memcpy(head, other, n * size);
}

/* Rotates a head block by block, as turn_head() does. blocks 0 means that the head is one block. */
static void turn_blocks(size_t blocks, fuzz_type t, pe_layout layout, const float *c,
                        const float *s, size_t n, unsigned char *head)
{
    const size_t each = blocks ? n / blocks : n;
    for (size_t i = 0; i < n; i += each)
        turn_head(t, layout, c + i / 2, s + i / 2, each, head + i * fuzz_size(t));
}

/* Returns a float rounded to 16 bits, to nearest even. */
static uint16_t narrowed(fuzz_type t, float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    bits &= 0x7fffffff;
    if (bits > 0x7f800000) return (uint16_t)(sign | 0x7fff);
    if (t == FUZZ_BF16) return (uint16_t)(sign | (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    const double size = fabs((double)x);
    if (size >= 65520) return (uint16_t)(sign | 0x7c00);
    if (size < 0x1p-14) return (uint16_t)(sign | (unsigned)rint(size * 0x1p24));
    return (uint16_t)(sign | (bits - 0x38000000 + 0xfff + (bits >> 13 & 1)) >> 13);
}

/* ------------------------------------------------------------------------------------------------
 * Heads
 * --------------------------------------------------------------------------------------------- */

/* Returns the errors of heads of `width` elements, for at least one token and one head. *span is
   the number of elements from the first to the last, or SIZE_MAX if it overflows. */
static uint64_t heads_may(size_t width, size_t tokens, pe_heads x, size_t size, size_t *span)
{
    const size_t t = tokens - 1, h = x.heads - 1;
    const size_t by_token = fuzz_mul_add(t, x.token_stride, width),
                 by_head = fuzz_mul_add(h, x.head_stride, width);
    uint64_t may = 0;
    if ((t && x.token_stride < width) || (h && x.head_stride < width) ||
        (t && h && x.head_stride < by_token && x.token_stride < by_head))
        may |= FUZZ_BIT(PE_ERR_SHAPE);
    *span = fuzz_mul_add(h, h ? x.head_stride : 0, t ? by_token : width);
    if (*span > (size_t)PTRDIFF_MAX / size) may |= FUZZ_BIT(PE_ERR_SIZE);
    return may;
}

static size_t element_at(pe_heads x, size_t token, size_t head, size_t tokens)
{
    return (tokens == 1 ? 0 : token * x.token_stride) + (x.heads == 1 ? 0 : head * x.head_stride);
}

/* Describes a table of any type and layout, and which of its rows the tokens use. */
typedef struct fuzz_by {
    pe_rope_table table;
    fuzz_type type;
    int gathers, back;
    int64_t row[64];
} fuzz_by;

static size_t width_by(const fuzz_by *by)
{
    const size_t h = by->table.pairs;
    return by->table.layout == PE_ROPE_TABLE_APART
               ? h
               : (by->table.layout == PE_ROPE_TABLE_MATRIX ? 4 : 2) * h;
}

static float widened(fuzz_type t, const void *p, size_t i)
{
    uint16_t half;
    float x;
    if (t == FUZZ_F32) return ((const float *)p)[i];
    half = ((const uint16_t *)p)[i];
    const uint32_t bits = (uint32_t)half << 16;
    memcpy(&x, &bits, sizeof x);
    if (t == FUZZ_BF16) return x;
    const int exponent = half >> 10 & 31;
    const float size = exponent == 31  ? (half & 1023 ? (float)NAN : (float)INFINITY)
                       : exponent == 0 ? ldexpf((float)(half & 1023), -24)
                                       : ldexpf((float)(1024 + (half & 1023)), exponent - 25);
    return half & 0x8000 ? -size : size;
}

/* Writes the cosines and sines of token r. */
static void row_by(const fuzz_by *by, pe_layout layout, size_t r, float *c, float *s)
{
    const pe_rope_table *const t = &by->table;
    const size_t first = (size_t)by->row[r] * t->stride;
    const int one = t->layout == PE_ROPE_TABLE_COMPLEX || t->layout == PE_ROPE_TABLE_MATRIX;
    const size_t step =
        t->layout == PE_ROPE_TABLE_MATRIX                                              ? 4
        : one || (t->layout == PE_ROPE_TABLE_TWICE && layout == PE_LAYOUT_INTERLEAVED) ? 2
                                                                                       : 1;
    const void *const sines = t->sines ? t->sines : t->cosines;
    const size_t behind = t->sines ? 0 : one ? step / 2 : t->pairs;
    for (size_t i = 0; i < t->pairs; i++) {
        c[i] = widened(by->type, t->cosines, first + step * i);
        s[i] = widened(by->type, sines, first + step * i + behind);
        if (by->back) s[i] = 0 - s[i];
    }
}

static fuzz_by by_make(fuzz_input *in, size_t pairs, size_t tokens)
{
    static const fuzz_type types[] = {FUZZ_F32, FUZZ_F16, FUZZ_BF16, FUZZ_F32};
    const unsigned b = fuzz_byte(in);
    fuzz_by by = {
        {NULL, NULL, PE_TYPE_F32, PE_ROPE_TABLE_APART, 0, tokens, pairs}, types[b & 3], 0, 0, {0}};
    by.table.type = by.type == FUZZ_F32   ? PE_TYPE_F32
                    : by.type == FUZZ_F16 ? PE_TYPE_F16
                                          : PE_TYPE_BF16;
    by.table.layout = (pe_rope_table_layout)((b >> 2 & 7) % 5);
    by.gathers = b >> 5 & 1, by.back = b >> 6 & 1;
    for (size_t r = 0; r < 64 && r < tokens; r++)
        by.row[r] = by.gathers ? (int64_t)(fuzz_byte(in) % tokens) : (int64_t)r;
    return by;
}

enum { FORM_TURN, FORM_TURN_TOO, FORM_TO, FORM_FROM_F32, FORM_QK, FORM_BY, FORM_BY_TO, FORMS };

static void op_heads(fuzz_input *in, const plan_case *p)
{
    static const fuzz_type types[] = {FUZZ_F32, FUZZ_F16, FUZZ_BF16, FUZZ_F32};
    static fuzz_place place;
    const size_t n = p->n, half = n / 2;
    const unsigned b = fuzz_byte(in), seed = fuzz_byte(in), form = fuzz_byte(in) % FORMS;
    const size_t wrong = fuzz_wrong(in, 17);
    const fuzz_type t = types[b & 3];
    const size_t size = fuzz_size(t);
    const fuzz_rope *const f = &fuzz_ropes[t];
    const int by = form == FORM_BY || form == FORM_BY_TO, qk = form == FORM_QK;
    const int to = form == FORM_TO || form == FORM_FROM_F32 || form == FORM_BY_TO;
    const fuzz_type in_type = form == FORM_FROM_F32 ? FUZZ_F32 : t;
    const size_t blocks = by ? 0 : p->blocks, before = by ? 0 : p->before;
    const int adjacent = !by && p->adjacent;
    size_t tokens = (b >> 2) % 6, heads = (b >> 5) % 4, k_heads = qk ? (seed >> 5) % 3 : 0;
    size_t head_dim = before + n + (to ? (seed >> 2) % 8 : 0);
    const size_t gap = seed & 16 ? 1 + seed % 7 : 0;
    pe_layout layout = p->layout;
    while (tokens * (heads + k_heads) * (head_dim + gap) > ELEMENTS) tokens /= 2;
    pe_heads x_lie = {heads, head_dim + gap, (heads ? heads : 1) * (head_dim + gap) + gap};
    if (seed & 64) /* [heads, tokens, head_dim] */
        x_lie.token_stride = head_dim + gap,
        x_lie.head_stride = (tokens ? tokens : 1) * x_lie.token_stride;
    if (seed & 128) { /* the stride of a single token or head is not used, so any value is valid */
        if (tokens == 1) x_lie.token_stride = fuzz_byte(in) & 1 ? 0 : SIZE_MAX / 3;
        if (heads == 1) x_lie.head_stride = fuzz_byte(in) & 1 ? 0 : SIZE_MAX / 5;
    }
    if (wrong == 1) x_lie.token_stride = seed & 1 ? fuzz_huge(in) : fuzz_byte(in);
    if (wrong == 2) x_lie.head_stride = seed & 1 ? fuzz_huge(in) : fuzz_byte(in);
    if (wrong == 3) tokens = fuzz_huge(in);
    if (wrong == 4) heads = x_lie.heads = fuzz_huge(in);
    if (wrong == 5 && to) head_dim = fuzz_byte(in) < 128 ? fuzz_byte(in) % (n + 1) : fuzz_huge(in);
    if (by && n % 2) return; /* a table has whole pairs */
    fuzz_by rows_by = by_make(in, half, tokens);
    pe_rope_table *const table = &rows_by.table;
    const int two = table->layout <= PE_ROPE_TABLE_TWICE;
    size_t far = 0; /* 1 + the token whose row of the table does not exist; 0: there is none */
    table->stride = width_by(&rows_by) + (seed & 16 ? seed % 3 : 0);
    if (wrong == 5 && by)
        table->stride = fuzz_byte(in) < 128 ? width_by(&rows_by) - 1 : fuzz_huge(in);
    if (wrong == 7 && by) layout = (pe_layout)(2 + fuzz_byte(in));
    if (wrong == 12 && by && tokens && tokens <= 64) {
        const unsigned which = fuzz_byte(in);
        far = 1 + which % (tokens < 2 ? 1 : tokens - 1);
        rows_by.gathers = 1;
        rows_by.row[far - 1] = which & 128 ? -1 - (int64_t)which : (int64_t)tokens + (int64_t)which;
    }
    /* The source of a copy has heads without gaps. Their number may be wrong. */
    pe_heads from_lie = {heads, head_dim, fuzz_mul_add(heads ? heads : 1, head_dim, 0)};
    if (wrong == 6 && to) from_lie.heads = heads + 1 + fuzz_byte(in) % 3;

    /* `may` collects the errors that the call has to report. */
    const size_t width = to ? head_dim : n;
    const int differ = to && from_lie.heads != x_lie.heads;
    const int nothing = tokens == 0 || (heads == 0 && k_heads == 0 && !differ);
    size_t span = 0, from_span = 0;
    uint64_t may = 0;
    const fuzz_flaw flaw = wrong < 12 || by ? FUZZ_GOOD : (fuzz_flaw)(FUZZ_FAR + (int)(wrong - 12));
    fuzz_place_make(in, &place, tokens, p->plan.axes, p->offset, flaw, 0);
    if (place.too_long) return;
    if (!nothing) {
        may = by ? 0 : p->may | place.may;
        if (heads && to && !differ)
            may |= heads_may(width, tokens, from_lie, fuzz_size(in_type), &from_span);
        if (heads) may |= heads_may(width, tokens, x_lie, size, &span);
        if (differ) may |= FUZZ_BIT(PE_ERR_HEADS);
        if (to && head_dim < before + n) may |= FUZZ_BIT(PE_ERR_HEAD_DIM);
        if (by && (unsigned)layout > 1) may |= FUZZ_BIT(PE_ERR_ENUM);
        if (by)
            may |= fuzz_shape(width_by(&rows_by), tokens, table->stride, fuzz_size(rows_by.type),
                              &from_span);
        if (by && far) may |= FUZZ_BIT(PE_ERR_RANGE);
        if (by && wrong == 13) {
            table->type = (pe_type)(3 + fuzz_byte(in));
            may |= FUZZ_BIT(PE_ERR_ENUM) | FUZZ_BIT(PE_ERR_SIZE);
        }
        if (may == 0 && (span > FUZZ_PLACE / size || tokens > 64 || heads > 64)) return;
        if (may == 0 && to && head_dim > 2 * PAIRS + 8) return; /* valid, but larger than head[] */
        if (may == 0 && by && from_span > FUZZ_PLACE) return;
    }
    const size_t in_place = to ? 0 : before; /* `span` begins at the rotated part */
    const size_t elements = may || nothing || heads == 0 ? 64 : in_place + span;
    unsigned char *const x = (unsigned char *)fuzz_take(elements * size, seed & 1);
    fuzz_elements(t, x, elements, seed);
    unsigned char *k = NULL, *from = NULL;
    pe_heads k_lie = {k_heads, n + gap, (k_heads ? k_heads : 1) * (n + gap)};
    size_t k_span = 0;
    if (k_heads && tokens) {
        if (tokens > 64) return;
        (void)heads_may(n, tokens, k_lie, size, &k_span);
        k_span += before;
        k = (unsigned char *)fuzz_take(k_span * size, !(seed & 1));
        fuzz_elements(t, k, k_span, seed + 4);
    }
    if (to) {
        const size_t all = may || nothing ? 64 : tokens * heads * head_dim;
        if (all * size > FUZZ_PLACE) FUZZ_FAIL("the harness has %zu elements to copy", all);
        from = (unsigned char *)fuzz_take(all * fuzz_size(in_type), (seed & 2) != 0);
        fuzz_elements(in_type, from, all, seed + 8);
    }
    if (by) {
        const size_t all = may || nothing ? 16 : (tokens - 1) * table->stride + width_by(&rows_by);
        void *const cosines = fuzz_take(all * fuzz_size(rows_by.type), 1);
        void *const sines = fuzz_take(all * fuzz_size(rows_by.type), 0);
        fuzz_elements(rows_by.type, cosines, all, seed + 1);
        fuzz_elements(rows_by.type, sines, all, seed + 2);
        table->cosines = cosines, table->sines = two ? sines : NULL;
    }
    if (!nothing && wrong >= 8 && wrong <= 11) { /* one of the pointers is NULL, see below */
        if ((wrong == 9 || wrong == 10) && heads == 0) return;
        if (wrong == 10 && !to) return;
        if (wrong == 11 && !(qk && k_heads)) return;
        may |= FUZZ_BIT(PE_ERR_NULL);
    }
    if (wrong == 8 && by && (seed & 4) && two) table->sines = NULL;
    else if (wrong == 8 && by && (seed & 4)) table->cosines = NULL;
    const pe_at of_range = pe_from(0), listed = pe_at_i64(rows_by.row);
    const pe_at chosen = rows_by.gathers && tokens <= 64 ? listed : of_range;
    const pe_at rows = rows_by.back ? pe_back(chosen) : chosen;
    if (to && may) /* the blocks are smaller than the call is told, and so may seem to overlap */
        may |= FUZZ_BIT(PE_ERR_OVERLAP);
    fuzz_save(fuzz_all.used);
    const pe_plan *const plan = wrong == 8 ? NULL : &p->plan;
    const pe_rope_table *const given_table = wrong == 8 && !(seed & 4) ? NULL : table;
    const void *const given_from = wrong == 10 ? NULL : from;
    void *const given_x = wrong == 9 ? NULL : x, *const given_k = wrong == 11 ? NULL : k;
    pe_status status;
    switch (form) {
    case FORM_TO:
        status = f->to(plan, place.at, tokens, head_dim, given_from, from_lie, given_x, x_lie);
        break;
    case FORM_FROM_F32:
        status = f->from_f32(plan, place.at, tokens, head_dim, (const float *)given_from, from_lie,
                             given_x, x_lie);
        break;
    case FORM_QK: status = f->qk(plan, place.at, tokens, given_x, x_lie, given_k, k_lie); break;
    case FORM_BY: status = f->by_table(given_table, layout, rows, tokens, given_x, x_lie); break;
    case FORM_BY_TO:
        status = f->by_table_to(given_table, layout, rows, tokens, head_dim, given_from, from_lie,
                                given_x, x_lie);
        break;
    default: status = f->turn(plan, place.at, tokens, given_x, x_lie); break;
    }
    if (!fuzz_status("pe_rope", status, may)) return;
    if (nothing) {
        fuzz_unwritten("pe_rope of nothing");
        return;
    }

    /* Rotate a copy of the heads, one head at a time. */
    unsigned char *const y = (unsigned char *)fuzz_take(elements * size, !(seed & 1));
    unsigned char *const z = k ? (unsigned char *)fuzz_take(k_span * size, seed & 1) : NULL;
    memcpy(y, fuzz_saved(x), elements * size);
    if (k) memcpy(z, fuzz_saved(k), k_span * size);
    for (size_t r = 0; r < tokens; r++) {
        float c[PAIRS], s[PAIRS];
        if (by) row_by(&rows_by, layout, r, c, s);
        else row_of_table(p, &place, r, c, s);
        for (size_t i = 0; i < heads; i++) {
            unsigned char *const at = y + element_at(x_lie, r, i, tokens) * size;
            const unsigned char *const source =
                to ? from + element_at(from_lie, r, i, tokens) * fuzz_size(in_type) : NULL;
            if (in_type == t) {
                if (to) memcpy(at, source, head_dim * size);
                unweave(adjacent, size, n, at + before * size);
                turn_blocks(blocks, t, layout, c, s, n, at + before * size);
            } else {
                float head[2 * PAIRS + 8];
                memcpy(head, source, head_dim * sizeof *head);
                unweave(adjacent, sizeof *head, n, (unsigned char *)(head + before));
                turn_blocks(blocks, FUZZ_F32, layout, c, s, n, (unsigned char *)(head + before));
                for (size_t e = 0; e < head_dim; e++) {
                    const uint16_t bits = narrowed(t, head[e]);
                    memcpy(at + 2 * e, &bits, 2);
                }
            }
        }
        for (size_t i = 0; i < k_heads; i++) {
            unsigned char *const at = z + (before + element_at(k_lie, r, i, tokens)) * size;
            unweave(adjacent, size, n, at);
            turn_blocks(blocks, t, layout, c, s, n, at);
        }
    }
    if (heads && !fuzz_same(t, x, y, elements)) /* this includes what is between the heads */
        FUZZ_FAIL("pe_rope, form %u: not the bits of its heads alone, type %d, n %zu", form, (int)t,
                  n);
    if (k && !fuzz_same(t, z, k, k_span)) FUZZ_FAIL("pe_rope_qk: not the keys alone");
    if (form > FORM_TURN_TOO) return;
    /* Two calls for a part of the tokens each have to give the same bits. */
    memcpy(y, fuzz_saved(x), elements * size);
    const size_t cut = (seed >> 5) * tokens / 7, begin = tokens == 1 ? 0 : cut * x_lie.token_stride;
    if (f->turn(&p->plan, pe_skip(place.at, cut), tokens - cut, y + begin * size, x_lie) != PE_OK ||
        f->turn(&p->plan, place.at, cut, y, x_lie) != PE_OK || !fuzz_same(t, x, y, elements))
        FUZZ_FAIL("pe_rope: not the bits of two parts, type %d, n %zu", (int)t, n);
}

/* ------------------------------------------------------------------------------------------------
 * Tables
 * --------------------------------------------------------------------------------------------- */

static void op_tables(fuzz_input *in, const plan_case *p)
{
    static const fuzz_type types[] = {FUZZ_F32, FUZZ_F16, FUZZ_BF16, FUZZ_F32};
    static fuzz_place place;
    const size_t n = p->n, half = n / 2;
    const unsigned b = fuzz_byte(in), seed = fuzz_byte(in), form = fuzz_byte(in) % 5;
    const size_t wrong = fuzz_wrong(in, 11);
    const fuzz_type t = types[b & 3];
    const size_t size = fuzz_size(t);
    const fuzz_rope *const f = &fuzz_ropes[t];
    pe_rope_table_layout layout = (pe_rope_table_layout)form;
    const int two = layout == PE_ROPE_TABLE_APART || layout == PE_ROPE_TABLE_TWICE;
    const size_t width = layout == PE_ROPE_TABLE_APART    ? half
                         : layout == PE_ROPE_TABLE_MATRIX ? 2 * n
                                                          : n;
    size_t rows = (b >> 2) % 8, stride = width + (seed & 16 ? seed % 7 : 0), bytes = 0;
    if (rows * n > ELEMENTS) rows = 1;
    if (wrong == 1) stride = seed & 1 ? fuzz_huge(in) : seed / 2 % (width + 1);
    if (wrong == 2) rows = fuzz_huge(in);
    if (wrong == 3) layout = (pe_rope_table_layout)(5 + fuzz_byte(in));
    fuzz_place_make(in, &place, rows, p->plan.axes, p->offset,
                    wrong < 6 ? FUZZ_GOOD : (fuzz_flaw)(FUZZ_FAR + (int)(wrong - 6)), 0);
    if (place.too_long) return;
    uint64_t may = 0;
    if (rows) {
        may = p->may | place.may | fuzz_shape(width, rows, stride, size, &bytes);
        if ((unsigned)layout > PE_ROPE_TABLE_MATRIX) may |= FUZZ_BIT(PE_ERR_ENUM);
        if (may == 0 && (rows > FUZZ_ROWS || bytes > FUZZ_PLACE / 16))
            return; /* a larger table takes long and tests nothing else */
    }
    if (may || rows == 0) bytes = 64;
    unsigned char *const c = (unsigned char *)fuzz_take(bytes, seed & 1);
    unsigned char *const s = (unsigned char *)fuzz_take(bytes, !(seed & 1));
    fuzz_save(fuzz_all.used);
    if (rows && wrong == 4) may |= FUZZ_BIT(PE_ERR_NULL);
    if (rows && wrong == 5) may |= FUZZ_BIT(two ? PE_ERR_NULL : PE_ERR_SINES);
    if (rows && wrong == 3) may |= FUZZ_BIT(PE_ERR_NULL) | FUZZ_BIT(PE_ERR_ALIGNMENT);
    const pe_plan *const q = wrong == 4 && seed & 8 ? NULL : &p->plan;
    void *const to_c = wrong == 4 && !(seed & 8) ? NULL : c;
    void *const to_s = two != (wrong == 5) ? s : NULL;
    pe_rope_table made;
    memset(&made, 0, sizeof made);
    const pe_status status =
        f->table(q, place.at, rows, layout, to_c, to_s, stride, seed & 32 ? &made : NULL);
    if (status != PE_OK || rows == 0 || !(seed & 32)) {
        if (made.cosines || made.sines || made.rows || made.pairs || made.stride)
            FUZZ_FAIL("pe_rope_table tells of a table that it did not fill");
    } else if (made.cosines != to_c || made.sines != to_s || made.rows != rows ||
               made.pairs != half || made.stride != stride || made.layout != layout ||
               made.type != (t == FUZZ_F32   ? PE_TYPE_F32
                             : t == FUZZ_F16 ? PE_TYPE_F16
                                             : PE_TYPE_BF16))
        FUZZ_FAIL("pe_rope_table does not tell what it filled");
    if (!fuzz_status("pe_rope_table", status, may)) return;
    if (rows == 0) {
        fuzz_unwritten("pe_rope_table of no rows");
        return;
    }
    for (size_t r = 0; r < rows; r++) {
        const unsigned char *const x = c + r * stride * size, *const y = s + r * stride * size;
        for (size_t k = 0; k <= p->plan.axes; k++) {
            const size_t a = k < p->plan.axes ? k : STILL;
            const pe_plan *const twin = place.delta ? &p->bare : &p->still;
            const double at = a == STILL ? 0 : fuzz_turn(&place, r, a, p->offset);
            unsigned char cosines[PAIRS * 4], sines[PAIRS * 4];
            if (f->table(twin, pe_at_f64(&at), 1, PE_ROPE_TABLE_APART, cosines, sines, twin->pairs,
                         NULL) != PE_OK)
                FUZZ_FAIL("pe_rope_table refuses a row");
            for (size_t i = 0; i < half; i++) {
                if (p->coordinate[i] != a) continue;
                const int each =
                    form == PE_ROPE_TABLE_COMPLEX ||
                    (form == PE_ROPE_TABLE_TWICE && p->layout == PE_LAYOUT_INTERLEAVED);
                const int matrix = form == PE_ROPE_TABLE_MATRIX;
                const int inside = form == PE_ROPE_TABLE_TWICE && p->blocks; /* a block of halves */
                const size_t wide = inside ? half / p->blocks : half;
                const size_t first = matrix   ? 4 * i
                                     : each   ? 2 * i
                                     : inside ? i / wide * wide + i
                                              : i;
                const size_t again = matrix ? 4 * i + 2 : each ? 2 * i + 1 : wide + first;
                const unsigned char *const cosine = cosines + p->number[i] * size,
                                           *const sine = sines + p->number[i] * size;
                const unsigned char *const its_sine = two ? y + first * size : x + again * size;
                if (!fuzz_equal(x + first * size, cosine, size) ||
                    !fuzz_equal(its_sine, sine, size))
                    FUZZ_FAIL("pe_rope_table, layout %u: row %zu, pair %zu", form, r, i);
                unsigned char minus[4];
                memcpy(minus, sine, size);
                minus[size - 1] ^= 0x80; /* the sign, on the little-endian machines that fuzz */
                if (matrix && (!fuzz_equal(x + (first + 1) * size, minus, size) ||
                               !fuzz_equal(x + (first + 3) * size, cosine, size)))
                    FUZZ_FAIL("pe_rope_table, matrices: row %zu, pair %zu", r, i);
                if (form == PE_ROPE_TABLE_TWICE && (!fuzz_equal(x + again * size, cosine, size) ||
                                                    !fuzz_equal(y + again * size, sine, size)))
                    FUZZ_FAIL("pe_rope_table, twice: row %zu, pair %zu, its copy", r, i);
            }
        }
        if (r + 1 < rows && stride > width &&
            (memcmp(x + width * size, fuzz_saved(c) + (r * stride + width) * size,
                    (stride - width) * size) != 0 ||
             memcmp(y + width * size, fuzz_saved(s) + (r * stride + width) * size,
                    (stride - width) * size) != 0))
            FUZZ_FAIL("pe_rope_table, layout %u: written behind row %zu", form, r);
    }
    if (!two && memcmp(s, fuzz_saved(s), bytes) != 0)
        FUZZ_FAIL("pe_rope_table: an array is written that was not given");
}

/* ------------------------------------------------------------------------------------------------
 * Configs
 * --------------------------------------------------------------------------------------------- */

static double lists[2][PAIRS];
static float factors[PAIRS];
static uint8_t coordinates[PAIRS];

/* Chooses the lengths of the lists; most are right. */
static void decode_lengths(fuzz_input *in, pe_rope_config *c)
{
    const unsigned which = fuzz_byte(in), how = fuzz_byte(in);
    const size_t pairs = pairs_of(c), rotated = (c->rotary_dim ? c->rotary_dim : c->head_dim) / 2;
    const size_t wrong = how < 224 ? 0 : how < 248 ? 1 : fuzz_huge(in);
    if (which & 1 && c->short_factor) c->short_factor_length = rotated + wrong;
    if (which & 2) c->long_factor_length = rotated - wrong;
    if (which & 4 && c->freq_factors) c->freq_factors_length = pairs + wrong;
    if (which & 8 && c->coordinate) c->coordinate_length = pairs - wrong;
    if (how == 223) c->freq_factors = NULL, c->coordinate = NULL;
}

static pe_rope_config decode_config(fuzz_input *in)
{
    const unsigned b = fuzz_byte(in), fields = (unsigned)fuzz_bytes(in, 2), few = fuzz_byte(in);
    const unsigned more = fuzz_byte(in);
    pe_rope_config c = pe_rope_config_default(2 + 2 * (size_t)(few % 12));
    for (size_t i = 0; i < PAIRS; i++)
        lists[0][i] = 1 + (double)i / 8, lists[1][i] = 1 + (double)i, factors[i] = 1 + (float)i / 4;
    c.rope_type = (pe_rope_type)(b < 250 ? b % PE_ROPE_TYPE_COUNT : b);
    c.factor = 1 + (double)(few / 16);
    c.original_max_position_embeddings = 4096;
    c.max_position_embeddings = few & 1 ? 131072 : 0;
    c.short_factor = lists[0], c.long_factor = lists[1];
    if (fields & 1) c.head_dim = fuzz_byte(in) % 48;
    if (fields & 2) c.rotary_dim = fuzz_byte(in) < 240 ? fuzz_byte(in) % 32 : fuzz_huge(in);
    if (fields & 4) c.rope_theta = fuzz_double(in);
    if (fields & 8) c.factor = fuzz_double(in);
    if (fields & 16)
        c.original_max_position_embeddings = fuzz_byte(in) < 128 ? fuzz_byte(in) : fuzz_huge(in);
    if (fields & 32)
        c.sequence_length = fuzz_byte(in) < 128 ? (size_t)fuzz_bytes(in, 2) : fuzz_huge(in);
    if (fields & 64) c.low_freq_factor = fuzz_double(in);
    if (fields & 128) c.high_freq_factor = fuzz_double(in);
    if (fields & 256) c.beta_fast = fuzz_double(in);
    if (fields & 512) c.beta_slow = fuzz_double(in);
    if (fields & 1024) c.extrapolation_factor = fuzz_double(in), c.truncate = 0;
    if (fields & 2048) c.mscale = fuzz_double(in), c.mscale_all_dim = fuzz_double(in);
    if (fields & 4096) c.attention_factor = fuzz_double(in), c.long_mscale = fuzz_double(in);
    if (fields & 8192) c.short_factor = NULL;
    if (fields & 16384) c.freq_factors = factors, factors[few % PAIRS] = (float)fuzz_double(in);
    if (fields & 32768) lists[few & 1][few / 8 % PAIRS] = fuzz_double(in);
    if (c.head_dim > 2 * PAIRS) c.head_dim = 2 * PAIRS;
    c.layout = (pe_layout)(more & 1);
    if (more & 2) { /* sections, most of them valid */
        const size_t pairs = pairs_of(&c), any = fuzz_byte(in);
        c.axes = any < 224 ? 1 + any % 4 : any % 11;
        c.section_order = (pe_sections)(any / 4 % 3);
        for (size_t a = 1; a < PE_MAX_AXES; a++)
            c.sections[a] = a < c.axes ? pairs / (c.axes ? c.axes : 1) : 0;
        c.sections[0] = pairs - (c.axes ? c.axes - 1 : 0) * c.sections[1];
        if (more & 4)
            c.sections[any % 8] = fuzz_byte(in) < 224 ? fuzz_byte(in) % 20 : fuzz_huge(in);
        if (more & 8) c.section_order = (pe_sections)fuzz_byte(in);
    } else if (more & 4) { /* a coordinate for each pair, in most inputs a valid one */
        uint64_t state = fuzz_byte(in);
        c.axes = 1 + state % 4;
        for (size_t i = 0; i < PAIRS; i++) {
            const uint64_t z = fuzz_next(&state);
            coordinates[i] = z >> 60 ? (uint8_t)(z % c.axes) : STILL;
        }
        if (more & 8) coordinates[fuzz_byte(in) % PAIRS] = (uint8_t)fuzz_byte(in);
        if ((more & 136) == 136) c.sections[fuzz_byte(in) % PE_MAX_AXES] = fuzz_byte(in) % 4;
        if ((more & 136) == 136) c.section_order = (pe_sections)(fuzz_byte(in) % 4);
        c.coordinate = coordinates;
    }
    if (more & 16)
        c.offset = fuzz_byte(in) < 128 ? (double)(fuzz_byte(in) % 16) / 4 : fuzz_double(in);
    if (more & 32) c.angle = (pe_angle)(fuzz_byte(in) % 4);
    if (more & 64) c.expected_rows = fuzz_byte(in) % 3;
    if ((more & 192) == 192) c.layout = (pe_layout)fuzz_byte(in), c.max_position_embeddings = few;
    if ((more & 192) == 128) { /* a rotated part that begins at any element, and rope_interleave */
        const unsigned where = fuzz_byte(in);
        c.rotary_offset = where < 240 ? where % 8 : fuzz_huge(in);
        if (where & 8 && !c.rotary_dim) c.rotary_dim = c.head_dim;
        if (where & 8) c.head_dim += where % 8 + where / 16 % 2;
        if (where & 32) c.rope_interleave = 1, c.layout = PE_LAYOUT_HALVES;
        if (where >= 248) c.rope_interleave = (int)fuzz_byte(in), c.layout = (pe_layout)(where & 1);
    }
    if (b >= 200) decode_lengths(in, &c);
    return c;
}

/* Returns whether a length is not what its list needs. */
static int has_wrong_length(const pe_rope_config *c)
{
    const size_t pairs = pairs_of(c), rotated = (c->rotary_dim ? c->rotary_dim : c->head_dim) / 2;
    return (c->short_factor_length && (!c->short_factor || c->short_factor_length != rotated)) ||
           (c->long_factor_length && (!c->long_factor || c->long_factor_length != rotated)) ||
           (c->freq_factors_length && (!c->freq_factors || c->freq_factors_length != pairs)) ||
           (c->coordinate_length && (!c->coordinate || c->coordinate_length != pairs));
}

/* Returns the pe_config that pe_plan_init_frequencies() takes for a config with a coordinate for
   each pair. */
static pe_config listed_config(const pe_rope_config *c, size_t pairs, double amplitude)
{
    pe_config config = pe_config_default(2 * pairs);
    config.layout = c->layout, config.offset = c->offset, config.angle = c->angle;
    config.expected_rows = c->expected_rows, config.amplitude = amplitude;
    config.axes = c->axes, config.coordinate = c->coordinate;
    config.coordinate_length = c->coordinate_length;
    return config;
}

/* Checks the frequencies of a config of any type, with valid or invalid fields, and makes its plan.
   Returns 1 if *p has a plan with twins. The plan's memory is then the first block, and no other
   block is taken. */
static int op_configs(fuzz_input *in, plan_case *p)
{
    static unsigned char twins[2][FUZZ_PLACE];
    pe_rope_config c = decode_config(in);
    const unsigned how = fuzz_byte(in);
    const char *const error = pe_rope_config_error(&c);
    const size_t bytes = pe_rope_plan_size(&c), pairs = error ? 4 : pairs_of(&c);
    uint8_t coordinate[PAIRS], number[PAIRS];
    if ((error == NULL) != (bytes != 0) || pairs > PAIRS)
        FUZZ_FAIL("pe_rope_plan_size: %zu, and the error is %s", bytes, error ? error : "none");
    if (!error && has_wrong_length(&c))
        FUZZ_FAIL("a config is taken whose list has another length");
    if (!error && (!sections_of(&c, pairs, coordinate, number) || (unsigned)c.layout > 1 ||
                   (unsigned)c.angle > 1 || !(fabs(c.offset) <= 0x1p31) ||
                   c.offset * 0x1p20 != floor(c.offset * 0x1p20)))
        FUZZ_FAIL("a config with wrong sections, layout, angle or offset is taken");

    /* The plan gets the memory that it needs, or too little. */
    const int little = how >= 224;
    const size_t room = bytes && !little ? bytes : 64;
    if (room > FUZZ_PLACE) return 0;
    unsigned char *const memory = (unsigned char *)fuzz_take(room, how & 1);
    uint8_t *const list = (uint8_t *)fuzz_take(pairs, 1); /* not a byte more may be read */
    memcpy(list, coordinates, pairs);
    if (c.coordinate && !error) c.coordinate = list;
    pe_plan *const plan = (pe_plan *)fuzz_take(sizeof *plan, 1);
    double *const w = (double *)fuzz_take(pairs * sizeof *w, 1);
    double *const a = (double *)fuzz_take(sizeof *a, 0);
    fuzz_save(5);
    double factor = 1;
    uint64_t may = error ? FUZZ_BIT(PE_ERR_CONFIG) : 0;
    const int good =
        fuzz_status("pe_rope_frequencies", pe_rope_frequencies(&c, w, how & 2 ? NULL : a), may);
    if (good) {
        double again[PAIRS];
        if (pe_rope_frequencies(&c, again, &factor) != PE_OK ||
            memcmp(again, w, pairs * sizeof *w) != 0 ||
            (!(how & 2) && memcmp(&factor, a, sizeof factor) != 0))
            FUZZ_FAIL("pe_rope_frequencies: not the same bits again");
        if (!(factor > 0 && factor <= DBL_MAX))
            FUZZ_FAIL("pe_rope_frequencies: the attention factor is %a", factor);
        fuzz_save(5);
    }
    const int vision = c.axes > 1 && c.section_order == PE_SECTIONS_VISION;
    for (size_t i = 0; i < pairs && good; i++) {
        if (!(w[i] >= 0 && w[i] <= DBL_MAX))
            FUZZ_FAIL("pe_rope_frequencies: type %d, frequency %zu is %a", (int)c.rope_type, i,
                      w[i]);
        if (w[i] > 0x1p21) may |= FUZZ_BIT(PE_ERR_FACTOR);
        /* All axes of a vision tower have the same frequencies, unless each pair has a factor. */
        if (vision && !c.freq_factors && c.rope_type != PE_ROPE_LONGROPE &&
            w[i] != w[i % (pairs / c.axes)])
            FUZZ_FAIL("pe_rope_frequencies: the axes of a vision tower differ in pair %zu", i);
    }
    if (little && bytes) may |= FUZZ_BIT(PE_ERR_MEMORY);
    fuzz_zeros(plan);
    const int other = good && c.coordinate && (how & 4); /* makes the same plan from a pe_config */
    const pe_config listed = listed_config(&c, pairs, factor);
    const pe_status status = other ? pe_plan_init_frequencies(plan, &listed, w, pairs, memory, room)
                                   : pe_rope_plan_init(plan, &c, memory, room);
    if (!fuzz_status("pe_rope_plan_init", status, may)) return 0;
    p->plan = *plan;
    if (plan->pairs != pairs || plan->d_model != 2 * pairs || plan->axes != c.axes)
        FUZZ_FAIL("pe_rope_plan_init: %zu pairs, not %zu", plan->pairs, pairs);
    double own[PAIRS];
    if (pe_plan_frequencies(plan, own) != PE_OK) FUZZ_FAIL("a plan does not say its frequencies");
    if (c.axes == 1 || c.coordinate || c.section_order != PE_SECTIONS_INTERLEAVED)
        for (size_t i = 0; i < pairs; i++) {
            const double want = c.angle == PE_ANGLE_FLOAT32 ? (double)(float)w[i] : w[i];
            if (!(fabs(own[i] - want) <= 0x1p-52 * want))
                FUZZ_FAIL("a plan of RoPE: frequency %zu is %a, not %a", i, own[i], want);
        }
    c.coordinate = c.coordinate ? coordinates : NULL; /* the plan has a copy */
    fuzz_release(1);
    /* With these, pairs of one index have different frequencies, which one twin cannot hold. */
    if (vision && c.freq_factors) return 0;
    if (vision && c.rope_type == PE_ROPE_PROPORTIONAL) return 0;
    if (vision && c.rope_type == PE_ROPE_LONGROPE) return 0;
    rope_twins(p, &c, twins[0], twins[1], sizeof twins[0]);
    if (other) p->before = 0, p->adjacent = 0; /* pe_config has no fields for them */
    return 1;
}

/* Compares ggml's cosines and sines with those of calls for one row each, at the position that the
   place means. */
static void op_ggml(fuzz_input *in)
{
    static fuzz_place place;
    const unsigned b = fuzz_byte(in), seed = fuzz_byte(in);
    const size_t wrong = fuzz_wrong(in, 8);
    pe_rope_ggml g;
    memset(&g, 0, sizeof g);
    g.n_dims = 2 + 2 * (size_t)(b % 6);
    const size_t half = g.n_dims / 2, rows = seed % 4, stride = half + (seed >> 4);
    float with[8];
    for (size_t i = 0; i < 8; i++) with[i] = 1 + (float)i;
    if (b & 16) g.freq_base = (float)fuzz_double(in);
    if (b & 32) g.freq_scale = (float)fuzz_double(in);
    if (b & 64)
        g.ext_factor = (float)(fuzz_byte(in) % 5) / 4, g.n_ctx_orig = (size_t)fuzz_bytes(in, 2);
    if (b & 128) g.freq_factors = with, with[seed % 8] = (float)fuzz_double(in);
    if (b & 128 && seed & 16) g.freq_factors_length = seed % 8;
    const int short_list = g.freq_factors_length > 0 && g.freq_factors_length < half;
    if (seed & 4) g.beta_fast = (float)fuzz_double(in), g.beta_slow = (float)fuzz_double(in);
    if (seed & 8) g.attn_factor = (float)fuzz_double(in);
    fuzz_place_make(in, &place, rows, 1, 0,
                    wrong < 3 ? FUZZ_GOOD : (fuzz_flaw)(FUZZ_FAR + (int)(wrong - 3)), 0);
    if (place.too_long) return;
    const size_t all = rows ? ((rows - 1) * stride + half) * sizeof(float) : 64;
    float *const c = (float *)fuzz_take(all, 1), *const s = (float *)fuzz_take(all, 0);
    fuzz_save(fuzz_all.used);
    const pe_status status =
        pe_rope_ggml_f32(wrong == 1 ? NULL : &g, place.at, rows, c, wrong == 2 ? NULL : s, stride);
    const uint64_t may = rows == 0
                             ? 0
                             : place.may | (wrong == 1 || wrong == 2 ? FUZZ_BIT(PE_ERR_NULL) : 0) |
                                   (short_list ? FUZZ_BIT(PE_ERR_GGML) : 0);
    if (status != PE_OK) {
        (void)fuzz_status("pe_rope_ggml", status, may | FUZZ_BIT(PE_ERR_GGML));
        return;
    }
    if (may) FUZZ_FAIL("pe_rope_ggml takes what is wrong: 0x%" PRIx64, may);
    if (rows == 0) fuzz_unwritten("pe_rope_ggml of no rows");
    for (size_t r = 0; r < rows; r++) {
        const double t = fuzz_turn(&place, r, 0, 0);
        float alone[2][8];
        if (pe_rope_ggml_f32(&g, pe_at_f64(&t), 1, alone[0], alone[1], half) != PE_OK ||
            !fuzz_same(FUZZ_F32, alone[0], c + r * stride, half) ||
            !fuzz_same(FUZZ_F32, alone[1], s + r * stride, half))
            FUZZ_FAIL("pe_rope_ggml: row %zu alone differs", r);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, data + size};
    static plan_case own;
    const plan_case *p = &pool[fuzz_byte(&in) % pooled];
    const unsigned what = fuzz_byte(&in) % 16;
    size_t keep = 0;
    if (what < 3) {
        if (!op_configs(&in, &own)) {
            fuzz_release(0);
            return 0;
        }
        p = &own, keep = 1;
        fuzz_save(1);
    }
    switch (what) {
    case 3: op_ggml(&in); break;
    case 0:
    case 4:
    case 5:
    case 6: op_tables(&in, p); break;
    default: op_heads(&in, p); break;
    }
    fuzz_release(keep);
    if (keep) fuzz_unwritten("the memory of a plan");
    fuzz_release(0);
    return 0;
}
