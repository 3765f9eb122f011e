/* SPDX-License-Identifier: MIT
 *
 * Heads of floats rotated in place: x is [tokens, heads, 2 pairs], halves apart; a work-item is a pair of a
 * token, whose angle all heads share. The global size is {pairs, tokens}. See opencl.c. */
#include "pe_fixed.h"

__kernel void rope(__global float *x, __global const uint4 *increments, __global const int *positions, int heads,
                   __global int *undecided)
{
    const size_t pair = get_global_id(0), token = get_global_id(1), pairs = get_global_size(0);
    const uint4 w = increments[pair];
    const pe_fixed_increment increment = {{w.x, w.y, w.z, w.w}};
    const pe_fixed_pair angle = pe_fixed_sincos_f32(positions[token], increment);
    if (angle.undecided) *undecided = 1;
    for (int head = 0; head < heads; head++) {
        __global float *const at = x + (token * (size_t)heads + (size_t)head) * 2 * pairs + pair;
        const pe_fixed_rotated y = pe_fixed_rotate_f32(at[0], at[pairs], angle);
        at[0] = y.first;
        at[pairs] = y.second;
    }
}
