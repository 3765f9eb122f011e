# SPDX-License-Identifier: MIT
"""test.py TURNS [PATTERN]: compares the package posenc with MPFR's numbers, and tests misuse. TURNS is the compiled
turns.c.

Every test of an array also looks at the memory around it. Arrays are cut from larger ones that are full of a pattern.
The memory around them must keep the pattern, also when a call is refused.
"""
import copy
import ctypes
import fnmatch
import glob
import json
import os
import pickle
import random
import re
import subprocess
import sys
import tempfile
import threading
import warnings
from fractions import Fraction

import numpy as np
import posenc

try:
    import torch
except ImportError:
    torch = None

assert torch is not None or "torch" not in sys.modules
F = {"f32": (24, -149), "f64": (53, -1074), "f16": (11, -24), "bf16": (8, -133)}
DTYPES = {"f32": np.dtype(np.float32), "f64": np.dtype(np.float64), "f16": np.dtype(np.float16),
          "bf16": posenc.bfloat16}
PROGRAM = os.environ.get("POSENC_PROGRAM")  # the program posenc, which must find the parts that posenc.read() finds
random.seed(36)
np.random.seed(36)


# ---- the expected results ------------------------------------------------------------------------------------

def once(x, type):
    """Returns a fraction rounded to the type, to nearest even, as a float that holds it exactly."""
    bits, lowest = F[type]
    if x == 0:
        return 0.0
    exponent = abs(x.numerator).bit_length() - x.denominator.bit_length()
    exponent -= abs(x) < Fraction(2) ** exponent
    unit = Fraction(2) ** max(exponent - bits + 1, lowest)
    return float(round(x / unit) * unit)


def from_hex(text):
    """Reads a number of 256 bits as MPFR's %Ra prints it, for example 0x1.8p+1."""
    sign = -1 if text[0] == "-" else 1
    digits, exponent = text.lstrip("-")[2:].split("p")
    whole, _, part = digits.partition(".")
    return sign * Fraction(int(whole + part, 16)) * Fraction(2) ** (int(exponent) - 4 * len(part))


def turns(requests):
    """Returns the sine and cosine of turns.c for each (base, numerator, denominator, position)."""
    text = "".join(f"{float(b).hex()} {n} {d} {float(p).hex()}\n" for b, n, d, p in requests)
    said = subprocess.run([sys.argv[1]], input=text, stdout=subprocess.PIPE, universal_newlines=True, check=True)
    lines = said.stdout.splitlines()
    assert len(lines) == len(requests)
    return [tuple(from_hex(number) for number in line.split()) for line in lines]


def expected(positions, d_model, base, type, layout="interleaved", amplitude=1.0):
    pairs = d_model // 2
    both = turns([(base, 2 * i, d_model, p) for p in positions for i in range(pairs)])
    rows = np.array([[once(Fraction(amplitude) * s, type), once(Fraction(amplitude) * c, type)] for s, c in both])
    rows = rows.reshape(len(positions), pairs, 2)
    return rows.reshape(len(positions), d_model) if layout == "interleaved" else (
        np.concatenate([rows[:, :, 0], rows[:, :, 1]], 1))


def wide(x):
    """Returns an array of any of the four types as doubles, exactly."""
    if x.dtype == posenc.bfloat16:
        x = (np.ascontiguousarray(x).view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    return x.astype(np.float64)


def narrow(x, type):
    if type != "bf16":
        return x.astype(DTYPES[type])
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32)
    return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype(np.uint16).view(posenc.bfloat16)


def same(got, want):
    got = wide(got)
    assert got.shape == want.shape, (got.shape, want.shape)
    wrong = (got != want) | (np.signbit(got) != np.signbit(want)) & (want != 0)
    assert not wrong.any(), f"{wrong.sum()} of {wrong.size} are wrong: {got[wrong][:4]}, not {want[wrong][:4]}"


class Guarded:
    """Holds an array of this shape within memory full of a pattern. Strides count elements; None means contiguous."""

    def __init__(self, shape, type="f32", strides=None, value=None):
        size = DTYPES[type].itemsize
        if strides is None:
            strides = [int(np.prod(shape[k + 1:])) for k in range(len(shape))]
        reach = 1 + sum(max(n - 1, 0) * s for n, s in zip(shape, strides))
        self.memory = np.full((reach + 128) * size, 0xa5, np.uint8)
        self.array = np.lib.stride_tricks.as_strided(self.memory[64 * size:].view(DTYPES[type]), shape,
                                                     [s * size for s in strides])
        self.own = np.zeros((reach + 128) * size, bool)
        np.lib.stride_tricks.as_strided(self.own[64 * size:].view(f"V{size}"), shape,
                                        [s * size for s in strides])[...] = b"\1" * size
        if value is not None:
            self.array[...] = narrow(value, type)
        self.before = self.memory.copy()

    def others_kept(self):
        return (self.memory == self.before)[~self.own].all()

    def kept(self):
        return (self.memory == self.before).all()


def raises(kind, call, *arguments, says="", **named):
    """Checks that the call raises an exception of exactly this kind, with this in its text."""
    try:
        call(*arguments, **named)
    except kind as error:
        assert says in str(error), f"{error!r} does not say {says!r}"
        assert type(error) is kind or kind not in (TypeError, ValueError), f"{error!r} is no {kind.__name__}"
        return error
    raise AssertionError(f"no {kind.__name__} from {call}{arguments}{named}")


# ---- numbers -------------------------------------------------------------------------------------------------

def test_sinusoidal():
    for rows, d_model in ((1, 2), (4, 8), (37, 64), (3, 130)):
        for type, dtype in DTYPES.items():
            same(posenc.sinusoidal(rows, d_model, dtype=dtype), expected(range(rows), d_model, 10000, type))
    assert posenc.sinusoidal(0, 8).shape == (0, 8)
    # the table that the tutorials print
    printed = np.round(posenc.sinusoidal(4, 8).astype(float), 4)[3]
    assert (printed == [0.1411, -0.9900, 0.2955, 0.9553, 0.0300, 0.9996, 0.0030, 1.0000]).all(), printed


