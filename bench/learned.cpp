// SPDX-License-Identifier: MIT
// Times learned tables. Rows of a table of 2048 positions are added to a batch of sequences, beside
// a plain loop; the roof is changing memory in place. Gradients and a resampled table follow. What
// the other files count in pairs is counted in elements here.

#include "tables.hpp"

namespace bench
{

namespace
{

const std::size_t table_rows = 2048;

// Returns the positions of one sequence after another; each sequence starts at position 0.
std::vector<std::int64_t> sequences(const Shape &s)
{
    std::vector<std::int64_t> positions(s.rows);
    for (std::size_t r = 0; r < s.rows; r++)
        positions[r] = static_cast<std::int64_t>(r % table_rows);
    return positions;
}

// Defines pe_learned_add for one type, so that the function has the same name for every type.
#define BENCH_LEARNED(type, T, from, to)                                                           \
    void pe_learned_add(const T *table, const std::int64_t *positions, const Shape &s, T *x)       \
    {                                                                                              \
        must(pe_learned_add_##type(from, table_rows, s.d, pe_at_i64(positions), s.rows, to, s.d)); \
    }
BENCH_LEARNED(f32, float, table, x)
BENCH_LEARNED(f16, half, &table->bits, &x->bits)
BENCH_LEARNED(bf16, bfloat, &table->bits, &x->bits)
#undef BENCH_LEARNED

template <class T, class Add> void add_adding(const Shape &s, const std::string &function, Add add)
{
    const double n = static_cast<double>(s.rows * s.d);
    add_row({"learned_add", s.name(), type_name<T>, function, n, n * sizeof(T)},
            [=](std::size_t, std::size_t) { add(output<T>()); });
}

template <class T> void add_pe(const Shape &s)
{
    const Plan &p = plan_of(s.d);
    std::vector<T> table(table_rows * s.d); // any numbers; sums of these stay small
    pe_fill(p, 1, table_rows, table.data());
    const std::vector<std::int64_t> positions = sequences(s);
    add_adding<T>(s, std::string("pe_learned_add_") + type_name<T>,
                  [=](T *x) { pe_learned_add(table.data(), positions.data(), s, x); });
}

void add_plain_loop(const Shape &s)
{
    std::vector<float> table(table_rows * s.d);
    pe_fill(plan_of(s.d), 1, table_rows, table.data());
    const std::vector<std::int64_t> positions = sequences(s);
    add_adding<float>(s, "plain_loop", [=](float *x) {
        for (std::size_t r = 0; r < s.rows; r++) {
            const float *from = table.data() + static_cast<std::size_t>(positions[r]) * s.d;
            for (std::size_t c = 0; c < s.d; c++) x[r * s.d + c] += from[c];
        }
    });
}

void add_grad(const Shape &s)
{
    const std::vector<std::int64_t> positions = sequences(s);
    const auto table = std::make_shared<std::vector<float>>(table_rows * s.d);
    const double n = static_cast<double>(s.rows * s.d);
    add_row({"learned_grad", s.name(), "f32", "pe_learned_grad_f32", n, n * sizeof(float)},
            [=](std::size_t, std::size_t) {
                must(pe_learned_grad_f32(table->data(), table_rows, s.d,
                                         pe_at_i64(positions.data()), s.rows, output<float>(),
                                         s.d));
            });
}

// Adds the cases that resample a vision model's 24 x 24 table for 37 x 37 patches.
void add_resample()
{
    const std::size_t from = 24, to = 37, d = 1024;
    const std::vector<float> table(from * from * d, 0.7f);
    for (const bool cubic : {false, true}) {
        const pe_resample how = {cubic ? PE_RESAMPLE_CUBIC : PE_RESAMPLE_LINEAR, -0.75, 0, 0, 0, 0};
        const double n = static_cast<double>(to * to * d);
        add_row({cubic ? "resample_cubic" : "resample_linear", "24x24-37x37x1024", "f32",
                 "pe_learned_resample_f32", n, n * sizeof(float)},
                [=](std::size_t, std::size_t) {
                    must(pe_learned_resample_f32(table.data(), from, from, d, &how, output<float>(),
                                                 to, to));
                });
    }
}

} // namespace

static void rows()
{
    for (const Shape &s : {Shape{131072, 512}, Shape{512, 512}}) {
        add_pe<float>(s);
        add_pe<half>(s);
        add_pe<bfloat>(s);
        add_plain_loop(s);
    }
    add_grad({131072, 512});
    add_resample();
}

static const Source source(8, rows);

} // namespace bench
