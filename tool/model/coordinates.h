/* SPDX-License-Identifier: MIT */
/* Reads which elements of a head are a pair, and which coordinate of a token's position rotates
 * each pair. M-RoPE, the rotation of models that read images and videos, has the coordinates t
 * (time), y (row) and x (column), in this order. Its sections are the numbers of pairs that each
 * coordinate rotates. Encoders of images have y and x.
 *
 * A part (part.h) is a set of layers that share one positional encoding, and a note is a message
 * about a key. The table entry of a model type has defaults, which are the values of absent
 * keys, and facts, whose names begin with @ (type_line.h). A reader (keys.h) says in which
 * config keys are looked up, and which part gets the results. */
#ifndef TOOL_COORDINATES_H
#define TOOL_COORDINATES_H

#include "width.h"

/* Gives each pair its coordinate as ggml's IMROPE does, for interleaved sections with the fact
 * @still. Let s be the index of the pair modulo the sum of the sections. The pair belongs to
 * coordinate a = s % 3 if s / 3 is below section a. ggml rotates all other pairs by a fourth
 * coordinate that is always 0, so they stand still. If there are such pairs, or more pairs than
 * the sum of the sections, the part gets a list of coordinates. In the list, pairs that stand still
 * have 255. Sections cannot express this, in any order that a pe_rope_config has. Does nothing
 * unless there are three sections, not all of them 0, and 1 ... 2^19 pairs. */
static void leave_pairs_still(part *p)
{
    pe_rope_config *const c = &p->rope;
    const size_t pairs = (c->rotary_dim ? c->rotary_dim : c->head_dim) / 2;
    size_t sum = 0, still = 0;
    if (c->axes != 3 || pairs == 0 || pairs > 524288) return;
    for (size_t a = 0; a < 3; a++) sum += c->sections[a];
    p->coordinate = sum ? (uint8_t *)malloc(pairs) : NULL;
    if (!p->coordinate) return;
    for (size_t i = 0; i < pairs; i++) {
        const size_t s = i % sum, a = s % 3;
        p->coordinate[i] = s / 3 < c->sections[a] ? (uint8_t)a : 255;
        still += p->coordinate[i] == 255;
    }
    memcpy(p->sections, c->sections, sizeof p->sections);
    p->order = "interleaved";
    if (!still && sum >= pairs) return; /* PE_SECTIONS_INTERLEAVED has the same coordinates */
    if (still)
        say(p, NOTE_UNDERSTOOD, "mrope_section",
            "%zu pairs that it leaves over stand still in llama.cpp", still);
    memset(c->sections, 0, sizeof c->sections);
    c->section_order = PE_SECTIONS_BLOCKS;
    c->coordinate = p->coordinate;
    c->coordinate_length = pairs;
}

/* Returns the sections that the fact @sections has for a file without any, in memory that the
 * caller frees. Sets *count to their number, at most PE_MAX_AXES, and adds a note about `key`, the
 * absent key. Returns NULL, with *count = 0, if the type has no such fact or memory runs out. */
static double *usual_sections(const reader *r, const char *key, size_t *count)
{
    const item *const entry = usual_of(r, "@sections");
    double *const sections = entry ? (double *)malloc(PE_MAX_AXES * sizeof *sections) : NULL;
    const char *text = sections ? entry->text : "";
    for (*count = 0; *text && *count < PE_MAX_AXES; ++*count) {
        char *end;
        sections[*count] = strtod(text, &end);
        text = end + (*end == ',');
    }
    if (sections)
        say(r->out, NOTE_UNDERSTOOD, key, "[%s]: absent, and this is what %s means then",
            entry->text, r->m->type);
    return sections;
}

/* Gives the part a list with one coordinate per pair, which the caller then fills, in place of the
 * sections of its pe_rope_config. These are kept in p->sections, for reports. `order` is the name
 * of this order in reports. Returns 1. Returns 0 and changes no section if memory runs out, or if
 * there are not 1 ... 2^19 pairs. */
static int list_coordinates(part *p, const char *order)
{
    pe_rope_config *const c = &p->rope;
    const size_t pairs = rotary_of(c) / 2;
    p->coordinate = pairs && pairs <= 524288 ? (uint8_t *)malloc(pairs) : NULL;
    if (!p->coordinate) return 0;
    memcpy(p->sections, c->sections, sizeof p->sections);
    memset(c->sections, 0, sizeof c->sections);
    c->section_order = PE_SECTIONS_BLOCKS;
    c->coordinate = p->coordinate;
    c->coordinate_length = pairs;
    p->order = order;
    return 1;
}

/* Distributes the pairs as @order=hwt says, which is the order of ERNIE 4.5 VL. The file's
 * sections are those of y, x and t. The pairs of y and x alternate, beginning with y, and those of
 * t are last. pe's coordinates 0, 1, 2 are t, y, x, and p->sections is put into this order. If the
 * sections of y and x are not equal, or do not make up all pairs with that of t, adds a note of
 * kind NOTE_WRONG. */
