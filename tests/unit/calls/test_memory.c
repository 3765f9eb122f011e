/* SPDX-License-Identifier: MIT */
/*
 * Proves for every public function (tests/unit/api.h) that it reads and writes what its comment
 * says and nothing else. Each argument, and the plan, is flush against an inaccessible page, at its
 * beginning and at its end, and at every alignment of its type. Rows have canaries between them,
 * and inputs are the same afterwards. What is written is compared, bit for bit, with the same call
 * in ordinary packed memory.
 *
 * Bad arguments are refused before anything is read or written: NULL, strides that make rows
 * overlap, sizes whose product overflows, and positions out of range. If there is nothing to do,
 * nothing is touched.
 *
 * The errno, the rounding mode, the exception masks and the flushing of subnormals stay as they
 * are. Flushing changes no bit of normal results, and other rounding modes change only the last
 * bits. Any number of threads may share a plan. No call takes more than 48 KB of stack
 * (pe_selftest(): tests/unit/selftest/test_selftest.c).
 *
 * PE_LONG=1 goes through every number of rows to 64 with every width to 513: `tests/run sweep`.
 */
#include "../api.h"
#include "../stack.h"

/* ------------------------------------------------------------------------------------------------
 * Contents: a buffer's row r holds numbers from its pool, from a place that depends on r
 * --------------------------------------------------------------------------------------------- */

static union pool {
    float f32[2 * POOL];
    double f64[2 * POOL];
    uint16_t u16[2 * POOL];
    int32_t i32[2 * POOL];
    int64_t i64[2 * POOL];
} pools[STRUCT + 1];

static void pools_make(void)
{
    rng r = rng_for("pools");
    for (size_t i = 0; i < 2 * POOL; i++) {
        const double x = (rng_unit(&r) + 0.01) * (rng_next(&r) & 1 ? 3 : -3);
        const uint64_t bits = rng_next(&r);
        pools[F32_S].f32[i] = (float)x;
        pools[F32_POSITIVE].f32[i] = (float)fabs(x);
        pools[F64_S].f64[i] = fabs(x);
        pools[F16_S].u16[i] = (uint16_t)((bits & 0x83ff) | 0x3800);
        pools[BF16_S].u16[i] = (uint16_t)((bits & 0x80ff) | 0x3f00);
        /* runs of consecutive positions, sometimes interrupted by another one */
        pools[AT_I64].i64[i] = i % 23 == 0 ? rng_position(&r) : (int64_t)i - 300;
        pools[AT_I32].i32[i] = (int32_t)(pools[AT_I64].i64[i] % POSITION_MAX);
        pools[AT_F64].f64[i] = i % 3 ? x * 1e4 : (double)(i + 1);
        pools[AT_F32].f32[i] = (float)pools[AT_F64].f64[i];
    }
}

/* Writes the index i * 7 % limit, a row of a learned table, in the type of a list. */
static void index_write(const args *a, holds h, size_t i, void *to)
{
    const int64_t index = (int64_t)(i * 7 % a->limit);
    const int32_t narrow = (int32_t)index;
    const double real = (double)index;
    const float single = (float)index;
    memcpy(to,
           h == AT_I64   ? (const void *)&index
           : h == AT_I32 ? (const void *)&narrow
           : h == AT_F64 ? (const void *)&real
                         : (const void *)&single,
           element_of(h));
}

static void content_write(const args *a, const buffer *b, size_t row, void *to)
{
    size_t at = row * 61 % POOL;
    unsigned char *out = (unsigned char *)to;
    if (b->holds == NOTHING || b->holds == STRUCT) return;
    if (b->holds >= AT_I32 && a->limit > 0) {
        for (size_t i = b->skip_first; i < b->width; i++)
            index_write(a, b->holds, i, out + i * b->element);
        return;
    }
    for (size_t i = b->skip_first, part; i < b->width; i += part, at = 0) {
        part = b->width - i < 2 * POOL - at ? b->width - i : 2 * POOL - at;
        memcpy(out + i * b->element, (const unsigned char *)&pools[b->holds] + at * b->element,
               part * b->element);
    }
}

static size_t buffer_bytes(const buffer *b) { return span_of_buffer(b) * b->element; }

static unsigned char *buffer_row(const buffer *b, void *p, size_t i, size_t j)
{
    return (unsigned char *)p + (i * b->stride[0] + j * b->stride[1]) * b->element;
}

static void buffer_paint(const args *a, int k)
{
    const buffer *b = &a->b[k];
    memset(a->p[k], CANARY, buffer_bytes(b));
    for (size_t i = b->skip_rows; i < b->count[0]; i++)
        for (size_t j = 0; j < b->count[1]; j++)
            content_write(a, b, i * b->count[1] + j, buffer_row(b, a->p[k], i, j));
}

/* ------------------------------------------------------------------------------------------------
 * Plans: one in ordinary memory for the reference, one in exactly its bytes between guards
 * --------------------------------------------------------------------------------------------- */

typedef struct plans {
    pe_plan *plan[PLANS];
    guarded holder[PLANS], memory[PLANS];
    int is_guarded;
} plans;

enum { PLAN_BYTES = 512 * 1024 };

static void plans_open(plans *p, int is_guarded)
{
    memset(p, 0, sizeof *p);
    p->is_guarded = is_guarded;
    for (int k = PLAN_ONE; k < PLANS; k++) {
        p->holder[k] = guarded_make(sizeof(pe_plan));
        p->memory[k] = guarded_make(PLAN_BYTES);
    }
}

static void plans_close(plans *p)
{
    for (int k = PLAN_ONE; k < PLANS; k++) {
        guarded_free(&p->holder[k]);
        guarded_free(&p->memory[k]);
    }
}

/* Makes the plan of a list of coordinates, using one config or the other. The list ends at an
   inaccessible page and is gone afterwards. If memory is NULL, only tells how many bytes the
   plan takes. */
static pe_status plan_listed(const shape *s, pe_plan *plan, void *memory, size_t *bytes)
{
    pe_rope_config rope = sections_config(s);
    pe_config config = pe_config_default(rope.head_dim);
    const size_t pairs = rope.head_dim / 2;
    const int is_rope = s->width % 2 == 0;
    pe_status status = PE_OK;
    guarded g = guarded_make(pairs);
    uint8_t *const list = g.end - pairs;
    for (size_t i = 0; i < pairs; i++) /* all coordinates have a pair */
        list[i] = (uint8_t)(i >= rope.axes && i % 7 == 5 ? 255 : rope.axes - 1 - i % rope.axes);
    memset(rope.sections, 0, sizeof rope.sections);
    rope.section_order = PE_SECTIONS_BLOCKS;
    config.layout = rope.layout, config.angle = rope.angle,
    config.expected_rows = rope.expected_rows;
    config.axes = rope.axes, config.base = rope.rope_theta;
    rope.coordinate = config.coordinate = list;
    rope.coordinate_length = config.coordinate_length = s->width / 2 % 2 ? pairs : 0;
    if (memory == NULL) *bytes = is_rope ? pe_rope_plan_size(&rope) : pe_plan_size(&config);
    else
        status = is_rope ? pe_rope_plan_init(plan, &rope, memory, *bytes)
                         : pe_plan_init(plan, &config, memory, *bytes);
    guarded_free(&g);
    return status;
}

/* Returns how much memory a plan of this kind takes. */
static size_t plan_bytes(plan_kind kind, const shape *s)
{
    const pe_config c = plan_config(kind, s);
    const pe_rope_config r = sections_config(s);
    size_t bytes = kind == PLAN_SECTIONS ? pe_rope_plan_size(&r) : pe_plan_size(&c);
    if (kind == PLAN_LISTED) (void)plan_listed(s, NULL, NULL, &bytes);
    return bytes;
}

