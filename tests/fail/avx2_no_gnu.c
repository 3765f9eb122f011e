/* SPDX-License-Identifier: MIT */
/* A compiler without GNU extensions has no operators for vectors, whatever CPU it compiles for. */
/* target: x86_64 */
/* compiler: gcc */
/* expect: leave PE_ISA undefined */
/* flags: -mavx2 -mfma -DPE_ISA=PE_ISA_AVX2 */
/* good: -mavx512f -mavx2 -mfma -DPE_UNFUSED */
#include "../checks/no_gnu.h"
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8) + PE_ISA - PE_ISA_SCALAR;
}
