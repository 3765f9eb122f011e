/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes the calls of sinusoidal encodings. An input is a plan and a call with valid or invalid
 * arguments, at a place of any kind. If nothing is wrong with the arguments, the call has to return
 * PE_OK; otherwise it has to return an error that they have. The call may write only its rows, and
 * nothing after an error.
 *
 * The same rows have to come from one call, from two calls, and from each row by itself. They also
 * have to come from a plan without offset and padding, at the positions that the place means. The
 * harness computes these positions itself.
 */
#define FUZZ_FILL
#include "calls.h"
#include "place.h"

enum { WIDEST = 64, ELEMENTS = 320, POOL = 48, REGROUPED = 8 };

typedef struct plan_case {
    pe_plan plan;
    pe_config config;
    pe_plan still; /* `plan` without offset and padding */
    pe_plan bare;  /* `still` with amplitude 1, which is what a plan is for pe_delta() */
} plan_case;

static plan_case pool[POOL];     /* made once; the first eight are default configs */
static size_t pooled, regrouped; /* plans at `regrouped` and above have several axes */

/* ------------------------------------------------------------------------------------------------
 * Plans
 * --------------------------------------------------------------------------------------------- */

/* Makes the two twins of a plan, still and bare, each in memory of its own of `size` bytes. If
   the plan has a list of frequencies, omega is that list; otherwise it is NULL. */
static void make_twins(plan_case *p, const double *omega, void *still, void *bare, size_t size)
{
    pe_config c = p->config;
    const size_t pairs = p->plan.pairs;
    c.offset = 0, c.has_padding = 0;
    pe_status status = omega ? pe_plan_init_frequencies(&p->still, &c, omega, pairs, still, size)
                             : pe_plan_init(&p->still, &c, still, size);
    c.amplitude = 1;
    if (status == PE_OK)
        status = omega ? pe_plan_init_frequencies(&p->bare, &c, omega, pairs, bare, size)
                       : pe_plan_init(&p->bare, &c, bare, size);
    if (status != PE_OK) FUZZ_FAIL("a plan has no twin without offset: status %d", (int)status);
}

/* Returns whether each pair's angle is a sum over all coordinates. */
static int turns_by_sums(const pe_config *c)
{
    return c->axes > 1 && c->columns == PE_COLUMNS_SUMS;
}

static void pool_add(pe_config config)
{
    const size_t bytes = pe_plan_size(&config), pairs = (config.d_model + 1) / 2;
    const int sums = turns_by_sums(&config);
    double matrix[WIDEST * PE_MAX_AXES];
    plan_case *p = &pool[pooled++];
    p->config = config;
    for (size_t i = 0; sums && i < pairs * config.axes; i++)
        matrix[i] = 1.0 / (double)(i + 1) - 0.125;
    void *const memory = malloc(bytes);
    if (bytes == 0 ||
        (sums ? pe_plan_init_frequencies(&p->plan, &config, matrix, pairs, memory, bytes)
              : pe_plan_init(&p->plan, &config, memory, bytes)) != PE_OK)
        FUZZ_FAIL("no plan for number %zu of the pool", pooled - 1);
    make_twins(p, sums ? matrix : NULL, malloc(bytes), malloc(bytes), bytes);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const size_t widths[] = {1, 2, 7, 16, 17, 32, 48, 64};
    (void)argc, (void)argv;
    fuzz_memory_make();
    for (size_t i = 0; i < FUZZ_COUNT(widths); i++) pool_add(pe_config_default(widths[i]));
    for (int i = 0; i < (int)PE_PRESET_COUNT; i++)
        pool_add(pe_config_preset((pe_preset)i, i == (int)PE_PRESET_VIDEO_3D ? 48
                                                : i == (int)PE_PRESET_MAE_2D ? 24
                                                                             : 18));
    pe_config c = pe_config_default(34);
    c.angle = PE_ANGLE_FLOAT32, c.cos_first = 1;
    pool_add(c);
    c = pe_config_default(30);
    c.expected_rows = 1;
    pool_add(c);
    c = pe_config_default(9);
    c.odd = PE_ODD_ZERO, c.layout = PE_LAYOUT_HALVES, c.has_padding = 1, c.padding_position = 3;
    pool_add(c);
    c = pe_config_default(20);
    c.amplitude = 0x1p126, c.offset = 0.25, c.scale = -3;
    pool_add(c);
    c = pe_config_default(12);
    c.amplitude = -0x1p-130, c.base = 1, c.half_turns = 1, c.scale = 0.125;
    pool_add(c);
    c = pe_config_default(40);
    c.offset = 2147483648.0, c.layout = PE_LAYOUT_HALVES, c.cos_first = 1;
    pool_add(c);
    c = pe_config_default(6);
    c.scale = 2097152, c.base = 2;
    pool_add(c);
    regrouped = pooled;
    for (int k = 0; k < REGROUPED; k++) { /* columns of several axes in each order, and sums */
        c = pe_config_default(k == 6 ? 9 : 24);
        c.axes = k % 2 ? 2 : 3, c.columns = k < 4 ? (pe_columns)(1 + k / 2) : PE_COLUMNS_SUMS;
        c.layout = k % 4 == 1 || k % 4 == 2 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
        for (size_t a = 0; a < c.axes; a++) c.axis[a].coordinate = c.axes - 1 - a;
        c.half_turns = k == 5, c.offset = k == 4 ? 0.5 : 0, c.expected_rows = k == 7;
        pool_add(c);
    }
    return 0;
}

static uint8_t coordinates[WIDEST / 2];

