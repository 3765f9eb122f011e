/* SPDX-License-Identifier: MIT */
/* The commands of posenc, for two programs: tool/posenc.c with json-c, tool/reader.c with the JSON
 * reader of its caller. Before this header they define read_json() and add_value(). */
#ifndef TOOL_PROGRAM_H
#define TOOL_PROGRAM_H

#include "arguments.h"
#include "compare.h"
#include "config.h"
#include "gguf_file.h"
#include "oracle.h"
#include "report_c.h"
#include "report_json.h"
#include "table.h"

typedef struct options {
    const char *command, *file, *output, *part, *positions, *type, *layout;
    int is_json, is_c, has_frequencies, is_raw, wants_help, is_check;
    compared arrays;
} options;

static const char usage[] =
    "usage: posenc show [FILE] [KEY=VALUE ...] [--part NAME] [--frequencies] [--json | --c]\n"
    "       posenc table [FILE] [KEY=VALUE ...] OUTPUT [--part NAME] [--positions P] [--type T]\n"
    "              [--layout L] [--raw]\n"
    "       posenc compare [FILE] [KEY=VALUE ...] ARRAYS [--part NAME] [--positions P] [--json]\n"
    "              [--check]\n"
    "\n"
    "    posenc show config.json\n"
    "    posenc table config.json cos_sin.npy --positions 0:4096 --layout twice\n"
    "    posenc show head_dim=128 rope_theta=1000000 rope_type=yarn factor=4 \\\n"
    "        original_max_position_embeddings=32768 --frequencies\n"
    "    posenc compare config.json --cos cos.npy --sin sin.npy --positions 4096:64\n"
    "\n"
    "  FILE             a model's config.json, the directory that has it, or its .gguf;\n"
    "                   -: standard input\n"
    "  KEY=VALUE        a key of the file, as rope_theta=500000 or rope_scaling.factor=8;\n"
    "                   preset=NAME d_model=N for a sinusoidal encoding\n"
    "  --part NAME      only this part: text, vision, full_attention, sliding_attention ...\n"
    "  --json           for programs: docs/tool.md has the names\n"
    "  --c              as C code: a function for each part that returns its config\n"
    "  OUTPUT           NAME.npy; NAME.json, of RoPE, in doubles; another name, or --raw: numbers "
    "alone; -: .npy to standard "
    "output\n"
    "  --positions P    0:16 (first:count), 0:16:2 (and step), 3,5,7.5, 16x32 (a grid), "
    "\"0,1,2;0,1,3\" (t, y, x)\n"
    "  --type T         f32, f16, bf16 (its bits), f64 (sinusoidal)\n"
    "  --layout L       of RoPE's tables: apart, twice, joined, complex, matrix\n"
    "  ARRAYS           .npy of other code: --cos C --sin S, --table BOTH, or --inv-freq W; P may "
    "be\n"
    "                   a .npy, and is 0, 1, 2 ... without --positions\n"
    "  --check          status 1 also where the arrays differ from the config\n"
    "\n"
    "status 0: understood, or explained; 1: something that changes numbers is wrong, not "
    "understood\n"
    "or not explained; 2: usage\n";

/* 2, and a line that says why. */
static int refuse(const char *option, const char *text)
{
    fprintf(stderr, "posenc: %s: %s\n%s", option, text, usage);
    return 2;
}

/* All of a file, allocated, with a 0 behind it. A 0 within becomes '?': no format of text has
 * it. */
static char *read_file(const char *name, size_t *size)
{
    FILE *const file = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");
    size_t room = 1 << 16;
    char *text = file ? (char *)malloc(room + 1) : NULL;
    *size = 0;
    while (text) {
        *size += fread(text + *size, 1, room - *size, file);
        if (*size < room) break;
        char *const more = (char *)realloc(text, 2 * room + 1);
        if (!more) free(text);
        text = more;
        room *= 2;
    }
    for (size_t i = 0; text && i < *size; i++)
        if (text[i] == '\0') text[i] = '?';
    if (text) text[*size] = '\0';
    if (file && ferror(file)) {
        free(text);
        text = NULL;
    }
    if (file && file != stdin) fclose(file);
    return text;
}

