# SPDX-License-Identifier: MIT
"""Makes arrays whose scaling or attention factor is not the config's, and arrays with two differences at once."""
import numpy as np

import formulas as p
from case import Case, joined, pair
from defects import LLAMA2, LLAMA3, LONG, T

LINEAR4 = " rope_scaling.rope_type=linear rope_scaling.factor=4"
YARN4 = (" rope_scaling.rope_type=yarn rope_scaling.factor=4 rope_scaling.original_max_position_embeddings=4096 "
         "max_position_embeddings=16384")
YARN4_1 = YARN4 + " rope_scaling.attention_factor=1"
GPT_OSS = ("head_dim=64 rope_theta=150000 rope_scaling.rope_type=yarn rope_scaling.factor=32 "
           "rope_scaling.original_max_position_embeddings=4096")


def llama31(factor):
    return (f" rope_scaling.rope_type=llama3 rope_scaling.factor={factor} rope_scaling.low_freq_factor=1 "
            "rope_scaling.high_freq_factor=4 rope_scaling.original_max_position_embeddings=8192")


LONG_FACTORS = [round(1.0 + 0.02 * i + 0.0125 * i * i, 4) for i in range(48)]
SHORT_FACTORS = [round(1.0 + 0.005 * i, 4) for i in range(48)]


def phi3(length):
    """Returns a config with the keys of microsoft/Phi-3-mini-128k-instruct's config.json, and lists of this test."""
    return {"model_type": "phi3", "hidden_size": 3072, "num_attention_heads": 32, "num_hidden_layers": 32,
            "rope_theta": 10000.0, "max_position_embeddings": 131072, "original_max_position_embeddings": 4096,
            "sequence_length": length, "rope_scaling": {"type": "longrope", "short_factor": SHORT_FACTORS,
                                                        "long_factor": LONG_FACTORS}}


M4, M32, M_PHI = p.yarn_factor(4), p.yarn_factor(32), p.longrope_factor(131072, 4096)
INV, INV3 = p.default(128, 10000), p.default(128, 500000)
YARN = p.yarn(128, 10000, 4, 4096)
PHI_LONG, PHI_SHORT = p.longrope(96, 10000, LONG_FACTORS), p.longrope(96, 10000, SHORT_FACTORS)
OSS = p.yarn(64, 150000, 32, 4096)


def right_linear(positions):
    return p.table(positions, p.linear(128, 10000, 4))


def absent():
    """Yields arrays with the frequencies before the config's scaling. If the scaling has an attention factor, that is
    missing also. This is one mistake, so the answer may name one difference or both."""
    both = [["scaling_absent", "attention_factor_absent"]]
    why = "frequencies of the base alone, in all pairs"
    yield Case("defect", "llama31-unscaled", LLAMA3 + llama31(8), pair(p.table(LONG, INV3), columns=p.halves),
               pair(p.table(LONG, p.llama3(INV3, 8)), columns=p.halves), why + "; another base would move all pairs",
               ["scaling_absent"])
    yield Case("defect", "linear-unscaled", LLAMA2 + LINEAR4, joined(p.table(T, INV), "bf16"),
               joined(right_linear(T), "bf16"), why + "; pair 0 has frequency 1, not 1/4", ["scaling_absent"],
               also=[["scaling_absent", "table_bf16"]])
    yield Case("defect", "yarn-unscaled", LLAMA2 + YARN4, pair(p.table(LONG, INV), columns=p.halves),
               pair(p.table(LONG, YARN, M4), columns=p.halves), why, ["scaling_absent"], also=both)
    yield Case("defect", "phi3-unscaled", phi3(8192), pair(p.table(T, p.default(96, 10000))),
               pair(p.table(T, PHI_LONG, M_PHI)), why, ["scaling_absent"], also=both)
    yield Case("defect", "yarn-inv-freq-unscaled", LLAMA2 + YARN4_1, {"inv_freq": INV}, {"inv_freq": YARN}, why,
               ["scaling_absent"])


