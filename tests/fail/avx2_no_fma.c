/* SPDX-License-Identifier: MIT */
/* AVX2 without FMA is not enough. */
/* target: x86_64 */
/* expect: -mavx2 -mfma */
/* flags: -mavx2 -DPE_ISA=PE_ISA_AVX2 */
/* good: -mavx2 -mfma -DPE_ISA=PE_ISA_AVX2 */
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
