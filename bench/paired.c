/* SPDX-License-Identifier: MIT
 *
 * paired: finds the calls in which the new version of pe is slower than the old one. Both versions
 * are in this program, each compiled by itself (paired_side.c). They run alternately on the same
 * buffers, old new new old ..., in blocks of a fraction of a millisecond. So whatever disturbs the
 * machine disturbs both. The result of a process is the median of the ratios of the CPU times of
 * adjacent blocks. Several processes are run, each with other memory for plans and stack. Their
 * median is the final result, and their lowest and highest ratio show how certain it is.
 *
 *     paired [-f REGEX] [-p PROCESSES] [-s SECONDS] [-l LIMIT] [-c CPU]
 *
 * SECONDS is the time for one case in one process. The exit status is 1 if a call fails, or if the
 * ratio of a case is above LIMIT (1.03) in the median and in all processes but one. With fewer than
 * three processes, only the median counts. It is 2 if the comparison could not be made. The script
 * paired.sh builds and runs this.
 */
#define _GNU_SOURCE /* sched_setaffinity, MAP_ANONYMOUS */

#include "paired.h"

#include <regex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
    #include <sched.h>
#endif

enum { MAX_PAIRS = 4096, MAX_CASES = 256, MAX_PROCESSES = 15 };

static const size_t KEPT = 8 << 20; /* larger buffers are not made anew before each block */

/* Holds what one process found about a case: medians, and whether both sides gave the same bits. */
typedef struct finding {
    double old, now, ratio; /* seconds per call of both versions, and now / old */
    size_t pairs;
    int failed, same;
} finding;

static double cpu_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, size_t n)
{
    qsort(x, n, sizeof *x, by_value);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* ---- one case ------------------------------------------------------------------------------------ */

static void *out;
static void *in;

/* Writes ones, as floats, doubles or float16 numbers. Cases of bfloat16 also get these bits, which
   are 2^-7 there. */
static void set_to_ones(void *buffer, size_t size, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (size == sizeof(double)) ((double *)buffer)[i] = 1;
        else if (size == sizeof(float)) ((float *)buffer)[i] = 1;
        else ((uint16_t *)buffer)[i] = 0x3c00;
    }
}

static uint64_t hash(const void *data, size_t bytes)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325), word;
    for (size_t i = 0; i + sizeof word <= bytes; i += sizeof word) {
        memcpy(&word, (const unsigned char *)data + i, sizeof word);
        h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15), h ^= h >> 29;
    }
    return h;
}

/* Returns the seconds of this many calls on a buffer that was prepared before. */
static double block(const paired_case *c, size_t calls, int *failed)
{
    if (c->use == PAIRED_CHANGES && c->size * c->count <= KEPT) set_to_ones(out, c->size, c->count);
    const double start = cpu_time();
    *failed |= c->run(calls);
    return cpu_time() - start;
}

static uint64_t bits(const paired_case *c, int *failed)
{
    set_to_ones(out, c->size, c->count);
    *failed |= c->run(1);
    return hash(out, c->size * c->count);
}

static finding compare(const paired_case *old, const paired_case *now, double seconds)
{
    static double ratio[2 * MAX_PAIRS], times[2][2 * MAX_PAIRS];
    const double target = 2e-4; /* a block: far above the clock's cost, far below a time slice */
    const paired_case *const both[2] = {old, now};
    finding found;
    memset(&found, 0, sizeof found);
    found.same = bits(old, &found.failed) == bits(now, &found.failed);
    size_t calls = 1;
    double slow = 0;
    while (calls < 1 << 20) { /* the slower of the two decides how many calls are a block */
        const double a = block(old, calls, &found.failed), b = block(now, calls, &found.failed);
        slow = a > b ? a : b;
        if (slow >= target / 2) break;
        calls *= 2;
    }
    const double wanted = seconds / (4 * slow);
    const size_t rounds = wanted < 4 ? 4 : wanted > MAX_PAIRS ? MAX_PAIRS : (size_t)wanted;
    for (size_t r = 0; r < rounds; r++)
        for (int half = 0; half < 2; half++) { /* old new, new old */
            const int first = half;
            const double a = block(both[first], calls, &found.failed);
            const double b = block(both[!first], calls, &found.failed);
            const size_t at = 2 * r + (size_t)half;
            times[first][at] = a, times[!first][at] = b;
            ratio[at] = times[1][at] / times[0][at];
        }
    found.pairs = 2 * rounds;
    found.ratio = median(ratio, found.pairs);
    found.old = median(times[0], found.pairs) / (double)calls;
    found.now = median(times[1], found.pairs) / (double)calls;
    return found;
}

/* ---- processes ----------------------------------------------------------------------------------- */

static void *mapped(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) exit(2);
#if defined(MADV_HUGEPAGE)
    madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return memory;
}

static void stay_on(int cpu)
{
#if defined(__linux__)
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        fprintf(stderr, "cannot stay on core %d\n", cpu);
#else
    (void)cpu;
#endif
}

