# SPDX-License-Identifier: MIT
"""Positional encodings for transformers: correctly rounded, at the speed of memory, the same bits everywhere.

    posenc.sinusoidal(512, 512)                              the table of "Attention Is All You Need"
    plan = posenc.Plan(512, base=500000)                     any of pe_config's fields, by its name
    plan = posenc.Plan(512, preset="fairseq")                another project's convention
    plan.fill(range(1000, 1512))                             a new array, or out=
    plan.add(x, 1000, scale=512**0.5)                        x = scale x + PE, in place
    rope = posenc.Rope(128, rope_theta=500000)               any of pe_rope_config's fields
    rope = posenc.Rope.from_config("config.json")            a model's; layer=3 where layers differ
    posenc.read("model.gguf")                                what a file says of positions, part by part
    rope.rotate(q, k, at=131072)                             in place, both by the same sines
    posenc.sincos(omega, range(512))                         sines and cosines of frequencies, without a plan

Arrays are numpy's, or torch's on the CPU, and are written where they are: what has another type, order or
alignment, is read-only or overlaps itself is refused with TypeError or ValueError, and nothing is written.
Error, a ValueError, has what the library itself refuses. posenc.c has its structs and constants, posenc.lib its
functions. docs/python.md has examples.
"""
from __future__ import annotations

import copy
import ctypes
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple, Union

import numpy

from . import _declarations as c
from ._library import Error, checked, lib, pointer, size
from ._memory import Memory, bfloat16, blocks_of, column, dtype_named, memory_of, overlap, type_of, written
from ._reader import Part, chosen, read

__all__ = ["At", "Error", "Part", "Plan", "Rope", "back", "bfloat16", "c", "delta", "grid", "isa", "lib", "read",
           "sincos", "sinusoidal"]
__version__ = "{}.{}.{}".format(*lib.pe_version().to_bytes(3, "big"))

Positions = Union[int, range, "At", Sequence[Any], "numpy.ndarray[Any, Any]", Any]
_KINDS = {"f32": ctypes.c_float, "f64": ctypes.c_double, "f16": ctypes.c_uint16, "bf16": ctypes.c_uint16}


def isa() -> str:
    """The instruction set in use: "AVX-512", "AVX2", "NEON" ... PE_ISA in the environment chooses another."""
    name: bytes = lib.pe_isa_name()
    return name.decode()


def _call(name: str, type: str, *arguments: Any) -> None:
    checked(getattr(lib, f"{name}_{type}")(*arguments))


# ---- where rows are -----------------------------------------------------------------------------------------


class At:
    """Where rows are. Made of a number p (p, p + 1, ...), a range, an array of positions, one of points
    [rows, axes]: whole or real numbers, which are copied. len() is its number of rows; of p, any."""

    def __init__(self, positions: Positions):
        self.rows: Optional[int] = None
        self._keep: Any = None
        self._at: Any
        if isinstance(positions, At):
            self.rows, self._keep, self._at = positions.rows, positions._keep, positions._at
        elif isinstance(positions, range):
            self.rows = len(positions)
            self._at = lib.pe_from_by(_int64(positions.start), _int64(positions.step))
        elif hasattr(positions, "__index__") and not getattr(positions, "shape", ()):
            self._at = lib.pe_from(_int64(positions))
        else:
            self._list(positions)

    def _list(self, positions: Any) -> None:
        if hasattr(positions, "detach"):
            positions = positions.detach().cpu()
        given = numpy.asarray(positions)
        kind = {"i": "i4" if given.dtype.itemsize <= 4 else "i8", "u": "i4" if given.dtype.itemsize <= 2 else "i8",
                "f": "f4" if given.dtype.itemsize <= 4 else "f8"}.get("i" if given.size == 0 else given.dtype.kind)
        if kind is None or given.ndim not in (1, 2) or given.dtype.itemsize > 8:
            raise TypeError("positions are a whole number, a range, or numbers [rows] or [rows, axes], not "
                            f"{given.dtype} {list(given.shape)}")
        if given.dtype.kind == "u" and given.size and given.max() > 2**62:
            raise Error(c.PE_ERR_RANGE)
        axes = 1 if given.ndim == 1 else size(given.shape[1], "axes", 1, c.PE_MAX_AXES)
        self._keep = numpy.array(given, dtype=kind, order="C", copy=True)
        self.rows = given.shape[0]
        make = getattr(lib, f"pe_coords_{kind[0]}{8 * int(kind[1])}")
        self._at = make(ctypes.cast(self._keep.ctypes.data, make.argtypes[0]), axes, axes, 1)

    def __len__(self) -> int:
        if self.rows is None:
            raise TypeError("rows is missing: the position of the first row alone does not say how many there are")
        return self.rows

    def _with(self, at: Any) -> "At":
        made = At(self)
        made._at = at
        return made

    def counted(self, rows: Optional[int]) -> int:
        """How many rows a call has that wants so many, or (None) as many as there are."""
        if rows is None:
            return len(self)
        if self.rows is not None and self.rows != rows:
            raise ValueError(f"there are {self.rows} positions for {rows} rows")
        return rows


