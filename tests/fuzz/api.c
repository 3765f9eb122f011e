/* SPDX-License-Identifier: MIT */
/*
 * Fuzzing the calls of sinusoidal encodings: an input is a plan and up to four calls with arguments
 * good and bad. A call has to say PE_OK exactly where nothing is wrong with its arguments, an error
 * that they have otherwise; it may touch its rows alone, and nothing after an error; and the same
 * rows come from one call, from two, and from other calls that promise the same bits.
 */
#define FUZZ_FILL
#include "calls.h"

enum { WIDEST = 64, ELEMENTS = 320, POOL = 32 };

typedef struct plan_case {
    pe_plan plan;
    pe_config config;
} plan_case;

static plan_case pool[POOL]; /* made once; the first eight are default configs */
static size_t pooled;

/* ------------------------------------------------------------------------------------------------
 * Plans
 * --------------------------------------------------------------------------------------------- */

static void pool_add(pe_config config)
{
    const size_t bytes = pe_plan_size(&config);
    plan_case *p = &pool[pooled++];
    p->config = config;
    if (bytes == 0 || pe_plan_init(&p->plan, &config, malloc(bytes), bytes) != PE_OK)
        FUZZ_FAIL("no plan for number %zu of the pool", pooled - 1);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const size_t widths[] = {1, 2, 7, 16, 17, 32, 48, 64};
    (void)argc, (void)argv;
    fuzz_memory_make();
    for (size_t i = 0; i < FUZZ_COUNT(widths); i++)
        pool_add(pe_config_default(widths[i]));
    for (int i = 0; i < (int)PE_PRESET_COUNT; i++)
        pool_add(pe_config_preset((pe_preset)i, i == (int)PE_PRESET_VIDEO_3D ? 48
                                                : i == (int)PE_PRESET_MAE_2D ? 24
                                                                             : 18));
    pe_config c = pe_config_default(34);
    c.angle = PE_ANGLE_FLOAT32, c.cos_first = 1;
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
    return 0;
}

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
    if (kind < 160)
        c = pe_config_preset((pe_preset)(kind % PE_PRESET_COUNT), d);
    else if (kind < 176)
        c = pe_config_preset((pe_preset)(int)(int8_t)fuzz_byte(in), d);
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
    if (fields & 32768)
        for (size_t a = 0; a < PE_MAX_AXES; a++) {
            const unsigned b = fuzz_byte(in);
            c.axis[a].width = b == 255 ? fuzz_huge(in) : b / 16;
            c.axis[a].coordinate = b == 254 ? fuzz_huge(in) : b % 4;
        }
    return c;
}

/* Does this config break a limit that stands at a field of pe_config? */
static int breaks_a_limit(const pe_config *c)
{
    return c->d_model == 0 || !(c->base >= 0x1p-20 && c->base <= 0x1p900) ||
           !(fabs(c->amplitude) >= 0x1p-1000 && fabs(c->amplitude) <= 0x1p1000) ||
           !(fabs(c->scale) >= 0x1p-900 && fabs(c->scale) <= 0x1p21) ||
           !(fabs(c->offset) <= 0x1p31) || c->offset * 0x1p20 != floor(c->offset * 0x1p20) ||
           (unsigned)c->layout > 1 || (unsigned)c->odd > 1 || (unsigned)c->exponent > 2 ||
           (unsigned)c->angle > 1 || c->multiple == 0 || c->d_model % c->multiple != 0 ||
           c->axes == 0 || c->axes > PE_MAX_AXES || (c->axes > 1 && c->has_padding);
}

