# SPDX-License-Identifier: MIT
"""Changes one or two keys of each model type's default config, and compares posenc with the installed transformers.

    build/peers/bin/python tests/checks/changed_keys.py POSENC DIR [--every N] [--pairs N] [--only TYPE]

The other styles of files say in another way what the default config says. Here, the files say something else. A width,
a base or a share has another value, or a key is missing. There is a key that only other model types read, or another
scaling. An object for one kind of layers lacks a key. What a file means is what the library computes from it.
Each change is tried alone, and --pairs N tries N random pairs of changes of each config.
--every N takes only each Nth type. A file that the library refuses is not compared. transformers_parity.py documents
the classes of results; "wrong" and "silent" fail. So does a type of which no file was compared.
Prints "N passed, N failed".
"""
import argparse
import collections
import copy
import json
import multiprocessing
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../../generate"), HERE]
import config_styles as styles  # noqa: E402
import model_facts  # noqa: E402
import model_library as library  # noqa: E402
import model_truth  # noqa: E402
import transformers_parity as parity  # noqa: E402

SECONDS = 300  # the CPU time that one model type may take
# The config of these types has a base for each layer, and the library builds the class once for each of them. The
# frequencies of the class itself, which are compared here, are not used.
UNUSED = {"granite_swa", "granitemoe_swa"}
# Each is tried where the default config does not have it.
NEW = {key: value for key, value in model_facts.EXTRA.items() if key != "max_position_embeddings"}
SIZES = {"head_dim", "hidden_size", "num_attention_heads", "partial_rotary_factor", "rope_theta"}
SCALINGS = {
    "linear": {"factor": 4.0},
    "dynamic": {"factor": 4.0},
    "yarn": {"factor": 4.0, "original_max_position_embeddings": 4096},
    "llama3": {"factor": 4.0, "original_max_position_embeddings": 4096, "low_freq_factor": 1.0, "high_freq_factor": 4.0},
}
BASE, SHARE = 54321.0, 0.25
FACTS = parity.Facts()


def changes_of_scaling():
    """Yield (name, function that changes a config) for each way to write a scaling of the whole model."""
    def replaced(key, value):
        def change(config):
            config.pop("rope_parameters", None)
            config[key] = copy.deepcopy(value)
        return change

    def with_base(config):
        replaced("rope_scaling", old)(config)
        config["rope_theta"] = BASE
    for name, numbers in SCALINGS.items():
        new, old = {"rope_type": name, **numbers}, {"type": name, **numbers}
        yield f"rope_scaling {name}", replaced("rope_scaling", new)
        yield f"rope_scaling {name} by type, with rope_theta", with_base
        yield f"rope_parameters {name}", replaced("rope_parameters", new)
        yield f"rope_parameters {name} with rope_theta", replaced("rope_parameters", {**new, "rope_theta": BASE})
        yield f"rope_parameters {name} with a share", replaced("rope_parameters", {**new, "partial_rotary_factor": SHARE})
    plain = {"rope_type": "default", "rope_theta": BASE}
    yield "rope_parameters with rope_theta", replaced("rope_parameters", plain)
    yield "rope_parameters with rope_theta and a share", \
        replaced("rope_parameters", {**plain, "partial_rotary_factor": SHARE})
    yield "rope_parameters with rope_theta alone", replaced("rope_parameters", {"rope_theta": BASE})
    yield "rope_parameters empty", replaced("rope_parameters", {})
    yield "rope_parameters null", replaced("rope_parameters", None)


def changes_of_objects(rope, kinds):
    """Yield changes of rope_parameters with an object for each kind of layers."""
    def inner(kind, change):
        return lambda config: change(config["rope_parameters"][kind])
    for kind in kinds:
        for key in rope[kind]:
            value = model_facts.changed(rope[kind][key])
            if value is not None:
                yield f"{kind}.{key}={value}", inner(kind, lambda part, key=key, value=value: part.update({key: value}))
            yield f"{kind}.{key} missing", inner(kind, lambda part, key=key: part.pop(key))
        yield f"{kind}.partial_rotary_factor={SHARE}", inner(kind, lambda part: part.update(partial_rotary_factor=SHARE))
        yield f"{kind} yarn", inner(kind, lambda part: part.update({"rope_type": "yarn", **SCALINGS["yarn"]}))
        yield f"{kind} missing", lambda config, kind=kind: config["rope_parameters"].pop(kind)
        yield f"{kind} null", lambda config, kind=kind: config["rope_parameters"].update({kind: None})

    def stripped(key, outside=None):
        def change(config):
            for kind in kinds:
                config["rope_parameters"][kind].pop(key, None)
            if outside is not None:
                config[key] = outside
        return change
    yield "objects without a share", stripped("partial_rotary_factor")
    yield "objects without a share, beside one", stripped("partial_rotary_factor", 0.5)
    yield "objects without a base", stripped("rope_theta")
    yield "objects without a base, beside one", stripped("rope_theta", BASE)
    yield "rope_scaling with the objects", lambda config: config.update(rope_scaling=config.pop("rope_parameters"))


