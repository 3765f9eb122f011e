# SPDX-License-Identifier: MIT
"""model_records.py: makes all records in tests/models/ from transformers, in one process, which imports it only once.

    build/peers/bin/python generate/model_records.py

The order matters, because model_truth.py reads what model_facts.py writes. The exit status is 1 if a word by hand cites
code that the library does not have.
"""
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import model_facts  # noqa: E402
import model_library as library  # noqa: E402
import model_tree  # noqa: E402
import model_truth  # noqa: E402


def main():
    start = time.time()
    model_facts.measure_all(library.model_types())
    model_truth.write(model_facts.JOBS)
    records = model_tree.records_of_library()
    print(f"transformers {library.transformers.__version__}: {time.time() - start:.0f} s")
    model_tree.write(records)


if __name__ == "__main__":
    main()
