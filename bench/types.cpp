// SPDX-License-Identifier: MIT
// Times tables of every type, with sines and cosines interleaved or in halves, beside SLEEF's,
// which are rounded to the type.

#include "tables.hpp"

namespace bench
{

template <class T> static void add_pe(const Shape &s)
{
    for (const Layout layout : {Layout::INTERLEAVED, Layout::HALVES}) {
        const Plan &p = plan_of(s.d, layout);
        const std::string function = std::string("pe_fill_") + type_name<T>;
        add_table<T>(
            "fill", s, function + (layout == Layout::HALVES ? "_halves" : ""),
            [s, &p](std::size_t, T *out) { pe_fill(p, s.first, s.rows, out); }, positions_of(s),
            layout);
    }
}

#if defined(BENCH_16_BIT)
template <class P, class T> static void add_sleef(const Shape &s, const char *function)
{
    const Frequencies &w = frequencies_of(s.d);
    add_table<T>(
        "fill", s, function,
        [s, &w](std::size_t, T *out) { peer_fill<P, Put::STORE>(w, s.first, s.rows, out); },
        positions_of(s));
}
#endif

static void rows()
{
    for (const Shape &s : {Shape{512, 512}, Shape{4096, 1024}, Shape{131072, 512}}) {
        if ((options.quick || std::string(BENCH_BUILD) == "scalar") && s.rows > 512) break;
        add_pe<float>(s);
        add_pe<half>(s);
        add_pe<bfloat>(s);
        add_pe<double>(s);
#if defined(BENCH_16_BIT)
        add_sleef<sleef_float, half>(s, BENCH_SLEEF_FLOAT);
        add_sleef<sleef_float, bfloat>(s, BENCH_SLEEF_FLOAT);
        add_sleef<sleef_double, double>(s, BENCH_SLEEF_DOUBLE);
        add_sleef<sleef_double_u10, double>(s, BENCH_SLEEF_DOUBLE_U10);
#endif
    }
}

static const Source source(3, rows);

} // namespace bench
