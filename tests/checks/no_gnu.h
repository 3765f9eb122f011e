/* SPDX-License-Identifier: MIT */
/* With -include, this header makes gcc behave like a compiler without extensions of GNU C. The system's headers need
   __GNUC__, so they are included before it is undefined. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#undef __GNUC__
