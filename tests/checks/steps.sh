#!/bin/sh
# SPDX-License-Identifier: MIT
#
# steps.sh: tests the scripts that run the steps. Whatever a step leaves out is counted, even if the step does not count
# it, and fails under STRICT=1. Flags for compilers are not taken as flags of make. If the build directory cannot be
# written, the message names it. Each line of tests/steps.txt names an existing file. Each check, unit program and
# harness has a line with the right name.
set -u
. tests/tools/lib.sh
WORK=$BUILD/steps
rm -rf "$WORK"
mkdir -p "$WORK"
unset MAKEFLAGS MAKELEVEL

# step STRICT COMMAND: prints what step.sh says about the command, and then "passed failed skipped".
step() { PE_STEPS='' PE_LOGS=$WORK/logs STRICT=$1 sh tests/tools/step.sh shrinks sh -c "$2" && cut -d' ' -f1-3 "$WORK/logs/shrinks.count"; }
shrinks='echo "SKIP: half of it"; echo "1 passed, 0 failed"'
counts() { step "$1" "$2" | grep -x "$3"; }
check "a step that runs" counts 0 'echo "2 passed, 0 failed"' "2 0 0"
check "one that leaves out a part" counts 0 "$shrinks" "1 0 1"
check "... fails under STRICT=1" not step 1 "$shrinks"
check "one that skips itself" counts 0 'echo "SKIP: all of it"; exit 77' "0 0 1"
check "... fails under STRICT=1" not step 1 'echo "SKIP: all of it"; exit 77'

# missing SCRIPT VARIABLES...: succeeds if the script reports a SKIP for a compiler that does not exist, instead of
# silently doing less.
missing() { # SCRIPT VARIABLES...
    script=$1
    shift
    env STRICT=0 BUILD="$WORK/missing" "$@" sh "$script" >"$WORK/missing.log" 2>&1
    grep '^SKIP: .*\(none-such\|missing\)' "$WORK/missing.log"
}
check "unfused.sh without clang" missing tests/checks/unfused.sh CLANG=none-such GCC=none-such
check "cpus.sh without compilers" missing tests/checks/cpus.sh CLANG=none-such GCC=none-such MATRIX_COMPILERS=none-such \
    ARM64_GCC=none-such
check "peers.sh without its environment" missing tests/checks/peers.sh

parallel() { tests/run -s print-PARALLEL "$@" | grep -qx -e "-j[0-9]*"; }
check "make runs steps side by side" parallel
check "... whatever CFLAGS are" parallel "CFLAGS=-O2 -fno-jump-tables"
check "... unless -j says how many" not parallel -j3
# Prints each mistake in the lines of a list of steps: in the number of fields, the words, the name or the file.
wrong_lines() { # FILE
    awk -F ' [|] ' '
        /^#/ || /^==/ || /^$/ { next }
        NF != 5 { print "not five fields: " $0; next }
        {
            kinds = 0
            words = split($2, word, " ")
            for (i = 1; i <= words; i++) {
                if (word[i] ~ /^(test|check|hand)$/) kinds++
                else if (word[i] !~ /^(peers|format|packaging|inlined|operations)$/) print $1 ": there is no word " word[i]
            }
            if (!kinds) print $1 ": neither test nor check nor hand"
            if (seen[$1]++) print $1 ": two lines"
            parts = split($4, part, " ")
            name = part[1]
            harness = name ~ /^fuzz\/.*[.]c$/
            sub(/^unit\/[a-z]*\/test_/, "", name)
            sub(/\/run[.]sh$/, "", name)
            sub(/.*\//, "", name)
            sub(/[.][a-z]*$/, "", name)
            if (harness) name = "fuzz-replay-" name
            for (i = 2; i <= parts; i++) name = name "-" part[i]
            if ($4 !~ /\/$/ && name != $1) print $1 ": the name of " $4 " is " name
        }' "$1"
    sed -n 's/^[^#=][^|]* | [^|]* | [^|]* | \([^ ]*\).*/\1/p' "$1" | while read -r file; do
        [ -e "tests/$file" ] || echo "there is no tests/$file"
    done
}
# Prints the checks, unit programs and harnesses that a list of steps leaves out.
files_without_line() { # FILE
    for file in tests/checks/*.sh tests/unit/*/test_*.c tests/unit/*/test_*.cpp $(grep -l '^int LLVMFuzzerTestOneInput(.*)$' tests/fuzz/*.c); do
        grep -q " | ${file#tests/}[ ]" "$1" || echo "tests/steps.txt has no line for $file"
    done
}
# Prints the steps without a rule of make. Steps in tools/ and groups of steps need their own rule in steps.mk.
steps_without_rule() { # FILE
    sed -n 's, | [^|]* | [^|]* | \(tools/[^|]*\|fuzz/run.sh\|[a-z]*/\) | .*,,p' "$1" | while read -r name; do
        grep -qE "^([a-z-]+ )*$name( [a-z-]+)*:" tests/steps.mk || echo "tests/steps.mk has no rule for $name"
    done
}
orderly() { # FILE
    {
        wrong_lines "$1"
        files_without_line "$1"
        steps_without_rule "$1"
    } | not grep .
}
check "tests/steps.txt has the files, and each file its line" orderly tests/steps.txt
# mistaken SED: succeeds if tests/steps.txt, with this mistake in it, is refused.
mistaken() { # SED
    sed "$1" tests/steps.txt >"$WORK/steps.txt" && ! cmp -s tests/steps.txt "$WORK/steps.txt" && not orderly "$WORK/steps.txt"
}
check "... a file without a line" mistaken '/^levels | /d'
check "... a line without a file" mistaken '/^levels | /{ p; s/^levels/nowhere/; s/levels[.]sh/nowhere.sh/; }'
check "... a name that is not the file's" mistaken 's/^levels | /level | /'
check "... an unknown word" mistaken 's/^levels | check/levels | check cheque/'
check "... no word that says who runs it" mistaken 's/^levels | check/levels | packaging/'
check "... a step without a rule" mistaken 's,^sweep | \(.*\)tools/sweep.sh,lib | \1tools/lib.sh,'
table() { sh generate/proofs.sh "$WORK/PROOFS.md" && diff tests/PROOFS.md "$WORK/PROOFS.md"; }
check "tests/PROOFS.md is current: \`sh generate/proofs.sh\`" table
# commands: succeeds if each command that a page, comment or message names in `code` exists.
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
