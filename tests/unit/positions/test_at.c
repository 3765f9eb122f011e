/* SPDX-License-Identifier: MIT */
/*
 * Proves pe_at, the value that says where rows are. However it was made, every verb gives the rows
 * that the same positions give one by one. For real positions, the rows are those of MPFR. Grids
 * are their cells, and points are the blocks of plans of one axis. With pe_back() the rotation is
 * the opposite one, pe_delta() leaves out offset and amplitude, and pe_skip() divides any call
 * anywhere.
 *
 * Each verb refuses an invalid pe_at with the status that says why, before anything is written. A
 * plan which could not be made is zeros, which each verb refuses, and its memory stays as it was.
 * The calls of real engines read as they should.
 */
#include "../types.h"

enum { F64 = TYPES, ALL_TYPES }; /* behind f32, f16 and bf16 of types.h */
static const char *const type_names[] = {"f32", "f16", "bf16", "f64"};
static size_t bytes_of(int t) { return t == F64 ? sizeof(double) : size_of((type)t); }

/* ------------------------------------------------------------------------------------------------
 * Every verb behind one signature
 * --------------------------------------------------------------------------------------------- */

typedef enum verb {
    FILL,
    ADD,
    BATCH,
    SHIFT,
    TURN,
    TURN_TO,
    TURN_CAST,
    TURN_QK,
    TABLE,
    DOT,
    GGML,
    LEARN, /* these two take rows of a table, 0 ... TABLE_ROWS - 1 */
    GRADIENT,
    VERBS
} verb;

static const char *const verb_names[] = {
    "pe_fill",      "pe_add",         "pe_add_batch",   "pe_shift",      "pe_rope",
    "pe_rope_to",   "pe_rope_to_f32", "pe_rope_qk",     "pe_rope_table", "pe_dot",
    "pe_rope_ggml", "pe_learned_add", "pe_learned_grad"};

static int has_type(verb v, int t)
{
    switch (v) {
    case FILL:
    case ADD:
    case BATCH:
    case SHIFT: return 1;
    case DOT: return t == F64;
    case GGML:
    case GRADIENT: return t == F32;
    case TURN_CAST: return t == F16 || t == BF16;
    default: return t != F64;
    }
}

/* Each row has two blocks of D elements, with some elements between them: heads, or batches.
   There are three such regions. */
enum { D = 26, PITCH = 2 * (D + 3), ROWS = 40, TABLE_ROWS = 64, REGION = TABLE_ROWS * PITCH * 8 };
typedef union block {
    unsigned char bytes[3][REGION], all[3 * REGION];
    double align;
} block;

#define OF_THREE(X)                                                                                \
    switch (t) {                                                                                   \
    case F16: X(f16, uint16_t);                                                                    \
    case BF16: X(bf16, uint16_t);                                                                  \
    default: X(f32, float);                                                                        \
    }
#define OF_FOUR(X)                                                                                 \
    if (t == F64) X(f64, double);                                                                  \
    OF_THREE(X)

/* Calls the verb on rows row ... row + rows - 1 of the block. */
static pe_status act(verb v, int t, const pe_plan *plan, pe_at at, size_t row, size_t rows,
                     block *b)
{
    const size_t half = PITCH / 2, from = row * PITCH * bytes_of(v == TURN_CAST ? F32 : t);
    void *const x = b->bytes[0] + from, *const table = b->bytes[2];
    void *const y = b->bytes[1] + row * PITCH * bytes_of(t);
    const pe_heads two = {2, half, PITCH}, one = {1, 0, PITCH};
    pe_rope_ggml ggml;
    switch (v) {
#define FILL_T(T, e) return pe_fill_##T(plan, at, rows, (e *)x, PITCH)
    case FILL: OF_FOUR(FILL_T)
#define ADD_T(T, e) return pe_add_##T(plan, at, rows, (e)0.75, (e *)x, PITCH)
#define ADD_16(T, e) return pe_add_##T(plan, at, rows, 0.75f, (e *)x, PITCH)
    case ADD:
        if (t == F64) ADD_T(f64, double);
        OF_THREE(ADD_16)
#define BATCH_T(T, e) return pe_add_batch_##T(plan, at, rows, 2, 0.75f, (e *)x, PITCH, half)
    case BATCH:
        if (t == F64) return pe_add_batch_f64(plan, at, rows, 2, 0.75, (double *)x, PITCH, half);
        OF_THREE(BATCH_T)
#define SHIFT_T(T, e) return pe_shift_##T(plan, at, rows, (e *)x, PITCH)
    case SHIFT: OF_FOUR(SHIFT_T)
#define TURN_T(T, e) return pe_rope_##T(plan, at, rows, (e *)x, two)
    case TURN: OF_THREE(TURN_T)
#define TO_T(T, e) return pe_rope_to_##T(plan, at, rows, D + 1, (const e *)x, two, (e *)y, two)
    case TURN_TO: OF_THREE(TO_T)
    case TURN_CAST:
        return t == F16 ? pe_rope_to_f32_f16(plan, at, rows, D + 1, (const float *)x, two,
                                             (uint16_t *)y, two)
                        : pe_rope_to_f32_bf16(plan, at, rows, D + 1, (const float *)x, two,
                                              (uint16_t *)y, two);
#define QK_T(T, e) return pe_rope_qk_##T(plan, at, rows, (e *)x, two, (e *)y, one)
    case TURN_QK: OF_THREE(QK_T)
#define TABLE_T(T, e)                                                                              \
    return pe_rope_table_##T(plan, at, rows, PE_ROPE_TABLE_APART, (e *)x, (e *)y, PITCH, NULL)
    case TABLE: OF_THREE(TABLE_T)
    case DOT: return pe_dot_f64(plan, at, rows, (double *)(void *)b->bytes[0] + row);
    case GGML:
        memset(&ggml, 0, sizeof ggml);
        ggml.n_dims = D;
        return pe_rope_ggml_f32(&ggml, at, rows, (float *)x, (float *)y, PITCH);
#define LEARN_T(T, e)                                                                              \
    return pe_learned_add_##T((const e *)table, TABLE_ROWS, D, at, rows, (e *)x, PITCH)
    case LEARN: OF_THREE(LEARN_T)
    case GRADIENT:
        return pe_learned_grad_f32((float *)table, TABLE_ROWS, D, at, rows, (const float *)x,
                                   PITCH);
    default: return PE_OK;
    }
}

static void must_act(verb v, int t, const pe_plan *plan, pe_at at, size_t row, size_t rows,
                     block *b)
{
    const pe_status status = act(v, t, plan, at, row, rows, b);
    if (status != PE_OK)
        fail_msg("%s_%s, %zu rows: %s", verb_names[v], type_names[t], rows,
                 pe_status_string(status));
}

/* Fills the block with numbers that nothing overflows, the same in each call. */
static void paint(int t, block *b)
{
    static block painted[ALL_TYPES];
    static int done[ALL_TYPES];
    rng r = {(uint64_t)t + 1};
    for (size_t i = 0; !done[t] && i < sizeof b->all / bytes_of(t); i++) {
        const double x = 4 * rng_unit(&r) - 2;
        if (t == F64) memcpy(painted[t].all + i * sizeof x, &x, sizeof x);
        else set_element((type)t, painted[t].all, i, rounded((type)t, x));
    }
    done[t] = 1;
    *b = painted[t];
}
static void paint_for(verb v, int t, block *b) { paint(v == TURN_CAST ? F32 : t, b); }

static block want, got;

static void same_blocks(verb v, int t, const char *what)
{
    if (memcmp(&got, &want, sizeof got) == 0) return;
    for (size_t i = 0; i < sizeof got.all; i++)
        if (got.all[i] != want.all[i]) {
            const size_t e = bytes_of(t), in = i % REGION;
            test_print_rerun(stderr, what);
            fail_msg("%s_%s, %s: block %zu, row %zu, element %zu is another", verb_names[v],
                     type_names[t], what, i / REGION, in / (PITCH * e), in / e % PITCH);
        }
}

/* ------------------------------------------------------------------------------------------------
 * Plans
 * --------------------------------------------------------------------------------------------- */

typedef struct made {
    pe_plan plan;
    void *memory;
} made;

static made make(const pe_config *config)
{
    made m;
    const size_t size = pe_plan_size(config);
    m.memory = must_alloc(size);
    if (pe_plan_init(&m.plan, config, m.memory, size) != PE_OK)
        fail_msg("no plan: %s", pe_config_error(config));
    return m;
}

/* Returns a config with D columns for all verbs, in one of four forms. */
static pe_config config_for(size_t form, double offset, double amplitude)
{
    pe_config c = pe_config_default(D);
    c.layout = form % 2 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
    c.cos_first = form / 2 % 2;
    c.expected_rows = form == 2;
    c.offset = offset, c.amplitude = amplitude;
    return c;
}

/* Returns a config with three axes of different widths, in an order of their own, and with columns
   that encode nothing. */
static const size_t axis_width[3] = {8, 6, 10}, axis_coordinate[3] = {2, 0, 1};
static pe_config config_of_axes(pe_layout layout, double offset)
{
    pe_config c = pe_config_default(D);
    c.layout = layout, c.axes = 3, c.offset = offset;
    for (size_t a = 0; a < 3; a++)
        c.axis[a].width = axis_width[a], c.axis[a].coordinate = axis_coordinate[a];
    return c;
}

/* Returns whether the verb can use the plan. The verb GGML has no plan and takes one coordinate. */
static int is_for(verb v, const pe_plan *plan)
{
    return v < LEARN && (v <= SHIFT || plan->axes == 1);
}

/* ------------------------------------------------------------------------------------------------
 * One coordinate
 * --------------------------------------------------------------------------------------------- */

/* Checks that one call gives the rows that the positions p give one by one. Each of these is called
   with pe_from(), or with a list of one position if it is not an integer. */
static void check_place(const pe_plan *plan, const char *what, pe_at at, const double *p,
                        size_t rows)
{
    int whole = 1, in_table = 1;
    for (size_t r = 0; r < rows; r++) {
        whole &= p[r] == floor(p[r]);
        in_table &= p[r] >= 0 && p[r] < TABLE_ROWS;
    }
    for (int v = 0; v < VERBS; v++)
        for (int t = 0; t < ALL_TYPES; t++) {
            if (!has_type((verb)v, t) ||
                (v >= LEARN ? !(whole && in_table) : !is_for((verb)v, plan)))
                continue;
            paint_for((verb)v, t, &want);
            memcpy(&got, &want, sizeof got);
            for (size_t r = 0; r < rows; r++)
                must_act((verb)v, t, plan,
                         p[r] == floor(p[r]) ? pe_from((int64_t)p[r]) : pe_at_f64(&p[r]), r, 1,
                         &want);
            must_act((verb)v, t, plan, at, 0, rows, &got);
            same_blocks((verb)v, t, what);
        }
}

