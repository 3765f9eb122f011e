# SPDX-License-Identifier: MIT
"""python -m posenc: the program posenc (docs/tool.md)."""
import sys

from ._reader import main

sys.exit(main(sys.argv[1:]))
