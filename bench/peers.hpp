// SPDX-License-Identifier: MIT
// Defines the peers, the other libraries that are timed beside pe. Each gives (sin, cos) of a
// vector of angles. One loop, peer_rows(), makes a table with any of them, or adds it to the
// output.
//
// They get what a careful user would give them: inverse frequencies made beforehand, one multiply
// per angle, both results from one call where the library has one, shuffled full-width stores, and
// the conversions to 16-bit numbers in registers.

#ifndef PE_BENCH_PEERS_HPP
#define PE_BENCH_PEERS_HPP

#include "bench.hpp"

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

// The following libraries are peers only where they are installed.
#if __has_include(<Eigen/Core>)
    #include <Eigen/Core>
    #define BENCH_EIGEN 1
#endif
#if __has_include(<hwy/contrib/math/math-inl.h>)
    #include <hwy/highway.h>
    #include <hwy/contrib/math/math-inl.h>
    #if HWY_TARGET != HWY_SCALAR &&                                                                \
        HWY_TARGET != HWY_EMU128 // below SSSE3 there is nothing to compare
        #define BENCH_HIGHWAY 1
    #endif
#endif
#if __has_include(<xsimd/xsimd.hpp>)
    #include <xsimd/xsimd.hpp>
    #define BENCH_XSIMD 1
#endif

namespace bench
{

// Tells what put() does with a vector: it writes the vector, writes it past the caches, or adds it
// to the output.
enum class Put { STORE, STREAM, ADD };

template <class L, Put how, class T> void put(T *out, typename L::V a)
{
    if constexpr (how == Put::STREAM) L::stream(out, a);
    else if constexpr (how == Put::ADD) L::store(out, L::load(out) + a);
    else L::store(out, a);
}

// Each of the following structs describes a kind of vector. V is its type and `lanes` its number of
// elements. The function scale() gives the angles w * p, and pair() puts sines and cosines
// interleaved, with store(), stream() or, where it adds, load(). With AVX2 and AVX-512, load() and
// store() also convert 16-bit numbers.
struct f1 {
    using V = float;
    using element = float;
    static constexpr std::size_t lanes = 1;
    static V load(const float *p) { return *p; }
    static V scale(const float *w, float p) { return *w * p; }
    static void store(float *out, V a) { *out = a; }
    template <Put how, class T> static void pair(T *out, V s, V c)
    {
        put<f1, how>(out, s);
        put<f1, how>(out + 1, c);
    }
};

#if defined(__SSE2__)
struct f4 {
    using V = __m128;
    using element = float;
    static constexpr std::size_t lanes = 4;
    static V load(const float *p) { return _mm_loadu_ps(p); }
    static V scale(const float *w, float p) { return _mm_mul_ps(load(w), _mm_set1_ps(p)); }
    static V flip(const float *x, float bits) { return _mm_xor_ps(load(x), _mm_set1_ps(bits)); }
    static void store(float *out, V a) { _mm_storeu_ps(out, a); }
    static void stream(float *out, V a) { _mm_stream_ps(out, a); }
    static void fence() { _mm_sfence(); }
    template <Put how, class T> static void pair(T *out, V s, V c)
    {
        put<f4, how>(out, _mm_unpacklo_ps(s, c));
        put<f4, how>(out + 4, _mm_unpackhi_ps(s, c));
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
    static V flip(const float *x, float bits)
    {
        const uint32x4_t pattern = vreinterpretq_u32_f32(vdupq_n_f32(bits));
        return vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(load(x)), pattern));
    }
    static void store(float *out, V a) { vst1q_f32(out, a); }
    static void stream(float *out, V a) { store(out, a); } // there is no intrinsic for STNP
    static void fence() {}
    template <Put how, class T> static void pair(T *out, V s, V c)
    {
        put<f4, how>(out, vzip1q_f32(s, c));
        put<f4, how>(out + 4, vzip2q_f32(s, c));
    }
};
#endif

#if defined(__AVX2__)
    #define BENCH_16_BIT 1 // the native vectors load and store half and bfloat
