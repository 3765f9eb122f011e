#!/bin/sh
# SPDX-License-Identifier: MIT
#
# peers.sh: runs tests/checks/peers.py. The environment of test peers must have the pinned versions. posenc must agree
# with the functions of transformers about frequencies and attention factors, and with files that gguf's writer makes.
set -u
. tests/tools/lib.sh
WORK=$BUILD/peers-check
mkdir -p "$WORK"
environment peers
have_library json-c "$CC" || skip "json-c is missing: posenc cannot be built"
# shellcheck disable=SC2086
"$CC" -std=c99 -O1 $WARNINGS $EXTRA_CFLAGS -I. -DPE_SLEEF=0 tool/posenc.c -o "$WORK/posenc" -ljson-c -lm || exit 1
# With -P, `import gguf` finds the package and not tests/checks/gguf.py.
exec "$BUILD/peers/bin/python" -P tests/checks/peers.py "$WORK/posenc" tests/requirements/peers.txt "$WORK"
