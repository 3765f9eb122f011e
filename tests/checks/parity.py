# SPDX-License-Identifier: MIT
"""parity.py PROGRAM: the presets against float32 code as the projects write it, in numpy.

Each function below is one convention in a few lines of array code, with angles in float32, written for
this test from the formula. The exact table must be within the error of such angles (511 half ulps and
some), every column in its place. RoPE and scaled embeddings, with pe's tables in the code of PyTorch and
Hugging Face, must have the same bits: in numpy, and in torch where it is installed.
"""
import subprocess
import sys

try:
    import numpy as np
except ImportError:
    print("SKIP: presets against numpy: python3-numpy is missing")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)
try:
    import torch
    TORCH = True
except ImportError:
    TORCH = False

F = np.float32


def angles(positions, exponents, base=10000.0):
    return np.outer(positions, F(base) ** (-np.asarray(exponents, F))).astype(F)


def interleaved(a, d):
    out = np.zeros((len(a), d), F)
    out[:, 0::2] = np.sin(a)
    out[:, 1::2] = np.cos(a)[:, : d // 2]
    return out


def halves(a, d, cos_first=False):
    parts = [np.sin(a), np.cos(a)]
    out = np.concatenate(parts[::-1] if cos_first else parts, 1)
    return np.pad(out, ((0, 0), (0, d - out.shape[1])))


P = np.arange(512, dtype=F)


def paper(d, p=P):
    return interleaved(angles(p, np.arange(0, d, 2) / F(d)), d)


def timescales(d, p=P, shift=1, cos_first=False):
    h = d // 2
    return halves(angles(p, np.arange(h) / F(h - shift)), d, cos_first)


def split(d, p=P):
    a = angles(p, np.arange(0, d, 2) / F(d))
    return np.concatenate([np.sin(a), np.cos(a)[:, : d // 2]], 1)


def grid(shape, axis):
    return np.indices(shape)[axis].ravel().astype(F)


def nerf(d):
    """Frequency by frequency: the sines of all coordinates, then their cosines."""
    out = np.zeros((512, d), F)
    columns = [f(2.0 ** k * grid((8, 8, 8), axis)) for k in range(d // 6)
               for f in (np.sin, np.cos) for axis in range(3)]
    out[:, : len(columns)] = np.stack(columns, 1)
    return out


def tiny_cuda_nn(d):
    each = d // 6
    out = np.zeros((512, d), F)
    for axis in range(3):
        for k in range(each):
            a = np.pi * 2.0 ** k * grid((8, 8, 8), axis)
            out[:, 2 * (axis * each + k)] = np.sin(a)
            out[:, 2 * (axis * each + k) + 1] = np.cos(a)
    return out


def nd(d):
    n = d // 4
    parts = [timescales(2 * n, grid((16, 32), axis)) for axis in range(2)]
    return np.pad(np.concatenate(parts, 1), ((0, 0), (0, d - 4 * n)))


PROJECTS = {
    "vaswani": paper,
    "t2t": timescales,
    "fairseq": lambda d: timescales(d, P + 2),
    "opennmt": lambda d: timescales(d, P + 1),
    "hf_marian": split,
    "transformer_xl": split,
    "tener": timescales,
    "ddpm": timescales,
    "ldm": lambda d: timescales(d, shift=0, cos_first=True),
    "musicgen": lambda d: timescales(d, cos_first=True),
    "mlx": lambda d: timescales(d) * F(np.sqrt(2 / d)),
    "mae_2d": lambda d: np.concatenate([split(d // 2, grid((16, 32), 1)),
                                        split(d // 2, grid((16, 32), 0))], 1),
    "video_3d": lambda d: np.concatenate([split(d // 4, grid((8, 8, 8), 0)),
                                          split(3 * d // 8, grid((8, 8, 8), 2)),
                                          split(3 * d // 8, grid((8, 8, 8), 1))], 1),
    "t2t_nd": nd,
    "detr": lambda d: np.concatenate([paper(d // 2, grid((16, 32), 0) + 1),
                                      paper(d // 2, grid((16, 32), 1) + 1)], 1),
    "nerf": nerf,
    "tiny_cuda_nn": tiny_cuda_nn,
}


def rotate_half(x, cat):
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2:]
    return cat((-x2, x1), -1)


def rotate_every_two(x, stack):
    x1 = x[:, ::2]
    x2 = x[:, 1::2]
    return stack((-x2, x1), -1).reshape(x.shape)


def expressions(x, cos, sin, cat, stack):
    """What models compute, of numpy's arrays or torch's tensors."""
    return {
        "rotate_half": lambda: (x * cos) + (rotate_half(x, cat) * sin),
        "rotate_every_two": lambda: (x * cos) + (rotate_every_two(x, stack) * sin),
        "scaled": lambda: x * float(np.sqrt(F(96))) + sin,
    }


def same_bits(name, x, cos, sin, table):
    """Of which modules: 1 the same, 0 not."""
    results = {"numpy": expressions(x, cos, sin, np.concatenate, np.stack)[name]()}
    if TORCH:
        t = [torch.from_numpy(a.copy()) for a in (x, cos, sin)]
        results["torch"] = expressions(*t, torch.cat, torch.stack)[name]().numpy()
    else:
        print(f"SKIP: {name} in torch: python3-torch is missing")
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
        if name not in PROJECTS:
            given[name] = table
            if name not in ("x", "cos", "sin"):
                same = list(same_bits(name, given["x"], given["cos"], given["sin"], table))
                seen.add(name)
                passed, failed = passed + sum(same), failed + len(same) - sum(same)
            continue
        error = np.abs(PROJECTS[name](int(d)).astype(float) - table).max()
        seen.add(name)
        bound = 2e-3 if name == "tiny_cuda_nn" else 2e-4  # its angles reach 11,000
        if error < bound:
            passed += 1
            print(f"ok   {name} {d}: within {error:.1e} of float32 code")
        else:
            failed += 1
            print(f"FAIL {name} {d}: {error:.1e} away from float32 code")
    failed += seen != set(PROJECTS) | {"rotate_half", "rotate_every_two", "scaled"}
    print(f"{passed} passed, {failed} failed, {3 - TORCH * 3} skipped")
    return failed != 0


sys.exit(main())
