/* SPDX-License-Identifier: MIT */
/* A double with 24 bits, as avr-gcc has it by default, is refused. */
/* expect: -mdouble=64 */
/* flags: -U__DBL_MANT_DIG__ -D__DBL_MANT_DIG__=24 */
/* good: -U__DBL_MANT_DIG__ -D__DBL_MANT_DIG__=53 */
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
