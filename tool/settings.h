/* SPDX-License-Identifier: MIT */
/* Applies the KEY=VALUE settings of the command line to the list of a model's file (files/list.h).
 * A setting replaces the key of the file that means the same. A setting without an effect is
 * refused, and the message says what to type instead.
 *
 * A part (model/part.h) is a set of layers that share one positional encoding. A note is a message
 * about a key, a flag or a file. */
#ifndef TOOL_SETTINGS_H
#define TOOL_SETTINGS_H

#include "files/arguments.h"
#include "model/config.h"

enum { MOST_SETTINGS = 64, MOST_TYPED = 1024 };

/* Lists keys that mean the same in different models' files; "" fills up a row. A setting may use
 * any key of a row: it replaces the one that the file has. */
static const char *const synonyms[][6] = {
    {"rope_theta", "rotary_emb_base", "global_rope_theta", "", "", ""},
    {"rope_type", "type", "", "", "", ""},
    {"partial_rotary_factor", "rotary_pct", "rotary_emb_fraction", "rope_percent", "rope_pct", ""},
    {"hidden_size", "n_embd", "d_model", "", "", ""},
    {"num_attention_heads", "n_head", "n_heads", "num_heads", "", ""},
    {"num_hidden_layers", "n_layer", "n_layers", "num_layers", "", ""}};

/* Reads the parts of a model's list into parts[], which has room for MOST_PARTS. read_model() may
 * add items to the list. Returns the number of parts. */
static size_t read_parts(list *file, part *parts)
{
    return list_find(file, "preset") ? read_preset(file, parts) : read_model(file, parts);
}

static void free_parts(part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(parts[i].lists[0]), free(parts[i].lists[1]), free(parts[i].factors),
            free(parts[i].coordinate), free(parts[i].omega);
}

/* ---- where a setting belongs ----------------------------------------------------------------- */

/* Writes the path of the object in the file that configures the text model. It may be several
 * levels deep: "", "text_config", "thinker_config.text_config". */
static void find_text_config(const list *file, char path[PATH_SIZE])
{
    size_t depth = 0;
    path[0] = '\0';
    for (size_t k = 0; k < TOOL_COUNT(text_keys) && depth < MOST_DEPTH; k++) {
        char inside[PATH_SIZE];
        join(inside, path, text_keys[k]);
        const item *const entry = list_next(file, inside, NULL);
        if (!entry || entry->path[strlen(inside)] != '.') continue;
        snprintf(path, PATH_SIZE, "%s", inside);
        k = (size_t)-1;
        depth++;
    }
}

/* Returns where the path of an item has a key, within the object at the path `config`. The result
 * is 0 beneath its rope_scaling and 1 beneath its rope_parameters, at any depth, 2 in the object
 * itself, and 3 elsewhere or if the path has another key. If the file has a key in several places,
 * the one with the smallest number counts, as when the file is read. */
static int rank_of(const char *path, const char *config, const char *key)
{
    static const char *const objects[] = {"rope_scaling", "rope_parameters"};
    char before[PATH_SIZE];
    const size_t length = strcspn(path, "["), size = strlen(key);
    if (length < size || strncmp(path + length - size, key, size) != 0) return 3;
    if (length > size && path[length - size - 1] != '.') return 3;
    const size_t parent = length > size ? length - size - 1 : 0;
    for (int k = 0; k < 2; k++) {
        join(before, config, objects[k]);
        const size_t start = strlen(before);
        if (strncmp(path, before, start) == 0 && path[start] == '.' && parent >= start) return k;
    }
    return parent == strlen(config) && strncmp(path, config, parent) == 0 ? 2 : 3;
}

/* Writes the paths at which the object `config` has a key. If there are several places, only
 * those with the smallest rank_of() count. Items that are null do not count. Returns the number of
 * paths, at most 4. There may be several, because rope_parameters can have an object for each kind
 * of layers. */
static size_t find_places(const list *file, const char *config, const char *key,
                          char paths[4][PATH_SIZE])
{
    size_t count = 0;
    int best = 3;
    for (size_t i = 0; i < file->count; i++) {
        const item *const entry = &file->items[i];
        const int rank = entry->kind == VALUE_NULL ? 3 : rank_of(entry->path, config, key);
        if (rank == 3 || rank > best) continue;
        if (rank < best) count = 0;
        best = rank;
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "%.*s", (int)strcspn(entry->path, "["), entry->path);
        int is_new = count < 4;
        for (size_t k = 0; k < count && is_new; k++) is_new = strcmp(paths[k], path) != 0;
        if (is_new) memcpy(paths[count++], path, sizeof path);
    }
    return count;
}