/* Checks the same positions as a list of each type that can have them. */
static void check_lists(const pe_plan *plan, const double *p, size_t rows)
{
    int32_t i32[ROWS];
    int64_t i64[ROWS];
    float f32[ROWS];
    int in_i32 = 1, in_i64 = 1, in_f32 = 1;
    for (size_t r = 0; r < rows; r++) {
        in_i64 &= p[r] == floor(p[r]);
        in_i32 &= p[r] == floor(p[r]) && p[r] < 2147483648.0;
        f32[r] = (float)p[r];
        in_f32 &= (double)f32[r] == p[r];
        i64[r] = (int64_t)p[r];
        i32[r] = in_i32 ? (int32_t)p[r] : 0;
    }
    check_place(plan, "pe_at_f64", pe_at_f64(p), p, rows);
    if (in_f32) check_place(plan, "pe_at_f32", pe_at_f32(f32), p, rows);
    if (in_i64) check_place(plan, "pe_at_i64", pe_at_i64(i64), p, rows);
    if (in_i32) check_place(plan, "pe_at_i32", pe_at_i32(i32), p, rows);
}

static void ranges_are_their_rows(void **state)
{
    static const int64_t steps[] = {1, -1, 0, 3, -7, 2, 100003};
    const int64_t P = POSITION_MAX;
    (void)state;
    for (size_t form = 0; form < 4; form++) {
        const pe_config c = config_for(form, 0, form == 3 ? -1.5 : 1);
        made m = make(&c);
        for (size_t s = 0; s < LENGTH(steps); s++) {
            const int64_t step = steps[s], reach = (ROWS - 1) * step;
            const int64_t firsts[] = {5, -reach / 2, 16777216 - reach, step < 0 ? P : P - reach,
                                      step < 0 ? -P - reach : -P};
            for (size_t f = form % 2; f < LENGTH(firsts); f += every()) {
                double p[ROWS];
                for (size_t r = 0; r < ROWS; r++) p[r] = (double)(firsts[f] + (int64_t)r * step);
                check_place(&m.plan, "pe_from_by", pe_from_by(firsts[f], step), p, ROWS);
                if (step == 1) check_place(&m.plan, "pe_from", pe_from(firsts[f]), p, ROWS);
                if (step == 0) check_place(&m.plan, "pe_all", pe_all(firsts[f]), p, ROWS);
                check_lists(&m.plan, p, ROWS);
            }
        }
        free(m.memory);
    }
}

/* Tests lists with runs up and down, repeated positions and single ones, some of them no integers,
   with each offset. */
static void lists_are_their_rows(void **state)
{
    static const double offsets[] = {0, 0.25, -3, 1048576.5, 0x1p-20};
    rng random = rng_for("lists_are_their_rows");
    (void)state;
    for (size_t n = 0; n < workload(64); n++) {
        const pe_config c = config_for(n % 4, offsets[n % LENGTH(offsets)], 1);
        made m = make(&c);
        double p[ROWS];
        for (size_t r = 0, run; r < ROWS; r += run) {
            static const double strides[] = {1, -1, 0, 0.5, -0.5, 2, 0.1};
            static const double begins[] = {0, 0.5, -0.25, 1e-3, 7, 12345.75};
            const double stride = strides[rng_below(&random, LENGTH(strides))];
            const double begin = begins[rng_below(&random, LENGTH(begins))];
            run = 1 + rng_below(&random, 12);
            run = run < ROWS - r ? run : ROWS - r;
            for (size_t k = 0; k < run; k++) p[r + k] = begin + (double)k * stride;
        }
        check_lists(&m.plan, p, n % 3 == 0 ? ROWS : 1 + rng_below(&random, ROWS));
        for (size_t r = 0; r < ROWS; r++) p[r] = (double)rng_below(&random, n % 2 ? TABLE_ROWS : 3);
        check_lists(&m.plan, p, ROWS);
        free(m.memory);
    }
}

/* Computes with MPFR the sine and cosine of a pair at any double as position, rounded to odd, and
   from them its two elements. */
static void turn_by(oracle *o, double position, size_t pair)
{
    int inexact;
    mpfr_mul_d(o->angle, o->frequencies[pair], position, MPFR_RNDN);
    inexact = mpfr_sin_cos(o->sine, o->cosine, o->angle, MPFR_RNDZ);
    oracle_to_odd(o->sine, inexact & 3);
    oracle_to_odd(o->cosine, inexact >> 2);
    mpfr_mul_d(o->element[0], o->sine, o->amplitude, MPFR_RNDN);
    mpfr_mul_d(o->element[1], o->cosine, o->amplitude, MPFR_RNDN);
}

/* Returns the bits of an exact number in a type. The oracle's numbers have more bits than a
   double, so they are first rounded to odd. */
static uint32_t bits_in(type t, const mpfr_t exact)
{
    double x;
    if (t == F32) return bits_of(mpfr_get_flt(exact, MPFR_RNDN));
    x = mpfr_get_d(exact, MPFR_RNDZ);
    if (mpfr_cmp_d(exact, x) != 0) {
        uint64_t bits;
        memcpy(&bits, &x, sizeof bits);
        bits |= 1;
        memcpy(&x, &bits, sizeof x);
    }
    return nearest_16(&type_formats[t], x);
}

static void check_real_row(oracle *o, const owned_plan *p, double position, double t)
{
    for (int k = 0; k < ALL_TYPES; k++) {
        must_act(FILL, k, &p->plan, pe_at_f64(&position), 0, 1, &got);
        for (size_t i = 0; i < D; i++) {
            turn_by(o, t, i / 2);
            if (k == F64) {
                double x;
                memcpy(&x, got.bytes[0] + i * sizeof x, sizeof x);
                if (!(oracle_ulp_f64(o, o->element[i % 2], x) <= 0.5))
                    fail_msg("position %a, element %zu: %a", position, i, x);
            } else if (element((type)k, got.bytes[0], i) != bits_in((type)k, o->element[i % 2])) {
                fail_msg("%s, position %a, element %zu: %x", type_names[k], position, i,
                         element((type)k, got.bytes[0], i));
            }
        }
    }
}

/* Compares real positions with MPFR: filled, in tables, and by verbs that rotate. */
static void real_positions_are_exact(void **state)
{
    static const double offsets[] = {0, 0.25, -7 - 0x1p-20};
    rng random = rng_for("real_positions_are_exact");
    mpfr_t sum;
    (void)state;
    mpfr_init2(sum, 512);
    for (size_t n = 0; n < workload(300); n++) {
        owned_plan p;
        oracle o;
        const double offset = offsets[n % 3], amplitude = n % 2 ? 1.0 : -1.25;
        const double position = ldexp(rng_unit(&random) - 0.5, (int)rng_below(&random, 32));
        const double t = position + offset;
        float turned[D];
        double pairs[D];
        p.config = config_of(D, 10000.0, amplitude);
        p.config.offset = offset;
        p.memory_bytes = pe_plan_size(&p.config);
        p.memory = must_alloc(p.memory_bytes);
        assert_int_equal(pe_plan_init(&p.plan, &p.config, p.memory, p.memory_bytes), PE_OK);
        oracle_make(&o, "real_positions_are_exact", D, 10000.0, amplitude);
        check_real_row(&o, &p, position, t);
        /* (1, 0) rotated is (cosine, sine), with the bits of the table */
        const pe_heads one = {1, 0, 0};
        mpfr_set_ui(sum, 0, MPFR_RNDN);
        for (size_t i = 0; i < D; i++) turned[i] = i % 2 == 0, pairs[i] = (double)(i % 2);
        assert_int_equal(pe_rope_f32(&p.plan, pe_at_f64(&position), 1, turned, one), PE_OK);
        must_act(TABLE, F32, &p.plan, pe_at_f64(&position), 0, 1, &got);
        /* (sine, cosine) = (0, 1) is shifted by a real difference, without offset or amplitude */
        assert_int_equal(pe_shift_f64(&p.plan, pe_at_f64(&position), 1, pairs, D), PE_OK);
        for (size_t i = 0; i < D / 2; i++) {
            turn_by(&o, t, i);
            const uint32_t c = bits_in(F32, o.element[1]), s = bits_in(F32, o.element[0]);
            assert_int_equal(bits_of(turned[2 * i]), c);
            assert_int_equal(bits_of(turned[2 * i + 1]), s);
            assert_int_equal(element(F32, got.bytes[0], i), c);
            assert_int_equal(element(F32, got.bytes[1], i), s);
            turn_by(&o, position, i);
            mpfr_add(sum, sum, o.cosine, MPFR_RNDN);
            assert_true(oracle_ulp_f64(&o, o.sine, pairs[2 * i]) <= 0.5);
            assert_true(oracle_ulp_f64(&o, o.cosine, pairs[2 * i + 1]) <= 0.5);
        }
        /* the dot product of this row is the sum of the cosines, times A^2 */
        double dot;
        assert_int_equal(pe_dot_f64(&p.plan, pe_at_f64(&position), 1, &dot), PE_OK);
        mpfr_mul_d(sum, sum, amplitude * amplitude, MPFR_RNDN);
        assert_true(oracle_ulp_f64(&o, sum, dot) <= 0.501);
        oracle_free(&o);
        plan_free(&p);
    }
    mpfr_clear(sum);
}

static const double padding_offsets[] = {0, 2, -0.5, 2147483648.0, -2147483647.5};

/* Tests that the row of the padding position is zeros wherever it occurs. The position counts as
   it is given, before the offset. */
