# SPDX-License-Identifier: MIT
"""Makes arrays without a named difference: right ones in every arithmetic, and ones that no listed name explains."""
import numpy as np

import formulas as p
from case import Case, joined, pair
from defects import LLAMA2, LLAMA3, LONG, T
from scalings import GPT_OSS, INV, INV3, LINEAR4, M4, M32, M_PHI, OSS, PHI_LONG, YARN, YARN4, llama31, phi3

ROUNDED = ["exact", "double_angles", "float32_angles"] # a rounding to 16 bits hides which of them it was
SINGLE = ["float32_angles"]


def right():
    """Yields arrays that are right. `arithmetic` has the names that are true; the tool may also answer that it cannot
    tell. "exact" is removed from it below if a bit differs from the exact table."""
    def case(name, config, files, why, arithmetic, **rest):
        return Case("right", name, config, files, files, why, [], arithmetic=arithmetic, **rest)
    yield case("right-hf-llama", LLAMA3, pair(p.table(LONG, INV3), columns=p.halves, lead=1), "LlamaRotaryEmbedding",
               SINGLE)
    yield case("right-vllm", LLAMA3 + llama31(8), joined(p.table(LONG, p.llama3(INV3, 8))),
               "cos_sin_cache of Llama 3.1", SINGLE)
    yield case("right-meta-complex", "", {"table": p.meta_llama(T, 128, 10000)},
               "freqs_cis; base 10000 is what is expected without a config", SINGLE)
    yield case("right-ggml", LLAMA3, pair(p.ggml(LONG[:1024], 128, 500000)), "ggml_rope_cache_init", ["ggml_chain"])
    ggml = dict(scale=0.25, extension=1.0, trained=4096)
    yield case("right-ggml-yarn", LLAMA2 + YARN4, pair(p.ggml(T, 128, 10000, **ggml)), "rope_yarn with ext_factor 1",
               ["ggml_chain"])
    for name, config in (("glm4", "model_type=glm4 head_dim=128"), ("helium", "model_type=helium head_dim=64"),
                         ("ernie4_5", "model_type=ernie4_5 head_dim=64 rope_theta=10000")):
        base = 100000 if name == "helium" else 10000
        for columns in (p.halves, p.neighbours):
            yield case(f"right-{name}-{columns.__name__}", config,
                       pair(p.table(T, p.default(64, base)), columns=columns), "pairs are neighbours, but its code "
                       "makes cat(f, f) and repeats each element of the first half", SINGLE)
    yield case("right-exact", LLAMA3, pair(p.exact(LONG, p.default_exact(128, 500000)), columns=p.halves),
               "rounded once from extended precision", ["exact", "double_angles"])
    yield case("right-gptj", "model_type=gptj head_dim=256 rotary_dim=64", {"table": p.gptj(LONG[:2048], 64)},
               "embed_positions: sines, then cosines, in one array, as GPT-J has them", SINGLE)
    yield case("right-yarn", LLAMA2 + YARN4, pair(p.table(LONG, YARN, M4), columns=p.halves), "YaRN, as transformers",
               SINGLE)
    yield case("right-gpt-oss", GPT_OSS, joined(p.table(LONG, OSS, M32)), "YaRN, as vllm", SINGLE)
    yield case("right-phi3", phi3(8192), pair(p.table(LONG, PHI_LONG, M_PHI)), "LongRoPE beyond 4096 positions", SINGLE)
    yield case("right-t2t", "preset=t2t d_model=512", {"table": p.t2t(T, 512)}, "get_timing_signal_1d", SINGLE)
    yield case("right-marian", "preset=t2t d_model=256", {"table": p.marian(T, 256)}, "the same, by marian", SINGLE)
    yield case("right-paper", "", {"table": p.paper(T, 512)},
               "PyTorch's tutorial; the paper's base is expected", SINGLE)
    yield case("right-flux-f64", "head_dim=128 rope_theta=10000", pair(p.flux(T, 128, 10000), "f64"),
               "float64 throughout", ["exact", "double_angles"])
    yield case("right-flux-f32", "head_dim=128 rope_theta=10000", pair(p.flux(LONG, 128, 10000)),
               "float64, then .float()", ["exact", "double_angles"])
    yield case("right-flax", LLAMA2, pair(p.flax_llama(LONG, 128, 10000), columns=p.halves),
               "angles in float64, rounded to float32: half of the error of float32_angles",
               ["float32_angles", "double_angles"])
    for kind in ("f32", "f64"):
        angles = LONG[:, None] * p.default(128, 500000).astype(np.float64)
        yield case("right-numpy-" + kind, LLAMA3, pair((np.cos(angles), np.sin(angles)), kind), "numpy: frequencies in "
                   "float32 times integers are float64", ["float32_frequencies"])
    yield case("right-bf16", "model_type=qwen2 head_dim=128 rope_theta=1000000",
               pair(p.table(LONG, p.default(128, 1e6)), "bf16", p.halves, 1), "cos.to(torch.bfloat16) is a bf16 array: "
               "rounding to its own type is no difference, and it is what table_bf16 means", ROUNDED + ["table_bf16"],
               also=[["table_bf16"]])
    yield case("right-half", "model_type=phi3 head_dim=96 rope_theta=10000",
               pair(p.table(LONG, p.default(96, 10000)), "f16", p.halves), "likewise, of f16", ROUNDED + ["table_f16"],
               also=[["table_f16"]])
    yield case("right-inv-freq", LLAMA3, {"inv_freq": INV3}, "a buffer of float32", None)
    where = np.array([5, 9, 1000, 4096, 100000, 131071])
    yield case("right-list", LLAMA2 + LINEAR4, pair(p.table(where.astype(p.F) / p.F(4), INV)),
               "positions in a file, out of step", SINGLE + ["ggml_chain", "double_angles"], positions=where)
    yield case("right-far", LLAMA3, pair(p.table(np.arange(100000, 100064), INV3)), "far positions", SINGLE,
               positions="100000:64")
    yield case("right-stride", LLAMA2, joined(p.table(np.arange(0, 8192, 16), INV)), "every 16th position", SINGLE,
               positions="0:512:16")