def test_fill_positions():
    base, d = 500000, 32
    plan = posenc.Plan(d, base=base)
    lists = [range(1000000, 1000020), range(5, -60, -7), [3, 1, 2**31, -(2**31), 1], np.arange(9, dtype=np.int8),
             np.array([7, 3], ">i4"), np.arange(20, dtype=np.uint16)[::-3], [0.5, -1e-3, 77.25],
             np.array([1.5, 3], np.float16), np.array([2.25, 9], np.float32)[::-1], []]
    if torch:
        lists += [torch.arange(3, 11), torch.tensor([0.25, 5]), torch.arange(12, dtype=torch.int32)[::4]]
    for at in lists:
        positions = [float(p) for p in at]
        for type, dtype in DTYPES.items():
            got = plan.fill(at, dtype=dtype)
            assert got.shape == (len(positions), d)
            same(got, expected(positions, d, base, type))
    same(plan.fill(70000, 5), expected(range(70000, 70005), d, base, "f32"))
    same(plan.fill(posenc.back(9), 1), expected([-9], d, base, "f32"))
    same(posenc.Plan(d, base=base, offset=2, layout="halves", amplitude=0.3).fill(9, 2),
         expected([11, 12], d, base, "f32", "halves", 0.3))
    # points, and a grid: two axes of half the width each
    image = posenc.Plan(d, base=base, axis=[(0, 0), (0, 1)])
    points = np.array([[5, 70000], [1, 2], [9, 9]])
    want = np.concatenate([expected(points[:, k], d // 2, base, "f32") for k in (0, 1)], 1)
    same(image.fill(points), want)
    same(image.fill(np.asfortranarray(points)), want)
    same(image.fill(points.astype(np.float32)), want)
    cells = [(y, x) for y in range(3) for x in range(4)]
    same(image.fill(posenc.grid(3, 4)), np.concatenate([expected([c[k] for c in cells], d // 2, base, "f32")
                                                        for k in (0, 1)], 1))


def test_frequencies():
    omega = [1.0, 0.1, 3.7e-5, 0.25]
    plan = posenc.Plan(8, frequencies=omega)
    assert (plan.frequencies() == omega).all() and plan.wavelengths()[3] == 8 * np.pi
    both = turns([(w, -1, 1, p) for p in (3, 100001) for w in omega])
    want = np.array([once(x, "f32") for pair in both for x in pair]).reshape(2, 8)
    same(plan.fill([3, 100001]), want)
    sums = posenc.Plan(4, axes=3, columns="sums", frequencies=[[1, 2, 4], [8, 16, 32]])
    same(sums.fill(np.array([[1, 1, 1], [0, 3, 5]])),
         np.array([[once(x, "f32") for p in row for x in turns([(1, 0, 1, p)])[0]] for row in ((7, 56), (26, 208))]))


def test_sincos():
    omega = [1.0, -0.1, 3.7e-5, 0.25, 1e-9]
    for at in ([0, 7, -131072], range(1000000, 1000040), [0.5, 1e-3]):
        both = turns([(abs(w), -1, 1, p if w > 0 else -p) for p in at for w in omega])
        for type, dtype in DTYPES.items():
            want = np.array([[once(Fraction(0.3) * x, type) for x in pair] for pair in both]).reshape(len(at), 5, 2)
            got = posenc.sincos(omega, at, amplitude=0.3, dtype=dtype)
            same(got[0], want[:, :, 0])
            same(got[1], want[:, :, 1])
    assert posenc.sincos([], range(3))[0].shape == (3, 0) and posenc.sincos(omega, [])[1].shape == (0, 5)
    raises(posenc.Error, posenc.sincos, [1, np.nan], 0, 1, says="PE_ERR_FREQUENCY")
    raises(ValueError, posenc.sincos, [[1, 2]], 0, 1)
    raises(ValueError, posenc.sincos, [1, 2], [0, 1], 3, says="positions")
    raises(TypeError, posenc.sincos, [1], 0)


def rotated(x, sines, cosines, layout):
    """Returns x rotated in float32, with two products and one sum per element, as PyTorch does it."""
    x = x.astype(np.float32)
    a, b = (x[..., 0::2], x[..., 1::2]) if layout == "interleaved" else np.split(x, 2, -1)
    new = a * cosines - b * sines, b * cosines + a * sines
    out = np.empty_like(x)
    if layout == "interleaved":
        out[..., 0::2], out[..., 1::2] = new
    else:
        out[...] = np.concatenate(new, -1)
    return out


def test_rotate():
    n, theta = 16, 500000.0
    positions = [131072, 131073, 9, 0, 77]
    table = expected(positions, n, theta, "f32", "halves").astype(np.float32)
    s, c = table[:, :n // 2], table[:, n // 2:]
    for layout in ("halves", "interleaved"):
        rope = posenc.Rope(n, rope_theta=theta, layout=layout)
        got = rope.table(positions)
        same(got[0], c.astype(float))
        same(got[1], s.astype(float))
        for type in ("f32", "f16", "bf16"):
            # [batch, heads, tokens, n], views that skip, [tokens, heads, n], [batch, tokens, heads, n]
            for shape, strides, axis in (((2, 3, 5, n), None, -2), ((2, 3, 5, n), (2000, 300, 17, 1), 2),
                                         ((5, 3, n), None, -3), ((2, 5, 3, n), (900, 3 * n, n, 1), 1),
                                         ((5, n), None, 0), ((5, n), (3 * n, 1), -2), ((1, 5, n), (1, n, 1), -2),
                                         ((2, 2, 2, 5, 3, n), (4000, 1000, 450, 3 * n, n, 1), -3)):
                x = np.random.randn(*shape).astype(np.float32)
                q = Guarded(shape, type, strides, x)
                x = wide(q.array)
                rope.rotate(q.array, at=positions, axis=axis)
                last = x if axis % len(shape) == len(shape) - 2 else np.moveaxis(x, axis, -2)
                want = wide(narrow(rotated(last, s, c, layout), type))
                same(q.array if last is x else np.moveaxis(q.array, axis, -2), want)
                assert q.others_kept()
                k = Guarded((7, 5, n), type, None, np.random.randn(7, 5, n))
                both, first = wide(k.array), Guarded((4, 5, n), type, None, np.random.randn(4, 5, n))
                before = wide(first.array)
                rope.rotate(first.array, k.array, at=np.array(positions))
                same(k.array, wide(narrow(rotated(both, s, c, layout), type)))
                same(first.array, wide(narrow(rotated(before, s, c, layout), type)))
                assert k.others_kept() and first.others_kept()
    # a coordinate for each pair
    mixed = posenc.Rope(4, axes=2, coordinate=[1, 0])
    got = mixed.table(np.array([[5, 9]]))[1][0]
    both = turns([(10000, 0, 4, 9), (10000, 2, 4, 5)])
    assert [float(x) for x in got] == [once(pair[0], "f32") for pair in both]
    raises(ValueError, posenc.Rope, 4, axes=2, coordinate=[1, 256], says="fit")
    raises(ValueError, posenc.Rope, 4, axes=2, coordinate=np.array([1, 0.5]), says="fit")
    raises(ValueError, posenc.Rope, 4, axes=2, coordinate=[1], says="2")
    # the same array twice, and two of different types: as two calls
    x = np.random.randn(5, n).astype(np.float32)
    y, z = x.copy(), x.copy()
    rope.rotate(y, y, at=positions)
    rope.rotate(z, at=positions)
    rope.rotate(z, at=positions)
    assert (y == z).all()
    x = np.random.randn(1001, n).astype(np.float32)
    y, z = x.copy(), x.copy()
    rope.rotate(y[:1000], y[1:], at=7)
    rope.rotate(z[:1000], at=7)
    rope.rotate(z[1:], at=7)
    assert (y == z).all()
    # to other arrays; the inputs may be read-only, or outputs themselves
    x = np.random.randn(3, 5, n).astype(np.float32)
    x.flags.writeable = False
    y, z = np.empty_like(x), np.empty((5, n), np.float32)
    assert rope.rotate(x, at=positions, out=y) is y and (y == rotated(x, s, c, "interleaved")).all()
    y[:] = 0
    rope.rotate(x, x[1], at=positions, out=(y, z))
    assert (y == rotated(x, s, c, "interleaved")).all() and (z == y[1]).all()
    assert rope.rotate(z, at=positions, out=z) is z and (z == rotated(y[1], s, c, "interleaved")).all()
    raises(ValueError, rope.rotate, x, at=positions, out=y.astype(np.float16), says="out for q must be like q, float32 [3, 5, 16]")
    raises(ValueError, rope.rotate, x, at=positions, out=y[:2], says="not float32 [2, 5, 16]")
    raises(ValueError, rope.rotate, x, x, at=positions, out=(y,), says="two arrays")
    raises(ValueError, rope.rotate, x.tolist(), at=positions, out=y, says="out for q must be like q, [[[")
    kept = y.copy()  # refused: by the library, by the package
    raises(posenc.Error, rope.rotate, x, at=2**31, out=y, says="PE_ERR_RANGE")
    raises(ValueError, rope.rotate, x, at=positions[:4], out=y, says="4 positions for 5 rows")
    assert (y == kept).all()
    rope.rotate(y[:2], at=positions, out=y[1:])  # overlapping
    assert (y[0] == kept[0]).all() and (y[1:] == rotated(kept[:2], s, c, "interleaved")).all()
    raises(ValueError, rope.rotate, y, at=positions, out=x, says="out for q is read-only")
    # a part of a head, and back again
    part = posenc.Rope(24, rotary_dim=n, rope_theta=theta)
    x = np.random.randn(5, 24).astype(np.float32)
    y = x.copy()
    part.rotate(y, at=positions)
    assert (x[:, n:] == y[:, n:]).all() and (y[:, :n] == rotated(x[:, :n], s, c, "halves")).all()
    part.rotate(y, at=posenc.back(positions))
    assert abs(x - y).max() < 1e-6
    c, s = rope.table(positions)  # of pairs that are adjacent
    same(rope.table(positions, layout="twice")[1], np.repeat(s, 2, 1).astype(float))
    same(rope.table(positions, layout="joined"), np.concatenate([c, s], 1).astype(float))
    same(rope.table(positions, layout="complex"), np.stack([c, s], 2).reshape(5, n).astype(float))
    same(rope.table(positions, layout="matrix"), np.stack([c, -s, s, c], 2).reshape(5, 2 * n).astype(float))
    for type in ("f16", "bf16"):
        same(rope.table(positions, dtype=DTYPES[type])[0], expected(positions, n, theta, type, "halves")[:, n // 2:])


def test_add():
    d = 24
    plan = posenc.Plan(d)
    for type in DTYPES:
        table = expected(range(70, 75), d, 10000, "f64" if type == "f64" else "f32")
        kind = np.float64 if type == "f64" else np.float32
        for shape, strides, axis in (((5, d), None, -2), ((5, d), (40, 1), 0), ((3, 5, d), None, -2),
                                     ((5, 3, d), None, 0), ((2, 3, 5, d), (500, 150, 25, 1), -2), ((1, 5, d), None, 1),
                                     ((2, 5, 3, d), None, 1), ((5, 1, d), (d, 3, 1), 0)):
            x = Guarded(shape, type, strides, np.random.randn(*shape))
            before = np.moveaxis(wide(x.array), axis, -2).astype(kind)
            assert plan.add(x.array, 70, scale=1.7, axis=axis) is x.array
            want = wide(narrow(before * kind(1.7) + table.astype(kind), type))
            same(np.moveaxis(x.array, axis, -2), want)
            assert x.others_kept()


# ---- configs by name -----------------------------------------------------------------------------------------

def test_presets():
    names = [n[10:].lower() for n in posenc.c.CONSTANTS if n.startswith("PE_PRESET_") and n != "PE_PRESET_COUNT"]
    assert len(names) == posenc.c.PE_PRESET_COUNT
    for name in names:
        assert posenc.Plan(48, preset=name).fill(posenc.grid(2) if name == "vaswani" else 0, 2).shape == (2, 48)
    same(posenc.Plan(8, preset="vaswani").fill(0, 3), expected(range(3), 8, 10000, "f32"))
    whisper = posenc.Plan(8, preset="t2t").fill(0, 3)
    both = turns([(10000, i, 3, p) for p in range(3) for i in range(4)])
    want = np.array([[once(x, "f32") for x in pair] for pair in both]).reshape(3, 4, 2)
    same(whisper, np.concatenate([want[:, :, 0], want[:, :, 1]], 1))
    raises(ValueError, posenc.Plan, 8, preset="unknown", says="fairseq")
    raises(ValueError, posenc.Plan, 8, preset=posenc.c.PE_PRESET_COUNT)


def test_rope_types():
    """Checks that the error for an unknown type lists a name of each type, and that every name in it is known."""
    try:
        posenc.Rope(8, rope_type="unknown")
        raise AssertionError("an unknown type is taken")
    except posenc.Error as error:
        names = re.findall(r"'(\w+)'", str(error).split("must be one of ")[1].split(", or ")[0])
    found = ctypes.c_int()
    types = []
    for name in names:
        assert posenc.lib.pe_rope_type_named(name.encode(), found) == posenc.c.PE_OK, name
        types.append(found.value)
    assert sorted(types) == list(range(posenc.c.PE_ROPE_TYPE_COUNT))


def test_from_config():
    def equal(model, head_dim, **fields):
        got, want = posenc.Rope.from_config(model), posenc.Rope(head_dim, **fields)
        assert (got.frequencies() == want.frequencies()).all() and got.head_dim == want.head_dim == head_dim
        assert (got.table(9, 2)[0] == want.table(9, 2)[0]).all()
    heads = {"hidden_size": 4096, "num_attention_heads": 32}
    equal({**heads, "rope_theta": 500000.0, "max_position_embeddings": 131072, "rope_scaling": {
        "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "rope_type": "llama3",
        "original_max_position_embeddings": 8192}}, 128, rope_theta=500000, rope_type="llama3", factor=8,
        low_freq_factor=1, high_freq_factor=4, original_max_position_embeddings=8192)
    equal({"head_dim": 64, "rope_theta": 150000, "rope_scaling": {
        "beta_fast": 32.0, "beta_slow": 1.0, "factor": 32.0, "original_max_position_embeddings": 4096,
        "rope_type": "yarn", "truncate": False}}, 64, rope_theta=150000, rope_type="yarn", factor=32, truncate=0,
        original_max_position_embeddings=4096)
    equal({**heads, "rope_theta": 10000, "partial_rotary_factor": 0.5, "rope_scaling": None}, 128, rotary_dim=64)
    raises(ValueError, posenc.Rope.from_config, {**heads, "rope_theta": 10000, "partial_rotary_factor": 0.4},
           says="partial_rotary_factor")
    equal({"text_config": {"head_dim": 128, "rope_parameters": {"rope_type": "default", "rope_theta": 5e6,
           "mrope_section": [24, 20, 20], "mrope_interleaved": True}}}, 128, rope_theta=5e6, axes=3,
          sections=[24, 20, 20], section_order="interleaved")
    equal({"qk_rope_head_dim": 64, "head_dim": 192, "rope_theta": 10000, "rope_scaling": {
        "type": "yarn", "factor": 40, "mscale": 1.0, "mscale_all_dim": 1.0, "beta_fast": 32, "beta_slow": 1,
        "original_max_position_embeddings": 4096}}, 64, rope_type="yarn", factor=40, mscale=1, mscale_all_dim=1,
        original_max_position_embeddings=4096)
    equal({"head_dim": 8, "rope_theta": 1e4, "max_position_embeddings": 131072, "original_max_position_embeddings": 4096,
           "rope_scaling": {"type": "longrope", "short_factor": [1, 1, 1, 1], "long_factor": [1, 2, 4, 8.5]}}, 8,
          rope_type="longrope", short_factor=[1, 1, 1, 1], long_factor=[1, 2, 4, 8.5], max_position_embeddings=131072,
          original_max_position_embeddings=4096)
    equal({"head_dim": 64, "rope_scaling": {"type": "dynamic", "alpha": 1000.0}}, 64,
          rope_type=posenc.c.PE_ROPE_NTK, factor=1000)
    raises(ValueError, posenc.Rope.from_config, {"head_dim": 64, "rope_theta": 1e4, "rope_scaling": {
        "rope_type": "linear", "factor": 2, "rope_magic": 3}}, says="rope_magic")
    raises(ValueError, posenc.Rope.from_config, {**heads, "rope_theta": "1e4x"}, says="rope_theta")
    raises(ValueError, posenc.Rope.from_config, {**heads, "rope_theta": 1e4, "partial_rotary_factor": 0},
           says="partial_rotary_factor")
    raises(ValueError, posenc.Rope.from_config, {"model_type": "gpt2", "n_embd": 768, "n_head": 12}, says="rotates")
    raises(TypeError, posenc.Rope.from_config, {**heads, "rope_theta": 1e4, "torch_dtype": object()},
           says="torch_dtype")
    gemma = {"model_type": "gemma3", "text_config": {
        "model_type": "gemma3_text", "hidden_size": 3840, "num_attention_heads": 16, "num_hidden_layers": 48,
        "rope_scaling": {"factor": 8.0, "rope_type": "linear"}, "sliding_window": 1024}}
    for where in ({"part": "full_attention"}, {"layer": 5}, {}):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            rope = posenc.Rope.from_config(gemma, **where)
        assert bool(seen) == (not where) and rope.head_dim == 256
        same(rope.frequencies(), posenc.Rope(256, rope_theta=1e6, rope_type="linear", factor=8).frequencies())
    same(posenc.Rope.from_config(gemma, layer=0).frequencies(), posenc.Rope(256).frequencies())
    raises(ValueError, posenc.Rope.from_config, gemma, layer=48, says="layer=48")
    raises(ValueError, posenc.Rope.from_config, gemma, part="global", says="sliding_attention")
    both = {**gemma["text_config"], "rope_local_base_freq": 10000.0}
    raises(ValueError, posenc.Rope.from_config, both, says="rope_theta")
    whisper = {"model_type": "whisper", "d_model": 8, "encoder_layers": 1, "encoder_attention_heads": 1}
    encoder = [p for p in posenc.read(whisper) if p.kind == "sinusoidal"]
    plan = posenc.Plan.from_config(whisper, part=encoder[0].name)
    same(plan.fill(0, 3), posenc.Plan(8, preset="t2t").fill(0, 3))
    raises(FileNotFoundError, posenc.read, "no/such/config.json", says="no/such")


def test_read():
    parts = posenc.read({"model_type": "smollm3", "hidden_size": 2048, "num_attention_heads": 16,
                         "num_hidden_layers": 8})
    assert [(p.name, p.kind, p.layers) for p in parts] == [("text", "rope", [0, 1, 2, 4, 5, 6]), ("nope", "none", [3, 7])]
    assert parts[0].understood and parts[0].head_dim == 128 and parts[0].pairs == "halves" and parts[1].pairs is None
    assert parts[0].frequencies.shape == (64,) and parts[1].frequencies is None
    raises(AttributeError, getattr, parts[0], "base")
    # the same parts as from the program, of each file, if it was built
    for path in sorted(glob.glob("tests/checks/configs/*.json")) if PROGRAM else []:
        said = subprocess.run([PROGRAM, "show", path, "--json"], stdout=subprocess.PIPE)
        assert [p._found for p in posenc.read(path)] == json.loads(said.stdout.decode())["parts"], path
        with open(path, encoding="utf-8") as file:
            assert [p._found for p in posenc.read(json.load(file))] == [p._found for p in posenc.read(path)], path
    # a table for standard output is collected in full, although a byte of its header is 0
    status, table = posenc._reader._run(["table", "-", "head_dim=8", "rope_theta=1000"], None, True)
    assert status == 0 and "'shape': (2, 16, 4" in table, (status, table[:99])
    raises(ValueError, posenc.Rope.from_config, "tests/checks/configs/broken.json", says="head_dim")
    assert "rope_type='llama3'" in repr(posenc.Rope.from_config("tests/checks/configs/llama-3.1.json"))
    with tempfile.TemporaryDirectory() as folder:
        raises(ValueError, posenc.Rope.from_config, folder, says="a directory without a config.json")
        with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
            file.write("text")
        raises(ValueError, posenc.Rope.from_config, folder, says="neither a JSON object nor GGUF")
        with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
            file.write('{"model_type": "llama", "head_dim": 64}')
        assert posenc.Rope.from_config(folder).head_dim == 64


def test_plan_is_a_value():
    for plan in (posenc.Plan(16, base=77, offset=3), posenc.Plan(8, frequencies=np.array([1, .5, .25, .125])),
                 posenc.Rope(16, rope_type="longrope", short_factor=[1.5] * 8, long_factor=[2] * 8, factor=2,
                             original_max_position_embeddings=64)):
        for other in (copy.copy(plan), copy.deepcopy(plan), pickle.loads(pickle.dumps(plan))):
            assert (other.fill(5, 3) == plan.fill(5, 3)).all() and repr(other) == repr(plan)
    error = raises(posenc.Error, posenc.Plan(8).fill, 2**31, 2)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    given = [1.0, 0.5]
    plan = posenc.Plan(4, frequencies=given)
    given[0] = 2.0
    assert (pickle.loads(pickle.dumps(plan)).fill(1, 1) == plan.fill(1, 1)).all()
    # several threads on one plan
    plan, whole, done = posenc.Plan(64), posenc.Plan(64).fill(0, 4000), []
    def work(k):
        done.append((plan.fill(1000 * k, 1000) == whole[1000 * k:1000 * k + 1000]).all())
    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done == [True] * 4


# ---- errors, and what must never reach the library -----------------------------------------------------------

def test_errors_of_the_library():
    plan = posenc.Plan(8)
    x = Guarded((3, 8))
    for call in (lambda: plan.fill([0, 1, 2**31 + 1]), lambda: plan.fill(2**31 - 1, out=x.array),
                 lambda: plan.add(x.array, [0.0, np.nan, 1]), lambda: plan.fill([np.inf]), lambda: plan.fill(2**70, 1),
                 lambda: plan.fill(np.array([2**63 + 5], np.uint64)), lambda: plan.fill(range(-2**80, 2**80, 2**79))):
        error = raises(posenc.Error, call)
        assert error.status == posenc.c.PE_ERR_RANGE and error.name == "PE_ERR_RANGE" and "2^31" in str(error)
    assert x.kept() and isinstance(error, ValueError)
    error = raises(posenc.Error, posenc.Plan, 8, base=-1, says="base")
    assert error.name == "PE_ERR_CONFIG"
    raises(posenc.Error, posenc.Plan, 0)
    raises(posenc.Error, posenc.Rope, 7, says="rotary_dim")
    raises(posenc.Error, posenc.Rope, 8, rope_type="nonsense", says="PE_ERR_NAME: rope_type must be one of 'default', 'linear'")
    raises(ValueError, posenc.Plan, 8, layout="halve", says="layout must be one of 'interleaved', 'halves', not 'halve'")
    raises(ValueError, posenc.Plan, 8, preset="fairsek", says="preset must be one of 'vaswani'")
    raises(TypeError, posenc.Plan(8).fill, 3, says="rows is missing")
    raises(posenc.Error, posenc.Rope, 8, rope_type="longrope", original_max_position_embeddings=9, factor=2, says="short_factor")
    raises(posenc.Error, posenc.Plan, 8, frequencies=[1, 2, np.nan, 4], says="number 2")
    raises(posenc.Error, posenc.Plan, 8, frequencies=[1, 2, 3], says="PE_ERR_PAIRS")
    raises(posenc.Error, posenc.Plan(7).rotate, np.zeros((3, 7), np.float32), says="PE_ERR_PLAN_ROPE")
    raises(posenc.Error, posenc.Plan(8).fill, np.zeros((3, 2)), says="PE_ERR_AT_AXES")
    raises(posenc.Error, posenc.Plan(8, axes=2).fill, np.zeros((3, 3)), says="PE_ERR_AT_AXES")
    raises((MemoryError, posenc.Error), posenc.Plan, 2**40)


def test_numbers_that_ctypes_would_wrap():
    for value in (-1, 2**64, 2**64 + 8, 2**63):
        raises(ValueError, posenc.Plan, value)
        raises(ValueError, posenc.Plan, 8, axes=value)
        raises(ValueError, posenc.Plan(8).fill, 0, value)
        raises(ValueError, posenc.sinusoidal, value, 8)
        raises(ValueError, posenc.sinusoidal, 8, value)
        raises(ValueError, posenc.grid, value, 2)
        raises(ValueError, posenc.Rope, 8, max_position_embeddings=value)
        raises(ValueError, posenc.Rope, 8, sections=[value, 2])
        raises(ValueError, posenc.Plan, 8, axis=[(value, 0)])
    raises(ValueError, posenc.Plan, 8, half_turns=2**32)
    raises(ValueError, posenc.Plan, 8, half_turns=2)
    raises(ValueError, posenc.Plan, 8, layout=2**32)
    raises(ValueError, posenc.Plan, 8, layout="third", says="halves")
    raises(posenc.Error, posenc.Plan, 8, padding_position=2**64)
    raises(TypeError, posenc.Plan, 8.0)
    raises(TypeError, posenc.Plan, True)
    raises(TypeError, posenc.Plan, 8, colour=1, says="colour")
    raises(ValueError, posenc.grid, says="axes")
    raises(ValueError, posenc.grid, *[1] * 9)
    raises(ValueError, posenc.grid, 2**40, 2**40)
    for positions in (True, np.True_, 1.5, None, "7", "seven", [True, False], ["a"], [None], [1 + 1j], [[[1]]], object(),
                      [2**64], np.array([1], np.longdouble), np.array(["2020-01-01"], "M8[D]"), {"a": 1}, {1, 2}):
        raises(TypeError, posenc.Plan(8).fill, positions, 1)
    raises(ValueError, posenc.Plan(8).fill, np.zeros((2, 0)))
    raises(ValueError, posenc.Plan(8).fill, np.zeros((2, 9)))
    # lists that are read through a pointer have the length that is read
    for name in ("short_factor", "long_factor", "freq_factors"):
        for length in (0, 1, 31, 33, 64):
            raises(ValueError, posenc.Rope, 64, **{name: [1.0] * length}, says="32")
        raises(ValueError, posenc.Rope, 64, rotary_dim=32, **{name: [1.0] * 32}, says="16")
        raises(ValueError, posenc.Rope, 64, **{name: [[1.0] * 32]})
    for make, config in ((posenc.Plan, posenc.c.pe_config), (posenc.Rope, posenc.c.pe_rope_config)):
        for name, kind in config._fields_:  # each list has a length that is known
            if hasattr(kind, "contents"):
                raises(ValueError, make, 64, **{name: [1] * 33})
                assert (name + "_length", posenc.c.c_size_t) in config._fields_, name
                for length in (1, 31, 33, 2**40):  # with a list, and without
                    raises(posenc.Error, make, 64, **{name: [1] * 32, name + "_length": length}, says=name)
                    raises(posenc.Error, make, 64, **{name + "_length": length}, says=name)
    raises(ValueError, posenc.Rope, 64, rotary_dim=32, rope_type="proportional", freq_factors=[1.0] * 16, says="32")
    raises(ValueError, posenc.Plan, 8, axes=3, columns="sums", frequencies=[1.0] * 4, says="[pairs, axes]")
    raises(ValueError, posenc.Plan, 8, axes=3, columns="sums", frequencies=[[1.0] * 2] * 4)
    raises(ValueError, posenc.Plan, 8, axes=2, frequencies=[[1.0] * 2] * 4)
    raises(ValueError, posenc.Plan, 8, axis=[(1, 0)] * 9, says="axis")
    raises(ValueError, posenc.Rope, 8, sections=[1] * 9, says="sections")
    # what Python or C would read otherwise: text, bits, None, a part of a name
    raises(TypeError, posenc.Plan, 8, base="10000", says="base")
    raises(TypeError, posenc.sincos, ["1"], 0, 1, says="omega")
    raises(TypeError, posenc.Plan(8).fill, 0, 1, dtype=None, says="dtype")
    raises(posenc.Error, posenc.Rope, 8, rope_type="linear\0x", factor=2, says="PE_ERR_NAME")
    scores, index = np.zeros((2, 1, 1), np.float32), np.zeros((1, 1), int)
    raises(TypeError, posenc.bias_add, scores, np.zeros((3, 2), posenc.bfloat16), index, says="table")
    raises(ValueError, posenc.bias_add, scores, np.full((3, 2), 1e300), index, says="table has a number that does not fit")
    raises(TypeError, posenc.bias_add, scores, np.ones((3, 2), complex), index, says="table")


def test_too_few_positions():
    """Checks that a list with another length than the rows of a call is refused. A shorter one would be read beyond its
    end."""
    plan, x = posenc.Plan(8), Guarded((4, 8))
    for at in ([1, 2, 3], np.arange(5), range(3), [], posenc.grid(3), posenc.back([1, 2]), posenc.delta(np.zeros(9)),
               posenc.At([1])):
        raises(ValueError, plan.fill, at, out=x.array, says="positions")
        raises(ValueError, plan.fill, at, 4, says="positions")
        raises(ValueError, plan.add, x.array, at, says="positions")
        raises(ValueError, plan.rotate, x.array, at=at, says="positions")
        raises(ValueError, plan.rotate, np.zeros((2, 4, 8), np.float32), x.array, at=at, says="positions")
        raises(ValueError, plan.table, at, 4, says="positions")
    raises(TypeError, plan.fill, 5)
    raises(TypeError, len, posenc.At(5))
    raises(ValueError, plan.rotate, x.array, np.zeros((5, 8), np.float32), says="tokens")
    assert x.kept()
    # the list may change, and go, once a place is made of it
    ids = np.arange(4)
    at = posenc.At(ids)
    want = plan.fill(at)
    ids[:] = 77
    del ids
    assert (plan.fill(at) == want).all() and len(at) == 4


def bad_arrays(d):
    """Yields (what, kind of error, array, memory that must not change) for arrays that a call must refuse."""
    for type in DTYPES:
        def cut(make, shape=(6, d), strides=None, type=type):
            whole = Guarded(shape, type, strides, np.ones(shape, np.float32))
            return whole, make(whole.array)
        size = DTYPES[type].itemsize
        strided = np.lib.stride_tricks.as_strided
        for what, kind, made in (
                ("transposed", ValueError, cut(lambda x: x.T, (d, d))),
                ("every second column", ValueError, cut(lambda x: x[:, ::2], (6, 2 * d))),
                ("columns backwards", ValueError, cut(lambda x: x[:, ::-1])),
                ("rows backwards", ValueError, cut(lambda x: x[::-1])),
                ("in Fortran's order", ValueError, cut(lambda x: x.T, (d, 6))),
                ("one row for all", ValueError, cut(lambda x: strided(x, (6, d), (0, size)))),
                ("rows that overlap", ValueError, cut(lambda x: strided(x, (6, d), (size * (d - 1), size)))),
                ("rows that go back", ValueError, cut(lambda x: strided(x[5:], (6, d), (-size * d, size)))),
                ("batches that overlap", ValueError, cut(lambda x: strided(x, (2, 5, d), (d * size, d * size, size)))),
                ("batches of one", ValueError, cut(lambda x: strided(x, (4, 5, d), (0, d * size, size)))),
                ("batches within batches", ValueError,
                 cut(lambda x: strided(x, (2, 2, 2, d), (2 * d * size, d * size, d * size, size)))),
                ("one column too few", ValueError, cut(lambda x: x[:, 1:])),
                ("one column too many", ValueError, cut(lambda x: x, (6, d + 1))),
                ("one axis", ValueError, cut(lambda x: x[0])),
                ("no axis", ValueError, cut(lambda x: x[0, :1].reshape(()))),
                ("a number", TypeError, cut(lambda x: x[0, 0])),
                ("whole numbers", TypeError, cut(lambda x: x.view(f"i{size}"))),
                ("unsigned", TypeError, cut(lambda x: x.view(f"u{size}"))),
                ("the other byte order", TypeError, cut(lambda x: x.view(DTYPES[type].newbyteorder()))),
                ("bytes", TypeError, cut(lambda x: x.view(f"V{size}"))),
                ("not aligned", ValueError, cut(lambda x: strided(
                    x.reshape(-1).view(np.uint8)[1:-size + 1].view(DTYPES[type]), (5, d), (d * size, size)))),
                ("half an element from row to row", ValueError, cut(lambda x: strided(x, (3, d), (
                    d * size + size // 2, size)))),
                ("a list", TypeError, cut(lambda x: x.tolist())),
                ("its memory", TypeError, cut(lambda x: memoryview(x.view(f"u{size}")))),
                ("its address", TypeError, cut(lambda x: x.ctypes.data))):
            yield f"{type} {what}", kind, made[1], made[0]
        whole, array = cut(lambda x: x)
        array.flags.writeable = False
        yield f"{type} read-only", ValueError, array, whole
        whole, array = cut(lambda x: np.broadcast_to(x[0], (6, d)))
        yield f"{type} broadcast", ValueError, array, whole
    for dtype in (np.longdouble, np.complex64, np.int32, bool, object, "U4", "M8[s]", [("a", "f4")]):
        array = np.zeros((6, d), dtype)
        yield f"{dtype}", TypeError, array, None


def test_bad_arrays():
    d, count = 16, 0
    plan, rope = posenc.Plan(d), posenc.Rope(d)
    good = np.zeros((6, d), np.float32)
    for what, kind, array, whole in bad_arrays(d):
        for call in (lambda: plan.fill(0, out=array), lambda: plan.add(array), lambda: rope.rotate(array),
                     lambda: rope.rotate(good, array), lambda: rope.rotate(array, good)):
            if "f64" in what and kind is ValueError:
                continue  # RoPE does not take float64, which is another error
            try:
                raises(kind, call)
            except AssertionError as error:
                raise AssertionError(f"{what}: {error}")
            assert whole is None or whole.kept(), what
            assert not good.any(), what
            count += 1
    assert count > 300, count
    raises(TypeError, rope.rotate, np.zeros((6, d)), says="float64")
    raises(TypeError, plan.add, None)
    raises(TypeError, rope.rotate, None)
    raises(TypeError, plan.add, np.zeros((6, d), np.uint16), says="posenc.bfloat16")
    for axis in (-1, 2, 1, -3, 10**30):
        raises(ValueError, plan.add, good, axis=axis)
    raises(TypeError, plan.add, good, axis=0.5, says="axis")
    for dtype in ("int32", ">f4", "float128", posenc.c, "bfloat17", np.uint16):
        raises(TypeError, plan.fill, 0, 2, dtype=dtype)
    raises(TypeError, posenc.Rope(8).table, 0, 2, dtype="float64")
    raises(AttributeError, posenc.Plan.__new__(posenc.Plan).fill, 0, 1)


class Liar(np.ndarray):
    """Reports a larger shape than it has."""
    shape = property(lambda self: (1000000, 16))
    strides = property(lambda self: (64, 4))
    flags = property(lambda self: np.zeros(1).flags)


def test_liars():
    whole = Guarded((6, 16), "f32", None, np.zeros((6, 16)))
    posenc.Plan(16).add(whole.array.view(Liar))
    assert whole.others_kept() and (whole.array == posenc.sinusoidal(6, 16)).all()
    masked = np.ma.MaskedArray(np.zeros((6, 16), np.float32), mask=True)
    posenc.Plan(16).add(masked)
    assert (masked.data == posenc.sinusoidal(6, 16)).all()


def test_any_shape():
    """Tries random shapes, strides and axes. The right numbers must be in the right places, or the call must be refused
    and write nothing."""
    plan, table = posenc.Plan(8), expected(range(40), 8, 10000, "f32").astype(np.float32)
    taken = 0
    for _ in range(2000):
        shape = [random.choice((0, 1, 1, 2, 3, 5)) for _ in range(random.randint(1, 4))] + [8]
        strides, reach = [1], 8
        for n in shape[-2::-1]:
            strides.insert(0, random.choice((reach, reach + random.randint(0, 9), random.randint(1, 20))))
            reach = max(reach, 1 + strides[0] * max(n, 1))
        order = list(range(len(shape) - 1))
        random.shuffle(order)
        x = Guarded(shape, "f32", strides)
        array = x.array.transpose(order + [len(shape) - 1])
        axis = random.randrange(len(shape) - 1)
        distinct = array.size == 0 or int(x.own.sum()) == 4 * array.size
        x.array[...] = 1
        x.before = x.memory.copy()
        try:
            plan.add(array, axis=axis)
        except ValueError:
            assert x.kept()
            continue
        assert distinct, (shape, strides)
        taken += array.size > 0
        want = np.moveaxis(np.ones(array.shape, np.float32), axis, -2) + table[:array.shape[axis]]
        assert (np.moveaxis(array, axis, -2) == want).all() and x.others_kept()
    assert taken > 300, taken


# ---- torch ---------------------------------------------------------------------------------------------------

def test_torch():
    if torch is None:
        assert "torch" not in sys.modules
        return "SKIP: torch is missing"
    plan, rope = posenc.Plan(16), posenc.Rope(16)
    want = torch.from_numpy(plan.fill(0, 6))
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        x = torch.randn(3, 6, 16).to(dtype)
        y = x.clone()
        assert plan.add(x) is x
        if dtype != torch.float64:
            assert torch.equal(x, (y.float() + want).to(dtype))
            t = torch.randn(2, 6, 16).to(dtype)
            heads, s, c = t.clone(), want[:, 0::2], want[:, 1::2]
            rope.rotate(t, at=torch.arange(6))
            a, b = heads.float()[..., :8], heads.float()[..., 8:]
            assert torch.equal(t, torch.cat([a * c - b * s, b * c + a * s], -1).to(dtype))
    assert torch.equal(plan.fill(range(6), out=torch.empty(6, 16)), want)
    x = torch.zeros(6, 16)
    for bad, kind in ((torch.zeros(16, 16).t(), ValueError), (torch.zeros(1, 16).expand(6, 16), ValueError),
                      (torch.zeros(6, 16, dtype=torch.int32), TypeError), (torch.zeros(6, 16, device="meta"), TypeError),
                      (torch.zeros(6, 16).to_sparse(), TypeError), (torch.zeros(6, 16, requires_grad=True), ValueError),
                      (torch.zeros(6, 16, dtype=torch.complex64), TypeError), (torch.zeros(6, 32)[:, ::2], ValueError),
                      (torch._neg_view(torch.zeros(6, 16)), ValueError)):
        raises(kind, plan.add, bad)
        raises(kind, rope.rotate, x, bad)
    assert not x.any()
    # a module's parameter, where no gradient is asked for
    weight = torch.nn.Parameter(torch.zeros(6, 16))
    with torch.no_grad():
        plan.add(weight)
    assert torch.equal(weight, want)
    # autograd must notice that x was written, because it would otherwise use the changed numbers for a gradient
    x, w = torch.ones(6, 16), torch.ones(6, 16, requires_grad=True)
    loss = (x * w).sum()
    plan.add(x)
    raises(RuntimeError, loss.backward, says="modified by an inplace operation")


def test_batches():
    """Checks batches with positions of their own: [batch, heads, tokens, n] with [batch, tokens]."""
    rope, plan = posenc.Rope(16), posenc.Plan(16)
    positions = np.array([[5, 0, 131072], [7, 8, 9]])
    for shape, batch, axis in (((2, 4, 3, 16), 0, -2), ((4, 2, 3, 16), 1, 2), ((3, 2, 16), -2, 0), ((4, 3, 2, 16), 2, 1)):
        x = Guarded(shape, "f32", value=np.random.randn(*shape))
        before = x.array.copy()
        want = np.moveaxis(before.copy(), batch, 0)
        for n, part in enumerate(want):  # each token of each batch is rotated by a call of its own
            at = (axis % len(shape)) - (axis % len(shape) > batch % len(shape))
            part = np.moveaxis(part, at, -2)
            for t in range(3):
                one = np.ascontiguousarray(part[..., t:t + 1, :])
                rope.rotate(one, at=[positions[n][t]])
                part[..., t:t + 1, :] = one
        rope.rotate(x.array, at=positions, axis=axis, batch=batch)
        assert (np.moveaxis(x.array, batch, 0) == want).all() and x.others_kept()
        if len(shape) < 4:
            continue
        y = np.zeros(shape, np.float32)
        plan.add(y, positions.tolist(), axis=axis, batch=batch)
        rows = expected(positions.ravel(), 16, 10000, "f32").reshape(2, 3, 16)
        y = np.moveaxis(y, (batch, axis), (0, 2)) if batch != axis else y
        same(y, np.broadcast_to(rows[:, None], y.shape))
    q = np.ones((2, 4, 3, 16), np.float32)
    for bad, says in ((positions[:1], "[batches, rows], [2, 3]"), (positions[0], "[batches, rows], [2, 3]")):
        raises(ValueError, rope.rotate, q, at=bad, batch=0, says=says)
    for batch in (-1, 2, 4, -5):
        raises(ValueError, rope.rotate, q, at=positions, batch=batch, says="is no axis of")
    raises(TypeError, rope.rotate, q, at=positions, batch=0.5, says="batch must be a whole number")
    raises(posenc.Error, rope.rotate, q, at=[[1, 2, 3], [4, 5, 2**40]], batch=0, says="PE_ERR_RANGE")
    assert (q == 1).all()


def test_table_out():
    rope = posenc.Rope(16, rope_theta=500000)
    for type, dtype in (("f32", "float32"), ("bf16", "bfloat16")):
        want = rope.table(range(7, 12), layout="twice", dtype=dtype)
        got = tuple(Guarded((5, 16), type) for _ in range(2))
        assert rope.table(range(7, 12), layout="twice", out=tuple(g.array for g in got))[0] is got[0].array
        assert all((wide(g.array) == wide(w)).all() and g.others_kept() for g, w in zip(got, want))
    one, two = Guarded((5, 16)), Guarded((5, 8))
    for out, kind, says in (((one.array, two.array), ValueError, "two arrays"), ((one.array,), ValueError, "two arrays"),
                            ((one.array, one.array), ValueError, "overlap"),
                            ((one.array[:, ::2], one.array), ValueError, "contiguous"),
                            ((np.zeros((5, 16)), one.array), TypeError, "float32")):
        raises(kind, rope.table, range(5), layout="twice", out=out, says=says)
    raises(ValueError, rope.table, range(4), layout="twice", out=(one.array, Guarded((5, 16)).array), says="for 5 rows")
    assert one.kept() and two.kept()


def test_shift_and_dot():
    plan = posenc.Plan(16)
    for type in DTYPES:
        x = Guarded((2, 3, 16), type, strides=(100, 20, 1), value=np.broadcast_to(expected([5, 6, 7], 16, 10000, type),
                                                                                  (2, 3, 16)))
        assert plan.shift(x.array, 131072) is x.array and x.others_kept()
        want = expected([131077, 131078, 131079], 16, 10000, "f64")
        assert abs(wide(x.array) - want).max() < {"f32": 2.5e-7, "f64": 1e-15, "f16": 2e-3, "bf16": 1.6e-2}[type]
    x = np.array(expected([5, 6], 16, 10000, "f32"), np.float32)
    assert abs(plan.shift(x, np.array([-5, 10])) - expected([0, 16], 16, 10000, "f64")).max() < 2.5e-7
    assert abs(plan.shift(x, np.int64(3)) - expected([3, 19], 16, 10000, "f64")).max() < 4e-7
    raises(ValueError, plan.shift, x, [1, 2, 3], says="3 positions for 2 rows")
    cosines = [c for _, c in turns([(10000, 2 * i, 16, k) for k in (0, 1, 9999) for i in range(8)])]
    want = [once(sum(cosines[8 * n:8 * n + 8], Fraction(0)), "f64") for n in range(3)]
    assert np.allclose(plan.dot([0, 1, 9999]), want, rtol=4e-16, atol=0)
    assert plan.dot(0, 3).shape == (3,) and plan.dot(range(2, 5)).shape == (3,)
    raises(TypeError, plan.dot, 0, says="rows is missing")


def test_alibi():
    for heads in (1, 8, 12, 16):
        n = 1 << (heads.bit_length() - 1)  # the formula of the paper's get_slopes()
        powers = [Fraction(-8 * (h + 1), n) if h < n else Fraction(-8 * (2 * (h - n) + 1), 2 * n) for h in range(heads)]
        got = posenc.alibi_slopes(heads)
        assert got.dtype == np.float32 and np.allclose(got, [2.0 ** float(p) for p in powers], rtol=1e-7, atol=0)
        assert all(g == 2.0 ** float(p) for g, p in zip(got, powers) if p.denominator == 1)
    slopes = np.array([0.5, 0.17, 3.0], np.float32)
    queries, keys = [7, 3], [0, 9, 3, 4, 100000]
    distance = np.subtract.outer(queries, keys)
    for mode in ("linear", "causal", "symmetric"):
        exact = np.array([[[-(Fraction(float(s)) * int(abs(d) if mode == "symmetric" else d)) for d in row]
                           for row in distance] for s in slopes])
        for type in ("f32", "f16", "bf16"):
            want = np.vectorize(lambda x: once(x, type), otypes=[float])(exact)
            if mode == "causal":
                want[:, distance < 0] = -np.inf
            if type == "f16":
                want[abs(want) > 65504] = np.copysign(np.inf, want[abs(want) > 65504])
            dtype = {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}[type]
            same(posenc.alibi(slopes, queries, keys, mode=mode, dtype=dtype), want)
            x = Guarded((3, 2, 5), type, strides=(40, 7, 1))
            assert posenc.alibi(slopes, queries, keys, mode=mode, out=x.array) is x.array and x.others_kept()
            same(x.array, want)
    x = Guarded((3, 2, 5), "f32", value=np.random.randn(3, 2, 5))
    before = x.array.copy()
    posenc.alibi_add(x.array, slopes, 5)
    bias = (-slopes[:, None, None] * np.subtract.outer([5, 6], range(5)).astype(np.float32)).astype(np.float32)
    assert (x.array == before + bias).all() and x.others_kept()
    raises(ValueError, posenc.alibi_add, x.array, slopes[:2], says="[heads, queries, keys], [2, 2, 5]")
    raises(ValueError, posenc.alibi, slopes, queries, keys, mode="causl", says="'linear', 'causal', 'symmetric'")
    raises(posenc.Error, posenc.alibi, [np.inf], 0, 0, out=np.zeros((1, 2, 2), np.float32), says="PE_ERR_SLOPE")
    raises(TypeError, posenc.alibi, slopes, 0, keys, says="rows is missing")
    raises(posenc.Error, posenc.alibi, slopes, [0.5], keys, says="PE_ERR_AT_KIND")


def test_t5():
    def bucket(d, buckets, most, both):
        """Returns relative_position_bucket of mesh_tensorflow, where d = key - query."""
        from decimal import Decimal, getcontext
        getcontext().prec = 60
        n, first = buckets, 0
        if both:
            n //= 2
            first = n if d > 0 else 0
            d = abs(d)
        else:
            d = max(-d, 0)
        m = n // 2
        if d < m:
            return first + d
        return first + min(n - 1, m + int((n - m) * (Decimal(d) / m).ln() / (Decimal(most) / m).ln() + Decimal("1e-50")))

    for buckets, most, both in ((32, 128, True), (32, 128, False), (8, 20, True), (64, 1000, False)):
        queries, keys = [0, 300, 7], range(400)
        want = [[bucket(k - q, buckets, most, both) for k in keys] for q in queries]
        got = posenc.t5_buckets(queries, keys, buckets=buckets, max_distance=most, bidirectional=both)
        assert got.dtype == np.int32 and (got == want).all()
    raises(posenc.Error, posenc.t5_buckets, queries, keys, buckets=1, says="PE_ERR_BUCKETS")
    table = np.random.randn(32, 3).astype(np.float32)
    index = posenc.t5_buckets(range(4), range(6))
    for type in ("f32", "f16", "bf16"):
        x = Guarded((3, 4, 6), type, strides=(90, 20, 1), value=np.random.randn(3, 4, 6))
        want = narrow((wide(x.array).astype(np.float32) + table[index].transpose(2, 0, 1)), type)
        assert posenc.bias_add(x.array, table, index.astype(np.int64)) is x.array and x.others_kept()
        same(x.array, wide(want))
    x = Guarded((3, 4, 6))
    for bad, says in ((index + 32, "PE_ERR_INDEX"), (index[0], "with 2 axes"), (index * 1.0, "whole numbers"),
                      (index.astype(np.int64) + 2**32, "beyond int32")):
        raises((ValueError, posenc.Error), posenc.bias_add, x.array, table, bad, says=says)
    raises(ValueError, posenc.bias_add, x.array, table[:, :2], index, says="[2, 4, 6]")
    assert x.kept()


def test_learned():
    for type in ("f32", "f16", "bf16"):
        table = narrow(np.random.randn(10, 16), type)
        table.flags.writeable = False
        x = Guarded((2, 3, 16), type, strides=(100, 20, 1), value=np.random.randn(2, 3, 16))
        want = narrow(wide(x.array).astype(np.float32) + wide(table)[[9, 0, 9]].astype(np.float32), type)
        assert posenc.learned_add(x.array, table, [9, 0, 9]) is x.array and x.others_kept()
        same(x.array, wide(want))
    table, x = np.zeros((10, 16), np.float32), Guarded((3, 16))
    raises(posenc.Error, posenc.learned_add, x.array, table, [0, 10, 1], says="PE_ERR_RANGE")
    for bad in (table[:, :8], table.astype(np.float16), table[0], np.zeros((10, 32), np.float32)[:, ::2], table.T):
        raises((ValueError, TypeError), posenc.learned_add, x.array, bad, 0)
    both = np.zeros((10, 16), np.float32)
    raises(ValueError, posenc.learned_add, both[:3], both, 0, says="may not overlap")
    assert x.kept()
    grad, g = Guarded((10, 16), value=np.ones((10, 16))), np.random.randn(4, 16).astype(np.float32)
    want = np.ones((10, 16), np.float32)
    for r, p in enumerate([3, 0, 3, 3]):
        want[p] += g[r]
    assert posenc.learned_grad(grad.array, g, [3, 0, 3, 3]) is grad.array
    assert (grad.array == want).all() and grad.others_kept()
    raises(ValueError, posenc.learned_grad, grad.array, g[:, :8], 0, says="grad_x must be [rows, 16]")
    raises(ValueError, posenc.learned_grad, grad.array, grad.array[:2], 0, says="may not overlap")
    # linear, twice as many rows: weights of 1/4 and 3/4, the ends as they are
    line = np.arange(4, dtype=np.float32)[:, None, None] * np.ones((1, 1, 2), np.float32)
    got = posenc.resample(line, 8, 1, method="linear")
    assert (got[:, 0, 0] == [0, 0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 3]).all() and got.shape == (8, 1, 2)
    assert (posenc.resample(line, 4, 1) == line).all()
    raises(ValueError, posenc.resample, line[0], 1, 1, says="[rows, columns, d_model]")
    raises(posenc.Error, posenc.resample, line, 8, 1, a=17, says="PE_ERR_RESAMPLE")
    raises(ValueError, posenc.resample, line, 8, 1, method="bicubic", says="'cubic', 'linear'")


def test_ml_dtypes():
    """Checks that "bfloat16" is the type of ml_dtypes if a program has imported that."""
    assert "ml_dtypes" not in sys.modules
    assert posenc.sinusoidal(2, 8, dtype="bfloat16").dtype == posenc.bfloat16
    try:
        import ml_dtypes
    except ImportError:  # a stub shows that the type is taken from there: here one that numpy has, too
        sys.modules["ml_dtypes"] = type(sys)("ml_dtypes")
        sys.modules["ml_dtypes"].bfloat16 = np.float16
        made = posenc.sinusoidal(2, 8, dtype="bfloat16")
        del sys.modules["ml_dtypes"]
        assert made.dtype == np.float16
        return None
    try:
        made = posenc.sinusoidal(2, 8, dtype="bfloat16")
        assert made.dtype == ml_dtypes.bfloat16
        same(made.view(np.uint16).view(posenc.bfloat16), expected(range(2), 8, 10000, "bf16"))
        x = np.zeros((2, 8), ml_dtypes.bfloat16)
        posenc.Plan(8).add(x)
        assert (x == made).all()
    finally:
        del sys.modules["ml_dtypes"]
    return None


def test_torch_modules():
    if torch is None:
        return "SKIP: torch is missing"
    import posenc.torch as modules
    model = {"head_dim": 64, "rope_theta": 500000.0, "rope_scaling": {
        "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096}}
    ids = torch.tensor([[0, 1, 2], [131072, 5, 7]])
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        x = torch.zeros(2, 3, 8, dtype=dtype)
        rotary = modules.Rotary.from_config(model)
        cos, sin = rotary(x, ids)
        assert cos.shape == sin.shape == (2, 3, 64) and cos.dtype == sin.dtype == dtype
        want = rotary.rope.fill(ids.reshape(-1), dtype="float64").reshape(2, 3, 64)
        assert torch.equal(cos, torch.from_numpy(np.concatenate([want[..., 32:]] * 2, -1)).to(dtype))
        assert torch.equal(sin, torch.from_numpy(np.concatenate([want[..., :32]] * 2, -1)).to(dtype))
        kept = modules.Rotary(rotary.rope, rows=9)
        near = torch.tensor([[0, 1, 2], [8, 5, 7]])
        assert all(torch.equal(a, b) for a, b in zip(kept(x, near), rotary(x, near)))
        assert len(kept._table.kept) == 1 and kept(x, near)[0].dtype == dtype
        for bad in (9, -1):
            raises(ValueError, kept, x, torch.tensor([[0, bad]]), says="position_ids must be whole numbers from 0 to 8")
    # doubles, beside MPFR's: a Rope's frequencies are doubles, which turns into 1e-12 at this position
    plain = modules.Rotary(16, rope_theta=500000)
    cos, sin = plain(torch.zeros(1, dtype=torch.float64), torch.tensor([131073]))
    row = expected([131073], 16, 500000, "f64", "halves")[0]
    assert abs(sin[0, :8].numpy() - row[:8]).max() < 5e-12 and abs(cos[0, 8:].numpy() - row[8:]).max() < 5e-12
    # the rotation: its bits are those of rotate_half with posenc's rows, its gradient is the rotation back
    for layout in ("halves", "interleaved"):
        for turned in (64, 32):
            rope = posenc.Rope(64, rope_theta=500000, layout=layout, rotary_dim=turned)
            q = torch.randn(2, 4, 3, 64)
            at = [3, 131072, 7]
            cos, sin = modules.Rotary(rope)(q, torch.tensor(at))
            a, b = (q[..., :turned // 2], q[..., turned // 2:turned]) if layout == "halves" else (
                q[..., 0:turned:2], q[..., 1:turned:2])
            half = torch.cat((-b, a), -1) if layout == "halves" else torch.stack((-b, a), -1).flatten(-2)
            want = torch.cat((q[..., :turned] * cos + half * sin, q[..., turned:]), -1)
            got = modules.rotate(q, rope, at)
            assert torch.equal(got, want) and torch.equal(modules.rotate_by(q, cos, sin, halves=layout == "halves"), want)
            assert torch.equal(modules.rotate(q.transpose(1, 2), rope, at, axis=1), want.transpose(1, 2))
            inputs = torch.randn(2, 3, 64, dtype=torch.float64, requires_grad=True)
            assert torch.autograd.gradcheck(lambda x: modules.rotate(x, rope, at), (inputs,))
            assert torch.autograd.gradgradcheck(lambda x: modules.rotate(x, rope, at), (inputs,))
            for dtype in (torch.float32, torch.bfloat16):
                x = torch.randn(3, 64).to(dtype).requires_grad_()
                out = modules.rotate(x, rope, at)
                grad = torch.randn(3, 64).to(dtype)
                out.backward(grad)
                back = grad.clone()
                rope.rotate(back, at=posenc.back(at))
                assert torch.equal(x.grad, back)
    for bad, kind in ((torch.zeros(3, 32), ValueError), (torch.zeros(3, 64, dtype=torch.int32), TypeError)):
        raises(kind, modules.rotate, bad, rope)
    raises(ValueError, modules.rotate, torch.zeros(3, 64), rope, 0, axis=-1)
    raises(ValueError, modules.rotate, torch.zeros(3, 64), rope, [1, 2], says="position_ids must be [3]")
    raises(TypeError, modules.rotate, torch.zeros(3, 64), modules.Rotary(rope), says="rope must be a posenc.Rope or a posenc.Plan, not a Rotary: pass its .rope")
    raises(TypeError, modules.rotate, rope, torch.zeros(3, 64), says="x must be a tensor")
    raises(TypeError, modules.rotate, torch.zeros(3, 64), torch.arange(3), rope, says="rope must be")
    raises(TypeError, modules.rotate, torch.zeros(3, 64), rope, posenc.back(3), says="position_ids must be")
    for wrong in (None, True, "abc"):
        raises(TypeError, modules.Rotary, 64, rope_theta=wrong, says="rope_theta")
    for shape in ((1, 3), (2, 3)):
        assert modules.rotate(torch.zeros(2, 4, 3, 64), rope, torch.zeros(shape, dtype=torch.int64)).shape == (2, 4, 3, 64)
    raises(ValueError, modules.rotate, torch.zeros(2, 4, 3, 64), rope, torch.zeros(4, 3, dtype=torch.int64),
           says="position_ids must be [3], [1, 3] or [2, 3]")
    raises(TypeError, modules.Rotary, rope, rope_theta=3, says="rope_theta")
    # doubles are refused where the library alone knows what the plan does
    x = torch.randn(3, 64, dtype=torch.float64)
    for plan in (posenc.Plan(64, preset="t2t"), posenc.Plan(64), posenc.Rope(64)):
        single = x.float()
        plan.rotate(single, at=[5, 6, 70])
        assert abs(modules.rotate(x, plan, [5, 6, 70]) - single).max() < 1e-5
    for plan in (posenc.Plan(64, cos_first=1), posenc.Plan(64, layout="halves", axes=2, axis=[(32, 0), (32, 1)])):
        at = [5, 6, 70]
        raises(TypeError, modules.rotate, x, plan, at, says="float64 is rotated only by")
        single, again = x.float(), x.float()
        plan.rotate(single, at=at)
        assert torch.equal(modules.rotate(again, plan, at), single)
    # M-RoPE: position_ids [3, batch, tokens]
    m = posenc.Rope(16, sections=[2, 3, 3])
    ids = torch.arange(18).reshape(3, 2, 3)
    cos, sin = modules.Rotary(m)(torch.zeros(1), ids)
    one, two = m.table(ids.reshape(3, 6).T.numpy(), layout="twice")
    assert (cos.reshape(6, 16).numpy() == one).all() and (sin.reshape(6, 16).numpy() == two).all()
    raises(ValueError, modules.Rotary(m), torch.zeros(1), ids[:2], says="[3, B, T]")
    raises(ValueError, modules.Rotary, m, rows=5, says="several")
    # x + PE
    for rows in (None, 10):
        layer = modules.Sinusoidal(16, scale=4.0, rows=rows)
        x = torch.randn(2, 6, 16, requires_grad=True)
        want = torch.from_numpy(posenc.sinusoidal(6, 16))
        assert torch.equal(layer(x), x * 4 + want)
        assert torch.equal(layer(x, torch.arange(6).flip(0)), x * 4 + want.flip(0))
        layer(x).sum().backward()
        assert (x.grad == 4).all()
    assert "posenc.Plan(16)" in repr(layer) and "rope_theta" in repr(plain)
    # another device: everything but the numbers
    x = torch.zeros(2, 3, 64, device="meta")
    cos, _ = modules.Rotary(64)(x, torch.tensor([[1, 2, 3], [4, 5, 6]]))
    assert cos.device.type == "meta" and modules.rotate(x, rope).device.type == "meta"
    assert pickle.loads(pickle.dumps(plain)).rope.frequencies().tolist() == plain.rope.frequencies().tolist()
    return None


def main():
    pattern = sys.argv[2] if len(sys.argv) > 2 else "*"
    passed = failed = skipped = 0
    print(f"# posenc {posenc.__version__}, {posenc.isa()}, numpy {np.__version__}, torch {getattr(torch, '__version__', None)}")
    for name, test in list(globals().items()):
        if not name.startswith("test_") or not fnmatch.fnmatch(name, pattern):
            continue
        try:
            said = test()
        except Exception as error:
            import traceback
            traceback.print_exc()
            print(f"FAIL {name}: {error}")
            failed += 1
            continue
        print(said or f"ok   {name}")
        passed, skipped = passed + (not said), skipped + bool(said)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed > 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
