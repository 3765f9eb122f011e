/* SPDX-License-Identifier: MIT */
/* Reads a model's file, which has been flattened to a list (files/list.h). The file is a config,
 * which may have configs within it, such as text_config. A part (part.h) is a set of layers that
 * share one positional encoding. A config that describes layers of its own becomes one or more
 * parts; some configs only have other configs within them.
 *
 * The table entry of a model type has defaults, which are the values of absent keys, and facts,
 * whose names begin with @ (type_line.h). A reader (keys.h) says in which config keys are looked
 * up, and which part gets the results. A note is a message about a key. */
#ifndef TOOL_CONFIG_H
#define TOOL_CONFIG_H

#include "kinds.h"
#include "types.h"
#include "unread.h"

/* Adds the defaults and facts of a type's table entry to m->usual. `facts` is a text such as
 * "head_dim=256 @kind=none", in the format of type_line.h. The values true and false become
 * booleans, and numbers become numbers. All other values become strings, without their quotes. */
static void take_usual(model *m, const char *facts)
{
    while (*facts) {
        char word[400], *value_of;
        size_t length = 0, kept = 0;
        for (int is_quoted = 0; facts[length] && (is_quoted || facts[length] != ' '); length++) {
            if (facts[length] == '\'') is_quoted = !is_quoted;
            else if (kept + 1 < sizeof word) word[kept++] = facts[length];
        }
        word[kept] = '\0';
        facts += length + (facts[length] == ' ');
        value_of = strchr(word, '=');
        if (!value_of) continue;
        *value_of++ = '\0';
        char *end;
        const double number_of_it = strtod(value_of, &end);
        const int is_true_word = strcmp(value_of, "true") == 0;
        const value_kind kind = *end == '\0'                                     ? VALUE_NUMBER
                                : is_true_word || strcmp(value_of, "false") == 0 ? VALUE_BOOLEAN
                                                                                 : VALUE_STRING;
        list_add(&m->usual, word, kind, kind == VALUE_BOOLEAN ? is_true_word : number_of_it,
                 value_of, ORIGIN_TYPE);
    }
}

/* Adds to m->usual the facts that gguf_config.h has put into the list of a GGUF file, as items
 * whose path begins with @. The tables of types.h do not have them, since they depend on the
 * file's architecture. Also sets m->type to the name of the architecture, which messages print. */
static void take_architecture(model *m)
{
    for (size_t i = 0; i < m->file->count; i++) {
        const item *const fact_there = &m->file->items[i];
        if (fact_there->path[0] != '@') continue;
        mark(m, fact_there);
        list_add(&m->usual, fact_there->path, fact_there->kind, fact_there->number,
                 fact_there->text, ORIGIN_TYPE);
    }
    const item *const name = list_find(m->file, "@architecture");
    if (name) snprintf(m->type, sizeof m->type, "%s", name->text);
}

/* Returns whether the object at a path has an object within it. */
static int has_objects(const reader *r, const char *path)
{
    char key[PATH_SIZE];
    for (const item *i = list_next(r->m->file, path, NULL); i; i = list_next(r->m->file, path, i)) {
        const char *const rest = child_of(i->path, path, key);
        if (key[0] && (*rest == '.' || strcmp(i->text, "{}") == 0)) return 1;
    }
    return 0;
}

/* Returns whether the type has default objects for kinds of layers in rope_parameters. */
static int has_kinds(const reader *r)
{
    static const char path[] = "rope_parameters.";
    for (size_t i = 0; i < r->m->usual.count; i++) {
        const char *const name = r->m->usual.items[i].path;
        if (strncmp(name, path, sizeof path - 1) == 0 && strchr(name + sizeof path - 1, '.'))
            return 1;
    }
    return 0;
}

/* Returns whether an object that a file has as its scaling is read, and adds a note if it is not.
 * `name` is "rope_parameters" or "rope_scaling", and *v is the object. is_second is 1 if the other
 * one counts so far. */
