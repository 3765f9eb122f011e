/* SPDX-License-Identifier: MIT */
/*
 * Fuzzing RoPE: every form of the call, with arguments good and bad. An error exactly where
 * something is wrong, and then nothing written; nothing but the heads touched; and the forms agree
 * bit for bit: a list with a range, adjacent pairs with halves in another order, queries and keys
 * together with each alone, out of place with a copy turned in place, axes with equal coordinates
 * with a list, tables with the cosines that turn, the inverse with turning by -p.
 */
#define FUZZ_ROPE
#include "calls.h"

#include <float.h>

enum { ELEMENTS = 320, POOL = 32, PAIRS = 32 };

typedef struct plan_case {
    pe_plan plan;
    size_t n;
} plan_case;

static plan_case pool[POOL];
static size_t pooled;

static void pool_add(pe_config config)
{
    const size_t bytes = pe_plan_size(&config);
    plan_case *p = &pool[pooled++];
    p->n = config.d_model;
    if (bytes == 0 || pe_plan_init(&p->plan, &config, malloc(bytes), bytes) != PE_OK)
        FUZZ_FAIL("no plan for number %zu of the pool", pooled - 1);
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
        pool_add(c);
    }
    pe_config c = pe_config_default(16);
    c.angle = PE_ANGLE_FLOAT32;
    pool_add(c);
    c = pe_config_default(7); /* the rest is refused */
    pool_add(c);
    c = pe_config_preset(PE_PRESET_FAIRSEQ, 8);
    pool_add(c);
    c = pe_config_preset(PE_PRESET_DETR, 8);
    pool_add(c);
    return 0;
}

static unsigned plan_may(const pe_plan *plan)
{
    return plan->axes != 1 || plan->has_padding || plan->d_model % 2 ||
                   plan->axis[0].width != plan->d_model
               ? FUZZ_BIT(PE_ERR_CONFIG)
               : 0;
}

/* Heads of `width` elements, at least one: their errors, and the elements to the last. */
static unsigned heads_may(size_t width, size_t tokens, size_t heads, size_t token, size_t head,
                          size_t size, size_t *span)
{
    const size_t t = tokens - 1, h = heads - 1;
    const size_t by_token = fuzz_mul_add(t, token, width), by_head = fuzz_mul_add(h, head, width);
    unsigned may = 0;
    if ((t && token < width) || (h && head < width) ||
        (t && h && head < by_token && token < by_head))
        may |= FUZZ_BIT(PE_ERR_SHAPE);
    *span = fuzz_mul_add(h, h ? head : 0, t ? by_token : width);
    if (*span > (size_t)PTRDIFF_MAX / size) may |= FUZZ_BIT(PE_ERR_SIZE);
    return may;
}

enum {
    FORM_RANGE,
    FORM_AT,
    FORM_INVERSE,
    FORM_INVERSE_AT,
    FORM_TO,
    FORM_TO_AT,
    FORM_QK,
    FORM_QK_AT,
    FORM_AXES,
    FORM_SHIFT,
    FORM_SHIFT_AT,
    FORM_BY,
    FORMS
};

/* Element e of a head as the pair has it in halves, for one in adjacent pairs. */
static size_t in_halves(size_t e, size_t n) { return e < n ? e % 2 * (n / 2) + e / 2 : e; }

