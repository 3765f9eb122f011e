/* SPDX-License-Identifier: MIT */
/* NEON is for AArch64. */
/* target: x86_64 */
/* expect: AArch64 */
/* flags: -DPE_ISA=PE_ISA_NEON */
/* good: -DPE_ISA=PE_ISA_SCALAR */
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