/* Runs all cases that are wanted and writes their results to a pipe. */
static void child(int process, const unsigned char *wanted, double seconds, int to)
{
    out = mapped(PAIRED_BYTES), in = mapped(PAIRED_BYTES / 8);
    set_to_ones(out, sizeof(float), PAIRED_BYTES / sizeof(float));
    set_to_ones(in, sizeof(float), PAIRED_BYTES / 8 / sizeof(float));
    /* Plans get other addresses in each process, so that their addresses cannot decide all
       results. */
    void *gap = malloc((size_t)(process * 7 % 16) * 4096 + 1);
    const paired_side *const sides[2] = {&paired_old, &paired_new};
    if (sides[process % 2]->setup(out, in) || sides[1 - process % 2]->setup(out, in)) {
        fprintf(stderr, "paired: setting up failed\n");
        exit(2);
    }
    for (size_t c = 0; c < paired_old.count; c++) {
        if (!wanted[c]) continue;
        const finding found = compare(paired_old.cases + c, paired_new.cases + c, seconds);
        if (write(to, &found, sizeof found) != (ssize_t)sizeof found) exit(2);
    }
    free(gap);
    exit(0);
}

/* ---- report -------------------------------------------------------------------------------------- */

static void print_time(double seconds)
{
    static const char *const units[] = {"ns", "us", "ms", "s "};
    int unit = 0;
    double x = seconds * 1e9;
    while (x >= 1000 && unit < 3) x /= 1000, unit++;
    printf(" %7.*f %s", x < 10 ? 2 : x < 100 ? 1 : 0, x, units[unit]);
}

/* Prints the line of a case. Returns 1 if the case is slower or a call failed, otherwise 0. */
static int report(const char *name, const finding *found, size_t processes, double limit)
{
    double ratio[MAX_PROCESSES], old[MAX_PROCESSES], now[MAX_PROCESSES];
    int failed = 0, same = 1;
    for (size_t p = 0; p < processes; p++) {
        ratio[p] = found[p].ratio, old[p] = found[p].old, now[p] = found[p].now;
        failed |= found[p].failed, same &= found[p].same;
    }
    const double middle = median(ratio, processes); /* also sorts */
    const double lowest = ratio[0], highest = ratio[processes - 1];
    const int slower = middle > limit && (processes < 3 || ratio[1] > limit);
    printf("%-42s", name);
    print_time(median(old, processes));
    print_time(median(now, processes));
    const char *const verdict = failed               ? "  A CALL FAILED"
                                : slower             ? "  SLOWER"
                                : middle > limit     ? "  slower?"
                                : middle < 1 / limit ? "  faster"
                                                     : "";
    printf("  %6.3f  %6.3f ... %-6.3f%s%s\n", middle, lowest, highest, verdict,
           same ? "" : "  other bits");
    return slower || failed;
}

int main(int argc, char **argv)
{
    static finding found[MAX_CASES][MAX_PROCESSES];
    static unsigned char wanted[MAX_CASES];
    const char *filter = "";
    size_t processes = 5;
    double seconds = 0.12, limit = 1.03;
    int cpu = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1, option;
    while ((option = getopt(argc, argv, "f:p:s:l:c:")) != -1) switch (option) {
        case 'f': filter = optarg; break;
        case 'p': processes = (size_t)atoi(optarg); break;
        case 's': seconds = atof(optarg); break;
        case 'l': limit = atof(optarg); break;
        case 'c': cpu = atoi(optarg); break;
        default: return 2;
        }
    regex_t regex;
    if (processes < 1 || processes > MAX_PROCESSES || paired_old.count != paired_new.count ||
        paired_old.count > MAX_CASES || regcomp(&regex, filter, REG_EXTENDED | REG_NOSUB) != 0) {
        fprintf(stderr, "paired: bad arguments\n");
        return 2;
    }
    size_t asked = 0, slower = 0, bits_differ = 0;
    for (size_t c = 0; c < paired_old.count; c++)
        asked += wanted[c] = regexec(&regex, paired_old.cases[c].name, 0, NULL, 0) == 0;
    stay_on(cpu);
    printf("old: %s, %s, %s; new: %s, %s, %s\n", paired_old.version, paired_old.isa,
           paired_old.sleef, paired_new.version, paired_new.isa, paired_new.sleef);
    printf("%-42s %10s %10s  %6s  %s\n", "", "old", "new", "ratio", "of the processes");
    fflush(stdout);
    for (size_t p = 0; p < processes; p++) {
        int ends[2], status;
        if (pipe(ends) != 0) return 2;
        const pid_t pid = fork();
        if (pid < 0) return 2;
        if (pid == 0) {
            close(ends[0]);
            child((int)p, wanted, seconds, ends[1]);
        }
        close(ends[1]);
        for (size_t c = 0; c < paired_old.count; c++) {
            if (!wanted[c]) continue;
            if (isatty(2))
                fprintf(stderr, "\r\033[Kprocess %zu of %zu: %s", p + 1, processes,
                        paired_old.cases[c].name);
            if (read(ends[0], &found[c][p], sizeof found[c][p]) != (ssize_t)sizeof found[c][p])
                return 2;
            if (p + 1 == processes) {
                if (isatty(2)) fprintf(stderr, "\r\033[K");
                slower += (size_t)report(paired_old.cases[c].name, found[c], processes, limit);
                bits_differ += !found[c][p].same;
                fflush(stdout);
            }
        }
        close(ends[0]);
        if (waitpid(pid, &status, 0) != pid || status != 0) return 2;
    }
    printf("%zu cases, %zu above %.0f %% of the old time, %zu with other bits\n", asked, slower,
           100 * limit, bits_differ);
    return slower > 0;
}