static void padding_is_the_position_given(void **state)
{
    (void)state;
    for (size_t n = 0; n < LENGTH(padding_offsets) * 4; n++) {
        const double offset = padding_offsets[n % LENGTH(padding_offsets)];
        const double centre = offset > 1e9 ? -20 : offset < -1e9 ? 20 : -1;
        pe_config c = config_for(n / LENGTH(padding_offsets), offset, 1), plain = c;
        c.has_padding = 1, c.padding_position = (int64_t)centre;
        made m = make(&c), without = make(&plain);
        /* runs over it, up and down, and positions next to it where the offset absorbs the
           difference */
        const double next = 0x1p-40;
        const double p[] = {centre - 2,
                            centre - 1,
                            centre,
                            centre + 1,
                            centre + 2,
                            centre + 1,
                            centre,
                            centre - 1,
                            centre - 0.5,
                            centre + 0.5,
                            centre,
                            centre - next,
                            centre + next,
                            centre - 1 - next,
                            centre,
                            centre + 1,
                            centre - 1 + next,
                            centre,
                            centre - 1};
        const size_t rows = LENGTH(p);
        for (int t = 0; t < ALL_TYPES; t++)
            for (int v = FILL; v <= BATCH; v++) {
                paint(t, &want);
                memcpy(&got, &want, sizeof got);
                for (size_t r = 0; r < rows; r++) {
                    if (p[r] != centre) {
                        must_act((verb)v, t, &without.plan, pe_at_f64(&p[r]), r, 1, &want);
                        continue;
                    }
                    must_act((verb)v, t, &m.plan, pe_from((int64_t)centre), r, 1, &want);
                    const unsigned char *row = want.bytes[0] + r * PITCH * bytes_of(t);
                    if (v == FILL) assert_true(all_zeros(row, D * bytes_of(t)));
                }
                must_act((verb)v, t, &m.plan, pe_at_f64(p), 0, rows, &got);
                same_blocks((verb)v, t, "padding in a list");
            }
        free(m.memory), free(without.memory);
    }
}

/* Tests ranges over the padding position: its row is zeros, also with pe_back(). No difference is a
   padding row. */
static void padding_in_ranges(void **state)
{
    (void)state;
    for (size_t n = 0; n < LENGTH(padding_offsets) * 4; n++) {
        const double offset = padding_offsets[n % LENGTH(padding_offsets)];
        const double centre = offset > 1e9 ? -20 : offset < -1e9 ? 20 : -1;
        pe_config c = config_for(n / LENGTH(padding_offsets), offset, 1), plain = c;
        c.has_padding = 1, c.padding_position = (int64_t)centre;
        made m = make(&c), without = make(&plain);
        float row[5 * D], other[5 * D];
        const int64_t first = (int64_t)centre - 2;
        assert_int_equal(pe_fill_f32(&m.plan, pe_from(first), 5, row, D), PE_OK);
        assert_int_equal(pe_fill_f32(&without.plan, pe_from(first), 5, other, D), PE_OK);
        assert_memory_equal(row, other, 2 * D * sizeof *row);
        assert_true(all_zeros(row + 2 * D, D * sizeof *row));
        assert_memory_equal(row + 3 * D, other + 3 * D, 2 * D * sizeof *row);
        assert_int_equal(pe_fill_f32(&m.plan, pe_back(pe_from(first)), 5, row, D), PE_OK);
        assert_int_equal(pe_fill_f32(&without.plan, pe_back(pe_from(first)), 5, other, D), PE_OK);
        assert_true(all_zeros(row + 2 * D, D * sizeof *row));
        assert_memory_equal(row, other, 2 * D * sizeof *row);
        assert_memory_equal(row + 3 * D, other + 3 * D, 2 * D * sizeof *row);
        assert_int_equal(pe_fill_f32(&m.plan, pe_delta(pe_from(first)), 5, row, D), PE_OK);
        assert_int_equal(pe_fill_f32(&without.plan, pe_delta(pe_from(first)), 5, other, D), PE_OK);
        assert_memory_equal(row, other, sizeof row);
        free(m.memory), free(without.memory);
    }
}

/* Tests that a plan of several axes cannot have padding, since its rows have no single position. */
static void no_padding_of_several_axes(void **state)
{
    (void)state;
    pe_config c = config_of_axes(PE_LAYOUT_INTERLEAVED, 0);
    c.has_padding = 1;
    assert_non_null(pe_config_error(&c));
}

/* ------------------------------------------------------------------------------------------------
 * Several coordinates
 * --------------------------------------------------------------------------------------------- */

/* Computes what act() makes of an element that belongs to no axis, in batch k. */
static void zero_element(verb v, int t, unsigned char *at, size_t k)
{
    if (v == SHIFT || (k == 1 && v != BATCH)) return;
    if (v == FILL) {
        memset(at, 0, bytes_of(t));
    } else if (t == F64) {
        double x;
        memcpy(&x, at, sizeof x);
        x *= 0.75;
        memcpy(at, &x, sizeof x);
    } else {
        set_element((type)t, at, 0, rounded((type)t, 0.75 * value((type)t, at, 0)));
    }
}

/* Checks rows of coordinates p[r][3] with fill, add and shift. Each block of columns must be the
   row of a plan of that width at its own coordinate. Columns that encode nothing are 0, or keep
   their values. */
static void check_blocks(const pe_plan *plan, const made *axes, const char *what, pe_at at,
                         const double *p, size_t rows)
{
    for (int v = FILL; v <= SHIFT; v++)
        for (int t = 0; t < ALL_TYPES; t++) {
            const size_t e = bytes_of(t);
            paint(t, &want);
            memcpy(&got, &want, sizeof got);
            for (size_t r = 0; r < rows; r++) {
                size_t column = 0;
                for (size_t a = 0; a < 3; column += axis_width[a], a++) {
                    block part;
                    const double *coordinate = &p[3 * r + axis_coordinate[a]];
                    memcpy(&part, &want, sizeof part);
                    for (size_t k = 0; k < 2; k++) /* both batches */
                        memmove(part.bytes[0] + k * (PITCH / 2) * e,
                                want.bytes[0] + (r * PITCH + k * (PITCH / 2) + column) * e,
                                axis_width[a] * e);
                    must_act((verb)v, t, &axes[a].plan, pe_at_f64(coordinate), 0, 1, &part);
                    for (size_t k = 0; k < 2; k++)
                        memcpy(want.bytes[0] + (r * PITCH + k * (PITCH / 2) + column) * e,
                               part.bytes[0] + k * (PITCH / 2) * e, axis_width[a] * e);
                }
                for (; column < D; column++) /* no axis is here: 0, which is also added */
                    for (size_t k = 0; k < 2; k++)
                        zero_element((verb)v, t,
                                     want.bytes[0] + (r * PITCH + k * (PITCH / 2) + column) * e, k);
            }
            must_act((verb)v, t, plan, at, 0, rows, &got);
            same_blocks((verb)v, t, what);
        }
}

static void axes_make(made *axes, const pe_config *c)
{
    for (size_t a = 0; a < 3; a++) {
        pe_config one = *c;
        one.d_model = axis_width[a], one.axes = 1;
        axes[a] = make(&one);
    }
}

/* Checks points of every type, stored in any order. */
static void points_are_their_coordinates(void **state)
{
    enum { N = 11 };
    rng random = rng_for("points");
    (void)state;
    for (size_t n = 0; n < 4; n++) {
        const pe_config c = config_of_axes((pe_layout)(n % 2), n / 2 ? 0.5 : 0);
        made m = make(&c), axes[3];
        axes_make(axes, &c);
        for (size_t whole = 0; whole < 2; whole++) {
            double p[N][3];
            for (size_t i = 0; i < N * 3; i++) {
                const double x = (double)((int64_t)rng_below(&random, 4000) - 2000);
                p[i / 3][i % 3] = whole ? x : x / 8;
                if (i % 5 == 0 && i >= 3) p[i / 3][i % 3] = p[i / 3 - 1][i % 3] + 1;
            }
            /* [rows][axes] packed and padded, [axes][rows] packed and padded, one for all axes, one
               for all rows */
            static const size_t strides[][2] = {{3, 1}, {5, 1}, {1, N}, {1, N + 2}, {1, 0}, {0, 1}};
            for (size_t s = 0; s < LENGTH(strides); s++) {
                const size_t rs = strides[s][0], as = strides[s][1];
                double f64[64] = {0}, q[N][3];
                float f32[64];
                int32_t i32[64];
                int64_t i64[64];
                for (size_t r = 0; r < N; r++)
                    for (size_t k = 0; k < 3; k++) {
                        q[r][k] = p[rs ? r : 0][as ? k : 0];
                        f64[r * rs + k * as] = q[r][k];
                    }
                for (size_t i = 0; i < 64; i++)
                    f32[i] = (float)f64[i], i32[i] = (int32_t)f32[i], i64[i] = i32[i];
                check_blocks(&m.plan, axes, "pe_coords_f64", pe_coords_f64(f64, 3, rs, as), q[0],
                             N);
                check_blocks(&m.plan, axes, "pe_coords_f32", pe_coords_f32(f32, 3, rs, as), q[0],
                             N);
                if (!whole) continue;
                check_blocks(&m.plan, axes, "pe_coords_i32", pe_coords_i32(i32, 3, rs, as), q[0],
                             N);
                check_blocks(&m.plan, axes, "pe_coords_i64", pe_coords_i64(i64, 3, rs, as), q[0],
                             N);
            }
        }
        for (size_t a = 0; a < 3; a++) free(axes[a].memory);
        free(m.memory);
    }
}

/* Tests that a grid gives its cells, with the last coordinate fastest. The first cells alone are
   also tested. */
