/* SPDX-License-Identifier: MIT */
/*
 * Computes what the rows of docs/models.md describe, for tests/checks/models.py. It reads these
 * lines from standard input:
 *
 *     rope | rotate | fill      begins a row, with a pe_rope_config or (the last two) a pe_config
 *     preset N WIDTH            takes preset N with this d_model instead of the default config
 *     set FIELD N VALUE ...     sets a field to N values
 *     omega N VALUE ...         gives frequencies for pe_plan_init_frequencies()
 *     x N VALUE ...             gives the head to rotate, the same for each row
 *     points ROWS N VALUE ...   gives the coordinates of ROWS rows, N numbers in all
 *     alibi | t5                begins biases, with the fields in struct bias
 *     query                     begins factors of queries, with the fields in struct query
 *     xpos                      begins factors of xPos, with the fields in struct xpos
 *     go                        writes ROWS * WIDTH floats, or an error, to standard output
 */
#include "pe.h"
#include "../unit/half.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 1 << 15 };
typedef enum kind { SIZE, INT, DOUBLE, DOUBLES, FLOATS, AXES, BYTES } kind;

typedef struct bias {
    size_t heads;
    double max_bias;
    int mode;
    double first_query;
    size_t keys;
    size_t buckets, max_distance;
    int bidirectional, bf16;
} bias;

typedef struct query {
    int form;
    double beta, shift;
    size_t period;
} query;

typedef struct xpos {
    size_t pairs, rows;
    double scale_base, first;
} xpos;

static query scale;
static xpos powers;
static pe_rope_config rope;
static pe_config config;
static bias biases;
static double numbers[MOST], omega[MOST], points[MOST], lists[2][MOST];
static uint8_t coordinates[MOST];
static float factors[MOST], x[MOST], out[MOST];
static size_t omegas, xs, rows, axes;

static const struct field {
    const char *name;
    void *to;
    kind kind;
} fields[] = {
    {"rope.head_dim", &rope.head_dim, SIZE},
    {"rope.rotary_dim", &rope.rotary_dim, SIZE},
    {"rope.rope_theta", &rope.rope_theta, DOUBLE},
    {"rope.rope_type", &rope.rope_type, INT},
    {"rope.factor", &rope.factor, DOUBLE},
    {"rope.original_max_position_embeddings", &rope.original_max_position_embeddings, SIZE},
    {"rope.max_position_embeddings", &rope.max_position_embeddings, SIZE},
    {"rope.sequence_length", &rope.sequence_length, SIZE},
    {"rope.low_freq_factor", &rope.low_freq_factor, DOUBLE},
    {"rope.high_freq_factor", &rope.high_freq_factor, DOUBLE},
    {"rope.beta_fast", &rope.beta_fast, DOUBLE},
    {"rope.beta_slow", &rope.beta_slow, DOUBLE},
    {"rope.truncate", &rope.truncate, INT},
    {"rope.mscale", &rope.mscale, DOUBLE},
    {"rope.mscale_all_dim", &rope.mscale_all_dim, DOUBLE},
    {"rope.attention_factor", &rope.attention_factor, DOUBLE},
    {"rope.short_factor", lists[0], DOUBLES},
    {"rope.long_factor", lists[1], DOUBLES},
    {"rope.freq_factors", factors, FLOATS},
    {"rope.layout", &rope.layout, INT},
    {"rope.rope_interleave", &rope.rope_interleave, INT},
    {"rope.axes", &rope.axes, SIZE},
    {"rope.sections", rope.sections, SIZE},
    {"rope.section_order", &rope.section_order, INT},
    {"rope.offset", &rope.offset, DOUBLE},
    {"rope.coordinate", coordinates, BYTES},
    {"config.coordinate", coordinates, BYTES},
    {"config.d_model", &config.d_model, SIZE},
    {"config.base", &config.base, DOUBLE},
    {"config.amplitude", &config.amplitude, DOUBLE},
    {"config.scale", &config.scale, DOUBLE},
    {"config.half_turns", &config.half_turns, INT},
    {"config.offset", &config.offset, DOUBLE},
    {"config.layout", &config.layout, INT},
    {"config.cos_first", &config.cos_first, INT},
    {"config.odd", &config.odd, INT},
    {"config.exponent", &config.exponent, INT},
    {"config.exponent_shift", &config.exponent_shift, DOUBLE},
    {"config.axes", &config.axes, SIZE},
    {"config.axis", config.axis, AXES},
    {"config.columns", &config.columns, INT},
    {"query.form", &scale.form, INT},
    {"query.beta", &scale.beta, DOUBLE},
    {"query.period", &scale.period, SIZE},
    {"query.shift", &scale.shift, DOUBLE},
    {"xpos.pairs", &powers.pairs, SIZE},
    {"xpos.rows", &powers.rows, SIZE},
    {"xpos.scale_base", &powers.scale_base, DOUBLE},
    {"xpos.first", &powers.first, DOUBLE},
    {"bias.heads", &biases.heads, SIZE},
    {"bias.max_bias", &biases.max_bias, DOUBLE},
    {"bias.mode", &biases.mode, INT},
    {"bias.first_query", &biases.first_query, DOUBLE},
    {"bias.keys", &biases.keys, SIZE},
    {"bias.buckets", &biases.buckets, SIZE},
    {"bias.max_distance", &biases.max_distance, SIZE},
    {"bias.bidirectional", &biases.bidirectional, INT},
    {"bias.bf16", &biases.bf16, INT},
};