static void op_heads(fuzz_input *in, const plan_case *p)
{
    static const fuzz_type types[] = {FUZZ_F32, FUZZ_F16, FUZZ_BF16, FUZZ_F32};
    const pe_plan *plan = &p->plan;
    const size_t n = p->n;
    const unsigned b = fuzz_byte(in), seed = fuzz_byte(in), form = fuzz_byte(in) % FORMS;
    const size_t wrong = fuzz_wrong(in, 11);
    const fuzz_type t = types[b & 3];
    const size_t size = fuzz_size(t);
    const fuzz_rope *const f = &fuzz_ropes[t];
    const int to = form == FORM_TO || form == FORM_TO_AT,
              qk = form == FORM_QK || form == FORM_QK_AT;
    const int by = form == FORM_BY, uniform = form == FORM_SHIFT;
    const int shift = form == FORM_SHIFT || form == FORM_SHIFT_AT;
    const int listed = form == FORM_AT || form == FORM_INVERSE_AT || form == FORM_TO_AT ||
                       form == FORM_QK_AT || form == FORM_AXES || form == FORM_SHIFT_AT;
    const int64_t offset = shift ? 0 : plan->whole;
    size_t axes = form == FORM_AXES ? 1 + (seed >> 3) % 4 : 1;
    size_t tokens = (b >> 2) % 6, heads = (b >> 5) % 4, k_heads = qk ? (seed >> 5) % 3 : 0;
    size_t head_dim = n + (to ? (seed >> 2) % 8 : 0);
    const size_t gap = seed & 16 ? 1 + seed % 7 : 0;
    while (tokens * (heads + k_heads) * (head_dim + gap) > ELEMENTS)
        tokens /= 2;
    size_t head = head_dim + gap, token = (heads ? heads : 1) * head + gap;
    if (seed & 64) /* [heads, tokens, head_dim] */
        token = head_dim + gap, head = (tokens ? tokens : 1) * token;
    fuzz_heads h;
    h.plan = plan, h.pairing = (pe_rope_pairing)(b >> 4 & 1), h.first = fuzz_position(in);
    if (wrong == 1) token = seed & 1 ? fuzz_huge(in) : fuzz_byte(in);
    if (wrong == 2) head = seed & 1 ? fuzz_huge(in) : fuzz_byte(in);
    if (wrong == 3) tokens = fuzz_huge(in);
    if (wrong == 4) heads = fuzz_huge(in);
    if (wrong == 5) h.first = fuzz_far(in);
    if (wrong == 6) h.pairing = (pe_rope_pairing)(2 + fuzz_byte(in));
    if (wrong == 7 && to) head_dim = fuzz_byte(in) < 128 ? fuzz_byte(in) % (n + 1) : fuzz_huge(in);
    if (wrong == 7 && form == FORM_AXES) axes = fuzz_byte(in) < 128 ? fuzz_byte(in) : fuzz_huge(in);

    /* what is wrong with it */
    const size_t width = to ? head_dim : n;
    const int nothing = tokens == 0 || (heads == 0 && k_heads == 0);
    size_t span = 0;
    unsigned may = 0;
    if (!nothing) {
        may = by ? n % 2 ? FUZZ_BIT(PE_ERR_CONFIG) : 0 : plan_may(plan);
        if (by && n % 2) return; /* half of it is no number of pairs */
        if (heads && to)         /* from heads side by side */
            may |= heads_may(width, tokens, heads, fuzz_mul_add(heads, head_dim, 0), head_dim, size,
                             &span);
        if (heads) may |= heads_may(width, tokens, heads, token, head, size, &span);
        if ((unsigned)h.pairing > 1) may |= FUZZ_BIT(PE_ERR_CONFIG);
        if (to && head_dim < n) may |= FUZZ_BIT(PE_ERR_CONFIG);
        if (form == FORM_AXES && (axes == 0 || axes > PE_ROPE_MAX_AXES))
            may |= FUZZ_BIT(PE_ERR_SHAPE);
        if (!listed && !by)
            may |= fuzz_range(h.first, uniform ? 1 : tokens, offset, !shift && plan->fraction > 0);
        if (listed && tokens > (size_t)PTRDIFF_MAX / 8 / (axes ? axes : 1))
            may |= FUZZ_BIT(PE_ERR_SIZE);
        if (by && fuzz_mul_add(tokens, n / 2, 0) > (size_t)PTRDIFF_MAX / 4)
            may |= FUZZ_BIT(PE_ERR_SIZE);
        if (tokens > 64 && listed && !(tokens > (size_t)PTRDIFF_MAX / 8))
            return; /* a list that would have to be so long */
        if (qk && k_heads && tokens > 64) return;
        if (may == 0 && (span > FUZZ_PLACE / size || tokens > 64 || heads > 64)) return;
    }
    const size_t given = tokens > 64 ? 1 : tokens;
    const size_t lists = axes > PE_ROPE_MAX_AXES ? 1 : axes;
    int64_t *list = NULL;
    uint8_t *axis = NULL;
    if (listed) {
        list = (int64_t *)fuzz_take(given * lists * sizeof *list, (seed & 4) != 0);
        for (size_t r = 0; r < given * lists; r++) {
            list[r] =
                (seed & 8) && r && list[r - 1] < INT64_MAX ? list[r - 1] + 1 : fuzz_position(in);
            if (r == 0 && wrong == 5) list[r] = h.first;
            if (!nothing) may |= fuzz_range(list[r], 1, offset, !shift && plan->fraction > 0);
        }
    }
    if (form == FORM_AXES) {
        axis = (uint8_t *)fuzz_take(n / 2, 1);
        const unsigned mask = fuzz_byte(in);
        for (size_t i = 0; i < n / 2; i++) {
            axis[i] = (uint8_t)(lists ? (i + (mask >> (i % 8) & 1)) % lists : 0);
            if (wrong == 8 && i == mask % (n / 2)) axis[i] = (uint8_t)fuzz_byte(in);
            if (!nothing && axis[i] >= axes) may |= FUZZ_BIT(PE_ERR_SHAPE);
        }
    }
    const size_t elements = may || nothing || heads == 0 ? 64 : span;
    unsigned char *const x = (unsigned char *)fuzz_take(elements * size, seed & 1);
    fuzz_elements(t, x, elements, seed);
    unsigned char *k = NULL, *from = NULL;
    size_t k_span = 0;
    const size_t k_head = n + gap, k_token = (k_heads ? k_heads : 1) * k_head;
    if (k_heads && tokens && tokens <= 64) {
        (void)heads_may(n, tokens, k_heads, k_token, k_head, size, &k_span);
        k = (unsigned char *)fuzz_take(k_span * size, !(seed & 1));
        fuzz_elements(t, k, k_span, seed + 4);
    }
    /* out of place: from heads side by side */
    const size_t from_head = head_dim, from_token = fuzz_mul_add(heads ? heads : 1, head_dim, 0);
    if (to) {
        const size_t all = may || nothing ? 64 : tokens * heads * head_dim;
        if (all * size > FUZZ_PLACE) FUZZ_FAIL("the harness has %zu elements to copy", all);
        from = (unsigned char *)fuzz_take(all * size, (seed & 2) != 0);
        fuzz_elements(t, from, all, seed + 8);
    }
    float *cosines = NULL, *sines = NULL;
    if (by) {
        const size_t rows = given ? given : 1;
        cosines = (float *)fuzz_take(rows * (n / 2) * sizeof *cosines, 1);
        sines = (float *)fuzz_take(rows * (n / 2) * sizeof *sines, 0);
        for (size_t r = 0; r < rows * (n / 2); r++)
            cosines[r] = 0.5f, sines[r] = -0.25f;
        if (!nothing && plan_may(plan) == 0 &&
            fuzz_range(h.first, given, plan->whole, plan->fraction > 0) == 0 &&
            pe_rope_table_f32(plan, h.first, given, cosines, sines, n / 2) != PE_OK)
            FUZZ_FAIL("pe_rope_table refuses good rows");
    }
    if (!nothing && wrong >= 9) { /* one of its pointers */
        may |= FUZZ_BIT(PE_ERR_NULL);
        if (wrong == 11 && (heads == 0 || (listed && seed & 1))) return;
        if (wrong == 10 && !listed && !by && !to) return;
    }
    if (to && may) /* its blocks are smaller than they are said to be, and might overlap then */
        may |= FUZZ_BIT(PE_ERR_SHAPE);
    fuzz_save(fuzz_all.used);
    h.positions = wrong == 10 ? NULL : list;
    if (by) h.plan = NULL;
    if (wrong == 9 && !by) h.plan = NULL;
    if (wrong == 9 && by) sines = NULL;
    const float *const given_cosines = wrong == 10 && by ? NULL : cosines;
    const void *const given_from = wrong == 10 && form == FORM_TO ? NULL : from;
    h.tokens = tokens, h.heads = heads, h.token = token, h.head = head;
    h.x = wrong == 11 ? NULL : x;
    pe_status status;
    switch (form) {
    case FORM_RANGE:
        status = f->range(&h);
        break;
    case FORM_AT:
        status = f->at(&h);
        break;
    case FORM_INVERSE:
        status = f->inverse(&h);
        break;
    case FORM_INVERSE_AT:
        status = f->inverse_at(&h);
        break;
    case FORM_TO:
        status = f->to(&h, head_dim, given_from, from_token, from_head);
        break;
    case FORM_TO_AT:
        status = f->to_at(&h, head_dim, given_from, from_token, from_head);
        break;
    case FORM_QK:
        status = f->qk(&h, k_heads, k, k_token, k_head);
        break;
    case FORM_QK_AT:
        status = f->qk_at(&h, k_heads, k, k_token, k_head);
        break;
    case FORM_AXES:
        status = f->axes(&h, axis, axes);
        break;
    case FORM_SHIFT:
        status = f->shift(&h);
        break;
    case FORM_SHIFT_AT:
        status = f->shift_at(&h);
        break;
    default:
        status = f->by_table(&h, given_cosines, sines, n / 2, n / 2);
        break;
    }
    if (!fuzz_status("pe_rope", status, may)) return;
    if (nothing) {
        fuzz_unwritten("pe_rope of nothing");
        return;
    }

    /* the same in another way, in a copy: pe_rope_at, head by head, with the other pairing */
    unsigned char *const y = (unsigned char *)fuzz_take(elements * size, !(seed & 1));
    memcpy(y, fuzz_saved(x), elements * size);
    unsigned char other[2 * PAIRS * 8 + 64];
    for (size_t r = 0; r < tokens; r++)
        for (size_t i = 0; i < heads; i++) {
            unsigned char *const at = y + (r * token + i * head) * size;
            fuzz_heads one = h;
            int64_t positions[PE_ROPE_MAX_AXES], position;
            if (to) memcpy(at, from + (r * from_token + i * from_head) * size, head_dim * size);
            for (size_t a = 0; a < lists; a++)
                positions[a] = listed ? list[a * tokens + r]
                                      : (int64_t)((uint64_t)h.first + (uniform ? 0 : r));
            position = positions[0];
            one.plan = plan, one.positions = positions, one.tokens = one.heads = 1;
            one.token = one.head = n, one.x = other;
            one.pairing = h.pairing == PE_ROPE_HALVES ? PE_ROPE_ADJACENT : PE_ROPE_HALVES;
            for (size_t e = 0; e < n; e++) {
                const size_t m = in_halves(e, n);
                memcpy(other + (h.pairing == PE_ROPE_HALVES ? e : m) * size,
                       at + (h.pairing == PE_ROPE_HALVES ? m : e) * size, size);
            }
            if (form == FORM_INVERSE || form == FORM_INVERSE_AT) {
                status = f->inverse_at(&one);
            } else if (form == FORM_AXES) {
                status = f->axes(&one, axis, lists);
            } else if (shift) {
                status = f->shift_at(&one);
            } else if (by) {
                status =
                    f->by_table(&one, cosines + r * (n / 2), sines + r * (n / 2), n / 2, n / 2);
            } else {
                one.first = position;
                status = seed & 128 ? f->range(&one) : f->at(&one);
            }
            if (status != PE_OK) FUZZ_FAIL("pe_rope refuses a head alone: %d", (int)status);
            for (size_t e = 0; e < n; e++) {
                const size_t m = in_halves(e, n);
                memcpy(at + (h.pairing == PE_ROPE_HALVES ? m : e) * size,
                       other + (h.pairing == PE_ROPE_HALVES ? e : m) * size, size);
            }
            /* a table of the same positions turns the same way */
            if (by && plan_may(plan) == 0 &&
                fuzz_range(h.first, tokens, plan->whole, plan->fraction > 0) == 0 && r == 0 &&
                i == 0) {
                unsigned char turned[2 * PAIRS * 8 + 64];
                memcpy(turned, fuzz_saved(x), n * size);
                one.x = turned, one.pairing = h.pairing;
                if (f->at(&one) != PE_OK || !fuzz_same(t, turned, at, n))
                    FUZZ_FAIL("pe_rope_by_table: not the bits of the plan its table is from");
            }
        }
    if (heads && !fuzz_same(t, x, y, elements)) /* and what is between the heads */
        FUZZ_FAIL("pe_rope, form %u: not the bits of its heads alone, type %d, n %zu", form, (int)t,
                  n);
    if (qk && k_heads) { /* the keys alone */
        unsigned char *const z = (unsigned char *)fuzz_take(k_span * size, seed & 1);
        memcpy(z, fuzz_saved(k), k_span * size);
        fuzz_heads keys = h;
        keys.heads = k_heads, keys.x = z, keys.token = k_token, keys.head = k_head;
        if ((form == FORM_QK ? f->range(&keys) : f->at(&keys)) != PE_OK ||
            !fuzz_same(t, z, k, k_span))
            FUZZ_FAIL("pe_rope_qk: not the keys of pe_rope");
    }
}

