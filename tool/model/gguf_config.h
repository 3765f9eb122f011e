/* SPDX-License-Identifier: MIT */
/* Translates the keys of a GGUF file to those of a config.json, which read_model() of config.h
 * reads. Keys get other names, and facts that llama.cpp has in its code (gguf_types.h) are
 * added. A fact for which a config.json has no key is added under a name with @, as in
 * type_line.h, or becomes a note. To write a key is to add it to the config. The parameter `path`
 * of a function is the object that gets the key, with its dot: "rope_parameters.", or "" for the
 * config itself. */
#ifndef TOOL_GGUF_CONFIG_H
#define TOOL_GGUF_CONFIG_H

#include "gguf_model.h"

#include <math.h>

/* ---- scaling --------------------------------------------------------------------------------- */

/* Writes the scaling of Phi-3: two lists of factors, one for short texts and one for long texts,
 * the length that separates them, and the attention factor. llama.cpp multiplies cosines and sines
 * by the file's attn_factor, or by 1 without it. Returns 1. Returns 0 and writes nothing if the
 * file does not have both lists. */
static int gguf_put_two_factors(gguf_model *m, const char *path)
{
    static const char *const names[2][2] = {{"rope_factors_short.weight", "short_factor"},
                                            {"rope_factors_long.weight", "long_factor"}};
    if (!list_next(m->keys, names[0][0], NULL) || !list_next(m->keys, names[1][0], NULL)) return 0;
    gguf_put_text(m, path, "rope_type", "longrope");
    for (int k = 0; k < 2; k++) {
        const item *i = NULL;
        size_t count = 0;
        while ((i = list_next(m->keys, names[k][0], i)) != NULL) {
            char full_name[2 * GGUF_MOST_NAME];
            snprintf(full_name, sizeof full_name, "%s%s[%zu]", path, names[k][1], count++);
            list_add(m->config, full_name, VALUE_NUMBER, i->number, i->text, ORIGIN_FILE);
        }
    }
    if (!gguf_put_copy(m, path, "original_max_position_embeddings",
                       "rope.scaling.original_context_length"))
        gguf_put_copy(m, path, "original_max_position_embeddings", "context_length");
    gguf_put_number(m, path, "attention_factor", gguf_number(m, "rope.scaling.attn_factor", 1));
    return 1;
}

/* Writes the elements of the tensor rope_freqs.weight, which divide the frequencies, as
 * freq_factors. With is_halved (gguf_types.h), the layers without a window rotate fewer pairs than
 * the tensor has elements, so only the first rotary_dim / 2 elements are written. */
static void gguf_put_factors(gguf_model *m, const char *path, double rotary_dim)
{
    const item *i = NULL;
    size_t count = 0;
    while ((i = list_next(m->keys, "rope_freqs.weight", i)) != NULL) {
        char full_name[2 * GGUF_MOST_NAME];
        if (m->is && m->is->is_halved && (double)count >= rotary_dim / 2) break;
        snprintf(full_name, sizeof full_name, "%sfreq_factors[%zu]", path, count++);
        list_add(m->config, full_name, VALUE_NUMBER, i->number, i->text, ORIGIN_FILE);
    }
}

/* Writes YaRN's numbers: the factor, the trained length, and the bounds beta_fast and beta_slow of
 * the ramp if llama.cpp reads them for this architecture. If llama.cpp reads the file's
 * yarn_log_multiplier, mscale and mscale_all_dim are also written. The attention factor is written
 * only if the file's attn_factor is not 1: it is the product of this number and YaRN's own factor.
 * If llama.cpp does not read the bounds, but the file has others than llama.cpp assumes, adds a
 * note. */
