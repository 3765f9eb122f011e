#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
mutation.py: checks that the tests notice a small defect, wherever it is.

    tests/run mutation MUTANTS=400 SEED=1 JOBS=1 MUTATION_SECONDS=1800

It makes mutants, which are copies of pe.h and pe_simd.h with one defect each. A defect is a changed sign or comparison,
a constant off by one unit, swapped arguments, a dropped statement and so on (see KINDS). The programs of the table
KILLERS run on each mutant until one of them fails; then the mutant is killed. Which mutants are made depends only on
SEED: first one of each function, then any. Each is built for one instruction set, without optimisation. It is only
run with the programs that execute the mutated line, as gcov reports it.

A survivor is a gap in the tests, or is equivalent to the original. In the latter case tests/tools/survivors.txt says
why. The run fails if less than 95 % of the mutants that are not explained are killed.

Environment variables:
    MUTANTS, SEED, JOBS   the number of mutants, the seed, and the number of processes
    MUTATION_SECONDS      the time after which no new mutant is begun
    MUTATION_MATCH        only mutants whose line of the report contains this text are run
    MUTATION_EXPLAINED=1  runs all killers on mutants that are explained. Otherwise only the hash runs on them, since
    the
                          other killers would only take time.
    MUTATION_AGAIN=1      leaves out the mutants that the last run killed or could explain
    MUTATION_KILLERS      the names of the killers that run, instead of all ("blind" notices nothing)
    MUTATION_LIST=1       prints the mutants and runs nothing