static pe_config decode_config(fuzz_input *in)
{
    const unsigned kind = fuzz_byte(in);
    const unsigned width = fuzz_byte(in);
    const unsigned fields = (unsigned)fuzz_bytes(in, 2);
    const size_t d = width < 160   ? 1 + width % 40
                     : width < 240 ? 1 + width % WIDEST
                     : width < 248 ? fuzz_huge(in)
                                   : 0;
    pe_config c = pe_config_default(d);
    if (kind < 160) c = pe_config_preset((pe_preset)(kind % PE_PRESET_COUNT), d);
    else if (kind < 176) c = pe_config_preset((pe_preset)(int)(int8_t)fuzz_byte(in), d);
    if (fields & 1) c.base = fuzz_double(in);
    if (fields & 2) c.amplitude = fuzz_double(in);
    if (fields & 4) c.scale = fuzz_double(in);
    if (fields & 8) c.half_turns = (int)fuzz_byte(in) - 1;
    if (fields & 16) c.offset = fuzz_double(in);
    if (fields & 32) c.layout = (pe_layout)(fuzz_byte(in) % 5);
    if (fields & 64) c.cos_first = (int)fuzz_byte(in) - 1;
    if (fields & 128) c.odd = (pe_odd)(fuzz_byte(in) % 5);
    if (fields & 256) c.exponent = (pe_exponent)(fuzz_byte(in) % 6);
    if (fields & 512) c.exponent_shift = fuzz_double(in);
    if (fields & 1024) c.angle = (pe_angle)(fuzz_byte(in) % 5);
    if (fields & 2048) c.has_padding = (int)fuzz_byte(in), c.padding_position = fuzz_position(in);
    if (fields & 4096) c.padding_position = fuzz_far(in);
    if (fields & 8192) c.multiple = fuzz_byte(in) < 192 ? fuzz_byte(in) % 9 : fuzz_huge(in);
    if (fields & 16384) c.axes = fuzz_byte(in) < 224 ? fuzz_byte(in) % 10 : fuzz_huge(in);
    c.expected_rows = kind & 1 ? (size_t)(width % 3) : 0;
    if (fields & 32768) {
        for (size_t a = 0; a < PE_MAX_AXES; a++) {
            const unsigned b = fuzz_byte(in);
            c.axis[a].width = b == 255 ? fuzz_huge(in) : b / 16;
            c.axis[a].coordinate = b == 254 ? fuzz_huge(in) : b % 4;
        }
        const unsigned how = fuzz_byte(in);
        c.columns = (pe_columns)(how % 6);
        if (how >= 250 && d <= WIDEST) { /* for RoPE: a coordinate for each pair */
            for (size_t i = 0; i < WIDEST / 2; i++)
                coordinates[i] = i % 5 == 4 ? 255 : (uint8_t)(i * how % 3);
            c.coordinate = coordinates,
            c.columns = how == 255 ? PE_COLUMNS_JOINED : PE_COLUMNS_BLOCKS;
        }
    }
    return c;
}

/* Returns whether a config like this one may list the coordinates of its pairs, and whether its
   list is valid. c->coordinate must not be NULL. */
static int coordinates_fit(const pe_config *c)
{
    int ok = c->columns == PE_COLUMNS_BLOCKS && c->d_model % 2 == 0 && !c->has_padding;
    for (size_t i = 0; i < c->d_model / 2; i++)
        ok &= c->coordinate[i] < c->axes || c->coordinate[i] == 255;
    return ok;
}

/* Returns whether a field is out of the range that its comment in pe_config gives. */
static int breaks_a_limit(const pe_config *c)
{
    return c->d_model == 0 || !(c->base >= 0x1p-20 && c->base <= 0x1p900) ||
           !(fabs(c->amplitude) >= 0x1p-1000 && fabs(c->amplitude) <= 0x1p1000) ||
           !(fabs(c->scale) >= 0x1p-900 && fabs(c->scale) <= 0x1p21) ||
           !(fabs(c->offset) <= 0x1p31) || c->offset * 0x1p20 != floor(c->offset * 0x1p20) ||
           (unsigned)c->layout > 1 || (unsigned)c->odd > 1 || (unsigned)c->exponent > 2 ||
           (unsigned)c->angle > 1 || c->multiple == 0 || c->d_model % c->multiple != 0 ||
           c->axes == 0 || c->axes > PE_MAX_AXES || (c->axes > 1 && c->has_padding) ||
           (c->coordinate && !coordinates_fit(c)) || (unsigned)c->columns > 3 ||
           (turns_by_sums(c) && c->angle != PE_ANGLE_EXACT);
}

/* Makes *p from an input, with plans of its own. p->plan is in the first block of memory, the only
   one that is still taken. Returns 0, with no block taken, if the config or its arguments are
   refused, or if d_model is larger than WIDEST. */