def changes_of(base, read):
    """Yield (name, function that changes a config) for a config whose keys `read` change frequencies."""
    for key in sorted(set(base) & read):
        value = model_facts.changed(base[key])
        if value is not None:
            yield f"{key}={value}", lambda config, key=key, value=value: config.update({key: value})
        yield f"{key} missing", lambda config, key=key: config.pop(key)
    for key, value in NEW.items():
        if base.get(key) is None:
            yield f"{key}={value}", lambda config, key=key, value=value: config.update({key: value})
            yield f"{key}={value} without rope_parameters", \
                lambda config, key=key, value=value: (config.pop("rope_parameters", None), config.update({key: value}))
    yield from changes_of_scaling()
    rope = base.get("rope_parameters") or {}
    kinds = [kind for kind, value in rope.items() if isinstance(value, dict)]
    if kinds:
        yield from changes_of_objects(rope, kinds)
        return
    for key in rope:
        value = model_facts.changed(rope[key])
        if value is not None:
            yield f"rope_parameters.{key}={value}", \
                lambda config, key=key, value=value: config["rope_parameters"].update({key: value})
        yield f"rope_parameters.{key} missing", lambda config, key=key: config["rope_parameters"].pop(key)
    yield f"rope_parameters.partial_rotary_factor={SHARE}", \
        lambda config: config["rope_parameters"].update(partial_rotary_factor=SHARE)


def pairs_of(changes, count, seed):
    """Yield (name, function) for a number of random pairs of changes."""
    rng = random.Random(seed)
    for _ in range(count):
        (name, first), (other, second) = rng.sample(changes, 2)

        def change(config, first=first, second=second):
            first(config)
            second(config)
        yield f"{name}, {other}", change


def fact_for(fact, before, now):
    """Return a fact of a class with `before` frequencies as it is with `now`: the order of pairs has another length."""
    if not fact or before == now:
        return fact
    order = fact.get("order", "same")
    if "order" not in fact and int(fact["moves"]) == 2 * before:
        order = "twice"
    elif "," in order:
        indices = [int(x) for x in order.split(",")]
        if indices == [i for i in range(before) for _ in range(2)]:
            order = ",".join(str(i) for i in range(now) for _ in range(2))
        elif indices == list(range(before)) * 2:
            order = "twice"
    return {**fact, "order": order}


def judge_type(argument):
    """Return [(name of a changed file, class of the result, reason)] of a model type."""
    program, folder, model_type, keys, classes, read, pairs = argument
    found, path_of_file = [], os.path.join(folder, f"changed.{model_type}.json".replace(":", "."))
    try:
        with library.quiet(), library.at_most(SECONDS):
            for path in sorted({path for _, path in classes}):
                own = [entry for entry in classes if entry[1] == path]
                start = model_truth.truth_of(model_type, copy.deepcopy(keys), own)
                before = {entry[:3]: len(entry[3]) for entry in ((p, n, k, v) for p, n, k, v, _ in start) if entry[3]}
                changes = list(changes_of(styles.inside(keys, path), read))
                for name, change in changes + list(pairs_of(changes, pairs, f"{model_type} {path}")):
                    config = copy.deepcopy(keys)
                    try:
                        change(styles.inside(config, path))
                    except (AttributeError, KeyError, TypeError):
                        continue  # the key or its object is not there, or no longer
                    # The library keeps and changes the objects of what it loads.
                    truths = [t for t in model_truth.truth_of(model_type, copy.deepcopy(config), own) if t[3] is not None]
                    if not truths:
                        found.append((f"{model_type} {path} {name}", "refused there", ""))
                        continue
                    with open(path_of_file, "w", encoding="utf-8") as file:
                        json.dump(config, file)
                    status, parts, text = parity.show(program, path_of_file)
                    for place, class_name, kind, values, factor in truths:
                        fact = FACTS.of(model_type, place, class_name, kind)[0]
                        fact = fact_for(fact, before.get((place, class_name, kind), len(values)), len(values))
                        entry = {"path": place, "frequencies": values, "factor": float(factor), "fact": fact, "own": False,
                                 "only": len({p for _, p in classes}) == 1, "unmeasured": class_name not in FACTS.measured,
                                 "still": class_name in FACTS.still, "alike": []}
                        result, reason = parity.judge(entry, status, parts, text)
                        if result == "silent" and status == 1 and any(part.get("wrong") for part in parts):
                            result = "refused"  # the file as a whole, though not by the name of this config
                        found.append((f"{model_type} {place} {kind} {name}", result,
                                      f"{reason}; {len(values)} frequencies, the last is {values[-1]:.6g}"))
    except library.TooLate:
        found.append((model_type, "late", f"{SECONDS} s were not enough"))
    if not any(result in parity.CLASSES for _, result, _ in found):
        found.append((model_type, "late", "no file was compared"))
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=0)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    facts, configs = styles.read_facts(), styles.read_configs()
    classes, read = model_truth.rotary_classes(facts), collections.defaultdict(lambda: set(SIZES))
    for model_type, values, keys in facts:
        if "type" in values:
            read[model_type] |= {key.split("(")[0] for key in keys if not key.startswith("rope_parameters")}
    types = [name for name in sorted(configs) if classes[name] and name not in UNUSED]
    types = [name for name in types if name in options.only.split(",")] if options.only else types[::options.every]
    tasks = [(options.program, options.folder, name, configs[name], classes[name], read[name], options.pairs)
             for name in types]
    counts, failures = collections.Counter(), []
    with multiprocessing.get_context("fork").Pool(2, maxtasksperchild=60) as pool:
        for found in pool.imap_unordered(judge_type, tasks):
            for name, result, reason in found:
                counts[result] += 1
                if result in ("wrong", "silent", "late"):
                    failures.append(f"{name}: {result}, {reason}")
    print(f"changed keys of {len(types)} types:", *(f"{name} {count}" for name, count in sorted(counts.items())))
    for failure in sorted(failures):
        print("FAIL", failure)
    print(f"{sum(counts[name] for name in parity.CLASSES) - len(failures)} passed, {len(failures)} failed")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