/* Tables: joined, complex and twice have what the plain one has. */
static void op_tables(fuzz_input *in, const plan_case *p)
{
    static const fuzz_type types[] = {FUZZ_F32, FUZZ_F16, FUZZ_BF16, FUZZ_F32};
    const pe_plan *plan = &p->plan;
    const size_t n = p->n, half = n / 2;
    const unsigned b = fuzz_byte(in), seed = fuzz_byte(in), form = fuzz_byte(in) % 4;
    const size_t wrong = fuzz_wrong(in, 6);
    const fuzz_type t = types[b & 3];
    const size_t size = fuzz_size(t);
    const fuzz_rope *const f = &fuzz_ropes[t];
    const size_t width = form == 0 ? half : n;
    size_t rows = (b >> 2) % 8, stride = width + (seed & 16 ? seed % 7 : 0), bytes = 0;
    int64_t first = fuzz_position(in);
    pe_rope_pairing pairing = (pe_rope_pairing)(b >> 5 & 1);
    if (rows * n > ELEMENTS) rows = 1;
    if (wrong == 1) stride = seed & 1 ? fuzz_huge(in) : seed / 2 % (width + 1);
    if (wrong == 2) rows = fuzz_huge(in);
    if (wrong == 3) first = fuzz_far(in);
    if (wrong == 4) pairing = (pe_rope_pairing)(2 + fuzz_byte(in));
    unsigned may = 0;
    if (rows) {
        may = plan_may(plan) | fuzz_range(first, rows, plan->whole, plan->fraction > 0) |
              fuzz_shape(width, rows, stride, size, &bytes);
        if (form == 3 && (unsigned)pairing > 1) may |= FUZZ_BIT(PE_ERR_CONFIG);
        if (may == 0 && bytes > FUZZ_PLACE / 16) return; /* slow, and nothing new */
    }
    if (may || rows == 0) bytes = 64;
    unsigned char *const c = (unsigned char *)fuzz_take(bytes, seed & 1);
    unsigned char *const s = (unsigned char *)fuzz_take(bytes, !(seed & 1));
    fuzz_save(2);
    if (wrong >= 5 && rows) may |= FUZZ_BIT(PE_ERR_NULL);
    const pe_plan *const q = wrong == 5 ? NULL : plan;
    void *const x = wrong == 6 ? NULL : c;
    const pe_status status = form == 0   ? f->table(q, first, rows, x, s, stride)
                             : form == 1 ? f->joined(q, first, rows, x, stride)
                             : form == 2 ? f->complex(q, first, rows, x, stride)
                                         : f->twice(q, pairing, first, rows, x, s, stride);
    if (!fuzz_status("pe_rope_table", status, may)) return;
    if (rows == 0) {
        fuzz_unwritten("pe_rope_table of no rows");
        return;
    }
    /* row by row, packed */
    unsigned char *const cosines = (unsigned char *)fuzz_take(half * size, 1);
    unsigned char *const sines = (unsigned char *)fuzz_take(half * size, 0);
    for (size_t r = 0; r < rows; r++) {
        const unsigned char *const a = c + r * stride * size, *const z = s + r * stride * size;
        if (f->table(plan, first + (int64_t)r, 1, cosines, sines, half) != PE_OK)
            FUZZ_FAIL("pe_rope_table refuses a row");
        for (size_t i = 0; i < half; i++) {
            const size_t cosine = form == 2                                  ? 2 * i
                                  : form == 3 && pairing == PE_ROPE_ADJACENT ? 2 * i
                                                                             : i;
            const unsigned char *const sine = form == 0 || form == 3 ? z + cosine * size
                                              : form == 1            ? a + (half + i) * size
                                                                     : a + (2 * i + 1) * size;
            if (!fuzz_equal(a + cosine * size, cosines + i * size, size) ||
                !fuzz_equal(sine, sines + i * size, size))
                FUZZ_FAIL("pe_rope_table, form %u: row %zu, pair %zu", form, r, i);
            if (form == 3) {
                const size_t again = pairing == PE_ROPE_ADJACENT ? 2 * i + 1 : half + i;
                if (!fuzz_equal(a + again * size, cosines + i * size, size) ||
                    !fuzz_equal(z + again * size, sines + i * size, size))
                    FUZZ_FAIL("pe_rope_table_twice: row %zu, pair %zu, its copy", r, i);
            }
        }
        if (r + 1 < rows && stride > width &&
            (memcmp(a + width * size, fuzz_saved(c) + (r * stride + width) * size,
                    (stride - width) * size) != 0 ||
             memcmp(z + width * size, fuzz_saved(s) + (r * stride + width) * size,
                    (stride - width) * size) != 0))
            FUZZ_FAIL("pe_rope_table, form %u: written behind row %zu", form, r);
    }
}