/* Writes the paths that the key of a setting may mean in a file, and returns their number. With
 * more than one, the user has to choose. A key with a dot or a bracket already is a path, and
 * model_type is always that of the whole file. If the file has a synonym of the key and not the
 * key itself, the path is that of the synonym. A key that the file does not have is added to the
 * config of the text. */
static size_t place_setting(const list *file, const char *key, char paths[4][PATH_SIZE])
{
    char config[PATH_SIZE];
    snprintf(paths[0], PATH_SIZE, "%.200s", key);
    if (strpbrk(key, ".[") || strcmp(key, "model_type") == 0) return 1;
    find_text_config(file, config);
    size_t count = find_places(file, config, key, paths);
    for (size_t s = 0; s < TOOL_COUNT(synonyms) && !count; s++)
        if (is_one_of(key, synonyms[s], 6))
            for (size_t k = 0; k < 6 && !count; k++)
                if (synonyms[s][k][0]) count = find_places(file, config, synonyms[s][k], paths);
    if (count) return count;
    join(paths[0], config, key);
    return 1;
}

/* ---- whether a setting counts ---------------------------------------------------------------- */

/* Holds the settings of the command line. */
typedef struct settings {
    size_t count;
    const char *words[MOST_SETTINGS];     /* the words KEY=VALUE                  */
    char paths[MOST_SETTINGS][PATH_SIZE]; /* the path that each word sets         */
} settings;

/* Copies a list. If memory runs out, the copy has is_out_of_memory set. */
static void copy_list(const list *from, list *to)
{
    memset(to, 0, sizeof *to);
    for (size_t i = 0; i < from->count; i++) {
        const item *const entry = &from->items[i];
        list_add(to, entry->path, entry->kind, entry->number, entry->text, entry->origin);
    }
}

/* Sets the item at a path to the value of a word KEY=VALUE or, if value_of is not NULL, to this
 * text. Returns 1. Returns 0 if the value has more than MOST_TYPED - 3 characters, or where
 * set_key() does. */
static int apply_setting(list *to, const char *path, const char *word, const char *value_of)
{
    char text[MOST_TYPED + PATH_SIZE];
    if (!value_of) value_of = strchr(word, '=') + 1;
    snprintf(text, sizeof text, "%s=%.*s", path, MOST_TYPED - 2, value_of);
    return strlen(value_of) < MOST_TYPED - 2 ? set_key(to, text) : 0;
}

/* Adds bytes to an FNV-1a hash. Equal hashes with and without a setting mean that it has no
 * effect. */
