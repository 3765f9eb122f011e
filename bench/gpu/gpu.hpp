// SPDX-License-Identifier: MIT
//
// What the parts of gpu-bench share. kernels.cu is compiled several times with other flags, each
// time as one Kernels; host.cpp computes by pe.h what they must give; main.cu compares and times.
#ifndef BENCH_GPU_HPP
#define BENCH_GPU_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#ifdef __CUDACC__
    #define GPU_BOTH __host__ __device__
#else
    #define GPU_BOTH
#endif

namespace gpu
{

// How a kernel gets the cosine and the sine of position times frequency.
enum Method {
    FIXED,     // pe_fixed.h
    FIXED_ROW, // the same, a row a thread and not four
    SCALED,    // pe_fixed.h, times an amplitude
    SINCOSF,   // sincosf of a float angle, the product of floats
    SINCOS,    // sincos of a double angle, rounded to float
    SINCOSPI,  // sincospi of a double angle in half-turns, rounded to float
    POWF,      // position times powf(), cosf and sinf, as ggml has it
    TABLE,     // read from an uploaded table
    NONE       // constants: memory alone
};

enum Type { F32, F16, BF16 };

// Describes the rows of a table: consecutive positions, or positions scattered over all of int32.
struct Rows {
    std::int32_t first;
    bool scattered;
    unsigned rows, pairs;
};

// Scattered: a bijection of 32 bits, the finalizer of MurmurHash3.
GPU_BOTH inline std::int32_t position_of(const Rows &r, unsigned row)
{
    std::uint32_t x = static_cast<std::uint32_t>(r.first) + row;
    if (r.scattered) {
        x = (x ^ x >> 16) * 0x85ebca6bu;
        x = (x ^ x >> 13) * 0xc2b2ae35u;
        x ^= x >> 16;
    }
    return static_cast<std::int32_t>(x);
}

// Holds arrays on the device, with one entry per pair. table has rows of all cosines, then all
// sines.
struct Operands {
    const std::uint32_t *increments;
    const float *omega;
    const double *omega_f64, *half_turns;
    const float *table;
    float amplitude, theta_scale;
    unsigned *undecided;
};

// pairs is a multiple of 32, rows of 16, tokens of 4. A head has 64 pairs, its halves apart.
struct Kernels {
    const char *flags;
    void (*fill)(Method, const Operands &, Rows, Type, void *out);
    void (*rope)(Method, const Operands &, std::uint16_t *x, const int *positions, unsigned tokens,
                 unsigned heads);
};
extern const Kernels plain, fast_math, unfused;

constexpr unsigned HEAD_PAIRS = 64;

struct Plans; // of pe.h

// A config, as pe.h has it.
class Reference
{
  public:
    std::string name;
    unsigned pairs;
    float amplitude;
    std::vector<double> omega; // correctly rounded
    std::vector<std::uint32_t> increments;

    // By base^(-i / pairs).
    Reference(const std::string &name, double base, unsigned pairs, float amplitude = 1);
    // By a list of frequencies.
    Reference(const std::string &name, const std::vector<double> &omega, float amplitude = 1);
    // The number of elements of such rows that differ in a bit; example says where one is.
    std::size_t wrong(Type type, const Rows &rows, const void *got, std::string &example) const;
    // Rows as a table to upload.
    void table(const Rows &rows, float *out) const;
    // bf16 heads, rotated in place.
    void rope(const int *positions, unsigned tokens, unsigned heads, std::uint16_t *x) const;

  private:
    std::shared_ptr<const Plans> plans;
    void fill(Type type, const Rows &rows, unsigned begin, unsigned end, void *out) const;
};

// base 10,000 comes first.
std::vector<Reference> references();

} // namespace gpu
#endif
