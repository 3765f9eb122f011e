# SPDX-License-Identifier: MIT
"""Positional encodings for transformers: correctly rounded, at the speed of memory, the same bits everywhere.

    posenc.sinusoidal(512, 512)                              the table of "Attention Is All You Need"
    plan = posenc.Plan(512, base=500000)                     any of pe_config's fields, by its name
    plan = posenc.Plan(512, preset="fairseq")                another project's convention
    plan.fill(range(1000, 1512))                             a new array, or out=
    plan.add(x, 1000, scale=512**0.5)                        x = scale * x + PE, in place
    rope = posenc.Rope(128, rope_theta=500000)               any of pe_rope_config's fields
    rope = posenc.Rope.from_config("config.json")            a model's; layer=3 where layers differ
    posenc.read("model.gguf")                                what a file says of positions, part by part
    rope.rotate(q, k, at=131072)                             in place, both by the same sines
    posenc.sincos(omega, range(512))                         sines and cosines of frequencies, without a plan

Arrays are numpy's, or torch's on the CPU, and results are written in place. An array is refused, and nothing is
written, if it has another type, order or alignment, is read-only, or overlaps itself.

A wrong argument raises TypeError if it is of a wrong kind or dtype, and ValueError if its value, shape or length is
wrong; the text names the argument. Error, a ValueError, has what the library itself refuses. MemoryError is raised if
there is no memory for a result, and FileNotFoundError if a model's file does not exist. A wrong argument raises no
other exception.

posenc.c has the library's structs and constants, posenc.lib its functions. docs/python.md has examples.
"""
from __future__ import annotations

import copy
import ctypes
import json
import operator
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple, Union

import numpy

from . import _declarations as c
from ._at import At, Positions, back, delta, grid, int64, named, place
from ._biases import alibi, alibi_add, alibi_slopes, bias_add, learned_add, learned_grad, resample, t5_buckets
from ._check import array, converted, empty, flag, is_scalar, members, numbers, optional, real, shown, whole
from ._library import Error, checked, lib, pointer
from ._memory import (BYTES, KINDS, Memory, axis_of, bfloat16, blocks_of, copied, dtype_named, memory_of, must_be_array,
                      overlap, type_of, written)
from ._reader import Part, chosen, read

__all__ = ["At", "Error", "Part", "Plan", "Rope", "alibi", "alibi_add", "alibi_slopes", "back", "bfloat16", "bias_add",
           "c", "delta", "grid", "isa", "learned_add", "learned_grad", "lib", "read", "resample", "sincos",
           "sinusoidal", "t5_buckets"]
__version__ = "{}.{}.{}".format(*lib.pe_version().to_bytes(3, "big"))



def isa() -> str:
    """Returns the instruction set in use: "AVX-512", "AVX2", "NEON" ... PE_ISA in the environment chooses another."""
    name: bytes = lib.pe_isa_name()
    return name.decode()


def _call(name: str, type: str, *arguments: Any) -> None:
    checked(getattr(lib, f"{name}_{type}")(*arguments))


# ---- configs ------------------------------------------------------------------------------------------------

# The prefix of the constants of a field: layout="halves" is PE_LAYOUT_HALVES.
_ENUMS = {"layout": "PE_LAYOUT_", "odd": "PE_ODD_", "exponent": "PE_EXPONENT_", "angle": "PE_ANGLE_",
          "columns": "PE_COLUMNS_", "section_order": "PE_SECTIONS_", "rope_type": "PE_ROPE_"}


def _rope_type(name: Any) -> int:
    if not isinstance(name, str):
        return named("PE_ROPE_", name, "rope_type")
    found = ctypes.c_int()
    # The library reads a name as far as its first NUL.
    if "\0" in name or lib.pe_rope_type_named(name.encode(errors="replace"), found) != c.PE_OK:
        known = ("default", "linear", "xdrope", "ntk", "dynamic", "llama3", "yarn", "longrope", "proportional")
        raise Error(c.PE_ERR_NAME, f"rope_type must be one of {', '.join(map(repr, known))}, or the name of a "
                    f"config.json, not {shown(name)}")
    return found.value


