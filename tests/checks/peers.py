# SPDX-License-Identifier: MIT
"""Compares posenc with the programs of the environment of test peers (tests/requirements/peers.txt).

    peers.py POSENC REQUIREMENTS DIR

The versions that REQUIREMENTS pins must be installed. For each scaling, the function of transformers in
ROPE_INIT_FUNCTIONS must give the frequencies and the attention factor that `posenc show` prints, up to the rounding of
float32. The program posenc must read the numbers of a file that gguf's writer makes. The interpreter of triton must run
a kernel. The last line is "N passed, N failed".
"""
import importlib.metadata
import json
import logging
import os
import subprocess
import sys

os.environ["TRITON_INTERPRET"] = "1"  # read when triton is imported
os.environ["TRANSFORMERS_VERBOSITY"] = "error"
import gguf  # noqa: E402
import numpy  # noqa: E402
import torch  # noqa: E402
import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from transformers import LlamaConfig  # noqa: E402
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS  # noqa: E402

logging.disable(logging.WARNING)  # transformers warns about factors that differ from the ratio of the lengths
POSENC, REQUIREMENTS, WORK = sys.argv[1:]
HEAD_DIM = 64
LENGTHS = {"original_max_position_embeddings": 4096}
# The parameters of each scaling; posenc takes the same names.
SCALINGS = {
    "linear": {"factor": 4.0},
    "dynamic": {"factor": 4.0},
    "yarn": {"factor": 8.0, **LENGTHS},
    "llama3": {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, **LENGTHS},
    "longrope": {"factor": 8.0, "short_factor": [1.0 + i / 16 for i in range(HEAD_DIM // 2)],
                 "long_factor": [1.0 + i / 4 for i in range(HEAD_DIM // 2)], **LENGTHS},
    "proportional": {"partial_rotary_factor": 0.25},
}
counts = {True: 0, False: 0}


def check(what, is_right, details=""):
    counts[bool(is_right)] += 1
    print(f"ok   {what}" if is_right else f"FAIL {what}: {details}")


def show(argument):
    """Returns the first part that `posenc show ARGUMENT --json` prints."""
    run = subprocess.run([POSENC, "show", argument, "--json"], capture_output=True, text=True)
    return json.loads(run.stdout)["parts"][0]


def close(x, y, bits=20):
    """Returns whether two lists agree up to a relative error of 2^-bits."""
    return len(x) == len(y) and all(abs(a - b) <= abs(b) * 2**-bits for a, b in zip(x, y))


def check_versions():
    with open(REQUIREMENTS, encoding="utf-8") as file:
        pins = [line.strip().split("==") for line in file if "==" in line]
    for name, version in pins:
        found = importlib.metadata.version(name).split("+")[0]  # 2.13.0+cpu counts as 2.13.0
        check(f"{name} {version}", found == version, f"{found} is installed")


def check_scaling(rope_type, parameters):
    """Compares posenc with transformers for one Llama config."""
    rope = {"rope_type": rope_type, "rope_theta": 500000.0, **parameters}
    config = LlamaConfig(hidden_size=8 * HEAD_DIM, num_attention_heads=8, max_position_embeddings=32768,
                         rope_parameters=rope)
    path = os.path.join(WORK, f"{rope_type}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(config.to_dict(), file)
    part = show(path)
    if rope_type == "default":
        inv_freq = 1 / 500000.0 ** (torch.arange(0, HEAD_DIM, 2, dtype=torch.float32) / HEAD_DIM)
        attention = 1.0
    else:
        inv_freq, attention = ROPE_INIT_FUNCTIONS[rope_type](config, "cpu")
    inv_freq = inv_freq.double().tolist()
    check(f"frequencies of {rope_type}", close(part["frequencies"], inv_freq), f"{part['frequencies']} {inv_freq}")
    check(f"attention factor of {rope_type}", close([part["attention_factor"]], [attention]),
          f"{part['attention_factor']}, transformers has {attention}")


def check_gguf():
    """Writes a GGUF file with gguf's own writer, and reads it with posenc."""
    path = os.path.join(WORK, "llama.gguf")
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(131072)
    writer.add_embedding_length(2048)
    writer.add_block_count(2)
    writer.add_head_count(32)
    writer.add_rope_dimension_count(HEAD_DIM)
    writer.add_rope_freq_base(500000.0)
    writer.add_tensor("token_embd.weight", numpy.zeros((4, 2048), numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    part = show(path)
    check("a file by gguf's writer", (part["head_dim"], part["rope_theta"]) == (HEAD_DIM, 500000), str(part))


@triton.jit
def double_kernel(x, n: tl.constexpr):
    i = tl.arange(0, n)
    tl.store(x + i, 2 * tl.load(x + i))


def check_triton():
    x = torch.arange(16, dtype=torch.int32)
    double_kernel[(1,)](x, 16)
    check("triton's interpreter", x.tolist() == list(range(0, 32, 2)), str(x))


check_versions()
for scaling, values in {"default": {}, **SCALINGS}.items():
    check_scaling(scaling, values)
check_gguf()
check_triton()
print(f"{counts[True]} passed, {counts[False]} failed")
sys.exit(counts[False] > 0)
