// SPDX-License-Identifier: MIT
// The main program of all benchmarks, which bench.py runs. Run by hand, it is an ordinary
// google-benchmark program with two more options: --quick (no sweep, short repetitions) and --cpu=N
// (the core to stay on).

#include "bench.hpp"

#include "pe.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <regex>
#include <set>

#include <mpfr.h>
#include <unistd.h>
#if defined(__linux__)
    #include <sched.h>
#endif

namespace bench
{

Options options;
static const char *const sleef_name = PE_SLEEF_NAME;

static std::size_t buffer_bytes = 4096;
static void *buffers[2];
static int rows_asked_for;
static std::set<std::string> names;
static std::map<std::string, std::pair<std::string, Body>>
    pe_rows; // by verb/shape/type: name and body of the first row of pe

static std::map<int, void (*)()> &sources()
{
    static std::map<int, void (*)()> all;
    return all;
}
Source::Source(int place, void (*rows)()) { sources()[place] = rows; }

void *buffer(std::size_t which) { return buffers[which]; }

static void pin(int cpu)
{
#if defined(__linux__)
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(cpu), &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        std::fprintf(stderr, "warning: cannot stay on core %d\n", cpu);
#else
    (void)cpu;
#endif
}

static void add_one(std::uint64_t &x)
{
    x++;
#if defined(__GNUC__)
    __asm__ volatile("" : "+r"(x)); // x must be in a register here
#else
    benchmark::DoNotOptimize(x);
#endif
}

// Returns the nanoseconds of a fixed loop that makes as many additions per cycle as the CPU can.
// The time is constant on an idle machine, and 50 % longer if the other thread of the core is busy.
// That thread may belong to another virtual machine, and no clock shows that.
static double fixed_loop()
{
    const auto from = std::chrono::steady_clock::now();
    std::uint64_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;
    for (int i = 0; i < 10000; i++)
        for (int k = 0; k < 4; k++) {
            add_one(a), add_one(b), add_one(c);
            add_one(d), add_one(e), add_one(f);
        }
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - from)
        .count();
}

static void show_progress(const std::string &name)
{
    static const auto start = std::chrono::steady_clock::now();
    static int done, shown = -1;
    const int total = std::max(1, rows_asked_for * options.repetitions);
    const int percent = std::min(99, ++done * 100 / total);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const bool terminal = isatty(2) != 0;
    if (terminal || percent / 10 != shown / 10 || shown < 0)
        std::fprintf(stderr,
                     terminal ? "\r\033[K%-7s %3d%% %4.0f s  %s" : "%-7s %3d%% %4.0f s  %s\n",
                     BENCH_BUILD, percent, seconds, name.c_str());
    shown = percent;
}
static void end_progress()
{
    if (isatty(2) != 0) std::fprintf(stderr, "\r\033[K");
    std::fprintf(stderr, "%-7s 100%%\n", BENCH_BUILD);
}

Bound bound_of(const std::string &verb)
{
    static const std::map<std::string, Bound> bounds = {
        {"fill", Bound::STORES},
        {"fill_at", Bound::STORES},
        {"fill_real", Bound::STORES},
        {"row", Bound::STORES},
        {"first_use", Bound::STORES},
        {"rope_table", Bound::STORES},
        {"alibi", Bound::STORES},
        {"alibi_causal", Bound::STORES},
        {"rope_to", Bound::COPY},
        {"rope", Bound::IN_PLACE},
        {"rope_by_table", Bound::IN_PLACE},
        {"add", Bound::IN_PLACE},
        {"add_batch", Bound::IN_PLACE},
        {"alibi_add", Bound::IN_PLACE},
        {"shift", Bound::IN_PLACE},
        {"learned_add", Bound::IN_PLACE},
    };
    const auto found = bounds.find(verb);
    return found == bounds.end() ? Bound::NOTHING : found->second;
}

static double cpu_seconds()
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

static double median(std::vector<double> &x)
{
    const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
    std::nth_element(x.begin(), middle, x.end());
    return *middle;
}

// Holds the result of running two bodies alternately. Their blocks are long enough for the clock,
// and short enough that both run under the same conditions. The other body is a roof, or pe beside
// a peer.
//
//     ratio  the median, over adjacent blocks, of the other body's time divided by the first body's
//     other  the median of the other body's seconds per call
struct Turns {
    double ratio = 0, other = 0;
};
static const double block_seconds = 2e-4;

