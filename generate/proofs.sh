#!/bin/sh
# SPDX-License-Identifier: MIT
#
# proofs.sh [FILE]: writes tests/PROOFS.md (or FILE), which says where each promise is proven. The text comes from
# tests/steps.txt, and the numbers of builds from the steps of `make test` and `make check` on x86-64 with AVX-512. A
# step without a line in steps.txt is an error, and so is a line without a step.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/tools/lib.sh
OUT=${1:-tests/PROOFS.md}
WORK=$BUILD/proofs
mkdir -p "$WORK"
for command in test check; do
    env -u MAKEFLAGS -u MAKELEVEL -u CHECK_ISAS -u CHECK_SKIP make -s -f tests/steps.mk \
        "list-$command-steps" MACHINE=x86_64 CPU_ISAS="scalar sse2 avx2 avx512" | tr ' ' '\n' | sed "/./!d; s/^/$command /"
done >"$WORK/builds"
[ "$(wc -l <"$WORK/builds")" -gt 100 ] || { echo "hardly a step" >&2 && exit 1; }
{
    cat <<'X'
# Where each promise is proven

Made from `tests/steps.txt` and `tests/steps.mk` by `sh generate/proofs.sh`; `tests/run steps` fails if it is not current.
Files are below `tests/`. A number says in how many builds the command proves it, on x86-64 with AVX-512. `tests/run
verify-full` adds more of the same: billions of certified elements, guard pages at every shape, all sanitizers and
analyzers, coverage, new fuzzing, mutants; the weekly workflow what takes too long for every change.

X
    awk -F ' [|] ' '
        FILENAME ~ /steps.txt/ {
            if (/^#/ || NF != 5 || $2 ~ /hand/) next
            order[++rows] = $1
            if ($1 in promise) { print "two lines for the step " $1 >"/dev/stderr"; bad = 1 }
            file[$1] = $4
            promise[$1] = $5
            next
        }
        {
            split($0, field, " ")
            command = field[1]
            parts = split(field[2], part, ".")
            name = part[1]
            if (!(name in promise)) { print "no line for the step " field[2] >"/dev/stderr"; bad = 1 }
            steps[command, name]++
            steps_of[command]++
            for (i = 2; i <= parts; i++) { kinds[part[i]]++; builds[part[i], command]++ }
        }
        END {
            print "| Promise | Proven by | `make test` | `make check` |"
            print "|---|---|---|---|"
            for (r = 1; r <= rows; r++) {
                name = order[r]
                if (steps["test", name] + steps["check", name] == 0) { print "no step for the line " name >"/dev/stderr"; bad = 1 }
                printf "| %s | %s | %s | %s |\n", promise[name], file[name], steps["test", name], steps["check", name]
            }
            printf "| **Steps** | | %d | %d |\n", steps_of["test"], steps_of["check"]
            print "\n| Steps of builds with | `make test` | `make check` |\n|---|---|---|"
            for (k in kinds) printf "| %s | %s | %s |\n", k, builds[k, "test"], builds[k, "check"] | "LC_ALL=C sort"
            close("LC_ALL=C sort")
            exit bad
        }' tests/steps.txt "$WORK/builds"
} >"$WORK/PROOFS.md" || exit 1
mv "$WORK/PROOFS.md" "$OUT"
echo "$OUT is written"
