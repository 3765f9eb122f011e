/* SPDX-License-Identifier: MIT */
/* A misspelt name must not silently mean scalar code. */
/* expect: PE_ISA must be */
/* flags: -DPE_ISA=PE_ISA_AVX_2 */
/* good: -DPE_ISA=PE_ISA_SCALAR */
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
