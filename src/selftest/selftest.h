/* SPDX-License-Identifier: MIT */
/* The self test hashes small tables and compares the hash with a constant. Tested by
 * tests/unit/selftest/test_selftest.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/options.h"
#include "../api/types.h"
#include "../api/contract.h"
#include "../rope/contract_config.h"
#include "../rope/contract.h"
#include "../scores/contract_alibi.h"
#include "../plan/config.h"
#include "../plan/make.h"
#include "../rows/call.h"
#include "../rope/config.h"
#include "../rope/attention.h"
#include "../algebra/shift.h"
#include "../scores/alibi.h"
#include "../learned/resample.h"
#include "../calls/each_type.h"

/* ---- 14. self test ------------------------------------------------------------------------------
 * The bits of each element are hashed as an integer, so that the byte order does not matter. The
 * constant in pe_selftest() is the same in every build. It changes only if results or these tests
 * change. If a build computes another hash, tests/unit/selftest/test_selftest.c prints it. */

enum { PE__TEST_D = 18, PE__TEST_STRIDE = 19, PE__TEST_ROWS = 30, PE__TESTS = 11 };
enum { PE__TEST_N = PE__TEST_ROWS * PE__TEST_STRIDE };

typedef struct pe__test {
    union {
        float a_f32[PE__TEST_N];
        double a_f64[PE__TEST_N];
        uint16_t a_f16[PE__TEST_N], a_bf16[PE__TEST_N];
    } x;
    pe_plan plan;
    int64_t zero; /* 0, read from a volatile. With a constant, compilers might compute results at
                     compile time, with their own rounding */
    int64_t list[PE__TEST_ROWS];
    double real[PE__TEST_ROWS];
    uint64_t hash;
} pe__test;

/* Add a status and all elements of x to the hash. Each element has `size` bytes: 2, 4 or 8. */
PE__WRAPS
static inline void pe__test_take(pe__test *t, pe_status status, size_t size)
{
    uint64_t h = (t->hash ^ (uint64_t)status) * UINT64_C(0xff51afd7ed558ccd), b = 0;
    uint32_t word;
    uint16_t half;
    for (size_t i = 0; i < PE__TEST_N; i++) {
        if (size == 8) memcpy(&b, t->x.a_f64 + i, 8);
        else if (size == 4) {
            memcpy(&word, t->x.a_f32 + i, 4);
            b = word;
        } else {
            memcpy(&half, t->x.a_f16 + i, 2);
            b = half;
        }
        h = (h ^ b) * UINT64_C(0xff51afd7ed558ccd);
        h ^= h >> 32;
    }
    t->hash = h;
}

/* Add rows of a plan to the hash. Five calls have consecutive positions: they begin at the first
   five positions of the list and go towards 0, the fifth beyond it. The next calls have the cells
   of a grid, a list of integers and a list of reals. Two calls of pe_add_T follow and, unless the
   plan has PE_ANGLE_FLOAT32, one of pe_shift_T. */
