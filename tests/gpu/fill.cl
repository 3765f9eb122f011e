/* SPDX-License-Identifier: MIT
 *
 * This kernel computes a table whose rows hold the sine and the cosine of each pair in turn.
 * tests/gpu/opencl.c runs it, and tests/checks/gpu.sh also compiles it for amdgcn. */
#include "pe_fixed.h"

__kernel void fill(__global float2 *out, __global const uint4 *increments, int first, float amplitude,
                   volatile __global int *undecided)
{
    const size_t pair = get_global_id(0), row = get_global_id(1), pairs = get_global_size(0);
    const uint4 w = increments[pair];
    const pe_fixed_increment increment = {{w.x, w.y, w.z, w.w}};
    const pe_fixed_pair x = amplitude == 1 ? pe_fixed_sincos_f32(first + (int)row, increment)
                                           : pe_fixed_sincos_scaled_f32(first + (int)row, increment, amplitude);
    if (x.undecided) atomic_inc(undecided);
    out[row * pairs + pair] = (float2)(x.sine, x.cosine);
}
