/* SPDX-License-Identifier: MIT */
/* 0 is no ISA: an undefined name in #if means 0. */
/* expect: PE_ISA must be */
/* flags: -DPE_ISA=0 */
/* good: -DPE_ISA=PE_ISA_SCALAR */
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
