/* SPDX-License-Identifier: MIT */
/* Brings arrays that other code has computed into one form, cosines and sines of pairs. Measures
 * what can be known without a config: amplitude, frequency, phase and noise of each pair. */
#ifndef TOOL_SAMPLES_H
#define TOOL_SAMPLES_H

#include "../files/npy.h"

#include <stdint.h>

/* Holds what was measured of a pair. With angle = frequency * position + phase, its cosine is
 * amplitude * cos(angle) and its sine is amplitude * sin(angle), except for the noise. For an array
 * of frequencies, only `frequency` is set, and the rest is 0. */
typedef struct track {
    double amplitude; /* the mean of sqrt(cosine^2 + sine^2) over all rows                     */
    double frequency; /* in radians per position; NaN if all rows have one position            */
    double phase;     /* the angle at position 0, in radians; 0 if `frequency` is NaN          */
    double noise;     /* the largest distance of a row's point (cosine, sine) from the formula */
} track;

/* Holds arrays of other code, and what is known about them. */
typedef struct samples {
    size_t rows;       /* the number of rows, each with the numbers of one position            */
    size_t pairs;      /* the number of pairs in a row                                         */
    double *cosines;   /* [rows][pairs]: the first number of each pair; allocated              */
    double *sines;     /* [rows][pairs]: the second number of each pair; allocated, or NULL    */
    double *positions; /* [rows] or, if `axis` is not NULL, [rows][axes]; allocated            */
    size_t axes;       /* the coordinates of a position; 1 if `axis` is NULL                   */
    uint8_t *axis;   /* [pairs]: the coordinate that rotates each; NULL: there is one; allocated */
    npy_type type;   /* narrowest_type() of the file or both files; of frequencies f32 or f64    */
    npy_type stored; /* the type in the files                                                    */
    int is_inv_freq; /* 1: `cosines` has frequencies, one row, and there are no sines            */
    int is_table;    /* 1: sines and cosines came in one array                                   */
    int is_complex;  /* 1: the one array had complex numbers                                     */
    int is_doubled;  /* 1: each cosine and each sine was there twice                             */
    /* This is 1 if the two numbers of a pair, or a number and its copy, were in consecutive
     * columns. */
    int are_neighbours;
    /* This is the smallest distance above 0 of the positions of two consecutive rows, or 0 if there
     * is none. If there are several coordinates, the one that rotates pair 0 counts or, if it is
     * the same in all rows, that of the first pair where it is not. */
    double step;
    track *tracks; /* [pairs]; allocated */
} samples;

/* Returns the position that rotates a pair in row r: one of its coordinates, if there are
 * several. */
static double position_of(const samples *s, size_t r, size_t pair)
{
    return s->axis ? s->positions[r * s->axes + s->axis[pair]] : s->positions[r];
}

static void free_samples(samples *s)
{
    free(s->axis);
    free(s->cosines);
    free(s->sines);
    free(s->positions);
    free(s->tracks);
    memset(s, 0, sizeof *s);
}

/* Returns x rounded to the nearest number of a type, ties to even. A result beyond the largest
 * float16 or bfloat16 stays as it is, and does not become infinite. */
static double rounded_to(double x, npy_type type)
{
    int exponent;
    if (type == NPY_F64 || type == NPY_INTEGER || x == 0 || !isfinite(x)) return x;
    if (type == NPY_F32) return (double)(float)x;
    frexp(x, &exponent);
    if (type == NPY_F16 && exponent < -13) exponent = -13; /* float16 is subnormal below 2^-14 */
    const int ulp_exponent = exponent - (type == NPY_F16 ? 11 : 8);
    return ldexp(nearbyint(ldexp(x, -ulp_exponent)), ulp_exponent);
}

/* Returns whether a type has all elements of an array exactly. *telling is increased by the number
 * of elements whose magnitude is neither 0 nor `largest`. */