struct f8 {
    using V = __m256;
    using element = float;
    static constexpr std::size_t lanes = 8;
    static V load(const float *p) { return _mm256_loadu_ps(p); }
    static V scale(const float *w, float p) { return _mm256_mul_ps(load(w), _mm256_set1_ps(p)); }
    static V flip(const float *x, float bits)
    {
        return _mm256_xor_ps(load(x), _mm256_set1_ps(bits));
    }
    static void store(float *out, V a) { _mm256_storeu_ps(out, a); }
    static void stream(float *out, V a) { _mm256_stream_ps(out, a); }
    static V load(const half *p) { return _mm256_cvtph_ps(load8(p)); }
    static V load(const bfloat *p)
    {
        return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(load8(p)), 16));
    }
    static void store(half *out, V a)
    {
        store8(out, _mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT));
    }
    static void store(bfloat *out, V a) // to nearest even, for what is no NaN
    {
        const __m256i bits = _mm256_castps_si256(a), one = _mm256_set1_epi32(1);
        const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), one);
        const __m256i more = _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff));
        const __m256i upper = _mm256_srli_epi32(_mm256_add_epi32(bits, more), 16);
        const __m256i packed = _mm256_packus_epi32(upper, upper);
        store8(out, _mm256_castsi256_si128(_mm256_permute4x64_epi64(packed, 0x08)));
    }
    template <Put how, class T> static void pair(T *out, V s, V c)
    {
        const V even = _mm256_unpacklo_ps(s, c), odd = _mm256_unpackhi_ps(s, c);
        put<f8, how>(out, _mm256_permute2f128_ps(even, odd, 0x20));
        put<f8, how>(out + 8, _mm256_permute2f128_ps(even, odd, 0x31));
    }

  private:
    static __m128i load8(const void *p) { return _mm_loadu_si128(static_cast<const __m128i *>(p)); }
    static void store8(void *out, __m128i a) { _mm_storeu_si128(static_cast<__m128i *>(out), a); }
};

struct d4 { // angles in double, output in any type
    using V = __m256d;
    using element = double;
    static constexpr std::size_t lanes = 4;
    static void store(double *out, V a) { _mm256_storeu_pd(out, a); }
    static V scale(const double *w, double p)
    {
        return _mm256_mul_pd(_mm256_loadu_pd(w), _mm256_set1_pd(p));
    }
    template <Put how, class T> static void pair(T *out, V s, V c)
    {
        const __m128 sine = _mm256_cvtpd_ps(s), cosine = _mm256_cvtpd_ps(c);
        const __m128 lo = _mm_unpacklo_ps(sine, cosine), hi = _mm_unpackhi_ps(sine, cosine);
        put<f8, how>(out, _mm256_set_m128(hi, lo));
    }
    template <Put how> static void pair(double *out, V s, V c)
    {
        const V even = _mm256_unpacklo_pd(s, c), odd = _mm256_unpackhi_pd(s, c);
        put<d4, how>(out, _mm256_permute2f128_pd(even, odd, 0x20));
        put<d4, how>(out + 4, _mm256_permute2f128_pd(even, odd, 0x31));
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
    static V flip(const float *x, float bits)
    {
        const __m512i pattern = _mm512_castps_si512(_mm512_set1_ps(bits));
        return _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(load(x)), pattern));
    }
    static void store(float *out, V a) { _mm512_storeu_ps(out, a); }
    static void stream(float *out, V a) { _mm512_stream_ps(out, a); }
    static V load(const half *p) { return _mm512_cvtph_ps(load16(p)); }
    static V load(const bfloat *p)
    {
        return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(load16(p)), 16));
    }
    static void store(half *out, V a)
    {
        store16(out, _mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT));
    }
    static void store(bfloat *out, V a) // to nearest even, for what is no NaN
    {
        const __m512i bits = _mm512_castps_si512(a), one = _mm512_set1_epi32(1);
        const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), one);
        const __m512i more = _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff));
        const __m512i upper = _mm512_srli_epi32(_mm512_add_epi32(bits, more), 16);
        store16(out, _mm512_cvtepi32_epi16(upper));
    }
    template <Put how, class T> static void pair(T *out, V s, V c)
    {
        const __m512i lo =
            _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        const __m512i hi = _mm512_add_epi32(lo, _mm512_set1_epi32(8));
        put<f16, how>(out, _mm512_permutex2var_ps(s, lo, c));
        put<f16, how>(out + 16, _mm512_permutex2var_ps(s, hi, c));
    }

  private:
    static __m256i load16(const void *p)
    {
        return _mm256_loadu_si256(static_cast<const __m256i *>(p));
    }
    static void store16(void *out, __m256i a)
    {
        _mm256_storeu_si256(static_cast<__m256i *>(out), a);
    }
};

