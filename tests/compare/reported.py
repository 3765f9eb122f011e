# SPDX-License-Identifier: MIT
"""Makes arrays with a mistake that people report:

* a detail of the rules of YaRN or Llama 3 was misread
* parameters were not read
* angles have 16 bits
* positions are clamped or wrapped
* the table is that of other layers of the model

Each formula is the project's own, in float64, with one change. `why` says what was changed, and why no other name is
true.
"""
import math

import numpy as np

import formulas as p
from case import Case, joined, pair
from defects import LLAMA2, LLAMA3, LONG, T
from scalings import llama31

SIZES = ((64, 500000.0, 8.0), (128, 500000.0, 8.0), (128, 1e6, 32.0), (96, 250000.0, 16.0))
YARNS = ((128, 10000.0, 4.0, 4096), (64, 150000.0, 32.0, 4096), (128, 1e6, 4.0, 32768), (96, 500000.0, 16.0, 8192))


def powers(width, base, by=None):
    return float(base) ** (-np.arange(0, width, 2) / (by or width))


def yarn_config(width, base, factor, trained, more=""):
    return (f"head_dim={width} rope_theta={base:.0f} rope_scaling.rope_type=yarn rope_scaling.factor={factor:g} "
            f"rope_scaling.original_max_position_embeddings={trained}{more}")


