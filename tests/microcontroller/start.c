/* SPDX-License-Identifier: MIT
 *
 * What a Cortex-M needs before main(), for boards that qemu has: the vector table, and an FPU that
 * is switched on. newlib's rdimon does the rest and prints by semihosting. */
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

/* qemu ends with an error: this is no call that it knows. */
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
