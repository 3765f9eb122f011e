#!/bin/sh
# SPDX-License-Identifier: MIT
#
# certificates.sh: computes the certificates of tests/theorem.txt again with MPFR, and compares pe's elements at the
# positions that the file names. The command `sh generate/theorem.sh` writes the file. generate/theorem.c explains it.
set -u
. tests/tools/lib.sh
WORK=$BUILD/certificates
mkdir -p "$WORK"
have_library mpfr "$CC" || skip "libmpfr is missing: make deps"
[ "$(uname -m)" = x86_64 ] || skip "the certificates need the long double of x86-64"
# shellcheck disable=SC2086
check "generate/theorem.c compiles" "$CC" -std=c99 -O1 -DPE_SLEEF=0 $EXTRA_CFLAGS -I. -o "$WORK/theorem" \
    generate/theorem.c -lmpfr -lgmp -lm
[ "$failed" -eq 0 ] || exit 1
check "the certificates of tests/theorem.txt" "$WORK/theorem" check tests/theorem.txt
cat "$WORK/log"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
