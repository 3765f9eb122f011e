/* SPDX-License-Identifier: MIT */
/* Reads the command line of posenc. The table flags[] lists all its flags. */
#ifndef TOOL_OPTIONS_H
#define TOOL_OPTIONS_H

#include "compare/judge.h"
#include "files/arguments.h"
#include "output/print.h"

#include <stddef.h>

/* Holds the command line. Strings that are not given are NULL, except `type` and `layout`, for
 * which run() of program.h sets the defaults. */
typedef struct options {
    const char *command;   /* show, table or compare                                  */
    const char *file;      /* the model's file or its directory; "-": standard input  */
    const char *output;    /* with `table`: the file to write; "-": standard output   */
    const char *part;      /* the name of the only part that is wanted                */
    const char *positions; /* the value of --positions, as text                       */
    const char *type;      /* one of table_types[]: the type of a table's elements    */
    const char *layout;    /* one of table_layouts[]: the layout of RoPE's table      */
    int is_json;           /* 1: print JSON                                           */
    int is_c;              /* 1: print C code                                         */
    int has_frequencies;   /* 1: `show` also prints the frequencies                   */
    int is_raw;            /* 1: write numbers without the header of .npy             */
    int wants_help;        /* 1: print the usage, and do nothing else                 */
    int is_check;          /* 1: `compare` returns 1 also for an explained difference */
    compared arrays;       /* with `compare`: the files to compare                    */
} options;

/* Holds a flag of the command line. --help prints the names, arguments and meanings, and
 * tests/checks/tool.py compares these with docs/tool.md. */
typedef struct flag {
    const char *name;     /* the flag as the user types it                                    */
    const char *argument; /* the name of its argument, or NULL if it has none                 */
    const char *commands; /* the commands that take it, separated by spaces                   */
    const char *meaning;  /* the text of the help; it may have several lines                  */
    size_t offset; /* offset in `options` of the string or, without argument, of the int set to 1 */
} flag;

static const flag flags[] = {
    {"--part", "NAME", "show table compare",
     "use only this part: text, vision, full_attention, sliding_attention ...",
     offsetof(options, part)},
    {"--frequencies", NULL, "show", "also print the frequency and the wavelength of each pair",
     offsetof(options, has_frequencies)},
    {"--json", NULL, "show compare", "print JSON, for programs: docs/tool.md lists the members",
     offsetof(options, is_json)},
    {"--c", NULL, "show", "print C code: for each part, a function that returns its config",
     offsetof(options, is_c)},
    {"--positions", "P", "table compare",
     "0:16 (first:count), 0:16:2 (first:count:step), 3,5,7.5 (a list), 16x32 (a grid),\n"
     "\"0,1,2;0,1,3\" (t, y, x of two rows), for compare also a .npy; the default is 0, 1, 2 ...",
     offsetof(options, positions)},
    {"--type", "T", "table",
     "type of the elements: f32 (the default), f16, bf16 (bits as uint16), f64 (only sinusoidal)",
     offsetof(options, type)},
    {"--layout", "L", "table",
     "layout of a table of RoPE: apart (the default), twice, joined, complex, matrix",
     offsetof(options, layout)},
    {"--raw", NULL, "table", "write only the elements, whatever the name of OUTPUT",
     offsetof(options, is_raw)},
    {"--cos", "FILE", "compare", "a .npy with the cosines of other code; needs --sin",
     offsetof(options, arrays.cosines)},
    {"--sin", "FILE", "compare", "a .npy with the sines of other code; needs --cos",
     offsetof(options, arrays.sines)},
    {"--table", "FILE", "compare", "a .npy with the cosines and the sines of other code",
     offsetof(options, arrays.table)},
    {"--inv-freq", "FILE", "compare", "a .npy with the frequencies of other code",
     offsetof(options, arrays.inv_freq)},
    {"--check", NULL, "compare", "return status 1 also if the arrays differ from the config",
     offsetof(options, is_check)},
    {"--help", NULL, "show table compare", "print this text; also -h",
     offsetof(options, wants_help)},
};

static const char usage[] =
    "usage: posenc show [FILE] [KEY=VALUE ...] [FLAG ...]\n"
    "       posenc table [FILE] [KEY=VALUE ...] OUTPUT [FLAG ...]\n"
    "       posenc compare [FILE] [KEY=VALUE ...] ARRAYS [FLAG ...]\n"
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
    "  OUTPUT           NAME.npy; NAME.json, of RoPE, in doubles; another name: numbers alone;\n"
    "                   -: .npy to standard output\n"
    "  ARRAYS           --cos C --sin S, --table BOTH, or --inv-freq W\n"
    "\n";

static const char usage_of_status[] =
    "\n"
    "status 0: understood, or explained; 1: something that changes numbers is wrong, is a guess,\n"
    "or is not explained; 2: usage\n";

