/* SPDX-License-Identifier: MIT */
/*
 * Measures how long an element of a valid call takes at most. The program draws configs and
 * positions from the ends of their ranges, and from numbers that are exact in binary. It times
 * every verb that makes numbers, and prints the slowest calls of each kind. The first kind is calls
 * where doubles can decide, and the second is sums of columns. The third is calls where doubles
 * cannot decide: angles beyond 2^40 half turns, or next to whole half turns at every position
 * (docs/accuracy.md).
 *
 * A time is the mean over 8 rows of 1 to 16 elements. A call of more than a microsecond is timed up
 * to four times, and the smallest time counts. It includes what each call costs. Then, in 10 % of
 * the program's time each, come calls whose cost depends on their arguments: dot products,
 * frequencies of RoPE, T5's buckets and resampling. `tests/run worst` runs this program.
 *
 *     worst [seconds] [seed] [nanoseconds of an element of the first kind that are too many]
 */
#define _POSIX_C_SOURCE 199309L
#include "pe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROWS = 8, D = 16, VERBS = 12, KINDS = 3 };

static uint64_t state = 1;
static uint64_t below(uint64_t n)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state % n;
}
static double unit(void) { return (double)below((uint64_t)1 << 53) / 9007199254740992.0; }

/* Returns a random power of two, sometimes with more significant bits: a few, 25 (the midpoint of two floats) or all.
   */
static double number(int low, int high)
{
    const int e = low + (int)below((uint64_t)(high - low + 1));
    switch (below(6)) {
    case 0: return ldexp(1 + unit(), e);
    case 1: return ldexp(1 + (double)(2 * below(1 << 23) + 1) / (1 << 24), e);
    case 2: return ldexp(1.5, e);
    case 3: return ldexp(1.25, e);
    default: return ldexp(1, e);
    }
}
static double one_of(const double *x, size_t n) { return x[below(n)]; }
#define ONE_OF(...) one_of((const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / 8)

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Describes a call that was drawn at random. */
static pe_config config;
static double omega[PE_MAX_AXES * D], reals[ROWS], power, base_x;
static int given, place;
static pe_at at;

static void draw(void)
{
    const size_t d = below(3) ? D : 2 + below(D - 1);
    config = pe_config_default(d);
    config.amplitude = below(3) ? number(below(2) ? -1000 : -160, below(2) ? 1000 : 130) : 1;
    config.amplitude =
        below(4) ? fmin(fmax(config.amplitude, 0x1p-1000), 0x1p1000)
                 : ONE_OF(1, -1, 0x1p-143, 0x1p-149, 0x1p-150, -0x1p-25, 0x1p-24, 0x1p-14);
    config.scale = below(3) ? number(below(3) ? -64 : -880, 18) : 1;
    config.base = ONE_OF(10000, 10000, 2, 256, 65536, 1, 0x1p-20, 0x1p900, 0x1p32, 81, 1e6, 1.5,
                         1.0000000000000002, 0.75);
    config.half_turns = below(3) == 0;
    config.offset = below(4) ? 0 : ONE_OF(0.5, 1, -1, 0x1p-20, 0x1p30);
    config.layout = below(2) ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
    config.cos_first = below(4) == 0;
    config.exponent = (pe_exponent)below(PE_EXPONENT_INDEX + 1);
    config.exponent_shift = below(8) ? 0 : ONE_OF(1, -1, (double)(d / 2) - 0x1p-10, -0x1p50);
    config.angle = below(6) ? PE_ANGLE_EXACT : PE_ANGLE_FLOAT32;
    config.expected_rows = below(3) ? 0 : 1;
    config.axes = below(8) ? 1 : 2;
    config.columns = (pe_columns)(config.axes == 2 ? below(PE_COLUMNS_SUMS + 1) : 0);
    given = below(3) == 0;
    for (size_t i = 0; i < PE_MAX_AXES * D; i++)
        omega[i] = below(9) ? number(below(3) ? -64 : -880, 20) : ONE_OF(0, 1, 2, 0.5, 0x1p-30);
    if (below(2))
        for (size_t i = 0; i < PE_MAX_AXES * D; i++)
            omega[i] = ldexp(1, (int)(i % D) - (int)below(2) * 40);
    if (config.columns == PE_COLUMNS_SUMS) given = 1;
    for (size_t r = 0; r < ROWS; r++) reals[r] = number(below(2) ? -20 : -1000, 30);
    if (below(2))
        for (size_t r = 0; r < ROWS; r++) reals[r] = ldexp((double)below(1024), -7);
    place = (int)below(8);
    at = place == 0   ? pe_from(0)
         : place == 1 ? pe_from(-7)
         : place == 2 ? pe_from(((int64_t)1 << 31) - ROWS - 1)
         : place == 3 ? pe_from(((int64_t)1 << 24) + 1)
         : place == 4 ? pe_from_by(-4095, 8191)
         : place == 5 ? pe_from_by(3, 4)
                      : pe_at_f64(reals);
    if (config.offset >= 1) config.offset = place == 2 ? 0 : config.offset;
    power = number(-60, 60), base_x = number(-20, 20);
}

