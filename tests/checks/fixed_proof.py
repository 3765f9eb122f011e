# SPDX-License-Identifier: MIT
"""fixed_proof.py [HEADER [COMMAND]]: proves the error bounds of pe_fixed.h from the constants in its text.

The proof uses exact rationals and intervals, and no floating point. Its parts, in order:

  coefficients   The coefficients of level 1 are the rounded interpolation of fit(). Those of level 2 are (pi/4)^j / j!.
  overflow       No sum of level 1 overflows its words, and no cosine exceeds 1.
  level 1        Bounds of how far a computed sine and cosine may be below and above the exact value, for every phase.
                 The constants of the rounding test must be these bounds, rounded up.
  level 2        The same bounds for level 2.
  seen           The largest errors for random phases, computed with Python's integers, must be within each bound.

Each constant has exactly one value that passes, so changing it by one unit is noticed. The program prints each bound,
and exits with 1 if one does not hold.

With a COMMAND, each number in the header's code is then changed by 1 up and down. COMMAND compiles and runs
tests/checks/fixed_hash.c with the header in the folder that is its last argument. Either the proof must read another
constant, or the hash must change.
"""
import os
import random
import re
import subprocess
import sys
import tempfile
from fractions import Fraction as F
from math import ceil, log2

path = sys.argv[1] if len(sys.argv) > 1 else "pe_fixed.h"
bad = 0


def check(what, holds):
    global bad
    bad += not holds
    print(("ok   " if holds else "FAIL ") + what)


def size(x):
    return "2^%.2f" % log2(x) if x > 0 else "0"


# ---- pi, sine, cosine as integers over 2^BITS ----------------------------------------------------------------------
BITS = 320
ONE = 1 << BITS


def arctan_inverse(n):  # returns atan(1 / n) 2^BITS, with an error of at most 2^-300
    total, power, k = 0, ONE // n, 1
    while power:
        total += power // k if k % 4 == 1 else -(power // k)
        power //= n * n
        k += 2
    return total


QUARTER_PI = F(4 * arctan_inverse(5) - arctan_inverse(239), ONE)  # Machin's formula; the error is less than 2^-300


def sine_cosine(g):  # returns the sine and cosine of pi/4 g for a rational 0 <= g <= 1, with an error of at most 2^-290
    x = int(QUARTER_PI * g * ONE)
    sums, term, k = [ONE, 0], ONE, 1
    while term:
        term = term * x // (k * ONE)
        sums[k % 2] += term if k % 4 < 2 else -term
        k += 1
    return F(sums[1], ONE), F(sums[0], ONE)


# ---- polynomials: lists of coefficients that begin with the constant -----------------------------------------------
def at(p, x):
    y = F(0)
    for c in reversed(p):
        y = y * x + c
    return y


def derivative(p):
    return [k * c for k, c in enumerate(p)][1:]


def in_u(p):  # returns the coefficients of q with q(u) = p(1 - u)
    out = [F(0)] * len(p)
    for k, c in enumerate(p):
        binomial = 1
        for i in range(k + 1):
            out[i] += c * binomial * (-1) ** i
            binomial = binomial * (k - i) // (i + 1)
    return out


TERMS = 14  # the remainder of the series is below (pi/4)^28 / 28! < 2^-107
factorial = [1]
for k in range(1, 2 * TERMS + 2):
    factorial.append(factorial[-1] * k)
SINE = in_u([(-1) ** k * QUARTER_PI ** (2 * k + 1) / factorial[2 * k + 1] for k in range(TERMS)])  # sin(pi/4 g) / g
COSINE = in_u([(-1) ** k * QUARTER_PI ** (2 * k) / factorial[2 * k] for k in range(TERMS)])


def interpolation(f, degree):
    """Returns the coefficients of the polynomial that equals f at Chebyshev's points.

    The points are rounded, so that they are the same on every machine.
    """
    from math import cos, pi
    points = [F(round((1 - cos(pi * (2 * k + 1) / (2 * degree + 2))) * 2 ** 19), 2 ** 20) for k in range(degree + 1)]
    rows = [[x ** j for j in range(degree + 1)] + [f(x)] for x in points]
    for i in range(degree + 1):
        for r in range(degree + 1):
            if r != i:
                factor = rows[r][i] / rows[i][i]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i])]
    return [rows[i][-1] / rows[i][i] for i in range(degree + 1)]