def _set(config: Any, fields: Mapping[str, Any], lengths: Mapping[str, int]) -> Dict[str, Any]:
    """Sets fields of a struct. Returns objects that must be kept as long as the struct, which points to them. Each
    number is checked, because ctypes takes a number that does not fit modulo 2^n. `lengths` has the lengths of the
    lists that the library reads through a pointer. The library also checks these lengths, but its error texts are
    constant and contain no numbers."""
    types, kept = dict(config._fields_), {}
    for name, value in fields.items():
        if name not in types:
            raise TypeError(f"{type(config).__name__} has no field {name}; it has {', '.join(types)}")
        kind = types[name]
        if name == "rope_type":
            value = _rope_type(value)
        elif name in _ENUMS:
            value = named(_ENUMS[name], value, name)
        elif name == "axis":
            pairs = [members(pair, name, 2, "pairs (width, coordinate)") for pair in _list(config, name, value)]
            if any(len(pair) != 2 for pair in pairs):
                raise ValueError(f"{name} must be pairs (width, coordinate), not {shown(value)}")
            value = kind(*[c.pe_axis(whole(width, "the width of an axis"), whole(which, "the coordinate of an axis"))
                           for width, which in pairs])
        elif hasattr(kind, "contents"):
            if value is not None:
                kept[name] = numbers(value, name, kind._type_, 1, f"a list of {lengths[name]} numbers")
                if kept[name].size != lengths[name]:
                    raise ValueError(f"{name} must be a list of {lengths[name]} numbers, not of {kept[name].size}")
                setattr(config, name + "_length", lengths[name])
                value = ctypes.cast(kept[name].ctypes.data, kind)
        elif hasattr(kind, "_length_"):
            value = kind(*[whole(n, name) for n in _list(config, name, value)])
        elif kind is ctypes.c_double:
            value = real(value, name)
        elif kind is ctypes.c_int:
            value = flag(value, name)
        elif kind is ctypes.c_int64:
            value = int64(value, name)
        else:
            value = whole(value, name)
        setattr(config, name, value)
    return kept


def _list(config: Any, name: str, value: Any) -> Tuple[Any, ...]:
    """Returns the elements of a field that is an array of the struct."""
    return members(value, name, dict(config._fields_)[name]._length_,
                   "pairs (width, coordinate)" if name == "axis" else "a list of whole numbers")


def _copy(name: str, value: Any) -> Any:
    """Returns a copy of a field, for a plan that is pickled or shown."""
    return converted(copy.deepcopy, value, name, "a value that can be copied")


def _plain(value: Any) -> Any:
    """Returns a field of a plan as JSON has it, for json.dumps. It may be an array, a tensor, a number of another type
    or a list."""
    converts: Tuple[Callable[[Any], Any], ...] = (lambda given: given.tolist(), operator.index, float, list)
    for convert in converts:
        try:
            return convert(value)
        except Exception:
            continue
    return None


# ---- plans --------------------------------------------------------------------------------------------------


