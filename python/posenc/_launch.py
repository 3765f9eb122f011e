# SPDX-License-Identifier: MIT
"""Calls the kernels of _kernels.py with tensors, and tests the kernels before they are used."""
from __future__ import annotations

import contextlib
import os
from typing import Any, Optional, Tuple

import torch

from . import _kernels
from ._encoding import HALVES, INTERLEAVED, TO_HALVES, TO_INTERLEAVED, split_amplitude

_FORMATS = {torch.float32: _kernels.F32, torch.float16: _kernels.F16, torch.bfloat16: _kernels.BF16}
_INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
# One program of a kernel computes _ROWS rows or _TOKENS tokens. The interpreter calls numpy for each operation of a
# program, so there a few large programs are fastest.
_ROWS = 2048 if _INTERPRETED else 4
_TOKENS = 512 if _INTERPRETED else 1
_HEADS = 8


def _power_of_2(n: int) -> int:
    return 1 << max(n - 1, 0).bit_length()


def _on(device: Any) -> Any:
    """Makes the device the current one, on which Triton starts kernels."""
    return contextlib.nullcontext() if device.type == "cpu" else getattr(torch, device.type).device(device)


def _options(device: Any, pairs: int) -> Any:
    return {"num_warps": max(1, min(8, _power_of_2(pairs) // 32)), "enable_fp_fusion": False}


def _guard(device: Any) -> bool:
    """Returns whether products must be hidden from the compiler. Triton's code for NVIDIA's and AMD's GPUs fuses none
    of them (tests/checks/python/kernels.py reads it)."""
    return bool(device.type != "cuda")


def _bits(x: Any) -> Any:
    """Returns a tensor as the kernels take it: bfloat16 as int16."""
    return x.view(torch.int16) if x.dtype == torch.bfloat16 else x


def _whole(positions: Any) -> Any:
    return positions if positions.dtype in (torch.int32, torch.int64) else positions.to(torch.int64)


def cos_sin(positions: Any, words: Any, coordinate: Any, amplitude: float, layout: int, shift: int, axes: int,
            dtype: Any) -> Tuple[Any, Any]:
    pairs = words.shape[0]
    positions = _whole(positions).contiguous()
    shape = positions.shape[1:] if axes > 1 else positions.shape
    rows = positions.numel() // axes
    cos = torch.empty((*shape, 2 * pairs), dtype=dtype, device=words.device)
    sin = torch.empty_like(cos)
    if rows == 0:
        return cos, sin
    high, low, exponent, sign, scaled = split_amplitude(amplitude)
    bits = torch.int32 if dtype == torch.float32 else torch.int16
    per_program = min(_ROWS, max(_power_of_2(rows), 4))
    with _on(words.device):
        _kernels.cos_sin_kernel[(-(-rows // per_program),)](
            cos.view(bits), sin.view(bits), positions, words, coordinate, rows, rows, shift, high, low, exponent, sign, PAIRS=pairs,
            PAIRS_2=_power_of_2(pairs), ROWS=per_program, AXES=axes, HALVES=layout in (HALVES, TO_HALVES), SCALED=scaled,
            FORMAT=_FORMATS[dtype], **_options(words.device, per_program * pairs))
    return cos, sin


def _heads_of(x: Any, axis: int, batched: bool) -> Any:
    """Returns x as [batch, heads, tokens, head_dim], or None if that needs a copy. If all batches have the same
    positions, all axes except the tokens become heads where their strides allow it."""
    x = x.movedim(axis, -2)
    if x.dim() == 2:
        return x[None, None]
    if x.dim() == 3:
        return x[:, None] if batched else x[None]
    try:
        return x.view(x.shape[0], -1, *x.shape[-2:])
    except RuntimeError:
        return None


def rotate(inputs: Any, outputs: Any, positions: Any, words: Any, coordinate: Any, amplitude: float, layout: int,
           shift: int, width: int, offset: int, axis: int, axes: int, back: bool) -> None:
    """Rotates one or two tensors into others, each of which may be the input itself, with one launch."""
    positions = _whole(positions)
    own = positions.shape[1:] if axes > 1 else positions.shape
    batched = len(own) == 2 and own[0] > 1
    if len(own) == 1:
        positions = positions.unsqueeze(-2)
    x4, y4, copies = [], [], []
    for x, y in zip(inputs, outputs):
        x = x if x.stride(-1) == 1 or x.shape[-1] == 1 else x.contiguous()
        viewed, target = _heads_of(x, axis, batched), _heads_of(y, axis, batched)
        if viewed is None:
            viewed = _heads_of(x.clone(memory_format=torch.contiguous_format), axis, batched)
        if viewed is None:
            viewed = _heads_of(x.movedim(axis, -2).contiguous(), -2, batched)
        if target is None or y.stride(-1) != 1 and y.shape[-1] > 1:
            moved = torch.empty_like(y.movedim(axis, -2), memory_format=torch.contiguous_format)
            copies.append((y.movedim(axis, -2), moved))
            target = _heads_of(moved, -2, batched)
        x4.append(viewed)
        y4.append(target)
    if x4[0].numel() or x4[-1].numel():
        _launch_rotation(x4, y4, positions, words, coordinate, amplitude, layout, shift, width, offset, axes, back)
    for y, moved in copies:
        y.copy_(moved)


def _launch_rotation(x: Any, y: Any, positions: Any, words: Any, coordinate: Any, amplitude: float, layout: int, shift: int,
                     width: int, offset: int, axes: int, back: bool) -> None:
    q, qo, k, ko = x[0], y[0], x[-1], y[-1]
    if q.shape[0] != k.shape[0]:  # [heads, tokens, head_dim] beside [batch, heads, tokens, head_dim]
        for one, other in zip(x, y):
            _launch_rotation([one], [other], positions, words, coordinate, amplitude, layout, shift, width, offset, axes,
                             back)
        return
    batches, heads, tokens, head_dim = q.shape
    pairs, rest = words.shape[0], 0
    if any(one.data_ptr() != other.data_ptr() for one, other in zip(x, y)):
        rest = head_dim - width
    high, low, exponent, sign, scaled = split_amplitude(amplitude)
    per_token = min(_TOKENS, _power_of_2(tokens))
    strides = [stride for one in (q, qo, k, ko) for stride in one.stride()[:3]]
    with _on(words.device):
        _kernels.rotate_kernel[(-(-tokens // per_token), batches)](
            _bits(q), _bits(qo), _bits(k), _bits(ko), positions, words, coordinate, tokens, *strides,
            positions.stride(0) if axes > 1 else 0, positions.stride(-2) if positions.shape[-2] > 1 else 0,
            positions.stride(-1), shift, high, low, exponent, sign, 0, Q_HEADS=heads, K_HEADS=k.shape[1] if len(x) == 2 else 0,
            PAIRS=pairs, PAIRS_2=_power_of_2(pairs), TOKENS=per_token, HEADS=min(_HEADS, _power_of_2(heads)), OFFSET=offset,
            REST=rest, REST_2=_power_of_2(rest), AXES=axes, IN_HALVES=layout in (HALVES, TO_INTERLEAVED),
            OUT_HALVES=layout in (HALVES, TO_HALVES), SCALED=scaled, BACK=back, FORMAT=_FORMATS[q.dtype],
            GUARD=_guard(words.device), **_options(words.device, pairs))


def add(x: Any, y: Any, positions: Any, words: Any, amplitude: float, halves: bool, cos_first: bool, shift: int,
        padding: Optional[int], scale: float) -> None:
    """Computes y = scale * x + PE."""
    if x.numel() == 0:
        return
    positions = _whole(positions)
    batched = positions.dim() == 2 and positions.shape[0] > 1
    x3 = x if x.stride(-1) == 1 else x.contiguous()
    rows, width = x.shape[-2:]
    x3 = x3.reshape(-1 if not batched else x.shape[0], *([] if not batched or x.dim() == 3 else [-1]), rows, width)
    for part in range(x3.shape[1] if x3.dim() == 4 else 1):  # of [batch, ..., tokens, d_model] with positions of each batch
        own = x3[:, part] if x3.dim() == 4 else x3
        to = y.view(x3.shape)
        _launch_sum(own, to[:, part] if x3.dim() == 4 else to, positions, words, amplitude, halves, cos_first, shift,
                    padding, scale)


def _launch_sum(x: Any, y: Any, positions: Any, words: Any, amplitude: float, halves: bool, cos_first: bool, shift: int,
                padding: Optional[int], scale: float) -> None:
    high, low, exponent, sign, scaled = split_amplitude(amplitude)
    batches, tokens, _ = x.shape
    pairs = words.shape[0]
    per_token = min(_TOKENS, _power_of_2(tokens))
    with _on(words.device):
        _kernels.add_kernel[(-(-tokens // per_token), batches)](
            _bits(x), _bits(y), positions, words, tokens, x.stride(0), x.stride(1), y.stride(0), y.stride(1),
            positions.stride(0) if positions.dim() == 2 and positions.shape[0] > 1 else 0, positions.stride(-1), shift,
            padding or 0, scale, high, low, exponent, sign, 0, PAIRS=pairs, PAIRS_2=_power_of_2(pairs), TOKENS=per_token,
            HALVES=halves, COS_FIRST=cos_first, HAS_PADDING=padding is not None, SCALED=scaled, FORMAT=_FORMATS[x.dtype],
            GUARD=_guard(words.device), **_options(words.device, pairs))


def self_test(device: Any) -> str:
    """Compares the kernels on a device with libposenc by bits. Returns what is wrong, or an empty text."""
    from . import Rope
    from .torch import tensors_of
    positions = torch.tensor([0, 1, -1, 7, 1000, 131071, -131072, 2**31 - 1, -2**31, *range(4096, 4151)])
    rope = Rope(128, rope_theta=500000)
    tensors = {place: tensors_of(rope, torch.device(place)) for place in ("cpu", device)}
    for dtype in (torch.float32, torch.bfloat16):
        x = torch.randn(2, 64, 128).to(dtype)
        exact = torch.ops.posenc.rotate(x, positions, *tensors["cpu"], 1.0, HALVES, 0, 128, 0, -2, 1, False)
        rotated = torch.empty_like(x, device=device)
        words, coordinate, _ = tensors[device]
        rotate((x.to(device),), (rotated,), positions.to(device), words, coordinate, 1.0, HALVES, 0, 128, 0, -2, 1, False)
        if not torch.equal(rotated.cpu(), exact):
            return f"rotated {dtype} differ from the CPU's"
    exact = torch.ops.posenc.cos_sin(positions, *tensors["cpu"], 1.0, HALVES, 0, 128, 1, torch.float32)
    words, coordinate, _ = tensors[device]
    made = cos_sin(positions.to(device), words, coordinate, 1.0, HALVES, 0, 1, torch.float32)
    return "" if all(torch.equal(a.cpu(), b) for a, b in zip(made, exact)) else "cosines and sines differ from the CPU's"


__all__ = ["INTERLEAVED", "add", "cos_sin", "rotate", "self_test"]
