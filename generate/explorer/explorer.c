/* SPDX-License-Identifier: MIT
 *
 * What docs/explorer.html asks of pe, for WebAssembly. Positions are doubles, which JavaScript has;
 * results lie in `out` and `numbers`. Compiled for another machine it is a program that prints
 * explorer_about() and explorer_hash(), for the comparison in tests/checks/explorer.sh.
 */
#include "pe.h"

#ifdef __wasm__
    #define EXPORT __attribute__((visibility("default"), used))
#else
    #define EXPORT static
#endif

enum { WIDTH = 512, ROWS = 512, NUMBERS = 4096, EXACT = 0, FLOAT32 = 1, KEYS = 16 };

static double memory[2][16384], heads_memory[2][(PE_PLAN_BYTES(WIDTH) + 7) / 8];
static pe_plan plans[2], heads[2];
static pe_rope_config rope;
static float out[ROWS * WIDTH];
static double numbers[NUMBERS];
static uint32_t words[2 * WIDTH]; /* four for a pair */

EXPORT const char *explorer_about(void) { return "pe " PE_VERSION_STRING; }
EXPORT const char *explorer_isa(void) { return pe_isa_name(); }
EXPORT float *explorer_out(void) { return out; }
EXPORT double *explorer_numbers(void) { return numbers; }
EXPORT uint32_t *explorer_words(void) { return words; }

/* Makes two plans of one width and base, with exact angles and with float32 angles. Returns a
   pe_status. */
EXPORT int explorer_plan(int d_model, double base)
{
    pe_status status = PE_OK;
    for (int angle = EXACT; angle <= FLOAT32 && status == PE_OK; angle++) {
        pe_config config = pe_config_default((size_t)d_model);
        config.base = base;
        config.angle = angle == EXACT ? PE_ANGLE_EXACT : PE_ANGLE_FLOAT32;
        status = d_model > WIDTH
                     ? PE_ERR_SIZE
                     : pe_plan_init(&plans[angle], &config, memory[angle], sizeof *memory);
    }
    return status;
}

/* Rows for the positions first, first + step ... */
EXPORT int explorer_rows(int angle, double first, double step, int rows)
{
    const pe_plan *plan = &plans[angle];
    if (rows > ROWS) return PE_ERR_SIZE;
    for (int r = 0; r < rows; r++) numbers[r] = first + r * step;
    return pe_fill_f32(plan, pe_at_f64(numbers), (size_t)rows, out, plan->d_model);
}

/* The row of a position, the same shifted by k, and the row of position + k. */
EXPORT int explorer_shift(double position, double k)
{
    const size_t d = plans[EXACT].d_model;
    const double places[2] = {position, position + k};
    pe_status status = pe_fill_f32(&plans[EXACT], pe_at_f64(places), 2, out, 2 * d);
    for (size_t i = 0; i < d; i++) out[d + i] = out[i];
    if (status == PE_OK) status = pe_shift_f32(&plans[EXACT], pe_all((int64_t)k), 1, out + d, d);
    return status;
}

/* <PE(p), PE(p + k)> for k = 0, step, 2 step ... */
EXPORT int explorer_dots(double step, int count)
{
    if (count > NUMBERS) return PE_ERR_SIZE;
    return pe_dot_f64(&plans[EXACT], pe_from_by(0, (int64_t)step), (size_t)count, numbers);
}

/* Writes to `words` the phase increments, which pe_fixed.wgsl takes in place of frequencies. */
EXPORT int explorer_increments(void) { return pe_fixed_increments(&plans[EXACT], words); }

/* Writes the frequencies of the plan with exact angles to `numbers`. */
EXPORT int explorer_frequencies(void) { return pe_plan_frequencies(&plans[EXACT], numbers); }

/* Writes the attention factor to numbers[0] and a head's frequencies to `numbers`, starting at
   index 1. Makes plans for one row with these frequencies, with exact angles and with float32
   angles. LongRoPE's long_factor grows evenly from 1 to `factor`. PE_ROPE_PROPORTIONAL rotates a
   quarter of the head. Returns a pe_status. */
EXPORT int explorer_rope(int d_model, double base, int type, double factor, double length)
{
    static double factors[2][WIDTH / 2];
    const size_t d = (size_t)d_model, pairs = d / 2, trained = (size_t)length;
    rope = pe_rope_config_default(d);
    rope.rope_theta = base, rope.rope_type = (pe_rope_type)type, rope.factor = factor;
    rope.original_max_position_embeddings = rope.max_position_embeddings = trained;
    rope.sequence_length = (size_t)(length * factor), rope.expected_rows = 1;
    rope.short_factor = factors[0], rope.long_factor = factors[1];
    if (type == PE_ROPE_PROPORTIONAL) rope.rotary_dim = d / 8 * 2;
    for (size_t i = 0; i < pairs && d <= WIDTH; i++) {
        factors[0][i] = 1;
        factors[1][i] = 1 + (factor - 1) * (double)i / (double)(pairs > 1 ? pairs - 1 : 1);
    }
    pe_status status = d > WIDTH ? PE_ERR_SIZE : pe_rope_frequencies(&rope, numbers + 1, numbers);
    pe_config config = pe_config_default(d);
    config.expected_rows = 1;
    for (int angle = EXACT; angle <= FLOAT32 && status == PE_OK; angle++) {
        config.angle = angle == EXACT ? PE_ANGLE_EXACT : PE_ANGLE_FLOAT32;
        status = pe_plan_init_frequencies(&heads[angle], &config, numbers + 1, pairs,
                                          heads_memory[angle], sizeof *heads_memory);
    }
    return status;
}
EXPORT const char *explorer_rope_error(void) { return pe_rope_config_error(&rope); }