static void gguf_put_yarn(gguf_model *m, const char *path, double factor)
{
    static const char *const betas[2][2] = {{"beta_fast", "rope.scaling.yarn_beta_fast"},
                                            {"beta_slow", "rope.scaling.yarn_beta_slow"}};
    const double usual[2] = {32, 1}, attention = gguf_number(m, "rope.scaling.attn_factor", 1);
    const double log_multiplier = gguf_number(m, "rope.scaling.yarn_log_multiplier", 0);
    char full[GGUF_MOST_NAME + 1];
    gguf_put_number(m, path, "factor", factor);
    if (!gguf_put_copy(m, path, "original_max_position_embeddings",
                       "rope.scaling.original_context_length"))
        gguf_put_copy(m, path, "original_max_position_embeddings", "context_length");
    for (int k = 0; k < 2; k++) {
        if (!m->is || m->is->has_betas) gguf_put_copy(m, path, betas[k][0], betas[k][1]);
        else if (gguf_number(m, betas[k][1], usual[k]) != usual[k])
            gguf_say(m, gguf_full(m, betas[k][1], full),
                     "llama.cpp does not read it for %s: %g is shown, as it computes", m->name,
                     usual[k]);
    }
    double scale = factor > 1 ? 0.1 * log(factor) + 1 : 1;
    if (m->is && m->is->log_multiplier > 0 && log_multiplier != 0) {
        /* llama.cpp divides two floats, so the quotient is rounded to float here also. */
        const double all_dim = (double)((float)log_multiplier / (float)m->is->log_multiplier);
        const double mscale = strcmp(m->name, "deepseek2") == 0 ? all_dim : 1;
        gguf_put_number(m, path, "mscale", mscale);
        gguf_put_number(m, path, "mscale_all_dim", all_dim);
        scale =
            factor > 1 ? (0.1 * mscale * log(factor) + 1) / (0.1 * all_dim * log(factor) + 1) : 1;
    }
    if (attention != 1) gguf_put_number(m, path, "attention_factor", scale * attention);
}

/* Writes the rope_type and the numbers that it needs. With the two lists of Phi-3, it is longrope.
 * Otherwise it is yarn if rope.scaling.type says so, else linear, or default if the factor is 1.
 * The type "none" makes the factor 1. A type that llama.cpp does not have gets a note and counts as
 * linear. With linear and default, an attn_factor other than 1 also gets a note, because posenc
 * multiplies cosines and sines by an attention factor only with yarn and longrope. */
static void gguf_put_scaling(gguf_model *m, const char *path)
{
    const item *const named = gguf_item(m, "rope.scaling.type");
    const char *const type = named && named->kind == VALUE_STRING ? named->text : "linear";
    double factor = gguf_number(m, "rope.scaling.factor", gguf_number(m, "rope.scale_linear", 1));
    char full[GGUF_MOST_NAME + 1];
    if (factor == 0) factor = 1;
    if (gguf_put_two_factors(m, path)) return;
    if (strcmp(type, "yarn") == 0) {
        gguf_put_text(m, path, "rope_type", "yarn");
        gguf_put_yarn(m, path, factor);
        return;
    }
    if (strcmp(type, "none") == 0) factor = 1;
    else if (strcmp(type, "linear") != 0 && strcmp(type, "longrope") != 0)
        gguf_say(m, gguf_full(m, "rope.scaling.type", full),
                 "\"%.60s\": llama.cpp has none, linear, yarn, longrope", type);
    gguf_put_text(m, path, "rope_type", factor == 1 ? "default" : "linear");
    if (factor != 1) gguf_put_number(m, path, "factor", factor);
    if (gguf_number(m, "rope.scaling.attn_factor", 1) != 1)
        gguf_say(m, gguf_full(m, "rope.scaling.attn_factor", full),
                 "multiplies cosine and sine by %.9g, also without YaRN: not in the numbers below",
                 gguf_number(m, "rope.scaling.attn_factor", 1));
}

/* ---- layers ---------------------------------------------------------------------------------- */

/* Lists the kinds of layers, in this order: attention to all positions, attention to a window of
 * the last positions, and no attention. */
typedef enum gguf_layer { GGUF_FULL = 0, GGUF_WINDOW, GGUF_RECURRENT, GGUF_LAYER_COUNT } gguf_layer;

/* Returns whether a layer attends only to a window of the last positions. If the model has windows
 * at all, the file lists these layers, or in each group of m->period layers all but one have a
 * window. Without a list and a period, all layers have a window. */
static int gguf_has_window(const gguf_model *m, size_t layer)
{
    const item *const element = gguf_element(m->patterns, layer);
    if (!m->has_windows) return 0;
    if (element) return element->number != 0;
    if (!(m->period >= 1)) return 1;
    return fmod((double)layer, m->period) != (m->is->is_first ? 0 : m->period - 1);
}

/* Returns the kind of a layer. A layer is recurrent, that is, without attention, if the file says
 * that it has 0 heads for keys. If m->interval is n >= 1, all layers but n - 1, 2n - 1 ... are also
 * recurrent. */
