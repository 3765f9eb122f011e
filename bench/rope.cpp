// SPDX-License-Identifier: MIT
// Times RoPE: heads are rotated in place and out of place, by a plan and by a given table, beside
// plain C and C with a table. The tables themselves are also timed, in each layout.

#include "tables.hpp"

#include <cmath>

namespace bench
{

namespace
{

const std::size_t heads = 32, dim = 128, pairs = dim / 2, first = 1000;
const float base = 500000;

const Plan &rope_plan(Layout layout)
{
    static const Plan halves(dim, Layout::HALVES, static_cast<double>(base));
    static const Plan interleaved(dim, Layout::INTERLEAVED, static_cast<double>(base));
    return layout == Layout::HALVES ? halves : interleaved;
}

std::string named(const char *verb, Layout layout)
{
    return std::string(verb) + (layout == Layout::HALVES ? "_halves" : "_interleaved");
}

pe_heads packed(std::size_t count) { return {count, dim, count * dim}; }

const pe_at place = pe_from(static_cast<std::int64_t>(first));

// Defines functions with the same names for every type.
#define BENCH_ROPE(type, T, x_bits, in_bits, out_bits)                                             \
    void pe_rope(const Plan &p, std::size_t tokens, T *x)                                          \
    {                                                                                              \
        must(pe_rope_##type(&p.plan, place, tokens, x_bits, packed(heads)));                       \
    }                                                                                              \
    void pe_rope_to(const Plan &p, std::size_t tokens, const T *in, T *out)                        \
    {                                                                                              \
        must(pe_rope_to_##type(&p.plan, place, tokens, dim, in_bits, packed(heads), out_bits,      \
                               packed(heads)));                                                    \
    }
BENCH_ROPE(f32, float, x, in, out)
BENCH_ROPE(f16, half, &x->bits, &in->bits, &out->bits)
BENCH_ROPE(bf16, bfloat, &x->bits, &in->bits, &out->bits)
#undef BENCH_ROPE

std::string shape_of(std::size_t tokens, std::size_t count)
{
    return std::to_string(tokens) + "x" + std::to_string(count) + "x128";
}

// Adds a row that rotates x = output<T>(), which is set to ones before each repetition.
template <class T, class Turn>
void add_turning(const char *verb, std::size_t tokens, std::size_t count,
                 const std::string &function, Turn turn)
{
    const std::size_t n = tokens * count * dim;
    add_row(
        {verb, shape_of(tokens, count), type_name<T>, function, static_cast<double>(n) / 2,
         static_cast<double>(n * sizeof(T))},
        [=](std::size_t, std::size_t) { turn(output<T>()); }, nullptr, [=] { set_to_ones<T>(n); });
}

template <class T> void add_pe(std::size_t tokens)
{
    for (const Layout layout : {Layout::HALVES, Layout::INTERLEAVED}) {
        const Plan &p = rope_plan(layout);
        add_turning<T>("rope", tokens, heads, named("pe_rope", layout),
                       [=, &p](T *x) { pe_rope(p, tokens, x); });
        add_turning<T>("rope_to", tokens, heads, named("pe_rope_to", layout),
                       [=, &p](T *x) { pe_rope_to(p, tokens, input<T>(), x); });
    }
}

// Adds the case that writes float keys to a cache of bfloat16. Bytes are those of the cache.
void add_cache(std::size_t tokens)
{
    const Plan &p = rope_plan(Layout::HALVES);
    add_turning<bfloat>("rope_to_cache", tokens, heads, "pe_rope_to_f32_bf16", [=, &p](bfloat *x) {
        must(pe_rope_to_f32_bf16(&p.plan, place, tokens, dim, input<float>(), packed(heads),
                                 &x->bits, packed(heads)));
    });
}

// Rotates one head with the compiler's own vectors.
void turn(const float *__restrict c, const float *__restrict s, float *__restrict x)
{
    for (std::size_t i = 0; i < pairs; i++) {
        const float a = x[i], b = x[i + pairs];
        x[i] = a * c[i] - b * s[i];
        x[i + pairs] = b * c[i] + a * s[i];
    }
}

// Rotates as engines do: with float angles, and the sines of a token for all its heads.
void plain_c(std::size_t tokens, float *x)
{
    for (std::size_t t = 0; t < tokens; t++) {
        float c[pairs], s[pairs];
        for (std::size_t i = 0; i < pairs; i++) {
            const float power = -2.0f * static_cast<float>(i) / static_cast<float>(dim);
            const float angle = static_cast<float>(first + t) * powf(base, power);
            c[i] = cosf(angle), s[i] = sinf(angle);
        }
        for (std::size_t k = 0; k < heads; k++, x += dim) turn(c, s, x);
    }
}

// Rotates with a table of [tokens][cosines, sines] that was made before.
void table_c(const float *table, std::size_t tokens, std::size_t count, float *x)
{
    for (std::size_t t = 0; t < tokens; t++, table += dim)
        for (std::size_t k = 0; k < count; k++, x += dim) turn(table, table + pairs, x);
}

using Table = std::shared_ptr<std::vector<float>>;

Table table_of(std::size_t tokens)
{
    const auto table = std::make_shared<std::vector<float>>(tokens * dim);
    must(pe_rope_table_f32(&rope_plan(Layout::HALVES).plan, place, tokens, PE_ROPE_TABLE_JOINED,
                           table->data(), nullptr, dim, nullptr));
    return table;
}

void add_plain(std::size_t tokens)
{
    const Table table = table_of(tokens);
    add_turning<float>("rope", tokens, heads, "plain_c", [=](float *x) { plain_c(tokens, x); });
    add_turning<float>("rope", tokens, heads, "table_c",
                       [=](float *x) { table_c(table->data(), tokens, heads, x); });
}

void add_by_table(std::size_t tokens, std::size_t count)
{
    const Table table = table_of(tokens);
    for (const pe_layout layout : {PE_LAYOUT_HALVES, PE_LAYOUT_INTERLEAVED}) {
        const bool halves = layout == PE_LAYOUT_HALVES;
        add_turning<float>(
            "rope_by_table", tokens, count,
            named("pe_rope_by_table", halves ? Layout::HALVES : Layout::INTERLEAVED),
            [=](float *x) {
                const pe_rope_table by = {table->data(), nullptr, PE_TYPE_F32, PE_ROPE_TABLE_JOINED,
                                          dim,           tokens,  pairs};
                must(pe_rope_by_table_f32(&by, layout, pe_from(0), tokens, x, packed(count)));
            });
    }
    add_turning<float>("rope_by_table", tokens, count, "table_c",
                       [=](float *x) { table_c(table->data(), tokens, count, x); });
}

// Adds the rows of tables, and beside each the fill of as many bytes: rows of 128 numbers, and
// twice as many rows if the table has each number twice.
void add_tables(std::size_t rows)
{
    struct Kind {
        const char *function;
        pe_rope_table_layout layout;
        Layout plan;
    };
    for (const Kind &kind :
         {Kind{"pe_rope_table_apart", PE_ROPE_TABLE_APART, Layout::HALVES},
          Kind{"pe_rope_table_joined", PE_ROPE_TABLE_JOINED, Layout::HALVES},
          Kind{"pe_rope_table_complex", PE_ROPE_TABLE_COMPLEX, Layout::HALVES},
          Kind{"pe_rope_table_twice_halves", PE_ROPE_TABLE_TWICE, Layout::HALVES},
          Kind{"pe_rope_table_twice_interleaved", PE_ROPE_TABLE_TWICE, Layout::INTERLEAVED}}) {
        const bool twice = kind.layout == PE_ROPE_TABLE_TWICE;
        const bool apart = twice || kind.layout == PE_ROPE_TABLE_APART;
        const Plan &p = rope_plan(kind.plan);
        const std::size_t stride = kind.layout == PE_ROPE_TABLE_APART ? pairs : dim;
        const Shape s{rows, twice ? 2 * dim : dim};
        add_table<float>("rope_table", s, kind.function, [=, &p](std::size_t, float *out) {
            must(pe_rope_table_f32(&p.plan, pe_from(0), rows, kind.layout, out,
                                   apart ? out + rows * stride : nullptr, stride, nullptr));
        });
        const Plan &filled = rope_plan(Layout::HALVES);
        add_table<float>("rope_table", s, "pe_fill_f32", [=, &filled](std::size_t, float *out) {
            pe_fill(filled, std::int64_t(0), twice ? 2 * rows : rows, out);
        });
    }
}

// Adds rows for the two coordinates of an image. The plans have joined columns, blocks of halves,
// or a list that gives the pairs one coordinate and the other in turn.
void add_axes(std::size_t tokens)
{
    const auto image = std::make_shared<std::vector<std::int64_t>>(2 * tokens);
    std::uint8_t list[pairs];
    for (std::size_t r = 0; r < tokens; r++) {
        (*image)[r] = static_cast<std::int64_t>(r / 64);
        (*image)[tokens + r] = static_cast<std::int64_t>(r % 64);
    }
    for (std::size_t i = 0; i < pairs; i++) list[i] = static_cast<std::uint8_t>(i % 2);
    for (const char *const function : {"pe_rope_joined", "pe_rope_blocks", "pe_rope_list"}) {
        const std::string name = function;
        pe_config config = Plan::config_of(dim, Layout::HALVES, static_cast<double>(base));
        config.axes = 2, config.axis[1].coordinate = 1;
        config.columns = name == "pe_rope_joined" ? PE_COLUMNS_JOINED : PE_COLUMNS_BLOCKS;
        if (name == "pe_rope_list") config.coordinate = list;
        const auto p = std::make_shared<const Plan>(config);
        const auto at = [=] { return pe_coords_i64(image->data(), 2, 1, tokens); };
        add_turning<float>("rope_axes", tokens, heads, name, [=](float *x) {
            must(pe_rope_f32(&p->plan, at(), tokens, x, packed(heads)));
        });
        add_table<float>("rope_table_axes", Shape{tokens, dim}, name, [=](std::size_t, float *out) {
            must(pe_rope_table_f32(&p->plan, at(), tokens, PE_ROPE_TABLE_JOINED, out, nullptr, dim,
                                   nullptr));
        });
    }
}

} // namespace

static void rows()
{
    for (const std::size_t tokens : {1u, 2048u, 16384u}) {
        add_pe<float>(tokens);
        add_pe<half>(tokens);
        add_pe<bfloat>(tokens);
        add_plain(tokens);
        add_cache(tokens);
    }
    add_by_table(1, 1);
    add_by_table(1, heads);
    add_by_table(2048, heads);
    add_tables(2048);
    add_axes(2048);
}

static const Source source(6, rows);

} // namespace bench
