/* SPDX-License-Identifier: MIT */
/* The same on a machine that may have an FMA without a flag. */
/* target: x86_64 */
/* compiler: gcc */
/* expect: define PE_UNFUSED */
/* flags: -DELSEWHERE */
/* good: -O1 */
#include "../checks/no_gnu.h"
#ifdef ELSEWHERE
#undef __x86_64__
#endif
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
