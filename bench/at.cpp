// SPDX-License-Identifier: MIT
// Times tables of floats for lists of positions, integers and real numbers, and for ranges with a
// step.

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
static void add_peers(const char *verb, const Shape &s, const std::vector<double> &positions)
{
    const Frequencies &w = frequencies_of(s.d);
    for (const Peer &peer : peers(s.bytes<float>()))
        add_table<float>(
            verb, s, peer.function,
            [s, positions, &w, fill = peer.fill_at](std::size_t, float *out) {
                fill(w, positions.data(), s.rows, out);
            },
            positions);
}

// Adds the cases for a list of positions. next(r, the position of row r - 1) gives that of row r.
template <class Next> static void add_at(const Shape &s, Next next)
{
    std::vector<std::int64_t> positions;
    for (std::size_t r = 0; r < s.rows; r++)
        positions.push_back(next(r, r == 0 ? 0 : positions.back()));
    const std::vector<double> reals(positions.begin(), positions.end());
    const Plan &p = plan_of(s.d);
    add_table<float>(
        "fill_at", s, "pe_fill_f32",
        [s, positions, &p](std::size_t, float *out) {
            pe_fill(p, pe_at_i64(positions.data()), s.rows, out);
        },
        reals);
    add_peers("fill_at", s, reals);
}

// Adds the cases for random real positions in the range [0, below).
static void add_real(const Shape &s, double below)
{
    std::vector<double> positions;
    std::generate_n(std::back_inserter(positions), s.rows, [=] {
        return static_cast<double>(random_bits() >> 11) / 9007199254740992.0 * below; // 2^53
    });
    const Plan &p = plan_of(s.d);
    add_table<float>(
        "fill_real", s, "pe_fill_f32",
        [s, positions, &p](std::size_t, float *out) {
            pe_fill(p, pe_at_f64(positions.data()), s.rows, out);
        },
        positions);
    add_peers("fill_real", s, positions);
}

// Adds the cases for a range with a step, without a list.
static void add_by(const Shape &s, std::int64_t first, std::int64_t step)
{
    std::vector<double> positions;
    for (std::size_t r = 0; r < s.rows; r++)
        positions.push_back(static_cast<double>(first + static_cast<std::int64_t>(r) * step));
    const Plan &p = plan_of(s.d);
    add_table<float>(
        "fill_at", s, "pe_fill_f32",
        [=, &p](std::size_t, float *out) { pe_fill(p, pe_from_by(first, step), s.rows, out); },
        positions);
    add_peers("fill_at", s, positions);
}

static void rows()
{
    const auto below_2_to = [](int bits) {
        return [=](std::size_t, std::int64_t) {
            return static_cast<std::int64_t>(random_bits() >> (64 - bits));
        };
    };
    add_at({512, 512, 0, "below-2p17"}, below_2_to(17));
    add_at({512, 512, 0, "below-2p20"}, below_2_to(20));
    add_at({512, 512, 0, "below-2p31"}, below_2_to(31));
    add_at({512, 512, 0, "0-1-2"},
           [](std::size_t r, std::int64_t) { return static_cast<std::int64_t>(r); });
    // Positions as in packed sequences: 32 consecutive ones, then 32 from another place.
    add_at({512, 512, 0, "runs-of-32"}, [&](std::size_t r, std::int64_t before) {
        return r % 32 == 0 ? below_2_to(17)(r, before) : before + 1;
    });
    // Sorted positions, with 0 to 7 left out after each.
    add_at({512, 512, 0, "gaps"}, [](std::size_t, std::int64_t before) {
        return before + 1 + static_cast<std::int64_t>(random_bits() >> 61);
    });
    add_by({512, 512, 0, "downwards"}, 100000, -1);
    add_by({512, 512, 0, "every-8th"}, 0, 8);
    add_real({512, 512, 0, "below-1000"}, 1000);
    add_real({512, 512, 0, "below-2p20"}, 1048576);
}

static const Source source(4, rows);

} // namespace bench
