/* SPDX-License-Identifier: MIT */
/* Whether all elements of an array agree with an explanation, in the arithmetic that it names. */
#ifndef TOOL_AGREE_H
#define TOOL_AGREE_H

#include "spectra.h"

/* How angles were computed. The first four are no mistakes. Where the name ends in DOUBLE, the
 * angle is a product in double; with FLOAT32_DOUBLE, of a frequency that was computed in
 * float32. */
typedef enum arithmetic {
    ARITHMETIC_DOUBLE = 0,
    ARITHMETIC_FLOAT32,
    ARITHMETIC_CHAIN,
    ARITHMETIC_FLOAT32_DOUBLE,
    ARITHMETIC_INV_FREQ_BF16,
    ARITHMETIC_INV_FREQ_F16,
    ARITHMETIC_POSITIONS_BF16,
    ARITHMETIC_POSITIONS_F16,
    ARITHMETIC_BOTH_BF16,
    ARITHMETIC_BOTH_F16,
    ARITHMETIC_INV_FREQ_BF16_DOUBLE,
    ARITHMETIC_INV_FREQ_F16_DOUBLE,
    ARITHMETIC_POSITIONS_BF16_DOUBLE,
    ARITHMETIC_POSITIONS_F16_DOUBLE,
    ARITHMETIC_POSITIONS_BF16_FLOAT32_DOUBLE,
    ARITHMETIC_POSITIONS_F16_FLOAT32_DOUBLE,
    ARITHMETIC_ANGLES_BF16,
    ARITHMETIC_ANGLES_F16,
    ARITHMETIC_ANGLES_INV_FREQ_BF16,
    ARITHMETIC_ANGLES_INV_FREQ_F16,
    ARITHMETIC_ANGLES_POSITIONS_BF16,
    ARITHMETIC_ANGLES_POSITIONS_F16,
    ARITHMETIC_ALL_BF16,
    ARITHMETIC_ALL_F16,
    ARITHMETIC_COUNT
} arithmetic;

/* Holds the types in which an arithmetic has frequencies, positions and their product, the angle.
 * `name` is printed in reports, and as the JSON member "arithmetic". */
typedef struct arithmetic_types {
    npy_type frequency, position, product;
    const char *name;
} arithmetic_types;

static const arithmetic_types arithmetics[] = {{NPY_F64, NPY_F64, NPY_F64, "double_angles"},
                                               {NPY_F32, NPY_F32, NPY_F32, "float32_angles"},
                                               {NPY_F32, NPY_F32, NPY_F32, "ggml_chain"},
                                               {NPY_F32, NPY_F64, NPY_F64, "float32_frequencies"},
                                               {NPY_BF16, NPY_F32, NPY_F32, "inv_freq_bf16"},
                                               {NPY_F16, NPY_F32, NPY_F32, "inv_freq_f16"},
                                               {NPY_F32, NPY_BF16, NPY_F32, "positions_bf16"},
                                               {NPY_F32, NPY_F16, NPY_F32, "positions_f16"},
                                               {NPY_BF16, NPY_BF16, NPY_F32, "inv_freq_bf16"},
                                               {NPY_F16, NPY_F16, NPY_F32, "inv_freq_f16"},
                                               {NPY_BF16, NPY_F64, NPY_F64, "inv_freq_bf16"},
                                               {NPY_F16, NPY_F64, NPY_F64, "inv_freq_f16"},
                                               {NPY_F64, NPY_BF16, NPY_F64, "positions_bf16"},
                                               {NPY_F64, NPY_F16, NPY_F64, "positions_f16"},
                                               {NPY_F32, NPY_BF16, NPY_F64, "positions_bf16"},
                                               {NPY_F32, NPY_F16, NPY_F64, "positions_f16"},
                                               {NPY_F64, NPY_F64, NPY_BF16, "angles_bf16"},
                                               {NPY_F64, NPY_F64, NPY_F16, "angles_f16"},
                                               {NPY_BF16, NPY_F64, NPY_BF16, "angles_bf16"},
                                               {NPY_F16, NPY_F64, NPY_F16, "angles_f16"},
                                               {NPY_F64, NPY_BF16, NPY_BF16, "angles_bf16"},
                                               {NPY_F64, NPY_F16, NPY_F16, "angles_f16"},
                                               {NPY_BF16, NPY_BF16, NPY_BF16, "angles_bf16"},
                                               {NPY_F16, NPY_F16, NPY_F16, "angles_f16"}};
