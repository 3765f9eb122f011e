/* SPDX-License-Identifier: MIT */
/* Heads rotated by rows of sines and cosines.
 * Gives: PE__ROPE_PAIRS, PE__ROPE_TILE, PE__ROPE_UNIT, pe__angles, pe__head_rotator, pe__heads,
 *   pe__part, pe__rope_token(), pe__rotate_heads_bf16(), pe__rotate_heads_f16(),
 *   pe__rotate_heads_f32(),
 *   pe__rotate_heads_f32_bf16(), pe__rotate_heads_f32_f16(), pe__tile.
 * Needs: simd, api, rows, numbers.
 * Tests: tests/unit/test_rope.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../numbers/base.h"
#include "../rows/elements.h"

/* ---- 8.1 heads ----------------------------------------------------------------------------------
 * Rows of sines and cosines of some tokens are filled on the stack, a tile, and all heads of these
 * tokens are rotated by it. They are the rows that pe_fill_f32 writes as halves. */

enum {
    PE__ROPE_PAIRS = PE__SORTED, /* pairs of a tile, at most */
    PE__ROPE_TILE = (PE__OPTIMIZED ? 34 : 17) * 128, /* floats: 34 tokens of 64 pairs, 17 KB */
    PE__ROPE_AHEAD = 8192,    /* bytes to fetch in advance, as while rows are made */
    PE__ROPE_GROUP = 8192,    /* bytes of single heads that turn alike, together */
    PE__ROPE_CACHED = 1 << 21 /* bytes of them that some cache is taken to hold */
};

/* Heads to rotate, [tokens][heads], strides in bytes. */
typedef struct pe__heads {
    const unsigned char *in;
    unsigned char *out;
    size_t in_token, in_head, out_token, out_head, heads;
    size_t rest;  /* elements behind the pairs to copy */
    size_t front; /* and before them: pe__copy_ends() */
} pe__heads;

/* n pairs of a tile from the given one on, of a block of so many that have one layout. */
typedef struct pe__part {
    size_t pair, n, pairs;
    size_t column; /* the element of a head where they begin */
} pe__part;

/* The sines and cosines of a number of tokens, of count pairs from the given one on, of all pairs
   of a head. */
typedef struct pe__tile {
    const float *sines, *cosines;
    const size_t *row; /* which rows the tokens have, of stride floats; NULL: one after the other */
    size_t stride;     /* 0: all tokens share one */
    size_t pair, count, pairs;
    size_t token, tokens;
    pe_layout layout;
    size_t parts; /* 0: all pairs have one layout */
    const pe__part *part;
} pe__tile;

/* The sines and cosines of n pairs of a token, of blocks of so many, or of one. */
typedef struct pe__angles {
    const float *s, *c;
    size_t n, pairs;
} pe__angles;
PE__INLINE pe__angles pe__angles_of(const pe__tile *tile, size_t t)
{
    const size_t from = (tile->row ? tile->row[t] : t) * tile->stride;
    const pe__angles a = {tile->sines + from, tile->cosines + from, tile->count, tile->pairs};
    return a;
}
PE__INLINE pe__angles pe__angles_of_part(const pe__tile *tile, size_t t, const pe__part *part)
{
    pe__angles a = pe__angles_of(tile, t);
    a.s += part->pair;
    a.c += part->pair;
    a.n = part->n;
    a.pairs = part->pairs;
    return a;
}

/* Pairs (a, b) rotated: a', and b'. With b for a, a for b and -s for s the latter is a', too. */
PE__INLINE pe__vf pe__rotate_a(pe__vf a, pe__vf b, pe__vf s, pe__vf c)
{
    return pe__sub_f32(pe__mul_f32(a, c), pe__mul_f32(b, s));
}
PE__INLINE pe__vf pe__rotate_b(pe__vf a, pe__vf b, pe__vf s, pe__vf c)
{
    return pe__add_f32(pe__mul_f32(b, c), pe__mul_f32(a, s));
}
PE__INLINE pe__vf pe__rotate_neighbours(pe__vf u, pe__vf s, pe__vf c) /* of neighbours, s signed */
{
    return pe__rotate_b(pe__swap(u), u, s, c);
}

/* A vector of pairs of halves: of their first elements u and of their second ones v. */
PE__INLINE void pe__rope_halves(pe__kind kind, pe__vf u, pe__vf v, pe__vf s, pe__vf c,
                                unsigned char *out, unsigned char *next)
{
    pe__put_two_as(kind, out, pe__rotate_a(u, v, s, c), next, pe__rotate_b(u, v, s, c));
}