def _int64(value: Any) -> int:
    if isinstance(value, (bool, numpy.bool_)):
        raise TypeError("a position is a number, not a bool")
    number = int(value.__index__())
    if not -(2**63) <= number < 2**63:
        raise Error(c.PE_ERR_RANGE)
    return number


def grid(*sizes: int) -> At:
    """The cells of a grid: coordinate k runs from 0 to sizes[k] - 1, the last one fastest."""
    size(len(sizes), "the axes of a grid", 1, c.PE_MAX_AXES)
    made, cells = At(0), 1
    for n in sizes:
        cells *= size(n, "the size of an axis")
    made.rows = size(cells, "the cells of a grid")
    return made._with(lib.pe_grid((ctypes.c_size_t * len(sizes))(*sizes), len(sizes)))


def back(at: Positions) -> At:
    """The opposite rotation: RoPE's gradient, and its inverse where the amplitude is 1."""
    at = At(at)
    return at._with(lib.pe_back(at._at))


def delta(at: Positions) -> At:
    """Differences of positions, for keys that are already rotated: without the plan's offset and amplitude."""
    at = At(at)
    return at._with(lib.pe_delta(at._at))


# ---- configs ------------------------------------------------------------------------------------------------

# The prefix of the constants of a field: layout="halves" is PE_LAYOUT_HALVES.
_ENUMS = {"layout": "PE_LAYOUT_", "odd": "PE_ODD_", "exponent": "PE_EXPONENT_", "angle": "PE_ANGLE_",
          "columns": "PE_COLUMNS_", "section_order": "PE_SECTIONS_", "rope_type": "PE_ROPE_"}


def _named(prefix: str, value: Any, argument: str) -> int:
    """The number of a constant, from its name without the prefix or from itself."""
    known = {name[len(prefix):].lower(): getattr(c, name) for name in c.CONSTANTS if name.startswith(prefix)
             and not name.startswith(("TABLE_", "TYPE_COUNT", "COUNT"), len(prefix))}
    if isinstance(value, str):
        if value not in known:
            raise ValueError(f"{argument} must be one of {', '.join(map(repr, known))}, not {value!r}")
        return int(known[value])
    return size(value, argument, 0, max(known.values()))


def _rope_type(name: Any) -> int:
    if not isinstance(name, str):
        return _named("PE_ROPE_", name, "rope_type")
    found = ctypes.c_int()
    if lib.pe_rope_type_named(name.encode(), found) != c.PE_OK:
        known = (x[8:].lower() for x in c.CONSTANTS if x.startswith("PE_ROPE_") and not x.startswith("PE_ROPE_T"))
        raise Error(c.PE_ERR_NAME, f"rope_type must be one of {', '.join(map(repr, known))}, or the name of a "
                    f"config.json, not {name!r}")
    return found.value


def _set(config: Any, fields: Mapping[str, Any], lengths: Mapping[str, int]) -> Dict[str, Any]:
    """Set fields of a struct; what is returned has to be kept as long as it. Each number is checked: ctypes takes
    any, modulo what fits. Lists that the library reads through a pointer have these lengths: the library checks its
    fields for them, but its text is constant and has no counts."""
    types, kept = dict(config._fields_), {}
    for name, value in fields.items():
        if name not in types:
            raise TypeError(f"{type(config).__name__} has no field {name}; it has {', '.join(types)}")
        kind = types[name]
        if name == "rope_type":
            value = _rope_type(value)
        elif name in _ENUMS:
            value = _named(_ENUMS[name], value, name)
        elif name == "axis":
            value = kind(*[c.pe_axis(size(width, "an axis' width"), size(which, "an axis' coordinate"))
                           for width, which in value])
        elif hasattr(kind, "contents"):
            if value is not None:
                kept[name] = column(value, name, kind._type_, lengths[name])
                setattr(config, name + "_length", lengths[name])
                value = ctypes.cast(kept[name].ctypes.data, kind)
        elif hasattr(kind, "_length_"):
            value = kind(*[size(n, name) for n in value])
        elif kind is ctypes.c_double:
            value = float(value)
        elif kind is ctypes.c_int:
            value = size(value + 0, name, 0, 1)
        elif kind is ctypes.c_int64:
            value = _int64(value)
        else:
            value = size(value, name)
        setattr(config, name, value)
    return kept


