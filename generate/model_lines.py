# SPDX-License-Identifier: MIT
"""model_lines.py: writes posenc's table of transformers' model types, tool/model/transformers.h.

    python3 generate/model_lines.py            writes the table
    python3 generate/model_lines.py --check    exits with status 1, and prints why, if the table is not current or if
                                               something lacks a citation

The table is made from three records in tests/models/ (facts.txt, types.txt, configs.txt) and generate/model_words.txt.
The latter has words that no record has, each with the class and the file of the library where a person read it.
tool/model/type_line.h explains the words. A word by hand replaces the measured word of the same name; "-NAME" removes it.
A word by hand that changes nothing is an error, and so is a type without a record. This file needs only Python's standard
library.
"""
import collections
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import config_styles as styles  # noqa: E402

OUTPUT, BY_HAND, ELSEWHERE = "tool/model/transformers.h", "generate/model_words.txt", "tool/model/elsewhere.h"
# The table has the defaults of these keys for each type that rotates, in this order.
SIZES = ("hidden_size", "num_attention_heads", "num_heads", "head_dim", "qk_rope_head_dim", "rotary_dim",
         "max_position_embeddings", "sliding_window", "sliding_window_pattern", "global_attn_every_n_layers",
         "full_attention_interval", "no_rope_layer_interval", "use_sliding_window", "max_window_layers", "local_attention",
         "global_head_dim", "rope_interleave", "index_head_dim", "position_embedding_type", "position_embeddings_type",
         "attention_window_size", "attn_scale", "floor_scale", "attn_temperature_tuning",
         "use_mem_rope")
WIDTH = 100  # the most columns of a line of C
DEEPEST = 4  # levels of configs within configs: an encoder may have a part of its own type


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
        words += [f"@heads={key}" for key in shorter[:1] if key not in ("num_attention_heads", "num_heads")]
        words += [f"{key}={styles.number(config[key])}" for key in hidden[:1] + shorter[:1] if config.get(key) is not None]
        if not heads:
            words.append("@head=none")
    for key in heads:
        if not shorter and config.get(key) is not None:
            words.append(f"{key}={styles.number(config[key])}")
    others = [key for key in heads if key not in ("head_dim", "qk_rope_head_dim", "rotary_dim")]
    if others and "head_dim" not in heads:
        words.append("@head=" + ",".join(others))
    if "head_dim" in heads and config.get("qk_rope_head_dim") is not None:
        words.append("@frequencies=head_dim")
    return words


def words_of_part(keys, rope):
    """Return the word that says when partial_rotary_factor counts."""
    counts = any(key.endswith("partial_rotary_factor") for key in effects(keys, "", "count"))
    linear = any(key.endswith("partial_rotary_factor") for key in effects(keys, "(linear)", "count"))
    if rope.get("rope_type", "default") == "default" and counts:
        return []
    if rope.get("rope_type") == "default" and keys and not linear:
        return ["@partial=never"]
    return ["@partial=scaled"]


def words_of_base(keys, rope, default_theta):
    """Return the words about the base and the scaling of a type whose default config has these rope_parameters."""
    old, words = effects(keys, "(alone)", "frequencies"), []
    kinds = {kind: value for kind, value in rope.items() if isinstance(value, dict)}
    local = next((key for key in styles.LOCAL if key in old), None)
    if local and set(kinds) == {"full_attention", "sliding_attention"}:
        base = "global_rope_theta" if "global_rope_theta" in old else "rope_theta"
        words += [f"{base}={styles.number(kinds['full_attention']['rope_theta'])}",
                  f"{local}={styles.number(kinds['sliding_attention']['rope_theta'])}"]
        words += [f"@base={base}"] if base != "rope_theta" else []
    else:
        for kind in sorted(kinds):
            words += [f"rope_parameters.{kind}.{key}={styles.number(value)}" for key, value in sorted(kinds[kind].items())]
    if kinds:
        return words + words_of_part(keys, {})
    if rope.get("rope_type") not in (None, "default", "axial"):
        words += [f"rope_parameters.{key}={styles.number(value)}" for key, value in sorted(rope.items())
                  if key not in ("rope_theta", "type")]
    elif rope.get("partial_rotary_factor") is not None:
        words.append(f"partial_rotary_factor={styles.number(rope['partial_rotary_factor'])}")
    if rope.get("rope_theta") is not None:
        base = "rope_theta" if not keys or "rope_theta" in old else \
            next((key for key in old if key not in styles.OLD_KEYS), None)
        if base is None:  # rope_theta counts beside rope_scaling only
            words += [f"rope_parameters.rope_theta={styles.number(rope['rope_theta'])}", f"rope_theta={default_theta}"]
        else:
            words.append(f"{base}={styles.number(rope['rope_theta'])}")
            words += [f"@base={base}"] if base != "rope_theta" else []
    return words + words_of_part(keys, rope)