def fit(f, scales):
    """Returns the interpolation's coefficients as integers, which are scaled by 2^scales.

    The highest coefficient is rounded first. Each rounding error is then compensated in the lower coefficients.
    """
    n = len(scales) - 1
    p = interpolation(lambda x: at(f, x), n)
    words = [0] * (n + 1)
    for d in range(n, -1, -1):
        words[d] = round(p[d] * 2 ** scales[d])
        lost = p[d] - F(words[d], 2 ** scales[d])
        if d:
            for i, c in enumerate(interpolation(lambda x: lost * x ** d, d - 1)):
                p[i] += c
    return words


# ---- the constants of the header -----------------------------------------------------------------------------------
SCALES = [[64, 64, 40, 46, 46, 46], [64, 64, 38, 43, 43, 43]]
NAMES = ["sine", "cosine"]
# The proof also assumes that the header contains these statements, literally.
STATEMENTS = [
    "above - pe__high(rest) <= above + (below >> (24 - format)) + 2;", "(13000u >> (24 - format)) + 1;",
    ">> (32 - format)) + 2;", "const pe__u64 m = (pe__u64)n + 2;",
    "tiny ? 0 : zeros < 30 ? m >> (30 - zeros) : m << (zeros - 30);", "pe__finish(sine, zeros, 2 * error,",
    "pe__finish(cosine, 0, m >> 30,", "const int tiny = zeros > 60;",
    "rest + ((pe__u64)1 << 63) + error <= 2 * error;"]


class Constants:
    def __init__(self, text):
        def body(name):
            start = re.search(r"^PE__DEVICE\w* [\w ]*\b" + name + r"\(", text, re.M).start()
            return text[start:text.index("\n}\n", start)]

        level_1 = body("pe__level_1")
        # Each polynomial begins with its constant here; the header's text has the order 4, 5, 3, 2, 1, 0.
        self.words = []
        for polynomial in level_1.split("pe__u32 uh")[1].split("const pe__u32 mantissa")[0].split("\n\n")[1:3]:
            p = [int(x, 16) for x in re.findall(r"(0x[0-9a-f]+)u", polynomial)]
            self.words.append([p[5], p[4], p[3], p[2], p[0], p[1]])
        self.below = [int(re.search(r"pe__flagged\(%s\.rest, (\d+)u" % c, level_1).group(1)) for c in "sc"]
        self.above = int(re.search(r"(\d+)u >> \(24 - format\)", body("pe__flagged")).group(1))
        self.zeros = int(re.search(r"zeros > (\d+)", level_1).group(1))
        self.far_error = int(re.search(r"error \+ (\d+)\)", body("pe__finish")).group(1))
        term = r"pe__term\((\w+?)u?, (\w+?)u?, (\w+?)u?, v, y\)"
        self.series = [[int(h, 0) << 64 | int(m, 0) << 32 | int(l, 0)
                        for h, m, l in re.findall(term, body("pe__%s_series" % name))] for name in NAMES]
        self.statements = [s in text for s in STATEMENTS]


text = open(path).read()
header = Constants(text)
words, below, above, most_zeros = header.words, header.below, header.above, header.zeros
far_error, series = header.far_error, header.series
for statement, stands in zip(STATEMENTS, header.statements):
    check("the text has: " + statement, stands)

# The shader's coefficients and these statements must be the header's. fixed_shader.cpp compares everything else.
if len(sys.argv) < 3:
    shader = open(os.path.join(os.path.dirname(path), "pe_fixed.wgsl")).read()
    for k, name in enumerate(NAMES):
        part = shader[shader.index("var t: u32 =" if k == 0 else "t = 0x1d19"):].split("pe_fixed_mul64(u, y)")[0]
        w = [int(x, 16) for x in re.findall("0x[0-9a-f]+", part)]
        found = [w[6] | w[7] << 32, w[4] | w[5] << 32, w[3], w[2], w[0], w[1]]
        check("pe_fixed.wgsl: the coefficients of the %s" % name, found == words[k])
    for statement in ("error = pe_fixed_right(m, 30u - zeros);", "error = pe_fixed_left(m, zeros - 30u);",
                      "if (zeros < 30u) {", "pe_fixed_left(error, 1u), amplitude)",
                      "pe_fixed_right(m, 30u), amplitude)",
                      "pe_fixed_plus(vec2u(n, 0u), 2u);", "zeros > 60u;", "zeros > %du ||" % most_zeros,
                      "pe_fixed_flagged(sine, %du)" % below[0], "pe_fixed_flagged(cosine, %du)" % below[1]):
        check("pe_fixed.wgsl: " + statement, statement in shader)