/* Frequencies of every type, from fields good and bad; ggml's angles; sections. */
static void op_frequencies(fuzz_input *in)
{
    const unsigned b = fuzz_byte(in), fields = (unsigned)fuzz_bytes(in, 2), few = fuzz_byte(in);
    pe_rope_config c = pe_rope_config_default(2 + 2 * (size_t)(few % 12));
    double lists[2][PAIRS];
    float factors[PAIRS];
    for (size_t i = 0; i < PAIRS; i++)
        lists[0][i] = 1 + (double)i / 8, lists[1][i] = 1 + (double)i, factors[i] = 1 + (float)i / 4;
    c.rope_type = (pe_rope_type)(b < 250 ? b % 9 : b);
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
    const char *const error = pe_rope_config_error(&c);
    const size_t pairs = pe_rope_pairs(&c);
    if ((error == NULL) != (pairs != 0) || pairs > PAIRS)
        FUZZ_FAIL("pe_rope_pairs: %zu, and the error is %s", pairs, error ? error : "none");
    double *const w = (double *)fuzz_take((pairs ? pairs : 4) * sizeof *w, 1);
    double *const a = (double *)fuzz_take(sizeof *a, 0);
    fuzz_save(2);
    unsigned may = error ? FUZZ_BIT(PE_ERR_CONFIG) : 0;
    if (error && c.rope_type == PE_ROPE_LONGROPE) may |= FUZZ_BIT(PE_ERR_NULL);
    if (!fuzz_status("pe_rope_frequencies", pe_rope_frequencies(&c, w, few & 4 ? NULL : a), may))
        return;
    double again[PAIRS], factor;
    if (pe_rope_frequencies(&c, again, &factor) != PE_OK ||
        memcmp(again, w, pairs * sizeof *w) != 0 ||
        (!(few & 4) && memcmp(&factor, a, sizeof factor) != 0))
        FUZZ_FAIL("pe_rope_frequencies: not the same bits again");
    for (size_t i = 0; i < pairs; i++)
        if (!(w[i] >= 0 && w[i] <= DBL_MAX))
            FUZZ_FAIL("pe_rope_frequencies: type %d, frequency %zu is %a", (int)c.rope_type, i,
                      w[i]);
    if (!(factor > 0 && factor <= DBL_MAX))
        FUZZ_FAIL("pe_rope_frequencies: the attention factor is %a", factor);
    if (pe_rope_periods(w, pairs, w) != PE_OK) FUZZ_FAIL("pe_rope_periods refuses frequencies");
}

