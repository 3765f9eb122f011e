/* SPDX-License-Identifier: MIT */
/* Which mistake explains an array: each combination of at most two differences is computed, and
 * counts if all elements agree with it. */
#ifndef TOOL_EXPLAIN_H
#define TOOL_EXPLAIN_H

#include "spectra.h"

/* How angles were computed. The first three are no mistakes. */
typedef enum arithmetic {
    ARITHMETIC_DOUBLE = 0,
    ARITHMETIC_FLOAT32,
    ARITHMETIC_CHAIN,
    ARITHMETIC_INV_FREQ_BF16,
    ARITHMETIC_INV_FREQ_F16,
    ARITHMETIC_POSITIONS_BF16,
    ARITHMETIC_POSITIONS_F16,
    ARITHMETIC_BOTH_BF16,
    ARITHMETIC_BOTH_F16,
    ARITHMETIC_COUNT
} arithmetic;

static const char *const arithmetic_names[] = {"double_angles", "float32_angles", "ggml_chain",
                                               "inv_freq_bf16", "inv_freq_f16",   "positions_bf16",
                                               "positions_f16", "inv_freq_bf16",  "inv_freq_f16"};
TOOL_HAS_ALL(arithmetic_names, ARITHMETIC_COUNT);

typedef struct explanation {
    unsigned differs;
    const spectrum *of;
    double factor, offset;
    int is_swapped, is_negative;
    arithmetic how;
    int is_exact;     /* 1: each element is the exact number, rounded once         */
    int is_how_known; /* 0: other arithmetics have these numbers, too              */
} explanation;

enum { MOST_EXPLANATIONS = 64 };

/* Explanations with the fewest differences, and where the nearest other one fails. */
typedef struct findings {
    size_t count;
    explanation of[MOST_EXPLANATIONS];
    int fewest;          /* differences of these                                      */
    size_t best_matched; /* elements of the best that failed, and its first that does */
    explanation best;
    size_t row, pair;
    double base; /* the config's */
    int has_config;
} findings;

static int count_differences(unsigned differs)
{
    int count = 0;
    for (; differs; differs &= differs - 1) count++;
    return count;
}

/* The cosine and sine that an explanation has for a pair's angle. */
static int agrees(const samples *s, const explanation *e, size_t at, double angle, double slack)
{
    const double type = half_unit(s->type) * 1.0001 + (s->type == NPY_F64 ? 0x1p-51 : 0x1p-22);
    const double floor =
        e->factor * (s->type == NPY_F64 ? 0x1p-52 : 0x1p-27) + (s->type == NPY_F16 ? 0x1p-25 : 0);
    const double c = e->factor * cos(angle), n = e->factor * sin(angle);
    const double sine = e->is_negative ? -n : n;
    const double *const cosines = e->is_swapped ? s->sines : s->cosines;
    const double *const sines = e->is_swapped ? s->cosines : s->sines;
    return fabs(cosines[at] - c) <= type * fabs(c) + floor + slack * e->factor &&
           fabs(sines[at] - sine) <= type * fabs(sine) + floor + slack * e->factor;
}

/* Frequencies in float32 differ between libraries, by the order of their operations: by this many units
 * in the last place at most. ROUNDED_ONCE is an angle in double that is rounded to float32. */
enum { MOST_NUDGES = 12, ROUNDED_ONCE = 2 * MOST_NUDGES + 1 };

/* 0, 1, -1, 2, -2 ... */
static int nudge_by(int k) { return k % 2 ? (k + 1) / 2 : -k / 2; }

/* The angle of a position and a frequency, which is moved by the k-th nudge. */
static double angle_by(arithmetic how, double w, double position, int k)
{
    static const struct {
        npy_type frequency, position;
    } types[] = {{NPY_F64, NPY_F64},  {NPY_F32, NPY_F32},   {NPY_F32, NPY_F32},
                 {NPY_BF16, NPY_F32}, {NPY_F16, NPY_F32},   {NPY_F32, NPY_BF16},
                 {NPY_F32, NPY_F16},  {NPY_BF16, NPY_BF16}, {NPY_F16, NPY_F16}};
    TOOL_HAS_ALL(types, ARITHMETIC_COUNT);
    if (how == ARITHMETIC_DOUBLE) return w * position;
    if (k == ROUNDED_ONCE) return (double)(float)(w * position);
    float frequency = (float)w;
    for (int n = abs(nudge_by(k)); n > 0; n--)
        frequency = nextafterf(frequency, nudge_by(k) > 0 ? HUGE_VALF : 0.0f);
    frequency = (float)rounded_to((double)frequency, types[how].frequency);
    const float p = (float)rounded_to(position, types[how].position), angle = p * frequency;
    return (double)angle;
}

