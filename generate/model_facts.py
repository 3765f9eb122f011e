# SPDX-License-Identifier: MIT
"""model_facts.py: asks transformers what each of its model types rotates, and records it.

    build/peers/bin/python generate/model_facts.py [--only TYPE[,TYPE]] [--jobs N] [--seconds N]

It writes tests/models/facts.txt, one line for each rotation of each model type. Every fact is measured. The model runs
once on the meta device, and the function that rotates gets unit vectors (model_library.py). One key of the config is
changed at a time. Nothing is inferred from a name. A type that cannot be measured has a line with the reason.
The file is replaced at the end. --only replaces the lines of these types and keeps all others.
"""
import argparse
import contextlib
import datetime
import json
import multiprocessing
import os
import re
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import config_styles as styles  # noqa: E402
import model_library as library  # noqa: E402

OUTPUT = "tests/models/facts.txt"
JOBS = 2      # processes
SECONDS = 60  # of CPU time for one model type


def runs(axes):
    """Return a short form of a list of coordinates. 00011122 gives 0x3,1x3,2x2, and a repeated period gives the period
    and dots."""
    for period in range(1, 7):
        if len(axes) >= 4 * period and len(set(axes[:period])) > 1 and axes == (axes[:period] * len(axes))[:len(axes)]:
            return f"{axes[:period]}..."
    parts, i = [], 0
    while i < len(axes):
        j = i
        while j < len(axes) and axes[j] == axes[i]:
            j += 1
        parts.append(f"{axes[i]}x{j - i}")
        i = j
    return ",".join(parts) if len(parts) <= 6 else axes


def ranges(layers):
    """Return a short form of a list of integers, as in 0-3,5."""
    text, i = [], 0
    while i < len(layers):
        j = i
        while j + 1 < len(layers) and layers[j + 1] == layers[j] + 1:
            j += 1
        text.append(str(layers[i]) if i == j else f"{layers[i]}-{layers[j]}")
        i = j + 1
    return ",".join(text)


def parts_of(trial):
    """Return the rotations of a trial: one entry for each module, kind, function and place, with its layers."""
    parts = {}
    for call in trial.calls:
        source = trial.source_of(call)
        layers, layer, place = trial.layer_of(call)
        shapes = str([list(x.shape) for x in library.tensors((call["args"], call["kwargs"]))])
        made_by = (type(trial.twins[source["name"]]).__name__, trial.path_of(source["name"])) if source else "?"
        key = (made_by, source["kind"] if source else "", call["name"], layers, place, shapes)
        if key not in parts:
            parts[key] = {"call": call, "source": source, "list": layers, "place": place, "layers": []}
        if layer is not None and layer not in parts[key]["layers"]:
            parts[key]["layers"].append(layer)
    return parts


def order_of(turn, numbers, kind):
    """Return which frequency of the class each pair has: same, twice (all, then all again), or their indices."""
    frequencies = numbers[kind if kind in numbers else next(iter(numbers))][0]
    indices = []
    for angle in turn["angles"]:
        near = [i for i, x in enumerate(frequencies) if abs(x - angle) <= 1e-5 * angle]
        after = [i for i in near if not indices or i > indices[-1]]
        if not near:
            return "other"
        indices.append((after or near)[0])
    count = len(frequencies)
    if indices == list(range(len(indices))):
        return "same"
    if indices == [*range(count), *range(count)]:
        return "twice"
    return ",".join(map(str, indices))


def facts_of_part(trial, key, part):
    """Return the facts of one rotation as a dictionary."""
    source = part["source"]
    facts = {"model": type(trial.model).__name__, "function": key[2], "kind": key[1] or "-"}
    if source is None:
        facts["class"] = "?"
    else:
        facts["class"], facts["of"] = key[0][0], key[0][1] or "."
    depth = trial.depth(part["list"])
    facts["place"] = part["place"] or "-"
    facts["list"] = part["list"] or "-"
    if trial.error is None:
        facts["layers"] = ranges(sorted(part["layers"])) + (f"/{depth}" if depth else "")
    try:
        turn = library.rotation(part["call"], source["coordinates"] if source else 0)
    except Exception as error:
        facts["reason"] = f"{type(error).__name__}: {error}"[:120].replace("\n", " ")
        return facts
    facts.update(width=turn["width"], rotary=turn["rotary"], pairs=turn["pairs"], sign=turn["sign"])
    if turn["start"]:
        facts["start"] = turn["start"]
    if turn["outputs"] != "same":
        facts["outputs"] = turn["outputs"]
    if abs(turn["factor"] - 1) > 1e-6:
        facts["factor"] = f"{turn['factor']:.7g}"
    if turn.get("differs"):
        facts["differs"] = "yes"
    facts["moves"] = turn["moves"]
    if source is not None and source["coordinates"]:
        facts["order"] = order_of(turn, library.numbers(trial.twins[source["name"]]), key[1])
    if "axes" in turn:
        facts["axes"] = runs(turn["axes"])
    return facts


