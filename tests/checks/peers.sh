#!/bin/sh
# SPDX-License-Identifier: MIT
#
# peers.sh: the environment of test peers has the pinned versions, and posenc agrees with two of them: with the
# frequencies and attention factors of transformers' own functions, and with files that gguf's own writer makes. See
# tests/checks/peers.py.
set -u
. tests/tools/lib.sh
WORK=$BUILD/peers-check
mkdir -p "$WORK"
environment peers
have_library json-c "$CC" || skip "json-c is missing: posenc cannot be built"
# shellcheck disable=SC2086
"$CC" -std=c99 -O1 $WARNINGS $EXTRA_CFLAGS -I. -DPE_SLEEF=0 tool/posenc.c -o "$WORK/posenc" -ljson-c -lm || exit 1
# -P: tests/checks/gguf.py is not the package gguf
exec "$BUILD/peers/bin/python" -P tests/checks/peers.py "$WORK/posenc" tests/requirements/peers.txt "$WORK"
