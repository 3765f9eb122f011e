/* SPDX-License-Identifier: MIT */
/* What the tool found out: a part of a model that rotates its heads in one way, or a sinusoidal
 * encoding, and the notes on its keys. */
#ifndef TOOL_PART_H
#define TOOL_PART_H

#include "pe.h"

#include <stdarg.h>
#include <stdio.h>

enum { MOST_PARTS = 16, MOST_NOTES = 80 };

typedef enum note_kind { NOTE_UNDERSTOOD = 0, NOTE_ODD, NOTE_WRONG } note_kind;

typedef struct note {
    note_kind kind;
    char key[96], text[320];
} note;

typedef struct part {
    char name[64]; /* "text", "vision", "full_attention" ...                         */
    int is_preset; /* 1: sinusoidal: preset; 0: RoPE: rope                           */
    int is_unread; /* 1: neither; there are notes only                               */
    pe_config preset;
    pe_rope_config rope; /* its lists are short_factor and long_factor below               */
    double *lists[2];    /* allocated, or NULL                                             */
    double logits;       /* what the model's code multiplies its logits by, or 0           */
    pe_query_scale query_form;
    double query_beta, query_shift;
    size_t query_period; /* pe_rope_query_scale_f32; 0: none                               */
    size_t notes;
    note note[MOST_NOTES];
} part;

/* Text of a file, for a terminal and as JSON: '?' for what controls a terminal or is no UTF-8. */
static char *clean(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c;) {
        const size_t length = *c < 0x80 ? 1 : *c < 0xe0 ? 2 : *c < 0xf0 ? 3 : 4;
        size_t k = 1;
        while (k < length && (c[k] & 0xc0) == 0x80)
            k++;
        const int is_good = *c < 0x80 ? *c >= 0x20 && *c != 0x7f : *c >= 0xc2 && *c < 0xf5;
        if (k < length || !is_good || (*c == 0xc2 && c[1] < 0xa0)) *c = '?', k = 1;
        c += k;
    }
    return text;
}

/* Note something on a key. Notes beyond MOST_NOTES are lost: but the last one is kept for an error. */
static void say(part *p, note_kind kind, const char *key, const char *format, ...)
{
    if (p->notes == MOST_NOTES && kind != NOTE_WRONG) return;
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
    for (size_t i = 0; i < p->notes; i++)
        count += p->note[i].kind == kind;
    return count;
}

#endif
