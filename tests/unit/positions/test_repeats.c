/* SPDX-License-Identifier: MIT */
/*
 * Proves that in long lists whose positions repeat, each row is that of its position (MPFR), in any
 * order. The rows are filled in every type, and in tables of every order and type. There is one
 * axis, axes in blocks, or axes that share columns. Positions are integers and reals, negative ones
 * and padding, skipped into, back, and with an offset. Rows are flush against inaccessible pages,
 * and nothing beside them is written.
 */
#include "../types.h"

enum {
    D = 26,
    PAIRS = D / 2,
    POOL = 400,
    MOST = 760,
    F64 = TYPES,
    ALL_TYPES,
    AXES = 3,
    LONGEST = 2 * D + 3
};
typedef enum kind { ONE, BLOCKS, JOINT, KINDS } kind;
static const char *const kind_names[KINDS] = {"one axis", "axes in blocks", "sections"};
static const size_t axis_pairs[AXES] = {3, 4, 6};

static size_t bytes_of(int t) { return t == F64 ? sizeof(double) : size_of((type)t); }

/* Stores an exact number, which is rounded to odd, as an element of the type. */
static void put_exact(int t, unsigned char *to, const mpfr_t exact)
{
    double x = mpfr_get_d(exact, t == F64 ? MPFR_RNDN : MPFR_RNDZ);
    if (t == F32) {
        const float f = mpfr_get_flt(exact, MPFR_RNDN);
        memcpy(to, &f, sizeof f);
    } else if (t == F64) {
        memcpy(to, &x, sizeof x);
    } else {
        uint64_t bits;
        memcpy(&bits, &x, sizeof bits);
        bits |= mpfr_cmp_d(exact, x) != 0; /* to odd */
        memcpy(&x, &bits, sizeof x);
        const uint16_t h = nearest_16(&type_formats[t], x);
        memcpy(to, &h, sizeof h);
    }
}

/* Returns the axis of a pair. *begin is the first pair of that axis. */
static size_t axis_of(kind k, size_t pair, size_t *begin)
{
    size_t a = 0;
    *begin = 0;
    while (k != ONE && pair >= *begin + axis_pairs[a]) *begin += axis_pairs[a++];
    return a;
}

/* Holds the sine and cosine of each pair at each position of a pool, as bytes of a type. expect()
   fills it. */
static unsigned char want_of[POOL][PAIRS][2][sizeof(double)];
static void expect(kind k, int t, const double *turns, size_t n, double amplitude)
{
    oracle o[AXES];
    for (size_t a = 0; a < AXES; a++)
        oracle_make(&o[a], "test_repeats", k == BLOCKS ? 2 * axis_pairs[a] : (size_t)D, 10000,
                    amplitude);
    /* The frequencies of a RoPE plan are rounded to doubles. */
    for (size_t i = 0; k == JOINT && i < AXES * PAIRS; i++) {
        mpfr_t *const f = &o[i / PAIRS].frequencies[i % PAIRS];
        mpfr_set_d(*f, mpfr_get_d(*f, MPFR_RNDN), MPFR_RNDN);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t pair = 0; pair < PAIRS; pair++) {
            size_t begin;
            oracle *const by = &o[axis_of(k, pair, &begin)];
            mpfr_mul_d(by->angle, by->frequencies[k == BLOCKS ? pair - begin : pair], turns[i],
                       MPFR_RNDN);
            const int inexact = mpfr_sin_cos(by->sine, by->cosine, by->angle, MPFR_RNDZ);
            oracle_to_odd(by->sine, inexact & 3);
            oracle_to_odd(by->cosine, inexact >> 2);
            mpfr_mul_d(by->element[0], by->sine, amplitude, MPFR_RNDN);
            mpfr_mul_d(by->element[1], by->cosine, amplitude, MPFR_RNDN);
            for (size_t c = 0; c < 2; c++) put_exact(t, want_of[i][pair][c], by->element[c]);
        }
    for (size_t a = 0; a < AXES; a++) oracle_free(&o[a]);
}

/* Makes a pool of positions. They are consecutive, have steps of 1/2 or 1/256, or are real numbers.
   Or all fall into one entry of an index of 256, or they differ only in the last bit. */
enum { WHOLE, HALVES, FINE, REALS, FAR, NEXT, POOLS };
static size_t pool_make(double *pool, int what, size_t n, rng *r)
{
    static const double firsts[] = {0, -30, 1000000, -2147483000, 7};
    const double first = firsts[rng_below(r, LENGTH(firsts))];
    for (size_t i = 0; i < n; i++) {
        const double k = (double)i;
        pool[i] = what == WHOLE    ? first + k
                  : what == HALVES ? first + k / 2
                  : what == FINE   ? k / 256 - 0.5
                  : what == REALS  ? (rng_unit(r) - 0.5) * 2000
                  : what == FAR    ? k * 256 - 512
                                   : 3 + ldexp(k, -51);
    }
    return n;
}