static int is_row_right(const samples *s, const explanation *e, size_t r, size_t i, int k)
{
    const double w = e->of->omega[i], position = s->positions[r] + e->offset;
    const double slack = e->how == ARITHMETIC_DOUBLE ? fabs(w * position) * 0x1p-50 : 0;
    return agrees(s, e, r * s->pairs + i, angle_by(e->how, w, position, k), slack);
}

/* Rows of a pair that agree, from the first on. A nudge that fails in one of eight rows is not
 * looked at any further: an array of 131,072 rows of another scaling takes 5 s then, 25 s without. */
static size_t rows_that_agree(const samples *s, const explanation *e, size_t i, int k)
{
    size_t r = 0;
    for (size_t n = 1; k > 0 && n <= 8; n++)
        if (!is_row_right(s, e, (s->rows - 1) * n / 8, i, k)) return 0;
    while (r < s->rows && is_row_right(s, e, r, i, k)) r++;
    return r;
}

/* Rows of ggml's chain that agree, which multiplies the angle from pair to pair. What scaling does to
 * an angle is a factor; but for that of linear scaling it is known up to 2^-22. */
static size_t rows_of_chain(const samples *s, const explanation *e, int k)
{
    const spectrum *const of = e->of;
    float step = powf((float)of->chain_base, -2.0f / (float)of->chain_width);
    size_t r = 0;
    for (int n = abs(nudge_by(k)); n > 0; n--)
        step = nextafterf(step, nudge_by(k) > 0 ? HUGE_VALF : 0.0f);
    for (; r < s->rows; r++) {
        float theta = (float)(s->positions[r] + e->offset);
        for (size_t i = 0; i < s->pairs; i++, theta *= step) {
            const double plain = pow(of->chain_base, -2 * (double)i / of->chain_width);
            const float angle = theta * (float)(of->omega[i] / plain);
            const double slack = of->is_chain_exact ? 0 : fabs((double)angle) * 0x1p-22;
            if (!agrees(s, e, r * s->pairs + i, (double)angle, slack)) return r;
        }
    }
    return r;
}

/* The same of an array of frequencies. */
static int is_frequency(const samples *s, const explanation *e, size_t i)
{
    const double w = e->of->omega[i], x = e->is_negative ? -s->cosines[i] : s->cosines[i];
    double slack = s->type == NPY_F64 ? 0x1p-50 : 0x1p-24 * MOST_NUDGES;
    if (e->how == ARITHMETIC_INV_FREQ_BF16) slack = half_unit(NPY_BF16) * 1.0001;
    if (e->how == ARITHMETIC_INV_FREQ_F16) slack = half_unit(NPY_F16) * 1.0001;
    return fabs(x - w) <=
           w * (slack + half_unit(s->type)) + (e->how == ARITHMETIC_INV_FREQ_F16 ? 0x1p-25 : 0);
}

/* Pairs that agree, from the first on, and in *row the rows of the one that does not. */
static size_t pairs_that_agree(const samples *s, const explanation *e, size_t *row)
{
    const int tries = e->how == ARITHMETIC_DOUBLE ? 1 : 2 * MOST_NUDGES + 1;
    size_t i = 0;
    *row = 0;
    if (e->how == ARITHMETIC_CHAIN) {
        for (int k = 0; k < 9 && *row < s->rows; k++) {
            const size_t r = rows_of_chain(s, e, k);
            if (r > *row) *row = r;
        }
        return *row == s->rows ? s->pairs : 0;
    }
    for (; i < s->pairs; i++) {
        size_t best = s->is_inv_freq ? (size_t)is_frequency(s, e, i) : 0;
        for (int k = 0; k < tries && best < s->rows && !s->is_inv_freq; k++) {
            const size_t r = rows_that_agree(s, e, i, k);
            if (r > best) best = r;
        }
        if (best < s->rows && e->how == ARITHMETIC_FLOAT32 && !s->is_inv_freq)
            best = rows_that_agree(s, e, i, ROUNDED_ONCE) == s->rows ? s->rows : best;
        *row = best;
        if (best < s->rows) break;
    }
    return i;
}

