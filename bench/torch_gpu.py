# SPDX-License-Identifier: MIT
"""torch_gpu.py [--verify] [--dry-run]: times posenc.torch on a GPU beside the code that people run there.

It takes at most 6 minutes: a table that would begin too late is a line SKIP. Each table has its legend before it. At the
end, what is asked of posenc.torch stands beside what was measured.

--verify     first compares 1e8 pairs and 1e8 rotated elements with libposenc by bits; the 6 minutes begin afterwards
--dry-run    runs the whole program with tiny sizes on a CPU, where Triton's interpreter runs the kernels. It compares all
             results, and prints "dry" in place of times.

It has not run on a GPU yet.
"""
import os
import sys
import time

DRY = "--dry-run" in sys.argv
if DRY:
    os.environ["TRITON_INTERPRET"] = "1"  # Triton reads it where a kernel is defined

import copy
import importlib
import importlib.metadata
import subprocess
import textwrap
import warnings

import numpy as np
import posenc
import posenc.torch as modules
import torch
import torch_gpu_check
import torch_gpu_kernels
import transformers
import triton
from posenc import _kernels, _launch
from posenc._encoding import HALVES
from torch._dynamo.utils import counters
from transformers.models.llama import modeling_llama as llama

DEVICE = "cpu" if DRY else "cuda"
COMPILER = "aot_eager" if DRY else "inductor"
LIMIT = 320  # seconds after which no table begins
TURNS = 1 if DRY else 31
ROPE, HEAD_DIM, PAIRS = torch_gpu_check.ROPE, 128, 64
# These lists have tokens and heads; the next ones have tokens, heads of queries and heads of keys.
KERNELS = [(8, 2)] if DRY else [(16384, 40), (16384, 8), (8192, 32), (8192, 8), (4096, 40), (256, 40)]
CALLS = [(8, 2, 1)] if DRY else [(8192, 32, 8), (1024, 32, 8)]
STEPS = [(4, 2, 1)] if DRY else [(1, 32, 8), (16, 32, 8), (64, 32, 8), (256, 32, 8)]
LAYERS = 1 if DRY else 32  # of a decoding step
TABLE_ROWS = 8 if DRY else 131072
MODEL_TOKENS = 8 if DRY else 8192
SHAPE = {"hidden_size": 256, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2,
         "num_key_value_heads": 1, "vocab_size": 64} if DRY else {
         "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 4, "num_attention_heads": 32,
         "num_key_value_heads": 8, "vocab_size": 32000}
CONFIG = transformers.LlamaConfig(**SHAPE, max_position_embeddings=131072, rope_parameters={
    "rope_type": "llama3", "rope_theta": 500000.0, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192})
if not DRY and not torch.cuda.is_available():
    sys.exit("torch_gpu.py: there is no GPU; --dry-run tries the program without one")
CONSTANTS, ROWS = (torch_gpu_kernels.kernels_with(sines) for sines in (torch_gpu_kernels.constants, torch_gpu_kernels.rows))
if DRY:
    sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests/checks/python"))
    import interpreter
    interpreter.use_kernels()
    interpreter.prepare(CONSTANTS)
    interpreter.prepare(ROWS)
WORDS, COORDINATE, _ = modules.tensors_of(ROPE, torch.device(DEVICE))
ROTARY, HF_ROTARY = modules.Rotary(ROPE), llama.LlamaRotaryEmbedding(CONFIG).to(DEVICE)
# The names of lines that the summary compares.
CONSTANT, EXACT, IN_PLACE = "the same kernel with constants", "posenc.rotate_qk", "posenc.rotate, in place"
ONCE, GIVEN = "posenc's Rotary, rotate_by compiled", "transformers, given, compiled"
GIVEN_BEFORE = "transformers, given before the step, compiled"
claims = []  # lines of the summary
failures = []  # names of results that are wrong
PEERS = {}  # what installed_peers() finds

# ---- time ----------------------------------------------------------------------------------------------------------


def microseconds(run):
    """The time of one run, on the device, which has nothing else to do."""
    if DRY:
        run()
        return 1.0
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    run()
    end.record()
    end.synchronize()
    return 1000 * start.elapsed_time(end)


def captured(call, repeat):
    """Returns a function that runs a call `repeat` times, as one CUDA graph."""
    if DRY:
        return call
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(repeat):
            call()
    return graph.replay


