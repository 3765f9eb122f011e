# SPDX-License-Identifier: MIT
"""Makes arrays that are too short, or whose numbers are too simple, to tell what differs. The right answer is status 1
with the explanations that fit. If an array equals the config's in all bits, "right" is also true, whatever made it;
case.py adds that answer. `accept` has the other answers that are true."""
import numpy as np

import formulas as p
from case import Case, pair
from defects import LLAMA2, LLAMA3, T
from scalings import INV, INV3, LINEAR4, M4, YARN, YARN4, YARN4_1, llama31, phi3, PHI_SHORT

ONE = "head_dim=2 rope_theta=10000"


def case(name, config, files, right, why, **rest):
    return Case("short", name, config, files, right, why, **rest)


def first_rows():
    row = np.arange(1)
    right = pair(p.table(row, INV3))
    yield case("row-0", LLAMA3, right, right, "row 0 is 1 and 0 with every frequency", truth=[[]])
    yield case("row-0-no-config", "", pair(p.table(row, INV)), pair(p.table(row, INV)), "the same without a config",
               truth=[[]])
    yield case("row-0-base", LLAMA3, pair(p.table(row, INV)), right, "made with base 10000, which row 0 does not show",
               truth=[[], ["base"]])
    yield case("row-0-unscaled", LLAMA3 + llama31(8), pair(p.table(row, INV3)), right, "made without the scaling",
               truth=[[], ["scaling_absent"]])
    yield case("row-0-conjugate", LLAMA2, {"table": p.meta_llama(row, 128, 10000).conj()},
               {"table": p.meta_llama(row, 128, 10000)}, "sines are 0, of either sign", truth=[[], ["sign"]])
    yield case("row-0-columns", LLAMA3, pair(p.table(row, INV3), columns=p.neighbours),
               pair(p.table(row, INV3), columns=p.halves), "all columns are equal", truth=[[], ["column_order"]])
    yield case("row-0-bf16", LLAMA3, pair(tuple(map(p.bf16, p.table(row, INV3)))), right, "1 and 0 have no more bits",
               truth=[[], ["table_bf16"]])
    yield case("row-0-exchanged", LLAMA3, pair(p.table(row, INV3)[::-1]), right,
               "0 and 1: only the exchange gives that, though it leaves the base open", differs=["sine_cosine"])
    yield case("row-0-yarn-amplitude-1", LLAMA2 + YARN4, pair(p.table(row, INV)), pair(p.table(row, YARN, M4)),
               "amplitude 1 for m: the factor is absent, or the scaling with it, or linear stands for YaRN. One "
               "of them is a guess", truth=[["scaling_absent"], ["attention_factor_absent"]])
    yield case("row-0-yarn-squared", LLAMA2 + YARN4, pair(p.table(row, YARN, M4 * M4)), pair(p.table(row, YARN, M4)),
               "m^2, or the m of another YaRN", also=[["attention_factor_squared"]])


def same_numbers():
    """Yields arrays of programs with a mistake that does not change these positions or frequencies."""
    few, steps = np.arange(256), np.arange(0, 4096, 16)
    for name, kind, rows, text, positions in (
            ("positions-bf16-256", p.bf16, few, "bf16 has every position below 256", None),
            ("positions-bf16-16", p.bf16, steps, "bf16 has every 16th position below 4096", "0:256:16"),
            ("positions-f16-2048", p.f16, np.arange(2048), "f16 has every position to 2048", None)):
        made = pair(p.table(kind(rows), INV3))
        assert np.array_equal(made["cos"], p.table(rows, INV3)[0])
        yield case(name, LLAMA3, made, pair(p.table(rows, INV3)), text, positions=positions,
                   truth=[[], [name[:name.rindex("-")].replace("-", "_")]])
    exact = p.default(8, 65536.0)
    assert np.array_equal(exact, p.bf16(exact)) and np.array_equal(exact, p.f16(exact))
    powers = "head_dim=8 rope_theta=65536"
    yield case("inv-freq-bf16-powers", powers, pair(p.table(T, p.bf16(exact))), pair(p.table(T, exact)),
               "frequencies 1, 1/16, 1/256, 1/4096 are numbers of bf16", truth=[[], ["inv_freq_bf16"]])
    yield case("inv-freq-f16-powers", powers, {"inv_freq": p.f16(exact)}, {"inv_freq": exact}, "and of f16",
               truth=[[], ["inv_freq_f16"]])
    yield case("ggml-powers", powers, pair(p.ggml(T, 8, 65536)), pair(p.table(T, exact)),
               "ggml's chain has no rounding on them", truth=[[]])
    quick = p.default(8, 100)
    yield case("llama3-quick-pairs", "head_dim=8 rope_theta=100" + llama31(8), pair(p.table(T, quick)),
               pair(p.table(T, p.llama3(quick, 8))), "no wavelength reaches 2048: the absent scaling does nothing",
               truth=[[], ["scaling_absent"]])
    dynamic = ("head_dim=128 rope_theta=10000 max_position_embeddings=2048 sequence_length=1024 "
               "rope_scaling.rope_type=dynamic rope_scaling.factor=2")
    yield case("dynamic-short", dynamic, pair(p.table(T, INV)), pair(p.table(T, p.dynamic(128, 10000, 2, 1024, 2048))),
               "dynamic scaling begins beyond 2048 positions", truth=[[], ["scaling_absent"]])
    yield case("yarn-factor-1-squared", LLAMA2 + YARN4_1, pair(p.table(T, YARN, 1.0 * 1.0)), pair(p.table(T, YARN)),
               "the square of an attention factor of 1", truth=[[], ["attention_factor_squared"]])
    plain = phi3(1024)
    plain["rope_scaling"] = dict(plain["rope_scaling"], short_factor=[1.0] * 48, attention_factor=1.0)
    yield case("longrope-ones", plain, pair(p.table(T, p.default(96, 10000))),
               pair(p.table(T, p.longrope(96, 10000, [1.0] * 48))), "short factors of 1",
               truth=[[], ["scaling_absent"]])
    assert not np.array_equal(PHI_SHORT, p.default(96, 10000))