TOOL_HAS_ALL(arithmetics, ARITHMETIC_COUNT);

/* Returns whether angles are in double, of frequencies in float32. */
static int is_mixed(arithmetic how)
{
    return arithmetics[how].frequency == NPY_F32 && arithmetics[how].product == NPY_F64;
}

static int is_narrow(npy_type type) { return type == NPY_BF16 || type == NPY_F16; }

/* Returns the mistakes that an arithmetic is. */
static differences mistakes_of(arithmetic how)
{
    const arithmetic_types *const t = &arithmetics[how];
    differences set = 0;
    if (is_narrow(t->frequency))
        set |= TOOL_DIFFERS(t->frequency == NPY_F16 ? DIFFERS_INV_FREQ_F16 : DIFFERS_INV_FREQ_BF16);
    if (is_narrow(t->position))
        set |=
            TOOL_DIFFERS(t->position == NPY_F16 ? DIFFERS_POSITIONS_F16 : DIFFERS_POSITIONS_BF16);
    if (is_narrow(t->product))
        set |= TOOL_DIFFERS(t->product == NPY_F16 ? DIFFERS_ANGLES_F16 : DIFFERS_ANGLES_BF16);
    return set;
}

/* What was done to positions. */
typedef enum movement { MOVED_NOT = 0, MOVED_BY_OFFSET, MOVED_CLAMPED, MOVED_WRAPPED } movement;

typedef struct explanation {
    differences differs;
    const spectrum *of;
    double factor;
    movement moved;
    double offset, limit; /* what was added; the largest position, or what positions wrap at */
    int is_signed;        /* 1: wrapped positions begin at -limit / 2                        */
    int is_swapped, is_negative;
    arithmetic how;
    int is_exact;     /* 1: each element is the exact number, rounded once         */
    int is_how_known; /* 0: other arithmetics have the same numbers               */
} explanation;

/* Returns what an explanation makes of a position. */
static double moved_position(const explanation *e, double position)
{
    if (e->moved == MOVED_CLAMPED) return fmin(position, e->limit);
    if (e->moved == MOVED_WRAPPED) {
        const double minimum = e->is_signed ? -e->limit / 2 : 0;
        return position - e->limit * floor((position - minimum) / e->limit);
    }
    return position + e->offset;
}

/* The cosine and sine that an explanation has for a pair's angle. */
static int agrees(const samples *s, const explanation *e, size_t index, double angle, double slack)
{
    const double type = half_unit(s->type) * 1.0001 + (s->type == NPY_F64 ? 0x1p-51 : 0x1p-22);
    const double floor =
        e->factor * (s->type == NPY_F64 ? 0x1p-52 : 0x1p-27) + (s->type == NPY_F16 ? 0x1p-25 : 0);
    const double c = e->factor * cos(angle), n = e->factor * sin(angle);
    const double sine = e->is_negative ? -n : n;
    const double *const cosines = e->is_swapped ? s->sines : s->cosines;
    const double *const sines = e->is_swapped ? s->cosines : s->sines;
    return fabs(cosines[index] - c) <= type * fabs(c) + floor + slack * e->factor &&
           fabs(sines[index] - sine) <= type * fabs(sine) + floor + slack * e->factor;
}

/* Frequencies in float32 differ between libraries, by the order of their operations: by this
 * many units in the last place at most. ROUNDED_ONCE is an angle in double that is rounded to
 * float32. */
