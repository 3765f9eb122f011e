/* SPDX-License-Identifier: MIT */
/* Reads the rotation of a part: its keys become a pe_rope_config, and notes say what was read.
 *
 * A part (part.h) is a set of layers that share one positional encoding, and a note is a message
 * about a key. The table entry of a model type has defaults, which are the values of absent
 * keys, and facts, whose names begin with @ (type_line.h). A reader (keys.h) says in which
 * config keys are looked up, and which part gets the results. The scaling of a config is its
 * object rope_parameters or rope_scaling. A label (width.h) describes the layers of the part. */
#ifndef TOOL_ROPE_H
#define TOOL_ROPE_H

#include "coordinates.h"
#include "names.h"

/* Returns whether the layers of a label have no base if its object in rope_parameters has none. In
 * these types, only a file without rope_parameters gets the bases of the table entry, unless the
 * type has the fact @bases=top. */
static int needs_own_base(const reader *r, const label *l)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "rope_parameters.%s.rope_theta", l->name);
    const int is_unused = r->out->are_layers_known && r->out->layer_count == 0;
    return usual_of(r, path) && !is_fact(r, "@bases", "top") && !is_unused;
}

/* Reads the base into rope_theta. The first of these that is there counts:
 *
 *     with @reads=new, rope_theta of the scaling
 *     the key that the label has for its own layers, l->theta
 *     @sliding_base, for sliding layers, unless the scaling has rope_theta
 *     the key that the fact @base names, unless the scaling has rope_theta
 *     rope_theta of the scaling, then of the config
 *     global_rope_theta, then rotary_emb_base
 *     the type's default for rope_theta, then that for rotary_emb_base
 *     10000
 *
 * If needs_own_base() says that the object of these layers must have a base, a missing one is an
 * error. Notes name the keys that have no effect. The key rope_ratio multiplies a base of the fifth
 * line and of the last two lines, but no other base. */
static void read_theta(const reader *r, const label *l)
{
    double *const to = &r->out->rope.rope_theta;
    double ratio = 1;
    value inner, outer;
    const item *const base = usual_of(r, "@base");
    const int has_inner = r->inner[0] && look_up(r, r->inner, "rope_theta", &inner);
    if (is_fact(r, "@reads", "new") && has_inner) {
        if (look_up(r, r->outer, "rope_theta", &outer))
            say(r->out, NOTE_ODD, "rope_theta", "does nothing: %s reads rope_parameters alone",
                r->m->type);
        number(r, "rope_theta", to);
        return;
    }
    const item *const sliding = usual_of(r, "@sliding_base");
    if (l->theta && number(r, l->theta, to)) {
        if (has_inner && strcmp(l->theta, "compress_rope_theta") == 0)
            say(r->out, NOTE_ODD, inner.name, "does nothing: %s and rope_theta of the config count",
                l->theta);
        return;
    }
    if (l->is_nested && !has_inner && needs_own_base(r, l)) {
        say(r->out, NOTE_WRONG, "rope_theta", "missing in %s: transformers cannot load such a file",
            name_of(r, r->inner));
        return;
    }
    if (sliding && strcmp(l->name, "sliding_attention") == 0 && !has_inner) {
        *to = sliding->number;
        say(r->out, NOTE_UNDERSTOOD, "rope_theta", "%s: as the code of %s has it", sliding->text,
            r->m->type);
        return;
    }
    if (base && has_inner && has(r, base->text))
        say(r->out, NOTE_ODD, base->text, "does nothing beside rope_theta of %s",
            name_of(r, r->inner));
    else if (base && !has_inner && (has(r, base->text) || usual_of(r, base->text))) {
        if (has(r, "rope_theta") && strcmp(base->text, "rope_theta") != 0)
            say(r->out, NOTE_ODD, "rope_theta", "does nothing beside %s", base->text);
        number(r, base->text, to);
        return;
    }
    if (r->inner[0] && look_up(r, r->inner, "rope_theta", &inner) &&
        look_up(r, r->outer, "rope_theta", &outer) && inner.entry && outer.entry &&
        inner.entry->number != outer.entry->number)
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

/* Completes the rope_type that read_type() has found under `name`. If the config has the key alpha,
 * the type dynamic is PE_ROPE_NTK. Notes say what to do for the types telechat3-yarn and openpangu,
 * and for the key mixed_b of GTE, which needs frequencies that the user computes. `v` is the place
 * where the name was found. */
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

/* Adds the note that there is no rope_type of this name, with the names of those that there are. */
static void refuse_type(part *p, const char *key, const char *name)
{
    char names[224] = "";
    for (size_t k = 0; k < TOOL_COUNT(type_names); k++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", k ? ", " : "",
                 type_names[k].config);
    say(p, NOTE_WRONG, key, "\"%s\" is none of %s", name, names);
}

/* Reads the rope_type. It is that of the scaling, or else of the config, or else the type's
 * default. Without these, it is that of `type`, the older key of the scaling. With the fact
 * @type=ignored, this key only counts in the object of a kind of layers. Without a name the
 * rope_type stays PE_ROPE_DEFAULT, also with the name axial, whose rotation @axes describes. */
static void read_type(const reader *r, const label *l)
{
    part *const p = r->out;
    value v, legacy;
    const char *name = string(r, "rope_type", &v);
    const int has_legacy = r->inner[0] && look_up(r, r->inner, "type", &legacy);
    if (name && has_legacy && legacy.entry && strcmp(name, legacy.entry->text) != 0 &&
        strcmp(v.name, "rope_type") != 0)
        say(p, NOTE_ODD, v.name, "counts, not type, which is \"%.40s\"", legacy.entry->text);
    if (!name && has_legacy && !l->is_nested && is_fact(r, "@type", "ignored")) {
        say(p, NOTE_ODD, legacy.name, "does nothing: %s reads rope_type alone, so this is default",
            r->m->type);
        return;
    }
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
        refuse_type(p, v.name, name);
        return;
    }
    judge_type(r, &v, name);
}

