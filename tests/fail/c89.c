/* SPDX-License-Identifier: MIT */
/* Before C99 there are no declarations in loops. The first error must ask for C99. */
/* expect: pe needs C99 */
/* flags: -std=c89 */
/* good: -std=c99 */
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
