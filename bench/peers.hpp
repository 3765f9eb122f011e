// SPDX-License-Identifier: MIT
// The peers: each gives (sin, cos) of a vector of angles, and one loop makes a table of any of them.
//
// They get what a careful user would give them: inverse frequencies made beforehand, one multiply
// per angle, both results from one call where the library has one, and shuffled full-width stores.

#ifndef PE_BENCH_PEERS_HPP
#define PE_BENCH_PEERS_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#if defined(__x86_64__)
    #if !defined(__clang__) // gcc 12 warns of the undefined operands its own header makes
        #pragma GCC diagnostic push
        #pragma GCC diagnostic ignored "-Wuninitialized"
        #pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
    #endif
    #include <immintrin.h>
    #if !defined(__clang__)
        #pragma GCC diagnostic pop
    #endif
#elif defined(__ARM_NEON)
    #include <arm_neon.h>
#endif
#include <sleef.h>
#undef CONST // sleef.h leaves it behind

#include <Eigen/Core>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
#include <xsimd/xsimd.hpp>

namespace bench
{

// Vectors: V, lanes, the angles w * p, and `pair`, the stores of (sin, cos) interleaved as floats.
struct f1 {
    using V = float;
    using element = float;
    static constexpr std::size_t lanes = 1;
    static V scale(const float *w, float p) { return *w * p; }
    static void store(float *out, V a) { *out = a; }
    template <bool NT> static void pair(float *out, V s, V c) { out[0] = s, out[1] = c; }
};

#if defined(__SSE2__)
struct f4 {
    using V = __m128;
    using element = float;
    static constexpr std::size_t lanes = 4;
    static V load(const float *p) { return _mm_loadu_ps(p); }
    static V scale(const float *w, float p) { return _mm_mul_ps(load(w), _mm_set1_ps(p)); }
    static void store(float *out, V a) { _mm_storeu_ps(out, a); }
    static void stream(float *out, V a) { _mm_stream_ps(out, a); }
    static void fence() { _mm_sfence(); }
    template <bool NT> static void pair(float *out, V s, V c)
    {
        (NT ? stream : store)(out, _mm_unpacklo_ps(s, c));
        (NT ? stream : store)(out + 4, _mm_unpackhi_ps(s, c));
    }
};
#endif

#if defined(__ARM_NEON)
struct f4 {
    using V = float32x4_t;
    using element = float;
    static constexpr std::size_t lanes = 4;
    static V load(const float *p) { return vld1q_f32(p); }
    static V scale(const float *w, float p) { return vmulq_n_f32(load(w), p); }
    static void store(float *out, V a) { vst1q_f32(out, a); }
    static void stream(float *out, V a) { store(out, a); } // there is no intrinsic for STNP
    static void fence() {}
    template <bool NT> static void pair(float *out, V s, V c)
    {
        const float32x4x2_t both = {{s, c}};
        vst2q_f32(out, both);
    }
};
#endif

#if defined(__AVX2__)
struct f8 {
    using V = __m256;
    using element = float;
    static constexpr std::size_t lanes = 8;
    static V load(const float *p) { return _mm256_loadu_ps(p); }
    static V scale(const float *w, float p) { return _mm256_mul_ps(load(w), _mm256_set1_ps(p)); }
    static void store(float *out, V a) { _mm256_storeu_ps(out, a); }
    static void stream(float *out, V a) { _mm256_stream_ps(out, a); }
    template <bool NT> static void pair(float *out, V s, V c)
    {
        const V even = _mm256_unpacklo_ps(s, c), odd = _mm256_unpackhi_ps(s, c);
        (NT ? stream : store)(out, _mm256_permute2f128_ps(even, odd, 0x20));
        (NT ? stream : store)(out + 8, _mm256_permute2f128_ps(even, odd, 0x31));
    }
};

struct d4 { // angles in double, output in float
    using V = __m256d;
    using element = double;
    static constexpr std::size_t lanes = 4;
    static V scale(const double *w, double p)
    {
        return _mm256_mul_pd(_mm256_loadu_pd(w), _mm256_set1_pd(p));
    }
    template <bool NT> static void pair(float *out, V s, V c)
    {
        f4::pair<NT>(out, _mm256_cvtpd_ps(s), _mm256_cvtpd_ps(c));
    }
};
#endif

#if defined(__AVX512F__)
struct f16 {
    using V = __m512;
    using element = float;
    static constexpr std::size_t lanes = 16;
    static V load(const float *p) { return _mm512_loadu_ps(p); }
    static V scale(const float *w, float p) { return _mm512_mul_ps(load(w), _mm512_set1_ps(p)); }
    static void store(float *out, V a) { _mm512_storeu_ps(out, a); }
    static void stream(float *out, V a) { _mm512_stream_ps(out, a); }
    template <bool NT> static void pair(float *out, V s, V c)
    {
        const __m512i lo =
            _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        const __m512i hi = _mm512_add_epi32(lo, _mm512_set1_epi32(8));
        (NT ? stream : store)(out, _mm512_permutex2var_ps(s, lo, c));
        (NT ? stream : store)(out + 16, _mm512_permutex2var_ps(s, hi, c));
    }
};

struct d8 {
    using V = __m512d;
    using element = double;
    static constexpr std::size_t lanes = 8;
    static V scale(const double *w, double p)
    {
        return _mm512_mul_pd(_mm512_loadu_pd(w), _mm512_set1_pd(p));
    }
    template <bool NT> static void pair(float *out, V s, V c)
    {
        f8::pair<NT>(out, _mm512_cvtpd_ps(s), _mm512_cvtpd_ps(c));
    }
};
#endif

#if defined(__AVX512F__)
using native = f16;
#elif defined(__AVX2__)
using native = f8;
#else
using native = f4;
#endif

// The functors: `sincos` of one vector.
struct plain_c : f1 {
    static void sincos(V a, V &s, V &c) { s = sinf(a), c = cosf(a); }
};

template <class L, auto function> struct sleef : L {
    using V = typename L::V;
    static void sincos(V a, V &s, V &c)
    {
        const auto both = function(a);
        s = both.x, c = both.y;
    }
};

template <class L, auto sine, auto cosine> struct separate : L {
    using V = typename L::V;
    static void sincos(V a, V &s, V &c) { s = sine(a), c = cosine(a); }
};

struct eigen : native {
    using Lanes = Eigen::Array<float, lanes, 1>;
    static void sincos(V a, V &s, V &c)
    {
        alignas(64) float x[lanes];
        store(x, a);
        const Lanes angle = Eigen::Map<const Lanes, Eigen::AlignedMax>(x);
        const Lanes sine = angle.sin(), cosine = angle.cos();
        s = load(sine.data()), c = load(cosine.data());
    }
};

struct xsimd_batch : native {
    static_assert(xsimd::batch<float>::size == lanes, "xsimd uses the width of this build");
    static void sincos(V a, V &s, V &c)
    {
        const auto both = xsimd::sincos(xsimd::batch<float>(a));
        s = both.first, c = both.second;
    }
};

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128 // below SSSE3 there is nothing to compare
    #define BENCH_HIGHWAY 1
struct highway : native { // Debian's 1.0 has no SinCos yet
    static constexpr hwy::HWY_NAMESPACE::ScalableTag<float> tag{};
    static void sincos(V a, V &s, V &c)
    {
        const hwy::HWY_NAMESPACE::Vec<decltype(tag)> angle{a};
        s = hwy::HWY_NAMESPACE::Sin(tag, angle).raw;
        c = hwy::HWY_NAMESPACE::Cos(tag, angle).raw;
    }
};
#endif

// The loop.
struct Frequencies {
    std::vector<float> single;
    std::vector<double> twice;

