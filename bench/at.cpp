// SPDX-License-Identifier: MIT
// Rows for lists of positions: pe_fill_at and pe_fill_real, with the plan made beforehand.

#include "tables.hpp"

#include <algorithm>
#include <iterator>
#include <random>

namespace bench
{

static std::uint64_t random_bits()
{
    static std::mt19937_64 generator(1);
    return generator();
}

// The peers take positions as doubles, which cast to float as the integers would.
static void add_peers(const char *verb, const Shape &s, const std::vector<double> &positions,
                      bool all)
{
    const Frequencies &w = frequencies_of(s.d);
    for (const Peer &peer : peers(s.bytes<float>())) {
        const std::string function = peer.function;
        bool main = function == "c_sinf_cosf" || function == BENCH_SLEEF_FLOAT;
#if defined(BENCH_SLEEF_DOUBLE)
        main = main || function == BENCH_SLEEF_DOUBLE;
#endif
        if (all || main)
            add_table<float>(
                verb, s, function,
                [s, positions, &w, fill = peer.fill_at](std::size_t, float *out) {
                    fill(w, positions.data(), s.rows, out);
                },
                positions);
    }
}

// Positions: next(r, the one before).
template <class Next> static void add_at(const Shape &s, Next next, bool all = false)
{
    std::vector<std::int64_t> positions;
    for (std::size_t r = 0; r < s.rows; r++)
        positions.push_back(next(r, r == 0 ? 0 : positions.back()));
    const std::vector<double> reals(positions.begin(), positions.end());
    const Plan &p = plan_of(s.d);
    add_table<float>(
        "fill_at", s, "pe_fill_at_f32",
        [s, positions, &p](std::size_t, float *out) {
            must(pe_fill_at_f32(&p.plan, positions.data(), s.rows, out, s.d));
        },
        reals);
    add_peers("fill_at", s, reals, all);
}

// Real positions in [0, below).
static void add_real(const Shape &s, double below)
{
    std::vector<double> positions;
    std::generate_n(std::back_inserter(positions), s.rows, [=] {
        return static_cast<double>(random_bits() >> 11) / 9007199254740992.0 * below; // 2^53
    });
    const Plan &p = plan_of(s.d);
    add_table<float>(
        "fill_real", s, "pe_fill_real_f32",
        [s, positions, &p](std::size_t, float *out) {
            must(pe_fill_real_f32(&p.plan, positions.data(), s.rows, out, s.d));
        },
        positions);
    add_peers("fill_real", s, positions, false);
}

void rows_at()
{
    const auto below_2_to = [](int bits) {
        return [=](std::size_t, std::int64_t) {
            return static_cast<std::int64_t>(random_bits() >> (64 - bits));
        };
    };
    add_at({512, 512, 0, "below-2p17"}, below_2_to(17));
    add_at({512, 512, 0, "below-2p20"}, below_2_to(20), true);
    add_at({512, 512, 0, "below-2p31"}, below_2_to(31));
    add_at({512, 512, 0, "0-1-2"},
           [](std::size_t r, std::int64_t) { return static_cast<std::int64_t>(r); });
    // Packed sequences: 32 positions in a row, then somewhere else.
    add_at({512, 512, 0, "runs-of-32"}, [&](std::size_t r, std::int64_t before) {
        return r % 32 == 0 ? below_2_to(17)(r, before) : before + 1;
    });
    // Sorted, with 0 to 7 left out after each.
    add_at({512, 512, 0, "gaps"}, [](std::size_t, std::int64_t before) {
        return before + 1 + static_cast<std::int64_t>(random_bits() >> 61);
    });
    add_real({512, 512, 0, "below-1000"}, 1000);
    add_real({512, 512, 0, "below-2p20"}, 1048576);
}

} // namespace bench
