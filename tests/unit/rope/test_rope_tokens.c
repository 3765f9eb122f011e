/* SPDX-License-Identifier: MIT */
/*
 * Proves the rotation of tokens with several coordinates: which coordinate rotates which pair of a
 * head. Pairs are in blocks, interleaved, or in a list. Places are of every kind, and heads are
 * also rotated back.
 */
#include "heads.h"

/* Returns the coordinate of pair i of h, and sets *number to the index of its frequency among those
   of a head with this coordinate alone. This repeats the definition of pe_sections. */
static size_t coordinate_of(const pe_rope_config *c, size_t i, size_t h, size_t *number)
{
    size_t a = 0, begin = 0;
    *number = i;
    if (c->coordinate) return c->coordinate[i];
    if (c->axes == 1) return 0;
    if (c->section_order == PE_SECTIONS_VISION) {
        *number = i % (h / c->axes);
        return i / (h / c->axes);
    }
    if (c->section_order == PE_SECTIONS_INTERLEAVED)
        return i < c->axes * c->sections[i % c->axes] ? i % c->axes : 0;
    while (i >= begin + c->sections[a]) begin += c->sections[a++];
    return a;
}

/* Names the lists of coordinates for 64 pairs that list_of() makes. */
typedef enum lists { NO_LIST, ERNIE, GREEDY, IMROPE, MROPE, RANDOM_LIST, ONE_AXIS } lists;

/* Makes openPangu's order, as mrope_interleaved.py of vLLM's ports has it, with t forced to the
   last pair. A pair gets a coordinate that the previous pair does not have. Of these, it gets
   the one that has received the smallest part of its pairs. */
static void greedy(const size_t *sections, size_t pairs, uint8_t *list)
{
    const size_t most[3] = {sections[0] - 1, sections[1], sections[2]};
    size_t got[3] = {0};
    for (size_t i = 0; i + 1 < pairs; i++) {
        size_t best = 3;
        for (size_t relaxed = 0; relaxed < 2 && best == 3;
             relaxed++) /* 1: if only the coordinate of the previous pair is left */
            for (size_t a = 0; a < 3; a++)
                if (got[a] < most[a] && (relaxed || i == 0 || list[i - 1] != a) &&
                    (best == 3 || got[a] * most[best] < got[best] * most[a]))
                    best = a;
        list[i] = (uint8_t)best;
        got[best]++;
    }
    list[pairs - 1] = 0;
}

static const uint8_t *list_of(lists which, const size_t *sections, rng *r)
{
    static uint8_t list[64];
    if (which == NO_LIST) return NULL;
    const size_t all = sections[0] + sections[1] + sections[2];
    if (which == GREEDY) greedy(sections, 64, list);
    for (size_t i = 0; i < 64 && which != GREEDY; i++) {
        const size_t s = all ? i % all : 0, third = s % 3; /* ggml begins again behind the last */
        switch (which) {
        case ERNIE: /* modeling_ernie4_5_vl.py: y and x by turns, then t */
            list[i] = i < 44 ? (uint8_t)(1 + i % 2) : 0;
            break;
        case IMROPE: /* ggml: pairs that no section has are the fourth position's, which is 0 */
            list[i] = s / 3 < sections[third] ? (uint8_t)third : 255;
            break;
        case MROPE: /* ggml */
            list[i] = s < sections[0] ? 0 : s < sections[0] + sections[1] ? 1 : 2;
            break;
        case RANDOM_LIST: list[i] = rng_below(r, 5) ? (uint8_t)rng_below(r, 4) : 255; break;
        default: list[i] = i % 5 ? 0 : 255; break;
        }
    }
    return list;
}

/* Checks ERNIE 4.5 VL at (t, y, x) = (9, 3, 1003) against numbers that its formula gives in double.
   The plans come from RoPE's config, from a config of rows, from the caller's frequencies, and with
   angles as float32 code computes them. */
static void coordinates_of_pairs(void **state)
{
    enum { N = 128, H = N / 2 };
    static unsigned char memory[PE_PLAN_BYTES(N)];
    static const int32_t point[3] = {9, 3, 1003};
    const pe_at at = pe_coords_i32(point, 3, 3, 1);
    const size_t sections[3] = {22, 22, 20}, grid[3] = {2, 2, 2};
    const pe_heads one = lie(1, N, N);
    uint8_t list[H];
    double omega[H];
    float c[H], s[H], c_want[H], s_want[H], x[8 * N] = {0};
    pe_rope_config rope = pe_rope_config_default(N);
    pe_config config = pe_config_default(N);
    pe_plan plan;
    (void)state;
    memcpy(list, list_of(ERNIE, sections, NULL), sizeof list);
    rope.rope_theta = config.base = 500000, rope.axes = config.axes = 3;
    rope.coordinate = config.coordinate = list;
    rope.expected_rows = config.expected_rows = 1;
    config.layout = PE_LAYOUT_HALVES;
    assert_int_equal(pe_rope_frequencies(&rope, omega, NULL), PE_OK);
    for (int k = 0; k < 5; k++) {
        const pe_angle angle = k < 3 ? PE_ANGLE_EXACT : PE_ANGLE_FLOAT32;
        rope.angle = config.angle = angle;
        list[3] = k == 2 ? 255 : 2;
        if (k % 3 == 0)
            assert_int_equal(pe_rope_plan_init(&plan, &rope, memory, sizeof memory), PE_OK);
        else if (k == 1)
            assert_int_equal(pe_plan_init(&plan, &config, memory, sizeof memory), PE_OK);
        else
            assert_int_equal(
                pe_plan_init_frequencies(&plan, &config, omega, H, memory, sizeof memory), PE_OK);
        memset(list, 77, sizeof list); /* the plan has a copy */
        assert_int_equal(pe_rope_table_f32(&plan, at, 1, PE_ROPE_TABLE_APART, c, s, H, NULL),
                         PE_OK);
        memcpy(list, list_of(ERNIE, sections, NULL), sizeof list);
        for (size_t i = 0; i < H && k != 2; i++) {
            const double p = point[list[i]], w = k < 3 ? omega[i] : (double)((float)omega[i]);
            const double t = k < 3 ? p * w : (double)((float)p * (float)w);
            assert_true(fabs((double)c[i] - cos(t)) < 1.2e-7 &&
                        fabs((double)s[i] - sin(t)) < 1.2e-7);
        }
        if (k == 0) {
            memcpy(c_want, c, sizeof c), memcpy(s_want, s, sizeof s);
            assert_true(fabs((double)c[7] - 0.999975916) < 4e-8);  /* x */
            assert_true(fabs((double)c[16] - 0.993642786) < 4e-8); /* y */
        }
        if (k == 2) {
            assert_true(c[3] == 1 && s[3] == 0 && c_want[3] != 1);
            c[3] = c_want[3], s[3] = s_want[3];
        }
        if (k == 1 || k == 2) {
            assert_memory_equal(c, c_want, sizeof c);
            assert_memory_equal(s, s_want, sizeof s);
        }
        assert_int_equal(pe_rope_f32(&plan, pe_grid(grid, 3), 8, x, one), PE_OK);
        assert_int_equal(pe_rope_f32(&plan, pe_coords_i32(point, 2, 2, 1), 1, x, one),
                         PE_ERR_AT_AXES);
        assert_int_equal(pe_fill_f32(&plan, at, 1, x, N), PE_ERR_PLAN_ROWS);
        assert_int_equal(pe_shift_f32(&plan, at, 1, x, N), PE_ERR_PLAN_SHIFT);
    }
}