/* The plan of an input, in memory of its own; the first block. Returns 0 if there is none. */
static int decode_plan(fuzz_input *in, plan_case *p)
{
    const unsigned how = fuzz_byte(in), front = fuzz_byte(in) & 63;
    const int own = how & 1; /* frequencies */
    pe_config *const c = &p->config;
    *c = decode_config(in);
    const size_t bytes = pe_plan_size(c);
    if (bytes != 0 && breaks_a_limit(c))
        FUZZ_FAIL("a config that breaks a limit has a size, %zu", bytes);

    const int refused = bytes == 0 || bytes > FUZZ_PLACE - 64 || (how >= 192 && how < 240);
    unsigned may = bytes == 0 ? FUZZ_BIT(PE_ERR_CONFIG) : 0;
    unsigned char *memory = (unsigned char *)fuzz_take(refused ? 256 : bytes + front, how & 2);
    void *at = memory + (refused ? 0 : front);
    size_t size = bytes;
    if (refused) { /* too little memory, or none */
        size = (how & 12) == 12 ? 0 : (how & 12) == 8 ? bytes / 2 : bytes - (bytes > 0);
        if (size > 256 || (how & 48) == 0) at = (how & 16) ? at : NULL;
        if (at == NULL) may |= FUZZ_BIT(PE_ERR_NULL);
        if (bytes != 0) may |= FUZZ_BIT(PE_ERR_SIZE);
    }

    pe_plan *const plan = (pe_plan *)fuzz_take(sizeof *plan, 1);
    pe_status status;
    if (own) {
        const size_t right =
            (c->odd == PE_ODD_SINE ? c->d_model / 2 + c->d_model % 2 : c->d_model / 2);
        const size_t pairs = fuzz_byte(in) < 224 && right <= WIDEST ? right : fuzz_byte(in);
        const size_t given = pairs < WIDEST ? pairs : WIDEST;
        double *omega = (double *)fuzz_take(given * sizeof *omega, 1);
        int in_range = 1;
        for (size_t i = 0; i < given; i++) {
            omega[i] = fuzz_byte(in) < 250 ? ldexp((double)(fuzz_byte(in) + 1), -(int)i - 8)
                                           : fuzz_double(in);
            const double w = fabs(omega[i]), s = w * fabs(c->scale);
            in_range &= w == 0 || (w >= 0x1p-900 && w <= 0x1p900 && s >= 0x1p-960 && s <= 0x1p21);
        }
        if (bytes != 0 && c->axes != 1) may |= FUZZ_BIT(PE_ERR_CONFIG);
        if (bytes != 0 && pairs != right)
            may |= FUZZ_BIT(PE_ERR_SHAPE);
        else if (!in_range)
            may |= FUZZ_BIT(PE_ERR_CONFIG);
        fuzz_save(3);
        status = pe_plan_init_frequencies(plan, c, omega, pairs, at, size);
    } else {
        fuzz_save(2);
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
    if (c->d_model <= WIDEST) return 1;
    fuzz_release(0); /* right, but its rows have no room here */
    return 0;
}

/* ------------------------------------------------------------------------------------------------
 * Rows
 * --------------------------------------------------------------------------------------------- */

typedef enum way { RANGE, AT, REAL, COORDS, GRID, WAYS } way;

typedef struct rows_call {
    const fuzz_fill *calls;
    fuzz_type type;
    const pe_plan *plan;
    way how;
    int is_add;
    float scale;
    int64_t first;
    const int64_t *at;
    const double *real;
    const size_t *shape;
    size_t rows, stride;
    void *x;
} rows_call;

static pe_status run(const rows_call *c)
{
    const fuzz_fill *f = c->calls;
    if (c->is_add)
        return c->how == RANGE ? f->add(c->plan, c->first, c->rows, c->scale, c->x, c->stride)
                               : f->add_at(c->plan, c->at, c->rows, c->scale, c->x, c->stride);
    switch (c->how) {
    case RANGE:
        return f->range(c->plan, c->first, c->rows, c->x, c->stride);
    case AT:
        return f->at(c->plan, c->at, c->rows, c->x, c->stride);
    case REAL:
        return f->real(c->plan, c->real, c->rows, c->x, c->stride);
    case COORDS:
        return f->coords(c->plan, c->real, c->rows, c->x, c->stride);
    default:
        return f->grid(c->plan, c->shape, c->x, c->stride);
    }
}

/* Rows k ... k + n - 1 of a call that is no grid, at x. */
static rows_call part(const rows_call *c, size_t k, size_t n, void *x, size_t stride)
{
    rows_call p = *c;
    if (c->how == RANGE) p.first += (int64_t)k;
    if (p.at != NULL) p.at += k;
    if (p.real != NULL) p.real += k * (c->how == COORDS ? c->plan->axes : 1);
    p.rows = n, p.x = (unsigned char *)x + k * stride * fuzz_size(c->type), p.stride = stride;
    return p;
}

/* Rows of `stride` at x against rows side by side at y; and what is between those at x is as it was
   saved. */
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

/* x = fma(scale, x, PE) for floats and doubles, in place. */
static void add_plainly(fuzz_type t, float scale, const void *pe, void *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (t == FUZZ_F32) {
            float *const y = (float *)x + i;
            *y = fmaf(scale, *y, ((const float *)pe)[i]);
        } else {
            double *const y = (double *)x + i;
            *y = fma((double)scale, *y, ((const double *)pe)[i]);
        }
    }
}

