/* SPDX-License-Identifier: MIT */
/* The 68881 rounds to 64 bits. Since it has no SSE, the error must name another remedy. */
/* target: x86_64 */
/* compiler: gcc */
/* expect: -m68040 */
/* flags: -U__FLT_EVAL_METHOD__ -D__FLT_EVAL_METHOD__=2 -DPE_ISA=PE_ISA_SCALAR */
/* good: -DPE_ISA=PE_ISA_SCALAR */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#undef __x86_64__
#define __m68k__ 1
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
