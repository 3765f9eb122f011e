/* SPDX-License-Identifier: MIT */
/* AVX-512 without registers of 512 bits, as -mno-evex512 says it (simulated for the compilers that do not
   know that option). */
/* target: x86_64 */
/* compiler: clang */
/* expect: registers of 512 bits */
/* flags: -mavx512f -U__EVEX512__ -U__clang_major__ -D__clang_major__=19 -DPE_ISA=PE_ISA_AVX512 */
/* good: -mavx512f -U__EVEX512__ -U__clang_major__ -D__clang_major__=19 -DPE_ISA=PE_ISA_AVX2 */
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