static pe_status plan_of(plan_kind kind, const shape *s, pe_plan *plan, void *memory, size_t bytes)
{
    const pe_config c = plan_config(kind, s);
    const pe_rope_config r = sections_config(s);
    if (kind == PLAN_SECTIONS) return pe_rope_plan_init(plan, &r, memory, bytes);
    if (kind == PLAN_LISTED) return plan_listed(s, plan, memory, &bytes);
    if (c.columns != PE_COLUMNS_SUMS || c.axes == 1) return pe_plan_init(plan, &c, memory, bytes);
    const size_t pairs = c.d_model / 2;
    double *const omega = (double *)must_alloc(pairs * c.axes * sizeof *omega);
    for (size_t i = 0; i < pairs * c.axes; i++) omega[i] = 1.0 / (double)(i + 1);
    const pe_status status = pe_plan_init_frequencies(plan, &c, omega, pairs, memory, bytes);
    free(omega);
    return status;
}

/* Makes the bytes those of a new malloc(), which valgrind and MemorySanitizer regard as never
   written. */
static void unwritten(void *p, size_t bytes)
{
    void *const volatile fresh = must_alloc(bytes);
    memcpy(p, fresh, bytes);
    free(fresh);
}

/* Makes the plans of a shape, and makes them read-only. `spot` chooses where in their pages the
   guarded ones are. */
static void plans_make(plans *p, const shape *s, size_t spot)
{
    for (int k = PLAN_ONE; k < PLANS; k++) {
        const guarded *h = &p->holder[k], *m = &p->memory[k];
        const size_t bytes = plan_bytes((plan_kind)k, s);
        unsigned char *memory = spot % 2 ? m->end - bytes : m->begin + spot / 2 % 64;
        p->plan[k] = (pe_plan *)(void *)(spot % 2 ? h->end - sizeof(pe_plan) : h->begin);
        if (bytes == 0 || bytes + 64 > PLAN_BYTES)
            fail_msg("no plan %d for d_model %zu, form %zu", k, s->width, s->form);
        if (!p->is_guarded) {
            memory = m->begin + 32 - (uintptr_t)m->begin % 32;
            unwritten(memory, bytes), unwritten(p->plan[k], sizeof(pe_plan));
        } else {
            guarded_protect(h, PROT_READ | PROT_WRITE);
            guarded_protect(m, PROT_READ | PROT_WRITE);
            memset(m->begin, CANARY, (size_t)(m->end - m->begin));
        }
        fault_case("plan %d: d_model %zu, form %zu, spot %zu", k, s->width, s->form, spot);
        const pe_status status = plan_of((plan_kind)k, s, p->plan[k], memory, bytes);
        if (status != PE_OK) fail_msg("%s: %s", fault_get()->what, pe_status_string(status));
        if (p->is_guarded) {
            if (!all_canaries(m->begin, (size_t)(memory - m->begin)) ||
                !all_canaries(memory + bytes, (size_t)(m->end - memory) - bytes))
                fail_msg("beside its memory: %s", fault_get()->what);
            guarded_protect(h, PROT_READ);
            guarded_protect(m, PROT_READ);
        }
    }
}

/* ------------------------------------------------------------------------------------------------
 * Calls
 * --------------------------------------------------------------------------------------------- */

static const char *shape_text(const function *f, const shape *s)
{
    static char text[160];
    args a;
    memset(&a, 0, sizeof a);
    place_choose(&a, f->place, s);
    snprintf(text, sizeof text, "%s, %s%s%s%s: rows %zu, width %zu, padding %zu, form %zu", f->name,
             place_names[a.place], a.skipped ? ", skip" : "", a.back ? ", back" : "",
             a.delta ? ", delta" : "", s->rows, s->width, s->pad, s->form);
    return text;
}

static void args_make(args *a, const function *f, const shape *s, const plans *p)
{
    memset(a, 0, sizeof *a);
    a->form = s->form, a->variant = f->variant;
    a->scale = s->form % 2 ? 1.0f : 0.75f;
    a->layout = s->form % 2 ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
    a->mode = (pe_alibi_mode)(s->form % 3);
    a->width = s->width, a->axes = 1;
    if (f->plan != PLAN_NONE) {
        a->plan = p->plan[f->plan];
        a->width = a->plan->d_model;
        a->axes = a->plan->axes;
        a->pairs = a->plan->pairs;
    }
    /* a padded call and a packed one have the same pe_at */
    const shape packed = {s->rows, s->width, 0, s->form};
    place_choose(a, f->place, &packed);
    f->sizes(f, s, a);
    place_size(a, a->n[f->rows], s->pad);
    put_all(f, a);
}

/* Returns a number that changes with every setting that a call must leave as it was. */
static unsigned long environment(void)
{
    unsigned long e = (unsigned long)fegetround() ^ (unsigned long)float_environment() << 8;
#if defined(__x86_64__) || defined(__i386__)
    unsigned short x87 = 0; /* MemorySanitizer does not see what assembly writes */
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    e ^= (unsigned long)x87 << 24;
#elif defined(__aarch64__)
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    e ^= (unsigned long)fpcr << 8;
#endif
    return e;
}

/* Runs the call, and checks that errno and the environment stay as they are. Returns NULL if they
   do, otherwise what has changed. */
static const char *call_watched(const function *f, const args *a, pe_status *status)
{
    const unsigned long before = environment();
    const int old = errno;
    const char *wrong = NULL;
    errno = 4242;
    *status = f->call(a);
    if (errno != 4242) wrong = "errno was set";
    if (environment() != before) wrong = "the floating-point environment has changed";
    errno = old;
    return wrong;
}

static pe_status call_of(const function *f, const args *a)
{
    pe_status status;
    const char *wrong = call_watched(f, a, &status);
    if (wrong) fail_msg("%s: %s", f->name, wrong);
    return status;
}

/* Holds the same call in ordinary memory without padding. Its outputs are the expected ones. */
typedef struct reference {
    args a;
    unsigned char *memory[MOST_POINTERS];
    size_t room[MOST_POINTERS];
} reference;

static void reference_room(reference *r, int k, size_t bytes)
{
    if (r->room[k] >= bytes && r->memory[k] != NULL) return;
    free(r->memory[k]);
    r->room[k] = 2 * bytes + 64;
    r->memory[k] = (unsigned char *)must_alloc(r->room[k]);
}

static void reference_free(reference *r)
{
    for (int k = 0; k < MOST_POINTERS; k++) free(r->memory[k]);
}

static void reference_make(reference *r, const function *f, const shape *s, const plans *ordinary)
{
    const shape packed = {s->rows, s->width, 0, s->form};
    size_t changed = 0, written = 0;
    args_make(&r->a, f, &packed, ordinary);
    for (int k = 0; k < MOST_POINTERS; k++) {
        reference_room(r, k, buffer_bytes(&r->a.b[k]));
        r->a.p[k] = r->memory[k];
        buffer_paint(&r->a, k);
    }
    if (f->bind != NULL) f->bind(f, &r->a);
    const pe_status status = call_of(f, &r->a);
    if (status != PE_OK)
        fail_msg("%s: in ordinary memory: %s", shape_text(f, s), pe_status_string(status));
    /* A call that does nothing would prove nothing, so some row of each output must have
       changed. */
    for (int k = 0; k < MOST_POINTERS; k++) {
        const buffer *b = &r->a.b[k];
        const size_t row = b->width * b->element;
        unsigned char before[WIDTH * sizeof(double) * 2];
        int same = 1;
        if (!b->written || row == 0 || row > sizeof before) continue;
        for (size_t i = 0; same && i < b->count[0] * b->count[1]; i++) {
            memset(before, CANARY, row);
            content_write(&r->a, b, i, before);
            same = memcmp(before, buffer_row(b, r->a.p[k], i / b->count[1], i % b->count[1]),
                          row) == 0;
        }
        written++;
        changed += !same;
    }
    if (changed < written) fail_msg("%s: an output is as it was", shape_text(f, s));
}

