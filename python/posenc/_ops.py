# SPDX-License-Identifier: MIT
"""The torch ops of posenc.torch: posenc::cos_sin, posenc::rotate, posenc::rotate_qk, posenc::add, and two that write into
tensors of the caller.

They take tensors and numbers, so that torch.compile and torch.export see opaque calls. Their arguments are

    positions    whole numbers [T] or [B, T], with several coordinates [axes, B, T]; or real numbers
    words        int32 [pairs, 4]: the phase increments of pe_fixed.h; [0, 4] if its integers cannot serve the plan
    coordinate   int32 [pairs]: the coordinate of each pair
    plan         uint8: the plan as text, see _encoding.py, from which a CPU makes it
    amplitude    the factor of all cosines and sines
    layout       which elements are pairs, a constant of _encoding.py
    shift        added to every position
    width        the number of elements of a head that rotate; offset is the number of elements before them
    axis         of the tokens in x: -2, -3 ...
    axes         the number of coordinates at the front of positions; 1 if there is no such axis
    back         whether to rotate back

On a CPU libposenc does the work. On a GPU the kernels of _kernels.py do, if their self test passes. What neither can do,
such as real positions on a GPU, is computed on the CPU and copied.

torch.library.Library is used and not torch.library.custom_op, because a call of the latter takes 40 % longer.
"""
from __future__ import annotations

import ctypes
import itertools
import threading
import warnings
from typing import Any, Dict, List, Optional, Tuple

import numpy
import torch

from . import c
from ._encoding import (BACK_FROM, HALVES, INTERLEAVED, TO_HALVES, TO_INTERLEAVED, Encoding, encoding, split_amplitude)
from ._check import converted
from ._library import checked, lib

_BYTES = {torch.float32: 4, torch.float16: 2, torch.bfloat16: 2, torch.float64: 8}


def _by_address(name: str) -> Any:
    """Returns a function of the library that takes addresses of arrays. With ctypes' pointers, a call takes twice as
    long."""
    known, call = getattr(lib, name), lib[name]
    kinds: Tuple[Any, ...] = (ctypes.c_float, ctypes.c_double, ctypes.c_uint16, ctypes.c_int32, ctypes.c_int64)
    numbers = [ctypes.POINTER(kind) for kind in kinds]
    call.restype, call.argtypes = known.restype, [ctypes.c_void_p if kind in numbers else kind for kind in known.argtypes]
    return call


_CALLS: Any = {(name, dtype): _by_address(f"pe_{name}_{kind}")
               for dtype, kind in ((torch.float32, "f32"), (torch.float16, "f16"), (torch.bfloat16, "bf16"), (torch.float64, "f64"))
               for name in ("rope_to", "rope_table", "add_batch", "fill") if hasattr(lib, f"pe_{name}_{kind}")}
_COORDS: Any = {torch.int32: _by_address("pe_coords_i32"), torch.int64: _by_address("pe_coords_i64"),
                torch.float32: _by_address("pe_coords_f32"), torch.float64: _by_address("pe_coords_f64")}

# Tests set this to "triton" or "tables", to send tensors on the CPU through the kernels, or through the code for
# devices without kernels.
_cpu_backend = "libposenc"


# ---- which code serves a device ------------------------------------------------------------------------------------

_backends: Dict[Tuple[str, Optional[int]], str] = {}
_lock = threading.Lock()


def backend(device: Any) -> str:
    """Returns which code computes on a device: "libposenc" on the CPU, "triton" if the kernels pass a self test on the
    device, or "tables" for cosines and sines that are computed on the CPU and copied. The first call for a GPU compiles
    and tests the kernels."""
    device = converted(torch.device, device, "device", "a torch device or its name")
    if device.type == "cpu":
        return _cpu_backend
    if device.type not in ("cuda", "xpu"):
        return "tables"
    if device.index is None:
        device = torch.device(device.type, getattr(torch, device.type).current_device())
    key = (device.type, device.index)
    if key not in _backends:
        if device.type == "cuda" and torch.cuda.is_current_stream_capturing():
            raise RuntimeError(f"call posenc.torch.backend({str(device)!r}) before a CUDA graph is captured: the kernels are "
                               "tested when they are first used")
        with _lock:
            if key not in _backends:
                _backends[key] = _tested(device)
    return _backends[key]


