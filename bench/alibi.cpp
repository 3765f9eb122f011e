// SPDX-License-Identifier: MIT
// Times ALiBi beside plain loops. Matrices of biases are compared with the store roof, and scores
// in place with the roof of changing memory in place. A shape is heads x queries x keys, and what
// other files count in pairs is counted in elements.

#include "tables.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace bench
{

namespace
{

struct Matrix {
    std::size_t heads, queries, keys;

    std::size_t elements() const { return heads * queries * keys; }
    // The last query sees all keys.
    std::int64_t first() const
    {
        return static_cast<std::int64_t>(keys) - static_cast<std::int64_t>(queries);
    }
    std::string name() const
    {
        return std::to_string(heads) + "x" + std::to_string(queries) + "x" + std::to_string(keys);
    }
};

std::vector<float> slopes_of(const Matrix &m)
{
    std::vector<float> slopes(m.heads);
    must(pe_alibi_slopes_f32(m.heads, 8.0f, slopes.data()));
    return slopes;
}

// Repeats the loop that everybody writes, in the type of the output.
template <bool add, bool causal> void plain_loop(const Matrix &m, const float *slopes, float *out)
{
    for (std::size_t h = 0; h < m.heads; h++)
        for (std::size_t q = 0; q < m.queries; q++) {
            const int position = static_cast<int>(m.first()) + static_cast<int>(q);
            float *row = out + (h * m.queries + q) * m.keys;
            for (int k = 0; k < static_cast<int>(m.keys); k++) {
                const float bias = causal && k > position
                                       ? -HUGE_VALF
                                       : slopes[h] * static_cast<float>(k - position);
                row[k] = add ? row[k] + bias : bias;
            }
        }
}

// Compares rows spread over the matrix: each element with the exact product rounded.
Accuracy exact_products(const Matrix &m, const std::vector<float> &slopes, bool causal)
{
    const std::size_t rows = m.heads * m.queries, step = std::max<std::size_t>(1, rows / 64);
    double largest = 0;
    std::size_t right = 0, all = 0;
    for (std::size_t r = 0; r < rows; r += step)
        for (std::size_t k = 0; k < m.keys; k++, all++) {
            const std::int64_t j =
                static_cast<std::int64_t>(k) - m.first() - static_cast<std::int64_t>(r % m.queries);
            const double product =
                static_cast<double>(slopes[r / m.queries]) * static_cast<double>(j);
            const double want = causal && j > 0 ? -HUGE_VAL : product;
            const float got = output<float>()[r * m.keys + k];
            right += got == static_cast<float>(want);
            if (std::isfinite(want))
                largest = std::fmax(largest, std::fabs(static_cast<double>(got) - want));
        }
    return {largest, static_cast<double>(right) / static_cast<double>(all)};
}

template <class T, class Call>
void add_matrix(const char *verb, const Matrix &m, const std::string &function, Call call,
                Check check = nullptr)
{
    const double n = static_cast<double>(m.elements());
    add_row(
        {verb, m.name(), type_name<T>, function, n, n * sizeof(T)},
        [=](std::size_t, std::size_t) { call(output<T>()); }, check);
}

// Defines functions with the same names for every type.
#define BENCH_ALIBI(type, T, to)                                                                   \
    void pe_alibi_fill(const Matrix &m, const float *slopes, pe_alibi_mode mode, T *out)           \
    {                                                                                              \
        must(pe_alibi_fill_##type(slopes, m.heads, mode, pe_from(m.first()), m.queries,            \
                                  pe_from(0), m.keys, to, m.keys, m.queries * m.keys));            \
    }                                                                                              \
    void pe_alibi_add(const Matrix &m, const float *slopes, pe_alibi_mode mode, T *out)            \
    {                                                                                              \
        must(pe_alibi_add_##type(slopes, m.heads, mode, pe_from(m.first()), m.queries, pe_from(0), \
                                 m.keys, to, m.keys, m.queries * m.keys));                         \
    }
BENCH_ALIBI(f32, float, out)
BENCH_ALIBI(f16, half, &out->bits)
BENCH_ALIBI(bf16, bfloat, &out->bits)
#undef BENCH_ALIBI

template <class T> void add_pe(const Matrix &m)
{
    const std::vector<float> slopes = slopes_of(m);
    const std::string type = type_name<T>;
    for (const bool causal : {false, true}) {
        const pe_alibi_mode mode = causal ? PE_ALIBI_CAUSAL : PE_ALIBI_LINEAR;
        Check check;
        if (std::is_same<T, float>::value)
            check = [=] { return exact_products(m, slopes, causal); };
        add_matrix<T>(
            causal ? "alibi_causal" : "alibi", m, "pe_alibi_fill_" + type,
            [=](T *out) { pe_alibi_fill(m, slopes.data(), mode, out); }, check);
    }
    // PE_ALIBI_LINEAR reads all scores; scores that a causal mask hides would not be read.
    add_matrix<T>("alibi_add", m, "pe_alibi_add_" + type,
                  [=](T *x) { pe_alibi_add(m, slopes.data(), PE_ALIBI_LINEAR, x); });
}

} // namespace

static void rows()
{
    for (const Matrix &m : {Matrix{16, 2048, 2048}, Matrix{1, 512, 512}}) {
        const std::vector<float> slopes = slopes_of(m);
        add_pe<float>(m);
        add_pe<half>(m);
        add_pe<bfloat>(m);
        add_matrix<float>(
            "alibi", m, "plain_loop",
            [=](float *out) { plain_loop<false, false>(m, slopes.data(), out); },
            [=] { return exact_products(m, slopes, false); });
        add_matrix<float>(
            "alibi_causal", m, "plain_loop",
            [=](float *out) { plain_loop<false, true>(m, slopes.data(), out); },
            [=] { return exact_products(m, slopes, true); });
        add_matrix<float>("alibi_add", m, "plain_loop",
                          [=](float *out) { plain_loop<true, false>(m, slopes.data(), out); });
    }
}

static const Source source(7, rows);

} // namespace bench