/* Checks a buffer after a call: rows are those of the reference, if there is one, and the padding
   and the bytes around it have not changed. */
static void buffer_check(const args *a, const args *want, int k, const guarded *g, const char *what)
{
    const buffer *b = &a->b[k];
    const size_t row = b->width * b->element, bytes = buffer_bytes(b);
    const size_t slack = 256;
    unsigned char *p = (unsigned char *)a->p[k];
    const size_t before = (size_t)(p - g->begin), after = (size_t)(g->end - p) - bytes;
    if (!all_canaries(p - (before < slack ? before : slack), before < slack ? before : slack) ||
        !all_canaries(p + bytes, after < slack ? after : slack))
        fail_msg("written beside argument p[%d]: %s", k, what);
    if (b->is_opaque || b->holds == STRUCT) return;
    const int inner = b->count[1] > 1 && b->stride[1] < b->stride[0];
    for (size_t i = 0; i < b->count[0]; i++)
        for (size_t j = 0; j < b->count[1]; j++) {
            unsigned char *at = buffer_row(b, a->p[k], i, j);
            if (want != NULL && memcmp(at, buffer_row(&want->b[k], want->p[k], i, j), row) != 0)
                fail_msg("row %zu, %zu of argument p[%d] is wrong: %s", i, j, k, what);
            /* to the next row, whichever loop it belongs to */
            const int last_inner = inner ? j + 1 == b->count[1] : i + 1 == b->count[0];
            const int last_outer = inner ? i + 1 == b->count[0] : j + 1 == b->count[1];
            const size_t near = b->stride[inner ? 1 : 0], far = b->stride[inner ? 0 : 1];
            const size_t inside = ((inner ? b->count[1] : b->count[0]) - 1) * near;
            size_t gap = 0;
            if (!last_inner) gap = near - b->width;
            else if (!last_outer) gap = far - inside - b->width;
            if (!all_canaries(at + row, gap * b->element))
                fail_msg("padding of row %zu, %zu of argument p[%d] written: %s", i, j, k, what);
        }
}

typedef struct arena {
    guarded g[MOST_POINTERS];
} arena;

static void arena_open(arena *x)
{
    /* the first argument may be the matrix of a shift; pages that are not touched cost nothing */
    for (int k = 0; k < MOST_POINTERS; k++)
        x->g[k] = guarded_make((size_t)(WIDTH + 8) * (WIDTH + 8) * sizeof(double));
}

static void arena_close(arena *x)
{
    for (int k = 0; k < MOST_POINTERS; k++) guarded_free(&x->g[k]);
}

/* Makes one call whose arguments are `offset` bytes, or a multiple, from the inaccessible page
   before or behind them. */
static void check_placed(const function *f, const shape *s, const plans *p, const reference *want,
                         arena *x, int is_end, size_t offset)
{
    args a;
    args_make(&a, f, s, p);
    fault_case("%s, %s, offset %zu", shape_text(f, s), is_end ? "end" : "begin", offset);
    for (int k = 0; k < MOST_POINTERS; k++) {
        const guarded *g = &x->g[k];
        const size_t bytes = buffer_bytes(&a.b[k]), room = (size_t)(g->end - g->begin);
        const size_t align = a.b[k].element < 8 ? a.b[k].element : 8;
        if (bytes == 0) continue;
        const size_t shift = offset * (size_t)(k % 3 + 1) % 64 / align * align;
        if (bytes + shift > room) fail_msg("no room: %s", fault_get()->what);
        unsigned char *at = is_end ? g->end - bytes - shift : g->begin + shift;
        const size_t before = (size_t)(at - g->begin), after = room - before - bytes;
        memset(at - (before < 256 ? before : 256), CANARY, before < 256 ? before : 256);
        memset(at + bytes, CANARY, after < 256 ? after : 256);
        a.p[k] = at;
        buffer_paint(&a, k);
    }
    if (f->bind != NULL) f->bind(f, &a);
    const pe_status status = call_of(f, &a);
    if (status != PE_OK) fail_msg("%s: %s", fault_get()->what, pe_status_string(status));
    for (int k = 0; k < MOST_POINTERS; k++)
        if (a.p[k] != NULL)
            buffer_check(&a, want ? &want->a : NULL, k, &x->g[k], fault_get()->what);
}

static int skips(const function *f, const shape *s)
{
    if ((f->fixed & 1) && s->rows > 9) return 1;
    if ((f->fixed & 2) && s->width > 70) return 1;
    /* a single column and no sine: rows of zeros, or no pair at all */
    return s->width == 1 &&
           (f->plan == PLAN_DOTS || f->plan == PLAN_SHIFTS || forms[s->form].odd == PE_ODD_ZERO);
}

/* ------------------------------------------------------------------------------------------------
 * The sweep
 * --------------------------------------------------------------------------------------------- */

static int is_edge(size_t n)
{
    for (size_t vector = 4; vector <= 512; vector *= 2)
        if (n + 1 >= vector && n <= vector + 1) return 1;
    return 0;
}

static void every_shape_between_guard_pages(void **state)
{
    static const size_t pads[] = {0, 1, 7};
    const int is_long = test_this_run()->is_long;
    plans ordinary, tight;
    reference want;
    arena x;
    static size_t calls;
    (void)state;
    FAIL_ON_FAULT();
    memset(&want, 0, sizeof want);
    plans_open(&ordinary, 0), plans_open(&tight, 1), arena_open(&x);
    for (size_t d = 1; d <= WIDTH; d += test_this_run()->is_quick ? 1 + d / 8 : 1) {
        if (!is_long && d > 40 && !is_edge(d) && d % 29 != 0) continue;
        /* every form over the widths; long: three with each width */
        for (size_t turn = 0; turn < (is_long ? 3 : 1); turn++) {
            shape s = {1, d, 0, (d + 3 * turn + d / FORMS) % FORMS};
            plans_make(&ordinary, &s, 0), plans_make(&tight, &s, d + 5 * turn);
            for (size_t k = 0; k < LENGTH(FUNCTIONS); k++)
                for (size_t rows = 1; rows <= ROWS; rows++) {
                    /* long: every number of rows, in one of the forms */
                    if (is_long ? rows % 3 != turn : rows > 9 && (rows * 7 + d + k) % 9 != 0)
                        continue;
                    s.rows = rows, s.pad = pads[(rows / 3 + d + k) % 3];
                    if (skips(&FUNCTIONS[k], &s)) continue;
                    reference_make(&want, &FUNCTIONS[k], &s, &ordinary);
                    for (int is_end = 0; is_end < 2; is_end++, calls++)
                        check_placed(&FUNCTIONS[k], &s, &tight, &want, &x, is_end, 0);
                }
        }
    }
    printf("  %zu calls of %zu functions\n", calls, LENGTH(FUNCTIONS));
    reference_free(&want);
    plans_close(&ordinary), plans_close(&tight), arena_close(&x);
}