static int is_scaling_read(const reader *r, const char *name, const value *v, int is_second)
{
    const int is_old = strcmp(name, "rope_scaling") == 0;
    const int is_empty = v->entry && strcmp(v->entry->text, "{}") == 0;
    const char *const type = r->m->type;
    const int reads_kinds = is_fact(r, "@reads", "kinds");
    if (is_fact(r, "@reads", "none"))
        say(r->out, NOTE_ODD, name, "does nothing: %s reads rope_theta of the config alone", type);
    else if (is_old && is_fact(r, "@reads", "new"))
        say(r->out, NOTE_ODD, name, "does nothing: %s reads rope_parameters alone", type);
    else if (!is_old && is_empty && has_kinds(r))
        say(r->out, NOTE_WRONG, name, "empty: %s needs an object for each kind of layers", type);
    else if (!is_old && reads_kinds && !has_objects(r, v->path))
        say(r->out, NOTE_ODD, name, "does nothing: %s reads only objects for kinds of layers",
            type);
    else if (is_old && reads_kinds && has_objects(r, v->path))
        say(r->out, NOTE_ODD, name, "does nothing: %s reads no objects in it", type);
    else if (is_second && reads_kinds)
        say(r->out, NOTE_ODD, name, "does nothing beside rope_parameters");
    else if (is_second && is_fact(r, "@type", "ignored"))
        say(r->out, NOTE_WRONG, name,
            "beside rope_parameters: transformers writes its numbers into an object there. Do this "
            "in the file");
    else return !is_second || !is_empty;
    return 0;
}

/* Sets r->inner to the path of rope_scaling or, if the config has none, or an empty one, of
 * rope_parameters. So do versions 4 and 5 of transformers. With neither of them, r->inner stays
 * empty. It is also empty if the one that counts is not an object, which gets a note.
 * is_scaling_read() says which types do not read one of them. If both could count, returns
 * "rope_parameters", about which the caller adds a note. In all other cases returns NULL. */
static const char *find_scaling(reader *r)
{
    static const char *const names[] = {"rope_parameters", "rope_scaling"};
    value v;
    const char *spare = NULL;
    for (int k = 0; k < 2; k++) {
        const int is_second = r->inner[0] != '\0';
        if (!look_up(r, r->outer, names[k], &v)) continue;
        if (!is_scaling_read(r, names[k], &v, is_second)) continue;
        if (is_second) spare = names[0];
        join(r->inner, r->outer, names[k]);
        if (is_object(r->m, r->inner)) continue;
        wrong_type(r, &v, "an object");
        r->inner[0] = '\0';
    }
    return spare;
}

/* Reads a config of kind PART_ROPE. A label (width.h) describes layers that share a rotation, and
 * part r->first + k gets the results of label k. The part r->first exists already; the others are
 * added, up to MOST_PARTS. Layers that do not rotate become parts of their own. */
static void read_rotating(reader *r, part *parts, size_t *count)
{
    labels all;
    all.count = 0;
    const char *const spare = find_scaling(r);
    add_nested_labels(r, &all);
    const int is_nested = all.count > 0;
    if (is_nested) judge_nested(r);
    else {
        add_own_labels(r, &all);
        add_second_label(r, &all);
        add_linear_label(r, &all);
    }
    part *const first = parts + r->first;
    if (strcmp(all.of[0].name, "text") != 0) name_part(r, all.of[0].name, first->name);
    for (size_t k = 1; k < all.count; k++) {
        char name[64];
        name_part(r, all.of[k].name, name);
        if (!add_part(parts, count, name)) all.count = k;
    }
    assign_layers(r, &all, parts, count);
    for (size_t k = 0; k < all.count; k++) {
        reader own = *r;
        own.out = &first[k];
        own.layer = first[k].layer_count ? (long)first[k].layers[0] : -1;
        memcpy(own.inner, all.of[k].inner, sizeof own.inner);
        read_rope(&own, &all.of[k]);
        read_window(&own, &all.of[k]);
    }
    if (spare) say(first, NOTE_ODD, spare, "is not read beside rope_scaling; some programs do");
}