static float decode_scale(fuzz_input *in)
{
    static const float some[] = {1, 1, 1, 22.627417f, 0, -1, 8, 1e-30f};
    const unsigned b = fuzz_byte(in);
    return b < 224 ? some[b % 8] : fuzz_float_of((uint32_t)fuzz_bytes(in, 4));
}

static void op_rows(fuzz_input *in, const plan_case *p)
{
    const pe_plan *plan = &p->plan;
    const size_t d = plan->d_model, axes = plan->axes;
    const unsigned b = fuzz_byte(in), seed = fuzz_byte(in);
    const size_t wrong = fuzz_wrong(in, 8);
    rows_call c;
    memset(&c, 0, sizeof c);
    c.type = (fuzz_type)(b % FUZZ_TYPES), c.calls = &fuzz_fills[c.type];
    c.plan = wrong == 1 ? NULL : plan;
    c.is_add = b >> 2 & 1;
    c.how = (way)(c.is_add ? (b >> 3) % 2 : (b >> 3) % WAYS);
    if (axes > 1 && (c.is_add || wrong != 2)) /* else refused */
        c.is_add = 0, c.how = b & 8 ? GRID : COORDS;
    const size_t size = fuzz_size(c.type), room = ELEMENTS / d;
    size_t rows = fuzz_byte(in) % (room < 40 ? room + 1 : 40);
    size_t stride = d + (seed & 32 ? fuzz_byte(in) % 19 : 0), real_rows = rows, bytes = 0, shape[8];
    unsigned may = 0;

    if (c.how == GRID) {
        rows = 1;
        for (size_t a = 0; a < axes; a++) {
            shape[a] = fuzz_byte(in) % (axes > 2 ? 4 : 7);
            if (rows * shape[a] > room) shape[a] = 1;
            rows *= shape[a];
        }
        if (wrong == 3) shape[seed % axes] = fuzz_huge(in);
        rows = 1;
        for (size_t a = 0; a < axes; a++)
            if (shape[a] == 0) rows = 0;
        for (size_t a = 0; a < axes && rows; a++)
            rows = fuzz_mul_add(rows, shape[a], 0);
        real_rows = rows;
    } else if (wrong == 3) {
        rows = fuzz_huge(in);
    }
    if (wrong == 4) stride = seed & 1 ? fuzz_huge(in) : seed / 4 % (d + 1);

    /* what is wrong with it */
    c.first = fuzz_position(in);
    if (wrong == 5) c.first = fuzz_far(in);
    for (int again = 0; again < 2; again++) {
        may = 0;
        if (rows == 0) break;
        may = fuzz_shape(d, rows, stride, size, &bytes);
        if (axes != 1 && c.how != COORDS && c.how != GRID) may |= FUZZ_BIT(PE_ERR_CONFIG);
        if (c.how == RANGE) may |= fuzz_range(c.first, rows, plan->whole, plan->fraction > 0);
        if (c.how == GRID)
            for (size_t a = 0; a < axes; a++)
                may |= fuzz_range(0, shape[a], plan->whole, plan->fraction > 0);
        if (c.how != RANGE && c.how != GRID &&
            rows > (size_t)PTRDIFF_MAX / 8 / (c.how == COORDS ? axes : 1))
            may |= FUZZ_BIT(PE_ERR_SIZE);
        /* a good call, but too large for here; a list that would have to be so long */
        const int large = rows > (c.how == GRID ? ELEMENTS : 64) || rows * d > ELEMENTS;
        if ((may == 0 && (large || bytes > FUZZ_PLACE)) ||
            (rows > 64 && c.how != RANGE && c.how != GRID && !(may & FUZZ_BIT(PE_ERR_SIZE)))) {
            rows = 1;
            if (c.how == GRID)
                for (size_t a = 0; a < axes; a++)
                    shape[a] = 1;
        } else {
            break;
        }
    }
    real_rows = rows <= 64 ? rows : 2;
    c.rows = rows, c.stride = stride;
    if (c.how == AT) {
        int64_t *list = (int64_t *)fuzz_take(real_rows * sizeof *list, (seed & 4) != 0);
        int64_t at = c.first;
        for (size_t r = 0; r < real_rows; r++) {
            list[r] = at;
            at = (seed & 8) && at < INT64_MAX ? at + 1 : fuzz_position(in);
            if (wrong == 6 && r == seed % real_rows) at = fuzz_far(in);
        }
        for (size_t r = 0; r < real_rows; r++)
            may |= fuzz_range(list[r], 1, plan->whole, plan->fraction > 0);
        c.at = list;
    }
    if (c.how == REAL || c.how == COORDS) {
        const size_t n = real_rows * (c.how == COORDS ? axes : 1);
        double *list = (double *)fuzz_take(n * sizeof *list, (seed & 4) != 0);
        const double offset = (double)plan->whole + plan->fraction;
        for (size_t r = 0; r < n; r++) {
            list[r] = seed & 8 ? (double)fuzz_position(in) : fuzz_real(in);
            if (wrong == 6 && r == seed % n) list[r] = fuzz_real_far(in);
            if (!(fabs(list[r]) <= 0x1p31) || !(fabs(list[r] + offset) <= 0x1p31))
                may |= FUZZ_BIT(PE_ERR_RANGE);
        }
        c.real = list;
    }
    if (c.how == GRID) {
        size_t *list = (size_t *)fuzz_take(axes * sizeof *list, (seed & 4) != 0);
        memcpy(list, shape, axes * sizeof *list);
        c.shape = list;
    }
    if (rows == 0) may = 0;
    if (c.plan == NULL && (rows || c.how == GRID)) may |= FUZZ_BIT(PE_ERR_NULL);
    if (wrong == 7 && (rows || c.how == GRID) && c.how != RANGE)
        c.at = NULL, c.real = NULL, c.shape = NULL, may |= FUZZ_BIT(PE_ERR_NULL);
    if (may != 0 || rows == 0) bytes = bytes > 256 || rows == 0 ? 256 : bytes;
    c.x = fuzz_take(bytes, (seed & 16) == 0);
    if (c.is_add) fuzz_elements(c.type, c.x, bytes / size, seed);
    void *const memory = c.x;
    if (wrong == 8) {
        c.x = NULL;
        if (rows) may |= FUZZ_BIT(PE_ERR_NULL);
    }
    c.scale = c.is_add ? decode_scale(in) : 1;

    fuzz_save(fuzz_all.used > 1 ? 2 : 1);
    const pe_status status = run(&c);
    if (!fuzz_status(c.is_add ? "pe_add" : "pe_fill", status, may)) return;
    if (rows == 0) {
        fuzz_unwritten("no rows");
        return;
    }

    /* the same rows, side by side, in another way */
    unsigned char *const y = (unsigned char *)fuzz_take(rows * d * size, (seed & 16) != 0);
    const size_t cut = (size_t)(b >> 5) * rows / 7;
    if (c.is_add)
        for (size_t r = 0; r < rows; r++)
            memcpy(y + r * d * size, fuzz_saved(memory) + r * stride * size, d * size);
    rows_call other = c;
    other.stride = d, other.x = y;
    if (c.how == GRID) { /* coordinates of the points, counted up */
        double coords[ELEMENTS + 8];
        size_t index[8] = {0};
        if (rows * axes > ELEMENTS) return;
        for (size_t r = 0; r < rows; r++) {
            for (size_t a = 0; a < axes; a++)
                coords[r * axes + a] = (double)index[a];
            for (size_t a = axes; a-- > 0;) {
                if (++index[a] < shape[a]) break;
                index[a] = 0;
            }
        }
        other.how = COORDS, other.real = coords;
        if (run(&other) != PE_OK) FUZZ_FAIL("pe_fill_coords: the points of a grid are refused");
    } else if ((seed & 64) && c.how == RANGE && !(c.is_add && c.type > FUZZ_F64)) {
        int64_t list[64];
        double reals[64];
        for (size_t r = 0; r < rows; r++)
            list[r] = c.first + (int64_t)r, reals[r] = (double)list[r];
        unsigned char table[ELEMENTS * 8];
        other.at = list, other.real = reals, other.how = (seed & 128) ? AT : REAL;
        if (c.is_add) other.is_add = 0, other.x = table;
        if (run(&other) != PE_OK) FUZZ_FAIL("a list of the positions of a range is refused");
        if (c.is_add) add_plainly(c.type, c.scale, table, y, rows * d);
    } else if ((seed & 64) && c.how == AT) { /* each row by itself, from the last to the first */
        for (size_t r = rows; r-- > 0;) {
            rows_call one = part(&other, r, 1, y, d);
            one.how = RANGE, one.first = c.at[r];
            if (run(&one) != PE_OK) FUZZ_FAIL("a position of a list is refused alone");
        }
    } else {
        const rows_call low = part(&other, 0, cut, y, d),
                        high = part(&other, cut, rows - cut, y, d);
        if (run(&high) != PE_OK || run(&low) != PE_OK) FUZZ_FAIL("a part of a call is refused");
    }
    compare_rows(c.is_add ? "pe_add" : "pe_fill", c.type, d, rows, memory, stride, y);
}

