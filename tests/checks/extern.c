/* SPDX-License-Identifier: MIT
 *
 * extern.sh compiles this file several times, as C and C++, for one program. With -DFILE_NAME=NAME
 * it uses pe, with functions of its own or of pe.c, and defines a struct `user` of that name.
 * Without, it is main(), which does not include pe.h.
 */
#include <stddef.h>
#include <stdint.h>

#ifdef FILE_NAME
#include "pe.h"

#if defined(PE__STATUSES) || defined(PE__DEFINE) || defined(PE_API)
#error "pe.h leaves a private macro behind"
#endif
#endif

/* Holds the functions of a file that uses pe, for main(). */
#ifdef __cplusplus
extern "C" {
#endif
typedef struct user {
    const char *(*isa)(void);
    uint64_t (*hash)(void *memory, size_t bytes); /* returns a hash of what the file computes */
    size_t (*plan)(void *memory, size_t bytes);   /* makes a plan, and returns its offset, or 0 */
    uint64_t (*use)(const void *memory, size_t offset); /* returns a hash computed with that plan */
    void (*address)(void); /* the address of the file's pe_fill_f32() */
} user;

#ifdef FILE_NAME
extern const user FILE_NAME;
#else
extern const user linked_c, linked_cpp, inline_c, inline_cpp;
#endif
#ifdef __cplusplus
}
#endif

#ifdef FILE_NAME

#include <string.h>

static uint64_t mix(uint64_t h, const void *data, size_t bytes)
{
    const unsigned char *p = (const unsigned char *)data;
    for (size_t i = 0; i < bytes; i++) h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return h;
}

enum { N = 20, D = 64 };
static const int32_t list[N] = {5,  4,  3,  3,  100000, 7, 8, 9, 10, 0,
                                -1, -2, -3, 40, 2,      1, 0, 6, 6,  9};

/* Returns a hash of the results and statuses of calls with a plan, which share one buffer. */
static uint64_t by_plan(const pe_plan *plan)
{
    const pe_heads heads = {2, D, 2 * D};
    union {
        float f32[2 * N * D];
        double f64[N * D];
        uint16_t u16[2 * N * D];
    } x;
    pe_status s;
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < 2 * N * D; i++) x.f32[i] = (float)i;
#define TAKE(call) s = call, h = mix(h ^ (uint64_t)s, &x, sizeof x)
    TAKE(pe_fill_f32(plan, pe_from(-3), N, x.f32, D));
    TAKE(pe_add_f32(plan, pe_at_i32(list), N, 0.5f, x.f32, D));
    TAKE(pe_shift_f32(plan, pe_all(77), N, x.f32, D));
    TAKE(pe_rope_f32(plan, pe_back(pe_from(1000)), N, x.f32, heads));
    TAKE(pe_rope_table_f32(plan, pe_from_by(0, -5), N, PE_ROPE_TABLE_TWICE, x.f32, x.f32 + N * D, D,
                           NULL));
    TAKE(pe_dot_f64(plan, pe_from(0), N, x.f64));
    TAKE(pe_fill_f64(plan, pe_skip(pe_at_i32(list), 2), N - 2, x.f64, D));
    memset(&x, 0x3c, sizeof x); /* no element is then a NaN, whose sign is not defined */
    TAKE(pe_fill_f16(plan, pe_from(1 << 20), N, x.u16, D));
    TAKE(pe_add_bf16(plan, pe_delta(pe_from(9)), N, 1, x.u16, D));
    TAKE(pe_rope_bf16(plan, pe_at_i32(list), N, x.u16, heads));
    return h;
}

static size_t make_plan(void *memory, size_t bytes)
{
    pe_config config = pe_config_default(D);
    config.layout = PE_LAYOUT_HALVES, config.offset = 0.25;
    const size_t size = pe_plan_size(&config), at = (size + 63) / 64 * 64;
    if (size == 0 || at + sizeof(pe_plan) > bytes) return 0;
    pe_plan *const plan = (pe_plan *)(void *)((unsigned char *)memory + at);
    return pe_plan_init(plan, &config, memory, size) == PE_OK ? at : 0;
}

static uint64_t use_plan(const void *memory, size_t offset)
{
    return by_plan((const pe_plan *)(const void *)((const unsigned char *)memory + offset));
}

static uint64_t all_of_it(void *memory, size_t bytes)
{
    float bias[4 * 9], slopes[4];
    const size_t offset = make_plan(memory, bytes);
    uint64_t h = offset ? use_plan(memory, offset) : 0;
    h ^= (uint64_t)pe_alibi_slopes_f32(4, 8.0f, slopes) + (uint64_t)pe_version();
    h ^= (uint64_t)pe_alibi_fill_f32(slopes, 4, PE_ALIBI_CAUSAL, pe_from(2), 1, pe_from(0), 9, bias,
                                     9, 9);
    return mix(h, bias, sizeof bias);
}

typedef void function(void);
const user FILE_NAME = {pe_isa_name, all_of_it, make_plan, use_plan, (function *)pe_fill_f32};

#else

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    static union {
        unsigned char bytes[1 << 16];
        double align;
    } memory;
    const user *const users[] = {&linked_c, &linked_cpp, &inline_c, &inline_cpp};
    static const char *const names[] = {"linked C", "linked C++", "inline C", "inline C++"};
    uint64_t want = 0;
    int wrong = argc != 2;
    for (int i = 0; i < 4; i++) {
        const uint64_t h = users[i]->hash(memory.bytes, sizeof memory.bytes);
        printf("%-10s %-8s %016" PRIx64 "\n", names[i], users[i]->isa(), h);
        if (i == 0) want = h;
        wrong |= h != want || h == 0;
        /* The linked files must use the instruction set that pe.c was compiled for, argv[1]. The
           other files must use scalar code. */
        if (i < 2) wrong |= argc != 2 || strcmp(users[i]->isa(), argv[1]) != 0;
        else wrong |= strcmp(users[i]->isa(), "scalar") != 0;
    }
    wrong |= linked_c.address != linked_cpp.address || inline_c.address == linked_c.address ||
             inline_cpp.address == linked_c.address || inline_cpp.address == inline_c.address;
    /* Every file can use a plan that another one made. */
    for (int i = 0; i < 4; i++) {
        const size_t offset = users[i]->plan(memory.bytes, sizeof memory.bytes);
        want = users[i]->use(memory.bytes, offset);
        for (int j = 0; j < 4; j++)
            if (offset == 0 || users[j]->use(memory.bytes, offset) != want) {
                printf("other bits of %s's plan in %s\n", names[i], names[j]);
                wrong = 1;
            }
    }
    puts(wrong ? "not the same" : "the same bits from 4 files");
    return wrong;
}

#endif
