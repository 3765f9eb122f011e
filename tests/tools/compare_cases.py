#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare_cases.py POSENC DIRECTORY: makes arrays as other code does, and checks `posenc compare` with them.

Each array is made with a formula in the arithmetic of the project that uses it. Examples are float32 step by step, as
in transformers (modeling_llama.py, 4.5x), ggml's products of products (ggml-cpu/ops.cpp), and 16-bit frequencies after
model.half(). The expected names are written beside each array."""
import json
import subprocess
import sys

import numpy as np

F = np.float32
WHERE = {}


def bf16(x):
    bits = np.asarray(x, F).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(F)


def f16(x):
    return np.asarray(x, F).astype(np.float16).astype(F)


def inv_freq(width, base=10000.0, by=None, kind=F):
    """Repeats transformers' 1.0 / (base ** (arange(0, dim, 2) / dim)). `by` replaces dim in the exponent."""
    i = np.arange(0, width, 2, dtype=np.int64).astype(kind)
    return (kind(1) / (kind(base) ** (i / kind(by or width)))).astype(kind)


def yarn(width, base, factor, trained, fast=32.0, slow=1.0):
    """Repeats _compute_yarn_parameters of transformers 4.5x."""
    def dim_of(rotations):
        return width * np.log(trained / (rotations * 2 * np.pi)) / (2 * np.log(base))
    low, high = max(np.floor(dim_of(fast)), 0), min(np.ceil(dim_of(slow)), width - 1)
    ramp = np.clip((np.arange(width // 2) - low) / max(high - low, 0.001), 0, 1)
    w = inv_freq(width, base, kind=np.float64)
    return w / factor * ramp + w * (1 - ramp)


def llama3(w, factor=8.0, low=1.0, high=4.0, trained=8192):
    """Repeats _compute_llama3_parameters of transformers 4.5x."""
    wave = 2 * np.pi / w
    smooth = (trained / wave - low) / (high - low)
    mixed = (1 - smooth) * w / factor + smooth * w
    return np.where(wave > trained / low, w / factor, np.where(wave < trained / high, w, mixed))


def tables(w, positions, factor=1.0, out=F, kind=F):
    angle = np.asarray(positions, kind)[:, None] * np.asarray(w, kind)[None, :]
    c, s = np.cos(angle), np.sin(angle)
    if factor != 1:
        c, s = c * kind(factor), s * kind(factor)
    return c.astype(out), s.astype(out)


def double(w, positions, factor=1.0, out=F):
    return tables(w, positions, factor, out, np.float64)


def chain(width, positions, base=10000.0, scale=1.0):
    """Repeats ggml_rope_cache_init, which multiplies the angle of each pair by theta_scale to get the next one."""
    theta, step = np.asarray(positions, F), F(base) ** F(-2.0 / width)
    rows = []
    for _ in range(width // 2):
        rows.append(theta * F(scale))
        theta = theta * step
    angle = np.stack(rows, 1)
    return np.cos(angle), np.sin(angle)


def twice(cs):
    return tuple(np.concatenate([a, a], 1) for a in cs)


def beside(cs):
    return tuple(np.repeat(a, 2, 1) for a in cs)


CASES = []


def case(name, arrays, wanted, *argv, details=None):
    """Adds a case. `wanted` is the set of names that the answer must have, or "nothing" or "several"."""
    CASES.append((name, arrays, wanted, argv, details or {}))


FEW, MANY = np.arange(32), np.arange(4096)
FAR = np.arange(100000, 100064)
PLAIN = ("head_dim=128", "rope_theta=10000")
L3 = ("head_dim=128", "rope_theta=500000", "rope_type=llama3", "factor=8", "low_freq_factor=1",
      "high_freq_factor=4", "original_max_position_embeddings=8192")
YARN = ("head_dim=128", "rope_theta=10000", "rope_type=yarn", "factor=4",
        "original_max_position_embeddings=4096")
LINEAR = ("head_dim=128", "rope_theta=10000", "rope_type=linear", "factor=4")
W = inv_freq(128)
W64 = inv_freq(128, kind=np.float64)
Y64 = yarn(128, 10000.0, 4.0, 4096)
A = 0.1 * np.log(4.0) + 1
L64 = llama3(inv_freq(128, 500000.0, kind=np.float64))

case("right, float32", twice(tables(W, MANY)), set(), *PLAIN)
case("right, double", twice(double(W64, MANY)), set(), *PLAIN)
case("right, f16", twice(double(W64, MANY, out=np.float16)), set(), *PLAIN)
case("right, ggml", chain(128, MANY), set(), *PLAIN)
case("right, far", tables(W, FAR), set(), *PLAIN, "--positions", "100000:64")
case("right, llama3", twice(tables(L64, MANY)), set(), *L3)
case("right, yarn", twice(tables(Y64, MANY, A)), set(), *YARN)
case("right, f64", double(W64, MANY, out=np.float64), set(), *PLAIN)
case("right, no config", twice(tables(W, MANY)), set())
case("order", beside(tables(W, MANY)), {"column_order"}, *PLAIN)
case("exchanged", tables(W, MANY)[::-1], {"sine_cosine"}, *PLAIN)
case("negative", (tables(W, MANY)[0], -tables(W, MANY)[1]), {"sign"}, *PLAIN)
case("one later", tables(W, MANY + 1), {"position_offset"}, *PLAIN, details={"offset": 1})
case("two later, ggml", chain(128, MANY + 2), {"position_offset"}, *PLAIN, details={"offset": 2})
case("from 0", tables(W, np.arange(64)), {"position_offset"}, *PLAIN, "--positions", "1000:64",
     details={"offset": -1000})
case("base", tables(inv_freq(128, 500000.0), MANY), {"base"}, *PLAIN, details={"base": 500000})
case("base, llama3", twice(tables(llama3(inv_freq(128, 10000.0)), MANY)), {"base"}, *L3, details={"base": 10000})
case("base, no config", tables(inv_freq(64, 1e6), MANY), {"base"}, details={"base": 1e6})
case("base of a row", double(inv_freq(64, 150000.0, kind=np.float64), [7, 8]), {"base"}, "head_dim=64",
     "--positions", "7,8", details={"base": 150000})
case("unscaled llama3", tables(inv_freq(128, 500000.0), MANY), {"scaling_absent"}, *L3)
case("unscaled yarn", tables(W, MANY), {"scaling_absent"}, *YARN)
case("unscaled linear", chain(128, MANY), {"scaling_absent"}, *LINEAR)
case("linear for yarn", tables(W64 / 4, MANY), {"scaling_other"}, *YARN, details={"scaling": "linear"})
case("another factor", tables(W64 / 8, MANY), {"scaling_other"}, *LINEAR, details={"factor": 8})
case("another factor, fixed NTK", double(inv_freq(128, 40000.0, kind=np.float64) / 4 ** (2 / 128), MANY),
     {"scaling_other"}, *PLAIN, "rope_type=ntk", "factor=8", details={"scaling": "ntk", "factor": 4})
case("linear, unasked", tables(W64 / 2, MANY), {"scaling_other"}, *PLAIN, details={"factor": 2})
case("llama3 twice", tables(llama3(L64), MANY), {"scaling_twice"}, *L3)
case("linear twice", tables(W64 / 16, MANY), {"scaling_twice"}, *LINEAR)
case("yarn twice", tables(Y64 * Y64 / W64, MANY, A), {"scaling_twice"}, *YARN)
case("no factor", tables(Y64, MANY), {"attention_factor_absent"}, *YARN)
case("factor squared", tables(Y64, MANY, A * A), {"attention_factor_squared"}, *YARN)
case("factor inverse", tables(Y64, MANY, 1 / A), {"attention_factor_inverse"}, *YARN)
case("all rotate", tables(inv_freq(128), MANY), {"rotary_width"}, "head_dim=128", "partial_rotary_factor=0.5",
     details={"rotary_dim": 128})
case("exponent of the head", tables(inv_freq(64, by=128), MANY), {"rotary_width"}, "head_dim=128",
     "partial_rotary_factor=0.5", details={"rotary_dim": 128})
case("inv_freq in bf16", tables(bf16(W), MANY), {"inv_freq_bf16"}, *PLAIN)
case("inv_freq in f16", twice(tables(f16(W), MANY)), {"inv_freq_f16"}, *PLAIN)
case("inv_freq in bf16, llama3", twice(tables(bf16(L64), MANY)), {"inv_freq_bf16"}, *L3)
case("positions in bf16", tables(W, bf16(MANY)), {"positions_bf16"}, *PLAIN)
case("positions in f16", tables(W, f16(np.arange(8192))), {"positions_f16"}, *PLAIN)
case("table in bf16", tuple(bf16(a) for a in tables(W, MANY)), {"table_bf16"}, *PLAIN)
case("table in f16", twice(tuple(f16(a) for a in double(W64, MANY))), {"table_f16"}, *PLAIN)
case("base and order", beside(tables(inv_freq(128, 1e6), MANY)), {"base", "column_order"}, *PLAIN)
case("base, inv_freq in bf16", tables(bf16(inv_freq(128, 500000.0)), MANY), {"base", "inv_freq_bf16"}, *PLAIN)
case("joined", np.concatenate(tables(W, MANY), 1), set(), *PLAIN)
case("complex", tables(W, MANY)[0] + 1j * tables(W, MANY)[1], set(), *PLAIN)
case("paper", np.stack(double(W64, MANY)[::-1], 2).reshape(4096, 128), set(), "preset=vaswani", "d_model=128")
case("paper in halves", np.concatenate(double(W64, MANY)[::-1], 1), {"column_order"}, "preset=vaswani",
     "d_model=128")
case("paper, cosines first", np.stack(double(W64, MANY), 2).reshape(4096, 128), {"sine_cosine"},
     "preset=vaswani", "d_model=128")
PAPER = ("preset=vaswani", "d_model=62")
P64 = inv_freq(62, kind=np.float64)
for place in ([0], [7], [5, 5, 5]):
    row = np.stack(double(P64, place)[::-1], 2).reshape(len(place), 62)
    case(f"paper at {place}", row, set() if place != [0] else "several", *PAPER, "--positions", ",".join(map(str, place)))
case("amplitude at position 0", np.repeat(F([[0, 0.25]]), 16, 1), "several", "preset=mlx", "d_model=32")
NEIGHBOURS = ("model_type=ernie4_5_moe", "head_dim=16", "rope_theta=1.5", "rope_type=yarn", "factor=8",
              "original_max_position_embeddings=64")
case("neighbours at position 0", beside(double(np.ones(8), [0], 0.1 * np.log(8) + 1)), "several", *NEIGHBOURS)
case("a factor of 1e38", double(inv_freq(16, kind=np.float64), [0]), "several", "head_dim=16", "rope_type=llama3",
     "factor=1e38", "low_freq_factor=1", "high_freq_factor=4", "original_max_position_embeddings=64")
case("paper in halves, one row", np.concatenate(double(P64, [7])[::-1], 1), {"column_order"}, *PAPER, "--positions",
     "7")
case("inv_freq", (W,), set(), *PLAIN)
case("inv_freq, llama3", (L64.astype(F),), set(), *L3)
case("inv_freq of another base", (inv_freq(128, 500000.0),), {"base"}, *PLAIN, details={"base": 500000})
case("inv_freq rounded", (bf16(W),), {"inv_freq_bf16"}, *PLAIN)
case("inv_freq unscaled", (inv_freq(128, 500000.0),), {"scaling_absent"}, *L3)

# In Gemma 4's full-attention layers, a table has all 32 pairs, of which only the first 8 rotate.
GEMMA4 = ("head_dim=64", "rope_theta=1000000", "rope_type=proportional", "partial_rotary_factor=0.25")


def padded(w, pairs=32):
    return np.concatenate([w, np.zeros(pairs - len(w))])


G64 = inv_freq(64, 1e6, kind=np.float64)
DENSE = inv_freq(16, 1e6, kind=np.float64)
case("right, proportional", tables(padded(G64[:8]), MANY), set(), *GEMMA4)
case("right, proportional, joined", np.concatenate(double(padded(G64[:8]), MANY), 1), set(), *GEMMA4)
case("right, proportional, twice", twice(double(padded(G64[:8]), MANY, out=np.float16)), set(), *GEMMA4)
case("right, proportional, factor", tables(padded(G64[:8]) / 8, MANY), set(), *GEMMA4, "factor=8")
case("right, proportional, freq_factors", tables(padded(G64[:8]) / 2, MANY), set(), *GEMMA4,
     f"freq_factors={[2] * 32}".replace(" ", ""))
case("inv_freq, proportional", (padded(G64[:8]).astype(F),), set(), *GEMMA4)
case("proportional, exchanged", double(padded(G64[:8]), MANY)[::-1], {"sine_cosine"}, *GEMMA4)
case("proportional, base", double(padded(inv_freq(64, 1e4, kind=np.float64)[:8]), MANY), {"base"}, *GEMMA4,
     details={"base": 10000})
case("proportional, factor and base", double(padded(inv_freq(64, 1e4, kind=np.float64)[:8]) / 8, MANY), {"base"},
     *GEMMA4, "factor=8", details={"base": 10000})
case("proportional, unscaled", double(padded(G64[:8]), MANY), {"scaling_absent"}, *GEMMA4, "factor=8")
case("proportional, scaled twice", double(padded(G64[:8]) / 64, MANY), {"scaling_twice"}, *GEMMA4, "factor=8")
case("proportional, another factor", double(padded(G64[:8]) / 4, MANY), {"scaling_other"}, *GEMMA4, "factor=8",
     details={"scaling": "proportional", "factor": 4})
case("proportional, all rotate", double(G64, MANY), {"rotary_width"}, *GEMMA4, details={"rotary_dim": 64})
case("proportional, half rotates", double(padded(G64[:16]), MANY), {"rotary_width"}, *GEMMA4,
     details={"rotary_dim": 32})
case("proportional, 8 pairs", double(G64[:8], MANY), {"rotary_width"}, *GEMMA4, details={"rotary_dim": 16})
case("proportional, exponents of 8 pairs", double(DENSE, MANY), {"rotary_width"}, *GEMMA4, details={"rotary_dim": 16})
case("proportional, exponents of 8 pairs, padded", double(padded(DENSE), MANY), {"rotary_width"}, *GEMMA4,
     details={"rotary_dim": 16})
case("proportional, 5 pairs", double(inv_freq(10, 1e6, kind=np.float64), MANY), {"rotary_width"}, *GEMMA4,
     details={"rotary_dim": 10})
case("proportional, more pairs than a head", double(inv_freq(80, 1e6, kind=np.float64), MANY), {"rotary_width"},
     *GEMMA4, details={"rotary_dim": 80})

RANDOM = np.random.default_rng(1)
RIGHT = tables(W, MANY)


def changed(at, to):
    c, s = (a.copy() for a in RIGHT)
    c[at] = to
    return c, s


case("learned", (RANDOM.normal(size=(64, 64)).astype(F), RANDOM.normal(size=(64, 64)).astype(F)), "nothing", *PLAIN)
case("noise", tuple((a + RANDOM.normal(size=a.shape) * 1e-3).astype(F) for a in RIGHT), "nothing", *PLAIN)
case("small noise", tuple((a + RANDOM.normal(size=a.shape) * 3e-6).astype(F) for a in RIGHT), "nothing", *PLAIN)
case("one element", changed((2000, 30), 0.25), "nothing", *PLAIN)
case("not a number", changed((2000, 30), np.nan), "nothing", *PLAIN)
case("columns permuted", tuple(a[:, RANDOM.permutation(64)] for a in RIGHT), "nothing", *PLAIN)
case("rows permuted", tuple(a[RANDOM.permutation(4096)] for a in RIGHT), "nothing", *PLAIN)
case("8 bits", tuple(np.rint(a * 127).astype(F) / F(127) for a in RIGHT), "nothing", *PLAIN)
case("other frequencies", tables(1 / (1 + np.arange(64.0)), MANY), "nothing", *PLAIN)
case("cosines alone in bf16", (bf16(RIGHT[0]), RIGHT[1]), "nothing", *PLAIN)
case("sines alone in f16", (RIGHT[0], f16(RIGHT[1])), "nothing", *PLAIN)
case("clipped", tuple(np.clip(a, -0.9, 0.9) for a in RIGHT), "nothing", *PLAIN)
case("amplitude", tables(W, MANY, 1.01), "nothing", *PLAIN)
case("a row later in the middle", tables(W, np.where(MANY < 3000, MANY, MANY + 1)), "nothing", *PLAIN)
case("text of M-RoPE", twice(tables(inv_freq(128, 1e6), MANY)), set(), "head_dim=128", "rope_theta=1000000",
     "rope_scaling.rope_type=default", "rope_scaling.mrope_section=[16,24,24]")
case("text of interleaved M-RoPE, base", twice(tables(inv_freq(128, 1e4), MANY)), {"base"}, "head_dim=128",
     "rope_theta=5000000", "rope_scaling.rope_type=default", "rope_scaling.mrope_section=[24,20,20]",
     "rope_scaling.mrope_interleaved=true", details={"base": 10000})
# IMAGE has the coordinates (t, y, x) of rows of text, and then of the patches of two images.
IMAGE = np.concatenate([np.repeat(np.arange(5.0)[:, None], 3, 1),
                        [(t, 5 + y, 5 + x) for t in (5, 6) for y in range(12) for x in range(16)]])
MROPE = ("head_dim=128", "rope_theta=1000000", "rope_scaling.rope_type=default", "rope_scaling.mrope_section=[16,24,24]")
TURNS = (*MROPE[:3], "rope_scaling.mrope_section=[24,20,20]", "rope_scaling.mrope_interleaved=true")
ERNIE = ("model_type=ernie4_5_vl_moe_text", "head_dim=128")
TOWER = ("model_type=qwen2_5_vl_vision", "hidden_size=1280", "num_heads=16")
IN_BLOCKS, IN_TURNS = np.repeat([0, 1, 2], [16, 24, 24]), np.array([i % 3 if i < 60 else 0 for i in range(64)])
IN_ERNIE = np.array([1 + i % 2 if i < 44 else 0 for i in range(64)])
GRID = np.array([(y, x) for y in range(16) for x in range(32)], float)


def rotated(of, coordinates, w):
    """Returns the cosines and sines in float32 of rotations in which each pair has a coordinate of its own."""
    angle = coordinates[:, of].astype(F) * w
    return np.cos(angle), np.sin(angle)


M64 = inv_freq(128, 1e6)
case("image", twice(rotated(IN_BLOCKS, IMAGE, M64)), set(), *MROPE, "--positions", IMAGE)
case("image, base", rotated(IN_BLOCKS, IMAGE, inv_freq(128, 1e4)), {"base"}, *MROPE, "--positions", IMAGE,
     details={"base": 10000})
case("image, interleaved", twice(rotated(IN_TURNS, IMAGE, M64)), set(), *TURNS, "--positions", IMAGE)
case("image, three rows", rotated(IN_TURNS, IMAGE[4:7], M64), set(), *TURNS, "--positions", "4,4,4;5,5,5;5,5,6")
case("image, inv_freq in bf16", rotated(IN_TURNS, IMAGE, bf16(M64)), {"inv_freq_bf16"}, *TURNS, "--positions", IMAGE)
case("image, blocks for turns", rotated(IN_BLOCKS, IMAGE, M64), "nothing", *TURNS, "--positions", IMAGE)
case("image, exchanged", rotated(IN_TURNS, IMAGE, M64)[::-1], {"sine_cosine"}, *TURNS, "--positions", IMAGE)
case("image, ERNIE", beside(rotated(IN_ERNIE, IMAGE, inv_freq(128, 5e5))), set(), *ERNIE, "--positions", IMAGE)
case("text, ERNIE", tables(inv_freq(128, 5e5), MANY), set(), *ERNIE)
case("tower", rotated(np.repeat([0, 1], 20), GRID, np.tile(inv_freq(40), 2)), set(), *TOWER, "--positions", "16x32")
case("tower, base", rotated(np.repeat([0, 1], 20), GRID, np.tile(inv_freq(40, 5e5), 2)), {"base"}, *TOWER,
     "--positions", "16x32", details={"base": 500000})
case("tower, one coordinate", tables(np.tile(inv_freq(40), 2), np.arange(512)), "nothing", *TOWER)
case("by columns", tuple(np.asfortranarray(a) for a in RIGHT), set(), *PLAIN)
case("complex by columns", np.asfortranarray(RIGHT[0] + 1j * RIGHT[1]), set(), *PLAIN)
case("row 0", tables(W, [0]), "several", *PLAIN)
case("row 0, scaled", tables(L64, [0]), "several", *L3)
case("row 0, halves", twice(tables(W, [0])), "several")
case("near rows in f16", double(L64, [0, 1], out=np.float16), set(), *L3)


OK = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4), }"


def npy(head, body=b"", version=1):
    head = head.encode()
    return b"\x93NUMPY" + bytes([version, 0]) + len(head).to_bytes(2 if version == 1 else 4, "little") + head + body


# Files that are not valid, each with a word that the error text must contain.
HOSTILE = [
    (b"", ".npy"),
    (b"\x93NUMPY", ".npy"),
    (b"\x93NUMPY\x01\x00\x10", "head"),
    (b"\x93NUMPY\x04\x00" + b" " * 99, "version"),
    (b"\x93NUMPY\x02\x00\xff\xff\xff\xff", "65536"),
    (npy(OK, b"1234"), "last element"),
    (npy(OK, bytes(33)), "behind"),
    (npy(OK.replace("2, 4", "99999999999999999999, 4")), "shape"),
    (npy(OK.replace("2, 4", "268435456, 268435456")), "shape"),
    (npy(OK.replace("2, 4", "-2, 4")), "shape"),
    (npy(OK.replace("2, 4", "2, 2, 2"), bytes(32)), "shape"),
    (npy(OK.replace("2, 4", "1, " * 9)), "shape"),
    (npy(OK.replace("2, 4", "0, 4")), "shape"),
    (npy(OK.replace("(2, 4), }", "(2, 4")), "shape"),
    (npy(OK.replace("'shape'", "'form'")), "shape"),
    (npy(OK.replace("<f4", "|O")), "descr"),
    (npy(OK.replace("'<f4'", "[('a', '<f4')]")), "descr"),
    (npy(OK.replace("<f4", "<f99999999999999999999")), "descr"),
    (npy(OK.replace("<f4", "<f3"), bytes(24)), "descr"),
    (npy(OK.replace("<f4", "<i4"), bytes(32)), "floating-point"),
    (npy(OK.replace("<f4", "<c9"), bytes(64)), "descr"),
    (npy(OK.replace("False", "0"), bytes(32)), "fortran_order"),
    (npy(OK.replace("2, 4", "2, 3"), bytes(24)), "even"),
    (npy(OK.replace("2", "2\0"), bytes(32)), "byte of 0"),
]


KEYS = ["'descr':'<f4'", "'fortran_order':False", "'shape':(2,4)"]
# A header may end at any place within its last key. Each key is the last one once.
for last in KEYS:
    start = "{" + ",".join(key for key in KEYS if key != last) + ","
    HOSTILE += [(npy(start + last[:end]), last.split("'")[1]) for end in range(len(last))]
HOSTILE += [(npy(KEYS[0][:end]), "descr") for end in range(1, len(KEYS[0]))]  # here it is also the only key


def hostile(posenc, where):
    failed = 0
    for number, (data, word) in enumerate(HOSTILE):
        with open(f"{where}/hostile.npy", "wb") as file:
            file.write(data)
        run = subprocess.run([posenc, "compare", "--table", f"{where}/hostile.npy"], capture_output=True, text=True,
                             check=False)
        good = run.returncode == 1 and word in run.stderr and "hostile.npy" in run.stderr and not run.stdout
        failed += not good
        print(f"{'ok  ' if good else 'FAIL'} hostile {number}: {run.returncode} {run.stderr.strip()}")
    return failed


def mixed(posenc, where):
    """Cosines and sines of two types: posenc names both files and both types."""
    failed = 0
    names = [f"{where}/mixed-cos.npy", f"{where}/mixed-sin.npy"]
    for kinds, of_kinds in (((np.float16, F), ("f16", "f32")), ((F, np.float16), ("f32", "f16")),
                            ((F, np.float64), ("f32", "f64")), ((F, np.int32), ("f32", "integers"))):
        for name, array, kind in zip(names, RIGHT, kinds):
            np.save(name, array.astype(kind))
        run = subprocess.run([posenc, "compare", *PLAIN, "--cos", names[0], "--sin", names[1]], capture_output=True,
                             text=True, check=False)
        line = f"has {of_kinds[1]}, but {names[0]} has {of_kinds[0]}: save both in one type\n"
        good = run.returncode == 1 and run.stderr.endswith(line) and "mixed-sin.npy: has" in run.stderr and not run.stdout
        failed += not good
        print(f"{'ok  ' if good else 'FAIL'} {of_kinds}: {run.returncode} {run.stdout[:60]} {run.stderr.strip()}")
    return failed


def exactly(positions, width, base):
    """Returns cosines and sines that are computed with significands of 64 bits and rounded to floats. About one in a
    million is not the nearest float."""
    w = np.longdouble(base) ** (-np.arange(0, width, 2).astype(np.longdouble) / width)
    angle = np.asarray(positions).astype(np.longdouble)[:, None] * w
    return np.cos(angle).astype(F), np.sin(angle).astype(F)


def deviation(arrays, positions, width, base):
    """Returns what the program should report: the members of `deviation`, the largest error of each pair, and all
    errors."""
    right = exactly(positions, width, base)
    errors = np.array([np.abs(a.astype(np.float64) - r) for a, r in zip(arrays, right)])
    function, row, pair = np.unravel_index(errors.argmax(), errors.shape)
    wrong = sum(int((a != r).sum()) for a, r in zip(arrays, right))
    return {"elements": errors.size, "wrong": wrong, "largest": float(errors.max()), "row": int(row),
            "position": float(positions[row]), "pair": int(pair), "function": ("cosine", "sine")[function]
            }, errors.max(axis=(0, 1)), errors


def largest(good, run):
    """Checks the largest error and its place, the largest error of each pair, and the number of elements that are not
    correctly rounded."""
    backwards = (*PLAIN, "--positions", "100063:64:-1")
    narrow = tuple(bf16(a) for a in RIGHT)  # the file has floats, so the errors are those against exact floats
    for what, arrays, positions, argv in (
            ("floats", RIGHT, MANY, PLAIN), ("floats, a list", tables(W, FAR[::-1]), FAR[::-1], backwards),
            ("ggml's chain", chain(128, MANY), MANY, PLAIN), ("one element", changed((2000, 30), 0.25), MANY, PLAIN),
            ("another base", tables(inv_freq(128, 500000.0), MANY), MANY, PLAIN),
            ("table in bf16", narrow, MANY, PLAIN)):
        wanted, by_pair, errors = deviation(arrays, positions, 128, 10000)
        text, answer = run(arrays, *argv)
        seen = answer["deviation"]
        # If several errors are equal, the program may name any of their places.
        place = errors[("cosine", "sine").index(seen["function"]), seen["row"], seen["pair"]]
        good(what, seen["largest"] == wanted["largest"] == place and seen["elements"] == wanted["elements"]
             and seen["position"] == positions[seen["row"]] and abs(seen["wrong"] - wanted["wrong"]) <= 2
             and answer["measured"]["error"] == by_pair.tolist(), (seen, wanted))
        line = f"exact table: {seen['largest']:.3g} at position {int(seen['position'])}"
        row = "" if seen["position"] == seen["row"] else f" (row {seen['row']})"
        good(what + ", in words", f"{line}{row}, pair {seen['pair']}, {seen['function']}\n" in text
             and f"\n  {seen['pair']:4d} " in text
             and f"not correctly rounded: {seen['wrong']} of {wanted['elements']}, "
                 f"{100 * seen['wrong'] / wanted['elements']:.3g} %\n" in text, text)
    nowhere = changed((2000, 30), 0.5)
    nowhere[1][7, 5] = np.nan
    text, answer = run(nowhere, *PLAIN)
    good("not a number", "largest error against the exact table: inf at position 7, pair 5, sine\n" in text, text)
    text, answer = run(double(W64, MANY, out=np.float64), *PLAIN)
    good("none of RoPE in f64", answer["deviation"] is None and "exact table" not in text, text)


def first_lines(good, run):
    """Checks what is said of a right config, which depends on how the angles were computed."""
    text, answer = run(exactly(MANY, 128, 10000), *PLAIN)
    good("nothing to say", answer["deviation"]["wrong"] == 0 and answer["arithmetic"] == "exact"
         and text.startswith("right: every element is the correctly rounded one\n")
         and "error against" not in text, text)
    doubles = np.stack(double(W64, MANY, out=np.float64)[::-1], 2).reshape(4096, 128)
    said = "the config is right; the angles were computed in "
    for said_of, arrays, argv in (("float32", RIGHT, PLAIN), ("float32, by ggml's chain", chain(128, MANY), PLAIN),
                                  ("double", (doubles,), ("preset=vaswani", "d_model=128"))):
        text, answer = run(arrays, *argv)
        good("in " + said_of, text.startswith(f"{said}{said_of}\n") and answer["deviation"]["wrong"] > 0
             and answer["deviation"]["unexplained"] is None and "explain" not in text, text)
    text, answer = run(RIGHT)
    good("without a config", text.startswith("base 10000, unscaled, is right; the angles were computed in float32\n"),
         text)


def sine_first(good, run):
    """Checks the paper's table, sin, cos, sin, cos ..., without an error, with one wrong element, and with the cosine
    first."""
    paper = ("preset=vaswani", "d_model=128")
    right = np.stack(exactly(MANY, 128, 10000)[::-1], axis=2).reshape(4096, 128)
    moved = right.copy()
    moved[2000, 31] = 0.25  # the cosine of pair 15
    others = np.arange(64) != 15
    for what, array, argv, wrong in (("right", right, paper, 0), ("one element", moved, paper, 1),
                                     ("right, no config", right, (), 0), ("one element, no config", moved, (), 1)):
        text, answer = run((array,), *argv)
        seen, measured = answer["deviation"], answer["measured"]
        good(f"the sine first, {what}", seen["wrong"] - wrong in range(3) and "the sine first\n" in text
             and answer["explained"] == (wrong == 0)
             and (not wrong or (seen["row"], seen["pair"], seen["function"]) == (2000, 15, "cosine"))
             and np.allclose(np.array(measured["frequency"])[others], W64[others], rtol=1e-5)
             and np.allclose(np.array(measured["offset"])[others], 0, atol=1e-6), text)
    text, answer = run((np.stack(exactly(MANY, 128, 10000), axis=2).reshape(4096, 128),), *paper)
    good("the cosine first", answer["differs"] == ["sine_cosine"] and answer["deviation"]["wrong"] > 500000
         and "the sine first" not in text and np.allclose(answer["measured"]["frequency"], W64, rtol=1e-5), text)


def unexplained(good, run):
    """Checks that the first error of more than 13 units in the last place of the angle is reported. Float32 angles do
    not explain such an error."""
    small = exactly(MANY, 128, 10000)
    small[0][900, 0] += F(1e-3)   # of an angle of 900, 13 units are 1.4e-3
    large = tuple(a.copy() for a in small)
    large[1][1000, 30] += F(1e-4)  # of an angle of 13.3 they are 2.1e-5
    listed = exactly(FAR[::-1], 128, 10000)
    listed[0][13, 60] += F(0.1)
    for what, arrays, wanted, argv in (
            ("another base", tables(inv_freq(128, 500000.0), MANY), (1, 1, 1, "cosine"), PLAIN),
            ("positions in bf16", tables(W, bf16(MANY)), (257, 257, 0, "cosine"), PLAIN),
            ("a row later", tables(W, MANY + 1), (0, 0, 0, "cosine"), PLAIN),
            ("negative", (RIGHT[0], -RIGHT[1]), (1, 1, 0, "sine"), PLAIN),
            ("one element", changed((2000, 30), 0.25), (2000, 2000, 30, "cosine"), PLAIN),
            ("a small error", small, None, PLAIN),
            ("a small and a large one", large, (1000, 1000, 30, "sine"), PLAIN),
            ("a list", listed, (13, 100050, 60, "cosine"), (*PLAIN, "--positions", "100063:64:-1"))):
        text, answer = run(arrays, *argv)
        seen, line = answer["deviation"]["unexplained"], ""
        if wanted:
            row, position, pair, function = wanted
            line = f": position {position}{'' if row == position else f' (row {row})'}, pair {pair}, {function}\n"
            seen = tuple(seen[k] for k in ("row", "position", "pair", "function")) if seen else None
        good("unexplained, " + what, not (answer["explained"] and not answer["differs"]) and seen == wanted
             and ("\n  first error that float32 angles do not explain" + line in text) == bool(wanted), (seen, text))


def deviations(posenc, where):
    failed = 0

    def good(what, is_good, seen=""):
        nonlocal failed
        failed += not is_good
        print(f"{'ok  ' if is_good else 'FAIL'} deviation: {what} {'' if is_good else seen}")

    def run(arrays, *argv):
        names = [f"{where}/deviation{k}.npy" for k in range(len(arrays))]
        for name, array in zip(names, arrays):
            np.save(name, array)
        argv = [posenc, "compare", *argv] + (["--cos", names[0], "--sin", names[1]] if len(names) == 2
                                             else ["--table", names[0]])
        text = [subprocess.run(argv + more, capture_output=True, text=True, check=False).stdout
                for more in ([], ["--json"])]
        return text[0], json.loads(text[1])

    for checks in (largest, first_lines, sine_first, unexplained):
        checks(good, run)
    return failed


def main():
    posenc, where = sys.argv[1:3]
    failed = hostile(posenc, where) + mixed(posenc, where) + deviations(posenc, where)
    for number, (name, arrays, wanted, argv, details) in enumerate(CASES):
        files = [f"{where}/{number}-{k}.npy" for k in (0, 1)]
        argv = list(argv)
        if argv and isinstance(argv[-1], np.ndarray):
            np.save(f"{where}/{number}-positions.npy", argv.pop())
            argv += [f"{where}/{number}-positions.npy"]
        if isinstance(arrays, np.ndarray):
            np.save(files[0], arrays)
            argv += ["--table", files[0]]
        else:
            for file, array in zip(files, arrays):
                np.save(file, array)
            argv += ["--cos", files[0], "--sin", files[1]] if len(arrays) == 2 else ["--inv-freq", files[0]]
        run = subprocess.run([posenc, "compare", *argv, "--json"], capture_output=True, text=True, check=False)
        try:
            found = json.loads(run.stdout)
        except ValueError:
            found = {"differs": None, "candidates": [], "details": {}, "explained": None}
        got = "several" if found["candidates"] else "nothing" if found["differs"] is None else set(found["differs"])
        good = got == wanted and run.returncode == (0 if isinstance(wanted, set) else 1)
        for key, value in details.items():
            good = good and found["details"].get(key) == value
        failed += not good
        print(f"{'ok  ' if good else 'FAIL'} {name}: {got} {found.get('arithmetic')} {found['details']}"
              f"{'' if good else f' wanted {wanted} {details}; status {run.returncode}; {argv}'} {run.stderr}".rstrip())
    count = len(CASES) + len(HOSTILE)
    print(f"{count - failed} passed, {failed} failed")
    return failed != 0 or count < 196


sys.exit(main())
