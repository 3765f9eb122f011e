/* SPDX-License-Identifier: MIT */
/* These are RoPE's rotation loops: for one vector of pairs, one pair tile, one head, and several
 * heads of a token. The steps from pe_rope_f32() to these loops are listed in rope/call.h. Test:
 * tests/unit/rope/test_rope_rotate.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../sincos/double_double.h"
#include "../layouts/elements.h"
#include "heads.h"

/* ---- 8.1 heads ----------------------------------------------------------------------------------
 * With a plan, RoPE writes the sines and cosines of some tokens to the stack, as a tile, and
 * rotates all heads of these tokens by the tile. A tile has one row per token, or a single row if
 * all tokens have the same position. A row first has the sines of all its pairs, then their
 * cosines, as in a row that pe_fill_f32() writes in PE_LAYOUT_HALVES. With a table, the rows are
 * those of by_table.h. */

enum {
    PE__ROPE_PAIRS = PE__SORT_PAIRS, /* pairs of a tile on the stack, at most */
    /* This is the number of floats of a tile on the stack. 34 rows of 64 pairs take 17 KB. Without
       optimisation it is half, since kernels then need more stack. */
    PE__ROPE_TILE = (PE__OPTIMIZED ? 34 : 17) * 128,
    /* This number of bytes, rounded down to whole heads but at least one head, is from the head
       that is rotated to the head that is prefetched. */
    PE__ROPE_PREFETCH_DISTANCE = 8192,
    PE__ROPE_GROUP = 8192, /* bytes of heads that are rotated together, up to one head more */
    /* Heads are assumed to be in a cache if they have at most one of these numbers of bytes. The
       first is for tokens that have one head each and share a rotation. The second is for floats
       that are rotated in place, the third for floats that are rotated out of place. */
    PE__ROPE_CACHED = 1 << 21,
    PE__ROPE_NEAR = 1 << 24,
    PE__ROPE_AWAY = 1 << 17
};

/* This struct refers to the sines and cosines of one token's pairs in a tile. */
typedef struct pe__angles {
    const float *s, *c; /* n sines and n cosines */
    size_t n, pairs;    /* n: the number of pairs to rotate. pairs: the number of pairs of the
                           whole section, or of the head if it has no sections. In halves, b is
                           `pairs` elements after a */
} pe__angles;
PE__INLINE pe__angles pe__angles_of(const pe__tile *tile, size_t t)
{
    const size_t from = (tile->row ? tile->row[t] : t) * tile->stride;
    const float *s = tile->sines + from;
    PE__IN_REGISTER(s);
    const pe__angles a = {s, tile->cosines + from, tile->count, tile->pairs};
    return a;
}

/* Rotate pairs (a, b): pe__rotate_a() returns a' = a c - b s, and pe__rotate_b() returns
   b' = b c + a s. pe__rotate_b(b, a, -s, c) is also a'. */
PE__INLINE pe__vf pe__rotate_a(pe__vf a, pe__vf b, pe__vf s, pe__vf c)
{
    return pe__sub_f32(pe__mul_f32(a, c), pe__mul_f32(b, s));
}
PE__INLINE pe__vf pe__rotate_b(pe__vf a, pe__vf b, pe__vf s, pe__vf c)
{
    return pe__add_f32(pe__mul_f32(b, c), pe__mul_f32(a, s));
}
/* Return a'0 b'0 a'1 b'1 ..., where u = a0 b0 a1 b1 ..., s = -s0 s0 -s1 s1 ... and
   c = c0 c0 c1 c1 ... */
PE__INLINE pe__vf pe__rotate_interleaved(pe__vf u, pe__vf s, pe__vf c)
{
    return pe__rotate_b(pe__swap(u), u, s, c);
}

/* Rotate a vector of pairs in halves, u = a0 a1 ... and v = b0 b1 ...; store a' at out and b' at
   next. */
