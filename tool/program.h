/* SPDX-License-Identifier: MIT */
/* Runs the commands of posenc. Two programs include this header: tool/posenc.c, which reads JSON
 * with json-c, and tool/reader.c, which uses the JSON reader of its caller. Before they include
 * it, they define read_json() and add_value(), which files/json.h documents.
 *
 * A part (model/part.h) is a set of layers that share one positional encoding. A note is a message
 * about a key, a flag or a file. */
#ifndef TOOL_PROGRAM_H
#define TOOL_PROGRAM_H

#include "files/whole.h"
#include "model/config.h"
#include "model/gguf_file.h"
#include "options.h"
#include "output/compare_json.h"
#include "output/oracle.h"
#include "output/readers.h"
#include "output/report_c.h"
#include "settings.h"

/* Reads a model's file into allocated memory with read_file(), for which "-" is standard input. If
 * the name cannot be read, as that of a directory, the file config.json in it is read. `path`,
 * which has `room` bytes, gets the name that was tried last. Returns NULL if neither can be read.
 * errno then has the reason for the name itself, so that why_unread() speaks of what the user has
 * typed. */
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

/* Reads a config.json, or the one in a directory, into a list. Errors become notes of the part
 * `notes`. */
static void flatten_json(const char *name, list *to, part *notes)
{
    char path[4096];
    complaint is_wrong = {"", ""};
    size_t size = 0;
    char *const text = read_config(name, path, sizeof path, &size);
    if (!text) say(notes, NOTE_WRONG, name, "%s", why_unread());
    else if (size >= 4 && memcmp(text, "GGUF", 4) == 0)
        say(notes, NOTE_WRONG, path, "a GGUF file is read by its name, not from standard input");
    else if (size > MOST_BYTES)
        say(notes, NOTE_WRONG, path,
            "more than 64 MB: wanted is a model's config.json, of a few kB");
    else if (!may_be_json(text, size))
        say(notes, NOTE_WRONG, path,
            "neither a JSON object nor GGUF: wanted is a model's config.json, or its .gguf");
    else read_json(path, text, size, to, &is_wrong);
    if (is_wrong.text[0]) say(notes, NOTE_WRONG, is_wrong.key, "%s", is_wrong.text);
    free(text);
}

/* Reads the model's file, GGUF or JSON, into a list of `path = value`. Without a file, nothing is
 * read. The settings among `words` that name keys of a GGUF file are applied here; the others
 * follow in apply_settings(). Errors become notes of the part `notes`. */
static void flatten_file(int count, char **words, const options *o, list *to, gguf_model *gguf,
                         part *notes)
{
    if (o->file && is_gguf(o->file)) read_gguf(o->file, count, words, to, gguf, notes);
    else if (o->file) flatten_json(o->file, to, notes);
}

/* Applies the settings of the command line to the list. Returns 2 and prints an error message if a
 * setting may mean several keys or has no effect, or if there are too many settings; otherwise 0.
 * A setting that set_key() rejects, such as one beneath a key that has a value, becomes a note of
 * the part `notes`. Effects are not judged then. */
static int apply_settings(int count, char **words, const gguf_model *gguf, list *to, part *notes)
{
    static settings all;
    list file;
    if (take_settings(to, count, words, gguf, &all)) return 2;
    copy_list(to, &file);
    for (size_t k = 0; k < all.count; k++)
        if (!apply_setting(to, all.paths[k], all.words[k], NULL))
            say(notes, NOTE_WRONG, all.words[k],
                "cannot be set: the file needs an object before each '.', a list before each '['");
    const int status = notes->notes ? 0 : judge_effects(&file, to, &all);
    list_free(&file);
    return status;
}

/* Returns whether a part is wanted: the part that --part names or, without --part, every part. */
static int is_chosen(const options *o, const part *p)
{
    return !o->part || strcmp(o->part, p->name) == 0;
}

/* Prints the notes of a part to standard error, except those that only say what was understood. */
static void complain(const part *p)
{
    for (size_t k = 0; k < p->notes; k++)
        if (p->note[k].kind >= NOTE_ODD)
            fprintf(stderr, "posenc: %s: %s: %s\n", p->name, p->note[k].key, p->note[k].text);
}

/* Runs `show`: prints the chosen parts as text, JSON or C. `file` is the list of the model's file;
 * for a config.json, the report also says what transformers 4 reads in it. With --c, the notes of
 * the parts go to standard error. */