/* Says where in the file a config is, and what the config around it says about it. */
typedef struct config_place {
    char path[PATH_SIZE]; /* the path of the config; "" is the whole file                      */
    /* This is the type that @parts of the config around it gives the config, or "". A text config
     * that @parts does not list has the type of the config around it. In a copy of this struct,
     * read_at() replaces the type by that of take_type(). */
    char type[64];
    int is_fixed;    /* 1: `type` counts, even if the config names another model_type */
    char prefix[64]; /* the names of its parts begin with this, as in "vision"; or "" */
    char parent[64]; /* the type of the config around it; "" for the whole file       */
    char key[64];    /* its key in the config around it; "" for the whole file        */
    int depth;       /* how many configs are around it; 0 for the whole file          */
} config_place;

/* Limits for hostile files. A config that is within more than MOST_DEPTH others is not read, and
 * a note says so. A config may have MOST_SUBS configs within it, besides that of its text. If it
 * has more, the others are not read, and a note says so. */
enum { MOST_DEPTH = 6, MOST_SUBS = 16 };

/* Sets m->type, and replaces m->usual by the defaults and facts of the type's table entry. `type`
 * may point into m->type or m->usual, so it is copied first. The type "gguf" is then replaced by
 * the architecture of the GGUF file. */
static void set_type(model *m, const char *type)
{
    char name[64];
    snprintf(name, sizeof name, "%s", type);
    memcpy(m->type, name, sizeof m->type);
    list_free(&m->usual);
    const type_line *const line = type_named(m->type);
    m->is_known = line != NULL;
    m->is_of_library = is_of_library_table(line);
    if (line) take_usual(m, line->facts);
    if (strcmp(m->type, "gguf") == 0) take_architecture(m);
}

/* Returns whether the reader's config itself, not its scaling, has a key whose value is not
 * null. */
static int has_own(const reader *r, const char *key)
{
    value v;
    return look_up(r, r->outer, key, &v);
}

/* Returns the name of a table entry for a config without a model_type, judged by keys that only
 * the files of one project have. Returns NULL if the config has no such keys. */
static const char *type_by_keys(const reader *r)
{
    value v;
    if (look_up(r, r->outer, "_class_name", &v) && v.entry && v.entry->kind == VALUE_STRING)
        return v.entry->text; /* in Diffusers, the model's class takes the place of its type */
    if (has_own(r, "rope_ntk_alpha") && has_own(r, "initial_context_length"))
        return "gpt_oss_original";
    if (!has_own(r, "dim") || !has_own(r, "n_layers") || !has_own(r, "n_heads")) return NULL;
    if (has_own(r, "yarn")) return "params.json yarn";
    return has_own(r, "head_dim") ? "params.json of Mistral" : "params.json"; /* Meta's has none */
}

/* Takes the defaults that the type of the surrounding config has for keys of this config, for
 * example text_config.rope_theta=100000000. They replace the defaults of the config's own type. */
static void take_parent(model *m, const config_place *location)
{
    const type_line *const line = location->parent[0] ? type_named(location->parent) : NULL;
    const size_t length = strlen(location->key);
    list own = m->usual;
    if (!line) return;
    memset(&m->usual, 0, sizeof m->usual);
    take_usual(m, line->facts);
    for (size_t i = 0; i < m->usual.count; i++) {
        const item *const u = &m->usual.items[i];
        if (strncmp(u->path, location->key, length) != 0 || u->path[length] != '.') continue;
        list_remove(&own, u->path + length + 1);
        list_add(&own, u->path + length + 1, u->kind, u->number, u->text, ORIGIN_TYPE);
    }
    list_free(&m->usual);
    m->usual = own;
}

