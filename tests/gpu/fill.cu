// SPDX-License-Identifier: MIT
//
// tests/checks/gpu.sh counts the registers of these kernels, which are CUDA and HIP. Two of them
// compute a table with one thread per pair, and one rotates heads of floats in place.
#include "pe_fixed.h"

__device__ pe_fixed_increment increment_of(const uint4 *increments, unsigned pair)
{
    const uint4 w = increments[pair];
    const pe_fixed_increment increment = {{w.x, w.y, w.z, w.w}};
    return increment;
}

extern "C" __global__ void fill(float2 *out, const uint4 *increments, int first, unsigned pairs,
                                int *undecided)
{
    const unsigned pair = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    const pe_fixed_pair x =
        pe_fixed_sincos_f32(first + static_cast<int>(row), increment_of(increments, pair));
    if (x.undecided) *undecided = 1;
    float2 pair_of;
    pair_of.x = x.sine;
    pair_of.y = x.cosine;
    out[static_cast<unsigned long long>(row) * pairs + pair] = pair_of;
}

extern "C" __global__ void fill_scaled(float2 *out, const uint4 *increments, int first,
                                       unsigned pairs, float amplitude, int *undecided)
{
    const unsigned pair = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    const pe_fixed_pair x = pe_fixed_sincos_scaled_f32(first + static_cast<int>(row),
                                                       increment_of(increments, pair), amplitude);
    if (x.undecided) *undecided = 1;
    float2 pair_of;
    pair_of.x = x.sine;
    pair_of.y = x.cosine;
    out[static_cast<unsigned long long>(row) * pairs + pair] = pair_of;
}

// Rotates floats with the layout of halves. x is [tokens, heads, 2 * pairs]. There is one block per
// token, and one thread per pair, which rotates this pair of all heads.
extern "C" __global__ void rotate(float *x, const uint4 *increments, const int *positions,
                                  unsigned heads)
{
    const unsigned pair = threadIdx.x, pairs = blockDim.x;
    const pe_fixed_pair angle =
        pe_fixed_sincos_f32(positions[blockIdx.x], increment_of(increments, pair));
    x += static_cast<unsigned long long>(blockIdx.x) * heads * 2 * pairs + pair;
#pragma unroll 1
    for (unsigned head = 0; head < heads; head++, x += 2 * pairs) {
        const pe_fixed_rotated y = pe_fixed_rotate_f32(x[0], x[pairs], angle);
        x[0] = y.first;
        x[pairs] = y.second;
    }
}
