/* SPDX-License-Identifier: MIT */
/* clang without SSE2 uses the x87, whatever FLT_EVAL_METHOD says under -ffp-eval-method=source. */
/* target: x86_64 */
/* compiler: clang */
/* expect: -msse2 -mfpmath=sse */
/* flags: -DX87 -DPE_ISA=PE_ISA_SCALAR */
/* good: -DPE_ISA=PE_ISA_SCALAR */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef X87
#undef __x86_64__
#undef __SSE2__
#define __i386__ 1
#endif
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