static void mix(uint64_t *hash, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        *hash = (*hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
}

/* Adds to a hash all numbers of a part that a setting may change, and the notes that make the
 * status 1. The setting whose effect is judged has the path own_path. A note that this setting was
 * not read does not count, because being ignored is no effect. Returns 0 if a note says that the
 * setting's value is wrong, otherwise 1. */
static int mix_part(uint64_t *hash, part *p, const char *own_path)
{
    const pe_rope_config *const c = &p->rope;
    const size_t sizes[] = {(size_t)p->kind,
                            p->layer_count,
                            p->window,
                            c->head_dim,
                            c->rotary_dim,
                            c->rotary_offset,
                            c->max_position_embeddings,
                            c->sequence_length,
                            (size_t)c->layout,
                            (size_t)c->rope_interleave,
                            (size_t)c->rope_type,
                            c->axes,
                            (size_t)c->section_order,
                            (size_t)p->is_backward,
                            (size_t)p->query_form,
                            p->query_period,
                            p->preset.d_model,
                            (size_t)p->preset.layout,
                            (size_t)p->preset.cos_first};
    const double numbers[] = {p->logits,        p->query_beta,
                              p->query_shift,   c->rope_theta,
                              p->preset.scale,  p->preset.amplitude,
                              p->preset.offset, p->kind == PART_ROPE ? attention_of(p) : 0};
    /* With LongRoPE, the numbers for short and for long sequences are mixed in, since
     * sequence_length decides which of them have an effect. */
    const double lengths[] = {c->short_mscale, c->long_mscale};
    const size_t own = strlen(own_path);
    size_t pairs = 0;
    mix(hash, p->name, strlen(p->name));
    mix(hash, sizes, sizeof sizes);
    mix(hash, numbers, sizeof numbers);
    if (c->rope_type == PE_ROPE_LONGROPE) {
        mix(hash, lengths, sizeof lengths);
        for (int k = 0; k < 2; k++)
            mix(hash, p->lists[k],
                p->lists[k] ? (k ? c->long_factor_length : c->short_factor_length) * sizeof(double)
                            : 0);
    }
    mix(hash, p->layers, p->layer_count * sizeof *p->layers);
    mix(hash, c->sections, sizeof c->sections);
    mix(hash, p->sections, sizeof p->sections);
    for (size_t k = 0; k < p->quantity_count; k++)
        mix(hash, &p->quantities[k].value, sizeof(double));
    for (size_t k = 0; k < p->notes; k++) {
        const note *const n = &p->note[k];
        const size_t length = strlen(n->key);
        const int is_own = length <= own && strcmp(n->key, own_path + own - length) == 0;
        if (is_own && n->kind == NOTE_WRONG) return 0;
        if (n->kind >= NOTE_GUESS && !(is_own && n->kind == NOTE_UNREAD))
            mix(hash, &n->kind, sizeof n->kind), mix(hash, n->key, length);
    }
    if (count_notes(p, NOTE_WRONG)) return 1;
    double *const omega = frequencies_of(p, &pairs);
    if (omega) mix(hash, omega, pairs * sizeof *omega);
    free(omega);
    return 1;
}

/* Returns a hash of what a file means with all settings. The setting with the index `changed` gets
 * the value value_of in place of its own, or is left out if value_of is NULL. Returns 0 if a part
 * has a note that the value of this setting is wrong, or if memory runs out. */
static uint64_t meaning_of(const list *file, const settings *all, size_t changed,
                           const char *value_of)
{
    part *const parts = (part *)calloc(MOST_PARTS, sizeof *parts);
    uint64_t hash = 14695981039346656037u;
    list now;
    if (!parts) return 0;
    copy_list(file, &now);
    for (size_t k = 0; k < all->count; k++)
        if (k != changed) apply_setting(&now, all->paths[k], all->words[k], NULL);
        else if (value_of) apply_setting(&now, all->paths[k], all->words[k], value_of);
    const size_t count = read_parts(&now, parts);
    int is_valid = 1;
    for (size_t i = 0; i < count; i++) is_valid &= mix_part(&hash, &parts[i], all->paths[changed]);
    free_parts(parts, count);
    free(parts);
    list_free(&now);
    return is_valid ? hash : 0;
}

/* Returns whether setting k has an effect. It has one if the file means something else without it,
 * or with one of a few other values. The other values are needed because a setting may repeat the
 * value of the file. A setting whose own value is wrong counts as having one, since a note reports
 * it. model_type always counts: it decides by which rules the file is read. */
static int has_effect(const list *file, const settings *all, size_t k)
{
    static const char *const others[] = {"1",    "0",    "2",     "0.25",   "64",
                                         "4093", "true", "false", "linear", "vaswani",
                                         "{}",   "[1]",  "[]"};
    const char *const own = strchr(all->words[k], '=') + 1;
    if (strcmp(all->paths[k], "model_type") == 0) return 1;
    const uint64_t now = meaning_of(file, all, k, own);
    if (!now || meaning_of(file, all, k, NULL) != now) return 1;
    for (size_t n = 0; n < TOOL_COUNT(others); n++) {
        const uint64_t then = meaning_of(file, all, k, others[n]);
        if (then && then != now) return 1;
    }
    return 0;
}

/* ---- what to type instead -------------------------------------------------------------------- */

/* Returns how many letters have to be changed, inserted or removed to turn one word into the
 * other, or 99 if one of them has more than 60. Exchanging two adjacent letters counts once. This
 * is the optimal string alignment distance. The full table would have the distances between all
 * beginnings of the words; only its last three rows are kept. */
static size_t distance_of(const char *a, const char *b)
{
    size_t rows[3][64];
    const size_t n = strlen(a), m = strlen(b);
    if (n > 60 || m > 60) return 99;
    for (size_t j = 0; j <= m; j++) rows[0][j] = j, rows[2][j] = 0;
    for (size_t i = 1; i <= n; i++) {
        size_t *const row = rows[i % 3], *const last = rows[(i + 2) % 3];
        const size_t *const before = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t minimum = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < minimum) minimum = last[j] + 1;
            if (row[j - 1] + 1 < minimum) minimum = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < minimum)
                minimum = before[j - 2] + 1;
            row[j] = minimum;
        }
    }
    return rows[n % 3][m];
}

/* Holds the known word that is most similar to a word that the user has typed. */
typedef struct nearest_word {
    size_t distance; /* their distance_of(); only a nearer word replaces this one */
    int is_known;    /* 1: the user's word itself is known                        */
    char word[64];   /* the known word; "" if none is near enough                 */
} nearest_word;

