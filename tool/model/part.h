/* SPDX-License-Identifier: MIT */
/* Defines the results of reading a model's file: its parts, and notes about its keys. A part is a
 * set of layers that share one positional encoding. */
#ifndef TOOL_PART_H
#define TOOL_PART_H

#include "../files/enums.h"

#include "pe.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PARTS = 64, MOST_NOTES = 80, MOST_LAYERS = 4096, MOST_QUANTITIES = 4 };

/* Lists the kinds of notes in the order of their severity. If a part that is reported has a note of
 * kind NOTE_GUESS or a later one, the program returns status 1. A note of kind NOTE_WRONG also
 * prevents that a table of the part is computed. */
typedef enum note_kind {
    NOTE_UNDERSTOOD = 0, /* the key was read, and the text has its value                */
    NOTE_ODD,            /* the key does nothing, is unusual, or is missing with a default */
    NOTE_GUESS,          /* numbers may be wrong: the code is unknown, or programs differ */
    NOTE_UNREAD,         /* the key may change the numbers, but was not understood      */
    NOTE_WRONG           /* the key is missing or has a value that cannot be used       */
} note_kind;

/* Holds a message about a key of the model's file, a flag of the command line, or a file. */
typedef struct note {
    note_kind kind;
    char key[96];   /* the key as the user knows it, "rope_scaling.factor"; or flag, file */
    char text[320]; /* the message without the key                                 */
} note;

/* Lists the kinds of positional encodings. */
typedef enum part_kind {
    PART_ROPE = 0,
    PART_SINUSOIDAL,
    PART_LEARNED,
    PART_ALIBI,
    PART_T5,
    PART_RELATIVE, /* a learned vector for each distance of two positions          */
    PART_NONE,     /* no positional encoding                                       */
    PART_OTHER,    /* an encoding without rotation that posenc does not report     */
    PART_UNREAD,   /* unknown, because it could not be read: the notes say why     */
    PART_KIND_COUNT
} part_kind;

static const char *const kind_names[] = {"rope",     "sinusoidal", "learned", "alibi", "t5",
                                         "relative", "none",       "other",   "unread"};
TOOL_HAS_ALL(kind_names, PART_KIND_COUNT);

/* Holds one number of an encoding that does not rotate, for reports. */
typedef struct quantity {
    const char *name; /* "heads", "max_bias", "rows", "width", "buckets" or "max_distance" */
    double value;
} quantity;

/* Holds a part of a model: layers that share one encoding. It says how the encoding is computed,
 * and has the notes about its keys. free_parts() of tool/settings.h frees what is allocated. */
typedef struct part {
    char name[64]; /* "text", "vision", "full_attention" ... */
    part_kind kind;
    int are_layers_known;               /* 1: `layers` is complete; 0: it may lack layers  */
    size_t layer_count;                 /* the number of elements of `layers`              */
    unsigned short layers[MOST_LAYERS]; /* the part's layers, ascending; the first is 0    */
    /* This is how many last positions each of the layers attends to. It is 0 if they attend to all
     * positions, or if only some of them have a window. */
    size_t window;
    pe_config preset;    /* with PART_SINUSOIDAL: the config of the encoding           */
    pe_rope_config rope; /* with PART_ROPE: the rotation; points to the arrays below   */
    double *lists[2];    /* rope.short_factor and rope.long_factor; allocated, or NULL */
    float *factors;      /* rope.freq_factors; allocated, or NULL                      */
    /* For each pair, this array has the coordinate that rotates it, or 255 if the pair does not
     * rotate. The array is allocated. It is NULL if there is one coordinate, or if rope.sections
     * tells the coordinates. */
    uint8_t *coordinate;
    const char *order; /* with `coordinate`: how reports name this order of coordinates */
    /* With `coordinate`, this is the number of pairs of each coordinate: rope.sections may be 0. */
    size_t sections[PE_MAX_AXES];
    /* With @axes=woven or mixed (type_line.h), this is an allocated array of the frequencies of all
     * pairs, which no pe_rope_config can have. Otherwise it is NULL. */
    double *omega;
    /* This is 1 if the pairs are interleaved, but the model's code makes a table as for halves.
     * posenc compare then accepts both orders of columns. */
    int has_table_in_halves;
    int is_backward; /* 1: the rotation is by minus the position                        */
    int is_original; /* 1: rope.layout describes the weights of the model's own project */
    int is_gguf;     /* 1: rope.layout describes the weights in a GGUF file             */
    /* With is_gguf, this is a remark about the pairs in Hugging Face's weights. It is "" or NULL if
     * nothing is known about them. */
    const char *pairs_elsewhere;
    double logits; /* the factor by which the model's code also multiplies logits; 0: none */
    /* These four are the arguments kind, beta, shift and period of pe_rope_query_scale_f32(), which
     * computes factors for the queries. */
    pe_query_scale query_form;
    double query_beta;
    double query_shift;
    size_t query_period;   /* 0: the model does not scale queries by their position */
    size_t quantity_count; /* the number of elements of `quantities` */
    quantity quantities[MOST_QUANTITIES];
    size_t notes; /* the number of elements of `note` */
    note note[MOST_NOTES];
} part;