def half(config):
    """Let half of each head rotate, since the sections of the type's default config fit only that."""
    config.rope_parameters["partial_rotary_factor"] = 0.5


def based(config):
    """Give the config the base that its default leaves out."""
    config.rope_parameters["rope_theta"] = 10000.0


# The default config of these models cannot run, or has no layer that rotates. Each function changes it so that it does.
FORCED = {
    "bamba": lambda config: setattr(config, "attn_layer_indices", [1]),
    "chameleon": lambda config: setattr(config, "vocabulary_map", {"<image>": 4}),
    "emu3": lambda config: setattr(config, "vocabulary_map", {"<image>": 4}),
    "esm": lambda config: (setattr(config, "vocab_size", 33), setattr(config, "pad_token_id", 1),
                           setattr(config, "position_embedding_type", "rotary")),
    "glm4v": lambda config: half(config.text_config),
    "glm4v_text": lambda config: half(config),
    "glm_image": lambda config: half(config.text_config),
    "glm_image_text": lambda config: half(config),
    "granite_swa": lambda config: setattr(config, "layer_rope_theta", [1e4] * config.num_hidden_layers),
    "granitemoe_swa": lambda config: setattr(config, "layer_rope_theta", [1e4] * config.num_hidden_layers),
    "granitemoehybrid": lambda config: (setattr(config, "position_embedding_type", "rope"),
                                        setattr(config, "layer_types", ["attention"] * config.num_hidden_layers)),
    "hunyuan_v1_dense": lambda config: based(config),
    "hunyuan_v1_moe": lambda config: based(config),
    "hunyuan_vl": lambda config: based(config.text_config),
    "hunyuan_vl_text": lambda config: based(config),
    "lfm2_moe": lambda config: setattr(config, "layer_types", ["full_attention"] * config.num_hidden_layers),
    "ministral": lambda config: based(config),
    "nemotron": lambda config: setattr(config, "num_key_value_heads", config.num_attention_heads),
    "step3p5": lambda config: setattr(config, "sliding_window", 512),
    "zamba2": lambda config: setattr(config, "use_mem_rope", True),
}
# These are keys of version 4 and of the models' own code. Each is tried, also if the default config does not have it.
EXTRA = {"rope_theta": 12345.0, "rope_local_base_freq": 12345.0, "global_rope_theta": 12345.0,
         "local_rope_theta": 12345.0, "swa_rope_theta": 12345.0, "compress_rope_theta": 12345.0,
         "rotary_emb_base": 12345.0, "rope_base": 12345.0, "partial_rotary_factor": 0.5, "rotary_pct": 0.5,
         "head_dim": 48, "global_head_dim": 48, "rotary_dim": 16, "qk_rope_head_dim": 48, "kv_channels": 48,
         "max_position_embeddings": 12345}


def twin_numbers(made, config):
    """Return the numbers of a module built again from another config."""
    module_class, args, kwargs, old = made
    swap = lambda value: config if value is old else value  # noqa: E731
    with library.torch.device("cpu"):
        module = module_class(*map(swap, args), **{key: swap(value) for key, value in kwargs.items()})
    return library.numbers(module)


def effect(before, after):
    """Say what a changed key does to the numbers of a module: a list of words."""
    if set(before) != set(after):
        return ["kinds"]
    words = []
    for kind in before:
        mark = f":{kind}" if kind and len(before) > 1 else ""
        (old, old_factor), (new, new_factor) = before[kind], after[kind]
        if len(old) != len(new):
            words.append(f"count{mark}={len(old)}to{len(new)}")
        elif old != new:
            words.append(f"frequencies{mark}")
        if old_factor != new_factor:
            words.append(f"factor{mark}")
    return words


def changed(value):
    """Return another value of a key, or None if it is left alone."""
    if isinstance(value, bool) or isinstance(value, str):
        return None
    if isinstance(value, int) and value > 0:
        return 2 * value
    if isinstance(value, float) and value > 0:
        return value / 2 if value <= 1 else value * 2
    return None


