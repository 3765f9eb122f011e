/* SPDX-License-Identifier: MIT */
/*
 * This header makes places from the bytes of an input. A place is a pe_at of any kind, valid or
 * not. With it come the positions that it means, which are computed here without pe, and the errors
 * that a call has to report. Lists are blocks of exactly the elements that a call may read.
 */
#ifndef PE_FUZZ_PLACE_H
#define PE_FUZZ_PLACE_H

#include "fuzz.h"

enum { FUZZ_ROWS = 64 };

typedef struct fuzz_place {
    pe_at at;
    uint64_t may; /* the errors, as FUZZ_BIT()s, for the rows and the plan that it was made for */
    int too_long; /* 1: a valid place whose list has no room here; harnesses skip such an input */
    int back, delta; /* 1 if pe_back() negates the positions; 1 after pe_delta() */
    int is_range; /* 1: a range, which needs no memory, so that it may have any number of rows  */
    int is_whole; /* 1: a range, or a list or points whose type is i32 or i64                   */
    size_t cells; /* the cells of a grid of one coordinate, all of which calls check; else 0    */
    size_t axes, rows; /* coordinates of a row; rows in position[], at most FUZZ_ROWS */
    double position[FUZZ_ROWS][PE_MAX_AXES]; /* before pe_back() and without the plan's offset */
} fuzz_place;

/* What the harness makes wrong in a place. Some kinds of places cannot have a flaw and stay valid.
   Harnesses count up from FUZZ_FAR, so the order of the flaws matters to kept inputs. */
typedef enum fuzz_flaw {
    FUZZ_GOOD,
    FUZZ_FAR,     /* a position is out of range, or not finite         */
    FUZZ_NULL,    /* the list is NULL                                  */
    FUZZ_AXES,    /* its number of coordinates is mostly not the plan's */
    FUZZ_STRIDES, /* strides of points, or sizes of a grid, overflow   */
    FUZZ_SKIP,    /* pe_skip() skips more than there is                */
    FUZZ_GARBAGE, /* no function of pe made the pe_at                  */
    FUZZ_FLAWS
} fuzz_flaw;

static inline int fuzz_real_ok(double p) { return p >= -0x1p31 && p <= 0x1p31; }

/* Returns coordinate `axis` of row r, by which the plan multiplies its frequencies: the position
   plus the plan's offset, except after pe_delta(), and negated after pe_back(). A place with one
   coordinate gives it to each axis. */
static inline double fuzz_turn(const fuzz_place *p, size_t r, size_t axis, double offset)
{
    const double at = p->position[r][p->axes == 1 ? 0 : axis], t = p->delta ? at : at + offset;
    return p->back ? -t : t;
}

/* Adds PE_ERR_RANGE to p->may if position `at` is out of range, without or with the offset. */
static inline void fuzz_judge(fuzz_place *p, double at, double offset)
{
    if (!fuzz_real_ok(at) || !fuzz_real_ok(at + (p->delta ? 0 : offset)))
        p->may |= FUZZ_BIT(PE_ERR_RANGE);
}

/* Makes a range first, first + step ... of `rows` rows, at least one. The step is 1 if kind is 0.
   If the numbers allow it, the range begins `skip` rows earlier, which pe_skip() leaves out. */
static inline void fuzz_place_range(fuzz_input *in, fuzz_place *p, unsigned kind, size_t rows,
                                    size_t skip, double offset, fuzz_flaw flaw)
{
    static const int64_t steps[] = {-1,        -1,        0,
                                    2,         -2,        17,
                                    -289,      1048576,   INT64_C(1) << 31,
                                    INT64_MAX, INT64_MIN, -(INT64_C(1) << 32)};
    const int64_t first = flaw == FUZZ_FAR ? fuzz_far(in) : fuzz_position(in);
    const unsigned b = kind ? fuzz_byte(in) : 0;
    const int64_t step = !kind ? 1 : steps[b < 224 ? b % 7 : 7 + b % 5], most = INT64_C(1) << 32;
    const int small = step > -most && step < most && first > -4 * most && first < 4 * most;
    p->is_range = p->is_whole = 1, p->axes = 1;
    if (flaw == FUZZ_SKIP) {
        p->at = pe_skip(pe_from_by(first, step), ((size_t)1 << 40) + fuzz_byte(in));
        if (step != 0) p->may |= FUZZ_BIT(PE_ERR_RANGE);
        else fuzz_judge(p, (double)first, offset);
    } else if (small && skip) {
        p->at = pe_skip(pe_from_by(first - step * (int64_t)skip, step), skip);
        fuzz_judge(p, (double)first, offset);
    } else {
        p->at = pe_from_by(first, step);
        fuzz_judge(p, (double)first, offset);
    }
    if (p->may) return;
    const uint64_t size = step < 0 ? (uint64_t)0 - (uint64_t)step : (uint64_t)step;
    if (size && (uint64_t)rows - 1 > (uint64_t)most / size) {
        p->may |= FUZZ_BIT(PE_ERR_RANGE);
        return;
    }
    if (size) fuzz_judge(p, (double)(first + step * (int64_t)(rows - 1)), offset);
    p->rows = rows < FUZZ_ROWS ? rows : FUZZ_ROWS;
    for (size_t r = 0; r < p->rows && !p->may; r++)
        p->position[r][0] = (double)(first + (size ? step * (int64_t)r : 0));
}

