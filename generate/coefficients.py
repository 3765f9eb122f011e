# SPDX-License-Identifier: MIT
"""Computes the coefficients of the direct kernel of pe.h, as doubles.

The polynomials are sin(pi z) = z (a0 + a1 z^2 + ...) and cos(pi z) = 1 + b1 z^2 + ..., for |z| <= 1/4 + 2^-16. The
largest absolute error is made small; for the short polynomials, the largest relative error.

    python3 generate/coefficients.py      prints them and their errors in units of 2^-53
"""
from mpmath import mp, mpf, matrix, lu_solve, sin, cos, pi, chop

mp.prec = 300
END = mpf(1) / 4 + mpf(2) ** -16
POINTS = 160


def double(x):
    with mp.workprec(53):
        return +x


def fit(f, powers, fixed, relative):
    """Returns {n: coefficient of z^n} for n in powers, as doubles. The coefficients in `fixed` are given. The one of
    the largest term is rounded first. Then the others are fitted again, until all are rounded."""
    per = (lambda x: 1 / f(x)) if relative else (lambda x: mpf(1))
    z = [END * cos(pi * (k + mpf(1) / 2) / (2 * POINTS)) for k in range(POINTS)]
    found = dict(fixed)
    while len(found) < len(powers):
        free = [n for n in powers if n not in found]
        want = [f(x) - sum(c * x**n for n, c in found.items()) for x in z]
        weight = [mpf(1)] * POINTS
        for _ in range(60):  # Lawson: weighted least squares towards the least largest error
            a = matrix(len(free), len(free))
            b = matrix(len(free), 1)
            for x, y, w in zip(z, want, weight):
                w *= per(x) ** 2
                row = [x**n for n in free]
                for i, u in enumerate(row):
                    b[i] += w * u * y
                    for j, v in enumerate(row):
                        a[i, j] += w * u * v
            c = lu_solve(a, b)
            error = [
                abs(y - sum(c[i] * x**n for i, n in enumerate(free))) * per(x) for x, y in zip(z, want)
            ]
            total = sum(w * e for w, e in zip(weight, error))
            weight = [w * e / total * POINTS for w, e in zip(weight, error)]
        found[free[0]] = double(c[0])
    grid = [END * k / 4096 for k in range(1, 4097)]
    worst = max(abs(f(x) - sum(c * x**n for n, c in found.items())) * per(x) for x in grid)
    return found, worst * mpf(2) ** 53


SINE, COSINE = (lambda x: sin(pi * x)), (lambda x: cos(pi * x))
for name, f, powers, fixed, relative in (
    ("sine", SINE, range(1, 14, 2), {}, False),
    ("cosine", COSINE, range(0, 15, 2), {0: mpf(1)}, False),
    ("sine, short", SINE, range(1, 12, 2), {}, True),
    ("cosine, short", COSINE, range(0, 11, 2), {0: mpf(1)}, True),
):
    found, worst = fit(f, powers, fixed, relative)
    print(name, ", ".join(repr(float(found[n])) for n in powers))
    print("    off by", mp.nstr(worst, 3))
