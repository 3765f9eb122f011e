/* SPDX-License-Identifier: MIT */
/* 7 is not the number of an instruction set. */
/* expect: PE_ISA must be */
/* flags: -DPE_ISA=7 */
/* good: -DPE_ISA=1 */
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
