/* SPDX-License-Identifier: MIT */
/* This file defines the rotators of heads, such as pe__rotate_heads_f32(). For each layout and each
 * type, also from f32 to f16 or bf16, a function rotates all heads of a tile's tokens. It chooses
 * the order of the heads that suits the caches. Test: tests/unit/rope/test_rope_rotate.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "heads.h"
#include "pairs.h"

/* Copy x->copied_after elements after the pairs, in all heads of the tile's tokens. The pairs of a
   wide head take several tiles; the elements are copied only with the tile that has the first
   pair. */
PE__INLINE void pe__copy_rest(pe_type from, pe_type to, const pe__tile *tile, const pe__heads *x)
{
    const size_t n = 2 * tile->pairs, rest = tile->pair == 0 ? x->copied_after : 0;
    for (size_t t = tile->token; rest && t < tile->token + tile->tokens; t++) {
        const unsigned char *in = x->in + t * x->in_token + n * pe__size_of(from);
        unsigned char *out = x->out + t * x->out_token + n * pe__size_of(to);
        for (size_t k = 0; k < x->heads; k++, in += x->in_head, out += x->out_head)
            pe__convert(from, to, in, out, rest);
    }
}

/* These constants name the order in which heads are rotated. PE__HEADS_TOGETHER rotates several
   heads at a time: of one token, or of tokens that share a rotation. PE__HEAD_BY_HEAD rotates one
   head of all tokens, then the next head. PE__TOKEN_BY_TOKEN rotates all heads of a token, one at a
   time, then takes the next token. The first order alone is not enough, because the heads of a
   token may be far apart. In an array [heads, tokens, head_dim] of 32 heads of 4096 tokens, it
   takes 1.4 to 1.5 times as long as the second. */
enum { PE__HEADS_TOGETHER, PE__HEAD_BY_HEAD, PE__TOKEN_BY_TOKEN };

/* A schedule says which heads are rotated together, in which order heads are rotated, and how far
   ahead they are prefetched. */
typedef struct pe__head_schedule {
    /* If `tokens` is 1, `heads` is the number of heads of one token that are rotated together. If
       `tokens` is larger, the heads of this number of tokens are rotated together; the tokens have
       one head each and share a rotation. */
    size_t heads, tokens;
    size_t prefetch_distance; /* bytes from the address that is read to the prefetch; 0: none */
    int order;                /* one of the three constants above */
} pe__head_schedule;
/* Returns whether a head takes several passes. It does if its sines and cosines do not fit in the
   registers, or do not fill complete pair tiles. */
PE__INLINE int pe__takes_passes(const pe__tile *tile)
{
    return tile->count > pe__register_pairs(tile->layout) || tile->count % PE__PAIR_TILE;
}
PE__OUTLINE pe__head_schedule pe__schedule_tokens(const pe__tile *tile, const pe__heads *x,
                                                  pe_type from)
{
    const int by_head = x->out_head > x->out_token;
    const size_t next = by_head ? x->in_token : x->in_head; /* bytes to the next head */
    /* Tokens of one head each that share a rotation are rotated together, like the heads of one
       token, if all of them are likely to fit in a cache (`cached`). */
    const int shared = tile->stride == 0 && x->heads == 1 && next;
    const int cached = shared && tile->tokens <= (size_t)PE__ROPE_CACHED / next;
    /* Passes over a group of heads are fastest if the heads are in a cache. Floats that come from
       memory (`scattered`) are rotated head after head instead, in the order of their addresses.
       With passes they took 1.04 to 1.5 times as long in place, and 1.5 to 2.7 times as long out of
       place with AVX2 and SSE2. But passes took 0.6 to 0.93 times as long for heads whose last pass
       is not `full`. With scalar code, they took 0.75 to 0.97 times as long for interleaved pairs
       and for sections, which are not `wide`. Heads are taken to come from memory if the call has
       `many` tokens. */
    const int passes = pe__takes_passes(tile);
    const size_t near_by = x->in == x->out ? (size_t)PE__ROPE_NEAR : (size_t)PE__ROPE_AWAY;
    const int many = tile->call_tokens > near_by / pe__max(x->in_token, 1);
    const int full = tile->count % pe__register_pairs(tile->layout) == 0;
    const int wide = PE_LANES > 1 || (tile->layout == PE_LAYOUT_HALVES && !tile->section_count);
    const int scattered = passes && full && wide && from == PE_TYPE_F32 && many;
    /* Whole heads are prefetched unless they are `cached`. Floats that are read in the order of
       their addresses are an exception. They are read in this order if there is one pass or
       `scattered` is set. Out of place, such floats are not prefetched: the hardware alone is
       faster. In place, they are prefetched only if the tokens share a rotation or
       PE_PREFETCH_HEADS is set. */
    const int prefetches = from != PE_TYPE_F32 || (passes && !scattered) ||
                           (x->in == x->out && (shared || PE_PREFETCH_HEADS));
    const size_t group = PE__ROPE_GROUP / (next + !next) + 1;
    pe__head_schedule schedule = {x->heads, 1, 0, (by_head || x->heads == 1) && !cached};
    if (cached) schedule.tokens = group;
    else if (prefetches)
        schedule.prefetch_distance = next > PE__ROPE_PREFETCH_DISTANCE
                                         ? next
                                         : PE__ROPE_PREFETCH_DISTANCE / (next + !next) * next;
    if (passes) schedule.heads = scattered ? 1 : group;
    if (scattered && schedule.order == PE__HEADS_TOGETHER) schedule.order = PE__TOKEN_BY_TOKEN;
    return schedule;
}
PE__INLINE pe__head_schedule pe__schedule_heads(const pe__tile *tile, const pe__heads *x,
                                                pe_type from)
{
    /* For the floats of one token out of place, it is not known whether they come from memory. If
       they do, passes over two heads take 0.43 to 0.48 times as long as passes over all heads. In a
       cache, they take 1.04 to 1.2 times as long (AVX2; halves with SSE2 and scalar code; Zen 4).
       Interleaved pairs without AVX2 or AVX-512 are not `wide`: a pass over them takes at most one
       cache line of each head, and such passes gain nothing. */
    const int wide = tile->layout == PE_LAYOUT_HALVES || PE_LANES >= 4;
    const int away = wide && from == PE_TYPE_F32 && x->in != x->out && pe__takes_passes(tile);
    const pe__head_schedule few = {away ? 2 : x->heads, 1, 0, x->heads == 1};
    return tile->tokens == 1 ? few : pe__schedule_tokens(tile, x, from);
}

