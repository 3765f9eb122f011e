/* SPDX-License-Identifier: MIT */
/* The rotation of a part: its keys into a pe_rope_config, with notes. */
#ifndef TOOL_ROPE_H
#define TOOL_ROPE_H

#include "layers.h"
#include "plan.h"

#include <stdlib.h>

/* Layers that share a rotation, before their keys are read. */
typedef struct label {
    char name[64];
    char inner[PATH_SIZE];  /* their rope_parameters, or ""                             */
    const char *theta;      /* the key of a base of their own, or NULL                  */
    int is_unscaled;        /* rope_scaling is not for them                             */
    int is_nested;          /* rope_parameters has an object with this name             */
    int is_shared;          /* it is for all layers of the other labels                 */
    int block;              /* the number of a coordinate that has a block of the head, or -1 */
    int is_linear;          /* layers of linear attention, whose heads are plain        */
    const char *also_key;   /* the key of the width of a second kind of heads, or NULL  */
    const char *also_pairs; /* its pairs: halves, neighbours, or a key                 */
} label;

/* DeepSeek-OCR and the smallest DeepSeek-VL2 are DeepSeek V2 with the attention of a Llama. */
static int is_mla_off(const reader *r)
{
    value v;
    return find(r, "use_mla", &v) && v.at && v.at->kind == VALUE_BOOLEAN && v.at->number == 0;
}

static int has_mla(const reader *r)
{
    if (is_mla_off(r)) return 0;
    return has(r, "qk_rope_head_dim") || usual_of(r, "qk_rope_head_dim");
}

/* Returns whether the file has configs of single layers, as transformers saves them. */
static int has_per_layer(const reader *r)
{
    value v;
    return look_up(r, r->outer, "per_layer_config", &v);
}

/* Reads the width that the config of a single layer has, per_layer_config["05"].head_dim. */
static int read_own_width(const reader *r, size_t *to)
{
    char path[PATH_SIZE], key[PATH_SIZE];
    join(path, r->outer, "per_layer_config");
    for (const item *i = list_next(r->m->file, path, NULL); i && r->layer >= 0;
         i = list_next(r->m->file, path, i)) {
        const char *const rest = child_of(i->path, path, key);
        if (strcmp(rest, ".head_dim") != 0 || strtol(key, NULL, 10) != r->layer) continue;
        if (i->kind != VALUE_NUMBER || !(i->number >= 0 && i->number <= 1048576)) continue;
        *to = (size_t)i->number;
        say(r->out, NOTE_UNDERSTOOD, name_of(r, i->path), "%zu", *to);
        return 1;
    }
    return 0;
}

static void read_head_dim(const reader *r, const label *l)
{
    part *const p = r->out;
    size_t *const to = &p->rope.head_dim;
    const item *const rotates = usual_of(r, "@rotates");
    size_t hidden = 0, heads = 0, rotary = 0;
    const int is_mla =
        !l->also_key && !l->is_linear && has_mla(r) && whole(r, "qk_rope_head_dim", &rotary);
    if (is_mla_off(r)) has(r, "qk_rope_head_dim"); /* is read, and does nothing */
    if (is_mla && !(rotates && strcmp(rotates->text, "last") == 0)) {
        *to = rotary;
        return;
    }
    static const char *const names[] = {"head_dim", "kv_channels", "attention_head_dim"};
    const item *const own_key = usual_of(r, "@head");
    const int has_key = !own_key || strcmp(own_key->text, "none") != 0;
    const int is_full = strcmp(l->name, "full_attention") == 0;
    const int is_sliding = strcmp(l->name, "sliding_attention") == 0;
    if (l->also_key) {
        if (!whole(r, l->also_key, to)) say(p, NOTE_WRONG, l->also_key, "missing");
        if (has_mla(r)) whole(r, "qk_rope_head_dim", &p->rope.rotary_dim);
        if (p->rope.rotary_dim > *to) say(p, NOTE_WRONG, l->also_key, "too few elements: %zu", *to);
        return;
    }
    if (!read_own_width(r, to) &&
        !(is_full && !has_per_layer(r) && whole(r, "global_head_dim", to)) &&
        !(is_sliding && has(r, "swa_head_dim") && whole(r, "swa_head_dim", to)) &&
        !(has_key && size_of(r, "@head", names, TOOL_COUNT(names), to) && *to)) {
        if (count_notes(p, NOTE_WRONG)) return;
        size_of(r, "@hidden", width_keys, TOOL_COUNT(width_keys), &hidden);
        size_of(r, "@heads", head_keys, TOOL_COUNT(head_keys), &heads);
        if (hidden == 0 || heads == 0) {
            say(p, NOTE_WRONG, "head_dim",
                "missing: give head_dim, or hidden_size and num_attention_heads. docs/models.md "
                "has "
                "those of models");
            return;
        }
        *to = hidden / heads;
        say(p, NOTE_UNDERSTOOD, "head_dim", "%zu: hidden_size / num_attention_heads", *to);
        if (hidden % heads)
            say(p, NOTE_ODD, "hidden_size", "is no multiple of num_attention_heads");
    }
    const item *const divisor = usual_of(r, "@divide");
    if (divisor) {
        size_t rate = 1;
        if (!whole(r, divisor->text, &rate) || rate == 0) rate = (size_t)divisor->number;
        *to /= rate ? rate : 1;
        say(p, NOTE_UNDERSTOOD, "head_dim", "%zu: divided by %zu", *to, rate);
    }
    if (!is_mla) return;
    if (rotary > *to) say(p, NOTE_WRONG, "qk_rope_head_dim", "%zu of a head of %zu", rotary, *to);
    if (rotary > *to) return;
    p->rope.rotary_dim = rotary;
    p->rope.rotary_offset = *to - rotary;
}

