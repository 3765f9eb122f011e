/* SPDX-License-Identifier: MIT
 *
 * This file is one side of the comparison. It runs the cases of paired_cases.h with the pe.h that
 * the compiler finds, and with plans and lists of its own. It is compiled twice, with
 * -DPAIRED_SIDE=paired_old and paired_new. Everything else in the two objects is static.
 */
#include "pe.h"

#include "paired.h"

#include <stdlib.h>
#include <string.h>

/* CALL(OLD, NEW) is OLD, the call as version 0.1 has it, or NEW, the call as later versions have
   it. */
#if PE_VERSION_HEX < 0x000200
    #define CALL(old, now) old
#else
    #define CALL(old, now) now
#endif

/* These macros make and use tables of RoPE. paired.sh sets PAIRED_TABLE_IS_VALUE to 1 if the
   version has the type pe_rope_table. */
#if PAIRED_TABLE_IS_VALUE
    #define TABLE(T, ...) pe_rope_table_##T(__VA_ARGS__, NULL)
    #define BY_TABLE(layout, rows, tokens, heads)                                                  \
    pe_rope_by_table_f32(&rotation, layout, rows, tokens, f, heads)
static pe_rope_table rotation;
    #define SINES(at, rows) pe_sincos_f32(omega, 64, 1.0, at, rows, f, f + 64, 128)
#else
    #define SINES(at, rows) pe_fill_f32(&plan_omega, at, rows, f, 128) /* of a plan that is kept */
    #define TABLE(T, ...) pe_rope_table_##T(__VA_ARGS__)
    #define BY_TABLE(layout, rows, tokens, heads)                                                  \
    pe_rope_by_table_f32(layout, tables[1] + 64, tables[1], 128, 64, tokens, f, heads)
#endif

/* These macros are arguments for queries and keys whose positions start at 0, or for keys in a
   list. Before version 0.3 keys could not be in a list, and start at 0 instead. */
#if PAIRED_KEYS_ANYWHERE
    #define QUERIES_KEYS(queries, keys) pe_from(0), queries, pe_from(0), keys
    #define QUERIES_LIST(queries, list, keys) pe_from(0), queries, pe_at_i64(list), keys
#else
    #define QUERIES_KEYS(queries, keys) 0, queries, keys
    #define QUERIES_LIST(queries, list, keys) 0, queries, keys
#endif

/* If PAIRED_PLAIN is 0, cases use lists of coordinates and blocks of halves. If it is 1, as for
   versions that have neither, the same cases use sections and joined axes, for as much work. */
#ifndef PAIRED_PLAIN
    #define PAIRED_PLAIN !PAIRED_LISTS
#endif

enum { MANY = 16384 };

static float *f, *tables[2];
static const float *from_f;
static double *g;
static uint16_t *h;
static int32_t *buckets;
static const uint16_t *from_h;

static pe_plan plan_128, plan_512, plan_1024, plan_2048, plan_4096, plan_halves, plan_float32,
    plan_mae, plan_xyz, plan_step, rope_halves, rope_interleaved, plan_omega;
static double omega[64];
static pe_config config_512, config_4096, config_step;
static pe_rope_config llama;
static void *spare;
static size_t spare_size;

static int64_t below_2p17[512], below_2p31[512], runs_of_32[512], in_order[512], downwards[512],
    modulo_2048[MANY];
static double reals_1000[512], reals_2p20[512], points[4096 * 3], image[4096 * 3],
    image_mixed[4096 * 3];
static float slopes[16];
#if PE_VERSION_HEX < 0x000200
static const size_t grid_64[2] = {64, 64};
static uint8_t m_rope_axis[64];
#else
static pe_plan m_rope, m_rope_woven, m_rope_list, halves_128, halves_96, halves_72, halves_64,
    halves_32;
static const pe_heads heads_32_96 = {32, 96, 3072}, heads_32_64 = {32, 64, 2048};
static const pe_heads heads_32_72 = {32, 72, 2304}, heads_32_32 = {32, 32, 1024};
static const size_t grid_64[2] = {64, 64};
static const pe_heads heads_32 = {32, 128, 4096}, heads_8 = {8, 128, 1024}, heads_1 = {1, 128, 128};
#endif
static int64_t coordinates[3 * 2048];

static uint64_t random_bits(void)
{
    static uint64_t state = 1;
    state = state * UINT64_C(0x5851f42d4c957f2d) + 1;
    return state >> 31;
}

static void *aligned(size_t bytes)
{
    unsigned char *memory = (unsigned char *)malloc(bytes + 4096);
    if (memory == NULL) return NULL;
    memset(memory, 0, bytes + 4096);
    return memory + (4096 - (uintptr_t)memory % 4096) % 4096;
}

