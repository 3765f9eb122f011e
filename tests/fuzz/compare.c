/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes `posenc compare`. The harness reads a config with any keys. It prints each part of the
 * config, which is a set of layers that share one positional encoding, and compares it with a small
 * table. An input whose first byte is below 64 holds the config as lines KEY=VALUE. From other
 * inputs a config is made, with keys that models have. The table is the part's own, correctly
 * rounded, and damaged in some inputs. With every config, a table that is not damaged must be
 * reported as right, if it is a table that `posenc compare` can recognise.
 */
#include "fuzz.h"

#include "../../tool/files/complaint.h"
#include "../../tool/files/list.h"

static void read_json(const char *name, const char *text, size_t length, list *to,
                      complaint *is_wrong);
static int add_value(list *l, const char *path, const char *text);

#include "../../tool/program.h"

enum { MOST_PAIRS = 64, MOST_ROWS = 12, MOST_TEXT = 2048, MOST_LISTED = 64 };

/* Refuses every file, because the harness gives the config as settings. */
static void read_json(const char *name, const char *text, size_t length, list *to,
                      complaint *is_wrong)
{
    (void)text, (void)length, (void)to;
    complain_of(is_wrong, name, "is not read");
}

static int add_scalar(list *l, const char *path, const char *text)
{
    char *end;
    const double x = strtod(text, &end);
    if (strcmp(text, "null") == 0) return list_add(l, path, VALUE_NULL, 0, text, ORIGIN_SETTING);
    if (strcmp(text, "true") == 0) return list_add(l, path, VALUE_BOOLEAN, 1, text, ORIGIN_SETTING);
    if (strcmp(text, "false") == 0)
        return list_add(l, path, VALUE_BOOLEAN, 0, text, ORIGIN_SETTING);
    if (strcmp(text, "[]") == 0 || strcmp(text, "{}") == 0)
        return list_add(l, path, VALUE_OTHER, 0, text, ORIGIN_SETTING);
    return end != text && *end == '\0' ? list_add(l, path, VALUE_NUMBER, x, text, ORIGIN_SETTING)
                                       : list_add(l, path, VALUE_STRING, 0, text, ORIGIN_SETTING);
}

/* Adds a value to the list. The text is as in JSON, except that strings have no quotes, and that a
 * list has at most MOST_LISTED elements, none of which is a list. Returns 0 without memory. */
static int add_value(list *l, const char *path, const char *text)
{
    char at[320], element[160];
    const size_t length = strlen(text);
    if (length < 3 || text[0] != '[' || text[length - 1] != ']') return add_scalar(l, path, text);
    size_t next = 1;
    for (size_t i = 0; next < length && i < MOST_LISTED; i++) {
        const size_t size = strcspn(text + next, ",]");
        snprintf(element, sizeof element, "%.*s", (int)size, text + next);
        snprintf(at, sizeof at, "%.250s[%zu]", path, i);
        if (!add_scalar(l, at, element)) return 0;
        next += size + 1;
    }
    return 1;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    (void)run; /* run() is the whole program; the harness calls only the functions below it */
    return 0;
}

/* ---- a config -------------------------------------------------------------------------------- */

static void put(char *text, const char *format, ...)
{
    const size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, MOST_TEXT - length, format, arguments);
    va_end(arguments);
}

static void put_number(char *text, fuzz_input *in)
{
    static const char *const numbers[] = {
        "0",     "1",   "2",   "4",    "8",    "16",   "32",    "64",     "128",     "6",
        "10",    "12",  "24",  "3",    "7",    "1e4",  "1e6",   "500000", "8192",    "4096",
        "1e30",  "-1",  "0.5", "0.25", "0.1",  "1.5",  "1e-30", "1e300",  "NaN",     "Infinity",
        "1e-40", "0.9", "40",  "1e9",  "1e38", "1024", "2048",  "32768",  "1048576", "-0.5"};
    put(text, "%s", numbers[fuzz_below(in, FUZZ_COUNT(numbers))]);
}

