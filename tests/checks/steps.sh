#!/bin/sh
# SPDX-License-Identifier: MIT
#
# steps.sh: the machinery of the steps. What a step leaves out is counted, whether the step counts it or not, and
# fails under STRICT=1; flags of compilers are no flags of make; a build directory that cannot be written is named.
set -u
. tests/tools/lib.sh
WORK=$BUILD/steps
rm -rf "$WORK"
mkdir -p "$WORK"
unset MAKEFLAGS MAKELEVEL

# step STRICT COMMAND: what step.sh says of it, and "passed failed skipped"
step() { PE_STEPS='' PE_LOGS=$WORK/logs STRICT=$1 sh tests/tools/step.sh shrinks sh -c "$2" && cut -d' ' -f1-3 "$WORK/logs/shrinks.count"; }
shrinks='echo "SKIP: half of it"; echo "1 passed, 0 failed"'
counts() { step "$1" "$2" | grep -x "$3"; }
check "a step that runs" counts 0 'echo "2 passed, 0 failed"' "2 0 0"
check "one that leaves out a part" counts 0 "$shrinks" "1 0 1"
check "... fails under STRICT=1" not step 1 "$shrinks"
check "one that skips itself" counts 0 'echo "SKIP: all of it"; exit 77' "0 0 1"
check "... fails under STRICT=1" not step 1 'echo "SKIP: all of it"; exit 77'

# With a compiler that is not there, a script says so instead of doing less.
missing() { # SCRIPT VARIABLES...
    script=$1
    shift
    env STRICT=0 BUILD="$WORK/missing" "$@" sh "$script" >"$WORK/missing.log" 2>&1
    grep '^SKIP: .*\(none-such\|missing\)' "$WORK/missing.log"
}
check "unfused.sh without clang" missing tests/checks/unfused.sh CLANG=none-such GCC=none-such
check "cpus.sh without compilers" missing tests/checks/cpus.sh CLANG=none-such GCC=none-such MATRIX_COMPILERS=none-such \
    ARM64_GCC=none-such

parallel() { tests/run -s print-PARALLEL "$@" | grep -qx -e "-j[0-9]*"; }
check "make runs steps side by side" parallel
check "... whatever CFLAGS are" parallel "CFLAGS=-O2 -fno-jump-tables"
check "... unless -j says how many" not parallel -j3
table() { sh generate/proofs.sh "$WORK/PROOFS.md" && diff tests/PROOFS.md "$WORK/PROOFS.md"; }
check "tests/PROOFS.md is current: \`sh generate/proofs.sh\`" table
# What the pages, comments and messages name in `code` is there.
commands() {
    git ls-files 2>/dev/null | grep -vE '^CHANGELOG.md|^tests/fuzz/corpus|^tests/golden.txt' | xargs grep -ohE '`(make|tests/run)( [a-z_][a-z_-]*)+' |
        sort -u >"$WORK/commands"
    [ "$(wc -l <"$WORK/commands")" -gt 30 ] || [ ! -e .git ] || { echo "hardly a command" && return 1; }
    sed -n 's/`make //p' "$WORK/commands" | tr ' ' '\n' | sort -u | while read -r name; do
        grep -qE "^([a-z-]+ )*$name( [a-z-]+)*:|^EXAMPLES .* $name( |\$)" Makefile bench/bench.mk || echo "make has no $name"
    done >"$WORK/none"
    sed -n 's,`tests/run ,,p' "$WORK/commands" | tr ' ' '\n' | sed 's/^check-//' | sort -u | while read -r name; do
        grep -q "^$name | " tests/steps.txt || grep -qE "^([a-z-]+ )*$name( [a-z-]+)*:" tests/steps.mk || echo "tests/run has no $name"
    done >>"$WORK/none"
    not grep . "$WORK/none"
}
check "commands that the tree names" commands
check "tests/run lists itself" sh -c 'tests/run | grep -q "^  workflows .* pe.h\|^  exact "'
check "... and refuses what is not there" not tests/run none-such
unwritable() { ! BUILD=/dev/null/build sh tests/tools/step.sh x true >"$WORK/said" 2>&1 && grep BUILD= "$WORK/said"; }
check "a directory that cannot be written" unwritable
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