static int make(pe_plan *plan, const pe_config *config)
{
    const size_t size = pe_plan_size(config);
    void *memory = aligned(size);
    if (size > spare_size) spare_size = size;
    return memory == NULL || pe_plan_init(plan, config, memory, size) != PE_OK;
}

static int make_width(pe_plan *plan, size_t d)
{
    const pe_config config = pe_config_default(d);
    return make(plan, &config);
}

static int make_rope(pe_plan *plan, pe_layout layout)
{
    pe_config config = pe_config_default(128);
    config.base = 500000;
    config.layout = layout;
    return make(plan, &config);
}

#if PE_VERSION_HEX >= 0x000200
static int make_list(pe_plan *plan, pe_rope_config config)
{
    static uint8_t
        list[64]; /* y and x by turns, then t: as ERNIE's, but with config's numbers of pairs */
    for (size_t i = 0; i < 64; i++) list[i] = i < 48 ? (uint8_t)(1 + i % 2) : 0;
#if !PAIRED_PLAIN
    config.coordinate = list, config.sections[0] = config.sections[1] = config.sections[2] = 0;
#endif
    void *memory = aligned(pe_rope_plan_size(&config));
    return memory == NULL ||
           pe_rope_plan_init(plan, &config, memory, pe_rope_plan_size(&config)) != PE_OK;
}

static int make_halves(pe_plan *plan, size_t d, size_t axes)
{
    pe_config config = pe_config_default(d);
    config.layout = PE_LAYOUT_HALVES, config.axes = axes;
    config.columns = PAIRED_PLAIN ? PE_COLUMNS_JOINED : PE_COLUMNS_BLOCKS;
    for (size_t a = 0; a < axes; a++) config.axis[a].coordinate = a;
    return make(plan, &config);
}
#endif

static int make_step(void)
{
    const pe_status status = pe_plan_init(&plan_step, &config_step, spare, spare_size);
    return status != PE_OK;
}

static int make_llama(void)
{
#if PE_VERSION_HEX < 0x000200
    double omega[64], attention;
    pe_config config = pe_config_default(128);
    pe_status status = pe_rope_frequencies(&llama, omega, &attention);
    config.amplitude = attention;
    if (status == PE_OK)
        status = pe_plan_init_frequencies(&plan_step, &config, omega, 64, spare, spare_size);
#else
    const pe_status status = pe_rope_plan_init(&plan_step, &llama, spare, spare_size);
#endif
    return status != PE_OK;
}