static void order_as_hwt(part *p)
{
    pe_rope_config *const c = &p->rope;
    const size_t pairs = rotary_of(c) / 2, image = c->sections[0] + c->sections[1];
    const size_t sum = image + c->sections[2];
    const int is_good = c->axes == 3 && sum == pairs && c->sections[0] == c->sections[1];
    if (!is_good) {
        say(p, NOTE_WRONG, "mrope_section",
            "three numbers are wanted, the first two equal, whose sum is that of the pairs, %zu",
            pairs);
        return;
    }
    if (!list_coordinates(p, "hwt")) return;
    for (size_t i = 0; i < pairs; i++) p->coordinate[i] = (uint8_t)(i >= image ? 0 : 1 + i % 2);
    const size_t own[3] = {p->sections[2], p->sections[0], p->sections[1]};
    memcpy(p->sections, own, sizeof own);
}

/* Reads how many pairs each coordinate rotates, and how the coordinates share the pairs. The
 * numbers are those of mrope_section or HunYuan's xdrope_section, otherwise those of the fact
 * @sections; without any, nothing changes. In xdrope_section, a number below 1 is a share of all
 * pairs. The order is that of the fact @order, otherwise it depends on mrope_interleaved. */
static void read_sections(const reader *r)
{
    part *const p = r->out;
    pe_rope_config *const c = &p->rope;
    reader around = *r;
    const int is_xd = has(r, "xdrope_section");
    const char *const key = is_xd ? "xdrope_section" : "mrope_section";
    const int is_in_text_config = r->outer[0] && !r->prefix[0];
    if (!has(r, key) && is_in_text_config) { /* some files have the key outside text_config */
        around.outer[0] = '\0';
        snprintf(around.inner, sizeof around.inner, "rope_scaling");
    }
    size_t count;
    double *sections = numbers_of(&around, key, &count);
    if (!sections) sections = usual_sections(r, key, &count);
    if (!sections) return;
    const item *const order = usual_of(r, "@order");
    const int interleaved =
        order ? strcmp(order->text, "interleaved") == 0 : is_true(&around, "mrope_interleaved");
    if (order && has(&around, "mrope_interleaved") &&
        is_true(&around, "mrope_interleaved") != interleaved)
        say(p, NOTE_ODD, "mrope_interleaved", "does nothing: in %s they are %s", r->m->type,
            order->text);
    const size_t width = c->rotary_dim ? c->rotary_dim : c->head_dim, pairs = width / 2;
    c->section_order = interleaved ? PE_SECTIONS_INTERLEAVED : PE_SECTIONS_BLOCKS;
    c->axes = count;
    int are_good = count > 0 && count <= PE_MAX_AXES;
    for (size_t a = 0; a < count && are_good; a++) {
        const double size = is_xd && sections[a] < 1 ? sections[a] * (double)pairs : sections[a];
        are_good = size >= 0 && size < 1048576 && size == floor(size);
        if (are_good) c->sections[a] = (size_t)size;
    }
    free(sections);
    if (!are_good)
        say(p, NOTE_WRONG, key, "1 ... %d whole numbers of pairs are wanted", (int)PE_MAX_AXES);
    else if (interleaved && usual_of(r, "@still")) leave_pairs_still(p);
    if (are_good && order && strcmp(order->text, "hwt") == 0) order_as_hwt(p);
}

/* Sets the layout of a part whose label names its own pairs, which come from the fact @also or
 * @linear. The name l->also_pairs is "halves", "neighbours" for interleaved pairs, or a key of the
 * config that is true if the pairs are interleaved. */
static void read_also_layout(const reader *r, const label *l)
{
    const int is_key = strcmp(l->also_pairs, "halves") != 0 && strcmp(l->also_pairs, "neighbours");
    const int are_neighbours =
        is_key ? is_true(r, l->also_pairs) : strcmp(l->also_pairs, "neighbours") == 0;
    if (are_neighbours) r->out->rope.layout = PE_LAYOUT_INTERLEAVED;
}

/* In these model types the pairs are interleaved. Their code in transformers nevertheless makes
 * tables of cosines and sines as for halves: one column per pair, then the same columns once more.
 * Later it takes the first half of the columns and repeats each of them. `posenc compare` therefore
 * accepts both orders of columns (has_table_in_halves of part.h). Checked with transformers
 * 5.17.0. */
static const char *const tables_in_halves[] = {
    "ernie4_5", "ernie4_5_moe", "glm", "glm4", "helium", "moonshine", "moonshine_streaming"};

/* Reads which elements of a head form a pair, the direction of the rotation, the sections, and
 * whether the layout describes the weights of the model's own project (@weights=original). */
