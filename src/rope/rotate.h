/* SPDX-License-Identifier: MIT */
/* Heads rotated by rows of sines and cosines.
 * Gives: pe__head_rotator, pe__rotate_heads_bf16(), pe__rotate_heads_f16(),
 *   pe__rotate_heads_f32(),
 *   pe__rotate_heads_f32_bf16(), pe__rotate_heads_f32_f16(), and the same for each layout and for
 *   blocks.
 * Needs: simd, api, rows, numbers.
 * Tests: tests/unit/test_rope.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../numbers/base.h"
#include "pairs.h"

typedef void pe__head_rotator(const pe__tile *tile, const pe__heads *x);

/* What the heads of a tile's tokens have behind their pairs, once. */
PE__INLINE void pe__rope_rest(pe__kind from, pe__kind to, const pe__tile *tile, const pe__heads *x)
{
    const size_t n = 2 * tile->pairs, rest = tile->pair == 0 ? x->rest : 0;
    for (size_t t = tile->token; rest && t < tile->token + tile->tokens; t++) {
        const unsigned char *in = x->in + t * x->in_token + n * pe__size_of(from);
        unsigned char *out = x->out + t * x->out_token + n * pe__size_of(to);
        for (size_t k = 0; k < x->heads; k++, in += x->in_head, out += x->out_head)
            pe__convert(from, to, in, out, rest);
    }
}

/* How heads follow each other. */
typedef struct pe__pace {
    size_t heads, tokens; /* so many at a time, of one token or of tokens that turn alike */
    size_t ahead; /* bytes to what is asked for in advance, or 0 */
    int alone; /* each by itself: one of all tokens, then the next; 2: all of one token */
} pe__pace;
PE__OUTLINE pe__pace pe__rope_many(const pe__tile *tile, const pe__heads *x, pe__kind from)
{
    const int by_head = x->out_head > x->out_token;
    const size_t next = by_head ? x->in_token : x->in_head; /* bytes to the next head */
    /* Single heads that turn alike go together, as if of one token, while a cache has them. */
    const int alike = tile->stride == 0 && x->heads == 1 && next;
    const int cached = alike && tile->tokens <= (size_t)PE__ROPE_CACHED / next;
    /* Several passes over heads in a cache. Floats beyond what one is taken to hold come one head
       after the other, as their addresses do, which memory takes better: much, if unasked. */
    const int passes = tile->count > pe__rope_block(tile->layout) || tile->count % PE__ROPE_UNIT;
    const size_t near_by = x->in == x->out ? (size_t)PE__ROPE_NEAR : (size_t)PE__ROPE_AWAY;
    const size_t last = tile->token + tile->tokens; /* by a table all of a call */
    const int distant = passes && from == PE__F32 && last > near_by / pe__max(x->in_token, 1);
    /* Heads are asked for in advance, whole ones; but floats that go elsewhere in one pass come
       faster by what the hardware foresees alone. */
    const int asks = from != PE__F32 || (passes && !distant) ||
                     (x->in == x->out && (alike || PE_PREFETCH_HEADS));
    const size_t group = PE__ROPE_GROUP / (next + !next) + 1;
    pe__pace pace = {x->heads, 1, 0, (by_head || x->heads == 1) && !cached};
    if (cached) pace.tokens = group;
    else if (asks)
        pace.ahead = next > PE__ROPE_AHEAD ? next : PE__ROPE_AHEAD / (next + !next) * next;
    if (passes) pace.heads = distant ? 1 : group;
    if (distant && !pace.alone) pace.alone = 2;
    return pace;
}
PE__INLINE pe__pace pe__rope_pace(const pe__tile *tile, const pe__heads *x, pe__kind from)
{
    const pe__pace few = {x->heads, 1, 0, x->heads == 1};
    return tile->tokens == 1 ? few : pe__rope_many(tile, x, from);
}

/* The pairs of a tile in units, all others, or blocks of halves that are alike. */
typedef enum pe__mode { PE__IN_UNITS, PE__IN_VECTORS, PE__IN_BLOCKS } pe__mode;

/* Some heads of a token at a time, by what registers hold of its sines and cosines, so many that
   they are still in the first-level cache. */
