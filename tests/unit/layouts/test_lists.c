/* SPDX-License-Identifier: MIT */
/*
 * Proves that pairs with a coordinate each, and axes in blocks of halves, rotate by the sines and
 * cosines of their formula, computed with MPFR. It tests tables of every type, and heads of every
 * type in both layouts, forward and back, with random plans, lists and places. It also compares
 * ERNIE's numbers with those of other orders.
 */
#include "../turn.h"

enum { BITS = 700, PAIRS = 130, ROWS = 12, HEADS = 3, TAIL = 3 };

/* Tells how a plan is made: by pe_plan_init(), by pe_rope_plan_init(), or from given
   frequencies. */
typedef enum how { BY_BASE, BY_ROPE, BY_NUMBERS, HOWS } how;

/* Holds a plan, and for each of its pairs the coordinate, the frequency and the elements. */
typedef struct kase {
    how how;
    int blocks; /* 1: each axis is a block of halves; 0: a list has the coordinate of each pair */
    size_t pairs, axes, real;
    uint8_t list[PAIRS]; /* the coordinate of each pair; 255: none, the angle is 0 */
    /* BY_BASE: the frequency of pair i is base^(-2 index[i] / width[i]). Both are those of its
       block, or of all pairs if there are no blocks. */
    size_t index[PAIRS],
        width[PAIRS];    /* index: the number of the pair in the block; width: its elements */
    double omega[PAIRS]; /* the frequencies, except BY_BASE */
    size_t first[PAIRS], second[PAIRS]; /* the two elements of a head that are each pair */
    pe_config config;
    pe_rope_config rope;
    pe_plan plan;
    void *memory;
} kase;

/* Computes the frequency w of pair i. It is exact if it was given, or if base^(-2 index / width)
   fits the precision. */
static void frequency(const kase *k, size_t i, mpfr_t w)
{
    if (k->how != BY_BASE) {
        mpfr_set_d(w, k->omega[i], MPFR_RNDN);
        return;
    }
    const size_t common = oracle_gcd(2 * k->index[i], k->width[i]);
    mpfr_set_d(w, k->config.base, MPFR_RNDN);
    mpfr_pow_ui(w, w, (unsigned long)(2 * k->index[i] / common), MPFR_RNDN);
    mpfr_rootn_ui(w, w, (unsigned long)(k->width[i] / common), MPFR_RNDN);
    mpfr_ui_div(w, 1, w, MPFR_RNDN);
}

/* Computes the sine and cosine of pair i at the coordinates of a point, times the amplitude. */
static void formula(const kase *k, size_t i, const double *point, mpfr_t sine, mpfr_t cosine)
{
    const pe_config *const c = &k->config;
    mpfr_t y;
    mpfr_init2(y, BITS);
    if (k->list[i] == 255) mpfr_set_zero(y, 1);
    else {
        frequency(k, i, y);
        mpfr_mul_d(y, y, point[k->list[i]] + c->offset, MPFR_RNDN);
        mpfr_mul_d(y, y, c->scale, MPFR_RNDN);
    }
    mpfr_mul_2ui(sine, y, 1, MPFR_RNDN); /* with half_turns, 2 y is the number of quarter turns */
    if (c->half_turns && mpfr_integer_p(sine)) {
        const int quarter = ((int)fmod(mpfr_get_d(sine, MPFR_RNDN), 4) + 4) % 4;
        mpfr_set_si(sine, quarter == 1 ? 1 : quarter == 3 ? -1 : 0, MPFR_RNDN);
        mpfr_set_si(cosine, quarter == 0 ? 1 : quarter == 2 ? -1 : 0, MPFR_RNDN);
    } else {
        if (c->half_turns) {
            mpfr_const_pi(sine, MPFR_RNDN);
            mpfr_mul(y, y, sine, MPFR_RNDN);
        }
        mpfr_sin_cos(sine, cosine, y, MPFR_RNDN);
    }
    mpfr_mul_d(sine, sine, c->amplitude, MPFR_RNDN);
    mpfr_mul_d(cosine, cosine, c->amplitude, MPFR_RNDN);
    mpfr_clear(y);
}