/* Writes to numbers[0] what float angles do to a score: the mean square of (q' k' - q k) /
   sqrt(d). The vectors q and k are standard normal; q is at `position`, and k is at one of KEYS
   positions before it. For pairs (c, s) that is the mean of 2 |z' - z|^2 / d, where z is the
   rotation between q and k. */
EXPORT int explorer_noise(double position)
{
    const size_t d = heads[EXACT].d_model, rows = KEYS + 1;
    float *const exact = out, *const wrong = out + rows * d;
    double sum = 0;
    for (int k = 0; k <= KEYS; k++) /* parts of the golden ratio: spread over all before it */
        numbers[k] =
            (double)(int64_t)(position * (k ? k * 0.6180339887 - (int)(k * 0.6180339887) : 1));
    pe_status status = pe_fill_f32(&heads[EXACT], pe_at_f64(numbers), rows, exact, d);
    if (status == PE_OK) status = pe_fill_f32(&heads[FLOAT32], pe_at_f64(numbers), rows, wrong, d);
    for (size_t at = d; at < rows * d; at += 2) {
        double turn[2][2];
        for (int way = 0; way < 2; way++) {
            const float *const q = (way ? wrong : exact) + at % d, *const k =
                                                                       (way ? wrong : exact) + at;
            turn[way][0] = (double)q[1] * (double)k[1] + (double)q[0] * (double)k[0];
            turn[way][1] = (double)q[0] * (double)k[1] - (double)q[1] * (double)k[0];
        }
        const double c = turn[1][0] - turn[0][0], s = turn[1][1] - turn[0][1];
        sum += 2 * (c * c + s * s) / (double)(KEYS * d);
    }
    numbers[0] = sum;
    return status;
}

/* explorer_hash() returns the FNV-1a hash of the bits of all of these, for some widths, bases and
   positions, and for each RoPE type. So an explorer.html whose WebAssembly was compiled before a
   type was added has another hash. hashed() continues such a hash with n bytes. */
static uint32_t hashed(uint32_t hash, const void *bytes, size_t n)
{
    const unsigned char *const b = (const unsigned char *)bytes;
    for (size_t i = 0; i < n; i++) hash = (uint32_t)((uint64_t)(hash ^ b[i]) * 16777619u);
    return hash;
}
EXPORT uint32_t explorer_hash(void)
{
    static const double bases[3] = {2, 10000, 1e8}, firsts[3] = {0, 1000.5, 16777215};
    static const int widths[3] = {2, 30, 512};
    uint32_t hash = 2166136261u;
    for (int k = 0; k < 9; k++) {
        const int d = widths[k % 3];
        const size_t row = sizeof *out * (size_t)d;
        int status = explorer_plan(d, bases[k / 3]);
        for (int angle = EXACT; angle <= FLOAT32; angle++) {
            status |= explorer_rows(angle, firsts[k % 3], 1, 100);
            hash = hashed(hash, out, 100 * row);
        }
        status |= explorer_shift(firsts[k / 3] + 0.25, 11);
        hash = hashed(hash, out, 3 * row);
        status |= explorer_dots(7, 50);
        hash = hashed(hash, numbers, 50 * sizeof *numbers);
        status |= explorer_frequencies();
        hash = hashed(hash, numbers, (size_t)d / 2 * sizeof *numbers);
        status |= explorer_increments();
        hash = hashed(hash, words, 2 * (size_t)d * sizeof *words);
        status |= explorer_rope(512, bases[k / 3], PE_ROPE_YARN, 8, 4096);
        hash = hashed(hash, numbers, 257 * sizeof *numbers);
        status |= explorer_noise(131077 + k);
        hash = hashed(hash, numbers, sizeof *numbers);
        if (status != PE_OK) return 0;
    }
    for (int type = 0; type < PE_ROPE_TYPE_COUNT; type++) {
        if (explorer_rope(512, 10000, type, 8, 4096) != PE_OK) return 0;
        hash = hashed(hash, numbers, 257 * sizeof *numbers);
    }
    return hash;
}

#ifndef __wasm__
    #include <stdio.h>
int main(void)
{
    printf("%s, %s\n%08x\n", explorer_about(), explorer_isa(), (unsigned)explorer_hash());
    return explorer_out() == NULL || explorer_numbers() == NULL || explorer_words() == NULL ||
           explorer_rope_error() != NULL;
}
#endif
