/* SPDX-License-Identifier: MIT */
/*
 * This header has what the harnesses of tests/fuzz share. Its decoder makes numbers from the bytes
 * of an input; most are ordinary and some are hard. Its memory blocks detect accesses outside of
 * them. Its checks make sure that a refused call has written nothing.
 *
 * A harness consists of LLVMFuzzerInitialize() and LLVMFuzzerTestOneInput(). Either libFuzzer or
 * main.c calls them. The latter serves AFL++, makes random inputs, or replays files. What a harness
 * does depends only on the input, so that each input is a test case.
 *
 * With AddressSanitizer (FUZZ_HEAP), a block is allocated from the heap with exactly the requested
 * size. Otherwise a block is a part of one of FUZZ_PLACES areas of FUZZ_PLACE bytes, each between
 * two inaccessible pages. The block is at one end of its area, where reading too far faults as well
 * as writing. The other side of the block holds canaries, which detect only writing.
 */
#ifndef PE_FUZZ_H
#define PE_FUZZ_H

#ifndef _GNU_SOURCE
    #define _GNU_SOURCE /* MAP_ANONYMOUS under -std=c99 */
#endif

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pe.h"

#if defined(__SANITIZE_ADDRESS__)
    #define FUZZ_HEAP 1
#elif defined(__has_feature)
    #if __has_feature(address_sanitizer)
        #define FUZZ_HEAP 1
    #endif
#endif
#ifndef FUZZ_HEAP
    #define FUZZ_HEAP 0
#endif

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define FUZZ_BIT(status) (UINT64_C(1) << (unsigned)(status))

/* Say what is wrong and stop: libFuzzer, AFL++ and main.c keep the input. */
#define FUZZ_FAIL(...)                                                                             \
    (fprintf(stderr, "FUZZ: %s:%d: ", __FILE__, __LINE__), fprintf(stderr, __VA_ARGS__),           \
     fputc('\n', stderr), abort())

/* ------------------------------------------------------------------------------------------------
 * The input: bytes, then zeros without end
 * --------------------------------------------------------------------------------------------- */

typedef struct fuzz_input {
    const uint8_t *at, *end;
} fuzz_input;

static inline unsigned fuzz_byte(fuzz_input *in) { return in->at < in->end ? *in->at++ : 0u; }

static inline uint64_t fuzz_bytes(fuzz_input *in, int n)
{
    uint64_t bits = 0;
    for (int i = 0; i < n; i++) bits = bits << 8 | fuzz_byte(in);
    return bits;
}

/* Returns a number from 0 to n - 1. One byte chooses it, so n is at most 256. */
static inline size_t fuzz_below(fuzz_input *in, size_t n) { return fuzz_byte(in) % n; }

/* Returns which of n errors the harness has to make in this input: 1 ... n, or 0 for none. Three
   of four values of the byte give 0. */
static inline size_t fuzz_wrong(fuzz_input *in, size_t n)
{
    const size_t b = fuzz_byte(in);
    return b < 192 ? 0 : 1 + (b - 192) % n;
}

static inline double fuzz_double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline float fuzz_float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Returns a position: a small one, one of any size up to 2^31, or one of the hard positions. */
static inline int64_t fuzz_position(fuzz_input *in)
{
    static const int64_t hard[] = {
        2147483648, 2147483647, 2147483646, 2147483640, 709928,  709927,   709929,    65536,
        1048576,    16777216,   16777217,   1000000007, 4913,    83521,    1419857,   24137569,
        410338673,  536870912,  536870911,  268435456,  8388607, 33554432, 123456789, 144};
    const unsigned b = fuzz_byte(in);
    if (b < 96) return (int64_t)b - 32;
    if (b < 144) return b & 1 ? -hard[(b - 96) / 2] : hard[(b - 96) / 2];
    if (b < 192) return (int64_t)(int16_t)fuzz_bytes(in, 2);
    return (int64_t)(int32_t)fuzz_bytes(in, 4);
}

