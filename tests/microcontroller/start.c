/* SPDX-License-Identifier: MIT
 *
 * This file has what a Cortex-M needs before main() on boards that qemu emulates: the vector table,
 * and code that switches the FPU on. The library rdimon of newlib does the rest, and prints through
 * semihosting. */
extern void _start(void);
extern char stack_top[];

#define CPACR (*(volatile unsigned *)0xe000ed88u)

static void reset(void)
{
#ifdef __ARM_FP
    CPACR |= 0xfu << 20;
    __asm__ volatile("dsb\n isb" : : : "memory");
#endif
    _start();
}

/* Ends qemu with an error, because the registers hold no semihosting call that it knows. */
static void fault(void)
{
    for (;;) __asm__ volatile("bkpt 0xab" : : : "memory");
}

typedef union vector {
    void (*call)(void);
    void *stack;
} vector;

__attribute__((section(".vectors"), used)) static const vector vectors[16] = {
    {.stack = stack_top}, {.call = reset}, {.call = fault}, {.call = fault},
    {.call = fault},      {.call = fault}, {.call = fault}, {.call = fault},
    {.call = fault},      {.call = fault}, {.call = fault}, {.call = fault},
    {.call = fault},      {.call = fault}, {.call = fault}, {.call = fault},
};
