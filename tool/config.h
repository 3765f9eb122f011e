/* SPDX-License-Identifier: MIT */
/* A config.json of Hugging Face: its parts that rotate, each with a pe_rope_config and notes. */
#ifndef TOOL_CONFIG_H
#define TOOL_CONFIG_H

#include "keys.h"
#include "known.h"

#include <math.h>

static int is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; name && i < count; i++)
        if (strcmp(name, names[i]) == 0) return 1;
    return 0;
}

static const char *model_type(const reader *r)
{
    const char *const type = cJSON_GetStringValue(member(r->outer, "model_type"));
    return type ? type : "";
}

static int usual(const reader *r, const char *key, double *to)
{
    for (size_t i = 0; i < TOOL_COUNT(usual_values); i++) {
        const struct usual *const u = &usual_values[i];
        if (strcmp(u->model_type, model_type(r)) != 0 || strcmp(u->key, key) != 0) continue;
        *to = u->value;
        say(r->out, NOTE_UNDERSTOOD, key, "%.15g: absent, and this is what %s means then", *to,
            u->model_type);
        return 1;
    }
    return 0;
}

/* Whether a key has an object; anything else but null is noted. */
static int has_object(part *p, const cJSON *object, const char *key)
{
    const cJSON *const value = member(object, key);
    char text[64];
    if (value && !cJSON_IsObject(value))
        say(p, NOTE_WRONG, key, "an object is wanted, not %s", shown(value, text));
    return cJSON_IsObject(value);
}

static int number_or_usual(const reader *r, const char *key, double *to)
{
    return number(r, key, to) || usual(r, key, to);
}

static int whole_or_usual(const reader *r, const char *key, size_t *to)
{
    double value;
    if (whole(r, key, to)) return 1;
    if (!usual(r, key, &value)) return 0;
    *to = (size_t)value;
    return 1;
}

static int has_mla(const reader *r) { return member(r->outer, "qk_rope_head_dim") != NULL; }

static void read_head_dim(const reader *r)
{
    part *const p = r->out;
    size_t *const to = &p->rope.head_dim;
    size_t hidden, heads;
    if (whole_or_usual(r, "qk_rope_head_dim", to)) return;
    if (strcmp(p->name, "full_attention") == 0 && whole_or_usual(r, "global_head_dim", to)) return;
    if (whole_or_usual(r, "head_dim", to)) return;
    if (!whole(r, "hidden_size", &hidden) && !whole(r, "n_embd", &hidden)) hidden = 0;
    if (!whole(r, "num_attention_heads", &heads) && !whole(r, "n_head", &heads)) heads = 0;
    if (hidden == 0 || heads == 0) {
        say(p, NOTE_WRONG, "head_dim",
            "missing: give head_dim, or hidden_size and num_attention_heads");
        return;
    }
    *to = hidden / heads;
    say(p, NOTE_UNDERSTOOD, "head_dim", "%zu: hidden_size / num_attention_heads", *to);
    if (hidden % heads) say(p, NOTE_ODD, "hidden_size", "is no multiple of num_attention_heads");
}

/* is_local: the sliding layers of a config with a key of its own for their base. */
static void read_theta(const reader *r, int is_local)
{
    double *const to = &r->out->rope.rope_theta;
    if (is_local) {
        number_or_usual(r, "rope_local_base_freq", to);
        return;
    }
    const cJSON *const inner = member(r->inner, "rope_theta");
    const cJSON *const outer = member(r->outer, "rope_theta");
    if (inner && outer && !cJSON_Compare(inner, outer, 1))
        say(r->out, NOTE_ODD, "rope_theta", "differs from that of %s, which counts", r->inner_name);
    if (number_or_usual(r, "rope_theta", to) || number(r, "rotary_emb_base", to)) return;
    say(r->out, NOTE_ODD, "rope_theta", "missing: 10000, unless the model's code has another");
}