static void show(const options *o, part *parts, size_t count, const list *file)
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
    const int is_config = o->file && !parts[0].is_gguf;
    if (o->is_json) {
        print("],\n  \"readers\": [");
        if (is_config) print_readers(file, 1);
        print("]\n}\n");
        return;
    }
    if (o->is_c) return;
    if (is_config) print_readers(file, 0);
    if (parts[0].is_gguf) print("\narchitectures as in %s\n", GGUF_CHECKED);
    else
        print("\nmodel types as in transformers %s, checked %s\n", TYPES_TRANSFORMERS,
              TYPES_CHECKED);
}

/* Returns the part for `table` or `compare`: of the parts that --part allows, the only one that
 * has cosines and sines. If none of them has, returns the last one, and the caller reports that it
 * has no table. Returns NULL if several have them, since the user must then choose with --part. */
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

/* Runs `table`: writes the table of the chosen part. Returns the status of the program. */
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

/* Runs `compare`: compares arrays with the chosen part. Returns the status of the program. */
static int compare_arrays(const options *o, part *parts, size_t count)
{
    static verdict v;
    part *const chosen = choose_part(o, parts, count);
    if (!chosen) return refuse("compare", "with which part? Name it with --part");
    if (o->arrays.has_config && chosen->kind != PART_ROPE && chosen->kind != PART_SINUSOIDAL)
        say(chosen, NOTE_WRONG, "--part", "%s has no sines to compare with: it is %s", chosen->name,
            kind_names[chosen->kind]);
    if (count_notes(chosen, NOTE_WRONG)) {
        complain(chosen);
        return 1;
    }
    const siblings all = {parts, count};
    if (judge(&o->arrays, chosen, &all, &v)) (o->is_json ? json_verdict : print_verdict)(&v);
    const int differs = v.is_told && v.f.of[0].differs != 0, is_told = v.is_told;
    free_verdict(&v);
    complain(chosen);
    return !is_told || !is_good(chosen) || (o->is_check && differs);
}

/* Runs a command line. words[0] is the name of the program. Returns the status of the program.
 * Until the file is read, parts[0] is a placeholder, which collects the notes about reading it. If
 * the file cannot be read, or `compare` has no config, it stays the only part. */
static int run(int count, char **words)
{
    static part parts[MOST_PARTS];
    static gguf_model gguf;
    memset(&gguf, 0, sizeof gguf);
    options o = {NULL, NULL, NULL, NULL, NULL, "f32", "apart",
                 0,    0,    0,    0,    0,    0,     {NULL, NULL, NULL, NULL, NULL, 0}};
    list file = {NULL, 0, 0, 0};
    size_t n = 0, chosen = 0;
    if (count < 2) {
        print_usage(stderr);
        return 2;
    }
    if (read_options(count, words, &o)) return 2;
    if (o.wants_help) {
        print_usage(standard_output());
        return 0;
    }
    if (judge_options(&o, count, words)) return 2;

    add_part(parts, &n, "config")->kind = PART_UNREAD;
    flatten_file(count, words, &o, &file, &gguf, &parts[0]);
    if (!parts[0].notes && apply_settings(count, words, &gguf, &file, &parts[0])) {
        list_free(&file);
        return 2;
    }
    if (parts[0].notes) o.part = NULL;
    else if (file.count == 0 && !o.file && strcmp(o.command, "compare") != 0)
        return refuse(o.command, "of which file?");
    else if (file.count || o.file) {
        o.arrays.has_config = 1;
        n = read_parts(&file, parts);
        if (gguf.name[0]) finish_gguf(&gguf, parts, n);
    }
    for (size_t i = 0; i < n; i++) chosen += (size_t)is_chosen(&o, &parts[i]);
    int status = chosen == 0 ? refuse("--part", "there is no such part") : 0;
    if (!status && strcmp(o.command, "table") == 0) status = make_table(&o, parts, n);
    else if (!status && strcmp(o.command, "compare") == 0) status = compare_arrays(&o, parts, n);
    else if (!status) {
        show(&o, parts, n, &file);
        for (size_t i = 0; i < n; i++) status |= is_chosen(&o, &parts[i]) && !is_good(&parts[i]);
    }
    free_parts(parts, n);
    list_free(&file);
    if (fflush(standard_output()) == 0) return status;
    fputs("posenc: standard output cannot be written\n", stderr);
    return 1;
}

#endif
