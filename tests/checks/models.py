# SPDX-License-Identifier: MIT
"""models.py PROGRAM: compares each row of docs/models.md with the formula of the model's own code.

A row of the page names fields, which tests/checks/models.c sets in a config. This file has what the project computes,
retyped in numpy with float64 (2026-11-24). The page and this file must have the same names. A fill must be the nearest
float, and a rotation must be within its documented bound. Comments in the programs of the page contain numbers that
they print. These numbers are compared here, and tests/checks/readme.sh checks that the programs print them.

Every formula names its source, which is a paper or a project's file that was read on 2026-11-24 or 25. The file is that
of the commit named there. Without a commit, it is diffusers 58eb52c of 2026-08-23, timm aa4b585 of 2026-08-08, or
transformers as of 2026 unless a year is named. "Copied in" means that a file of a checkpoint was read in another
project's copy. Three numbers that no available config has are from memory, and say so. CONFIG stands for the numbers of
a config.json and the pairs of tool/model/transformers.h. No text of these projects is here.
"""
import ast
import re
import subprocess
import sys
from decimal import Decimal, getcontext

try:
    import numpy as np
except ImportError:
    print("SKIP: docs/models.md against numpy: python3-numpy is missing")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

from math import exp, floor, log, pi  # noqa: F401, for the page's expressions

PAGE = "docs/models.md"
HEAD = 5  # the head of LTX-2 that is compared
with open("tests/layout.txt", encoding="utf-8") as layout:  # the constants of pe.h and their values
    CONSTANTS = dict(re.findall(r"(?m)^(PE_\w+) (\d+)$", layout.read()))
passed = failed = 0