/* Checks every form and padding, at every offset within a cache line that the type allows. */
static void every_form_and_offset(void **state)
{
    static const size_t few[] = {1, 3, 8}, pads[] = {0, 1, 7};
    plans ordinary, tight;
    reference want;
    arena x;
    (void)state;
    FAIL_ON_FAULT();
    memset(&want, 0, sizeof want);
    plans_open(&ordinary, 0), plans_open(&tight, 1), arena_open(&x);
    for (size_t d = 1; d <= 70; d += d < 20 ? every() : 7 * every())
        for (size_t form = 0; form < FORMS; form++) {
            shape s = {1, d, 0, form};
            plans_make(&ordinary, &s, 0), plans_make(&tight, &s, 2 * (d * FORMS + form));
            for (size_t k = 0; k < LENGTH(FUNCTIONS); k++) {
                const function *f = &FUNCTIONS[k];
                size_t element = element_of(f->type);
                if (f->bind != NULL) /* these functions also take arrays of doubles */
                    element = 8;
                s.rows = few[(d + form) % 3], s.pad = pads[(d + k) % 3];
                if (skips(f, &s)) continue;
                reference_make(&want, f, &s, &ordinary);
                /* all offsets over the widths and forms; long: all with each */
                const size_t step = test_this_run()->is_long ? 1 : 5;
                for (size_t at = d % step; at < 64 / element; at += step)
                    for (int is_end = 0; is_end < 2; is_end++)
                        check_placed(f, &s, &tight, &want, &x, is_end, at * element);
            }
        }
    reference_free(&want);
    plans_close(&ordinary), plans_close(&tight), arena_close(&x);
}

/* ------------------------------------------------------------------------------------------------
 * Refusals: nothing is read that need not be, nothing is written
 * --------------------------------------------------------------------------------------------- */

/* Holds arguments in ordinary memory, for calls that are to be refused. */
typedef struct trial {
    args a;
    reference memory, before;
} trial;

static void trial_make(trial *t, const function *f, const shape *s, const plans *p)
{
    args_make(&t->a, f, s, p);
    for (int k = 0; k < MOST_POINTERS; k++) {
        const size_t bytes = buffer_bytes(&t->a.b[k]);
        reference_room(&t->memory, k, bytes);
        reference_room(&t->before, k, bytes);
        t->a.p[k] = bytes > 0 ? t->memory.memory[k] : NULL;
        if (bytes > 0) buffer_paint(&t->a, k);
    }
    if (f->bind != NULL) f->bind(f, &t->a);
    t->memory.a = t->a;
    for (int k = 0; k < MOST_POINTERS; k++)
        memcpy(t->before.memory[k], t->memory.memory[k], buffer_bytes(&t->a.b[k]));
}

static void trial_free(trial *t)
{
    reference_free(&t->memory);
    reference_free(&t->before);
}

static void trial_unwritten(trial *t, const char *what)
{
    for (int k = 0; k < MOST_POINTERS; k++) {
        const buffer *b = &t->memory.a.b[k];
        const size_t bytes = buffer_bytes(b);
        if (b->is_opaque && bytes == sizeof(pe_plan) && t->a.p[k] != NULL) {
            /* a plan that could not be made is zeros; some calls here do make one */
            if (!all_zeros(t->memory.memory[k], bytes))
                fail_msg("a plan that could not be made is not zeros: %s", what);
            memcpy(t->memory.memory[k], t->before.memory[k], bytes);
        }
        if (memcmp(t->memory.memory[k], t->before.memory[k], bytes) != 0)
            fail_msg("p[%d] was written: %s", k, what);
    }
}

static void trial_refused(trial *t, const function *f, pe_status want, const char *what)
{
    const pe_status got = call_of(f, &t->a);
    fault_case("%s: %s", f->name, what);
    if (got != want)
        fail_msg("%s: got \"%s\", want \"%s\"", fault_get()->what, pe_status_string(got),
                 pe_status_string(want));
    trial_unwritten(t, fault_get()->what);
}

static void for_each_trial(void (*check)(trial *, const function *))
{
    plans ordinary;
    trial t;
    size_t done = 0;
    memset(&t, 0, sizeof t);
    plans_open(&ordinary, 0);
    for (size_t form = 0; form < FORMS; form++) {
        const shape s = {9, 9, 0, form};
        plans_make(&ordinary, &s, 0);
        for (size_t k = 0; k < LENGTH(FUNCTIONS); k++, done++) {
            fault_case("%s", shape_text(&FUNCTIONS[k], &s));
            trial_make(&t, &FUNCTIONS[k], &s, &ordinary);
            check(&t, &FUNCTIONS[k]);
        }
    }
    assert_true(done >= FORMS * LENGTH(FUNCTIONS));
    trial_free(&t);
    plans_close(&ordinary);
}

static void check_nulls(trial *t, const function *f)
{
    char what[40];
    const args good = t->a;
    const unsigned list = (unsigned)good.list;
    for (unsigned k = 0; k < list + f->pointers; k++) {
        t->a.p[k] = NULL;
        snprintf(what, sizeof what, "p[%u] is NULL", k);
        if (k < list || !(f->nullable >> (k - list) & 1))
            trial_refused(t, f, k < list ? PE_ERR_AT_NULL : PE_ERR_NULL, what);
        else if (call_of(f, &t->a) != PE_OK) fail_msg("%s: %s, which is allowed", f->name, what);
        else
            for (int j = 0; j < MOST_POINTERS; j++)
                memcpy(t->before.memory[j], t->memory.memory[j], buffer_bytes(&t->a.b[j]));
        t->a = good;
    }
    if (f->plan != PLAN_NONE) {
        t->a.plan = NULL;
        trial_refused(t, f, PE_ERR_NULL, "the plan is NULL");
        t->a = good;
    }
    memset(t->a.p, 0, sizeof t->a.p);
    trial_refused(t, f, PE_ERR_NULL, "everything is NULL");
}

static void nulls_are_refused(void **state)
{
    (void)state;
    FAIL_ON_FAULT();
    for_each_trial(check_nulls);
}

/* Checks that a plan of zeros, which was never made or could not be made, is refused. */
static void check_no_plan(trial *t, const function *f)
{
    static const pe_plan none;
    if (f->plan == PLAN_NONE) return;
    t->a.plan = &none;
    trial_refused(t, f, PE_ERR_PLAN, "a plan of zeros");
}

static void plans_of_zeros_are_refused(void **state)
{
    (void)state;
    FAIL_ON_FAULT();
    for_each_trial(check_no_plan);
}

/* Checks that a pe_at that no function made is refused. */
static void check_garbage(trial *t, const function *f)
{
    if (f->place == PLACE_NONE) return;
    t->a.garbage = 1;
    /* its kind is larger than any, so it has no integer positions of one coordinate either */
    const int whole =
        strstr(f->name, "pe_alibi_") || strstr(f->name, "pe_bias_") || strstr(f->name, "_by_table");
    trial_refused(t, f, whole ? PE_ERR_AT_KIND : PE_ERR_AT, "a pe_at of garbage");
}

static void places_of_garbage_are_refused(void **state)
{
    (void)state;
    FAIL_ON_FAULT();
    for_each_trial(check_garbage);
}

/* Tests that calls with nothing to do return PE_OK, whatever the other arguments are. */
static void check_zeros(trial *t, const function *f)
{
    for (int i = 0; i < MOST_NUMBERS; i++) {
        if (!(f->zeros >> i & 1)) continue;
        for (int bad = 0; bad < 3; bad++) {
            args a = t->a;
            if (bad > 0) { /* NULL and INT64_MAX; the other numbers are 0, then SIZE_MAX */
                memset(a.p, 0, sizeof a.p);
                a.plan = NULL, a.first = INT64_MAX, a.limit = 0, a.garbage = bad == 2;
                for (int j = 0; j < MOST_NUMBERS; j++)
                    if (!(f->zeros >> j & 1)) a.n[j] = bad == 1 ? 0 : SIZE_MAX;
            }
            a.n[i] = 0;
            fault_case("%s: n[%d] = 0", f->name, i);
            const pe_status status = call_of(f, &a);
            if (status != PE_OK)
                fail_msg("%s, bad %d: %s", fault_get()->what, bad, pe_status_string(status));
            trial_unwritten(t, fault_get()->what);
        }
    }
}