static void put_word(char *text, fuzz_input *in)
{
    static const char *const words[] = {"mrope",
                                        "true",
                                        "false",
                                        "null",
                                        "[]",
                                        "{}",
                                        "x",
                                        "full_attention",
                                        "sliding_attention",
                                        "linear_attention",
                                        "su"};
    const size_t k = fuzz_below(in, TOOL_COUNT(type_names) + FUZZ_COUNT(words));
    put(text, "%s",
        k < TOOL_COUNT(type_names) ? type_names[k].config : words[k - TOOL_COUNT(type_names)]);
}

static void put_value(char *text, fuzz_input *in)
{
    const unsigned kind = fuzz_byte(in), count = 1 + kind % 16;
    if (kind < 160) put_number(text, in);
    else if (kind < 224) put_word(text, in);
    else {
        put(text, "[");
        for (unsigned k = 0; k < count; k++) {
            put(text, k ? "," : "");
            if (kind < 240) put_number(text, in);
            else put_word(text, in);
        }
        put(text, "]");
    }
}

static void put_key(char *text, fuzz_input *in)
{
    static const char *const objects[] = {"",
                                          "",
                                          "",
                                          "rope_scaling.",
                                          "rope_parameters.",
                                          "rope_parameters.full_attention.",
                                          "text_config.",
                                          "vision_config."};
    static const char *const others[] = {"model_type",
                                         "num_hidden_layers",
                                         "num_attention_heads",
                                         "hidden_size",
                                         "layer_types",
                                         "global_head_dim",
                                         "sliding_window",
                                         "max_position_embeddings",
                                         "sequence_length",
                                         "rope_interleave",
                                         "qk_rope_head_dim",
                                         "position_embedding_type",
                                         "no_rope_layers",
                                         "sliding_window_pattern",
                                         "rope_ratio",
                                         "rotary_pct",
                                         "num_heads",
                                         "preset",
                                         "d_model",
                                         "base",
                                         "scale",
                                         "amplitude",
                                         "cos_first",
                                         "half_turns",
                                         "exponent_shift"};
    const size_t keys = TOOL_COUNT(scaling_keys), b = fuzz_byte(in), object = fuzz_byte(in);
    const size_t which = b % (keys + FUZZ_COUNT(others));
    put(text, "%s%s=", objects[object % FUZZ_COUNT(objects)],
        which < keys ? scaling_keys[which].key : others[which - keys]);
    put_value(text, in);
    put(text, "\n");
}

/* Returns line k of the two tables of model types, counted modulo the number of lines. */
static const type_line *type_at(size_t k)
{
    const size_t first_count = type_tables[0].count, count = first_count + type_tables[1].count;
    k %= count;
    return k < first_count ? &type_tables[0].of[k] : &type_tables[1].of[k - first_count];
}

/* Writes a config: a model that can rotate, then keys that may spoil it. */
static void make_config(char *text, fuzz_input *in)
{
    const unsigned width = fuzz_byte(in), type = fuzz_byte(in), keys = fuzz_byte(in) % 8;
    if (width % 8 == 7)
        put(text, "preset=%s\nd_model=%u\n", preset_names[type % TOOL_COUNT(preset_names)],
            2 + width / 8 * 2);
    else {
        put(text, "head_dim=%u\nrope_theta=1e4\n", 2 + width % 32 * 2);
        if (width >= 224) put(text, "model_type=%s\n", type_at(type * 3)->name);
        if (type >= 64)
            put(text, "rope_type=%s\nfactor=%u\noriginal_max_position_embeddings=64\n",
                type_names[type % TOOL_COUNT(type_names)].config, 1 + type / 32);
    }
    for (unsigned k = 0; k < keys; k++) put_key(text, in);
}

static void set_keys(list *to, char *text)
{
    for (char *line = text; line && *line;) {
        char *const end = strchr(line, '\n');
        if (end) *end = '\0';
        if (is_setting(line)) set_key(to, line);
        line = end ? end + 1 : NULL;
    }
}

/* ---- a table --------------------------------------------------------------------------------- */

/* In which files a table is given, and in which columns. A table of a preset has only the columns
 * of the preset. */
