#!/bin/sh
# SPDX-License-Identifier: MIT
#
# verify.sh some|full: runs every proof of this project, and writes a record of it.
#
#   some   (tests/run verify)       takes at most 10 minutes for golden hashes, certified tables, the unit steps on the
#                                   best ISA, the quick steps, some of the matrix, and cppcheck
#   full   (tests/run verify-full)  takes at most 2 hours for all steps, the whole matrix, billions of certified
#                                   elements, selfcheck, fuzzing, mutation and packaging
#
# BUDGET=s changes the limit. A step gets the time that is left, but at most its own limit. A step for which no time is
# left is a skip that says so (a failure under STRICT=1). A step that tests/steps.txt does not list is a skip also. Each
# step runs through tests/tools/step.sh, which shows the log of a failed step.
#
# The record is build/verify.json: what was checked, on which machine, with which result. build/verify.txt has the same
# for readers, and is printed at the end. The exit status is 0 if nothing failed and no step ran out of time.
set -u
. tests/tools/lib.sh

# With --within SECONDS COMMAND..., this script runs the command of a step, and skips it with a reason if it takes
# longer.
if [ "${1:-}" = --within ]; then
    limit=$2
    shift 2
    have timeout || exec "$@"
    timeout "$limit" "$@"
    status=$?
    [ $status -ne 124 ] || skip "out of time after $limit s"
    exit $status
fi

mode=${1:-some}
case $mode in
some) BUDGET=${BUDGET:-600} ;;
full) BUDGET=${BUDGET:-7200} ;;
*) echo "verify.sh: some or full, not '$mode'" && exit 2 ;;
esac
MAKE=${MAKE:-make --no-print-directory -f tests/steps.mk}
START=$(date +%s)
LOGS=$BUILD/verify
export PE_LOGS="$LOGS" # tests/tools/step.sh reads it, and hides it from the steps within a step
rm -rf "$LOGS"
mkdir -p "$LOGS"
rm -f "$BUILD/verify.json" "$BUILD/verify.txt" "$BUILD/certify.json" "$BUILD/golden/now"

left() { echo $((BUDGET - ($(date +%s) - START))); }

# step NAME LIMIT COMMAND...: runs the command with LIMIT seconds, or with the time that is left if that is less.
number=0
step() {
    number=$((number + 1))
    name=$1 limit=$2
    shift 2
    rest=$(left)
    [ "$limit" -le "$rest" ] || limit=$rest
    printf '%4d s, step %d: %s\n' "$(($(date +%s) - START))" $number "$name"
    if [ "$limit" -lt 5 ]; then
        sh tests/tools/step.sh "$name" sh -c 'echo "SKIP: out of time before it began"; exit 77'
    else
        sh tests/tools/step.sh "$name" sh tests/tools/verify.sh --within "$limit" "$@"
    fi
}

# target NAME LIMIT: runs the step with this name, if tests/steps.txt lists it.
target() {
    if grep -q "^$1 | " tests/steps.txt; then
        # shellcheck disable=SC2086
        step "$1" "$2" $MAKE "$1"
    else
        number=$((number + 1))
        printf '%4d s, step %d: %s\n' "$(($(date +%s) - START))" $number "$1"
        sh tests/tools/step.sh "$1" sh -c 'echo "SKIP: tests/steps.txt has no such step"; exit 77'
    fi
}

# units LIMIT: runs the unit steps, which write their own counts, as in `make test`. Those that did not run are skips.
# Golden hashes and certified tables are left out, since they had their own steps before.
units() {
    number=$((number + 1))
    printf '%4d s, step %d: the unit steps\n' "$(($(date +%s) - START))" $number
    if [ "$1" -lt 5 ]; then
        true
    elif have timeout; then
        # shellcheck disable=SC2086
        timeout "$1" $MAKE "units-$mode"
    else
        $MAKE "units-$mode"
    fi
    for unit in $($MAKE -s "list-units-$mode"); do
        [ -f "$LOGS/$unit.count" ] ||
            sh tests/tools/step.sh "$unit" sh -c 'echo "SKIP: out of time"; exit 77'
    done
}

# ---- the report -----------------------------------------------------------------------------------