static gguf_layer gguf_layer_kind(const gguf_model *m, size_t layer)
{
    const item *const heads = gguf_element(m->key_heads, layer);
    if (heads && heads->number == 0) return GGUF_RECURRENT;
    if (m->interval >= 1 && fmod((double)layer + 1, m->interval) != 0) return GGUF_RECURRENT;
    return gguf_has_window(m, layer) ? GGUF_WINDOW : GGUF_FULL;
}

/* Returns whether a layer of this kind rotates, by the rule gguf_nope (gguf_types.h) of its
 * architecture. Layers without attention never rotate. With an architecture that is not in the
 * table, all others do. */
static int gguf_rotates(const gguf_model *m, size_t layer, gguf_layer kind)
{
    const gguf_nope nope = m->is ? m->is->nope : GGUF_ALL_ROTATE;
    if (kind == GGUF_RECURRENT) return 0;
    if (nope == GGUF_FOURTH_DO_NOT) return (layer + 1) % 4 != 0;
    if (nope == GGUF_DENSE_DO && (double)layer < m->dense) return 1;
    return nope == GGUF_ALL_ROTATE || !m->has_windows || kind == GGUF_WINDOW;
}

/* Returns whether a layer of DeepSeek-V4 compresses its keys. Such layers have a base of their
 * own, and YaRN. */
static int gguf_compresses(const gguf_model *m, size_t layer)
{
    const item *const ratio = gguf_element(m->ratios, layer);
    return ratio && ratio->number > 0;
}

/* Writes the number of layers as num_hidden_layers, and up to two lists with an element for each
 * layer. The list layer_types has the kinds of layers. It is written if some layer is not of the
 * kind GGUF_FULL, and always for DeepSeek-V4, where the kinds are "compress" and "main". The list
 * no_rope_layers has 0 for a layer that does not rotate, otherwise 1. It is written if some layer
 * with attention does not rotate. */
static void gguf_put_layers(gguf_model *m)
{
    static const char *const names[] = {"full_attention", "sliding_attention", "linear_attention"};
    TOOL_HAS_ALL(names, GGUF_LAYER_COUNT);
    const int is_compressed = m->ratios.count > 0;
    int are_named = is_compressed, some_do_not = 0;
    gguf_put_number(m, "", "num_hidden_layers", (double)m->layers);
    for (size_t i = 0; i < m->layers; i++) {
        const gguf_layer kind = gguf_layer_kind(m, i);
        are_named |= kind != GGUF_FULL;
        some_do_not |= kind != GGUF_RECURRENT && !gguf_rotates(m, i, kind);
    }
    for (size_t i = 0; i < m->layers; i++) {
        const gguf_layer kind = gguf_layer_kind(m, i);
        char key[48];
        snprintf(key, sizeof key, "layer_types[%zu]", i);
        if (are_named)
            gguf_put_text(m, "", key,
                          !is_compressed          ? names[kind]
                          : gguf_compresses(m, i) ? "compress"
                                                  : "main");
        snprintf(key, sizeof key, "no_rope_layers[%zu]", i);
        if (some_do_not) gguf_put_number(m, "", key, gguf_rotates(m, i, kind));
    }
}

/* ---- a part ---------------------------------------------------------------------------------- */

/* Writes rope_theta: the base that the file has at `key`. Without this key it is `otherwise`. If
 * `otherwise` is 0, it is the file's rope.freq_base, or 10000 if the file does not have that. */
static void gguf_put_theta(gguf_model *m, const char *path, const char *key, double otherwise)
{
    if (!gguf_put_copy(m, path, "rope_theta", key) &&
        !(otherwise == 0 && gguf_put_copy(m, path, "rope_theta", "rope.freq_base")))
        gguf_put_number(m, path, "rope_theta", otherwise == 0 ? 10000 : otherwise);
}

/* Writes the width of a head and how many elements of it rotate. With multi-head latent attention
 * (m->is_latent), the number of rotating elements alone is written. DeepSeek-V4 is an exception:
 * its last elements rotate, and it takes the width of the head to know which these are. The key
 * rotary_dim is left out if all elements rotate. */
