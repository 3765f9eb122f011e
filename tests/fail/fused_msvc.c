/* SPDX-License-Identifier: MIT */
/* MSVC defines this macro with /fp:contract, which fuses products and is refused. */
/* compiler: gcc */
/* expect: compile without /fp:contract */
/* flags: -D_M_FP_CONTRACT=1 */
/* good: -D_M_FP_PRECISE=1 */
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
