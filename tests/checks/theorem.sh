#!/bin/sh
# SPDX-License-Identifier: MIT
#
# theorem.sh: the certificates of tests/theorem.txt, computed again by MPFR, and what pe has there.
# theorem.sh search [NAME...]: find them: every position 1 ... 2^31 of every pair of the tables, some 1 to
# 3 s a pair; prints what tests/theorem.txt keeps. See tests/tools/theorem.c.
set -u
. tests/tools/lib.sh
WORK=$BUILD/theorem
mkdir -p "$WORK"
have_library mpfr "$CC" || skip "libmpfr is missing: make deps"
cc=$CC flags="-O1"
if [ "${1:-}" = search ]; then # clang makes vectors of the search, gcc 12 does not
    have "$CLANG" && cc=$CLANG
    flags="-O3 -march=native -mprefer-vector-width=512"
fi
[ "$(uname -m)" = x86_64 ] || skip "the search wants x86-64's long double"
# shellcheck disable=SC2086
check "theorem.c compiles" "$cc" -std=c99 $flags -DPE_SLEEF=0 $EXTRA_CFLAGS -I. -o "$WORK/theorem" \
    tests/tools/theorem.c -lmpfr -lgmp -lm
[ "$failed" -eq 0 ] || exit 1
if [ "${1:-}" = search ]; then
    shift
    # shellcheck disable=SC2046
    [ $# -gt 0 ] || set -- $("$WORK/theorem" list)
    "$WORK/theorem" search "$@"
    exit
fi
check "the certificates of tests/theorem.txt" "$WORK/theorem" check tests/theorem.txt
cat "$WORK/log"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