static int refuse(const char *what, const char *text)
{
    fprintf(stderr, "models.c: %s: %s\n", what, text);
    exit(1);
}

static double number(void)
{
    char word[64], *end;
    if (scanf("%63s", word) != 1) refuse("a number", "missing");
    const double value = strtod(word, &end);
    if (end == word || *end != '\0') refuse(word, "no number");
    return value;
}

/* Reads "N VALUE ..." into `to`, and returns N. */
static size_t count(double *to)
{
    const size_t n = (size_t)number();
    if (n > MOST) refuse("a list", "too long");
    for (size_t i = 0; i < n; i++) to[i] = number();
    return n;
}

static void set(const char *name)
{
    size_t k = 0;
    while (k < sizeof fields / sizeof fields[0] && strcmp(fields[k].name, name) != 0) k++;
    if (k == sizeof fields / sizeof fields[0]) refuse(name, "no such field");
    const size_t n = count(numbers);
    for (size_t i = 0; i < n; i++) {
        const double v = numbers[i];
        switch (fields[k].kind) {
        case SIZE: ((size_t *)fields[k].to)[i] = (size_t)v; break;
        case INT: memcpy(fields[k].to, &(int){(int)v}, sizeof(int)); break;
        case BYTES: coordinates[i] = (uint8_t)v; break;
        case FLOATS: factors[i] = (float)v; break;
        case AXES:
            *(i % 2 ? &config.axis[i / 2].coordinate : &config.axis[i / 2].width) = (size_t)v;
            break;
        default: ((double *)fields[k].to)[i] = v;
        }
    }
    if (fields[k].to == coordinates) {
        rope.coordinate = config.coordinate = coordinates;
        rope.coordinate_length = config.coordinate_length = n;
    }
    if (fields[k].to == lists[0]) rope.short_factor = lists[0], rope.short_factor_length = n;
    if (fields[k].to == lists[1]) rope.long_factor = lists[1], rope.long_factor_length = n;
    if (fields[k].to == factors) rope.freq_factors = factors, rope.freq_factors_length = n;
}

static pe_status alibi_bf16(float *slopes, pe_at queries)
{
    static uint16_t half[MOST];
    for (size_t h = 0; h < biases.heads; h++) slopes[h] = bf16_nearest(slopes[h]);
    const pe_status status =
        pe_alibi_fill_bf16(slopes, biases.heads, (pe_alibi_mode)biases.mode, queries, 1, pe_from(0),
                           biases.keys, half, biases.keys, biases.keys);
    for (size_t i = 0; i < biases.heads * biases.keys; i++) out[i] = (float)half_value(1, half[i]);
    return status;
}

static size_t write_bias(int is_alibi)
{
    static float slopes[1024];
    static int32_t index[MOST];
    pe_status status = PE_ERR_NULL;
    if (biases.heads > 1024 || biases.heads * biases.keys > MOST) refuse("biases", "too many");
    const pe_at queries = pe_from((int64_t)biases.first_query);
    if (is_alibi) {
        status = pe_alibi_slopes_f32(biases.heads, (float)biases.max_bias, slopes);
        if (status == PE_OK && biases.bf16) status = alibi_bf16(slopes, queries);
        else if (status == PE_OK)
            status = pe_alibi_fill_f32(slopes, biases.heads, (pe_alibi_mode)biases.mode, queries, 1,
                                       pe_from(0), biases.keys, out, biases.keys, biases.keys);
    } else {
        status = pe_bias_t5_i32(biases.buckets, biases.max_distance, biases.bidirectional, queries,
                                1, pe_from(0), biases.keys, index);
        biases.heads = 1;
        for (size_t i = 0; i < biases.keys; i++) out[i] = (float)index[i];
    }
    if (status != PE_OK) refuse("bias", pe_status_string(status));
    return biases.heads * biases.keys;
}