def words_of_rotation(facts):
    """Return the words about pairs, direction and coordinates."""
    words = []
    main = [fact for fact in facts if "." not in fact["place"]] or facts
    for outputs in sorted({fact.get("outputs", "same") for fact in main if fact["pairs"] == "interleaved"}):
        words.append("@pairs=" + ("permuted" if outputs == "halves" else "neighbours"))
    if any(fact["sign"] == "backward" for fact in main):
        words.append("@direction=back")
    if any(int(fact.get("start", 0)) + int(fact["rotary"]) == int(fact["width"]) and "start" in fact for fact in main):
        words.append("@rotates=last")
    for text in sorted({fact["axes"] for fact in main if "axes" in fact})[:1]:
        if text.endswith("..."):
            words.append("@axes=woven" if len(set(text[:-3])) == 2 else "@order=interleaved")
        elif text.count("x") == 2:
            words.append("@axes=blocks" if main[0]["pairs"] == "other" else "@axes=halves")
        elif text.count("x") == 3:
            words += ["@sections=" + ",".join(run.split("x")[1] for run in text.split(",")), "@order=blocks"]
        else:
            counts = collections.Counter(text)
            words += ["@sections=" + ",".join(str(counts[axis]) for axis in sorted(counts)), "@order=interleaved"]
    return words


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
    still = {kinds[i] for i in range(count) if i not in layers} - {"linear_attention"}
    moving = {kinds[i] for i in range(count) if i in layers}
    return [f"@still_kinds={','.join(sorted(still))}"] if still and not still & moving else []


def period_of(layers):
    """Return the words for kinds of layers of which each n-th has full attention, from a list such as 3x,1full_attention."""
    kinds = []
    for word in filter(None, layers.split(",")):
        count, kind = re.fullmatch(r"(\d+)(\w+)", word).groups()
        kinds += [kind] * int(count)
    full = [i for i, kind in enumerate(kinds) if kind == "full_attention"]
    if not full or set(kinds) not in ({"full_attention", "sliding_attention"}, {"full_attention", "linear_attention"}):
        return {}
    name = "sliding_window_pattern" if "sliding_attention" in kinds else "full_attention_interval"
    for period in range(2, len(kinds)):
        if full == list(range(period - 1, len(kinds), period)):
            return {name: str(period)}
        if full == list(range(0, len(kinds), period)):
            return {name: str(period), "@full": "first"}
    return {}


def dictionary(words):
    """Return {name: value} of words."""
    return dict(word.split("=", 1) for word in words)


def read_types():
    """Return {model type: {name: value}} of types.txt."""
    return {line.split(" ")[0]: dictionary(line.split(" ")[1:]) for line in styles.lines_of("types.txt")}


def places_of(types):
    """Return {(model type, path): name of the type of the config there}."""
    places = {}

    def visit(top, path, name):
        places[top, path or "."] = name
        for word in filter(None, types.get(name, {}).get("parts", "").split(",")):
            key, _, of = word.partition(":")
            if path.count(".") < DEEPEST:
                visit(top, f"{path}.{key}" if path else key, of.lstrip("!"))
    for name in types:
        visit(name, "", name)
    return places