static Turns take_turns(const Body &body, const Body &against, double seconds, int least)
{
    std::size_t made = 0, others = 0;
    const auto block = [](const Body &one, std::size_t &call, std::size_t calls) {
        const double from = cpu_seconds();
        for (std::size_t k = 0; k < calls; k++) one(call++, 0);
        return (cpu_seconds() - from) / static_cast<double>(calls);
    };
    const auto calls = [](double one) { // an even number, after which flip() has changed nothing
        return static_cast<std::size_t>(std::max(1.0, block_seconds / std::max(one, 1e-9)) / 2) *
                   2 +
               2;
    };
    block(body, made, 1), block(against, others, 2);
    const double once = block(body, made, 2);
    const std::size_t n = once > block_seconds ? 1 : calls(once),
                      m = calls(block(against, others, 2));
    std::vector<double> ratios, times;
    const double from = cpu_seconds();
    while (static_cast<int>(ratios.size()) < least || cpu_seconds() - from < seconds) {
        const double a = block(body, made, n), b = block(against, others, m),
                     c = block(body, made, n);
        ratios.push_back(2 * b / (a + c)), times.push_back(b);
    }
    return {median(ratios), median(times)};
}
static Body body_of(const Roof &roof, double bytes)
{
    return [&roof, bytes](std::size_t call, std::size_t) { roof.run(span(bytes), call); };
}

void add_row(const Row &row, Body body, Check check, Prepare prepare)
{
    const std::string name = row.verb + "/" + row.shape + "/" + row.type + "/" + row.function +
                             "/" BENCH_BUILD +
                             (row.threads > 1 ? "/" + std::to_string(row.threads) : "");
    const std::string wanted = benchmark::GetBenchmarkFilter();
    const bool asked = wanted.empty() || std::regex_search(name, std::regex(wanted));
    if (!asked || !names.insert(name).second) return;
    const std::size_t bytes = static_cast<std::size_t>(row.bytes * row.threads);
#if defined(__linux__)
    if (bytes / 4096 > static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) / 4) {
        std::fprintf(stderr, "left out, too large for this machine: %s\n", name.c_str());
        return;
    }
#endif
    buffer_bytes = std::max(buffer_bytes, bytes);
    rows_asked_for++;
    const bool is_pe = row.function.compare(0, 3, "pe_") == 0;
    const std::string work = row.verb + "/" + row.shape + "/" + row.type;
    if (is_pe) pe_rows.emplace(work, std::make_pair(row.function, body));
    const auto same = pe_rows.find(work);
    const auto pe =
        is_pe || row.threads > 1 || same == pe_rows.end() ? decltype(same->second)() : same->second;

    struct Seen {
        bool timed = false, checked = false;
        const Roof *roof = nullptr; // the fastest roof of the row's kind
        Accuracy accuracy;
    };
    const auto seen = std::make_shared<Seen>();
    const Bound bound =
        row.threads == 1 && is_pe && row.bytes >= 64 ? bound_of(row.verb) : Bound::NOTHING;
    const auto run = [=](benchmark::State &state) {
        const std::size_t thread = static_cast<std::size_t>(state.thread_index());
        if (row.threads > 1)
            pin(thread == 0 ? options.cpu : options.cpu == 0 ? 1 : options.cpu - 1);
        if (prepare) prepare();
        const double before = fixed_loop();
        const auto from = std::chrono::steady_clock::now();
        const double cpu_from = cpu_seconds();
        std::size_t call = 0;
        for (auto _ : state) {
            body(call++, thread);
            benchmark::ClobberMemory();
        }
        const double cpu = std::max(cpu_seconds() - cpu_from, 1e-9) / static_cast<double>(call);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - from;
        const double after = fixed_loop();
        using benchmark::Counter; // adds up the counters of all threads, unless they are means
        const auto mean = [](double x) { return Counter(x, Counter::kAvgThreads); };
        // Threads run at the same time, so the time of a call is wall-clock time if there are
        // several.
        const double call_seconds =
            row.threads > 1 ? took.count() / static_cast<double>(call) : cpu;
        state.counters["ns_per_pair"] =
            mean(call_seconds * 1e9 / (row.pairs * static_cast<double>(row.threads)));
        state.counters["GB/s"] =
            mean(row.bytes * static_cast<double>(row.threads) / call_seconds * 1e-9);
        if (row.traffic > row.bytes)
            state.counters["traffic"] = mean(row.traffic / call_seconds * 1e-9);
        if (thread != 0) return;
        if (bound != Bound::NOTHING && (seen->timed || took.count() >= 0.9 * options.min_time)) {
            if (seen->roof == nullptr) {
                double best = HUGE_VAL;
                for (const Roof *roof : roofs_of(bound)) {
                    const double time = take_turns(body, body_of(*roof, row.bytes), 0, 3).other;
                    if (time < best) best = time, seen->roof = roof;
                }
            }
            const Turns turns =
                take_turns(body, body_of(*seen->roof, row.bytes), options.min_time / 2, 3);
            state.counters["share"] = turns.ratio;
            state.counters["roof_GB/s"] = row.bytes / turns.other * 1e-9;
            state.SetLabel(seen->roof->name);
        }
        if (pe.second && (seen->timed || took.count() >= 0.9 * options.min_time)) {
            state.counters["times_pe"] =
                1 / take_turns(body, pe.second, options.min_time / 2, 1).ratio;
            state.SetLabel(pe.first);
        }
        state.counters["bytes"] = row.bytes * row.threads;
        state.counters["fixed_loop"] = std::max(before, after);
        if (check && !seen->checked) {
            seen->accuracy = check();
            seen->checked = true;
        }
        if (check) {
            state.counters["max_error"] = seen->accuracy.max_error;
            state.counters["exact"] = seen->accuracy.exact;
        }
        if (seen->timed || took.count() >= 0.9 * options.min_time) {
            seen->timed = true;
            show_progress(name);
        }
    };
    auto *registered = benchmark::RegisterBenchmark(name.c_str(), run);
    if (row.verb == "threads") registered->Threads(row.threads)->UseRealTime();
}

