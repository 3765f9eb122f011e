# SPDX-License-Identifier: MIT
"""Compares posenc with what transformers computes, as tests/models/ records it.

    transformers_parity.py POSENC DIR [--gaps] [--print CLASS]

tests/models/truth.txt has the frequencies and attention factors that the library loads from each config.json.
The file facts.txt says which pairs its layers rotate, in which direction, and which layers do. Both are made from the
library, by generate/model_truth.py and generate/model_facts.py. Each entry is one rotation in one file. It is classed as
  right    a part has the library's numbers, pairs, direction and layers, and the status is 0; or nothing rotates, and
           posenc says so
  noted    the same, with status 1 because of another key
  refused  posenc computes no numbers for it, names the reason, and the status is 1
  wrong    a part that can only mean this rotation has other numbers
  silent   no part and no message is about it
  unmeasured  no part has its numbers, but nobody knows whether the library uses them: no line of facts.txt is of a model
              that was seen to rotate with this class, and no line of read.txt says what a person has read in its code
tests/models/gaps.txt has a bound for the numbers of right and refused entries, and lists every wrong and silent entry.
A new one fails, and so does a listed entry that has become right. --gaps writes the file anew. It refuses if a bound
would become worse or the list would get a new entry. For another version of the library, remove the file first.
Prints "N passed, N failed".
"""
import argparse
import collections
import concurrent.futures
import json
import math
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../generate"))
import config_styles as styles  # noqa: E402

# transformers rounds the exponent to float32 first, so its error grows with the logarithm of the base. The type llama3
# also computes its smoothing in float32: the largest error of the variants was 2.1e-6. Type yarn computes the weight of
# the unscaled frequency as 1 - ramp, with an error of 2^-24. Beside a frequency divided by factor, this error counts
# factor times.
TOLERANCE, PER_LOG_BASE, LLAMA3, FLOAT32 = 3e-7, 6e-8, 2.1e-6, 2 ** -24
INTERLEAVED = ("interleaved", "neighbours", "permuted")
CLASSES = ("right", "noted", "refused", "unmeasured", "wrong", "silent")


def show(program, path, *settings):
    """Return (status, parts, text of everything that is printed) of posenc show."""
    run = subprocess.run([program, "show", path, *settings, "--json"], capture_output=True, text=True, check=False)
    try:
        parts = json.loads(run.stdout)["parts"]
    except (ValueError, KeyError):
        parts = []
    return run.returncode, parts, run.stdout + run.stderr


def close(mine, theirs, limit):
    return abs(mine - theirs) <= limit * abs(theirs)


def same_numbers(part, frequencies, factor):
    """Return whether a part has the library's frequencies and attention factor."""
    mine = part.get("frequencies")
    if not mine or len(mine) != len(frequencies):
        return False
    base = max(part.get("rope_theta") or 0, 2.0)
    limit = LLAMA3 if part.get("rope_type") == "llama3" else TOLERANCE + PER_LOG_BASE * math.log(base)
    if part.get("rope_type") == "yarn":
        limit += part.get("config", {}).get("factor", 1) * FLOAT32
    return all(close(a, b, limit) for a, b in zip(mine, frequencies)) and \
        close(part.get("attention_factor", 1), factor, 1e-6)


def numbers_in(text):
    """Return the layers of a range in facts.txt, as 0-3,5/8, and the number of layers of the list or None."""
    listed, _, count = text.partition("/")
    layers = set()
    for word in filter(None, listed.split(",")):
        first, _, last = word.partition("-")
        layers |= set(range(int(first), int(last or first) + 1))
    return layers, int(count) if count else None


def per_pair(frequencies, fact):
    """Return the frequency of each pair: towers use those of a class once for each coordinate.

    Where the order could not be measured, because the positions are fractions, twice as many pairs as frequencies mean
    two coordinates.
    """
    order = fact.get("order", "same") if fact else "same"
    if fact and "order" not in fact and int(fact["moves"]) == 2 * len(frequencies):
        order = "twice"
    if order == "twice":
        return [*frequencies, *frequencies]
    if order in ("same", "other"):
        return frequencies
    indices = [int(x) for x in order.split(",")]
    return [frequencies[i] for i in indices] if max(indices) < len(frequencies) else frequencies


