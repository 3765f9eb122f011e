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


def all_rows():
    """Yield (function, rows, d, first, fill) for every package there is."""
    versions = {}
    table = []
    try:
        import numpy

        versions["numpy"] = numpy.__version__
        for name, dtype in (("numpy_f32", numpy.float32), ("numpy_f64", numpy.float64)):
            table += [(name,) + row for row in numpy_rows(numpy, dtype)]
    except ImportError:
        pass
    try:
        import torch

        torch.set_num_threads(1)
        versions["torch"] = torch.__version__
        table += [("torch", *row) for row in torch_rows(torch)]
    except ImportError:
        pass
    return versions, table


def main():
    repetitions, seconds = int(sys.argv[1]), float(sys.argv[2])
    versions, table = all_rows()
    measured = []
    for repetition in range(repetitions):
        for index, (name, rows, d, first, fill) in enumerate(table):
            calls, real, cpu = 0, time.perf_counter(), time.thread_time()
            while calls == 0 or time.perf_counter() - real < seconds:
                fill()
                calls += 1
            real, cpu = time.perf_counter() - real, time.thread_time() - cpu
            shape = f"{rows}x{d}" + (f"@{first}" if first else "")
            pairs = rows * d // 2
            measured.append({
                "run_type": "iteration",
                "family_index": 10000 + index,
                "run_name": f"fill/{shape}/f32/{name}/python",
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
