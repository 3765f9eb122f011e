/* SPDX-License-Identifier: MIT */
/* x87 arithmetic rounds twice. */
/* target: x86_64 */
/* compiler: gcc */
/* expect: -msse2 -mfpmath=sse */
/* flags: -mfpmath=387 -DPE_ISA=PE_ISA_SCALAR */
/* good: -mfpmath=sse -DPE_ISA=PE_ISA_SCALAR */
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
