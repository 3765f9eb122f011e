/* SPDX-License-Identifier: MIT */
/* Some compilers define __GNUC__ and ignore the pragmas of gcc. This is the macro of NVIDIA's. */
/* target: x86_64 */
/* compiler: gcc */
/* expect: define PE_UNFUSED */
/* flags: -D__NVCOMPILER */
/* good: -D__NVCOMPILER -DPE_UNFUSED */
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
