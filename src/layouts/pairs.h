/* SPDX-License-Identifier: MIT */
/* Moves pairs between layouts: interleaved, in halves, with columns of other coordinates in
 * between, with each element twice, and as matrices. Tested by tests/unit/plan/test_models.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "elements.h"
#include "output.h"

/* ---- 6.3 pairs in other layouts -------------------------------------------------------------- */

/* Copy an element of 1, 2, 4 or 8 bytes. A memcpy() of a constant size is compiled without a
   call. */
PE__INLINE void pe__copy_element(unsigned char *to, const unsigned char *from, size_t element)
{
    if (element == 4) memcpy(to, from, 4);
    else if (element == 2) memcpy(to, from, 2);
    else if (element == 8) memcpy(to, from, 8);
    else *to = *from;
}

/* Copy n elements of `element` bytes: in[0], in[in_step] ... to out[0], out[out_step] ... */
PE__INLINE void pe__copy_every(unsigned char *out, size_t out_step, const unsigned char *in,
                               size_t in_step, size_t n, size_t element)
{
    for (size_t i = 0; i < n; i++)
        pe__copy_element(out + i * out_step * element, in + i * in_step * element, element);
}

/* The columns of an axis are 1, 2 or 4 contiguous pieces of a row. Piece i, for i < count, has
   bytes[i] bytes and begins offset[i] bytes after the start of the row. */
typedef struct pe__pieces {
    size_t count, offset[4], bytes[4];
} pe__pieces;

PE__INLINE pe__pieces pe__pieces_of(const pe__output *output)
{
    const size_t e = output->element, sines = output->sines * e, cosines = output->cosines * e;
    const size_t sine = output->sine * e, cosine = output->cosine * e;
    const size_t repeat = output->repeat_offset * e;
    const size_t repeated = output->order == PE__REPEATED,
                 interleaved = repeated && repeat <= sines;
    pe__pieces p = {1, {pe__min(sine, cosine)}, {sines + cosines}};
    if (output->order == PE__MATRIX) p.bytes[0] *= 2;
    const int separate = sine + sines != cosine && cosine + cosines != sine;
    if (!repeated && (output->order != PE__SPLIT || !separate)) return p;
    p.count = repeated && !interleaved ? 4 : 2;
    p.offset[0] = sine;
    p.offset[1] = cosine;
    p.offset[2] = sine + repeat;
    p.offset[3] = cosine + repeat;
    p.bytes[0] = p.bytes[2] = interleaved ? 2 * sines : sines;
    p.bytes[1] = p.bytes[3] = interleaved ? 2 * cosines : cosines;
    return p;
}
PE__INLINE void pe__copy_row(const pe__pieces *p, unsigned char *row, const unsigned char *from)
{
    memcpy(row + p->offset[0], from + p->offset[0], p->bytes[0]);
    for (size_t i = 1; i < p->count; i++)
        memcpy(row + p->offset[i], from + p->offset[i], p->bytes[i]);
}

/* For PE_COLUMNS_FREQUENCIES: copy `rows` rows of a tile's pairs between the tile, which is on the
   stack, and the output, starting at row r of the output. In the output, the columns of
   consecutive pairs are plan->step elements apart. A row of the tile has the sines, then the
   cosines, without gaps. If out is 1, copy to the output; if it is 0, to the tile. */
PE__INLINE void pe__copy_strided(const pe__output *tile, const pe__output *output, size_t r,
                                 size_t rows, int out)
{
    const size_t n = tile->sines, e = output->element, pair = tile->pair - output->pair;
    const size_t step = tile->plan->step;
    for (size_t k = 0; k < 2 * rows; k++) { /* odd k: cosines */
        const size_t first = (k % 2 ? output->cosine : output->sine) + pair * step;
        unsigned char *const x = pe__row_address(output, r + k / 2) + first * e;
        unsigned char *const y = pe__row_address(tile, k / 2) + k % 2 * n * e;
        if (out) pe__copy_every(x, step, y, 1, n, e);
        else pe__copy_every(y, 1, x, step, n, e);
    }
}

/* Copy row r between an output and a buffer. A row in halves is copied half by half. In the buffer,
   its cosines begin `half` bytes after its sines. An interleaved row is copied as one piece. If in
   is 1, copy to the buffer, and set `zeros` bytes after each piece to 0. If in is 0, copy to the
   output, in its store mode. */
PE__INLINE void pe__copy_halves(const pe__output *output, size_t r, unsigned char *buffer,
                                size_t half, size_t zeros, int in)
{
    const int split = output->order == PE__SPLIT;
    const size_t e = output->element, column = pe__first_column(output);
    unsigned char *const row = pe__row_address(output, r);
    for (int k = 0; k <= split; k++, buffer += half) {
        unsigned char *const place = row + (k ? output->cosine : column) * e;
        const size_t n = (k ? output->cosines : output->sines + (split ? 0 : output->cosines)) * e;
        if (in) memset(buffer + n, 0, zeros);
        if (in) pe__copy(buffer, place, n, 0);
        else pe__copy(place, buffer, n, output->mode == PE__STREAM);
    }
}