/* Fails the test unless element i of a row of type t is x, rounded once. */
static void must_be(const kase *k, type t, const void *row, size_t i, const mpfr_t x,
                    const char *what)
{
    static const int precision[] = {24, 11, 8}, least[] = {-148, -23, -132},
                     most[] = {128, 16, 128};
    const mpfr_exp_t low = mpfr_get_emin(), high = mpfr_get_emax();
    mpfr_t y;
    mpfr_init2(y, precision[t]);
    mpfr_set_emin(least[t]), mpfr_set_emax(most[t]);
    int inexact = mpfr_set(y, x, MPFR_RNDN);
    inexact = mpfr_check_range(y, inexact, MPFR_RNDN);
    mpfr_subnormalize(y, inexact, MPFR_RNDN);
    const double want = mpfr_get_d(y, MPFR_RNDN), got = (double)get(t, row, i);
    mpfr_clear(y);
    mpfr_set_emin(low), mpfr_set_emax(high);
    if (got != want)
        fail_msg("%s of pair %zu of %zu, %s, %s, made by way %d: %a, not %a", what, i % PAIRS,
                 k->pairs, type_names[t], k->blocks ? "blocks" : "a list", (int)k->how, got, want);
}

/* ---- random plans ---------------------------------------------------------------------------- */

static double some_base(rng *r)
{
    static const double bases[] = {10000, 500000, 1e6, 100, 256, 43046721};
    return bases[rng_below(r, LENGTH(bases))];
}

/* Chooses the coordinate of each pair: in turn, in equal blocks, or at random, where about one pair
   in six has none. The frequencies and elements are those of a plan with one axis. */
static void list_of_pairs(kase *k, rng *r)
{
    const size_t kind = rng_below(r, 4);
    for (size_t i = 0; i < k->pairs; i++) {
        k->list[i] = (uint8_t)(kind == 0         ? i % k->axes
                               : kind == 1       ? i * k->axes / k->pairs
                               : rng_below(r, 6) ? rng_below(r, k->axes)
                                                 : 255);
        k->index[i] = i, k->width[i] = 2 * k->pairs;
        k->first[i] = first_of(k->config.layout, i);
        k->second[i] = second_of(k->config.layout, i, 2 * k->pairs);
    }
}

/* Chooses blocks of any widths. If `whole` is not 0, each block has this number of pairs, which is
   a power of two, so that blocks can fill whole vectors. */
static void blocks_of_pairs(kase *k, rng *r, size_t whole)
{
    size_t done = 0;
    for (size_t a = 0; a < k->axes; a++) {
        const size_t left = k->pairs - done - (k->axes - 1 - a);
        const size_t n = whole              ? whole
                         : a + 1 == k->axes ? left
                                            : 1 + rng_below(r, left < 48 ? left : 48);
        k->config.axis[a].width = 2 * n;
        k->config.axis[a].coordinate = (a + 1) % k->axes;
        for (size_t i = 0; i < n; i++) {
            k->list[done + i] = (uint8_t)((a + 1) % k->axes);
            k->index[done + i] = i, k->width[done + i] = 2 * n;
            k->first[done + i] = 2 * done + first_of(k->config.layout, i);
            k->second[done + i] = 2 * done + second_of(k->config.layout, i, 2 * n);
        }
        done += n;
    }
}

static pe_status plan_it(kase *k)
{
    pe_config *const c = &k->config;
    if (!k->blocks) c->coordinate = k->list;
    if (k->how != BY_ROPE) {
        const size_t size = pe_plan_size(c);
        k->memory = must_alloc(size);
        return k->how == BY_BASE
                   ? pe_plan_init(&k->plan, c, k->memory, size)
                   : pe_plan_init_frequencies(&k->plan, c, k->omega, k->pairs, k->memory, size);
    }
    pe_rope_config *const rope = &k->rope;
    *rope = pe_rope_config_default(2 * k->pairs);
    rope->rope_theta = c->base, rope->axes = k->axes, rope->coordinate = k->list,
    rope->layout = c->layout;
    rope->offset = c->offset, rope->expected_rows = c->expected_rows;
    c->scale = c->amplitude = 1, c->half_turns = 0;
    const size_t size = pe_rope_plan_size(rope);
    k->memory = must_alloc(size);
    assert_int_equal(pe_rope_frequencies(rope, k->omega, NULL), PE_OK);
    return pe_rope_plan_init(&k->plan, rope, k->memory, size);
}