static void read_layout(const reader *r)
{
    part *const p = r->out;
    pe_rope_config *const c = &p->rope;
    const item *const pairs = usual_of(r, "@pairs");
    const int is_llama = is_mla_off(r);
    p->is_backward = is_fact(r, "@direction", "back");
    p->is_original = is_fact(r, "@weights", "original");
    c->rope_interleave = !is_llama && is_fact(r, "@pairs", "permuted");
    if (c->rope_interleave && has(r, "rope_interleave") && !is_true(r, "rope_interleave"))
        say(p, NOTE_ODD, "rope_interleave", "does nothing: %s always reads neighbours", r->m->type);
    if (!is_llama && !c->rope_interleave) truth(r, "rope_interleave", &c->rope_interleave);
    int interleaved = !is_llama && pairs && strcmp(pairs->text, "neighbours") == 0;
    if (has(r, "original_rope") && !is_true(r, "original_rope")) interleaved = 0; /* ChatGLM's */
    if (interleaved) say(p, NOTE_UNDERSTOOD, "model_type", "%s pairs neighbours", r->m->type);
    truth(r, "rotary_emb_interleaved", &interleaved);
    if (has(r, "rope_interleaved") && is_true(r, "rope_interleaved"))
        say(p, NOTE_UNREAD, "rope_interleaved",
            "true: Hugging Face's code does not read it, nanotron's pairs neighbours then. Which "
            "of "
            "them has these weights?");
    if (interleaved) c->layout = PE_LAYOUT_INTERLEAVED;
    p->has_table_in_halves =
        interleaved && is_one_of(r->m->type, tables_in_halves, TOOL_COUNT(tables_in_halves));
    read_sections(r);
}

/* Returns the width / 2 unscaled frequencies of a head of `width` elements with the base of c, in
 * memory that the caller frees. Returns NULL if the base or the width is invalid, or memory runs
 * out. */
static double *frequencies_of_width(const pe_rope_config *c, size_t width)
{
    pe_rope_config other = pe_rope_config_default(width);
    double *const omega = (double *)malloc((width / 2 + 1) * sizeof *omega);
    other.rope_theta = c->rope_theta;
    if (omega && pe_rope_frequencies(&other, omega, NULL) == PE_OK) return omega;
    free(omega);
    return NULL;
}

/* Gives the pairs of an image the frequencies and coordinates of @axes=woven, or with is_woven =
 * 0 those of @axes=mixed. With woven, x rotates the pairs 2k and y the pairs 2k + 1, both with
 * frequency k of half a head. With mixed, y rotates the first half of the pairs with the even
 * frequencies of the whole head, and x the second half with the odd ones. No pe_rope_config has
 * these frequencies, so they are listed in p->omega. Coordinate 0 is y, and 1 is x. */
static void list_frequencies(part *p, int is_woven)
{
    pe_rope_config *const c = &p->rope;
    const size_t width = rotary_of(c), pairs = width / 2, half = pairs / 2;
    double *const from = frequencies_of_width(c, is_woven ? width / 2 : width);
    p->omega = from ? (double *)malloc((pairs + 1) * sizeof *p->omega) : NULL;
    c->sections[0] = c->sections[1] = half;
    if (!p->omega || !list_coordinates(p, is_woven ? "woven" : "mixed")) {
        free(from);
        return;
    }
    for (size_t i = 0; i < pairs; i++) {
        const int is_x = is_woven ? i % 2 == 0 : i >= half;
        p->coordinate[i] = (uint8_t)is_x;
        p->omega[i] = from[is_woven ? i / 2 : 2 * (i % half) + (size_t)is_x];
    }
    free(from);
}

/* Divides the pairs among the coordinates y and x of an image, as the fact @axes says. With
 * @axes=blocks, each of the two labels describes the half of the head that one coordinate rotates.
 * A scaled rotation, or a width that is not a multiple of 4, gets a note of kind NOTE_WRONG. Also
 * notes what the positions are, if the type has the fact @positions. */
static void read_axes(const reader *r, const label *l)
{
    part *const p = r->out;
    pe_rope_config *const c = &p->rope;
    const item *const axes = usual_of(r, "@axes"), *const where = usual_of(r, "@positions");
    const size_t width = rotary_of(c);
    if (where) say(p, NOTE_UNDERSTOOD, "positions", "%s", where->text);
    if (!axes || count_notes(p, NOTE_WRONG)) return;
    if (c->rope_type != PE_ROPE_DEFAULT || width % 4 || width == 0) {
        say(p, NOTE_WRONG, c->rope_type != PE_ROPE_DEFAULT ? "rope_type" : "head_dim",
            "pairs of y and x are wanted, of a rotation that is not scaled and of a width that is "
            "a "
            "multiple of 4");
        return;
    }
    if (l->block >= 0) { /* the two elements of a pair are in the halves of the block */
        c->rotary_dim = width / 2;
        c->rotary_offset = (size_t)l->block * width / 2;
        return;
    }
    c->axes = 2;
    c->section_order = PE_SECTIONS_VISION;
    if (strcmp(axes->text, "woven") == 0) list_frequencies(p, 1);
    else if (strcmp(axes->text, "mixed") == 0) list_frequencies(p, 0);
    else c->sections[0] = c->sections[1] = width / 4;
}

#endif
