# SPDX-License-Identifier: MIT
"""model_tree.py: records the config classes of transformers, with their inner configs and the defaults of their keys.

    build/peers/bin/python generate/model_tree.py            writes the two files
    build/peers/bin/python generate/model_tree.py --check    compares them with the installed library, and exits with
                                                             status 1 if they differ

It takes 20 seconds. tests/models/cited.txt has a digest of each class and function that
generate/model_words.txt and tests/models/read.txt cite. If a digest changes, a person reads the code again.

tests/models/types.txt has one line for each model type. It also has one for each inner config that has no model type of
its own. The words class and file say where the config class is. The word parts has the inner configs, as KEY:TYPE. "!"
before TYPE means that the file's own model_type does not count. The other words are the keys of SIZES that
the class has, with their defaults. The word layers has the list of kinds of layers that the class makes itself, in a
short form: 3sliding_attention,1full_attention.
"""
import ast
import glob
import hashlib
import inspect
import itertools
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import config_styles as styles  # noqa: E402
import model_library as library  # noqa: E402
import model_lines  # noqa: E402

SIZES = ("hidden_size", "d_model", "embed_dim", "num_attention_heads", "n_heads", "num_heads", "head_dim",
         "max_position_embeddings", "sliding_window", "sliding_window_pattern", "use_sliding_window", "max_window_layers",
         "position_embedding_type", "position_embeddings_type", "global_head_dim", "global_attn_every_n_layers",
         "full_attention_interval", "local_attention", "no_rope_layer_interval", "rope_interleave", "index_head_dim",
         "attention_window_size", "attn_scale", "floor_scale", "attn_temperature_tuning",
         "use_mem_rope")


def name_within(parent, key):
    """Return the name of a config within another that has no model type."""
    return f"{parent}_{key.removesuffix('_config')}"


def layers_of(config):
    """Return a short form of the list of kinds of layers, or None if the config has no such list."""
    kinds = getattr(config, "layer_types", None)
    if not kinds or not all(isinstance(kind, str) for kind in kinds):
        return None
    return ",".join(f"{len(list(group))}{kind}" for kind, group in itertools.groupby(kinds))


def words_of(name, config, inner):
    """Return the words of a line. `inner` is {key: (name of the type, whether the file's model_type counts)}."""
    words = [f"class={type(config).__name__}", f"file={os.path.basename(inspect.getfile(type(config)))}"]
    if inner:
        words.append("parts=" + ",".join(f"{key}:{'' if counts else '!'}{of}" for key, (of, counts) in inner.items()))
    values = config.to_dict()
    for key in SIZES:
        value = values.get(key)
        if isinstance(value, (int, float)) or isinstance(value, str) and value and " " not in value:
            words.append(f"{key}={styles.number(value)}")
    if isinstance(getattr(config, "default_theta", None), (int, float)):
        words.append(f"default_theta={styles.number(config.default_theta)}")
    if layers_of(config):
        words.append("layers=" + layers_of(config))
    return words


def add(found, name, config):
    """Add the line of a config, and those of the configs within it."""
    inner = {}
    for key, made_by in (getattr(config, "sub_configs", None) or {}).items():
        sub = getattr(config, key, None)
        if sub is None or not hasattr(sub, "to_dict"):
            continue
        of = sub.model_type or name_within(name, key)
        inner[key] = of, made_by is library.transformers.AutoConfig
        if of not in library.CONFIG_MAPPING_NAMES:
            add(found, of, sub)
    found.setdefault(name, words_of(name, config, inner))


def cited():
    """Return the lines of cited.txt."""
    folder = os.path.join(os.path.dirname(library.transformers.__file__), "models")
    paths = {os.path.basename(path): path for path in glob.glob(os.path.join(folder, "*", "*.py"))}
    lines = []
    for name, file in sorted(model_lines.citations()):
        source = open(paths[file], encoding="utf-8").read() if file in paths else ""
        rows = source.splitlines()
        code = ["\n".join(rows[item.lineno - 1:item.end_lineno]) for item in ast.parse(source).body
                if getattr(item, "name", None) == name]
        lines.append(f"{name} {file} {hashlib.sha256(code[0].encode()).hexdigest()[:8] if code else 'missing'}")
    return lines


def types():
    """Return the lines of types.txt."""
    found = {}
    for name in sorted(library.CONFIG_MAPPING_NAMES):
        try:
            config = library.CONFIG_MAPPING[name]()
        except Exception as error:
            found[name] = [f"reason={type(error).__name__}"]
            continue
        add(found, name, config)
        if config.model_type and config.model_type not in library.CONFIG_MAPPING_NAMES:
            add(found, config.model_type, config)
    return [" ".join([name, *words]) for name, words in sorted(found.items())]


def check(name, lines):
    """Print where the installed library differs from a record, and return the number of differences."""
    old, new = set(styles.lines_of(name)), set(lines)
    for line in sorted(old - new):
        print(f"{name}: recorded, but not found:", line)
    for line in sorted(new - old):
        print(f"{name}: found, but not recorded:", line)
    return len(old ^ new)


def records_of_library():
    """Return {name of a file: its lines} of both files."""
    with library.quiet():
        return {"types.txt": types(), "cited.txt": cited()}


def write(records):
    """Write both files, and end the program, with status 1 if a citation is not in the library."""
    head = f"of transformers {library.transformers.__version__}; made from the library by generate/model_tree.py"
    styles.replace(styles.FOLDER + "types.txt", [f"# The config classes {head}", *records["types.txt"]])
    styles.replace(styles.FOLDER + "cited.txt", [f"# Code that a person has read, {head}", *records["cited.txt"]])
    styles.finish([f"cited, but not in the library: {line}" for line in records["cited.txt"] if line.endswith("missing")],
                  sum(map(len, records.values())), "types and citations")


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    records = records_of_library()
    version = library.transformers.__version__
    if sys.argv[1:]:
        failed = sum(check(name, lines) for name, lines in records.items())
        print(f"transformers {version}, config classes and cited code: {sum(map(len, records.values()))} passed, {failed} failed")
        sys.exit(bool(failed))
    write(records)


if __name__ == "__main__":
    main()
