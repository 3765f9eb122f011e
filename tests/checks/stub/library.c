/* SPDX-License-Identifier: MIT */
/* This file is compiled with mingw-w64's headers. It is linked to the object that clang made in the
   place of cl, for which stdio.h declares stub_stream(). */
#include <stdio.h>

FILE *stub_stream(int number);
FILE *stub_stream(int number) { return number == 1 ? stdout : stderr; }
int _fltused; /* cl's objects ask for it */
