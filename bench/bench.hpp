// SPDX-License-Identifier: MIT
// What every benchmark row shares: its name, its buffers, its pinning, its figures and its check.
//
// A row is named verb/shape/type/function/build, for example fill/512x512/f32/pe_fill_f32/avx512,
// so that --benchmark_filter picks by any of the five. To add a verb, write a bench/VERB.cpp with a
// rows_VERB(), declare it at the end of this file and call it in main.cpp; bench.mk finds the file,
// and bench.py needs a line only for the roof (ROOFS) and the goals (GOALS) of the new verb.

#ifndef PE_BENCH_HPP
#define PE_BENCH_HPP

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#ifndef BENCH_BUILD
    #error "BENCH_BUILD is not set: build with make bench, or give -DBENCH_BUILD='\"name\"'"
#endif

namespace bench
{

struct Options {
    bool quick = false;    // the short run: fewer repetitions, no sweep over table sizes
    int cpu = 0;           // the core everything but the threads rows runs on
    double min_time = 0.1; // seconds a repetition lasts at least
    int repetitions = 9;   // of every row, in random order over all rows
};
extern Options options;

// What one call of a row's body does, in one thread.
struct Row {
    std::string verb, shape, type, function;
    double pairs; // (sin, cos) pairs made, or elements where a verb makes none
    double bytes; // bytes of output, or of x where it is changed in place
    int threads = 1;
};

// How wrong the output is, seen on a sample: largest |error| and share of correctly rounded elements.
struct Accuracy {
    double max_error, exact;
};

using Body = std::function<void(std::size_t call, std::size_t thread)>;
using Check = std::function<Accuracy()>;

// Registers a row; one whose name is already there, or not asked for, is dropped.
void add_row(const Row &row, Body body, Check check = nullptr);

// Registers the roofs for buffers of this size: memset, stores, nt_stores, memcpy, scale.
void add_roofs(std::size_t bytes);

// Two buffers shared by all rows, aligned to a page, each as large as the largest row and touched
// before the first row runs: to be asked for in a body, not while registering.
void *buffer(std::size_t which);
template <class T> T *output() { return static_cast<T *>(buffer(0)); }

// A table of a contiguous run of rows.
struct Shape {
    std::size_t rows, d;
    std::int64_t first = 0;

    std::size_t pairs() const { return rows * (d / 2); }
    template <class T> std::size_t bytes() const { return rows * d * sizeof(T); }
    std::string name() const
    {
        return std::to_string(rows) + "x" + std::to_string(d) +
               (first == 0 ? "" : "@" + std::to_string(first));
    }
};

// The accuracy of output<T>() as the paper's table of these positions, against MPFR.
template <class T> Accuracy accuracy(const std::vector<std::int64_t> &positions, std::size_t d);
extern template Accuracy accuracy<float>(const std::vector<std::int64_t> &, std::size_t);
extern template Accuracy accuracy<double>(const std::vector<std::int64_t> &, std::size_t);

void rows_fill();
void rows_rope();

} // namespace bench

#endif // PE_BENCH_HPP
