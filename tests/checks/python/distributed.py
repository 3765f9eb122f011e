# SPDX-License-Identifier: MIT
"""distributed.py: compares posenc.torch in four processes with torch.distributed (gloo) with one process, bit by bit.

A sequence is split as context parallelism splits it, with torch's own context_parallel() and by hand. It has one
contiguous part per process, or is in zigzag order, where process r of n has the parts r and 2n - 1 - r of 2n. Each
process rotates its tokens at their positions in the whole sequence. DistributedDataParallel and fully_shard (FSDP2) wrap
a layer with a Rotary. posenc has no parameters and no buffers that they could broadcast, shard or round.
"""
import os
import tempfile
import warnings

import posenc.torch as modules
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

try:  # torch calls these experimental, so a later version may have other names
    from torch.distributed.tensor.experimental import context_parallel
    from torch.distributed.tensor.experimental._attention import context_parallel_unshard
except ImportError:
    context_parallel = None

PROCESSES, BATCH, HEADS, TOKENS, HEAD_DIM, START = 4, 2, 3, 64, 32, 131000
checks = 0


def same(what, x, y):
    """Checks that two tensors have the same type, shape and bits, and counts the check."""
    global checks
    checks += 1
    assert x.dtype == y.dtype and x.shape == y.shape, f"{what}: {x.dtype} {list(x.shape)}, {y.dtype} {list(y.shape)}"
    assert torch.equal(x.contiguous().view(torch.uint8), y.contiguous().view(torch.uint8)), f"{what}: other bits"


def holds(what, condition):
    """Checks a condition, and counts the check."""
    global checks
    checks += 1
    assert condition, what


class Layer(torch.nn.Module):
    """Projects x to queries, rotates them, and multiplies cosines and sines of a Rotary into the result."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(7)
        self.project = torch.nn.Linear(HEAD_DIM, HEAD_DIM, bias=False)
        self.rotary = modules.Rotary(HEAD_DIM, rope_theta=500000)

    def forward(self, x, position_ids):
        cos, sin = self.rotary(x, position_ids)
        q = modules.rotate(self.project(x).unsqueeze(1), self.rotary.rope, position_ids)
        return q.squeeze(1) * cos + sin


def parts(rank, way):
    """Returns the indices of a process's tokens within the sequence."""
    if way == "contiguous":
        n = TOKENS // PROCESSES
        return torch.arange(rank * n, (rank + 1) * n)
    n = TOKENS // (2 * PROCESSES)
    return torch.cat([torch.arange(k * n, (k + 1) * n) for k in (rank, 2 * PROCESSES - 1 - rank)])


def gathered(x):
    """Returns the tensors x of all processes, in the order of their numbers. The bits are sent as bytes."""
    sent = x.detach().contiguous().view(torch.uint8)
    received = [torch.empty_like(sent) for _ in range(PROCESSES)]
    dist.all_gather(received, sent)
    return [part.view(x.dtype) for part in received]


def test_parts(rank, dtype):
    """Splits a sequence by hand in both ways, and compares rotations, gradients, cosines and sines, and sums."""
    torch.manual_seed(11)
    q = torch.randn(BATCH, HEADS, TOKENS, HEAD_DIM).to(dtype)
    embedding = torch.randn(BATCH, TOKENS, HEAD_DIM).to(dtype)
    rotary, add = modules.Rotary(HEAD_DIM, rope_theta=500000), modules.Sinusoidal(HEAD_DIM, scale=2)
    whole = modules.rotate(q, rotary.rope, START)
    cos, sin = rotary(q, torch.arange(START, START + TOKENS))
    for way in ("contiguous", "zigzag"):
        mine = parts(rank, way)
        every = torch.cat([parts(r, way) for r in range(PROCESSES)])
        here = q[:, :, mine].clone().requires_grad_()
        rotated = modules.rotate(here, rotary.rope, START + mine)
        rotated.backward(rotated.detach())
        what = f"{way}, {dtype}"
        same(f"rotate, {what}", torch.cat(gathered(rotated), 2), whole[:, :, every])
        back = modules.rotate(whole, rotary.rope, -torch.arange(START, START + TOKENS))
        same(f"gradient, {what}", torch.cat(gathered(here.grad), 2), back[:, :, every])
        both = rotary(here, START + mine)
        for name, x, y in zip(("cosines", "sines"), both, (cos, sin)):
            same(f"{name}, {what}", torch.cat(gathered(x), -2), y[..., every, :])
        same(f"x + PE, {what}", torch.cat(gathered(add(embedding[:, mine], START + mine)), 1),
             add(embedding, START)[:, every])


