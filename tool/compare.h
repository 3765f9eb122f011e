/* SPDX-License-Identifier: MIT */
/* posenc compare: reads someone else's arrays, says what they are and how they differ from the
 * config. */
#ifndef TOOL_COMPARE_H
#define TOOL_COMPARE_H

#include "deviation.h"
#include "explain.h"
#include "report_json.h"
#include "table.h"

typedef struct compared {
    const char *cosines, *sines, *table, *inv_freq, *positions; /* names of files, or NULL */
    int has_config;
} compared;

/* Positions of the rows, by --positions: a range, a list, a file, or 0, 1, 2 ... NULL, or what is
 * wrong. */
static const char *place_samples(const char *text, samples *to)
{
    npy file = {0, 0, NPY_F64, 0, NULL};
    positions where;
    const char *error = NULL, *const dot = text ? strrchr(text, '.') : NULL;
    to->positions = new_numbers(to->rows);
    if (!to->positions) return "no memory";
    if (!text) {
        for (size_t r = 0; r < to->rows; r++) to->positions[r] = (double)r;
        return NULL;
    }
    memset(&where, 0, sizeof where);
    if (dot && strcmp(dot, ".npy") == 0) error = npy_read(text, &file);
    else error = read_positions(text, &where);
    const size_t count = file.of ? file.rows * file.columns : where.rows;
    if (!error && (file.of ? file.rows != 1 && file.columns != 1 : where.axes != 1))
        error = "one coordinate for each row is wanted";
    if (!error && count != to->rows) error = "their number is not that of the rows";
    for (size_t r = 0; !error && r < to->rows; r++) {
        to->positions[r] = file.of      ? file.of[r]
                           : where.list ? where.list[r]
                                        : (double)(where.at.first + (int64_t)r * where.at.step);
        if (!(fabs(to->positions[r]) <= 2147483648.0)) error = "positions are within 2^31";
    }
    free(file.of);
    free(where.list);
    return error;
}

/* Read a file of c; what is wrong is noted. */
static int read_array(const char *name, npy *to, part *notes)
{
    const char *const error = npy_read(name, to);
    if (error) say(notes, NOTE_WRONG, name, "%s", error);
    return !error;
}

/* The first file of c, or the only one. */
static const char *first_file(const compared *c)
{
    return c->inv_freq ? c->inv_freq : c->table ? c->table : c->cosines;
}

/* Reads the one or two files of c, whose arrays the caller frees. Returns 0, and notes why, if
 * something is wrong. */
static int read_arrays(const compared *c, npy *a, npy *b, part *notes)
{
    memset(b, 0, sizeof *b);
    return read_array(first_file(c), a, notes) && (!c->cosines || read_array(c->sines, b, notes));
}

/* Returns how many pairs a row of the part's own table has, or 0 without a config. */
static size_t pairs_expected(const compared *c, const part *p)
{
    if (!c->has_config) return 0;
    return p->kind == PART_SINUSOIDAL ? p->preset.d_model / 2 : pairs_of_rope(&p->rope);
}

/* What the config says of the order of columns. */
static expected expected_of(const compared *c, const part *p, int is_complex)
{
    expected want = {-1, c->table ? -1 : 0};
    if (!c->has_config) return want;
    if (p->kind == PART_SINUSOIDAL && c->table) {
        want.are_neighbours = p->preset.layout == PE_LAYOUT_INTERLEAVED;
        want.is_sine_first = !p->preset.cos_first;
    } else if (p->kind == PART_ROPE) {
        if (!c->table) want.are_neighbours = p->rope.layout == PE_LAYOUT_INTERLEAVED;
        if (is_complex) want.is_sine_first = 0;
    }
    return want;
}

/* Makes samples of one array, or of cosines and sines; free_samples() frees them. Returns 0, and
 * notes why, if something is wrong. */
static int take_samples(const compared *c, npy *a, const npy *b, samples *to, part *notes)
{
    const size_t pairs = pairs_expected(c, notes);
    const int is_beside = expected_of(c, notes, 0).are_neighbours == 1;
    const char *const name = first_file(c);
    memset(to, 0, sizeof *to);
    const char *error = a->type == NPY_INTEGER ? "floating-point numbers are wanted" : NULL;
    if (c->inv_freq && (a->rows != 1 || a->is_complex)) error = "one row of frequencies is wanted";
    to->stored = a->type;
    to->type = narrowest_type(a->of, a->rows * a->columns, a->type);
    if (!error && c->inv_freq) {
        to->is_inv_freq = 1;
        to->type = a->type == NPY_F64 ? NPY_F64 : NPY_F32;
        to->rows = 1;
        to->pairs = a->columns;
        to->cosines = a->of;
        a->of = NULL;
    } else if (!error)
        error = c->table ? take_one(a, pairs, is_beside, to) : take_two(a, b, pairs, is_beside, to);
    if (error) {
        say(notes, NOTE_WRONG, name, "%s", error);
        return 0;
    }
    if ((error = place_samples(c->inv_freq ? NULL : c->positions, to)) != NULL)
        say(notes, NOTE_WRONG, "--positions", "%s", error);
    else if (!measure(to)) say(notes, NOTE_WRONG, name, "no memory");
    return !count_notes(notes, NOTE_WRONG);
}

