/* SPDX-License-Identifier: MIT */
/* Builds plans in the caller's memory: frequencies and rotation rows. tests/unit/rows/test_bounds.c
 * and tests/unit/numbers/test_budget.c test them. */
#pragma once
#include "../pe_simd.h"
#include "../api/options.h"
#include "../api/types.h"
#include "contract.h"
#include "../numbers/compare.h"
#include "../numbers/double_double.h"
#include "../numbers/exp_log.h"
#include "../frequencies/geometric.h"
#include "../sincos/double_double.h"
#include "../sincos/exact.h"
#include "shape.h"
#include "fields.h"
#include "rotation.h"

/* Copies fields of the config to a plan whose axes are set, and sets the addresses of the plan's
   arrays. `memory` is aligned to 64 bytes. */
static inline void pe__plan_begin(pe_plan *plan, const pe_config *config, double *memory)
{
    const size_t arrays = pe__array_count(config, config->expected_rows);
    plan->layout = config->layout;
    plan->cos_first = config->cos_first != 0;
    plan->has_padding = config->has_padding != 0;
    plan->padding = (double)config->padding_position;
    pe__plan_set_amplitude(plan, config->amplitude);
    plan->half_turns = config->half_turns != 0;
    plan->base = config->base;
    plan->unit = config->scale;
    plan->offset = config->offset;
    plan->frequency = memory;
    plan->matrix_step = plan->padded;
    if (pe__has_columns(config, PE_COLUMNS_SUMS)) plan->matrix = memory;
    else if (arrays == 3) plan->float32 = memory + 2 * plan->padded;
    else if (arrays > 3) plan->table = memory + 2 * plan->padded;
}

/* Returns the address of a plan's order, which comes after the arrays and has two bytes for each
   pair. The first plan->pairs bytes are the places of the pairs, each counted from the first of the
   PE__SORT_PAIRS pairs that are sorted together. The caller sets the other bytes to the
   coordinates of the pairs. pe__plan_sort_pairs() replaces them by the segments. */
static inline uint8_t *pe__order_memory(const pe_plan *plan, const pe_config *config,
                                        double *memory)
{
    return (uint8_t *)(memory + pe__array_count(config, config->expected_rows) * plan->padded);
}

/* Finds the order of a plan's pairs by coordinate; pe__plan_sort_array() moves them. `order` is
 * from pe__order_memory(), and its second half holds the coordinates. Its first half gets the new
 * place of each pair. Every PE__SORT_PAIRS pairs are sorted on their own. Among them, the pairs of
 * one coordinate become a segment: they get consecutive places. Stationary pairs come last, as
 * coordinate PE_MAX_AXES.
 *
 * The segments replace the coordinates. The byte at the first place of a segment is its coordinate,
 * and the next byte is its number of pairs minus 1. A segment of one pair has only one byte, which
 * is the coordinate + PE__SEGMENT_OF_ONE. Bytes at later places of a segment are 0. */
enum { PE__SEGMENT_OF_ONE = 16 };
static inline void pe__plan_sort_pairs(pe_plan *plan, uint8_t *order)
{
    for (size_t begin = 0, n; begin < plan->pairs; begin += n) {
        uint8_t *const rank = order + begin, *const list = rank + plan->pairs;
        uint8_t segments[PE__SORT_PAIRS] = {0};
        size_t end = 0;
        n = pe__min(plan->pairs - begin, PE__SORT_PAIRS);
        for (size_t a = 0, first = 0; a <= PE_MAX_AXES; a++, first = end) {
            for (size_t i = 0; i < n; i++)
                if (list[i] == (a < PE_MAX_AXES ? a : (size_t)PE__STATIONARY))
                    rank[i] = (uint8_t)end++;
            if (end == first) continue;
            segments[first] = (uint8_t)(end - first == 1 ? a + PE__SEGMENT_OF_ONE : a);
            if (end - first > 1) segments[first + 1] = (uint8_t)(end - first - 1);
        }
        memcpy(list, segments, n);
    }
    plan->order = order;
}

/* Moves the element of each pair in an array of a plan to the place that plan->order gives it. */
static inline void pe__plan_sort_array(const pe_plan *plan, double *array)
{
    double all[PE__SORT_PAIRS];
    for (size_t begin = 0, n; begin < plan->pairs; begin += n, array += n) {
        n = pe__min(plan->pairs - begin, PE__SORT_PAIRS);
        memcpy(all, array, n * sizeof *all);
        for (size_t i = 0; i < n; i++) array[plan->order[begin + i]] = all[i];
    }
}

