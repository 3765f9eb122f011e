/* SPDX-License-Identifier: MIT */
/* Describes the rows that a call writes, and chooses how they are stored: with ordinary or
 * non-temporal stores, or added to the elements there. Tested by tests/unit/rows/test_splits.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/options.h"
#include "../api/types.h"
#include "../sincos/exact.h"
#include "../plan/rotation.h"

/* ---- 6.2 where rows go --------------------------------------------------------------------------
 * An output describes the rows that a call writes: which pairs of a plan they have, where the sines
 * and cosines go, and how these are stored. */

/* A component order says in which order the sines s and cosines c of the pairs are in a row. The
   last two orders occur in RoPE's tables only. With PE__SPLIT the cosines may also come first: the
   output's fields sine and cosine say which. */
typedef enum pe__component_order {
    PE__SC,       /* s c s c */
    PE__CS,       /* c s c s */
    PE__SPLIT,    /* s s c c, or c c s s */
    PE__REPEATED, /* each s and c twice, the second output->repeat_offset elements later */
    PE__MATRIX    /* c -s s c for each pair */
} pe__component_order;

/* A store mode says how elements are stored. PE__STORE uses plain stores. PE__STORE_PREFETCHED also
   prefetches the cache lines of later rows (pe__prefetch_vectors()). PE__STREAM uses non-temporal
   stores. PE__ADD adds to the elements that are there. A call that adds rows sets PE__ADD. For any
   other call, pe__choose_store_mode() may replace PE__STORE by the second or third mode. */
typedef enum pe__store_mode { PE__STORE, PE__STORE_PREFETCHED, PE__STREAM, PE__ADD } pe__store_mode;

struct pe__output;
struct pe__span;
struct pe__block;

/* Adds the n floats of row (doubles for f64) to the elements at x: x = scale x + row, with the
   output's scale. Product and sum are rounded to f32 (f64: to double). For 16-bit elements, the sum
   is then rounded once more, to their type. */
typedef void pe__row_adder(const struct pe__output *output, unsigned char *x, const void *row,
                           size_t n);

/* An adder has the functions that add floats (doubles for f64) to elements of a type. A program
   that adds nothing refers to no adder, so it contains no code for adding. */
typedef struct pe__adder {
    /* Adds four vectors, which are passed in registers, at the addresses where pe__store_four()
       would store them. If sines and cosines are in halves, `across` is the number of bytes from
       the first sine to the first cosine. The pointer is NULL for f64. */
    void (*four)(const struct pe__output *output, unsigned char *p, ptrdiff_t across, pe__vf v0,
                 pe__vf v1, pe__vf v2, pe__vf v3);
    /* Adds any number of elements of a row. */
    pe__row_adder *partial;
} pe__adder;

/* Writes `rows` rows to the output's memory, the first at address output->out. They are the rows of
   the positions t, t + 1 and so on, which include the plan's offset. */
typedef void pe__row_writer(const struct pe__output *output, double t, size_t rows);

/* A row kernel has the code that depends on the type of elements, and on whether rows are filled or
   added. */
typedef struct pe__row_kernel {
    /* `row` writes one row, and `rows` writes several. pe__write_run() chooses one for a run. */
    pe__row_writer *row, *rows;
    /* Stores n zeros in a row, or adds them, starting at `column`. They belong to columns without a
       pair, or to a row at the padding position, where all columns are 0. */
    void (*zeros)(const struct pe__output *output, unsigned char *row, size_t column, size_t n);
    /* Writes the rows of a block in the columns of a span. `rows` calls it. It is NULL if `rows`
       itself does not rotate by the plan's rotation rows, as for f64 and in RoPE's tables. */
    void (*block)(struct pe__span *x, struct pe__block *block);
    /* Writes n row pairs of a block. Only pe__write_block_f32() calls it. It is NULL if `block` is
       another function or NULL. */
    void (*row_pairs)(struct pe__span *x, int64_t n);
    /* Adds rows to elements of the type; NULL if rows are filled. */
    const pe__adder *adder;
} pe__row_kernel;

/* An output says what a call writes: its rows and, in these, the columns of one axis or a part of
   them. The function pe__output_of() sets the fields that depend on the call's arguments, and
   pe__set_axis() those that depend on an axis. */
typedef struct pe__output {
    const pe__row_kernel *kernel;
    size_t rows, columns; /* `rows` is the number of rows of the call. `columns` is its stride: the
                             number of elements from the start of a row to the start of the next */
    const pe_plan *plan;
    size_t pair, coordinate; /* `pair` is the index of the first pair in the plan's arrays.
                                `coordinate` is the coordinate of a row that the axis encodes   */
    unsigned char *out;      /* address of column 0 of the first row                            */
    ptrdiff_t stride;        /* bytes from a row to the next; negative if positions descend     */
    size_t element;          /* size of an element in bytes: 2, 4 or 8                          */
    size_t sine, cosine;     /* columns of the first sine and the first cosine                  */
    size_t sines, cosines;   /* numbers of sines and of cosines. If the axis' width is odd, they
                                may differ by one. The larger one is the number of pairs        */
    pe__component_order order;
    pe__store_mode mode;
    double scale;             /* PE__ADD: x = scale x + PE; a float value unless elements are f64 */
    size_t prefetch_distance; /* PE__ADD, PE__STORE_PREFETCHED: bytes from an element to the cache
                                 line that is prefetched with it. May wrap around. A span has its
                                 own distances, see pe__set_prefetch_distance()                   */
    size_t peeled;            /* PE__STREAM: number of pairs before the first aligned address     */
    size_t repeat_offset;     /* PE__REPEATED: elements from the first copy of a sine or cosine to
                                 the second; else 0                                               */
    size_t padding_pairs;     /* the last so many of the pairs are padding after a segment (see
                                 rope/rows.h), which is never read; else 0                        */
    pe__element_rounder *round_element; /* rounds an element exactly where doubles do not suffice */
} pe__output;

