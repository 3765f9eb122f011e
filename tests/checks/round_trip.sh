#!/bin/sh
# SPDX-License-Identifier: MIT
#
# round_trip.sh: checks that `posenc compare` reports the tables of every part of every model type as right, in each
# layout. A part is a set of layers that share one positional encoding. The program tests/checks/round_trip.c makes and
# compares the tables, with the sanitizers of addresses and undefined behaviour if clang has them. With EVERY=1 it
# compares each layout in each arithmetic.
set -u
. tests/tools/lib.sh
WORK=$BUILD/round_trip
mkdir -p "$WORK"
# shellcheck disable=SC2086
"$CC" -std=c99 -O1 $WARNINGS -Wno-unused-function $EXTRA_CFLAGS -I. -DPE_SLEEF=0 tests/checks/round_trip.c -o "$WORK/round_trip" -lm || exit 1
program=$WORK/round_trip
# shellcheck disable=SC2086
if have "$CLANG" && $CLANG -std=c99 -g1 -O1 $WARNINGS -Wno-unused-function -fsanitize=address,undefined -fno-sanitize-recover=all -I. \
    -DPE_SLEEF=0 tests/checks/round_trip.c -o "$WORK/round_trip.asan" -lm 2>"$WORK/asan.log"; then
    program=$WORK/round_trip.asan
else
    echo "SKIP: $CLANG's sanitizers are missing"
fi
if [ "${EVERY:-}" = 1 ]; then exec "$program" every; fi
exec "$program"
