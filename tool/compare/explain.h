/* SPDX-License-Identifier: MIT */
/* Which mistake explains an array: each combination of at most two differences is computed, and
 * counts if all elements agree with it. */
#ifndef TOOL_EXPLAIN_H
#define TOOL_EXPLAIN_H

#include "moves.h"

enum { MOST_EXPLANATIONS = 64 };

/* Another name for the numbers of an explanation. */
typedef struct synonym {
    size_t of; /* index of the explanation */
    explanation other;
} synonym;

/* Explanations with the fewest differences, and where the nearest other one fails. */
typedef struct findings {
    size_t count;
    explanation of[MOST_EXPLANATIONS];
    size_t synonyms;
    synonym synonym[MOST_EXPLANATIONS];
    int fewest;          /* differences of these                                      */
    size_t best_matched; /* elements of the best that failed, and its first that does */
    explanation best;
    size_t row, pair;
    size_t most_passed; /* pairs whose eight rows agree with `passing`, which was not tried */
    explanation passing;
    double base; /* the config's */
    int has_config;
} findings;

/* Counts the elements that agree. Returns whether all do. What fails is remembered, if it is the
 * nearest so far. */
static int try_all(const samples *s, const explanation *e, findings *f)
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

/* Whether all elements agree. */
static int explains(const samples *s, const explanation *e, findings *f)
{
    size_t passed = 0;
    if (may_agree(s, e, &passed)) return try_all(s, e, f);
    if (passed > f->most_passed || !f->passing.of) f->most_passed = passed, f->passing = *e;
    return 0;
}

/* Whether two explanations have the same numbers, up to a relative distance of frequencies. */
static int are_same(const samples *s, const explanation *a, const explanation *b, double distance)
{
    if (!are_moved_alike(s, a, b) || fabs(a->factor - b->factor) > fmin(distance, 1e-6) ||
        a->is_swapped != b->is_swapped || a->is_negative != b->is_negative ||
        mistakes_of(a->how) != mistakes_of(b->how))
        return 0;
    for (size_t i = 0; i < s->pairs; i++)
        if (fabs(a->of->omega[i] - b->of->omega[i]) > distance * fabs(b->of->omega[i])) return 0;
    return 1;
}

/* Whether an explanation, or a synonym of it, has a set of differences. */
static int has_names(const findings *f, size_t k, differences differs)
{
    int has = f->of[k].differs == differs;
    for (size_t n = 0; n < f->synonyms && !has; n++)
        has = f->synonym[n].of == k && f->synonym[n].other.differs == differs;
    return has;
}

/* Returns whether an explanation has the numbers and the arithmetic of one that was found. Then its
 * elements also agree. */
static int is_found(const samples *s, const findings *f, const explanation *e)
{
    for (size_t k = 0; k < f->count; k++)
        if (f->of[k].how == e->how && are_same(s, &f->of[k], e, 1e-14)) return 1;
    return 0;
}

/* Returns the index of a kept explanation with about the same numbers and, among its names, the
 * same differences. Returns f->count if there is none. */
static size_t index_of_kept(const samples *s, const findings *f, const explanation *e)
{
    size_t k = 0;
    while (k < f->count && !(are_same(s, &f->of[k], e, 0.001) && has_names(f, k, e->differs))) k++;
    return k;
}

/* Keep an explanation, unless it has more differences than another, or says what another says. With
 * other names for exactly the same numbers it is a synonym. */
static void keep(const samples *s, findings *f, const explanation *e)
{
    const int count = count_differences(e->differs);
    if (f->count && count > f->fewest) return;
    if (f->count && count < f->fewest) f->count = f->synonyms = 0;
    f->fewest = count;
    for (size_t k = 0; k < f->count; k++) {
        if (!are_same(s, &f->of[k], e, 0.001)) continue;
        if (has_names(f, k, e->differs)) {
            if (f->of[k].how != e->how) f->of[k].is_how_known = 0;
            return;
        }
        if (!are_same(s, &f->of[k], e, 1e-12)) continue;
        if (f->synonyms < MOST_EXPLANATIONS) {
            f->synonym[f->synonyms].of = k;
            f->synonym[f->synonyms++].other = *e;
        }
        return;
    }
    if (f->count < MOST_EXPLANATIONS) f->of[f->count++] = *e;
}

