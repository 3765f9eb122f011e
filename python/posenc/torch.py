# SPDX-License-Identifier: MIT
"""Encodings as torch modules, and rotations that autograd and torch.compile can go through, on CPUs and GPUs.

    rotary = posenc.torch.Rotary.from_config("config.json")
    cos, sin = rotary(x, position_ids)                       as Hugging Face's rotary_emb
    q, k = posenc.torch.rotate_qk(q, k, rope, position_ids)  new tensors, with gradients
    q = posenc.torch.rotate(q, rope, 100)                    positions 100, 101, 102 ...
    x = posenc.torch.Sinusoidal(512, scale=16)(x)            scale * x + PE

position_ids are an int, which is the position of the first token, a range, or a tensor of whole numbers [T] or [B, T]. A plan
with several coordinates takes [axes, B, T]. A position outside int32 gives NaN. Real positions are computed on the CPU.

posenc itself never imports torch; import posenc.torch does. backend(device) tells what computes on a device. The results
have the same bits on all of them.
"""
from __future__ import annotations

from typing import Any, Dict, Optional, Tuple, Union

import numpy
import torch

from . import At, Plan, Rope, c, read
from ._check import array, converted, flag, is_scalar, optional, real, shown, string, whole
from ._encoding import encoding
from ._memory import axis_of
from ._ops import backend, call, cos_sin_cpu, is_direct

__all__ = ["Rotary", "Sinusoidal", "backend", "install", "rotate", "rotate_by", "rotate_qk", "uninstall"]

_ops = torch.ops.posenc
_WHOLE = (torch.int32, torch.int64)
_OTHERS = (torch.uint8, torch.int8, torch.int16, torch.float32, torch.float64, torch.float16, torch.bfloat16)
_FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
_ALLOWED = "an int, a range, or numbers [T] or [B, T], for several coordinates [axes, B, T]"

# ---- plans as tensors and numbers ----------------------------------------------------------------------------------

# This has the tensors of each plan on each device. They stay, because a CUDA graph that was captured reads them.
_tensors: Dict[Tuple[str, Any], Tuple[Any, Any, Any]] = {}


@torch._dynamo.assume_constant_result
def _tensors_of(text: str, device: Any) -> Tuple[Any, Any, Any]:
    if (text, device) not in _tensors:
        e = encoding(text)
        made = (e.words, e.coordinate, numpy.frombuffer(text.encode(), numpy.uint8).copy())
        words, coordinate, letters = (torch.from_numpy(numbers).to(device) for numbers in made)
        for tensor in (words, coordinate, letters):
            torch._dynamo.mark_static(tensor)
        _tensors[text, device] = words, coordinate, letters
    return _tensors[text, device]


@torch._dynamo.assume_constant_result
def _numbers_of(text: str) -> Tuple[Any, ...]:
    """Returns the amplitude, the layout, the shift of positions, the width and the offset of the elements that rotate,
    the number of coordinates, and the head_dim."""
    e = encoding(text)
    return e.amplitude, e.layout, int(e.shift), e.width, e.offset, e.axes, int(e.plan.head_dim)


def tensors_of(plan: Plan, device: Any) -> Tuple[Any, Any, Any]:
    """Returns the words, the coordinates and the text of a plan as tensors on a device, as the ops take them."""
    made: Tuple[Any, Any, Any] = _tensors_of(plan._text, device)
    return made


# ---- arguments -----------------------------------------------------------------------------------------------------


def _floats(x: Any, name: str, axes: int = 1) -> None:
    """Raises an error unless x is a dense tensor of floats with at least `axes` axes."""
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"{name} must be a tensor, not {shown(x)}")
    if x.dtype not in _FLOATS:
        raise TypeError(f"{name} must be float32, float64, float16 or bfloat16, not {x.dtype}")
    if x.layout != torch.strided or x.is_nested:
        raise TypeError(f"{name} must be a dense tensor, not {x.layout}")
    if x.dim() < axes:
        raise ValueError(f"{name} must have {axes} axes or more, not {x.dim()}")