static size_t write_factors(void)
{
    const pe_status status =
        pe_rope_query_scale_f32((pe_query_scale)scale.form, scale.beta, scale.period, scale.shift,
                                pe_at_f64(points), rows, out);
    if (status != PE_OK) refuse("factors", pe_status_string(status));
    return rows;
}

static size_t write_powers(void)
{
    if (powers.rows * powers.pairs > MOST) refuse("xpos", "too many");
    const pe_status status =
        pe_rope_xpos_f32(powers.pairs, powers.scale_base, pe_from((int64_t)powers.first),
                         powers.rows, out, powers.pairs);
    if (status != PE_OK) refuse("xpos", pe_status_string(status));
    return powers.rows * powers.pairs;
}

static size_t write_rows(int is_rope, int is_rotated)
{
    pe_plan plan;
    const char *const error = is_rope ? pe_rope_config_error(&rope) : pe_config_error(&config);
    if (error) refuse("the config", error);
    const size_t pairs = config.columns == PE_COLUMNS_SUMS ? omegas / config.axes : omegas;
    const size_t size = is_rope ? pe_rope_plan_size(&rope) : pe_plan_size(&config);
    void *const memory = malloc(size);
    pe_status status = is_rope ? pe_rope_plan_init(&plan, &rope, memory, size)
                       : omegas
                           ? pe_plan_init_frequencies(&plan, &config, omega, pairs, memory, size)
                           : pe_plan_init(&plan, &config, memory, size);
    const pe_at at = axes == 1 ? pe_at_f64(points) : pe_coords_f64(points, axes, axes, 1);
    const size_t width = is_rotated ? xs : config.d_model;
    const pe_heads heads = {1, 0, width};
    if (rows * width > MOST) refuse("rows", "too many");
    for (size_t i = 0; i < rows * width; i++) out[i] = is_rotated ? x[i % width] : 0;
    if (status == PE_OK)
        status = is_rotated ? pe_rope_f32(&plan, at, rows, out, heads)
                            : pe_fill_f32(&plan, at, rows, out, width);
    if (status != PE_OK) refuse("rows", pe_status_string(status));
    free(memory);
    return rows * width;
}

int main(void)
{
    char word[64];
    enum { ROPE, ROTATE, FILL, QUERY, XPOS, ALIBI, T5 } verb = ROPE;
    while (scanf("%63s", word) == 1) {
        if (strcmp(word, "rope") == 0) verb = ROPE, rope = pe_rope_config_default(0);
        else if (strcmp(word, "rotate") == 0)
            verb = ROTATE, config = pe_config_default(0), omegas = 0;
        else if (strcmp(word, "fill") == 0) verb = FILL, config = pe_config_default(0), omegas = 0;
        else if (strcmp(word, "query") == 0) verb = QUERY;
        else if (strcmp(word, "xpos") == 0) verb = XPOS;
        else if (strcmp(word, "alibi") == 0) verb = ALIBI;
        else if (strcmp(word, "t5") == 0) verb = T5;
        else if (strcmp(word, "preset") == 0) {
            const int preset = (int)number();
            config = pe_config_preset((pe_preset)preset, (size_t)number());
        } else if (strcmp(word, "set") == 0) {
            if (scanf("%63s", word) != 1) return 1;
            set(word);
        } else if (strcmp(word, "omega") == 0) omegas = count(omega);
        else if (strcmp(word, "x") == 0) {
            xs = count(numbers);
            for (size_t i = 0; i < xs; i++) x[i] = (float)numbers[i];
        } else if (strcmp(word, "points") == 0) {
            rows = (size_t)number();
            axes = count(points) / (rows ? rows : 1);
        } else if (strcmp(word, "go") == 0) {
            const size_t n = verb >= ALIBI   ? write_bias(verb == ALIBI)
                             : verb == XPOS  ? write_powers()
                             : verb == QUERY ? write_factors()
                                             : write_rows(verb == ROPE, verb <= ROTATE);
            if (fwrite(out, sizeof *out, n, stdout) != n) return 1;
        } else refuse(word, "no such line");
    }
    return 0;
}
