// SPDX-License-Identifier: MIT
//
// A table of sines and cosines by WebGPU, with the bits of pe.h: WGSL has no 64-bit integers and promises
// nothing about floats, but 32-bit integers are exact. See webgpu.html.

const fill = `
@group(0) @binding(0) var<storage, read> increments: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> table: array<vec2u>;
@group(0) @binding(2) var<storage, read_write> undecided: atomic<u32>;
@group(0) @binding(3) var<uniform> size: vec4i; // first position, rows, pairs, bits of the amplitude

@compute @workgroup_size(64) fn fill(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x + id.y * 65535u * 64u;
    let pairs = u32(size.z);
    if (i >= u32(size.y) * pairs) { return; }
    let x = pe_fixed_sincos_scaled_f32(size.x + i32(i / pairs), increments[i % pairs], u32(size.w));
    if (x.undecided) { atomicAdd(&undecided, 1u); }
    table[i] = vec2u(x.sine, x.cosine); // the bits of two floats
}`;

const bitsOf = x => new Int32Array(new Float32Array([x]).buffer);

// pe_fixed.wgsl and the kernel, compiled. Throws what the compiler says.
export async function compile(device, pe_fixed) {
    const module = device.createShaderModule({ code: pe_fixed + fill });
    const { messages } = await module.getCompilationInfo();
    if (messages.length) throw new Error(messages.map(m => `${m.lineNum}: ${m.message}`).join('\n'));
    return device.createComputePipeline({ layout: 'auto', compute: { module, entryPoint: 'fill' } });
}

// Rows of [sine, cosine] of all pairs, from the position first, times an amplitude, as bits; and how many pairs
// are undecided. increments: a Uint32Array from pe_fixed_increments(), four words a pair.
export async function table(device, pipeline, increments, first, rows, amplitude = 1) {
    const pairs = increments.length / 4, bytes = 8 * rows * pairs, U = GPUBufferUsage;
    const buffer = (size, usage, data) => {
        const made = device.createBuffer({ size, usage: usage | U.COPY_DST });
        if (data) device.queue.writeBuffer(made, 0, data);
        return made;
    };
    const buffers = [
        buffer(increments.byteLength, U.STORAGE, increments),
        buffer(bytes, U.STORAGE | U.COPY_SRC),
        buffer(4, U.STORAGE | U.COPY_SRC, new Uint32Array(1)),
        buffer(16, U.UNIFORM, new Int32Array([first, rows, pairs, ...bitsOf(amplitude)])),
    ];
    const read = buffer(bytes + 4, U.MAP_READ);
    const entries = buffers.map((b, binding) => ({ binding, resource: { buffer: b } }));
    const encoder = device.createCommandEncoder(), pass = encoder.beginComputePass();
    const groups = Math.ceil(rows * pairs / 64);
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
    pass.dispatchWorkgroups(Math.min(groups, 65535), Math.ceil(groups / 65535));
    pass.end();
    encoder.copyBufferToBuffer(buffers[1], 0, read, 0, bytes);
    encoder.copyBufferToBuffer(buffers[2], 0, read, bytes, 4);
    device.queue.submit([encoder.finish()]);
    await read.mapAsync(GPUMapMode.READ);
    const words = new Uint32Array(read.getMappedRange().slice(0));
    for (const b of [...buffers, read]) b.destroy();
    return { bits: words.subarray(0, -1), undecided: words[words.length - 1] };
}