static void nothing_to_do_is_fine(void **state)
{
    (void)state;
    FAIL_ON_FAULT();
    for_each_trial(check_zeros);
}

/* Checks that smaller strides are refused. Packed rows are as near to each other as they may be.
   The stride of a loop with one iteration is not used, so it is left out. */
static void check_strides(trial *t, const function *f)
{
    const args good = t->a;
    for (int i = 0; i < MOST_NUMBERS; i++) {
        int leads = 0;
        if (!(f->strides >> i & 1)) continue;
        for (int k = 0; k < MOST_POINTERS; k++)
            for (int loop_of = 0; loop_of < 2; loop_of++) {
                const buffer was = t->a.b[k];
                t->a.n[i] += 1;
                put_all(f, &t->a);
                leads |= was.count[loop_of] > 1 && t->a.b[k].stride[loop_of] != was.stride[loop_of];
                t->a = good;
            }
        for (size_t less = 1; leads && less <= good.n[i]; less += less == 1 ? good.n[i] - 1 : 1) {
            char what[60];
            t->a.n[i] = good.n[i] - less;
            snprintf(what, sizeof what, "stride n[%d] = %zu instead of %zu", i, t->a.n[i],
                     good.n[i]);
            trial_refused(t, f, PE_ERR_SHAPE, what);
            t->a = good;
            if (good.n[i] == 1) break;
        }
    }
}

static void overlapping_rows_are_refused(void **state)
{
    (void)state;
    FAIL_ON_FAULT();
    for_each_trial(check_strides);
}

/* Writes bad entry j of a list, and returns 0 if there are fewer. No int32_t is out of range as a
   position. */
static int bad_entry(const args *a, holds h, size_t j, void *to)
{
    const int64_t limit = a->limit > 0 ? (int64_t)a->limit : POSITION_MAX + 1;
    const int64_t low = a->limit > 0 ? -1 : -POSITION_MAX - 1;
    const int64_t i64[] = {limit, low, INT64_MAX, INT64_MIN, (INT64_C(1) << 32) + 1};
    const int32_t i32[] = {(int32_t)(limit % POSITION_MAX), -1, INT32_MAX, -INT32_MAX - 1,
                           INT32_MAX - 1};
    const double f64[] = {(double)limit, (double)low, HUGE_VAL, -HUGE_VAL, (double)NAN, 0.5};
    const float f32[] = {a->limit > 0 ? (float)limit : 2147483904.0f,
                         a->limit > 0 ? -1.0f : -2147483904.0f,
                         HUGE_VALF,
                         -HUGE_VALF,
                         NAN,
                         0.5f};
    const size_t reals = a->limit > 0 ? 6 : 5; /* entry 5, 0.5, is a position but no row */
    switch (h) {
    case AT_I32: memcpy(to, &i32[j % 5], sizeof *i32); return a->limit > 0 && j < 5;
    case AT_I64: memcpy(to, &i64[j % 5], sizeof *i64); return j < 5;
    case AT_F32: memcpy(to, &f32[j % 6], sizeof *f32); return j < reals;
    default: memcpy(to, &f64[j % 6], sizeof *f64); return j < reals;
    }
}

/* Checks that a single bad entry of a list is refused, wherever it is. */
static void check_ranges(trial *t, const function *f)
{
    char what[80];
    const buffer *b = &t->a.b[0];
    for (size_t row = b->skip_rows; t->a.list && row < b->count[0]; row++)
        for (size_t i = b->skip_first; i < b->width; i++) {
            const size_t offset = (row * b->stride[0] + i) * b->element;
            unsigned char *at = t->memory.memory[0] + offset, old[8];
            unsigned char *before = t->before.memory[0] + offset;
            memcpy(old, at, b->element);
            for (size_t j = 0; bad_entry(&t->a, b->holds, j, at); j++) {
                memcpy(before, at, b->element);
                snprintf(what, sizeof what, "entry %zu of row %zu, case %zu", i, row, j);
                trial_refused(t, f, PE_ERR_RANGE, what);
            }
            memcpy(at, old, b->element);
            memcpy(before, old, b->element);
        }
    if (f->counted && f->call != call_pe_sinusoidal_f32) {
        t->a.first = POSITION_MAX - 1;
        if (t->a.n[0] > 3 || t->a.n[1] > 3)
            trial_refused(t, f, PE_ERR_RANGE, "the last position is beyond 2^31");
        t->a.first = -POSITION_MAX - 1;
        trial_refused(t, f, PE_ERR_RANGE, "the first position is beyond -2^31");
    }
}

static void positions_out_of_range_are_refused(void **state)
{
    (void)state;
    FAIL_ON_FAULT();
    for_each_trial(check_ranges);
}

/* Returns whether any argument would have more bytes than memory can have, or positions would be
   out of range. */
static int must_refuse(const function *f, args *a)
{
    put_all(f, a);
    for (int k = 0; k < MOST_POINTERS; k++)
        if (times(span_of_buffer(&a->b[k]), a->b[k].element) > (size_t)PTRDIFF_MAX) return 1;
    for (int i = 0; i < MOST_NUMBERS; i++)
        if ((f->counted >> i & 1) && (uint64_t)a->n[i] > (uint64_t)POSITION_MAX + 1) return 1;
    return 0;
}

/* Checks sizes that overflow. All pointers except the plan and the configs lead to a page that
   cannot even be read. */
static void sizes_are_refused_unread(void **state)
{
    const size_t half = SIZE_MAX / 2 + 1, quarter = SIZE_MAX / 4 + 1;
    const size_t root = (size_t)1 << (sizeof(size_t) * 4);
    const size_t sizes[] = {SIZE_MAX,     SIZE_MAX - 1, half + 1,          half,
                            half - 1,     quarter + 1,  quarter,           quarter / 2,
                            quarter / 4,  quarter / 8,  SIZE_MAX / 3 + 1,  SIZE_MAX / 9 + 2,
                            SIZE_MAX / 8, SIZE_MAX / 4, SIZE_MAX / 36 + 1, root * 2,
                            root + 1,     root,         root - 1,          root / 2 + 2,
                            0x7fffffff,   0x80000002u,  0xffffffffu,       12345};
    guarded closed;
    plans ordinary;
    trial t;
    static size_t refused, of[LENGTH(FUNCTIONS)];
    (void)state;
    FAIL_ON_FAULT();
    memset(&t, 0, sizeof t);
    closed = guarded_make(4096);
    guarded_protect(&closed, PROT_NONE);
    plans_open(&ordinary, 0);
    /* If a row is one 16-bit number, it is smaller than its position in a list. */
    for (size_t turn = 0; turn < 2 * FORMS; turn++) {
        const shape s = {9, turn < FORMS ? 9 : 1, 0, turn % FORMS};
        const size_t form = s.form;
        plans_make(&ordinary, &s, 0);
        for (size_t k = 0; k < LENGTH(FUNCTIONS); k++) {
            const function *f = &FUNCTIONS[k];
            trial_make(&t, f, &s, &ordinary);
            args a = t.a;
            for (int j = 0; j < MOST_POINTERS; j++)
                if (a.b[j].holds != STRUCT) a.p[j] = closed.begin;
            for (int i = 0; i < MOST_NUMBERS; i++)
                for (int j = i; j < MOST_NUMBERS; j++)
                    for (size_t v = 0; v < LENGTH(sizes) * LENGTH(sizes); v++) {
                        const size_t x = sizes[v % LENGTH(sizes)], y = sizes[v / LENGTH(sizes)];
                        args b = a;
                        if (i == j && x != y) continue;
                        if (a.n[i] == 0 || a.n[j] == 0) break;
                        b.n[i] = x, b.n[j] = y;
                        if (a.b[0].is_opaque || !must_refuse(f, &b)) /* plans: any size is right */
                            continue;
                        fault_case("%s: n[%d] = %zu, n[%d] = %zu, form %zu", f->name, i, x, j, y,
                                   form);
                        const pe_status status = call_of(f, &b);
                        if (status != PE_ERR_SIZE && status != PE_ERR_SHAPE &&
                            status != PE_ERR_RANGE && status != PE_ERR_AT_SIZE &&
                            status != PE_ERR_OVERLAP && status != PE_ERR_HEAD_DIM)
                            fail_msg("%s: %s", fault_get()->what, pe_status_string(status));
                        refused++, of[k]++;
                    }
            memset(t.a.p, 0, sizeof t.a.p); /* no plan was made */
            trial_unwritten(&t, f->name);
        }
    }
    for (size_t k = 0; k < LENGTH(FUNCTIONS); k++)
        if ((FUNCTIONS[k].strides || FUNCTIONS[k].counted) && of[k] == 0)
            fail_msg("%s: no size was tried", FUNCTIONS[k].name);
    printf("  %zu calls refused\n", refused);
    trial_free(&t);
    plans_close(&ordinary);
    guarded_free(&closed);
}