/* Sets the type of the reader's config, and takes its defaults and facts. A type that the
 * surrounding config fixes (KEY:!TYPE in @parts) comes first, then the config's own model_type.
 * Then come the type that the surrounding config gives it (KEY:TYPE) and the result of
 * type_by_keys(). Without any of them the type is "". */
static void take_type(reader *r, const config_place *location)
{
    value v;
    const char *type = string(r, "model_type", &v);
    if (!type && !location->type[0]) type = type_by_keys(r);
    set_type(r->m, location->is_fixed || !type ? location->type : type);
    take_parent(r->m, location);
}

/* Adds to the list, under their usual names, the keys that have other names in files of this type.
 * The fact @aliases has NEW:OLD for each: the value at the key OLD is added as NEW. Nothing is
 * added if OLD is absent or null, or has an object or a list that is not empty. */
static void add_aliases(const reader *r)
{
    const item *const aliases = usual_of(r, "@aliases");
    for (const char *word = aliases ? aliases->text : ""; *word;) {
        char pair[200], path[PATH_SIZE];
        value v;
        const size_t length = strcspn(word, ",");
        snprintf(pair, sizeof pair, "%.*s", (int)length, word);
        word += length + (word[length] == ',');
        char *const old = strchr(pair, ':');
        if (!old) continue;
        *old = '\0';
        join(path, r->outer, pair);
        if (!look_up(r, r->outer, old + 1, &v) || !v.entry) continue;
        const item from = *v.entry; /* a copy, since adding may move the items in memory */
        char *const text = list__copy(from.text);
        if (text) list_add(r->m->file, path, from.kind, from.number, text, from.origin);
        free(text);
    }
}

/* Adds the type's defaults rope_parameters.KEY to the list, and the keys of the fact @aliases, if
 * the config has no scaling. The scaling is rope_parameters or, without the fact @reads=new,
 * rope_scaling. With the fact @bases=top, also adds the defaults that are missing in a file with an
 * object for a kind of layers. A rope_theta of the file then replaces the bases in the defaults.
 * If the defaults have an object for each kind of layers, old_keys[] have no effect, and those in
 * the file get a note. width.h does the same for partial_rotary_factor. */
static void fill_in(const reader *r)
{
    static const char start[] = "rope_parameters.";
    static const char *const old_keys[] = {"rope_theta", "swa_rope_theta"};
    char path[PATH_SIZE];
    int is_nested = 0;
    const int is_new = is_fact(r, "@reads", "new");
    const int has_base = is_fact(r, "@bases", "top") && has_own(r, "rope_theta");
    const int has_scaling =
        has_own(r, "rope_parameters") || (!is_new && has_own(r, "rope_scaling"));
    const int has_kind = has_own(r, "rope_parameters.full_attention") ||
                         has_own(r, "rope_parameters.sliding_attention");
    if (has_scaling && !(has_kind && is_fact(r, "@bases", "top"))) return;
    join(path, r->outer, "rope_parameters");
    /* If the file has "rope_parameters": null, look_up() would find this item first and take the
     * added object for absent. So the last letter of the item's path becomes '?'. */
    for (size_t i = 0; i < r->m->file->count; i++) {
        char *const null = r->m->file->items[i].path;
        if (strcmp(null, path) == 0) null[strlen(null) - 1] = '?';
    }
    for (size_t i = 0; i < r->m->usual.count; i++) {
        const item *const u = &r->m->usual.items[i];
        if (strncmp(u->path, start, sizeof start - 1) != 0) continue;
        const char *const key = strchr(u->path + sizeof start - 1, '.');
        is_nested |= key != NULL;
        if (has_base && key && strcmp(key, ".rope_theta") == 0) continue;
        if (has_scaling && has_own(r, u->path)) continue;
        join(path, r->outer, u->path);
        list_add(r->m->file, path, u->kind, u->number, u->text, ORIGIN_TYPE);
    }
    if (has_scaling) return;
    add_aliases(r);
    for (size_t k = 0; k < TOOL_COUNT(old_keys) && is_nested; k++)
        if (has_own(r, old_keys[k]) && !(has_base && strcmp(old_keys[k], "rope_theta") == 0))
            say(r->out, NOTE_ODD, old_keys[k],
                "does nothing: without rope_parameters, %s has numbers of its own", r->m->type);
}