/* These constants say what pe__rotate_groups() rotates. PE__IN_PAIR_TILES: the first pairs of a
   tile, as many as pe__tiled_pairs() returns. PE__IN_VECTORS: the pairs after these.
   PE__IN_SECTIONS: all pairs, in sections for which pe__sections_alike() returned 1. */
typedef enum pe__granularity { PE__IN_PAIR_TILES, PE__IN_VECTORS, PE__IN_SECTIONS } pe__granularity;

/* Rotate the heads in groups. All heads of a group are rotated by as many sines and cosines as fit
   in the registers, then by the next ones, in another pass. If there are several passes over
   several tokens, a group has at most about 8 KB (PE__ROPE_GROUP) and so stays in the first-level
   cache. For the groups of a single token see pe__schedule_heads(). */
PE__INLINE void pe__rotate_groups(pe_type from, pe_type to, pe_layout layout, pe__granularity how,
                                  const pe__tile *tile, const pe__heads *x,
                                  const pe__head_schedule *schedule)
{
    const size_t first = tile->pair * (layout == PE_LAYOUT_HALVES ? 1 : 2);
    const size_t tokens = schedule->tokens, heads = schedule->heads, all = x->heads;
    const size_t count = tile->tokens;
    const size_t in_token = x->in_token, out_token = x->out_token;
    const size_t prefetch_distance = schedule->prefetch_distance;
    pe__tile rows = *tile;
    pe__heads part = *x;
    if (how == PE__IN_PAIR_TILES) rows.count = pe__tiled_pairs(rows.count);
    part.in += tile->token * in_token + first * pe__size_of(from);
    part.out += tile->token * out_token + first * pe__size_of(to);
    for (size_t t = 0; t < count; t += tokens) {
        const pe__angles a = pe__angles_of(&rows, t);
        unsigned char *const out = part.out;
        const unsigned char *const in = part.in;
        for (size_t k = 0; k < all; k += heads) {
            part.heads = tokens > 1 ? pe__min(tokens, count - t) : pe__min(heads, all - k);
            if (how == PE__IN_VECTORS) pe__rotate_vectors(from, to, layout, &a, &part);
            else if (how == PE__IN_SECTIONS && a.pairs < PE__PAIR_TILE)
                pe__rotate_pair_tiles(from, to, layout, PE__VECTOR_SECTIONS, &a, &part,
                                      prefetch_distance);
            else
                pe__rotate_pair_tiles(from, to, layout, how == PE__IN_SECTIONS, &a, &part,
                                      prefetch_distance);
            if (how == PE__IN_SECTIONS) pe__rotate_ends(from, to, layout, 1, &a, &part);
            part.in += heads * part.in_head;
            part.out += heads * part.out_head;
        }
        part.in = in + tokens * in_token;
        part.out = out + tokens * out_token;
        PE__IN_REGISTER(part.in);
    }
}