/* Fills the padding of an array. Repeats the last pair of each axis up to the first pair of the
   next axis. After the last axis, repeats its last pair up to plan->padded. For an axis without
   pairs, the element before it is repeated, or 0 if there is none. */
static inline void pe__plan_pad(const pe_plan *plan, double *array)
{
    for (size_t a = 0; a < plan->axes; a++) {
        const pe__axis *axis = &plan->axis[a];
        const size_t end = a + 1 < plan->axes ? plan->axis[a + 1].pair : plan->padded;
        for (size_t i = axis->pair + axis->pairs; i < end; i++) array[i] = i ? array[i - 1] : 0;
    }
}

/* Completes a plan whose frequencies are in memory. Sorts them if the plan has an order, pads them,
   and computes the range and, if the plan has memory for them, the rotation rows. With
   PE_ANGLE_FLOAT32, writes the frequencies rounded to float to the third array, and 1 / pi to the
   first two. Until then plan->float32 is NULL, so that pe__plan_quantity() reads the frequencies
   themselves. `error` bounds the relative error of the frequencies. `fastest` is the largest
   magnitude of a frequency, in half-turns per position; rounding to float may increase it. */
static inline void pe__plan_finish(pe_plan *plan, double error, double fastest, double *memory)
{
    const size_t padded = plan->padded;
    for (size_t part = 0; part < 2; part++) {
        if (plan->order) pe__plan_sort_array(plan, memory + part * padded);
        pe__plan_pad(plan, memory + part * padded);
    }
    if (plan->float32) {
        double *const rounded = memory + 2 * padded;
        plan->float32 = NULL;
        plan->error = error;
        for (size_t i = 0; i < padded; i++)
            rounded[i] = pe__plan_quantity(plan, i, PE__FREQUENCY, PE__DROP_F32);
        plan->float32 = rounded;
        for (size_t part = 0; part < 2; part++)
            for (size_t i = 0; i < padded; i++) memory[part * padded + i] = pe__inverse_pi[part];
        fastest *= 1.0000001;
        error = pe__exp2i(-106);
    }
    pe__plan_set_range(plan, error, fastest);
    if (plan->table) pe__build_rotation_rows(plan, memory + 2 * padded);
}

/* Begins every init. Sets the plan to zeros, which every call refuses. Returns PE_ERR_NULL if a
   pointer is NULL, else PE_OK. */
static inline pe_status pe__init_begin(pe_plan *plan, const void *config, const void *memory)
{
    if (!plan) return PE_ERR_NULL;
    memset(plan, 0, sizeof *plan); /* cppcheck-suppress memsetClassFloat ; 0 bits are 0.0 */
    return config && memory ? PE_OK : PE_ERR_NULL;
}

/* Computes the frequencies of the config, as sums of two doubles, in the first two arrays of the
   plan's memory f, and completes the plan. */
static inline void pe__plan_fill_geometric(pe_plan *made, const pe_config *config, double *f)
{
    double fastest = 0, steps = 0, fall = 0;
    const pe__td frequency_scale = pe__frequency_scale(config->scale, config->half_turns);
    for (size_t a = 0; a < made->axes; a++) {
        const pe__axis *axis = &made->axis[a];
        pe__geometric g;
        if (axis->pairs == 0) continue;
        const size_t last = axis->pairs - 1;
        g.step = pe__geometric_step(config->base, axis->denominator);
        pe__geometric_begin(&g, &frequency_scale);
        pe__geometric_fill(&g, 0, axis->pairs, f + axis->pair, made->padded);
        const double begin = f[axis->pair], end = f[axis->pair + last];
        fastest = pe__max_abs(fastest, pe__max_abs(begin, end));
        steps = pe__max_abs(steps, (double)last / axis->denominator[0]);
        fall = pe__max_abs(fall, begin / end);
    }
    /* In half-turns, with PE_EXPONENT_INDEX (D = 1) and a power of two as base, each frequency is
       the scale times a power of two: all are exact. */
    int exponent;
    made->exact_frequencies = config->half_turns && config->exponent == PE_EXPONENT_INDEX &&
                              pe__frexp(config->base, &exponent) == 0.5;
    /* frequencies/geometric.h derives the error. The last term is for powers of base^(-1 / D)
       below 2^-900, whose last double is subnormal: its error of 2^-1070 is relative to a power of
       at least 1 / fall. `fall` is the largest ratio of an axis' first to its last frequency. */
    const double error = pe__exp2i(-101) + steps * pe__exp2i(-106);
    pe__plan_finish(made, error + fall * pe__exp2i(-900) * pe__exp2i(-170), fastest, f);
}