/* ---- configs within a config ----------------------------------------------------------------- */

/* Holds a config within the config, as the fact @parts lists it: KEY, KEY:TYPE or KEY:!TYPE. */
typedef struct sub {
    char key[64];  /* KEY: its key in the surrounding config                             */
    char type[64]; /* TYPE: its type if it names no model_type; "" if @parts has no TYPE */
    int is_fixed;  /* 1: TYPE counts, even if the config names another model_type        */
} sub;

/* Reads the fact @parts into to[MOST_SUBS]. Returns how many configs it lists, at most MOST_SUBS,
 * or 0 if the type does not have the fact. */
static size_t subs_of(const reader *r, sub *to)
{
    const item *const fact_there = usual_of(r, "@parts");
    size_t count = 0;
    for (const char *word = fact_there ? fact_there->text : ""; *word && count < MOST_SUBS;) {
        const size_t length = strcspn(word, ","), key = strcspn(word, ":,");
        const int is_fixed = key < length && word[key + 1] == '!';
        const size_t from = key < length ? key + 1 + (size_t)is_fixed : length;
        sub *const s = &to[count++];
        snprintf(s->key, sizeof s->key, "%.*s", (int)key, word);
        snprintf(s->type, sizeof s->type, "%.*s", (int)(length - from), word + from);
        s->is_fixed = is_fixed;
        word += length + (word[length] == ',');
    }
    return count;
}

static const sub *sub_named(const sub *subs, size_t count, const char *key)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(subs[k].key, key) == 0) return &subs[k];
    return NULL;
}

/* Lists the keys at which a config may have the config of its text model. The first of them that
 * the file has counts. The names of that config's parts get no prefix from this key:
 * "full_attention", not "text.full_attention". */
static const char *const text_keys[] = {"text_config", "llm_config", "language_config",
                                        "thinker_config"};

/* Lists keys that end in _config, but whose objects do not describe a model. */
static const char *const other_objects[] = {
    "quantization_config", "compression_config", "generation_config", "attn_config",
    "attention_config",    "linear_attn_config", "ffn_config",        "auto_config"};

/* Returns whether the object at a key is probably the config of a model: the key ends in _config,
 * and is not one of other_objects[]. */
static int is_config_name(const char *key)
{
    const size_t length = strlen(key);
    return length > 7 && strcmp(key + length - 7, "_config") == 0 &&
           !is_one_of(key, other_objects, TOOL_COUNT(other_objects));
}

/* Writes to *to the place of the config that is at `key` of the reader's config, whose place is
 * *from. `s` is the entry of @parts for this key, or NULL. Without an entry, the config of the text
 * gets the type of the reader's config, and any other config gets "". */
static void go_into(const config_place *from, const reader *r, const char *key, const sub *s,
                    config_place *to)
{
    const int is_text = is_one_of(key, text_keys, TOOL_COUNT(text_keys));
    const size_t length = strlen(key), end = is_config_name(key) ? length - 7 : length;
    memset(to, 0, sizeof *to);
    join(to->path, from->path, key);
    snprintf(to->type, sizeof to->type, "%s", s ? s->type : is_text ? r->m->type : "");
    to->is_fixed = s && s->is_fixed;
    to->depth = from->depth + 1;
    snprintf(to->parent, sizeof to->parent, "%s", from->type);
    snprintf(to->key, sizeof to->key, "%.63s", key);
    if (is_text) memcpy(to->prefix, from->prefix, sizeof to->prefix);
    else
        snprintf(to->prefix, sizeof to->prefix, "%.28s%s%.*s", from->prefix,
                 from->prefix[0] ? "." : "", (int)(end < 30 ? end : 30), key);
}

