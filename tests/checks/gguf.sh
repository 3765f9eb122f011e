#!/bin/sh
# SPDX-License-Identifier: MIT
#
# gguf.sh: checks that the reader of GGUF files compiles without a warning, and runs tests/checks/gguf.py. It writes
# files as every architecture has them, and hostile ones, and compares what the reader makes of them with llama.cpp's
# rules. The reader runs with the sanitizers of addresses and undefined behaviour if clang has them.
set -u
. tests/tools/lib.sh
WORK=$BUILD/gguf
mkdir -p "$WORK"
have python3 || skip "the reader of GGUF files: python3 is missing"
# shellcheck disable=SC2086
"$CC" -std=c99 -O1 $WARNINGS $EXTRA_CFLAGS tests/checks/gguf.c -o "$WORK/gguf" -lm || exit 1
program=$WORK/gguf
# shellcheck disable=SC2086
if have "$CLANG" && $CLANG -std=c99 -g1 -O1 $WARNINGS -fsanitize=address,undefined -fno-sanitize-recover=all \
    tests/checks/gguf.c -o "$WORK/gguf.asan" -lm 2>"$WORK/asan.log"; then
    program=$WORK/gguf.asan
else
    echo "SKIP: $CLANG's sanitizers are missing"
fi
posenc=
if have_library json-c "$CC"; then
    # shellcheck disable=SC2086
    "$CC" -std=c99 -O1 $WARNINGS $EXTRA_CFLAGS -I. -DPE_SLEEF=0 tool/posenc.c -o "$WORK/posenc" -ljson-c -lm || exit 1
    posenc=$WORK/posenc
else
    echo "SKIP: posenc on GGUF files: json-c is missing"
fi
# shellcheck disable=SC2086
exec python3 tests/checks/gguf.py "$program" $posenc