/* A word that is no option and no setting: the command, the file, the output. */
static int read_word(const char *word, options *to)
{
    if (!to->command) to->command = word;
    else if (!to->file) to->file = word;
    else if (!to->output && strcmp(to->command, "table") == 0) to->output = word;
    else return refuse(word, "one file at a time");
    return 0;
}

static int read_options(int count, char **words, options *to)
{
    const struct {
        const char *name, **value;
    } known[] = {{"--part", &to->part},          {"--positions", &to->positions},
                 {"--type", &to->type},          {"--layout", &to->layout},
                 {"--cos", &to->arrays.cosines}, {"--sin", &to->arrays.sines},
                 {"--table", &to->arrays.table}, {"--inv-freq", &to->arrays.inv_freq}};
    const struct {
        const char *name;
        int *flag;
    } flags[] = {{"--json", &to->is_json}, {"--frequencies", &to->has_frequencies},
                 {"--raw", &to->is_raw},   {"--check", &to->is_check},
                 {"--c", &to->is_c},       {"--help", &to->wants_help},
                 {"-h", &to->wants_help}};
    for (int i = 1; i < count; i++) {
        size_t k = 0, f = 0;
        while (k < TOOL_COUNT(known) && strcmp(words[i], known[k].name) != 0) k++;
        while (f < TOOL_COUNT(flags) && strcmp(words[i], flags[f].name) != 0) f++;
        if (k < TOOL_COUNT(known)) {
            if (i + 1 == count) return refuse(words[i], "a value is missing");
            *known[k].value = words[++i];
        } else if (f < TOOL_COUNT(flags)) *flags[f].flag = 1;
        else if (words[i][0] == '-' && words[i][1] != '\0')
            return refuse(words[i], "no such option");
        else if (!is_setting(words[i]) && read_word(words[i], to)) return 2;
    }
    return 0;
}

/* All of a file or, where the name is a directory's, of its config.json, whose path is made. NULL,
 * and errno for the name itself, if neither can be read. */
static char *read_config(const char *name, char *path, size_t room, size_t *size)
{
    const size_t length = strlen(name);
    const char *const slash = length && name[length - 1] == '/' ? "" : "/";
    errno = 0;
    char *text = read_file(name, size);
    const int error = errno;
    snprintf(path, room, "%s", name);
    if (text || strcmp(name, "-") == 0) return text;
    const int made = snprintf(path, room, "%s%sconfig.json", name, slash);
    if (made > 0 && (size_t)made < room) text = read_file(path, size);
    errno = error;
    return text;
}

/* Whether a text is empty or begins as JSON does that is no word, right or wrong. A comment is a
 * mistake within JSON. */
static int may_be_json(const char *text)
{
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3;
    text += strspn(text, " \t\r\n");
    return !*text || strchr("{[\"-/0123456789", *text);
}

static void flatten_json(const char *name, list *to, part *notes)
{
    char path[4096];
    size_t size = 0;
    char *const text = read_config(name, path, sizeof path, &size);
    if (!text) say(notes, NOTE_WRONG, name, "%s", why_unread());
    else if (size >= 4 && memcmp(text, "GGUF", 4) == 0)
        say(notes, NOTE_WRONG, path, "a GGUF file is read by its name, not from standard input");
    else if (!may_be_json(text))
        say(notes, NOTE_WRONG, path,
            "neither a JSON object nor GGUF: wanted is a model's config.json, or its .gguf");
    else read_json(path, text, size, to, notes);
    free(text);
}

/* The file with the settings of the command line; what is wrong is noted. */
static void flatten_all(int count, char **words, const options *o, list *to, gguf_model *gguf,
                        part *notes)
{
    if (o->file && is_gguf(o->file)) read_gguf(o->file, count, words, to, gguf, notes);
    else if (o->file) flatten_json(o->file, to, notes);
    for (int i = 2; i < count && !notes->notes; i++) {
        if (strncmp(words[i], "--", 2) == 0) {
            const int is_flag = !strcmp(words[i], "--json") || !strcmp(words[i], "--raw") ||
                                !strcmp(words[i], "--check") || !strcmp(words[i], "--c") ||
                                !strcmp(words[i], "--frequencies");
            i += !is_flag;
        } else if (is_setting(words[i]) && !is_gguf_setting(gguf, words[i]) &&
                   !set_key(to, words[i]))
            say(notes, NOTE_WRONG, words[i], "cannot be set: a key before the last is no object");
    }
}

