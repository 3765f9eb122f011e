/* SPDX-License-Identifier: MIT */
/* Where the rows of an axis go, and how floats are added there.
 * Gives: PE__ADD, PE__CS, PE__STORE_PREFETCHED, PE__STORE, PE__MATRIX, PE__SC, PE__SPLIT,
 *   PE__STREAM, PE__REPEATED, pe__add_request_of(), pe__adder, pe__output, pe__output_split_with(),
 *   pe__output_of_axis(), pe__output_part(), pe__output_split(), pe__first_column(),
 *   pe__row_kernel, pe__component_order, pe__request, pe__request_of(), pe__pairs_of(),
 *   pe__row_adder, pe__row_address(), pe__choose_store_mode(), pe__store_mode.
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
   asked for (pe__prefetch_vectors()), streamed past the caches (pe__choose_store_mode()), added. Of
   RoPE's tables: all twice, and matrices c, -s, s, c. */
typedef enum pe__component_order { /* s c s c, c s c s, s s c c */
    PE__SC,
    PE__CS,
    PE__SPLIT,
    PE__REPEATED,
    PE__MATRIX
} pe__component_order;
typedef enum pe__store_mode { PE__STORE, PE__STORE_PREFETCHED, PE__STREAM, PE__ADD } pe__store_mode;

/* The destination of rows: columns of one axis. */
typedef struct pe__output {
    const pe_plan *plan;
    size_t pair, coordinate; /* the plan's pair of the first column; the axis' coordinate       */
    unsigned char *out;      /* the first row                                                   */
    ptrdiff_t stride;        /* bytes from row to row; < 0 where positions descend              */
    size_t element;          /* bytes of an element                                             */
    size_t sine, cosine;     /* columns of the first sine and the first cosine                  */
    size_t sines, cosines;   /* their number; they differ by one if the width is odd            */
    pe__component_order order;
    pe__store_mode mode;
    double scale;             /* adding: x = scale x + PE; a float, but for f64                   */
    size_t prefetch_distance; /* adding and PE__STORE_PREFETCHED: bytes to what is asked for, see
                                 pe__set_prefetch_distance() */
    size_t peeled;            /* pairs before the first aligned address, where rows are streamed  */
    size_t repeat_offset;     /* PE__REPEATED: elements from the one to the other                 */
    size_t padding_pairs;     /* the last pairs, which are any and need not be right              */
    pe__element_rounder *round_element; /* asked where double does not decide                     */
} pe__output;

/* count pairs from the given one on, sines and then cosines, in rows of nothing else. */
PE__INLINE pe__output pe__output_split_with(pe__element_rounder *round_element, const pe_plan *plan,
                                            size_t pair, size_t count, void *out, size_t element)
{
    pe__output output;
    output.plan = plan;
    output.pair = pair;
    output.coordinate = plan->axis[0].coordinate;
    output.out = (unsigned char *)out;
    output.stride = (ptrdiff_t)(2 * count * element);
    output.element = element;
    output.sine = 0;
    output.cosine = output.sines = output.cosines = count;
    output.order = PE__SPLIT;
    output.mode = PE__STORE;
    output.scale = 1;
    output.prefetch_distance = output.peeled = output.repeat_offset = output.padding_pairs = 0;
    output.round_element = round_element;
    return output;
}

PE__INLINE pe__output pe__output_split(const pe_plan *plan, size_t pair, size_t count, void *out,
                                       size_t element)
{
    return pe__output_split_with(pe__round_element_any, plan, pair, count, out, element);
}

/* The part of a row, of blocks, that belongs to count pairs from the given one of the row on. What
   is asked for ahead may be any address. */
PE__WRAPS PE__INLINE pe__output pe__output_part(const pe__output *output, size_t pair, size_t count)
{
    const size_t step = output->order == PE__SPLIT ? 1 : 2;
    pe__output part = *output;
    part.prefetch_distance = (size_t)PE__BLOCK_ROWS * (size_t)output->stride;
    part.pair += pair;
    part.sine += step * pair;
    part.cosine += step * pair;
    part.sines = pe__min(count, output->sines > pair ? output->sines - pair : 0);
    part.cosines = pe__min(count, output->cosines > pair ? output->cosines - pair : 0);
    if (pair + count < pe__max(output->sines, output->cosines)) part.padding_pairs = 0;
    return part;
}

PE__INLINE size_t pe__pairs_of(const pe__output *output)
{
    return pe__max(output->sines, output->cosines);
}

