/* SPDX-License-Identifier: MIT */
/* The definitions alone would be static, and nobody's. */
/* expect: define both, in one file of the program */
/* flags: -DPE_IMPLEMENTATION */
/* good: -DPE_IMPLEMENTATION -DPE_EXTERN */
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
