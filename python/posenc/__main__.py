# SPDX-License-Identifier: MIT
"""Runs the program posenc (docs/tool.md): python -m posenc."""
import sys

from ._reader import main

sys.exit(main(sys.argv[1:]))
