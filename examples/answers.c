/* SPDX-License-Identifier: MIT
 *
 * answers: what wrong angles do to the answers of a model, by position. docs/when.md talks about it.
 *
 *     answers MODEL [directory]     MODEL: a checkpoint of llama2.c, such as stories260K.bin of 1 MB
 *     answers --logits MODEL [FILE]
 *     cc -std=c99 -O2 -march=native -I. examples/answers.c -lm
 *
 * RoPE is relative: where all positions are shifted by the same number, exact angles change nothing. So
 * the model first writes texts, with exact angles at the positions 0, 1, 2 ... Then it reads them at shifted
 * positions, with each kind of angle. Printed are, over all tokens of the texts,
 *
 *     perplexity   exp of the mean of -log P(the next token)
 *     divergence   the mean of sum P log(P / Q), in nats; P: exact and not shifted, Q: this kind of angle
 *     changed      how many of the most likely next tokens are others
 *
 * With a directory it writes answers.dat there, of which gnuplot draws answers.png (examples/draw.sh), and
 * answers.tokens, the texts.
 *
 * With --logits the model writes a text of 64 tokens, in which each token is the most likely one, and the program prints a
 * hash of all logits. Every operation of the model has a fixed order and one right result. These are sums of doubles
 * in the order of the code, square roots and divisions of IEEE 754, an exponential that uses integers, and pe's cosines
 * and sines. So the hash is the same on every machine, unless a compiler may reorder sums (-ffast-math) or keeps
 * doubles in wider registers (x87). The model then reads the same text with the machine's sinf and cosf, and
 * the program names the first logit that differs. FILE receives the logits as floats, least significant byte first.
 */
#include "pe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXACT, LIBM, FLOATS, CHAIN, BF16, KINDS, SINF = KINDS /* for --logits alone */ };
enum { TEXTS = 6, LONGEST = 300, LOGITS = 64 /* tokens of the text of --logits */ };
enum { FIRST = 1 /* the token before a text */, MOST = 1 << 16 };
static const char *const names[KINDS] = {"exact, by pe", "libm, double", "float angles",
                                         "ggml's chain", "bf16 positions"};

/* ---- the model: the header of a checkpoint, then its floats in this order ---- */

typedef struct {
    int32_t dim, hidden, layers, heads, kv_heads, vocabulary, length;
} header;
typedef struct {
    header h;
    size_t head, kv; /* elements of a head; of all key heads */
    const float *embedding, *att_norm, *wq, *wk, *wv, *wo, *ffn_norm, *w1, *w2, *w3, *norm, *logits;
    float *weights, *keys, *values; /* keys and values: [layer][token][kv] */
} model;

static const char *header_error(const header *h)
{
    const int32_t *const number = &h->dim;
    for (int i = 0; i < 7; i++)
        if (i != 5 && (number[i] < 1 || number[i] > MOST))
            return "a number of its header is below 1, or above 65,536";
    if (h->vocabulary == 0 || h->vocabulary < -MOST || h->vocabulary > MOST)
        return "the vocabulary has no token, or above 65,536";
    if (abs(h->vocabulary) <= FIRST) return "the vocabulary has no token 1, which begins a text";
    if (h->dim % h->heads != 0) return "n_heads does not divide dim";
    if (h->heads % h->kv_heads != 0) return "n_kv_heads does not divide n_heads";
    if (h->dim / h->heads % 2 != 0) return "a head has an odd number of elements";
    return NULL;
}

/* Returns the address of the next floats, and moves *at behind them. *left is how many are left in the file. It
   becomes negative if there are too few, and *at then stays. */