static void random_plan(kase *k, rng *r, size_t which)
{
    static const double amplitudes[] = {1, 1, 1.5, -0.75}, scales[] = {1, 1, 0.5, 0.37};
    pe_config *const c = &k->config;
    k->blocks = which % 2 == 1;
    k->how = (how)(which / 2 % HOWS);
    if (k->blocks && k->how == BY_ROPE) k->how = BY_BASE;
    k->axes = 1 + rng_below(r, 4);
    const size_t whole = k->blocks && rng_below(r, 2) ? (size_t)4 << rng_below(r, 4) : 0;
    k->pairs = whole ? k->axes * whole : k->axes + rng_below(r, which % 5 ? 40 : PAIRS - 4);
    *c = pe_config_default(2 * k->pairs);
    c->base = some_base(r);
    c->axes = k->axes;
    c->layout = k->blocks || rng_below(r, 2) ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
    c->amplitude = amplitudes[rng_below(r, 4)], c->scale = scales[rng_below(r, 4)];
    c->half_turns = rng_below(r, 4) == 0;
    c->offset = rng_below(r, 3) ? 0 : 0.5;
    c->expected_rows = rng_below(r, 3) * 100 / 2;
    if (k->blocks) blocks_of_pairs(k, r, whole);
    else list_of_pairs(k, r);
    for (size_t i = 0; i < k->pairs; i++) k->omega[i] = ldexp(rng_unit(r), -(int)rng_below(r, 12));
    assert_int_equal(plan_it(k), PE_OK);
}

/* Returns random points of ROWS rows. Three quarters of the coordinates are small, and repeat or
   count up from row to row; the others are anywhere. The points are written as integers to whole[]
   and as doubles to real[]. In a third of the calls the doubles are no integers. */
static pe_at random_places(const kase *k, rng *r, int64_t *whole, double *real)
{
    const size_t kind = rng_below(r, 3);
    for (size_t t = 0; t < ROWS; t++)
        for (size_t a = 0; a < k->axes; a++) {
            const int64_t p =
                rng_below(r, 4) == 0 ? rng_position(r) / 2 : (int64_t)(a % 2 ? t : t / 3) - 2;
            whole[t * k->axes + a] = p;
            real[t * k->axes + a] = kind == 0 ? (double)p / 16 + 0.3 : (double)p;
        }
    if (kind == 2) return pe_coords_i64(whole, k->axes, k->axes, 1);
    return pe_coords_f64(real, k->axes, k->axes, 1);
}

/* ---- tables and heads ------------------------------------------------------------------------ */

static pe_status table_of(type t, const pe_plan *plan, pe_at at, pe_rope_table_layout order,
                          void *c, void *s, size_t stride)
{
    return t == F32 ? pe_rope_table_f32(plan, at, ROWS, order, (float *)c, (float *)s, stride, NULL)
           : t == F16 ? pe_rope_table_f16(plan, at, ROWS, order, (uint16_t *)c, (uint16_t *)s,
                                          stride, NULL)
                      : pe_rope_table_bf16(plan, at, ROWS, order, (uint16_t *)c, (uint16_t *)s,
                                           stride, NULL);
}

/* Tests that tables of every layout have the sines s and cosines c, which are PAIRS a row, where
   the layout puts them. */
static void compare_layouts(const kase *k, type t, pe_at at, const void *s, const void *c)
{
    enum { ALL = ROWS * (4 * PAIRS + 1) };
    static float room[2 * ALL];
    const size_t h = k->pairs, e = bytes_of(t);
    for (int order = PE_ROPE_TABLE_APART; order <= PE_ROPE_TABLE_MATRIX; order++)
        for (int back = 0; back < 2; back++) { /* 1: the sines are first in memory */
            const size_t stride = (order == PE_ROPE_TABLE_APART ? h : 4 * h) + (size_t)back;
            const int two = order <= PE_ROPE_TABLE_TWICE, matrix = order == PE_ROPE_TABLE_MATRIX;
            const int turns = order == PE_ROPE_TABLE_COMPLEX, twice = order == PE_ROPE_TABLE_TWICE;
            unsigned char *const x = (unsigned char *)room, *const y = x + ALL * e;
            unsigned char *const cosines = two && back ? y : x, *const sines = back ? x : y;
            assert_int_equal(table_of(t, &k->plan, at, (pe_rope_table_layout)order, cosines,
                                      two ? sines : NULL, stride),
                             PE_OK);
            for (size_t row = 0; row < ROWS; row++)
                for (size_t i = 0; i < h; i++) {
                    const size_t from = PAIRS * row + i, first = row * stride;
                    const size_t a = matrix ? 4 * i : turns ? 2 * i : twice ? k->first[i] : i;
                    const size_t b = matrix ? 4 * i + 2 : turns ? 2 * i + 1 : two ? a : h + i;
                    const size_t again = twice ? k->second[i] : matrix ? 4 * i + 3 : a;
                    const size_t other = twice ? k->second[i] : b;
                    const void *const sine = two ? sines : cosines;
                    assert_true(get(t, cosines, first + a) == get(t, c, from));
                    assert_true(get(t, cosines, first + again) == get(t, c, from));
                    assert_true(get(t, sine, first + b) == get(t, s, from));
                    assert_true(get(t, sine, first + other) == get(t, s, from));
                    if (matrix) assert_true(get(t, cosines, first + b - 1) == -get(t, s, from));
                }
        }
}