static int setup(void *out, const void *in)
{
    int bad = 0;
    f = (float *)out, g = (double *)out, h = (uint16_t *)out, buckets = (int32_t *)out;
    from_f = (const float *)in, from_h = (const uint16_t *)in;

    for (size_t r = 0; r < 512; r++) {
        below_2p17[r] = (int64_t)(random_bits() >> 16),
        below_2p31[r] = (int64_t)(random_bits() >> 2);
        runs_of_32[r] = r % 32 ? runs_of_32[r - 1] + 1 : below_2p17[r];
        in_order[r] = (int64_t)r, downwards[r] = 100000 - (int64_t)r;
        reals_1000[r] = (double)random_bits() / 8589934592.0 * 1000; /* 2^33 */
        reals_2p20[r] = (double)random_bits() / 8192.0;
    }
    for (size_t r = 0; r < MANY; r++) modulo_2048[r] = (int64_t)(r % 2048);
    for (size_t k = 0; k < sizeof points / sizeof *points; k++)
        points[k] = (double)random_bits() / 8589934592.0;
    for (size_t r = 0; r < 4096; r++) {
        image[3 * r + 1] = (double)(r / 64), image[3 * r + 2] = (double)(r % 64);
        for (size_t k = 1; k < 3; k++) image_mixed[3 * r + k] = (double)(random_bits() % 64);
    }
    for (size_t k = 0; k < sizeof coordinates / sizeof *coordinates; k++)
        coordinates[k] = (int64_t)(k % 2048 / (k < 2048 ? 256 : k < 4096 ? 16 : 1) % 16);

    config_512 = pe_config_default(512);
    config_4096 = pe_config_default(4096);
    config_step = pe_config_preset(PE_PRESET_LDM, 320);
    pe_config halves = config_512, float32 = config_512,
              xyz = pe_config_preset(PE_PRESET_T2T_ND, 512);
    const pe_config mae = pe_config_preset(PE_PRESET_MAE_2D, 512);
    halves.layout = PE_LAYOUT_HALVES;
    float32.angle = PE_ANGLE_FLOAT32;
    xyz.axes = 3;
    llama = pe_rope_config_default(128);
    llama.rope_theta = 500000, llama.rope_type = PE_ROPE_LLAMA3, llama.factor = 8;
    llama.original_max_position_embeddings = 8192;
    void *memory;
#if PE_VERSION_HEX < 0x000200
    const size_t sections[3] = {16, 24, 24};
    bad |= pe_rope_sections(sections, 3, 0, 64, m_rope_axis) != PE_OK;
#else
    config_step.expected_rows = 1;
    pe_rope_config qwen = pe_rope_config_default(128);
    qwen.rope_theta = 500000, qwen.axes = 3;
    qwen.sections[0] = 16, qwen.sections[1] = 24, qwen.sections[2] = 24;
    memory = aligned(pe_rope_plan_size(&qwen));
    bad |= memory == NULL ||
           pe_rope_plan_init(&m_rope, &qwen, memory, pe_rope_plan_size(&qwen)) != PE_OK;
    bad |= make_list(&m_rope_list, qwen) | make_halves(&halves_128, 128, 2);
    bad |= make_halves(&halves_96, 96, 3) | make_halves(&halves_64, 64, 2);
    bad |= make_halves(&halves_72, 72, 2) | make_halves(&halves_32, 32, 2);
    qwen.section_order = PE_SECTIONS_INTERLEAVED;
    memory = aligned(pe_rope_plan_size(&qwen));
    bad |= memory == NULL ||
           pe_rope_plan_init(&m_rope_woven, &qwen, memory, pe_rope_plan_size(&qwen)) != PE_OK;
#endif
    bad |= make_width(&plan_128, 128) | make_width(&plan_512, 512) | make_width(&plan_1024, 1024);
    bad |= make_width(&plan_2048, 2048) | make_width(&plan_4096, 4096);
    bad |= make(&plan_halves, &halves) | make(&plan_float32, &float32) | make(&plan_mae, &mae);
    bad |= make(&plan_xyz, &xyz);
    bad |= make_rope(&rope_halves, PE_LAYOUT_HALVES) |
           make_rope(&rope_interleaved, PE_LAYOUT_INTERLEAVED);
    for (size_t i = 0; i < 64; i++) omega[i] = pow(10000, -(double)i / 64);
    pe_config given = pe_config_default(128);
    given.layout = PE_LAYOUT_HALVES;
    memory = aligned(pe_plan_size(&given));
    bad |= memory == NULL || pe_plan_init_frequencies(&plan_omega, &given, omega, 64, memory,
                                                      pe_plan_size(&given)) != PE_OK;
    bad |= (spare = aligned(spare_size)) == NULL;
    bad |= pe_alibi_slopes_f32(16, 8.0f, slopes) != PE_OK;
    for (int k = 0; k < 2; k++)
        bad |= (tables[k] = (float *)aligned(sizeof(float) * 2048 * 512)) == NULL;
    if (bad) return 1;
#if PAIRED_TABLE_IS_VALUE
    const pe_rope_table by = {tables[1] + 64, tables[1], PE_TYPE_F32, PE_ROPE_TABLE_APART, 128,
                              2048,           64};
    rotation = by;
#endif
    /* tables[0] is a learned table. A row of tables[1] has the 64 sines of RoPE, then the cosines,
       by which rotated heads keep their length. */
    return pe_fill_f32(&plan_512, CALL(1, pe_from(1)), 2048, tables[0], 512) != PE_OK ||
           pe_fill_f32(&rope_halves, CALL(1, pe_from(1)), 2048, tables[1], 128) != PE_OK;
}

/* The cases are included twice: first each makes a function, then each makes an entry of the list.
   The variable `call` of such a function counts its calls, and cases may use it. */
#define JOIN(a, b) JOINED(a, b)
#define JOINED(a, b) a##b
#define CASE(name, use, element, count, old, now)                                                  \
    static int JOIN(case_, __LINE__)(size_t calls)                                                 \
    {                                                                                              \
        int bad = 0;                                                                               \
        for (size_t call = 0; call < calls; call++) bad |= (int)(CALL(old, now));                  \
        return bad;                                                                                \
    }
#include "paired_cases.h"
#undef CASE

#define CASE(name, use, element, count, old, now)                                                  \
    {name, use, sizeof(element), count, JOIN(case_, __LINE__)},
static const paired_case cases[] = {
#include "paired_cases.h"
};

const paired_side PAIRED_SIDE = {
    PE_VERSION_STRING,
#ifdef PE_ISA_NAME
    PE_ISA_NAME,
    PE_SLEEF ? PE_SLEEF_NAME : "no SLEEF",
#else
    "library",
    "which chooses itself",
#endif
    setup,
    cases,
    sizeof cases / sizeof *cases,
};