/* Takes a known word as the nearest one if it is nearer to the user's word `given`. If it is that
 * word, only sets to->is_known. `length` is the length of `word`, which need not end with a 0. */
static void consider(nearest_word *to, const char *given, const char *word, size_t length)
{
    char known[64];
    if (length == 0 || length >= sizeof known) return;
    memcpy(known, word, length);
    known[length] = '\0';
    const size_t distance = distance_of(given, known);
    if (distance == 0) to->is_known = 1;
    if (distance == 0 || distance >= to->distance) return;
    to->distance = distance;
    memcpy(to->word, known, sizeof known);
}

/* Finds the key that posenc knows or the file has and that is most similar to the user's word
 * `given`. One or two letters may differ; in a word of fewer than six letters, one. */
static void find_nearest(const list *file, const char *given, nearest_word *to)
{
    static const char *const others[] = {"rope_theta", "head_dim", "model_type",
                                         "d_model",    "preset",   "amplitude",
                                         "scale",      "base",     "sequence_length"};
    to->distance = strlen(given) < 6 ? 2 : 3;
    to->word[0] = '\0';
    to->is_known = 0;
    for (size_t k = 0; k < TOOL_COUNT(others); k++)
        consider(to, given, others[k], strlen(others[k]));
    for (size_t k = 0; k < TOOL_COUNT(scaling_keys); k++)
        consider(to, given, scaling_keys[k].key, strlen(scaling_keys[k].key));
    for (size_t s = 0; s < TOOL_COUNT(synonyms); s++)
        for (size_t k = 0; k < 6; k++) consider(to, given, synonyms[s][k], strlen(synonyms[s][k]));
    for (size_t k = 0; k < TOOL_COUNT(length_keys); k++)
        consider(to, given, length_keys[k], strlen(length_keys[k]));
    for (size_t t = 0; t < TOOL_COUNT(type_tables); t++)
        for (size_t k = 0; k < type_tables[t].count; k++)
            for (const char *word = type_tables[t].of[k].facts; *word;) {
                const size_t length = strcspn(word, " ='");
                if (word[0] != '@' && word[length] == '=' && !memchr(word, '.', length))
                    consider(to, given, word, length);
                word += strcspn(word, " ");
                word += *word == ' ';
            }
    for (size_t i = 0; i < file->count; i++) {
        const char *const last = strrchr(file->items[i].path, '.');
        const char *const key = last ? last + 1 : file->items[i].path;
        consider(to, given, key, strcspn(key, "["));
    }
}

/* Returns the entry of a key in scaling_keys[] of known.h, or NULL. */
static const struct scaling_key *scaling_key_named(const char *key)
{
    for (size_t k = 0; k < TOOL_COUNT(scaling_keys); k++)
        if (strcmp(scaling_keys[k].key, key) == 0) return &scaling_keys[k];
    return NULL;
}

/* Writes the names of a set of rope_types, as in "yarn or longrope". Bit t of `types` is for
 * type t. */
static void name_types(unsigned types, char *text, size_t room)
{
    text[0] = '\0';
    for (size_t k = 0; k < TOOL_COUNT(type_names); k++)
        if (types & TOOL_TYPE(k) && strlen(text) + 24 < room)
            snprintf(text + strlen(text), room - strlen(text), "%s%s", text[0] ? " or " : "",
                     type_names[k].config);
}

/* Returns whether a path is in an object rope_scaling that the file does not have, although it has
 * rope_parameters beside it. A setting there would hide all of rope_parameters. If so, writes the
 * path of the same key in rope_parameters to `instead`. */
static int hides_scaling(const list *file, const char *path, char instead[PATH_SIZE])
{
    static const char object[] = "rope_scaling.";
    const char *const found = strstr(path, object);
    if (!found || (found > path && found[-1] != '.')) return 0;
    const int before = (int)(found - path), length = (int)(sizeof object - 2);
    snprintf(instead, PATH_SIZE, "%.*s%.*s", before, path, length, object);
    if (list_next(file, instead, NULL)) return 0;
    snprintf(instead, PATH_SIZE, "%.*srope_parameters", before, path);
    if (!list_next(file, instead, NULL)) return 0;
    snprintf(instead, PATH_SIZE, "%.*srope_parameters.%.100s", before, path,
             found + sizeof object - 1);
    return 1;
}

