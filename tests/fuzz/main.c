/* SPDX-License-Identifier: MIT */
/*
 * This is the main() of a harness that is built without libFuzzer, which has a main() of its own.
 *
 *   PROGRAM FILE_OR_DIRECTORY...        runs each file once, and prints how many there were
 *   PROGRAM -random SECONDS [SEED [DIRECTORY [MAX_RUNS]]]
 *                                       runs random inputs: new ones, and changed files of
 *                                       DIRECTORY
 *   PROGRAM                             runs the inputs of afl-fuzz in persistent mode, if it is
 *                                       built with afl-clang-fast
 *
 * A random input that fails is written to $FUZZ_CRASH (default ./crash) before the process ends. Of
 * a file that fails, the name is printed.
 */
#include "fuzz.h"

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

enum { MOST = 512, FILES = 4096 };

static const uint8_t *now_data;
static size_t now_size;
static const char *now_name;

/* Registers a function that a sanitizer calls before it ends the process. The symbol is NULL in a
 * build without sanitizers. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

/* Keeps the input that is running, or prints the name of its file. A signal handler should not call
 * stdio, but the process ends anyway. */
static void keep_input(void)
{
    const char *path = getenv("FUZZ_CRASH");
    FILE *f;
    if (now_name != NULL) fprintf(stderr, "input: %s\n", now_name);
    if (now_data == NULL || now_name != NULL ||
        (f = fopen(path != NULL ? path : "crash", "wb")) == NULL)
        return;
    fwrite(now_data, 1, now_size, f);
    fclose(f);
}

static void on_signal(int number)
{
    keep_input();
    signal(number, SIG_DFL);
    raise(number);
}

static void run(const uint8_t *data, size_t size)
{
    now_data = data, now_size = size;
    (void)LLVMFuzzerTestOneInput(data, size);
    now_data = NULL;
}

/* ---- files ----------------------------------------------------------------------------------- */

static uint8_t *file_data[FILES];
static size_t file_size[FILES], files;
static char *file_name[FILES];

static void read_path(const char *path)
{
    struct stat s;
    if (stat(path, &s) != 0) perror(path), exit(2);
    if (S_ISDIR(s.st_mode)) {
        DIR *d = opendir(path);
        for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
            char name[4096];
            if (e->d_name[0] == '.') continue;
            snprintf(name, sizeof name, "%s/%s", path, e->d_name);
            read_path(name);
        }
        if (d != NULL) closedir(d);
        return;
    }
    FILE *f = fopen(path, "rb");
    if (f == NULL) perror(path), exit(2);
    if (files < FILES) {
        /* With exactly the size of the file, AddressSanitizer finds each read past its end. */
        uint8_t *data = (uint8_t *)malloc(s.st_size > 0 ? (size_t)s.st_size : 1);
        file_size[files] = fread(data, 1, (size_t)s.st_size, f);
        file_name[files] = (char *)malloc(strlen(path) + 1);
        strcpy(file_name[files], path);
        file_data[files++] = data;
    }
    fclose(f);
}

/* ---- random ---------------------------------------------------------------------------------- */

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int random_runs(double seconds, uint64_t seed, uint64_t most)
{
    static uint8_t data[MOST];
    const double begin = seconds_now();
    const clock_t cpu = clock();
    uint64_t state = seed, runs = 0;
    double spent = 0;
    while (runs < most && (runs % 256 != 0 || (spent = seconds_now() - begin) < seconds)) {
        uint64_t z = fuzz_next(&state);
        size_t size = 8 + (size_t)(z >> 56) / 2;
        if (files > 0 && (z & 1)) { /* a file of the directory, with 1 to 8 bytes changed */
            const size_t i = (size_t)(z >> 1 & 0xffffff) % files;
            size = file_size[i] < MOST ? file_size[i] : MOST;
            memcpy(data, file_data[i], size);
            for (unsigned n = (unsigned)(z >> 28 & 7); size > 0; n--) {
                const uint64_t y = fuzz_next(&state);
                data[(y >> 8) % size] = (uint8_t)y;
                if (n == 0) break;
            }
        } else {
            for (size_t i = 0; i < size; i += 8) {
                const uint64_t y = fuzz_next(&state);
                memcpy(data + i, &y, sizeof y);
            }
        }
        /* In api.c and simd.c a high first byte makes a new plan, which takes long. So the first
         * byte is below 128 in all but 1/256 of the inputs. */
        if (z >> 31 & 255) data[0] = z >> 39 & 127;
        run(data, size);
        runs++;
    }
    /* The rate is that of CPU time, so that it does not depend on other programs. */
    spent = (double)(clock() - cpu) / CLOCKS_PER_SEC;
    printf("%llu executions, %.0f a second of CPU time, seed %llu\n", (unsigned long long)runs,
           (double)runs / (spent > 0 ? spent : 1), (unsigned long long)seed);
    return 0;
}

/* ---- main ------------------------------------------------------------------------------------ */

#ifdef __AFL_COMPILER
__AFL_FUZZ_INIT()
#endif

int main(int argc, char **argv)
{
    (void)LLVMFuzzerInitialize(&argc, &argv);
#ifdef __AFL_COMPILER
    if (argc < 2) {
        __AFL_INIT();
        const uint8_t *data = __AFL_FUZZ_TESTCASE_BUF;
        while (__AFL_LOOP(100000)) {
            const size_t size = (size_t)__AFL_FUZZ_TESTCASE_LEN;
            (void)LLVMFuzzerTestOneInput(data, size < MOST ? size : MOST);
        }
        return 0;
    }
#endif
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    if (__sanitizer_set_death_callback != NULL) /* it is not called for abort() */
        __sanitizer_set_death_callback(keep_input), signal(SIGABRT, on_signal);
    else
        for (size_t i = 0; i < FUZZ_COUNT(signals); i++) signal(signals[i], on_signal);
    if (argc > 2 && strcmp(argv[1], "-random") == 0) {
        if (argc > 4) read_path(argv[4]);
        return random_runs(strtod(argv[2], NULL), argc > 3 ? strtoull(argv[3], NULL, 0) : 1,
                           argc > 5 ? strtoull(argv[5], NULL, 0) : UINT64_MAX);
    }
    for (int i = 1; i < argc; i++) read_path(argv[i]);
    for (size_t i = 0; i < files; i++) {
        now_name = file_name[i];
        run(file_data[i], file_size[i]);
    }
    for (size_t i = 0; i < files; i++) free(file_data[i]), free(file_name[i]);
    printf("%zu files replayed\n", files);
    return files == 0;
}
