/* SPDX-License-Identifier: MIT
 *
 * count: prints how many instructions a pair takes on a Cortex-M, with pe_fixed.h and with newlib's
 * sines. It also prints the hash of the table "fill_f32 512 x 512" of tests/golden.txt.
 *
 * With qemu's -icount shift=0, an instruction takes a nanosecond. SysTick counts clock cycles of
 * TICK nanoseconds, as in -DTICK=62.5 at 16 MHz. known_instructions() shows that this holds.
 */
#include "pe_fixed.h"

#include "table.h" /* increments[256], and frequencies[256] as doubles */

#include <math.h>
#include <stdio.h>

enum { ROWS = 512, PAIRS = 256, EVERY = 16 };

#define SYSTICK ((volatile uint32_t *)0xe000e010u) /* control, reload, value */

static volatile float keep;

static uint32_t ticks(void) { return 0xffffffu - SYSTICK[2]; }

#define NOPS_10 "nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n"
#define NOPS_100 NOPS_10 NOPS_10 NOPS_10 NOPS_10 NOPS_10 NOPS_10 NOPS_10 NOPS_10 NOPS_10 NOPS_10

/* Prints the mean count for 100 instructions and the few that each pass of the loop adds. */
static void known_instructions(void)
{
    const uint32_t begin = ticks();
    for (int k = 0; k < 10000; k++) __asm__ volatile(NOPS_100);
    const uint32_t passed = (ticks() - begin) & 0xffffffu;
    printf("100 nops: %lu instructions\n", (unsigned long)((double)passed * TICK / 10000 + 0.5));
}

static void print(const char *name, uint32_t begin, uint32_t pairs)
{
    const uint32_t passed = (ticks() - begin) & 0xffffffu;
    printf("%s: %lu instructions a pair\n", name,
           (unsigned long)((double)passed * TICK / (double)pairs + 0.5));
}

static uint64_t mixed(uint64_t hash, float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    hash = (hash ^ bits) * UINT64_C(0xff51afd7ed558ccd);
    return hash ^ hash >> 32;
}

static int hash_table(void)
{
    uint64_t hash = UINT64_C(0x9e3779b97f4a7c15);
    for (int32_t p = 0; p < ROWS; p++)
        for (int i = 0; i < PAIRS; i++) {
            const pe_fixed_pair x = pe_fixed_sincos_f32(p, increments[i]);
            if (x.undecided) return 1;
            hash = mixed(mixed(hash, x.sine), x.cosine);
        }
    printf("hash %08lx%08lx\n", (unsigned long)(hash >> 32), (unsigned long)(hash & 0xffffffffu));
    return 0;
}

/* Prints the instructions per pair of `code`, with those of the loop. Each use has the same
   positions p and pairs i. */
#define COUNT(name, code)                                                                          \
    do {                                                                                           \
        const uint32_t begin = ticks();                                                            \
        for (int32_t p = 1; p < ROWS; p += EVERY)                                                  \
            for (int i = 0; i < PAIRS; i += 4) {                                                   \
                code                                                                               \
            }                                                                                      \
        print(name, begin, (ROWS / EVERY) * (PAIRS / 4));                                          \
    } while (0)

int main(void)
{
    SYSTICK[1] = 0xffffffu;
    SYSTICK[2] = 0;
    SYSTICK[0] = 5; /* on, by the processor's clock */
    known_instructions();
    COUNT("pe_fixed_sincos_f32", const pe_fixed_pair x = pe_fixed_sincos_f32(p, increments[i]);
          keep = x.sine; keep = x.cosine;);
    COUNT("pe_fixed_sincos_scaled_f32, by 1.25",
          const pe_fixed_pair x = pe_fixed_sincos_scaled_f32(p, increments[i], 1.25f);
          keep = x.sine; keep = x.cosine;);
    COUNT("sin, cos of a double angle", const double angle = p * frequencies[i];
          keep = (float)sin(angle); keep = (float)cos(angle););
    COUNT("sinf, cosf of a float angle", const float angle = (float)p * (float)frequencies[i];
          keep = sinf(angle); keep = cosf(angle););
    return hash_table();
}
