/* SPDX-License-Identifier: MIT */
/* Tests whether all elements of an array agree with an explanation. An explanation says how an
 * array was computed: with which frequencies and positions, and in which arithmetic, that is, in
 * which floating-point types. To agree means to be equal except for the rounding errors of this
 * arithmetic.
 *
 * Frequencies in float32 differ between libraries in their last places. Each frequency is
 * therefore also tried a few units in the last place higher and lower. Such a shift is called a
 * nudge; the nudges have numbers, and nudge 0 is no shift. Eight rows spread over the array, the
 * probe rows, are compared before all others. */
#ifndef TOOL_AGREE_H
#define TOOL_AGREE_H

#include "spectra.h"

/* Lists the arithmetics in which angles may have been computed; arithmetics[] has the types of
 * each. The first four round nothing to 16 bits, and are no mistakes. The names of the others say
 * what is rounded to bfloat16 or float16: frequencies (INV_FREQ), positions, both of these (BOTH),
 * angles, or all three (ALL). Angles are products in double if the name ends in DOUBLE, otherwise
 * products in float32, which ANGLES and ALL round once more. In the names that end in
 * FLOAT32_DOUBLE, frequencies are computed in float32. CHAIN is ggml's arithmetic: in float32, the
 * angle of each pair is that of the pair before it times a constant step. */
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

/* Holds the types of an arithmetic. */
typedef struct arithmetic_types {
    npy_type frequency; /* the type to which frequencies are rounded                      */
    npy_type position;  /* the type to which positions are rounded                        */
    npy_type product;   /* the type to which angles, the products, are rounded            */
    const char *name;   /* the name in reports and in JSON; several arithmetics share one */
} arithmetic_types;

/* Lists the types of each arithmetic, in the order of the enum. CHAIN has the types of FLOAT32,
 * but rows_of_chain() computes its angles in another way. */
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

/* Returns whether frequencies are computed in float32, but angles in double. */
static int is_mixed(arithmetic how)
{
    return arithmetics[how].frequency == NPY_F32 && arithmetics[how].product == NPY_F64;
}

static int is_narrow(npy_type type) { return type == NPY_BF16 || type == NPY_F16; }

/* Returns the differences that an arithmetic means: its roundings to 16 bits. */
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

/* Lists what code may have done to positions. The order is that of moves[] in try_spectrum() of
 * explain.h. */
typedef enum movement { MOVED_NOT = 0, MOVED_BY_OFFSET, MOVED_CLAMPED, MOVED_WRAPPED } movement;

/* Holds an explanation of an array, from which each of its elements follows. */
typedef struct explanation {
    differences differs; /* the set of all differences from the config                           */
    const spectrum *of;  /* the frequencies; it belongs to a list of spectra, not to this struct */
    double factor;       /* the factor by which cosines and sines are multiplied                 */
    movement moved;      /* how the code changed positions                                       */
    double offset;       /* with MOVED_BY_OFFSET: what was added to positions; otherwise 0       */
    double limit;     /* with MOVED_CLAMPED: the largest position; with MOVED_WRAPPED: the period */
    int is_signed;    /* 1: wrapped positions begin at -limit / 2, not at 0                       */
    int is_swapped;   /* 1: samples.cosines has the sines, and samples.sines the cosines          */
    int is_negative;  /* 1: sines have the other sign than those of the angles                    */
    arithmetic how;   /* how angles were computed                                                 */
    int is_exact;     /* 1: each element is the exact number rounded once; see judge_samples()    */
    int is_how_known; /* 0: other arithmetics or other explanations fit too                       */
} explanation;

/* Returns the position that the code used, if the explanation is right, in place of a row's
 * position. */
static double moved_position(const explanation *e, double position)
{
    if (e->moved == MOVED_CLAMPED) return fmin(position, e->limit);
    if (e->moved == MOVED_WRAPPED) {
        const double minimum = e->is_signed ? -e->limit / 2 : 0;
        return position - e->limit * floor((position - minimum) / e->limit);
    }
    return position + e->offset;
}

/* Returns whether the numbers of the arrays at `index` are the cosine and the sine of an angle,
 * multiplied, negated and exchanged as the explanation says. Each may be off by half a unit in the
 * last place of the arrays' type, and by a few units of the double or float32 functions that
 * computed it. `slack` is the error in radians that the angle may have. `floor` is the part of the
 * tolerance that does not become smaller for numbers near 0; for float16, it includes half the
 * smallest number. */
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

/* Frequencies in float32 differ between libraries by at most MOST_NUDGES units in the last place,
 * depending on the order of operations. So each frequency is tried with nudges: moved by 0, 1, -1,
 * 2, -2 ... units. The last nudge has the number 2 * MOST_NUDGES. The number after it,
 * ROUNDED_ONCE, stands for another way to get a float32 angle: a product in double that is rounded
 * once. */
enum { MOST_NUDGES = 12, ROUNDED_ONCE = 2 * MOST_NUDGES + 1 };

/* Returns the k-th nudge, in units in the last place: 0, 1, -1, 2, -2 ... */
static int nudge_by(int k) { return k % 2 ? (k + 1) / 2 : -k / 2; }

/* Returns the frequency w as an arithmetic has it. It is rounded to float32, moved by the k-th
 * nudge, and then rounded to 16 bits if the arithmetic does so. In double it is w. */
static double frequency_by(arithmetic how, double w, int k)
{
    const npy_type type = arithmetics[how].frequency;
    if (type == NPY_F64) return w;
    float frequency = (float)w;
    for (int n = abs(nudge_by(k)); n > 0; n--)
        frequency = nextafterf(frequency, nudge_by(k) > 0 ? HUGE_VALF : 0.0f);
    return rounded_to((double)frequency, type);
}

