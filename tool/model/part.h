/* SPDX-License-Identifier: MIT */
/* What the program found out: a part of a model, that is layers that share an encoding, and the
 * notes on the keys that it was read from. */
#ifndef TOOL_PART_H
#define TOOL_PART_H

#include "../files/enums.h"

#include "pe.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PARTS = 64, MOST_NOTES = 80, MOST_LAYERS = 4096, MOST_FACTS = 4 };

/* What is a guess, was not understood or is wrong makes the status 1. A table is refused only if a key is
 * wrong. */
typedef enum note_kind {
    NOTE_UNDERSTOOD = 0,
    NOTE_ODD,
    NOTE_GUESS, /* the numbers may be wrong: nobody has told posenc what the model's code does */
    NOTE_UNREAD,
    NOTE_WRONG
} note_kind;

typedef struct note {
    note_kind kind;
    char key[96], text[320];
} note;

typedef enum part_kind {
    PART_ROPE = 0,
    PART_SINUSOIDAL,
    PART_LEARNED,
    PART_ALIBI,
    PART_T5,
    PART_RELATIVE, /* learned vectors of distances */
    PART_NONE,     /* no positional encoding       */
    PART_OTHER,    /* not a rotation; which encoding it is, posenc does not tell */
    PART_UNREAD,   /* there are notes only         */
    PART_KIND_COUNT
} part_kind;

static const char *const kind_names[] = {"rope",     "sinusoidal", "learned", "alibi", "t5",
                                         "relative", "none",       "other",   "unread"};
TOOL_HAS_ALL(kind_names, PART_KIND_COUNT);

/* A number of an encoding that is no rotation: heads, rows, buckets ... */
typedef struct fact {
    const char *name;
    double value;
} fact;

typedef struct part {
    char name[64]; /* "text", "vision", "full_attention" ...                          */
    part_kind kind;
    int are_layers_known; /* 0: the file does not say which layers there are          */
    size_t layer_count;
    unsigned short layers[MOST_LAYERS]; /* ascending                                  */
    size_t window;                      /* 0: attention to all earlier positions      */
    pe_config preset;                   /* PART_SINUSOIDAL                            */
    pe_rope_config rope;                /* PART_ROPE; its lists are those below       */
    double *lists[2];                   /* short_factor, long_factor: allocated, or NULL */
    float *factors;                     /* freq_factors: allocated, or NULL           */
    uint8_t *coordinate;                /* which coordinate each pair has: allocated, or NULL */
    const char *order;                  /* the name of the order that coordinate has  */
    size_t sections[PE_MAX_AXES];       /* of coordinate                              */
    double *omega;               /* frequencies that no pe_rope_config has: allocated, or NULL */
    int has_table_in_halves;     /* 1: pairs are neighbours, but the code's table is cat(f, f) */
    int is_backward;             /* 1: the rotation is by minus the position   */
    int is_original;             /* 1: its pairs are those of a project's own file */
    int is_gguf;                 /* 1: its pairs are those of a GGUF file      */
    const char *pairs_elsewhere; /* what to say of Hugging Face's pairs; NULL: nothing */
    double logits;               /* what the model's code multiplies its logits by, or 0 */
    pe_query_scale query_form;
    double query_beta, query_shift;
    size_t query_period; /* pe_rope_query_scale_f32; 0: none                          */
    size_t facts;
    fact fact[MOST_FACTS];
    size_t notes;
    note note[MOST_NOTES];
} part;

/* Text of a file, for a terminal and as JSON: '?' for what controls a terminal or is no UTF-8. */
static char *clean(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c;) {
        const size_t length = *c < 0x80 ? 1 : *c < 0xe0 ? 2 : *c < 0xf0 ? 3 : 4;
        size_t k = 1;
        while (k < length && (c[k] & 0xc0) == 0x80) k++;
        const int is_good = *c < 0x80 ? *c >= 0x20 && *c != 0x7f : *c >= 0xc2 && *c < 0xf5;
        if (k < length || !is_good || (*c == 0xc2 && c[1] < 0xa0)) *c = '?', k = 1;
        c += k;
    }
    return text;
}

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
/* Note something on a key. Notes beyond MOST_NOTES are lost: but the last one is kept for an
 * error. */
static void say(part *p, note_kind kind, const char *key, const char *format, ...)
{
    if (p->notes == MOST_NOTES && kind < NOTE_UNREAD) return;
    note *const n = &p->note[p->notes < MOST_NOTES ? p->notes++ : MOST_NOTES - 1];
    va_list arguments;
    va_start(arguments, format);
    n->kind = kind;
    snprintf(n->key, sizeof n->key, "%s", key);
    vsnprintf(n->text, sizeof n->text, format, arguments);
    va_end(arguments);
    clean(n->key);
    clean(n->text);
}

static size_t count_notes(const part *p, note_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < p->notes; i++) count += p->note[i].kind == kind;
    return count;
}

/* Returns whether all that was given was understood and used. */
static int is_good(const part *p)
{
    return !count_notes(p, NOTE_GUESS) && !count_notes(p, NOTE_UNREAD) &&
           !count_notes(p, NOTE_WRONG);
}

static void add_fact(part *p, const char *name, double value)
{
    if (p->facts == MOST_FACTS) return;
    p->fact[p->facts].name = name;
    p->fact[p->facts++].value = value;
}

static part *add_part(part *parts, size_t *count, const char *name)
{
    if (*count == MOST_PARTS) return NULL;
    part *const p = &parts[(*count)++];
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "%s", name);
    clean(p->name);
    return p;
}

#endif
