# SPDX-License-Identifier: MIT
"""parity.py PROGRAM: checks that pe's tables, used in the float32 code of PyTorch and Hugging Face, give pe's bits.

The code rotates with RoPE and adds to scaled embeddings. It runs in numpy, and in torch if that is installed.
"""
import subprocess
import sys

try:
    import numpy as np
except ImportError:
    print("SKIP: float32 code in numpy: python3-numpy is missing")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)
try:
    import torch
    TORCH = True
except ImportError:
    TORCH = False

F = np.float32


def rotate_half(x, cat):
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2:]
    return cat((-x2, x1), -1)


def rotate_every_two(x, stack):
    x1 = x[:, ::2]
    x2 = x[:, 1::2]
    return stack((-x2, x1), -1).reshape(x.shape)


def expressions(x, cos, sin, cat, stack):
    """Returns functions that compute what models compute, with numpy's arrays or torch's tensors."""
    return {
        "rotate_half": lambda: (x * cos) + (rotate_half(x, cat) * sin),
        "rotate_every_two": lambda: (x * cos) + (rotate_every_two(x, stack) * sin),
        "scaled": lambda: x * float(np.sqrt(F(96))) + sin,
    }


def same_bits(name, x, cos, sin, table):
    """Compares the table with numpy's result and torch's, and returns for each module 1 if the bits agree, otherwise 0."""
    results = {"numpy": expressions(x, cos, sin, np.concatenate, np.stack)[name]()}
    if TORCH:
        t = [torch.from_numpy(a.copy()) for a in (x, cos, sin)]
        results["torch"] = expressions(*t, torch.cat, torch.stack)[name]().numpy()
    else:
        print(f"SKIP: {name} in torch: torch is missing: make peers")
    for module, result in results.items():
        other = int((result.view(np.uint32) != table.view(np.uint32)).sum())
        print(f"{'FAIL' if other else 'ok  '} {name} in {module}: {other} of {table.size} elements differ")
        yield other == 0 and result.dtype == F


def main():
    data = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, check=True).stdout
    passed = failed = 0
    seen, given = set(), {}
    while data:
        line, data = data.split(b"\n", 1)
        name, rows, d = line.decode().split()
        n = int(rows) * int(d)
        table = np.frombuffer(data[: 4 * n], F).reshape(int(rows), int(d))
        data = data[4 * n:]
        given[name] = table
        if name not in ("x", "cos", "sin"):
            same = list(same_bits(name, given["x"], given["cos"], given["sin"], table))
            seen.add(name)
            passed, failed = passed + sum(same), failed + len(same) - sum(same)
    failed += seen != {"rotate_half", "rotate_every_two", "scaled"}
    print(f"{passed} passed, {failed} failed, {3 - TORCH * 3} skipped")
    return failed != 0


sys.exit(main())
