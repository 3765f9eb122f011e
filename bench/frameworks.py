# SPDX-License-Identifier: MIT
"""Counts the sines and cosines that differ between numpy, PyTorch, JAX and the exact values, on this machine.

    python3 python/posenc_build.py build && pip install build/posenc-*.whl torch jax
    python3 bench/frameworks.py [POSITIONS]

The table has positions 0 to 131,071, or as many as POSITIONS says, and 64 pairs, whose frequencies are those of heads
of 128 with base 500000. The frequencies are float32, and each angle is the float32 product of position and frequency,
as in the models' own code. A framework that is missing gets a line with SKIP. If a framework sees a GPU, it also
computes the table there. There are two tables of exact values, each of them rounded once. One has the sines and cosines
of these float32 angles, the other those of the exact product of position and frequency. docs/when.md has the figures.
"""
import itertools
import sys

import numpy as np
import posenc

PAIRS, ROWS = 64, 4096
FREQUENCIES = (500000.0 ** (-np.arange(PAIRS) / PAIRS)).astype(np.float32)


def numpy_functions():
    """Each of these functions returns a dictionary, of which frameworks() has the description."""
    return {"numpy %s" % np.__version__: lambda angle: np.concatenate((np.sin(angle), np.cos(angle)))}


def torch_functions():
    import torch

    def eager(angle):
        return torch.cat((torch.sin(angle), torch.cos(angle)))

    def on(device, function):
        return lambda angle: function(torch.from_numpy(angle).to(device)).cpu().numpy()

    found = {}
    for device in ["cpu"] + ["cuda"] * torch.cuda.is_available():
        place = torch.cuda.get_device_name() if device == "cuda" else "CPU"
        name = "torch %s" % torch.__version__.split("+")[0]
        found["%s, %s" % (name, place)] = on(device, eager)
        found["%s compiled, %s" % (name, place)] = on(device, torch.compile(eager, dynamic=False))
    return found


def jax_functions():
    import jax
    import jax.numpy as jnp

    def on(device):
        function = jax.jit(lambda angle: jnp.concatenate((jnp.sin(angle), jnp.cos(angle))))
        return lambda angle: np.asarray(function(jax.device_put(angle, device)))

    devices = {device.platform: device for device in jax.devices("cpu")[:1] + jax.devices()[:1]}
    return {"JAX %s, %s" % (jax.__version__, "CPU" if platform == "cpu" else device.device_kind): on(device)
            for platform, device in devices.items()}


def frameworks():
    """Returns a dictionary from a framework's name to its function from angles to sines, followed by the cosines."""
    found = {}
    for functions in (numpy_functions, torch_functions, jax_functions):
        try:
            found.update(functions())
        except ImportError as missing:
            print("SKIP: %s" % missing)
    return found


def exact(frequencies, positions):
    """Returns the sines, followed by the cosines, of the exact product of each position with each frequency."""
    return np.concatenate(posenc.sincos(frequencies.astype(np.float64), positions))


def exact_of(angle):
    """Returns the exact sines, followed by the cosines, of float32 angles: an angle is a frequency at position 1."""
    return exact(angle.ravel(), [1]).reshape(2 * len(angle), PAIRS)


def bfloat16(x):
    """Returns the 16 bits of each float in bfloat16, rounded to nearest even."""
    bits = x.view(np.uint32)
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def main(all_positions=131072):
    functions = frameworks()
    count = {}
    for first in range(0, all_positions, ROWS):
        positions = np.arange(first, min(first + ROWS, all_positions))
        angle = positions.astype(np.float32)[:, None] * FREQUENCIES
        tables = {name: function(angle) for name, function in functions.items()}
        tables["numpy in float64, cast to float32"] = np.concatenate(
            (np.sin(angle.astype(np.float64)), np.cos(angle.astype(np.float64)))).astype(np.float32)
        tables["exact values of the float32 angle"] = exact_of(angle)
        tables["exact values"] = exact(FREQUENCIES, positions)
        for one, other in itertools.combinations(tables, 2):
            a, b = tables[one], tables[other]
            differ = np.count_nonzero(a.view(np.uint32) != b.view(np.uint32)), np.count_nonzero(bfloat16(a) != bfloat16(b))
            count[one, other] = count.get((one, other), 0) + np.array(differ)
    print("%-74s %8s %8s" % ("elements per million that differ", "float32", "bf16"))
    for pair, differ in count.items():
        print("%-74s %8.0f %8.0f" % ((" | ".join(pair),) + tuple(differ * 1e6 / (2 * PAIRS * all_positions))))


main(*map(int, sys.argv[1:2]))
