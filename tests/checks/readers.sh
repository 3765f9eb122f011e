#!/bin/sh
# SPDX-License-Identifier: MIT
#
# readers.sh: checks that transformers 4 reads rope_parameters as `posenc show` says. It runs tests/checks/readers.py in
# the environment build/readers, because the environment of test peers has transformers 5.
set -u
. tests/tools/lib.sh
WORK=$BUILD/readers-check
mkdir -p "$WORK"
sh tests/tools/environment.sh readers || skip "transformers 4: build/readers is missing"
environment readers
have_library json-c "$CC" || skip "json-c is missing: posenc cannot be built"
# shellcheck disable=SC2086
"$CC" -std=c99 -O1 $WARNINGS $EXTRA_CFLAGS -I. -DPE_SLEEF=0 tool/posenc.c -o "$WORK/posenc" -ljson-c -lm || exit 1
exec "$BUILD/readers/bin/python" -P tests/checks/readers.py "$WORK/posenc"