static int is_chosen(const options *o, const part *p)
{
    return !o->part || strcmp(o->part, p->name) == 0;
}

/* The number of a name, or count. */
static size_t choice(const char *name, const char *const *names, size_t count)
{
    size_t k = 0;
    while (k < count && strcmp(name, names[k]) != 0) k++;
    return k;
}

static int is_good(const part *p)
{
    return !count_notes(p, NOTE_WRONG) && !count_notes(p, NOTE_UNREAD);
}

/* What is wrong, to standard error. */
static void complain(const part *p)
{
    for (size_t k = 0; k < p->notes; k++)
        if (p->note[k].kind >= NOTE_UNREAD)
            fprintf(stderr, "posenc: %s: %s: %s\n", p->name, p->note[k].key, p->note[k].text);
}

static void show(const options *o, part *parts, size_t count)
{
    const char *before = "";
    if (o->is_c) print("#include \"pe.h\"\n\n");
    if (o->is_json)
        print("{\n  \"checked\": {\"transformers\": \"%s\", \"date\": \"%s\"},\n  \"parts\": [",
              TYPES_TRANSFORMERS, TYPES_CHECKED);
    for (size_t i = 0; i < count; i++) {
        if (!is_chosen(o, &parts[i])) continue;
        print("%s", before);
        if (o->is_json) print("\n");
        before = o->is_json ? "," : "\n";
        if (o->is_c) complain(&parts[i]);
        if (o->is_json) json_part(&parts[i]);
        else if (o->is_c) print_c(&parts[i]);
        else print_part(&parts[i], o->has_frequencies);
    }
    if (o->is_json) print("]\n}\n");
    else if (o->is_c) return;
    else if (parts[0].is_gguf) print("\narchitectures as in %s\n", GGUF_CHECKED);
    else
        print("\nmodel types as in transformers %s, checked %s\n", TYPES_TRANSFORMERS,
              TYPES_CHECKED);
}

/* The only part that is chosen and has sines, or the last one without; NULL if there are several. */
static part *choose_part(const options *o, part *parts, size_t count)
{
    part *chosen = NULL;
    size_t rotating = 0;
    for (size_t i = 0; i < count; i++) {
        const int has_table = parts[i].kind == PART_ROPE || parts[i].kind == PART_SINUSOIDAL;
        if (!is_chosen(o, &parts[i]) || (!o->part && !has_table && (chosen || i + 1 < count)))
            continue;
        rotating += (size_t)has_table;
        chosen = chosen && !has_table ? chosen : &parts[i];
    }
    return rotating > 1 ? NULL : chosen;
}

/* Write the table of the part that is chosen. */
static int make_table(const options *o, part *parts, size_t count)
{
    positions where;
    const size_t type = choice(o->type, table_types, TOOL_COUNT(table_types));
    const size_t layout = choice(o->layout, table_layouts, TOOL_COUNT(table_layouts));
    part *const chosen = choose_part(o, parts, count);
    if (!chosen) return refuse("table", "of which part? Name it with --part");
    const char *const dot = strrchr(o->output, '.');
    const int is_json = dot && strcmp(dot, ".json") == 0;
    const char *const usual = is_json ? oracle_positions : "0:16";
    const char *const error = read_positions(o->positions ? o->positions : usual, &where);
    if (error) {
        free(where.list);
        return refuse("--positions", error);
    }
    if (is_json) write_json_table(chosen, o->output, &where);
    else
        write_table(chosen, o->output, o->is_raw, &where, (table_type)type,
                    (pe_rope_table_layout)layout);
    free(where.list);
    complain(chosen);
    return !is_good(chosen);
}

/* Compare arrays with the part that is chosen. */
static int compare_arrays(const options *o, part *parts, size_t count)
{
    int differs = 0;
    part *const chosen = choose_part(o, parts, count);
    if (!chosen) return refuse("compare", "with which part? Name it with --part");
    if (o->arrays.has_config && chosen->kind != PART_ROPE && chosen->kind != PART_SINUSOIDAL)
        say(chosen, NOTE_WRONG, "--part", "%s has no sines to compare with: it is %s", chosen->name,
            kind_names[chosen->kind]);
    if (count_notes(chosen, NOTE_WRONG)) {
        complain(chosen);
        return 1;
    }
    const int is_told = compare(&o->arrays, chosen, o->is_json, &differs);
    complain(chosen);
    return !is_told || !is_good(chosen) || (o->is_check && differs);
}

