#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare_arrays.py [FOLDER]: writes the test arrays of `posenc compare` into FOLDER, by default build/compare.

The file manifest.json there has an object for each array. The object has the array's name and kind, the arguments
after the word compare, the answers that are true, and why. Files among the arguments are in the folder. The arrays are
made by tests/compare/, with formulas of other projects and changes to them. Each formula names its file and commit.
Nothing here uses the program that it tests.
"""
import collections
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "compare"))


def main():
    import numpy # imported only here, because compare.sh reports it if numpy is missing
    import defects
    import plain
    import reported
    import scalings
    import short
    folder = sys.argv[1] if len(sys.argv) > 1 else "build/compare"
    os.makedirs(folder, exist_ok=True)
    manifest = []
    with numpy.errstate(all="ignore"):
        for part in (defects, scalings, reported, plain, short):
            manifest += [case.write(folder) for case in part.cases()]
    names = [entry["name"] for entry in manifest]
    assert len(names) == len(set(names)), [n for n in names if names.count(n) > 1]
    with open(os.path.join(folder, "manifest.json"), "w", encoding="utf-8") as file:
        json.dump(manifest, file, indent=1)
        file.write("\n")
    kinds = collections.Counter(entry["kind"] for entry in manifest)
    print(f"{folder}: {len(manifest)} arrays,", ", ".join(f"{kinds[k]} {k}" for k in kinds))


if __name__ == "__main__":
    main()
