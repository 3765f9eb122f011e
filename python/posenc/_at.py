# SPDX-License-Identifier: MIT
"""Where rows are, and the constants of the library by their names."""
from __future__ import annotations

import ctypes
from typing import Any, Optional, Sequence, Union

import numpy

from . import _declarations as c
from ._library import Error, lib, size

Positions = Union[int, range, "At", Sequence[Any], "numpy.ndarray[Any, Any]", Any]


def named(prefix: str, value: Any, argument: str) -> int:
    """The number of a constant, from its name without the prefix or from itself."""
    known = {name[len(prefix):].lower(): getattr(c, name) for name in c.CONSTANTS if name.startswith(prefix)
             and not name.startswith(("TABLE_", "TYPE_COUNT", "COUNT"), len(prefix))}
    if isinstance(value, str):
        if value not in known:
            raise ValueError(f"{argument} must be one of {', '.join(map(repr, known))}, not {value!r}")
        return int(known[value])
    return size(value, argument, 0, max(known.values()))


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
            self._at = lib.pe_from_by(int64(positions.start), int64(positions.step))
        elif hasattr(positions, "__index__") and not getattr(positions, "shape", ()):
            self._at = lib.pe_from(int64(positions))
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


def int64(value: Any) -> int:
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
