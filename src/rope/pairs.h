/* SPDX-License-Identifier: MIT */
/* Pairs of elements rotated: a vector, a unit, a head, some heads of a token.
 * Gives: PE__ROPE_PAIRS, PE__ROPE_TILE, PE__ROPE_UNIT, pe__angles, pe__heads, pe__section,
 *   pe__tile, pe__angles_of(), pe__convert(), pe__register_pairs(), pe__rotate_head(),
 *   pe__rotate_short(), pe__rotate_units(), pe__rotate_vectors(), pe__unit_pairs(),
 *   pe__rotate_ends().
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
    PE__ROPE_PAIRS = PE__SORT_PAIRS, /* pairs of a tile, at most */
    PE__ROPE_TILE = (PE__OPTIMIZED ? 34 : 17) * 128, /* floats: 34 tokens of 64 pairs, 17 KB */
    PE__ROPE_PREFETCH_DISTANCE = 8192, /* bytes to fetch in advance, as while rows are made */
    PE__ROPE_GROUP = 8192,             /* bytes of heads that turn alike, together */
    PE__ROPE_CACHED = 1 << 21, /* bytes of single ones that some cache is taken to hold */
    PE__ROPE_NEAR = 1 << 24,   /* and of all of a call, */
    PE__ROPE_AWAY = 1 << 17    /* if they go elsewhere */
};

/* Heads to rotate, [tokens][heads], strides in bytes. */
typedef struct pe__heads {
    const unsigned char *in;
    unsigned char *out;
    size_t in_token, in_head, out_token, out_head, heads;
    size_t copied_after;  /* elements behind the pairs to copy */
    size_t copied_before; /* and before them: pe__copy_ends() */
} pe__heads;

/* n pairs of a tile from the given one on, of a block of so many that have one layout. */
typedef struct pe__section {
    size_t pair, n, pairs;
    size_t column; /* the element of a head where they begin */
} pe__section;

/* The sines and cosines of a number of tokens, of count pairs from the given one on, of all pairs
   of a head. */
typedef struct pe__tile {
    const float *sines, *cosines;
    const size_t *row; /* which rows the tokens have, of stride floats; NULL: one after the other */
    size_t stride;     /* 0: all tokens share one */
    size_t pair, count, pairs;
    size_t token, tokens;
    pe_layout layout;
    size_t section_count; /* 0: all pairs have one layout */
    const pe__section *section;
} pe__tile;