/* Tests that lists with numbers that are no coordinate are refused, and so are fields that do not
   go with a list, and memory that is too small. */
static void bad_coordinates_of_pairs(void **state)
{
    enum { N = 128, H = N / 2 };
    static unsigned char memory[PE_PLAN_BYTES(N)];
    const size_t sections[3] = {22, 22, 20};
    uint8_t list[H];
    pe_rope_config rope = pe_rope_config_default(N);
    pe_config config = pe_config_default(N);
    pe_plan plan;
    (void)state;
    memcpy(list, list_of(ERNIE, sections, NULL), sizeof list);
    rope.rope_theta = config.base = 500000, rope.axes = config.axes = 3;
    rope.coordinate = config.coordinate = list;
    config.layout = PE_LAYOUT_HALVES;
    assert_int_equal(pe_rope_plan_init(&plan, &rope, memory, pe_rope_plan_size(&rope) - 1),
                     PE_ERR_MEMORY);
    assert_int_equal(pe_plan_init(&plan, &config, memory, pe_plan_size(&config) - 1),
                     PE_ERR_MEMORY);
    for (int k = 0; k < 9; k++) {
        pe_rope_config r = rope;
        pe_config f = config;
        if (k == 0) list[H - 1] = 3;
        if (k == 1) list[0] = 254;
        if (k == 2) r.sections[1] = 1, f.d_model = N - 1;
        if (k == 3) r.section_order = PE_SECTIONS_INTERLEAVED, f.columns = PE_COLUMNS_JOINED;
        if (k == 4) r.section_order = PE_SECTIONS_VISION, f.columns = PE_COLUMNS_SUMS;
        if (k == 5) r.axes = f.axes = 2;
        if (k == 6) r.axes = f.axes = 0;
        if (k == 7) r.axes = f.axes = PE_MAX_AXES + 1;
        if (k == 8) r.axes = f.axes = 1, list[1] = 1, f.has_padding = 1;
        assert_non_null(pe_rope_config_error(&r));
        assert_non_null(pe_config_error(&f));
        assert_int_equal(pe_rope_plan_init(&plan, &r, memory, sizeof memory), PE_ERR_CONFIG);
        assert_int_equal(pe_plan_init(&plan, &f, memory, sizeof memory), PE_ERR_CONFIG);
        assert_int_equal(pe_rope_plan_size(&r), 0);
        memcpy(list, list_of(ERNIE, sections, NULL), sizeof list);
    }
}

/* Lists the sections, orders and lists of test_sections(). */
static const struct {
    size_t sections[4], axes;
    pe_sections order;
    pe_rope_type type;
    lists list;
} section_cases[] = {
    {{22, 22, 20}, 3, PE_SECTIONS_BLOCKS, PE_ROPE_DEFAULT, ERNIE},
    {{24, 20, 20}, 3, PE_SECTIONS_BLOCKS, PE_ROPE_DEFAULT, GREEDY},
    {{16, 24, 24}, 3, PE_SECTIONS_BLOCKS, PE_ROPE_YARN, GREEDY},
    {{24, 20, 20}, 3, PE_SECTIONS_BLOCKS, PE_ROPE_DEFAULT, IMROPE},
    {{22, 21, 21}, 3, PE_SECTIONS_BLOCKS, PE_ROPE_DEFAULT, GREEDY},
    {{6, 6, 6}, 3, PE_SECTIONS_BLOCKS, PE_ROPE_DEFAULT, IMROPE}, /* ggml's tests */
    {{6, 6, 6}, 3, PE_SECTIONS_BLOCKS, PE_ROPE_DEFAULT, MROPE},
    {{30, 10, 9}, 3, PE_SECTIONS_BLOCKS, PE_ROPE_DEFAULT, IMROPE},
    {{0}, 4, PE_SECTIONS_BLOCKS, PE_ROPE_LLAMA3, RANDOM_LIST},
    {{0}, 1, PE_SECTIONS_BLOCKS, PE_ROPE_DEFAULT, ONE_AXIS},
    {{16, 24, 24}, 3, PE_SECTIONS_BLOCKS, PE_ROPE_DEFAULT, NO_LIST},      /* Qwen2-VL */
    {{24, 20, 20}, 3, PE_SECTIONS_INTERLEAVED, PE_ROPE_DEFAULT, NO_LIST}, /* Qwen3-VL */
    {{0, 40, 0, 24}, 4, PE_SECTIONS_BLOCKS, PE_ROPE_DEFAULT, NO_LIST},
    {{32, 32}, 2, PE_SECTIONS_BLOCKS, PE_ROPE_YARN, NO_LIST},
    {{60, 2, 2}, 3, PE_SECTIONS_INTERLEAVED, PE_ROPE_LLAMA3, NO_LIST},
    {{64}, 1, PE_SECTIONS_BLOCKS, PE_ROPE_DEFAULT, NO_LIST},
    {{64}, 1, PE_SECTIONS_INTERLEAVED, PE_ROPE_LINEAR, NO_LIST},
    {{64}, 1, PE_SECTIONS_VISION, PE_ROPE_DEFAULT, NO_LIST},
    {{32, 32}, 2, PE_SECTIONS_VISION, PE_ROPE_DEFAULT, NO_LIST}, /* vision towers */
    {{16, 16, 16, 16}, 4, PE_SECTIONS_VISION, PE_ROPE_NTK, NO_LIST},
    {{1, 63}, 2, PE_SECTIONS_BLOCKS, PE_ROPE_DEFAULT, NO_LIST},
    {{33, 31}, 2, PE_SECTIONS_INTERLEAVED, PE_ROPE_DEFAULT, NO_LIST},
    /* only 21 pairs can have the second coordinate, not 40, and 34 get the first, not 7 */
    {{7, 40, 9}, 3, PE_SECTIONS_INTERLEAVED, PE_ROPE_DEFAULT, NO_LIST}};

/* Holds the sine and cosine that each pair needs, for tokens of text and of an image with three
   heads. */
enum {
    WIDTH = 128,
    PAIRS = WIDTH / 2,
    IMAGE_TOKENS = 45,
    IMAGE_ELEMENTS = IMAGE_TOKENS * 3 * WIDTH
};
static float sine_of[IMAGE_TOKENS][PAIRS], cosine_of[IMAGE_TOKENS][PAIRS];

static void image_positions(int64_t *positions, size_t axes, rng *r)
{
    for (size_t t = 0; t < IMAGE_TOKENS; t++) /* text, then an image of rows of 5, then far away */
        for (size_t c = 0; c < axes; c++)
            positions[c * IMAGE_TOKENS + t] = t < 10   ? (int64_t)t
                                              : t < 35 ? 10 + (int64_t)(c == 0   ? 0
                                                                        : c == 1 ? (t - 10) / 5
                                                                                 : (t - 10) % 5)
                                                       : rng_position(r) / 2;
}