def few_pairs():
    one = p.default(2, 10000)
    right = pair(p.table(T, one))
    yield case("one-pair-base", ONE, pair(p.table(T, p.default(2, 500000))), right,
               "pair 0 has frequency 1 in every base", truth=[[], ["base"]])
    yield case("one-pair-columns", "model_type=cohere head_dim=2 rope_theta=10000",
               pair(p.table(T, one), columns=p.halves),
               pair(p.table(T, one), columns=p.neighbours), "halves and neighbours of one pair are the same",
               truth=[[], ["column_order"]])
    yield case("one-pair-width", ONE, {"inv_freq": p.default(2, 10000, divisor=64)}, {"inv_freq": one},
               "exponent 0, whatever divides it", truth=[[], ["rotary_width"]])
    yield case("one-pair-unscaled", ONE + LINEAR4, {"inv_freq": one}, {"inv_freq": one / p.F(4)},
               "1 for 1/4: without the scaling. No base changes it", differs=["scaling_absent"])
    yield case("one-pair-one-row", ONE, pair(p.table(np.array([6]), one)), pair(p.table(np.array([5]), one)),
               "an angle of 6 at position 5: one position ahead, or scaled by 6/5", differs=["position_offset"],
               details={"offset": 1}, positions="5:1")
    alias = np.arange(0, 710 * 32, 710)
    yield case("one-pair-710", ONE, pair(p.table(alias, one), "f16"), pair(p.table(alias, one), "f16"),
               "710 is 113 turns and 6e-5: frequencies that differ by 2 pi/710 are the same", positions="0:32:710",
               truth=[[]])
    two = p.yarn(4, 10000, 4, 4096)
    yarn = "head_dim=4 rope_theta=10000" + YARN4_1
    yield case("two-pairs-unscaled", yarn, {"inv_freq": p.default(4, 10000)}, {"inv_freq": two},
               "1 and 1/100: without the scaling, or YaRN of a lower base, or of factor 1", also=[["scaling_absent"]])
    yield case("two-pairs-ntk", yarn, {"inv_freq": p.ntk(4, 10000, 4)}, {"inv_freq": two},
               "1 and 1/400: NTK by the config's factor, or another base", also=[["scaling_other"]])
    yield case("two-pairs-base", "head_dim=4 rope_theta=10000", {"inv_freq": p.default(4, 1e6)},
               {"inv_freq": p.default(4, 10000)}, "1 and 1/1000: base 1e6; a scaling of the second alone fits as well",
               differs=["base"], details={"base": 1e6})


def constants():
    still = pair((np.ones((32, 64), p.F), np.zeros((32, 64), p.F)))
    yield case("constant", LLAMA2, still, pair(p.table(np.arange(32), INV)), "row 0, 32 times: a buffer of frequencies "
               "that was never filled, or positions that are all 0", differs=["frequencies_zero"])
    yield case("constant-no-config", "", still, pair(p.table(np.arange(32), INV)), "the same without a config",
               differs=["frequencies_zero"])
    yield case("one-far-row", LLAMA3, pair(p.table(np.array([100000]), INV)), pair(p.table(np.array([100000]), INV3)),
               "one row, at which each pair has its angle but for whole turns: base 10000 has all 64 of them",
               differs=["base"], details={"base": 10000}, positions="100000:1")


def cases():
    for make in (first_rows, same_numbers, few_pairs, constants):
        yield from make()
