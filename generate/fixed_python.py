#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fixed_python.py [SOURCE]: prints the constants of pe_fixed.h as a module for python/posenc/_kernels.py.

Reads src/fixed/sincos.h and prints python/posenc/_fixed.py, so that each number is written once. `make headers` runs it.
A line of the source that does not have the expected form is an error.
"""
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NUMBER = r"(0x[0-9a-f]+|\d+)u?"


def body(source, name):
    """Returns the text of a function."""
    found = re.search(rf"\b{name}\([^;{{]*\)\n\{{\n(.*?)\n\}}", source, re.S)
    if not found:
        sys.exit(f"fixed_python.py: there is no function {name}()")
    return found[1]


def numbers(text, *patterns):
    """Returns the numbers that stand for # in the patterns. The matches of the patterns follow each other in the
    text."""
    made = []
    for pattern in patterns:
        found = re.search(re.escape(pattern).replace(r"\#", NUMBER), text)
        if not found:
            sys.exit(f"fixed_python.py: no line has the form {pattern}")
        made += [int(number, 0) for number in found.groups()]
        text = text[found.end():]
    return made


def series(source, name):
    """Returns the coefficients of a Taylor series, from the highest power down, as three words each."""
    terms = re.findall(rf"(?:y =|return) pe__term\({NUMBER}, {NUMBER}, {NUMBER}, v, y\);", body(source, name))
    if len(terms) < 10:
        sys.exit(f"fixed_python.py: {name}() has {len(terms)} terms")
    return [tuple(int(word, 0) for word in term) for term in terms]


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else os.path.join(TOP, "src/fixed/sincos.h")
    with open(path, encoding="utf-8") as file:
        source = file.read()
    level_1, level_2 = body(source, "pe__level_1"), body(source, "pe__level_2")
    polynomial = ["t = #", " + pe__mulhi(uh, #)", "t = # + pe__mulhi(uh, t)", "t = # + (pe__mulhi(uh, t) >> #)",
                  "y = # + (pe__mul32(uh, t) >> #)"]
    found = numbers(level_1, *polynomial, "pe__mul64(g, # + pe__mul64(u, y))", *polynomial, "# + pe__mul64(u, y)",
                    "pe__flagged(s.rest, #, format)", "pe__flagged(c.rest, #, format)", "(zeros > #)")
    sine, cosine, (sine_below, cosine_below, most_zeros) = found[:8], found[8:16], found[16:]
    above, = numbers(body(source, "pe__flagged"), "above = (# >> (24 - format)) + 1")
    arithmetic, = numbers(body(source, "pe__finish"), "((error + #) >> (32 - format)) + 2")
    tiny, negation, exact, _ = numbers(level_2, "tiny = zeros > #", "(pe__u64)n + #", "zeros < #", "m >> (# - zeros)")
    print('''# SPDX-License-Identifier: MIT
# Made from src/fixed/sincos.h by make headers: change that. Its comments explain the numbers.
"""This module has the constants of pe_fixed.h, for the kernels of _kernels.py."""
''')

    def put(name, value, what):
        print(f"{name} = {value}  # {what}")

    def hexadecimal(values):
        return "(" + ", ".join(f"0x{value:x}" for value in values) + ")"

    for name, (t1, t0, t2, t3, shift, y0, y_shift, constant) in (("SINE", sine), ("COSINE", cosine)):
        put(f"{name}_WORDS", hexadecimal((t0, t1, t2, t3)), "level 1: coefficients of 32 bits, the highest power first")
        put(f"{name}_LONG", hexadecimal((y0, constant)), "the coefficients of 64 bits that follow")
        put(f"{name}_SHIFTS", (shift, y_shift), "right shifts from one scale of coefficients to the next")
    put("SINE_BELOW", sine_below, "how far a sine of level 1 may be below the exact value, in units of 2^-56")
    put("COSINE_BELOW", cosine_below, "the same for a cosine")
    put("ABOVE", above, "how far either may be above the exact value")
    put("MOST_ZEROS", most_zeros, "leading zeros of a sine up to which level 1 decides")
    put("TINY", tiny, "leading zeros of an angle up to which level 2 decides")
    put("NEGATION", negation, "what level 2 adds to the position for the error of a negated phase")
    put("PHASE_SHIFT", exact, "right shift from that sum to units of 2^-96")
    put("ARITHMETIC", arithmetic, "the error of the arithmetic of level 2, in units of 2^-96")
    for name, function in (("SINE_SERIES", "pe__sine_series"), ("COSINE_SERIES", "pe__cosine_series")):
        print(f"{name} = (  # level 2: the Taylor coefficients, the highest power first, in three words each")
        for term in series(source, function):
            print(f"    {hexadecimal(term)},")
        print(")")


if __name__ == "__main__":
    main()