def paired(runs, repeat=1):
    """Returns the microseconds per call of each run in each turn. A turn has all runs, and each turn begins with another."""
    names, figures = list(runs), {name: np.zeros(TURNS) for name in runs}
    for turn in range(TURNS):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            figures[name][turn] = microseconds(runs[name]) / repeat
    return figures


def figure(times, unit=1.0, digits=1):
    """The median of the turns, and the quartiles."""
    if DRY:
        return "dry"
    low, median, high = np.percentile(times / unit, (25, 50, 75))
    return f"{median:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


# ---- what is printed -----------------------------------------------------------------------------------------------


def print_table(title, legend, columns, lines):
    """lines has a list of cells, one for each column, under the name of each line."""
    legend = textwrap.fill(" ".join(legend.split()), 118)
    print(f"\n## {title}\n\n{legend}\n\n| | {' | '.join(columns)} |\n|---|{'--:|' * len(columns)}")
    for name, cells in lines.items():
        print(f"| {name} | {' | '.join(cells)} |")
    sys.stdout.flush()


def claim(what, asked, measured, is_met):
    verdict = "dry" if DRY else f"{'met' if is_met else 'NOT MET'}: measured {measured}"
    claims.append(f"* {what}: asked {asked}; {verdict}")


def fail(name, why):
    """A result is wrong. Other packages may be: then their lines are left out."""
    print(f"{'SKIP' if name in PEERS else 'FAIL'}: {name}: {why}", flush=True)
    if name not in PEERS:
        failures.append(name)


def agree(name, got, want):
    """Compares results with those of posenc, as far as bfloat16 and float32 angles allow. Returns whether they agree."""
    mean = max((a.double() - b.double()).abs().mean().item() for a, b in zip(got, want))
    if not mean < 0.02:
        fail(name, f"the mean difference from posenc's results is {mean:.3f}")
    return mean < 0.02


# ---- rotations -----------------------------------------------------------------------------------------------------


def heads(tokens, count):
    """Heads of so many tokens, [1, heads, tokens, head_dim], as a projection leaves them."""
    return torch.randn(1, tokens, count, HEAD_DIM, device=DEVICE).bfloat16().transpose(1, 2)


def rows_of(ids):
    """The exact float32 cosines and sines of positions, as the kernel with rows takes them in place of a plan's words."""
    cos, sin = ROTARY(torch.zeros(1, device=DEVICE), ids)
    rows = torch.cat((cos[..., :PAIRS], sin[..., :PAIRS]), -1).view(-1, HEAD_DIM)
    return rows.view(torch.int32).t()[:PAIRS]


def launch(kernels, inputs, outputs, positions, words):
    """Rotates heads into outputs with one of the modules of kernels."""
    with torch_gpu_kernels.launching(kernels):
        _launch.rotate(inputs, outputs, positions, words, COORDINATE, 1.0, HALVES, 0, HEAD_DIM, 0, -2, 1, False)
    return outputs


def rotate_both(q, k, cos, sin):
    cos, sin = cos.unsqueeze(1), sin.unsqueeze(1)
    return modules.rotate_by(q, cos, sin), modules.rotate_by(k, cos, sin)


def liger(function, cos, sin):
    return lambda q, k: function(q, k, cos, sin)


def flash_attention(function, cos, sin):
    cos, sin = cos[0, :, :PAIRS].contiguous(), sin[0, :, :PAIRS].contiguous()
    return lambda q, k: tuple(function(x.transpose(1, 2), cos, sin).transpose(1, 2) for x in (q, k))


def torchembed(function, cos, sin):
    return lambda q, k: function(q, k, cos[0], sin[0])


def installed_peers():
    """The rotations of other packages: what makes a rotation of q and k from cosines and sines, under its name."""
    found = {}
    for name, package, module, function, make in (
            ("Liger Kernel", "liger-kernel", "liger_kernel.transformers.rope", "liger_rotary_pos_emb", liger),
            ("FlashAttention", "flash-attn", "flash_attn.ops.triton.rotary", "apply_rotary", flash_attention),
            ("torchembed", "torchembed", "torchembed._triton", "fused_rope_forward", torchembed)):
        try:
            rotation = getattr(importlib.import_module(module), function)
            label = f"{name} {importlib.metadata.version(package)}, given"
        except ImportError:
            print(f"SKIP: {name}: not installed")
        except Exception as error:
            print(f"SKIP: {name}: cannot be used: {type(error).__name__}: {str(error)[:100]}")
        else:
            found[label] = lambda cos, sin, rotation=rotation, make=make: make(rotation, cos, sin)
    return found