def rotating(types):
    """Return {model type: (values and keys of its class, its rotations)} from facts.txt; own facts come first."""
    places, classes, rotations = places_of(types), {}, collections.defaultdict(list)
    facts = styles.read_facts()
    for is_own in (True, False):
        for model_type, values, keys in facts:
            path = values.get("of")
            name = places.get((model_type, path))
            if path is None or is_own != (path == ".") or name is None:
                continue
            if "type" in values and (name not in classes or keys and not classes[name][1]):
                classes[name] = values, keys
            if "pairs" in values and (is_own or not rotations[name] or rotations[name][0]["from"] == (model_type, path)):
                rotations[name].append({**values, "from": (model_type, path)})
    still = {name for name, values, _ in facts if values.get("rotates") == "no" and "off" not in values}
    return {name: (*pair, rotations[name]) for name, pair in classes.items() if name not in still}


def measured_words(values, keys, rotations, known, config):
    """Return {name: value} of a type that rotates."""
    sizes = {key: known[key] for key in SIZES if key in known and key not in ("head_dim", "qk_rope_head_dim")}
    config = {**{key: value for key, value in known.items() if key in SIZES}, **config}
    rope = json.loads(values.get("default") or "null") or {}
    words = {**sizes, **period_of(known.get("layers", "")), **dictionary(words_of_width(keys, config)),
             **dictionary(words_of_base(keys, rope, known.get("default_theta", "10000")))}
    if rotations:
        words.update(dictionary(words_of_rotation(rotations)))
        words.update(dictionary(still_kinds(rotations, config)))
    if "global_attn_every_n_layers" in words:
        words.pop("sliding_window_pattern", None)
    if "rope_interleave" in words and words.get("@pairs") == "permuted":
        del words["@pairs"]
    if "qk_rope_head_dim" in words and all(fact["width"] == fact["rotary"] for fact in rotations):
        words.pop("head_dim", None)
    if words.get("position_embedding_type") == "rotary":
        del words["position_embedding_type"]
    return words


def lines():
    """Return {model type: {name: value}} of all types that the library has, as measured."""
    types, configs, found = read_types(), styles.read_configs(), {}
    moving = rotating(types)
    same_class = {(known["class"], known["file"]): name for name, known in types.items() if name in moving}
    for name, known in types.items():
        words = {}
        measured_as = name if name in moving else same_class.get((known.get("class"), known.get("file")))
        if measured_as:
            words = measured_words(*moving[measured_as], known, configs.get(measured_as, {}))
        elif "reason" not in known:
            words["@kind"] = "parts" if "parts" in known else "other"
        if "parts" in known:
            words["@parts"] = known["parts"]
        found[name] = words
    return found


