// SPDX-License-Identifier: MIT
// The roofs: how fast this machine writes, copies and rewrites memory when nothing is computed.
//
// A compiler that sees what a roof does may leave some of it out. So no roof is inlined, the values
// come from volatile variables, and holds() checks that the buffer has what the last call leaves.

#include "bench.hpp"
#include "peers.hpp"

#include <algorithm>
#include <cstring>

#if defined(__GNUC__)
    #define BENCH_NOINLINE __attribute__((noinline))
#else
    #define BENCH_NOINLINE
#endif

namespace bench
{

static volatile float first_number = 0.7310586f; // memory writes lines of zeros faster than others
static volatile float near_one = 1 + 1.0f / (1 << 23); // near_one * below_one is 1 in float
static volatile float below_one = 1 - 1.0f / (1 << 23);
static volatile std::uint32_t flipped =
    0x00010001; // the last bit of a float, and of two 16-bit numbers

static float number(std::size_t call, std::size_t lane)
{
    return first_number + 0.0123457f * static_cast<float>(lane + call % 2);
}

template <void (*put)(float *, native::V)>
BENCH_NOINLINE static void write(Span x, std::size_t call)
{
    float numbers[native::lanes];
    for (std::size_t i = 0; i < native::lanes; i++) numbers[i] = number(call, i);
    const native::V value = native::load(numbers);
    for (std::size_t i = 0; i < x.count; i += native::lanes) put(x.out + i, value);
}

static bool wrote(Span x, std::size_t call)
{
    for (std::size_t i = 0; i < x.count; i++)
        if (x.out[i] != number(call, i % native::lanes)) return false;
    return true;
}

BENCH_NOINLINE static void stream(Span x, std::size_t call)
{
    write<native::stream>(x, call);
    f4::fence();
}

BENCH_NOINLINE static void set(Span x, std::size_t call)
{
    std::memset(x.out, 0x35 + static_cast<int>(call % 2), x.count * sizeof(float));
}

static bool was_set(Span x, std::size_t call)
{
    const std::uint32_t byte = 0x35 + static_cast<std::uint32_t>(call % 2);
    std::uint32_t bits;
    for (std::size_t i = 0; i < x.count; i++)
        if (std::memcpy(&bits, x.out + i, sizeof bits), bits != byte * 0x01010101) return false;
    return true;
}

BENCH_NOINLINE static void copy(Span x, std::size_t)
{
    std::memcpy(x.out, x.in, x.count * sizeof(float));
}

static bool copied(Span x, std::size_t)
{
    return std::memcmp(x.out, x.in, x.count * sizeof(float)) == 0;
}

// Computes x *= c. What was 1 is near_one after the first call, 1 after the second ...
BENCH_NOINLINE static void scale(Span x, std::size_t call)
{
    const float factor = call % 2 == 0 ? near_one : below_one;
    for (std::size_t i = 0; i < x.count; i += native::lanes)
        native::store(x.out + i, native::scale(x.out + i, factor));
}

static bool scaled(Span x, std::size_t call)
{
    const float want = call % 2 == 0 ? near_one : 1.0f;
    return std::all_of(x.out, x.out + x.count, [=](float y) { return y == want; });
}

// Inverts one bit of each float; the next call inverts it back. This takes as long as x *= c,
// whatever the numbers are.
BENCH_NOINLINE static void flip(Span x, std::size_t)
{
    float pattern;
    const std::uint32_t bits = flipped;
    std::memcpy(&pattern, &bits, sizeof bits);
    for (std::size_t i = 0; i < x.count; i += native::lanes)
        native::store(x.out + i, native::flip(x.out + i, pattern));
}

static bool was_flipped(Span x, std::size_t call)
{
    const std::uint32_t want = 0x3f800000 ^ (call % 2 == 0 ? flipped : 0);
    std::uint32_t bits;
    for (std::size_t i = 0; i < x.count; i++)
        if (std::memcpy(&bits, x.out + i, sizeof bits), bits != want) return false;
    return true;
}

static const Roof all_roofs[] = {
    {"memset", Bound::STORES, set, was_set},
    {"stores", Bound::STORES, write<native::store>, wrote},
    {"nt_stores", Bound::STORES, stream, wrote},
    {"memcpy", Bound::COPY, copy, copied},
    {"scale", Bound::NOTHING, scale, scaled},
    {"flip", Bound::IN_PLACE, flip, was_flipped},
};

std::vector<const Roof *> roofs_of(Bound bound)
{
    std::vector<const Roof *> found;
    for (const Roof &roof : all_roofs)
        if (roof.bound == bound) found.push_back(&roof);
    return found;
}

Span span(double bytes)
{
    return {output<float>(), input<float>(), static_cast<std::size_t>(bytes) / sizeof(float)};
}

void add_roofs(std::size_t bytes)
{
    const double size = static_cast<double>(bytes);
    for (const Roof &roof : all_roofs) {
        const auto calls = std::make_shared<std::size_t>(0);
        add_row(
            {"roof", std::to_string(bytes / 1024) + "KiB", "f32", roof.name, size / 8, size},
            [=, &roof](std::size_t, std::size_t) { roof.run(span(size), (*calls)++); },
            [=, &roof] {
                if (*calls % 2 == 0) // so that the last one changed something
                    roof.run(span(size), (*calls)++);
                if (!roof.holds(span(size), *calls - 1)) {
                    std::fprintf(stderr, "roof %s, %zu bytes: not what it should have left\n",
                                 roof.name, bytes);
                    std::exit(1);
                }
                return Accuracy{0, 1};
            },
            [=] { set_to_ones<float>(bytes / sizeof(float)), *calls = 0; });
    }
}

} // namespace bench
