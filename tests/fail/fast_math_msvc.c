/* SPDX-License-Identifier: MIT */
/* MSVC defines this macro with /fp:fast, which is refused. */
/* expect: /fp:precise */
/* flags: -D_M_FP_FAST=1 */
/* good: -D_M_FP_PRECISE=1 */
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