static int decode_plan(fuzz_input *in, plan_case *p)
{
    const unsigned how = fuzz_byte(in), front = fuzz_byte(in) & 63;
    pe_config *const c = &p->config;
    *c = decode_config(in);
    const size_t bytes = pe_plan_size(c);
    const int sums = turns_by_sums(c) && bytes != 0;
    const int own = (how & 1) && (c->axes == 1 || sums); /* frequencies */
    if (bytes != 0 && breaks_a_limit(c))
        FUZZ_FAIL("a config that breaks a limit has a size, %zu", bytes);

    const int refused = bytes == 0 || bytes > FUZZ_PLACE - 64 || (how >= 192 && how < 240);
    uint64_t may = bytes == 0 ? FUZZ_BIT(PE_ERR_CONFIG) : 0;
    unsigned char *memory = (unsigned char *)fuzz_take(refused ? 256 : bytes + front, how & 2);
    void *at = memory + (refused ? 0 : front);
    size_t size = bytes;
    if (refused) { /* too little memory, or none */
        size = (how & 12) == 12 ? 0 : (how & 12) == 8 ? bytes / 2 : bytes - (bytes > 0);
        if (size > 256 || (how & 48) == 0) at = (how & 16) ? at : NULL;
        if (at == NULL) may |= FUZZ_BIT(PE_ERR_NULL);
        if (bytes != 0) may |= FUZZ_BIT(PE_ERR_MEMORY);
    }

    pe_plan *const plan = (pe_plan *)fuzz_take(sizeof *plan, 1);
    static double given_omega[WIDEST * PE_MAX_AXES];
    pe_status status;
    if (own) {
        const size_t right =
            (c->odd == PE_ODD_SINE ? c->d_model / 2 + c->d_model % 2 : c->d_model / 2);
        const size_t pairs = fuzz_byte(in) < 224 && right <= WIDEST ? right : fuzz_byte(in);
        const size_t given = (pairs < WIDEST ? pairs : WIDEST) * (sums ? c->axes : 1);
        double *omega = (double *)fuzz_take(given * sizeof *omega, 1);
        int in_range = 1;
        for (size_t i = 0; i < given; i++) {
            omega[i] = fuzz_byte(in) < 250 ? ldexp((double)(fuzz_byte(in) + 1), -(int)(i % 64) - 8)
                                           : fuzz_double(in);
            const double w = fabs(omega[i]), s = w * fabs(c->scale);
            in_range &= w == 0 || (w >= 0x1p-900 && w <= 0x1p900 && s >= 0x1p-960 && s <= 0x1p21);
        }
        if (bytes != 0 && pairs != right) may |= FUZZ_BIT(PE_ERR_PAIRS);
        else if (!in_range) may |= FUZZ_BIT(PE_ERR_FREQUENCY);
        size_t index = 0;
        if ((pe_frequency_error(c, omega, given, &index) == NULL) != (in_range != 0) ||
            (index == given) != (in_range != 0))
            FUZZ_FAIL("pe_frequency_error: number %zu of %zu", index, given);
        memcpy(given_omega, omega, given * sizeof *omega);
        fuzz_save(3);
        fuzz_zeros(plan);
        status = pe_plan_init_frequencies(plan, c, omega, pairs, at, size);
    } else {
        if (sums) may |= FUZZ_BIT(PE_ERR_SUMS); /* they need a matrix of frequencies */
        fuzz_save(2);
        fuzz_zeros(plan);
        status = pe_plan_init(plan, c, at, size);
    }
    if (!fuzz_status("pe_plan_init", status, may)) {
        fuzz_release(0);
        return 0;
    }
    for (size_t i = 0; i < front; i++)
        if (memory[i] != FUZZ_CANARY)
            FUZZ_FAIL("pe_plan_init wrote before the memory it was given");
    p->plan = *plan;
    fuzz_release(1);
    static unsigned char twins[2][FUZZ_PLACE];
    make_twins(p, own ? given_omega : NULL, twins[0], twins[1], sizeof twins[0]);
    if (c->d_model <= WIDEST) return 1;
    fuzz_release(0); /* the plan is valid, but the harness has no room for its rows */
    return 0;
}

/* ------------------------------------------------------------------------------------------------
 * Rows
 * --------------------------------------------------------------------------------------------- */

/* Returns PE_ERR_PLAN_ROWS if the plan lists the coordinates of its pairs, and 0 otherwise. Only
   RoPE can use such a plan. */
static uint64_t rows_may(const plan_case *p)
{
    return p->config.coordinate ? FUZZ_BIT(PE_ERR_PLAN_ROWS) : 0;
}

/* Describes a call for `rows` rows of a place, written to x. */
typedef struct rows_call {
    const fuzz_fill *calls;
    const pe_plan *plan;
    pe_at at;
    size_t rows, stride;
    float scale;
    int is_add;
    void *x;
} rows_call;

static pe_status run(const rows_call *c)
{
    if (c->is_add) return c->calls->add(c->plan, c->at, c->rows, c->scale, c->x, c->stride);
    return c->calls->fill(c->plan, c->at, c->rows, c->x, c->stride);
}

/* Runs rows k ... k + n - 1 of a call, and writes them to rows of `size` bytes side by side at
   y. */
static pe_status run_part(const rows_call *c, size_t k, size_t n, unsigned char *y, size_t size)
{
    rows_call p = *c;
    p.at = pe_skip(c->at, k), p.rows = n, p.stride = c->plan->d_model, p.x = y + k * size;
    return run(&p);
}

/* Fills row r with the plan without offset and padding, at the angles that the place means. */
static void fill_by_twin(const plan_case *p, const fuzz_place *place, size_t r,
                         const fuzz_fill *calls, void *x, size_t row_bytes)
{
    const double offset = p->config.offset;
    double t[PE_MAX_AXES];
    for (size_t a = 0; a < p->plan.axes; a++) t[a] = fuzz_turn(place, r, a, offset);
    if (p->config.has_padding && !place->delta &&
        place->position[r][0] == (double)p->config.padding_position)
        memset(x, 0, row_bytes);
    else if (calls->fill(place->delta ? &p->bare : &p->still, pe_coords_f64(t, p->plan.axes, 0, 1),
                         1, x, p->plan.d_model) != PE_OK)
        FUZZ_FAIL("a row is refused alone");
}

/* Compares rows of `stride` at x with rows side by side at y. What is between the rows at x has
   to be as it was saved. */
