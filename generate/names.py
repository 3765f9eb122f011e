#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/names.md: what each file of src/ is for, and its private names that other files use.

    generate/names.py            the page, as `make headers` writes it
    generate/names.py path       the functions from pe_fill_f32() to the store: the table of docs/design.md (needs gcc)

What a file is for is the first sentence of its first comment. Names come from the code: those that it defines and that
another file uses. Operations that several files of simd/ define stand in the list at the top of pe_simd.h.
"""
import collections
import os
import re
import subprocess
import sys
import tempfile
import textwrap

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)
PRIVATE = r"(?:pe|PE)__\w+"
# What defines a name: a macro, a function, a constant, a type, a type of functions.
DEFINITIONS = (rf"^[ \t]*#[ \t]*define[ \t]+({PRIVATE})",
               rf"^[ \t]*(?:static|PE__\w+|PE_API)\b[^;{{}}=#()]*?\b({PRIVATE})\([^;{{}}]*?\)[\s\\]*\{{",
               rf"^[ \t]*(?:static|PE__\w+)\b[^;{{}}=#()]*?\b({PRIVATE})(?:\[[^\]]*\])*\s*=", rf"^PE__\w+\(({PRIVATE}),",
               rf"\b(?:struct|enum|union)\s+({PRIVATE})\s*\{{", rf"^\}}\s*({PRIVATE});",
               rf"^\s*typedef\b[^;{{}}()]*?\b({PRIVATE})(?:\s+__attribute__[^;]*)?;",
               rf"^\s*typedef\b[^;{{}}()]*?\b({PRIVATE})\(", rf"^\s*typedef\b[^;{{}}()]*\(\*({PRIVATE})\)")


def listed():
    """The files of src/, in the order in which the headers contain them."""
    files = []
    for header in ("pe_simd.h", "pe.h", "pe_fixed.h"):
        with open(os.path.join(TOP, header), encoding="utf-8") as file:
            files += re.findall(r"^/\* ==== src/(.*) ==== \*/$", file.read(), re.M)
    return list(dict.fromkeys(files))


def code_of(text):
    """Without comments and texts; the names that a macro makes of a type end in _T, as pe__fill_kernel_T."""
    return re.sub(r"##(?=\w)", "", CODE.sub(" ", text))


def sentence(text):
    """The first sentence of the first comment, the licence left out."""
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


PROGRAM = r"""
#include "pe.h"
#include <stdio.h>
#include <stdlib.h>
static int depth, on;
__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *f, void *caller)
{
    (void)caller;
    if (on) printf("%d %lx\n", ++depth, (unsigned long)f);
}
__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *f, void *caller)
{
    (void)f, (void)caller;
    if (on) depth--;
}
int main(int argc, char **argv)
{
    static float table[512 * 256];
    const pe_config c = pe_config_default(256);
    void *memory = malloc(pe_plan_size(&c));
    pe_plan plan;
    if (argc < 2 || pe_plan_init(&plan, &c, memory, pe_plan_size(&c)) != PE_OK) return 1;
    const pe_at at = pe_from(100000);
    on = 1;
    return pe_fill_f32(&plan, at, (size_t)atoi(argv[1]), table, 256) != PE_OK;
}
"""


def path():
    """The deepest calls of pe's functions, those of simd/ left out, when 512 rows and when one row are filled."""
    where = {}
    for name in listed():
        with open(os.path.join(TOP, "src", name), encoding="utf-8") as file:
            code = code_of(file.read())
        named = re.findall(r"^[ \t]*(?:static|PE__\w+|PE_API)\b[^;{}=#()]*?\b(pe_\w+)\([^;{}]*?\)[\s\\]*\{", code, re.M)
        for x in named + re.findall(rf"^PE__\w+\(({PRIVATE}),", code, re.M):
            where.setdefault(re.sub("_T$", "_f32", x), name)
    with tempfile.TemporaryDirectory() as work:
        program = os.path.join(work, "program")
        with open(program + ".c", "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        subprocess.run([os.environ.get("GCC", "gcc"), "-std=c99", "-O0", "-no-pie", "-w", "-finstrument-functions", "-DPE_ISA=PE_ISA_SCALAR",
                        "-I" + TOP, program + ".c", "-o", program, "-lm"], check=True)
        symbols = (line.split() for line in subprocess.run(["nm", program], check=True, capture_output=True, text=True).stdout.split("\n"))
        names = {int(s[0], 16): s[2].split(".")[0] for s in symbols if len(s) == 3}
        for rows in ("512", "1"):
            calls, deepest, stored, seen = [], [], [], set()
            for line in subprocess.run([program, rows], capture_output=True, text=True, check=False).stdout.split("\n")[:-1]:
                depth, address = line.split()
                calls[int(depth) - 1:] = [names[int(address, 16)]]
                here = [x for x in calls if not where[x].startswith("simd/")]
                if here[-1] == calls[-1]:
                    seen.add(calls[-1])
                    deepest = max(deepest, here, key=len)
                    stored = max(stored, here if calls[-1] == "pe__store_four" else [], key=len)
            yield f"{rows} row{'s' if rows != '1' else ''}: {len(seen)} functions, at most {len(deepest)} deep, {len(stored)} to the store"
            yield from (f"| {n} | `{x}` | `{where[x]}` |" for n, x in enumerate(stored, 1))


def main():
    makers = {"": page, "path": path}
    if " ".join(sys.argv[1:]) not in makers:
        sys.exit(__doc__)
    print(*makers[" ".join(sys.argv[1:])](), sep="\n")


if __name__ == "__main__":
    main()
