/* SPDX-License-Identifier: MIT
 *
 * rope: one head of a query rotated at each position of a context, as llama2.c does it, on a CPU
 * without doubles or without any floating point. The increments are constants in flash, 16 bytes per
 * pair; sines and cosines are integer arithmetic and have the bits of pe.h. Only the rotation
 * itself is floating point.
 *
 *     arm-none-eabi-gcc -std=c99 -O2 -mcpu=cortex-m0plus -mthumb -I. -I<folder of increments.h>
 *                       examples/microcontroller/rope.c <the board's start-up code>
 */
#include "pe_fixed.h"

#include "increments.h"

#include <stdio.h>

/* Pairs side by side: (x0, x1), (x2, x3), ... Returns 0, or 1 if a pair was undecided, which no
   pair of this model is (tests/theorem.txt). */
static int rotate(float *head, int32_t position)
{
    int undecided = 0;
    for (int i = 0; i < PAIRS; i++) {
        const pe_fixed_pair angle = pe_fixed_sincos_f32(position, increments[i]);
        const pe_fixed_rotated y = pe_fixed_rotate_f32(head[2 * i], head[2 * i + 1], angle);
        head[2 * i] = y.first;
        head[2 * i + 1] = y.second;
        undecided |= angle.undecided;
    }
    return undecided;
}

int main(void)
{
    static float head[2 * PAIRS];
    uint32_t sum = 0, bits;
    for (int32_t position = 0; position < 256; position++) {
        for (int i = 0; i < 2 * PAIRS; i++) head[i] = 1 + 0.0625f * (float)i;
        if (rotate(head, position)) return 1;
        for (int i = 0; i < 2 * PAIRS; i++) {
            memcpy(&bits, head + i, sizeof bits);
            sum = sum * 31 + bits;
        }
    }
    printf("256 positions, sum of the bits %08lx\n", (unsigned long)sum);
    return 0;
}
