#!/bin/sh
# SPDX-License-Identifier: MIT
#
# mca.sh: checks that `make mca` finds its loops. Each function that bench/mca.py names must have a loop with as many
# products as it says. Without llvm-mca, the loops are found but not analysed. Without gcc for AArch64, those of NEON
# are skipped.
set -u
. tests/tools/lib.sh
WORK=$BUILD/mca.check
mkdir -p "$WORK"
command -v python3 >/dev/null || skip "python3 is missing"
check "the hot loops are found" python3 bench/mca.py --loops
grep '^ok\|^SKIP' "$WORK/log.before" 2>/dev/null
echo "$passed passed, $failed failed, $(grep -c '^SKIP' "$WORK/log.before") skipped"
[ $failed -eq 0 ]
