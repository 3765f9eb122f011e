/* SPDX-License-Identifier: MIT */
/* Without SSE2, clang uses the x87, even if -ffp-eval-method=source makes FLT_EVAL_METHOD 0. */
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
