/* SPDX-License-Identifier: MIT */
/* PE_SLEEF must be 0 or 1. */
/* expect: PE_SLEEF must be */
/* flags: -DPE_SLEEF=2 */
/* good: -DPE_SLEEF=0 */
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
