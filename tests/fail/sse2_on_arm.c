/* SPDX-License-Identifier: MIT */
/* SSE2 is for x86. */
/* target: aarch64 */
/* expect: PE_ISA_SSE2 needs SSE2 */
/* flags: -DPE_ISA=PE_ISA_SSE2 */
/* good: -DPE_ISA=PE_ISA_NEON */
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