static void read_theta(const reader *r, const label *l)
{
    double *const to = &r->out->rope.rope_theta;
    double ratio = 1;
    value inner, outer;
    const item *const base = usual_of(r, "@base");
    if (is_fact(r, "@reads", "new")) {
        reader inside = *r;
        if (look_up(r, r->outer, "rope_theta", &outer) && r->inner[0])
            say(r->out, NOTE_ODD, "rope_theta", "does nothing: %s reads rope_parameters alone",
                r->m->type);
        memcpy(inside.outer, r->inner, sizeof inside.outer);
        if (r->inner[0] && number(&inside, "rope_theta", to)) return;
    }
    if (base && has(r, base->text)) {
        number(r, base->text, to);
        return;
    }
    if (l->theta && number(r, l->theta, to)) return;
    if (r->inner[0] && look_up(r, r->inner, "rope_theta", &inner) &&
        look_up(r, r->outer, "rope_theta", &outer) && inner.at && outer.at &&
        inner.at->number != outer.at->number)
        say(r->out, NOTE_ODD, "rope_theta", "differs from that of %s, which counts",
            name_of(r, r->inner));
    if (!has(r, "rope_theta") && has(r, "global_rope_theta")) {
        number(r, "global_rope_theta", to);
        return;
    }
    if (!has(r, "rope_theta") && has(r, "rotary_emb_base")) {
        number(r, "rotary_emb_base", to);
        return;
    }
    const int is_there = number(r, "rope_theta", to) || number(r, "rotary_emb_base", to);
    if (!is_there && !has(r, "rope_theta"))
        say(r->out, NOTE_ODD, "rope_theta", "missing: 10000, unless the model's code has another");
    if (number(r, "rope_ratio", &ratio)) *to *= ratio;
}

/* What a type of RoPE means in a model's code beyond its name. */
static void judge_type(const reader *r, const value *v, const char *name)
{
    const char *const key = v->name;
    part *const p = r->out;
    value mixed;
    if (p->rope.rope_type == PE_ROPE_DYNAMIC_NTK && has(r, "alpha"))
        p->rope.rope_type = PE_ROPE_NTK;
    if (r->inner[0] && look_up(r, r->inner, "mixed_b", &mixed))
        say(p, NOTE_WRONG, "mixed_b", "needs frequencies of your own: see GTE in docs/models.md");
    understood(r, v, name);
    if (strcmp(name, "telechat3-yarn") == 0)
        say(p, NOTE_ODD, key,
            "its code takes 0.07 ln(factor) + 1 as the attention factor: give attention_factor");
    if (strcmp(name, "openpangu") == 0)
        say(p, NOTE_ODD, key,
            "its sections have an order of their own: see openPangu in docs/models.md");
}

