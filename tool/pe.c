/* SPDX-License-Identifier: MIT
 *
 * pe: what a model's config.json says of its positions, its frequencies and its tables, correctly
 * rounded: to compare other code with. `make tool` builds build/pe.
 *
 *     pe config.json                   what was understood, what is odd, frequencies, attention factor
 *     pe --json config.json            the same for programs
 *     pe config.json rope_scaling.factor=4 --table cos_sin.npy --positions 0:4096 --layout twice
 *     pe head_dim=128 rope_theta=500000 rope_type=llama3 factor=8 original_max_position_embeddings=8192
 *     pe preset=t2t d_model=384 --table whisper.npy --positions 0:1500 --type f16
 *
 *     cc -std=c99 -O2 -I. examples/tool/pe.c -lcjson -lm
 *
 * Returns 0; 1 if something is wrong with the config; 2 for options that make no sense.
 */
#include "pe.h"

#include "config.h"
#include "preset.h"
#include "table.h"

typedef struct options {
    const char *config, *part, *table, *positions, *type, *layout;
    int json, help;
} options;

static const char usage[] =
    "usage: pe [config.json] [KEY=VALUE ...] [options]\n"
    "  KEY=VALUE        a key of config.json, as rope_theta=500000 or rope_scaling.factor=8;\n"
    "                   preset=NAME d_model=N for a sinusoidal encoding\n"
    "  --help, --json   this; for programs\n"
    "  --part NAME      only this part: text, vision, full_attention, sliding_attention ...\n"
    "  --table FILE     write its table: .npy, or raw numbers under another name\n"
    "  --positions P    0:16 (first:count), 0:16:2 (and step), 3,5,7.5, 16x32 (a grid), "
    "\"0,1,2;0,1,3\" (t, y, x)\n"
    "  --type T         f32, f16, bf16 (its bits), f64 (sinusoidal)\n"
    "  --layout L       of RoPE's tables: apart, twice, joined, complex, matrix\n";

/* 2, and a line that says why. */
static int refuse(const char *option, const char *text)
{
    fprintf(stderr, "pe: %s: %s\n%s", option, text, usage);
    return 2;
}

static char *read_file(const char *name)
{
    FILE *const file = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");
    size_t size = 0, room = 1 << 16;
    char *text = file ? (char *)malloc(room + 1) : NULL;
    while (text) {
        size += fread(text + size, 1, room - size, file);
        if (size < room) break;
        char *const more = (char *)realloc(text, 2 * room + 1);
        if (!more) free(text);
        text = more;
        room *= 2;
    }
    for (size_t i = 0; text && i < size; i++)
        if (text[i] == '\0') text[i] = '?'; /* JSON has no such byte */
    if (text) text[size] = '\0';
    if (file && file != stdin) fclose(file);
    return text;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A key that an object, or one within it, has twice; NULL if there is none. */
static const char *key_twice(const cJSON *tree)
{
    const size_t count = (size_t)cJSON_GetArraySize(tree);
    const char **const keys = (const char **)malloc((count + 1) * sizeof *keys);
    const char *twice = NULL;
    size_t n = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, tree)
    {
        if (!twice) twice = key_twice(item);
        if (keys && item->string) keys[n++] = item->string;
    }
    if (n > 1) qsort(keys, n, sizeof *keys, by_name);
    for (size_t k = 1; k < n && !twice; k++)
        if (strcmp(keys[k - 1], keys[k]) == 0) twice = keys[k];
    free(keys);
    return twice;
}

/* Set a key, as "rope_scaling.factor", to a value in JSON or to a string. */
static int set_key(cJSON *root, const char *setting)
{
    char path[256];
    const char *const equal = strchr(setting, '=');
    if ((size_t)(equal - setting) >= sizeof path) return 0;
    memcpy(path, setting, (size_t)(equal - setting));
    path[equal - setting] = '\0';
    char *key = path;
    for (char *dot = strchr(key, '.'); dot; key = dot + 1, dot = strchr(key, '.')) {
        *dot = '\0';
        cJSON *inner = cJSON_GetObjectItemCaseSensitive(root, key);
        if (inner && !cJSON_IsObject(inner)) return 0;
        root = inner ? inner : cJSON_AddObjectToObject(root, key);
    }
    cJSON *value = cJSON_Parse(equal + 1);
    if (!value) value = cJSON_CreateString(equal + 1);
    cJSON_DeleteItemFromObjectCaseSensitive(root, key);
    return cJSON_AddItemToObject(root, key, value);
}