/* Returns whether all sections of the tile can be rotated together. They must follow each other
   without a gap and have the same number of pairs. These pairs must fill complete pair tiles or one
   vector; if `narrow` is 1, only complete pair tiles. Sets all->count to the pairs of all sections
   and all->pairs to the pairs of one. `narrow` is 1 if both the input and the output are bf16. */
PE__INLINE int pe__sections_alike(const pe__tile *tile, int narrow, pe__tile *all)
{
    const pe__section *const section = tile->section;
    const size_t n = section->pairs, vector = narrow ? (size_t)PE__PAIR_TILE : (size_t)PE__FLOATS;
    int alike = n == vector || n % PE__PAIR_TILE == 0;
    for (size_t k = 0; k < tile->section_count; k++)
        alike &= section[k].n == n && section[k].pairs == n &&
                 section[k].column == section->column + 2 * k * n;
    all->count = n * tile->section_count;
    all->pairs = n;
    return alike;
}

/* Rotate heads whose sections are in halves. All sections are rotated together if
   pe__sections_alike() returns 1. Otherwise they are rotated one by one. */
PE__INLINE void pe__rotate_sections(pe_type from, pe_type to, const pe__tile *tile,
                                    const pe__heads *x)
{
    const pe__head_schedule schedule = pe__schedule_heads(tile, x, from);
    const size_t e = pe__size_of(from), f = pe__size_of(to);
    pe__tile one = *tile;
    pe__heads part = *x;
    one.pair = 0;
    if (pe__sections_alike(tile, from == PE_TYPE_BF16 && to == PE_TYPE_BF16, &one)) {
        part.in += tile->section->column * e;
        part.out += tile->section->column * f;
        pe__rotate_groups(from, to, PE_LAYOUT_HALVES, PE__IN_SECTIONS, &one, &part, &schedule);
        return;
    }
    for (size_t t = 0; t < tile->tokens; t++) {
        const pe__angles row = pe__angles_of(tile, t);
        part.in = x->in + (tile->token + t) * x->in_token;
        part.out = x->out + (tile->token + t) * x->out_token;
        for (size_t k = 0; k < x->heads; k += schedule.heads) {
            part.heads = pe__min(schedule.heads, x->heads - k);
            for (size_t b = 0; b < tile->section_count; b++) {
                const pe__section *const section = &tile->section[b];
                const pe__angles a = {row.s + section->pair, row.c + section->pair, section->n,
                                      section->pairs};
                pe__heads its = part;
                its.in += section->column * e;
                its.out += section->column * f;
                const pe__angles tiled = {a.s, a.c, pe__tiled_pairs(a.n), a.pairs};
                pe__rotate_pair_tiles(from, to, PE_LAYOUT_HALVES, PE__ONE_SECTION, &tiled, &its,
                                      schedule.prefetch_distance);
                pe__rotate_vectors(from, to, PE_LAYOUT_HALVES, &a, &its);
            }
            part.in += schedule.heads * x->in_head;
            part.out += schedule.heads * x->out_head;
        }
    }
}

/* Rotate heads whose sections are interleaved, section by section. The pairs of a section follow
   each other, so the rotator `rotate` can take a section as a head of its own. */
PE__INLINE void pe__rotate_sections_interleaved(pe_type from, pe_type to, const pe__tile *tile,
                                                const pe__heads *x, pe__head_rotator *rotate)
{
    for (size_t b = 0; b < tile->section_count; b++) {
        const pe__section *const section = &tile->section[b];
        pe__tile one = *tile;
        pe__heads its = *x;
        one.sines += section->pair;
        one.cosines += section->pair;
        one.count = one.pairs = section->n;
        one.pair = one.section_count = 0;
        its.in += section->column * pe__size_of(from);
        its.out += section->column * pe__size_of(to);
        its.copied_after = 0;
        rotate(&one, &its);
    }
}

/* Rotate one head at a time, in the schedule's order. If the tile has pair 0, also copy the
   elements after the head's pairs. */