static void read_type(const reader *r)
{
    part *const p = r->out;
    value v, legacy;
    const char *name = string(r, "rope_type", &v);
    const int has_legacy = r->inner[0] && look_up(r, r->inner, "type", &legacy);
    if (name && has_legacy && legacy.at && strcmp(name, legacy.at->text) != 0 &&
        strcmp(v.name, "rope_type") != 0)
        say(p, NOTE_ODD, v.name, "counts, not type, which is \"%.40s\"", legacy.at->text);
    if (!name && has_legacy) name = string(r, "type", &v);
    if (!name) {
        if (r->inner[0] && !count_notes(p, NOTE_WRONG))
            say(p, NOTE_ODD, "rope_type", "missing in %s: \"default\"", name_of(r, r->inner));
        return;
    }
    if (strcmp(name, "axial") == 0) {
        understood(r, &v, name);
        if (!usual_of(r, "@axes"))
            say(p, NOTE_UNREAD, v.name,
                "axial: pairs belong to the coordinates of an image, but posenc does not know "
                "which "
                "pairs of %s do",
                r->m->type[0] ? r->m->type : "this model");
        return;
    }
    if (pe_rope_type_named(name, &p->rope.rope_type) != PE_OK) {
        say(p, NOTE_WRONG, v.name,
            "\"%s\" is none of default, linear, dynamic, ntk, xdrope, llama3, yarn, longrope, "
            "proportional",
            name);
        return;
    }
    judge_type(r, &v, name);
}

/* The elements that rotate: int(head_dim * partial_rotary_factor), as Hugging Face has it. */
static void read_rotary(const reader *r, const label *l)
{
    static const char *const shares[] = {
        "partial_rotary_factor", "partial_rotary_factors", "rotary_pct",
        "rotary_emb_fraction",   "rope_percent",           "rope_pct"};
    static const char *const widths[] = {"rotary_dim", "attn_rotary_emb"};
    part *const p = r->out;
    const size_t head_dim = p->rope.head_dim;
    const char *key = shares[0];
    double share = 1;
    if (has_mla(r) && !l->is_linear) {
        has(r, "partial_rotary_factor"); /* said once more, by other names */
        has(r, "rotary_dim");
        return;
    }
    for (size_t k = 1; k < TOOL_COUNT(shares); k++) {
        const int is_there = has(r, shares[k]) || usual_of(r, shares[k]);
        if (!has(r, key) && is_there) key = shares[k];
    }
    if (is_ignored(r, widths[0]) && has(r, widths[0]))
        say(p, NOTE_ODD, widths[0], "does nothing: the code of %s does not read it", r->m->type);
    else if (whole_of(r, widths, TOOL_COUNT(widths), &p->rope.rotary_dim)) {
        has(r, key);
        return;
    }
    const int is_plain = p->rope.rope_type == PE_ROPE_DEFAULT;
    if (key == shares[0] &&
        (is_fact(r, "@partial", "never") || (is_plain && is_fact(r, "@partial", "scaled")))) {
        if (has(r, key))
            say(p, NOTE_ODD, key,
                is_plain ? "does nothing in %s: all of the head rotates" : "does nothing in %s",
                r->m->type);
        return;
    }
    if (!number(r, key, &share)) return;
    if (!(share > 0 && share <= 1)) {
        say(p, NOTE_WRONG, key, "must be above 0 and at most 1");
        return;
    }
    const double width = (double)head_dim * share;
    const int is_proportional = p->rope.rope_type == PE_ROPE_PROPORTIONAL;
    const size_t rotary = is_proportional ? 2 * (size_t)(width / 2) : (size_t)width;
    if (rotary == 0) say(p, NOTE_WRONG, key, "rotates nothing of head_dim %zu", head_dim);
    if (rotary % 2)
        say(p, NOTE_WRONG, key,
            "int(%zu * %.15g) = %zu is odd: Hugging Face makes %zu frequencies of exponent 2i/%zu "
            "then, which rotate "
            "%zu elements or fail, as the model's code has it",
            head_dim, share, rotary, rotary / 2 + 1, rotary, rotary + 1);
    p->rope.rotary_dim = rotary;
}