/* Checks grids: a product of sizes must not wrap, and a call with more rows than cells is
   refused. */
static void grids_are_refused_unread(void **state)
{
    const size_t root = (size_t)1 << (sizeof(size_t) * 4);
    const size_t sizes[] = {1,
                            2,
                            3,
                            0x7fffffff,
                            0x80000002u,
                            root - 1,
                            root,
                            root + 1,
                            SIZE_MAX / 3 + 1,
                            SIZE_MAX / 4 + 1,
                            SIZE_MAX / 2 + 1,
                            SIZE_MAX};
    guarded closed;
    plans ordinary;
    trial t;
    static size_t refused;
    (void)state;
    FAIL_ON_FAULT();
    memset(&t, 0, sizeof t);
    closed = guarded_make(4096);
    guarded_protect(&closed, PROT_NONE);
    plans_open(&ordinary, 0);
    for (size_t form = 0; form < FORMS; form++) {
        const shape s = {9, 40, 0, form};
        plans_make(&ordinary, &s, 0);
        for (size_t k = 0; k < LENGTH(FUNCTIONS); k++) {
            const function *f = &FUNCTIONS[k];
            if (f->place != PLACE_GRID) continue;
            trial_make(&t, f, &s, &ordinary);
            for (size_t v = 0; v < LENGTH(sizes) * LENGTH(sizes) * LENGTH(sizes); v++) {
                args a = t.a;
                size_t rest = v, most = 0, cells = 1;
                for (size_t i = 0; i < a.axes; i++, rest /= LENGTH(sizes)) {
                    a.counts[i] = sizes[rest % LENGTH(sizes)];
                    most = a.counts[i] > most ? a.counts[i] : most;
                    cells = times(cells, a.counts[i]);
                }
                a.p[0] = closed.begin;
                if (cells != SIZE_MAX) /* all of them, and more than there are */
                    a.n[0] = cells + (v % 2 && most <= 3);
                if (!must_refuse(f, &a) && (uint64_t)most <= (uint64_t)POSITION_MAX + 1 &&
                    a.n[0] == cells)
                    continue;
                fault_case("%s: %zu x %zu x %zu", f->name, a.counts[0], a.counts[1], a.counts[2]);
                const pe_status status = call_of(f, &a);
                if (status != (a.n[0] == cells + 1 ? PE_ERR_AT_ROWS : PE_ERR_AT_SIZE) &&
                    status != PE_ERR_RANGE && (status != PE_ERR_SIZE || a.n[0] == cells + 1))
                    fail_msg("%s: %s", fault_get()->what, pe_status_string(status));
                refused++;
            }
        }
    }
    assert_true(refused > 100);
    trial_free(&t);
    plans_close(&ordinary);
    guarded_free(&closed);
}

/* ------------------------------------------------------------------------------------------------
 * Functions of numbers and structs alone
 * --------------------------------------------------------------------------------------------- */

static void small_functions_take_anything(void **state)
{
    static const size_t odd[] = {0, 1, 2, 3, 0x7fffffff, 0x80000000u, SIZE_MAX / 2, SIZE_MAX};
    const int out[] = {-1, PE_PRESET_COUNT, INT32_MAX, -INT32_MAX};
    const unsigned long before = environment();
    pe_rope_type type = PE_ROPE_YARN;
    (void)state;
    FAIL_ON_FAULT();
    errno = 77;
    for (int s = 0; s <= (int)PE_ERR_SELFTEST; s++)
        assert_true(strlen(pe_status_string((pe_status)s)) > 0);
    assert_int_equal(pe_plan_size(NULL), 0);
    assert_int_equal(pe_version(), PE_VERSION_HEX);
    assert_true(strlen(pe_isa_name()) > 0);
    assert_non_null(pe_rope_config_error(NULL));
    assert_int_equal(pe_rope_plan_size(NULL), 0);
    assert_non_null(pe_config_error(NULL));
    assert_int_equal(pe_selftest(), PE_OK);
    for (int p = 0; p < (int)PE_PRESET_COUNT; p++)
        for (size_t k = 0; k < LENGTH(odd); k++) {
            pe_config c = pe_config_preset((pe_preset)p, odd[k]);
            assert_int_equal(c.d_model, odd[k]);
            if (odd[k] == 0 || odd[k] >= SIZE_MAX / 2) assert_int_equal(pe_plan_size(&c), 0);
        }
    for (size_t k = 0; k < LENGTH(out); k++) {
        pe_preset preset = PE_PRESET_VASWANI;
        memcpy(&preset, &out[k], sizeof preset);
        const pe_config c = pe_config_preset(preset, 64);
        assert_int_equal(pe_plan_size(&c), 0);
    }
    for (size_t k = 0; k < LENGTH(odd); k++) {
        const pe_config c = pe_config_default(odd[k]);
        const pe_rope_config r = pe_rope_config_default(odd[k]);
        assert_int_equal(pe_plan_size(&c) == 0, odd[k] == 0 || odd[k] >= SIZE_MAX / 2);
        assert_int_equal(pe_config_error(&c) == NULL, pe_plan_size(&c) > 0);
        if (odd[k] % 2 || odd[k] == 0 || odd[k] >= SIZE_MAX / 2)
            assert_int_equal(pe_rope_plan_size(&r), 0);
        assert_int_equal(pe_rope_config_error(&r) == NULL, odd[k] == 2 || odd[k] == 0x80000000u);
    }
    assert_int_equal(pe_rope_type_named(NULL, &type), PE_ERR_NULL);
    assert_int_equal(pe_rope_type_named("yarn", NULL), PE_ERR_NULL);
    assert_int_equal(pe_rope_type_named("yarm", &type), PE_ERR_NAME);
    assert_int_equal(type, PE_ROPE_YARN);
    assert_int_equal(errno, 77);
    assert_true(environment() == before);
}

/* Tests arguments that end at an inaccessible page: the sizes of a grid, frequencies, and names.
   Nothing behind them is read, and no size if there are too many. */