/* Fills sine_of and cosine_of using a plan of one coordinate, once for each coordinate. */
static void expect_pairs(const pe_rope_config *config, const pe_rope_config *alone,
                         const int64_t *positions)
{
    const size_t axes = config->axes;
    owned_plan like;
    reference_plan(&like, alone);
    for (size_t t = 0; t < IMAGE_TOKENS; t++)
        for (size_t c = 0; c <= 255; c += c + 1 == axes ? 256 - axes : 1) {
            float row_s[PAIRS], row_c[PAIRS];
            const int still = c == 255;
            sines_at(&like.plan,
                     still ? pe_all(-(int64_t)alone->offset)
                           : pe_all(positions[c * IMAGE_TOKENS + t]),
                     row_s, row_c);
            for (size_t i = 0; i < PAIRS; i++) {
                size_t number;
                if (coordinate_of(config, i, PAIRS, &number) != c) continue;
                sine_of[t][i] = row_s[number], cosine_of[t][i] = row_c[number];
            }
        }
    plan_free(&like);
}

/* Compares heads of floats in each form of the call, and heads of f16, with turn(). */
static void compare_heads(const pe_plan *plan, pe_at at, float sign, rng *r)
{
    static float x[IMAGE_ELEMENTS], want[IMAGE_ELEMENTS], out[IMAGE_ELEMENTS];
    static uint16_t h[IMAGE_ELEMENTS], h_want[IMAGE_ELEMENTS];
    const pe_heads lies = lie(3, WIDTH, 3 * WIDTH);
    fill_random(F32, x, IMAGE_ELEMENTS, r);
    fill_random(F16, h, IMAGE_ELEMENTS, r);
    memcpy(want, x, sizeof x);
    memcpy(h_want, h, sizeof h);
    for (size_t j = 0; j < 3 * IMAGE_TOKENS; j++) {
        const float *const s = sine_of[j / 3], *const c = cosine_of[j / 3];
        turn(F32, plan->layout, s, c, sign, WIDTH, want + j * WIDTH);
        turn(F16, plan->layout, s, c, sign, WIDTH, h_want + j * WIDTH);
    }
    assert_int_equal(pe_rope_to_f32(plan, at, IMAGE_TOKENS, WIDTH, x, lies, out, lies), PE_OK);
    assert_memory_equal(out, want, sizeof want);
    memcpy(out, x, sizeof x);
    assert_int_equal(pe_rope_qk_f32(plan, at, IMAGE_TOKENS, x, lies, out, lies), PE_OK);
    assert_memory_equal(x, want, sizeof x);
    assert_memory_equal(out, want, sizeof x);
    assert_int_equal(pe_rope_f16(plan, at, IMAGE_TOKENS, h, lies), PE_OK);
    assert_memory_equal(h, h_want, sizeof h);
}

/* Compares rows of pe_fill, in the layout of the heads, if the plan has rows. Otherwise it checks
   that they are refused. */
static void compare_filled_rows(const pe_rope_config *config, const pe_plan *plan, pe_at at,
                                float sign)
{
    static float a[IMAGE_TOKENS * WIDTH];
    const int woven = config->axes > 1 && config->section_order == PE_SECTIONS_INTERLEAVED;
    const pe_status rows = config->coordinate || woven ? PE_ERR_PLAN_ROWS : PE_OK;
    assert_int_equal(pe_fill_f32(plan, at, IMAGE_TOKENS, a, WIDTH), rows);
    for (size_t t = 0; t < IMAGE_TOKENS && rows == PE_OK; t++)
        for (size_t i = 0; i < PAIRS; i++) {
            const float *const row = a + t * WIDTH;
            assert_true(row[first_of(config->layout, i)] == sign * sine_of[t][i]);
            assert_true(row[second_of(config->layout, i, WIDTH)] == cosine_of[t][i]);
        }
}

/* Compares a table in this layout. If the table is in two arrays, it is also compared with the
   other array first. */
static void compare_table(const pe_plan *plan, pe_at at, int layout, float sign)
{
    static float a[IMAGE_TOKENS * WIDTH], b[IMAGE_TOKENS * WIDTH];
    static float first[IMAGE_TOKENS * WIDTH], second[IMAGE_TOKENS * WIDTH];
    const int apart = layout <= PE_ROPE_TABLE_TWICE;
    const size_t columns = layout == PE_ROPE_TABLE_APART ? PAIRS : WIDTH;
    assert_int_equal(pe_rope_table_f32(plan, at, IMAGE_TOKENS, (pe_rope_table_layout)layout, a,
                                       apart ? b : NULL, WIDTH, NULL),
                     PE_OK);
    for (size_t t = 0; t < IMAGE_TOKENS; t++)
        for (size_t e = 0; e < columns; e++) {
            const size_t i = layout == PE_ROPE_TABLE_APART     ? e
                             : layout == PE_ROPE_TABLE_TWICE   ? pair_of(plan->layout, e, WIDTH)
                             : layout == PE_ROPE_TABLE_COMPLEX ? e / 2
                                                               : e % PAIRS;
            const float s = sign * sine_of[t][i];
            const int is_sine = layout == PE_ROPE_TABLE_COMPLEX  ? e % 2 == 1
                                : layout == PE_ROPE_TABLE_JOINED ? e >= PAIRS
                                                                 : 0;
            assert_true(a[t * WIDTH + e] == (is_sine ? s : cosine_of[t][i]));
            if (apart) assert_true(b[t * WIDTH + e] == s);
        }
    if (!apart) return;
    memcpy(first, a, sizeof a);
    memcpy(second, b, sizeof b);
    assert_int_equal(
        pe_rope_table_f32(plan, at, IMAGE_TOKENS, (pe_rope_table_layout)layout, b, a, WIDTH, NULL),
        PE_OK);
    for (size_t t = 0; t < IMAGE_TOKENS; t++) {
        assert_memory_equal(b + t * WIDTH, first + t * WIDTH, columns * sizeof *b);
        assert_memory_equal(a + t * WIDTH, second + t * WIDTH, columns * sizeof *a);
    }
}

/* Compares sections of each order, pair by pair, with plans of one coordinate. The calls are in
   place and out of place, forward, back and as differences, and tables are also compared. */