def other():
    """Yields arrays with the frequencies of a scaling that is not the config's: another type, or other numbers."""
    plain = [["scaling_other", "attention_factor_absent"]]
    yield Case("defect", "linear-for-yarn", LLAMA2 + YARN4, pair(p.table(LONG, p.linear(128, 10000, 4))),
               pair(p.table(LONG, YARN, M4)), "all frequencies are a quarter, also those that YaRN leaves",
               ["scaling_other"], also=plain)
    yield Case("defect", "linear-2-for-4", LLAMA2 + LINEAR4, joined(p.megatron_linear(T, INV, 2)),
               joined(p.megatron_linear(T, INV, 4)), "all frequencies are a half", ["scaling_other"],
               details={"factor": 2})
    small = p.default(64, 500000)
    yield Case("defect", "llama3-8-for-32", "model_type=llama head_dim=64 rope_theta=500000" + llama31(32),
               pair(p.table(LONG, p.llama3(small, 8)), columns=p.halves),
               pair(p.table(LONG, p.llama3(small, 32)), columns=p.halves),
               "torchtune's apply_scaling has the factor 8 of Llama 3.1; Llama 3.2 has 32", ["scaling_other"],
               details={"factor": 8})
    yield Case("defect", "ntk-for-linear", LLAMA2 + LINEAR4, pair(p.table(LONG, p.ntk(128, 10000, 4))),
               pair(right_linear(LONG)), "NTK by the config's factor: base 10000 x 4^(128/126). That base, without a "
               "scaling, is the same numbers", ["scaling_other"], weak=[["base", "scaling_absent"]])
    yield Case("defect", "yarn-of-the-whole-length", LLAMA2 + YARN4,
               pair(p.table(LONG, p.yarn(128, 10000, 4, 16384), M4), columns=p.halves),
               pair(p.table(LONG, YARN, M4), columns=p.halves), "YaRN's ramp from max_position_embeddings, as in "
               "transformers 4.45: pairs below it and above it are right", ["scaling_other"])
    yield Case("defect", "longrope-short-for-long", phi3(8192), pair(p.table(LONG, PHI_SHORT, M_PHI), columns=p.halves),
               pair(p.table(LONG, PHI_LONG, M_PHI), columns=p.halves),
               "the short list at a length that has the long one", ["scaling_other"])
    yield Case("defect", "yarn-2-for-4", LLAMA2 + YARN4, joined(p.table(LONG, p.yarn(128, 10000, 2, 4096),
                                                                        p.yarn_factor(2))),
               joined(p.table(LONG, YARN, M4)), "frequencies and attention factor are those of factor 2",
               ["scaling_other"], details={"factor": 2})


def twice():
    """Yields arrays that are scaled twice. Scaling twice by 4 gives the numbers of scaling once by 16: that answer is
    also true, but says less."""
    base = p.default(64, 10000)
    ratio = p.llama3(INV3, 8) / INV3
    yield Case("defect", "linear-twice", LLAMA2 + LINEAR4, 
               pair(p.table(T.astype(p.F) / p.F(4), p.linear(128, 10000, 4))), pair(right_linear(T)),
               "positions / 4 and inv_freq / 4", ["scaling_twice"], weak=[["scaling_other"]])
    yield Case("defect", "linear-8-twice", "model_type=llama head_dim=64 rope_theta=10000"
               " rope_scaling.rope_type=linear rope_scaling.factor=8", {"inv_freq": base / p.F(64)},
               {"inv_freq": base / p.F(8)}, "all frequencies are a 64th", ["scaling_twice"], weak=[["scaling_other"]])
    yield Case("defect", "llama31-twice", LLAMA3 + llama31(8), pair(p.table(LONG, p.llama3(p.llama3(INV3, 8), 8))),
               pair(p.table(LONG, p.llama3(INV3, 8))), "apply_scaling of scaled frequencies, with the wavelengths "
               "after the first: the lowest are a 64th, as with no single llama3 scaling of these bounds",
               ["scaling_twice"], weak=[["scaling_other"]])
    yield Case("defect", "llama31-gguf-twice", LLAMA3 + llama31(8),
               pair(p.table(LONG, (p.llama3(INV3, 8) * ratio).astype(p.F)), columns=p.halves),
               pair(p.table(LONG, p.llama3(INV3, 8)), columns=p.halves),
               "rope_freqs.weight on top of scaled frequencies: the square of each ratio", ["scaling_twice"],
               weak=[["scaling_other"]])
    yield Case("defect", "yarn-twice", LLAMA2 + YARN4_1, pair(p.table(LONG, (YARN / INV * YARN).astype(p.F))),
               pair(p.table(LONG, YARN)), "the square of each ratio to the unscaled frequency", ["scaling_twice"])


