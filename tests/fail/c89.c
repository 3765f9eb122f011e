/* SPDX-License-Identifier: MIT */
/* Before C99 there are no declarations in loops, and with gnu89 the errors would be many. */
/* expect: pe needs C99 */
/* flags: -std=gnu89 */
/* good: -std=gnu99 */
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