static void op_ggml(fuzz_input *in)
{
    const unsigned b = fuzz_byte(in), seed = fuzz_byte(in);
    pe_rope_ggml g = pe_rope_ggml_default(2 + 2 * (size_t)(b % 6));
    const size_t half = g.n_dims / 2, rows = 1 + seed % 2, stride = half + (seed >> 4);
    const int64_t first = fuzz_position(in);
    float factors[8];
    for (size_t i = 0; i < 8; i++)
        factors[i] = 1 + (float)i;
    if (b & 16) g.freq_base = (float)fuzz_double(in);
    if (b & 32) g.freq_scale = (float)fuzz_double(in);
    if (b & 64)
        g.ext_factor = (float)(fuzz_byte(in) % 5) / 4, g.n_ctx_orig = (size_t)fuzz_bytes(in, 2);
    if (b & 128) g.freq_factors = factors, factors[seed % 8] = (float)fuzz_double(in);
    if (seed & 2) g.beta_fast = (float)fuzz_double(in), g.beta_slow = (float)fuzz_double(in);
    if (seed & 4) g.attn_factor = (float)fuzz_double(in);
    const size_t all = ((rows - 1) * stride + half) * sizeof(float);
    float *const c = (float *)fuzz_take(all, 1), *const s = (float *)fuzz_take(all, 0);
    fuzz_save(2);
    const pe_status status = pe_rope_ggml_f32(&g, first, rows, c, s, stride);
    const unsigned range = fuzz_range(first, rows, 0, 0);
    if (status != PE_OK) {
        (void)fuzz_status("pe_rope_ggml", status, range | FUZZ_BIT(PE_ERR_CONFIG));
        return;
    }
    if (range) FUZZ_FAIL("pe_rope_ggml takes a position out of range");
    float alone[2][8];
    if (pe_rope_ggml_f32(&g, first + (int64_t)rows - 1, 1, alone[0], alone[1], half) != PE_OK ||
        !fuzz_same(FUZZ_F32, alone[0], c + (rows - 1) * stride, half) ||
        !fuzz_same(FUZZ_F32, alone[1], s + (rows - 1) * stride, half))
        FUZZ_FAIL("pe_rope_ggml: the last row alone differs");
}