/* Returns the key of text_keys[] at which the reader's config has the config of its text model. A
 * value there that is not an object gets a note and does not count. If the file has none of these
 * keys, returns the one that @parts (`subs`) has, or NULL if @parts has none.
 * A key that only @parts has leads to one of two cases. If the reader's config has a width,
 * head_dim or rope_theta, it describes the text itself, and *is_flat is set to 1. Otherwise a
 * config that has nothing but its model_type is added to the list, so that the defaults of this
 * type are read. *is_flat is 0 if it is not set to 1. */
static const char *find_text(const reader *r, const sub *subs, size_t count, int *is_flat)
{
    char path[PATH_SIZE];
    value v;
    *is_flat = 0;
    for (size_t k = 0; k < TOOL_COUNT(text_keys); k++) {
        if (!look_up(r, r->outer, text_keys[k], &v)) continue;
        if (is_object(r->m, v.path)) return text_keys[k];
        wrong_type(r, &v, "an object");
    }
    for (size_t k = 0; k < TOOL_COUNT(text_keys); k++) {
        const sub *const s = sub_named(subs, count, text_keys[k]);
        if (!s) continue;
        for (size_t w = 0; w < TOOL_COUNT(width_keys); w++) *is_flat |= has_own(r, width_keys[w]);
        *is_flat |= has_own(r, "head_dim") || has_own(r, "rope_theta");
        if (*is_flat) return s->key;
        join(path, r->outer, s->key);
        join(v.path, path, "model_type");
        list_add(r->m->file, v.path, VALUE_STRING, 0, s->type, ORIGIN_TYPE);
        return s->key;
    }
    return NULL;
}

/* Reads the layers that a config itself describes. r->out is a part that was added for them. With
 * the fact @encoder, adds a part for the encoder. If posenc does not compute the rotation (the fact
 * @refused), or the config is of Diffusers and in no table, the part only gets a note that says
 * so. */
static void read_own(reader *r, part *parts, size_t *count)
{
    part *const p = r->out;
    const item *const encoder = usual_of(r, "@encoder");
    const item *const refused = usual_of(r, "@refused");
    const part_kind kind = kind_of_model(r);
    if (!r->m->main[0] && r->first == 0) memcpy(r->m->main, r->outer, sizeof r->m->main);
    if (refused && kind == PART_ROPE) {
        const char *const why = strstr(refused->text, ": ");
        char key[96];
        snprintf(key, sizeof key, "%.*s", why ? (int)(why - refused->text) : 0, refused->text);
        p->kind = PART_UNREAD;
        say(p, NOTE_UNREAD, key, "%s", why ? why + 2 : refused->text);
        return;
    }
    if (!r->m->is_known && has_own(r, "_class_name")) {
        p->kind = PART_UNREAD;
        say(p, NOTE_UNREAD, "_class_name",
            "%s: a config of Diffusers, whose positions posenc does not read: see docs/models.md",
            r->m->type);
        return;
    }
    if (kind == PART_ROPE) read_rotating(r, parts, count);
    else read_other(r, kind);
    judge_keys(r);
    judge_objects(r);
    if (!encoder) return;
    char name[64];
    size_t width = 0;
    size_of(r, "@hidden", width_keys, TOOL_COUNT(width_keys), &width);
    name_part(r, "decoder", p->name);
    name_part(r, "encoder", name);
    part *const q = add_part(parts, count, name);
    if (q) preset_part(q, encoder->text, width);
}

static void read_at(model *m, const config_place *location, part *parts, size_t *count);

/* Adds a part for the config at `location`, with one note and nothing else. The note says that
 * posenc does not know the config's model_type, or that it has none. */
static void refuse_sub(const reader *r, const config_place *location, part *parts, size_t *count)
{
    part *const p = add_part(parts, count, location->prefix);
    value v;
    if (!p) return;
    p->kind = PART_UNREAD;
    if (look_up(r, location->path, "model_type", &v) && v.entry)
        say(p, NOTE_UNREAD, "model_type",
            "%.60s: not in posenc's table: what rotates in it is not told", v.entry->text);
    else
        say(p, NOTE_UNREAD, "model_type", "missing: what rotates in %.60s is not told",
            location->path);
}

