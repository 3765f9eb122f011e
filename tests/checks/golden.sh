#!/bin/sh
# SPDX-License-Identifier: MIT
#
# golden.sh: checks that the bits of all results are those of tests/golden.txt. The file has one line for each section
# of tests/unit/hash.c: its name, its number of elements, and the hash of all their bits. The bits are the same on every
# machine. A commit that changes a bit on purpose shows it as a difference of that file.
#
#   golden.sh              builds tests/unit/hash.c for the best ISA of this CPU, runs it, and compares
#   golden.sh check FILE   compares what a build has printed
#   golden.sh write        builds, runs, and writes tests/golden.txt. The commit must say why the difference is right.
#
# tests/tools/matrix.sh compares its golden build in the same way, before it compares all others with that build.
set -u
. tests/tools/lib.sh
GOLDEN=tests/golden.txt
WORK=$BUILD/golden

hashes() {
    mkdir -p "$WORK"
    cc=
    for candidate in "$GCC" "$CLANG" "$CC"; do
        have "$candidate" && cc=$candidate && break
    done
    [ -n "$cc" ] || skip "there is no compiler"
    # shellcheck disable=SC2046,SC2086
    "$cc" -std=c99 -O2 $(isa_flags "$(best_isa)") -DPE_SLEEF=0 $EXTRA_CFLAGS -I. -o "$WORK/hash" \
        tests/unit/hash.c -lm && "$WORK/hash" >"$WORK/now"
}

# check FILE: compares both files as a whole, so that a section that one of them lacks is a difference.
check() {
    grep -v '^#' "$1" >"$1.sections"
    [ -s "$1.sections" ] || { echo "there are no hashes in $1" && return 1; }
    if ! grep -v '^#' "$GOLDEN" | diff - "$1.sections" >"$1.diff"; then
        echo "not the bits of $GOLDEN ('<' is the file, '>' this build):"
        cat "$1.diff"
        echo "If that is meant: tests/run golden-write, and say in the commit which bits changed and why."
        return 1
    fi
    echo "the bits of $GOLDEN: $(wc -l <"$1.sections" | tr -d ' ') sections"
}

case ${1:-run} in
check) check "$2" ;;
run)
    hashes || exit
    check "$WORK/now" || exit 1
    echo "$(wc -l <"$WORK/now.sections" | tr -d ' ') passed, 0 failed"
    ;;
write)
    hashes || exit
    {
        echo "# Section of tests/unit/hash.c, elements, hash of their bits. Made from pe.h by tests/run golden-write."
        grep -v '^#' "$WORK/now"
    } >"$GOLDEN.$$" && mv "$GOLDEN.$$" "$GOLDEN"
    echo "INFO: $GOLDEN is written; git diff shows what changed"
    ;;
*)
    echo "golden.sh [check FILE|write], not '$1'"
    exit 2
    ;;
esac
