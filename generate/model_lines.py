# SPDX-License-Identifier: MIT
"""model_lines.py: write the facts about model types as lines of the program's table (tool/model/type_line.h).

    python3 generate/model_lines.py [--compare tool/model/transformers.h]

Makes tests/models/lines.txt from facts.txt and configs.txt in the same folder: for each model type of transformers that
rotates, the words that were measured. --compare prints where a table says something else instead: a word about pairs,
the direction, sections, the base or the width that differs or is missing. Words that nothing here measures (sizes that
only make a message clearer, windows, reasons of refusals) are left to the table.
"""
import argparse
import collections
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import config_styles as styles  # noqa: E402

OUTPUT = "tests/models/lines.txt"
# A word of a table is compared if its name is one of these.
COMPARED = ("head_dim", "rope_theta", "partial_rotary_factor", "@pairs", "@direction", "@sections", "@rotates", "@axes",
            "@reads", "@partial")


def number(value):
    """Return a number of a config as a word: 10000.0 is 10000."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return str(value)


def effects(keys, mark, what):
    """Return {key: (before, after)} of keys that change a count, or the set of keys that change frequencies."""
    found = {}
    for name, text in keys.items():
        if not name.endswith(mark) or (not mark and "(" in name):
            continue
        match = re.search(rf"(?:^|\+){what}(?::\w+)?(?:=(\d+)to(\d+))?", text)
        if match:
            found[name[:len(name) - len(mark)] if mark else name] = (int(match[1] or 0), int(match[2] or 0))
    return found


def words_of_width(keys, config):
    """Return the words about the width of a head."""
    empty, given = effects(keys, "(empty)", "count"), effects(keys, "", "count")
    longer = [key for key, (old, new) in empty.items() if new == 2 * old]
    shorter = [key for key, (old, new) in empty.items() if new < old]
    words = []
    heads = [key for key in ("head_dim", "qk_rope_head_dim", "rotary_dim", "kv_channels", "attention_head_dim")
             if key in given or key in empty]
    if shorter:  # the width is hidden / heads
        hidden = [key for key in longer if key not in heads]
        words += [f"@hidden={key}" for key in hidden[:1] if key != "hidden_size"]
        words += [f"@heads={key}" for key in shorter[:1] if key != "num_attention_heads"]
        words += [f"{key}={number(config[key])}" for key in hidden[:1] + shorter[:1] if config.get(key) is not None]
        if not heads:
            words.append("@head=none")
    for key in heads:
        if not shorter and config.get(key) is not None:
            words.append(f"{key}={number(config[key])}")
    others = [key for key in heads if key not in ("head_dim", "qk_rope_head_dim", "rotary_dim")]
    if others and "head_dim" not in heads:
        words.append("@head=" + ",".join(others))
    return words


def words_of_base(keys, default, config):
    """Return the words about the base, the scaling and the part of a head that rotates."""
    words = []
    rope = json.loads(default) if default and default != "null" else {}
    kinds = {kind: value for kind, value in rope.items() if isinstance(value, dict)}
    for kind in sorted(kinds):
        words += [f"rope_parameters.{kind}.{key}={number(value)}" for key, value in sorted(kinds[kind].items())]
    if not kinds and rope.get("rope_type") not in (None, "default", "axial"):
        words += [f"rope_parameters.{key}={number(value)}" for key, value in sorted(rope.items()) if key != "rope_theta"]
    if not kinds and rope.get("rope_theta") is not None:
        words.append(f"rope_theta={number(rope['rope_theta'])}")
    if not kinds and rope.get("rope_type") in ("default", "axial") and rope.get("partial_rotary_factor") is not None:
        words.append(f"partial_rotary_factor={number(rope['partial_rotary_factor'])}")
    old = effects(keys, "(alone)", "frequencies")
    if kinds:
        words.append("@kinds=" + ",".join(sorted(kinds)))
    if rope and not kinds and "rope_theta" not in old:
        others = [key for key in old if key not in ("rope_theta", *styles.OLD_KEYS)]
        words.append(f"@base={others[0]}" if others else "@reads=new")
    part = effects(keys, "", "count")
    counts_default = any(key.endswith("partial_rotary_factor") for key in part)
    counts_linear = any(key.endswith("partial_rotary_factor") for key in effects(keys, "(linear)", "count"))
    if rope and not kinds and not counts_default and rope.get("rope_type") == "default":
        words.append("@partial=scaled" if counts_linear else "@partial=never")
    return words


def words_of_rotation(facts):
    """Return the words about pairs, direction, coordinates and layers, and a list of what no word says."""
    words, left = [], []
    main = [fact for fact in facts if "." not in fact["place"]] or facts
    pairs = {(fact["pairs"], fact.get("outputs", "same")) for fact in main}
    for name, outputs in sorted(pairs):
        if name == "interleaved":
            words.append("@pairs=" + ("permuted" if outputs == "halves" else "neighbours"))
        elif name == "other" and main[0].get("axes", "").count("x") != 2:
            left.append("pairs")
    if any(fact["sign"] == "backward" for fact in main):
        words.append("@direction=back")
    if any(int(fact.get("start", 0)) + int(fact["rotary"]) == int(fact["width"]) and "start" in fact for fact in main):
        words.append("@rotates=last")
    axes = {fact["axes"] for fact in main if "axes" in fact}
    for text in sorted(axes)[:1]:
        if text.endswith("..."):
            words.append("@axes=woven" if len(set(text[:-3])) == 2 else "@order=interleaved")
        elif text.count("x") == 2:
            words.append("@axes=blocks" if main[0]["pairs"] == "other" else "@axes=halves")
        elif text.count("x") == 3:
            words += ["@sections=" + ",".join(run.split("x")[1] for run in text.split(",")), "@order=blocks"]
        else:
            counts = collections.Counter(text)
            words += ["@sections=" + ",".join(str(counts[axis]) for axis in sorted(counts)), "@order=interleaved"]
    return words, left


def still_kinds(facts, config):
    """Return the word about kinds of layers none of which rotates, while all other layers do."""
    layers, kinds = set(), config.get("layer_types")
    for fact in facts:
        listed, _, count = fact.get("layers", "").partition("/")
        for word in filter(None, listed.split(",")):
            first, _, last = word.partition("-")
            layers |= set(range(int(first), int(last or first) + 1))
        if not count or not kinds:
            return []
    count = min(len(kinds), 8)
    still = {kinds[i] for i in range(count) if i not in layers}
    moving = {kinds[i] for i in range(count) if i in layers}
    return [f"@still_kinds={','.join(sorted(still))}"] if still and not still & moving else []


def lines():
    """Return {model type: words}."""
    classes, rotations, parts = {}, collections.defaultdict(list), collections.defaultdict(dict)
    for model_type, values, keys in styles.read_facts():
        if "type" in values and values["of"] == ".":
            classes.setdefault(model_type, (values, keys))
        elif "type" in values:
            parts[model_type][values["of"]] = values["type"]
        elif "pairs" in values and values.get("of") == ".":
            rotations[model_type].append(values)
    configs, found = styles.read_configs(), {}
    for model_type in sorted(set(classes) | set(parts)):
        config, words, left = configs.get(model_type, {}), [], []
        if model_type in classes:
            values, keys = classes[model_type]
            words += words_of_width(keys, config) + words_of_base(keys, values.get("default"), config)
            if rotations[model_type]:
                more, left = words_of_rotation(rotations[model_type])
                words += more + still_kinds(rotations[model_type], config)
            else:
                left.append("the rotation")
        else:
            words.append("@kind=parts")
        if parts[model_type]:
            words.append("@parts=" + ",".join(f"{path}:{name}" for path, name in sorted(parts[model_type].items())))
        if left:
            words.append("@unmeasured='" + ", ".join(left) + "'")
        found[model_type] = words
    return found


def compare(table, found):
    """Print where a table of the program differs from what was measured; return the number of differences."""
    with open(table, encoding="utf-8") as file:
        text = file.read()
    differences = 0
    for name, strings in re.findall(r'\{"([^"]+)",\s*((?:"[^"]*"\s*)+)\}', text):
        line = dict(word.split("=", 1) for word in re.findall(r"(?:[^\s']|'[^']*')+", "".join(
            re.findall(r'"([^"]*)"', strings))) if "=" in word)
        mine = dict(word.split("=", 1) for word in found.get(name, []))
        for key in COMPARED if name in found else ():
            if line.get(key) != mine.get(key):
                differences += 1
                print(f"{name}: {key} is {line.get(key)} in the table, {mine.get(key)} was measured")
    for name in sorted(set(found) - set(re.findall(r'\{"([^"]+)",', text))):
        differences += 1
        print(f"{name}: no line in the table; measured: {' '.join(found[name])}")
    return differences


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compare")
    options = parser.parse_args()
    found = lines()
    if options.compare:
        print(f"{compare(options.compare, found)} differences")
        return
    with open(styles.FOLDER + "facts.txt", encoding="utf-8") as file:
        version = re.search(r"transformers (\S+) rotates, asked on (\S+);", file.readline())
    with open(OUTPUT, "w", encoding="utf-8") as file:
        file.write(f"# Lines of a table as tool/model/type_line.h explains, of transformers {version[1]} on {version[2]}; "
                   "made from facts.txt by generate/model_lines.py\n")
        file.writelines(f'    {{"{name}", "{" ".join(words)}"}},\n' for name, words in found.items())
    print(f"{len(found)} lines")


if __name__ == "__main__":
    main()