/* If the config's frequencies fit, add other frequencies that also fit, because the rows are too
 * few to tell them apart. Of several with the same name, add one. Those with two differences are
 * not added. */
static void add_rivals(const samples *s, const spectra *all, findings *f)
{
    const explanation right = f->of[0];
    if (f->fewest != 0 || f->count == 0) return;
    for (size_t k = 0; k < all->count && f->count < MOST_EXPLANATIONS; k++) {
        explanation e = right;
        size_t n = 0;
        e.of = &all->of[k];
        e.differs = e.of->differs;
        if (count_differences(e.differs) > 1) continue;
        while (n < f->count && f->of[n].differs != e.differs) n++;
        if (n == f->count && !are_same(s, &right, &e, 0.001) && explains(s, &e, f))
            f->of[f->count++] = e;
    }
}

/* The same numbers with the arithmetics that come into question. */
static void try_arithmetics(const samples *s, explanation e, findings *f, differences given)
{
    for (int how = 0; how < ARITHMETIC_COUNT; how++) {
        explanation now = e;
        now.how = (arithmetic)how;
        now.differs = e.differs | given | mistakes_of(now.how);
        const int count = count_differences(now.differs);
        if (!are_few(now.differs) || (f->count && count > f->fewest)) continue;
        if (how == ARITHMETIC_CHAIN && (e.of->chain_base == 0 || s->is_inv_freq || s->axis))
            continue;
        if (s->is_inv_freq && how != ARITHMETIC_DOUBLE && how != ARITHMETIC_INV_FREQ_BF16 &&
            how != ARITHMETIC_INV_FREQ_F16)
            continue;
        /* at small positions float32 angles have the same numbers, and they are far more usual */
        if (is_mixed(now.how) && index_of_kept(s, f, &now) < f->count) continue;
        now.is_how_known = 1;
        if (is_found(s, f, &now) || explains(s, &now, f)) keep(s, f, &now);
    }
}

/* Returns YaRN's attention factor by one mscale: 0.1 mscale ln f + 1. */
static double factor_by_mscale(const pe_rope_config *c, double mscale)
{
    const double trained = trained_length(c);
    const double f = c->factor > 0 ? c->factor : (double)c->max_position_embeddings / trained;
    return f > 1 ? 0.1 * mscale * log(f) + 1 : 1;
}

/* Factors on cosines and sines, and the mistake that each is. */
typedef struct tried_factor {
    double factor;
    differences differs;
} tried_factor;

enum { MOST_FACTORS = 8 };

/* Lists the factors that come into question; with another scaling no factor is a mistake.
 * Returns how many there are. */
static size_t list_factors(const spectrum *of, double config, tried_factor *to)
{
    const double a = of->factor;
    const tried_factor own[] = {{a, 0},
                                {1, TOOL_DIFFERS(DIFFERS_FACTOR_ABSENT)},
                                {a * a, TOOL_DIFFERS(DIFFERS_FACTOR_SQUARED)},
                                {1 / a, TOOL_DIFFERS(DIFFERS_FACTOR_INVERSE)}};
    const tried_factor any[] = {{a, 0}, {1, 0}, {config, 0}, {config * config, 0}};
    size_t count = TOOL_COUNT(own);
    memcpy(to, of->has_any_factor ? any : own, sizeof own);
    if (of->has_any_factor || of->rope.rope_type != PE_ROPE_YARN) return count;
    const double scales[] = {1, of->rope.mscale, of->rope.mscale_all_dim};
    for (size_t k = 0; k < TOOL_COUNT(scales); k++) {
        const tried_factor by_mscale = {factor_by_mscale(&of->rope, scales[k]),
                                        TOOL_DIFFERS(DIFFERS_MSCALE_IGNORED)};
        int is_new = scales[k] > 0;
        for (size_t n = 0; n < count; n++)
            is_new = is_new && fabs(to[n].factor - by_mscale.factor) > 1e-9;
        if (is_new) to[count++] = by_mscale;
    }
    return count;
}