/* Whether all elements agree. What fails is remembered, if it is the nearest so far. */
static int explains(const samples *s, const explanation *e, findings *f)
{
    size_t row = 0;
    const size_t pairs = pairs_that_agree(s, e, &row);
    if (pairs == s->pairs) return 1;
    if (pairs * s->rows + row > f->best_matched) {
        f->best_matched = pairs * s->rows + row;
        f->best = *e;
        f->row = row, f->pair = pairs;
    }
    return 0;
}

/* Whether two explanations have the same numbers: then the one that was found first stands. */
static int are_same(const samples *s, const explanation *a, const explanation *b)
{
    if (a->offset != b->offset || fabs(a->factor - b->factor) > 1e-6 ||
        a->is_swapped != b->is_swapped || a->is_negative != b->is_negative)
        return 0;
    if ((a->how >= ARITHMETIC_INV_FREQ_BF16 || b->how >= ARITHMETIC_INV_FREQ_BF16) &&
        a->how != b->how)
        return 0;
    for (size_t i = 0; i < s->pairs; i++)
        if (fabs(a->of->omega[i] - b->of->omega[i]) > 0.001 * fabs(b->of->omega[i])) return 0;
    return 1;
}

/* Keep an explanation, unless it has more differences than another, or says what another says. */
static void keep(const samples *s, findings *f, const explanation *e)
{
    const int count = count_differences(e->differs);
    if (f->count && count > f->fewest) return;
    if (f->count && count < f->fewest) f->count = 0;
    f->fewest = count;
    for (size_t k = 0; k < f->count; k++)
        if (are_same(s, &f->of[k], e)) {
            if (f->of[k].how != e->how) f->of[k].is_how_known = 0;
            return;
        }
    if (f->count < MOST_EXPLANATIONS) f->of[f->count++] = *e;
}

/* Add other frequencies that fit, too, where the config's do: the rows are too few to tell. Of those
 * with one name, one stands for all. */
static void add_rivals(const samples *s, const spectra *all, findings *f)
{
    const explanation right = f->of[0];
    if (f->fewest != 0 || f->count == 0) return;
    for (size_t k = 0; k < all->count && f->count < MOST_EXPLANATIONS; k++) {
        explanation e = right;
        size_t n = 0;
        e.of = &all->of[k];
        e.differs = e.of->differs;
        while (n < f->count && f->of[n].differs != e.differs) n++;
        if (n == f->count && !are_same(s, &right, &e) && explains(s, &e, f)) f->of[f->count++] = e;
    }
}

/* The offset of positions that the phases of a row mean, from slow pairs to fast ones; 0 if none is
 * a multiple of 1/2. */
static double fitted_offset(const samples *s, const explanation *e)
{
    double offset = 0;
    size_t known = 0;
    for (size_t k = 0; k < s->pairs; k++) {
        const size_t i = s->pairs - 1 - k;
        const double w = e->of->omega[i];
        if (!(w > 0)) continue;
        const double c = e->is_swapped ? s->sines[i] : s->cosines[i];
        const double n = e->is_swapped ? s->cosines[i] : s->sines[i];
        const double phase = atan2(e->is_negative ? -n : n, c);
        offset += wrapped(phase - w * (s->positions[0] + offset)) / w;
        known++;
    }
    const double snapped = nearbyint(2 * offset) / 2;
    return known && fabs(offset - snapped) < 0.1 && fabs(snapped) < 2147483648.0 ? snapped : 0;
}