static void gguf_put_width(gguf_model *m, const char *path, double head_dim, double rotary_dim)
{
    const int is_last = m->ratios.count > 0; /* in DeepSeek-V4 the last elements of a head rotate */
    if (m->is_latent) gguf_put_number(m, path, "qk_rope_head_dim", rotary_dim);
    if (m->is_latent && !is_last) return;
    if (head_dim > 0) gguf_put_number(m, path, "head_dim", head_dim);
    if (is_last) return;
    if (rotary_dim > 0 && rotary_dim != head_dim)
        gguf_put_number(m, path, "rotary_dim", rotary_dim);
}

/* Returns whether the layers with a window rotate differently from the others, so that they need an
 * object of their own in rope_parameters. */
static int gguf_windows_differ(const gguf_model *m)
{
    return m->has_windows &&
           (m->is->base != GGUF_SAME_BASE || m->is->has_own_factors ||
            m->head_dim != m->window_head_dim || m->rotary_dim != m->window_rotary_dim ||
            gguf_item(m, "rope.freq_base_swa") != NULL);
}

/* Writes rope_parameters. If some layers rotate differently, it has two objects: full_attention and
 * sliding_attention, or compress and main for DeepSeek-V4. */
static void gguf_put_parts(gguf_model *m)
{
    const int is_compressed = m->ratios.count > 0;
    const int has_two = gguf_windows_differ(m);
    const char *full = is_compressed ? "rope_parameters.compress."
                       : has_two     ? "rope_parameters.full_attention."
                                     : "rope_parameters.";
    gguf_put_theta(m, full, is_compressed ? "attention.compress_rope_freq_base" : "rope.freq_base",
                   0);
    gguf_put_scaling(m, full);
    gguf_put_factors(m, full, m->rotary_dim);
    if (is_compressed) { /* it is 1: the model's code divides by YaRN's attention factor again */
        gguf_put_number(m, full, "attention_factor", 1);
        gguf_put_theta(m, "rope_parameters.main.", "rope.freq_base", 0);
        gguf_put_text(m, "rope_parameters.main.", "rope_type", "default");
    }
    gguf_put_width(m, has_two ? full : "", m->head_dim, m->rotary_dim);
    if (!has_two) return;
    const char *const window = "rope_parameters.sliding_attention.";
    gguf_put_theta(m, window, "rope.freq_base_swa", m->is->base == GGUF_10000 ? 10000 : 0);
    if (m->is->base == GGUF_SAME_BASE) gguf_put_scaling(m, window);
    else gguf_put_text(m, window, "rope_type", "default");
    if (!m->is->has_own_factors && m->is->base == GGUF_SAME_BASE)
        gguf_put_factors(m, window, m->window_rotary_dim);
    gguf_put_width(m, window, m->window_head_dim, m->window_rotary_dim);
}

/* ---- the model ------------------------------------------------------------------------------- */

/* Sets the fields of *m from `layers` to `has_windows`, is_latent, and the four fields of widths:
 * head_dim, rotary_dim and those of the layers with a window. Layers that only predict further
 * tokens (nextn_predict_layers) do not count. A number of layers that is not a whole number within
 * 0 ... GGUF_MOST_LAYERS gets a note, as does a missing list of the layers with windows. */
static void gguf_measure_model(gguf_model *m)
{
    const double heads = gguf_heads(m, "attention.head_count");
    const double width = gguf_number(m, "embedding_length", 0);
    const double layers =
        gguf_number(m, "block_count", 0) - gguf_number(m, "nextn_predict_layers", 0);
    const double window = gguf_number(m, "attention.sliding_window", m->is ? m->is->window : 0);
    char full[GGUF_MOST_NAME + 1];
    if (layers >= 0 && layers <= GGUF_MOST_LAYERS && layers == floor(layers))
        m->layers = (size_t)layers;
    else
        gguf_say(m, gguf_full(m, "block_count", full), "0 ... %d layers are wanted, not %.15g",
                 (int)GGUF_MOST_LAYERS, layers);
    m->has_windows = m->is && (m->is->period || m->is->is_listed) && window > 0 &&
                     (!m->is->window_layers || m->is->window_layers == m->layers);
    m->patterns = gguf_find_column(m, "attention.sliding_window_pattern");
    m->key_heads = gguf_find_column(m, "attention.head_count_kv");
    m->ratios = gguf_find_column(m, "attention.compress_ratios");
    if (m->is && m->is->interval)
        m->interval = gguf_number(m, "full_attention_interval", m->is->interval);
    m->dense = gguf_number(m, "leading_dense_block_count", 0);
    if (m->has_windows && m->patterns.count == 0)
        m->period = gguf_number(m, "attention.sliding_window_pattern", m->is->period);
    if (m->has_windows && m->is->is_listed && m->patterns.count < m->layers && !(m->period >= 1))
        gguf_say(m, gguf_full(m, "attention.sliding_window_pattern", full),
                 "missing: it says which layers of %s have a window", m->name);
    m->head_dim = gguf_number(m, "attention.key_length", heads > 0 ? floor(width / heads) : 0);
    m->window_head_dim = gguf_number(m, "attention.key_length_swa", m->head_dim);
    m->rotary_dim = gguf_number(m, "rope.dimension_count", m->head_dim);
    m->window_rotary_dim = gguf_number(m, "rope.dimension_count_swa", m->rotary_dim);
    if (m->is && m->is->is_halved) m->rotary_dim /= 2;
    m->is_latent =
        gguf_item(m, "attention.kv_lora_rank") != NULL || strcmp(m->name, "deepseek4") == 0;
}