def _tested(device: Any) -> str:
    try:
        from . import _launch
        wrong = _launch.self_test(device)
    except Exception as error:  # a missing compiler or driver may raise any exception
        wrong = f"{type(error).__name__}: {error}"
    if wrong:
        warnings.warn(f"posenc computes cosines and sines for {device} on the CPU, since its kernels cannot be used: {wrong}")
    return "tables" if wrong else "triton"


def _serves(device: Any, words: Any, positions: Any, dtype: Any) -> str:
    """Returns the backend that serves a call."""
    found = _cpu_backend if device.type == "cpu" else backend(device)
    if found == "triton" and (words.shape[0] == 0 or positions.is_floating_point() or dtype == torch.float64):
        return "tables"
    return found


# ---- calls without the dispatcher ----------------------------------------------------------------------------------


def is_direct(*tensors: Any) -> bool:
    """Returns whether an op on these tensors would only call libposenc. This is so if nothing traces or transforms the
    call, and no tensor needs a gradient. The op's function is then called without torch's dispatcher, which takes as
    long as computing the sines of a token."""
    if (torch.compiler.is_compiling() or _cpu_backend != "libposenc" or torch._C._are_functorch_transforms_active()
            or torch._C._len_torch_dispatch_stack()
            or torch._C._is_torch_function_mode_enabled() or torch._C._get_tracing_state() is not None):
        return False
    for x in tensors:
        if type(x) is not torch.Tensor or not x.is_cpu or x.is_neg() or x.requires_grad and torch.is_grad_enabled():
            return False
    return True


def call(name: str, heads: Tuple[Any, ...], arguments: Tuple[Any, ...], out: Tuple[Any, ...] = ()) -> Any:
    """Calls an op with the tensors that it rotates, its other arguments, and the tensors into which it writes."""
    function = _FUNCTIONS[name] if is_direct(arguments[0], *heads, *out) else getattr(torch.ops.posenc, name)
    return function(*heads, *arguments, *out)


# ---- positions and plans on the CPU --------------------------------------------------------------------------------


def _encoding_of(plan: Any) -> Encoding:
    if plan.device.type != "cpu":
        plan = plan.cpu()
    return encoding(ctypes.string_at(plan.data_ptr(), plan.numel()).decode())


def _listed(positions: Any) -> Any:
    """Returns the positions as a contiguous tensor on the CPU, in a type that the library reads."""
    if positions.device.type != "cpu":
        positions = positions.cpu()
    if positions.dtype not in _COORDS:
        positions = positions.to(torch.float32 if positions.is_floating_point() else torch.int64)
    return positions if positions.is_contiguous() else positions.contiguous()


def _out_of_range(positions: Any) -> Any:
    """Returns None if all positions fit into int32. Otherwise it returns positions with valid numbers in place of those
    that do not fit, and which these are."""
    if positions.dtype != torch.int64 or positions.numel() == 0:
        return None
    if positions.numel() == 1:
        if -2**31 <= positions.item() < 2**31:
            return None
    else:
        numbers = positions.numpy()
        if -2**31 <= numbers.min() and numbers.max() < 2**31:
            return None
    wrong = (positions < -2**31) | (positions >= 2**31)
    return positions.masked_fill(wrong, 0), wrong


