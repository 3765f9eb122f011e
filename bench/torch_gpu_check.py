# SPDX-License-Identifier: MIT
"""torch_gpu_check.py [--small]: verifies posenc.torch on a GPU against libposenc, by bits. torch_gpu.py times it.

It compares 1e8 pairs of cosines and sines, and 1e8 rotated elements forward and backward, in float32, float16 and bfloat16.

--small does a thousandth of the work, on a CPU if there is no GPU. It has not run on a GPU yet.
"""
import sys

import posenc
import posenc.torch as modules
import torch

ROPE = posenc.Rope(128, rope_theta=500000, rope_type="llama3", factor=8, low_freq_factor=1, high_freq_factor=4,
                   original_max_position_embeddings=8192)
TYPES = {torch.float32: torch.int32, torch.float16: torch.int16, torch.bfloat16: torch.int16}


def differ(got, want):
    kind = TYPES[want.dtype]
    return int((got.cpu().view(kind) != want.view(kind)).sum())


def verify(device, work, tokens):
    """Compares `work` pairs and `work` elements, `tokens` tokens at a time. Returns the number of elements that differ."""
    wrong = 0
    for dtype in TYPES:
        pairs = elements = 0
        while pairs < work / 3:
            positions = torch.randint(-2**31, 2**31, (tokens,))
            made = tuple(torch.empty(tokens, 128, dtype=dtype) for _ in range(2))
            ROPE.table(positions.numpy(), layout="twice", out=made)
            got = modules.Rotary(ROPE)(torch.zeros(1, dtype=dtype, device=device), positions.to(device))
            wrong += sum(differ(a, b) for a, b in zip(got, made))
            pairs += tokens * 64
        while elements < work / 3:
            positions = torch.randint(-2**31 + 1, 2**31, (tokens // 16,))
            x = torch.randn(1, 4, tokens // 16, 128).to(dtype)
            here = x.clone().to(device).requires_grad_()
            y = modules.rotate(here, ROPE, positions.to(device))
            back, = torch.autograd.grad(y, here, x.to(device))
            for got, at in ((y.detach(), positions), (back, -positions)):
                want = x.clone()
                ROPE.rotate(want, at=at.numpy())
                wrong += differ(got.contiguous(), want)
            elements += x.numel()
        print(f"{dtype}: {pairs} pairs, {elements} elements forward and backward, {wrong} other bits so far", flush=True)
    return wrong


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    where = torch.cuda.get_device_name() if device == "cuda" else "a CPU"
    print(f"# posenc {posenc.__version__}, {modules.backend(device)} on {where}, torch {torch.__version__}")
    wrong = verify(device, 100_000, 1563) if "--small" in sys.argv else verify(device, 100_000_000, 65536)
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
