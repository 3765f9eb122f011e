/* SPDX-License-Identifier: MIT
 *
 * One program for every CPU: pe compiled for several instruction sets, and the choice made when the
 * program starts. This file is compiled for the oldest CPU that the program is to run on, and
 * dispatch_isa.c once for each instruction set, with its flags and a name for what it exports:
 *
 *     cc -O2 -c -I. -DKERNELS=kernels_scalar examples/dispatch_isa.c -o scalar.o
 *     cc -O2 -c -I. -mavx2 -mfma -DKERNELS=kernels_avx2   examples/dispatch_isa.c -o avx2.o
 *     cc -O2 -c -I. -mavx512f    -DKERNELS=kernels_avx512 examples/dispatch_isa.c -o avx512.o
 *     cc -O2 -I. examples/dispatch.c scalar.o avx2.o avx512.o -lm
 *
 * `make dispatch` does it. On AArch64 there is nothing to
 * choose: every such CPU has NEON. Two objects, scalar and NEON, are linked there to compare them.
 *
 * __builtin_cpu_supports() is gcc's and clang's, and looks at what the operating system saves, too. With
 * clang-cl, whose runtime may lack it, ask the CPU (<intrin.h>):
 *
 *     int one[4], seven[4];
 *     __cpuidex(one, 1, 0), __cpuidex(seven, 7, 0);
 *     unsigned long long saved = (one[2] >> 27 & 1) ? _xgetbv(0) : 0;
 *     int avx2   = (saved & 0x06) == 0x06 && (one[2] >> 12 & 1) && (seven[1] >> 5 & 1);
 *     int avx512 = (saved & 0xe6) == 0xe6 && avx2 && (seven[1] >> 16 & 1);
 *
 * MSVC itself has no operators on __m256d and __m512d, which the vector code of pe is written with.
 *
 * The program takes the best that runs here, and then compares all that do: it returns 1 if they
 * do not give the same bits.
 */
#include "dispatch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { D = 512, ROWS = 512, HEADS = 4 };

/* The tables that were linked and that this CPU runs, the best first. */
static size_t available(const kernels *list[4])
{
    size_t n = 0;
#if defined(__x86_64__)
    __builtin_cpu_init();
    const int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (avx2 && __builtin_cpu_supports("avx512f")) list[n++] = &kernels_avx512;
    if (avx2) list[n++] = &kernels_avx2;
#elif defined(__aarch64__)
    list[n++] = &kernels_neon;
#endif
    list[n++] = &kernels_scalar;
    return n;
}

static uint64_t hash(uint64_t h, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, x + i, sizeof bits);
        h = (h ^ bits) * UINT64_C(0x100000001b3);
    }
    return h;
}

/* Fill a table, at integers and at real numbers, and turn it by RoPE: all through the table of
   functions. The plan is made by the functions that use it. Sets the hash of what came out, and the
   time of a fill in ns per pair. */
static pe_status work(const kernels *k, float *out, uint64_t *bits, double *ns)
{
    static double positions[ROWS];
    for (int i = 0; i < ROWS; i++) positions[i] = 0.37 * i - 5000;
    pe_config config = pe_config_default(D);
    pe_plan plan;
    void *memory = malloc(k->plan_size(&config));
    if (memory == NULL) return PE_ERR_NULL;
    *bits = UINT64_C(0xcbf29ce484222325);
    pe_status status = k->plan_init(&plan, &config, memory, k->plan_size(&config));
    if (status == PE_OK) status = k->fill_f32(&plan, pe_at_f64(positions), ROWS, out, D);
    *bits = hash(*bits, out, (size_t)ROWS * D);
    if (status == PE_OK) {
        const clock_t start = clock();
        clock_t now = start;
        size_t fills = 0;
        while (status == PE_OK && now - start < CLOCKS_PER_SEC / 50) {
            for (int i = 0; i < 8; i++, fills++) k->fill_f32(&plan, pe_from(16000000), ROWS, out, D);
            now = clock();
        }
        *ns = (double)(now - start) * 1e9 / CLOCKS_PER_SEC / (double)(fills * ROWS * (D / 2));
        *bits = hash(*bits, out, (size_t)ROWS * D);
        const pe_heads heads = {HEADS, D, HEADS * D};
        status = k->rope_f32(&plan, pe_from(100000), ROWS / HEADS, out, heads);
        *bits = hash(*bits, out, (size_t)ROWS * D);
    }
    free(memory);
    return status;
}

int main(void)
{
    static float out[ROWS * D];
    const kernels *list[4];
    const size_t count = available(list);
    uint64_t first = 0;

    printf("this CPU takes %s\n\n", list[0]->isa);
    printf("%-10s %-14s %12s   %s\n", "", "SLEEF", "ns per pair", "hash of the results");
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = 0;
        double ns = 0;
        const pe_status status = work(list[i], out, &bits, &ns);
        if (status != PE_OK) {
            printf("%s: %s\n", list[i]->isa, pe_status_string(status));
            return 1;
        }
        printf("%-10s %-14s %12.3f   %016" PRIx64 "\n", list[i]->isa, list[i]->sleef, ns, bits);
        if (i == 0) first = bits;
        if (bits != first) {
            printf("\n%s and %s differ\n", list[0]->isa, list[i]->isa);
            return 1;
        }
    }
    printf("\nthe same bits from %d instruction set%s\n", (int)count, count == 1 ? "" : "s");
    return 0;
}