def _at(positions: Any, axes: int, rows: int, row: int = 0) -> Any:
    """Returns the pe_at of `rows` rows, starting at row `row`, in a contiguous list of positions [axes, ...]."""
    return _COORDS[positions.dtype](positions.data_ptr() + row * positions.element_size(), axes, 1, positions.numel() // axes)


def _wrong_elements(e: Encoding, wrong: Any, axes: int, pair_of: Any) -> Any:
    """Returns [..., elements]: whether the coordinate of each element's pair is out of range. wrong is [axes, ...]."""
    which = torch.from_numpy(e.coordinate).long() if axes > 1 else torch.zeros(e.pairs, dtype=torch.int64)
    of_pairs = wrong.reshape(axes, *(wrong.shape[1:] if axes > 1 else wrong.shape))[which].movedim(0, -1)
    index = torch.from_numpy(pair_of)
    return of_pairs[..., index.clamp(min=0)] & (index >= 0)


# ---- cosines and sines ---------------------------------------------------------------------------------------------


def _cos_sin(positions: Any, words: Any, coordinate: Any, plan: Any, amplitude: float, layout: int, shift: int,
             width: int, axes: int, dtype: Any) -> Tuple[Any, Any]:
    if width != 2 * coordinate.shape[0]:
        raise ValueError(f"width must be {2 * coordinate.shape[0]}, twice the number of pairs, not {width}")
    device = words.device
    which = _serves(device, words, positions, dtype)
    if which == "triton":
        from . import _launch
        return _launch.cos_sin(positions, words, coordinate, amplitude, layout, shift, axes, dtype)
    cos, sin = cos_sin_cpu(positions, _encoding_of(plan), axes, dtype)
    return (cos, sin) if device.type == "cpu" else (cos.to(device), sin.to(device))


def cos_sin_cpu(positions: Any, e: Encoding, axes: int, dtype: Any, back: bool = False) -> Tuple[Any, Any]:
    positions = _listed(positions)
    found = _out_of_range(positions)
    if found is not None:
        positions = found[0]
    shape = positions.shape[1:] if axes > 1 else positions.shape
    rows = positions.numel() // axes
    cos = torch.empty(*shape, e.width, dtype=dtype)  # PyTorch reads separate numbers faster than a tuple
    sin = torch.empty_like(cos)
    if rows:
        at = _at(positions, axes, rows)
        if back:
            at = lib.pe_back(at)
        if dtype == torch.float64:
            _doubles(e, positions, axes, back, cos, sin)
        else:
            checked(_CALLS["rope_table", dtype](e.plan._plan, at, rows, c.PE_ROPE_TABLE_TWICE, cos.data_ptr(), sin.data_ptr(),
                                                e.width, None))
    if found is not None:
        wrong = _wrong_elements(e, found[1], axes, e.pair_of[e.offset:e.offset + e.width])
        cos.masked_fill_(wrong, float("nan"))
        sin.masked_fill_(wrong, float("nan"))
    return cos, sin


def _doubles(e: Encoding, positions: Any, axes: int, back: bool, cos: Any, sin: Any) -> None:
    """Fills cos and sin with doubles, which the library makes only as rows of a plan of one coordinate."""
    if e.single is None:
        raise TypeError("rope has no cosines and sines in float64: it has several coordinates whose pairs do not share "
                        "the frequencies of one plan, or fills its rows in another order")
    rows, pairs = positions.numel() // axes, e.pairs
    cosines, sines = numpy.empty((rows, pairs)), numpy.empty((rows, pairs))
    whole = positions.reshape(axes, rows)
    made = numpy.empty((rows, 2 * pairs))
    for axis in range(axes):
        own = whole[axis].to(torch.float64) + e.shift
        at = _at(own, 1, rows)
        checked(_CALLS["fill", torch.float64](e.single._plan, lib.pe_back(at) if back else at, rows, made.ctypes.data,
                                              2 * pairs))
        s, k = (made[:, :pairs], made[:, pairs:]) if e.halves else (made[:, 0::2], made[:, 1::2])
        mine = slice(None) if axes == 1 else e.coordinate == axis
        sines[:, mine], cosines[:, mine] = s[:, mine], k[:, mine]
    if axes > 1 or e.is_still.any():
        sines[:, e.is_still], cosines[:, e.is_still] = 0, e.amplitude
    for numbers, to in ((cosines, cos), (sines, sin)):
        twice = numpy.concatenate([numbers, numbers], 1) if e.halves else numbers.repeat(2, 1)
        to.view(rows, 2 * pairs).copy_(torch.from_numpy(twice))


# ---- rotation ------------------------------------------------------------------------------------------------------


def _like(x: Any) -> Any:
    """Returns a new tensor with the shape of x, whose last axis is contiguous. If x is dense and its last axis is
    contiguous, the new tensor has the strides of x."""
    made = torch.empty_like(x)
    if x.dim() and made.stride(-1) != 1 and x.shape[-1] > 1:
        made = torch.empty_like(x, memory_format=torch.contiguous_format)
    return made


def _groups(x: Any, y: Any, axes: List[int]) -> Tuple[Tuple[int, int, int], List[Tuple[int, int]]]:
    """Returns the heads of x and y along these axes: their number and strides along one axis, and the offsets along the
    other axes."""
    merged: List[Tuple[int, int, int]] = []
    for k in axes:
        n, sx, sy = x.shape[k], x.stride(k), y.stride(k)
        if n == 1:
            continue
        if merged and merged[-1][1] == sx * n and merged[-1][2] == sy * n:
            merged[-1] = (merged[-1][0] * n, sx, sy)
        else:
            merged.append((n, sx, sy))
    inner = merged.pop(max(range(len(merged)), key=lambda k: merged[k][0])) if merged else (1, 0, 0)
    offsets = [(sum(i * g[1] for i, g in zip(index, merged)), sum(i * g[2] for i, g in zip(index, merged)))
               for index in itertools.product(*(range(g[0]) for g in merged))]
    return inner, offsets


def _rotate_cpu(x: Any, y: Any, positions: Any, e: Encoding, layout: int, axis: int, axes: int, back: bool) -> None:
    """Rotates x into y, which may be the same tensor."""
    if x.numel() == 0:
        return
    if y.stride(-1) != 1 and y.shape[-1] > 1:  # the library writes only contiguous elements
        made = torch.empty_like(y, memory_format=torch.contiguous_format)
        _rotate_cpu(x, made, positions, e, layout, axis, axes, back)
        y.copy_(made)
        return
    if layout in (TO_HALVES, TO_INTERLEAVED):
        part = slice(e.offset, e.offset + e.width)
        source = x.clone(memory_format=torch.contiguous_format)
        if layout == TO_HALVES:
            pairs = x[..., part].unflatten(-1, (-1, 2))
            source[..., part] = pairs.transpose(-1, -2).flatten(-2)
        _rotate_cpu(source, source, positions, e, HALVES, axis, axes, back)
        if layout == TO_INTERLEAVED:
            pairs = source[..., part].unflatten(-1, (2, -1))
            source[..., part] = pairs.transpose(-1, -2).flatten(-2).clone()
        y.copy_(source)
        return
    positions = _listed(positions)
    found = _out_of_range(positions)
    if found is not None:
        positions = found[0]
    if x.dtype == torch.float64:
        if not e.is_whole:
            raise TypeError("float64 is rotated only by plans in which one layout, sine first, spans all elements that "
                            f"rotate, not by {e.plan!r}")
        cos, sin = cos_sin_cpu(positions, e, axes, torch.float64, back)
        y.copy_(_rotated_by(x, cos, sin, e, axis))
    elif not _rotate_library(x, y, positions, e, axis, axes, back):
        _rotate_library(x.clone(memory_format=torch.contiguous_format), y, positions, e, axis, axes, back)
    if found is not None:
        wrong = _wrong_elements(e, found[1], axes, e.pair_of)
        y.masked_fill_(_beside_heads(wrong, x, axis), float("nan"))


def _rotate_library(x: Any, y: Any, positions: Any, e: Encoding, axis: int, axes: int, back: bool) -> bool:
    """Rotates x into y with libposenc. Returns False if it cannot, because heads of x share memory or overlap y."""
    tokens, last = x.dim() + axis, x.dim() - 1
    batched = positions.dim() - (axes > 1) == 2 and positions.shape[-2] > 1
    batches = x.shape[0] if batched else 1
    if x.stride(-1) != 1 and x.shape[-1] > 1:
        return False
    (heads, x_head, y_head), offsets = _groups(x, y, [k for k in range(int(batched), last) if k != tokens])
    size, call = _BYTES[x.dtype], _CALLS["rope_to", x.dtype]
    rows, width = x.shape[tokens], x.shape[-1]
    if any(x.stride(k) < width and x.shape[k] > 1 for k in range(last)):
        return False
    of_x, of_y = c.pe_heads(heads, x_head, x.stride(tokens)), c.pe_heads(heads, y_head, y.stride(tokens))
    for batch in range(batches):
        at = _at(positions, axes, rows, batch * rows)
        if back:
            at = lib.pe_back(at)
        from_x, to_y = (batch * x.stride(0), batch * y.stride(0)) if batched else (0, 0)
        for dx, dy in offsets:
            status = call(e.plan._plan, at, rows, width, x.data_ptr() + (from_x + dx) * size, of_x,
                          y.data_ptr() + (to_y + dy) * size, of_y)
            if status in (c.PE_ERR_SHAPE, c.PE_ERR_OVERLAP):
                return False
            checked(status)
    return True


def _beside_heads(rows: Any, x: Any, axis: int) -> Any:
    """Returns rows [T, n] or [B, T, n] with axes of length 1 for the heads of x, so that they can be multiplied with
    x."""
    shape = [1] * x.dim()
    shape[axis], shape[-1] = rows.shape[-2], rows.shape[-1]
    if rows.dim() == 3 and rows.shape[0] > 1:
        shape[0] = rows.shape[0]
    return rows.reshape(shape)


def _rotated_by(x: Any, cos: Any, sin: Any, e: Encoding, axis: int) -> Any:
    """Returns x rotated by cosines and sines in float32 or float64, with each product and each sum rounded. e.is_whole
    must be true."""
    cos, sin = _beside_heads(cos, x, axis), _beside_heads(sin, x, axis)
    part = x[..., e.offset:e.offset + e.width].to(cos.dtype)
    if e.halves:
        a, b = part.chunk(2, -1)
        k, s = cos[..., :e.pairs], sin[..., :e.pairs]
    else:
        a, b, k, s = part[..., 0::2], part[..., 1::2], cos[..., 0::2], sin[..., 0::2]
    first, second = a * k - b * s, b * k + a * s
    turned = torch.cat((first, second), -1) if e.halves else torch.stack((first, second), -1).flatten(-2)
    return torch.cat((x[..., :e.offset], turned.to(x.dtype), x[..., e.offset + e.width:]), -1)


def _rotate_tables(x: Any, y: Any, positions: Any, e: Encoding, layout: int, axis: int, axes: int, back: bool) -> None:
    """Rotates x into y on a device without kernels, by cosines and sines from the CPU. With an unusual layout, x is
    copied to the CPU and rotated there."""
    if e.is_whole and layout in (HALVES, INTERLEAVED):
        cos, sin = cos_sin_cpu(positions, e, axes, torch.float64 if x.dtype == torch.float64 else torch.float32, back)
        y.copy_(_rotated_by(x, cos.to(x.device), sin.to(x.device), e, axis))
        return
    there = x.detach().to("cpu", copy=True, memory_format=torch.contiguous_format)
    _rotate_cpu(there, there, positions, e, layout, axis, axes, back)
    y.copy_(there)


def _rotate_into(inputs: Tuple[Any, ...], outputs: Tuple[Any, ...], positions: Any, words: Any, coordinate: Any, plan: Any,
                 amplitude: float, layout: int, shift: int, width: int, offset: int, axis: int, axes: int,
                 back: bool) -> None:
    """Rotates each input into the output of the same number."""
    for y in outputs:
        if not y.is_inference():  # tells autograd, which may have kept y for a gradient
            torch.autograd.graph.increment_version(y)
    which = _serves(inputs[0].device, words, positions, inputs[0].dtype)
    if which == "triton" and all(x.dtype == inputs[0].dtype for x in inputs):
        from . import _launch
        _launch.rotate(inputs, outputs, positions, words, coordinate, amplitude, layout, shift, width, offset, axis, axes,
                       back)
        return
    e = _encoding_of(plan)
    for x, y in zip(inputs, outputs):
        if which == "libposenc":
            _rotate_cpu(x, y, positions, e, layout, axis, axes, back)
        else:
            _rotate_tables(x, y, positions, e, layout, axis, axes, back)


def _rotate(x: Any, *more: Any) -> Any:
    y = _like(x)
    _rotate_into((x,), (y,), *more)
    return y


def _rotate_qk(q: Any, k: Any, *more: Any) -> Tuple[Any, Any]:
    both = _like(q), _like(k)
    _rotate_into((q, k), both, *more)
    return both


def _rotate_out(x: Any, *more: Any) -> None:
    _rotate_into((x,), (more[-1],), *more[:-1])


def _rotate_qk_out(q: Any, k: Any, *more: Any) -> None:
    _rotate_into((q, k), more[-2:], *more[:-2])


# ---- sums ----------------------------------------------------------------------------------------------------------


def _like_sum(x: Any) -> Any:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _add(x: Any, positions: Any, words: Any, plan: Any, amplitude: float, halves: bool, cos_first: bool, shift: int,
         padding: Optional[int], scale: float, axes: int) -> Any:
    which = _serves(x.device, words, positions, x.dtype)
    if which == "triton" and axes == 1:
        y = _like_sum(x)
        from . import _launch
        _launch.add(x, y, positions, words, amplitude, halves, cos_first, shift, padding, scale)
        return y
    e = _encoding_of(plan)
    if which == "libposenc":
        return _add_cpu(x, positions, e, scale, axes)
    dtype = torch.float64 if x.dtype == torch.float64 else torch.float32
    rows = _add_cpu(torch.full((*(positions.shape[1:] if axes > 1 else positions.shape), x.shape[-1]), -0.0, dtype=dtype),
                    positions, e, 1.0, axes).to(x.device)
    return (x.to(dtype) * scale + _beside_heads(rows, x, -2)).to(x.dtype).contiguous()


def _add_cpu(x: Any, positions: Any, e: Encoding, scale: float, axes: int) -> Any:
    y = x.clone(memory_format=torch.contiguous_format)
    if x.numel() == 0:
        return y
    positions = _listed(positions)
    found = _out_of_range(positions)
    if found is not None:
        positions = found[0]
    rows, width = x.shape[-2], x.shape[-1]
    batched = positions.dim() - (axes > 1) == 2 and positions.shape[-2] > 1
    batches, inner = (x.shape[0], y[0].numel() // (rows * width)) if batched else (1, y.numel() // (rows * width))
    for batch in range(batches):
        at = _at(positions, axes, rows, batch * rows)
        to = y.data_ptr() + batch * y.stride(0) * _BYTES[x.dtype]
        checked(_CALLS["add_batch", x.dtype](e.plan._plan, at, rows, inner, scale, to, width, rows * width))
    if found is not None:
        wrong = (found[1].any(0) if axes > 1 else found[1]).unsqueeze(-1)
        y.masked_fill_(_beside_heads(wrong, x, -2), float("nan"))
    return y


# ---- registration --------------------------------------------------------------------------------------------------

_PLAN = "Tensor positions, Tensor words, Tensor coordinate, Tensor plan, float amplitude, int layout, int shift"
_MORE = f"{_PLAN}, int width, int offset, int axis, int axes, bool back"
_library = torch.library.Library("posenc", "DEF")
_library.define(f"cos_sin({_PLAN}, int width, int axes, ScalarType dtype) -> (Tensor, Tensor)")
_library.define(f"rotate(Tensor x, {_MORE}) -> Tensor")
_library.define(f"rotate_qk(Tensor q, Tensor k, {_MORE}) -> (Tensor, Tensor)")
_library.define(f"rotate_out(Tensor x, {_MORE}, Tensor(a!) out) -> ()")
_library.define(f"rotate_qk_out(Tensor q, Tensor k, {_MORE}, Tensor(a!) q_out, Tensor(b!) k_out) -> ()")
_library.define("add(Tensor x, Tensor positions, Tensor words, Tensor plan, float amplitude, bool halves, bool cos_first, "
                "int shift, int? padding, float scale, int axes) -> Tensor")
_FUNCTIONS: Any = {"cos_sin": _cos_sin, "rotate": _rotate, "rotate_qk": _rotate_qk, "rotate_out": _rotate_out,
                   "rotate_qk_out": _rotate_qk_out, "add": _add}
for _name, _function in _FUNCTIONS.items():
    _library.impl(_name, _function, "CompositeExplicitAutograd")


def _fake_cos_sin(positions: Any, words: Any, coordinate: Any, plan: Any, amplitude: float, layout: int, shift: int,
                  width: int, axes: int, dtype: Any) -> Tuple[Any, Any]:
    # The argument `width` gives the last size, because torch.compile may not know the sizes of the plan's tensors.
    shape = [*(positions.shape[1:] if axes > 1 else positions.shape), width]
    return words.new_empty(shape, dtype=dtype), words.new_empty(shape, dtype=dtype)


_FAKES: Any = {"cos_sin": _fake_cos_sin, "rotate": lambda x, *more: _like(x),
               "rotate_qk": lambda q, k, *more: (_like(q), _like(k)), "rotate_out": lambda *more: None,
               "rotate_qk_out": lambda *more: None, "add": lambda x, *more: _like_sum(x)}


for _name, _function in _FAKES.items():
    torch.library.register_fake(f"posenc::{_name}", _function, lib=_library)


def _keep(heads: int) -> Any:
    """Returns a function that saves what the rotation back needs: the inputs after the first `heads` ones."""
    def setup(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs[heads:heads + 4])
        ctx.numbers = inputs[heads + 4:]
    return setup


def _back_of(ctx: Any) -> Tuple[Any, ...]:
    amplitude, layout, *more, back = ctx.numbers
    return (*ctx.saved_tensors, amplitude, BACK_FROM[layout], *more, not back)


def _rotate_backward(ctx: Any, grad: Any) -> Tuple[Any, ...]:
    return (torch.ops.posenc.rotate(grad, *_back_of(ctx)), *[None] * 12)


def _rotate_qk_backward(ctx: Any, grad_q: Any, grad_k: Any) -> Tuple[Any, ...]:
    return (*torch.ops.posenc.rotate_qk(grad_q, grad_k, *_back_of(ctx)), *[None] * 12)


def _keep_scale(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.scale = inputs[9]


def _add_backward(ctx: Any, grad: Any) -> Tuple[Any, ...]:
    return (grad if ctx.scale == 1 else grad * ctx.scale, *[None] * 10)


torch.library.register_autograd("posenc::rotate", _rotate_backward, setup_context=_keep(1), lib=_library)
torch.library.register_autograd("posenc::rotate_qk", _rotate_qk_backward, setup_context=_keep(2), lib=_library)
torch.library.register_autograd("posenc::add", _add_backward, setup_context=_keep_scale, lib=_library)
