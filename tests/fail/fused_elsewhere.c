/* SPDX-License-Identifier: MIT */
/* An unknown compiler may fuse products on a machine that may have an FMA without a flag. Without
   __x86_64__, this one counts as such a machine. */
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