# ---- plans --------------------------------------------------------------------------------------------------


class Plan:
    """The frequencies of an encoding, for every position.

    d_model      elements of a row
    preset       the convention of a project, such as "fairseq": PE_PRESET_ in lower case
    frequencies  numbers for the pairs, instead of those of base and exponent
    fields       of pe_config: base=500000, layout="halves", offset=2, axes=2 ...

    A plan does not change; threads may share it, and it can be pickled.
    """

    def __init__(self, d_model: int, *, preset: Union[str, int, None] = None, frequencies: Any = None, **fields: Any):
        self._again = copy.deepcopy((d_model, {"preset": preset, "frequencies": frequencies, **fields}))
        d_model = size(d_model, "d_model")
        config = (lib.pe_config_default(d_model) if preset is None else
                  lib.pe_config_preset(_named("PE_PRESET_", preset, "preset"), d_model))
        if "axis" in fields:
            fields = {"axes": len(fields["axis"]), **fields}
        self._keep: Any = _set(config, fields, {"coordinate": (d_model + 1) // 2})
        self._make(config, "pe_", None if frequencies is None else numpy.array(frequencies, numpy.float64, order="C"))
        self.head_dim = self.d_model

    @classmethod
    def from_config(cls, model: Any, *, layer: Optional[int] = None, part: Optional[str] = None,
                    **fields: Any) -> "Plan":
        """The sinusoidal encoding of a model: of its config.json, as a dict or the path of a file."""
        return cls(**{**chosen(model, ("sinusoidal",), part, layer).config, **fields})

    def _make(self, config: Any, prefix: str, omega: Any = None) -> None:
        wrong = getattr(lib, f"{prefix}config_error")(config)
        checked(c.PE_ERR_CONFIG if wrong else c.PE_OK, wrong)
        room = getattr(lib, f"{prefix}plan_size")(config)
        memory, plan = ctypes.create_string_buffer(room), c.pe_plan()
        if omega is None:
            checked(getattr(lib, f"{prefix}plan_init")(plan, config, memory, room))
        else:
            # One number a pair, or of sums a row of one number an axis: these are what the library reads.
            sums = (config.axes,) if config.axes > 1 and config.columns == c.PE_COLUMNS_SUMS else ()
            if omega.ndim != 1 + len(sums) or omega.shape[1:] != sums:
                raise ValueError(f"frequencies must be [pairs{', axes' if sums else ''}], not {list(omega.shape)}")
            at, index = pointer(omega.ctypes.data, ctypes.c_double), ctypes.c_size_t()
            status = lib.pe_plan_init_frequencies(plan, config, at, omega.shape[0], memory, room)
            wrong = lib.pe_frequency_error(config, at, omega.size, index) if status == c.PE_ERR_FREQUENCY else None
            checked(status, wrong and b"frequencies, number %d: %s" % (index.value, wrong))
        self._plan, self._keep = plan, (self._keep, memory)

    def __reduce__(self) -> Any:
        return _again, (type(self), *self._again)

    def __repr__(self) -> str:
        given = "".join(f", {name}={value!r}" for name, value in self._again[1].items() if value is not None)
        return f"posenc.{type(self).__name__}({self._again[0]}{given})"

    @property
    def d_model(self) -> int:
        """Elements of a row; in RoPE, those of a head that rotate."""
        return int(self._plan.d_model)

    def _doubles(self, name: str) -> "numpy.ndarray[Any, Any]":
        made = numpy.empty(self._plan.pairs, numpy.float64)
        checked(getattr(lib, name)(self._plan, pointer(made.ctypes.data, ctypes.c_double)))
        return made

    def frequencies(self) -> "numpy.ndarray[Any, Any]":
        """Radians a position, a number a pair, correctly rounded."""
        return self._doubles("pe_plan_frequencies")

    def wavelengths(self) -> "numpy.ndarray[Any, Any]":
        """Positions a turn."""
        return self._doubles("pe_plan_wavelengths")

    def fill(self, at: Positions = 0, rows: Optional[int] = None, *, dtype: Any = "float32", out: Any = None) -> Any:
        """The rows of these positions, in a new array [rows, d_model] or in out.

        dtype    float32, float64, float16 or bfloat16 (posenc.bfloat16, or that of ml_dtypes)
        """
        at, types = At(at), ("f32", "f64", "f16", "bf16")
        if out is None:
            out, memory = _new(at.counted(None if rows is None else size(rows, "rows")), self.d_model, dtype, types)
        else:
            memory = memory_of(out, "out", types, 2)
            if len(memory.shape) != 2 or rows is not None and memory.shape[0] != rows:
                raise ValueError(f"out must be [{'rows' if rows is None else rows}, d_model], not {list(memory.shape)}")
        at.counted(memory.shape[0])
        for b in blocks_of(memory, 0, self.d_model, "out"):
            _call("pe_fill", memory.type, self._plan, at._at, b.rows, pointer(b.pointer, _KINDS[memory.type]),
                  b.row_stride)
        written(out)
        return out

    def add(self, x: Any, at: Positions = 0, *, scale: float = 1.0, axis: int = -2) -> Any:
        """x = scale x + PE in place, for x [..., rows, d_model]: every batch gets the same rows. Returns x.

        axis     that of the positions; 0 for [rows, batch, d_model]
        """
        at, memory = At(at), memory_of(x, "x", ("f32", "f64", "f16", "bf16"), 2)
        blocks = blocks_of(memory, axis, self.d_model, "x")
        at.counted(memory.shape[axis])
        for b in blocks:
            _call("pe_add_batch", memory.type, self._plan, at._at, b.rows, b.groups, float(scale),
                  pointer(b.pointer, _KINDS[memory.type]), b.row_stride, b.group_stride)
        written(x)
        return x

    def rotate(self, q: Any, k: Any = None, *, at: Positions = 0, axis: int = -2, out: Any = None) -> Any:
        """RoPE: rotate heads of q, and of k, by the same positions, in place or in copies of them.

        q, k     [..., tokens, head_dim], of the same number of tokens; the other axes are heads and batches
        axis     that of the tokens; -3 for [tokens, heads, head_dim]
        out      an array of q's shape and dtype, or two, for q and k, which then stay as they are; any of these
                 arrays may overlap. Returned
        """
        at = At(at)
        if out is not None:
            pairs = list(zip((q,), (out,)) if k is None else zip((q, k), out))
            if len(pairs) != (1 if k is None else 2):
                raise ValueError("out must be two arrays, for q and k")
            for (x, to), name in zip(pairs, ("q", "k")):
                memory_of(to, f"out for {name}", ("f32", "f16", "bf16"), 2)
                if type(x) is not type(to) or x.dtype != to.dtype or x.shape != to.shape:
                    raise ValueError(f"out for {name} must be like {name}, {getattr(x, 'dtype', type(x).__name__)} "
                                     f"{list(getattr(x, 'shape', ()))}, not {to.dtype} {list(to.shape)}")
            # Copies are rotated, so that nothing is written if the library refuses the call.
            copies = [x.copy() if isinstance(x, numpy.ndarray) else x.clone() for x, _ in pairs]
            self.rotate(*copies, at=at, axis=axis)
            for (_, to), x in zip(pairs, copies):
                to[...] = x
            return out
        whole = []
        for x, name in ((q, "q"), (k, "k"))[:1 if k is None else 2]:
            memory = memory_of(x, name, ("f32", "f16", "bf16"), 2)
            whole.append((x, memory, blocks_of(memory, axis, self.head_dim, name)))
            at.counted(memory.shape[axis])
            if memory.shape[axis] != whole[0][1].shape[axis]:
                raise ValueError(f"q has {whole[0][1].shape[axis]} tokens, k {memory.shape[axis]}")
        (_, m, mine), (_, other, others) = whole[0], whole[-1]
        if k is not None and len(mine) == len(others) == 1 and m.type == other.type and not overlap(m, other):
            _call("pe_rope_qk", m.type, self._plan, at._at, mine[0].rows, *_heads(m, mine[0]), *_heads(other, others[0]))
        else:
            for _, m, blocks in whole:
                for b in blocks:
                    _call("pe_rope", m.type, self._plan, at._at, b.rows, *_heads(m, b))
        for x, _, _ in whole:
            written(x)

    def table(self, at: Positions, rows: Optional[int] = None, *, layout: Union[str, int] = "apart",
              dtype: Any = "float32") -> Any:
        """Cosines and sines for code that rotates by itself: two arrays, or one of layouts that join them.

        layout   "apart" [rows, pairs], "twice" [rows, 2 pairs]; "joined", "complex": one [rows, 2 pairs];
                 "matrix": one [rows, 4 pairs]
        """
        at, which = At(at), _named("PE_ROPE_TABLE_", layout, "layout")
        rows = at.counted(None if rows is None else size(rows, "rows"))
        arrays, width = {c.PE_ROPE_TABLE_APART: (2, 1), c.PE_ROPE_TABLE_TWICE: (2, 2), c.PE_ROPE_TABLE_JOINED: (1, 2),
                         c.PE_ROPE_TABLE_COMPLEX: (1, 2), c.PE_ROPE_TABLE_MATRIX: (1, 4)}[which]
        width *= int(self._plan.pairs)
        made = [_new(rows, width, dtype, ("f32", "f16", "bf16")) for _ in range(arrays)]
        memory = made[0][1]
        both = [pointer(m.pointer, _KINDS[memory.type]) for _, m in made] + [None]
        _call("pe_rope_table", memory.type, self._plan, at._at, rows, which, both[0], both[1], width, None)
        return made[0][0] if len(made) == 1 else (made[0][0], made[1][0])


def _new(rows: int, width: int, dtype: Any, types: Sequence[str]) -> Tuple[Any, Memory]:
    made = numpy.empty((rows, width), dtype_named(dtype))
    return made, memory_of(made, "dtype", types, 2)


def _heads(m: Memory, b: Any) -> Tuple[Any, Any]:
    return pointer(b.pointer, _KINDS[m.type]), c.pe_heads(b.groups, b.group_stride, b.row_stride)


def _again(kind: Any, first: Any, fields: Mapping[str, Any]) -> Any:
    return kind(first, **fields)


class Rope(Plan):
    """How a model rotates its heads.

    head_dim     elements of a head
    fields       of pe_rope_config, which are called as in config.json: rope_theta=500000, rope_type="llama3",
                 factor=8, original_max_position_embeddings=8192 ...; layout is "halves" (rotate_half) unless
                 it is "interleaved"
    """

    def __init__(self, head_dim: int, **fields: Any):
        self._again = copy.deepcopy((head_dim, fields))
        config = lib.pe_rope_config_default(size(head_dim, "head_dim"))
        if "sections" in fields:
            fields = {"axes": len(fields["sections"]), **fields}
        turned = size(fields.get("rotary_dim", 0), "rotary_dim") or head_dim
        pairs = (head_dim if fields.get("rope_type") in ("proportional", c.PE_ROPE_PROPORTIONAL) else turned) // 2
        self._keep = _set(config, fields, {"short_factor": pairs, "long_factor": pairs, "freq_factors": pairs,
                                           "coordinate": pairs})
        self._make(config, "pe_rope_")
        self.head_dim = int(head_dim)

    @classmethod
    def from_config(cls, model: Any, *, layer: Optional[int] = None, part: Optional[str] = None,
                    **fields: Any) -> "Rope":
        """Of a model's config.json, as a dict or the path of a file, or of a GGUF file.

        layer, part  of a model whose layers rotate in several ways: a layer, counted from 0, or a name that
                     posenc.read() gives
        fields       what the file leaves open: sequence_length= ...

        What is wrong or not understood is a ValueError that names the key.
        """
        found = chosen(model, ("rope",), part, layer).config
        return cls(**{**found, **fields})


def sincos(omega: Any, at: Positions, rows: Optional[int] = None, *, amplitude: float = 1.0,
           dtype: Any = "float32") -> Tuple[Any, Any]:
    """amplitude sin(p omega[i]) and amplitude cos(p omega[i]), [rows, pairs] each, of frequencies as they are, without a
    plan."""
    at, frequencies = At(at), column(omega, "omega", numpy.float64)
    rows, pairs = at.counted(None if rows is None else size(rows, "rows")), frequencies.size
    sines, cosines = (_new(rows, pairs, dtype, ("f32", "f64", "f16", "bf16")) for _ in range(2))
    kind = sines[1].type
    _call("pe_sincos", kind, pointer(frequencies.ctypes.data, ctypes.c_double), pairs, float(amplitude), at._at, rows,
          pointer(sines[1].pointer, _KINDS[kind]), pointer(cosines[1].pointer, _KINDS[kind]), pairs)
    return sines[0], cosines[0]


def sinusoidal(rows: int, d_model: int, *, dtype: Any = "float32") -> "numpy.ndarray[Any, Any]":
    """The table of "Attention Is All You Need", positions 0 ... rows - 1: PE(p, 2i) = sin(p w_i), PE(p, 2i + 1) =
    cos(p w_i), w_i = 10000^(-2i / d_model), each number rounded once."""
    rows, d_model = size(rows, "rows"), size(d_model, "d_model")
    if type_of(dtype_named(dtype)) == "f32":
        made = numpy.empty((rows, d_model), numpy.float32)
        checked(lib.pe_sinusoidal_f32(pointer(made.ctypes.data, ctypes.c_float), rows, d_model))
        return made
    made = Plan(d_model).fill(0, rows, dtype=dtype)
    return made