static void compare_rows(const char *what, fuzz_type t, size_t d, size_t rows, const void *x,
                         size_t stride, const void *y)
{
    const size_t size = fuzz_size(t);
    const unsigned char *a = (const unsigned char *)x, *b = (const unsigned char *)y;
    const unsigned char *was = fuzz_saved(x);
    for (size_t r = 0; r < rows; r++, a += stride * size, was += stride * size, b += d * size) {
        if (!fuzz_same(t, a, b, d))
            FUZZ_FAIL("%s: row %zu of %zu differs, type %d, d_model %zu", what, r, rows, (int)t, d);
        if (r + 1 < rows && memcmp(a + d * size, was + d * size, (stride - d) * size) != 0)
            FUZZ_FAIL("%s: written behind row %zu, type %d, d_model %zu", what, r, (int)t, d);
    }
}

/* Computes x = scale x + PE in place for floats and doubles. The product is rounded. */
static void add_plainly(fuzz_type t, float scale, const void *pe, void *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (t == FUZZ_F32) {
            float *const y = (float *)x + i;
            volatile float product = scale * *y;
            *y = product + ((const float *)pe)[i];
        } else {
            double *const y = (double *)x + i;
            volatile double product = (double)scale * *y;
            *y = product + ((const double *)pe)[i];
        }
    }
}

static float decode_scale(fuzz_input *in)
{
    static const float some[] = {1, 1, 1, 22.627417f, 0, -1, 8, 1e-30f};
    const unsigned b = fuzz_byte(in);
    return b < 224 ? some[b % 8] : fuzz_float_of((uint32_t)fuzz_bytes(in, 4));
}

/* Returns the flaw of the place for an error from fuzz_wrong(). The errors `from`, from + 1 ... are
   flaws of the place, beginning with FUZZ_FAR. Smaller errors are made elsewhere. */
static fuzz_flaw flaw_of(size_t wrong, size_t from)
{
    return wrong < from ? FUZZ_GOOD : (fuzz_flaw)(FUZZ_FAR + (int)(wrong - from));
}

static void op_rows(fuzz_input *in, const plan_case *p)
{
    const pe_plan *plan = &p->plan;
    const size_t d = plan->d_model, axes = plan->axes, room = ELEMENTS / d;
    const unsigned b = fuzz_byte(in), seed = fuzz_byte(in);
    const size_t wrong = fuzz_wrong(in, 10);
    const fuzz_type t = (fuzz_type)(b % FUZZ_TYPES);
    const size_t size = fuzz_size(t);
    size_t rows = fuzz_byte(in) % (room < 40 ? room + 1 : 40), bytes = 0;
    size_t stride = d + (seed & 32 ? fuzz_byte(in) % 19 : 0);
    static fuzz_place place;
    rows_call c;
    c.calls = &fuzz_fills[t], c.plan = plan, c.is_add = b >> 2 & 1;
    c.scale = c.is_add ? decode_scale(in) : 1;
    if (wrong == 2) stride = seed & 1 ? fuzz_huge(in) : seed / 4 % (d + 1);
    if (wrong == 3) rows = fuzz_huge(in);

    /* `may` collects the errors that the call has to report. */
    fuzz_place_make(in, &place, rows, axes, p->config.offset, flaw_of(wrong, 5), 0);
    if (place.too_long) return;
    uint64_t may = 0;
    if (rows) {
        may = rows_may(p) | place.may | fuzz_shape(d, rows, stride, size, &bytes);
        if (may == 0 && (rows > FUZZ_ROWS || rows * d > ELEMENTS || bytes > FUZZ_PLACE)) return;
        if (wrong == 1 || wrong == 4) may |= FUZZ_BIT(PE_ERR_NULL);
    }
    if (may != 0 || rows == 0) bytes = bytes > 256 || rows == 0 ? 256 : bytes;
    unsigned char *const memory = (unsigned char *)fuzz_take(bytes, (seed & 16) == 0);
    if (c.is_add) fuzz_elements(t, memory, bytes / size, seed);
    c.at = place.at, c.rows = rows, c.stride = stride, c.x = wrong == 4 ? NULL : memory;
    if (wrong == 1) c.plan = NULL;
    fuzz_save(fuzz_all.used > 1 ? 2 : 1);
    const pe_status status = run(&c);
    if (!fuzz_status(c.is_add ? "pe_add" : "pe_fill", status, may)) return;
    if (rows == 0) {
        fuzz_unwritten("no rows");
        return;
    }

    /* Compute the same rows in another way, without gaps between them. */
    const size_t row_bytes = d * size, cut = (size_t)(b >> 5) * rows / 7;
    unsigned char *const y = (unsigned char *)fuzz_take(rows * row_bytes, (seed & 16) != 0);
    if (c.is_add)
        for (size_t r = 0; r < rows; r++)
            memcpy(y + r * row_bytes, fuzz_saved(memory) + r * stride * size, row_bytes);
    if ((seed & 64) && !(c.is_add && t > FUZZ_F64)) {
        for (size_t r = 0; r < rows; r++) {
            unsigned char row[WIDEST * 8];
            fill_by_twin(p, &place, r, c.calls, c.is_add ? row : y + r * row_bytes, row_bytes);
            if (c.is_add) add_plainly(t, c.scale, row, y + r * row_bytes, d);
        }
    } else if (seed & 128) { /* each row by itself, from the last to the first */
        for (size_t r = rows; r-- > 0;)
            if (run_part(&c, r, 1, y, row_bytes) != PE_OK) FUZZ_FAIL("a row is refused alone");
    } else if (run_part(&c, cut, rows - cut, y, row_bytes) != PE_OK ||
               run_part(&c, 0, cut, y, row_bytes) != PE_OK) {
        FUZZ_FAIL("a part of a call is refused");
    }
    compare_rows(c.is_add ? "pe_add" : "pe_fill", t, d, rows, memory, stride, y);
}