quote() { printf '%s' "$1" | tr -d '\000-\010\013-\037' | sed 's/\\/\\\\/g; s/"/\\"/g' | tr '\n\t' '  '; }
field() { printf '  "%s": "%s",\n' "$1" "$(quote "$2")"; }
first_line() { "$@" 2>/dev/null | head -n 1; }
macro() { # HEADER NAMES...: prints the values of macros, with dots between them
    macro_header=$1
    shift
    {
        echo "#include <$macro_header>"
        for macro_name in "$@"; do echo "value $macro_name"; done
    } >"$LOGS/macro.h"
    # shellcheck disable=SC2086
    $CC $EXTRA_CFLAGS -E -P - <"$LOGS/macro.h" 2>/dev/null | sed -n 's/^value \([0-9]*\)$/\1/p' | paste -s -d . -
}
operating_system() {
    # shellcheck disable=SC1091
    if [ -r /etc/os-release ]; then (. /etc/os-release && echo "$PRETTY_NAME, $(uname -srm)"); else uname -srm; fi
}
cpu_flags() {
    sed -n 's/^\(flags\|Features\)[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -n 1 | grep . ||
        sysctl -n machdep.cpu.features 2>/dev/null
}

# all_steps: prints one line per step, in the order in which they ended: name, seconds, passed, failed, skipped and the
# reasons, with tabs between them.
all_steps() {
    # shellcheck disable=SC2012
    ls -tr "$LOGS" | sed -n 's/\.count$//p' | while read -r all_name; do
        read -r all_passed all_failed all_skipped all_seconds _ <"$LOGS/$all_name.count"
        all_why=$(sed -n -e 's/^SKIP: //p' -e 's/^\[  SKIPPED \] \([a-z].*\)/the test \1/p' \
            "$LOGS/$all_name.log" | sort -u | tr '\n\t' '; ' | sed 's/;$//')
        printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$all_name" "${all_seconds:-0}" "$all_passed" \
            "$all_failed" "$all_skipped" "$all_why"
    done
}

result() {
    all_steps | awk -F '\t' '
        $4 > 0 { failed = 1 }
        $6 ~ /out of time/ { late++ }
        { passed += $3 }
        END {
            if (failed || !passed) print "failed"
            else if (late) print "incomplete: " late " steps were out of time, raise BUDGET"
            else print "verified"
        }'
}

write_json() {
    echo "{"
    field project "pe $(sed -n 's/^#define PE_VERSION_STRING "\(.*\)"/\1/p' pe.h)"
    field mode "$mode"
    field result "$(result)"
    field commit "$(git rev-parse HEAD 2>/dev/null || echo unknown)"
    if [ -n "$(git status --porcelain 2>/dev/null || echo '?')" ]; then dirty=true; else dirty=false; fi
    echo "  \"dirty\": $dirty,"
    field date "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
    echo "  \"seconds\": $(($(date +%s) - START)),"
    echo "  \"budget\": $BUDGET,"
    field cpu "$(cpu_model)"
    field cpu_flags "$(cpu_flags)"
    field isas "$(cpu_isas)"
    echo "  \"cores\": $(cores),"
    field os "$(operating_system)"
    for compiler in "$GCC" "$CLANG" "$ARM64_GCC"; do
        ! have "$compiler" || field "compiler $compiler" "$(first_line "$compiler" --version)"
    done
    field sleef "$(macro sleef.h SLEEF_VERSION_MAJOR SLEEF_VERSION_MINOR SLEEF_VERSION_PATCHLEVEL)"
    field mpfr "$(macro mpfr.h MPFR_VERSION_MAJOR MPFR_VERSION_MINOR MPFR_VERSION_PATCHLEVEL)"
    all_steps | awk -F '\t' '
        { passed += $3; failed += $4; skipped += $5 }
        END { printf "  \"passed\": %d,\n  \"failed\": %d,\n  \"skipped\": %d,\n", passed, failed, skipped }'
    echo '  "steps": ['
    all_steps | awk -F '\t' '
        function quoted(s) { gsub(/\\/, "\\\\", s); gsub(/"/, "\\\"", s); gsub(/[\001-\037]/, " ", s); return "\"" s "\"" }
        { printf "%s    {\"name\": %s, \"seconds\": %d, \"passed\": %d, \"failed\": %d, \"skipped\": %d, \"skips\": %s}",
              (NR > 1 ? ",\n" : ""), quoted($1), $2, $3, $4, $5, quoted($6) }
        END { print "" }'
    echo '  ],'
    echo '  "hashes": {'
    grep -v '^#' "$BUILD/golden/now" 2>/dev/null | awk '
        { line = $0; sub(/ +[0-9]+ elements +[0-9a-f]+$/, "", line)
          printf "%s    \"%s\": \"%s\"", (NR > 1 ? ",\n" : ""), line, $NF }
        END { print "" }'
    echo '  },'
    echo '  "certified":'
    if [ -s "$BUILD/certify.json" ]; then cat "$BUILD/certify.json"; else echo null; fi
    echo "}"
}