PE__INLINE void pe__rotate_halves(pe_type type, pe__vf u, pe__vf v, pe__vf s, pe__vf c,
                                  unsigned char *out, unsigned char *next)
{
    pe__put_two_as(type, out, pe__rotate_a(u, v, s, c), next, pe__rotate_b(u, v, s, c));
}

/* This struct holds the sines and cosines of a vector of pairs, in the order of the elements. In
   halves both vectors of elements use s[0] and c[0]. Interleaved, s[0] and c[0] are for the first
   vector of elements, s[1] and c[1] for the second, as pe__rotate_interleaved() takes them. */
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

/* Rotate a vector of pairs, x[0] and x[1], and store the two vectors at out and next. In halves
   x[0] = a0 a1 ... and x[1] = b0 b1 ...; interleaved, x[1] follows x[0]. */
PE__INLINE void pe__rotate_pairs(pe_type type, pe_layout layout, const pe__rotation *t,
                                 const pe__vf *x, unsigned char *out, unsigned char *next)
{
    const pe__vf u = x[0], v = x[1];
    if (layout == PE_LAYOUT_HALVES) pe__rotate_halves(type, u, v, t->s[0], t->c[0], out, next);
    else
        pe__put_two_as(type, out, pe__rotate_interleaved(u, t->s[0], t->c[0]), next,
                       pe__rotate_interleaved(v, t->s[1], t->c[1]));
}

/* This struct holds the sines s and cosines c of a pair tile. A pair tile is PE__PAIR_TILE pairs
   (a, b): two vectors of pairs, and therefore four vectors of elements. In halves, two of these
   hold a and two hold b; a and b share s[0], s[1], c[0] and c[1]. If pairs are interleaved, s[k]
   and c[k] are for vector k of the elements, as pe__rotate_interleaved() takes them.

   From bf16 to bf16, even and odd elements are in separate vectors, which are cheaper to widen and
   to round. In halves, s[0] and c[0] are then for the even pairs, s[1] and c[1] for the odd pairs.
   If pairs are interleaved, the even elements are a and the odd elements are b. So s[0] and s[1],
   c[0] and c[1] are in the order of the pairs, and the others are not used. The function
   pe__put_bf16_four() needs NaNs whose last 16 bits are 0. NaNs that are widened from bf16 have
   this form. NaNs that are computed from these also have it. */
enum { PE__PAIR_TILE = 4 * PE_LANES };
typedef struct pe__pair_tile {
    pe__vf s[4], c[4];
} pe__pair_tile;

/* Load s and c of a pair tile. `halves` is 0 if pairs are interleaved. `narrow` is 1 if both the
   input and the output are bf16. */