/* Compares pe_add_batch_T with pe_add_T called for each batch. */
static void op_batch(fuzz_input *in, const plan_case *p)
{
    const pe_plan *plan = &p->plan;
    const size_t d = plan->d_model;
    const unsigned b = fuzz_byte(in), seed = fuzz_byte(in);
    const size_t wrong = fuzz_wrong(in, 11);
    const fuzz_type t = (fuzz_type)(b % FUZZ_TYPES);
    const size_t size = fuzz_size(t);
    size_t batches = b >> 2 & 3, rows = fuzz_byte(in) % 8, gap = b >> 4 & 3, stride, batch,
           bytes = 0;
    const float scale = decode_scale(in);
    static fuzz_place place;
    if (rows * d * batches > ELEMENTS) rows = 1;
    if (b & 64) /* [rows, batch, d] */
        batch = d + gap, stride = batch * (batches ? batches : 1);
    else stride = d + gap, batch = (rows ? rows : 1) * stride;
    if (wrong == 1) batch = seed & 1 ? fuzz_huge(in) : batch - 1 - seed / 2 % (d + 1);
    if (wrong == 2) stride = seed & 1 ? fuzz_huge(in) : seed / 4 % (d + 1);
    if (wrong == 3) batches = fuzz_huge(in);
    fuzz_place_make(in, &place, rows, plan->axes, p->config.offset, flaw_of(wrong, 6), 0);
    if (place.too_long) return;

    uint64_t may = 0;
    if (rows && batches) {
        may = rows_may(p) | place.may | fuzz_shape(d, rows, stride, size, &bytes);
        if (batches > 1 && !(may & (FUZZ_BIT(PE_ERR_SIZE) | FUZZ_BIT(PE_ERR_SHAPE)))) {
            const size_t one = (rows - 1) * stride + d;
            const int apart =
                batch >= one || (batch >= d && fuzz_mul_add(batch, batches - 1, d) <= stride);
            if (!apart) may |= FUZZ_BIT(PE_ERR_SHAPE);
            bytes = fuzz_mul_add(fuzz_mul_add(batch, batches - 1, one), size, 0);
            if (fuzz_mul_add(batch, batches, 0) > (size_t)PTRDIFF_MAX / size ||
                bytes > (size_t)PTRDIFF_MAX)
                may |= FUZZ_BIT(PE_ERR_SIZE);
        }
        if (may == 0 && bytes > FUZZ_PLACE) return;
    }
    if (may != 0 || bytes == 0) bytes = 256;
    unsigned char *const x = (unsigned char *)fuzz_take(bytes, seed & 1);
    fuzz_elements(t, x, bytes / size, seed);
    fuzz_save(fuzz_all.used > 1 ? 2 : 1);
    if ((wrong == 4 || wrong == 5) && rows && batches) may |= FUZZ_BIT(PE_ERR_NULL);
    const pe_status status =
        fuzz_fills[t].add_batch(wrong == 5 ? NULL : plan, place.at, rows, batches, scale,
                                wrong == 4 ? NULL : x, stride, batch);
    if (!fuzz_status("pe_add_batch", status, may) || rows == 0 || batches == 0) return;
    unsigned char *const y = (unsigned char *)fuzz_take(bytes, !(seed & 1));
    memcpy(y, fuzz_saved(x), bytes);
    for (size_t k = 0; k < batches; k++)
        if (fuzz_fills[t].add(plan, place.at, rows, scale, y + k * batch * size, stride) != PE_OK)
            FUZZ_FAIL("pe_add refuses a batch");
    if (!fuzz_same(t, x, y, bytes / size))
        FUZZ_FAIL("pe_add_batch: not the bits of pe_add, type %d, d_model %zu", (int)t, d);
}

/* ------------------------------------------------------------------------------------------------
 * The algebra of positions, and the rest
 * --------------------------------------------------------------------------------------------- */

/* Returns the errors of shifts and of pe_dot_f64() with this plan, or 0 if it supports them. */
static uint64_t algebra_may(const plan_case *p)
{
    const pe_plan *const plan = &p->plan;
    int ok = plan->float32 == NULL && p->config.coordinate == NULL &&
             (p->config.axes == 1 || p->config.columns < PE_COLUMNS_FREQUENCIES);
    for (size_t a = 0; a < plan->axes; a++) ok &= plan->axis[a].sines == plan->axis[a].cosines;
    return ok ? 0 : FUZZ_BIT(PE_ERR_PLAN_SHIFT) | rows_may(p);
}

