# SPDX-License-Identifier: MIT
"""model_truth.py: records the frequencies and attention factors that transformers loads from config.json files.

    build/peers/bin/python generate/model_truth.py                     writes tests/models/ anew, after model_facts.py
    build/peers/bin/python generate/model_truth.py --check STYLE|all   compares the record with the installed library

* configs.txt has each model type's default config, as the library saves it.
* truth.txt has the numbers that a rotary class has after the library has loaded exactly one JSON text. There is one
  entry for each inner config with a rotary class and each style in which the file can be written (config_styles.py).
* variants.txt has the same for random rope_parameters of each scaling, with LlamaRotaryEmbedding.
* frequencies.txt has each list of numbers once. Every number is float32, so 9 digits are exact.
"""
import argparse
import collections
import hashlib
import json
import multiprocessing
import os
import random
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import config_styles as styles  # noqa: E402
import model_library as library  # noqa: E402

VARIANTS = 70  # the number of random variants of each scaling
SECONDS = 60   # the CPU time that one model type may take


def digits(values):
    return " ".join(f"{x:.9g}" for x in values)


def name_of(values):
    """Return the name of a list of numbers: its length, and a few digits of a hash."""
    return f"{len(values)}-{hashlib.sha256(digits(values).encode()).hexdigest()[:8]}"


class Record:
    """Collect lists of frequencies, each of which has a name and is written once."""

    def __init__(self):
        self.lists = {}

    def add(self, values):
        name = name_of(values)
        self.lists[name] = digits(values)
        return name


def saved_config(model_type):
    """Return the default config of a model type as save_pretrained writes it, without names of labels."""
    config = library.CONFIG_MAPPING[model_type]()
    keys = styles.edited(json.loads(config.to_json_string(use_diff=True)),
                         styles.without("transformers_version", "id2label", "label2id", "label_names"))
    for _ in range(4):
        try:
            library.load_config(model_type, {key: value for key, value in keys.items() if key != "model_type"})
            break
        except Exception as error:
            try:
                library.drop_field(keys, error)
            except Exception:
                break
    keys["model_type"] = model_type  # the library saves some types under a name that it does not load
    return keys


def rotary_classes(facts):
    """Return {model type: [(class, path of its config)]} from facts.txt."""
    found = collections.defaultdict(list)
    for model_type, values, _ in facts:
        if "type" in values:
            found[model_type].append((values["class"], values["of"]))
    return found


def class_named(config, name):
    """Return the class of a modeling file beside a config or beside a config inside."""
    for _, sub in library.sub_configs(config):
        for module in library.modeling_modules(type(sub)):
            if hasattr(module, name):
                return getattr(module, name)
    raise LookupError(f"no class {name}")


def one_line(error):
    return " ".join(f"{type(error).__name__}: {error}".split())[:120].replace(" ", "_")


def truth_of(model_type, keys, classes):
    """Return [(path, class, kind, frequencies or None, factor or reason)] of a config.json with these keys."""
    try:
        config = library.load_config(model_type, {k: v for k, v in keys.items() if k != "model_type"})
    except Exception as error:
        return [(path, name, "-", None, one_line(error)) for name, path in classes]
    found = []
    for name, path in classes:
        try:
            module = class_named(config, name)(library.config_at(config, "" if path == "." else path))
            for kind, (values, factor) in library.numbers(module).items():
                found.append((path, name, kind or "-", values, f"{factor:.9g}"))
        except Exception as error:
            found.append((path, name, "-", None, one_line(error)))
    return found


def work(argument):
    """Return (model type, {style: truths}) of a model type."""
    model_type, keys, has, classes, wanted = argument
    result = {}
    try:
        with library.quiet(), library.at_most(SECONDS):
            for style, config in styles.styles(keys, has).items():
                if wanted in ("all", style):
                    result[style] = truth_of(model_type, config, classes)
            for path in sorted({path for _, path in classes if path != "."}) if wanted in ("all", "alone") else ():
                alone = styles.inside(keys, path)
                if alone and alone.get("model_type") in library.CONFIG_MAPPING_NAMES:
                    inner = [(name, ".") for name, where in classes if where == path]
                    result[f"alone:{path}"] = truth_of(alone["model_type"], alone, inner)
    except library.TooLate:
        pass
    return model_type, result


