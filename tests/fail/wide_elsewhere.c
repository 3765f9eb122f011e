/* SPDX-License-Identifier: MIT */
/* Other hardware than x86 and the 68881 may also have wider registers. The error must not name
   flags of these two. */
/* target: x86_64 */
/* compiler: gcc */
/* expect: for other hardware */
/* flags: -U__FLT_EVAL_METHOD__ -D__FLT_EVAL_METHOD__=2 -DPE_ISA=PE_ISA_SCALAR */
/* good: -DPE_ISA=PE_ISA_SCALAR */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#undef __x86_64__
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
