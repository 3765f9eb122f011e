#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""readers.py POSENC: checks that transformers 4 reads files as `posenc show` says.

With the keys that `posenc show` says to add, it must read them as transformers 5 does. The check runs in an environment
that has transformers 4.57.6 (tests/requirements/readers.txt), without torch. It compares the numbers of the configs
that the library loads, from which its rotations are made.
"""
import json
import os
import subprocess
import sys
import tempfile

import transformers

LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 8192}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}
LISTS = {"rope_type": "longrope", "short_factor": [1.0, 1.5] * 24, "long_factor": [2.0, 4.5] * 24,
         "original_max_position_embeddings": 4096}
# Each entry is a model type, its rope_parameters, and the base that the class of transformers 4 has as its default.
FILES = [("llama", {"rope_theta": 500000.0, **LLAMA3}, 10000.0), ("qwen3", {"rope_theta": 1000000.0, **YARN}, 10000.0),
         ("mistral", {"rope_theta": 1000000.0, "rope_type": "default"}, 10000.0),
         ("qwen2", {"rope_theta": 5000000.0, "rope_type": "linear", "factor": 2.0}, 10000.0),
         ("phi3", {"rope_theta": 20000.0, **LISTS}, 10000.0),
         ("gpt_oss", {"rope_theta": 170000.0, "rope_type": "default"}, 150000.0)]
passed = failed = 0


def check(what, good, seen=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    print(f"{'ok  ' if good else 'FAIL'} {what} {'' if good else seen}".rstrip())


def loaded(folder, file):
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as to:
        json.dump(file, to)
    return transformers.AutoConfig.from_pretrained(folder)


def scaling_of(config):
    """Returns the keys of rope_scaling that the library did not add."""
    return {k: v for k, v in (getattr(config, "rope_scaling", None) or {}).items() if k not in ("type", "rope_theta")}


def main():
    check("transformers 4.57", transformers.__version__.startswith("4.57."), transformers.__version__)
    with tempfile.TemporaryDirectory() as folder:
        for name, parameters, usual in FILES:
            file = {"model_type": name, "head_dim": 96, "hidden_size": 384, "num_attention_heads": 4,
                    "max_position_embeddings": 131072, "rope_parameters": parameters}
            alone = loaded(folder, file)
            own = json.loads(subprocess.run([sys.argv[1], "show", "--json", folder], stdout=subprocess.PIPE).stdout)
            readers = own["readers"]
            check(f"{name}: rope_parameters alone is the base of the class", alone.rope_theta == usual, alone.rope_theta)
            if name != "gpt_oss":
                check(f"{name}: and nothing is scaled", not getattr(alone, "rope_scaling", None), alone)
            check(f"{name}: posenc says so", len(readers) == 1 and readers[0]["reader"] == "transformers 4", readers)
            file.update(readers[0]["add"])
            added = loaded(folder, file)
            check(f"{name}: the added base counts", added.rope_theta == parameters["rope_theta"], added.rope_theta)
            wanted = {k: v for k, v in parameters.items() if k != "rope_theta"}
            if name == "phi3":
                trained = wanted.pop("original_max_position_embeddings")
                check("phi3: the added length counts", added.original_max_position_embeddings == trained, added)
                wanted.pop("rope_type")
            if parameters["rope_type"] != "default":
                check(f"{name}: the added scaling counts", scaling_of(added) == wanted, (scaling_of(added), wanted))
            again = subprocess.run([sys.argv[1], "show", "--json", folder], stdout=subprocess.PIPE).stdout
            check(f"{name}: then nothing is said", json.loads(again)["readers"] == [], again[-200:])
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
