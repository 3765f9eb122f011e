# SPDX-License-Identifier: MIT
"""Encodings that are added to attention scores or to activations: ALiBi, T5's buckets, learned tables."""
from __future__ import annotations

import ctypes
from typing import Any, Optional, Tuple, Union

import numpy

from . import _declarations as c
from ._at import At, Positions, named, place
from ._check import array, empty, flag, numbers, real, whole
from ._library import checked, lib, pointer
from ._memory import BYTES, KINDS, Block, Memory, blocks_of, copied, dtype_named, memory_of, overlap, type_of, written

_TYPES = ("f32", "f16", "bf16")


def _scores(x: Any, name: str, heads: int, queries: int, keys: int, others: str) -> Tuple[Memory, Block]:
    """Returns the memory of scores [heads, queries, keys], and the block that one call of the library writes. `others`
    names the arguments that give this shape."""
    memory = memory_of(x, name, _TYPES, 3)
    if memory.shape != (heads, queries, keys):
        raise ValueError(f"{name} must be [heads, queries, keys], {[heads, queries, keys]} as {others} say, not "
                         f"{list(memory.shape)}")
    blocks = blocks_of(memory, 1, keys, name)
    return memory, blocks[0] if blocks else Block(memory.pointer, 0, keys, 0, keys)


def _places(queries: Positions, keys: Positions, shape: Optional[Tuple[int, ...]], of: str = ""
            ) -> Tuple[At, At, int, int]:
    """Returns the positions of queries and keys, and the number of each, which the scores' shape gives if there is
    one."""
    q, k = place(queries, "queries"), place(keys, "keys")
    if shape is None:
        return q, k, len(q), len(k)
    return q, k, q.counted(shape[1], of), k.counted(shape[2], of)


def alibi_slopes(heads: int, *, max_bias: float = 8.0) -> "numpy.ndarray[Any, Any]":
    """Returns ALiBi's slopes, float32 [heads], correctly rounded. Let n be the largest power of two that is at most
    heads. The slope of head h is 2^(-max_bias (h + 1) / n) if h < n, else 2^(-max_bias (2 (h - n) + 1) / (2n))."""
    made = empty((whole(heads, "heads", 0, 2**28),), numpy.float32, "heads")
    checked(lib.pe_alibi_slopes_f32(made.size, real(max_bias, "max_bias"), pointer(made.ctypes.data, ctypes.c_float)))
    return made


def alibi(slopes: Any, queries: Positions, keys: Positions, *, mode: Union[str, int] = "linear",
          dtype: Any = "float32", out: Any = None) -> Any:
    """Returns ALiBi's bias, [heads, queries, keys]: -slope * (position of the query - position of the key), rounded
    once.

    slopes    a number per head, such as alibi_slopes(heads)
    queries, keys   their positions: ranges or lists of whole numbers; with out, the first position is enough
    mode      "linear", "causal" (-infinity for keys after the query) or "symmetric" (-slope |distance|)
    dtype     the dtype of a new array: float32, float16 or bfloat16
    out       an array of that shape instead of a new one
    """
    slope = numbers(slopes, "slopes", numpy.float32, 1, "a list of numbers, one per head")
    shape = None if out is None else memory_of(out, "out", _TYPES, 3).shape
    q, k, rows, n = _places(queries, keys, shape, "out")
    if out is None:
        kind = dtype_named(dtype)
        if type_of(kind) not in _TYPES:
            raise TypeError(f"dtype must be float32, float16 or bfloat16, not {kind}")
        out = empty((slope.size, rows, n), kind, "slopes, queries and keys")
    _alibi("pe_alibi_fill", slope, q, k, rows, n, mode, out, "out")
    return out


def alibi_add(scores: Any, slopes: Any, queries: Positions = 0, keys: Positions = 0, *,
              mode: Union[str, int] = "linear") -> Any:
    """Adds ALiBi's bias to scores [heads, queries, keys] in place, and returns scores. The other arguments are those of
    alibi()."""
    slope = numbers(slopes, "slopes", numpy.float32, 1, "a list of numbers, one per head")
    q, k, rows, n = _places(queries, keys, memory_of(scores, "scores", _TYPES, 3).shape, "scores")
    _alibi("pe_alibi_add", slope, q, k, rows, n, mode, scores, "scores")
    return scores


def _alibi(call: str, slope: Any, q: At, k: At, rows: int, n: int, mode: Union[str, int], x: Any, name: str) -> None:
    which = named("PE_ALIBI_", mode, "mode")
    m, b = _scores(x, name, slope.size, rows, n, "slopes, queries and keys")
    checked(getattr(lib, f"{call}_{m.type}")(pointer(slope.ctypes.data, ctypes.c_float), slope.size, which, q._at, rows,
                                             k._at, n, pointer(b.pointer, KINDS[m.type]), b.row_stride, b.group_stride))
    written(x)


def t5_buckets(queries: Positions, keys: Positions, *, buckets: int = 32, max_distance: int = 128,
               bidirectional: bool = True) -> "numpy.ndarray[Any, Any]":
    """Returns T5's buckets of the distances, int32 [queries, keys]. buckets and max_distance are called
    relative_attention_num_buckets and relative_attention_max_distance in a config. Encoders are bidirectional. The
    floor is taken of the exact number."""
    q, k, rows, n = _places(queries, keys, None)
    made = empty((rows, n), numpy.int32, "queries and keys")
    checked(lib.pe_bias_t5_i32(whole(buckets, "buckets"), whole(max_distance, "max_distance"),
                               flag(bidirectional, "bidirectional"), q._at, rows, k._at, n, pointer(made.ctypes.data, ctypes.c_int32)))
    return made


