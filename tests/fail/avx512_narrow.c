/* SPDX-License-Identifier: MIT */
/* -mno-evex512 leaves AVX-512 without registers of 512 bits, so PE_ISA_AVX512 is refused. The
   macros in the flags simulate this option for compilers that do not know it. */
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