PE__INLINE void pe__rotate_some(pe__kind from, pe__kind to, pe_layout layout, pe__mode how,
                                const pe__tile *tile, const pe__heads *x, const pe__pace *pace)
{

    const size_t first = tile->pair * (layout == PE_LAYOUT_HALVES ? 1 : 2);
    const size_t tokens = pace->tokens, heads = pace->heads, all = x->heads, count = tile->tokens;
    const size_t in_token = x->in_token, out_token = x->out_token, ahead = pace->ahead;
    pe__tile rows = *tile;
    pe__heads some = *x;
    if (how == PE__IN_UNITS) rows.count = pe__rope_whole(rows.count);
    some.in += tile->token * in_token + first * pe__size_of(from);
    some.out += tile->token * out_token + first * pe__size_of(to);
    for (size_t t = 0; t < count; t += tokens) {
        const pe__angles a = pe__angles_of(&rows, t);
        unsigned char *const out = some.out;
        const unsigned char *const in = some.in;
        for (size_t k = 0; k < all; k += heads) {
            some.heads = tokens > 1 ? pe__min(tokens, count - t) : pe__min(heads, all - k);
            if (how == PE__IN_VECTORS) pe__rope_vectors(from, to, layout, &a, &some);
            else if (how == PE__IN_BLOCKS && a.pairs < PE__ROPE_UNIT)
                pe__rope_token(from, to, layout, 2, &a, &some, ahead);
            else pe__rope_token(from, to, layout, how == PE__IN_BLOCKS, &a, &some, ahead);
            if (how == PE__IN_BLOCKS) pe__rope_ends(from, to, layout, 1, &a, &some);
            some.in += heads * some.in_head;
            some.out += heads * some.out_head;
        }
        some.in = in + tokens * in_token;
        some.out = out + tokens * out_token;
        PE__BY_ITSELF(some.in);
    }
}

/* Blocks of a vector each, or of units, that follow each other: then as one tile. */
PE__INLINE int pe__rope_alike(const pe__tile *tile, int narrow, pe__tile *all)
{
    const pe__part *const part = tile->part;
    const size_t n = part->pairs, vector = narrow ? (size_t)PE__ROPE_UNIT : (size_t)PE__FLOATS;
    int alike = n == vector || n % PE__ROPE_UNIT == 0;
    for (size_t k = 0; k < tile->parts; k++)
        alike &= part[k].n == n && part[k].pairs == n && part[k].column == part->column + 2 * k * n;
    all->count = n * tile->parts;
    all->pairs = n;
    return alike;
}

/* The same of blocks of halves, block after block; or of all, where they are alike. */
PE__INLINE void pe__rotate_blocks(pe__kind from, pe__kind to, const pe__tile *tile,
                                  const pe__heads *x)
{
    const pe__pace pace = pe__rope_pace(tile, x, from);
    const size_t e = pe__size_of(from), f = pe__size_of(to);
    pe__tile one = *tile;
    pe__heads some = *x;
    one.pair = 0;
    if (pe__rope_alike(tile, from == PE__BF16 && to == PE__BF16, &one)) {
        some.in += tile->part->column * e;
        some.out += tile->part->column * f;
        pe__rotate_some(from, to, PE_LAYOUT_HALVES, PE__IN_BLOCKS, &one, &some, &pace);
        return;
    }
    for (size_t t = 0; t < tile->tokens; t++) {
        const pe__angles row = pe__angles_of(tile, t);
        some.in = x->in + (tile->token + t) * x->in_token;
        some.out = x->out + (tile->token + t) * x->out_token;
        for (size_t k = 0; k < x->heads; k += pace.heads) {
            some.heads = pe__min(pace.heads, x->heads - k);
            for (size_t b = 0; b < tile->parts; b++) {
                const pe__part *const part = &tile->part[b];
                const pe__angles a = {row.s + part->pair, row.c + part->pair, part->n, part->pairs};
                pe__heads its = some;
                its.in += part->column * e;
                its.out += part->column * f;
                const pe__angles units = {a.s, a.c, pe__rope_whole(a.n), a.pairs};
                pe__rope_token(from, to, PE_LAYOUT_HALVES, 0, &units, &its, pace.ahead);
                pe__rope_vectors(from, to, PE_LAYOUT_HALVES, &a, &its);
            }
            some.in += pace.heads * x->in_head;
            some.out += pace.heads * x->out_head;
        }
    }
}

/* Blocks of neighbours, one after the other: each is pairs that follow each other. */
PE__INLINE void pe__rotate_apart(pe__kind from, pe__kind to, const pe__tile *tile,
                                 const pe__heads *x, pe__head_rotator *turn)
{
    for (size_t b = 0; b < tile->parts; b++) {
        const pe__part *const part = &tile->part[b];
        pe__tile one = *tile;
        pe__heads its = *x;
        one.sines += part->pair;
        one.cosines += part->pair;
        one.count = one.pairs = part->n;
        one.pair = one.parts = 0;
        its.in += part->column * pe__size_of(from);
        its.out += part->column * pe__size_of(to);
        its.rest = 0;
        turn(&one, &its);
    }
}