static int has_exactly(npy_type type, const npy *a, double largest, size_t *telling)
{
    const size_t count = a->rows * a->columns;
    for (size_t i = 0; i < count; i++) {
        if (rounded_to(a->of[i], type) != a->of[i]) return 0;
        *telling += a->of[i] != 0 && fabs(a->of[i]) != largest;
    }
    return 1;
}

/* Returns the narrowest type that has all elements of the arrays a and b exactly: bf16, f16 or f32.
 * If none of them is narrower and has the elements, returns the type in the files. If there is one
 * array only, b has 0 rows. For a narrower type, at least four elements must have a magnitude that
 * is neither 0 nor the largest one. A row of position 0 has no such elements, and says nothing
 * about the type. */
static npy_type narrowest_type(const npy *a, const npy *b)
{
    static const npy_type narrow[] = {NPY_BF16, NPY_F16, NPY_F32};
    const npy *const both[] = {a, b};
    double largest = 0;
    if (a->type == NPY_BF16 || a->type == NPY_F16) return a->type;
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < both[k]->rows * both[k]->columns; i++)
            largest = fmax(largest, fabs(both[k]->of[i]));
    for (size_t t = 0; t < TOOL_COUNT(narrow) && narrow[t] != a->type; t++) {
        size_t telling = 0;
        if (has_exactly(narrow[t], a, largest, &telling) &&
            has_exactly(narrow[t], b, largest, &telling) && telling >= 4)
            return narrow[t];
    }
    return a->type;
}

/* Returns the largest relative error of rounding to a type: half a unit in the last place. */
static double half_unit(npy_type type)
{
    return type == NPY_BF16  ? 0x1p-8
           : type == NPY_F16 ? 0x1p-11
           : type == NPY_F32 ? 0x1p-24
                             : 0x1p-53;
}

/* Returns the angle in -pi ... pi that differs from `angle` by a multiple of 2 pi. */
static double wrapped(double angle) { return remainder(angle, 2 * 3.14159265358979323846); }

/* Lists two orders in which an array may have each number twice. As halves, the second half of a
 * row repeats the first. Side by side, columns 2i and 2i + 1 are equal. An array of few rows may
 * fit both. */
enum { TWICE_AS_HALVES = 1, TWICE_SIDE_BY_SIDE = 2 };

/* Returns the set of the orders above that fit all rows of an array, or 0. */
static int doubling_of(const npy *a)
{
    const size_t half = a->columns / 2;
    int as_halves = a->columns % 2 == 0 && half > 0, side_by_side = as_halves;
    for (size_t r = 0; r < a->rows && (as_halves || side_by_side); r++) {
        const double *const row = a->of + r * a->columns;
        for (size_t i = 0; i < half; i++) {
            as_halves = as_halves && row[i] == row[i + half];
            side_by_side = side_by_side && row[2 * i] == row[2 * i + 1];
        }
    }
    return (as_halves ? TWICE_AS_HALVES : 0) | (side_by_side ? TWICE_SIDE_BY_SIDE : 0);
}

/* Returns allocated memory for `count` doubles, or NULL if memory runs out. With count = 0, it has
 * room for one, because malloc(0) may return NULL. */
static double *new_numbers(size_t count)
{
    return (double *)malloc((count ? count : 1) * sizeof(double));
}

/* Takes cosines and sines from two arrays. If an array has each number twice, one of them is
 * taken. `pairs` is the number of pairs that the config expects, or 0. Arrays with as many columns
 * are never taken for doubled ones, although they look like that at position 0, where all cosines
 * are equal and all sines too. If both orders of doubled numbers fit, is_beside_expected chooses:
 * 1 means side by side. Returns NULL on success, otherwise an error message. */