static pe_status rotate(type t, const pe_plan *plan, pe_at at, void *x, pe_heads heads)
{
    return t == F32   ? pe_rope_f32(plan, at, ROWS, (float *)x, heads)
           : t == F16 ? pe_rope_f16(plan, at, ROWS, (uint16_t *)x, heads)
                      : pe_rope_bf16(plan, at, ROWS, (uint16_t *)x, heads);
}

/* Rotates one head by the sines and cosines of a row. Each element is the sum of two products,
   which are rounded first. */
static void turn_pairs(const kase *k, type t, const float *s, const float *c, int back,
                       unsigned char *head)
{
    for (size_t i = 0; i < k->pairs; i++) {
        const float a = get(t, head, k->first[i]), b = get(t, head, k->second[i]),
                    sine = back ? 0 - s[i] : s[i];
        put(t, head, k->first[i], product_f32(a, c[i]) - product_f32(b, sine));
        put(t, head, k->second[i], product_f32(b, c[i]) + product_f32(a, sine));
    }
}

static void compare_heads(const kase *k, rng *r, pe_at at, const float *s, const float *c)
{
    static float x[ROWS * HEADS * (2 * PAIRS + TAIL)], y[ROWS * HEADS * (2 * PAIRS + TAIL)];
    const size_t dim = 2 * k->pairs + rng_below(r, TAIL + 1), row = HEADS * dim;
    for (int n = 0; n < TYPES; n++) {
        const type t = (type)n;
        const int back = (int)rng_below(r, 2);
        fill_random(t, x, ROWS * row, r);
        memcpy(y, x, ROWS * row * bytes_of(t));
        assert_int_equal(rotate(t, &k->plan, back ? pe_back(at) : at, x, lie(HEADS, dim, row)),
                         PE_OK);
        for (size_t h = 0; h < ROWS * HEADS; h++)
            turn_pairs(k, t, s + h / HEADS * PAIRS, c + h / HEADS * PAIRS, back,
                       (unsigned char *)y + h * dim * bytes_of(t));
        for (size_t i = 0; i < ROWS * row; i++)
            if (get(t, x, i) != get(t, y, i))
                fail_msg("element %zu of a head of %zu, %s, %s, made by way %d: %a, not %a",
                         i % dim, dim, type_names[t], k->blocks ? "blocks" : "a list", (int)k->how,
                         (double)get(t, x, i), (double)get(t, y, i));
    }
}

static void pairs_by_their_formula(void **state)
{
    static float c[TYPES][ROWS * PAIRS], s[TYPES][ROWS * PAIRS];
    rng r = rng_for("pairs_by_their_formula");
    mpfr_t sine, cosine;
    (void)state;
    mpfr_inits2(BITS, sine, cosine, (mpfr_ptr)NULL);
    for (size_t n = 0; n < workload(960); n++) {
        int64_t whole[ROWS * 4];
        double real[ROWS * 4];
        kase k;
        random_plan(&k, &r, n);
        const pe_at at = random_places(&k, &r, whole, real);
        for (int t = 0; t < TYPES; t++)
            assert_int_equal(table_of((type)t, &k.plan, at, PE_ROPE_TABLE_APART, c[t], s[t], PAIRS),
                             PE_OK);
        for (size_t row = 0; row < ROWS; row++)
            for (size_t i = 0; i < k.pairs; i++) {
                formula(&k, i, real + row * k.axes, sine, cosine);
                for (int t = 0; t < TYPES; t++) {
                    must_be(&k, (type)t, s[t], row * PAIRS + i, sine, "the sine");
                    must_be(&k, (type)t, c[t], row * PAIRS + i, cosine, "the cosine");
                }
            }
        for (int t = 0; t < TYPES; t++) compare_layouts(&k, (type)t, at, s[t], c[t]);
        compare_heads(&k, &r, at, s[F32], c[F32]);
        free(k.memory);
    }
    mpfr_clears(sine, cosine, (mpfr_ptr)NULL);
}

