# SPDX-License-Identifier: MIT
"""Holds what posenc.torch needs of a plan, as integers and numbers, and makes plans from the text that stands for them.

A plan's text is the JSON of its arguments, Plan._text. A torch op gets this text as a tensor of bytes. So a program that
was exported and saved makes the same plan in another process.
"""
from __future__ import annotations

import ctypes
import functools
import json
import math
from typing import Any, Dict, List, Optional, Tuple

import numpy

from . import Plan, Rope, c
from ._library import Error, checked, lib, pointer

# The layout of a rotation: which elements are pairs, in the input and in the output.
INTERLEAVED, HALVES, TO_HALVES, TO_INTERLEAVED = range(4)
BACK_FROM = {INTERLEAVED: INTERLEAVED, HALVES: HALVES, TO_HALVES: TO_INTERLEAVED, TO_INTERLEAVED: TO_HALVES}

# Fields that say where pairs, coordinates and positions are. Without them a plan has one coordinate, and offset 0.
_AXES = ("axes", "axis", "columns", "sections", "section_order", "coordinate", "coordinate_length")


class Encoding:
    """An Encoding has a plan, and what kernels need of it.

    plan         the plan, without a change from interleaved pairs to halves, which `layout` has instead
    single       a plan of one coordinate with the frequencies of `plan`, without offset and padding; None if there is none
    words        int32 [pairs, 4], the phase increments; [0, 4] if pe_fixed's integers cannot serve the plan
    coordinate   int32 [pairs], the coordinate of each pair
    amplitude    the factor of all cosines and sines
    layout       the layout of a rotation: one of the four constants above
    is_whole     whether one layout, sine first, spans all elements that rotate
    """

    def __init__(self, text: str):
        is_rope, width, given = json.loads(text)
        kind: Any = Rope if is_rope else Plan
        fields: Dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        interleave = fields.pop("rope_interleave", 0)
        self.plan: Plan = kind(width, **fields)
        p = self.plan._plan
        self.amplitude = float(p.amplitude)
        self.axes, self.pairs = int(p.axes), int(p.pairs)
        self.halves, self.cos_first = bool(p.layout == c.PE_LAYOUT_HALVES), bool(p.cos_first)
        self.layout = TO_HALVES if interleave else HALVES if self.halves else INTERLEAVED
        self.width, self.offset = 2 * self.pairs, int(p.rotary_offset)
        self.shift, self.padding = float(p.offset), float(p.padding) if p.has_padding else None
        one_layout = self.axes == 1 or p.joint or bool(p.order) or not self.halves
        is_full = bool(one_layout and p.d_model == self.width and not p.step)
        self.is_whole = is_full and not self.cos_first
        self.single: Optional[Plan] = None
        self.words = numpy.zeros((0, 4), numpy.int32)
        self.coordinate = numpy.zeros(self.pairs, numpy.int32)
        singles = self._singles(kind, width, fields) if is_full else []
        if singles and self._find_coordinates(kind, width, fields):
            if singles[0]._plan.pairs == self.pairs:
                self.single = singles[0]
            if self.shift == math.floor(self.shift) and 2.0**-64 <= abs(self.amplitude) <= 2.0**64:
                self.words = _words(singles, self.pairs)
        if self.words.size:
            self.words[self.is_still] = 0

    def _singles(self, kind: Any, width: int, fields: Dict[str, Any]) -> List[Plan]:
        """Returns plans of one coordinate whose frequencies, one after the other, are those of the plan, or an empty
        list. They are compared as doubles, each of which is correctly rounded."""
        reduced = {name: value for name, value in fields.items() if name not in _AXES}
        reduced.update({"offset": 0, **({} if kind is Rope else {"has_padding": 0})})
        candidates: List[List[Any]] = [[(width, reduced)]]
        if self.axes > 1 and kind is Rope:
            part = self.pairs // self.axes
            candidates.append([(2 * part, {**reduced, "rotary_dim": 0, "rotary_offset": 0})] * self.axes)
        elif self.axes > 1 and "frequencies" not in fields:
            candidates = [[(2 * int(axis.pairs), reduced) for axis in self.plan._plan.axis[:self.axes]], *candidates]
        for candidate in candidates:
            try:
                wanted = self.plan.frequencies()
                made = [kind(part, **rest) for part, rest in candidate]
                if numpy.array_equal(numpy.concatenate([plan.frequencies() for plan in made]), wanted):
                    return made
            except (ValueError, TypeError):
                continue
        return []

    def _find_coordinates(self, kind: Any, width: int, fields: Dict[str, Any]) -> bool:
        """Sets which coordinate rotates each pair. It is the one for which the pair's sine is not 0 if this coordinate
        is 1 and all others are 0. A pair without such a coordinate is stationary. Returns whether the plan rotates at
        all."""
        self.is_still = numpy.zeros(self.pairs, bool)
        if self.axes == 1:
            return True
        try:
            _, sines = kind(width, **{**fields, "offset": 0}).table(numpy.eye(self.axes, dtype=numpy.int64))
        except Error:
            return False
        self.coordinate = numpy.argmax(sines != 0, 0).astype(numpy.int32)
        self.is_still = ~(sines != 0).any(0)
        return True

    @functools.cached_property
    def pair_of(self) -> "numpy.ndarray[Any, Any]":
        """Returns an array with an index for each element of a head, as rotations write it: the index of the pair to
        which the element belongs, or -1 if it does not rotate."""
        made = numpy.full(self.plan.head_dim, -1, numpy.int64)
        pairs = numpy.arange(self.pairs)
        made[self.offset:self.offset + self.width] = (
            numpy.concatenate([pairs, pairs]) if self.halves else numpy.repeat(pairs, 2))
        return made


def _words(plans: List[Plan], pairs: int) -> "numpy.ndarray[Any, Any]":
    """Returns the phase increments of plans, one after the other, or an empty array if one of the plans has none."""
    made = numpy.zeros((pairs, 4), numpy.int32)
    at = 0
    for plan in plans:
        own = made[at:at + int(plan._plan.pairs)]
        status = lib.pe_fixed_increments(plan._plan, pointer(own.ctypes.data, ctypes.c_uint32))
        if status in (c.PE_ERR_PLAN_FIXED, c.PE_ERR_INCREMENT):
            return numpy.zeros((0, 4), numpy.int32)
        checked(status)
        at += len(own)
    return made


@functools.lru_cache(maxsize=256)
def encoding(text: str) -> Encoding:
    return Encoding(text)


def split_amplitude(amplitude: float) -> Tuple[int, int, int, int, bool]:
    """Returns an amplitude in the form that kernels take: the high and the low word of its mantissa, which is in
    [1/2, 1) in units of 2^-64, its exponent, its sign in bit 31, and whether it is not a power of two. Words are
    int32."""
    mantissa, exponent = math.frexp(abs(amplitude))
    bits = int(math.ldexp(mantissa, 64))
    return _int32(bits >> 32), _int32(bits & 0xffffffff), exponent, _int32(0x80000000 * (amplitude < 0)), mantissa != 0.5


def _int32(word: int) -> int:
    return word - 2**32 if word >= 2**31 else word

