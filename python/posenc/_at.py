# SPDX-License-Identifier: MIT
"""Converts positions to the library's pe_at, and names of constants to their numbers."""
from __future__ import annotations

import ctypes
from typing import Any, Optional, Sequence, Union

import numpy

from . import _declarations as c
from ._check import array, is_scalar, shown, whole
from ._library import Error, lib

Positions = Union[int, range, "At", Sequence[Any], "numpy.ndarray[Any, Any]", Any]


def named(prefix: str, value: Any, argument: str) -> int:
    """Returns the number of a constant, which is given by its name without the prefix, or as the number."""
    known = {name[len(prefix):].lower(): getattr(c, name) for name in c.CONSTANTS if name.startswith(prefix)
             and not name.startswith(("TABLE_", "TYPE_COUNT", "COUNT"), len(prefix))}
    if isinstance(value, str):
        if value not in known:
            raise ValueError(f"{argument} must be one of {', '.join(map(repr, known))}, not {shown(value)}")
        return int(known[value])
    if not is_scalar(value):
        raise TypeError(f"{argument} must be one of {', '.join(map(repr, known))}, not {shown(value)}")
    return whole(value, argument, 0, max(known.values()))


class At:
    """An At has the positions of rows. It is made from a number p, which stands for p, p + 1 ..., a range, an array of
    positions, or an array of points [rows, axes]. Arrays have whole or real numbers, which are copied. len() is the
    number of rows; an At of a number has no length."""

    def __init__(self, positions: Positions):
        self._read(positions, "positions")

    def _read(self, positions: Positions, name: str) -> None:
        self.rows: Optional[int] = None
        self._name = name  # of the argument, for the texts of errors
        self._keep: Any = None
        self._at: Any
        if isinstance(positions, At):
            self.rows, self._keep, self._at = positions.rows, positions._keep, positions._at
        elif isinstance(positions, range):
            self._at = lib.pe_from_by(int64(positions.start, name), int64(positions.step, name))
            # len() would raise OverflowError for 2^63 positions and more.
            rows = max(0, -((positions.start - positions.stop) // positions.step))
            if rows:
                int64(positions[-1], name)
            self.rows = whole(rows, f"the number of positions of {name}")
        elif is_scalar(positions):
            self._at = lib.pe_from(int64(positions, name))
        else:
            self._list(positions)

    def _list(self, positions: Any) -> None:
        name, allowed = self._name, "a whole number, a range, or numbers [rows] or [rows, axes]"
        given = array(positions, name, allowed)
        kind = {"i": "i4" if given.dtype.itemsize <= 4 else "i8", "u": "i4" if given.dtype.itemsize <= 2 else "i8",
                "f": "f4" if given.dtype.itemsize <= 4 else "f8"}.get("i" if given.size == 0 else given.dtype.kind)
        if kind is None or given.ndim not in (1, 2) or given.dtype.itemsize > 8:
            raise TypeError(f"{name} must be {allowed}, not {given.dtype} {list(given.shape)}")
        if given.dtype.kind == "u" and given.size and given.max() > 2**62:
            raise _out_of_range(name, int(given.max()))
        axes = 1 if given.ndim == 1 else whole(given.shape[1], f"the number of axes of {name}", 1, c.PE_MAX_AXES)
        self._keep = (numpy.array(given, dtype=kind, order="C", copy=True) if given.size else
                      numpy.empty(given.shape, kind))
        self.rows = given.shape[0]
        make = getattr(lib, f"pe_coords_{kind[0]}{8 * int(kind[1])}")
        self._at = make(ctypes.cast(self._keep.ctypes.data, make.argtypes[0]), axes, axes, 1)

    def __len__(self) -> int:
        if self.rows is None:
            raise TypeError(f"rows is missing: {self._name} is the position of the first row alone, and does not say "
                            "how many there are; give a range or a list, or the number of rows where a call has it")
        return self.rows

    def _with(self, at: Any) -> "At":
        made = At(self)
        made._at = at
        return made

    def counted(self, rows: Optional[int], of: str = "") -> int:
        """Returns the number of rows of a call: `rows`, or all positions if it is None. Raises ValueError if there are
        more or fewer positions than rows. `of` names the argument that has the rows."""
        if rows is None:
            return len(self)
        if self.rows is not None and self.rows != rows:
            raise ValueError(f"{self._name} has {self.rows} positions for {rows} rows{of and f' of {of}'}")
        return rows


def place(positions: Positions, name: str) -> At:
    """Returns the At of the argument of this name."""
    made = At.__new__(At)
    made._read(positions, name)
    return made


def _out_of_range(name: str, number: int) -> Error:
    return Error(c.PE_ERR_RANGE, f"{name} has {shown(number)}: {lib.pe_status_string(c.PE_ERR_RANGE).decode()}")


def int64(value: Any, name: str) -> int:
    """Returns a position that fits into int64. A larger one is refused as the library refuses one out of its range."""
    number = whole(value, name, None, None)
    if not -(2**63) <= number < 2**63:
        raise _out_of_range(name, number)
    return number


def grid(*sizes: int) -> At:
    """Returns the cells of a grid. Coordinate k runs from 0 to sizes[k] - 1, and the last coordinate runs fastest."""
    whole(len(sizes), "the number of axes in sizes", 1, c.PE_MAX_AXES)
    each = [whole(n, f"sizes[{k}]") for k, n in enumerate(sizes)]
    made, cells = At(0), 1
    for n in each:
        cells *= n
    made.rows = whole(cells, "the number of cells, the product of sizes,")
    return made._with(lib.pe_grid((ctypes.c_size_t * len(each))(*each), len(each)))


def back(at: Positions) -> At:
    """Returns the opposite rotation. This is RoPE's gradient, and its inverse if the amplitude is 1."""
    at = place(at, "at")
    return at._with(lib.pe_back(at._at))


def delta(at: Positions) -> At:
    """Marks positions as differences of positions, for keys that are already rotated. The plan's offset and amplitude
    are then not applied."""
    at = place(at, "at")
    return at._with(lib.pe_delta(at._at))
