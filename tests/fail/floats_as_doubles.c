/* SPDX-License-Identifier: MIT */
/* Floats evaluated as doubles, as gcc does for s390x in strict ISO C, are rounded too late. */
/* target: x86_64 */
/* compiler: gcc */
/* expect: -fexcess-precision=fast */
/* flags: -U__FLT_EVAL_METHOD__ -D__FLT_EVAL_METHOD__=1 -DPE_ISA=PE_ISA_SCALAR */
/* good: -DPE_ISA=PE_ISA_SCALAR */
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
