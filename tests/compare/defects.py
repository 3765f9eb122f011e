# SPDX-License-Identifier: MIT
"""Makes arrays with one named difference: columns, sine and cosine, sign, positions, base, width, 16 bits.

`why` says why the expected answer is the only true one, or which other answer is as true.
"""
import numpy as np

import formulas as p
from case import Case, joined, pair

LLAMA2 = "model_type=llama head_dim=128 rope_theta=10000"
LLAMA3 = "model_type=llama head_dim=128 rope_theta=500000"
T = np.arange(512)
LONG = np.arange(4096)


def columns():
    """Yields arrays whose pairs are in other columns. The values are the config's in the other order, so no frequency,
    sign or offset differs.
    The columns of a pair hold one number, and only their places show the mistake."""
    why = "each column is one of the config's, at the place of the other order"
    glm = p.table(T, p.default(64, 10000))
    cohere = p.table(T, p.default(128, 8e6))
    llama = p.table(T, p.default(128, 500000))
    gptj = p.table(T, p.default(64, 10000))
    yield Case("defect", "chatglm-halves", "model_type=chatglm kv_channels=128", pair(glm, columns=p.halves),
               pair(glm, columns=p.neighbours), why, ["column_order"])
    yield Case("defect", "cohere-halves", "model_type=cohere head_dim=128 rope_theta=8000000",
               pair(cohere, "bf16", p.halves, 1), pair(cohere, "bf16", p.neighbours, 1), why, ["column_order"],
               also=[["column_order", "table_bf16"]])
    yield Case("defect", "llama-neighbours", LLAMA3, pair(llama, columns=p.neighbours, lead=2),
               pair(llama, columns=p.halves, lead=2), why, ["column_order"])
    yield Case("defect", "gptj-halves", "model_type=gptj head_dim=256 rotary_dim=64", pair(gptj, "f16", p.halves),
               pair(gptj, "f16", p.neighbours), why, ["column_order"], also=[["column_order", "table_f16"]])
    meant = p.paper(T, 512)
    yield Case("defect", "paper-halves", "preset=vaswani d_model=512",
               {"table": np.concatenate([meant[:, 0::2], meant[:, 1::2]], 1)}, {"table": meant},
               "sines, then cosines, with the paper's frequencies; t2t's would have exponents i/(n/2 - 1)",
               ["column_order"])


def exchanged():
    """Yields arrays with sines in the place of cosines: z becomes i conj(z). No base,
    offset or sign does that to pairs of different frequency."""
    why = "cosine and sine of each angle stand in each other's place: a quarter turn is no number of positions"
    llama, phi = p.table(T, p.default(128, 500000)), p.table(T, p.default(96, 10000))
    swap = lambda t: (t[1], t[0])
    yield Case("defect", "llama-exchanged", LLAMA3, pair(swap(llama), columns=p.halves), pair(llama, columns=p.halves),
               why, ["sine_cosine"])
    yield Case("defect", "phi3-exchanged", "model_type=phi3 head_dim=96 rope_theta=10000", pair(swap(phi), "f16"),
               pair(phi, "f16"), why, ["sine_cosine"], also=[["sine_cosine", "table_f16"]])
    z = p.meta_llama(T, 128, 10000)
    yield Case("defect", "complex-exchanged", LLAMA2, {"table": (z.imag + 1j * z.real).astype(np.complex64)},
               {"table": z}, why, ["sine_cosine"])
    yield Case("defect", "t2t-cosines-first", "preset=t2t d_model=256", {"table": p.t2t(T, 256, False)},
               {"table": p.t2t(T, 256)}, "flip_sin_to_cos: halves exchanged. It is an order of columns as well as of "
               "sine and cosine; both names are true", ["sine_cosine"], also=[["column_order"]])


def signs():
    """Yields arrays with the sine negated, which are the angles of -p. A negative offset moves
    positions, but does not reverse them."""
    why = "z is conjugated in every row but 0"
    cosines, sines = p.table(T, p.default(64, 10000))
    yield Case("defect", "ggml-backward", LLAMA3, pair(p.ggml(T, 128, 500000, sign=-1)), pair(p.ggml(T, 128, 500000)),
               "ggml_compute_forward_rope_back's cache: " + why, ["sign"])
    yield Case("defect", "complex-conjugated", LLAMA2, {"table": p.meta_llama(T, 128, 10000).conj()},
               {"table": p.meta_llama(T, 128, 10000)}, why, ["sign"])
    yield Case("defect", "rotate-half-sign", "model_type=llama head_dim=64 rope_theta=10000",
               pair((cosines, -sines), "bf16", p.halves), pair((cosines, sines), "bf16", p.halves),
               "the minus of rotate_half moved into the table: " + why, ["sign"], also=[["sign", "table_bf16"]])
    yield Case("defect", "inv-freq-negative", LLAMA2, {"inv_freq": -p.default(128, 10000)},
               {"inv_freq": p.default(128, 10000)}, "every frequency has the other sign", ["sign"])