FUNCTIONS = [SINE, COSINE]
for k in range(2):
    wanted = fit(FUNCTIONS[k], SCALES[k])
    if k == 1:  # the cosine is largest at u = 1, and may be at most 1 - 2^-60 there
        sum_of_others = sum(F(w, 2 ** s) for w, s in list(zip(wanted, SCALES[k]))[1:])
        wanted[0] = min(wanted[0], int((1 - F(1, 2 ** 60) - sum_of_others) * 2 ** 64))
    check("%s of level 1: the coefficients are those of fit(): %s" % (NAMES[k], " ".join(map(hex, wanted))),
          words[k] == wanted)
for k in range(2):
    first = 25 if k == 0 else 24
    wanted = [round(QUARTER_PI ** j / factorial[j] * 2 ** 96) for j in range(first, 0, -2)]
    check("%s of level 2: %d terms (pi/4)^j / j!" % (NAMES[k], len(wanted)), series[k] == wanted)

# ---- level 1 -------------------------------------------------------------------------------------------------------
"""A unit is 2^-64 of a whole rotation. The computed phase is d units less than the exact one, with
-2^-34 < d < 1.5 + 2^-34. Three errors make up d. The low words of the increment are left out. One product is rounded
down. The increment's own error, half a unit of 2^-128, is multiplied by up to 2^31. The remainder is negated without
adding 1. So the error of g is between -13 and +5 units. Given that g, the error of u = 1 - g^2 is between -1 and +2
units. A product of 64 bits is at most 3 units too small."""
UNIT = F(1, 2 ** 64)
G_LOW, G_HIGH, U_LOW, U_HIGH, MUL64 = -13, 5, -1, 2, 3
PARTS = 1024


def rounding(k, u):
    """Returns how far the polynomial's computed value may be below its exact value for an argument of at most u.

    Every operation rounds down, and the high word of u is below u by less than 2^-32. Also returns a list of the
    largest values of the sums, each with the number of bits of its word.
    """
    p = [F(w, 2 ** s) for w, s in zip(words[k], SCALES[k])]
    value, lack, largest = p[5], F(0), []
    for j in (4, 3, 2, 1):
        lack = u * lack + value / 2 ** 32 + F(1, 2 ** SCALES[k][j])
        value = p[j] + u * value
        largest.append((value * 2 ** SCALES[k][j], 32 if j > 1 else 64))
    return u * lack + MUL64 * UNIT, largest + [((p[0] + u * value) * 2 ** 64, 64)]


def polynomial_error(k):
    """Yields an interval that contains p(u) - f(u), for each of PARTS parts of 0 <= u <= 1.

    Each interval is made from the value in the middle of the part and a Taylor bound.
    """
    p = [F(w, 2 ** s) for w, s in zip(words[k], SCALES[k])]
    d = [(p[i] if i < len(p) else 0) - c for i, c in enumerate(FUNCTIONS[k])]
    first, second = derivative(d), derivative(derivative(d))
    most = sum(abs(c) for c in second)
    h = F(1, 2 * PARTS)
    for i in range(PARTS):
        middle = F(2 * i + 1, 2 * PARTS)
        value, width = at(d, middle), abs(at(first, middle)) * h + most * h * h / 2 + F(1, 2 ** 100)
        yield F(i, PARTS), F(i + 1, PARTS), value - width, value + width


for k in range(2):
    _, largest = rounding(k, F(1))
    most = max(float(v / 2 ** b) for v, b in largest)
    check("%s: every sum fits its word, at most %.5f of it" % (NAMES[k], most),
          all(v < 2 ** b for v, b in largest))

bound = []
for k in range(2):
    low = high = poly = F(0)
    for u0, u1, error_low, error_high in polynomial_error(k):
        smallest = at(FUNCTIONS[k], u0)  # f increases with u
        low = max(low, (rounding(k, u1)[0] - error_low) / smallest)
        high = max(high, error_high / smallest)
        poly = max(poly, -error_low / smallest, error_high / smallest)
    print("     %s: polynomial %s of the value, rounding and polynomial %s below, %s above" %
          (NAMES[k], size(poly), size(low), size(high)))
    # These absolute errors come from the error of g, the error of u, the product with g (sine only), and the product
    # with the amplitude. The slope with respect to g is at most pi/4. For the cosine, the error is taken relative to
    # cos(pi/4), so the slope is pi/4 sin(pi/4) / cos(pi/4). The slope of the polynomial with respect to u is below
    # 1/12 for the sine and below 1/3 for the cosine. Relative to cos(pi/4), 1/3 is less than 1/2.
    slope, of_u = (F(786, 1000), F(1, 12)) if k == 0 else (F(786, 1000), F(1, 2))
    absolute_low = -G_LOW * slope - U_LOW * of_u + (MUL64 if k == 0 else 0) + 2 * (1 if k == 0 else 2)
    absolute_high = G_HIGH * slope + U_HIGH * of_u
    grown = 2 ** most_zeros if k == 0 else 1
    bound.append(((low + absolute_low * UNIT * grown) * 2 ** 56, (high + absolute_high * UNIT * grown) * 2 ** 56))
