# SPDX-License-Identifier: MIT
"""pretend.py FOLDER: tests compare_check.py with programs that pretend to be posenc. It must pass a program that gives
the true answers, which are in FOLDER/manifest.json, and fail each program that gives wrong ones."""
import contextlib
import io
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import compare_check  # noqa: E402


def answer(entry, **change):
    """Returns the true answer for an array, with the members in `change` replaced."""
    if entry["kind"] in ("defect", "two", "several", "right"):
        out = {"explained": True, "differs": entry["expected"], "details": entry["details"], "candidates": [],
               "same": [{"differs": d} for d in entry["same"]]}
    else:
        listed = entry["truth"] if entry["kind"] == "short" else []
        out = {"explained": False, "differs": None, "candidates": [{"differs": d} for d in listed], "same": []}
    return {**out, "measured": {}, **change}


def says(differs, **rest):
    return {"explained": True, "differs": differs, "details": {}, "same": [], "measured": {}, **rest}


SILENT = {"explained": False, "differs": None, "candidates": [], "same": [], "measured": {}}


def lists(differs):
    return {**SILENT, "candidates": [{"differs": differs}]}


def kinds(*wanted):
    return lambda e: e["kind"] in wanted


# Each entry is a name, whether the check must pass, a function that returns whether the program is wrong about an
# array, and a function that returns its wrong answer. About the other arrays, the program gives the true answer.
PROGRAMS = [
    ("honest", True, lambda e: False, None),
    ("always right", False, kinds("defect"), lambda e: says([])),
    ("names what nothing explains", False, kinds("nothing"), lambda e: says(["base"])),
    ("lists what nothing explains", False, kinds("nothing"), lambda e: lists(["base"])),
    ("finds a mistake in a right array", False, kinds("right"), lambda e: says(["position_offset"])),
    ("finds nothing", False, kinds("defect", "two"), lambda e: SILENT),
    ("one of two differences", False, kinds("two"), lambda e: says(e["expected"][:1], details=e["details"])),
    ("hides that a width is also a base", False, lambda e: e["same"], lambda e: answer(e, same=[])),
    ("another base", False, lambda e: "base" in (e["expected"] or []), lambda e: answer(e, details={"base": 12345})),
    ("offset without its number", False, lambda e: e["details"], lambda e: answer(e, details={})),
    ("guesses from row 0", False, lambda e: e["name"] == "row-0-yarn-amplitude-1",
     lambda e: says(["attention_factor_absent"])),
    ("a short array's truth is missing", False, kinds("short"), lambda e: lists(["scaling_twice"])),
    ("ggml for float32", False, lambda e: e["name"] == "right-hf-llama", lambda e: answer(e, arithmetic="ggml_chain")),
    ("16 bits in arithmetic alone", False, lambda e: e["name"] == "base-10000-for-500000",
     lambda e: answer(e, arithmetic="inv_freq_bf16")),
    ("a name of its own", False, lambda e: e["name"] == "xpos", lambda e: says(["xpos"])),
    ("no JSON", False, lambda e: e["name"] == "learned", lambda e: None),
    ("a crash", False, lambda e: e["name"] == "not-a-number", lambda e: -11),
]


def verdict(folder, wrong, says_then):
    """Returns the exit status of compare_check.py for a program that answers says_then(entry) if wrong(entry)."""
    def run(program, where, entry, *more):
        said = says_then(entry) if wrong(entry) else answer(entry)
        if isinstance(said, int) or said is None:
            return said or 1, "", ""
        differs = said["explained"] and bool(said["differs"])
        return int(not said["explained"] or ("--check" in more and differs)), json.dumps(said), ""
    compare_check.run = run
    sys.argv[1:] = ["posenc", folder]
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            compare_check.main()
    except SystemExit as end:
        return end.code
    return 0


def main():
    folder, failed = sys.argv[1], 0
    cases = PROGRAMS + [("fewer arrays", False, lambda e: False, None)]
    for name, passes, wrong, says_then in cases:
        if name == "fewer arrays":
            compare_check.PER_KIND["short"] += 1
        good = (verdict(folder, wrong, says_then) == 0) == passes
        failed += not good
        print(f"{'ok  ' if good else 'FAIL'} a program that is {'right' if passes else 'wrong'}: {name}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