static void grids_are_their_cells(void **state)
{
    static const size_t sizes[][3] = {{2, 3, 4}, {1, 1, 40}, {40, 1, 1}, {1, 7, 1}, {5, 2, 3}};
    (void)state;
    for (size_t n = 0; n < 2 * LENGTH(sizes); n++) {
        const size_t *s = sizes[n / 2], cells = s[0] * s[1] * s[2];
        const pe_config c = config_of_axes((pe_layout)(n % 2), n % 3 ? 0 : -1);
        made m = make(&c), axes[3];
        double p[ROWS][3];
        axes_make(axes, &c);
        for (size_t r = 0; r < cells; r++) {
            p[r][0] = (double)(r / (s[1] * s[2])), p[r][1] = (double)(r / s[2] % s[1]);
            p[r][2] = (double)(r % s[2]);
        }
        for (size_t rows = cells; rows > 0; rows = rows > 5 ? rows - 5 : rows - 1)
            check_blocks(&m.plan, axes, "pe_grid", pe_grid(s, 3), p[0], rows);
        for (size_t skip = 1; skip < cells; skip += 3)
            check_blocks(&m.plan, axes, "pe_skip in a grid", pe_skip(pe_grid(s, 3), skip), p[skip],
                         cells - skip);
        for (size_t a = 0; a < 3; a++) free(axes[a].memory);
        free(m.memory);
    }
    { /* a grid of one axis is a range; one of PE_MAX_AXES axes is a list of its corners */
        const size_t forty = 40, two[PE_MAX_AXES] = {2, 2, 2, 2, 2, 2, 2, 2};
        const pe_config one = config_for(1, 0, 1);
        pe_config c = pe_config_default(5 * PE_MAX_AXES);
        double p[ROWS];
        float filled[256][5 * PE_MAX_AXES], corners[256][5 * PE_MAX_AXES];
        int32_t points[256][PE_MAX_AXES];
        c.axes = PE_MAX_AXES;
        made m = make(&one), many = make(&c);
        for (size_t r = 0; r < ROWS; r++) p[r] = (double)r;
        check_place(&m.plan, "pe_grid of one axis", pe_grid(&forty, 1), p, ROWS);
        for (size_t i = 0; i < sizeof points / sizeof **points; i++)
            points[i / PE_MAX_AXES][i % PE_MAX_AXES] =
                i / PE_MAX_AXES >> (PE_MAX_AXES - 1 - i % PE_MAX_AXES) & 1;
        assert_int_equal(
            pe_fill_f32(&many.plan, pe_grid(two, PE_MAX_AXES), 256, filled[0], 5 * PE_MAX_AXES),
            PE_OK);
        assert_int_equal(pe_fill_f32(&many.plan,
                                     pe_coords_i32(points[0], PE_MAX_AXES, PE_MAX_AXES, 1), 256,
                                     corners[0], 5 * PE_MAX_AXES),
                         PE_OK);
        assert_memory_equal(filled, corners, sizeof filled);
        free(m.memory), free(many.memory);
    }
}

/* Tests one position for all axes of a plan, as for text among images. */
static void one_coordinate_is_all_of_them(void **state)
{
    (void)state;
    for (size_t n = 0; n < 2; n++) {
        const pe_config c = config_of_axes((pe_layout)n, 0.25);
        made m = make(&c), axes[3];
        double p[ROWS][3], list[ROWS];
        const size_t forty = ROWS;
        float f32[ROWS];
        int32_t i32[ROWS];
        int64_t i64[ROWS];
        axes_make(axes, &c);
        for (size_t r = 0; r < ROWS; r++) {
            list[r] = p[r][0] = p[r][1] = p[r][2] = (double)r;
            f32[r] = (float)r, i32[r] = (int32_t)r, i64[r] = (int64_t)r;
        }
        check_blocks(&m.plan, axes, "pe_from for 3 axes", pe_from(0), p[0], ROWS);
        check_blocks(&m.plan, axes, "pe_at_f64 for 3 axes", pe_at_f64(list), p[0], ROWS);
        check_blocks(&m.plan, axes, "pe_at_f32 for 3 axes", pe_at_f32(f32), p[0], ROWS);
        check_blocks(&m.plan, axes, "pe_at_i32 for 3 axes", pe_at_i32(i32), p[0], ROWS);
        check_blocks(&m.plan, axes, "pe_at_i64 for 3 axes", pe_at_i64(i64), p[0], ROWS);
        check_blocks(&m.plan, axes, "pe_grid for 3 axes", pe_grid(&forty, 1), p[0], ROWS);
        check_blocks(&m.plan, axes, "pe_coords for 3 axes", pe_coords_i64(i64, 1, 1, 0), p[0],
                     ROWS);
        for (size_t r = 0; r < ROWS; r++) p[r][0] = p[r][1] = p[r][2] = 9 - 2 * (double)r;
        check_blocks(&m.plan, axes, "pe_from_by for 3 axes", pe_from_by(9, -2), p[0], ROWS);
        for (size_t a = 0; a < 3; a++) free(axes[a].memory);
        free(m.memory);
    }
}

/* ------------------------------------------------------------------------------------------------
 * pe_back(), pe_delta(), pe_skip()
 * --------------------------------------------------------------------------------------------- */

/* Holds numbers that places of each kind are made of: random ones in [0], their negatives in
   [1]. */
enum { PLACES = 9, POINTS = 12 };
typedef struct sources {
    int32_t i32[2][3 * POINTS];
    int64_t i64[2][3 * POINTS];
    float f32[2][3 * POINTS];
    double f64[2][3 * POINTS];
    size_t sizes[3];
} sources;

static void sources_make(sources *s, rng *r)
{
    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < 3 * POINTS; i++) {
        const int64_t whole = (int64_t)rng_below(r, 2000) - 1000 + (i % 4 ? 0 : 70000);
        const double real = ldexp(rng_unit(r) - 0.5, 20);
        for (int k = 0; k < 2; k++) {
            const int sign = k ? -1 : 1;
            s->i64[k][i] = sign * (i % 5 ? whole : i / 5 ? s->i64[0][i - 1] + 1 : -1);
            s->i32[k][i] = (int32_t)(sign * (i % 3 ? whole : 1 - (int64_t)i));
            s->f32[k][i] = (float)(sign * real);
            s->f64[k][i] = sign * (i % 6 < 3 ? real : 0.5 * (double)i);
        }
    }
    s->sizes[0] = 2, s->sizes[1] = 3, s->sizes[2] = 2;
}

/* Returns the pe_at number k. With opposite = 1, it returns the one with negated positions, if it
   exists. */
static pe_at place_of(const sources *s, size_t k, int opposite, size_t axes)
{
    const int64_t sign = opposite ? -1 : 1;
    switch (k) {
    case 0: return pe_from_by(-5 * sign, sign); /* the opposite of a range up is one down */
    case 1: return pe_from_by(70000 * sign, -7 * sign);
    case 2: return pe_all(-77 * sign);
    case 3: return pe_at_i32(s->i32[opposite]);
    case 4: return pe_at_i64(s->i64[opposite]);
    case 5: return pe_coords_i64(s->i64[opposite], axes, 1, POINTS);
    case 6: return pe_coords_f64(s->f64[opposite], axes, axes, 1);
    case 7: return pe_coords_f32(s->f32[opposite], axes, axes, 1);
    default: return pe_at_f64(s->f64[opposite]);
    }
}

static void compare(verb v, int t, const char *what, const pe_plan *a, pe_at at, const pe_plan *b,
                    pe_at other, size_t rows)
{
    paint_for(v, t, &want);
    memcpy(&got, &want, sizeof got);
    must_act(v, t, a, at, 0, rows, &want);
    must_act(v, t, b, other, 0, rows, &got);
    same_blocks(v, t, what);
}

/* Tests that pe_back(p) with an offset has the bits of -p with the opposite offset, and that
   applying it twice gives p. */
static void back_is_the_opposite(void **state)
{
    static const double offsets[] = {0, 0.25, -17.5 - 0x1p-20, 5, 1e9};
    rng random = rng_for("back_is_the_opposite");
    (void)state;
    for (size_t n = 0; n < 2 * LENGTH(offsets); n++) {
        const double offset = offsets[n / 2];
        sources s;
        sources_make(&s, &random);
        for (size_t axes = 1; axes <= 3; axes += 2) {
            pe_config c = axes == 1 ? config_for(n % 4, offset, -1.25)
                                    : config_of_axes((pe_layout)(n % 2), offset);
            pe_config mirrored;
            if (axes == 1 && n % 3 == 1) c.angle = PE_ANGLE_FLOAT32, c.scale = 0.37;
            if (axes == 1 && n % 3 == 2) c.half_turns = 1, c.base = 0.5, c.scale = 0x1p-9;
            if (axes == 1 && n == 4) c.has_padding = 1, c.padding_position = s.i64[0][2];
            mirrored = c;
            mirrored.offset = offset == 0 ? 0 : -offset;
            mirrored.padding_position = -c.padding_position;
            made m = make(&c), other = make(&mirrored);
            for (size_t k = 0; k < PLACES; k++)
                for (int v = 0; v < LEARN; v++)
                    for (int t = 0; t < ALL_TYPES; t++) {
                        const pe_at at = place_of(&s, k, 0, axes);
                        const pe_at minus = place_of(&s, k, 1, axes);
                        if (!has_type((verb)v, t) || !is_for((verb)v, &m.plan)) continue;
                        if (c.has_padding && v > BATCH) continue;
                        if (c.angle == PE_ANGLE_FLOAT32 && (v == SHIFT || v == DOT)) continue;
                        compare((verb)v, t, "back", &m.plan, pe_back(at), &other.plan, minus,
                                POINTS);
                        compare((verb)v, t, "back and back", &m.plan, pe_back(pe_back(at)), &m.plan,
                                at, POINTS);
                        if (offset == 0)
                            compare((verb)v, t, "back without offset", &m.plan, pe_back(at),
                                    &m.plan, minus, POINTS);
                    }
            /* no grid has the negated positions of another */
            const size_t rows = s.sizes[0] * s.sizes[1] * s.sizes[2];
            double p[12][3];
            for (size_t r = 0; r < rows; r++) {
                p[r][0] = -(double)(r / 6), p[r][1] = -(double)(r / 2 % 3);
                p[r][2] = -(double)(r % 2);
            }
            for (int t = 0; t < ALL_TYPES && axes == 3; t++)
                compare(FILL, t, "a grid back", &m.plan, pe_back(pe_grid(s.sizes, 3)), &other.plan,
                        pe_coords_f64(p[0], 3, 3, 1), rows);
            free(m.memory), free(other.memory);
        }
    }
}

/* Tests that differences have no offset and no amplitude. pe_back(pe_delta(p)) undoes a rotation
   by p. */
