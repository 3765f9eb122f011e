/* SPDX-License-Identifier: MIT */
/* -fpack-struct=8 does not move doubles, but it misaligns vectors. */
/* target: x86_64 */
/* expect: pe__vectors_without_fpack_struct_or_pragma_pack */
/* flags: -msse2 -fpack-struct=8 */
/* good: -msse2 -fpack-struct=16 */
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
