/* SPDX-License-Identifier: MIT */
/* A compiler without GNU extensions cannot compile functions for an instruction set beyond its flags. */
/* target: x86_64 */
/* expect: needs -mavx2 -mfma */
/* flags: -U__GNUC__ -DPE_ISA=PE_ISA_AVX2 */
/* good: -DPE_ISA=PE_ISA_AVX2 */
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