/* Returns a position that must be refused, or one that is nearly refused. */
static inline int64_t fuzz_far(fuzz_input *in)
{
    static const int64_t far[] = {2147483649,    -2147483649,   4294967296,
                                  -4294967296,   INT64_MAX,     INT64_MIN,
                                  INT64_MAX - 1, INT64_MIN + 1, INT64_C(1) << 62};
    const unsigned b = fuzz_byte(in);
    return b < 128 ? far[b % FUZZ_COUNT(far)] : (int64_t)fuzz_bytes(in, 8);
}

/* Returns a size whose product with another size overflows, or nearly does; rarely any size. */
static inline size_t fuzz_huge(fuzz_input *in)
{
    static const uint64_t huge[] = {
        UINT64_C(1) << 31,       (UINT64_C(1) << 31) + 1, UINT64_C(1) << 32,
        (UINT64_C(1) << 32) + 1, (UINT64_C(1) << 32) + 2, UINT64_C(1) << 60,
        UINT64_C(1) << 61,       UINT64_C(1) << 62,       (UINT64_C(1) << 62) + 1,
        UINT64_C(1) << 63,       (UINT64_C(1) << 63) - 1, UINT64_MAX,
        UINT64_MAX / 2,          UINT64_MAX / 4,          UINT64_MAX / 8,
        UINT64_MAX / 16 + 1,     UINT64_MAX / 8 + 1,      UINT64_MAX / 4 + 1,
        UINT64_MAX / 3 + 1,      UINT64_MAX / 6 + 1};
    const unsigned b = fuzz_byte(in);
    return b < 200 ? (size_t)(huge[b % FUZZ_COUNT(huge)]) : (size_t)fuzz_bytes(in, 8);
}

/* Returns a double: a small number with a fraction, a hard one, or one with any bits. */
static inline double fuzz_double(fuzz_input *in)
{
    static const double hard[] = {0.0,    -0.0,    1.0,    -1.0,    0.5,          1e-300,
                                  1e300,  2097152, 1e-308, 5e-324,  1024,         1e100,
                                  1e-100, 10000,   1e18,   9.1e-13, 2147483648.0, 4294967296.0};
    const unsigned b = fuzz_byte(in);
    if (b < 112) return (double)(int)fuzz_byte(in) / (double)(1u << (b & 7)) - (double)(b >> 3);
    if (b < 208) return hard[b % FUZZ_COUNT(hard)];
    if (b < 220) return b & 1 ? (double)INFINITY : -(double)INFINITY;
    if (b < 224) return (double)NAN;
    return fuzz_double_of(fuzz_bytes(in, 8));
}

/* Returns a real position in the range [-2^31, 2^31]. */
static inline double fuzz_real(fuzz_input *in)
{
    const unsigned b = fuzz_byte(in);
    const double p = (double)fuzz_position(in);
    const double fraction = b < 128 ? 0 : (double)(b & 15) / 16 + (b & 64 ? 1e-9 : 0);
    const double t = p + fraction;
    return t <= 2147483648.0 && t >= -2147483648.0 ? t : p;
}

static inline double fuzz_real_far(fuzz_input *in)
{
    static const double far[] = {2147483648.5, -2147483648.5, 1e300, -1e18};
    const unsigned b = fuzz_byte(in);
    if (b < 64) return b & 1 ? (double)INFINITY : -(double)INFINITY;
    return b < 128 ? (double)NAN : far[b % 4];
}

/* ------------------------------------------------------------------------------------------------
 * Elements: f32, f64, f16, bf16
 * --------------------------------------------------------------------------------------------- */

typedef enum fuzz_type { FUZZ_F32, FUZZ_F64, FUZZ_F16, FUZZ_BF16, FUZZ_TYPES } fuzz_type;

static inline size_t fuzz_size(fuzz_type t) { return t == FUZZ_F32 ? 4 : t == FUZZ_F64 ? 8 : 2; }

/* Returns the next number of the generator splitmix64. */
static inline uint64_t fuzz_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* Writes n pseudo-random elements. If seed % 4 is 3, they have any bits, infinities and NaNs
   included. Otherwise their magnitudes are between 1/4 and 4. */