for k in range(2):
    needed = ceil(bound[k][0] / 1000) * 1000
    check("%s of level 1: at most %.0f units of 2^-56 below; the test has %d" % (NAMES[k], bound[k][0], below[k]),
          below[k] == needed)
most_above = max(bound[0][1], bound[1][1])
check("sine %.0f, cosine %.0f units of 2^-56 above; the test has %d" % (bound[0][1], bound[1][1], above),
      above == ceil(most_above / 1000) * 1000)
rate = (sum(below) + 2 * above) / 2 ** 32
print("     level 2 has to decide 1 pair in %.0f" % (1 / rate))

# ---- level 2 -------------------------------------------------------------------------------------------------------
"""A unit is 2^-96. A product of 96 bits is less than 5 + 2^-31 units too small, because three high words are rounded
down and two low ones are left out. As g is truncated by up to 1 unit, v = g^2 is up to 2 + 5 units too small. The sine
is multiplied by a g between 1/2 and 1, and the result by a mantissa between 1/2 and 1."""
MUL96, CUT = 5 + F(1, 2 ** 31), 1
for k in range(2):
    low = high = F(0)
    for i in range(len(series[k])):  # the recurrence is y = T - v y; the errors are largest at v = 1
        low, high = -F(1, 2) - high, F(1, 2) - low + (MUL96 if i else 0)
    last = 27 if k == 0 else 26
    error = max(-low, high) + QUARTER_PI ** last / factorial[last] * 2 ** 96  # the last term bounds those left out
    v = 2 * CUT + MUL96
    smallest = F(707, 1000)
    if k == 0:
        relative = (error + v / 12) / smallest + CUT / F(1, 2) + MUL96 / (smallest / 2) + MUL96 / (smallest / 4)
        relative += 2  # the error of the phase is truncated
    else:
        relative = (error + MUL96 + v / 2 + 1) / smallest + MUL96 / (smallest / 2)
        relative += 1
    bound.append((relative, relative))
    check("%s of level 2: at most %.0f units of 2^-96 of itself; the test has %d" % (NAMES[k], relative, far_error),
          relative <= far_error)
needed = 2 ** ceil(log2(max(bound[2][0], bound[3][0])))
check("the next power of two is %d" % needed, far_error == needed)

# ---- seen ----------------------------------------------------------------------------------------------------------
M32, M64, M96 = 2 ** 32 - 1, 2 ** 64 - 1, 2 ** 96 - 1


def mul64(a, b):
    return (a >> 32) * (b >> 32) + ((a >> 32) * (b & M32) >> 32) + ((a & M32) * (b >> 32) >> 32)


def polynomial_words(k, u):
    w, uh = words[k], u >> 32
    t = w[4] + (uh * w[5] >> 32)
    t = w[3] + (uh * t >> 32)
    t = w[2] + ((uh * t >> 32) >> (SCALES[k][3] - SCALES[k][2]))
    y = w[1] + (uh * t >> (SCALES[k][2] - 32))
    return w[0] + mul64(u, y)


def mul96(a, b):
    a, b = [a >> 64, a >> 32 & M32, a & M32], [b >> 64, b >> 32 & M32, b & M32]
    low = (a[0] * b[2] >> 32) + (a[1] * b[1] >> 32) + (a[2] * b[0] >> 32)
    return (a[0] * b[0] << 32) + (a[0] * b[1] + a[1] * b[0]) + low