static void read_factor_lists(const reader *r)
{
    part *const p = r->out;
    pe_rope_config *const c = &p->rope;
    const size_t pairs = pairs_of_rope(c);
    value v;
    for (int k = 0; k < 2; k++) {
        const char *const key = k == 0 ? "short_factor" : "long_factor";
        size_t *const count = k == 0 ? &c->short_factor_length : &c->long_factor_length;
        if (!has(r, key)) say(p, NOTE_WRONG, key, "missing: longrope needs a number for each pair");
        p->lists[k] = numbers_of(r, key, count);
        if (p->lists[k] && *count != pairs)
            say(p, NOTE_WRONG, key, "%zu numbers are wanted, one a pair, not %zu", pairs, *count);
    }
    c->short_factor = p->lists[0];
    c->long_factor = p->lists[1];
    /* The length beside rope_scaling wins over a factor in it, as in Phi-3. */
    if (c->max_position_embeddings && look_up(r, r->outer, "original_max_position_embeddings", &v))
        c->factor = 0;
}

/* ggml's factors, which divide the frequencies of any type: rope_freqs.weight of a GGUF file. */
static void read_freq_factors(const reader *r)
{
    part *const p = r->out;
    pe_rope_config *const c = &p->rope;
    const size_t pairs = pairs_of_rope(c);
    size_t count;
    double *const numbers = numbers_of(r, "freq_factors", &count);
    if (!numbers) return;
    if (count != pairs)
        say(p, NOTE_WRONG, "freq_factors", "%zu numbers are wanted, one a pair, not %zu", pairs,
            count);
    else if ((p->factors = (float *)malloc(count * sizeof *p->factors)) != NULL) {
        for (size_t i = 0; i < count; i++) p->factors[i] = (float)numbers[i];
        c->freq_factors = p->factors;
        c->freq_factors_length = count;
    }
    free(numbers);
}

/* 0 is a value of the file, but means absent in a pe_rope_config. */
static void read_attention_factor(const reader *r, const label *l)
{
    part *const p = r->out;
    pe_rope_config *const c = &p->rope;
    int is_applied = 1;
    const item *const usual_factor = usual_of(r, "@attention_factor");
    if (number(r, "attention_factor", &c->attention_factor)) {
        if (c->attention_factor == 0)
            say(p, NOTE_WRONG, "attention_factor", "0 makes all queries and keys 0");
        if (c->rope_type != PE_ROPE_YARN && c->rope_type != PE_ROPE_LONGROPE)
            c->attention_factor = 0;
    } else if (usual_factor && !l->is_nested && c->rope_type == PE_ROPE_YARN) {
        c->attention_factor = usual_factor->number;
        say(p, NOTE_UNDERSTOOD, "attention_factor", "%s, as the code of %s has it",
            usual_factor->text, r->m->type);
    }
    if (truth(r, "apply_yarn_scaling", &is_applied) && !is_applied && c->rope_type == PE_ROPE_YARN)
        c->attention_factor = 1;
}

/* Lengths, factors and lists of the scaling. */
static void read_scaling(const reader *r, const label *l)
{
    pe_rope_config *const c = &r->out->rope;
    whole(r, "max_position_embeddings", &c->max_position_embeddings);
    whole(r, "sequence_length", &c->sequence_length);
    whole(r, "original_max_position_embeddings", &c->original_max_position_embeddings);
    const char *const key = c->rope_type == PE_ROPE_NTK && has(r, "alpha") ? "alpha" : "factor";
    if (number(r, key, &c->factor) && c->factor == 0 && c->rope_type != PE_ROPE_DEFAULT)
        say(r->out, NOTE_WRONG, key, "0 divides the frequencies");
    number(r, "low_freq_factor", &c->low_freq_factor);
    number(r, "high_freq_factor", &c->high_freq_factor);
    number(r, "beta_fast", &c->beta_fast);
    number(r, "beta_slow", &c->beta_slow);
    number(r, "extrapolation_factor", &c->extrapolation_factor);
    truth(r, "truncate", &c->truncate);
    number(r, "mscale", &c->mscale);
    number(r, "mscale_all_dim", &c->mscale_all_dim);
    number(r, "short_mscale", &c->short_mscale);
    number(r, "long_mscale", &c->long_mscale);
    read_attention_factor(r, l);
    if (c->rope_type == PE_ROPE_LONGROPE) read_factor_lists(r);
    read_freq_factors(r);
}

