/* SPDX-License-Identifier: MIT */
/* The headers of this folder declare what pe.h and tests/unit/hash.c use of a C library. They serve
   compilers for systems whose C library is not on this machine. */
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
