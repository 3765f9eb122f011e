/* SPDX-License-Identifier: MIT */
/* A header before pe.h may leave a #pragma pack behind, which packs the structs of pe.h. */
/* target: x86_64 */
/* expect: pe__without_fpack_struct_or_pragma_pack */
/* flags: -DPACKED */
/* good: -O1 */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef PACKED
#pragma pack(4)
#endif
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
