// SPDX-License-Identifier: MIT
//
// gpu-bench: are pe_fixed.h's bits on this GPU those of pe.h on the host, and how fast are they
// made?
//
//     gpu-bench [quick|SECONDS] [--pairs N] [--json FILE]
//
// First N pairs of floats are compared (10^9; quick: 10^7), and N / 10 each of f16, bf16 and of
// builds with -use_fast_math and --fmad=false. Then, for SECONDS (20; quick: 2), tables are filled
// and bf16 heads rotated in place, beside what engines do instead. Exit status 1 on any wrong bit,
// 77 without a GPU.
#include "gpu.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>

using namespace gpu;

static void need(cudaError_t error, const char *what)
{
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "gpu-bench: %s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
}
#define NEED(call) need(call, #call)

// ---- memory -------------------------------------------------------------------------------------

template <class T> static T *on_device(std::size_t count)
{
    void *p = nullptr;
    NEED(cudaMalloc(&p, count * sizeof(T)));
    NEED(cudaMemset(p, 0xa5, count * sizeof(T)));
    return static_cast<T *>(p);
}
template <class T> static T *copied(const std::vector<T> &from)
{
    T *const p = on_device<T>(from.size());
    NEED(cudaMemcpy(p, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

// The operands of a config, as long as it is compared or timed.
struct Uploaded {
    Operands o;
    explicit Uploaded(const Reference &r) : o()
    {
        std::vector<float> omega(r.omega.begin(), r.omega.end());
        std::vector<double> half_turns;
        for (double w : r.omega)
            half_turns.push_back(w / 3.14159265358979323846);
        o.increments = copied(r.increments);
        o.omega = copied(omega);
        o.omega_f64 = copied(r.omega);
        o.half_turns = copied(half_turns);
        o.undecided = copied(std::vector<unsigned>(1, 0));
        o.amplitude = r.amplitude;
        o.theta_scale = r.pairs > 1 ? static_cast<float>(r.omega[1] / r.omega[0]) : 1;
    }
    Uploaded(const Uploaded &) = delete;
    ~Uploaded()
    {
        for (const void *p :
             {static_cast<const void *>(o.increments), static_cast<const void *>(o.omega),
              static_cast<const void *>(o.omega_f64), static_cast<const void *>(o.half_turns),
              static_cast<const void *>(o.undecided)})
            cudaFree(const_cast<void *>(p));
    }
    unsigned undecided() const
    {
        unsigned n;
        NEED(cudaMemcpy(&n, o.undecided, sizeof n, cudaMemcpyDeviceToHost));
        return n;
    }
};

// ---- bits ---------------------------------------------------------------------------------------

struct Bits {
    std::string name;
    double pairs;
    std::size_t wrong;
    unsigned undecided;
};

// Compares rows in chunks: the device makes a chunk, and the host compares it. The next chunk
// starts 2^28 positions later.
class Comparison
{
    const unsigned chunk; // in pairs
    float *device, *host;

  public:
    explicit Comparison(unsigned chunk_)
        : chunk(chunk_), device(on_device<float>(2 * static_cast<std::size_t>(chunk_))),
          host(nullptr)
    {
        NEED(cudaMallocHost(&host, 8 * static_cast<std::size_t>(chunk)));
    }
    Comparison(const Comparison &) = delete;
    ~Comparison()
    {
        cudaFree(device);
        cudaFreeHost(host);
    }

    Bits run(const Kernels &kernels, const Reference &reference, Type type, bool scattered,
             double pairs)
    {
        static const char *const types[] = {"f32", "f16", "bf16"};
        const Uploaded up(reference);
        const std::size_t bytes = static_cast<std::size_t>(chunk) * (type == F32 ? 8 : 4);
        const Method method = reference.amplitude == 1 ? FIXED : SCALED;
        Rows rows = {scattered ? 0 : -1024, scattered, chunk / reference.pairs, reference.pairs};
        Bits result = {reference.name, 0, 0, 0};
        std::string example;
        while (result.pairs < pairs) {
            NEED(cudaMemset(device, 0xa5, bytes));
            kernels.fill(method, up.o, rows, type, device);
            NEED(cudaGetLastError());
            NEED(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
            result.wrong += reference.wrong(type, rows, host, example);
            result.pairs += chunk;
            std::int64_t next = static_cast<std::int64_t>(rows.first) + (1 << 28) + rows.rows;
            if (next + rows.rows > INT32_MAX) next = INT32_MIN;
            rows.first = static_cast<std::int32_t>(next);
        }
        result.name += std::string(", ") + types[type] +
                       (scattered ? ", over int32, " : ", consecutive, ") + kernels.flags;
        result.undecided = up.undecided();
        std::printf("%-76s %10.0f pairs %6zu wrong %u undecided%s%s\n", result.name.c_str(),
                    result.pairs, result.wrong, result.undecided, example.empty() ? "" : "\n    ",
                    example.c_str());
        std::fflush(stdout);
        return result;
    }
};

static std::vector<Bits> compare_all(const std::vector<Reference> &configs, double pairs)
{
    const double each = pairs / (2 * static_cast<double>(configs.size()));
    Comparison comparison(pairs < 1e9 ? 1u << 18 : 1u << 23);
    std::vector<Bits> all;
    for (const Reference &r : configs) {
        all.push_back(comparison.run(plain, r, F32, false, each));
        all.push_back(comparison.run(plain, r, F32, true, each));
        for (Type type : {F16, BF16})
            all.push_back(comparison.run(plain, r, type, true, each / 5));
        for (const Kernels *kernels : {&fast_math, &unfused})
            all.push_back(comparison.run(*kernels, r, F32, true, each / 5));
    }
    return all;
}

// ---- time ---------------------------------------------------------------------------------------

struct Case {
    std::string table, name;
    double bytes, pairs; // moved and computed by a launch
    std::function<void()> launch;
    std::vector<double> seconds;
    double wrong,
        error; // elements with other bits than pe's; largest distance from it. -1: not compared
    double median() const
    {
        std::vector<double> s = seconds;
        std::nth_element(s.begin(), s.begin() + static_cast<std::ptrdiff_t>(s.size() / 2), s.end());
        return s.empty() ? 0 : s[s.size() / 2];
    }
};

// Measures one sample, which has as many launches in a row as take 0.2 milliseconds.
static double sample(const std::function<void()> &launch, unsigned repeats)
{
    static cudaEvent_t begin = nullptr, end = nullptr;
    if (begin == nullptr) {
        NEED(cudaEventCreate(&begin));
        NEED(cudaEventCreate(&end));
    }
    NEED(cudaEventRecord(begin));
    for (unsigned k = 0; k < repeats; k++)
        launch();
    NEED(cudaEventRecord(end));
    NEED(cudaEventSynchronize(end));
    NEED(cudaGetLastError());
    float milliseconds;
    NEED(cudaEventElapsedTime(&milliseconds, begin, end));
    return milliseconds * 1e-3 / repeats;
}

// Runs all cases alternately, so that a changing clock affects all of them.
static void time_all(std::vector<Case> &cases, double seconds)
{
    std::vector<unsigned> repeats;
    for (Case &c : cases) {
        sample(c.launch, 3);
        const double one = sample(c.launch, 5);
        repeats.push_back(static_cast<unsigned>(std::min(1000.0, std::ceil(2e-4 / one))));
    }
    const auto start = std::chrono::steady_clock::now();
    do
        for (std::size_t i = 0; i < cases.size(); i++)
            cases[i].seconds.push_back(sample(cases[i].launch, repeats[i]));
    while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() <
               seconds ||
           cases[0].seconds.size() < 5);
}

// ---- tables -------------------------------------------------------------------------------------

static void compare_with(const std::vector<float> &want, const float *device, Case &c)
{
    std::vector<float> got(want.size());
    NEED(cudaMemcpy(got.data(), device, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
    c.wrong = c.error = 0;
    for (std::size_t i = 0; i < got.size(); i++)
        if (std::memcmp(&got[i], &want[i], sizeof(float)) != 0) {
            c.wrong++;
            c.error = std::max(
                c.error, std::fabs(static_cast<double>(got[i]) - static_cast<double>(want[i])));
        }
}

// Adds the cases that fill tables of 64 pairs, starting at position 0. Bytes are the bytes written.
static void fill_cases(std::vector<Case> &cases, const Uploaded &up, const Uploaded &scaled,
                       const Reference &reference, unsigned rows, float *out, float *spare)
{
    struct {
        const char *name;
        const Kernels *kernels;
        Method method;
    } const methods[] = {{"constants stored: memory alone", &plain, NONE},
                         {"pe_fixed_sincos_f32", &plain, FIXED},
                         {"pe_fixed_sincos_f32, a row a thread", &plain, FIXED_ROW},
                         {"pe_fixed_sincos_f32, -use_fast_math", &fast_math, FIXED},
                         {"pe_fixed_sincos_scaled_f32", &plain, SCALED},
                         {"sincosf of a float angle", &plain, SINCOSF},
                         {"sincosf of a float angle, -use_fast_math", &fast_math, SINCOSF},
                         {"powf, cosf, sinf", &plain, POWF},
                         {"sincos of a double angle", &plain, SINCOS},
                         {"sincospi of a double angle", &plain, SINCOSPI}};
    char table[80];
    std::snprintf(table, sizeof table, "fill f32, %u x 64 pairs, %.0f MiB", rows, rows / 2048.0);
    const Rows r = {0, false, rows, HEAD_PAIRS};
    const double pairs = 64.0 * rows, bytes = 8 * pairs;
    std::vector<float> want(128 * static_cast<std::size_t>(rows));
    reference.table(r, want.data());
    for (const auto &m : methods) {
        const Operands o = m.method == SCALED ? scaled.o : up.o;
        const Kernels *const kernels = m.kernels;
        const Method method = m.method;
        cases.push_back({table,
                         m.name,
                         bytes,
                         pairs,
                         [=] { kernels->fill(method, o, r, F32, out); },
                         {},
                         -1,
                         -1});
        if (method == NONE || method == SCALED) continue;
        cases.back().launch();
        compare_with(want, out, cases.back());
    }
    const Operands one = up.o;
    for (Type type : {F16, BF16})
        cases.push_back(
            {table,
             type == F16 ? "pe_fixed to f16 (half the bytes)" : "pe_fixed to bf16 (half the bytes)",
             bytes / 2,
             pairs,
             [=] { plain.fill(FIXED, one, r, type, out); },
             {},
             -1,
             -1});
    const std::size_t size = static_cast<std::size_t>(bytes);
    cases.push_back({table,
                     "cudaMemcpy on the device (read and written)",
                     2 * bytes,
                     pairs,
                     [=] { cudaMemcpyAsync(spare, out, size, cudaMemcpyDeviceToDevice); },
                     {},
                     -1,
                     -1});
}

// ---- RoPE ---------------------------------------------------------------------------------------

// Adds the cases that rotate [tokens, heads, 128] of bf16 in place. Bytes are the bytes of the
// heads that are read and written.
static std::size_t rope_cases(std::vector<Case> &cases, const Uploaded &up,
                              const Reference &reference, unsigned tokens, unsigned heads,
                              const std::vector<int> &positions, const char *what)
{
    struct {
        const char *name;
        const Kernels *kernels;
        Method method;
    } const methods[] = {{"constants: memory alone", &plain, NONE},
                         {"an uploaded table", &plain, TABLE},
                         {"pe_fixed_sincos_f32", &plain, FIXED},
                         {"sincosf of a float angle", &plain, SINCOSF},
                         {"sincosf of a float angle, -use_fast_math", &fast_math, SINCOSF},
                         {"powf, cosf, sinf", &plain, POWF},
                         {"sincos of a double angle", &plain, SINCOS},
                         {"sincospi of a double angle", &plain, SINCOSPI}};
    char table[120];
    std::snprintf(table, sizeof table, "RoPE bf16 in place, %u tokens x %u heads x 128, %s", tokens,
                  heads, what);
    std::vector<std::uint16_t> x(static_cast<std::size_t>(tokens) * heads * 128);
    std::uint32_t state = 1;
    for (std::uint16_t &e : x) { // from -4 to 4
        state = state * 1664525u + 1013904223u;
        e = static_cast<std::uint16_t>(0x3c00u + (state >> 16 & 0x81ffu));
    }
    std::uint16_t *const device = copied(x);
    const int *const at = copied(positions);
    plain.rope(FIXED, up.o, device, at, tokens, heads);
    std::vector<std::uint16_t> got(x.size());
    NEED(cudaMemcpy(got.data(), device, 2 * got.size(), cudaMemcpyDeviceToHost));
    reference.rope(positions.data(), tokens, heads, x.data());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < x.size(); i++)
        wrong += x[i] != got[i];
    std::printf("%-76s %10zu elements %3zu wrong\n", table, x.size(), wrong);
    for (const auto &m : methods) {
        const Operands o = up.o;
        const Kernels *const kernels = m.kernels;
        const Method method = m.method;
        cases.push_back({table,
                         m.name,
                         4.0 * static_cast<double>(x.size()),
                         64.0 * tokens,
                         [=] { kernels->rope(method, o, device, at, tokens, heads); },
                         {},
                         -1,
                         -1});
    }
    return wrong;
}

// ---- report -------------------------------------------------------------------------------------

static void print(const std::vector<Case> &cases)
{
    for (std::size_t i = 0; i < cases.size(); i++) {
        const Case &c = cases[i];
        const double t = c.median();
        if (i == 0 || cases[i - 1].table != c.table)
            std::printf("\n%s\n%-52s %9s %7s %9s %11s %s\n", c.table.c_str(), "", "us", "GB/s",
                        "ns a pair", c.table[0] == 'f' ? "other bits" : "",
                        c.table[0] == 'f' ? "largest error" : "");
        std::printf("  %-50s %9.2f %7.0f %9.5f", c.name.c_str(), t * 1e6, c.bytes / t * 1e-9,
                    t / c.pairs * 1e9);
        if (c.wrong >= 0) std::printf(" %9.4f %% %.2e", 100 * c.wrong / (2 * c.pairs), c.error);
        std::printf("\n");
    }
}

static std::string driver()
{
    char text[80] = "unknown";
    FILE *const f =
        popen("nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null", "r");
    if (f != nullptr) {
        if (std::fgets(text, sizeof text, f) != nullptr) text[std::strcspn(text, "\n")] = 0;
        pclose(f);
    }
    return text;
}

static bool write_json(const char *path, const std::string &about, const std::vector<Bits> &bits,
                       const std::vector<Case> &cases)
{
    FILE *const f = std::fopen(path, "w");
    if (f == nullptr) return false;
    std::fprintf(f, "{%s,\n \"bits\": [", about.c_str());
    for (std::size_t i = 0; i < bits.size(); i++)
        std::fprintf(
            f, "%s\n  {\"name\": \"%s\", \"pairs\": %.0f, \"wrong\": %zu, \"undecided\": %u}",
            i ? "," : "", bits[i].name.c_str(), bits[i].pairs, bits[i].wrong, bits[i].undecided);
    std::fprintf(f, "],\n \"times\": [");
    for (std::size_t i = 0; i < cases.size(); i++) {
        const Case &c = cases[i];
        std::fprintf(
            f,
            "%s\n  {\"table\": \"%s\", \"name\": \"%s\", \"seconds\": %.4e, \"fastest\": %.4e, "
            "\"samples\": %zu, \"bytes\": %.0f, \"pairs\": %.0f",
            i ? "," : "", c.table.c_str(), c.name.c_str(), c.median(),
            *std::min_element(c.seconds.begin(), c.seconds.end()), c.seconds.size(), c.bytes,
            c.pairs);
        if (c.wrong >= 0)
            std::fprintf(f, ", \"other_bits\": %.0f, \"largest_error\": %.3e", c.wrong, c.error);
        std::fprintf(f, "}");
    }
    std::fprintf(f, "]}\n");
    return std::fclose(f) == 0;
}

static std::string about_device()
{
    cudaDeviceProp p;
    int version = 0;
    NEED(cudaGetDeviceProperties(&p, 0));
    NEED(cudaDriverGetVersion(&version));
    char date[40], text[600];
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
    std::snprintf(
        text, sizeof text,
        "\"device\": \"%s\", \"compute_capability\": \"%d.%d\", \"multiprocessors\": %d, "
        "\"l2_bytes\": %d, "
        "\"driver\": \"%s\", \"driver_cuda\": \"%d.%d\", \"nvcc\": \"%d.%d.%d\", \"date\": \"%s\"",
        p.name, p.major, p.minor, p.multiProcessorCount, p.l2CacheSize, driver().c_str(),
        version / 1000, version % 1000 / 10, __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__,
        __CUDACC_VER_BUILD__, date);
    return text;
}

// A table of the host that is uploaded: once, before it can be read.
static double upload_seconds(std::size_t bytes, float *device)
{
    void *host = nullptr;
    NEED(cudaMallocHost(&host, bytes));
    std::memset(host, 1, bytes);
    std::vector<double> seconds;
    for (int k = 0; k < 7; k++)
        seconds.push_back(
            sample([=] { cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice); }, 1));
    NEED(cudaFreeHost(host));
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
}

// What is timed: tables and RoPE, with the memory that they need; wrong elements of RoPE.
struct Times {
    static constexpr unsigned ROWS = 131072, MORE = 1048576;
    Uploaded up;
    const Uploaded scaled;
    float *const out = on_device<float>(128 * static_cast<std::size_t>(MORE));
    float *const spare = on_device<float>(128 * static_cast<std::size_t>(MORE));
    std::vector<Case> cases;
    std::size_t wrong = 0;

    Times(const Reference &reference, const Reference &with_amplitude)
        : up(reference), scaled(with_amplitude)
    {
        float *const table = on_device<float>(128 * static_cast<std::size_t>(ROWS));
        plain.fill(FIXED, up.o, {0, false, ROWS, HEAD_PAIRS}, F32, table);
        up.o.table = table;
        fill_cases(cases, up, scaled, reference, ROWS, out, spare);
        fill_cases(cases, up, scaled, reference, MORE, out, spare);
        std::vector<int> prompt, mixed;
        for (int t = 0; t < 16384; t++) {
            prompt.push_back(100000 + t);
            mixed.push_back(position_of({0, true, 0, 0}, static_cast<unsigned>(t)) &
                            static_cast<int>(ROWS - 1));
        }
        wrong += rope_cases(cases, up, reference, 16384, 40, prompt, "a prompt");
        wrong += rope_cases(cases, up, reference, 16384, 8, prompt, "a prompt");
        wrong += rope_cases(cases, up, reference, 16384, 8, mixed, "positions to 131,072");
        wrong += rope_cases(cases, up, reference, 256, 40, mixed, "256 sequences, one token each");
    }
};

struct Arguments {
    double seconds = 20, pairs = 1e9;
    const char *json = nullptr;
};

static bool understood(int argc, char **argv, Arguments &a)
{
    for (int i = 1; i < argc; i++) {
        char *end = nullptr;
        if (std::strcmp(argv[i], "quick") == 0)
            a.seconds = 2, a.pairs = 1e7;
        else if (std::strcmp(argv[i], "--pairs") == 0 && i + 1 < argc)
            a.pairs = std::strtod(argv[++i], nullptr);
        else if (std::strcmp(argv[i], "--json") == 0 && i + 1 < argc)
            a.json = argv[++i];
        else if ((a.seconds = std::strtod(argv[i], &end)) <= 0 || *end != 0) {
            std::fprintf(stderr,
                         "gpu-bench [quick|SECONDS] [--pairs N] [--json FILE]: what is %s?\n",
                         argv[i]);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    Arguments arguments;
    if (!understood(argc, argv, arguments)) return 2;
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::printf("SKIP: there is no GPU that CUDA can use\n");
        return 77;
    }
    std::string about = about_device();
    std::printf("%s\n", about.c_str());

    const std::vector<Reference> configs = references();
    const std::vector<Bits> bits = compare_all(configs, arguments.pairs);
    std::size_t wrong = 0;
    double compared = 0;
    for (const Bits &b : bits) {
        wrong += b.wrong + b.undecided;
        compared += b.pairs;
    }
    std::printf("%.0f pairs, %zu wrong or undecided\n\n", compared, wrong);

    Times times(configs.front(), configs.back());
    time_all(times.cases, arguments.seconds);
    print(times.cases);
    wrong += times.wrong + times.up.undecided();
    const double upload = upload_seconds(512 * static_cast<std::size_t>(Times::ROWS), times.spare);
    std::printf("\nUploading %u x 64 pairs, 64 MiB, from pinned memory: %.0f us\n", Times::ROWS,
                upload * 1e6);
    char more[60];
    std::snprintf(more, sizeof more, ", \"upload_64_mib_seconds\": %.3e", upload);
    about += more;
    if (arguments.json != nullptr && !write_json(arguments.json, about, bits, times.cases)) {
        std::fprintf(stderr, "gpu-bench: %s cannot be written\n", arguments.json);
        return 1;
    }
    std::printf("%s\n", wrong == 0 ? "no wrong bit" : "WRONG BITS");
    return wrong != 0;
}