static void deltas_leave_out_the_rest(void **state)
{
    rng random = rng_for("deltas_leave_out_the_rest");
    (void)state;
    for (size_t n = 0; n < 8; n++) {
        sources s;
        sources_make(&s, &random);
        for (size_t axes = 1; axes <= 3; axes += 2) {
            pe_config c = axes == 1 ? config_for(n % 4, 12.5, 0x1.3p-3)
                                    : config_of_axes((pe_layout)(n % 2), 12.5);
            pe_config bare;
            if (axes == 1 && n >= 4) c.angle = PE_ANGLE_FLOAT32;
            c.amplitude = -0x1.3p-3;
            bare = c;
            bare.offset = 0, bare.amplitude = 1;
            made m = make(&c), other = make(&bare);
            for (size_t k = 0; k < PLACES; k++)
                for (int v = 0; v < LEARN; v++)
                    for (int t = 0; t < ALL_TYPES; t++) {
                        const pe_at at = place_of(&s, k, 0, axes);
                        if (!has_type((verb)v, t) || !is_for((verb)v, &m.plan)) continue;
                        if (v == DOT) continue; /* whose amplitude is squared: below */
                        if (c.angle == PE_ANGLE_FLOAT32 && v == SHIFT) continue;
                        compare((verb)v, t, "delta", &m.plan, pe_delta(at), &other.plan, at,
                                POINTS);
                        compare((verb)v, t, "delta twice", &m.plan, pe_delta(pe_delta(at)),
                                &other.plan, at, POINTS);
                        compare((verb)v, t, "delta back", &m.plan, pe_delta(pe_back(at)),
                                &other.plan, place_of(&s, k, 1, axes), POINTS);
                        compare((verb)v, t, "back delta", &m.plan, pe_back(pe_delta(at)), &m.plan,
                                pe_delta(pe_back(at)), POINTS);
                    }
            free(m.memory), free(other.memory);
        }
    }
}

/* Tests that keys that were rotated at p move to p + k, and back to what they were, within their
   roundings. */
static void keys_are_shifted(void **state)
{
    enum { TOKENS = 20 };
    const double u = 1.0 / 16777216;
    rng random = rng_for("keys_are_shifted");
    (void)state;
    for (size_t n = 0; n < workload(64); n++) {
        pe_rope_config model = pe_rope_config_default(64);
        model.layout = (pe_layout)(n % 2);
        static unsigned char memory[1 << 18];
        pe_plan plan;
        assert_true(pe_rope_plan_size(&model) <= sizeof memory);
        assert_int_equal(pe_rope_plan_init(&plan, &model, memory, sizeof memory), PE_OK);
        const pe_heads heads = {1, 0, 64};
        float keys[TOKENS * 64], moved[TOKENS * 64], same[TOKENS * 64], there[TOKENS * 64];
        int64_t at[TOKENS], to[TOKENS];
        int32_t by[TOKENS];
        for (size_t i = 0; i < TOKENS; i++) {
            at[i] = rng_position(&random) / 4;
            by[i] = (int32_t)(rng_position(&random) / 4);
            to[i] = at[i] + by[i];
        }
        for (size_t i = 0; i < TOKENS * 64; i++) keys[i] = (float)(2 * rng_unit(&random) - 1);
        memcpy(moved, keys, sizeof keys), memcpy(there, keys, sizeof keys);
        assert_int_equal(pe_rope_f32(&plan, pe_at_i64(at), TOKENS, moved, heads), PE_OK);
        memcpy(same, moved, sizeof moved);
        assert_int_equal(pe_rope_f32(&plan, pe_delta(pe_at_i32(by)), TOKENS, moved, heads), PE_OK);
        assert_int_equal(pe_rope_f32(&plan, pe_at_i64(to), TOKENS, there, heads), PE_OK);
        assert_int_equal(pe_rope_f32(&plan, pe_back(pe_delta(pe_at_i64(at))), TOKENS, same, heads),
                         PE_OK);
        /* a pair's length is at most sqrt 2, and each rotation is off by at most 3 u (|a| + |b|) */
        for (size_t i = 0; i < TOKENS * 64; i++) {
            assert_true(fabs((double)moved[i] - (double)there[i]) <= 3 * 6 * u);
            assert_true(fabs((double)same[i] - (double)keys[i]) <= 2 * 6 * u);
        }
    }
}

/* Checks that every verb, divided anywhere with pe_skip(), gives the rows of the undivided call. */
static void skips_cut_anywhere(void **state)
{
    rng random = rng_for("skips_cut_anywhere");
    (void)state;
    for (size_t n = 0; n < 3; n++) {
        sources s;
        sources_make(&s, &random);
        for (size_t axes = 1; axes <= 3; axes += 2) {
            const pe_config c =
                axes == 1 ? config_for(n, 0.5, 1) : config_of_axes((pe_layout)(n % 2), 0);
            made m = make(&c);
            for (size_t k = 0; k < 2 * (PLACES + 1); k++)
                for (int v = 0; v < VERBS; v++)
                    for (int t = 0; t < ALL_TYPES; t++) {
                        pe_at at =
                            k / 2 < PLACES ? place_of(&s, k / 2, 0, axes) : pe_grid(s.sizes, axes);
                        const size_t rows = k / 2 < PLACES ? POINTS : axes == 1 ? 2 : POINTS;
                        if (!has_type((verb)v, t)) continue;
                        if (v >= LEARN) /* rows of a table */
                            at = k % 3 ? pe_from_by(63, -5) : pe_from(7);
                        else if (!is_for((verb)v, &m.plan)) continue;
                        else if (k % 2) at = n ? pe_back(at) : pe_delta(at);
                        paint_for((verb)v, t, &want);
                        const block fresh = want;
                        must_act((verb)v, t, &m.plan, at, 0, rows, &want);
                        for (size_t cut = 0; cut <= rows; cut += 1 + (size_t)v % 3) {
                            const size_t again = cut + (rows - cut) / 2;
                            got = fresh;
                            must_act((verb)v, t, &m.plan, at, 0, cut, &got);
                            must_act((verb)v, t, &m.plan, pe_skip(at, cut), cut, again - cut, &got);
                            must_act((verb)v, t, &m.plan, pe_skip(pe_skip(at, cut), again - cut),
                                     again, rows - again, &got);
                            same_blocks((verb)v, t, "cut");
                        }
                    }
            free(m.memory);
        }
    }
}

/* ------------------------------------------------------------------------------------------------
 * What makes no sense
 * --------------------------------------------------------------------------------------------- */

/* Checks that each verb that can use the plan returns this status in each type, and writes
   nothing. */
static void refused(const pe_plan *plan, const char *what, pe_at at, size_t rows, pe_status status)
{
    for (int v = 0; v < VERBS; v++)
        for (int t = 0; t < ALL_TYPES; t++) {
            if (!has_type((verb)v, t) || (v < GGML && !is_for((verb)v, plan))) continue;
            memset(&got, CANARY, sizeof got);
            const pe_status had = act((verb)v, t, plan, at, 0, rows, &got);
            if (had != status)
                fail_msg("%s_%s: %s: \"%s\" instead of \"%s\"", verb_names[v], type_names[t], what,
                         pe_status_string(had), pe_status_string(status));
            if (!all_canaries(&got, sizeof got))
                fail_msg("%s_%s: %s: written although refused", verb_names[v], type_names[t], what);
            /* without rows, no argument is checked */
            assert_int_equal(act((verb)v, t, NULL, at, 0, 0, &got), PE_OK);
        }
}

/* Tests that a place without its numbers is refused. */
static void null_places_are_refused(void **state)
{
    const pe_config c = config_for(0, 0, 1);
    made m = make(&c);
    (void)state;
    refused(&m.plan, "i32 NULL", pe_at_i32(NULL), 3, PE_ERR_AT_NULL);
    refused(&m.plan, "i64 NULL", pe_at_i64(NULL), 3, PE_ERR_AT_NULL);
    refused(&m.plan, "f32 NULL", pe_at_f32(NULL), 3, PE_ERR_AT_NULL);
    refused(&m.plan, "f64 NULL", pe_at_f64(NULL), 3, PE_ERR_AT_NULL);
    refused(&m.plan, "grid NULL", pe_grid(NULL, 1), 3, PE_ERR_AT_NULL);
    refused(&m.plan, "coords NULL", pe_coords_i32(NULL, 1, 1, 1), 3, PE_ERR_AT_NULL);
    refused(&m.plan, "coords NULL", pe_coords_i64(NULL, 1, 1, 1), 3, PE_ERR_AT_NULL);
    refused(&m.plan, "coords NULL", pe_coords_f32(NULL, 1, 1, 1), 3, PE_ERR_AT_NULL);
    refused(&m.plan, "coords NULL", pe_coords_f64(NULL, 1, 1, 1), 3, PE_ERR_AT_NULL);
    refused(&m.plan, "skipped NULL", pe_skip(pe_back(pe_at_i64(NULL)), 2), 3, PE_ERR_AT_NULL);
    free(m.memory);
}

/* Tests places with another number of coordinates than the plan, or with a number that no plan
   has. */
static void other_numbers_of_coordinates_are_refused(void **state)
{
    const pe_config c = config_for(0, 0, 1);
    made m = make(&c);
    (void)state;
    static const size_t wrong[] = {0, 2, 3, 8, 9, 1000, SIZE_MAX};
    static const int32_t i32[32];
    static const int64_t i64[32];
    static const float f32[32];
    static const double f64[32];
    static const size_t ones[PE_MAX_AXES] = {4, 1, 1, 1, 1, 1, 1, 1};
    for (size_t k = 0; k < LENGTH(wrong); k++) {
        const size_t n = wrong[k];
        refused(&m.plan, "axes of coords_i32", pe_coords_i32(i32, n, 1, 1), 3, PE_ERR_AT_AXES);
        refused(&m.plan, "axes of coords_i64", pe_coords_i64(i64, n, 1, 1), 3, PE_ERR_AT_AXES);
        refused(&m.plan, "axes of coords_f32", pe_coords_f32(f32, n, 1, 1), 3, PE_ERR_AT_AXES);
        refused(&m.plan, "axes of coords_f64", pe_coords_f64(f64, n, 1, 1), 3, PE_ERR_AT_AXES);
        refused(&m.plan, "axes of grid", pe_grid(ones, n), 3, PE_ERR_AT_AXES);
    }
    free(m.memory);
}

/* Tests places whose bytes no function of pe.h has made. */
static void places_of_no_kind_are_refused(void **state)
{
    const pe_config c = config_for(0, 0, 1);
    made m = make(&c);
    static const int64_t i64[32];
    pe_at at;
    (void)state;
    memset(&at, CANARY, sizeof at);
    refused(&m.plan, "garbage", at, 3, PE_ERR_AT);
    memset(&at, 0xff, sizeof at);
    refused(&m.plan, "garbage", at, 3, PE_ERR_AT);
    at = pe_at_i64(i64), at.kind = 1000;
    refused(&m.plan, "another kind", at, 3, PE_ERR_AT);
    at.kind = -1;
    refused(&m.plan, "another kind", at, 3, PE_ERR_AT);
    free(m.memory);
}

