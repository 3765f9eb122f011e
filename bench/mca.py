#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mca.py [OUT | --loops]: what llvm-mca, a model of CPUs, says of the hot loops on CPUs that are not at hand.

Compiles pe.h for each CPU, takes the loops out of the assembly, and asks llvm-mca for the cycles
of one pass. Beside them SLEEF's float sines, out of the installed library. Writes a table, which
docs/benchmarks-models.md has. --loops only looks whether the loops are there, without llvm-mca if it
is not, and without compilers that are not. Environment: GCC, ARM_GCC, MCA."""
import heapq
import os
import re
import shutil
import subprocess
import sys

MCA = os.environ.get("MCA", "llvm-mca-19")
GCC = os.environ.get("GCC", "gcc")
ARM_GCC = os.environ.get("ARM_GCC", "aarch64-linux-gnu-gcc")
ARM_ROOT = os.environ.get("ARM_ROOT", "build/arm64/sysroot/usr/lib/aarch64-linux-gnu")

# name, compiler, flag, ISA, llvm-mca's name, SLEEF's library, its function, its floats
X86 = "/usr/lib/x86_64-linux-gnu/libsleef.so.3"
CORES = [
    ("Zen 4, AVX-512", GCC, "-march=x86-64-v4", "AVX512", "znver4", X86, "Sleef_sincosf16_u35avx512f", 16),
    ("Zen 4, AVX2", GCC, "-march=x86-64-v3", "AVX2", "znver4", X86, "Sleef_sincosf8_u35avx2", 8),
    ("Golden Cove, AVX-512", GCC, "-march=x86-64-v4", "AVX512", "sapphirerapids", X86,
     "Sleef_sincosf16_u35avx512f", 16),
    ("Golden Cove, AVX2", GCC, "-march=x86-64-v3", "AVX2", "sapphirerapids", X86,
     "Sleef_sincosf8_u35avx2", 8),
    ("Neoverse V2, NEON", ARM_GCC, "-march=armv8-a", "NEON", "neoverse-v2",
     ARM_ROOT + "/libsleef.so.3", "Sleef_sincosf4_u35advsimd", 4),
    ("Apple M1, NEON", ARM_GCC, "-march=armv8-a", "NEON", "apple-m1",
     ARM_ROOT + "/libsleef.so.3", "Sleef_sincosf4_u35advsimd", 4),
]
# Each entry has the name in the table, the private function, the least number of products in its hot loop, and the
# vectors of pairs per pass of the loop. The value 0 means as many as the loop stores.
LOOPS = [
    ("rows of a block", "pe__store_row_pairs", 24, 0),
    ("added", "pe__add_row_pairs_f32", 24, 0),
    ("a single row", "pe__single_f32", 50, 4),
    ("heads rotated", "pe__rotate_heads_f32_halves_pair_tiles", 8, 0),
]
PROGRAM = """
#include "pe.h"
pe_status calls(const pe_plan *plan, pe_at at, size_t n, float *x, pe_heads heads);
pe_status calls(const pe_plan *plan, pe_at at, size_t n, float *x, pe_heads heads)
{
    const pe_status a = pe_fill_f32(plan, at, n, x, 512), b = pe_add_f32(plan, at, n, 1, x, 512);
    return a != PE_OK ? a : b != PE_OK ? b : pe_rope_f32(plan, at, n, x, heads);
}
"""


def run(command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit("mca: %s: %s" % (" ".join(command), done.stderr[-2000:]))
    return done.stdout


def functions(assembly):
    """Returns a dictionary from each function's name to its lines.

    gcc's versions with fewer arguments or results (name.isra.0) count as the function. Cold code, which gcc moved to a
    section of its own, is left out.
    """
    found, name = {}, None
    for line in assembly.splitlines():
        label = re.match(r"([A-Za-z_][\w.]*):", line)
        if label:
            name = re.sub(r"\.(?:isra|constprop)\.\d+", "", label.group(1))
            found[name] = []
        elif name:
            found[name].append(line.split("//")[0].rstrip())
    return found


JUMP = re.compile(r"\s+(?:j\w+|b(?:\.?[a-z]{2})?|cbn?z\s+\w+,|tbn?z\s+\w+, #?\w+,)\s+(\.L\d+)$")


def loops(lines):
    """Yields the lines of each innermost loop: from a label to a jump back to it, with no other loop between."""
    at = {line[:-1]: i for i, line in enumerate(lines) if re.match(r"\.L\d+:$", line)}
    spans = []
    for i, line in enumerate(lines):
        jump = JUMP.match(line)
        if jump and at.get(jump.group(1), i) < i:
            spans.append((at[jump.group(1)], i))
    for begin, end in spans:
        if not any(begin <= b and e < end for b, e in spans if (b, e) != (begin, end)):
            yield [line for line in lines[begin:end + 1] if not re.match(r"\s*\.|\.L", line)]


END = re.compile(r"\s+(?:jmp|b)\s+(\.L\d+)$")


def shortest(lines, least):
    """Returns the shortest path from a label back to it that has at least `least` products and no call, as a list.

    A path is searched because compilers put branches that hardly ever run into the middle of a long loop, and other
    branches far away.
    """
    at = {line[:-1]: i for i, line in enumerate(lines) if re.match(r"\.L\d+:$", line)}
    best = None
    for begin in {at[j.group(1)] for i, j in enumerate(map(JUMP.match, lines)) if j and at.get(j.group(1), i) < i}:
        queue, seen = [(0, begin, 0, ())], set() # instructions, where, products, the way so far
        while queue:
            n, i, products, way = heapq.heappop(queue)
            if (best and n >= len(best)) or i >= len(lines) or (i, products) in seen:
                continue
            if i == begin and n and products >= least:
                best = [line for line in unrolled(way) if not re.match(r"\s*\.|\.L", line)]
                continue
            seen.add((i, products))
            line, jump, end = lines[i], JUMP.match(lines[i]), END.match(lines[i])
            if re.match(r"\s+(?:call|bl|ret|ud2)\b", line):
                continue
            step = (n + (not re.match(r"\s*\.|\.L", line)), min(products + bool(PRODUCT.match(line)), least))
            # what a compiler calls cold lies elsewhere
            targets = [at[m.group(1)] for m in (end or jump,) if m and m.group(1) in at]
            for to in targets + ([] if end else [i + 1]):
                heapq.heappush(queue, (step[0], to, step[1], (way, line)))
    return best


def unrolled(way):
    lines = []
    while way:
        way, line = way
        lines.append(line)
    return lines[::-1]


PRODUCT = re.compile(r"\s+(?:v?f?n?m\w*(?:mul|add|sub)\w*p[sd]|vmul\w*p[sd]|vfn?m\w+p[sd]|fmul|fml[as])\s")
STORE_X86 = re.compile(r"\s+v?mov[au]p[sd]\s+%([xyz])mm\d+, |\s+vmovdq[au]\d*\s+%([xyz])mm\d+, .*\(")
STORE_ARM = re.compile(r"\s+(str|stp)\s+q\d+")


def stored(lines):
    """Returns the bytes that one pass of a loop stores with vector instructions, without stores to the stack."""
    total = 0
    for line in lines:
        if "(%rsp)" in line or "(%rbp)" in line or "[sp" in line:
            continue
        x86, arm = STORE_X86.match(line), STORE_ARM.match(line)
        if x86 and "(" in line:
            total += {"x": 16, "y": 32, "z": 64}[x86.group(1) or x86.group(2)]
        elif arm:
            total += 32 if arm.group(1) == "stp" else 16
    return total


def spills(lines):
    return sum(1 for line in lines if re.search(r"[xyz]mm\d+.*\(%r[sb]p\)|q\d+.*\[sp|\(%r[sb]p\).*[xyz]mm", line))


def cycles(core, lines):
    """Returns the cycles and the micro-operations of one pass, as llvm-mca estimates them."""
    lines = [line for line in lines if not JUMP.match(line)]
    triple = "aarch64" if core.startswith(("neoverse", "apple", "cortex")) else "x86_64"
    text = run([MCA, "-mtriple=" + triple, "-mcpu=" + core, "-iterations=200"], "\n".join(lines) + "\n")
    number = lambda what: float(re.search(what + r":\s+([\d.]+)", text).group(1))
    return number("Total Cycles") / 200, number("Total uOps") / 200


def sleef(library, function, triple):
    """SLEEF's shortest way, of angles below 125: the instructions up to the first return, behind a
    load of the angles, before stores of what comes in registers."""
    tool = "aarch64-linux-gnu-objdump" if triple == "aarch64" else "objdump"
    table = run([tool, "-T", library])
    entry = re.search(r"^([0-9a-f]+)\s.*\s([0-9a-f]+)\s+Base\s+%s$" % function, table, re.M)
    begin = int(entry.group(1), 16)
    text = run([tool, "-d", "--no-show-raw-insn", "--start-address=%d" % begin,
                "--stop-address=%d" % (begin + int(entry.group(2), 16)), library])
    angles = {"16": "vmovups (%r8), %zmm0", "f8": "vmovups (%r8), %ymm0", "f4": "ldr q0, [x8]"}
    lines = ["\t" + angles[re.search(r"(16|f8|f4)_", function).group(1)]]
    for line in text.splitlines():
        code = re.match(r"\s+[0-9a-f]+:\s+(.*?)\s*(?:# .*|<.*|//.*)?$", line)
        if not code:
            continue
        if code.group(1).startswith("ret"):
            return lines + (["\tstp q0, q1, [x9]"] if triple == "aarch64" else [])
        word = code.group(1).split()[0]
        if word.startswith(("j", "b.", "cb", "tb")) or word in ("b", "bl", "adrp"):
            continue
        lines.append("\t" + code.group(1))
    return lines


def loop_of(found, function, least, pairs, core):
    """The fewest cycles per pair of the function's loops that have so many products, or, if pairs is said,
    of the shortest way round, with the
    micro-operations and the vectors that go to the stack and come back."""
    best = None
    for lines in [shortest(found[function], least)] if pairs else loops(found[function]):
        count = pairs or stored(lines or []) / 8
        if lines and count and sum(1 for line in lines if PRODUCT.match(line)) >= least:
            taken, operations = cycles(core, lines) if shutil.which(MCA) else (0, 0)
            new = (taken / count, operations / count, spills(lines))
            best = min(best or new, new)
    if not best:
        sys.exit("mca: %s has no loop of %d products: LOOPS is to name the hot one" % (function, least))
    return best


def hot_loops(name, compiler, march, isa, core, lanes):
    """Of each of LOOPS what loop_of() says."""
    path = "build/mca/%s.s" % re.sub(r"\W+", "-", name.lower())
    os.makedirs("build/mca", exist_ok=True)
    with open("build/mca/calls.c", "w") as f:
        f.write(PROGRAM)
    run([compiler, "-std=c99", "-O2", march, "-DPE_ISA=PE_ISA_" + isa, "-I.", "-S", "build/mca/calls.c",
         "-fno-asynchronous-unwind-tables", "-o", path])
    with open(path) as f:
        found = functions(f.read())
    for _, private, least, vectors in LOOPS:
        if private not in found:
            sys.exit("mca: %s is no function any more: LOOPS is to name the hot one" % private)
        yield loop_of(found, private, least, vectors * lanes // 2, core)


def check():
    seen = set()
    for name, compiler, march, isa, core, _, _, lanes in CORES:
        if isa in seen: # the same code for another core
            continue
        seen.add(isa)
        if not shutil.which(compiler):
            print("SKIP %s: %s is missing" % (name, compiler))
        else:
            print("ok   %s: %d loops" % (name, len(list(hot_loops(name, compiler, march, isa, core, lanes)))))


def main():
    if sys.argv[1:] == ["--loops"]:
        return check()
    for tool in (MCA, GCC, ARM_GCC, "objdump", "aarch64-linux-gnu-objdump"):
        if not shutil.which(tool):
            sys.exit("mca: %s is missing (llvm-19, gcc-aarch64-linux-gnu)" % tool)
    if not os.path.exists(ARM_ROOT):
        sys.exit("mca: %s is missing: sh tests/tools/arm64.sh lays it out" % ARM_ROOT)
    text = "| cycles per pair | " + " | ".join(title for title, _, _, _ in LOOPS) + " | SLEEF's floats |\n"
    text += "|---" * (len(LOOPS) + 2) + "|\n"
    for name, compiler, march, isa, core, library, function, lanes in CORES:
        row = [name]
        for taken, operations, spilt in hot_loops(name, compiler, march, isa, core, lanes):
            row.append("%.2f (%.1f%s)" % (taken, operations, "; %d" % spilt if spilt else ""))
        taken, operations = cycles(core, sleef(library, function, "aarch64" if isa == "NEON" else "x86_64"))
        row.append("%.2f (%.1f)" % (taken / lanes, operations / lanes))
        text += "| " + " | ".join(row) + " |\n"
    print(text, end="")
    if len(sys.argv) > 1:
        with open(sys.argv[1]) as f:
            page = f.read()
        page = re.sub(r"(<!-- mca -->\n).*?(<!-- end -->)", lambda m: m.group(1) + text + m.group(2), page, flags=re.S)
        with open(sys.argv[1], "w") as f:
            f.write(page)


if __name__ == "__main__":
    main()
