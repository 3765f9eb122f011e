/* SPDX-License-Identifier: MIT
 *
 * pe_fixed.h - sine and cosine of position * frequency, correctly rounded, with only integers.
 *
 * One text for C99, C++11, CUDA C, HIP, OpenCL C 1.2 and Metal (untested: no Metal compiler has
 * seen it). It needs no other header. The results are the bits of pe_sincos_f32() on every device:
 * integer arithmetic has no fused products, no flush to zero and no fast-math.
 *
 *     pe_fixed_pair x = pe_fixed_sincos_f32(position, increment);
 * A frequency w is given as a phase increment, w / (2 pi) modulo 1 in 128 bits, as in a numerically
 * controlled oscillator. In pe.h, pe_fixed_increments() computes it on the host.
 *
 *     1. phase = position * increment modulo 1: the angle in turns. Argument reduction to the
 *        nearest quarter turn leaves g, an angle in eighths of a turn, 0 <= g <= 1.
 *     2. Level 1, 64 bits: sin(pi/4 g) / g and cos(pi/4 g) as polynomials in 1 - g^2, in which all
 *        coefficients are positive. The relative error of each value is below 2^-36.
 *     3. Ziv's rounding test: a value with no midpoint of two results within its error interval
 *        rounds as the exact value does. 1 pair in 5,900 goes on to level 2.
 *     4. Level 2, 96 bits: Taylor series. The relative error is below 2^-90, besides the error from
 *        the increment. A pair that the test flags again is reported as undecided, never guessed.
 * tests/checks/fixed_proof.py proves these errors from the constants below. */
#ifndef PE_FIXED_H
#define PE_FIXED_H

#include "fixed/sincos.h"
#undef PE__DEVICE
#undef PE__DEVICE_RARE
#endif /* PE_FIXED_H */
