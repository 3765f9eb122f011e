# SPDX-License-Identifier: MIT
"""kernels.py: checks that the kernels of posenc.torch fuse no product with a sum, flush no subnormal and call no
function. It compiles them for NVIDIA's and AMD's GPUs, which need not be present, and reads the code; gpu.py compares
the bits. The kernels with which bench/torch_gpu.py compares them must compile for these GPUs, and compute no sines."""
import os
import re
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../bench"))
import torch_gpu_kernels
from posenc import _kernels, _launch
from triton import compile
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

WRONG = {"ptx": r"\bfma\.|\bmad\.[a-z.]*f(16|32|64)|\.ftz|\bcall", "amdgcn": r"v_(pk_)?(fma|mad|fmac|mac)_\w*f(16|32|64)|s_swappc"}
SINES = {"ptx": r"\bmul\.hi\.u32", "amdgcn": r"v_mul_hi_u32"}
PRODUCT = {"ptx": r"\bmul\.[a-z.]*f32", "amdgcn": r"v_(pk_|dual_)?mul_f32"}


def source(kernel, pointers, floats=(), **constants):
    """Returns a kernel with arguments of these types. The other arguments are whole numbers."""
    names = kernel.arg_names
    signature = {name: "constexpr" if name in constants else pointers.get(name, "fp32" if name in floats else "i32")
                 for name in names}
    signature.update({name: "i64" for name in ("shift", "padding") if name in signature})
    return ASTSource(fn=kernel, signature=signature, constexprs=constants)


def programs():
    """Yields kernels for bfloat16, whose elements are int16 for them."""
    pair = {"PAIRS": 40, "PAIRS_2": 64, "TOKENS": 1, "SCALED": True, "GUARD": False, "FORMAT": 8}
    lists = {"positions_ptr": "*i64", "words_ptr": "*i32", "coordinate_ptr": "*i32"}
    heads = {name: "*i16" for name in ("q_ptr", "qo_ptr", "k_ptr", "ko_ptr")}
    yield "sum", source(_kernels.add_kernel, {**lists, "x_ptr": "*i16", "y_ptr": "*i16"}, ("scale",), HALVES=False,
                        COS_FIRST=False, HAS_PADDING=False, **pair)
    for name, module in (("rotation", _kernels), ("constants", torch_gpu_kernels.kernels_with(torch_gpu_kernels.constants)),
                         ("rows", torch_gpu_kernels.kernels_with(torch_gpu_kernels.rows))):
        yield name, source(module.rotate_kernel, {**lists, **heads}, Q_HEADS=8, K_HEADS=2, HEADS=8, OFFSET=0, REST=16,
                           REST_2=16, AXES=1, IN_HALVES=True, OUT_HALVES=True, BACK=False, **pair)


def main():
    failed = 0
    for kind, target in (("ptx", GPUTarget("cuda", 90, 32)), ("amdgcn", GPUTarget("hip", "gfx942", 64))):
        for name, made in programs():
            code = compile(made, target=target, options={"enable_fp_fusion": False, "num_warps": 2}).asm[kind]
            wrong = sorted({line.strip() for line in code.splitlines() if re.search(WRONG[kind], line)})
            products, sines = (len(re.findall(pattern[kind], code)) for pattern in (PRODUCT, SINES))
            ok = not wrong and products > 0 and (sines > 0) == (name in ("sum", "rotation"))
            failed += not ok
            print(f"{'ok  ' if ok else 'FAIL'} {name}, {kind}: {products} products of floats, {sines} of sines {wrong[:4]}",
                  flush=True)
    return failed > 0


assert not _launch._INTERPRETED
if __name__ == "__main__":
    sys.exit(main())
