#!/bin/sh
# SPDX-License-Identifier: MIT
#
# cost.sh: what including pe.h adds to the compile time of a C file, over the intrinsics and
# sleef.h that it includes. A figure, not a test: machines differ, and it counts as none.
set -u
. tests/tools/lib.sh
WORK=$BUILD/cost
mkdir -p "$WORK"
runs=5
echo '#include "pe.h"' >"$WORK/pe.c"
{
    grep -h -o '^ *# *include *<[^>]*>' pe.h pe_simd.h | sed 's/^ *# *include *<\(.*\)>/\1/' | sort -u |
        while read -r header; do
            printf '#if __has_include(<%s>)\n#include <%s>\n#endif\n' "$header" "$header"
        done
} >"$WORK/base.c"

flags="$(isa_flags "$(best_isa)")"
if [ "$SLEEF" != 0 ] && have_library sleef "$GCC"; then sleef=1; else sleef=0; fi
[ $sleef = 1 ] || { grep -v sleef "$WORK/base.c" >"$WORK/base2.c" && mv "$WORK/base2.c" "$WORK/base.c"; }

milliseconds() { # FILE
    start=$(date +%s%N)
    i=0
    while [ $i -lt $runs ]; do
        # shellcheck disable=SC2086
        "$GCC" -std=c99 -O2 $flags $EXTRA_CFLAGS -DPE_SLEEF=$sleef -I. -c -o "$WORK/o.o" "$1" || exit 1
        i=$((i + 1))
    done
    echo $((($(date +%s%N) - start) / runs / 1000000))
}
case $(date +%N) in *N*) skip "date has no nanoseconds here" ;; esac
have "$GCC" || skip "$GCC is missing"
pe=$(milliseconds "$WORK/pe.c") || exit 1
base=$(milliseconds "$WORK/base.c") || exit 1
echo "INFO: $((pe - base)) ms to include pe.h, over $base ms for what it includes ($GCC -O2, $(best_isa))"
echo "0 passed, 0 failed"
