# SPDX-License-Identifier: MIT
"""gpu.py BACKEND [PATTERN...]: compares posenc.torch, through one of its backends, with libposenc bit by bit.

    gpu.py triton       the kernels: on a GPU if there is one, otherwise on the CPU in Triton's interpreter, for which
                        TRITON_INTERPRET=1 must be set
    gpu.py tables       cosines and sines from the CPU, as on a device without kernels
    gpu.py libposenc    the library itself: strides, shapes and gradients

Expected values come from posenc.Rope and posenc.Plan, which test.py compares with MPFR, or from PyTorch's own arithmetic.
"""
import copy
import fnmatch
import itertools
import os
import pickle
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import posenc
import posenc.torch as modules
import torch
from posenc import _ops

BACKEND = sys.argv[1]
DEVICE = "cuda" if BACKEND == "triton" and torch.cuda.is_available() else "cpu"
TYPES = (torch.float32, torch.float16, torch.bfloat16)
INTEGERS = {torch.float32: torch.int32, torch.float16: torch.int16, torch.bfloat16: torch.int16,
            torch.float64: torch.int64}
LLAMA = {"rope_theta": 500000, "rope_type": "llama3", "factor": 8, "low_freq_factor": 1, "high_freq_factor": 4,
         "original_max_position_embeddings": 8192}
