/* SPDX-License-Identifier: MIT
 *
 * pe as a library: every public function for every instruction set, and the best one chosen at the
 * first call. With -DPE_LIB=AVX2 and the like this file is the functions of one instruction set, in
 * a table; without, it is the functions that programs call, which look there:
 *
 *     cc -O2 -c -fPIC -DPE_LIB=SSE2 pe_lib.c -o sse2.o      (and so AVX2, AVX512; SCALAR, NEON)
 *     cc -O2 -c -fPIC pe_lib.c -o chosen.o
 *     ar rcs libposenc.a chosen.o sse2.o avx2.o avx512.o
 *
 * The environment variable PE_ISA = sse2, avx2, avx512, neon or scalar, read at the first call, has one
 * taken that is not the best. It is ignored if this CPU cannot run it. pe_isa_name() says which one
 * it is. Threads: any; whichever calls first, the choice is the same.
 */
#include "functions.h"

#undef PE_ISA
#undef PE_EXTERN
#undef PE_IMPLEMENTATION
#ifdef PE_LIB
    #define JOIN(a, b)   JOINED(a, b)
    #define JOINED(a, b) a##b
    #define PE_ISA       JOIN(PE_ISA_, PE_LIB)
    /* what choice.h would take from flags */
    #if defined(__x86_64__) || defined(__i386__)
extern __attribute__((visibility("hidden"))) int pe__HEADS;
        #undef PE_PREFETCH_HEADS
        #define PE_PREFETCH_HEADS __atomic_load_n(&pe__HEADS, __ATOMIC_RELAXED)
    #endif
#else
    #define PE_EXTERN
#endif
#include "../pe.h"

typedef struct functions {
#define X(type, name, parameters, arguments) type(*name) parameters;
    FUNCTIONS(X)
#undef X
} functions;

/* The tables are not for others to see. */
#define TABLE extern __attribute__((visibility("hidden"))) const functions

#ifdef PE_LIB

TABLE JOIN(pe__, PE_LIB);
const functions JOIN(pe__, PE_LIB) = {
    #define X(type, name, parameters, arguments) name,
    FUNCTIONS(X)
    #undef X
};

#else

    #include <stdlib.h>
    #include <string.h>

/* Can this CPU run it, and does the operating system keep its registers? */
static int always(void) { return 1; }

    #if defined(__x86_64__) || defined(__i386__)
        #include <cpuid.h>

TABLE pe__SSE2, pe__AVX2, pe__AVX512;

static int has(unsigned state, unsigned features)
{
    unsigned a, b, c, d, saved;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 27 & 1)) return 0; /* OSXSAVE */
    __asm__("xgetbv" : "=a"(saved), "=d"(d) : "c"(0));
    return (saved & state) == state && (c >> 12 & c >> 29 & 1) && /* FMA, F16C */
           __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & features) == features;
}
static int has_avx2(void) { return has(0x06, 1u << 5); }
static int has_avx512(void) /* F, DQ, BW, VL */
{
    return has(0xe6, 1u << 5 | 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31);
}

/* As choice.h has it for PE_PREFETCH_HEADS: only a Zen 4 has SSE4a and AVX-512 without VP2INTERSECT. */
extern __attribute__((visibility("hidden"))) int pe__HEADS;
int pe__HEADS = 1;
static void choose_memory(void)
{
    unsigned a, b, c, d, sse4a = 0, pair = 0;
    if (__get_cpuid(0x80000001, &a, &b, &c, &d)) sse4a = c >> 6 & 1;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) pair = d >> 8 & 1;
    __atomic_store_n(&pe__HEADS, !(sse4a && !pair && has_avx512()), __ATOMIC_RELAXED);
}
    #elif defined(__aarch64__)
TABLE pe__NEON, pe__SCALAR;
    #else
TABLE pe__SCALAR;
    #endif
    #if !defined(__x86_64__) && !defined(__i386__)
static void choose_memory(void) {}
    #endif

static const struct {
    const char *name;
    int (*runs)(void);
    const functions *table;
} isas[] = {
    /* the best first */
    #if defined(__x86_64__) || defined(__i386__)
    {"avx512", has_avx512, &pe__AVX512},
    {"avx2", has_avx2, &pe__AVX2},
    {"sse2", always, &pe__SSE2},
    #else
        #if defined(__aarch64__)
    {"neon", always, &pe__NEON},
        #endif
    {"scalar", always, &pe__SCALAR},
    #endif
};

static const functions *chosen;

static __attribute__((noinline, cold)) const functions *choose(void)
{
    const char *const wanted = getenv("PE_ISA");
    const functions *best = NULL;
    choose_memory();
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        if (!isas[i].runs()) continue;
        if (best == NULL) best = isas[i].table;
        if (wanted != NULL && strcmp(wanted, isas[i].name) == 0) best = isas[i].table;
    }
    __atomic_store_n(&chosen, best, __ATOMIC_RELAXED);
    return best;
}

static inline const functions *those(void)
{
    const functions *const f = __atomic_load_n(&chosen, __ATOMIC_RELAXED);
    return __builtin_expect(f != NULL, 1) ? f : choose();
}

    #define X(type, name, parameters, arguments)                                                   \
        type name parameters { return those()->name arguments; }
FUNCTIONS(X)
    #undef X

#endif