random.seed(1)
seen = [[F(0), F(0)] for _ in range(4)]
for trial in range(2000):
    # x is a phase p w modulo 1 in units of 2^-160: near 0, near 1/8 (45 degrees), or anywhere between them.
    x = random.getrandbits(160)
    if trial % 4 == 1:
        x >>= 3 + random.randrange(most_zeros - 1)
    if trial % 4 == 2:
        x = (1 << 157) - 1 - (x >> random.randrange(4, 40))
    x %= 1 << 157
    exact = F(8 * x, 1 << 160)
    sine, cosine = sine_cosine(exact)
    g = x >> 96 << 3
    v = (g >> 32) ** 2 + (((g >> 32) * (g & M32) >> 32) << 1)
    u = M64 - v
    got = [F(mul64(g, polynomial_words(0, u)), 2 ** 64), F(polynomial_words(1, u), 2 ** 64)]
    g96 = x >> 61
    v = mul96(g96, g96)
    y = [0, 0]
    for k in range(2):
        for t in series[k]:
            y[k] = t - mul96(v, y[k])
    zeros = 96 - g96.bit_length()
    got += [F(mul96((x << 3 + zeros) >> 64, y[0]), 2 ** (96 + zeros)), F(M96 - mul96(v, y[1]), 2 ** 96)]
    for k in range(4):
        wanted = (sine, cosine)[k % 2]
        if k == 0 and wanted < F(1, 2 ** (most_zeros + 1)):
            continue
        off = (got[k] - wanted) / wanted
        seen[k] = [max(seen[k][0], -off), max(seen[k][1], off)]
for k in range(4):
    bits = 56 if k < 2 else 96
    low, high = (float(x * 2 ** bits) for x in seen[k])
    check("%s of level %d: seen at most %.0f below and %.0f above, of %.0f and %.0f units of 2^-%d" %
          (NAMES[k % 2], 1 + k // 2, low, high, bound[k][0], bound[k][1], bits),
          low <= bound[k][0] and high <= bound[k][1])


# ---- numbers changed by 1 ------------------------------------------------------------------------------------------
# These changes have no effect on any result. A key is the beginning of a line, a number in it, and the number that
# replaces it. The value is the reason why nothing changes.
EQUIVALENT = {
    ("if (format == PE__IS_F16 && field < 0)", "0", 1): "0 is subtracted from 0",
    ("for (; dropped > 64;", "64", 63): "a bit moves from one side of the cut to the other and back",
    ("if (format == PE__IS_F16 && r.bits > 0x7c00u)", "0x7c00", 0x7bff): "0x7c00 becomes 0x7c00",
    ("const pe__u32 odd = quarter & 0x40000000u", "0x40000000", 0x40000001): "the lower bits of quarter are 0",
    ("x.cosine ^= ((quarter + 0x40000000u)", "0x40000000", 0x40000001): "likewise",
    ("const pe__u32 n = position < 0", "0", 1): "-0 is 0",
    ("const pe__rounded s = pe__round_fixed(sine << zeros, 0,", "0", 1): "below the rest",
    ("const pe__rounded c = pe__round_fixed(cosine << shift, 0,", "0", 1): "likewise",
    ("pe__word96 y = {0, 0, 0};", "0", 1): "the last word, below the product",
    ("const pe__word96 factor = {", "0", 1): "likewise",
    ("x = pe__to_quarter(0, 0, c.bits", "0", 1): "the lower bits of quarter and of position",
}


def mutants(command):
    start = text.index("PE__DEVICE pe__u32 pe__high(")
    code = re.sub(r"/\*.*?\*/", lambda m: " " * len(m.group()), text, flags=re.S)
    code = re.sub(r"(?m)^#.*$", lambda m: " " * len(m.group()), code)
    end = code.index("pe_fixed_rotated pe_fixed_rotate_f32")
    unchanged, count, unnoticed = run(command, text), 0, []
    for match in re.finditer(r"(?<![\w.])(0x[0-9a-f]+|\d+)(?=u?\b)(?!\.)", code[start:end]):
        at, number = start + match.start(), match.group()
        line = text[text.rindex("\n", 0, at) + 1:text.index("\n", at)].strip()
        for by in (-1, 1):
            value = int(number, 0) + by
            if value < 0:
                continue
            changed = text[:at] + (hex(value) if number.startswith("0x") else str(value)) + text[at + len(number):]
            count += 1
            try:
                if vars(Constants(changed)) != vars(header):
                    continue
            except (AttributeError, IndexError, ValueError):
                continue
            if any(line.startswith(start) and number == was and value == to for start, was, to in EQUIVALENT):
                continue
            if run(command, changed) == unchanged:
                unnoticed.append("%s, not %s: %s" % (value, number, line))
    print("     %d changes" % count)
    for what in unnoticed:
        print("     not noticed: " + what)
    check("every number, changed by 1, is noticed", not unnoticed and count > 300)


def run(command, header_text):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "pe_fixed.h"), "w") as file:
            file.write(header_text)
        try:
            return subprocess.run(command.split() + [folder], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  timeout=60).stdout
        except subprocess.TimeoutExpired:
            return b"for ever"


if len(sys.argv) > 2:
    mutants(sys.argv[2])
print("%d checks failed" % bad)
sys.exit(bad > 0)
