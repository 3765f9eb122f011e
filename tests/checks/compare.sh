#!/bin/sh
# SPDX-License-Identifier: MIT
#
# compare.sh: tests `posenc compare` on the arrays of tests/compare. tests/tools/compare_arrays.py writes the arrays,
# and tests/tools/compare_check.py counts the answers that are right, false and missed. Before that,
# tests/compare/pretend.py makes sure that compare_check.py reports programs that give wrong answers. More cases are in
# tests/tools/compare_cases.py. The program posenc runs with the sanitizers of addresses and undefined behaviour if
# clang has them.
set -u
. tests/tools/lib.sh
WORK=$BUILD/compare
mkdir -p "$WORK"
have_library json-c "$CC" || skip "the tool: json-c is missing"
python=
for candidate in python3 /usr/bin/python3; do
    ! "$candidate" -c 'import numpy' 2>/dev/null || python=${python:-$candidate}
done
[ -n "$python" ] || skip "the arrays: numpy is missing"
# shellcheck disable=SC2086
"$CC" -std=c99 -O2 $WARNINGS $EXTRA_CFLAGS -I. -DPE_SLEEF=0 tool/posenc.c -o "$WORK/posenc" -ljson-c -lm || exit 1
program=$WORK/posenc
# shellcheck disable=SC2086
if have "$CLANG" && $CLANG -std=c99 -g1 -O1 $WARNINGS -fsanitize=address,undefined -fno-sanitize-recover=all -I. \
    -DPE_SLEEF=0 tool/posenc.c -o "$WORK/posenc.asan" -ljson-c -lm 2>"$WORK/asan.log"; then
    program=$WORK/posenc.asan
else
    echo "SKIP: $CLANG's sanitizers are missing"
fi
"$python" tests/tools/compare_arrays.py "$WORK/arrays" || exit 1
check "compare_check.py fails programs that err" "$python" tests/compare/pretend.py "$WORK/arrays"
check "compare_cases.py: an array for each name, files that are no arrays" "$python" tests/tools/compare_cases.py \
    "$program" "$WORK"
[ $failed -eq 0 ] || exit 1
"$python" tests/tools/compare_check.py "$WORK/posenc" "$WORK/arrays"
status=$?
[ $status -ne 0 ] || rm -rf "$WORK/arrays" # 120 MB; kept to look at after a failure
exit $status
