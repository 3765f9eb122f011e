/* SPDX-License-Identifier: MIT */
/* With -mavx2 alone, pe.h uses SSE2 code and warns. With -Werror the warning is an error in gcc, but not in clang. */

/* expect: for AVX2 add -mfma to -mavx2 */
/* flags: -mavx2 -Werror */
/* good: -mavx2 -Werror -DPE_ISA=PE_ISA_SSE2 */
/* target: x86_64 */
/* compiler: gcc */
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