/* The sines and cosines of n pairs of a token, of blocks of so many, or of one. */
typedef struct pe__angles {
    const float *s, *c;
    size_t n, pairs;
} pe__angles;
PE__INLINE pe__angles pe__angles_of(const pe__tile *tile, size_t t)
{
    const size_t from = (tile->row ? tile->row[t] : t) * tile->stride;
    const float *s = tile->sines + from;
    PE__IN_REGISTER(s);
    const pe__angles a = {s, tile->cosines + from, tile->count, tile->pairs};
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
PE__INLINE pe__vf pe__rotate_interleaved(pe__vf u, pe__vf s, pe__vf c) /* of neighbours, s signed */
{
    return pe__rotate_b(pe__swap(u), u, s, c);
}

/* A vector of pairs of halves: of their first elements u and of their second ones v. */
PE__INLINE void pe__rotate_halves(pe__type type, pe__vf u, pe__vf v, pe__vf s, pe__vf c,
                                  unsigned char *out, unsigned char *next)
{
    pe__put_two_as(type, out, pe__rotate_a(u, v, s, c), next, pe__rotate_b(u, v, s, c));
}

/* The sines and cosines of a vector of pairs as the elements are met: of neighbours those of two
   vectors. */
typedef struct pe__rotation {
    pe__vf s[2], c[2];
} pe__rotation;
PE__INLINE pe__rotation pe__rotation_load(pe_layout layout, const float *s, const float *c)
{
    const int halves = layout == PE_LAYOUT_HALVES;
    pe__rotation t;
    t.s[0] = halves ? pe__get(s) : pe__get_signed(s);
    t.c[0] = halves ? pe__get(c) : pe__get_repeated(c);
    t.s[1] = halves ? t.s[0] : pe__get_signed(s + PE_LANES);
    t.c[1] = halves ? t.c[0] : pe__get_repeated(c + PE_LANES);
    return t;
}

/* A vector of pairs: of halves u and v as above; of neighbours one vector and the next. */
PE__INLINE void pe__rotate_pairs(pe__type type, pe_layout layout, const pe__rotation *t,
                                 const pe__vf *x, unsigned char *out, unsigned char *next)
{
    const pe__vf u = x[0], v = x[1];
    if (layout == PE_LAYOUT_HALVES) pe__rotate_halves(type, u, v, t->s[0], t->c[0], out, next);
    else
        pe__put_two_as(type, out, pe__rotate_interleaved(u, t->s[0], t->c[0]), next,
                       pe__rotate_interleaved(v, t->s[1], t->c[1]));
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
        u->c[0] = pe__get_repeated(c);
        u->c[1] = pe__get_repeated(c + PE_LANES);
        u->s[2] = pe__get_signed(s + PE__FLOATS);
        u->s[3] = pe__get_signed(s + 3 * PE_LANES);
        u->c[2] = pe__get_repeated(c + PE__FLOATS);
        u->c[3] = pe__get_repeated(c + 3 * PE_LANES);
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
/* Where the pairs of a unit lie: next to each other, in halves, or in halves of two sections, a
   vector each. */
enum { PE__UNIT_INTERLEAVED, PE__UNIT_HALVES, PE__UNIT_SECTION_HALVES };

/* layout: PE__UNIT_INTERLEAVED ...; across: elements from the first two vectors to the others. */
PE__INLINE void pe__unit_rotate(pe__type from, pe__type to, int layout, const pe__unit *u,
                                const unsigned char *p, unsigned char *q, size_t across)
{
    const size_t gap = (layout > PE__UNIT_HALVES ? 2 : 1) * (size_t)PE__FLOATS;
    const size_t next = across * pe__size_of(from), to_next = across * pe__size_of(to);
    const size_t step = gap * pe__size_of(from), to_step = gap * pe__size_of(to);
    if (from == PE__BF16 && to == PE__BF16) {
        const uint16_t *const x = (const uint16_t *)(const void *)p;
        const uint16_t *const y = (const uint16_t *)(const void *)(p + next);
        const pe__vf x0 = pe__get_bf16_evens(x), x1 = pe__get_bf16_odds(x);
        const pe__vf y0 = pe__get_bf16_evens(y), y1 = pe__get_bf16_odds(y);
        uint16_t *const v = (uint16_t *)(void *)q, *const w = (uint16_t *)(void *)(q + to_next);
        const pe__vf a1 = layout ? x1 : y0, b0 = layout ? y0 : x1; /* (x0, b0) and (a1, y1) */
        const pe__vf c0 = pe__rotate_a(x0, b0, u->s[0], u->c[0]);
        const pe__vf c1 = pe__rotate_a(a1, y1, u->s[1], u->c[1]);
        const pe__vf d0 = pe__rotate_b(x0, b0, u->s[0], u->c[0]);
        const pe__vf d1 = pe__rotate_b(a1, y1, u->s[1], u->c[1]);
        pe__put_bf16_four(v, c0, layout ? c1 : d0, w, layout ? d0 : c1, d1);
        return;
    }
    const unsigned char *const y = p + next;
    unsigned char *const z = q + to_next;
    if (layout && sizeof(pe__vf) >= 64) { /* read as late as may be, which memory takes better */
        const pe__vf x0 = pe__get_as(from, p), y0 = pe__get_as(from, y);
        pe__rotate_halves(to, x0, y0, u->s[0], u->c[0], q, z);
        const pe__vf x1 = pe__get_as(from, p + step), y1 = pe__get_as(from, y + step);
        pe__rotate_halves(to, x1, y1, u->s[1], u->c[1], q + to_step, z + to_step);
        return;
    }
    const pe__vf x0 = pe__get_as(from, p), x1 = pe__get_as(from, p + step);
    const pe__vf y0 = pe__get_as(from, y), y1 = pe__get_as(from, y + step);
    if (layout) { /* what shares a line follows each other: it takes four fifths of the time */
        pe__put_two_as(to, q, pe__rotate_a(x0, y0, u->s[0], u->c[0]), q + to_step,
                       pe__rotate_a(x1, y1, u->s[1], u->c[1]));
        pe__put_two_as(to, z, pe__rotate_b(x0, y0, u->s[0], u->c[0]), z + to_step,
                       pe__rotate_b(x1, y1, u->s[1], u->c[1]));
        return;
    }
    pe__put_two_as(to, q, pe__rotate_interleaved(x0, u->s[0], u->c[0]), q + to_step,
                   pe__rotate_interleaved(x1, u->s[1], u->c[1]));
    pe__put_two_as(to, z, pe__rotate_interleaved(y0, u->s[2], u->c[2]), z + to_step,
                   pe__rotate_interleaved(y1, u->s[3], u->c[3]));
}

/* Vectors of pairs of heads: their sines and cosines, and where they are, in bytes. */
typedef struct pe__vectors {
    pe__rotation rotation;
    size_t in, in_next, out, out_next;
} pe__vectors;
PE__INLINE pe__vectors pe__vectors_at(pe__type from, pe__type to, pe_layout layout,
                                      const pe__angles *a, size_t pair, size_t element)
{
    const size_t next = element + (layout == PE_LAYOUT_HALVES ? a->pairs : (size_t)PE__FLOATS);
    pe__vectors v;
    v.rotation = pe__rotation_load(layout, a->s + pair, a->c + pair);
    v.in = element * pe__size_of(from);
    v.in_next = next * pe__size_of(from);
    v.out = element * pe__size_of(to);
    v.out_next = next * pe__size_of(to);
    return v;
}
PE__INLINE void pe__vectors_get(pe__type from, const pe__vectors *v, const unsigned char *in,
                                pe__vf *x)
{
    x[0] = pe__get_as(from, in + v->in);
    x[1] = pe__get_as(from, in + v->in_next);
}
PE__INLINE void pe__vectors_put(pe__type to, pe_layout layout, const pe__vectors *v,
                                const pe__vf *x, unsigned char *out)
{
    pe__rotate_pairs(to, layout, &v->rotation, x, out + v->out, out + v->out_next);
}

/* One head: units, then a vector, then what does not fill one, by a vector that overlaps the last
   and is read before that is written. */
PE__INLINE void pe__rotate_head(pe__type from, pe__type to, pe_layout layout, const pe__angles *a,
                                const unsigned char *in, unsigned char *out)
{
    const int halves = layout == PE_LAYOUT_HALVES, narrow = from == PE__BF16 && to == PE__BF16;
    const size_t n = a->n, end = n - PE__FLOATS, across = halves ? a->pairs : (size_t)PE__ROPE_UNIT;
    const size_t step = halves ? 1 : 2; /* elements from a pair to the next */
    const int tail = n % PE__FLOATS != 0;
    pe__vf x[2], y[2];
    pe__vectors v, last;
    size_t i = 0;
    if (tail) {
        last = pe__vectors_at(from, to, layout, a, end, end * step);
        pe__vectors_get(from, &last, in, y);
    }
    for (; i + PE__ROPE_UNIT <= n; i += PE__ROPE_UNIT) {
        pe__unit unit;
        pe__unit_load(halves, narrow, a->s + i, a->c + i, &unit);
        pe__unit_rotate(from, to, halves, &unit, in + i * step * pe__size_of(from),
                        out + i * step * pe__size_of(to), across);
    }
    if (i + PE__FLOATS <= n) {
        v = pe__vectors_at(from, to, layout, a, i, i * step);
        pe__vectors_get(from, &v, in, x);
        pe__vectors_put(to, layout, &v, x, out);
    }
    if (tail) pe__vectors_put(to, layout, &last, y, out);
}

/* Units whose sines and cosines stay in registers: two, or one of neighbours with 16 registers. */
PE__INLINE size_t pe__register_pairs(pe_layout layout)
{
    return layout == PE_LAYOUT_HALVES || PE_LANES == 8 ? 2 * PE__ROPE_UNIT : PE__ROPE_UNIT;
}

/* Ask for so many bytes, at most four lines: without a loop, which took a fifth longer where a
   compiler laid it out badly. */
PE__WRAPS PE__INLINE void pe__prefetch_lines(uintptr_t at, size_t bytes)
{
    PE__PREFETCH(at);
    if (bytes > 64) PE__PREFETCH(at + 64);
    if (bytes > 128) {
        PE__PREFETCH(at + 128);
        PE__PREFETCH(at + 192);
    }
}

/* Elements from a unit of a block of halves to the next, of which `behind` pairs have been. */
PE__INLINE size_t pe__next_unit(size_t pairs, size_t *done)
{
    *done += PE__ROPE_UNIT;
    if (*done < pairs) return PE__ROPE_UNIT;
    *done = 0;
    return PE__ROPE_UNIT + pairs;
}

/* How the pairs of a head in halves lie: in one section, in sections of whole units, or of a
   vector. */
enum { PE__ONE_SECTION, PE__UNIT_SECTIONS, PE__VECTOR_SECTIONS };

/* Some heads of one token, their pairs in whole units. sections: PE__ONE_SECTION ...
   prefetch_distance: bytes to what will be wanted soon, or 0. */
PE__INLINE void pe__rotate_units(pe__type from, pe__type to, pe_layout layout, int sections,
                                 const pe__angles *a, const pe__heads *x, size_t prefetch_distance)
{
    const int halves = layout == PE_LAYOUT_HALVES, narrow = from == PE__BF16 && to == PE__BF16;
    const size_t e = pe__size_of(from), f = pe__size_of(to);
    const size_t in_registers = pe__register_pairs(layout);
    const size_t across = halves ? a->pairs : (size_t)PE__ROPE_UNIT, n = a->n;
    const size_t other = sections ? pe__max(across, in_registers) : halves ? across : in_registers;
    const size_t step = sections || !halves ? 2 : 1; /* elements from a pair to the next */
    const int unit_layout = sections > PE__UNIT_SECTIONS ? PE__UNIT_SECTION_HALVES : halves;
    size_t place = 0, done = 0;
    for (size_t i = 0, some; i + PE__ROPE_UNIT <= n; i += some) {
        const int two = in_registers > PE__ROPE_UNIT && n - i >= in_registers;
        const size_t at = sections == PE__UNIT_SECTIONS ? place : i * step;
        const size_t by =
            sections == PE__UNIT_SECTIONS ? pe__next_unit(across, &done) : step * PE__ROPE_UNIT;
        const float *const s = a->s + i, *const c = a->c + i;
        pe__unit u, v;
        some = two ? in_registers : (size_t)PE__ROPE_UNIT;
        pe__unit_load(halves, narrow, s, c, &u);
        v = u;
        if (two) pe__unit_load(halves, narrow, s + PE__ROPE_UNIT, c + PE__ROPE_UNIT, &v);
        for (size_t k = 0; k < x->heads; k++) {
            const unsigned char *const p = x->in + k * x->in_head + at * e;
            unsigned char *const q = x->out + k * x->out_head + at * f;
            if (prefetch_distance) {
                pe__prefetch_lines((uintptr_t)p + prefetch_distance, in_registers * e);
                pe__prefetch_lines((uintptr_t)p + prefetch_distance + other * e, in_registers * e);
            }
            pe__unit_rotate(from, to, unit_layout, &u, p, q, across);
            if (two) pe__unit_rotate(from, to, unit_layout, &v, p + by * e, q + by * f, across);
        }
        if (sections == PE__UNIT_SECTIONS) place += by + (two ? pe__next_unit(across, &done) : 0);
    }
}

/* Of n pairs those that go in units; the rest goes in vectors, and what does not fill one by one
   that overlaps the last and is read before that is written. */
PE__INLINE size_t pe__unit_pairs(size_t n)
{
    const size_t tail = n % PE__FLOATS, kept = tail ? tail + PE__FLOATS : 0;
    const size_t whole = n > kept ? n - kept : 0;
    return whole - whole % PE__ROPE_UNIT;
}

/* That rest of some heads of one token; of blocks of halves no pairs are left over. */
PE__INLINE void pe__rotate_ends(pe__type from, pe__type to, pe_layout layout, int in_sections,
                                const pe__angles *a, const pe__heads *x)
{
    const size_t n = a->n, tail = n % PE__FLOATS;
    const size_t step = layout == PE_LAYOUT_HALVES && !in_sections ? 1 : 2;
    for (size_t i = pe__unit_pairs(n); i + tail < n; i += PE__FLOATS) {
        const int last = tail && n - i < 2 * PE__FLOATS;
        const size_t end = last ? n - PE__FLOATS : i;
        const pe__vectors v = pe__vectors_at(from, to, layout, a, i, i * step);
        const pe__vectors w = pe__vectors_at(from, to, layout, a, end, end * step);
        for (size_t k = 0; k < x->heads; k++) {
            const unsigned char *const in = x->in + k * x->in_head;
            unsigned char *const out = x->out + k * x->out_head;
            pe__vf y[2], z[2];
            pe__vectors_get(from, &v, in, y);
            pe__vectors_get(from, &w, in, z);
            pe__vectors_put(to, layout, &v, y, out);
            if (last) pe__vectors_put(to, layout, &w, z, out);
        }
    }
}

/* Fewer pairs than a vector has floats, and perhaps none. */
PE__OUTLINE void pe__rotate_few(pe__type from, pe__type to, pe_layout layout, const pe__angles *a,
                                const pe__heads *heads)
{
    const size_t e = pe__size_of(from), f = pe__size_of(to), n = a->n;
    const int halves = layout == PE_LAYOUT_HALVES;
    const size_t first = halves ? n : pe__min(2 * n, PE__FLOATS), rest = 2 * n - first;
    const size_t next = halves ? a->pairs : first;
    unsigned char x[2][PE__FLOATS * sizeof(float)] = {{0}}, y[2][PE__FLOATS * sizeof(float)];
    float sines[PE__FLOATS] = {0}, cosines[PE__FLOATS] = {0};
    if (n == 0) return; /* of a table without pairs there may be no array */
    memcpy(sines, a->s, n * sizeof *sines);
    memcpy(cosines, a->c, n * sizeof *cosines);
    const pe__rotation rotation = pe__rotation_load(layout, sines, cosines);
    for (size_t k = 0; k < heads->heads; k++) {
        const unsigned char *const in = heads->in + k * heads->in_head;
        unsigned char *const out = heads->out + k * heads->out_head;
        memcpy(x[0], in, first * e);
        memcpy(x[1], in + next * e, rest * e);
        const pe__vf two[2] = {pe__get_as(from, x[0]), pe__get_as(from, x[1])};
        pe__rotate_pairs(to, layout, &rotation, two, y[0], y[1]);
        memcpy(out, y[0], first * f);
        memcpy(out + next * f, y[1], rest * f);
    }
}

/* The same of floats in halves, where masks load and store them: two fifths of the time. */
PE__OUTLINE void pe__rotate_masked(const pe__angles *a, const pe__heads *x)
{
    const size_t n = a->n, next = a->pairs * sizeof(float);
    if (n == 0) return;
    const pe__vf s = pe__get_n(a->s, n), c = pe__get_n(a->c, n);
    for (size_t k = 0; k < x->heads; k++) {
        const unsigned char *const in = x->in + k * x->in_head;
        unsigned char *const out = x->out + k * x->out_head;
        const pe__vf u = pe__get_n_as(PE__F32, in, n), v = pe__get_n_as(PE__F32, in + next, n);
        pe__put_n_as(PE__F32, out, pe__rotate_a(u, v, s, c), n);
        pe__put_n_as(PE__F32, out + next, pe__rotate_b(u, v, s, c), n);
    }
}
PE__INLINE void pe__rotate_short(pe__type from, pe__type to, pe_layout layout, const pe__angles *a,
                                 const pe__heads *x)
{
    const int floats = from == PE__F32 && to == PE__F32, halves = layout == PE_LAYOUT_HALVES;
    if (sizeof(pe__vf) >= 64 && floats && halves) pe__rotate_masked(a, x);
    else pe__rotate_few(from, to, layout, a, x);
}

/* All pairs of some heads of one token that do not go in units. */
PE__INLINE void pe__rotate_vectors(pe__type from, pe__type to, pe_layout layout,
                                   const pe__angles *a, const pe__heads *x)
{
    if (a->n < PE__FLOATS) pe__rotate_short(from, to, layout, a, x);
    else pe__rotate_ends(from, to, layout, 0, a, x);
}

/* n elements of one type as those of another. */
PE__INLINE void pe__convert(pe__type from, pe__type to, const unsigned char *in, unsigned char *out,
                            size_t n)
{
    if (from == to) memcpy(out, in, n * pe__size_of(to));
    for (size_t i = 0, part; from != to && i < n; i += part) {
        part = pe__min(n - i, PE__FLOATS);
        pe__put_n_as(to, out + i * pe__size_of(to),
                     pe__get_n_as(from, in + i * pe__size_of(from), part), part);
    }
}