/* Return the output of a call: `rows` rows, the first at out, each stride elements after the one
   before. The scale matters only if the mode is PE__ADD. The fields that depend on an axis are left
   unset for pe__set_axis(). */
PE__WRAPS /* the stride in bytes may wrap: it is used only after pe__check_output() */
PE__INLINE pe__output pe__output_of(void *out, size_t element, size_t rows, size_t stride,
                                    pe__store_mode mode, double scale, const pe__row_kernel *kernel)
{
    pe__output output;
    output.kernel = kernel;
    output.rows = rows;
    output.columns = stride;
    output.out = (unsigned char *)out;
    output.stride = (ptrdiff_t)(element * stride);
    output.element = element;
    output.mode = mode;
    output.scale = scale;
    return output;
}

/* Return an output at out whose rows hold the pairs [pair, pair + count) of the plan and nothing
   else: first the sines, then the cosines. Its store mode is PE__STORE. Its number of rows is left
   at 0, since the functions that write such an output get the number as an argument. */
PE__INLINE pe__output pe__output_split_with(pe__element_rounder *round_element,
                                            const pe__row_kernel *kernel, const pe_plan *plan,
                                            size_t pair, size_t count, void *out, size_t element)
{
    pe__output output = pe__output_of(out, element, 0, 2 * count, PE__STORE, 1, kernel);
    output.plan = plan;
    output.pair = pair;
    output.coordinate = plan->axis[0].coordinate;
    output.sine = 0;
    output.cosine = output.sines = output.cosines = count;
    output.order = PE__SPLIT;
    output.prefetch_distance = output.peeled = output.repeat_offset = output.padding_pairs = 0;
    output.round_element = round_element;
    return output;
}

PE__INLINE pe__output pe__output_split(const pe__row_kernel *kernel, const pe_plan *plan,
                                       size_t pair, size_t count, void *out, size_t element)
{
    return pe__output_split_with(pe__round_element_any, kernel, plan, pair, count, out, element);
}

/* Return the part of an output that holds at most count pairs, starting at index `pair` within the
   output. The prefetch distance of the part is the size of PE__BLOCK_ROWS rows. The distance may
   wrap around, since a prefetch from any address is harmless. */
PE__WRAPS
PE__INLINE pe__output pe__output_part(const pe__output *output, size_t pair, size_t count)
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

/* Return the address of column 0 of row r. */
PE__INLINE unsigned char *pe__row_address(const pe__output *output, size_t r)
{
    return output->out + (ptrdiff_t)r * output->stride;
}
/* Return the column of a row's first pair. With PE__SPLIT this is the column of its sine, even if
   the cosines come first. Otherwise it is the smaller of the pair's two columns. */
PE__INLINE size_t pe__first_column(const pe__output *output)
{
    return output->order == PE__SPLIT ? output->sine : pe__min(output->sine, output->cosine);
}

/* Set the fields of an output that depend on an axis, for the pairs and columns of this axis. */
PE__WRAPS /* the prefetch distance may wrap: any address may be prefetched */
static inline void pe__set_axis(pe__output *output, const pe_plan *plan, const pe__axis *axis)
{
    const size_t stride = (size_t)output->stride;
    output->plan = plan;
    output->pair = axis->pair;
    output->coordinate = axis->coordinate;
    output->sine = axis->sine;
    output->cosine = axis->cosine;
    output->sines = axis->sines;
    output->cosines = axis->cosines;
    output->order = plan->cos_first ? PE__CS : PE__SC;
    if (plan->layout == PE_LAYOUT_HALVES) output->order = PE__SPLIT;
    /* the size of as many rows as fit into 8 KB, or of one row if it is larger */
    output->prefetch_distance = pe__max(8192 / pe__max(stride, 1), 1) * stride;
    output->peeled = output->repeat_offset = output->padding_pairs = 0;
    output->round_element = pe__round_element_any;
}

/* Choose the store mode of an output that is not added to. Cache lines of an f32 output are
   prefetched (see pe__prefetch_vectors()) if the output has at least PE_STREAM_BYTES / 8 bytes,
   about the size of a second-level cache. Outputs of at least PE_STREAM_BYTES use non-temporal
   stores if they have 16-bit elements. Other outputs of this size use them only if all rows have
   the same alignment. That is, every row, and each half of a split row, must reach an aligned
   address after the same number of pairs, output->peeled. */
static inline void pe__choose_store_mode(pe__output *output)
{
    const size_t many = PE_STREAM_BYTES, vector = sizeof(pe__vf) / sizeof(float) * output->element;
    const size_t step = (output->order == PE__SPLIT ? 1 : 2) * output->element;
    const size_t front = pe__min(output->sine, output->cosine) * output->element;
    const size_t offset = ((uintptr_t)output->out + front) % vector;
    const size_t bytes = output->rows * output->plan->d_model * output->element;
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
