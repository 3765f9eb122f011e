# SPDX-License-Identifier: MIT
"""What the polynomials of the direct kernel, pe__sine_fit and pe__cosine_fit of pe.h, lack of sin(pi z)
and cos(pi z) for |z| <= 1/4 + 2^-16: proven in rational numbers.

    python3 tests/tools/lacks.py    prints the bounds in units of 2^-60; fails above 5 and 1

The difference from the Taylor series is a polynomial in q = z^2, but for the series' tail and the digits
of pi, both below 2^-80. In each of 64 intervals it is expanded about the middle m: nowhere above the
sum of |coefficient of (q - m)^n| h^n, h being half the interval.
"""
import math
import re
import sys
from fractions import Fraction

PI = Fraction("3.14159265358979323846264338327950288419716939937510582097494459")
END = (Fraction(1, 4) + Fraction(1, 2**16)) ** 2
PARTS, TERMS, REST = 64, 14, Fraction(1, 2**80)


def numbers(name):
    text = re.search(name + r"\[\d+\] = \{(.*?)\}", open("pe.h", encoding="utf-8").read(), re.S).group(1)
    return [Fraction(float(x)) for x in text.replace("\n", " ").split(",") if x.strip()]


def lacks(fit, odd):
    """The largest difference of all intervals; of a sine, with its factor z."""
    coefficients = [-((-1) ** n) * PI ** (2 * n + odd) / math.factorial(2 * n + odd) for n in range(TERMS)]
    for n, number in enumerate(fit):
        coefficients[n] += number
    h, worst = END / PARTS / 2, Fraction(0)
    for part in range(PARTS):
        about = list(coefficients)
        middle = (2 * part + 1) * h
        for n in range(TERMS):  # Horner's scheme, once for each coefficient about the middle
            for k in range(TERMS - 2, n - 1, -1):
                about[k] += middle * about[k + 1]
        size = sum(abs(a) * h**n for n, a in enumerate(about))
        z = Fraction(math.isqrt(int((part + 1) * END / PARTS * 4**40)) + 1, 2**40)
        worst = max(worst, size * z if odd else size)
    return (worst + REST) * 2**60


good = True
for name, odd, most in (("sine", 1, 5), ("cosine", 0, 1)):
    found = lacks(numbers("pe__%s_fit" % name), odd)
    print("%s: at most %.3f units of 2^-60" % (name, float(found)))
    good = good and found <= most
sys.exit(0 if good else 1)