static void read_type(const reader *r)
{
    part *const p = r->out;
    char path[96];
    const char *name = string(r, "rope_type", path);
    const char *const legacy = cJSON_GetStringValue(member(r->inner, "type"));
    if (name && legacy && strcmp(name, legacy) != 0 && strcmp(path, "rope_type") != 0)
        say(p, NOTE_ODD, path, "counts, not type, which is \"%s\"", legacy);
    if (!name && member(r->inner, "type")) name = string(r, "type", path);
    if (!name) {
        if (r->inner && !count_notes(p, NOTE_WRONG))
            say(p, NOTE_ODD, "rope_type", "missing in %s: \"default\"", r->inner_name);
        return;
    }
    if (pe_rope_type_named(name, &p->rope.rope_type) != PE_OK) {
        say(p, NOTE_WRONG, path,
            "\"%s\" is none of default, linear, dynamic, ntk, xdrope, llama3, yarn, longrope, "
            "proportional",
            name);
        return;
    }
    if (p->rope.rope_type == PE_ROPE_DYNAMIC_NTK && member(r->inner, "alpha"))
        p->rope.rope_type = PE_ROPE_NTK;
    if (member(r->inner, "mixed_b"))
        say(p, NOTE_WRONG, "mixed_b", "needs frequencies of your own: see GTE in docs/models.md");
    say(p, NOTE_UNDERSTOOD, path, "%s", name);
    if (strcmp(name, "telechat3-yarn") == 0)
        say(p, NOTE_ODD, path,
            "its code takes 0.07 ln(factor) + 1 as the attention factor: give attention_factor");
    if (strcmp(name, "openpangu") == 0)
        say(p, NOTE_ODD, path,
            "its sections have an order of their own: see openPangu in docs/models.md");
}

/* The elements that rotate: int(head_dim * partial_rotary_factor), as Hugging Face has it. */
static void read_rotary(const reader *r)
{
    part *const p = r->out;
    const size_t head_dim = p->rope.head_dim;
    double share;
    if (whole(r, "rotary_dim", &p->rope.rotary_dim) || has_mla(r)) return;
    if (!number_or_usual(r, "partial_rotary_factor", &share) && !number(r, "rotary_pct", &share))
        return;
    if (!(share > 0 && share <= 1)) {
        say(p, NOTE_WRONG, "partial_rotary_factor", "must be above 0 and at most 1");
        return;
    }
    const double width = (double)head_dim * share;
    const int is_proportional = p->rope.rope_type == PE_ROPE_PROPORTIONAL;
    const size_t rotary = is_proportional ? 2 * (size_t)(width / 2) : (size_t)width;
    if (rotary == 0)
        say(p, NOTE_WRONG, "partial_rotary_factor", "rotates nothing of head_dim %zu", head_dim);
    if (rotary % 2)
        say(p, NOTE_WRONG, "partial_rotary_factor",
            "int(%zu * %.15g) = %zu is odd: Hugging Face makes %zu frequencies of exponent 2i/%zu "
            "then, which rotate "
            "%zu elements or fail, as the model's code has it",
            head_dim, share, rotary, rotary / 2 + 1, rotary, rotary + 1);
    p->rope.rotary_dim = rotary;
}