// Holds the exact row of a position: sine, cosine, sine ... as long double, and rounded once to the
// types that MPFR knows.
struct Exact {
    std::vector<long double> real;
    std::vector<double> f64;
    std::vector<float> f32;
};

struct Real { // a number of 256 bits, which is never freed
    mpfr_t x;
    Real() { mpfr_init2(x, 256); }
};

// Returns the frequencies 10000^(-2i/d) for every i.
static std::vector<Real> &exact_frequencies(std::size_t d)
{
    static std::map<std::size_t, std::vector<Real>> known;
    std::vector<Real> &w = known[d];
    for (std::size_t i = w.size(); i < d / 2; i++) {
        w.emplace_back();
        mpfr_set_si(w[i].x, -2 * static_cast<long>(i), MPFR_RNDN);
        mpfr_div_ui(w[i].x, w[i].x, d, MPFR_RNDN);
        mpfr_ui_pow(w[i].x, 10000, w[i].x, MPFR_RNDN);
    }
    return w;
}

static const Exact &exact_row(double position, std::size_t d)
{
    static std::map<std::pair<double, std::size_t>, Exact> known;
    Exact &row = known[{position, d}];
    if (!row.real.empty()) return row;
    static Real angle, sine, cosine;
    for (const Real &w : exact_frequencies(d)) {
        mpfr_mul_d(angle.x, w.x, position, MPFR_RNDN);
        mpfr_sin_cos(sine.x, cosine.x, angle.x, MPFR_RNDN);
        for (const Real *one : {&sine, &cosine}) {
            row.real.push_back(mpfr_get_ld(one->x, MPFR_RNDN));
            row.f64.push_back(mpfr_get_d(one->x, MPFR_RNDN));
            row.f32.push_back(mpfr_get_flt(one->x, MPFR_RNDN));
        }
    }
    return row;
}

// Returns x, which is at most 1, rounded to a type with this many significant bits whose smallest
// normal number is 2^least.
static long double rounded(long double x, int digits, int least)
{
    if (x == 0) return x;
    const int unit = std::max(std::ilogb(x), least) - (digits - 1);
    return std::ldexp(std::rint(std::ldexp(x, -unit)), unit);
}

static long double rounded_to(float, const Exact &e, std::size_t j) { return e.f32[j]; }
static long double rounded_to(double, const Exact &e, std::size_t j) { return e.f64[j]; }
static long double rounded_to(half, const Exact &e, std::size_t j)
{
    return rounded(e.real[j], 11, -14);
}
static long double rounded_to(bfloat, const Exact &e, std::size_t j)
{
    return rounded(e.real[j], 8, -126);
}

static long double value(float x) { return x; }
static long double value(double x) { return x; }
static long double value(half x)
{
    const int exponent = x.bits >> 10 & 31, fraction = x.bits & 1023;
    const long double size = exponent == 31  ? (fraction == 0 ? HUGE_VALL : std::nanl(""))
                             : exponent == 0 ? std::ldexp(static_cast<long double>(fraction), -24)
                                             : std::ldexp(fraction + 1024.0L, exponent - 25);
    return x.bits >> 15 ? -size : size;
}
static long double value(bfloat x)
{
    const std::uint32_t bits = static_cast<std::uint32_t>(x.bits) << 16;
    float wide;
    std::memcpy(&wide, &bits, sizeof wide);
    return wide;
}