static const float *take(const float **at, double *left, double floats)
{
    const float *const first = *at;
    *left -= floats; /* below 2^53: exact */
    if (*left >= 0) *at += (size_t)floats;
    return first;
}
static double divide_model(model *m, double floats)
{
    const header *const h = &m->h;
    const double d = h->dim, f = h->hidden, layers = h->layers, kv = (double)m->kv,
                 words = abs(h->vocabulary);
    const float *at = m->weights;
    double left = floats;
    m->embedding = take(&at, &left, words * d);
    m->att_norm = take(&at, &left, layers * d);
    m->wq = take(&at, &left, layers * d * d);
    m->wk = take(&at, &left, layers * d * kv);
    m->wv = take(&at, &left, layers * d * kv);
    m->wo = take(&at, &left, layers * d * d);
    m->ffn_norm = take(&at, &left, layers * d);
    m->w1 = take(&at, &left, layers * d * f);
    m->w2 = take(&at, &left, layers * d * f);
    m->w3 = take(&at, &left, layers * d * f);
    m->norm = take(&at, &left, d);
    (void)take(&at, &left,
               (double)h->length * (double)m->head); /* sines and cosines, which nobody reads */
    m->logits = h->vocabulary > 0 ? m->embedding : take(&at, &left, words * d);
    return left;
}

/* Replaces `count` words as they are in a file, least significant byte first, by the machine's words. */
static void from_file(void *words, size_t count)
{
    unsigned char *byte = (unsigned char *)words;
    for (size_t i = 0; i < count; i++, byte += 4) {
        const uint32_t word =
            byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24;
        memcpy(byte, &word, sizeof word);
    }
}

static const char *read_model(model *m, FILE *f)
{
    if (fread(&m->h, sizeof m->h, 1, f) != 1) return "it is shorter than a header, 28 bytes";
    from_file(&m->h, sizeof m->h / 4);
    const char *const error = header_error(&m->h);
    if (error != NULL) return error;
    m->head = (size_t)(m->h.dim / m->h.heads), m->kv = m->head * (size_t)m->h.kv_heads;
    if (fseek(f, 0, SEEK_END) != 0) return "its length cannot be found";
    const long length = ftell(f);
    if (length < 0 || fseek(f, sizeof m->h, SEEK_SET) != 0) return "its length cannot be found";
    const size_t bytes = (size_t)length - sizeof m->h;
    m->weights = (float *)malloc(bytes + 1); /* a header alone: not NULL */
    if (m->weights == NULL || fread(m->weights, 1, bytes, f) != bytes)
        return "it cannot be read into memory";
    from_file(m->weights, bytes / sizeof(float));
    const double left = divide_model(m, (double)(bytes / sizeof(float)));
    if (left < 0) return "it is shorter than its header says";
    if (left > 0 || bytes % sizeof(float) != 0) return "it is longer than its header says";
    const double cells = (double)m->h.layers * LONGEST * (double)m->kv;
    if (cells > 1e9) return "its keys and values need too much memory";
    m->keys = (float *)malloc((size_t)cells * sizeof(float));
    m->values = (float *)malloc((size_t)cells * sizeof(float));
    return m->keys == NULL || m->values == NULL ? "its keys and values need too much memory" : NULL;
}

/* ---- an exponential that is the same on every machine ---- */

/* Returns the upper 64 bits of the product of a and b, and stores the lower 64 bits in *low. */
static uint64_t product(uint64_t a, uint64_t b, uint64_t *low)
{
    const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    const uint64_t first = a0 * b0, second = a1 * b0 + (first >> 32);
    const uint64_t third = a0 * b1 + (uint32_t)second;
    *low = third << 32 | (uint32_t)first;
    return a1 * b1 + (second >> 32) + (third >> 32);
}

/* Returns e^x for x <= 0, with a relative error below 2^-51, and 0 for x <= -700. Only integers are rounded,
 * always down, so no compiler, instruction set or libm can change a bit:
 *
 *     t        = -x in units of 2^-52
 *     y        = t log2(e) = n + i / 16 + f, with integers n and i < 16, and f < 1 / 16
 *     e^x      = 2^-n 2^(-i / 16) e^-z, with z = f ln 2
 *     e^-z     = 1 - z (1 - z (1/2 - z (1/6 - ...))), the series to z^10, in units of 2^-63
 */
