/* SPDX-License-Identifier: MIT
 *
 * attention: who bit whom? One layer of attention reads "a dog bit tom" and "tom bit a dog". Without
 * positions each word gets the same output in both: attention sees a bag of words. With any encoding
 * of positions it can tell the two apart.
 *
 *     cc -std=c99 -O2 -march=native -I. examples/attention.c -lm
 *
 * One head, width 16, weights at random, every word looks at every word.
 */
#include "pe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 4, D = 16 };
enum { A, DOG, BIT, TOM };
static const char *const names[WORDS] = {"a", "dog", "bit", "tom"};
static const int texts[2][WORDS] = {{A, DOG, BIT, TOM}, {TOM, BIT, A, DOG}};

typedef enum scheme { NONE, SINUSOID, LEARNED, ALIBI, ROPE, SCHEMES } scheme;
static const char *const scheme_names[SCHEMES] = {"no positions", "sinusoid, added",
                                                  "learned table, added", "ALiBi, on the scores",
                                                  "RoPE, on queries and keys"};

static float embedding[WORDS][D], wq[D][D], wk[D][D], wv[D][D], learned[WORDS][D];

static float noise(void)
{
    static unsigned state = 1;
    state = state * 1664525u + 1013904223u;
    return ((float)(state >> 8) / 8388608.0f - 1.0f) * 0.6f;
}

static void multiply(const float *x, float (*w)[D], float *y)
{
    for (int i = 0; i < D; i++) {
        y[i] = 0;
        for (int j = 0; j < D; j++) y[i] += x[j] * w[i][j];
    }
}

/* out[w] = what the layer makes of word w of the text. */
static pe_status layer(const pe_plan *plan, scheme how, const int *text, float out[WORDS][D])
{
    pe_heads one_head;
    one_head.heads = 1, one_head.head_stride = D, one_head.token_stride = D;
    float x[WORDS][D], q[WORDS][D], k[WORDS][D], v[WORDS][D], scores[WORDS][WORDS];
    pe_status status = PE_OK;
    for (int p = 0; p < WORDS; p++)
        for (int j = 0; j < D; j++) x[p][j] = embedding[text[p]][j];

    if (how == SINUSOID) status = pe_add_f32(plan, pe_from(0), WORDS, 1.0f, x[0], D);
    if (how == LEARNED)
        status = pe_learned_add_f32(learned[0], WORDS, D, pe_from(0), WORDS, x[0], D);
    for (int p = 0; p < WORDS; p++)
        multiply(x[p], wq, q[p]), multiply(x[p], wk, k[p]), multiply(x[p], wv, v[p]);
    if (how == ROPE)
        status = pe_rope_qk_f32(plan, pe_from(0), WORDS, q[0], one_head, k[0], one_head);

    for (int p = 0; p < WORDS; p++)
        for (int r = 0; r < WORDS; r++) {
            scores[p][r] = 0;
            for (int j = 0; j < D; j++) scores[p][r] += q[p][j] * k[r][j];
            scores[p][r] /= sqrtf(D);
        }
    if (how == ALIBI) {
        float slopes[8]; /* this is the first of eight heads */
        status = pe_alibi_slopes_f32(8, 8.0f, slopes);
        if (status == PE_OK)
            status = pe_alibi_add_f32(slopes, 1, PE_ALIBI_SYMMETRIC, pe_from(0), WORDS, pe_from(0),
                                      WORDS, scores[0], WORDS, (size_t)WORDS * WORDS);
    }
    for (int p = 0; p < WORDS; p++) {
        float sum = 0, *const y = out[text[p]];
        for (int r = 0; r < WORDS; r++) sum += scores[p][r] = expf(scores[p][r]);
        for (int j = 0; j < D; j++) y[j] = 0;
        for (int r = 0; r < WORDS; r++)
            for (int j = 0; j < D; j++) y[j] += scores[p][r] / sum * v[r][j];
    }
    return status;
}

int main(void)
{
    const pe_config config = pe_config_default(D);
    void *memory = malloc(pe_plan_size(&config));
    pe_plan plan;
    pe_status status = pe_plan_init(&plan, &config, memory, pe_plan_size(&config));
    int ok = status == PE_OK;
    for (int i = 0; i < D; i++)
        for (int j = 0; j < D; j++) wq[i][j] = noise(), wk[i][j] = noise(), wv[i][j] = noise();
    for (int w = 0; w < WORDS; w++)
        for (int j = 0; j < D; j++) embedding[w][j] = 3 * noise(), learned[w][j] = 2 * noise();

    printf("Two texts: a dog bit tom / tom bit a dog\n");
    printf("How much the output of the layer differs between them, word by word\n\n%-28s", "");
    for (int w = 0; w < WORDS; w++) printf("%9s", names[w]);
    printf("\n");
    for (int how = 0; how < SCHEMES && ok; how++) {
        float out[2][WORDS][D];
        int tells = 0;
        for (int t = 0; t < 2 && status == PE_OK; t++)
            status = layer(&plan, (scheme)how, texts[t], out[t]);
        printf("%-28s", scheme_names[how]);
        for (int w = 0; w < WORDS; w++) {
            float most = 0;
            for (int j = 0; j < D; j++) most = fmaxf(most, fabsf(out[0][w][j] - out[1][w][j]));
            printf("%9.4f", (double)most);
            tells += most > 1e-3f;
        }
        printf("   %s\n", tells ? "can tell them apart" : "cannot tell them apart");
        ok = status == PE_OK && (how == NONE) == (tells == 0);
    }
    if (status != PE_OK) fprintf(stderr, "%s\n", pe_status_string(status));
    free(memory);
    return !ok;
}
