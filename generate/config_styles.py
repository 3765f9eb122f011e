# SPDX-License-Identifier: MIT
"""The styles in which a config.json can say the same thing, and the records in tests/models/ about them.

generate/model_truth.py asks transformers about each style; tests/checks/transformers_parity.py asks posenc. This file needs
only Python's standard library.
"""
import copy
import json
import os
import sys

FOLDER = "tests/models/"
SAVED = "saved"
LOCAL = ("rope_local_base_freq", "local_rope_theta")
OLD_KEYS = (*LOCAL, "global_rope_theta")


def is_config(value):
    return isinstance(value, dict) and ("model_type" in value or "rope_parameters" in value)


def edited(config, change):
    """Return a copy of a config after change(dictionary) on it and on each config inside."""
    config = copy.deepcopy(config)

    def visit(value):
        change(value)
        for inner in value.values():
            if is_config(inner):
                visit(inner)
    visit(config)
    return config


def version_4(has, bases=None):
    """Return a change that writes rope_parameters as version 4 of transformers did.

    `has` is {model_type: keys of OLD_KEYS that the type reads}. `bases` are the bases to write, or None for those of
    the file.
    """
    def change(config):
        rope = config.pop("rope_parameters", None)
        if not isinstance(rope, dict):
            return
        kinds = {kind: value for kind, value in rope.items() if isinstance(value, dict)}
        main = dict(kinds.get("full_attention") or next(iter(kinds.values()), None) or rope)
        base, local = main.pop("rope_theta", None), kinds.get("sliding_attention", {}).get("rope_theta")
        if bases and base is not None:
            base, local = bases
        if base is not None:
            config["rope_theta"] = base
        if set(config.get("layer_rope_theta") or ()) == {rope.get("rope_theta")}:
            del config["layer_rope_theta"]  # a config makes this list from rope_theta, which does nothing beside it
        part = main.pop("partial_rotary_factor", None)
        if part is not None:
            config["partial_rotary_factor"] = part
        if set(main) - {"rope_type", "type"} or main.get("rope_type", "default") not in ("default", "axial"):
            config["rope_scaling"] = main
        for key in has.get(config.get("model_type"), ()):
            value = base if key not in LOCAL else local
            if value is not None:
                config[key] = value
    return change


def without(*keys):
    def change(config):
        for key in keys:
            config.pop(key, None)
    return change


def styles(saved, has):
    """Return {name of a style: config}; a style that does not change the config is left out."""
    found = {
        SAVED: saved,
        "version_4": edited(saved, version_4(has)),
        "version_4_other_base": edited(saved, version_4(has, (54321.0, 4321.0))),
        "no_rope_keys": edited(saved, without("rope_parameters")),
        "no_head_dim": edited(saved, without("head_dim")),
        "no_layer_types": edited(saved, without("layer_types")),
    }
    for name in list(found):
        if name != SAVED and found[name] == saved:
            del found[name]
    return found


def inside(config, path):
    """Return the dictionary at a path such as text_config, or None."""
    for name in path.split(".") if path != "." else ():
        config = config.get(name) if isinstance(config, dict) else None
    return config


def number(value):
    """Return a number of a config as a word: 10000.0 is 10000."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return str(value)


def replace(path, lines):
    """Write a file elsewhere and rename it at the end, so that a stopped run leaves the old file."""
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)
    os.replace(path + ".new", path)


def finish(complaints, count, what):
    """Print complaints about some of count things, then the counts; end the program, with status 1 if there are any."""
    for complaint in complaints:
        print("FAIL", complaint)
    print(f"{count} {what}: {count - len(complaints)} passed, {len(complaints)} failed")
    sys.exit(bool(complaints))


def lines_of(name):
    """Return the lines of a record without its comments."""
    with open(FOLDER + name, encoding="utf-8") as file:
        return [line for line in file.read().splitlines() if line and not line.startswith("#")]


def read_facts():
    """Return the lines of facts.txt and read.txt: (model type, {key: value}, {changed key: what changes})."""
    facts = []
    for line in lines_of("facts.txt") + lines_of("read.txt"):
        model_type, *words = line.split(" ")
        values = dict(word.split("=", 1) for word in words if "=" in word.split(">")[0])
        keys = dict(word.split(">", 1) for word in words if ">" in word and "=" not in word.split(">")[0])
        facts.append((model_type, values, keys))
    return facts


def old_keys(facts):
    """Return {model type: keys of OLD_KEYS whose change alone changes frequencies}."""
    found = {}
    for _, values, keys in facts:
        read = [key for key in OLD_KEYS if key in keys or f"{key}(alone)" in keys]
        if "type" in values and read:
            found.setdefault(values["type"], set()).update(read)
    return {key: sorted(value) for key, value in found.items()}


def read_configs():
    """Return {model type: its default config as the library saves it}."""
    return {config["model_type"]: config for config in map(json.loads, lines_of("configs.txt"))}