def bias_add(scores: Any, table: Any, index: Any) -> Any:
    """Computes scores[h, q, k] += table[index[q, k], h] in place: learned biases of T5, Swin and BEiT. Returns scores.

    scores    [heads, queries, keys], float32, float16 or bfloat16
    table     float32 [entries, heads]
    index     whole numbers [queries, keys], for example from t5_buckets()
    """
    bias = numbers(table, "table", numpy.float32, 2, "numbers [entries, heads]")
    entry = _whole(index, "index", 2)
    rows, n = entry.shape
    m, b = _scores(scores, "scores", bias.shape[1], rows, n, "table and index")
    checked(getattr(lib, f"pe_bias_add_{m.type}")(
        pointer(bias.ctypes.data, ctypes.c_float), *bias.shape, pointer(entry.ctypes.data, ctypes.c_int32), rows, n,
        pointer(b.pointer, KINDS[m.type]), b.row_stride, b.group_stride))
    written(scores)
    return scores


def _whole(values: Any, name: str, axes: int) -> "numpy.ndarray[Any, Any]":
    given = array(values, name, f"whole numbers with {axes} axes")
    if given.ndim != axes or given.dtype.kind not in "iu":
        raise ValueError(f"{name} must be whole numbers with {axes} axes, not {given.dtype} {list(given.shape)}")
    made: "numpy.ndarray[Any, Any]" = given.astype(numpy.int32, order="C", copy=True)
    if (made != given).any():
        raise ValueError(f"{name} has a number beyond int32")
    return made


def learned_add(x: Any, table: Any, at: Positions = 0, *, axis: int = -2) -> Any:
    """Computes x += table[position] in place, for x [..., rows, d_model]. Every batch gets the same rows. Returns x.

    table     [table_rows, d_model], of the dtype of x; a position without a row in it is an error
    axis      the axis of the positions
    """
    at, m = place(at, "at"), memory_of(x, "x", _TYPES, 2)
    is_read_only = isinstance(table, numpy.ndarray) and not numpy.asarray(table).flags.writeable
    t = memory_of(copied(table, "table") if is_read_only else table, "table", _TYPES, 2)
    if t.type != m.type or len(t.shape) != 2 or t.shape[1] != m.shape[-1] or t.strides[0] != t.shape[1] != 0:
        raise ValueError(f"table must be [rows, {m.shape[-1]}], contiguous and of the dtype of x, not "
                         f"{table.dtype} {list(t.shape)}")
    if overlap(m, t):
        raise ValueError("x and table may not overlap")
    blocks = blocks_of(m, axis, t.shape[1], "x")
    at.counted(m.shape[axis], f"x along axis={axis}")
    for b in blocks:
        for g in range(b.groups):
            to = b.pointer + g * b.group_stride * BYTES[m.type]
            checked(getattr(lib, f"pe_learned_add_{m.type}")(
                pointer(t.pointer, KINDS[m.type]), t.shape[0], t.shape[1], at._at, b.rows, pointer(to, KINDS[m.type]),
                b.row_stride))
    written(x)
    return x


def learned_grad(grad_table: Any, grad_x: Any, at: Positions = 0) -> Any:
    """Computes grad_table[position of row r] += grad_x[r] in the order of the rows, so that the sums are the same in
    every run. Returns grad_table.

    grad_table   float32 [table_rows, d_model]
    grad_x       float32 [rows, d_model]
    """
    at, t, g = place(at, "at"), memory_of(grad_table, "grad_table", ("f32",), 2), memory_of(grad_x, "grad_x", ("f32",), 2)
    if len(t.shape) != 2 or t.strides[0] != t.shape[1] != 0:
        raise ValueError(f"grad_table must be [rows, d_model] and contiguous, not {list(t.shape)}")
    if len(g.shape) != 2 or g.shape[1] != t.shape[1] or g.shape[0] > 1 and g.strides[0] < g.shape[1]:
        raise ValueError(f"grad_x must be [rows, {t.shape[1]}] as grad_table has it, not {list(g.shape)}")
    if overlap(t, g):
        raise ValueError("grad_table and grad_x may not overlap")
    checked(lib.pe_learned_grad_f32(pointer(t.pointer, ctypes.c_float), *t.shape, at._at, at.counted(g.shape[0], "grad_x"),
                                    pointer(g.pointer, ctypes.c_float), max(g.strides[0], g.shape[1])))
    written(grad_table)
    return grad_table


def resample(table: Any, height: int, width: int, *, method: Union[str, int] = "cubic", a: float = -0.75,
             align_corners: bool = False, antialias: bool = False, scale_y: float = 0, scale_x: float = 0
             ) -> "numpy.ndarray[Any, Any]":
    """Resamples the learned table of a grid, [rows, columns, d_model], to float32 [height, width, d_model], as
    torch.nn.functional.interpolate does. The method is "cubic" or "linear". `a` is the parameter of "cubic", which in
    torch is -0.75, or -0.5 with antialias."""
    given = numbers(table, "table", numpy.float32, 3, "[rows, columns, d_model]")
    made = empty((whole(height, "height", 0, 2**31), whole(width, "width", 0, 2**31), given.shape[2]), numpy.float32,
                 "height, width and table")
    how = c.pe_resample(named("PE_RESAMPLE_", method, "method"), real(a, "a"), flag(align_corners, "align_corners"),
                        flag(antialias, "antialias"), real(scale_y, "scale_y"), real(scale_x, "scale_x"))
    checked(lib.pe_learned_resample_f32(pointer(given.ctypes.data, ctypes.c_float), *given.shape, how,
                                        pointer(made.ctypes.data, ctypes.c_float), *made.shape[:2]))
    return made
