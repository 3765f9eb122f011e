/* SPDX-License-Identifier: MIT
 *
 * cpu: prints the instruction sets of pe that this CPU and its operating system run, slowest first.
 */
#include <stdio.h>

int main(void)
{
    printf("scalar");
#if defined(__x86_64__) || defined(__i386__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("sse2")) printf(" sse2");
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        printf(" avx2");
        if (__builtin_cpu_supports("avx512f")) {
            printf(" avx512");
        }
    }
#elif defined(__aarch64__)
    printf(" neon");
#endif
    printf("\n");
    return 0;
}