/* Lengths, factors and lists of the scaling. */
static void read_scaling(const reader *r)
{
    part *const p = r->out;
    pe_rope_config *const c = &p->rope;
    const size_t pairs = (c->rotary_dim ? c->rotary_dim : c->head_dim) / 2;
    whole(r, "max_position_embeddings", &c->max_position_embeddings);
    whole(r, "sequence_length", &c->sequence_length);
    whole(r, "original_max_position_embeddings", &c->original_max_position_embeddings);
    number(r, c->rope_type == PE_ROPE_NTK && member(r->inner, "alpha") ? "alpha" : "factor",
           &c->factor);
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
    if (number(r, "attention_factor", &c->attention_factor)) {
        if (c->attention_factor == 0)
            say(p, NOTE_WRONG, "attention_factor", "0 makes all queries and keys 0");
        if (c->rope_type != PE_ROPE_YARN && c->rope_type != PE_ROPE_LONGROPE)
            c->attention_factor = 0;
    }
    if (c->rope_type != PE_ROPE_LONGROPE) return;
    for (int k = 0; k < 2; k++) {
        const char *const key = k == 0 ? "short_factor" : "long_factor";
        size_t *const count = k == 0 ? &c->short_factor_length : &c->long_factor_length;
        p->lists[k] = list(r, key, count);
        if (p->lists[k] && *count != pairs)
            say(p, NOTE_WRONG, key, "%zu numbers are wanted, one a pair, not %zu", pairs, *count);
    }
    c->short_factor = p->lists[0];
    c->long_factor = p->lists[1];
    /* The length beside rope_scaling wins over a factor in it, as in Phi-3. */
    if (c->max_position_embeddings && member(r->outer, "original_max_position_embeddings"))
        c->factor = 0;
}

static void read_layout(const reader *r)
{
    part *const p = r->out;
    pe_rope_config *const c = &p->rope;
    double value;
    if (!truth(r, "rope_interleave", &c->rope_interleave) && usual(r, "rope_interleave", &value))
        c->rope_interleave = value != 0;
    if (is_one_of(model_type(r), interleaved_models, TOOL_COUNT(interleaved_models))) {
        c->layout = PE_LAYOUT_INTERLEAVED;
        say(p, NOTE_UNDERSTOOD, "model_type", "%s pairs neighbours", model_type(r));
    }
    size_t count;
    double *const sections = list(r, "mrope_section", &count);
    if (!sections) return;
    int interleaved = 0;
    truth(r, "mrope_interleaved", &interleaved);
    c->section_order = interleaved ? PE_SECTIONS_INTERLEAVED : PE_SECTIONS_BLOCKS;
    c->axes = count;
    int are_good = count > 0 && count <= PE_MAX_AXES;
    for (size_t a = 0; a < count && are_good; a++) {
        are_good = sections[a] >= 0 && sections[a] < 1048576 && sections[a] == floor(sections[a]);
        if (are_good) c->sections[a] = (size_t)sections[a];
    }
    free(sections);
    if (!are_good)
        say(p, NOTE_WRONG, "mrope_section", "1 ... %d whole numbers of pairs are wanted",
            (int)PE_MAX_AXES);
    if (strncmp(model_type(r), "ernie", 5) == 0)
        say(p, NOTE_ODD, "mrope_section",
            "ERNIE's pairs have an order of their own: see docs/models.md");
}

/* A factor of queries by the logarithm of their position, from a length on. */
static void read_log_scale(const reader *r, const char *length, double shift)
{
    part *const p = r->out;
    if (!whole(r, length, &p->query_period)) return;
    if (p->query_period < 2) say(p, NOTE_WRONG, length, "must be at least 2");
    p->query_form = PE_QUERY_SCALE_LOG;
    p->query_beta = 1 / log((double)p->query_period);
    p->query_shift = shift;
}

/* What multiplies queries or logits beside the rotation. */
static void read_query_scale(const reader *r)
{
    part *const p = r->out;
    int tuned = strcmp(model_type(r), "llama4_text") == 0, logn = 0;
    if (number(r, "llama_4_scaling_beta", &p->query_beta)) {
        p->query_period = p->rope.original_max_position_embeddings;
        if (!p->query_period)
            say(p, NOTE_WRONG, "llama_4_scaling_beta", "needs original_max_position_embeddings");
    }
    truth(r, "attn_temperature_tuning", &tuned);
    if (tuned && number_or_usual(r, "attn_scale", &p->query_beta) &&
        whole_or_usual(r, "floor_scale", &p->query_period)) {
        p->query_shift = 1;
        say(p, NOTE_UNDERSTOOD, "attn_temperature_tuning", "for the layers without RoPE");
    }
    if (truth(r, "use_logn_attn", &logn) && logn) read_log_scale(r, "seq_length", 1);
    read_log_scale(r, "attn_temperature_len", 0);
    const pe_rope_config *const c = &p->rope;
    if (c->rope_type == PE_ROPE_YARN && c->mscale_all_dim > 0 && c->factor > 1 && has_mla(r)) {
        const double m = 0.1 * c->mscale_all_dim * log(c->factor) + 1;
        p->logits = m * m;
    }
}

