/* SPDX-License-Identifier: MIT */
/*
 * round_trip.c: checks that `posenc compare` reports each part's own table as right, for every part
 * of every model type. A part is a set of layers that share one positional encoding. The tables are
 * exact ones in float32, bfloat16 and float16, and tables of float32 angles, in each layout. With
 * several coordinates they have rows of text and of an image.
 *
 *   round_trip           tests each type with one arithmetic for each layout
 *   round_trip every     tests all combinations
 */
#include "../../pe.h"

#include "../../tool/files/complaint.h"
#include "../../tool/files/list.h"

static void read_json(const char *name, const char *text, size_t length, list *to,
                      complaint *is_wrong);
static int add_value(list *l, const char *path, const char *text);

#include "../../tool/program.h"

/* Refuses every file, because the program gives each config as settings. */
static void read_json(const char *name, const char *text, size_t length, list *to,
                      complaint *is_wrong)
{
    (void)text, (void)length, (void)to;
    complain_of(is_wrong, name, "is not read");
}

/* Adds a value to the list: a number if the text is one, otherwise a string. Returns 0 without
 * memory. */
static int add_value(list *l, const char *path, const char *text)
{
    char *end;
    const double x = strtod(text, &end);
    return end != text && *end == '\0' ? list_add(l, path, VALUE_NUMBER, x, text, ORIGIN_SETTING)
                                       : list_add(l, path, VALUE_STRING, 0, text, ORIGIN_SETTING);
}

enum { MOST_ROWS = 48 };

typedef enum form { FORM_APART = 0, FORM_TWICE, FORM_JOINED, FORM_COMPLEX, FORM_COUNT } form;
typedef enum made { MADE_F32 = 0, MADE_BF16, MADE_F16, MADE_ANGLES, MADE_COUNT } made;

static const char *const form_names[] = {"apart", "twice", "joined", "complex"};
TOOL_HAS_ALL(form_names, FORM_COUNT);
static const char *const made_names[] = {"exact f32", "exact bf16", "exact f16", "float32 angles"};
TOOL_HAS_ALL(made_names, MADE_COUNT);

static size_t passed, failed, rotating, several, types_with_tables, skipped;

static void *need(void *memory)
{
    if (memory) return memory;
    fputs("no memory\n", stderr);
    exit(1);
}

/* Describes a table of a part. */
typedef struct table {
    size_t rows, pairs, axes;
    char positions[4096];          /* the argument of --positions                   */
    double numbers[MOST_ROWS * 4]; /* the same positions: [rows][axes]              */
    double *cosines, *sines;       /* [rows][pairs]                                 */
    npy_type type;
} table;

/* Chooses the positions of text, the last of which are far apart, or of an image after some text.
   */
static void choose_rows(table *t, size_t axes)
{
    static const double far[] = {100, 1000, 1001, 4095, 8191, 8192, 16000, 30000};
    const size_t near = 40;
    char *to = t->positions;
    t->axes = axes;
    t->rows = MOST_ROWS;
    for (size_t r = 0; r < t->rows; r++)
        for (size_t a = 0; a < axes; a++) {
            double x = r < near ? (double)r : far[r - near];
            if (axes > 1 && r >= 3) /* rows of 9 patches: (t, y, x) or (y, x) */
                x = 3 + (a + 1 == axes   ? (double)((r - 3) % 9)
                         : a + 2 == axes ? (double)((r - 3) / 9)
                                         : (double)(r / 24));
            t->numbers[r * axes + a] = x;
            to += snprintf(to, 16, "%s%.15g", a ? "," : r && axes > 1 ? ";" : r ? "," : "", x);
        }
}

/* Computes the part's own table. `own` is the part, with one coordinate for rows of text. */
static int compute(table *t, part *own, made how)
{
    const int is_preset = own->kind == PART_SINUSOIDAL;
    const table_type type = how == MADE_BF16 ? TABLE_BF16 : how == MADE_F16 ? TABLE_F16 : TABLE_F32;
    const size_t width = 2 * t->pairs, size = bytes_of(type);
    positions where;
    pe_plan plan;
    own->preset.layout = PE_LAYOUT_HALVES;
    own->preset.cos_first = 1;
    void *const memory = plan_of(own, &plan);
    if (!memory) return 0;
    unsigned char *const bytes = (unsigned char *)need(calloc(t->rows * width, size));
    memset(&where, 0, sizeof where);
    where.positions =
        t->axes > 1 ? pe_coords_f64(t->numbers, t->axes, t->axes, 1) : pe_at_f64(t->numbers);
    where.rows = t->rows;
    const pe_status status =
        is_preset ? fill(&plan, &where, type, width, bytes)
                  : fill_rope(&plan, &where, type, PE_ROPE_TABLE_JOINED, width, bytes);
    t->type = how == MADE_BF16 ? NPY_BF16 : how == MADE_F16 ? NPY_F16 : NPY_F32;
    for (size_t k = 0; status == PE_OK && k < t->rows * width; k++)
        (k % width < t->pairs ? t->cosines : t->sines)[k / width * t->pairs + k % t->pairs] =
            npy_element(bytes + k * size, t->type, 'f', size);
    free(bytes);
    free(memory);
    return status == PE_OK;
}

