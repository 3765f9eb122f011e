/* SPDX-License-Identifier: MIT */
/* PE_IMPLEMENTATION without PE_EXTERN would have no effect, so it is refused as a mistake. */
/* expect: define both, in one file of the program */
/* flags: -DPE_IMPLEMENTATION */
/* good: -DPE_IMPLEMENTATION -DPE_EXTERN */
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