def yarn(width, base, factor, trained, fast=32, slow=1, truncate=True, inverted=False, ntk=(False, False), cycle=None,
         divisor=None):
    """Repeats _compute_yarn_parameters in float64, with possible mistakes. `ntk` says whether the unscaled and the
    scaled frequencies have NTK's base. The scaled ones are divided by `divisor`, or by the factor if it is None."""
    def index(rotations):
        return width * math.log(trained / (rotations * (cycle or 2 * math.pi))) / (2 * math.log(base))
    low, high = index(fast), index(slow)
    if truncate:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, width - 1)
    ramp = np.clip((np.arange(width // 2) - low) / (high - low or 0.001), 0, 1)
    ramp = 1 - ramp if inverted else ramp
    bases = [base * factor ** (width / (width - 2)) if other else base for other in ntk]
    return powers(width, bases[0]) * (1 - ramp) + powers(width, bases[1]) / (divisor or factor) * ramp


def llama_config(width, base, factor, trained=8192, low=1, high=4):
    return (f"head_dim={width} rope_theta={base:.0f} rope_scaling.rope_type=llama3 rope_scaling.factor={factor:g} "
            f"rope_scaling.low_freq_factor={low} rope_scaling.high_freq_factor={high} "
            f"rope_scaling.original_max_position_embeddings={trained}")


def llama3(w, factor, share=lambda s: s, mix=None, trained=8192, low=1, high=4, cycle=2 * math.pi):
    """Repeats apply_scaling of Meta's code, with possible mistakes. share(s) replaces the smoothing s. mix(f, s)
    replaces the way in which the smoothing mixes the scaled and the unscaled frequency."""
    out = []
    for f in w:
        wave = cycle / f
        s = (trained / wave - low) / (high - low)
        middle = mix(f, s) if mix else (1 - share(s)) * f / factor + share(s) * f
        out.append(f if wave < trained / high else f / factor if wave > trained / low else middle)
    return np.array(out)


def single(w):
    return np.asarray(w).astype(p.F)


def found(name, config, files, meant, why, differs, kind="defect", **rest):
    return Case(kind, name, config, files, meant, why, differs, **rest)


def of_yarn():
    """Yields arrays with a mistake in a part of YaRN's rule. The attention factors are right, and so are the pairs
    outside the ramp."""
    betas = " rope_scaling.beta_fast=64 rope_scaling.beta_slow=2"
    for number, (width, base, factor, trained) in enumerate(YARNS):
        own = (width, base, factor, trained)
        m, name = p.yarn_factor(factor), f"-{number}"
        def made(which, differs, why, right, more="", shape=pair, same=(), **changes):
            config = yarn_config(*own, more)
            return found(f"yarn-{which}{name}", config, shape(p.table(LONG, single(yarn(*own, **changes)), m)),
                         shape(p.table(LONG, single(right), m)), why, [differs], same=same)
        usual = yarn(*own)
        yield made("truncated", "yarn_truncate", "truncate: false is ignored", yarn(*own, truncate=False),
                   " rope_scaling.truncate=false", joined)
        yield made("not-truncated", "yarn_truncate", "floor and ceil are missing", usual, truncate=False)
        yield made("betas-ignored", "yarn_betas", "32 and 1 for 64 and 2", yarn(*own, fast=64, slow=2), betas)
        yield made("betas-exchanged", "yarn_betas", "beta_slow for beta_fast; the ramp then falls, and its bounds are "
                   "rounded outwards the other way", yarn(*own, fast=64, slow=2), betas, fast=2, slow=64)
        yield made("ramp", "yarn_ramp", "the ramp is upside down", usual, inverted=True)
        yield made("ntk", "yarn_ntk_base", "unscaled pairs have the base of NTK", usual, ntk=(True, False))
        yield made("ntk-all", "yarn_ntk_base", "all pairs have the base of NTK, and are scaled as well", usual,
                   ntk=(True, True))
        yield made("ntk-undivided", "yarn_ntk_base", "scaled pairs have the base of NTK for the factor", usual,
                   ntk=(False, True), divisor=1)
        higher = (width, base * factor ** (width / (width - 2)), factor, trained)
        yield found(f"yarn-ntk-bounds{name}", yarn_config(*own), pair(p.table(LONG, single(yarn(*higher)), m)),
                    pair(p.table(LONG, single(usual), m)), "the base is that of NTK before anything is computed with it",
                    ["yarn_ntk_base"], same=[["base"]])
        yield made("cycle", "two_pi_absent", "log(L0 / beta) for log(L0 / (2 pi beta))", usual, cycle=1)


def of_mscale():
    """Yields arrays whose frequencies are right, and whose attention factor is 0.1 ln(factor) + 1. It should be the
    ratio of two mscales, or the config's own attention factor."""
    for number, (width, base, factor, trained) in enumerate(YARNS):
        w, usual = single(yarn(width, base, factor, trained)), p.yarn_factor(factor)
        first, second = ((1, 1), (0.707, 1), (1, 0.5), (0.8, 0.8))[number]
        more = f" rope_scaling.mscale={first} rope_scaling.mscale_all_dim={second}"
        right = (0.1 * first * math.log(factor) + 1) / (0.1 * second * math.log(factor) + 1)
        yield found(f"mscale-ignored-{number}", yarn_config(width, base, factor, trained, more),
                    pair(p.table(T, w, usual)), pair(p.table(T, w, right)), "vllm-project/vllm #48621",
                    ["mscale_ignored"])
    yield found("attention-factor-ignored", yarn_config(*YARNS[0], " rope_scaling.attention_factor=1.3"),
                joined(p.table(T, single(yarn(*YARNS[0])), p.yarn_factor(4))),
                joined(p.table(T, single(yarn(*YARNS[0])), 1.3)), "the config's own factor is not read",
                ["mscale_ignored"])


def of_llama3():
    """Yields arrays with a mistake in the rule of Llama 3. Unless it is in the two bounds, pairs outside are right."""
    for number, (width, base, factor) in enumerate(SIZES):
        w = powers(width, base)
        right, config = llama3(w, factor), llama_config(width, base, factor)
        def made(which, differs, why, wrong, shape=pair, **rest):
            return found(f"llama3-{which}-{number}", config, shape(p.table(LONG, single(wrong))),
                         shape(p.table(LONG, single(right))), why, differs, **rest)
        waves = 2 * math.pi / w
        yield made("exchanged", ["llama3_factors"], "low_freq_factor for high_freq_factor in Meta's code: nothing is "
                   "smoothed, which a hard cut is, too", llama3(w, factor, low=4, high=1), same=[["llama3_cut"]])
        yield made("exchanged-hf", ["llama3_factors"], "the same in transformers' order of tests",
                   np.where(waves > 8192 / 4, w / factor, w), joined, same=[["llama3_cut"]])
        yield made("inverted", ["llama3_smoothing"], "1 - smooth for smooth", llama3(w, factor, lambda s: 1 - s))
        yield made("precedence", ["llama3_smoothing"], "ggml-org/llama.cpp #8676, first version",
                   llama3(w, factor, mix=lambda f, s: f / (factor / (1 - s) + s)))
        yield made("power", ["llama3_smoothing"], "the share to the power 1.5",
                   llama3(w, factor, lambda s: max(s, 0) ** 1.5))
        yield made("cut", ["llama3_cut"], "without smoothing, from two rotations on", np.where(waves > 4096, w / factor, w))
        yield made("cut-low", ["llama3_cut"], "without smoothing, from the low bound on", np.where(waves > 8192, w / factor, w),
                   also=[["llama3_factors"]], same=[["llama3_cut"]])
        yield made("cycle", ["two_pi_absent"], "1 / w for the wavelength", llama3(w, factor, cycle=1))


def unread():
    """Yields arrays of programs that read no parameter of RoPE: the base is 10000, and the whole head rotates."""
    configs = ((LLAMA3 + llama31(8), 128, 1), (yarn_config(64, 150000, 32, 4096), 64, p.yarn_factor(32)),
               ("head_dim=128 rope_theta=1000000 partial_rotary_factor=0.5", 128, 1),
               (yarn_config(128, 1e6, 4, 32768, " partial_rotary_factor=0.25"), 128, p.yarn_factor(4)))
    for number, (config, width, _) in enumerate(configs):
        files = pair(p.table(LONG, p.default(width, 10000)))
        yield found(f"parameters-unread-{number}", config, files, pair(p.table(LONG, p.default(width, 77777))),
                    "base 10000, no scaling, no factor, the whole head", ["parameters_absent"])


def zero_and_twice():
    for number, (width, base) in enumerate(((32, 10000), (128, 500000), (64, 1e6), (96, 10000))):
        w, config = p.default(width, base), f"head_dim={width} rope_theta={base:.0f}"
        meant = pair(p.table(T, w))
        yield found(f"zero-{number}", config, pair(p.table(T, w * p.F(0))), meant, "inv_freq was never filled",
                    ["frequencies_zero"])
        yield found(f"rotated-twice-{number}", config, pair(p.table(T, w * p.F(2))), meant,
                    "every frequency is doubled; linear scaling by 1/2 is the same", ["rotated_twice"])


def narrow_angles():
    """Yields arrays whose angles are products that were rounded to 16 bits, or products of 16-bit frequencies or
    positions with numbers in float64, as numpy multiplies them."""
    half = lambda x: np.asarray(x, np.float16).astype(np.float64)
    brain = lambda x: p.bf16(np.asarray(x, p.F)).astype(np.float64)
    circle = lambda a: (np.cos(a).astype(p.F), np.sin(a).astype(p.F))
    for number, (width, base) in enumerate(((32, 10000), (128, 500000), (64, 1e6), (96, 10000))):
        w, single_w, config = powers(width, base), p.default(width, base), f"head_dim={width} rope_theta={base:.0f}"
        meant = pair(p.table(LONG, single_w))
        for kind, to in (("bf16", brain), ("f16", half)):
            other = [[f"inv_freq_{kind}", f"positions_{kind}", f"angles_{kind}"]]
            yield found(f"angles-{kind}-{number}", config, pair(circle(to(LONG[:, None].astype(p.F) * single_w))), meant,
                        "the product is rounded", [f"angles_{kind}"])
            product = to(to(LONG)[:, None] * to(single_w)[None, :])
            yield found(f"angles-all-{kind}-{number}", config, pair(circle(product)), meant,
                        "frequencies, positions and products are rounded", other[0], kind="several")
            yield found(f"inv-freq-{kind}-double-{number}", config, pair(circle(LONG[:, None] * to(w)[None, :])), meant,
                        "16-bit frequencies, the angles in float64", [f"inv_freq_{kind}"])
            yield found(f"positions-{kind}-double-{number}", config, pair(circle(to(LONG)[:, None] * w[None, :])), meant,
                        "16-bit positions, the angles in float64", [f"positions_{kind}"])
            mixed = to(LONG)[:, None] * single_w.astype(np.float64)[None, :]
            yield found(f"positions-{kind}-mixed-{number}", config, pair(circle(mixed)), meant,
                        "16-bit positions in float64, frequencies in float32", [f"positions_{kind}"])

    low = p.bf16(p.default(128, 10000))[None, :] * p.bf16(LONG[:2048])[:, None]
    yield found("angles-and-table-bf16", LLAMA2, pair(tuple(p.bf16(f(p.bf16(low))) for f in (np.cos, np.sin))),
                pair(p.table(LONG[:2048], p.default(128, 10000))), "all in bf16, as EleutherAI/gpt-neox #1003 in bf16",
                ["inv_freq_bf16", "positions_bf16", "angles_bf16", "table_bf16"], kind="several")


def limited():
    """Yields arrays whose rows after a certain position are those of smaller positions: clamped or wrapped."""
    for number, (config, w) in enumerate(((LLAMA3, p.default(128, 500000)), (LLAMA2, p.default(128, 10000)),
                                          ("head_dim=64 rope_theta=1000000", p.default(64, 1e6)),
                                          (LLAMA3 + llama31(8), p.llama3(p.default(128, 500000), 8)))):
        limit = (2048, 1000, 4000, 511)[number]
        meant = pair(p.table(LONG, w))
        yield found(f"clamped-{number}", config, pair(p.table(np.minimum(LONG, limit), w)), meant,
                    "positions.clamp(max)", ["positions_clamped"], details={"limit": limit})
        yield found(f"wrapped-{number}", config, pair(p.table(LONG % limit, w)), meant, "positions % max",
                    ["positions_wrapped"], details={"limit": limit})
    far = np.arange(32000, 33000)
    yield found("wrapped-int16", LLAMA3, pair(p.table((far + 32768) % 65536 - 32768, p.default(128, 500000))),
                pair(p.table(far, p.default(128, 500000))), "positions in int16", ["positions_wrapped"],
                positions="32000:1000", details={"limit": 65536})
    far = np.arange(40000, 40200)
    yield found("wrapped-int16-all", LLAMA2, pair(p.table(far - 65536, p.default(128, 10000))),
                pair(p.table(far, p.default(128, 10000))), "the same, in all rows: 65536 is more than the longest "
                "wavelength", ["positions_wrapped"], positions="40000:200", details={"limit": 65536})
    far = np.arange(9000, 9200)
    yield found("wrapped-all", LLAMA2, pair(p.table(far % 4096, p.default(128, 10000))),
                pair(p.table(far, p.default(128, 10000))), "positions % 4096, in all rows: an offset has the same numbers",
                ["position_offset"], positions="9000:200", details={"offset": -8192}, same=[["positions_wrapped"]])


def exponents():
    """Yields tables that confuse the two rules for exponents of sinusoidal tables, or use that of T2T in RoPE."""
    for number, width in enumerate((64, 128, 384, 512)):
        yield found(f"exponents-t2t-{number}", f"preset=t2t d_model={width}", {"table": p.t2t(T, width, shift=0.0)},
                    {"table": p.t2t(T, width)}, "wenet-e2e/wenet #2141: 2i/d", ["exponents"])
        cosines, sines = p.table(T, single(10000.0 ** (-np.arange(width // 2) / (width // 2 - 1))))
        yield found(f"exponents-paper-{number}", f"preset=vaswani d_model={width}",
                    {"table": np.stack([sines, cosines], 2).reshape(len(T), width)}, {"table": p.paper(T, width)},
                    "i/(h - 1)", ["exponents"])
    w = single(powers(128, 10000.0, 126))
    yield found("exponents-rope", LLAMA2, pair(p.table(LONG, w)), pair(p.table(LONG, p.default(128, 10000))),
                "i/(h - 1) in RoPE, which is a width of 126, too", ["exponents"], same=[["rotary_width"], ["base"]])


def other_widths():
    """Yields arrays whose exponents 2i/m have a wrong divisor m. Another base with the config's width gives the same
    numbers, so that answer is listed as equivalent."""
    for number, (width, base, by) in enumerate(((128, 10000, 80), (128, 500000, 100), (64, 1e6, 192), (96, 10000, 36))):
        config = f"head_dim={width} rope_theta={base:.0f}"
        yield found(f"width-{by}-for-{width}", config, pair(p.table(LONG, p.default(width, base, divisor=by))),
                    pair(p.table(LONG, p.default(width, base))), f"2i/{by}", ["rotary_width"],
                    weak=[["base"]], details={"rotary_dim": by}, same=[["base"]])


def other_parts():
    gemma3 = {"model_type": "gemma3_text", "head_dim": 64, "num_hidden_layers": 6, "rope_theta": 1e6,
              "rope_local_base_freq": 10000.0, "rope_scaling": {"factor": 8.0, "rope_type": "linear"},
              "sliding_window": 64, "layer_types": ["sliding_attention"] * 5 + ["full_attention"]}
    full, sliding = single(powers(64, 1e6) / 8), p.default(64, 10000)
    olmo = {"model_type": "gemma3_text", "head_dim": 128, "num_hidden_layers": 6, "rope_theta": 5e5,
            "rope_local_base_freq": 20000.0, "rope_scaling": {"factor": 3.0, "rope_type": "linear"},
            "sliding_window": 64, "layer_types": ["sliding_attention"] * 5 + ["full_attention"]}
    wide, local = single(powers(128, 5e5) / 3), p.default(128, 20000)
    for name, config, part, wrong, right in (("gemma3-sliding", gemma3, "sliding_attention", full, sliding),
                                             ("gemma3-full", gemma3, "full_attention", sliding, full),
                                             ("local-sliding", olmo, "sliding_attention", wide, local),
                                             ("local-full", olmo, "full_attention", local, wide)):
        case = found("other-part-" + name, config, pair(p.table(LONG, wrong)), pair(p.table(LONG, right)),
                     "the rotation of the other layers", ["other_part"])
        case.part = part
        yield case


def cases():
    for make in (of_yarn, of_mscale, of_llama3, unread, zero_and_twice, narrow_angles, limited, exponents,
                 other_widths, other_parts):
        yield from make()