/* Returns the coordinate of a pair, from the formulas of pe_sections. */
static size_t coordinate_of(const pe_rope_config *c, size_t pair)
{
    size_t a = 0;
    if (c->coordinate) return c->coordinate[pair] == 255 ? 0 : c->coordinate[pair];
    if (c->section_order == PE_SECTIONS_INTERLEAVED)
        return pair < c->axes * c->sections[pair % c->axes] ? pair % c->axes : 0;
    for (size_t end = c->sections[0]; pair >= end && a + 1 < c->axes; end += c->sections[++a]) {}
    return a;
}

/* Computes the table from angles in float32, as most code does. */
static int compute_angles(table *t, part *own)
{
    size_t pairs = 0;
    double *const omega = frequencies_of(own, &pairs);
    const double factor = own->kind == PART_ROPE ? attention_of(own) : own->preset.amplitude;
    t->type = NPY_F32;
    for (size_t k = 0; omega && k < t->rows * t->pairs; k++) {
        const size_t i = k % t->pairs, a = t->axes > 1 ? coordinate_of(&own->rope, i) : 0;
        const float w = (float)omega[i], p = (float)t->numbers[k / t->pairs * t->axes + a];
        const float angle = p * w;
        t->cosines[k] = (double)(float)((double)(float)cos((double)angle) * (double)(float)factor);
        t->sines[k] = (double)(float)((double)(float)sin((double)angle) * (double)(float)factor);
    }
    free(omega);
    return omega != NULL;
}

/* Returns the array of a file, with the columns of this form. With is_second, it is the file of the
 * sines, where a form has two files. */
static npy array_of(const table *t, form as, int are_beside, int is_sine_first, int is_second)
{
    npy a = {t->rows, t->pairs, t->type, 0, NULL};
    const double *const one = is_second ? t->sines : t->cosines;
    const size_t n = t->pairs;
    if (as != FORM_APART) a.columns = 2 * n;
    a.is_complex = as == FORM_COMPLEX && !is_sine_first;
    a.of = (double *)need(malloc(a.rows * a.columns * sizeof *a.of));
    for (size_t r = 0; r < a.rows; r++)
        for (size_t k = 0; k < a.columns; k++) {
            const int is_upper = as == FORM_COMPLEX ? k % 2 == 1 : k >= n;
            const double *const from = as == FORM_APART || as == FORM_TWICE ? one
                                       : is_upper != is_sine_first          ? t->sines
                                                                            : t->cosines;
            const size_t i = as == FORM_COMPLEX || (as == FORM_TWICE && are_beside) ? k / 2 : k % n;
            a.of[r * a.columns + k] = from[r * n + i];
        }
    return a;
}

/* Compares the table with its part, in one form. */
static void compare_form(const table *t, const part *p, form as, made how, const char *type)
{
    static verdict v;
    part own = *p;
    const int is_preset = p->kind == PART_SINUSOIDAL, is_one = as >= FORM_JOINED;
    const int are_beside = p->rope.layout == PE_LAYOUT_INTERLEAVED;
    const int is_sine_first = is_preset && !p->preset.cos_first;
    const compared c = {is_one ? NULL : "cos",
                        is_one ? NULL : "sin",
                        is_one ? "table" : NULL,
                        NULL,
                        t->positions,
                        1};
    npy a = array_of(t, as, are_beside, is_sine_first, 0), b = {0, 0, NPY_F64, 0, NULL};
    if (!is_one) b = array_of(t, as, are_beside, is_sine_first, 1);
    memset(&v, 0, sizeof v);
    const int is_right = take_samples(&c, &a, &b, &v.s, &own) &&
                         judge_samples(&c, &own, NULL, &v) && v.is_told && !v.f.of[0].differs;
    passed += (size_t)is_right;
    if (!is_right) {
        failed++;
        printf("FAIL %s, part %s, %s, %s: not called right\n", type, p->name, made_names[how],
               form_names[as]);
        for (size_t k = 0; k < own.notes; k++)
            if (own.note[k].kind == NOTE_WRONG)
                printf("     %s: %s\n", own.note[k].key, own.note[k].text);
    }
    free_verdict(&v);
    free(a.of);
    free(b.of);
}

