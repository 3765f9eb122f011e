/* SPDX-License-Identifier: MIT */
/* Prints the results of `posenc compare` as text, for people.
 *
 * An explanation (compare/agree.h) says how an array was computed: with which frequencies and
 * positions, and in which arithmetic. */
#ifndef TOOL_COMPARE_TEXT_H
#define TOOL_COMPARE_TEXT_H

#include "../compare/judge.h"
#include "print.h"

/* Returns the name of an explanation's arithmetic, or NULL if the rows do not show it. */
static const char *how_of(const explanation *e)
{
    if (e->differs & TOOL_DIFFERS(DIFFERS_TABLE_BF16)) return "table_bf16";
    if (e->differs & TOOL_DIFFERS(DIFFERS_TABLE_F16)) return "table_f16";
    if (e->is_exact) return "exact";
    return e->is_how_known || e->how >= ARITHMETIC_INV_FREQ_BF16 ? arithmetics[e->how].name : NULL;
}

static void print_place(const samples *s, const place *where)
{
    const double position = position_of(s, where->row, where->pair);
    print("position %.15g", position);
    if (position != (double)where->row) print(" (row %zu)", where->row);
    print(", pair %zu, %s\n", where->pair, where->is_sine ? "sine" : "cosine");
}

/* Prints the errors against the exact table. is_right is 1 if nothing differs but the
 * arithmetic. The arithmetic then explains all errors, so the first unexplained one is not
 * printed. */
static void print_deviation(const samples *s, const deviation *d, int is_right)
{
    if (!d->wrong) return;
    print("  largest error against the exact table: %.3g at ", d->largest);
    print_place(s, &d->worst);
    print("  elements that are not correctly rounded: %zu of %zu, %.3g %%\n", d->wrong, d->elements,
          100 * (double)d->wrong / (double)d->elements);
    if (is_right || !d->has_first) return;
    print("  first error that float32 angles do not explain: ");
    print_place(s, &d->first);
}

/* Says in a few words what each difference is, in the order of the enum `difference`. */
static const char *const difference_texts[] = {
    "the columns are neighbours instead of halves, or halves instead of neighbours",
    "cosines and sines are exchanged",
    "sines have the opposite sign, as if angles were negative",
    "an offset was added to every position",
    "positions were clamped",
    "positions were wrapped around",
    "the base is",
    "another number of elements rotates, or divides the exponents",
    "the exponents are 2i / d instead of i / (h - 1), or the reverse",
    "the frequencies are not scaled",
    "the scaling is not the config's",
    "the frequencies are scaled twice",
    "the table is that of another part of the config",
    "parameters were not read: base 10000, no scaling, no attention factor",
    "all frequencies are 0, or all positions are 0",
    "every angle is doubled, as by rotating twice",
    "the rounding of YaRN's bounds is not the config's",
    "YaRN's beta_fast and beta_slow are not the config's",
    "YaRN's ramp is inverted: fast pairs are scaled, slow pairs are not",
    "YaRN uses the base of NTK scaling",
    "low_freq_factor and high_freq_factor are exchanged",
    "Llama 3's smoothing between the two bounds has another formula",
    "Llama 3's smoothing is replaced by a hard cut",
    "the number of rotations was not divided by 2 pi",
    "cosines and sines are not multiplied by the attention factor",
    "cosines and sines are multiplied twice by the attention factor",
    "cosines and sines are divided by the attention factor",
    "the attention factor is 0.1 mscale ln(factor) + 1, not the config's",
    "frequencies were rounded to bfloat16",
    "frequencies were rounded to float16",
    "positions were rounded to bfloat16",
    "positions were rounded to float16",
    "angles were rounded to bfloat16",
    "angles were rounded to float16",
    "cosines and sines were rounded to bfloat16",
    "cosines and sines were rounded to float16"};
TOOL_HAS_ALL(difference_texts, DIFFERENCE_COUNT);

/* Prints the line for arrays that differ from what is expected in nothing but, perhaps, the
 * arithmetic. Without a config, base 10000 is expected. */
static void print_right(const samples *s, const findings *f, const explanation *e)
{
    const char *const how = how_of(e);
    if (s->is_inv_freq || e->is_exact) {
        print("right: %s\n", s->is_inv_freq ? "all frequencies are what is expected"
                                            : "every element is the correctly rounded one");
        return;
    }
    print(f->has_config ? "the config is right" : "base 10000, unscaled, is right");
    if (!how && f->count <= 1) print("; how the angles were computed does not show");
    if (how)
        print("; the angles were computed in %s", e->how == ARITHMETIC_DOUBLE    ? "double"
                                                  : e->how == ARITHMETIC_FLOAT32 ? "float32"
                                                  : is_mixed(e->how)
                                                      ? "double, with frequencies in float32"
                                                      : "float32, by ggml's chain");
    print("\n");
}

/* Prints an explanation: one line for each difference, or print_right() if there is none. A last
 * line has the arithmetic if it is known and is not one of the differences. */