def key_effects(made, config):
    """Return {key: effect} of the keys of a config, each changed alone, for one module with frequencies."""
    config_class = type(config)
    own = json.loads(config.to_json_string(use_diff=False))
    saved = {key: value for key, value in own.items() if key not in ("model_type", "transformers_version")}

    def numbers(keys):
        return twin_numbers(made, config_class.from_dict(keys))
    for _ in range(4):
        try:
            before = numbers(json.loads(json.dumps(saved)))
            break
        except Exception as error:
            library.drop_field(saved, error)
    effects = {}

    def attempt(name, keys):
        try:
            words = effect(before, numbers(keys))
        except Exception as error:
            words = [type(error).__name__]
        if words:
            effects[name] = "+".join(words)
    for key, value in saved.items():
        if changed(value) is not None and key not in library.DEPTHS:
            attempt(key, {**json.loads(json.dumps(saved)), key: changed(value)})
    start = numbers({})
    for key, value in saved.items():
        if changed(value) is not None and isinstance(value, int) and key not in library.DEPTHS:
            try:
                words = effect(start, numbers({key: changed(value)}))
            except Exception:
                words = []
            if words:
                effects[f"{key}(empty)"] = "+".join(words)
    bare, without = {key: value for key, value in saved.items() if key != "rope_parameters"}, None
    with contextlib.suppress(Exception):
        without = numbers(json.loads(json.dumps(bare)))
    for key, value in EXTRA.items():
        if saved.get(key) is None:
            attempt(key, {**json.loads(json.dumps(saved)), key: value})
            if without is not None and ("theta" in key or "base" in key or "fact" in key or "pct" in key):
                with contextlib.suppress(Exception):
                    words = effect(without, numbers({**json.loads(json.dumps(bare)), key: value}))
                    if words:
                        effects[f"{key}(alone)"] = "+".join(words)
    rope = saved.get("rope_parameters") or {}
    linear = {"rope_type": "linear", "factor": 2.0, "rope_theta": 10000.0}
    try:
        words = effect(numbers({**json.loads(json.dumps(saved)), "rope_parameters": dict(linear)}),
                       numbers({**json.loads(json.dumps(saved)), "rope_parameters":
                                {**linear, "partial_rotary_factor": 0.25}}))
        if words:
            effects["rope_parameters.partial_rotary_factor(linear)"] = "+".join(words)
    except Exception:
        pass
    for kind in [k for k, v in rope.items() if isinstance(v, dict)] or [None]:
        inner = rope if kind is None else rope[kind]
        for key, value in {**inner, "partial_rotary_factor": inner.get("partial_rotary_factor", 1.0)}.items():
            other = changed(value)
            if other is None:
                continue
            keys = json.loads(json.dumps(saved))
            (keys["rope_parameters"] if kind is None else keys["rope_parameters"][kind])[key] = other
            attempt(f"rope_parameters.{kind + '.' if kind else ''}{key}", keys)
    return effects


def rope_default(config):
    """Return the rope_parameters that the library takes for a config that has none, as short JSON."""
    own = json.loads(config.to_json_string(use_diff=False))
    keys = {key: value for key, value in own.items() if key not in ("rope_parameters", "rope_scaling", "rope_theta")}
    default = type(config).from_dict(keys)
    return json.dumps(getattr(default, "rope_parameters", None), sort_keys=True, separators=(",", ":"))


def try_models(config):
    """Return (the trial of the model class whose layers rotate most, reasons why the others do not run)."""
    trial, reasons = None, []
    for model_class in library.model_classes(config)[:4]:
        try:
            now = library.Trial(model_class, config)
        except Exception as error:
            reasons.append(f"{model_class.__name__}: {type(error).__name__}: {error}"[:120])
            continue
        if not now.twins:
            continue
        now.run()
        if trial is None or len(now.calls) > len(trial.calls):
            trial = now
        if trial.calls:
            break
    return trial, reasons


def facts_of_trial(trial, path, complete):
    """Return the lines of facts of a trial, whose config is at a path of a complete config."""
    lines = [facts_of_part(trial, key, part) for key, part in parts_of(trial).items()]
    called = {(line["class"], line.get("of")) for line in lines}
    for name, twin in trial.twins.items():
        if (type(twin).__name__, trial.path_of(name) or ".") not in called:
            called.add((type(twin).__name__, trial.path_of(name) or "."))
            lines.append({"model": type(trial.model).__name__, "class": type(twin).__name__,
                          "of": trial.path_of(name) or ".", "list": name,
                          "reason": "no call: " + (trial.error or "no layer of the default config uses it")})
    for line in lines:
        if trial.left_out and "function" in line:
            line["without"] = ",".join(trial.left_out)
    done = set()
    for name, twin in trial.twins.items():
        inner = trial.path_of(name)
        if inner is not None and (type(twin).__name__, inner) not in done:
            done.add((type(twin).__name__, inner))
            lines.append(facts_of_class(twin, inner, trial.config, library.config_at(complete, inner)))
    for line in lines:
        if path and "of" in line:
            line["of"] = path if line["of"] == "." else f"{path}.{line['of']}"
    return lines


