/* SPDX-License-Identifier: MIT */
/*
 * Provides what all test programs share: the seed, the workload, plans in memory of their own,
 * every filling call of the library behind one signature, canaries and guard pages. It proves
 * nothing by itself, except that no call made through call_run() changes errno or the
 * floating-point environment.
 *
 * The environment has these variables:
 *
 *     PE_SEED=n   the seed of everything random (default 1)
 *     PE_LONG=1   16 times the work; PE_QUICK is then ignored by workload()
 *     PE_QUICK=1  a 16th of the work (emulators, valgrind)
 *     PE_QUICK=n  an n-th of that, for n up to 100 (mutants)
 *
 * If the program has an argument, only the tests whose names match this pattern run.
 */
#ifndef PE_TESTS_COMMON_H
#define PE_TESTS_COMMON_H

#ifndef _GNU_SOURCE
    #define _GNU_SOURCE /* mmap, sigaction and pthreads under -std=c99; before any other include */
#endif

#include <errno.h>
#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__SSE2__)
    #include <emmintrin.h>
#endif

#ifdef __cplusplus
extern "C" { /* cmocka.h declares its functions without extern "C" */
#endif
#include <cmocka.h>
#ifdef __cplusplus
}
#endif

#include "pe.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define POSITION_MAX INT64_C(2147483648) /* positions go from -2^31 to 2^31, both inclusive */

/* STREAM_BYTES is the size from which the library writes past the cache, also if the build has
   changed PE_STREAM_BYTES. */
#ifdef PE_STREAM_BYTES
    #define STREAM_BYTES ((size_t)(PE_STREAM_BYTES))
#else
    #define STREAM_BYTES ((size_t)32 << 20)
#endif

/* Lists positions at which other libraries fail: the limits of integer and float types, and lengths
   of contexts. Tests use them with both signs. */
static const int64_t hard_positions[] = {
    0,        1,        2,        3,          255,        256,        257,        2047,
    2048,     4095,     4096,     15962,      32767,      37500,      39000,      65535,
    65536,    131071,   131072,   1048575,    1048576,    8388607,    8388608,    8388609,
    16777215, 16777216, 16777217, 1000000007, 2147483645, 2147483646, 2147483647, 2147483648};

/* ------------------------------------------------------------------------------------------------
 * The run: seed, workload, name
 * --------------------------------------------------------------------------------------------- */

typedef struct test_run {
    const char *program;
    uint64_t seed;
    int is_long, is_quick; /* is_quick: the value of PE_QUICK, 0 if it is not set */
} test_run;

static inline test_run *test_this_run(void)
{
    static test_run run = {"test", 1, 0, 0};
    return &run;
}

static inline int test_flag(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && *value != '\0' && strcmp(value, "0") != 0;
}

/* Starts a test program; every main() calls it first. */
static inline void test_begin(int argc, char **argv)
{
    test_run *run = test_this_run();
    const char *seed = getenv("PE_SEED");
    run->program = argv[0];
    if (seed != NULL && *seed != '\0') run->seed = strtoull(seed, NULL, 0);
    run->is_long = test_flag("PE_LONG");
    if (test_flag("PE_QUICK")) {
        const long n = strtol(getenv("PE_QUICK"), NULL, 10);
        run->is_quick = n >= 1 && n <= 100 ? (int)n : 1;
    }
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("%s: PE_SEED=%" PRIu64 "%s\n", run->program, run->seed,
           run->is_long    ? " PE_LONG=1"
           : run->is_quick ? " PE_QUICK=1"
                           : "");
}

/* Prints the command that repeats the run, or only the given test if it is not NULL. */
static inline void test_print_rerun(FILE *to, const char *test)
{
    const test_run *run = test_this_run();
    fprintf(to, "  rerun: PE_SEED=%" PRIu64 "%s %s %s\n", run->seed,
            run->is_long    ? " PE_LONG=1"
            : run->is_quick ? " PE_QUICK=1"
                            : "",
            run->program, test != NULL ? test : "");
}