/* A vector of pairs, those from pair i on: of halves u and v as above; of neighbours one vector and
   the next. The second goes to so many bytes behind out. */
PE__INLINE void pe__rope_pairs(pe__kind kind, pe_layout layout, const pe__angles *a, size_t i,
                               const pe__vf *x, unsigned char *out, size_t behind)
{
    const float *const s = a->s + i, *const c = a->c + i;
    const pe__vf u = x[0], v = x[1];
    unsigned char *const next = out + behind;
    if (layout == PE_LAYOUT_HALVES) {
        pe__rope_halves(kind, u, v, pe__get(s), pe__get(c), out, next);
        return;
    }
    const pe__vf c0 = pe__get_twice(c), c1 = pe__get_twice(c + PE_LANES);
    pe__put_two_as(kind, out, pe__rotate_neighbours(u, pe__get_signed(s), c0), next,
                   pe__rotate_neighbours(v, pe__get_signed(s + PE_LANES), c1));
}

/* As many pairs as two vectors have, by their sines and cosines as the elements are met: of halves
   two vectors and the two across; of neighbours four vectors. bf16 has even and odd elements apart,
   which is cheaper to widen and to round: of halves, with the sines and cosines of the even and of
   the odd ones; of neighbours, with those of all pairs. A NaN of bf16 ends in 16 zero bits, and so
   does one that comes of it. */
enum { PE__ROPE_UNIT = 4 * PE_LANES };
typedef struct pe__unit {
    pe__vf s[4], c[4];
} pe__unit;

PE__INLINE void pe__unit_load(int halves, int narrow, const float *s, const float *c, pe__unit *u)
{
    const pe__vf s0 = pe__get(s), s1 = pe__get(s + PE__FLOATS);
    const pe__vf c0 = pe__get(c), c1 = pe__get(c + PE__FLOATS);
    u->s[0] = s0;
    u->s[1] = s1;
    u->c[0] = c0;
    u->c[1] = c1;
    if (halves && narrow) {
        u->s[0] = pe__unzip_evens(s0, s1);
        u->s[1] = pe__unzip_odds(s0, s1);
        u->c[0] = pe__unzip_evens(c0, c1);
        u->c[1] = pe__unzip_odds(c0, c1);
    } else if (!halves && !narrow) {
        u->s[0] = pe__get_signed(s);
        u->s[1] = pe__get_signed(s + PE_LANES);
        u->c[0] = pe__get_twice(c);
        u->c[1] = pe__get_twice(c + PE_LANES);
        u->s[2] = pe__get_signed(s + PE__FLOATS);
        u->s[3] = pe__get_signed(s + 3 * PE_LANES);
        u->c[2] = pe__get_twice(c + PE__FLOATS);
        u->c[3] = pe__get_twice(c + 3 * PE_LANES);
    }
    if (narrow) { /* a table of the caller's may have any NaN */
        if (PE__UNLIKELY(pe__any_nan(u->s[0], u->c[0]))) {
            u->s[0] = pe__quiet(u->s[0]);
            u->c[0] = pe__quiet(u->c[0]);
        }
        if (PE__UNLIKELY(pe__any_nan(u->s[1], u->c[1]))) {
            u->s[1] = pe__quiet(u->s[1]);
            u->c[1] = pe__quiet(u->c[1]);
        }
    }
}
/* across: elements from the first two vectors to the others; halves 2: each of both has a block. */
PE__INLINE void pe__unit_rotate(pe__kind from, pe__kind to, int halves, const pe__unit *u,
                                const unsigned char *p, unsigned char *q, size_t across)
{
    const size_t gap = (halves > 1 ? 2 : 1) * (size_t)PE__FLOATS;
    const size_t next = across * pe__size_of(from), to_next = across * pe__size_of(to);
    const size_t step = gap * pe__size_of(from), to_step = gap * pe__size_of(to);
    if (from == PE__BF16 && to == PE__BF16) {
        const uint16_t *const x = (const uint16_t *)(const void *)p;
        const uint16_t *const y = (const uint16_t *)(const void *)(p + next);
        const pe__vf x0 = pe__get_bf16_evens(x), x1 = pe__get_bf16_odds(x);
        const pe__vf y0 = pe__get_bf16_evens(y), y1 = pe__get_bf16_odds(y);
        uint16_t *const v = (uint16_t *)(void *)q, *const w = (uint16_t *)(void *)(q + to_next);
        const pe__vf a1 = halves ? x1 : y0, b0 = halves ? y0 : x1; /* (x0, b0) and (a1, y1) */
        const pe__vf c0 = pe__rotate_a(x0, b0, u->s[0], u->c[0]);
        const pe__vf c1 = pe__rotate_a(a1, y1, u->s[1], u->c[1]);
        const pe__vf d0 = pe__rotate_b(x0, b0, u->s[0], u->c[0]);
        const pe__vf d1 = pe__rotate_b(a1, y1, u->s[1], u->c[1]);
        pe__put_bf16_four(v, c0, halves ? c1 : d0, w, halves ? d0 : c1, d1);
        return;
    }
    const unsigned char *const y = p + next;
    unsigned char *const z = q + to_next;
    if (halves && sizeof(pe__vf) >= 64) { /* read as late as may be, which memory takes better */
        const pe__vf x0 = pe__get_as(from, p), y0 = pe__get_as(from, y);
        pe__rope_halves(to, x0, y0, u->s[0], u->c[0], q, z);
        const pe__vf x1 = pe__get_as(from, p + step), y1 = pe__get_as(from, y + step);
        pe__rope_halves(to, x1, y1, u->s[1], u->c[1], q + to_step, z + to_step);
        return;
    }
    const pe__vf x0 = pe__get_as(from, p), x1 = pe__get_as(from, p + step);
    const pe__vf y0 = pe__get_as(from, y), y1 = pe__get_as(from, y + step);
    if (halves) { /* what shares a line follows each other: it takes four fifths of the time */
        pe__put_two_as(to, q, pe__rotate_a(x0, y0, u->s[0], u->c[0]), q + to_step,
                       pe__rotate_a(x1, y1, u->s[1], u->c[1]));
        pe__put_two_as(to, z, pe__rotate_b(x0, y0, u->s[0], u->c[0]), z + to_step,
                       pe__rotate_b(x1, y1, u->s[1], u->c[1]));
        return;
    }
    pe__put_two_as(to, q, pe__rotate_neighbours(x0, u->s[0], u->c[0]), q + to_step,
                   pe__rotate_neighbours(x1, u->s[1], u->c[1]));
    pe__put_two_as(to, z, pe__rotate_neighbours(y0, u->s[2], u->c[2]), z + to_step,
                   pe__rotate_neighbours(y1, u->s[3], u->c[3]));
}

