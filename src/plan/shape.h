/* SPDX-License-Identifier: MIT */
/* Checks a config, and computes the axes, the number of arrays and the size of its plan, before the
 * plan is built. Tested by tests/unit/api/test_errors.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/options.h"
#include "../api/types.h"
#include "contract.h"
#include "../numbers/compare.h"
#include "../numbers/double_double.h"
#include "../numbers/exp_log.h"
#include "../frequencies/geometric.h"
#include "rotation.h"

/* If there are at least this many consecutive rows, the plan's table of rotation rows saves more
   time than it costs. Measured at d_model = 512: 35 rows with AVX-512, 38 with AVX2. One number
   serves all instruction sets, since every one makes the same plan. */
enum { PE__TABLE_MIN_ROWS = 36 };

/* Returns whether the config has several axes and lays out their columns as `columns`. */
PE__INLINE int pe__has_columns(const pe_config *config, pe_columns columns)
{
    return config->axes > 1 && config->columns == columns;
}

enum { PE__STATIONARY = 255 }; /* in a list of coordinates, it marks a pair that never rotates */

/* Returns how many arrays of plan->padded doubles a plan for `rows` expected rows has. `rows` is 0
   if the number is unknown, which is treated as many rows. */
PE__COLD size_t pe__array_count(const pe_config *config, size_t rows)
{
    if (pe__has_columns(config, PE_COLUMNS_SUMS)) return config->axes;
    if (config->angle == PE_ANGLE_FLOAT32) return 3;
    return rows == 0 || rows >= PE__TABLE_MIN_ROWS ? 2 + 2 * 2 * PE__BLOCK_HALF : 2;
}

/* Sets d[0] and d[1] so that their exact sum is the D of the exponent i / D, for an axis of the
   given width. With at most one pair, i is 0 and D does not matter, so it is set to 1. It is also 1
   with PE_EXPONENT_INDEX. */
static inline void pe__denominator(const pe_config *config, size_t width, size_t pairs, double *d)
{
    d[0] = 1;
    d[1] = 0;
    if (pairs <= 1) return;
    if (config->exponent == PE_EXPONENT_WIDTH) d[0] = (double)width / 2;
    if (config->exponent == PE_EXPONENT_PAIRS) {
        const pe__vd half = pe__splat((double)(width / 2));
        pe__vd low;
        d[0] = pe__first_lane(pe__two_sum(half, pe__splat(-config->exponent_shift), &low));
        d[1] = pe__first_lane(low);
    }
}

/* Returns an error text if D of an axis is not above 0, or if its first or last frequency is out of
   bounds. Otherwise returns NULL. The other frequencies are between these two. */
PE__INLINE const char *pe__frequency_error(const pe_config *config, const pe__axis *axis)
{
    const double little = 1e-9, s = fabs(config->scale);
    const double by_pi = config->half_turns ? 1.6514961294723187 : 0.0; /* log2(pi) */
    const double d = axis->denominator[0];
    if (!(d > 0)) return "exponent_shift must be less than half of each axis' width";
    const double steps = (double)(axis->pairs ? axis->pairs - 1 : 0) / d;
    int of_scale, of_base;
    (void)pe__frexp(s, &of_scale);
    (void)pe__frexp(config->base, &of_base);
    /* Here the exponents alone show that `first` and `last`, below, would be less than 21 in
       magnitude, so no logarithm is needed. */
    if (fabs((double)of_scale) + steps * (fabs((double)of_base) + 1) < 18) return NULL;
    const double first = pe__log2(s) + by_pi;
    const double last = first - steps * pe__log2(config->base);
    if (!pe__between(first, -960 - little, 21 + little) ||
        !pe__between(last, -960 - little, 21 + little))
        return "frequencies must be within 2^-960 ... 2^21: scale, half_turns or base are too "
               "large or too small for this width";
    return NULL;
}

/* Changes a plan of one axis to `axes` axes, for pairs that are sorted by coordinate. The axes
   share one layout. The first axis keeps all pairs, and the others have none. The padding grows by
   three vectors, because four vectors may be loaded that start at any pair. */
PE__INLINE void pe__plan_join_axes(pe_plan *plan, size_t axes)
{
    plan->axes = axes;
    plan->joint = 1;
    plan->padded += 3 * PE__MAX_LANES;
    for (size_t a = 1; a < axes; a++) plan->axis[a].pair = plan->padded;
}