/* Whether the arrays are what pe computes, bit by bit. */
static int has_exact_bits(const samples *s, const explanation *e, const part *p)
{
    part own = *p;
    deviation d;
    if (e->is_negative || e->how != ARITHMETIC_DOUBLE || e->factor != e->of->factor) return 0;
    if (p->kind == PART_SINUSOIDAL ? e->of->base != 0 : !e->of->has_rope) return 0;
    if (p->kind == PART_ROPE) own.rope = e->of->rope;
    find_deviation(s, &own, NULL, e->offset, e->is_swapped, &d);
    const int is_same = d.by_pair && !d.wrong;
    free(d.by_pair);
    return is_same;
}

static const char *how_of(const explanation *e)
{
    if (e->differs & 1u << DIFFERS_TABLE_BF16) return "table_bf16";
    if (e->differs & 1u << DIFFERS_TABLE_F16) return "table_f16";
    if (e->is_exact) return "exact";
    return e->is_how_known || e->how >= ARITHMETIC_INV_FREQ_BF16 ? arithmetic_names[e->how] : NULL;
}

/* The first power of 2 at which two explanations have other numbers; 0 if there is none. */
static double telling_position(const samples *s, const explanation *a, const explanation *b)
{
    const double least = 4 * half_unit(s->type) + 0x1p-20;
    for (double p = 1; p <= 0x1p30; p *= 2)
        for (size_t i = 0; i < s->pairs; i++) {
            const double x = angle_by(a->how, a->of->omega[i], p + a->offset, 0);
            const double y = angle_by(b->how, b->of->omega[i], p + b->offset, 0);
            const double u[2] = {a->factor * cos(x), a->factor * sin(a->is_negative ? -x : x)};
            const double v[2] = {b->factor * cos(y), b->factor * sin(b->is_negative ? -y : y)};
            if (fabs(u[a->is_swapped] - v[b->is_swapped]) > least ||
                fabs(u[!a->is_swapped] - v[!b->is_swapped]) > least)
                return p;
        }
    return 0;
}

static double all_told_at(const samples *s, const findings *f)
{
    double last = 0;
    for (size_t a = 0; a < f->count; a++)
        for (size_t b = a + 1; b < f->count; b++)
            last = fmax(last, telling_position(s, &f->of[a], &f->of[b]));
    return last;
}

/* What a name means, for people. */
static const char *const difference_texts[] = {
    "the columns of a pair stand elsewhere: neighbours for halves, or halves for neighbours",
    "cosines and sines are exchanged",
    "sines have the other sign: angles are negative",
    "rows are those of other positions",
    "another base",
    "the frequencies are not scaled",
    "another scaling than the config's",
    "the frequencies are scaled twice",
    "cosines and sines are not multiplied by the attention factor",
    "cosines and sines are multiplied twice by the attention factor",
    "cosines and sines are divided by the attention factor",
    "other elements rotate, or another width divides the exponents",
    "frequencies were rounded to bfloat16",
    "frequencies were rounded to float16",
    "positions were rounded to bfloat16",
    "positions were rounded to float16",
    "cosines and sines were rounded to bfloat16",
    "cosines and sines were rounded to float16"};
TOOL_HAS_ALL(difference_texts, DIFFERENCE_COUNT);

/* What is said where nothing differs but, perhaps, the arithmetic. Without a config, base 10000 is
   what was expected. */
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
        print("; the angles were computed in %s", e->how == ARITHMETIC_DOUBLE ? "double"
                                                  : e->how == ARITHMETIC_FLOAT32
                                                      ? "float32"
                                                      : "float32, by ggml's chain");
    print("\n");
}