static void test_sections(void **state)
{
    rng r = rng_for("test_sections");
    (void)state;
    for (size_t k = 0; k < 2 * LENGTH(section_cases); k++) {
        const size_t axes = section_cases[k / 2].axes, *sections = section_cases[k / 2].sections;
        pe_rope_config config = config_of_type(section_cases[k / 2].type, WIDTH, WIDTH), alone;
        owned_plan p;
        int64_t positions[4 * IMAGE_TOKENS];
        config.rope_theta = 1e6;
        config.layout = (pe_layout)(k % 2);
        config.axes = axes;
        config.section_order = section_cases[k / 2].order;
        config.coordinate = list_of(section_cases[k / 2].list, sections, &r);
        if (!config.coordinate) memcpy(config.sections, sections, sizeof section_cases->sections);
        config.offset = k % 3 == 0 ? 2 : 0;
        config.attention_factor = k % 4 == 0 ? 1.1 : 0;
        alone = config, alone.axes = 1, alone.coordinate = NULL;
        if (config.section_order == PE_SECTIONS_VISION)
            alone.head_dim = alone.rotary_dim = WIDTH / axes;
        rope_plan(&p, &config);
        assert_int_equal(p.plan.d_model, WIDTH);
        assert_int_equal(p.plan.pairs, PAIRS);
        assert_int_equal(p.plan.axes, axes);
        image_positions(positions, axes, &r);
        for (int way = 0; way < 4; way++) { /* forwards, back, differences, these back */
            const pe_at list = pe_coords_i64(positions, axes, 1, IMAGE_TOKENS);
            const pe_at turned = way & 2 ? pe_delta(list) : list;
            const pe_at at = way & 1 ? pe_back(turned) : turned;
            const float sign = way & 1 ? -1 : 1;
            if (way == 2) alone.offset = 0, alone.attention_factor = 1;
            if (way % 2 == 0) expect_pairs(&config, &alone, positions);
            compare_heads(&p.plan, at, sign, &r);
            compare_filled_rows(&config, &p.plan, at, sign);
            for (int layout = 0; layout < 4; layout++) compare_table(&p.plan, at, layout, sign);
        }
        plan_free(&p);
    }
}

/* Tests lists of any length with both inits, also with frequencies that are known as fractions.
   Frequencies, tables and heads are compared, pair by pair, with rows of a plan without a list. */
static void test_lists_of_any_length(void **state)
{
    static const size_t widths[] = {2, 4, 34, 66, 128, 510, 512, 514, 1300};
    enum { MOST = 1300, ROWS = 39, TURNS = 6 };
    static uint8_t list[MOST / 2];
    static float want[ROWS][MOST], got[ROWS][MOST], x[ROWS][MOST];
    static uint16_t want_16[ROWS][MOST], got_16[ROWS][MOST];
    static double omega[MOST / 2], like_omega[MOST / 2];
    rng r = rng_for("test_lists_of_any_length");
    (void)state;
    for (size_t k = 0; k < TURNS * LENGTH(widths); k++) {
        const size_t n = widths[k / TURNS], h = n / 2, axes = 1 + rng_below(&r, PE_MAX_AXES),
                     turn = k % TURNS;
        int64_t points[ROWS][PE_MAX_AXES];
        pe_config config = config_of(n, turn % 2 ? 43046721 : 10000, turn == 2 ? -1.5 : 1), one;
        owned_plan p, like;
        config.layout = PE_LAYOUT_HALVES;
        config.half_turns = turn % 2;
        config.offset = turn == 3 ? 0.5 : 0;
        config.angle = turn == 4 ? PE_ANGLE_FLOAT32 : PE_ANGLE_EXACT;
        config.expected_rows = turn == 5;
        one = config, one.layout = PE_LAYOUT_INTERLEAVED;
        plan_of(&like, one);
        for (size_t i = 0; i < h; i++)
            list[i] = (uint8_t)(turn < 3 ? i % axes : rng_below(&r, 9) ? rng_below(&r, axes) : 255);
        for (size_t t = 0; t < ROWS; t++) /* runs, what repeats, and any */
            for (size_t a = 0; a < PE_MAX_AXES; a++)
                points[t][a] =
                    t % 16 == 7 ? rng_position(&r) / 2 : (int64_t)(a % 2 ? t : t / 5) - 3;
        config.axes = axes, config.coordinate = list;
        if (turn == 0) {
            assert_int_equal(pe_plan_frequencies(&like.plan, like_omega), PE_OK);
            p.memory_bytes = pe_plan_size(&config), p.memory = must_alloc(p.memory_bytes);
            assert_int_equal(
                pe_plan_init_frequencies(&p.plan, &config, like_omega, h, p.memory, p.memory_bytes),
                PE_OK);
            plan_free(&like);
            p.config = one;
            like.memory_bytes = pe_plan_size(&one), like.memory = must_alloc(like.memory_bytes);
            assert_int_equal(pe_plan_init_frequencies(&like.plan, &one, like_omega, h, like.memory,
                                                      like.memory_bytes),
                             PE_OK);
        } else {
            plan_of(&p, config);
        }
        assert_true(p.memory_bytes <= PE_PLAN_BYTES(n) || config.expected_rows == 0);
        assert_int_equal(pe_plan_frequencies(&like.plan, like_omega), PE_OK);
        assert_int_equal(pe_plan_frequencies(&p.plan, omega), PE_OK);
        assert_memory_equal(omega, like_omega, h * sizeof *omega);
        for (size_t t = 0; t < ROWS; t++)
            for (size_t a = 0; a <= axes; a++) {
                const pe_at at = a < axes ? pe_all(points[t][a]) : pe_delta(pe_all(0));
                float *const f = x[0];
                uint16_t *const g = got_16[0];
                assert_int_equal(pe_fill_f32(&like.plan, at, 1, f, n), PE_OK);
                assert_int_equal(pe_fill_bf16(&like.plan, at, 1, g, n), PE_OK);
                for (size_t i = 0; i < h; i++) {
                    if (list[i] != (a < axes ? a : 255)) continue;
                    const float still = (float)config.amplitude;
                    want[t][i] = a < axes ? f[2 * i + 1] : still;
                    want[t][h + i] = a < axes ? f[2 * i] : 0 * still;
                    want_16[t][i] = a < axes ? g[2 * i + 1] : turn == 2 ? 0xbfc0 : 0x3f80;
                    want_16[t][h + i] = a < axes ? g[2 * i] : turn == 2 ? 0x8000 : 0;
                }
            }
        const pe_at at = pe_coords_i64(points[0], axes, PE_MAX_AXES, 1);
        assert_int_equal(
            pe_rope_table_f32(&p.plan, at, ROWS, PE_ROPE_TABLE_JOINED, got[0], NULL, MOST, NULL),
            PE_OK);
        assert_int_equal(pe_rope_table_bf16(&p.plan, at, ROWS, PE_ROPE_TABLE_JOINED, got_16[0],
                                            NULL, MOST, NULL),
                         PE_OK);
        for (size_t t = 0; t < ROWS; t++)
            for (size_t i = 0; i < MOST; i++) x[t][i] = i < h ? 1 : 0;
        assert_int_equal(pe_rope_f32(&p.plan, at, ROWS, x[0], lie(1, 0, MOST)), PE_OK);
        for (size_t t = 0; t < ROWS; t++) {
            assert_memory_equal(got[t], want[t], n * sizeof(float));
            assert_memory_equal(got_16[t], want_16[t], n * sizeof(uint16_t));
            for (size_t i = 0; i < n; i++) assert_true(x[t][i] == want[t][i]);
        }
        plan_free(&p);
        plan_free(&like);
    }
}

/* Checks one coordinate with a plan of several axes: all axes have this coordinate. Where the
   frequencies continue over the sections, the bits are those of a plan without sections. */
