/* SPDX-License-Identifier: MIT
 *
 * Linked alone, without a C library's start-up: the text that a sine and cosine take. -DLIBM=2:
 * newlib's of a double angle, 1: of a float angle, 0: pe_fixed_sincos_f32. */
#if LIBM
    #include <math.h>

void entry(float *out, int position, double frequency);
void entry(float *out, int position, double frequency)
{
    #if LIBM == 2
    out[0] = (float)sin(position * frequency);
    out[1] = (float)cos(position * frequency);
    #else
    const float angle = (float)position * (float)frequency;
    out[0] = sinf(angle);
    out[1] = cosf(angle);
    #endif
}
#else
    #include "pe_fixed.h"

void entry(pe_fixed_pair *out, int32_t position, const pe_fixed_increment *increment);
void entry(pe_fixed_pair *out, int32_t position, const pe_fixed_increment *increment)
{
    *out = pe_fixed_sincos_f32(position, *increment);
}
#endif