/* Compares shifts by a place with shifts by the numbers that the place means, one by one. */
static void op_shift(fuzz_input *in, const plan_case *p)
{
    const pe_plan *plan = &p->plan;
    const size_t d = plan->d_model, axes = plan->axes;
    const unsigned b = fuzz_byte(in), seed = fuzz_byte(in);
    const size_t wrong = fuzz_wrong(in, 10);
    const fuzz_type t = (fuzz_type)(b % FUZZ_TYPES);
    const size_t size = fuzz_size(t);
    size_t rows = (b >> 2) % (ELEMENTS / d < 9 ? ELEMENTS / d : 9), bytes = 0;
    size_t stride = d + (seed & 32 ? fuzz_byte(in) % 19 : 0);
    static fuzz_place place;
    if (wrong == 1) stride = seed & 1 ? fuzz_huge(in) : seed / 4 % (d + 1);
    if (wrong == 2) rows = fuzz_huge(in);
    fuzz_place_make(in, &place, rows, axes, 0, flaw_of(wrong, 5), 0);
    if (place.too_long) return;
    uint64_t may = 0;
    if (rows) {
        may = place.may | fuzz_shape(d, rows, stride, size, &bytes) | algebra_may(p);
        if (may == 0 && (bytes > FUZZ_PLACE || rows > FUZZ_ROWS)) return;
    }
    if (may != 0 || rows == 0) bytes = 256;
    unsigned char *const x = (unsigned char *)fuzz_take(bytes, seed & 1);
    fuzz_elements(t, x, bytes / size, seed);
    fuzz_save(fuzz_all.used > 1 ? 2 : 1);
    if (rows && (wrong == 3 || wrong == 4)) may |= FUZZ_BIT(PE_ERR_NULL);
    const pe_status status = fuzz_fills[t].shift(wrong == 3 ? NULL : plan, place.at, rows,
                                                 wrong == 4 ? NULL : x, stride);
    if (!fuzz_status("pe_shift", status, may)) return;
    if (rows == 0) {
        fuzz_unwritten("pe_shift of no rows");
        return;
    }
    unsigned char *const y = (unsigned char *)fuzz_take(rows * d * size, !(seed & 1));
    for (size_t r = 0; r < rows; r++) {
        const unsigned char *const was = fuzz_saved(x) + r * stride * size;
        double by[PE_MAX_AXES];
        int stays = 1;
        memcpy(y + r * d * size, was, d * size);
        for (size_t a = 0; a < axes; a++) {
            by[a] = fuzz_turn(&place, r, a, 0);
            stays &= by[a] == 0;
        }
        if (fuzz_fills[t].shift(plan, pe_coords_f64(by, axes, 0, 1), 1, y + r * d * size, d) !=
            PE_OK)
            FUZZ_FAIL("pe_shift refuses a row");
        if (stays && memcmp(x + r * stride * size, was, d * size) != 0)
            FUZZ_FAIL("pe_shift: row %zu is shifted by 0, and changes", r);
    }
    compare_rows("pe_shift", t, d, rows, x, stride, y);
    const size_t cut = (size_t)(seed >> 6) * rows / 3;
    for (size_t r = 0; r < rows; r++)
        memcpy(y + r * d * size, fuzz_saved(x) + r * stride * size, d * size);
    if (fuzz_fills[t].shift(plan, pe_skip(place.at, cut), rows - cut, y + cut * d * size, d) !=
            PE_OK ||
        fuzz_fills[t].shift(plan, place.at, cut, y, d) != PE_OK)
        FUZZ_FAIL("pe_shift refuses a part");
    compare_rows("pe_shift in parts", t, d, rows, x, stride, y);
}

/* Checks the matrix of a shift and its transpose, which is the matrix of the opposite shift. */
static void op_matrix(const pe_plan *plan, int64_t k)
{
    const size_t d = plan->d_model;
    double m[24 * 24], n[24 * 24];
    for (size_t i = 0; i < d * d; i++) m[i] = n[i] = i % (d + 1) == 0;
    if (pe_shift_f64(plan, pe_all(-k), d, m, d) != PE_OK ||
        pe_shift_f64(plan, pe_back(pe_all(-k)), d, n, d) != PE_OK)
        FUZZ_FAIL("pe_shift refuses the identity");
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++)
            if (!(m[i * d + j] == n[j * d + i]))
                FUZZ_FAIL("pe_shift of the identity: %zu, %zu is not that of the transpose", i, j);
}

static void op_algebra(fuzz_input *in, const plan_case *p)
{
    const pe_plan *plan = &p->plan;
    const unsigned b = fuzz_byte(in), seed = fuzz_byte(in);
    const size_t wrong = fuzz_wrong(in, 9);
    uint64_t may = algebra_may(p);
    double one;
    static fuzz_place place;
    if (b % 4 == 0 && plan->d_model <= 24) {
        const int64_t k = fuzz_position(in);
        if (may == 0) op_matrix(plan, k);
        return;
    }
    if (plan->axes != 1) may |= FUZZ_BIT(PE_ERR_PLAN_SHIFT);
    size_t count = fuzz_byte(in) % 40;
    if (wrong == 1) count = fuzz_huge(in);
    fuzz_place_make(in, &place, count, 1, 0, flaw_of(wrong, 4), 0);
    if (place.too_long) return;
    may |= place.may;
    if (count > (size_t)PTRDIFF_MAX / sizeof one) may |= FUZZ_BIT(PE_ERR_SIZE);
    if (count == 0) may = 0;
    if (may == 0 && count > FUZZ_ROWS) return;
    double *const dots = (double *)fuzz_take(may ? 64 : count * sizeof one, seed & 1);
    fuzz_save(fuzz_all.used > 1 ? 2 : 1);
    if ((wrong == 2 || wrong == 3) && count) may |= FUZZ_BIT(PE_ERR_NULL);
    if (!fuzz_status(
            "pe_dot",
            pe_dot_f64(wrong == 2 ? NULL : plan, place.at, count, wrong == 3 ? NULL : dots), may) ||
        count == 0)
        return;
    for (size_t i = 0; i < count; i++) {
        const double k = fuzz_turn(&place, i, 0, 0);
        if (pe_dot_f64(plan, pe_at_f64(&k), 1, &one) != PE_OK ||
            memcmp(&one, &dots[i], sizeof one) != 0)
            FUZZ_FAIL("pe_dot of %a: %a is not number %zu of all, %a", k, one, i, dots[i]);
    }
    const double size = p->config.amplitude * p->config.amplitude * (double)plan->pairs;
    if (pe_dot_f64(plan, pe_all(0), 1, &one) != PE_OK) FUZZ_FAIL("pe_dot refuses 0");
    if (size > 1e-280 && size < 1e280 && !(fabs(one - size) <= 1e-15 * size))
        FUZZ_FAIL("pe_dot: %a, but a row has the square %a", one, size);
}

