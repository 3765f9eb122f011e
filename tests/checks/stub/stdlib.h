/* SPDX-License-Identifier: MIT */
#pragma once
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
void *malloc(size_t);
void free(void *);
void exit(int);
unsigned long strtoul(const char *, char **, int);
#ifdef __cplusplus
}
#endif