static void test_one_coordinate(void **state)
{
    enum { N = 48, TOKENS = 9, ALL = TOKENS * N };
    rng r = rng_for("test_one_coordinate");
    (void)state;
    for (unsigned k = 0; k < 3 * 2; k++) {
        pe_rope_config config = pe_rope_config_default(N);
        config.layout = (pe_layout)(k % 2);
        config.offset = 0.5;
        config.axes = 3;
        config.section_order = (pe_sections)(k / 2);
        for (size_t a = 0; a < 3; a++) config.sections[a] = 8;
        owned_plan p, plain;
        rope_plan(&p, &config);
        config.axes = 1;
        rope_plan(&plain, &config);
        float x[ALL], got[ALL], want[ALL], real[TOKENS], points[3 * TOKENS];
        int64_t list[TOKENS], three[3 * TOKENS];
        for (size_t t = 0; t < TOKENS; t++) {
            list[t] = rng_position(&r) / 2;
            real[t] = (float)rng_below(&r, 4000) / 8 - 100;
            for (size_t a = 0; a < 3; a++)
                three[a * TOKENS + t] = list[t], points[3 * t + a] = real[t];
        }
        const pe_at one[] = {pe_at_i64(list), pe_at_f32(real), pe_delta(pe_at_i64(list)),
                             pe_back(pe_at_f32(real)), pe_coords_i64(list, 1, 1, 0)};
        const pe_at all[] = {pe_coords_i64(three, 3, 1, TOKENS), pe_coords_f32(points, 3, 3, 1),
                             pe_delta(pe_coords_i64(three, 3, 1, TOKENS)),
                             pe_back(pe_coords_f32(points, 3, 3, 1)),
                             pe_coords_i64(three, 3, 1, TOKENS)};
        for (size_t m = 0; m < LENGTH(one); m++) {
            fill_random(F32, x, ALL, &r);
            memcpy(got, x, sizeof x), memcpy(want, x, sizeof x);
            assert_int_equal(pe_rope_f32(&p.plan, one[m], TOKENS, got, lie(1, N, N)), PE_OK);
            assert_int_equal(pe_rope_f32(&p.plan, all[m], TOKENS, want, lie(1, N, N)), PE_OK);
            assert_memory_equal(got, want, sizeof want);
            if (k / 2 == PE_SECTIONS_VISION) continue;
            memcpy(want, x, sizeof x);
            assert_int_equal(pe_rope_f32(&plain.plan, one[m], TOKENS, want, lie(1, N, N)), PE_OK);
            assert_memory_equal(got, want, sizeof want);
        }
        memcpy(got, x, sizeof x), memcpy(want, x, sizeof x); /* also a range */
        for (size_t t = 0; t < TOKENS; t++)
            for (size_t a = 0; a < 3; a++) three[a * TOKENS + t] = 70 - 3 * (int64_t)t;
        assert_int_equal(pe_rope_f32(&p.plan, pe_from_by(70, -3), TOKENS, got, lie(1, N, N)),
                         PE_OK);
        assert_int_equal(pe_rope_f32(&p.plan, all[0], TOKENS, want, lie(1, N, N)), PE_OK);
        assert_memory_equal(got, want, sizeof want);
        plan_free(&p);
        plan_free(&plain);
    }
}

/* Tests one coordinate on plans of a pe_config with several axes, with MPFR. There are blocks
   whose frequencies do not continue where those of the previous block end, joined blocks, and
   sums over the coordinates. The single row of such sums is no row of frequencies. One token and
   several are tested, at different positions or all at the same one. */
static void test_one_coordinate_of_axes(void **state)
{
    enum { AXES = 3, EACH = 10, H = AXES * EACH, N = 2 * H, TOKENS = 5 };
    static const struct {
        pe_columns columns;
        pe_layout layout;
    } cases[] = {{PE_COLUMNS_BLOCKS, PE_LAYOUT_INTERLEAVED},
                 {PE_COLUMNS_JOINED, PE_LAYOUT_INTERLEAVED},
                 {PE_COLUMNS_JOINED, PE_LAYOUT_HALVES},
                 {PE_COLUMNS_SUMS, PE_LAYOUT_INTERLEAVED},
                 {PE_COLUMNS_SUMS, PE_LAYOUT_HALVES}};
    rng r = rng_for("test_one_coordinate_of_axes");
    mpfr_t angle, s, c;
    (void)state;
    mpfr_inits2(400, angle, s, c, (mpfr_ptr)NULL);
    for (size_t k = 0; k < LENGTH(cases); k++) {
        const int sums = cases[k].columns == PE_COLUMNS_SUMS;
        static double memory[1 << 13], omega[H * AXES];
        pe_config config = pe_config_default(N);
        pe_plan plan;
        config.axes = AXES, config.columns = cases[k].columns, config.layout = cases[k].layout;
        for (size_t i = 0; i < LENGTH(omega); i++) omega[i] = rng_unit(&r);
        assert_int_equal(pe_plan_init_frequencies(&plan, &config, omega, H, memory, sizeof memory),
                         PE_OK);
        for (size_t way = 0; way < 3; way++) { /* a range; one position for all; a list */
            const int64_t first = (int64_t)rng_below(&r, 100000), step = way == 1 ? 0 : 3;
            int64_t list[TOKENS];
            for (size_t t = 0; t < TOKENS; t++) list[t] = first + step * (int64_t)t;
            const pe_at at = way == 2 ? pe_at_i64(list) : pe_from_by(first, step);
            for (size_t tokens = 1; tokens <= TOKENS; tokens += TOKENS - 1) {
                float x[TOKENS * N], want[TOKENS * N], cosines[TOKENS * N], sines[TOKENS * N];
                fill_random(F32, x, TOKENS * N, &r);
                memcpy(want, x, sizeof x);
                assert_int_equal(pe_rope_f32(&plan, at, tokens, x, lie(1, N, N)), PE_OK);
                assert_int_equal(pe_rope_table_f32(&plan, at, tokens, PE_ROPE_TABLE_TWICE, cosines,
                                                   sines, N, NULL),
                                 PE_OK);
                for (size_t t = 0; t < tokens; t++) {
                    float sine[H], cosine[H];
                    for (size_t i = 0; i < H; i++) {
                        mpfr_set_d(angle, omega[sums ? i * AXES : i], MPFR_RNDN);
                        for (size_t a = 1; a < AXES && sums; a++)
                            mpfr_add_d(angle, angle, omega[i * AXES + a], MPFR_RNDN);
                        mpfr_mul_si(angle, angle, (long)list[t], MPFR_RNDN);
                        mpfr_sin_cos(s, c, angle, MPFR_RNDN);
                        sine[i] = mpfr_get_flt(s, MPFR_RNDN);
                        cosine[i] = mpfr_get_flt(c, MPFR_RNDN);
                    }
                    turn(F32, config.layout, sine, cosine, 1, N, want + t * N);
                    for (size_t i = 0; i < N; i++) {
                        const size_t pair = pair_of(config.layout, i, N);
                        assert_true(cosines[t * N + i] == cosine[pair]);
                        assert_true(sines[t * N + i] == sine[pair]);
                    }
                }
                assert_memory_equal(x, want, sizeof x);
            }
        }
    }
    mpfr_clears(angle, s, c, (mpfr_ptr)NULL);
}