static const char *take_two(const npy *cosines, const npy *sines, size_t pairs,
                            int is_beside_expected, samples *to)
{
    if (cosines->rows != sines->rows || cosines->columns != sines->columns)
        return "cosines and sines differ in shape";
    if (cosines->is_complex || sines->is_complex) return "complex numbers are for --table";
    const int twice = doubling_of(cosines) & doubling_of(sines);
    const int is_doubled = twice && cosines->columns != pairs;
    const int is_beside = twice == (TWICE_AS_HALVES | TWICE_SIDE_BY_SIDE)
                              ? is_beside_expected
                              : twice == TWICE_SIDE_BY_SIDE;
    to->rows = cosines->rows;
    to->pairs = is_doubled ? cosines->columns / 2 : cosines->columns;
    to->is_doubled = is_doubled;
    to->are_neighbours = is_doubled && is_beside;
    to->cosines = new_numbers(to->rows * to->pairs);
    to->sines = new_numbers(to->rows * to->pairs);
    if (!to->cosines || !to->sines) return "no memory";
    for (size_t r = 0; r < to->rows; r++)
        for (size_t i = 0; i < to->pairs; i++) {
            const size_t from = r * cosines->columns + (to->are_neighbours ? 2 * i : i);
            to->cosines[r * to->pairs + i] = cosines->of[from];
            to->sines[r * to->pairs + i] = sines->of[from];
        }
    return NULL;
}

/* Returns how much cosine^2 + sine^2 varies if the first number of pair i is in column i * step,
 * and the second number is `apart` columns further right. If this is the right order of columns,
 * it varies little. The result is the difference of the maximum and the minimum over all rows:
 * that of the pair where it is largest or, with across_pairs, that over all pairs together. */
static double unsteadiness(const npy *a, size_t step, size_t apart, int across_pairs)
{
    double worst = 0, minimum = HUGE_VAL, maximum = 0;
    for (size_t i = 0; i < a->columns / 2; i++) {
        if (!across_pairs) minimum = HUGE_VAL, maximum = 0;
        for (size_t r = 0; r < a->rows; r++) {
            const double *const sample = a->of + r * a->columns + i * step;
            const double size = sample[0] * sample[0] + sample[apart] * sample[apart];
            if (size == 0 && r == 0) continue; /* row 0 may be padding, which is all 0 */
            minimum = fmin(minimum, size);
            maximum = fmax(maximum, size);
        }
        worst = fmax(worst, maximum - minimum);
    }
    return worst;
}

/* Returns whether the two numbers of a pair are in consecutive columns, and not in halves. The
 * right order is the one in which cosine^2 + sine^2 of each pair varies less. If it varies equally
 * in both, as with rows of one position only, all pairs should have the same amplitude, so the
 * variation over all pairs decides. If that is also equal, returns is_expected. */
static int is_side_by_side(const npy *a, int is_expected)
{
    for (int across_pairs = 0; across_pairs <= 1; across_pairs++) {
        const double beside = unsteadiness(a, 2, 1, across_pairs);
        const double halves = unsteadiness(a, 1, a->columns / 2, across_pairs);
        if (beside != halves) return beside < halves;
    }
    return is_expected;
}

/* Takes cosines and sines from one array, which has the numbers of a pair side by side or in
 * halves, and each number once or twice. `pairs` and is_beside_expected are those of take_two().
 * Returns NULL on success, otherwise an error message. */
static const char *take_one(const npy *a, size_t pairs, int is_beside_expected, samples *to)
{
    if (a->columns % 2) return "an even number of columns is wanted";
    const size_t half = a->columns / 2;
    const int is_interleaved = a->is_complex || is_side_by_side(a, is_beside_expected);
    npy parts[2];
    for (int k = 0; k < 2; k++) {
        parts[k] = *a;
        parts[k].columns = half;
        parts[k].is_complex = 0;
        parts[k].of = new_numbers(a->rows * half);
        for (size_t r = 0; parts[k].of && r < a->rows; r++)
            for (size_t i = 0; i < half; i++)
                parts[k].of[r * half + i] =
                    a->of[r * a->columns +
                          (is_interleaved ? 2 * i + (size_t)k : i + (size_t)k * half)];
    }
    const char *error = "no memory";
    if (parts[0].of && parts[1].of)
        error = take_two(&parts[0], &parts[1], pairs, is_beside_expected, to);
    free(parts[0].of);
    free(parts[1].of);
    to->is_table = 1;
    to->is_complex = a->is_complex;
    if (!to->is_doubled) to->are_neighbours = is_interleaved;
    return error;
}