def nothing():
    """Yields arrays with a mistake for which the tool has no name. `why` describes it. No difference that has a name
    changes every element in this way, up to the last bits of the type."""
    random = np.random.default_rng(1234)
    cosines, sines = p.table(T, INV3)
    def case(name, table, why, config=LLAMA3, weak=(), columns=lambda x: x, kind="f32", positions=None):
        files = table if isinstance(table, dict) else pair(table, kind, columns)
        return Case("nothing", name, config, files, None, why, weak=weak, positions=positions)
    yield case("learned", {"table": (0.02 * random.standard_normal((512, 128))).astype(p.F)},
               "a learned table as it is initialised", "")
    yield case("uniform", tuple(random.uniform(-1, 1, (512, 64)).astype(p.F) for _ in "cs"), "random numbers")
    order = random.permutation(64)
    yield case("pairs-shuffled", (cosines[:, order], sines[:, order]), "pairs in a random order, neither halves nor "
               "neighbours", weak=[["column_order"]])
    noisy = lambda s: tuple((x + s * random.standard_normal(x.shape)).astype(p.F) for x in (cosines, sines))
    yield case("noise-1e-3", noisy(1e-3), "noise of 1e-3, more than bf16's and alike in all rows")
    yield case("noise-3e-5", noisy(3e-5), "noise of 3e-5, as float32 angles have in fast pairs at row 511; "
               "here it is in all")
    def changed(change):
        out = cosines.copy(), sines.copy()
        change(*out)
        return out
    def wrong_row(c, s):
        c[200], s[200] = cosines[201], sines[201]
    yield case("one-row-wrong", changed(wrong_row), "row 200 is that of 201")
    rows = T.copy()
    rows[[100, 400]] = rows[[400, 100]]
    yield case("two-rows-exchanged", (cosines[rows], sines[rows]), "rows 100 and 400 in each other's place")
    yield case("rows-shuffled", (cosines[random.permutation(512)], sines[random.permutation(512)]),
               "rows in random orders")
    yield case("harmonic", p.table(T, (p.F(1) / (np.arange(64) + 1)).astype(p.F)), "frequencies 1/(i + 1)")
    yield case("clipped", tuple(np.clip(x, -0.99, 0.99) for x in (cosines, sines)), "values cut at 0.99")
    def not_a_number(c, s):
        c[300, 7] = np.nan
    yield case("not-a-number", changed(not_a_number), "one NaN")
    smooth = p.yarn(128, 10000, 4, 4096, bend=lambda r: r * r * (p.F(3) - p.F(2) * r))
    yield case("yarn-smoothstep", p.table(LONG, smooth, M4), "YaRN with a smoothstep for its ramp", LLAMA2 + YARN4)
    yield case("fixed-8-bits", tuple((np.round(x * 127) / 127).astype(p.F) for x in (cosines, sines)),
               "fixed point of 8 bits")
    drift = (1 + 1e-5 * T).astype(p.F)[:, None]
    yield case("amplitude-drift", (cosines * drift, sines * drift), "amplitudes grow by 1e-5 a row")
    scale = p.xpos(T, 128)
    yield case("xpos", (cosines * scale, sines * scale), "xPos: amplitudes that depend on pair and row")
    yield case("two-bases", (p.table(T, INV)[0], sines), "cosines of base 10000, sines of 500000")
    jump = np.where(T < 256, T, T + 1)
    yield case("jump", p.table(jump, INV3), "positions are one ahead from row 256 on")
    grid = np.stack([T * 0 + 10, 10 + T // 16, 10 + T % 16], 1)
    section = np.repeat([0, 1, 2], [16, 24, 24])
    angles = grid[:, section].astype(p.F) * p.default(128, 1e6)[None, :]
    yield case("mrope-image", (np.cos(angles), np.sin(angles)), "Qwen2-VL's sections of 16, 24, 24 pairs on an image",
               "model_type=qwen2 head_dim=128 rope_theta=1000000")
    pixel = (np.linspace(1, 5, 32) * np.pi).astype(p.F)
    yield case("pixel", p.table(np.linspace(-1, 1, 64), pixel), "rotary-embedding-torch, freqs_for='pixel'",
               "head_dim=64 rope_theta=10000")
    h, w = p.table(T // 32, p.default(64, 10000)), p.table(T % 32, p.default(64, 10000))
    yield case("axial", tuple(np.concatenate(x, 1) for x in zip(h, w)), "rows and columns of a grid, half of the pairs "
               "each", LLAMA2)
    yield case("bent-line", p.table(T, (INV3 * (1 + 0.01 * np.sin(np.arange(64)))).astype(p.F)),
               "frequencies up to 1% off, each in its own way: ten times what bf16 does")


def cases():
    for made in right():
        if made.arithmetic and "exact" in made.arithmetic and made.name == "right-flux-f32":
            truth = p.exact(LONG, p.default_exact(128, 10000))
            if any(not np.array_equal(a, b) for a, b in zip((made.files["cos"], made.files["sin"]), truth)):
                made.arithmetic.remove("exact")
        yield made
    yield from nothing()
