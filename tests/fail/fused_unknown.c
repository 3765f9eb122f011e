/* SPDX-License-Identifier: MIT */
/* An unknown compiler may fuse products if the CPU has an FMA. */
/* target: x86_64 */
/* compiler: gcc */
/* expect: define PE_UNFUSED */
/* flags: -mfma */
/* good: -mfma -DPE_UNFUSED */
#include "../checks/no_gnu.h"
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
