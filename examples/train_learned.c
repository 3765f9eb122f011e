/* SPDX-License-Identifier: MIT
 *
 * This program shows how a learned table of positions is trained by gradient descent.
 *
 *     cc -std=c99 -O2 -march=native -I. examples/train_learned.c -lm
 *
 * The task: of four random words, say the value of the first. The model adds to each word the row of its
 * place (pe_learned_add_f32), takes tanh, and sums all places into one number:
 *
 *     x[p] = word[p] + table[p]      answer = sum_p w . tanh(x[p])
 *
 * Without the table all places look alike, and the best answer is a guess. Training finds rows that let the
 * same w read the word at the first place and overlook the others. The gradient of the table is that of x,
 * added up by place (pe_learned_grad_f32).
 */
#include "pe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PLACES = 4, D = 64, WORDS = 16, BATCH = 64, ROWS = BATCH * PLACES, STEPS = 2000 };

static float word[WORDS][D], value[WORDS];
static float table[PLACES][D], w[D]; /* what is learned */
static float grad_table[PLACES][D], grad_w[D];
static float x[ROWS][D], grad_x[ROWS][D];
static int32_t place[ROWS];

static unsigned state;
static unsigned below(unsigned n)
{
    state = state * 1664525u + 1013904223u;
    return (unsigned)((uint64_t)state * n >> 32);
}
static float noise(void) { return (float)below(20001) / 10000.0f - 1.0f; }

/* Computes the answers of one batch, their mean squared error, and the gradients of that error. */
static pe_status batch(int with_positions, float *loss)
{
    float target[BATCH];
    pe_status status = PE_OK;
    for (int b = 0; b < BATCH; b++)
        for (int p = 0; p < PLACES; p++) {
            const unsigned one = below(WORDS);
            memcpy(x[b * PLACES + p], word[one], sizeof word[one]);
            if (p == 0) target[b] = value[one];
        }
    if (with_positions)
        status = pe_learned_add_f32(table[0], PLACES, D, pe_at_i32(place), ROWS, x[0], D);
    memset(grad_w, 0, sizeof grad_w);
    *loss = 0;
    for (int b = 0; b < BATCH; b++) {
        float answer = 0;
        for (int p = 0; p < PLACES; p++)
            for (int j = 0; j < D; j++) {
                float *const h = &x[b * PLACES + p][j];
                *h = tanhf(*h);
                answer += w[j] * *h;
            }
        const float error = answer - target[b];
        *loss += error * error / BATCH;
        for (int p = 0; p < PLACES; p++)
            for (int j = 0; j < D; j++) {
                const float h = x[b * PLACES + p][j];
                grad_w[j] += 2 * error * h / BATCH;
                grad_x[b * PLACES + p][j] = 2 * error * w[j] * (1 - h * h) / BATCH;
            }
    }
    memset(grad_table, 0, sizeof grad_table);
    if (status == PE_OK)
        status =
            pe_learned_grad_f32(grad_table[0], PLACES, D, pe_at_i32(place), ROWS, grad_x[0], D);
    return status;
}

/* Trains from the start, and returns the mean loss of the last steps. */
static float train(int with_positions)
{
    float mean = 0, shown = 0;
    state = 1;
    for (int i = 0; i < WORDS; i++) {
        value[i] = noise();
        for (int j = 0; j < D; j++) word[i][j] = noise();
    }
    for (int r = 0; r < ROWS; r++) place[r] = r % PLACES;
    for (int j = 0; j < D; j++) {
        w[j] = 0.1f * noise();
        for (int p = 0; p < PLACES; p++) table[p][j] = 0.5f * noise();
    }
    for (int step = 1; step <= STEPS; step++) {
        const float rate = 0.01f;
        float loss;
        const pe_status status = batch(with_positions, &loss);
        if (status != PE_OK) {
            fprintf(stderr, "%s\n", pe_status_string(status));
            return HUGE_VALF;
        }
        for (int j = 0; j < D; j++) w[j] -= rate * grad_w[j];
        for (int p = 0; p < PLACES && with_positions; p++)
            for (int j = 0; j < D; j++) table[p][j] -= 10 * rate * grad_table[p][j];
        mean += loss / 200;
        if (step % 200 == 0) {
            const int bar = (int)(mean * 100);
            printf("  step %4d  loss %.4f  %.*s\n", step, (double)mean, bar > 60 ? 60 : bar,
                   "############################################################");
            shown = mean, mean = 0;
        }
    }
    return shown;
}

int main(void)
{
    printf("Say the value of the first of %d words\n\nwithout positions:\n", PLACES);
    const float without = train(0);
    printf("\nwith a learned table of %d positions:\n", PLACES);
    const float with = train(1);
    double length[PLACES];
    printf("\nlengths of the rows learned:");
    for (int p = 0; p < PLACES; p++) {
        length[p] = 0;
        for (int j = 0; j < D; j++) length[p] += (double)(table[p][j] * table[p][j]);
        printf(" %.1f", sqrt(length[p]));
    }
    const int ok = with < without / 5;
    printf("\nthe loss is %.0f times smaller: %s\n", (double)(without / with),
           ok ? "the first place was found" : "this should be more");
    return !ok;
}
