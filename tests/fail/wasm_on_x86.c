/* SPDX-License-Identifier: MIT */
/* An x86 has no instructions of WebAssembly. */
/* target: x86_64 */
/* expect: -msimd128 */
/* flags: -DPE_ISA=PE_ISA_WASM */
/* good: -DPE_ISA=PE_ISA_SCALAR */
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