static double exponential(double x)
{
    static const uint64_t log2_e = 0x5c551d94ae0bf85e; /* in units of 2^-62 */
    static const uint64_t ln_2 = 0xb17217f7d1cf79ac;   /* in units of 2^-64 */
    static const uint64_t power[16] = {
        /* 2^(-i / 16), in units of 2^-63 */
        0x8000000000000000, 0x7a92be8a92436616, 0x75606373ee921c97, 0x70666f76154a7089,
        0x6ba27e656b4eb57a, 0x6712460a8fc24072, 0x62b39508aa836d6f, 0x5e8451cfac061b5f,
        0x5a827999fcef3242, 0x56ac1f752150a563, 0x52ff6b54d8a89c75, 0x4f7a993048d088d7,
        0x4c1bf828c6dc54b8, 0x48e1e9b9d588e19b, 0x45cae0f1f545eb73, 0x42d561b3e6243d8a};
    static const uint64_t coefficient[11] = {
        /* 1 / k!, in units of 2^-63 */
        0x8000000000000000, 0x8000000000000000, 0x4000000000000000, 0x1555555555555555,
        0x0555555555555555, 0x0111111111111111, 0x002d82d82d82d82e, 0x0006806806806807,
        0x0000d00d00d00d01, 0x0000171de3a556c7, 0x0000024fc9f6ef14};
    if (!(x > -700)) return 0;
    const uint64_t t = (uint64_t)(-x * 4503599627370496.0);
    uint64_t low, unused;
    const uint64_t high = product(t, log2_e, &low); /* high and low: y in units of 2^-114 */
    const int n = (int)(high >> 50);
    const uint64_t fraction = high << 14 | low >> 50; /* i / 16 + f, in units of 2^-64 */
    const uint64_t z = product(fraction & 0x0fffffffffffffff, ln_2, &unused);
    uint64_t sum = coefficient[10];
    for (int k = 9; k >= 0; k--) sum = coefficient[k] - product(sum, z, &unused);
    const uint64_t mantissa = product(power[fraction >> 60], sum, &unused); /* units of 2^-62 */
    return ldexp((double)(mantissa >> 9), -53 - n); /* at most 2^53: exact */
}

/* Returns x / (1 + e^-x). */
static double swish(double x)
{
    const double e = exponential(-fabs(x));
    return (x < 0 ? x * e : x) / (1 + e);
}

/* ---- a token through the model ---- */

typedef struct {
    float *x, *normal, *q, *a, *b, *scores, *s, *c, *logits;
    float *memory;
} space;

static const char *make_space(space *w, const model *m)
{
    const size_t d = (size_t)m->h.dim, f = (size_t)m->h.hidden, wide = d > f ? d : f;
    float *at = w->memory =
        (float *)calloc(5 * wide + LONGEST + m->head + (size_t)abs(m->h.vocabulary), sizeof *at);
    if (at == NULL) return "no memory";
    w->x = at, w->normal = at += wide, w->q = at += wide, w->a = at += wide, w->b = at += wide;
    w->scores = at += wide, w->s = at += LONGEST, w->c = at += m->head / 2,
    w->logits = at + m->head / 2;
    return NULL;
}

/* out = matrix [rows][n] times x; four sums, which do not wait for each other */
static void multiply(float *out, const float *matrix, const float *x, size_t n, size_t rows)
{
    for (size_t r = 0; r < rows; r++, matrix += n) {
        double sum[4] = {0, 0, 0, 0};
        size_t j = 0;
        for (; j + 4 <= n; j += 4)
            for (size_t k = 0; k < 4; k++) sum[k] += (double)matrix[j + k] * (double)x[j + k];
        for (; j < n; j++) sum[0] += (double)matrix[j] * (double)x[j];
        out[r] = (float)(sum[0] + sum[1] + (sum[2] + sum[3]));
    }
}
static void normalise(float *out, const float *x, const float *weight, size_t n)
{
    double sum = 0;
    for (size_t j = 0; j < n; j++) sum += (double)x[j] * (double)x[j];
    const double factor = 1 / sqrt(sum / (double)n + 1e-5);
    for (size_t j = 0; j < n; j++) out[j] = (float)((double)weight[j] * (double)x[j] * factor);
}
static void attend(const model *m, const space *w, size_t layer, size_t t)
{
    const size_t group = (size_t)(m->h.heads / m->h.kv_heads), cells = layer * LONGEST * m->kv;
    for (size_t h = 0; h < (size_t)m->h.heads; h++) {
        const float *const k = m->keys + cells + h / group * m->head, *const q = w->q + h * m->head;
        const float *const v = m->values + cells + h / group * m->head;
        double most = -HUGE_VAL, sum = 0;
        for (size_t j = 0; j <= t; j++) {
            double dot = 0;
            for (size_t i = 0; i < m->head; i++) dot += (double)q[i] * (double)k[j * m->kv + i];
            w->scores[j] = (float)(dot / sqrt((double)m->head));
            most = fmax(most, (double)w->scores[j]);
        }
        for (size_t j = 0; j <= t; j++) {
            w->scores[j] = (float)exponential((double)w->scores[j] - most);
            sum += (double)w->scores[j];
        }
        for (size_t i = 0; i < m->head; i++) {
            double mean = 0;
            for (size_t j = 0; j <= t; j++) mean += (double)w->scores[j] * (double)v[j * m->kv + i];
            w->normal[h * m->head + i] = (float)(mean / sum);
        }
    }
}
static void add(float *x, const float *y, size_t n)
{
    for (size_t j = 0; j < n; j++) x[j] += y[j];
}