/* 2 for arrays that make no sense together, else 0. */
static int judge_arrays(options *o)
{
    compared *const a = &o->arrays;
    const int ways = (a->cosines || a->sines) + (a->table != NULL) + (a->inv_freq != NULL);
    const int is_compare = strcmp(o->command, "compare") == 0;
    a->positions = o->positions;
    if (!is_compare) return ways || o->is_check ? refuse(o->command, "compares no arrays") : 0;
    if (ways != 1) return refuse("compare", "which arrays? --cos and --sin, --table or --inv-freq");
    if (!a->cosines != !a->sines)
        return refuse(a->cosines ? "--cos" : "--sin", "cosines and sines come together");
    return 0;
}

/* 2 for options that make no sense together, else 0. */
static int judge_options(options *o)
{
    static const char *const commands[] = {"show", "table", "compare"};
    if (!o->command || choice(o->command, commands, 3) == 3)
        return refuse(o->command ? o->command : "command", "show, table or compare?");
    const int is_table = strcmp(o->command, "table") == 0;
    if (is_table && !o->output) o->output = o->file, o->file = NULL;
    if (is_table && !o->output) return refuse("table", "to which file?");
    if (o->is_c && (o->is_json || strcmp(o->command, "show") != 0))
        return refuse("--c", "with show, and without --json");
    if (choice(o->type, table_types, TOOL_COUNT(table_types)) == TOOL_COUNT(table_types))
        return refuse("--type", "f32, f16, bf16 or f64");
    if (choice(o->layout, table_layouts, TOOL_COUNT(table_layouts)) == TOOL_COUNT(table_layouts))
        return refuse("--layout", "apart, twice, joined, complex or matrix");
    return judge_arrays(o);
}

/* The command line. Returns the status of the program. */
static int run(int count, char **words)
{
    static part parts[MOST_PARTS];
    static gguf_model gguf;
    memset(&gguf, 0, sizeof gguf);
    options o = {NULL, NULL, NULL, NULL, NULL, "f32", "apart",
                 0,    0,    0,    0,    0,    0,     {NULL, NULL, NULL, NULL, NULL, 0}};
    list file = {NULL, 0, 0, 0};
    size_t n = 0, chosen = 0;
    if (count < 2) return fputs(usage, stderr) == EOF ? 1 : 2;
    if (read_options(count, words, &o)) return 2;
    if (o.wants_help) {
        print("%s", usage);
        return 0;
    }
    if (judge_options(&o)) return 2;

    add_part(parts, &n, "config")->kind = PART_UNREAD;
    flatten_all(count, words, &o, &file, &gguf, &parts[0]);
    if (parts[0].notes) o.part = NULL;
    else if (file.count == 0 && !o.file && strcmp(o.command, "compare") != 0)
        return refuse(o.command, "of which file?");
    else if (file.count || o.file) {
        o.arrays.has_config = 1;
        n = list_find(&file, "preset") ? read_preset(&file, parts) : read_model(&file, parts);
        if (gguf.name[0]) finish_gguf(&gguf, parts, n);
    }
    for (size_t i = 0; i < n; i++) chosen += (size_t)is_chosen(&o, &parts[i]);
    int status = chosen == 0 ? refuse("--part", "there is no such part") : 0;
    if (!status && strcmp(o.command, "table") == 0) status = make_table(&o, parts, n);
    else if (!status && strcmp(o.command, "compare") == 0) status = compare_arrays(&o, parts, n);
    else if (!status) {
        show(&o, parts, n);
        for (size_t i = 0; i < n; i++) status |= is_chosen(&o, &parts[i]) && !is_good(&parts[i]);
    }
    for (size_t i = 0; i < n; i++)
        free(parts[i].lists[0]), free(parts[i].lists[1]), free(parts[i].factors),
            free(parts[i].coordinate);
    list_free(&file);
    if (fflush(output_file ? output_file : stdout) == 0) return status;
    fputs("posenc: standard output cannot be written\n", stderr);
    return 1;
}

#endif