def check(what, good, detail=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    print(f"{'ok  ' if good else 'FAIL'} {what}{'' if good else f': {detail}'}")


def learned(i, k):
    """Returns a float that stands for a number of the checkpoint."""
    return float(np.float32(np.sin(12.9898 * i + 78.233 * k + 1) * 0.75))


# ---- what the projects compute ------------------------------------------------------------------------------

def inv_freq(n, theta):
    return 1 / theta ** (np.arange(0, n, 2) / n)


def llama3(inv, factor, low, high, length):
    """Computes what Meta's apply_scaling of Llama 3.1 does."""
    wavelen = 2 * pi / inv
    smooth = (length / wavelen - low) / (high - low)
    return np.where(wavelen < length / high, inv, np.where(wavelen > length / low, inv / factor,
                                                           (1 - smooth) * inv / factor + smooth * inv))


def yarn(n, theta, factor, length, fast=32, slow=1, truncate=True):
    def dim(rotations):
        return n * log(length / (rotations * 2 * pi)) / (2 * log(theta))
    low, high = dim(fast), dim(slow)
    if truncate:
        low, high = floor(low), np.ceil(high)
    low, high = max(low, 0), min(high, n - 1)
    if low == high:
        high += 0.001
    ramp = np.clip((np.arange(n // 2) - low) / (high - low), 0, 1)
    return inv_freq(n, theta) / factor * ramp + inv_freq(n, theta) * (1 - ramp)


def mscale(factor, m=1.0):
    return 0.1 * m * log(factor) + 1


def halves(x, angle, n):
    """Applies rotate_half to the first n elements of a head."""
    a, b, rest = x[: n // 2], x[n // 2: n], x[n:]
    cos, sin = np.cos(angle), np.sin(angle)
    return [a * cos - b * sin, b * cos + a * sin, np.broadcast_to(rest, angle.shape[:1] + rest.shape)]


def adjacent(x, angle, n):
    """Rotates interleaved pairs, as complex numbers or rotate_every_two do."""
    z = (x[:n:2] + 1j * x[1:n:2]) * np.exp(1j * angle)
    rest = x[n:]
    return [np.stack([z.real, z.imag], -1).reshape(len(angle), n), np.broadcast_to(rest, angle.shape[:1] + rest.shape)]


def adjacent_to_halves(x, angle, n):
    """Rotates as DeepSeek-V3 does: interleaved pairs are moved to halves first, and stay there."""
    return halves(np.concatenate([x[:n:2], x[1:n:2], x[n:]]), angle, n)


def halves_in_blocks(dims):
    """Returns a function that rotates as apply_multidimensional_rope does: each axis has a block with rotate_half."""
    def pairs(x, angle, n):
        out, at = [], 0
        for d in dims:
            out += halves(x[at: at + d], angle[:, at // 2: (at + d) // 2], d)[:2]
            at += d
        return [*out, np.broadcast_to(x[n:], angle.shape[:1] + x[n:].shape)]
    return pairs


def rotation(source, angles, head, pairs=halves, axes=1, amplitude=1.0, real=False):
    """Describes a model that rotates. angles(p) returns the angles [rows, pairs] of positions [rows, axes]."""
    def rotated(p, x):
        angle = angles(p)
        parts = pairs(x, angle, 2 * angle.shape[1])
        parts[:-1] = [amplitude * part for part in parts[:-1]]
        return np.concatenate(parts, 1)
    return {"source": source, "axes": axes, "head": head, "rotated": rotated, "real": real, "amplitude": amplitude}


def text(source, frequencies, head, pairs=halves, amplitude=1.0):
    return rotation(source, lambda p: np.outer(p[:, 0], frequencies), head, pairs, 1, amplitude)


def sections(frequencies, counts):
    """Rotates as Qwen2-VL does: the first of these pairs by t, the next by y, the last by x."""
    axis = np.repeat(np.arange(len(counts)), counts)
    return lambda p: p[:, axis] * frequencies


def interleaved(frequencies, counts):
    """Rotates as apply_interleaved_mrope does: pairs by t y x t y x ..., and those that are left over by t."""
    axis = np.zeros(len(frequencies), int)
    for a in (1, 2):
        axis[a: 3 * counts[a]: 3] = a
    return lambda p: p[:, axis] * frequencies


def greedy(a, b, c):
    """Repeats vLLM's get_mrope_interleaved_id_list with force_last: the next pair goes to the coordinate that has the
    smallest share of its pairs so far, but not to the same one twice in a row."""
    counts, placed, order = [a - 1, b, c], [0, 0, 0], []
    while placed != counts:
        left = [k for k in range(3) if placed[k] < counts[k]]
        best = min([k for k in left if order[-1:] != [k]] or left, key=lambda k: placed[k] / counts[k])
        placed[best] += 1
        order.append(best)
    return order + [0]


def by_list(frequencies, axis):
    """Rotates each pair by the coordinate in `axis`. A pair with 255 is not rotated."""
    axis = np.array(axis)
    return lambda p: np.where(axis < 255, p[:, np.minimum(axis, 2)] * frequencies, 0)


def ggml_mrope(frequencies, sections, interleaved):
    """Rotates as ggml_mrope_cache_init does: each section of pairs has a position, and the fourth one is 0. After the
    last section, the first one begins again."""
    def angles(p):
        p, out = np.pad(p, ((0, 0), (0, 1))), []
        for i, w in enumerate(frequencies):
            s = i % sum(sections)
            if interleaved:
                which = s % 3 if s < 3 * sections[s % 3] else 3
            else:
                which = int(np.searchsorted(np.cumsum(sections), s, side="right"))
            out.append(p[:, which] * w)
        return np.stack(out, 1)
    return angles


def hw_then_t(frequencies, t_pairs):
    """Computes what recomposition_to_3d and video_rope do: pairs rotate by y x y x ..., the last pairs by t."""
    axis = 1 + np.arange(len(frequencies)) % 2
    axis[len(axis) - t_pairs:] = 0
    return lambda p: p[:, axis] * frequencies


def tower(n):
    """Computes what Qwen2-VL's VisionRotaryEmbedding does, with n / 4 frequencies for y, and the same for x."""
    return lambda p: np.concatenate([np.outer(p[:, a], inv_freq(n // 2, 10000.0)) for a in (0, 1)], 1)


def blocks(dims, theta=10000.0, order=None, shift=0.0):
    """Calls get_1d_rotary_pos_embed for each axis, one after the other."""
    order = order or range(len(dims))
    return lambda p: np.concatenate([np.outer(p[:, a] + shift, inv_freq(n, theta)) for a, n in zip(order, dims)], 1)


def matrix(pairs, axes):
    w = np.array([[learned(i, k) for k in range(axes)] for i in range(pairs)])
    return lambda p: p @ w.T


def ltx(p):
    """Computes what LTXVideoRotaryPosEmbed does for 2048 columns. p holds the coordinates 2 grid - 1."""
    freqs = 10000.0 ** np.linspace(0, 1, 2048 // 6) * pi / 2
    angle = (p[:, :, None] * freqs).transpose(0, 2, 1).reshape(len(p), -1)
    return np.concatenate([np.zeros((len(p), 2048 % 6 // 2)), angle], 1)


def ltx2(p):
    """Computes what LTX2AudioVideoRotaryPosEmbed does with "split" and 4096 columns, and returns the pairs of head
    HEAD."""
    freqs = 10000.0 ** np.linspace(0, 1, 4096 // 6) * pi / 2
    angle = (p[:, :, None] * freqs).transpose(0, 2, 1).reshape(len(p), -1)
    angle = np.concatenate([np.zeros((len(p), 2048 - angle.shape[1])), angle], 1)
    return angle.reshape(len(p), 32, 64)[:, HEAD]


def cosmos(p):
    """Computes what CosmosRotaryPosEmbed does with rope_scale (2, 1, 1)."""
    return np.concatenate([np.outer(p[:, 0], inv_freq(44, 10000.0 * 2.0 ** (44 / 42))),
                           np.outer(p[:, 1], inv_freq(42, 10000.0)), np.outer(p[:, 2], inv_freq(42, 10000.0))], 1)


def dinov3(periods):
    """Computes angles = 2 pi coords / periods, flattened axis by axis."""
    return lambda p: (2 * pi * p[:, :, None] / periods).reshape(len(p), -1)


def pixtral(p):
    freqs = inv_freq(64, 10000.0)
    return np.concatenate([np.outer(p[:, 0], freqs[::2]), np.outer(p[:, 1], freqs[1::2])], 1)


def alternating(order):
    """Computes what Rope2DPosEmb and get_2d_rotary_pos_embed_lumina do: the coordinates alternate from pair to pair."""
    freqs = inv_freq(32, 10000.0)
    return lambda p: np.stack([np.outer(p[:, a], freqs) for a in order], -1).reshape(len(p), -1)


def gte_mixed(n, theta, factor, b):
    a = log(factor) / (n / 2) ** b
    return inv_freq(n, theta) / np.exp(a * np.arange(1, n // 2 + 1) ** b)


D = "diffusers: "
GGML = "ggml-org/ggml d99724f of 2026-08-21: ggml-cpu/ops.cpp ggml_mrope_cache_init"
PANGU = "vllm-project/vllm 41c5903: mrope_interleaved.py"
T = "timm: pos_embed_sincos.py "
V48 = "transformers 4.48.0.dev0, as forked at 85110f3 of 2025-08-10: "
CONFIG = "pairs: transformers 5, as tool/model/transformers.h has them; numbers: the model's config.json"
LITGPT = "; numbers: Lightning-AI/litgpt 2685705 of 2026-06-29: config.py"
NTK = "vllm-project/vllm 03587f5: ntk_scaling_rope.py; base and factor from memory, no config was found"
LLAMA = inv_freq(128, 500000.0)
FLUX = (16, 56, 56)
MODELS = {
    "Llama 2": text("transformers 0022728: modeling_llama.py", inv_freq(128, 10000.0), 128),
    "Llama 3": text("transformers 0022728: modeling_llama.py", LLAMA, 128),
    "Llama 3.1": text("transformers: modeling_rope_utils.py", llama3(LLAMA, 8, 1, 4, 8192), 128),
    "Llama 3.2 1B": text("transformers: modeling_rope_utils.py", llama3(inv_freq(64, 500000.0), 32, 1, 4, 8192), 64),
    "Llama 4": text("transformers 000c33f: modeling_llama4.py", LLAMA, 128, adjacent),
    "Llama 4 Scout": text("meta-llama/llama-models a9c89c4 of 2025-07-15: llama4/model.py, args.py", np.where(
        2 * pi / LLAMA > 8192, LLAMA / 16, LLAMA), 128, adjacent),
    "Apertus": text(CONFIG, llama3(inv_freq(128, 12e6), 8, 1, 4, 8192), 128),
    "Arcee (AFM-4.5B)": text(CONFIG, yarn(128, 1e4, 20, 3072), 128, halves, mscale(20)),
    "SmolLM3": text(CONFIG, inv_freq(128, 5e6), 128),
    "Falcon-H1": text(CONFIG, inv_freq(128, 1e11), 128),
    "LFM2": text(CONFIG, inv_freq(64, 1e6), 64),
    "Solar Open": text(CONFIG, yarn(128, 1e6, 2, 65536), 128, halves, mscale(2)),
    "Persimmon": text(CONFIG, inv_freq(32, 25000.0), 64),
    "Nemotron-4": text(CONFIG, inv_freq(64, 1e4), 128),
    "Ling 2.0": text(CONFIG, inv_freq(64, 600000.0), 128),
    "Laguna, full": text(CONFIG, yarn(64, 500000.0, 64, 4096), 128),
    "Step-3.5, full": text(CONFIG, llama3(inv_freq(64, 5e6), 2, 1, 32, 131072), 128),
    "MiMo-V2-Flash, full": text(CONFIG, inv_freq(64, 5e6), 192),
    "MiMo-V2-Flash, sliding": text(CONFIG, inv_freq(64, 1e4), 192),
    "LongCat-Flash": text(CONFIG, inv_freq(64, 1e7), 64, adjacent_to_halves),
    "LongCat-Flash-Lite": text(CONFIG, inv_freq(64, 5e6), 64, adjacent_to_halves),
    "Mistral 4": text(CONFIG, yarn(64, 1e4, 128, 8192), 64, adjacent_to_halves),
    "DeepSeek V4, compressed": text(CONFIG, yarn(64, 160000.0, 16, 65536), 64, adjacent),
    "DeepSeek V4, other layers": text(CONFIG, inv_freq(64, 1e4), 64, adjacent),
    "Gemma 3n, full": text(CONFIG, inv_freq(256, 1e6), 256),
    "RecurrentGemma": text(CONFIG, inv_freq(128, 1e4), 256),
    "MiniMax-Text-01": text(CONFIG, inv_freq(64, 1e7), 128),
    "Command A": text(CONFIG, inv_freq(128, 5e4), 128, adjacent),
    "OLMo 3, full": text(CONFIG, yarn(128, 500000.0, 8, 8192), 128, halves, mscale(8)),
    "Nomic BERT": text(CONFIG, inv_freq(64, 1000.0), 64),
    "Nomic BERT, half": text(CONFIG, inv_freq(32, 1000.0), 64, adjacent),
    "Mistral 7B v0.3": text("transformers 005a187: modeling_mistral.py" + LITGPT, inv_freq(128, 1e6), 128),
    "Mixtral": text(V48 + "modeling_mixtral.py" + LITGPT, inv_freq(128, 1e6), 128),
    "Ministral 3": text("transformers 00b364c: modeling_ministral3.py", yarn(128, 1e6, 16, 16384), 128),
    "Qwen2.5": text(V48 + "modeling_qwen2.py" + LITGPT, inv_freq(128, 1e6), 128),
    "Qwen2.5, YaRN": text("transformers: modeling_rope_utils.py", yarn(128, 1e6, 4, 32768), 128, halves, mscale(4)),
    "Qwen2.5-1M": text(V48 + "modeling_qwen2.py" + LITGPT, inv_freq(128, 1e7), 128),
    "Qwen3": text("transformers 02e8340: modular_qwen3.py" + LITGPT, inv_freq(128, 1e6), 128),
    "Qwen3-Next": text("transformers 043bb8d: modular_qwen3_next.py", inv_freq(64, 1e7), 256),
    "DeepSeek V2": text("transformers 000c33f: modular_deepseek_v2.py", yarn(64, 1e4, 40, 4096), 64, adjacent),
    "DeepSeek V2, own code": text(
        "modeling_deepseek.py, copied in JerryYin777/DeepSeek-v2-MoE-MLA-DLB_and_CB-Loss-Implementation fd72011",
        yarn(64, 1e4, 40, 4096), 64, adjacent_to_halves),
    "DeepSeek V3": text("transformers 000c33f: modular_deepseek_v3.py",
                        yarn(64, 1e4, 40, 4096), 64, adjacent_to_halves),
    "DeepSeek V3, own code": text("deepseek-ai/DeepSeek-V3 9b4e978 of 2025-08-28: inference/model.py",
                                  yarn(64, 1e4, 40, 4096), 64, adjacent),
    "Kimi K2": text("NVIDIA/TensorRT-LLM 3699eda: modeling_kimi_k2.py; factor 32 as ports have it",
                    yarn(64, 5e4, 32, 4096, 1, 1), 64, adjacent_to_halves),
    "GPT-OSS": text("openai/gpt-oss 7b58334 of 2026-07-24: torch/model.py",
                    yarn(64, 150000.0, 32, 4096, truncate=False), 64, halves, mscale(32)),
    "Gemma 2": text(V48 + "modeling_gemma2.py" + LITGPT, inv_freq(256, 1e4), 256),
    "Gemma 3, global": text("transformers 0033204: modular_gemma3.py", inv_freq(256, 1e6) / 8, 256),
    "Gemma 3, sliding": text("transformers 0033204: modular_gemma3.py", inv_freq(256, 1e4), 256),
    "Gemma 4, global": text("transformers: configuration_gemma4.py", np.concatenate(
        [1e6 ** -(np.arange(0, 128, 2) / 512), np.zeros(192)]), 512),
    "Gemma 4, sliding": text("transformers: configuration_gemma4.py", inv_freq(256, 1e4), 256),
    "Phi-2": text("transformers 00a98e7: modular_phi.py", inv_freq(32, 1e4), 80),
    "Phi-4": text(V48 + "modeling_phi3.py" + LITGPT, inv_freq(128, 250000.0), 128),
    "Phi-4-mini": text("transformers: modeling_rope_utils.py", inv_freq(96, 1e4), 128, halves,
                       np.sqrt(1 + log(131072 / 4096) / log(4096))),
    "GLM-4": text("transformers 0325dc4: modular_glm.py", inv_freq(64, 1e4), 128, adjacent),
    "GLM-4-9B-chat": text("modeling_chatglm.py of glm-4v-9b, copied in XuRui314/GLM4v-Finetune 513b75d of 2024-06-29",
                          inv_freq(64, 10000.0 * 500), 128, adjacent),
    "GLM-4.5": text("transformers a0699c9: modeling_glm4_moe.py; base from memory", inv_freq(64, 1e6), 128),
    "GLM-4.7-Flash": text("transformers 008e574: modular_glm4_moe_lite.py",
                          inv_freq(64, 1e6), 64, adjacent_to_halves),
    "ChatGLM2": text(
        "modeling_chatglm.py of chatglm2-6b, copied in bq-xiao/chatglm2-6b-model 944d831, angles as reals",
        inv_freq(64, 1e4), 128, adjacent),
    "ERNIE 4.5": text("transformers 016bc8e: modeling_ernie4_5.py", LLAMA, 128, adjacent),
    "MiniMax-M2": text("vllm-project/vllm 01d9958: minimax_m2.py; transformers 008e574: its configuration",
                       inv_freq(64, 5e6), 128),
    "GPT-J": text(V48 + "modeling_gptj.py", inv_freq(64, 1e4), 256, adjacent),
    "GPT-NeoX-20B": text("transformers 00dcc6d: modular_gpt_neox.py", inv_freq(24, 1e4), 96),
    "Command R": text("transformers 03ea97a: modular_cohere.py", inv_freq(128, 8e6), 128, adjacent),
    "StableLM 2": text(V48 + "modeling_stablelm.py; Stability-AI/StableLM 93eea08 of 2024-04-08: configs",
                       inv_freq(16, 1e4), 64),
    "Falcon 7B": text(V48 + "modeling_falcon.py", inv_freq(64, 1e4), 64),
    "TimesFM 2.5": text("google-research/timesfm 3dae50b of 2026-07-13: torch/transformer.py", inv_freq(80, 1e4), 80),
    "OLMo 2": text(V48 + "modeling_olmo2.py" + LITGPT, LLAMA, 128),
    "ModernBERT, global": text("transformers 001f85b: modular_modernbert.py", inv_freq(64, 160000.0), 64),
    "ModernBERT, local": text("transformers 001f85b: modular_modernbert.py", inv_freq(64, 1e4), 64),
    "HunYuan": text("transformers 0233e50: modular_hunyuan_v1_dense.py",
                    inv_freq(128, 1e4 * 1000.0 ** (128 / 126)), 128),
    "Zamba2, long": text("transformers 02f5807: configuration_zamba2.py",
                         inv_freq(160, 1e4 * 8.0 ** (160 / 158)), 160),
    "GTE": text(NTK, inv_freq(64, 160000.0 * 2) / 2 ** (2 / 64), 64),
    "ChatGLM-6B": rotation("modeling_chatglm.py, copied in samson-wang/chatglm-6b-huggingface 867860a of 2023-03-20, "
                            "angles as reals", blocks((64, 64)), 128, halves_in_blocks((64, 64)), 2),
    "GTE, `mixed_b`": text(NTK, gte_mixed(64, 160000.0, 2, 0.4), 64),
    "TransformerEngine": text("NVIDIA/TransformerEngine d0067d0 of 2026-08-22: pytorch/attention/rope.py",
                              inv_freq(128, 1e4) / 4, 128),
    "NTK by parts": text("paper: YaRN, section 3.2", llama3(inv_freq(128, 1e4), 4, 1, 32, 2048), 128),

    "Qwen2-VL": rotation("transformers 00b676f: modeling_qwen2_vl.py",
                         sections(inv_freq(128, 1e6), (16, 24, 24)), 128, axes=3),
    "Qwen2.5-VL": rotation("transformers 00d0108: modular_qwen2_5_vl.py",
                           sections(inv_freq(128, 1e6), (16, 24, 24)), 128, axes=3),
    "Qwen2.5-Omni": rotation("transformers of 2025: modular_qwen2_5_omni.py, Qwen2VLRotaryEmbedding",
                             sections(inv_freq(128, 1e6), (16, 24, 24)), 128, axes=3),
    "Qwen2.5-VL, tower": rotation("transformers 00d0108: modular_qwen2_5_vl.py", tower(80), 80, axes=2),
    "Qwen3-VL": rotation("transformers 00709b8: modeling_qwen3_vl.py",
                         interleaved(inv_freq(128, 5e6), (24, 20, 20)), 128, axes=3),
    "Qwen3-VL, tower": rotation("transformers 00709b8: modeling_qwen3_vl.py; 000c33f: its configuration",
                                tower(72), 72, axes=2),
    "Qwen3-Omni": rotation("transformers of 2025: modular_qwen3_omni_moe.py, Qwen3VLMoeTextRotaryEmbedding",
                           interleaved(inv_freq(128, 1e6), (24, 20, 20)), 128,
                           axes=3),
    "Qwen3.5": rotation("transformers 009e78d: modular_qwen3_5.py",
                        interleaved(inv_freq(64, 1e7), (11, 11, 10)), 256, axes=3),
    "GLM-4.1V": rotation("transformers 005612e: modeling_glm4v.py",
                         sections(inv_freq(64, 1e4), (8, 12, 12)), 128, adjacent, 3),
    "HunyuanImage-3": rotation("Tencent-Hunyuan/HunyuanImage-3.0 5848fb4: modeling_hunyuan_image_3.py", by_list(
        inv_freq(128, 1e4), [0, 1] * 32), 128, axes=2),
    "GLM-4.5V": rotation(CONFIG, sections(inv_freq(64, 1e4), (8, 12, 12)), 128, axes=3),
    "HunyuanOCR": rotation("vllm-project/vllm 1c1b86e: hunyuan_vision.py get_xdrope_input_positions", sections(
        inv_freq(128, 1e4 * 1000.0 ** (128 / 126)), (16, 16, 16, 16)), 128, axes=4),
    "GLM-4.1V, tower": rotation("transformers 005612e: modeling_glm4v.py", tower(128), 128, axes=2),
    "Ideogram 4": rotation(D + "transformer_ideogram4.py",
                           interleaved(inv_freq(256, 5e6), (24, 20, 20)), 256, axes=3),
    "Cosmos 3": rotation(D + "transformer_cosmos3.py", interleaved(inv_freq(128, 5e6), (24, 20, 20)), 128, axes=3),
    "ERNIE 4.5 VL, tower": rotation("transformers of 2025: modular_ernie4_5_vl_moe.py, Qwen2_5_VisionRotaryEmbedding",
                                    tower(80), 80, axes=2),
    "ERNIE 4.5 VL": rotation("transformers: modeling_ernie4_5_vl_moe.py recomposition_to_3d",
                             hw_then_t(LLAMA, 20), 128, adjacent, 3),
    "Bailing (Ming)": rotation("vllm-omni: modeling_bailing_moe_v2.py; inclusionAI/Ming 4876ed4: config.json",
                               
                               hw_then_t(inv_freq(64, 600000.0), 8), 128, axes=3),
    "openPangu, 24, 20, 20": rotation(PANGU, by_list(inv_freq(128, 1e6), greedy(24, 20, 20)), 128, axes=3),
    "openPangu, 16, 24, 24": rotation(PANGU, by_list(inv_freq(128, 1e6), greedy(16, 24, 24)), 128, axes=3),
    "openPangu, 11, 11, 10": rotation(PANGU, by_list(inv_freq(64, 1e7), greedy(11, 11, 10)), 256, axes=3),
    "ggml IMROPE": rotation(GGML, ggml_mrope(inv_freq(128, 1e4), (24, 20, 20, 0), True), 128, axes=3),
    "ggml IMROPE, short": rotation(GGML, ggml_mrope(inv_freq(64, 1e4), (6, 6, 6, 0), True), 64, axes=3),
    "ggml MROPE, short": rotation(GGML, ggml_mrope(inv_freq(20, 1e4), (6, 6, 6, 0), False), 20, axes=3),
    "timm mrope": rotation(T + "RotaryEmbeddingMRope", interleaved(inv_freq(64, 1e4), (8, 12, 12)), 64, axes=3),

    "Flux 1": rotation(D + "embeddings.py", blocks(FLUX), 128, adjacent, 3),
    "Chroma": rotation(D + "transformer_chroma.py", blocks(FLUX), 128, adjacent, 3),
    "Flux 2": rotation("black-forest-labs/flux2 ab7cca6 of 2025-12-01: model.py",
                       blocks((32,) * 4, 2000.0), 128, adjacent, 4),
    "Qwen-Image": rotation(D + "transformer_qwenimage.py", blocks(FLUX), 128, adjacent, 3),
    "Wan 2.1": rotation(D + "transformer_wan.py", blocks((44, 42, 42)), 128, adjacent, 3),
    "SkyReels V2": rotation(D + "transformer_skyreels_v2.py", blocks((44, 42, 42)), 128, adjacent, 3),
    "HunyuanVideo": rotation(D + "transformer_hunyuan_video.py", blocks(FLUX, 256.0), 128, adjacent, 3),
    "HunyuanImage 2.1": rotation(D + "transformer_hunyuanimage.py", blocks((64, 64), 256.0), 128, adjacent, 2),
    "HunyuanDiT": rotation(D + "embeddings.py get_2d_rotary_pos_embed",
                           blocks((44, 44), order=(1, 0)), 88, adjacent, 2,
                           real=True),
    "HiDream-I1": rotation(D + "transformer_hidream_image.py; widths: ComfyUI model_detection.py",
                           blocks((64, 32, 32)), 128,
                           adjacent, 3),
    "PRX": rotation(D + "transformer_prx.py", blocks((32, 32)), 64, adjacent, 2),
    "Kandinsky 5": rotation(D + "transformer_kandinsky.py", blocks((16, 24, 24)), 64, adjacent, 3, real=True),
    "Lumina 2": rotation(D + "transformer_lumina2.py", blocks((32, 32, 32)), 96, adjacent, 3),
    "Z-Image": rotation(D + "transformer_z_image.py", blocks((32, 48, 48), 256.0), 128, adjacent, 3),
    "Allegro": rotation(D + "embeddings.py apply_rotary_emb_allegro",
                        blocks((32,) * 3), 96, halves_in_blocks((32,) * 3),
                        3),
    "CogVideoX": rotation(D + "embeddings.py get_3d_rotary_pos_embed", blocks((16, 24, 24)), 64, adjacent, 3,
                          real=True),
    "CogView4": rotation(D + "transformer_cogview4.py", blocks((64, 64)), 128, axes=2),
    "GLM-Image": rotation(D + "transformer_glm_image.py", blocks((64, 64)), 128, axes=2),
    "MiniMax-H3": rotation(D + "transformer_minimax_h3.py", blocks((32, 32, 32)), 128, axes=3),
    "Cosmos 1": rotation(D + "transformer_cosmos.py", cosmos, 128, axes=3, real=True),
    "LTX-Video": rotation(D + "transformer_ltx.py", ltx, 2048, adjacent, 3, real=True),
    "LTX-2": rotation(D + "transformer_ltx2.py", ltx2, 128, axes=3, real=True),
    "Mochi": rotation(D + "transformer_mochi.py", matrix(64, 3), 128, adjacent, 3, real=True),
    "timm mixed": rotation(T + "get_mixed_freqs", matrix(32, 2), 64, adjacent, 2),
    "RoPE-ViT mixed": rotation("naver-ai/rope-vit ce85c2e of 2024-12-20: models_v2_rope.py",
                               matrix(32, 2), 64, adjacent, 2),
    "MiniMax-M3, tower": rotation("transformers 5.24.0: modeling_minimax_m3_vl.py; 5.17.0 rotated by y and x alone, which "
                                  "NVIDIA's Megatron-Bridge corrects", blocks((26, 26, 26)), 80, axes=3),
    "LightGlue": rotation("cvg/LightGlue 1fd587b of 2025-07-05: lightglue.py",
                          matrix(32, 2), 64, adjacent, 2, real=True),
    "EVA-02": rotation(T + "build_rotary_pos_embed", blocks((32, 32)), 64, adjacent, 2, real=True),
    "SAM 2": rotation("facebookresearch/sam2 2b90b9f of 2024-12-15: position_encoding.py",
                      blocks((32, 32), order=(1, 0)), 64, adjacent, 2),
    "Llama 4, tower": rotation("meta-llama/llama-models a9c89c4 of 2025-07-15: llama4/vision/encoder.py",
                               blocks((44, 44), order=(1, 0), shift=1), 88, adjacent, 2),
    "Gemma 4, tower": rotation("transformers 0246b4f: modeling_gemma4.py", blocks((32, 32), 100.0), 64,
                               halves_in_blocks((32, 32)), 2),
    "DINOv3": rotation(T + "RotaryEmbeddingDinoV3", dinov3(100.0 ** (2 * np.arange(16) / 32)), 64, axes=2, real=True),
    "timm DINOv3, periods": rotation(T + "RotaryEmbeddingDinoV3", dinov3(0.5 * (90 / 0.5) ** np.linspace(0, 1, 16)),
                                     64, axes=2, real=True),
    "timm pixels": rotation(T + "pixel_freq_bands", lambda p: (
        p[:, :, None] * 2 ** np.linspace(0, np.log2(224) - 1, 16) * pi).reshape(len(p), -1), 64, adjacent, 2, real=True),
    "Pixtral": rotation("transformers 0233e50: modeling_pixtral.py", pixtral, 64, axes=2),
    "Kimi-VL, tower": rotation("Kimi-VL: Rope2DPosEmb, as ports have it", alternating((1, 0)), 64, adjacent, 2),
    "Lumina v1 (Lumina-Next)": rotation(D + "embeddings.py get_2d_rotary_pos_embed_lumina",
                                        alternating((0, 1)), 64, adjacent, 2),
}


# ---- tables

def table(source, row, axes=1, real=False):
    """Describes a model that adds a table. row(p) returns its rows for positions [rows, axes]."""
    return {"source": source, "axes": axes, "row": row, "real": real, "amplitude": 1.0}


def woven(a):
    """Puts the sine and the cosine of each angle next to each other."""
    return np.stack([np.sin(a), np.cos(a)], -1).reshape(len(a), -1)


def apart(a, cos_first=False):
    parts = [np.sin(a), np.cos(a)]
    return np.concatenate(parts[::-1] if cos_first else parts, 1)


def paper(d):
    return lambda p: woven(np.outer(p[:, 0], inv_freq(d, 10000.0)))


def timescales(d, shift=1, cos_first=False, offset=0, scale=1.0):
    """Computes what tensor2tensor's get_timing_signal_1d and similar functions do. If the width is odd, the last column
    is 0."""
    h = d // 2
    inverse = np.exp(-np.arange(h) * (log(10000.0) / (h - shift)))

    def row(p):
        out = apart(np.outer(scale * (p[:, 0] + offset), inverse), cos_first)
        return np.pad(out, ((0, 0), (0, d - 2 * h)))
    return row


def fairseq(d):
    """Computes fairseq's table. Row k has position k + 2. padding_idx is 1, so row -1 is 0."""
    return lambda p: np.where(p == -1, 0, timescales(d, offset=2)(p))


def marian(d):
    """Computes what Hugging Face's create_sinusoidal_positions and the like do. An odd width has one more sine than
    cosines."""
    def row(p):
        a = np.outer(p[:, 0], 1 / 10000.0 ** (np.arange(0, d, 2) / d))
        return np.concatenate([np.sin(a), np.cos(a)[:, : d // 2]], 1)
    return row


def by_axis(row, order):
    return lambda p: np.concatenate([row(p[:, [a]]) for a in order], 1)


def boxes(d, order):
    """Computes what gen_sineembed_for_position does: 2 pi x / 10000^(2 floor(j / 2) / d), axis by axis."""
    return lambda p: np.concatenate([woven(2 * pi * np.outer(p[:, a], inv_freq(d, 10000.0))) for a in order], 1)


def nerf(p):
    """Computes what bmild/nerf does: for each 2^k the sines of all coordinates, then their cosines."""
    return np.concatenate([f(2.0 ** k * p) for k in range(10) for f in (np.sin, np.cos)], 1)


def tiny_cuda_nn(p):
    return np.concatenate([woven(np.outer(p[:, a], pi * 2.0 ** np.arange(10))) for a in range(3)], 1)


def gligen(p):
    return np.concatenate([f(w * p) for w in 100.0 ** (np.arange(8) / 8) for f in (np.sin, np.cos)], 1)


def sincos2d(p):
    """Computes what timm's build_sincos2d_pos_embed does: the sines of y and x, then their cosines."""
    bands = 1 / 10000.0 ** (np.arange(16) / 16)
    return apart((p[:, :, None] * bands).reshape(len(p), -1))


def perceiver(p):
    return apart((pi * p[:, :, None] * np.linspace(1, 224 / 2, 32)).reshape(len(p), -1))


def nerfstudio(p):
    return apart((2 * pi * p[:, :, None] * 2 ** np.linspace(0, 8, 10)).reshape(len(p), -1))


def loftr(frequencies):
    """Computes LoFTR's columns: x sin, x cos, y sin, y cos of each frequency. The cells count from 1."""
    return lambda p: woven(((p[:, None, ::-1] + 1) * frequencies[:, None]).reshape(len(p), -1))


def fourier_embed(p):
    a = pi * p[:, :, None] * np.linspace(1, 224 / 2, 32)
    return np.concatenate([f(a).transpose(0, 2, 1).reshape(len(p), -1) for f in (np.sin, np.cos)], 1)


def random_features(pairs, layout):
    return lambda p: layout(2 * pi * (p @ np.array([[learned(i, k) for k in range(2)] for i in range(pairs)]).T))


def mae(d):
    """Computes what get_2d_sincos_pos_embed does: the first half encodes x, the column."""
    return by_axis(marian(d // 2), (1, 0))


BOX = (1, 0, 2, 3)
MODELS.update({
    "Attention Is All You Need": table("paper", paper(512)),
    "Keras-hub": table("keras-team/keras-hub 71453d0 of 2026-08-21: sine_position_encoding.py", paper(64)),
    "ESPnet": table("espnet/espnet 029365d: transformer/embedding.py", paper(64)),
    "Diffusers 1-D": table(D + "embeddings.py SinusoidalPositionalEmbedding", paper(64)),
    "OpenNMT-py": table("OpenNMT/OpenNMT-py 97111d9 of 2024-06-27: embeddings.py", paper(64)),
    "Conformer": table("NVIDIA/NeMo 8cfedd7 of 2025-09-20: multi_head_attention.py", paper(256)),
    "Parakeet": table("transformers 00111b3: modular_parakeet.py", paper(1024)),
    "tensor2tensor": table("tensorflow/tensor2tensor bafdc1b of 2023-04-01: common_attention.py", timescales(65)),
    **{f"Whisper, {size}": table("openai/whisper c0d2f62 of 2025-06-25: model.py", timescales(d))
       for size, d in {"tiny": 384, "base": 512, "small": 768, "medium": 1024, "large": 1280}.items()},
    "marian-nmt": table("marian-nmt/marian-dev c9f287d of 2025-06-23: transformer.h", timescales(64)),
    "google-research/pegasus": table("google-research/pegasus 1b49290 of 2023-07-20: timing.py", timescales(64)),
    "PegasusX": table(V48 + "modeling_pegasus_x.py", timescales(64)),
    "Flax": table("google/flax 18f8f31 of 2026-07-02: examples/wmt/models.py", timescales(64)),
    "gemma.cpp": table("google/gemma.cpp 3ed403e of 2025-10-23: ops/ops-inl.h", timescales(64)),
    "OpenNMT-py SinusoidalConcat": table("OpenNMT/OpenNMT-py 97111d9 of 2024-06-27: embeddings.py", timescales(64)),
    "TimesFM": table("google-research/timesfm 3dae50b of 2026-07-13: v1/src/timesfm/pytorch_patched_decoder.py",
                     timescales(1280)),
    "Gemma 4, audio": table("transformers: modeling_gemma4.py", timescales(1024)),
    "F5-TTS": table("SWivid/F5-TTS 2ae2c9b of 2026-05-18: modules.py", timescales(256, scale=1000.0), real=True),
    "fairseq": table("facebookresearch/fairseq 3d262bb of 2025-09-30: sinusoidal_positional_embedding.py",
                     fairseq(64)),
    "M2M100": table(V48 + "modeling_m2m_100.py", fairseq(64)),
    "Speech2Text": table(V48 + "modeling_speech_to_text.py", fairseq(64)),
    "OpenNMT-tf": table("OpenNMT/OpenNMT-tf 6f3b952 of 2023-08-04: position.py", timescales(64, offset=1)),
    "CTranslate2": table("OpenNMT/CTranslate2 0d8bcd3 of 2026-07-03: layers/common.cc", timescales(64, offset=1)),
    "MarianMT": table("transformers 00b676f: modeling_marian.py", marian(512)),
    "Pegasus": table(V48 + "modeling_pegasus.py", marian(64)),
    "Autoformer": table(V48 + "modeling_autoformer.py", marian(63)),
    "RoFormer": table(V48 + "modeling_roformer.py", marian(64)),
    "CTRL": table(V48 + "modeling_ctrl.py", marian(64)),
    "Transformer-XL": table("kimiyoung/transformer-xl 44781ed of 2019-04-10: mem_transformer.py", marian(64)),
    "XLNet": table(V48 + "modeling_xlnet.py", marian(64)),
    "Funnel": table("transformers 020a37d: modeling_funnel.py", marian(768)),
    "TENER": table("fastnlp/TENER d2614d5 of 2020-07-06: relative_transformer.py", timescales(64)),
    "DDPM": table("hojonathanho/diffusion 1e0dceb of 2020-06-21: nn.py", timescales(128), real=True),
    "Diffusers": table(D + "embeddings.py get_timestep_embedding", timescales(128), real=True),
    "Stable Diffusion": table("CompVis/stable-diffusion 21f890f of 2022-11-16: util.py",
                              timescales(320, 0, True), real=True),
    "Flux, timesteps": table("black-forest-labs/flux2 ab7cca6 of 2025-12-01: model.py",
                             timescales(256, 0, True), real=True),
    "EDM": table("NVlabs/edm 008a4e5 of 2024-03-16: networks.py", timescales(128, 0, True), real=True),
    "EDM, Fourier": table("NVlabs/edm 008a4e5 of 2024-03-16: networks.py", lambda p: apart(
        2 * pi * np.outer(p[:, 0], [learned(i, 0) for i in range(128)]), True), real=True),
    "MusicGen": table(V48 + "modeling_musicgen.py", timescales(64, cos_first=True)),
    "MLX": table("ml-explore/mlx 846d176 of 2026-08-22: positional_encoding.py",
                 lambda p: np.sqrt(2 / 64) * timescales(64)(p), real=True),
    "Zipformer": table("k2-fsa/icefall 36e0420 of 2026-06-11: zipformer.py", lambda p: np.stack(
        [np.cos(np.outer(p[:, 0], 1 + np.arange(24))), np.sin(np.outer(p[:, 0], 1 + np.arange(24)))], -1).reshape(
            len(p), -1), real=True),
    "AlphaFold 3 (AF3)": table("google-deepmind/alphafold3 c0f97ed of 2026-08-19: noise_level_embeddings.py",
                               random_features(128, woven), 2, real=True),
    "Boltz": table("jwohlwend/boltz 832486d of 2025-09-01: encoders.py", random_features(128, woven), 2, real=True),
    "Time2Vec": table("paper: Time2Vec", lambda p: woven(matrix(32, 2)(p)), 2, real=True),
    "MAE": table("facebookresearch/mae efb2a80 of 2022-04-20: pos_embed.py", mae(64), 2),
    "ViT": table(D + "embeddings.py get_2d_sincos_pos_embed", mae(64), 2, real=True),
    "DiT": table("facebookresearch/DiT ed81ce2 of 2023-06-02: models.py", mae(64), 2),
    "RT-DETR": table("lyuwenyu/RT-DETR 068dfde of 2026-08-13: hybrid_encoder.py", mae(256), 2),
    "Diffusers 3-D": table(D + "embeddings.py get_3d_sincos_pos_embed", lambda p: np.concatenate(
        [marian(16)(p[:, [0]]), marian(24)(p[:, [2]]), marian(24)(p[:, [1]])], 1), 3),
    "tensor2tensor, nd": table("tensorflow/tensor2tensor bafdc1b of 2023-04-01: common_attention.py",
                               by_axis(timescales(32), (0, 1)), 2),
    "DETR": table("facebookresearch/detr 29901c5 of 2024-03-12: position_encoding.py",
                  lambda p: by_axis(paper(32), (0, 1))(p + 1), 2),
    "DAB-DETR": table("IDEA-Research/DAB-DETR 723ddb8 of 2023-06-02: transformer.py",
                      boxes(128, (1, 0)), 2, real=True),
    "DAB-DETR, boxes": table("IDEA-Research/DAB-DETR 723ddb8 of 2023-06-02: transformer.py",
                             boxes(128, BOX), 4, real=True),
    "Grounding DINO": table("IDEA-Research/GroundingDINO 856dde2 of 2024-08-12: utils.py",
                            boxes(128, BOX), 4, real=True),
    "BROS": table(V48 + "modeling_bros.py", by_axis(marian(24), range(8)), 8, real=True),
    "NeRF": table("bmild/nerf 14c5556 of 2025-04-12: run_nerf_helpers.py", nerf, 3, real=True),
    "tiny-cuda-nn": table("NVlabs/tiny-cuda-nn 6ee3546 of 2026-04-01: frequency.h", tiny_cuda_nn, 3, real=True),
    "GLIGEN": table("gligen/GLIGEN f9dccb9 of 2023-11-03: util.py", gligen, 4, real=True),
    "timm sincos2d": table(T + "build_sincos2d_pos_embed", sincos2d, 2),
    "Perceiver": table("google-deepmind/deepmind-research f5de0ed of 2023-06-02: perceiver/position_encoding.py",
                       perceiver, 2, real=True),
    "timm FourierEmbed": table(T + "FourierEmbed", fourier_embed, 2, real=True),
    "nerfstudio": table("nerfstudio-project/nerfstudio 059931f: encodings.py NeRFEncoding, vanilla-nerf's numbers",
                        nerfstudio, 3, real=True),
    "LoFTR": table("zju3dv/LoFTR 3955e99: position_encoding.py", loftr(
        np.exp(np.arange(0, 128, 2) * (-log(10000) / 128))), 2),
    "LoFTR, first code": table("zju3dv/LoFTR 5d6c834: position_encoding.py", loftr(
        np.exp(np.arange(0, 128, 2) * (-log(10000) / 256 // 2))), 2),
    "SAM, prompts": table("facebookresearch/segment-anything dca509f of 2024-09-18: prompt_encoder.py",
                          random_features(128, apart), 2, real=True),
})


# ---- biases

def bias(source, biases):
    return {"source": source, "biases": biases}


def slopes(heads, most=8):
    """Returns what get_slopes() of ALiBi returns."""
    n = 2 ** floor(np.log2(heads))
    more = 2.0 ** (-most * (2 * np.arange(heads - n) + 1) / (2 * n))
    return np.concatenate([2.0 ** (-most * np.arange(1, n + 1) / n), more])


def float32_slopes(heads):
    return slopes(heads).astype(np.float32).astype(float)


def bf16_values(x):
    """Rounds to the nearest bfloat16, ties to even."""
    bits = np.asarray(x, np.float32).view(np.uint32)
    return (bits + 0x7fff + (bits >> 16 & 1) & 0xffff0000).astype(np.uint32).view(np.float32).astype(float)


def mpt_slopes(heads):
    """Returns the slopes of build_mpt_alibi_tensor: those of the next power of two, the odd ones first."""
    n = 2 ** int(np.ceil(np.log2(heads)))
    all_of = 1 / 2.0 ** (np.arange(1, n + 1) * 8 / n)
    return (all_of if n == heads else np.concatenate([all_of[1::2], all_of[::2]])[:heads]).astype(np.float32)


KEYS, QUERY = 40, 20
LONG_KEYS, LONG_QUERY = 2400, 1200


def bucket(d, n, most, bidirectional):
    """Computes T5's relative_position_bucket of key - query. Its logarithms are exact, because they are compared as integers."""
    start = 0
    if bidirectional:
        n //= 2
        start = n if d > 0 else 0
        d = abs(d)
    else:
        d = max(-d, 0)
    m = n // 2
    if d < m:
        return start + d
    # m + floor((n - m) log(d / m) / log(most / m)): the most j with (d / m)^(n - m) >= (most / m)^j
    j = 0
    while m + j < n - 1 and d ** (n - m) * m ** (j + 1) >= most ** (j + 1) * m ** (n - m):
        j += 1
    return start + m + j


def buckets(n, most, bidirectional):
    return lambda: np.array([bucket(k - LONG_QUERY, n, most, bidirectional) for k in range(LONG_KEYS)], float)


def causal():
    d = QUERY - np.arange(KEYS)
    return np.where(d < 0, -np.inf, -np.outer(float32_slopes(12), d))


MODELS.update({
    "ALiBi": bias("ofirpress/attention_with_linear_biases 4b92f28 of 2023-10-29: transformer.py", causal),
    "BLOOM": bias("transformers 0078a6c: modeling_bloom.py", lambda: np.outer(float32_slopes(112), np.arange(KEYS))),
    "Falcon-RW": bias(V48 + "modeling_falcon.py", lambda: bf16_values(
        np.outer(bf16_values(float32_slopes(32)), bf16_values(np.arange(KEYS))))),
    "Baichuan-13B": bias("modeling_baichuan.py, copied in MrInouye/baichuan-13b-chat-batch 6938fab",
                         lambda: np.outer(float32_slopes(40), np.arange(KEYS))),
    "MPT": bias("mosaicml/llm-foundry 8c8dd48 of 2025-07-21: attention.py",
                lambda: np.outer(mpt_slopes(64).astype(float), np.arange(1 - KEYS, 1))),
    "JinaBERT": bias("huggingface/text-embeddings-inference 0d124dc of 2026-07-24: jinaBert_model.py",
                     lambda: -np.outer(
        float32_slopes(12), np.abs(np.arange(KEYS) - QUERY))),
    "T5, encoder": bias("tensorflow/mesh da90793 of 2021-05-06: transformer_layers.py", buckets(32, 128, True)),
    "T5, decoder": bias("tensorflow/mesh da90793 of 2021-05-06: transformer_layers.py", buckets(32, 128, False)),
    "LayoutLMv3": bias(V48 + "modeling_layoutlmv3.py", buckets(32, 128, True)),
    "LayoutLMv3, boxes": bias(V48 + "modeling_layoutlmv3.py", buckets(64, 256, True)),
    "UDOP": bias(V48 + "modeling_udop.py", buckets(32, 128, True)),
    "UDOP, boxes": bias("transformers: modeling_udop.py RelativePositionBiasHorizontal", buckets(32, 100, True)),
    "WavLM": bias(V48 + "modeling_wavlm.py", buckets(320, 800, True)),
})


# ---- factors of queries, of positions [rows, 1]: after the name of the model comes "queries"

MODELS.update({
    "Llama 4, queries": table("transformers 000c33f: modeling_llama4.py",
                              lambda p: 1 + 0.1 * np.log1p(np.floor((p + 1) / 8192))),
    "Ministral 3, queries": table("transformers 00b364c: modeling_ministral3.py",
                                  lambda p: 1 + 0.1 * np.log1p(np.floor(p / 16384))),
    "Qwen 1, queries": table("modeling_qwen.py, copied in undefdev/Qwen-7B-Chat 04df5dd of 2023-08-04, logn_list",
                             lambda p: np.where(
        p + 1 > 2048, np.log(p + 1) / log(2048), 1)),
    "Grok-2, queries": table("sglang: triton_ops, xai_temperature_len", lambda p: np.where(
        p > 1024, np.log2(np.maximum(p, 1)) / np.log2(1024), 1)),
})


# ---- factors of xPos, of a sequence of LONG tokens

LONG, XPOS_PAIRS = 999, 16


def xpos(source, first):
    scale = (2 * np.arange(XPOS_PAIRS) + 0.4 * 2 * XPOS_PAIRS) / (1.4 * 2 * XPOS_PAIRS)
    return {"source": source, "factors": scale ** ((first + np.arange(LONG)) / 512)[:, None]}


MODELS.update({
    "torchscale": xpos("microsoft/torchscale 4d1e0e8 of 2024-04-11: xpos_relative_position.py", -LONG // 2),
    "FlashAttention": xpos("Dao-AILab/flash-attention 0251105 of 2026-08-15: layers/rotary.py", -(LONG // 2)),
})


# ---- positions of a sequence of n tokens

POSITIONS = {
    # NVIDIA/NeMo and espnet/espnet 029365d RelPositionalEncoding.extend_pe, transformers 00111b3: modular_parakeet.py
    "Conformer, Parakeet, NeMo, ESPnet": lambda n: range(n - 1, -n, -1),
    "Transformer-XL": lambda n: range(n - 1, -1, -1),  # kimiyoung/transformer-xl 44781ed: mem_transformer.py
    "XLNet": lambda n: range(n, -n, -1),  # transformers 4.48.0.dev0: modeling_xlnet.py relative_positional_encoding
    "Gemma 4's audio encoder": lambda n: range(12, -1, -1),  # transformers: modeling_gemma4.py
    "TENER": lambda n: range(-n, n),  # fastnlp/TENER get_embedding(2 n, ...)
    "Funnel": lambda n: range(-2 * n, 2 * n),  # transformers 020a37d: modeling_funnel.py rel_pos_id
}


# ---- the numbers that programs of the pages print

PROGRAMS_OF = (PAGE, "docs/recipes.md")

def dinov2(i):
    """Returns the weights of two rows in torch's bicubic interpolation with a = -0.75 and a scale factor. Rows beyond
    the ends are those at the ends."""
    scale = (3 + 0.1) / 2
    position = (i + 0.5) / scale - 0.5
    n, t = floor(position), position - floor(position)

    def near(x):
        return (1.25 * x - 2.25) * x * x + 1

    def far(x):
        return ((-0.75 * x + 3.75) * x - 6) * x + 3
    weights = [far(1 + t), near(t), near(1 - t), far(2 - t)]
    out = np.zeros(2)
    for k, w in zip(range(n - 1, n + 3), weights):
        out[min(max(k, 0), 1)] += w
    return out


def siglip2(i):
    """Returns the weights of torch's bilinear filter with antialias from five rows to three: _upsample_bilinear2d_aa, a hat
    over 5/3 rows."""
    ratio = 5 / 3
    center = ratio * (i + 0.5)
    weights = np.array([max(0, 1 - abs(k - center + 0.5) / ratio) for k in range(5)])
    return weights / weights.sum()


def bf16(x):
    """Returns the bits of the nearest bfloat16. x must not be a midpoint."""
    bits = int(np.float32(x).view(np.uint32))
    return f"0x{(bits + 0x8000) >> 16:04x}"


def decimal(*numbers):
    return " ".join(f"{float(x):.17g}" for x in numbers)


getcontext().prec = 40
YARN_63 = Decimal(1000000) ** (Decimal(-126) / 128) / 4  # its wave is longer than the training, so it is divided by 4
TWO_PI = Decimal("6.283185307179586476925286766559005768394")
TURNED = complex(0.5, -1) * np.exp(-1234j)
GRID = np.array([[0, 1], [4, 9]], float)
RESCALED = (log(4) / 10 + 1) * np.exp(30000j * 1e6 ** (-126 / 128) / 4)
PROGRAMS = {
    "gpt-oss": [mscale(32) * np.cos(100000), mscale(32) * np.sin(100000)],
    "qwen3-vl": [np.cos(3), np.cos(50 * 5e6 ** (-2 / 128)), np.cos(61 * 5e6 ** (-4 / 128)),
                 np.cos(64 * 5e6 ** (-4 / 128))],
    "heads": [np.cos(np.dot([2, -0.5, 1.5], np.array([4, 5, 6]) / 16)),
              np.cos(np.dot([2, -0.5, 1.5], np.array([16, 17, 18]) / 16))],
    "phases": [np.sin(0.75 * 3.5 + 0.125), np.sin(-1.5 * 3.5 + 2.25)],
    "grid": [np.sin(5), np.sin(3)],
    "bf16": f"{bf16(1 + np.sin(1))} {bf16(np.cos(1))}",
    "threads": [np.sin(100000), np.sin(100999)],
    "back": f"{TURNED.real:.5f} {TURNED.imag:.5f}",
    "frequencies": decimal(YARN_63, Decimal(4).ln() / 10 + 1),
    "wavelength": decimal(TWO_PI / Decimal(float(YARN_63))),
    "cache": f"{bf16(np.cos(100003))} {bf16(np.sin(100003))}",
    "wrong": "YARN needs original_max_position_embeddings",
    "size": "1",
    "frequency": "1",
    "version": "1",
    "bits": "success",
    "padded": [np.cos(0), np.cos(2)],
    "self-extend": [np.cos(100 // 4 + 8 - 8 // 4), np.cos(10 // 4)],
    "rescaled": f"{RESCALED.real:.6f} {RESCALED.imag:.6f}",
    "loftr": [np.sin(4), np.cos(4), np.sin(3)],
    "nerfstudio": [np.sin(2 * pi / 8), np.sin(2 * pi / 8 * 2 ** (8 / 9)), np.cos(2 * pi * 0.625)],
    "in turn": [np.cos(5 + (6 - 2) // 2 + 1), np.cos((5 + (6 - 3) // 2 + 2) * 1e4 ** (-2 / 128))],
    "positions": ", ".join(f"{t} {y} {x}" for t, y, x in [
        *[(k, k, k) for k in (0, 1)], *[(2, 2 + r, 2 + c) for r in range(2) for c in range(3)], (5, 5, 5),
        *[(6 + 2 * 2 * f, 6 + r, 6 + c) for f in range(2) for r in range(2) for c in range(2)], (8, 8, 8)][7::3]),
    "m-rope": [np.cos(10)],
    "flux": [np.cos(31), np.cos(63)],
    "timestep": [np.cos(999), np.sin(999)],
    "descending": [np.sin(3), np.sin(-3)],
    "chunks": [np.sin(1), np.sin(4), np.sin(4)],
    "llama 4": [1 + 0.1 * log(1 + (p + 1) // 8192) for p in (8191, 131071)],
    "qwen 1": [np.log(p + 1) / log(2048) for p in (8191, 131071)],
    "blocks": [np.cos(30), np.sin(30), np.sin(7)],
    "part": f"0x3f80 {bf16(np.cos(100))} {bf16(np.sin(100))}",
    "ministral 3": [1 + 0.1 * log(1 + p // 16384) for p in (8191, 131071)],
    "xpos": [((2 * i + 0.4 * 4) / (1.4 * 4)) ** (sign * 100 / 512) for i, sign in ((0, 1), (1, 1), (0, -1))],
    "flash-attention": [((2 * i + 0.4 * 4) / (1.4 * 4)) ** ((0 - 1000 // 2) / 512) for i in (0, 1)],
    "rotated": f"{0.782954812 * np.cos(100):.6f} {0.917323172 * np.sin(1):.6f}",
    "bloom": [3 * slope for slope in slopes(2)],
    "t5": [bucket(-1, 32, 128, True), bucket(3, 32, 128, True), 0.25],
    "layoutlmv3": [bucket(40 - 12, 64, 256, True), bucket(40 - 500, 64, 256, True)],
    "siglip2": [siglip2(i) @ [0, 1, 4, 9, 16] for i in range(3)],
    "dinov2": [dinov2(0) @ GRID @ dinov2(0), dinov2(1) @ GRID @ dinov2(1)],
}


# ---- the page -----------------------------------------------------------------------------------------------

TABLES = {"`pe_rope_config`": "rope", "`pe_config`, rotated": "rotate", "preset and fields": "fill",
          "fields": "bias", "factors of queries": "query", "factors of xPos": "xpos"}


def rows_of(page):
    """Returns (kind, name, fields) of every row of the page."""
    kind, rows = None, []
    for line in page.splitlines():
        cells = [c.strip() for c in line.strip("|").split(" | ")] if line.startswith("| ") else []
        if len(cells) < 2:
            if not line.startswith("|"):
                kind = None
        elif cells[0] == "model":
            kind = TABLES.get(cells[1].rstrip(" |"))
        elif kind:
            code = line.split(" | ", 1)[1].split("`")[1::2]
            rows.append([kind, cells[0] + (", queries" if kind == "query" else ""),
                         " ".join(c for c in code if re.search("[=,&?]", c))])
    return rows


def expression(c, **names):
    """Returns the value of an expression in C, as the page has it."""
    python = c.replace("&&", " and ")
    for choice in (r"\(([^()]*) \? ([^()]*) : ([^()]*)\)", "(.*) [?] (.*) : (.*)"):
        python = re.sub(choice, r"((\2) if (\1) else (\3))", python)
    return float(eval(python, {"pow": lambda a, b: float(a) ** b, "floor": floor, "log": log, "exp": exp,
                               "learned": learned, "h": HEAD, **names}))


def split(fields):
    """Splits a text at the commas that are outside of all brackets."""
    out, depth = [""], 0
    for c in fields:
        depth += (c in "({[") - (c in ")}]")
        if c == "," and depth == 0:
            out.append("")
        else:
            out[-1] += c
    return [f.strip() for f in out if f.strip()]


def lines_of(kind, fields):
    """Returns the lines that tests/checks/models.c reads, still with names of constants. written() replaces these by
    numbers."""
    struct = kind if kind in ("rope", "bias", "query", "xpos") else "config"
    values = dict(f.split(" = ", 1) for f in split(fields) if " = " in f)
    preset = re.search("PE_PRESET_[A-Z0-9_]+", fields)
    lines, width = [kind], int(values.get("d_model", values.get("head_dim", 0)))
    if preset:
        lines.append(f"preset {preset.group()} {width}")
    form = re.search("PE_QUERY_SCALE_[A-Z]+", fields)
    if form:
        lines.append(f"set query.form 1 {form.group()}")
    for name, value in values.items():
        if name == "beta":
            lines.append(f"set query.beta 1 {expression(value)!r}")
        elif name == "omega[i]":
            axes = [a for a in ast.literal_eval(values.get("axis", "{}").replace("{", "[").replace("}", "]"))]
            n = width // 2 if not axes else sum(a[0] // 2 for a in axes)
            lines.append(f"omega {n} " + " ".join(repr(expression(value, i=i)) for i in range(n)))
        elif name == "omega[i][k]":
            n, axes = width // 2, int(values["axes"])
            lines.append(f"omega {n * axes} " + " ".join(
                repr(expression(value, i=i, k=k)) for i in range(n) for k in range(axes)))
        elif name.endswith("[i]"):
            n = int(values.get("rotary_dim", width)) // 2
            lines.append(f"set {struct}.{name[:-3]} {n} " + " ".join(
                repr(expression(value, i=i)) for i in range(n)))
        else:
            numbers = re.sub("[{}]", " ", value).replace(",", " ").split()
            lines.append(f"set {struct}.{name} {len(numbers)} {' '.join(numbers)}")
    return lines


def positions(axes, real):
    wide = {1: [[0], [1], [7], [1000], [131071]],
            2: [[0, 0], [3, 61], [63, 1], [255, 127]],
            3: [[0, 0, 0], [3, 61, 17], [1000, 1001, 1002], [15, 0, 90]],
            4: [[0, 0, 0, 0], [1, 61, 17, 3], [9, 0, 90, 2]],
            8: [[0] * 8, [5, -7, 11, 2, -900, 40, 0, 3], [1, 61, 17, 3, 9, -90, 2, 1000]]}[axes]
    return np.array(wide, float) / 256 + 0.0625 * np.arange(axes) if real else np.array(wide, float)


def written(name, lines):
    text = "\n".join([*lines, "go"])
    unknown = set(re.findall(r"\bPE_\w+", text)) - set(CONSTANTS)
    if unknown:
        check(name, False, f"pe.h has no {', '.join(sorted(unknown))}")
        return None
    text = re.sub(r"\bPE_\w+", lambda constant: CONSTANTS[constant[0]], text)
    run = subprocess.run([sys.argv[1]], input=text.encode(), stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    if run.returncode:
        check(name, False, run.stderr.decode().strip())
        return None
    return np.frombuffer(run.stdout, np.float32).astype(float)


def ulp(x):
    """Returns the unit in the last place of the float nearest to x."""
    return np.maximum(2.0 ** (np.floor(np.log2(np.maximum(np.abs(x), 1e-300))) - 23), 2.0 ** -149)


def compare(kind, name, fields):
    model = MODELS[name]
    lines = lines_of(kind, fields)
    if kind == "bias":
        lines = ["t5" if "buckets" in fields else "alibi"] + lines[1:]
        if "buckets" in fields:
            lines += [f"set bias.keys 1 {LONG_KEYS}", f"set bias.first_query 1 {LONG_QUERY}"]
        else:
            lines.append(f"set bias.keys 1 {KEYS}")
        got, expected = written(name, lines), model["biases"]().ravel()
        if got is not None:
            good = len(got) == len(expected) and (got == expected.astype(np.float32)).all()
            check(f"{name}: {len(expected)} biases ({model['source']})", good, got[:9])
        return
    if kind == "xpos":
        got, expected = written(name, lines), model["factors"].ravel()
        if got is not None:
            good = len(got) == len(expected) and (np.abs(got - expected) <= ulp(expected) * (0.5 + 1e-7)).all()
            check(f"{name}: {len(expected)} factors ({model['source']})", good, got[:9])
        return
    p = positions(model["axes"], model["real"])
    lines.append(f"points {len(p)} {p.size} " + " ".join(repr(float(v)) for v in p.ravel()))
    slack = 1e-12 * (1 + np.abs(p).max())
    if "row" in model:
        expected = model["row"](p)
        bound = ulp(expected) / 2 + slack
    else:
        x = np.array([np.float32(((i * 2654435761 + 12345) % 65521) / 32760.5 - 1) for i in range(model["head"])], float)
        lines.append(f"x {len(x)} " + " ".join(repr(float(v)) for v in x))
        expected = model["rotated"](p, x)
        bound = 3 * 2.0 ** -24 * np.sqrt(2) * np.abs(x).max() * model["amplitude"] + 100 * slack
    got = written(name, lines)
    if got is None:
        return
    if got.size != expected.size:
        check(name, False, f"{got.size} elements, not {expected.size}")
        return
    error = np.abs(got.reshape(expected.shape) - expected)
    check(f"{name}: {len(p)} positions ({model['source']})", (error <= bound).all(),
          f"{(error / bound).max():.3g} times its bound at {np.unravel_index((error / bound).argmax(), error.shape)}")


def compare_positions(page):
    """Checks the rows of the page that give a model's positions, such as `pe_from_by(n - 1, -1)`, 2 n - 1 rows."""
    told = re.findall(r"^\| (.*) \| `pe_from(?:_by)?\(([^`]*)\)`, (.*) rows \|$", page, re.M)
    for name in sorted({name for name, _, _ in told} ^ set(POSITIONS)):
        check(f"positions of {name}: on the page and here", False)
    for name, arguments, rows in told:
        for n in (1, 2, 7):
            first, step = ([eval(a, {"n": n}) for a in arguments.split(",")] + [1])[:2]
            count = eval(re.sub(r"(\d) n", r"\1 * n", rows), {"n": n})
            got = [first + step * r for r in range(count)]
            check(f"positions of {name}, n = {n}", got == list(POSITIONS.get(name, range)(n)), got)


def main():
    page = open(PAGE).read()
    compare_positions(page)
    rows = rows_of(page)
    names = [name for _, name, _ in rows]
    for name in sorted(set(names) ^ set(MODELS)):
        check(f"{name}: on the page and here", False, "only " + ("on the page" if name in names else "here"))
    check("a row is one line", not re.search(r"^\| \| ", page, re.M))
    check("no name twice", len(names) == len(set(names)), sorted(n for n in names if names.count(n) > 1))
    for kind, name, fields in rows:
        if name in MODELS:
            compare(kind, name, fields)
    printed = dict(re.findall(r"/\* prints (.*): (.*) \*/", "".join(open(p).read() for p in PROGRAMS_OF)))
    for name in sorted(set(printed) ^ set(PROGRAMS)):
        check(f"the program that prints {name}", False, "only " + ("on the page" if name in printed else "here"))
    for name in sorted(set(printed) & set(PROGRAMS)):
        expected = PROGRAMS[name]
        if not isinstance(expected, str):
            expected = " ".join(f"{np.float32(x):.9g}" for x in expected)
        check(f"what programs print: {name}: {printed[name]}", printed[name] == expected, expected)
    print(f"{passed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