typedef enum form {
    FORM_APART = 0, /* --cos and --sin, one column for each pair                          */
    FORM_TWICE,     /* --cos and --sin, all pairs twice: c0 c1 ... c0 c1 ...              */
    FORM_BESIDE,    /* --cos and --sin, each pair twice: c0 c0 c1 c1 ...                  */
    FORM_JOINED,    /* --table, the cosines before the sines: c0 c1 ... s0 s1 ...         */
    FORM_COMPLEX,   /* --table, complex numbers: c0 s0 c1 s1 ...                          */
    FORM_INV_FREQ,  /* --inv-freq, the frequencies                                        */
    FORM_COUNT
} form;

typedef struct table {
    form given;
    npy_type type;
    size_t rows, pairs;
    const char *positions;
    positions where;
    /* Both are [rows][pairs]. For FORM_INV_FREQ, `cosines` holds the frequencies. For a preset it
     * holds the whole table. */
    double *cosines, *sines;
    int is_exact; /* 1: the table must be reported as right */
} table;

static double *numbers_for(size_t count)
{
    double *const numbers = (double *)calloc(count ? count : 1, sizeof *numbers);
    if (!numbers) FUZZ_FAIL("no memory");
    return numbers;
}

static void choose_table(table *t, fuzz_input *in)
{
    static const struct {
        const char *text;
        size_t rows;
    } places[] = {{NULL, 12},      {"0:12", 12},   {"0:3:1000", 3}, {"7:12", 12},
                  {"0:1", 1},      {"5,1,0,3", 4}, {"100000:5", 5}, {"0.5,1.5,7", 3},
                  {"9:12:-1", 12}, {"0:12:0", 12}};
    const unsigned given = fuzz_byte(in), type = fuzz_byte(in), which = fuzz_byte(in);
    t->given = (form)(given % FORM_COUNT);
    t->type = (npy_type)(type % 4);
    t->positions = places[which % FUZZ_COUNT(places)].text;
    t->rows = places[which % FUZZ_COUNT(places)].rows;
    if (t->given == FORM_INV_FREQ) t->positions = NULL, t->rows = 1;
    if ((t->given == FORM_INV_FREQ || t->given == FORM_COMPLEX) && t->type > NPY_F32)
        t->type = NPY_F32;
    if (read_positions(t->positions ? t->positions : "0:12", &t->where))
        FUZZ_FAIL("positions %s", t->positions);
    if (t->where.rows > t->rows) t->where.rows = t->rows;
}

/* Computes the part's own table of one coordinate, rounded once to the table's type and stored as
 * doubles. Returns 0 if pe refuses the plan or the rows. */
static int compute_table(table *t, part *p, const double *omega)
{
    const int is_preset = p->kind == PART_SINUSOIDAL;
    const table_type type = table_type_of(t->type);
    const size_t width = is_preset ? p->preset.d_model : 2 * t->pairs, size = bytes_of(type);
    pe_plan plan;
    pe_status status = PE_OK;
    if (t->given == FORM_INV_FREQ && !is_preset) {
        for (size_t i = 0; i < t->pairs; i++)
            t->cosines[i] = t->type == NPY_F64 ? omega[i] : (double)(float)omega[i];
        return 1;
    }
    void *const memory = plan_of(p, &plan);
    unsigned char *const bytes = (unsigned char *)numbers_for(t->rows * width);
    if (!memory) status = PE_ERR_MEMORY;
    else if (is_preset) status = fill(&plan, &t->where, type, width, bytes);
    else if (t->type == NPY_F64)
        status = pe_sincos_f64(omega, t->pairs, attention_of(p), t->where.positions, t->rows,
                               t->sines, t->cosines, t->pairs);
    else status = fill_rope(&plan, &t->where, type, PE_ROPE_TABLE_JOINED, width, bytes);
    for (size_t r = 0; r < t->rows && status == PE_OK && (is_preset || t->type != NPY_F64); r++)
        for (size_t k = 0; k < width; k++) {
            const double x = npy_element(bytes + (r * width + k) * size, t->type, 'f', size);
            if (is_preset) t->cosines[r * width + k] = x;
            else (k < t->pairs ? t->cosines : t->sines)[r * t->pairs + k % t->pairs] = x;
        }
    free(bytes);
    free(memory);
    return status == PE_OK;
}

