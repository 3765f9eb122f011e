/* SPDX-License-Identifier: MIT */
/* Finds the mistakes that explain an array. Each combination of a spectrum, a factor, an exchange
 * or a sign of sines, a change of positions, and an arithmetic is tried. It must have few
 * differences from the config, as are_few() of differences.h decides. It becomes an explanation if
 * all elements of the array agree with the numbers that it gives.
 *
 * An explanation (agree.h) says how an array was computed: with which frequencies and positions,
 * and in which arithmetic. A spectrum (spectrum.h) holds the frequencies of one rotation, and how
 * they differ from the config's. The numbers of an explanation are compared in the probe rows
 * first, which are eight rows spread over the array. */
#ifndef TOOL_EXPLAIN_H
#define TOOL_EXPLAIN_H

#include "moves.h"

enum { MOST_EXPLANATIONS = 64 };

/* Holds another name for the same numbers, such as another base in place of another width. */
typedef struct synonym {
    size_t of;         /* the index in findings.of[] of the explanation with these numbers */
    explanation other; /* the explanation by the other name                                */
} synonym;

/* Holds the explanations with the fewest differences that fit. If the config itself fits,
 * add_rivals() also adds rivals, which are explanations with one difference that fit too. If none
 * fits, `best` is the one that comes nearest. */
typedef struct findings {
    size_t count;                      /* the number of elements of of[]               */
    explanation of[MOST_EXPLANATIONS]; /* each has `fewest` differences; a rival has 1 */
    size_t synonyms;                   /* the number of elements of synonym[]          */
    synonym synonym[MOST_EXPLANATIONS];
    int fewest;          /* the number of differences of the explanations; 99: nothing fits       */
    size_t best_matched; /* the number of elements of `best` that agree, as try_all() counts them */
    explanation best;    /* the explanation with the most elements before one that fails          */
    size_t row;          /* with `best`: the row of the first element that fails                  */
    size_t pair;         /* with `best`: the pair of this element                                 */
    size_t most_passed;  /* the number of pairs that agree with `passing` in the probe rows       */
    /* This is the explanation with the most such pairs, of those that fail in the probe rows. If
     * there is none, passing.of is NULL. */
    explanation passing;
    double base;    /* the base of the config; set by judge_samples()               */
    int has_config; /* 0: no config, base 10000 is expected; set by judge_samples() */
} findings;

/* Returns whether all elements agree with an explanation. If not, it becomes f->best if more
 * elements agree than with f->best. Elements are counted up to the first that fails, pair after
 * pair: all rows of a pair come before the next pair. */
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

/* Returns whether all elements agree with an explanation. The probe rows are tested first. An
 * explanation that fails there becomes f->passing if more pairs pass than with f->passing, or if
 * it is the first that fails there. */
static int explains(const samples *s, const explanation *e, findings *f)
{
    size_t passed = 0;
    if (may_agree(s, e, &passed)) return try_all(s, e, f);
    if (passed > f->most_passed || !f->passing.of) f->most_passed = passed, f->passing = *e;
    return 0;
}

/* Returns whether two explanations have the same numbers. Then they have the same positions, the
 * same signs, the same roundings to 16 bits, and sines and cosines in the same arrays. The
 * relative distance of their frequencies is at most `distance`, and the distance of their factors
 * is at most `distance` and at most 10^-6. */
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

/* Returns whether explanation k, or a synonym of it, has exactly these differences. */
static int has_names(const findings *f, size_t k, differences differs)
{
    int has = f->of[k].differs == differs;
    for (size_t n = 0; n < f->synonyms && !has; n++)
        has = f->synonym[n].of == k && f->synonym[n].other.differs == differs;
    return has;
}

/* Returns whether an explanation with the same numbers and arithmetic was found before. Then all
 * elements also agree with this one, and need not be compared again. */
static int is_found(const samples *s, const findings *f, const explanation *e)
{
    for (size_t k = 0; k < f->count; k++)
        if (f->of[k].how == e->how && are_same(s, &f->of[k], e, 1e-14)) return 1;
    return 0;
}

/* Returns the index of an explanation in f->of[] that has about the same numbers, with frequencies
 * within 0.1 %, and that has the same differences, itself or in a synonym. Returns f->count if
 * there is none. */
static size_t index_of_kept(const samples *s, const findings *f, const explanation *e)
{
    size_t k = 0;
    while (k < f->count && !(are_same(s, &f->of[k], e, 0.001) && has_names(f, k, e->differs))) k++;
    return k;
}