def variant(rng, scaling):
    """Return a random config for LlamaRotaryEmbedding with a scaling."""
    heads, head_dim = rng.choice([4, 8, 16, 32]), rng.choice([32, 64, 80, 96, 128, 192, 256])
    trained = rng.choice([2048, 4096, 8192, 32768])
    factor = rng.choice([1.0, 1.5, 2.0, 3.7, 4.0, 8.0, 16.0, 32.0, 40.0])
    rope = {"rope_type": scaling, "rope_theta": rng.choice([10000, 10000.0, 150000.0, 500000.0, 1000000.0, 8000000.0])}
    part = rng.choice([None, None, None, 0.25, 0.4, 0.5, 0.75])
    if part:
        rope["partial_rotary_factor"] = part
    pairs = int(head_dim * (part or 1.0)) // 2
    if scaling != "default":
        rope["factor"] = factor
    if scaling in ("yarn", "longrope", "llama3"):
        rope["original_max_position_embeddings"] = trained
    if scaling == "yarn":
        for key, values in (("beta_fast", [16, 32, 64.0]), ("beta_slow", [1, 2, 4.0]), ("mscale", [0.707, 1.0]),
                            ("mscale_all_dim", [0.0, 0.707, 1.0]), ("truncate", [True, False]),
                            ("attention_factor", [0.8, 1.0, 1.3])):
            if rng.random() < 0.35:
                rope[key] = rng.choice(values)
    if scaling == "longrope":
        rope["short_factor"] = [round(rng.uniform(1, 2), 3) for _ in range(pairs)]
        rope["long_factor"] = [round(rng.uniform(1, 60), 3) for _ in range(pairs)]
        if rng.random() < 0.5:
            del rope["factor"]
        if rng.random() < 0.3:
            rope["attention_factor"] = rng.choice([1.0, 1.19])
    if scaling == "llama3":
        rope["low_freq_factor"], rope["high_freq_factor"] = rng.choice([1.0, 2.0]), rng.choice([4.0, 8.0])
    length = int(trained * rng.choice([1, factor, factor]))
    return {"model_type": "llama", "hidden_size": heads * head_dim, "num_attention_heads": heads, "head_dim": head_dim,
            "num_hidden_layers": 2, "max_position_embeddings": length, "rope_parameters": rope}


