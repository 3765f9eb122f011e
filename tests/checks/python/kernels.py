# SPDX-License-Identifier: MIT
"""kernels.py: the kernels of posenc.torch fuse no product with a sum, flush no subnormal and call no function. They are
compiled for NVIDIA's and AMD's GPUs, which need not be there. The code is read: the bits are compared by gpu.py."""
import re
import sys

from posenc import _kernels, _launch
from triton import compile
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

WRONG = {"ptx": r"\bfma\.|\bmad\.[a-z.]*f(16|32|64)|\.ftz|\bcall", "amdgcn": r"v_(pk_)?(fma|mad|fmac|mac)_\w*f(16|32|64)|s_swappc"}
PRODUCT = {"ptx": r"\bmul\.[a-z.]*f32", "amdgcn": r"v_(pk_|dual_)?mul_f32"}


def source(kernel, pointers, floats=(), **constants):
    """A kernel with arguments of these types; the others are whole numbers."""
    names = kernel.arg_names
    signature = {name: "constexpr" if name in constants else pointers.get(name, "fp32" if name in floats else "i32")
                 for name in names}
    signature.update({name: "i64" for name in ("shift", "padding") if name in signature})
    return ASTSource(fn=kernel, signature=signature, constexprs=constants)


def main():
    failed = 0
    pair = {"PAIRS": 40, "PAIRS_2": 64, "TOKENS": 1, "SCALED": True, "GUARD": False}
    lists = {"positions_ptr": "*i64", "words_ptr": "*i32", "coordinate_ptr": "*i32"}
    for kind, target in (("ptx", GPUTarget("cuda", 90, 32)), ("amdgcn", GPUTarget("hip", "gfx942", 64))):
        for name, element, format in (("bfloat16", "*i16", 8),):
            heads = {name: element for name in ("q_ptr", "qo_ptr", "k_ptr", "ko_ptr")}
            for what, made in (
                    ("rotation", source(_kernels.rotate_kernel, {**lists, **heads}, Q_HEADS=8, K_HEADS=2, HEADS=8, OFFSET=0,
                                        REST=16, REST_2=16, AXES=1, IN_HALVES=True, OUT_HALVES=True, BACK=False,
                                        FORMAT=format, **pair)),
                    ("sum", source(_kernels.add_kernel, {**lists, "x_ptr": element, "y_ptr": element}, ("scale",), HALVES=False,
                                   COS_FIRST=False, HAS_PADDING=False, FORMAT=format, **pair))):
                code = compile(made, target=target, options={"enable_fp_fusion": False, "num_warps": 2}).asm[kind]
                wrong = sorted(set(re.findall(rf".*(?:{WRONG[kind]}).*", code)) and
                               {line.strip() for line in code.splitlines() if re.search(WRONG[kind], line)})
                products = len(re.findall(PRODUCT[kind], code))
                ok = not wrong and products > 0
                failed += not ok
                print(f"{'ok  ' if ok else 'FAIL'} {what}, {name}, {kind}: {products} products of floats {wrong[:4]}")
    return failed > 0


assert not _launch._INTERPRETED
if __name__ == "__main__":
    sys.exit(main())