/* pe_add_batch_T against pe_add_T for each batch. */
static void op_batch(fuzz_input *in, const plan_case *p)
{
    const pe_plan *plan = &p->plan;
    const size_t d = plan->d_model;
    const unsigned b = fuzz_byte(in), seed = fuzz_byte(in);
    const size_t wrong = fuzz_wrong(in, 6);
    const fuzz_type t = (fuzz_type)(b % FUZZ_TYPES);
    const size_t size = fuzz_size(t);
    size_t batches = b >> 2 & 3, rows = fuzz_byte(in) % 8, gap = b >> 4 & 3, stride, batch,
           bytes = 0;
    const float scale = decode_scale(in);
    int64_t first = fuzz_position(in);
    if (rows * d * batches > ELEMENTS) rows = 1;
    if (b & 64) /* [rows, batch, d] */
        batch = d + gap, stride = batch * (batches ? batches : 1);
    else
        stride = d + gap, batch = (rows ? rows : 1) * stride;
    if (wrong == 1) batch = seed & 1 ? fuzz_huge(in) : batch - 1 - seed / 2 % (d + 1);
    if (wrong == 2) stride = seed & 1 ? fuzz_huge(in) : seed / 4 % (d + 1);
    if (wrong == 3) first = fuzz_far(in);
    if (wrong == 4) batches = fuzz_huge(in);

    unsigned may = 0;
    if (rows && batches) {
        may = fuzz_shape(d, rows, stride, size, &bytes) |
              fuzz_range(first, rows, plan->whole, plan->fraction > 0);
        if (plan->axes != 1) may |= FUZZ_BIT(PE_ERR_CONFIG);
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
    fuzz_save(1);
    if (wrong == 5 && rows && batches) may |= FUZZ_BIT(PE_ERR_NULL);
    const pe_status status = fuzz_fills[t].add_batch(wrong == 6 ? plan : plan, first, rows, batches,
                                                     scale, wrong == 5 ? NULL : x, stride, batch);
    if (!fuzz_status("pe_add_batch", status, may) || rows == 0 || batches == 0) return;
    unsigned char *const y = (unsigned char *)fuzz_take(bytes, !(seed & 1));
    memcpy(y, fuzz_saved(x), bytes);
    for (size_t k = 0; k < batches; k++)
        if (fuzz_fills[t].add(plan, first, rows, scale, y + k * batch * size, stride) != PE_OK)
            FUZZ_FAIL("pe_add refuses a batch");
    if (!fuzz_same(t, x, y, bytes / size))
        FUZZ_FAIL("pe_add_batch: not the bits of pe_add, type %d, d_model %zu", (int)t, d);
}

/* ------------------------------------------------------------------------------------------------
 * The algebra of positions, and the rest
 * --------------------------------------------------------------------------------------------- */

/* Has the plan no use for it? */
static unsigned algebra_may(const pe_plan *plan, int64_t k)
{
    unsigned may = fuzz_position_ok(k) ? 0 : FUZZ_BIT(PE_ERR_RANGE);
    if (plan->axes != 1 || plan->float32 != NULL || plan->axis[0].width % 2 != 0)
        may |= FUZZ_BIT(PE_ERR_CONFIG);
    return may;
}

static void op_shift(fuzz_input *in, const plan_case *p)
{
    const pe_plan *plan = &p->plan;
    const size_t d = plan->d_model;
    const unsigned b = fuzz_byte(in), seed = fuzz_byte(in);
    const size_t wrong = fuzz_wrong(in, 5);
    const fuzz_type t = (fuzz_type)(b % FUZZ_TYPES);
    const size_t size = fuzz_size(t);
    size_t rows = (b >> 2) % (ELEMENTS / d < 9 ? ELEMENTS / d : 9), bytes = 0;
    size_t stride = d + (seed & 32 ? fuzz_byte(in) % 19 : 0);
    const int64_t k = wrong == 1 ? fuzz_far(in) : fuzz_position(in);
    if (wrong == 2) stride = seed & 1 ? fuzz_huge(in) : seed / 4 % (d + 1);
    if (wrong == 3) rows = fuzz_huge(in);
    unsigned may = 0;
    if (rows) {
        may = fuzz_shape(d, rows, stride, size, &bytes) | algebra_may(plan, k);
        if (may == 0 && bytes > FUZZ_PLACE) return;
    }
    if (may != 0 || rows == 0) bytes = 256;
    unsigned char *const x = (unsigned char *)fuzz_take(bytes, seed & 1);
    fuzz_elements(t, x, bytes / size, seed);
    fuzz_save(1);
    if (rows && wrong >= 4) may |= FUZZ_BIT(PE_ERR_NULL);
    const pe_status status =
        fuzz_fills[t].shift(wrong == 4 ? NULL : plan, k, rows, wrong == 5 ? NULL : x, stride);
    if (!fuzz_status("pe_shift", status, may)) return;
    if (rows == 0 || k == 0) {
        fuzz_unwritten("pe_shift by nothing");
        return;
    }
    unsigned char *const y = (unsigned char *)fuzz_take(rows * d * size, !(seed & 1));
    for (size_t r = 0; r < rows; r++)
        memcpy(y + r * d * size, fuzz_saved(x) + r * stride * size, d * size);
    const size_t cut = (size_t)(seed >> 6) * rows / 3;
    if (fuzz_fills[t].shift(plan, k, rows - cut, y + cut * d * size, d) != PE_OK ||
        fuzz_fills[t].shift(plan, k, cut, y, d) != PE_OK)
        FUZZ_FAIL("pe_shift refuses a part");
    compare_rows("pe_shift", t, d, rows, x, stride, y);
}

static void op_algebra(fuzz_input *in, const plan_case *p)
{
    const pe_plan *plan = &p->plan;
    const size_t d = plan->d_model;
    const unsigned b = fuzz_byte(in), seed = fuzz_byte(in);
    const size_t wrong = fuzz_wrong(in, 4);
    const int64_t k = wrong == 1 ? fuzz_far(in) : fuzz_position(in);
    double one, zero, norm;
    unsigned may = algebra_may(plan, k);
    if (b % 4 == 0 && d <= 24) { /* a matrix, and its transpose */
        size_t stride = d + seed % 5, bytes;
        if (wrong == 2) stride = seed & 1 ? fuzz_huge(in) : seed / 4 % (d + 1);
        may |= fuzz_shape(d, d, stride, sizeof one, &bytes);
        if (may == 0 && bytes > FUZZ_PLACE) return;
        if (may != 0) bytes = 256;
        double *const m = (double *)fuzz_take(bytes, seed & 1);
        fuzz_save(1);
        if (wrong >= 3) may |= FUZZ_BIT(PE_ERR_NULL);
        if (!fuzz_status(
                "pe_shift_matrix",
                pe_shift_matrix_f64(wrong == 3 ? NULL : plan, k, wrong == 4 ? NULL : m, stride),
                may))
            return;
        const double *const was = (const double *)(const void *)fuzz_saved(m);
        double *const n = (double *)fuzz_take(d * d * sizeof *n, !(seed & 1));
        if (pe_shift_matrix_f64(plan, -k, n, d) != PE_OK) FUZZ_FAIL("pe_shift_matrix refuses -k");
        for (size_t i = 0; i < d; i++) {
            for (size_t j = 0; j < d; j++)
                if (!(m[i * stride + j] == n[j * d + i]))
                    FUZZ_FAIL("pe_shift_matrix: %zu, %zu is not that of the transpose", i, j);
            if (i + 1 < d &&
                memcmp(m + i * stride + d, was + i * stride + d, (stride - d) * sizeof *m) != 0)
                FUZZ_FAIL("pe_shift_matrix: written behind row %zu", i);
        }
        return;
    }
    size_t count = fuzz_byte(in) % 40;
    if (wrong == 2) count = fuzz_huge(in);
    may |= count ? fuzz_range(k, count, 0, 0) : 0;
    if (count > (size_t)PTRDIFF_MAX / sizeof one) may |= FUZZ_BIT(PE_ERR_SIZE);
    if (count == 0) may = 0;
    if (may == 0 && count * sizeof one > FUZZ_PLACE) return;
    double *const dots = (double *)fuzz_take(may ? 64 : count * sizeof one, seed & 1);
    fuzz_save(1);
    if (wrong >= 3 && count) may |= FUZZ_BIT(PE_ERR_NULL);
    if (!fuzz_status("pe_dots",
                     pe_dots_f64(wrong == 3 ? NULL : plan, k, count, wrong == 4 ? NULL : dots),
                     may) ||
        count == 0)
        return;
    const size_t i = seed % count;
    if (pe_dot_f64(plan, k + (int64_t)i, &one) != PE_OK || memcmp(&one, &dots[i], sizeof one) != 0)
        FUZZ_FAIL("pe_dot: %a is not number %zu of pe_dots, %a", one, i, dots[i]);
    if (pe_norm_f64(plan, &norm) != PE_OK || pe_dot_f64(plan, 0, &zero) != PE_OK)
        FUZZ_FAIL("pe_norm refuses what pe_dots takes");
    if (norm > 1e-140 && norm < 1e140 && !(fabs(norm * norm - zero) <= 1e-15 * zero))
        FUZZ_FAIL("pe_norm: %a, but the dot product of a row with itself is %a", norm, zero);
}

/* What a plan says of itself, and the call without a plan. */
static void op_rest(fuzz_input *in, const plan_case *p)
{
    const unsigned b = fuzz_byte(in);
    if (b & 1) {
        const size_t pairs = pe_plan_pairs(&p->plan);
        double *const w = (double *)fuzz_take(pairs * sizeof *w, 1);
        double *const l = (double *)fuzz_take(pairs * sizeof *l, 0);
        if (pe_plan_frequencies(&p->plan, w) != PE_OK || pe_plan_wavelengths(&p->plan, l) != PE_OK)
            FUZZ_FAIL("a plan does not say its frequencies");
        for (size_t i = 0; i < pairs; i++)
            if (w[i] != 0 && fabs(w[i]) > 1e-280 &&
                !(fabs(w[i] * l[i] - 0x1.921fb54442d18p+2) < 1e-12))
                FUZZ_FAIL("frequency %a and wavelength %a do not fit", w[i], l[i]);
        if (pe_plan_pairs(NULL) != 0 || pe_plan_frequencies(NULL, w) != PE_ERR_NULL ||
            pe_plan_wavelengths(&p->plan, NULL) != PE_ERR_NULL || pe_plan_size(NULL) != 0)
            FUZZ_FAIL("NULL is taken");
        return;
    }
    const plan_case *q = &pool[b / 2 % 8];
    const size_t wrong = fuzz_wrong(in, 3);
    size_t d = q->plan.d_model, rows = fuzz_byte(in) % 40, bytes = 0;
    if (rows * d > ELEMENTS) rows = ELEMENTS / d;
    if (wrong == 1) d = fuzz_byte(in) < 64 ? 0 : fuzz_huge(in);
    if (wrong == 2) rows = fuzz_huge(in);
    unsigned may = 0;
    if (rows) {
        may = fuzz_shape(d, rows, d, sizeof(float), &bytes) | fuzz_range(0, rows, 0, 0);
        if (d > WIDEST || d == 0) /* too many for a config, which comes first */
            may |= FUZZ_BIT(PE_ERR_CONFIG);
        if (d > WIDEST && !(may & ~FUZZ_BIT(PE_ERR_CONFIG)))
            return; /* right, but for a machine with more memory */
        if (may == 0 && bytes > FUZZ_PLACE) return;
        if (wrong == 3) may |= FUZZ_BIT(PE_ERR_NULL);
    }
    float *const x = (float *)fuzz_take(may || rows == 0 ? 64 : bytes, b & 16);
    fuzz_save(1);
    if (!fuzz_status("pe_sinusoidal", pe_sinusoidal_f32(wrong == 3 ? NULL : x, rows, d), may) ||
        rows == 0)
        return;
    if (d != q->plan.d_model) /* a small one by chance, in place of a huge one */
        return;
    float *const y = (float *)fuzz_take(bytes, !(b & 16));
    if (pe_fill_f32(&q->plan, 0, rows, y, d) != PE_OK || memcmp(x, y, bytes) != 0)
        FUZZ_FAIL("pe_sinusoidal: not the bits of pe_fill, %zu x %zu", rows, d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, data + size};
    static plan_case own;
    const unsigned b = fuzz_byte(&in);
    const plan_case *p = &pool[b % pooled];
    size_t keep = 0;
    if (b >= 192) {
        if (!decode_plan(&in, &own)) return 0;
        p = &own, keep = 1;
        fuzz_save(1);
    }
    switch (fuzz_byte(&in) % 8) {
    case 0:
        op_batch(&in, p);
        break;
    case 1:
        op_shift(&in, p);
        break;
    case 2:
        op_algebra(&in, p);
        break;
    case 3:
        op_rest(&in, p);
        break;
    default:
        op_rows(&in, p);
        break;
    }
    fuzz_release(keep);
    if (keep) fuzz_unwritten("the memory of a plan");
    fuzz_release(0);
    return 0;
}
