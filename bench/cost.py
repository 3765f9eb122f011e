#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What including pe costs: the code of small programs in KB, and the seconds it takes to compile them.

    cost.py [--base DIRECTORY or COMMIT] [--builds "avx512 avx2"] [--runs N] [--json FILE]
    cost.py --sizes ADOPTING BUILDING [--check]    compiles the programs for each instruction set, and writes their
                                   sizes into the tables of docs/adopting.md and docs/building.md; or compares those of
                                   AVX-512: within 3 %

Compilers are gcc and clang, whichever there are, with -O2. Seconds are CPU seconds of the compiler, beyond
what it takes for the system headers that pe.h includes, which are a line of their own. The base is another
version of pe: both are compiled in turns, and the ratio of the seconds is the median over the turns.
"""
import argparse
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
PROGRAMS = {"FILL": "plan, fill", "ADD": "plan, add", "ROPE": "plan, RoPE", "CONFIG": "config, RoPE",
            "ALL": "plan, all three", "BY_TABLE": "RoPE by a table"}
# What the tables of docs/adopting.md and docs/building.md call them.
ADOPTING = {"BY_TABLE": "rotates heads by a given table", "FILL": "fills tables from a plan",
            "ROPE": "uses RoPE; its plan is made by `pe_plan_init()`",
            "CONFIG": "uses RoPE; its plan is made from a model's config, by `pe_rope_plan_init()`"}
BUILDING = {"SINCOS_ROW": "`pe_sincos_f32` of one row", "SINCOS": "`pe_sincos_f32` of any number of rows",
            "BY_TABLE": "`pe_rope_by_table_f32`", "ROW_BY_TABLE": "one row, and `pe_rope_by_table_f32`",
            "GGML": "`pe_rope_ggml_frequencies`, one row, `pe_rope_by_table_to_f32` and `_to_f16` in both layouts",
            "FILL": "`pe_plan_init`, `pe_fill_f32`", "ADD": "`pe_plan_init`, `pe_add_f32`",
            "ROPE": "`pe_plan_init`, `pe_rope_f32`", "CONFIG": "`pe_rope_plan_init`, `pe_rope_f32`"}
MEASURED = "gcc 12.2" # what the tables are of
FOREIGN = {"arm_neon.h", "wasm_simd128.h"} if os.uname().machine == "x86_64" else {"immintrin.h", "emmintrin.h", "wasm_simd128.h"}
FLAGS = {
    "avx512": ["-mavx512f", "-DPE_ISA=PE_ISA_AVX512"],
    "avx2": ["-mavx2", "-mfma", "-DPE_ISA=PE_ISA_AVX2"],
    "sse2": ["-DPE_ISA=PE_ISA_SSE2"],
    "neon": ["-DPE_ISA=PE_ISA_NEON"],
    "scalar": ["-DPE_ISA=PE_ISA_SCALAR"],
}


def compile_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def text_bytes(path):
    """Returns the bytes of code and constants in an object, which the program size prints in the column text."""
    done = subprocess.run(["size", path], check=True, stdout=subprocess.PIPE, text=True)
    return int(done.stdout.splitlines()[1].split()[0])


def system_headers(tree):
    """A program that includes what the two headers of that tree do on this machine, and nothing else."""
    found = set()
    for name in ("pe.h", "pe_simd.h"):
        with open(os.path.join(tree, name), encoding="utf-8") as file:
            found |= set(re.findall(r"^\s*#\s*include\s*<([^>]+)>", file.read(), re.M))
    return "".join(f"#if __has_include(<{h}>)\n#include <{h}>\n#endif\n"
                   for h in sorted(found - {"sleef.h"} - FOREIGN)) + "int nothing;\n"


def object_command(compiler, isa, tree, source, output, *more):
    return [compiler, "-std=c99", "-O2", *FLAGS[isa], "-DPE_SLEEF=0", *more, f"-I{tree}", "-c", source, "-o", output]


def sizes(adopting, building, check):
    """The tables of sizes: written, or compared with what they say."""
    compiler = os.environ.get("GCC", "gcc")
    said = subprocess.run([compiler, "-dumpfullversion"], capture_output=True, text=True, check=False).stdout
    if os.uname().machine != "x86_64" or not said.startswith(MEASURED.split()[1]):
        sys.exit(f"SKIP: the tables of sizes are of {MEASURED} on x86-64")
    found, all_isas = {}, ("sse2", "avx2", "avx512")
    isas = ("avx512",) if check else all_isas
    with tempfile.TemporaryDirectory() as scratch:
        output = os.path.join(scratch, "out.o")
        for program in BUILDING:
            for isa in isas:
                subprocess.run(object_command(compiler, isa, TOP, os.path.join(HERE, "cost.c"), output, f"-D{program}"),
                               check=True)
                found[program, isa] = text_bytes(output) / 1000
    tables = [(adopting, says, [found[program, "avx512"]], "{} KB") for program, says in ADOPTING.items()]
    tables += [(building, says, [found[program, isa] for isa in isas], "{} / {} / {}")
               for program, says in BUILDING.items()]
    wrong = []
    for path, says, numbers, form in tables:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        row = re.compile(r"(?m)^( *\| " + re.escape(says) + r" \| )([^|]*)( \|)$")
        cell = row.search(text)
        if not cell:
            sys.exit(f"{path} has no row '{says}'")
        if check:
            known = int(re.findall(r"\d+", cell[2])[-1])
            if abs(known - numbers[-1]) > 0.5 + 0.03 * numbers[-1]:
                wrong.append(f"{path}: {says}: {cell[2]}, is {numbers[-1]:.1f} KB with AVX-512")
            continue
        with open(path, "w", encoding="utf-8") as file:
            file.write(row.sub(lambda m: m[1] + form.format(*(round(n) for n in numbers)) + m[3], text))
    sys.exit("\n".join(wrong) or 0)


def measure(trees, compiler, isa, runs, scratch):
    """Returns for each program and tree the code's bytes and the seconds of each run; the program "" is the headers."""
    base = {}
    for tree in trees:
        base[tree] = os.path.join(scratch, f"headers{trees.index(tree)}.c")
        with open(base[tree], "w", encoding="utf-8") as file:
            file.write(system_headers(tree))
    output = os.path.join(scratch, "out.o")

    def command(tree, source, *more):
        return object_command(compiler, isa, tree, source, output, *more)

    found = {"": ({tree: 0 for tree in trees}, {tree: [] for tree in trees})}
    for program in PROGRAMS:
        sizes, seconds = {}, {tree: [] for tree in trees}
        for _ in range(runs):
            for tree in trees:
                time = compile_seconds(command(tree, os.path.join(HERE, "cost.c"), f"-D{program}"))
                sizes[tree] = text_bytes(output)
                headers = compile_seconds(command(tree, base[tree]))
                seconds[tree].append(time - headers)
                found[""][1][tree].append(headers)
        found[program] = (sizes, seconds)
    return found


