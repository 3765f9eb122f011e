# SPDX-License-Identifier: MIT
"""tool.py PROGRAM: compares posenc with formulas in 70 decimal digits, on config.json files as models have them.

The files of tests/checks/configs/ were written for this test, with the fields that the models publish. The formulas are
those of Hugging Face's modeling_rope_utils.py (retyped 2026-11-24) and of the models' own code; nothing here comes from
pe. Frequencies, wavelengths, attention factors and tables must be equal to the formulas, rounded once. The keys that
posenc reports as unusual or wrong must also be the expected ones.
"""
import codecs
import itertools
import json
import os
import re
import resource
import struct
import subprocess
import sys
import tempfile
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal as D, getcontext
from fractions import Fraction

import tool_types

getcontext().prec = 70
PI = D("3.1415926535897932384626433832795028841971693993751058209749445923078164062862089986280348253421170679821480865")
CONFIGS = "tests/checks/configs/"
passed = failed = 0


def check(what, good, detail=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    print(f"{'ok  ' if good else 'FAIL'} {what}{'' if good else f': {detail}'}")


def pe(*arguments):
    run = subprocess.run([sys.argv[1], "show", "--json", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        return run.returncode, {p["name"]: p for p in json.loads(run.stdout)["parts"]}
    except ValueError:
        return run.returncode, run.stderr.decode()


def pe_keys(*fields):
    """Runs posenc with a file that has these keys. On the command line, posenc refuses keys without an effect."""
    config = {}
    for field in fields:
        path, text = field.split("=", 1)
        *objects, key = path.split(".")
        within = config
        for name in objects:
            within = within.setdefault(name, {})
        within[key] = json.loads(text) if re.match(r"[-0-9.\[{]|(true|false|null)$", text) else text
    return pe_of(json.dumps(config))


def tabled(output, *arguments):
    run = subprocess.run([sys.argv[1], "table", *arguments, output], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return run.returncode, run.stderr.decode()


# ---- the formulas: n is the rotary dim, theta the base, f the factor, and length the length in training

def default(n, theta, span=None, zeros=0):
    return [1 / D(theta) ** (D(2 * i) / (span or n)) for i in range(n // 2)] + [D(0)] * zeros


def linear(n, theta, f):
    return [w / D(f) for w in default(n, theta)]


def llama3(n, theta, f, low, high, length):
    out = []
    for w in default(n, theta):
        wave = 2 * PI / w
        smooth = (length / wave - low) / D(high - low)
        out.append(w / f if wave > D(length) / low else w if wave < D(length) / high
                   else (1 - smooth) * w / f + smooth * w)
    return out


def yarn(n, theta, f, length, fast=32, slow=1, truncate=True):
    def dim(turns):
        return n * (length / (turns * 2 * PI)).ln() / (2 * D(theta).ln())
    low, high = dim(fast), dim(slow)
    if truncate:
        low, high = low.to_integral_value(ROUND_FLOOR), high.to_integral_value(ROUND_CEILING)
    low, high = max(low, D(0)), min(high, D(n - 1))
    ramp = [min(max((i - low) / (high - low), D(0)), D(1)) for i in range(n // 2)]
    return [w / f * r + w * (1 - r) for w, r in zip(default(n, theta), ramp)]


def ntk(n, theta, alpha):
    return default(n, D(theta) * D(alpha) ** (D(n) / (n - 2)))


def longrope(n, theta, factors):
    return [w / D(x) for w, x in zip(default(n, theta), factors)]


def mscale(f, m=1):
    return D("0.1") * m * D(f).ln() + 1


# ---- rounding, and sines

def nearest(x, bits, least):
    """Returns x rounded to a binary number with `bits` bits, to nearest even, as a Fraction. 2^least is the smallest
    unit of the type."""
    x = Fraction(x)
    if x == 0:
        return x
    e = max(len(bin(abs(x.numerator))) - len(bin(x.denominator)) + 1 - bits, least)
    while abs(x) / Fraction(2) ** e < 1 << (bits - 1) and e > least:
        e -= 1
    return round(x / Fraction(2) ** e) * Fraction(2) ** e


TYPES = {"f32": ("f", 24, -149), "f16": ("e", 11, -24), "bf16": (None, 8, -133), "f64": ("d", 53, -1074)}


def sincos(x):
    x = x.remainder_near(2 * PI)
    sine, cosine, term, k = D(0), D(0), D(1), 0
    while abs(term) > D("1e-66"):
        sine, cosine = (sine, cosine + term * (-1) ** (k // 2)) if k % 2 == 0 else (sine + term * (-1) ** (k // 2), cosine)
        k += 1
        term = term * x / k
    return sine, cosine


def same(name, part, omega, attention=D(1)):
    got = part.get("frequencies")
    check(f"{name}: {len(omega)} frequencies", got == [float(w) for w in omega], got and [
        (i, g, float(w)) for i, (g, w) in enumerate(zip(got, omega)) if g != float(w)][:3])
    waves = [float(2 * PI / D(float(w))) if w else None for w in omega]
    check(f"{name}: wavelengths", part.get("wavelengths") == waves)
    check(f"{name}: attention factor {float(attention):.9g}", part.get("attention_factor") == float(attention),
          part.get("attention_factor"))


def notes(name, part, odd=(), wrong=()):
    for kind, keys in (("odd", odd), ("wrong", wrong)):
        got = [n["key"] for n in part[kind]]
        check(f"{name}: {kind}: {', '.join(keys) or 'nothing'}", sorted(got) == sorted(keys), part[kind])


def models():
    """Checks what posenc reports about every part of each file. A part is a set of layers that share one encoding."""
    mini = json.load(open(CONFIGS + "phi-4-mini.json"))["rope_scaling"]
    phi_factor = (1 + D(32).ln() / D(4096).ln()).sqrt()
    tower = default(40, 10000) * 2
    files = {
        "llama-3.1": {"text": (llama3(128, 500000, 8, 1, 4, 8192),)},
        "llama-2": {"text": (default(128, 10000),)},
        "qwen2.5-vl": {"text": (default(128, 1000000),), "vision": (tower,)},
        "qwen3-vl": {"text": (default(128, 5000000),), "vision": (default(36, 10000) * 2,)},
        "deepseek-v3": {"text": (yarn(64, 10000, 40, 4096),)},
        "gpt-oss": {"text": (yarn(64, 150000, 32, 4096, truncate=False), mscale(32))},
        "phi-4": {"text": (default(128, 250000), D(1), ["original_max_position_embeddings"])},
        "phi-4-mini": {"text": (longrope(96, 10000, mini["short_factor"]), phi_factor, ["sequence_length"])},
        "gemma-3": {"full_attention": (linear(256, 1000000, 8),), "sliding_attention": (default(256, 10000),)},
        "gemma-4": {"full_attention": (default(128, 1000000, 512, 192),), "sliding_attention": (default(256, 10000),)},
        "ministral-3": {"text": (yarn(128, 1000000, 16, 16384),)},
    }
    for name, parts in files.items():
        status, got = pe(CONFIGS + name + ".json")
        unread = {"gemma-3": ["vision"], "gemma-4": ["vision.x", "vision.y"]}.get(name, [])
        check(f"{name}: {', '.join(parts)}", status == 0 and sorted(got) == sorted([*parts, *unread]), got)
        for part, expected in parts.items():
            same(f"{name} {part}", got[part], *expected[:2])
            notes(f"{name} {part}", got[part], *expected[2:])
        for k, part in enumerate(unread[1:]):
            same(f"{name} {part}", got[part], default(32, 100))
        if unread:
            check(f"{name}: its tower", [got[part]["kind"] for part in unread] == ["other", "rope"][:1] * (len(unread) == 1) +
                  ["rope"] * (len(unread) == 2) * 2, got)
    check("each file of tests/checks/configs is read", sorted(f[:-5] for f in os.listdir(CONFIGS)) ==
          sorted([*files, *CASES, *MISSING, "broken"]))


# These files of models were read wrongly by an earlier posenc. Each part has (head_dim, rotary_dim, pairs,
# rope_interleave, layers, attention factor, {pair: frequency}). The frequencies are computed with the models' own
# formulas and 60 digits, of which 9 are here.
EVERY = [*range(48)]
CASES = {
    "deepseek-v4": {"compress": (512, 64, "neighbours", False, None, 1, {1: .687656022, 31: 5.68052904e-07}),
                    "main": (512, 64, "neighbours", False, None, 1, {1: .749894209, 31: 1.33352143e-04})},
    "deepseek-v4.1": {"compress": (512, 64, "neighbours", False, [1, 2, 3], 1, {1: .687656022, 31: 5.68052904e-07}),
                      "main": (512, 64, "neighbours", False, [0], 1, {31: 1.33352143e-04})},
    "mimo-v2-flash": {"full_attention": (192, 64, "halves", False, [0, *EVERY[5::6]], 1, {1: .617528758}),
                      "sliding_attention": (192, 64, "halves", False, [i for i in EVERY if i and i % 6 != 5], 1,
                                            {1: .749894209})},
    "modernbert": {"full_attention": (64, 64, "halves", False, EVERY[:22:3], 1, {1: .687656022}),
                   "sliding_attention": (64, 64, "halves", False, [i for i in EVERY[:22] if i % 3], 1, {1: .749894209})},
    "olmo-3": {"full_attention": (128, 128, "halves", False, [3], 1.20794415, {63: 3.06892599e-07}),
               "sliding_attention": (128, 128, "halves", False, [0, 1, 2], 1, {63: 2.45514079e-06})},
    "persimmon": {"text": (64, 32, "halves", False, None, 1, {})},
    "fuyu": {"text": (64, 32, "halves", False, None, 1, {})},
    "ernie-4.5": {"text": (128, 128, "neighbours", False, None, 1, {})},
    "longcat-flash": {"text": (64, 64, "halves", True, None, 1, {})},
    "longcat-flash-lite": {"text": (64, 64, "halves", True, None, 1, {})},
    "kimi-k2-thinking": {"text": (64, 64, "halves", True, None, 1, {})},
    "kimi-k2.5": {"text": (64, 64, "halves", True, None, 1, {})},
    "deepseek-v3.2": {"text": (64, 64, "halves", True, None, 1, {})},
    "glm-5": {"text": (64, 64, "halves", True, None, 1, {})},
    "bailing-v3-vl": {"text": (64, 64, "halves", False, EVERY[5:42:6], 1, {})},
    "mistral-unapplied": {"text": (128, 128, "halves", False, None, 1, {})},
    "nomic-half": {"text": (64, 32, "neighbours", False, None, 1, {})},
    "bamba": {"text": (128, 64, "halves", False, None, 1, {})},
    "step-3.5": {"full_attention": (128, 64, "halves", False, [0, 3, 4], 1, {1: .617528758, 31: 1.61935778e-07}),
                 "sliding_attention": (128, 128, "halves", False, [1, 2], 1, {63: 1.15478198e-04})},
    "esm-2": {"text": (64, 64, "halves", False, None, 1, {})},
}
# In these files, nothing rotates in this part and these layers.
MISSING = {"kimi-linear": ("text", None), "granite-4": ("text", None), "nemotron-h": ("text", [0, 1, 2, 3, 4]),
           "nemotron-3-nano": ("text", [*range(10)]), "smollm3": ("nope", [3]), "llama-4-scout": ("nope", [3]),
           "afmoe": ("nope", [3]), "longrope-one-list": (None, None)}


# Files whose keys posenc obeys, as the model's own code does, although transformers 5.17.0 does not read them.
GUESSED = {"nomic-half"}


def cases():
    for name, parts in CASES.items():
        status, got = pe(CONFIGS + name + ".json")
        check(f"{name}: status 0", status == (name in GUESSED), got)
        for what, (head, rotary, pairs, interleave, layers, attention, omega) in parts.items():
            part = got.get(what, {})
            is_said = [part.get(k) for k in ("kind", "head_dim", "rotary_dim", "pairs", "rope_interleave", "layers")]
            check(f"{name} {what}", is_said == ["rope", head, rotary, pairs, interleave, layers], is_said)
            check(f"{name} {what}: attention factor", f"{part.get('attention_factor'):.9g}" == f"{attention:.9g}")
            for i, w in omega.items():
                check(f"{name} {what}: w[{i}]", f"{part['frequencies'][i]:.9g}" == f"{w:.9g}", part["frequencies"][i])
        rest = sorted(set(got) - set(parts) - {"vision", "linear_attention", "indexer"})
        check(f"{name}: no other part", not rest, rest)
    notes("esm-2", pe(CONFIGS + "esm-2.json")[1]["text"])
    sections = pe(CONFIGS + "bailing-v3-vl.json")[1]["text"].get("sections")
    check("bailing-v3-vl: sections outside text_config", sections == [8, 12, 12], sections)


def silent():
    for name, (what, layers) in MISSING.items():
        status, got = pe(CONFIGS + name + ".json")
        if what:
            part = got.get(what, {})
            check(f"{name}: layers {layers} rotate nothing", status == 0 and part.get("kind") == "none" and
                  part.get("layers") == layers and "frequencies" not in part, part)
    check("long_factor is missing", status == 1 and [n["key"] for n in got["text"]["wrong"]] == ["long_factor"], got)
    for fields, kind, facts in ((["model_type=gpt2", "n_embd=768", "n_positions=1024"], "learned", {"rows": 1024}),
                                (["model_type=falcon", "alibi=true", "num_attention_heads=32"], "alibi",
                                 {"heads": 32, "max_bias": 8}),
                                (["model_type=mpt", "attn_config.alibi=true", "n_heads=32"], "alibi", {"heads": 32}),
                                (["model_type=t5"], "t5", {"buckets": 32, "max_distance": 128}),
                                (["model_type=bert", "position_embedding_type=relative_key"], "relative", {}),
                                (["model_type=marian", "d_model=512"], "sinusoidal", {}),
                                (["model_type=deepseek_v3", "qk_rope_head_dim=0"], "none", {})):
        status, got = pe(*fields)
        part = got["text"]
        check(f"{fields[0]} is {kind}", status == 0 and part["kind"] == kind and
              all(part.get(k) == v for k, v in facts.items()), part)
    part = pe("model_type=whisper", "d_model=384")[1]["encoder"]
    omega = [1 / D(10000) ** (D(i) / 191) for i in range(192)]
    check("Whisper's encoder", part["frequencies"] == [float(w) for w in omega])
    for fields, odd, wrong in ((["model_type=nobody", "head_dim=64", "rope_theta=1e4"], [], ["model_type"]),
                               (["model_type=nobody", "head_dim=64", "rope_theta=1e4", "rope_wobble=2"], [],
                                ["rope_wobble", "model_type"]),
                               (["model_type=nobody", "head_dim=64"], ["rope_theta"], ["model_type"]),
                               (["model_type=nobody", "head_dim=64", "rope_theta=1e4", "rope_3d=true"], [],
                                ["rope_3d", "model_type"]),
                               (["model_type=ernie4_5_moe_vl", "head_dim=128", "rope_3d=true"], [], []),
                               (["model_type=llama", "head_dim=64", "rope_wobble=2"], [], ["rope_wobble"])):
        status, got = pe_keys(*fields)
        notes(" ".join(fields), got["text"], odd, wrong)
        check(f"{' '.join(fields)}: {int(bool(wrong))}", status == bool(wrong) and "frequencies" in got["text"])
    part = pe_keys("model_type=modernbert", "position_embedding_type=absolute", "head_dim=64")[1]["full_attention"]
    check("a position_embedding_type that no code reads", part["kind"] == "rope" and
          [n["key"] for n in part["odd"]] == ["position_embedding_type"], part)
    for fields in (["model_type=gptj", "rotary=true", "head_dim=256"],
                   ["model_type=hunyuan_v1_dense", "head_dim=128", "use_rotary_pos_emb=true",
                    "position_embedding_xdrope=false"],
                   ["model_type=step3p5", "head_dim=128", "use_rope_layers=[]"],
                   ["model_type=llama4_text", "head_dim=128", "attn_temperature_tuning=4"]):
        status, got = pe_keys(*fields)
        check(f"{' '.join(fields)}", status == 0, got)
    got = pe(CONFIGS + "gemma-4.json", "text_config.rope_parameters.full_attention.rope_theta=5e5")
    check("a setting of the text", got[0] == 0 and got[1]["full_attention"]["rope_theta"] == 5e5, got)
    status, got = pe_of('\ufeff{"model_type": "llama", "head_dim": 64, "x": [NaN, Infinity, -Infinity]}')
    check("a mark of order, NaN and Infinity", status == 0, got)
    status, got = pe_of('{"model_type": "llama", "head_dim": 64, "rope_theta": NaN}')
    notes("a base of NaN", got["text"], [], ["rope_theta"])


def details():
    part = pe(CONFIGS + "deepseek-v3.json")[1]["text"]
    check("DeepSeek V3 multiplies its logits", abs(D(part["logits_factor"]) - mscale(40) ** 2) < D("1e-15"))
    check("DeepSeek V3 reads neighbours, writes halves", part["rope_interleave"] is True)
    scale = pe(CONFIGS + "ministral-3.json")[1]["text"]["query_scale"]
    check("Ministral 3 scales queries", scale == {"form": "floor", "beta": 0.1, "period": 16384, "shift": 0}, scale)
    for what, fields, length, shift in (("Qwen 1", ["use_logn_attn=true", "seq_length=2048"], 2048, 1),
                                        ("Grok-2", ["attn_temperature_len=1024"], 1024, 0)):
        scale = pe("head_dim=128", "rope_theta=10000", *fields)[1]["text"]["query_scale"]
        beta = D(scale.pop("beta"))
        check(f"{what} scales queries", scale == {"form": "log", "period": length, "shift": shift} and
              abs(beta * D(length).ln() - 1) < D("1e-15"), (scale, beta))
    part = pe(CONFIGS + "qwen3-vl.json")[1]
    check("Qwen3-VL's sections", (part["text"]["sections"], part["text"]["section_order"]) == ([24, 20, 20], "interleaved"))
    check("and its tower's", (part["vision"]["sections"], part["vision"]["section_order"]) == ([18, 18], "vision"))
    mini = json.load(open(CONFIGS + "phi-4-mini.json"))["rope_scaling"]
    part = pe(CONFIGS + "phi-4-mini.json", "sequence_length=8192")[1]["text"]
    same("phi-4-mini, long", part, longrope(96, 10000, mini["long_factor"]), (1 + D(32).ln() / D(4096).ln()).sqrt())
    notes("phi-4-mini, long", part)
    part = pe_keys("head_dim=128", "rope_theta=10000", "rope_scaling.type=dynamic", "rope_scaling.alpha=1000",
                   "rope_scaling.factor=1")[1]["text"]
    same("HunYuan's alpha", part, ntk(128, 10000, 1000))
    notes("HunYuan's alpha", part, ["rope_scaling.factor"])


def settings():
    """Checks that a user's setting replaces the key of the file, or is refused with a text that says what to type."""
    v5 = '{"model_type": "llama", "head_dim": 128, "rope_parameters": {"rope_type": "default", "rope_theta": 500000}}'
    old = '{"model_type": "llama", "head_dim": 128, "rope_theta": 10000, "rope_scaling": {"type": "linear", "factor": 2}}'
    both = '{"model_type": "llama", "head_dim": 128, "rope_theta": 10000, "rope_parameters": {"rope_theta": 500000}}'
    neox = '{"hidden_size": 512, "num_attention_heads": 8, "rotary_emb_base": 10000, "rotary_pct": 0.25}'
    within = '{"model_type": "gemma3", "text_config": {"model_type": "gemma3_text", "head_dim": 128, "rope_theta": 1000000}}'
    yarn = ("rope_type=yarn", "factor=4", "original_max_position_embeddings=4096")
    for what, file, words, facts in (
            ("a base in rope_parameters", v5, ["rope_theta=700000"], {"rope_theta": 7e5}),
            ("a base that the file has also outside", both, ["rope_theta=700000"], {"rope_theta": 7e5}),
            ("a path", v5, ["rope_parameters.rope_theta=700000"], {"rope_theta": 7e5}),
            ("a scaling in rope_parameters", v5, yarn, {"rope_type": "yarn", "rope_theta": 5e5}),
            ("a factor in rope_scaling", old, ["factor=8"], {"factor": 8, "rope_type": "linear"}),
            ("a type of scaling by its old name", old, ["rope_type=ntk"], {"rope_type": "ntk"}),
            ("a base by its old name", neox, ["rope_theta=20000"], {"rope_theta": 2e4}),
            ("a share by its old name", neox, ["partial_rotary_factor=0.5"], {"rotary_dim": 32}),
            ("the value that the file has", v5, ["rope_theta=500000"], {"rope_theta": 5e5}),
            ("no scaling", old, ["rope_scaling=null"], {"rope_type": "default"})):
        status, got = pe_of(file, *words)
        part = got["text"] if isinstance(got, dict) else {}
        check(f"typed: {what}", status == 0 and all({**part["config"], **part}[k] == v for k, v in facts.items()),
              (status, got))
    status, got = pe_of(within, "rope_theta=5e5")
    check("typed: a base in text_config", status == 0 and got["full_attention"]["rope_theta"] == 5e5, (status, got))
    for what, file, words, says in (
            ("a base of which there are two", open(CONFIGS + "gemma-4.json").read(), ["rope_theta=5e5"],
             ["text_config.rope_parameters.full_attention.rope_theta=5e5 or ",
              "text_config.rope_parameters.sliding_attention.rope_theta=5e5"]),
            ("a misspelt base", v5, ["rope_tehta=700000"], ["rope_tehta=700000", "did you mean rope_theta=700000?"]),
            ("a misspelt width", "{}", ["hed_dim=3"], ["did you mean head_dim=3?"]),
            ("a misspelt length", v5, [*yarn[:2], "orignal_max_position_embeddings=4096"],
             ["did you mean original_max_position_embeddings=4096?"]),
            ("a path that the file has elsewhere", v5, ["rope_scaling.rope_theta=7e5"],
             ["Type rope_parameters.rope_theta=7e5"]),
            ("a scaling that would hide the file's", v5, ["rope_scaling.factor=8"], ["Type rope_parameters.factor=8"]),
            ("a factor without a type", v5, ["factor=8"], ["factor=8", "rope_type=NAME", "yarn"]),
            ("a key of another type", v5, [*yarn, "low_freq_factor=2"], ["low_freq_factor=2", "llama3"]),
            ("one of two keys that count together", v5, [*yarn, "mscale=0.7"], ["no number depends on mscale here"]),
            ("a key of another model", v5, ["rope_wobble=2"], ["no number", "Leave it out"]),
            ("one thing twice", v5, ["rope_theta=7e5", "rope_parameters.rope_theta=8e5"], ["8e5 follows it"]),
            ("a misspelt field of a preset", "{}", ["preset=t2t", "d_model=64", "amplitud=2"],
             ["did you mean amplitude=2?"])):
        status, got = pe_of(file, *words)
        check(f"refused: {what}", status == 2 and isinstance(got, str) and all(word in got for word in says)
              and got.count("\n") == 1, (status, got))
    layers = ('{"model_type": "llama", "head_dim": 64, "rope_theta": 1e4, "layer_types": ["full_attention"], '
              '"rope_scaling": {"type": "linear", "factor": 2}, "sections": [], "window": null, "x": [[1], {"y": 2}]}')
    for word in ("layer_types.x=1", "rope_theta[0]=5", "rope_scaling[0]=5", "layer_types[0].x=3", "rope_theta.x=1", "x.y=1",
                 "x[0].y=1", "x[1][0]=1", "x[0][0][0]=1", "model_type[0]=1",
                 "sections.x=1"):
        status, got = pe_of(layers, word)
        wrong = [n for p in got.values() for n in p["wrong"]] if isinstance(got, dict) else []
        check(f"{word} does not fit the file", status == 1 and [n["key"] for n in wrong] == [word] and
              wrong[0]["text"].startswith("cannot be set: "), (status, got))
    for word in ("layer_types[0]=sliding_attention", "sections[0]=1", "window[0]=1", "window.x=1", "x[0][0]=1",
                 "x[1].y=1", "x[1].z=1", "new.x[3].y=1"):
        status, got = pe_of(layers, word)
        check(f"{word} fits the file", "cannot be set" not in str(got), (status, got))


def complaints():
    status, got = pe(CONFIGS + "broken.json")
    check("broken: returns 1", status == 1, status)
    notes("broken", got["text"], [], ["head_dim", "rope_scaling.rope_type", "max_position_embeddings",
                                      "rope_scaling.factor", "rope_scaling.beta_quick", "rope_teta"])
    yarn_fields = ["head_dim=128", "rope_theta=1e6", "rope_type=yarn", "factor=4"]
    for what, fields, odd, wrong in (
            ("an odd rotary width", ["head_dim=100", "rope_theta=1e4", "partial_rotary_factor=0.33"], [],
             ["partial_rotary_factor"]),
            ("a factor that does nothing", ["head_dim=64", "rope_theta=1e4", "rope_scaling.factor=8"],
             ["rope_type", "rope_scaling.factor"], []),
            ("a factor of 1", ["head_dim=64", "rope_theta=1e4", "rope_type=linear", "factor=1"], ["factor"], []),
            ("mscale alone", yarn_fields + ["mscale=0.7", "original_max_position_embeddings=32768"], ["mscale"], []),
            ("no original length", yarn_fields + ["max_position_embeddings=131072"],
             ["original_max_position_embeddings"], []),
            ("no length at all", yarn_fields, [], ["original_max_position_embeddings"]),
            ("lengths that do not fit", yarn_fields + ["original_max_position_embeddings=32768",
                                                       "max_position_embeddings=40960"], ["factor"], []),
            ("a factor that is missing", ["head_dim=64", "rope_theta=1e4", "rope_type=llama3",
                                          "original_max_position_embeddings=8192"], [], ["factor"]),
            ("a theta below 1", ["head_dim=64", "rope_theta=0.5"], [], ["rope_theta"]),
            ("no head", ["rope_theta=1e4"], [], ["head_dim"]),
            ("a list that is short", ["head_dim=8", "rope_theta=1e4", "rope_type=longrope", "factor=4",
                                      "original_max_position_embeddings=4096", "short_factor=[1,2,3]",
                                      "long_factor=[1,2,3,4]"], ["sequence_length"], ["short_factor"]),
            ("sections that do not fit", ["head_dim=8", "rope_theta=1e4", "mrope_section=[1,1]"], [], ["mrope_section"])):
        status, got = pe_keys(*fields)
        notes(what, got["text"], odd, wrong)
        check(f"{what}: returns {int(bool(wrong))}", status == bool(wrong))
    check("a file that is not there", pe("/nowhere.json")[0] == 1)
    table_of = ["table", "x=1", "/dev/null"]
    for options in ([], ["--json"], ["draw", "x=1"], ["show"], ["show", "--tabel", "x"], ["show", "--part"],
                    ["show", "a.json", "b.json"], ["table", "x=1"], [*table_of, "--type", "f8"],
                    [*table_of, "--layout", "flat"], [*table_of, "--positions", "0-16"],
                    [*table_of, "--positions", "1,2;3"], ["show", "head_dim=8", "--part", "vision"],
                    ["table", CONFIGS + "gemma-3.json", "/dev/null"]):
        run = subprocess.run([sys.argv[1], *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        check(f"refused: {' '.join(options) or 'nothing'}", run.returncode == 2 and b"usage" in run.stderr and
              not run.stdout, run)


def pe_of(text, *words):
    with tempfile.NamedTemporaryFile("wb", suffix=".json", delete=False) as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    got = pe(file.name, *words)
    os.unlink(file.name)
    return got


LLAMA = '{"model_type": "llama", "head_dim": 64, "rope_theta": 10000, %s}'
LAYERS = '{"model_type": "llama", "head_dim": 64, "rope_parameters": {%s}}'
LAYER = '{"rope_type": "default", "rope_theta": 10000}'
WHOLE = '{"rope_type": "default", "rope_theta": 10000, "partial_rotary_factor": 1.0}'


def hostile():
    """Checks that invalid files are refused, each with the right error text."""
    for what, text, line in (("no colon", '{\n "head_dim": 64,\n "rope_theta" 10000\n}\n', 3),
                             ("an array", "[1, 2]", 1), ("a string", '"llama"', 1), ("a number", "7", 1), ("nothing", "", 1), ("blank", "\n\n ", 3),
                             ("text behind it", LLAMA % '"x": 1' + "\nmore", 2), ("a comma", LLAMA % "", 1),
                             ("nan", LLAMA % '"x": nan', 1), ("a comment", "{ // base\n}", 1),
                             ("a comma at the end", "{\n\"x\": 1,\n}", 3), ("a NUL", (LLAMA % '"x": 1').encode() + b"\n\0", 2),
                             ("too deep", '{"a":' * 2000 + "1" + "}" * 2000, 1)):
        status, got = pe_of(text)
        check(f"no JSON object: {what}", status == 1 and f"line {line}" in got["config"]["wrong"][0]["text"], got)
    for what, text, odd, wrong in (
            ("a key twice", '{"rope_theta": 1e4, "rope_theta": 5e5}', [], ["rope_theta"]),
            ("a key within twice", LLAMA % '"rope_scaling": {"factor": 2, "factor": 8}', [], ["factor"]),
            ("nulls", LLAMA % '"rope_scaling": null, "partial_rotary_factor": null', [], []),
            ("a null factor", LLAMA % '"rope_scaling": {"rope_type": "yarn", "factor": null,'
             '"original_max_position_embeddings": 4096}', ["factor"], []),
            ("two names of a type", LLAMA % '"rope_scaling": {"type": "yarn", "rope_type": "linear", "factor": 2}',
             ["rope_scaling.rope_type"], []),
            ("two scalings", LLAMA % ('"rope_scaling": {"factor": 2}, "rope_parameters": ' + LAYER),
             ["rope_type", "rope_scaling.factor", "rope_parameters"], []),
            ("a scaling that is a list", LLAMA % '"rope_scaling": []', [], ["rope_scaling"]),
            ("a type of layers that is null", LAYERS % f'"full_attention": null, "sliding": {LAYER}',
             ["rope_parameters.full_attention"], []),
            ("a number beside layers", LAYERS % f'"rope_theta": 5, "sliding": {LAYER}',
             ["rope_parameters.rope_theta"], []),
            ("too many layers", LAYERS % ", ".join(f'"l{i}": {LAYER}' for i in range(18)), [],
             ["rope_parameters.l12"]),
            ("a section and a half", LLAMA % '"mrope_section": [10.5, 10.5, 11]', [], ["mrope_section"]),
            ("sections below 0", LLAMA % '"mrope_section": [-1, 33]', [], ["mrope_section"]),
            ("too many sections", LLAMA % ('"mrope_section": [' + "2, " * 15 + "2]"), [], ["mrope_section"]),
            ("no sections", LLAMA % '"mrope_section": []', [], ["mrope_section"]),
            ("a text_config that is a list", LLAMA % '"text_config": [1]', [], ["text_config"]),
            ("a vision_config that is a number", LLAMA % '"vision_config": 3', [], ["vision_config"]),
            ("a number for a name", '{"model_type": 5, "head_dim": 64, "rope_theta": 1e4}', [], ["model_type"]),
            ("an odd head", '{"model_type": "llama", "head_dim": 63, "rope_theta": 1e4}', [], ["head_dim"]),
            ("a huge head", '{"model_type": "llama", "head_dim": 1e300, "rope_theta": 1e4}', [],
             ["head_dim"]),
            ("a large head", '{"model_type": "llama", "head_dim": 1099511627776, "rope_theta": 1e4}', [],
             ["head_dim"]),
            ("a theta beyond doubles", '{"model_type": "llama", "head_dim": 64, "rope_theta": 1e999}', [],
             ["rope_theta"]),
            ("a huge row", '{"preset": "t2t", "d_model": 1e15}', [], ["d_model"]),
            ("what controls a terminal", LLAMA % '"rope_\\u001b[2J\\u0085": 1', [], ["rope_??2J??"]),
            ("what is no UTF-8", (LLAMA % '"rope_#": 1').encode().replace(b"#", b"\xff\xc3"), [], ["rope_??"]),
            ("a letter that is cut", LLAMA % f'"ropes_{"é" * 60}": 1', [], [f'ropes_{"é" * 44}?'])):
        status, got = pe_of(text)
        check(f"{what}: returns {int(bool(wrong))}", status == bool(wrong) and isinstance(got, dict), got)
        if isinstance(got, dict):
            notes(what, next(iter(got.values())), odd, wrong)
    for arguments, key in ((["--positions", "0,1;2,3"], "--positions"), (["--type", "f64"], "--type")):
        status, got = tabled("/dev/null", "head_dim=64", "rope_theta=1e4", *arguments)
        check(f"a table with {arguments}", status == 1 and f"text: {key}: " in got, got)
    for model, key, value in (("mixtral", "rope_theta", "1000000"), ("minimax_m2", "rope_theta", "5000000"),
                              ("glm4_moe", "partial_rotary_factor", "0.5")):
        status, got = pe_of(f'{{"model_type": "{model}", "head_dim": 128}}')
        check(f"{model} without {key}", any(n["key"] == key and n["text"].startswith(value + ":")
                                            for n in got["text"]["understood"]), got["text"]["understood"])
    run = subprocess.run([sys.argv[1], "--help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    check("--help", run.returncode == 0 and run.stdout.startswith(b"usage: posenc") and not run.stderr)
    flags = [(re.match(r"  (--\S+(?: [A-Z]+)?)  +", block)[1], " ".join(block.split("  ", 2)[2].split()))
             for block in re.findall(r"^  --.*(?:\n {19}.*)*", run.stdout.decode(), re.M)]
    rows_of = re.findall(r"^\| `(--[^`]+)` \| ([a-z, ]+) \| (.*) \|$", open("docs/tool.md").read(), re.M)
    check("docs/tool.md has the flags of --help", len(flags) > 10 and flags == [(name, text.replace("<br>", " ")) for name, _, text in rows_of],
          (flags, rows_of))
    for name, commands, _ in rows_of:
        flag = name.replace("FILE", "x.npy").replace("NAME", "text").split()
        for command in ("show", "table", "compare"):
            run = subprocess.run([sys.argv[1], command, "head_dim=8", *flag], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            is_refused = run.returncode == 2 and f"{command} does not take it".encode() in run.stderr
            check(f"{command} {flag[0]}: {'taken' if command in commands else 'refused'}",
                  is_refused == (command not in commands) or flag[0] == "--help", run)


def utf8():
    """Checks that each byte of invalid UTF-8 is replaced by a '?' and that all other text stays. Python's decoder says
    which bytes are invalid."""
    codecs.register_error("each byte", lambda error: ("?", error.start + 1))
    leads, seconds = b"\xc0\xc1\xc2\xdf\xe0\xe1\xec\xed\xee\xef\xf0\xf1\xf3\xf4\xf5\xff", b"A\x80\x8f\x90\x9f\xa0\xbf\xc2"
    every = [bytes(four) for four in itertools.product(leads, seconds, b"\x80\xbfA\xc2", b"\x80\xbfA")]
    keys = [b"rope_%d-" % k + b"-".join(every[k:k + 12]) for k in range(0, len(every), 12)]
    for k in range(0, len(keys), 64):
        status, got = pe_of((LLAMA % '"x": 1').encode()[:-1] + b"".join(b', "%s": 1' % key for key in keys[k:k + 64]) + b"}")
        wanted = [re.sub("[\x80-\x9f]", "??", key.decode("utf-8", "each byte")) for key in keys[k:k + 64]]
        named = [note["key"] for note in got["text"]["wrong"]] if isinstance(got, dict) else got
        check(f"UTF-8, {12 * len(wanted)} forms", status == 1 and named == wanted, named)
    rope = b'"rope_parameters": {"rope_type": "yarn", "rope_theta": "\xf4\x90\x80\x80", "a\\"\xed\xa0\x80": "\xe0\x80\x80\\"",' \
           b'"long": [' + b"1, " * 5000 + b'1]}'
    for what, text, place in (("", b'{"model_type": "llama", ' + rope + b"}", "rope_parameters"),
                              (" within", b'{"\\"\xffx_config": {"model_type": "llama", ' + rope + b"}}", '"?x_config.rope_parameters')):
        with tempfile.NamedTemporaryFile("wb", suffix=".json") as file:
            file.write(text)
            file.flush()
            run = subprocess.run([sys.argv[1], "show", "--json", file.name], stdout=subprocess.PIPE)
            try:
                got = json.loads(run.stdout.decode())["readers"]
            except ValueError as error:
                got = error
            check(f"what transformers 4 lacks{what}: bytes that are no UTF-8", got == [{
                "reader": "transformers 4", "key": place, "add": {"rope_theta": "????", "rope_scaling": {
                    "rope_type": "yarn", 'a"???': '???"', "long": "[5001 elements]"}}}], got)
            run = subprocess.run([sys.argv[1], "show", file.name], stdout=subprocess.PIPE)
            check(f"in words{what}", b"ignores " + place.encode() in run.stdout and run.stdout.decode(errors="replace").count(
                "\ufffd") == 0, run.stdout)


def values_of(data, kind):
    code = TYPES[kind][0]
    if code is None:  # bf16, the upper half of a float
        halves = struct.unpack(f"={len(data) // 2}H", data)
        return [struct.unpack("=f", struct.pack("=I", h << 16))[0] for h in halves]
    return list(struct.unpack(f"={len(data) // struct.calcsize(code)}{code}", data))


def table(what, expected, shape, kind, *arguments):
    """Checks that these arguments write a .npy of this shape and type, with the expected values, each rounded once."""
    with tempfile.TemporaryDirectory() as folder:
        npy, raw = os.path.join(folder, "t.npy"), os.path.join(folder, "t.raw")
        status, got = tabled(npy, *arguments, "--type", kind)
        same_status = tabled(raw, *arguments, "--type", kind)[0]
        if status or same_status:
            return check(what, False, got)
        data, bits = open(npy, "rb").read(), open(raw, "rb").read()
    length = 10 + struct.unpack("<H", data[8:10])[0]
    head = eval(data[10:length])  # a dict of literals, as numpy reads it
    order = "<" if sys.byteorder == "little" else ">"
    names = {"f32": "f4", "f16": "f2", "bf16": "u2", "f64": "f8"}
    check(f"{what}: its head", length % 64 == 0 and data[:8] == b"\x93NUMPY\1\0" and head == {
        "descr": order + names[kind], "fortran_order": False, "shape": shape}, data[:length])
    check(f"{what}: raw is the same", data[length:] == bits)
    rounded = [float(nearest(x, *TYPES[kind][1:])) for x in expected]
    values = values_of(bits, kind)
    check(f"{what}: {len(rounded)} elements of {kind}", values == rounded,
          [(i, v, r) for i, (v, r) in enumerate(zip(values, rounded)) if v != r][:3])


def tables():
    omega = [D(float(w)) for w in llama3(128, 500000, 8, 1, 4, 8192)]
    rows = [[sincos(p * w) for w in omega] for p in (131071, 131073, 131075)]
    cosines, sines = [[c for _, c in row] for row in rows], [[s for s, _ in row] for row in rows]
    llama = [CONFIGS + "llama-3.1.json", "--positions", "131071:3:2"]
    both = sum(cosines, []) + sum(sines, [])
    for kind in ("f32", "f16", "bf16"):
        table("Llama 3.1, apart", both, (2, 3, 64), kind, *llama)
    table("Llama 3.1, twice", sum((r * 2 for r in cosines), []) + sum((r * 2 for r in sines), []), (2, 3, 128), "f32",
          *llama, "--layout", "twice")
    table("Llama 3.1, joined", sum((c + s for c, s in zip(cosines, sines)), []), (3, 128), "f32", *llama, "--layout",
          "joined")
    table("Llama 3.1, complex", [x for row in rows for s, c in row for x in (c, s)], (3, 128), "f32", *llama,
          "--layout", "complex")
    table("Llama 3.1, matrix", [x for row in rows for s, c in row for x in (c, -s, s, c)], (3, 256), "f32", *llama,
          "--layout", "matrix")
    attention = D(float(mscale(32)))
    omega = [D(float(w)) for w in yarn(64, 150000, 32, 4096, truncate=False)]
    table("GPT-OSS at a list", [attention * sincos(p * w)[k] for k in (1, 0) for p in (7, D("0.5")) for w in omega],
          (2, 2, 32), "f32", CONFIGS + "gpt-oss.json", "--positions", "7,0.5")
    omega = [D(float(w)) for w in default(128, 1000000)]
    axis = [0] * 16 + [1] * 24 + [2] * 24
    points = ((5, 6, 7), (8, 9, 10))
    table("Qwen2.5-VL at points", [sincos(p[a] * w)[k] for k in (1, 0) for p in points for a, w in zip(axis, omega)],
          (2, 2, 64), "f32", CONFIGS + "qwen2.5-vl.json", "--part", "text", "--positions", "5,6,7;8,9,10")
    omega = [D(float(w)) for w in default(40, 10000)]
    table("its tower on a grid", [sincos(cell[a] * w)[k] for k in (1, 0) for cell in ((0, 0), (0, 1), (1, 0), (1, 1))
                                  for a in (0, 1) for w in omega], (2, 4, 40), "f32",
          CONFIGS + "qwen2.5-vl.json", "--part", "vision", "--positions", "2x2")
    omega = [1 / D(10000) ** (D(i) / 191) for i in range(192)]
    whisper = [sincos(p * w)[k] for p in (0, 1, 1499) for k in (0, 1) for w in omega]
    for kind in TYPES:
        table("Whisper's table", whisper, (3, 384), kind, "preset=t2t", "d_model=384", "--positions", "0,1,1499")
    check("f64 of RoPE is refused", tabled("/dev/null", *llama, "--type", "f64")[0] == 1)
    check("a grid for one axis is refused", tabled("/dev/null", "preset=t2t", "d_model=8", "--positions",
                                                   "2x2")[0] == 1)
    check("a folder that is not there", tabled("/nowhere/t.npy", "preset=t2t", "d_model=8")[0] == 1)
    with tempfile.TemporaryDirectory() as folder:
        npy = os.path.join(folder, "t.npy")
        run = subprocess.run([sys.argv[1], "table", "preset=t2t", "d_model=8", npy], stdout=subprocess.PIPE)
        check("a table says its shape", b"t2t: 16 rows of 8 f32 numbers in " in run.stdout, run.stdout)
        for options, start in ([], 0), (["--raw"], 128):
            run = subprocess.run([sys.argv[1], "table", "preset=t2t", "d_model=8", "-", *options], stdout=subprocess.PIPE)
            check(f"standard output {options}", run.returncode == 0 and run.stdout == open(npy, "rb").read()[start:])
    got = tabled("/dev/null", "/nowhere.json")
    check("a table of no file", got[0] == 1 and got[1].count("\n") == 1 and "no such file" in got[1] and
          "docs/models.md" in got[1], got)
    got = tabled("/dev/null", CONFIGS + "nemotron-h.json")
    check("a table where nothing rotates", got[0] == 1 and "no table of sines" in got[1], got)


def no_config():
    """Checks the error texts for a FILE that is not a config, and for words that look like the name of a model."""
    def said(*words):
        status, got = pe(*words)
        wrong = [note for part in got.values() for note in part["wrong"]] if isinstance(got, dict) else []
        return status, wrong[0]["text"] if len(wrong) == 1 else got

    with tempfile.TemporaryDirectory() as folder:
        def file(name, data):
            with open(os.path.join(folder, name), "wb") as to:
                to.write(data)
            return os.path.join(folder, name)

        model = os.path.join(folder, "model")
        os.mkdir(model)
        json_file = file("llama.json", open(CONFIGS + "llama-3.1.json", "rb").read())
        beneath, neither = os.path.join(json_file, "config.json"), ("neither a JSON object nor GGUF",)
        for what, path, says in (
                ("a model's name", "meta-llama/Llama-3.1-8B", ("no such file", "KEY=VALUE", "docs/models.md")),
                ("a path beneath a file", beneath, ("no such file", "docs/models.md")),
                ("an empty directory", model, ("a directory without a config.json",)),
                ("text", file("a.txt", b"version https://git-lfs.github.com/spec/v1\n"), neither),
                ("a zip", file("a.bin", b"PK\3\4\0\0{}"), neither),
                ("safetensors", file("a.safetensors", b"\x90\x01" + bytes(6) + b'{"x":{}}'), neither)):
            status, got = said(path)
            check(f"{what} as FILE", status == 1 and all(words in got for words in says), got)
        file("model/config.json", open(json_file, "rb").read())
        for path in (model, model + "/"):
            check(f"the config.json of a directory: {path[-6:]}", pe(path) == pe(json_file), pe(path))
        file("model/config.json", b"{")
        run = subprocess.run([sys.argv[1], "show", model], stdout=subprocess.PIPE)
        check("a directory's bad config.json", run.returncode == 1 and b"/model/config.json" in run.stdout and
              b"is no JSON object: see line 1" in run.stdout, run.stdout)
        if hasattr(os, "geteuid") and os.geteuid() != 0:
            os.chmod(json_file, 0)
            status, got = said(json_file)
            check("a file that may not be read", status == 1 and "permission denied" in got, got)
    for word, says in (("preset=llama3.1", "A model that rotates has no preset: docs/models.md"),
                       ("model_type=minicpm", "give head_dim, or hidden_size and num_attention_heads. docs/models.md"),
                       ("model_type=llama head_dim=63", "head_dim = 63 is odd"),
                       ("model_type=llama hidden_size=189 num_attention_heads=3",
                        "hidden_size / num_attention_heads = 63 is odd"),
                       ("model_type=glm4_moe head_dim=62 partial_rotary_factor=0.5", "int(62 * 0.5) = 31 is odd")):
        status, got = said(*word.split())
        check(f"{word} leads on", status == 1 and says in got, got)


def readers():
    """Checks which keys posenc says to add, so that transformers 4 reads a file of transformers 5.
    tests/checks/readers.py tries these keys."""
    inner = '"rope_parameters": {"rope_theta": 1e6, "rope_type": "yarn", "factor": 4.0, "long": [1, 2]}'
    added = {"rope_theta": 1e6, "rope_scaling": {"rope_type": "yarn", "factor": 4.0, "long": [1, 2]}}
    layers = '"rope_parameters": {"full_attention": {"rope_theta": 1e6, "rope_type": "default"}}'
    with tempfile.TemporaryDirectory() as folder:
        for what, keys, wanted in (("alone", inner, added), ("a base beside it", inner + ', "rope_theta": 1e6',
                                                             {"rope_scaling": added["rope_scaling"]}),
                                   ("both beside it", inner + ', "rope_theta": 1e6, "rope_scaling": {"factor": 4}', []),
                                   ("nothing", '"rope_theta": 1e6', []), ("kinds of layers", layers, None)):
            path = os.path.join(folder, "config.json")
            with open(path, "w") as to:
                to.write('{"model_type": "llama", "head_dim": 64, %s}' % keys)
            run = subprocess.run([sys.argv[1], "show", "--json", path], stdout=subprocess.PIPE)
            got = json.loads(run.stdout)["readers"]
            text = subprocess.run([sys.argv[1], "show", path], stdout=subprocess.PIPE).stdout.decode()
            check(f"transformers 4, {what}", got == [] == wanted or got == [
                {"reader": "transformers 4", "key": "rope_parameters", "add": wanted}], got)
            check(f"transformers 4, {what}, in words", ("transformers 4 ignores rope_parameters" in text) ==
                  (wanted != []), text[-400:])


def limits():
    """Checks sparse files of 5 GB with 400 MB of memory. A file that is not JSON is refused after its first bytes."""
    def in_little_memory():
        resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))

    with tempfile.TemporaryDirectory() as folder:
        for name, head, size, says in (
                ("model.safetensors", b"\x7b\x01" + bytes(6) + b'{"x":{}}', 5 << 30, "neither a JSON object nor GGUF"),
                ("weights.bin", b"PK\3\4", 5 << 30, "neither a JSON object nor GGUF"),
                ("large.json", b'{"model_type": "llama", "x": "', 5 << 30, "more than 64 MB"),
                ("limit.json", b'{"model_type": "llama", "x": "', (64 << 20) + 1, "more than 64 MB"),
                ("below.json", b'{"model_type": "llama", "x": "', 64 << 20, "is no JSON object")):
            path = os.path.join(folder, name)
            with open(path, "wb") as to:
                to.write(head)
                to.truncate(size)
            run = subprocess.run([sys.argv[1], "show", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 preexec_fn=in_little_memory, timeout=60)
            check(f"{name} of {size} bytes", run.returncode == 1 and says.encode() in run.stdout, run.stdout[:300])


def text():
    run = subprocess.run([sys.argv[1], "show", "/dev/stdin"], input=b'{"model_type": "llama", "head_dim": 64}',
                         stdout=subprocess.PIPE)
    check("a pipe that has a name", run.returncode == 0 and b"base 10000" in run.stdout, run)
    if os.path.exists("/dev/full"):
        with open("/dev/full", "wb") as full:
            run = subprocess.run([sys.argv[1], "show", CONFIGS + "llama-2.json"], stdout=full, stderr=subprocess.PIPE)
        check("an output that is full", run.returncode == 1 and b"cannot be written" in run.stderr, run)
    run = subprocess.run([sys.argv[1], "show", "--frequencies", CONFIGS + "llama-3.1.json"], stdout=subprocess.PIPE)
    lines = run.stdout.decode().splitlines()
    last = [float(x) for x in lines[-3].split()[1:]]
    omega = float(llama3(128, 500000, 8, 1, 4, 8192)[63])
    check("text for people", lines[0] == "text, layers 0-31: RoPE" and last == [omega, float(2 * PI / D(omega))], lines[-1])


# ROWS names rows of docs/models.md, with the model_type of their files.
ROWS = {"Llama 2": "llama", "Llama 4": "llama4_text", "Mixtral": "mixtral", "Mistral 7B v0.3": "mistral",
        "Ministral 3": "ministral3", "Qwen2.5": "qwen2", "Qwen3": "qwen3", "Qwen3-Next": "qwen3_next",
        "DeepSeek V2": "deepseek_v2", "DeepSeek V3": "deepseek_v3", "Kimi K2": "kimi_k2", "GPT-OSS": "gpt_oss",
        "Gemma 2": "gemma2", "Phi-4": "phi3", "GLM-4": "glm4", "GLM-4.5": "glm4_moe",
        "GLM-4.7-Flash": "glm4_moe_lite", "ChatGLM2": "chatglm", "ERNIE 4.5": "ernie4_5", "MiniMax-M2": "minimax_m2 rotary_dim=64",
        "GPT-J": "gptj", "GPT-NeoX-20B": "gpt_neox", "Command R": "cohere", "StableLM 2": "stablelm",
        "Falcon 7B": "falcon", "TimesFM 2.5": "timesfm2_5", "OLMo 2": "olmo2", "HunYuan": "hunyuan_v1_dense",
        "GTE": "new", "Qwen3-VL": "qwen3_vl_text", "Qwen3.5": "qwen3_5_text", "GLM-4.1V": "glm4v_text partial_rotary_factor=0.5",
        "Qwen2-VL": "qwen2_vl", "Qwen2.5-VL": "qwen2_5_vl", "Qwen3-Omni": "qwen3_omni_moe_text",
        "Qwen2.5-Omni": "qwen2_5_omni_text", "ERNIE 4.5 VL": "ernie4_5_moe_vl"}


def per_layer():
    """Checks which layers are in one part, for each key that decides it."""
    base = '"num_hidden_layers": 8, "head_dim": 64, "rope_theta": 10000'
    odd, even, fourth = [1, 3, 5, 7], [0, 2, 4, 6], [3, 7]
    rest = [0, 1, 2, 4, 5, 6]
    for what, text, parts in (
            ("Command A", '"model_type": "cohere2", %s', {"text": rest, "nope": fourth}),
            ("a pattern of letters", '"model_type": "exaone4", "sliding_window_pattern": "LG", %s',
             {"text": even, "nope": odd}),
            ("no window", '"model_type": "exaone4", "sliding_window": null, %s', {"text": [*range(8)]}),
            ("Gemma 3n's pattern", '"model_type": "gemma3n_text", %s',
             {"full_attention": [4], "sliding_attention": [0, 1, 2, 3, 5, 6, 7]}),
            ("Qwen3-Next's", '"model_type": "qwen3_next", %s', {"text": fourth, "linear_attention": rest}),
            ("a list of window layers", '"model_type": "mimo_v2_flash", "hybrid_layer_pattern": [0, 1, 0, 1, 0, 1, 0, 1], "rope_parameters": '
             '{"full_attention": ' + WHOLE + ', "sliding_attention": ' + WHOLE + '}, %s', {"full_attention": even, "sliding_attention": odd}),
            ("a list of kinds", '"model_type": "minimax_text_01", "attn_type_list": [0, 1, 0, 1, 0, 1, 0, 1], %s',
             {"text": odd, "linear_attention": even}),
            ("labels that are no kinds", '"model_type": "deepseek_v4", "rope_parameters": {"main": ' + LAYER +
             ', "compress": ' + LAYER + '}, "compress_ratios": [0, 4, 0, 4, 0, 4, 0, 4], %s', {"main": even, "compress": odd}),
            ("a list of attention layers", '"model_type": "bamba", "attn_layer_indices": [2, 5], %s',
             {"text": [2, 5], "linear_attention": [0, 1, 3, 4, 6, 7]}),
            ("one that counts from 1", '"model_type": "bailing_hybrid", "linear_attn_config": {"full_attn_layers": [4, 8]}, %s',
             {"text": fourth, "linear_attention": rest}),
            ("RecurrentGemma's blocks", '"model_type": "recurrent_gemma", %s',
             {"text": [2, 5], "recurrent": [0, 1, 3, 4, 6, 7]}),
            ("blocks of a file", '"model_type": "recurrent_gemma", "block_types": ["recurrent", "attention"], %s',
             {"text": odd, "recurrent": even}),
            ("layers without a period", '"model_type": "smollm3", "no_rope_layers": [0, 1, 1, 1, 1, 1, 1, 1], %s',
             {"text": [1, 2, 3, 4, 5, 6, 7], "nope": [0]})):
        status, got = pe_of("{" + text % base + "}")
        check(f"{what}: layers", status == 0 and {k: p["layers"] for k, p in got.items()} == parts, got)
    part = pe_of('{"model_type": "chatglm", "kv_channels": 128, "rope_ratio": 500}')[1]["text"]
    same("ChatGLM's rope_ratio", part, default(64, 5000000))
    for original, layout in (("true", "interleaved"), ("false", "halves")): # vllm 028aedf6, chatglm.py: is_neox_style
        status, got = pe_of('{"model_type": "chatglm", "kv_channels": 128, "original_rope": %s}' % original)
        check(f"ChatGLM's original_rope {original}", (status, got["text"]["config"]["layout"]) == (0, layout), got)
    part = pe_of('{"thinker_config": {"text_config": {"model_type": "qwen2_5_omni_text", "head_dim": 128}}}')[1]["text"]
    same("a thinker", part, default(128, 1000000))
    # Numbers of transformers 5.17.0: frequencies for 128 elements where 64 rotate, 128 of 512 elements, no scaling, and
    # the factor of rope_scaling. tests/checks/changed_keys.py asks the library itself.
    status, parts = pe_of('{"model_type": "deepseek_v3", "head_dim": 128}')
    check("MLA with another width", (status, [note["key"] for note in parts["text"]["wrong"]]) == (1, ["qk_rope_head_dim"]),
          parts)
    share = '{"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 0.25}'
    status, parts = pe_of('{"model_type": "deepseek_v4", "rope_parameters": {"main": %s, "compress": %s}}' % (share, share))
    check("DeepSeek V4's own share", [(p["rotary_dim"], p["rotary_offset"]) for p in parts.values()] == [(128, 384)] * 2, parts)
    status, parts = pe_of('{"model_type": "gemma3_text", "rope_scaling": {"type": "linear", "factor": 8}}')
    same("Gemma 3's scaling by type", parts["full_attention"], default(256, 1000000))
    status, parts = pe_of('{"model_type": "llama", "head_dim": 64, "rope_scaling": {"rope_type": "linear", "factor": 2}, '
                          '"rope_parameters": {"rope_type": "linear", "factor": 4, "rope_theta": 5e5}}')
    same("rope_scaling beside rope_parameters", parts["text"], linear(64, 10000, 2))
    status, parts = pe_of('{"head_dim": 127, "kv_channels": 128, "rope_theta": 1e4}')
    check("an odd width is noted at its key", [note["key"] for note in parts["text"]["wrong"]] == ["head_dim"], parts)
    status, parts = pe_of('{"head_dim": 64, "rope_theta": 1e4, "max_position_embeddings": 4096, "rope_scaling": '
                          '{"rope_type": "dynamic", "factor": 2, "sequence_length": 16384}}')
    check("a sequence_length in the scaling", status == 0 and parts["text"]["config"]["sequence_length"] == 16384, parts)
    part = pe_of('{"head_dim": 64, "rope_percent": 0.5}')[1]["text"]
    same("rope_percent", part, default(32, 10000))
    for key, value in (("rope_percent", 0.5), ("rotary_dim", 16), ("qk_rope_head_dim", 32), ("global_rope_theta", 54321.0)):
        # LlamaConfig reads none of these, so Llama's frequencies are those of 64 elements and the base 10000.
        status, parts = pe_of(json.dumps({"model_type": "llama", "head_dim": 64, key: value}))
        same(f"{key} in a file of Llama", parts["text"], default(64, 10000))
        said = [note["text"] for note in parts["text"]["odd"] if note["key"] == key]
        check(f"... is said to do nothing: {key}", status == 0 and "does nothing" in "".join(said), parts["text"]["odd"])
    lists = ('"model_type": "step3p5", "head_dim": 64, "rope_theta": [1e6, 1e4], '
             '"layer_types": ["full_attention", "sliding_attention"]')
    got = pe_of("{" + lists + "}")[1]
    same("a list of bases without a scaling", got["sliding_attention"], default(64, 10000))
    # In transformers, the scaling of step3p5 is that of full attention, and needs the key rope_type.
    got = pe_of("{" + lists + ', "rope_scaling": {"rope_type": "linear", "factor": 2}, "yarn_only_types": ["sliding_attention"]}')[1]
    same("a scaling of full attention", got["full_attention"], linear(64, 1000000, 2))
    same("... alone", got["sliding_attention"], default(64, 10000))
    got = pe_of("{" + lists + ', "rope_scaling": {"type": "linear", "factor": 2}}')[1]
    same("a scaling without rope_type", got["full_attention"], default(64, 1000000))
    lists = lists.replace('"model_type": "step3p5", ', "")
    got = pe_of("{" + lists + ', "rope_scaling": {"type": "linear", "factor": 2}, "yarn_only_types": ["sliding_attention"]}')[1]
    same("a scaling of sliding layers", got["sliding_attention"], linear(64, 10000, 2))
    same("... alone", got["full_attention"], default(64, 1000000))
    status, got = pe_of("{" + lists + ', "rope_scaling": {"type": "linear", "factor": 2}, "yarn_only_types": [[1]]}')
    check("a list within yarn_only_types", status == 1 and isinstance(got, dict) and
          [n["key"] for n in got["full_attention"]["wrong"]] == ["yarn_only_types"], got)
    for what, text, key in (
            ("values that differ within a kind", '"model_type": "step3p5", "rope_theta": [1e4, 1e6], "head_dim": 64, '
             '"layer_types": ["full_attention", "full_attention"]', "rope_theta"),
            ("a kind without a rotation", '"model_type": "gemma3_text", "layer_types": ["chunked_attention"]',
             "layer_types"),
            ("a position_embedding_type", '"model_type": "bert", "position_embedding_type": "fancy"',
             "position_embedding_type"),
            ("more layers than can be", '"model_type": "llama", "head_dim": 64, "num_hidden_layers": 1e9',
             "num_hidden_layers"),
            ("a pattern of more layers than can be", '"model_type": "nemotron_h", "hybrid_override_pattern": "%s"' % ("*M" * 2500),
             "hybrid_override_pattern"),
            ("such a pattern without a type", '"head_dim": 64, "rope_theta": 1e4, "hybrid_override_pattern": "%s"' % ("*" * 4097),
             "hybrid_override_pattern")):
        status, got = pe_of("{" + text + "}")
        keys = [n["key"] for p in got.values() for n in p["wrong"]]
        check(f"{what}: {key} is wrong", status == 1 and key in keys, got)
    got = pe_of('{"model_type": "nemotron_h", "hybrid_override_pattern": "%s"}' % ("*M" * 2048))
    check("a pattern of as many layers as can be", got[1]["text"]["layers"] == [*range(4096)], got)


def real_files():
    """Checks the parts of models' files, each with a key or a default that an earlier posenc did not know."""
    base = '"hidden_size": 512, "num_attention_heads": 8, '
    linear = [*range(8)]
    for what, text, parts in (
            ("Mistral 7B's window", '"model_type": "mistral"', {"text": {"window": 4096}}),
            ("no window of Mistral", '"model_type": "mistral", "sliding_window": null', {"text": {"window": None}}),
            ("RecurrentGemma's window", '"model_type": "recurrent_gemma", "num_hidden_layers": 6',
             {"text": {"layers": [2, 5], "window": 2048}, "recurrent": {"kind": "none"}}),
            ("windows from a layer on", '"model_type": "qwen2", "use_sliding_window": true, "sliding_window": 99, '
             '"max_window_layers": 6, "num_hidden_layers": 8', {"text": {"layers": linear, "window": None}}),
            ("windows from the first layer on", '"model_type": "qwen3", "use_sliding_window": true, "sliding_window": 99, '
             '"max_window_layers": 0, "num_hidden_layers": 8', {"text": {"layers": linear, "window": 99}}),
            ("windows of even layers", '"model_type": "qwen2_moe", "use_sliding_window": true, "sliding_window": 99, '
             '"num_hidden_layers": 1', {"text": {"layers": [0], "window": 99}}),
            ("layers of Llama 3.2 Vision", '"model_type": "mllama_text_model", "num_hidden_layers": 8, '
             '"cross_attention_layers": [3, 7]', {"text": {"layers": [0, 1, 2, 4, 5, 6], "rope_theta": 5e5},
                                                  "cross_attention": {"layers": [3, 7], "kind": "none"}}),
            ("Qwen3-Omni's interleaved", '"model_type": "qwen3_omni_moe_text", "rope_scaling": {"interleaved": true, '
             '"mrope_interleaved": true, "mrope_section": [12, 10, 10], "rope_type": "default"}',
             {"text": {"sections": [12, 10, 10], "section_order": "interleaved"}}),
            ("mT5", '"model_type": "mt5", "relative_attention_num_buckets": 32', {"text": {"kind": "t5", "buckets": 32}}),
            ("ALBERT", '"model_type": "albert", "max_position_embeddings": 512', {"text": {"kind": "learned", "rows": 512}}),
            ("DeepSeek-OCR", '"model_type": "deepseek_v2", "use_mla": false, "qk_rope_head_dim": 0, "qk_nope_head_dim": 0',
             {"text": {"kind": "rope", "rotary_dim": 64, "pairs": "halves"}}),
            ("an MPT with RoPE", '"model_type": "mpt", "attn_config": {"alibi": false, "rope": true, "rope_theta": 5e5}',
             {"text": {"kind": "rope", "rope_theta": 5e5}}),
            ("Qwen3-VL without mrope_interleaved", '"model_type": "qwen3_vl_text", "rope_scaling": {"rope_type": "default", '
             '"mrope_section": [24, 20, 20]}', {"text": {"section_order": "interleaved"}}),
            ("ModernBERT's decoder", '"model_type": "modernbert-decoder", "num_hidden_layers": 6',
             {"full_attention": {"layers": [0, 3], "rope_theta": 160000},
              "sliding_attention": {"layers": [1, 2, 4, 5], "rope_theta": 10000, "window": 64}}),
            ("OLMo Hybrid", '"model_type": "olmo_hybrid", "rope_parameters": {"rope_theta": null, "rope_type": "default"}',
             {"text": {"kind": "none"}}),
            ("OLMo Hybrid's old key", '"model_type": "olmo_hybrid", "rope_theta": null', {"text": {"kind": "none"}}),
            ("an OLMo Hybrid that rotates", '"model_type": "olmo_hybrid", "num_hidden_layers": 4, "rope_parameters": '
             '{"rope_theta": 5e5, "rope_type": "default"}', {"text": {"layers": [3], "rope_theta": 5e5},
                                                             "linear_attention": {"layers": [0, 1, 2]}}),
            ("K-EXAONE", '"model_type": "exaone_moe", "num_hidden_layers": 4',
             {"text": {"layers": [0, 1, 2], "window": 4096}, "nope": {"layers": [3]}}),
            ("Ministral 8B's window", '"model_type": "ministral"', {"text": {"window": 4096}}),
            ("VaultGemma", '"model_type": "vaultgemma"', {"text": {"head_dim": 256, "rope_theta": 10000}}),
            ("CWM", '"model_type": "cwm"', {"text": {"head_dim": 128, "rope_theta": 1e6}}),
            ("SmolLM2", '"model_type": "llama", "rope_interleaved": false', {"text": {"pairs": "halves"}}),
            ("ALBERT with distances", '"model_type": "albert", "position_embedding_type": "relative_key"',
             {"text": {"kind": "relative"}}),
            ("Mamba", '"model_type": "mamba2"', {"text": {"kind": "none"}}),
            ("InternLM", '"model_type": "internlm"', {"text": {"rope_theta": 10000, "pairs": "halves"}})):
        status, got = pe_of("{" + base + text + "}")
        is_said = {k: {m: got.get(k, {}).get(m) for m in v} for k, v in parts.items()}
        check(f"{what}", status == 0 and is_said == parts and got.keys() == parts.keys(), (status, is_said, got))
    for model, tower in (("qwen3_5", "qwen3_5"), ("qwen3_5_moe", "qwen3_5_moe"), ("x", "qwen2_5_omni_vision_encoder"),
                         ("x", "qwen3_omni_moe_vision_encoder"), ("x", "qwen3_5_vision"), ("glm4v_moe", "glm4v_moe"),
                         ("x", "glm4v_vision")):
        part = pe_of('{"model_type": "' + model + '", "text_config": {"model_type": "llama", "head_dim": 64}, '
                     '"vision_config": {"model_type": "' + tower + '", "hidden_size": 1152, "num_heads": 16}}')[1]["vision"]
        same(f"the tower {tower}", part, default(36, 10000) * 2)
    part = pe_of('{"model_type": "qwen2_vl", "head_dim": 128, "vision_config": {"embed_dim": 1280, "num_heads": 16}}')[1]
    same("a tower without a type", part["vision"], default(40, 10000) * 2)
    for what, text, key in (
            ("a period of 0", '"model_type": "gemma2", "sliding_window_pattern": 0', "sliding_window_pattern"),
            ("a period of 1.5", '"model_type": "smollm3", "no_rope_layer_interval": 1.5', "no_rope_layer_interval"),
            ("a period that is a list", '"model_type": "gemma2", "sliding_window_pattern": [1, 0]',
             "sliding_window_pattern"),
            ("heads that differ", '"model_type": "llama", "num_attention_heads": [8, 4]', "num_attention_heads head_dim"),
            ("windows that differ", '"model_type": "llama", "sliding_window": [64, null]', "sliding_window"),
            ("a list that ends early", '"model_type": "step3p5", "rope_theta": [1e4], "layer_types": '
             '["full_attention", "full_attention"]', "rope_theta"),
            ("numbers of a scaling that differ", '"model_type": "llama", "rope_scaling": {"type": "linear", "factor": '
             '[2, 4]}', "rope_scaling.factor"),
            ("a factor of 0", '"model_type": "llama", "rope_scaling": {"type": "linear", "factor": 0}', "factor"),
            ("a factor of YaRN of 0", '"model_type": "llama", "rope_scaling": {"type": "yarn", "factor": 0, '
             '"original_max_position_embeddings": 4096}, "max_position_embeddings": 8192', "factor"),
            ("letters that are none", '"model_type": "gemma2", "sliding_window_pattern": "abc"', "sliding_window_pattern"),
            ("kinds that are an object", '"model_type": "gemma3_text", "layer_types": {"0": "full_attention"}',
             "layer_types"),
            ("pairs of nanotron", '"model_type": "llama", "rope_interleaved": true', "rope_interleaved"),
            ("a short list", '"model_type": "smollm3", "no_rope_layers": [1]', "no_rope_layers"),
            ("a list of strings", '"model_type": "smollm3", "no_rope_layers": ["1", "0"]', "no_rope_layers"),
            ("a tower alone", '"model_type": "nobody", "rope_theta": 1e4, "patch_size": 16', "model_type"),
            ("an unknown kind", '"model_type": "llama", "layer_types": ["full_attention", "retention"]', "layer_types"),
            ("kinds that are no list", '"model_type": "gemma3_text", "layer_types": "full_attention"', "layer_types"),
            ("a key in an object", '"model_type": "llama", "attention": {"rotary_base": 5e5}', "attention.rotary_base"),
            ("a key in attn_config", '"model_type": "mistral", "attn_config": {"rope_theta": 5e5}',
             "attn_config.rope_theta")):
        heads = base if "num_attention_heads" not in text else '"hidden_size": 512, '
        status, got = pe_of("{" + heads + '"num_hidden_layers": 2, ' + text + "}")
        keys = {n["key"] for p in got.values() for n in p["wrong"]}
        check(f"{what}: {key} is named", status == 1 and keys == set(key.split()), (status, got))


def tables_of_types():
    """Checks that the two tables of model types are sorted, and that no type is in both."""
    both = [re.findall(r'^    \{"([^"]+)",', open(f"tool/model/{name}.h").read(), re.M)
            for name in ("transformers", "elsewhere")]
    check("each table of types is sorted", all(names == sorted(names) for names in both), both)
    names = sum(both, [])
    check("the two tables have each type once", len(names) > 100 and len(names) == len(set(names)), names)


def rows():
    """Checks that tool/model/ gives each type the order of pairs and the width of its row in docs/models.md."""
    page = open("docs/models.md").read()
    for model, model_type in ROWS.items():
        row = re.search(rf"^\| {re.escape(model)} \| (.*) \|$", page, re.M)
        check(f"docs/models.md has a row {model}", row)
        if not row:
            continue
        number = {k: int(v) for k, v in re.findall(r"(\w+) = (\d+)", row[1])}
        key = "qk_rope_head_dim" if "rope_interleave" in number or model == "DeepSeek V2" else "head_dim"
        part = pe(*f"model_type={model_type}".split(), f"{key}={number['head_dim']}", "rope_theta=10000")[1]["text"]
        expected = [number.get("rotary_dim", number["head_dim"]), number.get("rope_interleave", 0) == 1,
                    "neighbours" if "PE_LAYOUT_INTERLEAVED" in row[1] else "halves"]
        got = [part.get(k) for k in ("rotary_dim", "rope_interleave", "pairs")]
        check(f"{model} is {model_type}", got == expected, (got, expected))


def types():
    tool_types.run_all(sys.modules[__name__])


for part_of_the_test in (models, types, cases, silent, per_layer, real_files, rows, tables_of_types, details,
                         settings, complaints, hostile, utf8, tables, no_config, limits, readers, text):
    part_of_the_test()
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
