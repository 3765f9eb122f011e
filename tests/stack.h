/* SPDX-License-Identifier: MIT */
/*
 * How much stack calls take: paint the stack of a thread, run the calls on it, each in a thread of
 * its own, and look how far the paint is gone.
 *
 *     stack_open(&p);  stack_run(&p, call, argument) ...  stack_used(&p);  stack_close(&p);
 *
 * What a thread itself needs is measured first, and left out. The first call of a function of a
 * shared library may take more, for the dynamic linker: make it once before.
 */
#ifndef PE_TESTS_STACK_H
#define PE_TESTS_STACK_H

#include "common.h"

#include <pthread.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    #define SANITIZED 1
#elif defined(__has_feature)
    #if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
        #define SANITIZED 1
    #endif
#endif
#ifndef SANITIZED
    #define SANITIZED 0 /* 1: the stack of a call is not its own */
#endif

enum { STACK_BYTES = 1 << 18 };

typedef struct painted {
    guarded stack;
    size_t idle;
} painted;

static void *stack_nothing(void *argument) { return argument; }

/* run(argument) in a thread on the painted stack; what it returns. */
static void *stack_run(painted *p, void *(*run)(void *), void *argument)
{
    pthread_attr_t attributes;
    pthread_t thread;
    void *result = NULL;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstack(&attributes, p->stack.begin, STACK_BYTES), 0);
    assert_int_equal(pthread_create(&thread, &attributes, run, argument), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    pthread_attr_destroy(&attributes);
    return result;
}

/* Bytes whose paint is gone; then the whole stack is painted again. */
static size_t stack_used(painted *p)
{
    size_t untouched = 0;
    while (untouched < STACK_BYTES && p->stack.begin[untouched] == CANARY) untouched++;
    memset(p->stack.begin, CANARY, STACK_BYTES);
    return STACK_BYTES - untouched - p->idle;
}

static void stack_open(painted *p)
{
    p->stack = guarded_make(STACK_BYTES);
    p->idle = 0;
    (void)stack_used(p); /* paints */
    (void)stack_run(p, stack_nothing, NULL);
    p->idle = stack_used(p);
}

static void stack_close(painted *p) { guarded_free(&p->stack); }

#endif /* PE_TESTS_STACK_H */
