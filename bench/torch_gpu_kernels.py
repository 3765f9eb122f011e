# SPDX-License-Identifier: MIT
"""The kernel that rotates in posenc.torch, with other sources of its cosines and sines: constants, or rows of a table. The
benchmark compares it with these."""
import contextlib
import importlib.util

import triton
import triton.language as tl
from posenc import _kernels, _launch


@triton.jit
def constants(position, valid, i, mask, words_ptr, mantissa_high, mantissa_low, exponent, amplitude_sign,
              SCALED: tl.constexpr, FORMAT: tl.constexpr):
    """Returns the bits of 0.6 and 0.8 for every pair. The kernel then takes as long as memory does."""
    zero = (position + i).to(tl.uint32) * 0
    return zero + 0x3F19999A, zero + 0x3F4CCCCD


@triton.jit
def rows(position, valid, i, mask, words_ptr, mantissa_high, mantissa_low, exponent, amplitude_sign,
         SCALED: tl.constexpr, FORMAT: tl.constexpr):
    """Returns the bits of a row of float32 numbers, 64 cosines and then 64 sines, in place of the words of a plan."""
    at = words_ptr + (position * 128 + i)
    sine = tl.load(at + 64, valid & mask, 0)
    return sine.to(tl.uint32, bitcast=True), tl.load(at, valid & mask, 0).to(tl.uint32, bitcast=True)


def kernels_with(sines):
    """Returns the module of the kernels, loaded a second time, with this function in place of sine_cosine()."""
    spec = importlib.util.spec_from_file_location(f"posenc._kernels_with_{sines.__name__}", _kernels.__file__)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.sine_cosine = sines
    return module


@contextlib.contextmanager
def launching(module):
    """While this is open, posenc.torch launches the kernels of a module."""
    _launch._kernels = module
    try:
        yield
    finally:
        _launch._kernels = _kernels