def attention():
    """Yields arrays whose frequencies are right, and whose elements are all multiplied by a constant, because the
    attention factor m is missing, squared or inverted."""
    why = "all amplitudes are {}, all frequencies are right"
    yarn_right, oss_right = p.table(T, YARN, M4), p.table(LONG, OSS, M32)
    phi_right = p.table(T, PHI_LONG, M_PHI)
    for name, power, amplitude in (("attention_factor_absent", 0, "1"), ("attention_factor_squared", 2, "m^2"),
                                   ("attention_factor_inverse", -1, "1/m")):
        short = name.split("_")[-1]
        yield Case("defect", "yarn-factor-" + short, LLAMA2 + YARN4,
                   pair(p.table(T, YARN, M4 ** power), columns=p.halves), pair(yarn_right, columns=p.halves),
                   why.format(amplitude), [name])
        yield Case("defect", "gpt-oss-factor-" + short, GPT_OSS, joined(p.table(LONG, OSS, M32 ** power)),
                   joined(oss_right), why.format(amplitude), [name])
        yield Case("defect", "phi3-factor-" + short, phi3(8192), pair(p.table(T, PHI_LONG, M_PHI ** power), "f16"),
                   pair(phi_right, "f16"), why.format(amplitude), [name], also=[[name, "table_f16"]])
    laguna = ("model_type=llama head_dim=128 rope_theta=500000 rope_scaling.rope_type=yarn rope_scaling.factor=128 "
              "rope_scaling.original_max_position_embeddings=4096 rope_scaling.attention_factor=1.4852030263919618")
    inv, m = p.yarn(128, 500000, 128, 4096), 1.4852030263919618
    yield Case("defect", "laguna-factor-squared", laguna, pair(p.table(T, inv, m * m), "bf16"),
               pair(p.table(T, inv, m), "bf16"), "sgl-project/sglang #33558: " + why.format("m^2"),
               ["attention_factor_squared"], also=[["attention_factor_squared", "table_bf16"]])
    ggml = dict(scale=0.25, extension=1.0, trained=4096)
    yield Case("defect", "ggml-factor-squared", LLAMA2 + YARN4, pair(p.ggml(T, 128, 10000, amplitude=M4, **ggml)),
               pair(p.ggml(T, 128, 10000, **ggml)), "attn_factor = m, which rope_yarn multiplies by m: "
               + why.format("m^2"), ["attention_factor_squared"])


def two():
    """Yields arrays with two of these differences at once. Each is visible without the other."""
    both = lambda *t: tuple(np.asarray(x) for x in t)
    yarn6 = p.table(LONG, p.yarn(128, 1e6, 4, 4096), M4)
    yield Case("two", "base-and-no-factor", "model_type=llama head_dim=128 rope_theta=1000000" + YARN4,
               pair(p.table(LONG, YARN)), pair(yarn6), "YaRN of another base, its ramp too; amplitudes are 1",
               ["base", "attention_factor_absent"], details={"base": 10000})
    yield Case("two", "offset-and-bf16-table", LLAMA3, pair(both(*map(p.bf16, p.table(T + 1, INV3)))),
               pair(p.table(T, INV3)), "a row ahead, of 8 bits", ["position_offset", "table_bf16"],
               details={"offset": 1})
    cosines, sines = p.table(T, INV)
    yield Case("two", "base-and-sign", LLAMA3, pair((cosines, -sines)), pair(p.table(T, INV3)),
               "the conjugate of base 10000", ["base", "sign"], details={"base": 10000})
    yield Case("two", "inv-freq-and-positions-bf16", LLAMA2, pair(p.table(p.bf16(LONG), p.bf16(INV)), columns=p.halves),
               pair(p.table(LONG, INV), columns=p.halves), "t.type_as(inv_freq) after model.bfloat16(), the product in "
               "float32: rows repeat and each frequency has its own error", ["inv_freq_bf16", "positions_bf16"])
    glm = p.table(T, p.default(64, 10000))
    yield Case("two", "exchanged-and-halves", "model_type=gptj head_dim=256 rotary_dim=64", pair((glm[1], glm[0]), columns=p.halves),
               pair(glm, columns=p.neighbours), "sines for cosines, in halves", ["sine_cosine", "column_order"])
    wide = p.table(T, p.default(64, 10000, divisor=128))
    yield Case("two", "width-and-f16-table", "model_type=glm4 head_dim=128", pair(both(*map(p.f16, wide))), pair(glm),
               "2i/head_dim, 11 bits in float32. The base would be 100", ["rotary_width", "table_f16"],
               weak=[["base", "table_f16"]], details={"rotary_dim": 128})
    yield Case("two", "unscaled-and-base", LLAMA3 + llama31(8), pair(p.table(LONG, p.default(128, 1e6))),
               pair(p.table(LONG, p.llama3(INV3, 8))), "another base, which nothing scales", ["base", "scaling_absent"],
               details={"base": 1e6})
    yield Case("two", "unscaled-and-offset", LLAMA2 + LINEAR4, pair(p.table(T + 2, INV)), pair(right_linear(T)),
               "frequencies of the base alone, two positions ahead", ["scaling_absent", "position_offset"],
               details={"offset": 2})
    cohere = p.table(T, INV)
    yield Case("two", "halves-and-base", "model_type=cohere head_dim=128 rope_theta=8000000",
               pair(cohere, columns=p.halves), pair(p.table(T, p.default(128, 8e6)), columns=p.neighbours),
               "base 10000 in halves", ["column_order", "base"], details={"base": 10000})
    yield Case("two", "squared-and-bf16-table", LLAMA2 + YARN4, joined(both(*map(p.bf16, p.table(T, YARN, M4 * M4)))),
               joined(p.table(T, YARN, M4)), "amplitude m^2, 8 bits in float32",
               ["attention_factor_squared", "table_bf16"])


def cases():
    for make in (absent, other, twice, attention, two):
        yield from make()
