/* SPDX-License-Identifier: MIT */
/* Where the rows of an axis go, and how floats are added there.
 * Gives: PE__ADD, PE__CS, PE__FETCH, PE__FILL, PE__MATRIX, PE__SC, PE__SPLIT, PE__STREAM,
 *   PE__TWICE, pe__added(), pe__adder, pe__dest, pe__dest_exact(), pe__dest_of_axis(),
 *   pe__dest_part(), pe__dest_split(), pe__first_column(), pe__maker, pe__order, pe__output,
 *   pe__output_of(), pe__pairs_of(), pe__row_adder, pe__row_at(), pe__stream_rows(),
 *   pe__verb.
 * Needs: simd, api, numbers, sincos.
 * Tests: tests/unit/test_splits.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/options.h"
#include "../api/types.h"
#include "../numbers/base.h"
#include "../sincos/exact.h"

/* ---- 6.3 where rows go --------------------------------------------------------------------------
 * Which pairs of a plan a row has, where its elements lie, and what becomes of them. */

/* The order of a row's elements, and what is done with them: filled, filled and what comes next
   asked for (pe__ask()), streamed past the caches (pe__stream_rows()), added. Of RoPE's tables: all
   twice, and matrices c, -s, s, c. */
typedef enum pe__order { /* s c s c, c s c s, s s c c */
    PE__SC,
    PE__CS,
    PE__SPLIT,
    PE__TWICE,
    PE__MATRIX
} pe__order;
typedef enum pe__verb { PE__FILL, PE__FETCH, PE__STREAM, PE__ADD } pe__verb;

/* The destination of rows: columns of one axis. */
typedef struct pe__dest {
    const pe_plan *plan;
    size_t pair, coordinate; /* the plan's pair of the first column; the axis' coordinate       */
    unsigned char *out;      /* the first row                                                   */
    ptrdiff_t stride;        /* bytes from row to row; < 0 where positions descend              */
    size_t element;          /* bytes of an element                                             */
    size_t sine, cosine;     /* columns of the first sine and the first cosine                  */
    size_t sines, cosines;   /* their number; they differ by one if the width is odd            */
    pe__order order;
    pe__verb verb;
    double scale; /* adding: x = scale x + PE; a float, but for f64                             */
    size_t ahead; /* adding and PE__FETCH: bytes to what is asked for, see pe__ask_ahead()      */
    size_t head;  /* pairs before the first aligned address, where rows are streamed            */
    size_t again; /* PE__TWICE: elements from the one to the other                              */
    size_t spare; /* the last pairs, which are any and need not be right                        */
    pe__element *exact; /* asked where double does not decide                               */
} pe__dest;

/* count pairs from the given one on, sines and then cosines, in rows of nothing else. */
PE__INLINE pe__dest pe__dest_exact(pe__element *exact, const pe_plan *plan, size_t pair,
                                   size_t count, void *out, size_t element)
{
    pe__dest dest;
    dest.plan = plan;
    dest.pair = pair;
    dest.coordinate = plan->axis[0].coordinate;
    dest.out = (unsigned char *)out;
    dest.stride = (ptrdiff_t)(2 * count * element);
    dest.element = element;
    dest.sine = 0;
    dest.cosine = dest.sines = dest.cosines = count;
    dest.order = PE__SPLIT;
    dest.verb = PE__FILL;
    dest.scale = 1;
    dest.ahead = dest.head = dest.again = dest.spare = 0;
    dest.exact = exact;
    return dest;
}

PE__INLINE pe__dest pe__dest_split(const pe_plan *plan, size_t pair, size_t count, void *out,
                                   size_t element)
{
    return pe__dest_exact(pe__element_any, plan, pair, count, out, element);
}

/* The part of a row, of blocks, that belongs to count pairs from the given one of the row on. What
   is asked for ahead may be any address. */
PE__WRAPS PE__INLINE pe__dest pe__dest_part(const pe__dest *dest, size_t pair, size_t count)
{
    const size_t step = dest->order == PE__SPLIT ? 1 : 2;
    pe__dest part = *dest;
    part.ahead = (size_t)PE__RADIX * (size_t)dest->stride;
    part.pair += pair;
    part.sine += step * pair;
    part.cosine += step * pair;
    part.sines = pe__min(count, dest->sines > pair ? dest->sines - pair : 0);
    part.cosines = pe__min(count, dest->cosines > pair ? dest->cosines - pair : 0);
    if (pair + count < pe__max(dest->sines, dest->cosines)) part.spare = 0;
    return part;
}

PE__INLINE size_t pe__pairs_of(const pe__dest *dest) { return pe__max(dest->sines, dest->cosines); }