static inline void fuzz_elements(fuzz_type t, void *to, size_t n, unsigned seed)
{
    static const uint16_t hard[2][8] = {
        {0x7c00, 0xfc00, 0x7e00, 0x0001, 0x8000, 0x7bff, 0x03ff, 0x3c00},
        {0x7f80, 0xff80, 0x7fc0, 0x0001, 0x8000, 0x7f7f, 0x007f, 0x3f80}};
    unsigned char *p = (unsigned char *)to;
    uint64_t state = seed;
    const int any = seed % 4 == 3;
    for (size_t i = 0; i < n; i++, p += fuzz_size(t)) {
        const uint64_t z = fuzz_next(&state);
        if (t == FUZZ_F64) {
            uint64_t bits = any ? z : (z & ~(UINT64_C(0x7ff) << 52)) | UINT64_C(0x3fe) << 52;
            memcpy(p, &bits, sizeof bits);
        } else if (t == FUZZ_F32) {
            uint32_t bits = (uint32_t)z;
            if (!any) bits = (bits & 0x807fffffu) | (0x7du + (uint32_t)(z >> 62)) << 23;
            else if ((z >> 60) == 0) bits = (uint32_t)hard[1][z >> 57 & 7] << 16;
            memcpy(p, &bits, sizeof bits);
        } else {
            uint16_t bits = (uint16_t)z;
            if (any && (z >> 60) == 0) bits = hard[t == FUZZ_BF16][z >> 57 & 7];
            else if (!any && t == FUZZ_F16)
                bits = (uint16_t)((bits & 0x83ffu) | (0xdu + (unsigned)(z >> 62)) << 10);
            else if (!any) bits = (uint16_t)((bits & 0x807fu) | (0x7du + (unsigned)(z >> 62)) << 7);
            memcpy(p, &bits, sizeof bits);
        }
    }
}

/* Returns whether this element is a NaN. */
static inline int fuzz_is_nan(fuzz_type t, const unsigned char *p)
{
    uint64_t f64;
    uint32_t f32;
    uint16_t f16;
    switch (t) {
    case FUZZ_F64: memcpy(&f64, p, sizeof f64); return f64 << 1 > UINT64_C(0x7ff) << 53;
    case FUZZ_F32: memcpy(&f32, p, sizeof f32); return (uint32_t)(f32 << 1) > 0xff000000u;
    case FUZZ_F16: memcpy(&f16, p, sizeof f16); return (f16 & 0x7fff) > 0x7c00;
    default: memcpy(&f16, p, sizeof f16); return (f16 & 0x7fff) > 0x7f80;
    }
}

/* Returns whether two elements have the same bits. memcmp() is not used: its masked loads reach
   into an inaccessible page, which takes as long as comparing a hundred elements. */
static inline int fuzz_equal(const void *a, const void *b, size_t size)
{
    uint64_t x = 0, y = 0;
    if (size == 2) memcpy(&x, a, 2), memcpy(&y, b, 2);
    else if (size == 4) memcpy(&x, a, 4), memcpy(&y, b, 4);
    else memcpy(&x, a, 8), memcpy(&y, b, 8);
    return x == y;
}

/* Returns whether the n elements at a and b are equal. Two NaNs count as equal, because pe promises
   neither the sign nor the payload of a NaN. */
static inline int fuzz_same(fuzz_type t, const void *a, const void *b, size_t n)
{
    const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
    const size_t size = fuzz_size(t);
    if (memcmp(x, y, n * size) == 0) return 1;
    for (size_t i = 0; i < n; i++, x += size, y += size)
        if (!fuzz_equal(x, y, size) && !(fuzz_is_nan(t, x) && fuzz_is_nan(t, y))) return 0;
    return 1;
}

/* ------------------------------------------------------------------------------------------------
 * Memory
 * --------------------------------------------------------------------------------------------- */

#define FUZZ_CANARY 0xC3

