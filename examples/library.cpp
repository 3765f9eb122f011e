// SPDX-License-Identifier: MIT
//
// A program that is linked with the library that `make lib` builds: it has the speed of the CPU that
// it runs on, whatever it was compiled for.
//
//     c++ -O2 -DPE_EXTERN -I. examples/library.cpp -Lbuild -lposenc -Wl,-rpath,build -lpthread
//
// examples/library.py does the same, and prints the same hashes.
#include "pe.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

static void say(const char *what, pe_status status, const std::vector<float> &x)
{
    if (status != PE_OK) {
        std::printf("%s: %s\n", what, pe_status_string(status));
        std::exit(1);
    }
    std::uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (float value : x) {
        std::uint32_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        h = (h ^ bits) * UINT64_C(0x100000001b3);
    }
    std::printf("%s %016" PRIx64 "\n", what, h);
}

int main()
{
    const std::size_t rows = 48, width = 64, threads = 4;

    // Whichever thread calls first, all get the same functions.
    std::vector<const char *> isa(threads);
    std::vector<std::thread> running;
    for (std::size_t i = 0; i < threads; i++)
        running.emplace_back([&isa, i] { isa[i] = pe_isa_name(); });
    for (std::thread &thread : running) thread.join();
    for (const char *name : isa)
        if (std::strcmp(name, isa[0]) != 0) return 1;
    std::printf("# %s\n", isa[0]);
    if (pe_selftest() != PE_OK) return 1;

    std::vector<float> table(rows * width);
    say("table", pe_sinusoidal_f32(table.data(), rows, width), table);

    pe_config config = pe_config_default(width);
    config.base = 500000;
    std::vector<unsigned char> memory(pe_plan_size(&config));
    pe_plan plan;
    pe_status status = pe_plan_init(&plan, &config, memory.data(), memory.size());
    if (status == PE_OK) status = pe_fill_f32(&plan, pe_from(1000000), rows, table.data(), width);
    say("plan", status, table);
    pe_heads heads;
    heads.heads = 4, heads.head_stride = width, heads.token_stride = 4 * width;
    say("rope", pe_rope_f32(&plan, pe_from(131072), rows / 4, table.data(), heads), table);
    return 0;
}