def test_context_parallel(mesh):
    """Lets context_parallel() split the queries and the positions in the same way. The rotated parts, which torch joins
    again, must have the bits of the whole."""
    torch.manual_seed(13)
    q, rope = torch.randn(BATCH, HEADS, TOKENS, HEAD_DIM), modules.Rotary(HEAD_DIM, rope_theta=500000).rope
    position_ids = torch.arange(START, START + TOKENS)[None]
    whole, first = modules.rotate(q, rope, position_ids), position_ids.clone()
    with context_parallel(mesh, buffers=[q, position_ids], buffer_seq_dims=[2, 1]):
        holds("context_parallel() splits", q.shape[2] == TOKENS // PROCESSES)
        rotated = modules.rotate(q, rope, position_ids)
        together, order = context_parallel_unshard(mesh, [rotated, position_ids.clone()], [2, 1])
    same("positions of context_parallel()", order, first)
    same("rotate under context_parallel()", together, whole)


def test_wrappers(rank, mesh):
    """Wraps a layer in DistributedDataParallel and FSDP2. It must have the bits of the layer alone, and no state of
    posenc."""
    torch.manual_seed(17 + rank)
    x, position_ids = torch.randn(BATCH, TOKENS, HEAD_DIM), torch.arange(START, START + TOKENS)
    alone = Layer()
    holds("a Rotary has no state", not [*alone.rotary.parameters(), *alone.rotary.buffers(), *alone.rotary.state_dict()])
    expected = alone(x, position_ids)
    expected.sum().backward()
    gradients = torch.stack(gathered(alone.project.weight.grad)).mean(0)
    wrapped = torch.nn.parallel.DistributedDataParallel(Layer())
    made = wrapped(x, position_ids)
    made.sum().backward()
    same("DistributedDataParallel", made, expected)
    holds("its gradient is the mean", torch.allclose(wrapped.module.project.weight.grad, gradients, rtol=1e-5, atol=1e-5))
    holds("its state is the layer's", list(wrapped.module.state_dict()) == ["project.weight"])
    sharded = Layer()
    fully_shard(sharded, mesh=mesh)
    made = sharded(x, position_ids)
    same("fully_shard", made, expected)
    made.sum().backward()
    holds("its gradient is the mean, too",
          torch.allclose(sharded.project.weight.grad.full_tensor(), gradients, rtol=1e-5, atol=1e-5))
    holds("its state is the layer's, too", list(sharded.state_dict()) == ["project.weight"])


def work(rank, folder):
    """Runs all tests in one of the processes."""
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=PROCESSES)
    mesh = init_device_mesh("cpu", (PROCESSES,))
    for dtype in (torch.float32, torch.bfloat16):
        test_parts(rank, dtype)
    if context_parallel:
        test_context_parallel(mesh)
    elif rank == 0:
        print("SKIP: this torch has no context_parallel()")
    test_wrappers(rank, mesh)
    if rank == 0:
        print(f"{checks} passed in each of {PROCESSES} processes")
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    with tempfile.TemporaryDirectory() as meeting:
        # fork() takes 25 % of the time of new processes, and is safe here, since nothing has computed anything yet.
        torch.multiprocessing.start_processes(work, (meeting,), PROCESSES, start_method="fork")
