# SPDX-License-Identifier: MIT
"""model_types.py: the values of absent keys in tool/model/transformers.h against the config classes of transformers.

Each line's KEY=VALUE is compared with the attribute of the class that AutoConfig has for that model_type, or with
its rope_parameters. Facts that no config class has (@pairs ...), and types whose code is beside the weights, are
counted as left out. `PYTHONPATH=tests/checks/stub` runs it with a stand-in for transformers.
"""
import re
import shlex
import sys

import transformers

LOCAL = ("rope_local_base_freq", "local_rope_theta", "swa_rope_theta")
same = left_out = 0
different = []


def lines():
    """(model_type, {key: text}) of each line."""
    table = open("tool/model/transformers.h").read().split("transformers_types[] = {")[1].split("};")[0]
    for name, facts in re.findall(r'\{"([^"]+)",\s*((?:"[^"]*"\s*)+)\}', table):
        words = shlex.split("".join(re.findall(r'"([^"]*)"', facts)))
        yield name, dict(word.split("=", 1) for word in words)


def value_of(config, key):
    """What an object of the config class has for a key, or None."""
    scaling = getattr(config, "rope_parameters", None) or {}
    kinds = [v for v in scaling.values() if isinstance(v, dict)]
    if key in LOCAL or key == "compress_rope_theta":
        scaling = scaling.get("compress" if key not in LOCAL else "sliding_attention", {})
        key = "rope_theta" if scaling else key
    elif kinds:
        scaling = scaling.get("full_attention") or scaling.get("main") or {}
    for name in (key, {"rotary_emb_base": "rope_theta", "rotary_pct": "partial_rotary_factor"}.get(key, key)):
        if scaling.get(name) is not None:
            return scaling[name]
        if getattr(config, name, None) is not None:
            return getattr(config, name)
    return None


def is_same(text, value):
    if isinstance(value, (bool, str)):
        return text == str(value).lower() or (text == "nope" and value == "none")
    return float(text) == float(value)


for model_type, facts in lines():
    try:
        config = transformers.AutoConfig.for_model(model_type)
    except (ValueError, KeyError):
        left_out += 1
        continue
    for key, text in facts.items():
        value = None if key.startswith(("@", "rope_parameters.")) else value_of(config, key)
        if value is None:
            left_out += 1
        elif is_same(text, value):
            same += 1
        else:
            different.append(f"{model_type}: {key} is {value}, not {text}")
for line in different:
    print("FAIL", line)
print(f"transformers {transformers.__version__}: {same} passed, {len(different)} failed, {left_out} skipped")
sys.exit(bool(different) or not same)