/* The address of row r, and the column of a row's first pair. */
PE__INLINE unsigned char *pe__row_address(const pe__output *output, size_t r)
{
    return output->out + (ptrdiff_t)r * output->stride;
}
PE__INLINE size_t pe__first_column(const pe__output *output)
{
    return output->order == PE__SPLIT ? output->sine : pe__min(output->sine, output->cosine);
}

/* How floats are added to elements of a type, to which each sum is rounded once: four vectors to
   where pe__store_four() puts them, and n floats of a row. A program that adds nothing has none. */
typedef void pe__row_adder(const pe__output *output, unsigned char *x, const void *row, size_t n);
typedef struct pe__adder {
    void (*four)(const pe__output *output, unsigned char *p, ptrdiff_t across, pe__vf v0, pe__vf v1,
                 pe__vf v2, pe__vf v3); /* each in a register; across: see pe__span */
    pe__row_adder *some;
} pe__adder;

/* What the functions of a type and a verb differ in: rows for the positions t, t + 1 ..., and zeros
   in n elements of a row from the given column on, where there is no pair, or for a padding row. */
typedef struct pe__row_kernel {
    void (*rows)(const pe__output *output, double t, size_t rows);
    void (*zeros)(const pe__output *output, unsigned char *row, size_t column, size_t n);
} pe__row_kernel;

/* A call's output: rows of stride elements at out. */
typedef struct pe__request {
    unsigned char *out;
    size_t element, columns, stride; /* bytes of an element; from row to row: elements, bytes */
    pe__store_mode mode;
    double scale; /* of adding */
    size_t rows;
    const pe__row_kernel *kernel;
} pe__request;

PE__WRAPS /* the stride, which is used only after pe__check_request() */
PE__INLINE pe__request pe__request_of(void *out, size_t element, size_t rows, size_t stride,
                                      const pe__row_kernel *kernel)
{
    const pe__request request = {
        (unsigned char *)out, element, stride, element * stride, PE__STORE, 1, rows, kernel};
    return request;
}
PE__INLINE pe__request pe__add_request_of(void *x, size_t element, size_t rows, size_t stride,
                                          double scale, const pe__row_kernel *kernel)
{
    pe__request request = pe__request_of(x, element, rows, stride, kernel);
    request.mode = PE__ADD;
    request.scale = scale;
    return request;
}

/* The columns of one axis of an output. */
PE__WRAPS /* what is asked for ahead: any address will do */
static inline pe__output pe__output_of_axis(const pe_plan *plan, const pe__axis *axis,
                                            const pe__request *request)
{
    pe__output output = pe__output_split(plan, axis->pair, 0, request->out, request->element);
    output.coordinate = axis->coordinate;
    output.stride = (ptrdiff_t)request->stride;
    output.sine = axis->sine;
    output.cosine = axis->cosine;
    output.sines = axis->sines;
    output.cosines = axis->cosines;
    if (plan->layout != PE_LAYOUT_HALVES) output.order = plan->cos_first ? PE__CS : PE__SC;
    output.mode = request->mode;
    output.scale = request->scale;
    output.prefetch_distance = pe__max(8192 / pe__max(request->stride, 1), 1) *
                               request->stride; /* see pe__prefetch_vectors() */
    return output;
}

/* Decide how to store so many rows. Large tables of floats (an eighth of PE_STREAM_BYTES, about a
   second-level cache) are asked for ahead, see pe__prefetch_vectors(). From PE_STREAM_BYTES on they
   are streamed: 16-bit elements always, others only if each row, and each half of it, comes to an
   aligned address by the same number of pairs. */
static inline void pe__choose_store_mode(const pe_plan *plan, pe__output *output, size_t rows)
{
    const size_t many = PE_STREAM_BYTES, vector = sizeof(pe__vf) / sizeof(float) * output->element;
    const size_t step = (output->order == PE__SPLIT ? 1 : 2) * output->element;
    const size_t front = pe__min(output->sine, output->cosine) * output->element;
    const size_t offset = ((uintptr_t)output->out + front) % vector;
    const size_t bytes = rows * plan->d_model * output->element;
    if (output->mode != PE__STORE || bytes < many / 8) return;
    if (output->element == sizeof(float)) output->mode = PE__STORE_PREFETCHED;
    if (bytes < many) return;
    if (output->element >= sizeof(float)) {
        if (offset % step || (size_t)output->stride % vector) return;
        if (output->order == PE__SPLIT &&
            ((pe__max(output->sine, output->cosine) * output->element - front) % vector ||
             output->sines != output->cosines))
            return;
        output->peeled = (vector - offset) % vector / step;
    }
    output->mode = PE__STREAM;
}
