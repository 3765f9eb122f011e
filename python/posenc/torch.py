# SPDX-License-Identifier: MIT
"""Encodings as torch modules, and a rotation that autograd can go through.

    rotary = posenc.torch.Rotary.from_config("config.json")
    cos, sin = rotary(x, position_ids)                       as Hugging Face's rotary_emb
    q = posenc.torch.rotate(q, rotary.rope, at=100)          a new tensor, with a gradient
    x = posenc.torch.Sinusoidal(512, rows=4096)(x)           x + PE

posenc itself never imports torch; import posenc.torch does. Cosines, sines and rows are computed on the CPU, each
number rounded once to the dtype of x, and copied to the device of x.
"""
from __future__ import annotations

from typing import Any, Dict, Optional, Tuple, Union

import numpy
import torch

from . import Plan, Rope, back, c
from ._at import Positions, place
from ._check import array, converted, flag, real, shown, whole
from ._memory import axis_of

__all__ = ["Rotary", "Sinusoidal", "rotate", "rotate_by"]


def _points(positions: Any, axes: int) -> Tuple[Any, Tuple[int, ...]]:
    """Positions as the library takes them, [n] or [n, axes], and their shape. Several axes come first, as in
    position_ids [3, batch, tokens] of M-RoPE."""
    given = array(positions, "position_ids")
    if given.dtype.kind not in "iuf" or given.dtype.itemsize > 8:
        raise TypeError(f"position_ids must be whole or real numbers, not {shown(given)}")
    if axes == 1:
        return given.reshape(-1), given.shape
    if given.ndim < 2 or given.shape[0] != axes:
        raise ValueError(f"position_ids must be [{axes}, ..., tokens], not {list(given.shape)}")
    return numpy.ascontiguousarray(given.reshape(axes, -1).T), given.shape[1:]


class _Rows:
    """Rows of a plan as tensors: computed in each call, or gathered from tables of the first positions, which are made
    once for each dtype and device."""

    def __init__(self, plan: Plan, rows: Optional[int]):
        self.plan, self.rows = plan, None if rows is None else whole(rows, "rows")
        self.axes = int(plan._plan.axes)
        if self.rows is not None and self.axes > 1:
            raise ValueError("rows: a table is of one coordinate, and this plan has several")
        self.kept: Dict[Any, Tuple[Any, ...]] = {}

    def _make(self, points: Any, n: int, dtype: Any) -> Tuple[Any, ...]:
        raise NotImplementedError

    def of(self, positions: Any, dtype: Any, device: Any) -> Tuple[Any, ...]:
        """Tensors [*positions.shape, width]."""
        if self.rows is None:
            points, shape = _points(positions, self.axes)
            return tuple(made.to(device).reshape(*shape, made.shape[-1])
                         for made in self._make(points, len(points), dtype))
        key = (dtype, torch.device(device))
        if key not in self.kept:
            self.kept[key] = tuple(made.to(device) for made in self._make(range(self.rows), self.rows, dtype))
        allowed = f"whole numbers from 0 to {self.rows - 1}, as rows={self.rows}"
        where = converted(lambda given: torch.as_tensor(given, device=device), positions, "position_ids", allowed)
        if where.dtype not in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64):
            raise TypeError(f"position_ids must be {allowed}, not {shown(where)}")
        try:  # on the CPU the range is checked by embedding(), on other devices by the kernel
            return tuple(torch.nn.functional.embedding(where.long(), table) for table in self.kept[key])
        except IndexError as error:
            raise ValueError(f"position_ids must be {allowed}") from error


class _Table(_Rows):
    def _make(self, points: Any, n: int, dtype: Any) -> Tuple[Any, ...]:
        made = torch.empty(n, self.plan.d_model, dtype=dtype)
        return (self.plan.fill(points, out=made),)