/* Each head by itself. */
PE__INLINE void pe__rotate_alone(pe__kind from, pe__kind to, pe_layout layout, const pe__tile *tile,
                                 const pe__heads *x, const pe__pace *pace)
{
    const size_t e = pe__size_of(from), f = pe__size_of(to), n = 2 * tile->pairs, width = n * e;
    const size_t first = tile->pair * (layout == PE_LAYOUT_HALVES ? 1 : 2), ahead = pace->ahead;
    const size_t rest = tile->pair == 0 ? x->rest : 0;
    const int all = pace->alone > 1;
    const size_t outer = all ? tile->tokens : x->heads, inner = all ? x->heads : tile->tokens;
    const size_t in_step = all ? x->in_head : x->in_token;
    const size_t out_step = all ? x->out_head : x->out_token;
    for (size_t i = 0; i < outer; i++) {
        const size_t token = tile->token + (all ? i : 0), head = all ? 0 : i;
        const unsigned char *in = x->in + token * x->in_token + head * x->in_head;
        unsigned char *out = x->out + token * x->out_token + head * x->out_head;
        for (size_t j = 0; j < inner; j++) {
            const size_t t = all ? i : j;
            const pe__angles a = pe__angles_of(tile, t);
            for (size_t b = 0; ahead && b < width; b += 64)
                PE__PREFETCH((uintptr_t)in + ahead + b);
            if (a.n < PE__FLOATS) {
                const pe__heads one = {in + first * e, out + first * f, 0, 0, 0, 0, 1, 0, 0};
                pe__rope_short(from, to, layout, &a, &one);
            } else pe__rope_head(from, to, layout, &a, in + first * e, out + first * f);
            if (rest) pe__convert(from, to, in + n * e, out + n * f, rest);
            in += in_step;
            out += out_step;
            PE__BY_ITSELF(in);
        }
    }
}

/* The same for each type and layout, and for floats that become 16-bit numbers: so that a program
   has the code of what it names alone. What does not go in units follows behind those of all heads,
   and what they have behind their pairs behind that. */
#define PE__HEAD_ROTATOR(name, from, to, layout, rests)                                            \
    PE__OUTLINE void name##_units(const pe__tile *t, const pe__heads *x, const pe__pace *pace)     \
    {                                                                                              \
        pe__rotate_some(from, to, layout, PE__IN_UNITS, t, x, pace);                               \
    }                                                                                              \
    PE__OUTLINE void name##_vectors(const pe__tile *t, const pe__heads *x, const pe__pace *pace)   \
    {                                                                                              \
        pe__rotate_some(from, to, layout, PE__IN_VECTORS, t, x, pace);                             \
    }                                                                                              \
    PE__OUTLINE void name##_alone(const pe__tile *t, const pe__heads *x, const pe__pace *pace)     \
    {                                                                                              \
        pe__rotate_alone(from, to, layout, t, x, pace);                                            \
    }                                                                                              \
    PE__OUTLINE void name(const pe__tile *t, const pe__heads *x)                                   \
    {                                                                                              \
        const pe__pace pace = pe__rope_pace(t, x, from);                                           \
        const size_t n = t->count;                                                                 \
        const size_t units = pe__rope_whole(n);                                                    \
        if (pace.alone) name##_alone(t, x, &pace);                                                 \
        else {                                                                                     \
            if (units > 0) name##_units(t, x, &pace);                                              \
            if (units < n) name##_vectors(t, x, &pace);                                            \
            if (x->rest) rests(t, x);                                                              \
        }                                                                                          \
    }
#define PE__HEAD_ROTATORS(name, from, to)                                                          \
    PE__OUTLINE void name##_rest(const pe__tile *t, const pe__heads *x)                            \
    {                                                                                              \
        pe__rope_rest(from, to, t, x);                                                             \
    }                                                                                              \
    PE__HEAD_ROTATOR(name##_halves, from, to, PE_LAYOUT_HALVES, name##_rest)                       \
    PE__HEAD_ROTATOR(name##_neighbours, from, to, PE_LAYOUT_INTERLEAVED, name##_rest)              \
    PE__INLINE void name(const pe__tile *t, const pe__heads *x)                                    \
    {                                                                                              \
        if (t->layout == PE_LAYOUT_HALVES) name##_halves(t, x);                                    \
        else name##_neighbours(t, x);                                                              \
    }                                                                                              \
    PE__OUTLINE void name##_blocks(const pe__tile *t, const pe__heads *x)                          \
    {                                                                                              \
        if (t->layout == PE_LAYOUT_HALVES) pe__rotate_blocks(from, to, t, x);                      \
        else pe__rotate_apart(from, to, t, x, name##_neighbours);                                  \
        if (x->rest) name##_rest(t, x);                                                            \
    }
PE__HEAD_ROTATORS(pe__rotate_heads_f32, PE__F32, PE__F32)
PE__HEAD_ROTATORS(pe__rotate_heads_f16, PE__F16, PE__F16)
PE__HEAD_ROTATORS(pe__rotate_heads_bf16, PE__BF16, PE__BF16)
PE__HEAD_ROTATORS(pe__rotate_heads_f32_f16, PE__F32, PE__F16)
PE__HEAD_ROTATORS(pe__rotate_heads_f32_bf16, PE__F32, PE__BF16)
#undef PE__HEAD_ROTATORS
#undef PE__HEAD_ROTATOR