/* Returns whether the largest of the first `count` cosines is between 2^-10 and 2^15. Otherwise the
 * table might hold infinities or nothing but subnormal numbers in float16. */
static int is_of_usual_size(const table *t, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(t->cosines[i]));
    return largest >= 0x1p-10 && largest <= 0x1p15;
}

/* Damages the table, if `how` is at least 128, in one of these ways. It sets one number, zeros the
 * sines, shifts the cosines, scales or negates the sines, exchanges both, or rounds the cosines to
 * bfloat16. */
static void damage(table *t, fuzz_input *in)
{
    static const double values[] = {0, 1, -1, 0.5, 1e30, (double)NAN, (double)INFINITY, 1e-300};
    const unsigned how = fuzz_byte(in), at = fuzz_byte(in);
    const size_t count = t->rows * t->pairs, shift = at % (count + 1);
    if (how < 128) return;
    t->is_exact = 0;
    if (how < 160) t->cosines[at % count] = values[how % FUZZ_COUNT(values)];
    else if (how < 176) memset(t->sines, 0, count * sizeof *t->sines);
    else if (how < 192)
        memmove(t->cosines, t->cosines + shift, (count - shift) * sizeof *t->cosines);
    else
        for (size_t i = 0; i < count; i++) {
            const double kept = t->cosines[i];
            if (how < 224) t->sines[i] *= how & 1 ? -1 : 1 + (double)at / 64;
            if (how >= 224 && how & 1) t->cosines[i] = t->sines[i], t->sines[i] = kept;
            if (how >= 224 && !(how & 1)) t->cosines[i] = rounded_to(kept, NPY_BF16);
        }
}

/* ---- what must hold -------------------------------------------------------------------------- */

/* Returns the array of a file, with the columns of the table's form. With `second`, it is the file
 * of the sines, where a form has two files. The caller frees the numbers. */
static npy array_of(const table *t, int is_preset, size_t width, int second)
{
    npy a = {t->rows, width, t->type, 0, NULL};
    const double *const from = second ? t->sines : t->cosines;
    const size_t n = t->pairs;
    if (!is_preset && t->given >= FORM_TWICE && t->given <= FORM_COMPLEX) a.columns = 2 * n;
    if (!is_preset && t->given == FORM_COMPLEX) a.is_complex = 1;
    a.of = numbers_for(a.rows * a.columns);
    for (size_t r = 0; r < a.rows; r++)
        for (size_t k = 0; k < a.columns; k++) {
            const double *const cosines = from + r * n, *const sines = t->sines + r * n;
            a.of[r * a.columns + k] = is_preset                  ? from[r * width + k]
                                      : t->given == FORM_BESIDE  ? cosines[k / 2]
                                      : t->given == FORM_JOINED  ? (k < n ? cosines : sines)[k % n]
                                      : t->given == FORM_COMPLEX ? (k % 2 ? sines : cosines)[k / 2]
                                                                 : cosines[k % n];
        }
    return a;
}

/* Returns whether `posenc compare` can report the part's table as right in this form. */
static int may_be_right(const table *t, const part *p)
{
    if (p->kind == PART_ROPE) {
        const int is_beside = t->given == FORM_BESIDE, is_twice = t->given == FORM_TWICE;
        const int is_interleaved = p->rope.layout == PE_LAYOUT_INTERLEAVED;
        return p->rope.axes == 1 && !p->rope.coordinate && !(is_beside && !is_interleaved) &&
               !(is_twice && is_interleaved);
    }
    return p->preset.axes == 1 && !p->preset.has_padding && p->preset.amplitude > 0 &&
           p->preset.offset == 0 && p->preset.d_model % 2 == 0;
}

