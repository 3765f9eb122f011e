/* SPDX-License-Identifier: MIT */
/* On a big-endian AArch64, lanes have the other order. pe uses scalar code there, without NEON. */
/* target: aarch64 */
/* expect: little-endian */
/* flags: -DPE_ISA=PE_ISA_NEON */
/* good: -O1 */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#undef __AARCH64EB__
#define __AARCH64EB__ 1
#include "pe.h"

int main(void)
{
    float row[8];
    const char scalar[2 * (PE_ISA == PE_ISA_SCALAR) - 1] = {0};
    return (int)pe_sinusoidal_f32(row, 1, 8) + scalar[0];
}