/* n pairs of one head: units, then a vector, then what does not fill one, by a vector that overlaps
   the last and is read before that is written. */
PE__INLINE void pe__rope_head(pe__kind from, pe__kind to, pe_layout layout, const pe__angles *a,
                              const unsigned char *in, unsigned char *out)
{
    enum { PE__VECTOR = 2 * PE_LANES };
    const int halves = layout == PE_LAYOUT_HALVES, narrow = from == PE__BF16 && to == PE__BF16;
    const size_t e = pe__size_of(from), f = pe__size_of(to), n = a->n, end = n - PE__VECTOR;
    const size_t step = halves ? 1 : 2; /* elements from a pair to the next */
    const size_t next = halves ? a->pairs : (size_t)PE__VECTOR;
    const size_t across = halves ? a->pairs : (size_t)PE__ROPE_UNIT;
    const int tail = n % PE__VECTOR != 0;
    pe__vf x[2], last[2];
    size_t i = 0;
    last[0] = last[1] = pe__splat_f32(0.0f);
    if (tail) {
        last[0] = pe__get_as(from, in + end * step * e);
        last[1] = pe__get_as(from, in + (end * step + next) * e);
    }
    for (; i + PE__ROPE_UNIT <= n; i += PE__ROPE_UNIT) {
        pe__unit unit;
        pe__unit_load(halves, narrow, a->s + i, a->c + i, &unit);
        pe__unit_rotate(from, to, halves, &unit, in + i * step * e, out + i * step * f, across);
    }
    if (i + PE__VECTOR <= n) {
        x[0] = pe__get_as(from, in + i * step * e);
        x[1] = pe__get_as(from, in + (i * step + next) * e);
        pe__rope_pairs(to, layout, a, i, x, out + i * step * f, next * f);
    }
    if (tail) pe__rope_pairs(to, layout, a, end, last, out + end * step * f, next * f);
}