/* Returns how many bytes the character at c has in UTF-8, or 0 if its bytes are not well-formed by
 * table 3-7 of the Unicode Standard. The second byte has a smaller range after four lead bytes.
 * This excludes overlong forms (e0, f0), surrogates (ed) and numbers above 0x10ffff (f4). */
static size_t utf8_length(const unsigned char *c)
{
    const unsigned lead = c[0];
    const unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    const size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (length == 1) return 1;
    if (lead < 0xc2 || lead > 0xf4 || c[1] < low || c[1] > high) return 0;
    for (size_t k = 2; k < length; k++)
        if ((c[k] & 0xc0) != 0x80) return 0;
    return length;
}

/* Replaces by '?' each byte that must not be printed of a text from a file. These are control
 * characters, which a terminal would obey, and bytes that are not well-formed UTF-8, which JSON
 * forbids. Returns the text. */
static char *clean(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c;) {
        const size_t length = utf8_length(c);
        const int is_control = *c < 0x20 || *c == 0x7f || (*c == 0xc2 && c[1] < 0xa0);
        if (length == 0 || is_control) *c++ = '?';
        else c += length;
    }
    return text;
}

/* Returns the place for another note of this kind, or NULL if it is to be dropped. Once MOST_NOTES
 * notes are there, it is the last note of the least severe kind, if that kind is less severe. The
 * most severe kind of the notes, and with it the program's status, are then never lost. */
static note *place_of_note(part *p, note_kind kind)
{
    note *least = &p->note[0];
    if (p->notes < MOST_NOTES) return &p->note[p->notes++];
    for (size_t k = 1; k < MOST_NOTES; k++)
        if (p->note[k].kind <= least->kind) least = &p->note[k];
    return least->kind < kind ? least : NULL;
}

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
/* Adds a note about a key; see place_of_note(). */
static void say(part *p, note_kind kind, const char *key, const char *format, ...)
{
    note *const n = place_of_note(p, kind);
    va_list arguments;
    if (!n) return;
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

/* Returns whether all keys of a part were understood, so that the program may return status 0. */
static int is_good(const part *p)
{
    return !count_notes(p, NOTE_GUESS) && !count_notes(p, NOTE_UNREAD) &&
           !count_notes(p, NOTE_WRONG);
}

/* Adds a number for reports. More than MOST_QUANTITIES numbers are dropped. */
static void add_quantity(part *p, const char *name, double value)
{
    if (p->quantity_count == MOST_QUANTITIES) return;
    p->quantities[p->quantity_count].name = name;
    p->quantities[p->quantity_count++].value = value;
}

/* Adds an empty part, whose kind is PART_ROPE. Returns NULL if there are MOST_PARTS parts
 * already. */
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
