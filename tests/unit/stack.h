/* SPDX-License-Identifier: MIT */
/*
 * Measures how much stack calls take. It paints a stack, that is, fills it with the byte CANARY.
 * Then it runs each call in a thread of its own on this stack, and looks how far down the paint was
 * overwritten.
 *
 *     stack_open(&p);  stack_run(&p, call, argument) ...  stack_used(&p);  stack_close(&p);
 *
 * The first call of a function of a shared library may take more stack, because of the dynamic
 * linker. So call such a function once before measuring it.
 */
#ifndef PE_TESTS_STACK_H
#define PE_TESTS_STACK_H

#include "common.h"

#include <pthread.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    #define SANITIZED 1
#elif defined(__has_feature)
    #if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                     \
        __has_feature(memory_sanitizer)
        #define SANITIZED 1
    #endif
#endif
#ifndef SANITIZED
    #define SANITIZED 0 /* 1: a sanitizer also uses the stack, so that a measurement says nothing */
#endif

enum { STACK_BYTES = 1 << 18 };

typedef struct painted {
    guarded stack;
    unsigned char *top; /* where the last call began: a local variable of stack_top() */
    void *(*run)(void *);
    void *argument;
} painted;

static inline void *stack_top(void *argument)
{
    painted *p = (painted *)argument;
    volatile unsigned char here = 0;
    p->top = p->stack.begin + ((uintptr_t)&here - (uintptr_t)p->stack.begin);
    return p->run(p->argument);
}

/* Calls run(argument) in a thread on the painted stack, and returns its result. */
static inline void *stack_run(painted *p, void *(*run)(void *), void *argument)
{
    pthread_attr_t attributes;
    pthread_t thread;
    void *result = NULL;
    p->run = run, p->argument = argument;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstack(&attributes, p->stack.begin, STACK_BYTES), 0);
    assert_int_equal(pthread_create(&thread, &attributes, stack_top, p), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    pthread_attr_destroy(&attributes);
    return result;
}

/* Returns how many bytes below the caller have lost their paint, then paints the whole stack again.
   This is at least what the calls took: beginning and ending a thread may take more than a small
   call. */
static inline size_t stack_used(painted *p)
{
    unsigned char *end = p->stack.begin;
    while (end < p->top && *end == CANARY) end++;
    const size_t used = (size_t)(p->top - end);
    memset(p->stack.begin, CANARY, STACK_BYTES);
    return used;
}

static inline void stack_open(painted *p)
{
    p->stack = guarded_make(STACK_BYTES);
    p->top = p->stack.begin;
    (void)stack_used(p); /* paints */
}

static inline void stack_close(painted *p) { guarded_free(&p->stack); }

#endif /* PE_TESTS_STACK_H */