/* Returns the default amount of work, scaled by PE_LONG and PE_QUICK. */
static inline size_t workload(size_t usual)
{
    const test_run *run = test_this_run();
    if (run->is_long) return usual * 16;
    if (run->is_quick && usual > 16) {
        const size_t less = usual / (16 * (size_t)run->is_quick);
        return less > 0 ? less : 1;
    }
    return usual;
}

/* Returns the step of loops over a list of cases: 1 normally, and n + 2 with PE_QUICK=n, so that
   PE_QUICK=1 uses every third case. */
static inline size_t every(void)
{
    const int quick = test_this_run()->is_quick;
    return quick ? 2 + (size_t)quick : 1;
}

/* Return products that no compiler flag can fuse with a sum, because they are stored first. pe's
   rotations and sums are made of such products. */
static inline float product_f32(float a, float b)
{
    volatile float p = a * b;
    return p;
}
static inline double product_f64(double a, double b)
{
    volatile double p = a * b;
    return p;
}

/* ------------------------------------------------------------------------------------------------
 * Random numbers: splitmix64, one stream per test so that a single test can be rerun
 * --------------------------------------------------------------------------------------------- */

typedef struct rng {
    uint64_t state;
} rng;

/* Tells the sanitizers that sums and products modulo 2^64 are intended. */
#if defined(__clang__)
    #define WRAPS __attribute__((no_sanitize("unsigned-integer-overflow")))
#else
    #define WRAPS
#endif