def _plan(plan: Any, name: str) -> None:
    if isinstance(plan, Plan):
        return
    if isinstance(plan, (Rotary, Sinusoidal)):
        attribute = "rope" if isinstance(plan, Rotary) else "plan"
        raise TypeError(f"{name} must be a posenc.Rope or a posenc.Plan, not a {type(plan).__name__}: pass its .{attribute}")
    raise TypeError(f"{name} must be a posenc.Rope or a posenc.Plan, not {shown(plan)}")


def _tensor(positions: Any, tokens: Optional[int], device: Any) -> Any:
    """Returns positions as a tensor. `tokens` is how many there are if only the first one is given."""
    if isinstance(positions, torch.Tensor):
        if positions.dtype not in _WHOLE and positions.dtype not in _OTHERS:
            raise TypeError(f"position_ids must be {_ALLOWED}, int32 or int64, not {shown(positions)}")
        if positions.layout != torch.strided or positions.is_nested:
            raise TypeError(f"position_ids must be a dense tensor, not {positions.layout}")
        if positions.device.type == "meta" and device.type != "meta":
            raise TypeError(f"position_ids must have numbers for a tensor on {device}, and not be on the meta device")
        made = positions
    elif isinstance(positions, (bool, numpy.bool_, At)) or positions is None:
        what = "a posenc.At" if isinstance(positions, At) else shown(positions)
        raise TypeError(f"position_ids must be {_ALLOWED}, not {what}")
    elif isinstance(positions, range):
        return torch.arange(_int64(positions.start), _int64(positions.stop), positions.step, device=device)
    elif type(positions) is int or is_scalar(positions):
        if tokens is None:
            raise ValueError("position_ids must be a range or a list: there is no axis of tokens in x that would say how "
                             "many follow an int")
        first = _int64(positions if type(positions) is int else whole(positions, "position_ids", None, None))
        return torch.arange(first, _int64(first + tokens), device=device)
    else:
        given = array(positions, "position_ids", _ALLOWED)
        if given.dtype.kind not in "iuf" or given.dtype.itemsize > 8:
            raise TypeError(f"position_ids must be {_ALLOWED}, not {shown(given)}")
        if given.dtype.kind == "u" and given.size and given.max() >= 2**63:
            raise ValueError(f"position_ids has {given.max()}, which int64 cannot hold")
        kind = "float64" if given.dtype.kind == "f" and given.dtype.itemsize == 8 else (
            "float32" if given.dtype.kind == "f" else "int64")
        made = torch.from_numpy(given.astype(kind))
    if made.dim() == 0:
        if tokens is None:
            raise ValueError("position_ids must have an axis: there is no axis of tokens in x")
        made = made + torch.arange(tokens, device=made.device)
    if made.device != device and made.dtype in _WHOLE:
        made = made.to(device)
    return made


def _int64(number: int) -> int:
    if not -2**63 <= number < 2**63:
        raise ValueError(f"position_ids must be numbers that int64 can hold, not {shown(number)}")
    return number


def _placed(position_ids: Any, axes: int, x: Any, axis: int, batch: int) -> Tuple[Any, int]:
    """Returns the positions for x, which has its tokens along `axis`, and how many coordinates they have in front."""
    tokens = x.shape[axis]
    positions = _tensor(position_ids, tokens, x.device)
    several = axes > 1 and positions.dim() != 1
    own = positions.shape[1:] if several and positions.dim() == 3 else positions.shape
    if several and (positions.dim() != 3 or positions.shape[0] != axes):
        raise ValueError(f"position_ids must be [{axes}, B, T], a list for each coordinate, or [T], the same for all, not "
                         f"{list(positions.shape)}; for the same coordinates in each batch expand them")
    if len(own) not in (1, 2) or own[-1] != tokens or len(own) == 2 and own[0] not in (1, batch):
        allowed = f"[{tokens}]" if batch == 1 else f"[{tokens}], [1, {tokens}] or [{batch}, {tokens}]"
        raise ValueError(f"position_ids must be {allowed}{f' behind an axis of {axes} coordinates' if several else ''} for x "
                         f"{list(x.shape)} along axis={axis}, not {list(positions.shape)}")
    return positions, axes if several else 1