def rotations(q, k, ids):
    """All ways to rotate q and k, under their names: a function that computes what it needs once per step, and one that
    rotates q and k with its results. A way that raises an exception or computes something else is left out."""
    torch._dynamo.reset()
    compiled = {function: torch.compile(function, backend=COMPILER, dynamic=False, fullgraph=True)
                for function in (rotate_both, llama.apply_rotary_pos_emb)}
    tokens = torch.arange(q.shape[2], device=DEVICE)

    def own(q, k):
        return llama.apply_rotary_pos_emb(q, k, *HF_ROTARY(q, ids))

    def nothing():
        return ()

    def given():
        return HF_ROTARY(q, ids)

    def fresh(q, k):
        return torch.empty_like(q), torch.empty_like(k)
    ways = {
        CONSTANT: (nothing, lambda q, k: launch(CONSTANTS, (q, k), fresh(q, k), tokens, WORDS)),
        EXACT: (nothing, lambda q, k: modules.rotate_qk(q, k, ROPE, ids)),
        "posenc.rotate_qk, in place": (nothing, lambda q, k: modules.rotate_qk(q, k, ROPE, ids, out=(q, k))),
        "the same kernel with rows of Rotary": (lambda: (rows_of(ids),),
                                                lambda q, k, rows: launch(ROWS, (q, k), fresh(q, k), tokens, rows)),
        ONCE: (lambda: ROTARY(q, ids), compiled[rotate_both]),
        "transformers, from positions": (nothing, own),
        "transformers, from positions, compiled": (
            nothing, torch.compile(own, backend=COMPILER, dynamic=False, fullgraph=True)),
        "transformers, given": (given, llama.apply_rotary_pos_emb),
        GIVEN: (given, compiled[llama.apply_rotary_pos_emb])}
    for name, make in PEERS.items():
        ways[name] = (lambda make=make: (make(*given()),), lambda q, k, rotation: rotation(q, k)[:2])
    want = modules.rotate_qk(q, k, ROPE, ids)
    usable = {}
    for name, (once, each) in ways.items():
        try:
            got = each(q.clone(), k.clone(), *once())
        except Exception as error:
            fail(name, f"{type(error).__name__}: {str(error)[:200]}")
        else:
            if name == CONSTANT or agree(name, got, want):
                usable[name] = once, each
    return usable


# ---- tables --------------------------------------------------------------------------------------------------------


def time_kernels():
    """Times posenc's kernel beside the same kernel with other sources of cosines and sines."""
    lines = {}
    for tokens, count in KERNELS:
        q, ids = heads(tokens, count), torch.arange(tokens, device=DEVICE)
        want = modules.rotate(q, ROPE, ids)
        runs, rows = {}, rows_of(ids)
        for name, kernels, source in ((CONSTANT, CONSTANTS, WORDS), (IN_PLACE, _kernels, WORDS),
                                      ("the same kernel with float32 rows", ROWS, rows)):
            got, = launch(kernels, (q,), (torch.empty_like(q),), ids, source)
            if name != CONSTANT and not torch.equal(got, want):
                fail(name, "other bits than posenc.rotate")
            runs[name] = captured(lambda kernels=kernels, source=source: launch(kernels, (q,), (q,), ids, source), 20)
        figures = paired(runs, 20)
        for name, times in figures.items():
            lines.setdefault(name, []).append(figure(times))
        ours, memory = figures[IN_PLACE], figures[CONSTANT]
        if tokens >= 8192 or DRY:
            ratio, more = np.median(ours / memory), np.median(ours - memory)
            claim(f"{tokens} x {count}, from positions beside constants", "at most 1.05 times or 0.5 us more",
                  f"{ratio:.3f} times, {more:.2f} us more", ratio <= 1.05 or more <= 0.5)
    print_table("The kernel alone", """bfloat16 heads of 128 elements, rotated in place, microseconds: the median of the
turns, and the quartiles. A turn replays a CUDA graph of 20 launches of each line. The constants need no sines and no
table, so their line is the time of memory. The rows are read from a float32 table of the same tokens.""",
                [f"{tokens:,} x {count}" for tokens, count in KERNELS], lines)


