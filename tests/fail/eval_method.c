/* SPDX-License-Identifier: MIT */
/* With -ffp-eval-method=double, clang evaluates floats as doubles, and defines this macro as 1. */
/* compiler: clang */
/* expect: -ffp-eval-method=source */
/* flags: -U__FLT_EVAL_METHOD__ -D__FLT_EVAL_METHOD__=1 */
/* good: -U__FLT_EVAL_METHOD__ -D__FLT_EVAL_METHOD__=0 */
#include "pe.h"

int main(void)
{
    float row[8];
    return (int)pe_sinusoidal_f32(row, 1, 8);
}