static inline void fuzz_place_grid(fuzz_input *in, fuzz_place *p, size_t rows, size_t skip,
                                   size_t axes, double offset, fuzz_flaw flaw)
{
    size_t sizes[PE_MAX_AXES], cells = 1;
    const size_t extra = fuzz_byte(in);
    p->axes = axes;
    for (size_t a = axes; a-- > 1; cells *= sizes[a])
        sizes[a] = 1 + fuzz_byte(in) % (axes > 2 ? 3 : 6);
    sizes[0] = (rows > FUZZ_ROWS ? 1 : (rows + skip + cells - 1) / cells) + extra % 3;
    if (flaw == FUZZ_STRIDES) sizes[extra % axes] = fuzz_huge(in);
    if (flaw == FUZZ_SKIP) sizes[0] = extra & 1 ? 0 : sizes[0] / 2;
    size_t *const given = (size_t *)fuzz_take(axes * sizeof *given, extra >= 128);
    memcpy(given, sizes, axes * sizeof *given);
    p->at = pe_skip(pe_grid(given, axes), skip);
    memset(given, FUZZ_CANARY, axes * sizeof *given); /* pe_grid() must have copied the sizes */
    int none = 0;
    cells = 1;
    for (size_t a = 0; a < axes; a++) none |= sizes[a] == 0;
    for (size_t a = 0; a < axes; a++) cells = none ? 0 : fuzz_mul_add(cells, sizes[a], 0);
    if (axes == 1) p->cells = cells;
    if (cells == SIZE_MAX) p->may |= FUZZ_BIT(PE_ERR_AT_SIZE);
    if (skip > cells || rows > cells - skip) p->may |= FUZZ_BIT(PE_ERR_AT_ROWS);
    for (size_t a = 0; a < axes && !none; a++) {
        fuzz_judge(p, 0, offset);
        fuzz_judge(p, (double)(sizes[a] - 1), offset);
    }
    if (p->may) return;
    p->rows = rows < FUZZ_ROWS ? rows : FUZZ_ROWS;
    for (size_t r = 0; r < p->rows; r++)
        for (size_t a = axes, rest = skip + r; a-- > 0; rest /= sizes[a])
            p->position[r][a] = (double)(rest % sizes[a]);
}

/* Makes a list, or points if `points` is set. The types 0, 1, 2, 3 are i32, i64, f32, f64. */
static inline void fuzz_place_list(fuzz_input *in, fuzz_place *p, unsigned type, int points,
                                   size_t rows, size_t skip, size_t axes, double offset,
                                   fuzz_flaw flaw, int whole)
{
    const size_t element = type % 2 ? 8 : 4; /* i32, i64, f32, f64 */
    const unsigned b = fuzz_byte(in), seed = fuzz_byte(in);
    size_t row = 1, axis = 1;
    p->axes = axes, p->is_whole = type < 2;
    if (points) {
        const size_t rows_of[] = {axes, 1, axes + 1, 0, 3, 7, axes, 2};
        const size_t axes_of[] = {1, rows < FUZZ_ROWS ? rows + skip : 1, 2, 1, 0, 3, 1, 9};
        row = rows_of[b % 8], axis = axes_of[b / 8 % 8];
        if (flaw == FUZZ_STRIDES && (seed & 3)) row = fuzz_huge(in);
        if (flaw == FUZZ_STRIDES && (seed & 3) != 1) axis = fuzz_huge(in);
    }
    if (flaw == FUZZ_SKIP) skip = row ? SIZE_MAX - fuzz_byte(in) % 4 : 0;
    const size_t last = fuzz_mul_add(skip, 1, rows - 1), span = fuzz_mul_add(axis, axes - 1, 0);
    const size_t most = (size_t)PTRDIFF_MAX / element - 1;
    if (last == SIZE_MAX || fuzz_mul_add(last, row, span) > most || span > most)
        p->may |= FUZZ_BIT(PE_ERR_AT_SIZE);
    if (flaw == FUZZ_NULL) p->may |= FUZZ_BIT(PE_ERR_AT_NULL);
    const size_t n = fuzz_mul_add(last, row, span);
    if (!p->may && (rows > FUZZ_ROWS || n >= FUZZ_PLACE / 8)) {
        p->too_long = 1;
        return;
    }
    const size_t count = p->may ? 4 : n + 1;
    unsigned char *const list = (unsigned char *)fuzz_take(count * element, (seed & 4) != 0);
    double before = 0;
    for (size_t i = 0; i < count; i++) {
        const int is_far = flaw == FUZZ_FAR && i >= n - (n < seed / 8u ? n : seed / 8u);
        double real = (seed & 2) && i                   ? before + (seed & 128 ? -1 : 1)
                      : type < 2 || whole || (seed & 3) ? (double)fuzz_position(in)
                                                        : fuzz_real(in);
        if (!fuzz_real_ok(real)) real = 0;
        before = real;
        if (is_far && type >= 2) real = fuzz_real_far(in);
        int64_t i64 = is_far && type == 1 ? fuzz_far(in) : (int64_t)(type < 2 ? real : 0);
        int32_t i32 = i64 > INT32_MAX ? INT32_MAX : (int32_t)i64;
        float f32 = (float)(type == 2 ? real : 0);
        const void *const from = type == 0   ? (const void *)&i32
                                 : type == 1 ? (const void *)&i64
                                 : type == 2 ? (const void *)&f32
                                             : (const void *)&real;
        memcpy(list + i * element, from, element);
    }
    const void *const at = flaw == FUZZ_NULL ? NULL : list;
    if (!points)
        p->at = type == 0   ? pe_at_i32((const int32_t *)at)
                : type == 1 ? pe_at_i64((const int64_t *)at)
                : type == 2 ? pe_at_f32((const float *)at)
                            : pe_at_f64((const double *)at);
    else
        p->at = type == 0   ? pe_coords_i32((const int32_t *)at, axes, row, axis)
                : type == 1 ? pe_coords_i64((const int64_t *)at, axes, row, axis)
                : type == 2 ? pe_coords_f32((const float *)at, axes, row, axis)
                            : pe_coords_f64((const double *)at, axes, row, axis);
    p->at = skip > 1 && skip < SIZE_MAX / 2 ? pe_skip(pe_skip(p->at, 1), skip - 1)
                                            : pe_skip(p->at, skip);
    if (p->may) return;
    p->rows = rows;
    for (size_t r = 0; r < rows; r++)
        for (size_t a = 0; a < axes; a++) {
            const unsigned char *const e = list + ((skip + r) * row + a * axis) * element;
            int32_t i32;
            int64_t i64;
            float f32;
            double f64;
            if (type == 0) memcpy(&i32, e, 4), f64 = (double)i32;
            else if (type == 1) memcpy(&i64, e, 8), f64 = (double)i64;
            else if (type == 2) memcpy(&f32, e, 4), f64 = (double)f32;
            else memcpy(&f64, e, 8);
            p->position[r][a] = f64;
            fuzz_judge(p, f64, offset);
        }
}