/* Adds a part for the config at `location`, with the note that it is not read, and that no config
 * after it is, since MOST_SUBS configs have been read. */
static void refuse_further_subs(const config_place *location, part *parts, size_t *count)
{
    part *const p = add_part(parts, count, location->prefix);
    if (!p) return;
    p->kind = PART_UNREAD;
    say(p, NOTE_UNREAD, location->path,
        "more than %d configs within one: posenc reads neither this one nor those after it",
        (int)MOST_SUBS);
}

/* Returns whether the config at a path has a key whose name contains one of telling_words[]
 * (known.h), which suggests that something rotates. Names that contain "position" do not count. */
static int speaks_of_rotation(const model *m, const char *path)
{
    char key[PATH_SIZE];
    for (const item *i = list_next(m->file, path, NULL); i; i = list_next(m->file, path, i)) {
        child_of(i->path, path, key);
        if (is_telling(key) && !strstr(key, "position")) return 1;
    }
    return 0;
}

/* Reads the config at `key` of the reader's config, which is not that of the text. *from is the
 * place of the reader's config, and `s` the entry of @parts for the key, or NULL. If a table has
 * the config's model_type or s->type, its parts are added. Otherwise refuse_sub() adds a part if
 * the config names a model_type, is at vision_config or audio_config, or has keys that speak of
 * rotation. Any other config is ignored. A value that is neither an object nor null gets a note if
 * the key is vision_config or audio_config. */
static void read_sub(const reader *r, const config_place *from, const char *key, const sub *s,
                     part *parts, size_t *count)
{
    config_place location;
    value v;
    go_into(from, r, key, s, &location);
    const int has_type = look_up(r, location.path, "model_type", &v) && v.entry &&
                         v.entry->kind == VALUE_STRING && type_named(v.entry->text);
    const int is_tower = strcmp(key, "vision_config") == 0 || strcmp(key, "audio_config") == 0;
    const int is_named = look_up(r, location.path, "model_type", &v);
    if (!is_object(r->m, location.path)) {
        if (!is_tower || !look_up(r, r->outer, key, &v)) return;
        part *const p = *count ? &parts[0] : add_part(parts, count, location.prefix);
        say(p, NOTE_WRONG, key, "an object is wanted");
    } else if (has_type || (s && type_named(s->type))) read_at(r->m, &location, parts, count);
    else if (is_named || is_tower || speaks_of_rotation(r->m, location.path))
        refuse_sub(r, &location, parts, count);
}

/* Reads the configs within the reader's config, in the order of the file: the objects at keys that
 * @parts lists or whose name is that of a config (is_config_name()). Skips the config of the text,
 * whose key is `text`; NULL if there is none. After MOST_SUBS of them, refuse_further_subs() adds a
 * part for the next one, and the others are ignored. */
static void read_subs(const reader *r, const config_place *location, const char *text, part *parts,
                      size_t *count)
{
    sub subs[MOST_SUBS];
    char done[MOST_SUBS][PATH_SIZE], key[PATH_SIZE];
    size_t dones = 0;
    const size_t listed = subs_of(r, subs);
    for (size_t i = 0; i < r->m->file->count; i++) {
        const item *const u = &r->m->file->items[i];
        if (!is_beneath(u->path, r->outer)) continue;
        const int is_within = *child_of(u->path, r->outer, key) == '.';
        const sub *const s = sub_named(subs, listed, key);
        int is_done = text && strcmp(key, text) == 0;
        for (size_t k = 0; k < dones; k++) is_done |= strcmp(done[k], key) == 0;
        if (is_done || (!s && !is_config_name(key))) continue;
        if (dones == MOST_SUBS && !is_within && strcmp(u->text, "{}") != 0) continue;
        if (dones == MOST_SUBS) {
            config_place further;
            go_into(location, r, key, s, &further);
            refuse_further_subs(&further, parts, count);
            return;
        }
        memcpy(done[dones++], key, sizeof key);
        read_sub(r, location, key, s, parts, count);
        set_type(r->m, location->type);
    }
}

