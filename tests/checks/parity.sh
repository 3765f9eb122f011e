#!/bin/sh
# SPDX-License-Identifier: MIT
#
# parity.sh: runs tests/checks/models.py, which compares every row of docs/models.md with the formula of the model's own
# code. It also runs tests/checks/parity.py, which runs float32 code of numpy and torch with pe's tables.
set -u
. tests/tools/lib.sh
WORK=$BUILD/parity
mkdir -p "$WORK"
for program in parity models; do
    # shellcheck disable=SC2086
    "$CC" -std=c99 -O1 $WARNINGS -I. -DPE_SLEEF=0 tests/checks/$program.c -o "$WORK/$program" -lm || exit 1
done
python=python3
for candidate in "$BUILD/peers/bin/python" python3 /usr/bin/python3; do # the environment of test peers has torch
    "$candidate" -c 'import numpy' 2>/dev/null && python=$candidate && break
done
have "$python" || {
    echo "SKIP: models and float32 code in numpy: python3 is missing"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}
{
    "$python" tests/checks/parity.py "$WORK/parity" || echo "FAIL parity.py: status $?"
    "$python" tests/checks/models.py "$WORK/models" || echo "FAIL models.py: status $?"
} | awk '
    /^[0-9]+ passed, [0-9]+ failed/ { passed += $1; failed += $3; skipped += $5; next }
    /^FAIL .*: status/ { failed += failed == 0 }
    { print }
    END { print passed + 0 " passed, " failed + 0 " failed, " skipped + 0 " skipped"; exit failed > 0 }'