/* Tests grids that have no cell, too few cells, or more cells than positions. */
static void grids_without_enough_cells_are_refused(void **state)
{
    const size_t half = SIZE_MAX / 2 + 1;
    const pe_config c = config_for(0, 0, 1);
    made m = make(&c);
    (void)state;
    const size_t grids[][2] = {{0, 1}, {2, 3}, {half, 1}};
    refused(&m.plan, "a grid of 0", pe_grid(grids[0], 1), 1, PE_ERR_AT_ROWS);
    refused(&m.plan, "a grid of 2", pe_grid(grids[1], 1), 3, PE_ERR_AT_ROWS);
    refused(&m.plan, "a grid of 2, 1 skipped", pe_skip(pe_grid(grids[1], 1), 1), 2, PE_ERR_AT_ROWS);
    refused(&m.plan, "a grid of 2, 3 skipped", pe_skip(pe_grid(grids[1], 1), 3), 1, PE_ERR_AT_ROWS);
    refused(&m.plan, "a grid, all skipped", pe_skip(pe_grid(grids[1], 1), SIZE_MAX), 1,
            PE_ERR_AT_ROWS);
    refused(&m.plan, "a grid, all skipped twice",
            pe_skip(pe_skip(pe_grid(grids[1], 1), SIZE_MAX), SIZE_MAX), 1, PE_ERR_AT_ROWS);
    refused(&m.plan, "a grid beyond 2^31", pe_grid(grids[2], 1), 1, PE_ERR_RANGE);
    free(m.memory);
}

/* Tests ranges whose first or last position is too far, in both directions and as differences. */
static void ranges_beyond_the_positions_are_refused(void **state)
{
    const int64_t P = POSITION_MAX;
    const pe_config c = config_for(0, 0, 1);
    made m = make(&c);
    (void)state;
    const struct {
        int64_t first, step;
        size_t rows;
    } far[] = {{P + 1, 1, 1},     {-P - 1, 1, 1},         {P, 1, 2},
               {-P, -1, 2},       {P - 10, 5, 4},         {-P + 10, -5, 4},
               {0, P + 1, 2},     {0, -P - 1, 2},         {-P, 2 * P + 1, 2},
               {0, INT64_MAX, 2}, {0, INT64_MIN, 2},      {5, INT64_MIN, 9},
               {INT64_MAX, 1, 1}, {INT64_MIN, -1, 1},     {INT64_MAX, 1, 40},
               {P + 1, 0, 40},    {-P, INT64_MAX / 2, 3}, {0, INT64_C(1) << 62, 5}};
    for (size_t k = 0; k < LENGTH(far); k++) {
        const pe_at at = pe_from_by(far[k].first, far[k].step);
        refused(&m.plan, "a range", at, far[k].rows, PE_ERR_RANGE);
        refused(&m.plan, "a range back", pe_back(at), far[k].rows, PE_ERR_RANGE);
        refused(&m.plan, "a range of differences", pe_delta(at), far[k].rows, PE_ERR_RANGE);
    }
    free(m.memory);
}

/* Tests ranges that pe_skip() moves out of the positions. What it can count is counted exactly, and
   a range that went too far stays refused. */
static void ranges_skipped_too_far_are_refused(void **state)
{
    const int64_t P = POSITION_MAX;
    const pe_config c = config_for(0, 0, 1);
    made m = make(&c);
    (void)state;
    refused(&m.plan, "a range skipped into", pe_skip(pe_from(P), 1), 1, PE_ERR_RANGE);
    refused(&m.plan, "a range skipped over", pe_skip(pe_from(-P), SIZE_MAX), 1, PE_ERR_RANGE);
    refused(&m.plan, "a range skipped over", pe_skip(pe_from_by(3, INT64_MIN), 9), 1, PE_ERR_RANGE);
    refused(&m.plan, "a range skipped over", pe_skip(pe_from_by(0, INT64_MIN), 2), 1, PE_ERR_RANGE);
    refused(&m.plan, "a range skipped over, from far", pe_skip(pe_from(INT64_MAX - 3), 10), 1,
            PE_ERR_RANGE);
    refused(&m.plan, "a range skipped over, from far", pe_skip(pe_from_by(INT64_MIN + 3, -2), 10),
            1, PE_ERR_RANGE);
    static const struct {
        int64_t first, step, to;
        uint64_t rows;
    } skips[] = {{INT64_MAX, -1, -1, (uint64_t)1 << 63},
                 {INT64_MAX, -1, 5, INT64_MAX - 5},
                 {INT64_MIN, 1, 0, (uint64_t)1 << 63},
                 {INT64_MIN, 1, 7, ((uint64_t)1 << 63) + 7},
                 {INT64_MAX, -3, -2, ((uint64_t)1 << 63) / 3 + 1},
                 {INT64_MAX, INT64_MIN, -1, 1},
                 {INT64_MIN, INT64_MAX, INT64_MAX - 1, 2},
                 {INT64_MAX, 0, INT64_MAX, UINT64_MAX}};
    for (size_t k = 0; k < LENGTH(skips); k++) {
        if (skips[k].rows > SIZE_MAX) continue;
        const pe_at at = pe_skip(pe_from_by(skips[k].first, skips[k].step), (size_t)skips[k].rows);
        assert_true(at.first == skips[k].to);
        assert_int_equal(at.status, PE_OK);
    }
    refused(&m.plan, "a range skipped to its end", pe_skip(pe_from_by(INT64_MAX, -1), SIZE_MAX), 1,
            PE_ERR_RANGE);
    refused(&m.plan, "a range skipped over twice",
            pe_skip(pe_skip(pe_from(7), (size_t)INT64_MAX - 7), 9), 1, PE_ERR_RANGE);
    refused(&m.plan, "a range that comes back",
            pe_skip(pe_skip(pe_from_by(0, INT64_C(1) << 62), 2), SIZE_MAX), 1, PE_ERR_RANGE);
    free(m.memory);
}

/* Tests lists of which one entry is no position. It may be the first, the last or any between
   them. */
static void lists_with_a_bad_entry_are_refused(void **state)
{
    const double reals[] = {(double)NAN, HUGE_VAL, -HUGE_VAL, 2147483648.5, -2147483649.0, 1e300};
    const float singles[] = {NAN, HUGE_VALF, -HUGE_VALF, 2147483904.0f, -2147483904.0f, 1e30f};
    const pe_config c = config_for(0, 0, 1);
    made m = make(&c);
    (void)state;
    for (size_t k = 0; k < LENGTH(reals); k++)
        for (size_t bad = 0; bad < 7; bad++) {
            double list[7] = {0, 1, 2, 3, 4, 5, 6};
            float single[7] = {0, 1, 2, 3, 4, 5, 6};
            list[bad] = reals[k], single[bad] = singles[k];
            refused(&m.plan, "a list of f64", pe_at_f64(list), 7, PE_ERR_RANGE);
            refused(&m.plan, "a list of f32", pe_back(pe_at_f32(single)), 7, PE_ERR_RANGE);
            refused(&m.plan, "a list of f32", pe_delta(pe_at_f32(single)), 7, PE_ERR_RANGE);
        }
    static const int64_t beyond[] = {POSITION_MAX + 1, -POSITION_MAX - 1, INT64_MAX, INT64_MIN};
    for (size_t k = 0; k < LENGTH(beyond); k++)
        for (size_t bad = 0; bad < 7; bad++) {
            int64_t list[7] = {0, 1, 2, 3, 4, 5, 6};
            list[bad] = beyond[k];
            refused(&m.plan, "a list of i64", pe_at_i64(list), 7, PE_ERR_RANGE);
            if (bad > 0) { /* what is skipped is not looked at */
                memset(&got, CANARY, sizeof got);
                must_act(FILL, F32, &m.plan, pe_skip(pe_at_i64(list), bad + 1), 0, 6 - bad, &got);
                refused(&m.plan, "a list skipped into", pe_skip(pe_at_i64(list), bad), 7 - bad,
                        PE_ERR_RANGE);
            }
        }
    free(m.memory);
}

/* Tests lists that would extend past the address space. They are refused before they are read. */
static void lists_beyond_memory_are_refused_unread(void **state)
{
    static const int32_t i32[32];
    static const int64_t i64[32];
    static const float f32[32];
    static const double f64[32];
    const pe_config c = config_for(0, 0, 1);
    made m = make(&c);
    (void)state;
    refused(&m.plan, "a list skipped over", pe_skip(pe_at_i64(i64), SIZE_MAX), 3, PE_ERR_AT_SIZE);
    refused(&m.plan, "a list skipped over", pe_skip(pe_at_i32(i32), SIZE_MAX / 4), 3,
            PE_ERR_AT_SIZE);
    refused(&m.plan, "a list skipped over",
            pe_skip(pe_skip(pe_at_f32(f32), SIZE_MAX / 2 + 9), SIZE_MAX / 2 + 9), 3,
            PE_ERR_AT_SIZE);
    refused(&m.plan, "strides", pe_coords_f64(f64, 1, SIZE_MAX / 2, 1), 3, PE_ERR_AT_SIZE);
    refused(&m.plan, "strides", pe_coords_f64(f64, 1, SIZE_MAX / 16 + 1, 1), 3, PE_ERR_AT_SIZE);
    free(m.memory);
}

/* Tests that the sum of position and offset is checked, or for pe_back() the sum of their
   opposites. pe_delta() has no offset. */
static void an_offset_counts_in_the_range(void **state)
{
    const int64_t P = POSITION_MAX;
    const pe_config far_off = config_for(1, 100, 1);
    made m = make(&far_off);
    double edge = 2147483648.0 - 99;
    (void)state;
    paint(F32, &got);
    must_act(FILL, F32, &m.plan, pe_from(P - 100), 0, 1, &got);
    assert_int_equal(act(FILL, F32, &m.plan, pe_from(P - 99), 0, 1, &got), PE_ERR_RANGE);
    assert_int_equal(act(FILL, F32, &m.plan, pe_at_f64(&edge), 0, 1, &got), PE_ERR_RANGE);
    assert_int_equal(act(ADD, F16, &m.plan, pe_back(pe_from(P - 99)), 0, 1, &got), PE_ERR_RANGE);
    must_act(ADD, F16, &m.plan, pe_back(pe_from(P - 100)), 0, 1, &got);
    must_act(TURN, F32, &m.plan, pe_delta(pe_from(P - 39)), 0, ROWS, &got);
    assert_int_equal(act(TURN, F32, &m.plan, pe_delta(pe_from(P - 38)), 0, ROWS, &got),
                     PE_ERR_RANGE);
    free(m.memory);
}

