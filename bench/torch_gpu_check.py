# SPDX-License-Identifier: MIT
"""torch_gpu_check.py [--small]: verifies posenc.torch on a GPU against libposenc by bits, then times it.

Compares 1e8 pairs of cosines and sines, and 1e8 rotated elements forward and backward, in float32, float16 and bfloat16.
Times the rotation of q alone, in place, and of q and k. Its peers are torch code and a copy of q, which moves as much
memory.
--small does a thousandth of the work, on a CPU if there is no GPU. It has not run on a GPU yet.
"""
import sys
import time

import numpy as np
import posenc
import posenc.torch as modules
import torch

SMALL = "--small" in sys.argv
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
ROPE = posenc.Rope(128, rope_theta=500000, rope_type="llama3", factor=8, low_freq_factor=1, high_freq_factor=4,
                   original_max_position_embeddings=8192)
TYPES = {torch.float32: torch.int32, torch.float16: torch.int16, torch.bfloat16: torch.int16}
WORK = 100_000 if SMALL else 100_000_000


def differ(got, want):
    kind = TYPES[want.dtype]
    return int((got.cpu().view(kind) != want.view(kind)).sum())


def verify():
    wrong = 0
    for dtype in TYPES:
        tokens, pairs, elements = 1563 if SMALL else 65536, 0, 0
        while pairs < WORK / 3:
            positions = torch.randint(-2**31, 2**31, (tokens,))
            made = tuple(torch.empty(tokens, 128, dtype=dtype) for _ in range(2))
            ROPE.table(positions.numpy(), layout="twice", out=made)
            got = modules.Rotary(ROPE)(torch.zeros(1, dtype=dtype, device=DEVICE), positions.to(DEVICE))
            wrong += sum(differ(a, b) for a, b in zip(got, made))
            pairs += tokens * 64
        while elements < WORK / 3:
            positions = torch.randint(-2**31 + 1, 2**31, (tokens // 16,))
            x = torch.randn(1, 4, tokens // 16, 128).to(dtype)
            here = x.clone().to(DEVICE).requires_grad_()
            y = modules.rotate(here, ROPE, positions.to(DEVICE))
            back, = torch.autograd.grad(y, here, x.to(DEVICE))
            for got, at in ((y.detach(), positions), (back, -positions)):
                want = x.clone()
                ROPE.rotate(want, at=at.numpy())
                wrong += differ(got.contiguous(), want)
            elements += x.numel()
        print(f"{dtype}: {pairs} pairs, {elements} elements forward and backward, {wrong} other bits so far", flush=True)
    return wrong


def microseconds(call):
    """The median of 50 calls; on a GPU between events."""
    times = []
    for _ in range(10):
        call()
    for _ in range(50):
        if DEVICE == "cuda":
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            call()
            end.record()
            end.synchronize()
            times.append(1000 * start.elapsed_time(end))
        else:
            start = time.perf_counter()
            call()
            times.append(1e6 * (time.perf_counter() - start))
    return float(np.median(times))


def compute():
    for tokens, heads in ((16, 8),) if SMALL else ((16384, 40), (16384, 8), (8192, 32), (8192, 8), (4096, 40), (256, 40)):
        q = torch.randn(1, tokens, heads, 128, device=DEVICE).bfloat16().transpose(1, 2)
        k = torch.randn(1, tokens, 8, 128, device=DEVICE).bfloat16().transpose(1, 2)
        ids = torch.arange(tokens, device=DEVICE)
        cos, sin = modules.Rotary(ROPE)(q, ids)
        line = {"rotate": lambda: modules.rotate(q, ROPE, ids), "in place": lambda: modules.rotate(q, ROPE, ids, out=q),
                "q and k": lambda: modules.rotate_qk(q, k, ROPE, ids), "a copy of q": q.clone,
                "cosines and sines": lambda: modules.Rotary(ROPE)(q, ids), "rotate_by": lambda: modules.rotate_by(q, cos, sin)}
        print(f"{tokens} x {heads}, us: " + ", ".join(f"{name} {microseconds(call):.1f}" for name, call in line.items()),
              flush=True)


def main():
    print(f"# posenc {posenc.__version__}, {modules.backend(DEVICE)} on "
          f"{torch.cuda.get_device_name() if DEVICE == 'cuda' else 'a CPU'}, torch {torch.__version__}")
    wrong = verify()
    compute()
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