/* Writes the keys of the factor by which queries are multiplied, and which depends on their
 * position. The three values of Llama 4 are not in the file: they are constants of llama.cpp's
 * code. */
static void gguf_put_query_scale(gguf_model *m)
{
    gguf_put_copy(m, "", "llama_4_scaling_beta", "attention.temperature_scale");
    if (strcmp(m->name, "llama4") != 0 || !m->has_windows) return;
    gguf_put_true(m, "attn_temperature_tuning");
    gguf_put_number(m, "", "attn_scale", 0.1);
    gguf_put_number(m, "", "floor_scale", 8192);
}

/* Writes the sections, the numbers of pairs that each coordinate rotates, as mrope_section. A GGUF
 * file has four numbers; zeros at the end are left out. With is_woven, the pairs of the coordinates
 * are interleaved, and the fact @still is written, with which leave_pairs_still() of coordinates.h
 * distributes the pairs as ggml does. Returns 1 if there are at least two sections, otherwise 0. */
static int gguf_put_sections(gguf_model *m, int is_woven)
{
    const gguf_column all = gguf_find_column(m, "rope.dimension_sections");
    size_t count = 0;
    for (size_t k = 0; k < all.count && k < 8; k++)
        if (all.first[k].number != 0) count = k + 1;
    for (size_t k = 0; k < count; k++) {
        char path[64];
        const item *const i = &all.first[k];
        snprintf(path, sizeof path, "rope_parameters.mrope_section[%zu]", k);
        list_add(m->config, path, i->kind, i->number, i->text, ORIGIN_FILE);
    }
    if (count && is_woven) {
        gguf_put_true(m, "rope_parameters.mrope_interleaved");
        gguf_put_text(m, "", "@still", "rest");
    }
    return count > 1;
}

/* Writes which elements form a pair, the sections if the architecture has some, and for DeepSeek-V4
 * that the last elements of a head rotate. Returns 1. If nothing rotates, writes the kind of
 * encoding instead, and returns 0. A number of layers or a key may decide this: some models of an
 * architecture have ALiBi (alibi_layers), and some of Granite have no positional encoding. */
static int gguf_put_pairs(gguf_model *m)
{
    gguf_pairs pairs = m->is ? m->is->pairs : GGUF_HALVES;
    const item *const switched = gguf_item(m, "rope.scaling.finetuned");
    if (m->is && m->is->alibi_layers && m->layers == m->is->alibi_layers) pairs = GGUF_ALIBI;
    if (strncmp(m->name, "granite", 7) == 0 && switched && switched->number == 0)
        pairs = GGUF_NOTHING; /* in Granite's files, nothing rotates if this key is false */
    const char *const instead = pairs == GGUF_LEARNED   ? "learned"
                                : pairs == GGUF_ALIBI   ? "alibi"
                                : pairs == GGUF_BUCKETS ? "t5"
                                : pairs == GGUF_NOTHING ? "none"
                                                        : NULL;
    if (instead) {
        gguf_put_text(m, "", "@kind", instead);
        return 0;
    }
    const int has_sections =
        pairs >= GGUF_SECTIONS && gguf_put_sections(m, pairs == GGUF_SECTIONS_WOVEN);
    m->are_neighbours =
        pairs == GGUF_NEIGHBOURS || (pairs == GGUF_NEIGHBOURS_OR_SECTIONS && !has_sections);
    gguf_put_text(m, "", "@pairs", m->are_neighbours ? "neighbours" : "halves");
    if (m->ratios.count > 0) gguf_put_text(m, "", "@rotates", "last");
    return 1;
}

