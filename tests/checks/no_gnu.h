/* SPDX-License-Identifier: MIT */
/* For -include: gcc as a compiler that has no extension of GNU C. The system's headers need __GNUC__, so they
   come first. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#undef __GNUC__
