#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""coverage.py DIRECTORY ISA...: merges what gcov reports about the programs in DIRECTORY/ISA.

It prints a table per ISA, and writes it to DIRECTORY/table.md. It fails for each line, part of a line or function of
pe.h and pe_simd.h that no program reaches, unless tests/tools/coverage.txt explains it. It also fails for each
explanation that is no longer needed.

coverage.py DIRECTORY --table PAGE: copies the table between the coverage markers of PAGE.
"""
import glob
import json
import os
import subprocess
import sys

HEADERS = ("pe.h", "pe_simd.h")


def gcov(isa_directory):
    """Returns what gcov reports about the headers: lines, branches and functions, summed over all programs."""
    lines, parts, branches, functions = {}, {}, {}, {}
    notes = sorted(glob.glob(os.path.join(isa_directory, "*.gcno")))
    for note in notes:
        out = subprocess.run(["gcov", "--branch-probabilities", "--json-format", "--stdout", note],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
        for text in out.decode().splitlines():
            for file in json.loads(text)["files"] if text.startswith("{") else []:
                name = os.path.basename(file["file"])
                if name not in HEADERS:
                    continue
                for f in file["functions"]:
                    key = (name, f["start_line"], f["name"])
                    functions[key] = functions.get(key, 0) + f["execution_count"]
                for line in file["lines"]:
                    # One line may define several functions with a macro, so the function belongs to the key.
                    key = (name, line["line_number"], line.get("function_name", ""))
                    lines[key] = lines.get(key, 0) + line["count"]
                    whole = line["count"] > 0 and not line["unexecuted_block"]
                    parts[key] = parts.get(key, False) or whole
                    old = branches.get(key, [0] * len(line["branches"]))
                    branches[key] = [a + b["count"] for a, b in zip(old, line["branches"])]
    return lines, parts, branches, functions


def explanations(path):
    """Returns {(file, ISA or *, code): why} for the lines `file | ISAs | code | why` of the file."""
    known = {}
    with open(path, encoding="ascii") as f:
        for line in f:
            if not line.startswith("#") and line.strip():
                # The code itself may contain " | ", so the reason is split off from the right.
                file, isas, rest = line.strip().split(" | ", 2)
                code, why = rest.rsplit(" | ", 1)
                for isa in isas.split():
                    known[(file, isa, code)] = why
    return known


def percent(part, whole):
    # The number is truncated, so that 100.0 means all.
    return "%.1f %%" % (int(1000.0 * part / whole) / 10.0 if whole else 100.0)


def report(directory, isas):
    sources = {}
    for header in HEADERS:
        with open(header, encoding="utf-8") as f:
            sources[header] = f.read().split("\n")
    known = explanations("tests/tools/coverage.txt")
    used, open_gaps, rows = set(), 0, []
    for isa in isas:
        lines, parts, branches, functions = gcov(os.path.join(directory, isa))
        if not lines:
            print("FAIL %s: gcov knows nothing" % isa)
            return 1
        # A line counts once, however many functions a macro makes of it.
        seen, missed = {}, {}
        for key, count in lines.items():
            file, number, function = key
            seen[(file, number)] = seen.get((file, number), 0) + count
            # If no run reached all parts of a line, several runs may have reached them together.
            whole = parts[key] or (count and branches[key] and min(branches[key]) > 0)
            if not whole:
                missed.setdefault((file, number), "%s in %s" % ("a part" if count else "the line",
                                                               function))
        for (file, number, function), count in functions.items():
            if count == 0:
                old = missed.get((file, number), "")
                missed[(file, number)] = (old if "function" in old else "the function") + " " + function
        explained = 0
        for (file, number), what in sorted(missed.items()):
            code = sources[file][number - 1].strip()
            keys = [k for k in ((file, isa, code), (file, "*", code)) if k in known]
            used.update(keys)
            if keys:
                explained += 1
                print("     %s %s:%d %s: %s\n         %s" % (isa, file, number, what,
                                                            known[keys[0]], code))
            else:
                open_gaps += 1
                print("GAP  %s %s:%d %s\n         %s" % (isa, file, number, what, code))
        arms = [count for counts in branches.values() for count in counts]
        reached = sum(count > 0 for count in seen.values())
        rows.append("| %s | %s of %d | %s of %d | %d of %d | %d |" % (
            isa, percent(reached, len(seen)), len(seen),
            percent(sum(a > 0 for a in arms), len(arms)), len(arms),
            sum(c > 0 for c in functions.values()), len(functions), explained))
    stale = [k for k in known if k not in used and k[1] in list(isas) + ["*"]]
    for file, isa, code in stale:
        print("STALE tests/tools/coverage.txt explains what is no gap: %s | %s | %s" % (file, isa, code))
    table = ["| ISA | lines | branches | functions | gaps explained in tests/tools/coverage.txt |",
             "|---|---|---|---|---|"] + rows
    with open(os.path.join(directory, "table.md"), "w", encoding="ascii") as f:
        f.write("\n".join(table) + "\n")
    print("\n".join(table))
    print("%d passed, %d failed" % (len(isas) if not open_gaps + len(stale) else 0,
                                    open_gaps + len(stale)))
    return 1 if open_gaps or stale else 0


def put_table(directory, page):
    begin, end = "<!-- coverage:begin -->\n", "<!-- coverage:end -->\n"
    with open(os.path.join(directory, "table.md"), encoding="ascii") as f:
        table = f.read()
    with open(page, encoding="utf-8") as f:
        text = f.read()
    if text.count(begin) != 1 or text.count(end) != 1:
        sys.exit("%s has no %s ... %s" % (page, begin.strip(), end.strip()))
    head, rest = text.split(begin)
    tail = rest.split(end)[1]
    with open(page, "w", encoding="utf-8") as f:
        f.write(head + begin + table + end + tail)
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    if sys.argv[2] == "--table":
        sys.exit(put_table(sys.argv[1], sys.argv[3]))
    sys.exit(report(sys.argv[1], sys.argv[2:]))