static unsigned char memory[1 << 20];
static union {
    float f[ROWS * 4 * D];
    double d[ROWS * 4 * D];
    uint16_t h[ROWS * 4 * D];
} out;
static const char *const verbs[VERBS] = {"fill f32",  "fill f64",   "fill f16", "fill bf16",
                                         "add f32",   "add f64",    "add bf16", "shift f32",
                                         "shift f64", "rope table", "xpos",     "query scale"};

static pe_status run(int verb, const pe_plan *plan)
{
    static float more[ROWS * 4 * D];
    const size_t d = config.d_model;
    switch (verb) {
    case 0: return pe_fill_f32(plan, at, ROWS, out.f, d);
    case 1: return pe_fill_f64(plan, at, ROWS, out.d, d);
    case 2: return pe_fill_f16(plan, at, ROWS, out.h, d);
    case 3: return pe_fill_bf16(plan, at, ROWS, out.h, d);
    case 4: return pe_add_f32(plan, at, ROWS, 1, out.f, d);
    case 5: return pe_add_f64(plan, at, ROWS, 1, out.d, d);
    case 6: return pe_add_bf16(plan, at, ROWS, 1, out.h, d);
    case 7: return pe_shift_f32(plan, at, ROWS, out.f, d);
    case 8: return pe_shift_f64(plan, at, ROWS, out.d, d);
    case 9: return pe_rope_table_f32(plan, at, ROWS, PE_ROPE_TABLE_APART, out.f, more, d, NULL);
    case 10: return pe_rope_xpos_f32(d, power, at, ROWS, out.f, d);
    default:
        return pe_rope_query_scale_f32(PE_QUERY_SCALE_FLOOR, power, 1 + below(100), 0, at, ROWS,
                                       out.f);
    }
}

typedef struct slow {
    double ns;
    char what[400];
} slow;

/* Returns the kind of the call: 0 if doubles can decide, 1 for sums of columns, 2 if doubles
   cannot decide. */
static int kind(const pe_plan *plan)
{
    double farthest = 4294967296.0;
    if (place == 0 || place == 1 || place == 5) farthest = 64 + fabs(config.offset);
    if (place > 5)
        for (size_t r = 0; r < ROWS; r++)
            farthest = fmax(r ? farthest : 0, fabs(reals[r] + config.offset));
    if (config.axes > 1 && config.columns == PE_COLUMNS_SUMS) return 1;
    const double step = log2(config.base) / plan->axis[0].denominator[0];
    if (config.half_turns && !given && step != 0 && fabs(step) < 0x1p-20) return 2;
    return plan->fastest * farthest > 0x1p40 || plan->error > 0x1p-100 ? 2 : 0;
}

