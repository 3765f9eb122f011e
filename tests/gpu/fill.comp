// SPDX-License-Identifier: MIT
//
// This shader computes the bits of a table whose rows hold the sine and the cosine of each pair in turn, for
// tests/gpu/vulkan.c.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "examples/gpu/pe_fixed.glsl"

layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) readonly buffer Increments { uvec4 increments[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Table { uvec2 table[]; };
layout(std430, set = 0, binding = 2) buffer Count { uint undecided; };
layout(push_constant) uniform Size { int first, rows, pairs; uint amplitude; };

void main()
{
    const uint i = gl_GlobalInvocationID.x + gl_GlobalInvocationID.y * 65535u * 64u;
    if (i >= uint(rows) * uint(pairs)) return;
    const PeFixedPair x =
        pe_fixed_sincos_scaled_f32(first + int(i / uint(pairs)), increments[i % uint(pairs)], amplitude);
    if (x.undecided) atomicAdd(undecided, 1u);
    table[i] = uvec2(x.sine, x.cosine);
}