PE__INLINE void pe__rotate_singly(pe_type from, pe_type to, pe_layout layout, const pe__tile *tile,
                                  const pe__heads *x, const pe__head_schedule *schedule)
{
    const size_t e = pe__size_of(from), f = pe__size_of(to), n = 2 * tile->pairs, width = n * e;
    const size_t first = tile->pair * (layout == PE_LAYOUT_HALVES ? 1 : 2);
    const size_t prefetch_distance = schedule->prefetch_distance;
    const size_t rest = tile->pair == 0 ? x->copied_after : 0;
    const int all = schedule->order > PE__HEAD_BY_HEAD;
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
            for (size_t b = 0; prefetch_distance && b < width; b += 64)
                PE__PREFETCH((uintptr_t)in + prefetch_distance + b);
            if (a.n < PE__FLOATS) {
                const pe__heads one = {in + first * e, out + first * f, 0, 0, 0, 0, 1, 0, 0, 0, 0};
                pe__rotate_short(from, to, layout, &a, &one);
            } else pe__rotate_head(from, to, layout, &a, in + first * e, out + first * f);
            if (rest) pe__convert(from, to, in + n * e, out + n * f, rest);
            in += in_step;
            out += out_step;
            PE__IN_REGISTER(in);
        }
    }
}

/* Define the rotators of each type, and those from floats to 16-bit types. Each layout has its own
   function, so that a program contains code only for the layouts that it names. With
   PE__HEADS_TOGETHER, three functions process all heads in turn. The first rotates complete pair
   tiles. The second rotates the pairs that fill no pair tile. The third copies the elements after
   the pairs. */
#define PE__HEAD_ROTATOR(name, from, to, layout, rests)                                            \
    PE__OUTLINE void name##_pair_tiles(const pe__tile *t, const pe__heads *x,                      \
                                       const pe__head_schedule *schedule)                          \
    {                                                                                              \
        pe__rotate_groups(from, to, layout, PE__IN_PAIR_TILES, t, x, schedule);                    \
    }                                                                                              \
    PE__OUTLINE void name##_vectors(const pe__tile *t, const pe__heads *x,                         \
                                    const pe__head_schedule *schedule)                             \
    {                                                                                              \
        pe__rotate_groups(from, to, layout, PE__IN_VECTORS, t, x, schedule);                       \
    }                                                                                              \
    PE__OUTLINE void name##_singly(const pe__tile *t, const pe__heads *x,                          \
                                   const pe__head_schedule *schedule)                              \
    {                                                                                              \
        pe__rotate_singly(from, to, layout, t, x, schedule);                                       \
    }                                                                                              \
    PE__OUTLINE void name(const pe__tile *t, const pe__heads *x)                                   \
    {                                                                                              \
        const pe__head_schedule schedule = pe__schedule_heads(t, x, from);                         \
        const size_t n = t->count;                                                                 \
        const size_t tiled = pe__tiled_pairs(n);                                                   \
        if (schedule.order != PE__HEADS_TOGETHER) name##_singly(t, x, &schedule);                  \
        else {                                                                                     \
            if (tiled > 0) name##_pair_tiles(t, x, &schedule);                                     \
            if (tiled < n) name##_vectors(t, x, &schedule);                                        \
            if (x->copied_after) rests(t, x);                                                      \
        }                                                                                          \
    }
#define PE__HEAD_ROTATORS(name, from, to)                                                          \
    PE__OUTLINE void name##_rest(const pe__tile *t, const pe__heads *x)                            \
    {                                                                                              \
        pe__copy_rest(from, to, t, x);                                                             \
    }                                                                                              \
    PE__HEAD_ROTATOR(name##_halves, from, to, PE_LAYOUT_HALVES, name##_rest)                       \
    PE__HEAD_ROTATOR(name##_interleaved, from, to, PE_LAYOUT_INTERLEAVED, name##_rest)             \
    PE__INLINE void name(const pe__tile *t, const pe__heads *x)                                    \
    {                                                                                              \
        if (t->layout == PE_LAYOUT_HALVES) name##_halves(t, x);                                    \
        else name##_interleaved(t, x);                                                             \
    }                                                                                              \
    PE__OUTLINE void name##_sections(const pe__tile *t, const pe__heads *x)                        \
    {                                                                                              \
        if (t->layout == PE_LAYOUT_HALVES) pe__rotate_sections(from, to, t, x);                    \
        else pe__rotate_sections_interleaved(from, to, t, x, name##_interleaved);                  \
        if (x->copied_after) name##_rest(t, x);                                                    \
    }
PE__HEAD_ROTATORS(pe__rotate_heads_f32, PE_TYPE_F32, PE_TYPE_F32)
PE__HEAD_ROTATORS(pe__rotate_heads_f16, PE_TYPE_F16, PE_TYPE_F16)
PE__HEAD_ROTATORS(pe__rotate_heads_bf16, PE_TYPE_BF16, PE_TYPE_BF16)
PE__HEAD_ROTATORS(pe__rotate_heads_f32_f16, PE_TYPE_F32, PE_TYPE_F16)
PE__HEAD_ROTATORS(pe__rotate_heads_f32_bf16, PE_TYPE_F32, PE_TYPE_BF16)
#undef PE__HEAD_ROTATORS
#undef PE__HEAD_ROTATOR