/* Finds the two consecutive rows whose positions differ least but are not equal. If a
 * position has several coordinates, the one that rotates this pair counts. Returns 0 if there are
 * no such rows. */
static int nearest_rows(const samples *s, size_t pair, size_t *first, size_t *second)
{
    double minimum = HUGE_VAL;
    for (size_t r = 0; r + 1 < s->rows; r++) {
        const double step = fabs(position_of(s, r + 1, pair) - position_of(s, r, pair));
        if (step > 0 && step < minimum) minimum = step, *first = r, *second = r + 1;
    }
    return minimum < HUGE_VAL;
}

/* Returns the angle of pair i in row r, which is known except for a multiple of 2 pi. */
static double phase_at(const samples *s, size_t r, size_t i)
{
    return atan2(s->sines[r * s->pairs + i], s->cosines[r * s->pairs + i]);
}

/* Returns the frequency of pair i: the slope of its angle. The rows `first` and `second`, at a
 * small distance, give a first slope. It predicts the angle of a row at 2 to 16 times the distance
 * closely enough to know the multiple of 2 pi. This row gives a better slope, which predicts the
 * angle of a still more distant row, and so on. The result may be wrong by a multiple of 2 pi /
 * step, where step is the distance of the first two rows. */
static double slope_of(const samples *s, size_t i, size_t first, size_t second)
{
    const double from = position_of(s, first, i), apart = position_of(s, second, i) - from;
    double slope = 0, reach = fabs(apart), next = 2 * reach;
    slope = wrapped(phase_at(s, second, i) - phase_at(s, first, i)) / apart;
    for (size_t r = second + 1; r < s->rows; r++) {
        const double distance = position_of(s, r, i) - from;
        if (fabs(distance) < next) continue;
        if (fabs(distance) > 16 * reach) break;
        slope += wrapped(phase_at(s, r, i) - phase_at(s, first, i) - slope * distance) / distance;
        reach = fabs(distance), next = 2 * reach;
    }
    return slope;
}

/* Computes s->tracks and s->step. Returns 0 without memory. */
static int measure(samples *s)
{
    size_t first = 0, second = 0;
    s->tracks = (track *)calloc(s->pairs, sizeof *s->tracks);
    if (!s->tracks) return 0;
    int has_slope = !s->is_inv_freq && nearest_rows(s, 0, &first, &second);
    s->step = has_slope ? fabs(position_of(s, second, 0) - position_of(s, first, 0)) : 0;
    for (size_t i = 0; i < s->pairs; i++) {
        track *const t = &s->tracks[i];
        if (s->axis) has_slope = nearest_rows(s, i, &first, &second);
        if (s->axis && has_slope && s->step == 0)
            s->step = fabs(position_of(s, second, i) - position_of(s, first, i));
        if (s->is_inv_freq) {
            t->frequency = s->cosines[i];
            continue;
        }
        for (size_t r = 0; r < s->rows; r++)
            t->amplitude += hypot(s->cosines[r * s->pairs + i], s->sines[r * s->pairs + i]);
        t->amplitude /= (double)s->rows;
        t->frequency = has_slope ? slope_of(s, i, first, second) : (double)NAN;
        if (!has_slope) continue;
        t->phase = wrapped(phase_at(s, first, i) - t->frequency * position_of(s, first, i));
        for (size_t r = 0; r < s->rows; r++) {
            const double angle = t->frequency * position_of(s, r, i) + t->phase;
            t->noise =
                fmax(t->noise, hypot(s->cosines[r * s->pairs + i] - t->amplitude * cos(angle),
                                     s->sines[r * s->pairs + i] - t->amplitude * sin(angle)));
        }
    }
    return 1;
}

#endif
