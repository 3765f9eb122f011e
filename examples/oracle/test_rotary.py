# SPDX-License-Identifier: MIT
"""A rotary class of Hugging Face's signature, compared with exact cosines and sines, at positions to 2^24.

    posenc table config.json oracle/llama3.json      makes the numbers; so do the files of a release
    ORACLE=oracle pytest test_rotary.py

Put your class into rotary(): forward(x, position_ids) returns cos and sin, [batch, tokens, rotary_dim], each pair's
number twice. DEFECT=base and DEFECT=bf16 are mistakes that this test finds. It needs numpy, and no posenc.
"""
import glob
import json
import os

import numpy as np

FILES = sorted(glob.glob(os.path.join(os.environ.get("ORACLE", "oracle"), "*.json")))
FILES = [name for name in FILES if not name.endswith("layout.json")]  # a release has these beside its oracles
DEFECT = os.environ.get("DEFECT", "")


class Rotary:
    """As such classes compute: frequencies, positions and angles in float32."""

    def __init__(self, expected):
        self.inv_freq = np.array(expected["frequencies"], np.float32)
        self.scaling = np.float32(expected["attention_factor"])
        if DEFECT == "base":
            self.inv_freq = self.inv_freq ** np.float32(1.001)
        if DEFECT == "bf16":  # model.bfloat16() has rounded the buffer
            bits = self.inv_freq.view(np.uint32).astype(np.uint64)
            self.inv_freq = ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)

    def forward(self, x, position_ids):
        angles = position_ids.astype(np.float32)[..., None] * self.inv_freq
        twice = np.concatenate([angles, angles], -1)
        return np.cos(twice) * self.scaling, np.sin(twice) * self.scaling


def rotary(expected):
    """The class that is tested, for these settings. With transformers installed:
    LlamaRotaryEmbedding(LlamaConfig(...)).forward, and torch.tensor around position_ids."""
    return Rotary(expected)


def check(path):
    with open(path, encoding="utf-8") as file:
        expected = json.load(file)
    positions = np.array(expected["positions"])
    found = rotary(expected).forward(np.zeros((1, 1), np.float32), positions.astype(np.int64)[None])
    factor = expected["attention_factor"]
    # frequency, position and product are each rounded to float32: three roundings of 2^-24 in the angle. 2e-7 is for
    # the cosine itself and its product with the factor.
    angles = np.abs(np.outer(positions, expected["frequencies"]))
    allowed = (angles * 3 * 2.0**-24 + 2e-7) * factor
    for name, numbers in zip(("cos", "sin"), found):
        numbers = np.asarray(numbers, np.float64)[0]
        pairs = angles.shape[1]
        halves = expected["pairs"] == "halves" or np.array_equal(numbers[:, :pairs], numbers[:, pairs:])
        once = numbers[:, :pairs] if halves else numbers[:, ::2]
        errors = np.abs(once - np.array(expected[name])) / allowed
        row, pair = np.unravel_index(errors.argmax(), errors.shape)
        assert errors.max() <= 1, (f"{path}: {name} at position {positions[row]:.0f}, pair {pair}: "
                                   f"{once[row, pair]} for {expected[name][row][pair]}")


def test_rotary():
    assert FILES, "no files: set ORACLE"
    for path in FILES:
        check(path)


if __name__ == "__main__":
    test_rotary()
    print(f"ok: {len(FILES)} files")
