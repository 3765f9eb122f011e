/* SPDX-License-Identifier: MIT */
/* Does the work of `posenc compare`. It reads the arrays of other code, finds which numbers they
 * have, and finds how these differ from what the config says.
 *
 * A part (model/part.h) is a set of layers that share one positional encoding. A note is a message
 * about a key, a flag or a file. An explanation (agree.h) says how an array was computed: with
 * which frequencies and positions, and in which arithmetic. A spectrum (spectrum.h) holds the
 * frequencies of one rotation, and how they differ from the config's. */
#ifndef TOOL_JUDGE_H
#define TOOL_JUDGE_H

#include "deviation.h"
#include "explain.h"

/* Holds the names of the files to compare. A name that is not given is NULL. */
typedef struct compared {
    const char *cosines;
    const char *sines;
    const char *table;     /* cosines and sines in one array                    */
    const char *inv_freq;  /* frequencies                                       */
    const char *positions; /* the value of --positions; NULL: 0, 1, 2 ...       */
    int has_config;        /* 0: no config is given, and base 10000 is expected */
} compared;

/* Returns how many coordinates a position has in the part's rotation. This is 1 without a config,
 * and for an encoding that is no rotation. */
static size_t coordinates_of(const compared *c, const part *p)
{
    return c->has_config && p->kind == PART_ROPE && p->rope.axes > 1 ? p->rope.axes : 1;
}

/* Lists the coordinate that rotates each pair in to->axis, by the part's list of coordinates or,
 * without one, by its sections. A pair that does not rotate, which has 255 in the list, gets 0.
 * Returns 0 without memory. */
static int list_axes(const part *p, samples *to)
{
    const pe_rope_config *const c = &p->rope;
    size_t a = 0, end = c->sections[0];
    to->axis = (uint8_t *)calloc(to->pairs + 1, 1);
    for (size_t i = 0; to->axis && i < to->pairs; i++) {
        const size_t axis = i % c->axes;
        while (i >= end && a + 1 < c->axes) end += c->sections[++a];
        if (c->coordinate) to->axis[i] = c->coordinate[i] == 255 ? 0 : c->coordinate[i];
        else if (c->section_order == PE_SECTIONS_INTERLEAVED)
            to->axis[i] = i < c->axes * c->sections[axis] ? (uint8_t)axis : 0;
        else to->axis[i] = (uint8_t)a;
    }
    return to->axis != NULL;
}

/* Returns coordinate a of the position of row r in a list, a range or a grid. The last coordinate
 * of a grid changes fastest. */
static double coordinate_at(const positions *where, size_t r, size_t a)
{
    if (where->list) return where->list[r * where->axes + a];
    if (where->axes == 1 && !where->positions.size[0])
        return (double)(where->positions.first + (int64_t)r * where->positions.step);
    for (size_t k = where->axes - 1; k > a; k--) r /= where->positions.size[k];
    return (double)(r % where->positions.size[a]);
}

/* Writes the positions of the arrays' rows to to->positions. `text` is the value of --positions: a
 * range, a list, a grid, or the name of a .npy file; NULL means 0, 1, 2 ... Positions have one
 * coordinate, or `coordinates` many, which is the number of the part; with several, to->axis is
 * also set. Returns NULL on success, otherwise an error message. */
static const char *place_samples(const char *text, const part *p, size_t coordinates, samples *to)
{
    npy file = {0, 0, NPY_F64, 0, NULL};
    positions where;
    const char *error = NULL, *const dot = text ? strrchr(text, '.') : NULL;
    memset(&where, 0, sizeof where);
    where.positions = pe_from_by(0, 1), where.axes = 1, where.rows = to->rows;
    if (dot && strcmp(dot, ".npy") == 0) error = npy_read(text, &file);
    else if (text) error = read_positions(text, &where);
    if (file.of) {
        const int is_line = file.rows == 1 || (file.columns == 1 && coordinates == 1);
        where.axes = is_line ? 1 : file.columns;
        where.rows = is_line ? file.rows * file.columns : file.rows;
        where.list = file.of;
    }
    to->axes = where.axes;
    if (!error && where.axes != 1 && where.axes != coordinates)
        error = coordinates == 1 ? "one coordinate for each row is wanted"
                                 : "one coordinate for each row is wanted, or all of the part's";
    if (!error && where.rows != to->rows) error = "their number is not that of the rows";
    if (!error && !(to->positions = new_numbers(to->rows * to->axes))) error = "no memory";
    if (!error && to->axes > 1 && pairs_of_rope(&p->rope) != to->pairs)
        error = "one coordinate for each row is wanted: the arrays have another number of pairs";
    if (!error && to->axes > 1 && !list_axes(p, to)) error = "no memory";
    for (size_t k = 0; !error && k < to->rows * to->axes; k++) {
        to->positions[k] = coordinate_at(&where, k / to->axes, k % to->axes);
        if (!(fabs(to->positions[k]) <= 2147483648.0)) error = "positions are within 2^31";
    }
    free(where.list);
    return error;
}

