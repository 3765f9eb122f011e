#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run the benchmark programs and tell what they found. Standard library only.

    bench.py run [--quick] [--filter RE] [--cpu N] [--repetitions N] [--json FILE] PROGRAM...
    bench.py cases [NAME]          the cases of make bench-quick; or the source and the filter of one
    bench.py table FILE PAGE       write the tables that decide between the markers of PAGE, and all figures
                                   of FILE into a page of the CPU's beside it
    bench.py summary [--check] README PAGE...   write four rows of each PAGE between the markers of README,
                                   or tell whether they are there, and one of them of this version
    bench.py plot FILE PREFIX      draw PREFIX.svg and PREFIX.png (needs gnuplot)

Figures are medians over repetitions, which every program runs in random order over all its rows;
the spread is half the distance of the quartiles. How many times as long as pe another takes is the
median over turns: the two alternate on the same buffer, so that a busy neighbour slows both.
"""
import argparse
import datetime
import difflib
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
COMMAND = "make bench && make bench-table"

STORES = ("memset", "stores", "nt_stores")
UNBELIEVABLE = 1.05 # of a roof: something is wrong with that figure, and it is marked by a !

# Builds: the CPU flag each needs, its title, and the native peers' vectors of floats and doubles.
BUILDS = {
    "avx512": ("avx512bw", "AVX-512", "f16", "d8"),
    "avx2": ("avx2", "AVX2", "f8", "d4"),
    "sse2": ("sse2", "SSE2", "f4", "d2"),
    "neon": (None, "NEON", "f4", "d2"),
    "scalar": (None, "scalar", "f4", "d2"),
}


def title(build):
    return BUILDS.get(build, (None, build))[1]


def of_build(function, build):
    """The name of a peer, {f} and {d} being the build's vectors."""
    _, _, floats, doubles = BUILDS[build]
    return function.format(f=floats, d=doubles)


# ---- results -------------------------------------------------------------------------------------


class Results:
    """The rows of one run, found by (verb, shape, type, function, build)."""

    def __init__(self, context, rows):
        self.context, self.rows = context, rows
        self.by_key = {
            (r["verb"], r["shape"], r["type"], r["function"], r["build"], r["threads"]): r
            for r in rows
        }

    def get(self, verb, shape, function, build, kind="f32", threads=1):
        return self.by_key.get((verb, shape, kind, function, build, threads))

    def time(self, *key, **more):
        row = self.get(*key, **more)
        return row["ns_per_pair"] if row else None

    def group(self, row):
        """All rows that do what this one does, in this build and in python."""
        return [
            r
            for r in self.rows
            if all(r[k] == row[k] for k in ("verb", "shape", "type", "threads"))
            and r["build"] in (row["build"], "python")
        ]


def times_pe(peer, pe):
    """How many times as long as pe a peer takes: measured in turns with this function, or one after the other."""
    if peer.get("against") == pe["function"]:
        return peer["times_pe"]
    return peer["ns_per_pair"] / pe["ns_per_pair"]


def is_disturbed(row):
    return row["disturbed"] * 4 > row["repetitions"]


def share(row):
    """What part of its roof's speed a row reached, timed in turns with it; None where it has none."""
    return row.get("share") if row else None


def percent(fraction):
    return f"{fraction:.0%}" + ("!" if fraction > UNBELIEVABLE else "")


def pe_rows(results, build):
    return [r for r in results.rows if r["function"].startswith("pe_") and r["build"] == build]


def summarise(documents):
    """Returns one row per benchmark, from the repetitions in google-benchmark's JSON."""
    repetitions = {}
    calm = {}
    for document in documents:
        for b in document["benchmarks"]:
            if b.get("run_type") == "iteration" and not b.get("error_occurred"):
                repetitions.setdefault(b["run_name"], []).append(b)
                if "fixed_loop" in b:
                    calm.setdefault("ns", []).append(b["fixed_loop"])
    # The rate of an undisturbed machine: the best tenth of all fixed loops.
    reference = statistics.quantiles(calm["ns"], n=10)[0] if len(calm.get("ns", ())) > 1 else 0
    rows = []
    for name, seen in sorted(repetitions.items(), key=lambda item: item[1][0]["family_index"]):
        verb, shape, kind, function, build = name.split("/")[:5]
        times = [b["ns_per_pair"] for b in seen]
        median = statistics.median(times)
        quartiles = statistics.quantiles(times, n=4, method="inclusive") if len(times) > 1 else [median] * 3
        threads = int(name.split("threads:")[1]) if "threads:" in name else 1
        disturbed = sum(
            b.get("fixed_loop", 0) > 1.1 * reference
            or (threads == 1 and b["real_time"] > 1.05 * b["cpu_time"])
            for b in seen
        )
        row = {
            "verb": verb, "shape": shape, "type": kind, "function": function, "build": build,
            "threads": threads,
            "ns_per_pair": median,
            "spread": (quartiles[2] - quartiles[0]) / 2 / median,
            "GB/s": statistics.median(b["GB/s"] for b in seen),
            "bytes": round(seen[0]["bytes"]),
            # google-benchmark counts the calls of all threads; a call here is the whole table
            "us_per_call": statistics.median(
                b["real_time"] * threads if threads > 1 else b["cpu_time"] for b in seen) / 1000,
            "repetitions": len(seen),
            "disturbed": disturbed,
        }
        if "traffic" in seen[0]:
            row["traffic"] = statistics.median(b["traffic"] for b in seen)
        for extra in ("max_error", "exact"):
            found = [b[extra] for b in seen if extra in b]
            if found:
                row[extra] = found[-1]
        for turns in ("share", "roof_GB/s"):
            found = [b[turns] for b in seen if turns in b]
            if found:
                row[turns] = statistics.median(found)
        if "share" in row:
            row["roof"] = statistics.mode(b["label"] for b in seen if "share" in b)
        turns = [b for b in seen if "times_pe" in b]
        if turns:
            row["times_pe"], row["against"] = statistics.median(b["times_pe"] for b in turns), turns[0]["label"]
        rows.append(row)
    return rows


