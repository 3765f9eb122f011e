#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fill tables, and add them, with numpy and torch as users do; print rows as a bench program does.

    peers.py REPETITIONS SECONDS [--quick]

Run by bench.py. A package that is not installed leaves its rows out.
"""
import json
import os
import sys
import time

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"

SHAPES = [(512, 512, 0), (4096, 1024, 0), (131072, 512, 0)]
FILLED = SHAPES[:2 if "--quick" in sys.argv else 3] + [(512, 512, 16000000)]


def numpy_fill(np, rows, d, first, angle, kind=None):
    """All arrays given beforehand; the angle in `angle`, the output in `kind` or float32."""
    frequency = (10000.0 ** (-np.arange(0, d, 2) / d)).astype(angle)
    position = np.arange(first, first + rows).astype(angle)
    out, angles = np.ones((rows, d), kind or np.float32), np.ones((rows, d // 2), angle)

    def fill():
        np.multiply(position[:, None], frequency, out=angles)
        np.sin(angles, out=out[:, 0::2], casting="same_kind")
        np.cos(angles, out=out[:, 1::2], casting="same_kind")

    return fill


def torch_fill(torch, rows, d, first, kind):
    """The lines found in most tutorials: a new table each time."""

    def fill():
        position = torch.arange(first, first + rows, dtype=torch.float32).unsqueeze(1)
        frequency = torch.exp(torch.arange(0, d, 2) * (-9.210340371976184 / d))
        out = torch.zeros(rows, d, dtype=kind)
        out[:, 0::2] = torch.sin(position * frequency)
        out[:, 1::2] = torch.cos(position * frequency)
        return out

    return fill


def numpy_rows(np):
    for rows, d, first in FILLED:
        fill = lambda *kinds: numpy_fill(np, rows, d, first, *kinds)
        yield "fill", rows, d, first, "f32", "numpy_f32", fill(np.float32)
        yield "fill", rows, d, first, "f32", "numpy_f64", fill(np.float64)
        if first == 0:
            yield "fill", rows, d, first, "f64", "numpy_f64", fill(np.float64, np.float64)
    for rows, d, first in SHAPES:
        table, x = np.ones((rows, d), np.float32), np.ones((rows, d), np.float32)
        yield ("add", rows, d, first, "f32", "numpy_stored_table",
               lambda table=table, x=x: np.add(x, table, out=x))


def torch_rows(torch):
    kinds = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
    for rows, d, first in FILLED:
        for kind, dtype in kinds.items():
            if kind == "f32" or rows == 512 and first == 0:
                yield ("fill", rows, d, first, kind, "torch",
                       torch_fill(torch, rows, d, first, dtype))
    for rows, d, first in SHAPES:
        for kind, dtype in kinds.items():
            table, x = torch.ones(rows, d, dtype=dtype), torch.ones(rows, d, dtype=dtype)
            yield ("add", rows, d, first, kind, "torch_stored_table",
                   lambda table=table, x=x: x.add_(table))
            if kind == "f32":
                yield ("add", rows, d, first, kind, "torch_new_tensor",
                       lambda table=table, x=x: x + table)


def torch_rope_rows(torch):
    """RoPE of [tokens, 32, 128] as Hugging Face and Meta write it, from stored cosines and sines."""
    heads, d = 32, 128
    for tokens in (1, 2048) if "--quick" in sys.argv else (1, 2048, 16384):
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
            yield "rope", tokens, f"{heads}x{d}", 0, "f32", name, turn


def elements(d):
    """Returns the number of elements of a row: d is a number, or a product such as "32x128" for 32 heads of 128."""
    product = 1
    for factor in str(d).split("x"):
        product *= int(factor)
    return product


def all_rows():
    """All rows of the packages there are: (verb, rows, d, first, type, function, call)."""
    versions = {}
    table = []
    try:
        import numpy

        versions["numpy"] = numpy.__version__
        table += numpy_rows(numpy)
    except ImportError:
        pass
    try:
        import torch

        torch.set_num_threads(1)
        versions["torch"] = torch.__version__
        table += torch_rows(torch)
        table += torch_rope_rows(torch)
    except ImportError:
        pass
    return versions, table


def main():
    repetitions, seconds = int(sys.argv[1]), float(sys.argv[2])
    versions, table = all_rows()
    measured = []
    for repetition in range(repetitions):
        for index, (verb, rows, d, first, kind, name, work) in enumerate(table):
            calls, real, cpu = 0, time.perf_counter(), time.thread_time()
            while calls == 0 or time.perf_counter() - real < seconds:
                work()
                calls += 1
            real, cpu = time.perf_counter() - real, time.thread_time() - cpu
            shape = f"{rows}x{d}" + (f"@{first}" if first else "")
            pairs = rows * elements(d) // 2
            size = pairs * 2 * {"f64": 8, "f32": 4, "f16": 2, "bf16": 2}[kind]
            measured.append({
                "run_type": "iteration",
                "family_index": 10000 + index,
                "run_name": f"{verb}/{shape}/{kind}/{name}/python",
                "ns_per_pair": cpu / calls / pairs * 1e9,
                "GB/s": size * calls / cpu * 1e-9,
                "bytes": size,
                "real_time": real / calls * 1e9,
                "cpu_time": cpu / calls * 1e9,
            })
            if verb == "add":
                measured[-1]["traffic"] = 3 * measured[-1]["GB/s"]
        if table:
            print(f"python  {100 * (repetition + 1) // repetitions:3d}%", file=sys.stderr)
    json.dump({"context": {"build": "python", **versions}, "benchmarks": measured}, sys.stdout)


main()