/* The address of row r, and the column of a row's first pair. */
PE__INLINE unsigned char *pe__row_at(const pe__dest *dest, size_t r)
{
    return dest->out + (ptrdiff_t)r * dest->stride;
}
PE__INLINE size_t pe__first_column(const pe__dest *dest)
{
    return dest->order == PE__SPLIT ? dest->sine : pe__min(dest->sine, dest->cosine);
}

/* How floats are added to elements of a type, to which each sum is rounded once: four vectors to
   where pe__store_four() puts them, and n floats of a row. A program that adds nothing has none. */
typedef void pe__row_adder(const pe__dest *dest, unsigned char *x, const void *row, size_t n);
typedef struct pe__adder {
    void (*four)(const pe__dest *dest, unsigned char *p, ptrdiff_t across, pe__vf v0, pe__vf v1,
                 pe__vf v2, pe__vf v3); /* each in a register; across: see pe__span */
    pe__row_adder *some;
} pe__adder;

/* What the functions of a type and a verb differ in: rows for the positions t, t + 1 ..., and zeros
   in n elements of a row from the given column on, where there is no pair, or for a padding row. */
typedef struct pe__maker {
    void (*rows)(const pe__dest *dest, double t, size_t rows);
    void (*zeros)(const pe__dest *dest, unsigned char *row, size_t column, size_t n);
} pe__maker;

/* A call's output: rows of stride elements at out. */
typedef struct pe__output {
    unsigned char *out;
    size_t element, columns, stride; /* bytes of an element; from row to row: elements, bytes */
    pe__verb verb;
    double scale; /* of adding */
    size_t rows;
    const pe__maker *make;
} pe__output;

PE__WRAPS /* the stride, which is used only after pe__check() */
PE__INLINE pe__output pe__output_of(void *out, size_t element, size_t rows, size_t stride,
                                    const pe__maker *make)
{
    const pe__output o = {(unsigned char *)out, element, stride, element * stride, PE__FILL, 1,
                          rows, make};
    return o;
}
PE__INLINE pe__output pe__added(void *x, size_t element, size_t rows, size_t stride, double scale,
                                const pe__maker *make)
{
    pe__output o = pe__output_of(x, element, rows, stride, make);
    o.verb = PE__ADD;
    o.scale = scale;
    return o;
}

/* The columns of one axis of an output. */
PE__WRAPS /* what is asked for ahead: any address will do */
static inline pe__dest pe__dest_of_axis(const pe_plan *plan, const pe__axis *axis,
                                        const pe__output *o)
{
    pe__dest dest = pe__dest_split(plan, axis->pair, 0, o->out, o->element);
    dest.coordinate = axis->coordinate;
    dest.stride = (ptrdiff_t)o->stride;
    dest.sine = axis->sine;
    dest.cosine = axis->cosine;
    dest.sines = axis->sines;
    dest.cosines = axis->cosines;
    if (plan->layout != PE_LAYOUT_HALVES) dest.order = plan->cos_first ? PE__CS : PE__SC;
    dest.verb = o->verb;
    dest.scale = o->scale;
    dest.ahead = pe__max(8192 / pe__max(o->stride, 1), 1) * o->stride; /* see pe__ask() */
    return dest;
}

/* Decide how to store so many rows. Large tables of floats (an eighth of PE_STREAM_BYTES, about a
   second-level cache) are asked for ahead, see pe__ask(). From PE_STREAM_BYTES on they are
   streamed: 16-bit elements always, others only if each row, and each half of it, comes to an
   aligned address by the same number of pairs. */
static inline void pe__stream_rows(const pe_plan *plan, pe__dest *dest, size_t rows)
{
    const size_t many = PE_STREAM_BYTES, vector = sizeof(pe__vf) / sizeof(float) * dest->element;
    const size_t step = (dest->order == PE__SPLIT ? 1 : 2) * dest->element;
    const size_t front = pe__min(dest->sine, dest->cosine) * dest->element;
    const size_t offset = ((uintptr_t)dest->out + front) % vector;
    const size_t bytes = rows * plan->d_model * dest->element;
    if (dest->verb != PE__FILL || bytes < many / 8) return;
    if (dest->element == sizeof(float)) dest->verb = PE__FETCH;
    if (bytes < many) return;
    if (dest->element >= sizeof(float)) {
        if (offset % step || (size_t)dest->stride % vector) return;
        if (dest->order == PE__SPLIT &&
            ((pe__max(dest->sine, dest->cosine) * dest->element - front) % vector ||
             dest->sines != dest->cosines))
            return;
        dest->head = (vector - offset) % vector / step;
    }
    dest->verb = PE__STREAM;
}
