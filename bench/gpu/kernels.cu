// SPDX-License-Identifier: MIT
//
// The kernels of gpu-bench: table fill, and RoPE over bf16 heads in place. Compiled several times,
// each time with other flags and another name:
//
//     nvcc -DKERNELS=fast_math -DFLAGS='"-use_fast_math"' -use_fast_math -c kernels.cu
#include "gpu.hpp"
#include "pe_fixed.h"

namespace gpu
{
namespace
{

// ---- sources of cosines and sines ---------------------------------------------------------------
// load() reads what belongs to a pair, once; of() gives cosine and sine of a position.

__device__ pe_fixed_increment increment_of(const Operands &o, unsigned pair)
{
    const uint4 w = reinterpret_cast<const uint4 *>(o.increments)[pair];
    const pe_fixed_increment increment = {{w.x, w.y, w.z, w.w}};
    return increment;
}

__device__ float2 decided(const pe_fixed_pair &x, const Operands &o)
{
    if (x.undecided) atomicAdd(o.undecided, 1u);
    return make_float2(x.cosine, x.sine);
}

struct Fixed {
    Operands o;
    typedef pe_fixed_increment Frequency;
    __device__ Frequency load(unsigned pair) const { return increment_of(o, pair); }
    __device__ float2 of(int p, const Frequency &w) const
    {
        return decided(pe_fixed_sincos_f32(p, w), o);
    }
};

struct Scaled : Fixed {
    __device__ float2 of(int p, const Frequency &w) const
    {
        return decided(pe_fixed_sincos_scaled_f32(p, w, o.amplitude), o);
    }
};

struct Sincosf {
    Operands o;
    typedef float Frequency;
    __device__ Frequency load(unsigned pair) const { return o.omega[pair]; }
    __device__ float2 of(int p, Frequency w) const
    {
        float2 r;
        sincosf(static_cast<float>(p) * w, &r.y, &r.x);
        return r;
    }
};

struct Sincos {
    Operands o;
    typedef double Frequency;
    __device__ Frequency load(unsigned pair) const { return o.omega_f64[pair]; }
    __device__ float2 of(int p, Frequency w) const
    {
        double s, c;
        sincos(p * w, &s, &c);
        return make_float2(static_cast<float>(c), static_cast<float>(s));
    }
};

struct Sincospi {
    Operands o;
    typedef double Frequency;
    __device__ Frequency load(unsigned pair) const { return o.half_turns[pair]; }
    __device__ float2 of(int p, Frequency w) const
    {
        double s, c;
        sincospi(p * w, &s, &c);
        return make_float2(static_cast<float>(c), static_cast<float>(s));
    }
};

// Computes one angle per pair from the position. Nothing is loaded.
struct Powf {
    Operands o;
    typedef float Frequency;
    __device__ Frequency load(unsigned pair) const { return static_cast<float>(pair); }
    __device__ float2 of(int p, Frequency pair) const
    {
        const float angle = static_cast<float>(p) * powf(o.theta_scale, pair);
        return make_float2(cosf(angle), sinf(angle));
    }
};

struct Table {
    Operands o;
    typedef unsigned Frequency;
    __device__ Frequency load(unsigned pair) const { return pair; }
    __device__ float2 of(int p, Frequency pair) const
    {
        const float *const row = o.table + static_cast<size_t>(p) * (2 * HEAD_PAIRS);
        return make_float2(__ldg(row + pair), __ldg(row + HEAD_PAIRS + pair));
    }
};

struct None {
    typedef int Frequency;
    __device__ Frequency load(unsigned) const { return 0; }
    __device__ float2 of(int, Frequency) const { return make_float2(0.6f, 0.8f); }
};

// ---- table fill ---------------------------------------------------------------------------------

// Computes several rows per thread, so that what belongs to its frequency stays in registers. A row
// has all cosines, then all sines, like the cos_sin_cache of vLLM and SGLang.
template <class Source, unsigned ROWS, bool SCATTERED>
__global__ void __launch_bounds__(128) fill_f32(Source source, Rows r, float *out)
{
    const unsigned pair = blockIdx.y * 32 + threadIdx.x,
                   row = (blockIdx.x * 4 + threadIdx.y) * ROWS;
    const typename Source::Frequency w = source.load(pair);
    float *const to = out + static_cast<size_t>(row) * (2 * r.pairs) + pair;
#pragma unroll
    for (unsigned k = 0; k < ROWS; k++) {
        const float2 x =
            source.of(SCATTERED ? position_of(r, row + k) : r.first + static_cast<int>(row + k), w);
        to[k * 2 * r.pairs] = x.x;
        to[k * 2 * r.pairs + r.pairs] = x.y;
    }
}

template <class Source, unsigned ROWS = 4>
void fill_by(const Source &source, const Rows &r, void *out)
{
    const dim3 block(32, 4), grid(r.rows / (4 * ROWS), r.pairs / 32);
    float *const to = static_cast<float *>(out);
    if (r.scattered)
        fill_f32<Source, ROWS, true><<<grid, block>>>(source, r, to);
    else
        fill_f32<Source, ROWS, false><<<grid, block>>>(source, r, to);
}

// 16-bit results, rounded once.
template <Type TYPE, bool WITH_AMPLITUDE>
__global__ void __launch_bounds__(128) fill_16(Operands o, Rows r, std::uint16_t *out)
{
    const unsigned pair = blockIdx.y * 32 + threadIdx.x, row = (blockIdx.x * 4 + threadIdx.y) * 4;
    const pe_fixed_increment w = increment_of(o, pair);
    std::uint16_t *const to = out + static_cast<size_t>(row) * (2 * r.pairs) + pair;
#pragma unroll
    for (unsigned k = 0; k < 4; k++) {
        const int p = position_of(r, row + k);
        const float amplitude = WITH_AMPLITUDE ? o.amplitude : 1.0f;
        const pe_fixed_pair_16 x = TYPE == F16 ? pe_fixed_sincos_scaled_f16(p, w, amplitude)
                                               : pe_fixed_sincos_scaled_bf16(p, w, amplitude);
        if (x.undecided) atomicAdd(o.undecided, 1u);
        to[k * 2 * r.pairs] = x.cosine;
        to[k * 2 * r.pairs + r.pairs] = x.sine;
    }
}

template <Type TYPE> void fill_16_by(Method method, const Operands &o, const Rows &r, void *out)
{
    const dim3 block(32, 4), grid(r.rows / 16, r.pairs / 32);
    std::uint16_t *const to = static_cast<std::uint16_t *>(out);
    if (method == SCALED)
        fill_16<TYPE, true><<<grid, block>>>(o, r, to);
    else
        fill_16<TYPE, false><<<grid, block>>>(o, r, to);
}

void fill(Method method, const Operands &o, Rows r, Type type, void *out)
{
    if (type == F16)
        fill_16_by<F16>(method, o, r, out);
    else if (type == BF16)
        fill_16_by<BF16>(method, o, r, out);
    else if (method == FIXED)
        fill_by(Fixed{o}, r, out);
    else if (method == FIXED_ROW)
        fill_by<Fixed, 1>(Fixed{o}, r, out);
    else if (method == SCALED)
        fill_by(Scaled{{o}}, r, out);
    else if (method == SINCOSF)
        fill_by(Sincosf{o}, r, out);
    else if (method == SINCOS)
        fill_by(Sincos{o}, r, out);
    else if (method == SINCOSPI)
        fill_by(Sincospi{o}, r, out);
    else if (method == POWF)
        fill_by(Powf{o}, r, out);
    else
        fill_by(None{}, r, out);
}

// ---- RoPE over heads ----------------------------------------------------------------------------

__device__ float widened(std::uint32_t bf16) { return __uint_as_float(bf16 << 16); }
__device__ std::uint32_t rounded(float x)
{
    const std::uint32_t b = __float_as_uint(x);
    return (b + 0x7fffu + (b >> 16 & 1)) >> 16;
}

__device__ pe_fixed_pair pair_of(float2 angle)
{
    const pe_fixed_pair x = {angle.y, angle.x, 0};
    return x;
}

// Two pairs: the lower half of each word, and the upper one.
__device__ void rotate(std::uint32_t &a, std::uint32_t &b, const float2 *angles)
{
    const pe_fixed_rotated low =
        pe_fixed_rotate_f32(widened(a & 0xffff), widened(b & 0xffff), pair_of(angles[0]));
    const pe_fixed_rotated high =
        pe_fixed_rotate_f32(widened(a >> 16), widened(b >> 16), pair_of(angles[1]));
    a = rounded(low.first) | rounded(high.first) << 16;
    b = rounded(low.second) | rounded(high.second) << 16;
}

// A block has 4 tokens. Its 256 threads compute the 4 x 64 cosines and sines, which all heads of a
// token share. Then each thread rotates 8 pairs at a time, since 8 elements of a half are 16 bytes.
constexpr unsigned TOKENS = 4, GROUPS = HEAD_PAIRS / 8;

template <class Source>
__global__ void __launch_bounds__(256)
    rope_bf16(Source source, uint4 *x, const int *positions, unsigned heads)
{
    __shared__ float2 angles[TOKENS][HEAD_PAIRS];
    const unsigned first = blockIdx.x * TOKENS, token = threadIdx.x / HEAD_PAIRS,
                   pair = threadIdx.x % HEAD_PAIRS;
    angles[token][pair] = source.of(positions[first + token], source.load(pair));
    __syncthreads();
    x += static_cast<size_t>(first) * heads * (2 * GROUPS);
    for (unsigned i = threadIdx.x; i < TOKENS * heads * GROUPS; i += blockDim.x) {
        const unsigned head = i / GROUPS, group = i % GROUPS;
        const float2 *const angle = &angles[head / heads][8 * group];
        uint4 *const at = x + head * (2 * GROUPS) + group;
        uint4 a = at[0], b = at[GROUPS];
        rotate(a.x, b.x, angle);
        rotate(a.y, b.y, angle + 2);
        rotate(a.z, b.z, angle + 4);
        rotate(a.w, b.w, angle + 6);
        at[0] = a;
        at[GROUPS] = b;
    }
}

template <class Source>
void rope_by(const Source &source, std::uint16_t *x, const int *positions, unsigned tokens,
             unsigned heads)
{
    rope_bf16<<<tokens / TOKENS, 256>>>(source, reinterpret_cast<uint4 *>(x), positions, heads);
}

void rope(Method method, const Operands &o, std::uint16_t *x, const int *positions, unsigned tokens,
          unsigned heads)
{
    if (method == FIXED)
        rope_by(Fixed{o}, x, positions, tokens, heads);
    else if (method == SINCOSF)
        rope_by(Sincosf{o}, x, positions, tokens, heads);
    else if (method == SINCOS)
        rope_by(Sincos{o}, x, positions, tokens, heads);
    else if (method == SINCOSPI)
        rope_by(Sincospi{o}, x, positions, tokens, heads);
    else if (method == POWF)
        rope_by(Powf{o}, x, positions, tokens, heads);
    else if (method == TABLE)
        rope_by(Table{o}, x, positions, tokens, heads);
    else
        rope_by(None{}, x, positions, tokens, heads);
}

} // namespace

const Kernels KERNELS = {FLAGS, fill, rope};

} // namespace gpu