/* Chooses the position of the pool that each row has. */
enum { ANY, IN_ORDER, EACH_OFTEN, DOWN, RUNS, ORDERS };
static void order_make(size_t *of, size_t rows, size_t n, int order, rng *r)
{
    const size_t cells = 1 + rng_below(r, 40);
    for (size_t k = 0; k < rows; k++)
        of[k] = order == ANY          ? rng_below(r, n)
                : order == IN_ORDER   ? k % n
                : order == EACH_OFTEN ? k / cells % n
                : order == DOWN       ? n - 1 - k % n
                : k % 17 == 0         ? rng_below(r, n)
                                      : (of[k - 1] + 1) % n;
}

typedef struct trial {
    kind k;
    int t, order; /* order: that of a table, or -1 for filled rows */
    pe_layout layout;
    int cos_first;
    size_t rows, stride;
} trial;

/* Computes the bytes of row r, where want[pair] holds the sine and the cosine of a pair. */
static void row_make(const trial *x, const unsigned char *const *want, unsigned char *cosines,
                     unsigned char *sines)
{
    const size_t e = bytes_of(x->t);
    const int halves = x->layout == PE_LAYOUT_HALVES;
    for (size_t j = 0; j < PAIRS; j++) {
        const unsigned char *const s = want[j], *const c = s + sizeof(double);
        size_t begin, block = PAIRS;
        const size_t a = axis_of(x->k, j, &begin);
        if (x->k == BLOCKS) block = axis_pairs[a];
        else begin = 0;
        const size_t first = 2 * begin + (halves ? j - begin : 2 * (j - begin));
        const size_t second = first + (halves ? block : 1); /* of a filled row, and of TWICE */
        unsigned char minus[sizeof(double)];
        switch (x->order) {
        case -1:
            memcpy(cosines + (x->cos_first ? second : first) * e, s, e);
            memcpy(cosines + (x->cos_first ? first : second) * e, c, e);
            break;
        case PE_ROPE_TABLE_APART: memcpy(cosines + j * e, c, e), memcpy(sines + j * e, s, e); break;
        case PE_ROPE_TABLE_TWICE:
            memcpy(cosines + first * e, c, e), memcpy(cosines + second * e, c, e);
            memcpy(sines + first * e, s, e), memcpy(sines + second * e, s, e);
            break;
        case PE_ROPE_TABLE_JOINED:
            memcpy(cosines + j * e, c, e), memcpy(cosines + (PAIRS + j) * e, s, e);
            break;
        case PE_ROPE_TABLE_COMPLEX:
            memcpy(cosines + 2 * j * e, c, e), memcpy(cosines + (2 * j + 1) * e, s, e);
            break;
        default:
            memcpy(minus, s, e);
            set_element((type)x->t, minus, 0,
                        element((type)x->t, minus, 0) ^ (e == 4 ? 0x80000000u : 0x8000u));
            memcpy(cosines + 4 * j * e, c, e), memcpy(cosines + (4 * j + 1) * e, minus, e);
            memcpy(cosines + (4 * j + 2) * e, s, e), memcpy(cosines + (4 * j + 3) * e, c, e);
            break;
        }
    }
}

static pe_status go(const trial *x, const pe_plan *plan, pe_at at, unsigned char *c,
                    unsigned char *s)
{
    const pe_rope_table_layout order = (pe_rope_table_layout)(x->order < 0 ? 0 : x->order);
#define GO(T, e)                                                                                   \
    return x->order < 0 ? pe_fill_##T(plan, at, x->rows, (e *)(void *)c, x->stride)                \
                        : pe_rope_table_##T(plan, at, x->rows, order, (e *)(void *)c,              \
                                            (e *)(void *)s, x->stride, NULL)
    switch (x->t) {
    case F32: GO(f32, float);
    case F16: GO(f16, uint16_t);
    case BF16: GO(bf16, uint16_t);
    default: return pe_fill_f64(plan, at, x->rows, (double *)(void *)c, x->stride);
    }
#undef GO
}