#define PE__TAKE(call) pe__test_take(t, call, sizeof *x)
#define PE__TEST_FILL(T, element)                                                                  \
    PE__OUTLINE void pe__test_rows_##T(pe__test *t)                                                \
    {                                                                                              \
        enum { n = PE__TEST_ROWS, stride = PE__TEST_STRIDE };                                      \
        const size_t shape[2] = {n, 2};                                                            \
        const int64_t zero = t->zero, *const list = t->list;                                       \
        const pe_plan *const p = &t->plan;                                                         \
        element *const x = t->x.a_##T;                                                             \
        for (size_t k = 0; k < 5; k++)                                                             \
            PE__TAKE(pe_fill_##T(p, pe_from_by(list[k], list[k] > 0 ? -1 : 1), n, x, stride));     \
        PE__TAKE(pe_fill_##T(p, pe_grid(shape, p->axes), n, x, stride));                           \
        PE__TAKE(pe_fill_##T(p, pe_at_i64(list), n, x, stride));                                   \
        PE__TAKE(pe_fill_##T(p, pe_at_f64(t->real), n, x, stride));                                \
        PE__TAKE(pe_add_##T(p, pe_from(zero + 77), n, 1, x, stride));                              \
        PE__TAKE(pe_add_##T(p, pe_from(zero - 99), n, -3, x, stride));                             \
        if (!p->float32) PE__TAKE(pe_shift_##T(p, pe_all(zero - 1234567), n, x, stride));          \
    }
PE__TEST_FILL(f32, float)
PE__TEST_FILL(f64, double)
PE__TEST_FILL(f16, uint16_t)
PE__TEST_FILL(bf16, uint16_t)
#undef PE__TEST_FILL

/* Fill two heads of each token and hash them. Hash them again after they are rotated forward, as
   halves, and after they are rotated backward, as interleaved pairs. Then hash biases of ALiBi that
   are added and filled, and rows of a learned table that are added. Last, hash heads whose pairs
   (a, b) are (3, 1) or (-1, 3), rotated by the sine s = 3 and the cosine c = 1 + 2^-23. Then
   a' = a c - b s or b' = b c + a s is a difference of two nearly equal products. The product with c
   is rounded first, so the difference is 2^-21. If that product were fused with the difference, the
   result would be 3 * 2^-23. The macro's parameters one, minus and three are the elements 1, -1
   and 3. */
#define PE__TEST_ROTATE(T, element, one, minus, three)                                             \
    PE__OUTLINE void pe__test_rotate_##T(pe__test *t)                                              \
    {                                                                                              \
        enum { n = PE__TEST_ROWS / 2, head = PE__TEST_STRIDE, token = 2 * PE__TEST_STRIDE };       \
        const float slopes[2] = {-0.4375f, 0.0123f};                                               \
        const pe_heads heads = {2, head, token};                                                   \
        const int64_t zero = t->zero;                                                              \
        const pe_plan *const p = &t->plan;                                                         \
        pe_plan halves = *p;                                                                       \
        element table[n * head], *const x = t->x.a_##T;                                            \
        halves.layout = PE_LAYOUT_HALVES;                                                          \
        PE__TAKE(pe_fill_##T(p, pe_from(zero + 9), 2 * n, x, head));                               \
        memcpy(table, x, sizeof table);                                                            \
        PE__TAKE(pe_rope_##T(&halves, pe_from(zero + 4000), n, x, heads));                         \
        PE__TAKE(pe_rope_##T(p, pe_back(pe_at_i64(t->list)), n, x, heads));                        \
        const pe_at keys = pe_from(0);                                                             \
        PE__TAKE(pe_alibi_add_##T(slopes, 2, PE_ALIBI_SYMMETRIC, pe_from(zero + 5), 3, keys, 40,   \
                                  x, 41, 123));                                                    \
        PE__TAKE(pe_learned_add_##T(table, n, head, pe_from_by(zero + n - 1, -1), n, x, token));   \
        PE__TAKE(pe_alibi_add_##T(slopes, 2, PE_ALIBI_CAUSAL, pe_from(zero + 99990), 3, keys, 40,  \
                                  x, 41, 123));                                                    \
        PE__TAKE(pe_alibi_fill_##T(slopes, 2, PE_ALIBI_CAUSAL, pe_from(zero + 20), 3, keys, 40, x, \
                                   41, 123));                                                      \
        const pe_heads wide = {4, 128, 512};                                                       \
        float sines[64], cosines[64];                                                              \
        const pe_rope_table by = {cosines, sines, PE_TYPE_F32, PE_ROPE_TABLE_APART, 64, 1, 64};    \
        for (size_t i = 0; i < 64; i++) sines[i] = 3, cosines[i] = 1 + FLT_EPSILON;                \
        for (size_t k = 0; k < 4; k++) {                                                           \
            const pe_layout layout = k % 2 ? PE_LAYOUT_INTERLEAVED : PE_LAYOUT_HALVES;             \
            for (size_t i = 0; i < 512; i++)                                                       \
                x[i] = (k % 2 ? i : i / 64) % 2 == k / 2 ? three : k / 2 ? minus : one;            \
            PE__TAKE(pe_rope_by_table_##T(&by, layout, pe_from(zero), 1, x, wide));                \
        }                                                                                          \
    }
PE__TEST_ROTATE(f32, float, 1, -1, 3)
PE__TEST_ROTATE(f16, uint16_t, 0x3c00, 0xbc00, 0x4200)
PE__TEST_ROTATE(bf16, uint16_t, 0x3f80, 0xbf80, 0x4040)
#undef PE__TEST_ROTATE

/* Hash which elements are NaNs after heads of NaNs are rotated and rounded from f32 to f16 and
   bf16. The bits of a NaN are not hashed, since its sign differs between machines. The NaN in `in`
   has a payload of all ones. A build that assumes that there are no NaNs, and so rounds it as other
   floats, carries into its sign bit: the bf16 is then a zero. */
PE__OUTLINE void pe__test_nans(pe__test *t)
{
    enum { head = 64, all = 4 * head };
    const pe_heads heads = {4, head, all};
    const uint32_t nan = 0x7fffffff;
    pe_config config = pe_config_default(head);
    double memory[128]; /* at least pe_plan_size() for one row; else the plan is refused */
    float in[all];
    uint16_t *const x = t->x.a_f16;
    for (size_t i = 0; i < all; i++) memcpy(in + i, &nan, sizeof nan);
    config.layout = PE_LAYOUT_HALVES;
    config.expected_rows = 1;
    config.base += (double)t->zero;
    PE__TAKE(pe_plan_init(&t->plan, &config, memory, sizeof memory));
    for (int type = 0; type < 2; type++) {
        const pe_at positions = pe_from(t->zero + 3);
        const uint16_t infinity = type == 0 ? 0x7c00 : 0x7f80;
        const pe_status status =
            type == 0 ? pe_rope_to_f32_f16(&t->plan, positions, 1, head, in, heads, x, heads)
                      : pe_rope_to_f32_bf16(&t->plan, positions, 1, head, in, heads, x, heads);
        for (size_t i = 0; i < all; i++) x[i] = (x[i] & 0x7fff) > infinity;
        PE__TAKE(status);
    }
}

/* Hash results of four functions that need no plan: frequencies of YaRN, slopes of ALiBi, a table
   of pe_sinusoidal_f32(), and this table resampled as a learned table. The self test leaves out
   pe_dot_f64(), which takes 32 KB more of stack. */
PE__OUTLINE void pe__test_rest(pe__test *t)
{
    pe_rope_config rope = pe_rope_config_default(PE__TEST_D);
    float table[9 * PE__TEST_D], *const x = t->x.a_f32;
    double *const omega = t->x.a_f64;
    rope.rope_type = PE_ROPE_YARN;
    rope.factor = 8 + (double)t->zero;
    rope.original_max_position_embeddings = 4096;
    const pe_status status = pe_rope_frequencies(&rope, omega, omega + PE__TEST_D);
    /* Split each double into its low and its high 32 bits, in this order on every machine. PE__TAKE
       then hashes them as the bits of two floats. */
    for (size_t i = 0; i < 2 * PE__TEST_D; i++) {
        const uint64_t bits = pe__double_bits(omega[i]);
        const uint32_t words[2] = {(uint32_t)bits, (uint32_t)(bits >> 32)};
        memcpy(omega + i, words, sizeof words);
    }
    PE__TAKE(status);
    PE__TAKE(pe_alibi_slopes_f32(12, 8, x));
    PE__TAKE(pe_sinusoidal_f32(x, PE__TEST_ROWS, PE__TEST_D));
    memcpy(table, x, sizeof table);
    PE__TAKE(pe_learned_resample_f32(table, 9, 1, PE__TEST_D, NULL, x, 31, 1));
}
#undef PE__TAKE

/* Returns the hash of all parts. Before each part a new plan is made, which all parts use except
   the last two. A part whose plan is refused is left out, which changes the hash. */
PE__OUTLINE uint64_t pe__selftest(int64_t zero)
{
    static void (*const parts[PE__TESTS])(pe__test *) = {
        pe__test_rows_f64,    pe__test_rows_f64,  pe__test_rows_f64,   pe__test_rows_f32,
        pe__test_rows_f16,    pe__test_rows_bf16, pe__test_rotate_f32, pe__test_rotate_f16,
        pe__test_rotate_bf16, pe__test_nans,      pe__test_rest};
    /* The first two positions are the largest and the smallest one. Then come the last of 128K
       tokens, one that a float cannot hold, and one from which the rows of a run cross 0. Each of
       the last four has an element whose distance from a midpoint of two floats is below 2^-32
       units in the last place. */
    static const int64_t edge_positions[] = {
        2147483647,  -INT64_C(2147483648), 131071,      -16777217, -20,
        -1773804743, 1896201758,           -1709504159, 1803184376};
    double memory[4416 / sizeof(double)]; /* at least pe_plan_size(); else the plan is refused */
    pe__test test;
    test.zero = zero;
    test.hash = 0;
    for (size_t k = 0; k < PE__TEST_ROWS; k++) {
        test.list[k] = zero + (k < 9 ? edge_positions[k] : (int64_t)(k * k) * 48271 - 1000003);
        test.real[k] = (double)(test.list[k] / 2) + 0.3125;
    }
    for (size_t k = 0; k < PE__TESTS; k++) {
        const pe_preset preset = k == 1   ? PE_PRESET_LDM
                                 : k == 2 ? PE_PRESET_T2T_ND
                                          : PE_PRESET_VASWANI;
        pe_config config = pe_config_preset(preset, PE__TEST_D);
        config.base += (double)zero;
        if (k == 1 || k == 2) config.angle = PE_ANGLE_FLOAT32;
        if (k == 1) {
            config.amplitude = 0.7;
            config.offset = 0.25;
        }
        if (pe_plan_init(&test.plan, &config, memory, sizeof memory) != PE_OK) continue;
        memset(&test.x, 0, sizeof test.x);
        parts[k](&test);
    }
    return test.hash;
}

PE_API pe_status pe_selftest(void)
{
    volatile int64_t zero = 0; /* so that nothing is computed at compile time */
    return pe__selftest(zero) == UINT64_C(0x1db1f4c2dfb40ac1) ? PE_OK : PE_ERR_SELFTEST;
}