/* Returns the angle of a position and the frequency w as an arithmetic has it, with the k-th
 * nudge of the frequency. For k = ROUNDED_ONCE, it is the product in double, rounded once to
 * float32. */
static double angle_by(arithmetic how, double w, double position, int k)
{
    const arithmetic_types *const t = &arithmetics[how];
    if (k == ROUNDED_ONCE) return (double)(float)(w * position);
    const double product = frequency_by(how, w, k) * rounded_to(position, t->position);
    return rounded_to(product, t->product);
}

/* Returns whether pair i of row r agrees with an explanation, with the k-th nudge of the
 * frequency. */
static int is_row_right(const samples *s, const explanation *e, size_t r, size_t i, int k)
{
    const double w = e->of->omega[i], position = moved_position(e, position_of(s, r, i));
    const arithmetic_types *const t = &arithmetics[e->how];
    const double slack = t->product == NPY_F64 ? fabs(w * position) * 0x1p-50 : 0;
    const size_t index = r * s->pairs + i;
    if (!is_narrow(t->product)) return agrees(s, e, index, angle_by(e->how, w, position, k), slack);
    /* The code that made the arrays rounds a float32 product to 16 bits. The product has a
     * relative error of 2^-24, and 12 times as much more if the frequency was computed in float32.
     * Near a tie, this error may change the rounding, so the results at both ends of the interval
     * are accepted. */
    const double product = frequency_by(e->how, w, k) * rounded_to(position, t->position);
    const double unsure = fabs(product) * (is_narrow(t->frequency) ? 0x1p-24 : 13 * 0x1p-24);
    const double low = rounded_to(product - unsure, t->product);
    const double high = rounded_to(product + unsure, t->product);
    return agrees(s, e, index, low, 0) || (high != low && agrees(s, e, index, high, 0));
}

/* Before all rows of a pair are compared, this many rows are, spread over the array. */
enum { PROBES = 8 };

/* Returns the row of probe n. Probe 0 is the last row. Its position is usually the largest, so it
 * shows errors of frequencies best. */
static size_t row_of_probe(const samples *s, size_t n)
{
    return (s->rows - 1) * (PROBES - n) / PROBES;
}

/* Returns how many nudges of the frequency are tried for an explanation. A frequency in double is
 * only tried as it is, with nudge 0. */
static int nudges_of(const explanation *e)
{
    return arithmetics[e->how].frequency == NPY_F64 ? 1 : 2 * MOST_NUDGES + 1;
}

/* Returns whether pair i agrees with an explanation in the probe rows, with the k-th nudge. */
static int do_probes_agree(const samples *s, const explanation *e, size_t i, int k)
{
    for (size_t n = 0; n < PROBES; n++)
        if (!is_row_right(s, e, row_of_probe(s, n), i, k)) return 0;
    return 1;
}

/* Returns how many rows of pair i agree before the first that does not. A nudge other than 0 that
 * fails in a probe row is not tried on the other rows: the result is then 0. This lowers the time
 * for an array of 131,072 rows whose scaling is not the config's from 25 s to 5 s. */
static size_t rows_that_agree(const samples *s, const explanation *e, size_t i, int k)
{
    size_t r = 0;
    if (k > 0 && !do_probes_agree(s, e, i, k)) return 0;
    while (r < s->rows && is_row_right(s, e, r, i, k)) r++;
    return r;
}

/* Returns the step of ggml's chain, by which the angle is multiplied from pair to pair, moved by
 * the k-th nudge. */
static float chain_step(const spectrum *of, int k)
{
    float step = powf((float)of->chain_base, -2.0f / (float)of->chain_width);
    for (int n = abs(nudge_by(k)); n > 0; n--)
        step = nextafterf(step, nudge_by(k) > 0 ? HUGE_VALF : 0.0f);
    return step;
}

/* Returns whether row r is that of ggml's chain. ratio[i] is the factor by which the scaling
 * changes the angle of pair i. It is known exactly if is_chain_exact is 1, that is, without a
 * scaling and with the linear one; otherwise it has a relative error of up to 2^-22. */
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

/* Returns how many rows agree with ggml's chain before the first that does not, or 0 if memory
 * runs out. Nine nudges of the step are tried, and the best counts. A nudge other than 0 that
 * fails in a probe row is not tried on the other rows. */
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

/* Returns whether element i of an array of frequencies agrees with an explanation. */
static int is_frequency(const samples *s, const explanation *e, size_t i)
{
    const double w = e->of->omega[i], x = e->is_negative ? -s->cosines[i] : s->cosines[i];
    double slack = s->type == NPY_F64 ? 0x1p-50 : 0x1p-24 * MOST_NUDGES;
    if (e->how == ARITHMETIC_INV_FREQ_BF16) slack = half_unit(NPY_BF16) * 1.0001;
    if (e->how == ARITHMETIC_INV_FREQ_F16) slack = half_unit(NPY_F16) * 1.0001;
    return fabs(x - w) <= fabs(w) * (slack + half_unit(s->type)) +
                              (e->how == ARITHMETIC_INV_FREQ_F16 ? 0x1p-25 : 0);
}

/* Returns whether the probe rows of all pairs agree with an explanation. The test starts with the
 * middle pair, and pair 0 follows the last one. Most wrong explanations fail here after a few
 * pairs. Without this test, a table of 131,072 rows takes 30 s. *passed is the number of pairs
 * that agree before the first that does not. An array of frequencies and ggml's chain are not
 * tested: the result is then 1, and *passed is 0. */
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

/* Returns how many pairs agree in all rows before the first pair that does not. *row is the number
 * of rows of this pair that agree before the first that does not, with the best nudge. With ggml's
 * chain, whose rows are compared with all pairs at once, the result is 0 or all pairs. */
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