static void print_explanation(const samples *s, const findings *f, const explanation *e,
                              const char *indent)
{
    const char *const how = how_of(e);
    for (int d = 0; d < DIFFERENCE_COUNT; d++) {
        if (!(e->differs >> d & 1)) continue;
        print("%s%s: %s", indent, difference_names[d], difference_texts[d]);
        if (d == DIFFERS_BASE) print(" %.15g instead of %.15g", e->of->base, f->base);
        if (d == DIFFERS_POSITION_OFFSET) print(": %+.15g", e->offset);
        if (d == DIFFERS_POSITIONS_CLAMPED || d == DIFFERS_POSITIONS_WRAPPED)
            print(" at %.15g%s", e->limit, e->is_signed ? ", as signed integers" : "");
        if (d == DIFFERS_OTHER_PART) print(": %s", e->of->part);
        if (e->of->which && e->of->differs & TOOL_DIFFERS(d)) print(": %s", e->of->which);
        if (d == DIFFERS_ROTARY_WIDTH) print(": %.15g", e->of->width);
        if (d == DIFFERS_SCALING_OTHER)
            print(": %s, factor %.15g%s", e->of->scaling, e->of->scaling_factor,
                  e->of->has_other_length ? ", for another length" : "");
        print("\n");
    }
    if (!e->differs) print("%s", indent), print_right(s, f, e);
    if (how && e->how < ARITHMETIC_INV_FREQ_BF16 && strncmp(how, "table", 5) != 0)
        print("%sarithmetic: %s\n", indent, how);
}

/* Prints the differences and the arithmetic of the explanation that comes nearest, f->best. It is
 * called if none fits. */
static void print_nearest(const samples *s, const findings *f)
{
    const char *const how = how_of(&f->best);
    if (f->best.differs) print_explanation(s, f, &f->best, "  ");
    else if (how) print("  arithmetic: %s\n", how);
}

/* Prints explanation k, and then the other names for its numbers. */
static void print_explained(const samples *s, const findings *f, size_t k, const char *indent)
{
    print_explanation(s, f, &f->of[k], indent);
    for (size_t n = 0; n < f->synonyms; n++) {
        if (f->synonym[n].of != k) continue;
        print("%sanother explanation of the same numbers:\n", indent);
        print_explanation(s, f, &f->synonym[n].other, indent[0] ? "    " : "  ");
    }
}

/* Returns whether the arrays called cosines have sines because the config wants it so. If the only
 * explanation says that cosines and sines are exchanged by mistake, returns 0, and the
 * measurements are shown as the arrays have them. */
static int stands_sine_first(const findings *f, const deviation *d)
{
    return d->is_sine_first &&
           !(f->count == 1 && f->of[0].differs & TOOL_DIFFERS(DIFFERS_SINE_COSINE));
}

/* Returns the measurements of pair i. Where stands_sine_first() is 1, an angle x was measured as
 * pi / 2 - x, which is corrected here. */
static track track_of(const samples *s, const findings *f, const deviation *d, size_t i)
{
    track t = s->tracks[i];
    if (stands_sine_first(f, d)) t.frequency = -t.frequency, t.phase = acos(0) - t.phase;
    return t;
}

/* Prints the shape and the type of the arrays, and a table of what was measured. The table has the
 * first two pairs, the middle one, the last one and the one with the largest error. There is no
 * table for an array of frequencies, or if all rows have the same position. */
static void print_measured(const samples *s, const findings *f, const deviation *d)
{
    print("  %zu row%s of %zu pairs in %s%s%s%s\n", s->rows, s->rows == 1 ? "" : "s", s->pairs,
          npy_types[s->stored], s->type != s->stored ? "; all elements are " : "",
          s->type != s->stored ? npy_types[s->type] : "", s->type != s->stored ? " numbers" : "");
    if (s->is_doubled || s->is_table)
        print("  %s are %s%s\n",
              s->is_doubled ? "a number and its copy" : "the two numbers of a pair",
              s->are_neighbours ? "in columns 2i and 2i + 1" : "in columns i and i + n/2",
              stands_sine_first(f, d) ? ", the sine first" : "");
    if (s->is_inv_freq || s->step == 0) return;
    print("  pair   amplitude   frequency      phase     noise%s%s\n",
          d->by_pair ? "     error" : "",
          s->step > 1 ? "     (frequencies may be wrong by multiples of 2 pi / step)" : "");
    for (size_t i = 0; i < s->pairs; i++) {
        const size_t last = s->pairs - 1;
        const int is_worst = d->wrong && i == d->worst.pair;
        if (i != 0 && i != 1 && i != last / 2 && i != last && !is_worst) continue;
        const track t = track_of(s, f, d, i);
        print("  %4zu %11.7g %13.8g %10.3g %9.2g", i, t.amplitude, t.frequency, t.phase, t.noise);
        if (d->by_pair) print(" %9.2g", d->by_pair[i]);
        print("\n");
    }
}

/* Prints the results of a comparison. */
static void print_verdict(const verdict *v)
{
    const samples *const s = &v->s;
    const findings *const f = &v->f;
    const deviation *const d = &v->d;
    const double position = f->count > 1 ? all_told_at(s, f) : 0;
    if (f->count == 1) print_explained(s, f, 0, "");
    else if (f->count) {
        print("undecided: %zu explanations fit %s %zu row%s\n", f->count,
              s->rows == 1 ? "this" : "these", s->rows, s->rows == 1 ? "" : "s");
        for (size_t k = 0; k < f->count; k++) print_explained(s, f, k, "  ");
    } else print("not explained by any mistake that posenc knows\n");
    if (f->count > 1 && position > 0)
        print("rows at position %.15g and beyond tell them apart\n", position);
    if (f->count > 1 && !(position > 0)) print("no row tells them apart\n");
    if (!f->count && f->best_matched) {
        print("the nearest explanation is %s; it first disagrees at ",
              f->best.differs ? "this" : "that the config is right");
        if (!s->is_inv_freq) {
            const size_t row = f->row < s->rows ? f->row : 0;
            print("row %zu, position %.15g, ", row, position_of(s, row, f->pair % s->pairs));
        }
        print("pair %zu%s\n", f->pair % s->pairs, f->best.differs || how_of(&f->best) ? ":" : "");
        print_nearest(s, f);
    }
    print_deviation(s, d, f->fewest == 0);
    print_measured(s, f, d);
}

#endif