static pe_plan plan_of(kind k, const trial *x, double offset, double amplitude,
                       const double *padding, void **memory)
{
    pe_plan plan;
    pe_config c = pe_config_default(D);
    pe_rope_config rope = pe_rope_config_default(D);
    const size_t size = k == JOINT ? 0 : 1;
    c.layout = rope.layout = x->layout;
    c.cos_first = x->cos_first;
    c.offset = rope.offset = offset;
    c.amplitude = amplitude;
    if (x->rows % 2) c.expected_rows = rope.expected_rows = 1;
    if (padding) c.has_padding = 1, c.padding_position = (int64_t)*padding;
    if (k == BLOCKS) c.axes = AXES;
    if (k == JOINT) rope.axes = AXES;
    for (size_t a = 0; a < AXES; a++) {
        if (k == BLOCKS) c.axis[a].width = 2 * axis_pairs[a], c.axis[a].coordinate = a;
        if (k == JOINT) rope.sections[a] = axis_pairs[a];
    }
    const size_t bytes = size ? pe_plan_size(&c) : pe_rope_plan_size(&rope);
    *memory = must_alloc(bytes);
    const pe_status status = size ? pe_plan_init(&plan, &c, *memory, bytes)
                                  : pe_rope_plan_init(&plan, &rope, *memory, bytes);
    assert_int_equal(status, PE_OK);
    return plan;
}

/* Makes a list of this many rows and coordinates, in a type that can have the positions. The rows
   before `skip` are invalid, and the last element is flush against an inaccessible page. */
static pe_at list_make(const guarded *g, const double *pool, size_t (*of)[MOST], size_t axes,
                       size_t rows, size_t skip, rng *r)
{
    int whole = 1, in_float = 1;
    const int planar = rng_below(r, 2) != 0;
    const size_t all = rows + skip, rs = planar ? 1 : axes, as = planar ? all : 1;
    for (size_t k = 0; k < rows * axes; k++) {
        const double p = pool[of[k % axes][k / axes]];
        whole &= p == floor(p);
        in_float &= (double)(float)p == p;
    }
    const int pick = (int)rng_below(r, 4);
#define LIST(T, type, wrong)                                                                       \
    {                                                                                              \
        type *const list = (type *)(void *)g->end - all * axes;                                    \
        for (size_t k = 0; k < all; k++)                                                           \
            for (size_t a = 0; a < axes; a++)                                                      \
                list[k * rs + a * as] = k < skip ? (type)(wrong) : (type)pool[of[a][k - skip]];    \
        return pe_skip(axes == 1 && rs == 1 ? pe_at_##T(list) : pe_coords_##T(list, axes, rs, as), \
                       skip);                                                                      \
    }
    if (pick == 0 && whole) LIST(i32, int32_t, INT32_MIN)
    if (pick == 1 && whole) LIST(i64, int64_t, INT64_MIN)
    if (pick == 2 && in_float) LIST(f32, float, NAN)
    LIST(f64, double, NAN)
#undef LIST
}

static void try_one(const trial *x, rng *r)
{
    static double pool[POOL], turns[POOL];
    static size_t of[AXES][MOST];
    static const double offsets[] = {0, 0, 0.5, -3};
    static const size_t sizes[] = {1, 2, 5, 64, 128, 200, 256, 257, POOL};
    const double offset = offsets[rng_below(r, LENGTH(offsets))];
    const double amplitude = x->k == JOINT || rng_below(r, 2) ? 1 : 1.25;
    const int what = (int)rng_below(r, POOLS), back = rng_below(r, 4) == 0;
    const size_t n = pool_make(pool, what, sizes[rng_below(r, LENGTH(sizes))], r);
    const size_t skip = rng_below(r, 3) == 0 ? rng_below(r, 9) : 0, axes = x->k == ONE ? 1 : AXES;
    const size_t padding = x->k == ONE && x->order < 0 && what == WHOLE ? rng_below(r, n) : n;
    const size_t e = bytes_of(x->t), span = ((x->rows - 1) * x->stride + LONGEST) * e;
    guarded list = guarded_make((MOST + 9) * AXES * sizeof(double));
    guarded out[2] = {guarded_make(span), guarded_make(span)};
    const int two = x->order == PE_ROPE_TABLE_APART || x->order == PE_ROPE_TABLE_TWICE;
    const size_t width = x->order == PE_ROPE_TABLE_MATRIX  ? 2 * D
                         : x->order == PE_ROPE_TABLE_APART ? PAIRS
                                                           : D;
    const size_t bytes = ((x->rows - 1) * x->stride + width) * e;
    unsigned char *want[2], *got[2];
    void *memory;
    for (size_t i = 0; i < n; i++) turns[i] = back ? 0 - (pool[i] + offset) : pool[i] + offset;
    for (size_t a = 0; a < axes; a++) order_make(of[a], x->rows, n, (int)rng_below(r, ORDERS), r);
    expect(x->k, x->t, turns, n, amplitude);
    const pe_plan plan =
        plan_of(x->k, x, offset, amplitude, padding < n ? &pool[padding] : NULL, &memory);
    pe_at at = list_make(&list, pool, of, axes, x->rows, skip, r);
    if (back) at = pe_back(at);
    for (int k = 0; k < 2; k++) {
        want[k] = (unsigned char *)must_alloc(bytes);
        got[k] = rng_below(r, 2) ? out[k].begin : out[k].end - bytes;
        memset(want[k], CANARY, bytes),
            memset(out[k].begin, CANARY, (size_t)(out[k].end - out[k].begin));
    }
    for (size_t row = 0; row < x->rows; row++) {
        const unsigned char *its[PAIRS];
        for (size_t j = 0; j < PAIRS; j++) {
            size_t begin;
            its[j] = want_of[of[axis_of(x->k, j, &begin)][row]][j][0];
        }
        const size_t to = row * x->stride * e;
        if (of[0][row] == padding) memset(want[0] + to, 0, D * e);
        else row_make(x, its, want[0] + to, want[1] + to);
    }
    assert_int_equal(go(x, &plan, at, got[0], two ? got[1] : NULL), PE_OK);
    for (int k = 0; k < 2; k++) {
        for (size_t b = 0; b < bytes; b++)
            if (got[k][b] != want[k][b])
                fail_msg("%s, type %d, order %d, layout %d, pool %d of %zu, back %d, offset %g: "
                         "array %d, "
                         "row %zu, element %zu",
                         kind_names[x->k], x->t, x->order, (int)x->layout, what, n, back, offset, k,
                         b / e / x->stride, b / e % x->stride);
        assert_true(all_canaries(out[k].begin, (size_t)(got[k] - out[k].begin)));
        assert_true(all_canaries(got[k] + bytes, (size_t)(out[k].end - got[k]) - bytes));
        free(want[k]), guarded_free(&out[k]);
    }
    free(memory), guarded_free(&list);
}

