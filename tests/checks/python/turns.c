/* SPDX-License-Identifier: MIT
 *
 * turns: prints a sine and a cosine for each line "base numerator denominator position". The angle is
 * position base^(-numerator / denominator). MPFR computes both with 256 bits, rounded to odd.
 * tests/checks/python/test.py rounds them once more, to the type of an element, which gives the exact
 * number rounded once.
 */
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>

static void to_odd(mpfr_t x, int inexact)
{
    if (!inexact || mpfr_min_prec(x) == mpfr_get_prec(x)) return;
    if (mpfr_signbit(x)) mpfr_nextbelow(x);
    else mpfr_nextabove(x);
}

int main(void)
{
    char line[256];
    mpfr_t angle, sine, cosine;
    mpfr_init2(angle, 400);
    mpfr_inits2(256, sine, cosine, (mpfr_ptr)NULL);
    while (fgets(line, sizeof line, stdin) != NULL) {
        char *next = line;
        const double base = strtod(next, &next);
        const long numerator = strtol(next, &next, 10);
        const unsigned long denominator = strtoul(next, &next, 10);
        const double position = strtod(next, &next);
        mpfr_set_d(angle, base, MPFR_RNDN);
        mpfr_pow_si(angle, angle, numerator, MPFR_RNDN);
        mpfr_rootn_ui(angle, angle, denominator, MPFR_RNDN);
        mpfr_d_div(angle, position, angle, MPFR_RNDN);
        const int inexact = mpfr_sin_cos(sine, cosine, angle, MPFR_RNDZ);
        to_odd(sine, inexact & 3);
        to_odd(cosine, inexact >> 2);
        mpfr_printf("%Ra %Ra\n", sine, cosine);
    }
    mpfr_clears(angle, sine, cosine, (mpfr_ptr)NULL);
    return 0;
}
