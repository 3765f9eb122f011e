#!/bin/sh
# SPDX-License-Identifier: MIT
#
# bits.sh: checks that each count that bench/bits.c prints is on docs/when.md. The counts are those of glibc 2.36 on
# x86-64 with gcc, so the check is skipped elsewhere.
set -u
. tests/tools/lib.sh
WORK=$BUILD/bits
mkdir -p "$WORK"
case "$(uname -m) $(getconf GNU_LIBC_VERSION 2>/dev/null)" in
"x86_64 glibc 2.36") ;;
*) skip "this is not x86-64 with glibc 2.36, of which docs/when.md has the counts" ;;
esac
have "$GCC" || skip "gcc is missing"
check "bench/bits.c builds" "$GCC" -std=c99 -Ofast -DPE_SLEEF=0 -I. bench/bits.c -o "$WORK/bits" -lm
check "... and runs" "$WORK/bits"
sed -n 's/.* \([0-9][0-9]*\) of \([0-9]*\)$/\1 \2/p' "$WORK/log.before" >"$WORK/counts"
check "... with seven counts" test "$(wc -l <"$WORK/counts")" = 7
sed '/^## How often bits differ/,/^## When/!d; s/,//g' docs/when.md >"$WORK/page" || exit 1
while read -r count all; do
    check "docs/when.md: $count of $all" grep -q "| $count of $all |" "$WORK/page"
done <"$WORK/counts"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