static const double some_reals[] = {0.5,    -0.5,        1.5,          100.5,
                                    2047.5, -16777216.5, 2147483646.5, 0x1p-30,
                                    1e-300, -1 / 3.0,    1234567.891,  2147483647.999};

/* Tests real positions, some of them with a half. MPFR computes the exact product of position
   and frequency. */
static void test_real_positions(void **state)
{
    enum { N = 64, H = N / 2, TOKENS = 24 };
    static const double amplitudes[] = {1, 1.25};
    rng r = rng_for("test_real_positions");
    mpfr_t angle, s, c;
    (void)state;
    mpfr_inits2(400, angle, s, c, (mpfr_ptr)NULL);
    for (size_t k = 0; k < 4; k++) {
        double omega[H], reals[TOKENS];
        float floats[TOKENS], in[TOKENS * N], want[TOKENS * N], got[TOKENS * N], sine[H], cosine[H];
        pe_rope_config config = pe_rope_config_default(N);
        owned_plan p;
        config.rope_theta = 500000;
        config.layout = (pe_layout)(k % 2);
        config.attention_factor = amplitudes[k / 2];
        rope_plan(&p, &config);
        assert_int_equal(pe_rope_frequencies(&config, omega, NULL), PE_OK);
        for (size_t t = 0; t < TOKENS; t++) {
            reals[t] = t < LENGTH(some_reals) ? some_reals[t]
                                              : (double)rng_position(&r) / 2 + rng_unit(&r);
            floats[t] = (float)reals[t];
        }
        for (int kind = 0; kind < 4; kind++) { /* f64, f32, points of one coordinate, back */
            const pe_at at = kind == 0   ? pe_at_f64(reals)
                             : kind == 1 ? pe_at_f32(floats)
                             : kind == 2 ? pe_coords_f64(reals, 1, 1, 1)
                                         : pe_back(pe_at_f64(reals));
            fill_random(F32, in, TOKENS * N, &r);
            memcpy(want, in, sizeof in), memcpy(got, in, sizeof in);
            for (size_t t = 0; t < TOKENS; t++) {
                for (size_t i = 0; i < H; i++) {
                    mpfr_set_d(angle, omega[i], MPFR_RNDN);
                    mpfr_mul_d(angle, angle, kind == 1 ? (double)floats[t] : reals[t], MPFR_RNDN);
                    mpfr_sin_cos(s, c, angle, MPFR_RNDN);
                    mpfr_mul_d(s, s, amplitudes[k / 2], MPFR_RNDN);
                    mpfr_mul_d(c, c, amplitudes[k / 2], MPFR_RNDN);
                    sine[i] = mpfr_get_flt(s, MPFR_RNDN), cosine[i] = mpfr_get_flt(c, MPFR_RNDN);
                }
                turn(F32, config.layout, sine, cosine, kind == 3 ? -1 : 1, N, want + t * N);
            }
            assert_int_equal(pe_rope_f32(&p.plan, at, TOKENS, got, lie(1, N, N)), PE_OK);
            for (size_t i = 0; i < TOKENS * N; i++)
                if (got[i] != want[i])
                    fail_msg("position %a, element %zu: %a, not %a", reals[i / N], i % N,
                             (double)got[i], (double)want[i]);
        }
        plan_free(&p);
    }
    mpfr_clears(angle, s, c, (mpfr_ptr)NULL);
}

/* Tests positions with an offset. The position is the sum of a real position and the offset in
   double, rounded once. */
static void test_real_positions_with_an_offset(void **state)
{
    enum { N = 64, TOKENS = 24 };
    rng r = rng_for("test_real_positions_with_an_offset");
    (void)state;
    for (size_t k = 0; k < 4; k++) {
        double reals[TOKENS];
        float want[N], got[N];
        pe_rope_config config = pe_rope_config_default(N);
        owned_plan p;
        config.rope_theta = 500000;
        config.layout = (pe_layout)(k % 2);
        config.attention_factor = k / 2 ? 1.25 : 1;
        for (size_t t = 0; t < TOKENS; t++)
            reals[t] = t < LENGTH(some_reals) ? some_reals[t]
                                              : (double)rng_position(&r) / 2 + rng_unit(&r);
        config.offset = 0x1p20 + 0x1p-20;
        rope_plan(&p, &config);
        for (size_t t = 0; t < TOKENS; t++) {
            volatile double sum = reals[t] / 1024 + config.offset;
            reals[t] /= 1024;
            config.offset = 0;
            owned_plan none;
            rope_plan(&none, &config);
            fill_random(F32, want, N, &r);
            memcpy(got, want, N * sizeof *got);
            const double exact = sum;
            assert_int_equal(pe_rope_f32(&p.plan, pe_at_f64(&reals[t]), 1, got, lie(1, N, N)),
                             PE_OK);
            assert_int_equal(pe_rope_f32(&none.plan, pe_at_f64(&exact), 1, want, lie(1, N, N)),
                             PE_OK);
            assert_memory_equal(got, want, N * sizeof *got);
            plan_free(&none);
            config.offset = 0x1p20 + 0x1p-20;
        }
        plan_free(&p);
    }
}

/* Compares places of every kind with the list of their positions, in every type. Also divides the
   tokens between calls, at any token, with pe_skip(). */
