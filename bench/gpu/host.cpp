// SPDX-License-Identifier: MIT
//
// What gpu-bench compares with: pe.h on all cores of the host.
#include "gpu.hpp"
#include "pe.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

namespace gpu
{

static void need(pe_status status, const std::string &what)
{
    if (status == PE_OK) return;
    std::fprintf(stderr, "gpu-bench: %s: %s\n", what.c_str(), pe_status_string(status));
    std::exit(1);
}

struct Plans {
    pe_plan plan;
    std::vector<unsigned char> memory;
};

static std::shared_ptr<const Plans> plan_of(const std::string &name, const pe_config &config,
                                            const std::vector<double> *omega)
{
    auto p = std::make_shared<Plans>();
    p->memory.resize(pe_plan_size(&config));
    void *const memory = p->memory.data();
    need(omega != nullptr ? pe_plan_init_frequencies(&p->plan, &config, omega->data(),
                                                     omega->size(), memory, p->memory.size())
                          : pe_plan_init(&p->plan, &config, memory, p->memory.size()),
         name);
    return p;
}

static pe_config config_of(unsigned pairs, float amplitude)
{
    pe_config config = pe_config_default(2 * static_cast<std::size_t>(pairs));
    config.layout = PE_LAYOUT_HALVES;
    config.cos_first = 1;
    config.amplitude = static_cast<double>(amplitude);
    return config;
}

Reference::Reference(const std::string &name_, double base, unsigned pairs_, float amplitude_)
    : name(name_), pairs(pairs_), amplitude(amplitude_), omega(pairs_), increments(4 * pairs_)
{
    pe_config config = config_of(pairs, amplitude);
    config.base = base;
    plans = plan_of(name, config, nullptr);
    need(pe_plan_frequencies(&plans->plan, omega.data()), name);
    need(pe_fixed_increments(&plans->plan, increments.data()), name);
}

Reference::Reference(const std::string &name_, const std::vector<double> &omega_, float amplitude_)
    : name(name_), pairs(static_cast<unsigned>(omega_.size())), amplitude(amplitude_),
      omega(omega_), increments(4 * omega_.size())
{
    plans = plan_of(name, config_of(pairs, amplitude), &omega);
    need(pe_fixed_increments_of(omega.data(), pairs, increments.data()), name);
}

// f(begin, end) on all cores, in blocks of rows.
template <class F> static void in_parallel(unsigned rows, unsigned block, F f)
{
    std::atomic<unsigned> next(0);
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < std::max(1u, std::thread::hardware_concurrency()); t++)
        threads.emplace_back([&] {
            for (unsigned begin; (begin = next.fetch_add(block)) < rows;)
                f(begin, std::min(rows, begin + block));
        });
    for (std::thread &t : threads) t.join();
}

void Reference::fill(Type type, const Rows &rows, unsigned begin, unsigned end, void *out) const
{
    std::vector<std::int32_t> positions;
    for (unsigned row = begin; row < end; row++) positions.push_back(position_of(rows, row));
    const pe_at at = rows.scattered ? pe_at_i32(positions.data()) : pe_from(positions[0]);
    const std::size_t stride = 2 * static_cast<std::size_t>(pairs);
    const pe_plan *const plan = &plans->plan;
    need(type == F32 ? pe_fill_f32(plan, at, end - begin, static_cast<float *>(out), stride)
         : type == F16
             ? pe_fill_f16(plan, at, end - begin, static_cast<std::uint16_t *>(out), stride)
             : pe_fill_bf16(plan, at, end - begin, static_cast<std::uint16_t *>(out), stride),
         name);
}