/* Compares the tables of a part for rows of `axes` coordinates. */
static void compare_rows(const part *p, size_t axes, int is_every, size_t turn, const char *type)
{
    static table t;
    part own = *p;
    t.pairs = p->kind == PART_ROPE ? pairs_of_rope(&p->rope) : p->preset.d_model / 2;
    choose_rows(&t, axes);
    if (axes == 1 && !own.rope.coordinate) own.rope.axes = 1;
    t.cosines = (double *)need(calloc(t.rows * t.pairs, sizeof(double)));
    t.sines = (double *)need(calloc(t.rows * t.pairs, sizeof(double)));
    for (int how = 0; how < MADE_COUNT; how++)
        for (int as = 0; as < FORM_COUNT; as++) {
            const int is_interleaved =
                p->kind == PART_SINUSOIDAL && p->preset.layout == PE_LAYOUT_INTERLEAVED;
            if (!is_every && (turn + (size_t)how + (size_t)as) % MADE_COUNT) continue;
            if (p->kind == PART_SINUSOIDAL && is_interleaved != (as == FORM_COMPLEX)) continue;
            if (p->kind == PART_SINUSOIDAL && as < FORM_JOINED) continue;
            part made_of = own;
            const int is_made = how == MADE_ANGLES ? compute_angles(&t, &made_of)
                                                   : compute(&t, &made_of, (made)how);
            if (is_made) compare_form(&t, p, (form)as, (made)how, type);
            else failed++, printf("FAIL %s, part %s: no table\n", type, p->name);
        }
    free(t.cosines);
    free(t.sines);
}

static void compare_part(const part *p, int is_every, size_t turn, const char *type)
{
    const int is_rope = p->kind == PART_ROPE;
    if ((!is_rope && p->kind != PART_SINUSOIDAL) || count_notes(p, NOTE_WRONG)) return;
    if (!is_rope && (p->preset.axes > 1 || p->preset.offset != 0 || p->preset.d_model % 2)) return;
    if (is_rope && p->omega) { /* posenc compare does not support such lists of frequencies */
        skipped++;
        return;
    }
    rotating++;
    const size_t axes = is_rope ? p->rope.axes : 1;
    const int has_text =
        axes == 1 || p->rope.coordinate || p->rope.section_order != PE_SECTIONS_VISION;
    if (has_text) compare_rows(p, 1, is_every, turn, type);
    if (axes > 1) several++, compare_rows(p, axes, is_every, turn, type);
}

/* Reads a model type with its name alone, or with the first of these sizes with which no part has
 * an error. Returns the number of its parts, or 0 if there are no such sizes. */
static size_t read_model_type(const char *name, part *parts)
{
    static const char *const sizes[][4] = {
        {NULL},
        {"head_dim=64", NULL},
        {"hidden_size=256", "num_attention_heads=4", NULL},
        {"head_dim=64", "hidden_size=256", "num_attention_heads=4", NULL}};
    for (size_t k = 0; k < TOOL_COUNT(sizes); k++) {
        list file = {NULL, 0, 0, 0};
        size_t wrong = 0;
        char word[128];
        snprintf(word, sizeof word, "model_type=%s", name);
        set_key(&file, word);
        for (size_t n = 0; n < 4 && sizes[k][n]; n++) {
            snprintf(word, sizeof word, "%s", sizes[k][n]);
            set_key(&file, word);
        }
        const size_t count = read_model(&file, parts);
        for (size_t i = 0; i < count; i++) wrong += count_notes(&parts[i], NOTE_WRONG);
        list_free(&file);
        if (!wrong) return count;
        if (k + 1 < TOOL_COUNT(sizes)) free_parts(parts, count);
        else return count;
    }
    return 0;
}

int main(int count, char **words)
{
    static part parts[MOST_PARTS];
    const int is_every = count > 1 && strcmp(words[1], "every") == 0;
    for (size_t t = 0; t < TOOL_COUNT(type_tables); t++)
        for (size_t k = 0; k < type_tables[t].count; k++) {
            const char *const name = type_tables[t].of[k].name;
            const size_t before = rotating, n = read_model_type(name, parts);
            for (size_t i = 0; i < n; i++) compare_part(&parts[i], is_every, k + i, name);
            types_with_tables += rotating > before;
            free_parts(parts, n);
        }
    printf("%zu model types with %zu parts that rotate, %zu of several coordinates; %zu parts "
           "skipped\n",
           types_with_tables, rotating, several, skipped);
    if (types_with_tables < 250 || rotating < 300 || several < 20 || skipped > 10) {
        printf("FAIL there were more model types\n");
        failed++;
    }
    printf("%zu passed, %zu failed\n", passed, failed);
    return failed != 0;
}