/* Makes a place for `rows` rows and for a plan with these axes and this offset. With `whole`, its
   positions are integers. The place takes at most one block of memory. */
static inline void fuzz_place_make(fuzz_input *in, fuzz_place *p, size_t rows, size_t plan_axes,
                                   double offset, fuzz_flaw flaw, int whole)
{
    const unsigned kind = fuzz_byte(in), how = fuzz_byte(in);
    const size_t skip = how >> 4 & 1 ? how >> 5 : 0;
    size_t axes = plan_axes;
    p->may = 0, p->too_long = p->is_range = p->is_whole = 0, p->rows = p->cells = 0;
    p->axes = 1;
    p->back = how % 4 == 1, p->delta = how / 4 % 4 == 1;
    if (rows == 0) rows = 1;
    if (flaw == FUZZ_AXES) {
        const unsigned b = fuzz_byte(in);
        axes = b < 64 ? 0 : b < 192 ? 1 + b % 10 : fuzz_huge(in);
        if (axes < 1 || axes > PE_MAX_AXES || (axes != 1 && axes != plan_axes)) {
            static const double points[2] = {0, 1};
            static const size_t sizes[PE_MAX_AXES + 1] = {9, 9, 9, 9, 9, 9, 9, 9, 9};
            p->at = kind & 1 ? pe_coords_f64(points, axes, 0, 1) : pe_grid(sizes, axes);
            p->may |= FUZZ_BIT(PE_ERR_AT_AXES);
        }
    }
    if (flaw == FUZZ_GARBAGE) {
        memset(&p->at, (int)(how * 37 & 255), sizeof p->at);
        p->at.kind = how < 128 ? 0 : -1 - (int)how;
        p->may |= FUZZ_BIT(PE_ERR_AT) | FUZZ_BIT(PE_ERR_AT_KIND);
    }
    if (p->may == 0) switch (kind % 8) {
        case 0:
        case 1: fuzz_place_range(in, p, kind % 8, rows, skip, offset, flaw); break;
        case 2: fuzz_place_grid(in, p, rows, skip, axes, offset, flaw); break;
        case 3:
            fuzz_place_list(in, p, kind / 8 % 4, 1, rows, skip, axes, offset, flaw, whole);
            break;
        default: fuzz_place_list(in, p, kind % 4, axes > 1, rows, skip, axes, offset, flaw, whole);
        }
    if (p->too_long) return;
    if (p->back) p->at = how & 128 ? pe_back(pe_back(pe_back(p->at))) : pe_back(p->at);
    if (p->delta) p->at = pe_delta(p->at);
}

#endif /* PE_FUZZ_PLACE_H */