    explicit Frequencies(std::size_t d) : single(d / 2), twice(d / 2)
    {
        for (std::size_t i = 0; i < d / 2; i++) {
            twice[i] = std::pow(10000.0, -2.0 * static_cast<double>(i) / static_cast<double>(d));
            single[i] = static_cast<float>(twice[i]);
        }
    }
    std::size_t pairs() const { return single.size(); }
    const float *get(float) const { return single.data(); }
    const double *get(double) const { return twice.data(); }
};

// pairs must be a multiple of the lanes.
template <class P, bool NT = false>
void peer_fill(const Frequencies &w, std::int64_t first, std::size_t rows, float *out)
{
    using T = typename P::element;
    const std::size_t pairs = w.pairs();
    const T *frequency = w.get(T());
    for (std::size_t r = 0; r < rows; r++) {
        const T position = static_cast<T>(first + static_cast<std::int64_t>(r));
        float *row = out + 2 * pairs * r;
        for (std::size_t i = 0; i < pairs; i += P::lanes) {
            typename P::V s, c;
            P::sincos(P::scale(frequency + i, position), s, c);
            P::template pair<NT>(row + 2 * i, s, c);
        }
    }
    if (NT)
        f4::fence();
}

struct Peer {
    const char *function;
    void (*fill)(const Frequencies &, std::int64_t first, std::size_t rows, float *out);
    bool streams = false; // non-temporal stores: for tables beyond the caches only
};

} // namespace bench