class Plan:
    """A plan has the frequencies of an encoding, and serves any position.

    d_model      elements of a row
    preset       the convention of a project, such as "fairseq": PE_PRESET_ in lower case
    frequencies  numbers for the pairs, instead of those of base and exponent
    fields       of pe_config: base=500000, layout="halves", offset=2, axes=2 ...

    A plan does not change; threads may share it, and it can be pickled.
    """

    def __init__(self, d_model: int, *, preset: Union[str, int, None] = None, frequencies: Any = None,
                 base: Optional[float] = None, amplitude: Optional[float] = None, scale: Optional[float] = None,
                 half_turns: Optional[int] = None, offset: Optional[float] = None,
                 layout: Union[str, int, None] = None, cos_first: Optional[int] = None,
                 odd: Union[str, int, None] = None, exponent: Union[str, int, None] = None,
                 exponent_shift: Optional[float] = None, angle: Union[str, int, None] = None,
                 has_padding: Optional[int] = None, padding_position: Optional[int] = None,
                 multiple: Optional[int] = None, expected_rows: Optional[int] = None, axes: Optional[int] = None,
                 axis: Optional[Sequence[Tuple[int, int]]] = None, columns: Union[str, int, None] = None,
                 coordinate: Optional[Sequence[int]] = None, coordinate_length: Optional[int] = None):
        fields = {name: value for name, value in locals().items()
                  if name not in ("self", "d_model", "preset", "frequencies") and value is not None}
        d_model = whole(d_model, "d_model")
        config = (lib.pe_config_default(d_model) if preset is None else
                  lib.pe_config_preset(named("PE_PRESET_", preset, "preset"), d_model))
        if "axis" in fields:
            fields["axis"] = _list(config, "axis", fields["axis"])
        given = {"preset": preset, "frequencies": frequencies, **fields}
        self._remember(d_model, given)
        if "axis" in fields:
            fields = {"axes": len(fields["axis"]), **fields}
        self._keep: Any = _set(config, fields, {"coordinate": (d_model + 1) // 2})
        self._make(config, "pe_", frequencies)
        self.head_dim = self.d_model

    @classmethod
    def from_config(cls, model: Any, *, layer: Optional[int] = None, part: Optional[str] = None,
                    **fields: Any) -> "Plan":
        """Makes the sinusoidal encoding of a model from its config.json, a dict or the path of a file."""
        return cls(**{**chosen(model, ("sinusoidal",), part, layer).config, **fields})

    def _make(self, config: Any, prefix: str, frequencies: Any = None) -> None:
        wrong = getattr(lib, f"{prefix}config_error")(config)
        checked(c.PE_ERR_CONFIG if wrong else c.PE_OK, wrong)
        room = getattr(lib, f"{prefix}plan_size")(config)
        memory, plan = _room(room), c.pe_plan()
        if frequencies is None:
            checked(getattr(lib, f"{prefix}plan_init")(plan, config, memory, room))
        else:
            # The library reads one number per pair, or, if the columns are sums, one number per pair and axis.
            sums = (config.axes,) if config.axes > 1 and config.columns == c.PE_COLUMNS_SUMS else ()
            allowed = f"numbers [pairs{', axes' if sums else ''}] for axes={config.axes} and these columns"
            omega = numbers(frequencies, "frequencies", numpy.float64, 1 + len(sums), allowed)
            if omega.shape[1:] != sums:
                raise ValueError(f"frequencies must be {allowed}, not {list(omega.shape)}")
            at, index = pointer(omega.ctypes.data, ctypes.c_double), ctypes.c_size_t()
            status = lib.pe_plan_init_frequencies(plan, config, at, omega.shape[0], memory, room)
            wrong = lib.pe_frequency_error(config, at, omega.size, index) if status == c.PE_ERR_FREQUENCY else None
            checked(status, wrong and b"frequencies, number %d: %s" % (index.value, wrong))
        self._plan, self._keep = plan, (self._keep, memory)
        # What the plan is made of, as JSON: posenc.torch makes the plan again from it. It is written last, because JSON
        # cannot hold every value that a wrong argument may have.
        self._text = json.dumps([isinstance(self, Rope), *self._again], default=_plain)

    def _remember(self, width: int, fields: Dict[str, Any]) -> None:
        """Keeps copies of the plan's arguments, for pickles, repr and _text. They have not been checked yet."""
        self._again: Tuple[int, Dict[str, Any]] = width, {name: _copy(name, value) for name, value in fields.items()}

    def __reduce__(self) -> Any:
        return _again, (type(self), *self._again)

    def __repr__(self) -> str:
        given = "".join(f", {name}={value!r}" for name, value in self._again[1].items() if value is not None)
        return f"posenc.{type(self).__name__}({self._again[0]}{given})"

    @property
    def d_model(self) -> int:
        """The number of elements of a row; in RoPE, the number of elements of a head that rotate."""
        return int(self._plan.d_model)

    def _doubles(self, name: str) -> "numpy.ndarray[Any, Any]":
        made = empty((self._plan.pairs,), numpy.float64, "frequencies")
        checked(getattr(lib, name)(self._plan, pointer(made.ctypes.data, ctypes.c_double)))
        return made

    def frequencies(self) -> "numpy.ndarray[Any, Any]":
        """Returns the frequency of each pair, in radians per position, correctly rounded."""
        return self._doubles("pe_plan_frequencies")

    def wavelengths(self) -> "numpy.ndarray[Any, Any]":
        """Returns the wavelength of each pair: the number of positions per full rotation."""
        return self._doubles("pe_plan_wavelengths")

    def fill(self, at: Positions = 0, rows: Optional[int] = None, *, dtype: Any = "float32", out: Any = None) -> Any:
        """Returns the rows of these positions, in a new array [rows, d_model] or in out.

        dtype    float32, float64, float16 or bfloat16 (posenc.bfloat16, or that of ml_dtypes)
        """
        at, types = place(at, "at"), ("f32", "f64", "f16", "bf16")
        rows = optional(whole, rows, "rows")
        if out is None:
            out, memory = _new(at.counted(rows), self.d_model, dtype, types, "at and rows")
        else:
            memory = memory_of(out, "out", types, 2)
            if len(memory.shape) != 2 or rows is not None and memory.shape[0] != rows:
                raise ValueError(f"out must be [rows, d_model], [{'any' if rows is None else rows}, {self.d_model}], not "
                                 f"{list(memory.shape)}")
        at.counted(memory.shape[0], "out")
        for b in blocks_of(memory, 0, self.d_model, "out"):
            _call("pe_fill", memory.type, self._plan, at._at, b.rows, pointer(b.pointer, KINDS[memory.type]),
                  b.row_stride)
        written(out)
        return out

    def add(self, x: Any, at: Positions = 0, *, scale: float = 1.0, axis: int = -2, batch: Optional[int] = None) -> Any:
        """Computes x = scale * x + PE in place, for x [..., rows, d_model]. Every batch gets the same rows. Returns x.

        axis     the axis of the positions; 0 for [rows, batch, d_model]
        batch    an axis of x. `at` is then [batches, rows], a list of positions for each index along this axis
        """
        if batch is not None:
            return _each(self.add, (x,), "x", at, axis, batch, scale=scale)[0]
        at, memory = place(at, "at"), memory_of(x, "x", ("f32", "f64", "f16", "bf16"), 2)
        blocks, factor = blocks_of(memory, axis, self.d_model, "x"), real(scale, "scale")
        at.counted(memory.shape[axis], f"x along axis={axis}")
        for b in blocks:
            _call("pe_add_batch", memory.type, self._plan, at._at, b.rows, b.groups, factor,
                  pointer(b.pointer, KINDS[memory.type]), b.row_stride, b.group_stride)
        written(x)
        return x

    def shift(self, x: Any, by: Positions, *, axis: int = -2) -> Any:
        """Shifts rows of PE, [..., rows, d_model], in place to other positions: PE(p) becomes PE(p + by). Returns x.

        by       a number for all rows, or one for each row
        """
        memory = memory_of(x, "x", ("f32", "f64", "f16", "bf16"), 2)
        at = At(0)._with(lib.pe_all(int64(by, "by"))) if is_scalar(by) else place(by, "by")
        blocks = blocks_of(memory, axis, self.d_model, "x")
        at.counted(memory.shape[axis], f"x along axis={axis}")
        for b in blocks:
            for g in range(b.groups):
                to = b.pointer + g * b.group_stride * BYTES[memory.type]
                _call("pe_shift", memory.type, self._plan, at._at, b.rows, pointer(to, KINDS[memory.type]),
                      b.row_stride)
        written(x)
        return x

    def dot(self, distances: Positions, count: Optional[int] = None) -> "numpy.ndarray[Any, Any]":
        """Returns the dot products of two rows at each distance k, amplitude^2 * sum of cos(k w_i), as float64
        [count]."""
        at = place(distances, "distances")
        made = empty((at.counted(optional(whole, count, "count"), "count"),), numpy.float64, "distances and count")
        checked(lib.pe_dot_f64(self._plan, at._at, made.size, pointer(made.ctypes.data, ctypes.c_double)))
        return made

    def rotate(self, q: Any, k: Any = None, *, at: Positions = 0, axis: int = -2, batch: Optional[int] = None,
               out: Any = None) -> Any:
        """Applies RoPE: rotates the heads of q, and of k, by the same positions, in place or into `out`. Returns out if
        it is given.

        q, k     [..., tokens, head_dim], with the same number of tokens; the other axes are heads and batches
        axis     the axis of the tokens; -3 for [tokens, heads, head_dim]
        batch    an axis of q and k. `at` is then [batches, tokens], a list of positions for each index along this axis
        out      an array of q's shape and dtype, or two, for q and k. q and k then stay as they are, and any of these
                 arrays may overlap
        """
        if out is not None:
            if k is None and isinstance(out, (tuple, list)):
                raise TypeError("out must be one array, for q, if k is None")
            targets = (out,) if k is None else members(out, "out", 2, "two arrays, for q and k")
            if len(targets) != (1 if k is None else 2):
                raise ValueError(f"out must be two arrays, for q and k, not {len(targets)}")
            pairs = list(zip((q, k), targets))
            for (x, to), name in zip(pairs, ("q", "k")):
                memory_of(to, f"out for {name}", ("f32", "f16", "bf16"), 2)
                if type(x) is not type(to) or x.dtype != to.dtype or x.shape != to.shape:
                    raise ValueError(f"out for {name} must be like {name}, {shown(x)}, not {shown(to)}"
                                     f"{'' if k is None else '; out is two arrays if k is given'}")
            # Copies are rotated, so that nothing is written if the library refuses the call.
            copies = [copied(x, name) for (x, _), name in zip(pairs, ("q", "k"))]
            self.rotate(*copies, at=at, axis=axis, batch=batch)
            for (_, to), x in zip(pairs, copies):
                to[...] = x
            return out
        if batch is not None:
            _each(self.rotate, (q,) if k is None else (q, k), "qk", at, axis, batch)
            return None
        at, arrays = place(at, "at"), []
        for x, name in ((q, "q"), (k, "k"))[:1 if k is None else 2]:
            memory = memory_of(x, name, ("f32", "f16", "bf16"), 2)
            arrays.append((x, memory, blocks_of(memory, axis, self.head_dim, name)))
            if memory.shape[axis] != arrays[0][1].shape[axis]:
                raise ValueError(f"q has {arrays[0][1].shape[axis]} tokens, k has {memory.shape[axis]}: they must have "
                                 "as many as each other")
            at.counted(memory.shape[axis], f"{name} along axis={axis}")
        (_, m, mine), (_, other, others) = arrays[0], arrays[-1]
        if k is not None and len(mine) == len(others) == 1 and m.type == other.type and not overlap(m, other):
            _call("pe_rope_qk", m.type, self._plan, at._at, mine[0].rows, *_heads(m, mine[0]),
                  *_heads(other, others[0]))
        else:
            for _, m, blocks in arrays:
                for b in blocks:
                    _call("pe_rope", m.type, self._plan, at._at, b.rows, *_heads(m, b))
        for x, _, _ in arrays:
            written(x)
        return None

    def table(self, at: Positions, rows: Optional[int] = None, *, layout: Union[str, int] = "apart",
              dtype: Any = "float32", out: Any = None) -> Any:
        """Returns cosines and sines for code that rotates by itself.

        layout   two arrays: "apart" [rows, pairs] or "twice" [rows, 2 pairs]; or one array: "joined" or "complex"
                 [rows, 2 pairs], or "matrix" [rows, 4 pairs]
        out      two contiguous arrays, or one, of these shapes instead of new ones
        """
        at, which = place(at, "at"), named("PE_ROPE_TABLE_", layout, "layout")
        arrays, width = {c.PE_ROPE_TABLE_APART: (2, 1), c.PE_ROPE_TABLE_TWICE: (2, 2), c.PE_ROPE_TABLE_JOINED: (1, 2),
                         c.PE_ROPE_TABLE_COMPLEX: (1, 2), c.PE_ROPE_TABLE_MATRIX: (1, 4)}[which]
        width *= int(self._plan.pairs)
        types = ("f32", "f16", "bf16")
        if out is None:
            rows = at.counted(optional(whole, rows, "rows"))
            made = [_new(rows, width, dtype, types, "at and rows") for _ in range(arrays)]
        else:
            allowed = f"{'two arrays' if arrays == 2 else 'one array'} for layout={layout!r}"
            if arrays == 1 and isinstance(out, (tuple, list)):
                raise TypeError(f"out must be {allowed}, not {shown(out)}")
            given = members(out, "out", 2, allowed) if arrays == 2 else (out,)
            made = [(x, memory_of(x, "out", types, 2)) for x in given]
            if len(made) != arrays:
                raise ValueError(f"out must be {allowed}, not {len(made)}")
            if rows is not None and whole(rows, "rows") != made[0][1].shape[0]:
                raise ValueError(f"out has {made[0][1].shape[0]} rows, and rows is {rows}")
            rows = at.counted(made[0][1].shape[0], "out")
            if any(m.shape != (rows, width) or m.type != made[0][1].type or
                                           rows > 1 and m.strides[0] != width for _, m in made):
                shapes = " and ".join(f"{x.dtype} {list(m.shape)}" for x, m in made)
                raise ValueError(f"out must be {allowed}, [{rows}, {width}], contiguous and of one dtype, not {shapes}")
            if arrays == 2 and overlap(made[0][1], made[1][1]):
                raise ValueError("the arrays of out may not overlap")
        memory = made[0][1]
        both = [pointer(m.pointer, KINDS[memory.type]) for _, m in made] + [None]
        _call("pe_rope_table", memory.type, self._plan, at._at, rows, which, both[0], both[1], width, None)
        for x, _ in made:
            written(x)
        return made[0][0] if len(made) == 1 else (made[0][0], made[1][0])


def _each(call: Any, arrays: Sequence[Any], names: str, at: Any, axis: int, batch: int, **more: Any) -> Sequence[Any]:
    """Makes the call for each index along the axis `batch`, each with its own positions. Nothing is written if one of
    the calls is refused. `names` has one letter for each array."""
    axis, batch = whole(axis, "axis", None, None), whole(batch, "batch", None, None)
    given = array(at, "at", "[batches, rows], a list of positions for each batch")
    for x, name in zip(arrays, names):
        must_be_array(x, name)
        axes = len(x.shape)
        at_axis = axis_of(axes, axis, name)
        if not -axes <= batch < axes or batch % axes == at_axis or batch % axes == axes - 1:
            raise ValueError(f"batch={shown(batch)} is no axis of {name}, {list(x.shape)}, beside axis={shown(axis)}, "
                             "that of the positions, and the last one")
        wanted = (x.shape[batch], x.shape[at_axis])
        if given.ndim < 2 or given.shape[:2] != wanted:
            raise ValueError(f"at must be [batches, rows], {list(wanted)} for batch={shown(batch)} and axis={shown(axis)} of "
                             f"{name}, not {list(given.shape)}")
    copies = [copied(x, name) for x, name in zip(arrays, names)]
    for n, positions in enumerate(given):
        call(*(x[(slice(None),) * (batch % len(x.shape)) + (slice(n, n + 1),)] for x in copies), at=positions,
             axis=axis, **more)
    for x, name in zip(arrays, names):
        memory = memory_of(x, name, ("f32", "f64", "f16", "bf16"), 2)
        blocks_of(memory, axis, memory.shape[-1], name)
    for x, changed in zip(arrays, copies):
        x[...] = changed
    return arrays


def _room(bytes: int) -> Any:
    """Allocates memory for a plan."""
    try:
        return ctypes.create_string_buffer(bytes)
    except (MemoryError, OverflowError) as error:
        raise MemoryError(f"there is no memory for a plan of {bytes} bytes") from error


def _new(rows: int, width: int, dtype: Any, types: Sequence[str], names: str) -> Tuple[Any, Memory]:
    made = empty((rows, width), dtype_named(dtype), names)
    return made, memory_of(made, "dtype", types, 2)


def _heads(m: Memory, b: Any) -> Tuple[Any, Any]:
    return pointer(b.pointer, KINDS[m.type]), c.pe_heads(b.groups, b.group_stride, b.row_stride)


def _again(kind: Any, first: Any, fields: Mapping[str, Any]) -> Any:
    return kind(first, **fields)


class Rope(Plan):
    """A Rope rotates the heads of a model.

    head_dim     the number of elements of a head
    fields       those of pe_rope_config, with the names that config.json has: rope_theta=500000, rope_type="llama3",
                 factor=8, original_max_position_embeddings=8192 ... The layout is "halves" (rotate_half) by default, or
                 "interleaved"
    """

    def __init__(self, head_dim: int, *, rotary_dim: Optional[int] = None, rope_theta: Optional[float] = None,
                 rope_type: Union[str, int, None] = None, factor: Optional[float] = None,
                 original_max_position_embeddings: Optional[int] = None,
                 max_position_embeddings: Optional[int] = None, sequence_length: Optional[int] = None,
                 low_freq_factor: Optional[float] = None, high_freq_factor: Optional[float] = None,
                 beta_fast: Optional[float] = None, beta_slow: Optional[float] = None,
                 extrapolation_factor: Optional[float] = None, truncate: Optional[int] = None,
                 mscale: Optional[float] = None, mscale_all_dim: Optional[float] = None,
                 attention_factor: Optional[float] = None, short_mscale: Optional[float] = None,
                 long_mscale: Optional[float] = None, short_factor: Optional[Sequence[float]] = None,
                 long_factor: Optional[Sequence[float]] = None, freq_factors: Optional[Sequence[float]] = None,
                 layout: Union[str, int, None] = None, rope_interleave: Optional[int] = None,
                 axes: Optional[int] = None, sections: Optional[Sequence[int]] = None,
                 section_order: Union[str, int, None] = None, offset: Optional[float] = None,
                 angle: Union[str, int, None] = None, expected_rows: Optional[int] = None,
                 rotary_offset: Optional[int] = None, coordinate: Optional[Sequence[int]] = None,
                 short_factor_length: Optional[int] = None, long_factor_length: Optional[int] = None,
                 freq_factors_length: Optional[int] = None, coordinate_length: Optional[int] = None):
        fields = {name: value for name, value in locals().items()
                  if name not in ("self", "head_dim", "__class__") and value is not None}
        head_dim = whole(head_dim, "head_dim")
        config = lib.pe_rope_config_default(head_dim)
        if "sections" in fields:
            fields["sections"] = _list(config, "sections", fields["sections"])
        self._remember(head_dim, fields)
        if "sections" in fields:
            fields = {"axes": len(fields["sections"]), **fields}
        turned = whole(fields.get("rotary_dim", 0), "rotary_dim") or head_dim
        is_proportional = rope_type is not None and _rope_type(rope_type) == c.PE_ROPE_PROPORTIONAL
        pairs = (head_dim if is_proportional else turned) // 2
        self._keep = _set(config, fields, {"short_factor": pairs, "long_factor": pairs, "freq_factors": pairs,
                                           "coordinate": pairs})
        self._make(config, "pe_rope_")
        self.head_dim = head_dim

    @classmethod
    def from_config(cls, model: Any, *, layer: Optional[int] = None, part: Optional[str] = None,
                    **fields: Any) -> "Rope":
        """Makes the Rope of a model from its config.json, a dict or the path of a file, or from a GGUF file.

        layer, part  needed if the model's layers rotate in several ways: a layer, counted from 0, or the name of a part
                     that posenc.read() returns
        fields       fields that the file does not have, such as sequence_length=

        If a key is wrong or not understood, a ValueError names it.
        """
        found = chosen(model, ("rope",), part, layer).config
        return cls(**{**found, **fields})


def sincos(omega: Any, at: Positions, rows: Optional[int] = None, *, amplitude: float = 1.0,
           dtype: Any = "float32") -> Tuple[Any, Any]:
    """Returns amplitude * sin(p omega[i]) and amplitude * cos(p omega[i]), [rows, pairs] each, for the given
    frequencies and without a plan."""
    at, frequencies = place(at, "at"), numbers(omega, "omega", numpy.float64, 1, "a list of numbers")
    rows, pairs, factor = at.counted(optional(whole, rows, "rows")), frequencies.size, real(amplitude, "amplitude")
    sines, cosines = (_new(rows, pairs, dtype, ("f32", "f64", "f16", "bf16"), "at and rows") for _ in range(2))
    kind = sines[1].type
    _call("pe_sincos", kind, pointer(frequencies.ctypes.data, ctypes.c_double), pairs, factor, at._at, rows,
          pointer(sines[1].pointer, KINDS[kind]), pointer(cosines[1].pointer, KINDS[kind]), pairs)
    return sines[0], cosines[0]


def sinusoidal(rows: int, d_model: int, *, dtype: Any = "float32") -> "numpy.ndarray[Any, Any]":
    """Returns the table of "Attention Is All You Need" for the positions 0 ... rows - 1: PE(p, 2i) = sin(p w_i) and
    PE(p, 2i + 1) = cos(p w_i), with w_i = 10000^(-2i / d_model). Each number is rounded once."""
    rows, d_model = whole(rows, "rows"), whole(d_model, "d_model")
    if type_of(dtype_named(dtype)) == "f32":
        made = empty((rows, d_model), numpy.float32, "rows and d_model")
        checked(lib.pe_sinusoidal_f32(pointer(made.ctypes.data, ctypes.c_float), rows, d_model))
        return made
    table: "numpy.ndarray[Any, Any]" = Plan(d_model).fill(0, rows, dtype=dtype)
    return table