def time_steps():
    """Times a step of decoding: the rotations of all layers, for a few tokens."""
    lines = {}
    for number, (tokens, q_heads, k_heads) in enumerate(STEPS):
        q, k = heads(tokens, q_heads), heads(tokens, k_heads)
        ids = torch.randint(0, 131072, (1, tokens), device=DEVICE)
        runs = {}
        for name, (once, each) in rotations(q, k, ids).items():
            def step(once=once, each=each):
                sines = once()
                for _ in range(LAYERS):
                    each(q, k, *sines)
            runs[name] = captured(step, 1)
            if name == GIVEN:
                kept = once()
                runs[GIVEN_BEFORE] = captured(lambda each=each, kept=kept: [each(q, k, *kept) for _ in range(LAYERS)], 1)
        figures = paired(runs, LAYERS)
        for name, times in figures.items():
            lines.setdefault(name, ["-"] * len(STEPS))[number] = figure(times, digits=2)
        if tokens == STEPS[-1][0] and ONCE in figures and GIVEN_BEFORE in figures:
            ratio = np.median(figures[ONCE] / figures[GIVEN_BEFORE])
            claim(f"{tokens} tokens in a CUDA graph, sines once per step, beside {GIVEN_BEFORE}", "at most 1.1 times",
                  f"{ratio:.3f} times", ratio <= 1.1)
    print_table("A step of decoding", f"""bfloat16 heads of 128 elements, {STEPS[-1][1]} of queries and {STEPS[-1][2]} of
keys, for so many tokens at random positions, microseconds per layer: the median of the turns, and the quartiles. A turn
replays a CUDA graph of a step with {LAYERS} layers. "Given" and "Rotary" are cosines and sines that are computed once per
step, at its beginning; other lines compute them in each layer. Only "{GIVEN_BEFORE}" computes none.""",
                [f"{tokens} tokens" for tokens, _, _ in STEPS], lines)


def time_calls():
    """Times one rotation of queries and keys, as programs call it."""
    lines = {}
    for number, (tokens, q_heads, k_heads) in enumerate(CALLS):
        q, k = heads(tokens, q_heads), heads(tokens, k_heads)
        runs = {}
        for name, (once, each) in rotations(q, k, torch.arange(tokens, device=DEVICE)[None]).items():
            sines = once()
            runs[name] = captured(lambda each=each, sines=sines: each(q, k, *sines), 20)
        for name, times in paired(runs, 20).items():
            lines.setdefault(name, ["-"] * len(CALLS))[number] = figure(times)
    print_table("Queries and keys", """bfloat16 heads of 128 elements of queries and of keys, microseconds: the median of
the turns, and the quartiles. A turn replays a CUDA graph of 20 calls. Cosines and sines that are "given", or come from
"Rotary", are computed before and are not part of the time. All lines but those "in place" write new tensors; Liger Kernel
works in place.""", [f"{tokens:,} x ({q_heads} + {k_heads})" for tokens, q_heads, k_heads in CALLS], lines)


def time_tables():
    """Times cosines and sines alone."""
    torch._dynamo.reset()
    ids, lines = torch.arange(TABLE_ROWS, device=DEVICE)[None], {}
    for dtype in (torch.float32, torch.bfloat16):
        x = torch.zeros(1, dtype=dtype, device=DEVICE)
        runs = {"posenc.torch.Rotary": lambda: ROTARY(x, ids), "transformers": lambda: HF_ROTARY(x, ids),
                "transformers, compiled": torch.compile(lambda: HF_ROTARY(x, ids), backend=COMPILER, dynamic=False)}
        want = ROTARY(x, ids)
        runs = {name: captured(run, 5) for name, run in runs.items() if agree(name, run(), want)}
        for name, times in paired(runs, 5).items():
            lines.setdefault(name, []).append(figure(times))
    print_table("Cosines and sines alone", f"""For {TABLE_ROWS:,} tokens and heads of 128 elements, each number twice, as
models want them, microseconds: the median of the turns, and the quartiles. A turn replays a CUDA graph of 5 calls.
transformers rounds angles to float32, so that its numbers are wrong by up to 0.008 at position 131,071.""",
                ["float32", "bfloat16"], lines)


# ---- a whole model -------------------------------------------------------------------------------------------------


def made_models():
    """Three models with the same parameters: transformers' own, with Rotary in it, and with the installed rotation."""
    torch.manual_seed(61)
    with torch.device(DEVICE):
        own = transformers.AutoModelForCausalLM.from_config(CONFIG, dtype=torch.bfloat16).eval()
    assert own.model.rotary_emb.inv_freq.dtype == torch.float32, "the frequencies of transformers are rounded"
    shared = {id(parameter): parameter for parameter in own.parameters()}
    with_rotary, installed = copy.deepcopy(own, dict(shared)), copy.deepcopy(own, dict(shared))
    with_rotary.model.rotary_emb = modules.Rotary.from_config(CONFIG)
    return {"transformers": own, "posenc.torch.Rotary": with_rotary, "posenc.torch.install": modules.install(installed)}


