// SPDX-License-Identifier: MIT
// Times tables of floats for consecutive positions: pe_fill, pe_sinusoidal and the plan, beside all
// peers.

#include "tables.hpp"

#include <thread>

namespace bench
{

static void add_fill_pe(const Shape &s, const std::vector<double> &positions)
{
    const Plan &p = plan_of(s.d);
    add_table<float>(
        "fill", s, "pe_fill_f32",
        [s, &p](std::size_t, float *out) { pe_fill(p, s.first, s.rows, out); }, positions);
}

static void add_fill_peer(const Peer &peer, const Shape &s, const std::vector<double> &positions)
{
    const Frequencies &w = frequencies_of(s.d);
    add_table<float>(
        "fill", s, peer.function,
        [s, &w, fill = peer.fill](std::size_t, float *out) { fill(w, s.first, s.rows, out); },
        positions);
}

// Adds the cases that make one row per call. The position changes, so that nothing about it can be
// learned from the last call.
static void add_one_row(std::size_t d)
{
    const auto position = [](std::size_t call) {
        return static_cast<std::int64_t>(1000 + 37 * (call % 4096));
    };
    const Shape s{1, d};
    const Plan &p = plan_of(d);
    const Frequencies &w = frequencies_of(d);
    add_table<float>("row", s, "pe_fill_f32",
                     [=, &p](std::size_t call, float *out) { pe_fill(p, position(call), 1, out); });
    for (const Peer &peer : peers(s.bytes<float>()))
        add_table<float>("row", s, peer.function,
                         [=, &w, fill = peer.fill](std::size_t call, float *out) {
                             fill(w, position(call), 1, out);
                         });
}

// Adds the case that makes the plan and the table in one call.
static void add_first_use(const Shape &s)
{
    const auto mine = std::make_shared<Plan>(s.d);
    add_table<float>(
        "first_use", s, "pe_plan_init+pe_fill_f32",
        [=](std::size_t, float *out) {
            mine->init();
            pe_fill(*mine, s.first, s.rows, out);
        },
        positions_of(s));
    add_table<float>(
        "first_use", s, "pe_sinusoidal_f32",
        [=](std::size_t, float *out) { must(pe_sinusoidal_f32(out, s.rows, s.d)); },
        positions_of(s));
}

// Adds a case in which each thread makes its share of the rows. All rows are exact if they have the
// bits of one thread.
static void add_threads(const Shape &s)
{
    const Plan &p = plan_of(s.d);
    for (const int threads : {1, 2}) {
        const std::size_t share = s.rows / static_cast<std::size_t>(threads);
        add_row(
            {"threads", s.name(), "f32", "pe_fill_f32", static_cast<double>(share * s.d / 2),
             static_cast<double>(share * s.d * sizeof(float)), threads},
            [=, &p](std::size_t, std::size_t thread) {
                const std::size_t from = thread * share;
                pe_fill(p, s.first + static_cast<std::int64_t>(from), share,
                        output<float>() + from * s.d);
            },
            [=] { return accuracy<float>(positions_of(s), s.d); });
    }
}

// Adds the rows that show the cost against the number of rows, with d = 512. Some peers and the
// roof are timed at the powers of 4 up to 16384, since rows() has 131072 already. Calls of pe are
// timed at many sizes, also between the powers of two.
static void add_sweep()
{
    const std::size_t d = 512;
    for (std::size_t rows = 1; rows <= 16384; rows *= 4) {
        for (const Peer &peer : peers(rows * d * sizeof(float)))
            if (peer.when >= Peer::SWEEP) add_fill_peer(peer, {rows, d}, {});
        if (rows * d >= 2048) add_roofs(rows * d * sizeof(float));
    }
    for (std::size_t rows = 1; rows <= 1000000; rows = rows < 8 ? rows + 1 : rows + rows / 4)
        add_fill_pe({rows, d}, {});
    add_fill_pe({1000000, d}, {});
}

static void rows()
{
    for (const Shape &s : {Shape{512, 512}, Shape{512, 512, 16000000}, Shape{4096, 1024},
                           Shape{131072, 512}, Shape{65536, 1024}, Shape{32768, 2048}}) {
        const std::vector<double> positions = positions_of(s);
        add_roofs(s.bytes<float>());
        add_fill_pe(s, positions);
        for (const Peer &peer : peers(s.bytes<float>())) add_fill_peer(peer, s, positions);
    }
    add_one_row(4096);
    add_one_row(512);
    add_first_use({512, 512});
    if (std::thread::hardware_concurrency() > 1) {
        add_threads({512, 512});
        add_threads({4096, 1024});
        add_threads({131072, 512});
    }
    // Beyond 64 rows the cost should be linear.
    for (const std::size_t rows : {1u, 8u, 64u, 65u, 128u, 1024u, 8192u, 32768u})
        add_fill_pe({rows, 512}, {});
    if (!options.quick && std::string(BENCH_BUILD) != "scalar") add_sweep();
}

static const Source source(1, rows);

} // namespace bench
