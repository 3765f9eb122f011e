/* SPDX-License-Identifier: MIT */
/* For AArch64, clang before version 16 has no pragma that turns fast-math off, so it is refused. */
/* target: aarch64 */
/* compiler: clang */
/* expect: compile without -ffast-math */
/* flags: -ffast-math -U__clang_major__ -D__clang_major__=15 */
/* good: -U__clang_major__ -D__clang_major__=15 */
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
