# SPDX-License-Identifier: MIT
"""Measures posenc in Python beside what tutorials write in numpy, and in torch where it is installed, on one thread.

    python3 python/posenc_build.py build && pip install build/posenc-*.whl
    MALLOC_MMAP_THRESHOLD_=4000000000 MALLOC_TRIM_THRESHOLD_=8000000000 MALLOC_TOP_PAD_=500000000 \\
        python3 bench/python.py

Each line has the best of several runs in microseconds, and how many floats are not the exact number rounded.
The variables tell glibc to keep its memory. Asking the system for memory would take longer than anything measured here.
"""
import sys
import time

import numpy as np
import posenc

try:
    import torch
    torch.set_num_threads(1)
except ImportError:
    torch = None


def tutorial(positions, d_model):
    """As in the texts about the paper: double precision, rounded to float at the end."""
    pe = np.zeros((positions, d_model), np.float32)
    p = np.arange(positions)[:, None]
    w = np.exp(np.arange(0, d_model, 2) * (-np.log(10000.0) / d_model))
    pe[:, 0::2] = np.sin(p * w)
    pe[:, 1::2] = np.cos(p * w)
    return pe


def tutorial_torch(positions, d_model):
    """PyTorch's own tutorial: float32."""
    pe = torch.zeros(positions, d_model)
    p = torch.arange(positions).unsqueeze(1)
    w = torch.exp(torch.arange(0, d_model, 2) * (-np.log(10000.0) / d_model))
    pe[:, 0::2] = torch.sin(p * w)
    pe[:, 1::2] = torch.cos(p * w)
    return pe


def rotate_half(x, cos, sin):
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat((-b, a), -1) * sin


def time_of(call, seconds=0.4):
    best, stop = 1e9, time.perf_counter() + seconds
    while time.perf_counter() < stop:
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return 1e6 * best


def line(what, call, exact=None):
    wrong = "" if exact is None else f"{(np.asarray(call()) != exact).sum()} of {exact.size} wrong"
    print(f"  {what:44} {time_of(call):10.1f} us   {wrong}")


def main():
    print(f"posenc {posenc.__version__}, {posenc.isa()}, numpy {np.__version__}, torch {getattr(torch, '__version__', '-')}")
    for rows, d in ((4, 8), (512, 512), (4096, 1024)):
        exact = posenc.sinusoidal(rows, d)
        plan, out = posenc.Plan(d), np.empty((rows, d), np.float32)
        print(f"table {rows} x {d}")
        line("numpy", lambda: tutorial(rows, d), exact)
        if torch:
            line("torch", lambda: tutorial_torch(rows, d), exact)
        line("posenc.sinusoidal", lambda: posenc.sinusoidal(rows, d), exact)
        line("plan.fill into an array", lambda: plan.fill(0, out=out), exact)
        line("x += a kept table, numpy", lambda: np.add(out, exact, out=out))
        line("plan.add, sines included", lambda: plan.add(out))
    for tokens, heads in ((1, 32), (512, 32)) if torch else ():
        print(f"RoPE, {tokens} tokens, {heads} heads of 128")
        rope, x = posenc.Rope(128, rope_theta=500000), torch.randn(heads, tokens, 128)
        cos, sin = (torch.from_numpy(t) for t in rope.table(range(tokens), layout="twice"))
        line("torch, rotate_half by a table", lambda: rotate_half(x, cos, sin))
        line("rope.rotate, sines included", lambda: rope.rotate(x))


if __name__ == "__main__":
    sys.exit(main())
