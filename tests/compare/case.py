# SPDX-License-Identifier: MIT
"""Defines Case: a test array for `posenc compare`, and the answers about it that are true."""
import json
import os

import numpy as np

from formulas import bf16_stored, widened

KINDS = ("defect", "two", "several", "right", "nothing", "short")
WIDTHS = {"f": 2.0 ** -24, "e": 2.0 ** -11, "V": 2.0 ** -8, "d": 2.0 ** -53, "F": 2.0 ** -24}
DETAILS = {"base": ["base"], "position_offset": ["offset"], "rotary_width": ["rotary_dim"],
           "positions_clamped": ["limit"], "positions_wrapped": ["limit"]}


def stored(x, kind):
    return {"f32": lambda: x.astype("f4"), "f16": lambda: x.astype("f2"), "f64": lambda: x.astype("f8"),
            "bf16": lambda: bf16_stored(x)}[kind]()


def pair(table, kind="f32", columns=lambda x: x, lead=0):
    """Returns the arrays for --cos and --sin. `lead` is the number of dimensions of size 1 before the others."""
    files = {}
    for name, x in zip(("cos", "sin"), table):
        x = stored(columns(x), kind)
        files[name] = x.reshape((1,) * lead + x.shape)
    return files


def joined(table, kind="f32"):
    """Returns the array for --table with the columns of vllm's cos_sin_cache: cosines, then sines."""
    return {"table": stored(np.concatenate(table, 1), kind)}


def name_byte_order(path):
    """Replaces the type |V2, which numpy writes, by <V2, which files of ml_dtypes' arrays have."""
    with open(path, "r+b") as file:
        head = file.read(128)
        assert b"'|V2'" in head
        file.seek(0)
        file.write(head.replace(b"'|V2'", b"'<V2'"))


class Case:
    """Describes an array and the answers of `posenc compare` that are right.

    files       the arrays of the project's code, by the name of their flag
    right       the arrays that it should have given, or None if no array would be right
    differs     the names of the differences, which the answer must list
    also        other lists of names that are as true and as useful
    weak        lists that are true of the numbers but of little use, since they name a fitted number in place of the
                mistake; such an answer counts as neither false nor found
    truth       all lists that are true, for arrays that are too short to tell; by default those of differs and also
    same        other names for the same numbers, which the answer must list
    arithmetic  the names of an arithmetic that are true, for right arrays
    details     numbers that the answer must contain, with the relative error `error`
    why         the reason why these answers are right
    """

    def __init__(self, kind, name, config, files, right, why, differs=None, also=(), weak=(), arithmetic=None,
                 details=None, error=1e-3, positions=None, truth=(), same=()):
        self.kind, self.name, self.config, self.files, self.right = kind, name, config, files, right
        self.why, self.details, self.error, self.positions = why, details or {}, error, positions
        self.differs = differs
        self.accept = [sorted(d) for d in ([] if differs is None else [differs]) + list(also)]
        self.weak = [sorted(d) for d in weak]
        self.truth = [sorted(d) for d in truth] or list(self.accept)
        self.arithmetic = arithmetic
        self.part = None # of --part
        self.same = [sorted(d) for d in same] # other names for the same numbers, which must be listed
        self.check()

    def distance(self):
        """Returns the largest difference between the array and the right one, in units of the type's rounding error.

        It is infinite if their shapes differ."""
        worst = 0.0
        for key, x in self.files.items():
            x, y = np.asarray(x), np.asarray(self.right[key])
            unit = WIDTHS[y.dtype.char if y.dtype.kind != "V" else "V"]
            if x.shape != y.shape:
                return np.inf
            worst = max(worst, float(np.max(np.abs(widened(x) - widened(y)))) / unit)
        return worst

    def check(self):
        """Fails unless the data support the expectation. For example, an array with a defect must differ from
        `right`."""
        assert self.kind in KINDS, self.name
        if self.kind in ("defect", "two", "several"):
            assert self.right is not None and self.distance() > 64 or self.sparse(), f"{self.name}: no difference"
            assert len(self.differs) == {"defect": 1, "two": 2, "several": len(self.differs)}[self.kind], self.name
            needed = {key for d in self.differs for key in DETAILS.get(d, ())}
            assert needed <= set(self.details), f"{self.name}: details {needed}"
        if self.kind == "short" and self.right is not None and self.distance() <= 4:
            if [] not in self.accept: # an array that equals the right one may be called right, whatever made it
                self.accept.append([])
        elif self.kind == "short" and self.right is not None:
            assert [] not in self.accept, f"{self.name}: visible, and yet right"
        if self.kind == "right":
            assert self.accept and self.accept[0] == [], self.name
        if self.kind == "nothing":
            assert not self.accept, self.name

    def sparse(self):
        """Returns whether any element differs. That suffices for 16-bit tables in their own type and for lists of
        frequencies, whose differences are relative, so that distance() may be small."""
        return any(not np.array_equal(widened(self.files[k]), widened(self.right[k])) for k in self.files)

    def write(self, folder):
        config = self.config
        if isinstance(config, dict):
            with open(os.path.join(folder, self.name + ".json"), "w", encoding="utf-8") as file:
                json.dump(config, file, indent=1)
            config = self.name + ".json"
        arguments = config.split() + (["--part", self.part] if self.part else [])
        for key, x in sorted(self.files.items()):
            file = f"{self.name}.{key}.npy"
            np.save(os.path.join(folder, file), x)
            if x.dtype.kind == "V" and key == "table":
                name_byte_order(os.path.join(folder, file))
            arguments += ["--" + key.replace("_", "-"), file]
        if isinstance(self.positions, str):
            arguments += ["--positions", self.positions]
        elif self.positions is not None:
            np.save(os.path.join(folder, self.name + ".positions.npy"), self.positions)
            arguments += ["--positions", self.name + ".positions.npy"]
        return {"name": self.name, "kind": self.kind, "argv": arguments, "expected": self.differs,
                "accept": self.accept, "weak": self.weak, "truth": self.truth, "details": self.details,
                "error": self.error, "arithmetic": self.arithmetic, "same": self.same, "why": self.why}
