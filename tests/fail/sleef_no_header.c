/* SPDX-License-Identifier: MIT */
/* SLEEF is on, but its header is missing: tests/checks/fail.sh hides it. */
/* hide: sleef.h */
/* expect: sleef.h */
/* flags: -DPE_SLEEF=1 */
/* good: -DNO_SLEEF_IS_CHOSEN */
#include "pe.h"

#if defined(NO_SLEEF_IS_CHOSEN) && PE_SLEEF != 0
    #error "PE_SLEEF should be 0 where sleef.h is missing"
#endif

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
