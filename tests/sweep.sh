#!/bin/sh
# SPDX-License-Identifier: MIT
#
# sweep.sh: tests/test_memory.c in full on every ISA of this CPU: every public function between guard
# pages, with every number of rows to 64, every width to 513 and every offset, and everything else of
# that program. It takes 4 minutes with AVX-512 and half an hour in scalar code; SECONDS_MOST (3600)
# bounds each ISA, and one that is not through by then has failed.
set -u
. tests/lib.sh
most=${SECONDS_MOST:-3600}
passed=0 failed=0 skipped=0
running=
trap '[ -z "$running" ] || kill "$running"; exit 143' TERM INT # timeout ends what it runs
for isa in $(cpu_isas); do
    step=memory.gcc.$isa.none
    log=$BUILD/sweep.$isa.log
    start=$(date +%s)
    mkdir -p "$BUILD"
    PE_LONG=1 timeout "$most" sh tests/unit.sh "$step" >"$log" 2>&1 &
    running=$!
    wait "$running"
    status=$? running=
    seconds=$(($(date +%s) - start))
    ok=$(grep -c '^\[       OK \]' "$log")
    case $status in
    0)
        echo "ok   $isa: $seconds s,$(sed -n 's/^ *\([0-9]* calls of .*\)/ \1/p' "$log")"
        passed=$((passed + ok))
        ;;
    77)
        sed -n 's/^SKIP/SKIP/p' "$log" | tail -n 1
        skipped=$((skipped + 1))
        ;;
    *)
        [ $status -ne 124 ] || echo "not through after $most s: see SECONDS_MOST" >>"$log"
        echo "FAIL $isa: exit status $status, $seconds s"
        grep -v '^\[ RUN\|^\[   *OK' "$log" | tail -n 20
        passed=$((passed + ok)) failed=$((failed + 1))
        ;;
    esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && { [ "$passed" -gt 0 ] || [ "${STRICT:-0}" != 1 ]; }
