/* SPDX-License-Identifier: MIT */
/* Constants that are floats have 29 bits less than pe's. */
/* compiler: gcc */
/* expect: without_fsingle_precision_constant */
/* flags: -fsingle-precision-constant */
/* good: -fno-single-precision-constant */
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