/* A key of rope_parameters or rope_scaling, or one of them in the config itself: does its type use it? */
static int judge_scaling_key(const reader *r, const cJSON *item, const char *path)
{
    part *const p = r->out;
    for (size_t k = 0; k < TOOL_COUNT(scaling_keys); k++) {
        if (strcmp(scaling_keys[k].key, item->string) != 0) continue;
        if (count_notes(p, NOTE_WRONG)) return 1; /* the type, perhaps */
        if (!cJSON_IsNull(item) && !(scaling_keys[k].types & TOOL_TYPE(p->rope.rope_type)))
            say(p, NOTE_ODD, path, "does nothing with this rope_type");
        else if (strcmp(item->string, "factor") == 0 && member(r->inner, "alpha"))
            say(p, NOTE_ODD, path, "does nothing beside alpha");
        return 1;
    }
    return 0;
}

/* Keys that nobody reads, and those that do nothing with this type. */
static void judge_keys(const reader *r)
{
    part *const p = r->out;
    const cJSON *item;
    const cJSON *const name = member(r->outer, "model_type");
    int speaks = strcmp(model_type(r), "llama") == 0;
    if (name && !cJSON_IsString(name)) wrong_type(r, "model_type", "a string", name);
    cJSON_ArrayForEach(item, r->inner)
    {
        char path[96];
        snprintf(path, sizeof path, "%s.%s", r->inner_name, item->string);
        if (!judge_scaling_key(r, item, path)) say(p, NOTE_ODD, path, "unknown key");
    }
    cJSON_ArrayForEach(item, r->outer)
    {
        const char *const key = item->string;
        const int is_named = strstr(key, "rope") || strstr(key, "rotary") || strstr(key, "yarn");
        speaks |= is_named;
        if (is_one_of(key, config_keys, TOOL_COUNT(config_keys)) || judge_scaling_key(r, item, key))
            continue;
        if (is_named || (model_type(r)[0] == '\0' && strcmp(key, "model_type") != 0))
            say(p, NOTE_ODD, key, "unknown key");
    }
    if (!speaks && model_type(r)[0])
        say(p, NOTE_ODD, "model_type", "no key speaks of rotation: is %s a model with RoPE?",
            model_type(r));
}

