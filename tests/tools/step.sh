#!/bin/sh
# SPDX-License-Identifier: MIT
#
# step.sh NAME COMMAND...: runs one step of `make test` or `make check`.
#
# It prints one line, which begins with "[12/31]" if PE_STEPS=31. The command's output goes to build/log/NAME.log, and
# is shown only if the step fails. If the command exits with 77, it cannot run here. The step is then a SKIP with the
# last "SKIP: why" line, or a failure under STRICT=1.
#
# The counts go to build/log/NAME.count as "passed failed skipped seconds cpu-seconds". `step.sh --summary`,
# tests/tools/verify.sh and tests/tools/proven.sh read them. They are the sums of what cmocka programs report and of a
# last line "N passed, N failed[, N skipped]". If the output has neither, the step itself counts as 1. A line
# "0 passed, 0 failed" counts as no test.
#
# step.sh --summary: prints the sums, and fails if nothing passed, something failed, or fewer than PE_STEPS steps ran.
set -u
. tests/tools/lib.sh
LOGS=${PE_LOGS:-$BUILD/log} # tests/tools/verify.sh sets PE_LOGS
STEPS=${PE_STEPS:-}
unset PE_LOGS PE_STEPS # steps within a step must not inherit these

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
# The second line of `times` has the user and system time of the command, such as "0m1.2s 0m0.3s".
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
# Skipped parts of a step are shown below its line. A step may leave out a part without counting it, so at least as many
# parts count as skipped as there are different SKIP lines.
lines=$(grep '^SKIP: ' "$log" | sort -u | grep -c .)
[ "$skipped" -ge "$lines" ] || skipped=$lines
parts=$(sed -n -e 's/^SKIP: /         SKIP: /p' \
    -e 's/^\[  SKIPPED \] \([a-z].*\)/         SKIP: the test \1/p' "$log" | sort -u)
[ -n "$why" ] || why=$(printf '%s\n' "$parts" | sed -n 's/^ *SKIP: //p' | tail -n 1)

# The number of the step that has just ended is found by making the first directory that does not exist yet.
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