/* Reads a .npy file. Returns 0, and adds a note, if that fails. */
static int read_array(const char *name, npy *to, part *notes)
{
    const char *const error = npy_read(name, to);
    if (error) say(notes, NOTE_WRONG, name, "%s", error);
    return !error;
}

/* Returns the name of the only file with numbers: of frequencies, or of cosines and sines. If
 * cosines and sines are in two files, returns the name of the cosines' file. */
static const char *first_file(const compared *c)
{
    return c->inv_freq ? c->inv_freq : c->table ? c->table : c->cosines;
}

/* Reads the files with numbers: the file of first_file() into *a and, if cosines and sines are in
 * two files, the sines into *b. The caller frees a->of and b->of in both cases. Returns 0, and
 * adds a note, if that fails. */
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

/* Returns the order of columns that is expected. With --cos and --sin, the cosines must be in --cos,
 * even without a config; nothing else is expected without one. With --table, a sinusoidal encoding
 * expects its own order. RoPE then leaves it open, but complex numbers begin with the cosine. With
 * --cos and --sin, RoPE expects the order of its pairs, unless the part has has_table_in_halves;
 * given_differences() uses this only if each number is there twice. */
static expected expected_of(const compared *c, const part *p, int is_complex)
{
    expected want = {-1, c->table ? -1 : 0};
    if (!c->has_config) return want;
    if (p->kind == PART_SINUSOIDAL && c->table) {
        want.are_neighbours = p->preset.layout == PE_LAYOUT_INTERLEAVED;
        want.is_sine_first = !p->preset.cos_first;
    } else if (p->kind == PART_ROPE) {
        if (!c->table && !p->has_table_in_halves)
            want.are_neighbours = p->rope.layout == PE_LAYOUT_INTERLEAVED;
        if (is_complex) want.is_sine_first = 0;
    }
    return want;
}

/* Brings one array (a), or cosines (a) and sines (b), into the form of samples, and measures them.
 * They are compared with the part *p, which gets the notes. An array of frequencies moves from
 * a->of to to->cosines. The caller frees *to with free_samples() in both cases. Returns 0, and adds
 * a note, if that fails. */
static int take_samples(const compared *c, npy *a, const npy *b, samples *to, part *p)
{
    const size_t pairs = pairs_expected(c, p);
    const int is_beside = expected_of(c, p, 0).are_neighbours == 1;
    const char *const name = first_file(c);
    memset(to, 0, sizeof *to);
    const char *error = a->type == NPY_INTEGER ? "floating-point numbers are wanted" : NULL;
    if (!error && c->cosines && a->type != b->type) {
        say(p, NOTE_WRONG, c->sines, "has %s, but %s has %s: save both in one type",
            npy_types[b->type], c->cosines, npy_types[a->type]);
        return 0;
    }
    if (c->inv_freq && (a->rows != 1 || a->is_complex)) error = "one row of frequencies is wanted";
    to->stored = a->type;
    to->type = narrowest_type(a, b);
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
        say(p, NOTE_WRONG, name, "%s", error);
        return 0;
    }
    if ((error = place_samples(c->inv_freq ? NULL : c->positions, p, coordinates_of(c, p), to)) !=
        NULL)
        say(p, NOTE_WRONG, "--positions", "%s", error);
    else if (!measure(to)) say(p, NOTE_WRONG, name, "no memory");
    return !count_notes(p, NOTE_WRONG);
}

/* Returns whether the arrays are exactly what pe computes for the encoding of an explanation.
 * Returns 0 without a comparison if the explanation has sines of the other sign, angles that are
 * not those in double, or an attention factor that is not its spectrum's. The same holds for
 * frequencies that are not those of a pe_rope_config or, for a sinusoidal encoding, that have
 * another base. */
static int has_exact_bits(const samples *s, const explanation *e, const part *p)
{
    part own = *p;
    deviation d;
    if (e->is_negative || e->how != ARITHMETIC_DOUBLE || e->factor != e->of->factor) return 0;
    if (p->kind == PART_SINUSOIDAL ? e->of->base != 0 : !e->of->has_rope) return 0;
    if (p->kind == PART_ROPE) own.rope = e->of->rope;
    if (s->axis) {
        own.rope.axes = p->rope.axes;
        own.rope.coordinate = p->rope.coordinate;
        own.rope.coordinate_length = p->rope.coordinate_length;
        own.rope.section_order = p->rope.section_order;
        memcpy(own.rope.sections, p->rope.sections, sizeof own.rope.sections);
    }
    find_deviation(s, &own, NULL, e, e->is_swapped, &d);
    const int is_same = d.by_pair && !d.wrong;
    free(d.by_pair);
    return is_same;
}

/* Returns the first power of 2 at which two explanations have clearly different numbers, or 0 if
 * there is none up to 2^30. The user is told to compare rows at this position. */
