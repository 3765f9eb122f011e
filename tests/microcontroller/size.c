/* SPDX-License-Identifier: MIT
 *
 * This program is linked without the start-up code of a C library, so its size is that of computing
 * a sine and a cosine. With -DLIBM=0 they come from pe_fixed_sincos_f32(). With -DLIBM=1 they come
 * from newlib's functions of a float angle, and with -DLIBM=2 from those of a double angle. */
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
