/* SPDX-License-Identifier: MIT */
/* clang in the place of cl needs flags for an instruction set: pe's functions alone cannot be compiled for it. */
/* target: x86_64 */
/* compiler: clang */
/* expect: /arch:AVX2 or -mavx2 -mfma -mf16c */
/* flags: -DPE_ISA=PE_ISA_AVX2 */
/* good: -DPE_ISA=PE_ISA_AVX2 -mavx2 -mfma -mf16c */
#include <float.h>
#include <immintrin.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define _MSC_VER 1930
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
