# SPDX-License-Identifier: MIT
"""Sends tensors on the CPU through the kernels of posenc.torch, in Triton's interpreter. TRITON_INTERPRET=1 must be set
before this module is imported, because Triton reads it where a kernel is defined."""
from posenc import _kernels, _ops


def prepare(module):
    """Rewrites the functions that the kernels of a module call. Otherwise each call would patch Triton's language
    again."""
    for name, function in list(vars(module).items()):
        if hasattr(function, "rewrite") and not name.endswith("_kernel"):
            setattr(module, name, function.rewrite())


def use_kernels():
    _ops._cpu_backend = "triton"
    prepare(_kernels)
