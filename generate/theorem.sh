#!/bin/sh
# SPDX-License-Identifier: MIT
#
# theorem.sh: writes tests/theorem.txt. generate/theorem.c examines every position 1 ... 2^31 of every pair of the
# tables. This takes 1 to 3 s per pair, about half an hour in all. `tests/run certificates` checks the file in seconds.
#
# theorem.sh NAME...: prints the lines of these tables and writes no file. The names are those in the first column.
set -eu
cd "$(dirname "$0")/.."
. tests/tools/lib.sh
WORK=$BUILD/theorem
mkdir -p "$WORK"
[ "$(uname -m)" = x86_64 ] || { echo "theorem.sh needs the long double of x86-64" >&2 && exit 1; }
# clang vectorises the search; gcc 12 does not.
cc=$CC
! have "$CLANG" || cc=$CLANG
# shellcheck disable=SC2086
"$cc" -std=c99 -O3 -march=native -mprefer-vector-width=512 -DPE_SLEEF=0 $EXTRA_CFLAGS -I. -o "$WORK/search" \
    generate/theorem.c -lmpfr -lgmp -lm
if [ $# -gt 0 ]; then
    "$WORK/search" search "$@"
    exit
fi
{
    sed -n '/^#/p' tests/theorem.txt
    # shellcheck disable=SC2046
    "$WORK/search" search $("$WORK/search" list)
} >"$WORK/theorem.txt"
mv "$WORK/theorem.txt" tests/theorem.txt