/* Prints the usage, with the help of each flag. */
static void print_usage(FILE *to)
{
    fputs(usage, to);
    for (size_t k = 0; k < TOOL_COUNT(flags); k++) {
        char name[32];
        const char *line = flags[k].meaning;
        snprintf(name, sizeof name, "%s%s%s", flags[k].name, flags[k].argument ? " " : "",
                 flags[k].argument ? flags[k].argument : "");
        for (const char *before = name; *line; before = "") {
            const size_t length = strcspn(line, "\n");
            fprintf(to, "  %-15s  %.*s\n", before, (int)length, line);
            line += length + (line[length] == '\n');
        }
    }
    fputs(usage_of_status, to);
}

/* Prints what is wrong with an option, and the usage. Returns 2, the status of a bad command
 * line. */
static int refuse(const char *option, const char *text)
{
    fprintf(stderr, "posenc: %s: %s\n", option, text);
    print_usage(stderr);
    return 2;
}

/* Returns the index of a name in a list of names, or `count` if the list does not have it. */
static size_t choice(const char *name, const char *const *names, size_t count)
{
    size_t k = 0;
    while (k < count && strcmp(name, names[k]) != 0) k++;
    return k;
}

/* Returns the flag of this name, or NULL if the word is no flag. */
static const flag *flag_named(const char *word)
{
    if (strcmp(word, "-h") == 0) word = "--help";
    for (size_t k = 0; k < TOOL_COUNT(flags); k++)
        if (strcmp(word, flags[k].name) == 0) return &flags[k];
    return NULL;
}

/* Takes a word that is neither a flag nor a setting. The first such word is the command, the
 * second is the file and, for `table`, the third is the output. Returns 0. Returns 2 and prints an
 * error message if there are more. */
static int read_word(const char *word, options *to)
{
    if (!to->command) to->command = word;
    else if (!to->file) to->file = word;
    else if (!to->output && strcmp(to->command, "table") == 0) to->output = word;
    else return refuse(word, "one file at a time");
    return 0;
}

/* Reads all words of the command line into *to. Settings KEY=VALUE are skipped here: settings.h
 * reads them. Returns 0. Returns 2 and prints an error message if a word makes no sense. */
static int read_options(int count, char **words, options *to)
{
    for (int i = 1; i < count; i++) {
        const flag *const f = flag_named(words[i]);
        char *const target = f ? (char *)to + f->offset : NULL;
        if (f && f->argument) {
            if (i + 1 == count) return refuse(words[i], "a value is missing");
            const char *const value_of = words[++i];
            memcpy(target, &value_of, sizeof value_of);
        } else if (f) {
            const int is_set = 1;
            memcpy(target, &is_set, sizeof is_set);
        } else if (words[i][0] == '-' && words[i][1] != '\0')
            return refuse(words[i], "no such option");
        else if (!is_setting(words[i]) && read_word(words[i], to)) return 2;
    }
    return 0;
}

/* Copies the value of --positions to o->arrays. For `compare`, returns 2 and prints an error
 * message unless the files are exactly one of --cos with --sin, --table and --inv-freq. Otherwise
 * returns 0. */
static int judge_arrays(options *o)
{
    compared *const a = &o->arrays;
    const int ways = (a->cosines || a->sines) + (a->table != NULL) + (a->inv_freq != NULL);
    const int is_compare = strcmp(o->command, "compare") == 0;
    a->positions = o->positions;
    if (!is_compare) return 0;
    if (ways != 1) return refuse("compare", "which arrays? --cos and --sin, --table or --inv-freq");
    if (!a->cosines != !a->sines)
        return refuse(a->cosines ? "--cos" : "--sin", "cosines and sines come together");
    return 0;
}

/* Returns 2 and prints an error message if the command does not take one of the flags, else 0. */
static int judge_flags(const char *command, int count, char **words)
{
    for (int i = 1; i < count; i++) {
        const flag *const f = flag_named(words[i]);
        if (f && !strstr(f->commands, command)) {
            char text[128];
            snprintf(text, sizeof text, "%.20s does not take it; this does: %.48s", command,
                     f->commands);
            return refuse(words[i], text);
        }
        i += f && f->argument;
    }
    return 0;
}

/* Returns 2 and prints an error message if the options make no sense together, else 0. If `table`
 * has a single word after it, read_word() has taken this word as the file. Here it becomes the
 * output. */
static int judge_options(options *o, int count, char **words)
{
    static const char *const commands[] = {"show", "table", "compare"};
    if (!o->command || choice(o->command, commands, 3) == 3)
        return refuse(o->command ? o->command : "command", "show, table or compare?");
    if (judge_flags(o->command, count, words)) return 2;
    const int is_table = strcmp(o->command, "table") == 0;
    if (is_table && !o->output) o->output = o->file, o->file = NULL;
    if (is_table && !o->output) return refuse("table", "to which file?");
    if (o->is_c && o->is_json) return refuse("--c", "without --json");
    if (choice(o->type, table_types, TOOL_COUNT(table_types)) == TOOL_COUNT(table_types))
        return refuse("--type", "f32, f16, bf16 or f64");
    if (choice(o->layout, table_layouts, TOOL_COUNT(table_layouts)) == TOOL_COUNT(table_layouts))
        return refuse("--layout", "apart, twice, joined, complex or matrix");
    return judge_arrays(o);
}

#endif
