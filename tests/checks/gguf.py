# SPDX-License-Identifier: MIT
"""gguf.py PROGRAM [POSENC]: tests tool/files/gguf.h and tool/model/gguf_config.h with GGUF files that it writes.

PROGRAM is the compiled tests/checks/gguf.c. If POSENC, the program posenc, is given, its numbers are compared with
formulas in 70 digits. The files resemble real ones. About 25 keys of the model come first, then the tokenizer's
tokens, scores, types and merges, then the keys of rope, and last the tensors. The meaning of the keys for each
architecture was read in llama.cpp's source (on 2026-11-26, commit 00395eb2). No expected value comes from the code under
test.
"""
import json
import os
import struct
import subprocess
import sys
import tempfile
import time
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal as D, getcontext

getcontext().prec = 70
PI = D("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798215")
U8, I8, U16, I16, U32, I32, F32, BOOL, STR, ARR, U64, I64, F64 = range(13)
FORMAT = {U8: "B", I8: "b", U16: "H", I16: "h", U32: "I", I32: "i", F32: "f", BOOL: "B", U64: "Q", I64: "q", F64: "d"}
passed = failed = 0


def check(what, good, detail=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good or not what.startswith("."):
        print(f"{'ok  ' if good else 'FAIL'} {what}{'' if good else f': {detail}'}")


# ---- a writer of GGUF files

class Writer:
    def __init__(self, version=3, order="<", alignment=32):
        self.version, self.order, self.alignment = version, order, alignment
        self.keys, self.tensors = [], []

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def string(self, text):
        raw = text if isinstance(text, bytes) else text.encode()
        return self.pack("Q", len(raw)) + raw

    def value(self, kind, value):
        if kind == STR:
            return self.string(value)
        if kind == ARR:
            inner, values = value
            if inner == STR:
                return self.pack("IQ", inner, len(values)) + b"".join(self.string(v) for v in values)
            return self.pack("IQ", inner, len(values)) + self.pack(f"{len(values)}{FORMAT[inner]}", *values)
        return self.pack(FORMAT[kind], value)

    def add(self, key, kind, value):
        self.keys.append(self.string(key) + self.pack("I", kind) + self.value(kind, value))

    def raw(self, key, kind, raw):
        self.keys.append(self.string(key) + self.pack("I", kind) + raw)

    def tensor(self, name, shape, kind=0, data=b""):
        self.tensors.append((name, shape, kind, data))

    def bytes(self):
        infos, data = b"", b""
        for name, shape, kind, raw in self.tensors:
            infos += self.string(name) + self.pack("I", len(shape)) + self.pack(f"{len(shape)}Q", *shape)
            infos += self.pack("IQ", kind, len(data))
            data += raw + b"\0" * (-len(raw) % self.alignment)
        head = b"GGUF" + self.pack("IQQ", self.version, len(self.tensors), len(self.keys))
        head += b"".join(self.keys) + infos
        return head + b"\0" * (-len(head) % self.alignment) + data

    def floats(self, values):
        return self.pack(f"{len(values)}f", *values)


TOKENIZERS = {}


def tokenizer(w, count):
    """Returns the bytes of a tokenizer's keys, as converters write them. They are made once for each size and order."""
    if (count, w.order) not in TOKENIZERS:
        t = Writer(w.version, w.order)
        t.add("tokenizer.ggml.model", STR, "gpt2")
        t.add("tokenizer.ggml.pre", STR, "llama-bpe")
        t.add("tokenizer.ggml.tokens", ARR, (STR, [f"Ġt{i:x}" for i in range(count)]))
        t.add("tokenizer.ggml.scores", ARR, (F32, [0.0] * count))
        t.add("tokenizer.ggml.token_type", ARR, (I32, [1] * count))
        t.add("tokenizer.ggml.merges", ARR, (STR, [f"Ġ {i:x}" for i in range(2 * count)]))
        t.add("tokenizer.ggml.bos_token_id", U32, 1)
        t.add("tokenizer.ggml.eos_token_id", U32, 2)
        t.add("tokenizer.ggml.add_bos_token", BOOL, 1)
        t.add("tokenizer.chat_template", STR, "{% for m in messages %}" * 400)
        TOKENIZERS[count, w.order] = t.keys
    w.keys += TOKENIZERS[count, w.order]


def model(arch, keys, layers=32, heads=32, kv=8, width=4096, context=131072, tokens=128256, factors=None, w=None,
          others=()):
    """Returns the writer of a model file. The architecture's own keys come last, after the tokenizer's."""
    w = w or Writer()
    w.add("general.architecture", STR, arch)
    w.add("general.type", STR, "model")
    w.add("general.name", STR, f"A {arch}")
    w.add("general.size_label", STR, "8B")
    w.add("general.license", STR, "mit")
    w.add("general.tags", ARR, (STR, ["text-generation", "pytorch"]))
    w.add("general.file_type", U32, 15)
    w.add("general.quantization_version", U32, 2)
    if tokens:
        tokenizer(w, tokens)
    for key, kind, value in (("block_count", U32, layers), ("context_length", U32, context),
                             ("embedding_length", U32, width), ("feed_forward_length", U32, 14336),
                             ("attention.head_count", U32, heads), ("attention.head_count_kv", U32, kv),
                             ("attention.layer_norm_rms_epsilon", F32, 1e-5), *keys):
        if kind is None:
            w.keys = [k for k in w.keys if not k.startswith(w.string(f"{arch}.{key}"))]
            continue
        w.keys = [k for k in w.keys if not k.startswith(w.string(f"{arch}.{key}") + w.pack("I", U32))]
        w.add(f"{arch}.{key}", kind, value)
    for k, name in enumerate(others):
        w.tensor(name, [48], 0, w.floats([1.0 + k + i / 64 for i in range(48)]))
    if factors:
        w.tensor("rope_freqs.weight", [len(factors)], 0, w.floats(factors))
    w.tensor("token_embd.weight", [64, 64], 1, b"\7" * 8192)
    w.tensor("blk.0.attn_q.weight", [64, 64], 12, b"\7" * 2304)
    return w


# ---- the output of the programs

def run(what, path):
    p = subprocess.run([sys.argv[1], what, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def read(what, raw):
    """Runs PROGRAM on a file. Returns its items as {path: (kind, number, text)}, its notes, error and first line."""
    path = os.path.join(FOLDER, "model.gguf")
    with open(path, "wb") as f:
        f.write(raw)
    code, out, err = run(what, path)
    if code or err:
        return {}, [], f"CRASH {code} {err[:2000]}", ""
    lines = out.split("\n")
    items = {k[0]: (k[1], float(k[2]), k[3]) for k in (line.split("\t") for line in lines) if len(k) == 4}
    error = "".join(line[7:] for line in lines if line.startswith("error: "))
    return items, [line[2:] for line in lines if line.startswith("! ")], error, lines[0]


def has(what, raw, expected, notes=(), absent=()):
    """Checks that the config has the keys in `expected` and the notes in this order, and no key in `absent`."""
    items, said, error, _ = read("config", raw)
    wrong = [error] if error else []
    for path, value in expected.items():
        if isinstance(value, list):
            got = []
            while f"{path}[{len(got)}]" in items:
                kind, number, text = items[f"{path}[{len(got)}]"]
                got.append(text if kind == "string" else number)
        else:
            kind, number, text = items.get(path, ("absent", 0, ""))
            got = text if kind == "string" else number if kind != "absent" else None
        if got != value:
            wrong.append(f"{path} is {got}, not {value}")
    wrong += [f"{path} is there" for path in absent if any(i == path or i.startswith(path + "[") for i in items)]
    if [n.split(":")[0] for n in said] != list(notes):
        wrong.append(f"notes {said}")
    check(what, not wrong, "; ".join(wrong))


def refused(what, raw, *words):
    for mode in ("list", "config"):
        items, said, error, _ = read(mode, raw)
        good = error and not error.startswith("CRASH") and all(word in error for word in words)
        check(what if mode == "config" else "." + what, good, error or f"accepted: {items}")


def f32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


# ---- the format

def every_type():
    for version in (2, 3):
        for order in "<>":
            w = Writer(version, order)
            w.add("general.architecture", STR, "x")
            values = {U8: 200, I8: -100, U16: 60000, I16: -30000, U32: 4000000000, I32: -2000000000, F32: f32(0.1),
                      BOOL: 1, U64: 2**64 - 1, I64: -2**63, F64: 0.1}
            for kind, value in values.items():
                w.add(f"x.k{kind}", kind, value)
                w.add(f"x.a{kind}", ARR, (kind, [value, value]))
            w.add("x.text", STR, "yarn ü")
            w.add("x.texts", ARR, (STR, ["a", "", "b" * 70000]))
            w.add("x.empty", ARR, (F32, []))
            w.add("x.long", ARR, (U8, [1] * 70000))
            w.add("x.essay", STR, "b" * 70000)
            w.add("x.last", U8, 7)
            w.tensor("rope_freqs.weight", [3], 0, w.floats([1, 8, f32(0.1)]))
            items, _, error, first = read("list", w.bytes())
            name = f"version {version}, {'little' if order == '<' else 'big'} endian"
            wrong = [error] if error else []
            for kind, value in values.items():
                for key in (f"x.k{kind}", f"x.a{kind}[0]", f"x.a{kind}[1]"):
                    got = items.get(key)
                    if not got or got[1] != float(value) or got[0] != ("boolean" if kind == BOOL else "number"):
                        wrong.append(f"{key} is {got}, not {value}")
            for key, text in (("x.k10", "18446744073709551615"), ("x.k11", "-9223372036854775808"),
                              ("x.text", "yarn ü"), ("x.texts", "[3 elements]"), ("x.empty", "[]"),
                              ("x.long", "[70000 elements]"), ("x.essay", "[70000 bytes]"), ("x.last", "7"),
                              ("rope_freqs.weight[2]", "0.100000001"), ("x.k12", "0.10000000000000001")):
                if items.get(key, ("", 0, ""))[2] != text:
                    wrong.append(f"{key} is {items.get(key)}, not {text}")
            if not first.startswith(f"= version {version}, 1 tensors"):
                wrong.append(first)
            check(f"every type of value, {name}", not wrong, "; ".join(wrong))


def alignments():
    for alignment in (1, 8, 32, 4096, 1 << 20):
        w = Writer(alignment=alignment)
        w.add("general.architecture", STR, "llama")
        w.add("general.alignment", U32, alignment)
        w.tensor("blk.0.attn_q.weight", [32], 0, w.floats([9] * 32))
        w.tensor("rope_freqs.weight", [2], 0, w.floats([3, 5]))
        items, _, error, _ = read("list", w.bytes())
        check(f"alignment {alignment}", not error and items["rope_freqs.weight[1]"][1] == 5, error or items)


def small():
    w = Writer()
    w.add("general.architecture", STR, "llama")
    w.add("llama.rope.freq_base", F32, 500000.0)
    w.add("llama.list", ARR, (I16, [1, -2]))
    w.add("llama.names", ARR, (STR, ["a", "bc"]))
    w.tensor("rope_freqs.weight", [4], 0, w.floats([1, 2, 3, 4]))
    return w


def hostile():
    big, w = 2**63, Writer()
    refused("an empty file", b"", "the file", "magic")
    refused("a file of another format", b"PK\3\4" + b"\0" * 60, "GGUF")
    refused("the format before GGUF", b"tjgg" + b"\0" * 60, "GGUF")
    for version in (0, 1, 4, 0xffff):
        refused(f"version {version}", b"GGUF" + struct.pack("<IQQ", version, 0, 0), f"version {version}")
    refused("2^63 keys", b"GGUF" + struct.pack("<IQQ", 3, 0, big), "9223372036854775808 keys")
    refused("2^63 tensors", b"GGUF" + struct.pack("<IQQ", 3, big, 0), "9223372036854775808 tensors")
    refused("one tensor too many", b"GGUF" + struct.pack("<IQQ", 3, 2, 0) + b"\0" * 40, "2 tensors")
    head = b"GGUF" + struct.pack("<IQQ", 3, 0, 1)
    for length in (big, 2**64 - 1, 1000):
        refused(f"a key of {length} bytes", head + struct.pack("<Q", length) + b"a" * 40, "key 1", str(length))
    refused("a key of 300 bytes", head + w.string("k" * 300) + b"\0" * 20, "key 1", "300 bytes")
    refused("a key without a name", head + w.string("") + b"\0" * 20, "key 1", "0 bytes")
    refused("a key with a control character", head + w.string("a\x1bb") + b"\0" * 20, "key 1", "0x1b")
    refused("a key that is no ASCII", head + w.string("ä") + b"\0" * 20, "key 1", "0xc3")

    def key(kind, raw, name="llama.k"):
        t = Writer()
        t.add("general.architecture", STR, "llama")
        t.raw(name, kind, raw)
        return t.bytes()

    for kind in (13, 255, 2**32 - 1):
        refused(f"a value of type {kind}", key(kind, b"\0" * 8), "llama.k", f"type {kind}")
    for name in ("llama.k", "tokenizer.k"):
        for length in (big, 2**64 - 1, 10**6):
            refused(f"{name}: a string of {length} bytes", key(STR, struct.pack("<Q", length) + b"abc", name), name,
                    str(length))
            refused(f"{name}: an array of {length} strings", key(ARR, struct.pack("<IQ", STR, length), name), name,
                    str(length))
            refused(f"{name}: an array of {length} numbers", key(ARR, struct.pack("<IQ", F64, length), name), name,
                    str(length))
        refused(f"{name}: a string in an array, past the end",
                key(ARR, struct.pack("<IQQ", STR, 1, 2**62), name), name + "[0]"[:0], str(2**62))
        refused(f"{name}: an array of arrays", key(ARR, struct.pack("<IQIQ", ARR, 1, U8, 0), name), name,
                "arrays of arrays")
        refused(f"{name}: an array of type 77", key(ARR, struct.pack("<IQ", 77, 0), name), name, "type 77")
        refused(f"{name}: a boolean of 2", key(BOOL, b"\2", name), name, "not 2")
    refused("a string with a byte 0", key(STR, w.string(b"ya\0rn")), "llama.k", "byte 0")
    t = small()
    t.add("llama.rope.freq_base", F32, 10000.0)
    refused("a key twice", t.bytes(), "llama.rope.freq_base", "twice")
    t = small()
    t.tensor("rope_freqs.weight", [4], 0, t.floats([1, 2, 3, 4]))
    refused("rope_freqs.weight twice", t.bytes(), "rope_freqs.weight", "twice")
    for alignment in (0, 3, 31, 2**32 - 1):
        t = small()
        t.add("general.alignment", U32, alignment)
        refused(f"alignment {alignment}", t.bytes(), "general.alignment", str(alignment))
    t = small()
    t.add("general.alignment", STR, "32")
    refused("an alignment that is a string", t.bytes(), "general.alignment", "u32")
    t = small()
    t.add("general.alignment", U32, 64)  # an offset of 32 is not allowed then
    t.tensor("x", [1], 0, t.floats([1]))
    refused("an offset that is not aligned", t.bytes(), "x", "32", "64")

    def tensor(name, dims, kind, offset, count=None):
        t = Writer()
        t.add("general.architecture", STR, "llama")
        info = t.string(name) + t.pack("I", len(dims) if count is None else count)
        raw, end = t.bytes(), 24 + len(t.keys[0])
        body = raw[:8] + struct.pack("<Q", 1) + raw[16:end] + info
        body += struct.pack(f"<{len(dims)}Q", *dims) + struct.pack("<IQ", kind, offset)
        return body + b"\0" * (-len(body) % 32) + b"\0" * 64

    name = "rope_freqs.weight"
    refused("a tensor of 5 dimensions", tensor("x", [1] * 5, 0, 0), "x", "5 dimensions")
    refused("a tensor of 2^32 - 1 dimensions", tensor("x", [], 0, 0, 2**32 - 1), "x", "4294967295 dimensions")
    refused("a negative dimension", tensor("x", [2**64 - 5], 0, 0), "x", "negative", "-5")
    refused("the most negative dimension", tensor("x", [2**63], 0, 0), "x", "negative", str(-2**63))
    refused("2^80 elements", tensor("x", [2**40, 2**40], 0, 0), "x", "2^63")
    refused("factors in f16", tensor(name, [4], 1, 0), name, "type 1", "f32")
    refused("factors of two dimensions", tensor(name, [2, 2], 0, 0), name, "2 dimensions")
    refused("no factors", tensor(name, [0], 0, 0), name, "0 elements")
    refused("2^40 factors", tensor(name, [2**40], 0, 0), name, str(2**40))
    refused("factors past the end", tensor(name, [64], 0, 0), name, "whole")
    refused("factors at 2^63", tensor(name, [4], 0, 2**63), name, "whole")
    refused("factors at 2^64 - 32", tensor(name, [4], 0, 2**64 - 32), name, "whole")
    check("what makes no sense in another tensor's offset is not read", not read("list", tensor("x", [4], 0, 2**63))[2])
    t = Writer()
    t.add("llama.rope.freq_base", F32, 1e4)
    items, _, error, _ = read("config", t.bytes())
    check("no architecture", "general.architecture" in error, error)
    t = Writer()
    t.add("general.architecture", U32, 1)
    check("an architecture that is a number", "general.architecture" in read("config", t.bytes())[2])


def prefixes():
    for version, order in ((2, "<"), (3, ">")):
        v = Writer(version, order)
        v.add("general.architecture", STR, "llama")
        v.add("llama.rope.freq_base", F32, 500000.0)
        v.add("llama.list", ARR, (I16, [1, -2]))
        v.add("llama.names", ARR, (STR, ["a", "bc"]))
        v.tensor("rope_freqs.weight", [4], 0, v.floats([1, 2, 3, 4]))
        raw = v.bytes()
        path = os.path.join(FOLDER, "prefixes.gguf")
        with open(path, "wb") as f:
            f.write(raw)
        code, out, err = run("prefixes", path)
        end = raw.rindex(v.floats([4])) + 4  # padding may be missing
        expected = [f"{n} of {len(raw)}" for n in range(end, len(raw) + 1)]
        check(f"each prefix of a file of version {version} is refused", not code and out.split("\n")[:-1] == expected,
              (code, out, err))


def large():
    """Reads a sparse file of 100 GB whose factors are at its end. Only its beginning and its end may be read."""
    w = model("llama", [("rope.freq_base", F32, 500000.0), ("rope.dimension_count", U32, 128)])
    infos = w.string("rope_freqs.weight") + w.pack("IQIQ", 1, 64, 0, 100 * 10**9)
    w.tensors = []
    raw = w.bytes()
    size = 24 + sum(len(k) for k in w.keys)
    raw = raw[:8] + w.pack("Q", 1) + raw[16:size] + infos
    data = len(raw) + -len(raw) % 32
    path = os.path.join(FOLDER, "large.gguf")
    with open(path, "wb") as f:
        f.write(raw)
        try:
            f.truncate(data + 100 * 10**9 + 256)
            f.seek(data + 100 * 10**9)
            f.write(w.floats([8.0] * 64))
        except OSError as error:
            print(f"SKIP: a file of 100 GB: {error}")
            return
    began = time.monotonic()
    code, out, err = run("list", path)
    took = time.monotonic() - began
    os.remove(path)
    fetched = int(out.split("\n")[0].split()[-3]) if out else 0
    check(f"100 GB: {fetched} bytes fetched, of a head of {size} and the factors", not code and
          0 < fetched < size + 65536, (code, out[:200], err))
    check("100 GB: the factors at its end", "rope_freqs.weight[63]\tnumber\t8\t8" in out, out[-300:])
    check(f"100 GB: in less than 5 seconds ({took:.2f})", took < 5)


# ---- architectures

def layers(pattern, count):
    return [{"f": "full_attention", "w": "sliding_attention", "r": "linear_attention"}[pattern[i % len(pattern)]]
            for i in range(count)]


def base(value):
    return ("rope.freq_base", F32, value)


def architectures():
    factors = [1.0] * 29 + [f32(1.0 + k / 7) for k in range(7)] + [8.0] * 28
    p, full, window = "rope_parameters.", "rope_parameters.full_attention.", "rope_parameters.sliding_attention."
    has("llama: neighbours, with the factors of Llama 3.1",
        model("llama", [base(500000.0), ("rope.dimension_count", U32, 128), ("attention.key_length", U32, 128)],
              factors=factors).bytes(),
        {"model_type": "gguf", "@pairs": "neighbours", p + "rope_theta": 500000, p + "rope_type": "default",
         "head_dim": 128, "max_position_embeddings": 131072, "num_hidden_layers": 32, p + "freq_factors": factors},
        absent=("layer_types", "rotary_dim", "no_rope_layers", "sliding_window"))
    has("llama without a base: 10000", model("llama", []).bytes(), {p + "rope_theta": 10000, "head_dim": 128})
    has("llama, old and linear", model("llama", [base(10000.0), ("rope.scale_linear", F32, 4.0)]).bytes(),
        {p + "rope_type": "linear", p + "factor": 4})
    has("qwen2: halves, YaRN",
        model("qwen2", [base(1000000.0), ("rope.scaling.type", STR, "yarn"), ("rope.scaling.factor", F32, 4.0),
                        ("rope.scaling.original_context_length", U32, 32768)], layers=64, heads=40, width=5120).bytes(),
        {"@pairs": "halves", p + "rope_type": "yarn", p + "factor": 4,
         p + "original_max_position_embeddings": 32768, "head_dim": 128}, absent=(p + "attention_factor", p + "beta_fast"))
    has("qwen2vl: sections",
        model("qwen2vl", [base(1000000.0), ("rope.dimension_sections", ARR, (I32, [16, 24, 24, 0]))]).bytes(),
        {"@pairs": "halves", p + "mrope_section": [16, 24, 24]}, absent=(p + "mrope_interleaved",))
    has("qwen3vl: sections in turn",
        model("qwen3vl", [base(5000000.0), ("rope.dimension_sections", ARR, (I32, [24, 20, 20, 0])),
                          ("attention.key_length", U32, 128)], heads=32, width=2560).bytes(),
        {"@pairs": "halves", p + "mrope_section": [24, 20, 20], p + "mrope_interleaved": 1, "head_dim": 128})
    has("qwen35: every fourth layer has attention, 64 of 256 rotate",
        model("qwen35", [base(10000000.0), ("rope.dimension_sections", ARR, (I32, [11, 11, 10, 0])),
                         ("attention.key_length", U32, 256), ("rope.dimension_count", U32, 64),
                         ("full_attention_interval", U32, 4)], layers=8, heads=16, width=2560).bytes(),
        {"@pairs": "halves", "layer_types": layers("rrrf", 8), "head_dim": 256, "rotary_dim": 64,
         p + "mrope_section": [11, 11, 10]})
    glm = [base(10000.0), ("rope.dimension_count", U32, 64), ("attention.key_length", U32, 128)]
    has("glm4: neighbours", model("glm4", glm).bytes(), {"@pairs": "neighbours", "rotary_dim": 64, "head_dim": 128})
    has("glm4 with sections: halves",
        model("glm4", glm + [("rope.dimension_sections", ARR, (I32, [8, 12, 12, 0]))]).bytes(),
        {"@pairs": "halves", p + "mrope_section": [8, 12, 12]})
    has("gemma3: six layers, one of them full",
        model("gemma3", [base(1000000.0), ("rope.scaling.type", STR, "linear"), ("rope.scaling.factor", F32, 8.0),
                         ("attention.key_length", U32, 256), ("attention.sliding_window", U32, 1024)],
              layers=48, heads=16, width=3840).bytes(),
        {"@pairs": "halves", "layer_types": layers("wwwwwf", 48), full + "rope_theta": 1000000,
         full + "rope_type": "linear", full + "factor": 8, full + "head_dim": 256, window + "rope_theta": 10000,
         window + "rope_type": "default", window + "head_dim": 256, "sliding_window": 1024},
        absent=(window + "factor",))
    pattern = [True, True, True, True, True, False]
    gemma4 = [base(1000000.0), ("rope.freq_base_swa", F32, 10000.0), ("rope.dimension_count", U32, 512),
              ("rope.dimension_count_swa", U32, 256), ("attention.key_length", U32, 512),
              ("attention.key_length_swa", U32, 256), ("attention.sliding_window", U32, 1024),
              ("attention.sliding_window_pattern", ARR, (BOOL, pattern * 5))]
    has("gemma4: factors of 1e30 for the full layers",
        model("gemma4", gemma4, layers=30, factors=[1.0] * 64 + [1e30] * 192).bytes(),
        {"layer_types": layers("wwwwwf", 30), full + "head_dim": 512, window + "head_dim": 256,
         full + "freq_factors": [1.0] * 64 + [f32(1e30)] * 192, full + "rope_theta": 1000000,
         window + "rope_theta": 10000}, absent=(window + "freq_factors", full + "rotary_dim"))
    has("gemma4 without its list of layers", model("gemma4", gemma4[:-1], layers=30).bytes(), {},
        notes=["gemma4.attention.sliding_window_pattern"])
    has("gpt-oss: YaRN in all layers, every second has a window",
        model("gpt-oss", [base(150000.0), ("rope.scaling.type", STR, "yarn"), ("rope.scaling.factor", F32, 32.0),
                          ("rope.scaling.original_context_length", U32, 4096), ("attention.key_length", U32, 64),
                          ("attention.sliding_window", U32, 128)], layers=24, heads=64, width=2880).bytes(),
        {"layer_types": layers("wf", 24), p + "rope_type": "yarn", p + "factor": 32, "head_dim": 64,
         "sliding_window": 128})
    has("olmo2 with windows: these are not scaled",
        model("olmo2", [base(500000.0), ("rope.scaling.type", STR, "yarn"), ("rope.scaling.factor", F32, 8.0),
                        ("rope.scaling.original_context_length", U32, 8192), ("attention.sliding_window", U32, 4096),
                        ("rope.scaling.attn_factor", F32, 1.0)], layers=64).bytes(),
        {"layer_types": layers("wwwf", 64), full + "rope_type": "yarn", window + "rope_type": "default",
         window + "rope_theta": 500000}, absent=(window + "factor", full + "attention_factor"))
    has("llama4: layers 3, 7, 11 ... do not rotate",
        model("llama4", [base(500000.0), ("rope.dimension_count", U32, 128)], layers=48, heads=40, width=5120,
              factors=factors).bytes(),
        {"@pairs": "neighbours", "layer_types": layers("wwwf", 48), "no_rope_layers": [1, 1, 1, 0] * 12,
         "sliding_window": 8192, p + "freq_factors": factors, "attn_temperature_tuning": 1, "floor_scale": 8192})
    has("llama4 with a window of 0: all rotate",
        model("llama4", [base(500000.0), ("attention.sliding_window", U32, 0)], layers=4, heads=40, width=5120).bytes(),
        {"@pairs": "neighbours"}, absent=("layer_types", "no_rope_layers", "sliding_window", "floor_scale"))
    has("smollm3", model("smollm3", [base(5000000.0)], layers=36).bytes(),
        {"no_rope_layers": [1, 1, 1, 0] * 9}, absent=("layer_types",))
    has("cohere2: the full layers do not rotate",
        model("cohere2", [base(50000.0), ("attention.sliding_window", U32, 4096)]).bytes(),
        {"@pairs": "neighbours", "layer_types": layers("wwwf", 32), "no_rope_layers": [1, 1, 1, 0] * 8})
    has("exaone4 of 32B: windows in 64 layers, and the full ones do not rotate",
        model("exaone4", [base(1000000.0)], layers=64, tokens=0).bytes(),
        {"layer_types": layers("wwwf", 64), "no_rope_layers": [1, 1, 1, 0] * 16, "sliding_window": 4096})
    has("exaone-moe without its list of layers",
        model("exaone-moe", [base(1000000.0), ("attention.sliding_window", U32, 128)], tokens=0).bytes(), {},
        notes=["exaone-moe.attention.sliding_window_pattern"])
    has("exaone4 of 1.2B: no windows, all rotate",
        model("exaone4", [base(1000000.0), ("attention.sliding_window", U32, 4096)], layers=30).bytes(),
        {"@pairs": "halves"}, absent=("layer_types", "no_rope_layers"))
    has("deepseek2: 64 of 192 rotate, mscale_all_dim is ten times the multiplier",
        model("deepseek2", [base(10000.0), ("rope.dimension_count", U32, 64), ("attention.kv_lora_rank", U32, 512),
                            ("attention.key_length", U32, 576), ("attention.key_length_mla", U32, 192),
                            ("rope.scaling.type", STR, "yarn"), ("rope.scaling.factor", F32, 40.0),
                            ("rope.scaling.original_context_length", U32, 4096),
                            ("rope.scaling.yarn_log_multiplier", F32, 0.1)], layers=61, heads=128, width=7168).bytes(),
        {"@pairs": "neighbours", "qk_rope_head_dim": 64, p + "mscale": 1, p + "mscale_all_dim": 1, p + "factor": 40},
        absent=("head_dim", "rotary_dim"))
    has("deepseek2 Lite: mscale is 0.707, too",
        model("deepseek2", [base(10000.0), ("rope.dimension_count", U32, 64), ("attention.kv_lora_rank", U32, 512),
                            ("rope.scaling.type", STR, "yarn"), ("rope.scaling.factor", F32, 40.0),
                            ("rope.scaling.original_context_length", U32, 4096),
                            ("rope.scaling.yarn_log_multiplier", F32, f32(0.0707))], layers=27).bytes(),
        {p + "mscale": f32(f32(0.0707) / f32(0.1)), p + "mscale_all_dim": f32(f32(0.0707) / f32(0.1))})
    has("deepseek4: the layers that compress have a base of their own",
        model("deepseek4", [base(10000.0), ("rope.dimension_count", U32, 64), ("attention.key_length", U32, 512),
                            ("attention.compress_rope_freq_base", F32, 160000.0),
                            ("attention.compress_ratios", ARR, (U32, [0, 0, 4, 128])),
                            ("rope.scaling.type", STR, "yarn"), ("rope.scaling.factor", F32, 16.0),
                            ("rope.scaling.original_context_length", U32, 65536),
                            ("rope.scaling.yarn_beta_fast", F32, 32.0)], layers=4, heads=64, width=4096).bytes(),
        {"@pairs": "neighbours", "@rotates": "last", "layer_types": ["main", "main", "compress", "compress"],
         p + "compress.rope_theta": 160000, p + "compress.rope_type": "yarn", p + "compress.attention_factor": 1,
         p + "main.rope_theta": 10000, p + "main.rope_type": "default", "qk_rope_head_dim": 64})
    has("mistral3: the multiplier is mscale_all_dim, betas are read",
        model("mistral3", [base(1000000.0), ("rope.scaling.type", STR, "yarn"), ("rope.scaling.factor", F32, 16.0),
                           ("rope.scaling.original_context_length", U32, 16384),
                           ("rope.scaling.yarn_log_multiplier", F32, 1.0), ("rope.scaling.yarn_beta_fast", F32, 4.0),
                           ("attention.temperature_scale", F32, f32(0.1))]).bytes(),
        {"@pairs": "neighbours", p + "mscale": 1, p + "mscale_all_dim": 1, p + "beta_fast": 4,
         "llama_4_scaling_beta": f32(0.1)})
    has("qwen3 with a beta_fast that llama.cpp does not read",
        model("qwen3", [base(1000000.0), ("rope.scaling.type", STR, "yarn"), ("rope.scaling.factor", F32, 4.0),
                        ("rope.scaling.yarn_beta_fast", F32, 16.0)]).bytes(), {},
        notes=["qwen3.rope.scaling.yarn_beta_fast"], absent=(p + "beta_fast",))
    has("step35: half of the full layers' elements, and factors for them",
        model("step35", [base(5000000.0), ("rope.freq_base_swa", F32, 10000.0), ("attention.key_length", U32, 128),
                         ("attention.sliding_window", U32, 512), ("rope.dimension_count", U32, 128),
                         ("attention.sliding_window_pattern", ARR, (BOOL, [False, True, True, True]))], layers=4,
              factors=factors).bytes(),
        {"layer_types": layers("fwww", 4), full + "rotary_dim": 64, window + "head_dim": 128,
         full + "freq_factors": factors[:32], window + "rope_theta": 10000},
        absent=(window + "rotary_dim", window + "freq_factors"))
    has("modern-bert: the first of three is full",
        model("modern-bert", [base(160000.0), ("rope.freq_base_swa", F32, 10000.0),
                              ("attention.sliding_window", U32, 128)], layers=22, heads=12, width=768).bytes(),
        {"layer_types": layers("fww", 22), full + "rope_theta": 160000, window + "rope_theta": 10000})
    has("laguna: 64 of 128, with YaRN; 128 in windows, without",
        model("laguna", [base(500000.0), ("rope.freq_base_swa", F32, 10000.0), ("attention.key_length", U32, 128),
                         ("rope.dimension_count", U32, 64), ("rope.dimension_count_swa", U32, 128),
                         ("attention.sliding_window", U32, 512), ("rope.scaling.type", STR, "yarn"),
                         ("rope.scaling.factor", F32, 32.0), ("rope.scaling.original_context_length", U32, 4096),
                         ("rope.scaling.yarn_beta_fast", F32, 64.0)], layers=40, heads=48, width=2048).bytes(),
        {"layer_types": layers("fwww", 40), full + "rotary_dim": 64, full + "beta_fast": 64,
         window + "rope_type": "default"}, absent=(window + "rotary_dim",))
    has("lfm2: layers without keys are convolutions",
        model("lfm2", [base(1000000.0), ("attention.head_count_kv", ARR, (I32, [0, 0, 8, 0])),
                       ("attention.head_count", ARR, (I32, [0, 0, 32, 0]))], layers=4, kv=0, width=2048).bytes(),
        {"layer_types": layers("rrfr", 4), "head_dim": 64})
    has("granitehybrid, switched off",
        model("granitehybrid", [base(10000.0), ("rope.scaling.finetuned", BOOL, 0)]).bytes(),
        {"@kind": "none"}, absent=("@pairs",))
    has("granite", model("granite", [base(10000000.0)]).bytes(), {"@pairs": "neighbours", "head_dim": 128})
    has("baichuan of 13B: ALiBi", model("baichuan", [], layers=40, heads=40, width=5120).bytes(), {"@kind": "alibi"})
    has("baichuan of 7B", model("baichuan", []).bytes(), {"@pairs": "neighbours"})
    has("gpt2", model("gpt2", [], layers=12, heads=12, width=768, others=["position_embd.weight"]).bytes(),
        {"@kind": "learned"})
    has("bloom", model("bloom", [], heads=112, width=14336).bytes(), {"@kind": "alibi"})
    has("t5", model("t5", [("attention.relative_buckets_count", U32, 32)]).bytes(), {"@kind": "t5"})
    has("nemotron_h", model("nemotron_h", [base(10000.0)]).bytes(), {"@kind": "none"})
    has("phi3 with factors for short and long texts",
        model("phi3", [base(10000.0), ("rope.dimension_count", U32, 96), ("rope.scaling.attn_factor", F32, f32(1.19)),
                       ("rope.scaling.original_context_length", U32, 4096), ("attention.sliding_window", U32, 2047)],
              heads=32, width=3072, others=["rope_factors_long.weight", "rope_factors_short.weight"]).bytes(),
        {"@pairs": "halves", "head_dim": 96, p + "rope_type": "longrope", p + "attention_factor": f32(1.19),
         p + "original_max_position_embeddings": 4096, p + "long_factor": [1.0 + i / 64 for i in range(48)],
         p + "short_factor": [2.0 + i / 64 for i in range(48)]},
        absent=("sliding_window", "layer_types", p + "freq_factors"))
    has("an unknown architecture", model("quokka", [base(10000.0)]).bytes(), {"@pairs": "halves"},
        notes=["general.architecture"])
    has("an unknown key", model("llama", [base(10000.0), ("rope.wobble", F32, 2.0)]).bytes(), {},
        notes=["llama.rope.wobble"])
    has("an unknown key that is a list", model("llama", [base(10000.0), ("rope.wobble", ARR, (F32, [2.0] * 99))]).bytes(),
        {}, notes=["llama.rope.wobble"])
    has("a width for each layer", model("llama", [base(10000.0), ("rope.dimension_count", ARR, (U32, [64, 128]))]).bytes(),
        {}, notes=["llama.rope.dimension_count"])
    has("a type of scaling that llama.cpp has not",
        model("llama", [("rope.scaling.type", STR, "dynamic"), ("rope.scaling.factor", F32, 2.0)]).bytes(), {},
        notes=["llama.rope.scaling.type"])
    has("a base that is a string", model("llama", [("rope.freq_base", STR, "1e6")]).bytes(),
        {p + "rope_theta": "1e6"})
    has("2^32 - 1 layers", model("llama", [], layers=2**32 - 1).bytes(), {}, notes=["llama.block_count"])
    first = model("llama", [base(500000.0), ], factors=factors)
    for key, kind, value in (("split.no", U16, 0), ("split.count", U16, 3), ("split.tensors.count", I32, 291)):
        first.add(key, kind, value)
    has("the first of three files", first.bytes(), {p + "freq_factors": factors})
    second = Writer()
    for key, kind, value in (("split.no", U16, 1), ("split.count", U16, 3), ("split.tensors.count", I32, 291)):
        second.add(key, kind, value)
    second.tensor("blk.7.attn_q.weight", [64, 64], 12, b"\7" * 2304)
    error = read("config", second.bytes())[2]
    check("the second of three files names the first", "split.no" in error and "00001-of" in error, error)


# ---- the program posenc

def plain(n, theta):
    return [1 / D(theta) ** (D(2 * i) / n) for i in range(n // 2)]


def yarn(n, theta, f, length, fast=32, slow=1):
    def dim(turns):
        return n * (length / (turns * 2 * PI)).ln() / (2 * D(theta).ln())
    low = max(dim(D(fast)).to_integral_value(ROUND_FLOOR), D(0))
    high = min(dim(D(slow)).to_integral_value(ROUND_CEILING), D(n - 1))
    ramp = [min(max((i - low) / (high - low), D(0)), D(1)) for i in range(n // 2)]
    return [w / D(f) * r + w * (1 - r) for w, r in zip(plain(n, theta), ramp)]


def mscale(f, m=1):
    return D("0.1") * D(m) * D(f).ln() + 1


def shows(what, raw, parts, status=0, arguments=(), config=None):
    """Checks the parts that `posenc show` prints for a file.

    `parts` maps each part's name to None, or to (pairs, head_dim, frequencies, attention factor, layers). `config` maps
    members of the pe_rope_config of each part to their values.
    """
    if len(sys.argv) < 3:
        return
    path = os.path.join(FOLDER, "show.gguf")
    with open(path, "wb") as f:
        f.write(raw)
    p = subprocess.run([sys.argv[2], "show", path, "--json", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    text = subprocess.run([sys.argv[2], "show", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout.decode()
    try:
        got = {part["name"]: part for part in json.loads(p.stdout)["parts"]}
    except ValueError:
        check(f"posenc: {what}", False, (p.returncode, p.stdout[:300], p.stderr[:2000]))
        return
    wrong = [] if p.returncode == status else [f"status {p.returncode}: {[q['wrong'] for q in got.values()]}"]
    if list(got) != list(parts):
        wrong.append(f"parts {list(got)}")
    for name, expected in parts.items():
        part = got.get(name, {})
        if expected is None or not part:
            continue
        pairs, head_dim, frequencies, attention, at = expected
        if (part.get("pairs"), part.get("head_dim"), part.get("layers")) != (pairs, head_dim, at):
            wrong.append(f"{name}: {part.get('pairs')}, head {part.get('head_dim')}, layers {part.get('layers')}")
        if part.get("frequencies") != [float(w) for w in frequencies]:
            differ = [i for i, w in enumerate(frequencies) if part.get("frequencies", [])[i:i + 1] != [float(w)]]
            wrong.append(f"{name}: frequencies {differ[:4]}: {[part.get('frequencies', [])[i:i + 1] for i in differ[:4]]}")
        if part.get("attention_factor") != float(attention):
            wrong.append(f"{name}: attention factor {part.get('attention_factor')}, not {float(attention)}")
        is_said = {key: part.get("config", {}).get(key) for key in config or {}}
        if is_said != (config or {}):
            wrong.append(f"{name}: {is_said}, not {config}")
        if part.get("pairs_of") != "gguf":
            wrong.append(f"{name}: pairs_of {part.get('pairs_of')}")
    if "GGUF file" not in text and any(parts.values()):
        wrong.append(f"it is not said whose pairs these are: {text}")
    check(f"posenc: {what}", not wrong, "; ".join(wrong))


def programs():
    factors = [1.0] * 29 + [f32(1.0 + k / 7) for k in range(7)] + [8.0] * 28
    ranged = list(range(32))
    shows("llama", model("llama", [base(500000.0)], factors=factors).bytes(),
          {"text": ("neighbours", 128, [w / D(x) for w, x in zip(plain(128, 500000), factors)], 1, ranged)})
    shows("llama, another base by its key", model("llama", [base(500000.0)], tokens=0).bytes(),
          {"text": ("neighbours", 128, plain(128, 10000), 1, ranged)}, arguments=["llama.rope.freq_base=10000"])
    shows("qwen2", model("qwen2", [base(1000000.0), ("rope.scaling.type", STR, "yarn"), ("rope.scaling.factor", F32, 4.0),
                                   ("rope.scaling.original_context_length", U32, 32768)], tokens=0).bytes(),
          {"text": ("halves", 128, yarn(128, 1000000, 4, 32768), mscale(4), ranged)})
    wide = [i for i in range(48) if i % 6 == 5]
    shows("gemma3", model("gemma3", [base(1000000.0), ("rope.scaling.type", STR, "linear"), ("rope.scaling.factor", F32, 8.0),
                                     ("attention.key_length", U32, 256), ("attention.sliding_window", U32, 1024)],
                          layers=48, tokens=0).bytes(),
          {"full_attention": ("halves", 256, [w / 8 for w in plain(256, 1000000)], 1, wide),
           "sliding_attention": ("halves", 256, plain(256, 10000), 1, [i for i in range(48) if i not in wide])})
    wide = [5, 11]
    shows("gemma4", model("gemma4", [base(1000000.0), ("rope.freq_base_swa", F32, 10000.0), ("rope.dimension_count", U32, 512),
                                     ("rope.dimension_count_swa", U32, 256), ("attention.key_length", U32, 512),
                                     ("attention.key_length_swa", U32, 256), ("attention.sliding_window", U32, 1024),
                                     ("attention.sliding_window_pattern", ARR, (BOOL, ([True] * 5 + [False]) * 2))],
                          layers=12, tokens=0, factors=[1.0] * 64 + [1e30] * 192).bytes(),
          {"full_attention": ("halves", 512, [w / D(x) for w, x in
                                              zip(plain(512, 1000000), [1.0] * 64 + [f32(1e30)] * 192)], 1, wide),
           "sliding_attention": ("halves", 256, plain(256, 10000), 1, [i for i in range(12) if i not in wide])})
    shows("gpt-oss", model("gpt-oss", [base(150000.0), ("rope.scaling.type", STR, "yarn"), ("rope.scaling.factor", F32, 32.0),
                                       ("rope.scaling.original_context_length", U32, 4096), ("attention.key_length", U32, 64),
                                       ("attention.sliding_window", U32, 128)], layers=24, tokens=0).bytes(),
          {"text": ("halves", 64, yarn(64, 150000, 32, 4096), mscale(32), list(range(24)))})
    wide = [i for i in range(64) if i % 4 == 3]
    shows("olmo2", model("olmo2", [base(500000.0), ("rope.scaling.type", STR, "yarn"), ("rope.scaling.factor", F32, 8.0),
                                   ("rope.scaling.original_context_length", U32, 8192),
                                   ("attention.sliding_window", U32, 4096)], layers=64, tokens=0).bytes(),
          {"full_attention": ("halves", 128, yarn(128, 500000, 8, 8192), mscale(8), wide),
           "sliding_attention": ("halves", 128, plain(128, 500000), 1, [i for i in range(64) if i not in wide])})
    turning = [i for i in range(48) if i % 4 != 3]
    shows("llama4", model("llama4", [base(500000.0), ("rope.dimension_count", U32, 128)], layers=48, heads=40, width=5120,
                          tokens=0, factors=factors).bytes(),
          {"text": ("neighbours", 128, [w / D(x) for w, x in zip(plain(128, 500000), factors)], 1, turning), "nope": None})
    shows("smollm3", model("smollm3", [base(5000000.0)], layers=36, tokens=0).bytes(),
          {"text": ("neighbours", 128, plain(128, 5000000), 1, [i for i in range(36) if i % 4 != 3]), "nope": None})
    shows("deepseek2", model("deepseek2", [base(10000.0), ("rope.dimension_count", U32, 64),
                                           ("attention.kv_lora_rank", U32, 512), ("rope.scaling.type", STR, "yarn"),
                                           ("rope.scaling.factor", F32, 40.0),
                                           ("rope.scaling.original_context_length", U32, 4096),
                                           ("rope.scaling.yarn_log_multiplier", F32, 0.1)], layers=61, tokens=0).bytes(),
          {"text": ("neighbours", 64, yarn(64, 10000, 40, 4096), 1, list(range(61)))})
    shows("deepseek4", model("deepseek4", [base(10000.0), ("rope.dimension_count", U32, 64),
                                           ("attention.key_length", U32, 512),
                                           ("attention.compress_rope_freq_base", F32, 160000.0),
                                           ("attention.compress_ratios", ARR, (U32, [0, 0, 4, 128])),
                                           ("rope.scaling.type", STR, "yarn"), ("rope.scaling.factor", F32, 16.0),
                                           ("rope.scaling.original_context_length", U32, 65536)], layers=4,
                             tokens=0).bytes(),
          {"compress": ("neighbours", 512, yarn(64, 160000, 16, 65536), 1, [2, 3]),
           "main": ("neighbours", 512, plain(64, 10000), 1, [0, 1])})
    shows("qwen2vl", model("qwen2vl", [base(1000000.0), ("rope.dimension_sections", ARR, (I32, [16, 24, 24, 0]))],
                           tokens=0).bytes(), {"text": ("halves", 128, plain(128, 1000000), 1, ranged)})
    shows("qwen35", model("qwen35", [base(10000000.0), ("rope.dimension_sections", ARR, (I32, [11, 11, 10, 0])),
                                     ("attention.key_length", U32, 256), ("rope.dimension_count", U32, 64)], layers=8,
                          tokens=0).bytes(),
          {"text": ("halves", 256, plain(64, 10000000), 1, [3, 7]), "linear_attention": None})
    turning = plain(128, 5000000)
    turning[61] = turning[62] = D(0)
    shows("qwen3vl: pairs 61 and 62 stand still",
          model("qwen3vl", [base(5000000.0), ("rope.dimension_sections", ARR, (I32, [24, 20, 20, 0]))], tokens=0).bytes(),
          {"text": ("halves", 128, turning, 1, ranged)})
    # ggml takes the index of a pair modulo the sum of the sections, also where these leave pairs over
    shows("qwen3vl: sections of 24 pairs for 64",
          model("qwen3vl", [base(5000000.0), ("rope.dimension_sections", ARR, (I32, [8, 8, 8, 0]))], tokens=0).bytes(),
          {"text": ("halves", 128, plain(128, 5000000), 1, ranged)}, config={"coordinate": [i % 24 % 3 for i in range(64)]})
    short, long = [2.0 + i / 64 for i in range(48)], [1.0 + i / 64 for i in range(48)]
    for length, factors in ((4096, short), (4097, long)):
        shows(f"phi3 with {length} positions",
              model("phi3", [base(10000.0), ("rope.dimension_count", U32, 96), ("rope.scaling.attn_factor", F32, f32(1.19)),
                             ("rope.scaling.original_context_length", U32, 4096)], heads=32, width=3072, tokens=0,
                    others=["rope_factors_long.weight", "rope_factors_short.weight"]).bytes(),
              {"text": ("halves", 96, [w / D(x) for w, x in zip(plain(96, 10000), factors)], f32(1.19), ranged)},
              arguments=[f"sequence_length={length}"])
    shows("phi3 with one of the two tensors",
          model("phi3", [base(10000.0)], tokens=0, others=["rope_factors_long.weight"]).bytes(),
          {"text": ("halves", 128, plain(128, 10000), 1, ranged)}, status=1)
    shows("an unknown architecture", model("quokka", [base(10000.0)], tokens=0).bytes(),
          {"text": ("halves", 128, plain(128, 10000), 1, ranged)}, status=1)
    shows("bloom", model("bloom", [], tokens=0).bytes(), {"text": None})
    shows("gpt2", model("gpt2", [], tokens=0).bytes(), {"text": None})
    shows("nemotron_h", model("nemotron_h", [], tokens=0).bytes(), {"text": None})
    empty = model("llama", [base(1e4)], tokens=0)
    empty.add("split.count", U16, 3)
    empty.tensors = []
    shows("a split file without tensors", empty.bytes(), {"text": ("neighbours", 128, plain(128, 10000), 1, ranged)},
          status=1)
    shows("a base that is a string", model("llama", [("rope.freq_base", STR, "1e6")], tokens=0).bytes(), {"text": None},
          status=1)
    shows("a truncated file", model("llama", [base(1e4)], tokens=0).bytes()[:500], {"config": None}, status=1)


with tempfile.TemporaryDirectory() as FOLDER:
    programs()
    every_type()
    alignments()
    hostile()
    prefixes()
    large()
    architectures()
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