/* The same numbers with the arithmetics that come into question. */
static void try_arithmetics(const samples *s, explanation e, findings *f, unsigned given)
{
    for (int how = 0; how < ARITHMETIC_COUNT; how++) {
        static const unsigned mistakes[] = {
            0,
            0,
            0,
            1u << DIFFERS_INV_FREQ_BF16,
            1u << DIFFERS_INV_FREQ_F16,
            1u << DIFFERS_POSITIONS_BF16,
            1u << DIFFERS_POSITIONS_F16,
            1u << DIFFERS_INV_FREQ_BF16 | 1u << DIFFERS_POSITIONS_BF16,
            1u << DIFFERS_INV_FREQ_F16 | 1u << DIFFERS_POSITIONS_F16};
        TOOL_HAS_ALL(mistakes, ARITHMETIC_COUNT);
        explanation now = e;
        now.how = (arithmetic)how;
        now.differs = e.differs | given | mistakes[how];
        const int count = count_differences(now.differs);
        if (count > 2 || (f->count && count > f->fewest)) continue;
        if (how == ARITHMETIC_CHAIN && (e.of->chain_base == 0 || s->is_inv_freq)) continue;
        if (s->is_inv_freq && (how == ARITHMETIC_FLOAT32 || how >= ARITHMETIC_POSITIONS_BF16))
            continue;
        now.is_how_known = 1;
        if (explains(s, &now, f)) keep(s, f, &now);
    }
}

/* The factors on cosines and sines that are mistakes of the config's; with another scaling no factor
 * is one. */
static void try_factors(const samples *s, explanation e, double config, findings *f, unsigned given)
{
    const double a = e.of->factor;
    const struct {
        double factor;
        unsigned differs;
    } own[] = {{a, 0},
               {1, 1u << DIFFERS_FACTOR_ABSENT},
               {a * a, 1u << DIFFERS_FACTOR_SQUARED},
               {1 / a, 1u << DIFFERS_FACTOR_INVERSE}},
      any[] = {{a, 0}, {1, 0}, {config, 0}, {config * config, 0}};
    for (size_t k = 0; k < TOOL_COUNT(own); k++) {
        explanation now = e;
        now.factor = e.of->has_any_factor ? any[k].factor : own[k].factor;
        now.differs |= e.of->has_any_factor ? any[k].differs : own[k].differs;
        if (k && (fabs(now.factor - a) < 1e-9 || s->is_inv_freq)) continue;
        const double size = s->is_inv_freq ? now.factor : s->tracks[0].amplitude;
        if (fabs(size - now.factor) > now.factor * (0x1p-20 + 2 * half_unit(s->type))) continue;
        try_arithmetics(s, now, f, given);
    }
}

/* What is expected of the order of columns: -1 where nothing is said. */
typedef struct expected {
    int are_neighbours, is_sine_first;
} expected;

/* Find all explanations with the fewest differences. */
static void explain(const samples *s, const spectra *all, const expected *want, findings *f)
{
    unsigned given = 0;
    memset(f, 0, sizeof *f);
    f->fewest = 99;
    if (s->type != s->stored && s->type == NPY_BF16) given = 1u << DIFFERS_TABLE_BF16;
    if (s->type != s->stored && s->type == NPY_F16) given = 1u << DIFFERS_TABLE_F16;
    if (s->is_inv_freq) given = 0;
    if ((s->is_doubled || s->is_table) && s->pairs > 1 && want->are_neighbours >= 0 &&
        s->are_neighbours != want->are_neighbours)
        given |= 1u << DIFFERS_COLUMN_ORDER;
    for (int most = 0; most <= 2; most++)
        for (size_t k = 0; k < all->count; k++)
            for (int way = 0; way < 8; way++) {
                if (s->is_inv_freq && way != 0 && way != 2) continue;
                explanation e = {all->of[k].differs, &all->of[k],       1, 0, way & 1,
                                 way >> 1 & 1,       ARITHMETIC_DOUBLE, 0, 1};
                const int is_expected =
                    want->is_sine_first < 0 || want->is_sine_first == e.is_swapped;
                if (!is_expected) e.differs |= 1u << DIFFERS_SINE_COSINE;
                if (e.is_negative) e.differs |= 1u << DIFFERS_SIGN;
                if (way & 4) e.differs |= 1u << DIFFERS_POSITION_OFFSET;
                const int count = count_differences(e.differs | given);
                if (count != most || (f->count && count > f->fewest)) continue;
                if (way & 4) e.offset = fitted_offset(s, &e);
                if ((way & 4) && e.offset == 0) continue;
                try_factors(s, e, all->of[0].factor, f, given);
            }
}

#endif
