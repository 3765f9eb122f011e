/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes the instruction sets against each other. The library is linked in once for each of them,
 * and each copy has to give the bits of the scalar copy. FUZZ_CODES names the fuzz_code objects of
 * the copies, the scalar one first: -DFUZZ_CODES=&code_scalar,&code_avx2,&code_avx512.
 */
#include "simd.h"

enum { WIDEST = 64, ELEMENTS = 192, POOL = 96, MOST_CODES = 4 };

extern const fuzz_code code_scalar, code_sse2, code_avx2, code_avx512, code_neon;
static const fuzz_code *const codes[] = {FUZZ_CODES};

enum { CODES = (int)FUZZ_COUNT(codes) };

typedef struct plan_case {
    pe_plan plan[MOST_CODES];
    void *memory[MOST_CODES];
    size_t room;
} plan_case;

static plan_case pool[POOL];

static int make_plans(plan_case *p, const pe_config *config)
{
    const size_t bytes = pe_plan_size(config);
    if (bytes == 0) return 0;
    for (int i = 0; i < CODES; i++) {
        if (p->room < bytes) free(p->memory[i]), p->memory[i] = malloc(bytes);
        if (codes[i]->plan(&p->plan[i], config, p->memory[i], bytes) != PE_OK)
            FUZZ_FAIL("%s: no plan of a valid config", codes[i]->name);
    }
    if (p->room < bytes) p->room = bytes;
    return 1;
}

/* Makes the plans of a valid config of any kind. Returns 0 if the input gives no valid config. */
static int decode_plans(fuzz_input *in, plan_case *p)
{
    const unsigned kind = fuzz_byte(in), d = fuzz_byte(in), fields = fuzz_byte(in);
    pe_config c = pe_config_default(1 + (d < 200 ? d % 36 : d % WIDEST));
    if (kind >= 128) c = pe_config_preset((pe_preset)(kind % PE_PRESET_COUNT), c.d_model);
    if (kind < 128)
        c.layout = (pe_layout)(kind & 1), c.cos_first = kind >> 1 & 1,
        c.odd = (pe_odd)(kind >> 2 & 1);
    if ((kind & 0x78) == 0x78) c.angle = PE_ANGLE_FLOAT32;
    if (fields & 1) c.base = 1 + fabs(fuzz_double(in));
    if (fields & 2)
        c.amplitude =
            fuzz_byte(in) < 128 ? ldexp(1.5, (int)fuzz_byte(in) * 2 - 256) : fuzz_double(in);
    if (fields & 4) c.scale = fuzz_double(in);
    if (fields & 8) c.half_turns = 1;
    if (fields & 16) c.offset = (double)fuzz_position(in) + (double)(fuzz_byte(in) % 8) / 8;
    if (fields & 32) c.exponent = (pe_exponent)(fuzz_byte(in) % 3);
    if (fields & 64) c.has_padding = 1, c.padding_position = fuzz_position(in);
    if (fields & 128) c.expected_rows = 1;
    return make_plans(p, &c);
}

/* Makes the plans of a valid RoPE config with sections. Returns 0 if the input gives no valid
   config. */