def variant_truth(config, record):
    """Return the truths of a variant: [length or "-", name of the frequencies, factor] after each length."""
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding
    rope, length = config["rope_parameters"], config["max_position_embeddings"]
    keys = {key: value for key, value in json.loads(json.dumps(config)).items() if key != "model_type"}
    def module():
        return LlamaRotaryEmbedding(library.load_config("llama", json.loads(json.dumps(keys))))
    try:
        values, factor = library.numbers(module())[""]
    except Exception as error:
        return [["-", None, one_line(error)]]
    found = [["-", record.add(values), f"{factor:.9g}"]]
    if rope["rope_type"] in ("dynamic", "longrope"):
        trained = rope.get("original_max_position_embeddings", length)
        for far in (trained // 2, trained + 6, length, 2 * length + 4):
            called = module()  # a new one each time, because it keeps the frequencies of a longer text
            called(library.torch.zeros(1, 1, 8), library.torch.tensor([[far - 1]]))
            values, factor = library.numbers(called)[""]
            found.append([far, record.add(values), f"{factor:.9g}"])
    return found


def variants(record):
    """Return the lines of variants.txt."""
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
    rng = random.Random(20261128)
    lines = []
    with library.quiet():
        for scaling in sorted({*ROPE_INIT_FUNCTIONS, "default"}):
            for _ in range(VARIANTS):
                config = variant(rng, scaling)
                line = {"config": config, "truth": variant_truth(config, record)}
                lines.append(json.dumps(line, separators=(",", ":")))
    return lines


def measured(wanted, configs, facts, jobs):
    """Return the lines of truth.txt as {(type, path, class, kind, frequencies, factor): styles} and the lists."""
    record, classes, has = Record(), rotary_classes(facts), styles.old_keys(facts)
    truths = collections.defaultdict(list)
    tasks = [(name, configs[name], has, classes[name], wanted) for name in sorted(configs) if classes[name]]
    with multiprocessing.get_context("fork").Pool(jobs, maxtasksperchild=90) as pool:
        for model_type, result in pool.imap_unordered(work, tasks):
            for style, found in result.items():
                for path, name, kind, values, factor in found:
                    numbers = record.add(values) if values is not None else "-"
                    truths[model_type, path, name, kind, numbers, factor].append(style)
    return truths, record


def text_of(truths):
    return sorted(" ".join([*key[:4], ",".join(found), *key[4:]]) for key, found in truths.items())


def check(wanted, jobs):
    """Print where the installed library differs from the record, and return whether it is the same."""
    facts, configs = styles.read_facts(), styles.read_configs()
    truths, record = measured(wanted, configs, facts, jobs)

    def pairs(lines):
        rows = set()
        for line in lines:
            model_type, path, name, kind, listed, numbers, factor = line.split(" ")
            rows |= {(model_type, style, path, name, kind, numbers, factor) for style in listed.split(",")
                     if wanted == "all" or style.split(":")[0] == wanted}
        return rows
    old, new = pairs(styles.lines_of("truth.txt")), pairs(text_of(truths))
    if wanted == "all":
        kept = styles.lines_of("variants.txt")
        now = variants(record)
        old |= {("variant", line) for line in kept}
        new |= {("variant", line) for line in now}
        known = set(library.model_types())
        for model_type in sorted(set(configs) - known):
            print(f"gone: the model type {model_type}")
    # The name of a list is a hash of its numbers, so the numbers themselves have to be compared with it.
    old |= {("list", line) for line in styles.lines_of("frequencies.txt") if line.split(" ")[0] in record.lists}
    new |= {("list", f"{key} {numbers}") for key, numbers in record.lists.items()}
    for row in sorted(old - new):
        print("recorded, but not computed:", *row)
    for row in sorted(new - old):
        print("computed, but not recorded:", *row)
    print(f"transformers {library.transformers.__version__}, style {wanted}: {len(old & new)} passed, "
          f"{len(old ^ new)} failed")
    return old == new


def write(jobs):
    facts = styles.read_facts()
    configs, classes = {}, rotary_classes(facts)
    with library.quiet():
        for model_type in library.model_types():
            if classes[model_type]:
                configs[model_type] = saved_config(model_type)
    start = time.time()
    truths, record = measured("all", configs, facts, jobs)
    lines = variants(record)
    head = f"# transformers {library.transformers.__version__}; made from the library by generate/model_truth.py: "
    for name, what, body in (
            ("configs.txt", "default configs as saved", [json.dumps(configs[name], sort_keys=True, separators=(",", ":"))
                                                         for name in sorted(configs)]),
            ("truth.txt", "type, path, class, kind of layers, styles, frequencies, factor", text_of(truths)),
            ("variants.txt", "configs of Llama, and [length, frequencies, factor] of each length", lines),
            ("frequencies.txt", "lists that the other files name", [f"{key} {record.lists[key]}"
                                                                    for key in sorted(record.lists)])):
        styles.replace(styles.FOLDER + name, [head + what, *body])
    print(f"{len(configs)} types, {len(truths)} lines, {len(record.lists)} lists, {time.time() - start:.0f} s")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if options.check:
        sys.exit(0 if check(options.check, options.jobs) else 1)
    write(options.jobs)


if __name__ == "__main__":
    main()
