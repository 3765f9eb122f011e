/* SPDX-License-Identifier: MIT
 *
 * This is the attention step of a decoder with a KV cache, one token at a time. The call pe_rope_qk_f32()
 * rotates the query and the key in place. The key is appended to the cache, and the query attends to the
 * whole cache.
 *
 *     cc -O2 -march=native -I. examples/rope_decoder.c -lm && ./a.out
 *
 * The model: 8 heads of queries, 2 of keys and values, 64 elements each, Llama 3's frequencies, random
 * weights. Three checks, each a line of output; the program returns 1 if one fails:
 *
 *   1. turning all tokens in one call gives the bits of turning them one by one;
 *   2. the same text from position 0 and from position 1,000,000 has the same attention: only differences
 *      of positions matter, and they are exact;
 *   3. a cache whose keys are moved by pe_delta(), as when the oldest tokens are dropped, is as
 *      good as one that was made at the new positions.
 */
#include "pe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADS = 8, KV_HEADS = 2, DIM = 64, TOKENS = 48, Q = HEADS * DIM, KV = KV_HEADS * DIM };

static const pe_heads q_heads = {.heads = HEADS, .head_stride = DIM, .token_stride = Q};
static const pe_heads kv_heads = {.heads = KV_HEADS, .head_stride = DIM, .token_stride = KV};

typedef struct cache {
    float keys[TOKENS][KV], values[TOKENS][KV];
    size_t tokens;
} cache;

/* Writes random numbers in place of what the projections of a layer would compute for token t. */
static void project(size_t t, float *q, float *k, float *v)
{
    unsigned state = 12345u + 977u * (unsigned)t;
    for (size_t i = 0; i < Q + 2 * KV; i++) {
        state = state * 1664525u + 1013904223u;
        const float x = (float)(state >> 8) / 8388608.0f - 1.0f;
        if (i < Q) q[i] = x;
        else if (i < Q + KV) k[i - Q] = x;
        else v[i - Q - KV] = x;
    }
}

/* Writes softmax(q . keys / sqrt(DIM)) values to out, head by head. Four query heads share one key head. */
static void attend(const cache *c, const float *q, float *out)
{
    for (size_t h = 0; h < HEADS; h++, q += DIM, out += DIM) {
        const size_t kv = h / (HEADS / KV_HEADS) * DIM;
        double weight[TOKENS], sum = 0, most = -HUGE_VAL;
        for (size_t t = 0; t < c->tokens; t++) {
            weight[t] = 0;
            for (size_t i = 0; i < DIM; i++) weight[t] += (double)q[i] * (double)c->keys[t][kv + i];
            weight[t] /= sqrt((double)DIM);
            if (weight[t] > most) most = weight[t];
        }
        for (size_t t = 0; t < c->tokens; t++) sum += weight[t] = exp(weight[t] - most);
        for (size_t i = 0; i < DIM; i++) {
            double x = 0;
            for (size_t t = 0; t < c->tokens; t++) x += weight[t] * (double)c->values[t][kv + i];
            out[i] = (float)(x / sum);
        }
    }
}

/* Does one step: project, rotate q and k in place, append to the cache, attend. */
static void decode(const pe_plan *rope, cache *c, int64_t position, size_t t, float *out)
{
    float q[Q];
    float *const k = c->keys[c->tokens], *const v = c->values[c->tokens];
    project(t, q, k, v);
    const pe_status status = pe_rope_qk_f32(rope, pe_from(position), 1, q, q_heads, k, kv_heads);
    if (status != PE_OK) {
        fprintf(stderr, "%s\n", pe_status_string(status));
        exit(1);
    }
    c->tokens++;
    attend(c, q, out);
}

static double largest_difference(const float *a, const float *b, size_t n)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++) worst = fmax(worst, fabs((double)a[i] - (double)b[i]));
    return worst;
}

static int check(const char *what, double difference, double bound)
{
    const int ok = difference <= bound;
    printf("%-4s %-58s largest difference %.1e\n", ok ? "ok" : "FAIL", what, difference);
    return ok;
}

int main(void)
{
    /* The frequencies that a config.json with "rope_type": "llama3" means. */
    pe_rope_config model = pe_rope_config_default(DIM);
    model.rope_type = PE_ROPE_LLAMA3;
    model.rope_theta = 500000;
    model.factor = 8;
    model.original_max_position_embeddings = 8192;
    void *memory = malloc(pe_rope_plan_size(&model));
    pe_plan rope;
    pe_status status = pe_rope_plan_init(&rope, &model, memory, pe_rope_plan_size(&model));
    if (status != PE_OK) {
        fprintf(stderr, "%s\n", pe_status_string(status));
        return 1;
    }

    static cache near, far, all;
    float here[Q], there[Q], moved[Q];
    double drift = 0;
    int ok = 1;
    for (size_t t = 0; t < TOKENS; t++) {
        decode(&rope, &near, (int64_t)t, t, here);
        decode(&rope, &far, 1000000 + (int64_t)t, t, there);
        drift = fmax(drift, largest_difference(here, there, Q));
    }

    /* 1. the prompt in one call: [tokens, heads, dim] */
    for (size_t t = 0; t < TOKENS; t++) project(t, moved, all.keys[t], all.values[t]);
    status = pe_rope_f32(&rope, pe_from(0), TOKENS, all.keys[0], kv_heads);
    ok &= check("all keys in one call, and one by one",
                status != PE_OK || memcmp(all.keys, near.keys, sizeof all.keys) != 0, 0);

    /* 2. */
    ok &= check("attention from position 0, and from position 1,000,000", drift, 1e-6);

    /* 3. the far cache is brought to position 0, then the last query looks at it */
    float q[Q], k[KV], v[KV];
    status = pe_rope_f32(&rope, pe_delta(pe_all(-1000000)), TOKENS, far.keys[0], kv_heads);
    project(TOKENS - 1, q, k, v);
    if (status == PE_OK) status = pe_rope_f32(&rope, pe_from(TOKENS - 1), 1, q, q_heads);
    attend(&far, q, moved);
    ok &= check("attention to a cache moved by -1,000,000",
                status == PE_OK ? largest_difference(here, moved, Q) : HUGE_VAL, 1e-6);

    free(memory);
    return !ok;
}
