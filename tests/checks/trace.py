#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Traces a call through pe.h: how deep it goes, how often it returns to a file, and which structs it passes on.

    tests/checks/trace.py                prints the counts for each call in CALLS, and the table of docs/design.md
    tests/checks/trace.py DIRECTORY      does the same for the headers of another tree, such as a release
    tests/checks/trace.py -v             also prints each function in the order of its first call; R marks a return

A program is compiled without optimisation, for scalar code, and prints each function that it enters (GNU C's
-finstrument-functions). Debug information says on which line of pe.h a function begins. Marks in pe.h say from which
file of src/ the line comes. Operations of simd/ are left out, since all code is written with them.

calls      The number of nested functions between the call and the first store.
returns    In the order of their first call, the number of functions in a file that the call had left before. A reader
           who follows the call has to go back to that file.
structs    The private types of the parameters and variables in the functions that `calls` counts, and of their members.
           Tables of constants (static const) and structs of vectors are not counted, since they are no state.
"""
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Each entry is a name, a statement, and the function that stores. Every function on the path to it is counted.
CALLS = (("fill", "pe_fill_f32(&plan, at, 512, x, 256)", "pe__store_four"),
         ("row", "pe_fill_f32(&plan, at, 1, x, 256)", "pe__store_four"),
         ("rope", "pe_rope_f32(&rope, at, 8, x, heads)", "pe__pair_tile_rotate"))
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
int main(void)
{
    static float x[512 * 256];
    const pe_config c = pe_config_default(256);
    const pe_rope_config r = pe_rope_config_default(128);
    const pe_heads heads = {8, 8 * 128, 128};
    const pe_at at = pe_from(100000);
    pe_plan plan, rope;
    if (pe_plan_init(&plan, &c, malloc(pe_plan_size(&c)), pe_plan_size(&c)) != PE_OK) return 1;
    if (pe_rope_plan_init(&rope, &r, malloc(pe_rope_plan_size(&r)), pe_rope_plan_size(&r)) != PE_OK) return 1;
    on = 1;
    return CALL != PE_OK;
}
"""


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def trace(top, work, call):
    """Returns [(depth, function, line of pe.h or None)] for all functions that the call enters."""
    program = os.path.join(work, "program")
    with open(program + ".c", "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    run(os.environ.get("GCC", "gcc"), "-std=c99", "-g", "-O0", "-no-pie", "-w", "-finstrument-functions", "-DPE_ISA=PE_ISA_SCALAR",
        "-DCALL=" + call, "-I" + top, program + ".c", "-o", program, "-lm")
    functions = {}
    for address, name, place in re.findall(r"^(\w+) \w (\S+)(?:\t(.*))?$", run("nm", "-l", program), re.M):
        header, _, line = place.rpartition(":")
        functions[int(address, 16)] = (name.split(".")[0], int(line) if header.endswith("/pe.h") else None)
    entered = (line.split() for line in run(program).splitlines())
    return [(int(depth), *functions[int(address, 16)]) for depth, address in entered]


def body(lines, line, function):
    """Returns the text of the function that begins on a line, or, if a macro defines it, the macro's part."""
    macro = re.match(r"(PE__\w+)\(", lines[line - 1])
    if macro and "{" not in lines[line - 1] + lines[line]:
        line = max(i for i, x in enumerate(lines[:line]) if re.match(rf"#define {macro[1]}\(", x)) + 1
        while not any(re.fullmatch(re.sub(r"##\w+|\bname\b", r"\\w+", x), function) for x in re.findall(r"([\w#]+)\(", lines[line - 1])):
            line += 1
        end = next(i for i, x in enumerate(lines[line:], line) if re.match(r" {4}\}(\s*\\)?$", x))
    else:
        end = next(i for i, x in enumerate(lines[line:], line) if x == "}")
    return "\n".join(lines[line - 1:end])


def state(text, bodies):
    """Returns the private structs that the functions pass on."""
    private = text[text.index("PRIVATE: nothing below"):]
    members = dict(re.findall(r"^typedef struct (pe__\w+) \{(.*?)^\} \1;", private, re.M | re.S))
    members = {name: re.sub(r"/\*.*?\*/", "", fields, flags=re.S) for name, fields in members.items()}
    constants = set(re.findall(r"static const (pe__\w+) \w+(?:##\w+)?\s*=", private))
    vectors = {name for name, fields in members.items() if not re.sub(r"\bpe__v\w+\s+[\w\[\], ]+;", "", fields).strip()}
    carried, found = set(), [name for name in members if re.search(rf"\b{name}\b", bodies)]
    while found:
        name = found.pop()
        if name not in carried | constants | vectors:
            carried.add(name)
            found += [x for x in members if re.search(rf"\b{x}\s+\w", members[name])]
    return sorted(carried)


def main():
    arguments = [x for x in sys.argv[1:] if x != "-v"]
    top = arguments[0] if arguments else TOP
    with open(os.path.join(top, "pe.h"), encoding="utf-8") as file:
        lines = file.read().split("\n")
    homes, home = [], ""
    for line in lines:
        mark = re.match(r"/\* ==== src/(.*) ==== \*/$", line)
        home = mark[1] if mark else home
        homes.append(home)
    tables = []
    with tempfile.TemporaryDirectory() as work:
        for name, call, store in CALLS:
            stack, deepest, stored, seen, left, returns, last = [], 0, [], {}, set(), [], ""
            for depth, function, line in trace(top, work, call):
                file = homes[line - 1] if line else ""
                stack[depth - 1:] = [(function, file, line)]
                if not file or file.startswith("simd/"):
                    continue
                here = [entry for entry in stack if entry[1] and not entry[1].startswith("simd/")]
                deepest = max(deepest, len(here))
                if function == store:
                    stored = max(stored, here, key=len)
                if function in seen:
                    continue
                if file != last and file in left:
                    returns.append(function)
                left.add(file)
                last = seen[function] = file
            bodies = "\n".join(body(lines, line, x) for x, _, line in stored)
            structs = [] if name == "row" else state("\n".join(lines), bodies)
            print(f"{name}: {len(seen)} functions, at most {deepest} deep, {len(stored)} calls to the store, {len(returns)} returns" +
                  (f", {len(structs)} structs: {' '.join(structs)}" if structs else ""))
            if "-v" in sys.argv:
                print(*(f"{'R' if x in returns else ' '} {x} {seen[x]}" for x in seen), sep="\n")
            tables.append(f"| {n} | `{x}` | `{file}` |" for n, (x, file, _) in enumerate(stored, 1))
    print(*tables[0], sep="\n")


if __name__ == "__main__":
    main()