struct d8 {
    using V = __m512d;
    using element = double;
    static constexpr std::size_t lanes = 8;
    static void store(double *out, V a) { _mm512_storeu_pd(out, a); }
    static V scale(const double *w, double p)
    {
        return _mm512_mul_pd(_mm512_loadu_pd(w), _mm512_set1_pd(p));
    }
    template <Put how, class T> static void pair(T *out, V s, V c)
    {
        f8::pair<how>(out, _mm512_cvtpd_ps(s), _mm512_cvtpd_ps(c));
    }
    template <Put how> static void pair(double *out, V s, V c)
    {
        const __m512i lo = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
        const __m512i hi = _mm512_add_epi64(lo, _mm512_set1_epi64(4));
        put<d8, how>(out, _mm512_permutex2var_pd(s, lo, c));
        put<d8, how>(out + 8, _mm512_permutex2var_pd(s, hi, c));
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

// Each of the following structs is a peer: a kind of vector with sincos(), which computes the sines
// s and the cosines c of the angles a.
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

#ifdef BENCH_EIGEN
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
#endif

#ifdef BENCH_XSIMD
struct xsimd_batch : native {
    static_assert(xsimd::batch<float>::size == lanes, "xsimd uses the width of this build");
    static void sincos(V a, V &s, V &c)
    {
        const auto both = xsimd::sincos(xsimd::batch<float>(a));
        s = both.first, c = both.second;
    }
};
#endif

#ifdef BENCH_HIGHWAY
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

// Holds the frequencies 10000^(-2i/d), computed in double, as floats and as doubles.
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

// Puts the row of position(r) at out + r * d. pairs must be a multiple of the lanes.
template <class P, Put how, class Position, class T>
void peer_rows(const Frequencies &w, Position position, std::size_t rows, T *out)
{
    using E = typename P::element;
    const std::size_t pairs = w.pairs();
    const E *frequency = w.get(E());
    for (std::size_t r = 0; r < rows; r++) {
        const E p = static_cast<E>(position(r));
        T *row = out + 2 * pairs * r;
        for (std::size_t i = 0; i < pairs; i += P::lanes) {
            typename P::V s, c;
            P::sincos(P::scale(frequency + i, p), s, c);
            P::template pair<how>(row + 2 * i, s, c);
        }
    }
    if (how == Put::STREAM) f4::fence();
}

template <class P, Put how, class T>
void peer_fill(const Frequencies &w, std::int64_t first, std::size_t rows, T *out)
{
    peer_rows<P, how>(
        w, [=](std::size_t r) { return first + static_cast<std::int64_t>(r); }, rows, out);
}

template <class P, Put how, class T>
void peer_fill_at(const Frequencies &w, const double *positions, std::size_t rows, T *out)
{
    peer_rows<P, how>(w, [=](std::size_t r) { return positions[r]; }, rows, out);
}

struct Peer {
    const char *function;
    void (*fill)(const Frequencies &, std::int64_t first, std::size_t rows, float *out);
    void (*fill_at)(const Frequencies &, const double *positions, std::size_t rows, float *out);
    bool streams; // non-temporal stores: for tables beyond the caches only
    enum When {
        FULL,
        SWEEP,
        ALWAYS
    } when; // FULL: in full runs only; SWEEP: also in the sweep over sizes; ALWAYS: in all runs
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

// SLEEF's functions of 3.5 ulp take angles in float or in double, and those of 1 ulp in double make
// tables of doubles. All have the widest vectors that the build allows.
#if defined(__AVX512F__)
    #define BENCH_SLEEF_FLOAT "sleef_u35_f16"
    #define BENCH_SLEEF_DOUBLE "sleef_u35_d8"
    #define BENCH_SLEEF_DOUBLE_U10 "sleef_u10_d8"
using sleef_float = sleef<f16, Sleef_sincosf16_u35avx512f>;
using sleef_double = sleef<d8, Sleef_sincosd8_u35avx512f>;
using sleef_double_u10 = sleef<d8, Sleef_sincosd8_u10avx512f>;
#elif defined(__AVX2__)
    #define BENCH_SLEEF_FLOAT "sleef_u35_f8"
    #define BENCH_SLEEF_DOUBLE "sleef_u35_d4"
    #define BENCH_SLEEF_DOUBLE_U10 "sleef_u10_d4"
using sleef_float = sleef<f8, Sleef_sincosf8_u35avx2>;
using sleef_double = sleef<d4, Sleef_sincosd4_u35avx2>;
using sleef_double_u10 = sleef<d4, Sleef_sincosd4_u10avx2>;
#elif defined(__SSE2__)
    #define BENCH_SLEEF_FLOAT "sleef_u35_f4"
using sleef_float = sleef<f4, Sleef_sincosf4_u35sse2>;
#elif defined(__ARM_NEON)
    #define BENCH_SLEEF_FLOAT "sleef_u35_f4"
using sleef_float = sleef<f4, Sleef_sincosf4_u35advsimd>;
#endif

template <class P, Put how = Put::STORE>
constexpr Peer entry(const char *function, Peer::When when = Peer::FULL)
{
    return {function, peer_fill<P, how, float>, peer_fill_at<P, how, float>, how == Put::STREAM,
            when};
}

static const Peer all_peers[] = {
    entry<plain_c>("c_sinf_cosf", Peer::ALWAYS),
    entry<sleef_float>(BENCH_SLEEF_FLOAT, Peer::ALWAYS),
#if defined(__AVX2__)
    entry<sleef_float, Put::STREAM>(BENCH_SLEEF_FLOAT "_nt", Peer::ALWAYS),
    entry<sleef_double>(BENCH_SLEEF_DOUBLE, Peer::ALWAYS),
    entry<sleef<f8, Sleef_sincosf8_u10avx2>>("sleef_u10_f8"),
#endif
#if defined(__AVX512F__)
    entry<separate<f16, _ZGVeN16v_sinf, _ZGVeN16v_cosf>>("libmvec_f16", Peer::SWEEP),
    entry<sleef<f8, Sleef_sincosf8_u35avx2>>("sleef_u35_f8"),
    entry<sleef<f16, Sleef_sincosf16_u10avx512f>>("sleef_u10_f16"),
#elif defined(__AVX2__)
    entry<separate<f8, _ZGVdN8v_sinf, _ZGVdN8v_cosf>>("libmvec_f8", Peer::SWEEP),
#elif defined(__SSE2__)
    entry<separate<f4, _ZGVbN4v_sinf, _ZGVbN4v_cosf>>("libmvec_f4", Peer::SWEEP),
    entry<sleef<f4, Sleef_sincosf4_u10sse2>>("sleef_u10_f4"),
#elif defined(__ARM_NEON)
    entry<sleef<f4, Sleef_sincosf4_u10advsimd>>("sleef_u10_f4"),
#endif
#ifdef BENCH_EIGEN
    entry<eigen>("eigen", Peer::ALWAYS),
#endif
#ifdef BENCH_XSIMD
    entry<xsimd_batch>("xsimd"),
#endif
#ifdef BENCH_HIGHWAY
    entry<highway>("highway", Peer::ALWAYS),
#endif
};

// Returns the peers for an output of this size. Peers that stream need 64 MiB or more, and in a
// quick run only those with ALWAYS are returned.
inline std::vector<Peer> peers(std::size_t bytes)
{
    std::vector<Peer> fit;
    for (const Peer &peer : all_peers)
        if ((!peer.streams || bytes >= (64u << 20)) &&
            (!options.quick || peer.when == Peer::ALWAYS))
            fit.push_back(peer);
    return fit;
}

} // namespace bench

#endif // PE_BENCH_PEERS_HPP