/* ------------------------------------------------------------------------------------------------
 * Sines and cosines without a plan
 * --------------------------------------------------------------------------------------------- */

/* Returns `pairs` frequencies in a block of their own. Sets *good to 1 if all are in range, and to
   0 otherwise. */
static double *decode_omega(fuzz_input *in, size_t pairs, int *good)
{
    double *const omega = (double *)fuzz_take(pairs * sizeof *omega, 1);
    const unsigned kind = fuzz_byte(in);
    *good = 1;
    for (size_t i = 0; i < pairs; i++) {
        omega[i] = ldexp(1.0 + (double)(i * 37 % 64) / 64, -(int)(i % (1 + kind % 48)));
        if (kind >= 224 && i % 7 == kind % 7) omega[i] = fuzz_double(in);
        const double w = fabs(omega[i]);
        *good &= w == 0 || (w >= 0x1p-900 && w <= 0x1p21);
    }
    return omega;
}

/* Compares pe_sincos_T with rows that pe_fill_T computes one by one, with a plan of the same
   frequencies. The sines and cosines are in two arrays, or in one array whose rows hold the sines
   and then the cosines of a position, or the other way round. */
static void op_sincos(fuzz_input *in)
{
    enum { MOST = 40 };
    static double memory[1024];
    static fuzz_place place;
    const unsigned b = fuzz_byte(in), seed = fuzz_byte(in);
    const size_t wrong = fuzz_wrong(in, 14);
    const fuzz_type t = (fuzz_type)(b % FUZZ_TYPES);
    const size_t size = fuzz_size(t);
    const int in_turn = seed & 1, sines_first = seed >> 1 & 1;
    size_t pairs = (b >> 2) % MOST, rows = fuzz_byte(in) % 24;
    const double amplitude = seed & 4 ? fuzz_double(in) : 1;
    if (pairs < 3 && (seed & 8)) rows += 90; /* PE__SINCOS_MIN_ROWS is 96 */
    while (pairs * rows * 2 > ELEMENTS && rows > 1) rows /= 2;
    const size_t width = in_turn ? 2 * pairs : pairs, gap = seed & 16 ? seed >> 5 : 0;
    size_t stride = width + gap, bytes = 0;
    if (wrong == 1) stride = seed & 32 ? fuzz_huge(in) : seed / 4 % (width + 1);
    if (wrong == 2) rows = fuzz_huge(in);
    int good = 1;
    const double *const omega = decode_omega(in, pairs, &good);
    fuzz_place_make(in, &place, rows, 1, 0, flaw_of(wrong, 9), 0);
    if (place.too_long) return;
    const int nothing = rows == 0 || pairs == 0;
    uint64_t may = 0;
    if (!nothing) {
        may = place.may | fuzz_shape(pairs, rows, stride, size, &bytes);
        if (!(fabs(amplitude) >= 0x1p-1000 && fabs(amplitude) <= 0x1p1000))
            may |= FUZZ_BIT(PE_ERR_AMPLITUDE);
        if (!good) may |= FUZZ_BIT(PE_ERR_FREQUENCY);
        if (wrong >= 3 && wrong <= 5) may |= FUZZ_BIT(PE_ERR_NULL);
        if (wrong == 6) may |= FUZZ_BIT(PE_ERR_ALIGNMENT);
        if (may == 0 && (rows > 128 || stride < width))
            return; /* too many rows, or with in_turn rows that overlap, which is not checked */
        if (may == 0 && in_turn) bytes = ((rows - 1) * stride + width) * size;
        if (may == 0 && bytes > FUZZ_PLACE) return;
    }
    if (may || nothing) bytes = 1024;
    unsigned char *const x = (unsigned char *)fuzz_take(bytes, (seed & 64) != 0);
    unsigned char *const y =
        in_turn ? x + pairs * size : (unsigned char *)fuzz_take(bytes, (seed & 128) != 0);
    unsigned char *const s = sines_first ? x : y, *const c = sines_first ? y : x;
    fuzz_save(fuzz_all.used);
    const pe_status status =
        fuzz_fills[t].sincos(wrong == 3 ? NULL : omega, pairs, amplitude, place.at, rows,
                             wrong == 4 ? NULL : s, wrong == 5 ? NULL : c + (wrong == 6), stride);
    if (!fuzz_status("pe_sincos", status, may)) return;
    if (nothing) {
        fuzz_unwritten("pe_sincos of nothing");
        return;
    }
    pe_config config = pe_config_default(2 * pairs);
    pe_plan plan;
    config.layout = PE_LAYOUT_HALVES, config.expected_rows = 1, config.amplitude = amplitude;
    if (pe_plan_init_frequencies(&plan, &config, omega, pairs, memory, sizeof memory) != PE_OK)
        FUZZ_FAIL("pe_sincos takes what a plan refuses");
    unsigned char *const want_x = (unsigned char *)fuzz_take(bytes, !(seed & 64));
    unsigned char *const want_y =
        in_turn ? want_x + pairs * size : (unsigned char *)fuzz_take(bytes, !(seed & 128));
    memcpy(want_x, fuzz_saved(x), bytes);
    if (!in_turn) memcpy(want_y, fuzz_saved(y), bytes);
    for (size_t r = 0; r < rows; r++) {
        const double p = r < FUZZ_ROWS ? fuzz_turn(&place, r, 0, 0) : 0;
        pe_at at = r < FUZZ_ROWS ? pe_at_f64(&p) : pe_skip(place.at, r);
        unsigned char row[2 * MOST * 8];
        at.delta = 0; /* pe_sincos_T has no plan whose amplitude a pe_delta() could ignore */
        if (fuzz_fills[t].fill(&plan, at, 1, row, 2 * pairs) != PE_OK)
            FUZZ_FAIL("pe_fill refuses a row of pe_sincos");
        memcpy((sines_first ? want_x : want_y) + r * stride * size, row, pairs * size);
        memcpy((sines_first ? want_y : want_x) + r * stride * size, row + pairs * size,
               pairs * size);
    }
    if (!fuzz_same(t, x, want_x, bytes / size) ||
        (!in_turn && !fuzz_same(t, y, want_y, bytes / size)))
        FUZZ_FAIL("pe_sincos: not the bits of pe_fill, type %d, %zu rows of %zu pairs", (int)t,
                  rows, pairs);
}