template <class T>
Accuracy accuracy(const std::vector<double> &positions, std::size_t d, Layout layout, Via via)
{
    const std::size_t rows = std::min<std::size_t>(32, positions.size());
    long double largest = 0;
    std::size_t right = 0;
    for (std::size_t k = 0; k < rows; k++) {
        // The rows that are checked are spread from the first row to the last.
        const std::size_t r = rows < 2 ? 0 : k * (positions.size() - 1) / (rows - 1);
        const Exact &exact = exact_row(positions[r], d);
        Exact by_way = exact;
        if (via == Via::FLOAT) by_way.real.assign(exact.f32.begin(), exact.f32.end());
        const T *row = output<T>() + r * d;
        for (std::size_t j = 0; j < d; j++) {
            const std::size_t at = layout == Layout::INTERLEAVED ? j : j / 2 + j % 2 * (d / 2);
            const long double got = value(row[at]), want = rounded_to(T(), by_way, j);
            const long double error = std::fabs(got - exact.real[j]);
            largest = std::isnan(error) ? HUGE_VALL : std::max(largest, error);
            right += got == want && std::signbit(got) == std::signbit(want);
        }
    }
    return {static_cast<double>(largest),
            static_cast<double>(right) / static_cast<double>(rows * d)};
}
template Accuracy accuracy<float>(const std::vector<double> &, std::size_t, Layout, Via);
template Accuracy accuracy<double>(const std::vector<double> &, std::size_t, Layout, Via);
template Accuracy accuracy<half>(const std::vector<double> &, std::size_t, Layout, Via);
template Accuracy accuracy<bfloat>(const std::vector<double> &, std::size_t, Layout, Via);

// Returns the value of the last --name=value, or none.
static const char *argument(const std::vector<char *> &arguments, const char *name)
{
    const std::size_t n = std::strlen(name);
    const char *value = nullptr;
    for (const char *a : arguments)
        if (std::strncmp(a, name, n) == 0 && a[n] == '=') value = a + n + 1;
    return value;
}

struct Silent : benchmark::BenchmarkReporter {
    bool ReportContext(const Context &) override { return true; }
    void ReportRuns(const std::vector<Run> &) override {}
};

static int run(int argc, char **argv)
{
    std::vector<char *> arguments(argv, argv + argc);
    const auto quick = std::find_if(arguments.begin(), arguments.end(),
                                    [](const char *a) { return std::strcmp(a, "--quick") == 0; });
    if (quick != arguments.end()) {
        options.quick = true;
        arguments.erase(quick);
    }
    // Our defaults come first, so that any of them can be overridden.
    std::string defaults[] = {
        options.quick ? "--benchmark_min_time=0.01" : "--benchmark_min_time=0.03",
        "--benchmark_repetitions=5", "--benchmark_enable_random_interleaving=true"};
    for (std::string &one : defaults) arguments.insert(arguments.begin() + 1, &one[0]);
    options.min_time = std::atof(argument(arguments, "--benchmark_min_time"));
    options.repetitions = std::atoi(argument(arguments, "--benchmark_repetitions"));
#if defined(__linux__)
    options.cpu = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)) - 1;
#endif
    if (const char *cpu = argument(arguments, "--cpu")) options.cpu = std::atoi(cpu);
    arguments.erase(std::remove_if(arguments.begin(), arguments.end(),
                                   [](const char *a) { return !std::strncmp(a, "--cpu=", 6); }),
                    arguments.end());

    int count = static_cast<int>(arguments.size());
    const bool to_file = argument(arguments, "--benchmark_out") != nullptr;
    benchmark::Initialize(&count, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 1;
    benchmark::AddCustomContext("build", BENCH_BUILD);
    benchmark::AddCustomContext("isa", pe_isa_name());
    benchmark::AddCustomContext("sleef", sleef_name);
    benchmark::AddCustomContext("compiler", BENCH_COMPILER);
    benchmark::AddCustomContext("core", std::to_string(options.cpu));

    pin(options.cpu);
    for (const auto &source : sources()) source.second();
    for (void *&one : buffers) {
        one = std::aligned_alloc(4096, (buffer_bytes + 4095) / 4096 * 4096);
        if (one == nullptr) {
            std::fprintf(stderr, "no memory: two buffers of %zu bytes\n", buffer_bytes);
            return 1;
        }
        std::uint64_t random = 1;
        for (std::size_t i = 0; i < buffer_bytes / 4; i++) { // floats, or pairs of 16-bit numbers
            random = random * 0x5851f42d4c957f2d + 1;
            const std::uint32_t bits =
                0x3f803c00 | (static_cast<std::uint32_t>(random >> 32) & 0x7f03ff);
            std::memcpy(static_cast<unsigned char *>(one) + 4 * i, &bits, 4);
        }
    }
    Silent silent;
    if (to_file) // bench.py reads the file; here only the progress is shown
        benchmark::RunSpecifiedBenchmarks(&silent);
    else benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    if (rows_asked_for > 0 && to_file) end_progress();
    for (void *one : buffers) std::free(one);
    return 0;
}

} // namespace bench

int main(int argc, char **argv) { return bench::run(argc, argv); }