PE_API const char *pe_frequency_error(const pe_config *config, const double *omega, size_t pairs,
                                      size_t *index)
{
    const double scale = config ? fabs(config->scale) : 0;
    if (index) *index = pairs;
    if (!config || (!omega && pairs)) return "config or omega is NULL";
    for (size_t i = 0; i < pairs; i++) {
        const double w = omega[i];
        if (pe__is_zero(w) || (pe__magnitude_between(w, pe__exp2i(-900), pe__exp2i(900)) &&
                               pe__magnitude_between(w * scale, pe__exp2i(-960), pe__exp2i(21))))
            continue;
        if (index) *index = i;
        if (pe__is_nan(w)) return "a frequency is not a number";
        return "a frequency must be 0, or within 2^-900 ... 2^900 and, times the scale, within "
               "2^-960 ... 2^21 in magnitude";
    }
    return NULL;
}

/* Loads a vector from the n doubles at x. If n is less than PE_LANES, the other lanes are 0. */
PE__INLINE pe__vd pe__load_n(const double *x, size_t n)
{
    double all[PE_LANES];
    if (n >= PE_LANES) return pe__load(x);
    for (size_t k = 0; k < PE_LANES; k++) all[k] = k < n ? x[k] : 0;
    return pe__load(all);
}

/* Returns 1 if the n frequencies at omega are certainly within the bounds of pe_frequency_error().
   If it returns 0, the test is inconclusive, and pe_frequency_error() must check them, which takes
   longer. It returns 1 if each |w| is at least 2^-900, |scale| is at least 2^-50, and the sum of
   all (w scale)^2 is at most 2^41. These conditions imply the bounds. If n is no multiple of
   PE_LANES, it returns 0, because the lanes after the last frequency are 0. */
PE__OUTLINE int pe__frequencies_ok(const double *omega, size_t n, double scale)
{
    const pe__vd low = pe__splat(pe__exp2i(-900));
    pe__vd sum = pe__splat(0.0), minimum = pe__splat(1.0);
    double squares[PE_LANES], all = 0;
    for (size_t i = 0; i < n; i += PE_LANES) {
        const pe__vd w = pe__load_n(omega + i, n - i);
        sum = pe__fma(w, w, sum);
        minimum = pe__min_vd(pe__abs(w), minimum);
    }
    pe__store(squares, sum);
    for (size_t k = 0; k < PE_LANES; k++) all += squares[k];
    return !pe__unequal(pe__min_vd(minimum, low), low, low, low) && fabs(scale) >= pe__exp2i(-50) &&
           pe__between(all * scale * scale, 0, pe__exp2i(41));
}

/* Writes n frequencies, omega times frequency_scale, as sums of two doubles: the first doubles to
   f, the second ones to f + padded. Their relative error is at most 2^-104. Writes whole vectors,
   so up to PE_LANES - 1 more doubles to each array. omega may be f. Returns the largest magnitude.
   It is out of line, because its caller is inlined into pe__plan_build(), which calls cold
   functions and so is not optimised for speed. */
PE__OUTLINE double pe__scale_omega(const double *omega, size_t n, const pe__td *frequency_scale,
                                   double *f, size_t padded)
{
    const pe__vd a = frequency_scale->a, b = frequency_scale->b;
    pe__vd largest = pe__splat(0.0);
    double lanes[PE_LANES], fastest = 0;
    for (size_t i = 0; i < n; i += PE_LANES) {
        const pe__vd x = pe__load_n(omega + i, n - i);
        pe__dd y;
        y.hi = pe__two_prod(x, a, &y.lo);
        y.lo = pe__mul(x, b) + y.lo; /* not fused: same bits on every machine */
        y = pe__dd_renormalize(y);
        largest = pe__min_vd(largest, -pe__abs(y.hi));
        pe__store(f + i, y.hi);
        pe__store(f + padded + i, y.lo);
    }
    pe__store(lanes, largest);
    for (size_t k = 0; k < PE_LANES; k++) fastest = pe__max_abs(fastest, lanes[k]);
    return fastest;
}

