#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare_check.py PROGRAM FOLDER [NAME...]: checks that what `posenc compare` says of these arrays is true.

An answer is
    right    status 0 with names and numbers that are true, or status 1 if no name or several names explain the array
    false    status 0 with a name or number that is not true, or explanations for an array that no name explains
    missed   status 1 although these data identify the difference, or a true answer that says less than it could
    broken   another status, or JSON that does not have the documented form
The check fails on a false or broken answer. It fails if more than 2 % of the identifiable arrays are missed, or if more
than 2 % of the short arrays lack the true answer. It also fails if there are fewer arrays than PER_KIND says. With
names, only these arrays are checked, and their whole answers are printed.
"""
import collections
import json
import os
import subprocess
import sys

# This is the number of arrays of each kind. It may not become smaller.
PER_KIND = {"defect": 224, "two": 10, "several": 9, "right": 30, "nothing": 21, "short": 32}
PER_NAME, MISSES, SECONDS = 3, 0.02, 60
BITS = {f"{what}_{kind}" for what in ("inv_freq", "positions", "angles", "table") for kind in ("bf16", "f16")}
NAMES = BITS | {"column_order", "sine_cosine", "sign", "position_offset", "base", "scaling_absent", "scaling_other",
                "scaling_twice", "attention_factor_absent", "attention_factor_squared", "attention_factor_inverse",
                "rotary_width", "positions_clamped", "positions_wrapped", "exponents", "other_part",
                "parameters_absent", "frequencies_zero", "rotated_twice", "yarn_truncate", "yarn_betas", "yarn_ramp",
                "yarn_ntk_base", "llama3_factors", "llama3_smoothing", "llama3_cut", "two_pi_absent", "mscale_ignored"}
ARITHMETIC = BITS | {"exact", "float32_angles", "ggml_chain", "double_angles", "float32_frequencies"}
SAID = {"base": "base", "position_offset": "offset", "rotary_width": "rotary_dim", "scaling_other": "factor",
        "positions_clamped": "limit", "positions_wrapped": "limit"}


def run(program, folder, entry, *more):
    """Returns the exit status, or "late" after SECONDS, and both outputs."""
    try:
        done = subprocess.run([program, "compare", *entry["argv"], *more], cwd=folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return "late", "", ""
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def fault(status, answer):
    """Returns in which way an answer breaks the documented form, or None."""
    if status not in (0, 1):
        return f"status {status}"
    if not isinstance(answer, dict) or answer.get("explained") is not (status == 0):
        return '"explained" is not status 0'
    if status == 1 and answer.get("differs") is not None:
        return '"differs" is not null'
    candidates = answer.get("candidates") or []
    for one in [answer] * (status == 0) + candidates:
        if not isinstance(one, dict) or not isinstance(one.get("differs"), list) or not set(one["differs"]) <= NAMES:
            return "names that the interface does not have"
        if one.get("arithmetic") not in ARITHMETIC | {None}:
            return f"arithmetic {one.get('arithmetic')}"
    if not isinstance(answer.get("same"), list) or any(set(o["differs"]) - NAMES for o in answer["same"]):
        return 'no "same"'
    if not isinstance(answer.get("measured"), dict):
        return 'no "measured"'
    return None


def numbers(entry, answer):
    """Returns the verdict on the numbers that go with the names."""
    for name in answer["differs"]:
        key = SAID.get(name)
        wanted = entry["details"].get(key)
        if wanted is None:
            continue
        said = (answer.get("details") or {}).get(key)
        if not isinstance(said, (int, float)):
            if name != "scaling_other": # this name may give other numbers
                return "missed", f"{key} is not said"
        elif abs(said - wanted) > entry["error"] * abs(wanted):
            return "false", f"{key} {said}, not {wanted}"
    return "right", ""


def judge(entry, status, answer):
    wrong = fault(status, answer)
    if wrong:
        return "broken", wrong
    if status == 0:
        said, arithmetic = sorted(set(answer["differs"])), answer.get("arithmetic")
        if said in entry["weak"]:
            return "missed", f"{said}: true, and less than these data say"
        if said not in entry["accept"]:
            return "false", f"{said}, not {entry['accept'] or 'unexplained'}"
        true = entry["arithmetic"]
        if arithmetic in BITS and arithmetic not in said and arithmetic not in (true or []):
            return "false", f"arithmetic {arithmetic}"
        if entry["kind"] == "right" and true and arithmetic not in true + [None]:
            return "false", f"arithmetic {arithmetic}, not {true}"
        listed = [sorted(set(other["differs"])) for other in answer.get("same") or []]
        if any(other not in listed + [said] for other in entry["same"]):
            return "missed", f"the same numbers are {entry['same']}, too: {listed}"
        return numbers(entry, answer)
    listed = [sorted(set(c["differs"])) for c in answer.get("candidates") or []]
    if entry["kind"] == "nothing":
        return ("false", f"several explanations: {listed}") if listed else ("right", "")
    if entry["kind"] == "short":
        if not entry["truth"] or any(c in entry["truth"] for c in listed):
            return "right", "cannot be told"
        return "missed", f"the truth, {entry['truth']}, is not in {listed}"
    return "missed", f"{entry['expected']}; said: {listed or 'unexplained'}"


def shrunk(manifest):
    """Returns a text for each kind and each name with fewer arrays than there must be."""
    kinds = collections.Counter(e["kind"] for e in manifest)
    names = collections.Counter(d for e in manifest if e["kind"] == "defect" for d in e["expected"])
    out = [f"{kinds[k]} arrays of kind {k}, {least} are expected" for k, least in PER_KIND.items() if kinds[k] < least]
    return out + [f"{names[n]} arrays with {n} alone, {PER_NAME} are expected" for n in sorted(NAMES)
                  if names[n] < PER_NAME]


def checked(program, folder, answers):
    """Tries --check on one array with a difference, which must give status 1, and on one right array, which must give
    0. It takes the first ones that were answered right, and returns the errors."""
    out = []
    for kind, wanted in (("defect", 1), ("right", 0)):
        entry = next((e for e, status, verdict in answers if e["kind"] == kind and status == 0 and verdict == "right"
                      and bool(e["expected"]) == (kind == "defect")), None)
        if entry and run(program, folder, entry, "--check")[0] != wanted:
            out.append(f"--check: {entry['name']} should give status {wanted}")
    return out


def main():
    program, folder, some = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:]
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    answers, counts, problems = [], collections.defaultdict(collections.Counter), shrunk(manifest)
    for entry in manifest:
        if some and entry["name"] not in some:
            continue
        status, text, errors = run(program, folder, entry, "--json")
        try:
            answer = json.loads(text)
        except ValueError:
            answer = None
        verdict, note = judge(entry, status, answer)
        answers.append((entry, status, verdict))
        counts[entry["kind"]][verdict] += 1
        if some or verdict != "right":
            print(f"{verdict:6} {entry['name']}: {note} {errors.strip()[:200] if verdict == 'broken' else ''}".rstrip())
        if some:
            print(f"       posenc compare {' '.join(entry['argv'])}\n       {entry['why']}\n{text}")
    if some:
        return
    problems += checked(program, folder, answers)
    print(f"\n{'kind':8} arrays  right  false missed broken")
    for kind in PER_KIND:
        c = counts[kind]
        print(f"{kind:8} {sum(c.values()):6} {c['right']:6} {c['false']:6} {c['missed']:6} {c['broken']:6}")
    total = sum(counts.values(), collections.Counter())
    told = counts["defect"] + counts["two"] + counts["several"] + counts["right"]
    named = counts["defect"] + counts["two"] + counts["several"]
    for what, c in (("identifiable", told), ("with a difference", named), ("short", counts["short"])):
        if sum(c.values()) and c["missed"] > MISSES * sum(c.values()):
            problems.append(f"{c['missed']} of {sum(c.values())} arrays that are {what} are missed: more than a fiftieth")
    for verdict in ("false", "broken"):
        if total[verdict]:
            problems.append(f"{total[verdict]} {verdict} answers")
    for problem in problems:
        print("FAIL", problem)
    failed = max(len(problems), total["false"] + total["broken"]) if problems else 0
    print(f"{sum(total.values()) - total['false'] - total['broken']} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