PE__INLINE void pe__pair_tile_load(int halves, int narrow, const float *s, const float *c,
                                   pe__pair_tile *u)
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
    if (narrow) { /* replace NaNs of a caller's table, which may not end in 16 zero bits */
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
/* These constants say how the pairs of a pair tile are laid out: interleaved, in halves, or as two
   sections. Each of the two sections has one vector of pairs in halves. */
enum { PE__PAIR_TILE_INTERLEAVED, PE__PAIR_TILE_HALVES, PE__PAIR_TILE_SECTION_HALVES };

/* Rotate the pair tile at p, of type `from`, by the sines and cosines u and store it at q, as type
   `to`. `layout` is one of the constants above. `across` is the number of elements from x0 to y0,
   and from x1 to y1. In halves, also of sections, that is the distance from a to b. If pairs are
   interleaved, it is the distance from the first two vectors to the other two. */
PE__INLINE void pe__pair_tile_rotate(pe_type from, pe_type to, int layout, const pe__pair_tile *u,
                                     const unsigned char *p, unsigned char *q, size_t across)
{
    const size_t gap = (layout > PE__PAIR_TILE_HALVES ? 2 : 1) * (size_t)PE__FLOATS;
    const size_t next = across * pe__size_of(from), to_next = across * pe__size_of(to);
    const size_t step = gap * pe__size_of(from), to_step = gap * pe__size_of(to);
    if (from == PE_TYPE_BF16 && to == PE_TYPE_BF16) {
        const uint16_t *const x = (const uint16_t *)(const void *)p;
        const uint16_t *const y = (const uint16_t *)(const void *)(p + next);
        const pe__vf x0 = pe__get_bf16_evens(x), x1 = pe__get_bf16_odds(x);
        const pe__vf y0 = pe__get_bf16_evens(y), y1 = pe__get_bf16_odds(y);
        uint16_t *const v = (uint16_t *)(void *)q, *const w = (uint16_t *)(void *)(q + to_next);
        const pe__vf a1 = layout ? x1 : y0, b0 = layout ? y0 : x1; /* rotate (x0, b0), (a1, y1) */
        const pe__vf c0 = pe__rotate_a(x0, b0, u->s[0], u->c[0]);
        const pe__vf c1 = pe__rotate_a(a1, y1, u->s[1], u->c[1]);
        const pe__vf d0 = pe__rotate_b(x0, b0, u->s[0], u->c[0]);
        const pe__vf d1 = pe__rotate_b(a1, y1, u->s[1], u->c[1]);
        pe__put_bf16_four(v, c0, layout ? c1 : d0, w, layout ? d0 : c1, d1);
        return;
    }
    const unsigned char *const y = p + next;
    unsigned char *const z = q + to_next;
    if (layout && sizeof(pe__vf) >= 64) { /* x1 after the first stores: faster from memory */
        const pe__vf x0 = pe__get_as(from, p), y0 = pe__get_as(from, y);
        pe__rotate_halves(to, x0, y0, u->s[0], u->c[0], q, z);
        const pe__vf x1 = pe__get_as(from, p + step), y1 = pe__get_as(from, y + step);
        pe__rotate_halves(to, x1, y1, u->s[1], u->c[1], q + to_step, z + to_step);
        return;
    }
    const pe__vf x0 = pe__get_as(from, p), x1 = pe__get_as(from, p + step);
    const pe__vf y0 = pe__get_as(from, y), y1 = pe__get_as(from, y + step);
    /* Both stores to one cache line come first, then both stores to the other line. This takes 80 %
       of the time that alternating stores take. */
    if (layout) {
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

/* This struct describes one vector of pairs, for any head of a token. The offsets of its two
   vectors of elements are in bytes, from the first rotated element of a head. They are `in` and
   in_next in the input, and `out` and out_next in the output. */
typedef struct pe__vectors {
    pe__rotation rotation; /* the sines and cosines of the pairs */
    size_t in, in_next, out, out_next;
} pe__vectors;
PE__INLINE pe__vectors pe__vectors_at(pe_type from, pe_type to, pe_layout layout,
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
PE__INLINE void pe__vectors_get(pe_type from, const pe__vectors *v, const unsigned char *in,
                                pe__vf *x)
{
    x[0] = pe__get_as(from, in + v->in);
    x[1] = pe__get_as(from, in + v->in_next);
}
PE__INLINE void pe__vectors_put(pe_type to, pe_layout layout, const pe__vectors *v, const pe__vf *x,
                                unsigned char *out)
{
    pe__rotate_pairs(to, layout, &v->rotation, x, out + v->out, out + v->out_next);
}

/* Rotate one head that has at least a vector of pairs. The loop rotates pair tiles. Then at most
   one complete vector of pairs is left, and a tail of fewer pairs. A vector that ends with the last
   pair rotates the tail. The tail's vector contains pairs that are rotated before it. In place it
   must be loaded before they are stored, so it is loaded first. */
PE__INLINE void pe__rotate_head(pe_type from, pe_type to, pe_layout layout, const pe__angles *a,
                                const unsigned char *in, unsigned char *out)
{
    const int halves = layout == PE_LAYOUT_HALVES,
              narrow = from == PE_TYPE_BF16 && to == PE_TYPE_BF16;
    const size_t n = a->n, end = n - PE__FLOATS, across = halves ? a->pairs : (size_t)PE__PAIR_TILE;
    const size_t step = halves ? 1 : 2; /* elements from a pair to the next */
    const int tail = n % PE__FLOATS != 0;
    pe__vf x[2], y[2];
    pe__vectors v, last;
    size_t i = 0;
    if (tail) {
        last = pe__vectors_at(from, to, layout, a, end, end * step);
        pe__vectors_get(from, &last, in, y);
    }
    for (; i + PE__PAIR_TILE <= n; i += PE__PAIR_TILE) {
        pe__pair_tile tile;
        pe__pair_tile_load(halves, narrow, a->s + i, a->c + i, &tile);
        pe__pair_tile_rotate(from, to, halves, &tile, in + i * step * pe__size_of(from),
                             out + i * step * pe__size_of(to), across);
    }
    if (i + PE__FLOATS <= n) {
        v = pe__vectors_at(from, to, layout, a, i, i * step);
        pe__vectors_get(from, &v, in, x);
        pe__vectors_put(to, layout, &v, x, out);
    }
    if (tail) pe__vectors_put(to, layout, &last, y, out);
}

/* Return how many pairs have their sines and cosines in registers while heads are rotated. In
   halves, these are the pairs of two pair tiles. An interleaved pair tile takes eight registers, so
   only one pair tile is kept in registers, or two with the 32 registers of AVX-512. */
PE__INLINE size_t pe__register_pairs(pe_layout layout)
{
    return layout == PE_LAYOUT_HALVES || PE_LANES == 8 ? 2 * PE__PAIR_TILE : PE__PAIR_TILE;
}

/* Prefetch the `bytes` bytes that start at the address `address`, which are at most four cache
   lines. More than two lines count as four. This is not written as a loop, because a loop that a
   compiler laid out badly took 20 % longer. */
PE__WRAPS
PE__INLINE void pe__prefetch_lines(uintptr_t address, size_t bytes)
{
    PE__PREFETCH(address);
    if (bytes > 64) PE__PREFETCH(address + 64);
    if (bytes > 128) {
        PE__PREFETCH(address + 128);
        PE__PREFETCH(address + 192);
    }
}

/* Return the number of elements from the start of a pair tile to the start of the next pair tile.
   The head is divided into sections of `pairs` pairs each, in halves. The section has *done pairs
   before this pair tile. The function advances *done to the next pair tile. The step after a
   section's last pair tile skips the section's second half. */
PE__INLINE size_t pe__next_pair_tile(size_t pairs, size_t *done)
{
    *done += PE__PAIR_TILE;
    if (*done < pairs) return PE__PAIR_TILE;
    *done = 0;
    return PE__PAIR_TILE + pairs;
}

/* These constants say how a head in halves is divided: it is one section, or has sections of whole
   pair tiles, or has sections of one vector of pairs. An interleaved head is one section. */
enum { PE__ONE_SECTION, PE__PAIR_TILE_SECTIONS, PE__VECTOR_SECTIONS };

/* Rotate the complete pair tiles of all x->heads heads. The sines and cosines of one or two pair
   tiles stay in registers while all heads are rotated by them. `sections` is one of the constants
   above. prefetch_distance is the number of bytes from a pair tile's address to the address that is
   prefetched; 0 means no prefetch. */
PE__INLINE void pe__rotate_pair_tiles(pe_type from, pe_type to, pe_layout layout, int sections,
                                      const pe__angles *a, const pe__heads *x,
                                      size_t prefetch_distance)
{
    const int halves = layout == PE_LAYOUT_HALVES,
              narrow = from == PE_TYPE_BF16 && to == PE_TYPE_BF16;
    const size_t e = pe__size_of(from), f = pe__size_of(to);
    const size_t in_registers = pe__register_pairs(layout);
    const size_t across = halves ? a->pairs : (size_t)PE__PAIR_TILE, n = a->n;
    const size_t other = sections ? pe__max(across, in_registers) : halves ? across : in_registers;
    const size_t step = sections || !halves ? 2 : 1; /* elements from a pair to the next */
    const int tile_layout =
        sections > PE__PAIR_TILE_SECTIONS ? PE__PAIR_TILE_SECTION_HALVES : halves;
    size_t place = 0, done = 0;
    for (size_t i = 0, count; i + PE__PAIR_TILE <= n; i += count) {
        const int both = in_registers > PE__PAIR_TILE && n - i >= in_registers;
        const size_t offset = sections == PE__PAIR_TILE_SECTIONS ? place : i * step;
        const size_t advance = sections == PE__PAIR_TILE_SECTIONS
                                   ? pe__next_pair_tile(across, &done)
                                   : step * PE__PAIR_TILE;
        const float *const s = a->s + i, *const c = a->c + i;
        pe__pair_tile u, v;
        count = both ? in_registers : (size_t)PE__PAIR_TILE;
        pe__pair_tile_load(halves, narrow, s, c, &u);
        v = u;
        if (both) pe__pair_tile_load(halves, narrow, s + PE__PAIR_TILE, c + PE__PAIR_TILE, &v);
        for (size_t k = 0; k < x->heads; k++) {
            const unsigned char *const p = x->in + k * x->in_head + offset * e;
            unsigned char *const q = x->out + k * x->out_head + offset * f;
            if (prefetch_distance) {
                pe__prefetch_lines((uintptr_t)p + prefetch_distance, in_registers * e);
                pe__prefetch_lines((uintptr_t)p + prefetch_distance + other * e, in_registers * e);
            }
            pe__pair_tile_rotate(from, to, tile_layout, &u, p, q, across);
            if (both)
                pe__pair_tile_rotate(from, to, tile_layout, &v, p + advance * e, q + advance * f,
                                     across);
        }
        if (sections == PE__PAIR_TILE_SECTIONS)
            place += advance + (both ? pe__next_pair_tile(across, &done) : 0);
    }
}

/* Return how many of n pairs are rotated in pair tiles. If n is at least PE__FLOATS,
   pe__rotate_ends() rotates the others in vectors; otherwise the function returns 0, and
   pe__rotate_short() rotates all n. The last n % PE__FLOATS pairs fill no vector: a vector that
   ends with pair n - 1 rotates them and overlaps the vector before it. Both vectors must be loaded
   before either is stored, so the one before is also kept out of the pair tiles. */
PE__INLINE size_t pe__tiled_pairs(size_t n)
{
    const size_t tail = n % PE__FLOATS, kept = tail ? tail + PE__FLOATS : 0;
    const size_t complete_pairs = n > kept ? n - kept : 0;
    return complete_pairs - complete_pairs % PE__PAIR_TILE;
}

/* Rotate the pairs that pe__tiled_pairs() leaves over, in all x->heads heads, for n = a->n of at
   least PE__FLOATS. The flag in_sections is 1 if every section of a head has one vector of pairs or
   complete pair tiles. Then there is no tail: n is a multiple of PE__FLOATS. */
PE__INLINE void pe__rotate_ends(pe_type from, pe_type to, pe_layout layout, int in_sections,
                                const pe__angles *a, const pe__heads *x)
{
    const size_t n = a->n, tail = n % PE__FLOATS;
    const size_t step = layout == PE_LAYOUT_HALVES && !in_sections ? 1 : 2;
    for (size_t i = pe__tiled_pairs(n); i + tail < n; i += PE__FLOATS) {
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

/* Rotate the a->n pairs of all heads, where a->n is below PE__FLOATS and may be 0. The pairs are
   copied, padded to vectors, rotated, and copied to the output. */
PE__OUTLINE void pe__rotate_last_pairs(pe_type from, pe_type to, pe_layout layout,
                                       const pe__angles *a, const pe__heads *heads)
{
    const size_t e = pe__size_of(from), f = pe__size_of(to), n = a->n;
    const int halves = layout == PE_LAYOUT_HALVES;
    const size_t first = halves ? n : pe__min(2 * n, PE__FLOATS), rest = 2 * n - first;
    const size_t next = halves ? a->pairs : first;
    unsigned char x[2][PE__FLOATS * sizeof(float)] = {{0}}, y[2][PE__FLOATS * sizeof(float)];
    float sines[PE__FLOATS] = {0}, cosines[PE__FLOATS] = {0};
    if (n == 0) return; /* a table without pairs may have no arrays */
    memcpy(sines, a->s, n * sizeof *sines);
    memcpy(cosines, a->c, n * sizeof *cosines);
    const pe__rotation rotation = pe__rotation_load(layout, sines, cosines);
    for (size_t k = 0; k < heads->heads; k++) {
        const unsigned char *const in = heads->in + k * heads->in_head;
        unsigned char *const out = heads->out + k * heads->out_head;
        memcpy(x[0], in, first * e);
        memcpy(x[1], in + next * e, rest * e);
        const pe__vf components[2] = {pe__get_as(from, x[0]), pe__get_as(from, x[1])};
        pe__rotate_pairs(to, layout, &rotation, components, y[0], y[1]);
        memcpy(out, y[0], first * f);
        memcpy(out + next * f, y[1], rest * f);
    }
}

/* Do what pe__rotate_last_pairs() does, for floats in halves, with masked loads and stores. With
   AVX-512 this takes 40 % of the time of pe__rotate_last_pairs(). */
PE__OUTLINE void pe__rotate_masked(const pe__angles *a, const pe__heads *x)
{
    const size_t n = a->n, next = a->pairs * sizeof(float);
    if (n == 0) return;
    const pe__vf s = pe__get_n(a->s, n), c = pe__get_n(a->c, n);
    for (size_t k = 0; k < x->heads; k++) {
        const unsigned char *const in = x->in + k * x->in_head;
        unsigned char *const out = x->out + k * x->out_head;
        const pe__vf u = pe__get_n_as(PE_TYPE_F32, in, n),
                     v = pe__get_n_as(PE_TYPE_F32, in + next, n);
        pe__put_n_as(PE_TYPE_F32, out, pe__rotate_a(u, v, s, c), n);
        pe__put_n_as(PE_TYPE_F32, out + next, pe__rotate_b(u, v, s, c), n);
    }
}
PE__INLINE void pe__rotate_short(pe_type from, pe_type to, pe_layout layout, const pe__angles *a,
                                 const pe__heads *x)
{
    const int floats = from == PE_TYPE_F32 && to == PE_TYPE_F32,
              halves = layout == PE_LAYOUT_HALVES;
    if (sizeof(pe__vf) >= 64 && floats && halves) pe__rotate_masked(a, x);
    else pe__rotate_last_pairs(from, to, layout, a, x);
}

/* Rotate all pairs that are not rotated in pair tiles, in all x->heads heads. */
PE__INLINE void pe__rotate_vectors(pe_type from, pe_type to, pe_layout layout, const pe__angles *a,
                                   const pe__heads *x)
{
    if (a->n < PE__FLOATS) pe__rotate_short(from, to, layout, a, x);
    else pe__rotate_ends(from, to, layout, 0, a, x);
}

/* Copy n elements of type `from` at in to out, converted to type `to`. */
PE__INLINE void pe__convert(pe_type from, pe_type to, const unsigned char *in, unsigned char *out,
                            size_t n)
{
    if (from == to) memcpy(out, in, n * pe__size_of(to));
    for (size_t i = 0, part; from != to && i < n; i += part) {
        part = pe__min(n - i, PE__FLOATS);
        pe__put_n_as(to, out + i * pe__size_of(to),
                     pe__get_n_as(from, in + i * pe__size_of(from), part), part);
    }
}
