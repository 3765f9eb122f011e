/* SPDX-License-Identifier: MIT
 *
 * This file makes pe a library: it has every public function for every instruction set, and chooses
 * the best instruction set at the first call. With -DPE_LIB=AVX2 and the like, the file defines a
 * table of the functions of one instruction set. Without PE_LIB, it defines the functions that
 * programs call, which look in these tables:
 *
 *     cc -O2 -c -fPIC -DPE_LIB=SSE2 pe_lib.c -o sse2.o      (and so AVX2, AVX512; SCALAR, NEON)
 *     cc -O2 -c -fPIC -fvisibility=hidden pe_lib.c -o hidden.o
 *     ar rcs libposenc.a hidden.o sse2.o avx2.o avx512.o
 *
 * The functions of the archive are hidden. So a shared library that is linked with it exports none
 * of them. libposenc.so has the same functions, compiled without -fvisibility=hidden.
 *
 * The environment variable PE_ISA is read at the first call. Its values are sse2, avx2, avx512,
 * neon and scalar, in letters of either case; it replaces the choice of the best instruction set.
 * If PE_ISA is another word, or this CPU cannot run what it names, the best one is used. A library
 * without I/O cannot print that. So pe_isa_name() returns the instruction set in use and, in
 * parentheses, why that is not what PE_ISA says.
 * Threads: any thread may make the first call, because the choice is the same for all.
 */
#include "functions.h"

#undef PE_ISA
#undef PE_EXTERN
#undef PE_IMPLEMENTATION
#ifdef PE_LIB
    #define JOIN(a, b) JOINED(a, b)
    #define JOINED(a, b) a##b
    #define PE_ISA JOIN(PE_ISA_, PE_LIB)
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
#define HIDDEN extern __attribute__((visibility("hidden")))
#define TABLE HIDDEN const functions

/* What became of the environment variable PE_ISA. */
typedef enum wish { FOLLOWED, UNKNOWN, UNABLE } wish;
HIDDEN int pe__WISH; /* a wish; set before the choice is made known */

#ifdef PE_LIB

    #if defined(__x86_64__) || defined(__i386__)
        #define ISAS "avx512, avx2 or sse2"
    #elif defined(__aarch64__)
        #define ISAS "neon or scalar"
    #else
        #define ISAS "scalar"
    #endif
    /* PE_ISA_NAME as a literal */
    #define NAME_SSE2 "SSE2"
    #define NAME_AVX2 "AVX2"
    #define NAME_AVX512 "AVX-512"
    #define NAME_NEON "NEON"
    #define NAME_SCALAR "scalar"
    #define NAME JOIN(NAME_, PE_LIB)

static const char *isa_name(void)
{
    __atomic_thread_fence(__ATOMIC_ACQUIRE); /* the caller has seen the choice: pe__WISH is set */
    const int wish_is = __atomic_load_n(&pe__WISH, __ATOMIC_RELAXED);
    if (wish_is == UNKNOWN) return NAME " (PE_ISA in the environment is not " ISAS ")";
    if (wish_is == UNABLE) return NAME " (this CPU lacks what PE_ISA in the environment names)";
    return PE_ISA_NAME;
}

TABLE JOIN(pe__, PE_LIB);
    #define pe_isa_name isa_name
const functions JOIN(pe__, PE_LIB) = {
    #define X(type, name, parameters, arguments) name,
    FUNCTIONS(X)
    #undef X
};
    #undef pe_isa_name

#else

    #include <stdlib.h>

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
HIDDEN int pe__HEADS;
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
int pe__WISH = FOLLOWED;

/* Is this word the name, in letters of either case? Not by strcasecmp(), which is not in C99. */
static int names(const char *word, const char *name)
{
    for (; *name != '\0'; word++, name++)
        if (*word != *name && !(*word >= 'A' && *word <= 'Z' && *word - 'A' + 'a' == *name))
            return 0;
    return *word == '\0';
}

static __attribute__((noinline, cold)) const functions *choose(void)
{
    const char *const word = getenv("PE_ISA");
    const int given = word != NULL && *word != '\0';
    const functions *best = NULL;
    wish is = given ? UNKNOWN : FOLLOWED;
    choose_memory();
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        const int runs = isas[i].runs(), named = given && names(word, isas[i].name);
        if (named) is = runs ? FOLLOWED : UNABLE;
        if (runs && (named || best == NULL)) best = isas[i].table;
    }
    __atomic_store_n(&pe__WISH, (int)is, __ATOMIC_RELAXED);
    __atomic_store_n(&chosen, best, __ATOMIC_RELEASE);
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
