// SPDX-License-Identifier: MIT
// Provides plans, and adds rows that make or change a whole table.

#ifndef PE_BENCH_TABLES_HPP
#define PE_BENCH_TABLES_HPP

#include "bench.hpp"
#include "peers.hpp"

#include "pe.h"

#include <map>
#include <memory>
#include <numeric>

namespace bench
{

static inline void must(pe_status status)
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

    explicit Plan(const pe_config &wanted) : config(wanted), memory(pe_plan_size(&wanted)), plan()
    {
        init();
    }
    explicit Plan(std::size_t d, Layout layout = Layout::INTERLEAVED, double base = 10000)
        : Plan(config_of(d, layout, base))
    {
    }
    static pe_config config_of(std::size_t d, Layout layout, double base)
    {
        pe_config config = pe_config_default(d);
        config.layout = layout == Layout::HALVES ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
        config.base = base;
        return config;
    }
    void init() { must(pe_plan_init(&plan, &config, memory.data(), memory.size())); }
};

// Returns plans and frequencies, which are made when first asked for.
static inline const Plan &plan_of(std::size_t d, Layout layout = Layout::INTERLEAVED)
{
    static std::map<std::pair<std::size_t, Layout>, std::unique_ptr<Plan>> made;
    std::unique_ptr<Plan> &one = made[{d, layout}];
    if (!one) one = std::make_unique<Plan>(d, layout);
    return *one;
}

static inline const Frequencies &frequencies_of(std::size_t d)
{
    static std::map<std::size_t, Frequencies> made;
    return made.try_emplace(d, d).first->second;
}

// Defines functions with the same names for every type.
#define BENCH_VERBS(type, T, to)                                                                   \
    static inline void pe_fill(const Plan &p, const pe_at &at, std::size_t rows, T *out)           \
    {                                                                                              \
        must(pe_fill_##type(&p.plan, at, rows, to, p.config.d_model));                             \
    }                                                                                              \
    static inline void pe_fill(const Plan &p, std::int64_t first, std::size_t rows, T *out)        \
    {                                                                                              \
        pe_fill(p, pe_from(first), rows, out);                                                     \
    }                                                                                              \
    static inline void pe_add(const Plan &p, std::int64_t first, std::size_t rows, T *out)         \
    {                                                                                              \
        must(pe_add_##type(&p.plan, pe_from(first), rows, 1, to, p.config.d_model));               \
    }
BENCH_VERBS(f32, float, out)
BENCH_VERBS(f64, double, out)
BENCH_VERBS(f16, half, &out->bits)
BENCH_VERBS(bf16, bfloat, &out->bits)
#undef BENCH_VERBS

static inline std::vector<double> positions_of(const Shape &s)
{
    std::vector<double> positions(s.rows);
    std::iota(positions.begin(), positions.end(), static_cast<double>(s.first));
    return positions;
}

// Adds a row that makes the whole table with make(call, out); it is checked at the given positions.
template <class T, class Make>
static void add_table(const char *verb, const Shape &s, const std::string &function, Make make,
                      const std::vector<double> &positions = {},
                      Layout layout = Layout::INTERLEAVED)
{
    Check check;
    if (!positions.empty()) check = [=] { return accuracy<T>(positions, s.d, layout); };
    add_row(
        {verb, s.name(), type_name<T>, function, static_cast<double>(s.pairs()),
         static_cast<double>(s.bytes<T>())},
        [=](std::size_t call, std::size_t) { make(call, output<T>()); }, check);
}

} // namespace bench

#endif // PE_BENCH_TABLES_HPP