def tree_of(base, scratch):
    """Returns a directory that contains the headers of `base`, which is a directory or a commit."""
    if os.path.isdir(base):
        return os.path.abspath(base)
    for name in ("pe.h", "pe_simd.h"):
        with open(os.path.join(scratch, name), "wb") as file:
            subprocess.run(["git", "-C", TOP, "show", f"{base}:{name}"], check=True, stdout=file)
    return scratch


def rows(base, builds, runs):
    with tempfile.TemporaryDirectory() as scratch:
        trees = [TOP] + ([tree_of(base, scratch)] if base else [])
        for compiler in ("gcc", "clang"):
            if not shutil.which(compiler):
                continue
            for isa in builds:
                for program, (sizes, seconds) in measure(trees, compiler, isa, runs, scratch).items():
                    row = {"program": PROGRAMS.get(program, "system headers alone"), "compiler": compiler, "build": isa,
                           "text": sizes[trees[0]], "seconds": statistics.median(seconds[trees[0]])}
                    if len(trees) > 1:
                        row["base_text"] = sizes[trees[1]]
                        row["ratio"] = statistics.median(
                            a / b for a, b in zip(seconds[trees[0]], seconds[trees[1]]))
                    yield row


def report(found, out):
    out.write(f"\n{'program':<24}{'compiler':<10}{'build':<9}{'code, KB':>9}{'seconds':>9}"
              + (f"{'base, KB':>10}{'time of base':>14}" if "ratio" in found[0] else "") + "\n")
    for r in found:
        out.write(f"{r['program']:<24}{r['compiler']:<10}{r['build']:<9}{r['text'] / 1000:9.1f}"
                  f"{r['seconds']:9.2f}"
                  + (f"{r['base_text'] / 1000:10.1f}{r['ratio']:13.2f}x" if "ratio" in r else "") + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json")
    parser.add_argument("--sizes", nargs=2, metavar=("ADOPTING", "BUILDING"))
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--builds", default="avx512 avx2" if os.uname().machine == "x86_64" else "neon")
    args = parser.parse_args()
    if args.sizes:
        sizes(*args.sizes, args.check)
    found = list(rows(args.base, args.builds.split(), args.runs))
    if not found:
        sys.exit("neither gcc nor clang is installed")
    report(found, sys.stdout)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()