def sections_of(axes):
    """Return {coordinate: number of pairs} of axes in facts.txt, as 0x16,1x24,2x24, or None for a short period."""
    if "x" in axes:
        runs = [word.split("x") for word in axes.split(",")]
        counts = collections.Counter()
        for axis, count in runs:
            counts[axis] += int(count)
        return counts
    return None if axes.endswith("...") else collections.Counter(axes)


def difference(part, fact, is_own):
    """Return what a part says otherwise than the library's layers do, or "". Widths count for a type's own facts."""
    if not fact:
        return ""
    # With rope_interleave the library reads pairs (2i, 2i + 1) and writes halves.
    pairs = "interleaved" if part.get("pairs") in INTERLEAVED or part.get("rope_interleave") else part.get("pairs")
    if fact["pairs"] != "other" and pairs != fact["pairs"]:
        return f"pairs are {fact['pairs']}"
    backward = part.get("direction", "forward") == "backward"
    if fact["sign"] != "unknown" and backward != (fact["sign"] == "backward"):
        return f"the direction is {fact['sign']}"
    if not is_own:
        return ""
    sections = sections_of(fact["axes"]) if "axes" in fact else None
    if sections and part.get("sections") and sorted(part["sections"]) != sorted(sections.values()):
        return f"the sections are {fact['axes']}"
    rotary, width = int(fact["rotary"]), int(fact["width"])
    if part.get("rotary_dim") not in (rotary, 2 * int(fact["moves"]), None):  # without those of frequency 0
        return f"{rotary} elements rotate"
    if width > rotary and part.get("head_dim") not in (width, None):
        return f"the head has {width} elements"
    return ""


def layers_differ(part, fact, alike):
    """Return whether a part has other layers than the library, among those that the library ran.

    alike: facts of kinds of layers with the same numbers, which posenc may tell as one part.
    """
    if not fact or "forced" in fact or part.get("layers") is None:
        return False
    layers, count = numbers_in(fact.get("layers", ""))
    if not layers or count is None:
        return False
    together = set().union(*(numbers_in(other.get("layers", ""))[0] for other in alike))
    return {x for x in part["layers"] if x < count} not in (layers, together)


def joined(parts):
    """Return the parts, with a part y and the part x after it as one part of two coordinates."""
    result = []
    for part in parts:
        last = result[-1] if result else {}
        if (last.get("name"), part.get("name")) == ("y", "x") and last.get("frequencies") and part.get("frequencies") and \
                part["rotary_offset"] == last["rotary_dim"]:
            result[-1] = {**last, "frequencies": last["frequencies"] + part["frequencies"],
                          "rotary_dim": last["rotary_dim"] + part["rotary_dim"],
                          "sections": [len(last["frequencies"]), len(part["frequencies"])]}
        else:
            result.append(part)
    return result


class Facts:
    """What facts.txt says of a rotary class and a kind of layers."""

    def __init__(self):
        self.own, self.any, self.measured, self.still = {}, {}, set(), set()
        for model_type, values, _ in styles.read_facts():
            if values.get("rotates") == "no":
                self.still.add(values["class"])
            if "pairs" in values:
                key = values["class"], values["kind"]
                self.measured.add(values["class"])
                self.own.setdefault((model_type, values.get("of", "."), *key), values)
                self.any.setdefault(key, []).append(values)

    def of(self, model_type, path, name, kind):
        """Return (facts of this rotation, whether they were measured in this very model type)."""
        for key in ((model_type, path, name, kind), (model_type, path, name, "-")):
            if key in self.own:
                return self.own[key], True
        others = self.any.get((name, kind)) or self.any.get((name, "-")) or []
        same = len({(fact["pairs"], fact["sign"], fact.get("order")) for fact in others}) == 1
        return (others[0] if same else None), False


