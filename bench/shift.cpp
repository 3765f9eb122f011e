// SPDX-License-Identifier: MIT
// Times rows shifted in place, beside the in-place roof. Also times dot products by distance,
// beside filling as many rows, and beside the sum of the cosines of SLEEF or of the C library.

#include "tables.hpp"

#include <cmath>
#include <cstring>

namespace bench
{

#define BENCH_SHIFT(type, T, to)                                                                   \
    static inline void pe_shift(const Plan &p, std::int64_t k, std::size_t rows, T *x)             \
    {                                                                                              \
        must(pe_shift_##type(&p.plan, pe_all(k), rows, to, p.config.d_model));                     \
    }
BENCH_SHIFT(f32, float, x)
BENCH_SHIFT(f64, double, x)
BENCH_SHIFT(f16, half, &x->bits)
BENCH_SHIFT(bf16, bfloat, &x->bits)
#undef BENCH_SHIFT

// Shifts the rows there and back, so that the numbers stay what they are and do not become
// subnormal.
template <class T> static void add_shift(const Shape &s, Layout layout)
{
    const Plan &p = plan_of(s.d, layout);
    const double bytes = static_cast<double>(s.bytes<T>());
    add_row(
        {"shift", s.name(), type_name<T>,
         layout == Layout::HALVES ? "pe_shift_halves" : "pe_shift_interleaved",
         static_cast<double>(s.pairs()), bytes, 1, 2 * bytes},
        [=, &p](std::size_t call, std::size_t) {
            pe_shift(p, call % 2 ? -37 : 37, s.rows, output<T>());
        },
        nullptr, [=, &p] { pe_fill(p, s.first, s.rows, output<T>()); });
}

// Adds a case with one number per distance. Pairs are those of a table with as many rows.
static void add_dots(const Shape &s)
{
    const Plan &p = plan_of(s.d);
    const auto add = [&](const char *function, auto dots) {
        add_row({"dots", s.name(), "f64", function, static_cast<double>(s.pairs()),
                 static_cast<double>(s.rows * sizeof(double))},
                [=](std::size_t, std::size_t) { dots(output<double>()); });
    };
    add("pe_dot_f64",
        [=, &p](double *out) { must(pe_dot_f64(&p.plan, pe_from(s.first), s.rows, out)); });
    add_table<float>("dots", s, "pe_fill_f32",
                     [=, &p](std::size_t, float *out) { pe_fill(p, s.first, s.rows, out); });
    const Shape few{s.rows / 100, s.d, s.first};
    add_row({"dot", few.name(), "f64", "pe_dot_f64", static_cast<double>(few.pairs()),
             static_cast<double>(few.rows * sizeof(double))},
            [=, &p](std::size_t, std::size_t) {
                for (std::size_t r = 0; r < few.rows; r++)
                    must(pe_dot_f64(&p.plan, pe_all(few.first + static_cast<std::int64_t>(r)), 1,
                                    output<double>() + r));
            });
    add_row({"dot", few.name(), "f64", "plain_C", static_cast<double>(few.pairs()),
             static_cast<double>(few.rows * sizeof(double))},
            [=](std::size_t, std::size_t) {
                for (std::size_t r = 0; r < few.rows; r++) {
                    double sum = 0;
                    for (std::size_t i = 0; i < few.d / 2; i++)
                        sum += std::cos(static_cast<double>(r) *
                                        std::pow(10000.0, -2.0 * static_cast<double>(i) /
                                                              static_cast<double>(few.d)));
                    output<double>()[r] = sum;
                }
            });
}

static void rows()
{
    for (const Shape &s : {Shape{512, 512}, Shape{131072, 512}})
        for (const Layout layout : {Layout::INTERLEAVED, Layout::HALVES}) {
            add_shift<float>(s, layout);
            add_shift<double>({s.rows / 2, s.d}, layout);
            add_shift<half>({s.rows * 2, s.d}, layout);
            add_shift<bfloat>({s.rows * 2, s.d}, layout);
        }
    add_dots({100000, 512});
}

static const Source source(9, rows);

} // namespace bench