static int decode_rope_plans(fuzz_input *in, plan_case *p)
{
    const unsigned b = fuzz_byte(in), fields = fuzz_byte(in);
    pe_rope_config c = pe_rope_config_default(2 * (1 + fuzz_byte(in) % (WIDEST / 2)));
    static uint8_t coordinates[WIDEST / 2];
    const size_t pairs = c.head_dim / 2;
    c.layout = (pe_layout)(b & 1), c.section_order = (pe_sections)(b / 2 % 3);
    c.axes = 1 + b / 8 % 4;
    for (size_t a = 1; a < c.axes; a++) c.sections[a] = pairs / c.axes;
    c.sections[0] = pairs - (c.axes - 1) * c.sections[1];
    c.rope_type = (pe_rope_type)(fields % 6);
    c.factor = 8, c.original_max_position_embeddings = 4096, c.max_position_embeddings = 32768;
    c.sequence_length = 20000;
    if (fields & 16) c.offset = fuzz_real(in) / 1024, c.offset = floor(c.offset * 64) / 64;
    if (fields & 32) c.attention_factor = 1.5;
    if (fields & 64) c.angle = PE_ANGLE_FLOAT32;
    if (fields & 128) c.expected_rows = 1;
    if (b >= 224) { /* a coordinate for each pair */
        c.section_order = PE_SECTIONS_BLOCKS, c.coordinate = coordinates;
        for (size_t a = 0; a < c.axes; a++) c.sections[a] = 0;
        for (size_t i = 0; i < pairs; i++)
            coordinates[i] = (i + fields) % 9 == 8 ? 255 : (uint8_t)(i * (fields | 1) % 7 % c.axes);
    }
    const size_t bytes = pe_rope_plan_size(&c);
    if (bytes == 0) return 0;
    for (int i = 0; i < CODES; i++) {
        if (p->room < bytes) free(p->memory[i]), p->memory[i] = malloc(bytes);
        if (codes[i]->rope_plan(&p->plan[i], &c, p->memory[i], bytes) != PE_OK)
            FUZZ_FAIL("%s: no plan of a valid config of RoPE", codes[i]->name);
    }
    if (p->room < bytes) p->room = bytes;
    return 1;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    uint64_t state = 2026;
    (void)argc, (void)argv;
    fuzz_memory_make();
    for (size_t n = 0; n < POOL;) {
        uint8_t bytes[32];
        for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)fuzz_next(&state);
        if (n % 4) /* three of four plans change no field of the config: fields = 0 */
            bytes[2] = 0;
        fuzz_input in = {bytes, bytes + sizeof bytes};
        n += (size_t)(n % 6 == 5 ? decode_rope_plans(&in, &pool[n]) : decode_plans(&in, &pool[n]));
    }
    return 0;
}

/* Takes one block for each code. All blocks have the same n elements. */
static void take_all(fuzz_type t, size_t n, unsigned seed, void **x)
{
    for (int i = 0; i < CODES; i++) {
        x[i] = fuzz_take(n * fuzz_size(t), (seed & 1) != 0);
        if (i == 0) fuzz_elements(t, x[0], n, seed);
        else memcpy(x[i], x[0], n * fuzz_size(t));
    }
}

/* Fails unless all blocks have the n elements, and all calls the status, of the scalar code. */
static void compare_all(const char *what, fuzz_type t, size_t n, void **x, const pe_status *status)
{
    for (int i = 1; i < CODES; i++) {
        const unsigned char *const a = (const unsigned char *)x[0], *const b =
                                                                        (const unsigned char *)x[i];
        const size_t size = fuzz_size(t);
        if (status[i] != status[0])
            FUZZ_FAIL("%s: status %d from %s, %d from %s", what, (int)status[0], codes[0]->name,
                      (int)status[i], codes[i]->name);
        if (fuzz_same(t, a, b, n)) continue;
        for (size_t k = 0; k < n; k++)
            if (!fuzz_same(t, a + k * size, b + k * size, 1)) {
                uint64_t p = 0, q = 0;
                memcpy(&p, a + k * size, size), memcpy(&q, b + k * size, size);
                FUZZ_FAIL("%s: element %zu of %zu, type %d: 0x%llx from %s, 0x%llx from %s", what,
                          k, n, (int)t, (unsigned long long)p, codes[0]->name,
                          (unsigned long long)q, codes[i]->name);
            }
    }
}

static void op_rows(fuzz_input *in, const plan_case *p)
{
    static fuzz_place place;
    const pe_plan *plan = &p->plan[0];
    const size_t d = plan->d_model;
    const unsigned b = fuzz_byte(in), seed = fuzz_byte(in);
    const fuzz_type t = (fuzz_type)(b & 3);
    const unsigned how = (b >> 2) % 8;
    const size_t most = (t == FUZZ_F64 ? ELEMENTS / 10 : ELEMENTS) / d; /* doubles are slow */
    const size_t rows = 1 + fuzz_byte(in) % (most < 1 ? 1 : most < 24 ? most : 24);
    const size_t stride = d + (seed & 32 ? seed >> 6 : 0);
    static const float scales[] = {1, 22.627417f, 0, -1, 1e-30f, 1, 1e30f, 3};
    const float scale = scales[b >> 5];
    void *x[MOST_CODES];
    pe_status status[MOST_CODES];
    fuzz_place_make(in, &place, rows, plan->axes, plan->offset, FUZZ_GOOD, 0);
    if (place.too_long) return;
    take_all(t, rows * stride, seed, x);
    for (int i = 0; i < CODES; i++) {
        const fuzz_fill *const f = &codes[i]->fill[t];
        const pe_plan *const q = &p->plan[i];
        status[i] = how >= 6   ? f->add(q, place.at, rows, scale, x[i], stride)
                    : how == 5 ? f->shift(q, place.at, rows, x[i], stride)
                               : f->fill(q, place.at, rows, x[i], stride);
    }
    compare_all(how >= 5 ? "add or shift" : "fill", t, rows * stride, x, status);
}

