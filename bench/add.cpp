// SPDX-License-Identifier: MIT
// Times adding to activations in place, x += PE, beside adding a stored table, and beside SLEEF's
// sines added in registers. GB/s count each byte of x once. The traffic counts x twice, because x
// is read and written, and also a table that is read.

#include "tables.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace bench
{

static std::string stored_table; // the name of the table that input() holds

// Returns a number from 0.5 to 2, with either sign, made from the 32 random bits h.
template <class T> static T some(std::uint32_t h)
{
    const float size = 0.5f + 1.5f * static_cast<float>(h >> 8) / 16777216.0f;
    return static_cast<T>(h & 1 ? -size : size);
}
template <> half some<half>(std::uint32_t h)
{
    return {static_cast<std::uint16_t>((h & 0x8000) | (0x3800 + (h >> 16 & 0x7ff)))};
}
template <> bfloat some<bfloat>(std::uint32_t h)
{
    return {static_cast<std::uint16_t>((h & 0x8000) | (0x3f00 + (h >> 16 & 0xff)))};
}

// Writes x and, if asked, a stored table into the two buffers. x is written anew each time, because
// sums grow. Its values are random, because with x = 1 the bf16 sums are often next to a midpoint,
// and then take up to 1.5 times as long.
template <class T> static void prepare(const Shape &s, std::size_t batches, bool with_table)
{
    const std::string table = s.name() + type_name<T>;
    if (with_table && stored_table != table) {
        pe_fill(plan_of(s.d), s.first, s.rows, input<T>());
        stored_table = table;
    }
    std::uint32_t h = 1;
    std::generate_n(output<T>(), s.rows * s.d * batches,
                    [&h] { return some<T>(h = h * 1664525 + 1013904223); });
}

// Adds a row that adds the encoding to each batch of x with add(x, table). With with_table,
// prepare() stores a table. The check adds to x = 0, which must give the table itself. For 16-bit
// types, pe adds floats, so its result is rounded to float first (`via`).
template <class T, class Add>
static void add_adding(const char *verb, const Shape &s, const std::string &function, Add add,
                       bool with_table, std::size_t batches = 1, Via via = Via::NOTHING)
{
    const std::size_t bytes = s.bytes<T>() * batches;
    Shape all = s;
    all.rows *= batches;
    const std::string shape = (batches > 1 ? std::to_string(batches) + "x" : "") + s.name();
    add_row(
        {verb, shape, type_name<T>, function, static_cast<double>(all.pairs()),
         static_cast<double>(bytes), 1,
         static_cast<double>(2 * bytes + (with_table ? s.bytes<T>() : 0))},
        [=](std::size_t, std::size_t) { add(output<T>(), input<T>()); },
        [=] {
            std::memset(buffer(0), 0, bytes);
            add(output<T>(), input<T>());
            return accuracy<T>(positions_of(s), s.d, Layout::INTERLEAVED, via);
        },
        [=] { prepare<T>(s, batches, with_table); });
}

template <class T> static void add_stored(T *x, const T *table, std::size_t n)
{
    for (std::size_t i = 0; i < n; i += native::lanes)
        native::store(x + i, native::load(x + i) + native::load(table + i));
}

template <class T> static void add_pe(const Shape &s)
{
    const Plan &p = plan_of(s.d);
    add_adding<T>(
        "add", s, std::string("pe_add_") + type_name<T>,
        [s, &p](T *x, const T *) { pe_add(p, s.first, s.rows, x); }, false, 1, Via::FLOAT);
}

template <class T> static void add_table_peer(const Shape &s)
{
    add_adding<T>(
        "add", s, "stored_table",
        [n = s.rows * s.d](T *x, const T *table) { add_stored(x, table, n); }, true);
}

template <class P, class T> static void add_sines_peer(const Shape &s, const char *function)
{
    const Frequencies &w = frequencies_of(s.d);
    add_adding<T>(
        "add", s, function,
        [s, &w](T *x, const T *) { peer_fill<P, Put::ADD>(w, s.first, s.rows, x); }, false);
}

// Adds a case in which the same rows are added to each sequence of a batch.
static void add_batch(const Shape &s, std::size_t batches)
{
    const Plan &p = plan_of(s.d);
    const std::size_t n = s.rows * s.d;
    add_adding<float>(
        "add_batch", s, "pe_add_batch_f32",
        [=, &p](float *x, const float *) {
            must(pe_add_batch_f32(&p.plan, pe_from(s.first), s.rows, batches, 1, x, s.d, n));
        },
        false, batches);
    add_adding<float>(
        "add_batch", s, "stored_table",
        [=](float *x, const float *table) {
            for (std::size_t b = 0; b < batches; b++) add_stored(x + b * n, table, n);
        },
        true, batches);
}

static void rows()
{
    for (const Shape &s : {Shape{512, 512}, Shape{4096, 1024}, Shape{131072, 512}}) {
        add_pe<float>(s);
        add_pe<half>(s);
        add_pe<bfloat>(s);
        add_table_peer<float>(s);
        add_sines_peer<sleef_float, float>(s, BENCH_SLEEF_FLOAT);
#if defined(BENCH_SLEEF_DOUBLE)
        add_sines_peer<sleef_double, float>(s, BENCH_SLEEF_DOUBLE);
#endif
#if defined(BENCH_16_BIT)
        add_table_peer<half>(s);
        add_table_peer<bfloat>(s);
        add_sines_peer<sleef_float, half>(s, BENCH_SLEEF_FLOAT);
        add_sines_peer<sleef_float, bfloat>(s, BENCH_SLEEF_FLOAT);
#endif
    }
    add_batch({512, 512}, 64);
}

static const Source source(5, rows);

} // namespace bench
