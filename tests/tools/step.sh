#!/bin/sh
# SPDX-License-Identifier: MIT
#
# step.sh NAME COMMAND...: run one step of `make test` or `make check`.
#
# Prints one line, with PE_STEPS=31 as "[12/31] ok ..."; the output goes to build/log/NAME.log and is
# shown only when the step fails. Exit status 77 of the command means that it cannot run here: SKIP
# with its last "SKIP: why" line, a failure under STRICT=1. Counts go to build/log/NAME.count as
# "passed failed skipped seconds cpu-seconds" for `step.sh --summary`, tests/tools/verify.sh and
# tests/tools/proven.sh: those of the cmocka programs, those of a last line "N passed, N failed[, N
# skipped]", else 1 for the step itself. "0 passed, 0 failed" is a figure, no test.
#
# step.sh --summary: the sums. Fails where nothing passed, something failed, or one of PE_STEPS is missing.
set -u
. tests/tools/lib.sh
LOGS=${PE_LOGS:-$BUILD/log} # another place: tests/tools/verify.sh
STEPS=${PE_STEPS:-}
unset PE_LOGS PE_STEPS # not those of steps within a step

if [ "$1" = --summary ]; then
    took=
    [ ! -f "$LOGS/start" ] || took=$(($(date +%s) - $(cat "$LOGS/start")))
    cat "$LOGS"/*.count 2>/dev/null | awk -v all="$STEPS" -v took="$took" '
        { passed += $1; failed += $2; skipped += $3; cpu += $5; steps++ }
        END {
            printf "\n%d steps%s\n", steps, took == "" ? "" : " in " took " s, " int(cpu) " s of one core"
            if (all && steps != all) failed += all > steps ? all - steps : 1
            printf "%d passed, %d failed", passed, failed
            if (skipped) printf ", %d skipped", skipped
            print ""
            exit !(passed > 0 && failed == 0)
        }' || exit 1
    : >"$LOGS/passed" # for packaging/release.sh
    exit
fi

name=$1
shift
mkdir -p "$LOGS"
log=$LOGS/$name.log
rm -f "$LOGS/$name.count"
start=$(date +%s)
guarded "$@" >"$log" 2>&1 </dev/null
status=$?
seconds=$(($(date +%s) - start))
# What the command took of all processors, from the second line of "0m1.2s 0m0.3s".
times >"$log.times"
cpu=$(awk 'NR == 2 { gsub(/m/, " "); gsub(/s/, ""); printf "%.1f", 60 * ($1 + $3) + $2 + $4 }' "$log.times")
rm -f "$log.times"

counts=$(awk '
    /^\[  PASSED  \] [0-9]+ test/ { passed += $4 }
    /^\[  FAILED  \] [0-9]+ test/ { failed += $4 }
    /^\[  SKIPPED \] [0-9]+ test/ { skipped += $4 }
    { line = $0 }
    END {
        if (line ~ /^[0-9]+ passed, [0-9]+ failed/) {
            split(line, n, / [a-z]+,? ?/)
            passed = n[1]; failed = n[2]; skipped = n[3]
            figure = line ~ /^0 passed, 0 failed$/
        }
        print passed + 0, failed + 0, skipped + 0, figure + 0
    }' "$log")
# shellcheck disable=SC2086
set -- $counts
passed=$1 failed=$2 skipped=$3 figure=$4
why=$(sed -n 's/^SKIP: //p' "$log" | tail -n 1)
# Skipped parts of a step are shown one by one under its line.
# A step that shrinks may not count what it left out: each line is one.
lines=$(grep '^SKIP: ' "$log" | sort -u | grep -c .)
[ "$skipped" -ge "$lines" ] || skipped=$lines
parts=$(sed -n -e 's/^SKIP: /         SKIP: /p' \
    -e 's/^\[  SKIPPED \] \([a-z].*\)/         SKIP: the test \1/p' "$log" | sort -u)
[ -n "$why" ] || why=$(printf '%s\n' "$parts" | sed -n 's/^ *SKIP: //p' | tail -n 1)

# Which of all steps has just ended: each makes one directory.
title=$name which=
if [ -n "$STEPS" ]; then
    n=1
    until mkdir "$LOGS/ended.$n" 2>/dev/null || [ $n -gt "$STEPS" ]; do n=$((n + 1)); done
    which=$(printf '[%*d/%d] ' ${#STEPS} $n "$STEPS")
    case $name in *.*.*) ;; *.*) title="${name%.*} on ${name#*.}" ;; esac
fi

if [ $status -eq 77 ] && [ "$STRICT" != 1 ]; then
    passed=0 failed=0 skipped=1
    printf '%sSKIP     %-34s %s\n' "$which" "$title" "${why:-cannot run here}"
    status=0
elif [ $status -eq 0 ] && { [ "$skipped" -eq 0 ] || [ "$STRICT" != 1 ]; } && [ "$failed" -eq 0 ]; then
    [ $((passed + skipped + figure)) -gt 0 ] || passed=1
    info=$(sed -n 's/^INFO: //p' "$log" | tail -n 1)
    [ -n "$info" ] || info="$passed passed"
    printf '%sok %4ds %-34s %s\n' "$which" $seconds "$title" "$info"
    [ -z "$parts" ] || printf '%s\n' "$parts"
else
    if [ "$STRICT" = 1 ] && { [ $status -eq 77 ] || [ "$skipped" -gt 0 ]; }; then
        why="SKIP under STRICT=1: $why"
        failed=$((failed + (skipped > 0 ? skipped : 1))) skipped=0
    else
        why="exit status $status"
    fi
    [ "$failed" -gt 0 ] || failed=1
    grep -v '^ok   ' "$log" >"$log.shown"
    lines=$(wc -l <"$log.shown")
    {
        printf '%sFAIL %3ds %-34s %s\n' "$which" $seconds "$title" "$why"
        echo "-------- $log"
        if [ "$lines" -gt 80 ]; then
            sed -n 1,20p "$log.shown"
            echo "[... $((lines - 80)) lines ...]"
            tail -n 60 "$log.shown"
        else
            cat "$log.shown"
        fi
        echo "-------- rerun: tests/run $name"
    } >"$log.report"
    cat "$log.report"
    status=1
fi
echo "$passed $failed $skipped $seconds $cpu" >"$LOGS/$name.count"
exit $status
