/* SPDX-License-Identifier: MIT */
/* AVX-512 code for a compiler that was not told that the CPU has it. */
/* target: x86_64 */
/* expect: -mavx512f */
/* flags: -DPE_ISA=PE_ISA_AVX512 */
/* good: -mavx512f -DPE_ISA=PE_ISA_AVX512 */
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