enum { FUZZ_PLACES = 16, FUZZ_PLACE = 131072, FUZZ_MARGIN = 128 };

typedef struct fuzz_block {
    unsigned char *begin;
    size_t bytes;
    int at_end; /* 1: an inaccessible page follows the block; 0: one precedes it */
} fuzz_block;

typedef struct fuzz_memory {
    unsigned char *place[FUZZ_PLACES]; /* the areas; not used with FUZZ_HEAP */
    fuzz_block block[FUZZ_PLACES];
    unsigned char saved[FUZZ_PLACES][FUZZ_PLACE]; /* what fuzz_save() copied from the blocks */
    size_t saved_bytes[FUZZ_PLACES];              /* 0 for a block that is not saved */
    size_t used;                                  /* the number of blocks that are taken */
} fuzz_memory;

static fuzz_memory fuzz_all;

static inline void fuzz_memory_make(void)
{
#if !FUZZ_HEAP
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < FUZZ_PLACES; i++) {
        unsigned char *map = (unsigned char *)mmap(NULL, FUZZ_PLACE + 2 * page, PROT_NONE,
                                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (map == MAP_FAILED || mprotect(map + page, FUZZ_PLACE, PROT_READ | PROT_WRITE) != 0)
            perror("guard pages"), exit(2);
        fuzz_all.place[i] = map + page;
    }
#endif
}

/* Returns a block of this many bytes, full of canaries, for the harness to fill. Its elements
   are aligned if `bytes` is a multiple of their size. No block is larger than FUZZ_PLACE. */
static inline void *fuzz_take(size_t bytes, int at_end)
{
    const size_t i = fuzz_all.used++;
    fuzz_block *b = &fuzz_all.block[i];
    if (i >= FUZZ_PLACES || bytes > FUZZ_PLACE)
        FUZZ_FAIL("the harness takes too much: block %zu of %zu bytes", i, bytes);
    b->bytes = bytes, b->at_end = at_end;
    fuzz_all.saved_bytes[i] = 0;
#if FUZZ_HEAP
    b->begin = (unsigned char *)malloc(bytes);
    if (b->begin == NULL) exit(2);
    memset(b->begin, FUZZ_CANARY, bytes);
#else
    const size_t margin = FUZZ_PLACE - bytes < FUZZ_MARGIN ? FUZZ_PLACE - bytes : FUZZ_MARGIN;
    b->begin = fuzz_all.place[i] + (at_end ? FUZZ_PLACE - bytes : 0);
    memset(at_end ? b->begin - margin : b->begin, FUZZ_CANARY, bytes + margin);
#endif
    return b->begin;
}

/* Saves what is in the last n blocks taken. */
static inline void fuzz_save(size_t n)
{
    for (size_t i = fuzz_all.used - n; i < fuzz_all.used; i++) {
        memcpy(fuzz_all.saved[i], fuzz_all.block[i].begin, fuzz_all.block[i].bytes);
        fuzz_all.saved_bytes[i] = fuzz_all.block[i].bytes;
    }
}

/* Returns what was in this block when it was saved. */
static inline const unsigned char *fuzz_saved(const void *begin)
{
    size_t i = 0;
    while (fuzz_all.block[i].begin != begin) i++;
    return fuzz_all.saved[i];
}

/* Replaces the saved bytes of this block by zeros: fuzz_unwritten() then fails unless the call has
   set the block to zeros. A plan has to be zeros after an error. */
static inline void fuzz_zeros(const void *begin)
{
    size_t i = 0;
    while (fuzz_all.block[i].begin != begin) i++;
    memset(fuzz_all.saved[i], 0, fuzz_all.saved_bytes[i]);
}

/* Fails if a block differs from what was saved of it. fuzz_release() checks the bytes beside the
   blocks. */
static inline void fuzz_unwritten(const char *what)
{
    for (size_t i = 0; i < fuzz_all.used; i++)
        if (memcmp(fuzz_all.saved[i], fuzz_all.block[i].begin, fuzz_all.saved_bytes[i]) != 0)
            FUZZ_FAIL("%s: an error, and block %zu was written", what, i);
}