static void rows_that_repeat(void **state)
{
    static const size_t few[] = {1, 2, 127, 128, 129, 255, 256, 257};
    rng r = rng_for("rows_that_repeat");
    (void)state;
    FAIL_ON_FAULT();
    for (size_t n = 0; n < workload(600); n++) {
        trial x;
        x.k = (kind)(n % KINDS);
        x.order = (int)(n / KINDS % 6) - 1;
        if (x.k == JOINT && x.order < 0) x.order = PE_ROPE_TABLE_MATRIX;
        x.t = (int)rng_below(&r, x.order < 0 ? ALL_TYPES : TYPES);
        x.layout = (pe_layout)rng_below(&r, 2);
        x.cos_first = x.order < 0 && rng_below(&r, 2);
        x.rows =
            rng_below(&r, 4) ? 128 + rng_below(&r, MOST - 127) : few[rng_below(&r, LENGTH(few))];
        x.stride = (x.order == PE_ROPE_TABLE_MATRIX ? 2 * D : D) + rng_below(&r, 3);
        fault_case("trial %zu: %zu rows", n, x.rows);
        try_one(&x, &r);
    }
}

/* Checks that a row is that of position plus offset, and that only the padding position itself is
   padding. Positions are next to a run, or so near to each other that adding the offset makes them
   equal. */
static void neighbours(void **state)
{
    enum { ROWS = 200 };
    static const double offsets[] = {0.5, 2147483648.0};
    static float rows[ROWS][D], one[D];
    const double little = ldexp(1, -53), small_step = ldexp(1, -40);
    double p[ROWS];
    (void)state;
    for (size_t n = 0; n < 16; n++) {
        /* with 0.5, the sums are 1, 0 and little; with 2^31, all have the row of -20, one may be
           padding */
        const double offset = offsets[n % 2], padding = n & 8 ? -20 : -3;
        const double with[2][3] = {{0.5 + (n & 2 ? little : 0), -0.5, -0.5 + little},
                                   {-20 + small_step, -20, -20 - small_step}};
        trial x;
        void *memory;
        memset(&x, 0, sizeof x);
        const pe_plan plan = plan_of(ONE, &x, offset, 1, &padding, &memory);
        for (size_t r = 0; r < ROWS; r++) p[r] = with[n % 2][n & 4 ? r * r % 3 : r % 3];
        for (size_t all = 3; all <= ROWS; all += ROWS - 3) {
            assert_int_equal(pe_fill_f32(&plan, pe_at_f64(p), all, rows[0], D), PE_OK);
            for (size_t r = 0; r < all; r++) {
                assert_int_equal(pe_fill_f32(&plan, pe_at_f64(&p[r]), 1, one, D), PE_OK);
                assert_int_equal(all_zeros(one, sizeof one), p[r] == padding);
                assert_memory_equal(rows[r], one, sizeof one);
            }
        }
        free(memory);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_repeat),
        cmocka_unit_test(neighbours),
    };
    test_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