/* Values that are valid, but seldom meant. */
static void judge_values(const reader *r)
{
    part *const p = r->out;
    const pe_rope_config *const c = &p->rope;
    const pe_rope_type type = c->rope_type;
    const int has_length =
        type == PE_ROPE_YARN || type == PE_ROPE_LLAMA3 || type == PE_ROPE_LONGROPE;
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

static void read_rope(const reader *r, int is_local)
{
    part *const p = r->out;
    p->rope = pe_rope_config_default(0);
    read_head_dim(r);
    read_theta(r, is_local);
    read_type(r);
    read_rotary(r);
    read_scaling(r);
    read_layout(r);
    read_query_scale(r);
    if (!is_local) judge_keys(r);
    judge_values(r);
    judge_config(p);
}

/* The towers of Qwen-VL and GLM-4V: two halves of the pairs, each with the frequencies of half a head. */
static void read_vision(const reader *r)
{
    part *const p = r->out;
    size_t hidden = 0, heads = 0;
    if (!is_one_of(model_type(r), vision_models, TOOL_COUNT(vision_models))) {
        say(p, NOTE_ODD, "model_type", "%s: not a tower that this tool knows: see docs/models.md",
            model_type(r));
        p->is_unread = 1;
        return;
    }
    if (!whole(r, "embed_dim", &hidden)) whole(r, "hidden_size", &hidden);
    whole(r, "num_heads", &heads);
    p->rope = pe_rope_config_default(heads ? hidden / heads : 0);
    if (heads && hidden % heads)
        say(p, NOTE_ODD, "num_heads", "the width of the tower is no multiple of it");
    p->rope.axes = 2;
    p->rope.section_order = PE_SECTIONS_VISION;
    p->rope.sections[0] = p->rope.sections[1] = p->rope.head_dim / 4;
    judge_config(p);
}

/* The members of an object that are objects, such as the types of layers. */
static const cJSON *next_object(const cJSON *item)
{
    while (item && !cJSON_IsObject(item))
        item = item->next;
    return item;
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

/* What else is in rope_parameters that has an object for each type of layers. */
static void judge_layers(const reader *r)
{
    const cJSON *item;
    char path[96];
    cJSON_ArrayForEach(item, r->inner)
    {
        snprintf(path, sizeof path, "%s.%s", r->inner_name, item->string);
        if (!cJSON_IsObject(item))
            say(r->out, NOTE_ODD, path, "does nothing beside the objects of layer types");
    }
}

/* A text model: one part, or one a type of layers. */
static void read_text(const cJSON *config, part *parts, size_t *count)
{
    static const char *const names[] = {"rope_parameters", "rope_scaling"};
    reader r = {NULL, config, NULL, ""};
    for (int k = 1; k >= 0; k--) {
        if (!member(config, names[k])) continue;
        r.inner = member(config, names[k]);
        r.inner_name = names[k];
    }
    const int has_both = member(config, names[0]) && member(config, names[1]);
    const cJSON *layers = r.inner && cJSON_IsObject(r.inner) ? next_object(r.inner->child) : NULL;
    const int has_local = member(config, "rope_local_base_freq") ||
                          (strcmp(model_type(&r), "gemma3_text") == 0 && !layers);
    if (!layers) {
        r.out = add_part(parts, count, has_local ? "full_attention" : "text");
        if (r.inner && !cJSON_IsObject(r.inner)) {
            wrong_type(&r, r.inner_name, "an object", r.inner);
            r.inner = NULL;
        }
        read_rope(&r, 0);
    }
    for (; layers; layers = next_object(layers->next)) {
        char name[96];
        const reader layer = {add_part(parts, count, layers->string), config, layers, name};
        snprintf(name, sizeof name, "%.30s.%.60s", r.inner_name, layers->string);
        if (layer.out)
            read_rope(&layer, 0);
        else
            say(&parts[0], NOTE_WRONG, name, "more than %d parts", (int)MOST_PARTS);
        if (*count == 1) {
            r.out = layer.out;
            judge_layers(&r);
        }
    }
    if (has_both)
        say(&parts[0], NOTE_ODD, names[1], "is not read beside %s; some programs do", names[0]);
    if (has_local) {
        const reader local = {add_part(parts, count, "sliding_attention"), config, NULL, ""};
        read_rope(&local, 1);
    }
}

/* Read a config.json. Returns the number of parts. */
static size_t read_config(const cJSON *root, part *parts)
{
    static const char *const texts[] = {"text_config", "llm_config", "language_config"};
    const cJSON *const thinker = member(root, "thinker_config");
    const cJSON *const whole_model = thinker ? thinker : root, *text = whole_model;
    size_t count = 0;
    for (size_t k = 0; k < TOOL_COUNT(texts); k++) {
        const cJSON *const config = member(whole_model, texts[k]);
        if (cJSON_IsObject(config)) text = config;
    }
    read_text(text, parts, &count);
    for (size_t k = 0; k < TOOL_COUNT(texts); k++)
        has_object(&parts[0], whole_model, texts[k]);
    const cJSON *const vision = member(whole_model, "vision_config");
    if (has_object(&parts[0], whole_model, "vision_config")) {
        const reader r = {add_part(parts, &count, "vision"), vision, NULL, ""};
        if (r.out) read_vision(&r);
    }
    return count;
}

#endif