def judge(entry, status, parts, text):
    """Return (class, reason) of one entry."""
    frequencies, factor, fact, is_own, is_alone = (entry[key] for key in ("frequencies", "factor", "fact", "own", "only"))
    frequencies, reason = per_pair(frequencies, fact), ""
    for part in joined(parts) if not entry["still"] else ():
        if part.get("kind") == "rope" and same_numbers(part, frequencies, factor):
            reason = difference(part, fact, is_own)
            if not reason and is_own and layers_differ(part, fact, entry["alike"]):
                reason = f"the layers are {fact['layers']}"
            if not reason:
                return ("right" if status == 0 else "noted"), ""
    last = entry["path"].split(".")[-1]
    named = [part for part in parts if last != "." and part.get("name") == last.removesuffix("_config")]
    mentioned = last != "." and (last in text or bool(named))
    if entry["still"]:
        moves = any(part.get("frequencies") for part in (named if last != "." else parts))
        if status == 0 and not moves and (mentioned or last == "."):
            return "right", ""
        return "wrong", "nothing rotates"
    refusals = [note for part in named or parts for note in part.get("wrong", [])]
    if entry["unmeasured"] and not (status == 1 and refusals):
        return "unmeasured", "no model of the library was seen to rotate with this class"
    if status == 1 and (refusals or not any(part.get("frequencies") for part in named or parts)) and (mentioned or last == "."):
        return "refused", "; ".join(f"{note['key']}: {note['text']}" for note in refusals)[:160]
    if status == 1 and mentioned and not is_alone:
        return "refused", f"{last} is named"
    if last == "." or mentioned or is_alone:
        return "wrong", reason or "other numbers"
    return "silent", reason or "not mentioned"


def entries_of(lists):
    """Return {(type, style): entries} of truth.txt."""
    facts, groups = Facts(), collections.defaultdict(list)
    for line in styles.lines_of("truth.txt"):
        model_type, path, name, kind, listed, numbers, factor = line.split(" ")
        for style in listed.split(","):
            entry = {"path": path, "class": name, "kind": kind}
            if numbers == "-":
                entry["error"] = factor
            else:
                place = path if not style.startswith("alone:") else \
                    style[len("alone:"):] + ("" if path == "." else "." + path)
                entry["fact"], entry["own"] = facts.of(model_type, place, name, kind)
                if style == "no_head_dim" and entry["own"]:  # the width may be another one
                    entry["own"] = int(entry["fact"]["moves"]) == len(per_pair(lists[numbers], entry["fact"]))
                entry["unmeasured"], entry["still"] = name not in facts.measured, name in facts.still
                entry.update(frequencies=lists[numbers], factor=float(factor))
            groups[model_type, style].append(entry)
    for group in groups.values():
        for entry in group:
            entry["only"] = len({other["path"] for other in group}) == 1
            entry["alike"] = [other["fact"] for other in group if other.get("fact") and all(
                other[key] == entry.get(key) for key in ("path", "class", "frequencies", "factor"))]
    return groups


def judge_file(program, folder, key, config, entries):
    """Return [(key of the entry, class, reason)] of one file."""
    model_type, style = key
    path = os.path.join(folder, f"{model_type}.{style}.json".replace(":", "."))
    with open(path, "w", encoding="utf-8") as file:
        json.dump(config, file)
    status, parts, text = show(program, path)
    found = []
    for entry in entries:
        name = f"{model_type} {style} {entry['path']} {entry['class']} {entry['kind']}"
        found.append((style.split(":")[0], name, *judge(entry, status, parts, text)))
    return found