static void op_algebra(fuzz_input *in, const plan_case *p)
{
    static fuzz_place place;
    const unsigned b = fuzz_byte(in), seed = fuzz_byte(in);
    const size_t pairs = p->plan[0].pairs, count = b % 4 == 0 ? pairs : 1 + seed % 24;
    void *x[MOST_CODES];
    pe_status status[MOST_CODES];
    fuzz_place_make(in, &place, count, 1, 0, FUZZ_GOOD, 0);
    if (place.too_long) return;
    take_all(FUZZ_F64, count, seed & 1, x);
    for (int i = 0; i < CODES; i++)
        status[i] = b % 4 == 0 ? codes[i]->plan_frequencies(&p->plan[i], (double *)x[i])
                               : codes[i]->dot(&p->plan[i], place.at, count, (double *)x[i]);
    compare_all("algebra", FUZZ_F64, count, x, status);
}

static void op_rope(fuzz_input *in, const plan_case *p)
{
    static const fuzz_type types[] = {FUZZ_F32, FUZZ_F16, FUZZ_BF16, FUZZ_F32};
    static fuzz_place place;
    const size_t d = p->plan[0].d_model, half = d / 2;
    const unsigned b = fuzz_byte(in), seed = fuzz_byte(in);
    const fuzz_type t = types[b & 3];
    const size_t most = ELEMENTS / (d + 3), tokens = 1 + (b >> 2) % 4;
    const size_t heads = 1 + seed % 3 < most / tokens ? 1 + seed % 3 : 1;
    const unsigned how = fuzz_byte(in) % 8;
    const pe_heads lie = {heads, d + (b >> 5) % 4, heads * (d + (b >> 5) % 4)};
    const size_t all = tokens * lie.token_stride;
    void *x[MOST_CODES];
    pe_status status[MOST_CODES];
    float from[ELEMENTS + 64], cosines[ELEMENTS], sines[ELEMENTS];
    if (tokens * heads > most || all > ELEMENTS) return;
    fuzz_place_make(in, &place, tokens, p->plan[0].axes, p->plan[0].offset, FUZZ_GOOD, 0);
    if (place.too_long) return;
    fuzz_elements(FUZZ_F32, from, all, seed + 5);
    fuzz_elements(FUZZ_F32, cosines, tokens * half, seed + 6);
    fuzz_elements(FUZZ_F32, sines, tokens * half, seed + 7);
    /* The bytes of the floats are used as a table of any type. Bits of `seed` choose a list of
     * rows, the opposite angles, and one array of complex numbers instead of two arrays. */
    pe_rope_table table = {cosines, sines, (pe_type)(seed % 3), PE_ROPE_TABLE_APART, half,
                           tokens,  half};
    const int64_t gathered[4] = {(int64_t)tokens - 1, 0, (int64_t)tokens / 2, 0};
    const pe_at some = seed & 8 ? pe_at_i64(gathered) : pe_from(0),
                rows = seed & 16 ? pe_back(some) : some;
    if (seed & 64)
        table.layout = PE_ROPE_TABLE_COMPLEX, table.sines = NULL, table.stride = d,
        table.type = PE_TYPE_BF16;
    take_all(t, all, seed, x);
    for (int i = 0; i < CODES; i++) {
        const fuzz_rope *const f = &codes[i]->rope[t];
        const pe_plan *const q = &p->plan[i];
        switch (how) {
        case 0: status[i] = f->from_f32(q, place.at, tokens, d, from, lie, x[i], lie); break;
        case 1:
            status[i] = f->by_table(&table, (pe_layout)(b >> 4 & 1), rows, tokens, x[i], lie);
            break;
        case 2:
            status[i] = f->by_table_to(&table, (pe_layout)(b >> 4 & 1), rows, tokens, d,
                                       t == FUZZ_F32 ? (const void *)from : (const void *)cosines,
                                       lie, x[i], lie);
            break;
        case 3:
            status[i] = f->table(q, place.at, tokens, PE_ROPE_TABLE_TWICE, x[i],
                                 fuzz_take(all * fuzz_size(t), 1), lie.token_stride, NULL);
            break;
        case 4:
            status[i] =
                f->table(q, place.at, tokens, b & 16 ? PE_ROPE_TABLE_JOINED : PE_ROPE_TABLE_COMPLEX,
                         x[i], NULL, lie.token_stride, NULL);
            break;
        default: status[i] = f->turn(q, place.at, tokens, x[i], lie); break;
        }
    }
    compare_all("rope", t, all, x, status);
}