static void op_sections(fuzz_input *in)
{
    const unsigned b = fuzz_byte(in);
    const size_t axes = b % 10, pairs = fuzz_byte(in) % 40;
    size_t sections[10], sum = 0;
    for (size_t a = 0; a < 10; a++) {
        sections[a] = fuzz_byte(in) % (1 + pairs / (axes ? axes : 1) + (b >> 7));
        if (a + 1 == axes && (b & 16)) sections[a] = pairs - sum;
        if ((b & 96) == 96 && a == 1) sections[a] = fuzz_huge(in);
        sum += a < axes ? sections[a] : 0;
    }
    uint8_t *const axis = (uint8_t *)fuzz_take(pairs, 1);
    fuzz_save(1);
    const pe_status status = pe_rope_sections(sections, axes, b >> 5 & 1, pairs, axis);
    if (status != PE_OK) {
        (void)fuzz_status("pe_rope_sections", status, FUZZ_BIT(PE_ERR_SHAPE));
        return;
    }
    size_t count[10] = {0};
    for (size_t i = 0; i < pairs; i++) {
        if (axis[i] >= axes) FUZZ_FAIL("pe_rope_sections: pair %zu has axis %d", i, axis[i]);
        count[axis[i]]++;
    }
    for (size_t a = 0; a < axes; a++)
        if (count[a] != sections[a])
            FUZZ_FAIL("pe_rope_sections: axis %zu has %zu pairs, not %zu", a, count[a],
                      sections[a]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, data + size};
    const plan_case *p = &pool[fuzz_byte(&in) % pooled];
    switch (fuzz_byte(&in) % 16) {
    case 0:
        op_frequencies(&in);
        break;
    case 1:
        op_ggml(&in);
        break;
    case 2:
        op_sections(&in);
        break;
    case 3:
    case 4:
    case 5:
        op_tables(&in, p);
        break;
    default:
        op_heads(&in, p);
        break;
    }
    fuzz_release(0);
    return 0;
}