/* Checks what a plan reports about itself, or compares pe_sinusoidal_f32() with pe_fill_f32(). */
static void op_rest(fuzz_input *in, const plan_case *p)
{
    const unsigned b = fuzz_byte(in);
    if (b & 1) {
        const size_t pairs = p->plan.pairs;
        const pe_plan none = {0};
        double *const w = (double *)fuzz_take(pairs * sizeof *w, 1);
        double *const l = (double *)fuzz_take(pairs * sizeof *l, 0);
        const int sums = turns_by_sums(&p->config); /* such plans report no frequencies */
        const pe_status want = sums ? PE_ERR_SUMS : PE_OK;
        if (pe_plan_frequencies(&p->plan, w) != want || pe_plan_wavelengths(&p->plan, l) != want)
            FUZZ_FAIL("a plan does not say its frequencies");
        for (size_t i = 0; i < pairs && !sums; i++)
            if (w[i] != 0 && fabs(w[i]) > 1e-280 &&
                !(fabs(w[i] * l[i] - 0x1.921fb54442d18p+2) < 1e-12))
                FUZZ_FAIL("frequency %a and wavelength %a do not fit", w[i], l[i]);
        if (pe_plan_frequencies(NULL, w) != PE_ERR_NULL || pe_plan_size(NULL) != 0 ||
            pe_plan_wavelengths(&p->plan, NULL) != PE_ERR_NULL)
            FUZZ_FAIL("NULL is taken");
        if (pe_plan_frequencies(&none, w) != PE_ERR_PLAN ||
            pe_fill_f64(&none, pe_from(0), 1, w, 1) != PE_ERR_PLAN ||
            pe_dot_f64(&none, pe_from(0), 1, w) != PE_ERR_PLAN)
            FUZZ_FAIL("a plan of zeros is taken");
        return;
    }
    const plan_case *q = &pool[b / 2 % 8];
    const size_t wrong = fuzz_wrong(in, 3);
    size_t d = q->plan.d_model, rows = fuzz_byte(in) % 40, bytes = 0;
    if (rows * d > ELEMENTS) rows = ELEMENTS / d;
    if (wrong == 1) d = fuzz_byte(in) < 64 ? 0 : fuzz_huge(in);
    if (wrong == 2) rows = fuzz_huge(in);
    uint64_t may = 0;
    if (rows) {
        may = fuzz_shape(d, rows, d, sizeof(float), &bytes) | fuzz_range(0, rows);
        if (d == 0) may |= FUZZ_BIT(PE_ERR_EMPTY);
        if (d > WIDEST && !may) return; /* valid, but it needs more memory than is here */
        if (may == 0 && bytes > FUZZ_PLACE) return;
        if (wrong == 3) may |= FUZZ_BIT(PE_ERR_NULL);
    }
    float *const x = (float *)fuzz_take(may || rows == 0 ? 64 : bytes, b & 16);
    fuzz_save(1);
    if (!fuzz_status("pe_sinusoidal", pe_sinusoidal_f32(wrong == 3 ? NULL : x, rows, d), may) ||
        rows == 0)
        return;
    if (d != q->plan.d_model) /* fuzz_huge() happened to return a small width */
        return;
    float *const y = (float *)fuzz_take(bytes, !(b & 16));
    if (pe_fill_f32(&q->plan, pe_from(0), rows, y, d) != PE_OK || memcmp(x, y, bytes) != 0)
        FUZZ_FAIL("pe_sinusoidal: not the bits of pe_fill, %zu x %zu", rows, d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, data + size};
    static plan_case own;
    const unsigned b = fuzz_byte(&in);
    const plan_case *p = &pool[b / 32 == 3 ? regrouped + b % REGROUPED : b % regrouped];
    size_t keep = 0;
    if (b >= 192) {
        if (!decode_plan(&in, &own)) return 0;
        p = &own, keep = 1;
        fuzz_save(1);
    }
    const unsigned what = fuzz_byte(&in) % 16;
    switch (what < 15 ? what % 8 : what) {
    case 15: op_sincos(&in); break;
    case 0: op_batch(&in, p); break;
    case 1: op_shift(&in, p); break;
    case 2: op_algebra(&in, p); break;
    case 3: op_rest(&in, p); break;
    default: op_rows(&in, p); break;
    }
    fuzz_release(keep);
    if (keep) fuzz_unwritten("the memory of a plan");
    fuzz_release(0);
    return 0;
}