/* Compares ggml's angles between the codes. */
static void op_ggml(fuzz_input *in)
{
    static fuzz_place place;
    const unsigned b = fuzz_byte(in), seed = fuzz_byte(in);
    const size_t rows = 1 + seed % 3, half = 1 + b % 20;
    pe_rope_ggml g;
    void *x[MOST_CODES], *y[MOST_CODES];
    pe_status status[MOST_CODES];
    memset(&g, 0, sizeof g);
    g.n_dims = 2 * half;
    g.freq_base = seed & 4 ? 500000 : 10000, g.freq_scale = seed & 8 ? 0.25f : 1;
    if (seed & 16) g.ext_factor = 1, g.n_ctx_orig = 4096;
    fuzz_place_make(in, &place, rows, 1, 0, FUZZ_GOOD, 0);
    if (place.too_long) return;
    take_all(FUZZ_F32, rows * half, 0, x);
    take_all(FUZZ_F32, rows * half, 1, y);
    for (int i = 0; i < CODES; i++)
        status[i] = codes[i]->ggml(&g, place.at, rows, (float *)x[i], (float *)y[i], half);
    compare_all("ggml", FUZZ_F32, rows * half, x, status);
    compare_all("ggml", FUZZ_F32, rows * half, y, status);
}

/* Compares sines and cosines without a plan between the codes. */
static void op_sincos(fuzz_input *in)
{
    static fuzz_place place;
    const unsigned b = fuzz_byte(in), seed = fuzz_byte(in);
    const fuzz_type t = (fuzz_type)(b & 3);
    const size_t pairs = 1 + (b >> 2) % 24,
                 most = (t == FUZZ_F64 ? ELEMENTS / 10 : ELEMENTS) / (2 * pairs);
    const size_t rows = seed >= 240 && pairs < 3 ? 97 : 1 + seed % (most < 1 ? 1 : most);
    const size_t all = rows * 2 * pairs, size = fuzz_size(t);
    double omega[24];
    void *x[MOST_CODES];
    pe_status status[MOST_CODES];
    if (t == FUZZ_F64 && rows > 90) return;
    for (size_t i = 0; i < pairs; i++)
        omega[i] =
            fuzz_byte(in) < 16 ? fuzz_double(in) : ldexp(1 + (double)i / 32, -(int)(i * (b % 5)));
    fuzz_place_make(in, &place, rows, 1, 0, FUZZ_GOOD, 0);
    if (place.too_long) return;
    take_all(t, all, seed, x);
    for (int i = 0; i < CODES; i++) {
        unsigned char *const first = (unsigned char *)x[i], *const second = first + pairs * size;
        status[i] = codes[i]->fill[t].sincos(omega, pairs, seed & 1 ? 1 : 0.75, place.at, rows,
                                             seed & 2 ? first : second, seed & 2 ? second : first,
                                             2 * pairs);
    }
    compare_all("sincos", t, all, x, status);
}

/* Compares T5's buckets and the factors of queries between the codes. */
static void op_numbers(fuzz_input *in)
{
    static fuzz_place query, key;
    const unsigned b = fuzz_byte(in), seed = fuzz_byte(in);
    const size_t queries = 1 + b % 4, keys = 1 + (b >> 2) % 24,
                 n = seed & 1 ? queries * keys : keys;
    const size_t buckets = 2 * (2 + (size_t)seed % 30), most = 64 + (size_t)fuzz_byte(in);
    const double beta = fuzz_double(in);
    void *x[MOST_CODES];
    pe_status status[MOST_CODES];
    fuzz_place_make(in, &key, keys, 1, 0, FUZZ_GOOD, 1);
    if (key.too_long) return;
    fuzz_place_make(in, &query, queries, 1, 0, FUZZ_GOOD, 1);
    if (query.too_long) return;
    take_all(FUZZ_F32, n, seed, x); /* an int32_t is as wide as a float */
    for (int i = 0; i < CODES; i++)
        status[i] = seed & 1 ? codes[i]->t5(buckets, most, seed >> 1 & 1, query.at, queries, key.at,
                                            keys, (int32_t *)x[i])
                             : codes[i]->query_scale((pe_query_scale)(seed >> 1 & 1), beta, most,
                                                     seed >> 2, key.at, keys, (float *)x[i]);
    compare_all("buckets or factors", FUZZ_F32, n, x, status);
}