/* Writes the caller's frequencies omega, as sums of two doubles, to the first two arrays of the
   plan's memory f, and completes the plan. Sets plan->base to 0, which says that frequencies are
   given. omega may be f. */
static inline void pe__plan_fill_omega(pe_plan *made, const pe_config *config, const double *omega,
                                       double *f)
{
    const pe__td frequency_scale = pe__frequency_scale(config->scale, config->half_turns);
    double fastest = 0;
    made->base = 0;
    made->exact_frequencies = made->half_turns;
    for (size_t a = 0, n; a < (made->joint ? 1 : made->axes); a++, omega += n) {
        double *const first = f + made->axis[a].pair;
        n = made->joint ? made->pairs : made->axis[a].pairs;
        fastest =
            pe__max_abs(fastest, pe__scale_omega(omega, n, &frequency_scale, first, made->padded));
    }
    pe__plan_finish(made, pe__exp2i(-104), fastest, f);
}

/* For PE_COLUMNS_SUMS: fills f with the matrix of frequencies, one array for each coordinate, from
   omega[pairs][axes]. They are not scaled. plan->fastest bounds their scaled magnitudes. */
static inline void pe__plan_fill_matrix(pe_plan *made, const pe_config *config, const double *omega,
                                        double *f)
{
    const size_t each = made->axes;
    const double scale = pe__first_lane(pe__frequency_scale(config->scale, config->half_turns).a);
    made->base = 0;
    made->fastest = 0;
    for (size_t k = 0; k < each; k++) {
        for (size_t i = 0; i < made->pairs; i++) {
            f[k * made->padded + i] = omega[i * each + k];
            made->fastest = pe__max_abs(made->fastest, omega[i * each + k] * scale);
        }
        pe__plan_pad(made, f + k * made->padded);
    }
    made->fastest *= 1 + pe__exp2i(-50);
}

/* Builds a plan from the config or, if `given` is set, from the `pairs` frequencies omega. Returns
   PE_OK, or an error; the memory is then untouched, and *plan is all zeros. */
PE__OUTLINE pe_status pe__plan_build(pe_plan *plan, const pe_config *config, int given,
                                     const double *omega, size_t pairs, void *memory,
                                     size_t memory_size)
{
    pe_plan made;
    const pe_status status = pe__init_begin(plan, config, memory);
    if (status != PE_OK || (given && !omega)) return PE_ERR_NULL;
    const size_t size = pe__plan_bytes(config, &made);
    if (size == 0) return PE_ERR_CONFIG;
    const int sums = pe__has_columns(config, PE_COLUMNS_SUMS);
    if (!given && sums) return PE_ERR_SUMS;
    if (given && pairs != made.pairs) return PE_ERR_PAIRS;
    const size_t numbers = pairs * (sums ? made.axes : 1);
    if (given && !pe__frequencies_ok(omega, numbers, config->scale) &&
        pe_frequency_error(config, omega, numbers, NULL))
        return PE_ERR_FREQUENCY;
    if (memory_size < size) return PE_ERR_MEMORY;
    double *const f = pe__aligned(memory);
    pe__plan_begin(&made, config, f);
    if (config->coordinate) {
        uint8_t *const order = pe__order_memory(&made, config, f);
        memcpy(order + made.pairs, config->coordinate, made.pairs);
        pe__plan_sort_pairs(&made, order);
    }
    if (!given) pe__plan_fill_geometric(&made, config, f);
    else if (sums) pe__plan_fill_matrix(&made, config, omega, f);
    else pe__plan_fill_omega(&made, config, omega, f);
    *plan = made;
    return PE_OK;
}

PE_API pe_status pe_plan_init(pe_plan *plan, const pe_config *config, void *memory,
                              size_t memory_size)
{
    return pe__plan_build(plan, config, 0, NULL, 0, memory, memory_size);
}

PE_API pe_status pe_plan_init_frequencies(pe_plan *plan, const pe_config *config,
                                          const double *omega, size_t pairs, void *memory,
                                          size_t memory_size)
{
    return pe__plan_build(plan, config, 1, omega, pairs, memory, memory_size);
}