write_text() {
    echo "Verification ($mode) of pe, $(date -u +%Y-%m-%dT%H:%M:%SZ)"
    commit=$(git rev-parse HEAD 2>/dev/null || echo "no commit known")
    [ -z "$(git status --porcelain 2>/dev/null)" ] || commit="$commit, with changes that are not in it"
    echo "commit    $commit"
    echo "machine   $(cpu_model), $(cores) cores, $(cpu_isas); $(operating_system)"
    for compiler in "$GCC" "$CLANG" "$ARM64_GCC"; do
        ! have "$compiler" || echo "compiler  $(first_line "$compiler" --version)"
    done
    echo "libraries SLEEF $(macro sleef.h SLEEF_VERSION_MAJOR SLEEF_VERSION_MINOR SLEEF_VERSION_PATCHLEVEL)," \
        "MPFR $(macro mpfr.h MPFR_VERSION_MAJOR MPFR_VERSION_MINOR MPFR_VERSION_PATCHLEVEL)"
    echo
    all_steps | awk -F '\t' '{
        printf "%-6s %5d s  %-40s %5d passed", ($4 ? "FAIL" : $3 || !$5 ? "ok" : "SKIP"), $2, $1, $3
        if ($4) printf ", %d failed", $4
        if ($5) printf ", %d skipped: %s", $5, $6
        print ""
    }'
    if [ -s "$BUILD/certify.txt" ]; then
        echo
        grep -v -E '^(INFO|[0-9]+ passed)' "$BUILD/certify.txt"
    fi
    all_steps | awk -F '\t' -v seconds="$(($(date +%s) - START))" '
        { passed += $3; failed += $4; skipped += $5 }
        END { printf "\n%d steps in %d s\n%d passed, %d failed, %d skipped\n", NR, seconds, passed, failed, skipped }'
}

report() {
    write_json >"$BUILD/verify.json"
    if have python3 && ! python3 -m json.tool "$BUILD/verify.json" >/dev/null 2>"$LOGS/json.log"; then
        echo "FAIL  build/verify.json is no JSON: $(cat "$LOGS/json.log")"
        bad_json=1
    fi
    for what in '"name": "golden"' '"fill_f64": "' '"configurations"'; do
        grep -q -e "$what" "$BUILD/verify.json" || { echo "FAIL  no $what in verify.json" && bad_json=1; }
    done
    { write_text && echo "Result: $(result)"; } >"$BUILD/verify.txt"
    echo
    cat "$BUILD/verify.txt"
    echo "Written: $BUILD/verify.json, $BUILD/verify.txt; logs in $LOGS"
}

# ---- the run --------------------------------------------------------------------------------------

bad_json=0
echo "verify $mode: at most $BUDGET s, $JOBS jobs"
step golden 300 sh tests/checks/golden.sh
if [ "$mode" = some ]; then
    step certify 200 sh tests/checks/certify.sh some
    step matrix $((BUDGET / 3)) env MATRIX=some sh tests/tools/matrix.sh
    units "$(($(left) - 20))"
    target analyze-cppcheck 120
else
    for isa in $(cpu_isas); do
        [ "$isa" = "$(best_isa)" ] || step "certify-$isa" 600 env ISA="$isa" sh tests/checks/certify.sh some
    done
    step certify $((BUDGET / 30 + 300)) sh tests/checks/certify.sh every "$((BUDGET / 30))"
    units "$((BUDGET / 3))"
    step matrix 2700 sh tests/tools/matrix.sh
    step sweep 2700 env SECONDS_MOST=2600 sh tests/tools/sweep.sh
    for name in sanitize selfcheck; do target $name 2700; done
    for name in analyze coverage dist-full fuzz; do target $name 900; done
    step mutation 1800 env MUTATION_SECONDS=900 sh tests/tools/mutation.sh
fi
report
[ $bad_json -eq 0 ] && [ "$(result)" = verified ]