def forward(model, ids):
    with torch.no_grad():
        return model(input_ids=ids, use_cache=False, logits_to_keep=1).logits


def forward_and_backward(model, ids):
    model(input_ids=ids, labels=ids, use_cache=False).loss.backward()
    model.zero_grad(set_to_none=True)


def time_models():
    torch._dynamo.reset()
    models = made_models()
    for name in ("transformers", "posenc.torch.install"):
        models[f"{name}, compiled"] = torch.compile(models[name], backend=COMPILER, dynamic=False)
    ids = torch.randint(0, CONFIG.vocab_size, (1, MODEL_TOKENS), device=DEVICE)
    want, lines, breaks = forward(models["transformers"], ids), {name: [] for name in models}, dict.fromkeys(models, 0)
    for pass_name, run in (("forward", forward), ("forward and backward", forward_and_backward)):
        for name, model in models.items():
            counters.clear()
            got = run(model, ids)
            breaks[name] += sum(counters["graph_break"].values())
            if got is not None and (got - want).abs().mean() > 0.1 * want.abs().mean():
                fail(name, "other logits than those of transformers")
            run(model, ids)
        figures = paired({name: lambda model=model: run(model, ids) for name, model in models.items()})
        for name, times in figures.items():
            lines[name].append(figure(times, 1000, 2))
        installed, compiled = (figures[f"posenc.torch.install{how}"] / figures[f"transformers{how}"]
                               for how in ("", ", compiled"))
        if run is forward:
            claim("a model forward, installed beside eager transformers", "at least 4 % faster",
                  f"{100 - 100 * np.median(installed):.1f} % faster", np.median(installed) <= 0.96)
        quartile = np.percentile(compiled, 25)
        claim(f"a model {pass_name}, both compiled", "not slower: the lower quartile of the ratio is at most 1",
              f"a median of {np.median(compiled):.3f} and a lower quartile of {quartile:.3f}", quartile <= 1)
    for name in lines:
        lines[name].append(str(breaks[name]) if "compiled" in name else "")
    print_table("A whole model", f"""Llama 3.1's shape with {CONFIG.num_hidden_layers} layers and random weights in bfloat16,
1 x {MODEL_TOKENS:,} tokens, milliseconds: the median of the turns, and the quartiles. The last column counts the graph
breaks of both passes. The lines have the same weights. Rotary replaces cosines and sines, install the whole rotation.""",
                ["forward", "forward and backward", "graph breaks"], lines)
    count = breaks["posenc.torch.install, compiled"]
    claim("graph breaks of the installed model", "0", str(count), count == 0)
    if count:
        fail("posenc.torch.install, compiled", f"{count} graph breaks")


def driver():
    try:
        return subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], check=True,
                              stdout=subprocess.PIPE, text=True).stdout.split("\n")[0]
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def main():
    where = "a CPU, in Triton's interpreter" if DRY else f"{torch.cuda.get_device_name()}, driver {driver()}"
    print(f"# posenc {posenc.__version__} on {where}, {time.strftime('%Y-%m-%d')}\n\ntorch {torch.__version__}, triton "
          f"{triton.__version__}, transformers {transformers.__version__}; {TURNS} turns")
    if modules.backend(DEVICE) != "triton":
        print("FAIL: the kernels do not pass their self test on this device")
        return 1
    if "--verify" in sys.argv:
        wrong = torch_gpu_check.verify(DEVICE, *((300, 16) if DRY else (100_000_000, 65536)))
        claim("bits that differ from libposenc's", "0", str(wrong), wrong == 0)
        if wrong:
            fail("posenc.torch", f"{wrong} elements have other bits than libposenc's")
    start = time.monotonic()
    PEERS.update(installed_peers())
    for title, measure in (("The kernel alone", time_kernels), ("A step of decoding", time_steps),
                           ("A whole model", time_models), ("Queries and keys", time_calls),
                           ("Cosines and sines alone", time_tables)):
        if time.monotonic() - start > LIMIT:
            print(f"\nSKIP: {title}: the time is over", flush=True)
        else:
            measure()
    print("\n## What was asked\n")
    print("\n".join(claims))
    print(f"\n{time.monotonic() - start:.0f} s, {len(failures)} failed{': ' if failures else ''}{', '.join(failures)}")
    return len(failures) > 0


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(main())