static void op_tables(fuzz_input *in)
{
    static const fuzz_type types[] = {FUZZ_F32, FUZZ_F16, FUZZ_BF16, FUZZ_F32};
    const unsigned b = fuzz_byte(in), seed = fuzz_byte(in), any = fuzz_byte(in) % 32;
    const unsigned how = any < 8 ? any : any % 6; /* 6 and 7 take long, so they are rare */
    const fuzz_type t = how < 6 ? types[b & 3] : FUZZ_F32;
    const size_t heads = 1 + (b >> 2) % 4, queries = 1 + (b >> 4) % 4,
                 keys = 1 + fuzz_byte(in) % 24;
    const size_t n = how == 7 ? 33 : heads * queries * keys;
    int64_t first = fuzz_position(in), at[16];
    float slopes[4];
    void *x[MOST_CODES];
    pe_status status[MOST_CODES];
    if (b & 64) first = (int64_t)(seed % keys);
    for (size_t k = 0; k < 4; k++)
        slopes[k] = seed & 128 ? ldexpf(1.7f, -(int)(k + seed % 8))
                               : fuzz_float_of((uint32_t)fuzz_bytes(in, 4));
    for (size_t k = 0; k < queries; k++) at[k] = (int64_t)(fuzz_byte(in) % heads);
    take_all(t, n, seed, x);
    /* `table` has `heads` rows of `keys` elements, and is looked up `queries` times. */
    float table[4 * 24];
    fuzz_elements(t, table, heads * keys, seed / 3);
    /* The keys are 0, 1, 2 ..., or a list, with small positions or with some up to 2^31. */
    int64_t cells[24];
    for (size_t k = 0; k < keys; k++)
        cells[k] = (int64_t)(k * k % 17) + (seed & 32 ? (int64_t)k % 3 * 0x2aaaaaa9 : 0);
    const pe_at key_at = seed & 64 ? pe_at_i64(cells) : pe_from(0);
    const pe_resample how_to = {
        b & 1 ? PE_RESAMPLE_LINEAR : PE_RESAMPLE_CUBIC, -0.5, seed & 1, 0, 0, 0};
    for (int i = 0; i < CODES; i++) {
        const fuzz_bias *const f = &codes[i]->bias[t];
        const pe_alibi_mode mode = (pe_alibi_mode)(seed % 3);
        switch (how) {
        case 0:
        case 1:
            status[i] = f->fill(slopes, heads, mode, first, queries, key_at, keys, x[i], keys,
                                queries * keys);
            break;
        case 2:
        case 3:
            status[i] = f->add(slopes, heads, mode, first, queries, key_at, keys, x[i], keys,
                               queries * keys);
            break;
        case 4:
        case 5:
            status[i] = f->learned(table, heads, keys, pe_at_i64(at), queries, x[i], keys);
            break;
        case 6:
            status[i] =
                b & 128
                    ? codes[i]->resample(table, heads, 1, keys, &how_to, (float *)x[i], queries, 1)
                    : codes[i]->slopes(n < 12 ? n : 12, (float)(seed % 32) / 2, (float *)x[i]);
            break;
        default: status[i] = codes[i]->sinusoidal((float *)x[i], 1 + b % 3, 1 + seed % 11); break;
        }
    }
    compare_all("table", t, n, x, status);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, data + size};
    static plan_case own;
    const unsigned b = fuzz_byte(&in);
    const plan_case *p = &pool[b % POOL];
    if (b == 255) {
        if (!decode_plans(&in, &own)) return 0;
        p = &own;
    }
    const unsigned what = fuzz_byte(&in) % 32;
    switch (what < 30 ? what % 8 : what) {
    case 30: op_numbers(&in); break;
    case 31: op_sincos(&in); break;
    case 0:
        if (b & 1) op_ggml(&in);
        else op_tables(&in);
        break;
    case 1:
    case 3: op_rope(&in, p); break;
    case 2: op_algebra(&in, p); break;
    default: op_rows(&in, p); break;
    }
    fuzz_release(0);
    return 0;
}