/* A line for each difference. */
static void print_explanation(const samples *s, const findings *f, const explanation *e,
                              const char *indent)
{
    const char *const how = how_of(e);
    for (int d = 0; d < DIFFERENCE_COUNT; d++) {
        if (!(e->differs >> d & 1)) continue;
        print("%s%s: %s", indent, difference_names[d], difference_texts[d]);
        if (d == DIFFERS_BASE) print(", %.15g for %.15g", e->of->base, f->base);
        if (d == DIFFERS_POSITION_OFFSET) print(", %+.15g", e->offset);
        if (d == DIFFERS_ROTARY_WIDTH) print(": %.15g", e->of->width);
        if (d == DIFFERS_SCALING_OTHER)
            print(": %s, factor %.15g%s", e->of->scaling, e->of->scaling_factor,
                  e->of->has_other_length ? ", another length" : "");
        print("\n");
    }
    if (!e->differs) print("%s", indent), print_right(s, f, e);
    if (how && e->how < ARITHMETIC_INV_FREQ_BF16 && strncmp(how, "table", 5) != 0)
        print("%sarithmetic: %s\n", indent, how);
}

/* Whether sines stand where the arrays were taken to have cosines, and should: not if their
   exchange is the mistake. */
static int stands_sine_first(const findings *f, const deviation *d)
{
    return d->is_sine_first && !(f->count == 1 && f->of[0].differs & 1u << DIFFERS_SINE_COSINE);
}

/* Measured with the columns exchanged, the angle x is pi / 2 - x. */
static track track_of(const samples *s, const findings *f, const deviation *d, size_t i)
{
    track t = s->tracks[i];
    if (stands_sine_first(f, d)) t.frequency = -t.frequency, t.phase = acos(0) - t.phase;
    return t;
}

