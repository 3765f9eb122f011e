# SPDX-License-Identifier: MIT
"""Tables of cosines and sines as other projects compute them, retyped in numpy, operation by operation in float32.

Nothing here comes from pe. Each formula names the project, the file and the commit at which it was read. The float32
is that of numpy. Its cosines and sines may differ from torch's in the last bit, so no test relies on that bit.
"""
import math

import numpy as np

F, H, D, X = np.float32, np.float16, np.float64, np.longdouble


# ---- types of 16 bits

def bf16(x):
    """Returns float32 values rounded to bfloat16, to nearest even, as float32."""
    bits = np.ascontiguousarray(x, F).view(np.uint32).astype(np.uint64)
    bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return bits.astype(np.uint32).view(F).reshape(np.shape(x))


def f16(x):
    return np.asarray(x, F).astype(H).astype(F)


def bf16_stored(x):
    """Returns the values as numpy stores ml_dtypes.bfloat16: items of 2 bytes without a type."""
    return (np.ascontiguousarray(bf16(x)).view(np.uint32) >> 16).astype("<u2").view("V2")


def widened(x):
    """Returns what a stored array means, in extended precision."""
    x = np.asarray(x)
    if x.dtype.kind == "V":
        x = (x.view("<u2").astype(np.uint32) << 16).view(F)
    return np.concatenate([x.real, x.imag], -1).astype(X) if x.dtype.kind == "c" else x.astype(X)


# ---- frequencies of RoPE, in float32
# huggingface/transformers, src/transformers/modeling_rope_utils.py, 0044e3b: _compute_default_rope_parameters and
# the functions after it are repeated here. The default is the same in
# vllm-project/vllm, vllm/model_executor/layers/rotary_embedding/base.py, 04458da;
# NVIDIA/Megatron-LM, megatron/core/models/common/embeddings/rotary_pos_embedding.py, 00caa53; huggingface/candle,
# candle-transformers/src/models/llama.rs, 02878f9 (calculate_default_inv_freq).

def default(dim, base, divisor=None):
    return F(1) / F(base) ** (np.arange(0, dim, 2).astype(F) / F(divisor or dim))


def linear(dim, base, factor):
    return default(dim, base) / F(factor)


def dynamic(dim, base, factor, length, trained):
    """Repeats _compute_dynamic_ntk_parameters. The length counts where it is beyond that of the training."""
    length = max(length, trained)
    return default(dim, base * ((factor * length / trained) - (factor - 1)) ** (dim / (dim - 2)))


def ntk(dim, base, alpha):
    """Repeats theta_rescale_factor of lucidrains/rotary-embedding-torch, rotary_embedding_torch.py, 02a5d07."""
    return default(dim, base * alpha ** (dim / (dim - 2)))


def yarn_range(dim, base, trained, fast=32, slow=1):
    """Repeats find_correction_range; vllm's common.py, 002d181, has the same."""
    def index(turns):
        return dim * math.log(trained / (turns * 2 * math.pi)) / (2 * math.log(base))
    return max(math.floor(index(fast)), 0), min(math.ceil(index(slow)), dim - 1)


