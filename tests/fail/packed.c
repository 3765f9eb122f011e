/* SPDX-License-Identifier: MIT */
/* pe was not tested with the layout of packed structs, and vectors in them crash. */
/* expect: pe__without_fpack_struct_or_pragma_pack */
/* flags: -fpack-struct */
/* good: -O1 */
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
