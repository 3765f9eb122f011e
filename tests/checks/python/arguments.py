# SPDX-License-Identifier: MIT
"""arguments.py [PATTERN]: replaces every argument of every public function of posenc by each of a list of bad values.

A call may succeed. Otherwise it must raise an exception that docs/python.md documents, whose text names the argument,
and it must not have written to any array. The memory around each array must stay as it is in either case.
PATTERN limits the test to the calls whose names match.
"""
import array
import collections
import decimal
import faulthandler
import fnmatch
import fractions
import inspect
import re
import sys
import warnings

import numpy as np
import posenc

try:
    import torch

    import posenc.torch as modules
except ImportError:
    torch = modules = None

# posenc.Error is a ValueError with the library's own text, which names the argument in the words of pe.h.
DOCUMENTED = (TypeError, ValueError, posenc.Error, MemoryError, FileNotFoundError)


# ---- bad values ----------------------------------------------------------------------------------------------

def raising(*names):
    """Returns an object whose methods of these names raise ZeroDivisionError."""
    def fail(*_arguments):
        raise ZeroDivisionError("this object is broken")
    return type("Broken", (), {name: fail for name in names})()


def with_members(**members):
    return type("Odd", (), members)()


def raising_property(name):
    return type("Broken", (), {name: property(lambda self: 1 // 0)})()


def released():
    view = memoryview(b"12345678")
    view.release()
    return view


def read_only(shape):
    made = np.zeros(shape, np.float32)
    made.flags.writeable = False
    return made


BAD = {
    "None": lambda: None, "True": lambda: True, "numpy.True": lambda: np.True_, "Ellipsis": lambda: ...,
    "0": lambda: 0, "-1": lambda: -1, "3": lambda: 3, "1000": lambda: 1000, "2**33": lambda: 2**33,
    "2**62": lambda: 2**62, "2**64 + 8": lambda: 2**64 + 8, "-2**63 - 1": lambda: -2**63 - 1,
    "10**400": lambda: 10**400, "10**5000": lambda: 10**5000, "-10**5000": lambda: -10**5000,
    "1.5": lambda: 1.5, "nan": lambda: float("nan"), "inf": lambda: float("inf"), "-inf": lambda: float("-inf"),
    "1e300": lambda: 1e300, "-1e-320": lambda: -1e-320, "1j": lambda: 1j,
    "Decimal": lambda: decimal.Decimal("sNaN"), "Fraction": lambda: fractions.Fraction(10**400, 3),
    "numpy.int64": lambda: np.int64(3), "numpy.float32": lambda: np.float32(1.5), "numpy.str": lambda: np.str_("x"),
    "a string": lambda: "x", "no string": lambda: "", "a long string": lambda: "x" * 5000, "a digit": lambda: "7",
    "NUL": lambda: "linear\0x", "half a surrogate": lambda: "\ud800", "bytes": lambda: b"x",
    "'float64'": lambda: "float64",
    "a type": lambda: int, "a dtype with a comma": lambda: "f4,,", "a dtype with a bracket": lambda: "(2,f4",
    "bfloat17": lambda: "bfloat17",
    "[]": lambda: [], "[1]": lambda: [1], "[1, 2, 3]": lambda: [1, 2, 3], "[1.5] * 4": lambda: [1.5] * 4,
    "[[1]]": lambda: [[1]], "ragged": lambda: [[1, 2], [3]], "deeply ragged": lambda: [[[1], 2], 3],
    "nine pairs": lambda: [(1, 0)] * 9, "nine": lambda: [1] * 9, "[None]": lambda: [None], "['a']": lambda: ["a"],
    "[10**400]": lambda: [10**400], "[10**5000]": lambda: [10**5000], "[2**64]": lambda: [2**64] * 4,
    "[-1] * 4": lambda: [-1] * 4, "[nan]": lambda: [float("nan")] * 4, "[1j]": lambda: [1j] * 4,
    "[True]": lambda: [True] * 4, "[1e300]": lambda: [1e300] * 4,
    "()": lambda: (), "a tuple": lambda: (1,), "triples": lambda: [(1, 2, 3)],
    "{}": lambda: {}, "a dict": lambda: {"a": 1},
    "a dict with 10**400": lambda: {"head_dim": 10**400}, "a dict with 10**5000": lambda: {"head_dim": 10**5000},
    "a dict with an object": lambda: {"head_dim": object()}, "a dict of numbers": lambda: {1: 2},
    "a set": lambda: {1, 2}, "object": object, "a function": lambda: len, "a module": lambda: sys,
    "a generator": lambda: (n for n in range(3)), "an empty generator": lambda: (n for n in ()),
    "range(0)": lambda: range(0), "range(3)": lambda: range(3), "range(10**30)": lambda: range(10**30),
    "range(-2**70)": lambda: range(-2**70, 2**70, 2**69),
    "bytearray": lambda: bytearray(16), "memoryview": lambda: memoryview(bytearray(64)).cast("f"), "released": released,
    "array.array": lambda: array.array("f", [1, 2, 3]), "array.array 'd'": lambda: array.array("d", [1, 2, 3, 4]),
    "At": lambda: posenc.At([1, 2, 3]), "At of a number": lambda: posenc.At(5), "grid": lambda: posenc.grid(3, 3),
    "a Plan": lambda: posenc.Plan(6), "a Plan with axes": lambda: posenc.Plan(8, axes=2),
    "__index__": lambda: raising("__index__"), "__float__": lambda: raising("__float__"),
    "__index__ and __float__": lambda: raising("__index__", "__float__", "__int__"),
    "__len__": lambda: raising("__len__"), "__iter__": lambda: raising("__iter__", "__len__"),
    "__getitem__": lambda: raising("__getitem__", "__len__"), "__repr__": lambda: raising("__repr__"),
    "__eq__": lambda: raising("__eq__", "__hash__", "__bool__"), "__deepcopy__": lambda: raising("__deepcopy__"),
    "__add__": lambda: raising("__add__"), "__fspath__": lambda: raising("__fspath__"),
    "__getattr__": lambda: raising("__getattr__"), "detach": lambda: raising("detach"),
    "__array__": lambda: raising("__array__"),
    "__array__ of text": lambda: with_members(__array__=lambda *_, **__: "x"),
    "__array_interface__": lambda: raising_property("__array_interface__"),
    "__array_interface__ of text": lambda: with_members(__array_interface__="x"),
    "__array_interface__ without keys": lambda: with_members(__array_interface__={"version": 3}),
    "__array_interface__ with no type": lambda: with_members(
        __array_interface__={"version": 3, "shape": (4,), "typestr": "<q9", "data": b"1234"}),
    "__array_interface__ too short": lambda: with_members(
        __array_interface__={"version": 3, "shape": (400,), "typestr": "<f4", "data": b"1234"}),
    "__array_struct__": lambda: with_members(__array_struct__=7),
    "__dlpack__": lambda: raising("__dlpack__", "__dlpack_device__"),
    "shape": lambda: raising_property("shape"), "dtype": lambda: raising_property("dtype"),
    "shape is a number": lambda: with_members(shape=7),
    "shape and dtype": lambda: with_members(shape=(4, 8), dtype="f4"),
    "three dims": lambda: with_members(shape=(2, 4, 4)), "flags": lambda: with_members(
        flags=with_members(writeable=False)),
    "array []": lambda: np.float32(3) + np.zeros(()), "0-d": lambda: np.zeros((), np.float32),
    "0-d int": lambda: np.zeros((), np.int64), "0-d text": lambda: np.array("halves"),
    "empty": lambda: np.zeros(0, np.float32),
    "[0, 8]": lambda: np.zeros((0, 8), np.float32), "[4, 0]": lambda: np.zeros((4, 0), np.float32),
    "[0, 0, 0]": lambda: np.zeros((0, 0, 0), np.float32), "[4]": lambda: np.zeros(4, np.float32),
    "array [1]": lambda: np.ones(1), "[4, 7]": lambda: np.zeros((4, 7), np.float32),
    "[3, 8]": lambda: np.zeros((3, 8), np.float32),
    "[8, 4]": lambda: np.zeros((8, 4), np.float32), "[5, 9]": lambda: np.zeros((5, 9), np.int64),
    "[2, 4, 8]": lambda: np.zeros((2, 4, 8), np.float32), "[2, 3, 4, 5]": lambda: np.zeros((2, 3, 4, 5), np.float32),
    "float64": lambda: np.zeros((4, 8)), "float16": lambda: np.zeros((4, 8), np.float16),
    "bfloat16": lambda: np.zeros((4, 8), posenc.bfloat16), "longdouble": lambda: np.zeros((4, 8), np.longdouble),
    "int32": lambda: np.zeros((4, 8), np.int32), "uint64": lambda: np.full(4, 2**64 - 1, np.uint64),
    "int64": lambda: np.full((4, 4), 2**62), "complex": lambda: np.zeros((4, 8), complex),
    "complex [4]": lambda: np.zeros(4, complex),
    "objects": lambda: np.full(4, None), "bool": lambda: np.zeros((4, 8), bool), "text": lambda: np.full(4, "1"),
    "dates": lambda: np.zeros(4, "M8[s]"), "a struct": lambda: np.zeros((4, 8), [("a", "f4"), ("b", "i4")]),
    "the other byte order": lambda: np.zeros((4, 8), np.dtype("f4").newbyteorder()),
    "read-only": lambda: read_only((4, 8)),
    "transposed": lambda: np.zeros((8, 4), np.float32).T, "every second": lambda: np.zeros((4, 16), np.float32)[:, ::2],
    "backwards": lambda: np.zeros((4, 8), np.float32)[::-1], "one row": lambda: np.broadcast_to(np.float32(0), (4, 8)),
    "overlapping": lambda: np.lib.stride_tricks.as_strided(np.zeros(32, np.float32), (4, 8), (16, 4)),
    "not aligned": lambda: np.zeros(132, np.uint8)[1:129].view(np.float32).reshape(4, 8),
    "nan [4, 8]": lambda: np.full((4, 8), np.nan), "beyond float32": lambda: np.full((4, 8), 1e300),
    "nan [4]": lambda: np.full(4, np.nan, np.float32), "a masked array": lambda: np.ma.zeros((4, 8), np.float32),
    "two arrays": lambda: (np.zeros((4, 8), np.float32), np.zeros((4, 8), np.float32)),
    "one array": lambda: (np.zeros((4, 8), np.float32),), "three arrays": lambda: [np.zeros((4, 8), np.float32)] * 3,
    "an array and None": lambda: (np.zeros((4, 4), np.float32), None),
    "read-only arrays": lambda: (read_only((4, 4)),) * 2,
}
if torch:
    BAD.update({
        "torch 0-d": lambda: torch.tensor(1.5), "torch 0-d int": lambda: torch.tensor(3),
        "torch [1]": lambda: torch.tensor([3]),
        "torch [0]": lambda: torch.zeros(0), "torch [4]": lambda: torch.zeros(4),
        "torch [4, 8]": lambda: torch.zeros(4, 8),
        "torch [4, 7]": lambda: torch.zeros(4, 7), "torch int": lambda: torch.zeros(4, dtype=torch.int64),
        "torch int [2, 4]": lambda: torch.full((2, 4), 10**6), "torch bool": lambda: torch.zeros(4, dtype=torch.bool),
        "torch complex": lambda: torch.zeros(4, 8, dtype=torch.complex64),
        "torch bf16": lambda: torch.zeros(4, 8).bfloat16(),
        "torch bf16 [4]": lambda: torch.zeros(4).bfloat16(), "torch double": lambda: torch.zeros(4, 8).double(),
        "torch meta": lambda: torch.zeros(4, 8, device="meta"), "torch meta int": lambda: torch.zeros(
            4, dtype=torch.int64, device="meta"), "torch sparse": lambda: torch.zeros(4, 8).to_sparse(),
        "torch grad": lambda: torch.zeros(4, 8, requires_grad=True),
        "torch not a leaf": lambda: torch.ones(4, requires_grad=True) * 2,
        "torch neg": lambda: torch._neg_view(torch.zeros(4, 8)), "torch quantized": lambda: torch.quantize_per_tensor(
            torch.zeros(4, 8), 1.0, 0, torch.qint8),
        "torch.float32": lambda: torch.float32, "a torch device": lambda: torch.device("cpu")})
    if hasattr(torch, "nested") and hasattr(torch.nested, "nested_tensor"):
        BAD["torch nested"] = lambda: torch.nested.nested_tensor([torch.zeros(4, 8), torch.zeros(3, 8)])


# ---- good calls ----------------------------------------------------------------------------------------------

class Guard:
    """Makes arrays that have memory full of a pattern around them."""

    def __init__(self):
        self.made = []

    def floats(self, *shape, dtype=np.float32):
        size = int(np.prod(shape))
        memory = np.full((size + 128) * dtype().itemsize, 0xa5, np.uint8).view(dtype)
        memory[64:64 + size] = 1
        self.made.append((memory, size))
        return memory[64:64 + size].reshape(shape)

    def tensor(self, *shape):
        return torch.from_numpy(self.floats(*shape))

    def around(self):
        return b"".join(memory[:64].tobytes() + memory[64 + size:].tobytes() for memory, size in self.made)


MODEL = {"model_type": "llama", "head_dim": 8, "num_hidden_layers": 2}
WHISPER = {"model_type": "whisper", "d_model": 8, "encoder_layers": 1, "encoder_attention_heads": 1}
PLAN, ROPE = posenc.Plan(8), posenc.Rope(8)
ENCODER = [part.name for part in posenc.read(WHISPER) if part.kind == "sinusoidal"][0]
FOUND = {"name": "text", "kind": "rope", "layers": [0], "understood": [], "odd": [], "wrong": []}


def calls():
    """Yields (name, function, its good arguments, made afresh from a Guard)."""
    p, r = PLAN, ROPE
    yield "Plan", posenc.Plan, lambda g: {"d_model": 8}
    yield "Plan axes", posenc.Plan, lambda g: {"d_model": 8, "axis": [(4, 0), (4, 1)]}
    yield "Plan sums", posenc.Plan, lambda g: {"d_model": 4, "axes": 2, "columns": "sums",
                                               "frequencies": [[1, 2], [4, 8]]}
    yield "Plan.from_config", posenc.Plan.from_config, lambda g: {"model": WHISPER, "part": ENCODER}
    yield "Rope", posenc.Rope, lambda g: {"head_dim": 8}
    yield "Rope sections", posenc.Rope, lambda g: {"head_dim": 8, "sections": [2, 2]}
    yield "Rope.from_config", posenc.Rope.from_config, lambda g: {"model": MODEL}
    yield "fill", p.fill, lambda g: {"at": 5, "rows": 4}
    yield "fill out", p.fill, lambda g: {"at": range(4), "out": g.floats(4, 8)}
    yield "add", p.add, lambda g: {"x": g.floats(4, 8), "at": [1, 2, 3, 4]}
    yield "add batch", p.add, lambda g: {"x": g.floats(2, 4, 8), "at": [[1, 2, 3, 4]] * 2, "batch": 0}
    yield "shift", p.shift, lambda g: {"x": g.floats(2, 4, 8), "by": [1, 2, 3, 4]}
    yield "dot", p.dot, lambda g: {"distances": 5, "count": 4}
    yield "rotate", r.rotate, lambda g: {"q": g.floats(2, 4, 8), "k": g.floats(4, 8), "at": [1, 2, 3, 4]}
    yield "rotate q", r.rotate, lambda g: {"q": g.floats(4, 8)}
    yield "rotate out", r.rotate, lambda g: {"q": g.floats(4, 8), "out": g.floats(4, 8)}
    yield "rotate out, out", r.rotate, lambda g: {"q": g.floats(4, 8), "k": g.floats(4, 8),
                                                  "out": (g.floats(4, 8), g.floats(4, 8))}
    yield "rotate batch", r.rotate, lambda g: {"q": g.floats(2, 3, 4, 8), "k": g.floats(2, 4, 8),
                                               "at": np.ones((2, 4), int), "batch": 0}
    yield "rotate batch out", r.rotate, lambda g: {"q": g.floats(2, 4, 8), "at": np.ones((2, 4), int), "batch": 0,
                                                   "out": g.floats(2, 4, 8)}
    yield "table", r.table, lambda g: {"at": 5, "rows": 4}
    yield "table out", r.table, lambda g: {"at": range(4), "out": (g.floats(4, 4), g.floats(4, 4))}
    yield "table matrix", r.table, lambda g: {"at": range(4), "layout": "matrix", "out": g.floats(4, 16)}
    yield "frequencies", p.frequencies, lambda g: {}
    yield "wavelengths", p.wavelengths, lambda g: {}
    yield "At", posenc.At, lambda g: {"positions": 5}
    yield "grid", posenc.grid, lambda g: {"sizes": (3, 4)}
    yield "back", posenc.back, lambda g: {"at": 5}
    yield "delta", posenc.delta, lambda g: {"at": 5}
    yield "alibi_slopes", posenc.alibi_slopes, lambda g: {"heads": 4}
    yield "alibi", posenc.alibi, lambda g: {"slopes": [1, 2, 3], "queries": range(4), "keys": range(5)}
    yield "alibi out", posenc.alibi, lambda g: {"slopes": [1, 2, 3], "queries": 1, "keys": 0, "out": g.floats(3, 4, 5)}
    yield "alibi_add", posenc.alibi_add, lambda g: {"scores": g.floats(3, 4, 5), "slopes": [1, 2, 3]}
    yield "t5_buckets", posenc.t5_buckets, lambda g: {"queries": range(4), "keys": range(5)}
    yield "bias_add", posenc.bias_add, lambda g: {"scores": g.floats(3, 4, 5), "table": np.ones((32, 3)),
                                                  "index": np.zeros((4, 5), int)}
    yield "learned_add", posenc.learned_add, lambda g: {"x": g.floats(2, 4, 8), "table": g.floats(10, 8),
                                                        "at": [1, 2, 3, 4]}
    yield "learned_grad", posenc.learned_grad, lambda g: {"grad_table": g.floats(10, 8), "grad_x": g.floats(4, 8)}
    yield "resample", posenc.resample, lambda g: {"table": np.ones((2, 2, 3)), "height": 3, "width": 3}
    yield "sincos", posenc.sincos, lambda g: {"omega": [1, 2], "at": 5, "rows": 4}
    yield "sinusoidal", posenc.sinusoidal, lambda g: {"rows": 4, "d_model": 8}
    yield "isa", posenc.isa, lambda g: {}
    yield "read", posenc.read, lambda g: {"config": MODEL}
    yield "Error", posenc.Error, lambda g: {"status": 1}
    yield "Part", posenc.Part, lambda g: {"found": FOUND}
    if torch is None:
        return
    yield "torch.rotate", modules.rotate, lambda g: {"x": g.tensor(2, 4, 8), "rope": r, "position_ids": [1, 2, 3, 4]}
    yield "torch.rotate double", modules.rotate, lambda g: {"x": g.tensor(2, 4, 8).double(), "rope": r}
    yield "torch.rotate out", modules.rotate, lambda g: {"x": g.tensor(2, 4, 8), "rope": r, "out": g.tensor(2, 4, 8)}
    yield "torch.rotate_qk", modules.rotate_qk, lambda g: {"q": g.tensor(2, 4, 8), "k": g.tensor(4, 8), "rope": r,
                                                           "position_ids": [1, 2, 3, 4]}
    yield "torch.rotate_qk out", modules.rotate_qk, lambda g: {
        "q": g.tensor(2, 4, 8), "k": g.tensor(4, 8), "rope": r, "out": (g.tensor(2, 4, 8), g.tensor(4, 8))}
    yield "torch.backend", modules.backend, lambda g: {"device": "cpu"}
    yield "torch.rotate_by", modules.rotate_by, lambda g: {"x": g.tensor(2, 4, 8), "cos": g.tensor(4, 8),
                                                            "sin": g.tensor(4, 8)}
    yield "torch.Rotary", modules.Rotary, lambda g: {"rope": 8}
    yield "torch.Rotary.from_config", modules.Rotary.from_config, lambda g: {"model": MODEL}
    yield "torch.Rotary.forward", modules.Rotary(r).forward, lambda g: {
        "x": g.tensor(2, 4, 8), "position_ids": torch.zeros(2, 4, dtype=torch.int64)}
    yield "torch.Rotary.forward rows", modules.Rotary(r, rows=9).forward, lambda g: {
        "x": g.tensor(2, 4, 8), "position_ids": torch.zeros(2, 4, dtype=torch.int64)}
    yield "torch.Rotary.forward axes", modules.Rotary(8, sections=[2, 2]).forward, lambda g: {
        "x": g.tensor(2, 4, 8), "position_ids": torch.zeros(2, 2, 4, dtype=torch.int64)}
    yield "torch.Rotary.of_layers", modules.Rotary(r).of_layers, lambda g: {"layer_type": "full_attention"}
    yield "torch.install", modules.install, lambda g: {"model": a_model()}
    yield "torch.uninstall", modules.uninstall, lambda g: {"model": modules.install(a_model())}
    yield "torch.Sinusoidal", modules.Sinusoidal, lambda g: {"plan": 8}
    yield "torch.Sinusoidal.forward", modules.Sinusoidal(8).forward, lambda g: {"x": g.tensor(2, 4, 8)}
    yield "torch.Sinusoidal.forward rows", modules.Sinusoidal(8, rows=9).forward, lambda g: {"x": g.tensor(2, 4, 8)}


def apply_rotary_pos_emb(q, k, cos, sin):
    """Stands for the function of this name in a modeling file of transformers."""
    return q, k


def a_model():
    """Returns a model that posenc.torch.install() accepts: an attention layer, and a rotary_emb with a config."""
    class Attention(torch.nn.Module):
        def forward(self, q, k, position_embeddings):
            return apply_rotary_pos_emb(q, k, *position_embeddings)

    class Config(dict):
        model_type, to_dict = "llama", dict.copy
    model = torch.nn.Sequential(Attention())
    model.rotary_emb = torch.nn.Identity()
    model.rotary_emb.config = Config(MODEL)
    return model


def not_covered():
    """Returns the names of the public functions, classes and methods that are not among the calls."""
    tested = {getattr(call, "__func__", call) for _, call, _ in calls()}
    missing = []
    for module in (posenc, modules) if torch else (posenc,):
        for name in module.__all__:
            thing = getattr(module, name)
            if not (inspect.isfunction(thing) or inspect.isclass(thing)):
                continue
            if thing not in tested:
                missing.append(f"{module.__name__}.{name}")
            for member, value in vars(thing).items() if inspect.isclass(thing) else ():
                value = getattr(value, "__func__", value)
                if inspect.isfunction(value) and not member.startswith("_") and value not in tested:
                    missing.append(f"{module.__name__}.{name}.{member}")
    return [name for name in missing if not name.endswith((".counted", ".extra_repr"))]


# ---- the test ------------------------------------------------------------------------------------------------

def contents(values):
    """Returns the bytes of the arrays and tensors among values."""
    found = []
    for value in values:
        if isinstance(value, np.ndarray):
            found.append(np.asarray(value).tobytes())
        elif torch and isinstance(value, torch.Tensor) and value.device.type == "cpu" and (
                value.layout == torch.strided and not value.is_quantized and not getattr(value, "is_nested", False)):
            found.append(value.detach().reshape(-1).tolist() if value.dtype == torch.bfloat16
                         else value.detach().resolve_neg().numpy().tobytes())
        elif isinstance(value, (tuple, list)):
            found.append(contents(value))
    return str(found)


def is_named(error, argument, bad):
    """Returns whether a text names the argument. The text about a model names the file or the key of its config."""
    if isinstance(error, (posenc.Error, MemoryError)):
        return True
    if argument in ("model", "config") and isinstance(bad, (str, bytes, dict)):
        return bool(str(error))
    return re.search(rf"\b{argument}\b", str(error)) is not None


def replacements(call, good):
    """Yields (argument, function that calls with a bad value in its place)."""
    def with_value(argument):
        return lambda arguments, bad: call(**{**arguments, argument: bad})
    for argument, parameter in inspect.signature(call).parameters.items():
        if parameter.kind == parameter.VAR_POSITIONAL:
            for index in range(len(good[argument])):
                yield argument, lambda arguments, bad, index=index: call(
                    *arguments[argument][:index], bad, *arguments[argument][index + 1:])
        elif parameter.kind != parameter.VAR_KEYWORD:
            yield argument, with_value(argument)


def wrong(call, argument, make, replaced, bad):
    """Calls with a bad value. Returns (kind of mistake, text), or None if the call behaves as documented."""
    guard = Guard()
    arguments = make(guard)
    around, before = guard.around(), contents([*arguments.values(), bad])
    try:
        replaced(arguments, bad)
        error = None
    except BaseException as caught:  # all exceptions are caught, since the code below decides which are documented
        error = caught
    if guard.around() != around:
        return "memory around an array was written", ""
    if error is None:
        return None
    if contents([*arguments.values(), bad]) != before:
        return "an array was written, and then an error raised", str(error)
    if type(error) not in DOCUMENTED or (
            isinstance(error, FileNotFoundError) and argument not in ("model", "config")):
        return type(error).__name__, str(error)
    if not is_named(error, argument, bad):
        return f"{type(error).__name__} that does not name the argument", str(error)
    return None


def main():
    pattern = sys.argv[1] if len(sys.argv) > 1 else "*"
    faulthandler.enable()
    try:  # with this limit, a call with a huge number fails at once and does not use up the memory
        import resource
        resource.setrlimit(resource.RLIMIT_AS, (12 << 30, resource.getrlimit(resource.RLIMIT_AS)[1]))
    except (ImportError, ValueError, OSError):
        pass
    tried, mistakes = 0, collections.Counter()
    missing = not_covered()
    for name in missing:
        print(f"FAIL {name} is not tested")
    for name, call, make in calls():
        if not fnmatch.fnmatch(name, pattern):
            continue
        call(*make(Guard())["sizes"]) if name == "grid" else call(**make(Guard()))
        for argument, replaced in replacements(call, make(Guard())):
            for label, bad in BAD.items():
                with warnings.catch_warnings():
                    # For a cast that changes numbers, numpy only warns. Here it is a mistake.
                    warnings.simplefilter("ignore")
                    warnings.simplefilter("error", RuntimeWarning)
                    warnings.simplefilter("error", getattr(np, "exceptions", np).ComplexWarning)
                    found = wrong(call, argument, make, replaced, bad())
                tried += 1
                # None is not a bad value if it is the default. The error is then about another, missing argument.
                default = inspect.signature(call).parameters[argument].default
                if found and label == "None" and default is None and "name the argument" in found[0]:
                    found = None
                if found:
                    mistakes[found[0]] += 1
                    print(f"FAIL {name}: {argument} = {label}: {found[0]}: {found[1][:150]!r}")
    for kind, count in mistakes.most_common():
        print(f"{count:6} {kind}")
    print(f"{tried} calls with a bad argument, {sum(mistakes.values())} not as documented, torch "
          f"{getattr(torch, '__version__', 'is missing')}")
    return bool(mistakes or missing or not tried)


if __name__ == "__main__":
    sys.exit(main())