/* Checks what plans of three axes refuse: grids with no or too many cells, other numbers of
   coordinates, lists beyond the address space, and coordinates out of range. */
static void nonsense_of_three_axes_is_refused(void **state)
{
    const size_t root = (size_t)1 << (sizeof(size_t) * 4), half = SIZE_MAX / 2 + 1;
    const size_t grids[][3] = {{root, root, 2},
                               {half, 2, 1},
                               {SIZE_MAX, SIZE_MAX, 1},
                               {3, SIZE_MAX / 3 + 1, 1},
                               {SIZE_MAX, 1, 2}};
    static const size_t few[] = {2, 4, 8, 9, 0};
    static const int64_t zeros[64];
    const size_t beyond[3] = {1, (size_t)POSITION_MAX + 2, 1}, none[3] = {SIZE_MAX, 0, SIZE_MAX};
    const size_t ones[PE_MAX_AXES] = {4, 1, 1, 1, 1, 1, 1, 1};
    (void)state;
    for (int layout = 0; layout < 2; layout++) {
        const pe_config c = config_of_axes((pe_layout)layout, 0);
        made m = make(&c);
        for (int v = 0; v <= SHIFT; v++) {
            memset(&got, CANARY, sizeof got);
#define REFUSED(status, at, rows)                                                                  \
    assert_int_equal(act((verb)v, v, &m.plan, at, 0, rows, &got), status)
            for (size_t k = 0; k < LENGTH(grids); k++) {
                REFUSED(PE_ERR_AT_SIZE, pe_grid(grids[k], 3), 2);
                REFUSED(PE_ERR_AT_SIZE, pe_back(pe_skip(pe_grid(grids[k], 3), 5)), 2);
            }
            REFUSED(PE_ERR_AT_ROWS, pe_grid(none, 3), 1);
            if (sizeof(size_t) > 4) REFUSED(PE_ERR_RANGE, pe_grid(beyond, 3), 2);
            for (size_t k = 0; k < LENGTH(few); k++) {
                REFUSED(PE_ERR_AT_AXES, pe_grid(ones, few[k]), 2);
                REFUSED(PE_ERR_AT_AXES, pe_coords_i64(zeros, few[k], few[k], 1), 2);
            }
            REFUSED(PE_ERR_AT_SIZE, pe_coords_i64(zeros, 3, 1, SIZE_MAX / 16), 2);
            REFUSED(PE_ERR_AT_SIZE, pe_coords_i64(zeros, 3, SIZE_MAX, 1), 2);
            for (size_t bad = 0; bad < 9; bad++) {
                double p[9] = {0};
                p[bad] = bad % 2 ? (double)NAN : 2147483649.0;
                REFUSED(PE_ERR_RANGE, pe_coords_f64(p, 3, 3, 1), 3);
                REFUSED(PE_ERR_RANGE, pe_coords_f64(p, 3, 1, 3), 3);
            }
#undef REFUSED
            assert_true(all_canaries(&got, sizeof got));
        }
        assert_int_equal(pe_dot_f64(&m.plan, pe_from(0), 1, (double *)(void *)&got),
                         PE_ERR_PLAN_SHIFT);
        free(m.memory);
    }
}

/* Tests that a plan whose sections are interleaved is for RoPE and its tables only. */
static void interleaved_sections_have_no_rows(void **state)
{
    (void)state;
    pe_rope_config model = pe_rope_config_default(D + 2);
    static unsigned char memory[1 << 18];
    pe_plan plan;
    model.axes = 2, model.sections[0] = model.sections[1] = (D + 2) / 4;
    model.section_order = PE_SECTIONS_INTERLEAVED;
    assert_int_equal(pe_rope_plan_init(&plan, &model, memory, sizeof memory), PE_OK);
    memset(&got, CANARY, sizeof got);
    for (int v = 0; v <= DOT; v++)
        for (int t = 0; t < ALL_TYPES; t++)
            if (has_type((verb)v, t) && (v <= SHIFT || v == DOT))
                assert_int_equal(act((verb)v, t, &plan, pe_from(0), 0, 2, &got),
                                 v == DOT || v == SHIFT ? PE_ERR_PLAN_SHIFT : PE_ERR_PLAN_ROWS);
    assert_true(all_canaries(&got, sizeof got));
    must_act(TABLE, F32, &plan, pe_from(0), 0, 2, &got);
}

/* Tests that a plan whose init fails becomes zeros, whatever it was, and that its memory stays
   as it was. */
static void failed_plans_are_none(void **state)
{
    static unsigned char memory[1 << 18];
    static double omega[D / 2];
    (void)state;
    for (int how = 0; how < 9; how++) {
        const pe_config good = config_for(0, 0, 1);
        pe_config c = good;
        pe_rope_config model = pe_rope_config_default(64);
        pe_plan plan;
        pe_status status, expected = PE_ERR_CONFIG;
        for (size_t i = 0; i < D / 2; i++) omega[i] = 0.5;
        memset(memory, CANARY, sizeof memory);
        memset(&plan, CANARY, sizeof plan);
        switch (how) {
        case 0: c.base = -1, status = pe_plan_init(&plan, &c, memory, sizeof memory); break;
        case 1: status = pe_plan_init(&plan, &c, memory, 64), expected = PE_ERR_MEMORY; break;
        case 2:
            status = pe_plan_init(&plan, NULL, memory, sizeof memory), expected = PE_ERR_NULL;
            break;
        case 3:
            omega[3] = (double)NAN, expected = PE_ERR_FREQUENCY;
            status = pe_plan_init_frequencies(&plan, &c, omega, D / 2, memory, sizeof memory);
            break;
        case 4:
            expected = PE_ERR_PAIRS;
            status = pe_plan_init_frequencies(&plan, &c, omega, D / 2 - 1, memory, sizeof memory);
            break;
        case 5:
            expected = PE_ERR_NULL;
            status = pe_plan_init_frequencies(&plan, &c, NULL, D / 2, memory, sizeof memory);
            break;
        case 6:
            model.rotary_dim = 3, status = pe_rope_plan_init(&plan, &model, memory, sizeof memory);
            break;
        case 7:
            status = pe_rope_plan_init(&plan, &model, memory, 8), expected = PE_ERR_MEMORY;
            break;
        default:
            model.rope_type = PE_ROPE_LONGROPE, expected = PE_ERR_CONFIG;
            model.factor = 4, model.original_max_position_embeddings = 4096;
            status = pe_rope_plan_init(&plan, &model, memory, sizeof memory);
        }
        if (status != expected)
            fail_msg("case %d: \"%s\" instead of \"%s\"", how, pe_status_string(status),
                     pe_status_string(expected));
        assert_true(all_zeros(&plan, sizeof plan));
        assert_true(all_canaries(memory, sizeof memory));
        for (int v = 0; v <= DOT; v++)
            for (int t = 0; t < ALL_TYPES; t++) {
                if (!has_type((verb)v, t)) continue;
                memset(&got, CANARY, sizeof got);
                assert_int_equal(act((verb)v, t, &plan, pe_from(0), 0, 2, &got), PE_ERR_PLAN);
                assert_true(all_canaries(&got, sizeof got));
            }
        assert_int_equal(pe_plan_frequencies(&plan, omega), PE_ERR_PLAN);
        assert_int_equal(pe_plan_wavelengths(&plan, omega), PE_ERR_PLAN);
    }
}

/* Tests that pe_frequency_error() gives the index of the first frequency that no plan can have. */
static void the_wrong_frequency_is_named(void **state)
{
    static double omega[D / 2];
    const double bad[] = {(double)NAN, HUGE_VAL, -HUGE_VAL, 0x1p901, 0x1p-901, -0x1p1000};
    const pe_config c = config_for(0, 0, 1);
    (void)state;
    for (size_t k = 0; k < LENGTH(bad); k++)
        for (size_t i = 0; i < D / 2; i++) {
            size_t index = 77;
            for (size_t j = 0; j < D / 2; j++) omega[j] = j > i ? bad[5 - k] : -0x1p-900;
            omega[i] = bad[k];
            assert_non_null(pe_frequency_error(&c, omega, D / 2, &index));
            assert_int_equal(index, i);
            assert_non_null(pe_frequency_error(&c, omega, D / 2, NULL));
            for (size_t j = 0; j < D / 2; j++) omega[j] = j % 2 ? 0 : 0x1p21;
            assert_null(pe_frequency_error(&c, omega, D / 2, &index));
            assert_int_equal(index, D / 2);
        }
}

/* Checks that the plan of a RoPE config has the bits of a plan with pe_rope_frequencies()'
   doubles. */
static void rope_plans_are_their_frequencies(void **state)
{
    static const pe_rope_type types[] = {PE_ROPE_DEFAULT, PE_ROPE_LINEAR, PE_ROPE_NTK, PE_ROPE_YARN,
                                         PE_ROPE_LLAMA3};
    static unsigned char memory[2][1 << 18];
    (void)state;
    for (size_t k = 0; k < LENGTH(types); k++) {
        pe_rope_config model = pe_rope_config_default(D);
        pe_config c = pe_config_default(D);
        pe_plan rope, plan;
        model.rope_type = types[k], model.factor = 3;
        model.original_max_position_embeddings = 2048, model.max_position_embeddings = 6144;
        model.layout = c.layout = (pe_layout)(k % 2), model.offset = c.offset = 0.5;
        double omega[D / 2], attention;
        assert_int_equal(pe_rope_frequencies(&model, omega, &attention), PE_OK);
        c.amplitude = attention;
        assert_int_equal(pe_rope_plan_init(&rope, &model, memory[0], sizeof memory[0]), PE_OK);
        assert_int_equal(
            pe_plan_init_frequencies(&plan, &c, omega, D / 2, memory[1], sizeof memory[1]), PE_OK);
        assert_true(rope.d_model == D && rope.pairs == D / 2 && rope.axes == 1);
        for (int v = 0; v < LEARN; v++)
            for (int t = 0; t < ALL_TYPES; t++)
                if (has_type((verb)v, t)) {
                    compare((verb)v, t, "RoPE's plan", &rope, pe_from(POSITION_MAX - ROWS), &plan,
                            pe_from(POSITION_MAX - ROWS), ROWS);
                    compare((verb)v, t, "RoPE's plan", &rope, pe_from(-7), &plan, pe_from(-7),
                            ROWS);
                }
    }
}