def offsets():
    """Yields arrays in which all pairs are one number of positions ahead or behind; with 32 pairs and more no other
    base does that in row 0, where every base has the same."""
    why = "row 0 is the row of another position, in all pairs at once"
    half = p.default(128, 500000)
    yield Case("defect", "fairseq-padding", "preset=t2t d_model=512", {"table": p.t2t(T + 2, 512)},
               {"table": p.t2t(T, 512)}, "fairseq's positions begin at padding_idx + 1 = 2: " + why,
               ["position_offset"], details={"offset": 2})
    yield Case("defect", "positions-from-1", LLAMA3, pair(p.table(T + 1, half), columns=p.halves),
               pair(p.table(T, half), columns=p.halves), why, ["position_offset"], details={"offset": 1})
    yield Case("defect", "decode-one-behind", LLAMA3, pair(p.table(np.arange(999, 1063), half), "bf16"),
               pair(p.table(np.arange(1000, 1064), half), "bf16"), "cache_position one step late: " + why,
               ["position_offset"], also=[["position_offset", "table_bf16"]], details={"offset": -1},
               positions="1000:64")
    yield Case("defect", "chunk-from-0", LLAMA2, joined(p.table(np.arange(256), p.default(128, 10000))),
               joined(p.table(np.arange(4096, 4352), p.default(128, 10000))),
               "the second chunk of a prefill without the length of the first: " + why, ["position_offset"],
               details={"offset": -4096}, positions="4096:256")
    yield Case("defect", "linear-from-1", LLAMA2 + " rope_scaling.rope_type=linear rope_scaling.factor=4",
               pair(p.table((T + 1).astype(p.F) / p.F(4), p.default(128, 10000))),
               pair(p.table(T.astype(p.F) / p.F(4), p.default(128, 10000))),
               "(p + 1)/4: one position ahead, before the scaling; 0.25 after it is no whole number of positions",
               ["position_offset"], details={"offset": 1})


def bases():
    """Yields arrays whose frequencies begin at 1 and have a constant ratio that is not the config's. No scaling except
    NTK gives such frequencies."""
    why = "pair 0 is as said and the others lie on one line of another slope: another base"
    yield Case("defect", "base-10000-for-500000", LLAMA3, pair(p.table(LONG, p.default(128, 10000)), columns=p.halves),
               pair(p.table(LONG, p.default(128, 500000)), columns=p.halves),
               "sgl-project/SpecForge #265, rope_theta is not read: " + why, ["base"], details={"base": 10000})
    yield Case("defect", "base-1e6-for-10000", LLAMA2, joined(p.table(T, p.default(128, 1e6)), "bf16"),
               joined(p.table(T, p.default(128, 10000)), "bf16"), "paiml/realizar #78: " + why, ["base"],
               also=[["base", "table_bf16"]], details={"base": 1e6}, error=0.02)
    yield Case("defect", "base-without-config", "", {"table": p.meta_llama(T, 128, 500000)},
               {"table": p.meta_llama(T, 128, 10000)}, "RoFormer's 10000 is expected: " + why, ["base"],
               details={"base": 500000})
    yield Case("defect", "base-1e6-for-5e6", "model_type=minimax_m2 head_dim=128 partial_rotary_factor=0.5",
               pair(p.table(LONG, p.default(64, 1e6)), lead=1), pair(p.table(LONG, p.default(64, 5e6)), lead=1), why,
               ["base"], details={"base": 1e6})
    yield Case("defect", "base-inv-freq", "model_type=gpt_oss head_dim=64 rope_theta=150000",
               {"inv_freq": p.default(64, 10000)}, {"inv_freq": p.default(64, 150000)},
               "nothing was read: this config means YaRN with factor 32, too", ["parameters_absent"])
    yield Case("defect", "base-f16", "model_type=phi3 head_dim=96 rope_theta=10000",
               pair(p.table(T, p.default(96, 250000)), "f16"), pair(p.table(T, p.default(96, 10000)), "f16"), why,
               ["base"], also=[["base", "table_f16"]], details={"base": 250000}, error=0.01)