WRAPS
static inline uint64_t rng_next(rng *r)
{
    uint64_t z = (r->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

WRAPS
static inline rng rng_for(const char *test)
{
    rng r = {test_this_run()->seed * UINT64_C(0x9e3779b97f4a7c15)};
    for (; *test != '\0'; test++)
        r.state = (r.state ^ (uint64_t)(unsigned char)*test) * UINT64_C(0x100000001b3);
    (void)rng_next(&r);
    return r;
}

static inline size_t rng_below(rng *r, size_t n) { return (size_t)(rng_next(r) % n); }

/* Returns a random number in [0, 1). */
static inline double rng_unit(rng *r)
{
    return (double)(rng_next(r) >> 11) / 9007199254740992.0; /* 2^53; C++11 has no 0x1p53 */
}

/* Returns a random legal position. About half of them are uniform and half log-uniform in
   magnitude; about 1 in 1000 is one of the two positions nearest to 2^31 or to -2^31. */
static inline int64_t rng_position(rng *r)
{
    uint64_t bits = rng_next(r);
    int64_t magnitude = (int64_t)(bits >> 33);
    if (bits & 1) magnitude >>= (bits >> 1) & 31;
    if (magnitude == INT64_C(0x7fffffff) || ((bits >> 6) & 1023) == 0)
        magnitude = POSITION_MAX - (int64_t)((bits >> 16) & 1);
    return (bits >> 32) & 1 ? -magnitude : magnitude;
}

/* ------------------------------------------------------------------------------------------------
 * Memory: allocation that succeeds, canaries, pages between two inaccessible ones
 * --------------------------------------------------------------------------------------------- */

#define CANARY 0xC3 /* as a float -391.5, as a double -2.8e18, which no tested table has */

static inline void *must_alloc(size_t bytes)
{
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (memory == NULL) {
        fprintf(stderr, "out of memory: %zu bytes\n", bytes);
        abort();
    }
    return memory;
}

static inline int all_canaries(const void *memory, size_t bytes)
{
    const unsigned char *m = (const unsigned char *)memory;
    return bytes == 0 || (m[0] == CANARY && memcmp(m, m + 1, bytes - 1) == 0);
}

typedef struct guarded {
    /* map: the pages of [begin, end), which are for use, between two that are inaccessible. */
    unsigned char *map, *begin, *end;
    size_t map_bytes;
} guarded;

static inline guarded guarded_make(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t inside = (bytes + page - 1) / page * page;
    guarded g;
    g.map_bytes = inside + 2 * page;
    g.map = (unsigned char *)mmap(NULL, g.map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (g.map == MAP_FAILED ||
        (inside > 0 && mprotect(g.map + page, inside, PROT_READ | PROT_WRITE) != 0)) {
        perror("guard pages");
        abort();
    }
    g.begin = g.map + page;
    g.end = g.begin + inside;
    return g;
}

static inline void guarded_protect(const guarded *g, int protection)
{
    if (mprotect(g->begin, (size_t)(g->end - g->begin), protection) != 0) {
        perror("guard pages");
        abort();
    }
}

static inline void guarded_free(guarded *g) { munmap(g->map, g->map_bytes); }

/* Holds the place to return to after a fault, and the description of the current case. */
typedef struct fault_state {
    sigjmp_buf back;
    char what[200];
} fault_state;

static inline fault_state *fault_get(void)
{
    static fault_state state;
    return &state;
}

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
static inline void fault_case(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault_get()->what, sizeof fault_get()->what, format, arguments);
    va_end(arguments);
}

static inline void fault_handler(int signal_number)
{
    (void)signal_number;
    siglongjmp(fault_get()->back, 1);
}

/* Installs handlers for faults. A test has to call it itself, because cmocka installs handlers of
   its own before every test. */
static inline void fault_install(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = fault_handler;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}

/* Makes a test fail with the description of the current case if it reads or writes outside its
   pages. Use it at the top of a test. */
#define FAIL_ON_FAULT()                                                                            \
    do {                                                                                           \
        fault_install();                                                                           \
        if (sigsetjmp(fault_get()->back, 1) != 0)                                                  \
            fail_msg("access outside the buffer: %s", fault_get()->what);                          \
    } while (0)

/* ------------------------------------------------------------------------------------------------
 * Plans in memory of their own
 * --------------------------------------------------------------------------------------------- */

typedef struct owned_plan {
    pe_plan plan;
    pe_config config;
    void *memory;
    size_t memory_bytes;
} owned_plan;

static inline pe_config config_of(size_t d_model, double base, double amplitude)
{
    pe_config config = pe_config_default(d_model);
    config.base = base;
    config.amplitude = amplitude;
    return config;
}

static inline void plan_make(owned_plan *p, size_t d_model, double base, double amplitude)
{
    pe_status status;
    p->config = config_of(d_model, base, amplitude);
    p->memory_bytes = pe_plan_size(&p->config);
    p->memory = must_alloc(p->memory_bytes);
    status = pe_plan_init(&p->plan, &p->config, p->memory, p->memory_bytes);
    if (p->memory_bytes == 0 || status != PE_OK)
        fail_msg("no plan for d_model %zu, base %a, amplitude %a: size %zu, %s", d_model, base,
                 amplitude, p->memory_bytes, pe_status_string(status));
}

static inline void plan_free(owned_plan *p) { free(p->memory); }

/* Returns whether all bytes are 0, as those of a plan that could not be made. */
static inline int all_zeros(const void *memory, size_t bytes)
{
    const unsigned char *m = (const unsigned char *)memory;
    return bytes == 0 || (m[0] == 0 && memcmp(m, m + 1, bytes - 1) == 0);
}

/* ------------------------------------------------------------------------------------------------
 * Every filling call behind one signature
 * --------------------------------------------------------------------------------------------- */

typedef enum call {
    CALL_FILL_F32,
    CALL_FILL_F64,
    CALL_FILL_AT_F32,
    CALL_SINUSOIDAL_F32, /* packed rows from position 0 of the default configuration, no plan */
    CALLS
} call;

static inline const char *call_name(call c)
{
    static const char *const names[] = {"pe_fill_f32", "pe_fill_f64", "pe_fill_f32 of a list",
                                        "pe_sinusoidal_f32"};
    return names[c];
}

static inline size_t call_element(call c)
{
    return c == CALL_FILL_F64 ? sizeof(double) : sizeof(float);
}

/* Makes the call. Calls that count up use `first`, and calls that read a list use `positions`. */
static inline pe_status call_bare(call c, const pe_plan *plan, size_t d_model, int64_t first,
                                  const int64_t *positions, size_t rows, void *out, size_t stride)
{
    switch (c) {
    case CALL_FILL_F32: return pe_fill_f32(plan, pe_from(first), rows, (float *)out, stride);
    case CALL_FILL_F64: return pe_fill_f64(plan, pe_from(first), rows, (double *)out, stride);
    case CALL_FILL_AT_F32:
        return pe_fill_f32(plan, pe_at_i64(positions), rows, (float *)out, stride);
    case CALL_SINUSOIDAL_F32: return pe_sinusoidal_f32((float *)out, rows, d_model);
    case CALLS: break;
    }
    return PE_ERR_ENUM;
}

/* Returns what a call must restore: the control bits of MXCSR (rounding mode, flush-to-zero,
   denormals-are-zero, exception masks), or only the rounding mode where there is no SSE2. The
   exception flags, which may change, are left out. */
static inline unsigned float_environment(void)
{
#if defined(__SSE2__)
    return _mm_getcsr() & ~0x3fu;
#else
    return (unsigned)fegetround();
#endif
}

/* Sets flush-to-zero on or off, and also denormals-are-zero where that is a mode of its own.
   Returns 0 on machines for which it has no code. */
static inline int flush_subnormals(int on)
{
#if defined(__SSE2__)
    _mm_setcsr(on ? _mm_getcsr() | 0x8040u : _mm_getcsr() & ~0x8040u);
    return 1;
#elif defined(__aarch64__)
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    fpcr = on ? fpcr | UINT64_C(1) << 24 : fpcr & ~(UINT64_C(1) << 24);
    __asm__ volatile("msr fpcr, %0" : : "r"(fpcr));
    return 1;
#else
    (void)on;
    return 0;
#endif
}

/* Runs the call, returns its status, and fails the test if the call changed errno or the
   floating-point environment. */
static inline pe_status call_run(call c, const pe_plan *plan, size_t d_model, int64_t first,
                                 const int64_t *positions, size_t rows, void *out, size_t stride)
{
    const int rounding = fegetround(), marker = 4242;
    const unsigned environment = float_environment();
    const int old_errno = errno;
    pe_status status;
    errno = marker;
    status = call_bare(c, plan, d_model, first, positions, rows, out, stride);
    if (errno != marker) fail_msg("%s set errno to %d", call_name(c), errno);
    if (fegetround() != rounding || float_environment() != environment)
        fail_msg("%s changed the floating-point environment: 0x%x to 0x%x", call_name(c),
                 environment, float_environment());
    errno = old_errno;
    return status;
}

/* Runs a call that has to succeed, outside the tests of errors. */
static inline void must_fill(call c, const pe_plan *plan, size_t d_model, int64_t first,
                             const int64_t *positions, size_t rows, void *out, size_t stride)
{
    const pe_status status = call_run(c, plan, d_model, first, positions, rows, out, stride);
    if (status != PE_OK)
        fail_msg("%s(first %" PRId64 ", rows %zu, d_model %zu, stride %zu): %s", call_name(c),
                 first, rows, d_model, stride, pe_status_string(status));
}

/* Sets positions[k] = first + k. */
static inline void count_up(int64_t *positions, int64_t first, size_t rows)
{
    for (size_t k = 0; k < rows; k++) positions[k] = first + (int64_t)k;
}

/* Returns how many elements of a head rotate. */
static inline size_t rotary_of(const pe_rope_config *c)
{
    return c->rotary_dim ? c->rotary_dim : c->head_dim;
}

#endif /* PE_TESTS_COMMON_H */
