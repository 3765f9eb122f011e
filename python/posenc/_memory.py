# SPDX-License-Identifier: MIT
"""Finds the memory of the caller's arrays, and checks all that must be true before the library may write there."""
from __future__ import annotations

import ctypes
import sys
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

import numpy

from ._check import converted, shown, whole

# numpy has no bfloat16. x.view(posenc.bfloat16) marks an array of uint16 as the bits of bfloat16 numbers. Arrays with
# the bfloat16 of ml_dtypes, and torch's tensors, need no such mark.
bfloat16 = numpy.dtype([("bfloat16", numpy.uint16)])
_NUMPY = {numpy.dtype(numpy.float32): "f32", numpy.dtype(numpy.float64): "f64", numpy.dtype(numpy.float16): "f16",
          bfloat16: "bf16"}
_NAMES = {"f32": "float32", "f64": "float64", "f16": "float16", "bf16": "bfloat16"}
KINDS = {"f32": ctypes.c_float, "f64": ctypes.c_double, "f16": ctypes.c_uint16, "bf16": ctypes.c_uint16}
BYTES = {"f32": 4, "f64": 8, "f16": 2, "bf16": 2}


class Memory(NamedTuple):
    pointer: int
    type: str  # as in the names of the library's functions
    shape: Tuple[int, ...]
    strides: Tuple[int, ...]  # in elements
    owner: Any


def type_of(dtype: Any) -> str:
    """Returns f32, f64, f16 or bf16 for a dtype, or "" for another dtype of numpy."""
    found = _NUMPY.get(dtype, "")
    if not found and dtype.name == "bfloat16" and dtype.itemsize == 2 and dtype.isnative:
        return "bf16"
    return found


def dtype_named(dtype: Any) -> Any:
    """Returns numpy's dtype. "bfloat16" is that of ml_dtypes if the program has imported it, otherwise
    posenc.bfloat16."""
    if isinstance(dtype, str) and dtype == "bfloat16":
        known = sys.modules.get("ml_dtypes")
        return bfloat16 if known is None else numpy.dtype(known.bfloat16)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(dtype, torch.dtype):
        raise TypeError(f"dtype must be numpy's or a name, not {dtype}: for a tensor give out=")
    if dtype is None:  # numpy would take it for float64
        raise TypeError("dtype must be numpy's or a name, not None")
    return converted(numpy.dtype, dtype, "dtype", "numpy's or a name")


def is_tensor(x: Any) -> bool:
    """Returns whether x is a tensor, without importing torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Tensor)


def must_be_array(x: Any, name: str) -> None:
    """Raises TypeError unless x is an array or a tensor. Nested tensors are refused, since they have no shape."""
    if not isinstance(x, numpy.ndarray) and not (is_tensor(x) and not getattr(x, "is_nested", False)):
        raise TypeError(f"{name} must be a numpy array or a torch tensor on the CPU, not {type(x).__name__}")


def copied(x: Any, name: str) -> Any:
    """Returns a copy of an array or of a tensor, which may be read-only."""
    must_be_array(x, name)
    return converted(lambda given: given.copy() if isinstance(given, numpy.ndarray) else given.clone(), x, name,
                     "an array that can be copied")


def memory_of(x: Any, name: str, types: Sequence[str], least: int) -> Memory:
    """Returns the memory of an array that will be written. The array must have at least `least` axes, and its last axis
    must be contiguous."""
    must_be_array(x, name)
    if isinstance(x, numpy.ndarray):
        memory = _of_array(numpy.asarray(x), name)
    else:
        memory = _of_tensor(x, name, sys.modules["torch"])
    if memory.type not in types:
        raise TypeError(f"{name} must be {' or '.join(_NAMES[t] for t in types)} in this machine's byte order, not "
                        f"{x.dtype}" + (": bits of a bfloat16 are x.view(posenc.bfloat16)"
                                        if str(x.dtype) == "uint16" else ""))
    if len(memory.shape) < least:
        raise ValueError(f"{name} must have {least} axes or more, not {len(memory.shape)}")
    if memory.pointer % BYTES[memory.type] and 0 not in memory.shape:
        raise ValueError(f"{name} is not aligned to {BYTES[memory.type]} bytes: copy it first")
    if memory.shape[-1] > 1 and memory.strides[-1] != 1 and 0 not in memory.shape:
        raise ValueError(f"the last axis of {name} must be contiguous: its stride is {memory.strides[-1]} elements")
    return memory


def _of_array(x: Any, name: str) -> Memory:
    if not x.flags.writeable:
        raise ValueError(f"{name} is read-only, and is to be written in place")
    size = x.dtype.itemsize or 1
    if any(stride % size for stride, n in zip(x.strides, x.shape) if n > 1):
        raise ValueError(f"the strides of {name}, {x.strides} bytes, are not whole elements: copy it first")
    return Memory(x.ctypes.data, type_of(x.dtype), x.shape, tuple(stride // size for stride in x.strides), x)


def _of_tensor(x: Any, name: str, torch: Any) -> Memory:
    if x.device.type != "cpu" or x.layout != torch.strided:
        raise TypeError(f"{name} must be a dense tensor on the CPU, not {x.layout} on {x.device}")
    if x.requires_grad and torch.is_grad_enabled():
        raise ValueError(f"{name} requires grad: autograd does not see what is written in place; torch.no_grad()")
    if x.is_neg() or x.is_conj() or (x.numel() and not x.data_ptr()):
        raise ValueError(f"{name} is not what its memory says: x.resolve_neg(), or no fake tensor")
    types = {torch.float32: "f32", torch.float64: "f64", torch.float16: "f16", torch.bfloat16: "bf16"}
    return Memory(x.data_ptr(), types.get(x.dtype, ""), tuple(x.shape), tuple(x.stride()), x)


def written(x: Any) -> None:
    """Tells autograd, which may have kept a tensor for a gradient, that the tensor has changed."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor) and not x.is_inference():
        with torch.no_grad():
            x.narrow(0, 0, 0).zero_()


