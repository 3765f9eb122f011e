/* SPDX-License-Identifier: MIT */
/* The streams come from library.c, which is compiled with the headers of the library that is linked. */
#pragma once
typedef struct FILE FILE;
int printf(const char *, ...);
int fprintf(FILE *, const char *, ...);
int fflush(FILE *);
FILE *stub_stream(int);
#define stdout stub_stream(1)
#define stderr stub_stream(2)
