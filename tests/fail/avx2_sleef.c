/* SPDX-License-Identifier: MIT */
/* sleef.h declares AVX2 functions to compilers that were told that the CPU has it. */

/* target: x86_64 */
/* expect: compile with -mavx2 -mfma */
/* flags: -DPE_ISA=PE_ISA_AVX2 -DPE_SLEEF=1 */
/* good: -DPE_ISA=PE_ISA_AVX2 -DPE_SLEEF=0 */
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
