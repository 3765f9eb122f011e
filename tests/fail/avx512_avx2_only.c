/* SPDX-License-Identifier: MIT */
/* AVX2 flags do not bring AVX-512. */
/* target: x86_64 */
/* expect: -mavx512f */
/* flags: -mavx2 -mfma -DPE_ISA=PE_ISA_AVX512 */
/* good: -mavx2 -mfma -mavx512f -DPE_ISA=PE_ISA_AVX512 */
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