/* These calls have a cost that depends on their arguments, in nanoseconds per result. */
enum { OTHERS = 6, KEYS = 4096, PAIRS = 256 };
static const char *const others[OTHERS] = {"dot of a pair", "yarn, a pair",  "llama 3, a pair",
                                           "T5 alone",      "T5, of a list", "resampled"};

static size_t other(int k, pe_status *status, double *ns, char *what, size_t room)
{
    static double result[KEYS];
    static int32_t index[KEYS];
    static int64_t keys[KEYS];
    static float table[1 << 16];
    size_t results = 1;
    double begin = 0;
    if (k == 0) { /* pe_dot_f64() with frequencies up to the largest, and the largest distances */
        const size_t pairs = 1 + below(D);
        config = pe_config_default(2 * pairs);
        for (size_t i = 0; i < pairs; i++)
            omega[i] = below(3) ? 0x1p21 - ldexp(unit(), 20) : number(-30, 20);
        at = pe_from(((int64_t)1 << 31) - (int64_t)below(1000) - ROWS);
        pe_plan plan;
        *status = pe_plan_init_frequencies(&plan, &config, omega, pairs, memory, sizeof memory);
        begin = now();
        if (*status == PE_OK) *status = pe_dot_f64(&plan, at, ROWS, result);
        results = ROWS * pairs;
        snprintf(what, room, "pairs %zu omega %a %a", pairs, omega[0], omega[1]);
    } else if (k < 3) {
        static const double thetas[] = {0x1p128, 10000, 1.0000000000000002, 2, 1e6, 65536};
        static const double parts[] = {1, 1 - 0x1p-53, 0x1p-128, 0.5, 0x1p-52};
        static const double turns[] = {0x1p-128, 0x1p128, 32, 1, 0x1p-20, 0x1p60};
        const size_t dim = below(2) ? 2 * PAIRS : 2 + 2 * below(PAIRS);
        pe_rope_config c = pe_rope_config_default(dim);
        c.rope_type = k == 1 ? PE_ROPE_YARN : PE_ROPE_LLAMA3;
        c.rope_theta = thetas[below(6)], c.extrapolation_factor = parts[below(5)];
        c.beta_fast = turns[below(6)], c.beta_slow = below(2) ? c.beta_fast : turns[below(6)];
        c.low_freq_factor = k == 1 ? 1 : turns[below(6)];
        c.high_freq_factor = k == 1 ? 4 : c.low_freq_factor * (1 + below(2) * 0x1p-52);
        c.factor = below(2) ? number(-128, 127) : 1 + 0x1p-52;
        c.truncate = (int)below(2);
        c.original_max_position_embeddings = (size_t)1 << below(54);
        begin = now();
        *status = pe_rope_frequencies(&c, result, NULL);
        results = dim / 2;
        snprintf(what, room,
                 "dim %zu theta %a extrapolation %a betas %a %a low %a factor %a length %zu", dim,
                 c.rope_theta, c.extrapolation_factor, c.beta_fast, c.beta_slow, c.low_freq_factor,
                 c.factor, c.original_max_position_embeddings);
    } else if (k < 5) {
        const size_t buckets = below(3) ? 1024 : 2 + below(1023), m = buckets / 2;
        const size_t far = below(2) ? (size_t)1 << 31 : m + 1 + below((size_t)1 << (1 + below(30)));
        results = k == 3 ? 1 : KEYS;
        for (size_t i = 0; i < KEYS; i++) keys[i] = -(int64_t)below((uint64_t)1 << (1 + below(31)));
        begin = now();
        *status = pe_bias_t5_i32(buckets, far, 0, pe_from(0), 1, pe_at_i64(keys), results, index);
        snprintf(what, room, "buckets %zu max_distance %zu", buckets, far);
    } else { /* antialiasing, whose cost is that of the rows that a filter reaches */
        const size_t rows = 1 + below(256), cells = 1 + below(4);
        pe_resample how = {PE_RESAMPLE_CUBIC, -0.5, 0, 1, 0, 0};
        begin = now();
        *status = pe_learned_resample_f32(table, rows, rows, 1, &how, out.f, cells, cells);
        results = cells * cells;
        snprintf(what, room, "%zu^2 to %zu^2", rows, cells);
    }
    *ns = (now() - begin) * 1e9 / (double)results;
    return results;
}
static void time_others(double seconds)
{
    for (int k = 0; k < OTHERS; k++) {
        static char most[300];
        double worst = 0, mean = 0;
        size_t calls = 0;
        for (const double end = now() + seconds; now() < end;) {
            const uint64_t from = state;
            pe_status status;
            char what[300];
            double ns = 1e30, again;
            for (int n = 0; n < 4; n++) {
                state = from;
                (void)other(k, &status, &again, what, sizeof what);
                ns = fmin(ns, again);
            }
            if (status != PE_OK) continue;
            calls++, mean += ns;
            if (ns <= worst) continue;
            worst = ns;
            snprintf(most, sizeof most, "%s", what);
        }
        printf("%-16s %11.0f ns at worst, %.0f ns on average of %zu calls: %s\n", others[k], worst,
               mean / (double)calls, calls, most);
    }
}