#if defined(__x86_64__) && defined(__GLIBC__) // libmvec's names are those of the x86 vector ABI
extern "C" {
    #if defined(__AVX512F__)
__m512 _ZGVeN16v_sinf(__m512);
__m512 _ZGVeN16v_cosf(__m512);
    #elif defined(__AVX2__)
__m256 _ZGVdN8v_sinf(__m256);
__m256 _ZGVdN8v_cosf(__m256);
    #else
__m128 _ZGVbN4v_sinf(__m128);
__m128 _ZGVbN4v_cosf(__m128);
    #endif
}
#endif

namespace bench
{

static const Peer all_peers[] = {
    {"c_sinf_cosf", peer_fill<plain_c>},
#if defined(__AVX512F__)
    {"libmvec_f16", peer_fill<separate<f16, _ZGVeN16v_sinf, _ZGVeN16v_cosf>>},
    {"sleef_u35_f16", peer_fill<sleef<f16, Sleef_sincosf16_u35avx512f>>},
    {"sleef_u10_f16", peer_fill<sleef<f16, Sleef_sincosf16_u10avx512f>>},
    {"sleef_u35_d8", peer_fill<sleef<d8, Sleef_sincosd8_u35avx512f>>},
    {"sleef_u35_f16_nt", peer_fill<sleef<f16, Sleef_sincosf16_u35avx512f>, true>, true},
#elif defined(__AVX2__)
    {"libmvec_f8", peer_fill<separate<f8, _ZGVdN8v_sinf, _ZGVdN8v_cosf>>},
    {"sleef_u35_d4", peer_fill<sleef<d4, Sleef_sincosd4_u35avx2>>},
    {"sleef_u35_f8_nt", peer_fill<sleef<f8, Sleef_sincosf8_u35avx2>, true>, true},
#elif defined(__SSE2__)
    {"libmvec_f4", peer_fill<separate<f4, _ZGVbN4v_sinf, _ZGVbN4v_cosf>>},
    {"sleef_u35_f4", peer_fill<sleef<f4, Sleef_sincosf4_u35sse2>>},
    {"sleef_u10_f4", peer_fill<sleef<f4, Sleef_sincosf4_u10sse2>>},
#elif defined(__ARM_NEON)
    {"sleef_u35_f4", peer_fill<sleef<f4, Sleef_sincosf4_u35advsimd>>},
    {"sleef_u10_f4", peer_fill<sleef<f4, Sleef_sincosf4_u10advsimd>>},
#endif
#if defined(__AVX2__)
    {"sleef_u35_f8", peer_fill<sleef<f8, Sleef_sincosf8_u35avx2>>},
    {"sleef_u10_f8", peer_fill<sleef<f8, Sleef_sincosf8_u10avx2>>},
#endif
    {"eigen", peer_fill<eigen>},
    {"xsimd", peer_fill<xsimd_batch>},
#ifdef BENCH_HIGHWAY
    {"highway", peer_fill<highway>},
#endif
};

// Those that suit an output of this size.
inline std::vector<Peer> peers(std::size_t bytes)
{
    std::vector<Peer> fit;
    for (const Peer &peer : all_peers)
        if (!peer.streams || bytes >= (64u << 20))
            fit.push_back(peer);
    return fit;
}

} // namespace bench

#endif // PE_BENCH_PEERS_HPP