def widths():
    """Yields arrays with a mistake that is made with the config's own numbers. An exponent 2i/m is also the exponent
    2i/n of the base to the power n/m. Such a base also explains the numbers, but nobody's config has it."""
    glm = "model_type=glm4 head_dim=128"
    next_ = "head_dim=256 partial_rotary_factor=0.25 rope_theta=10000000"
    yield Case("defect", "exponent-head-dim", next_, pair(p.table(LONG, p.default(64, 1e7, divisor=256))),
               pair(p.table(LONG, p.default(64, 1e7))), "pie-project/pie #602, 2i/head_dim: the base would be 56.23",
               ["rotary_width"], weak=[["base"]], details={"rotary_dim": 256})
    yield Case("defect", "neox-japanese-width", "model_type=gpt_neox head_dim=128 rotary_pct=0.25 rope_theta=10000",
               {"inv_freq": p.default(128, 10000)}, {"inv_freq": p.default(32, 10000)},
               "huggingface/transformers #48630: 64 frequencies for 16, those of the whole head", ["rotary_width"],
               details={"rotary_dim": 128})
    yield Case("defect", "partial-ignored", glm, joined(p.table(T, p.default(128, 10000))),
               joined(p.table(T, p.default(64, 10000))), "vllm-project/vllm #43770: partial_rotary_factor is not read",
               ["rotary_width"], details={"rotary_dim": 128})
    yield Case("defect", "exponent-half", LLAMA2, pair(p.table(T, p.default(128, 10000, divisor=64)), columns=p.halves),
               pair(p.table(T, p.default(128, 10000)), columns=p.halves),
               "2i over the number of pairs: the base would be 1e8", ["rotary_width"], weak=[["base"]],
               details={"rotary_dim": 64})


def rounded_frequencies():
    """Yields arrays whose frequencies were rounded to 16 bits. Each has an error of its own, up to 2^-9 or 2^-12, which
    no base and no scaling gives."""
    why = "the frequencies are those of 16 bits, and nothing else is: rows 0 and 1 show it, later rows the more"
    inv, far = p.default(128, 10000), p.default(128, 1e6)
    llama31 = p.llama3(p.default(128, 500000), 8)
    scaled = LLAMA3 + (" rope_scaling.rope_type=llama3 rope_scaling.factor=8 rope_scaling.low_freq_factor=1 "
                       "rope_scaling.high_freq_factor=4 rope_scaling.original_max_position_embeddings=8192")
    yield Case("defect", "inv-freq-model-bfloat16", LLAMA2, pair(p.table(LONG[:2048], p.bf16(inv)), columns=p.halves),
               pair(p.table(LONG[:2048], inv), columns=p.halves), "huggingface/transformers #25681: " + why,
               ["inv_freq_bf16"])
    yield Case("defect", "inv-freq-bf16-file", LLAMA2, {"inv_freq": p.bf16(inv)}, {"inv_freq": inv}, why,
               ["inv_freq_bf16"])
    yield Case("defect", "inv-freq-bf16-jax", "model_type=qwen2 head_dim=128 rope_theta=1000000",
               joined(p.table(LONG, p.bf16(far))), joined(p.table(LONG, far)), "sgl-project/sglang-jax #1472: " + why,
               ["inv_freq_bf16"])
    yield Case("defect", "inv-freq-bf16-llama31", scaled, pair(p.table(LONG, p.bf16(llama31))),
               pair(p.table(LONG, llama31)), "the scaled frequencies, rounded: " + why, ["inv_freq_bf16"])
    yield Case("defect", "inv-freq-half", "model_type=gpt_neox head_dim=64 rotary_pct=0.5 rope_theta=10000",
               pair(p.table(LONG[:2048], p.f16(p.default(32, 10000))), columns=p.halves),
               pair(p.table(LONG[:2048], p.default(32, 10000)), columns=p.halves), "EleutherAI/gpt-neox #1003: " + why,
               ["inv_freq_f16"])
    yield Case("defect", "inv-freq-f16-file", LLAMA3, {"inv_freq": p.f16(p.default(128, 500000))},
               {"inv_freq": p.default(128, 500000)}, why + "; the smallest are subnormal", ["inv_freq_f16"])
    yield Case("defect", "inv-freq-f16-64", "model_type=llama head_dim=64 rope_theta=10000",
               joined(p.table(LONG, p.f16(p.default(64, 10000)))), joined(p.table(LONG, p.default(64, 10000))), why,
               ["inv_freq_f16"])