static void arguments_may_end_at_a_page(void **state)
{
    const unsigned long before = environment();
    pe_rope_type type = PE_ROPE_YARN;
    guarded g = guarded_make(256);
    (void)state;
    FAIL_ON_FAULT();
    errno = 77;
    for (size_t axes = 1; axes <= PE_MAX_AXES; axes++) {
        size_t *sizes = (size_t *)(void *)g.end - axes;
        fault_case("pe_grid of %zu axes", axes);
        for (size_t k = 0; k < axes; k++) sizes[k] = 2;
        (void)pe_grid(sizes, axes);
    }
    fault_case("pe_grid of too many axes");
    (void)pe_grid((const size_t *)(const void *)g.end, PE_MAX_AXES + 1);
    (void)pe_grid((const size_t *)(const void *)g.end, SIZE_MAX);
    (void)pe_grid((const size_t *)(const void *)g.end, 0);
    (void)pe_grid(NULL, 2);
    /* frequencies that end at the page, and the index of the one that is wrong */
    for (size_t pairs = 1; pairs <= 16; pairs++)
        for (size_t bad = 0; bad <= pairs; bad++) {
            const pe_config c = pe_config_default(2 * pairs);
            double *omega = (double *)(void *)g.end - pairs;
            size_t index = SIZE_MAX;
            fault_case("pe_frequency_error, pairs %zu", pairs);
            for (size_t k = 0; k < pairs; k++) omega[k] = k >= bad ? (double)NAN : 0.5;
            assert_int_equal(pe_frequency_error(&c, omega, pairs, NULL) == NULL, bad == pairs);
            assert_int_equal(pe_frequency_error(&c, omega, pairs, &index) == NULL, bad == pairs);
            assert_int_equal(index, bad);
        }
    /* names that end at the page: not a byte behind the end of a string is read */
    {
        static const char *const names[] = {"",       "d",    "default", "linear",   "linea",
                                            "llama3", "yarn", "su",      "longrope", "longropes"};
        for (size_t k = 0; k < LENGTH(names); k++) {
            char *at = (char *)g.end - strlen(names[k]) - 1;
            memcpy(at, names[k], strlen(names[k]) + 1);
            fault_case("pe_rope_type_named(\"%s\")", names[k]);
            (void)pe_rope_type_named(at, &type);
        }
    }
    assert_int_equal(errno, 77);
    assert_true(environment() == before);
    guarded_free(&g);
}

/* ------------------------------------------------------------------------------------------------
 * Surroundings
 * --------------------------------------------------------------------------------------------- */

static const shape some[] = {{9, 9, 0, 0}, {33, 40, 1, 1}, {7, 65, 7, 2}, {64, 6, 0, 5}};

/* Checks every function and its plans in an environment that around(1) makes and around(0) ends. */
static void in_surroundings(void (*around)(int on), int same_bits)
{
    plans ordinary, tight;
    reference want;
    arena x;
    memset(&want, 0, sizeof want);
    plans_open(&ordinary, 0), plans_open(&tight, 1), arena_open(&x);
    for (size_t i = 0; i < LENGTH(some); i++) {
        plans_make(&ordinary, &some[i], 0);
        around(1);
        plans_make(&tight, &some[i], i);
        around(0);
        for (size_t k = 0; k < LENGTH(FUNCTIONS); k++) {
            reference_make(&want, &FUNCTIONS[k], &some[i], &ordinary);
            around(1);
            check_placed(&FUNCTIONS[k], &some[i], &tight, same_bits ? &want : NULL, &x, 1, 0);
            around(0);
        }
    }
    reference_free(&want);
    plans_close(&ordinary), plans_close(&tight), arena_close(&x);
}

static void flush(int on) { flush_subnormals(on); }

/* Tests that no normal result changes if another library leaves flush-to-zero set. */
static void flushing_changes_nothing(void **state)
{
    (void)state;
    if (!flush_subnormals(0)) skip();
    FAIL_ON_FAULT();
    in_surroundings(flush, 1);
}

static int rounding_mode = FE_TONEAREST;
static void round_so(int on) { fesetround(on ? rounding_mode : FE_TONEAREST); }

/* Checks other rounding modes than the documented round-to-nearest: last bits may differ, and
   nothing else. */
static void other_rounding_does_no_harm(void **state)
{
    static const int modes[] = {
#if defined(FE_UPWARD) && defined(FE_DOWNWARD) && defined(FE_TOWARDZERO)
        FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO,
#endif
        FE_TONEAREST};
    (void)state;
    FAIL_ON_FAULT();
    for (size_t m = 0; m < LENGTH(modes); m++) {
        rounding_mode = modes[m];
        if (fesetround(modes[m]) == 0) in_surroundings(round_so, modes[m] == FE_TONEAREST);
    }
    fesetround(FE_TONEAREST);
}

/* ------------------------------------------------------------------------------------------------
 * Threads: one plan, one set of inputs, an output for each
 * --------------------------------------------------------------------------------------------- */

typedef struct worker {
    const function *f;
    const args *want;
    args a;
    reference own;
    const char *wrong;
} worker;

static void *work(void *argument)
{
    worker *w = (worker *)argument;
    pe_status status;
    w->wrong = call_watched(w->f, &w->a, &status);
    if (w->wrong == NULL && status != PE_OK) w->wrong = pe_status_string(status);
    for (int k = 0; k < MOST_POINTERS && w->wrong == NULL; k++)
        if (w->a.b[k].written && !w->a.b[k].is_opaque &&
            memcmp(w->a.p[k], w->want->p[k], buffer_bytes(&w->a.b[k])) != 0)
            w->wrong = "other bits than alone";
    return NULL;
}

static void threads_share_a_plan(void **state)
{
    enum { MOST = 8 };
    static worker workers[MOST];
    plans ordinary;
    reference want;
    (void)state;
    FAIL_ON_FAULT();
    memset(&want, 0, sizeof want);
    memset(workers, 0, sizeof workers);
    plans_open(&ordinary, 0);
    for (size_t i = 0; i < LENGTH(some); i++) {
        plans_make(&ordinary, &some[i], 0);
        for (size_t f = 0; f < LENGTH(FUNCTIONS); f++) {
            const size_t count = 1 + (i + f) % MOST;
            pthread_t ids[MOST];
            reference_make(&want, &FUNCTIONS[f], &some[i], &ordinary);
            const shape packed = {some[i].rows, some[i].width, 0, some[i].form};
            for (size_t t = 0; t < count; t++) {
                worker *w = &workers[t];
                w->f = &FUNCTIONS[f], w->want = &want.a, w->wrong = NULL;
                args_make(&w->a, w->f, &packed, &ordinary);
                for (int k = 0; k < MOST_POINTERS; k++) {
                    w->a.p[k] = want.a.p[k];
                    if (w->a.b[k].written) {
                        reference_room(&w->own, k, buffer_bytes(&w->a.b[k]));
                        w->a.p[k] = w->own.memory[k];
                        buffer_paint(&w->a, k);
                    }
                }
            }
            for (size_t t = 0; t < count; t++)
                assert_int_equal(pthread_create(&ids[t], NULL, work, &workers[t]), 0);
            for (size_t t = 0; t < count; t++) assert_int_equal(pthread_join(ids[t], NULL), 0);
            for (size_t t = 0; t < count; t++)
                if (workers[t].wrong)
                    fail_msg("%s: thread %zu of %zu: %s", shape_text(&FUNCTIONS[f], &some[i]), t,
                             count, workers[t].wrong);
        }
    }
    for (size_t t = 0; t < MOST; t++) reference_free(&workers[t].own);
    reference_free(&want);
    plans_close(&ordinary);
}

/* ------------------------------------------------------------------------------------------------
 * The stack
 * --------------------------------------------------------------------------------------------- */