static void print_measured(const samples *s, const findings *f, const deviation *d)
{
    print("  %zu row%s of %zu pairs in %s%s%s%s\n", s->rows, s->rows == 1 ? "" : "s", s->pairs,
          npy_types[s->stored], s->type != s->stored ? ", all of which " : "",
          s->type != s->stored ? npy_types[s->type] : "", s->type != s->stored ? " has" : "");
    if (s->is_doubled || s->is_table)
        print("  numbers of a pair stand %s%s%s\n", s->is_doubled ? "twice, " : "",
              s->are_neighbours ? "side by side" : "in halves",
              stands_sine_first(f, d) ? ", the sine first" : "");
    if (s->is_inv_freq || s->step == 0) return;
    print("  pair   amplitude   frequency      phase     noise%s%s\n",
          d->by_pair ? "     error" : "",
          s->step > 1 ? "     (frequencies but for multiples of 2 pi / step)" : "");
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

static void print_findings(const samples *s, const findings *f, const deviation *d)
{
    const double at = f->count > 1 ? all_told_at(s, f) : 0;
    if (f->count == 1) print_explanation(s, f, &f->of[0], "");
    else if (f->count) {
        print("cannot be told: %zu row%s\n", s->rows, s->rows == 1 ? " fits" : "s fit");
        for (size_t k = 0; k < f->count; k++) print_explanation(s, f, &f->of[k], "  ");
    } else print("not explained by any mistake that posenc knows\n");
    if (f->count > 1 && at > 0) print("rows at position %.15g and beyond tell them apart\n", at);
    if (f->count > 1 && !(at > 0)) print("no row tells them apart\n");
    if (!f->count && f->best_matched) {
        print("the nearest explanation fails first at ");
        if (!s->is_inv_freq)
            print("row %zu, position %.15g, ", f->row, s->positions[f->row < s->rows ? f->row : 0]);
        print("pair %zu:\n", f->pair);
        print_explanation(s, f, &f->best, "  ");
    }
    print_deviation(s, d, f->fewest == 0);
    print_measured(s, f, d);
}

static void json_explanation(const explanation *e, const char *indent)
{
    const char *before = "", *const how = how_of(e);
    print("%s\"differs\": [", indent);
    for (int d = 0; d < DIFFERENCE_COUNT; d++)
        if (e->differs >> d & 1) print("%s\"%s\"", before, difference_names[d]), before = ", ";
    print("],%s\"details\": {", indent);
    before = "";
    if (e->differs & 1u << DIFFERS_BASE) print("\"base\": %.17g", e->of->base), before = ", ";
    if (e->differs & 1u << DIFFERS_POSITION_OFFSET)
        print("%s\"offset\": %.17g", before, e->offset), before = ", ";
    if (e->differs & 1u << DIFFERS_ROTARY_WIDTH)
        print("%s\"rotary_dim\": %.17g", before, e->of->width), before = ", ";
    if (e->of->scaling)
        print("%s\"scaling\": \"%s\", \"factor\": %.17g", before, e->of->scaling,
              e->of->scaling_factor),
            before = ", ";
    print("},%s\"arithmetic\": ", indent);
    if (how) json_string(how);
    else print("null");
}

static void json_tracks(const samples *s, const findings *f, const deviation *d)
{
    static const char *const names[] = {"amplitude", "frequency", "offset", "noise", "error"};
    print("    \"rows\": %zu,\n    \"pairs\": %zu,\n    \"type\": \"%s\",\n    \"doubled\": %s,\n"
          "    \"layout\": \"%s\"",
          s->rows, s->pairs, npy_types[s->type], s->is_doubled ? "true" : "false",
          s->are_neighbours ? "neighbours" : "halves");
    for (size_t n = 0; n < TOOL_COUNT(names) - !d->by_pair; n++) {
        print(",\n    \"%s\": [", names[n]);
        for (size_t i = 0; i < s->pairs; i++) {
            const track t = track_of(s, f, d, i);
            const double numbers[] = {t.amplitude, t.frequency, t.phase, t.noise,
                                      d->by_pair ? d->by_pair[i] : 0};
            print(i ? ", " : "");
            json_double(numbers[n]);
        }
        print("]");
    }
}

static void json_findings(const samples *s, const findings *f, const deviation *d)
{
    print("{\n  \"explained\": %s,", f->count == 1 ? "true" : "false");
    if (f->count == 1) json_explanation(&f->of[0], "\n  ");
    else print("\n  \"differs\": null,\n  \"details\": {},\n  \"arithmetic\": null");
    print(",\n  \"candidates\": [");
    for (size_t k = 0; k < f->count && f->count > 1; k++) {
        print(k ? ",\n    {" : "\n    {");
        json_explanation(&f->of[k], " ");
        print("}");
    }
    const double at = f->count > 1 ? all_told_at(s, f) : 0;
    print("],\n  \"tell_apart\": ");
    json_double(at > 0 ? at : (double)NAN);
    json_deviation(s, d, f->fewest == 0);
    print(",\n  \"measured\": {\n");
    json_tracks(s, f, d);
    print("\n  }\n}\n");
}

/* Whether sines are expected where cosines stand. Where the config does not say, as the explanation
   has it, or the one that comes nearest. */
static int expects_sine_first(const expected *want, const findings *f)
{
    if (want->is_sine_first >= 0) return want->is_sine_first;
    return f->count ? f->of[0].is_swapped : f->best_matched && f->best.is_swapped;
}

/* Compares samples with a part; without a config the part gets the width that they have. Returns 1
 * if exactly one explanation fits. The explanations point to frequencies that are freed: only their
 * other members may be read afterwards. */
static int compare_samples(const compared *c, const samples *s, part *p, int is_json, findings *f)
{
    static spectra all;
    if (!c->has_config) p->kind = PART_ROPE, p->rope = pe_rope_config_default(2 * s->pairs);
    /* of M-RoPE the rows of text, whose coordinates are equal */
    if (p->kind == PART_ROPE && !p->rope.coordinate && p->rope.section_order != PE_SECTIONS_VISION)
        p->rope.axes = 1;
    const expected want = expected_of(c, p, s->is_complex);
    if (p->kind == PART_ROPE) spectra_of_rope(&all, &p->rope, s);
    else spectra_of_preset(&all, p, s);
    explain(s, &all, &want, f);
    add_rivals(s, &all, f);
    for (size_t k = 0; k < f->count; k++)
        f->of[k].is_exact = f->count == 1 && has_exact_bits(s, &f->of[k], p);
    for (size_t k = 0; k < f->count && f->count > 1; k++) f->of[k].is_how_known = 0;
    f->has_config = c->has_config;
    f->base = p->kind == PART_ROPE ? p->rope.rope_theta : p->preset.base;
    deviation d;
    find_deviation(s, p, all.count ? &all.of[0] : NULL, 0, expects_sine_first(&want, f), &d);
    if (all.count == 0)
        say(p, NOTE_WRONG, "compare",
            "%zu pairs in the arrays, but this part has another width, or several coordinates",
            s->pairs);
    else if (is_json) json_findings(s, f, &d);
    else print_findings(s, f, &d);
    const int is_told = all.count && f->count == 1;
    free(d.by_pair);
    free_spectra(&all);
    return is_told;
}

/* Compares the files of c with a part. Returns 1 if exactly one explanation fits, and sets
 * *differs. */
static int compare(const compared *c, part *p, int is_json, int *differs)
{
    static findings f;
    npy a, b;
    samples s;
    memset(&s, 0, sizeof s);
    const int is_told = read_arrays(c, &a, &b, p) && take_samples(c, &a, &b, &s, p) &&
                        compare_samples(c, &s, p, is_json, &f);
    *differs = is_told && f.of[0].differs != 0;
    free_samples(&s);
    free(a.of);
    free(b.of);
    return is_told;
}

#endif