class _Turns(_Rows):
    """Cosines and sines, one for each element that rotates."""

    def _make(self, points: Any, n: int, dtype: Any) -> Tuple[Any, ...]:
        width = 2 * int(self.plan._plan.pairs)
        if dtype != torch.float64:
            made = tuple(torch.empty(n, width, dtype=dtype) for _ in range(2))
            self.plan.table(points, layout="twice", out=made)
            return made
        halves = _is_halves(self.plan)
        row = self.plan.fill(points, n, dtype="float64")
        sine, cosine = (row[:, :width // 2], row[:, width // 2:]) if halves else (row[:, 0::2], row[:, 1::2])
        twice = [numpy.concatenate([x, x], 1) if halves else x.repeat(2, 1) for x in (cosine, sine)]
        return tuple(torch.from_numpy(numpy.ascontiguousarray(x)) for x in twice)


def _is_halves(plan: Plan) -> bool:
    return bool(plan._plan.layout == c.PE_LAYOUT_HALVES)


def _checked_for(plan: Plan, x: Any) -> None:
    """May rotate_by() do this plan's work? What it does not know the library does, in its types, on the CPU."""
    p = plan._plan
    for wrong, what in ((p.rope_interleave, "rope_interleave"), (p.rotary_offset, "rotary_offset"),
                        (p.cos_first, "cos_first"), (p.axes > 1 and not p.joint, "axes with columns of their own")):
        if wrong:
            raise TypeError(f"a plan with {what} rotates float32, float16 and bfloat16 on the CPU, not {x.dtype} on "
                            f"{x.device}")


def _floats(x: Any, name: str, axes: int = 1) -> None:
    """Refuses what is no dense tensor of floats with at least so many axes."""
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"{name} must be a tensor, not {shown(x)}")
    if x.dtype not in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        raise TypeError(f"{name} must be float32, float64, float16 or bfloat16, not {x.dtype}")
    if x.layout != torch.strided or getattr(x, "is_nested", False):
        raise TypeError(f"{name} must be a dense tensor, not {x.layout}")
    if x.dim() < axes:
        raise ValueError(f"{name} must have {axes} axes or more, not {x.dim()}")


def _broadcast(*shapes: Any) -> Any:
    """The shape of an operation on tensors of these shapes, or None if they do not fit."""
    shape_of: Any = torch.broadcast_shapes
    try:
        return shape_of(*shapes)
    except RuntimeError:
        return None


def rotate_by(x: Any, cos: Any, sin: Any, *, halves: bool = True) -> Any:
    """x cos + rotate_half(x) sin, in torch, on any device, for cos and sin of Rotary, [..., tokens, n]: elements from
    n on stay as they are. halves=False rotates adjacent elements. In float32 on the CPU it has the bits of rotate()."""
    for tensor, name in ((x, "x"), (cos, "cos"), (sin, "sin")):
        _floats(tensor, name)
    halves = bool(flag(halves, "halves"))
    n = cos.shape[-1]
    together = _broadcast(x.shape[:-1], cos.shape[:-1], sin.shape[:-1])
    if together is None or (together != x.shape[:-1] and n != x.shape[-1]) or sin.shape[-1] != n or n > x.shape[-1] or n % 2:
        raise ValueError(f"cos and sin must be [..., tokens, n] for x {list(x.shape)}, with an even n of at most "
                         f"{x.shape[-1]}, not {list(cos.shape)} and {list(sin.shape)}")
    if not x.device == cos.device == sin.device:
        raise ValueError(f"x, cos and sin must be on one device, not {x.device}, {cos.device} and {sin.device}")
    turning, rest = x[..., :n], x[..., n:]
    if halves:
        other = torch.cat((-turning[..., n // 2:], turning[..., :n // 2]), -1)
    else:
        other = torch.stack((-turning[..., 1::2], turning[..., 0::2]), -1).flatten(-2)
    turned = turning * cos + other * sin
    return turned if n == x.shape[-1] else torch.cat((turned, rest), -1)


class _Rotate(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any, plan: Plan, at: Any, axis: int) -> Any:  # type: ignore[override]
        ctx.plan, ctx.at, ctx.axis = plan, at, axis
        return _rotated(x, plan, at, axis)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:  # type: ignore[override]
        return rotate(grad, ctx.plan, back(ctx.at), axis=ctx.axis), None, None, None


def _rotated(x: Any, plan: Plan, at: Any, axis: int) -> Any:
    tokens = x.shape[axis]
    if x.device.type == "cpu" and x.dtype != torch.float64:
        made = x.detach().clone(memory_format=torch.contiguous_format)
        plan.rotate(made, at=at, axis=axis)
        return made
    # Another device, or doubles, which the library does not rotate: by its cosines and sines.
    _checked_for(plan, x)
    cos, sin = (made.to(x.device) for made in _Turns(plan, None)._make(at, at.counted(tokens), x.dtype))
    shape = [1] * x.dim()
    shape[axis], shape[-1] = tokens, cos.shape[-1]
    return rotate_by(x.detach(), cos.reshape(shape), sin.reshape(shape), halves=_is_halves(plan))


def rotate(x: Any, plan: Plan, at: Positions = 0, *, axis: int = -2) -> Any:
    """RoPE of a tensor [..., tokens, head_dim], in a new one, with a gradient: the rotation back by the same positions.

    plan     a Rope, or a Plan
    at       the positions of the tokens: the first one, a range, a list
    axis     that of the tokens; -3 for [tokens, heads, head_dim]
    """
    _floats(x, "x", 2)
    if not isinstance(plan, Plan):
        raise TypeError(f"plan must be a posenc.Rope or a posenc.Plan, not {shown(plan)}")
    which = axis_of(x.dim(), axis, "x") - x.dim()
    if x.shape[-1] != plan.head_dim:
        raise ValueError(f"the last axis of x must have {plan.head_dim} elements, as plan has, not {x.shape[-1]}")
    where = place(at, "at")  # a copy of the positions, for the gradient
    where.counted(x.shape[which], f"x along axis={axis}")
    return _Rotate.apply(x, plan, where, which)


class Rotary(torch.nn.Module):
    """Cosines and sines of a model's RoPE, by the signature of Hugging Face's rotary_emb.

    rope     a posenc.Rope, or head_dim; fields: those of posenc.Rope
    rows     None: each call computes its rows on the CPU, at any positions; or a table of the positions
             0 ... rows - 1 is made once for a dtype and a device, and gathered there
    """

    def __init__(self, rope: Union[Rope, int], *, rows: Optional[int] = None, **fields: Any):
        super().__init__()
        if not isinstance(rope, Rope):
            whole(rope, "rope")
        self.rope = rope if isinstance(rope, Rope) else Rope(rope, **fields)
        if isinstance(rope, Rope) and fields:
            raise TypeError(f"{', '.join(fields)}: fields of a Rope that is made already")
        self._rows = _Turns(self.rope, rows)

    @classmethod
    def from_config(cls, model: Any, *, rows: Optional[int] = None, **more: Any) -> "Rotary":
        """Of a config.json, a dict or a GGUF file: as posenc.Rope.from_config()."""
        return cls(Rope.from_config(model, **more), rows=rows)

    def forward(self, x: Any, position_ids: Any) -> Tuple[Any, Any]:
        """cos and sin, [*position_ids.shape, n] in the dtype and on the device of x, attention factor included; n, the
        elements of a head that rotate. position_ids: [batch, tokens]; with several axes [axes, batch, tokens]."""
        _floats(x, "x", 0)
        cos, sin = self._rows.of(position_ids, x.dtype, x.device)
        return cos, sin

    def extra_repr(self) -> str:
        return repr(self.rope)


class Sinusoidal(torch.nn.Module):
    """scale x + PE, for x [..., tokens, d_model].

    plan     a posenc.Plan, or d_model; fields: those of posenc.Plan
    rows     as in Rotary
    """

    def __init__(self, plan: Union[Plan, int], *, scale: float = 1.0, rows: Optional[int] = None, **fields: Any):
        super().__init__()
        if not isinstance(plan, Plan):
            whole(plan, "plan")
        self.plan = plan if isinstance(plan, Plan) else Plan(plan, **fields)
        if isinstance(plan, Plan) and fields:
            raise TypeError(f"{', '.join(fields)}: fields of a Plan that is made already")
        self.scale = real(scale, "scale")
        self._rows = _Table(self.plan, rows)

    def forward(self, x: Any, position_ids: Any = None) -> Any:
        """position_ids: [tokens], [batch, tokens], or None for 0, 1, 2 ..."""
        _floats(x, "x", 2)
        if x.shape[-1] != self.plan.d_model:
            raise ValueError(f"the last axis of x must have {self.plan.d_model} elements, not {x.shape[-1]}")
        if position_ids is None:
            # Rows that are computed in this call are computed on the CPU, from positions that are there.
            position_ids = torch.arange(x.shape[-2], device=None if self._rows.rows is None else x.device)
        row, = self._rows.of(position_ids, x.dtype, x.device)
        if _broadcast(x.shape, row.shape) is None:
            raise ValueError(f"position_ids must be [tokens] or [batch, tokens] for x {list(x.shape)}, not "
                             f"{list(row.shape[:-1])}")
        return (x if self.scale == 1 else x * self.scale) + row

    def extra_repr(self) -> str:
        return f"{self.plan!r}, scale={self.scale}"