/* Units whose sines and cosines stay in registers: two, or one of neighbours with 16 registers. */
PE__INLINE size_t pe__rope_block(pe_layout layout)
{
    return layout == PE_LAYOUT_HALVES || PE_LANES == 8 ? 2 * PE__ROPE_UNIT : PE__ROPE_UNIT;
}

/* All heads of one token, of whole vectors of pairs, or of blocks of a vector or a unit. ahead:
   bytes to what will be wanted soon, or 0. */
PE__WRAPS /* a step of a unit is a step of a block less a part of it */
PE__INLINE void pe__rope_token(pe__kind from, pe__kind to, pe_layout layout, int parts,
                               const pe__angles *a, const pe__heads *x, size_t ahead)
{
    const int halves = layout == PE_LAYOUT_HALVES, narrow = from == PE__BF16 && to == PE__BF16;
    const int blocks = parts && halves && a->n > a->pairs;
    const size_t e = pe__size_of(from), f = pe__size_of(to), block = pe__rope_block(layout);
    const size_t across = halves ? a->pairs : (size_t)PE__ROPE_UNIT;
    const size_t by = (halves && !blocks ? 1 : 2) * PE__ROPE_UNIT; /* elements to the next unit */
    const int apart = blocks && across < PE__ROPE_UNIT; /* a unit is two blocks */
    const unsigned char *in = x->in;
    unsigned char *out = x->out;
    size_t i = 0;
    for (; i + PE__ROPE_UNIT <= a->n; i += block) {
        const int two = block > PE__ROPE_UNIT && a->n - i >= block;
        const float *const s = a->s + i, *const c = a->c + i;
        pe__unit u, v;
        pe__unit_load(halves, narrow, s, c, &u);
        v = u;
        if (two) pe__unit_load(halves, narrow, s + PE__ROPE_UNIT, c + PE__ROPE_UNIT, &v);
        for (size_t k = 0; k < x->heads; k++) {
            const unsigned char *const p = in + k * x->in_head;
            unsigned char *const q = out + k * x->out_head;
            for (size_t j = 0; ahead && j < block * e; j += 64) {
                PE__PREFETCH((uintptr_t)p + ahead + j);
                PE__PREFETCH((uintptr_t)p + ahead + (halves && !blocks ? across : block) * e + j);
            }
            if (apart) pe__unit_rotate(from, to, 2, &u, p, q, across);
            else pe__unit_rotate(from, to, halves, &u, p, q, across);
            if (two && apart) pe__unit_rotate(from, to, 2, &v, p + by * e, q + by * f, across);
            else if (two) pe__unit_rotate(from, to, halves, &v, p + by * e, q + by * f, across);
        }
        if (parts && !two && block > PE__ROPE_UNIT) i -= block - PE__ROPE_UNIT;
        in += (parts && !two ? 1 : block / PE__ROPE_UNIT) * by * e;
        out += (parts && !two ? 1 : block / PE__ROPE_UNIT) * by * f;
    }
    const size_t next = halves ? across : (size_t)PE__FLOATS;
    for (size_t k = 0; parts && i < a->n && k < x->heads; k++) { /* a vector */
        const unsigned char *const p = in + k * x->in_head;
        const pe__vf pairs[2] = {pe__get_as(from, p), pe__get_as(from, p + next * e)};
        pe__rope_pairs(to, layout, a, i, pairs, out + k * x->out_head, next * f);
    }
}

/* Fewer pairs than a vector has floats. */
PE__OUTLINE void pe__rope_few(pe__kind from, pe__kind to, pe_layout layout, const pe__angles *a,
                              const unsigned char *in, unsigned char *out)
{
    const size_t e = pe__size_of(from), f = pe__size_of(to), n = a->n;
    const int halves = layout == PE_LAYOUT_HALVES;
    const size_t first = halves ? n : pe__min(2 * n, PE__FLOATS), rest = 2 * n - first;
    const size_t next = halves ? a->pairs : first;
    unsigned char x[2][PE__FLOATS * sizeof(float)] = {{0}}, y[2][PE__FLOATS * sizeof(float)];
    float sines[PE__FLOATS] = {0}, cosines[PE__FLOATS] = {0};
    const pe__angles few = {sines, cosines, n, n};
    pe__vf two[2];
    if (n == 0) return; /* of a table without pairs there may be no array */
    memcpy(sines, a->s, n * sizeof *sines);
    memcpy(cosines, a->c, n * sizeof *cosines);
    memcpy(x[0], in, first * e);
    memcpy(x[1], in + next * e, rest * e);
    two[0] = pe__get_as(from, x[0]);
    two[1] = pe__get_as(from, x[1]);
    pe__rope_pairs(to, layout, &few, 0, two, y[0], sizeof y[0]);
    memcpy(out, y[0], first * f);
    memcpy(out + next * f, y[1], rest * f);
}