static void try_factors(const samples *s, explanation e, double config, findings *f,
                        differences given)
{
    tried_factor tried[MOST_FACTORS];
    const size_t count = list_factors(e.of, config, tried);
    for (size_t k = 0; k < count; k++) {
        explanation now = e;
        now.factor = tried[k].factor;
        now.differs |= tried[k].differs;
        if (k && (fabs(now.factor - tried[0].factor) < 1e-9 || s->is_inv_freq)) continue;
        const double size = s->is_inv_freq ? now.factor : s->tracks[0].amplitude;
        if (fabs(size - now.factor) > now.factor * (0x1p-20 + 2 * half_unit(s->type))) continue;
        try_arithmetics(s, now, f, given);
    }
}

/* What is expected of the order of columns: -1 where nothing is said. */
typedef struct expected {
    int are_neighbours, is_sine_first;
} expected;

/* Returns the differences that do not depend on numbers: the type of the elements, and the order of
 * columns. */
static differences given_differences(const samples *s, const spectrum *of, const expected *want)
{
    differences given = 0;
    const int interleaved =
        of->has_layout && want->are_neighbours >= 0 ? of->are_neighbours : want->are_neighbours;
    if (s->type != s->stored && s->type == NPY_BF16 && !s->is_inv_freq)
        given = TOOL_DIFFERS(DIFFERS_TABLE_BF16);
    if (s->type != s->stored && s->type == NPY_F16 && !s->is_inv_freq)
        given = TOOL_DIFFERS(DIFFERS_TABLE_F16);
    if ((s->is_doubled || s->is_table) && s->pairs > 1 && interleaved >= 0 &&
        s->are_neighbours != interleaved)
        given |= TOOL_DIFFERS(DIFFERS_COLUMN_ORDER);
    return given;
}

/* Tries a spectrum with sines and cosines exchanged or not, either sign of the sine, and each
 * way to move positions, if that makes so many differences. */
static void try_spectrum(const samples *s, const spectrum *of, double config, const expected *want,
                         int count, findings *f)
{
    static const differences moves[] = {0, TOOL_DIFFERS(DIFFERS_POSITION_OFFSET),
                                        TOOL_DIFFERS(DIFFERS_POSITIONS_CLAMPED),
                                        TOOL_DIFFERS(DIFFERS_POSITIONS_WRAPPED)};
    const differences given = given_differences(s, of, want);
    for (int way = 0; way < 16; way++) {
        if (s->is_inv_freq && way != 0 && way != 2) continue;
        explanation e;
        memset(&e, 0, sizeof e);
        e.differs = of->differs | moves[way >> 2];
        e.of = of;
        e.factor = of->factor;
        e.moved = (movement)(way >> 2);
        e.is_swapped = way & 1;
        e.is_negative = way >> 1 & 1;
        e.is_how_known = 1;
        if (want->is_sine_first >= 0 && want->is_sine_first != e.is_swapped)
            e.differs |= TOOL_DIFFERS(DIFFERS_SINE_COSINE);
        if (e.is_negative) e.differs |= TOOL_DIFFERS(DIFFERS_SIGN);
        const differences all = e.differs | given;
        if (count_differences(all) != count || !are_few(all)) continue;
        if (f->count && count > f->fewest) continue;
        if (find_move(s, &e)) try_factors(s, e, config, f, given);
    }
}

/* Find all explanations with the fewest differences. */
static void explain(const samples *s, const spectra *all, const expected *want, findings *f)
{
    memset(f, 0, sizeof *f);
    f->fewest = 99;
    for (int count = 0; count <= 3; count++)
        for (size_t k = 0; k < all->count; k++)
            try_spectrum(s, &all->of[k], all->of[0].factor, want, count, f);
    if (!f->count && !f->best_matched && f->passing.of) try_all(s, &f->passing, f);
}

#endif
