/* SPDX-License-Identifier: MIT */
/* This program uses what the public contract has changed since 0.2. It compiles without a warning as C99 and C++11 if
   the names, types and orders of arguments are right, and succeeds if the calls do what they promise. */
#include "pe.h"
#include <stdio.h>
#include <string.h>

/* These compute rows of sines and cosines of p omega[i] without a plan. */
static pe_status (*const sincos_f32)(const double *, size_t, double, pe_at, size_t, float *,
                                     float *, size_t) = pe_sincos_f32;
static pe_status (*const sincos_f64)(const double *, size_t, double, pe_at, size_t, double *,
                                     double *, size_t) = pe_sincos_f64;
static pe_status (*const sincos_f16)(const double *, size_t, double, pe_at, size_t, uint16_t *,
                                     uint16_t *, size_t) = pe_sincos_f16;
static pe_status (*const sincos_bf16)(const double *, size_t, double, pe_at, size_t, uint16_t *,
                                      uint16_t *, size_t) = pe_sincos_bf16;

/* These fill the caller's arrays, and describe the table in the last argument, which may be NULL. */
static pe_status (*const table_f32)(const pe_plan *, pe_at, size_t, pe_rope_table_layout, float *,
                                    float *, size_t, pe_rope_table *) = pe_rope_table_f32;
static pe_status (*const table_bf16)(const pe_plan *, pe_at, size_t, pe_rope_table_layout,
                                     uint16_t *, uint16_t *, size_t,
                                     pe_rope_table *) = pe_rope_table_bf16;
/* These rotate heads with a table. The pe_at gives each token's row of the table: an integer, one coordinate. */
static pe_status (*const by_table_f32)(const pe_rope_table *, pe_layout, pe_at, size_t, float *,
                                       pe_heads) = pe_rope_by_table_f32;
static pe_status (*const by_table_bf16)(const pe_rope_table *, pe_layout, pe_at, size_t, uint16_t *,
                                        pe_heads) = pe_rope_by_table_bf16;
static pe_status (*const by_table_to_f32)(const pe_rope_table *, pe_layout, pe_at, size_t, size_t,
                                          const float *, pe_heads, float *,
                                          pe_heads) = pe_rope_by_table_to_f32;

/* These take queries and keys at any integer positions. */
static pe_status (*const alibi_f32)(const float *, size_t, pe_alibi_mode, pe_at, size_t, pe_at,
                                    size_t, float *, size_t, size_t) = pe_alibi_fill_f32;
static pe_status (*const t5)(size_t, size_t, int, pe_at, size_t, pe_at, size_t,
                             int32_t *) = pe_bias_t5_i32;
static pe_status (*const query_scale)(pe_query_scale, double, size_t, double, pe_at, size_t,
                                      float *) = pe_rope_query_scale_f32;

int main(void)
{
    enum { PAIRS = 32, ROWS = 8, HEADS = 2 };
    static float s[ROWS * PAIRS], c[ROWS * PAIRS], row[2 * PAIRS], x[HEADS * 2 * PAIRS],
        y[HEADS * 2 * PAIRS];
    static double omega[PAIRS];
    static unsigned char memory[PE_PLAN_BYTES(2 * PAIRS)];
    const uint8_t coordinate[PAIRS] = {0, 1, 2, 0, 1, 2};
    const int32_t ids[2] = {7, 3};
    const pe_heads heads = {HEADS, 2 * PAIRS, HEADS * 2 * PAIRS};
    pe_config config = pe_config_default(2 * PAIRS);
    pe_rope_config rope = pe_rope_config_default(2 * PAIRS);
    pe_rope_table table;
    pe_plan plan;
    int bad = 0;
    (void)sincos_f64, (void)sincos_f16, (void)sincos_bf16, (void)table_bf16, (void)by_table_bf16,
        (void)by_table_to_f32, (void)alibi_f32, (void)t5;
    config.layout = PE_LAYOUT_HALVES, config.expected_rows = 1;
    bad |= pe_plan_init(&plan, &config, memory, sizeof memory) != PE_OK ||
           pe_plan_frequencies(&plan, omega) != PE_OK;
    /* pe_sincos_f32() gives the bits of pe_fill_f32(). */
    bad |= pe_plan_init_frequencies(&plan, &config, omega, PAIRS, memory, sizeof memory) != PE_OK;
    bad |= sincos_f32(omega, PAIRS, 1, pe_from(131072), ROWS, s, c, PAIRS) != PE_OK;
    for (int r = 0; r < ROWS; r++) {
        bad |= pe_fill_f32(&plan, pe_from(131072 + r), 1, row, 2 * PAIRS) != PE_OK;
        bad |= memcmp(row, s + r * PAIRS, PAIRS * sizeof *row) != 0 ||
               memcmp(row + PAIRS, c + r * PAIRS, PAIRS * sizeof *row) != 0;
    }
    /* Rotating with rows that are gathered from a table gives the bits of rotating at those positions. */
    for (int i = 0; i < HEADS * 2 * PAIRS; i++) x[i] = y[i] = (float)(i % 13) - 6;
    bad |= table_f32(&plan, pe_from(0), ROWS, PE_ROPE_TABLE_APART, c, s, PAIRS, &table) != PE_OK;
    bad |= by_table_f32(&table, PE_LAYOUT_HALVES, pe_at_i32(ids), 1, x, heads) != PE_OK;
    bad |= pe_rope_f32(&plan, pe_from(7), 1, y, heads) != PE_OK || memcmp(x, y, sizeof x) != 0;
    bad |= by_table_f32(&table, PE_LAYOUT_HALVES, pe_from(ROWS), 1, x, heads) != PE_ERR_RANGE;
    bad |= table.type != PE_TYPE_F32 || table.pairs != PAIRS || table.rows != ROWS ||
           table.stride != PAIRS || table.layout != PE_ROPE_TABLE_APART;
    bad |=
        table_f32(&plan, pe_from(0), 1, PE_ROPE_TABLE_MATRIX, x, NULL, 4 * PAIRS, NULL) != PE_OK ||
        x[0] != 1 || x[3] != 1;
    /* The fields for several coordinates have these names and types. */
    rope.coordinate = coordinate, rope.axes = 3, rope.rotary_offset = 0, config.coordinate = NULL;
    bad |= pe_rope_config_error(&rope) != NULL || pe_config_error(&config) != NULL;
    /* The length that is given with a list must be 0, or the length that is needed. */
    rope.coordinate_length = PAIRS, rope.freq_factors = row, rope.freq_factors_length = PAIRS - 1;
    bad |= !strstr(pe_rope_config_error(&rope), "freq_factors_length");
    config.coordinate_length = PAIRS;
    bad |= !strstr(pe_config_error(&config), "coordinate_length");
    bad |= query_scale(PE_QUERY_SCALE_LOG, 0.13115409462626939, 2048, 1, pe_from(8191), 1, row) !=
               PE_OK ||
           row[0] < 1.181818f || row[0] > 1.181819f;
    puts(bad ? "the contract is not met" : "the contract is met");
    return bad;
}