class Block(NamedTuple):
    """A block has the rows of an array that one call of the library serves. Strides count elements."""
    pointer: int
    rows: int
    row_stride: int
    groups: int  # heads or batches
    group_stride: int


def axis_of(axes: int, axis: Any, name: str) -> int:
    """Returns the index of the axis of rows, counted from 0. It may not be the last axis."""
    at = whole(axis, "axis", None, None)
    if not -axes <= at < axes or at % axes == axes - 1:
        raise ValueError(f"axis must be one of the {axes} axes of {name} before the last one, not {shown(axis)}")
    return at % axes


def blocks_of(m: Memory, axis: Any, width: int, name: str) -> List[Block]:
    """Returns an array as blocks of rows along this axis. The other axes except the last are groups, that is, heads or
    batches. There are several blocks if the groups have no common stride."""
    last = len(m.shape) - 1
    at = axis_of(len(m.shape), axis, name)
    if m.shape[last] != width:
        raise ValueError(f"the last axis of {name} must have {width} elements, not {m.shape[last]}")
    if 0 in m.shape:
        return []
    groups: List[Tuple[int, int]] = []
    for k in range(last):
        n, stride = m.shape[k], m.strides[k]
        if n == 1 or k == at:
            continue
        if groups and groups[-1][1] == stride * n:
            groups[-1] = (groups[-1][0] * n, stride)
        else:
            groups.append((n, stride))
    rows = m.shape[at]
    row_stride = m.strides[at] if rows > 1 else max([width] + [n * stride for n, stride in groups])
    # No two elements share memory if the stride of each axis is at least the extent of all axes with smaller strides.
    reach = 1
    axes = sorted(((s, n) for n, s in groups + [(rows, m.strides[at])] * (rows > 1)))
    for stride, n in [(1, width)] + axes:
        if stride < reach:
            raise ValueError(f"rows of {name} overlap or go backwards: its strides are {m.strides} elements, a row "
                             f"has {width}; copy it first")
        reach += (n - 1) * stride
    inner = groups.pop() if groups else (1, 0)
    pointers = [m.pointer]
    for n, stride in groups:
        pointers = [p + k * stride * BYTES[m.type] for p in pointers for k in range(n)]
    return [Block(p, rows, row_stride, inner[0], inner[1]) for p in pointers]


def overlap(a: Memory, b: Memory) -> bool:
    """Returns whether the address ranges of two arrays overlap."""
    def span(m: Memory) -> Tuple[int, int]:
        return m.pointer, m.pointer + BYTES[m.type] * (1 + sum((n - 1) * s for n, s in zip(m.shape, m.strides)))
    return max(span(a)[0], span(b)[0]) < min(span(a)[1], span(b)[1])