/* Returns whether a list has the needed length. A length of 0 means unknown, and is accepted. Any
   other length needs a list that is not NULL. */
PE__INLINE int pe__list_ok(const void *list, size_t length, size_t needed)
{
    return length == 0 || (list && length == needed);
}

/* Returns whether all coordinates of a list are below `axes` or PE__STATIONARY. Returns 1 if the
   list is NULL, which means that there is none. */
PE__INLINE int pe__coordinates_ok(const uint8_t *coordinate, size_t pairs, size_t axes)
{
    int ok = 1;
    for (size_t i = 0; coordinate && i < pairs; i++)
        ok &= coordinate[i] < axes || coordinate[i] == PE__STATIONARY;
    return ok;
}

/* Sets the columns, pairs and denominators of a plan's axes, and the fields d_model, axes, pairs,
   padded, joint and step of the plan. Sets all other fields to zeros. Returns an error text if the
   axes are invalid, otherwise NULL. */
PE__INLINE const char *pe__plan_set_axes(pe_plan *plan, const pe_config *config)
{
    const size_t d = config->d_model, all = config->coordinate ? 1 : config->axes;
    const int sums = pe__has_columns(config, PE_COLUMNS_SUMS);
    const int halves = config->layout == PE_LAYOUT_HALVES, cos_first = config->cos_first != 0;
    const int steps = pe__has_columns(config, PE_COLUMNS_FREQUENCIES);
    const int joined = pe__has_columns(config, PE_COLUMNS_JOINED);
    size_t column = 0, pairs = 0, array = 0;
    memset(plan, 0, sizeof *plan); /* cppcheck-suppress memsetClassFloat ; 0 bits are 0.0 */
    plan->axes = all;
    plan->d_model = d;
    for (size_t a = 0; a < all; a++) {
        pe__axis *const axis = &plan->axis[a];
        size_t width = all == 1 || (sums && a == 0) ? d : sums ? 0 : config->axis[a].width;
        if (width == 0 && !sums) width = d / (2 * all) * 2;
        axis->coordinate = all == 1 || sums ? 0 : config->axis[a].coordinate;
        if (axis->coordinate >= config->axes)
            return "the coordinate of an axis must be less than axes";
        if (width > d - column) return "the widths of the axes must not sum to more than d_model";
        axis->zeros = config->odd == PE_ODD_ZERO ? width % 2 : 0;
        /* If columns is odd, there is one sine more or, with cos_first, one cosine more. */
        const size_t columns = width - axis->zeros;
        axis->zero = column + columns;
        axis->pairs = (columns + 1) / 2;
        axis->sines = (columns + !cos_first) / 2;
        axis->cosines = columns - axis->sines;
        if ((joined || steps) && width % 2)
            return "joined axes and those of PE_COLUMNS_FREQUENCIES must have even widths";
        if (steps && axis->pairs != plan->axis[0].pairs)
            return "the axes of PE_COLUMNS_FREQUENCIES must have equal widths";
        if (!joined) array = (array + 7) & ~(size_t)7;
        axis->pair = array;
        array += axis->pairs;
        pairs += axis->pairs;
        pe__denominator(config, width, axis->pairs, axis->denominator);
        const char *const error = pe__frequency_error(config, axis);
        if (error) return error;
        column += width;
    }
    plan->axis[all - 1].zeros += d - column;
    for (size_t a = 0; a < all; a++) { /* sets the columns of the first sine and first cosine */
        pe__axis *const axis = &plan->axis[a];
        const size_t own = axis->zero - axis->sines - axis->cosines;
        const size_t first = steps ? a : joined && halves ? axis->pair : own;
        const size_t gap = steps || joined ? pairs : axis->pairs; /* columns from half to half */
        const size_t second = first + (halves ? gap : steps ? all : 1);
        axis->sine = cos_first ? second : first;
        axis->cosine = cos_first ? first : second;
    }
    plan->pairs = pairs;
    plan->joint = joined || sums;
    if (steps) plan->step = halves ? all : 2 * all;
    plan->padded = (array + 2 * PE__MAX_LANES - 2) & ~(size_t)7;
    if (config->coordinate) pe__plan_join_axes(plan, config->axes);
    return NULL;
}

/* Returns an error text if the config is invalid. Otherwise sets the fields of *plan that
   pe__plan_set_axes() sets, and returns NULL. It is inlined into its two callers, so that a program
   that never asks for the texts does not contain them. */