/* Reads the config at `location`: the layers of its own, the config of its text, then the others
 * within it. A part for its own layers is added first. If the config has none, this part is removed
 * again, or is only kept for its notes if it has any. */
static void read_at(model *m, const config_place *location, part *parts, size_t *count)
{
    sub subs[MOST_SUBS];
    config_place own = *location;
    reader r = {NULL, m, "", "", -1, own.prefix, *count};
    r.out = add_part(parts, count, "text");
    if (!r.out || location->depth > MOST_DEPTH || *count + MOST_LABELS + 8 > MOST_PARTS) {
        if (r.out) r.out->kind = PART_UNREAD;
        if (r.out) say(r.out, NOTE_UNREAD, location->path, "too many configs within one another");
        return;
    }
    memcpy(r.outer, location->path, sizeof r.outer);
    name_part(&r, "text", r.out->name);
    take_type(&r, location);
    memcpy(own.type, m->type, sizeof own.type);
    int is_flat = 0, is_parted = is_fact(&r, "@kind", "parts");
    const size_t listed = subs_of(&r, subs);
    const char *const text = find_text(&r, subs, listed, &is_flat);
    if (is_flat) set_type(m, sub_named(subs, listed, text)->type);
    const int has_text = text && !is_flat;
    if (is_flat || !(is_parted || (has_text && !listed))) {
        if (has_text) name_part(&r, "model", r.out->name);
        fill_in(&r);
        read_own(&r, parts, count);
    } else if (r.out->notes) r.out->kind = PART_UNREAD;
    else --*count;
    set_type(m, own.type);
    if (has_text) {
        config_place inside;
        go_into(&own, &r, text, sub_named(subs, listed, text), &inside);
        read_at(m, &inside, parts, count);
        set_type(m, own.type);
    }
    read_subs(&r, &own, text, parts, count);
}

/* Adds notes to *p about settings of the command line that nothing has read. Only a file whose
 * layers are described in a config within it (m->main) needs this: a key that was set outside that
 * config has no effect. */
static void judge_settings(const model *m, part *p)
{
    for (size_t i = 0; i < m->file->count && m->main[0]; i++)
        if (m->file->items[i].origin == ORIGIN_SETTING && !is_read(m, &m->file->items[i]))
            say(p, NOTE_UNREAD, m->file->items[i].path,
                "%.40s: nothing reads this: the keys of the text are in %s", m->file->items[i].text,
                m->main);
}

/* Reads a model's file, flattened to a list, into parts[MOST_PARTS]. Some defaults of the model
 * types, and keys under their usual names (add_aliases()), are added to the list. Returns the
 * number of parts, which is at least 1: a file without any becomes a part with a note. */
static size_t read_model(list *file, part *parts)
{
    model m;
    config_place whole_file;
    memset(&m, 0, sizeof m);
    memset(&whole_file, 0, sizeof whole_file);
    m.file = file;
    m.used_room = file->count;
    m.used = (unsigned char *)calloc(file->count + 1, 1);
    size_t count = 0;
    if (!m.used) {
        say(add_part(parts, &count, "config"), NOTE_WRONG, "memory", "there is not enough");
        return count;
    }
    read_at(&m, &whole_file, parts, &count);
    if (count == 0) {
        part *const p = add_part(parts, &count, "config");
        p->kind = PART_UNREAD;
        say(p, NOTE_UNREAD, "model_type", "%s has parts of other types, but none is in this file",
            m.type);
    }
    judge_settings(&m, &parts[0]);
    list_free(&m.usual);
    free(m.used);
    return count;
}

#endif
