/* SPDX-License-Identifier: MIT
 *
 * logits_model FILE: writes a checkpoint of llama2.c with random weights, in the shape of stories260K.bin, for
 * tests/checks/logits.sh. The weights are integers over a power of two, so the file is the same on each machine.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    DIM = 64,
    HIDDEN = 172,
    LAYERS = 5,
    HEADS = 8,
    KV_HEADS = 4,
    WORDS = 512,
    LENGTH = 512,
    HEAD = DIM / HEADS
};

static void put(FILE *f, uint32_t word)
{
    for (int shift = 0; shift < 32; shift += 8) (void)putc((int)(word >> shift & 255), f);
}

/* Writes `count` floats, evenly distributed in [middle - width, middle + width). */
static void weights(FILE *f, int count, float middle, float width)
{
    static uint64_t state = 2026;
    for (int i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const float x = middle + width * ((float)(int32_t)(state >> 48) / 32768.0f - 1.0f);
        uint32_t word;
        memcpy(&word, &x, sizeof word);
        put(f, word);
    }
}

int main(int argc, char **argv)
{
    FILE *const f = argc == 2 ? fopen(argv[1], "wb") : NULL;
    if (f == NULL) return 2;
    static const uint32_t header[7] = {DIM, HIDDEN, LAYERS, HEADS, KV_HEADS, WORDS, LENGTH};
    for (int i = 0; i < 7; i++) put(f, header[i]);
    weights(f, WORDS * DIM, 0, 1);
    weights(f, LAYERS * DIM, 1, 0.25f);
    weights(f, LAYERS * DIM * DIM, 0, 0.5f);
    weights(f, 2 * LAYERS * DIM * HEAD * KV_HEADS, 0, 0.5f);
    weights(f, LAYERS * DIM * DIM, 0, 0.25f);
    weights(f, LAYERS * DIM, 1, 0.25f);
    weights(f, 3 * LAYERS * DIM * HIDDEN, 0, 0.25f);
    weights(f, DIM, 1, 0.25f);
    weights(f, LENGTH * HEAD, 0, 0); /* sines and cosines, which nobody reads */
    const int failed = ferror(f);
    return fclose(f) != 0 || failed;
}