#if !SANITIZED /* sanitizers take stack of their own */
typedef struct deep {
    const function *f;
    const args *a;
    pe_status status;
} deep;

static void *call_deep(void *argument)
{
    deep *d = (deep *)argument;
    d->status = d->f->call(d->a);
    return NULL;
}

/* Calls the functions that are in no list and need little stack. */
static void *call_small(void *argument)
{
    static const size_t sizes[PE_MAX_AXES] = {1, 2, 3, 4, 5, 6, 7, 8};
    const pe_rope_config rope = pe_rope_config_default(64);
    const pe_config config = pe_config_default(8);
    const double omega[4] = {1, 1, 1, 1};
    pe_rope_type type;
    size_t sum = pe_grid(sizes, PE_MAX_AXES).axes + pe_rope_plan_size(&rope);
    sum += (size_t)pe_rope_type_named("yarn", &type) + (size_t)pe_version();
    sum += strlen(pe_status_string(PE_ERR_RANGE)) + strlen(pe_isa_name());
    sum += pe_frequency_error(&config, omega, 4, NULL) == NULL;
    for (int k = 0; k < PE_PRESET_COUNT; k++) {
        const pe_config c = pe_config_preset((pe_preset)k, 64);
        sum += pe_plan_size(&c) + (pe_config_error(&c) == NULL) +
               (pe_rope_config_error(&rope) == NULL);
    }
    return sum > 0 ? NULL : argument;
}

/* Tests every call in every form, with few and many rows, near 0 and far from it, in optimised
   builds and others. PE_STACK=1 prints the stack that each function takes. */
static void the_stack_is_enough(void **state)
{
    enum { MOST_STACK = 48000, SHAPES = 2 * FORMS };
    static const int64_t firsts[] = {1000, POSITION_MAX - 2000};
    static plans ordinary[SHAPES];
    static shape shapes[SHAPES];
    const int is_told = test_flag("PE_STACK");
    const char *where = "";
    size_t most = 0, too_deep = 0;
    painted p;
    reference want;
    (void)state;
    memset(&want, 0, sizeof want);
    for (size_t i = 0; i < SHAPES; i++) {
        const shape s = {(i % 2 ? ROWS - FORMS : 2) + i / 2, i % 2 ? WIDTH : 9, 0, i / 2};
        shapes[i] = s;
        plans_open(&ordinary[i], 0);
        plans_make(&ordinary[i], &shapes[i], 0);
    }
    stack_open(&p);
    for (size_t f = 0; f < LENGTH(FUNCTIONS); f++) {
        for (size_t i = 0; i < SHAPES; i++) {
            /* This first call may take more stack, because of the dynamic linker. */
            reference_make(&want, &FUNCTIONS[f], &shapes[i], &ordinary[i]);
            for (size_t k = 0; k < LENGTH(firsts); k++) {
                deep d = {&FUNCTIONS[f], &want.a, PE_ERR_NULL};
                want.a.first = want.a.limit > 0 ? 0 : firsts[k]; /* a table's first row */
                (void)stack_run(&p, call_deep, &d);
                if (d.status != PE_OK)
                    fail_msg("%s: %s", shape_text(d.f, &shapes[i]), pe_status_string(d.status));
            }
        }
        const size_t used = stack_used(&p);
        if (is_told || used > MOST_STACK)
            fprintf(stderr, "  %-28s %zu bytes of stack\n", FUNCTIONS[f].name, used);
        too_deep += used > MOST_STACK;
        if (used > most) most = used, where = FUNCTIONS[f].name;
    }
    assert_null(call_small(&p));
    assert_null(stack_run(&p, call_small, &p));
    assert_in_range(stack_used(&p), 0, MOST_STACK);
    printf("             %s takes %zu bytes of stack\n", where, most);
    assert_int_equal(too_deep, 0);
    assert_in_range(most, 16000, MOST_STACK); /* less than 16000 would mean that nothing was seen */
    stack_close(&p);
    reference_free(&want);
    for (size_t i = 0; i < SHAPES; i++) plans_close(&ordinary[i]);
}
#endif

/* Tests that a row reads a plan's memory to its end and no further where each of its elements is
   rounded exactly, one pair after another. That happens if the angles are so large that
   double-double does not suffice, as for this config with 80 columns or more. The memory of the
   guarded plan ends at an inaccessible page. */
static void exact_rows_end_with_the_plan(void **state)
{
    enum { FIRST_WIDTH = 80, WIDTHS = 64 };
    static double expected[FIRST_WIDTH + WIDTHS], row[FIRST_WIDTH + WIDTHS];
    guarded g = guarded_make(PLAN_BYTES);
    unsigned char *const ordinary = (unsigned char *)must_alloc(PLAN_BYTES);
    (void)state;
    for (size_t k = 0; k < 4 * (size_t)WIDTHS; k++) {
        pe_config config = pe_config_default(k / 4 + FIRST_WIDTH);
        pe_plan plan, guarded_plan;
        config.expected_rows = k % 2;
        config.angle = k / 2 % 2 ? PE_ANGLE_FLOAT32 : PE_ANGLE_EXACT;
        config.exponent = PE_EXPONENT_INDEX, config.base = 1.0001, config.scale = 2097000;
        const size_t bytes = pe_plan_size(&config);
        guarded_protect(&g, PROT_READ | PROT_WRITE);
        fault_case("d_model %zu, angle %d", config.d_model, (int)config.angle);
        assert_int_equal(pe_plan_init(&plan, &config, ordinary, bytes), PE_OK);
        assert_int_equal(pe_plan_init(&guarded_plan, &config, g.end - bytes, bytes), PE_OK);
        guarded_protect(&g, PROT_READ);
        for (int type = 0; type < 4; type++) {
            double *const out[2] = {expected, row};
            memset(expected, 0, sizeof expected), memset(row, 0, sizeof row);
            for (int side = 0; side < 2; side++) {
                const pe_plan *const p = side ? &guarded_plan : &plan;
                const pe_at far = pe_from(POSITION_MAX - 648);
                const size_t stride = config.d_model;
                void *const to = out[side];
                assert_int_equal(type == 0   ? pe_fill_f32(p, far, 1, (float *)to, stride)
                                 : type == 1 ? pe_fill_f64(p, far, 1, (double *)to, stride)
                                 : type == 2 ? pe_fill_f16(p, far, 1, (uint16_t *)to, stride)
                                             : pe_fill_bf16(p, far, 1, (uint16_t *)to, stride),
                                 PE_OK);
            }
            assert_memory_equal(row, expected, sizeof row);
        }
    }
    free(ordinary);
    guarded_free(&g);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_rows_end_with_the_plan),
        cmocka_unit_test(every_shape_between_guard_pages),
        cmocka_unit_test(every_form_and_offset),
        cmocka_unit_test(nulls_are_refused),
        cmocka_unit_test(plans_of_zeros_are_refused),
        cmocka_unit_test(places_of_garbage_are_refused),
        cmocka_unit_test(nothing_to_do_is_fine),
        cmocka_unit_test(overlapping_rows_are_refused),
        cmocka_unit_test(positions_out_of_range_are_refused),
        cmocka_unit_test(sizes_are_refused_unread),
        cmocka_unit_test(grids_are_refused_unread),
        cmocka_unit_test(small_functions_take_anything),
        cmocka_unit_test(arguments_may_end_at_a_page),
        cmocka_unit_test(flushing_changes_nothing),
        cmocka_unit_test(other_rounding_does_no_harm),
        cmocka_unit_test(threads_share_a_plan),
#if !SANITIZED
        cmocka_unit_test(the_stack_is_enough),
#endif
    };
    test_begin(argc, argv);
    pools_make();
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