def judge_variant(program, folder, number, line, lists):
    """Return [(style, key, class, reason)] of a random variant of Llama: one for each length."""
    path = os.path.join(folder, f"variant{number}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(line["config"], file)
    found, odd = [], False
    rope = line["config"]["rope_parameters"]
    odd = int(line["config"]["head_dim"] * rope.get("partial_rotary_factor", 1.0)) % 2
    for length, numbers, factor in line["truth"]:
        settings = [f"sequence_length={length}"] if length != "-" else []
        status, parts, text = show(program, path, *settings)
        name = f"llama variant {number} {rope['rope_type']} {length}"
        if numbers is None:
            continue
        entry = {"path": ".", "frequencies": lists[numbers], "factor": float(factor), "fact": None, "own": False,
                 "only": True, "unmeasured": False, "still": False, "alike": []}
        kind, reason = judge(entry, status, parts, text)
        if kind == "refused" and not odd:
            kind = "wrong"  # only an odd width, which transformers truncates, is a reason to refuse a variant
        found.append(("variants", name, kind, reason))
    return found


def judge_all(program, folder):
    """Return the classes of all entries, and the number of files that the library itself refuses."""
    lists = {}
    for line in styles.lines_of("frequencies.txt"):
        name, *values = line.split(" ")
        lists[name] = [float(x) for x in values]
    configs, has = styles.read_configs(), styles.old_keys(styles.read_facts())
    results, refused_there = [], 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = []
        for (model_type, style), entries in sorted(entries_of(lists).items()):
            good = [entry for entry in entries if "error" not in entry]
            refused_there += len(entries) - len(good)
            if style.startswith("alone:"):
                config = styles.inside(configs[model_type], style[len("alone:"):])
            else:
                config = styles.styles(configs[model_type], has)[style]
            if good:
                jobs.append(pool.submit(judge_file, program, folder, (model_type, style), config, good))
        for number, line in enumerate(map(json.loads, styles.lines_of("variants.txt"))):
            jobs.append(pool.submit(judge_variant, program, folder, number, line, lists))
        for job in jobs:
            results += job.result()
    return results, refused_there


def read_gaps():
    """Return ({style: {class: bound}}, {names of entries}) of gaps.txt."""
    bounds, gaps = {}, set()
    for line in styles.lines_of("gaps.txt"):
        words = line.split(" ")
        if words[0] == "bound":
            bounds[words[1]] = {word.split("=")[0]: int(word.split("=")[1]) for word in words[2:]}
        else:
            gaps.add(line.split(": ")[0])
    return bounds, gaps


def write_gaps(counts, results):
    head = ("# What posenc gets wrong, or says nothing about, by the comparison with tests/models/truth.txt; written by\n"
            "# tests/checks/transformers_parity.py --gaps. A bound is the least number of right entries of a style, with and\n"
            "# without a note about another key; and the largest numbers that posenc refuses with a reason, and that nobody measured.\n")
    with open(styles.FOLDER + "gaps.txt", "w", encoding="utf-8") as file:
        file.write(head)
        for style, count in sorted(counts.items()):
            file.write(f"bound {style} right={count['right']} noted={count['noted']} refused={count['refused']} "
                       f"unmeasured={count['unmeasured']}\n")
        file.writelines(sorted(f"{name}: {kind}, {reason}\n" for _, name, kind, reason in results
                               if kind in ("wrong", "silent")))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--gaps", action="store_true")
    parser.add_argument("--print", dest="wanted")
    options = parser.parse_args()
    results, refused_there = judge_all(options.program, options.folder)
    counts = collections.defaultdict(collections.Counter)
    for style, _, kind, _ in results:
        counts[style][kind] += 1
    for style, count in sorted(counts.items()):
        print(f"{style:22}", *(f"{kind} {count[kind]:4}" for kind in CLASSES))
    print(f"{refused_there} entries are refused by transformers itself, and not compared")
    for _, name, kind, reason in results:
        if kind == options.wanted:
            print(f"{name}: {kind}, {reason}")
    is_new = options.gaps and not os.path.exists(styles.FOLDER + "gaps.txt")
    if is_new:
        write_gaps(counts, results)
    bounds, gaps = read_gaps()
    failures = []
    for style, count in sorted(counts.items()):
        bound = bounds.get(style, {"right": 0, "noted": 0, "refused": 0, "unmeasured": 0})
        if count["right"] < bound["right"] or count["right"] + count["noted"] < bound["right"] + bound["noted"]:
            failures.append(f"{style}: {count['right']} entries are right, the bound is {bound['right']}")
        for kind in ("refused", "unmeasured"):
            if count[kind] > bound[kind]:
                failures.append(f"{style}: {count[kind]} entries are {kind}, the bound is {bound[kind]}")
    for style in sorted(set(bounds) - set(counts)):
        failures.append(f"{style}: no entry of this style was compared")
    for _, name, kind, reason in results:
        if kind in ("wrong", "silent") and name not in gaps:
            failures.append(f"{name}: {kind}, {reason}")
    left = {name for _, name, kind, _ in results if kind in ("wrong", "silent")}
    if options.gaps and not failures:
        write_gaps(counts, results)
        gaps = left
    for name in sorted(gaps - left):
        failures.append(f"{name}: is in tests/models/gaps.txt, but no longer wrong; --gaps writes the file anew")
    for failure in failures:
        print("FAIL", failure)
    print(f"{len(results) - len(failures)} passed, {len(failures)} failed")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