/* Gives back all blocks except the first `keep`. Fails if anything was written beside one of the
   blocks that are given back. With FUZZ_HEAP, AddressSanitizer finds such writes. */
static inline void fuzz_release(size_t keep)
{
    while (fuzz_all.used > keep) {
        fuzz_block *b = &fuzz_all.block[--fuzz_all.used];
#if FUZZ_HEAP
        free(b->begin);
#else
        const size_t margin =
            FUZZ_PLACE - b->bytes < FUZZ_MARGIN ? FUZZ_PLACE - b->bytes : FUZZ_MARGIN;
        const unsigned char *m = b->at_end ? b->begin - margin : b->begin + b->bytes;
        if (margin && (*m != FUZZ_CANARY || memcmp(m, m + 1, margin - 1) != 0))
            FUZZ_FAIL("written %s block %zu of %zu bytes", b->at_end ? "before" : "behind",
                      fuzz_all.used, b->bytes);
#endif
    }
}

/* ------------------------------------------------------------------------------------------------
 * What a call may return
 * --------------------------------------------------------------------------------------------- */

/* Checks the status of a call. `may` has the errors that its arguments have, as FUZZ_BIT()s. If
   there are none, the call has to succeed. Otherwise it has to report one of them, and nothing
   may be written. Returns 1 if the call succeeded. */
static inline int fuzz_status(const char *what, pe_status status, uint64_t may)
{
    const char *text = pe_status_string(status);
    if ((unsigned)status > (unsigned)PE_ERR_SELFTEST || text == NULL || strlen(text) < 5)
        FUZZ_FAIL("%s: %d is no status", what, (int)status);
    if (may == 0 && status != PE_OK)
        FUZZ_FAIL("%s: status %d, but nothing is wrong", what, (int)status);
    if (may != 0 && !(may & FUZZ_BIT(status)))
        FUZZ_FAIL("%s: status %d, but wrong are 0x%" PRIx64, what, (int)status, may);
    if (status != PE_OK) fuzz_unwritten(what);
    return status == PE_OK;
}

/* Returns a * b + c, or SIZE_MAX if that is too large. */
static inline size_t fuzz_mul_add(size_t a, size_t b, size_t c)
{
    if (b != 0 && a > SIZE_MAX / b) return SIZE_MAX;
    return a * b > SIZE_MAX - c ? SIZE_MAX : a * b + c;
}

/* Returns the errors of `rows` rows of `width` elements, for rows > 0: PE_ERR_SHAPE if the rows
   overlap, PE_ERR_SIZE if their size is larger than PTRDIFF_MAX. *bytes is their size, without the
   gap after the last row, or SIZE_MAX if it overflows. `element` is the size of an element. */
static inline uint64_t fuzz_shape(size_t width, size_t rows, size_t stride, size_t element,
                                  size_t *bytes)
{
    const size_t span = fuzz_mul_add(rows - 1, stride, width);
    uint64_t may = 0;
    if (stride < width) may |= FUZZ_BIT(PE_ERR_SHAPE);
    /* the library counts the gap after the last row too */
    if (fuzz_mul_add(rows, stride, 0) > (size_t)PTRDIFF_MAX / element) may |= FUZZ_BIT(PE_ERR_SIZE);
    *bytes = fuzz_mul_add(span, element, 0);
    return may;
}

static inline int fuzz_position_ok(int64_t p)
{
    return p >= -(INT64_C(1) << 31) && p <= INT64_C(1) << 31;
}

/* Returns the errors of the positions first, first + 1, ..., for rows > 0. */
static inline uint64_t fuzz_range(int64_t first, size_t rows)
{
    const int64_t limit = INT64_C(1) << 31;
    if (!fuzz_position_ok(first) || (uint64_t)rows > (uint64_t)(limit - first) + 1)
        return FUZZ_BIT(PE_ERR_RANGE);
    return 0;
}

#endif /* PE_FUZZ_H */
