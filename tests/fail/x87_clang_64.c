/* SPDX-License-Identifier: MIT */
/* Without SSE, clang for x86-64 also uses the x87. The flag -ffp-eval-method=source would not help. */
/* target: x86_64 */
/* compiler: clang */
/* expect: -msse2 -mfpmath=sse */
/* flags: -mno-sse */
/* good: -msse2 */
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
