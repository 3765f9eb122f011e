#!/bin/sh
# SPDX-License-Identifier: MIT
#
# contract.sh: checks that what 0.3 and 0.4 changed has the names, types and orders of arguments in contract.c. The
# program must compile without a warning as C99 and C++11, and succeed.
# shellcheck disable=SC2086
set -u
. tests/tools/lib.sh
WORK=$BUILD/contract
mkdir -p "$WORK"
for build in "$CC -std=c99" "$CXX -std=c++11 -x c++"; do
    check "it compiles: $build" $build $WARNINGS -O1 $EXTRA_CFLAGS -I. tests/checks/contract.c -o "$WORK/program" -lm
    check "it is met: $build" "$WORK/program"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