/* ggml's IMROPE: pairs that the sections leave over take a fourth position, which is 0. */
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
    if (!still) return; /* PE_SECTIONS_INTERLEAVED says the same */
    say(p, NOTE_UNDERSTOOD, "mrope_section",
        "%zu pairs that it leaves over stand still in llama.cpp", still);
    memset(c->sections, 0, sizeof c->sections);
    c->section_order = PE_SECTIONS_BLOCKS;
    c->coordinate = p->coordinate;
    c->coordinate_length = pairs;
}

/* Returns the sections of a file that has none, by its type: allocated, or NULL. */
static double *usual_sections(const reader *r, const char *key, size_t *count)
{
    const item *const at = usual_of(r, "@sections");
    double *const sections = at ? (double *)malloc(PE_MAX_AXES * sizeof *sections) : NULL;
    const char *text = sections ? at->text : "";
    for (*count = 0; *text && *count < PE_MAX_AXES; ++*count) {
        char *end;
        sections[*count] = strtod(text, &end);
        text = end + (*end == ',');
    }
    if (sections)
        say(r->out, NOTE_UNDERSTOOD, key, "[%s]: absent, and this is what %s means then", at->text,
            r->m->type);
    return sections;
}

/* Gives each pair its coordinate in a list. Returns 0 without memory, or if the pairs are too many. */
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

/* ERNIE 4.5 VL: its sections are those of y, x and t. The pairs of y and x take turns, and those of t
 * are last. */
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

/* Sections in pairs; numbers below 1 are shares of all pairs, as HunYuan's xdrope_section has
 * them. */