/* Computes w->logits for token t of a text, which is rotated by the row w->s, w->c of sines and cosines. */
static pe_status forward(const model *m, const space *w, int token, size_t t)
{
    const size_t d = (size_t)m->h.dim, f = (size_t)m->h.hidden;
    pe_rope_table row;
    row.cosines = w->c, row.sines = w->s;
    row.type = PE_TYPE_F32, row.layout = PE_ROPE_TABLE_APART;
    row.stride = m->head / 2, row.rows = 1, row.pairs = m->head / 2;
    pe_heads of_q, of_k;
    of_q.heads = (size_t)m->h.heads, of_q.head_stride = m->head, of_q.token_stride = 0;
    of_k.heads = (size_t)m->h.kv_heads, of_k.head_stride = m->head, of_k.token_stride = 0;
    pe_status status = PE_OK;
    memcpy(w->x, m->embedding + (size_t)token * d, d * sizeof *w->x);
    for (size_t l = 0; l < (size_t)m->h.layers && status == PE_OK; l++) {
        float *const k = m->keys + (l * LONGEST + t) * m->kv, *const v = m->values +
                                                                         (l * LONGEST + t) * m->kv;
        normalise(w->normal, w->x, m->att_norm + l * d, d);
        multiply(w->q, m->wq + l * d * d, w->normal, d, d);
        multiply(k, m->wk + l * d * m->kv, w->normal, d, m->kv);
        multiply(v, m->wv + l * d * m->kv, w->normal, d, m->kv);
        status = pe_rope_by_table_f32(&row, PE_LAYOUT_INTERLEAVED, pe_from(0), 1, w->q, of_q);
        if (status == PE_OK)
            status = pe_rope_by_table_f32(&row, PE_LAYOUT_INTERLEAVED, pe_from(0), 1, k, of_k);
        attend(m, w, l, t);
        multiply(w->a, m->wo + l * d * d, w->normal, d, d);
        add(w->x, w->a, d);
        normalise(w->normal, w->x, m->ffn_norm + l * d, d);
        multiply(w->a, m->w1 + l * d * f, w->normal, d, f);
        multiply(w->b, m->w3 + l * d * f, w->normal, d, f);
        for (size_t j = 0; j < f; j++) /* SwiGLU */
            w->a[j] = (float)(swish((double)w->a[j]) * (double)w->b[j]);
        multiply(w->b, m->w2 + l * d * f, w->a, f, d);
        add(w->x, w->b, d);
    }
    normalise(w->normal, w->x, m->norm, d);
    multiply(w->logits, m->logits, w->normal, d, (size_t)abs(m->h.vocabulary));
    return status;
}

/* ---- angles ---- */

typedef struct {
    size_t pairs;
    double *omega, *memory;
    pe_plan floats;
} angles;

static pe_status make_angles(angles *a, size_t head)
{
    pe_config config = pe_config_default(head);
    config.layout = PE_LAYOUT_HALVES, config.expected_rows = 1, config.angle = PE_ANGLE_FLOAT32;
    a->pairs = head / 2, a->omega = (double *)malloc(head / 2 * sizeof *a->omega);
    const size_t size = pe_plan_size(&config);
    a->memory = (double *)malloc(size);
    if (a->omega == NULL || a->memory == NULL) return PE_ERR_MEMORY;
    pe_status status = pe_frequencies_float32(&config, PE_FLOAT32_POW, a->omega);
    if (status == PE_OK)
        status = pe_plan_init_frequencies(&a->floats, &config, a->omega, a->pairs, a->memory, size);
    const pe_rope_config exact = pe_rope_config_default(head);
    double factor = 1;
    return status == PE_OK ? pe_rope_frequencies(&exact, a->omega, &factor) : status;
}