/* Prints why setting k has no effect, and what to type instead. */
static void refuse_setting(const list *file, const settings *all, size_t k)
{
    const char *const word = all->words[k], *const value_of = strchr(word, '=') + 1;
    const char *const dot = strrchr(all->paths[k], '.');
    const char *const key = dot ? dot + 1 : all->paths[k];
    char paths[4][PATH_SIZE], types[200];
    nearest_word nearest;
    if (hides_scaling(file, all->paths[k], paths[0])) {
        fprintf(stderr, "posenc: %.200s: the file has rope_parameters. Type %s=%.200s\n", word,
                paths[0], value_of);
        return;
    }
    fprintf(stderr, "posenc: %.200s: has no effect: ", word);
    for (size_t later = k + 1; later < all->count; later++)
        if (strcmp(all->paths[later], all->paths[k]) == 0) {
            fprintf(stderr, "%.200s follows it, and counts. Type one of them\n", all->words[later]);
            return;
        }
    find_nearest(file, key, &nearest);
    const struct scaling_key *const scaling = scaling_key_named(key);
    if (place_setting(file, key, paths) == 1 && strcmp(paths[0], all->paths[k]) != 0 &&
        list_next(file, paths[0], NULL))
        fprintf(stderr, "the file has this key elsewhere. Type %s=%.200s\n", paths[0], value_of);
    else if (scaling && scaling->types != ~0u) {
        name_types(scaling->types, types, sizeof types);
        fprintf(stderr,
                "no number depends on %s here. Type rope_type=NAME and the other keys of a scaling "
                "that uses it: %s\n",
                key, types);
    } else if (!nearest.is_known && nearest.word[0])
        fprintf(stderr, "posenc does not read %s here: did you mean %s=%.200s?\n", key,
                nearest.word, value_of);
    else
        fprintf(stderr, "no number that posenc reads from this model depends on %s. Leave it out\n",
                key);
}

/* Finds the settings among the words of the command line, and the path that each of them sets.
 * Keys of a GGUF file itself are skipped: read_gguf() has applied them. Returns 0. Returns 2 and
 * prints an error message if a setting may mean several keys, or there are too many. */
static int take_settings(const list *file, int count, char **words, const gguf_model *gguf,
                         settings *to)
{
    char paths[4][PATH_SIZE], key[PATH_SIZE];
    to->count = 0;
    for (int i = 2; i < count; i++) {
        const flag *const f = flag_named(words[i]);
        if (f) {
            i += f->argument != NULL;
            continue;
        }
        if (!is_setting(words[i]) || is_gguf_setting(gguf, words[i])) continue;
        if (to->count == MOST_SETTINGS) return refuse(words[i], "too many settings");
        snprintf(key, sizeof key, "%.*s", (int)strcspn(words[i], "="), words[i]);
        const size_t places = place_setting(file, key, paths);
        if (places > 1) {
            fprintf(stderr, "posenc: %.200s: the file has several: type", words[i]);
            for (size_t k = 0; k < places; k++)
                fprintf(stderr, "%s %s=%.200s", k ? " or" : "", paths[k],
                        words[i] + strlen(key) + 1);
            fputc('\n', stderr);
            return 2;
        }
        memcpy(to->paths[to->count], paths[0], PATH_SIZE);
        to->words[to->count++] = words[i];
    }
    return 0;
}

/* Returns whether a part of the model has a note of kind NOTE_WRONG, or memory runs out. The
 * effects of settings cannot be judged then, since such a part has no frequencies. */
static int has_wrong(const list *file)
{
    part *const parts = (part *)calloc(MOST_PARTS, sizeof *parts);
    int is_wrong = !parts;
    list now;
    copy_list(file, &now);
    const size_t count = parts ? read_parts(&now, parts) : 0;
    for (size_t i = 0; i < count; i++) is_wrong |= count_notes(&parts[i], NOTE_WRONG) > 0;
    free_parts(parts, count);
    free(parts);
    list_free(&now);
    return is_wrong;
}

/* Returns 2 and prints an error message if a setting has no effect or would hide rope_parameters
 * (hides_scaling()), otherwise 0. `file` is the list without settings. `now` is the list with all
 * of them. If `now` has a wrong value, effects may be hidden. Then only settings whose key
 * looks like a misspelled known key are refused. */
static int judge_effects(const list *file, const list *now, const settings *all)
{
    const int is_wrong = has_wrong(now);
    char instead[PATH_SIZE];
    nearest_word nearest;
    for (size_t k = 0; k < all->count; k++) {
        const char *const dot = strrchr(all->paths[k], '.');
        const char *const key = dot ? dot + 1 : all->paths[k];
        if (has_effect(file, all, k) && !hides_scaling(file, all->paths[k], instead)) continue;
        find_nearest(file, key, &nearest);
        if (is_wrong && (nearest.is_known || !nearest.word[0])) continue;
        refuse_setting(file, all, k);
        return 2;
    }
    return 0;
}

#endif
