#!/bin/sh
# SPDX-License-Identifier: MIT
#
# step.sh NAME COMMAND...: run one step of `make test`.
#
# Prints one line; the output goes to build/log/NAME.log and is shown only when the step fails.
# Exit status 77 of the command means that it cannot run here: SKIP with its last "SKIP: why" line,
# a failure under STRICT=1. Counts go to build/log/NAME.count as "passed failed skipped seconds" for
# `step.sh --summary` and tests/tools/verify.sh: those of the cmocka programs, those of a last line
# "N passed, N failed[, N skipped]", else 1 for the step itself. "0 passed, 0 failed" is a figure, no test.
set -u
. tests/tools/lib.sh
LOGS=${PE_LOGS:-$BUILD/log} # another place: tests/tools/verify.sh
unset PE_LOGS              # not that of steps within a step

if [ "$1" = --summary ]; then
    cat "$LOGS"/*.count 2>/dev/null | awk '
        { passed += $1; failed += $2; skipped += $3; steps++ }
        END {
            printf "\n%d steps\n", steps
            printf "%d passed, %d failed", passed, failed
            if (skipped) printf ", %d skipped", skipped
            print ""
            exit !(passed > 0 && failed == 0)
        }'
    exit
fi

name=$1
shift
mkdir -p "$LOGS"
log=$LOGS/$name.log
rm -f "$LOGS/$name.count"
start=$(date +%s)
"$@" >"$log" 2>&1 </dev/null
status=$?
seconds=$(($(date +%s) - start))

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
parts=$(sed -n -e 's/^SKIP: /         SKIP: /p' \
    -e 's/^\[  SKIPPED \] \([a-z].*\)/         SKIP: the test \1/p' "$log" | sort -u)
[ -n "$why" ] || why=$(printf '%s\n' "$parts" | sed -n 's/^ *SKIP: //p' | tail -n 1)

if [ $status -eq 77 ] && [ "$STRICT" != 1 ]; then
    passed=0 failed=0 skipped=1
    printf 'SKIP     %-34s %s\n' "$name" "${why:-cannot run here}"
    status=0
elif [ $status -eq 0 ] && { [ "$skipped" -eq 0 ] || [ "$STRICT" != 1 ]; } && [ "$failed" -eq 0 ]; then
    [ $((passed + skipped + figure)) -gt 0 ] || passed=1
    info=$(sed -n 's/^INFO: //p' "$log" | tail -n 1)
    [ -n "$info" ] || info="$passed passed"
    printf 'ok %4ds %-34s %s\n' $seconds "$name" "$info"
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
        printf 'FAIL %3ds %-34s %s\n' $seconds "$name" "$why"
        echo "-------- $log"
        if [ "$lines" -gt 80 ]; then
            sed -n 1,20p "$log.shown"
            echo "[... $((lines - 80)) lines ...]"
            tail -n 60 "$log.shown"
        else
            cat "$log.shown"
        fi
        echo "-------- rerun: make $name"
    } >"$log.report"
    cat "$log.report"
    status=1
fi
echo "$passed $failed $skipped $seconds" >"$LOGS/$name.count"
exit $status