/* Adds an explanation to the findings. If those that are there have more differences, they are
 * removed; if they have fewer, the new one is dropped. If one of them has the same differences and
 * about the same numbers, with frequencies within 0.1 %, the new one only shows that the
 * arithmetic is not known. If one has other differences and the same numbers, within 10^-12, the
 * new one becomes a synonym. Beyond MOST_EXPLANATIONS, explanations and synonyms are dropped. */
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

/* Adds explanations with one difference although the config itself fits. They also fit if the rows
 * are too few to tell, and the user has to know that. Only other frequencies are tried, with
 * everything else as in the explanation that was found first. If several have the same difference,
 * only one is added. */
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

/* Tries an explanation with each arithmetic, and keeps those that fit. `given` is the result of
 * given_differences(). An arithmetic is left out if it makes the differences too many, and CHAIN
 * if the frequencies are not those of a chain or positions have several coordinates. An array of
 * frequencies shows only whether frequencies were rounded to 16 bits, so three arithmetics are
 * tried on it. */
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
        /* At small positions, angles in float32 and in double are equal. Float32 angles are far
         * more usual, so double angles of float32 frequencies are then not reported. */
        if (is_mixed(now.how) && index_of_kept(s, f, &now) < f->count) continue;
        now.is_how_known = !(s->is_inv_freq && how == ARITHMETIC_DOUBLE); /* no angles there */
        if (is_found(s, f, &now) || explains(s, &now, f)) keep(s, f, &now);
    }
}

/* Returns YaRN's attention factor with one mscale, 0.1 mscale ln(factor) + 1, or 1 if the
 * scaling's factor is at most 1. */
static double factor_by_mscale(const pe_rope_config *c, double mscale)
{
    const double trained = trained_length(c);
    const double f = c->factor > 0 ? c->factor : (double)c->max_position_embeddings / trained;
    return f > 1 ? 0.1 * mscale * log(f) + 1 : 1;
}

/* Holds a factor on cosines and sines that is tried. */
typedef struct tried_factor {
    double factor;
    differences differs; /* the mistake that gives this factor, as a set; 0: it is none */
} tried_factor;

enum { MOST_FACTORS = 8 };

/* Writes the attention factors that are tried with a spectrum to to[], which has room for
 * MOST_FACTORS, and returns their number. `config` is the config's own factor. If the spectrum has
 * has_any_factor, the code may have the spectrum's factor, none, the config's or its square, and
 * none of them counts as a further mistake. Otherwise the spectrum's factor is right, and 1, its
 * square and its inverse are mistakes; with YaRN, factors with one mscale are also tried as
 * mistakes. */
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

/* Tries an explanation with each factor that matches the measured amplitude of pair 0. An array of
 * frequencies has no amplitude, so the first factor alone is tried on it. */
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

/* Says which order of columns the config expects. A field is -1 if the config says nothing about
 * it. */
typedef struct expected {
    int are_neighbours; /* 1: the pairs are interleaved; 0: halves                             */
    int is_sine_first;  /* 1: the first number of a pair (in --cos) is the sine; 0: the cosine */
} expected;

/* Returns the differences that arrays have with every explanation by a spectrum, because the
 * explanation cannot change them. These are elements rounded to 16 bits in a file of a wider type,
 * and another order of columns than expected. */
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

/* Tries a spectrum in 16 ways: sines and cosines exchanged or not, either sign of the sine, and
 * positions not moved or moved in one of three ways. For an array of frequencies, only the sign
 * matters. Only those ways are tried that have exactly `count` differences, without those of the
 * factor and of the arithmetic. `config` is the config's own factor. */
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

/* Finds all explanations with the fewest differences, and writes them to *f. They are tried in the
 * order of the number of differences that try_spectrum() counts, so that a simple explanation ends
 * the search for longer ones. The number is at most 2: are_few() allows three differences only if
 * all are roundings to 16 bits, and try_spectrum() counts at most one of these. If none fits or
 * comes near, f->passing is compared in full, so that the report has a nearest one. */
static void explain(const samples *s, const spectra *all, const expected *want, findings *f)
{
    memset(f, 0, sizeof *f);
    f->fewest = 99;
    for (int count = 0; count <= 2; count++)
        for (size_t k = 0; k < all->count; k++)
            try_spectrum(s, &all->of[k], all->of[0].factor, want, count, f);
    if (!f->count && !f->best_matched && f->passing.of) try_all(s, &f->passing, f);
}

#endif