def rounded_positions():
    """Yields arrays whose positions were rounded to 16 bits. As many successive rows are equal as the spacing of these
    numbers is, which no frequency gives."""
    why = "rows repeat as positions of 16 bits do; the first 256 (bf16) or 2048 (f16) are right"
    inv, far = p.default(128, 500000), np.arange(30000, 30064)
    yield Case("defect", "positions-bf16", LLAMA3, pair(p.table(p.bf16(LONG), inv)), pair(p.table(LONG, inv)),
               "position_ids.to(hidden_states.dtype): " + why, ["positions_bf16"])
    yield Case("defect", "positions-bf16-far", LLAMA3, pair(p.table(p.bf16(far), inv), columns=p.halves),
               pair(p.table(far, inv), columns=p.halves), "64 rows of 30000 and on are one position: " + why,
               ["positions_bf16"], positions="30000:64")
    yield Case("defect", "positions-bf16-table-bf16", "model_type=qwen2 head_dim=128 rope_theta=1000000",
               pair(p.table(p.bf16(LONG[:1024]), p.default(128, 1e6)), "bf16"),
               pair(p.table(LONG[:1024], p.default(128, 1e6)), "bf16"), why, ["positions_bf16"],
               also=[["positions_bf16", "table_bf16"]])
    yield Case("defect", "positions-f16", LLAMA2, pair(p.table(p.f16(LONG), p.default(128, 10000))),
               pair(p.table(LONG, p.default(128, 10000))), why, ["positions_f16"])
    yield Case("defect", "positions-f16-stride", LLAMA3, joined(p.table(p.f16(40000 + 3 * T), inv)),
               joined(p.table(40000 + 3 * T, inv)), why, ["positions_f16"], positions="40000:512:3")
    yield Case("defect", "positions-f16-list", "model_type=phi3 head_dim=96 rope_theta=10000",
               pair(p.table(p.f16(2049 + 2 * T), p.default(96, 10000)), columns=p.halves),
               pair(p.table(2049 + 2 * T, p.default(96, 10000)), columns=p.halves), "odd positions above 2048: " + why,
               ["positions_f16"], positions=2049 + 2 * T)


def rounded_tables():
    """Yields arrays in float32 whose elements were rounded to 8 or 11 bits. Their errors do not grow with the position,
    as those of all other defects do."""
    why = "every element is a number of 16 bits, at most half a unit from the right one"
    inv, small = p.default(128, 10000), p.default(64, 500000)
    rounded = lambda f, t: tuple(f(x) for x in t)
    yield Case("defect", "table-bf16-in-f32", LLAMA2, pair(rounded(p.bf16, p.table(LONG, inv))),
               pair(p.table(LONG, inv)), "KellerJordan/modded-nanogpt #39, .bfloat16(): " + why, ["table_bf16"])
    yield Case("defect", "table-bf16-twice", "model_type=llama head_dim=64 rope_theta=500000",
               pair(rounded(p.bf16, p.table(T, small)), columns=p.halves), pair(p.table(T, small), columns=p.halves),
               why, ["table_bf16"])
    yield Case("defect", "table-bf16-t2t", "preset=t2t d_model=256", {"table": p.bf16(p.t2t(T, 256))},
               {"table": p.t2t(T, 256)}, why, ["table_bf16"])
    yield Case("defect", "table-half-in-f32", LLAMA2, joined(rounded(p.f16, p.table(LONG, inv))),
               joined(p.table(LONG, inv)), "exllama keeps sin and cos as half: " + why, ["table_f16"])
    yield Case("defect", "table-half-phi3", "model_type=phi3 head_dim=96 rope_theta=10000",
               pair(rounded(p.f16, p.table(T, p.default(96, 10000))), columns=p.halves),
               pair(p.table(T, p.default(96, 10000)), columns=p.halves), why, ["table_f16"])
    yield Case("defect", "table-half-paper", "preset=vaswani d_model=128", {"table": p.f16(p.paper(T, 128))},
               {"table": p.paper(T, 128)}, "pe.half().float(): " + why, ["table_f16"])


def cases():
    for make in (columns, exchanged, signs, offsets, bases, widths, rounded_frequencies, rounded_positions,
                 rounded_tables):
        yield from make()
