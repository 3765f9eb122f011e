// SPDX-License-Identifier: MIT
//
// cuda: heads of bf16 queries rotated on the GPU, with the cosines and sines of pe.h made in the
// kernel: no table, and any position. Compared with pe_rope_bf16() by bits.
//
//     nvcc -std=c++17 -O2 -arch=native -diag-suppress 1675 -I. examples/gpu/cuda.cu -o cuda && ./cuda
//
// 1675: nvcc does not know the pragmas for gcc in pe_simd.h, which it hands on. Without a GPU it
// compiles with -arch=sm_80 or the like.
#include "pe.h"
#include "pe_fixed.h"

#include <cstdio>
#include <vector>

constexpr unsigned TOKENS = 1024, HEADS = 8, PAIRS = 64;

__device__ float widened(uint16_t x) { return __uint_as_float(static_cast<uint32_t>(x) << 16); }
__device__ uint16_t rounded(float x) // to nearest even; no NaN comes here
{
    const uint32_t bits = __float_as_uint(x);
    return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// x is [tokens, heads, 128], halves apart: a block a token, a thread a pair, whose angle all heads
// share.
__global__ void rope(uint16_t *x, const pe_fixed_increment *increments, const int *positions,
                     int *undecided)
{
    const pe_fixed_pair angle = pe_fixed_sincos_f32(positions[blockIdx.x], increments[threadIdx.x]);
    if (angle.undecided) *undecided = 1;
    for (unsigned head = 0; head < HEADS; head++) {
        uint16_t *const at = x + (blockIdx.x * HEADS + head) * 2 * PAIRS + threadIdx.x;
        const pe_fixed_rotated y = pe_fixed_rotate_f32(widened(at[0]), widened(at[PAIRS]), angle);
        at[0] = rounded(y.first);
        at[PAIRS] = rounded(y.second);
    }
}

template <class T> static T *on_device(const std::vector<T> &x)
{
    void *p = nullptr;
    cudaMalloc(&p, x.size() * sizeof(T));
    cudaMemcpy(p, x.data(), x.size() * sizeof(T), cudaMemcpyHostToDevice);
    return static_cast<T *>(p);
}

int main()
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::puts("SKIP: there is no GPU that CUDA can use");
        return 77;
    }
    pe_rope_config config = pe_rope_config_default(2 * PAIRS);
    config.rope_theta = 500000;
    std::vector<unsigned char> memory(pe_rope_plan_size(&config));
    pe_plan plan;
    std::vector<uint32_t> increments(4 * PAIRS);
    if (pe_rope_plan_init(&plan, &config, memory.data(), memory.size()) != PE_OK ||
        pe_fixed_increments(&plan, increments.data()) != PE_OK)
        return 1;

    std::vector<int> positions;
    std::vector<uint16_t> x;
    for (unsigned t = 0; t < TOKENS; t++)
        positions.push_back(static_cast<int>(t * 2097143u)); // up to 2^31
    for (unsigned i = 0; i < TOKENS * HEADS * 2 * PAIRS; i++)
        x.push_back(static_cast<uint16_t>(0x3c00 + i % 509)); // from 0.008 to 0.5
    uint16_t *const x_device = on_device(x);
    int *const undecided = on_device(std::vector<int>(1, 0));
    rope<<<TOKENS, PAIRS>>>(x_device, reinterpret_cast<pe_fixed_increment *>(on_device(increments)),
                            on_device(positions), undecided);
    std::vector<uint16_t> got(x.size());
    cudaMemcpy(got.data(), x_device, got.size() * sizeof got[0], cudaMemcpyDeviceToHost);
    int left = 1;
    cudaMemcpy(&left, undecided, sizeof left, cudaMemcpyDeviceToHost);

    pe_heads heads;
    heads.heads = HEADS, heads.head_stride = 2 * PAIRS, heads.token_stride = HEADS * 2 * PAIRS;
    if (pe_rope_bf16(&plan, pe_at_i32(positions.data()), TOKENS, x.data(), heads) != PE_OK)
        return 1;
    unsigned wrong = 0;
    for (std::size_t i = 0; i < x.size(); i++) wrong += x[i] != got[i];
    std::printf("%zu elements, %u wrong%s\n", x.size(), wrong, left ? ", undecided pairs" : "");
    return wrong != 0 || left != 0;
}
