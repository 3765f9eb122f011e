/* SPDX-License-Identifier: MIT */
/* -mavx2 alone is SSE2 code: one warning says so, which -Werror makes an error with gcc, but not with clang. */
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