Everything is written to build/mutation. The file results.tsv there has a line for each mutant.
"""
import concurrent.futures
import fnmatch
import glob
import hashlib
import json
import math
import os
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import threading
import time

BUILD = os.environ.get("BUILD", "build")
WORK = os.path.join(BUILD, "mutation")
GCC = os.environ.get("GCC", "gcc")
GXX = os.environ.get("GXX", "g++")
GCOV = os.environ.get("GCOV", "gcov")
EXTRA = os.environ.get("EXTRA_CFLAGS", "").split()
HEADERS = ["pe.h", "pe_simd.h"]
PASS = 95.0  # percent

# ---- the killers -------------------------------------------------------------------------------
# Each name has a tuple of source files, instruction sets (None stands for all) and environment. The cheapest killer, as
# measured, runs first. "hash" must print what it prints for the original headers; the others are cmocka programs.
QUICK = {"PE_QUICK": "4"}
X86 = None
KILLERS = {
    "hash": (["tests/unit/hash.c"], X86, {}),
    "seeds": (["tests/unit/api/test_seeds.c"], X86, QUICK),
    "selftest": (["tests/unit/selftest/test_selftest.c"], X86, QUICK),
    "theorem": (["tests/unit/sincos/test_theorem.c"], X86, QUICK),
    "budget": (["tests/unit/numbers/test_budget.c"], X86, QUICK),
    "types": (["tests/unit/simd/test_types.c"], X86, QUICK),
    "rope_rotate": (["tests/unit/rope/test_rope_rotate.c"], X86, QUICK),
    "rope_call": (["tests/unit/rope/test_rope_call.c"], X86, QUICK),
    "rope_refused": (["tests/unit/rope/test_rope_refused.c"], X86, QUICK),
    "rope_plan": (["tests/unit/rope/test_rope_plan.c"], X86, QUICK),
    "rope_tokens": (["tests/unit/rope/test_rope_tokens.c"], X86, QUICK),
    "rope_table": (["tests/unit/rope/test_rope_table.c"], X86, QUICK),
    "rope_ggml": (["tests/unit/rope/test_rope_ggml.c"], X86, QUICK),
    "at": (["tests/unit/positions/test_at.c"], X86, QUICK),
    "learned": (["tests/unit/learned/test_learned.c"], X86, QUICK),
    "algebra": (["tests/unit/algebra/test_algebra.c"], X86, QUICK),
    "errors": (["tests/unit/api/test_errors.c"], X86, QUICK),
    "rope_frequencies": (["tests/unit/rope/test_rope_frequencies.c"], X86, QUICK),
    "alibi": (["tests/unit/scores/test_alibi.c"], X86, QUICK),
    "conventions": (["tests/unit/plan/test_conventions.c"], X86, QUICK),
    "cpp": (["tests/unit/api/test_cpp.cpp", "tests/unit/api/cpp_two.c"], X86, QUICK),
    "exact": (["tests/unit/rows/test_exact.c"], X86, QUICK),
    "bounds": (["tests/unit/rows/test_bounds.c"], X86, QUICK),
    "memory": (["tests/unit/calls/test_memory.c"], X86, QUICK),
    "splits": (["tests/unit/rows/test_splits.c"], X86, QUICK),
}
# This killer notices nothing. tests/tools/selfcheck.sh checks that a run with it fails.
BLIND = {"blind": ([os.path.join(WORK, "blind.c")], X86, {})}

# The flags of each instruction set, and how many of ten mutants of pe.h are built for it.
ISAS = {
    "avx512": (["-mavx512f", "-mavx512dq", "-mavx512bw", "-DPE_ISA=PE_ISA_AVX512"], 4),
    "avx2": (["-mavx2", "-mfma", "-DPE_ISA=PE_ISA_AVX2"], 2),
    "sse2": (["-DPE_ISA=PE_ISA_SSE2"], 2),
    "scalar": (["-DPE_ISA=PE_ISA_SCALAR"], 2),
}

# With so few PE_STREAM_BYTES, small tables are also streamed.
FLAGS = ["-DPE_SLEEF=0", "-DPE_STREAM_BYTES=65536"]

# ---- reading C ---------------------------------------------------------------------------------

TOKEN = re.compile(r"""
    (?P<space>\s+|\\\n)
  | (?P<comment>/\*.*?\*/|//[^\n]*)
  | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
  | (?P<number>\.?[0-9](?:[eEpP][+-]|[0-9A-Za-z_.])*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<op><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\#\#|.)
""", re.X | re.S)
BANNER = re.compile(r"/\* -{2,} (.+?) -{2,}")
KEYWORDS = {"if", "for", "while", "switch", "return", "sizeof", "do", "else", "case", "default",
            "break", "continue", "goto", "typedef", "struct", "enum", "union", "static", "const",
            "inline", "extern"}
TYPES = {"int", "unsigned", "double", "float", "char", "void", "size_t", "ptrdiff_t", "const",
         "static", "enum", "struct", "typedef", "signed", "long", "short"}


class Token:
    __slots__ = ("kind", "text", "start", "end", "line", "region", "section", "inside", "match",
                 "enclosed")

    def __init__(self, kind, text, start, line):
        self.kind, self.text, self.start, self.end, self.line = kind, text, start, start + len(text), line
        self.region, self.section, self.inside, self.match = "", "", False, -1
        self.enclosed = False  # in parentheses


def tokens_of(text):
    """Returns the tokens that can be mutated, each with the function that it is in. Directives except #define are left
    out."""
    lines_before = [0]
    for c in text.split("\n"):
        lines_before.append(lines_before[-1] + len(c) + 1)
    out, pos, line, section = [], 0, 1, "beginning"
    depth, header, region, kind, begun, skip_extern = 0, [], "", "", 0, []
    macro_end, macro = -1, ""
    while pos < len(text):
        if text[pos] == "#" and text[:pos].rpartition("\n")[2].strip() == "" and pos > macro_end:
            end = pos
            while True:
                end = text.find("\n", end)
                end = len(text) if end < 0 else end
                if text[end - 1] != "\\":
                    break
                end += 1
            define = re.match(r"#\s*define\s+(\w+)(\([^)]*\))?", text[pos:end])
            if define:
                macro, macro_end = define.group(1), end
                end = pos + define.end()
            line += text.count("\n", pos, end)
            pos = end
            continue
        m = TOKEN.match(text, pos)
        what, piece = m.lastgroup, m.group()
        if what == "comment":
            banner = BANNER.match(piece)
            if banner:
                section = banner.group(1).strip(" :")
        elif what != "space":
            t = Token(what, piece, pos, line)
            t.section = section
            if pos < macro_end:
                t.region, t.inside = "#define " + macro, True
            else:
                t.inside = depth > 0
                if depth == 0:
                    if piece == "{":
                        names = [h.text for h in header]
                        if names[:1] == ["extern"] and len(header) == 2:
                            skip_extern.append(1)
                            header = []
                            pos, line = m.end(), line + piece.count("\n")
                            continue
                        if names[-1:] == [")"]:
                            at, open_ = len(names), 0
                            while at > 0:  # back to the parenthesis of the parameters
                                at -= 1
                                open_ += {")": 1, "(": -1}.get(names[at], 0)
                                if open_ == 0:
                                    break
                            region, kind = names[at - 1], "function"
                        elif "=" in names:
                            words = [n for n in names[:names.index("=")] if re.match(r"[A-Za-z_]", n)]
                            region, kind = "data " + words[-1], "data"
                        else:
                            words = [n for n in names if re.match(r"[A-Za-z_]", n)]
                            region, kind = "type " + (words[-1] if words else "?"), "type"
                        depth = 1
                    elif piece == "}":
                        header = []  # end of extern "C"
                    else:
                        header.append(t)
                        if piece == ";":
                            header = []
                        if kind and piece == ";":
                            kind = ""
                    t.region = region if depth else ""
                else:
                    t.region = region
                    depth += {"{": 1, "}": -1}.get(piece, 0)
                    if depth == 0:
                        header = [] if kind == "function" else header
            out.append(t)
        line += piece.count("\n")
        pos = m.end()
    stack = []
    for i, t in enumerate(out):
        t.enclosed = bool(stack) and out[stack[-1]].text != "{"
        if t.kind != "op":
            continue
        if t.text in "([{":
            stack.append(i)
        elif t.text in ")]}" and stack:
            j = stack.pop()
            out[i].match, out[j].match = j, i
    return out


# ---- mutants -----------------------------------------------------------------------------------

KINDS = {
    "arith": "+ - * / % and their assignments",
    "compare": "< <= > >= == !=: the boundary, the opposite",
    "logic": "&& ||, ! dropped",
    "bits": "& | ^, << >>",
    "count": "++ --",
    "minus": "unary - dropped",
    "int": "an integer constant by one",
    "float": "a floating constant by one ulp",
    "swap": "neighbouring arguments or lanes",
    "drop": "a statement left out",
    "force": "a condition that is always, or never, true",
    "status": "another PE_ERR_...",
    "fma": "another operation of the same shape",
    "name": "sine for cosine, low for high, ...",
}
ARITH = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "/",
         "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*="}
COMPARE = {"<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"],
           "==": ["!="], "!=": ["=="]}
BITS = {"&": "|", "|": "&", "^": "|", "<<": ">>", ">>": "<<", "&=": "|=", "|=": "&=", "^=": "|="}
STATUSES = ["PE_ERR_NULL", "PE_ERR_CONFIG", "PE_ERR_PLAN", "PE_ERR_ENUM", "PE_ERR_FREQUENCY",
            "PE_ERR_SHAPE", "PE_ERR_RANGE", "PE_ERR_SIZE", "PE_ERR_AT_SIZE", "PE_OK"]
PAIRS = """s c  S C  sine cosine  sines cosines  s_up c_up  s_down c_down  up down  hi lo  low high
    first last  ss cc  sC cC  cS sS  above below  out_up out_down  has_up has_down  s0 c0  s1 c1
    heads tokens  queries keys  rows stride  S_ C_  odd even  front back  pair count  x y  lo2 lo
    token_stride head_stride  sc ss"""
OPERATIONS = """pe__fma pe__fnma  pe__mad_f32 pe__nmad_f32  pe__add_f32 pe__sub_f32  pe__rotate_a pe__rotate_b  pe__min pe__max
    pe__get_bf16_evens pe__get_bf16_odds  pe__unzip_evens pe__unzip_odds  pe__put pe__stream
    pe__two_sum pe__fast_two_sum  pe__zip pe__join  pe__to_bf16 pe__round_bf16  pe__to_f16 pe__round_f16
    pe__get_signed pe__get_repeated  pe__any_nan pe__differ  PE__SC PE__CS  PE_TYPE_F16 PE_TYPE_BF16  PE__STORE PE__STREAM"""
NOT_CODE = re.compile(r"#define (PE_VERSION|PE_ISA|PE_SLEEF)")
# Swapping the arguments of these functions changes nothing, except in pe__dd_mul, which changes within its error bound.
COMMUTES = re.compile(
    r"pe__(fma|fnma|mad_f32|nmad_f32|mul|double_product|float_product|two_prod|two_sum|td_add|td_mul|dd_mul|dd_add|min"
    r"|max"
    r"|add_f32|mul_f32|differ|any_nan)$|(__builtin_)?fmaf?$"
    r"|_mm\d*_(mask_)?(f?n?m?add|fmsub|f?nmadd|mul|and|or|xor|min|max|fmaddsub|cmpeq)_")


def both_ways(words):
    w = words.split()
    table = {}
    for a, b in zip(w[::2], w[1::2]):
        table.setdefault(a, []).append(b)
        table.setdefault(b, []).append(a)
    return table


PAIRS, OPERATIONS = both_ways(PAIRS), both_ways(OPERATIONS)


def next_float(text):
    """Returns a floating constant moved by one unit in the last place of its type."""
    single = text[-1] in "fF"
    value = float(text.rstrip("fF"))
    if value == 0:
        return "1.0f" if single else "1.0"
    if single:
        bits = struct.unpack("<I", struct.pack("<f", value))[0] + 1
        return "%.9gf" % struct.unpack("<f", struct.pack("<I", bits))[0]
    return repr(math.nextafter(value, math.inf))


class Mutant:
    def __init__(self, file, kind, token, start, end, new, old):
        self.file, self.kind, self.start, self.end, self.new = file, kind, start, end, new
        self.line, self.region, self.section = token.line, token.region, token.section
        self.old, self.isa, self.source = old, "", ""
        self.result, self.by = "", ""

    def change(self):
        squeeze = lambda s: re.sub(r"\s+", " ", s)
        return "%s -> %s" % (squeeze(self.old), squeeze(self.new))

    def __str__(self):
        return "%s:%d %s: %s: %s   [%s]" % (self.file, self.line, self.region, self.kind,
                                            self.change(), self.source.strip())


def mutants_of(file, text):
    tokens = tokens_of(text)
    found = []

    def add(kind, t, start, end, new):
        found.append(Mutant(file, kind, t, start, end, new, text[start:end]))

    def spaced(t):
        return text[t.start - 1] in " \n" and text[t.end:t.end + 1] in (" ", "\n")

    n = len(tokens)
    for i, t in enumerate(tokens):
        if not t.region or not t.inside or NOT_CODE.match(t.region):
            continue
        before = tokens[i - 1] if i else None
        after = tokens[i + 1] if i + 1 < n else None
        in_function = not t.region.startswith(("data ", "type "))
        if t.region.startswith("type ") and t.region != "type enum":
            continue  # a number in a struct's definition is only the size of an array
        if t.kind == "op":
            if t.text in ARITH and spaced(t):
                add("arith", t, t.start, t.end, ARITH[t.text])
            elif t.text in COMPARE and spaced(t):
                for new in COMPARE[t.text]:
                    add("compare", t, t.start, t.end, new)
            elif t.text in ("&&", "||"):
                add("logic", t, t.start, t.end, "||" if t.text == "&&" else "&&")
            elif t.text == "!":
                add("logic", t, t.start, t.end, "")
            elif t.text in BITS and spaced(t):
                add("bits", t, t.start, t.end, BITS[t.text])
            elif t.text in ("++", "--"):
                add("count", t, t.start, t.end, "--" if t.text == "++" else "++")
            elif t.text == "-" and not spaced(t) and before.text not in (")", "]") and \
                    before.kind in ("op", "name") and (before.kind == "op" or before.text == "return"):
                add("minus", t, t.start, t.end, "")
        elif t.kind == "number":
            is_float = re.match(r"(0[xX][0-9a-fA-F.]*[pP]|[0-9.]*(\.|[0-9][eE])[-+0-9eE.]*[fF]?$)", t.text)
            whole = re.match(r"(0[xX][0-9a-fA-F]+|[0-9]+)([uUlL]*)$", t.text)
            if is_float and not t.text.lower().startswith("0x"):
                add("float", t, t.start, t.end, next_float(t.text))
            elif whole:
                digits, suffix = whole.groups()
                value, as_hex = int(digits, 0), digits.lower().startswith("0x")
                for other in ([value + 1, value - 1] if value else [1]):
                    add("int", t, t.start, t.end, (hex(other) if as_hex else str(other)) + suffix)
        elif t.kind == "name":
            if t.text in STATUSES:
                at = STATUSES.index(t.text)
                add("status", t, t.start, t.end, STATUSES[(at + 1 + t.line % 5) % len(STATUSES)])
            declared = before.kind == "name" and before.text not in ("return", "case", "else")
            if before.text == "*" and tokens[i - 2].kind == "name" and not spaced(before):
                declared = True
            if in_function and not declared:
                for new in OPERATIONS.get(t.text, []):
                    add("fma", t, t.start, t.end, new)
                for new in PAIRS.get(t.text, []):
                    add("name", t, t.start, t.end, new)
                if before.text in (".", "->") and t.text in ("a", "b"):
                    add("name", t, t.start, t.end, {"a": "b", "b": "c"}[t.text])
                fused = re.sub(r"_f(n?)madd_", lambda m: "_f%smadd_" % ("" if m.group(1) else "n"), t.text)
                for one, other in (("unpacklo", "unpackhi"), ("_min_", "_max_"), ("srli", "slli"),
                                   ("cmplt", "cmpgt"), ("fmaddsub", "fmsubadd")):
                    if t.text.startswith("_mm"):
                        if one in t.text:
                            add("fma", t, t.start, t.end, t.text.replace(one, other))
                        elif other in t.text:
                            add("fma", t, t.start, t.end, t.text.replace(other, one))
                if fused != t.text:
                    add("fma", t, t.start, t.end, fused)
            if in_function and after is not None and after.text == "(" and t.text not in KEYWORDS and \
                    after.match > 0:
                arguments, begin, j = [], i + 2, i + 2
                while j <= after.match:
                    u = tokens[j]
                    if j == after.match or u.text == ",":
                        if j > begin:
                            arguments.append((tokens[begin].start, tokens[j - 1].end))
                        begin = j + 1
                    elif u.text in "([{" and u.kind == "op" and u.match > 0:
                        j = u.match
                    j += 1
                for k in range(len(arguments) - 1):
                    (a, b), (c, d) = arguments[k], arguments[k + 1]
                    if text[a:b] == text[c:d] or (k == 0 and COMMUTES.match(t.text)):
                        continue
                    add("swap", t, a, d, text[c:d] + text[b:c] + text[a:b])
            if t.text in ("if", "while") and after is not None and after.text == "(" and in_function:
                close = tokens[after.match]
                add("force", t, after.end, close.start, "0 && (" + text[after.end:close.start] + ")")
                if t.text == "if":
                    add("force", t, after.end, close.start, "1 || (" + text[after.end:close.start] + ")")
        # If a statement begins here, it can be dropped.
        if t.enclosed:
            continue
        if in_function and t.kind == "name" and before.text in (";", "{", "}", ")", "else", ":") or \
                in_function and t.text == "*" and before.text in (";", "{", "}"):
            if before.text == ")" and (before.match < 1 or tokens[before.match - 1].text not in
                                       ("if", "for", "while")):
                continue
            if before.text == ":":
                j = i - 2
                while tokens[j].text not in (";", "{", "}", ":"):
                    j -= 1
                if tokens[j + 1].text not in ("case", "default"):
                    continue
            if t.text in KEYWORDS and t.text not in ("return", "break", "continue"):
                continue
            if t.text in TYPES or (after.kind == "name" and t.text != "return"):
                continue
            if after.text == "*" and not spaced(after) and t.text != "return":
                continue
            if t.text == "return" and before.text not in (")", "else"):
                continue
            j = i
            while j < n and tokens[j].text != ";":
                j = tokens[j].match if tokens[j].text in "([{" and tokens[j].kind == "op" and \
                    tokens[j].match > 0 else j
                if tokens[j].text in ("}",) and tokens[j].region == t.region and tokens[j].match < i:
                    break
                j += 1
            if j < n and tokens[j].text == ";" and tokens[j].region == t.region:
                add("drop", t, t.start, tokens[j].end, ";")
    return found


# ---- programs ----------------------------------------------------------------------------------

def digest(*pieces):
    h = hashlib.sha256()
    for p in pieces:
        h.update(p if isinstance(p, bytes) else str(p).encode())
        h.update(b"\0")
    return h.hexdigest()


def read(name):
    with open(name, encoding="utf-8") as f:
        return f.read()


def active_lines(isa):
    """Returns the lines of the headers that the compiler sees, without conditionals' other branches."""
    source = subprocess.run([GCC, "-std=c99", "-E", "-dD", "-DPE_SLEEF=0", "-I."] + ISAS[isa][0] +
                            ["-x", "c", "pe.h"], check=True, capture_output=True, text=True).stdout
    lines = {h: set() for h in HEADERS}
    file, line = "", 0
    for row in source.split("\n"):
        mark = re.match(r'# (\d+) "(.*?)"', row)
        if mark:
            line, file = int(mark.group(1)), os.path.normpath(mark.group(2))
            continue
        if row.strip() and file in lines:
            lines[file].add(line)
        line += 1
    return lines


def limits(seconds):
    def set_them():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    return set_them


def build(name, isa, place, out, more=()):
    """Compiles a killer with the headers in `place`. Returns the compiler's complaint, or ''."""
    sources = KILLERS.get(name, BLIND.get(name))[0]
    flags = ["-w", "-O0", "-D_GNU_SOURCE"] + FLAGS + ISAS[isa][0] + list(more) + EXTRA
    objects = []
    for source in sources:
        is_cpp = source.endswith("pp")
        # gcc uses a precompiled header only if it is the first file that is included.
        pre = os.path.join(WORK, "pre-" + isa, "pre.h")
        include = ["-include", pre] if not is_cpp and not more and os.path.exists(pre + ".gch") else []
        o = "%s.%d.o" % (out, len(objects))
        command = [GXX if is_cpp else GCC, "-std=c++11" if is_cpp else "-std=c99"] + flags + include + \
            ["-I" + place, "-I.", "-Itests/unit", "-c", source, "-o", o]
        run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                             preexec_fn=limits(300))
        if run.returncode:
            return run.stderr[-2000:] or "no compiler message"
        objects.append(o)
    libraries = [] if name in ("hash", "blind") else ["-lcmocka", "-lmpfr", "-lgmp", "-lpthread"]
    link = [GXX if any(s.endswith("pp") for s in sources) else GCC] + list(more) + objects + \
        ["-o", out] + EXTRA + libraries + ["-lm"]
    run = subprocess.run(link, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    for o in objects:
        os.remove(o)
    return run.stderr[-2000:] or "no linker message" if run.returncode else ""


def run(name, program, golden, seconds, cwd=None):
    """Runs a killer, and stops it at its first complaint. Returns what it noticed, or '' if it passes, and the
    hashes."""
    environment = dict(os.environ, **KILLERS.get(name, BLIND.get(name))[2])
    process = subprocess.Popen([os.path.abspath(program)], stdin=subprocess.DEVNULL, cwd=cwd,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment,
                               preexec_fn=limits(int(seconds) + 1))
    clock = threading.Timer(20 * seconds + 60, process.kill)
    clock.start()
    why, lines, passed = "", [], False
    try:
        for raw in process.stdout:
            row = raw.decode("utf-8", "replace").rstrip("\n")
            if name == "hash" and not row.startswith("#"):
                if golden is not None and (len(lines) >= len(golden) or golden[len(lines)] != row):
                    why = "other bits in section %d" % (len(lines) + 1)
                    break
                lines.append(row)
            elif row.startswith("[  FAILED  ]"):
                why = row
                break
            elif re.match(r"\[  PASSED  \] [1-9]", row):
                passed = True
    finally:
        if why:
            process.kill()
        status = process.wait()
        process.stdout.close()
        clock.cancel()
    if why:
        return why, lines
    if status:
        return ("killed by signal %d" % -status if status < 0 else "exit status %d" % status), lines
    if name == "hash" and golden is not None and len(lines) != len(golden):
        return "sections missing", lines
    if name not in ("hash", "blind") and not passed:
        return "no test passed", lines
    return "", lines


def coverage(place, out):
    """Returns the lines of the headers that were executed, and those that could be."""
    seen = {h: {} for h in HEADERS}
    for name in sorted(os.listdir(place)):
        if not name.endswith(".gcda"):
            continue
        text = subprocess.run([GCOV, "-j", "-t", name], cwd=place, check=True, capture_output=True,
                              text=True).stdout
        for part in text.split("\n"):
            if not part.startswith("{"):
                continue
            for file in json.loads(part)["files"]:
                base = os.path.basename(file["file"])
                if base in seen:
                    for row in file["lines"]:
                        k = str(row["line_number"])
                        seen[base][k] = max(seen[base].get(k, 0), row["count"])
    return {h: {int(k): v > 0 for k, v in seen[h].items()} for h in HEADERS}


def baseline(name, isa):
    """Runs a killer with the original headers. Returns its time, the lines that it executes, and the lines of the
    hash."""
    sources = KILLERS.get(name, BLIND.get(name))[0]
    key = digest(*[read(s) for s in sources], *[read(h) for h in
                 sorted(glob.glob("tests/unit/**/*.h", recursive=True))], *[read(h) for h in HEADERS],
                 isa, ISAS[isa], FLAGS, KILLERS.get(name), os.environ.get("PE_SEED", ""))
    store = os.path.join(WORK, "baseline", "%s.%s.json" % (name, isa))
    if os.path.exists(store):
        with open(store, encoding="utf-8") as f:
            known = json.load(f)
        if known["key"] == key:
            known["lines"] = {h: {int(k): v for k, v in known["lines"][h].items()} for h in HEADERS}
            return known
    place = os.path.join(WORK, "baseline", "%s.%s" % (name, isa))
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place)
    program = os.path.join(place, "program")
    complaint = build(name, isa, ".", program, ["--coverage"])
    if complaint:
        sys.exit("mutation: %s for %s does not build:\n%s" % (name, isa, complaint))
    # The program runs in the folder of its objects, where gcov finds their notes.
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    why, golden = run(name, program, None, 600)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if why:
        sys.exit("mutation: %s for %s is not green to begin with: %s" % (name, isa, why))
    known = {"key": key, "golden": golden, "lines": coverage(place, program),
             "seconds": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime}
    with open(store, "w", encoding="utf-8") as f:
        json.dump(known, f)
    shutil.rmtree(place)
    return known


def executes(name, known, mutant):
    """Returns whether the killer executes the mutated line. Lines without code belong to the one before them."""
    if mutant.used is not None:
        if mutant.dark:
            return True
        # The killer may read the table or macro itself.
        word = re.escape(mutant.region.partition(" ")[2])
        if any(re.search(r"\b%s\b" % word, read(s)) for s in KILLERS[name][0]):
            return True
        return any(known["lines"][f].get(line, 0) for f, line in mutant.used)
    if mutant.region.startswith("type "):
        return True
    lines = known["lines"][mutant.file]
    if not any(lines.values()):
        return False
    line = mutant.line
    if line in lines:
        if lines[line]:
            return True
    last = mutant.first_line
    while line >= last:
        if line in lines and lines[line]:
            return True
        line -= 1
    return not any(k in lines for k in range(last, mutant.line + 1))


# ---- explained survivors -----------------------------------------------------------------------

def explanations(name="tests/tools/survivors.txt"):
    """Returns the lines 'kind ~ function ~ part of the source line ~ change ~ reason' of the file. The file explains
    what * stands for. A kind may be limited to one instruction set, as in compare@scalar."""
    found = []
    if not os.path.exists(name):
        return found
    for number, row in enumerate(read(name).split("\n"), 1):
        if not row.strip() or row.startswith("#"):
            continue
        parts = [p.strip() for p in row.split(" ~ ")]
        if len(parts) != 5 or len(parts[4]) < 8:
            sys.exit("%s:%d: 'kind ~ function ~ source ~ change ~ reason' is wanted" % (name, number))
        found.append((number, parts))
    return found


def explained(rules, mutant, isas=None):
    for number, (kind, region, source, change, reason) in rules:
        kind, _, isa = kind.partition("@")
        if isa and isa not in (isas or [mutant.isa]):
            continue
        if fnmatch.fnmatchcase(mutant.kind, kind) and fnmatch.fnmatchcase(mutant.region, region) and \
                (source == "*" or source in re.sub(r"\s+", " ", mutant.source)) and \
                (change == "*" or fnmatch.fnmatchcase(mutant.change(), change)):
            return number, reason
    return None


# ---- the run -----------------------------------------------------------------------------------

def sample(texts, active, seed):
    """Returns all mutants in the order in which they are tried. One mutant of each function comes first."""
    pick = random.Random(seed)
    by_region = {}
    for file in HEADERS:
        rows = texts[file].split("\n")
        for m in mutants_of(file, texts[file]):
            m.source = rows[m.line - 1]
            isas = [i for i in ISAS if m.line in active[i][file] or
                    (m.region.startswith("#define ") and any(k in active[i][file] for k in
                     macro_lines(rows, m.line)))]
            if not isas:
                continue
            m.isas = isas
            m.first_line = m.line
            by_region.setdefault((file, m.section, m.region), []).append(m)
    first, rest = [], []
    for key in sorted(by_region):
        ordered = by_region[key]
        # The kinds of defects alternate within a function, since it has far more constants than anything else.
        kinds = {}
        for m in ordered:
            kinds.setdefault(m.kind, []).append(m)
        turn = []
        names = sorted(kinds)
        pick.shuffle(names)
        for k in names:
            pick.shuffle(kinds[k])
        while any(kinds[k] for k in names):
            for k in names:
                if kinds[k]:
                    turn.append(kinds[k].pop())
        first.append(turn[0])
        # The other mutants of a function come later. The more of them there are already, the later the next one comes.
        rest += [(pick.random() * (1 + at / 40), m) for at, m in enumerate(turn[1:])]
    pick.shuffle(first)
    rest.sort(key=lambda r: r[0])
    order = first + [m for _, m in rest]
    for m in order:
        m.isa = pick.choices(m.isas, [ISAS[i][1] for i in m.isas])[0]
    return order


def macro_lines(rows, line):
    """Returns the #define line that a line of a macro belongs to."""
    while line > 1 and rows[line - 2].endswith("\\"):
        line -= 1
    return [line]


def uses_of(texts, region, past=()):
    """Returns the lines of functions that use a table or macro, directly or through other macros. Returns None for a
    type."""
    kind, _, name = region.partition(" ")
    if kind not in ("data", "#define"):
        return None
    found = []
    for file in HEADERS:
        rows = texts[file].split("\n")
        for number, row in enumerate(rows, 1):
            if not re.search(r"\b%s\b" % re.escape(name), row):
                continue
            begin = rows[macro_lines(rows, number)[0] - 1]
            define = re.match(r"#\s*define\s+(\w+)", begin)
            if define and define.group(1) != name and define.group(1) not in past:
                found += uses_of(texts, "#define " + define.group(1), tuple(past) + (name,))
            # The statement may have begun a line or more before.
            found += [(file, k) for k in range(max(1, number - 3), number + 1)]
    return found


def statement_line(text, mutant):
    """Returns the line on which the mutated statement begins."""
    at = max(text.rfind(c, 0, mutant.start) for c in ";{}")
    piece = text[at + 1:mutant.start]
    piece = re.sub(r"/\*.*?\*/", lambda m: " " * 0 + "\n" * m.group().count("\n"), piece, flags=re.S)
    return mutant.line - (len(piece.lstrip()) and piece.lstrip().count("\n"))


def try_mutant(mutant, reason, texts, known, order, slots, kills, lock, seconds_left):
    place = slots.pop()
    try:
        text = texts[mutant.file]
        with open(os.path.join(place, mutant.file), "w", encoding="utf-8") as f:
            f.write(text[:mutant.start] + mutant.new + text[mutant.end:])
        if mutant.file == "pe.h":
            shutil.copy("pe_simd.h", place)
        else:
            shutil.copy("pe.h", place)
        concerned = [k for k in order if (k, mutant.isa) in known and
                     (k in BLIND or executes(k, known[k, mutant.isa], mutant))]
        with lock:
            past = dict(kills.get((mutant.file, mutant.section), {}))
        if reason and os.environ.get("MUTATION_EXPLAINED") != "1":
            concerned = [k for k in concerned if k in ("hash", "blind")] or concerned
        # The hash costs least, so it comes first. Then come the killers that have killed most mutants for their time.
        concerned.sort(key=lambda k: (k != "hash", (2 + known[k, mutant.isa]["seconds"]) / (1 + past.get(k, 0))))
        if not concerned:
            mutant.result, mutant.by = "survived", "not executed by any killer"
        built = False
        for k in concerned:
            program = os.path.join(place, "program")
            complaint = build(k, mutant.isa, place, program)
            if complaint and not built:
                mutant.result, mutant.by = "stillborn", complaint.strip().split("\n")[0][:100]
                break
            if complaint:
                mutant.result, mutant.by = "killed", k + ": does not compile"
                break
            built = True
            base = known[k, mutant.isa]
            why, _ = run(k, program, base["golden"], max(3, 4 * base["seconds"]), place)
            if why:
                mutant.result, mutant.by = "killed", k + ": " + why
                with lock:
                    row = kills.setdefault((mutant.file, mutant.section), {})
                    row[k] = row.get(k, 0) + 1
                break
        else:
            if concerned:
                mutant.result, mutant.by = "survived", " ".join(concerned)
    finally:
        slots.append(place)
    return mutant


def table(title, rows, of):
    print("\n%-44s %8s %8s %10s %12s %9s" % (title, "mutants", "killed", "explained", "unexplained", "killed %"))
    names = sorted({of(m) for m in rows})
    for name in names + ["total"]:
        mine = [m for m in rows if name == "total" or of(m) == name]
        killed = sum(m.result == "killed" for m in mine)
        known = sum(m.result == "explained" for m in mine)
        open_ = sum(m.result == "survived" for m in mine)
        share = "%8.1f" % (100.0 * killed / (killed + open_)) if killed + open_ else "       -"
        print("%-44s %8d %8d %10d %12d %9s" % (name[:44], len(mine), killed, known, open_, share))


def main():
    number = int(os.environ.get("MUTANTS", "400"))
    seed = int(os.environ.get("SEED", "1"))
    jobs = max(1, int(os.environ.get("JOBS", "1")))
    seconds = float(os.environ.get("MUTATION_SECONDS", "1800"))
    chosen = os.environ.get("MUTATION_KILLERS", "").split()
    match = os.environ.get("MUTATION_MATCH", "")
    os.makedirs(os.path.join(WORK, "baseline"), exist_ok=True)
    with open(os.path.join(WORK, "blind.c"), "w", encoding="utf-8") as f:
        f.write('#include "pe.h"\nint main(void) { return 0; }\n')
    killers = chosen or list(KILLERS)
    unknown = [k for k in killers if k not in KILLERS and k not in BLIND]
    if unknown:
        sys.exit("mutation: there is no killer " + " ".join(unknown))

    cpu = subprocess.run(["sh", "-c", ". tests/tools/lib.sh; cpu_isas"], capture_output=True, text=True).stdout
    for isa in [i for i in ISAS if i not in cpu.split()]:
        print("SKIP: this CPU has no %s" % isa)
        del ISAS[isa]

    texts = {h: read(h) for h in HEADERS}
    order = sample(texts, {isa: active_lines(isa) for isa in ISAS}, seed)
    total = len(order)
    uses = {}
    for m in order:
        m.first_line = statement_line(texts[m.file], m)
        if m.region not in uses:
            uses[m.region] = uses_of(texts, m.region)
        m.used = uses[m.region]
    rules = explanations()
    stale = [n for n, r in rules if not any(explained([(n, r)], m, m.isas) for m in order)]
    if stale:
        sys.exit("tests/tools/survivors.txt: no mutant has the form of line " + " ".join(map(str, stale)))
    if match:
        order = [m for m in order if match in str(m)]
    results = os.path.join(WORK, "results.tsv")
    order = order[:number]
    state = "# " + digest(*[texts[h] for h in HEADERS])
    before = {}
    if os.environ.get("MUTATION_AGAIN") == "1" and os.path.exists(results):
        rows = read(results).split("\n")
        if rows[0] == state:
            for row in rows[1:-1]:
                result, by, isa, name = row.split("\t")
                if result in ("killed", "stillborn", "explained"):
                    before[isa, name] = result, by
    if os.environ.get("MUTATION_LIST") == "1":
        for m in order:
            print(m.isa, m)
        return 0

    for isa in ISAS:
        pre = os.path.join(WORK, "pre-" + isa)
        os.makedirs(pre, exist_ok=True)
        with open(os.path.join(pre, "pre.h"), "w", encoding="utf-8") as f:
            f.write("".join("#include <%s.h>\n" % h for h in
                            "errno fenv inttypes math setjmp signal stdarg stddef stdint stdio stdlib "
                            "string sys/mman unistd float".split() +
                            (["immintrin"] if isa != "scalar" else [])))
        subprocess.run([GCC, "-std=c99", "-w", "-O0", "-D_GNU_SOURCE"] + FLAGS + ISAS[isa][0] +
                       EXTRA + ["-x", "c-header", os.path.join(pre, "pre.h"), "-o",
                                os.path.join(pre, "pre.h.gch")], check=True)
    known = {}
    used = sorted({m.isa for m in order})
    for k in killers:
        isas = KILLERS.get(k, BLIND.get(k))[1]
        for isa in used:
            if isas is None or isa in isas:
                known[k, isa] = baseline(k, isa)
    # If no killer has code for the lines of a mutant, they have only types and names, and all killers run.
    recorded = {(h, n) for k in known.values() for h in HEADERS for n in k["lines"][h]}
    for m in order:
        m.dark = m.used is not None and not recorded.intersection(m.used)
    print("%d mutants of %d that there are, SEED=%d, %d killers green on %s, %d jobs" %
          (len(order), total, seed, len(killers), " ".join(used), jobs), flush=True)
    slots = []
    for j in range(jobs):
        place = os.path.abspath(os.path.join(WORK, "job%d" % j))
        os.makedirs(place, exist_ok=True)
        slots.append(place)

    begin, done, kills, lock = time.time(), [], {}, threading.Lock()

    def work(mutant):
        if (mutant.isa, str(mutant)) in before:
            mutant.result, mutant.by = before[mutant.isa, str(mutant)]
            if mutant.result == "explained" and explained(rules, mutant):
                mutant.result = "survived"
            if mutant.result != "explained":
                return mutant
        if time.time() - begin > seconds:
            return mutant
        return try_mutant(mutant, explained(rules, mutant), texts, known, killers, slots, kills, lock, seconds)

    with open(results, "w", encoding="utf-8") as log, \
            concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        log.write(state + "\n")
        for m in pool.map(work, order):
            if not m.result:
                continue
            reason = explained(rules, m) if m.result == "survived" else None
            if reason:
                m.result, m.by = "explained", "survivors.txt:%d %s" % reason
            done.append(m)
            log.write("\t".join([m.result, m.by, m.isa, str(m)]) + "\n")
            log.flush()
            if m.result == "survived":
                print("survived  %-6s %s\n          by %s" % (m.isa, m, m.by), flush=True)
    took = time.time() - begin

    alive = [m for m in done if m.result != "stillborn"]
    table("kind", alive, lambda m: m.kind)
    table("region", alive, lambda m: m.file + ": " + m.section)
    table("instruction set", alive, lambda m: m.isa)
    first = {}
    for m in alive:
        if m.result == "killed":
            k = m.by.partition(":")[0]
            first[k] = first.get(k, 0) + 1
    print("\nkilled first by: " + ", ".join("%s %d" % k for k in sorted(first.items(), key=lambda k: -k[1])))
    killed = sum(m.result == "killed" for m in alive)
    open_ = sum(m.result == "survived" for m in alive)
    print("%d mutants in %.0f s%s; %d did not compile" %
          (len(done), took, " (out of time: %d not tried)" % (len(order) - len(done))
           if len(done) < len(order) else "", len(done) - len(alive)))
    print("killed %d, survived and explained %d, survived unexplained %d" %
          (killed, len(alive) - killed - open_, open_))
    share = 100.0 * killed / (killed + open_) if killed + open_ else 0
    print("INFO: %.1f %% of %d mutants killed" % (share, killed + open_))
    if share < PASS:
        print("mutation: at least %g %% must be killed" % PASS)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