def yarn(dim, base, factor, trained, fast=32, slow=1, bend=lambda ramp: ramp):
    """Repeats _compute_yarn_parameters. bend is another form of the ramp, which no project has."""
    powers = F(base) ** (np.arange(0, dim, 2).astype(F) / F(dim))
    low, high = yarn_range(dim, base, trained, fast, slow)
    high = high + 0.001 if low == high else high
    ramp = np.clip((np.arange(dim // 2).astype(F) - F(low)) / F(high - low), F(0), F(1))
    kept = F(1) - bend(ramp).astype(F)
    return F(1) / (F(factor) * powers) * (F(1) - kept) + F(1) / powers * kept


def yarn_factor(factor):
    return 0.1 * math.log(factor) + 1.0


def llama3(frequencies, factor, trained=8192, low=1.0, high=4.0):
    """Repeats _compute_llama3_parameters. vllm's llama3_rope.py, 045d757, and pytorch/torchtune's llama3_1/
    _position_embeddings.py, 1934adb, differ from it only in the order of operations."""
    waves = F(2 * math.pi) / frequencies
    out = np.where(waves > F(trained / low), frequencies / F(factor), frequencies)
    smooth = (F(trained) / waves - F(low)) / F(high - low)
    middle = (F(1) - smooth) * out / F(factor) + smooth * out
    return np.where(~(waves < F(trained / high)) & ~(waves > F(trained / low)), middle, out).astype(F)


def longrope(dim, base, factors):
    """Repeats _compute_longrope_parameters, and vllm's phi3_long_rope_scaled_rope.py, 17d618b."""
    return F(1) / (np.asarray(factors, F) * F(base) ** (np.arange(0, dim, 2).astype(F) / F(dim)))


def longrope_factor(length, trained):
    return math.sqrt(1 + math.log(length / trained) / math.log(trained))


# ---- tables of RoPE: one cosine and one sine per pair

def table(positions, frequencies, amplitude=1.0):
    """Repeats _compute_cos_sin_cache of vllm's base.py, 04458da: the cosine and sine of a float32 product, times the
    attention factor. LlamaRotaryEmbedding.forward of transformers does the same with the axes in another order."""
    angles = np.asarray(positions).astype(F)[:, None] * frequencies[None, :]
    return np.cos(angles) * F(amplitude), np.sin(angles) * F(amplitude)


def exact(positions, frequencies, amplitude=1, kind=F):
    """Returns a table rounded once, from extended precision. frequencies have the type X."""
    angles = np.asarray(positions).astype(X)[:, None] * frequencies[None, :]
    return (np.cos(angles) * X(amplitude)).astype(kind), (np.sin(angles) * X(amplitude)).astype(kind)


def default_exact(dim, base):
    return X(base) ** (-np.arange(0, dim, 2).astype(X) / X(dim))


def flux(positions, dim, base):
    """Repeats black-forest-labs/flux, src/flux/math.py (rope), 1c9b6c6, in the type of the positions, here float64."""
    omega = 1.0 / (D(base) ** (np.arange(0, dim, 2, dtype=D) / dim))
    angles = np.asarray(positions, D)[:, None] * omega
    return np.cos(angles), np.sin(angles)


def flax_llama(positions, dim, base):
    """Repeats create_sinusoidal_positions of transformers, modeling_flax_llama.py, 020bd4e: the cosine and sine of a
    float64 product that is rounded to float32."""
    angles = np.outer(np.asarray(positions, D), 1.0 / (D(base) ** (np.arange(0, dim, 2) / dim))).astype(F)
    return np.cos(angles), np.sin(angles)


def megatron_linear(positions, frequencies, factor):
    """Repeats get_freqs_non_repeated of Megatron-LM, 00caa53: positions are multiplied by 1 / factor."""
    return table(np.asarray(positions).astype(F) * F(1 / factor), frequencies)


def meta_llama(positions, dim, base):
    """Repeats precompute_freqs_cis of meta-llama/llama, llama/model.py, 0504cf4: torch.polar gives complex64."""
    cosines, sines = table(positions, default(dim, base))
    return (cosines + 1j * sines).astype(np.complex64)


def ggml(positions, dim, base, scale=1.0, divisors=None, extension=0.0, amplitude=1.0, trained=0, sign=1.0):
    """Repeats ggml_rope_cache_init and rope_yarn of ggml-org/llama.cpp, ggml/src/ggml-cpu/ops.cpp, 0049e3c.

    An angle is the previous one times theta_scale, in float32. divisors is rope_freqs.weight. sign is -1 in the
    backward pass."""
    step = F(base) ** F(-2.0 / dim)
    theta = np.asarray(positions).astype(F)
    low, high = yarn_range(dim, base, trained) if extension else (0, 0)
    if extension:
        amplitude = F(amplitude) * (F(1) + F(0.1) * np.log(F(1) / F(scale)))
    cosines, sines = [], []
    for i in range(dim // 2):
        far = theta / F(1 if divisors is None else divisors[i])
        angle = F(scale) * far
        if extension:
            ramp = F(1) - min(F(1), max(F(0), F(i - low) / max(F(0.001), F(high - low))))
            angle = angle * (F(1) - ramp * F(extension)) + far * (ramp * F(extension))
        cosines.append(np.cos(angle) * F(amplitude))
        sines.append(np.sin(angle) * F(amplitude) * F(sign))
        theta = theta * step
    return np.stack(cosines, 1), np.stack(sines, 1)


def xpos(positions, dim):
    """Repeats get_scale of rotary-embedding-torch, 02a5d07: an amplitude that depends on the pair and the position."""
    scale = (np.arange(0, dim, 2).astype(F) + F(0.4 * dim)) / F(1.4 * dim)
    power = (np.asarray(positions, F) - F(len(positions) // 2)) / F(512)
    return scale[None, :] ** power[:, None]


# ---- sinusoidal tables

def t2t(positions, width, sine_first=True, shift=1.0):
    """Repeats get_timing_signal_1d of tensorflow/tensor2tensor, common_attention.py. facebookresearch/fairseq,
    sinusoidal_positional_embedding.py, 0491f26, does the same, and so does get_timestep_embedding of
    huggingface/diffusers, embeddings.py. There, `shift` is downscale_freq_shift, and cosines come first if
    flip_sin_to_cos is set."""
    half = width // 2
    frequencies = np.exp(np.arange(half).astype(F) * F(-math.log(10000) / (half - shift)))
    cosines, sines = table(positions, frequencies)
    return np.concatenate([sines, cosines] if sine_first else [cosines, sines], 1)


def marian(positions, width):
    """Repeats sinusoidalPositionEmbeddings of marian-nmt/marian, src/graph/node_initializers.cpp, all in float."""
    step = np.log(F(10000)) / (F(width) / F(2) - F(1))
    cosines, sines = table(positions, np.exp(np.arange(width // 2).astype(F) * -step))
    return np.concatenate([sines, cosines], 1)


def paper(positions, width, base=10000.0):
    """Repeats the table of PyTorch's tutorial on translation, of harvardnlp/annotated-transformer and of
    OpenNMT/OpenNMT-py, onmt/modules/embeddings.py, 0f2852c. Its columns are sine, cosine, sine ..., and its exponents
    are 2i/width."""
    frequencies = np.exp(np.arange(0, width, 2).astype(F) * F(-(math.log(base) / width)))
    cosines, sines = table(positions, frequencies)
    return np.stack([sines, cosines], 2).reshape(len(positions), width)


def gptj(positions, dim):
    """Repeats transformers, modeling_gptj.py, 00b676f (create_sinusoidal_positions): sines come before cosines."""
    cosines, sines = table(positions, default(dim, 10000))
    return np.concatenate([sines, cosines], 1)


# ---- columns

def halves(x):
    """Repeats the columns as cat(x, x) does in GPT-NeoX and Llama."""
    return np.concatenate([x, x], 1)


def neighbours(x):
    """Repeats the columns as repeat_interleave(x, 2) does in Cohere, GLM, GPT-J and rotary-embedding-torch."""
    return np.repeat(x, 2, 1)
