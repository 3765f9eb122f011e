/* SPDX-License-Identifier: MIT */
/* Prints parts as text, for people.
 *
 * A part (model/part.h) is a set of layers that share one positional encoding. A note is a message
 * about a key, a flag or a file. */
#ifndef TOOL_REPORT_TEXT_H
#define TOOL_REPORT_TEXT_H

#include "../model/keys.h"
#include "../model/names.h"
#include "print.h"
#include "../model/plan.h"

static const char *pairs_of(const part *p)
{
    return p->rope.layout == PE_LAYOUT_HALVES ? "halves" : "neighbours";
}

/* Returns the name of the order in which the coordinates share the pairs. Unless the part has a
 * name of its own for it, the name is for people or, with is_json, for JSON. */
static const char *order_of(const part *p, int is_json)
{
    const section_order_names *const names = names_of_order(p->rope.section_order);
    return p->order ? p->order : is_json ? names->json : names->text;
}

/* Returns how many pairs coordinate `axis` has. */
static size_t section_of(const part *p, size_t axis)
{
    return (p->coordinate ? p->sections : p->rope.sections)[axis];
}

/* Prints the notes of one kind, one per line. Each line begins with `word`. */
static void print_notes(const part *p, note_kind kind, const char *word)
{
    for (size_t i = 0; i < p->notes; i++)
        if (p->note[i].kind == kind)
            print("  %-9s%-40s %s\n", word, p->note[i].key, p->note[i].text);
}

/* Prints the layers of a part, with ranges, as in ", layers 0-2, 4-6". Prints nothing if they are
 * not known or if there are none. */
static void print_layers(const part *p)
{
    if (!p->are_layers_known || p->layer_count == 0) return;
    print(", layer%s", p->layer_count > 1 ? "s" : "");
    for (size_t k = 0; k < p->layer_count; k++) {
        size_t last = k;
        while (last + 1 < p->layer_count && p->layers[last + 1] == p->layers[last] + 1) last++;
        print("%s%d", k ? ", " : " ", (int)p->layers[k]);
        if (last > k) print("%s%d", last == k + 1 ? ", " : "-", (int)p->layers[last]);
        k = last;
    }
}

static void print_rotation(const part *p)
{
    const pe_rope_config *const c = &p->rope;
    print("  rotates %s%zu of %zu elements, pairs are %s\n", c->rotary_offset ? "the last " : "",
          rotary_of(c), c->head_dim,
          c->rope_interleave              ? "read adjacent, (2i, 2i + 1), and written as halves"
          : c->layout == PE_LAYOUT_HALVES ? "halves, (i, i + n/2)"
                                          : "neighbours, (2i, 2i + 1)");
    if (p->is_gguf)
        print("  these are the pairs of the GGUF file%s%s\n",
              p->pairs_elsewhere && p->pairs_elsewhere[0] ? "; " : "",
              p->pairs_elsewhere ? p->pairs_elsewhere : "");
    if (p->is_original)
        print(
            "  these are the pairs of the project's own weights; Hugging Face's file has others\n");
    if (c->freq_factors) print("  frequencies divided by %zu factors\n", c->freq_factors_length);
    print("  base %.15g, rope_type %s", c->rope_theta, type_names[c->rope_type].report);
    if (c->rope_type != PE_ROPE_DEFAULT && c->factor > 0) print(", factor %.15g", c->factor);
    if (c->rope_type != PE_ROPE_DEFAULT && c->original_max_position_embeddings)
        print(", trained on %zu positions", c->original_max_position_embeddings);
    if (p->is_backward) print("\n  rotates backwards: by minus the position");
    print("\n  cosine and sine times %.17g, the attention factor\n", attention_of(p));
    if (c->axes > 1) {
        print("  %zu coordinates, pairs", c->axes);
        for (size_t a = 0; a < c->axes; a++) print("%s%zu", a ? ", " : " ", section_of(p, a));
        print(", %s\n", order_of(p, 0));
    }
    if (p->window) print("  attention to the last %zu positions\n", p->window);
    if (p->logits > 0) print("  logits also times %.9g, by the model's own code\n", p->logits);
    if (p->query_period)
        print(p->query_form == PE_QUERY_SCALE_LOG
                  ? "  queries times max(1, 1 + %.15g ln((p + %g) / %zu)): PE_QUERY_SCALE_LOG\n"
                  : "  queries times 1 + %.15g ln(1 + floor((p + %g) / %zu)): "
                    "PE_QUERY_SCALE_FLOOR\n",
              p->query_beta, p->query_shift, p->query_period);
}

static void print_part(part *p, int has_frequencies)
{
    static const char *const kinds[] = {"RoPE",
                                        "a sinusoidal encoding",
                                        "learned vectors, one a position",
                                        "ALiBi, slopes of distances",
                                        "T5's buckets of distances",
                                        "learned vectors, one a distance: nothing rotates",
                                        "no positional encoding, nothing rotates",
                                        "another encoding, nothing rotates",
                                        "not read"};
    TOOL_HAS_ALL(kinds, PART_KIND_COUNT);
    size_t pairs = 0;
    double *const omega = frequencies_of(p, &pairs);
    print("%s", p->name);
    print_layers(p);
    print(": %s\n", kinds[p->kind]);
    print_notes(p, NOTE_WRONG, "WRONG");
    print_notes(p, NOTE_UNREAD, "NOT READ");
    print_notes(p, NOTE_GUESS, "a guess");
    print_notes(p, NOTE_ODD, "odd");
    if (omega && p->kind == PART_ROPE) print_rotation(p);
    for (size_t k = 0; k < p->quantity_count; k++)
        print("  %s %.15g\n", p->quantities[k].name, p->quantities[k].value);
    print_notes(p, NOTE_UNDERSTOOD, "");
    if (omega && has_frequencies) {
        print("  pair               frequency              wavelength\n");
        for (size_t i = 0; i < pairs; i++)
            print("  %4zu  %22.17g  %22.17g\n", i, omega[i], omega[pairs + i]);
    }
    free(omega);
}

#endif