/* Notes the keys of the architecture that contain ".rope.", "rotary" or "yarn" but that nothing
 * above reads: they are neither in gguf_names[] nor in others[]. Also notes a tensor of LongRoPE's
 * factors, for short or for long texts, if the tensor for the other texts is missing. */
static void gguf_judge(gguf_model *m)
{
    static const char *const others[] = {
        "rope.scale_linear", "rope.scaling.finetuned", "attention.compress_rope_freq_base",
        "rope.scaling.yarn_beta_fast", "rope.scaling.yarn_beta_slow"};
    const size_t length = strlen(m->name);
    for (size_t i = 0; i < m->keys->count; i++) {
        const item *const k = &m->keys->items[i];
        char key[GGUF_MOST_NAME + 1];
        int is_known = 0;
        snprintf(key, sizeof key, "%.*s", (int)strcspn(k->path, "["), k->path);
        const char *const before = i ? m->keys->items[i - 1].path : "";
        if (strncmp(before, key, strlen(key)) == 0 && before[strlen(key)] == '[')
            continue; /* another element of the same list */
        if (strncmp(key, "rope_factors_", 13) == 0) {
            if (!list_next(m->keys, "rope_factors_short.weight", NULL) ||
                !list_next(m->keys, "rope_factors_long.weight", NULL))
                gguf_say(m, key,
                         "divides the frequencies, by the length of the context, but the tensor of "
                         "the other length is missing: is the file whole?");
            continue;
        }
        if (strncmp(key, m->name, length) != 0 || key[length] != '.' ||
            (!strstr(key, ".rope.") && !strstr(key, "rotary") && !strstr(key, "yarn")))
            continue;
        for (size_t n = 0; n < sizeof gguf_names / sizeof *gguf_names; n++)
            is_known |=
                is_beneath(key + length + 1, gguf_names[n].gguf) ||
                (gguf_names[n].window && is_beneath(key + length + 1, gguf_names[n].window));
        for (size_t n = 0; n < sizeof others / sizeof *others; n++)
            is_known |= strcmp(key + length + 1, others[n]) == 0;
        if (!is_known) gguf_say(m, key, "%.60s: an unknown key", k->text);
    }
}

/* Translates `keys`, the items of a GGUF file, to keys of a config.json, and adds these to
 * `config`. *m is reset first. Returns 1. Returns 0 with an error message if the file is a later
 * one of a split model, if it lacks general.architecture, or if memory runs out. */
static int gguf_config(const list *keys, list *config, gguf_model *m, char error[512])
{
    const item *const named = list_find(keys, "general.architecture");
    const item *const split = list_find(keys, "split.no");
    memset(m, 0, sizeof *m);
    m->keys = keys;
    m->config = config;
    if (split && split->number > 0) {
        snprintf(error, 512,
                 "split.no: %s: the model's keys are in the first of the files, "
                 "...-00001-of-....gguf",
                 split->text);
        return 0;
    }
    if (!named || named->kind != VALUE_STRING) {
        snprintf(error, 512, "general.architecture: missing; it names the model's other keys");
        return 0;
    }
    snprintf(m->name, sizeof m->name, "%s", named->text);
    m->is = gguf_find_architecture(m->name);
    if (!m->is)
        gguf_say(
            m, "general.architecture",
            "%.60s is not in the table (%s): which pairs rotate is in llama.cpp's code; halves "
            "are shown",
            m->name, GGUF_CHECKED);
    gguf_measure_model(m);
    gguf_put_text(m, "", "model_type", "gguf");
    gguf_put_text(m, "", "@architecture", m->name);
    gguf_put_copy(m, "", "max_position_embeddings", "context_length");
    gguf_put_layers(m);
    if (gguf_put_pairs(m)) {
        gguf_put_parts(m);
        gguf_put_query_scale(m);
        gguf_judge(m);
    }
    if (m->has_windows && !gguf_put_copy(m, "", "sliding_window", "attention.sliding_window"))
        gguf_put_number(m, "", "sliding_window", m->is->window);
    if (!config->is_out_of_memory) return 1;
    snprintf(error, 512, "out of memory");
    return 0;
}

#endif
