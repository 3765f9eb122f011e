/* SPDX-License-Identifier: MIT */
/* 0 is not the number of an instruction set, because an undefined name is 0 in #if. */
/* expect: PE_ISA must be */
/* flags: -DPE_ISA=0 */
/* good: -DPE_ISA=PE_ISA_SCALAR */
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