/* Checks cosines of ERNIE 4.5 VL at (t, y, x) = (7429, 3, 1003), with 22, 22 and 20 pairs. Its list
   gives pair 7 the coordinate x, and pair 16 the coordinate y. With sections in blocks both pairs
   have t, and with interleaved sections both have y. */
static void ernie_beside_sections(void **state)
{
    enum { N = 128 };
    static unsigned char memory[PE_PLAN_BYTES(N)];
    static const int32_t point[3] = {7429, 3, 1003};
    static const int axis[3][2] = {
        {2, 1}, {0, 0}, {1, 1}}; /* the two pairs' coordinates: a list, blocks, interleaved */
    static const size_t pairs[2] = {7, 16}, sections[3] = {22, 22, 20};
    static const double published[3][2] = {
        {0.999975916, 0.993642786}, {-0.98, -0.97}, {0.76, 0.993642786}};
    uint8_t list[N / 2];
    (void)state;
    for (size_t i = 0; i < N / 2; i++) list[i] = (uint8_t)(i < 44 ? 1 + i % 2 : 0);
    for (int k = 0; k < 3; k++) {
        float c[N / 2], s[N / 2];
        pe_rope_config rope = pe_rope_config_default(N);
        pe_plan plan;
        rope.rope_theta = 500000, rope.axes = 3, rope.expected_rows = 1;
        rope.coordinate = k == 0 ? list : NULL;
        for (size_t a = 0; a < 3 && k > 0; a++) rope.sections[a] = sections[a];
        if (k == 2) rope.section_order = PE_SECTIONS_INTERLEAVED;
        assert_int_equal(pe_rope_plan_init(&plan, &rope, memory, sizeof memory), PE_OK);
        assert_int_equal(pe_rope_table_f32(&plan, pe_coords_i32(point, 3, 3, 1), 1,
                                           PE_ROPE_TABLE_APART, c, s, N / 2, NULL),
                         PE_OK);
        for (int j = 0; j < 2; j++) {
            const size_t i = pairs[j];
            const double angle = point[axis[k][j]] * pow(500000, -2.0 * (double)i / N);
            const double close =
                k == 0 || (k == 2 && j == 1) ? 5e-10 : 5e-3; /* nine or two published digits */
            assert_true(fabs(cos(angle) - published[k][j]) < close);
            assert_true(fabs((double)c[i] - cos(angle)) < 4e-8 &&
                        fabs((double)s[i] - sin(angle)) < 4e-8);
        }
    }
}

/* Tests that a list whose length is not d_model / 2 is refused and not read. The list is flush
   against a page that faults. */
static void short_lists_are_not_read(void **state)
{
    enum { N = 128, GIVEN = 48 };
    const size_t lengths[] = {1, GIVEN, N / 2 - 1, N / 2 + 1, SIZE_MAX};
    guarded g = guarded_make(N);
    pe_config c = pe_config_default(N);
    (void)state;
    FAIL_ON_FAULT();
    memset(g.begin, 0, (size_t)(g.end - g.begin));
    for (size_t k = 0; k < 2 * LENGTH(lengths); k++) {
        unsigned char memory[PE_PLAN_BYTES(N)];
        pe_plan plan;
        c.coordinate = k < LENGTH(lengths) ? g.end - GIVEN : NULL;
        c.coordinate_length = lengths[k % LENGTH(lengths)];
        c.expected_rows = 1;
        fault_case("%zu numbers", c.coordinate_length);
        assert_memory_equal(pe_config_error(&c), "coordinate has coordinate_length numbers", 40);
        assert_int_equal(pe_plan_size(&c), 0);
        assert_int_equal(pe_plan_init(&plan, &c, memory, sizeof memory), PE_ERR_CONFIG);
    }
    c.coordinate = g.end - N / 2, c.coordinate_length = N / 2;
    assert_null(pe_config_error(&c));
    guarded_free(&g);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_by_their_formula),
        cmocka_unit_test(short_lists_are_not_read),
        cmocka_unit_test(ernie_beside_sections),
    };
    test_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
