#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fill tables with numpy and torch as users do, and print rows as a bench program's JSON has them.

Run by bench.py. A package that is not installed leaves its rows out.
"""
import json
import os
import sys
import time

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"

SHAPES = [(512, 512, 0), (4096, 1024, 0), (131072, 512, 0), (512, 512, 16000000)]


def tables(rows, d, first, fill):
    shape = f"{rows}x{d}" + (f"@{first}" if first else "")
    return f"fill/{shape}", rows * d // 2, fill


def numpy_rows(np, dtype):
    """An output array given beforehand; the angle in `dtype`, the output in float32."""
    for rows, d, first in SHAPES:
        frequency = (10000.0 ** (-np.arange(0, d, 2) / d)).astype(dtype)
        position = np.arange(first, first + rows).astype(dtype)
        out = np.zeros((rows, d), np.float32)

        def fill(frequency=frequency, position=position, out=out):
            angle = position[:, None] * frequency
            np.sin(angle, out=out[:, 0::2], casting="same_kind")
            np.cos(angle, out=out[:, 1::2], casting="same_kind")

        yield rows, d, first, fill


def torch_rows(torch):
    """The lines found in most tutorials: a new table each time."""
    for rows, d, first in SHAPES:

        def fill(rows=rows, d=d, first=first):
            position = torch.arange(first, first + rows, dtype=torch.float32).unsqueeze(1)
            frequency = torch.exp(torch.arange(0, d, 2) * (-9.210340371976184 / d))
            out = torch.zeros(rows, d)
            out[:, 0::2] = torch.sin(position * frequency)
            out[:, 1::2] = torch.cos(position * frequency)
            return out

        yield rows, d, first, fill


def torch_rope_rows(torch):
    """RoPE of [tokens, 32, 128] as Hugging Face and Meta write it, with cosines and sines made before."""
    heads, d = 32, 128
    for tokens in (1, 2048, 16384):
        angle = torch.outer(torch.arange(tokens).float(), 500000.0 ** (-torch.arange(0, d, 2) / d))
        x = torch.zeros(tokens, heads, d)
        cosine = torch.cat((angle, angle), -1).cos()[:, None]
        sine = torch.cat((angle, angle), -1).sin()[:, None]
        turns = torch.polar(torch.ones_like(angle), angle)[:, None]

        def rotate_half(x=x, cosine=cosine, sine=sine):
            a, b = x[..., : d // 2], x[..., d // 2:]
            return x * cosine + torch.cat((-b, a), -1) * sine

        def complex_product(x=x, turns=turns, tokens=tokens):
            pairs = torch.view_as_complex(x.reshape(tokens, heads, d // 2, 2))
            return torch.view_as_real(pairs * turns).flatten(-2)

        for name, turn in (("torch_rotate_half", rotate_half), ("torch_complex", complex_product)):
            yield name, f"rope/{tokens}x{heads}x{d}", tokens * heads * d // 2, turn


def all_rows():
    """Yield (function, verb/shape, pairs, call) for every package there is."""
    versions = {}
    table = []
    try:
        import numpy

        versions["numpy"] = numpy.__version__
        for name, dtype in (("numpy_f32", numpy.float32), ("numpy_f64", numpy.float64)):
            table += [(name, *tables(*row)) for row in numpy_rows(numpy, dtype)]
    except ImportError:
        pass
    try:
        import torch

        torch.set_num_threads(1)
        versions["torch"] = torch.__version__
        table += [("torch", *tables(*row)) for row in torch_rows(torch)]
        table += torch_rope_rows(torch)
    except ImportError:
        pass
    return versions, table


def main():
    repetitions, seconds = int(sys.argv[1]), float(sys.argv[2])
    versions, table = all_rows()
    measured = []
    for repetition in range(repetitions):
        for index, (name, what, pairs, fill) in enumerate(table):
            calls, real, cpu = 0, time.perf_counter(), time.thread_time()
            while calls == 0 or time.perf_counter() - real < seconds:
                fill()
                calls += 1
            real, cpu = time.perf_counter() - real, time.thread_time() - cpu
            measured.append({
                "run_type": "iteration",
                "family_index": 10000 + index,
                "run_name": f"{what}/f32/{name}/python",
                "ns_per_pair": cpu / calls / pairs * 1e9,
                "GB/s": pairs * 8 * calls / cpu * 1e-9,
                "bytes": pairs * 8,
                "real_time": real / calls * 1e9,
                "cpu_time": cpu / calls * 1e9,
            })
        if table:
            print(f"python  {100 * (repetition + 1) // repetitions:3d}%", file=sys.stderr)
    json.dump({"context": {"build": "python", **versions}, "benchmarks": measured}, sys.stdout)


main()