def facts_of_class(twin, path, shortened, sub):
    """Return the line of facts of a class with frequencies: its defaults, and the keys that change its numbers."""
    args, kwargs = twin.__dict__["made_from"]
    line = {"class": type(twin).__name__, "of": path or ".", "type": sub.model_type or "-"}
    try:
        for kind, (values, factor) in library.numbers(twin).items():
            line[f"count{':' + kind if kind else ''}"] = len(values)
            if factor != 1:
                line[f"factor{':' + kind if kind else ''}"] = f"{factor:.7g}"
        line["default"] = rope_default(sub)
        if not path or sub.model_type not in library.CONFIG_MAPPING_NAMES:  # otherwise the type has its own line
            line["keys"] = key_effects((type(twin), args, kwargs, library.config_at(shortened, path)), sub)
    except Exception as error:
        line["reason"] = " ".join(f"{type(error).__name__}: {error}".split())[:120]
    return line


def facts_of(model_type):
    """Return the lines of facts of a model type."""
    config, complete = library.CONFIG_MAPPING[model_type](), library.CONFIG_MAPPING[model_type]()
    FORCED.get(model_type, lambda config: None)(config)
    library.shorten(config)
    library.prepare_all(config)
    if not any(library.mentions_frequencies(module) for _, sub in library.sub_configs(config)
               for module in library.modeling_modules(type(sub))):
        return []
    trial, reasons = try_models(config)
    lines = []
    if trial is not None:
        lines = facts_of_trial(trial, "", complete)
    else:
        for path, sub in library.sub_configs(config):  # if a model cannot be built, its inner configs are tried alone
            if path:
                inner, _ = try_models(sub)
                lines += facts_of_trial(inner, path, library.config_at(complete, path)) if inner else []
        lines += [{"reason": "; ".join(reasons)[:200]}] if reasons else []
    if model_type in FORCED:
        for line in lines:
            line["forced"] = "yes"
    known = {(line["class"], line["of"]) for line in lines if "type" in line}
    for path, sub in library.sub_configs(config):  # classes that no model has used
        for item in library.classes_for(sub):
            if (item.__name__, path or ".") in known or any(where == (path or ".") for _, where in known):
                continue
            with library.contextlib.suppress(Exception):
                twin = item(library.config_at(complete, path))
                twin.__dict__["made_from"] = ((library.config_at(complete, path),), {})
                if library.frequency_buffers(twin):
                    lines.append(facts_of_class(twin, path, complete, library.config_at(complete, path)))
    return lines


def measure(argument):
    """Return (type, lines of facts, seconds) of a type, which has limited time."""
    model_type, seconds = argument
    start = time.process_time()
    try:
        with library.quiet(), library.at_most(seconds):
            lines = facts_of(model_type)
    except library.TooLate:
        lines = [{"reason": f"not finished after {seconds} seconds"}]
    except Exception as error:
        lines = [{"reason": f"{type(error).__name__}: {error}"[:160].replace("\n", " ")}]
    return model_type, lines, time.process_time() - start


def text_of(model_type, line):
    """Return a line of the record: the type, then key=value, where a value has no space."""
    words = []
    for key, value in line.items():
        if key == "keys":
            words += [f"{name}>{what}" for name, what in sorted(value.items())]
        else:
            text = re.sub(r"https?://\S+", "URL", str(value))
            words.append(f"{key}={'_'.join(text.split())}")
    return " ".join([model_type, *words])


def write(path, lines):
    """Write all lines of facts, sorted. A file that has these lines of this version stays, with its day."""
    head = f"# What transformers {library.transformers.__version__} rotates, asked on "
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            old_head, *old = file.read().splitlines()
        if old_head.startswith(head) and old == sorted(lines):
            return
    styles.replace(path, [f"{head}{datetime.date.today()}; made from the library by generate/model_facts.py", *sorted(lines)])


def measure_all(types, kept=(), output=OUTPUT, jobs=JOBS, limit=SECONDS):
    """Write the lines that are kept, and those of all these types."""
    start, lines = time.time(), set(kept)
    with multiprocessing.get_context("fork").Pool(jobs, maxtasksperchild=60) as pool:
        tasks = [(model_type, limit) for model_type in types]
        for model_type, found, seconds in pool.imap_unordered(measure, tasks):
            lines |= {text_of(model_type, line) for line in found}
            if seconds > 15:
                print(f"{model_type}: {seconds:.0f} s", file=sys.stderr)
    write(output, lines)
    print(f"{len(types)} types, {len(lines)} lines, {time.time() - start:.0f} s", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only")
    parser.add_argument("--output", default=OUTPUT)
    parser.add_argument("--jobs", type=int, default=JOBS)
    parser.add_argument("--seconds", type=int, default=SECONDS)
    options = parser.parse_args()
    types = options.only.split(",") if options.only else library.model_types()
    kept = []
    if options.only and os.path.exists(options.output):
        with open(options.output, encoding="utf-8") as file:
            kept = [x for x in file.read().splitlines() if not x.startswith("#") and x.split()[0] not in types]
    measure_all(types, kept, options.output, options.jobs, options.seconds)


if __name__ == "__main__":
    main()
