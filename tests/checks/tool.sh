#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tool.sh: checks that posenc, the program of `make tool`, compiles without a warning. tests/checks/tool_c.py compiles
# the C that posenc writes, and tests/checks/tool_limits.c exceeds posenc's limits. Then tests/checks/tool.py compares
# what posenc reports for config.json files, and its tables, with formulas in 70 decimal digits.
set -u
. tests/tools/lib.sh
WORK=$BUILD/tool.check
mkdir -p "$WORK"
have_library json-c "$CC" || skip "the tool: json-c is missing"
have python3 || skip "the tool: python3 is missing"
# shellcheck disable=SC2086
"$CC" -std=c99 -O1 $WARNINGS $EXTRA_CFLAGS -I. -DPE_SLEEF=0 tool/posenc.c -o "$WORK/posenc" -ljson-c -lm || exit 1
# A list with a size of its own has NULL for a missing entry; TOOL_HAS_ALL() checks the others.
sized_lists() { ! grep -nE '(const|char|npy_type) [*a-z_ ]*\[([A-Z_]*(COUNT|TYPES)|[A-Z_]+ \+ 1)\] = \{' tool/*.h tool/*/*.h; }
check "no list of tool/ that an enum indexes has a size of its own" sized_lists
check "tool_c.py: --c gives the bits of posenc table" python3 tests/checks/tool_c.py "$WORK/posenc" "$WORK" "$CC" $WARNINGS
# shellcheck disable=SC2086
"$CC" -std=c99 -O1 $WARNINGS $EXTRA_CFLAGS -I. -DPE_SLEEF=0 tests/checks/tool_limits.c -o "$WORK/limits" -ljson-c -lm || exit 1
check "tool_limits.c: posenc without memory, with many notes and with a large file" "$WORK/limits" "$WORK/large.json"
[ $failed -eq 0 ] || exit 1
exec python3 tests/checks/tool.py "$WORK/posenc"