enum { MOST_NUDGES = 12, ROUNDED_ONCE = 2 * MOST_NUDGES + 1 };

/* Returns the k-th nudge, in units in the last place: 0, 1, -1, 2, -2 ... */
static int nudge_by(int k) { return k % 2 ? (k + 1) / 2 : -k / 2; }

/* The frequency of an arithmetic, which is moved by the k-th nudge before it is rounded to 16
 * bits. */
static double frequency_by(arithmetic how, double w, int k)
{
    const npy_type type = arithmetics[how].frequency;
    if (type == NPY_F64) return w;
    float frequency = (float)w;
    for (int n = abs(nudge_by(k)); n > 0; n--)
        frequency = nextafterf(frequency, nudge_by(k) > 0 ? HUGE_VALF : 0.0f);
    return rounded_to((double)frequency, type);
}

/* The angle of a position and a frequency, which is moved by the k-th nudge. */
static double angle_by(arithmetic how, double w, double position, int k)
{
    const arithmetic_types *const t = &arithmetics[how];
    if (k == ROUNDED_ONCE) return (double)(float)(w * position);
    const double product = frequency_by(how, w, k) * rounded_to(position, t->position);
    return rounded_to(product, t->product);
}

static int is_row_right(const samples *s, const explanation *e, size_t r, size_t i, int k)
{
    const double w = e->of->omega[i], position = moved_position(e, position_of(s, r, i));
    const arithmetic_types *const t = &arithmetics[e->how];
    const double slack = t->product == NPY_F64 ? fabs(w * position) * 0x1p-50 : 0;
    const size_t index = r * s->pairs + i;
    if (!is_narrow(t->product)) return agrees(s, e, index, angle_by(e->how, w, position, k), slack);
    /* 16 bits of a product that was in float32, with a frequency in float32: near a tie, both */
    const double product = frequency_by(e->how, w, k) * rounded_to(position, t->position);
    const double unsure = fabs(product) * (is_narrow(t->frequency) ? 0x1p-24 : 13 * 0x1p-24);
    const double low = rounded_to(product - unsure, t->product);
    const double high = rounded_to(product + unsure, t->product);
    return agrees(s, e, index, low, 0) || (high != low && agrees(s, e, index, high, 0));
}

/* How many of eight rows are looked at first, from the last one back. */
enum { PROBES = 8 };

static size_t row_of_probe(const samples *s, size_t n)
{
    return (s->rows - 1) * (PROBES - n) / PROBES;
}

/* Returns how many frequencies come into question for a pair. */
static int nudges_of(const explanation *e)
{
    return arithmetics[e->how].frequency == NPY_F64 ? 1 : 2 * MOST_NUDGES + 1;
}

static int do_probes_agree(const samples *s, const explanation *e, size_t i, int k)
{
    for (size_t n = 0; n < PROBES; n++)
        if (!is_row_right(s, e, row_of_probe(s, n), i, k)) return 0;
    return 1;
}

/* Returns how many rows of a pair agree before the first that does not. A nudge that fails in
 * one of eight probe rows is not tried on the others. This lowers the time for an array of
 * 131,072 rows of another scaling from 25 s to 5 s. */
static size_t rows_that_agree(const samples *s, const explanation *e, size_t i, int k)
{
    size_t r = 0;
    if (k > 0 && !do_probes_agree(s, e, i, k)) return 0;
    while (r < s->rows && is_row_right(s, e, r, i, k)) r++;
    return r;
}

/* The step of ggml's chain, moved by the k-th nudge. */
static float chain_step(const spectrum *of, int k)
{
    float step = powf((float)of->chain_base, -2.0f / (float)of->chain_width);
    for (int n = abs(nudge_by(k)); n > 0; n--)
        step = nextafterf(step, nudge_by(k) > 0 ? HUGE_VALF : 0.0f);
    return step;
}

/* Returns whether a row is that of ggml's chain, which multiplies the angle from pair to pair.
 * ratio has the factor by which scaling changes the angle of each pair. The factor of linear
 * scaling is exact, all others are known up to 2^-22. */