/* n elements of one type as those of another. */
PE__INLINE void pe__convert(pe__kind from, pe__kind to, const unsigned char *in, unsigned char *out,
                            size_t n)
{
    if (from == to) memcpy(out, in, n * pe__size_of(to));
    for (size_t i = 0, part; from != to && i < n; i += part) {
        part = pe__min(n - i, PE__FLOATS);
        pe__put_n_as(to, out + i * pe__size_of(to),
                     pe__get_n_as(from, in + i * pe__size_of(from), part), part);
    }
}

/* All heads of a tile's tokens, in the order of their addresses. */
PE__INLINE void pe__rotate_heads(pe__kind from, pe__kind to, pe_layout layout, const pe__tile *tile,
                               const pe__heads *x)
{
    const size_t e = pe__size_of(from), f = pe__size_of(to), n = tile->count, pairs = tile->pairs;
    const size_t first = tile->pair * (layout == PE_LAYOUT_HALVES ? 1 : 2), width = 2 * pairs * e;
    const int by_head = x->out_head > x->out_token;
    const size_t outer = by_head ? x->heads : tile->tokens;
    const size_t inner = by_head ? tile->tokens : x->heads;
    /* several passes over a token's heads only where they are in the cache anyway, or cost less
       than what is computed */
    const int once = n <= pe__rope_block(layout), few = tile->tokens == 1;
    const size_t next = by_head ? x->in_token : x->in_head; /* bytes to the next head */
    const int costly = from == PE__BF16 || (from != PE__F32 && x->heads > 1);
    /* Single heads that turn alike go together, as if of one token, while a cache has them. */
    const int alike = tile->stride == 0 && x->heads == 1 && !few && next;
    const int cached = alike && tile->tokens <= (size_t)PE__ROPE_CACHED / next;
    const size_t most = cached ? PE__ROPE_GROUP / next + 1 : 1;
    /* Heads are asked for in advance, whole ones; but floats that go elsewhere come faster by what
       the hardware foresees alone. */
    const int asks = from != PE__F32 || (x->in == x->out && (alike || PE_PREFETCH_HEADS));
    size_t ahead = 0;
    if (!few && !cached && asks)
        ahead = next > PE__ROPE_AHEAD ? next : PE__ROPE_AHEAD / (next + !next) * next;
    if (!by_head && (once || few || costly || cached) && x->rest == 0 && n % PE__ROPE_UNIT == 0) {
        for (size_t t = 0; t < tile->tokens; t += most) {
            const pe__angles a = pe__angles_of(tile, t);
            pe__heads some = *x;
            some.in += (tile->token + t) * x->in_token + first * e;
            some.out += (tile->token + t) * x->out_token + first * f;
            if (cached) some.heads = pe__min(most, tile->tokens - t);
            pe__rope_token(from, to, layout, 0, &a, &some, ahead);
        }
        return;
    }
    for (size_t i = 0; i < outer; i++) {
        for (size_t j = 0; j < inner; j++) {
            const size_t t = by_head ? j : i, k = by_head ? i : j;
            const pe__angles a = pe__angles_of(tile, t);
            const unsigned char *const in =
                x->in + (tile->token + t) * x->in_token + k * x->in_head;
            unsigned char *const out = x->out + (tile->token + t) * x->out_token + k * x->out_head;
            for (size_t b = 0; ahead && b < width; b += 64)
                PE__PREFETCH((uintptr_t)in + ahead + b);
            if (n < 2 * PE_LANES)
                pe__rope_few(from, to, layout, &a, in + first * e, out + first * f);
            else pe__rope_head(from, to, layout, &a, in + first * e, out + first * f);
            if (x->rest && tile->pair == 0)
                pe__convert(from, to, in + 2 * pairs * e, out + 2 * pairs * f, x->rest);
        }
    }
}

/* Blocks of a vector each, or of a unit, that follow each other, as one part. */
PE__INLINE int pe__rope_alike(const pe__tile *tile, int narrow, pe__part *all)
{
    const pe__part *const part = tile->part;
    const size_t n = part->pairs, vector = narrow ? (size_t)PE__ROPE_UNIT : (size_t)PE__FLOATS;
    int alike = n == vector || n == PE__ROPE_UNIT;
    for (size_t k = 0; k < tile->parts; k++)
        alike &= part[k].n == n && part[k].pairs == n && part[k].column == part->column + 2 * k * n;
    *all = *part;
    all->n = n * tile->parts;
    return alike;
}