/* Checks that rows without a plan have the bits of a plan with the same frequencies. Every kind of
   pe_at, both orders of the arrays and every tile occur, and the bytes between rows keep their
   values. */
static void rows_without_a_plan(void **state)
{
    static const size_t pairs[] = {1, 2, 3, 5, 8, 13, 31, 32, 33, 64, 255, 256, 257, 300},
                        rows[] = {1, 2, 35, 96, 100};
    enum { MOST = 300, LONG = 100, PAD = 3 };
    static unsigned char memory[400 * MOST];
    static double filled_rows[2 * MOST * LONG], pair_of[2][(MOST + PAD) * LONG], real[LONG + 3],
        omega[MOST];
    static int32_t whole[LONG + 3];
    static float floats[LONG + 3];
    rng r = rng_for("rows_without_a_plan");
    (void)state;
    for (size_t k = 0; k < LONG + 3; k++) {
        whole[k] = (int32_t)rng_below(&r, k % 2 ? 100 : UINT32_MAX) - (k % 2 ? 0 : INT32_MAX);
        floats[k] = (float)(rng_unit(&r) * 1e4), real[k] = rng_unit(&r) * 0x1p31 * (k % 2 ? 1 : -1);
    }
    const size_t cells = LONG;
    const pe_at places[] = {pe_from(0),          pe_from(-20),
                            pe_from(2147483540), pe_from_by(9, -1),
                            pe_all(7),           pe_from_by(-999, 77),
                            pe_at_i32(whole),    pe_at_f32(floats),
                            pe_at_f64(real),     pe_skip(pe_at_i32(whole), 3),
                            pe_back(pe_from(5)), pe_back(pe_at_f64(real)),
                            pe_grid(&cells, 1),  pe_skip(pe_from(4), 9)};
    for (size_t k = 0; k < LENGTH(pairs) * LENGTH(rows) * LENGTH(places); k++) {
        const size_t n = pairs[k % LENGTH(pairs)], many = rows[k / LENGTH(pairs) % LENGTH(rows)];
        const pe_at at = places[k / LENGTH(pairs) / LENGTH(rows)];
        const double most = k % 3 == 2 ? 2097152 : 1;
        const size_t stride = n + k % 2 * PAD;
        pe_config c = pe_config_default(2 * n);
        pe_plan plan;
        c.layout = PE_LAYOUT_HALVES, c.amplitude = k % 5 == 0 ? -0.3 : 1;
        for (size_t i = 0; i < n; i++)
            omega[i] = i % 17 == 16 ? 0
                                    : most * ldexp(0.5 + rng_unit(&r) / 2,
                                                   -(int)rng_below(&r, k % 3 ? 20 : 900));
        assert_int_equal(pe_plan_init_frequencies(&plan, &c, omega, n, memory, sizeof memory),
                         PE_OK);
        for (int t = 0; t < ALL_TYPES; t++) {
            const size_t e = bytes_of(t);
            unsigned char *const s = (unsigned char *)pair_of[t % 2], *const o = (unsigned char *)
                                                                          pair_of[!(t % 2)];
            memset(pair_of, CANARY, sizeof pair_of);
            pe_status status = PE_ERR_SELFTEST, filled = status;
#define BY(T, type)                                                                                \
    filled = pe_fill_##T(&plan, at, many, (type *)(void *)filled_rows, 2 * n);                     \
    status = pe_sincos_##T(omega, n, c.amplitude, at, many, (type *)(void *)s, (type *)(void *)o,  \
                           stride);                                                                \
    break
            switch (t) {
            case F32: BY(f32, float);
            case F16: BY(f16, uint16_t);
            case BF16: BY(bf16, uint16_t);
            default: BY(f64, double);
            }
#undef BY
            assert_int_equal(filled, PE_OK);
            assert_int_equal(status, PE_OK);
            for (size_t row = 0; row < many; row++) {
                const unsigned char *const w = (const unsigned char *)filled_rows + 2 * n * row * e;
                if (memcmp(s + row * stride * e, w, n * e) ||
                    memcmp(o + row * stride * e, w + n * e, n * e))
                    fail_msg("pe_sincos_%s: %zu pairs, place %zu, row %zu", type_names[t], n,
                             k / LENGTH(pairs) / LENGTH(rows), row);
                for (size_t i = n * e; i < stride * e; i++)
                    assert_true(s[row * stride * e + i] == CANARY &&
                                o[row * stride * e + i] == CANARY);
            }
        }
    }
}

/* ------------------------------------------------------------------------------------------------
 * Engines
 * --------------------------------------------------------------------------------------------- */

/* Tests the calls of an engine, as C programs write them; test_cpp.cpp has them in C++. */
static void calls_read_as_they_should(void **state)
{
    enum { n = 6, d = 512 };
    static unsigned char memory[3][1 << 19];
    static float table[512 * 512], out[n * d], again[n * d], q[128], in[n * 128], turned[n * 128];
    static uint16_t x[n * d], grad[n * 128], keys[n * 128];
    const int32_t ids[n] = {3, 1, 4, 1, 5, 9};
    const int64_t wide[n] = {3, 1, 4, 1, 5, 9};
    const size_t sizes[2] = {2, 3};
    const float xyz[3 * n] = {0.5f, 1, 2, 3, 4, 5, -1, -2, -3, 0, 0, 0, 7, 8.25f, 9, 1e6f, 1, 2};
    const pe_heads heads = {2, 64, 128}, a = {2, 64, 128}, b = {2, 64 * n, 64};
    const int64_t p = 77;
    pe_plan plan, image, rope;
    pe_config config = pe_config_default(d);
    pe_rope_config model = pe_rope_config_default(64);
    (void)state;
    assert_int_equal(pe_plan_init(&plan, &config, memory[0], sizeof memory[0]), PE_OK);
    config.axes = 2;
    assert_int_equal(pe_plan_init(&image, &config, memory[1], sizeof memory[1]), PE_OK);
    assert_int_equal(pe_rope_plan_init(&rope, &model, memory[2], sizeof memory[2]), PE_OK);
    assert_int_equal(pe_fill_f32(&plan, pe_from(0), 512, table, 512), PE_OK);
    assert_int_equal(pe_fill_f32(&plan, pe_at_i32(ids), n, out, d), PE_OK);
    assert_int_equal(pe_sinusoidal_f32(again, n, d), PE_OK);
    assert_memory_equal(table, again, sizeof again);
    for (size_t r = 0; r < n; r++)
        assert_memory_equal(out + r * d, table + (size_t)ids[r] * d, d * sizeof *out);
    for (size_t i = 0; i < 128; i++) q[i] = 1;
    for (size_t i = 0; i < n * 128; i++) in[i] = 0.5f, grad[i] = 0x3c00, keys[i] = 0x3f80;
    assert_int_equal(pe_add_bf16(&image, pe_grid(sizes, 2), n, 1, x, d), PE_OK);
    assert_int_equal(pe_rope_f32(&rope, pe_from(p), 1, q, heads), PE_OK);
    assert_int_equal(pe_rope_f16(&rope, pe_back(pe_at_i64(wide)), n, grad, heads), PE_OK);
    assert_int_equal(pe_rope_bf16(&rope, pe_delta(pe_from_by(-512, 0)), n, keys, heads), PE_OK);
    model.axes = 3, model.sections[0] = 16, model.sections[1] = model.sections[2] = 8;
    assert_int_equal(pe_rope_plan_init(&rope, &model, memory[2], sizeof memory[2]), PE_OK);
    assert_int_equal(pe_rope_to_f32(&rope, pe_coords_f32(xyz, 3, 3, 1), n, 64, in, a, turned, b),
                     PE_OK);
    /* equal bits do not prove the direction of a rotation, so the first pair is computed here */
    assert_true(q[0] == (float)(cos(77.0) - sin(77.0)) && q[32] == (float)(cos(77.0) + sin(77.0)));
    assert_true(turned[0] == 0.5f * ((float)cos(0.5) - (float)sin(0.5)) ||
                fabs((double)turned[0] - 0.5 * (cos(0.5) - sin(0.5))) < 1e-7);
    assert_int_equal(x[0], 0);      /* sin 0, of the first axis */
    assert_int_equal(x[1], 0x3f80); /* cos 0 */
    assert_int_equal(keys[0], keys[64]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_their_rows),
        cmocka_unit_test(lists_are_their_rows),
        cmocka_unit_test(real_positions_are_exact),
        cmocka_unit_test(padding_is_the_position_given),
        cmocka_unit_test(padding_in_ranges),
        cmocka_unit_test(no_padding_of_several_axes),
        cmocka_unit_test(points_are_their_coordinates),
        cmocka_unit_test(grids_are_their_cells),
        cmocka_unit_test(one_coordinate_is_all_of_them),
        cmocka_unit_test(back_is_the_opposite),
        cmocka_unit_test(deltas_leave_out_the_rest),
        cmocka_unit_test(keys_are_shifted),
        cmocka_unit_test(skips_cut_anywhere),
        cmocka_unit_test(null_places_are_refused),
        cmocka_unit_test(other_numbers_of_coordinates_are_refused),
        cmocka_unit_test(places_of_no_kind_are_refused),
        cmocka_unit_test(grids_without_enough_cells_are_refused),
        cmocka_unit_test(ranges_beyond_the_positions_are_refused),
        cmocka_unit_test(ranges_skipped_too_far_are_refused),
        cmocka_unit_test(lists_with_a_bad_entry_are_refused),
        cmocka_unit_test(lists_beyond_memory_are_refused_unread),
        cmocka_unit_test(an_offset_counts_in_the_range),
        cmocka_unit_test(nonsense_of_three_axes_is_refused),
        cmocka_unit_test(interleaved_sections_have_no_rows),
        cmocka_unit_test(failed_plans_are_none),
        cmocka_unit_test(the_wrong_frequency_is_named),
        cmocka_unit_test(rope_plans_are_their_frequencies),
        cmocka_unit_test(rows_without_a_plan),
        cmocka_unit_test(calls_read_as_they_should),
    };
    test_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
