// SPDX-License-Identifier: MIT
// Tables: pe_fill, pe_fill_at, pe_sinusoidal and the plan, beside every peer.

#include "bench.hpp"
#include "peers.hpp"

#include "pe.h"

#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <thread>

namespace bench
{

static void must(pe_status status)
{
    if (status != PE_OK) {
        std::fprintf(stderr, "pe: %s\n", pe_status_string(status));
        std::exit(1);
    }
}

struct Plan {
    pe_config config;
    std::vector<unsigned char> memory;
    pe_plan plan;

    explicit Plan(std::size_t d)
        : config(pe_config_default(d)), memory(pe_plan_size(&config)), plan()
    {
        init();
    }
    void init() { must(pe_plan_init(&plan, &config, memory.data(), memory.size())); }
};

// The plan, or the frequencies, of width d, made when first asked for.
template <class T> static T &of_width(std::size_t d)
{
    static std::map<std::size_t, std::unique_ptr<T>> made;
    std::unique_ptr<T> &one = made[d];
    if (!one)
        one = std::make_unique<T>(d);
    return *one;
}

static std::vector<std::int64_t> positions_of(const Shape &s)
{
    std::vector<std::int64_t> positions(s.rows);
    std::iota(positions.begin(), positions.end(), s.first);
    return positions;
}

// Adds a row that makes the whole table with make(call, out); it is checked at the given positions.
template <class T, class Make>
static void add_table(const char *verb, const Shape &s, const char *function, Make make,
                      const std::vector<std::int64_t> &positions = {})
{
    Check check;
    if (!positions.empty())
        check = [=] { return accuracy<T>(positions, s.d); };
    add_row(
        {verb, s.name(), sizeof(T) == 4 ? "f32" : "f64", function, static_cast<double>(s.pairs()),
         static_cast<double>(s.bytes<T>())},
        [=](std::size_t call, std::size_t) { make(call, output<T>()); }, check);
}

static void add_fill_pe(const Shape &s, const std::vector<std::int64_t> &positions)
{
    const Plan &p = of_width<Plan>(s.d);
    add_table<float>(
        "fill", s, "pe_fill_f32",
        [s, &p](std::size_t, float *out) { must(pe_fill_f32(&p.plan, s.first, s.rows, out, s.d)); },
        positions);
}

static void add_fill_peer(const Peer &peer, const Shape &s,
                          const std::vector<std::int64_t> &positions)
{
    const Frequencies &w = of_width<Frequencies>(s.d);
    add_table<float>(
        "fill", s, peer.function,
        [s, &w, fill = peer.fill](std::size_t, float *out) { fill(w, s.first, s.rows, out); },
        positions);
}

// One row per call, at a position that moves: nothing about it can be learned from the last call.
static void add_one_row(std::size_t d)
{
    const auto position = [](std::size_t call) {
        return static_cast<std::int64_t>(1000 + 37 * (call % 4096));
    };
    const Shape s{1, d};
    const Plan &p = of_width<Plan>(d);
    const Frequencies &w = of_width<Frequencies>(d);
    add_table<float>("row", s, "pe_fill_f32", [=, &p](std::size_t call, float *out) {
        must(pe_fill_f32(&p.plan, position(call), 1, out, d));
    });
    for (const Peer &peer : peers(s.bytes<float>()))
        add_table<float>("row", s, peer.function,
                         [=, &w, fill = peer.fill](std::size_t call, float *out) {
                             fill(w, position(call), 1, out);
                         });
}

// Rows anywhere: positions below 2^20 in no order.
static void add_fill_at(const Shape &s)
{
    std::vector<std::int64_t> positions(s.rows);
    std::mt19937_64 random(1);
    for (std::int64_t &p : positions)
        p = static_cast<std::int64_t>(random() >> 44);
    const Plan &p = of_width<Plan>(s.d);
    const Frequencies &w = of_width<Frequencies>(s.d);
    add_table<float>(
        "fill_at", s, "pe_fill_at_f32",
        [=, &p](std::size_t, float *out) {
            must(pe_fill_at_f32(&p.plan, positions.data(), s.rows, out, s.d));
        },
        positions);
    for (const Peer &peer : peers(s.bytes<float>()))
        add_table<float>(
            "fill_at", s, peer.function,
            [=, &w, fill = peer.fill](std::size_t, float *out) {
                for (std::size_t r = 0; r < s.rows; r++)
                    fill(w, positions[r], 1, out + r * s.d);
            },
            positions);
}

static void add_plan(std::size_t d)
{
    const auto mine = std::make_shared<Plan>(d);
    add_row({"plan", std::to_string(d), "f32", "pe_plan_init", static_cast<double>(d / 2),
             static_cast<double>(mine->memory.size())},
            [=](std::size_t, std::size_t) { mine->init(); });
}

// Everything from nothing: the plan and the table in one call's time.
static void add_first_use(const Shape &s)
{
    const auto mine = std::make_shared<Plan>(s.d);
    add_table<float>(
        "first_use", s, "pe_plan_init+pe_fill_f32",
        [=](std::size_t, float *out) {
            mine->init();
            must(pe_fill_f32(&mine->plan, s.first, s.rows, out, s.d));
        },
        positions_of(s));
    add_table<float>(
        "first_use", s, "pe_sinusoidal_f32",
        [=](std::size_t, float *out) { must(pe_sinusoidal_f32(out, s.rows, s.d)); },
        positions_of(s));
}

static void add_f64(const Shape &s)
{
    const Plan &p = of_width<Plan>(s.d);
    add_table<double>(
        "fill", s, "pe_fill_f64",
        [s, &p](std::size_t, double *out) {
            must(pe_fill_f64(&p.plan, s.first, s.rows, out, s.d));
        },
        positions_of(s));
}

// Each thread makes its share of the rows. All rows exact means: the bits of one thread.
static void add_threads(const Shape &s)
{
    const Plan &p = of_width<Plan>(s.d);
    for (const int threads : {1, 2}) {
        const std::size_t share = s.rows / static_cast<std::size_t>(threads);
        add_row(
            {"threads", s.name(), "f32", "pe_fill_f32", static_cast<double>(share * s.d / 2),
             static_cast<double>(share * s.d * sizeof(float)), threads},
            [=, &p](std::size_t, std::size_t thread) {
                const std::size_t from = thread * share;
                must(pe_fill_f32(&p.plan, s.first + static_cast<std::int64_t>(from), share,
                                 output<float>() + from * s.d, s.d));
            },
            [=] { return accuracy<float>(positions_of(s), s.d); });
    }
}

// Cost against rows, d = 512: the peers at every fourth size (131072 is there already), pe at many
// sizes, also off the powers of two.
static void add_sweep()
{
    const std::size_t d = 512;
    for (std::size_t rows = 1; rows <= 16384; rows *= 4) {
        for (const Peer &peer : peers(rows * d * sizeof(float)))
            add_fill_peer(peer, {rows, d}, {});
        if (rows * d >= 2048)
            add_roofs(rows * d * sizeof(float));
    }
    for (std::size_t rows = 1; rows <= 1000000; rows = rows < 8 ? rows + 1 : rows + rows / 4)
        add_fill_pe({rows, d}, {});
    add_fill_pe({1000000, d}, {});
}

void rows_fill()
{
    for (const Shape &s :
         {Shape{512, 512}, Shape{4096, 1024}, Shape{131072, 512}, Shape{512, 512, 16000000}}) {
        const std::vector<std::int64_t> positions = positions_of(s);
        add_roofs(s.bytes<float>());
        add_fill_pe(s, positions);
        for (const Peer &peer : peers(s.bytes<float>()))
            add_fill_peer(peer, s, positions);
    }
    add_one_row(4096);
    add_fill_at({512, 512});
    add_plan(512);
    add_first_use({512, 512});
    add_f64({512, 512});
    if (std::thread::hardware_concurrency() > 1) {
        add_threads({512, 512});
        add_threads({4096, 1024});
        add_threads({131072, 512});
    }
    // Beyond 64 rows the cost should be linear.
    for (const std::size_t rows : {1u, 8u, 64u, 65u, 128u, 1024u, 8192u, 32768u})
        add_fill_pe({rows, 512}, {});
    if (!options.quick && std::string(BENCH_BUILD) != "scalar")
        add_sweep();
}

} // namespace bench