/* Heads of blocks: of whole vectors, token after token, if half of a block is the most of a pass;
   else head after head. */
PE__INLINE void pe__rotate_blocks(pe__kind from, pe__kind to, pe_layout layout,
                                  const pe__tile *tile, const pe__heads *x)
{
    const int halves = layout == PE_LAYOUT_HALVES, narrow = from == PE__BF16 && to == PE__BF16;
    const size_t e = pe__size_of(from), f = pe__size_of(to), most = 2 * pe__rope_block(layout);
    const size_t next = pe__max(x->in_head, 1); /* bytes to the next head */
    const int asks = from != PE__F32 || (x->in == x->out && PE_PREFETCH_HEADS);
    size_t ahead = pe__max(PE__ROPE_AHEAD / next, 1) * next, parts = tile->parts;
    const pe__part *part = tile->part;
    pe__part all;
    int units = x->out_head <= x->out_token && x->rest == 0;
    if (tile->tokens == 1 || !asks) ahead = 0;
    for (size_t k = 0; k < parts; k++)
        units &= part[k].n % PE__FLOATS == 0 && (from != PE__F32 || part[k].n <= most);
    if (units && halves && pe__rope_alike(tile, narrow, &all)) {
        part = &all;
        parts = 1;
    }
    for (size_t t = 0; t < tile->tokens; t++) {
        pe__heads some = *x;
        some.in += (tile->token + t) * x->in_token;
        some.out += (tile->token + t) * x->out_token;
        for (size_t k = 0; units && k < parts; k++) {
            const pe__angles a = pe__angles_of_part(tile, t, &part[k]);
            pe__heads its = some;
            its.in += part[k].column * e;
            its.out += part[k].column * f;
            pe__rope_token(from, to, layout, 1, &a, &its, ahead);
        }
        for (size_t h = 0; !units && h < x->heads; h++) {
            const unsigned char *const in = some.in + h * x->in_head;
            unsigned char *const out = some.out + h * x->out_head;
            for (size_t k = 0; k < parts; k++) {
                const pe__angles a = pe__angles_of_part(tile, t, &part[k]);
                const size_t column = part[k].column;
                if (a.n < PE__FLOATS)
                    pe__rope_few(from, to, layout, &a, in + column * e, out + column * f);
                else pe__rope_head(from, to, layout, &a, in + column * e, out + column * f);
            }
            if (x->rest && tile->pair == 0)
                pe__convert(from, to, in + 2 * tile->pairs * e, out + 2 * tile->pairs * f, x->rest);
        }
    }
}

/* The same for each type, and for floats that become 16-bit numbers; and of blocks, for which a
   program has no code that rotates by a table alone. */
typedef void pe__head_rotator(const pe__tile *tile, const pe__heads *x);
#define PE__HEAD_ROTATOR(name, from, to)                                                           \
    PE__OUTLINE void name##_blocks(const pe__tile *t, const pe__heads *x)                          \
    {                                                                                              \
        if (t->layout == PE_LAYOUT_HALVES) pe__rotate_blocks(from, to, PE_LAYOUT_HALVES, t, x);    \
        else pe__rotate_blocks(from, to, PE_LAYOUT_INTERLEAVED, t, x);                             \
    }                                                                                              \
    PE__OUTLINE void name(const pe__tile *t, const pe__heads *x)                                   \
    {                                                                                              \
        if (t->layout == PE_LAYOUT_HALVES) pe__rotate_heads(from, to, PE_LAYOUT_HALVES, t, x);     \
        else pe__rotate_heads(from, to, PE_LAYOUT_INTERLEAVED, t, x);                              \
    }
PE__HEAD_ROTATOR(pe__rotate_heads_f32, PE__F32, PE__F32)
PE__HEAD_ROTATOR(pe__rotate_heads_f16, PE__F16, PE__F16)
PE__HEAD_ROTATOR(pe__rotate_heads_bf16, PE__BF16, PE__BF16)
PE__HEAD_ROTATOR(pe__rotate_heads_f32_f16, PE__F32, PE__F16)
PE__HEAD_ROTATOR(pe__rotate_heads_f32_bf16, PE__F32, PE__BF16)
#undef PE__HEAD_ROTATOR