/* To bf16's 8 bits: what a framework does that keeps positions in the model's type. */
static int64_t in_bf16(int64_t position)
{
    int exponent;
    (void)frexp((double)position, &exponent);
    return exponent <= 8
               ? position
               : (int64_t)ldexp(rint(ldexp((double)position, 8 - exponent)), exponent - 8);
}
static pe_status make_row(const angles *a, const space *w, int kind, int64_t p)
{
    const size_t n = a->pairs;
    pe_status status = PE_OK;
    if (kind == EXACT) return pe_sincos_f32(a->omega, n, 1, pe_from(p), 1, w->s, w->c, n);
    if (kind == CHAIN) {
        const pe_rope_ggml chain = {2 * n, 10000, 1, 0, 1, 32, 1, 0, NULL, 0, 0};
        return pe_rope_ggml_f32(&chain, pe_from(p), 1, w->c, w->s, n);
    }
    if (kind == LIBM)
        for (size_t i = 0; i < n; i++) {
            const double angle = (double)p * pow(10000, -2.0 * (double)i / (double)(2 * n));
            w->s[i] = (float)sin(angle), w->c[i] = (float)cos(angle);
        }
    else if (kind == SINF)
        for (size_t i = 0; i < n; i++) {
            const float angle = (float)p * (float)a->omega[i];
            w->s[i] = sinf(angle), w->c[i] = cosf(angle);
        }
    else /* sines, then cosines, as they lie in w */
        status = pe_fill_f32(&a->floats, pe_from(kind == BF16 ? in_bf16(p) : p), 1, w->s, 2 * n);
    return status;
}

/* ---- the measurement ---- */

typedef struct {
    model m;
    space w;
    angles a;
    size_t length, words;
    int text[TEXTS][LONGEST];
    double *exact, *log_p; /* log P of each word: exact is [text][token][word] */
} experiment;
typedef struct {
    double perplexity, divergence, changed;
} result;

static size_t most_likely(const double *log_p, size_t n)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++) best = log_p[i] > log_p[best] ? i : best;
    return best;
}
static void log_softmax(double *log_p, const float *logits, size_t n)
{
    double most = -HUGE_VAL, sum = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, (double)logits[i]);
    for (size_t i = 0; i < n; i++) sum += exp((double)logits[i] - most);
    for (size_t i = 0; i < n; i++) log_p[i] = (double)logits[i] - (most + log(sum));
}
static double uniform(void)
{
    static uint64_t state = 36;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(state >> 12) + 0.5) / 4503599627370496.0;
}

/* Each next word is drawn by its probability. */
static pe_status write_texts(experiment *e)
{
    pe_status status = PE_OK;
    for (size_t n = 0; n < TEXTS; n++) {
        e->text[n][0] = FIRST;
        for (size_t t = 0; t < e->length && status == PE_OK; t++) {
            double *const p = e->exact + (n * LONGEST + t) * e->words;
            status = make_row(&e->a, &e->w, EXACT, (int64_t)t);
            if (status == PE_OK) status = forward(&e->m, &e->w, e->text[n][t], t);
            log_softmax(p, e->w.logits, e->words);
            if (t + 1 == e->length) break;
            double left = uniform();
            size_t word = 0;
            while (word + 1 < e->words && (left -= exp(p[word])) > 0) word++;
            e->text[n][t + 1] = (int)word;
        }
    }
    return status;
}