YARN = {"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 4096}
EDGES = [0, 1, -1, 2**31 - 1, -2**31, -2**31 + 1, 131071, -131072]
if DEVICE == "cpu":
    _ops._cpu_backend = BACKEND
    if BACKEND == "triton":
        import interpreter
        interpreter.use_kernels()
torch.manual_seed(60)
INTERPRETED = BACKEND == "triton" and DEVICE == "cpu"  # a launch takes a second: fewer of them, of every kind
compared = 0


def same(got, want):
    """Checks that two tensors have the same bits. Any two NaNs are equal."""
    global compared
    got, want = got.detach().cpu(), want.detach()
    assert got.shape == want.shape and got.dtype == want.dtype, (got.shape, want.shape, got.dtype, want.dtype)
    kind = INTEGERS[got.dtype]
    differ = (got.contiguous().view(kind) != want.contiguous().view(kind)) & ~(got.isnan() & want.isnan())
    assert not differ.any(), f"{differ.sum()} of {differ.numel()} differ: {got[differ][:3]}, not {want[differ][:3]}"
    compared += got.numel()


def raises(kind, call, *arguments, says="", **named):
    try:
        call(*arguments, **named)
    except kind as error:
        assert says in str(error), f"{error!r} does not say {says!r}"
        return
    raise AssertionError(f"no {kind.__name__}")


def some_positions(n, first=4000):
    return torch.cat([torch.tensor(EDGES), torch.randint(-2**31, 2**31, (n // 2,)), torch.arange(first, first + n)])[:n]


def table(rope, positions, dtype):
    """Returns cos and sin, [n, 2 pairs] each, for n positions, or for points [n, axes] of several coordinates."""
    made = tuple(torch.empty(len(positions), 2 * rope._plan.pairs, dtype=dtype) for _ in range(2))
    rope.table(positions.numpy(), layout="twice", out=made)
    return made


def turned(x, rope, positions, axis=-2):
    """Returns x rotated by Rope.rotate. Positions are [T], or [B, T] for the batches x[b], or [axes, B, T] with several
    coordinates."""
    y = x.detach().cpu().clone(memory_format=torch.contiguous_format)
    points = positions.numpy()
    axis = axis if axis < 0 else axis - x.dim()
    if rope._plan.axes > 1:
        points = np.moveaxis(points, 0, -1)
    if points.ndim - (rope._plan.axes > 1) == 1:
        rope.rotate(y, at=points, axis=axis)
        return y
    for b in range(len(y)):
        own = y[b]
        rope.rotate(own, at=points[b if len(points) > 1 else 0], axis=axis)
    return y


# ---- cosines and sines -------------------------------------------------------------------------------------------


def test_cosines_and_sines():
    pairs = 0
    for dtype, layout in itertools.product(TYPES, ("halves", "interleaved")):
        for rope in (posenc.Rope(128, layout=layout, **LLAMA), posenc.Rope(40, layout=layout, rope_theta=10000),
                     posenc.Rope(96, layout=layout, attention_factor=1.2345678901234567, rope_theta=1e6)):
            positions = some_positions(520)
            if layout == "halves":  # as int32, in two axes that are not contiguous
                positions = positions.to(torch.int32)
                ids = positions.reshape(2, -1).T.contiguous().T.to(DEVICE)
            else:
                ids = positions.to(DEVICE)
            cos, sin = modules.Rotary(rope)(torch.zeros(1, dtype=dtype, device=DEVICE), ids)
            want = table(rope, positions, dtype)
            assert cos.shape == (*ids.shape, 2 * rope._plan.pairs)
            same(cos.flatten(0, -2), want[0])
            same(sin.flatten(0, -2), want[1])
            pairs += positions.numel() * rope._plan.pairs
    assert pairs >= 200000, pairs


def test_amplitudes():
    """Checks amplitudes of double precision, of either sign, powers of two, the smallest and the largest that kernels
    take, and one that is too large."""
    for number, amplitude in enumerate((-1.0, 0.5, -0.1, 1.0000000000000002, 2.0**-64, 2.0**64, 3e-19, 2.0**65)):
        plan = posenc.Plan(32, amplitude=amplitude, layout="halves")
        positions = some_positions(40)
        types = TYPES[number % 3:][:1] if INTERPRETED else TYPES
        for dtype in types:
            x = torch.randn(40, 32).to(dtype)
            same(modules.Sinusoidal(plan)(x.to(DEVICE), positions.to(DEVICE)), plan.add(x.clone(), positions))
        if abs(amplitude) != 2.0**65:
            rope = posenc.Rope(32, attention_factor=abs(amplitude))
            for dtype in types:
                cos, sin = modules.Rotary(rope)(torch.zeros(1, dtype=dtype, device=DEVICE), positions.to(DEVICE))
                want = table(rope, positions, dtype)
                same(cos, want[0])
                same(sin, want[1])


def test_out_of_range():
    """Checks that a position outside int32 gives NaN in the elements that rotate, and never wraps."""
    rope = posenc.Rope(24, rotary_dim=16, rotary_offset=4)
    positions = torch.tensor([5, 2**31, -2**31 - 1, 2**32 + 5, 2**63 - 1, -2**63, -7])
    wrong = (positions < -2**31) | (positions >= 2**31)
    whole = positions.masked_fill(wrong, 0)
    for dtype in TYPES:
        cos, sin = modules.Rotary(rope)(torch.zeros(1, dtype=dtype, device=DEVICE), positions.to(DEVICE))
        assert cos[wrong].isnan().all() and sin[wrong].isnan().all()
        want = table(rope, whole, dtype)
        same(cos[~wrong], want[0][~wrong])
        x = torch.randn(2, 7, 24).to(dtype)
        got = modules.rotate(x.to(DEVICE), rope, positions.to(DEVICE)).cpu()
        assert got[:, wrong][..., 4:20].isnan().all() and not got[:, ~wrong].isnan().any()
        same(got[..., :4], x[..., :4])
        same(got[..., 20:], x[..., 20:])
        same(got[:, ~wrong], turned(x, rope, whole)[:, ~wrong])
        y = modules.Sinusoidal(24)(x.to(DEVICE), positions.to(DEVICE)).cpu()
        assert y[:, wrong].isnan().all() and not y[:, ~wrong].isnan().any()
    many = posenc.Rope(16, sections=[2, 3, 3])
    ids = torch.zeros(3, 1, 4, dtype=torch.int64)
    ids[1, 0, 2] = 2**31
    x = torch.randn(1, 4, 16)
    got = modules.rotate(x.to(DEVICE), many, ids.to(DEVICE)).cpu()
    assert got.isnan().nonzero().tolist() == [[0, 2, e] for e in (2, 3, 4, 10, 11, 12)]
    if BACKEND == "libposenc":  # an int gives positions that may leave int32; one that int64 cannot hold is refused
        assert modules.rotate(x, rope=posenc.Rope(16), position_ids=2**31 - 2).isnan().any(-1).tolist() == [[0, 0, 1, 1]]
        raises(ValueError, modules.rotate, x, posenc.Rope(16), 2**63, says="position_ids")


def test_undecided():
    """Checks that a pair which the integers cannot decide gives NaN, and that the other pairs have their bits."""
    if BACKEND != "triton":
        return "SKIP: only kernels leave pairs undecided"
    rope = posenc.Rope(4)
    words, coordinate, text = modules.tensors_of(rope, torch.device(DEVICE))
    words = words.clone()
    words[1] = torch.tensor([1, 0, 0, 0])  # an angle of 2^-128 turns
    positions = torch.tensor([0, 1, 3], device=DEVICE)
    cos, sin = torch.ops.posenc.cos_sin(positions, words, coordinate, text, 1.0, 1, 0, 4, 1, torch.float32)
    want = table(rope, positions.cpu(), torch.float32)
    for got, exact in ((cos, want[0]), (sin, want[1])):
        assert got.isnan().tolist() == [[False] * 4] + [[False, True] * 2] * 2
        same(got[:, ::2], exact[:, ::2])
    return None


# ---- rotation ----------------------------------------------------------------------------------------------------


def layouts():
    """Yields plans with both layouts, partial rotation at either end, a number of pairs that is not a power of two, and
    an attention factor."""
    for layout in ("halves", "interleaved"):
        yield posenc.Rope(128, layout=layout, **LLAMA)
        yield posenc.Rope(80, layout=layout, rotary_dim=40)
        yield posenc.Rope(104, layout=layout, rotary_dim=80, rotary_offset=24)
        yield posenc.Rope(96, layout=layout, attention_factor=1.1386294361119891)
        yield posenc.Rope(2, layout=layout)
    yield posenc.Rope(32, rope_interleave=1)
    yield posenc.Rope(40, rope_interleave=1, rotary_dim=24, rotary_offset=8)
    yield posenc.Plan(32, offset=3, layout="halves")
    yield posenc.Plan(16, half_turns=1)
    yield posenc.Plan(16, cos_first=1)
    yield posenc.Plan(16, axis=[(8, 0), (8, 0)], axes=1)


def heads(d, dtype):
    """Yields tensors of 2 batches, 3 heads and 5 tokens, with the axis of their tokens. They are contiguous,
    transposed, from a fused projection, with gaps, with fewer axes or with more."""
    yield torch.randn(2, 3, 5, d).to(dtype), -2
    yield torch.randn(2, 5, 3, d).to(dtype).transpose(1, 2), -2
    yield torch.randn(2, 5, 3, d).to(dtype), -3
    yield torch.randn(2, 5, 9, d).to(dtype)[:, :, 3:6].transpose(1, 2), 2
    yield torch.randn(2, 3, 5, d + 7).to(dtype)[..., 3:-4], -2
    yield torch.randn(2, 1, 5, d).to(dtype).expand(2, 3, 5, d), -2
    yield torch.randn(2, 3, d, 5).to(dtype).transpose(-1, -2), -2
    yield torch.randn(2, 2, 3, 5, d).to(dtype).transpose(1, 2), -2
    yield torch.randn(2, 5, d).to(dtype), -2


def test_rotate():
    for rope, dtype in itertools.product(layouts(), TYPES):
        d = rope.head_dim
        for number, (x, axis) in enumerate(heads(d, dtype)):
            if dtype != torch.float32 and number > 3 or d != 128 and number > 6:
                continue
            if INTERPRETED and (number + d + TYPES.index(dtype)) % 5:
                continue
            each = some_positions(10).reshape(2, 5) % 2**30
            for positions in (each, each[1], each[:1]) if number < 2 and not INTERPRETED else (each,):
                here = x.to(DEVICE)
                if DEVICE != "cpu" and x.stride() != here.stride():
                    here = torch.empty_strided(x.shape, x.stride(), dtype=dtype, device=DEVICE).copy_(x)
                got = modules.rotate(here, rope, positions.to(DEVICE), axis=axis)
                beside = positions if positions.dim() == 1 or len(positions) > 1 else positions.expand(2, -1)
                same(got, turned(x, rope, beside, axis))
                same(here, x)


def test_rotate_qk():
    for number, (rope, dtype) in enumerate(itertools.product(layouts(), TYPES)):
        if INTERPRETED and number % 4:
            continue
        d = rope.head_dim
        q, k = torch.randn(2, 5, 4, d).to(dtype).transpose(1, 2), torch.randn(2, 2, 5, d).to(dtype)
        positions = torch.randint(0, 10**6, (2, 5))
        both = modules.rotate_qk(q.to(DEVICE), k.to(DEVICE), rope, positions.to(DEVICE))
        same(both[0], turned(q, rope, positions))
        same(both[1], turned(k, rope, positions))
        out = torch.empty(2, 4, 5, d, dtype=dtype, device=DEVICE), torch.zeros(2, 5, 2, d, dtype=dtype,
                                                                              device=DEVICE).transpose(1, 2)
        assert modules.rotate_qk(q.to(DEVICE), k.to(DEVICE), rope, positions.to(DEVICE), out=out)[1] is out[1]
        same(out[0], both[0].cpu())
        same(out[1], both[1].cpu())
        q, k = q.to(DEVICE), k.to(DEVICE)
        modules.rotate_qk(q, k, rope, positions.to(DEVICE), out=(q, k))  # in place
        same(q, both[0].cpu())
        same(k, both[1].cpu())
    rope = posenc.Rope(8)
    mixed = modules.rotate_qk(torch.ones(2, 3, 5, 8, device=DEVICE), torch.ones(5, 8, device=DEVICE).bfloat16(), rope, 7)
    same(mixed[0], turned(torch.ones(2, 3, 5, 8), rope, torch.arange(7, 12)))
    same(mixed[1], turned(torch.ones(5, 8).bfloat16(), rope, torch.arange(7, 12)))
    empty = modules.rotate_qk(torch.ones(2, 0, 5, 8, device=DEVICE), torch.ones(2, 1, 5, 8, device=DEVICE), rope, 7)
    assert empty[0].shape == (2, 0, 5, 8) and modules.rotate(torch.ones(0, 8, device=DEVICE), rope).shape == (0, 8)


def test_out():
    rope = posenc.Rope(24, rotary_dim=16)
    x = torch.randn(2, 3, 5, 24)
    want = turned(x, rope, torch.arange(9, 14))
    for out in (torch.zeros(2, 3, 5, 24), torch.zeros(2, 5, 3, 24).transpose(1, 2), torch.zeros(2, 3, 5, 40)[..., 8:32],
                torch.zeros(2, 3, 24, 5).transpose(-1, -2)):
        out = out.to(DEVICE)
        assert modules.rotate(x.to(DEVICE), rope, 9, out=out) is out
        same(out, want)
    here = x.to(DEVICE)
    version = here._version
    modules.rotate(here, rope, 9, out=here)
    same(here, want)
    assert here._version > version
    raises(ValueError, modules.rotate, here.requires_grad_(), rope, 9, out=torch.empty_like(here), says="out")
    raises(ValueError, modules.rotate, here.detach(), rope, 9, out=here.detach()[:1], says="out must be like x")


def test_coordinates():
    """Checks plans with a coordinate for each pair: sections in blocks and interleaved, a vision tower, and a list with
    pairs that are not rotated."""
    for rope in (posenc.Rope(128, sections=[16, 24, 24], rope_theta=1e6),
                 posenc.Rope(64, sections=[24, 4, 4], section_order="interleaved"),
                 posenc.Rope(64, sections=[16, 16], section_order="vision"),
                 posenc.Rope(80, axes=2, coordinate=[i % 3 if i % 3 < 2 else 255 for i in range(40)]),
                 posenc.Plan(64, axis=[(32, 0), (32, 1)], columns="joined", layout="halves"),
                 posenc.Plan(64, axis=[(32, 0), (32, 1)], layout="halves"),
                 posenc.Plan(64, axis=[(32, 0), (32, 1)])):
        axes = rope._plan.axes
        ids = torch.randint(-2**31, 2**31, (axes, 2, 7))
        for dtype in TYPES[rope.head_dim // 16 % 3:][:1] if INTERPRETED else TYPES:
            x = torch.randn(2, 3, 7, rope.head_dim).to(dtype)
            same(modules.rotate(x.to(DEVICE), rope, ids.to(DEVICE)), turned(x, rope, ids))
            text = torch.arange(5, 12)
            same(modules.rotate(x.to(DEVICE), rope, text.to(DEVICE)), turned(x, rope, text.expand(axes, 2, 7)))
            if isinstance(rope, posenc.Rope):
                got = modules.Rotary(rope)(x.to(DEVICE), ids.to(DEVICE).int())
                want = table(rope, ids.reshape(axes, -1).T, dtype)
                for a, b in zip(got, want):
                    same(a.flatten(0, 1), b)
        raises(ValueError, modules.rotate, x.to(DEVICE), rope, ids[0].to(DEVICE), says=f"[{axes}, B, T]")


def test_gradients():
    """Checks that gradients of float32, float16 and bfloat16 have the bits of the rotation by minus the positions."""
    for rope, dtype in itertools.product((posenc.Rope(128, **LLAMA), posenc.Rope(40, rotary_dim=24, layout="interleaved"),
                                          posenc.Rope(40, rotary_dim=24, rotary_offset=16, **YARN)), TYPES):
        d = rope.head_dim
        q = torch.randn(2, 3, 5, d).to(dtype).to(DEVICE).requires_grad_()
        k = torch.randn(2, 5, 2, d).to(dtype).to(DEVICE).transpose(1, 2).requires_grad_()
        ids = torch.randint(-2**31, 2**31, (2, 5))
        grads = [torch.randn(x.shape).to(dtype) for x in (q, k)]
        torch.autograd.backward(modules.rotate_qk(q, k, rope, ids.to(DEVICE)), [g.to(DEVICE) for g in grads])
        alone, = torch.autograd.grad(modules.rotate(q, rope, ids.to(DEVICE)), q, grads[0].to(DEVICE))
        back = torch.clamp(-ids, -2**31, 2**31)
        same(alone, turned(grads[0], rope, back))
        same(q.grad, turned(grads[0], rope, back))
        same(k.grad, turned(grads[1], rope, back))
        x = torch.randn(2, 5, d).to(dtype).to(DEVICE).requires_grad_()
        y = modules.Sinusoidal(d, scale=3)(x, ids.to(DEVICE))
        same(torch.autograd.grad(y, x, grads[0][:, 0].to(DEVICE))[0], grads[0][:, 0] * 3)
    swap = posenc.Rope(32, rope_interleave=1)  # the gradient goes from halves to interleaved elements
    x = torch.randn(5, 32, dtype=torch.float64, device=DEVICE, requires_grad=True)
    for rope in (swap, posenc.Rope(24, rotary_dim=16, layout="interleaved"), posenc.Rope(20, sections=[4, 3, 3])):
        x = torch.randn(1, 5, rope.head_dim, dtype=torch.float64, device=DEVICE, requires_grad=True)
        ids = torch.randint(0, 9, (rope._plan.axes, 1, 5), device=DEVICE)
        ids = ids if rope._plan.axes > 1 else ids[0]
        assert torch.autograd.gradcheck(lambda x: modules.rotate(x, rope, ids), (x,))
        assert torch.autograd.gradgradcheck(lambda x: modules.rotate(x, rope, ids), (x,))
        assert torch.autograd.gradcheck(lambda x: modules.rotate_qk(x, x[:, :, :], rope, ids), (x,))
    x = torch.randn(2, 5, 24, dtype=torch.float64, device=DEVICE, requires_grad=True)
    assert torch.autograd.gradcheck(modules.Sinusoidal(24, scale=0.3), (x,))


def test_real_positions():
    """Checks real positions, which the CPU serves on every device."""
    rope = posenc.Rope(24, rotary_dim=16)
    for dtype in (torch.float32, torch.float64, torch.float16):
        ids = (torch.rand(2, 5) * 100).to(dtype)
        x = torch.randn(2, 3, 5, 24)
        want = turned(x, rope, ids)
        same(modules.rotate(x.to(DEVICE), rope, ids.to(DEVICE)), want)
        cos, _ = modules.Rotary(rope)(x.to(DEVICE), ids)
        same(cos.flatten(0, 1), table(rope, ids.reshape(-1), torch.float32)[0])
        y = modules.Sinusoidal(24)(x[:, 0].to(DEVICE), ids.to(DEVICE))
        same(y[1], posenc.Plan(24).add(x[1, 0].clone(), ids[1]))


def test_sums():
    for plan in (posenc.Plan(64), posenc.Plan(40, layout="halves"), posenc.Plan(48, preset="fairseq"),
                 posenc.Plan(32, preset="t2t"), posenc.Plan(32, cos_first=1), posenc.Plan(33, layout="halves"),
                 posenc.Plan(32, half_turns=1), posenc.Plan(32, offset=0.5), posenc.Plan(24, preset="mae_2d")):
        axes = plan._plan.axes
        for dtype, scale in itertools.product((*TYPES, torch.float64), (1.0, 0.1)):
            x = torch.randn(2, 5, plan.d_model).to(dtype)
            ids = torch.randint(-1000, 10**6, (axes, 2, 5) if axes > 1 else (2, 5))
            if axes == 1:
                ids[0, :3] = torch.tensor([1, -1, 0])  # 1: fairseq's padding
            points = ids.movedim(0, -1).numpy() if axes > 1 else ids.numpy()
            want = plan.add(x.clone(), points, scale=scale, batch=0)
            same(modules.Sinusoidal(plan, scale=scale)(x.to(DEVICE), ids.to(DEVICE)), want)
    x = torch.randn(2, 3, 5, 16)
    for ids in (torch.arange(10).reshape(2, 5), torch.arange(5), 7, range(0, 10, 2), None):
        for source in (x, x.transpose(0, 1).contiguous().transpose(0, 1), torch.randn(2, 3, 5, 20)[..., 2:18]):
            at = np.arange(5) if ids is None else np.arange(7, 12) if isinstance(ids, int) else np.asarray(ids)
            want = source.clone(memory_format=torch.contiguous_format)
            posenc.Plan(16).add(want, at, **({"batch": 0} if at.ndim == 2 else {}))
            there = ids.to(DEVICE) if isinstance(ids, torch.Tensor) else ids
            same(modules.Sinusoidal(16)(source.to(DEVICE), there), want)
    table_of = modules.Sinusoidal(16, rows=12, scale=2.5)
    same(table_of(x.to(DEVICE), torch.arange(10, device=DEVICE).reshape(2, 5)),
         modules.Sinusoidal(16, scale=2.5)(x.to(DEVICE), torch.arange(10, device=DEVICE).reshape(2, 5)).cpu())


# ---- torch ---------------------------------------------------------------------------------------------------------


def calls():
    """Returns the arguments of each op."""
    device = torch.device(DEVICE)
    rope, plan = posenc.Rope(24, rotary_dim=16), posenc.Plan(24)
    positions = torch.arange(5, device=device)
    made = (positions, *modules.tensors_of(rope, device), 1.0, 1, 0)
    more = (*made, 16, 0, -2, 1, False)
    for dtype in (torch.float32, torch.bfloat16):
        yield "cos_sin", (*made, 16, 1, dtype)
        q, k = torch.randn(2, 3, 5, 24, device=device).to(dtype), torch.randn(2, 1, 5, 24, device=device).to(dtype)
        words, _, text = modules.tensors_of(plan, device)
        yield "rotate", (q, *more)
        yield "rotate_qk", (q, k, *more)
        yield "rotate_out", (q, *more, torch.empty_like(q))
        yield "rotate_qk_out", (q, k, *more, torch.empty_like(q), torch.empty_like(k))
        yield "add", (q, positions, words, text, 1.0, False, False, 0, None, 2.0, 1)
        if dtype == torch.float32:
            yield "rotate", (q.requires_grad_(), *more)
            yield "rotate_qk", (q, k.requires_grad_(), *more)
            yield "add", (q, positions, words, text, 1.0, False, False, 0, None, 2.0, 1)


def test_opcheck():
    for name, arguments in calls():
        torch.library.opcheck(getattr(torch.ops.posenc, name).default, arguments)
    tensors = modules.tensors_of(posenc.Rope(24, rotary_dim=16), torch.device(DEVICE))
    raises(ValueError, torch.ops.posenc.cos_sin, torch.arange(5, device=DEVICE), *tensors, 1.0, 1, 0, 24, 1, torch.float32,
           says="width must be 16")


def test_direct():
    """Checks that a plain call does not go through torch's dispatcher, and that everything that traces ops still sees
    the op."""
    if BACKEND != "libposenc":
        return "SKIP: only libposenc is called directly"
    from torch.fx.experimental.proxy_tensor import make_fx
    from torch.utils._python_dispatch import TorchDispatchMode
    rope, x, ids = posenc.Rope(16), torch.randn(2, 3, 5, 16), torch.arange(40, 45)
    calls = {"posenc.rotate.default": lambda x, ids: modules.rotate(x, rope, ids),
             "posenc.rotate_qk.default": lambda x, ids: modules.rotate_qk(x, x, rope, ids)[1],
             "posenc.rotate_out.default": lambda x, ids: modules.rotate(x, rope, ids, out=torch.empty_like(x)),
             "posenc.cos_sin.default": lambda x, ids: modules.Rotary(rope)(x, ids)[0]}

    class Seen(TorchDispatchMode):
        def __torch_dispatch__(self, op, types, arguments=(), named=None):
            names.append(str(op))
            return op(*arguments, **(named or {}))

    class Own(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, arguments=(), named=None):
            names.append(f"{function}.default")
            return super().__torch_function__(function, types, arguments, named or {})
    for name, call in calls.items():
        want, names = call(x, ids), []
        assert _ops.is_direct(x, ids)
        with Seen():
            same(call(x, ids), want)
        assert name in names, names
        traced = make_fx(call)(x, ids)
        assert name in traced.code.replace("torch.ops.", ""), traced.code
        same(traced(x, ids), want)
        if "out" not in name:  # PyTorch does not let functionalize() see a custom op that writes into a tensor
            same(torch.func.functionalize(call)(x, ids), want)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                same(torch.jit.trace(call, (x, ids), check_trace=False)(x + 1, ids), call(x + 1, ids))
        with torch.device("meta"):
            same(call(x, ids), want)
        for own in ((x.as_subclass(Own), ids), (x, ids.as_subclass(Own))):  # the op is what a subclass may replace
            names.clear()
            same(call(*own).as_subclass(torch.Tensor), want)
            assert name in names or name == "posenc.cos_sin.default" and own[1] is ids, f"{name} is not called"
        if "cos_sin" not in name:
            negative = torch._neg_view(x)  # a tensor whose memory has x, and whose numbers are -x
            same(call(negative, ids), call(-x, ids))
            assert type(call(x.as_subclass(Own), ids)) is Own or "out" in name
            assert "out" in name or call(x.clone().requires_grad_(), ids).requires_grad
    return None


class Model(torch.nn.Module):
    def __init__(self, **fields):
        super().__init__()
        self.rotary, self.sums = modules.Rotary(24, rotary_dim=16, **fields), modules.Sinusoidal(24, scale=3)
        self.layer = torch.nn.Linear(24, 24)

    def forward(self, x, ids):
        x = self.layer(self.sums(x, ids))
        cos, sin = self.rotary(x, ids)
        y = modules.rotate(x, self.rotary.rope, ids)
        q, k = modules.rotate_qk(y.unflatten(-1, (1, 24)), y.unflatten(-1, (1, 24)), self.rotary.rope, ids, axis=-3)
        return modules.rotate_by(x, cos, sin), q, k


def test_compile_first():
    """Runs a program that compiles a model for any shape, and uses posenc.torch for the first time in the compiled
    call."""
    program = """
import torch
import posenc.torch as modules
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.rotary = modules.Rotary(24, rotary_dim=16)
    def forward(self, x, ids):
        return modules.rotate_by(x, *self.rotary(x, ids))
model, x, ids = Model(), torch.ones(2, 5, 24), torch.arange(10).reshape(2, 5)
got = torch.compile(model, fullgraph=True, backend="aot_eager", dynamic=True)(x, ids)
assert torch.equal(got, model(x, ids))
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_compile():
    """Checks that torch.compile makes no graph break, also for another number of tokens and other positions."""
    torch._dynamo.reset()
    model = Model().to(DEVICE)
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager", dynamic=True)
    for tokens in (5, 9):
        x = torch.randn(2, tokens, 24, device=DEVICE)
        ids = torch.randint(0, 10**6, (2, tokens), device=DEVICE)
        for got, want in zip(compiled(x, ids), model(x, ids)):
            same(got, want.cpu())
    compiled(x, ids)[1].sum().backward()
    grads = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    model(x, ids)[1].sum().backward()
    assert all(torch.allclose(a, p.grad) for a, p in zip(grads, model.parameters()))
    explained = torch._dynamo.explain(model)(x, ids)
    assert explained.graph_break_count == 0
    # These are a plan that no call has used before, a table of rows, and out=.
    for rows in (None, 16):
        rotary = modules.Rotary(26, rotary_dim=20 if rows else 18, rows=rows).to(DEVICE)
        near = torch.arange(10, device=DEVICE).reshape(2, 5)
        got = torch.compile(rotary, fullgraph=True, backend="aot_eager")(x, near)
        same(got[0], rotary(x, near)[0].cpu())
    fresh = posenc.Rope(24, rope_theta=12345)

    def write(x, y):
        modules.rotate(x, fresh, 3, out=y)
        return y + 1
    y = torch.zeros_like(x)
    got = torch.compile(write, fullgraph=True, backend="aot_eager")(x, y)
    same(y, turned(x, fresh, torch.arange(3, 3 + x.shape[1])))
    same(got, (y + 1).cpu())


def test_export():
    """Checks that a program which was exported and saved runs in a new process, and gives the same bits."""
    model = Model(**YARN).to(DEVICE).eval()
    x, ids = torch.randn(2, 5, 24, device=DEVICE), torch.randint(0, 10**6, (2, 5), device=DEVICE)
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        saved, results = os.path.join(folder, "model.pt2"), os.path.join(folder, "results.pt")
        torch.save((x, ids, model(x, ids)), results)
        torch.export.save(torch.export.export(model, (x, ids)), saved)
        program = f"""if True:
            import posenc.torch, torch
            from posenc import _ops
            if {DEVICE!r} == "cpu":
                _ops._cpu_backend = {BACKEND!r}
            x, ids, want = torch.load({results!r})
            got = torch.export.load({saved!r}).module()(x, ids)
            assert all(torch.equal(a, b) for a, b in zip(got, want))"""
        subprocess.run([sys.executable, "-c", program], check=True)


def test_state():
    """Checks that operations on a module's parameters and buffers do not change its results, since it has none: it
    consists of integers and its plan."""
    x, ids = torch.zeros(2, 5, 24, device=DEVICE), torch.randint(0, 10**6, (2, 5), device=DEVICE)
    for fields in ({}, YARN, {"rows": 10**6}):
        rotary = modules.Rotary(24, **fields)
        want = rotary(x, ids)
        with torch.device("meta"):
            born = modules.Rotary(24, **fields)
        for other in (rotary.to(torch.bfloat16).half().double(), copy.deepcopy(rotary), pickle.loads(pickle.dumps(rotary)),
                      modules.Rotary(24, **fields).to("meta").to_empty(device=DEVICE), born.to_empty(device=DEVICE),
                      torch.nn.Sequential(modules.Rotary(24, **fields)).to(DEVICE)[0]):
            for name, buffer in list(other.named_buffers()):  # as transformers 5 does after it has loaded a model
                setattr(other, name, torch.empty_like(buffer))
            for got, exact in zip(other(x, ids), want):
                same(got, exact.cpu())
        other.load_state_dict(rotary.state_dict(), strict=True)
        assert not rotary.state_dict() and not list(rotary.buffers())
    with torch.device("meta"):
        made = modules.Rotary(24)(torch.zeros(1), torch.arange(4))[0]
        assert made.device.type == "meta" and modules.rotate(torch.zeros(4, 24), posenc.Rope(24)).shape == (4, 24)


def test_sequence_length():
    """Checks `dynamic` and `longrope`, for which the caller gives the longest position. Positions do not change the
    frequencies, so nothing is read back from the device, and a captured or compiled call may have any positions."""
    longrope = {"rope_type": "longrope", "factor": 4, "original_max_position_embeddings": 64,
                "short_factor": [1.0 + i / 16 for i in range(12)], "long_factor": [2.0 + i for i in range(12)]}
    dynamic = {"rope_type": "dynamic", "factor": 2, "max_position_embeddings": 64}
    for fields, length in itertools.product((longrope, dynamic), (None, 64, 65, 200)):
        rope = posenc.Rope(24, **fields, **({} if length is None else {"sequence_length": length}))
        rotary = modules.Rotary(rope)
        torch._dynamo.reset()
        compiled = torch.compile(rotary, fullgraph=True, backend="aot_eager")
        for ids in (torch.arange(5), torch.arange(300, 305)):
            for call in (rotary, compiled):
                for got, want in zip(call(torch.zeros(1, device=DEVICE), ids.to(DEVICE)), table(rope, ids, torch.float32)):
                    same(got, want)
    longer, shorter = (posenc.Rope(24, **longrope, sequence_length=n).frequencies() for n in (65, 64))
    assert (longer != shorter).all()


def test_graph():
    """Checks that a captured CUDA graph can be replayed with new positions, and that nothing in it waits for the
    device."""
    if DEVICE != "cuda":
        return "SKIP: there is no GPU; FakeTensorMode, which has no numbers, stands for capture in test_no_numbers"
    rope = posenc.Rope(128, **LLAMA)
    q, k = torch.randn(2, 8, 16, 128, device=DEVICE).bfloat16(), torch.randn(2, 2, 16, 128, device=DEVICE).bfloat16()
    ids = torch.arange(32, device=DEVICE).reshape(2, 16)
    modules.rotate_qk(q, k, rope, ids)
    rotary = modules.Rotary(rope)
    rotary(q, ids)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        both, tables = modules.rotate_qk(q, k, rope, ids), rotary(q, ids)
    for shift in (5, 10**6):
        ids += shift
        graph.replay()
        same(both[0], turned(q, rope, ids.cpu()))
        same(both[1], turned(k, rope, ids.cpu()))
        same(tables[0].flatten(0, 1), table(rope, ids.cpu().reshape(-1), torch.bfloat16)[0])
    return None


def test_no_numbers():
    """Checks that calls read no number of a tensor: even the first call of a plan runs on tensors without numbers."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    rope = posenc.Rope(32, rope_theta=54321)
    with FakeTensorMode(allow_non_fake_inputs=True):
        q, ids = torch.zeros(2, 8, 16, 32, device=DEVICE), torch.zeros(2, 16, dtype=torch.int64, device=DEVICE)
        modules.Rotary(rope)(q, ids)
        modules.Sinusoidal(32)(q, ids)
        assert modules.rotate(q, rope, ids).shape == modules.rotate_qk(q, q, rope, ids)[1].shape == q.shape


def main():
    patterns = sys.argv[2:] or ["*"]
    passed = failed = skipped = 0
    assert modules.backend(DEVICE) == BACKEND, (modules.backend(DEVICE), BACKEND)
    where = torch.cuda.get_device_name() if DEVICE == "cuda" else "the CPU"
    print(f"# posenc {posenc.__version__} through {BACKEND} on {where}, torch {torch.__version__}, numpy {np.__version__}")
    for name, test in list(globals().items()):
        if not name.startswith("test_") or not any(fnmatch.fnmatch(name, pattern) for pattern in patterns):
            continue
        try:
            said = test()
        except Exception as error:
            import traceback
            traceback.print_exc()
            print(f"FAIL {name}: {str(error)[:300]}")
            failed += 1
            continue
        print(said or f"ok   {name}")
        passed, skipped = passed + (not said), skipped + bool(said)
    print(f"{passed} passed, {failed} failed, {skipped} skipped; {compared} elements compared")
    return failed > 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
