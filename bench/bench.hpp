// SPDX-License-Identifier: MIT
// Declares what all benchmark rows share. A row is one line of the results: the time of one call.
// Rows share their form of name, two buffers, the core that they run on, and the checks.
//
// A row is named verb/shape/type/function/build, for example fill/512x512/f32/pe_fill_f32/avx512,
// so that --benchmark_filter picks by any of the five. To add a verb, write a bench/VERB.cpp with a
// Source. The makefile bench.mk finds the file, and bench.py needs a line only for the roof (ROOFS)
// and the goals (GOALS) of the new verb. A program has the sources with which it is linked.

#ifndef PE_BENCH_HPP
#define PE_BENCH_HPP

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#ifndef BENCH_BUILD
    #error "BENCH_BUILD is not set: build with make bench, or give -DBENCH_BUILD='\"name\"'"
#endif

namespace bench
{

struct Options {
    bool quick = false;    // a short run: shorter repetitions, fewer peers, no sweep over sizes
    int cpu = 0;           // the core on which all rows with one thread run
    double min_time = 0.1; // the least number of seconds of a repetition
    int repetitions = 5;   // of every row; those of all rows are in random order
};
extern Options options;

// These are 16-bit numbers in types of their own, IEEE binary16 and bfloat16, so that functions can
// be overloaded for them.
struct half {
    std::uint16_t bits;
};
struct bfloat {
    std::uint16_t bits;
};

template <class T> constexpr const char *type_name = nullptr;
template <> inline constexpr const char *type_name<float> = "f32";
template <> inline constexpr const char *type_name<double> = "f64";
template <> inline constexpr const char *type_name<half> = "f16";
template <> inline constexpr const char *type_name<bfloat> = "bf16";

// Describes what one call of a row's body does, in one thread.
struct Row {
    std::string verb, shape, type, function;
    double pairs; // (sin, cos) pairs made, or elements where a verb makes none
    double bytes; // bytes of output, or of x where it is changed in place
    int threads = 1;
    double traffic = 0; // all bytes read and written, if they are more than `bytes`; otherwise 0
};

// Holds how wrong the output is on a sample: the largest |error| and the share of correctly rounded
// elements.
struct Accuracy {
    double max_error, exact;
};

using Body = std::function<void(std::size_t call, std::size_t thread)>;
using Check = std::function<Accuracy()>;
using Prepare = std::function<void()>;

// Registers a row. A row whose name is already registered, or not asked for, is dropped. prepare()
// runs before every repetition and is not timed. check() runs once, after the first repetition. A
// peer's row, which comes after pe's row of the same verb, shape and type, is also timed
// alternately with that row.
void add_row(const Row &row, Body body, Check check = nullptr, Prepare prepare = nullptr);

// Names the kinds of work that memory bounds: writing, copying, changing in place. A row of pe is
// timed alternately with the fastest roof of its kind, on the same buffer. So its fraction of the
// roof is measured at one time.
enum class Bound { NOTHING, STORES, COPY, IN_PLACE };
Bound bound_of(const std::string &verb);

struct Span {
    float *out;
    const float *in;
    std::size_t count;
};
struct Roof {
    const char *name;
    Bound bound;
    void (*run)(Span, std::size_t call);
    bool (*holds)(Span, std::size_t call); // whether the span has what that call leaves
};
std::vector<const Roof *> roofs_of(Bound bound);
Span span(double bytes); // returns the first bytes of both buffers

// Registers rows of the roofs alone, for buffers of this size.
void add_roofs(std::size_t bytes);

// Returns one of two buffers, which all rows share. They are aligned to a page, each as large as
// the largest row. Before the first row runs they are full of numbers near 1 of any type. Ask for
// them in a body, not while registering. Memory that is zero, line by line or in part, may be twice
// as fast as other memory.
void *buffer(std::size_t which);
template <class T> T *output() { return static_cast<T *>(buffer(0)); }
template <class T> T *input()
{
    return static_cast<T *>(buffer(1));
} // memcpy's, or what is prepared

// The number 1 in each type.
template <class T> constexpr T one = T(1);
template <> inline constexpr half one<half> = {0x3c00};
template <> inline constexpr bfloat one<bfloat> = {0x3f80};

// Sets n elements of the output to 1, before a row that computes with them. What other rows left
// there may be subnormal, or NaN, in this type, and then takes longer.
template <class T> void set_to_ones(std::size_t n) { std::fill_n(output<T>(), n, one<T>); }

// Describes a table. Its rows are consecutive unless `positions` names others.
struct Shape {
    std::size_t rows, d;
    std::int64_t first = 0;
    std::string positions = "";

    std::size_t pairs() const { return rows * (d / 2); }
    template <class T> std::size_t bytes() const { return rows * d * sizeof(T); }
    std::string name() const
    {
        return std::to_string(rows) + "x" + std::to_string(d) +
               (first == 0 ? "" : "@" + std::to_string(first)) +
               (positions.empty() ? "" : "-" + positions);
    }
};

// Layout is the order of the sines and cosines in a row. Via is the type to which elements are
// rounded before they are rounded to T, if there is one.
enum class Layout { INTERLEAVED, HALVES };
enum class Via { NOTHING, FLOAT };

// Returns the accuracy of output<T>(), which must hold the paper's table of these positions. The
// expected values are MPFR's.
template <class T>
Accuracy accuracy(const std::vector<double> &positions, std::size_t d,
                  Layout layout = Layout::INTERLEAVED, Via via = Via::NOTHING);

// Registers a source of rows, with one static object per file. rows() registers the rows
// themselves, in the order of the places.
struct Source {
    Source(int place, void (*rows)());
};

} // namespace bench

#endif // PE_BENCH_HPP