static void compare_part(part *p, fuzz_input *in, int is_json)
{
    static verdict v;
    size_t pairs = 0;
    table t;
    memset(&t, 0, sizeof t);
    choose_table(&t, in);
    part own = *p;
    if (own.kind == PART_ROPE && !own.rope.coordinate &&
        own.rope.section_order != PE_SECTIONS_VISION)
        own.rope.axes = 1; /* rows of text have the same position in all coordinates */
    double *const omega = frequencies_of(&own, &pairs);
    if (omega && pairs > 0 && pairs <= MOST_PAIRS) {
        const int is_preset = p->kind == PART_SINUSOIDAL;
        const size_t width = is_preset ? p->preset.d_model : pairs;
        const int is_one = is_preset || t.given == FORM_JOINED || t.given == FORM_COMPLEX;
        t.pairs = pairs;
        t.cosines = numbers_for(2 * t.rows * pairs + t.rows * width);
        t.sines = numbers_for(2 * t.rows * pairs);
        t.is_exact = compute_table(&t, &own, omega) && may_be_right(&t, &own) &&
                     is_of_usual_size(&t, t.rows * width);
        damage(&t, in);
        if (is_preset && t.given == FORM_INV_FREQ) t.given = FORM_APART;
        const int is_inv_freq = t.given == FORM_INV_FREQ;
        const int are_two = !is_one && !is_inv_freq;
        const compared c = {are_two ? "cos" : NULL,
                            are_two ? "sin" : NULL,
                            is_one ? "table" : NULL,
                            is_inv_freq ? "inv_freq" : NULL,
                            t.positions,
                            1};
        npy a = array_of(&t, is_preset, width, 0), b = {0, 0, NPY_F64, 0, NULL};
        if (c.cosines) b = array_of(&t, is_preset, width, 1);
        memset(&v, 0, sizeof v);
        if (take_samples(&c, &a, &b, &v.s, p) && judge_samples(&c, p, NULL, &v))
            (is_json ? json_verdict : print_verdict)(&v);
        if (t.is_exact && !(v.f.count && v.f.fewest == 0))
            FUZZ_FAIL("part %s, %zu rows of %zu pairs, form %d, %s: not called right", p->name,
                      t.rows, t.pairs, (int)t.given, npy_types[t.type]);
        free_verdict(&v);
        free(a.of), free(b.of), free(t.cosines), free(t.sines);
    }
    free(omega);
    free(t.where.list);
}

static void show_part(part *p)
{
    print_part(p, 1);
    json_part(p);
    print_c(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static part parts[MOST_PARTS];
    fuzz_input in = {data, data + size};
    list file = {NULL, 0, 0, 0};
    char text[MOST_TEXT] = "", *output = NULL;
    size_t length = 0;
    if (size < 2) return 0;
    const unsigned way = fuzz_byte(&in);
    fuzz_input of_tables = in;
    in.at = in.end - in.at > 5 ? in.at + 5 : in.end;
    if (way < 64) {
        const size_t left = (size_t)(in.end - in.at);
        memcpy(text, in.at, left < MOST_TEXT ? left : MOST_TEXT - 1);
    } else make_config(text, &in);
    const int has_null = strstr(text, "(null)") != NULL;
    set_keys(&file, text);
    output_file = open_memstream(&output, &length);
    if (!output_file) FUZZ_FAIL("no memory");
    const size_t n =
        list_find(&file, "preset") ? read_preset(&file, parts) : read_model(&file, parts);
    for (size_t i = 0; i < n; i++) {
        part *const p = &parts[i];
        const size_t width = p->kind == PART_ROPE ? p->rope.head_dim : p->preset.d_model;
        const int is_small = width <= 2 * MOST_PAIRS;
        if (is_small) show_part(p);
        fuzz_input own = of_tables;
        if (is_small && !count_notes(p, NOTE_WRONG)) compare_part(p, &own, way & 1);
        free(p->lists[0]), free(p->lists[1]), free(p->factors), free(p->coordinate), free(p->omega);
    }
    fclose(output_file);
    if (!has_null && strstr(output, "(null)")) FUZZ_FAIL("a text is NULL: %s", output);
    free(output);
    list_free(&file);
    return 0;
}