PE__INLINE const char *pe__plan_error(const pe_config *config, pe_plan *plan)
{
    if (!config) return "config is NULL";
    const size_t maximum = PTRDIFF_MAX / sizeof(double) / pe__array_count(config, 0) / 2;
    const double steps = config->offset * 1048576.0; /* 2^20 */
    if (config->d_model < 1 || config->d_model >= maximum)
        return "d_model must be at least 1 (0: a preset that does not exist), and its plan must "
               "fit into the address space";
    if (config->multiple < 1) return "multiple must be at least 1: 1 allows any d_model";
    if (config->d_model % config->multiple != 0)
        return "d_model must be a multiple of config.multiple (of 2, 4 or 16 in some presets)";
    if (config->axes < 1 || config->axes > PE_MAX_AXES) return "axes must be 1 ... PE_MAX_AXES";
    if (config->axes > 1 && config->has_padding) return "has_padding needs axes = 1";
    if ((unsigned)config->layout > PE_LAYOUT_HALVES) return "layout must be one of PE_LAYOUT_...";
    if ((unsigned)config->exponent > PE_EXPONENT_INDEX)
        return "exponent must be one of PE_EXPONENT_...";
    if ((unsigned)config->odd > PE_ODD_ZERO) return "odd must be one of PE_ODD_...";
    if ((unsigned)config->angle > PE_ANGLE_FLOAT32) return "angle must be one of PE_ANGLE_...";
    if ((unsigned)config->columns > PE_COLUMNS_SUMS) return "columns must be one of PE_COLUMNS_...";
    if (pe__has_columns(config, PE_COLUMNS_SUMS) && config->angle != PE_ANGLE_EXACT)
        return "PE_COLUMNS_SUMS needs PE_ANGLE_EXACT";
    if (config->coordinate &&
        (config->columns != PE_COLUMNS_BLOCKS || config->d_model % 2 || config->has_padding))
        return "coordinate needs PE_COLUMNS_BLOCKS, an even d_model and no padding";
    if (!pe__list_ok(config->coordinate, config->coordinate_length, config->d_model / 2))
        return "coordinate has coordinate_length numbers and needs d_model / 2; with NULL the "
               "length must be 0";
    if (!pe__coordinates_ok(config->coordinate, config->d_model / 2, config->axes))
        return "coordinate must hold numbers below axes, or 255";
    if (!pe__between(config->base, pe__exp2i(-20), pe__exp2i(900)))
        return "base must be within 2^-20 ... 2^900";
    if (!pe__magnitude_between(config->amplitude, pe__exp2i(-1000), pe__exp2i(1000)))
        return "amplitude must be within 2^-1000 ... 2^1000 in magnitude";
    if (!pe__magnitude_between(config->scale, pe__exp2i(-900), pe__exp2i(21)))
        return "scale must be within 2^-900 ... 2^21 in magnitude";
    if (!pe__between(config->exponent_shift, -pe__exp2i(60), pe__exp2i(60)))
        return "exponent_shift must be within -2^60 ... 2^60";
    if (!pe__between(config->offset, -pe__exp2i(31), pe__exp2i(31)) ||
        steps != (double)(int64_t)steps)
        return "offset must be a multiple of 2^-20 within -2^31 ... 2^31";
    return pe__plan_set_axes(plan, config);
}

/* Returns the bytes of memory that a plan takes, with 63 bytes for the alignment. `listed` is 1 if
   the pairs will be sorted by coordinate, which takes two bytes per pair (plan->order). */
PE__INLINE size_t pe__plan_memory(const pe_plan *plan, const pe_config *config, int listed)
{
    const size_t arrays = pe__array_count(config, config->expected_rows);
    return plan->padded * arrays * sizeof(double) + (listed ? 2 * plan->pairs : 0) + 63;
}

/* Sets the fields of *plan that pe__plan_set_axes() sets, and returns the bytes of memory that the
   plan takes. Returns 0 if the config is NULL or invalid. */
PE__OUTLINE size_t pe__plan_bytes(const pe_config *config, pe_plan *plan)
{
    if (pe__plan_error(config, plan)) return 0;
    return pe__plan_memory(plan, config, config->coordinate != NULL);
}

PE_API size_t pe_plan_size(const pe_config *config)
{
    pe_plan plan;
    return pe__plan_bytes(config, &plan);
}

PE_API const char *pe_config_error(const pe_config *config)
{
    pe_plan plan;
    return pe__plan_error(config, &plan);
}