/* Reads LongRoPE's two lists, short_factor and long_factor, which have one number per pair. */
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
    /* If original_max_position_embeddings is beside rope_scaling, as in Phi-3, Hugging Face ignores
     * the factor in rope_scaling. It divides max_position_embeddings by this length instead, and so
     * does pe if its factor is 0. */
    if (c->max_position_embeddings && look_up(r, r->outer, "original_max_position_embeddings", &v))
        c->factor = 0;
}

/* Reads freq_factors, which divide the frequencies after any scaling. ggml has them as the
 * tensor rope_freqs.weight of a GGUF file. */
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

/* Reads the attention factor, which multiplies cosines and sines. In a pe_rope_config, 0 means that
 * it is computed by the rule of the rope_type, so 0 in the file is an error. Only yarn and longrope
 * have such a factor; with other types the file's number is dropped. For yarn without the key, it
 * is the number of the fact @attention_factor, except in an object for one kind of layers. For yarn
 * with apply_yarn_scaling = false it is always 1. */
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

/* Reads the numbers and lists of the scaling, and the lengths of the model. read_type() has been
 * called before. */
static void read_scaling(const reader *r, const label *l)
{
    pe_rope_config *const c = &r->out->rope;
    /* Only a scaling needs this length. Without a scaling, the type's default is therefore not
     * taken. */
    if (c->rope_type != PE_ROPE_DEFAULT || has(r, "max_position_embeddings"))
        integer(r, "max_position_embeddings", &c->max_position_embeddings);
    integer(r, "sequence_length", &c->sequence_length);
    integer(r, "original_max_position_embeddings", &c->original_max_position_embeddings);
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

/* Reads a factor on queries that grows with the logarithm of their position. Up to a length, which
 * is the number at the key `length`, it is 1. `shift` is what pe_rope_query_scale_f32() adds to
 * each position. Does nothing if the file does not have the key. */
static void read_log_scale(const reader *r, const char *length, double shift)
{
    part *const p = r->out;
    if (!has(r, length) || !integer(r, length, &p->query_period)) return;
    if (p->query_period < 2) say(p, NOTE_WRONG, length, "must be at least 2");
    p->query_form = PE_QUERY_SCALE_LOG;
    p->query_beta = 1 / log((double)p->query_period);
    p->query_shift = shift;
}

/* Returns whether attn_temperature_tuning says that queries are multiplied by a factor that
 * depends on their position. The value is true, or a number above 0 in files of Llama 4. */
static int is_tuned(const reader *r)
{
    value v;
    if (find(r, "attn_temperature_tuning", &v) && v.entry && v.entry->kind == VALUE_NUMBER)
        return v.entry->number > 0;
    return is_true(r, "attn_temperature_tuning");
}

/* Reads what multiplies queries or logits in addition to the rotation. Queries get a factor with
 * llama_4_scaling_beta (Ministral 3), attn_temperature_tuning (Llama 4), use_logn_attn (Qwen 1) or
 * attn_temperature_len (Grok-2). Logits get one in layers of MLA that are scaled by yarn with
 * mscale_all_dim. For use_dynamic_ntk there is only a note. */
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
        integer(r, "floor_scale", &p->query_period)) {
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

/* Returns whether a key that the model's code does not read repeats what holds without it. Its
 * number may be a width, a base or a share of the part. In yarn_only_types, it is the kind of
 * layers that the fact @scaled names. */
static int is_repeated(const reader *r, const char *key, const item *i)
{
    const pe_rope_config *const c = &r->out->rope;
    const double width = (double)c->head_dim;
    const double rotary = c->rotary_dim ? (double)c->rotary_dim : width;
    const item *const scaled = usual_of(r, "@scaled");
    if (i->kind != VALUE_NUMBER)
        return scaled && length_of(r, key) == 1 && strcmp(i->text, scaled->text) == 0;
    return i->number == c->rope_theta || i->number == width || i->number == rotary ||
           i->number * width == rotary;
}

/* Adds notes about a key of the config or of its scaling, and returns whether nothing is left to
 * say about it. That is so if the key is in scaling_keys[] of known.h, or if only other model types
 * read it; see is_foreign() of keys.h. A note says so if the key has no effect, be it for this
 * model type, with the config's rope_type, or beside the key alpha. `path` names the key in the
 * note, and *i is its first item. A value of null is not judged by the rope_type. There is no note
 * if the part has an error, or if is_repeated() returns 1. */
static int judge_scaling_key(const reader *r, const char *key, const char *path, const item *i)
{
    part *const p = r->out;
    const int is_empty = i->kind == VALUE_NULL;
    value v;
    if (!is_empty && p->kind == PART_ROPE && is_foreign(r, key)) {
        if (!is_read(r->m, i) && !is_repeated(r, key, i))
            say(p, NOTE_ODD, path, "does nothing: the code of %s does not read it", r->m->type);
        return 1;
    }
    for (size_t k = 0; k < TOOL_COUNT(scaling_keys); k++) {
        if (strcmp(scaling_keys[k].key, key) != 0) continue;
        if (count_notes(p, NOTE_WRONG)) return 1; /* the rope_type itself may be wrong */
        if (!is_empty && !(scaling_keys[k].types & TOOL_TYPE(p->rope.rope_type)))
            say(p, NOTE_ODD, path, "does nothing with this rope_type");
        else if (strcmp(key, "factor") == 0 && r->inner[0] && look_up(r, r->inner, "alpha", &v))
            say(p, NOTE_ODD, path, "does nothing beside alpha");
        return 1;
    }
    return 0;
}

/* Adds a note to each key of the scaling that posenc does not know, or that has no effect with its
 * rope_type. */
static void judge_scaling(const reader *r)
{
    char key[PATH_SIZE] = "", last[PATH_SIZE] = "", path[2 * PATH_SIZE], text[64];
    if (!r->inner[0]) return;
    for (const item *i = list_next(r->m->file, r->inner, NULL); i;
         i = list_next(r->m->file, r->inner, i)) {
        child_of(i->path, r->inner, key);
        if (!key[0] || strcmp(key, last) == 0) continue;
        memcpy(last, key, sizeof last);
        snprintf(path, sizeof path, "%s.%s", name_of(r, r->inner), key);
        const value v = {i, "", path};
        const int is_known = judge_scaling_key(r, key, path, i) || is_ignored(r, key);
        mark(r->m, i);
        if (!is_known)
            say(r->out, NOTE_UNREAD, path,
                "%s: posenc does not know this key; what it changes is "
                "missing here. Check its spelling, or give its numbers by other keys",
                shown(r, &v, text));
    }
}

/* Adds notes to values that are valid but unusual, and to values that are missing but have a
 * default. */
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
    if (type == PE_ROPE_YARN && length > 0 && has(r, "max_position_embeddings") &&
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

/* Finds the key that an error message, `text`, names first. The caller calls it once for each known
 * key `name`. *earliest is where `text` has the key found so far, NULL before the first call, and
 * *key is this key. If two keys begin at the same place, the longer one counts: mscale_all_dim,
 * not mscale. rope_type and keys of up to four letters, such as type, are skipped. In messages such
 * as "this rope_type needs a factor", the wrong value is at another key. */
static void first_named(const char *text, const char *name, const char **earliest, const char **key)
{
    const int is_key = strlen(name) > 4 && strcmp(name, "rope_type") != 0;
    const char *const found = is_key ? strstr(text, name) : NULL;
    if (!found ||
        (*earliest && (found > *earliest || (found == *earliest && strlen(name) < strlen(*key)))))
        return;
    *earliest = found;
    *key = name;
}

/* Adds a note with the error that pe_rope_config_error() finds in the finished config, at the key
 * that its message names first. If it names none, the key is "config". If the part has an error
 * already, nothing is added, since this one may follow from it. Also notes a head_dim above
 * 2^20. */
static void judge_config(part *p)
{
    const char *const error = pe_rope_config_error(&p->rope), *key = "config", *earliest = NULL;
    if (count_notes(p, NOTE_WRONG)) return;
    if (p->rope.head_dim > 1048576) say(p, NOTE_WRONG, "head_dim", "more than 2^20");
    if (!error) return;
    for (size_t k = 0; k < TOOL_COUNT(scaling_keys); k++)
        first_named(error, scaling_keys[k].key, &earliest, &key);
    for (size_t k = 0; k < TOOL_COUNT(config_keys); k++)
        first_named(error, config_keys[k], &earliest, &key);
    if (strstr(error, "sections")) key = "mrope_section";
    say(p, NOTE_WRONG, key, "%s", error);
}

/* Reads the rotation of the layers that a label describes. If the scaling does not apply to them,
 * it is hidden from most of the functions called here. Only read_rotary() and judge_values() still
 * see it, and read_theta() if the label has no base of its own. */
static void read_rope(const reader *r, const label *l)
{
    part *const p = r->out;
    p->rope = pe_rope_config_default(0);
    reader own = *r;
    if (l->is_unscaled) own.inner[0] = '\0';
    const char *const width_key = read_head_dim(&own, l);
    read_theta(l->is_unscaled && !l->theta ? r : &own, l);
    if (!l->is_unscaled) read_type(r, l);
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
    judge_head_dim(p, width_key);
    judge_config(p);
}

#endif
