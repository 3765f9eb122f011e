#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares examples/answers.c with a transformer in numpy's float64, on small random models, and gives it files that
are not models, which it has to refuse.

    answers.py PROGRAM DIRECTORY

PROGRAM is the compiled example, DIRECTORY a folder for the files. The transformer below was written from the
description of llama2.c's checkpoints, not from the program. It computes everything in float64, except the angles of
those kinds in KINDS that examples/answers.c rounds to float on purpose.
"""
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np

program, work = sys.argv[1], Path(sys.argv[2])
KINDS = ("exact", "libm", "floats", "chain", "bf16")
failed = 0


def check(what, good, said=""):
    global failed
    failed += not good
    print("ok  " if good else "FAIL", what, said if not good else "")


def model(rng, dim, hidden, layers, heads, kv_heads, words, length, shared):
    head = dim // heads
    kv = head * kv_heads

    def random(*shape):
        return rng.standard_normal(shape).astype(np.float32)

    scale = np.float32(1.5 / np.sqrt(dim))
    weights = {
        "embedding": random(words, dim),
        "att_norm": 1 + np.float32(0.1) * random(layers, dim),
        "wq": 2 * scale * random(layers, dim, dim),
        "wk": 2 * scale * random(layers, kv, dim),
        "wv": scale * random(layers, kv, dim),
        "wo": scale * random(layers, dim, dim),
        "ffn_norm": 1 + np.float32(0.1) * random(layers, dim),
        "w1": scale * random(layers, hidden, dim),
        "w2": scale * random(layers, dim, hidden),
        "w3": scale * random(layers, hidden, dim),
        "norm": 1 + np.float32(0.1) * random(dim),
        "unread": np.full((length, head), np.nan, np.float32),
    }
    weights["logits"] = weights["embedding"] if shared else random(words, dim)
    header = struct.pack("<7i", dim, hidden, layers, heads, kv_heads, words if shared else -words, length)
    stored = [w for name, w in weights.items() if name != "logits" or not shared]
    return weights, header + b"".join(w.astype("<f4").tobytes() for w in stored)


def angles(kind, head, positions):
    """Returns the angles of one kind of KINDS, as a float64 array of the shape [positions, head / 2]."""
    i = np.arange(head // 2)
    if kind in ("exact", "libm"):
        return positions[:, None] * 10000.0 ** (-2.0 * i / head)
    p = positions.astype(np.float32)
    if kind == "bf16":
        p = (p.view(np.uint32) + 0x7FFF + (p.view(np.uint32) >> 16 & 1) & np.uint32(0xFFFF0000)).view(np.float32)
    if kind == "chain":
        step = np.float32(10000.0 ** np.float64(np.float32(-2) / np.float32(head)))
        columns = [p]
        for _ in i[1:]:
            columns.append(columns[-1] * step)
        return np.stack(columns, 1).astype(np.float64)
    power = (10000.0 ** (np.float32(2) * i.astype(np.float32) / np.float32(head)).astype(np.float64)).astype(np.float32)
    return (p[:, None] * (np.float32(1) / power)[None]).astype(np.float64)


def log_probabilities(w, heads, kv_heads, tokens, angle):
    """Returns the logarithms of the words' probabilities, [texts, length, words], after each token of [texts, length].

    `angle` has the angle of each position and pair.
    """
    w = {name: x.astype(np.float64) for name, x in w.items() if name != "unread"}
    texts, length = tokens.shape
    cosine, sine = (f(angle).astype(np.float32).astype(np.float64) for f in (np.cos, np.sin))

    def norm(x, weight):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * weight

    def rotate(x):  # the shape of x is [texts, length, heads, head]
        even, odd = x[..., 0::2], x[..., 1::2]
        c, s = cosine[None, :, None], sine[None, :, None]
        return np.stack((even * c - odd * s, even * s + odd * c), -1).reshape(x.shape)

    x = w["embedding"][tokens]
    mask = np.triu(np.full((length, length), -np.inf), 1)
    for layer in range(len(w["wq"])):
        y = norm(x, w["att_norm"][layer])
        q = rotate((y @ w["wq"][layer].T).reshape(texts, length, heads, -1))
        k = rotate((y @ w["wk"][layer].T).reshape(texts, length, kv_heads, -1)).repeat(heads // kv_heads, 2)
        v = (y @ w["wv"][layer].T).reshape(texts, length, kv_heads, -1).repeat(heads // kv_heads, 2)
        score = np.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(q.shape[-1]) + mask
        score = np.exp(score - score.max(-1, keepdims=True))
        score /= score.sum(-1, keepdims=True)
        x = x + np.einsum("bhqk,bkhd->bqhd", score, v).reshape(x.shape) @ w["wo"][layer].T
        y = norm(x, w["ffn_norm"][layer])
        gate = y @ w["w1"][layer].T
        x = x + (gate / (1 + np.exp(-gate)) * (y @ w["w3"][layer].T)) @ w["w2"][layer].T
    logits = norm(x, w["norm"]) @ w["logits"].T
    logits -= logits.max(-1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(-1, keepdims=True))


def run(path, *more):
    return subprocess.run([program, path, *more], capture_output=True, text=True, check=False)


def fnv(content):
    """Returns the FNV-1a hash in 64 bits."""
    value = 0xCBF29CE484222325
    for byte in content:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def compare(name, shape, shared):
    weights, content = model(np.random.default_rng(7), *shape, shared)
    dim, heads, kv_heads, words, length = shape[0], shape[3], shape[4], shape[5], shape[6]
    (work / "model.bin").write_bytes(content)
    done = run(work / "model.bin", work)
    check(f"{name} runs", done.returncode == 0, done.stderr)
    tokens = np.loadtxt(work / "answers.tokens", dtype=np.int64)
    data = np.loadtxt(work / "answers.dat")
    check(f"{name}: texts of {length} tokens", tokens.shape == (6, length) and (tokens[:, 0] == 1).all())
    check(f"{name}: many words", len(set(tokens.ravel())) > words // 3)
    exact = log_probabilities(weights, heads, kv_heads, tokens, angles("exact", dim // heads, np.arange(length)))
    seen = 0
    for row in data:
        for k, kind in enumerate(KINDS):
            angle = angles(kind, dim // heads, np.arange(length) + int(row[0]))
            got = row[1 + 3 * k:4 + 3 * k]
            p, q = exact[:, :-1], log_probabilities(weights, heads, kv_heads, tokens, angle)[:, :-1]
            loss = -np.take_along_axis(q, tokens[:, 1:, None], 2).mean()
            divergence = (np.exp(p) * (p - q)).sum(-1).mean()
            changed = (p.argmax(-1) != q.argmax(-1)).mean()
            good = (abs(np.log(got[0]) - loss) < 2e-6 + 1e-3 * abs(divergence)
                    and abs(got[1] - divergence) < 1e-9 + 2e-3 * divergence and abs(got[2] - changed) < 1e-8)
            seen += good
            if not good:
                check(f"{name}: {kind} shifted by {row[0]:.0f}", False, f"{got} {np.exp(loss)} {divergence} {changed}")
    check(f"{name}: {len(data)} shifts of {len(KINDS)} kinds of angles", len(data) == 21 and seen == 21 * len(KINDS))
    check(f"{name}: floats fail far away", data[-1, 8] > 0.01 and data[-1, 2] < 1e-9)
    done = run("--logits", work / "model.bin", work / "logits")
    logits = np.fromfile(work / "logits", "<f4").astype(np.float64).reshape(-1, words)
    tokens = np.array([1, *logits.argmax(-1)[:-1]])
    angle = angles("exact", dim // heads, np.arange(len(tokens)))
    wanted = log_probabilities(weights, heads, kv_heads, tokens[None], angle)[0]
    got = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    error = abs(got - wanted).max()
    check(f"{name}: {min(length, 64)} x {words} logits are numpy's", len(tokens) == min(length, 64) and error < 1e-4,
          f"{len(tokens)} tokens, error {error}")
    printed = done.stdout.splitlines()
    check(f"{name}: their hash", printed[0] == f"logits with pe's angles                {fnv((work / 'logits').read_bytes())}",
          done.stdout)
    return content


SHARED = compare("shared embeddings", (32, 40, 2, 4, 2, 48, 40), True)
compare("others", (48, 31, 3, 3, 3, 40, 25), False)
compare("a long one", (8, 5, 1, 1, 1, 16, 310 - 10), True)


def refused(what, content, wanted):
    (work / "bad.bin").write_bytes(content)
    done = run(work / "bad.bin", work / "nothing")
    said = done.stderr.strip()
    check(f"{what}: {wanted}", done.returncode == 2 and wanted in said and "bad.bin" in said and not done.stdout, said)


def header(**changes):
    names = ("dim", "hidden", "layers", "heads", "kv_heads", "words", "length")
    numbers = dict(zip(names, struct.unpack("<7i", SHARED[:28])))
    numbers.update(changes)
    return struct.pack("<7i", *numbers.values()) + SHARED[28:]


refused("an empty file", b"", "shorter than a header")
refused("27 bytes", SHARED[:27], "shorter than a header")
refused("a header alone", SHARED[:28], "shorter than its header says")
refused("a byte less", SHARED[:-1], "shorter than its header says")
refused("a byte more", SHARED + b"\0", "longer than its header says")
refused("a float more", SHARED + b"\0\0\0\0", "longer than its header says")
refused("unshared, but nothing there", header(words=-48), "shorter than its header says")
for key in ("dim", "hidden", "layers", "heads", "kv_heads", "length"):
    for value in (0, -1, 65537, -2**31):
        refused(f"{key} = {value}", header(**{key: value}), "a number of its header")
for value in (0, 65537, -65537, -2**31):
    refused(f"vocabulary = {value}", header(words=value), "vocabulary")
refused("one word", header(words=1), "no token 1")
refused("heads = 5", header(heads=5), "n_heads does not divide dim")
refused("kv_heads = 3", header(kv_heads=3), "n_kv_heads does not divide n_heads")
refused("heads of one element", header(heads=32, kv_heads=32), "odd number of elements")
refused("everything at its largest",
        header(dim=65536, hidden=65536, layers=65536, heads=1, kv_heads=1, words=65536, length=65536), "shorter than")
refused("a text of one token", model(np.random.default_rng(1), 8, 5, 1, 1, 1, 16, 1, True)[1], "one token")
none = subprocess.run([program], capture_output=True, text=True, check=False)
check("no model: a line of help", none.returncode == 2 and "MODEL" in none.stderr)
check("a model that is not there", "cannot be opened" in run(work / "none.bin").stderr)
check("--logits without a model", "MODEL" in subprocess.run([program, "--logits"], capture_output=True, text=True).stderr)
(work / "model.bin").write_bytes(SHARED)
check("a directory that is not there", run(work / "model.bin", work / "nothing").returncode == 1)
sys.exit(failed != 0)
