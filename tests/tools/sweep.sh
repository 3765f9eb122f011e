#!/bin/sh
# SPDX-License-Identifier: MIT
#
# sweep.sh: runs all of tests/unit/calls/test_memory.c on every ISA of this CPU. Every public function is called between
# guard pages, with every number of rows up to 64, every width up to 513 and every offset. AVX-512 takes 2 minutes, AVX2
# 3 and scalar code 7. JOBS=n of them run at the same time. Each has SECONDS_MOST seconds (3600), and fails if it needs
# more.
#
#   sweep.sh          runs all of them
#   sweep.sh one ISA  runs one of them, and prints its verdict and how many tests passed, failed and were skipped
set -u
. tests/tools/lib.sh
most=${SECONDS_MOST:-3600}

# one ISA: runs the program on one ISA. Scalar code uses hardware FMA if this CPU has it, which takes less time and
# accesses the same memory.
one() {
    isa=$1
    step=memory.gcc.$isa.none
    [ "$isa" != scalar ] || ! cpu_has avx2 || step=$step.fma
    log=$BUILD/sweep.$isa.log
    start=$(date +%s)
    PE_LONG=1 timeout "$most" sh tests/tools/unit.sh "$step" >"$log" 2>&1 &
    running=$!
    trap 'kill "$running"; exit 143' TERM INT # timeout then ends the program
    wait "$running"
    status=$?
    seconds=$(($(date +%s) - start))
    ok=$(grep -c '^\[       OK \]' "$log")
    case $status in
    0)
        echo "ok   $isa: $seconds s,$(sed -n 's/^ *\([0-9]* calls of .*\)/ \1/p' "$log")"
        echo "$ok 0 0" >"$BUILD/sweep.$isa.count"
        ;;
    77)
        sed -n 's/^SKIP/SKIP/p' "$log" | tail -n 1
        echo "0 0 1" >"$BUILD/sweep.$isa.count"
        ;;
    *)
        [ $status -ne 124 ] || echo "not through after $most s: see SECONDS_MOST" >>"$log"
        echo "FAIL $isa: exit status $status, $seconds s"
        grep -v '^\[ RUN\|^\[   *OK' "$log" | tail -n 20
        echo "$ok 1 0" >"$BUILD/sweep.$isa.count"
        ;;
    esac
}

if [ "${1:-}" = one ]; then
    one "$2"
    exit 0 # the verdict is in the file
fi
mkdir -p "$BUILD"
rm -f "$BUILD"/sweep.*.count
isas=$(cpu_isas) # the slowest first
export BUILD
echo "$isas" | tr ' ' '\n' | xargs -n 1 -P "$JOBS" sh tests/tools/sweep.sh one
passed=0 failed=0 skipped=0
for isa in $isas; do
    p=0 f=1 s=0 # a run that left no count has failed
    [ ! -f "$BUILD/sweep.$isa.count" ] || read -r p f s <"$BUILD/sweep.$isa.count"
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && { [ "$passed" -gt 0 ] || [ "${STRICT:-0}" != 1 ]; }