static void read_sections(const reader *r)
{
    part *const p = r->out;
    pe_rope_config *const c = &p->rope;
    reader around = *r;
    const int is_xd = has(r, "xdrope_section");
    const char *const key = is_xd ? "xdrope_section" : "mrope_section";
    if (!has(r, key) && r->outer[0]) { /* or outside text_config, or in rope_scaling there */
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

/* The pairs of a second kind of heads. */
static void read_also_layout(const reader *r, const label *l)
{
    const int is_key = strcmp(l->also_pairs, "halves") != 0 && strcmp(l->also_pairs, "neighbours");
    const int are_neighbours =
        is_key ? is_true(r, l->also_pairs) : strcmp(l->also_pairs, "neighbours") == 0;
    if (are_neighbours) r->out->rope.layout = PE_LAYOUT_INTERLEAVED;
}

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
    int neighbours = !is_llama && pairs && strcmp(pairs->text, "neighbours") == 0;
    if (neighbours) say(p, NOTE_UNDERSTOOD, "model_type", "%s pairs neighbours", r->m->type);
    truth(r, "rotary_emb_interleaved", &neighbours);
    if (has(r, "rope_interleaved") && is_true(r, "rope_interleaved"))
        say(p, NOTE_UNREAD, "rope_interleaved",
            "true: Hugging Face's code does not read it, nanotron's pairs neighbours then. Which "
            "of "
            "them has these weights?");
    if (neighbours) c->layout = PE_LAYOUT_INTERLEAVED;
    read_sections(r);
}

/* A factor of queries by the logarithm of their position, from a length on. */
static void read_log_scale(const reader *r, const char *length, double shift)
{
    part *const p = r->out;
    if (!has(r, length) || !whole(r, length, &p->query_period)) return;
    if (p->query_period < 2) say(p, NOTE_WRONG, length, "must be at least 2");
    p->query_form = PE_QUERY_SCALE_LOG;
    p->query_beta = 1 / log((double)p->query_period);
    p->query_shift = shift;
}

/* Whether queries are scaled by position: true, or a number above 0, as Llama 4's files have it. */
static int is_tuned(const reader *r)
{
    value v;
    if (find(r, "attn_temperature_tuning", &v) && v.at && v.at->kind == VALUE_NUMBER)
        return v.at->number > 0;
    return is_true(r, "attn_temperature_tuning");
}

/* What multiplies queries or logits beside the rotation. */
static void read_query_scale(const reader *r)
{
    part *const p = r->out;
    const pe_rope_config *const c = &p->rope;
    if (number_there(r, "llama_4_scaling_beta", &p->query_beta)) {
        p->query_period = c->original_max_position_embeddings;
        if (!p->query_period)
            say(p, NOTE_WRONG, "llama_4_scaling_beta", "needs original_max_position_embeddings");
    }
    if (is_tuned(r) && number(r, "attn_scale", &p->query_beta) &&
        whole(r, "floor_scale", &p->query_period)) {
        p->query_shift = 1;
        say(p, NOTE_UNDERSTOOD, "attn_temperature_tuning", "for the layers without RoPE");
    }
    if (is_true(r, "use_logn_attn")) read_log_scale(r, "seq_length", 1);
    read_log_scale(r, "attn_temperature_len", 0);
    if (is_true(r, "use_dynamic_ntk"))
        say(p, NOTE_ODD, "use_dynamic_ntk",
            "these are the frequencies up to seq_length: longer texts have a larger base");
    if (c->rope_type == PE_ROPE_YARN && c->mscale_all_dim > 0 && c->factor > 1 && has_mla(r)) {
        const double m = 0.1 * c->mscale_all_dim * log(c->factor) + 1;
        p->logits = m * m;
    }
}

/* A key of the scaling, or one of them in the config itself: does its type use it? */
static int judge_scaling_key(const reader *r, const char *key, const char *path, int is_null)
{
    part *const p = r->out;
    value v;
    for (size_t k = 0; k < TOOL_COUNT(scaling_keys); k++) {
        if (strcmp(scaling_keys[k].key, key) != 0) continue;
        if (count_notes(p, NOTE_WRONG)) return 1; /* the type, perhaps */
        if (!is_null && !(scaling_keys[k].types & TOOL_TYPE(p->rope.rope_type)))
            say(p, NOTE_ODD, path, "does nothing with this rope_type");
        else if (strcmp(key, "factor") == 0 && r->inner[0] && look_up(r, r->inner, "alpha", &v))
            say(p, NOTE_ODD, path, "does nothing beside alpha");
        return 1;
    }
    return 0;
}

/* Keys of the scaling that nobody reads, and those that do nothing with this type. */
static void judge_scaling(const reader *r)
{
    char key[PATH_SIZE] = "", last[PATH_SIZE] = "", path[2 * PATH_SIZE], text[64];
    if (!r->inner[0]) return;
    for (const item *i = list_next(r->m->file, r->inner, NULL); i;
         i = list_next(r->m->file, r->inner, i)) {
        child_of(i->path, r->inner, key);
        if (!key[0] || strcmp(key, last) == 0) continue;
        memcpy(last, key, sizeof last);
        mark(r->m, i);
        snprintf(path, sizeof path, "%s.%s", name_of(r, r->inner), key);
        const value v = {i, "", path};
        const int is_known = judge_scaling_key(r, key, path, i->kind == VALUE_NULL) ||
                             strcmp(key, "max_position_embeddings") == 0 || is_ignored(r, key);
        if (!is_known)
            say(r->out, NOTE_UNREAD, path,
                "%s: posenc does not know this key; what it changes is "
                "missing here. Check its spelling, or give its numbers by other keys",
                shown(r, &v, text));
    }
}

/* Values that are valid, but seldom meant. */
static void judge_values(const reader *r)
{
    part *const p = r->out;
    const pe_rope_config *const c = &p->rope;
    const pe_rope_type type = c->rope_type;
    const int has_length =
        type == PE_ROPE_YARN || type == PE_ROPE_LLAMA3 || type == PE_ROPE_LONGROPE;
    if (type == PE_ROPE_YARN && c->factor == 0 && c->original_max_position_embeddings)
        say(p, NOTE_ODD, "factor",
            "missing: max_position_embeddings / original_max_position_embeddings, %.6g",
            (double)c->max_position_embeddings / (double)c->original_max_position_embeddings);
    if (type != PE_ROPE_DEFAULT && c->factor == 1) say(p, NOTE_ODD, "factor", "1 does nothing");
    if (type != PE_ROPE_DEFAULT && c->factor > 0 && c->factor < 1)
        say(p, NOTE_ODD, "factor", "below 1: it makes waves shorter");
    if (has_length && !c->original_max_position_embeddings && c->max_position_embeddings)
        say(p, NOTE_ODD, "original_max_position_embeddings",
            "missing: max_position_embeddings is taken for the length of the training");
    if (type == PE_ROPE_YARN && (c->mscale > 0) != (c->mscale_all_dim > 0))
        say(p, NOTE_ODD, c->mscale > 0 ? "mscale" : "mscale_all_dim",
            "without %s it does nothing in Hugging Face, as here; DeepSeek's own code uses it",
            c->mscale > 0 ? "mscale_all_dim" : "mscale");
    const double length = c->factor * (double)c->original_max_position_embeddings;
    if (type == PE_ROPE_YARN && length > 0 && c->max_position_embeddings &&
        length != (double)c->max_position_embeddings)
        say(p, NOTE_ODD, "factor",
            "times original_max_position_embeddings is %.15g, not max_position_embeddings, %zu",
            length, c->max_position_embeddings);
    if (type == PE_ROPE_LLAMA3 && c->low_freq_factor == c->high_freq_factor)
        say(p, NOTE_ODD, "low_freq_factor", "equals high_freq_factor: other code divides by 0");
    if ((type == PE_ROPE_DYNAMIC_NTK || type == PE_ROPE_LONGROPE) && !c->sequence_length)
        say(p, NOTE_ODD, "sequence_length",
            "missing: these are the frequencies of short texts; sequence_length=N gives those of "
            "others");
}

/* The key that a text names first, or the longer one of two that begin there. */
static void first_named(const char *text, const char *name, const char **at, const char **key)
{
    const int is_key = strlen(name) > 4 && strcmp(name, "rope_type") != 0;
    const char *const found = is_key ? strstr(text, name) : NULL;
    if (!found || (*at && (found > *at || (found == *at && strlen(name) < strlen(*key))))) return;
    *at = found;
    *key = name;
}

/* What pe says is wrong, with the key that it names. */
static void judge_config(part *p)
{
    const char *const error = pe_rope_config_error(&p->rope), *key = "config", *at = NULL;
    if (count_notes(p, NOTE_WRONG)) return;
    if (p->rope.head_dim > 1048576) say(p, NOTE_WRONG, "head_dim", "more than 2^20");
    if (!error) return;
    for (size_t k = 0; k < TOOL_COUNT(scaling_keys); k++)
        first_named(error, scaling_keys[k].key, &at, &key);
    for (size_t k = 0; k < TOOL_COUNT(config_keys); k++)
        first_named(error, config_keys[k], &at, &key);
    if (strstr(error, "sections")) key = "mrope_section";
    say(p, NOTE_WRONG, key, "%s", error);
}

static void read_axes(const reader *r, const label *l);

static void read_rope(const reader *r, const label *l)
{
    part *const p = r->out;
    p->rope = pe_rope_config_default(0);
    reader own = *r;
    if (l->is_unscaled) own.inner[0] = '\0';
    read_head_dim(&own, l);
    read_theta(l->is_unscaled && !l->theta ? r : &own, l);
    if (!l->is_unscaled) read_type(r);
    read_rotary(l->is_unscaled ? r : &own, l);
    if (l->is_unscaled && r->inner[0])
        say(p, NOTE_UNDERSTOOD, "rope_type", "default: the scaling is for other layers");
    if (!l->is_unscaled) read_scaling(&own, l);
    if (l->also_pairs) read_also_layout(&own, l);
    else read_layout(&own);
    read_axes(&own, l);
    if (!l->also_pairs) read_query_scale(&own);
    if (!l->is_unscaled) judge_scaling(r);
    judge_values(r);
    judge_config(p);
}

/* Frequencies of a head of another width, allocated; NULL if the config has none. */
static double *frequencies_of_width(const pe_rope_config *c, size_t width)
{
    pe_rope_config other = pe_rope_config_default(width);
    double *const omega = (double *)malloc((width / 2 + 1) * sizeof *omega);
    other.rope_theta = c->rope_theta;
    if (omega && pe_rope_frequencies(&other, omega, NULL) == PE_OK) return omega;
    free(omega);
    return NULL;
}

/* Gives the pairs of an image frequencies that no pe_rope_config has: woven, or mixed. */
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

/* Divides the pairs among the coordinates of an image, as @axes says. */
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
    if (l->block >= 0) { /* a half of the head, with halves of its own */
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