static int read_options(int count, char **words, options *to)
{
    const struct {
        const char *name, **value;
    } known[] = {{"--part", &to->part},
                 {"--table", &to->table},
                 {"--positions", &to->positions},
                 {"--type", &to->type},
                 {"--layout", &to->layout}};
    for (int i = 1; i < count; i++) {
        size_t k = 0;
        while (k < TOOL_COUNT(known) && strcmp(words[i], known[k].name) != 0)
            k++;
        if (k < TOOL_COUNT(known)) {
            if (i + 1 == count) return refuse(words[i], "a value is missing");
            *known[k].value = words[++i];
        } else if (strcmp(words[i], "--json") == 0)
            to->json = 1;
        else if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0)
            to->help = 1;
        else if (strncmp(words[i], "--", 2) == 0)
            return refuse(words[i], "no such option");
        else if (strchr(words[i], '='))
            continue;
        else if (to->config)
            return refuse(words[i], "one config.json at a time");
        else
            to->config = words[i];
    }
    return 0;
}

/* The config with the settings of the command line, or NULL and a note. */
static cJSON *read_root(int count, char **words, const options *o, part *notes)
{
    char *const text = o->config ? read_file(o->config) : NULL;
    const char *end = NULL;
    cJSON *const root =
        o->config ? cJSON_ParseWithOpts(text ? text : "", &end, 1) : cJSON_CreateObject();
    if (!text && o->config)
        say(notes, NOTE_WRONG, o->config, "cannot be read");
    else if (!root || !cJSON_IsObject(root)) {
        int line = 1;
        for (const char *c = text; c < end; c++)
            line += *c == '\n';
        say(notes, NOTE_WRONG, o->config, "is no JSON object: see line %d", line);
    } else if (key_twice(root))
        say(notes, NOTE_WRONG, key_twice(root),
            "is there twice: Hugging Face takes the last, other programs the first");
    for (int i = 1; i < count && cJSON_IsObject(root); i++) {
        if (strncmp(words[i], "--", 2) == 0)
            i += strcmp(words[i], "--json") != 0;
        else if (strchr(words[i], '=') && !set_key(root, words[i]))
            say(notes, NOTE_WRONG, words[i], "cannot be set: a key before the last is no object");
    }
    free(text);
    return root;
}

static int is_chosen(const options *o, const part *p)
{
    return !o->part || strcmp(o->part, p->name) == 0;
}

/* The number of a name, or count. */
static size_t choice(const char *name, const char *const *names, size_t count)
{
    size_t k = 0;
    while (k < count && strcmp(name, names[k]) != 0)
        k++;
    return k;
}

static int print_parts(const options *o, part *parts, size_t count)
{
    cJSON *const object = cJSON_CreateObject(), *const array =
                                                    cJSON_AddArrayToObject(object, "parts");
    int wrong = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_chosen(o, &parts[i])) continue;
        if (o->json)
            cJSON_AddItemToArray(array, json_part(&parts[i]));
        else
            print_part(&parts[i]);
        wrong |= count_notes(&parts[i], NOTE_WRONG) > 0;
    }
    char *const text = o->json ? cJSON_Print(object) : NULL;
    if (text) puts(text);
    cJSON_free(text);
    cJSON_Delete(object);
    return wrong;
}

int main(int count, char **words)
{
    static part parts[MOST_PARTS];
    options o = {NULL, NULL, NULL, "0:16", "f32", "apart", 0, 0};
    positions where;
    size_t n = 1, chosen = 0;
    if (count < 2) return refuse("config.json", "which one?");
    if (read_options(count, words, &o)) return 2;
    if (o.help) return fputs(usage, stdout) == EOF;
    const size_t type = choice(o.type, table_types, TOOL_COUNT(table_types));
    const size_t layout = choice(o.layout, table_layouts, TOOL_COUNT(table_layouts));
    if (type == TOOL_COUNT(table_types)) return refuse("--type", "f32, f16, bf16 or f64");
    if (layout == TOOL_COUNT(table_layouts))
        return refuse("--layout", "apart, twice, joined, complex or matrix");
    const char *const error = read_positions(o.positions, &where);
    if (error) {
        free(where.list);
        return refuse("--positions", error);
    }

    cJSON *const root = read_root(count, words, &o, &parts[0]);
    snprintf(parts[0].name, sizeof parts[0].name, "config");
    if (parts[0].notes) {
        parts[0].is_unread = 1;
        o.part = NULL;
    } else {
        if (member(root, "preset"))
            read_preset(root, &parts[0]);
        else
            n = read_config(root, parts);
    }
    for (size_t i = 0; i < n; i++)
        chosen += (size_t)is_chosen(&o, &parts[i]);
    int status = chosen == 0 ? refuse("--part", "there is no such part") : 0;
    if (o.table && chosen > 1) status = refuse("--table", "of which part? Name it with --part");
    for (size_t i = 0; i < n && o.table && !status; i++)
        if (is_chosen(&o, &parts[i]))
            write_table(&parts[i], o.table, &where, (table_type)type, (pe_rope_table_layout)layout);
    if (!status) status = print_parts(&o, parts, n);
    for (size_t i = 0; i < n; i++)
        free(parts[i].lists[0]), free(parts[i].lists[1]);
    free(where.list);
    cJSON_Delete(root);
    return status;
}