def words_by_hand():
    """Return {model type: words} of model_words.txt, and {model type: where they are from}."""
    words, sources = {}, {}
    with open(BY_HAND, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("#"):
                continue
            text, mark, source = line.partition(" # ")
            name, *found = re.findall(r"(?:[^\s']|'[^']*')+", text)
            if not mark or not found or name in words:
                sys.exit(f"{BY_HAND}: {name}: a line is a type, words, and after # the class and the file; one line a type")
            words[name], sources[name] = found, [tuple(item.split(" ")) for item in source.split("; ")]
    return words, sources


def with_hand(found, by_hand):
    """Return the lines with the words by hand, and complaints about those that change nothing."""
    complaints = []
    for name, words in by_hand.items():
        line = found.setdefault(name, {})
        before = dict(line)
        if any(word.startswith("@kind=") for word in words):
            line = found[name] = {key: value for key, value in line.items() if key == "@parts"}
        for word in words:
            key, _, value = word.partition("=")
            if before.get(key.lstrip("-")) == (None if word.startswith("-") else value):
                complaints.append(f"{BY_HAND}: {name}: {word} changes nothing")
            if word.startswith("-"):
                line.pop(key[1:], None)
            else:
                line[key] = value
    return found, complaints


def citations():
    """Return the set of (class or function, file) that words by hand and facts by hand cite."""
    found = {citation for listed in words_by_hand()[1].values() for citation in listed}
    for line in styles.lines_of("read.txt"):
        found.add(tuple(dictionary(line.split(" ")[1:])["read"].split(":")))
    return found


def uncited():
    """Return complaints about citations that cited.txt lacks, and about lines of cited.txt that nothing cites."""
    recorded = {tuple(line.split(" ")[:2]) for line in styles.lines_of("cited.txt")}
    return [f"{' '.join(item)}: is cited, or is in cited.txt, but not both: run generate/model_tree.py"
            for item in sorted(recorded ^ citations())]


def elsewhere():
    """Return the number of lines of the table of other projects' types, and complaints about those without a citation."""
    count, complaints, is_cited = 0, [], False
    with open(ELSEWHERE, encoding="utf-8") as file:
        for row in file.read().split("elsewhere_types[] = {\n")[1].splitlines():
            if name := re.match(r' *\{"([^"]+)",', row):
                count += 1
                if not is_cited:
                    complaints.append(f"{ELSEWHERE}: {name[1]}: no comment above this line cites PROJECT VERSION, FILE: NAME")
            is_cited = bool(re.match(r" */\* \S+/\S+ (?:[0-9a-f]{8}|\d+\.\d+\.\d+), \S+\.\w+: \w.* \*/$", row))
    return count, complaints


def in_order(words):
    """Return the words of a line in the order of the table."""
    rank = {key: i for i, key in enumerate(SIZES)}
    return sorted(words.items(), key=lambda item: (item[0].startswith("@"), rank.get(item[0], len(rank)), item[0]))


def in_c(name, words):
    """Return a line of the table in C."""
    rows, row = [], ""
    for key, value in in_order(words):
        word = f"{key}={value}"
        for piece in re.findall(r"[^ ,]+[ ,]*", word + " "):  # a row may end after a space or a comma
            if len(row) + len(piece) > WIDTH - 9:
                rows.append(row)
                row = ""
            row += piece
    rows.append(row.rstrip(" "))
    short = f'    {{"{name}", "{rows[0]}"}},\n'
    if len(rows) == 1 and len(short) <= WIDTH + 1:
        return short
    return f'    {{"{name}",\n' + "\n".join(f'     "{row}"' for row in rows) + "},\n"


def text_of(found):
    """Return the table in C."""
    with open(styles.FOLDER + "facts.txt", encoding="utf-8") as file:
        version, day = re.search(r"transformers (\S+) rotates, asked on (\S+);", file.readline()).groups()
    return f'''/* SPDX-License-Identifier: MIT */
/* Lists the model types of transformers {version}, as its code was on {day}. An entry says what
 * models of the type mean by the keys that their config.json leaves out. type_line.h explains the
 * format of an entry.
 *
 * Made from tests/models/ and generate/model_words.txt by generate/model_lines.py; do not edit. */
#ifndef TOOL_TRANSFORMERS_H
#define TOOL_TRANSFORMERS_H

#include "type_line.h"

#define TYPES_CHECKED "{day}"
#define TYPES_TRANSFORMERS "{version}"

static const type_line transformers_types[] = {{
''' + "".join(in_c(name, words) for name, words in sorted(found.items()) if words) + "};\n\n#endif\n"


def main():
    found, complaints = with_hand(lines(), words_by_hand()[0])
    text = text_of(found)
    with open(OUTPUT, encoding="utf-8") as file:
        is_current = file.read() == text
    count = len(found)
    if sys.argv[1:] == ["--check"]:
        others, uncited_others = elsewhere()
        count += others
        complaints += uncited() + uncited_others
        complaints += [] if is_current else [f"{OUTPUT} is not what generate/model_lines.py makes"]
    elif sys.argv[1:]:
        sys.exit(__doc__)
    elif not is_current:
        styles.replace(OUTPUT, text.splitlines())
    styles.finish(complaints, count, "lines")


if __name__ == "__main__":
    main()