static int is_chain_row_right(const samples *s, const explanation *e, const double *ratio,
                              float step, size_t r)
{
    float theta = (float)moved_position(e, position_of(s, r, 0));
    for (size_t i = 0; i < s->pairs; i++, theta *= step) {
        const float angle = theta * (float)ratio[i];
        const double slack = e->of->is_chain_exact ? 0 : fabs((double)angle) * 0x1p-22;
        if (!agrees(s, e, r * s->pairs + i, (double)angle, slack)) return 0;
    }
    return 1;
}

/* Returns the rows of ggml's chain that agree, starting at row 0. */
static size_t rows_of_chain(const samples *s, const explanation *e)
{
    double *const ratio = new_numbers(s->pairs);
    size_t maximum = 0;
    for (size_t i = 0; ratio && i < s->pairs; i++)
        ratio[i] = e->of->omega[i] / pow(e->of->chain_base, -2 * (double)i / e->of->chain_width);
    for (int k = 0; ratio && k < 9 && maximum < s->rows; k++) {
        const float step = chain_step(e->of, k);
        size_t r = 0;
        int is_right = 1;
        for (size_t n = 0; n < PROBES && is_right; n++)
            is_right = is_chain_row_right(s, e, ratio, step, row_of_probe(s, n));
        if (k && !is_right) continue;
        while (r < s->rows && is_chain_row_right(s, e, ratio, step, r)) r++;
        if (r > maximum) maximum = r;
    }
    free(ratio);
    return maximum;
}

/* Returns whether element i of an array of frequencies is that of an explanation. */
static int is_frequency(const samples *s, const explanation *e, size_t i)
{
    const double w = e->of->omega[i], x = e->is_negative ? -s->cosines[i] : s->cosines[i];
    double slack = s->type == NPY_F64 ? 0x1p-50 : 0x1p-24 * MOST_NUDGES;
    if (e->how == ARITHMETIC_INV_FREQ_BF16) slack = half_unit(NPY_BF16) * 1.0001;
    if (e->how == ARITHMETIC_INV_FREQ_F16) slack = half_unit(NPY_F16) * 1.0001;
    return fabs(x - w) <= fabs(w) * (slack + half_unit(s->type)) +
                              (e->how == ARITHMETIC_INV_FREQ_F16 ? 0x1p-25 : 0);
}

/* Returns whether eight rows of each pair may agree. Most explanations fail here, in a few of the
 * pairs: without this look a table of 131,072 rows takes 30 s. *passed: the pairs that agree. */
static int may_agree(const samples *s, const explanation *e, size_t *passed)
{
    *passed = 0;
    if (s->is_inv_freq || e->how == ARITHMETIC_CHAIN) return 1;
    for (size_t n = 0; n < s->pairs; n++) {
        const size_t i = (n + s->pairs / 2) % s->pairs;
        int k = 0;
        while (k < nudges_of(e) && !do_probes_agree(s, e, i, k)) k++;
        if (k == nudges_of(e) &&
            !(e->how == ARITHMETIC_FLOAT32 && do_probes_agree(s, e, i, ROUNDED_ONCE)))
            return 0;
        ++*passed;
    }
    return 1;
}

/* Returns how many pairs agree before the first that does not, and writes to *row how many rows
 * of that pair agree. */
static size_t pairs_that_agree(const samples *s, const explanation *e, size_t *row)
{
    size_t i = 0;
    *row = 0;
    if (e->how == ARITHMETIC_CHAIN) {
        *row = rows_of_chain(s, e);
        return *row == s->rows ? s->pairs : 0;
    }
    for (; i < s->pairs; i++) {
        size_t best = s->is_inv_freq ? (size_t)is_frequency(s, e, i) : 0;
        for (int k = 0; k < nudges_of(e) && best < s->rows && !s->is_inv_freq; k++) {
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

#endif
