// SPDX-License-Identifier: MIT
// The roofs: how fast this machine writes, copies and rewrites memory when nothing is computed.

#include "bench.hpp"
#include "peers.hpp"

#include <algorithm>
#include <cstring>

namespace bench
{

// Numbers like those of a table: memory writes lines with zeros in them faster than others.
template <void (*put)(float *, native::V)> static void write(float *out, std::size_t n)
{
    float numbers[native::lanes];
    for (std::size_t i = 0; i < native::lanes; i++)
        numbers[i] = 0.7310586f + 0.0123457f * static_cast<float>(i);
    const native::V value = native::load(numbers);
    for (std::size_t i = 0; i < n; i += native::lanes)
        put(out + i, value);
}

static void scale_in_place(float *x, std::size_t n, float factor)
{
    for (std::size_t i = 0; i < n; i += native::lanes)
        native::store(x + i, native::scale(x + i, factor));
}

void add_roofs(std::size_t bytes, const std::vector<std::string> &names)
{
    const std::size_t n = bytes / sizeof(float);
    const auto add = [&](const char *function, Body body, Prepare prepare = nullptr) {
        if (!names.empty() && std::find(names.begin(), names.end(), function) == names.end())
            return;
        const std::string size = std::to_string(bytes / 1024) + "KiB";
        add_row(
            {"roof", size, "f32", function, static_cast<double>(n) / 2, static_cast<double>(bytes)},
            std::move(body), nullptr, std::move(prepare));
    };
    add("memset", [=](std::size_t call, std::size_t) {
        std::memset(buffer(0), 0x35 + static_cast<int>(call & 1), bytes);
    });
    add("stores", [=](std::size_t, std::size_t) { write<native::store>(output<float>(), n); });
    add("nt_stores", [=](std::size_t, std::size_t) {
        write<native::stream>(output<float>(), n);
        f4::fence();
    });
    add("memcpy", [=](std::size_t, std::size_t) { std::memcpy(buffer(0), buffer(1), bytes); });
    const auto scale = [=](std::size_t, std::size_t) {
        float factor = 1;
        benchmark::DoNotOptimize(factor);
        scale_in_place(output<float>(), n, factor);
    };
    add("scale", scale, [=] { set_to_ones<float>(n); });
}

} // namespace bench
