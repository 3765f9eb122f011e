/* SPDX-License-Identifier: MIT */
/* What pe.h and tests/unit/hash.c use of a C library, for compilers of systems whose own is not at hand. */
#pragma once
#ifdef __cplusplus
extern "C" {
#endif
double floor(double);
double ceil(double);
double fabs(double);
double sqrt(double);
double fma(double, double, double);
float fmaf(float, float, float);
#ifdef __cplusplus
}
#endif
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
