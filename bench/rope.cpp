// SPDX-License-Identifier: MIT
// RoPE: heads turned in place, beside plain C, C with a table, and the roof x *= c.

#include "bench.hpp"

#include "pe.h"

#include <cmath>
#include <memory>

namespace bench
{

static const std::size_t heads = 32, dim = 128, pairs = dim / 2;
static const float base = 500000;

struct RopePlan {
    pe_config config;
    std::vector<unsigned char> memory;
    pe_plan plan;

    RopePlan() : config(pe_config_default(dim)), memory(), plan()
    {
        config.base = static_cast<double>(base);
        memory.resize(pe_plan_size(&config));
        if (pe_plan_init(&plan, &config, memory.data(), memory.size()) != PE_OK)
            std::exit(1);
    }
};

// One head, the compiler's own vectors.
static void turn(const float *c, const float *s, float *x)
{
    for (std::size_t i = 0; i < pairs; i++) {
        const float a = x[i], b = x[i + pairs];
        x[i] = a * c[i] - b * s[i];
        x[i + pairs] = b * c[i] + a * s[i];
    }
}

// As engines do it: float angles, sines of a token for all its heads.
static void plain_c(std::size_t first, std::size_t tokens, float *x)
{
    for (std::size_t t = 0; t < tokens; t++) {
        float c[pairs], s[pairs];
        for (std::size_t i = 0; i < pairs; i++) {
            const float power = -2.0f * static_cast<float>(i) / static_cast<float>(dim);
            const float angle = static_cast<float>(first + t) * powf(base, power);
            c[i] = cosf(angle), s[i] = sinf(angle);
        }
        for (std::size_t k = 0; k < heads; k++, x += dim)
            turn(c, s, x);
    }
}

// The same with a table of [tokens][cosines, sines] that was made before.
static void table_c(const float *table, std::size_t tokens, float *x)
{
    for (std::size_t t = 0; t < tokens; t++, table += dim)
        for (std::size_t k = 0; k < heads; k++, x += dim)
            turn(table, table + pairs, x);
}

void rows_rope()
{
    static const RopePlan rope;
    const pe_plan *const plan = &rope.plan;
    const std::size_t stride = heads * dim, first = 1000;
    const auto at = static_cast<std::int64_t>(first);
    for (const std::size_t tokens : {1u, 2048u, 16384u}) {
        const std::size_t n = tokens * stride;
        const auto add = [&](const char *function, const char *type, std::size_t size, Body body) {
            const std::string shape = std::to_string(tokens) + "x32x128", kind = type;
            add_row({"rope", shape, type, function, static_cast<double>(n) / 2,
                     static_cast<double>(n * size)},
                    std::move(body), nullptr, [=] {
                        kind == "f16"    ? set_to_ones<half>(n)
                        : kind == "bf16" ? set_to_ones<bfloat>(n)
                                         : set_to_ones<float>(n);
                    });
        };
        add_roofs(n * sizeof(float));
        add_roofs(n * sizeof(std::uint16_t));
        for (const pe_rope_pairing pairing : {PE_ROPE_HALVES, PE_ROPE_ADJACENT}) {
            const bool halves = pairing == PE_ROPE_HALVES;
            add(halves ? "pe_rope_halves" : "pe_rope_adjacent", "f32", 4,
                [=](std::size_t, std::size_t) {
                    pe_rope_f32(plan, pairing, at, tokens, heads, output<float>(), stride, dim);
                });
            add(halves ? "pe_rope_halves" : "pe_rope_adjacent", "f16", 2,
                [=](std::size_t, std::size_t) {
                    pe_rope_f16(plan, pairing, at, tokens, heads, output<std::uint16_t>(), stride,
                                dim);
                });
            add(halves ? "pe_rope_halves" : "pe_rope_adjacent", "bf16", 2,
                [=](std::size_t, std::size_t) {
                    pe_rope_bf16(plan, pairing, at, tokens, heads, output<std::uint16_t>(), stride,
                                 dim);
                });
        }
        add("plain_c", "f32", 4,
            [=](std::size_t, std::size_t) { plain_c(first, tokens, output<float>()); });
        const auto table = std::make_shared<std::vector<float>>(tokens * dim);
        if (pe_rope_table_joined_f32(plan, at, tokens, table->data(), dim) != PE_OK)
            std::exit(1);
        add("table_c", "f32", 4,
            [=](std::size_t, std::size_t) { table_c(table->data(), tokens, output<float>()); });
    }
}

} // namespace bench