def _axis(x: Any, axis: Any, name: str) -> int:
    """Returns the axis of the tokens, counted from the end."""
    if type(axis) is int and -x.dim() <= axis < -1:
        return axis
    return int(axis_of(x.dim(), axis, name) - x.dim())


def _arguments(x: Any, rope: Any, position_ids: Any, axis: Any, name: str, out: Any, out_name: str) -> Tuple[Any, ...]:
    """Returns the arguments of the op that rotates x, without x."""
    _floats(x, name, 2)
    _plan(rope, "rope")
    amplitude, layout, shift, width, offset, axes, head_dim = _numbers_of(rope._text)
    if x.shape[-1] != head_dim:
        raise ValueError(f"the last axis of {name} must have {head_dim} elements, as rope has, not {x.shape[-1]}")
    at = _axis(x, axis, name)
    batch = x.shape[0] if x.dim() > 2 and at != -x.dim() else 1
    positions, several = _placed(position_ids, axes, x, at, batch)
    if out is not None:
        _floats(out, out_name, 2)
        if out.shape != x.shape or out.dtype != x.dtype or out.device != x.device:
            raise ValueError(f"{out_name} must be like {name}, {shown(x)} on {x.device}, not {shown(out)} on {out.device}")
        if torch.is_grad_enabled() and (x.requires_grad or out.requires_grad):
            raise ValueError(f"{out_name}: there is no gradient of what is written into a tensor; leave it out, or use "
                             "torch.no_grad()")
    return (positions, *tensors_of(rope, x.device), amplitude, layout, shift, width, offset, at, several, False)


# ---- rotations -----------------------------------------------------------------------------------------------------


def rotate(x: Any, rope: Plan, position_ids: Any = 0, *, axis: int = -2, out: Any = None) -> Any:
    """Rotates a tensor [..., tokens, head_dim] into a new one, or into `out`. Returns the result. The gradient is the
    rotation back by the same positions.

    rope          a posenc.Rope, or a posenc.Plan
    position_ids  an int, a range, [T], [B, T] or [axes, B, T]; the first axis of x is the batch
    axis          the axis of the tokens; -3 for [batch, tokens, heads, head_dim]
    out           a tensor like x, which may be x, instead of a new one; it gets no gradient
    """
    arguments = _arguments(x, rope, position_ids, axis, "x", out, "out")
    if out is None:
        return call("rotate", (x,), arguments)
    call("rotate_out", (x,), arguments, (out,))
    return out


def rotate_qk(q: Any, k: Any, rope: Plan, position_ids: Any = 0, *, axis: int = -2, out: Any = None) -> Tuple[Any, Any]:
    """Rotates queries and keys of the same tokens, as rotate() does. Sines and cosines are computed once for both.

    out           two tensors, like q and like k, which may be q and k
    """
    if out is not None and (not isinstance(out, (tuple, list)) or len(out) != 2):
        raise TypeError(f"out must be two tensors, for q and k, not {shown(out)}")
    q_out, k_out = (None, None) if out is None else out
    _floats(q, "q", 2)
    _floats(k, "k", 2)
    if k.device != q.device:
        raise ValueError(f"q and k must be on one device, not {q.device} and {k.device}")
    arguments = _arguments(q, rope, position_ids, axis, "q", q_out, "out for q")
    of_k = _arguments(k, rope, arguments[0], axis, "k", k_out, "out for k")
    if k.dim() != q.dim() or k.dtype != q.dtype or of_k[9] != arguments[9]:  # their tokens are along other axes
        if out is None:
            return call("rotate", (q,), arguments), call("rotate", (k,), of_k)
        call("rotate_out", (q,), arguments, (q_out,))
        call("rotate_out", (k,), of_k, (k_out,))
        return q_out, k_out
    if out is None:
        rotated: Tuple[Any, Any] = call("rotate_qk", (q, k), arguments)
        return rotated
    call("rotate_qk_out", (q, k), arguments, (q_out, k_out))
    return q_out, k_out