static void test_places(void **state)
{
    enum { N = 40, TOKENS = 60, ALL = TOKENS * 2 * N };
    static unsigned char in[ALL * 4], want[ALL * 4], got[ALL * 4];
    rng r = rng_for("test_places");
    owned_plan p[2];
    (void)state;
    plans_make(p, N, 10000, 1);
    for (size_t k = 0; k < 2 * (workload(160) / 2 + 8); k++) {
        const type t = (type)(k % TYPES);
        const pe_plan *const plan = &p[k % 2].plan;
        const pe_heads lies = lie(2, N, 2 * N);
        int64_t list[TOKENS], first = rng_position(&r) / 4, step;
        int32_t narrow[TOKENS];
        float floats[TOKENS];
        double doubles[TOKENS], spread[3 * TOKENS];
        const size_t kind = k / 2 % 8, sizes[1] = {TOKENS};
        static const int64_t steps[] = {-1, 0, 1, 2, -3, 17, 4913, -1000003};
        step = steps[rng_below(&r, LENGTH(steps))];
        if (kind == 7) first = 0, step = 1;
        if (kind == 3) first /= 65536, step %= 1000; /* so that floats hold the positions exactly */
        for (size_t m = 0; m < TOKENS; m++) {
            list[m] = kind < 2 || kind == 7 || rng_below(&r, 4) != 0
                          ? first + step * (int64_t)m
                          : rng_position(&r) / (kind == 3 ? INT64_C(1) << 10 : 1);
            if (kind == 3) list[m] %= 1 << 24;
            if (list[m] > INT32_MAX) list[m] = INT32_MAX;
            narrow[m] = (int32_t)list[m], floats[m] = (float)list[m];
            doubles[m] = spread[3 * m] = (double)list[m];
        }
        const pe_at kinds[] = {pe_from_by(first, step),
                               pe_skip(pe_from_by(first - 9 * step, step), 9),
                               pe_at_i32(narrow),
                               pe_at_f32(floats),
                               pe_at_f64(doubles),
                               pe_coords_f64(spread, 1, 3, 1),
                               pe_coords_i32(narrow, 1, 1, 5),
                               pe_grid(sizes, 1)};
        const pe_at plain = kinds[kind], of_list = pe_at_i64(list);
        const unsigned way = (unsigned)rng_below(&r, 4);
        const pe_at moved = way & 2 ? pe_delta(plain) : plain,
                    at = way & 1 ? pe_back(moved) : moved;
        const pe_at moved_list = way & 2 ? pe_delta(of_list) : of_list;
        fill_random(t, in, ALL, &r);
        memcpy(want, in, sizeof in), memcpy(got, in, sizeof in);
        assert_int_equal(
            rope_at(t, plan, way & 1 ? pe_back(moved_list) : moved_list, TOKENS, want, lies),
            PE_OK);
        assert_int_equal(rope_at(t, plan, at, TOKENS, got, lies), PE_OK);
        if (memcmp(got, want, ALL * bytes_of(t)) != 0)
            fail_msg("kind %zu, way %u, first %" PRId64 ", step %" PRId64 ", %s", kind, way, first,
                     step, type_names[t]);
        memcpy(got, in, sizeof in);
        for (size_t done = 0, n; done < TOKENS; done += n) {
            n = 1 + rng_below(&r, TOKENS - done);
            assert_int_equal(
                rope_at(t, plan, pe_skip(at, done), n, got + done * 2 * N * bytes_of(t), lies),
                PE_OK);
        }
        assert_memory_equal(got, want, ALL * bytes_of(t));
        /* pe_back() twice changes nothing; the order of these calls does not matter */
        memcpy(got, in, sizeof in);
        assert_int_equal(rope_at(t, plan, pe_back(pe_back(pe_skip(at, 0))), TOKENS, got, lies),
                         PE_OK);
        assert_memory_equal(got, want, ALL * bytes_of(t));
        memcpy(got, in, sizeof in);
        const pe_at back = way & 1 ? pe_back(plain) : plain;
        assert_int_equal(rope_at(t, plan, pe_skip(pe_skip(way & 2 ? pe_delta(back) : back, 0), 0),
                                 TOKENS, got, lies),
                         PE_OK);
        assert_memory_equal(got, want, ALL * bytes_of(t));
    }
    plans_free(p);
}

/* Checks pe_back(pe_delta(at)), the rotation by -p without offset and amplitude, against MPFR's
   cosines. It undoes a rotation by the same differences except for roundings. */
static void test_undone(void **state)
{
    enum { N = 32, H = N / 2, TOKENS = 40 };
    rng r = rng_for("test_undone");
    (void)state;
    for (int layout = 0; layout < 2; layout++) {
        pe_config config = config_of(N, 10000, 1.7);
        owned_plan p;
        oracle o;
        config.offset = 1000.5;
        config.layout = (pe_layout)layout;
        plan_of(&p, config);
        oracle_make(&o, "test_undone", N, 10000, 1);
        for (size_t m = 0; m < TOKENS; m++) {
            const int64_t position = m < 32 ? hard_positions[m] : rng_position(&r);
            const pe_at at = pe_delta(pe_all(m % 2 ? position : -position));
            const double t = (double)(m % 2 ? position : -position);
            float x[N], got[N], want[N], s[H], c[H];
            for (size_t i = 0; i < H; i++) {
                oracle_pair(&o, (int64_t)t, i);
                s[i] = mpfr_get_flt(o.element[0], MPFR_RNDN);
                c[i] = mpfr_get_flt(o.element[1], MPFR_RNDN);
            }
            fill_random(F32, x, N, &r);
            memcpy(got, x, sizeof x), memcpy(want, x, sizeof x);
            assert_int_equal(pe_rope_f32(&p.plan, pe_back(at), 1, got, lie(1, N, N)), PE_OK);
            turn(F32, config.layout, s, c, -1, N, want);
            assert_memory_equal(got, want, sizeof want);
            assert_int_equal(pe_rope_f32(&p.plan, at, 1, got, lie(1, N, N)), PE_OK);
            for (size_t i = 0; i < H; i++) {
                const size_t a = first_of(config.layout, i), b = second_of(config.layout, i, N);
                const double size = hypot((double)x[a], (double)x[b]) + 1e-30;
                assert_true(hypot((double)got[a] - (double)x[a], (double)got[b] - (double)x[b]) <
                            6 / 16777216.0 * size); /* see test_inverse */
            }
        }
        oracle_free(&o);
        plan_free(&p);
    }
}

/* Holds heads whose axes are blocks in the halves layout, 7 tokens of 3 heads, and their cosines
   and sines. */
enum {
    BLOCK_TOKENS = 7,
    BLOCK_HEADS = 3,
    BLOCK_MOST = 512,
    BLOCK_ALL = BLOCK_TOKENS * BLOCK_HEADS
};
static struct {
    const size_t *width; /* of each axis */
    size_t axes, n, dim;
    float c[BLOCK_TOKENS][BLOCK_MOST / 2], s[BLOCK_TOKENS][BLOCK_MOST / 2];
    unsigned char in[BLOCK_ALL * (BLOCK_MOST + 3) * 4], x[BLOCK_ALL * (BLOCK_MOST + 3) * 4],
        want[BLOCK_ALL * (BLOCK_MOST + 3) * 4];
} block;

static pe_heads block_heads(void) { return lie(BLOCK_HEADS, block.dim, BLOCK_HEADS * block.dim); }

/* Compares heads of a type with turn(), in place or in another array. */
static void compare_blocks(const pe_plan *plan, pe_at at, type t, int to, int how, rng *r)
{
    const size_t *const width = block.width;
    fill_random(t, block.in, BLOCK_ALL * block.dim, r);
    memcpy(block.x, block.in, sizeof block.x), memcpy(block.want, block.in, sizeof block.want);
    for (size_t token = 0; token < BLOCK_ALL; token++)
        for (size_t a = 0, column = 0; a < block.axes; column += width[a++])
            turn(t, PE_LAYOUT_HALVES, block.s[token / BLOCK_HEADS] + column / 2,
                 block.c[token / BLOCK_HEADS] + column / 2, 1, width[a],
                 block.want + (token * block.dim + column) * bytes_of(t));
    if (to) memset(block.x, CANARY, sizeof block.x);
    turn_all(t, plan, at, BLOCK_TOKENS, block.dim, to ? block.in : NULL, block_heads(), block.x,
             block_heads());
    if (memcmp(block.x, block.want, BLOCK_ALL * block.dim * bytes_of(t)) != 0)
        fail_msg("%s in blocks of %zu, %zu, %zu, kind %d, to %d", type_names[t], width[0], width[1],
                 width[2], how, to);
}

/* Compares heads that are stored one after the other, each with all its tokens, and queries and
   keys of floats that one call rotates. */
