/* SPDX-License-Identifier: MIT */
/* Compiled with mingw-w64's headers and linked to what clang made in the place of cl: see stdio.h. */
#include <stdio.h>

FILE *stub_stream(int number);
FILE *stub_stream(int number) { return number == 1 ? stdout : stderr; }
int _fltused; /* cl's objects ask for it */