/* Copy interleaved pairs at in, a0 b0 a1 b1 ..., as halves to out, a0 a1 ... b0 b1 ... */
PE__INLINE void pe__deinterleave(unsigned char *out, const unsigned char *in, size_t pairs,
                                 size_t element)
{
    size_t i = 0;
    for (; element == sizeof(float) && i + PE__FLOATS <= pairs; i += PE__FLOATS) {
        const float *const x = (const float *)(const void *)in + 2 * i;
        float *const y = (float *)(void *)out + i;
        const pe__vf v = pe__get(x), w = pe__get(x + PE__FLOATS);
        pe__put(y, pe__unzip_evens(v, w));
        pe__put(y + pairs, pe__unzip_odds(v, w));
    }
    /* f16 elements are moved as if they were bf16: both conversions are exact. */
    for (; element == 2 && i + 4 * PE_LANES <= pairs; i += 4 * PE_LANES) {
        const uint16_t *const x = (const uint16_t *)(const void *)in + 2 * i;
        uint16_t *const y = (uint16_t *)(void *)out + i;
        const pe__vf a = pe__get_bf16_evens(x), b = pe__get_bf16_evens(x + 4 * PE_LANES);
        const pe__vf c = pe__get_bf16_odds(x), d = pe__get_bf16_odds(x + 4 * PE_LANES);
        pe__put_bf16_four(y, pe__unzip_evens(a, b), pe__unzip_odds(a, b), y + pairs,
                          pe__unzip_evens(c, d), pe__unzip_odds(c, d));
    }
    pe__copy_every(out + i * element, 1, in + 2 * i * element, 2, pairs - i, element);
    pe__copy_every(out + (pairs + i) * element, 1, in + (2 * i + 1) * element, 2, pairs - i,
                   element);
}

/* Write n pairs as matrices of four elements, c -s s c, from n sines s and n cosines c. Elements
   have 4 or 2 bytes. */
PE__INLINE void pe__write_matrices(unsigned char *out, const unsigned char *s,
                                   const unsigned char *c, size_t n, size_t element)
{
    for (size_t i = 0; i < n && element == sizeof(float); i++) {
        uint32_t m[4];
        memcpy(&m[2], s + i * element, element);
        memcpy(&m[0], c + i * element, element);
        m[1] = m[2] ^ 0x80000000;
        m[3] = m[0];
        memcpy(out + i * sizeof m, m, sizeof m);
    }
    for (size_t i = 0; i < n && element == sizeof(uint16_t); i++) {
        uint16_t m[4];
        memcpy(&m[2], s + i * element, element);
        memcpy(&m[0], c + i * element, element);
        m[1] = (uint16_t)(m[2] ^ 0x8000);
        m[3] = m[0];
        memcpy(out + i * sizeof m, m, sizeof m);
    }
}

/* Copy n elements of in to every step-th element of out; step is 1 or 2. Unless repeat_offset is 0,
   copy each element a second time, repeat_offset elements later. If step is 2, repeat_offset is 0
   or 1. */
PE__INLINE void pe__copy_repeated(unsigned char *out, const unsigned char *in, size_t n,
                                  size_t element, size_t step, size_t repeat_offset)
{
    size_t i = 0;
    if (step == 1) {
        memcpy(out, in, n * element);
        if (repeat_offset) memcpy(out + repeat_offset * element, in, n * element);
        return;
    }
    for (; repeat_offset && element == sizeof(float) && i + PE_LANES <= n; i += PE_LANES)
        pe__put((float *)(void *)out + 2 * i,
                pe__get_repeated((const float *)(const void *)in + i));
    for (size_t k = 0; k <= repeat_offset; k++)
        pe__copy_every(out + (2 * i + k) * element, 2, in + i * element, 1, n - i, element);
}

/* Write the pairs [pair, pair + n) of a row of a RoPE table, which has the layout of `to`. The n
   sines and then the n cosines of these pairs are at `row`. In the table, the cosine and sine of
   pair 0 of this row are at the addresses `cosines` and `sines`. Matrices need only `cosines`. */
PE__INLINE void pe__write_table_pairs(const pe__output *to, unsigned char *cosines,
                                      unsigned char *sines, size_t pair, const unsigned char *row,
                                      size_t n)
{
    const int interleaved =
        to->order == PE__SC || (to->order == PE__REPEATED && to->repeat_offset == 1);
    const size_t e = to->element, step = to->order == PE__MATRIX ? 4 : interleaved ? 2 : 1;
    const size_t offset = pair * step * e;
    if (step == 4) {
        pe__write_matrices(cosines + offset, row, row + n * e, n, e);
        return;
    }
    pe__copy_repeated(cosines + offset, row + n * e, n, e, step, to->repeat_offset);
    pe__copy_repeated(sines + offset, row, n, e, step, to->repeat_offset);
}