static double telling_position(const samples *s, const explanation *a, const explanation *b)
{
    const double minimum = 4 * half_unit(s->type) + 0x1p-20;
    for (double p = 1; p <= 0x1p30; p *= 2)
        for (size_t i = 0; i < s->pairs; i++) {
            const double x = angle_by(a->how, a->of->omega[i], moved_position(a, p), 0);
            const double y = angle_by(b->how, b->of->omega[i], moved_position(b, p), 0);
            const double u[2] = {a->factor * cos(x), a->factor * sin(a->is_negative ? -x : x)};
            const double v[2] = {b->factor * cos(y), b->factor * sin(b->is_negative ? -y : y)};
            if (fabs(u[a->is_swapped] - v[b->is_swapped]) > minimum ||
                fabs(u[!a->is_swapped] - v[!b->is_swapped]) > minimum)
                return p;
        }
    return 0;
}

/* Returns the largest telling_position() of any two explanations that fit. Rows at this position
 * tell all of them apart, except those that no position up to 2^30 tells apart. */
static double all_told_at(const samples *s, const findings *f)
{
    double last = 0;
    for (size_t a = 0; a < f->count; a++)
        for (size_t b = a + 1; b < f->count; b++)
            last = fmax(last, telling_position(s, &f->of[a], &f->of[b]));
    return last;
}

/* Returns whether the arrays called cosines should have sines. If the config does not say, it is
 * as in the first explanation that fits or, if none fits, as in the one that comes nearest. */
static int expects_sine_first(const expected *want, const findings *f)
{
    if (want->is_sine_first >= 0) return want->is_sine_first;
    return f->count ? f->of[0].is_swapped : f->best_matched && f->best.is_swapped;
}

/* Holds the results of a comparison. */
typedef struct verdict {
    samples s;   /* the arrays                                    */
    spectra all; /* the frequencies that were tried               */
    findings f;  /* the explanations that fit, or the nearest one */
    deviation d; /* the errors against the part's own table       */
    int is_told; /* 1: exactly one explanation fits               */
} verdict;

static void free_verdict(verdict *v)
{
    free(v->d.by_pair);
    free_spectra(&v->all);
    free_samples(&v->s);
}

/* Compares the arrays in v->s with a part. `of` has all parts of its config. Without a config, the
 * part becomes a rotation with base 10000 and as many pairs as the arrays have. Returns 0, and
 * adds a note, if there are no frequencies to try. This happens if the part has another number of
 * pairs, and no known mistake gives the arrays' number. It also happens if the part has a list of
 * frequencies of its own, or has PE_SECTIONS_VISION while positions have one coordinate. */
static int judge_samples(const compared *c, part *p, const siblings *of, verdict *v)
{
    const samples *const s = &v->s;
    findings *const f = &v->f;
    if (!c->has_config) p->kind = PART_ROPE, p->rope = pe_rope_config_default(2 * s->pairs);
    /* Positions with one coordinate are those of text: all coordinates of the rotation are equal,
     * so the part is treated like one with a single coordinate. A list of coordinates stays, since
     * its pairs with 255 do not rotate, and PE_SECTIONS_VISION, since each of its coordinates has
     * the first frequencies again. */
    if (p->kind == PART_ROPE && !s->axis && !p->rope.coordinate &&
        p->rope.section_order != PE_SECTIONS_VISION)
        p->rope.axes = 1;
    const expected want = expected_of(c, p, s->is_complex);
    if (p->kind == PART_ROPE) spectra_of_rope(&v->all, p, of, s);
    else spectra_of_preset(&v->all, p, s);
    explain(s, &v->all, &want, f);
    add_rivals(s, &v->all, f);
    for (size_t k = 0; k < f->count; k++)
        f->of[k].is_exact = f->count == 1 && has_exact_bits(s, &f->of[k], p);
    for (size_t k = 0; k < f->count && f->count > 1; k++) f->of[k].is_how_known = 0;
    f->has_config = c->has_config;
    f->base = p->kind == PART_ROPE ? p->rope.rope_theta : p->preset.base;
    find_deviation(s, p, v->all.count ? &v->all.of[0] : NULL, NULL, expects_sine_first(&want, f),
                   &v->d);
    v->is_told = v->all.count && f->count == 1;
    if (v->all.count) return 1;
    say(p, NOTE_WRONG, "compare",
        "%zu pairs in the arrays, but this part has another width, or several coordinates",
        s->pairs);
    return 0;
}

/* Compares the files of c with a part. `of` has all parts of its config. Returns 0, and adds a
 * note, if there is nothing to report. The caller frees *v with free_verdict() in both cases. */
static int judge(const compared *c, part *p, const siblings *of, verdict *v)
{
    npy a, b;
    memset(v, 0, sizeof *v);
    const int is_judged = read_arrays(c, &a, &b, p) && take_samples(c, &a, &b, &v->s, p) &&
                          judge_samples(c, p, of, v);
    free(a.of);
    free(b.of);
    return is_judged;
}

#endif