int main(int argc, char **argv)
{
    static const char *const kinds[KINDS] = {"", "sums", "far"};
    static slow worst[VERBS][KINDS];
    const double seconds = argc > 1 ? atof(argv[1]) : 10, limit = argc > 3 ? atof(argv[3]) : 1e30;
    const double end = now() + seconds;
    size_t calls[KINDS] = {0}, slower[KINDS] = {0};
    state = argc > 2 ? strtoull(argv[2], NULL, 0) * 2654435761u + 1 : 1;
    for (int n = 0; n < 20; n++) (void)below(2);
    while (now() < end) {
        pe_plan plan;
        draw();
        const size_t pairs = (config.d_model + 1) / 2;
        const pe_status made =
            given ? pe_plan_init_frequencies(&plan, &config, omega, pairs, memory, sizeof memory)
                  : pe_plan_init(&plan, &config, memory, sizeof memory);
        for (int v = made == PE_OK ? 0 : 10; v < VERBS; v++) {
            const int k = v < 10 ? kind(&plan) : 0;
            double ns = 1e30;
            for (int n = 0; n < 4 && ns > 1e-6 && ns > 0; n++) { /* slow calls are timed again */
                const double begin = now();
                ns = run(v, &plan) == PE_OK ? fmin(ns, now() - begin) : 0;
            }
            if (ns == 0) continue;
            ns *= 1e9 / (v == 11 ? ROWS : ROWS * (double)config.d_model);
            calls[k]++, slower[k] += ns > limit;
            slow *const w = &worst[v][k];
            if (ns <= w->ns) continue;
            w->ns = ns;
            snprintf(w->what, sizeof w->what,
                     "d %zu base %a A %a scale %a half %d offset %a exponent %d shift %a angle %d "
                     "axes %zu columns %d rows %zu given %d (%a %a) place %d (%a %a) power %a",
                     config.d_model, config.base, config.amplitude, config.scale, config.half_turns,
                     config.offset, (int)config.exponent, config.exponent_shift, (int)config.angle,
                     config.axes, (int)config.columns, config.expected_rows, given, omega[0],
                     omega[1], place, reals[0], reals[1], power);
        }
    }
    for (int k = 0; k < KINDS; k++) {
        for (int v = 0; v < VERBS; v++)
            if (worst[v][k].ns > 0)
                printf("%-11s %-4s %7.0f ns  %s\n", verbs[v], kinds[k], worst[v][k].ns,
                       worst[v][k].what);
        printf("%zu calls, %zu of them with more than %g ns an element\n", calls[k], slower[k],
               limit);
    }
    time_others(seconds / 10);
    return slower[0] > 0;
}