static pe_status read_texts(experiment *e, int kind, int64_t shift, result *r)
{
    pe_status status = PE_OK;
    double loss = 0;
    const result none = {0, 0, 0};
    *r = none;
    for (size_t n = 0; n < TEXTS; n++)
        for (size_t t = 0; t + 1 < e->length && status == PE_OK; t++) {
            const double *const p = e->exact + (n * LONGEST + t) * e->words, *const q = e->log_p;
            status = make_row(&e->a, &e->w, kind, (int64_t)t + shift);
            if (status == PE_OK) status = forward(&e->m, &e->w, e->text[n][t], t);
            log_softmax(e->log_p, e->w.logits, e->words);
            for (size_t i = 0; i < e->words; i++) r->divergence += exp(p[i]) * (p[i] - q[i]);
            r->changed += most_likely(p, e->words) != most_likely(q, e->words);
            loss -= q[e->text[n][t + 1]];
        }
    const double tokens = (double)TEXTS * (double)(e->length - 1);
    r->perplexity = exp(loss / tokens), r->divergence /= tokens, r->changed /= tokens;
    return status;
}

static int put_texts(const experiment *e, const char *directory)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/answers.tokens", directory);
    FILE *const f = fopen(path, "w");
    if (f == NULL) return 0;
    for (size_t n = 0; n < TEXTS; n++)
        for (size_t t = 0; t < e->length; t++)
            fprintf(f, "%d%c", e->text[n][t], t + 1 < e->length ? ' ' : '\n');
    return fclose(f) == 0;
}

static pe_status measure(experiment *e, FILE *f)
{
    pe_status status = PE_OK;
    printf("%10s", "shifted by");
    for (int kind = 0; kind < KINDS; kind++) printf(" | %25s", names[kind]);
    printf("\n%10s", "");
    for (int kind = 0; kind < KINDS; kind++) printf(" | %9s %8s %6s", "perplex.", "nats", "other");
    printf("\n");
    if (f != NULL)
        fprintf(f, "# shift, then perplexity, divergence, changed for each kind of angle\n");
    for (int k = 7; k <= 27 && status == PE_OK; k++) { /* 0, 2^8, 2^9 ... 2^27 */
        const int64_t shift = k == 7 ? 0 : (int64_t)1 << k;
        const int shown = k == 7 || k == 12 || k == 15 || k == 17 || k == 20 || k == 23 || k == 27;
        if (f == NULL && !shown) continue;
        if (f != NULL) fprintf(f, "%ld", (long)shift);
        if (shown) printf("%10ld", (long)shift);
        for (int kind = 0; kind < KINDS && status == PE_OK; kind++) {
            result r;
            status = read_texts(e, kind, shift, &r);
            if (f != NULL) fprintf(f, " %.9g %.9g %.9g", r.perplexity, r.divergence, r.changed);
            if (shown)
                printf(" | %9.4f %8.1e %4.1f %%", r.perplexity, r.divergence, 100 * r.changed);
        }
        if (f != NULL) fprintf(f, "\n");
        if (shown) printf("\n");
        fflush(stdout);
    }
    return status;
}

/* ---- the logits ---- */

/* Computes logits [length][words] of the first text's first `length` tokens. With pe's angles the model also writes the text: the next
 * token is the most likely one. */
static pe_status compute_logits(experiment *e, int kind, size_t length, float *logits)
{
    pe_status status = PE_OK;
    e->text[0][0] = FIRST;
    for (size_t t = 0; t < length && status == PE_OK; t++, logits += e->words) {
        status = make_row(&e->a, &e->w, kind, (int64_t)t);
        if (status == PE_OK) status = forward(&e->m, &e->w, e->text[0][t], t);
        memcpy(logits, e->w.logits, e->words * sizeof *logits);
        size_t best = 0;
        for (size_t i = 1; i < e->words; i++) best = logits[i] > logits[best] ? i : best;
        if (kind == EXACT && t + 1 < length) e->text[0][t + 1] = (int)best;
    }
    return status;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Returns FNV-1a, in 64 bits, of the bytes of the floats, least significant byte first. Also writes these
 * bytes to f, unless f is NULL. */
static uint64_t hash_floats(const float *x, size_t count, FILE *f)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < count; i++)
        for (int shift = 0; shift < 32; shift += 8) {
            const int byte = (int)(bits_of(x[i]) >> shift & 255);
            hash = (hash ^ (uint64_t)byte) * 0x100000001b3;
            if (f != NULL) (void)putc(byte, f); /* an error shows when f is closed */
        }
    return hash;
}

