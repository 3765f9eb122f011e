# SPDX-License-Identifier: MIT
"""Proves bounds for the error of the polynomials of the direct kernel, pe__sine_poly and pe__cosine_poly of pe.h.

The error is the absolute difference from sin(pi z) and cos(pi z) for |z| <= 1/4 + 2^-16, and for the short
polynomials the relative difference. All numbers of the proof are rational.

    python3 tests/tools/lacks.py    prints the bounds and fails above those that pe.h counts on

The difference from the Taylor series is a polynomial in q = z^2, except for the tail of the series and the missing
digits of pi, both below 2^-80. In each of 64 intervals this polynomial is expanded about the middle m. So its
absolute value is nowhere above the sum of |coefficient of (q - m)^n| h^n, where h is half the width of the interval.
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


def lacks(fit, odd, relative):
    """Returns the largest difference of all intervals. A sine's difference is multiplied by z. If `relative` is set, each
    is divided by a lower bound of sin(pi z) / z or cos(pi z) in its interval: four terms of the series."""
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
        q = (part + 1) * END / PARTS
        z = Fraction(math.isqrt(int(q * 4**40)) + 1, 2**40)
        least = sum((-q) ** n * PI ** (2 * n + odd) / math.factorial(2 * n + odd) for n in range(4))
        worst = max(worst, (size + REST) / least if relative else (size + REST) * (z if odd else 1))
    return worst


good = True
for name, odd, bits, most in (
    ("sine_poly", 1, 60, 5),
    ("cosine_poly", 0, 60, 1),
    ("sine_poly_short", 1, 48, 1.5),
    ("cosine_poly_short", 0, 48, 22),
):
    found = lacks(numbers("pe__" + name), odd, name.endswith("short")) * 2**bits
    print("%s: at most %.3f units of 2^-%d" % (name, float(found), bits))
    good = good and found <= most
sys.exit(0 if good else 1)
