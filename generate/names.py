#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints docs/names.md: what each file of src/ is for, and its private names that other files use.

    generate/names.py            prints the page; `make headers` writes it

What a file is for is the first sentence of its first comment. Its names are those that its code defines and that
another file uses. Operations that several files of simd/ define are not there, but in the list at the top of pe_simd.h.
"""
import collections
import os
import re
import sys
import textwrap

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)
PRIVATE = r"(?:pe|PE)__\w+"
# These patterns find what defines a name: a macro, a function, a constant, a type, a type of functions.
DEFINITIONS = (rf"^[ \t]*#[ \t]*define[ \t]+({PRIVATE})",
               rf"^[ \t]*(?:static|PE__\w+|PE_API)\b[^;{{}}=#()]*?\b({PRIVATE})\([^;{{}}]*?\)[\s\\]*\{{",
               rf"^[ \t]*(?:static|PE__\w+)\b[^;{{}}=#()]*?\b({PRIVATE})(?:\[[^\]]*\])*\s*=", rf"^PE__\w+\(({PRIVATE}),",
               rf"\b(?:struct|enum|union)\s+({PRIVATE})\s*\{{", rf"^\}}\s*({PRIVATE});",
               rf"^\s*typedef\b[^;{{}}()]*?\b({PRIVATE})(?:\s+__attribute__[^;]*)?;",
               rf"^\s*typedef\b[^;{{}}()]*?\b({PRIVATE})\(", rf"^\s*typedef\b[^;{{}}()]*\(\*({PRIVATE})\)")


def listed():
    """Returns the files of src/, in the order in which the headers contain them."""
    files = []
    for header in ("pe_simd.h", "pe.h", "pe_fixed.h"):
        with open(os.path.join(TOP, header), encoding="utf-8") as file:
            files += re.findall(r"^/\* ==== src/(.*) ==== \*/$", file.read(), re.M)
    return list(dict.fromkeys(files))


def code_of(text):
    """Returns the text without comments and strings. A name that a macro makes for each type gets the end _T, as in
    pe__fill_kernel_T."""
    return re.sub(r"##(?=\w)", "", CODE.sub(" ", text))


def sentence(text):
    """Returns the first sentence of the first comment that is not the licence."""
    for comment in re.findall(r"/\*.*?\*/", text, re.S):
        lines = (re.sub(r"^\s*(/\*+|\*)?\s?", "", line) for line in comment[:-2].split("\n"))
        words = " ".join(" ".join(line for line in lines if "SPDX-" not in line).split()).lstrip("= ")
        if words:
            return re.match(r".*?(?:[\w)'][.](?= |$)|$)", words)[0].rstrip(". ")
    return ""


def defined(code):
    names = set()
    for pattern in DEFINITIONS:
        names |= set(re.findall(pattern, code, re.M))
    for body in re.findall(r"\benum(?:\s+\w+)?\s*\{(.*?)\}", code, re.S):
        names |= set(re.findall(rf"(?:^|,)\s*({PRIVATE})", body))
    return names


def page():
    files = listed()
    texts = {}
    for name in files:
        with open(os.path.join(TOP, "src", name), encoding="utf-8") as file:
            texts[name] = file.read()
    codes = {name: code_of(text) for name, text in texts.items()}
    homes, users = collections.defaultdict(set), collections.defaultdict(set)
    for name, code in codes.items():
        for x in defined(code):
            homes[x].add(name)
    for name, code in codes.items():
        for x in set(re.findall(PRIVATE, code)):
            family = re.compile(re.sub(r"_T(?=_|$)", "_(?:T|f32|f64|f16|bf16)", x))
            for y in homes if family.pattern != x else [x]:
                if family.fullmatch(y):
                    users[y].add(name)
    yield "<!-- made from src/ by make headers -->\n# Files and private names\n"
    yield from textwrap.wrap("What each file of `src/` is for, and its private names that other files use, in the order of the headers. "
                             "[Design](design.md) is the tour; `generate/names.py` makes this page.", 118)
    folders = list(dict.fromkeys(name.split("/")[0] for name in files if "/" in name and "/contract" not in name))
    folder = None
    for name in sorted((name for name in files if "/" in name), key=lambda name: folders.index(name.split("/")[0])):
        if name.split("/")[0] != folder:
            folder = name.split("/")[0]
            yield f"\n## {folder}\n"
        yield from textwrap.wrap(f"* `{name}`: {sentence(texts[name])}.", 118, subsequent_indent="  ", break_on_hyphens=False)
        used = sorted(x for x in homes if homes[x] == {name} and users[x] - {name})
        if used:
            yield from textwrap.wrap(", ".join(f"`{x}`" for x in used), 118, initial_indent="  <br>", subsequent_indent="  ")
    yield "\n[All functions and types](api.md)"


def main():
    if sys.argv[1:]:
        sys.exit(__doc__)
    print(*page(), sep="\n")


if __name__ == "__main__":
    main()