std::size_t Reference::wrong(Type type, const Rows &rows, const void *got,
                             std::string &example) const
{
    const std::size_t size = type == F32 ? 4 : 2, bytes = size * 2 * pairs;
    std::atomic<std::size_t> wrong(0);
    std::mutex mutex;
    in_parallel(rows.rows, 256, [&](unsigned begin, unsigned end) {
        std::vector<unsigned char> want(bytes * (end - begin));
        const unsigned char *const from = static_cast<const unsigned char *>(got) + bytes * begin;
        fill(type, rows, begin, end, want.data());
        if (std::memcmp(from, want.data(), want.size()) == 0) return;
        for (std::size_t i = 0; i < want.size(); i += size) {
            if (std::memcmp(from + i, &want[i], size) == 0) continue;
            wrong++;
            const std::lock_guard<std::mutex> lock(mutex);
            if (!example.empty()) continue;
            std::uint32_t a = 0, b = 0;
            std::memcpy(&a, from + i, size);
            std::memcpy(&b, &want[i], size);
            char text[200];
            const std::size_t column = i % bytes / size;
            std::snprintf(
                text, sizeof text, "position %d pair %zu %s: got %08x want %08x",
                static_cast<int>(position_of(rows, begin + static_cast<unsigned>(i / bytes))),
                column % pairs, column < pairs ? "cosine" : "sine", a, b);
            example = text;
        }
    });
    return wrong;
}

void Reference::table(const Rows &rows, float *out) const
{
    in_parallel(rows.rows, 256, [&](unsigned begin, unsigned end) {
        fill(F32, rows, begin, end, out + static_cast<std::size_t>(begin) * 2 * pairs);
    });
}

void Reference::rope(const int *positions, unsigned tokens, unsigned heads, std::uint16_t *x) const
{
    const std::size_t width = 2 * static_cast<std::size_t>(pairs);
    in_parallel(tokens, 16, [&](unsigned begin, unsigned end) {
        need(pe_rope_bf16(&plans->plan, pe_at_i32(positions + begin), end - begin,
                          x + begin * heads * width, pe_heads{heads, width, heads * width}),
             name);
    });
}

static Reference of_model(const std::string &name, const pe_rope_config &config, float amplitude)
{
    std::vector<double> omega(config.head_dim / 2);
    need(pe_rope_frequencies(&config, omega.data(), nullptr), name);
    return Reference(name, omega, amplitude);
}

std::vector<Reference> references()
{
    std::vector<Reference> all;
    for (double base : {1e4, 5e5, 1e6, 1e7, 1e8}) {
        char name[40];
        std::snprintf(name, sizeof name, "base %g, d 128", base);
        all.emplace_back(name, base, 64u);
    }
    all.emplace_back("the paper's, d 512", 1e4, 256u);
    pe_rope_config llama = pe_rope_config_default(128);
    llama.rope_theta = 500000;
    llama.rope_type = PE_ROPE_LLAMA3;
    llama.factor = 8;
    llama.original_max_position_embeddings = 8192;
    all.push_back(of_model("Llama 3.1", llama, 1));
    pe_rope_config yarn = pe_rope_config_default(128);
    yarn.rope_theta = 1000000;
    yarn.rope_type = PE_ROPE_YARN;
    yarn.factor = 4;
    yarn.original_max_position_embeddings = 32768;
    double attention = 1;
    std::vector<double> omega(64);
    need(pe_rope_frequencies(&yarn, omega.data(), &attention), "YaRN");
    all.push_back(of_model("YaRN, 4 x 32,768, its factor", yarn, static_cast<float>(attention)));
    // Given frequencies of both signs, from 2^-24 to 2^20; one is 0.
    std::vector<double> given;
    for (int i = 0; i < 128; i++) {
        const double w = std::ldexp(1 + 0.7548776662 * i / 128, i % 45 - 24);
        given.push_back(i == 64 ? 0 : i % 2 ? -w : w);
    }
    all.emplace_back("given frequencies", given);
    all.emplace_back("given frequencies, amplitude -0.75", given, -0.75f);
    all.emplace_back("base 10000, amplitude 1.2079", 1e4, 64u, 1.2079441f);
    return all;
}

} // namespace gpu