def _broadcast(*shapes: Any) -> Any:
    """Returns the shape of the result of an operation on tensors of these shapes, or None if they do not fit."""
    shape_of: Any = torch.broadcast_shapes
    try:
        return shape_of(*shapes)
    except RuntimeError:
        return None


def rotate_by(x: Any, cos: Any, sin: Any, *, halves: bool = True) -> Any:
    """Returns x * cos + rotate_half(x) * sin, computed by torch on any device, for cos and sin of Rotary, [..., tokens,
    n]. Only the first n elements of a head are rotated. halves=False rotates interleaved elements. In float32 on the
    CPU, the result has the bits of rotate()."""
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
    part, rest = x[..., :n], x[..., n:]
    if halves:
        other = torch.cat((-part[..., n // 2:], part[..., :n // 2]), -1)
    else:
        other = torch.stack((-part[..., 1::2], part[..., 0::2]), -1).flatten(-2)
    rotated = part * cos + other * sin
    return rotated if n == x.shape[-1] else torch.cat((rotated, rest), -1)


# ---- modules -------------------------------------------------------------------------------------------------------


def _made_plan(kind: Any, given: Any, name: str, fields: Dict[str, Any]) -> Any:
    """Returns the plan that is given, or makes one with these fields."""
    for field, value in fields.items():
        if value is None:
            raise TypeError(f"{field} must not be None; leave it out for its default")
    if isinstance(given, kind):
        if fields:
            raise TypeError(f"{', '.join(fields)}: fields of a {kind.__name__} that is made already")
        return given
    if isinstance(given, (Plan, torch.nn.Module)) or not is_scalar(given):
        raise TypeError(f"{name} must be a posenc.{kind.__name__} or a whole number, not {shown(given)}")
    return kind(whole(given, name), **fields)


class _Table:
    """A table has the rows of the positions 0 ... rows - 1, made once for each dtype and device. After them comes a row
    of NaN. Other positions get this row on a device that cannot raise an exception."""

    def __init__(self, rows: Any, axes: int):
        self.rows = whole(rows, "rows")
        if axes > 1:
            raise ValueError("rows: a table is of one coordinate, and this plan has several")
        self.kept: Dict[Any, Tuple[Any, ...]] = {}

    def gather(self, positions: Any, key: Any, make: Any) -> Tuple[Any, ...]:
        allowed = f"whole numbers from 0 to {self.rows - 1}, as rows={self.rows}"
        if positions.is_floating_point():
            raise TypeError(f"position_ids must be {allowed}, not {shown(positions)}")
        positions = positions.to(key[1], torch.int64)
        is_beyond = (positions < 0) | (positions >= self.rows)
        if positions.device.type == "cpu" and not torch.compiler.is_compiling() and bool(is_beyond.any()):
            raise ValueError(f"position_ids must be {allowed}")
        if key not in self.kept:
            nan = float("nan")
            self.kept[key] = tuple(torch.nn.functional.pad(table, (0, 0, 0, 1), value=nan)
                                   for table in make(torch.arange(self.rows, device=key[1])))
        where = positions.masked_fill(is_beyond, self.rows)
        return tuple(torch.nn.functional.embedding(where, table) for table in self.kept[key])

    def __getstate__(self) -> Any:
        return {"rows": self.rows, "kept": {}}


# The layers of most model types of transformers take all cosines and then all of them again. Those of _REPEATED take
# each number twice in succession, and those of _ONCE take each number once.
_REPEATED = ("blt", "cohere", "cohere2", "cohere2_moe")
_ONCE = ("gpt_oss", "openai_privacy_filter")


def _attribute(value: Any, name: str) -> Any:
    """Returns an attribute of a value, or None if the value does not have it or raises an exception."""
    try:
        return getattr(value, name, None)
    except Exception:
        return None


class Rotary(torch.nn.Module):
    """This module returns cosines and sines of a model's RoPE. Its signature is that of Hugging Face's rotary_emb.

    rope     a posenc.Rope, or head_dim
    fields   with head_dim: the fields of posenc.Rope
    rows     with None, each call computes its rows, at any positions. With a number, a table of the positions
             0 ... rows - 1 is made once for each dtype and device, and rows are gathered from it

    With `dynamic` and `longrope`, frequencies depend on the longest position. This is the field sequence_length, so
    they do not change with position_ids. The module has no parameters and no buffers.
    """

    def __init__(self, rope: Union[Rope, int], *, rows: Optional[int] = None, **fields: Any):
        super().__init__()
        self.rope: Rope = _made_plan(Rope, rope, "rope", fields)
        self._order(self.rope, False)
        self._table = None if rows is None else _Table(rows, self._axes)
        self._by_type: Dict[str, Rotary] = {}

    def _order(self, rope: Rope, once: bool) -> None:
        """Sets the plan whose order of elements cosines and sines have, and whether each number is there once."""
        self._text, self._once = rope._text, once
        self._amplitude, self._layout, self._shift, self._width, _, self._axes, _ = _numbers_of(rope._text)

    @classmethod
    def from_config(cls, model: Any, *, rows: Optional[int] = None, **more: Any) -> "Rotary":
        """Makes a Rotary from a config.json, a dict or a GGUF file, as posenc.Rope.from_config() does. `model` may also
        be a config of transformers, such as model.config. Cosines and sines then have the order that this model's
        layers need. If the layers rotate in several ways, the module takes their layer_type as its third argument,
        which the model gives."""
        to_dict = _attribute(model, "to_dict")
        if to_dict is None:
            return cls(Rope.from_config(model, **more), rows=rows)
        config = converted(lambda given: given(), to_dict, "model", "a config of transformers")
        parts: Any = [part for part in read(config) if part.kind == "rope" and part.layers]
        if "layer" in more or "part" in more or len(parts) < 2:  # one Rope for all layers
            chosen: Dict[str, Any] = more if len(parts) != 1 else {"part": parts[0].name, **more}
            return cls._of_transformers(Rope.from_config(config, **chosen), model, rows)
        ropes: Dict[str, Rope] = {}
        for part in parts:
            chosen = {"part": part.name, **more}
            ropes[model.layer_types[part.layers[0]]] = Rope.from_config(config, **chosen)
        made = cls._of_transformers(next(iter(ropes.values())), model, rows)
        made._by_type = {kind: cls._of_transformers(rope, model, rows) for kind, rope in ropes.items()}
        return made

    @classmethod
    def _of_transformers(cls, rope: Rope, config: Any, rows: Optional[int]) -> "Rotary":
        made = cls(rope, rows=rows)
        kind = _attribute(config, "model_type")
        if kind not in _REPEATED:
            width, fields = rope._again
            halves = {name: value for name, value in fields.items() if name not in ("layout", "rope_interleave")}
            made._order(Rope(width, **halves, layout="halves"), kind in _ONCE)
        return made

    def of_layers(self, layer_type: Optional[str]) -> "Rotary":
        """Returns the module for the layers of a type. This is the module itself if all layers rotate in the same
        way."""
        layer_type = optional(string, layer_type, "layer_type")
        if not self._by_type:
            return self
        if layer_type not in self._by_type:
            raise ValueError(f"layer_type must be one of {', '.join(map(repr, self._by_type))}, not {shown(layer_type)}")
        return self._by_type[layer_type]

    def forward(self, x: Any, position_ids: Any, layer_type: Optional[str] = None) -> Tuple[Any, Any]:
        """Returns cos and sin, [batch, tokens, n], multiplied by the attention factor, in the dtype and on the device
        of x. n is the number of elements of a head that rotate. position_ids is [batch, tokens], or [axes, batch,
        tokens] with several axes. layer_type is needed for a model whose layers rotate in several ways."""
        if layer_type is not None or self._by_type:
            one = self.of_layers(layer_type)
            if one is not self:
                return one.forward(x, position_ids)
        _floats(x, "x", 0)
        positions, axes = _tensor(position_ids, x.shape[-2] if x.dim() > 1 else None, x.device), self._axes
        if axes > 1:
            if positions.dim() == 1:
                axes = 1
            elif positions.dim() != 3 or positions.shape[0] != axes:
                raise ValueError(f"position_ids must be [{axes}, B, T], a list for each coordinate, or [T], the same for all, "
                                 f"not {list(positions.shape)}")
        if self._table is None:
            cos, sin = self._made(positions, axes, x.device, x.dtype)
        else:
            cos, sin = self._table.gather(positions, (x.dtype, x.device), lambda rows: self._made(rows, 1, x.device, x.dtype))
        return (cos[..., :self._width // 2], sin[..., :self._width // 2]) if self._once else (cos, sin)

    def _made(self, positions: Any, axes: int, device: Any, dtype: Any) -> Tuple[Any, Any]:
        if device.type == "cpu" and is_direct(positions):
            return cos_sin_cpu(positions, encoding(self._text), axes, dtype)
        made: Tuple[Any, Any] = _ops.cos_sin(positions, *_tensors_of(self._text, device), self._amplitude, self._layout,
                                             self._shift, self._width, axes, dtype)
        return made

    def extra_repr(self) -> str:
        return repr(self.rope)


class Sinusoidal(torch.nn.Module):
    """This module returns scale * x + PE for x [..., tokens, d_model]. Each product and each sum is rounded to float32,
    and the sum is then rounded to the dtype of x.

    plan     a posenc.Plan, or d_model
    fields   with d_model: the fields of posenc.Plan
    rows     as in Rotary
    """

    def __init__(self, plan: Union[Plan, int], *, scale: float = 1.0, rows: Optional[int] = None, **fields: Any):
        super().__init__()
        self.plan: Plan = _made_plan(Plan, plan, "plan", fields)
        self.scale = real(scale, "scale")
        p = self.plan._plan
        self._axes, self._halves, self._cos_first = int(p.axes), bool(p.layout == c.PE_LAYOUT_HALVES), bool(p.cos_first)
        self._shift = int(p.offset)
        self._padding = int(p.padding) if p.has_padding else None
        self._amplitude, self._width = float(p.amplitude), self.plan.d_model
        self._table = None if rows is None else _Table(rows, self._axes)

    def forward(self, x: Any, position_ids: Any = 0) -> Any:
        """Returns scale * x + PE. position_ids is an int, a range, [tokens], [batch, tokens] or [axes, batch,
        tokens]."""
        _floats(x, "x", 2)
        if x.shape[-1] != self._width:
            raise ValueError(f"the last axis of x must have {self._width} elements, not {x.shape[-1]}")
        positions, axes = _placed(0 if position_ids is None else position_ids, self._axes, x, -2,
                                  x.shape[0] if x.dim() > 2 else 1)
        if self._table is None:
            return self._sum(x, positions, self.scale, axes)
        dtype = torch.float64 if x.dtype == torch.float64 else torch.float32
        zeros = torch.zeros(self._table.rows, self._width, dtype=dtype, device=x.device)
        rows, = self._table.gather(positions, (dtype, x.device), lambda each: (self._sum(zeros, each, 1.0, 1),))
        if rows.dim() == 3:
            rows = rows.reshape(rows.shape[0], *[1] * (x.dim() - 3), *rows.shape[1:]) if x.dim() > 2 else rows[0]
        return (x.to(dtype) * self.scale + rows).to(x.dtype)

    def _sum(self, x: Any, positions: Any, scale: float, axes: int) -> Any:
        words, _, text = tensors_of(self.plan, x.device)
        return _ops.add(x, positions, words, text, self._amplitude, self._halves, self._cos_first, self._shift,
                        self._padding, scale, axes)

    def extra_repr(self) -> str:
        return f"{self.plan!r}, scale={self.scale}"


from ._install import install, uninstall  # noqa: E402  last, because it needs Rotary
