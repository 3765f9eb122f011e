// SPDX-License-Identifier: MIT
// Times plans alone, and one row without a stored plan. Such a row is a diffusion step's embedding
// by a stateless operator, which makes its plan in each call. Its peer is the loop of ggml and
// others.

#include "tables.hpp"

#include <cmath>

namespace bench
{

template <class Init>
static void add_plan(const std::string &shape, const char *function, std::size_t pairs,
                     std::size_t bytes, Init init)
{
    const auto memory = std::make_shared<std::vector<unsigned char>>(bytes);
    add_row(
        {"plan", shape, "f32", function, static_cast<double>(pairs), static_cast<double>(bytes)},
        [=](std::size_t, std::size_t) {
            pe_plan plan;
            must(init(&plan, memory->data(), memory->size()));
        });
}

static void add_plan_of(std::size_t d)
{
    for (const std::size_t rows : {0u, 1u}) {
        pe_config config = pe_config_default(d);
        config.expected_rows = rows;
        add_plan(std::to_string(d), rows ? "pe_plan_init_one_row" : "pe_plan_init", d / 2,
                 pe_plan_size(&config), [=](pe_plan *plan, void *memory, std::size_t size) {
                     return pe_plan_init(plan, &config, memory, size);
                 });
    }
}

static void add_rope_plan()
{
    pe_rope_config llama = pe_rope_config_default(128);
    llama.rope_type = PE_ROPE_LLAMA3, llama.rope_theta = 500000, llama.factor = 8;
    llama.original_max_position_embeddings = 8192;
    add_plan("128-llama3", "pe_rope_plan_init", 64, pe_rope_plan_size(&llama),
             [=](pe_plan *plan, void *memory, std::size_t size) {
                 return pe_rope_plan_init(plan, &llama, memory, size);
             });
}

// Adds the case of one row at a real position, as wide as in most diffusion models.
static void add_step()
{
    const Shape s{1, 320};
    const auto step = [](std::size_t call) {
        return 999.0f * static_cast<float>(call % 1024) / 1024;
    };
    pe_config sized = pe_config_preset(PE_PRESET_LDM, s.d);
    sized.expected_rows = 1;
    const auto memory = std::make_shared<std::vector<unsigned char>>(pe_plan_size(&sized));
    add_table<float>("step", s, "pe_plan_init+pe_fill_f32", [=](std::size_t call, float *out) {
        pe_config config = pe_config_preset(PE_PRESET_LDM, s.d);
        config.expected_rows = 1;
        const float position = step(call);
        pe_plan plan;
        must(pe_plan_init(&plan, &config, memory->data(), memory->size()));
        must(pe_fill_f32(&plan, pe_at_f32(&position), 1, out, s.d));
    });
    add_table<float>("step", s, "plain_loop", [=](std::size_t call, float *out) {
        const std::size_t half = s.d / 2;
        for (std::size_t i = 0; i < half; i++) {
            const float frequency =
                expf(-logf(10000) * static_cast<float>(i) / static_cast<float>(half));
            const float angle = step(call) * frequency;
            out[i] = cosf(angle), out[i + half] = sinf(angle);
        }
    });
}

static void rows()
{
    for (const std::size_t d : {128u, 512u, 4096u}) add_plan_of(d);
    add_rope_plan();
    add_step();
}

static const Source source(2, rows);

} // namespace bench