def read(path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    return Results(document["context"], document["rows"])


# ---- goals ---------------------------------------------------------------------------------------


def ratio(a, b):
    return a / b if a and b else None


SLEEF_FLOAT, SLEEF_DOUBLE = "sleef_u35_{f}", "sleef_u35_{d}"


def least(*found):
    """The least of what is found."""
    return lambda r, build: min((x for x in (f(r, build) for f in found) if x), default=None)


def of_roof(verb, shape, function, kind="f32"):
    return lambda r, build: share(r.get(verb, shape, function, build, kind))


def of_calm_roof(verb, shape, function):
    """Of the roof or of the speed that the same work has in the cache, whichever is less."""
    def fraction(r, build):
        row, cached = r.get(verb, shape, function, build), r.get(verb, "512x512", function, build)
        return row and cached and row["GB/s"] / min(row["GB/s"] / row["share"], cached["GB/s"])

    return fraction


def against(verb, shape, function, other_verb, other_shape, kind="f32"):
    """The time a pair takes over that of the same function elsewhere."""
    return lambda r, b: ratio(r.time(verb, shape, function, b, kind=kind),
                              r.time(other_verb, other_shape, function, b, kind=kind))


def of_f32_time(shape, kind):
    return lambda r, b: ratio(r.time("rope", shape, "pe_rope_halves", b, kind=kind),
                              r.time("rope", shape, "pe_rope_halves", b))


def out_of_place(r, build):
    """The time of copying one token's heads, the roof, and rotating them in place, over that of both at once."""
    row, in_place = (r.get(verb, "1x32x128", function, build) for verb, function in
                     (("rope_to", "pe_rope_to_interleaved"), ("rope", "pe_rope_interleaved")))
    return row and in_place and row["share"] + in_place["ns_per_pair"] / row["ns_per_pair"]


def faster_than(peer, verb, shape, function, kind="f32"):
    """How many times faster than the peer, {f} and {d} in its name being the build's vectors."""
    return lambda r, b: ratio(r.time(verb, shape, of_build(peer, b), b, kind=kind),
                              r.time(verb, shape, function, b, kind=kind))


def plan_time(r, build):
    plan, table = r.get("plan", "512", "pe_plan_init", build), r.get("fill", "512x512", "pe_fill_f32", build)
    return ratio(plan and plan["us_per_call"], table and table["us_per_call"])


def plan_bytes(r, build):
    row = r.get("plan", "512", "pe_plan_init", build)
    return row and row["bytes"]


def worst_table(r, build):
    """The time of the slowest layout of a RoPE table over that of filling as many bytes."""
    return max((row["ns_per_pair"] / r.time("rope_table", row["shape"], "pe_fill_f32", build)
                for row in pe_rows(r, build)
                if row["verb"] == "rope_table" and row["function"] != "pe_fill_f32"), default=None)


def two_threads(shape):
    def find(r, build):
        one, two = (r.get("threads", shape, "pe_fill_f32", build, threads=n) for n in (1, 2))
        return one and two and two["GB/s"] / one["GB/s"]

    return find


def worst_step(r, build):
    """The largest growth of the cost per row from one table size to the next, beyond 64 rows."""
    cost = sorted((int(row["shape"].split("x")[0]), row["ns_per_pair"]) for row in pe_rows(r, build)
                  if row["verb"] == "fill" and re.fullmatch(r"\d+x512", row["shape"])
                  and row["function"] == "pe_fill_f32")
    cost = [ns for rows, ns in cost if rows >= 64]
    return max((b / a for a, b in zip(cost, cost[1:])), default=None)


def dots_against_rows(r, build):
    return ratio(r.time("dots", "100000x512", "pe_dot_f64", build, kind="f64"),
                 r.time("dots", "100000x512", "pe_fill_f32", build))


def least_exact(r, build):
    return min((row["exact"] for row in pe_rows(r, build)
                if "exact" in row and row["type"] != "f64"), default=None)


def both(bound):
    return {"avx512": bound, "avx2": bound}


# What, how it is found, the relation, and the bound for each build. What is to be faster than in
# another version of pe is not here but in make bench-paired.
REAL = "512x512-below-1000"
GOALS = [
    ("real positions, 512x512, times faster than SLEEF double",
     faster_than(SLEEF_DOUBLE, "fill_real", REAL, "pe_fill_f32"), ">=", {"avx512": 1.6, "avx2": 1.8}),
    ("random integers below 2^31, times faster than SLEEF double",
     faster_than(SLEEF_DOUBLE, "fill_at", "512x512-below-2p31", "pe_fill_f32"), ">=",
     {"avx512": 1.6, "avx2": 1.8}),
    ("one row of 4096, speed against SLEEF float (wrong angles)",
     faster_than(SLEEF_FLOAT, "row", "1x4096", "pe_fill_f32"), ">=", {"avx512": 0.55, "avx2": 0.65}),
    ("f64 512x512, times faster than SLEEF double",
     faster_than(SLEEF_DOUBLE, "fill", "512x512", "pe_fill_f64", "f64"), ">=", both(1.2)),
    ("512x512, times faster than SLEEF float",
     faster_than(SLEEF_FLOAT, "fill", "512x512", "pe_fill_f32"), ">=", both(1.0)),
    ("4096x1024, times faster than SLEEF float",
     faster_than(SLEEF_FLOAT, "fill", "4096x1024", "pe_fill_f32"), ">=", both(1.0)),
    ("512x512 at position 16,000,000, time against 0",
     against("fill", "512x512@16000000", "pe_fill_f32", "fill", "512x512"), "<=", both(1.1)),
    ("positions 0, 1, 2 ... in a list, time against a fill",
     against("fill_at", "512x512-0-1-2", "pe_fill_f32", "fill", "512x512"), "<=", both(1.1)),
    ("worst step of the cost per row beyond 64 rows", worst_step, "<=", both(1.15)),
    ("plan of 512, bytes", plan_bytes, "<=", both(80 * 1024)),
    ("plan of 512, time against filling 512x512", plan_time, "<=", both(0.25)),
    ("one row of 320 and its plan, speed against a plain loop",
     faster_than("plain_loop", "step", "1x320", "pe_plan_init+pe_fill_f32"), ">=", both(0.8)),
    *[(f"{shape}, of the store roof" + ("" if build == "avx512" else " or of its speed in the cache"),
       (of_roof if build == "avx512" else of_calm_roof)("fill", shape, "pe_fill_f32"), ">=", {build: 0.95})
      for shape in ("131072x512", "65536x1024", "32768x2048") for build in ("avx512", "avx2")],
    *[(f"add {shape}, of x ^= c in place", of_roof("add", shape, "pe_add_f32"), ">=", bounds)
      for shape, bounds in (("131072x512", {"avx512": 0.9, "avx2": 0.85}),
                            ("4096x1024", {"avx512": 0.75, "avx2": 0.6}))],
    ("add bf16 in the cache, speed against adding a stored table",
     faster_than("stored_table", "add", "512x512", "pe_add_bf16", "bf16"), ">=",
     {"avx512": 0.8, "avx2": 0.7}),
    *[(f"RoPE {tokens} tokens {pairing}, of x ^= c in place",
       of_roof("rope", f"{tokens}x32x128", f"pe_rope_{pairing}"), ">=", {"avx512": 0.95, "avx2": 0.92})
      for tokens, pairing in ((2048, "halves"), (2048, "interleaved"), (16384, "halves"))],
    *[(f"RoPE 2048 tokens {kind}, time against f32", of_f32_time("2048x32x128", kind), "<=", both(0.6))
      for kind in ("f16", "bf16")],
    ("RoPE out of place, one token interleaved, speed of memcpy and in place", out_of_place, ">=", both(1.0)),
    ("RoPE by a given table, 1 token x 1 head, speed against C",
     faster_than("table_c", "rope_by_table", "1x1x128", "pe_rope_by_table_halves"), ">=", both(1 / 1.3)),
    ("RoPE tables, slowest layout, time against filling the bytes", worst_table, "<=", both(1.3)),
    ("shift 131072x512, worse layout, of x ^= c in place",
     least(*(of_roof("shift", "131072x512", f"pe_shift_{layout}") for layout in ("interleaved", "halves"))),
     ">=", both(0.85)),
    ("16x2048x2048 ALiBi bias, of the store roof",
     of_roof("alibi", "16x2048x2048", "pe_alibi_fill_f32"), ">=", both(0.9)),
    ("131072x512 learned rows added, of x ^= c in place",
     of_roof("learned_add", "131072x512", "pe_learned_add_f32"), ">=", both(0.85)),
    ("100000 dots, d = 512, time against filling as many rows", dots_against_rows, "<=", both(1.0)),
    *[(f"two threads, {shape}", two_threads(shape), ">=", both(1.9)) for shape in ("512x512", "4096x1024")],
    ("share of correctly rounded f32, f16, bf16", least_exact, ">=",
     {"avx512": 1.0, "avx2": 1.0, "scalar": 1.0}),
]


# ---- what is printed -----------------------------------------------------------------------------


def time_per_call(us):
    for unit, scale in (("s", 1e6), ("ms", 1e3), ("us", 1)):
        if us >= scale:
            return f"{us / scale:.3g} {unit}"
    return f"{us * 1000:.3g} ns"


def print_group(results, pe, out):
    heading = f"{pe['verb']} {pe['shape']} {pe['type']}, {title(pe['build'])} build"
    if pe["threads"] > 1:
        heading += f", {pe['threads']} threads"
    out.write(f"\n{heading}\n")
    traffic = "traffic" in pe
    out.write(f"  {'function':<27} {'per call':>8} {'ns/pair':>8} {'spread':>6} {'GB/s':>6} "
              + (f"{'traffic':>7} " if traffic else "")
              + f"{'of the roof':>15} {'error':>7} {'exact':>6}  {pe['function']} is\n")
    rows = sorted(results.group(pe), key=lambda r: (r is not pe, r["ns_per_pair"]))
    for r in rows:
        fraction = f"{percent(r['share'])} {r['roof']}" if "share" in r else ""
        error = f"{r['max_error']:7.0e}" if "max_error" in r else ""
        exact = f"{r['exact']:6.1%}" if "exact" in r else ""
        faster = "" if r is pe else f"{times_pe(r, pe):.2f}x as fast"
        mark = "~" if is_disturbed(r) else ""
        out.write(f"{mark:1} {r['function']:<27} {time_per_call(r['us_per_call']):>8} "
                  f"{r['ns_per_pair']:8.3f} {r['spread']:6.1%} {r['GB/s']:6.1f} "
                  + (f"{r['traffic']:7.1f} " if traffic else "") + f"{fraction:>15} "
                  f"{error:>7} {exact:>6}  {faster}\n")


def print_roofs(results, build, out):
    roofs = [r for r in results.rows if r["verb"] == "roof" and r["build"] == build]
    if not roofs:
        return
    names = (*STORES, "memcpy", "scale", "flip")
    out.write(f"\nroofs, GB/s, {title(build)} build (in place: scale x *= c, flip x ^= c; GB/s of x)\n")
    out.write(f"  {'KiB':>9}" + "".join(f"{n:>11}" for n in names) + "\n")
    for size in sorted({r["shape"] for r in roofs}, key=lambda s: int(s[:-3])):
        found = [results.get("roof", size, n, build) for n in names]
        cells = "".join(f"{r['GB/s']:11.1f}" if r else " " * 11 for r in found)
        out.write(f"  {size[:-3]:>9}{cells}\n")


def print_goals(results, build, out):
    lines = []
    for what, find, relation, bounds in GOALS:
        value = find(results, build) if build in bounds else None
        if value is not None:
            bound = bounds[build]
            # Rounded as shown, so that 0.9501 and 0.95 are not told apart.
            met = round(value, 3) >= bound if relation == ">=" else round(value, 3) <= bound
            lines.append(f"  {what:<58} {value:8.3f}   {relation} {bound:<6g}"
                         f"{'met' if met else 'SHORT'}\n")
    if lines:
        out.write(f"\ngoals, {title(build)} build\n" + "".join(lines))


def print_alone(rows, out):
    for r in rows:
        threads = f" x{r['threads']}" if r["threads"] > 1 else ""
        fraction = f"{percent(r['share'])} {r['roof']}" if "share" in r else ""
        out.write(f"  {r['verb'] + ' ' + r['shape'] + ' ' + r['type'] + threads:<32} "
                  f"{r['function']:<24} {time_per_call(r['us_per_call']):>8} "
                  f"{r['ns_per_pair']:8.3f} {r['spread']:6.1%} {r['GB/s']:6.1f} {fraction:>15}"
                  + (f" {r['max_error']:7.0e} {r['exact']:6.1%}" if "exact" in r else "") + "\n")


def print_report(results, out):
    builds = [b for b in BUILDS if any(r["build"] == b for r in results.rows)]
    for build in builds:
        print_roofs(results, build, out)
        alone, printed = [], set()
        for pe in pe_rows(results, build):
            key = (pe["verb"], pe["shape"], pe["type"], pe["threads"])
            if len(results.group(pe)) == 1:
                alone.append(pe)
            elif key not in printed:
                printed.add(key)
                print_group(results, pe, out)
        if alone:
            out.write(f"\npe alone, {title(build)} build: per call, ns/pair, spread, GB/s, of the roof, "
                      "error, exact\n")
        print_alone(alone, out)
    for build in builds if not results.context["quick"] else ():
        print_goals(results, build, out)
    total = sum(r["repetitions"] for r in results.rows)
    disturbed = sum(r["disturbed"] for r in results.rows)
    if disturbed * 50 > total:
        out.write(f"\nWARNING: the machine was disturbed in {disturbed} of {total} repetitions: a "
                  "fixed loop beside the row ran more\nthan 10 % slower than at the best of times, "
                  "or the row lost the core. Rows marked ~ had it in more than\na quarter of their "
                  "repetitions. How many times as fast pe is was measured in turns, which suffers less.\n")


# ---- run -----------------------------------------------------------------------------------------


def version():
    with open(os.path.join(os.path.dirname(HERE), "pe.h"), encoding="utf-8") as file:
        return "pe " + re.search(r'PE_VERSION_STRING "(.*?)"', file.read())[1]


def sleef_version(name):
    """With its version, where pkg-config knows it."""
    if name != "SLEEF" or not shutil.which("pkg-config"):
        return name
    said = subprocess.run(["pkg-config", "--modversion", "sleef"], stdout=subprocess.PIPE, text=True, check=False).stdout
    return f"SLEEF {said.strip()}".strip()


def cpu_facts():
    """(model name, flags); flags are None where they cannot be read."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            facts = dict(re.findall(r"^(model name|flags)\s*:\s*(.*)$", file.read(), re.M))
        model, flags = facts.get("model name", "unknown"), set(facts.get("flags", "").split())
        if model.startswith("AMD") and "avx512f" in flags:  # as simd/choice.h tells them apart
            model += f" (Zen {5 if 'avx512_vp2intersect' in flags else 4})"
        if model.startswith("Intel") and "amx_tile" in flags:  # Sapphire Rapids, Granite Rapids ...
            model += " (AMX)"
        return model, flags
    except OSError:
        return os.uname().machine, None


def python_with_numpy():
    """This python or the system's, whichever has numpy or torch."""
    for python in (sys.executable, "/usr/bin/python3"):
        for package in ("numpy", "torch"):
            if os.access(python, os.X_OK) and not subprocess.run(
                    [python, "-c", f"import {package}"], capture_output=True, check=False).returncode:
                return python
    return None


def run_program(program, args, scratch, wanted):
    """google-benchmark's JSON of one program: of the rows that the regular expression finds; None: no row."""
    output = os.path.join(scratch, "out.json")
    command = [program, f"--benchmark_out={output}", "--benchmark_out_format=json"]
    command += ["--quick"] if args.quick else []
    command += [f"--benchmark_filter={wanted}"] if wanted else []
    command += [f"--cpu={args.cpu}"] if args.cpu is not None else []
    if args.repetitions:
        command += [f"--benchmark_repetitions={args.repetitions}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with open(output, encoding="utf-8") as file:
        text = file.read()
    return json.loads(text) if text.strip() else None  # no row: an empty file


def all_names(program):
    done = subprocess.run([program, "--benchmark_list_tests=true"], stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.split()


def near(wanted, names):
    """The names that look like what is wanted: at most five, nearest first."""
    def distance(name):
        return max(difflib.SequenceMatcher(None, wanted, part).ratio() for part in [name, *name.split("/")])

    return sorted(dict.fromkeys(names), key=distance, reverse=True)[:5]


def again(documents, programs, args, scratch):
    """Repeats what other work disturbed, once: the rows, and what pe does beside them."""
    rows = summarise(documents)
    for program in programs:
        build = os.path.basename(program).rsplit("-", 1)[-1]
        disturbed = {(r["verb"], r["shape"], r["type"]) for r in rows if r["build"] == build and is_disturbed(r)}
        if not disturbed:
            continue
        names = "|".join(re.escape("/".join(key)) for key in sorted(disturbed))
        print(f"{build}: disturbed, so measured again: {len(disturbed)} shapes", file=sys.stderr)
        fresh = run_program(program, args, scratch, f"^({names})/")
        if fresh is None:
            continue
        calm = {}
        for b in fresh["benchmarks"]:
            calm.setdefault(b["run_name"], []).append(b)
        for document in documents:
            if document["context"].get("build") == build:
                kept = [b for b in document["benchmarks"] if b["run_name"] not in calm]
                document["benchmarks"] = kept + [b for of in calm.values() for b in of]


def run(args):
    model, flags = cpu_facts()
    documents, ran = [], []
    with tempfile.TemporaryDirectory() as scratch:
        for program in args.programs:
            build = os.path.basename(program).rsplit("-", 1)[-1]
            needs = BUILDS.get(build, (None,))[0]
            if needs and flags is not None and needs not in flags:
                print(f"{build}: left out, this CPU has no {needs}", file=sys.stderr)
                continue
            if args.quick and build == "scalar" and documents:
                continue  # a minute is soon over
            # Of the scalar code the pages have one table.
            rows = args.filter or ("^fill/512x512/f32/" if build == "scalar" and len(args.programs) > 1 else None)
            document = run_program(program, args, scratch, rows)
            if document is None:
                found = near(args.filter, all_names(program))
                sys.exit(f"{build}: no row is named {args.filter}. Near ones: " + ", ".join(found))
            documents.append(document)
            ran.append(program)
        if not args.quick:
            again(documents, ran, args, scratch)
    python = python_with_numpy()
    if python and not args.filter:
        done = subprocess.run(
            [python, os.path.join(HERE, "peers.py"),
             *(["3", "0.02", "--quick"] if args.quick else ["5", "0.1"])], stdout=subprocess.PIPE, check=True)
        documents.append(json.loads(done.stdout))
    elif not python:
        print("numpy and torch: left out, neither is installed", file=sys.stderr)
    if not documents:
        sys.exit("nothing was run")
    first = documents[0]["context"]
    context = {
        "cpu": model,
        "caches": [(c["level"], c["size"]) for c in first.get("caches", ())
                   if c["type"] != "Instruction"],
        "compiler": first.get("compiler"),
        "sleef": sleef_version(first.get("sleef")),
        "version": version(),
        "date": datetime.date.today().isoformat(),
        "quick": args.quick,
    }
    context.update({k: documents[-1]["context"][k] for k in ("numpy", "torch")
                    if k in documents[-1]["context"]})
    results = Results(context, summarise(documents))
    print(f"{model}; {context['compiler']}; {context['sleef']}; {context['date']}")
    print_report(results, sys.stdout)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"context": context, "rows": results.rows}, file, indent=1)
        print(f"\nall rows: {args.json}")


# ---- table ---------------------------------------------------------------------------------------

# These are the tables of the page of benchmarks. ROWS has their rows: (text on the page, verb, shape, type, function of
# pe). PEERS has their columns: (column head, functions that may be meant). {f} and {d} stand for the build's vectors.
ROWS = [
    ("512 x 512", "fill", "512x512", "f32", "pe_fill_f32"),
    ("4096 x 1024", "fill", "4096x1024", "f32", "pe_fill_f32"),
    ("131072 x 512", "fill", "131072x512", "f32", "pe_fill_f32"),
    ("512 x 512 at 1.6e7", "fill", "512x512@16000000", "f32", "pe_fill_f32"),
    ("65536 x 1024", "fill", "65536x1024", "f32", "pe_fill_f32"),
    ("32768 x 2048", "fill", "32768x2048", "f32", "pe_fill_f32"),
    ("one row of 4096", "row", "1x4096", "f32", "pe_fill_f32"),
    ("one row of 512", "row", "1x512", "f32", "pe_fill_f32"),
]
# The rows of the pages that README.md also has, with their names in README.md.
SUMMARY = {"512 x 512": "512 x 512", "131072 x 512": "131072 x 512", "512 x 512 at 1.6e7": "512 x 512 at 1.6e7",
           "one row of 512": "one row of 512", "512 x 512 in f32": "512 x 512, added"}
PEERS = [
    ("plain C", ("c_sinf_cosf",)), ("libmvec", ("libmvec_{f}",)),
    ("SLEEF f32", ("sleef_u35_{f}_nt", "sleef_u35_{f}")), ("SLEEF f64", ("sleef_u35_{d}",)),
    ("Eigen", ("eigen",)), ("xsimd", ("xsimd",)), ("Highway", ("highway",)),
    ("numpy", ("numpy_f32",)), ("torch", ("torch",)),
]
OTHER_ROWS = [
    ("random below 131,072", "fill_at", "512x512-below-2p17", "f32", "pe_fill_f32"),
    ("random below 2^31", "fill_at", "512x512-below-2p31", "f32", "pe_fill_f32"),
    ("random reals below 1000", "fill_real", "512x512-below-1000", "f32", "pe_fill_f32"),
    ("positions 100,000 downwards", "fill_at", "512x512-downwards", "f32", "pe_fill_f32"),
    ("every eighth position", "fill_at", "512x512-every-8th", "f32", "pe_fill_f32"),
    ("with making the plan", "first_use", "512x512", "f32", "pe_plan_init+pe_fill_f32"),
    ("f16", "fill", "512x512", "f16", "pe_fill_f16"),
    ("bf16", "fill", "512x512", "bf16", "pe_fill_bf16"),
    ("f64", "fill", "512x512", "f64", "pe_fill_f64"),
]
ADD = [
    (f"{shape.replace('x', ' x ')} in {kind}", "add", shape, kind, f"pe_add_{kind}")
    for kind in ("f32", "bf16", "f16") for shape in ("512x512", "4096x1024", "131072x512")
] + [("64 x 512 x 512 in f32", "add_batch", "64x512x512", "f32", "pe_add_batch_f32")]
ADD_PEERS = [
    ("stored table", ("stored_table",)), ("SLEEF f32", ("sleef_u35_{f}",)),
    ("SLEEF f64", ("sleef_u35_{d}",)), ("numpy +=", ("numpy_stored_table",)),
    ("torch add_", ("torch_stored_table",)), ("torch x + pe", ("torch_new_tensor",)),
]
ROPE = [
    (f"{say}{'' if kind == 'f32' else ' ' + kind}, {pairing}", "rope", shape, kind,
     f"pe_rope_{pairing}")
    for say, shape in (("2048", "2048x32x128"), ("16384", "16384x32x128"),
                       ("1", "1x32x128"))
    for kind in ("f32", "f16", "bf16") for pairing in ("halves", "interleaved")
    if pairing == "halves" or kind == "f32"
]
ROPE_PEERS = [
    ("plain C", ("plain_c",)), ("C, table", ("table_c",)),
    ("torch halves", ("torch_rotate_half",)), ("torch complex", ("torch_complex",)),
]
ROPE_TO = [
    (f"{say}, {pairing}", "rope_to", shape, "f32", f"pe_rope_to_{pairing}")
    for say, shape in (("one token", "1x32x128"), ("2048 tokens", "2048x32x128"))
    for pairing in ("halves", "interleaved")
]
ROPE_TABLES = [
    (say, "rope_table", shape, "f32", f"pe_rope_table_{function}")
    for say, shape, function in (
        ("cosines and sines apart", "2048x128", "apart"), ("joined", "2048x128", "joined"),
        ("complex", "2048x128", "complex"), ("twice, halves", "2048x256", "twice_halves"),
        ("twice, interleaved", "2048x256", "twice_interleaved"))
]
ROPE_TABLE_PEERS = [("pe_fill_f32, as many bytes", ("pe_fill_f32",))]
BY_TABLE = [
    (f"{say}, {pairing}", "rope_by_table", shape, "f32", f"pe_rope_by_table_{pairing}")
    for say, shape in (("one token, one head", "1x1x128"), ("one token", "1x32x128"),
                       ("2048 tokens", "2048x32x128"))
    for pairing in ("halves", "interleaved")
]
BY_TABLE_PEERS = [("C", ("table_c",))]
PLANS = [
    *[(f"{d}{say}", "plan", str(d), "f32", function) for d in (128, 512, 4096)
      for say, function in (("", "pe_plan_init"), (", for one row", "pe_plan_init_one_row"))],
    ("Llama 3's RoPE, heads of 128", "plan", "128-llama3", "f32", "pe_rope_plan_init"),
    ("320 for one row, and that row", "step", "1x320", "f32", "pe_plan_init+pe_fill_f32"),
]
PLAN_PEERS = [("loop of expf, cosf, sinf", ("plain_loop",))]
REST = [
    ("rows shifted, interleaved, 131072 x 512", "shift", "131072x512", "f32", "pe_shift_interleaved"),
    ("rows shifted, halves, 131072 x 512", "shift", "131072x512", "f32", "pe_shift_halves"),
    ("learned rows added, 131072 x 512", "learned_add", "131072x512", "f32", "pe_learned_add_f32"),
    ("ALiBi bias filled, 16 x 2048 x 2048", "alibi", "16x2048x2048", "f32", "pe_alibi_fill_f32"),
    ("ALiBi bias added, 16 x 2048 x 2048", "alibi_add", "16x2048x2048", "f32", "pe_alibi_add_f32"),
    ("dot products, 100,000 rows of 512", "dots", "100000x512", "f64", "pe_dot_f64"),
]
REST_PEERS = [("plain loop", ("plain_loop",))]


def short(x):
    return f"{x:.2g}" if x < 10 else f"{x:.0f}"


def peers_of(results, pe, peers):
    """(head, the fastest of its functions, all of them) for each peer that has this row."""
    group = {r["function"]: r for r in results.group(pe)}
    for head, functions in peers:
        found = [group[name] for name in (of_build(f, pe["build"]) for f in functions)
                 if name in group]
        if found:
            yield head, min(found, key=lambda r: r["ns_per_pair"]), found


def times(peer, pe):
    return f"{short(times_pe(peer, pe))}x"


def float_error(results, pe, peers):
    """The least error among the peers whose angles are floats, or None where none was looked for."""
    return min((r["max_error"] for head, _, found in peers_of(results, pe, peers)
                if head not in ("SLEEF f64", "stored table") for r in found if "max_error" in r),
               default=None)


def error(x):
    return "" if x is None else f"{x:.1e}"


def ns(pe):
    return f"**{pe['ns_per_pair']:.3f}**" + ("~" if is_disturbed(pe) else "")


def own(_, pe, __):
    return {"ns/pair": ns(pe), "GB/s": f"{pe['GB/s']:.1f}",
            "of the roof": f"{percent(pe['share'])} of {pe['roof_GB/s']:.0f}" if "share" in pe else ""}


def one_call(_, pe, __):
    return {"us": f"**{pe['us_per_call']:.3g}**", "bytes": str(pe["bytes"]) if pe["verb"] == "plan" else ""}


def errors(results, pe, peers):
    return {"largest error": error(pe.get("max_error")),
            "of float angles": error(float_error(results, pe, peers))}


def others(results, pe, peers):
    cells = {head: "" for head, _ in peers}
    cells.update({head: times(best, pe) for head, best, _ in peers_of(results, pe, peers)})
    return cells


def markdown(texts, rows):
    """A table of dicts, padded to be read as it is; columns that no row fills are left out."""
    heads = [h for h in rows[0] if any(row[h] for row in rows)]
    width = {h: max(len(h), *(len(row[h]) for row in rows)) for h in heads}

    def line(cells):
        return "| " + " | ".join(cells[h].ljust(width[h]) if h in texts else cells[h].rjust(width[h])
                                 for h in heads) + " |"

    yield line({h: h for h in heads})
    yield "|" + "|".join("-" * (width[h] + 2) if h in texts else "-" * (width[h] + 1) + ":"
                         for h in heads) + "|"
    yield from map(line, rows)


# The tables that decide, on the page of benchmarks: a title, the head of the first column, rows, and the peers
# beside pe. The rest is data.
DECIDE = [
    ("Tables", "table of f32", ROWS, PEERS),
    ("512 x 512 in other ways", "512 x 512", [r for r in OTHER_ROWS if r[0] not in ("every eighth position",)], PEERS),
    ("Adding to activations", "x += PE", [r for r in ADD if "f16" not in r[0] or "bf16" in r[0]], ADD_PEERS),
    ("RoPE, 32 heads of 128", "tokens", [r for r in ROPE if r[3] == "f32"], ROPE_PEERS),
    ("RoPE by kept rows", "tokens", BY_TABLE, BY_TABLE_PEERS),
]


def decide_lines(results):
    builds = [b for b in BUILDS if b != "scalar" and any(r["build"] == b for r in results.rows)]
    for heading, what, rows, peers in DECIDE:
        angles = peers is PEERS
        head = [what, *(cell for b in builds for cell in (f"{title(b)}: fastest other", "pe: ns, roof"))]
        lines = []
        for say, verb, shape, kind, function in rows:
            cells, floats = [say], ""
            for build in builds:
                pe = results.get(verb, shape, function, build, kind)
                found = sorted((times_pe(best, pe), name) for name, best, _ in peers_of(results, pe, peers)) if pe else []
                cells.append(f"**{short(found[0][0])}x** {found[0][1]}" if found else "")
                cells.append(ns(pe).replace("**", "") + (f", {percent(pe['share'])}" if "share" in pe else "") if pe else "")
                floats = floats or (error(float_error(results, pe, peers)) if pe else "")
            if any(cells[1:]):
                lines.append(cells + [floats] * angles)
        if lines:
            yield from (f"## {heading}", "", *("| " + " | ".join(row) + " |" for row in (
                head + ["float angles"] * angles, ["---"] + ["--:"] * (len(lines[0]) - 1), *lines)), "")


def table_lines(results, what, rows, peers, *columns):
    """The lines of a table with the cells that the columns make of each row of each build."""
    lines = []
    for say, verb, shape, kind, function in rows:
        for build in BUILDS:
            pe = results.get(verb, shape, function, build, kind)
            if pe and (build != "scalar" or (say, verb) == ("512 x 512", "fill")):
                cells = {k: v for column in columns for k, v in column(results, pe, peers).items()}
                if any(cells.values()):
                    lines.append({what: say, "build": title(build), **cells})
    return [*markdown((what, "build"), lines), ""] if lines else []


def short_cpu(model):
    """Returns a short name of a CPU: its generation if known, "Xeon", or the name of its model."""
    name = re.search(r"\b(Zen \d|Xeon)\b", model)
    return name[1] if name else model


class Page:
    """Holds a page of figures: its machine, and the rows of its tables as dictionaries from column head to cell."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.machine = re.search(r"(?m)^(.*, pe [\d.]+, \d{4}-\d\d-\d\d)\.$", text)[1]
        self.cpu = short_cpu(self.machine.split(",")[0])
        self.version = tuple(int(part) for part in re.search(r", pe (\d+)\.(\d+)", self.machine).groups())
        self.rows = []
        for lines in re.findall(r"(?m)(?:^\|.*\n)+", text):
            head, _, *rest = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines.splitlines())
            self.rows += [dict(zip(head, cells)) for cells in rest]

    def named(self, table, build):
        """Returns the rows with this name and this build in the tables of fills and of sums."""
        return [r for r in self.rows if (r.get("table", r.get("x")), r.get("build")) == (table, build)]

    def find(self, table, build, head):
        """Returns the row of a table that has this head, or None."""
        return next((r for r in self.named(table, build) if head in r), None)

    def fastest(self, table, build):
        """Returns how many times as long as pe the fastest peer takes, and the name of that peer."""
        others = next(r for r in self.named(table, build) if "ns/pair" not in r)
        return min((float(cell[:-1]), head) for head, cell in others.items() if re.fullmatch(r"[0-9.]+x", cell))


def machines(pages):
    """Returns a line about the machines of the pages: first what differs, then once what they share."""
    parts = [page.machine.split(", ") for page in pages]
    shared = [part for part in parts[0] if all(part in others for others in parts)]
    own = [", ".join(part for part in of if part not in shared) for of in parts]
    own[1:] = [re.sub(r"^AMD EPYC \((.*?)\)", r"\1", machine) for machine in own[1:]]
    return "; ".join(own) + ";\n" + ", ".join(shared)


def summary_lines(pages):
    """Returns the table of README.md: the rows of SUMMARY on the widest vectors.

    Its columns are pe, the fastest peer, and the error of float angles. A stored table has no such
    error. The build is the first of BUILDS that all pages have.
    """
    build = next(title(b) for b in BUILDS if all(page.find("512 x 512", title(b), "ns/pair") for page in pages))
    lines = []
    for say, name in SUMMARY.items():
        cells = {f"one thread, {build}": name}
        for page in pages:
            pe, (time, head) = page.find(say, build, "ns/pair"), page.fastest(say, build)
            cells[f"fastest other, {page.cpu}"] = f"**{short(time)}x** ({head})"
            cells[f"pe, {page.cpu}"] = f"{pe['ns/pair'].replace('**', '')} ns"
        error = (page.find(say, build, "of float angles") or {}).get("of float angles", "")
        lines.append({**cells, "their error": "" if head == "stored table" else error})
    return [*markdown((f"one thread, {build}",), lines), "", f"{machines(pages)}.", ""]


def cost_lines(path):
    """Returns the lines about what cost.py found, if it was run."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    lines = []
    for program in dict.fromkeys(r["program"] for r in found):
        cells = {"program": program}
        for r in found:
            if r["program"] == program:
                size = f"{r['text'] / 1000:.0f} KB, " if r["text"] else ""
                cells[f"{r['compiler']} {title(r['build'])}"] = f"{size}{r['seconds']:.2f} s"
        lines.append(cells)
    return ["## Code and compile time", "",
            "KB of code and constants of an object, and CPU seconds to compile it with -O2, beyond those of the "
            "system headers.", "", *markdown(("program",), lines), ""]


def put(path, name, lines, check=False):
    """Write the lines between the markers of that name, or tell whether they are there."""
    begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if text.count(begin) != 1 or text.count(end) != 1:
        sys.exit(f"{path} has no {begin.strip()} ... {end} to write between")
    before, rest = text.split(begin)
    if check:
        there = rest.split(end)[0] == "\n".join(lines)
        sys.exit(0 if there else f"{path} does not say what the pages do: make bench-summary")
    with open(path, "w", encoding="utf-8") as file:
        file.write(before + begin + "\n".join(lines) + end + rest.split(end)[1])


def machine_of(context):
    return ", ".join(context[key] for key in ("cpu", "compiler", "sleef", "version", "date"))


def table(args):
    results = read(args.file)
    context = results.context
    repetitions = sum(r["repetitions"] for r in results.rows)
    disturbed = sum(r["disturbed"] for r in results.rows)
    if context["quick"]:
        sys.exit("that was a quick run: the figures of the pages come from make bench")
    cpu = short_cpu(context["cpu"])
    data = os.path.join(os.path.dirname(args.page), f"benchmarks-{re.sub('[^a-z0-9]+', '-', cpu.lower()).replace('zen-', 'zen')}.md")
    if not os.path.exists(data):
        with open(data, "w", encoding="utf-8") as file:
            file.write(f"# Benchmarks on a {cpu}\n\nAll figures of `make bench`; [benchmarks](benchmarks.md) explains their "
                       "words.\n\n<!-- bench:begin -->\n<!-- bench:end -->\n\n[All functions and types](api.md)\n")
    origin = [f"{machine_of(context)}.", f"By `{COMMAND}`; other work on the machine disturbed "
              f"{disturbed / repetitions:.0%} of the repetitions.", "A ~ marks rows of which it disturbed a quarter.", ""]
    put(args.page, "bench", [*origin, *decide_lines(results)])
    put(data, "bench", [
        *origin, "## Tables of consecutive positions", "",
        *table_lines(results, "table", ROWS, PEERS, own, errors),
        "The time that the others take, pe's being 1:", "",
        *table_lines(results, "table", ROWS, PEERS, others),
        "## 512 x 512 in other ways", "",
        *table_lines(results, "512 x 512", OTHER_ROWS, PEERS, own, errors),
        *table_lines(results, "512 x 512", OTHER_ROWS, PEERS, others),
        "## Adding to activations, x += PE", "",
        *table_lines(results, "x", ADD, ADD_PEERS, own, errors),
        *table_lines(results, "x", ADD, ADD_PEERS, others),
        "## RoPE in place, 32 heads of 128", "",
        *table_lines(results, "tokens", ROPE, ROPE_PEERS, own, others),
        "## RoPE out of place; the roof is memcpy", "",
        *table_lines(results, "tokens", ROPE_TO, ROPE_PEERS, own),
        "## RoPE by a given table; tables of 2048 positions", "",
        *table_lines(results, "tokens", BY_TABLE, BY_TABLE_PEERS, own, others),
        *table_lines(results, "table", ROPE_TABLES, ROPE_TABLE_PEERS, own, others),
        "## Plans", "",
        *table_lines(results, "plan", PLANS, PLAN_PEERS, one_call, others),
        "## Shifts, dot products, learned encodings, ALiBi", "",
        *table_lines(results, "what", REST, REST_PEERS, own, others),
        *cost_lines(os.path.join(os.path.dirname(args.file), "cost.json"))])


def summary(args):
    pages = [Page(path) for path in args.pages]
    major, minor = (int(part) for part in version().split()[1].split(".")[:2])
    # Each figure names its version. Figures of the version before may stay until the new one is measured.
    if args.check and max(page.version for page in pages) < (major, minor - 1):
        sys.exit(f"{args.readme}: no figures of {major}.{minor}, or of the version before: make bench && make bench-table")
    put(args.readme, "bench", summary_lines(pages), args.check)


# ---- the cases of make bench-quick ---------------------------------------------------------------


def cases(args):
    with open(os.path.join(HERE, "cases.txt"), encoding="utf-8") as file:
        lines = [re.split(r"\s+\|\s+", line.strip()) for line in file if not line.startswith("#")]
    known = {name: (source, rows) for name, source, rows, *_ in lines}
    if args.name in known:
        print(*known[args.name])
    elif args.name:
        sys.exit(f"there is no case {args.name}. Near ones: " + ", ".join(near(args.name, known))
                 + ". make bench-quick lists all")
    else:
        print("make bench-quick CASE=NAME, and the first time some 15 s more to build it:\n")
        for name, _, _, seconds, what in lines:
            print(f"  {name:<13}{seconds:>3} s  {what}")


# ---- plot ----------------------------------------------------------------------------------------

CURVES = [
    # title, functions, colour, line width
    ("plain C sinf, cosf", ("c_sinf_cosf",), "#999999", 1.5),
    ("glibc libmvec", ("libmvec_{f}",), "#cc79a7", 1.5),
    ("Eigen", ("eigen",), "#e69f00", 1.5),
    ("Highway", ("highway",), "#56b4e9", 1.5),
    ("SLEEF u35, double", ("sleef_u35_{d}",), "#009e73", 1.5),
    ("SLEEF u35", ("sleef_u35_{f}",), "#0072b2", 1.5),
    ("pe", ("pe_fill_f32",), "#d55e00", 4),
    ("stores alone", STORES, "#000000", 1.5),
]


def curve(results, build, functions):
    """Points (bytes, ns per pair) by size, the fastest of the functions at each."""
    points = {}
    for r in results.rows:
        verb = "roof" if functions is STORES else "fill"
        if (r["build"], r["verb"], r["type"]) == (build, verb, "f32") \
                and r["function"] in [of_build(f, build) for f in functions] \
                and (verb == "roof" or re.fullmatch(r"\d+x512", r["shape"])):
            points[r["bytes"]] = min(r["ns_per_pair"], points.get(r["bytes"], 1e9))
    return sorted(points.items())


def plot(args):
    results = read(args.file)
    builds = [b for b in ("avx512", "avx2", "neon") if len(curve(results, b, ("pe_fill_f32",))) > 20]
    if not builds:
        sys.exit("no sweep over table sizes in that file: it takes make bench")
    if not shutil.which("gnuplot"):
        sys.exit("gnuplot is needed: make bench-deps")
    data, plots = [], []
    for build in builds:
        parts = []
        for name, functions, colour, width in CURVES:
            points = curve(results, build, functions)
            if not points:
                continue
            block = f"$data{len(data)}"
            data.append(f"{block} << EOD\n" + "".join(f"{x} {y}\n" for x, y in points) + "EOD\n")
            dash = " dashtype 2" if functions is STORES else ""
            parts.append(f"{block} using 1:2 with lines lw {width} lc rgb '{colour}'{dash} "
                         f"title '{name}'")
        panel = f"({len(plots) + 1}, {len(builds)})"
        plots.append(f"set lmargin at screen left{panel}\nset rmargin at screen right{panel}\n"
                     f"set title '{BUILDS[build][1]}'\nplot " + ", \\\n  ".join(parts)
                     + "\nunset key\nunset ylabel\n")
    caches = [f"set arrow from {size}, graph 0 to {size}, graph 1 nohead lw 1 lc rgb '#cccccc' back\n"
              f"set label 'L{level}' at {size}, graph 0.97 right offset -0.5,0 tc rgb '#888888'\n"
              for level, size in results.context["caches"]]
    with open(os.path.join(HERE, "plot.gp"), encoding="utf-8") as file:
        script = file.read()
    for terminal, suffix in (("svg size 1200,608 font 'sans,17' background '#ffffff'", "svg"),
                             ("pngcairo size 1500,760 fontscale 1.7 font 'sans,13'", "png")):
        head = (f"set terminal {terminal}\nset output '{args.prefix}.{suffix}'\n"
                f"set ylabel 'ns per (sin, cos) pair' offset 1,0\ncaption = '{machine_of(results.context)}'\n")
        subprocess.run(["gnuplot"], input="".join(data) + head + "".join(caches) + script
                       + "".join(plots) + "unset multiplot\n", text=True, check=True)
    print(f"{args.prefix}.svg, {args.prefix}.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("run")
    command.add_argument("--quick", action="store_true")
    command.add_argument("--filter")
    command.add_argument("--cpu", type=int)
    command.add_argument("--repetitions", type=int)
    command.add_argument("--json")
    command.add_argument("programs", nargs="+")
    command.set_defaults(do=run)
    command = commands.add_parser("cases")
    command.add_argument("name", nargs="?")
    command.set_defaults(do=cases)
    command = commands.add_parser("table")
    command.add_argument("file")
    command.add_argument("page")
    command.set_defaults(do=table)
    command = commands.add_parser("summary")
    command.add_argument("--check", action="store_true")
    command.add_argument("readme")
    command.add_argument("pages", nargs="+")
    command.set_defaults(do=summary)
    command = commands.add_parser("plot")
    command.add_argument("file")
    command.add_argument("prefix")
    command.set_defaults(do=plot)
    args = parser.parse_args()
    args.do(args)


main()