static void compare_other_orders(const pe_plan *plan, pe_at at, rng *r)
{
    const size_t dim = block.dim, bytes = dim * sizeof(float);
    const pe_heads where = block_heads();
    fill_random(F32, block.in, BLOCK_ALL * dim, r);
    for (size_t i = 0; i < BLOCK_ALL; i++)
        memcpy(block.x + (i % BLOCK_HEADS * BLOCK_TOKENS + i / BLOCK_HEADS) * bytes,
               block.in + i * bytes, bytes);
    turn_all(F32, plan, at, BLOCK_TOKENS, dim, NULL, where, block.in, where);
    turn_all(F32, plan, at, BLOCK_TOKENS, dim, NULL, where, block.x,
             lie(BLOCK_HEADS, BLOCK_TOKENS * dim, dim));
    for (size_t i = 0; i < BLOCK_ALL; i++)
        assert_memory_equal(block.x + (i % BLOCK_HEADS * BLOCK_TOKENS + i / BLOCK_HEADS) * bytes,
                            block.in + i * bytes, bytes);
    fill_random(F32, block.in, BLOCK_ALL * dim, r);
    memcpy(block.x, block.in, sizeof block.x), memcpy(block.want, block.in, sizeof block.want);
    turn_all(F32, plan, at, BLOCK_TOKENS, dim, NULL, where, block.want, where);
    float *const heads = (float *)(void *)block.x;
    assert_int_equal(pe_rope_qk_f32(plan, at, BLOCK_TOKENS, heads, lie(2, dim, BLOCK_HEADS * dim),
                                    heads + 2 * dim, lie(1, dim, BLOCK_HEADS * dim)),
                     PE_OK);
    assert_memory_equal(block.x, block.want, BLOCK_ALL * bytes);
}

/* Returns whether a row of a table has the cosine c and the sine s of pair i, which is pair j of
   the axis at a column. */
static int has_pair(int order, const float *row, const float *row_s, size_t i, size_t second,
                    size_t first, float c, float s)
{
    switch (order) {
    case PE_ROPE_TABLE_APART: return row[i] == c && row_s[i] == s;
    case PE_ROPE_TABLE_TWICE:
        return row[first] == c && row_s[first] == s && row[second] == c && row_s[second] == s;
    case PE_ROPE_TABLE_JOINED: return row[i] == c && row[block.n / 2 + i] == s;
    case PE_ROPE_TABLE_COMPLEX: return row[2 * i] == c && row[2 * i + 1] == s;
    default:
        return row[4 * i] == c && row[4 * i + 1] == -s && row[4 * i + 2] == s &&
               row[4 * i + 3] == c;
    }
}

/* Compares a table: its pairs follow each other within a block, and so do the blocks. In
   PE_ROPE_TABLE_TWICE, each element of a head has its own copy. */
static void compare_block_table(const pe_plan *plan, pe_at at, int order)
{
    static float table_c[BLOCK_TOKENS * 2 * BLOCK_MOST], table_s[BLOCK_TOKENS * 2 * BLOCK_MOST];
    const int two = order <= PE_ROPE_TABLE_TWICE;
    const size_t n = block.n, stride = order == PE_ROPE_TABLE_MATRIX ? 2 * n : n;
    memset(table_c, CANARY, sizeof table_c);
    assert_int_equal(pe_rope_table_f32(plan, at, BLOCK_TOKENS, (pe_rope_table_layout)order, table_c,
                                       two ? table_s : NULL, stride, NULL),
                     PE_OK);
    for (size_t t = 0; t < BLOCK_TOKENS; t++)
        for (size_t a = 0, i = 0, column = 0; a < block.axes; column += block.width[a++])
            for (size_t j = 0; j < block.width[a] / 2; j++, i++)
                assert_true(has_pair(order, table_c + t * stride, table_s + t * stride, i,
                                     column + j + block.width[a] / 2, column + j, block.c[t][i],
                                     block.s[t][i]));
}

/* Checks heads in which each axis has a block with halves of its own, against turn() with MPFR's
   cosines and sines. Gemma 4's vision tower, Allegro and ChatGLM-6B have such heads. */
static void test_blocks(void **state)
{
    static const size_t widths[][3] = {{2, 2, 0},    {8, 8, 0},    {16, 24, 40}, {30, 34, 0},
                                       {64, 64, 0},  {32, 32, 32}, {128, 2, 62}, {212, 300, 0},
                                       {16, 16, 0},  {32, 32, 0},  {96, 32, 0},  {64, 64, 64},
                                       {192, 192, 0}};
    rng r = rng_for("test_blocks");
    (void)state;
    for (size_t k = 0; k < LENGTH(widths) * 6; k++) {
        const size_t *const width = widths[k / 6], axes = width[2] ? 3 : 2;
        const int how =
            (int)(k % 6); /* 0 points, 1 back, 2 differences, 3 the same back, 4 one coordinate */
        const int delta = how == 2 || how == 3, back = how % 2;
        const double amplitude = how == 0 ? 1.0 : 1.25;
        pe_config config = config_of(width[0] + width[1] + width[2], 10000, amplitude);
        int64_t points[BLOCK_TOKENS * 3];
        pe_at at = pe_coords_i64(points, axes, axes, 1);
        owned_plan p;
        oracle o[3];
        block.width = width, block.axes = axes;
        block.n = config.d_model, block.dim = block.n + k % 3;
        config.axes = axes, config.layout = PE_LAYOUT_HALVES;
        for (size_t a = 0; a < axes; a++) {
            config.axis[a].width = width[a], config.axis[a].coordinate = axes - 1 - a;
            oracle_make(&o[a], "test_blocks", width[a], 10000, delta ? 1 : amplitude);
        }
        plan_of(&p, config);
        for (size_t i = 0; i < BLOCK_TOKENS * axes; i++)
            points[i] = (int64_t)rng_below(&r, i % 2 ? 64 : 1000000) - (i % 3 == 0 ? 32 : 0);
        if (how == 4) at = pe_from(points[0]);
        for (size_t t = 0; t < BLOCK_TOKENS; t++)
            for (size_t a = 0, column = 0; a < axes; column += width[a++] / 2) {
                const int64_t position =
                    how == 4 ? points[0] + (int64_t)t : points[t * axes + axes - 1 - a];
                exact_row(&o[a], back ? -position : position, block.c[t] + column,
                          block.s[t] + column);
            }
        if (delta) at = pe_delta(at);
        if (back) at = pe_back(at);
        for (int t = 0; t < TYPES; t++)
            for (int to = 0; to < 2; to++) compare_blocks(&p.plan, at, (type)t, to, how, &r);
        compare_other_orders(&p.plan, at, &r);
        for (int order = PE_ROPE_TABLE_APART; order <= PE_ROPE_TABLE_MATRIX; order++)
            compare_block_table(&p.plan, at, order);
        for (size_t a = 0; a < axes; a++) oracle_free(&o[a]);
        free(p.memory);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sections),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(coordinates_of_pairs),
        cmocka_unit_test(bad_coordinates_of_pairs),
        cmocka_unit_test(test_lists_of_any_length),
        cmocka_unit_test(test_one_coordinate),
        cmocka_unit_test(test_real_positions),
        cmocka_unit_test(test_real_positions_with_an_offset),
        cmocka_unit_test(test_one_coordinate_of_axes),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_undone),
    };
    test_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