static void print_hash(const char *label, uint64_t hash)
{
    printf("%-38s %08lx%08lx\n", label, (unsigned long)(hash >> 32),
           (unsigned long)(hash & 0xffffffff));
}

static pe_status print_logits(experiment *e, FILE *f)
{
    const size_t length = e->length < LOGITS ? e->length : LOGITS, count = length * e->words;
    float *const ours = (float *)malloc(2 * count * sizeof *ours);
    if (ours == NULL) return PE_ERR_MEMORY;
    float *const theirs = ours + count;
    pe_status status = compute_logits(e, EXACT, length, ours);
    if (status == PE_OK) status = compute_logits(e, SINF, length, theirs);
    if (status == PE_OK) {
        size_t first = count, different = 0;
        for (size_t i = count; i-- > 0;)
            if (bits_of(ours[i]) != bits_of(theirs[i])) first = i, different++;
        print_hash("logits with pe's angles", hash_floats(ours, count, f));
        print_hash("logits with this machine's sinf, cosf", hash_floats(theirs, count, NULL));
        printf("%zu of %zu logits differ", different, count);
        if (first < count)
            printf("; the first is that of token %zu at position %zu: %.9g with pe, %.9g with sinf",
                   first % e->words, first / e->words, (double)ours[first], (double)theirs[first]);
        printf("\n");
    }
    free(ours);
    return status;
}

/* ---- the program ---- */

/* Reads the model of a path. Returns NULL on success, otherwise an error message. */
static const char *open_experiment(experiment *e, const char *path)
{
    FILE *const file = fopen(path, "rb");
    if (file == NULL) return "it cannot be opened";
    const char *error = read_model(&e->m, file);
    fclose(file);
    if (error == NULL) error = make_space(&e->w, &e->m);
    e->words = (size_t)abs(e->m.h.vocabulary),
    e->length = (size_t)e->m.h.length < LONGEST ? (size_t)e->m.h.length : LONGEST;
    if (error == NULL && e->length < 2) error = "its texts have one token";
    if (error == NULL)
        e->exact = (double *)malloc((TEXTS * LONGEST + 1) * e->words * sizeof *e->exact);
    if (error == NULL && e->exact == NULL) error = "no memory";
    e->log_p = error == NULL ? e->exact + TEXTS * LONGEST * e->words : NULL;
    return error;
}

static pe_status print_answers(experiment *e, FILE *f)
{
    const pe_status status = write_texts(e);
    printf("%d texts of %zu tokens, written by the model and read at shifted positions\n\n", TEXTS,
           e->length);
    return status == PE_OK ? measure(e, f) : status;
}

int main(int argc, char **argv)
{
    static experiment e;
    const int logits = argc > 1 && strcmp(argv[1], "--logits") == 0;
    const char *const model_path = argv[1 + logits < argc ? 1 + logits : argc];
    const char *const output = 2 + logits < argc ? argv[2 + logits] : NULL;
    if (model_path == NULL) {
        fprintf(stderr, "answers [--logits] MODEL [output]: MODEL is not given. It is a checkpoint "
                        "of llama2.c\n");
        return 2;
    }
    const char *const error = open_experiment(&e, model_path);
    if (error != NULL) {
        fprintf(stderr, "%s: %s\n", model_path, error);
        return 2;
    }
    char path[4096] = "";
    if (output != NULL) snprintf(path, sizeof path, "%s%s", output, logits ? "" : "/answers.dat");
    FILE *const f = output != NULL ? fopen(path, logits ? "wb" : "w") : NULL;
    int written = output == NULL || f != NULL;
    pe_status status = make_angles(&e.a, e.m.head);
    if (status == PE_OK) status = logits ? print_logits(&e, f) : print_answers(&e, f);
    if (status != PE_OK) fprintf(stderr, "%s\n", pe_status_string(status));
    if (f != NULL) {
        const int complete = !ferror(f);
        written = fclose(f) == 0 && complete;
    }
    if (written && output != NULL && !logits) written = put_texts(&e, output);
    if (!written) fprintf(stderr, "%s cannot be written\n", path);
    free(e.exact), free(e.a.omega), free(e.a.memory), free(e.w.memory);
    free(e.m.keys), free(e.m.values), free(e.m.weights);
    return status != PE_OK || !written;
}
