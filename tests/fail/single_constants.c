/* SPDX-License-Identifier: MIT */
/* This flag makes floats of constants, which then lack 29 bits of the doubles that pe needs. */
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
